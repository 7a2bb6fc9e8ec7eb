// SPDX-License-Identifier: GPL-3.0-or-later
// Vector operators: elementwise nodes, normalisations, sums.
#include "onnx/translation.h"

#include "onnx/fold.h"

#include <algorithm>

namespace tilewright::onnx {

using model::Shape;

namespace {

std::string lowerCase(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return text;
}

} // namespace

Status Translation::elementwise(const Node& node)
{
    std::vector<std::size_t> which;
    const bool firstAlone = node.type == "Clip" || node.type == "CumSum";
    for (std::size_t i = 0; i < (firstAlone ? 1 : node.in.size()); ++i)
        if (node.in[i] != kNoValue)
            which.push_back(i);
    auto inputs = operands(node, which);
    if (!inputs)
        return Unit{};
    if (inputs->empty()) {
        drop(node, "has no operand");
        return Unit{};
    }
    // In older files an attribute states the axis of a shorter operand. The slopes of PRelu are per channel.
    const Shape x = shape(inputs->front());
    const bool placed = node.attribute("axis") != nullptr && node.integer("broadcast", 0) != 0;
    if (const Shape y = shape(inputs->back());
        inputs->size() == 2 && !y.empty() && (placed || (node.type == "PRelu" && y.size() == 1))) {
        const auto axis = axisOf(placed ? node.integer("axis", 0) : 1, x.size());
        if (axis && *axis + y.size() < x.size() &&
            std::equal(y.begin(), y.end(), x.begin() + static_cast<std::ptrdiff_t>(*axis))) {
            Shape wide = y;
            wide.resize(x.size() - *axis, 1);
            const auto spread = reshape(node, "placed", inputs->back(), std::move(wide));
            if (!spread)
                return spread.error();
            inputs->back() = *spread;
        }
    }
    return result(node, Kind::Elementwise, std::move(*inputs),
                  model::ElementwiseAttributes{lowerCase(node.type), 0});
}

/// Translates quantised elementwise nodes, in which each operand is followed by its scale and its zero point.
Status Translation::quantisedElementwise(const Node& node)
{
    const bool two = node.type == "QLinearAdd" || node.type == "QLinearMul";
    auto inputs = operands(node, two ? std::vector<std::size_t>{0, 3} : std::vector<std::size_t>{0});
    if (!inputs)
        return Unit{};
    countLeftOut(node, {1, 2, 4, 5, 6, 7});
    return result(node, Kind::Elementwise, std::move(*inputs),
                  model::ElementwiseAttributes{lowerCase(node.type), 0});
}

/// Translates conversions to and from small integers. Rewrite::foldQuantisers() removes pairs of them.
Status Translation::quantise(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    countLeftOut(node, {1, 2});
    return result(
        node, Kind::Elementwise, std::move(*inputs),
        model::ElementwiseAttributes{node.type == "DequantizeLinear" ? "dequantize" : "quantize", 0});
}

Status Translation::identity(const Node& node)
{
    auto inputs = operands(node, {0});
    return inputs ? result(node, Kind::Identity, std::move(*inputs)) : Status(Unit{});
}

/// Translates norms and softmax, which need whole rows.
Status Translation::rows(const Node& node)
{
    const bool softmax = node.type == "Softmax" || node.type == "LogSoftmax" || node.type == "Hardmax";
    const bool rms = node.type == "RMSNormalization" || node.type == "SimplifiedLayerNormalization";
    std::vector<std::size_t> which{0};
    for (std::size_t i = 1; i < (softmax ? 1U : rms ? 2U : 3U); ++i)
        if (node.input(i) != kNoValue)
            which.push_back(i);
    auto inputs = operands(node, which);
    if (!inputs)
        return Unit{};
    return result(node, softmax ? Kind::Softmax : rms ? Kind::RmsNorm : Kind::LayerNorm, std::move(*inputs));
}

Status Translation::batchNorm(const Node& node)
{
    auto inputs = operands(node, {0, 1, 2, 3, 4});
    return inputs ? result(node, Kind::BatchNorm, std::move(*inputs)) : Status(Unit{});
}

Status Translation::reduce(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    const std::size_t rank = shape(inputs->front()).size();
    model::ReduceAttributes a;
    a.keep = node.integer("keepdims", 1) != 0;
    if (node.attribute("axes") != nullptr || node.input(1) != kNoValue) {
        const auto axes = axesOf(node, m_values, 1, rank);
        if (!axes) {
            drop(node, "its axes are not known before the model runs");
            return Unit{};
        }
        for (const std::size_t axis : *axes)
            a.axes.push_back(static_cast<std::int64_t>(axis));
    }
    if (a.axes.empty() && node.integer("noop_with_empty_axes", 0) != 0)
        return result(node, Kind::Identity, std::move(*inputs));
    return result(node, Kind::Reduce, std::move(*inputs), a);
}

Status Translation::argReduce(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    return result(node, Kind::Reduce, std::move(*inputs),
                  model::ReduceAttributes{{node.integer("axis", 0)}, node.integer("keepdims", 1) != 0});
}

} // namespace tilewright::onnx
