// SPDX-License-Identifier: GPL-3.0-or-later
// Lower bounds of the latency: for one grid of tiles, and over all tile sizes and all orders of the tiles.
#include "base/integer.h"
#include "eval/cost.h"
#include "solve/cost/cost_model.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace tilewright {

// Lower bounds over all tilings with the same tile width and height, for each preset traversal: the compute
// time of all steps and the memory time of all steps. The latency is at least the larger of both. These
// bounds discard nearly all tilings of a proof.
//
// Only one property of the depth k matters: whether it is the largest legal one or smaller. A smaller k cuts
// every reduction into several steps. Then the first k step of a tile never follows a step with equal slices,
// and data that only completing steps need has left fast memory when the next tile completes. So the sums
// over the k steps are equal for all smaller k.
//
// If two requests for a tensor may be for the same slice in some tile, the tensor counts as loaded once. If
// two runs of an op may compute the same rectangle in some tile, the op counts once, in proportion to the
// extents of its result (with compute=array: with the cut of the first run).

namespace {

template <typename Axis> bool compatible(Axis a, Axis b)
{
    return a == b || (a != Axis::Full && b != Axis::Full);
}

} // namespace

/// Returns the largest grid of tiles in which a run or request with the given conditions is active.
CostModel::Grid CostModel::gridOf(std::uint64_t conditions, std::int64_t w, std::int64_t h) const
{
    Grid grid{1, 1};
    for (std::size_t b = 0; b < m_conditions.size(); ++b)
        if ((conditions >> b & 1) != 0) {
            const auto rows = static_cast<double>(ceilDiv(m_conditions[b].height, h));
            const auto cols = static_cast<double>(ceilDiv(m_conditions[b].width, w));
            if (rows * cols > grid.rows * grid.cols)
                grid = {rows, cols};
        }
    return grid;
}

double CostModel::gridCompute(const Granularity& g) const
{
    double compute = 0;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const Run& r = m_runs[i];
        const Axis row = resolved(r.row, r.height, g.h, g.k);
        const Axis col = resolved(r.col, r.width, g.w, g.k);
        const bool split = r.split && g.k < r.reduction;
        bool byRow = r.row == Axis::Tile && (r.matmul || !m_elements);
        bool byCol = r.col == Axis::Tile && (r.matmul || !m_elements);
        bool counted = false;
        for (std::size_t j = 0; j < m_runs.size() && !counted; ++j) {
            const Run& o = m_runs[j];
            if (j == i || o.op != r.op || (o.split && g.k < o.reduction) != split ||
                !compatible(resolved(o.row, o.height, g.h, g.k), row) ||
                !compatible(resolved(o.col, o.width, g.w, g.k), col))
                continue;
            counted = j < i;
            byRow &= o.row == Axis::Tile;
            byCol &= o.col == Axis::Tile;
        }
        if (counted)
            continue;
        if (m_array && r.matmul) {
            const auto cut = [](Axis axis, std::int64_t extent, std::int64_t tile, std::int64_t native) {
                return axis == Axis::Tile ? ArrayAxis::tiled(extent, tile, native)
                                          : ArrayAxis::whole(extent, native);
            };
            const double chunks =
                split ? static_cast<double>(ceilDiv(r.reduction, std::max<std::int64_t>(g.k, 1))) : 1;
            compute +=
                costOfCycle(r) *
                (m_plainArray
                     ? arrayCycles(cut(r.row, r.height, g.h, m_nativeH), cut(r.col, r.width, g.w, m_nativeW),
                                   r.reduction, chunks)
                     : StepCosts(m_problem.hardware(), {}, m_rules).cycles(r.height, r.width, r.reduction));
            continue;
        }
        const Grid grid = gridOf(r.conditions, g.w, g.h);
        double cost = r.base;
        cost *= byRow ? grid.rows : static_cast<double>(r.height) / static_cast<double>(m_nativeH);
        cost *= byCol ? grid.cols : static_cast<double>(r.width) / static_cast<double>(m_nativeW);
        if (m_rules.superNative == Rules::SuperNative::Ceil) {
            cost *= byRow ? static_cast<double>(ceilDiv(g.h, m_nativeH)) : 1;
            cost *= byCol ? static_cast<double>(ceilDiv(g.w, m_nativeW)) : 1;
        }
        if (r.matmul && m_rules.kScaling == Rules::KScaling::Native)
            cost *= static_cast<double>(r.reduction) / static_cast<double>(m_nativeK);
        compute += cost;
    }
    return compute;
}

