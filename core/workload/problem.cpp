// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/problem.h"

#include "base/integer.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace tilewright {

namespace {

constexpr double kMostEnergy = 1e9; // largest energy in pJ

std::string at(const char* field, std::size_t i)
{
    return std::string(field) + "[" + std::to_string(i) + "]";
}

Error fieldError(std::string path, std::string message)
{
    return {ErrorCode::Problem, std::move(message), std::move(path), {}};
}

std::string shape(const Tensor& t)
{
    return std::to_string(t.height) + " x " + std::to_string(t.width);
}

std::optional<Error> checkHardware(const Hardware& hw)
{
    const auto positive = [](std::int64_t v) { return v >= 1 && v <= kMaxArea; };
    if (!positive(hw.fastMemoryCapacity))
        return fieldError("fast_memory_capacity", "must be a positive integer of at most 2^62");
    if (!positive(hw.slowMemoryBandwidth))
        return fieldError("slow_memory_bandwidth", "must be a positive integer of at most 2^62");
    for (const std::int64_t n : {hw.array.inputs, hw.array.outputs, hw.array.arrays})
        if (n < 1 || n > kMaxDimension)
            return fieldError("array", "inputs, outputs and arrays must be from 1 to 2^31");
    for (const std::int64_t n : {hw.nativeWidth, hw.nativeHeight, hw.nativeDepth.value_or(1)})
        if (n < 1 || n > kMaxDimension)
            return fieldError("native_granularity", "entries must be from 1 to 2^31");
    return std::nullopt;
}

std::optional<Error> checkEnergy(const EnergyCosts& energy, std::size_t ops)
{
    const auto isLegal = [](double v) { return v >= 0 && v <= kMostEnergy; };
    for (const auto& [value, field] :
         {std::pair{energy.slow, "energy.slow"}, std::pair{energy.fast, "energy.fast"}})
        if (!isLegal(value))
            return fieldError(field, "must be a number of pJ from 0 to 10^9");
    for (const auto* list : {&energy.mac, &energy.vector}) {
        const std::string field = list == &energy.mac ? "energy.mac" : "energy.vector";
        if (list->size() != 1 && list->size() != ops)
            return fieldError(field, "must be one number or one number per op (" + std::to_string(ops) +
                                         "), got " + std::to_string(list->size()));
        if (!std::ranges::all_of(*list, isLegal))
            return fieldError(field, "must be numbers of pJ from 0 to 10^9");
    }
    return std::nullopt;
}

std::optional<Error> checkTensors(const IdVector<TensorId, Tensor>& tensors)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& t = tensors[TensorId(i)];
        if (t.width < 1 || t.width > kMaxDimension)
            return fieldError(at("widths", i), "must be from 1 to 2^31");
        if (t.height < 1 || t.height > kMaxDimension)
            return fieldError(at("heights", i), "must be from 1 to 2^31");
        const auto next = checkedAdd(sum, t.elements());
        if (!next || *next > kMaxArea)
            return fieldError(at("widths", i), "the tensors together have more than 2^62 elements");
        sum = *next;
    }
    return std::nullopt;
}

