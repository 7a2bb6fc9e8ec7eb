// SPDX-License-Identifier: GPL-3.0-or-later
// Lower bounds of the latency over all tilings of the compiled op set that have a given tile width and
// height.
//
// Loads. Requests for one tensor with different roles, or for ranges that are never equal, use different
// buffers (R7.1). A tensor that may be requested as a whole counts as loaded once. If a reduction certainly
// takes several k steps, its slices are loaded in every tile that needs them, because the first k step of a
// tile never follows a step with an equal slice. A row strip is a slice with all columns of the tensor. It
// stays in memory along a row of tiles. A traversal by columns loads it in every tile, except in the tile
// behind each turn of a snake. The same holds for column strips, with rows and columns exchanged. The loads
// of all tensors are added up for traversals by rows and for traversals by columns, and the smaller sum is
// the bound.
//
// Compute. Every rectangle of its result that an op computes counts at least once (R8.1). Along an axis that
// every request for the result divides into tiles, the cost counts once for each row (column) of tiles. Along
// other axes it is in proportion to the extent, which is never more. With compute=array the runs of a MatMul
// are assumed to be cut into at most as many parts as in the first request for it. A smaller number of cuts
// never takes more cycles (leastArrayTime() in eval/traffic_bound.h).
//
// Working set. In the first tile every sink is active. The bound is the maximum over the first k step and the
// completing steps of this tile. It assumes the thinnest slices along k, and one request for each tensor and
// role.
#include "base/integer.h"
#include "eval/cost.h"
#include "solve/cost/cost_model.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tilewright {

double CostModel::costOfCycle(const Run& run) const
{
    return m_array && run.matmul
               ? run.base / StepCosts(m_problem.hardware(), {}, m_rules).wholeTile(run.reduction)
               : 0;
}

void CostModel::compileBound()
{
    m_stores = 0;
    m_moments.clear();
    for (const Sink& s : m_sinks)
        if (!s.retained)
            m_stores +=
                static_cast<double>(s.height) * static_cast<double>(s.width) * static_cast<double>(s.units);
    prepareBounds(m_range.maxK);
    Moment first{0, 1, true};
    for (std::size_t b = 0; b < m_conditions.size(); ++b)
        if (!m_conditions[b].completing || m_conditions[b].reduction == 1)
            first.conditions |= std::uint64_t{1} << b;
    m_moments.push_back(first);
    for (const Condition& c : m_conditions) {
        if (!c.completing || c.reduction == 1)
            continue;
        Moment last{0, c.reduction, false};
        for (std::size_t b = 0; b < m_conditions.size(); ++b)
            if (m_conditions[b].reduction == c.reduction)
                last.conditions |= std::uint64_t{1} << b;
        m_moments.push_back(last);
    }
}

bool CostModel::mayEqual(Axis a, Axis b, std::int64_t extent, std::int64_t tile, std::int64_t deepest)
{
    return isCut(a, extent, deepest) == isCut(b, extent, deepest) || a == Axis::Tile || b == Axis::Tile ||
           (mayBeWhole(a, extent, tile, deepest) && mayBeWhole(b, extent, tile, deepest));
}

void CostModel::prepareBounds(std::int64_t deepest)
{
    listLoads(deepest);
    listWork(deepest);
}

