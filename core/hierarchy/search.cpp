// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/search.h"

#include "base/progress.h"
#include "mapping/search_frame.h"

#include <algorithm>
#include <limits>

namespace tilewright::hierarchy {

namespace {

/// A place that a factor can have: the temporal loops of a level, or one of its axes.
struct Slot
{
    std::size_t level = 0;
    const Axis* axis = nullptr; ///< nullptr: temporal
};

/// The factors of one loop, by slot.
using Split = std::vector<std::int64_t>;

/// Which operand the innermost temporal loops of a level do not index: all its loops that do not index it are
/// innermost. -1: the innermost loop indexes all operands.
using Innermost = std::array<int, kMaxLevels>;

class Searcher
{
public:
    Searcher(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options)
        : m_nest(nest), m_architecture(architecture), m_options(options), m_start(wallClock())
    {
        for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
            m_slots.push_back({i, nullptr});
            for (const Axis& axis : architecture.levels[i].axes)
                m_slots.push_back({i, &axis});
        }
        m_used.assign(m_slots.size(), 1);
        m_splits.resize(static_cast<std::size_t>(nest.loopCount));
        m_chosen.assign(m_splits.size(), nullptr);
        for (int l = 0; l < nest.loopCount; ++l) {
            Split split(m_slots.size(), 1);
            listSplits(l, 0, nest.trips[static_cast<std::size_t>(l)], split);
        }
        m_tiled.levels = architecture.levels.size();
        for (Factors& f : m_tiled.spatial)
            f.fill(1);
        for (Factors& f : m_tiled.extents)
            f.fill(1);
        for (Factors& f : m_temporal)
            f.fill(1);
    }

    SearchResult run()
    {
        assign(0);
        m_result.proven = !m_stopped;
        m_result.interrupted = m_stopped && m_options.stop.stop_requested();
        std::ranges::sort(m_result.front, {}, &MappingCost::energy);
        for (std::size_t o = 0; o < kObjectives; ++o)
            for (const MappingCost& point : m_result.front) {
                const auto objective = static_cast<Objective>(o);
                if (!m_result.best[o] || point.value(objective) < m_result.best[o]->value(objective))
                    m_result.best[o] = point;
            }
        for (std::size_t o = 0; o < kObjectives && m_result.proven; ++o)
            if (m_result.best[o])
                m_result.lowerBound[o] = m_result.best[o]->value(static_cast<Objective>(o));
        m_result.seconds = wallClock() - m_start;
        return std::move(m_result);
    }

private:
    /// All ways to split `left` over the slots from `slot`.
    void listSplits(int loop, std::size_t slot, std::int64_t left, Split& split)
    {
        if (slot == m_slots.size()) {
            if (left == 1)
                m_splits[static_cast<std::size_t>(loop)].push_back(split);
            return;
        }
        const Axis* axis = m_slots[slot].axis;
        std::int64_t most = left;
        if (axis != nullptr)
            most = axis->allows(m_nest.kind, loop) ? std::min(left, axis->size) : 1;
        for (std::int64_t factor = 1; factor <= most; ++factor) {
            if (left % factor != 0)
                continue;
            split[slot] = factor;
            listSplits(loop, slot + 1, left / factor, split);
        }
        split[slot] = 1;
    }

    [[nodiscard]] bool stopped()
    {
        if ((++m_ticks & 0xff) == 0)
            m_stopped = m_stopped || m_options.stop.stop_requested() ||
                        (m_options.seconds > 0 && wallClock() - m_start > m_options.seconds);
        return m_stopped;
    }

    /// Tries all splits of the loops from `loop`. Those after it have extents of 1, so that tiles only grow.
    void assign(std::size_t loop)
    {
        if (loop == m_splits.size()) {
            settle();
            return;
        }
        for (const Split& split : m_splits[loop]) {
            if (stopped())
                break;
            if (!place(loop, split))
                continue;
            m_chosen[loop] = &split;
            if (allFit())
                assign(loop + 1);
            for (std::size_t s = 0; s < m_slots.size(); ++s)
                m_used[s] /= split[s];
        }
        setLoop(loop, nullptr);
    }

