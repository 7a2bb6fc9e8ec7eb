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
    const model::Tensor& t = m_model.tensors[like];
    m_model.tensors.push_back({name, std::move(shape), false, t.elementBytes, t.bits});
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

/// Folds a batch normalisation with constant parameters, which is a scale and a shift per channel, into the
/// weights of the convolution before it.
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

/// Folds a pair of quantise and dequantise nodes. The operator after the pair then reads small integers.
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
        if (m_readers[x.index()].size() == 1 && !m_isOutput[x.index()]) // nothing else reads the wide values
            m_model.tensors[x].bits = m_model.tensors[q].ownBits();
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

// Recognises attention in the form that exporters write: a product of queries and keys, optionally scale and
// mask, a softmax, a product with values. It becomes one operator, so that every lens can process each head
// separately.

namespace {

constexpr int kMaxOperatorsBetween = 16; ///< largest number of operators between a product and the softmax

/// True if both shapes have the same rows and columns and differ only in the grouping of the leading
/// dimensions.
bool haveEqualMatrices(const Shape& a, const Shape& b)
{
    return a.size() >= 2 && b.size() >= 2 && a.back() == b.back() && a[a.size() - 2] == b[b.size() - 2] &&
           model::elementsOf(a) == model::elementsOf(b);
}

/// Extends a shape [.., rows, columns] to [batch, heads, rows, columns].
Shape toFourDimensions(const Shape& s)
{
    Shape out{1, 1, s[s.size() - 2], s.back()};
    if (s.size() >= 3)
        out[1] = s[s.size() - 3];
    if (s.size() >= 4)
        out[0] = model::elementsOf(std::span(s).first(s.size() - 3));
    return out;
}

} // namespace

/// Operators and tensors of a recognised attention pattern.
struct Rewrite::Chain
{
    std::uint32_t scores = kNone, context = kNone;
    std::vector<std::uint32_t> between; ///< the softmax and the elementwise operators around it
    std::vector<ModelTensorId> masks;   ///< other operands of the operators in `between`
};

/// Follows the operands from the softmax back to the product of queries and keys.
std::optional<ModelTensorId> Rewrite::scoresOf(std::uint32_t softmax, Chain& chain) const
{
    ModelTensorId t = op(softmax).inputs[0];
    std::uint32_t reader = softmax;
    for (int steps = 0; steps < kMaxOperatorsBetween; ++steps) {
        const std::uint32_t w = writer(t);
        if (w == kNone || onlyReader(t) != reader)
            return std::nullopt;
        const Operator& o = op(w);
        if (o.kind == Kind::MatMul) {
            if (o.inputs.size() != 2 || o.as<model::MatMulAttributes>() != model::MatMulAttributes{})
                return std::nullopt;
            chain.scores = w;
            return t;
        }
        std::optional<ModelTensorId> next;
        if (o.kind == Kind::Identity ||
            (o.kind == Kind::Reshape && haveEqualMatrices(shape(o.inputs[0]), shape(t)))) {
            next = o.inputs[0];
        } else if (o.kind == Kind::Elementwise) {
            // The scores are the operand of full size that a product or another elementwise operator writes.
            // The other operands are masks.
            for (const ModelTensorId in : o.inputs)
                if (!next && shape(in) == shape(t) && onlyReader(in) == w && writer(in) != kNone &&
                    (op(writer(in)).kind == Kind::MatMul || op(writer(in)).kind == Kind::Elementwise ||
                     op(writer(in)).kind == Kind::Reshape || op(writer(in)).kind == Kind::Identity))
                    next = in;
            for (const ModelTensorId in : o.inputs)
                if (next && in != *next)
                    chain.masks.push_back(in);
        }
        if (!next)
            return std::nullopt;
        chain.between.push_back(w);
        reader = w;
        t = *next;
    }
    return std::nullopt;
}

/// Follows the readers from the softmax to the product with the values.
std::optional<std::uint32_t> Rewrite::contextOf(std::uint32_t softmax, Chain& chain) const
{
    ModelTensorId t = op(softmax).outputs[0];
    for (int steps = 0; steps < kMaxOperatorsBetween; ++steps) {
        const std::uint32_t r = onlyReader(t);
        if (r == kNone)
            return std::nullopt;
        const Operator& o = op(r);
        if (o.kind == Kind::MatMul) {
            if (o.inputs.size() != 2 || o.inputs[0] != t || o.inputs[1] == t ||
                o.as<model::MatMulAttributes>() != model::MatMulAttributes{})
                return std::nullopt;
            return chain.context = r;
        }
        const bool passes = o.kind == Kind::Identity ||
                            (o.kind == Kind::Reshape && haveEqualMatrices(shape(t), shape(o.outputs[0]))) ||
                            (o.kind == Kind::Elementwise && shape(o.outputs[0]) == shape(t));
        if (!passes)
            return std::nullopt;
        for (const ModelTensorId in : o.inputs)
            if (in != t)
                chain.masks.push_back(in);
        chain.between.push_back(r);
        t = o.outputs[0];
    }
    return std::nullopt;
}

