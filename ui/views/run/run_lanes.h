// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of a run as data, and its lanes.
#pragma once

#include "chart/lane.h"
#include "views/run/run_text.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tilewright::ui {

/// A step or a subgraph in a row of a lane.
struct RunBand
{
    double start = 0, end = 0;
    std::uint32_t index = 0; ///< index in ScheduleRun::steps or ScheduleRun::subgraphs
};
using RunBandRow = std::vector<RunBand>;
/// Puts intervals that overlap into as few rows as they need, at most `most`: what finds no free row begins
/// where the first row gets free. `intervals`: in order of their start; `index` is kept.
[[nodiscard]] std::vector<RunBandRow> bandRows(const std::vector<RunBand>& intervals, std::size_t most);

enum class RunColour { Subgraph, Unit };

/// The contents of the chart, without visible range and mouse.
struct RunChartModel
{
    QString hint; ///< shown instead of the chart
    RunNames names;
    bool stale = false; ///< the run belongs to an earlier schedule or other settings
    QString state;      ///< why it does, behind the title
    QString refusal;    ///< why the present schedule does not run
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
/// `colours`: category per subgraph of the run's schedule.
[[nodiscard]] RunChartModel buildRunChart(const LiveRun& run, bool hasProblem, const RunChartModel& previous,
                                          std::vector<std::size_t> colours, RunColour colour);

/// The headline: length, multiple of the floor, and what works most.
[[nodiscard]] QString runHeadline(const LiveRunResult& result);
/// Describes why the length of the run differs from R10's total, and what the array waits for.
[[nodiscard]] QString runSentence(const LiveRunResult& result);

/// Lanes: subgraphs, steps, and of each core the four units and the room in fast memory. `names` and times of
/// the model.
[[nodiscard]] LaneModel runLanes(const std::shared_ptr<const RunChartModel>& model);
inline constexpr std::size_t kCoreLanes = kRunUnits + 1;
/// Index of the lane of a unit in runLanes().
[[nodiscard]] constexpr std::size_t laneOf(RunUnit unit, std::size_t core = 0)
{
    return 2 + core * kCoreLanes + static_cast<std::size_t>(unit);
}
/// Index of the lane that shows the memory in use of the first core.
inline constexpr std::size_t kRoomLane = 2 + kRunUnits;

/// The lane of the fast memory in use, by purpose, with the capacity.
[[nodiscard]] Lane roomLane(const std::shared_ptr<const RunChartModel>& model, std::size_t core);

} // namespace tilewright::ui
