// SPDX-License-Identifier: GPL-3.0-or-later
// Vector work, and operators that only move what is there (docs/rules/workload.md 3.2, 3.3).
#include "base/text.h"
#include "lower/problem_lowering.h"

#include <algorithm>
#include <numeric>

namespace tilewright::lower {

using model::Operator;
using model::OperatorKind;
using model::Shape;

namespace {

const std::vector<std::size_t> kImageOrder{0, 2, 3, 1};

} // namespace

Status ProblemLowering::elementwise(const Operator& op)
{
    const ModelTensorId out = op.outputs[0];
    const Shape& shape = tensor(out).shape;
    Order order = kindOrder(shape, m_image[out.index()] != 0);
    for (const ModelTensorId t : op.inputs)
        if (tensor(t).shape == shape && !isConstant(t)) {
            order = orderOf(t);
            break;
        }
    std::vector<TensorId> read;
    if (op.kind == OperatorKind::Elementwise) {
        read = operands(op, 0, shape, order);
    } else { // the parameters of normalisations are constants
        read.push_back(m_table.read(arranged(at(op.inputs[0]), order), tensor(op.inputs[0]).name));
        for (std::size_t i = 1; i < op.inputs.size(); ++i)
            if (isConstant(op.inputs[i]))
                leaveOut(op.inputs[i]);
            else if (op.inputs[i] != op.inputs[0])
                read.push_back(m_table.read(arranged(broadcastTo(at(op.inputs[i]), shape), order),
                                            tensor(op.inputs[i]).name + ".broadcast"));
    }
    if (read.empty())
        return refuse(op,
                      "reads only constants that are smaller than its result (such operands are left out)");
    place(out,
          placed(pointwise(std::move(read), passesOf(op), partName(op, {}), tensor(out).name), shape, order));
    if (op.kind == OperatorKind::Softmax || op.kind == OperatorKind::LayerNorm ||
        op.kind == OperatorKind::RmsNorm) {
        m_status = NodeStatus::Approximated;
        m_note = "that a tile must hold whole rows is not modelled";
    }
    return Unit{};
}

/// Lowers a rotary embedding: reads the tensor and a copy of it with the halves of each head exchanged.
Status ProblemLowering::rotary(const Operator& op)
{
    const ModelTensorId in = op.inputs[0], out = op.outputs[0];
    const Shape& shape = tensor(out).shape;
    const Order order = orderOf(in);
    for (std::size_t i = 1; i < op.inputs.size(); ++i)
        if (isConstant(op.inputs[i]))
            leaveOut(op.inputs[i]);
    const SourceId turned = m_table.addRearranged("rotated|" + m_table.keyOf(arranged(at(in), order)),
                                                  {at(in).source}, model::elementsOf(shape));
    const TensorId plain = m_table.read(arranged(at(in), order), tensor(in).name);
    const TensorId rotated =
        m_table.read(arranged(placed(turned, shape, order), order), tensor(in).name + ".rotated");
    place(out, placed(pointwise({plain, rotated}, passesOf(op), partName(op, {}), tensor(out).name), shape,
                      order));
    return Unit{};
}

/// Lowers slice and split: the results have the strides of the input and start at another place.
void ProblemLowering::slices(const Operator& op)
{
    const Placement x = at(op.inputs[0]);
    const auto axisOf = [&](std::int64_t axis) {
        return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(x.shape.size()) : axis);
    };
    if (op.kind == OperatorKind::KvLoad) {
        Placement p = x;
        p.shape = tensor(op.outputs[0]).shape;
        p.offset += op.as<model::KvAttributes>().range[0] * x.strides[2];
        return place(op.outputs[0], std::move(p));
    }
    if (op.kind == OperatorKind::Slice) {
        const auto& s = op.as<model::SliceAttributes>();
        Placement p = x;
        p.shape = tensor(op.outputs[0]).shape;
        for (std::size_t i = 0; i < s.axes.size(); ++i) {
            const std::size_t axis = axisOf(s.axes[i]);
            p.offset += s.starts[i] * x.strides[axis];
            p.strides[axis] *= s.steps.empty() ? 1 : s.steps[i];
        }
        return place(op.outputs[0], std::move(p));
    }
    const std::size_t axis = axisOf(op.as<model::AxisAttributes>().axis);
    std::int64_t start = 0;
    for (const ModelTensorId out : op.outputs) {
        Placement p = x;
        p.shape = tensor(out).shape;
        p.offset += start * x.strides[axis];
        start += p.shape[axis];
        place(out, std::move(p));
    }
}

