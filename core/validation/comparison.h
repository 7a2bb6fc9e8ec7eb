// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements beside predictions, and how far they are apart.
#pragma once

#include "base/table.h"
#include "validation/measured_set.h"

namespace tilewright::validation {

/// A measured operator and the prediction for it, in the unit of the set.
struct ComparedRow
{
    std::string name;
    std::size_t line = 0; ///< line of the file
    double measured = 0;
    double predicted = 0;
    std::string error; ///< why there is no prediction; empty: there is one

    [[nodiscard]] double ratio() const noexcept { return predicted / measured; }
    [[nodiscard]] double difference() const noexcept { return predicted - measured; }
};

/// Distances of predictions and measurements (docs/rules/validation.md 3). Correlations of fewer than two
/// rows, or without any spread, are 0.
struct Agreement
{
    std::size_t rows = 0;       ///< number of rows with a prediction above 0
    double ratio = 1;           ///< geometric mean of predicted / measured
    double least = 1, most = 1; ///< the smallest and the largest ratio
    double error = 0;           ///< geometric mean of the larger of ratio and 1 / ratio, less 1
    double scaledError = 0;     ///< the same after division by the geometric mean
    double pearson = 0;
    double pearsonOfLogs = 0;
    double spearman = 0; ///< equal values share their mean rank
    double within10 = 0; ///< share of rows whose ratio is from 0.9 to 1.1
    double within25 = 0; ///< from 0.75 to 1.25
};
[[nodiscard]] Agreement agreementOf(const std::vector<ComparedRow>& rows);

/// A set beside the predictions of one lens on one machine.
struct Comparison
{
    std::string file;
    std::vector<std::string> head; ///< comments of the file
    std::string column;            ///< name of the column of measurements
    Quantity quantity = Quantity::Milliseconds;
    std::string machine, lens;
    std::int64_t leftOut = 0;             ///< rows of the file that are not compared
    std::vector<std::string> notModelled; ///< sentences on what the lens leaves out
    std::vector<ComparedRow> rows;
    Agreement agreement;
    bool interrupted = false; ///< some rows have no prediction since the call was stopped

    [[nodiscard]] bool failed() const noexcept; ///< a row has an error
};

/// Names and texts of the figures of an agreement, for people.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> agreementLines(const Agreement& agreement);
/// The rows as a table: name, line, measured, predicted (or why there is no prediction), ratio.
[[nodiscard]] Table comparisonTable(const Comparison& comparison);
/// One JSON document: set, machine, lens, the figures of the agreement, and the rows.
[[nodiscard]] std::string comparisonJson(const Comparison& comparison);
/// A self-contained page: figures, a picture of all rows on two logarithmic axes, whose points lead to the
/// rows of the table below, and the table.
[[nodiscard]] std::string comparisonHtml(const Comparison& comparison);

} // namespace tilewright::validation
