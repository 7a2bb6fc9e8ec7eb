// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/fast_evaluator.h"
#include "eval/objective.h"
#include "schedule/schedule.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// Latency of one subgraph by the rules (R4-R10) for many tilings, and lower bounds over sets of tilings.
/// With a Price other than the default, price (latency and energy, R17) takes the place of latency, except in
/// anyOrderBound() and anyOrderBoundByDepth().
/// compile() converts the SubgraphPlan of an op set into flat lists of requested tensors (Request) and
/// executed ops (Run), from which the bounds are computed. evaluate() calls the fast evaluator of core/eval.
/// Working memory is reused between calls, so each thread needs its own instance.
class CostModel
{
public:
    /// Tensors in fast memory before and after the subgraph (R3.3, R9.1a).
    struct Memory
    {
        std::span<const TensorId> resident; ///< tensors in fast memory at the start of the subgraph (RES)
        /// Tensors retained for the next subgraph; each is produced by the subgraph or is a boundary input
        /// (retain_inputs=allow, R9.7).
        std::span<const TensorId> retained;
        /// Only for lower bounds: inputs and results for which it is undecided whether they are in fast or in
        /// slow memory. They count neither as fast memory nor as traffic.
        std::span<const TensorId> free = {};
    };
    /// Ranges of the legal granularities (R4.1-R4.3, R4.7). Extents above those of the largest sink are left
    /// out, since they only add padding.
    struct Range
    {
        std::int64_t minW = 1, maxW = 1, minH = 1, maxH = 1, maxK = 1;
        [[nodiscard]] bool empty() const noexcept { return minW > maxW || minH > maxH; }
    };

    CostModel(const Problem& problem, const Rules& rules, const Price& price = {});
    [[nodiscard]] const Price& price() const noexcept { return m_price; }
    /// Returns a lower bound of the price() of steps that take at least this compute time, this memory time
    /// and this energy for their runs.
    [[nodiscard]] double priced(const StepTotals& least, double runEnergy) const noexcept
    {
        return m_pricesLatency ? least.bound()
                               : m_price.of(least.bound(), m_memoryEnergy * least.memory + runEnergy);
    }
    /// Returns a lower bound of the price of a tiling of the compiled subgraph with at least this compute
    /// time and memory time.
    [[nodiscard]] double priced(const StepTotals& least) const noexcept { return priced(least, m_runEnergy); }
    [[nodiscard]] static bool supports(const Rules& rules) noexcept;
    [[nodiscard]] bool supported() const noexcept { return m_supported; }

    /// Maximum number of steps that an evaluation simulates one by one if there is no closed form. Searches
    /// use a small limit, proofs a larger one.
    static constexpr std::int64_t kMaxWalkedSteps = 1 << 11;
    static constexpr std::int64_t kMaxProofSteps = 1 << 18;
    void setMaxWalkedSteps(std::int64_t steps) noexcept { m_maxWalkedSteps = steps; }

    /// Prepares the model for a subgraph of these ops, which must be connected (R4.5; not checked here) and
    /// in topological order. Returns false if the subgraph has more kinds of steps than a mask has bits (64);
    /// no practical subgraph has.
    [[nodiscard]] bool compile(std::span<const OpId> ops, const Memory& memory);
    [[nodiscard]] const Range& range() const noexcept { return m_range; }
    /// R5.3: true if a raster traversal reuses nothing from tile to tile.
    [[nodiscard]] bool rasterForgets() const noexcept { return !m_rules.nullOrderReuse; }
    /// Returns the smallest legal k for tiles of this width and height; 1 unless prologue=split_only (R4.7).
    [[nodiscard]] std::int64_t leastK(std::int64_t w, std::int64_t h) const noexcept
    {
        return m_plan.leastK(w, h);
    }
    /// Returns the tile widths (heights) in range() that a prologue requires if k is split (R4.7); empty
    /// unless prologue=split_only.
    [[nodiscard]] const std::vector<std::int64_t>& prologueWidths() const noexcept
    {
        return m_prologueWidths;
    }
    [[nodiscard]] const std::vector<std::int64_t>& prologueHeights() const noexcept
    {
        return m_prologueHeights;
    }
    /// Extents that are divided into tiles and k steps: widths and heights of the sinks, reduction sizes of
    /// the drivers (ascending, without duplicates).
    [[nodiscard]] const std::vector<std::int64_t>& sinkWidths() const noexcept { return m_widths; }
    [[nodiscard]] const std::vector<std::int64_t>& sinkHeights() const noexcept { return m_heights; }
    [[nodiscard]] const std::vector<std::int64_t>& reductions() const noexcept { return m_reductions; }

