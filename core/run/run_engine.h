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

/// Runs a schedule on one or several cores (R20, docs/rules/run.md 5). Event-driven: the time advances from
/// one end of a command to the next.
class RunEngine
{
public:
    enum class End : std::uint8_t { Complete, Stopped, Stuck };

    RunEngine(const Problem& problem, const Schedule& schedule, const Rules& rules, const RunClock& clock,
              const RunOptions& options, RunRecord& record);

    /// Advances the time until all commands have ended. `steps`: number of steps of the schedule, for
    /// reporting progress.
    [[nodiscard]] End run(double steps, const Progress& progress);
    /// The current time.
    [[nodiscard]] Ticks now() const { return m_shared.now; }

private:
    /// A subgraph that some core has not yet begun or named completely.
    struct Open
    {
        std::shared_ptr<const StepOrder> order;
        std::vector<StepStretch> stretches; ///< per core
        std::size_t passed = 0;             ///< number of cores that have named all their steps of it
    };
    /// The steps that are fed to one core.
    struct Feed
    {
        std::optional<StepStream> stream;
        std::size_t subgraph = 0; ///< subgraph of `stream`, or the next subgraph
        std::int64_t left = 0;    ///< with several cores: number of steps of `stream` that are not named
        bool hasNext = false;     ///< true if a step waits for its admission
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
    std::vector<std::vector<TensorId>> m_resident; ///< per subgraph: tensors resident before it (RES)
    std::vector<Open> m_open;                      ///< subgraphs that are open, by number
    std::deque<RunCore> m_cores;
    std::vector<Feed> m_feeds;
    std::size_t m_nextOnChannel = 0, m_nextOnNetwork = 0; ///< next core to use the channel (network)
    /// First core of the subgraph that was opened last, and the core after its last one.
    std::size_t m_firstCore = 0, m_nextCore = 0;
};

} // namespace tilewright
