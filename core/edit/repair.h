// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <string>
#include <vector>

namespace tilewright {

/// One way out of a problem: the whole schedule after it.
struct Repair
{
    Schedule schedule;
    double total = 0;           ///< of that schedule
    std::size_t issuesLeft = 0; ///< in that schedule
    std::string text;           ///< a phrase: "compute op3 in subgraph 5 as well"
};

struct Repairs
{
    std::vector<Repair> found; ///< the one that leaves the fewest problems first, then the fastest
    std::string why;           ///< when none was found: why not
};

/// What can be done about one issue of `evaluation` = evaluate(problem, schedule, rules): each repair removes
/// it and leaves fewer problems, or the same number of less fundamental ones (a tile that is legal but too
/// large is a step forward from an illegal one). Subgraphs that gain or lose ops are tiled anew (retile.h).
[[nodiscard]] Repairs repairs(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                              const Issue& issue);

/// The first repair of the first issue that has one, again and again until none is left or none has one.
[[nodiscard]] Schedule repairedAsFarAsPossible(const Problem& problem, const Schedule& schedule,
                                               const Rules& rules);

} // namespace tilewright
