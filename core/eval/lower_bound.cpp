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
//    tensor. With retain_inputs=allow a retained input was loaded earlier by a subgraph that reads it, which
//    through an index map may be a part of it only: R9.7 loads what is requested, and keeps the tensor. A
//    graph output must be written once (R3.6), and so must a base that some op reads through a view; the view
//    itself is loaded like a graph input (R1.7). If a consumer of an intermediate tensor can never share a
//    subgraph with its producer, the tensor must be in slow memory or resident for that consumer. A tensor of
//    at least fast_memory_capacity elements cannot be resident, because every step needs at least one element
//    more (R9.1a). So it is written once in the producer's component and read once in the consumer's.
//
// 5. Index maps (R1.8). Readers may touch a part of a tensor only, so an op may run on a part of its result.
//    A subgraph that runs it computes all of it as a sink, or what some reader in the subgraph needs: at
//    least the least of what its readers need. If the tensor can be neither retained nor resident, the
//    readers get it from inside or from slow memory, where it was written whole: then at least the most that
//    a reader needs. A reader of which n elements are computed needs n elements (Pointwise), or whole rows of
//    the LHS and columns of the RHS; through windows, the elements at one place of each window are different
//    ones. An input that stays in fast memory (R9.7) is there for later readers even if the one that loaded
//    it needed a part only: then at least the least that a reader needs is loaded. A box may have any extent
//    at the cost of one native tile (`boxed`), except where extents decide about the cost (compute=array,
//    vector=elements).
#include "eval/lower_bound.h"

#include "base/integer.h"
#include "base/text.h"
#include "eval/cost.h"
#include "eval/traffic_bound.h"
#include "rules/op_sets.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tilewright {

std::int64_t leastReadOf(const Problem& problem, TensorId t, OpId reader, std::int64_t least)
{
    if (!problem.hasMaps())
        return problem.tensor(t).elements();
    std::int64_t most = 0;
    for (std::size_t i = 0; i < problem.operands(reader).size(); ++i)
        if (problem.op(reader).inputs[i] == t)
            most = std::max(most, leastRead(problem, reader, i, least));
    return most;
}

std::int64_t leastLoaded(const Problem& problem, const Rules& rules, TensorId t,
                         const std::vector<SpatialAxes>& axes)
{
    // only plain views read the tensor, and they are loaded by themselves (R1.7)
    if (problem.consumers(t).empty())
        return 0;
    const bool stays = rules.keepsInputs() && !problem.isView(t) && problem.hasMaps() &&
                       problem.sizeUnits(t) < problem.capacityUnits();
    std::int64_t least = stays ? problem.tensor(t).elements() : 0;
    for (const OpId c : problem.consumers(t)) {
        const std::int64_t read = leastReadOf(problem, t, c, axes[c.index()].least);
        least = stays ? std::min(least, read) : std::max(least, read);
    }
    return least;
}

namespace {

class Bounder
{
public:
    Bounder(const Problem& problem, const Rules& rules)
        : m_problem(problem), m_rules(rules), m_spatial(spatialAxes(problem, rules))
    {
    }

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
        std::vector<double> times;
        for (std::size_t o = 0; o < m_problem.opCount(); ++o)
            times.push_back(leastTime(m_problem, m_rules, OpId(o), m_spatial[o]));
        return times;
    }

    template <class Part> void addTraffic(TensorId t, Part&& part) const
    {
        const std::int64_t size = m_problem.sizeUnits(t);
        const auto consumers = m_problem.consumers(t);
        const auto producer = m_problem.producer(t);
        if (!producer) {
            if (!consumers.empty())
                part(consumers[0]).inputElements +=
                    leastLoaded(m_problem, m_rules, t, m_spatial) * m_problem.units(t);
            return;
        }
        const bool written = consumers.empty() || !m_problem.viewsOf(t).empty();
        if (written)
            part(*producer).outputElements += size;
        if (size < m_problem.capacityUnits())
            return;
        for (const OpId c : consumers)
            if (excluded(t, c)) {
                part(*producer).spilledElements += written ? 0 : size;
                part(c).spilledElements +=
                    leastReadOf(m_problem, t, c, m_spatial[c.index()].least) * m_problem.units(t);
                break;
            }
    }

    void finish(BoundPart& p, LowerBound& out) const
    {
        const std::int64_t traffic =
            saturatingAdd(saturatingAdd(p.inputElements, p.outputElements), p.spilledElements);
        p.memory = static_cast<double>(traffic) / static_cast<double>(m_problem.bandwidthUnits());
        p.value = std::max(p.compute, p.memory);
        std::sort(p.ops.begin(), p.ops.end());
        p.text =
            formatGrouped(p.ops.size()) + (p.ops.size() == 1 ? " op" : " ops") +
            (p.compute >= p.memory ? ": computing takes at least " : ": moving its data takes at least ") +
            formatGrouped(p.value) + " (" + formatGrouped(m_problem.elementsOf(p.inputElements)) +
            " elements of inputs, " + formatGrouped(m_problem.elementsOf(p.outputElements)) +
            " of outputs, " + formatGrouped(m_problem.elementsOf(p.spilledElements)) +
            " of tensors too large to keep)";
        out.value += p.value;
        out.compute += p.compute;
        out.memory += p.memory;
    }

    const Problem& m_problem;
    const Rules& m_rules;
    std::vector<SpatialAxes> m_spatial;
};

} // namespace

