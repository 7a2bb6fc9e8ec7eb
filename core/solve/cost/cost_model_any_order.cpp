// SPDX-License-Identifier: GPL-3.0-or-later
// Lower bounds over all tilings of the compiled op set: all extents of the tile and all depths k.
//
// anyOrderBoundByDepth(): a large k needs more fast memory; a small k leaves little compute in the completing
// step of a tile, which stores the result. So the bound counts only traffic in completing steps and only
// compute in the other steps. If a reduction K takes several steps of at most k, at most the share k / K of
// its work is in the completing step, and never more than half.
#include "base/integer.h"
#include "solve/cost/cost_model.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace tilewright {

CostModel::Extents CostModel::extentsOf(std::size_t column, std::size_t row) const
{
    const auto most = [](const std::vector<std::int64_t>& classes, std::size_t i, std::int64_t last) {
        return i + 1 == classes.size() ? last : classes[i + 1] - 1;
    };
    const std::vector<std::int64_t>& columns = m_columnClasses.smallest;
    const std::vector<std::int64_t>& rows = m_rowClasses.smallest;
    return {columns[column], rows[row], most(columns, column, m_range.maxW), most(rows, row, m_range.maxH)};
}

/// Wider tiles fit only with fewer rows, so the largest classes that fit form a staircase. A bound that falls
/// with larger extents has its minimum on the staircase. A part of the staircase is bisected while the bound
/// for extents as large as both of its ends may be a new minimum.
template <class Fits, class Visit, class MayMatter>
void CostModel::forLargestClasses(Fits&& fits, Visit&& visit, MayMatter&& mayMatter)
{
    const std::vector<std::int64_t>& widths = columnClasses();
    const std::vector<std::int64_t>& heights = rowClasses();
    // Binary search: the last index in [low, high] with ok(index). ok() must hold for `low` and be monotone.
    const auto last = [](std::size_t low, std::size_t high, auto&& ok) {
        while (low < high) {
            const std::size_t mid = low + (high - low + 1) / 2;
            if (ok(mid))
                low = mid;
            else
                high = mid - 1;
        }
        return low;
    };
    const auto rowsOf = [&](std::size_t c, std::size_t low, std::size_t high) {
        return last(low, high, [&](std::size_t r) { return fits(widths[c], heights[r]); });
    };
    if (heights.empty() || widths.empty() || !fits(widths[0], heights[0]))
        return;
    struct Stretch
    {
        std::size_t c, rows, toC, toRows;
    };
    Stretch whole{};
    whole.toC = last(0, widths.size() - 1, [&](std::size_t c) { return fits(widths[c], heights[0]); });
    whole.rows = rowsOf(0, 0, heights.size() - 1);
    whole.toRows = rowsOf(whole.toC, 0, whole.rows);
    visit(extentsOf(whole.toC, whole.toRows));
    if (whole.toC > 0)
        visit(extentsOf(0, whole.rows));
    std::vector<Stretch> todo{whole};
    while (!todo.empty()) {
        const Stretch s = todo.back();
        todo.pop_back();
        // If both ends of this part of the staircase have equally many rows, the class at its right end is
        // the largest one and was already visited.
        if (s.toC - s.c < 2 || s.rows == s.toRows || !mayMatter(extentsOf(s.toC - 1, s.rows)))
            continue;
        const std::size_t mid = s.c + (s.toC - s.c) / 2;
        const std::size_t rows = rowsOf(mid, s.toRows, s.rows);
        visit(extentsOf(mid, rows));
        todo.push_back({s.c, s.rows, mid, rows});
        todo.push_back({mid, rows, s.toC, s.toRows});
    }
}

double CostModel::latencyBound()
{
    double least = std::numeric_limits<double>::infinity();
    if (m_range.empty())
        return least;
    if (!m_supported)
        return 0;
    const auto at = [this](const Extents& e) { return bound(e.w, e.h, e.mostW, e.mostH); };
    forLargestClasses([this](std::int64_t w, std::int64_t h) { return canFit(w, h); },
                      [&](const Extents& e) { least = std::min(least, at(e)); },
                      [&](const Extents& e) { return at(e) < least; });
    return least;
}

