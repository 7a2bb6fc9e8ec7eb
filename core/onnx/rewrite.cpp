// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/rewrite.h"

#include <algorithm>

namespace tilewright::onnx {

using model::Operator;
using model::Shape;

Rewrite::Rewrite(model::Model& model, ImportReport& report, const std::vector<ModelTensorId>& outputs)
    : m_model(model), m_report(report), m_writer(model.tensors.size(), kNone),
      m_readers(model.tensors.size()), m_isOutput(model.tensors.size(), false),
      m_removed(model.operators.size(), false), m_nodes(model.operators.size())
{
    for (std::uint32_t i = 0; i < model.operators.size(); ++i) {
        for (const ModelTensorId t : op(i).outputs)
            m_writer[t.index()] = i;
        for (const ModelTensorId t : op(i).inputs)
            m_readers[t.index()].push_back(i);
    }
    for (const ModelTensorId t : outputs)
        m_isOutput[t.index()] = true;
    for (std::size_t n = 0; n < report.nodes.size(); ++n)
        if (report.nodes[n].op)
            m_nodes[report.nodes[n].op->index()].push_back(n);
}

std::uint32_t Rewrite::onlyReader(ModelTensorId t) const
{
    const auto& readers = m_readers[t.index()];
    return readers.size() == 1 && !m_isOutput[t.index()] ? readers[0] : kNone;
}

void Rewrite::remove(std::uint32_t i)
{
    m_removed[i] = true;
    for (const ModelTensorId t : op(i).inputs) {
        auto& readers = m_readers[t.index()];
        if (const auto at = std::find(readers.begin(), readers.end(), i); at != readers.end())
            readers.erase(at);
    }
    for (const ModelTensorId t : op(i).outputs)
        if (m_writer[t.index()] == i)
            m_writer[t.index()] = kNone;
}

std::uint32_t Rewrite::append(Operator added)
{
    const auto i = static_cast<std::uint32_t>(m_model.operators.size());
    for (const ModelTensorId t : added.outputs)
        m_writer[t.index()] = i;
    for (const ModelTensorId t : added.inputs)
        m_readers[t.index()].push_back(i);
    m_model.operators.push_back(std::move(added));
    m_removed.push_back(false);
    m_nodes.emplace_back();
    return i;
}

ModelTensorId Rewrite::addTensor(const std::string& name, Shape shape, ModelTensorId like)
{
    m_model.tensors.push_back({name, std::move(shape), false, m_model.tensors[like].elementBytes});
    m_writer.push_back(kNone);
    m_readers.emplace_back();
    m_isOutput.push_back(false);
    return ModelTensorId(m_model.tensors.size() - 1);
}

void Rewrite::countLeftOut(ModelTensorId t)
{
    const model::Tensor& tensor = m_model.tensors[t];
    if (tensor.constant)
        m_report.leftOutBytes =
            saturatingAdd(m_report.leftOutBytes, saturatingMul(tensor.elements(), tensor.elementBytes));
}

void Rewrite::setOutcome(std::uint32_t i, Fate fate, std::uint32_t now, const std::string& note)
{
    const std::int64_t macs = fate == Fate::Part ? model::macsOf(m_model, op(i)) : 0;
    for (const std::size_t n : m_nodes[i]) {
        ImportedNode& node = m_report.nodes[n];
        if (node.fate == Fate::Operator) {
            node.fate = fate;
            node.note = note;
            node.macs = macs;
        }
        node.op = now == kNone ? std::nullopt : std::optional(OperatorId(now));
        if (now != kNone)
            m_nodes[now].push_back(n);
    }
    m_nodes[i].clear();
}

void Rewrite::removeUnread(ModelTensorId from, std::uint32_t now, const std::string& note)
{
    for (std::vector<ModelTensorId> left{from}; !left.empty();) {
        const ModelTensorId t = left.back();
        left.pop_back();
        const std::uint32_t w = writer(t);
        if (w == kNone || m_isOutput[t.index()] || !m_readers[t.index()].empty() ||
            op(w).outputs.size() != 1 || model::macsOf(m_model, op(w)) > 0)
            continue;
        left.insert(left.end(), op(w).inputs.begin(), op(w).inputs.end());
        setOutcome(w, Fate::Part, now, note);
        remove(w);
    }
}

/// Folds a batch normalisation with constant parameters into the weights of the convolution before it: such a
/// normalisation is a scale and a shift per channel.
void Rewrite::foldNorms()
{
    const auto count = static_cast<std::uint32_t>(m_model.operators.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        if (m_removed[i] || op(i).kind != Kind::BatchNorm)
            continue;
        const std::vector<ModelTensorId> inputs = op(i).inputs;
        const ModelTensorId x = inputs[0], y = op(i).outputs[0];
        const std::uint32_t conv = writer(x);
        if (conv == kNone || onlyReader(x) != i || shape(x) != shape(y) ||
            (op(conv).kind != Kind::Conv2d && op(conv).kind != Kind::ConvTranspose2d) ||
            !std::all_of(inputs.begin() + 1, inputs.end(), [&](ModelTensorId t) { return isConstant(t); }))
            continue;
        setOutcome(i, Fate::Folded, conv, "merged into the weights of \"" + op(conv).name + "\"");
        for (const ModelTensorId t : std::vector<ModelTensorId>(inputs.begin() + 1, inputs.end()))
            countLeftOut(t);
        remove(i);
        op(conv).outputs[0] = y;
        m_writer[x.index()] = kNone;
        m_writer[y.index()] = conv;
    }
}

/// Folds a quantise-dequantise pair: the operator behind it then works on small integers.
void Rewrite::foldQuantisers()
{
    const auto is = [&](std::uint32_t i, const char* function) {
        return i != kNone && !m_removed[i] && op(i).kind == Kind::Elementwise &&
               op(i).as<model::ElementwiseAttributes>().function == function;
    };
    const auto count = static_cast<std::uint32_t>(m_model.operators.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!is(i, "dequantize"))
            continue;
        const ModelTensorId q = op(i).inputs[0], y = op(i).outputs[0];
        const std::uint32_t quantiser = writer(q);
        if (!is(quantiser, "quantize") || m_isOutput[y.index()] || shape(op(quantiser).inputs[0]) != shape(y))
            continue;
        const ModelTensorId x = op(quantiser).inputs[0];
        const std::vector<std::uint32_t> readers = m_readers[y.index()];
        for (const std::uint32_t r : readers) {
            std::replace(op(r).inputs.begin(), op(r).inputs.end(), y, x);
            m_readers[x.index()].push_back(r);
        }
        m_readers[y.index()].clear();
        const std::uint32_t source = writer(x);
        const std::string note =
            "one of a pair of quantisers: the operators around it compute with small integers";
        setOutcome(i, Fate::Folded, source, note);
        remove(i);
        if (m_readers[q.index()].empty() && !m_isOutput[q.index()]) {
            setOutcome(quantiser, Fate::Folded, source, note);
            remove(quantiser);
        }
    }
}

