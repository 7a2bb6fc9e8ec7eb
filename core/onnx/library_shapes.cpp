// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/library_shapes.h"

#include "base/text.h"

#include <onnx/defs/schema.h>
#include <onnx/defs/shape_inference.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <deque>
#include <new>
#include <set>
#include <string_view>

namespace tilewright::onnx {

namespace pb = ::onnx;
using model::Shape;

namespace {

/// Oldest opset for which the library is used: in older ones it does not check the ranks of operands.
constexpr std::int64_t kOldestOpset = 7;
constexpr std::int64_t kNewestOpset = 17; ///< newest opset that the library supports

/// Node types for which shape inference of the library is not used. Either this program has complete rules
/// for them, or the library may divide by zero, read past the end of short lists, access graphs, or read
/// operands as another type.
const std::set<std::string_view>& excludedTypes()
{
    static const std::set<std::string_view> kTypes{"Conv",
                                                   "ConvInteger",
                                                   "QLinearConv",
                                                   "ConvTranspose",
                                                   "MaxPool",
                                                   "AveragePool",
                                                   "LpPool",
                                                   "MaxUnpool",
                                                   "MaxRoiPool",
                                                   "LSTM",
                                                   "GRU",
                                                   "RNN",
                                                   "Reshape",
                                                   "Slice",
                                                   "Einsum",
                                                   "If",
                                                   "Loop",
                                                   "Scan",
                                                   "SequenceMap",
                                                   "Resize",
                                                   "Upsample",
                                                   "Range",
                                                   "STFT",
                                                   "DFT",
                                                   "MelWeightMatrix",
                                                   "HannWindow",
                                                   "HammingWindow",
                                                   "BlackmanWindow",
                                                   "SplitToSequence",
                                                   "SequenceAt",
                                                   "SequenceConstruct",
                                                   "SequenceEmpty",
                                                   "SequenceErase",
                                                   "SequenceInsert",
                                                   "SequenceLength",
                                                   "ConcatFromSequence",
                                                   "Optional",
                                                   "OptionalGetElement",
                                                   "OptionalHasElement",
                                                   "StringNormalizer",
                                                   "TfIdfVectorizer",
                                                   "Constant",
                                                   "ConstantOfShape",
                                                   "Shape",
                                                   "Size"};
    return kTypes;
}

/// Node types whose operands or attributes changed in an opset that the library does not support.
const std::set<std::string_view>& changedTypes()
{
    static const std::set<std::string_view> kTypes{
        "ReduceL1",   "ReduceL2",      "ReduceLogSum",      "ReduceLogSumExp", "ReduceMax",
        "ReduceMean", "ReduceMin",     "ReduceProd",        "ReduceSumSquare", "Split",
        "Pad",        "CenterCropPad", "GroupNormalization"};
    return kTypes;
}

/// True if the library can use the attributes safely. It divides by most of them, so they must not be zero.
bool hasSafeAttributes(const pb::NodeProto& node)
{
    constexpr std::array<std::string_view, 8> kPositive{"strides",   "dilations",   "kernel_shape", "group",
                                                        "blocksize", "num_outputs", "hidden_size",  "split"};
    constexpr std::int64_t kMost = std::int64_t{1} << 31, kBlock = 1 << 15;
    for (const pb::AttributeProto& a : node.attribute()) {
        const bool positive = std::find(kPositive.begin(), kPositive.end(), a.name()) != kPositive.end();
        const std::int64_t most = a.name() == "blocksize" ? kBlock : kMost;
        const auto fits = [&](std::int64_t v) { return v <= most && v >= (positive ? 1 : -most); };
        if (!(a.type() == pb::AttributeProto::INT ? fits(a.i())
                                                  : std::all_of(a.ints().begin(), a.ints().end(), fits)))
            return false;
    }
    return true;
}

class Context final : public pb::InferenceContext
{
public:
    Context(const Node& node, const Values& values) : m_node(node)
    {
        for (const ValueId id : node.in)
            addInput(id == kNoValue ? nullptr : &values[id], values.data(id));
        m_outputs.resize(std::max<std::size_t>(1, node.out.size()));
    }

    const pb::AttributeProto* getAttribute(const std::string& name) const override
    {
        return m_node.attribute(name.c_str());
    }
    size_t getNumInputs() const override { return m_types.size(); }
    const pb::TypeProto* getInputType(size_t i) const override
    {
        return i < m_types.size() && m_types[i].has_tensor_type() ? &m_types[i] : nullptr;
    }
    const pb::TensorProto* getInputData(size_t i) const override
    {
        return i < m_data.size() && m_data[i].data_type() != 0 ? &m_data[i] : nullptr;
    }
    const pb::SparseTensorProto* getInputSparseData(size_t) const override { return nullptr; }
    const pb::TensorShapeProto* getSymbolicInput(size_t) const override { return nullptr; }
    size_t getNumOutputs() const override { return m_node.out.size(); }
    pb::TypeProto* getOutputType(size_t i) override { return &m_outputs[std::min(i, m_outputs.size() - 1)]; }
    pb::GraphInferencer* getGraphAttributeInferencer(const std::string&) override { return nullptr; }

private:
    void addInput(const Value* value, const Constant* data)
    {
        m_types.emplace_back();
        m_data.emplace_back();
        if (value == nullptr || value->type == 0)
            return;
        auto* type = m_types.back().mutable_tensor_type();
        type->set_elem_type(value->type);
        if (value->shape) {
            auto* shape = type->mutable_shape();
            for (const std::int64_t d : *value->shape)
                shape->add_dim()->set_dim_value(d);
        }
        if (data == nullptr || data->real || data->size() > model::kMaxRank * 4)
            return;
        pb::TensorProto& t = m_data.back();
        t.set_data_type(pb::TensorProto::INT64);
        for (const std::int64_t d : data->shape)
            t.add_dims(d);
        for (const std::int64_t v : data->integers)
            t.add_int64_data(v);
    }