std::optional<Error> checkOp(const Problem::Data& data, std::size_t i)
{
    const Op& op = data.ops[OpId(i)];
    for (std::size_t j = 0; j < op.inputs.size(); ++j)
        if (op.inputs[j].index() >= data.tensors.size())
            return fieldError(at("inputs", i) + "[" + std::to_string(j) + "]",
                              "tensor " + std::to_string(op.inputs[j].value) + " does not exist, there are " +
                                  std::to_string(data.tensors.size()));
    if (op.output.index() >= data.tensors.size())
        return fieldError(at("outputs", i) + "[0]", "tensor " + std::to_string(op.output.value) +
                                                        " does not exist, there are " +
                                                        std::to_string(data.tensors.size()));
    if (op.baseCost < 0 || op.baseCost > kMaxDimension)
        return fieldError(at("base_costs", i), "must be from 0 to 2^31");
    const Tensor& out = data.tensors[op.output];
    if (op.type == OpType::Pointwise) {
        if (op.inputs.empty())
            return fieldError(at("inputs", i), "a Pointwise needs at least one input");
        for (std::size_t j = 0; j < op.inputs.size(); ++j) {
            const Tensor& in = data.tensors[op.inputs[j]];
            if (in.width != out.width || in.height != out.height)
                return fieldError(at("inputs", i) + "[" + std::to_string(j) + "]",
                                  "tensor " + std::to_string(op.inputs[j].value) + " is " + shape(in) +
                                      " but the output of this Pointwise is " + shape(out));
        }
        return std::nullopt;
    }
    if (op.inputs.size() != 2)
        return fieldError(at("inputs", i), "a MatMul needs exactly two inputs (LHS, RHS), got " +
                                               std::to_string(op.inputs.size()));
    const Tensor& lhs = data.tensors[op.inputs[0]];
    const Tensor& rhs = data.tensors[op.inputs[1]];
    if (lhs.width != rhs.height)
        return fieldError(at("inputs", i), "the LHS is " + shape(lhs) + " and the RHS " + shape(rhs) +
                                               ": the width of the LHS must equal the height of the RHS");
    if (lhs.height != out.height || rhs.width != out.width)
        return fieldError(at("outputs", i), "the product of " + shape(lhs) + " and " + shape(rhs) + " is " +
                                                std::to_string(lhs.height) + " x " +
                                                std::to_string(rhs.width) + ", but tensor " +
                                                std::to_string(op.output.value) + " is " + shape(out));
    return std::nullopt;
}

/// Checks R1.7, but not whether views form cycles.
std::optional<Error> checkViews(const Problem::Data& data,
                                const IdVector<TensorId, std::optional<OpId>>& producers)
{
    std::vector<char> isView(data.tensors.size());
    for (std::size_t i = 0; i < data.views.size(); ++i) {
        const TensorView& view = data.views[i];
        const std::string here = at("views", i);
        const auto missing = [&](TensorId t) -> std::optional<std::string> {
            if (t.index() < data.tensors.size())
                return std::nullopt;
            return "tensor " + std::to_string(t.value) + " does not exist, there are " +
                   std::to_string(data.tensors.size());
        };
        if (const auto reason = missing(view.tensor))
            return fieldError(here + "[0]", *reason);
        const std::string name = "tensor " + std::to_string(view.tensor.value);
        if (const auto producer = producers[view.tensor])
            return fieldError(here + "[0]", name + " is produced by op " + std::to_string(producer->value) +
                                                ", a view has no producer");
        if (isView[view.tensor.index()] != 0)
            return fieldError(here + "[0]", name + " is a view already");
        isView[view.tensor.index()] = 1;
        if (view.bases.empty())
            return fieldError(here + "[1]", "a view has at least one base");
        for (std::size_t j = 0; j < view.bases.size(); ++j) {
            const std::string base = here + "[1][" + std::to_string(j) + "]";
            if (const auto reason = missing(view.bases[j]))
                return fieldError(base, *reason);
            if (std::find(view.bases.begin(), view.bases.begin() + static_cast<std::ptrdiff_t>(j),
                          view.bases[j]) != view.bases.begin() + static_cast<std::ptrdiff_t>(j))
                return fieldError(base,
                                  "tensor " + std::to_string(view.bases[j].value) + " is a base already");
        }
        if (view.map && view.bases.size() > 1)
            return fieldError(here + "[1]", "a view with a map has exactly one base, got " +
                                                std::to_string(view.bases.size()));
    }
    for (std::size_t i = 0; i < data.views.size(); ++i)
        for (std::size_t j = 0; j < data.views[i].bases.size(); ++j)
            if (const TensorId base = data.views[i].bases[j]; isView[base.index()] != 0)
                return fieldError(at("views", i) + "[1][" + std::to_string(j) + "]",
                                  "tensor " + std::to_string(base.value) +
                                      " is a view itself, a base must not be one");
    for (std::size_t i = 0; i < data.views.size(); ++i) {
        const TensorView& view = data.views[i];
        if (!view.map)
            continue;
        const Tensor &t = data.tensors[view.tensor], &base = data.tensors[view.bases.front()];
        if (Status s = checkMap(*view.map, {t.height, t.width}, {base.height, base.width}); !s) {
            Error error = s.error();
            error.path = at("views", i) + "[2]" + (error.path.empty() ? "" : "." + error.path);
            return error;
        }
    }
    return std::nullopt;
}

} // namespace

