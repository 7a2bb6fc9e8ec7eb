// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"

#include <string>

namespace tilewright {

/// The best schedule that is known, and whether a proof says that it is optimal.
struct BoundedBest
{
    double latency = 0;
    bool proven = false;
    std::string space; ///< of the proof, in words
    [[nodiscard]] double gap(double bound) const { return bound > 0 ? latency / bound - 1 : 0; }
};

/// The document of `bound --json`: {"lower_bound", "compute", "memory", "hardware", "parts": [...], "prices":
/// [...]}, and where a best schedule is known {"best", "gap", "proven_optimal", "proven_space"}.
[[nodiscard]] std::string boundJson(const Problem& problem, const LowerBound& bound,
                                    const BoundedBest* best = nullptr);

} // namespace tilewright
