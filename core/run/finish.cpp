// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/finish.h"

#include "base/integer.h"
#include "rules/subgraph_plan.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace tilewright {

namespace {

/// Tile sizes along an axis with twice and with half as many tiles, without those that change nothing.
std::vector<std::int64_t> neighbours(std::int64_t size, std::int64_t extent, std::int64_t most)
{
    const std::int64_t tiles = ceilDiv(extent, size);
    std::vector<std::int64_t> out;
    for (const std::int64_t n : {2 * tiles, ceilDiv(tiles, 2)})
        if (const std::int64_t other = std::min(ceilDiv(extent, n), most); ceilDiv(extent, other) != tiles)
            out.push_back(other);
    return out;
}

class Finisher
{
public:
    Finisher(const Problem& problem, const Rules& rules, std::int64_t prefetch, const Progress& progress,
             std::int64_t mostSteps)
        : m_problem(problem), m_rules(rules), m_compiler(problem, rules), m_progress(progress),
          m_mostSteps(mostSteps)
    {
        m_options.prefetch = prefetch;
        m_options.mostCommands = 0;
    }

    Result<RunFinish> finish(std::span<const Schedule> schedules)
    {
        const auto first = tryRun(schedules.front());
        if (!first)
            return first.error();
        m_best = *first;
        m_out.schedule = schedules.front();
        m_out.endBefore = first->end;
        m_out.latencyBefore = first->latency;
        for (std::size_t i = 1; i < schedules.size() && goesOn(); ++i)
            if (const auto run = tryRun(schedules[i]); run && isFaster(*run)) {
                m_best = *run;
                m_out.schedule = schedules[i];
                m_out.of = i;
            }
        const Schedule before = m_out.schedule;
        while (goesOn() && improve()) {
        }
        for (std::size_t i = 0; i < before.size(); ++i)
            if (before[SubgraphId(i)].granularity != m_out.schedule[SubgraphId(i)].granularity)
                m_out.retiled.emplace_back(i);
        m_out.end = m_best.end;
        m_out.latency = m_best.latency;
        return std::move(m_out);
    }

private:
    [[nodiscard]] bool goesOn() const { return m_steps < m_mostSteps && !m_progress.stopRequested(); }
    [[nodiscard]] bool isFaster(const ScheduleRun& run) const { return run.end < m_best.end * (1 - 1e-12); }

    Result<ScheduleRun> tryRun(const Schedule& schedule)
    {
        auto run = runSchedule(m_problem, schedule, m_rules, m_options, {m_progress.stop, {}});
        if (run) {
            ++m_out.runs;
            m_steps += run->stepCount;
            m_progress.tell(static_cast<double>(m_steps) / static_cast<double>(m_mostSteps));
        }
        return run;
    }

    /// Tries to improve each subgraph once, those whose units wait longest first. Returns true if the run
    /// ends earlier.
    bool improve()
    {
        std::vector<std::size_t> order(m_out.schedule.size());
        std::iota(order.begin(), order.end(), 0);
        const auto idle = [](const RunSubgraph& s) {
            const double channel = s.busy[static_cast<std::size_t>(RunUnit::Load)] +
                                   s.busy[static_cast<std::size_t>(RunUnit::Store)];
            return s.length - std::max({channel, s.busy[static_cast<std::size_t>(RunUnit::Array)],
                                        s.busy[static_cast<std::size_t>(RunUnit::Vector)]});
        };
        const std::vector<RunSubgraph> subgraphs = m_best.subgraphs;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return idle(subgraphs[a]) > idle(subgraphs[b]);
        });
        bool any = false;
        for (const std::size_t i : order)
            while (goesOn() && retile(i))
                any = true;
        return any;
    }

    /// Changes the tile of a subgraph to the first other one with which the run ends earlier.
    bool retile(std::size_t i)
    {
        const Subgraph s = m_out.schedule[SubgraphId(i)];
        if (s.locked || s.traversal.kind() == TraversalKind::Custom)
            return false;
        m_compiler.compile(s.ops, m_plan);
        const Granularity g = s.granularity;
        std::vector<Granularity> tiles;
        for (const std::int64_t h : neighbours(g.h, m_plan.sinkHeight(), m_plan.mostH()))
            tiles.push_back({g.w, h, g.k});
        for (const std::int64_t w : neighbours(g.w, m_plan.sinkWidth(), m_plan.mostW()))
            tiles.push_back({w, g.h, g.k});
        for (const std::int64_t k : neighbours(g.k, m_plan.largestDriverK(), m_plan.mostK()))
            tiles.push_back({g.w, g.h, k});
        for (const Granularity& tile : tiles) {
            if (!goesOn())
                return false;
            Subgraph other = s;
            other.granularity = tile;
            other.reportedLatency.reset();
            Schedule schedule = m_out.schedule;
            schedule.subgraphs[i] = std::make_shared<const Subgraph>(std::move(other));
            const auto run = tryRun(schedule);
            if (!run || !isFaster(*run))
                continue;
            m_best = *run;
            m_out.schedule = std::move(schedule);
            return true;
        }
        return false;
    }

    const Problem& m_problem;
    const Rules& m_rules;
    PlanCompiler m_compiler;
    SubgraphPlan m_plan;
    const Progress& m_progress;
    const std::int64_t m_mostSteps;
    RunOptions m_options;
    RunFinish m_out;
    ScheduleRun m_best;
    std::int64_t m_steps = 0;
};

} // namespace

Result<RunFinish> finishOnRun(const Problem& problem, std::span<const Schedule> schedules, const Rules& rules,
                              std::int64_t prefetch, const Progress& progress, std::int64_t mostSteps)
{
    return Finisher(problem, rules, prefetch, progress, mostSteps).finish(schedules);
}

} // namespace tilewright
