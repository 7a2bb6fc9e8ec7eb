// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/graph_walk.h"

#include "base/text.h"
#include "onnx/fold.h"
#include "onnx/library_shapes.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace tilewright::onnx {

namespace pb = ::onnx;
using model::Shape;

namespace {

std::string nameOf(const pb::NodeProto& node)
{
    if (!node.name().empty())
        return node.name();
    for (const std::string& out : node.output())
        if (!out.empty())
            return out;
    return node.op_type();
}

Error nodeError(const pb::NodeProto& node, const std::string& message)
{
    return problemError({}, node.op_type() + " \"" + nameOf(node) + "\": " + message);
}

/// True for products: their multiply-accumulates count even if all operands are constant.
bool isProduct(const std::string& type)
{
    static const std::set<std::string_view> kTypes{"Conv",   "ConvTranspose", "ConvInteger",   "QLinearConv",
                                                   "MatMul", "MatMulInteger", "QLinearMatMul", "Gemm",
                                                   "Einsum", "LSTM",          "GRU",           "RNN"};
    return kTypes.contains(type);
}

} // namespace

std::vector<Size> sizesOf(const pb::TypeProto& type, const std::string& input)
{
    std::vector<Size> out;
    for (const auto& d : type.tensor_type().shape().dim()) {
        Size size;
        if (d.has_dim_value() && d.dim_value() > 0)
            size.value = d.dim_value();
        else
            size.name = d.has_dim_param() && !d.dim_param().empty()
                            ? d.dim_param()
                            : input + "." + std::to_string(out.size());
        out.push_back(std::move(size));
    }
    return out;
}

bool isNumber(const pb::TypeProto& type)
{
    const auto& tensor = type.tensor_type();
    const int element = tensor.elem_type();
    const auto& sizes = tensor.shape().dim();
    return tensor.has_shape() &&
           (element == pb::TensorProto::INT64 || element == pb::TensorProto::INT32 ||
            element == pb::TensorProto::BOOL) &&
           std::all_of(sizes.begin(), sizes.end(), [](const auto& d) { return d.dim_value() == 1; });
}

Result<std::vector<int>> nodeOrder(const google::protobuf::RepeatedPtrField<pb::NodeProto>& nodes)
{
    std::unordered_map<std::string_view, int> writer;
    for (int i = 0; i < nodes.size(); ++i)
        for (const std::string& out : nodes.Get(i).output())
            if (!out.empty() && !writer.emplace(out, i).second)
                return nodeError(nodes.Get(i),
                                 "the value \"" + out + "\" is already written by another node");
    std::vector<int> order;
    std::vector<std::vector<int>> readers(static_cast<std::size_t>(nodes.size()));
    std::vector<int> waiting(static_cast<std::size_t>(nodes.size()), 0);
    std::set<int> ready;
    for (int i = 0; i < nodes.size(); ++i) {
        for (const std::string& in : nodes.Get(i).input())
            if (const auto w = writer.find(in); !in.empty() && w != writer.end()) {
                readers[static_cast<std::size_t>(w->second)].push_back(i);
                ++waiting[static_cast<std::size_t>(i)];
            }
        if (waiting[static_cast<std::size_t>(i)] == 0)
            ready.insert(i);
    }
    while (!ready.empty()) {
        const int i = *ready.begin();
        ready.erase(ready.begin());
        order.push_back(i);
        for (const int r : readers[static_cast<std::size_t>(i)])
            if (--waiting[static_cast<std::size_t>(r)] == 0)
                ready.insert(r);
    }
    if (static_cast<int>(order.size()) == nodes.size())
        return order;
    const auto left = std::find_if(waiting.begin(), waiting.end(), [](int n) { return n > 0; });
    return nodeError(nodes.Get(static_cast<int>(left - waiting.begin())),
                     "the graph is cyclic: this node waits for its own result");
}

GraphWalk::GraphWalk(const pb::ModelProto& file, const Dimensions& dimensions)
    : m_file(file), m_dimensions(dimensions), m_translation(m_values, m_report)
{
    for (const pb::FunctionProto& f : file.functions())
        m_functions.emplace(std::pair(f.domain(), f.name()), &f);
}

std::int64_t opsetOf(const pb::ModelProto& file)
{
    std::int64_t opset = 1;
    for (const auto& set : file.opset_import())
        if (set.domain().empty() || set.domain() == "ai.onnx")
            opset = set.version();
    return opset;
}

