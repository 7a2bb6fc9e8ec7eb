// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/simulator.h"

#include <algorithm>

namespace tilewright::npu {

NpuSimulator::NpuSimulator(const NpuGraph& graph, const NpuHardware& hardware, const RunOptions& options)
    : m_graph(graph), m_hw(hardware), m_options(options), m_cp(criticalPaths(graph, hardware)),
      m_dram(hardware.dram, 2 * hardware.cores), m_noc(hardware), m_shared(hardware),
      m_forwarding(graph, hardware), m_unitWaits(graph.units.size(), 0), m_unitWaitSum(graph.units.size(), 0),
      m_unitStarted(graph.units.size(), false), m_accAllocated(graph.units.size(), false),
      m_isDone(graph.nodes.size(), 0), m_isAvailable(graph.nodes.size(), 0),
      m_storesLeft(graph.nodes.size(), 0), m_nodesLeft(graph.nodes.size())
{
    m_dram.recordEvents = options.recordDram;
    for (int c = 0; c < hardware.cores; ++c)
        m_cores.emplace_back(hardware.spmBytes);
    m_unitsLeft.assign(m_cores.size() + 1, 0);
    auto& begin = m_writes.begin;
    begin.assign(graph.nodes.size() + 1, 0);
    for (const std::uint32_t n : graph.writersOf.items)
        ++begin[n + 1];
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        begin[i + 1] += begin[i];
    m_writes.items.resize(graph.writersOf.items.size());
    std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
    for (std::uint32_t t = 0; t < graph.tiles.size(); ++t) {
        const auto writers = graph.writersOf.of(t);
        m_unwritten.push_back(static_cast<std::uint32_t>(writers.size()));
        for (const std::uint32_t n : writers)
            m_writes.items[at[n]++] = t;
    }
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
        for (const std::uint32_t u : graph.unitSuccessors.of(i)) {
            ++m_unitWaits[u];
            m_unitWaitSum[u] += i;
        }
    if (m_forwarding.isThere())
        m_isResultStored.assign(graph.tiles.size(), 0);
    m_run.options = options;
    m_run.hardware = hardware;
    m_run.cores.resize(m_cores.size());
    m_run.coreOf.assign(graph.nodes.size(), 0);
    m_run.doneAt.assign(graph.nodes.size(), 0);
    m_run.storedAt.assign(graph.nodes.size(), 0);
    m_run.availableAt.assign(graph.nodes.size(), 0);
}

Result<NpuRun> NpuSimulator::execute(const std::vector<CoreProgram>& programs, const Progress& progress)
{
    if (programs.empty()) {
        m_ready = std::make_unique<ReadySet>(m_graph, m_hw, m_cp, m_options);
        m_run.scores.resize(m_graph.units.size());
    } else {
        for (std::size_t c = 0; c < m_cores.size(); ++c)
            m_cores[c].program = &programs[c];
    }
    return loop(progress);
}

Result<NpuRun> NpuSimulator::retrace(const std::vector<CoreProgram>& programs, const NpuRun& run)
{
    m_traced = &run;
    return execute(programs, {});
}

void NpuSimulator::countWork()
{
    m_isUnread.assign(m_graph.tiles.size(), 0);
    for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) {
        const TileNode& node = m_graph.nodes[n];
        if (node.engine() != Engine::None)
            m_cyclesLeft[node.engine() == Engine::Vector] += node.computeCycles;
        for (const std::uint32_t t : m_graph.inputs(n))
            m_isUnread[t] = 1;
    }
    for (std::size_t n = 0; n < m_graph.nodes.size(); ++n)
        for (const std::uint32_t t : m_graph.outputs(n)) {
            m_isUnread[t] = 0; // a tile that a node produces may already be in SPM when it is needed
            if (m_forwarding.mustStore(t))
                m_bytesLeft += m_graph.tiles[t].alignedBytes;
        }
    // Operand tiles may overlap. The shared memory supplies the elements that several tiles contain.
    for (std::size_t t = 0; t < m_isUnread.size(); ++t)
        if (m_isUnread[t] && !m_shared.isThere())
            m_bytesLeft += m_graph.tiles[t].alignedBytes;
}

