// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/fit.h"

#include "base/integer.h"
#include "rules/check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

namespace tilewright {

namespace {

using Axis = SubgraphPlan::Axis;

/// Smallest w that R4.7 allows, at most the native size.
std::int64_t minLegalW(const SubgraphPlan& plan)
{
    return std::min(plan.leastW(), plan.mostW());
}

std::int64_t minLegalH(const SubgraphPlan& plan)
{
    return std::min(plan.leastH(), plan.mostH());
}

/// Extent of a range in a full step. Ranges of equal extent and axis are treated as one range.
struct Extent
{
    std::int64_t size = 0;
    Axis axis = Axis::Full;
    auto operator<=>(const Extent&) const = default;
};

std::vector<Extent> fullStepExtents(const SubgraphPlan& plan, const Granularity& g)
{
    std::vector<Extent> extents;
    for (const SubgraphPlan::Slot& s : plan.ranges()) {
        const std::int64_t part = s.axis == Axis::Full || s.axis == Axis::Box
                                      ? s.size // an axis of a box, at most the extent of the base
                                  : s.axis == Axis::Step ? g.k
                                  : s.row                ? g.h
                                                         : g.w;
        extents.push_back(part >= s.size ? Extent{s.size, Axis::Full} : Extent{part, s.axis});
    }
    return extents;
}

} // namespace

Granularity legalGranularity(const SubgraphPlan& plan, const Granularity& wanted)
{
    Granularity g;
    g.w = std::max(std::clamp(wanted.w, std::int64_t{1}, plan.sinkWidth()), minLegalW(plan));
    g.h = std::max(std::clamp(wanted.h, std::int64_t{1}, plan.sinkHeight()), minLegalH(plan));
    g.w = std::min(g.w, plan.mostW());
    g.h = std::min(g.h, plan.mostH());
    const std::int64_t least = std::min(plan.leastK(g.w, g.h), plan.mostK());
    g.k = std::max(std::min(wanted.k, plan.mostK()), least);
    return g;
}

Granularity startGranularity(const SubgraphPlan& plan)
{
    const Hardware& hw = plan.problem().hardware();
    // If tiles may be larger than the array and k as large as the reduction, every input that fits is read
    // once.
    if (plan.rules().superNative == Rules::SuperNative::Ceil &&
        plan.rules().kLimit == Rules::KLimit::Reduction)
        return legalGranularity(plan, {plan.sinkWidth(), plan.sinkHeight(), plan.largestDriverK()});
    return legalGranularity(plan, {hw.nativeWidth, hw.nativeHeight, plan.hasMatMul() ? hw.nativeK() : 1});
}

std::int64_t estimateWorkingSet(const SubgraphPlan& plan, const Granularity& g,
                                std::span<const TensorId> resident, std::span<const TensorId> retain)
{
    const Problem& problem = plan.problem();
    const auto listed = [](std::span<const TensorId> list, TensorId t) {
        return std::ranges::find(list, t) != list.end();
    };
    std::int64_t sum = 0;
    for (const TensorId t : resident)
        sum += problem.sizeUnits(t);
    for (const TensorId t : retain)
        if (!listed(resident, t) && !plan.inputIndex(t))
            sum += problem.sizeUnits(t);

    const std::vector<Extent> extents = fullStepExtents(plan, g);
    for (std::size_t i = 0; i < plan.sinks().size(); ++i) {
        const SubgraphPlan::Sink& s = plan.sinks()[i];
        const std::int64_t tile = extents[s.rowSlot].size * extents[s.colSlot].size;
        const TensorId t = plan.products()[s.product];
        const bool split = plan.kSteps(i, g.k) > 1;
        // A split MatMul accumulates in its own tile (R9.1c).
        const std::int64_t units = split && !s.pointwise
                                       ? std::max(problem.units(t), problem.accumulatorUnits(t))
                                       : problem.units(t);
        sum += tile * (listed(retain, t) ? units - problem.units(t) : units);
        for (std::uint32_t d = s.driverBegin; split && d < s.driverEnd; ++d)
            sum += tile * problem.accumulatorUnits(problem.op(plan.accumulated()[d]).output);
    }

    // Through a map, a rectangle of the view touches at most the elements that the whole view reads (R1.8). A
    // rectangle at an edge may touch padding, so rectangles after the first one and in the middle count, too.
    const auto volumeOf = [&](TensorId t, std::int64_t rows, std::int64_t cols) {
        const IndexMap* map = problem.map(t);
        if (map == nullptr)
            return rows * cols * problem.units(t);
        const auto starts = [](std::int64_t extent, std::int64_t part) {
            return std::set<std::int64_t>{0, ceilDiv(extent, part) > 1 ? part : 0,
                                          ceilDiv(extent, part) / 2 * part};
        };
        const Tensor& view = problem.tensor(t);
        std::int64_t most = 0;
        for (const std::int64_t r : starts(view.height, rows))
            for (const std::int64_t c : starts(view.width, cols))
                most = std::max(most, footprint(*map, {r, std::min(r + rows, view.height), c,
                                                       std::min(c + cols, view.width)})
                                          .volume);
        return most * problem.units(t);
    };
    // Interior slices count once per rectangle (R9.9).
    if (plan.rules().interior == Rules::Interior::Held) {
        std::vector<std::tuple<std::uint32_t, Extent, Extent>> held;
        const auto isSink = [&](std::uint32_t product) {
            return std::ranges::any_of(plan.sinks(),
                                       [&](const SubgraphPlan::Sink& s) { return s.product == product; });
        };
        for (const SubgraphPlan::Use& u : plan.uses())
            if (u.run && !isSink(u.id) && !listed(retain, plan.products()[u.id]))
                held.emplace_back(u.id, extents[u.rowSlot], extents[u.colSlot]);
        std::ranges::sort(held);
        held.erase(std::unique(held.begin(), held.end()), held.end());
        for (const auto& [product, rows, cols] : held)
            sum += rows.size * cols.size * problem.units(plan.products()[product]);
    }

    // A request for the whole tensor includes all other requests for it (R7.1).
    std::vector<char> whole(plan.inputs().size(), 0);
    std::vector<std::tuple<std::uint32_t, Role, Extent, Extent>> parts;
    for (const SubgraphPlan::Use& u : plan.uses()) {
        if (u.run || listed(resident, problem.stored(plan.inputs()[u.id])))
            continue;
        const Extent& rows = extents[u.rowSlot];
        const Extent& cols = extents[u.colSlot];
        if (rows.axis == Axis::Full && cols.axis == Axis::Full)
            whole[u.id] = 1;
        else
            parts.emplace_back(u.id, u.role, rows, cols);
    }
    std::ranges::sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    for (const auto& [input, role, rows, cols] : parts)
        if (!whole[input])
            sum += volumeOf(plan.inputs()[input], rows.size, cols.size);
    for (std::size_t i = 0; i < whole.size(); ++i)
        if (whole[i])
            sum += problem.volume(plan.inputs()[i]) * problem.units(plan.inputs()[i]);
    return sum;
}

Granularity fittingGranularity(const SubgraphPlan& plan, std::span<const TensorId> resident,
                               std::span<const TensorId> retain, std::span<const Granularity> wanted)
{
    const auto size = [&](const Granularity& g) { return estimateWorkingSet(plan, g, resident, retain); };
    const std::int64_t capacity = plan.problem().capacityUnits();
    std::optional<Granularity> best;
    Granularity g = startGranularity(plan);
    for (const Granularity& candidate : wanted) {
        g = legalGranularity(plan, candidate);
        const auto volume = [](const Granularity& x) {
            return std::tuple(static_cast<double>(x.w) * static_cast<double>(x.h), x.k);
        };
        if (size(g) <= capacity && (!best || volume(g) > volume(*best)))
            best = g;
    }
    if (best)
        return *best;
    std::int64_t current = size(g);
    while (current > capacity) {
        Granularity smallest = g;
        const auto consider = [&](const Granularity& next) {
            if (next == g || next.k < plan.leastK(next.w, next.h))
                return;
            if (const std::int64_t s = size(next); s < current) {
                current = s;
                smallest = next;
            }
        };
        consider({std::max(minLegalW(plan), ceilDiv(g.w, 2)), g.h, g.k});
        consider({g.w, std::max(minLegalH(plan), ceilDiv(g.h, 2)), g.k});
        consider({g.w, g.h, ceilDiv(g.k, 2)});
        if (smallest == g)
            break;
        g = smallest;
    }
    return g;
}

Schedule oneOpPerSubgraph(const Problem& problem, const Rules& rules)
{
    Schedule schedule;
    PlanCompiler compiler(problem, rules);
    SubgraphPlan plan;
    for (const OpId o : problem.topologicalOrder()) {
        Subgraph s;
        s.ops = {o};
        compiler.compile(s.ops, plan);
        s.granularity = fittingGranularity(plan, {}, {}, std::array{startGranularity(plan)});
        schedule.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(s)));
    }
    return schedule;
}

