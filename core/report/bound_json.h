// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"

#include <string>

namespace tilewright {

/// Best known schedule, and whether it is proven optimal.
struct BoundedBest
{
    double latency = 0;
    bool proven = false;
    std::string space; ///< space of schedules that the proof covers, as text
    [[nodiscard]] double gap(double bound) const { return bound > 0 ? latency / bound - 1 : 0; }
};

/// Returns the document of `bound --json`: {"lower_bound", "compute", "memory", "hardware", "parts": [...],
/// "prices": [...]}. If a best schedule is known, also {"best", "gap", "proven_optimal", "proven_space"}.
[[nodiscard]] std::string boundJson(const Problem& problem, const LowerBound& bound,
                                    const BoundedBest* best = nullptr);

} // namespace tilewright
