// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cost/tiling_search.h"

#include "base/integer.h"

#include <algorithm>
#include <array>
#include <span>

namespace tilewright {

namespace {

/// Maximum number of parts into which an extent is cut, as a multiple of the minimum number.
std::int64_t mostParts(TilingEffort effort)
{
    return effort == TilingEffort::Quick ? 8 : 16;
}

/// Lists tile sizes that cut an extent into equal parts, for several numbers of parts from the smallest legal
/// one upwards.
void axisCandidates(std::vector<std::int64_t>& out, const std::vector<std::int64_t>& extents,
                    std::int64_t min, std::int64_t max, TilingEffort effort)
{
    // Numbers of parts that are tried, in sixteenths of the smallest legal number.
    static constexpr std::array<std::int64_t, 9> kQuick{16, 18, 20, 24, 28, 32, 48, 64, 128};
    static constexpr std::array<std::int64_t, 14> kThorough{16, 18, 20, 24, 28,  32,  40,
                                                            48, 64, 80, 96, 128, 192, 256};
    out.clear();
    out.push_back(max);
    const auto add = [&](std::int64_t v) {
        if (v >= min && v <= max)
            out.push_back(v);
    };
    for (const std::int64_t extent : extents) {
        const std::int64_t fewest = ceilDiv(extent, max);
        const auto parts = [&](std::int64_t n) { add(ceilDiv(extent, std::min(n, extent))); };
        if (effort == TilingEffort::Quick) {
            for (const std::int64_t f : kQuick)
                parts(fewest * f / 16);
        } else {
            for (const std::int64_t f : kThorough)
                parts(fewest * f / 16);
            for (std::int64_t n = fewest; n < fewest + 4; ++n)
                parts(n);
        }
    }
    add(min);
    std::ranges::sort(out, std::ranges::greater());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

void addAll(std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& more)
{
    if (more.empty())
        return;
    sizes.insert(sizes.end(), more.begin(), more.end());
    std::ranges::sort(sizes, std::ranges::greater());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
}

/// Comparison for a heap with the least bound on top.
constexpr auto kLater = [](const auto& a, const auto& b) {
    return a.bound != b.bound ? a.bound > b.bound : a.order > b.order;
};

/// Narrows the range [min, max] of tile extents to those that `limits` allows. `whole` is the extent that the
/// tiles divide.
void limitExtents(const ExtentRange& limits, std::int64_t whole, std::int64_t& min, std::int64_t& max)
{
    min = std::max(min, std::min(limits.least, whole));
    if (limits.most < whole)
        max = std::min(max, limits.most);
}

std::int64_t wholeReduction(const CostModel& model)
{
    return model.reductions().empty() ? 1 : model.reductions().back();
}

} // namespace

CostModel::Range TilingSearch::range() const
{
    CostModel::Range out = m_model.range();
    if (!m_limits.any() || out.empty())
        return out;
    std::int64_t least = 1;
    limitExtents(m_limits.w, m_model.sinkWidths().back(), out.minW, out.maxW);
    limitExtents(m_limits.h, m_model.sinkHeights().back(), out.minH, out.maxH);
    limitExtents(m_limits.k, wholeReduction(m_model), least, out.maxK);
    if (least > out.maxK)
        out.maxW = out.minW - 1; // if no k is legal, no tile is legal
    return out;
}

std::int64_t TilingSearch::leastK(std::int64_t w, std::int64_t h) const
{
    return std::max(m_model.leastK(w, h), std::min(m_limits.k.least, wholeReduction(m_model)));
}

bool TilingSearch::isInRange(const Granularity& g) const
{
    return !m_limits.any() || (m_limits.w.allows(g.w, m_model.sinkWidths().back()) &&
                               m_limits.h.allows(g.h, m_model.sinkHeights().back()) &&
                               m_limits.k.allows(g.k, wholeReduction(m_model)));
}

TilingCost TilingSearch::consider(const Granularity& g, TraversalKind kind, const StepTotals& atLeast)
{
    // An evaluation normally takes about a microsecond, so m_keepGoing() is called once per 256 evaluations.
    // If every step has to be simulated, an evaluation takes milliseconds, and m_keepGoing() is called each
    // time.
    if (m_keepGoing && (!m_model.supported() || ++m_tried % 256 == 0) && !m_keepGoing())
        m_interrupted = true;
    if (m_interrupted || !isInRange(g))
        return {};
    const TilingCost cost = m_model.evaluate(g, kind, m_best.latency, atLeast);
    if (cost.verdict == TilingCost::Verdict::Unmodelled)
        m_incomplete = true;
    m_anyFits |= cost.verdict == TilingCost::Verdict::Fits || cost.verdict == TilingCost::Verdict::Cut;
    if (cost.verdict == TilingCost::Verdict::Fits && cost.latency < m_best.latency)
        m_best = {g, kind, cost.latency};
    return cost;
}

/// True if the tiles form one row or one column, so that all preset traversals are equal.
bool TilingSearch::isLine(const Granularity& g) const
{
    return g.h >= m_model.sinkHeights().back() || g.w >= m_model.sinkWidths().back();
}

/// Evaluates the snake and the column-snake traversal, which reuse most data.
void TilingSearch::tryTiling(const Granularity& g, const CostModel::GridTotals& atLeast)
{
    const auto isHopeful = [&](TraversalKind kind) {
        return m_model.priced(atLeast[static_cast<std::size_t>(kind)]) < m_best.latency;
    };
    const auto tryOne = [&](TraversalKind kind) {
        return consider(g, kind, atLeast[static_cast<std::size_t>(kind)]).verdict;
    };
    if (isLine(g)) {
        tryOne(m_model.rasterForgets() ? TraversalKind::Snake : TraversalKind::Raster);
        return;
    }
    using Verdict = TilingCost::Verdict;
    if (isHopeful(TraversalKind::Snake))
        if (const Verdict v = tryOne(TraversalKind::Snake); v != Verdict::Fits && v != Verdict::Cut)
            return;
    if (isHopeful(TraversalKind::ColumnSnake))
        tryOne(TraversalKind::ColumnSnake);
}

/// Evaluates every preset traversal whose lower bound is below the best latency.
void TilingSearch::tryAll(const Granularity& g, const CostModel::GridTotals& atLeast)
{
    for (const TraversalKind kind :
         {TraversalKind::Snake, TraversalKind::ColumnSnake, TraversalKind::Raster, TraversalKind::Column}) {
        const StepTotals& totals = atLeast[static_cast<std::size_t>(kind)];
        if (canImprove(m_model.priced(totals)) && (consider(g, kind, totals).anyOrder || isLine(g)))
            return;
    }
}

std::int64_t TilingSearch::deepestFit(std::int64_t w, std::int64_t h)
{
    std::int64_t high = range().maxK;
    std::int64_t low = leastK(w, h);
    if (high >= low && m_model.firstTileFits({w, h, high}))
        return high;
    if (high <= low || !m_model.firstTileFits({w, h, low}))
        return 0;
    while (high - low > 1) {
        const std::int64_t mid = (low + high) / 2;
        (m_model.firstTileFits({w, h, mid}) ? low : high) = mid;
    }
    return low;
}

void TilingSearch::tryDepths(std::int64_t w, std::int64_t h, TilingEffort effort, const Totals& atLeast)
{
    if (m_model.reductions().empty()) {
        tryTiling({w, h, 1}, atLeast.deepest);
        return;
    }
    const std::int64_t deepest = deepestFit(w, h);
    if (deepest == 0)
        return;
    m_ks.assign(1, deepest);
    for (const std::int64_t reduction : m_model.reductions()) {
        const std::int64_t n = ceilDiv(reduction, deepest);
        m_ks.push_back(ceilDiv(reduction, n));
        m_ks.push_back(ceilDiv(reduction, std::min(n + 1, reduction)));
        if (effort == TilingEffort::Thorough)
            for (const std::int64_t parts : {n + 2, n + 3, 2 * n, 3 * n, 4 * n})
                m_ks.push_back(ceilDiv(reduction, std::min(parts, reduction)));
    }
    std::ranges::sort(m_ks, std::ranges::greater());
    m_ks.erase(std::unique(m_ks.begin(), m_ks.end()), m_ks.end());
    for (const std::int64_t k : m_ks)
        if (k <= deepest)
            tryTiling({w, h, k}, k == m_model.range().maxK ? atLeast.deepest : atLeast.others);
}

/// Hill climbing from the best tiling. Width and height are also raised to the largest one that fits in fast
/// memory while the other extents stay fixed.
void TilingSearch::climbHill()
{
    const CostModel::Range range = this->range();
    const auto largest = [&](auto fits, std::int64_t low, std::int64_t high) {
        while (low < high) {
            const std::int64_t mid = low + (high - low + 1) / 2;
            if (fits(mid))
                low = mid;
            else
                high = mid - 1;
        }
        return low;
    };
    for (int round = 0; round < 12 && m_best.feasible() && !m_interrupted; ++round) {
        const Tiling before = m_best;
        const Granularity g = before.granularity;
        for (const std::int64_t d : {1, -1, 2, -2, 4, -4, 8, -8, 16, -16}) {
            if (g.w + d >= range.minW && g.w + d <= range.maxW)
                tryDepths(g.w + d, g.h, TilingEffort::Quick);
            if (g.h + d >= range.minH && g.h + d <= range.maxH)
                tryDepths(g.w, g.h + d, TilingEffort::Quick);
            if (!m_model.reductions().empty() && g.k + d >= 1 && g.k + d <= range.maxK)
                tryTiling({g.w, g.h, g.k + d});
        }
        for (const std::int64_t reduction : m_model.reductions())
            for (std::int64_t n = ceilDiv(reduction, g.k); n <= ceilDiv(reduction, g.k) + 2; ++n) {
                const std::int64_t k = ceilDiv(reduction, std::min(n, reduction));
                if (k > range.maxK)
                    continue;
                const std::int64_t w = largest(
                    [&](std::int64_t v) {
                        return m_model.firstTileFits({v, g.h, k});
                    },
                    range.minW, range.maxW);
                tryTiling({w, g.h, k});
                const std::int64_t h = largest(
                    [&](std::int64_t v) {
                        return m_model.firstTileFits({g.w, v, k});
                    },
                    range.minH, range.maxH);
                tryTiling({g.w, h, k});
            }
        if (m_best.latency >= before.latency * (1 - 1e-12))
            break;
    }
}

double TilingSearch::least(const CostModel::GridTotals& totals) const
{
    double out = m_model.priced(totals[0]);
    for (std::size_t i = 1; i < totals.size(); ++i)
        out = std::min(out, m_model.priced(totals[i]));
    return out;
}

TilingSearch::Totals TilingSearch::totalsOf(std::int64_t w, std::int64_t h) const
{
    Totals out;
    out.deepest = m_model.gridTotals(w, h, true);
    out.others = m_model.reductions().empty() || m_model.range().maxK == 1 ? out.deepest
                                                                           : m_model.gridTotals(w, h, false);
    return out;
}

Tiling TilingSearch::searchAll(const Tiling& known, double cutoff, const std::function<bool()>& keepGoing)
{
    const CostModel::Range range = this->range();
    m_incomplete = m_interrupted = false;
    m_best = known;
    m_best.latency = std::min(known.latency, cutoff);
    const double start = m_best.latency;
    const std::int64_t deepest = m_model.reductions().empty() ? 1 : range.maxK;
    m_pairs.clear();
    std::int64_t highest = range.maxH;
    for (std::int64_t w = range.minW; w <= range.maxW; ++w) {
        while (highest >= range.minH && !m_model.canFit(w, highest))
            --highest;
        for (std::int64_t h = range.minH; h <= highest; ++h) {
            if (!canImprove(m_model.bound(w, h)))
                continue;
            if (const double bound = least(totalsOf(w, h)); canImprove(bound))
                m_pairs.push_back({bound, w, h});
        }
    }
    std::ranges::sort(m_pairs, {}, &Pair::bound);
    m_model.setMaxWalkedSteps(CostModel::kMaxProofSteps);
    for (const Pair& p : m_pairs) {
        if (!canImprove(p.bound))
            break;
        if (m_interrupted || !keepGoing()) {
            m_incomplete = true;
            break;
        }
        const std::int64_t shallowest =
            m_model.reductions().empty() ? 1 : std::min(m_limits.k.least, wholeReduction(m_model));
        const bool isDeepest = m_model.reductions().empty() || deepest == m_model.range().maxK;
        CostModel::GridTotals atLeast = m_model.gridTotals(p.w, p.h, isDeepest);
        for (std::int64_t k = deepest; k >= shallowest && (k == deepest || canImprove(least(atLeast))); --k) {
            if (const Granularity g{p.w, p.h, k}; m_model.canFit(g))
                tryAll(g, atLeast);
            if (k == deepest && isDeepest)
                atLeast = m_model.gridTotals(p.w, p.h, false);
        }
    }
    m_model.setMaxWalkedSteps(CostModel::kMaxWalkedSteps);
    m_incomplete |= m_interrupted;
    return m_best.latency < start ? m_best : known;
}

/// True if the steps of the first tile fit in fast memory with the smallest or the largest k. If not, the
/// tile size fits with no k.
bool TilingSearch::mayFit(std::int64_t w, std::int64_t h)
{
    const std::int64_t least = leastK(w, h);
    const std::int64_t most = range().maxK;
    return m_model.canFit(w, h) && least <= most &&
           (m_model.firstTileFits({w, h, least}) || m_model.firstTileFits({w, h, most}));
}

/// Returns mayFit() for the square tile with this side, clamped to the legal range.
bool TilingSearch::squareMayFit(std::int64_t side)
{
    const CostModel::Range range = this->range();
    return mayFit(std::clamp(side, range.minW, range.maxW), std::clamp(side, range.minH, range.maxH));
}

/// Fills m_ws and m_hs with tile sizes that split the extents evenly. The sizes start at the largest legal
/// tile. If none of them fits, further sizes start at the largest square tile that fits.
void TilingSearch::listAxes(TilingEffort effort)
{
    const CostModel::Range range = this->range();
    axisCandidates(m_ws, m_model.sinkWidths(), range.minW, range.maxW, effort);
    axisCandidates(m_hs, m_model.sinkHeights(), range.minH, range.maxH, effort);
    const std::int64_t enough = std::max(range.maxW, range.maxH) / mostParts(effort);
    if (enough <= 1 || squareMayFit(enough))
        return;
    std::int64_t side = 1; // side of the largest square tile that fits
    for (std::int64_t more = enough - 1; side < more;) {
        const std::int64_t mid = side + (more - side + 1) / 2;
        if (squareMayFit(mid))
            side = mid;
        else
            more = mid - 1;
    }
    std::vector<std::int64_t> small;
    axisCandidates(small, m_model.sinkWidths(), range.minW, std::clamp(side, range.minW, range.maxW), effort);
    addAll(m_ws, small);
    axisCandidates(small, m_model.sinkHeights(), range.minH, std::clamp(side, range.minH, range.maxH),
                   effort);
    addAll(m_hs, small);
}

/// Fills m_pairs with all combinations of a width and a height that can fit in fast memory. Also pairs each
/// width with the largest height that fits, and each height with the largest width.
void TilingSearch::listPairs()
{
    m_pairs.clear();
    const auto add = [&](std::int64_t w, std::int64_t h, Pair::Largest largest) {
        m_pairs.push_back({m_model.bound(w, h), w, h, m_pairs.size(), largest});
    };
    for (const std::int64_t w : m_ws)
        for (const std::int64_t h : m_hs)
            if (m_model.canFit(w, h))
                add(w, h, Pair::Neither);
    if (const auto& rows = m_model.rowClasses(); !rows.empty())
        for (const std::int64_t w : m_ws)
            add(w, rows.back(), Pair::Height);
    if (const auto& columns = m_model.columnClasses(); !columns.empty())
        for (const std::int64_t h : m_hs)
            add(columns.back(), h, Pair::Width);
    std::ranges::make_heap(m_pairs, kLater);
}

std::optional<TilingSearch::Pair> TilingSearch::nextPair()
{
    while (!m_pairs.empty() && m_pairs.front().bound < m_best.latency) {
        std::ranges::pop_heap(m_pairs, kLater);
        Pair pair = m_pairs.back();
        m_pairs.pop_back();
        if (pair.largest == Pair::Neither)
            return pair;
        const bool isHeight = pair.largest == Pair::Height;
        const std::vector<std::int64_t>& classes = isHeight ? m_model.rowClasses() : m_model.columnClasses();
        const CostModel::Range range = this->range();
        const auto first = std::ranges::lower_bound(classes, isHeight ? range.minH : range.minW);
        const std::span all(
            first, std::ranges::upper_bound(first, classes.end(), isHeight ? range.maxH : range.maxW));
        const auto end = std::ranges::partition_point(
            all, [&](std::int64_t v) { return isHeight ? mayFit(pair.w, v) : mayFit(v, pair.h); });
        const std::vector<std::int64_t>& listed = isHeight ? m_hs : m_ws;
        if (end == all.begin() || std::ranges::find(listed, *std::prev(end)) != listed.end())
            continue;
        (isHeight ? pair.h : pair.w) = *std::prev(end);
        pair.largest = Pair::Neither;
        pair.bound = m_model.bound(pair.w, pair.h);
        m_pairs.push_back(pair);
        std::ranges::push_heap(m_pairs, kLater);
    }
    return std::nullopt;
}

Tiling TilingSearch::fixed(const Granularity& g)
{
    m_best = {};
    m_incomplete = m_interrupted = false;
    tryTiling(g);
    return m_best;
}

Tiling TilingSearch::search(TilingEffort effort, double cutoff)
{
    m_best = {};
    m_best.latency = cutoff;
    m_incomplete = m_interrupted = m_isCut = m_anyFits = false;
    const CostModel::Range range = this->range();
    if (range.empty())
        return {};
    listAxes(effort);
    addAll(m_ws, m_model.prologueWidths());
    addAll(m_hs, m_model.prologueHeights());
    listPairs();
    while (!m_interrupted) {
        const std::optional<Pair> p = nextPair();
        if (!p)
            break;
        if (const Totals atLeast = totalsOf(p->w, p->h); least(atLeast) < m_best.latency)
            tryDepths(p->w, p->h, effort, atLeast);
        else
            m_anyFits = m_anyFits || mayFit(p->w, p->h);
    }
    // Tilings that were skipped because of their lower bound may nevertheless fit.
    const bool isFitting = m_anyFits || std::ranges::any_of(m_pairs, [&](const Pair& p) {
                               return p.largest == Pair::Neither && mayFit(p.w, p.h);
                           });
    // If larger tiles fit with no legal k, small tiles with whole reductions may fit (prologue=split_only).
    m_ws.assign(1, range.minW);
    m_hs.assign(1, range.minH);
    m_ws.insert(m_ws.end(), m_model.prologueWidths().begin(), m_model.prologueWidths().end());
    m_hs.insert(m_hs.end(), m_model.prologueHeights().begin(), m_model.prologueHeights().end());
    for (const std::int64_t w : m_ws)
        for (const std::int64_t h : m_hs)
            if (!isFitting && !m_anyFits)
                tryDepths(w, h, effort);
    if (m_best.latency >= cutoff) {
        m_isCut = !m_interrupted && (isFitting || m_anyFits);
        return {};
    }
    if (effort != TilingEffort::Quick)
        climbHill();
    return m_best;
}

} // namespace tilewright
