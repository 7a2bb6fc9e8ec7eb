// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/npu_model.h"

#include "base/integer.h"
#include "base/text.h"

#include <algorithm>

namespace tilewright::lower {

using model::Operator;
using model::OperatorKind;
using model::Shape;

namespace {

constexpr std::size_t kMaxNpuOps = 200'000;

class NpuLowering
{
public:
    NpuLowering(const model::Model& model, const Machine& machine) : m_model(model)
    {
        m_out.model.name = model.name;
        m_out.model.dtypeBytes = static_cast<int>(machine.elementBytes);
        m_out.nodes.resize(model.operators.size());
    }

    Result<LoweredNpu> run()
    {
        for (const model::Tensor& t : m_model.tensors)
            (void)m_out.model.addTensor(t.name, npuShape(t.shape), t.ownBits());
        for (const OperatorId o : model::operatorOrder(m_model)) {
            m_current = o;
            const Operator& op = m_model.operators[o];
            NodeReport& node = m_out.nodes[o.index()];
            node.name =
                op.name.empty() && !op.outputs.empty() ? m_model.tensors[op.outputs[0]].name : op.name;
            node.type = op.typeName();
            node.macs = model::macsOf(m_model, op);
            for (const auto* list : {&op.inputs, &op.outputs})
                for (const ModelTensorId t : *list)
                    node.bytes = saturatingAdd(node.bytes, m_model.bytes(t));
            m_node = &node;
            lower(op);
            if (m_full || m_out.model.ops.size() > kMaxNpuOps)
                return problemError("ops[" + std::to_string(o.value) + "]", "the NPU model has more than " +
                                                                                formatGrouped(kMaxNpuOps) +
                                                                                " operators up to here");
        }
        if (Status s = npu::checkModel(m_out.model); !s)
            return s.error();
        return std::move(m_out);
    }

private:
    /// Joins leading dimensions, so that the shape has from one to `most` dimensions.
    static Shape npuShape(const Shape& shape, std::size_t most = npu::kMaxRank)
    {
        Shape out = shape.empty() ? Shape{1} : shape;
        while (out.size() > most) {
            out[1] *= out[0];
            out.erase(out.begin());
        }
        return out;
    }

    [[nodiscard]] const Shape& shape(std::size_t t) const { return m_out.model.tensors[t].shape; }

    npu::ModelOp& add(npu::OpType type, const std::string& name, std::vector<std::size_t> inputs,
                      std::size_t output)
    {
        npu::ModelOp op;
        op.type = type;
        op.name = name;
        op.inputs = std::move(inputs);
        op.outputs = {output};
        m_out.model.ops.push_back(std::move(op));
        m_out.source.push_back(m_current);
        return m_out.model.ops.back();
    }

    std::size_t addTensor(const std::string& name, Shape s, std::int64_t bits = 0)
    {
        return m_out.model.addTensor(name + "." + std::to_string(m_out.model.tensors.size()), std::move(s),
                                     bits);
    }

    [[nodiscard]] bool hasRoom(std::int64_t more) const
    {
        return saturatingAdd(more, static_cast<std::int64_t>(m_out.model.ops.size())) <=
               static_cast<std::int64_t>(kMaxNpuOps);
    }

    void note(NodeStatus status, std::string text)
    {
        m_node->status = status;
        m_node->note = std::move(text);
    }

    void view(const std::string& name, std::vector<std::size_t> inputs, std::size_t output)
    {
        add(npu::OpType::View, name, std::move(inputs), output);
    }

    /// Returns the tensor under a shape that the lens accepts: a constant is stored in this shape, any other
    /// tensor gets a view. `moved`: the elements are in another order, even if the shape is the same.
    std::size_t as(ModelTensorId t, Shape wanted, bool moved = false)
    {
        if (shape(t.index()) == wanted && !moved)
            return t.index();
        const model::Tensor& tensor = m_model.tensors[t];
        const std::size_t out = addTensor(tensor.name, std::move(wanted), tensor.ownBits());
        if (!tensor.constant)
            view(m_node->name + "/" + tensor.name, {t.index()}, out);
        return out;
    }

    /// Adds a product, or a batch of products, and gives its result the shape of a tensor of the model.
    void product(std::size_t lhs, std::size_t rhs, Shape made, ModelTensorId result, bool moved = false)
    {
        const bool same = shape(result.index()) == made && !moved;
        const std::size_t out =
            same ? result.index()
                 : addTensor(m_node->name, std::move(made), m_model.tensors[result].ownBits());
        add(npu::OpType::MatMul, m_node->name, {lhs, rhs}, out);
        if (!same)
            view(m_node->name + "/result", {out}, result.index());
    }

