// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that become MatMuls (docs/rules/workload.md 3.3): products, attention, recurrent operators, sums.
#include "lower/problem_lowering.h"

#include <algorithm>
#include <numeric>

namespace tilewright::lower {

using model::Operator;
using model::OperatorKind;
using model::Shape;

namespace {

void append(std::vector<Axis>& list, const Placement& p, const std::vector<std::size_t>& dimensions)
{
    for (const std::size_t d : dimensions)
        list.push_back({p.shape[d], p.strides[d]});
}

/// Offset of the part of a placement at one index of some dimensions, whose sizes are broadcast.
std::int64_t offsetAt(const Placement& p, const std::vector<std::size_t>& dimensions,
                      const std::vector<std::int64_t>& index)
{
    std::int64_t offset = p.offset;
    for (std::size_t i = 0; i < dimensions.size(); ++i)
        if (p.shape[dimensions[i]] > 1)
            offset += index[i] * p.strides[dimensions[i]];
    return offset;
}

Placement transposedLast(Placement p)
{
    std::swap(p.shape[p.shape.size() - 1], p.shape[p.shape.size() - 2]);
    std::swap(p.strides[p.strides.size() - 1], p.strides[p.strides.size() - 2]);
    return p;
}

} // namespace

Status ProblemLowering::matMul(const Operator& op)
{
    const auto& t = op.as<model::MatMulAttributes>();
    const Placement a = t.transposeA ? transposedLast(at(op.inputs[0])) : at(op.inputs[0]);
    const Placement b = t.transposeB ? transposedLast(at(op.inputs[1])) : at(op.inputs[1]);
    const ModelTensorId out = op.outputs[0];
    const Shape& shape = tensor(out).shape;
    const std::size_t rank = shape.size();
    const bool biased = op.inputs.size() > 2 && !isConstant(op.inputs[2]);
    if (op.inputs.size() > 2 && !biased)
        leaveOut(op.inputs[2]);
    const std::string name = biased ? partName(op, "product") : partName(op, {});
    const std::string result = tensor(out).name + (biased ? ".product" : "");
    SourceId product = 0;
    if (model::elementsOf(std::span(b.shape).first(b.shape.size() - 2)) == 1) {
        Arrangement lhs{a.source, a.offset, {}, {}}, rhs{b.source, b.offset, {}, {}};
        for (std::size_t d = 0; d + 1 < a.shape.size(); ++d)
            lhs.addRows(a.shape[d], a.strides[d]);
        lhs.addCols(a.shape.back(), a.strides.back());
        rhs.addRows(b.shape[b.shape.size() - 2], b.strides[b.shape.size() - 2]);
        rhs.addCols(b.shape.back(), b.strides.back());
        product = matmul(lhs, rhs, name, result);
    } else {
        // One MatMul per index of the batch.
        const auto dimension = [&](const Placement& p, std::size_t d) -> std::optional<std::size_t> {
            const std::size_t lead = rank - p.shape.size();
            return d < lead ? std::nullopt : std::optional(d - lead);
        };
        const std::int64_t count = model::elementsOf(std::span(shape).first(rank - 2));
        if (Status s = room(op, count); !s)
            return s;
        std::vector<SourceId> parts;
        for (std::int64_t i = 0; i < count; ++i) {
            Arrangement lhs{a.source, a.offset, {}, {}}, rhs{b.source, b.offset, {}, {}};
            std::int64_t rest = i;
            for (std::size_t d = rank - 2; d-- > 0;) {
                const std::int64_t index = rest % shape[d];
                rest /= shape[d];
                if (const auto da = dimension(a, d); da && a.shape[*da] > 1)
                    lhs.offset += index * a.strides[*da];
                if (const auto db = dimension(b, d); db && b.shape[*db] > 1)
                    rhs.offset += index * b.strides[*db];
            }
            lhs.addRows(a.shape[a.shape.size() - 2], a.strides[a.shape.size() - 2]);
            lhs.addCols(a.shape.back(), a.strides.back());
            rhs.addRows(b.shape[b.shape.size() - 2], b.strides[b.shape.size() - 2]);
            rhs.addCols(b.shape.back(), b.strides.back());
            const std::int64_t part = count > 1 ? i : -1;
            parts.push_back(matmul(lhs, rhs, count > 1 ? partName(op, "product", part) : name,
                                   count > 1 ? result + "[" + std::to_string(i) + "]" : result));
        }
        product = stacked(parts, shape);
    }
    place(out, placed(product, shape));
    if (!biased)
        return Unit{};
    const auto order = kindOrder(shape, false);
    const TensorId left = m_table.read(arranged(at(out), order), result);
    const TensorId bias = m_table.read(arranged(broadcastTo(at(op.inputs[2]), shape), order),
                                       tensor(op.inputs[2]).name + ".broadcast");
    place(out,
          placed(pointwise({left, bias}, m_machine.passes.elementwise, partName(op, "add"), tensor(out).name),
                 shape));
    return Unit{};
}

Status ProblemLowering::einsum(const Operator& op)
{
    const model::EinsumRoles r = *model::einsumRoles(op.as<model::EinsumAttributes>().equation);
    const Placement &a = at(op.inputs[0]), &b = at(op.inputs[1]);
    const auto find = [](const std::string& in, const std::string& letters) {
        std::vector<std::size_t> out;
        for (const char c : letters)
            out.push_back(in.find(c));
        return out;
    };
    const auto batchA = find(r.lhs, r.batch), batchB = find(r.rhs, r.batch);
    Shape index;
    for (const std::size_t d : batchA)
        index.push_back(a.shape[d]);
    const std::int64_t count = model::elementsOf(index);
    if (Status s = room(op, count); !s)
        return s;
    const ModelTensorId out = op.outputs[0];
    std::vector<SourceId> parts;
    for (std::int64_t i = 0; i < count; ++i) {
        std::vector<std::int64_t> position(index.size());
        std::int64_t rest = i;
        for (std::size_t d = index.size(); d-- > 0; rest /= index[d])
            position[d] = rest % index[d];
        Arrangement lhs{a.source, offsetAt(a, batchA, position), {}, {}};
        Arrangement rhs{b.source, offsetAt(b, batchB, position), {}, {}};
        append(lhs.rows, a, find(r.lhs, r.m));
        append(lhs.cols, a, find(r.lhs, r.k));
        append(rhs.rows, b, find(r.rhs, r.k));
        append(rhs.cols, b, find(r.rhs, r.n));
        parts.push_back(matmul(lhs, rhs, count > 1 ? partName(op, "product", i) : partName(op, {}),
                               tensor(out).name + (count > 1 ? "[" + std::to_string(i) + "]" : "")));
    }
    // The products are stored as [batch, m, n]. The letters of the result tell where each dimension is.
    const std::string lies = r.batch + r.m + r.n;
    Shape shape;
    for (const char c : lies)
        shape.push_back(tensor(out).shape[r.out.find(c)]);
    const Placement whole = placed(stacked(parts, shape), shape);
    Placement p{whole.source, 0, tensor(out).shape, {}};
    for (const char c : r.out)
        p.strides.push_back(whole.strides[lies.find(c)]);
    place(out, std::move(p));
    return Unit{};
}

Status ProblemLowering::attention(const Operator& op)
{
    const auto& a = op.as<model::AttentionAttributes>();
    const std::int64_t kvHeads = a.kvHeads > 0 ? a.kvHeads : a.heads;
    const ModelTensorId out = op.outputs[0];
    const model::HeadShape q = *model::headShape(tensor(op.inputs[0]).shape, a.heads);
    const model::HeadShape k = *model::headShape(tensor(op.inputs[1]).shape, kvHeads);
    const model::HeadShape v = *model::headShape(tensor(op.inputs[2]).shape, kvHeads);
    /// Position of one head in a tensor: offset, stride of a token and stride of a dimension.
    struct Head
    {
        std::int64_t offset, token, dim;
    };
    const auto head = [&](ModelTensorId t, const model::HeadShape& s, std::int64_t b, std::int64_t h) {
        const Placement& p = at(t);
        if (p.shape.size() == 2)
            return Head{p.offset + h * s.dims * p.strides[1], p.strides[0], p.strides[1]};
        return Head{p.offset + b * p.strides[0] + h * p.strides[1], p.strides[2], p.strides[3]};
    };
    if (Status s = room(op, saturatingMul(3, saturatingMul(q.batch, q.heads))); !s)
        return s;
    std::vector<SourceId> contexts;
    for (std::int64_t b = 0; b < q.batch; ++b)
        for (std::int64_t h = 0; h < q.heads; ++h) {
            const std::int64_t i = q.batch * q.heads > 1 ? b * q.heads + h : -1;
            const Head hq = head(op.inputs[0], q, b, h);
            const Head hk = head(op.inputs[1], k, b, h / (q.heads / k.heads));
            const Head hv = head(op.inputs[2], v, b, h / (q.heads / v.heads));
            const Arrangement queries{
                at(op.inputs[0]).source, hq.offset, {{q.tokens, hq.token}}, {{q.dims, hq.dim}}};
            const Arrangement keys{
                at(op.inputs[1]).source, hk.offset, {{k.dims, hk.dim}}, {{k.tokens, hk.token}}};
            const Arrangement values{
                at(op.inputs[2]).source, hv.offset, {{v.tokens, hv.token}}, {{v.dims, hv.dim}}};
            const std::string scoresName = partName(op, "scores", i),
                              softmaxName = partName(op, "softmax", i);
            const SourceId scores = matmul(queries, keys, scoresName, scoresName);
            const SourceId weights =
                pointwise({m_table.tensorOf(scores)}, passesOf(op), softmaxName, softmaxName);
            const Arrangement probabilities{weights, 0, {{q.tokens, k.tokens}}, {{k.tokens, 1}}};
            const std::string contextName = partName(op, "context", i);
            contexts.push_back(
                matmul(probabilities, values, contextName,
                       i < 0 ? tensor(out).name : tensor(out).name + "[" + std::to_string(i) + "]"));
        }
    const Shape& shape = tensor(out).shape;
    const SourceId all = shape.size() == 4 || contexts.size() == 1
                             ? stacked(contexts, shape)
                             : m_table.addRearranged("heads", contexts, model::elementsOf(shape));
    place(out, placed(all, shape));
    m_status = NodeStatus::Approximated;
    m_note = "the softmax between its products needs whole rows, which is not modelled";
    return Unit{};
}

/// Lowers a recurrent operator. Each step has products with the input and with the previous state, then one
/// Pointwise for the cell and one for the state.
Status ProblemLowering::recurrent(const Operator& op)
{
    const std::int64_t hidden = op.as<model::RecurrentAttributes>().hidden;
    const bool lstm = op.kind == OperatorKind::Lstm;
    const Placement x = at(op.inputs[0]), w = at(op.inputs[1]), r = at(op.inputs[2]);
    const std::int64_t steps = x.shape[0], batch = x.shape[1], directions = w.shape[0], gates = w.shape[1];
    for (std::size_t i = 3; i < op.inputs.size(); ++i)
        if (isConstant(op.inputs[i]))
            leaveOut(op.inputs[i]);
    if (Status s = room(op, saturatingMul(5 * directions, steps)); !s)
        return s;
    const std::int64_t passes = m_machine.passes.elementwise;
    std::vector<SourceId> states(static_cast<std::size_t>(steps * directions));
    for (std::int64_t d = 0; d < directions; ++d) {
        const std::string way = directions > 1 ? ".direction" + std::to_string(d) : "";
        SourceId state =
            m_table.addInput(partName(op, {}) + way + ".state", batch, hidden, true, m_resultBits);
        SourceId cell = m_table.addInput(partName(op, {}) + way + ".cell", batch, hidden, true, m_resultBits);
        const Arrangement weights{
            w.source, w.offset + d * w.strides[0], {{w.shape[2], w.strides[2]}}, {{gates, w.strides[1]}}};
        const Arrangement recurrentWeights{
            r.source, r.offset + d * r.strides[0], {{hidden, r.strides[2]}}, {{gates, r.strides[1]}}};
        for (std::int64_t step = 0; step < steps; ++step) {
            const std::int64_t t = d == 0 ? step : steps - 1 - step;
            const std::int64_t i = d * steps + t;
            const Arrangement input{
                x.source, x.offset + t * x.strides[0], {{batch, x.strides[1]}}, {{x.shape[2], x.strides[2]}}};
            const Arrangement before{state, 0, {{batch, hidden}}, {{hidden, 1}}};
            const auto name = [&](const char* part) { return partName(op, part, i); };
            const SourceId fromInput = matmul(input, weights, name("input"), name("input"));
            const SourceId fromState = matmul(before, recurrentWeights, name("state"), name("state"));
            // An RNN has a single gate, which is the new state.
            const bool isState = op.kind == OperatorKind::Rnn;
            const char* const sumPart = isState ? "output" : "gates";
            const SourceId sum = pointwise({m_table.tensorOf(fromInput), m_table.tensorOf(fromState)}, passes,
                                           name(sumPart), name(sumPart));
            std::vector<TensorId> read;
            for (std::int64_t gate = 0; !isState && gate < gates / hidden; ++gate)
                read.push_back(m_table.read({sum, gate * hidden, {{batch, gates}}, {{hidden, 1}}},
                                            name("gate") + "." + std::to_string(gate)));
            if (isState) {
                state = sum;
            } else if (lstm) {
                std::vector<TensorId> forCell = read;
                forCell.push_back(m_table.read({cell, 0, {{batch, hidden}}, {{hidden, 1}}}, name("cell")));
                cell = pointwise(std::move(forCell), passes, name("cell"), name("cell"));
                state = pointwise({m_table.tensorOf(cell), read[0]}, passes, name("output"), name("output"));
            } else {
                read.push_back(m_table.read(before, name("before")));
                state = pointwise(std::move(read), passes, name("output"), name("output"));
            }
            states[static_cast<std::size_t>(t * directions + d)] = state;
        }
    }
    place(op.outputs[0], placed(stacked(states, tensor(op.outputs[0]).shape), tensor(op.outputs[0]).shape));
    return Unit{};
}

/// Lowers a reduction to a product with ones, along the columns or along the rows, whichever needs no view.
Status ProblemLowering::reduce(const Operator& op)
{
    const Placement x = at(op.inputs[0]);
    const std::size_t rank = x.shape.size();
    std::vector<bool> gone(rank, false);
    if (op.kind == OperatorKind::GlobalPool) {
        gone[2] = gone[3] = true;
    } else {
        const auto& axes = op.as<model::ReduceAttributes>().axes;
        for (const std::int64_t axis : axes)
            gone[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis)] = true;
        if (axes.empty())
            gone.assign(rank, true);
    }
    std::vector<std::size_t> kept, summed;
    for (std::size_t d = 0; d < rank; ++d)
        (gone[d] ? summed : kept).push_back(d);
    const auto arrange = [&](const std::vector<std::size_t>& rows, const std::vector<std::size_t>& cols) {
        Arrangement a{x.source, x.offset, {}, {}};
        append(a.rows, x, rows);
        append(a.cols, x, cols);
        return a;
    };
    const Arrangement alongCols = arrange(kept, summed), alongRows = arrange(summed, kept);
    const bool rows = !m_table.isMatrix(alongCols) && m_table.isMatrix(alongRows);
    std::int64_t length = 1;
    for (const std::size_t d : summed)
        length *= x.shape[d];
    const std::string name = partName(op, {}), result = tensor(op.outputs[0]).name;
    const SourceId ones =
        m_table.addInput(name + ".ones", rows ? 1 : length, rows ? length : 1, true, m_table.bits(x.source));
    const Arrangement vector =
        rows ? Arrangement{ones, 0, {}, {{length, 1}}} : Arrangement{ones, 0, {{length, 1}}, {}};
    const SourceId sum =
        rows ? matmul(vector, alongRows, name, result, true) : matmul(alongCols, vector, name, result, true);
    place(op.outputs[0], placed(sum, tensor(op.outputs[0]).shape));
    m_status = NodeStatus::Approximated;
    m_note = "a product with a vector of ones, which is no work of the model";
    return Unit{};
}

} // namespace tilewright::lower
