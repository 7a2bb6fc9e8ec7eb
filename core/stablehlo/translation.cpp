// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/translation.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <algorithm>

namespace tilewright::stablehlo {

using model::Shape;

namespace {

std::string typeText(const Type& type)
{
    return type.isTensor ? model::shapeText(type.shape) : "no tensor";
}

/// The name of an operator without "stablehlo.", or without "mhlo." in older programs.
std::string_view withoutDialect(std::string_view name)
{
    for (const std::string_view dialect : {"stablehlo.", "mhlo.", "chlo."})
        if (name.starts_with(dialect))
            return name.substr(dialect.size());
    return name;
}

} // namespace

Status Translation::run(const Function& function)
{
    Names names;
    for (const Argument& a : function.arguments) {
        Value value{a.name.empty() ? printable(a.id) : a.name, a.type};
        m_values.push_back(std::move(value));
        if (!names.emplace(a.id, m_values.size() - 1).second)
            return problemError(lineText(a.line), "the argument " + printable(a.id) + " occurs twice");
        if (a.type.isTensor && !a.type.isEmpty())
            if (const auto input = tensorOf(m_values.size() - 1); !input)
                return input.error();
    }
    const auto results = body(function, names, {});
    if (!results)
        return results.error();
    for (const ValueIndex v : *results) // a broadcast that the program returns must be an operator
        if (m_values[v].type.isTensor && !m_values[v].type.isEmpty())
            if (const auto t = tensorOf(v); !t)
                return t.error();
    markNeeded(*results);
    tell("the arguments of the function, its weights among them, are inputs of the model; constants in the "
         "file "
         "are weights");
    return Unit{};
}

void Translation::tell(std::string note)
{
    if (std::ranges::find(m_report.notes, note) == m_report.notes.end())
        m_report.notes.push_back(std::move(note));
}

/// Marks dropped operators whose results another operator or the caller reads.
void Translation::markNeeded(const std::vector<ValueIndex>& results)
{
    std::vector<bool> isRead(m_model.tensors.size(), false);
    for (const model::Operator& op : m_model.operators)
        for (const ModelTensorId t : op.inputs)
            isRead[t.index()] = true;
    for (const ValueIndex v : results)
        if (m_values[v].tensor)
            isRead[m_values[v].tensor->index()] = true;
    for (onnx::ImportedNode& node : m_report.nodes)
        if (node.fate == onnx::Fate::Dropped && node.op)
            node.needed = std::ranges::any_of(m_model.operators[*node.op].outputs,
                                              [&](ModelTensorId t) { return isRead[t.index()]; });
}

Result<std::vector<ValueIndex>> Translation::body(const Function& function, Names& names,
                                                  const std::string& prefix)
{
    const auto fail = [](std::uint32_t line, std::string message) {
        return problemError(lineText(line), std::move(message));
    };
    if (std::ranges::find(m_active, function.name) != m_active.end() || m_active.size() >= kMaxNesting)
        return fail(function.line,
                    "the function @" + printable(function.name) +
                        (m_active.size() >= kMaxNesting
                             ? " is called more than " + std::to_string(kMaxNesting) + " levels deep"
                             : " calls itself"));
    m_active.push_back(function.name);
    for (std::size_t at = function.body.begin; at < function.body.end;) {
        const auto s = m_program.statementAt(at, function.body.end);
        if (!s)
            return s.error();
        if (++m_steps > model::kMaxOperators)
            return fail(s->line,
                        "more than 1000000 operators, those of called functions counted at each call");
        if (s->name == "return" || s->name == "func.return" || s->name == "stablehlo.return") {
            m_active.pop_back();
            return operandsOf(*s, names);
        }
        if (Status done = statement(*s, names, prefix); !done)
            return done.error();
    }
    return fail(function.line, "the function @" + printable(function.name) + " has no \"return\"");
}

Result<std::vector<ValueIndex>> Translation::operandsOf(const Statement& s, const Names& names) const
{
    std::vector<ValueIndex> out;
    for (const std::string_view id : s.operands) {
        const auto known = names.find(id);
        if (known == names.end())
            return problemError(lineText(s.line), printable(s.name) + ": its operand " + printable(id) +
                                                      " is not defined above");
        out.push_back(known->second);
    }
    return out;
}

Result<std::vector<ValueIndex>> Translation::call(const Statement& s, const Node& node)
{
    const Function* callee = m_program.find(s.symbol);
    if (const auto at = m_program.attribute(s, "decomposition"); at)
        callee = m_program.find(m_program.token(*at).text);
    else if (const auto target = m_program.attribute(s, "callee"); target)
        callee = m_program.find(m_program.token(*target).text);
    if (callee == nullptr || callee->body.begin >= callee->body.end)
        return refuse(node, "the function that it calls is not in the file");
    if (callee->arguments.size() != node.operands.size())
        return refuse(node, "has " + std::to_string(node.operands.size()) + " operands, but @" +
                                printable(callee->name) + " has " + std::to_string(callee->arguments.size()));
    Names inside;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
        const Type &given = m_values[node.operands[i]].type, &wanted = callee->arguments[i].type;
        if (given != wanted)
            return refuse(node, "its operand " + std::to_string(i) + " is " + typeText(given) + ", but @" +
                                    printable(callee->name) + " takes " + typeText(wanted));
        inside[callee->arguments[i].id] = node.operands[i];
    }
    fold(node, "replaced by the operators of @" + printable(callee->name));
    auto results = body(*callee, inside, node.name + "/");
    if (!results)
        return results.error();
    if (results->size() != node.results.size())
        return refuse(node, "has " + std::to_string(node.results.size()) + " results, but @" +
                                printable(callee->name) + " gives " + std::to_string(results->size()));
    return results;
}

