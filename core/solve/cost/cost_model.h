// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/fast_evaluator.h"
#include "rules/rules.h"
#include "schedule/schedule.h"
#include "workload/problem.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// The latency of one subgraph by the rules (R4-R10) for many tilings, and lower bounds over sets of tilings.
///
/// compile() turns the plan of an op set into flat lists of what a step requests and runs, from which the
/// bounds are computed; evaluate() calls the fast evaluator of core/eval. Working memory is reused between
/// calls: one instance per thread.
class CostModel
{
public:
    /// The tensors in fast memory before and after the subgraph (R3.3, R9.1a).
    struct Memory
    {
        std::span<const TensorId> resident; ///< RES before the subgraph
        /// tensors_to_retain: each produced by the subgraph, or a boundary input (retain_inputs=allow, R9.7)
        std::span<const TensorId> retained;
        /// For bounds only: inputs and products that may be in either memory. They take no room and cause no
        /// traffic.
        std::span<const TensorId> free = {};
    };
    /// Limits of a legal granularity (R4.1-R4.3, R4.7). Extents above those of the largest sink would only
    /// add padding.
    struct Range
    {
        std::int64_t minW = 1, maxW = 1, minH = 1, maxH = 1, maxK = 1;
        [[nodiscard]] bool empty() const noexcept { return minW > maxW || minH > maxH; }
    };

    CostModel(const Problem& problem, const Rules& rules);
    [[nodiscard]] static bool supports(const Rules& rules) noexcept;
    [[nodiscard]] bool supported() const noexcept { return m_supported; }

    /// The most steps that an evaluation may walk one by one where there is no closed form: few while
    /// searching, more for a proof.
    static constexpr std::int64_t kMaxWalkedSteps = 1 << 11;
    static constexpr std::int64_t kMaxProofSteps = 1 << 18;
    void setMaxWalkedSteps(std::int64_t steps) noexcept { m_maxWalkedSteps = steps; }

    /// Makes the model that of these ops, which are in topological order and connected (R4.5; not checked
    /// here). False when there are too many kinds of steps for 64-bit masks (no practical subgraph has so
    /// many).
    [[nodiscard]] bool compile(std::span<const OpId> ops, const Memory& memory);
    [[nodiscard]] const Range& range() const noexcept { return m_range; }
    /// R5.3: whether a raster traversal reuses nothing from tile to tile.
    [[nodiscard]] bool rasterForgets() const noexcept { return !m_rules.nullOrderReuse; }
    /// The least k that is legal with these extents; 1 unless prologue=split_only (R4.7).
    [[nodiscard]] std::int64_t leastK(std::int64_t w, std::int64_t h) const noexcept
    {
        return m_plan.leastK(w, h);
    }
    /// The extents in range() from which on every k is legal; empty unless prologue=split_only (R4.7).
    [[nodiscard]] const std::vector<std::int64_t>& prologueWidths() const noexcept
    {
        return m_prologueWidths;
    }
    [[nodiscard]] const std::vector<std::int64_t>& prologueHeights() const noexcept
    {
        return m_prologueHeights;
    }
    /// The extents that tiles and k steps divide: widths and heights of the sinks, reduction sizes of the
    /// drivers (ascending, without duplicates).
    [[nodiscard]] const std::vector<std::int64_t>& sinkWidths() const noexcept { return m_widths; }
    [[nodiscard]] const std::vector<std::int64_t>& sinkHeights() const noexcept { return m_heights; }
    [[nodiscard]] const std::vector<std::int64_t>& reductions() const noexcept { return m_reductions; }