    /// Returns the exact latency, or Cut as soon as the latency is certain to reach `cutoff`. `atLeast` holds
    /// known lower bounds of the total compute time and memory time of this tiling.
    [[nodiscard]] TilingCost evaluate(const Granularity& g, TraversalKind traversal,
                                      double cutoff = std::numeric_limits<double>::infinity(),
                                      const StepTotals& atLeast = {});
    /// True if the steps of the first tile fit in fast memory. Later tiles may still need more.
    [[nodiscard]] bool firstTileFits(const Granularity& g);
    /// Lower bound of the latency for tiles of this width and height, over all k and all preset traversals.
    /// It is the larger of the compute time, padding included, and the memory time that this grid of tiles
    /// needs at least. It does not increase with the width or the height.
    [[nodiscard]] double bound(std::int64_t w, std::int64_t h) const { return bound(w, h, w, h); }
    /// Lower bounds of compute time and memory time for tiles of exactly this width and height, by preset
    /// TraversalKind: for the largest k (`deepest`), or for all smaller values of k. Many times cheaper than
    /// evaluate() and tighter than bound(). 0 if the rules are not supported.
    using GridTotals = std::array<StepTotals, 4>;
    [[nodiscard]] GridTotals gridTotals(std::int64_t w, std::int64_t h, bool deepest) const;
    /// False if a tile of this width and height fits in fast memory with no k. Then no larger tile fits
    /// either.
    [[nodiscard]] bool canFit(std::int64_t w, std::int64_t h) const
    {
        return canFit({w, h, 1}, m_range.maxK);
    }
    /// False only if the granularity does not fit in fast memory. Many times cheaper than evaluate().
    [[nodiscard]] bool canFit(const Granularity& g) const { return canFit(g, g.k); }
    /// Returns the smallest legal height (width) of each class of tile heights (widths), ascending. Two
    /// heights (widths) are in one class if they cut every sink into the same numbers of rows (columns).
    [[nodiscard]] const std::vector<std::int64_t>& rowClasses();
    [[nodiscard]] const std::vector<std::int64_t>& columnClasses();
    /// Minimum of bound() over all tile sizes that can fit in fast memory; infinite if none can.
    [[nodiscard]] double latencyBound();
    /// Lower bound of the latency over all tilings and all orders of their tiles. Infinite if nothing can
    /// fit, 0 if the rules are not supported.
    [[nodiscard]] double anyOrderBound();
    /// Returns a tighter lower bound than anyOrderBound(), at several times the cost. Small and large k are
    /// treated separately, and so are the steps that complete a tile and the other steps.
    [[nodiscard]] double anyOrderBoundByDepth();
    /// Number of calls of evaluate() and firstTileFits() so far.
    [[nodiscard]] std::int64_t evaluations() const noexcept { return m_evaluations; }

private:
    using Axis = SubgraphPlan::Axis;
    /// Value of Request::role for a request for the whole tensor, which has no role (FULL(t) in R7.1).
    static constexpr std::uint8_t kFull = 3;
    struct Request
    {
        std::uint32_t tensor;
        std::uint8_t role;
        Axis row, col;
        std::uint64_t conditions;
        const IndexMap* map; ///< index map of the view (R1.8); null if it has none
        bool boxed;          ///< true if an axis is Axis::Box (R1.8): the slices are then unknown
        double area;         ///< number of units (R1.9) of the tensor that are certainly loaded at least once
        std::int64_t units;  ///< units (R1.9) that one element of the tensor occupies
    };
    struct Run
    {
        std::uint32_t op;
        Axis row, col;
        bool split;
        bool matmul;
        std::uint64_t conditions;
        double base;
        std::int64_t reduction, width, height;
        bool boxed; ///< true if an axis is Axis::Box (R1.8): the run may then cover only a part of the result
    };
    /// The steps in which a request or a run takes place. These are steps of the tiles that contain part of a
    /// sink of this height and width: the k steps of a reduction of this size, or only the last of them if
    /// `completing` is true.
    struct Condition
    {
        std::int64_t height, width, reduction;
        bool completing;
    };
    struct Sink
    {
        std::uint32_t tensor;
        /// `reduction`: largest reduction size of the drivers, 1 without drivers
        std::int64_t height, width, reduction;
        bool retained, pointwise, free;
        std::uint32_t accumulators; ///< number of drivers except the sink's own producer
        /// Units (R1.9) that one element of the tile or of an accumulator occupies.
        std::int64_t units, accumulatorUnits;
    };
    /// The loads of one tensor for one role of its requests (R7.1). bound() adds up these loads.
    struct Load
    {
        double area;
        Axis row, col;
        std::int64_t height, width;         ///< size of the tensor
        std::int64_t gridHeight, gridWidth; ///< size of the sink whose tiles request the tensor
        /// True if another request, by tiles, may have loaded a slice already, so that the slice is in fast
        /// memory.
        bool mayBeLoaded = false;
        /// If above 0: the tensor is requested only in steps that complete a reduction of this size.
        std::int64_t after = 0;
        bool early = false;     ///< true if every tile that requests the tensor does so in its first step
        std::int64_t units = 1; ///< units (R1.9) that one element of the tensor occupies
    };
    /// The compute work of one op; bound() adds up the work of all ops.
    struct Work
    {
        /// Compute cost of the part of the result in one row of tiles (all rows unless `byRow`) and one
        /// column of tiles (all columns unless `byCol`).
        double cost;
        std::int64_t height, width;
        /// True if `cost` counts once for each row (column) of tiles.
        bool byRow, byCol;
        /// Reduction size of a MatMul with compute=array, where `cost` is that of one cycle; else 0.
        std::int64_t reduction;
        double chunks; ///< minimum number of pieces into which the reduction is cut
        /// Size of the reduction over whose k steps the work is spread; 0 if it is not spread.
        std::int64_t stepped;
        bool early = false; ///< true if every tile does this work completely in its first step
        /// True if all tiles in one row of tiles compute the same part of the result, so that it counts once.
        bool onceARow = false;
        /// True if all tiles in one column of tiles compute the same part of the result, so that it counts
        /// once.
        bool onceAColumn = false;
    };
    /// A step of the first tile for which a lower bound of the working set is computed.
    struct Moment
    {
        std::uint64_t conditions;
        std::int64_t reduction; ///< only sinks with at least this reduction size are active
        bool first;             ///< true: k step 0; false: the step that completes `reduction`
    };

