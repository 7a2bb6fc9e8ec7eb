// SPDX-License-Identifier: GPL-3.0-or-later
// PositionEngine: the fast evaluator for subgraphs without a closed form. These are subgraphs that read
// through index maps (R1.8), so that a step depends on the place of its tile, and those in which ranges
// coincide at some positions only. Private to core/eval.
//
// The engine walks steps, i.e. it computes their sums one after another. The first step of every tile is
// walked, since it depends on the tile before. The other steps depend only on their tile, so they are walked
// once for each class of tiles. Two tiles are in one class if each range of the plan differs by a constant
// shift, with the same footprints. Consecutive steps, tiles of a line, or lines of tiles may differ only by a
// shift (the k steps within one place of a window, the tiles between two edges). Then one or two of them are
// walked for all. If steps depend on all steps before them (ephemeral=neutral, inputs that are being
// retained), every step is walked.
#pragma once

#include "eval/cost.h"
#include "eval/fast_footprints.h"
#include "rules/subgraph_plan.h"
#include "schedule/schedule.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace tilewright {

class PositionEngine
{
public:
    static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

    /// Sets the subgraph. The plan must outlive its use by the engine. Also given: the tensors resident
    /// before the subgraph, and those that it retains (R3.3, R9.7).
    void prepare(const SubgraphPlan& plan, std::span<const TensorId> resident,
                 std::span<const TensorId> retained);
    /// Sets the granularity, which must pass plan.check().
    void bind(const Granularity& g);

    /// Units (R1.9) of the resident and retained tensors (R9.1a).
    [[nodiscard]] std::int64_t reserved() const noexcept { return m_reserved; }
    [[nodiscard]] std::int64_t rows() const noexcept { return m_rows; }
    [[nodiscard]] std::int64_t cols() const noexcept { return m_cols; }
    /// Number of steps if every tile has all its k steps.
    [[nodiscard]] std::int64_t mostSteps() const noexcept
    {
        return saturatingMul(saturatingMul(m_rows, m_cols), m_mostTileSteps);
    }
    /// Returns a lower bound of the number of steps that run() walks. A tile without steps counts as one
    /// step.
    [[nodiscard]] std::int64_t leastWalk(const Traversal& traversal);
    /// True if the largest working set is certainly the same for every order of the tiles.
    [[nodiscard]] bool peakIsOfAnyOrder() const noexcept { return !m_mayMix; }

    /// Returns the largest working set in the first tile, which is the same tile in all preset row and column
    /// traversals. Stops as soon as a working set exceeds `enough`.
    [[nodiscard]] std::int64_t firstTilePeak(std::int64_t enough);

    /// Returns the sums over all steps; a Custom order must be a permutation (R5.3). Calls
    /// limit.allows(tally) for every part of the sum. When it returns false, or after `most` walked steps,
    /// the sum so far is returned.
    template <class Limit>
    [[nodiscard]] Tally run(const Traversal& traversal, Limit&& limit, std::int64_t most)
    {
        begin(traversal.kind() == TraversalKind::Raster && !m_plan->rules().nullOrderReuse, most);
        if (isInLines(traversal) && !dependsOnHistory())
            m_isComplete = visitLines(traversal.kind(), limit);
        else
            forEachTile(traversal, m_rows, m_cols, [&](std::int64_t row, std::int64_t col) {
                m_isComplete = visitTile(row, col, limit);
                return m_isComplete;
            });
        return total();
    }
    /// True if the last run() reached the last tile.
    [[nodiscard]] bool isComplete() const noexcept { return m_isComplete; }

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;