    /// Adds vector work over tensors of one shape. If there are more than the lens reads at once, they are
    /// added up in several steps.
    void vectorSum(const std::string& name, std::vector<std::size_t> inputs, std::size_t output)
    {
        constexpr std::size_t kAtOnce = 8; // maximum number of operands of an elementwise operator
        while (inputs.size() > kAtOnce) {
            const std::vector<std::size_t> some(inputs.end() - kAtOnce, inputs.end());
            inputs.resize(inputs.size() - kAtOnce);
            const std::size_t sum = addTensor(name, shape(output));
            add(npu::OpType::Elementwise, name, some, sum).passes = kAtOnce;
            inputs.push_back(sum);
        }
        const auto passes = static_cast<std::int64_t>(inputs.size());
        add(npu::OpType::Elementwise, name, std::move(inputs), output).passes = passes;
    }

    static std::vector<std::size_t> indices(const std::vector<ModelTensorId>& tensors)
    {
        std::vector<std::size_t> out;
        out.reserve(tensors.size());
        for (const ModelTensorId t : tensors)
            out.push_back(t.index());
        return out;
    }

    void lower(const Operator& op)
    {
        switch (op.kind) {
        case OperatorKind::MatMul:
            return matMul(op);
        case OperatorKind::Conv2d:
            return conv(op);
        case OperatorKind::Attention:
            return attention(op);
        case OperatorKind::Einsum:
            return einsum(op);
        case OperatorKind::ConvTranspose2d:
            return transposedConvolution(op);
        case OperatorKind::Lstm:
        case OperatorKind::Gru:
        case OperatorKind::Rnn:
            return recurrent(op);
        case OperatorKind::Softmax:
        case OperatorKind::LayerNorm:
        case OperatorKind::RmsNorm:
        case OperatorKind::Elementwise:
        case OperatorKind::BatchNorm:
        case OperatorKind::Rotary:
            return vectorOp(op);
        case OperatorKind::KvAppend:
            if (op.inputs.size() == 1)
                return kvAppend(op);
            break;
        case OperatorKind::Unknown:
            m_node->macsKnown = false;
            m_node->needed = true;
            return note(NodeStatus::Dropped,
                        "nothing is known of this operator: what it gives is taken as an input");
        case OperatorKind::MaxPool:
        case OperatorKind::AveragePool:
        case OperatorKind::GlobalPool:
        case OperatorKind::Reduce:
            return reduction(op);
        default:
            break;
        }
        rest(op, "a view: a load of its bytes");
    }

    void rest(const Operator& op, std::string text)
    {
        for (const ModelTensorId out : op.outputs)
            view(m_node->name, indices(op.inputs), out.index());
        note(NodeStatus::Approximated, std::move(text));
    }

    void reduction(const Operator& op)
    {
        for (const ModelTensorId out : op.outputs) {
            npu::ModelOp& made = add(npu::OpType::View, m_node->name, {op.inputs[0].index()}, out.index());
            const auto* pool = std::get_if<model::WindowAttributes>(&op.attributes);
            made.passes = std::clamp<std::int64_t>(pool ? saturatingMul(pool->kernel[0], pool->kernel[1])
                                                        : m_out.model.reductionOf(made),
                                                   1, kMaxDimension);
        }
        note(NodeStatus::Approximated,
             "a vector node for each block of its result, which reads its share of the operand");
    }

    void matMul(const Operator& op)
    {
        const auto& t = op.as<model::MatMulAttributes>();
        const Shape &a = m_model.shape(op.inputs[0]), &b = m_model.shape(op.inputs[1]);
        const std::int64_t batches = model::elementsOf(std::span(b).first(b.size() - 2));
        const std::int64_t k = t.transposeA ? a[a.size() - 2] : a.back();
        const std::int64_t n = t.transposeB ? b[b.size() - 2] : b.back();
        const ModelTensorId result = op.outputs[0];
        const bool biased = op.inputs.size() > 2 && !m_model.tensors[op.inputs[2]].constant;
        if (batches == 1 && (!t.transposeA || a.size() == 2)) {
            const std::int64_t m = model::elementsOf(a) / k;
            const std::size_t lhs = as(op.inputs[0], {m, k}, t.transposeA);
            return product(lhs, as(op.inputs[1], {k, n}), {m, n}, result, biased);
        }
        const std::int64_t m = t.transposeA ? a.back() : a[a.size() - 2];
        const Shape& out = m_model.shape(result);
        const Shape lead = npuShape(Shape(out.begin(), out.end() - 2), 2);
        product(batchOf(op.inputs[0], lead, out, {m, k}, t.transposeA),
                batchOf(op.inputs[1], lead, out, {k, n}, t.transposeB), with(lead, {m, n}), result, biased);
    }

