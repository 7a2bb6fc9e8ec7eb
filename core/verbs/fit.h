// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a machine, fitted to measurements (docs/rules/validation.md 4).
#pragma once

#include "validation/comparison.h"
#include "validation/fit.h"
#include "verbs/validate.h"

#include <functional>

namespace tilewright::verbs {

/// The options of `fit`.
struct FitCall : ValidateCall
{
    FitCall() { lens = "floor"; }
    std::vector<std::string> values; ///< paths of machine fields to fit; empty: fittedByDefault()
};
void bindOptions(OptionList& o, FitCall& call);

/// A fitted value, before and after the fit.
struct FittedValue
{
    std::string path, label;
    double before = 0, after = 0;
    bool isDetermined = true; ///< false: the rows are predicted as well without it, and it keeps its value
};
struct FitAnswer
{
    Machine machine; ///< machine with the fitted values; their source is the file of measurements
    std::vector<FittedValue> values;
    validation::FitResult fit;
    validation::Agreement before, after;

    /// Table of the errors before and after the fit, and on rows that were left out of a fit.
    [[nodiscard]] Table errors() const;
    /// Names and texts for people: each value before and after the fit, and the errors of the fitted machine.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> lines() const;
    [[nodiscard]] Table table() const;      ///< table of the fitted values
    [[nodiscard]] std::string json() const; ///< the answer as one JSON document
};
/// The measured rows for a fit, and the function that predicts them.
struct FitRows
{
    std::string file; ///< name of the file of measurements
    std::string lens;
    validation::Quantity quantity = validation::Quantity::Milliseconds; ///< quantity of the rows, a time
    /// Predicts all rows on a machine. Returns the same rows in the same order for every machine.
    std::function<Result<std::vector<validation::ComparedRow>>(const Machine& machine)> on;
};
/// Fits the values at these paths of a machine to the rows.
[[nodiscard]] Result<FitAnswer> fitRows(const Machine& machine, const FitRows& rows,
                                        const std::vector<std::string>& paths, const Progress& progress = {});
/// Fits the values to all rows of the set that have a prediction. The Error names the set or a field that
/// cannot be fitted, or says why no row has a prediction.
[[nodiscard]] Result<FitAnswer> fitMachine(const FitCall& call, const Progress& progress = {});

} // namespace tilewright::verbs
