// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright {

/// A group of ops as the bound has priced it: run together they cost at least `least`, and their prices
/// add up to no more.
struct PricedGroup
{
    std::vector<OpId> ops;
    double least = 0;
    double share = 0; ///< how much of the cheapest cover it is; above 1 with others that look alike
};

/// A latency that no valid schedule goes below, by prices of what has to be achieved: every op runs, every
/// result gets to where it is read. No group of ops that can be one subgraph achieves more than it costs
/// (docs/rules/bound.md).
struct SetCoverBound
{
    double value = 0;
    std::vector<double> prices;      ///< by op; they add up to the value
    std::vector<PricedGroup> groups; ///< of the cheapest cover, most expensive first
    std::size_t sets = 0;            ///< that were looked at
    bool best = false;               ///< no prices say more
};

struct SetCoverLimits
{
    double seconds = 1;         ///< about
    std::size_t sets = 200'000; ///< op sets looked at, at most
    std::size_t threads = 1;    ///< 0: as many as the machine has
    std::function<bool()> keepGoing;
    std::size_t together = 200; ///< of components between which something may be handed over: ops in a group
    std::size_t alike = 200;    ///< of more ops in a group those that look alike have the same prices
};

/// Sets need not all be looked at: those that prices exceed are found (docs/rules/bound.md 4). 0 where there
/// was too little time.
[[nodiscard]] SetCoverBound setCoverBound(const Problem& problem, const Rules& rules,
                                          const SetCoverLimits& limits);

} // namespace tilewright
