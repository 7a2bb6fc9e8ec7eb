// SPDX-License-Identifier: GPL-3.0-or-later
// Values that bring predictions next to measurements, by least squares of logarithms.
#pragma once

#include "base/progress.h"

#include <functional>
#include <vector>

namespace tilewright::validation {

/// Range of a fitted value: from `low` to `high`; the search begins with `start`.
struct FitRange
{
    double start = 1, low = 0, high = 1;
    bool logarithmic = true; ///< true: steps are factors; false: steps are differences
};
/// Function that predicts all rows with these values; a prediction of 0 or less means that a row has none.
using FitPredictions = std::function<std::vector<double>(const std::vector<double>& values)>;

struct FitResult
{
    std::vector<double> values; ///< fitted values, rounded to three significant digits
    /// Per value: false if the rows do not determine it, because they are predicted as well with its start,
    /// which it keeps.
    std::vector<bool> isDetermined;
    /// Geometric mean over the rows of max(predicted / measured, measured / predicted), minus 1.
    double errorBefore = 0, errorAfter = 0;
    /// Cross-validation: the same error over rows that were not used for the fit. Each fifth of the rows is
    /// predicted with values fitted to all other rows; with fewer than five rows, each single row.
    double errorLeftOut = 0;
    std::size_t rows = 0; ///< number of rows that have a prediction at the start
    int evaluations = 0;  ///< number of calls of the predictions
    /// True if stopped: the values are the best so far, and errorLeftOut is not known.
    bool interrupted = false;
};

/// Searches the values with the least sum of squares of ln(predicted / measured) by the simplex method of
/// Nelder and Mead (docs/rules/validation.md 4). Preconditions: at least one range; low <= start <= high; low
/// > 0 if logarithmic.
[[nodiscard]] FitResult fit(const std::vector<double>& measured, const std::vector<FitRange>& ranges,
                            const FitPredictions& predict, const Progress& progress = {});

} // namespace tilewright::validation
