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

/// A stretch of time of one unit: a command or a wait.
struct RunPiece
{
    double begin = 0, end = 0;
    std::uint32_t index = 0; ///< index in ScheduleRun::commands; in ScheduleRun::stalls if `waits` is true
    bool waits = false;
};

/// The pieces of every unit in order of time, and the time at which the runs of each step begin. Empty for a
/// run that is not recorded.
struct RunIndex
{
    std::vector<std::array<std::vector<RunPiece>, kRunUnits>> cores;
    std::vector<std::vector<std::uint32_t>> steps; ///< per core: indices in ScheduleRun::steps
    /// Per step of ScheduleRun::steps: begin of its first run, or of its first command if it has no run.
    std::vector<double> worksFrom;

    [[nodiscard]] const std::vector<RunPiece>& of(RunUnit unit, std::size_t core = 0) const noexcept
    {
        return cores[core][static_cast<std::size_t>(unit)];
    }
};
[[nodiscard]] RunIndex indexOf(const ScheduleRun& run);

/// Index in RunIndex::of(unit, core) of the piece with begin <= time < end. Pieces of length 0 are skipped.
[[nodiscard]] std::optional<std::size_t> pieceAt(const RunIndex& index, RunUnit unit, double time,
                                                 std::size_t core = 0);

/// Index in ScheduleRun::steps of the step that a core works on at a time. It is the step whose run is on the
/// array, else the one on the vector unit, else the oldest admitted step that has not ended, else the last
/// admitted step. Empty without steps.
[[nodiscard]] std::optional<std::size_t> stepAt(const ScheduleRun& run, const RunIndex& index, double time,
                                                std::size_t core = 0);

/// Index in ScheduleRun::steps of a step of a subgraph; empty if the run has no such step.
[[nodiscard]] std::optional<std::size_t> stepOf(const ScheduleRun& run, SubgraphId subgraph,
                                                std::int64_t step);

/// Index in ScheduleRun::room of the entry of a core that holds at a time; empty without entries.
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

/// The wait that takes most of a unit's time, except RunWait::Nothing; empty if the unit never waits.
[[nodiscard]] std::optional<RunWait> longestWait(const RunUnitSums& sums);

/// Difference of the length of a subgraph, or of the run, from the latency by R10: length = latency + startUp
/// + drain - overlap.
struct RunDifference
{
    double latency = 0, length = 0;
    double startUp = 0, drain = 0, overlap = 0;
    [[nodiscard]] double change() const noexcept { return length - latency; }
};
/// The part of a RunDifference that explains it best: the largest one of those that change the length in the
/// direction of the total change.
enum class RunReason : std::uint8_t {
    None,    ///< the length equals the latency by R10
    StartUp, ///< first loads before the first run begins
    Drain,   ///< last stores after the last run has ended
    Overlap, ///< units work in parallel although R10 adds them up
    Stalls,  ///< waits of units, which R10 does not model
};
[[nodiscard]] RunReason reasonOf(const RunDifference& difference);
[[nodiscard]] RunDifference differenceOf(const RunSubgraph& subgraph);
/// The difference of the whole run: sums over all subgraphs.
[[nodiscard]] RunDifference differenceOf(const ScheduleRun& run);

} // namespace tilewright
