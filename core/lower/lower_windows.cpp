// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutions and pools (docs/rules/workload.md 3.3).
#include "lower/problem_lowering.h"

#include "base/text.h"

#include <algorithm>

namespace tilewright::lower {

using model::Operator;
using model::OperatorKind;
using model::Shape;

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
