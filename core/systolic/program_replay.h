// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/pipeline.h"

#include <memory>
#include <vector>

namespace tilewright::systolic {

class PipelineEngine;

/// A command of a program with its number and times.
struct TimedCommand
{
    std::uint32_t number = 0;
    Command command;
    PipelineEvent event;
};

/// Places of a program that was run by parts, from which it can be run again: a stretch of any place is
/// written and timed anew without the commands before it. Commands and times are those of the run, since both
/// follow from the program alone. It holds at most kMostPlaces states of the simulation, and at most about
/// kMostHeld commands in all of them; a stretch takes about length / kMostPlaces commands to reach.
class ProgramReplay
{
public:
    static constexpr std::size_t kMostPlaces = 256;
    static constexpr std::size_t kMostHeld = 200'000;
    /// Commands between two places while the program is short.
    static constexpr std::int64_t kLeastSpacing = 1 << 16;

    ProgramReplay();
    ~ProgramReplay();
    ProgramReplay(const ProgramReplay&) = delete;
    ProgramReplay& operator=(const ProgramReplay&) = delete;

    /// Commands from number `first` on, at most `count`; fewer at the end of the program or if it was
    /// stopped.
    [[nodiscard]] std::vector<TimedCommand> commands(std::int64_t first, std::int64_t count,
                                                     const Progress& progress = {}) const;
    /// Numbers of the commands that occupy a unit at a time, in ascending order (PipelineRun::runningAt()).
    [[nodiscard]] std::vector<std::uint32_t> runningAt(std::int64_t time,
                                                       const Progress& progress = {}) const;

    /// Notes the state of the simulation, if the last place is far enough before it.
    void pass(const PipelineEngine& engine);

private:
    std::vector<std::unique_ptr<const PipelineEngine>> m_places; ///< in the order of the run
    std::int64_t m_spacing = kLeastSpacing;
    std::size_t m_held = 0; ///< commands in all places
};

} // namespace tilewright::systolic
