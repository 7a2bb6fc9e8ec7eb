// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright {

/// A group of ops in the solution of a set-cover relaxation: a column of the master problem.
struct PricedGroup
{
    std::vector<OpId> ops;
    double least = 0; ///< latency at least when the ops run as one subgraph; their prices add up to no more
    double share =
        0; ///< of the group in the cheapest cover; above 1 where it stands for others that look alike
};

/// A lower bound on the latency of every valid schedule, by dual prices of a set-cover relaxation: each thing
/// that a schedule has to achieve (an op runs, a result reaches its reader) has a price, and no subgraph
/// achieves things of a higher price than its latency (docs/rules/bound.md).
struct SetCoverBound
{
    double value = 0;
    std::vector<double> prices;      ///< by op; they add up to the value
    std::vector<PricedGroup> groups; ///< the cheapest cover, most expensive first
    std::size_t sets = 0;            ///< op sets that were columns
    bool best = false;               ///< no other prices give a higher bound
};

struct SetCoverLimits
{
    double seconds = 1;         ///< about
    std::size_t sets = 200'000; ///< columns, at most
    std::size_t threads = 1;    ///< 0: as many as the machine has
    std::function<bool()> keepGoing;
    std::size_t together = 200; ///< ops of a group of components that are priced together, at most
    std::size_t alike = 200;    ///< in groups of more ops those that look alike share their prices
};

/// The set-cover bound. Not all subgraphs have to be listed: those that prices exceed are found
/// (docs/rules/bound.md 4). 0 when there was too little time, or the cost model does not know the rules.
[[nodiscard]] SetCoverBound setCoverBound(const Problem& problem, const Rules& rules,
                                          const SetCoverLimits& limits);

} // namespace tilewright