    struct Grid
    {
        double rows, cols;
    };
    void compileBound();
    [[nodiscard]] std::int64_t completedBefore(std::size_t first, std::size_t last) const;
    /// True if all conditions in this mask hold in the first k step of a tile.
    [[nodiscard]] bool isEarly(std::uint64_t conditions) const;
    /// Fills m_loads and m_work with lower bounds that hold for every k up to `deepest`.
    void prepareBounds(std::int64_t deepest);
    void listLoads(std::int64_t deepest);
    void listWork(std::int64_t deepest);
    /// True if every k up to `deepest` cuts this extent into several steps.
    [[nodiscard]] static bool isCut(Axis axis, std::int64_t extent, std::int64_t deepest)
    {
        return axis == Axis::Step && extent > deepest;
    }
    /// True if some tile or k of at most these sizes covers the whole extent.
    [[nodiscard]] static bool mayBeWhole(Axis axis, std::int64_t extent, std::int64_t tile,
                                         std::int64_t deepest)
    {
        return axis == Axis::Full || extent <= (axis == Axis::Tile ? tile : deepest);
    }
    /// True if ranges on axes `a` and `b` can be equal for some tile and k of at most these sizes.
    [[nodiscard]] static bool mayEqual(Axis a, Axis b, std::int64_t extent, std::int64_t tile,
                                       std::int64_t deepest);
    [[nodiscard]] static double timesLoaded(const Load& load, double rows, double cols, std::int64_t mostW,
                                            std::int64_t mostH);
    /// Returns Axis::Full for a tile or k range that covers the whole extent, else `axis`.
    [[nodiscard]] static Axis resolved(Axis axis, std::int64_t extent, std::int64_t tile, std::int64_t k)
    {
        return (axis == Axis::Tile && tile >= extent) || (axis == Axis::Step && k >= extent) ? Axis::Full
                                                                                             : axis;
    }
    [[nodiscard]] Grid gridOf(std::uint64_t conditions, std::int64_t w, std::int64_t h) const;
    [[nodiscard]] double gridCompute(const Granularity& g) const;
    /// Cost of one array cycle of a MatMul with compute=array (R8.2), else 0.
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
    struct Depths ///< an interval of k, both ends included
    {
        std::int64_t least, most;
    };
    /// Splits the legal values of k into intervals. Within an interval, each reduction either takes one step
    /// for every k, or several steps for every k.
    [[nodiscard]] std::vector<Depths> depths() const;
    [[nodiscard]] double anyOrderBoundAt(const Depths& depths);
    [[nodiscard]] double steppedReductionBound(const Extents& e, const Depths& depths,
                                               std::int64_t reduction) const;
    [[nodiscard]] double firstTilesBound(const Extents& e, bool ofRows) const;
    [[nodiscard]] double leastTraffic(const Extents& e) const;
    [[nodiscard]] Extents extentsOf(std::size_t column, std::size_t row) const;
    /// Calls visit(Extents) for the largest tile classes for which fits(w, h) is true. Skips the classes
    /// between two visited ones if mayMatter() is false for the larger width and the larger height of both.
    template <class Fits, class Visit, class MayMatter>
    void forLargestClasses(Fits&& fits, Visit&& visit, MayMatter&& mayMatter);
    /// True if the granularity can fit in fast memory. Reductions of size `whole` or less are assumed to take
    /// one k step.
    [[nodiscard]] bool canFit(const Granularity& g, std::int64_t whole) const;
    /// Returns a lower bound of the working set of a step. Bounds above `enough` need not be exact: the
    /// computation may stop there.
    [[nodiscard]] std::int64_t
    leastWorkingSet(const Granularity& g, std::int64_t whole, const Moment& moment,
                    std::int64_t enough = std::numeric_limits<std::int64_t>::max()) const;
    std::uint64_t conditionBit(std::int64_t height, std::int64_t width, std::int64_t reduction,
                               bool completing);
    void addRequest(const SubgraphPlan::Use& use, std::uint64_t condition);
    void addRun(const SubgraphPlan::Use& use, bool epilogue, std::uint64_t condition);
    void compileSinks();
    void findWholeRuns();
    [[nodiscard]] bool isReadWhole(TensorId view) const;
    void compileRange();
    void compileEnergy();
    [[nodiscard]] bool legal(const Granularity& g) const;
    /// Returns m_evaluator, prepared for the compiled plan.
    [[nodiscard]] FastEvaluator& evaluator();

