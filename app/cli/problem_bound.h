// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <algorithm>

namespace tilewright::cli {

/// Compute of every op once, or inputs and outputs through slow memory once, whichever takes longer.
inline double problemBound(const Problem& problem)
{
    const Hardware& hw = problem.hardware();
    double compute = 0;
    double elements = 0;
    for (const Op& op : problem.ops()) {
        const Tensor& out = problem.tensor(op.output);
        compute += static_cast<double>(op.baseCost) * static_cast<double>(out.width) *
                   static_cast<double>(out.height) /
                   (static_cast<double>(hw.nativeWidth) * static_cast<double>(hw.nativeHeight));
    }
    for (const auto* list : {&problem.graphInputs(), &problem.graphOutputs()})
        for (const TensorId t : *list)
            elements += static_cast<double>(problem.tensor(t).elements());
    return std::max(compute, elements / static_cast<double>(hw.slowMemoryBandwidth));
}

} // namespace tilewright::cli