    /// Exact latency, or Cut as soon as it is certain to reach `cutoff`. `atLeast`: known lower bounds of the
    /// totals of this tiling.
    [[nodiscard]] TilingCost evaluate(const Granularity& g, TraversalKind traversal,
                                      double cutoff = std::numeric_limits<double>::infinity(),
                                      const StepTotals& atLeast = {});
    /// Whether the steps of the first tile fit into fast memory; those of a later tile may still not.
    [[nodiscard]] bool mayFit(const Granularity& g);
    /// Lower bound of the latency with these extents, for every k and every preset row or column traversal:
    /// padded compute, or traffic with the passes that the grid forces. It does not grow with the extents.
    [[nodiscard]] double bound(std::int64_t w, std::int64_t h) const { return bound(w, h, w, h); }
    /// Lower bounds of the totals with exactly these extents, by preset traversal (the index is the
    /// TraversalKind): with the largest k (`deepest`), or for all smaller ones. Many times cheaper than
    /// evaluate() and tighter than bound(). 0 for rules that are not supported.
    using GridTotals = std::array<StepTotals, 4>;
    [[nodiscard]] GridTotals gridTotals(std::int64_t w, std::int64_t h, bool deepest) const;
    /// False when these extents fit with no k. Where it is false it is false for larger extents, too.
    [[nodiscard]] bool canFit(std::int64_t w, std::int64_t h) const
    {
        return canFit({w, h, 1}, m_range.maxK);
    }
    /// False only when the granularity does not fit; many times cheaper than evaluate().
    [[nodiscard]] bool canFit(const Granularity& g) const { return canFit(g, g.k); }
    /// Tile heights (widths) fall into classes that cut all sinks into the same numbers of rows (columns):
    /// the smallest legal height (width) of each class, ascending.
    [[nodiscard]] const std::vector<std::int64_t>& rowClasses();
    [[nodiscard]] const std::vector<std::int64_t>& columnClasses();
    /// The least bound over all extents that can fit; infinite when none can.
    [[nodiscard]] double leastLatency();
    /// Lower bound of the latency over all tilings and all orders of their tiles. Infinite when nothing can
    /// fit, 0 for rules that are not supported.
    [[nodiscard]] double leastOfAnyOrder();
    /// A tighter lower bound than leastOfAnyOrder(), at several times the cost: treats shallow and deep k
    /// steps separately, and the steps that complete a tile separately from the others.
    [[nodiscard]] double leastByDepth();
    /// Number of evaluate() and mayFit() calls so far.
    [[nodiscard]] std::int64_t evaluations() const noexcept { return m_evaluations; }

private:
    using Axis = SubgraphPlan::Axis;
    /// Role of a request for the whole tensor: FULL(t) has none (R7.1).
    static constexpr std::uint8_t kFull = 3;
    struct Request
    {
        std::uint32_t tensor;
        std::uint8_t role;
        Axis row, col;
        std::uint64_t causes;
    };
    struct Run
    {
        std::uint32_t op;
        Axis row, col;
        bool split;
        bool matmul;
        std::uint64_t causes;
        double base;
        std::int64_t reduction, width, height;
    };
    /// A condition under which requests and runs are active: in tiles where a sink of this size is present,
    /// in the k steps of a reduction (q < n) or only in its last one (`completing`: q = n - 1).
    struct Cause
    {
        std::int64_t height, width, reduction;
        bool completing;
    };
    struct Sink
    {
        std::uint32_t tensor;
        std::int64_t height, width, reduction; ///< reduction: largest of the drivers', 1 without
        bool retained, pointwise, free;
        std::uint32_t accumulators; ///< drivers that are not its own producer
    };
    /// The loads of one tensor for one role, as bound() adds them up.
    struct Load
    {
        double area;
        Axis row, col;
        std::int64_t height, width;         ///< of the tensor
        std::int64_t gridHeight, gridWidth; ///< of the sink whose tiles ask for it
        bool met = false;       ///< a slice may be in memory already, loaded for a request by tiles
        std::int64_t after = 0; ///< requested only in the steps that complete a reduction of this size
        bool early = false;     ///< requested in the first step of every tile that requests it
    };
    /// The runs of one op, as bound() adds them up.
    struct Work
    {
        double cost; ///< along an axis that is counted by strips: of one strip; else of the whole axis
        std::int64_t height, width;
        bool byRow, byCol;        ///< whether rows and columns are counted by strips
        std::int64_t reduction;   ///< of a MatMul with compute=array, whose `cost` is that of a cycle; else 0
        double chunks;            ///< least number of parts that the reduction is cut into
        std::int64_t stepped;     ///< size of the reduction whose k steps share the work; 0: of none
        bool early = false;       ///< done completely in the first step of every tile that does it
        bool onceARow = false;    ///< its rectangles do not depend on the column of the tile
        bool onceAColumn = false; ///< its rectangles do not depend on the row of the tile
    };
    /// A step of the first tile, for lower bounds of the working set.
    struct Moment
    {
        std::uint64_t causes;
        std::int64_t reduction; ///< only sinks with a reduction of at least this size are active
        bool first;             ///< k step 0; else the step that completes `reduction`
    };