Status Translation::checkOperands(const Node& node) const
{
    const Statement& s = *node.statement;
    if (!s.hasSignature)
        return Unit{};
    if (s.operandTypes.size() != node.operands.size())
        return refuse(node, "has " + std::to_string(node.operands.size()) + " operands and the types of " +
                                std::to_string(s.operandTypes.size()));
    for (std::size_t i = 0; i < node.operands.size(); ++i)
        if (const Type& known = m_values[node.operands[i]].type; known.shape != s.operandTypes[i].shape)
            return refuse(node, "its operand " + std::to_string(i) + " is " + typeText(known) + ", not " +
                                    typeText(s.operandTypes[i]));
    return Unit{};
}

Status Translation::statement(const Statement& s, Names& names, const std::string& prefix)
{
    Node node;
    node.statement = &s;
    node.type = withoutDialect(s.name);
    node.name = !s.location.empty() ? s.location
                : s.results.empty() ? prefix + std::string(node.type)
                                    : prefix + std::string(s.results.front().first);
    node.name = model::freshName(m_nodeNames, printable(node.name));
    node.index = m_report.nodes.size();
    m_report.nodes.push_back({node.name, printable(node.type), onnx::Fate::Operator, {}, 0, 0, {}});
    if (s.resultTypes.size() != s.resultCount() && !s.results.empty())
        return refuse(node, "has " + std::to_string(s.resultCount()) + " results and the types of " +
                                std::to_string(s.resultTypes.size()));
    const bool isCall = node.type == "call" || node.type == "func.call" || node.type == "composite";
    const auto known = handlers().find(node.type);
    const bool isKnown = isCall || (known != handlers().end() && known->second != &Translation::withoutMacs);
    if (isKnown) {
        auto operands = operandsOf(s, names);
        if (!operands)
            return operands.error();
        node.operands = std::move(*operands);
        // The printed form of a reduction has its operands in pairs: "(%x init: %c), (%y init: %d)".
        if (node.type == "reduce" && node.operands.size() % 2 == 0 && m_program.mentions(s, "init")) {
            std::vector<ValueIndex> sorted;
            for (const std::size_t first : {0U, 1U})
                for (std::size_t i = first; i < node.operands.size(); i += 2)
                    sorted.push_back(node.operands[i]);
            node.operands = std::move(sorted);
        }
        if (Status types = checkOperands(node); !types)
            return types;
    } else {
        for (const std::string_view id : s.operands)
            if (const auto value = names.find(id); value != names.end())
                node.operands.push_back(value->second);
    }
    std::int64_t bytes = 0;
    for (const ValueIndex v : node.operands)
        bytes = saturatingAdd(bytes, m_values[v].type.allBytes());
    std::size_t i = 0;
    for (const auto& [id, count] : s.results)
        for (std::size_t k = 0; k < count; ++k, ++i) {
            Value value{s.resultCount() > 1 ? node.name + "#" + std::to_string(i) : node.name,
                        s.resultTypes[i]};
            bytes = saturatingAdd(bytes, value.type.allBytes());
            m_values.push_back(std::move(value));
            node.results.push_back(m_values.size() - 1);
        }
    m_report.nodes[node.index].bytes = bytes;
    const auto bindAll = [&](const std::vector<ValueIndex>& values) -> Status {
        std::size_t next = 0;
        for (const auto& [id, count] : s.results)
            for (std::size_t k = 0; k < count; ++k, ++next) {
                if (k == 0 && !names.emplace(id, values[next]).second)
                    return refuse(node, printable(id) + " is defined twice");
                if (count > 1)
                    names.emplace(m_texts.emplace_back(std::string(id) + "#" + std::to_string(k)),
                                  values[next]);
            }
        return Unit{};
    };
    if (isCall) {
        const auto results = call(s, node);
        return results ? bindAll(*results) : Status(results.error());
    }
    if (Status done = translate(node); !done)
        return done;
    return bindAll(node.results);
}