/// Adds to `elements`, for each preset traversal, a lower bound of the elements loaded of one tensor. The
/// requests for the tensor are those from index `first` up to `last`.
void CostModel::addGridLoads(std::size_t first, std::size_t last, const Granularity& g,
                             std::array<double, 4>& elements) const
{
    const auto addEverywhere = [&](double loads) {
        for (double& e : elements)
            e += loads;
    };
    const Tensor& t = m_problem.tensor(TensorId(m_requests[first].tensor));
    const double area = m_requests[first].area;
    const auto units = static_cast<double>(m_requests[first].units);
    const auto rowOf = [&](const Request& r) { return resolved(r.row, t.height, g.h, g.k); };
    const auto colOf = [&](const Request& r) { return resolved(r.col, t.width, g.w, g.k); };
    for (std::size_t i = first; i < last; ++i)
        for (std::size_t j = first; j < last; ++j) {
            const Request& a = m_requests[i];
            const Request& b = m_requests[j];
            const bool whole = rowOf(a) == Axis::Full && colOf(a) == Axis::Full;
            const bool same = rowOf(a) == rowOf(b) && colOf(a) == colOf(b);
            // A buffer with the whole tensor, FULL(t), serves the other requests too (R7.1), so only one load
            // is certain.
            if ((whole && !same) || (i < j && a.role == b.role && !same && compatible(rowOf(a), rowOf(b)) &&
                                     compatible(colOf(a), colOf(b)))) {
                addEverywhere(area);
                return;
            }
        }
    for (std::size_t i = first; i < last; ++i) {
        const Request& r = m_requests[i];
        const Axis row = rowOf(r);
        const Axis col = colOf(r);
        std::uint64_t conditions = 0;
        bool counted = false;
        for (std::size_t j = first; j < last; ++j) {
            const Request& o = m_requests[j];
            const bool whole = row == Axis::Full && col == Axis::Full;
            if ((o.role != r.role && !whole) || rowOf(o) != row || colOf(o) != col)
                continue;
            counted |= j < i;
            conditions |= o.conditions;
        }
        if (counted)
            continue;
        // True if the slice that the previous tile loaded may still be in fast memory.
        bool lasts = false;
        for (std::size_t b = 0; b < m_conditions.size(); ++b)
            lasts |= (conditions >> b & 1) != 0 &&
                     (!m_conditions[b].completing || m_conditions[b].reduction <= g.k);
        lasts &= row != Axis::Step && col != Axis::Step;
        const Grid grid = gridOf(r.conditions, g.w, g.h);
        // number of rows of tiles that need the same part of the tensor
        const double rows = row == Axis::Tile ? 1 : grid.rows;
        const double cols = col == Axis::Tile ? 1 : grid.cols;
        if (!lasts) {
            addEverywhere(area * rows * cols);
            continue;
        }
        if (row == Axis::Full && col == Axis::Full) {
            addEverywhere(area);
            continue;
        }
        // A strip is a part of the tensor that extends over all of one direction and over one tile in the
        // other. Tiles visited along a strip keep it in memory. In the other direction, every row (column) of
        // tiles loads all strips, but a snake traversal keeps one strip at each turn.
        const auto kept = [](double turns, std::int64_t extent, std::int64_t tile) {
            // number of turns at the last strip, which may be smaller than the others
            const double atEnd = std::ceil(turns / 2);
            const std::int64_t rest = extent - (ceilDiv(extent, tile) - 1) * tile;
            return atEnd * static_cast<double>(rest) +
                   (turns - atEnd) * static_cast<double>(std::min(tile, extent));
        };
        const double inRows = col == Axis::Full ? area : area * rows;
        const double inColumns = row == Axis::Full ? area : area * cols;
        const double inSnake = inRows - (row == Axis::Full ? units * kept(grid.rows - 1, t.width, g.w) *
                                                                 static_cast<double>(t.height)
                                                           : 0);
        const double inColumnSnake =
            inColumns - (col == Axis::Full
                             ? units * kept(grid.cols - 1, t.height, g.h) * static_cast<double>(t.width)
                             : 0);
        const auto add = [&](TraversalKind kind, double loads) {
            elements[static_cast<std::size_t>(kind)] += loads;
        };
        add(TraversalKind::Raster, inRows);
        add(TraversalKind::Snake, inSnake);
        add(TraversalKind::Column, inColumns);
        add(TraversalKind::ColumnSnake, inColumnSnake);
    }
}

