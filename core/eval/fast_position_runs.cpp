// SPDX-License-Identifier: GPL-3.0-or-later
// PositionEngine: consecutive steps and places of tiles that differ only by a shift, so that few of them are
// walked.
#include "eval/fast_positions.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright {

/// True if a step depends on more than its tile and the step before it.
bool PositionEngine::dependsOnHistory() const
{
    return m_keepsHistory && (std::ranges::any_of(m_products, &Product::recorded) ||
                              !std::ranges::all_of(m_coverage, &Coverage::isWhole));
}

/// Returns the number of places of one axis (`along`: kWithRow, kWithCol or kWithStep), from `place` on and
/// at most `count`, that are known to be alike. `at` holds the ranges of the plan at `place`. Places are
/// alike if each range shifts by a constant from one place to the next, and the footprints and the
/// coincidences of ranges stay the same.
std::int64_t PositionEngine::alike(const std::vector<Range>& at, std::uint8_t along, std::int64_t place,
                                   std::int64_t count)
{
    const std::int64_t size = along == kWithRow ? m_g.h : along == kWithCol ? m_g.w : m_g.k;
    const auto changesAt = [&](std::int64_t other) {
        if (other > place)
            count = std::min(count, other - place);
    };
    const auto moveBox = [&](std::size_t box) {
        const Box& b = m_boxes[box];
        const Range &r = at[b.rowSlot], &c = at[b.colSlot];
        const auto [shift, times] = m_footprints.alike(b.map, {r.begin, r.end, c.begin, c.end},
                                                       {m_shift[b.rowSlot], m_shift[b.colSlot]});
        m_boxShift[box] = shift;
        count = std::min(count, times);
    };
    const auto& ranges = m_plan->ranges();
    for (std::size_t i = 0; i < m_slots.size() && count > 1; ++i) {
        m_shift[i] = 0;
        if (const std::uint32_t box = m_slots[i].box; box != kNone) {
            if (m_boxes[box].firstSlot == i)
                moveBox(box);
            m_shift[i] = ranges[i].row ? m_boxShift[box].rows : m_boxShift[box].cols;
        } else if (m_slots[i].with == along) {
            changesAt(ranges[i].size / size);
            changesAt(ceilDiv(ranges[i].size, size));
            if (at[i].size() > 0)
                m_shift[i] = size;
        }
    }
    for (std::size_t b = 0; b < m_boxes.size() && count > 1; ++b)
        if (m_boxes[b].firstSlot == kNone)
            moveBox(b);
    return count > 1 && pairsStay() ? count : 1;
}

/// Returns the number of steps of the tile, from the current one on, that are known to be alike: all have the
/// same working set, and from the second one on the same cost.
std::int64_t PositionEngine::stepsAlike()
{
    std::int64_t count = m_tileSteps - m_step;
    const auto changesAt = [&](std::int64_t step) {
        if (step > m_step)
            count = std::min(count, step - m_step);
    };
    for (const Sink& s : m_sinks) {
        changesAt(s.steps - 1);
        changesAt(s.steps);
    }
    for (const SubgraphPlan::Group& g : m_plan->groups())
        changesAt(ceilDiv(g.reduction, m_g.k));
    return alike(m_range, kWithStep, m_step, count);
}

/// Skips to a later step that is like the last walked step.
void PositionEngine::skipTo(std::int64_t step)
{
    m_step = step;
    setRanges(false);
    m_previous.forEach([&](Request& b) { b.rect = rectOf(b.rowSlot, b.colSlot); });
}

/// Cuts an axis into runs of places that are alike.
const std::vector<PositionEngine::PlaceRun>& PositionEngine::runsOf(bool ofRows)
{
    // after this many consecutive places without a like one, no more are compared
    constexpr int kMostInVain = 6;
    std::vector<PlaceRun>& runs = ofRows ? m_rowRuns : m_colRuns;
    if (!runs.empty())
        return runs;
    const std::int64_t count = ofRows ? m_rows : m_cols;
    int inVain = 0;
    for (std::int64_t place = 0; place < count && inVain < kMostInVain;) {
        findHulls(ofRows, place);
        const std::int64_t times = alike(m_hull, ofRows ? kWithRow : kWithCol, place, count - place);
        inVain = times == 1 ? inVain + 1 : 0;
        runs.push_back({place, place + times});
        place += times;
    }
    if (runs.back().end < count)
        runs.push_back({runs.back().end, count, false});
    return runs;
}

std::int64_t PositionEngine::leastWalk(const Traversal& traversal)
{
    if (m_keepsHistory)
        return mostSteps();
    if (!isInLines(traversal))
        return saturatingMul(m_rows, m_cols);
    std::int64_t out = 1;
    for (const bool ofRows : {true, false}) {
        std::int64_t places = 0;
        for (const PlaceRun& run : runsOf(ofRows))
            places += run.isAlike ? std::min<std::int64_t>(2, run.end - run.begin) : run.end - run.begin;
        out = saturatingMul(out, places);
    }
    return out;
}

/// Returns, for each buffer after the last step, its input and whether it holds the whole tensor.
std::vector<std::pair<std::uint32_t, bool>> PositionEngine::held() const
{
    std::vector<std::pair<std::uint32_t, bool>> out;
    for (const Request& b : m_previous.list())
        out.emplace_back(b.id, b.full);
    return out;
}

std::vector<std::int64_t> PositionEngine::counts() const
{
    std::vector<std::int64_t> out;
    for (const Kind& kind : m_kinds)
        out.push_back(kind.count);
    return out;
}

/// Skips to a later tile that is like the last walked tile with steps.
void PositionEngine::moveTo(const TilePlace& tile)
{
    m_lastTile = tile;
    enterTile(tile.row, tile.col);
    skipTo(std::max<std::int64_t>(0, m_tileSteps - 1));
}

} // namespace tilewright
