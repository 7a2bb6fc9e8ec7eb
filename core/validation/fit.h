// SPDX-License-Identifier: GPL-3.0-or-later
// Values that bring predictions next to measurements, by least squares of logarithms.
#pragma once

#include "base/progress.h"

#include <functional>
#include <vector>

namespace tilewright::validation {

/// The values that a fit may try: from `low` to `high`, beginning with `start`.
struct FitRange
{
    double start = 1, low = 0, high = 1;
    bool logarithmic = true; ///< steps are factors; false: differences
};
/// Predictions of all rows with these values; 0 or less: a row has none.
using FitPredictions = std::function<std::vector<double>(const std::vector<double>& values)>;

struct FitResult
{
    std::vector<double> values; ///< with three significant digits
    /// Geometric mean of the larger of predicted / measured and its inverse, less 1.
    double errorBefore = 0, errorAfter = 0;
    /// Cross-validation: the same mean over each fifth of the rows, with values fitted on the other rows;
    /// with fewer than five rows, over each row with values fitted on the others.
    double errorLeftOut = 0;
    std::size_t rows = 0;     ///< rows with a prediction at the start
    int evaluations = 0;      ///< number of calls of the predictions
    bool interrupted = false; ///< stopped: the values are the best so far, and errorLeftOut is not known
};

/// Looks for the values with the least sum of squares of ln(predicted / measured) by the simplex method of
/// Nelder and Mead (docs/rules/validation.md 4). Preconditions: at least one range; low <= start <= high; low
/// > 0 if logarithmic.
[[nodiscard]] FitResult fit(const std::vector<double>& measured, const std::vector<FitRange>& ranges,
                            const FitPredictions& predict, const Progress& progress = {});

} // namespace tilewright::validation
