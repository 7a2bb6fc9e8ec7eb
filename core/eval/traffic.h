// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace tilewright {

/// What one tensor costs one subgraph, in elements over all steps (R7, R8).
struct TensorTraffic
{
    TensorId tensor;
    std::int64_t load = 0;  ///< from slow memory; more than the tensor has when parts are loaded again
    std::int64_t store = 0; ///< to slow memory
    bool operator==(const TensorTraffic&) const = default;
};

/// Per tensor that moves, ascending. The sums equal SubgraphEvaluation::loadElements and storeElements. Walks
/// the steps: nothing when there are more than `maxSteps` or when stopped. Empty when the subgraph breaks R4
/// or R5.3.
[[nodiscard]] std::optional<std::vector<TensorTraffic>>
tensorTraffic(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
              const Rules& rules, std::int64_t maxSteps = 2'000'000, const std::stop_token& stop = {});

} // namespace tilewright
