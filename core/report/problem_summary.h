// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <string>

namespace tilewright {

/// Key figures of a problem; sizes in elements.
struct ProblemSummary
{
    std::size_t matMuls = 0;
    std::size_t pointwise = 0;
    std::size_t depth = 0; ///< number of ops on the longest path
    std::size_t unusedTensors = 0;
    std::size_t views = 0; ///< views that some op reads (R1.7)
    std::int64_t inputElements = 0;
    std::int64_t outputElements = 0;
    std::int64_t intermediateElements = 0;
    std::int64_t viewElements = 0;
    std::int64_t largestTensor = 0;
    bool operator==(const ProblemSummary&) const = default;
};
[[nodiscard]] ProblemSummary summarise(const Problem& problem);

/// Returns the document of `info --json`.
[[nodiscard]] std::string summaryJson(const Problem& problem, const ProblemSummary& summary,
                                      double lowerBound);

} // namespace tilewright
