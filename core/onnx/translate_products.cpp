// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix products and operators based on them, and fused operators of optimisers and exporters of language
// models, each equivalent to several operators.
#include "onnx/translation.h"

#include <algorithm>
#include <array>
#include <set>

namespace tilewright::onnx {

using model::Shape;

Status Translation::matMul(const Node& node)
{
    const bool quantised = node.type == "QLinearMatMul";
    const auto inputs = operands(node, {0, quantised ? 3U : 1U});
    if (!inputs)
        return Unit{};
    countLeftOut(node,
                 quantised ? std::vector<std::size_t>{1, 2, 4, 5, 6, 7} : std::vector<std::size_t>{2, 3});
    ModelTensorId a = (*inputs)[0], b = (*inputs)[1];
    const Shape whole = shape(a), other = shape(b);
    if (whole.size() > 1 && other.size() > 1)
        return result(node, Kind::MatMul, {a, b});
    // As left operand a vector is a row, as right operand a column. The result lacks that dimension.
    if (whole.empty() || other.empty())
        return refuse(node, "an operand is a scalar");
    for (ModelTensorId* t : {&a, &b})
        if (const Shape s = shape(*t); s.size() == 1) {
            const auto matrix =
                reshape(node, t == &a ? "row" : "column", *t, t == &a ? Shape{1, s[0]} : Shape{s[0], 1});
            if (!matrix)
                return matrix.error();
            *t = *matrix;
        }
    const auto product = inner(node, Kind::MatMul, {a, b}, model::MatMulAttributes{});
    if (!product)
        return product.error();
    Shape out = shape(*product);
    if (other.size() == 1)
        out.pop_back();
    if (whole.size() == 1)
        out.erase(out.end() - (other.size() == 1 ? 1 : 2));
    return result(node, Kind::Reshape, {*product}, model::NoAttributes{}, std::move(out));
}

Status Translation::gemm(const Node& node)
{
    std::vector<std::size_t> which{0, 1};
    if (node.input(2) != kNoValue)
        which.push_back(2);
    auto inputs = operands(node, which);
    if (!inputs)
        return Unit{};
    return result(node, Kind::MatMul, std::move(*inputs),
                  model::MatMulAttributes{node.integer("transA", 0) != 0, node.integer("transB", 0) != 0});
}

namespace {

/// Returns the equation with letters in place of "..." and with an explicit result.
std::string explicitEquation(std::string text, std::size_t lhsRank, std::size_t rhsRank)
{
    std::erase(text, ' ');
    const std::size_t comma = text.find(','), arrow = text.find("->");
    if (comma == std::string::npos)
        return text;
    std::string lhs = text.substr(0, comma),
                rhs = text.substr(comma + 1, arrow == std::string::npos ? arrow : arrow - comma - 1);
    std::string spare;
    for (char c = 'A'; c <= 'Z'; ++c)
        if (text.find(c) == std::string::npos)
            spare += c;
    std::string most;
    const auto spread = [&](std::string& term, std::size_t rank) {
        const std::size_t at = term.find("...");
        if (at == std::string::npos || rank + 3 < term.size() || rank + 3 - term.size() > spare.size())
            return;
        const std::string letters = spare.substr(0, rank + 3 - term.size());
        term.replace(at, 3, letters);
        most = std::max(most, letters, [](const auto& x, const auto& y) { return x.size() < y.size(); });
    };
    spread(lhs, lhsRank);
    spread(rhs, rhsRank);
    std::string out;
    if (arrow != std::string::npos) {
        out = text.substr(arrow + 2);
        if (const std::size_t at = out.find("..."); at != std::string::npos)
            out.replace(at, 3, most);
    } else {
        std::multiset<char> letters(lhs.begin(), lhs.end());
        letters.insert(rhs.begin(), rhs.end());
        out = most;
        for (const char c : letters)
            if (letters.count(c) == 1 && most.find(c) == std::string::npos)
                out += c;
    }
    return lhs + "," + rhs + "->" + out;
}

/// Result shape of an equation with an explicit result and a letter for each dimension.
std::optional<Shape> einsumShape(std::string text, const Node& node, const Values& values)
{
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    if (arrow == std::string::npos)
        return std::nullopt;
    std::array<std::int64_t, 256> sizes{};
    const auto at = [&sizes](char c) -> std::int64_t& { return sizes[static_cast<unsigned char>(c)]; };
    std::size_t operand = 0, axis = 0;
    for (const char c : text.substr(0, arrow)) {
        if (c == ',') {
            ++operand;
            axis = 0;
            continue;
        }
        const Shape* x = values.shape(node.input(operand));
        if (x == nullptr || axis >= x->size())
            return std::nullopt;
        at(c) = (*x)[axis++];
    }
    Shape out;
    for (const char c : text.substr(arrow + 2)) {
        if (at(c) < 1 || out.size() == model::kMaxRank)
            return std::nullopt;
        out.push_back(at(c));
    }
    return out;
}

} // namespace

/// Translates an Einsum of one operand: a permutation of its dimensions.
Status Translation::permutingEinsum(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    std::string text = node.text("equation");
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    const std::string in = text.substr(0, arrow),
                      out = arrow == std::string::npos ? "" : text.substr(arrow + 2);
    model::TransposeAttributes a;
    for (const char c : out)
        if (const std::size_t at = in.find(c);
            c != '.' && at != std::string::npos && out.find(c) == out.rfind(c))
            a.permutation.push_back(static_cast<std::int64_t>(at));
    if (a.permutation.size() != shape(inputs->front()).size() || in.size() != out.size()) {
        drop(node, "an einsum of one operand that is not a permutation of its dimensions");
        return Unit{};
    }
    return result(node, Kind::Transpose, std::move(*inputs), std::move(a));
}

Status Translation::einsum(const Node& node)
{
    if (node.in.size() == 1)
        return permutingEinsum(node);
    if (node.in.size() != 2) {
        // The result of the dropped node becomes an input of the model.
        if (const ValueId out = node.out[0]; out != kNoValue && m_values.shape(out) == nullptr) {
            m_values[out].shape = einsumShape(node.text("equation"), node, m_values);
            if (m_values[out].type == 0 && node.input(0) != kNoValue)
                m_values[out].type = m_values[node.in[0]].type;
        }
        drop(node,
             "an einsum of " + std::to_string(node.in.size()) + " operands; only one and two are supported");
        return Unit{};
    }
    auto inputs = operands(node, {0, 1});
    if (!inputs)
        return Unit{};
    const std::string equation =
        explicitEquation(node.text("equation"), shape((*inputs)[0]).size(), shape((*inputs)[1]).size());
    if (const auto roles = model::einsumRoles(equation); !roles) {
        drop(node, roles.error().message);
        return Unit{};
    }
    return result(node, Kind::Einsum, std::move(*inputs), model::EinsumAttributes{equation});
}

/// Translates a recurrent node. Operands: X, W, R, B, lengths, initial states. Results: all states, the last
/// state and the last cell.
Status Translation::recurrent(const Node& node)
{
    std::vector<std::size_t> which{0, 1, 2};
    for (const std::size_t i : {3U, 5U, 6U})
        if (node.input(i) != kNoValue)
            which.push_back(i);
    auto inputs = operands(node, which);
    if (!inputs)
        return Unit{};
    countLeftOut(node, {7});
    const bool batchFirst = node.integer("layout", 0) != 0;
    const Shape& r = shape((*inputs)[2]);
    if (r.size() != 3)
        return refuse(node, "the recurrent weights must have 3 dimensions");
    model::RecurrentAttributes a;
    a.hidden = r[2];
    a.directions = r[0];
    if (batchFirst) {
        const auto x = helper(node, "steps_first", Kind::Transpose, {(*inputs)[0]},
                              model::TransposeAttributes{{1, 0, 2}});
        if (!x)
            return x.error();
        (*inputs)[0] = *x;
    }
    const Kind kind = node.type == "LSTM" ? Kind::Lstm : node.type == "GRU" ? Kind::Gru : Kind::Rnn;
    const auto isUsed = [&](std::size_t i) { return i < node.out.size() && node.out[i] != kNoValue; };
    if (!batchFirst && !isUsed(1) && !isUsed(2))
        return result(node, kind, std::move(*inputs), a);
    const auto states = inner(node, kind, std::move(*inputs), a);
    if (!states)
        return states.error();
    const Shape all = shape(*states); // [steps, directions, batch, hidden]
    if (isUsed(0)) {
        const std::vector<std::int64_t> order =
            batchFirst ? std::vector<std::int64_t>{2, 0, 1, 3} : std::vector<std::int64_t>{0, 1, 2, 3};
        if (Status s = result(node, Kind::Transpose, {*states}, model::TransposeAttributes{order}); !s)
            return s;
    }
    for (const std::size_t i : {1U, 2U}) { // the cell has the shape of the state
        if (!isUsed(i))
            continue;
        const auto last = helper(node, i == 1 ? "last_state" : "last_cell", Kind::Slice, {*states},
                                 model::SliceAttributes{{0}, {all[0] - 1}, {all[0]}, {}});
        if (!last)
            return last.error();
        if (batchFirst) {
            const auto transposed =
                helper(node, i == 1 ? "state_batch_first" : "cell_batch_first", Kind::Transpose, {*last},
                       model::TransposeAttributes{{0, 2, 1, 3}});
            if (!transposed)
                return transposed.error();
            if (Status s = result(node, Kind::Reshape, {*transposed}, model::NoAttributes{},
                                  {all[2], all[1], all[3]}, i);
                !s)
                return s;
        } else if (Status s = result(node, Kind::Reshape, {*last}, model::NoAttributes{},
                                     {all[1], all[2], all[3]}, i);
                   !s) {
            return s;
        }
    }
    return Unit{};
}

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

/// Translates attention in one node: queries, keys and values, which may be appended to a cache.
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

/// Translates a product with weights packed with a few bits each. The attributes state the number of weights.
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
    weights.bits = std::clamp<std::int64_t>(node.integer("bits", 4), 1, 8) * 1024;
    m_model.tensors.push_back(std::move(weights));
    const std::string note =
        "weights of less than a byte have their own width in the Schedule lens; other lenses count "
        "an element of the machine for each";
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

/// Translates a residual sum followed by a normalisation.
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

/// Translates a rotary embedding, whose tables are looked up by position.
Status Translation::rotary(const Node& node)
{
    auto inputs = operands(node, {0});
    return inputs ? result(node, Kind::Rotary, std::move(*inputs)) : Status(Unit{});
}

} // namespace tilewright::onnx