/// Lower bound on the remaining cycles, as if all engines computed and all buses and the trunk were fully
/// used.
Cycle NpuSimulator::minRemainingCycles() const
{
    const std::int64_t rate = std::min(m_hw.rateOfAllCores(), m_hw.dramBytesPerCycle());
    const auto cores = static_cast<Cycle>(m_cores.size());
    return std::max({m_bytesLeft / rate, m_cyclesLeft[0] / cores, m_cyclesLeft[1] / cores});
}

Result<NpuRun> NpuSimulator::loop(const Progress& progress)
{
    if (m_options.giveUpAfter != kNever)
        countWork();
    for (std::uint32_t u = 0; u < m_graph.units.size(); ++u) {
        const int only = m_ready ? m_ready->onlyCore(u) : -1;
        ++m_unitsLeft[only < 0 ? m_cores.size() : static_cast<std::size_t>(only)];
        if (m_unitWaits[u] == 0) {
            ++m_readyCount;
            if (m_ready)
                m_ready->add(u);
        }
    }
    Cycle now = 0;
    const std::size_t total = m_nodesLeft;
    for (control(now); m_nodesLeft > 0;) {
        if (m_deviates)
            return Error{ErrorCode::Internal,
                         "the recorded run has no such transfer at cycle " + std::to_string(now),
                         {},
                         {}};
        m_noc.share(now);
        m_shared.deliver([&](int slot, std::int64_t bytes, int leader) {
            leader < 0 ? arrive(slot, bytes, now) : m_noc.arrive(slot, bytes, isComplete(leader), now);
        });
        m_dram.issue(now);
        const Cycle next = std::min({m_dram.nextTime(), m_noc.nextTime(), m_nextRunEnd});
        if (next == kNever)
            return Error{ErrorCode::Internal,
                         "deadlock at cycle " + std::to_string(now) + ": " + std::to_string(m_nodesLeft) +
                             " nodes have not finished",
                         {},
                         {}};
        now = next;
        if (m_options.giveUpAfter != kNever &&
            now + ((m_run.steps & 0xff) == 0 ? minRemainingCycles() : 0) > m_options.giveUpAfter)
            return Error{ErrorCode::Refused, "the run exceeds its cycle limit", {}, {}};
        m_dram.release(now, [&](int slot, std::int64_t bytes) { arrive(slot, bytes, now); });
        bool changed = endTransfers(now);
        if (m_nextRunEnd == now) {
            endComputations(now);
            changed = true;
        }
        if (changed)
            control(now);
        if ((++m_run.steps & 0x3fff) == 0) {
            if (progress.stopRequested())
                return Error{ErrorCode::Refused, "stopped", {}, {}};
            progress.tell(1.0 - static_cast<double>(m_nodesLeft) / static_cast<double>(total), "simulating");
        }
    }
    return finish(now);
}

void NpuSimulator::endTransfer(int slot, Cycle now)
{
    m_noc.finish(slot, now);
    if (m_shared.isThere())
        m_shared.finish(slot);
}

