// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "eval/mapped_reads.h"
#include "eval/trace.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tilewright {

/// The sums of one step; equal to the fields of Step with the same names, and its halos. Sizes in units
/// (R1.9).
struct StepSums
{
    double compute = 0, memory = 0, latency = 0, energy = 0;
    std::int64_t loadElements = 0, storeElements = 0;
    std::int64_t workingSet = 0;
    std::int64_t inputElements = 0, outputElements = 0, accumulatorElements = 0, donatedElements = 0,
                 interiorElements = 0;
    HaloVolume halo; ///< the halos, which are parts of inputElements and interiorElements
    [[nodiscard]] Bound bound() const noexcept
    {
        return compute > memory ? Bound::Compute : compute < memory ? Bound::Memory : Bound::Balanced;
    }
};

/// A compressed trace of a subgraph: random access to every Step with a few bytes for each step. Steps repeat
/// up to their position in the tile grid, so each distinct shape is stored once, with symbolic ranges such as
/// "rows of the tile" or "k range of the step". Immutable; may be shared between threads.
class StepTable
{
public:
    static constexpr std::int64_t kMaxSteps = std::int64_t(1) << 22;

    enum class End : std::uint8_t {
        Complete,
        Invalid, ///< the subgraph breaks R4 or R5.3, so no step exists
        TooLong, ///< more than `maxSteps` steps; the table holds the first ones
        Stopped, ///< stopped by the stop token
    };

    /// Traces the subgraph (see traceSubgraph). `expectedSteps` only scales the reported progress.
    [[nodiscard]] static std::shared_ptr<const StepTable>
    build(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
          const Rules& rules, const Progress& progress = {}, std::int64_t expectedSteps = 0,
          std::int64_t maxSteps = kMaxSteps);

    [[nodiscard]] End end() const noexcept { return m_end; }
    [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(m_shape.size()); }
    /// Sum of the latencies of all steps.
    [[nodiscard]] double duration() const noexcept { return m_duration; }
    /// Elements of the resident and retained tensors (R9.1a), equal in every step.
    [[nodiscard]] std::int64_t reserved() const noexcept { return m_reserved; }

    /// Returns the step in the form that traceSubgraph() visits.
    [[nodiscard]] Step step(std::int64_t i) const;
    [[nodiscard]] const StepSums& sums(std::int64_t i) const
    {
        return m_sums[m_shape[static_cast<std::size_t>(i)]];
    }
    /// Returns the start time of a step since the start of the subgraph; start(size()) is the duration.
    [[nodiscard]] double start(std::int64_t i) const;
    /// Returns the last step that starts at or before `time`, without steps of no duration; 0 if the table is
    /// empty.
    [[nodiscard]] std::int64_t stepAt(double time) const;

    /// The consecutive k steps on one tile.
    struct Visit
    {
        std::int64_t tile = 0;
        std::int64_t firstStep = 0;
        double start = 0;
    };
    [[nodiscard]] std::span<const Visit> visits() const noexcept { return m_visits; }
    /// Returns the index into visits() of the visit that contains the step.
    [[nodiscard]] std::int64_t visitOf(std::int64_t step) const;
    /// Returns the index after the last step of a visit.
    [[nodiscard]] std::int64_t visitEnd(std::int64_t visit) const;

    /// The steps in [first, last) with the largest and the smallest working set; of equal ones the earliest.
    struct Extremes
    {
        std::int64_t largest = 0;
        std::int64_t smallest = 0;
    };
    [[nodiscard]] Extremes extremes(std::int64_t first, std::int64_t last) const;
    /// Number of distinct shapes of steps. Steps of one shape have equal sums and equal buffers.
    [[nodiscard]] std::size_t shapeCount() const noexcept { return m_sums.size(); }
    [[nodiscard]] std::size_t shapeOf(std::int64_t step) const
    {
        return m_shape[static_cast<std::size_t>(step)];
    }
    [[nodiscard]] const StepSums& sumsOfShape(std::size_t shape) const { return m_sums[shape]; }

private:
    friend class StepTableBuilder;
    struct Range // a range that depends on the position of the step; `from` and `to` are for Kind::Fixed only
    {
        enum class Kind : std::uint8_t { Full, Row, Col, Depth, Fixed };
        Kind kind = Kind::Full;
        std::int64_t size = 0; // upper limit of ranges on the axis
        std::int64_t from = 0, to = 0;
    };
    struct Position
    {
        std::int64_t row = 0, col = 0, kStep = 0;
    };
    [[nodiscard]] static std::pair<std::int64_t, std::int64_t> decode(const Range& range, const Position& at,
                                                                      const Granularity& g);

    Granularity m_granularity;
    std::int64_t m_cols = 1;
    std::int64_t m_reserved = 0;
    double m_duration = 0;
    End m_end = End::Complete;
    std::vector<std::uint32_t> m_shape; // index of the shape of each step
    std::vector<StepSums> m_sums;       // sums of each shape
    std::vector<std::vector<std::int64_t>> m_codes;
    std::vector<Visit> m_visits;
    std::vector<std::vector<Extremes>> m_pyramid; // level n holds the extremes of blocks of 32^(n+1) steps
};

} // namespace tilewright
