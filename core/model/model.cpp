// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/model.h"

#include "base/text.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

namespace tilewright::model {

namespace {

constexpr std::array kKinds{OperatorKind::MatMul,      OperatorKind::Einsum,
                            OperatorKind::Conv2d,      OperatorKind::ConvTranspose2d,
                            OperatorKind::Attention,   OperatorKind::Lstm,
                            OperatorKind::Gru,         OperatorKind::Rnn,
                            OperatorKind::Softmax,     OperatorKind::LayerNorm,
                            OperatorKind::RmsNorm,     OperatorKind::BatchNorm,
                            OperatorKind::Elementwise, OperatorKind::Rotary,
                            OperatorKind::MaxPool,     OperatorKind::AveragePool,
                            OperatorKind::GlobalPool,  OperatorKind::Reduce,
                            OperatorKind::KvAppend,    OperatorKind::KvLoad,
                            OperatorKind::Identity,    OperatorKind::Reshape,
                            OperatorKind::Transpose,   OperatorKind::Slice,
                            OperatorKind::Split,       OperatorKind::Concat,
                            OperatorKind::Expand,      OperatorKind::Tile,
                            OperatorKind::Pad,         OperatorKind::Gather,
                            OperatorKind::Resize,      OperatorKind::DepthToSpace,
                            OperatorKind::View,        OperatorKind::Unknown};

constexpr std::array<std::string_view, kKinds.size()> kWords{
    "matmul",      "einsum",     "conv2d",    "conv_transpose2d",
    "attention",   "lstm",       "gru",       "rnn",
    "softmax",     "layer_norm", "rms_norm",  "batch_norm",
    "elementwise", "rotary",     "max_pool",  "average_pool",
    "global_pool", "reduce",     "kv_append", "kv_load",
    "identity",    "reshape",    "transpose", "slice",
    "split",       "concat",     "expand",    "tile",
    "pad",         "gather",     "resize",    "depth_to_space",
    "view",        "unknown"};

std::string at(const char* list, std::size_t i)
{
    return std::string(list) + "[" + std::to_string(i) + "]";
}

class Checker
{
public:
    explicit Checker(const Model& model) : m_model(model) {}

    Status run() const
    {
        if (m_model.dtypeBytes < 1 || m_model.dtypeBytes > 16)
            return fail("dtype_bytes", "expected 1 to 16, got " + std::to_string(m_model.dtypeBytes));
        if (m_model.operators.empty())
            return fail("ops", "the model has no operators");
        if (m_model.operators.size() > kMaxOperators)
            return fail("ops", "more than " + formatGrouped(kMaxOperators) + " operators");
        if (auto s = tensors(); !s)
            return s;
        if (auto s = operators(); !s)
            return s;
        const auto order = operatorOrder(m_model);
        if (order.size() == m_model.operators.size())
            return Unit{};
        std::vector<bool> placed(m_model.operators.size(), false);
        for (const OperatorId o : order)
            placed[o.index()] = true;
        const auto left = std::find(placed.begin(), placed.end(), false);
        return failOp(static_cast<std::size_t>(left - placed.begin()),
                      "the graph is cyclic: this operator waits for its own result");
    }

private:
    [[nodiscard]] Error fail(std::string path, std::string message) const
    {
        return {ErrorCode::Problem, std::move(message), std::move(path), m_model.file};
    }
    [[nodiscard]] Error failOp(std::size_t i, const std::string& message) const
    {
        const Operator& o = m_model.operators[OperatorId(i)];
        return fail(at("ops", i), std::string(o.typeName()) + " \"" + o.name + "\": " + message);
    }

    Status tensors() const
    {
        std::unordered_map<std::string_view, std::size_t> names;
        std::int64_t total = 0;
        for (std::size_t i = 0; i < m_model.tensors.size(); ++i) {
            const Tensor& t = m_model.tensors[ModelTensorId(i)];
            if (!names.emplace(t.name, i).second)
                return fail(at("tensors", i) + ".name", "the tensor name \"" + t.name + "\" is used twice");
            const std::string path = at("tensors", i) + ".shape";
            if (t.shape.size() > kMaxRank)
                return fail(path, "expected at most 8 dimensions, got " + std::to_string(t.shape.size()));
            for (const std::int64_t d : t.shape)
                if (d < 1 || d > kMaxDimension)
                    return fail(path, "expected sizes from 1 to 2147483648, got " + std::to_string(d));
            if (t.bits < 0 || t.bits > 64 * 1024)
                return fail(at("tensors", i) + ".bits", "expected a width of at most 64 bits");
            total = saturatingAdd(total, t.elements());
            if (total > (std::int64_t{1} << 52))
                return fail(path, "the tensors together have more than 2^52 elements");
        }
        return Unit{};
    }