bool NpuSimulator::endTransfers(Cycle now)
{
    if (m_noc.nextTime() != now)
        return false;
    for (std::size_t c = 0; c < m_cores.size(); ++c) {
        Core& core = m_cores[c];
        if (!m_noc.endsAt(loadSlot(c), now))
            continue;
        endTransfer(loadSlot(c), now);
        if (core.openSlot == loadSlot(c))
            closeState(c, now);
        core.loading = false;
        core.load.end = now;
        m_run.cores[c].loads.push_back(core.load);
        if (core.load.from >= 0)
            endReceiving(c, now);
        else
            std::erase(core.toLoad, core.load.tile);
    }
    for (std::size_t c = 0; c < m_cores.size(); ++c) {
        Core& core = m_cores[c];
        if (!m_noc.endsAt(storeSlot(c), now))
            continue;
        endTransfer(storeSlot(c), now);
        if (core.openSlot == storeSlot(c))
            closeState(c, now);
        core.storing = false;
        core.store.end = now;
        m_run.cores[c].stores.push_back(core.store);
        core.spm.clean(core.store.tile);
        if (m_forwarding.isThere())
            m_isResultStored[core.store.tile] = 1;
        if (--m_storesLeft[core.store.node] == 0)
            stored(core.store.node, now);
    }
    return true;
}

void NpuSimulator::endComputations(Cycle now)
{
    m_nextRunEnd = kNever;
    for (std::size_t c = 0; c < m_cores.size(); ++c)
        for (int e = 0; e < 2; ++e) {
            Core& core = m_cores[c];
            if (core.runEnd[e] != now) {
                m_nextRunEnd = std::min(m_nextRunEnd, core.runEnd[e]);
                continue;
            }
            const std::uint32_t node = core.running[e];
            core.running[e] = kNone;
            core.runEnd[e] = kNever;
            complete(c, node, now);
        }
}

void NpuSimulator::control(Cycle now)
{
    for (bool any = true; any;) {
        any = false;
        for (std::size_t c = 0; c < m_cores.size(); ++c)
            while (advance(c, now))
                any = true;
    }
    if (m_traced)
        return;
    for (std::size_t c = 0; c < m_cores.size(); ++c) {
        attribute(c, now);
        recordSpm(c, now);
    }
    recordReady(now);
}

bool NpuSimulator::advance(std::size_t c, Cycle now)
{
    Core& core = m_cores[c];
    bool any = false;
    if (core.pending == kNone)
        any = choose(c, now);
    if (core.pending != kNone && !core.allocated)
        any = allocatePending(c, now) || any;
    any = startLoad(c, now) || any;
    if (core.pending != kNone && core.allocated && core.toLoad.empty() && dependenciesMet(c))
        any = startPending(c, now) || any;
    return startStore(c, now) || any;
}

bool NpuSimulator::isReadyFor(std::size_t c, std::uint32_t unit) const
{
    if (m_unitWaits[unit] == 0)
        return true;
    if (m_unitWaits[unit] > 1)
        return false;
    // The node of the last open dependency must have started on this core, and no tile that is still to be
    // loaded may depend on its result.
    const Core& core = m_cores[c];
    const auto last = static_cast<std::uint32_t>(m_unitWaitSum[unit]);
    if (std::find(core.unstored.begin(), core.unstored.end(), last) == core.unstored.end())
        return false;
    const auto inputs = m_graph.inputs(m_graph.nodesOf(unit).front());
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](std::uint32_t t) { return core.spm.has(t) || !comesTooLate(t, last); });
}

std::vector<std::uint32_t> NpuSimulator::earlyUnits(std::size_t c) const
{
    std::vector<std::uint32_t> out;
    for (const std::uint32_t node : m_cores[c].unstored)
        for (const std::uint32_t u : m_graph.unitSuccessors.of(node))
            if (!m_unitStarted[u] && m_unitWaits[u] == 1 && isReadyFor(c, u))
                out.push_back(u);
    return out;
}

void NpuSimulator::startUnit(std::uint32_t unit)
{
    m_unitStarted[unit] = true;
    if (m_unitWaits[unit] == 0)
        --m_readyCount;
    if (m_ready && m_ready->contains(unit))
        m_ready->remove(unit);
    const int only = m_ready ? m_ready->onlyCore(unit) : -1;
    --m_unitsLeft[only < 0 ? m_cores.size() : static_cast<std::size_t>(only)];
}