ProblemPtr Problem::withFloor(double time) const
{
    auto out = std::make_shared<Problem>(*this);
    out->m_floor = time;
    return out;
}

Result<ProblemPtr> Problem::build(Data data)
{
    if (auto error = checkHardware(data.hardware))
        return *error;
    if (auto error = checkTensors(data.tensors))
        return *error;
    if (data.ops.empty())
        return fieldError("op_types", "the problem has no op");
    for (std::size_t i = 0; i < data.ops.size(); ++i)
        if (auto error = checkOp(data, i))
            return *error;

    if (data.energy)
        if (auto error = checkEnergy(*data.energy, data.ops.size()))
            return *error;

    auto problem = std::shared_ptr<Problem>(new Problem);
    Problem& p = *problem;
    p.m_producers = IdVector<TensorId, std::optional<OpId>>(data.tensors.size(), std::nullopt);
    p.m_consumers = IdVector<TensorId, std::vector<OpId>>(data.tensors.size(), {});
    for (std::size_t i = 0; i < data.ops.size(); ++i) {
        const Op& op = data.ops[OpId(i)];
        auto& producer = p.m_producers[op.output];
        if (producer)
            return fieldError(at("outputs", i), "tensor " + std::to_string(op.output.value) +
                                                    " is already produced by op " +
                                                    std::to_string(producer->value));
        producer = OpId(i);
    }
    if (auto error = checkViews(data, p.m_producers))
        return *error;
    p.m_data = std::move(data);
    p.readThroughMaps();
    if (auto error = p.countUnits())
        return *error;
    for (std::size_t i = 0; i < p.opCount(); ++i)
        for (const TensorId t : p.op(OpId(i)).inputs)
            if (p.m_consumers[t].empty() || p.m_consumers[t].back() != OpId(i))
                p.m_consumers[t].push_back(OpId(i));
    if (!p.m_data.views.empty()) {
        p.m_bases = p.m_views = IdVector<TensorId, std::vector<TensorId>>(p.tensorCount(), {});
        for (const TensorView& view : p.m_data.views) {
            p.m_bases[view.tensor] = view.bases;
            if (!p.m_consumers[view.tensor].empty()) // a view without readers adds no edge
                for (const TensorId base : view.bases)
                    p.m_views[base].push_back(view.tensor);
        }
        for (auto& views : p.m_views)
            std::sort(views.begin(), views.end());
    }

    std::vector<std::size_t> missing(p.opCount(), 0);
    std::priority_queue<OpId, std::vector<OpId>, std::greater<>> ready;
    for (std::size_t i = 0; i < p.opCount(); ++i) {
        std::vector<TensorId> distinct = p.op(OpId(i)).inputs;
        for (const TensorId t : p.op(OpId(i)).inputs)
            distinct.insert(distinct.end(), p.bases(t).begin(), p.bases(t).end());
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (const TensorId t : distinct)
            missing[i] += p.m_producers[t].has_value();
        if (missing[i] == 0)
            ready.push(OpId(i));
    }
    while (!ready.empty()) {
        const OpId o = ready.top();
        ready.pop();
        p.m_topologicalOrder.push_back(o);
        const auto release = [&](std::span<const OpId> readers) {
            for (const OpId c : readers)
                if (--missing[c.index()] == 0)
                    ready.push(c);
        };
        const TensorId out = p.op(o).output;
        if (p.viewsOf(out).empty())
            release(p.m_consumers[out]);
        else
            release(p.readers(out));
    }
    if (p.m_topologicalOrder.size() != p.opCount()) {
        const auto stuck = static_cast<std::size_t>(
            std::find_if(missing.begin(), missing.end(), [](std::size_t m) { return m > 0; }) -
            missing.begin());
        return fieldError(at("inputs", stuck),
                          "op " + std::to_string(stuck) + " waits for its own result: the graph has a cycle" +
                              (p.m_data.views.empty() ? "" : " (edges through views included)"));
    }
    for (std::size_t i = 0; i < p.tensorCount(); ++i) {
        if (p.isGraphInput(TensorId(i)))
            p.m_graphInputs.emplace_back(i);
        if (p.isGraphOutput(TensorId(i)))
            p.m_graphOutputs.emplace_back(i);
    }
    return ProblemPtr(problem);
}

