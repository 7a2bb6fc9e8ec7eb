// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/step_table.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace tilewright::ui {

struct Timeline;

/// Sum, smallest and largest of one value over some steps.
struct Spread
{
    double sum = 0;
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
};

/// Sums over steps; a step that is cut counts with the part that is inside.
struct StepStatistics
{
    std::int64_t steps = 0;
    Spread latency, loaded, stored;
    Spread used; ///< working set; its sum is over time

    [[nodiscard]] double meanUsed() const { return latency.sum > 0 ? used.sum / latency.sum : 0; }
    /// `count` equal steps, `share` of each inside.
    void add(const StepSums& step, std::int64_t count, double share = 1);
    void add(const StepStatistics& other);
    /// Steps [first, last) of a table; those that take no time are left out.
    void add(const StepTable& table, std::int64_t first, std::int64_t last);
};

/// What happens between two times.
struct RangeSummary
{
    double from = 0, to = 0;
    std::size_t firstPart = 0, lastPart = 0;
    StepStatistics steps;
};
/// Nothing where only the peak of a subgraph is known.
[[nodiscard]] std::optional<RangeSummary> summarise(const Timeline& timeline, double from, double to);

} // namespace tilewright::ui