    struct Grid
    {
        double rows, cols;
    };
    void compileBound();
    [[nodiscard]] std::int64_t completedBefore(std::size_t first, std::size_t last) const;
    /// Whether all of these causes are active in the first k step already.
    [[nodiscard]] bool isEarly(std::uint64_t causes) const;
    /// Fills m_loads and m_work with what holds for every k up to `deepest`.
    void listAt(std::int64_t deepest);
    void listLoads(std::int64_t deepest);
    void listWork(std::int64_t deepest);
    /// Whether every k up to `deepest` cuts this extent into several steps.
    [[nodiscard]] static bool isCut(Axis axis, std::int64_t extent, std::int64_t deepest)
    {
        return axis == Axis::Step && extent > deepest;
    }
    /// Whether some tile or k of at most these sizes covers the whole extent.
    [[nodiscard]] static bool mayBeWhole(Axis axis, std::int64_t extent, std::int64_t tile,
                                         std::int64_t deepest)
    {
        return axis == Axis::Full || extent <= (axis == Axis::Tile ? tile : deepest);
    }
    /// Whether ranges of these two kinds may be equal, with tiles and k of at most these sizes.
    [[nodiscard]] static bool mayEqual(Axis a, Axis b, std::int64_t extent, std::int64_t tile,
                                       std::int64_t deepest);
    [[nodiscard]] static double timesLoaded(const Load& load, double rows, double cols, std::int64_t mostW,
                                            std::int64_t mostH);
    /// Axis::Full for a tile or k range that covers the whole extent, else `axis`.
    [[nodiscard]] static Axis resolved(Axis axis, std::int64_t extent, std::int64_t tile, std::int64_t k)
    {
        return (axis == Axis::Tile && tile >= extent) || (axis == Axis::Step && k >= extent) ? Axis::Full
                                                                                             : axis;
    }
    [[nodiscard]] Grid gridOf(std::uint64_t causes, std::int64_t w, std::int64_t h) const;
    [[nodiscard]] double gridCompute(const Granularity& g) const;
    /// R8.2: of a MatMul with compute=array, else 0.
    [[nodiscard]] double costOfCycle(const Run& run) const;
    void addGridLoads(std::size_t first, std::size_t last, const Granularity& g,
                      std::array<double, 4>& elements) const;
    [[nodiscard]] double bound(std::int64_t w, std::int64_t h, std::int64_t turnW, std::int64_t turnH) const;
    [[nodiscard]] double leastCompute(std::int64_t w, std::int64_t h) const;
    struct Extents ///< a class of tile sizes: the smallest and the largest width and height
    {
        std::int64_t w, h, mostW, mostH;
    };
    [[nodiscard]] double leastCompute(const Work& work, std::int64_t w, std::int64_t h) const;
    struct Depths ///< an interval of k
    {
        std::int64_t least, most;
    };
    /// The values of k in intervals: within one, each reduction takes one step for all k or several for all.
    [[nodiscard]] std::vector<Depths> depths() const;
    [[nodiscard]] double leastAtDepths(const Depths& depths);
    [[nodiscard]] double leastApart(const Extents& e, const Depths& depths, std::int64_t reduction) const;
    [[nodiscard]] double leastInFirstTiles(const Extents& e, bool ofRows) const;
    [[nodiscard]] double leastElements(const Extents& e) const;
    [[nodiscard]] Extents extentsOf(std::size_t column, std::size_t row) const;
    /// Calls visit(Extents) for the largest classes for which fits(w, h), but leaves out those between two
    /// others when mayMatter() is false for extents as large as both.
    template <class Fits, class Visit, class MayMatter>
    void forLargestClasses(Fits&& fits, Visit&& visit, MayMatter&& mayMatter);
    /// Reductions of at most `whole` are assumed to take one k step.
    [[nodiscard]] bool canFit(const Granularity& g, std::int64_t whole) const;
    /// May stop early above `enough`.
    [[nodiscard]] std::int64_t
    leastWorkingSet(const Granularity& g, std::int64_t whole, const Moment& moment,
                    std::int64_t enough = std::numeric_limits<std::int64_t>::max()) const;
    /// evaluate() where there is no closed form.
    [[nodiscard]] TilingCost walkEveryStep(const Granularity& g, TraversalKind traversal, double cutoff);
    std::uint64_t causeBit(std::int64_t height, std::int64_t width, std::int64_t reduction, bool completing);
    void addRequest(const SubgraphPlan::Use& use, std::uint64_t cause);
    void addRun(const SubgraphPlan::Use& use, bool epilogue, std::uint64_t cause);
    void compileSinks();
    void compileRange();
    [[nodiscard]] bool legal(const Granularity& g) const;
    /// m_evaluator, prepared for the compiled plan.
    [[nodiscard]] FastEvaluator& evaluator();