bool Translation::allConstant(const Node& node) const
{
    return std::ranges::all_of(node.operands, [&](ValueIndex v) { return m_values[v].constant; });
}

ModelTensorId Translation::addTensor(const std::string& name, const Shape& shape, const Type& type,
                                     bool constant)
{
    m_model.tensors.push_back({model::freshName(m_names, name), shape, constant, type.bytes, type.bits});
    return ModelTensorId(m_model.tensors.size() - 1);
}

Result<ModelTensorId> Translation::tensorOf(ValueIndex index)
{
    if (m_values[index].tensor)
        return *m_values[index].tensor;
    if (!m_values[index].source) {
        Value& value = m_values[index];
        value.tensor = addTensor(value.name, value.type.shape, value.type, value.constant);
        return *value.tensor;
    }
    const auto narrow = narrowOf(index);
    if (!narrow)
        return narrow.error();
    Value& value = m_values[index];
    if (shape(*narrow) == value.type.shape) {
        value.tensor = *narrow;
        return *narrow;
    }
    Node node;
    node.name = value.name;
    node.type = "broadcast_in_dim";
    node.index = value.node;
    const auto wide = add(node, value.name, Kind::Expand, {*narrow}, model::NoAttributes{}, value.type.shape,
                          value.name, value.type);
    if (!wide)
        return wide.error();
    m_values[index].tensor = *wide;
    onnx::ImportedNode& report = m_report.nodes[value.node];
    report.fate = onnx::Fate::Operator;
    report.note.clear();
    report.op = OperatorId(m_model.operators.size() - 1);
    return *wide;
}

Result<ModelTensorId> Translation::narrowOf(ValueIndex index)
{
    if (m_values[index].narrow)
        return *m_values[index].narrow;
    if (m_values[index].tensor)
        return *m_values[index].tensor;
    if (m_values[index].splat) {
        Value& value = m_values[index];
        value.narrow = addTensor(value.name, {}, value.type, true);
        return *value.narrow;
    }
    if (!m_values[index].source)
        return tensorOf(index);
    const auto source = tensorOf(*m_values[index].source);
    if (!source)
        return source.error();
    Node node;
    node.name = m_values[index].name;
    node.type = "broadcast_in_dim";
    const auto out = reshaped(node, "narrow", *source, m_values[index].narrowShape);
    if (!out)
        return out.error();
    m_values[index].narrow = *out;
    return *out;
}

