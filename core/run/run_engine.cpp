// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_engine.h"

#include "rules/check.h"

#include <algorithm>

namespace tilewright {

RunEngine::RunEngine(const Problem& problem, const Schedule& schedule, const Rules& rules,
                     const RunClock& clock, const RunOptions& options, RunRecord& record)
    : m_schedule(schedule), m_options(options), m_shared{.problem = problem,
                                                         .rules = rules,
                                                         .clock = clock,
                                                         .record = record,
                                                         .prefetch = options.prefetch,
                                                         .cores = static_cast<std::size_t>(options.cores)},
      m_open(schedule.size()), m_feeds(m_shared.cores)
{
    m_shared.subgraphs.resize(schedule.size());
    MemoryState memory(problem, schedule, rules);
    std::vector<Issue> issues;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        m_resident.emplace_back(memory.resident().begin(), memory.resident().end());
        memory.execute(issues);
    }
    for (std::size_t core = 0; core < m_shared.cores; ++core)
        m_cores.emplace_back(m_shared, static_cast<std::uint16_t>(core));
}

/// Assigns those stretches that have steps to cores (docs/rules/run.md 5.1).
std::vector<StepStretch> RunEngine::assign(const std::vector<StepStretch>& stretches, bool readsResident)
{
    const auto isUsed = [](const StepStretch& s) { return s.steps > 0; };
    const auto used = static_cast<std::size_t>(std::ranges::count_if(stretches, isUsed));
    if (used == stretches.size())
        m_firstCore = 0;
    else if (!readsResident)
        m_firstCore = m_nextCore;
    std::vector<StepStretch> out(stretches.size());
    std::size_t core = m_firstCore;
    for (const StepStretch& s : stretches)
        if (isUsed(s)) {
            out[core] = s;
            core = (core + 1) % out.size();
        }
    m_nextCore = core;
    return out;
}

RunEngine::Open& RunEngine::open(std::size_t i)
{
    Open& out = m_open[i];
    if (out.order)
        return out;
    const SubgraphId id(i);
    const Subgraph& s = m_schedule[id];
    out.order = std::make_shared<const StepOrder>(m_shared.problem, s, m_resident[i], m_shared.rules);
    if (m_shared.cores > 1)
        out.stretches =
            assign(cutIntoStretches(*out.order, m_shared.cores), /*readsResident=*/!m_resident[i].empty());
    else
        out.stretches = {{0, out.order->tiles.size(), 0, 0}};
    RunShared::SubgraphState& state = m_shared.of(id);
    for (const StepStretch& stretch : out.stretches) {
        state.steps += stretch.steps;
        state.unnamed += stretch.steps > 0;
    }
    for (const SubgraphPlan::Sink& sink : out.order->plan.sinks()) {
        const TensorId t = out.order->plan.products()[sink.product];
        if (std::find(s.retain.begin(), s.retain.end(), t) != s.retain.end())
            continue;
        state.gates.push_back(static_cast<std::uint32_t>(m_shared.gates.size()));
        m_shared.gates.push_back({t, id, 0});
    }
    return out;
}

/// Names the next step of a core, if it has one.
void RunEngine::feed(std::size_t core)
{
    Feed& f = m_feeds[core];
    RunCore& c = m_cores[core];
    f.hasNext = false;
    while (f.subgraph < m_schedule.size()) {
        if (!f.stream) {
            const Open& o = open(f.subgraph);
            f.left = o.stretches[core].steps;
            c.beginSubgraph(SubgraphId(f.subgraph), m_schedule[SubgraphId(f.subgraph)],
                            m_resident[f.subgraph]);
            f.stream.emplace(o.order, o.stretches[core]);
        }
        if (f.stream->next()) {
            c.name(f.stream->step(), f.stream->links(), --f.left == 0);
            f.hasNext = true;
            return;
        }
        f.stream.reset();
        c.endSubgraph();
        if (++m_open[f.subgraph].passed == m_shared.cores)
            m_open[f.subgraph] = {};
        ++f.subgraph;
    }
    c.nameNothing();
}

RunEngine::End RunEngine::run(double steps, const Progress& progress)
{
    for (std::size_t core = 0; core < m_shared.cores; ++core)
        feed(core);
    std::int64_t admitted = 0;
    do {
        for (std::size_t core = 0; core < m_shared.cores; ++core)
            while (m_feeds[core].hasNext && m_cores[core].admits()) {
                if (admitted++ % 1024 == 0) {
                    if (progress.stopRequested())
                        return End::Stopped;
                    progress.tell(static_cast<double>(admitted) / steps);
                }
                m_cores[core].admit();
                feed(core);
            }
        beginCommands();
    } while (passTime());
    const bool isOver = std::ranges::all_of(m_cores, [](const RunCore& c) { return c.isOver(); }) &&
                        std::ranges::none_of(m_feeds, [](const Feed& f) { return f.hasNext; });
    return isOver ? End::Complete : End::Stuck;
}

void RunEngine::beginCommands()
{
    for (RunCore& core : m_cores)
        core.beginRuns();
    const std::size_t n = m_cores.size();
    for (std::size_t i = 0; i < n && !m_shared.channel; ++i)
        if (const std::size_t core = (m_nextOnChannel + i) % n; m_cores[core].beginTransfer()) {
            m_shared.channel = core;
            m_nextOnChannel = (core + 1) % n;
        }
    if (n == 1)
        return;
    std::int64_t links = std::ranges::count_if(m_cores, [](const RunCore& c) { return c.isOnNetwork(); });
    for (std::size_t i = 0, from = m_nextOnNetwork; i < n && links < m_options.network.links; ++i)
        if (const std::size_t core = (from + i) % n; m_cores[core].beginNetworkRead()) {
            ++links;
            m_nextOnNetwork = (core + 1) % n;
        }
}

/// Advances the time to the next end of a command. Returns false if no command is running.
bool RunEngine::passTime()
{
    std::optional<Ticks> next;
    for (const RunCore& core : m_cores)
        if (const auto end = core.nextEnd(); end && (!next || *end < *next))
            next = end;
    if (!next)
        return false;
    if (*next > m_shared.now)
        for (RunCore& core : m_cores)
            core.wait(*next);
    m_shared.now = *next;
    for (RunCore& core : m_cores)
        core.endCommands();
    for (const SubgraphId ended : m_shared.ended)
        for (RunCore& core : m_cores)
            core.release(ended);
    m_shared.ended.clear();
    return true;
}

} // namespace tilewright
