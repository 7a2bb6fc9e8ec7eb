// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tilewright {

/// For each op, the entries of a plan that run it.
using PlanIndex = std::vector<std::vector<std::uint32_t>>;

/// Changes a plan by one random annealing move. `index` is the index of the unchanged plan. PlanRepair has
/// to make the result valid. Returns false if the drawn move is impossible.
[[nodiscard]] bool makeMove(SubgraphPool& pool, const PlanIndex& index, Plan& plan, RandomGenerator& random);

/// Large neighbourhood: replans a random group of neighbouring subgraphs with at most `maxOps` ops by exact
/// search (solveExactly()). Returns a valid plan if it is better than `plan`, else nothing. Ends early when
/// `keepGoing` returns false.
[[nodiscard]] std::optional<Plan> replanExactly(SubgraphPool& pool, PlanRepair& repair,
                                                const PlanIndex& index, const Plan& plan, std::size_t maxOps,
                                                RandomGenerator& random,
                                                const std::function<bool()>& keepGoing);

} // namespace tilewright
