// SPDX-License-Identifier: GPL-3.0-or-later
// Vector work, operators that only move what is there, convolutions and pools
// (docs/rules/workload.md 3.2, 3.3).
#include "base/text.h"
#include "lower/problem_lowering.h"

#include <algorithm>
#include <numeric>

namespace tilewright::lower {

using model::Operator;
using model::OperatorKind;
using model::Shape;

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
        m_note = "that a row must be whole is not modelled";
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

/// Lowers operators that compute nothing: the result is a placement of the same elements, or a rearrangement
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
        rearrange(op, "pad" + model::shapeText(pad.before) + model::shapeText(pad.after), order);
        break;
    }
    default: // tile, resize, depth to space
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
    bool segments = true; // every part lies whole behind the one before
    std::string key = "concat" + std::to_string(axis);
    for (const std::size_t d : order) {
        if (d == static_cast<std::size_t>(axis))
            break;
        segments &= shape[d] == 1;
    }
    for (const ModelTensorId t : op.inputs) {
        const Arrangement part = arranged(at(t), order);
        segments &= m_table.isMatrix(part) && m_table.elements(at(t).source) == tensor(t).elements();
        key += "|" + m_table.keyOf(part);
        from.push_back(at(t).source);
    }
    place(out, placed(m_table.addRearranged(key, from, model::elementsOf(shape), segments), shape, order));
    m_note = "a view: its readers read it element by element";
    return Unit{};
}

/// Lowers an append to a KV cache: the result has the past tokens and then the new ones.
Status ProblemLowering::kvAppend(const Operator& op)
{
    const ModelTensorId out = op.outputs[0];
    const Shape& shape = tensor(out).shape;
    std::vector<SourceId> from{at(op.inputs[0]).source};
    std::string key = "append" + std::to_string(op.as<model::KvAttributes>().position) + "|" +
                      m_table.keyOf(arranged(at(op.inputs[0]), kindOrder(tensor(op.inputs[0]).shape, false)));
    if (op.inputs.size() > 1) {
        from.push_back(at(op.inputs[1]).source);
        key += "|" + m_table.keyOf(arranged(at(op.inputs[1]), kindOrder(shape, false)));
    } else if (op.as<model::KvAttributes>().position > 0) { // what was there before is not in the file
        Shape past = shape;
        past[2] = op.as<model::KvAttributes>().position;
        const auto [rows, cols] = matrixOf(past, kindOrder(past, false));
        from.push_back(m_table.addInput(tensor(out).name + ".past", rows, cols, false));
    }
    place(out, placed(m_table.addRearranged(key, from, model::elementsOf(shape)), shape));
    m_note = "a view of the past and the new tokens";
    return Unit{};
}

namespace {

/// Above this, groups are vector work.
constexpr std::int64_t kMaxGroups = 16;
constexpr std::int64_t kMaxTaps = 1 << 14;
constexpr std::int64_t kMaxPadded = std::int64_t{1} << 56;

const std::vector<std::size_t> kImageOrder{0, 2, 3, 1};

} // namespace

Result<Placement> ProblemLowering::padded(const Operator& op, ModelTensorId x)
{
    const auto& w = op.as<model::WindowAttributes>();
    const Placement& p = at(x);
    if (std::all_of(w.padding.begin(), w.padding.end(), [](std::int64_t n) { return n == 0; }))
        return p;
    Shape shape = p.shape;
    shape[2] += w.padding[0] + w.padding[2];
    shape[3] += w.padding[1] + w.padding[3];
    if (model::elementsOf(shape) > kMaxPadded)
        return refuse(op, "its padded input has more than 2^56 elements");
    std::string key = "pad" + model::shapeText(Shape(w.padding.begin(), w.padding.end())) + "|" +
                      m_table.keyOf(arranged(p, kImageOrder));
    return placed(m_table.addRearranged(std::move(key), {p.source}, model::elementsOf(shape)), shape,
                  kImageOrder);
}

