// SPDX-License-Identifier: GPL-3.0-or-later
// Proof that this is a lower bound for every valid schedule, including recomputation and retention.
//
// 1. Subgraphs run one after another, and a step costs at least its compute and at least its memory time. So
//    a subgraph costs at least max(sum of compute, sum of memory), and a set of subgraphs costs at least the
//    maximum of their sums.
//
// 2. Some pairs of ops can never be in one subgraph: a MatMul whose K is above native_w (native_h) and a
//    Pointwise that directly produces its LHS (RHS). R4.7 requires w >= K (h >= K) for them, but R4.1
//    requires w <= native_w (h <= native_h). A subgraph is connected through common tensors of its own ops
//    (R4.5), so it lies within one component of the graph whose edges are "ops that touch a common tensor",
//    without the edges of such pairs. Hence every subgraph belongs to one component, and the bounds of the
//    components add up. (With prologue=off or supernative=ceil there are no such pairs, with
//    prologue=split_only there are none if k may be K.)
//
// 3. Compute of a component: every op runs in some subgraph (R3.5), on rectangles that cover its whole output
//    with its whole K: sink tiles cover the sink, and by R6.2 to R6.5 coverage of outputs implies coverage of
//    inputs. Each rectangle is charged at least once (R8.1). A run costs base x f(rows) x f(cols) x g. The
//    values of g of one rectangle sum to 1 (K / native_k with k_scaling=native). A spatial axis covers at
//    most the native size for each unit of f, and a reduction-derived axis costs extent / native. So
//    f >= extent / native always holds, and the sum is at least base x (H / native_h) x (W / native_w). If no
//    request can reach the op with a reduction-derived row (column) axis, its rows (columns) are cut into at
//    least ceil(H / native_h) strips, each charged in full. Requests with two spatial axes come from the op's
//    own sink or epilogue; other requests come from a consumer in the same subgraph (R6.3, R6.4), which
//    excludes the pairs of 2. With compute=array a MatMul costs by R8.2 instead: see leastArrayTime().
//
// 4. Traffic of a component: a tensor without producer enters fast memory only by loads, and a subgraph that
//    contains a consumer of it requests all of it (coverage as in 3). So all its elements are loaded in
//    subgraphs of the component of its consumers, which is the same for all consumers since all touch the
//    tensor. With retain_inputs=allow a retained input was loaded earlier by a subgraph that reads it. A
//    graph output must be written once (R3.6), and so must a base that some op reads through a view; the view
//    itself is loaded like a graph input (R1.7). If a consumer of an intermediate tensor can never share a
//    subgraph with its producer, the tensor must be in slow memory or resident for that consumer. A tensor of
//    at least fast_memory_capacity elements cannot be resident, because every step needs at least one element
//    more (R9.1a). So it is written once in the producer's component and read once in the consumer's.
#include "eval/lower_bound.h"

#include "base/integer.h"
#include "base/text.h"
#include "eval/traffic_bound.h"
#include "rules/op_sets.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tilewright {

namespace {

class Bounder
{
public:
    Bounder(const Problem& problem, const Rules& rules) : m_problem(problem), m_rules(rules) {}

    LowerBound run()
    {
        LowerBound out;
        std::vector<std::size_t> partOf(m_problem.opCount());
        for (std::vector<OpId>& ops : componentsOf(m_problem, m_rules)) {
            for (const OpId o : ops)
                partOf[o.index()] = out.parts.size();
            out.parts.emplace_back().ops = std::move(ops);
        }
        const auto part = [&](OpId o) -> BoundPart& { return out.parts[partOf[o.index()]]; };
        const std::vector<double> compute = computeTimes();
        for (std::size_t o = 0; o < m_problem.opCount(); ++o)
            part(OpId(o)).compute += compute[o];
        for (std::size_t i = 0; i < m_problem.tensorCount(); ++i)
            addTraffic(TensorId(i), part);
        for (BoundPart& p : out.parts)
            finish(p, out);
        return out;
    }

private:
    /// True if `consumer` can never be in one subgraph with the producer of its input t.
    [[nodiscard]] bool excluded(TensorId t, OpId consumer) const
    {
        return isFusionForbidden(m_problem, m_rules, t, consumer);
    }

