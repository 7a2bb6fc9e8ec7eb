// SPDX-License-Identifier: GPL-3.0-or-later
// Lower bounds over all tilings with one grid of tiles, by traversal: the sum of all compute and the sum of
// all traffic, assuming perfect overlap of all steps. They discard nearly all tilings of a proof.
//
// Only one property of the depth k matters: whether it is the largest legal one or smaller. A smaller k cuts
// every reduction into several steps. Then the first k step of a tile never follows a step with equal slices,
// and data that only completing steps need has left fast memory when the next tile completes. So the sums
// over the k steps are equal for all smaller k.
//
// If two slices of a tensor may coincide at some position, its elements count once. If two runs of an op may
// coincide, their rectangles count once, by extent (with compute=array: those of the first run).
#include "base/integer.h"
#include "eval/cost.h"
#include "solve/cost/cost_model.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

namespace {

template <typename Axis> bool compatible(Axis a, Axis b)
{
    return a == b || (a != Axis::Full && b != Axis::Full);
}

} // namespace

/// Returns the largest grid of tiles in which a run or request with these conditions is active.
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
        bool byRow = r.row == Axis::Tile;
        bool byCol = r.col == Axis::Tile;
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
            compute += costOfCycle(r) * arrayCycles(cut(r.row, r.height, g.h, m_nativeH),
                                                    cut(r.col, r.width, g.w, m_nativeW), r.reduction, chunks);
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
    const auto area = static_cast<double>(t.elements());
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
        // True if the buffer of the previous tile may still be in memory.
        bool lasts = false;
        for (std::size_t b = 0; b < m_conditions.size(); ++b)
            lasts |= (conditions >> b & 1) != 0 &&
                     (!m_conditions[b].completing || m_conditions[b].reduction <= g.k);
        lasts &= row != Axis::Step && col != Axis::Step;
        const Grid grid = gridOf(r.conditions, g.w, g.h);
        const double rows = row == Axis::Tile ? 1 : grid.rows; // number of tile rows that need the same part
        const double cols = col == Axis::Tile ? 1 : grid.cols;
        if (!lasts) {
            addEverywhere(area * rows * cols);
            continue;
        }
        if (row == Axis::Full && col == Axis::Full) {
            addEverywhere(area);
            continue;
        }
        // A strip stays in memory along its own direction. Across it, a snake traversal keeps one strip at
        // each turn.
        const auto kept = [](double turns, std::int64_t extent, std::int64_t tile) {
            const double atEnd = std::ceil(turns / 2); // number of turns at the last, clipped strip
            const std::int64_t rest = extent - (ceilDiv(extent, tile) - 1) * tile;
            return atEnd * static_cast<double>(rest) +
                   (turns - atEnd) * static_cast<double>(std::min(tile, extent));
        };
        const double inRows = col == Axis::Full ? area : area * rows;
        const double inColumns = row == Axis::Full ? area : area * cols;
        const double inSnake =
            inRows -
            (row == Axis::Full ? kept(grid.rows - 1, t.width, g.w) * static_cast<double>(t.height) : 0);
        const double inColumnSnake =
            inColumns -
            (col == Axis::Full ? kept(grid.cols - 1, t.height, g.h) * static_cast<double>(t.width) : 0);
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
    // All k below the largest have equal sums only if they cut every reduction. With k_above_K=clamp this is
    // not certain.
    if (!m_supported || (!deepest && m_range.maxK > m_plan.smallestK()))
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

} // namespace tilewright
