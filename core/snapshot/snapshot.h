// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <cstdint>
#include <memory>

namespace tilewright {

/// Everything the views show about one state of the document; immutable once published.
struct Snapshot
{
    ProblemPtr problem;
    Schedule schedule;
    Evaluation evaluation; ///< carries the rules and the issues
    double arrayTotal = 0; ///< total of the same schedule under the same rules but compute=array (R8.2)
    double lowerBound = 0; ///< of the problem, not of this schedule
    std::uint64_t revision = 0;
    double evaluationMs = 0;

    /// RES before subgraph i (R3): what the previous subgraph retained.
    [[nodiscard]] std::span<const TensorId> residentBefore(SubgraphId i) const
    {
        if (i.index() == 0)
            return {};
        return schedule.subgraphs[i.index() - 1]->retain;
    }
    /// (total - bound) / bound; 0 without a bound.
    [[nodiscard]] double gap() const { return lowerBound > 0 ? evaluation.total / lowerBound - 1 : 0; }
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

} // namespace tilewright