    static Shape with(Shape lead, const Shape& matrix)
    {
        lead.insert(lead.end(), matrix.begin(), matrix.end());
        return lead;
    }

    /// Returns an operand of a batch of products as matrices with the batch dimensions `lead`, into which the
    /// leading dimensions of the result were joined. An operand with fewer dimensions is the same for several
    /// products.
    std::size_t batchOf(ModelTensorId t, const Shape& lead, const Shape& result, const Shape& matrix,
                        bool transposed)
    {
        const Shape& own = m_model.shape(t);
        const std::size_t batches = result.size() - 2, missing = result.size() - own.size();
        const auto size = [&](std::size_t d) { return d < missing ? 1 : own[d - missing]; };
        Shape joined;
        bool whole = true; // true if every joined dimension equals that of the result, or is 1
        for (std::size_t g = 0, d = 0; g < lead.size(); ++g) {
            const std::size_t end = g + 1 == lead.size() ? batches : d + 1 + (batches - lead.size());
            std::int64_t product = 1;
            for (; d < end; ++d)
                product *= size(d);
            joined.push_back(product);
            whole &= product == 1 || product == lead[g];
        }
        if (!whole)
            joined = lead;
        while (joined.size() + 2 > shape(t.index()).size() && joined.front() == 1)
            joined.erase(joined.begin());
        return as(t, with(joined, matrix), transposed);
    }

    void einsum(const Operator& op)
    {
        const model::EinsumRoles r = *model::einsumRoles(op.as<model::EinsumAttributes>().equation);
        const Shape &a = m_model.shape(op.inputs[0]), &b = m_model.shape(op.inputs[1]);
        const auto extent = [&](const std::string& letters) {
            std::int64_t out = 1;
            for (const char c : letters)
                out *= r.lhs.find(c) != std::string::npos ? a[r.lhs.find(c)] : b[r.rhs.find(c)];
            return out;
        };
        const std::int64_t m = extent(r.m), n = extent(r.n), k = extent(r.k);
        // The batch has two dimensions, so that operands with four dimensions keep their shape.
        const std::string last = r.batch.empty() ? std::string() : r.batch.substr(r.batch.size() - 1);
        Shape lead;
        if (r.batch.size() > 1)
            lead.push_back(extent(r.batch) / extent(last));
        if (!r.batch.empty())
            lead.push_back(extent(last));
        const auto moved = [&](const std::string& letters, const std::string& wanted) {
            return letters != wanted;
        };
        const std::size_t lhs = as(op.inputs[0], with(lead, {m, k}), moved(r.lhs, r.batch + r.m + r.k));
        const std::size_t rhs = as(op.inputs[1], with(lead, {k, n}), moved(r.rhs, r.batch + r.k + r.n));
        product(lhs, rhs, with(lead, {m, n}), op.outputs[0], moved(r.out, r.batch + r.m + r.n));
    }

    /// Adds the product of the weights [Cout * kh * kw, Cin] with the image [Cin, H * W], and the sum of the
    /// products that contribute to each element of the result.
    void transposedConvolution(const Operator& op)
    {
        const auto& w = op.as<model::WindowAttributes>();
        const Shape &x = m_model.shape(op.inputs[0]), &weights = m_model.shape(op.inputs[1]);
        const std::int64_t kh = weights[2], kw = weights[3], rows = weights[1] * kh * kw,
                           pixels = x[2] * x[3];
        const std::size_t image = as(op.inputs[0], {x[0], w.groups, x[1] / w.groups, pixels});
        const std::size_t kernel = as(op.inputs[1], {w.groups, rows, x[1] / w.groups}, true);
        const std::size_t taps = addTensor(m_node->name, {x[0], w.groups, rows, pixels});
        add(npu::OpType::MatMul, m_node->name, {kernel, image}, taps);
        const std::size_t result = op.outputs[0].index();
        const std::int64_t overlaps = ceilDiv(kh, w.stride[0]) * ceilDiv(kw, w.stride[1]);
        if (m_full = !hasRoom(saturatingMul(2, overlaps)); m_full)
            return;
        std::vector<std::size_t> terms;
        for (std::int64_t i = 0; i < overlaps; ++i) {
            terms.push_back(addTensor(m_node->name, shape(result)));
            view(m_node->name + "/term", {taps}, terms.back());
        }
        vectorSum(m_node->name + "/sum", std::move(terms), result);
        note(NodeStatus::Approximated,
             "its product runs on the array; which products fall onto an element of the "
             "result is not modelled, only their number");
    }