/// Lists the maps, and the ops with bases in place of views with maps (R1.8).
void Problem::readThroughMaps()
{
    const auto& views = m_data.views;
    if (std::ranges::none_of(views, [](const TensorView& v) { return v.map.has_value(); }))
        return;
    m_maps = IdVector<TensorId, std::optional<std::size_t>>(tensorCount(), std::nullopt);
    m_volumes.assign(views.size(), 0);
    for (std::size_t i = 0; i < views.size(); ++i)
        if (views[i].map) {
            const Tensor& t = m_data.tensors[views[i].tensor];
            m_maps[views[i].tensor] = i;
            m_volumes[i] = footprint(*views[i].map, {0, t.height, 0, t.width}).volume;
        }
    m_graphOps = m_data.ops;
    for (Op& op : m_graphOps)
        for (TensorId& t : op.inputs)
            if (const auto i = m_maps[t])
                t = views[*i].bases.front();
}

/// Checks the widths, and finds the largest unit of which all widths are multiples (R1.9).
std::optional<Error> Problem::countUnits()
{
    auto& tensors = m_data.tensors;
    const auto isLegal = [](std::int64_t bits) { return bits >= 1 && bits <= kWidestElement; };
    const bool widths = std::ranges::any_of(tensors, [](const Tensor& t) { return t.bits != 0; });
    if (m_data.elementBits && !isLegal(*m_data.elementBits))
        return fieldError("element_bits", "must be above 0 and at most 64");
    if (m_data.accumulatorBits && !isLegal(*m_data.accumulatorBits))
        return fieldError("accumulator_bits", "must be above 0 and at most 64");
    if (widths && !m_data.elementBits)
        return fieldError("bits", "needs element_bits, the width that capacity and bandwidth count");
    const std::int64_t element = m_data.elementBits.value_or(kPartsOfBit);
    m_bitsPerUnit = static_cast<double>(element) / static_cast<double>(kPartsOfBit);
    std::int64_t unit = std::gcd(element, m_data.accumulatorBits.value_or(element));
    if (widths)
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            Tensor& t = tensors[TensorId(i)];
            if (t.bits == 0)
                t.bits = element;
            if (!isLegal(t.bits))
                return fieldError(at("bits", i), "must be above 0 and at most 64");
            unit = std::gcd(unit, t.bits);
        }
    for (std::size_t i = 0; widths && i < m_data.views.size(); ++i)
        for (const TensorId base : m_data.views[i].bases)
            if (const TensorId view = m_data.views[i].tensor; tensors[view].bits != tensors[base].bits)
                return fieldError(at("bits", view.index()),
                                  "the width of a view must be that of its base, tensor " +
                                      std::to_string(base.value));
    m_unitsPerElement = element / unit;
    m_accumulatorUnits = m_data.accumulatorBits.value_or(0) / unit;
    m_bitsPerUnit /= static_cast<double>(m_unitsPerElement);
    const std::int64_t most = kMaxArea / m_unitsPerElement;
    if (m_data.hardware.fastMemoryCapacity > most)
        return fieldError("fast_memory_capacity", "is above 2^62 units of the widths in bits");
    if (m_data.hardware.slowMemoryBandwidth > most)
        return fieldError("slow_memory_bandwidth", "is above 2^62 units of the widths in bits");
    if (!widths && m_unitsPerElement == 1 && m_accumulatorUnits <= 1)
        return std::nullopt;
    m_units = IdVector<TensorId, std::int64_t>(tensorCount(), m_unitsPerElement);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const TensorId t(i);
        if (widths)
            m_units[t] = tensors[t].bits / unit;
        sum =
            saturatingAdd(sum, saturatingMul(tensors[t].elements(), std::max(units(t), accumulatorUnits(t))));
        if (sum > kMaxArea)
            return fieldError(at("widths", i), "the tensors together have more than 2^62 units of bits");
    }
    return std::nullopt;
}

double Problem::energyOf(OpId o) const
{
    const auto& list = op(o).type == OpType::MatMul ? m_data.energy->mac : m_data.energy->vector;
    return list.size() == 1 ? list.front() : list[o.index()];
}

std::string Problem::opName(OpId o) const
{
    return op(o).name.empty() ? "op" + std::to_string(o.value) : op(o).name;
}