/// Fills m_work with the compute work that is certain for every k up to `deepest`. Runs of an op that may be
/// equal count only once (R8.1).
void CostModel::listWork(std::int64_t deepest)
{
    m_work.clear();
    const auto isSplit = [&](const Run& r) { return r.split && r.reduction > deepest; };
    const auto mayBeSame = [&](const Run& a, const Run& b) {
        return a.op == b.op &&
               ((m_array && a.matmul) || // the number of cycles depends only on how the MatMul is cut
                (isSplit(a) == isSplit(b) && mayEqual(a.row, b.row, a.height, m_range.maxH, deepest) &&
                 mayEqual(a.col, b.col, a.width, m_range.maxW, deepest)));
    };
    m_isListed.assign(m_runs.size(), 0);
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        if (m_isListed[i] != 0)
            continue;
        // Indices of the runs (Run) that may be equal to run i, either directly or through a chain of other
        // runs.
        m_same.assign(1, i);
        for (std::size_t at = 0; at < m_same.size(); ++at)
            for (std::size_t j = i + 1; j < m_runs.size(); ++j)
                if (m_isListed[j] == 0 && mayBeSame(m_runs[m_same[at]], m_runs[j])) {
                    m_isListed[j] = 1;
                    m_same.push_back(j);
                }
        const Run& r = m_runs[i];
        const auto all = [&](auto&& is) {
            return std::ranges::all_of(m_same, [&](std::size_t j) { return is(m_runs[j]); });
        };
        // With vector=elements the cost of a Pointwise depends on its extents, not on its tiles.
        const bool strips = r.matmul || !m_elements;
        const bool byRow = strips && all([](const Run& o) { return o.row == Axis::Tile; });
        const bool byCol = strips && all([](const Run& o) { return o.col == Axis::Tile; });
        if (m_array && r.matmul) {
            const double chunks =
                r.split ? static_cast<double>(ceilDiv(r.reduction, std::max<std::int64_t>(m_range.maxK, 1)))
                        : 1;
            m_work.push_back({costOfCycle(r), r.height, r.width, r.row == Axis::Tile, r.col == Axis::Tile,
                              r.reduction, chunks, 0});
            continue;
        }
        const bool stepsRow = r.row == Axis::Step;
        const bool stepsCol = r.col == Axis::Step;
        const bool boxed = !all([](const Run& o) { return !o.boxed; });
        const std::int64_t stepped =
            m_same.size() > 1 || boxed || int{r.split} + int{stepsRow} + int{stepsCol} != 1 ? 0
            : r.split                                                                       ? r.reduction
            : stepsRow                                                                      ? r.height
                                                                                            : r.width;
        Work work{r.base,
                  r.height,
                  r.width,
                  byRow,
                  byCol,
                  0,
                  1,
                  stepped,
                  !boxed && all([&](const Run& o) {
                      return isEarly(o.conditions) && !isCut(o.row, o.height, deepest) &&
                             !isCut(o.col, o.width, deepest) && !isSplit(o);
                  }),
                  !boxed && all([](const Run& o) { return o.col != Axis::Tile; }),
                  !boxed && all([](const Run& o) { return o.row != Axis::Tile; })};
        if (!work.byRow)
            work.cost *= static_cast<double>(r.height) / static_cast<double>(m_nativeH);
        if (!work.byCol)
            work.cost *= static_cast<double>(r.width) / static_cast<double>(m_nativeW);
        if (r.matmul && m_rules.kScaling == Rules::KScaling::Native)
            work.cost *= static_cast<double>(r.reduction) / static_cast<double>(m_nativeK);
        m_work.push_back(work);
    }
}

/// Looks at the requests from index `first` up to `last`. If all of them are active only in the step that
/// completes one reduction, returns the size of this reduction, otherwise 0.
std::int64_t CostModel::completedBefore(std::size_t first, std::size_t last) const
{
    std::int64_t out = 0;
    for (std::size_t i = first; i < last; ++i)
        for (std::size_t b = 0; b < m_conditions.size(); ++b)
            if (const Condition& c = m_conditions[b]; (m_requests[i].conditions >> b & 1) != 0) {
                if (!c.completing || (out > 0 && out != c.reduction))
                    return 0;
                out = c.reduction;
            }
    return out;
}

bool CostModel::isEarly(std::uint64_t conditions) const
{
    for (std::size_t b = 0; b < m_conditions.size(); ++b)
        if (const Condition& c = m_conditions[b];
            (conditions >> b & 1) != 0 && c.completing && c.reduction > 1)
            return false;
    return true;
}

