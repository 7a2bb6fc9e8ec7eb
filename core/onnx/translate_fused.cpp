// SPDX-License-Identifier: GPL-3.0-or-later
// Fused operators of optimisers and exporters of language models, each equivalent to several operators.
#include "onnx/translation.h"

#include <algorithm>

namespace tilewright::onnx {

using model::Shape;

/// Converts [batch, tokens, heads * d] to [batch, heads, tokens, d].
Result<ModelTensorId> Translation::asHeads(const Node& node, const std::string& part, ModelTensorId x,
                                           std::int64_t heads)
{
    const Shape s = shape(x);
    if (s.size() == 4)
        return x;
    if (s.size() != 3 || heads < 1 || s[2] % heads != 0)
        return refuse(node, "its operand " + model::shapeText(s) + " does not have " + std::to_string(heads) +
                                " heads");
    const auto split = helper(node, (part + "/split").c_str(), Kind::Reshape, {x}, model::NoAttributes{},
                              {s[0], s[1], heads, s[2] / heads});
    return split ? helper(node, (part + "/heads").c_str(), Kind::Transpose, {*split},
                          model::TransposeAttributes{{0, 2, 1, 3}})
                 : split;
}

/// Attention in one node: of queries, keys and values, optionally appended to a cache.
Status Translation::attention(const Node& node)
{
    const bool grouped = node.type == "GroupQueryAttention", standard = node.type == "Attention";
    const std::int64_t heads = node.integer(standard ? "q_num_heads" : "num_heads", 0);
    const std::int64_t kvHeads = standard || grouped ? node.integer("kv_num_heads", 0) : heads;
    const std::size_t past = grouped ? 3 : standard ? 4 : 6;
    if (node.input(1) == kNoValue || node.input(2) == kNoValue) {
        drop(node, "queries, keys and values in one operand; only three operands are supported");
        return Unit{};
    }
    const auto inputs = operands(node, {0, 1, 2});
    if (!inputs)
        return Unit{};
    const bool flat = shape((*inputs)[0]).size() == 3;
    std::array<ModelTensorId, 3> qkv;
    for (std::size_t i = 0; i < 3; ++i) {
        const char* const names[] = {"query", "key", "value"};
        auto part = asHeads(node, names[i], (*inputs)[i], i == 0 ? heads : kvHeads);
        if (!part)
            return part.error();
        if (i < 2 && grouped && node.integer("do_rotary", 0) != 0) {
            part = helper(node, i == 0 ? "query/rotary" : "key/rotary", Kind::Rotary, {*part},
                          model::NoAttributes{});
            if (!part)
                return part.error();
        }
        qkv[i] = *part;
    }
    for (std::size_t i = 1; i < 3; ++i) {
        const bool isUsed = i < node.out.size() && node.out[i] != kNoValue;
        std::vector<ModelTensorId> cache{qkv[i]};
        if (const auto before = operand(node, past + i - 1))
            cache.insert(cache.begin(), *before);
        if (isUsed) {
            Status s = cache.size() > 1
                           ? result(node, Kind::Concat, cache, model::AxisAttributes{2, {}}, {}, i)
                           : result(node, Kind::Identity, cache, model::NoAttributes{}, {}, i);
            if (!s)
                return s;
            qkv[i] = *m_values[node.out[i]].tensor;
        } else if (cache.size() > 1) {
            const auto whole =
                helper(node, i == 1 ? "keys" : "values", Kind::Concat, cache, model::AxisAttributes{2, {}});
            if (!whole)
                return whole.error();
            qkv[i] = *whole;
        }
    }
    model::AttentionAttributes a;
    a.heads = shape(qkv[0])[1];
    a.kvHeads = shape(qkv[1]).size() == 4 ? shape(qkv[1])[1] : 0;
    if (!flat)
        return result(node, Kind::Attention, {qkv[0], qkv[1], qkv[2]}, a);
    const auto context = inner(node, Kind::Attention, {qkv[0], qkv[1], qkv[2]}, a);
    if (!context)
        return context.error();
    const Shape s = shape(*context);
    const auto transposed =
        helper(node, "tokens", Kind::Transpose, {*context}, model::TransposeAttributes{{0, 2, 1, 3}});
    if (!transposed)
        return transposed.error();
    return result(node, Kind::Reshape, {*transposed}, model::NoAttributes{}, {s[0], s[2], s[1] * s[3]});
}

/// Weights packed with a few bits each: a product with the number of weights that the attributes specify.
Status Translation::packedMatMul(const Node& node)
{
    const auto inputs = operands(node, {0, 1});
    if (!inputs)
        return Unit{};
    countLeftOut(node, {2, 3, 4});
    const std::int64_t k = node.integer("K", 0), n = node.integer("N", 0);
    if (k < 1 || n < 1 || k > kMaxDimension || n > kMaxDimension)
        return refuse(node, "K and N must be from 1 to 2147483648");
    model::Tensor weights = m_model.tensors[(*inputs)[1]];
    weights.name = freshName(weights.name + "/unpacked");
    weights.shape = {k, n};
    weights.elementBytes = 1;
    m_model.tensors.push_back(std::move(weights));
    const std::string note = "weights of less than a byte are counted as one byte each";
    if (node.integer("bits", 4) < 8 &&
        std::find(m_report.notes.begin(), m_report.notes.end(), note) == m_report.notes.end())
        m_report.notes.push_back(note);
    return result(node, Kind::MatMul, {(*inputs)[0], ModelTensorId(m_model.tensors.size() - 1)});
}

Status Translation::fusedMatMul(const Node& node)
{
    auto inputs = operands(node, {0, 1});
    if (!inputs)
        return Unit{};
    return result(node, Kind::MatMul, std::move(*inputs),
                  model::MatMulAttributes{node.integer("transA", 0) != 0, node.integer("transB", 0) != 0});
}

/// A residual sum followed by a normalisation.
Status Translation::skipNorm(const Node& node)
{
    const bool rms = node.type == "SkipSimplifiedLayerNormalization";
    auto terms = operands(node, {0, 1});
    if (!terms)
        return Unit{};
    const std::size_t bias = rms ? 3 : 4, sumResult = 3;
    if (const auto b = operand(node, bias))
        terms->push_back(*b);
    const model::ElementwiseAttributes add{"add", 0};
    std::optional<ModelTensorId> sum;
    if (sumResult < node.out.size() && node.out[sumResult] != kNoValue) {
        if (Status s = result(node, Kind::Elementwise, std::move(*terms), add, {}, sumResult); !s)
            return s;
        sum = m_values[node.out[sumResult]].tensor;
    } else {
        const auto t = helper(node, "sum", Kind::Elementwise, std::move(*terms), add);
        if (!t)
            return t.error();
        sum = *t;
    }
    Tensors inputs{*sum};
    for (std::size_t i = 2; i < bias; ++i)
        if (const auto table = operand(node, i))
            inputs.push_back(*table);
    return result(node, rms ? Kind::RmsNorm : Kind::LayerNorm, std::move(inputs));
}

/// Rotary embedding: the tables are looked up by position.
Status Translation::rotary(const Node& node)
{
    auto inputs = operands(node, {0});
    return inputs ? result(node, Kind::Rotary, std::move(*inputs)) : Status(Unit{});
}

} // namespace tilewright::onnx
