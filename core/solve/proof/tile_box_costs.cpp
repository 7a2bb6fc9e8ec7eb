// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/tile_box_costs.h"

#include "base/integer.h"
#include "eval/lower_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright {

namespace {

/// True if some request may be for the whole tensor.
bool mayBeWhole(const Tensor& t, const TensorDemand& demand, const TileBox& box)
{
    const auto isWhole = [&](TensorDemand::Cut cut, std::int64_t extent, std::int64_t tile) {
        return cut == TensorDemand::Whole || extent <= (cut == TensorDemand::Tile ? tile : box.k1);
    };
    return std::ranges::any_of(demand.requests, [&](const TensorDemand::Request& r) {
        return isWhole(r.rows, t.height, box.h1) && isWhole(r.cols, t.width, box.w1);
    });
}

/// Lower bound of the number of times that a tensor is loaded (R7.1, R7.2). Every role has its own buffers,
/// unless one buffer with the whole tensor serves them all. If a reduction has several ranges, a range is
/// loaded in every tile that needs it, except one slice that another kind of request in the same role may
/// have left in memory.
double timesLoaded(const Tensor& t, const TensorDemand& demand, const TileBox& box)
{
    const auto& requests = demand.requests;
    if (requests.size() > 1 && mayBeWhole(t, demand, box))
        return 1;
    double sum = 0;
    for (std::size_t i = 0, end = 0; i < requests.size(); i = end) {
        while (end < requests.size() && requests[end].role == requests[i].role)
            ++end;
        double most = 1;
        for (std::size_t j = i; j < end; ++j) {
            const TensorDemand::Request& r = requests[j];
            const bool stepsRows = r.rows == TensorDemand::Step && t.height > box.k1;
            const bool stepsCols = r.cols == TensorDemand::Step && t.width > box.k1;
            if (!stepsRows && !stepsCols)
                continue;
            double times =
                (r.rows == TensorDemand::Tile ? 1 : static_cast<double>(ceilDiv(r.gridH, box.h1))) *
                (r.cols == TensorDemand::Tile ? 1 : static_cast<double>(ceilDiv(r.gridW, box.w1)));
            if (end - i > 1) {
                const double there =
                    std::min(stepsRows ? static_cast<double>(box.h1) / static_cast<double>(t.height) : 1,
                             stepsCols ? static_cast<double>(box.w1) / static_cast<double>(t.width) : 1);
                times *= std::max(0.0, 1 - there);
            }
            most = std::max(most, times);
        }
        sum += most;
    }
    return sum;
}

} // namespace

BoxCosts::BoxCosts(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                   const FrontierGraph& graph)
    : m_problem(problem), m_rules(rules), m_graph(graph), m_spatial(spatialAxes(problem, rules))
{
    for (const OpId o : ops) {
        const Tensor& result = problem.tensor(problem.op(o).output);
        m_widest = std::max(m_widest, result.width);
        m_highest = std::max(m_highest, result.height);
        if (problem.op(o).type == OpType::MatMul)
            m_reductions.push_back(problem.reductionSize(o));
    }
    std::ranges::sort(m_reductions);
    m_reductions.erase(std::unique(m_reductions.begin(), m_reductions.end()), m_reductions.end());
    m_depthOf.fill(std::numeric_limits<std::int64_t>::max());
    m_depthOf[0] = 0;
    for (std::size_t m = 1; graph.hasExactDepths() && m < std::min(kMoments, m_reductions.size() + 1); ++m)
        m_depthOf[m] = m_reductions[m_reductions.size() - m];
}

