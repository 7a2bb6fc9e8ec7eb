// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/rect.h"
#include "eval/evaluation.h"
#include "rules/subgraph_plan.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

// Sizes below are in units (R1.9). An element has Problem::unitsPerElement() units.

/// One named buffer used in a step (R7.1).
struct StepBuffer
{
    TensorId tensor;             ///< the tensor; for a read through an index map (R1.8), the view
    Role role = Role::Pointwise; ///< role of the request; not valid if `full`
    Rect rect;
    std::int64_t size = 0; ///< size of the elements that the rectangle touches (R1.8, R1.9)
    bool full = false;     ///< true for a buffer with the whole tensor, FULL(t)
    bool loaded = false;   ///< true if loaded in this step, false if reused from the previous one
};

/// True if both are the same named buffer (R7.1), whether loaded or not.
[[nodiscard]] bool sameBuffer(const StepBuffer& a, const StepBuffer& b);

/// One run of an op in a step (R6).
struct StepRun
{
    OpId op;
    Rect rect;
    std::int64_t k0 = 0, k1 = 0;
    double cost = 0;       ///< compute time charged; 0 for a repeated run (R8.1)
    double energy = 0;     ///< energy charged, in pJ (R17); 0 for a repeated run
    bool repeated = false; ///< true if identical to a run of an earlier step
};

/// One sink that is active in the step.
struct StepSink
{
    TensorId tensor;
    Rect tile;
    bool completes = false;
    bool stored = false;               ///< true if written to slow memory in this step
    std::int64_t accumulators = 0;     ///< size of the separate accumulators of split drivers (R9.1d)
    std::int64_t accumulatorCount = 0; ///< number of accumulators
    std::int64_t outputElements = 0;   ///< size of the output tile (R9.1c)
    std::int64_t storedElements = 0;   ///< size of the part that is written to slow memory in this step
    std::optional<TensorId> takesOver; ///< tensor whose buffer the output reuses from now on (R9.6)
};

/// R9.9: an interior slice that occupies memory in the step that produces it.
struct StepInterior
{
    TensorId tensor;
    Rect rect;
    std::int64_t size = 0;
};

/// Everything that one (tile, k) step does.
struct Step
{
    std::int64_t index = 0; ///< index in order of execution
    std::int64_t tile = 0;  ///< index of the tile: r * cols + c
    std::int64_t row = 0, col = 0;
    std::int64_t kStep = 0, kSteps = 1;
    std::vector<StepRun> runs;
    std::vector<StepBuffer> buffers;
    std::vector<StepSink> sinks;
    std::vector<StepInterior> interiors;
    std::vector<TensorId> residentReads; ///< tensors read from RES, without buffer or load
    std::vector<StepBuffer> keptLoads;   ///< loads of (parts of) retained inputs, which need no buffer (R9.7)
    std::int64_t loadElements = 0, storeElements = 0;
    std::int64_t workingSet = 0;
    std::int64_t reserved = 0;      ///< size of the resident and retained tensors (R9.1a)
    std::int64_t inputElements = 0; ///< size of the input buffers (R9.1b)
    std::int64_t outputElements = 0, accumulatorElements = 0, donatedElements = 0;
    std::int64_t interiorElements = 0; ///< size of the interior slices (R9.9)
    double compute = 0, memory = 0, latency = 0;
    double energy = 0; ///< energy in pJ (R17)
    double start = 0;  ///< time since the start of the subgraph
    [[nodiscard]] Bound bound() const noexcept
    {
        return compute > memory ? Bound::Compute : compute < memory ? Bound::Memory : Bound::Balanced;
    }
};

/// Calls the visitor for the steps of one subgraph in order, until it returns false. `residentBefore` = RES
/// (R3). Nothing is visited if the subgraph breaks R4 or R5.3.
void traceSubgraph(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
                   const Rules& rules, const std::function<bool(const Step&)>& visit);

/// Returns the sums over all steps of traceSubgraph(). structurallyValid is false if the subgraph breaks
/// R2.2, R4 or R5.3.
[[nodiscard]] SubgraphEvaluation evaluateSubgraphByTrace(const Problem& problem, const Subgraph& subgraph,
                                                         std::span<const TensorId> residentBefore,
                                                         const Rules& rules);

} // namespace tilewright