Status ProblemLowering::convolution(const Operator& op)
{
    const auto& w = op.as<model::WindowAttributes>();
    const auto in = padded(op, op.inputs[0]);
    if (!in)
        return in.error();
    const Placement& x = *in;
    const Placement weights = at(op.inputs[1]);
    const ModelTensorId out = op.outputs[0];
    const Shape& y = tensor(out).shape;
    const std::int64_t kh = weights.shape[2], kw = weights.shape[3];
    const std::int64_t perGroup = weights.shape[1], outGroup = y[1] / w.groups;
    const bool biased = op.inputs.size() > 2 && !isConstant(op.inputs[2]);
    if (op.inputs.size() > 2 && !biased)
        leaveOut(op.inputs[2]);
    const auto addPixels = [&](Arrangement& a) {
        a.addRows(y[0], x.strides[0]);
        a.addRows(y[2], w.stride[0] * x.strides[2]);
        a.addRows(y[3], w.stride[1] * x.strides[3]);
    };
    if (w.groups > 1 && (perGroup == 1 || w.groups > kMaxGroups)) {
        // a Pointwise over every tap: the input moved, a channel of each group repeated for its outputs
        if (perGroup * kh * kw > kMaxTaps)
            return refuse(op, "more than " + formatGrouped(kMaxTaps) + " taps");
        std::vector<TensorId> taps;
        for (std::int64_t c = 0; c < perGroup; ++c)
            for (std::int64_t i = 0; i < kh; ++i)
                for (std::int64_t j = 0; j < kw; ++j) {
                    Arrangement tap{x.source,
                                    x.offset + c * x.strides[1] + i * w.dilation[0] * x.strides[2] +
                                        j * w.dilation[1] * x.strides[3],
                                    {},
                                    {}};
                    addPixels(tap);
                    tap.addCols(w.groups, perGroup * x.strides[1]);
                    tap.addCols(outGroup, 0);
                    taps.push_back(m_table.read(tap, tensor(op.inputs[0]).name + ".tap[" +
                                                         std::to_string(taps.size()) + "]"));
                }
        std::sort(taps.begin(), taps.end());
        taps.erase(std::unique(taps.begin(), taps.end()), taps.end());
        isConstant(op.inputs[1]) ? leaveOut(op.inputs[1]) : void();
        const std::int64_t passes = perGroup * kh * kw;
        place(out,
              placed(pointwise(std::move(taps), passes, partName(op, {}), tensor(out).name), y, kImageOrder));
        m_out.report.vectorMacs += model::macsOf(m_model, op);
        m_note = "vector work: a pass for each of its " + formatGrouped(passes) + " taps";
        return Unit{};
    }
    std::vector<SourceId> parts;
    for (std::int64_t g = 0; g < w.groups; ++g) {
        Arrangement lhs{x.source, x.offset + g * perGroup * x.strides[1], {}, {}};
        addPixels(lhs);
        lhs.addCols(perGroup, x.strides[1]);
        lhs.addCols(kh, w.dilation[0] * x.strides[2]);
        lhs.addCols(kw, w.dilation[1] * x.strides[3]);
        Arrangement rhs{weights.source, weights.offset + g * outGroup * weights.strides[0], {}, {}};
        rhs.addRows(perGroup, weights.strides[1]);
        rhs.addRows(kh, weights.strides[2]);
        rhs.addRows(kw, weights.strides[3]);
        rhs.addCols(outGroup, weights.strides[0]);
        // named before the product's own names are given, for views that are read again
        (void)m_table.read(lhs, tensor(op.inputs[0]).name + (kh * kw > 1 ? ".patches" : ".slice"));
        (void)m_table.read(rhs, tensor(op.inputs[1]).name);
        const std::int64_t part = w.groups > 1 ? g : -1;
        const bool plain = w.groups == 1 && !biased;
        const std::string name = plain ? partName(op, {}) : partName(op, "product", part);
        parts.push_back(matmul(lhs, rhs, name, plain ? tensor(out).name : name));
    }
    const std::int64_t read = y[0] * y[2] * y[3] * perGroup * w.groups * kh * kw;
    const std::int64_t held = tensor(op.inputs[0]).elements();
    if (read > held)
        m_note = "its unfolded patches read " +
                 formatGrouped(static_cast<double>(read) / static_cast<double>(held)) +
                 " times what the input holds";
    const SourceId whole =
        parts.size() == 1 ? parts[0] : m_table.addRearranged("groups", parts, model::elementsOf(y));
    place(out, placed(whole, y, kImageOrder));
    if (biased) {
        const TensorId left = m_table.read(arranged(at(out), kImageOrder), tensor(out).name + ".product");
        const Placement bias = at(op.inputs[2]);
        const Placement perChannel{bias.source, bias.offset, y, {0, bias.strides[0], 0, 0}};
        const TensorId right =
            m_table.read(arranged(perChannel, kImageOrder), tensor(op.inputs[2]).name + ".broadcast");
        place(out, placed(pointwise({left, right}, m_machine.passes.elementwise, partName(op, "add"),
                                    tensor(out).name),
                          y, kImageOrder));
    }
    return Unit{};
}

