// SPDX-License-Identifier: GPL-3.0-or-later
// What no tiling of the compiled op set goes below, by the extents of the tile alone.
//
// Loads. Requests of one tensor with different roles are different buffers (R7.1) unless the whole tensor may
// be asked for; then it counts once. A slice that changes with every k step (more steps than one for certain)
// is loaded anew in every tile that needs it, because the first k step of a tile never follows an equal one.
// A row strip (all columns) stays along a row; walked column by column it is loaded in every tile, but for
// the one on each side of a turn of the snake. Column strips are the mirror image, and the walk is either by
// rows or by columns for all tensors alike.
//
// Compute. Every rectangle an op runs on is charged once at least (R8.1), in strips along spatial axes and by
// extent along others. Where one op is asked for in different ways, only by extent, which is never more. With
// compute=array the runs of a MatMul are cut as it is asked for first, or less, which never takes more cycles
// (leastArrayTime() in eval/traffic_bound.h).
//
// Working set. In the first tile every sink is present; the first k step and the completing ones are looked
// at, with the thinnest slices along k and one request of a tensor only.
#include "base/integer.h"
#include "eval/cost.h"
#include "solve/cost_model.h"

#include <algorithm>

namespace tilewright {

void CostModel::compileBound()
{
    m_stores = 0;
    m_loads.clear();
    m_work.clear();
    m_moments.clear();
    for (const Sink& s : m_sinks)
        if (!s.retained)
            m_stores += static_cast<double>(s.height) * static_cast<double>(s.width);
    for (std::size_t i = 0, end = 0; i < m_requests.size(); i = end) {
        const Tensor& t = m_problem.tensor(TensorId(m_requests[i].tensor));
        const auto whole = [&](Axis axis, std::int64_t extent, std::int64_t tile) {
            return axis == Axis::Full || extent <= (axis == Axis::Tile ? tile : m_range.maxK);
        };
        bool canBeWhole = false;
        for (end = i; end < m_requests.size() && m_requests[end].tensor == m_requests[i].tensor; ++end)
            canBeWhole |= whole(m_requests[end].row, t.height, m_range.maxH) &&
                          whole(m_requests[end].col, t.width, m_range.maxW);
        const double area = static_cast<double>(t.elements());
        if (end - i > 1 && canBeWhole) {
            m_loads.push_back({area, Axis::Full, Axis::Full, t.height, t.width, 1, 1});
            continue;
        }
        for (std::size_t j = i; j < end; ++j) {
            const Request& r = m_requests[j];
            if (std::any_of(m_requests.begin() + static_cast<std::ptrdiff_t>(i),
                            m_requests.begin() + static_cast<std::ptrdiff_t>(j),
                            [&](const Request& other) { return other.role == r.role; }))
                continue;
            Load load{area, r.row, r.col, t.height, t.width, 1, 1};
            if (load.row == Axis::Step && t.height <= m_range.maxK)
                load.row = Axis::Full;
            if (load.col == Axis::Step && t.width <= m_range.maxK)
                load.col = Axis::Full;
            double grid = 0;
            for (std::size_t b = 0; b < m_causes.size(); ++b) {
                const Cause& c = m_causes[b];
                const double size = static_cast<double>(c.height) * static_cast<double>(c.width);
                if ((r.causes >> b & 1) != 0 && size > grid) {
                    grid = size;
                    load.gridHeight = c.height;
                    load.gridWidth = c.width;
                }
            }
            m_loads.push_back(load);
        }
    }
    for (const std::uint32_t kept : m_keptInputs) { // once, and without a buffer (R9.7)
        const Tensor& t = m_problem.tensor(TensorId(kept));
        m_loads.push_back(
            {static_cast<double>(t.elements()), Axis::Full, Axis::Full, t.height, t.width, 1, 1});
    }
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const Run& r = m_runs[i];
        bool single = true;
        bool first = true;
        for (std::size_t j = 0; j < m_runs.size(); ++j)
            if (j != i && m_runs[j].op == r.op) {
                single = false;
                first &= j > i;
            }
        if (!first)
            continue;
        if (m_array && r.matmul) { // the kinds of its axes do not matter: this one's runs all count
            const double chunks =
                r.split ? static_cast<double>(ceilDiv(r.reduction, std::max<std::int64_t>(m_range.maxK, 1)))
                        : 1;
            m_work.push_back({costOfCycle(r), r.height, r.width, r.row == Axis::Tile, r.col == Axis::Tile,
                              r.reduction, chunks});
            continue;
        }
        Work work{r.base, r.height, r.width, single && r.row == Axis::Tile, single && r.col == Axis::Tile,
                  0,      1};
        if (!work.byRow)
            work.cost *= static_cast<double>(r.height) / static_cast<double>(m_nativeH);
        if (!work.byCol)
            work.cost *= static_cast<double>(r.width) / static_cast<double>(m_nativeW);
        if (r.matmul && m_rules.kScaling == Rules::KScaling::Native)
            work.cost *= static_cast<double>(r.reduction) / static_cast<double>(m_nativeK);
        m_work.push_back(work);
    }
    Moment first{0, 1, true};
    for (std::size_t b = 0; b < m_causes.size(); ++b)
        if (!m_causes[b].completing || m_causes[b].reduction == 1)
            first.causes |= std::uint64_t{1} << b;
    m_moments.push_back(first);
    for (const Cause& done : m_causes) {
        if (!done.completing || done.reduction == 1)
            continue;
        Moment last{0, done.reduction, false};
        for (std::size_t b = 0; b < m_causes.size(); ++b)
            if (m_causes[b].reduction == done.reduction)
                last.causes |= std::uint64_t{1} << b;
        m_moments.push_back(last);
    }
}

