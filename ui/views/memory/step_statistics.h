// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/step_table.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace tilewright::ui {

struct Timeline;

/// Sum, minimum and maximum of one quantity over some steps.
struct Spread
{
    double sum = 0;
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
};

/// Sums over steps; a step at the border of the range counts with the part that is inside.
struct StepStatistics
{
    std::int64_t steps = 0;
    Spread latency, loaded, stored;
    Spread used; ///< working set; its sum is over time

    [[nodiscard]] double meanUsed() const { return latency.sum > 0 ? used.sum / latency.sum : 0; }
    /// Adds `count` equal steps, `share` of each inside the range.
    void add(const StepSums& step, std::int64_t count, double share = 1);
    void add(const StepStatistics& other);
    /// Adds steps [first, last) of a table; steps of duration 0 are left out.
    void add(const StepTable& table, std::int64_t first, std::int64_t last);
};

/// Statistics of a time range.
struct RangeSummary
{
    double from = 0, to = 0;
    std::size_t firstPart = 0, lastPart = 0;
    StepStatistics steps;
};
/// nullopt if only the peak of a subgraph is known.
[[nodiscard]] std::optional<RangeSummary> summarise(const Timeline& timeline, double from, double to);

} // namespace tilewright::ui