CostModel::GridTotals CostModel::gridTotals(std::int64_t w, std::int64_t h, bool deepest) const
{
    // The sums over the k steps are equal for all k below the largest only if each of these k cuts every
    // reduction. With k_above_K=clamp a smaller k need not do so; then there is no bound.
    if (!m_supported || m_plan.hasMaps() || (!deepest && m_range.maxK > m_plan.smallestK()))
        return {};
    const Granularity g{w, h, deepest ? m_range.maxK : m_range.maxK - 1};
    std::array<double, 4> elements{m_stores, m_stores, m_stores, m_stores};
    for (std::size_t i = 0, end = 0; i < m_requests.size(); i = end) {
        for (end = i; end < m_requests.size() && m_requests[end].tensor == m_requests[i].tensor;)
            ++end;
        addGridLoads(i, end, g, elements);
    }
    const double compute = gridCompute(g);
    GridTotals totals;
    for (std::size_t i = 0; i < totals.size(); ++i)
        totals[i] = {compute, elements[i] / m_bandwidth};
    return totals;
}

// Lower bounds over all tilings of the compiled op set, i.e. all tile sizes and all depths k.
//
// anyOrderBoundByDepth() uses that a large k needs more fast memory, and that a small k leaves little compute
// in the completing step of a tile, which stores the result. So the bound counts only traffic in completing
// steps and only compute in the other steps. If a reduction K takes several steps of at most k, at most the
// share k / K of its work is in the completing step, and never more than half.

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
        // If both ends of this part of the staircase have equally many rows, the largest class of the part is
        // at its right end, which was already visited.
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

/// If k is at least the size of a reduction, the reduction takes one step, which saves loads but needs more
/// memory.
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
    // largest share of a reduction's work that one step can do
    const double part = std::min(most / static_cast<double>(reduction), 0.5);
    double compute = 0; // compute of all steps except the completing ones
    double between = 0; // compute of all steps except the first and the completing ones
    double spread = 0;  // compute that is spread over all steps of the reduction
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
            completing +=
                static_cast<double>(s.height) * static_cast<double>(s.width) * static_cast<double>(s.units);
    double starting = 0; // elements loaded in first steps
    double slices = 0;   // elements loaded in slices, which are spread over all steps of the reduction
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
    // Correction (<= 0) of `spread`. A step that the bound counts with its traffic adds the load time of its
    // slices instead of its compute.
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
    if (m_plan.hasMaps()) // the tiles' parts of a view are not in proportion to their sizes
        return 0;
    for (const Work& r : m_work)
        if (ofRows ? r.onceARow : r.onceAColumn)
            first += leastCompute(r, e.w, e.h);
    if (first == 0)
        return 0;
    // Sinks of different widths may have different first tiles, at most one for each width.
    const double tiles = static_cast<double>(ofRows ? m_widths.size() : m_heights.size()) *
                         static_cast<double>(ofRows ? e.mostW : e.mostH);
    // lower bound of the share of a sink's area that lies outside the first tile of every row of tiles
    // (!ofRows: of every column of tiles)
    const auto inOthers = [&](std::int64_t height, std::int64_t width) {
        return std::max(0.0, 1 - tiles / static_cast<double>(ofRows ? width : height));
    };
    // If all sinks have the same height (!ofRows: width), every row (column) has the same number of tiles, so
    // its first tile does a known share of the work.
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
            elements += static_cast<double>(s.height) * static_cast<double>(s.width) *
                        static_cast<double>(s.units) * inOthers(s.height, s.width);
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
            if (reduction > depths.most && !m_plan.hasMaps())
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
        // reversed comparison, so that the least bound is at the top of the queue
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
            break; // nothing fits, or every reduction takes a single step
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