Result<Translation::Tensors> Translation::tensorsOf(const Node& node, std::size_t count)
{
    if (node.operands.size() < count)
        return refuse(node, "has " + std::to_string(node.operands.size()) + " operands instead of " +
                                std::to_string(count));
    Tensors out;
    for (std::size_t i = 0; i < count; ++i) {
        const auto t = tensorOf(node.operands[i]);
        if (!t)
            return t.error();
        out.push_back(*t);
    }
    return out;
}

Result<ModelTensorId> Translation::add(const Node& node, std::string name, Kind kind, Tensors inputs,
                                       model::Attributes attributes, const Shape& declared,
                                       const std::string& output, const Type& width)
{
    model::Operator op{kind, std::move(name),      printable(node.type), std::move(inputs),
                       {},   std::move(attributes)};
    std::vector<Shape> shapes;
    for (const ModelTensorId t : op.inputs)
        shapes.push_back(shape(t));
    const auto found = model::outputShapes(op, shapes, std::span(&declared, 1));
    if (!found)
        return refuse(node, found.error().message);
    op.outputs.push_back(addTensor(output, found->front(), width, false));
    const ModelTensorId out = op.outputs.front();
    m_model.operators.push_back(std::move(op));
    return out;
}

Result<ModelTensorId> Translation::helper(const Node& node, const char* part, Kind kind, ModelTensorId input,
                                          model::Attributes attributes, const Shape& declared)
{
    const std::string name = node.name + "/" + part;
    const model::Tensor& t = m_model.tensors[input];
    return add(node, name, kind, {input}, std::move(attributes), declared, name,
               Type{true, {}, t.elementBytes, t.bits});
}

Result<ModelTensorId> Translation::reshaped(const Node& node, const char* part, ModelTensorId x,
                                            const Shape& wanted)
{
    if (shape(x) == wanted)
        return x;
    const model::Tensor& t = m_model.tensors[x];
    if (t.constant && model::elementsOf(wanted) == t.elements())
        return addTensor(t.name, wanted, Type{true, {}, t.elementBytes, t.bits}, true);
    return helper(node, part, Kind::Reshape, x, model::NoAttributes{}, wanted);
}

Result<ModelTensorId> Translation::transposed(const Node& node, const char* part, ModelTensorId x,
                                              const Integers& permutation)
{
    if (std::ranges::is_sorted(permutation))
        return x;
    const model::Tensor& t = m_model.tensors[x];
    if (!t.constant)
        return helper(node, part, Kind::Transpose, x, model::TransposeAttributes{permutation});
    Shape stored;
    for (const std::int64_t axis : permutation)
        stored.push_back(t.shape[static_cast<std::size_t>(axis)]);
    return addTensor(t.name, stored, Type{true, {}, t.elementBytes, t.bits}, true);
}

Result<ModelTensorId> Translation::inner(const Node& node, Kind kind, Tensors inputs,
                                         model::Attributes attributes)
{
    auto out = add(node, node.name, kind, std::move(inputs), std::move(attributes), {}, node.name + "/own",
                   valueOf(node).type);
    if (out) {
        m_inner = OperatorId(m_model.operators.size() - 1);
        m_report.nodes[node.index].op = m_inner;
    }
    return out;
}

Status Translation::result(const Node& node, Kind kind, Tensors inputs, model::Attributes attributes,
                           std::size_t i)
{
    const Value value = valueOf(node, i);
    const bool isMain = !m_inner && i == 0;
    const std::string name = isMain ? node.name : node.name + "/result" + (i > 0 ? std::to_string(i) : "");
    const auto out = add(node, name, kind, std::move(inputs), std::move(attributes), value.type.shape,
                         value.name, value.type);
    if (!out)
        return out.error();
    if (shape(*out) != value.type.shape)
        return refuse(node, "its result is " + model::shapeText(value.type.shape) +
                                ", but its operands give " + model::shapeText(shape(*out)));
    valueOf(node, i).tensor = *out;
    if (isMain)
        m_report.nodes[node.index].op = OperatorId(m_model.operators.size() - 1);
    return Unit{};
}

