// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <string>
#include <vector>

namespace tilewright {

/// A proposed repair of an issue.
struct Repair
{
    Schedule schedule;
    double total = 0;           ///< latency of `schedule`
    std::size_t issuesLeft = 0; ///< number of issues of `schedule`
    std::string text;           ///< short description: "compute op3 in subgraph 5 as well"
};

struct Repairs
{
    std::vector<Repair> found; ///< those with the fewest remaining issues first, then by latency
    std::string why;           ///< reason if `found` is empty
};

/// Returns the repairs of one issue of `evaluation` = evaluate(problem, schedule, rules). Each repair removes
/// the issue and reduces the number of issues, or the number of structural ones (a legal tile that is too
/// large is better than an illegal one). Subgraphs that gain or lose ops get a new granularity (fit.h). If
/// there are no such repairs, those suggestions for the subgraph (suggestions.h) are returned that have this
/// effect.
[[nodiscard]] Repairs repairs(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                              const Issue& issue);

/// Repeatedly applies the first repair of the first issue that has one, until no issue has a repair.
[[nodiscard]] Schedule repairedAsFarAsPossible(const Problem& problem, const Schedule& schedule,
                                               const Rules& rules);

} // namespace tilewright