    Status operators() const
    {
        std::vector<bool> written(m_model.tensors.size(), false);
        std::int64_t macs = 0;
        for (std::size_t i = 0; i < m_model.operators.size(); ++i) {
            const Operator& o = m_model.operators[OperatorId(i)];
            std::vector<Shape> inputs, declared;
            for (const auto* list : {&o.inputs, &o.outputs})
                for (const ModelTensorId t : *list) {
                    if (t.index() >= m_model.tensors.size())
                        return failOp(i, "tensor " + std::to_string(t.value) + " does not exist");
                    (list == &o.inputs ? inputs : declared).push_back(m_model.shape(t));
                }
            const auto shapes = outputShapes(o, inputs, declared);
            if (!shapes)
                return failOp(i, shapes.error().message);
            if (shapes->size() != declared.size())
                return failOp(i, "expected " + std::to_string(shapes->size()) + " outputs, got " +
                                     std::to_string(declared.size()));
            for (std::size_t j = 0; j < declared.size(); ++j) {
                const Tensor& out = m_model.tensors[o.outputs[j]];
                if (declared[j] != (*shapes)[j])
                    return failOp(i, "the shape of the output \"" + out.name + "\" " + shapeText(out.shape) +
                                         " must be " + shapeText((*shapes)[j]));
                if (written[o.outputs[j].index()])
                    return failOp(i,
                                  "the tensor \"" + out.name + "\" is already written by another operator");
                written[o.outputs[j].index()] = true;
            }
            const auto sum = checkedAdd(macs, macsOf(m_model, o));
            if (!sum || *sum > kMaxArea)
                return failOp(i, "more than 2^62 multiply-accumulates up to here");
            macs = *sum;
        }
        return Unit{};
    }

