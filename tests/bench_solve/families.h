// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tilewright::bench {

/// A problem put together from repeated blocks (attention, gated experts, residual nets, chains of products
/// over shared operands, fans, pointwise ladders, ...), with sizes, costs, capacity and bandwidth drawn by
/// the seed. More varied than generateWorkload(): for studies of the solver.
struct Family
{
    std::string name;
    ProblemPtr problem;
};
[[nodiscard]] Family drawProblem(std::uint64_t seed, std::size_t ops);

} // namespace tilewright::bench