/// Fills m_loads with the loads that are certain for every k up to `deepest`.
void CostModel::listLoads(std::int64_t deepest)
{
    m_loads.clear();
    for (std::size_t i = 0, end = 0; i < m_requests.size(); i = end) {
        const Tensor& t = m_problem.tensor(TensorId(m_requests[i].tensor));
        // True if one buffer may serve both requests (R7.1).
        const auto mayShare = [&](const Request& a, const Request& b) {
            return a.role == b.role && mayEqual(a.row, b.row, t.height, m_range.maxH, deepest) &&
                   mayEqual(a.col, b.col, t.width, m_range.maxW, deepest);
        };
        // True if one request is by tiles, the other one by k ranges, and both can be for the same slice. The
        // request by tiles may then have loaded the slice already (timesLoaded()).
        const auto mayBeLoadedBy = [&](const Request& a, const Request& b) {
            return (isCut(a.row, t.height, deepest) != isCut(b.row, t.height, deepest) ||
                    isCut(a.col, t.width, deepest) != isCut(b.col, t.width, deepest)) &&
                   mayShare(a, b);
        };
        bool canBeWhole = false;
        for (end = i; end < m_requests.size() && m_requests[end].tensor == m_requests[i].tensor; ++end)
            canBeWhole |= mayBeWhole(m_requests[end].row, t.height, m_range.maxH, deepest) &&
                          mayBeWhole(m_requests[end].col, t.width, m_range.maxW, deepest);
        const auto first = m_requests.begin() + static_cast<std::ptrdiff_t>(i);
        const auto last = m_requests.begin() + static_cast<std::ptrdiff_t>(end);
        const std::int64_t after = completedBefore(i, end);
        const bool early = std::all_of(first, last, [&](const Request& r) { return isEarly(r.conditions); });
        const double area = m_requests[i].area;
        const IndexMap* map = m_requests[i].map;
        canBeWhole &= end - i > 1;
        for (std::size_t j = i; j < end; ++j) // the shape of slices through index maps (R1.8) is unknown
            canBeWhole |= m_requests[j].boxed || (map && end - i > 1);
        if (canBeWhole) {
            m_loads.push_back(
                {area, Axis::Full, Axis::Full, t.height, t.width, 1, 1, false, after, early, 1});
            continue;
        }
        m_ofTensor.clear();
        for (std::size_t j = i; j < end; ++j) {
            const Request& r = m_requests[j];
            const bool meets =
                std::any_of(first, last, [&](const Request& o) { return mayBeLoadedBy(o, r); });
            Load load{area, r.row, r.col, t.height, t.width, 1, 1, meets, after, early, r.units};
            if (map && !isCut(r.row, t.height, deepest) && !isCut(r.col, t.width, deepest))
                // Strips of a view may overlap in the tensor that the view reads.
                load.row = load.col = Axis::Full;
            if (load.row == Axis::Step && t.height <= deepest)
                load.row = Axis::Full;
            if (load.col == Axis::Step && t.width <= deepest)
                load.col = Axis::Full;
            double grid = 0;
            for (std::size_t b = 0; b < m_conditions.size(); ++b) {
                const Condition& c = m_conditions[b];
                const double size = static_cast<double>(c.height) * static_cast<double>(c.width);
                if ((r.conditions >> b & 1) != 0 && size > grid) {
                    grid = size;
                    load.gridHeight = c.height;
                    load.gridWidth = c.width;
                }
            }
            m_ofTensor.push_back({load, j});
        }
        // Of the requests that one buffer may serve, only the one with the most loads at the largest tile
        // size counts.
        const auto times = [&](const RequestedLoad& r) {
            const Load& l = r.load;
            return l.row == Axis::Step || l.col == Axis::Step
                       ? timesLoaded(l, static_cast<double>(ceilDiv(l.gridHeight, m_range.maxH)),
                                     static_cast<double>(ceilDiv(l.gridWidth, m_range.maxW)), m_range.maxW,
                                     m_range.maxH)
                       : 1.0;
        };
        while (!m_ofTensor.empty()) {
            // of requests with equally many loads, the first one
            const RequestedLoad most = *std::ranges::max_element(m_ofTensor, {}, times);
            m_loads.push_back(most.load);
            std::erase_if(m_ofTensor, [&](const RequestedLoad& r) {
                return mayShare(m_requests[most.request], m_requests[r.request]);
            });
        }
    }
    for (const KeptInput& kept : m_keptInputs) { // inputs that are loaded once, without a buffer (R9.7)
        const Tensor& t = m_problem.tensor(TensorId(kept.tensor));
        m_loads.push_back({kept.area, Axis::Full, Axis::Full, t.height, t.width, 1, 1, false, 0, false, 1});
    }
}

/// Returns a lower bound of how often a k range of a tensor is loaded: once in every tile that needs it. With
/// Load::mayBeLoaded, a tile does not count if the k range equals the rows or columns of the tile, because a
/// request by tiles may have left this slice in memory.
double CostModel::timesLoaded(const Load& load, double rows, double cols, std::int64_t mostW,
                              std::int64_t mostH)
{
    const double times = (load.row == Axis::Tile ? 1 : rows) * (load.col == Axis::Tile ? 1 : cols);
    if (!load.mayBeLoaded)
        return times;
    double there = 1;
    if (load.row == Axis::Step)
        there = std::min(there, static_cast<double>(mostH) / static_cast<double>(load.height));
    if (load.col == Axis::Step)
        there = std::min(there, static_cast<double>(mostW) / static_cast<double>(load.width));
    return std::max(1.0, times * (1 - there));
}

