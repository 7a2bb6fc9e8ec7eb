// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a machine, fitted to measurements (docs/rules/validation.md 4).
#pragma once

#include "validation/fit.h"
#include "verbs/validate.h"

namespace tilewright::verbs {

/// The options of `fit`.
struct FitCall : ValidateCall
{
    FitCall() { lens = "floor"; }
    std::vector<std::string> values; ///< paths of fields of the machine; empty: fittedByDefault()
};
void bindOptions(OptionList& o, FitCall& call);

/// A value before and after.
struct FittedValue
{
    std::string path, label;
    double before = 0, after = 0;
};
struct FitAnswer
{
    Machine machine; ///< with the fitted values, whose source is the file of the measurements
    std::vector<FittedValue> values;
    validation::FitResult fit;
    validation::Agreement before, after;

    /// The errors before and after, and on rows that a fit had not seen.
    [[nodiscard]] Table errors() const;
    [[nodiscard]] Table table() const;      ///< of the values
    [[nodiscard]] std::string json() const; ///< one document
};
/// Fits the values to all rows of the set that have a prediction. The Error names the set, a field that
/// cannot be fitted, or why no row has a prediction.
[[nodiscard]] Result<FitAnswer> fitMachine(const FitCall& call, const Progress& progress = {});

} // namespace tilewright::verbs