std::int64_t leastRead(const Problem& problem, OpId o, std::size_t operand, std::int64_t least)
{
    const Tensor& out = problem.tensor(problem.op(o).output);
    const TensorId t = problem.operands(o)[operand];
    const Tensor& in = problem.tensor(t);
    if (least == out.elements())
        return problem.volume(t);
    if (least == 0)
        return 0;
    // An op needs whole rows of a LHS, whole columns of a RHS, and of an operand of a Pointwise the same
    // elements as of the result.
    const bool matmul = problem.op(o).type == OpType::MatMul;
    const std::int64_t needed = !matmul        ? least
                                : operand == 0 ? ceilDiv(least, out.width) * in.width
                                               : ceilDiv(least, out.height) * in.height;
    const IndexMap* map = problem.map(t);
    if (!map || std::holds_alternative<SliceMap>(*map))
        return needed;
    if (const auto* m = std::get_if<RepeatMap>(map)) {
        const auto times = [](std::int64_t extent, const std::array<std::int64_t, 2>& axis) {
            return ceilDiv(extent, axis[0] * axis[1]) * axis[1];
        };
        return ceilDiv(needed, times(in.height, m->rows) * times(in.width, m->cols));
    }
    const auto& m = std::get<WindowsMap>(*map);
    if (matmul && operand == 1)
        // a column of this view is a place in the windows; some places may be padding in every window
        return 0;
    // Counts the element at the middle place of each window that is read, unless it is padding.
    const std::int64_t middle = (m.window[0] / 2 * m.window[1] + m.window[1] / 2) * m.channels[1];
    const MapFootprint stored = footprint(*map, {0, in.height, middle, middle + m.channels[1]});
    const std::int64_t windows =
        matmul ? needed / in.width * m.channels[1] : needed - (in.elements() - in.height * m.channels[1]);
    return std::max<std::int64_t>(0, windows - (in.height * m.channels[1] - stored.volume));
}

double leastTime(const Problem& problem, const Rules& rules, OpId o, const SpatialAxes& spatial)
{
    const Hardware& hw = problem.hardware();
    const Op& op = problem.op(o);
    const Tensor& t = problem.tensor(op.output);
    const bool byArray = op.type == OpType::MatMul && rules.compute == Rules::Compute::Array;
    const bool byElements = op.type == OpType::Pointwise && rules.vector == Rules::Vector::Elements;
    if (spatial.boxed && !byElements && !byArray)
        return 0;
    if (spatial.least < t.elements()) {
        const StepCosts costs(hw, {}, rules);
        const double part = static_cast<double>(spatial.least) / static_cast<double>(t.elements());
        return byElements ? part * leastTime(problem, rules, o, {true, true, false, t.elements()})
               : byArray  ? static_cast<double>(op.baseCost) *
                               costs.leastCycles(spatial.least, problem.reductionSize(o)) /
                               costs.wholeTile(problem.reductionSize(o))
                         : 0;
    }
    if (byArray)
        return leastArrayTime(problem, rules, o, spatial.rows, spatial.cols);
    const auto strips = [&](std::int64_t extent, std::int64_t native, bool tiles) {
        return tiles && !byElements ? static_cast<double>(ceilDiv(extent, native))
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

namespace {

/// Returns one part for all ops with the sums of the transfers of all parts; its times are not set.
BoundPart wholeGraph(const Problem& problem, const LowerBound& bound)
{
    BoundPart part;
    part.ops = problem.topologicalOrder();
    std::sort(part.ops.begin(), part.ops.end());
    for (const BoundPart& p : bound.parts) {
        part.inputElements += p.inputElements;
        part.outputElements += p.outputElements;
        part.spilledElements += p.spilledElements;
    }
    part.text = formatGrouped(part.ops.size()) + (part.ops.size() == 1 ? " op: " : " ops: ");
    return part;
}

} // namespace

LowerBound lowerBound(const Problem& problem, const Rules& rules)
{
    LowerBound bound = lowerBoundByComponents(problem, rules);
    const TrafficBound whole = trafficBound(problem, rules);
    if (problem.floor() > std::max(whole.total(), bound.value)) {
        BoundPart part = wholeGraph(problem, bound);
        part.compute = bound.compute;
        part.memory = bound.memory;
        part.value = bound.value = problem.floor();
        part.text += "the floor of the model on one core is " + formatGrouped(part.value) +
                     ", all products at the largest rate of the arrays or the bytes that must move (R19)";
        bound.parts = {std::move(part)};
        return bound;
    }
    if (whole.total() <= bound.value)
        return bound;
    // The parts add up to a bound. Only a bound for the graph as a whole includes the reloads that the
    // capacity forces.
    BoundPart part = wholeGraph(problem, bound);
    part.compute = bound.compute = std::max(bound.compute, whole.compute);
    part.memory = bound.memory = std::max(bound.memory, whole.memory);
    part.value = bound.value = whole.total();
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
        SpatialAxes& axes = out[it->index()];
        const std::int64_t elements = problem.tensor(op.output).elements();
        axes = {!(mine & (kKS | kKK)), !(mine & (kSK | kKK)), false, elements};
        if (!problem.hasMaps())
            continue;
        const auto consumers = problem.consumers(op.output);
        const bool keepable = problem.sizeUnits(op.output) < problem.capacityUnits();
        if (!consumers.empty() && problem.viewsOf(op.output).empty()) {
            axes.least = keepable ? elements : 0;
            for (const OpId c : consumers) {
                const std::int64_t read = leastReadOf(problem, op.output, c, out[c.index()].least);
                axes.least = keepable ? std::min(axes.least, read) : std::max(axes.least, read);
            }
        }
        for (const OpId c : consumers)
            for (const TensorId operand : problem.operands(c))
                axes.boxed |=
                    problem.stored(operand) == op.output && (out[c.index()].boxed || problem.map(operand));
        if (axes.boxed) {
            mine = kSS | kSK | kKS | kKK;
            axes.rows = axes.cols = false;
        }
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
