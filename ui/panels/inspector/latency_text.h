// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

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

/// How much room there is.
enum class LatencyForm : std::uint8_t {
    Lines,     ///< "93 × max(64, 204.8) = 19 046.4", wrapping where it has to
    Table,     ///< a row for each kind of step
    WideTable, ///< with the elements that a step moves in and out
};

/// As rich text: each kind of step, count × max(compute, memory), the larger one bold, and their sum.
[[nodiscard]] QString latencyText(const LatencyArithmetic& arithmetic, double total, LatencyForm form);
/// The richest form that is not wider than `width` pixels in the application's font.
[[nodiscard]] QString latencyText(const LatencyArithmetic& arithmetic, double total, int width);

} // namespace tilewright::ui