namespace {

/// Work limit of one search, in op evaluations: a few milliseconds.
constexpr double kMaxOpEvaluations = 6000;

GranularityLimits quickLimits(const SubgraphPlan& plan, const Traversal& traversal, std::size_t share)
{
    const double points =
        kMaxOpEvaluations /
        static_cast<double>(std::max<std::size_t>(share, 1) * std::max<std::size_t>(plan.ops().size(), 1));
    const double perAxis = plan.hasMatMul() ? std::cbrt(points) : std::sqrt(points);
    GranularityLimits limits;
    limits.traversals = {traversal.kind() == TraversalKind::Custom ? Traversal() : traversal};
    limits.jointSizes = static_cast<std::size_t>(std::clamp(perAxis, 3.0, 14.0));
    limits.axisSizes = 3 * limits.jointSizes;
    limits.mostWalkedSteps = 0;
    if (!plan.hasMatMul())
        limits.k = 1; // k has no meaning without a MatMul (R4.2)
    return limits;
}

std::vector<OpId> sortedOps(const Subgraph& s)
{
    std::vector<OpId> ops = s.ops;
    std::sort(ops.begin(), ops.end());
    return ops;
}

} // namespace

bool isStartSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    const auto isSame = [](const SubgraphPtr& a, const SubgraphPtr& b) {
        return a->ops == b->ops && a->granularity == b->granularity && a->retain == b->retain &&
               a->traversal == b->traversal && !b->locked;
    };
    return schedule.size() == problem.opCount() &&
           std::ranges::equal(oneOpPerSubgraph(problem, rules).subgraphs, schedule.subgraphs, isSame);
}