    struct Range
    {
        std::int64_t begin = 0, end = 0;
        [[nodiscard]] std::int64_t size() const noexcept { return end - begin; }
        bool operator==(const Range&) const = default;
    };
    /// Bits that say what a range depends on: the row or column of the tile, or the k step.
    static constexpr std::uint8_t kWithRow = 1, kWithCol = 2, kWithStep = 4;
    struct Slot
    {
        std::uint8_t with = 0;
        std::uint32_t box = kNone; ///< index in m_boxes
    };
    /// the box that a rectangle of a view touches (R1.8), which serves ranges of the plan or a request
    struct Box
    {
        std::uint32_t map, rowSlot, colSlot;
        std::uint32_t firstSlot; ///< first slot that takes its range from the box; kNone for a request
    };
    struct Input
    {
        enum class Kind : std::uint8_t { Buffer, Resident, Kept } kind = Kind::Buffer;
        std::uint32_t map = kNone;      ///< number of the input's map in m_footprints
        std::uint32_t coverage = kNone; ///< index in m_coverage if the input is kept (R9.7)
        std::int64_t height = 1, width = 1, units = 1, wholeSize = 0;
        /// Numbers (m_stamp) of the last step with a request for the whole input, and of the last step in
        /// which an output took over the memory of the input (donation).
        std::uint64_t askedWhole = 0, taken = 0;
    };
    struct Product
    {
        OpId op;
        bool matmul = false;
        bool interior = false; ///< true if the result is neither a sink nor retained (R9.9)
        /// true if the op may repeat runs of earlier steps, which are then free (R8.1)
        bool recorded = false;
        double base = 0;
        std::int64_t units = 1, accumulatorUnits = 1, reduction = 1;
        std::uint64_t accumulates = 0; ///< last step (m_stamp) in which the op had an accumulator (R9.1d)
        Rect accumulator;
    };
    struct Sink
    {
        bool retained = false;
        std::int64_t steps = 1, reduction = 1;
    };
    struct Run
    {
        std::uint32_t id;
        Rect rect;
        Range depth;
        std::uint32_t next = kNone;
    };
    struct Request ///< a request or a buffer; `full` is true for a buffer with the whole tensor
    {
        std::uint32_t id;
        std::uint32_t rowSlot, colSlot;
        Role role;
        bool full;
        Rect rect;
        std::int64_t size;
        std::uint32_t next = kNone;
        [[nodiscard]] bool isSame(const Request& r) const noexcept
        {
            return full == r.full && (full || (role == r.role && rect == r.rect));
        }
    };
    /// Items of a step (runs, requests or buffers), which are found by the op or input that owns them.
    template <class Item> class Items
    {
    public:
        void reset(std::size_t owners)
        {
            m_list.clear();
            m_head.assign(owners, kNone);
        }
        void clear()
        {
            for (const Item& item : m_list)
                m_head[item.id] = kNone;
            m_list.clear();
        }
        void add(Item item)
        {
            item.next = std::exchange(m_head[item.id], static_cast<std::uint32_t>(m_list.size()));
            m_list.push_back(item);
        }
        template <class Matches> [[nodiscard]] bool holds(std::uint32_t id, Matches&& matches) const
        {
            for (std::uint32_t at = m_head[id]; at != kNone; at = m_list[at].next)
                if (matches(m_list[at]))
                    return true;
            return false;
        }
        [[nodiscard]] const std::vector<Item>& list() const noexcept { return m_list; }
        /// Calls change(item) for each item. change() must not change the owner of the item.
        template <class Change> void forEach(Change&& change) { std::ranges::for_each(m_list, change); }

    private:
        std::vector<Item> m_list;
        std::vector<std::uint32_t> m_head; // for each owner, its last item
    };
    /// R9.7: the elements of a retained input that have been loaded.
    class Coverage
    {
    public:
        void reset(std::int64_t elements)
        {
            m_parts.clear();
            m_missing = elements;
        }
        [[nodiscard]] bool isWhole() const noexcept { return m_missing == 0; }
        /// Returns the number of elements of `rect` that are new, and adds them.
        std::int64_t add(const Rect& rect);

