// SPDX-License-Identifier: GPL-3.0-or-later
// One walk over a representative of every class of steps.
#include "solve/cost/cost_model.h"

#include "base/integer.h"
#include "eval/cost.h"

#include <algorithm>
#include <utility>

namespace tilewright {

std::int64_t CostModel::donate(const Granularity& g, std::int64_t r, std::int64_t c, std::int64_t q,
                               std::uint64_t active)
{
    std::int64_t saved = 0;
    for (const Sink& s : m_sinks) {
        if (!s.pointwise || s.retained || r >= s.rows || c >= s.cols || q != s.n - 1)
            continue;
        for (const Donor& d : m_donors) {
            const Tensor& t = m_problem.tensor(TensorId(d.tensor));
            if ((d.causes & active) == 0 || m_groups[d.group].taken)
                continue;
            // A sink that is whole along an axis takes part at index 0 only.
            const auto same = [&](Axis axis, std::int64_t size, std::int64_t sink, std::int64_t tile,
                                  std::int64_t index) {
                const Axis use = resolved(axis, size, tile, g.k);
                if (use == Axis::Step || (use == Axis::Full && tile < sink))
                    return false;
                return (use == Axis::Full ? size : std::min(tile, size - index * tile)) ==
                       std::min(tile, sink - index * tile);
            };
            if (!same(d.row, t.height, s.height, g.h, r) || !same(d.col, t.width, s.width, g.w, c))
                continue;
            m_groups[d.group].taken = true;
            saved += std::min(g.h, s.height - r * g.h) * std::min(g.w, s.width - c * g.w);
            break;
        }
    }
    return saved;
}

/// R8.2, in tile (r, c) and k step q.
double CostModel::arrayCost(const ActiveRun& run, const Granularity& g, std::int64_t r, std::int64_t c,
                            std::int64_t q) const
{
    const auto part = [&](Axis axis, std::int64_t extent, std::int64_t tile, std::int64_t index) {
        return axis == Axis::Full   ? extent
               : axis == Axis::Tile ? std::min(tile, extent - index * tile)
                                    : std::min(g.k, extent - q * g.k);
    };
    const std::int64_t depth = run.split ? std::min(g.k, run.reduction - q * g.k) : run.reduction;
    if (depth <= 0)
        return 0;
    return run.perCycle * arrayCycles(ArrayAxis::whole(part(run.row, run.height, g.h, r), m_nativeH),
                                      ArrayAxis::whole(part(run.col, run.width, g.w, c), m_nativeW), depth);
}

/// One index for every class of equal positions between the cuts: the first, one for those that follow an
/// equal one, and, along an axis that is walked both ways, the last. Along the outer axis of a snake the
/// direction alternates, so repeated positions are represented once for each parity.
void CostModel::representatives(std::vector<Rep>& out, std::vector<std::int64_t>& cuts, bool bothWays) const
{
    out.clear();
    std::ranges::sort(cuts);
    std::int64_t from = 0;
    for (const std::int64_t to : cuts) {
        const std::int64_t length = to - from;
        if (length <= 0)
            continue;
        if (length <= 3) {
            for (std::int64_t i = from; i < to; ++i)
                out.push_back({i, 1});
        } else if (bothWays) {
            out.push_back({from, 1});
            out.push_back({from + 1, length - 2});
            out.push_back({to - 1, 1});
        } else {
            // What follows must be preceded by a position walked in the true direction.
            const bool closing = length % 2 == 0 && to != cuts.back();
            out.push_back({from, 1});
            out.push_back({from + 1, length / 2 - (closing ? 1 : 0)});
            out.push_back({from + 2, (length - 1) / 2});
            if (closing)
                out.push_back({to - 1, 1});
        }
        from = to;
    }
}

template <bool Donates>
TilingCost CostModel::walkSteps(const Granularity& g, TraversalKind traversal, double cutoff,
                                const StepTotals& atLeast, bool firstTileOnly)
{
    TilingCost result;
    ++m_evaluations;
    const bool rowMajor = traversal == TraversalKind::Raster || traversal == TraversalKind::Snake;
    const bool snake = traversal == TraversalKind::Snake || traversal == TraversalKind::ColumnSnake;

    m_cuts.clear();
    for (const std::int64_t height : m_heights) {
        m_cuts.push_back(ceilDiv(height, g.h));
        if (height % g.h != 0)
            m_cuts.push_back(height / g.h);
    }
    representatives(m_rowReps, m_cuts, !rowMajor);
    m_cuts.clear();
    for (const std::int64_t width : m_widths) {
        m_cuts.push_back(ceilDiv(width, g.w));
        if (width % g.w != 0)
            m_cuts.push_back(width / g.w);
    }
    representatives(m_colReps, m_cuts, rowMajor);
    m_cuts.assign(1, 1);
    for (const std::int64_t reduction : m_reductions) {
        m_cuts.push_back(ceilDiv(reduction, g.k));
        m_cuts.push_back(m_cuts.back() - 1);
    }
    std::ranges::sort(m_cuts);
    m_stepReps.clear();
    std::int64_t from = 0;
    for (const std::int64_t to : m_cuts) {
        if (to <= from)
            continue;
        m_stepReps.push_back({from, 1});
        if (to - from > 1)
            m_stepReps.push_back({from + 1, to - from - 1});
        from = to;
    }
    prepareSeen();

    const bool forgets = traversal == TraversalKind::Raster && !m_rules.nullOrderReuse;
    for (Group& group : m_groups)
        group.wasFull = group.taken = group.forgotten = false;
    std::uint64_t activeBefore = 0;
    std::int64_t rowBefore = -1;
    std::int64_t colBefore = -1;
    std::int64_t stepBefore = -1;
    double latency = 0;
    StepTotals left = atLeast;
    std::uint32_t stepStamp = 0;
    if (m_sharedDrivers)
        std::ranges::fill(m_counted, 0U);

    const std::size_t outerCount = firstTileOnly ? 1 : rowMajor ? m_rowReps.size() : m_colReps.size();
    const std::size_t innerAll = rowMajor ? m_colReps.size() : m_rowReps.size();
    const std::size_t innerCount = firstTileOnly ? 1 : innerAll;
    for (std::size_t outer = 0; outer < outerCount; ++outer) {
        const bool back = snake && ((rowMajor ? m_rowReps : m_colReps)[outer].index & 1) != 0;
        for (std::size_t i = 0; i < innerCount; ++i) {
            const std::size_t inner = back ? innerAll - 1 - i : i;
            const std::size_t ri = rowMajor ? outer : inner;
            const std::size_t ci = rowMajor ? inner : outer;
            const std::int64_t r = m_rowReps[ri].index;
            const std::int64_t c = m_colReps[ci].index;
            if (forgets) { // R5.3: nothing lasts from tile to tile
                activeBefore = 0;
                for (Group& group : m_groups)
                    group.wasFull = false;
            }
            const std::int64_t tileWeight = m_rowReps[ri].weight * m_colReps[ci].weight;
            std::int64_t steps = 0;
            for (const Sink& s : m_sinks)
                if (r < s.rows && c < s.cols)
                    steps = std::max(steps, s.n);
            for (std::size_t qi = 0; qi < m_stepReps.size() && m_stepReps[qi].index < steps; ++qi) {
                const std::int64_t q = m_stepReps[qi].index;
                std::uint64_t active = 0;
                for (std::size_t b = 0; b < m_causes.size(); ++b) {
                    const Cause& cause = m_causes[b];
                    if (r < cause.rows && c < cause.cols &&
                        (cause.completing ? q == cause.n - 1 : q < cause.n))
                        active |= std::uint64_t{1} << b;
                }
                // Buffers (R7)
                std::int64_t buffers = 0;
                std::int64_t traffic = 0;
                const auto areaOf = [&](const ActiveRequest& a) {
                    const std::int64_t rows = a.row == Axis::Full   ? a.height
                                              : a.row == Axis::Tile ? std::min(g.h, a.height - r * g.h)
                                                                    : std::min(g.k, a.height - q * g.k);
                    const std::int64_t cols = a.col == Axis::Full   ? a.width
                                              : a.col == Axis::Tile ? std::min(g.w, a.width - c * g.w)
                                                                    : std::min(g.k, a.width - q * g.k);
                    return rows * cols;
                };
                const auto heldBefore = [&](const ActiveRequest& a) {
                    return (a.causes & activeBefore) != 0 && (a.row != Axis::Tile || r == rowBefore) &&
                           (a.col != Axis::Tile || c == colBefore) &&
                           ((a.row != Axis::Step && a.col != Axis::Step) || q == stepBefore);
                };
                for (Group& group : m_groups) {
                    const ActiveRequest* requests = m_active.data() + group.first;
                    if (group.count == 1) {
                        if ((requests->causes & active) == 0)
                            continue;
                        const std::int64_t area = areaOf(*requests);
                        buffers += area;
                        if ((Donates && group.forgotten) || !heldBefore(*requests))
                            traffic += area;
                        continue;
                    }
                    bool any = false;
                    bool full = false;
                    for (std::uint32_t j = 0; j < group.count; ++j)
                        if ((requests[j].causes & active) != 0) {
                            any = true;
                            full |= requests[j].role == kFull;
                        }
                    if (any && (full || group.wasFull)) {
                        buffers += group.area;
                        if (!group.wasFull)
                            traffic += group.area;
                        group.wasFull = true;
                        continue;
                    }
                    group.wasFull = false;
                    for (std::uint32_t j = 0; j < group.count; ++j) {
                        if ((requests[j].causes & active) == 0)
                            continue;
                        const std::int64_t area = areaOf(requests[j]);
                        buffers += area;
                        if ((Donates && group.forgotten) || !heldBefore(requests[j]))
                            traffic += area;
                    }
                }
                std::int64_t donated = 0;
                if constexpr (Donates) {
                    donated = donate(g, r, c, q, active);
                    for (Group& group : m_groups) {
                        group.wasFull = group.wasFull && !group.taken;
                        group.forgotten = std::exchange(group.taken, false);
                    }
                }
                // Sinks: output tiles, accumulators, stores (R7.4, R9.1)
                std::int64_t outputs = 0;
                ++stepStamp;
                for (const Sink& s : m_sinks) {
                    if (r >= s.rows || c >= s.cols || q >= s.n)
                        continue;
                    const std::int64_t tile =
                        std::min(g.h, s.height - r * g.h) * std::min(g.w, s.width - c * g.w);
                    if (!s.retained) {
                        outputs += tile;
                        if (q == s.n - 1)
                            traffic += tile;
                    }
                    if (s.n > 1) {
                        if (!m_sharedDrivers) {
                            outputs += tile * s.accCount;
                        } else {
                            for (std::uint32_t d = s.accFirst; d < s.accFirst + s.accCount; ++d)
                                if (std::uint32_t& mark = m_counted[m_accumulators[d]]; mark != stepStamp) {
                                    mark = stepStamp;
                                    outputs += tile;
                                }
                        }
                    }
                }
                const std::int64_t workingSet = m_reserved + buffers + outputs - donated;
                result.peak = std::max(result.peak, workingSet);
                if (workingSet > m_capacity) {
                    result.verdict = TilingCost::Verdict::TooLarge;
                    // Every traversal begins with this tile; only what lasts of FULL buffers depends on it.
                    result.anyOrder = (outer == 0 && i == 0) || m_groups.size() == m_active.size();
                    return result;
                }
                if (!firstTileOnly) {
                    double compute = 0;
                    for (const ActiveRun& a : m_activeRuns) {
                        if ((a.causes & active) == 0)
                            continue;
                        if (a.seen >= 0) {
                            char& seen = m_seen[static_cast<std::size_t>(a.seen) +
                                                static_cast<std::size_t>(a.strideRow) * ri +
                                                static_cast<std::size_t>(a.strideCol) * ci +
                                                static_cast<std::size_t>(a.strideStep) * qi];
                            if (seen != 0)
                                continue;
                            seen = 1;
                        }
                        if (a.constant) {
                            compute += a.flat;
                            continue;
                        }
                        if (a.perCycle > 0) {
                            compute += arrayCost(a, g, r, c, q);
                            continue;
                        }
                        double cost = a.flat;
                        if (a.row == Axis::Step)
                            cost *= static_cast<double>(std::min(g.k, a.height - q * g.k)) /
                                    static_cast<double>(m_nativeH);
                        if (a.col == Axis::Step)
                            cost *= static_cast<double>(std::min(g.k, a.width - q * g.k)) /
                                    static_cast<double>(m_nativeW);
                        if (a.split) {
                            const std::int64_t range = std::min(g.k, a.reduction - q * g.k);
                            if (range <= 0)
                                continue;
                            const std::int64_t whole =
                                m_rules.kScaling == Rules::KScaling::Native ? m_nativeK : a.reduction;
                            cost *= static_cast<double>(range) / static_cast<double>(whole);
                        }
                        compute += cost;
                    }
                    const double memory = static_cast<double>(traffic) / m_bandwidth;
                    const auto weight = static_cast<double>(tileWeight * m_stepReps[qi].weight);
                    latency += weight * std::max(compute, memory);
                    left.compute -= weight * compute;
                    left.memory -= weight * memory;
                    if (latency + std::max(0.0, left.bound()) >= cutoff) {
                        result.verdict = TilingCost::Verdict::Cut;
                        return result;
                    }
                }
                activeBefore = active;
                rowBefore = r;
                colBefore = c;
                stepBefore = q;
            }
        }
    }
    result.verdict = TilingCost::Verdict::Fits;
    result.latency = latency;
    return result;
}

TilingCost CostModel::walk(const Granularity& g, TraversalKind traversal, double cutoff,
                           const StepTotals& atLeast, bool firstTileOnly)
{
    return m_donors.empty() ? walkSteps<false>(g, traversal, cutoff, atLeast, firstTileOnly)
                            : walkSteps<true>(g, traversal, cutoff, atLeast, firstTileOnly);
}

} // namespace tilewright
