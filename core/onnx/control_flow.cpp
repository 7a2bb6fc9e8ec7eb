// SPDX-License-Identifier: GPL-3.0-or-later
// Control flow: branches, loops and functions that certainly run are replaced by their nodes.
#include "onnx/graph_walk.h"

#include <algorithm>

namespace tilewright::onnx {

namespace pb = ::onnx;
using model::Shape;

namespace {

constexpr int kMaxDepth = 32;
constexpr std::int64_t kMaxSteps = 4096;

/// True if a loop never ends early, because its body does not change the condition, or the condition is a
/// constant `true`.
bool neverEndsEarly(const pb::GraphProto& body)
{
    std::string name = body.output(0).name();
    for (int steps = 0; steps <= body.node_size(); ++steps) {
        if (body.input_size() > 1 && name == body.input(1).name())
            return true;
        for (const pb::TensorProto& t : body.initializer())
            if (t.name() == name) {
                const Value v = valueOf(t);
                return v.data && v.data->integers == std::vector<std::int64_t>{1};
            }
        const auto writer = std::find_if(body.node().begin(), body.node().end(), [&](const pb::NodeProto& n) {
            return n.output_size() == 1 && n.output(0) == name;
        });
        if (writer == body.node().end())
            return false;
        if (writer->op_type() == "Constant") {
            for (const pb::AttributeProto& a : writer->attribute())
                if (a.name() == "value" && a.has_t()) {
                    const Value v = valueOf(a.t());
                    return v.data && v.data->integers == std::vector<std::int64_t>{1};
                }
            return false;
        }
        if ((writer->op_type() != "Identity" && writer->op_type() != "Cast") || writer->input_size() != 1)
            return false;
        name = writer->input(0);
    }
    return false;
}

std::vector<std::string> resultsOf(const pb::GraphProto& graph)
{
    std::vector<std::string> names;
    for (const auto& out : graph.output())
        names.push_back(out.name());
    return names;
}

} // namespace

Result<bool> GraphWalk::walkNested(Node& node, int depth)
{
    const bool plain = node.proto->domain().empty() || node.proto->domain() == "ai.onnx";
    const auto function = m_functions.find({node.proto->domain(), node.type});
    const bool isFunction = function != m_functions.end();
    if (!isFunction && (!plain || (node.type != "If" && node.type != "Loop" && node.type != "Scan")))
        return false;
    if (depth >= kMaxDepth)
        return problemError({}, node.type + " \"" + node.name + "\": its graphs are nested too deep");
    const Status s = isFunction            ? this->function(node, *function->second, depth)
                     : node.type == "If"   ? branch(node, depth)
                     : node.type == "Loop" ? loop(node, depth)
                                           : scan(node, depth);
    if (!s)
        return s.error();
    return true;
}

Status GraphWalk::checkWritten(const std::vector<std::string>& names) const
{
    for (const std::string& name : names)
        if (m_values.find(name) == kNoValue)
            return problemError({}, "the graph has the output \"" + name + "\", which no node writes");
    return Unit{};
}

Status GraphWalk::branch(Node& node, int depth)
{
    const pb::AttributeProto *then = node.attribute("then_branch"),
                             *otherwise = node.attribute("else_branch");
    if (then == nullptr || otherwise == nullptr)
        return problemError({}, "If \"" + node.name + "\": does not have two branches");
    const auto condition = m_values.integers(node.input(0));
    if (!condition || condition->size() != 1) {
        // A result shape is known if both branches declare the same one.
        for (std::size_t i = 0; i < node.out.size(); ++i) {
            const int at = static_cast<int>(i);
            if (node.out[i] == kNoValue || at >= then->g().output_size() ||
                at >= otherwise->g().output_size())
                continue;
            const pb::TypeProto &a = then->g().output(at).type(), &b = otherwise->g().output(at).type();
            Value& v = m_values[node.out[i]];
            v.type = a.tensor_type().elem_type();
            if (a.tensor_type().has_shape() && b.tensor_type().has_shape() &&
                declaredShape(a) == declaredShape(b))
                v.shape = declaredShape(a);
        }
        infer(node);
        m_translation.drop(node,
                           "its condition is not known before the model runs, so neither branch is taken");
        return Unit{};
    }
    const pb::GraphProto& graph = (condition->front() != 0 ? then : otherwise)->g();
    if (graph.output_size() != static_cast<int>(node.out.size()))
        return problemError({}, "If \"" + node.name + "\": the number of results of its branch is wrong");
    m_values.enterScope();
    Status s = addConstants(graph);
    addDeclared(graph);
    if (s)
        s = walk(graph.node(), node.opset, depth + 1);
    const std::vector<std::string> names = resultsOf(graph);
    if (s)
        s = checkWritten(names);
    for (std::size_t i = 0; s && i < names.size(); ++i)
        if (node.out[i] != kNoValue)
            node.out[i] = m_values.find(names[i]);
    m_values.leaveScope();
    m_translation.fold(node, condition->front() != 0
                                 ? "its condition is true: replaced by the nodes of its first branch"
                                 : "its condition is false: replaced by the nodes of its second branch");
    return s;
}

Status GraphWalk::loop(Node& node, int depth)
{
    const pb::AttributeProto* attribute = node.attribute("body");
    const std::size_t carried = node.in.size() < 2 ? 0 : node.in.size() - 2;
    if (attribute == nullptr || attribute->g().output_size() < static_cast<int>(1 + carried) ||
        attribute->g().input_size() != static_cast<int>(2 + carried) ||
        static_cast<int>(node.out.size()) > attribute->g().output_size() - 1)
        return problemError({}, "Loop \"" + node.name + "\": the operands do not match its body");
    const pb::GraphProto& body = attribute->g();
    const auto count = m_values.integers(node.input(0)), first = m_values.integers(node.input(1));
    const bool starts = node.input(1) == kNoValue || (first && first->size() == 1);
    const std::int64_t steps = !count || count->size() != 1   ? -1
                               : first && first->front() == 0 ? 0
                                                              : count->front();
    if (!starts || steps < 0 || steps > kMaxSteps ||
        saturatingMul(steps, std::max(1, body.node_size())) > static_cast<std::int64_t>(kMaxNestedNodes) ||
        !neverEndsEarly(body)) {
        infer(node);
        m_translation.drop(node, "the number of its iterations is not known before the model runs");
        return Unit{};
    }
    std::vector<ValueId> state(node.in.begin() +
                                   static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, node.in.size())),
                               node.in.end());
    std::vector<std::vector<ValueId>> collected(static_cast<std::size_t>(body.output_size()) - 1 - carried);
    for (std::int64_t step = 0; step < steps; ++step) {
        const auto known = [&](int input, std::int64_t value, int type) {
            Value v;
            v.name = body.input(input).name();
            v.type = type;
            v.shape = Shape{};
            v.constant = true;
            v.data = Constant{{}, false, {value}, {}};
            return m_values.add(std::move(v));
        };
        std::vector<ValueId> given{known(0, step, pb::TensorProto::INT64),
                                   known(1, 1, pb::TensorProto::BOOL)};
        given.insert(given.end(), state.begin(), state.end());
        const auto results = walkBody(body, given, node.opset, depth);
        if (!results)
            return results.error();
        for (std::size_t i = 1; i < results->size(); ++i)
            if (i <= carried)
                state[i - 1] = (*results)[i];
            else
                collected[i - 1 - carried].push_back((*results)[i]);
    }
    return setLoopResults(node, state, collected, steps);
}