    /// Puts the factors of a loop into the nest; false, and nothing changes, if an axis has no room.
    bool place(std::size_t loop, const Split& split)
    {
        for (std::size_t s = 0; s < m_slots.size(); ++s)
            if (m_slots[s].axis != nullptr && m_used[s] * split[s] > m_slots[s].axis->size)
                return false;
        for (std::size_t s = 0; s < m_slots.size(); ++s)
            m_used[s] *= split[s];
        setLoop(loop, &split);
        return true;
    }

    void setLoop(std::size_t loop, const Split* split)
    {
        for (std::size_t i = 0; i < m_tiled.levels; ++i)
            m_tiled.spatial[i][loop] = m_temporal[i][loop] = 1;
        for (std::size_t s = 0; split != nullptr && s < m_slots.size(); ++s)
            (m_slots[s].axis ? m_tiled.spatial : m_temporal)[m_slots[s].level][loop] *= (*split)[s];
        for (std::size_t i = m_tiled.levels; i-- > 0;)
            m_tiled.extents[i][loop] =
                m_tiled.extents[i + 1][loop] * m_tiled.spatial[i][loop] * m_temporal[i][loop];
    }

    [[nodiscard]] bool allFit() const noexcept
    {
        for (std::size_t i = 0; i < m_tiled.levels; ++i)
            if (!fits(m_architecture.levels[i], storedBits(m_nest, m_architecture, i, m_tiled.extents[i])))
                return false;
        return true;
    }

    /// A tiling: first the bound in which every operand has the order that is best for it, then the orders.
    void settle()
    {
        ++m_result.tilings;
        m_tiled.instances[0] = 1;
        m_tiled.compute = 1;
        for (std::size_t i = 0; i < m_tiled.levels; ++i) {
            m_tiled.instances[i + 1] = m_tiled.instances[i];
            for (std::size_t l = 0; l < kMaxLoops; ++l) {
                m_tiled.instances[i + 1] *= m_tiled.spatial[i][l];
                m_tiled.compute *= m_temporal[i][l];
            }
        }
        for (std::size_t op = 0; op < kOperands; ++op)
            countVisits(op, [&](std::size_t) { return static_cast<int>(op); });
        count();
        if (dominated()) {
            ++m_result.cut;
            return;
        }
        Innermost innermost;
        innermost.fill(-1);
        tryOrders(0, innermost);
    }

    /// Every level has at most one order per operand that matters: fewer visits never cost more, a loop is
    /// without influence on at most one operand, and so the best orders have all such loops innermost.
    void tryOrders(std::size_t level, Innermost& innermost)
    {
        if (level == m_tiled.levels) {
            for (std::size_t op = 0; op < kOperands; ++op)
                countVisits(op, [&](std::size_t i) { return innermost[i]; });
            count();
            if (!dominated())
                keep(innermost);
            return;
        }
        bool any = false;
        for (int op = 0; op < static_cast<int>(kOperands); ++op)
            if (product(level, m_nest.operands[static_cast<std::size_t>(op)].freeMask) > 1) {
                innermost[level] = op;
                tryOrders(level + 1, innermost);
                any = true;
            }
        if (!any) { // no loops, or such that index all operands
            innermost[level] = -1;
            tryOrders(level + 1, innermost);
        }
    }

    /// Product of the temporal factors of a level over the loops of the mask.
    [[nodiscard]] std::int64_t product(std::size_t level, unsigned mask) const noexcept
    {
        std::int64_t out = 1;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if ((mask >> l & 1u) != 0)
                out *= m_temporal[level][l];
        return out;
    }

