// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/run.h"
#include "run/run_clock.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace tilewright {

/// Writes a ScheduleRun while the engine runs.
class RunRecord
{
public:
    /// Why a unit is idle.
    struct Wait
    {
        RunWait wait = RunWait::Nothing;
        std::optional<OpId> op{};
        std::optional<TensorId> tensor{};
        bool operator==(const Wait&) const = default;
    };

    /// `steps`: expected number of steps of the run.
    RunRecord(ScheduleRun& out, const RunClock& clock, std::size_t cores, double steps)
        : m_out(out), m_clock(clock), m_steps(steps), m_cores(cores)
    {
        m_out.cores.resize(cores);
    }

    /// Adds an admitted step, whose times are not set yet. Returns its index in ScheduleRun::steps.
    std::int64_t admit(RunStep step, Ticks now);
    /// Adds a command that begins; the times in `command` are not set yet.
    void begin(RunCommand command, Ticks begin, Ticks end);
    void endStep(std::int64_t step, SubgraphId subgraph, Ticks now);
    void room(std::uint16_t core, const std::array<std::int64_t, RunRoom::kKinds>& taken, Ticks now);
    void wait(std::uint16_t core, RunUnit unit, const Wait& wait, Ticks from, Ticks to);
    /// Computes the sums. `latencies`: latencies of the subgraphs by R10.1.
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
    struct Core
    {
        std::array<Ticks, kRunUnits> busy{};
        std::array<std::array<Ticks, kRunWaits>, kRunUnits> waits{};
        std::array<std::optional<Stall>, kRunUnits> open;
        Ticks roomTime = -1;
        std::size_t room = 0; ///< index of the core's last entry in ScheduleRun::room
    };
    /// If `list` is full, reserves memory for as many entries as all steps are expected to have. Growing by
    /// doubling would copy and touch twice the memory.
    template <typename Entry> void makeRoom(std::vector<Entry>& list) const
    {
        if (list.size() < list.capacity() || m_out.stepCount == 0)
            return;
        constexpr double kSpare = 1.05;
        const auto size = static_cast<double>(list.size());
        const double whole = kSpare * size * m_steps / static_cast<double>(m_out.stepCount);
        list.reserve(
            // Limits the effect of an early estimate.
            static_cast<std::size_t>(std::clamp(whole, 2 * size + 64, 8 * size + 1024)));
    }
    void close(std::uint16_t core, RunUnit unit);
    void forget();
    void addUnits();

    ScheduleRun& m_out;
    const RunClock& m_clock;
    double m_steps;
    std::vector<Core> m_cores;
    std::vector<Span> m_spans;
    Ticks m_channel = 0;
    std::size_t m_commands = 0;
};

} // namespace tilewright
