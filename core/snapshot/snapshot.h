// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots, and the taker that makes them.
#pragma once

#include "eval/evaluation.h"
#include "eval/evaluator.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tilewright {

/// One state of the document with its evaluation, for all views. Immutable after publication.
struct Snapshot
{
    ProblemPtr problem;
    Schedule schedule;
    Evaluation evaluation; ///< also contains rules and issues
    double arrayTotal = 0; ///< total latency with the same rules but compute=array (R8.2)
    double lowerBound = 0; ///< lower bound of the problem, not of this schedule
    std::uint64_t revision = 0;
    double evaluationMs = 0;

    /// Tensors that are resident before subgraph i (R3): those that the previous subgraph retains.
    [[nodiscard]] std::span<const TensorId> residentBefore(SubgraphId i) const
    {
        if (i.index() == 0)
            return {};
        return schedule.subgraphs[i.index() - 1]->retain;
    }
    /// Latency of each op: the sum over all subgraphs that compute the op.
    [[nodiscard]] std::vector<double> latencyOfOps() const;
    /// Gap: (total - bound) / bound; 0 without a bound.
    [[nodiscard]] double gap() const { return lowerBound > 0 ? evaluation.total / lowerBound - 1 : 0; }
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// Evaluates a schedule and builds its snapshot, including the evaluation time.
[[nodiscard]] SnapshotPtr takeSnapshot(ProblemPtr problem, const Schedule& schedule, const Rules& rules,
                                       double lowerBound, std::uint64_t revision);

/// Builds the snapshots of an editing session. Evaluations are cached, so that an edit, an undo or a drop
/// preview evaluates only the changed subgraphs. Thread-safe by a mutex.
class SnapshotTaker
{
public:
    SnapshotTaker(ProblemPtr problem, const Rules& rules, double lowerBound);

    [[nodiscard]] SnapshotPtr take(const Schedule& schedule, std::uint64_t revision);
    /// Number of subgraph evaluations since construction.
    [[nodiscard]] std::int64_t computed() const;
    /// Number of subgraph evaluations for Snapshot::arrayTotal since construction.
    [[nodiscard]] std::int64_t computedOnArray() const;

    [[nodiscard]] double lowerBound() const noexcept { return m_lowerBound; }
    /// Sets the lower bound of all later snapshots.
    void setLowerBound(double lowerBound) noexcept { m_lowerBound = lowerBound; }

private:
    mutable std::mutex m_mutex;
    Evaluator m_evaluator;
    std::optional<Evaluator> m_array; ///< for Snapshot::arrayTotal; empty if the rules have compute=array
    std::atomic<double> m_lowerBound;
};

} // namespace tilewright
