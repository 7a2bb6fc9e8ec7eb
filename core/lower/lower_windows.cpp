// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutions and pools (docs/rules/workload.md 3.3, docs/rules/real.md R18).
#include "base/text.h"
#include "lower/problem_lowering.h"

#include <algorithm>

namespace tilewright::lower {

using model::Operator;
using model::Shape;

namespace {

/// With more groups than this, a convolution is vector work.
constexpr std::int64_t kMaxGroups = 16;
constexpr std::int64_t kMaxTaps = 1 << 14;
constexpr std::int64_t kMaxPadded = std::int64_t{1} << 56;

const std::vector<std::size_t> kPixels{0, 2, 3, 1}; // order of the dimensions in which a matrix stores images

} // namespace

std::vector<ProblemLowering::Channels> ProblemLowering::channelsOf(const Placement& p) const
{
    const auto found = m_joined.find(p.source);
    const std::size_t axes = p.shape.size();
    if (found == m_joined.end() || axes != 4)
        return {{p, 0}};
    // Some channels of images are consecutive columns of the matrix at every pixel.
    const Channels& last = found->second.back();
    const Shape& like = last.images.shape;
    const Shape whole{like[0], last.first + like[1], like[2], like[3]};
    const Placement joined = placed(p.source, whole, kPixels);
    bool exact = p.offset + p.shape[1] <= whole[1];
    for (std::size_t d = 0; d < axes; ++d)
        exact &= (d == 1 || p.shape[d] == whole[d]) && (p.shape[d] == 1 || p.strides[d] == joined.strides[d]);
    if (!exact)
        return {{p, 0}};
    std::vector<Channels> out;
    for (const Channels& part : found->second) {
        const std::int64_t begin = std::max(part.first, p.offset);
        const std::int64_t end = std::min(part.first + part.images.shape[1], p.offset + p.shape[1]);
        if (begin >= end)
            continue;
        Placement images = part.images;
        images.offset += (begin - part.first) * images.strides[1];
        images.shape[1] = end - begin;
        out.push_back({std::move(images), begin - p.offset});
    }
    return out;
}

Result<Placement> ProblemLowering::padded(const Operator& op, const Placement& p)
{
    const auto& w = op.as<model::WindowAttributes>();
    if (std::all_of(w.padding.begin(), w.padding.end(), [](std::int64_t n) { return n == 0; }))
        return p;
    Shape shape = p.shape;
    shape[2] += w.padding[0] + w.padding[2];
    shape[3] += w.padding[1] + w.padding[3];
    if (model::elementsOf(shape) > kMaxPadded)
        return refuse(op, "its padded input has more than 2^56 elements");
    return placed(m_table.addPadded(p, w.padding), shape, kPixels);
}

Status ProblemLowering::convolution(const Operator& op)
{
    const auto& w = op.as<model::WindowAttributes>();
    const Placement weights = at(op.inputs[1]);
    if (op.inputs.size() > 2 && isConstant(op.inputs[2]))
        leaveOut(op.inputs[2]);
    if (w.groups > 1 && (weights.shape[1] == 1 || w.groups > kMaxGroups))
        return convolutionByTaps(op);
    const ModelTensorId out = op.outputs[0];
    const Shape& y = tensor(out).shape;
    const std::int64_t kh = weights.shape[2], kw = weights.shape[3];
    const std::int64_t perGroup = weights.shape[1], outGroup = y[1] / w.groups;
    const bool biased = op.inputs.size() > 2 && !isConstant(op.inputs[2]);
    std::vector<Channels> input = channelsOf(at(op.inputs[0]));
    for (Channels& part : input) {
        auto images = padded(op, part.images);
        if (!images)
            return images.error();
        part.images = std::move(*images);
    }
    std::vector<SourceId> groups;
    std::size_t products = 0, views = 0;
    const bool plain = w.groups == 1 && !biased;
    for (std::int64_t g = 0; g < w.groups; ++g) {
        std::vector<SourceId> terms; // one product for each matrix that has channels of the group
        const std::int64_t firstOfGroup = g * perGroup;
        const auto channels = [&](const Channels& part) {
            const std::int64_t begin = std::max(firstOfGroup, part.first);
            return std::pair{begin,
                             std::min(firstOfGroup + perGroup, part.first + part.images.shape[1]) - begin};
        };
        const bool single =
            std::ranges::count_if(input, [&](const Channels& c) { return channels(c).second > 0; }) == 1;
        for (const Channels& part : input) {
            const auto [begin, count] = channels(part);
            if (count <= 0)
                continue;
            const Placement& x = part.images;
            Arrangement lhs{x.source, x.offset + (begin - part.first) * x.strides[1], {}, {}};
            lhs.addRows(y[0], x.strides[0]);
            lhs.addRows(y[2], w.stride[0] * x.strides[2]);
            lhs.addRows(y[3], w.stride[1] * x.strides[3]);
            lhs.addCols(kh, w.dilation[0] * x.strides[2]);
            lhs.addCols(kw, w.dilation[1] * x.strides[3]);
            lhs.addCols(count, x.strides[1]);
            Arrangement rhs{weights.source,
                            weights.offset + g * outGroup * weights.strides[0] +
                                (begin - firstOfGroup) * weights.strides[1],
                            {},
                            {}};
            rhs.addRows(kh, weights.strides[2]);
            rhs.addRows(kw, weights.strides[3]);
            rhs.addRows(count, weights.strides[1]);
            rhs.addCols(outGroup, weights.strides[0]);
            // The view gets this name before the product's own names are given, because it may be read again.
            const TensorId read =
                m_table.read(lhs, tensor(op.inputs[0]).name + (kh * kw > 1 ? ".patches" : ".slice"));
            (void)m_table.read(rhs, tensor(op.inputs[1]).name);
            views += m_table.isPlainView(read);
            const bool whole = plain && single;
            const std::int64_t index = w.groups == 1 && single ? -1 : static_cast<std::int64_t>(products);
            ++products;
            // A partial sum is not narrowed to the width of the result.
            if (!single && bitsOf(m_resultBits) < m_elementBits)
                m_resultBits = 0;
            const std::string name = whole ? partName(op, {}) : partName(op, "product", index);
            terms.push_back(matmul(lhs, rhs, name, whole ? tensor(out).name : name));
        }
        if (single) {
            groups.push_back(terms[0]);
            continue;
        }
        m_resultBits = widthOf(out);
        std::vector<TensorId> summands;
        summands.reserve(terms.size());
        for (const SourceId term : terms)
            summands.push_back(m_table.tensorOf(term));
        const std::string name = partName(op, "sum", w.groups > 1 ? g : -1);
        groups.push_back(pointwise(std::move(summands), m_machine.passes.elementwise, name,
                                   plain ? tensor(out).name : name));
    }
    const std::int64_t read = y[0] * y[2] * y[3] * perGroup * w.groups * kh * kw;
    const std::int64_t held = tensor(op.inputs[0]).elements();
    const std::string times = formatGrouped(static_cast<double>(read) / static_cast<double>(held));
    if (read > held)
        m_note = views > 0
                     ? "its unfolded patches (im2col) have " + times + " times the elements of the input"
                     : "its windows overlap: " + times +
                           " times the input, of which a tile loads every "
                           "element once";
    const SourceId whole =
        groups.size() == 1 ? groups[0] : m_table.addRearranged("groups", groups, model::elementsOf(y));
    place(out, placed(whole, y, kPixels));
    if (biased) {
        const TensorId left = m_table.read(arranged(at(out), kPixels), tensor(out).name + ".product");
        const Placement bias = at(op.inputs[2]);
        const Placement perChannel{bias.source, bias.offset, y, {0, bias.strides[0], 0, 0}};
        const TensorId right =
            m_table.read(arranged(perChannel, kPixels), tensor(op.inputs[2]).name + ".broadcast");
        place(out, placed(pointwise({left, right}, m_machine.passes.elementwise, partName(op, "add"),
                                    tensor(out).name),
                          y, kPixels));
    }
    return Unit{};
}

/// Lowers a convolution to a Pointwise over every tap of the kernel. Each reads the shifted input, with a
/// channel of each group repeated for the outputs of the group.
Status ProblemLowering::convolutionByTaps(const Operator& op)
{
    const auto& w = op.as<model::WindowAttributes>();
    const Shape& weights = tensor(op.inputs[1]).shape;
    const auto in = padded(op, at(op.inputs[0]));
    if (!in)
        return in.error();
    const Placement& x = *in;
    const ModelTensorId out = op.outputs[0];
    const Shape& y = tensor(out).shape;
    const std::int64_t perGroup = weights[1], kh = weights[2], kw = weights[3], passes = perGroup * kh * kw;
    if (passes > kMaxTaps)
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
                tap.addRows(y[0], x.strides[0]);
                tap.addRows(y[2], w.stride[0] * x.strides[2]);
                tap.addRows(y[3], w.stride[1] * x.strides[3]);
                tap.addCols(w.groups, perGroup * x.strides[1]);
                if (const std::int64_t outGroup = y[1] / w.groups; outGroup > 1)
                    tap.addCols(outGroup, 0);
                taps.push_back(m_table.read(tap, tensor(op.inputs[0]).name + ".tap[" +
                                                     std::to_string(taps.size()) + "]"));
            }
    std::sort(taps.begin(), taps.end());
    taps.erase(std::unique(taps.begin(), taps.end()), taps.end());
    if (isConstant(op.inputs[1]))
        leaveOut(op.inputs[1]);
    place(out, placed(pointwise(std::move(taps), passes, partName(op, {}), tensor(out).name), y, kPixels));
    m_out.report.vectorMacs += model::macsOf(m_model, op);
    m_note = "vector work: a pass for each of its " + formatGrouped(passes) + " taps";
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
    // Every output element is the sum of all products that contribute to it.
    const std::int64_t overlaps = ceilDiv(kh, w.stride[0]) * ceilDiv(kw, w.stride[1]);
    if (overlaps > kMaxTaps)
        return refuse(op, "more than " + formatGrouped(kMaxTaps) + " products fall onto one element");
    const auto [rows, cols] = matrixOf(y, kPixels);
    std::vector<TensorId> terms;
    for (std::int64_t i = 0; i < overlaps; ++i) {
        const SourceId term = m_table.addRearranged("overlap" + std::to_string(i), products, rows * cols);
        terms.push_back(m_table.read({term, 0, {{rows, cols}}, {{cols, 1}}},
                                     tensor(out).name + ".term[" + std::to_string(i) + "]"));
    }
    place(out,
          placed(pointwise(std::move(terms), overlaps, partName(op, "sum"), tensor(out).name), y, kPixels));
    return Unit{};
}

Status ProblemLowering::pool(const Operator& op)
{
    const auto& w = op.as<model::WindowAttributes>();
    const auto in = padded(op, at(op.inputs[0]));
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
                 kPixels));
    return Unit{};
}

} // namespace tilewright::lower
