// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_engine.h"

#include <algorithm>
#include <utility>

namespace tilewright {

RunEngine::RunEngine(const Problem& problem, const Rules& rules, const RunClock& clock, std::int64_t prefetch,
                     RunRecord& record)
    : m_problem(problem), m_rules(rules), m_clock(clock), m_prefetch(prefetch), m_record(record),
      m_room(problem), m_gateOf(problem.tensorCount(), -1), m_completeAt(problem.tensorCount(), Counts{})
{
}

void RunEngine::beginSubgraph(const Subgraph& subgraph, std::span<const TensorId> resident)
{
    if (m_current) {
        endSubgraph();
        m_subgraph = SubgraphId(m_subgraph.index() + 1);
    }
    m_current = &subgraph;
    m_resident.assign(resident.begin(), resident.end());
    m_costs.emplace(m_problem.hardware(), subgraph.granularity, m_rules);
    m_ownGates.clear();
    m_keptLoads = 0;
    std::vector<TensorId> reserved = m_resident;
    for (const TensorId t : subgraph.retain)
        if (std::find(resident.begin(), resident.end(), t) == resident.end())
            reserved.push_back(t);
    m_room.reserve(reserved);
}

/// All steps of the current subgraph are named: later ones read what it stores and retains.
void RunEngine::endSubgraph()
{
    for (const std::uint32_t gate : m_ownGates)
        m_gateOf[m_gates[gate].tensor] = gate;
    const auto contains = [](const auto& list, const auto& value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    };
    for (const TensorId t : m_current->retain) {
        const auto producer = m_problem.producer(t);
        if (producer && contains(m_current->ops, *producer))
            m_completeAt[t] = {m_named[kArray], m_named[kVector], 0};
        else if (!contains(m_resident, t))
            m_completeAt[t] = {0, 0, m_keptLoads};
    }
}

// The commands of a step ------------------------------------------------------------------------------

void RunEngine::addGates(TensorId read, std::vector<std::uint32_t>& gates) const
{
    const auto add = [&](TensorId t) {
        if (m_gateOf[t] >= 0)
            gates.push_back(static_cast<std::uint32_t>(m_gateOf[t]));
    };
    if (m_problem.isView(read))
        for (const TensorId base : m_problem.bases(read))
            add(base);
    else
        add(read);
}

std::uint32_t RunEngine::ownGate(TensorId stored)
{
    for (const std::uint32_t gate : m_ownGates)
        if (m_gates[gate].tensor == stored)
            return gate;
    m_ownGates.push_back(static_cast<std::uint32_t>(m_gates.size()));
    m_gates.push_back({stored, 0});
    return m_ownGates.back();
}

RunEngine::Command RunEngine::loadOf(TensorId tensor, const Rect& rect, std::int64_t units) const
{
    Command load;
    load.what.unit = RunUnit::Load;
    load.what.subgraph = m_subgraph;
    load.what.step = m_admitted;
    load.what.tensor = tensor;
    load.what.rect = rect;
    load.what.units = units;
    load.duration = m_clock.transfer(units);
    addGates(tensor, load.gates);
    return load;
}

void RunEngine::nameLoads(const Step& step)
{
    m_nextLoads.clear();
    for (const StepBuffer& b : step.buffers)
        if (b.loaded)
            m_nextLoads.push_back(loadOf(b.tensor, b.rect, b.size));
    if (!step.keptLoads.empty()) {
        Command all = loadOf(step.keptLoads.front().tensor, {}, 0);
        all.what.kept = true;
        all.gates.clear();
        for (const StepBuffer& part : step.keptLoads) {
            all.what.units += part.size;
            addGates(part.tensor, all.gates);
        }
        all.duration = m_clock.transfer(all.what.units);
        m_nextLoads.push_back(std::move(all));
        m_keptLoads = m_named[kLoad] + m_nextLoads.size();
    }
    m_named[kLoad] += m_nextLoads.size();
    m_next.loads = static_cast<std::uint32_t>(m_nextLoads.size());
}

/// What a run of the step reads must have ended before it begins.
RunEngine::Counts RunEngine::needsOf(const Step& step, const StepLinks& links, std::uint32_t run) const
{
    Counts needs{};
    const auto require = [&](Queue queue, std::uint64_t count) {
        needs[queue] = std::max(needs[queue], count);
    };
    for (const StepRead& read : links.readsOf(run))
        switch (read.kind) {
        case StepRead::Kind::None:
            break;
        case StepRead::Kind::Run:
            require(queueOf(step.runs[read.index].op), m_places.back()[read.index]);
            break;
        case StepRead::Kind::Earlier: // a driver, and so a MatMul
            require(kArray,
                    m_places[static_cast<std::size_t>(step.kStep - (step.index - read.step))][read.index]);
            break;
        case StepRead::Kind::Buffer:
            require(kLoad, m_room.loadOf(m_next.items[read.index]));
            break;
        case StepRead::Kind::Kept:
            require(kLoad, m_keptLoads);
            break;
        case StepRead::Kind::Resident:
            for (const Queue q : {kArray, kVector, kLoad})
                require(q, m_completeAt[read.tensor][q]);
            break;
        }
    return needs;
}

void RunEngine::nameRuns(const Step& step, const StepLinks& links)
{
    if (step.kStep == 0)
        m_places.clear();
    m_places.emplace_back(step.runs.size(), 0);
    m_nextRuns.clear();
    Counts before{}; // prefetch 0: the run before and all loads
    if (m_prefetch == 0)
        before[kLoad] = m_named[kLoad];
    for (const std::uint32_t i : links.order) {
        const StepRun& r = step.runs[i];
        const Queue queue = queueOf(r.op);
        Command run;
        run.what.unit = queue == kArray ? RunUnit::Array : RunUnit::Vector;
        run.what.subgraph = m_subgraph;
        run.what.step = m_admitted;
        run.what.op = r.op;
        run.what.tensor = m_problem.op(r.op).output;
        run.what.rect = r.rect;
        run.what.k0 = r.k0;
        run.what.k1 = r.k1;
        run.duration = m_clock.run(m_problem, *m_costs, r, links.runs[i]);
        run.needs = needsOf(step, links, i);
        for (std::size_t q = 0; q < before.size(); ++q)
            run.needs[q] = std::max(run.needs[q], before[q]);
        m_places.back()[i] = ++m_named[queue];
        if (m_prefetch == 0)
            before[queue] = m_named[queue];
        for (std::size_t s = 0; s < step.sinks.size(); ++s)
            if (step.sinks[s].stored && links.completing[s] == i) {
                run.completes = static_cast<std::int32_t>(m_next.tiles.size());
                nameStore(step.sinks[s]);
            }
        m_nextRuns.push_back(std::move(run));
    }
    m_next.runs = static_cast<std::uint32_t>(m_nextRuns.size());
}

void RunEngine::nameStore(const StepSink& sink)
{
    Store store;
    store.what.unit = RunUnit::Store;
    store.what.subgraph = m_subgraph;
    store.what.step = m_admitted;
    store.what.tensor = sink.tensor;
    store.what.rect = sink.tile;
    store.what.units = sink.storedElements;
    store.gate = ownGate(sink.tensor);
    ++m_gates[store.gate].left;
    ++m_next.stores;
    ++m_next.incomplete;
    m_next.tiles.push_back(store);
}

// Time ------------------------------------------------------------------------------------------------

bool RunEngine::take(const Step& step, const StepLinks& links)
{
    m_next = {};
    m_next.subgraph = m_subgraph;
    m_next.items = m_room.itemsOf(step, links, m_named[kLoad]);
    nameLoads(step);
    nameRuns(step, links);
    while (!admits()) {
        beginCommands();
        if (!passTime())
            return false;
    }
    admit(step);
    return true;
}

std::optional<Ticks> RunEngine::finish()
{
    m_held = RunWait::Nothing;
    do
        beginCommands();
    while (passTime());
    return m_steps.empty() ? std::optional(m_now) : std::nullopt;
}

bool RunEngine::admits()
{
    if (m_oldest < m_admitted - m_prefetch)
        m_held = RunWait::Prefetch;
    else if (m_room.total() + m_room.added(m_next.items) > m_problem.capacityUnits())
        m_held = RunWait::Room;
    else
        return true;
    return false;
}

void RunEngine::admit(const Step& step)
{
    m_room.hold(m_next.items);
    m_record.admit(step, m_subgraph, m_now);
    m_record.room(m_room.taken(), m_now);
    for (Command& load : m_nextLoads)
        m_queue[kLoad].push_back(std::move(load));
    for (Command& run : m_nextRuns)
        m_queue[run.what.unit == RunUnit::Array ? kArray : kVector].push_back(std::move(run));
    m_steps.push_back(std::move(m_next));
    endStep(m_admitted++);
}

void RunEngine::beginCommands()
{
    for (const Queue q : {kArray, kVector}) {
        if (m_running[q] || m_queue[q].empty())
            continue;
        const Command& run = m_queue[q].front();
        if (run.needs[kArray] > m_ended[kArray] || run.needs[kVector] > m_ended[kVector] ||
            run.needs[kLoad] > m_ended[kLoad])
            continue;
        m_running[q] = m_now + run.duration;
        m_record.begin(run.what, m_now, *m_running[q]);
    }
    if (!m_transfer)
        beginTransfer();
}

void RunEngine::beginTransfer()
{
    if (!m_stores.empty()) {
        const Store& store = m_stores.front();
        if (m_prefetch == 0 && state(store.what.step).runs > 0)
            return;
        m_transfer = Transfer{true, m_now + m_clock.transfer(store.what.units)};
        m_record.begin(store.what, m_now, m_transfer->end);
    } else if (!m_queue[kLoad].empty()) {
        const Command& load = m_queue[kLoad].front();
        for (const std::uint32_t gate : load.gates)
            if (m_gates[gate].left > 0)
                return;
        m_transfer = Transfer{false, m_now + load.duration};
        m_record.begin(load.what, m_now, m_transfer->end);
    }
}

/// Moves on to the next end of a command. Returns false if none is under way.
bool RunEngine::passTime()
{
    constexpr Ticks kNever = -1;
    Ticks next = m_transfer ? m_transfer->end : kNever;
    for (const auto& end : m_running)
        if (end && (next == kNever || *end < next))
            next = *end;
    if (next == kNever)
        return false;
    for (std::size_t u = 0; u < kRunUnits; ++u)
        if (const auto unit = static_cast<RunUnit>(u); next > m_now && !isBusy(unit))
            m_record.wait(unit, waitOf(unit), m_now, next);
    m_now = next;
    for (const Queue q : {kArray, kVector})
        if (m_running[q] == m_now)
            endRun(q);
    if (m_transfer && m_transfer->end == m_now)
        endTransfer();
    return true;
}

void RunEngine::endRun(Queue queue)
{
    Command run = std::move(m_queue[queue].front());
    m_queue[queue].pop_front();
    m_running[queue].reset();
    ++m_ended[queue];
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

void RunEngine::endTransfer()
{
    std::int64_t step = 0;
    if (m_transfer->isStore) {
        step = m_stores.front().what.step;
        --m_gates[m_stores.front().gate].left;
        --state(step).stores;
        m_stores.pop_front();
    } else {
        step = m_queue[kLoad].front().what.step;
        ++m_ended[kLoad];
        --state(step).loads;
        m_queue[kLoad].pop_front();
    }
    m_transfer.reset();
    endStep(step);
}

/// Ends the step if nothing of it is left.
void RunEngine::endStep(std::int64_t step)
{
    const auto isOver = [](const StepState& s) { return s.loads == 0 && s.runs == 0 && s.stores == 0; };
    if (!isOver(state(step)))
        return;
    m_room.release(state(step).items);
    m_record.room(m_room.taken(), m_now);
    m_record.endStep(step, state(step).subgraph, m_now);
    while (!m_steps.empty() && isOver(m_steps.front())) {
        m_steps.pop_front();
        ++m_oldest;
    }
}

// What units wait for ---------------------------------------------------------------------------------

bool RunEngine::isBusy(RunUnit unit) const
{
    switch (unit) {
    case RunUnit::Array:
        return m_running[kArray].has_value();
    case RunUnit::Vector:
        return m_running[kVector].has_value();
    case RunUnit::Load:
        return m_transfer && !m_transfer->isStore;
    case RunUnit::Store:
        return m_transfer && m_transfer->isStore;
    }
    return false;
}

RunRecord::Wait RunEngine::waitOf(RunUnit unit) const
{
    switch (unit) {
    case RunUnit::Array:
    case RunUnit::Vector: {
        const auto& queue = m_queue[unit == RunUnit::Array ? kArray : kVector];
        return queue.empty() ? RunRecord::Wait{m_held} : waitOfRun(queue.front());
    }
    case RunUnit::Load: {
        if (m_queue[kLoad].empty())
            return {m_held};
        if (m_transfer)
            return {RunWait::Channel};
        for (const std::uint32_t gate : m_queue[kLoad].front().gates)
            if (m_gates[gate].left > 0)
                return {RunWait::Store, {}, m_gates[gate].tensor};
        return {RunWait::Channel};
    }
    case RunUnit::Store:
        return waitOfStore();
    }
    return {};
}

RunRecord::Wait RunEngine::waitOfRun(const Command& run) const
{
    if (run.needs[kLoad] > m_ended[kLoad])
        return {RunWait::Load, {}, command(kLoad, run.needs[kLoad]).what.tensor};
    for (const Queue q : {kArray, kVector})
        if (run.needs[q] > m_ended[q])
            return {RunWait::Run, command(q, run.needs[q]).what.op, {}};
    return {};
}

RunRecord::Wait RunEngine::waitOfStore() const
{
    if (!m_stores.empty() && m_transfer)
        return {RunWait::Channel};
    for (const Queue q : {kArray, kVector})
        if (!m_stores.empty() && m_running[q]) // prefetch 0: runs of the step are left
            return {RunWait::Run, m_queue[q].front().what.op, {}};
    for (const StepState& s : m_steps)
        if (s.incomplete > 0) {
            const auto next =
                std::find_if(s.tiles.begin(), s.tiles.end(), [](const Store& x) { return !x.isComplete; });
            return {RunWait::Run, m_problem.producer(*next->what.tensor), {}};
        }
    return {m_held};
}

} // namespace tilewright