    const Model& m_model;
};

} // namespace

std::span<const OperatorKind> operatorKinds() noexcept
{
    return kKinds;
}

std::string_view toString(OperatorKind kind) noexcept
{
    return kWords[static_cast<std::size_t>(kind)];
}

Attributes attributesOf(OperatorKind kind)
{
    switch (kind) {
    case OperatorKind::MatMul:
        return MatMulAttributes{};
    case OperatorKind::Einsum:
        return EinsumAttributes{};
    case OperatorKind::Conv2d:
    case OperatorKind::ConvTranspose2d:
    case OperatorKind::MaxPool:
    case OperatorKind::AveragePool:
        return WindowAttributes{};
    case OperatorKind::Attention:
        return AttentionAttributes{};
    case OperatorKind::Lstm:
    case OperatorKind::Gru:
    case OperatorKind::Rnn:
        return RecurrentAttributes{};
    case OperatorKind::Elementwise:
        return ElementwiseAttributes{};
    case OperatorKind::Reduce:
        return ReduceAttributes{};
    case OperatorKind::KvAppend:
    case OperatorKind::KvLoad:
        return KvAttributes{};
    case OperatorKind::Transpose:
        return TransposeAttributes{};
    case OperatorKind::Slice:
        return SliceAttributes{};
    case OperatorKind::Split:
    case OperatorKind::Concat:
    case OperatorKind::Gather:
        return AxisAttributes{};
    case OperatorKind::Pad:
        return PadAttributes{};
    case OperatorKind::DepthToSpace:
        return BlockAttributes{};
    default:
        return NoAttributes{};
    }
}

std::int64_t elementsOf(std::span<const std::int64_t> sizes) noexcept
{
    std::int64_t out = 1;
    for (const std::int64_t s : sizes)
        out = saturatingMul(out, s);
    return out;
}

std::int64_t Model::bytes(ModelTensorId t) const
{
    const Tensor& tensor = tensors[t];
    if (tensor.bits > 0)
        return ceilDiv(saturatingMul(tensor.elements(), tensor.bits), 8 * 1024);
    return tensor.elements() * (tensor.elementBytes > 0 ? tensor.elementBytes : dtypeBytes);
}

std::optional<HeadShape> headShape(const Shape& s, std::int64_t heads)
{
    if (s.size() == 4 && (heads == 0 || heads == s[1]))
        return HeadShape{s[0], s[1], s[2], s[3]};
    if (s.size() == 2 && heads > 0 && s[1] % heads == 0)
        return HeadShape{1, heads, s[0], s[1] / heads};
    return std::nullopt;
}

Status checkModel(const Model& model)
{
    return Checker(model).run();
}

std::vector<OperatorId> operatorOrder(const Model& model)
{
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::vector<std::uint32_t> writer(model.tensors.size(), kNone);
    const std::size_t n = model.operators.size();
    for (std::size_t i = 0; i < n; ++i)
        for (const ModelTensorId t : model.operators[OperatorId(i)].outputs)
            writer[t.index()] = static_cast<std::uint32_t>(i);
    std::vector<std::vector<std::uint32_t>> readers(n);
    std::vector<std::size_t> waiting(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        for (const ModelTensorId t : model.operators[OperatorId(i)].inputs)
            if (const std::uint32_t w = writer[t.index()]; w != kNone) {
                readers[w].push_back(static_cast<std::uint32_t>(i));
                ++waiting[i];
            }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < n; ++i)
        if (waiting[i] == 0)
            ready.push(static_cast<std::uint32_t>(i));
    std::vector<OperatorId> order;
    order.reserve(n);
    while (!ready.empty()) {
        const std::uint32_t i = ready.top();
        ready.pop();
        order.emplace_back(i);
        for (const std::uint32_t r : readers[i])
            if (--waiting[r] == 0)
                ready.push(r);
    }
    return order;
}

std::string shapeText(const Shape& shape)
{
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        out += (i ? "," : "") + std::to_string(shape[i]);
    return out + "]";
}

// Multiply-accumulates, and the counts from which they follow: windows, and the letters of an einsum.

std::int64_t windowOutput(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                          std::int64_t dilation) noexcept
{
    const std::int64_t span = in + padding - dilation * (kernel - 1) - 1;
    return span < 0 ? 0 : span / stride + 1;
}

Result<EinsumRoles> einsumRoles(const std::string& equation)
{
    std::string text;
    std::copy_if(equation.begin(), equation.end(), std::back_inserter(text), [](char c) { return c != ' '; });
    const std::size_t comma = text.find(','), arrow = text.find("->");
    if (comma == std::string::npos || arrow == std::string::npos || arrow < comma ||
        text.find(',', comma + 1) != std::string::npos)
        return problemError({}, "the equation \"" + equation + "\" is not of the form \"ab,bc->ac\"");
    EinsumRoles r{text.substr(0, comma),
                  text.substr(comma + 1, arrow - comma - 1),
                  text.substr(arrow + 2),
                  {},
                  {},
                  {},
                  {}};
    for (const std::string* s : {&r.lhs, &r.rhs, &r.out})
        for (std::size_t i = 0; i < s->size(); ++i)
            if (!((*s)[i] >= 'a' && (*s)[i] <= 'z') && !((*s)[i] >= 'A' && (*s)[i] <= 'Z'))
                return problemError({}, "the equation \"" + equation + "\" has more than letters");
            else if (s->find((*s)[i], i + 1) != std::string::npos)
                return problemError({},
                                    "the equation \"" + equation + "\" repeats a letter within one tensor");
    const auto has = [](const std::string& s, char c) { return s.find(c) != std::string::npos; };
    for (const char c : r.lhs) {
        if (!has(r.rhs, c) && !has(r.out, c))
            return problemError({},
                                "the equation \"" + equation + "\" sums over a letter of one operand alone");
        (has(r.rhs, c) ? (has(r.out, c) ? r.batch : r.k) : r.m) += c;
    }
    for (const char c : r.rhs)
        if (!has(r.lhs, c)) {
            if (!has(r.out, c))
                return problemError({}, "the equation \"" + equation +
                                            "\" sums over a letter of one operand alone");
            r.n += c;
        }
    for (const char c : r.out)
        if (!has(r.lhs, c) && !has(r.rhs, c))
            return problemError({}, "the equation \"" + equation + "\" has a letter in the result alone");
    return r;
}

std::int64_t macsOf(const Model& model, const Operator& op)
{
    const auto in = [&](std::size_t i) -> const Shape& { return model.shape(op.inputs[i]); };
    const auto out = [&]() -> const Shape& { return model.shape(op.outputs[0]); };
    switch (op.kind) {
    case OperatorKind::MatMul: {
        const Shape& a = in(0);
        return saturatingMul(elementsOf(out()),
                             op.as<MatMulAttributes>().transposeA ? a[a.size() - 2] : a.back());
    }
    case OperatorKind::Einsum: {
        const auto roles = einsumRoles(op.as<EinsumAttributes>().equation);
        std::int64_t macs = elementsOf(out());
        for (const char c : roles->k)
            macs = saturatingMul(macs, in(0)[roles->lhs.find(c)]);
        return macs;
    }
    case OperatorKind::Conv2d:
        return saturatingMul(elementsOf(out()), elementsOf(std::span(in(1)).subspan(1)));
    case OperatorKind::ConvTranspose2d:
        return saturatingMul(elementsOf(in(0)), elementsOf(std::span(in(1)).subspan(1)));
    case OperatorKind::Attention: {
        const auto& a = op.as<AttentionAttributes>();
        const std::int64_t kvHeads = a.kvHeads > 0 ? a.kvHeads : a.heads;
        const HeadShape q = *headShape(in(0), a.heads), k = *headShape(in(1), kvHeads),
                        v = *headShape(in(2), kvHeads);
        return saturatingMul(saturatingMul(q.batch * q.heads, saturatingMul(q.tokens, k.tokens)),
                             saturatingAdd(q.dims, v.dims));
    }
    case OperatorKind::Lstm:
    case OperatorKind::Gru:
    case OperatorKind::Rnn: {
        const Shape &x = in(0), &w = in(1);
        return saturatingMul(saturatingMul(saturatingMul(x[0], x[1]), saturatingMul(w[0], w[1])),
                             saturatingAdd(w[2], op.as<RecurrentAttributes>().hidden));
    }
    default:
        return 0;
    }
}

std::int64_t macsOf(const Model& model)
{
    std::int64_t sum = 0;
    for (const Operator& op : model.operators)
        sum = saturatingAdd(sum, macsOf(model, op));
    return sum;
}

ModelBuilder::ModelBuilder(std::string name, int dtypeBytes)
{
    m_model.name = std::move(name);
    m_model.dtypeBytes = dtypeBytes;
}

ModelTensorId ModelBuilder::input(std::string name, Shape shape)
{
    m_model.tensors.push_back({std::move(name), std::move(shape), false, 0});
    return ModelTensorId(m_model.tensors.size() - 1);
}

ModelTensorId ModelBuilder::constant(std::string name, Shape shape)
{
    const ModelTensorId t = input(std::move(name), std::move(shape));
    m_model.tensors[t].constant = true;
    return t;
}

ModelTensorId ModelBuilder::add(OperatorKind kind, const std::string& name, std::vector<ModelTensorId> inputs,
                                Attributes attributes, Shape declared)
{
    Operator op{kind, name, {}, std::move(inputs), {}, std::move(attributes)};
    std::vector<Shape> shapes;
    for (const ModelTensorId t : op.inputs)
        shapes.push_back(shape(t));
    const auto out = outputShapes(op, shapes, std::span(&declared, 1));
    if (!out && !m_error)
        m_error = problemError("ops[" + std::to_string(m_model.operators.size()) + "]",
                               std::string(op.typeName()) + " \"" + name + "\": " + out.error().message);
    ModelTensorId first = input(name, out && !out->empty() ? out->front() : declared);
    op.outputs.push_back(first);
    for (std::size_t i = 1; out && i < out->size(); ++i)
        op.outputs.push_back(input(name + "[" + std::to_string(i) + "]", (*out)[i]));
    m_model.operators.push_back(std::move(op));
    return first;
}

ModelTensorId ModelBuilder::linear(const std::string& name, ModelTensorId x, std::int64_t columns)
{
    return matmul(name, x, constant(name + ".weight", {shape(x).back(), columns}));
}

ModelTensorId ModelBuilder::elementwise(const std::string& function, const std::string& name,
                                        std::vector<ModelTensorId> inputs, std::int64_t passes)
{
    return add(OperatorKind::Elementwise, name, std::move(inputs), ElementwiseAttributes{function, passes});
}

Result<Model> ModelBuilder::build() &&
{
    if (m_error)
        return *m_error;
    if (Status s = checkModel(m_model); !s)
        return s.error();
    return std::move(m_model);
}

} // namespace tilewright::model
