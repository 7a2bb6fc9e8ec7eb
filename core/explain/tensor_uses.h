// SPDX-License-Identifier: GPL-3.0-or-later
// The uses of one tensor in a schedule.
#pragma once

#include "eval/memory_use.h"
#include "schedule/schedule.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace tilewright {

/// How one subgraph uses a tensor.
struct TensorUse
{
    SubgraphId subgraph;
    bool computed = false; ///< true if the subgraph's ops compute the tensor
    bool read = false;     ///< true if the subgraph's ops read the tensor
    bool interior = false; ///< true if the tensor stays inside the subgraph (R2)
    bool resident = false; ///< true if the subgraph before has retained the tensor (R3)
    bool retained = false; ///< true if the tensor stays in fast memory for the next subgraph
    /// Traffic of the tensor in the subgraph; nothing if the subgraph breaks a rule or has too many steps to
    /// count.
    std::optional<TensorTraffic> traffic;
};
/// Returns the subgraphs that compute, read or hold a tensor, in the order of their execution. A request of
/// `stop` ends the counting of traffic; the list of subgraphs remains complete.
[[nodiscard]] std::vector<TensorUse> tensorUses(const Problem& problem, const Schedule& schedule,
                                                const Rules& rules, TensorId tensor,
                                                const std::stop_token& stop = {});

/// Returns the subgraph for which the retention of the tensor can be toggled. It is `preferred` if that uses
/// the tensor, else the last subgraph that computes it, else the first one that reads it. Nothing if no
/// subgraph uses it.
[[nodiscard]] std::optional<SubgraphId> retainingSubgraph(const Problem& problem, const Schedule& schedule,
                                                          TensorId tensor,
                                                          std::optional<SubgraphId> preferred = {});

} // namespace tilewright
