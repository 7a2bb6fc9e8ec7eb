// SPDX-License-Identifier: GPL-3.0-or-later
// The fast evaluator. Private to core/eval.
//
// Every range in a step is one of three: the sink's tile on that axis, the k step, or a whole axis (R6 keeps
// rows of tiles on rows and columns on columns). So each buffer and each run is a *symbol*, and what matters
// of a position is only: which extents are clipped (tile classes), which k phase it is, and which symbols
// kept their range since the previous step (one bit mask for each kind of transition). Steps that agree in
// these are identical; their sum is multiplied by their number. Where two symbols of one tensor (or op) could
// become the same rectangle at some positions only, bind() gives up and the caller falls back to the
// explaining form.
#pragma once

#include "eval/bits.h"
#include "eval/cost.h"
#include "eval/fast.h"
#include "eval/tally.h"
#include "eval/tile_order.h"
#include "eval/trace.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <type_traits>
#include <vector>

namespace tilewright {

/// An array on the stack (N > 0) or a vector (N == 0); uninitialised.
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
    static constexpr std::size_t kSinks = 3;    // at most 7 classes an axis
    static constexpr std::size_t kClasses = 49; // 7 x 7
    static constexpr std::size_t kDrivers = 4;
    static constexpr std::size_t kPhases = 8; // see phase count in bind()
};
struct LargeLimits // 0: on the heap
{
    static constexpr std::size_t kWords = 16;
    static constexpr std::size_t kUses = 0;
    static constexpr std::size_t kSlots = 0;
    static constexpr std::size_t kGroups = 0;
    static constexpr std::size_t kSinks = 0;
    static constexpr std::size_t kClasses = 0;
    static constexpr std::size_t kDrivers = 0;
    static constexpr std::size_t kPhases = 0;
    static constexpr std::size_t kMaxBits = kWords * 64;
    static constexpr std::size_t kMaxCells = std::size_t{1} << 20; // classes x (phases + buffers)
};