    private:
        void join(Rect part);
        std::vector<Rect> m_parts, m_fresh, m_rest;
        std::int64_t m_missing = 0;
    };
    struct Cost ///< cost of the last charged run of a use
    {
        std::int64_t rows = -1, cols = 0, depth = 0;
        bool adds = false;
        double compute = 0, energy = 0;
    };
    /// Equal steps, which are counted and multiplied (R10.3), so that the rounding error does not grow with
    /// their number.
    struct Kind
    {
        double compute = 0, energy = 0;
        std::int64_t loaded = 0, stored = 0;
        std::int64_t count = 0; ///< number of these steps in the current run()
        [[nodiscard]] auto key() const noexcept { return std::tuple(compute, energy, loaded, stored); }
    };
    /// Sums over the steps of a tile except the first one; equal for all tiles of a class.
    struct Rest
    {
        bool ready = false;
        Tally tally{};
        std::vector<std::pair<std::uint32_t, std::int64_t>> kinds; ///< kinds of the steps with their numbers
        std::vector<Request> last; ///< buffers after the last step; their ranges are those of another tile
    };
    /// Classes of the places of tiles along one axis. A place is a row or a column of the grid of tiles.
    struct Places
    {
        /// Class of each place; kUnknown until needed, kAlone if it has no class.
        std::vector<std::int32_t> classes;
        /// For each class and slot, the range at the first place of the class.
        std::vector<Range> hulls;
        std::size_t count = 0;
    };
    static constexpr std::int32_t kUnknown = -1, kAlone = -2;

    void prepareSlots();
    void prepareInputs(std::span<const TensorId> resident, std::span<const TensorId> retained);
    void prepareOps(std::span<const TensorId> retained);
    void preparePairs();
    [[nodiscard]] bool mayRepeat(std::uint32_t op) const;

    void begin(bool forgets, std::int64_t most);
    [[nodiscard]] Range tileRange(std::size_t slot, std::int64_t place) const noexcept;
    void setRanges(bool all);
    void enterTile(std::int64_t row, std::int64_t col);
    void leaveTile(const Rest& rest);
    [[nodiscard]] Rect rectOf(std::uint32_t rowSlot, std::uint32_t colSlot) const noexcept
    {
        const Range &r = m_range[rowSlot], &c = m_range[colSlot];
        return {r.begin, r.end, c.begin, c.end};
    }
    void takeStep(std::int64_t step);
    [[nodiscard]] Tally tallyOf(std::uint32_t kind, std::int64_t peak) const;
    void record(Rest& rest);
    void repeat(const Rest& rest);
    [[nodiscard]] Tally total() const;
    [[nodiscard]] std::int64_t takeSinks(std::int64_t& stored);
    void follow(std::uint32_t root);
    void addRequest(const SubgraphPlan::Use& use);
    [[nodiscard]] bool addRun(const SubgraphPlan::Use& use, Cost& cost);
    [[nodiscard]] std::int64_t serve(std::int64_t& loaded);
    [[nodiscard]] std::int64_t donate();
    [[nodiscard]] std::int64_t interiorSlices() const;

    [[nodiscard]] Rest* restOf(std::int64_t row, std::int64_t col);
    [[nodiscard]] std::int32_t classOf(Places& places, bool ofRows, std::int64_t place);
    void findHulls(bool ofRows, std::int64_t place);
    [[nodiscard]] bool isShifted(const Range* from, bool ofRows);
    [[nodiscard]] bool pairsStay() const;

    struct TilePlace
    {
        std::int64_t row = 0, col = 0;
    };
    [[nodiscard]] bool dependsOnHistory() const;
    [[nodiscard]] std::int64_t alike(const std::vector<Range>& at, std::uint8_t along, std::int64_t place,
                                     std::int64_t count);
    [[nodiscard]] std::int64_t stepsAlike();
    void skipTo(std::int64_t step);
    [[nodiscard]] static bool isInLines(const Traversal& traversal) noexcept
    {
        return traversal.kind() != TraversalKind::Spiral && traversal.kind() != TraversalKind::Custom;
    }
    /// Consecutive places of one axis.
    struct PlaceRun
    {
        std::int64_t begin = 0, end = 0;
        bool isAlike = true; ///< false if it is not known whether the places are alike
    };
    [[nodiscard]] const std::vector<PlaceRun>& runsOf(bool ofRows);
    [[nodiscard]] std::vector<std::pair<std::uint32_t, bool>> held() const;
    [[nodiscard]] std::vector<std::int64_t> counts() const;
    void moveTo(const TilePlace& tile);