/// Lowers operators that compute nothing. The result is a placement of the same elements, or a rearrangement
/// of them.
Status ProblemLowering::moved(const Operator& op)
{
    const ModelTensorId in = op.inputs[0], out = op.outputs[0];
    const Shape& shape = tensor(out).shape;
    const Order order = kindOrder(shape, m_image[out.index()] != 0);
    switch (op.kind) {
    case OperatorKind::Identity:
        place(out, at(in));
        break;
    case OperatorKind::Transpose: {
        Placement p = at(in);
        for (std::size_t i = 0; i < shape.size(); ++i) {
            std::int64_t from = op.as<model::TransposeAttributes>().permutation[i];
            from += from < 0 ? static_cast<std::int64_t>(shape.size()) : 0;
            p.shape[i] = at(in).shape[static_cast<std::size_t>(from)];
            p.strides[i] = at(in).strides[static_cast<std::size_t>(from)];
        }
        place(out, std::move(p));
        break;
    }
    case OperatorKind::Reshape:
        if (auto p = reshaped(at(in), shape))
            place(out, std::move(*p));
        else
            rearrange(op, "reshape", kindOrder(shape, false));
        break;
    case OperatorKind::Expand:
        place(out, broadcastTo(at(in), shape));
        break;
    case OperatorKind::Slice:
    case OperatorKind::Split:
    case OperatorKind::KvLoad:
        slices(op);
        break;
    case OperatorKind::Gather:
        rearrange(op, "gather" + std::to_string(op.as<model::AxisAttributes>().axis), order);
        break;
    case OperatorKind::Pad: {
        const auto& pad = op.as<model::PadAttributes>();
        const auto &b = pad.before, &a = pad.after;
        if (order == kImageOrder && b[0] == 0 && b[1] == 0 && a[0] == 0 && a[1] == 0)
            place(out, placed(m_table.addPadded(at(in), {b[2], b[3], a[2], a[3]}), shape, order));
        else
            rearrange(op, "pad" + model::shapeText(pad.before) + model::shapeText(pad.after), order);
        break;
    }
    default: // for tile, resize, depth to space
        rearrange(op, std::string(toString(op.kind)), order);
    }
    const auto isSame = [&](ModelTensorId t) {
        return m_table.keyOf(arranged(at(t), orderOf(t))) == m_table.keyOf(arranged(at(in), orderOf(in)));
    };
    if (op.outputs.size() == 1 && isSame(out)) {
        m_status = NodeStatus::Folded;
        m_note = "the same matrix under another shape";
    } else {
        m_note = "a view: its readers read it element by element";
    }
    return Unit{};
}

Status ProblemLowering::concat(const Operator& op)
{
    const ModelTensorId out = op.outputs[0];
    const Shape& shape = tensor(out).shape;
    const Order order = orderOf(op.inputs[0]);
    std::int64_t axis = op.as<model::AxisAttributes>().axis;
    axis += axis < 0 ? static_cast<std::int64_t>(shape.size()) : 0;
    std::vector<SourceId> from;
    bool segments = true; // true if every part is whole and directly follows the previous one
    std::string key = "concat" + std::to_string(axis);
    for (const std::size_t d : order) {
        if (d == static_cast<std::size_t>(axis))
            break;
        segments &= shape[d] == 1;
    }
    // All parts that a view joins need one width: that of the result if it is fixed, else the widest one.
    std::int64_t width = tensor(out).ownBits() > 0 ? m_resultBits : m_table.bits(at(op.inputs[0]).source);
    for (const ModelTensorId t : op.inputs)
        if (const std::int64_t own = m_table.bits(at(t).source);
            tensor(out).ownBits() == 0 && bitsOf(own) > bitsOf(width))
            width = own;
    std::vector<Placement> parts;
    for (const ModelTensorId t : op.inputs) {
        const Placement& p = parts.emplace_back(cast(t, order, width));
        const Arrangement part = arranged(p, order);
        segments &= m_table.isMatrix(part) && m_table.elements(p.source) == tensor(t).elements();
        key += "|" + m_table.keyOf(part);
        from.push_back(p.source);
    }
    const SourceId whole = m_table.addRearranged(key, from, model::elementsOf(shape), segments);
    place(out, placed(whole, shape, order));
    m_note = "a view: its readers read it element by element";
    if (shape.size() == 4 && axis == 1 && order == kImageOrder && !m_joined.contains(whole)) {
        std::vector<Channels> joined;
        std::int64_t first = 0;
        for (const Placement& p : parts) {
            for (Channels& c : channelsOf(p))
                joined.push_back({std::move(c.images), first + c.first});
            first += p.shape[1];
        }
        m_joined.emplace(whole, std::move(joined));
    }
    return Unit{};
}

/// Lowers an append to a KV cache: the result has the past tokens and then the new ones.
Status ProblemLowering::kvAppend(const Operator& op)
{
    const ModelTensorId out = op.outputs[0];
    const Shape& shape = tensor(out).shape;
    // The parts that a view joins need one width, which is that of the cache.
    const std::int64_t width = tensor(out).ownBits() == 0 && op.inputs.size() > 1
                                   ? m_table.bits(at(op.inputs[1]).source)
                                   : m_resultBits;
    const auto part = [&](ModelTensorId t) { return cast(t, kindOrder(tensor(t).shape, false), width); };
    const Placement fresh = part(op.inputs[0]);
    std::vector<SourceId> from{fresh.source};
    std::string key = "append" + std::to_string(op.as<model::KvAttributes>().position) + "|" +
                      m_table.keyOf(arranged(fresh, kindOrder(fresh.shape, false)));
    if (op.inputs.size() > 1) {
        const Placement past = part(op.inputs[1]);
        from.push_back(past.source);
        key += "|" + m_table.keyOf(arranged(past, kindOrder(past.shape, false)));
    } else if (op.as<model::KvAttributes>().position > 0) { // the earlier tokens are not in the file
        Shape past = shape;
        past[2] = op.as<model::KvAttributes>().position;
        const auto [rows, cols] = matrixOf(past, kindOrder(past, false));
        from.push_back(m_table.addInput(tensor(out).name + ".past", rows, cols, false, width));
    }
    place(out, placed(m_table.addRearranged(key, from, model::elementsOf(shape)), shape));
    m_note = "a view of the past and the new tokens";
    return Unit{};
}

} // namespace tilewright::lower
