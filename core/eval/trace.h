// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "rules/subgraph_plan.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// Rows [r0, r1) x columns [c0, c1) of a tensor.
struct Rect
{
    std::int64_t r0 = 0, r1 = 0, c0 = 0, c1 = 0;
    [[nodiscard]] std::int64_t area() const noexcept { return (r1 - r0) * (c1 - c0); }
    auto operator<=>(const Rect&) const = default;
};

/// One named buffer in use in a step (R7.1).
struct StepBuffer
{
    TensorId tensor;
    Role role = Role::Pointwise; ///< meaningless when `full`
    Rect rect;
    bool full = false;   ///< FULL(t)
    bool loaded = false; ///< loaded in this step; otherwise reused from the previous one
};

/// Whether both are the same named buffer (R7.1), whatever was loaded.
[[nodiscard]] bool sameBuffer(const StepBuffer& a, const StepBuffer& b);

/// One op run of a step (R6).
struct StepRun
{
    OpId op;
    Rect rect;
    std::int64_t k0 = 0, k1 = 0;
    double cost = 0;       ///< compute time charged (0 when repeated, R8.1 neutral)
    bool repeated = false; ///< identical to a run of an earlier step
};

/// One sink taking part in the step.
struct StepSink
{
    TensorId tensor;
    Rect tile;
    bool completes = false;
    bool stored = false;               ///< written to slow memory in this step
    std::int64_t accumulators = 0;     ///< elements of separate accumulators of split drivers (R9.1d)
    std::int64_t outputElements = 0;   ///< R9.1c: 0 when retained
    std::optional<TensorId> takesOver; ///< R9.6: lies in a buffer of this tensor from now on
};

/// Everything that happens in one (tile, k) step.
struct Step
{
    std::int64_t index = 0; ///< in order of execution
    std::int64_t tile = 0;  ///< r * cols + c
    std::int64_t row = 0, col = 0;
    std::int64_t kStep = 0, kSteps = 1;
    std::vector<StepRun> runs;
    std::vector<StepBuffer> buffers;
    std::vector<StepSink> sinks;
    std::vector<TensorId> residentReads; ///< requests served from RES (no buffer, no load)
    std::vector<StepBuffer> keptLoads; ///< requests that loaded (part of) a retained input (R9.7); no buffer
    std::int64_t loadElements = 0, storeElements = 0;
    std::int64_t workingSet = 0;
    std::int64_t reserved = 0;      ///< R9.1a
    std::int64_t inputElements = 0; ///< R9.1b
    std::int64_t outputElements = 0, accumulatorElements = 0, donatedElements = 0;
    double compute = 0, memory = 0, latency = 0;
    double start = 0; ///< time since the start of the subgraph
    [[nodiscard]] Bound bound() const noexcept
    {
        return compute > memory ? Bound::Compute : compute < memory ? Bound::Memory : Bound::Balanced;
    }
};

/// Walks the steps of one subgraph in order; the visitor returns false to stop. `residentBefore` = RES (R3).
/// Nothing is visited when the subgraph breaks R4 or R5.3.
void traceSubgraph(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
                   const Rules& rules, const std::function<bool(const Step&)>& visit);

/// The sums over all steps of traceSubgraph(); structurallyValid is false when it breaks R2.2, R4 or R5.3.
[[nodiscard]] SubgraphEvaluation evaluateSubgraphByTrace(const Problem& problem, const Subgraph& subgraph,
                                                         std::span<const TensorId> residentBefore,
                                                         const Rules& rules);

} // namespace tilewright