    /// docs/rules/hierarchy.md 3, visits, for the orders that `innermost(level)` describes.
    template <typename InnermostOf> void countVisits(std::size_t op, const InnermostOf& innermost) noexcept
    {
        Visits visits;
        std::int64_t all = 1;
        for (std::size_t i = 0; i < m_tiled.levels; ++i) {
            m_tiled.visits[i][op] = visits;
            const std::int64_t indexing = product(i, m_nest.operands[op].indexMask);
            const std::int64_t free = product(i, m_nest.operands[op].freeMask);
            if (indexing > 1) {
                const bool dropped = innermost(i) == static_cast<int>(op);
                visits.all = all * indexing * (dropped ? 1 : free);
                visits.different *= indexing;
            }
            all *= indexing * free;
        }
        m_tiled.visits[m_tiled.levels][op] = {all, visits.different};
    }

    void count()
    {
        ++m_result.evaluations;
        countCost(m_nest, m_architecture, m_tiled, m_cost);
    }

    [[nodiscard]] bool dominated() const noexcept
    {
        return std::ranges::any_of(m_result.front, [&](const MappingCost& point) {
            return point.energy <= m_cost.energy && point.cycles <= m_cost.cycles;
        });
    }

    void keep(const Innermost& innermost)
    {
        std::erase_if(m_result.front, [&](const MappingCost& point) {
            return point.energy >= m_cost.energy && point.cycles >= m_cost.cycles;
        });
        m_result.front.push_back({mappingOf(innermost), m_cost.energy, m_cost.cycles});
    }

    [[nodiscard]] Mapping mappingOf(const Innermost& innermost) const
    {
        Mapping out;
        out.levels.resize(m_tiled.levels);
        for (std::size_t s = 0; s < m_slots.size(); ++s) {
            LevelLoops& level = out.levels[m_slots[s].level];
            if (m_slots[s].axis != nullptr)
                level.spatial.push_back({m_slots[s].axis->name, {}});
            std::vector<TiledLoop>& loops = m_slots[s].axis ? level.spatial.back().loops : level.temporal;
            for (std::size_t l = 0; l < m_chosen.size(); ++l)
                if (const std::int64_t factor = (*m_chosen[l])[s]; factor > 1)
                    loops.push_back({static_cast<int>(l), factor});
        }
        for (std::size_t i = 0; i < m_tiled.levels; ++i) {
            const unsigned inner = innermost[i] < 0
                                       ? m_nest.neutralMask
                                       : m_nest.operands[static_cast<std::size_t>(innermost[i])].freeMask;
            std::vector<TiledLoop>& loops = out.levels[i].temporal;
            std::stable_partition(loops.begin(), loops.end(),
                                  [&](const TiledLoop& tiled) { return (inner >> tiled.loop & 1u) == 0; });
        }
        return out;
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const SearchOptions& m_options;
    double m_start;
    std::vector<Slot> m_slots;
    std::vector<std::vector<Split>> m_splits; ///< by loop
    std::vector<const Split*> m_chosen;       ///< by loop
    std::vector<std::int64_t> m_used;         ///< product of the factors of a slot
    std::array<Factors, kMaxLevels> m_temporal;
    TiledNest m_tiled;
    Cost m_cost;
    SearchResult m_result;
    std::uint64_t m_ticks = 0;
    bool m_stopped = false;
};

} // namespace

bool SearchResult::isOptimal(Objective objective) const noexcept
{
    const auto& found = of(objective);
    return found && found->value(objective) <=
                        lowerBound[static_cast<std::size_t>(objective)] * (1 + mapping::kEnergyTolerance);
}

double SearchResult::gap(Objective objective) const noexcept
{
    if (isOptimal(objective))
        return 0;
    const double least = lowerBound[static_cast<std::size_t>(objective)];
    if (!of(objective) || least <= 0)
        return std::numeric_limits<double>::infinity();
    return of(objective)->value(objective) / least - 1;
}

SearchResult search(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options)
{
    return Searcher(nest, architecture, options).run();
}

} // namespace tilewright::hierarchy