bool NpuSimulator::choose(std::size_t c, Cycle now)
{
    Core& core = m_cores[c];
    std::uint32_t node = kNone;
    if (core.program) {
        const CoreProgram& program = *core.program;
        if (core.programAt == program.nodes.size())
            return false;
        node = program.nodes[core.programAt];
        const std::uint32_t unit = m_graph.nodes[node].unit;
        if (program.sync[core.programAt] && !isReadyFor(c, unit))
            return false;
        ++core.programAt;
        if (!m_unitStarted[unit])
            startUnit(unit);
    } else {
        if (core.openUnit == kNone) {
            ChoiceScore terms;
            const std::uint32_t unit =
                m_ready->choose(static_cast<int>(c), core.spm, m_dram, earlyUnits(c), terms);
            if (unit == kNone)
                return false;
            m_run.scores[unit] = terms;
            startUnit(unit);
            core.openUnit = unit;
            core.nextInUnit = 0;
        }
        const auto nodes = m_graph.nodesOf(core.openUnit);
        node = nodes[core.nextInUnit++];
        if (core.nextInUnit == nodes.size())
            core.openUnit = kNone;
    }
    core.pending = node;
    core.allocated = false;
    core.depCursor = 0;
    m_run.coreOf[node] = static_cast<std::uint16_t>(c);
    m_run.cores[c].choices.push_back({node, now});
    return true;
}

bool NpuSimulator::allocatePending(std::size_t c, Cycle now)
{
    Core& core = m_cores[c];
    const TileNode& node = m_graph.nodes[core.pending];
    std::vector<Spm::Need> needs;
    for (const std::uint32_t t : m_graph.inputs(core.pending))
        needs.push_back({t, m_graph.tiles[t].spmRequired});
    const std::size_t inputs = needs.size();
    std::int64_t extra = 0;
    const bool opensAccumulator = node.accumulator != kNone && !m_accAllocated[node.unit];
    if (opensAccumulator) {
        needs.push_back({node.accumulator, m_graph.tiles[node.accumulator].spmRequired});
        extra = node.scratchBytes;
    }
    for (const std::uint32_t t : m_graph.outputs(core.pending))
        if (t != node.accumulator)
            needs.push_back({t, m_graph.tiles[t].spmRequired});
    std::vector<std::uint32_t> missing;
    if (!core.spm.allocate(needs, extra, missing)) {
        if (!core.held.empty())
            makeRoom(c, needs, extra);
        return false;
    }
    core.toLoad.clear();
    for (const std::uint32_t t : missing)
        for (std::size_t i = 0; i < inputs; ++i)
            if (needs[i].tile == t)
                core.toLoad.push_back(t);
    if (opensAccumulator)
        m_accAllocated[node.unit] = true;
    core.allocated = true;
    if (!m_traced)
        recordSpm(c, now);
    return true;
}

bool NpuSimulator::startLoad(std::size_t c, Cycle now)
{
    Core& core = m_cores[c];
    if (core.loading || core.pending == kNone || !core.allocated)
        return false;
    for (const std::uint32_t t : core.toLoad) {
        if (const auto begun = startReceiving(c, t, now)) {
            if (*begun)
                return true;
            continue;
        }
        if (m_unwritten[t] > 0 && m_forwarding.partsOf(t).empty())
            continue;
        core.loading = true;
        core.load = {t, core.pending, now, now};
        beginTransfer(c, false, now);
        return true;
    }
    return false;
}

bool NpuSimulator::startStore(std::size_t c, Cycle now)
{
    Core& core = m_cores[c];
    if (core.storing || core.sending || core.storeQueue.empty())
        return false;
    core.store = core.storeQueue.front();
    core.storeQueue.pop_front();
    core.store.start = now;
    core.storing = true;
    beginTransfer(c, true, now);
    return true;
}