Status GraphWalk::run()
{
    const pb::GraphProto& graph = m_file.graph();
    if (static_cast<std::size_t>(graph.node_size()) > model::kMaxOperators)
        return nodeError(graph.node(static_cast<int>(model::kMaxOperators)),
                         "more than " + formatGrouped(model::kMaxOperators) + " nodes up to this node");
    const std::int64_t opset = opsetOf(m_file);
    if (opset < 1 || opset > model::kMaxOpset)
        return problemError("opset_import", "expected a version from 1 to " +
                                                std::to_string(model::kMaxOpset) + ", got " +
                                                std::to_string(opset));
    m_translation.model().opset = opset;
    if (Status s = addConstants(graph); !s)
        return s;
    if (Status s = addInputs(graph); !s)
        return s;
    addDeclared(graph);
    if (Status s = walk(graph.node(), opset, 0); !s)
        return s;
    for (const pb::ValueInfoProto& v : graph.output())
        if (graph.node_size() > 0 && m_values.find(v.name()) == kNoValue)
            return problemError({}, "the output \"" + v.name() + "\" of the graph is written by no node");
    for (const pb::ValueInfoProto& v : graph.output())
        markNeeded(m_values.find(v.name()));
    return Unit{};
}

void GraphWalk::markNeeded(ValueId value)
{
    if (const auto writer = m_writers.find(value); writer != m_writers.end())
        m_report.nodes[writer->second].needed = true;
}

std::vector<ModelTensorId> GraphWalk::outputs() const
{
    std::vector<ModelTensorId> out;
    for (const pb::ValueInfoProto& v : m_file.graph().output())
        if (const ValueId id = m_values.find(v.name()); id != kNoValue && m_values[id].tensor)
            out.push_back(*m_values[id].tensor);
    return out;
}

Status GraphWalk::addConstants(const pb::GraphProto& graph)
{
    for (const pb::TensorProto& t : graph.initializer())
        if (!m_values.bind(t.name(), m_values.add(valueOf(t))))
            return problemError({}, "the initializer \"" + t.name() + "\" is defined twice");
    for (const pb::SparseTensorProto& t : graph.sparse_initializer()) {
        Value v;
        v.name = t.values().name();
        v.type = t.values().data_type();
        v.constant = true;
        v.shape = Shape(t.dims().begin(), t.dims().end());
        if (std::any_of(v.shape->begin(), v.shape->end(), [](std::int64_t d) { return d < 0; }))
            v.shape.reset();
        if (const std::string name = v.name; !m_values.bind(name, m_values.add(std::move(v))))
            return problemError({}, "the initializer \"" + name + "\" is defined twice");
    }
    return Unit{};
}

Status GraphWalk::addInputs(const pb::GraphProto& graph)
{
    for (const pb::ValueInfoProto& input : graph.input()) {
        if (m_values.find(input.name()) != kNoValue) // older files also list initializers as inputs
            continue;
        Value v;
        v.name = input.name();
        if (input.type().has_tensor_type()) {
            v.type = input.type().tensor_type().elem_type();
            if (v.type == pb::TensorProto::STRING)
                return problemError({}, "the input \"" + input.name() + "\" is text, which has no size");
            if (!input.type().tensor_type().has_shape())
                return problemError({}, "the input \"" + input.name() + "\" has no shape");
            v.shape.emplace();
            for (const Size& size : sizesOf(input.type(), input.name()))
                v.shape->push_back(size.name.empty() ? size.value : m_dimensions.at(size.name));
            if (const auto given = m_dimensions.find(v.name);
                given != m_dimensions.end() && isNumber(input.type())) {
                v.constant = true;
                v.data = Constant{*v.shape, false, {given->second}, {}};
            }
        }
        m_values.bind(input.name(), m_values.add(std::move(v)));
    }
    return Unit{};
}

void GraphWalk::addDeclared(const pb::GraphProto& graph)
{
    for (const auto* list : {&graph.value_info(), &graph.output()})
        for (const pb::ValueInfoProto& v : *list)
            if (v.type().has_tensor_type() && v.type().tensor_type().has_shape())
                m_declared.emplace(v.name(), &v.type());
}

std::optional<Shape> GraphWalk::declaredShape(const pb::TypeProto& type) const
{
    Shape out;
    for (const auto& d : type.tensor_type().shape().dim()) {
        const auto free = m_dimensions.find(d.dim_param());
        if (d.has_dim_value() && d.dim_value() > 0)
            out.push_back(d.dim_value());
        else if (d.has_dim_param() && free != m_dimensions.end())
            out.push_back(free->second);
        else
            return std::nullopt;
    }
    return out;
}

Status GraphWalk::walk(const Nodes& nodes, std::int64_t opset, int depth)
{
    const auto order = nodeOrder(nodes);
    if (!order)
        return order.error();
    for (const int i : *order)
        if (Status s = walkNode(nodes.Get(i), opset, depth); !s)
            return s;
    return Unit{};
}