Status ProblemLowering::transposedConvolution(const Operator& op)
{
    const auto& w = op.as<model::WindowAttributes>();
    const Placement x = at(op.inputs[0]), weights = at(op.inputs[1]);
    const ModelTensorId out = op.outputs[0];
    const Shape& y = tensor(out).shape;
    const std::int64_t perGroup = x.shape[1] / w.groups;
    const std::int64_t kh = weights.shape[2], kw = weights.shape[3];
    if (op.inputs.size() > 2)
        leaveOut(op.inputs[2]);
    std::vector<SourceId> products;
    for (std::int64_t g = 0; g < w.groups; ++g) {
        Arrangement lhs{x.source, x.offset + g * perGroup * x.strides[1], {}, {}};
        lhs.addRows(x.shape[0], x.strides[0]);
        lhs.addRows(x.shape[2], x.strides[2]);
        lhs.addRows(x.shape[3], x.strides[3]);
        lhs.addCols(perGroup, x.strides[1]);
        Arrangement rhs{weights.source, weights.offset + g * perGroup * weights.strides[0], {}, {}};
        rhs.addRows(perGroup, weights.strides[0]);
        for (std::size_t d = 1; d < 4; ++d)
            rhs.addCols(weights.shape[d], weights.strides[d]);
        const std::string name = partName(op, "product", w.groups > 1 ? g : -1);
        products.push_back(matmul(lhs, rhs, name, name));
    }
    // Every output element is the sum of the products that fall onto it.
    const std::int64_t overlaps = ceilDiv(kh, w.stride[0]) * ceilDiv(kw, w.stride[1]);
    if (overlaps > kMaxTaps)
        return refuse(op, "more than " + formatGrouped(kMaxTaps) + " products fall onto one element");
    const auto [rows, cols] = matrixOf(y, kImageOrder);
    std::vector<TensorId> terms;
    for (std::int64_t i = 0; i < overlaps; ++i) {
        const SourceId term = m_table.addRearranged("overlap" + std::to_string(i), products, rows * cols);
        terms.push_back(m_table.read({term, 0, {{rows, cols}}, {{cols, 1}}},
                                     tensor(out).name + ".term[" + std::to_string(i) + "]"));
    }
    place(out, placed(pointwise(std::move(terms), overlaps, partName(op, "sum"), tensor(out).name), y,
                      kImageOrder));
    return Unit{};
}

Status ProblemLowering::pool(const Operator& op)
{
    const auto& w = op.as<model::WindowAttributes>();
    const auto in = padded(op, op.inputs[0]);
    if (!in)
        return in.error();
    if (saturatingMul(w.kernel[0], w.kernel[1]) > kMaxTaps)
        return refuse(op, "more than " + formatGrouped(kMaxTaps) + " taps");
    const Placement& x = *in;
    const ModelTensorId out = op.outputs[0];
    const Shape& y = tensor(out).shape;
    std::vector<TensorId> taps;
    for (std::int64_t i = 0; i < w.kernel[0]; ++i)
        for (std::int64_t j = 0; j < w.kernel[1]; ++j) {
            Arrangement tap{x.source,
                            x.offset + i * w.dilation[0] * x.strides[2] + j * w.dilation[1] * x.strides[3],
                            {},
                            {}};
            tap.addRows(y[0], x.strides[0]);
            tap.addRows(y[2], w.stride[0] * x.strides[2]);
            tap.addRows(y[3], w.stride[1] * x.strides[3]);
            tap.addCols(y[1], x.strides[1]);
            taps.push_back(
                m_table.read(tap, tensor(op.inputs[0]).name + ".tap[" + std::to_string(taps.size()) + "]"));
        }
    place(out,
          placed(pointwise(std::move(taps), w.kernel[0] * w.kernel[1], partName(op, {}), tensor(out).name), y,
                 kImageOrder));
    return Unit{};
}

} // namespace tilewright::lower