Status Translation::resultIs(const Node& node, ModelTensorId tensor)
{
    Value& value = valueOf(node);
    if (shape(tensor) != value.type.shape)
        return refuse(node, "its result is " + model::shapeText(value.type.shape) +
                                ", but its operands give " + model::shapeText(shape(tensor)));
    value.tensor = tensor;
    return Unit{};
}

void Translation::fold(const Node& node, std::string reason, std::optional<bool> splat)
{
    onnx::ImportedNode& report = m_report.nodes[node.index];
    report.fate = onnx::Fate::Folded;
    report.note = std::move(reason);
    for (const ValueIndex v : node.results) {
        m_values[v].constant = true;
        m_values[v].splat = splat.value_or(false);
    }
}

/// Makes the results of the node those of an operator of unknown kind.
Status Translation::drop(const Node& node, const std::string& reason, bool mayHaveMacs)
{
    model::Operator op{Kind::Unknown, node.name, printable(node.type), {}, {}, model::NoAttributes{}};
    constexpr std::size_t kMost = 4096;
    for (const ValueIndex v : node.operands)
        if (m_values[v].type.isTensor && !m_values[v].type.isEmpty() && op.inputs.size() < kMost) {
            const auto t = tensorOf(v);
            if (!t)
                return t.error();
            op.inputs.push_back(*t);
        }
    for (const ValueIndex v : node.results)
        if (m_values[v].type.isTensor && !m_values[v].type.isEmpty()) {
            m_values[v].tensor = addTensor(m_values[v].name, m_values[v].type.shape, m_values[v].type, false);
            op.outputs.push_back(*m_values[v].tensor);
        }
    onnx::ImportedNode& report = m_report.nodes[node.index];
    report.fate = onnx::Fate::Dropped;
    report.note = reason;
    report.macsKnown = !mayHaveMacs;
    if (!op.outputs.empty()) {
        m_model.operators.push_back(std::move(op));
        report.op = OperatorId(m_model.operators.size() - 1);
    }
    return Unit{};
}

Error Translation::refuse(const Node& node, const std::string& message) const
{
    return problemError(lineText(node.statement == nullptr ? 0 : node.statement->line),
                        printable(node.type) + " \"" + node.name + "\": " + message);
}

Status Translation::checkAxes(const Node& node, const Integers& axes, std::size_t rank) const
{
    std::vector<bool> seen(rank, false);
    for (const std::int64_t axis : axes) {
        const bool fits = axis >= 0 && axis < static_cast<std::int64_t>(rank);
        if (!fits || seen[static_cast<std::size_t>(axis)])
            return refuse(
                node, "dimension " + std::to_string(axis) +
                          (fits ? " occurs twice" : " does not exist, there are " + std::to_string(rank)));
        seen[static_cast<std::size_t>(axis)] = true;
    }
    return Unit{};
}

Result<Translation::Integers> Translation::list(const Node& node,
                                                std::initializer_list<std::string_view> names,
                                                std::size_t count, std::int64_t otherwise) const
{
    for (const std::string_view name : names) {
        auto found = m_program.integers(*node.statement, name);
        if (!found)
            return found.error();
        if (!*found)
            continue;
        if ((*found)->size() != count)
            return refuse(node, std::string(name) + " has " + std::to_string((*found)->size()) +
                                    " entries instead of " + std::to_string(count));
        return std::move(**found);
    }
    return Integers(count, otherwise);
}

Result<Translation::Integers>
Translation::axes(const Node& node, std::initializer_list<std::string_view> names, std::size_t rank) const
{
    for (const std::string_view name : names) {
        auto found = m_program.integers(*node.statement, name);
        if (!found)
            return found.error();
        if (!*found)
            continue;
        if (Status s = checkAxes(node, **found, rank); !s)
            return s.error();
        return std::move(**found);
    }
    return refuse(node, "has no \"" + std::string(*names.begin()) + "\"");
}

Result<std::int64_t> Translation::number(const Node& node, std::string_view name,
                                         std::int64_t otherwise) const
{
    const auto out = list(node, {name}, 1, otherwise);
    if (!out)
        return out.error();
    return out->front();
}

} // namespace tilewright::stablehlo