std::string Problem::tensorName(TensorId t) const
{
    return tensor(t).name.empty() ? "t" + std::to_string(t.value) : tensor(t).name;
}

std::int64_t Problem::reductionSize(OpId o) const
{
    return op(o).type == OpType::MatMul ? tensor(operands(o)[0]).width : 1;
}

std::vector<OpId> Problem::readers(TensorId t) const
{
    std::vector<OpId> out = m_consumers[t];
    for (const TensorId view : viewsOf(t))
        out.insert(out.end(), m_consumers[view].begin(), m_consumers[view].end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::vector<OpId> Problem::sources(TensorId t) const
{
    std::vector<OpId> out;
    if (const auto producer = m_producers[t])
        out.push_back(*producer);
    for (const TensorId base : bases(t))
        if (const auto producer = m_producers[base])
            out.push_back(*producer);
    std::sort(out.begin(), out.end());
    return out;
}

Boundary boundaryOf(const Problem& problem, std::span<const OpId> ops)
{
    const auto sortUnique = [](std::vector<TensorId>& v) {
        std::sort(v.begin(), v.end());
        v.erase(std::unique(v.begin(), v.end()), v.end());
    };
    if (ops.size() == 1) { // fast path for the usual case during editing
        const Op& op = problem.op(ops.front());
        Boundary out;
        out.inputs.assign(op.inputs.begin(), op.inputs.end());
        sortUnique(out.inputs);
        out.sinks = {op.output};
        return out;
    }
    std::vector<TensorId> produced;
    std::vector<TensorId> consumed;
    for (const OpId o : ops) {
        produced.push_back(problem.op(o).output);
        consumed.insert(consumed.end(), problem.op(o).inputs.begin(), problem.op(o).inputs.end());
    }
    sortUnique(consumed);
    Boundary out;
    for (const TensorId t : produced)
        (std::binary_search(consumed.begin(), consumed.end(), t) ? out.interior : out.sinks).push_back(t);
    sortUnique(produced);
    sortUnique(out.interior);
    std::set_difference(consumed.begin(), consumed.end(), produced.begin(), produced.end(),
                        std::back_inserter(out.inputs));
    return out;
}

Reachability::Reachability(const Problem& problem) : m_words((problem.opCount() + 63) / 64)
{
    m_bits.assign(problem.opCount() * m_words, 0);
    const auto& order = problem.topologicalOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        std::uint64_t* row = &m_bits[it->index() * m_words];
        for (const OpId c : problem.readers(problem.op(*it).output)) {
            row[c.index() / 64] |= std::uint64_t{1} << (c.index() % 64);
            const std::uint64_t* next = &m_bits[c.index() * m_words];
            for (std::size_t w = 0; w < m_words; ++w)
                row[w] |= next[w];
        }
    }
}

ViewReading viewReading(const Problem& problem, TensorId view)
{
    const Tensor& t = problem.tensor(view);
    const auto bases = problem.bases(view);
    ViewReading out;
    out.elements = t.elements();
    if (problem.map(view))
        out.kind = ViewKind::Mapped;
    for (const TensorId base : bases)
        out.baseElements = saturatingAdd(out.baseElements, problem.tensor(base).elements());
    if (problem.map(view))
        return out;
    if (bases.size() > 1) {
        out.kind = out.elements == out.baseElements ? ViewKind::Concatenation : ViewKind::Gather;
        return out;
    }
    const Tensor& base = problem.tensor(bases.front());
    const bool transposed = t.height == base.width && t.width == base.height && t.height != t.width;
    out.kind = out.elements < out.baseElements   ? ViewKind::Slice
               : out.elements > out.baseElements ? ViewKind::Patches
               : transposed                      ? ViewKind::Transposition
                                                 : ViewKind::Rearrangement;
    return out;
}

std::string opNames(const Problem& problem, std::span<const OpId> ops)
{
    constexpr std::size_t kRoom = 60; // number of characters
    std::string out;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const std::string& name = problem.op(ops[i]).name;
        if (name.empty())
            continue;
        if (!out.empty() && out.size() + name.size() > kRoom)
            return out + " and " + std::to_string(ops.size() - i) + " more";
        out += (out.empty() ? "" : ", ") + name;
    }
    return out;
}

} // namespace tilewright
