// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of a run as data, and its lanes.
#pragma once

#include "chart/lane.h"
#include "views/run/run_text.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tilewright::ui {

/// A step or a subgraph in a row of a lane, from its begin to its end.
struct RunBand
{
    double start = 0, end = 0;
    std::uint32_t index = 0; ///< index in ScheduleRun::steps or ScheduleRun::subgraphs
};
using RunBandRow = std::vector<RunBand>;
/// Arranges overlapping intervals in as few rows as possible, at most `most`. If no row is free, an interval
/// begins where the first row becomes free. `intervals`: sorted by start; `index` is kept.
[[nodiscard]] std::vector<RunBandRow> bandRows(const std::vector<RunBand>& intervals, std::size_t most);

enum class RunColour { Subgraph, Unit };

/// The contents of the chart. Does not include the visible range and the mouse.
struct RunChartModel
{
    QString hint; ///< text shown instead of the chart; empty: show the chart
    RunNames names;
    bool stale = false; ///< true if the run belongs to an earlier schedule or to other settings
    QString state;      ///< text behind the title that explains `stale`
    QString refusal;    ///< the reason why the current schedule cannot run; empty if it can
    QString title, sentence;
    std::vector<std::size_t> colours; ///< category of each subgraph
    RunColour colour = RunColour::Subgraph;
    std::shared_ptr<const std::vector<RunBandRow>> subgraphRows, stepRows;

    [[nodiscard]] const LiveRunPtr& result() const { return names.result; }
    [[nodiscard]] std::size_t category(SubgraphId subgraph) const
    {
        return subgraph.index() < colours.size() ? colours[subgraph.index()] : subgraph.index();
    }
};
/// Builds the chart. `colours`: category of each subgraph of the run's schedule.
[[nodiscard]] RunChartModel buildRunChart(const LiveRun& run, bool hasProblem, const RunChartModel& previous,
                                          std::vector<std::size_t> colours, RunColour colour);

/// Text of the headline: length of the run, multiple of the floor, and the busiest unit.
[[nodiscard]] QString runHeadline(const LiveRunResult& result);
/// Sentence on why the length of the run differs from the total latency (R10), and on what the array waits
/// for.
[[nodiscard]] QString runSentence(const LiveRunResult& result);

/// Returns the lanes: subgraphs, steps, and for each core its four units and the fast memory in use. The
/// names and times are those of `model`.
[[nodiscard]] LaneModel runLanes(const std::shared_ptr<const RunChartModel>& model);
inline constexpr std::size_t kCoreLanes = kRunUnits + 1;
/// Index of the lane of a unit among the lanes of runLanes().
[[nodiscard]] constexpr std::size_t laneOf(RunUnit unit, std::size_t core = 0)
{
    return 2 + core * kCoreLanes + static_cast<std::size_t>(unit);
}
/// Index of the lane with the fast memory in use of the first core.
inline constexpr std::size_t kRoomLane = 2 + kRunUnits;

/// Returns the lane with the fast memory in use by purpose, and the capacity.
[[nodiscard]] Lane roomLane(const std::shared_ptr<const RunChartModel>& model, std::size_t core);

} // namespace tilewright::ui
