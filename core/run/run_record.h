// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/run.h"
#include "run/run_clock.h"

#include <array>
#include <optional>
#include <vector>

namespace tilewright {

/// Writes a ScheduleRun while the engine runs.
class RunRecord
{
public:
    /// Why a unit does nothing.
    struct Wait
    {
        RunWait wait = RunWait::Nothing;
        std::optional<OpId> op{};
        std::optional<TensorId> tensor{};
        bool operator==(const Wait&) const = default;
    };

    RunRecord(ScheduleRun& out, const RunClock& clock) : m_out(out), m_clock(clock) {}

    void admit(const Step& step, SubgraphId subgraph, Ticks now);
    /// `command` without its times.
    void begin(RunCommand command, Ticks begin, Ticks end);
    void endStep(std::int64_t step, SubgraphId subgraph, Ticks now);
    void room(const std::array<std::int64_t, RunRoom::kKinds>& taken, Ticks now);
    void wait(RunUnit unit, const Wait& wait, Ticks from, Ticks to);
    /// Fills the sums. `latencies`: R10.1 of the subgraphs.
    void finish(Ticks end, const std::vector<double>& latencies);

private:
    struct Stall
    {
        Wait wait;
        Ticks begin = 0, end = 0;
    };
    struct Span
    {
        std::optional<Ticks> admitted, begin, firstRun;
        Ticks lastRun = 0, end = 0;
        std::array<Ticks, kRunUnits> busy{};
        std::int64_t firstStep = 0, steps = 0;
    };
    [[nodiscard]] Span& span(SubgraphId s)
    {
        if (m_spans.size() <= s.index())
            m_spans.resize(s.index() + 1);
        return m_spans[s.index()];
    }
    void close(RunUnit unit);
    void forget();

    ScheduleRun& m_out;
    const RunClock& m_clock;
    std::vector<Span> m_spans;
    std::array<Ticks, kRunUnits> m_busy{};
    std::array<std::array<Ticks, kRunWaits>, kRunUnits> m_waits{};
    std::array<std::optional<Stall>, kRunUnits> m_open;
    std::size_t m_commands = 0;
    Ticks m_roomTime = -1;
};

} // namespace tilewright
