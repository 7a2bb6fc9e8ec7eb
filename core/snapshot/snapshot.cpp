// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/snapshot.h"

#include <chrono>

namespace tilewright {

namespace {

/// Builds a snapshot. `evaluateOnArray` is called only if `evaluate` did not use compute=array.
template <typename Evaluate, typename EvaluateOnArray>
SnapshotPtr buildSnapshot(ProblemPtr problem, const Schedule& schedule, double lowerBound,
                          std::uint64_t revision, Evaluate&& evaluate, EvaluateOnArray&& evaluateOnArray)
{
    const auto start = std::chrono::steady_clock::now();
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->evaluation = evaluate();
    const Rules& rules = snapshot->evaluation.rules;
    snapshot->arrayTotal = rules == rules.onArray() ? snapshot->evaluation.total : evaluateOnArray().total;
    snapshot->problem = std::move(problem);
    snapshot->schedule = schedule;
    snapshot->lowerBound = lowerBound;
    snapshot->revision = revision;
    snapshot->evaluationMs =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return snapshot;
}

} // namespace

std::vector<double> Snapshot::latencyOfOps() const
{
    std::vector<double> out(problem->opCount());
    for (std::size_t s = 0; s < evaluation.subgraphs.size(); ++s)
        for (const OpId op : schedule[SubgraphId(s)].ops)
            out[op.index()] += evaluation.subgraphs[s].latency;
    return out;
}

SnapshotPtr takeSnapshot(ProblemPtr problem, const Schedule& schedule, const Rules& rules, double lowerBound,
                         std::uint64_t revision)
{
    return buildSnapshot(
        problem, schedule, lowerBound, revision, [&] { return evaluate(*problem, schedule, rules); },
        [&] { return evaluate(*problem, schedule, rules.onArray()); });
}

SnapshotTaker::SnapshotTaker(ProblemPtr problem, const Rules& rules, double lowerBound)
    : m_evaluator(std::move(problem), rules), m_lowerBound(lowerBound)
{
    if (rules != rules.onArray())
        m_array.emplace(m_evaluator.problem(), rules.onArray());
}

SnapshotPtr SnapshotTaker::take(const Schedule& schedule, std::uint64_t revision)
{
    const std::lock_guard lock(m_mutex);
    return buildSnapshot(
        m_evaluator.problem(), schedule, m_lowerBound, revision,
        [&] { return m_evaluator.evaluate(schedule); }, [&] { return m_array->evaluate(schedule); });
}

std::int64_t SnapshotTaker::computed() const
{
    const std::lock_guard lock(m_mutex);
    return m_evaluator.computed();
}

std::int64_t SnapshotTaker::computedOnArray() const
{
    const std::lock_guard lock(m_mutex);
    return m_array ? m_array->computed() : 0;
}

} // namespace tilewright