/// Returns keys or values before they are repeated for queries of several heads (grouped-query attention).
ModelTensorId Rewrite::withoutHeadRepetition(ModelTensorId t) const
{
    const auto step = [&](ModelTensorId at,
                          std::initializer_list<Kind> kinds) -> std::optional<ModelTensorId> {
        const std::uint32_t w = writer(at);
        if (w == kNone || std::find(kinds.begin(), kinds.end(), op(w).kind) == kinds.end())
            return std::nullopt;
        return op(w).inputs[0];
    };
    const auto repeated = step(t, {Kind::Reshape});
    const auto single = repeated ? step(*repeated, {Kind::Expand, Kind::Tile}) : std::nullopt;
    const auto heads = single ? step(*single, {Kind::Reshape}) : std::nullopt;
    if (!heads || shape(*heads).size() != 4 || shape(t).size() != 4)
        return t;
    const Shape &h = shape(*heads), &r = shape(*repeated), &all = shape(t);
    if (shape(*single) != Shape{h[0], h[1], 1, h[2], h[3]} || r.size() != 5 || r[0] != h[0] || r[1] != h[1] ||
        r[3] != h[2] || r[4] != h[3] || all != Shape{h[0], h[1] * r[2], h[2], h[3]})
        return t;
    return *heads;
}

ModelTensorId Rewrite::asHeads(ModelTensorId t, const std::string& name)
{
    const Shape four = toFourDimensions(shape(t));
    if (shape(t) == four)
        return t;
    const ModelTensorId out = addTensor(name, four, t);
    append({Kind::Reshape, name, {}, {t}, {out}, model::NoAttributes{}});
    return out;
}

void Rewrite::replaceByAttention(std::uint32_t softmax)
{
    Chain chain;
    chain.between.push_back(softmax);
    if (!scoresOf(softmax, chain) || !contextOf(softmax, chain))
        return;
    const std::string name = op(chain.context).name;
    const ModelTensorId q = op(chain.scores).inputs[0], out = op(chain.context).outputs[0];
    ModelTensorId k = op(chain.scores).inputs[1], v = op(chain.context).inputs[1];
    const Shape scores = toFourDimensions(shape(op(chain.scores).outputs[0])),
                queries = toFourDimensions(shape(q)), keys = toFourDimensions(shape(k)),
                values = toFourDimensions(shape(v)), result = toFourDimensions(shape(out));
    // Each head has its own queries. Keys and values may have fewer heads.
    const auto leads = [](const Shape& a, const Shape& b) { return a[0] == b[0] && a[1] == b[1]; };
    if (shape(q).size() > 4 || shape(k).size() > 4 || shape(v).size() > 4 || shape(out).size() > 4 ||
        !leads(scores, queries) || !leads(scores, result) || !leads(keys, values) || keys[0] != queries[0] ||
        queries[1] % keys[1] != 0 || isConstant(q))
        return;
    // Exporters usually transpose the keys before the product.
    const std::uint32_t transposer = writer(k);
    const Shape before = shape(k);
    const ModelTensorId oldKeys = k, oldValues = v;
    bool transposed = false;
    if (transposer != kNone && op(transposer).kind == Kind::Transpose && before.size() >= 2) {
        std::vector<std::int64_t> last(before.size());
        for (std::size_t i = 0; i < last.size(); ++i)
            last[i] = static_cast<std::int64_t>(i);
        std::swap(last[last.size() - 1], last[last.size() - 2]);
        if (op(transposer).as<model::TransposeAttributes>().permutation == last) {
            k = withoutHeadRepetition(op(transposer).inputs[0]);
            transposed = true;
        }
    }
    v = withoutHeadRepetition(v);
    // If keys and values are grouped differently, the repeated heads are used.
    if (toFourDimensions(shape(k))[1] != toFourDimensions(shape(v))[1]) {
        k = transposed ? op(transposer).inputs[0] : oldKeys;
        v = oldValues;
    }
    ModelTensorId heads = asHeads(k, name + "/keys");
    if (!transposed) {
        const Shape s = shape(heads);
        const ModelTensorId t = addTensor(name + "/keys_turned", {s[0], s[1], s[3], s[2]}, heads);
        append({Kind::Transpose,
                name + "/keys_turned",
                {},
                {heads},
                {t},
                model::TransposeAttributes{{0, 1, 3, 2}}});
        heads = t;
    }
    const ModelTensorId q4 = asHeads(q, name + "/queries"), v4 = asHeads(v, name + "/values");
    model::AttentionAttributes a;
    a.heads = shape(q4)[1];
    a.kvHeads = shape(heads)[1];
    Operator attention{Kind::Attention, name, {}, {q4, heads, v4}, {}, a};
    const bool same = shape(out) == result;
    const ModelTensorId y = same ? out : addTensor(name + "/heads", result, out);
    const std::uint32_t contextOp = chain.context;
    std::vector<std::uint32_t> parts = chain.between;
    parts.push_back(chain.scores);
    parts.push_back(contextOp);
    const auto now = static_cast<std::uint32_t>(m_model.operators.size());
    const std::string note = "part of a recognised pattern, the attention \"" + name + "\"";
    for (const ModelTensorId mask : chain.masks)
        countLeftOut(mask);
    for (const std::uint32_t part : parts)
        remove(part);
    attention.outputs = {y};
    append(std::move(attention));
    for (const std::uint32_t part : parts)
        setOutcome(part, Fate::Part, now, note);
    if (!same)
        append({Kind::Reshape, name + "/result", {}, {y}, {out}, model::NoAttributes{}});
    removeUnread(oldKeys, now, note);
    removeUnread(oldValues, now, note);
}

void Rewrite::recogniseAttention()
{
    const auto count = static_cast<std::uint32_t>(m_model.operators.size());
    for (std::uint32_t i = 0; i < count; ++i)
        if (!m_removed[i] && op(i).kind == Kind::Softmax)
            replaceByAttention(i);
}

} // namespace tilewright::onnx