Result<std::vector<ValueId>> GraphWalk::walkBody(const pb::GraphProto& body,
                                                 const std::vector<ValueId>& given, std::int64_t opset,
                                                 int depth)
{
    m_values.enterScope();
    for (std::size_t i = 0; i < given.size(); ++i)
        m_values.bind(body.input(static_cast<int>(i)).name(), given[i]);
    Status s = addConstants(body);
    if (s)
        s = walk(body.node(), opset, depth + 1);
    const std::vector<std::string> names = resultsOf(body);
    if (s)
        s = checkWritten(names);
    std::vector<ValueId> out;
    for (std::size_t i = 0; s && i < names.size(); ++i)
        out.push_back(m_values.find(names[i]));
    m_values.leaveScope();
    if (!s)
        return s.error();
    return out;
}

Status GraphWalk::setLoopResults(Node& node, const std::vector<ValueId>& state,
                                 const std::vector<std::vector<ValueId>>& collected, std::int64_t steps)
{
    for (std::size_t i = 0; i < node.out.size(); ++i) {
        if (node.out[i] == kNoValue)
            continue;
        if (i < state.size())
            node.out[i] = state[i];
        else if (Status s = m_translation.stack(node, i, collected[i - state.size()]); !s)
            return s;
    }
    m_translation.fold(node, "replaced by " + std::to_string(steps) + " copies of its nodes");
    return Unit{};
}

