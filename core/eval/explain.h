// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <string>

namespace tilewright {

/// Why a subgraph takes as long as it does.
struct Explanation
{
    SubgraphId subgraph;
    Bound bound = Bound::Balanced;
    double computeTime = 0;
    double memoryTime = 0;
    double paddingFactor =
        1; ///< compute / unpadded work: 1.25 = a fifth of the computing is padding or repetition
    double reloadFactor =
        1;            ///< loaded / distinct elements of the inputs that are not resident; 1 = nothing twice
    std::string text; ///< one or two plain sentences
};

/// `evaluation` = evaluate(problem, schedule, rules). Takes microseconds.
[[nodiscard]] Explanation whatBinds(const Problem& problem, const Schedule& schedule,
                                    const Evaluation& evaluation, SubgraphId subgraph);

} // namespace tilewright
