// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <cstdint>
#include <memory>

namespace tilewright {

/// One state of the document with its evaluation, for all views. Immutable after publication.
struct Snapshot
{
    ProblemPtr problem;
    Schedule schedule;
    Evaluation evaluation; ///< includes rules and issues
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
    /// Gap: (total - bound) / bound; 0 without a bound.
    [[nodiscard]] double gap() const { return lowerBound > 0 ? evaluation.total / lowerBound - 1 : 0; }
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

} // namespace tilewright
