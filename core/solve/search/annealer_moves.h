// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tilewright {

/// By op: the entries of a plan that run it.
using PlanIndex = std::vector<std::vector<std::uint32_t>>;

/// Changes a plan by a random move of annealing; `index` is that of the plan before. The result is not
/// settled. False when the move drawn cannot be made.
[[nodiscard]] bool makeMove(SubgraphPool& pool, const PlanIndex& index, Plan& plan, RandomGenerator& random);

/// Large neighbourhood: replans a random group of neighbouring subgraphs, at most `maxOps` ops, by an exact
/// search (solveExactly()). The settled plan if it is better than `plan`, else nothing. Ends early once
/// `keepGoing` is false.
[[nodiscard]] std::optional<Plan> replanExactly(SubgraphPool& pool, PlanSettler& settler,
                                                const PlanIndex& index, const Plan& plan, std::size_t maxOps,
                                                RandomGenerator& random,
                                                const std::function<bool()>& keepGoing);

} // namespace tilewright