void NpuSimulator::beginTransfer(std::size_t c, bool isStore, Cycle now)
{
    const TransferSpan& span = isStore ? m_cores[c].store : m_cores[c].load;
    const int slot = isStore ? storeSlot(c) : loadSlot(c);
    if (m_traced) {
        const auto& answers = isStore ? m_traced->cores[c].stores : m_traced->cores[c].loads;
        const std::size_t at = (isStore ? m_run.cores[c].stores : m_run.cores[c].loads).size();
        m_deviates = m_deviates || at >= answers.size() || answers[at].tile != span.tile ||
                     answers[at].node != span.node || answers[at].start != now ||
                     answers[at].from != span.from;
        if (!m_deviates) {
            m_noc.beginUntil(slot, answers[at].end);
            if (!isStore) {
                m_cores[c].load.shared = answers[at].shared;
                m_cores[c].load.joined = answers[at].joined;
            }
        }
        return;
    }
    if (span.from >= 0) {
        m_run.passedBytes += span.passed;
        m_noc.beginFromCore(slot, span.from, span.passed, now);
        return;
    }
    const TileDesc& tile = m_graph.tiles[span.tile];
    if (!m_isUnread.empty() &&
        ((isStore && m_forwarding.mustStore(span.tile)) || (m_isUnread[span.tile] && !m_shared.isThere()))) {
        m_bytesLeft -= tile.alignedBytes;
        m_isUnread[span.tile] = 0;
    }
    SharedMemory* const shared = m_shared.isThere() ? &m_shared : nullptr;
    if (shared != nullptr)
        shared->begin(slot, span.tile, isStore);
    m_dram.begin(slot, m_graph.tensors[tile.tensor], tile, span.tile, m_age++, m_graph.nodes[span.node].head,
                 isStore, now, shared);
    m_noc.begin(slot, now, shared != nullptr ? shareOf(c, slot, isStore) : -1);
}

bool NpuSimulator::dependenciesMet(std::size_t c)
{
    Core& core = m_cores[c];
    const auto deps = m_graph.deps.of(core.pending);
    for (; core.depCursor < deps.size(); ++core.depCursor) {
        const std::uint32_t d = deps[core.depCursor];
        if (!m_isAvailable[d] && !(m_isDone[d] && m_run.coreOf[d] == c))
            return false;
    }
    return true;
}

bool NpuSimulator::startPending(std::size_t c, Cycle now)
{
    Core& core = m_cores[c];
    const std::uint32_t id = core.pending;
    const TileNode& node = m_graph.nodes[id];
    const Engine engine = node.engine();
    if (engine != Engine::None && core.running[engine == Engine::Vector] != kNone)
        return false;
    core.pending = kNone;
    if (m_forwarding.isThere())
        releaseResults(id, now);
    if (!m_graph.unitSuccessors.of(id).empty())
        core.unstored.push_back(id);
    if (engine == Engine::None) {
        complete(c, id, now);
        return true;
    }
    const int e = engine == Engine::Vector ? 1 : 0;
    core.running[e] = id;
    core.runEnd[e] = now + node.computeCycles;
    m_cyclesLeft[static_cast<std::size_t>(e)] -= node.computeCycles;
    m_nextRunEnd = std::min(m_nextRunEnd, core.runEnd[e]);
    auto& spans = e == 0 ? m_run.cores[c].tensor : m_run.cores[c].vector;
    spans.push_back({id, now, core.runEnd[e]});
    return true;
}

void NpuSimulator::complete(std::size_t c, std::uint32_t id, Cycle now)
{
    Core& core = m_cores[c];
    const TileNode& node = m_graph.nodes[id];
    m_isDone[id] = 1;
    m_run.doneAt[id] = now;
    for (const std::uint32_t t : m_graph.inputs(id))
        core.spm.release(t, now);
    if (node.accumulator != kNone && m_graph.isLastOfUnit(id))
        core.spm.releaseExtra(node.scratchBytes);
    for (const std::uint32_t t : m_graph.outputs(id)) {
        core.spm.makeResult(t);
        core.spm.release(t, now);
        (m_forwarding.mustStore(t) ? core.storeQueue : core.held).push_back({t, id, now, now});
        ++m_storesLeft[id];
    }
    if (m_forwarding.passesOn(id))
        makeAvailable(id, now);
    if (m_storesLeft[id] == 0)
        stored(id, now);
}

