// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/granularity_search.h"

#include "schedule/schedule.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace tilewright {

namespace {

std::vector<std::int64_t> atLeast(std::vector<std::int64_t> sizes, std::int64_t least, std::int64_t most)
{
    // A prologue may require a tile that is larger than the sink (R4.7).
    if (least <= most && (sizes.empty() || sizes.back() < least))
        sizes.push_back(least);
    std::erase_if(sizes, [&](std::int64_t s) { return s < least; });
    return sizes;
}

/// Adds the tile sizes that a prologue requires if k is split, or the k that it requires otherwise (R4.7,
/// prologue=split_only).
std::vector<std::int64_t> withPrologues(const SubgraphPlan& plan, std::vector<std::int64_t> sizes,
                                        std::initializer_list<const std::vector<std::int64_t>*> demands,
                                        std::int64_t most)
{
    if (plan.rules().prologue != Rules::Prologue::SplitOnly)
        return sizes;
    for (const auto* list : demands)
        for (const std::int64_t size : *list)
            if (size <= most)
                sizes.push_back(size);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// Selects at most n of the sizes. Large sizes are the most likely ones, so the selection is coarser among
/// small sizes.
std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& sizes, std::size_t n)
{
    if (sizes.size() <= n)
        return sizes;
    std::vector<std::int64_t> out;
    double next = static_cast<double>(sizes.back());
    const double ratio = std::max(1.05, std::pow(next / static_cast<double>(sizes.front()),
                                                 1.0 / static_cast<double>(n > 1 ? n - 1 : 1)));
    for (auto it = sizes.rbegin(); it != sizes.rend(); ++it)
        if (static_cast<double>(*it) <= next) {
            out.push_back(*it);
            next = static_cast<double>(*it) / ratio;
        }
    return out;
}

class Search
{
public:
    Search(const SubgraphPlan& plan, std::span<const TensorId> resident, std::span<const TensorId> retain,
           const GranularityLimits& limits)
        : m_plan(plan), m_resident(resident), m_retain(retain), m_limits(limits)
    {
    }

    std::optional<GranularityChoice> run()
    {
        const auto sizes = [&](const std::optional<std::int64_t>& fixed, std::vector<std::int64_t> useful) {
            return fixed ? std::vector<std::int64_t>{*fixed} : std::move(useful);
        };
        const auto widths = sizes(m_limits.w, usefulWidths(m_plan));
        const auto heights = sizes(m_limits.h, usefulHeights(m_plan));
        const auto depths = sizes(m_limits.k, usefulDepths(m_plan));
        for (const std::int64_t w : thinned(widths, m_limits.jointSizes))
            for (const std::int64_t h : thinned(heights, m_limits.jointSizes))
                for (const std::int64_t k : thinned(depths, m_limits.jointSizes))
                    tryAll({w, h, k});
        for (int round = 0; round < 4 && m_best; ++round) {
            const double before = m_best->evaluation.latency;
            Granularity g = m_best->granularity;
            for (const std::int64_t w : thinned(widths, m_limits.axisSizes))
                tryAll({w, g.h, g.k});
            g = m_best->granularity;
            for (const std::int64_t h : thinned(heights, m_limits.axisSizes))
                tryAll({g.w, h, g.k});
            g = m_best->granularity;
            for (const std::int64_t k : thinned(depths, m_limits.axisSizes))
                tryAll({g.w, g.h, k});
            if (m_best->evaluation.latency >= before)
                break;
        }
        return m_best;
    }

private:
    static TilingRank rank(const SubgraphEvaluation& e) { return {e.latency, e.steps, e.peakWorkingSet}; }

    void tryAll(const Granularity& g)
    {
        if (m_limits.stop.stop_requested() || m_plan.check(g))
            return;
        for (const Traversal& t : m_limits.traversals) {
            const SubgraphEvaluation e =
                evaluate(m_plan, g, t, m_resident, m_retain, m_limits.mostWalkedSteps);
            if (!e.structurallyValid)
                continue;
            if (!e.fits)
                return; // no other order of tiles fits either, except in rare cases of R7.1
            if (!m_best || isBetter(rank(e), rank(m_best->evaluation)))
                m_best = GranularityChoice{g, t, e};
        }
    }

    const SubgraphPlan& m_plan;
    std::span<const TensorId> m_resident, m_retain;
    const GranularityLimits& m_limits;
    std::optional<GranularityChoice> m_best;
};

} // namespace

bool isBetter(const TilingRank& a, const TilingRank& b) noexcept
{
    // The tolerance is for sums in another order, which differ in the last bits.
    if (std::abs(a.latency - b.latency) > 1e-12 * b.latency)
        return a.latency < b.latency;
    return a.steps != b.steps ? a.steps < b.steps : a.peak < b.peak;
}

std::vector<std::int64_t> usefulWidths(const SubgraphPlan& plan)
{
    const std::int64_t native = plan.problem().hardware().nativeWidth;
    const std::int64_t most = plan.mostW();
    return withPrologues(plan, atLeast(usefulSizes(plan.sinkWidth(), native, most), plan.leastW(), most),
                         {&plan.prologueWidths()}, most);
}

std::vector<std::int64_t> usefulHeights(const SubgraphPlan& plan)
{
    const std::int64_t native = plan.problem().hardware().nativeHeight;
    const std::int64_t most = plan.mostH();
    return withPrologues(plan, atLeast(usefulSizes(plan.sinkHeight(), native, most), plan.leastH(), most),
                         {&plan.prologueHeights()}, most);
}

std::vector<std::int64_t> usefulDepths(const SubgraphPlan& plan)
{
    if (!plan.hasMatMul())
        return {1};
    const std::int64_t native = plan.problem().hardware().nativeK();
    return withPrologues(plan, usefulSizes(plan.largestDriverK(), native, plan.mostK()),
                         {&plan.prologueWidths(), &plan.prologueHeights()}, plan.mostK());
}

std::optional<GranularityChoice> bestGranularity(const SubgraphPlan& plan, std::span<const TensorId> resident,
                                                 std::span<const TensorId> retain,
                                                 const GranularityLimits& limits)
{
    return Search(plan, resident, retain, limits).run();
}

} // namespace tilewright