/// A k of at least a reduction's size takes the reduction in one step, which saves loads but needs more room.
std::vector<CostModel::Depths> CostModel::depths() const
{
    std::vector<Depths> out;
    std::int64_t shallow = 1;
    for (std::size_t i = 0; i <= m_reductions.size(); ++i) {
        const std::int64_t deep =
            i == m_reductions.size() ? m_range.maxK : std::min(m_reductions[i] - 1, m_range.maxK);
        if (deep < shallow)
            continue;
        out.push_back({shallow, deep});
        shallow = deep + 1;
    }
    return out;
}

double CostModel::anyOrderBound()
{
    double least = std::numeric_limits<double>::infinity();
    if (m_range.empty())
        return least;
    if (!m_supported)
        return 0;
    const auto at = [this](const Extents& e) {
        return std::max(leastCompute(e.w, e.h), leastTraffic(e) / m_bandwidth);
    };
    for (const Depths& d : depths()) {
        prepareBounds(d.most);
        forLargestClasses(
            [&](std::int64_t w, std::int64_t h) {
                return canFit({w, h, d.least}, d.most);
            },
            [&](const Extents& e) { least = std::min(least, at(e)); },
            [&](const Extents& e) { return at(e) < least; });
    }
    prepareBounds(m_range.maxK);
    return least;
}

/// Lower bound for a reduction that takes several steps in every tile. It adds the traffic of the completing
/// step and either the compute of the steps before it, or the loads of the first step plus the compute of the
/// steps between.
double CostModel::steppedReductionBound(const Extents& e, const Depths& depths, std::int64_t reduction) const
{
    const auto most = static_cast<double>(depths.most);
    // largest share of the work that one step can do
    const double part = std::min(most / static_cast<double>(reduction), 0.5);
    double compute = 0; // compute of all steps except the completing ones
    double between = 0; // compute of all steps except the first and the completing ones
    double spread = 0;  // compute that is spread over all steps of this reduction
    double first = 0;   // compute of the first steps
    for (const Work& r : m_work) {
        if (r.stepped <= depths.most) {
            if (r.stepped == 0 && r.early)
                first += leastCompute(r, e.w, e.h);
            continue;
        }
        const double work = leastCompute(r, e.w, e.h);
        if (r.stepped == reduction) {
            spread += work;
        } else {
            compute += work * (1 - most / static_cast<double>(r.stepped));
            between += work * std::max(0.0, 1 - 2 * most / static_cast<double>(r.stepped));
        }
    }
    double completing = 0; // elements transferred in completing steps
    for (const Sink& s : m_sinks)
        if (!s.retained && s.reduction == reduction)
            completing += static_cast<double>(s.height) * static_cast<double>(s.width);
    double starting = 0; // elements loaded in first steps
    double slices = 0;   // elements loaded over all steps
    for (const Load& l : m_loads) {
        if (l.after == reduction) {
            completing += l.area;
            continue;
        }
        const bool byRow = l.row == Axis::Step && l.height == reduction;
        const bool byCol = l.col == Axis::Step && l.width == reduction;
        if (byRow != byCol && !l.mayBeLoaded)
            slices += l.area * timesLoaded(l, static_cast<double>(ceilDiv(l.gridHeight, e.h)),
                                           static_cast<double>(ceilDiv(l.gridWidth, e.w)), e.mostW, e.mostH);
        else if (l.early && l.row != Axis::Step && l.col != Axis::Step)
            starting += l.area;
    }
    // correction (<= 0) for the case that one step does all work of a tile
    const double less = std::min(0.0, slices / m_bandwidth - spread);
    return spread + completing / m_bandwidth +
           std::max(compute + first + part * less, starting / m_bandwidth + between + 2 * part * less);
}