Status GraphWalk::scan(Node& node, int depth)
{
    const pb::AttributeProto* attribute = node.attribute("body");
    const std::int64_t scanned = node.integer("num_scan_inputs", 0);
    const auto inputs = static_cast<std::int64_t>(node.in.size());
    if (attribute == nullptr || scanned < 1 || scanned > inputs || attribute->g().input_size() != inputs ||
        attribute->g().output_size() < inputs - scanned ||
        static_cast<int>(node.out.size()) > attribute->g().output_size())
        return problemError({}, "Scan \"" + node.name + "\": the operands do not match its body");
    const pb::GraphProto& body = attribute->g();
    const auto carried = static_cast<std::size_t>(inputs - scanned);
    const auto list = [&](const char* name) {
        return node.integers(name).value_or(std::vector<std::int64_t>());
    };
    const std::vector<std::int64_t> axes = list("scan_input_axes"), backwards = list("scan_input_directions"),
                                    outAxes = list("scan_output_axes"),
                                    outBackwards = list("scan_output_directions");
    const auto leave = [&](const std::string& reason) {
        infer(node);
        m_translation.drop(node, reason);
        return Unit{};
    };
    const auto notZero = [](std::int64_t n) { return n != 0; };
    if (node.opset < 9)
        return leave("a scan of opset 8, which runs over batches; opset 9 and later are supported");
    if (std::ranges::any_of(outAxes, notZero) || std::ranges::any_of(outBackwards, notZero))
        return leave("a scan that writes its results along another axis or backwards");
    std::vector<std::size_t> along;
    std::int64_t steps = -1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(scanned); ++i) {
        const ValueId v = node.in[carried + i];
        const Shape* shape = m_values.shape(v);
        const auto axis =
            shape == nullptr ? std::nullopt : axisOf(i < axes.size() ? axes[i] : 0, shape->size());
        if (!axis || !m_values[v].isTensor() || (steps >= 0 && (*shape)[*axis] != steps))
            return leave("the number of its iterations is not known before the model runs");
        steps = (*shape)[*axis];
        along.push_back(*axis);
    }
    if (steps > kMaxSteps ||
        saturatingMul(steps, std::max(1, body.node_size())) > static_cast<std::int64_t>(kMaxNestedNodes))
        return leave("its " + std::to_string(steps) + " iterations have too many nodes");
    std::vector<ValueId> state(node.in.begin(), node.in.begin() + static_cast<std::ptrdiff_t>(carried));
    std::vector<std::vector<ValueId>> collected(static_cast<std::size_t>(body.output_size()) - carried);
    for (std::int64_t step = 0; step < steps; ++step) {
        std::vector<ValueId> given = state;
        for (std::size_t i = 0; i < along.size(); ++i) {
            const bool back = i < backwards.size() && backwards[i] != 0;
            const auto one =
                m_translation.sliceOf(node, carried + i, along[i], back ? steps - 1 - step : step);
            if (!one)
                return one.error();
            given.push_back(*one);
        }
        const auto results = walkBody(body, given, node.opset, depth);
        if (!results)
            return results.error();
        for (std::size_t i = 0; i < results->size(); ++i)
            if (i < carried)
                state[i] = (*results)[i];
            else
                collected[i - carried].push_back((*results)[i]);
    }
    return setLoopResults(node, state, collected, steps);
}

Status GraphWalk::function(Node& node, const pb::FunctionProto& function, int depth)
{
    std::int64_t opset = node.opset;
    for (const auto& set : function.opset_import())
        if (set.domain().empty() || set.domain() == "ai.onnx")
            opset = set.version();
    m_values.enterScope();
    for (int i = 0; i < function.input_size() && i < static_cast<int>(node.in.size()); ++i)
        if (const ValueId v = node.in[static_cast<std::size_t>(i)]; v != kNoValue)
            m_values.bind(function.input(i), v);
    Status s = walk(function.node(), opset, depth + 1);
    std::vector<std::string> names(function.output().begin(), function.output().end());
    names.resize(std::min(names.size(), node.out.size()));
    if (s)
        s = checkWritten(names);
    for (std::size_t i = 0; s && i < names.size(); ++i)
        if (node.out[i] != kNoValue)
            node.out[i] = m_values.find(names[i]);
    m_values.leaveScope();
    m_translation.fold(node, "replaced by the nodes of its function");
    return s;
}

} // namespace tilewright::onnx