    const Problem& m_problem;
    Rules m_rules;
    Price m_price;
    bool m_pricesLatency;
    double m_memoryEnergy = 0; ///< energy in pJ (R17) of the transfers in one unit of memory time
    double m_runEnergy = 0;    ///< lower bound of the energy of all runs of the subgraph, in pJ
    bool m_supported;
    bool m_array;    ///< true if compute=array
    bool m_elements; ///< true if vector=elements
    bool m_plainArray;
    PlanCompiler m_compiler;
    SubgraphPlan m_plan;
    std::vector<TensorId> m_resident, m_retained;
    std::int64_t m_capacity;
    double m_bandwidth;
    std::int64_t m_nativeW, m_nativeH, m_nativeK;
    std::int64_t m_evaluations = 0;
    std::int64_t m_maxWalkedSteps = kMaxWalkedSteps;

    // The next two vectors hold, by tensor, the m_stamp of the last compile() in which the tensor was
    // resident or retained.
    std::uint32_t m_stamp = 0;
    std::vector<std::uint32_t> m_residentHere, m_retainedHere;

    bool m_overflow = false;
    Range m_range;
    std::vector<std::int64_t> m_widths, m_heights, m_reductions;
    std::vector<std::int64_t> m_prologueWidths, m_prologueHeights;
    std::vector<Condition> m_conditions;
    std::vector<Sink> m_sinks;
    std::vector<char>
        m_whole; ///< by op of the plan: true if the subgraph certainly computes its whole result
    std::vector<std::uint64_t> m_groupConditions; ///< for each SubgraphPlan::Group, the bit of its condition
    bool m_sharedDrivers = false;
    std::vector<Request> m_requests;
    std::vector<Run> m_runs;
    /// Boundary inputs that are loaded once and then retained (R9.7), with the least number of units that are
    /// loaded.
    struct KeptInput
    {
        std::uint32_t tensor;
        double area;
    };
    std::vector<KeptInput> m_keptInputs;
    std::int64_t m_reserved = 0;
    std::vector<TensorId> m_free;

    double m_stores = 0;
    std::vector<Load> m_loads;
    std::vector<Work> m_work;
    std::vector<Moment> m_moments;
    // scratch memory of prepareBounds(): all loads of one tensor, each with its request
    struct RequestedLoad
    {
        Load load;
        std::size_t request;
    };
    std::vector<RequestedLoad> m_ofTensor;
    std::vector<char> m_isListed;
    std::vector<std::size_t> m_same;
    /// The tile classes of one axis and the extents they belong to. They are cached since consecutive op sets
    /// often have the same extents.
    struct Classes
    {
        std::vector<std::int64_t> smallest, extents;
        std::int64_t min = 0, max = 0;
        void list(const std::vector<std::int64_t>& extents, std::int64_t min, std::int64_t max);
    };
    Classes m_rowClasses, m_columnClasses;

    FastEvaluator m_evaluator; ///< prepared by the first evaluation after each compile()
};

} // namespace tilewright