    /// Adds the product of all steps with the weights of the input; then, step by step, the product with the
    /// state, the gates, and the new state.
    void recurrent(const Operator& op)
    {
        const std::int64_t hidden = op.as<model::RecurrentAttributes>().hidden;
        const Shape &x = m_model.shape(op.inputs[0]), &w = m_model.shape(op.inputs[1]);
        const std::int64_t steps = x[0], batch = x[1], directions = w[0], gates = w[1];
        const std::size_t input = as(op.inputs[0], {steps * batch, x[2]});
        if (m_full = !hasRoom(saturatingMul(12, saturatingMul(steps, directions))); m_full)
            return;
        std::vector<std::size_t> states(static_cast<std::size_t>(steps * directions));
        for (std::int64_t d = 0; d < directions; ++d) {
            // The weights of a direction are stored in the order in which the product reads them.
            const auto weights = [&](std::size_t i, std::int64_t depth) {
                const std::size_t out = addTensor(m_node->name, {depth, gates});
                if (!m_model.tensors[op.inputs[i]].constant)
                    view(m_node->name + "/weights", {op.inputs[i].index()}, out);
                return out;
            };
            const std::size_t ofInput = weights(1, x[2]), ofState = weights(2, hidden);
            const std::size_t all = addTensor(m_node->name, {steps * batch, gates});
            add(npu::OpType::MatMul, m_node->name + "/input", {input, ofInput}, all);
            std::size_t state = addTensor(m_node->name + ".state", {batch, hidden});
            std::size_t cell = addTensor(m_node->name + ".cell", {batch, hidden});
            for (std::int64_t step = 0; step < steps; ++step) {
                const std::size_t fromState = addTensor(m_node->name, {batch, gates});
                add(npu::OpType::MatMul, m_node->name + "/state", {state, ofState}, fromState);
                const std::size_t fromInput = addTensor(m_node->name, {batch, gates});
                view(m_node->name + "/step", {all}, fromInput);
                const std::size_t sum = addTensor(m_node->name, {batch, gates});
                add(npu::OpType::Elementwise, m_node->name + "/gates", {fromState, fromInput}, sum);
                std::vector<std::size_t> parts;
                for (std::int64_t gate = 0; gate < gates / hidden; ++gate) {
                    parts.push_back(addTensor(m_node->name, {batch, hidden}));
                    view(m_node->name + "/gate", {sum}, parts.back());
                }
                if (op.kind == OperatorKind::Lstm) {
                    parts.push_back(cell);
                    cell = addTensor(m_node->name, {batch, hidden});
                    add(npu::OpType::Elementwise, m_node->name + "/cell", parts, cell);
                    parts = {parts[0], cell};
                } else if (op.kind == OperatorKind::Gru) {
                    parts.push_back(state);
                }
                state = addTensor(m_node->name, {batch, hidden});
                add(npu::OpType::Elementwise, m_node->name + "/output", std::move(parts), state);
                const std::int64_t t = d == 0 ? step : steps - 1 - step;
                states[static_cast<std::size_t>(t * directions + d)] = state;
            }
        }
        for (const ModelTensorId out : op.outputs)
            view(m_node->name + "/result", states, out.index());
    }

    void conv(const Operator& op)
    {
        const auto& w = op.as<model::WindowAttributes>();
        npu::ModelOp& o = add(npu::OpType::Conv2d, m_node->name, {op.inputs[0].index(), op.inputs[1].index()},
                              op.outputs[0].index());
        o.stride = w.stride;
        o.padding = w.padding;
        o.dilation = w.dilation;
        o.groups = w.groups;
    }

    void attention(const Operator& op)
    {
        const auto& a = op.as<model::AttentionAttributes>();
        const auto q = *model::headShape(m_model.shape(op.inputs[0]), a.heads);
        const auto v = *model::headShape(m_model.shape(op.inputs[2]), a.kvHeads > 0 ? a.kvHeads : a.heads);
        if (q.dims != v.dims)
            return attentionOfOtherValues(op, q, v);
        npu::ModelOp& o =
            add(npu::OpType::Attention, m_node->name, indices(op.inputs), op.outputs[0].index());
        o.heads = a.heads;
        o.kvHeads = a.kvHeads == a.heads ? 0 : a.kvHeads;
        o.causal = a.causal;
    }