void NpuSimulator::stored(std::uint32_t id, Cycle now)
{
    m_run.storedAt[id] = now;
    --m_nodesLeft;
    for (const std::uint32_t t : m_writes.of(id))
        --m_unwritten[t];
    if (!m_isAvailable[id])
        makeAvailable(id, now);
}

void NpuSimulator::makeAvailable(std::uint32_t id, Cycle now)
{
    m_isAvailable[id] = 1;
    m_run.availableAt[id] = now;
    auto& unstored = m_cores[m_run.coreOf[id]].unstored;
    if (const auto found = std::find(unstored.begin(), unstored.end(), id); found != unstored.end())
        unstored.erase(found);
    for (const std::uint32_t u : m_graph.unitSuccessors.of(id)) {
        m_unitWaitSum[u] -= id;
        if (--m_unitWaits[u] > 0 || m_unitStarted[u])
            continue;
        ++m_readyCount;
        if (m_ready)
            m_ready->add(u);
    }
}

namespace {

std::vector<CoreProgram> programsOf(const StaticSchedule& schedule)
{
    std::vector<CoreProgram> out;
    out.reserve(schedule.order.size());
    for (const auto& list : schedule.order)
        out.push_back({list, std::vector<bool>(list.size(), false)});
    return out;
}

} // namespace

Result<NpuRun> simulate(const NpuGraph& graph, const NpuHardware& hardware, const RunOptions& options,
                        const Progress& progress, std::int64_t* steps)
{
    if (auto s = checkHardware(hardware); !s)
        return s.error();
    StaticSchedule schedule;
    std::vector<CoreProgram> programs;
    if (options.scheduler == Scheduler::Static) {
        schedule = makeStaticSchedule(graph, hardware, options.assignment);
        programs = programsOf(schedule);
    }
    NpuSimulator simulator(graph, hardware, options);
    auto run = simulator.execute(programs, progress);
    if (steps)
        *steps = simulator.steps();
    if (run)
        run->estimatedMakespan = schedule.estimatedMakespan;
    return run;
}

Result<NpuRun> simulateStatic(const NpuGraph& graph, const NpuHardware& hardware,
                              const StaticSchedule& schedule, const RunOptions& options,
                              const Progress& progress)
{
    RunOptions staticOptions = options;
    staticOptions.scheduler = Scheduler::Static;
    auto run = simulatePrograms(graph, hardware, programsOf(schedule), staticOptions, progress);
    if (run)
        run->estimatedMakespan = schedule.estimatedMakespan;
    return run;
}

Result<NpuRun> simulatePrograms(const NpuGraph& graph, const NpuHardware& hardware,
                                const std::vector<CoreProgram>& programs, const RunOptions& options,
                                const Progress& progress)
{
    if (auto s = checkHardware(hardware); !s)
        return s.error();
    if (programs.size() != static_cast<std::size_t>(hardware.cores))
        return Error{ErrorCode::Internal, "expected one program per core", {}, {}};
    return NpuSimulator(graph, hardware, options).execute(programs, progress);
}

Result<NpuRun> retracePrograms(const NpuGraph& graph, const NpuRun& run,
                               const std::vector<CoreProgram>& programs)
{
    if (programs.size() != run.cores.size())
        return Error{ErrorCode::Internal, "expected one program per core", {}, {}};
    RunOptions options = run.options;
    options.recordDram = false;
    options.giveUpAfter = kNever;
    return NpuSimulator(graph, run.hardware, options).retrace(programs, run);
}

} // namespace tilewright::npu