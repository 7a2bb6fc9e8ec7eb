// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/problem_lowering.h"

#include "base/text.h"

#include <algorithm>
#include <numeric>

namespace tilewright::lower {

using model::Operator;
using model::OperatorKind;
using model::Shape;

namespace {

constexpr std::int64_t kMaxProblemOps = 1'000'000;

bool readsImage(OperatorKind kind)
{
    switch (kind) {
    case OperatorKind::Conv2d:
    case OperatorKind::ConvTranspose2d:
    case OperatorKind::MaxPool:
    case OperatorKind::AveragePool:
    case OperatorKind::GlobalPool:
    case OperatorKind::Resize:
    case OperatorKind::DepthToSpace:
        return true;
    default:
        return false;
    }
}

/// True for operators between convolutions that keep the matrix order of an image.
bool keepsImage(OperatorKind kind)
{
    switch (kind) {
    case OperatorKind::Elementwise:
    case OperatorKind::BatchNorm:
    case OperatorKind::Identity:
    case OperatorKind::Concat:
    case OperatorKind::Pad:
    case OperatorKind::Slice:
    case OperatorKind::Split:
        return true;
    default:
        return false;
    }
}

} // namespace

ProblemLowering::ProblemLowering(const model::Model& model, const Machine& machine)
    : m_model(model), m_machine(machine), m_table(m_out.data), m_placements(model.tensors.size()),
      m_image(model.tensors.size(), 0)
{
    if (const std::int64_t bits = 8 * kPartsOfBit * machine.elementBytes; bits <= kWidestElement)
        m_elementBits = bits;
}

Result<LoweredProblem> ProblemLowering::run()
{
    LoweringReport& r = m_out.report;
    r.name = m_out.data.name = m_model.name;
    r.opset = m_model.opset;
    r.operators = m_model.operators.size();
    r.tensors = m_model.tensors.size();
    r.nodes.resize(r.operators);
    chooseArray();
    markImages();
    addInputs();
    for (const OperatorId o : model::operatorOrder(m_model)) {
        m_current = o;
        if (Status s = lower(m_model.operators[o]); !s)
            return s.error();
    }
    if (m_out.data.ops.empty())
        return Error{
            ErrorCode::Problem, "nothing of the model is a product or vector work", {}, m_model.file};
    tellTotals(r);
    tellDependents();
    if (m_model.dtypeBytes != m_machine.elementBytes)
        r.notes.push_back("elements have " + std::to_string(m_machine.elementBytes) +
                          " bytes as on the machine, not " + std::to_string(m_model.dtypeBytes) +
                          " as in the model");
    chooseTimeUnit();
    addWidthsAndEnergy();
    m_out.data.rules = Rules::machine();
    return std::move(m_out);
}

void ProblemLowering::markImages()
{
    const auto mark = [&](ModelTensorId t) {
        if (tensor(t).shape.size() != 4 || m_image[t.index()])
            return false;
        m_image[t.index()] = 1;
        return true;
    };
    for (const Operator& op : m_model.operators)
        if (readsImage(op.kind)) {
            mark(op.inputs[0]);
            for (const ModelTensorId t : op.outputs)
                mark(t);
        }
    const auto order = model::operatorOrder(m_model);
    // Repeated forwards and backwards through the operators between convolutions.
    for (bool changed = true; changed;) {
        changed = false;
        const auto spread = [&](OperatorId o) {
            const Operator& op = m_model.operators[o];
            if (!keepsImage(op.kind))
                return;
            const auto isImage = [&](ModelTensorId t) { return m_image[t.index()] != 0; };
            if (std::any_of(op.inputs.begin(), op.inputs.end(), isImage) ||
                std::any_of(op.outputs.begin(), op.outputs.end(), isImage))
                for (const auto* list : {&op.inputs, &op.outputs})
                    for (const ModelTensorId t : *list)
                        changed |= mark(t);
        };
        std::for_each(order.begin(), order.end(), spread);
        std::for_each(order.rbegin(), order.rend(), spread);
    }
}

void ProblemLowering::addInputs()
{
    std::vector<bool> written(m_model.tensors.size(), false);
    for (const Operator& op : m_model.operators)
        for (const ModelTensorId t : op.outputs)
            written[t.index()] = true;
    // A tensor that is only used as an index of rows counts as one element, as the view of the rows requires.
    std::vector<bool> isIndex(m_model.tensors.size(), true);
    for (const Operator& op : m_model.operators)
        for (std::size_t i = 0; i < op.inputs.size(); ++i)
            if (op.kind != OperatorKind::Gather || i == 0)
                isIndex[op.inputs[i].index()] = false;
    for (std::size_t i = 0; i < m_model.tensors.size(); ++i) {
        if (written[i])
            continue;
        const model::Tensor& t = m_model.tensors[ModelTensorId(i)];
        const Order order = kindOrder(t.shape, m_image[i] != 0);
        const auto [rows, cols] = matrixOf(t.shape, order);
        const std::int64_t bits = isIndex[i] ? 0 : widthOf(ModelTensorId(i));
        place(ModelTensorId(i),
              placed(m_table.addInput(t.name, rows, cols, t.constant, bits), t.shape, order));
    }
}

Status ProblemLowering::lower(const Operator& op)
{
    m_note.clear();
    m_status = NodeStatus::Mapped;
    m_leftOut = 0;
    m_conversions = 0;
    m_resultBits = op.outputs.empty() ? 0 : widthOf(op.outputs[0]);
    if (!foldConstants(op)) {
        if (Status s = dispatch(op); !s)
            return s;
        if (Status s = room(op, 0); !s)
            return s;
    }
    NodeReport& node = m_out.report.nodes[m_current.index()];
    node.name = !op.name.empty() || op.outputs.empty() ? op.name : tensor(op.outputs[0]).name;
    node.type = op.typeName();
    node.status = m_status;
    node.macs = model::macsOf(m_model, op);
    for (const auto* list : {&op.inputs, &op.outputs})
        for (const ModelTensorId t : *list)
            node.bytes = saturatingAdd(node.bytes, m_model.bytes(t));
    node.bytes -= m_leftOut;
    node.note = m_note;
    node.macsKnown = op.kind != OperatorKind::Unknown;
    node.needed = m_status == NodeStatus::Dropped;
    m_out.report.leftOutBytes += m_leftOut;
    return Unit{};
}

/// Replaces an operator that reads only constants by a constant, unless it is a product.
bool ProblemLowering::foldConstants(const Operator& op)
{
    const auto constant = [&](ModelTensorId t) { return isConstant(t); };
    if (op.inputs.empty() || model::macsOf(m_model, op) > 0 ||
        !std::all_of(op.inputs.begin(), op.inputs.end(), constant))
        return false;
    if (op.kind == OperatorKind::Elementwise && op.outputs.size() == 1 &&
        op.as<model::ElementwiseAttributes>().function == "dequantize" &&
        tensor(op.inputs[0]).shape == tensor(op.outputs[0]).shape) {
        place(op.outputs[0], at(op.inputs[0]));
        m_status = NodeStatus::Folded;
        m_note = "the constant is stored with its own width; a product that reads it converts it";
        return true;
    }
    for (const ModelTensorId t : op.outputs) {
        const Order order = kindOrder(tensor(t).shape, m_image[t.index()] != 0);
        const auto [rows, cols] = matrixOf(tensor(t).shape, order);
        place(t,
              placed(m_table.addInput(tensor(t).name, rows, cols, true, widthOf(t)), tensor(t).shape, order));
    }
    m_status = NodeStatus::Folded;
    m_note = "computed from constants alone, so it is a constant";
    return true;
}

Status ProblemLowering::dispatch(const Operator& op)
{
    switch (op.kind) {
    case OperatorKind::MatMul:
        return matMul(op);
    case OperatorKind::Einsum:
        return einsum(op);
    case OperatorKind::Conv2d:
        return convolution(op);
    case OperatorKind::ConvTranspose2d:
        return transposedConvolution(op);
    case OperatorKind::Attention:
        return attention(op);
    case OperatorKind::Lstm:
    case OperatorKind::Gru:
    case OperatorKind::Rnn:
        return recurrent(op);
    case OperatorKind::GlobalPool:
    case OperatorKind::Reduce:
        return reduce(op);
    case OperatorKind::MaxPool:
    case OperatorKind::AveragePool:
        return pool(op);
    case OperatorKind::Softmax:
    case OperatorKind::LayerNorm:
    case OperatorKind::RmsNorm:
    case OperatorKind::BatchNorm:
    case OperatorKind::Elementwise:
        return elementwise(op);
    case OperatorKind::Rotary:
        return rotary(op);
    case OperatorKind::Concat:
        return concat(op);
    case OperatorKind::KvAppend:
        return kvAppend(op);
    case OperatorKind::Unknown:
        break;
    default:
        return moved(op);
    }
    for (const ModelTensorId t : op.outputs) {
        const Order order = kindOrder(tensor(t).shape, m_image[t.index()] != 0);
        const auto [rows, cols] = matrixOf(tensor(t).shape, order);
        place(t, placed(m_table.addInput(tensor(t).name, rows, cols, false, widthOf(t)), tensor(t).shape,
                        order));
    }
    m_status = NodeStatus::Dropped;
    m_note = "nothing is known of this operator: what it gives is taken as an input";
    return Unit{};
}

void ProblemLowering::place(ModelTensorId t, Placement placement)
{
    const Shape& s = placement.shape;
    if (m_image[t.index()] != 0 && s.size() == 4 && m_table.isMatrix(arranged(placement, kindOrder(s, true))))
        m_table.setImage(placement.source, {s[0], s[2], s[3], {}});
    m_placements[t.index()] = std::move(placement);
}

ProblemLowering::Order ProblemLowering::kindOrder(const Shape& shape, bool image) const
{
    if (image && shape.size() == 4)
        return {0, 2, 3, 1};
    Order order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

ProblemLowering::Order ProblemLowering::orderOf(ModelTensorId t) const
{
    Order plain = kindOrder(tensor(t).shape, false);
    Order image = kindOrder(tensor(t).shape, true);
    if (m_image[t.index()] != 0 && m_table.isMatrix(arranged(at(t), image)))
        return image;
    if (m_table.isMatrix(arranged(at(t), plain)))
        return plain;
    return m_table.isMatrix(arranged(at(t), image)) || m_image[t.index()] != 0 ? image : plain;
}

std::pair<std::int64_t, std::int64_t> ProblemLowering::matrixOf(const Shape& shape, const Order& order)
{
    std::int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
        rows *= shape[order[i]];
    return {rows, order.empty() ? 1 : shape[order.back()]};
}

Placement ProblemLowering::broadcastTo(const Placement& from, const Shape& shape)
{
    Placement out{from.source, from.offset, shape, std::vector<std::int64_t>(shape.size(), 0)};
    const std::size_t lead = shape.size() - from.shape.size();
    for (std::size_t i = 0; i < from.shape.size(); ++i)
        if (from.shape[i] == shape[lead + i])
            out.strides[lead + i] = from.strides[i];
    return out;
}

TensorId ProblemLowering::addOp(OpType type, std::vector<TensorId> inputs, SourceId result,
                                std::int64_t cycles, const std::string& name, bool helper)
{
    const TensorId out = m_table.tensorOf(result);
    m_out.data.ops.push_back({type, std::move(inputs), out, 0, name});
    m_out.source.push_back(m_current);
    m_out.helper.push_back(helper ? 1 : 0);
    m_cycles.push_back(cycles);
    m_passes.push_back(0);
    return out;
}

SourceId ProblemLowering::matmul(const Arrangement& lhs, const Arrangement& rhs, const std::string& name,
                                 const std::string& result, bool helper)
{
    TensorId l = m_table.read(lhs, name + ".lhs");
    TensorId r = m_table.read(rhs, name + ".rhs");
    const auto& tensors = m_out.data.tensors;
    // If the operands have different widths, the narrower one is converted to the wider width.
    if (const std::int64_t a = tensors[l].bits, b = tensors[r].bits; !multipliesPair(a, b))
        bitsOf(a) < bitsOf(b) ? l = converted(l, b) : r = converted(r, a);
    const SourceId out = m_table.addResult(result, tensors[l].height, tensors[r].width, m_resultBits);
    addOp(OpType::MatMul, {l, r}, out, productCycles(l, r), name, helper);
    return out;
}

SourceId ProblemLowering::pointwise(std::vector<TensorId> inputs, std::int64_t passes,
                                    const std::string& name, const std::string& result)
{
    const Tensor like = m_out.data.tensors[inputs.front()];
    const SourceId out = m_table.addResult(result, like.height, like.width, m_resultBits);
    addOp(OpType::Pointwise, std::move(inputs), out, vectorCycles(passes), name);
    m_passes.back() = passes;
    return out;
}

void ProblemLowering::leaveOut(ModelTensorId t)
{
    m_leftOut = saturatingAdd(m_leftOut, m_model.bytes(t));
}

std::vector<TensorId> ProblemLowering::operands(const Operator& op, std::size_t first, const Shape& shape,
                                                const Order& order)
{
    std::vector<TensorId> out;
    for (std::size_t i = first; i < op.inputs.size(); ++i) {
        const ModelTensorId t = op.inputs[i];
        if (isConstant(t) && tensor(t).elements() < model::elementsOf(shape)) {
            leaveOut(t);
            continue;
        }
        const TensorId read = m_table.read(arranged(broadcastTo(at(t), shape), order),
                                           tensor(t).name + (tensor(t).shape == shape ? "" : ".broadcast"));
        if (std::find(out.begin(), out.end(), read) == out.end())
            out.push_back(read);
    }
    return out;
}

SourceId ProblemLowering::stacked(const std::vector<SourceId>& parts, const Shape& shape)
{
    return parts.size() == 1 ? parts[0]
                             : m_table.addRearranged("stack", parts, model::elementsOf(shape), true);
}

std::int64_t ProblemLowering::passesOf(const Operator& op) const
{
    switch (op.kind) {
    case OperatorKind::Softmax:
    case OperatorKind::Attention:
        return m_machine.passes.softmax;
    case OperatorKind::LayerNorm:
        return m_machine.passes.layerNorm;
    case OperatorKind::RmsNorm:
        return m_machine.passes.rmsNorm;
    case OperatorKind::Elementwise:
        if (const std::int64_t own = op.as<model::ElementwiseAttributes>().passes; own > 0)
            return own;
        [[fallthrough]];
    default:
        return m_machine.passes.elementwise;
    }
}

std::string ProblemLowering::partName(const Operator& op, const std::string& part, std::int64_t i) const
{
    std::string name = op.name.empty() ? tensor(op.outputs[0]).name : op.name;
    if (part.empty())
        return name;
    return name + "/" + part + (i < 0 ? std::string() : "[" + std::to_string(i) + "]");
}

void ProblemLowering::rearrange(const Operator& op, const std::string& how, const Order& order)
{
    const ModelTensorId out = op.outputs[0];
    std::vector<SourceId> from;
    std::string key = how + model::shapeText(tensor(out).shape);
    for (const ModelTensorId t : op.inputs) { // all parts that a view joins need one width
        const Placement p = cast(t, orderOf(t), m_table.bits(at(op.inputs[0]).source));
        from.push_back(p.source);
        key += "|" + m_table.keyOf(arranged(p, kindOrder(tensor(t).shape, false)));
    }
    place(out, placed(m_table.addRearranged(key, from, tensor(out).elements()), tensor(out).shape, order));
}

Status ProblemLowering::room(const Operator& op, std::int64_t more) const
{
    if (saturatingAdd(static_cast<std::int64_t>(m_out.data.ops.size()), more) > kMaxProblemOps)
        return refuse(op, "the problem has more than " + formatGrouped(kMaxProblemOps) + " ops up to here");
    return Unit{};
}

Error ProblemLowering::refuse(const Operator& op, std::string message) const
{
    return {ErrorCode::Problem,
            std::string(op.typeName()) + " \"" + partName(op, {}) + "\": " + std::move(message),
            "ops[" + std::to_string(m_current.value) + "]", m_model.file};
}

std::string_view toString(NodeStatus status) noexcept
{
    constexpr std::array<std::string_view, 4> kWords{"mapped", "folded", "approximated", "dropped"};
    return kWords[static_cast<std::size_t>(status)];
}

Result<LoweredProblem> lowerToProblem(const model::Model& model, const Machine& machine)
{
    return ProblemLowering(model, machine).run();
}

std::int64_t matMulMacs(const LoweredProblem& lowered)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < lowered.data.ops.size(); ++i) {
        const Op& op = lowered.data.ops[OpId(i)];
        if (op.type == OpType::MatMul && !lowered.helper[i])
            sum += lowered.data.tensors[op.output].elements() * lowered.data.tensors[op.inputs[0]].width;
    }
    return sum;
}

} // namespace tilewright::lower
