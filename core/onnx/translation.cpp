// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/translation.h"

#include "model/finish_import.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

namespace tilewright::onnx {

using model::Shape;

const std::unordered_map<std::string_view, Translation::Handler>& Translation::handlers()
{
    using T = Translation;
    static const auto kHandlers = [] {
        std::unordered_map<std::string_view, Handler> out;
        const auto put = [&](Handler handler, std::initializer_list<std::string_view> types) {
            for (const std::string_view t : types)
                out.emplace(t, handler);
        };
        put(&T::elementwise, {"Abs",
                              "Acos",
                              "Acosh",
                              "Add",
                              "And",
                              "Asin",
                              "Asinh",
                              "Atan",
                              "Atanh",
                              "Bernoulli",
                              "BitShift",
                              "BitwiseAnd",
                              "BitwiseNot",
                              "BitwiseOr",
                              "BitwiseXor",
                              "Ceil",
                              "Celu",
                              "Clip",
                              "Cos",
                              "Cosh",
                              "CumSum",
                              "Div",
                              "Elu",
                              "Equal",
                              "Erf",
                              "Exp",
                              "Floor",
                              "Gelu",
                              "Greater",
                              "GreaterOrEqual",
                              "HardSigmoid",
                              "HardSwish",
                              "IsInf",
                              "IsNaN",
                              "LeakyRelu",
                              "Less",
                              "LessOrEqual",
                              "Log",
                              "Max",
                              "Mean",
                              "Min",
                              "Mish",
                              "Mod",
                              "Mul",
                              "Neg",
                              "Not",
                              "Or",
                              "PRelu",
                              "Pow",
                              "RandomNormalLike",
                              "RandomUniformLike",
                              "Reciprocal",
                              "Relu",
                              "Round",
                              "Selu",
                              "Shrink",
                              "Sigmoid",
                              "Sign",
                              "Sin",
                              "Sinh",
                              "Softplus",
                              "Softsign",
                              "Sqrt",
                              "Sub",
                              "Sum",
                              "Swish",
                              "Tan",
                              "Tanh",
                              "ThresholdedRelu",
                              "Where",
                              "Xor"});
        put(&T::identity, {"Identity", "Dropout", "Cast", "CastLike"});
        put(&T::quantise, {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"});
        put(&T::rows, {"Softmax", "LogSoftmax", "Hardmax", "LayerNormalization", "InstanceNormalization",
                       "GroupNormalization", "RMSNormalization", "SimplifiedLayerNormalization",
                       "LpNormalization", "MeanVarianceNormalization", "LRN"});
        put(&T::batchNorm, {"BatchNormalization"});
        put(&T::reduce, {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                         "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"});
        put(&T::argReduce, {"ArgMax", "ArgMin"});
        put(&T::matMul, {"MatMul", "MatMulInteger", "QLinearMatMul"});
        put(&T::gemm, {"Gemm"});
        put(&T::attention, {"Attention"});
        put(&T::rotary, {"RotaryEmbedding"});
        put(&T::einsum, {"Einsum"});
        put(&T::recurrent, {"LSTM", "GRU", "RNN"});
        put(&T::convolution, {"Conv", "ConvInteger", "QLinearConv"});
        put(&T::transposedConvolution, {"ConvTranspose"});
        put(&T::pool, {"MaxPool", "AveragePool", "LpPool"});
        put(&T::globalPool, {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"});
        put(&T::reshaping, {"Reshape", "Flatten", "Squeeze", "Unsqueeze"});
        put(&T::transpose, {"Transpose"});
        put(&T::slice, {"Slice"});
        put(&T::split, {"Split"});
        put(&T::concat, {"Concat"});
        put(&T::expand, {"Expand"});
        put(&T::tile, {"Tile"});
        put(&T::pad, {"Pad"});
        put(&T::gather, {"Gather"});
        put(&T::resize, {"Resize", "Upsample"});
        put(&T::depthToSpace, {"DepthToSpace"});
        put(&T::view,
            {"SpaceToDepth", "GatherElements", "GatherND", "ScatterElements", "ScatterND", "Scatter",
             "ReverseSequence", "OneHot", "Trilu", "MaxUnpool", "CenterCropPad", "Col2Im"});
        return out;
    }();
    return kHandlers;
}

/// Handlers of the operators of Microsoft: quantised and fused operators that ONNX Runtime writes into files.
const std::unordered_map<std::string_view, Translation::Handler>& Translation::microsoftHandlers()
{
    using T = Translation;
    static const std::unordered_map<std::string_view, Handler> kHandlers{
        {"Gelu", &T::elementwise},
        {"FastGelu", &T::elementwise},
        {"BiasGelu", &T::elementwise},
        {"QuickGelu", &T::elementwise},
        {"QLinearAdd", &T::quantisedElementwise},
        {"QLinearMul", &T::quantisedElementwise},
        {"QLinearSigmoid", &T::quantisedElementwise},
        {"QLinearLeakyRelu", &T::quantisedElementwise},
        {"QuantizeLinear", &T::quantise},
        {"DequantizeLinear", &T::quantise},
        {"QLinearGlobalAveragePool", &T::globalPool},
        {"SimplifiedLayerNormalization", &T::rows},
        {"SkipLayerNormalization", &T::skipNorm},
        {"SkipSimplifiedLayerNormalization", &T::skipNorm},
        {"GroupQueryAttention", &T::attention},
        {"MultiHeadAttention", &T::attention},
        {"MatMulNBits", &T::packedMatMul},
        {"FusedMatMul", &T::fusedMatMul},
        {"RotaryEmbedding", &T::rotary},
    };
    return kHandlers;
}

Status Translation::translate(const Node& node)
{
    const std::string& domain = node.proto->domain();
    m_inner.reset();
    const auto& known = domain == "com.microsoft" ? microsoftHandlers() : handlers();
    const auto handler = known.find(node.type);
    if (handler == known.end() || (!domain.empty() && domain != "ai.onnx" && domain != "com.microsoft")) {
        drop(node, domain.empty() || domain == "ai.onnx"
                       ? "this operator is not supported"
                       : "this operator of \"" + domain + "\" is not supported");
        return Unit{};
    }
    if (node.out.empty() || std::all_of(node.out.begin(), node.out.end(), [&](ValueId v) {
            const Shape* s = m_values.shape(v);
            return v == kNoValue || (s != nullptr && model::elementsOf(*s) == 0);
        })) {
        fold(node, "its result is empty");
        return Unit{};
    }
    return (this->*handler->second)(node);
}

bool Translation::mayHaveMacs(const Node& node) const
{
    using T = Translation;
    const auto& known = node.proto->domain() == "com.microsoft" ? microsoftHandlers() : handlers();
    const auto handler = known.find(node.type);
    constexpr std::array<Handler, 9> kProducts{
        &T::matMul,     &T::gemm,        &T::attention,    &T::einsum,
        &T::recurrent,  &T::convolution, &T::packedMatMul, &T::transposedConvolution,
        &T::fusedMatMul};
    return handler == known.end() || std::ranges::find(kProducts, handler->second) != kProducts.end();
}

void Translation::fold(const Node& node, std::string reason)
{
    ImportedNode& report = m_report.nodes[node.index];
    report.fate = Fate::Folded;
    report.note = std::move(reason);
}

void Translation::drop(const Node& node, const std::string& reason)
{
    model::Operator op{Kind::Unknown, node.name, node.type, {}, {}, model::NoAttributes{}};
    for (std::size_t i = 0; i < node.in.size() && op.inputs.size() < 4096; ++i)
        if (const auto t = operand(node, i))
            op.inputs.push_back(*t);
    for (const ValueId v : node.out)
        if (v != kNoValue && m_values[v].isTensor() && !m_values[v].tensor)
            op.outputs.push_back(tensorOf(v));
    ImportedNode& report = m_report.nodes[node.index];
    report.fate = Fate::Dropped;
    report.note = reason;
    report.macsKnown = !mayHaveMacs(node);
    if (op.outputs.empty())
        return;
    m_model.operators.push_back(std::move(op));
    report.op = OperatorId(m_model.operators.size() - 1);
}

std::string Translation::freshName(const std::string& name)
{
    return model::freshName(m_names, name);
}

std::string Translation::freshNodeName(const std::string& name)
{
    return model::freshName(m_nodeNames, name);
}

ModelTensorId Translation::tensorOf(ValueId id)
{
    Value& value = m_values[id];
    if (!value.tensor) {
        value.tensor = ModelTensorId(m_model.tensors.size());
        const Width width = widthOf(value.type);
        m_model.tensors.push_back(
            {freshName(value.name), *value.shape, value.constant, width.bytes, width.bits});
    }
    return *value.tensor;
}

std::optional<ModelTensorId> Translation::operand(const Node& node, std::size_t i)
{
    const ValueId v = node.input(i);
    return v != kNoValue && m_values[v].isTensor() ? std::optional(tensorOf(v)) : std::nullopt;
}

std::optional<Translation::Tensors> Translation::operands(const Node& node,
                                                          const std::vector<std::size_t>& which)
{
    Tensors out;
    for (const std::size_t i : which) {
        const auto t = operand(node, i);
        if (!t) {
            const ValueId v = node.input(i);
            drop(node, v == kNoValue ? "operand " + std::to_string(i) + " is missing"
                                     : "the shape of its operand \"" + m_values[v].name + "\" is not known");
            return std::nullopt;
        }
        out.push_back(*t);
    }
    return out;
}

Error Translation::refuse(const Node& node, const std::string& message) const
{
    return problemError({}, node.type + " \"" + node.name + "\": " + message);
}

Result<std::vector<ModelTensorId>> Translation::add(const Node& node, std::string name, Kind kind,
                                                    Tensors inputs, model::Attributes attributes,
                                                    std::vector<Shape> declared,
                                                    const std::vector<std::string>& outputs, Width width)
{
    model::Operator op{kind, std::move(name), node.type, std::move(inputs), {}, std::move(attributes)};
    std::vector<Shape> shapes;
    for (const ModelTensorId t : op.inputs)
        shapes.push_back(shape(t));
    const auto found = model::outputShapes(op, shapes, declared);
    if (!found)
        return refuse(node, found.error().message);
    if (found->size() != outputs.size())
        return refuse(node, "has " + std::to_string(outputs.size()) + " results instead of " +
                                std::to_string(found->size()));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!Value{{}, (*found)[i], 0, false, {}, {}}.isTensor())
            return refuse(node, "its result " + model::shapeText((*found)[i]) + " is too large");
        op.outputs.emplace_back(m_model.tensors.size());
        m_model.tensors.push_back({outputs[i], (*found)[i], false, width.bytes, width.bits});
    }
    Tensors out = op.outputs;
    m_model.operators.push_back(std::move(op));
    return out;
}

Result<ModelTensorId> Translation::helper(const Node& node, const char* part, Kind kind, Tensors inputs,
                                          model::Attributes attributes, Shape declared)
{
    const std::string name = node.name + "/" + part;
    const Width width = inputs.empty() ? Width{} : widthLike(inputs[0]);
    auto out = add(node, name, kind, std::move(inputs), std::move(attributes), {std::move(declared)},
                   {freshName(name)}, width);
    if (!out)
        return out.error();
    return out->front();
}

Result<ModelTensorId> Translation::reshape(const Node& node, const char* part, ModelTensorId x, Shape wanted)
{
    if (shape(x) == wanted)
        return x;
    if (m_model.tensors[x].constant) { // a constant is stored directly with the new shape
        model::Tensor t = m_model.tensors[x];
        t.name = freshName(t.name);
        t.shape = std::move(wanted);
        m_model.tensors.push_back(std::move(t));
        return ModelTensorId(m_model.tensors.size() - 1);
    }
    return helper(node, part, Kind::Reshape, {x}, model::NoAttributes{}, std::move(wanted));
}

Result<ModelTensorId> Translation::inner(const Node& node, Kind kind, Tensors inputs,
                                         model::Attributes attributes)
{
    const Width width = node.out.empty() || node.out[0] == kNoValue ? widthLike(inputs[0])
                                                                    : widthOf(m_values[node.out[0]].type);
    auto out = add(node, node.name, kind, std::move(inputs), std::move(attributes), {},
                   {freshName(node.name + "/own")}, width);
    if (!out)
        return out.error();
    m_inner = OperatorId(m_model.operators.size() - 1);
    m_report.nodes[node.index].op = m_inner;
    return out->front();
}

Status Translation::result(const Node& node, Kind kind, Tensors inputs, model::Attributes attributes,
                           Shape declared, std::size_t i)
{
    // Stands for a first result that nobody reads; it is computed because the others follow from it.
    Value nameless;
    nameless.name = node.name + ".result" + std::to_string(i);
    Value& value = node.out[i] == kNoValue ? nameless : m_values[node.out[i]];
    if (value.type == 0)
        value.type = node.type == "ConvInteger"  ? ::onnx::TensorProto::INT32
                     : node.input(0) == kNoValue ? ::onnx::TensorProto::FLOAT
                                                 : m_values[node.input(0)].type;
    const std::string name =
        m_inner ? node.name + "/result" + (i > 0 ? std::to_string(i) : std::string()) : node.name;
    auto out = add(node, name, kind, std::move(inputs), std::move(attributes), {std::move(declared)},
                   {freshName(value.name)}, widthOf(value.type));
    if (!out)
        return out.error();
    value.tensor = out->front();
    value.shape = shape(out->front());
    if (!m_inner)
        m_report.nodes[node.index].op = OperatorId(m_model.operators.size() - 1);
    return Unit{};
}

std::optional<Shape> Translation::resultShape(const Node& node, std::optional<Shape> own, std::size_t i)
{
    const Shape* known = node.out[i] == kNoValue ? nullptr : m_values.shape(node.out[i]);
    std::optional<Shape> out = own ? std::move(own) : known != nullptr ? std::optional(*known) : std::nullopt;
    if (!out) {
        drop(node, "the shape of its result is not known before the model runs");
        return std::nullopt;
    }
    if (Value{{}, out, 0, false, {}, {}}.isTensor())
        return out;
    if (node.out[i] != kNoValue)
        m_values[node.out[i]].shape = out;
    if (model::elementsOf(*out) == 0)
        fold(node, "its result is empty");
    else
        drop(node, "its result " + model::shapeText(*out) + " is too large");
    return std::nullopt;
}

void Translation::countLeftOut(const Node& node, const std::vector<std::size_t>& which)
{
    for (const std::size_t i : which)
        if (m_values.isConstant(node.input(i)))
            m_report.leftOutBytes = saturatingAdd(m_report.leftOutBytes, m_values[node.input(i)].bytes());
}

} // namespace tilewright::onnx