Status GraphWalk::walkNode(const pb::NodeProto& proto, std::int64_t opset, int depth)
{
    if (depth > 0 && ++m_nestedNodes > kMaxNestedNodes)
        return nodeError(proto, "more than " + formatGrouped(kMaxNestedNodes) +
                                    " nodes in branches, loops and functions up to this node");
    Node node;
    node.proto = &proto;
    node.name = m_translation.freshNodeName(nameOf(proto));
    node.type = proto.op_type();
    node.opset = opset;
    node.index = m_report.nodes.size();
    m_report.nodes.push_back({node.name, node.type, Fate::Operator, std::nullopt, 0, 0, {}});
    for (const std::string& in : proto.input()) {
        node.in.push_back(in.empty() ? kNoValue : m_values.find(in));
        if (!in.empty() && node.in.back() == kNoValue)
            return nodeError(proto, "reads \"" + in + "\", which no node writes");
    }
    for (const std::string& out : proto.output()) {
        Value v;
        v.name = out;
        node.out.push_back(out.empty() ? kNoValue : m_values.add(std::move(v)));
    }
    const auto inside = walkNested(node, depth);
    if (!inside)
        return inside.error();
    if (!*inside) {
        infer(node);
        if (!foldIfConstant(node))
            if (Status s = m_translation.translate(node); !s)
                return s;
    }
    if (depth > 0) // a result of a node inside a branch or loop is not traced back to the branch or loop
        m_report.nodes[node.index].needed = true;
    if (m_report.nodes[node.index].fate != Fate::Folded)
        for (const ValueId v : node.in)
            markNeeded(v);
    for (const ValueId v : node.out)
        if (v != kNoValue)
            m_writers.emplace(v, node.index);
    for (const auto* list : {&node.in, &node.out})
        for (const ValueId v : *list)
            if (v != kNoValue)
                m_report.nodes[node.index].bytes =
                    saturatingAdd(m_report.nodes[node.index].bytes, m_values[v].bytes());
    for (int i = 0; i < proto.output_size(); ++i)
        if (const ValueId v = node.out[static_cast<std::size_t>(i)]; v != kNoValue)
            if (!m_values.bind(proto.output(i), v))
                return nodeError(proto, "the value \"" + proto.output(i) + "\" is already written");
    return Unit{};
}

void GraphWalk::infer(const Node& node)
{
    if (node.type == "Constant" && !node.out.empty() && node.out[0] != kNoValue) {
        if (const pb::AttributeProto* a = node.attribute("value"); a != nullptr && a->has_t()) {
            Value v = valueOf(a->t());
            v.name = m_values[node.out[0]].name;
            m_values[node.out[0]] = std::move(v);
        } else if (const pb::AttributeProto* s = node.attribute("sparse_value"); s != nullptr) {
            m_values[node.out[0]].type = s->sparse_tensor().values().data_type();
            m_values[node.out[0]].shape =
                Shape(s->sparse_tensor().dims().begin(), s->sparse_tensor().dims().end());
        }
    }
    inferByLibrary(node, m_values);
    if (node.proto->domain().empty() || node.proto->domain() == "ai.onnx")
        inferByRule(node, m_values);
    for (const ValueId v : node.out) {
        if (v == kNoValue)
            continue;
        if (const auto declared = m_declared.find(m_values[v].name); declared != m_declared.end()) {
            if (m_values[v].type == 0)
                m_values[v].type = declared->second->tensor_type().elem_type();
            if (!m_values[v].shape)
                m_values[v].shape = declaredShape(*declared->second);
        }
    }
}

/// Folds a node whose results are known from shapes and constants. Returns true if it was folded.
bool GraphWalk::foldIfConstant(const Node& node)
{
    const auto typed = [&] {
        for (const ValueId v : node.out)
            if (v != kNoValue && m_values[v].type == 0)
                m_values[v].type = m_values[v].data && m_values[v].data->real ? pb::TensorProto::FLOAT
                                                                              : pb::TensorProto::INT64;
    };
    const bool plain = node.proto->domain().empty() || node.proto->domain() == "ai.onnx";
    if (plain && fold(node, m_values)) {
        typed();
        m_translation.fold(node, node.type == "Constant"
                                     ? "a constant"
                                     : "known from shapes and constants before the model runs");
        return true;
    }
    if (!plain || isProduct(node.type) || node.out.empty() ||
        !std::all_of(node.in.begin(), node.in.end(),
                     [&](ValueId v) { return v == kNoValue || m_values[v].constant; }) ||
        !std::all_of(node.out.begin(), node.out.end(),
                     [&](ValueId v) { return v == kNoValue || m_values[v].shape.has_value(); }))
        return false;
    for (const ValueId v : node.out)
        if (v != kNoValue)
            m_values[v].constant = true;
    typed();
    m_translation.fold(node, node.type == "Constant" ? "a constant"
                                                     : "computed from constants only, so it is a constant");
    return true;
}

} // namespace tilewright::onnx
