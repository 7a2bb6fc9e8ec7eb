// SPDX-License-Identifier: GPL-3.0-or-later
// The sources from which the runs of a step read, and an order in which the runs can take place (R20).
#pragma once

#include "eval/trace.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tilewright {

/// One source from which a run reads.
struct StepRead
{
    enum class Kind : std::uint8_t {
        None,
        Run,      ///< the result of run `index` of this step
        Earlier,  ///< R5.4: the result of run `index` of step `step` of the same tile
        Buffer,   ///< buffer `index` of this step (R7.1)
        Kept,     ///< a retained input (R9.7), `tensor`
        Resident, ///< a resident tensor (R3), `tensor`
    };
    Kind kind = Kind::None;
    std::uint32_t index = 0;
    std::int64_t step = 0; ///< number of the step, as in Step::index
    TensorId tensor{};
    bool operator==(const StepRead&) const = default;
};

/// Additional data for a Step: the sources of its reads, and the order of its runs.
struct StepLinks
{
    struct Run
    {
        std::uint32_t readBegin = 0, readEnd = 0; ///< range in `reads`, in the order of the op's inputs
        /// true if the rows (columns) come from a reduction (R6)
        bool rowsReduce = false, colsReduce = false;
    };
    struct Accumulator ///< an accumulator of the step (R9.1d)
    {
        OpId op;
        Rect rect;
        std::int64_t size = 0;
    };
    struct ResidentPart ///< a part of a resident tensor that the step reads; parts may overlap
    {
        TensorId tensor;
        Rect box;
    };
    std::vector<Run> runs; ///< one entry for each run of the step
    std::vector<StepRead> reads;
    /// The runs of the step, each after those whose results it reads; otherwise in the order of R6.6.
    std::vector<std::uint32_t> order;
    /// For each sink of the step, the run of its producer in this step.
    std::vector<std::uint32_t> completing;
    std::vector<Accumulator> accumulators;
    std::vector<ResidentPart> residentParts;

    [[nodiscard]] std::span<const StepRead> readsOf(std::size_t run) const noexcept
    {
        return std::span(reads).subspan(runs[run].readBegin, runs[run].readEnd - runs[run].readBegin);
    }
};

/// Same as traceSubgraph(), but also passes the links of each step to the visitor.
void traceLinkedSteps(const Problem& problem, const Subgraph& subgraph,
                      std::span<const TensorId> residentBefore, const Rules& rules,
                      const std::function<bool(const Step&, const StepLinks&)>& visit);

} // namespace tilewright