    [[nodiscard]] std::vector<double> computeTimes() const
    {
        const std::vector<SpatialAxes> spatial = spatialAxes(m_problem, m_rules);
        std::vector<double> times;
        for (std::size_t o = 0; o < m_problem.opCount(); ++o)
            times.push_back(leastTime(m_problem, m_rules, OpId(o), spatial[o]));
        return times;
    }

    template <class Part> void addTraffic(TensorId t, Part&& part) const
    {
        const std::int64_t size = m_problem.tensor(t).elements();
        const auto consumers = m_problem.consumers(t);
        const auto producer = m_problem.producer(t);
        if (!producer) {
            if (!consumers.empty())
                part(consumers[0]).inputElements += size;
            return;
        }
        const bool written = consumers.empty() || !m_problem.viewsOf(t).empty();
        if (written)
            part(*producer).outputElements += size;
        if (size < m_problem.hardware().fastMemoryCapacity)
            return;
        for (const OpId c : consumers)
            if (excluded(t, c)) {
                part(*producer).spilledElements += written ? 0 : size;
                part(c).spilledElements += size;
                break;
            }
    }

    void finish(BoundPart& p, LowerBound& out) const
    {
        const std::int64_t traffic =
            saturatingAdd(saturatingAdd(p.inputElements, p.outputElements), p.spilledElements);
        p.memory =
            static_cast<double>(traffic) / static_cast<double>(m_problem.hardware().slowMemoryBandwidth);
        p.value = std::max(p.compute, p.memory);
        std::sort(p.ops.begin(), p.ops.end());
        p.text =
            formatGrouped(p.ops.size()) + (p.ops.size() == 1 ? " op" : " ops") +
            (p.compute >= p.memory ? ": computing takes at least " : ": moving its data takes at least ") +
            formatGrouped(p.value) + " (" + formatGrouped(p.inputElements) + " elements of inputs, " +
            formatGrouped(p.outputElements) + " of outputs, " + formatGrouped(p.spilledElements) +
            " of tensors too large to keep)";
        out.value += p.value;
        out.compute += p.compute;
        out.memory += p.memory;
    }

    const Problem& m_problem;
    const Rules& m_rules;
};

} // namespace

double leastTime(const Problem& problem, const Rules& rules, OpId o, const SpatialAxes& spatial)
{
    const Hardware& hw = problem.hardware();
    const Op& op = problem.op(o);
    const Tensor& t = problem.tensor(op.output);
    if (op.type == OpType::MatMul && rules.compute == Rules::Compute::Array)
        return leastArrayTime(problem, rules, o, spatial.rows, spatial.cols);
    const auto strips = [](std::int64_t extent, std::int64_t native, bool tiles) {
        return tiles ? static_cast<double>(ceilDiv(extent, native))
                     : static_cast<double>(extent) / static_cast<double>(native);
    };
    double time = static_cast<double>(op.baseCost) * strips(t.height, hw.nativeHeight, spatial.rows) *
                  strips(t.width, hw.nativeWidth, spatial.cols);
    if (op.type == OpType::MatMul && rules.kScaling == Rules::KScaling::Native)
        time *= static_cast<double>(problem.reductionSize(o)) / static_cast<double>(hw.nativeK());
    return time;
}

LowerBound lowerBoundByComponents(const Problem& problem, const Rules& rules)
{
    return Bounder(problem, rules).run();
}

