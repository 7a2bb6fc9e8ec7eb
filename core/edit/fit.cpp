// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/fit.h"

#include "base/integer.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace tilewright {

namespace {

enum class Side : std::uint8_t { Lhs, Rhs, Pointwise };

/// Where a range of a step starts: ranges of equal extent and origin are the same range.
enum class Origin : std::uint8_t { Whole, TileRow, TileColumn, K };

struct Range
{
    std::int64_t extent = 0;
    Origin origin = Origin::Whole;
    auto operator<=>(const Range&) const = default;
};

/// Collects what one full step of a subgraph asks for (R6), without positions.
class StepShapes
{
public:
    StepShapes(const Problem& problem, const Subgraph& subgraph)
        : m_problem(problem), m_subgraph(subgraph), m_inside(subgraph.ops.begin(), subgraph.ops.end())
    {
    }

    std::int64_t outputs = 0; ///< sink tiles and accumulators

    void sink(TensorId t, bool retained)
    {
        const Tensor& tensor = m_problem.tensor(t);
        const Granularity& g = m_subgraph.granularity;
        const std::int64_t rows = std::min(g.h, tensor.height);
        const std::int64_t cols = std::min(g.w, tensor.width);
        const OpId producer = *m_problem.producer(t);
        const std::set<OpId> drivers = driversOf(producer);
        bool split = false;
        for (const OpId d : drivers)
            split = split || m_problem.reductionSize(d) > g.k;
        if (!retained)
            outputs += rows * cols;
        for (const OpId d : drivers)
            if (split && d != producer)
                outputs += rows * cols;
        run({producer, {rows, Origin::TileRow}, {cols, Origin::TileColumn}, true});
    }

    [[nodiscard]] std::int64_t inputs(std::span<const TensorId> resident) const
    {
        std::int64_t sum = 0;
        std::set<TensorId> whole;
        for (const auto& [t, side, rows, cols] : m_requests)
            if (rows.origin == Origin::Whole && cols.origin == Origin::Whole)
                whole.insert(t);
        for (const auto& [t, side, rows, cols] : m_requests)
            if (!whole.contains(t) && std::ranges::find(resident, t) == resident.end())
                sum += rows.extent * cols.extent;
        for (const TensorId t : whole)
            if (std::ranges::find(resident, t) == resident.end())
                sum += m_problem.tensor(t).elements();
        return sum;
    }

private:
    [[nodiscard]] std::optional<OpId> insideProducer(TensorId t) const
    {
        const auto p = m_problem.producer(t);
        return p && m_inside.contains(*p) ? p : std::nullopt;
    }

    /// R5.4: the MatMuls reached from `producer` through Pointwise ops.
    [[nodiscard]] std::set<OpId> driversOf(OpId producer) const
    {
        std::set<OpId> seen{producer};
        std::set<OpId> drivers;
        std::vector<OpId> open{producer};
        while (!open.empty()) {
            const OpId o = open.back();
            open.pop_back();
            if (m_problem.op(o).type == OpType::MatMul) {
                drivers.insert(o);
                continue;
            }
            for (const TensorId t : m_problem.op(o).inputs)
                if (const auto p = insideProducer(t); p && seen.insert(*p).second)
                    open.push_back(*p);
        }
        return drivers;
    }

    struct Run
    {
        OpId op;
        Range rows;
        Range cols;
        bool driving = false; ///< a driver reduces k deep, everything behind drivers the whole depth
        auto operator<=>(const Run&) const = default;
    };

    void run(const Run& first)
    {
        // Without recursion: chains can be as long as the problem. Each shape once, or diamonds would
        // explode.
        std::vector<Run> open{first};
        const auto need = [&](TensorId t, Side side, Range rows, Range cols, bool driving) {
            if (rows.extent == m_problem.tensor(t).height)
                rows.origin = Origin::Whole;
            if (cols.extent == m_problem.tensor(t).width)
                cols.origin = Origin::Whole;
            if (const auto p = insideProducer(t))
                open.push_back({*p, rows, cols, driving});
            else
                m_requests.emplace(t, side, rows, cols);
        };
        while (!open.empty()) {
            const Run r = open.back();
            open.pop_back();
            if (!m_runs.insert(r).second)
                continue;
            const Op& op = m_problem.op(r.op);
            if (op.type == OpType::Pointwise) {
                for (const TensorId t : op.inputs)
                    need(t, Side::Pointwise, r.rows, r.cols, r.driving);
                continue;
            }
            const std::int64_t full = m_problem.reductionSize(r.op);
            const Range depth =
                r.driving ? Range{std::min(full, m_subgraph.granularity.k), Origin::K} : Range{full};
            need(op.inputs[0], Side::Lhs, r.rows, depth, false);
            need(op.inputs[1], Side::Rhs, depth, r.cols, false);
        }
    }

