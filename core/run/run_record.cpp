// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_record.h"

#include <algorithm>

namespace tilewright {

std::int64_t RunRecord::admit(RunStep step, Ticks now)
{
    Span& s = span(step.subgraph);
    if (!s.admitted) {
        s.admitted = now;
        s.firstStep = m_out.stepCount;
    }
    ++s.steps;
    ++m_out.cores[step.core].steps;
    if (m_out.recorded) {
        step.admitted = m_clock.time(now);
        step.begin = -1;
        makeRoom(m_out.steps);
        m_out.steps.push_back(step);
    }
    return m_out.stepCount++;
}

void RunRecord::begin(RunCommand command, Ticks begin, Ticks end)
{
    const auto unit = static_cast<std::size_t>(command.unit);
    const bool isRun = command.unit == RunUnit::Array || command.unit == RunUnit::Vector;
    Span& s = span(command.subgraph);
    if (!s.begin)
        s.begin = begin;
    if (isRun && !s.firstRun)
        s.firstRun = begin;
    if (isRun)
        s.lastRun = std::max(s.lastRun, end);
    s.busy[unit] += end - begin;
    m_cores[command.core].busy[unit] += end - begin;
    ++m_out.cores[command.core].units[unit].commands;
    if (!isRun) {
        (command.network                 ? m_out.networkUnits
         : command.unit == RunUnit::Load ? m_out.loadUnits
                                         : m_out.storeUnits) += command.units;
        if (!command.network)
            m_channel += end - begin;
    }
    close(command.core, command.unit);
    if (m_out.recorded && ++m_commands > m_out.options.mostCommands)
        forget();
    if (!m_out.recorded)
        return;
    command.begin = m_clock.time(begin);
    command.end = m_clock.time(end);
    RunStep& step = m_out.steps[static_cast<std::size_t>(command.step)];
    if (step.begin < 0)
        step.begin = command.begin;
    makeRoom(m_out.commands);
    m_out.commands.push_back(command);
}

void RunRecord::endStep(std::int64_t step, SubgraphId subgraph, Ticks now)
{
    span(subgraph).end = std::max(span(subgraph).end, now);
    if (m_out.recorded)
        m_out.steps[static_cast<std::size_t>(step)].ended = m_clock.time(now);
}

void RunRecord::room(std::uint16_t core, const std::array<std::int64_t, RunRoom::kKinds>& taken, Ticks now)
{
    const RunRoom room{m_clock.time(now), taken, core};
    std::int64_t& peak = m_out.cores[core].peakUnits;
    peak = std::max(peak, room.total());
    if (!m_out.recorded)
        return;
    Core& c = m_cores[core];
    if (c.roomTime != now) {
        c.room = m_out.room.size();
        makeRoom(m_out.room);
        m_out.room.push_back(room);
    }
    m_out.room[c.room] = room;
    c.roomTime = now;
}

void RunRecord::wait(std::uint16_t core, RunUnit unit, const Wait& wait, Ticks from, Ticks to)
{
    if (from == to)
        return;
    Core& c = m_cores[core];
    c.waits[static_cast<std::size_t>(unit)][static_cast<std::size_t>(wait.wait)] += to - from;
    if (!m_out.recorded)
        return;
    std::optional<Stall>& open = c.open[static_cast<std::size_t>(unit)];
    if (open && open->wait == wait && open->end == from) {
        open->end = to;
        return;
    }
    close(core, unit);
    open = Stall{wait, from, to};
}

/// Writes the current stall of a unit if it has not been written yet.
void RunRecord::close(std::uint16_t core, RunUnit unit)
{
    std::optional<Stall>& open = m_cores[core].open[static_cast<std::size_t>(unit)];
    if (open && m_out.recorded) {
        makeRoom(m_out.stalls);
        m_out.stalls.push_back({unit, open->wait.wait, open->wait.op, open->wait.tensor,
                                m_clock.time(open->begin), m_clock.time(open->end), core});
    }
    open.reset();
}

/// Drops all entries. From now on only the sums are kept.
void RunRecord::forget()
{
    m_out.recorded = false;
    m_out.steps = {};
    m_out.commands = {};
    m_out.room = {};
    m_out.stalls = {};
}

/// Adds up the times of the units of each core and of all cores.
void RunRecord::addUnits()
{
    std::array<Ticks, kRunUnits> busy{};
    std::array<std::array<Ticks, kRunWaits>, kRunUnits> waits{};
    for (std::size_t core = 0; core < m_cores.size(); ++core) {
        const Core& c = m_cores[core];
        for (std::size_t u = 0; u < kRunUnits; ++u) {
            close(static_cast<std::uint16_t>(core), static_cast<RunUnit>(u));
            RunUnitSums& sums = m_out.cores[core].units[u];
            sums.busy = m_clock.time(c.busy[u]);
            busy[u] += c.busy[u];
            m_out.units[u].commands += sums.commands;
            for (std::size_t w = 0; w < kRunWaits; ++w) {
                sums.waits[w] = m_clock.time(c.waits[u][w]);
                waits[u][w] += c.waits[u][w];
            }
        }
        m_out.peakUnits = std::max(m_out.peakUnits, m_out.cores[core].peakUnits);
    }
    for (std::size_t u = 0; u < kRunUnits; ++u) {
        m_out.units[u].busy = m_clock.time(busy[u]);
        for (std::size_t w = 0; w < kRunWaits; ++w)
            m_out.units[u].waits[w] = m_clock.time(waits[u][w]);
    }
    m_out.channelBusy = m_clock.time(m_channel);
}

void RunRecord::finish(Ticks end, const std::vector<double>& latencies)
{
    addUnits();
    std::stable_sort(m_out.stalls.begin(), m_out.stalls.end(),
                     [](const RunStall& a, const RunStall& b) { return a.begin < b.begin; });
    m_out.end = m_clock.time(end);
    m_out.exact = m_clock.exact();

    Ticks before = 0; // end of the run so far
    for (std::size_t i = 0; i < m_spans.size(); ++i) {
        const Span& s = m_spans[i];
        const Ticks begin = s.begin.value_or(before);
        const Ticks after = std::max(before, s.end);
        const Ticks startUp = std::clamp<Ticks>(s.firstRun.value_or(before) - before, 0, after - before);
        const Ticks drain =
            std::clamp<Ticks>(after - std::max(before, s.lastRun), 0, after - before - startUp);
        RunSubgraph out;
        out.admitted = m_clock.time(s.admitted.value_or(before));
        out.begin = m_clock.time(begin);
        out.end = m_clock.time(s.end);
        out.firstStep = s.firstStep;
        out.steps = s.steps;
        out.latency = latencies[i];
        out.length = m_clock.time(after - before);
        out.startUp = m_clock.time(startUp);
        out.drain = m_clock.time(drain);
        out.overlap = out.latency + out.startUp + out.drain - out.length;
        out.early = m_clock.time(std::max<Ticks>(0, before - begin));
        for (std::size_t u = 0; u < kRunUnits; ++u)
            out.busy[u] = m_clock.time(s.busy[u]);
        m_out.subgraphs.push_back(out);
        before = after;
    }
}

} // namespace tilewright
