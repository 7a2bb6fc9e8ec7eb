// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <string>

namespace tilewright {

/// Explanation of the latency of a subgraph.
struct Explanation
{
    SubgraphId subgraph;
    Bound bound = Bound::Balanced;
    double computeTime = 0;
    double memoryTime = 0;
    /// Compute / work without padding; 1.25 = a fifth of the compute is padding or repetition.
    double paddingFactor = 1;
    /// Loaded / distinct elements of the non-resident inputs; 1 = nothing is loaded twice.
    double reloadFactor = 1;
    std::string text; ///< one or two plain sentences
};

/// Explains a subgraph by the resource that limits it. Requires `evaluation` = evaluate(problem, schedule,
/// rules). Takes microseconds.
[[nodiscard]] Explanation whatBinds(const Problem& problem, const Schedule& schedule,
                                    const Evaluation& evaluation, SubgraphId subgraph);

} // namespace tilewright
