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

/// Traffic of one tensor in one subgraph, in elements over all steps (R7, R8).
struct TensorTraffic
{
    TensorId tensor;
    /// Elements loaded from slow memory; more than the tensor has if parts are loaded repeatedly.
    std::int64_t load = 0;
    std::int64_t store = 0; ///< elements stored to slow memory
    bool operator==(const TensorTraffic&) const = default;
};

/// Returns the traffic of each transferred tensor, ascending. The sums equal SubgraphEvaluation::loadElements
/// and storeElements. Simulates the steps: returns nothing if there are more than `maxSteps` or if stopped.
/// Empty if the subgraph breaks R4 or R5.3.
[[nodiscard]] std::optional<std::vector<TensorTraffic>>
tensorTraffic(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
              const Rules& rules, std::int64_t maxSteps = 2'000'000, const std::stop_token& stop = {});

} // namespace tilewright