    const Problem& m_problem;
    const Subgraph& m_subgraph;
    std::set<OpId> m_inside;
    std::set<Run> m_runs;
    std::set<std::tuple<TensorId, Side, Range, Range>> m_requests;
};

/// Smallest w and h that R4.7 demands, as far as the native size allows.
struct Floor
{
    std::int64_t w = 1;
    std::int64_t h = 1;
};

Floor prologueFloor(const Problem& problem, std::span<const OpId> ops, const Rules& rules)
{
    Floor floor;
    if (rules.prologue == Rules::Prologue::Off)
        return floor;
    const std::set<OpId> inside(ops.begin(), ops.end());
    const auto raise = [&](std::int64_t& value, std::int64_t depth, std::int64_t native) {
        if (rules.superNative == Rules::SuperNative::Ceil || depth <= native)
            value = std::max(value, depth);
    };
    for (const OpId o : ops) {
        const Op& op = problem.op(o);
        if (op.type != OpType::MatMul)
            continue;
        for (const std::size_t side : {0u, 1u}) {
            const auto p = problem.producer(op.inputs[side]);
            if (p && inside.contains(*p) && problem.op(*p).type == OpType::Pointwise)
                raise(side == 0 ? floor.w : floor.h, problem.reductionSize(o),
                      side == 0 ? problem.hardware().nativeWidth : problem.hardware().nativeHeight);
        }
    }
    return floor;
}

} // namespace

Granularity legalGranularity(const Problem& problem, std::span<const OpId> ops, const Granularity& wanted,
                             const Rules& rules)
{
    const Hardware& hw = problem.hardware();
    std::int64_t widest = 1;
    std::int64_t highest = 1;
    for (const TensorId t : boundaryOf(problem, ops).sinks) {
        widest = std::max(widest, problem.tensor(t).width);
        highest = std::max(highest, problem.tensor(t).height);
    }
    Granularity g = wanted;
    g.w = std::clamp(g.w, std::int64_t{1}, widest);
    g.h = std::clamp(g.h, std::int64_t{1}, highest);
    const Floor floor = prologueFloor(problem, ops, rules);
    g.w = std::max(g.w, floor.w);
    g.h = std::max(g.h, floor.h);
    bool anyMatMul = false;
    for (const OpId o : ops) {
        if (problem.op(o).type != OpType::MatMul)
            continue;
        anyMatMul = true;
        if (rules.kAboveK == Rules::KAboveK::Error)
            g.k = std::min(g.k, problem.reductionSize(o));
    }
    if (rules.superNative == Rules::SuperNative::Error) {
        g.w = std::min(g.w, hw.nativeWidth);
        g.h = std::min(g.h, hw.nativeHeight);
        if (anyMatMul)
            g.k = std::min(g.k, hw.nativeK());
    }
    g.k = std::max(g.k, std::int64_t{1});
    return g;
}

Granularity startGranularity(const Problem& problem, std::span<const OpId> ops, const Rules& rules)
{
    const Hardware& hw = problem.hardware();
    const bool anyMatMul =
        std::ranges::any_of(ops, [&](OpId o) { return problem.op(o).type == OpType::MatMul; });
    return legalGranularity(problem, ops, {hw.nativeWidth, hw.nativeHeight, anyMatMul ? hw.nativeK() : 1},
                            rules);
}

std::int64_t estimateWorkingSet(const Problem& problem, const Subgraph& subgraph,
                                std::span<const TensorId> resident)
{
    std::set<TensorId> reserved(resident.begin(), resident.end());
    const Boundary boundary = boundaryOf(problem, subgraph.ops);
    for (const TensorId t : subgraph.retain)
        if (std::ranges::find(boundary.inputs, t) == boundary.inputs.end())
            reserved.insert(t);
    std::int64_t sum = 0;
    for (const TensorId t : reserved)
        sum += problem.tensor(t).elements();
    StepShapes shapes(problem, subgraph);
    for (const TensorId t : boundary.sinks)
        shapes.sink(t, std::ranges::find(subgraph.retain, t) != subgraph.retain.end());
    return sum + shapes.outputs + shapes.inputs(resident);
}

Granularity fittingGranularity(const Problem& problem, const Subgraph& subgraph,
                               std::span<const TensorId> resident, std::span<const Granularity> wanted,
                               const Rules& rules)
{
    Subgraph trial = subgraph;
    const auto size = [&](const Granularity& g) {
        trial.granularity = g;
        return estimateWorkingSet(problem, trial, resident);
    };
    const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
    std::optional<Granularity> best;
    Granularity g = startGranularity(problem, subgraph.ops, rules);
    for (const Granularity& candidate : wanted) {
        g = legalGranularity(problem, subgraph.ops, candidate, rules);
        const auto volume = [](const Granularity& x) {
            return std::tuple(static_cast<double>(x.w) * static_cast<double>(x.h), x.k);
        };
        if (size(g) <= capacity && (!best || volume(g) > volume(*best)))
            best = g;
    }
    if (best)
        return *best;
    const Floor floor = prologueFloor(problem, subgraph.ops, rules);
    std::int64_t current = size(g);
    while (current > capacity) {
        Granularity smallest = g;
        const auto consider = [&](Granularity next) {
            if (next == g)
                return;
            if (const std::int64_t s = size(next); s < current) {
                current = s;
                smallest = next;
            }
        };
        consider({std::max(floor.w, ceilDiv(g.w, 2)), g.h, g.k});
        consider({g.w, std::max(floor.h, ceilDiv(g.h, 2)), g.k});
        consider({g.w, g.h, ceilDiv(g.k, 2)});
        if (smallest == g)
            break;
        g = smallest;
    }
    return g;
}

Schedule oneOpPerSubgraph(const Problem& problem)
{
    Schedule schedule;
    for (const OpId o : problem.topologicalOrder()) {
        Subgraph s;
        s.ops = {o};
        s.granularity = startGranularity(problem, s.ops, {});
        s.granularity = fittingGranularity(problem, s, {}, std::array{s.granularity}, {});
        schedule.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(s)));
    }
    return schedule;
}

} // namespace tilewright
