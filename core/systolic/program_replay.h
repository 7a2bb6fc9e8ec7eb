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

/// Saved states ("places") of a program that was run by parts. From a place, the following stretch of
/// commands is written and timed again without the commands before it. Its commands and times equal those of
/// the run, because they follow from the program alone. At most kMostPlaces states are saved, with at most
/// about kMostHeld commands in all of them. To reach a stretch takes about length / kMostPlaces commands.
class ProgramReplay
{
public:
    static constexpr std::size_t kMostPlaces = 256;
    static constexpr std::size_t kMostHeld = 200'000;
    /// Number of commands between two places while the program is short.
    static constexpr std::int64_t kLeastSpacing = 1 << 16;

    ProgramReplay();
    ~ProgramReplay();
    ProgramReplay(const ProgramReplay&) = delete;
    ProgramReplay& operator=(const ProgramReplay&) = delete;

    /// Commands from number `first` on, at most `count`. Fewer at the end of the program or if the call was
    /// stopped.
    [[nodiscard]] std::vector<TimedCommand> commands(std::int64_t first, std::int64_t count,
                                                     const Progress& progress = {}) const;
    /// Numbers of the commands that occupy a unit at a time, in ascending order (PipelineRun::runningAt()).
    [[nodiscard]] std::vector<std::uint32_t> runningAt(std::int64_t time,
                                                       const Progress& progress = {}) const;

    /// Saves the state of the simulation if the last place is far enough before it.
    void pass(const PipelineEngine& engine);

private:
    std::vector<std::unique_ptr<const PipelineEngine>> m_places; ///< saved states, in the order of the run
    std::int64_t m_spacing = kLeastSpacing;
    std::size_t m_held = 0; ///< number of commands in all saved states
};

} // namespace tilewright::systolic