LowerBound lowerBound(const Problem& problem, const Rules& rules)
{
    LowerBound bound = lowerBoundByComponents(problem, rules);
    const TrafficBound whole = trafficBound(problem, rules);
    if (whole.total() <= bound.value)
        return bound;
    // The parts add up to a bound. Only a bound for the graph as a whole includes the reloads that the
    // capacity forces.
    BoundPart part;
    part.ops = problem.topologicalOrder();
    std::sort(part.ops.begin(), part.ops.end());
    for (const BoundPart& p : bound.parts) {
        part.inputElements += p.inputElements;
        part.outputElements += p.outputElements;
        part.spilledElements += p.spilledElements;
    }
    part.compute = bound.compute = std::max(bound.compute, whole.compute);
    part.memory = bound.memory = std::max(bound.memory, whole.memory);
    part.value = bound.value = whole.total();
    part.text = formatGrouped(part.ops.size()) + (part.ops.size() == 1 ? " op: " : " ops: ");
    part.text += whole.memory >= whole.compute
                     ? "moving data takes at least " + formatGrouped(part.value) +
                           ", because tiles are at most native and fast memory is limited: operands are "
                           "loaded more than once, or results written and read again"
                     : "computing takes at least " + formatGrouped(part.value);
    bound.parts = {std::move(part)};
    return bound;
}

namespace {

/// Kinds of the two axes (rows, columns) by which an op can be requested (R6): S = spatial, K = reduction. A
/// bit set of the four combinations.
enum Kinds : std::uint8_t { kSS = 1, kSK = 2, kKS = 4, kKK = 8 };

} // namespace

bool isFusionForbidden(const Problem& problem, const Rules& rules, TensorId t, OpId consumer)
{
    const auto producer = problem.producer(t);
    const Op& op = problem.op(consumer);
    if (!producer || op.type != OpType::MatMul || problem.op(*producer).type != OpType::Pointwise)
        return false;
    return (op.inputs[0] == t && isPrologueForbidden(problem, rules, consumer, true)) ||
           (op.inputs[1] == t && isPrologueForbidden(problem, rules, consumer, false));
}

std::vector<SpatialAxes> spatialAxes(const Problem& problem, const Rules& rules)
{
    std::vector<std::uint8_t> kinds(problem.opCount(), kSS);
    std::vector<SpatialAxes> out(problem.opCount());
    const auto& order = problem.topologicalOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const Op& op = problem.op(*it);
        std::uint8_t& mine = kinds[it->index()];
        for (const OpId c : problem.consumers(op.output)) {
            if (isFusionForbidden(problem, rules, op.output, c))
                continue;
            const Op& consumer = problem.op(c);
            const std::uint8_t theirs = kinds[c.index()];
            if (consumer.type == OpType::Pointwise) {
                mine |= theirs;
                continue;
            }
            if (consumer.inputs[0] == op.output) { // requests for a LHS: (kind of rows, K)
                mine |= theirs & (kSS | kSK) ? kSK : 0;
                mine |= theirs & (kKS | kKK) ? kKK : 0;
            }
            if (consumer.inputs[1] == op.output) { // requests for a RHS: (K, kind of columns)
                mine |= theirs & (kSS | kKS) ? kKS : 0;
                mine |= theirs & (kSK | kKK) ? kKK : 0;
            }
        }
        out[it->index()] = {!(mine & (kKS | kKK)), !(mine & (kSK | kKK))};
    }
    return out;
}

/// Two ops may share a subgraph if they touch a common tensor, unless R4.7 forbids it.
std::vector<std::vector<OpId>> componentsOf(const Problem& problem, const Rules& rules)
{
    std::vector<std::size_t> parent(problem.opCount());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
        while (parent[i] != i)
            i = parent[i] = parent[parent[i]];
        return i;
    };
    for (std::size_t i = 0; i < problem.tensorCount(); ++i) {
        const TensorId t(i);
        const auto consumers = problem.consumers(t);
        const auto producer = problem.producer(t);
        for (const OpId c : consumers) {
            parent[root(c.index())] = root(consumers[0].index());
            if (producer && !isFusionForbidden(problem, rules, t, c))
                parent[root(c.index())] = root(producer->index());
        }
    }
    std::vector<std::vector<OpId>> out;
    std::unordered_map<std::size_t, std::size_t> place; // index of the component of each root
    for (const OpId o : problem.topologicalOrder()) {
        const auto [it, isNew] = place.try_emplace(root(o.index()), out.size());
        if (isNew)
            out.emplace_back();
        out[it->second].push_back(o);
    }
    return out;
}

} // namespace tilewright
