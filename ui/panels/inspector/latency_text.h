// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <QString>

#include <stop_token>
#include <vector>

namespace tilewright::ui {

/// A group of equal steps of a subgraph: `count` steps of max(compute, memory) each.
struct StepGroup
{
    std::int64_t count = 0;
    double compute = 0;
    double memory = 0;
    std::int64_t loadElements = 0;
    std::int64_t storeElements = 0;
    [[nodiscard]] double latency() const { return compute > memory ? compute : memory; }
};

/// The sum behind a latency: groups of equal steps, costliest first. `complete` is false if counting ended at
/// a million steps or was stopped.
struct LatencyArithmetic
{
    std::vector<StepGroup> groups;
    bool complete = true;
};
[[nodiscard]] LatencyArithmetic latencyArithmetic(const Snapshot& snapshot, SubgraphId subgraph,
                                                  std::stop_token stop);

/// Layout of the text, by available width.
enum class LatencyForm : std::uint8_t {
    Lines,     ///< "93 × max(64, 204.8) = 19 046.4", wrapped
    Table,     ///< one row per kind of step
    WideTable, ///< Table plus the elements that a step moves in and out
};

/// Rich text: per kind of step count × max(compute, memory), the larger one bold; and the sum.
[[nodiscard]] QString latencyText(const LatencyArithmetic& arithmetic, double total, LatencyForm form);
/// The most detailed form that is at most `width` pixels wide in the application's font.
[[nodiscard]] QString latencyText(const LatencyArithmetic& arithmetic, double total, int width);

} // namespace tilewright::ui
