// SPDX-License-Identifier: GPL-3.0-or-later
// The fast evaluator. Private to core/eval.
//
// Every range of a step is one of three kinds: the sink's tile on that axis, the k step, or the whole axis
// (R6 maps rows of tiles to rows and columns to columns). So each buffer and each run is a *symbol*. Three
// facts determine a step: which extents are clipped (tile class), the k phase, and which symbols have kept
// their range since the previous step (one bit mask for each kind of transition). Steps with equal facts are
// identical, so their sum is computed once and multiplied by their number. If two symbols of one tensor (or
// op) are the same rectangle at some positions only (their ranges coincide there), bind() returns false and
// the caller uses PositionEngine. With `ignoreCoincidences` such symbols count as different.
//
// There are three stages. prepare() lists the requests and runs of a plan, given the resident and retained
// tensors. bind() turns the lists into symbols for one granularity. run() sums the steps in the order of a
// traversal. A search calls prepare() once for many calls of bind().
#pragma once

#include "eval/bits.h"
#include "eval/cost.h"
#include "eval/evaluation.h"
#include "eval/trace.h"
#include "schedule/schedule.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace tilewright {

/// An uninitialised array on the stack (N > 0), or a vector (N == 0).
template <class T, std::size_t N> class Store
{
public:
    void resize(std::size_t n)
    {
        if constexpr (N == 0)
            m_data.resize(n);
    }
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return m_data[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return m_data[i]; }

private:
    std::conditional_t<(N > 0), std::array<T, (N > 0 ? N : 1)>, std::vector<T>> m_data;
};

struct SmallLimits
{
    static constexpr std::size_t kWords = 1;
    static constexpr std::size_t kUses = 64;
    static constexpr std::size_t kSlots = 32;
    static constexpr std::size_t kGroups = 24;
    static constexpr std::size_t kSinks = 3;    // with 3 sinks, at most 7 tile classes on each axis
    static constexpr std::size_t kClasses = 49; // 7 x 7 tile classes
    static constexpr std::size_t kDepths = 4;
    static constexpr std::size_t kPhases = 2 * kDepths + 1;

    [[nodiscard]] static bool hold(const SubgraphPlan& plan) noexcept
    {
        return plan.uses().size() <= kUses && plan.ranges().size() <= kSlots &&
               plan.groups().size() <= kGroups && plan.sinks().size() <= kSinks;
    }
};
struct LargeLimits // a limit of 0 puts the array on the heap
{
    static constexpr std::size_t kWords = 16;
    static constexpr std::size_t kUses = 0;
    static constexpr std::size_t kSlots = 0;
    static constexpr std::size_t kGroups = 0;
    static constexpr std::size_t kSinks = 0;
    static constexpr std::size_t kClasses = 0;
    static constexpr std::size_t kDepths = 0;
    static constexpr std::size_t kPhases = 0;
    static constexpr std::size_t kMaxBits = kWords * 64;
    static constexpr std::size_t kMaxCells = std::size_t{1} << 20; // limit for classes x (phases + buffers)
};

/// A limit for FastEngine::run() that never ends the run early.
struct NoLimit
{
    [[nodiscard]] static constexpr bool allows(const Tally&, std::int64_t = 1) noexcept { return true; }
};

