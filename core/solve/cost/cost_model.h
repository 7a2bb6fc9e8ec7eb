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

/// The rules' latency of one subgraph for many tilings (R4-R10), and what no tiling goes below, for search.
///
/// compile() turns the plan of an op set into flat lists of what a step requests and runs, from which the
/// bounds are taken; evaluate() asks core/eval's fast evaluator. Working memory is reused between calls: one
/// instance per thread.
class CostModel
{
public:
    /// Tensors that are in fast memory before the subgraph and tensors that stay there after it (R3.3,
    /// R9.1a).
    struct Memory
    {
        std::span<const TensorId> resident; ///< RES before the subgraph
        /// tensors_to_retain: each produced by the subgraph, or a boundary input (retain_inputs=allow, R9.7)
        std::span<const TensorId> retained;
        /// For bounds: inputs and products that may be anywhere. They take no room and are neither loaded nor
        /// written.
        std::span<const TensorId> free = {};
    };
    /// Bounds on a legal granularity: R4.1-R4.3, R4.7. Larger extents than the sinks' only pad.
    struct Range
    {
        std::int64_t minW = 1, maxW = 1, minH = 1, maxH = 1, maxK = 1;
        [[nodiscard]] bool empty() const noexcept { return minW > maxW || minH > maxH; }
    };

    CostModel(const Problem& problem, const Rules& rules);
    [[nodiscard]] static bool supports(const Rules& rules) noexcept;
    [[nodiscard]] bool supported() const noexcept { return m_supported; }

    /// Most steps that are walked one by one: few while searching, more for a proof.
    static constexpr std::int64_t kMaxWalkedSteps = 1 << 11;
    static constexpr std::int64_t kMaxProofSteps = 1 << 18;
    void setMaxWalkedSteps(std::int64_t steps) noexcept { m_maxWalkedSteps = steps; }

    /// `ops` in topological order, connected (R4.5; not checked here). False when the model has too many
    /// kinds of steps for its 64-bit masks (no practical subgraph has).
    [[nodiscard]] bool compile(std::span<const OpId> ops, const Memory& memory);
    [[nodiscard]] const Range& range() const noexcept { return m_range; }
    /// R5.3: whether a raster traversal reuses nothing from tile to tile.
    [[nodiscard]] bool rasterForgets() const noexcept { return !m_rules.nullOrderReuse; }
    /// The least k that is legal with these extents; 1 unless prologue=split_only (R4.7).
    [[nodiscard]] std::int64_t leastK(std::int64_t w, std::int64_t h) const noexcept
    {
        return m_plan.leastK(w, h);
    }
    /// Extents in range() from which on every k is legal (prologue=split_only; else none).
    [[nodiscard]] const std::vector<std::int64_t>& prologueWidths() const noexcept
    {
        return m_prologueWidths;
    }
    [[nodiscard]] const std::vector<std::int64_t>& prologueHeights() const noexcept
    {
        return m_prologueHeights;
    }
    /// Extents along which tiles and k steps are cut: widths and heights of the sinks, reduction sizes of the
    /// drivers (ascending, each once).
    [[nodiscard]] const std::vector<std::int64_t>& sinkWidths() const noexcept { return m_widths; }
    [[nodiscard]] const std::vector<std::int64_t>& sinkHeights() const noexcept { return m_heights; }
    [[nodiscard]] const std::vector<std::int64_t>& reductions() const noexcept { return m_reductions; }

    /// Exact latency; stops early once it is certain to reach `cutoff`. `atLeast`: what its totals
    /// are known not to go below.
    [[nodiscard]] TilingCost evaluate(const Granularity& g, TraversalKind traversal,
                                      double cutoff = std::numeric_limits<double>::infinity(),
                                      const StepTotals& atLeast = {});
    /// Whether the working set of the first steps fits: evaluate() may still find a later step that does not.
    [[nodiscard]] bool mayFit(const Granularity& g);
    /// No tiling with these extents, whatever its k, is faster by a preset row or column traversal: padded
    /// compute, and traffic with the passes that the grid forces. Never more for larger extents.
    [[nodiscard]] double bound(std::int64_t w, std::int64_t h) const { return bound(w, h, w, h); }
    /// For every tiling with exactly these extents, by preset traversal (the index is the TraversalKind):
    /// with the largest k, or with any smaller one. Many times cheaper than evaluate() and closer than
    /// bound(). 0 for rules that are not supported.
    using GridTotals = std::array<StepTotals, 4>;
    [[nodiscard]] GridTotals gridTotals(std::int64_t w, std::int64_t h, bool deepest) const;
    /// False when no k makes these extents fit. Never true for larger extents when false for smaller ones.
    [[nodiscard]] bool canFit(std::int64_t w, std::int64_t h) const
    {
        return canFit({w, h, 1}, m_range.maxK);
    }
    /// False when the granularity surely does not fit; many times cheaper than evaluate().
    [[nodiscard]] bool canFit(const Granularity& g) const { return canFit(g, g.k); }
    /// Smallest extents of every class with equal numbers of rows (columns) that is legal, ascending.
    [[nodiscard]] const std::vector<std::int64_t>& rowClasses();
    [[nodiscard]] const std::vector<std::int64_t>& columnClasses();
    /// The least bound over all extents that can fit; infinite when none can.
    [[nodiscard]] double leastLatency();
    /// The latency that no tiling in whatever order of its tiles goes below. Infinite when nothing can fit, 0
    /// for rules that are not supported.
    [[nodiscard]] double leastOfAnyOrder();
    /// The latency of leastOfAnyOrder() or more, for some times the work: looks at shallow and deep steps
    /// apart, and at the steps that complete a tile apart from the others.
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
    /// A condition under which requests and runs are active: tiles where a sink of this size is present, in
    /// the k steps of a driver (q < n) or in the completing step (q = n - 1).
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
    /// What bound() adds up for one tensor and role.
    struct Load
    {
        double area;
        Axis row, col;
        std::int64_t height, width;         ///< of the tensor
        std::int64_t gridHeight, gridWidth; ///< of the sink whose tiles ask for it
        bool met = false;                   ///< a slice of a tile may be there already
        std::int64_t after = 0; ///< asked for where a reduction of this size is complete, and only there
        bool early = false;     ///< asked for from the first step of every tile on that asks for it
    };
    struct Work
    {
        double cost; ///< of one strip where counted by strips, else of the whole axis
        std::int64_t height, width;
        bool byRow, byCol;
        std::int64_t reduction; ///< compute=array, of a MatMul: cost is that of a cycle; else 0
        double chunks;          ///< of the reduction, at least
        std::int64_t stepped;   ///< by the steps of a reduction of this size; 0: of none
        bool early = false;     ///< runs as a whole in the first step of every tile that it runs in
        bool onceARow = false;  ///< no rectangle depends on the column of the tile
        bool onceAColumn = false;
    };
    /// A step of the first tile: what is surely in use in it.
    struct Moment
    {
        std::uint64_t causes;
        std::int64_t reduction; ///< sinks with at least this one take part
        bool first;             ///< k step 0, else a completing one
    };

