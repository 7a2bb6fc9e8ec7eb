// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements beside predictions, and how far they are apart.
#pragma once

#include "base/table.h"
#include "validation/measured_set.h"

namespace tilewright::validation {

/// A measured operator and its prediction, in the unit of the set.
struct ComparedRow
{
    std::string name;
    std::size_t line = 0; ///< line of the file
    double measured = 0;
    double predicted = 0;
    std::string error; ///< why there is no prediction; empty if there is one

    [[nodiscard]] double ratio() const noexcept { return predicted / measured; }
    [[nodiscard]] double difference() const noexcept { return predicted - measured; }
};

/// How far predictions are from measurements (docs/rules/validation.md 3). Correlations are 0 if there are
/// fewer than two rows or all values are equal.
struct Agreement
{
    std::size_t rows = 0;       ///< number of rows with a prediction above 0
    double ratio = 1;           ///< geometric mean of predicted / measured
    double least = 1, most = 1; ///< smallest and largest ratio
    double error = 0;           ///< geometric mean over the rows of max(ratio, 1 / ratio), minus 1
    double scaledError = 0;     ///< like `error`, after all predictions were divided by `ratio`
    double pearson = 0;
    double pearsonOfLogs = 0;
    double spearman = 0; ///< rank correlation; equal values share their mean rank
    double within10 = 0; ///< share of rows whose ratio is from 0.9 to 1.1
    double within25 = 0; ///< share of rows whose ratio is from 0.75 to 1.25
};
[[nodiscard]] Agreement agreementOf(const std::vector<ComparedRow>& rows);

/// A measured set, compared with the predictions of one lens on one machine.
struct Comparison
{
    std::string file;
    std::vector<std::string> head; ///< comments at the top of the file
    std::string column;            ///< name of the column of measurements
    Quantity quantity = Quantity::Milliseconds;
    std::string machine, lens;
    std::int64_t leftOut = 0;             ///< number of rows of the file that are not compared
    std::vector<std::string> notModelled; ///< sentences on what the lens does not model
    std::vector<ComparedRow> rows;
    Agreement agreement;
    bool interrupted = false; ///< true if rows have no prediction because the call was stopped

    [[nodiscard]] bool failed() const noexcept; ///< true if a row has an error
};

/// Names and texts of the figures of an agreement.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> agreementLines(const Agreement& agreement);
/// Table of the rows: name, line, measured value, prediction (or why there is none), ratio.
[[nodiscard]] Table comparisonTable(const Comparison& comparison);
/// JSON document: set, machine, lens, the figures of the agreement, and the rows.
[[nodiscard]] std::string comparisonJson(const Comparison& comparison);
/// Self-contained HTML page: figures, a chart of all rows on two logarithmic axes, and a table of the rows.
/// The points of the chart link to the rows of the table.
[[nodiscard]] std::string comparisonHtml(const Comparison& comparison);

} // namespace tilewright::validation