std::optional<Granularity> chooseGranularity(const SubgraphPlan& plan, const Granularity& wanted,
                                             const Traversal& traversal, std::span<const TensorId> resident,
                                             std::span<const TensorId> retain, std::size_t share)
{
    const auto best = bestGranularity(plan, resident, retain, quickLimits(plan, traversal, share));
    const SubgraphEvaluation kept = evaluate(plan, wanted, traversal, resident, retain, 0);
    if (kept.structurallyValid && kept.fits &&
        (!best || kept.latency <= best->evaluation.latency * (1 + kNearBest)))
        return wanted;
    return best ? std::optional(best->granularity) : std::nullopt;
}

Schedule retiled(const Problem& problem, const Schedule& before, Schedule after, const Rules& rules)
{
    std::set<std::vector<OpId>> known;
    for (const SubgraphPtr& s : before.subgraphs)
        known.insert(sortedOps(*s));
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < after.size(); ++i)
        if (!after.subgraphs[i]->ops.empty() && !known.contains(sortedOps(*after.subgraphs[i])))
            changed.push_back(i);
    PlanCompiler compiler(problem, rules);
    SubgraphPlan plan;
    for (const std::size_t i : changed) {
        const Subgraph& s = *after.subgraphs[i];
        compiler.compile(s.ops, plan);
        if (plan.staticIssue())
            continue;
        Granularity wanted = s.granularity;
        if (!plan.hasMatMul())
            wanted.k = 1;
        const auto resident = residentBefore(problem, after, rules, SubgraphId(i));
        if (s.locked && evaluate(plan, wanted, s.traversal, resident, s.retain, 0).fits)
            continue;
        const auto g = chooseGranularity(plan, wanted, s.traversal, resident, s.retain, changed.size());
        if (!g || *g == s.granularity)
            continue;
        Subgraph next = s;
        next.granularity = *g;
        if (s.traversal.kind() == TraversalKind::Custom &&
            tileGrid(problem, s.ops, *g) != tileGrid(problem, s.ops, s.granularity))
            next.traversal = TraversalKind::Raster;
        after.subgraphs[i] = std::make_shared<const Subgraph>(std::move(next));
    }
    return after;
}

} // namespace tilewright