template <class Limits> class FastEngine
{
    using Mask = Bits<Limits::kWords>;
    using Axis = SubgraphPlan::Axis;
    static constexpr bool kSmall = Limits::kUses > 0;
    static constexpr std::size_t kSpans = kSmall ? 2 * Limits::kSinks + 1 : 0;

public:
    FastEngine(const SubgraphPlan& plan, const Granularity& g, bool ignoreMeetings = false)
        : m_plan(plan), m_g(g), m_rules(plan.m_rules), m_ignoreMeetings(ignoreMeetings),
          m_cost(plan.m_problem->hardware(), g, plan.m_rules),
          m_bandwidth(static_cast<double>(plan.m_problem->hardware().slowMemoryBandwidth))
    {
    }

    /// Prepares for one granularity. `isResident(input)`, `isKept(input)`, `isRetained(product)` by local
    /// index. False: not regular, nothing may be asked of this engine.
    template <class Resident, class Kept, class Retained>
    [[nodiscard]] bool bind(Resident&& isResident, Kept&& isKept, Retained&& isRetained,
                            std::int64_t reserved)
    {
        m_reserved = reserved;
        bindSlots();
        bindGroups();
        if (!bindUses(isResident, isKept))
            return false;
        m_sinkRetained.resize(m_plan.m_sinks.size());
        for (std::size_t s = 0; s < m_plan.m_sinks.size(); ++s)
            m_sinkRetained[s] = isRetained(m_plan.m_sinks[s].product);
        if (!donationIsRegular())
            return false;
        bindMixed();
        if (!bindPhases() || !bindClasses())
            return false;
        bindRunCosts();
        return true;
    }

    [[nodiscard]] std::int64_t rows() const noexcept { return m_rows; }
    [[nodiscard]] std::int64_t cols() const noexcept { return m_cols; }

    /// The peak when it follows from the largest tile alone; otherwise nothing.
    [[nodiscard]] std::optional<std::int64_t> quickPeak()
    {
        if (!m_plan.m_oneShape || m_mixedCount > 0)
            return std::nullopt;
        // All sinks are clipped alike, so no tile needs more than an unclipped one.
        const Class& c = classAt(0, 0);
        std::int64_t peak = 0;
        for (std::size_t p = 0; p < c.phases; ++p)
            peak = std::max(peak, cell(c, p).workingSet);
        return peak;
    }

    /// Sums over all steps. `order` is a permutation for Custom.
    [[nodiscard]] Tally run(const Traversal& traversal)
    {
        m_forgets = traversal.kind() == TraversalKind::Raster && !m_rules.nullOrderReuse;
        switch (traversal.kind()) {
        case TraversalKind::Raster:
            return runLines(true, false);
        case TraversalKind::Snake:
            return runLines(true, true);
        case TraversalKind::Column:
            return runLines(false, false);
        case TraversalKind::ColumnSnake:
            return runLines(false, true);
        case TraversalKind::Spiral:
        case TraversalKind::Custom:
            break;
        }
        TileWalk walk(*this);
        forEachTile(traversal, m_rows, m_cols, [&](std::int64_t row, std::int64_t col) {
            walk.visit(row, col);
            return true;
        });
        return walk.total();
    }

private:
    struct Buffer
    {
        std::uint32_t input;
        std::uint32_t rowSlot, colSlot;
        Axis row, col; // canonical
        std::uint8_t role;
        bool whole;
    };
    struct Run
    {
        std::uint32_t id; // op, or input of a kept load
        std::uint32_t rowSlot, colSlot, depthSlot;
        std::uint32_t group;
        Axis row, col, depth; // canonical
        bool rowReduces, colReduces;
        bool drives;
        bool kept; // not a run: loads an input that is being retained (R9.7)
    };
    struct Span
    {
        std::int64_t begin, count;
    };
    struct Mixed // a tensor requested both whole and in part (R7.1)
    {
        Mask full, parts;
    };
    struct Cell // one (tile class, k phase)
    {
        Mask buffers; // before R7.1's merging into FULL
        Mask runs;
        Mask forget; // donated (R9.6)
        std::int64_t workingSet;
        std::int64_t fixedSet; // workingSet without buffers
        std::int64_t store;
        std::int64_t loadEnter; // first step of the phase after the previous phase
        std::int64_t loadRepeat;
    };
    struct Class
    {
        bool ready;
        std::uint32_t index, row, col, phases;
        Mask allRuns;
        Mask last; // buffers left behind by a tile of this class (without mixed tensors)
        bool restReady;
        Mask restKey;
        Tally rest; // all steps but the first
    };

    // ---- binding --------------------------------------------------------------------------------------

    [[nodiscard]] Axis canonical(std::uint32_t slot) const noexcept { return m_axis[slot]; }

    void bindSlots()
    {
        const auto& slots = m_plan.m_slots;
        m_axis.resize(slots.size());
        m_extent.resize(slots.size());
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const auto& s = slots[i];
            const std::int64_t size = s.axis == Axis::Step ? m_g.k : s.row ? m_g.h : m_g.w;
            m_axis[i] = s.axis == Axis::Full || size >= s.size ? Axis::Full : s.axis;
            m_extent[i] = s.size;
        }
    }

    void bindGroups()
    {
        const auto& groups = m_plan.m_groups;
        m_groupSteps.resize(groups.size());
        m_groupBuffers.resize(groups.size());
        m_groupRuns.resize(groups.size());
        m_sinkSteps.resize(m_plan.m_sinks.size());
        for (std::size_t s = 0; s < m_plan.m_sinks.size(); ++s)
            m_sinkSteps[s] = 1;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            m_groupSteps[i] = groups[i].reduction > 0 ? ceilDiv(groups[i].reduction, m_g.k) : 0;
            m_groupBuffers[i] = m_groupRuns[i] = Mask{};
            std::int64_t& steps = m_sinkSteps[groups[i].sink];
            steps = std::max(steps, m_groupSteps[i]);
        }
    }

    /// Whether a tile range and a step range of one axis can be equal somewhere.
    [[nodiscard]] bool canMeet(std::int64_t tile, std::int64_t tileSize, std::int64_t step,
                               std::int64_t stepSize) const noexcept
    {
        const std::int64_t lastTile = tileSize % tile;
        const std::int64_t lastStep = stepSize % step;
        return tile == step || lastTile == step || tile == lastStep ||
               (lastTile != 0 && lastTile == lastStep);
    }

    /// Whether two canonical axes of one tensor can be the same range at some position although they differ.
    [[nodiscard]] bool canMeet(Axis a, Axis b, bool row, std::int64_t size) const noexcept
    {
        if (a == b)
            return true;
        if (a == Axis::Full || b == Axis::Full || m_ignoreMeetings)
            return false;
        // Ranges of one axis are equal when both sizes are, or when the last ones are.
        const std::int64_t tile = row ? m_g.h : m_g.w;
        return tile == m_g.k || (size - 1) % tile == (size - 1) % m_g.k;
    }

    template <class Resident, class Kept> bool bindUses(Resident&& isResident, Kept&& isKept)
    {
        const auto& uses = m_plan.m_uses;
        m_useBit.resize(uses.size());
        m_useRun.resize(uses.size());
        m_buffers.resize(uses.size());
        m_runs.resize(uses.size());
        for (std::size_t i = 0; i < uses.size(); ++i) {
            const auto& u = uses[i];
            const Axis row = canonical(u.rowSlot);
            const Axis col = canonical(u.colSlot);
            bool ok = true;
            m_useBit[i] = false;
            if (u.run) {
                ok = addRun(i, u, row, col);
            } else if (!isResident(u.id)) {
                if (isKept(u.id)) {
                    ok = addKept(u, row, col);
                } else {
                    m_useBit[i] = true;
                    ok = addBuffer(u, row, col);
                }
            }
            if (!ok)
                return false;
        }
        if constexpr (!kSmall)
            return m_bufferCount <= Limits::kMaxBits && m_runCount <= Limits::kMaxBits;
        return true;
    }

    template <class Use> bool addBuffer(const Use& u, Axis row, Axis col)
    {
        const bool whole = row == Axis::Full && col == Axis::Full;
        for (std::size_t b = 0; b < m_bufferCount; ++b) {
            const Buffer& other = m_buffers[b];
            if (other.input != u.id || other.whole != whole)
                continue;
            if (whole || (other.role == u.role && other.row == row && other.col == col)) {
                m_groupBuffers[u.group].set(b);
                return true;
            }
            if (other.role == u.role && canMeet(other.row, row, true, m_plan.m_slots[u.rowSlot].size) &&
                canMeet(other.col, col, false, m_plan.m_slots[u.colSlot].size))
                return false;
        }
        if (m_bufferCount >= 64 * Limits::kWords)
            return false;
        m_buffers[m_bufferCount] = {u.id, u.rowSlot, u.colSlot, row, col, u.role, whole};
        if (row == Axis::Step || col == Axis::Step)
            m_bufferStep.set(m_bufferCount);
        if (row == Axis::Tile)
            m_bufferRow.set(m_bufferCount);
        if (col == Axis::Tile)
            m_bufferCol.set(m_bufferCount);
        m_groupBuffers[u.group].set(m_bufferCount++);
        return true;
    }

    template <class Use> bool addRun(std::size_t index, const Use& u, Axis row, Axis col)
    {
        const Axis depth = canonical(u.depthSlot);
        const bool rowReduces = m_plan.m_slots[u.rowSlot].axis != Axis::Tile;
        const bool colReduces = m_plan.m_slots[u.colSlot].axis != Axis::Tile;
        for (std::size_t r = 0; r < m_runCount; ++r) {
            const Run& other = m_runs[r];
            if (other.kept || other.id != u.id || other.depth != depth)
                continue;
            if (other.row == row && other.col == col) {
                // An epilogue needs this step's k range of its drivers, an interior run the whole K: which
                // comes first in a step decides what the other adds (R6.6).
                if (other.drives != u.drives && !m_ignoreMeetings)
                    return false;
                m_hasVariants =
                    m_hasVariants || other.rowReduces != rowReduces || other.colReduces != colReduces;
                m_groupRuns[u.group].set(r);
                m_useRun[index] = static_cast<std::uint32_t>(r);
                return true;
            }
            if (canMeet(other.row, row, true, m_plan.m_slots[u.rowSlot].size) &&
                canMeet(other.col, col, false, m_plan.m_slots[u.colSlot].size))
                return false;
        }
        m_useRun[index] = static_cast<std::uint32_t>(m_runCount);
        return pushRun({u.id, u.rowSlot, u.colSlot, u.depthSlot, u.group, row, col, depth, rowReduces,
                        colReduces, u.drives, false});
    }

    template <class Use> bool addKept(const Use& u, Axis row, Axis col)
    {
        for (std::size_t r = 0; r < m_runCount; ++r) {
            const Run& other = m_runs[r];
            if (!other.kept || other.id != u.id)
                continue;
            if (other.row != row || other.col != col) {
                if (m_ignoreMeetings)
                    continue;
                return false; // the union of different slices is not a symbol
            }
            m_groupRuns[u.group].set(r);
            return true;
        }
        m_hasKept = true;
        if (m_runCount < 64 * Limits::kWords)
            m_kept.set(m_runCount);
        return pushRun(
            {u.id, u.rowSlot, u.colSlot, 0, u.group, row, col, Axis::Full, false, false, false, true});
    }

    bool pushRun(const Run& run)
    {
        if (m_runCount >= 64 * Limits::kWords)
            return false;
        const std::size_t r = m_runCount++;
        m_runs[r] = run;
        m_groupRuns[run.group].set(r);
        if (!run.kept && m_rules.ephemeral == Rules::Ephemeral::Strict) {
            m_always.set(r);
            m_eachStep.set(r);
            return true;
        }
        if (run.row == Axis::Step || run.col == Axis::Step || run.depth == Axis::Step)
            m_eachStep.set(r);
        const bool byRow = run.row == Axis::Tile;
        const bool byCol = run.col == Axis::Tile;
        (byRow && byCol ? m_always : byRow ? m_byRow : byCol ? m_byCol : m_once).set(r);
        return true;
    }

    void bindMixed()
    {
        for (std::size_t f = 0; f < m_bufferCount; ++f) {
            if (!m_buffers[f].whole)
                continue;
            Mixed m{};
            for (std::size_t b = 0; b < m_bufferCount; ++b)
                if (!m_buffers[b].whole && m_buffers[b].input == m_buffers[f].input)
                    m.parts.set(b);
            if (!m.parts.any())
                continue;
            m.full.set(f);
            m_mixed.resize(m_mixedCount + 1);
            m_mixed[m_mixedCount++] = m;
        }
    }

    /// Sorted, unique q at which something begins or ends.
    bool bindPhases()
    {
        std::size_t n = 0;
        const std::size_t most = 3 * (m_plan.m_drivers + m_plan.m_sinks.size()) + 1;
        m_phaseBegin.resize(most + 1);
        const auto add = [&](std::int64_t q) {
            std::size_t i = 0;
            while (i < n && m_phaseBegin[i] < q)
                ++i;
            if (i < n && m_phaseBegin[i] == q)
                return true;
            if (kSmall && n >= Limits::kPhases)
                return false;
            for (std::size_t j = n; j > i; --j)
                m_phaseBegin[j] = m_phaseBegin[j - 1];
            m_phaseBegin[i] = q;
            ++n;
            return true;
        };
        bool ok = add(0);
        for (std::size_t g = 0; g < m_plan.m_groups.size(); ++g)
            if (m_groupSteps[g] > 0)
                ok = ok && add(m_groupSteps[g] - 1) && add(m_groupSteps[g]);
        for (std::size_t s = 0; s < m_plan.m_sinks.size(); ++s)
            ok = ok && add(m_sinkSteps[s] - 1) && add(m_sinkSteps[s]);
        m_phaseCount = n - 1; // the last entry is where the longest sink ends
        return ok;
    }

    [[nodiscard]] std::int64_t phaseSteps(std::size_t p) const noexcept
    {
        return m_phaseBegin[p + 1] - m_phaseBegin[p];
    }

    std::size_t axisClasses(bool row, Store<Span, kSpans>& spans)
    {
        const std::int64_t size = row ? m_g.h : m_g.w;
        std::size_t n = 0;
        Store<std::int64_t, kSpans> cuts;
        cuts.resize(2 * m_plan.m_sinks.size() + 1);
        const auto add = [&](std::int64_t c) {
            std::size_t i = 0;
            while (i < n && cuts[i] < c)
                ++i;
            if (i < n && cuts[i] == c)
                return;
            for (std::size_t j = n; j > i; --j)
                cuts[j] = cuts[j - 1];
            cuts[i] = c;
            ++n;
        };
        add(0);
        for (const auto& s : m_plan.m_sinks) {
            const std::int64_t extent = m_plan.m_slots[row ? s.rowSlot : s.colSlot].size;
            add(extent / size);
            add(ceilDiv(extent, size));
        }
        spans.resize(n);
        for (std::size_t i = 0; i + 1 < n; ++i)
            spans[i] = {cuts[i], cuts[i + 1] - cuts[i]};
        (row ? m_rows : m_cols) = cuts[n - 1];
        return n - 1;
    }

    bool bindClasses()
    {
        m_rowClasses = axisClasses(true, m_rowSpan);
        m_colClasses = axisClasses(false, m_colSpan);
        const std::size_t classes = m_rowClasses * m_colClasses;
        if constexpr (!kSmall)
            if (classes * (m_phaseCount + m_bufferCount) > Limits::kMaxCells)
                return false;
        m_class.resize(classes);
        for (std::size_t i = 0; i < classes; ++i)
            m_class[i].ready = false;
        m_cells.resize(classes * m_phaseCount);
        m_firstArea.resize(classes * m_bufferCount);
        return true;
    }

    void stepExtents(std::size_t phase)
    {
        const std::int64_t q = m_phaseBegin[phase];
        for (std::size_t i = 0; i < m_plan.m_slots.size(); ++i)
            if (m_axis[i] == Axis::Step)
                m_extent[i] = std::min(m_g.k, m_plan.m_slots[i].size - q * m_g.k);
    }

    void bindRunCosts()
    {
        m_runCost.resize(m_phaseCount * m_runCount);
        for (std::size_t p = 0; p < m_phaseCount; ++p) {
            stepExtents(p);
            for (std::size_t r = 0; r < m_runCount; ++r)
                m_runCost[p * m_runCount + r] =
                    runCost(m_runs[r], m_runs[r].rowReduces, m_runs[r].colReduces);
        }
        if (m_hasVariants)
            m_cellCost.resize(m_rowClasses * m_colClasses * m_phaseCount * m_runCount);
    }

    /// R8 with the k extents of the current phase.
    [[nodiscard]] double runCost(const Run& run, bool rowReduces, bool colReduces) const
    {
        if (run.kept)
            return 0;
        const Op& op = m_plan.m_problem->op(m_plan.m_ops[run.id]);
        return static_cast<double>(op.baseCost) * m_cost.rows(rowReduces, length(run.rowSlot, run.row)) *
               m_cost.cols(colReduces, length(run.colSlot, run.col)) *
               (op.type == OpType::MatMul
                    ? m_cost.depth(m_extent[run.depthSlot], m_plan.m_slots[run.depthSlot].size)
                    : 1.0);
    }

    /// R6.6: a run is charged with the kinds of its first request in the step.
    void variantCosts(const Cell& out, double* cost, std::int64_t q)
    {
        Mask missing = out.runs;
        for (std::size_t i = 0; i < m_plan.m_uses.size(); ++i) {
            const auto& u = m_plan.m_uses[i];
            if (!u.run || !missing.has(m_useRun[i]) || !isActive(u.group, q))
                continue;
            Mask one{};
            one.set(m_useRun[i]);
            missing &= ~one;
            cost[m_useRun[i]] = runCost(m_runs[m_useRun[i]], m_plan.m_slots[u.rowSlot].axis != Axis::Tile,
                                        m_plan.m_slots[u.colSlot].axis != Axis::Tile);
        }
    }

    /// False when a donation could depend on more than the tile class (R9.6).
    bool donationIsRegular() const
    {
        if (!m_rules.donation || m_ignoreMeetings)
            return true;
        for (const auto& s : m_plan.m_sinks) {
            if (!s.pointwise)
                continue;
            for (std::size_t i = 0; i < m_plan.m_uses.size(); ++i) {
                const auto& u = m_plan.m_uses[i];
                if (u.run || u.role != static_cast<std::uint8_t>(Role::Pointwise) || !m_useBit[i])
                    continue;
                if (!axisIsRegular(u.rowSlot, s.rowSlot) || !axisIsRegular(u.colSlot, s.colSlot))
                    return false;
            }
        }
        return true;
    }

    [[nodiscard]] bool axisIsRegular(std::uint32_t useSlot, std::uint32_t sinkSlot) const noexcept
    {
        const Axis use = canonical(useSlot);
        const Axis sink = canonical(sinkSlot);
        const auto& us = m_plan.m_slots[useSlot];
        const auto& ss = m_plan.m_slots[sinkSlot];
        const std::int64_t tile = ss.row ? m_g.h : m_g.w;
        if (use == Axis::Tile || (use == Axis::Full && sink == Axis::Full))
            return true;
        if (use == Axis::Full)
            return us.size != tile;
        return sink == Axis::Full ? m_g.k != ss.size && us.size % m_g.k != ss.size
                                  : !canMeet(tile, ss.size, m_g.k, us.size);
    }

    // ---- tile classes ---------------------------------------------------------------------------------

    [[nodiscard]] Cell& cell(const Class& c, std::size_t phase)
    {
        return m_cells[c.index * m_phaseCount + phase];
    }

    /// A tile axis that is canonically whole may be the size of another sink, which is absent here.
    [[nodiscard]] std::int64_t length(std::uint32_t slot, Axis axis) const noexcept
    {
        return axis == Axis::Full ? m_plan.m_slots[slot].size : m_extent[slot];
    }

    [[nodiscard]] std::int64_t bufferArea(std::size_t b) const noexcept
    {
        const Buffer& x = m_buffers[b];
        return length(x.rowSlot, x.row) * length(x.colSlot, x.col);
    }

    [[nodiscard]] std::int64_t area(const Mask& buffers) const noexcept
    {
        std::int64_t sum = 0;
        buffers.forEach([&](std::size_t b) { sum = saturatingAdd(sum, bufferArea(b)); });
        return sum;
    }

    void tileExtents(std::size_t row, std::size_t col)
    {
        for (std::size_t i = 0; i < m_plan.m_slots.size(); ++i) {
            const auto& s = m_plan.m_slots[i];
            if (s.axis != Axis::Tile)
                continue;
            const std::int64_t size = s.row ? m_g.h : m_g.w;
            const std::int64_t index = s.row ? m_rowSpan[row].begin : m_colSpan[col].begin;
            // index * size stays below the largest sink plus one tile
            m_extent[i] = std::max<std::int64_t>(0, std::min(size, s.size - index * size));
        }
    }

    Class& classAt(std::size_t row, std::size_t col)
    {
        Class& c = m_class[row * m_colClasses + col];
        if (!c.ready)
            buildClass(c, row, col);
        return c;
    }

    void buildClass(Class& c, std::size_t row, std::size_t col)
    {
        c.ready = true;
        c.restReady = false;
        c.index = static_cast<std::uint32_t>(row * m_colClasses + col);
        c.row = static_cast<std::uint32_t>(row);
        c.col = static_cast<std::uint32_t>(col);
        c.allRuns = c.last = Mask{};
        tileExtents(row, col);
        std::int64_t steps = 0;
        for (std::size_t s = 0; s < m_plan.m_sinks.size(); ++s)
            if (tileArea(s) > 0)
                steps = std::max(steps, m_sinkSteps[s]);
        c.phases = 0;
        while (c.phases < m_phaseCount && m_phaseBegin[c.phases] < steps)
            ++c.phases;
        Mask before{};
        for (std::size_t p = 0; p < c.phases; ++p) {
            Cell& out = cell(c, p);
            buildCell(out, p);
            if (m_hasVariants)
                variantCosts(out, &m_cellCost[(c.index * m_phaseCount + p) * m_runCount], m_phaseBegin[p]);
            c.allRuns |= out.runs;
            out.workingSet = saturatingAdd(out.fixedSet, area(out.buffers));
            out.loadEnter = area(out.buffers & ~(before & ~m_bufferStep));
            out.loadRepeat = area(out.buffers & m_bufferStep);
            before = out.buffers & ~out.forget;
            if (p == 0)
                for (std::size_t b = 0; b < m_bufferCount; ++b)
                    m_firstArea[c.index * m_bufferCount + b] = bufferArea(b);
        }
        c.last = before;
    }

    [[nodiscard]] std::int64_t tileArea(std::size_t sink) const noexcept
    {
        return m_extent[m_plan.m_sinks[sink].rowSlot] * m_extent[m_plan.m_sinks[sink].colSlot];
    }

    void buildCell(Cell& out, std::size_t phase)
    {
        const std::int64_t q = m_phaseBegin[phase];
        stepExtents(phase);
        out.buffers = out.runs = out.forget = Mask{};
        out.store = 0;
        out.fixedSet = m_reserved;
        for (std::size_t g = 0; g < m_plan.m_groups.size(); ++g) {
            const std::uint32_t s = m_plan.m_groups[g].sink;
            const bool active =
                m_plan.m_groups[g].reduction > 0 ? q < m_groupSteps[g] : q == m_sinkSteps[s] - 1;
            if (!active || tileArea(s) == 0)
                continue;
            out.buffers |= m_groupBuffers[g];
            out.runs |= m_groupRuns[g];
        }
        for (std::size_t s = 0; s < m_plan.m_sinks.size(); ++s) {
            const std::int64_t tile = tileArea(s);
            if (tile == 0 || q >= m_sinkSteps[s])
                continue;
            if (!m_sinkRetained[s]) {
                out.fixedSet = saturatingAdd(out.fixedSet, tile);
                if (q == m_sinkSteps[s] - 1)
                    out.store = saturatingAdd(out.store, tile);
            }
            out.fixedSet = saturatingAdd(out.fixedSet, saturatingMul(tile, accumulators(s, q)));
        }
        if (m_rules.donation)
            donate(out, q);
    }

    /// R9.1d: drivers of sink s that no earlier active sink charges.
    [[nodiscard]] std::int64_t accumulators(std::size_t s, std::int64_t q) const
    {
        if (m_sinkSteps[s] <= 1)
            return 0;
        const auto& sinks = m_plan.m_sinks;
        std::int64_t n = sinks[s].driverEnd - sinks[s].driverBegin;
        if (s == 0)
            return n;
        for (std::uint32_t d = sinks[s].driverBegin; d < sinks[s].driverEnd; ++d) {
            // An epilogue keeps the shape, so sinks that share a driver share its rectangle.
            bool charged = false;
            for (std::size_t e = 0; e < s && !charged; ++e)
                for (std::uint32_t x = sinks[e].driverBegin; x < sinks[e].driverEnd && !charged; ++x)
                    charged = m_sinkSteps[e] > 1 && q < m_sinkSteps[e] &&
                              m_plan.m_accumulated[x] == m_plan.m_accumulated[d];
            n -= charged;
        }
        return n;
    }

    void donate(Cell& out, std::int64_t q)
    {
        for (std::size_t s = 0; s < m_plan.m_sinks.size(); ++s) {
            const auto& sink = m_plan.m_sinks[s];
            if (!sink.pointwise || m_sinkRetained[s] || q != m_sinkSteps[s] - 1 || tileArea(s) == 0)
                continue;
            for (std::size_t i = 0; i < m_plan.m_uses.size(); ++i) {
                const auto& u = m_plan.m_uses[i];
                if (u.run || !m_useBit[i] || u.role != static_cast<std::uint8_t>(Role::Pointwise) ||
                    !isActive(u.group, q) || !sameRange(u.rowSlot, sink.rowSlot) ||
                    !sameRange(u.colSlot, sink.colSlot))
                    continue;
                Mask all{};
                for (std::size_t b = 0; b < m_bufferCount; ++b)
                    if (m_buffers[b].input == u.id)
                        all.set(b);
                if ((all & out.forget).any())
                    continue; // already taken
                out.forget |= all;
                out.fixedSet -= tileArea(s);
                break;
            }
        }
    }

    [[nodiscard]] bool isActive(std::uint32_t g, std::int64_t q) const noexcept
    {
        const auto& group = m_plan.m_groups[g];
        return tileArea(group.sink) > 0 &&
               (group.reduction > 0 ? q < m_groupSteps[g] : q == m_sinkSteps[group.sink] - 1);
    }

    /// Whether the request's axis is the sink's tile here; donationIsRegular() has excluded the rest. A sink
    /// that is whole on an axis takes part at index 0 only, where a tile of another size can be the same.
    [[nodiscard]] bool sameRange(std::uint32_t useSlot, std::uint32_t sinkSlot) const noexcept
    {
        const bool comparable = canonical(useSlot) == canonical(sinkSlot) ||
                                (canonical(useSlot) == Axis::Tile && canonical(sinkSlot) == Axis::Full);
        return comparable && m_extent[useSlot] == m_extent[sinkSlot];
    }

    // ---- tiles ----------------------------------------------------------------------------------------

    [[nodiscard]] double compute(const Class& c, std::size_t phase, const Mask& runs) const
    {
        const double* cost = m_hasVariants ? &m_cellCost[(c.index * m_phaseCount + phase) * m_runCount]
                                           : &m_runCost[phase * m_runCount];
        double sum = 0;
        runs.forEach([&](std::size_t r) { sum += cost[r]; });
        return sum;
    }

    /// One tile. `reuse` = buffers of the previous step whose range is the same in this tile's first step;
    /// `charge` = runs that cost something in this tile. Leaves the buffers of its last step in `last`.
    [[nodiscard]] Tally tile(Class& c, const Mask& reuse, const Mask& charge, Mask& last)
    {
        if (m_mixedCount > 0 || m_hasKept)
            return tileGeneral(c, reuse, charge, last);
        const Cell& first = cell(c, 0);
        if (!c.restReady || c.restKey != charge)
            restOfTile(c, charge);
        std::int64_t load = 0;
        (first.buffers & ~reuse).forEach([&](std::size_t b) {
            load = saturatingAdd(load, m_firstArea[c.index * m_bufferCount + b]);
        });
        Tally out{};
        out.step(compute(c, 0, first.runs & charge), load, first.store, first.workingSet, m_bandwidth);
        out.add(c.rest);
        last = c.last;
        return out;
    }

    void restOfTile(Class& c, const Mask& charge)
    {
        c.restReady = true;
        c.restKey = charge;
        c.rest = Tally{};
        Mask done{};
        for (std::size_t p = 0; p < c.phases; ++p) {
            const Cell& here = cell(c, p);
            const Mask runs = here.runs & charge;
            if (p > 0)
                c.rest.step(compute(c, p, runs & (m_eachStep | ~done)), here.loadEnter, here.store,
                            here.workingSet, m_bandwidth);
            done |= here.runs;
            repeat(c.rest, c, p, here, runs, here.loadRepeat, here.workingSet);
        }
    }

    /// The steps of a phase after its first. Only a sink's completing step stores, and it is a phase alone.
    void repeat(Tally& out, const Class& c, std::size_t p, const Cell& here, const Mask& runs,
                std::int64_t load, std::int64_t ws)
    {
        const std::int64_t more = phaseSteps(p) - 1;
        if (more <= 0)
            return;
        assert(here.store == 0);
        Tally one{};
        one.step(compute(c, p, runs & m_eachStep), load, here.store, ws, m_bandwidth);
        out.add(one, more);
    }

    void mergeFull(Mask& buffers, const Mask& previous) const
    {
        for (std::size_t i = 0; i < m_mixedCount; ++i) {
            const Mixed& m = m_mixed[i];
            if ((buffers & m.parts).any() && ((buffers | previous) & m.full).any())
                buffers = (buffers & ~m.parts) | m.full;
        }
    }

    [[nodiscard]] std::int64_t keptLoad(const Mask& runs) const
    {
        std::int64_t sum = 0;
        (runs & m_kept).forEach([&](std::size_t r) {
            const Run& run = m_runs[r];
            sum = saturatingAdd(sum, length(run.rowSlot, run.row) * length(run.colSlot, run.col));
        });
        return sum;
    }

    [[nodiscard]] Tally tileGeneral(Class& c, const Mask& reuse, const Mask& charge, Mask& last)
    {
        Tally out{};
        Mask previous = reuse;
        Mask done{};
        tileExtents(c.row, c.col);
        for (std::size_t p = 0; p < c.phases; ++p) {
            const Cell& here = cell(c, p);
            stepExtents(p);
            Mask now = here.buffers;
            mergeFull(now, previous);
            const Mask runs = here.runs & charge;
            const Mask fresh = runs & (m_eachStep | ~done);
            const std::int64_t ws = saturatingAdd(here.fixedSet, area(now));
            out.step(compute(c, p, fresh), saturatingAdd(area(now & ~previous), keptLoad(fresh)), here.store,
                     ws, m_bandwidth);
            done |= here.runs;
            repeat(out, c, p, here, runs,
                   saturatingAdd(area(now & m_bufferStep), keptLoad(runs & m_eachStep)), ws);
            previous = now & ~here.forget & ~m_bufferStep;
            last = now & ~here.forget;
        }
        return out;
    }

    // ---- orders ---------------------------------------------------------------------------------------

    struct LineState
    {
        Mask previous;   // buffers of the last step
        Mask once;       // runs that depend on no tile axis and have been paid
        std::int64_t at; // position in its line of the last tile that had a step
        bool operator==(const LineState&) const = default;
    };

    /// Line after line (rows or columns), each forwards or, when `snake`, alternating.
    [[nodiscard]] Tally runLines(bool byRows, bool snake)
    {
        const Mask& outerRuns = byRows ? m_byRow : m_byCol;
        const Mask& innerRuns = byRows ? m_byCol : m_byRow;
        const Mask innerFixed = ~(byRows ? m_bufferCol : m_bufferRow);
        const Mask outerFixed = ~(byRows ? m_bufferRow : m_bufferCol);
        const std::size_t outerClasses = byRows ? m_rowClasses : m_colClasses;
        const std::size_t innerClasses = byRows ? m_colClasses : m_rowClasses;

        LineState state{};
        const auto line = [&](std::size_t outer, bool backwards, bool first) {
            Tally out{};
            Mask paid{}; // outerRuns paid in this line
            bool start = true;
            for (std::size_t n = 0; n < innerClasses; ++n) {
                const std::size_t inner = backwards ? innerClasses - 1 - n : n;
                const Span span = (byRows ? m_colSpan : m_rowSpan)[inner];
                Class& c = byRows ? classAt(outer, inner) : classAt(inner, outer);
                if (c.phases == 0)
                    continue; // no sink takes part: no step, the last one stays the last one
                const std::int64_t begin = backwards ? span.begin + span.count - 1 : span.begin;
                for (std::int64_t i = 0; i < span.count; ++i) {
                    Mask reuse{};
                    if (!m_forgets) {
                        reuse = state.previous & ~m_bufferStep;
                        if (start)
                            reuse &= outerFixed;
                        if (i > 0 || state.at != begin)
                            reuse &= innerFixed;
                    }
                    Mask charge = m_always | (outerRuns & ~paid) | (m_once & ~state.once);
                    if (first)
                        charge |= innerRuns;
                    const LineState before = state;
                    const Mask paidBefore = paid;
                    const Tally t = tile(c, reuse, charge, state.previous);
                    paid |= c.allRuns & outerRuns;
                    state.once |= c.allRuns & m_once;
                    if (i > 0 && state == before && paid == paidBefore) {
                        out.add(t, span.count - i);
                        break;
                    }
                    out.add(t);
                    start = false;
                }
                state.at = backwards ? span.begin : span.begin + span.count - 1;
            }
            return out;
        };

        Tally total{};
        for (std::size_t outer = 0; outer < outerClasses; ++outer) {
            const Span span = (byRows ? m_rowSpan : m_colSpan)[outer];
            // The two previous lines of this class, to find a period of one (same direction) or two.
            LineState in[2]{};
            Tally tallies[2]{};
            std::int64_t known = 0;
            for (std::int64_t i = 0; i < span.count; ++i) {
                const bool first = span.begin + i == 0;
                const std::int64_t left = span.count - i;
                if (!snake && known >= 1 && in[0] == state) {
                    total.add(tallies[0], left);
                    break;
                }
                if (snake && known >= 2 && in[1] == state) {
                    const LineState odd = in[0];
                    total.add(tallies[1], (left + 1) / 2);
                    total.add(tallies[0], left / 2);
                    if (left % 2 == 1)
                        state = odd;
                    break;
                }
                const LineState before = state;
                const Tally t = line(outer, snake && (span.begin + i) % 2 == 1, first);
                total.add(t);
                if (first)
                    continue;
                in[1] = in[0];
                tallies[1] = tallies[0];
                in[0] = before;
                tallies[0] = t;
                ++known;
            }
        }
        return total;
    }

    /// Any order, tile by tile; equal tiles in equal states are computed once.
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
                return; // no sink takes part: no step, the last one stays the last one
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

    const SubgraphPlan& m_plan;
    const Granularity m_g;
    const Rules& m_rules;
    const bool m_ignoreMeetings;
    const StepCosts m_cost;
    const double m_bandwidth;
    std::int64_t m_reserved = 0;

    Store<Axis, Limits::kSlots> m_axis;
    Store<std::int64_t, Limits::kSlots> m_extent; // of every slot at the current class and phase
    Store<std::int64_t, Limits::kGroups> m_groupSteps;
    Store<Mask, Limits::kGroups> m_groupBuffers;
    Store<Mask, Limits::kGroups> m_groupRuns;
    Store<std::int64_t, Limits::kSinks> m_sinkSteps;
    Store<char, Limits::kSinks> m_sinkRetained;
    Store<char, Limits::kUses> m_useBit;          // whether a use is a request served from a buffer
    Store<std::uint32_t, Limits::kUses> m_useRun; // of a use that is a run
    Store<Buffer, Limits::kUses> m_buffers;
    Store<Run, Limits::kUses> m_runs;
    Store<Mixed, Limits::kUses> m_mixed;
    std::size_t m_bufferCount = 0, m_runCount = 0, m_mixedCount = 0;
    Mask m_bufferStep{}, m_bufferRow{}, m_bufferCol{}; // buffers whose range follows that axis
    Mask m_always{}, m_byRow{}, m_byCol{},
        m_once{};      // runs: paid in each tile, first of a row, of a column, once
    Mask m_eachStep{}; // runs paid in every k step of a tile
    Mask m_kept{};
    bool m_hasKept = false;
    bool m_hasVariants = false; // some run is requested with different kinds of axes
    bool m_forgets = false;
    Store<std::int64_t, (kSmall ? Limits::kPhases + 1 : 0)> m_phaseBegin;
    std::size_t m_phaseCount = 0;
    Store<double, Limits::kPhases * Limits::kUses> m_runCost;
    std::vector<double> m_cellCost; // instead, by tile class too, when there are variants
    Store<Span, kSpans> m_rowSpan, m_colSpan;
    std::size_t m_rowClasses = 0, m_colClasses = 0;
    std::int64_t m_rows = 0, m_cols = 0;
    Store<Class, Limits::kClasses> m_class;
    Store<Cell, Limits::kClasses * Limits::kPhases> m_cells;
    Store<std::int64_t, Limits::kClasses * Limits::kUses> m_firstArea;
};

} // namespace tilewright