double CostModel::bound(std::int64_t w, std::int64_t h, std::int64_t turnW, std::int64_t turnH) const
{
    const bool ceil = m_rules.superNative == Rules::SuperNative::Ceil;
    // Larger tiles than native ones may take more passes: what is never more for larger ones counts.
    const auto strips = [ceil](std::int64_t extent, std::int64_t tile, std::int64_t native) {
        const std::int64_t pieces = ceilDiv(extent, tile);
        return static_cast<double>(ceil ? std::max(pieces, ceilDiv(extent, native)) : pieces);
    };
    const auto cut = [ceil](bool tiles, std::int64_t extent, std::int64_t tile, std::int64_t native) {
        return tiles && !ceil ? ArrayAxis::tiled(extent, tile, native) : ArrayAxis::whole(extent, native);
    };
    double compute = 0;
    for (const Work& r : m_work)
        compute += r.reduction > 0
                       ? r.cost * arrayCycles(cut(r.byRow, r.height, h, m_nativeH),
                                              cut(r.byCol, r.width, w, m_nativeW), r.reduction, r.chunks)
                       : r.cost * (r.byRow ? strips(r.height, h, m_nativeH) : 1.0) *
                             (r.byCol ? strips(r.width, w, m_nativeW) : 1.0);
    double byRows = m_stores;
    double byColumns = m_stores;
    for (const Load& l : m_loads) {
        const double rows = static_cast<double>(ceilDiv(l.gridHeight, h));
        const double cols = static_cast<double>(ceilDiv(l.gridWidth, w));
        double inRows = l.area;
        double inColumns = l.area;
        if (l.row == Axis::Step || l.col == Axis::Step) {
            inRows *= (l.row == Axis::Tile ? 1 : rows) * (l.col == Axis::Tile ? 1 : cols);
            inColumns = inRows;
        } else {
            const bool rowPart = l.row == Axis::Tile && h < l.height;
            const bool colPart = l.col == Axis::Tile && w < l.width;
            if (rowPart && !colPart)
                inColumns += (cols - 1) * (l.area - static_cast<double>(std::min(turnH, l.height) * l.width));
            if (colPart && !rowPart)
                inRows += (rows - 1) * (l.area - static_cast<double>(std::min(turnW, l.width) * l.height));
        }
        byRows += inRows;
        byColumns += inColumns;
    }
    return std::max(compute, std::min(byRows, byColumns) / m_bandwidth);
}

