// SPDX-License-Identifier: GPL-3.0-or-later
// Recording of a run: the state of every core in every cycle, and the steps of SPM use and ready units.
#include "npu/simulator.h"

#include <algorithm>

namespace tilewright::npu {

std::string_view toString(Scheduler scheduler) noexcept
{
    return scheduler == Scheduler::Static ? "static" : "dynamic";
}

std::string_view toString(CoreState state) noexcept
{
    switch (state) {
    case CoreState::Tensor:
        return "tensor";
    case CoreState::Vector:
        return "vector";
    case CoreState::WaitSpm:
        return "wait_spm";
    case CoreState::WaitNoc:
        return "wait_noc";
    case CoreState::WaitDram:
        return "wait_dram";
    case CoreState::WaitDependency:
        return "wait_dependency";
    case CoreState::Idle:
        return "idle";
    }
    return "";
}

const StateSpan* NpuRun::stateAt(std::size_t core, Cycle time) const noexcept
{
    const auto& states = cores[core].states;
    auto it = std::upper_bound(states.begin(), states.end(), time,
                               [](Cycle t, const StateSpan& s) { return t < s.start; });
    if (it == states.begin())
        return nullptr;
    --it;
    return time < it->end ? &*it : nullptr;
}

double NpuRun::dramUtilization() const noexcept
{
    Cycle busy = 0;
    for (const Cycle c : dramBusy)
        busy += c;
    if (makespan == 0 || dramBusy.empty())
        return 0;
    return static_cast<double>(busy) / (static_cast<double>(makespan) * static_cast<double>(dramBusy.size()));
}

bool NpuSimulator::nothingLeft(std::size_t c) const
{
    const Core& core = m_cores[c];
    if (core.program)
        return core.programAt == core.program->nodes.size();
    return core.openUnit == kNone && m_unitsLeft[c] == 0 && m_unitsLeft.back() == 0;
}

void NpuSimulator::attribute(std::size_t c, Cycle now)
{
    const Core& core = m_cores[c];
    StateSpan state;
    state.start = now;
    int slot = -1;
    if (core.running[0] != kNone) {
        state.state = CoreState::Tensor;
        state.node = core.running[0];
    } else if (core.running[1] != kNone) {
        state.state = CoreState::Vector;
        state.node = core.running[1];
    } else if (core.pending != kNone) {
        state.node = core.pending;
        if (!core.allocated) {
            state.state = CoreState::WaitSpm;
        } else if (core.loading) {
            state.state = CoreState::WaitDram; // or WaitNoc, decided when the wait ends
            state.tile = core.load.tile;
            slot = loadSlot(c);
        } else {
            state.state = CoreState::WaitDependency;
            const auto deps = m_graph.deps.of(core.pending);
            for (std::size_t i = core.depCursor; i < deps.size() && state.blocker == kNone; ++i)
                if (!m_isAvailable[deps[i]] && !(m_isDone[deps[i]] && m_run.coreOf[deps[i]] == c))
                    state.blocker = deps[i];
            if (!core.toLoad.empty()) {
                state.tile = core.toLoad.front();
                for (const std::uint32_t w : m_graph.writersOf.of(state.tile))
                    if (!m_isAvailable[w] && state.blocker == kNone)
                        state.blocker = w;
            }
        }
    } else if (!nothingLeft(c)) {
        state.state = CoreState::WaitDependency;
        if (core.program) {
            state.node = core.program->nodes[core.programAt];
        }
    } else if (core.storing) {
        state.state = CoreState::WaitDram;
        state.node = core.store.node;
        state.tile = core.store.tile;
        slot = storeSlot(c);
    } else {
        state.state = CoreState::Idle;
    }
    const StateSpan& open = core.open;
    if (core.isOpen && core.openSlot == slot && open.state == state.state && open.node == state.node &&
        open.blocker == state.blocker && open.tile == state.tile)
        return;
    closeState(c, now);
    m_cores[c].open = state;
    m_cores[c].openSlot = slot;
    m_cores[c].isOpen = true;
}

void NpuSimulator::emitState(std::size_t c, StateSpan span)
{
    if (span.start >= span.end)
        return;
    CoreRun& run = m_run.cores[c];
    run.cycles[static_cast<std::size_t>(span.state)] += span.end - span.start;
    if (!run.states.empty()) {
        StateSpan& last = run.states.back();
        if (last.state == span.state && last.node == span.node && last.blocker == span.blocker &&
            last.tile == span.tile && last.end == span.start) {
            last.end = span.end;
            return;
        }
    }
    run.states.push_back(span);
}

void NpuSimulator::closeState(std::size_t c, Cycle now)
{
    Core& core = m_cores[c];
    if (!core.isOpen)
        return;
    core.isOpen = false;
    StateSpan span = core.open;
    if (core.openSlot < 0) {
        span.end = now;
        emitState(c, span);
        return;
    }
    // Splits a wait for a transfer at the times at which its limiting resource changed.
    bool byNoc = false;
    Cycle from = span.start;
    const auto emit = [&](Cycle to) {
        to = std::min(to, now);
        if (to <= from)
            return;
        span.start = from;
        span.end = to;
        span.state = byNoc ? CoreState::WaitNoc : CoreState::WaitDram;
        emitState(c, span);
        from = to;
    };
    for (const LimiterChange& flip : m_noc.flips(core.openSlot)) {
        emit(flip.time);
        byNoc = flip.byNoc;
    }
    emit(now);
    core.openSlot = -1;
}

void NpuSimulator::recordSpm(std::size_t c, Cycle now)
{
    auto& steps = m_run.cores[c].spm;
    const std::int64_t used = m_cores[c].spm.used();
    if (!steps.empty() && steps.back().value == used)
        return;
    // A peak that lasts less than one cycle gets its own entry, so that it stays visible.
    if (!steps.empty() && steps.back().time == now && used > steps.back().value)
        steps.back().value = used;
    else
        steps.push_back({now, used});
}

void NpuSimulator::recordReady(Cycle now)
{
    const auto count = static_cast<std::int64_t>(m_readyCount);
    auto& steps = m_run.readySet;
    if (!steps.empty() && steps.back().value == count)
        return;
    if (!steps.empty() && steps.back().time == now)
        steps.back().value = count;
    else
        steps.push_back({now, count});
}

Result<NpuRun> NpuSimulator::finish(Cycle now)
{
    m_run.makespan = now;
    for (std::size_t c = 0; c < m_cores.size(); ++c) {
        closeState(c, now);
        if (m_cores[c].spm.used() < 0)
            return Error{ErrorCode::Internal, "SPM accounting is negative", {}, {}};
    }
    // Records the use of a reserved bus only when the bus is released.
    m_run.dramEvents = std::move(m_dram.events);
    std::sort(m_run.dramEvents.begin(), m_run.dramEvents.end(), [](const DramEvent& a, const DramEvent& b) {
        return std::pair(a.start, a.channel) < std::pair(b.start, b.channel);
    });
    m_run.dram = std::move(m_dram.series);
    for (int ch = 0; ch < m_hw.dram.channels; ++ch)
        m_run.dramBusy.push_back(m_dram.busBusy(ch));
    m_run.dramBytes = m_dram.totalBytes();
    m_run.rowHits = m_dram.rowHits();
    m_run.rowMisses = m_dram.rowMisses();
    return std::move(m_run);
}

} // namespace tilewright::npu