    const Node& m_node;
    std::deque<pb::TypeProto> m_types, m_outputs;
    std::deque<pb::TensorProto> m_data;
};

/// True if the library can use the operands safely: products of sizes do not overflow, and no list creates a
/// shape of too many dimensions.
bool hasSafeOperands(const Node& node, const Values& values)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 52, kLongest = 64;
    for (std::size_t i = 0; i < node.in.size(); ++i) {
        const Shape* s = values.shape(node.in[i]);
        if (s != nullptr && (s->size() > model::kMaxRank || model::elementsOf(*s) > kMost))
            return false;
        if (i > 0 && s != nullptr && s->size() == 1 && s->front() > kLongest &&
            !isReal(values[node.in[i]].type))
            return false;
        if (const Constant* c = values.data(node.in[i]); c != nullptr)
            for (const std::int64_t v : c->integers)
                if (v > kMaxDimension || v < -kMaxDimension)
                    return false;
    }
    return true;
}

} // namespace

void inferByLibrary(const Node& node, Values& values)
{
    const std::string& domain = node.proto->domain();
    if ((!domain.empty() && domain != "ai.onnx") || node.out.empty() || excludedTypes().contains(node.type) ||
        node.opset < kOldestOpset || (node.opset > kNewestOpset && changedTypes().contains(node.type)) ||
        !hasSafeAttributes(*node.proto) || !hasSafeOperands(node, values))
        return;
    const auto opset = static_cast<int>(std::min(node.opset, kNewestOpset));
    const pb::OpSchema* schema = pb::OpSchemaRegistry::Schema(node.type, opset, "");
    if (schema == nullptr || !schema->has_type_and_shape_inference_function())
        return;
    const auto in = static_cast<std::int64_t>(node.in.size()),
               out = static_cast<std::int64_t>(node.out.size());
    if (in < schema->min_input() || in > schema->max_input() || out < schema->min_output() ||
        out > schema->max_output())
        return;
    for (std::size_t i = 0; i < node.in.size(); ++i) // the library assumes that all operands have types
        if (node.in[i] == kNoValue ? static_cast<int>(i) < schema->min_input() : values[node.in[i]].type == 0)
            return;
    Context context(node, values);
    try {
        schema->GetTypeAndShapeInferenceFunction()(context);
    } catch (const std::bad_alloc&) {
        throw; // this is not an error of the model
    } catch (const std::exception&) {
        return;
    }
    for (std::size_t i = 0; i < node.out.size(); ++i) {
        const pb::TypeProto& type = *context.getOutputType(i);
        if (node.out[i] == kNoValue || !type.has_tensor_type())
            continue;
        Value& value = values[node.out[i]];
        value.type = type.tensor_type().elem_type();
        if (!type.tensor_type().has_shape())
            continue;
        Shape shape;
        for (const auto& d : type.tensor_type().shape().dim())
            if (d.has_dim_value() && d.dim_value() >= 0)
                shape.push_back(d.dim_value());
        if (static_cast<int>(shape.size()) == type.tensor_type().shape().dim_size())
            value.shape = std::move(shape);
    }
}

std::string unknownAttributeOf(const pb::GraphProto& graph, std::int64_t opset)
{
    for (const pb::NodeProto& node : graph.node()) {
        const bool isStandard = node.domain().empty() || node.domain() == "ai.onnx";
        const pb::OpSchema* schema =
            isStandard && opset <= kNewestOpset
                ? pb::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(opset), "")
                : nullptr;
        for (const pb::AttributeProto& attribute : node.attribute()) {
            if (schema != nullptr && !schema->attributes().contains(attribute.name())) {
                std::vector<std::string_view> known;
                for (const auto& [name, meaning] : schema->attributes())
                    known.push_back(name);
                const std::string_view meant = similarWord(attribute.name(), known);
                return "the node \"" + node.name() + "\" (" + node.op_type() +
                       ") has an attribute without effect, \"" + attribute.name() + "\"" +
                       (meant.empty() ? std::string() : "; did you mean \"" + std::string(meant) + "\"?");
            }
            std::string inner = unknownAttributeOf(attribute.g(), opset);
            for (int i = 0; inner.empty() && i < attribute.graphs_size(); ++i)
                inner = unknownAttributeOf(attribute.graphs(i), opset);
            if (!inner.empty())
                return inner;
        }
    }
    return {};
}

} // namespace tilewright::onnx