void Rewrite::finish()
{
    std::vector<std::uint32_t> newOp(m_model.operators.size(), kNone),
        newTensor(m_model.tensors.size(), kNone);
    std::vector<Operator> operators;
    for (std::uint32_t i = 0; i < m_model.operators.size(); ++i)
        if (!m_removed[i]) {
            newOp[i] = static_cast<std::uint32_t>(operators.size());
            operators.push_back(std::move(op(i)));
        }
    std::vector<bool> isUsed(m_model.tensors.size(), false);
    for (const Operator& o : operators)
        for (const auto* list : {&o.inputs, &o.outputs})
            for (const ModelTensorId t : *list)
                isUsed[t.index()] = true;
    std::vector<model::Tensor> tensors;
    for (std::size_t t = 0; t < isUsed.size(); ++t)
        if (isUsed[t]) {
            newTensor[t] = static_cast<std::uint32_t>(tensors.size());
            tensors.push_back(std::move(m_model.tensors[ModelTensorId(t)]));
        }
    for (Operator& o : operators)
        for (auto* list : {&o.inputs, &o.outputs})
            for (ModelTensorId& t : *list)
                t = ModelTensorId(newTensor[t.index()]);
    for (ImportedNode& node : m_report.nodes)
        if (node.op)
            node.op = newOp[node.op->index()] == kNone ? std::nullopt
                                                       : std::optional(OperatorId(newOp[node.op->index()]));
    m_model.operators = IdVector<OperatorId, Operator>(std::move(operators));
    m_model.tensors = IdVector<ModelTensorId, model::Tensor>(std::move(tensors));
}

} // namespace tilewright::onnx