Digest BoxCosts::kindOf(const FrontierChoice& s, OpId o) const
{
    Digest d;
    const auto number = [&d](std::int64_t n) { d.add(static_cast<std::uint64_t>(n)); };
    const auto tensor = [&](TensorId t) {
        number(m_problem.tensor(t).width);
        number(m_problem.tensor(t).height);
    };
    number((s.runs ? 1 : 0) + (s.written ? 2 : 0) + (s.retained ? 4 : 0));
    if (s.runs) {
        const Op& op = m_problem.op(o);
        number(static_cast<std::int64_t>(op.type) * 4 + (m_spatial[o.index()].rows ? 2 : 0) +
               (m_spatial[o.index()].cols ? 1 : 0));
        number(op.baseCost);
        number(m_problem.reductionSize(o));
        number(s.depth);
        tensor(op.output);
        m_graph.demand(s.demand).addTo(d);
    }
    for (const FrontierChoice::Load& load : s.loads) {
        number(load.resident ? -1 : -2);
        tensor(load.tensor);
        m_graph.demand(load.demand).addTo(d);
    }
    return d;
}

TileBox BoxCosts::all() const
{
    const Hardware& hw = m_problem.hardware();
    const std::int64_t deepest = m_reductions.empty() ? 1 : m_reductions.back();
    // Tiles that are wider than every tensor only add padding.
    if (m_rules.superNative == Rules::SuperNative::Ceil)
        return {1, std::max(m_widest, deepest), 1, std::max(m_highest, deepest), 1, deepest};
    const bool native = m_rules.kLimit == Rules::KLimit::Native;
    return {1, hw.nativeWidth, 1, hw.nativeHeight, 1, native ? std::min(hw.nativeK(), deepest) : deepest};
}

bool BoxCosts::split(const TileBox& box, TileBox& low, TileBox& high) const
{
    const auto ratio = [](std::int64_t a, std::int64_t b) {
        return static_cast<double>(b) / static_cast<double>(a);
    };
    // The range of k is split at the size of a reduction: with a k of this size or more, the reduction takes
    // one step.
    const auto inside = std::ranges::upper_bound(m_reductions, box.k0);
    const bool cutsK = inside != m_reductions.end() && *inside <= box.k1;
    const double byW = ratio(box.w0, box.w1);
    const double byH = ratio(box.h0, box.h1);
    low = high = box;
    if (cutsK && std::max(byW, byH) < 4) {
        const auto last = std::ranges::upper_bound(m_reductions, box.k1);
        const std::int64_t at = *(inside + (last - inside) / 2);
        low.k1 = at - 1;
        high.k0 = at;
        return true;
    }
    if (box.w0 == box.w1 && box.h0 == box.h1)
        return false;
    const auto middle = [](std::int64_t a, std::int64_t b) {
        const auto m = static_cast<std::int64_t>(
            std::lround(std::sqrt(static_cast<double>(a) * static_cast<double>(b))));
        return std::clamp(m, a, b - 1);
    };
    if (byH >= byW) {
        low.h1 = middle(box.h0, box.h1);
        high.h0 = low.h1 + 1;
    } else {
        low.w1 = middle(box.w0, box.w1);
        high.w0 = low.w1 + 1;
    }
    return true;
}

double BoxCosts::computeOf(OpId o, const FrontierChoice& s, const TileBox& box) const
{
    const Op& op = m_problem.op(o);
    // With compute=array (MatMul) or vector=elements (Pointwise) the cost depends on the extents of the
    // request.
    if (op.type == OpType::MatMul ? m_rules.compute == Rules::Compute::Array
                                  : m_rules.vector == Rules::Vector::Elements)
        return leastTime(m_problem, m_rules, o, m_spatial[o.index()]);
    const Tensor& t = m_problem.tensor(op.output);
    const Hardware& hw = m_problem.hardware();
    bool byRow = true;
    bool byCol = true;
    // The first request in a step determines the tiles of a run (R6.6). Any request may be the first one, so
    // all of them are considered.
    for (const TensorDemand::Request& r : m_graph.demand(s.demand).requests) {
        byRow &= r.rows == TensorDemand::Tile;
        byCol &= r.cols == TensorDemand::Tile;
    }
    const auto times = [](bool tiles, std::int64_t extent, std::int64_t tile, std::int64_t native) {
        return tiles ? static_cast<double>(ceilDiv(extent, std::min(tile, native)))
                     : static_cast<double>(extent) / static_cast<double>(native);
    };
    double time = static_cast<double>(op.baseCost) * times(byRow, t.height, box.h1, hw.nativeHeight) *
                  times(byCol, t.width, box.w1, hw.nativeWidth);
    if (op.type == OpType::MatMul && m_rules.kScaling == Rules::KScaling::Native)
        time *= static_cast<double>(m_problem.reductionSize(o)) / static_cast<double>(hw.nativeK());
    return time;
}

