// SPDX-License-Identifier: GPL-3.0-or-later
// PositionEngine: the classes of tiles that have the same steps.
#include "eval/fast_positions.h"

#include <algorithm>

namespace tilewright {

/// Returns the entry for the steps after the first one that the class of the current tile shares; null if
/// they must be walked.
PositionEngine::Rest* PositionEngine::restOf(std::int64_t row, std::int64_t col)
{
    constexpr std::size_t kMostRests = 4096;
    // The buffers that the first step found influence the second step only if one of them holds a whole
    // tensor.
    if (m_mergedByPast)
        return nullptr;
    if (dependsOnHistory())
        return nullptr;
    const std::int32_t rowClass = classOf(m_rowPlaces, true, row);
    const std::int32_t colClass = rowClass == kAlone ? kAlone : classOf(m_colPlaces, false, col);
    if (rowClass == kAlone || colClass == kAlone)
        return nullptr;
    const std::uint32_t at = m_restKeys.add({rowClass, colClass}).index;
    if (at >= kMostRests)
        return nullptr;
    if (at == m_rests.size())
        m_rests.emplace_back();
    return &m_rests[at];
}

std::int32_t PositionEngine::classOf(Places& places, bool ofRows, std::int64_t place)
{
    constexpr std::int64_t kMostPlaces = std::int64_t{1} << 22;
    constexpr std::size_t kMostClasses = 64;
    const std::int64_t count = ofRows ? m_rows : m_cols;
    if (count > kMostPlaces)
        return kAlone;
    places.classes.resize(static_cast<std::size_t>(count), kUnknown);
    std::int32_t& out = places.classes[static_cast<std::size_t>(place)];
    if (out != kUnknown)
        return out;
    findHulls(ofRows, place);
    out = 0;
    // Most places are like the one before, so the newest classes are tried first.
    for (std::size_t c = places.count; c-- > 0;)
        if (isShifted(&places.hulls[c * m_slots.size()], ofRows))
            return out = static_cast<std::int32_t>(c);
    if (places.count == kMostClasses)
        return out = kAlone;
    places.hulls.insert(places.hulls.end(), m_hull.begin(), m_hull.end());
    return out = static_cast<std::int32_t>(places.count++);
}

/// Finds, for each range of the plan, the smallest range that holds it in all k steps and at all places of
/// the other axis.
void PositionEngine::findHulls(bool ofRows, std::int64_t place)
{
    const auto& ranges = m_plan->ranges();
    for (std::size_t i = 0; i < m_slots.size(); ++i) {
        if (m_slots[i].box != kNone) {
            const Box& b = m_boxes[m_slots[i].box];
            const Range &r = m_hull[b.rowSlot], &c = m_hull[b.colSlot];
            const Rect box = m_footprints.find(b.map, {r.begin, r.end, c.begin, c.end}).box;
            m_hull[i] = ranges[i].row ? Range{box.r0, box.r1} : Range{box.c0, box.c1};
        } else if (ranges[i].axis == SubgraphPlan::Axis::Tile && ranges[i].row == ofRows) {
            m_hull[i] = tileRange(i, place);
        } else {
            m_hull[i] = {0, ranges[i].size};
        }
    }
}

/// True if the steps at the place with the hulls `from` equal those at the place with the hulls m_hull except
/// for a constant shift of each range of the plan. The footprints and the coincidences of ranges must then be
/// the same.
bool PositionEngine::isShifted(const Range* from, bool ofRows)
{
    const auto& ranges = m_plan->ranges();
    const auto shiftBox = [&](std::size_t box) {
        const Box& b = m_boxes[box];
        const Range &r0 = from[b.rowSlot], &c0 = from[b.colSlot];
        const Rect before{r0.begin, r0.end, c0.begin, c0.end};
        const std::int64_t rows = m_shift[b.rowSlot], cols = m_shift[b.colSlot];
        const auto shift = m_footprints.shift(
            b.map, before, {before.r0 + rows, before.r1 + rows, before.c0 + cols, before.c1 + cols});
        m_boxShift[box] = shift.value_or(FastFootprints::Shift{});
        return shift.has_value();
    };
    for (std::size_t i = 0; i < m_slots.size(); ++i) {
        m_shift[i] = 0;
        if (const std::uint32_t box = m_slots[i].box; box != kNone) {
            if (m_boxes[box].firstSlot == i && !shiftBox(box))
                return false;
            m_shift[i] = ranges[i].row ? m_boxShift[box].rows : m_boxShift[box].cols;
        } else if (ranges[i].axis == SubgraphPlan::Axis::Tile && ranges[i].row == ofRows) {
            if (from[i].size() != m_hull[i].size())
                return false;
            if (from[i].size() > 0)
                m_shift[i] = m_hull[i].begin - from[i].begin;
        }
    }
    for (std::size_t b = 0; b < m_boxes.size(); ++b)
        if (m_boxes[b].firstSlot == kNone && !shiftBox(b))
            return false;
    return pairsStay();
}

/// True if the pairs of ranges in m_pairs stay equal, or stay different, when each range of the plan moves by
/// its m_shift. This holds if both ranges move by the same shift. It also holds if one of them always covers
/// the whole axis, which a moving range never does.
bool PositionEngine::pairsStay() const
{
    const auto& ranges = m_plan->ranges();
    const auto isWhole = [&](std::uint32_t slot) {
        const std::int64_t size = ranges[slot].size;
        switch (ranges[slot].axis) {
        case SubgraphPlan::Axis::Tile:
            return (ranges[slot].row ? m_g.h : m_g.w) >= size;
        case SubgraphPlan::Axis::Step:
            return m_g.k >= size;
        case SubgraphPlan::Axis::Full:
            return true;
        case SubgraphPlan::Axis::Box:
            break;
        }
        return false;
    };
    return std::ranges::all_of(m_pairs, [&](const auto& pair) {
        const auto& [a, b] = pair;
        return m_shift[a] == m_shift[b] || isWhole(a) || isWhole(b);
    });
}

} // namespace tilewright