double CostModel::leastCompute(const Work& r, std::int64_t w, std::int64_t h) const
{
    const bool ceil = m_rules.superNative == Rules::SuperNative::Ceil;
    // Tiles above the native size may need several passes. Nevertheless the lower bound must not increase
    // with the tile size.
    const auto strips = [ceil](std::int64_t extent, std::int64_t tile, std::int64_t native) {
        const std::int64_t pieces = ceilDiv(extent, tile);
        return static_cast<double>(ceil ? std::max(pieces, ceilDiv(extent, native)) : pieces);
    };
    const auto cut = [ceil](bool tiles, std::int64_t extent, std::int64_t tile, std::int64_t native) {
        return tiles && !ceil ? ArrayAxis::tiled(extent, tile, native) : ArrayAxis::whole(extent, native);
    };
    if (r.reduction > 0 && !m_plainArray)
        return r.cost * StepCosts(m_problem.hardware(), {}, m_rules).cycles(r.height, r.width, r.reduction);
    if (r.reduction > 0)
        return r.cost * arrayCycles(cut(r.byRow, r.height, h, m_nativeH), cut(r.byCol, r.width, w, m_nativeW),
                                    r.reduction, r.chunks);
    return r.cost * (r.byRow ? strips(r.height, h, m_nativeH) : 1.0) *
           (r.byCol ? strips(r.width, w, m_nativeW) : 1.0);
}

double CostModel::leastCompute(std::int64_t w, std::int64_t h) const
{
    double compute = 0;
    for (const Work& r : m_work)
        compute += leastCompute(r, w, h);
    return compute;
}

double CostModel::bound(std::int64_t w, std::int64_t h, std::int64_t turnW, std::int64_t turnH) const
{
    double byRows = m_stores;
    double byColumns = m_stores;
    for (const Load& l : m_loads) {
        const double rows = static_cast<double>(ceilDiv(l.gridHeight, h));
        const double cols = static_cast<double>(ceilDiv(l.gridWidth, w));
        double inRows = l.area;
        double inColumns = l.area;
        if (l.row == Axis::Step || l.col == Axis::Step) {
            inRows *= timesLoaded(l, rows, cols, turnW, turnH);
            inColumns = inRows;
        } else {
            const bool rowPart = l.row == Axis::Tile && h < l.height;
            const bool colPart = l.col == Axis::Tile && w < l.width;
            if (rowPart && !colPart)
                inColumns += (cols - 1) *
                             (l.area - static_cast<double>(std::min(turnH, l.height) * l.width * l.units));
            if (colPart && !rowPart)
                inRows += (rows - 1) *
                          (l.area - static_cast<double>(std::min(turnW, l.width) * l.height * l.units));
        }
        byRows += inRows;
        byColumns += inColumns;
    }
    return priced({leastCompute(w, h), std::min(byRows, byColumns) / m_bandwidth});
}

/// Lower bound of the traffic, in units (R1.9), for any order of the tiles (docs/rules/bound.md 3). A sink of
/// height H and width W has a grid of R rows and C columns of tiles with height h and width w. From one tile
/// to the next the row strips change, or the column strips, or both. Of the tiles, u follow a tile in the
/// same column and v follow a tile in the same row, with u + v <= RC - 1. Let A be the size of all row strips
/// and B that of all column strips. The loads of row strips are at least C A - v A h / H, those of column
/// strips at least R B - u B w / W. Their sum is least if one kind of strips is loaded once. The loads of the
/// other kind are then at least (H / h) (1 - w / W) B or (W / w) (1 - h / H) A.
double CostModel::leastTraffic(const Extents& e) const
{
    struct Strips
    {
        std::int64_t height, width;
        double rows, cols;
    };
    std::vector<Strips> grids;
    double sum = m_stores;
    const auto [w, h, turnW, turnH] = e;
    for (const Load& l : m_loads) {
        const double area = l.area;
        const double rows = static_cast<double>(ceilDiv(l.gridHeight, h));
        const double cols = static_cast<double>(ceilDiv(l.gridWidth, w));
        if (l.row == Axis::Step || l.col == Axis::Step) {
            sum += area * timesLoaded(l, rows, cols, turnW, turnH);
            continue;
        }
        const bool rowPart = l.row == Axis::Tile && h < l.height;
        const bool colPart = l.col == Axis::Tile && w < l.width;
        if (rowPart == colPart) {
            sum += area;
            continue;
        }
        auto grid = std::ranges::find_if(
            grids, [&](const Strips& s) { return s.height == l.gridHeight && s.width == l.gridWidth; });
        if (grid == grids.end())
            grid = grids.insert(grids.end(), {l.gridHeight, l.gridWidth, 0, 0});
        (rowPart ? grid->rows : grid->cols) += area;
    }
    for (const Strips& s : grids) {
        const double acrossRows = static_cast<double>(s.height) / static_cast<double>(turnH);
        const double acrossCols = static_cast<double>(s.width) / static_cast<double>(turnW);
        const double byRows =
            s.rows + s.cols * std::max(1.0, acrossRows * (1 - 1 / std::max(1.0, acrossCols)));
        const double byColumns =
            s.cols + s.rows * std::max(1.0, acrossCols * (1 - 1 / std::max(1.0, acrossRows)));
        sum += std::min(byRows, byColumns);
    }
    return sum;
}