    /// Calls visit(place) for the places of a run, in either direction. If the `period` places after the
    /// first one leave the same buffers in fast memory as they found, they stand for all remaining places,
    /// and moveBy(number of places) skips to the last place. Returns false if the limit or the maximum number
    /// of steps is reached.
    template <class Limit, class Visit, class MoveBy>
    [[nodiscard]] bool visitRun(const PlaceRun& run, bool backwards, std::int64_t period, Limit& limit,
                                Visit&& visit, MoveBy&& moveBy)
    {
        const std::int64_t count = run.end - run.begin;
        for (std::int64_t i = 0; i < count; ++i) {
            const bool mayJump = run.isAlike && i == 1 && count > 1 + 2 * period;
            const auto before = mayJump ? counts() : std::vector<std::int64_t>();
            const auto found = mayJump ? held() : std::vector<std::pair<std::uint32_t, bool>>();
            for (std::int64_t j = 0; j < (mayJump ? period : 1); ++j)
                if (!visit(backwards ? run.end - 1 - (i + j) : run.begin + i + j))
                    return false;
            if (!mayJump)
                continue;
            i += period - 1;
            if (found != held())
                continue;
            const std::int64_t times = (count - 1 - period) / period;
            for (std::uint32_t k = 0; k < m_kinds.size(); ++k) {
                const std::int64_t more = m_kinds[k].count - (k < before.size() ? before[k] : 0);
                if (more == 0)
                    continue;
                const std::int64_t all = saturatingMul(more, times);
                m_kinds[k].count = saturatingAdd(m_kinds[k].count, all);
                if (!limit.allows(tallyOf(k, m_peak), all))
                    return false;
            }
            moveBy(times * period);
            i += times * period;
        }
        return true;
    }

    /// Counts the steps of all tiles, in an order of lines: rows or columns of tiles.
    template <class Limit> [[nodiscard]] bool visitLines(TraversalKind kind, Limit& limit)
    {
        const bool byRows = kind == TraversalKind::Raster || kind == TraversalKind::Snake;
        const bool turns = kind == TraversalKind::Snake || kind == TraversalKind::ColumnSnake;
        const std::vector<PlaceRun>&lines = runsOf(byRows), &tiles = runsOf(!byRows);
        // Tiles without steps do not change fast memory.
        const auto move = [this](bool rows, std::int64_t by) {
            if (rows ? m_lastTile.row == m_row : m_lastTile.col == m_col)
                moveTo({m_lastTile.row + (rows ? by : 0), m_lastTile.col + (rows ? 0 : by)});
        };
        const auto visitLine = [&](std::int64_t line) {
            const bool backwards = turns && line % 2 == 1;
            for (std::size_t r = 0; r < tiles.size(); ++r) {
                if (!visitRun(
                        tiles[backwards ? tiles.size() - 1 - r : r], backwards, 1, limit,
                        [&](std::int64_t at) {
                            return visitTile(byRows ? line : at, byRows ? at : line, limit);
                        },
                        [&](std::int64_t by) {
                            if (m_tileSteps > 0)
                                move(!byRows, backwards ? -by : by);
                        }))
                    return false;
            }
            return true;
        };
        return std::ranges::all_of(lines, [&](const PlaceRun& run) {
            return visitRun(run, false, turns ? 2 : 1, limit, visitLine,
                            [&](std::int64_t by) { move(byRows, by); });
        });
    }