/// Lower bound for work whose result all tiles of a row share: the first tile that requests it runs it, later
/// tiles reuse it (R8.1). The bound adds the compute of these first tiles and the larger of compute and
/// traffic of all other tiles. With !ofRows it does the same for columns.
double CostModel::firstTilesBound(const Extents& e, bool ofRows) const
{
    double first = 0;
    for (const Work& r : m_work)
        if (ofRows ? r.onceARow : r.onceAColumn)
            first += leastCompute(r, e.w, e.h);
    if (first == 0)
        return 0;
    // Sinks of different widths may have different first tiles: at most one for each width.
    const double tiles = static_cast<double>(ofRows ? m_widths.size() : m_heights.size()) *
                         static_cast<double>(ofRows ? e.mostW : e.mostH);
    // share of a sink's area that is not in the first tile of a row or column
    const auto inOthers = [&](std::int64_t height, std::int64_t width) {
        return std::max(0.0, 1 - tiles / static_cast<double>(ofRows ? width : height));
    };
    // If all sinks have the same height, every row has the same number of tiles, so its first tile does a
    // known share.
    const bool isInAll = (ofRows ? m_heights : m_widths).size() == 1;
    const std::int64_t across = (ofRows ? m_widths : m_heights).back();
    double compute = 0;
    if (m_rules.superNative != Rules::SuperNative::Ceil)
        for (const Work& r : m_work)
            if (r.byRow && r.byCol && r.reduction == 0) {
                const double work = leastCompute(r, e.w, e.h);
                compute += work * inOthers(r.height, r.width);
                if (isInAll && (ofRows ? r.width : r.height) == across)
                    first += work / static_cast<double>(ceilDiv(across, ofRows ? e.w : e.h));
            }
    double elements = 0;
    for (const Sink& s : m_sinks)
        if (!s.retained)
            elements +=
                static_cast<double>(s.height) * static_cast<double>(s.width) * inOthers(s.height, s.width);
    for (const Load& l : m_loads)
        if (!l.mayBeLoaded && (l.row == Axis::Step || l.col == Axis::Step))
            elements += l.area *
                        timesLoaded(l, static_cast<double>(ceilDiv(l.gridHeight, e.h)),
                                    static_cast<double>(ceilDiv(l.gridWidth, e.w)), e.mostW, e.mostH) *
                        inOthers(l.gridHeight, l.gridWidth);
        else if (!l.mayBeLoaded && l.row == Axis::Tile && l.col == Axis::Tile)
            elements += l.area * inOthers(l.gridHeight, l.gridWidth);
    return first + std::max(compute, elements / m_bandwidth);
}

double CostModel::anyOrderBoundAt(const Depths& depths)
{
    prepareBounds(depths.most);
    double least = std::numeric_limits<double>::infinity();
    const auto at = [&](const Extents& e) {
        double value = std::max(leastCompute(e.w, e.h), leastTraffic(e) / m_bandwidth);
        for (const std::int64_t reduction : m_reductions)
            if (reduction > depths.most)
                value = std::max(value, steppedReductionBound(e, depths, reduction));
        return std::max({value, firstTilesBound(e, true), firstTilesBound(e, false)});
    };
    forLargestClasses(
        [&](std::int64_t w, std::int64_t h) {
            return canFit({w, h, depths.least}, depths.most);
        },
        [&](const Extents& e) { least = std::min(least, at(e)); },
        [&](const Extents& e) { return at(e) < least; });
    return least;
}

double CostModel::anyOrderBoundByDepth()
{
    if (m_range.empty())
        return std::numeric_limits<double>::infinity();
    if (!m_supported)
        return 0;
    constexpr int kMostSplits = 16;
    struct Bounded
    {
        Depths depths;
        double least;
        // reversed, so that the queue's top has the least bound
        bool operator<(const Bounded& o) const { return least > o.least; }
    };
    std::priority_queue<Bounded> queue; // priority queue of intervals of k, by their lower bounds
    const auto add = [&](const Depths& d) { queue.push({d, anyOrderBoundAt(d)}); };
    for (const Depths& d : depths())
        add(d);
    for (int i = 0; i < kMostSplits && !queue.empty(); ++i) {
        const Depths d = queue.top().depths;
        if (d.least == d.most || m_reductions.empty() || m_reductions.back() <= d.most ||
            !std::isfinite(queue.top().least))
            break; // nothing fits, or every reduction takes one step
        queue.pop();
        const auto middle =
            static_cast<std::int64_t>(std::sqrt(static_cast<double>(d.least) * static_cast<double>(d.most)));
        const std::int64_t shallow = std::clamp(middle, d.least, d.most - 1);
        add({d.least, shallow});
        add({shallow + 1, d.most});
    }
    const double least = queue.empty() ? std::numeric_limits<double>::infinity() : queue.top().least;
    prepareBounds(m_range.maxK);
    return least;
}

} // namespace tilewright
