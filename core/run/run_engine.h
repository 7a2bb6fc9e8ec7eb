// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "eval/step_stream.h"
#include "run/run_core.h"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace tilewright {

/// Runs a schedule on one or several cores (R20, docs/rules/run.md 5). Event-driven: time moves from one end
/// of a command to the next.
class RunEngine
{
public:
    enum class End : std::uint8_t { Complete, Stopped, Stuck };

    RunEngine(const Problem& problem, const Schedule& schedule, const Rules& rules, const RunClock& clock,
              const RunOptions& options, RunRecord& record);

    /// Lets time pass until everything has ended. `steps`: of the schedule, for the reported progress.
    [[nodiscard]] End run(double steps, const Progress& progress);
    /// The time now.
    [[nodiscard]] Ticks now() const { return m_shared.now; }

private:
    /// A subgraph that some core is still to begin or to name.
    struct Open
    {
        std::shared_ptr<const StepOrder> order;
        std::vector<StepStretch> stretches; ///< by core
        std::size_t passed = 0;             ///< cores that need it no more
    };
    /// The steps of a core.
    struct Feed
    {
        std::optional<StepStream> stream;
        std::size_t subgraph = 0; ///< subgraph of `stream`, or the next one
        std::int64_t left = 0;    ///< with several cores: steps of `stream` that are not named
        bool hasNext = false;     ///< a step waits for its admission
    };
    [[nodiscard]] std::vector<StepStretch> assign(const std::vector<StepStretch>& stretches,
                                                  bool readsResident);
    [[nodiscard]] Open& open(std::size_t subgraph);
    void feed(std::size_t core);
    void beginCommands();
    [[nodiscard]] bool passTime();

    const Schedule& m_schedule;
    const RunOptions& m_options;
    RunShared m_shared;
    std::vector<std::vector<TensorId>> m_resident; ///< by subgraph: RES before it
    std::vector<Open> m_open;                      ///< by subgraph
    std::deque<RunCore> m_cores;
    std::vector<Feed> m_feeds;
    std::size_t m_nextOnChannel = 0, m_nextOnNetwork = 0; ///< cores whose turn it is
    /// First core of the subgraph opened last; the core after its last one.
    std::size_t m_firstCore = 0, m_nextCore = 0;
};

} // namespace tilewright