template <class Limits> class FastEngine
{
    using Mask = Bits<Limits::kWords>;
    using Axis = SubgraphPlan::Axis;
    static constexpr bool kSmall = Limits::kUses > 0;
    static constexpr std::size_t kSpans = kSmall ? 2 * Limits::kSinks + 1 : 0;

public:
    explicit FastEngine(bool ignoreCoincidences = false) noexcept : m_ignoreCoincidences(ignoreCoincidences)
    {
    }

    /// Lists the requests and runs of a plan, which must outlive the engine. Also given: the tensors resident
    /// before the subgraph, and those that it retains (R3.3, R9.7). Returns false if the plan exceeds the
    /// limits of this engine.
    [[nodiscard]] bool prepare(const SubgraphPlan& plan, std::span<const TensorId> resident,
                               std::span<const TensorId> retained);

    /// Binds the lists to one granularity. Returns false if there is no closed form; then no other function
    /// may be called.
    [[nodiscard]] bool bind(const Granularity& g) { return bindBuffers(g) && bindRuns(); }
    /// First part of bind(); sufficient for firstTilePeak().
    [[nodiscard]] bool bindBuffers(const Granularity& g);
    /// Second part of bind(): the runs.
    [[nodiscard]] bool bindRuns();

    /// Units (R1.9) of the resident and retained tensors (R9.1a).
    [[nodiscard]] std::int64_t reserved() const noexcept { return m_reserved; }
    [[nodiscard]] std::int64_t rows() const noexcept { return m_rows; }
    [[nodiscard]] std::int64_t cols() const noexcept { return m_cols; }

    /// Returns the largest working set in the first tile, which is the same tile in all preset row and column
    /// traversals. May stop early as soon as a working set exceeds `enough`.
    [[nodiscard]] std::int64_t firstTilePeak(std::int64_t enough = std::numeric_limits<std::int64_t>::max());
    /// True if the peak is the same for every order of the tiles.
    [[nodiscard]] bool peakIsOfAnyOrder() const noexcept { return m_mixedCount == 0; }

    /// R8.2: returns the cycles of all charged runs of a MatMul (by local index), under any rule `compute`
    /// and for any order of the tiles. After this call all costs are cycles.
    [[nodiscard]] double cyclesOf(std::uint32_t op)
    {
        m_cyclesOf = op;
        bindRunCosts();
        for (std::size_t i = 0; i < m_rowClasses * m_colClasses; ++i)
            m_class[i].ready = false;
        return run(TraversalKind::Raster).compute;
    }

    /// Returns the sums over all steps; a Custom order must be a permutation (R5.3). Calls
    /// limit.allows(tally, count) for every part of the sum. When it returns false, the sum so far is
    /// returned (with a preset row or column traversal; the others always run to the end).
    template <class Limit = NoLimit> [[nodiscard]] Tally run(const Traversal& traversal, Limit&& limit = {})
    {
        Tally total = runSteps(traversal, limit);
        if (m_energy)
            total.energy += m_energy->transfers(total.load, total.store);
        return total;
    }

private:
    template <class Limit> [[nodiscard]] Tally runSteps(const Traversal& traversal, Limit& limit)
    {
        m_forgets = traversal.kind() == TraversalKind::Raster && !m_plan->rules().nullOrderReuse;
        switch (traversal.kind()) {
        case TraversalKind::Raster:
            return runLines(true, false, limit);
        case TraversalKind::Snake:
            return runLines(true, true, limit);
        case TraversalKind::Column:
            return runLines(false, false, limit);
        case TraversalKind::ColumnSnake:
            return runLines(false, true, limit);
        case TraversalKind::Spiral:
        case TraversalKind::Custom:
            break;
        }
        TileWalk walk(*this);
        forEachTile(traversal, m_rows, m_cols, [&](std::int64_t row, std::int64_t col) {
            walk.visit(row, col);
            return true;
        });
        const Tally total = walk.total();
        (void)limit.allows(total);
        return total;
    }

    /// A condition under which requests and runs are active: in tiles that contain part of a sink of this
    /// shape; in all k steps of a reduction, or only in its last one. Groups of the plan with equal
    /// conditions share a cause.
    struct Cause
    {
        std::uint32_t rowSlot, colSlot; // slots of the sink's rows and columns
        std::int64_t reduction;
        bool completing;
        std::int64_t steps; // number of k steps; set by bind()
    };
    struct Request // a request for a part of an input, which a buffer serves (R7.1)
    {
        std::uint32_t input;
        std::uint32_t rowSlot, colSlot;
        Role role;
        Mask causes;
        std::int64_t units; // units (R1.9) of an element
    };
    struct Buffer // a buffer (R7.1); it serves one or more requests
    {
        std::uint32_t input;
        std::uint32_t rowSlot, colSlot;
        Axis row, col; // kinds of the row and the column axis, in canonical form
        Role role;
        bool whole;
        std::int64_t units; // units (R1.9) of an element
    };
    struct Run
    {
        std::uint32_t id; // index of the op, or of the input for a kept load
        std::uint32_t rowSlot, colSlot, depthSlot;
        Mask causes;
        bool drives;
        bool kept; // true if this is not a run but the load of a retained input (R9.7)
        bool matmul;
        bool interior; // true if its result is neither a sink nor retained (R9.9)
        double base;
        std::int64_t units;   // units (R1.9) of an element of the result or retained input
        Axis row, col, depth; // kinds of the axes, in canonical form; set by bind()
        std::uint32_t bound;  // index of the run among distinct runs, which is its bit in masks of runs
    };
    struct Span
    {
        std::int64_t begin, count;
    };
    struct Mixed // a tensor requested both whole and in part (R7.1)
    {
        Mask full, parts;
    };
    struct Cell // the steps of one tile class in one k phase
    {
        Mask buffers; // buffers in use, before R7.1 merges them into FULL
        Mask runs;
        Mask forget; // buffers whose memory was donated to outputs (R9.6)
        std::int64_t workingSet;
        std::int64_t fixedSet; // working set without buffers
        std::int64_t store;
        // elements loaded by the first step of the phase if it follows the previous phase
        std::int64_t loadEnter;
        std::int64_t loadRepeat;
    };
    struct Class
    {
        bool ready;
        std::uint32_t index, row, col, phases;
        Mask allRuns;
        Mask last; // buffers left in memory by a tile of this class (without mixed tensors)
        bool restReady;
        Mask restKey;
        Tally rest; // sums of all steps except the first
    };

    // ---- listing --------------------------------------------------------------------------------------

    [[nodiscard]] bool listSinks();
    [[nodiscard]] bool listCauses();
    void listRequest(const SubgraphPlan::Use& u);
    void listRun(std::size_t index, const SubgraphPlan::Use& u, bool kept);

    // ---- binding --------------------------------------------------------------------------------------

    [[nodiscard]] Axis canonical(std::uint32_t slot) const noexcept { return m_axis[slot]; }
    [[nodiscard]] bool reduces(std::uint32_t slot) const noexcept { return m_plan->ranges()[slot].reduces(); }

    [[nodiscard]] bool canMeet(std::int64_t tile, std::int64_t tileSize, std::int64_t step,
                               std::int64_t stepSize) const noexcept;
    [[nodiscard]] bool canMeet(Axis a, Axis b, bool row, std::int64_t size) const noexcept;
    [[nodiscard]] bool canMeet(const Run& a, const Run& b) const noexcept;
    [[nodiscard]] bool addBuffer(const Request& r);
    [[nodiscard]] bool addRun(Run& run);
    [[nodiscard]] bool isKnownRun(Run& run, bool& isRegular);
    void bindMixed();
    [[nodiscard]] bool bindSymbols();
    [[nodiscard]] std::int64_t phaseSteps(std::size_t p) const noexcept;
    std::size_t axisClasses(bool row, Store<Span, kSpans>& spans);
    [[nodiscard]] bool bindClasses();
    void stepExtents(std::size_t phase);
    void bindRunCosts();
    [[nodiscard]] double runCost(const Run& run) const;
    [[nodiscard]] double runEnergy(const Run& run, std::int64_t q) const;
    void variantCosts(const Cell& out, std::size_t at, std::int64_t q);
    [[nodiscard]] bool donationIsRegular() const;
    [[nodiscard]] bool axisIsRegular(std::uint32_t useSlot, std::uint32_t sinkSlot) const noexcept;

    // ---- tile classes ---------------------------------------------------------------------------------

    [[nodiscard]] Cell& cell(const Class& c, std::size_t phase);
    [[nodiscard]] std::int64_t length(std::uint32_t slot, Axis axis) const noexcept;
    [[nodiscard]] std::int64_t bufferArea(std::size_t b) const noexcept;
    [[nodiscard]] std::int64_t area(const Mask& buffers) const noexcept;
    void tileExtents(std::size_t row, std::size_t col);
    [[nodiscard]] std::size_t phasesHere() const noexcept;
    Class& classAt(std::size_t row, std::size_t col);
    void buildClass(Class& c, std::size_t row, std::size_t col);
    [[nodiscard]] std::int64_t tileArea(std::size_t sink) const noexcept;
    void buildCell(Cell& out, std::size_t phase);
    [[nodiscard]] std::int64_t accumulatorUnits(std::uint32_t driver) const;
    [[nodiscard]] std::int64_t accumulators(std::size_t s, std::int64_t q) const;
    [[nodiscard]] std::int64_t interiorSlices(const Mask& runs, std::int64_t q) const;
    [[nodiscard]] bool isAccumulator(const Run& run, std::int64_t q) const;
    void donate(Cell& out, std::int64_t q);
    [[nodiscard]] bool isActive(const Cause& cause, std::int64_t q) const noexcept;
    [[nodiscard]] bool sameRange(std::uint32_t useSlot, std::uint32_t sinkSlot) const noexcept;

    // ---- tiles ----------------------------------------------------------------------------------------

    [[nodiscard]] double compute(const Class& c, std::size_t phase, const Mask& runs) const;
    /// R17: adds the energy of charged runs. Requires m_energy.
    void addEnergy(Tally& out, const Class& c, std::size_t phase, const Mask& runs) const;
    [[nodiscard]] Tally tile(Class& c, const Mask& reuse, const Mask& charge, Mask& last);
    void restOfTile(Class& c, const Mask& charge);
    void repeat(Tally& out, const Class& c, std::size_t p, const Cell& here, const Mask& runs,
                std::int64_t load, std::int64_t ws);
    void mergeFull(Mask& buffers, const Mask& previous) const;
    [[nodiscard]] std::int64_t keptLoad(const Mask& runs) const;
    [[nodiscard]] Tally tileGeneral(Class& c, const Mask& reuse, const Mask& charge, Mask& last);

    // ---- orders ---------------------------------------------------------------------------------------

    struct LineState
    {
        Mask previous;   // buffers of the last step
        Mask once;       // runs that depend on no tile axis and are already charged
        std::int64_t at; // position, in its line, of the last tile with a step
        bool operator==(const LineState&) const = default;
    };

    template <class Limit> [[nodiscard]] Tally runLines(bool byRows, bool snake, Limit& limit);
    /// Simulates tiles one by one in any order. Equal tiles in equal states are computed once.
    class TileWalk
    {
    public:
        explicit TileWalk(FastEngine& e) : m_e(e)
        {
            m_tracksRows = e.m_byRow.any();
            m_tracksCols = e.m_byCol.any();
            if (m_tracksRows)
                m_rowPaid.resize(static_cast<std::size_t>(e.m_rows), Mask{});
            if (m_tracksCols)
                m_colPaid.resize(static_cast<std::size_t>(e.m_cols), Mask{});
        }

        void visit(std::int64_t row, std::int64_t col)
        {
            Class& c =
                m_e.classAt(classOf(m_e.m_rowSpan, row, m_rowClass), classOf(m_e.m_colSpan, col, m_colClass));
            if (c.phases == 0)
                return; // no sink is active in this tile, so it has no step
            Mask reuse = m_previous & ~m_e.m_bufferStep;
            if (row != m_row)
                reuse &= ~m_e.m_bufferRow;
            if (col != m_col)
                reuse &= ~m_e.m_bufferCol;
            Mask charge = m_e.m_always | (m_e.m_once & ~m_once);
            if (m_tracksRows)
                charge |= m_e.m_byRow & ~m_rowPaid[static_cast<std::size_t>(row)];
            if (m_tracksCols)
                charge |= m_e.m_byCol & ~m_colPaid[static_cast<std::size_t>(col)];
            Memo& memo = find(c, reuse, charge);
            ++memo.count;
            m_previous = memo.last;
            m_once |= c.allRuns & m_e.m_once;
            if (m_tracksRows)
                m_rowPaid[static_cast<std::size_t>(row)] |= c.allRuns;
            if (m_tracksCols)
                m_colPaid[static_cast<std::size_t>(col)] |= c.allRuns;
            m_row = row;
            m_col = col;
        }

        [[nodiscard]] Tally total() const
        {
            Tally sum{};
            for (const Memo& m : m_memo)
                sum.add(m.tally, m.count);
            return sum;
        }

    private:
        struct Memo
        {
            std::uint32_t index;
            std::int64_t count;
            Mask reuse, charge, last;
            Tally tally;
        };

        Memo& find(Class& c, const Mask& reuse, const Mask& charge)
        {
            for (Memo& m : m_memo)
                if (m.index == c.index && m.reuse == reuse && m.charge == charge)
                    return m;
            Memo fresh{c.index, 0, reuse, charge, Mask{}, Tally{}};
            fresh.tally = m_e.tile(c, reuse, charge, fresh.last);
            m_memo.push_back(fresh);
            return m_memo.back();
        }

        [[nodiscard]] static std::size_t classOf(const Store<Span, kSpans>& spans, std::int64_t at,
                                                 std::size_t& hint)
        {
            while (at < spans[hint].begin)
                --hint;
            while (at >= spans[hint].begin + spans[hint].count)
                ++hint;
            return hint;
        }

        FastEngine& m_e;
        bool m_tracksRows = false, m_tracksCols = false;
        std::vector<Mask> m_rowPaid, m_colPaid;
        std::vector<Memo> m_memo;
        Mask m_previous{};
        Mask m_once{};
        std::int64_t m_row = -1, m_col = -1;
        std::size_t m_rowClass = 0, m_colClass = 0;
    };

    const bool m_ignoreCoincidences;
    const SubgraphPlan* m_plan = nullptr;
    std::optional<StepCosts> m_cost;
    std::optional<MemoryCosts> m_memory;
    std::optional<StepEnergy> m_energy; ///< costs in energy (R17); empty if the problem states no energies
    bool m_holds = false;               ///< true if interior=held (R9.9)
    std::int64_t m_reserved = 0;

    // The following members are set by prepare().
    Store<Cause, Limits::kGroups> m_causes;
    std::size_t m_causeCount = 0;
    Store<std::uint32_t, Limits::kGroups> m_groupCause;
    Store<Request, Limits::kUses> m_requests;
    Store<Run, Limits::kUses> m_runs;
    std::size_t m_requestCount = 0, m_listedRuns = 0;
    Store<char, Limits::kUses> m_useBit;          // true if the use is a request served from a buffer
    Store<std::uint32_t, Limits::kUses> m_useRun; // for each use, the index of its run
    Store<char, Limits::kSinks> m_sinkRetained;
    Store<std::int64_t, Limits::kSinks> m_sinkReduction;
    // for each sink, the units (R1.9) of an element: in memory, in the tile while it accumulates, and in all
    // its accumulators together
    Store<std::int64_t, Limits::kSinks> m_sinkUnits, m_sinkWidest, m_sinkAccumulators;
    Store<std::int64_t, Limits::kSinks>
        m_sinkRoom; ///< for each sink, the units that an element of its tile takes; set by bind()
    // heights and widths of the sinks, each once, ascending
    Store<std::int64_t, Limits::kSinks> m_heights, m_widths;
    std::size_t m_heightCount = 0, m_widthCount = 0;
    Store<std::int64_t, Limits::kDepths> m_depths; // reduction sizes, each once, ascending
    std::size_t m_depthCount = 0;
    bool m_hasShared = false;  // true if some tensor has several requests
    bool m_hasRepeats = false; // true if some op has several runs

    // The following members are set by bind().
    Granularity m_g;
    Store<Axis, Limits::kSlots> m_axis;
    Store<std::int64_t, Limits::kSlots> m_extent; // extent of every slot in the current class and phase
    Store<std::int64_t, Limits::kSinks> m_sinkSteps;
    Store<Mask, Limits::kGroups> m_causeBuffers;
    Store<Mask, Limits::kGroups> m_causeRuns;
    Store<Buffer, Limits::kUses> m_buffers;
    // for each distinct run, the position of its first occurrence in m_runs
    Store<std::uint32_t, Limits::kUses> m_bound;
    Store<Mixed, Limits::kUses> m_mixed;
    std::size_t m_bufferCount = 0, m_runCount = 0, m_mixedCount = 0;
    // buffers whose range follows the k step, the tile row, the tile column
    Mask m_bufferStep{}, m_bufferRow{}, m_bufferCol{};
    Mask m_always{}, m_byRow{}, m_byCol{},
        m_once{}; // runs charged in each tile; in the first tile of a row; of a column; once in the subgraph
    Mask m_eachStep{}; // runs charged in every k step of a tile
    Mask m_kept{};
    bool m_hasKept = false;
    // true if the cost of a run depends on the tile class: kinds of axes, compute=array, vector=elements,
    // energies
    bool m_hasVariants = false;
    bool m_forgets = false;
    std::optional<std::uint32_t> m_cyclesOf; // op of cyclesOf(), if it was called
    Store<std::int64_t, (kSmall ? Limits::kPhases + 1 : 0)> m_phaseBegin;
    std::size_t m_phaseCount = 0;
    Store<double, Limits::kPhases * Limits::kUses> m_runCost;
    // costs of runs by tile class; used instead of m_runCost if m_hasVariants
    std::vector<double> m_cellCost;
    std::vector<double> m_cellEnergy; // energies of runs by tile class, if the problem states energies
    Store<Span, kSpans> m_rowSpan, m_colSpan;
    std::size_t m_rowClasses = 0, m_colClasses = 0;
    std::int64_t m_rows = 0, m_cols = 0;
    Store<Class, Limits::kClasses> m_class;
    Store<Cell, Limits::kClasses * Limits::kPhases> m_cells;
    Store<std::int64_t, Limits::kClasses * Limits::kUses> m_firstArea;
};

/// Calls use(engine) with an engine prepared for the plan: the small one if the plan is within its limits,
/// else the large one. Returns a default value if the plan exceeds both.
template <class Use>
[[nodiscard]] auto withEngine(const SubgraphPlan& plan, std::span<const TensorId> resident,
                              std::span<const TensorId> retained, bool ignoreCoincidences, Use&& use)
{
    if (SmallLimits::hold(plan))
        if (FastEngine<SmallLimits> engine(ignoreCoincidences); engine.prepare(plan, resident, retained))
            return use(engine);
    FastEngine<LargeLimits> engine(ignoreCoincidences);
    return engine.prepare(plan, resident, retained) ? use(engine) : decltype(use(engine)){};
}

} // namespace tilewright

#include "eval/fast_engine_bind.h"  // IWYU pragma: keep
#include "eval/fast_engine_costs.h" // IWYU pragma: keep
#include "eval/fast_engine_tiles.h" // IWYU pragma: keep
