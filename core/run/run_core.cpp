// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_core.h"

#include <algorithm>
#include <utility>

namespace tilewright {

// Functions for the admission of steps ----------------------------------------------------------------

bool RunCore::admits()
{
    if (m_oldest < m_admitted - m_shared.prefetch)
        m_held = RunWait::Prefetch;
    else if (m_room.total() + m_room.added(m_next.items) > m_problem.capacityUnits())
        m_held = RunWait::Room;
    else
        return true;
    return false;
}

void RunCore::admit()
{
    m_room.hold(m_next.items);
    if (m_shared.cores > 1 && !m_holdsReserved) {
        m_holdsReserved = true;
        m_reservations.push_back({m_subgraph, m_room.reserved()});
        m_room.hold(m_reservations.back().items);
    }
    m_next.place = m_shared.record.admit(m_next.what, m_shared.now);
    m_shared.record.room(m_core, m_room.taken(), m_shared.now);
    for (Command& load : m_nextLoads)
        m_queue[kLoad].push_back(std::move(load));
    for (Command& run : m_nextRuns)
        m_queue[run.what.unit == RunUnit::Array ? kArray : kVector].push_back(std::move(run));
    m_steps.push_back(std::move(m_next));
    endStep(m_admitted++);
}

void RunCore::release(SubgraphId subgraph)
{
    const auto held = std::find_if(m_reservations.begin(), m_reservations.end(),
                                   [&](const Reservation& r) { return r.subgraph == subgraph; });
    if (held == m_reservations.end())
        return;
    m_room.release(held->items);
    m_reservations.erase(held);
    m_shared.record.room(m_core, m_room.taken(), m_shared.now);
}

// Functions for beginnings of commands ----------------------------------------------------------------

void RunCore::record(RunCommand what, Ticks end)
{
    what.step = state(what.step).place;
    m_shared.record.begin(what, m_shared.now, end);
}

/// True if all commands that computed or loaded the kept tensor have ended.
bool RunCore::isComplete(const Origin& origin) const
{
    const RunShared::SubgraphState& s = m_shared.of(origin.subgraph);
    return s.unnamed == 0 && (origin.kept ? s.keptLoads : s.runs) == 0;
}

bool RunCore::isReady(const Command& c) const
{
    return c.needs[kArray] <= m_ended[kArray] && c.needs[kVector] <= m_ended[kVector] &&
           c.needs[kLoad] <= m_ended[kLoad] &&
           std::all_of(c.gates.begin(), c.gates.end(),
                       [&](std::uint32_t gate) { return m_shared.isOpen(gate); }) &&
           std::all_of(c.origins.begin(), c.origins.end(),
                       [&](const Origin& origin) { return isComplete(origin); });
}

void RunCore::beginRuns()
{
    for (const Queue q : {kArray, kVector}) {
        if (m_running[q] || m_queue[q].empty())
            continue;
        const Command& run = m_queue[q].front();
        if (!isReady(run))
            continue;
        m_running[q] = m_shared.now + run.duration;
        record(run.what, *m_running[q]);
    }
}

bool RunCore::beginTransfer()
{
    if (!m_stores.empty()) {
        const Store& store = m_stores.front();
        if (m_shared.prefetch == 0 && state(store.what.step).runs > 0)
            return false;
        m_storing = m_shared.now + m_shared.clock.transfer(store.what.units);
        record(store.what, *m_storing);
        return true;
    }
    if (m_loading || m_queue[kLoad].empty())
        return false;
    const Command& load = m_queue[kLoad].front();
    if (load.what.network || !isReady(load))
        return false;
    m_loading = m_shared.now + load.duration;
    record(load.what, *m_loading);
    return true;
}

bool RunCore::beginNetworkRead()
{
    if (m_loading || m_queue[kLoad].empty())
        return false;
    const Command& load = m_queue[kLoad].front();
    if (!load.what.network || !isReady(load))
        return false;
    m_loading = m_shared.now + load.duration;
    record(load.what, *m_loading);
    return true;
}

// Functions for ends of commands ----------------------------------------------------------------------

std::optional<Ticks> RunCore::nextEnd() const
{
    std::optional<Ticks> next = m_loading;
    for (const auto* end : {&m_storing, &m_running[kArray], &m_running[kVector]})
        if (*end && (!next || **end < *next))
            next = *end;
    return next;
}

void RunCore::endCommands()
{
    for (const Queue q : {kArray, kVector})
        if (m_running[q] == m_shared.now)
            endRun(q);
    if (m_loading == m_shared.now)
        endLoad();
    if (m_storing == m_shared.now)
        endStore();
}

void RunCore::endRun(Queue queue)
{
    const Command run = std::move(m_queue[queue].front());
    m_queue[queue].pop_front();
    m_running[queue].reset();
    ++m_ended[queue];
    --m_shared.of(run.what.subgraph).runs;
    StepState& step = state(run.what.step);
    --step.runs;
    if (run.completes >= 0) {
        Store& store = step.tiles[static_cast<std::size_t>(run.completes)];
        store.isComplete = true;
        --step.incomplete;
        m_stores.push_back(store);
    }
    endStep(run.what.step);
}

void RunCore::endLoad()
{
    const RunCommand load = m_queue[kLoad].front().what;
    m_queue[kLoad].pop_front();
    m_loading.reset();
    ++m_ended[kLoad];
    if (!load.network)
        m_shared.channel.reset();
    if (load.kept)
        --m_shared.of(load.subgraph).keptLoads;
    --state(load.step).loads;
    endStep(load.step);
}

void RunCore::endStore()
{
    const std::int64_t step = m_stores.front().what.step;
    --m_shared.gates[m_stores.front().gate].left;
    m_stores.pop_front();
    m_storing.reset();
    m_shared.channel.reset();
    --state(step).stores;
    endStep(step);
}

/// Ends the step if all its commands have ended.
void RunCore::endStep(std::int64_t number)
{
    const auto isOver = [](const StepState& s) { return s.loads == 0 && s.runs == 0 && s.stores == 0; };
    const StepState& step = state(number);
    if (!isOver(step))
        return;
    m_room.release(step.items);
    m_shared.record.room(m_core, m_room.taken(), m_shared.now);
    m_shared.record.endStep(step.place, step.what.subgraph, m_shared.now);
    m_shared.endStep(step.what.subgraph);
    while (!m_steps.empty() && isOver(m_steps.front())) {
        m_steps.pop_front();
        ++m_oldest;
    }
}

} // namespace tilewright