    const Problem& m_problem;
    Rules m_rules;
    bool m_supported;
    bool m_array; ///< compute=array
    PlanCompiler m_compiler;
    SubgraphPlan m_plan;
    std::vector<TensorId> m_resident, m_retained;
    std::int64_t m_capacity;
    double m_bandwidth;
    std::int64_t m_nativeW, m_nativeH, m_nativeK;
    std::int64_t m_evaluations = 0;
    std::int64_t m_maxWalkedSteps = kMaxWalkedSteps;

    // by tensor: m_stamp for those that are resident or retained in this compile()
    std::uint32_t m_stamp = 0;
    std::vector<std::uint32_t> m_residentHere, m_retainedHere;

    bool m_overflow = false;
    Range m_range;
    std::vector<std::int64_t> m_widths, m_heights, m_reductions;
    std::vector<std::int64_t> m_prologueWidths, m_prologueHeights;
    std::vector<Cause> m_causes;
    std::vector<Sink> m_sinks;
    std::vector<std::uint64_t> m_groupCause; ///< by group of the plan
    bool m_sharedDrivers = false;
    std::vector<Request> m_requests;
    std::vector<Run> m_runs;
    /// R9.7: boundary inputs that are loaded once and then retained.
    std::vector<std::uint32_t> m_keptInputs;
    std::int64_t m_reserved = 0;
    std::vector<TensorId> m_free;

    double m_stores = 0;
    std::vector<Load> m_loads;
    std::vector<Work> m_work;
    std::vector<Moment> m_moments;
    // for listAt()
    struct RequestedLoad
    {
        Load load;
        std::size_t request;
    };
    std::vector<RequestedLoad> m_ofTensor;
    std::vector<char> m_isListed;
    std::vector<std::size_t> m_same;
    /// The classes of one axis, kept with the extents they were computed from: consecutive op sets often have
    /// the same.
    struct Classes
    {
        std::vector<std::int64_t> smallest, extents;
        std::int64_t min = 0, max = 0;
        void list(const std::vector<std::int64_t>& extents, std::int64_t min, std::int64_t max);
    };
    Classes m_rowClasses, m_columnClasses;

    FastEvaluator m_evaluator; ///< prepared by the first evaluation after compile()
};

} // namespace tilewright