BoxCosts::Terms BoxCosts::of(const FrontierChoice& s, OpId o, const TileBox& box) const
{
    Terms out;
    const Op& op = m_problem.op(o);
    const TensorDemand& ofResult = m_graph.demand(s.demand);
    const Tensor& result = m_problem.tensor(op.output);
    const bool matmul = op.type == OpType::MatMul;
    const auto addEverywhere = [&](double elements) {
        for (double& room : out.fastMemory)
            room += elements;
    };
    if (s.runs) {
        // true if the tiles are smaller than a prologue requires (R4.7)
        const auto isNarrow = [&](std::int64_t least, std::int64_t most) {
            return least > most && (m_rules.prologue == Rules::Prologue::Always || least > box.k1);
        };
        if (isNarrow(ofResult.leastW, box.w1) || isNarrow(ofResult.leastH, box.h1) ||
            (matmul && m_rules.kAboveK == Rules::KAboveK::Error && m_problem.reductionSize(o) < box.k0)) {
            out.possible = false;
            return out;
        }
        out.compute = computeOf(o, s, box);
        const double tile = static_cast<double>(std::min(box.h0, result.height)) *
                            static_cast<double>(std::min(box.w0, result.width));
        // The tile of a sink and its accumulators occupy memory from the first step to the completing step
        // (R9.1).
        const auto addTile = [&](std::int64_t depth) {
            for (std::size_t m = 0; m < kMoments; ++m)
                out.fastMemory[m] += depth >= m_depthOf[m] ? tile : 0;
        };
        if (s.written) {
            out.memory += static_cast<double>(result.elements());
            if (!m_rules.donation || matmul)
                addTile(s.depth);
        }
        if (s.retained)
            addEverywhere(static_cast<double>(result.elements()));
        if (const TensorDemand::Request* epilogue = ofResult.tile(); matmul && epilogue != nullptr) {
            const std::int64_t depth =
                m_graph.hasExactDepths() ? epilogue->depth : m_problem.reductionSize(o);
            if (depth > box.k1)
                addTile(depth);
        }
    }
    for (const FrontierChoice::Load& load : s.loads) {
        const Tensor& t = m_problem.tensor(load.tensor);
        if (load.resident) {
            addEverywhere(static_cast<double>(t.elements()));
            continue;
        }
        const TensorDemand& demand = m_graph.demand(load.demand);
        const bool whole = mayBeWhole(t, demand, box);
        for (std::size_t m = 0; m < kMoments; ++m) {
            std::array<std::int64_t, 3> byRole{};
            for (const TensorDemand::Request& r : demand.requests) {
                // A tile is requested in the completing step, which is the first step if there is only one.
                const std::int64_t depth = m_depthOf[m];
                if (r.isTile() ? (m == 0 ? r.depth > box.k0 : r.depth != depth) : r.depth < depth)
                    continue;
                const auto part = [&](TensorDemand::Cut cut, std::int64_t extent, std::int64_t tile) {
                    return cut == TensorDemand::Whole  ? extent
                           : cut == TensorDemand::Tile ? std::min(tile, extent)
                           : m == 0                    ? std::min(box.k0, extent)
                           : extent <= box.k0          ? extent // a single step covers the extent
                                                       : std::int64_t{1};
                };
                byRole[r.role] =
                    std::max(byRole[r.role], part(r.rows, t.height, box.h0) * part(r.cols, t.width, box.w0));
            }
            std::int64_t room = 0;
            for (const std::int64_t area : byRole)
                room = whole ? std::max(room, area) : room + area;
            out.fastMemory[m] += static_cast<double>(room);
        }
        out.memory += timesLoaded(t, demand, box) * static_cast<double>(t.elements());
    }
    out.memory /= static_cast<double>(m_problem.hardware().slowMemoryBandwidth);
    return out;
}

} // namespace tilewright
