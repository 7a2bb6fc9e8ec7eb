// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluator.h"
#include "snapshot/snapshot.h"

#include <atomic>
#include <mutex>
#include <optional>

namespace tilewright {

/// Evaluates and wraps up; measures the time it took.
[[nodiscard]] SnapshotPtr takeSnapshot(ProblemPtr problem, const Schedule& schedule, const Rules& rules,
                                       double lowerBound, std::uint64_t revision);

/// The same for the many schedules of one editing session: an edit, its undo and the preview of a drop cost
/// the subgraphs that they touch. May be called from several threads; one waits for the other.
class SnapshotTaker
{
public:
    SnapshotTaker(ProblemPtr problem, const Rules& rules, double lowerBound);

    [[nodiscard]] SnapshotPtr take(const Schedule& schedule, std::uint64_t revision);
    /// Subgraphs that had to be evaluated since construction.
    [[nodiscard]] std::int64_t computed() const;
    /// The same for Snapshot::arrayTotal.
    [[nodiscard]] std::int64_t computedOnArray() const;

    [[nodiscard]] double lowerBound() const noexcept { return m_lowerBound; }
    /// Of every snapshot from now on.
    void setLowerBound(double lowerBound) noexcept { m_lowerBound = lowerBound; }

private:
    mutable std::mutex m_mutex;
    Evaluator m_evaluator;
    std::optional<Evaluator> m_array; ///< for Snapshot::arrayTotal, unless the rules are those of the array
    std::atomic<double> m_lowerBound;
};

} // namespace tilewright
