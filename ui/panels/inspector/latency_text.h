// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/snapshot.h"

#include <QString>

#include <stop_token>
#include <vector>

namespace tilewright::ui {

/// Equal steps of a subgraph taken together: `count` steps of max(compute, memory) each.
struct StepGroup
{
    std::int64_t count = 0;
    double compute = 0;
    double memory = 0;
    std::int64_t loadElements = 0;
    std::int64_t storeElements = 0;
    [[nodiscard]] double latency() const { return compute > memory ? compute : memory; }
};

/// The arithmetic behind a latency: groups of equal steps, the costliest first. `complete` is false when the
/// walk was cut at a million steps or stopped.
struct LatencyArithmetic
{
    std::vector<StepGroup> groups;
    bool complete = true;
};
[[nodiscard]] LatencyArithmetic latencyArithmetic(const Snapshot& snapshot, SubgraphId subgraph,
                                                  std::stop_token stop);

/// As rich text: "2 × max(1 000 compute, 81.9 memory: 819 in) = 2 000".
[[nodiscard]] QString latencyText(const LatencyArithmetic& arithmetic, double total);

} // namespace tilewright::ui