std::int64_t CostModel::leastWorkingSet(const Granularity& g, std::int64_t whole, const Moment& moment) const
{
    std::int64_t sum = m_reserved;
    for (const Sink& s : m_sinks) {
        if (s.reduction < moment.reduction)
            continue;
        const std::int64_t tile = std::min(g.h, s.height) * std::min(g.w, s.width);
        // A pointwise sink's tile may take over an input's memory.
        const bool mayTakeOver =
            m_rules.donation &&
            m_problem.op(*m_problem.producer(TensorId(s.tensor))).type == OpType::Pointwise;
        if (!s.retained && !mayTakeOver)
            sum += tile;
        if (!m_sharedDrivers && s.reduction > whole)
            sum += tile * s.accCount;
    }
    for (std::size_t i = 0; i < m_requests.size();) {
        const Tensor& t = m_problem.tensor(TensorId(m_requests[i].tensor));
        const auto part = [&](Axis axis, std::int64_t extent, std::int64_t tile) {
            return axis == Axis::Full   ? extent
                   : axis == Axis::Tile ? std::min(tile, extent)
                   : moment.first       ? std::min(g.k, extent)
                                        : std::int64_t{1};
        };
        std::int64_t largest = 0;
        const std::uint32_t tensor = m_requests[i].tensor;
        for (; i < m_requests.size() && m_requests[i].tensor == tensor; ++i)
            if (const Request& r = m_requests[i]; (r.causes & moment.causes) != 0)
                largest = std::max(largest, part(r.row, t.height, g.h) * part(r.col, t.width, g.w));
        sum += largest;
    }
    return sum;
}

bool CostModel::canFit(const Granularity& g, std::int64_t whole) const
{
    return std::ranges::all_of(
        m_moments, [&](const Moment& moment) { return leastWorkingSet(g, whole, moment) <= m_capacity; });
}

namespace {

void classes(std::vector<std::int64_t>& out, const std::vector<std::int64_t>& extents, std::int64_t min,
             std::int64_t max)
{
    out.clear();
    for (const std::int64_t extent : extents)
        for (std::int64_t v = max; v >= min;) {
            const std::int64_t smallest = ceilDiv(extent, ceilDiv(extent, v));
            out.push_back(std::max(smallest, min));
            v = smallest - 1;
        }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

} // namespace

void CostModel::rowClasses(std::vector<std::int64_t>& out) const
{
    classes(out, m_heights, m_range.minH, m_range.maxH);
}

void CostModel::columnClasses(std::vector<std::int64_t>& out) const
{
    classes(out, m_widths, m_range.minW, m_range.maxW);
}

double CostModel::leastLatency()
{
    double least = std::numeric_limits<double>::infinity();
    if (m_range.empty())
        return least;
    if (!m_supported)
        return 0;
    rowClasses(m_rowClasses);
    columnClasses(m_columnClasses);
    // Wider tiles fit with fewer rows only: one staircase, and the bound is least on it.
    std::size_t rows = m_rowClasses.size();
    for (std::size_t c = 0; c < m_columnClasses.size(); ++c) {
        const std::int64_t w = m_columnClasses[c];
        while (rows > 0 && !canFit(w, m_rowClasses[rows - 1]))
            --rows;
        if (rows == 0)
            break;
        const bool lastRow = rows == m_rowClasses.size();
        const bool lastCol = c + 1 == m_columnClasses.size();
        least = std::min(least,
                         bound(w, m_rowClasses[rows - 1], lastCol ? m_range.maxW : m_columnClasses[c + 1] - 1,
                               lastRow ? m_range.maxH : m_rowClasses[rows] - 1));
    }
    return least;
}

} // namespace tilewright