    /// Adds the two batches of products of an attention whose values have another head size than its keys.
    void attentionOfOtherValues(const Operator& op, const model::HeadShape& q, const model::HeadShape& v)
    {
        const auto& a = op.as<model::AttentionAttributes>();
        const auto k = *model::headShape(m_model.shape(op.inputs[1]), a.kvHeads > 0 ? a.kvHeads : a.heads);
        // Heads that share keys are the rows of one product.
        const std::int64_t rows = q.heads / k.heads * q.tokens;
        const auto heads = [&](std::size_t i, const Shape& wanted, bool moved) {
            return as(op.inputs[i], wanted, moved || m_model.shape(op.inputs[i]).size() == 2);
        };
        const std::size_t queries = heads(0, {q.batch, k.heads, rows, q.dims}, false);
        const std::size_t keys = heads(1, {k.batch, k.heads, k.dims, k.tokens}, true);
        const std::size_t values = heads(2, {v.batch, v.heads, v.tokens, v.dims}, false);
        const Shape scored{q.batch, k.heads, rows, k.tokens};
        const std::size_t scores = addTensor(m_node->name + ".scores", scored);
        add(npu::OpType::MatMul, m_node->name + "/scores", {queries, keys}, scores);
        const std::size_t weights = addTensor(m_node->name + ".softmax", scored);
        add(npu::OpType::Softmax, m_node->name + "/softmax", {scores}, weights);
        product(weights, values, {q.batch, k.heads, rows, v.dims}, op.outputs[0],
                m_model.shape(op.outputs[0]).size() == 2);
    }

    void kvAppend(const Operator& op)
    {
        const auto& kv = op.as<model::KvAttributes>();
        npu::ModelOp& o = add(npu::OpType::KvAppend, m_node->name, indices(op.inputs), op.outputs[0].index());
        o.heads = kv.heads;
        o.position = kv.position;
    }

    /// Adds a vector operator. Operands that have the result's shape or are row vectors are kept, broadcast
    /// constants are left out, and all others get views.
    void vectorOp(const Operator& op)
    {
        const std::size_t out = op.outputs[0].index();
        std::vector<std::size_t> inputs;
        for (const ModelTensorId t : op.inputs) {
            const bool row = shape(t.index()).size() == 1 && shape(t.index())[0] == shape(out).back();
            const bool norm = op.kind == OperatorKind::LayerNorm || op.kind == OperatorKind::RmsNorm;
            const bool plain = shape(t.index()) == shape(out) || (row && !inputs.empty());
            if (plain && inputs.size() < (norm ? 3 : op.kind == OperatorKind::Softmax ? 1 : 8)) {
                inputs.push_back(t.index());
            } else if (!m_model.tensors[t].constant) {
                const std::size_t whole =
                    addTensor(m_model.tensors[t].name, shape(out), m_out.model.tensors[t.index()].bits);
                view(m_node->name + "/" + m_model.tensors[t].name, {t.index()}, whole);
                if (inputs.size() < 8)
                    inputs.push_back(whole);
            }
        }
        if (inputs.empty())
            return note(NodeStatus::Folded, "computed from constants alone, so it is a constant");
        const auto type = op.kind == OperatorKind::Softmax     ? npu::OpType::Softmax
                          : op.kind == OperatorKind::LayerNorm ? npu::OpType::LayerNorm
                          : op.kind == OperatorKind::RmsNorm   ? npu::OpType::RmsNorm
                                                               : npu::OpType::Elementwise;
        npu::ModelOp& o = add(type, m_node->name, std::move(inputs), out);
        if (op.kind == OperatorKind::Elementwise)
            o.passes = op.as<model::ElementwiseAttributes>().passes;
        if (op.kind == OperatorKind::Rotary || op.kind == OperatorKind::BatchNorm)
            note(NodeStatus::Approximated, "a vector node of its bytes");
    }

    const model::Model& m_model;
    LoweredNpu m_out;
    OperatorId m_current;
    NodeReport* m_node = nullptr;
    bool m_full = false; ///< true if the model has reached the maximum number of operators
};

} // namespace

Result<LoweredNpu> lowerToNpu(const model::Model& model, const Machine& machine)
{
    return NpuLowering(model, machine).run();
}

} // namespace tilewright::lower
