// SPDX-License-Identifier: GPL-3.0-or-later
// What the steps of a core consist of, and what their commands wait for (R20).
#include "eval/covered.h"
#include "run/run_core.h"

#include <algorithm>
#include <utility>

namespace tilewright {

namespace {

template <class List, class Value> bool contains(const List& list, const Value& value)
{
    return std::find(list.begin(), list.end(), value) != list.end();
}

} // namespace

RunCore::RunCore(RunShared& shared, std::uint16_t core)
    : m_shared(shared), m_problem(shared.problem), m_core(core), m_room(shared.problem),
      m_gateOf(shared.problem.tensorCount(), -1), m_completeAt(shared.problem.tensorCount(), Counts{}),
      m_origin(shared.cores > 1 ? shared.problem.tensorCount() : 0, Origin{}),
      m_parts(m_origin.size(), std::vector<Rect>{}), m_made(m_origin.size(), std::vector<Rect>{})
{
}

void RunCore::beginSubgraph(SubgraphId id, const Subgraph& subgraph, std::span<const TensorId> resident)
{
    m_subgraph = id;
    m_current = &subgraph;
    m_resident.assign(resident.begin(), resident.end());
    m_costs.emplace(m_problem.hardware(), subgraph.granularity, m_shared.rules);
    m_keptLoads = 0;
    std::vector<TensorId> reserved = m_resident;
    for (const TensorId t : subgraph.retain)
        if (!contains(resident, t))
            reserved.push_back(t);
    m_room.reserve(reserved);
    m_holdsReserved = false;
}

void RunCore::endSubgraph()
{
    for (const std::uint32_t gate : m_shared.of(m_subgraph).gates)
        m_gateOf[m_shared.gates[gate].tensor] = gate;
    for (const TensorId t : m_current->retain) {
        const auto producer = m_problem.producer(t);
        const bool made = producer && contains(m_current->ops, *producer);
        if (!made && contains(m_resident, t))
            continue;
        if (m_shared.cores == 1) {
            m_completeAt[t] = made ? Counts{m_named[kArray], m_named[kVector], 0} : Counts{0, 0, m_keptLoads};
            continue;
        }
        m_origin[t] = {t, m_subgraph, !made};
        m_parts[t] = std::exchange(m_made[t], {});
    }
}

void RunCore::name(const Step& step, const StepLinks& links, bool last)
{
    m_next = {};
    m_next.what.core = m_core;
    m_next.what.subgraph = m_subgraph;
    m_next.what.index = step.index;
    m_next.what.tile = step.tile;
    m_next.what.kStep = step.kStep;
    m_next.what.kSteps = step.kSteps;
    m_next.what.units = step.workingSet;
    m_next.items = m_room.itemsOf(step, links, m_named[kLoad]);
    nameLoads(step);
    if (m_shared.cores > 1) {
        nameNetworkRead(links);
        nameParts(step);
    }
    m_named[kLoad] += m_nextLoads.size();
    m_next.loads = static_cast<std::uint32_t>(m_nextLoads.size());
    nameRuns(step, links);
    if (last)
        --m_shared.of(m_subgraph).unnamed;
}

RunCommand RunCore::command(RunUnit unit) const
{
    RunCommand out;
    out.unit = unit;
    out.core = m_core;
    out.subgraph = m_subgraph;
    out.step = m_admitted;
    return out;
}

// Functions that name loads ---------------------------------------------------------------------------

void RunCore::addGates(TensorId read, std::vector<std::uint32_t>& gates) const
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

RunCore::Command RunCore::loadOf(TensorId tensor, const Rect& rect, std::int64_t units) const
{
    Command load;
    load.what = command(RunUnit::Load);
    load.what.tensor = tensor;
    load.what.rect = rect;
    load.what.units = units;
    load.duration = m_shared.clock.transfer(units);
    addGates(tensor, load.gates);
    return load;
}

void RunCore::nameLoads(const Step& step)
{
    m_nextLoads.clear();
    for (const StepBuffer& b : step.buffers)
        if (b.loaded)
            m_nextLoads.push_back(loadOf(b.tensor, b.rect, b.size));
    if (step.keptLoads.empty())
        return;
    Command all = loadOf(step.keptLoads.front().tensor, {}, 0);
    all.what.kept = true;
    all.gates.clear();
    for (const StepBuffer& part : step.keptLoads) {
        all.what.units += part.size;
        addGates(part.tensor, all.gates);
    }
    all.duration = m_shared.clock.transfer(all.what.units);
    m_nextLoads.push_back(std::move(all));
    m_keptLoads = m_named[kLoad] + m_nextLoads.size();
    ++m_shared.of(m_subgraph).keptLoads;
}

/// Names one transfer for those parts of resident tensors that the step reads and this core does not hold.
void RunCore::nameNetworkRead(const StepLinks& links)
{
    Command all;
    for (const StepLinks::ResidentPart& part : links.residentParts) {
        const std::int64_t fresh = cover(m_parts[part.tensor], part.box) * m_problem.units(part.tensor);
        if (fresh == 0)
            continue;
        if (all.what.units == 0)
            all.what.tensor = part.tensor;
        all.what.units += fresh;
        if (std::none_of(all.origins.begin(), all.origins.end(),
                         [&](const Origin& o) { return o.tensor == part.tensor; }))
            all.origins.push_back(m_origin[part.tensor]);
    }
    if (all.what.units == 0)
        return;
    const std::int64_t units = all.what.units;
    const auto tensor = all.what.tensor;
    all.what = command(RunUnit::Load);
    all.what.network = true;
    all.what.tensor = tensor;
    all.what.units = units;
    all.duration = m_shared.clock.link(units);
    m_nextLoads.push_back(std::move(all));
    m_networkLoads = m_named[kLoad] + m_nextLoads.size();
}

/// Records the parts of retained tensors that the step computes or loads. They stay in this core.
void RunCore::nameParts(const Step& step)
{
    for (const StepRun& r : step.runs)
        if (const TensorId t = m_problem.op(r.op).output; contains(m_current->retain, t))
            addCovered(m_made[t], r.rect);
    for (const StepBuffer& part : step.keptLoads)
        addCovered(m_made[part.tensor], part.rect);
}

// Functions that name runs and stores -----------------------------------------------------------------

/// Adds to the needs of a run the commands that produce its inputs; they must have ended before it begins.
void RunCore::addNeeds(const Step& step, const StepLinks& links, std::uint32_t index, Command& run) const
{
    const auto require = [&](Queue queue, std::uint64_t count) {
        run.needs[queue] = std::max(run.needs[queue], count);
    };
    for (const StepRead& read : links.readsOf(index))
        switch (read.kind) {
        case StepRead::Kind::None:
            break;
        case StepRead::Kind::Run:
            require(queueOf(step.runs[read.index].op), m_places.back()[read.index]);
            break;
        case StepRead::Kind::Earlier: // a driver, hence a MatMul
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
            if (m_shared.cores > 1) {
                require(kLoad, m_networkLoads);
                run.origins.push_back(m_origin[read.tensor]);
                break;
            }
            for (const Queue q : {kArray, kVector, kLoad})
                require(q, m_completeAt[read.tensor][q]);
            break;
        }
}

void RunCore::nameRuns(const Step& step, const StepLinks& links)
{
    if (step.kStep == 0)
        m_places.clear();
    m_places.emplace_back(step.runs.size(), 0);
    m_nextRuns.clear();
    Counts before{}; // with prefetch 0, a run waits for the previous run and for all loads
    if (m_shared.prefetch == 0)
        before[kLoad] = m_named[kLoad];
    for (const std::uint32_t i : links.order) {
        const StepRun& r = step.runs[i];
        const Queue queue = queueOf(r.op);
        Command run;
        run.what = command(queue == kArray ? RunUnit::Array : RunUnit::Vector);
        run.what.op = r.op;
        run.what.tensor = m_problem.op(r.op).output;
        run.what.rect = r.rect;
        run.what.k0 = r.k0;
        run.what.k1 = r.k1;
        run.duration = m_shared.clock.run(m_problem, *m_costs, r, links.runs[i]);
        run.needs = before;
        addNeeds(step, links, i, run);
        m_places.back()[i] = ++m_named[queue];
        if (m_shared.prefetch == 0)
            before[queue] = m_named[queue];
        for (std::size_t s = 0; s < step.sinks.size(); ++s)
            if (step.sinks[s].stored && links.completing[s] == i) {
                run.completes = static_cast<std::int32_t>(m_next.tiles.size());
                nameStore(step.sinks[s]);
            }
        m_nextRuns.push_back(std::move(run));
    }
    m_next.runs = static_cast<std::uint32_t>(m_nextRuns.size());
    m_shared.of(m_subgraph).runs += m_nextRuns.size();
}

void RunCore::nameStore(const StepSink& sink)
{
    Store store;
    store.what = command(RunUnit::Store);
    store.what.tensor = sink.tensor;
    store.what.rect = sink.tile;
    store.what.units = sink.storedElements;
    for (const std::uint32_t gate : m_shared.of(m_subgraph).gates)
        if (m_shared.gates[gate].tensor == sink.tensor)
            store.gate = gate;
    ++m_shared.gates[store.gate].left;
    ++m_next.stores;
    ++m_next.incomplete;
    m_next.tiles.push_back(store);
}

} // namespace tilewright
