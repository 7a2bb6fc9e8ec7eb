// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/npu_model.h"

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
            (void)m_out.model.addTensor(t.name, npuShape(t.shape));
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
            if (m_out.model.ops.size() > kMaxNpuOps)
                return problemError("ops[" + std::to_string(o.value) + "]", "the NPU model has more than " +
                                                                                formatGrouped(kMaxNpuOps) +
                                                                                " operators up to here");
        }
        if (Status s = npu::checkModel(m_out.model); !s)
            return s.error();
        return std::move(m_out);
    }

private:
    /// At most four dimensions, at least one: the leading ones are joined.
    static Shape npuShape(const Shape& shape)
    {
        Shape out = shape.empty() ? Shape{1} : shape;
        while (out.size() > npu::kMaxRank) {
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

    std::size_t addTensor(const std::string& name, Shape s)
    {
        return m_out.model.addTensor(name + "." + std::to_string(m_out.model.tensors.size()), std::move(s));
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

    /// The same elements under a shape that the lens can take: a constant is stored so, the rest is a view.
    std::size_t as(ModelTensorId t, Shape wanted)
    {
        if (shape(t.index()) == wanted)
            return t.index();
        const model::Tensor& tensor = m_model.tensors[t];
        const std::size_t out = addTensor(tensor.name, std::move(wanted));
        if (!tensor.constant)
            view(m_node->name + "/" + tensor.name, {t.index()}, out);
        return out;
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
            return note(NodeStatus::Dropped,
                        "nothing is known of this operator: what it gives is taken as an input");
        case OperatorKind::Einsum:
        case OperatorKind::ConvTranspose2d:
        case OperatorKind::Lstm:
        case OperatorKind::Gru:
        case OperatorKind::Rnn:
        case OperatorKind::MaxPool:
        case OperatorKind::AveragePool:
        case OperatorKind::GlobalPool:
        case OperatorKind::Reduce:
            return rest(op, "the lens has no such operator: a vector node of its bytes");
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

    void matMul(const Operator& op)
    {
        const auto& t = op.as<model::MatMulAttributes>();
        const Shape &a = m_model.shape(op.inputs[0]), &b = m_model.shape(op.inputs[1]);
        const std::int64_t batches = model::elementsOf(std::span(b).first(b.size() - 2));
        if (batches != 1 || t.transposeA)
            return rest(op, "a batch of products: a vector node of its bytes");
        const std::int64_t k = a.back(), n = t.transposeB ? b[b.size() - 2] : b.back();
        const std::int64_t m = model::elementsOf(a) / k;
        const ModelTensorId result = op.outputs[0];
        const std::size_t lhs = as(op.inputs[0], {m, k}), rhs = as(op.inputs[1], {k, n});
        const bool biased = op.inputs.size() > 2 && !m_model.tensors[op.inputs[2]].constant;
        const bool same = shape(result.index()) == Shape{m, n} && !biased;
        const std::size_t out = same ? result.index() : addTensor(m_node->name, {m, n});
        add(npu::OpType::MatMul, m_node->name, {lhs, rhs}, out);
        if (!same)
            view(m_node->name + "/result", {out}, result.index());
    }

    void conv(const Operator& op)
    {
        const auto& w = op.as<model::WindowAttributes>();
        const auto kernel = std::span(m_model.shape(op.inputs[1])).subspan(2);
        std::size_t x = op.inputs[0].index();
        std::array<std::int64_t, 2> padding{w.padding[0], w.padding[1]};
        const bool tooWide =
            padding[0] > w.dilation[0] * (kernel[0] - 1) || padding[1] > w.dilation[1] * (kernel[1] - 1);
        if (w.padding[0] != w.padding[2] || w.padding[1] != w.padding[3] || tooWide) {
            Shape padded = shape(x);
            padded[2] += w.padding[0] + w.padding[2];
            padded[3] += w.padding[1] + w.padding[3];
            const std::size_t before = x;
            x = addTensor(m_node->name + ".padded", std::move(padded));
            view(m_node->name + "/padded", {before}, x);
            padding = {0, 0};
        }
        npu::ModelOp& o =
            add(npu::OpType::Conv2d, m_node->name, {x, op.inputs[1].index()}, op.outputs[0].index());
        o.stride = w.stride;
        o.padding = padding;
        o.dilation = w.dilation;
        o.groups = w.groups;
    }

    void attention(const Operator& op)
    {
        const auto& a = op.as<model::AttentionAttributes>();
        const auto q = *model::headShape(m_model.shape(op.inputs[0]), a.heads);
        const auto v = *model::headShape(m_model.shape(op.inputs[2]), a.kvHeads > 0 ? a.kvHeads : a.heads);
        if (q.dims != v.dims)
            return rest(op, "heads of values are of another size: a vector node of its bytes");
        npu::ModelOp& o =
            add(npu::OpType::Attention, m_node->name, indices(op.inputs), op.outputs[0].index());
        o.heads = a.heads;
        o.kvHeads = a.kvHeads == a.heads ? 0 : a.kvHeads;
        o.causal = a.causal;
    }

    void kvAppend(const Operator& op)
    {
        const auto& kv = op.as<model::KvAttributes>();
        npu::ModelOp& o = add(npu::OpType::KvAppend, m_node->name, indices(op.inputs), op.outputs[0].index());
        o.heads = kv.heads;
        o.position = kv.position;
    }

    /// Operands of the result's shape, and row vectors; broadcast constants are left out, others are views.
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
                const std::size_t whole = addTensor(m_model.tensors[t].name, shape(out));
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
};

} // namespace

Result<LoweredNpu> lowerToNpu(const model::Model& model, const Machine& machine)
{
    return NpuLowering(model, machine).run();
}

} // namespace tilewright::lower