std::int64_t CostModel::leastWorkingSet(const Granularity& g, std::int64_t whole, const Moment& moment,
                                        std::int64_t enough) const
{
    std::int64_t sum = m_reserved;
    for (const Sink& s : m_sinks) {
        if (s.reduction < moment.reduction)
            continue;
        const std::int64_t tile = std::min(g.h, s.height) * std::min(g.w, s.width);
        // The tile of a Pointwise sink may reuse the memory of an input.
        const bool mayTakeOver =
            m_rules.donation &&
            m_problem.op(*m_problem.producer(TensorId(s.tensor))).type == OpType::Pointwise;
        if (!s.retained && !mayTakeOver)
            sum += tile * s.units;
        if (!m_sharedDrivers && s.reduction > whole)
            sum += tile * s.accumulators * s.accumulatorUnits;
        // A MatMul sink for which it is undecided whether it is retained (Memory::free) occupies at least its
        // tile, whether it is retained or written (R9.1).
        if (s.free && !s.pointwise && s.reduction > whole)
            sum += tile * s.units;
    }
    for (std::size_t i = 0; i < m_requests.size() && sum <= enough;) {
        const Tensor& t = m_problem.tensor(TensorId(m_requests[i].tensor));
        const auto part = [&](Axis axis, std::int64_t extent, std::int64_t tile) {
            return axis == Axis::Full   ? extent
                   : axis == Axis::Tile ? std::min(tile, extent)
                   : moment.first       ? std::min(g.k, extent)
                   : extent <= g.k      ? extent // a single step covers the extent
                                        : std::int64_t{1};
        };
        // Every role has its own buffer, unless one buffer with the whole tensor serves all roles (R7.1).
        std::array<std::int64_t, kFull + 1> byRole{};
        bool canBeWhole = false;
        const std::uint32_t tensor = m_requests[i].tensor;
        for (; i < m_requests.size() && m_requests[i].tensor == tensor; ++i) {
            const Request& r = m_requests[i];
            canBeWhole |= mayBeWhole(r.row, t.height, m_range.maxH, m_range.maxK) &&
                          mayBeWhole(r.col, t.width, m_range.maxW, m_range.maxK);
            if (r.boxed || (r.conditions & moment.conditions) == 0 || (r.map && !moment.first))
                continue;
            const std::int64_t rows = part(r.row, t.height, g.h), cols = part(r.col, t.width, g.w);
            const std::int64_t volume = r.map ? footprint(*r.map, {0, rows, 0, cols}).volume : rows * cols;
            byRole[r.role] = std::max(byRole[r.role], volume * r.units);
        }
        std::int64_t largest = 0;
        for (const std::int64_t area : byRole)
            largest = canBeWhole ? std::max(largest, area) : largest + area;
        sum += largest;
    }
    return sum;
}

bool CostModel::canFit(const Granularity& g, std::int64_t whole) const
{
    return std::ranges::all_of(m_moments, [&](const Moment& moment) {
        return leastWorkingSet(g, whole, moment, m_capacity) <= m_capacity;
    });
}

void CostModel::Classes::list(const std::vector<std::int64_t>& of, std::int64_t least, std::int64_t most)
{
    if (of == extents && least == min && most == max)
        return;
    extents = of;
    min = least;
    max = most;
    smallest.clear();
    for (const std::int64_t extent : extents)
        for (std::int64_t v = max; v >= min;) {
            const std::int64_t first = ceilDiv(extent, ceilDiv(extent, v));
            smallest.push_back(std::max(first, min));
            v = first - 1;
        }
    std::ranges::sort(smallest);
    smallest.erase(std::unique(smallest.begin(), smallest.end()), smallest.end());
}

const std::vector<std::int64_t>& CostModel::rowClasses()
{
    m_rowClasses.list(m_heights, m_range.minH, m_range.maxH);
    return m_rowClasses.smallest;
}

const std::vector<std::int64_t>& CostModel::columnClasses()
{
    m_columnClasses.list(m_widths, m_range.minW, m_range.maxW);
    return m_columnClasses.smallest;
}

} // namespace tilewright
