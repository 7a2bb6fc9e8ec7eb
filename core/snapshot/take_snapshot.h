// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluator.h"
#include "snapshot/snapshot.h"

#include <atomic>
#include <mutex>
#include <optional>

namespace tilewright {

/// Evaluates a schedule and builds its snapshot, including the evaluation time.
[[nodiscard]] SnapshotPtr takeSnapshot(ProblemPtr problem, const Schedule& schedule, const Rules& rules,
                                       double lowerBound, std::uint64_t revision);

/// Builds the snapshots of an editing session. Evaluations are cached: an edit, an undo or a drop preview
/// evaluates only the changed subgraphs. Thread-safe by a mutex.
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
