// SPDX-License-Identifier: GPL-3.0-or-later
// Questions about a run: what a unit does at an instant, which step is at work, what the run is limited by,
// and why its length differs from R10's total (R20).
#pragma once

#include "run/run.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

/// A stretch of time of one unit: a command, or a wait.
struct RunPiece
{
    double begin = 0, end = 0;
    std::uint32_t index = 0; ///< in ScheduleRun::commands, or in ScheduleRun::stalls if `waits`
    bool waits = false;
};

/// The pieces of every unit in order of time, and where the runs of each step begin. Empty for a run that is
/// not recorded.
struct RunIndex
{
    std::vector<std::array<std::vector<RunPiece>, kRunUnits>> cores;
    std::vector<std::vector<std::uint32_t>> steps; ///< by core: indices in ScheduleRun::steps
    /// By index in ScheduleRun::steps: begin of its first run, else of its first command.
    std::vector<double> worksFrom;

    [[nodiscard]] const std::vector<RunPiece>& of(RunUnit unit, std::size_t core = 0) const noexcept
    {
        return cores[core][static_cast<std::size_t>(unit)];
    }
};
[[nodiscard]] RunIndex indexOf(const ScheduleRun& run);

/// Index in RunIndex::of(unit, core) of the piece at a time: begin <= time < end. Pieces of no length are
/// passed over.
[[nodiscard]] std::optional<std::size_t> pieceAt(const RunIndex& index, RunUnit unit, double time,
                                                 std::size_t core = 0);

/// Index in ScheduleRun::steps of the step that is at work on a core at a time: the one whose run the array
/// does, else the vector unit, else the oldest admitted one that has not ended, else the last admitted one.
/// Empty without steps.
[[nodiscard]] std::optional<std::size_t> stepAt(const ScheduleRun& run, const RunIndex& index, double time,
                                                std::size_t core = 0);

/// Index in ScheduleRun::steps of a step of a subgraph; empty if the run has no such step.
[[nodiscard]] std::optional<std::size_t> stepOf(const ScheduleRun& run, SubgraphId subgraph,
                                                std::int64_t step);

/// Index in ScheduleRun::room of the entry of a core in force at a time; empty without entries.
[[nodiscard]] std::optional<std::size_t> roomAt(const ScheduleRun& run, double time, std::size_t core = 0);

/// The resource that is busy for the largest share of the run: the channel (loads and stores), the arrays or
/// the vector units.
struct RunLimit
{
    enum class What : std::uint8_t { Channel, Array, Vector };
    What what = What::Channel;
    double share = 0; ///< share of the end of the run, 0 to 1
};
[[nodiscard]] RunLimit limitOf(const ScheduleRun& run);

/// The wait that takes most of a unit's time, RunWait::Nothing left out; empty if it waits for nothing.
[[nodiscard]] std::optional<RunWait> longestWait(const RunUnitSums& sums);

/// Why the length of a subgraph, or of the run, differs from R10's latency: length = latency + startUp +
/// drain - overlap.
struct RunDifference
{
    double latency = 0, length = 0;
    double startUp = 0, drain = 0, overlap = 0;
    [[nodiscard]] double change() const noexcept { return length - latency; }
};
/// The part that explains the change best: the largest of those that change the length in the same direction.
enum class RunReason : std::uint8_t {
    None,    ///< the length is R10's latency
    StartUp, ///< the first loads, before the first run begins
    Drain,   ///< the last stores, after the last run has ended
    Overlap, ///< units work side by side that R10 adds up
    Stalls,  ///< waits of units, which R10 does not model
};
[[nodiscard]] RunReason reasonOf(const RunDifference& difference);
[[nodiscard]] RunDifference differenceOf(const RunSubgraph& subgraph);
/// The sums over all subgraphs.
[[nodiscard]] RunDifference differenceOf(const ScheduleRun& run);

} // namespace tilewright
