// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/workload.h"

#include <algorithm>
#include <map>

namespace tilewright::lower {

using model::Operator;
using model::OperatorKind;
using model::Shape;

namespace {

mapping::Layer gemmLayer(std::int64_t m, std::int64_t n, std::int64_t k)
{
    mapping::Layer l;
    l.kind = mapping::LayerKind::Gemm;
    l.m = m;
    l.n = n;
    l.k = k;
    return l;
}

/// Layers by shape, in the order of their first operator.
class LayerList
{
public:
    void add(mapping::Layer layer, const std::string& name)
    {
        const std::string key = std::to_string(static_cast<int>(layer.kind)) + describe(layer) + "/" +
                                std::to_string(layer.padding);
        const auto [it, isNew] = m_known.emplace(key, m_out.size());
        if (isNew) {
            layer.count = 0;
            layer.name = name;
            m_out.push_back({std::move(layer), {}});
        }
        NamedLayer& known = m_out[it->second];
        ++known.layer.count;
        if (known.operators.empty() || known.operators.back() != name)
            known.operators.push_back(name);
    }
    std::vector<NamedLayer> take() { return std::move(m_out); }

private:
    std::vector<NamedLayer> m_out;
    std::map<std::string, std::size_t> m_known;
};

} // namespace

mapping::Layer convolutionLayer(const model::Model& model, const Operator& op)
{
    const auto& w = op.as<model::WindowAttributes>();
    const Shape &x = model.shape(op.inputs[0]), &weight = model.shape(op.inputs[1]);
    mapping::Layer l;
    l.batch = x[0];
    l.inChannels = x[1];
    l.outChannels = weight[0];
    l.kernel = {weight[2], weight[3]};
    l.stride = w.stride;
    l.dilation = w.dilation;
    l.groups = w.groups;
    const auto& p = w.padding;
    if (std::all_of(p.begin(), p.end(), [&](std::int64_t n) { return n == p[0]; })) {
        l.height = x[2];
        l.width = x[3];
        l.padding = p[0];
    } else { // a layer is padded alike on all sides; the stored input is the same
        l.height = x[2] + p[0] + p[2];
        l.width = x[3] + p[1] + p[3];
    }
    if (w.groups == x[1] && weight[0] == x[1] && w.groups > 1) {
        l.kind = mapping::LayerKind::DwConv;
        l.groups = 1;
    }
    return l;
}

std::vector<NamedLayer> layersOf(const model::Model& model, const LoweredProblem& lowered)
{
    // A convolution becomes a layer with seven loops; other products become the GEMMs of the problem.
    std::vector<std::vector<OpId>> products(model.operators.size());
    for (std::size_t i = 0; i < lowered.data.ops.size(); ++i)
        if (lowered.data.ops[OpId(i)].type == OpType::MatMul && !lowered.helper[i])
            products[lowered.source[i].index()].emplace_back(i);
    LayerList out;
    for (std::size_t i = 0; i < model.operators.size(); ++i) {
        const Operator& op = model.operators[OperatorId(i)];
        const NodeReport& node = lowered.report.nodes[i];
        if (node.status == NodeStatus::Dropped)
            continue;
        if (op.kind == OperatorKind::Conv2d) {
            out.add(convolutionLayer(model, op), node.name);
            continue;
        }
        for (const OpId o : products[i]) {
            const Op& product = lowered.data.ops[o];
            const Tensor& result = lowered.data.tensors[product.output];
            out.add(gemmLayer(result.height, result.width, lowered.data.tensors[product.inputs[0]].width),
                    node.name);
        }
    }
    return out.take();
}

mapping::Model layerModel(const model::Model& model, const LoweredProblem& lowered)
{
    mapping::Model out;
    out.name = model.name;
    for (NamedLayer& named : layersOf(model, lowered))
        out.layers.push_back(std::move(named.layer));
    return out;
}

} // namespace tilewright::lower