    /// Counts the steps of a tile. Returns false if the limit or the maximum number of steps is reached.
    template <class Limit> [[nodiscard]] bool visitTile(std::int64_t row, std::int64_t col, Limit& limit)
    {
        enterTile(row, col);
        const auto walk = [&](std::int64_t step) {
            if (m_left <= 0)
                return false;
            --m_left;
            takeStep(step);
            return limit.allows(tallyOf(m_kind, m_room));
        };
        if (m_tileSteps == 0) // no sink is active in this tile
            return m_left-- > 0;
        m_lastTile = {row, col};
        if (!walk(0))
            return false;
        if (m_tileSteps == 1)
            return true;
        Rest* rest = restOf(row, col);
        if (rest && rest->ready) {
            repeat(*rest);
            return limit.allows(rest->tally);
        }
        m_tileKinds.clear();
        m_tilePeak = 0;
        const bool mayJump = !dependsOnHistory();
        std::int64_t alike = 1; // number of steps, from this one on, that are alike
        for (std::int64_t step = 1; step < m_tileSteps; ++step) {
            if (!walk(step))
                return false;
            std::int64_t times = 1;
            // this is the second of the steps that are alike, which finds the same buffers as all later ones
            if (alike > 2) {
                times = alike - 1;
                step += times - 1;
                m_kinds[m_kind].count = saturatingAdd(m_kinds[m_kind].count, times - 1);
                if (!limit.allows(tallyOf(m_kind, m_room), times - 1))
                    return false;
                skipTo(step);
                alike = 1;
            } else if (mayJump) {
                alike = alike > 1 ? alike - 1 : stepsAlike();
            }
            if (rest) {
                m_tileKinds.emplace_back(m_kind, times);
                m_tilePeak = std::max(m_tilePeak, m_room);
            }
        }
        if (rest)
            record(*rest);
        return true;
    }

    FastFootprints m_footprints;

    // The following members are set by prepare().
    const SubgraphPlan* m_plan = nullptr;
    std::optional<StepEnergy> m_energy;
    std::int64_t m_reserved = 0;
    std::vector<Slot> m_slots;
    std::vector<Box> m_boxes;
    std::vector<Input> m_inputs;
    std::vector<Product> m_products;
    std::vector<Sink> m_sinks;
    std::vector<std::uint32_t> m_accumulated; ///< for each entry of the plan's accumulated(): index of its op
    std::vector<Coverage> m_coverage;
    std::vector<std::int64_t> m_keptElements;
    /// Pairs of different slots whose ranges are compared with each other, because requests for one input or
    /// runs of one op use both.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_pairs;
    bool m_keepsHistory = false; ///< true if every step depends on all steps before
    bool m_mayMix = false;       ///< true if an input may be requested both whole and in part (R7.1)

    // The following members are set by bind().
    Granularity m_g;
    std::optional<StepCosts> m_cost;
    std::optional<MemoryCosts> m_memory;
    std::int64_t m_rows = 0, m_cols = 0, m_mostTileSteps = 1;
    Places m_rowPlaces, m_colPlaces;
    std::vector<PlaceRun> m_rowRuns, m_colRuns; ///< see runsOf(); empty until needed
    KeyTable<2> m_restKeys;                     // keys of m_rests: class of the row and of the column
    std::vector<Rest> m_rests;
    std::vector<Cost> m_costs; ///< cost of each use
    KeyTable<4> m_kindKeys;
    std::vector<Kind> m_kinds;
    std::vector<FastFootprints::Shift> m_boxShift; // scratch memory of isShifted() and alike()
    std::vector<std::int64_t> m_shift;
    std::vector<Range> m_hull;

    // The following members describe the current walk.
    bool m_forgets = false, m_isComplete = true;
    std::int64_t m_left = 0; ///< steps that may still be walked
    std::int64_t m_row = 0, m_col = 0, m_step = 0, m_tileSteps = 0;
    TilePlace m_lastTile;              ///< last walked tile that has steps
    std::vector<Range> m_range;        // range of each slot
    std::uint64_t m_stamp = 0;         // number of the step, counted over all runs
    std::vector<std::uint64_t> m_seen; // for each use, the last step in which it occurred
    std::vector<std::uint32_t> m_stack;
    Items<Run> m_runs;
    Items<Request> m_requests, m_buffers, m_previous;
    KeyTable<7> m_earlier; // R8.1: op, rectangle and k range of recorded runs
    double m_compute = 0, m_runEnergy = 0;
    std::int64_t m_room = 0, m_peak = 0; ///< working set of the step, and the largest one so far
    std::uint32_t m_kind = 0;            ///< kind of the current step
    // kinds of steps of the tile, each with the number of its steps
    std::vector<std::pair<std::uint32_t, std::int64_t>> m_tileKinds;
    std::int64_t m_tilePeak = 0;
    std::int64_t m_keptLoad = 0;
    bool m_mergedByPast = false; ///< true if a buffer of this step is whole only because of the step before
};

} // namespace tilewright