    struct Grid
    {
        double rows, cols;
    };
    void compileBound();
    [[nodiscard]] std::int64_t completedBefore(std::size_t first, std::size_t last) const;
    /// Whether none of these causes waits for a step behind the first.
    [[nodiscard]] bool isEarly(std::uint64_t causes) const;
    /// Lists m_loads and m_work.
    void listAt(std::int64_t deepest);
    void listLoads(std::int64_t deepest);
    void listWork(std::int64_t deepest);
    /// No k up to `deepest` takes all of it in one step.
    [[nodiscard]] static bool isCut(Axis axis, std::int64_t extent, std::int64_t deepest)
    {
        return axis == Axis::Step && extent > deepest;
    }
    /// Whether some tile (k) of at most this size covers all of it.
    [[nodiscard]] static bool mayBeWhole(Axis axis, std::int64_t extent, std::int64_t tile,
                                         std::int64_t deepest)
    {
        return axis == Axis::Full || extent <= (axis == Axis::Tile ? tile : deepest);
    }
    /// Whether ranges of these kinds may be the same, with tiles and steps of at most this size.
    [[nodiscard]] static bool mayEqual(Axis a, Axis b, std::int64_t extent, std::int64_t tile,
                                       std::int64_t deepest);
    [[nodiscard]] static double timesLoaded(const Load& load, double rows, double cols, std::int64_t mostW,
                                            std::int64_t mostH);
    /// A tile or k range that covers the whole extent is the whole of it.
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
    struct Extents ///< a class of tile sizes: the smallest, and the largest
    {
        std::int64_t w, h, mostW, mostH;
    };
    [[nodiscard]] double leastCompute(const Work& work, std::int64_t w, std::int64_t h) const;
    struct Depths
    {
        std::int64_t least, most;
    };
    /// What leastOfAnyOrder() looks at: no reduction is complete in one step for some of them only.
    [[nodiscard]] std::vector<Depths> depths() const;
    [[nodiscard]] double leastAtDepths(const Depths& depths);
    [[nodiscard]] double leastApart(const Extents& e, const Depths& depths, std::int64_t reduction) const;
    [[nodiscard]] double leastInFirstTiles(const Extents& e, bool ofRows) const;
    [[nodiscard]] double leastElements(const Extents& e) const;
    [[nodiscard]] Extents extentsOf(std::size_t column, std::size_t row) const;
    /// Calls visit(Extents) for the largest classes of which fits(w, h); not for those between two where
    /// mayMatter(Extents) of what is as large as both says no.
    template <class Fits, class Visit, class MayMatter>
    void forLargestClasses(Fits&& fits, Visit&& visit, MayMatter&& mayMatter);
    /// Drivers up to the reduction size `whole` are taken not to be stepped.
    [[nodiscard]] bool canFit(const Granularity& g, std::int64_t whole) const;
    [[nodiscard]] std::int64_t
    leastWorkingSet(const Granularity& g, std::int64_t whole, const Moment& moment,
                    std::int64_t enough = std::numeric_limits<std::int64_t>::max()) const;
    [[nodiscard]] TilingCost walkEveryStep(const Granularity& g, TraversalKind traversal, double cutoff);
    std::uint64_t causeBit(std::int64_t height, std::int64_t width, std::int64_t reduction, bool completing);
    void addRequest(const SubgraphPlan::Use& use, std::uint64_t cause);
    void addRun(const SubgraphPlan::Use& use, bool epilogue, std::uint64_t cause);
    void compileSinks();
    void compileRange();
    [[nodiscard]] bool legal(const Granularity& g) const;
    /// m_evaluator, about what is compiled.
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

    // stamps by tensor: equal to m_stamp when set in this compile
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
    /// R9.7: boundary inputs that are loaded once and stay. With any of them core/eval alone evaluates.
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
    /// Classes of one axis, and what they are of: op sets one after the other often have the same.
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
