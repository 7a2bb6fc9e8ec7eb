// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutions and pools. One spatial axis becomes an image of one row; three spatial axes become two by a
// view.
#include "onnx/translation.h"

#include <algorithm>
#include <numeric>

namespace tilewright::onnx {

using model::Shape;

namespace {

constexpr std::int64_t kMaxWindow = 1 << 20;

/// Up to three spatial sizes, right-aligned in the array.
using Spatial = std::array<std::int64_t, 3>;

struct Windows
{
    Spatial stride{1, 1, 1}, dilation{1, 1, 1}, before{}, after{};
};

Spatial lastOf(const std::vector<std::int64_t>& values, std::int64_t otherwise)
{
    Spatial out;
    out.fill(otherwise);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, values.size()); ++i)
        out[2 - i] = values[values.size() - 1 - i];
    return out;
}

/// Strides, dilations and padding of a node. `x` and `kernel` have `axes` sizes, right-aligned.
Result<Windows> windowsOf(const Node& node, const Spatial& x, const Spatial& kernel, std::size_t axes,
                          bool isPool)
{
    Windows w;
    const auto list = [&](const char* name, std::size_t count) -> std::optional<std::vector<std::int64_t>> {
        auto given = node.integers(name);
        if (given && given->size() != count)
            return std::nullopt;
        return given ? std::move(*given) : std::vector<std::int64_t>();
    };
    const auto strides = list("strides", axes), dilations = list("dilations", axes),
               pads = list("pads", 2 * axes);
    if (!strides || !dilations || !pads)
        return problemError({}, "strides and dilations must have one entry per spatial axis, pads two");
    w.stride = lastOf(*strides, 1);
    w.dilation = lastOf(*dilations, 1);
    for (std::size_t i = 0; i < 3; ++i)
        if (w.stride[i] < 1 || w.dilation[i] < 1 || kernel[i] < 1 || w.stride[i] > kMaxWindow ||
            w.dilation[i] > kMaxWindow || kernel[i] > kMaxWindow)
            return problemError({}, "kernel, stride and dilation must be from 1 to 1048576");
    if (!pads->empty()) {
        w.before = lastOf({pads->begin(), pads->begin() + static_cast<std::ptrdiff_t>(axes)}, 0);
        w.after = lastOf({pads->begin() + static_cast<std::ptrdiff_t>(axes), pads->end()}, 0);
    }
    const std::string mode = node.text("auto_pad");
    constexpr std::array<std::string_view, 5> kModes{"", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
    if (std::ranges::find(kModes, mode) == kModes.end())
        return problemError({}, "auto_pad is \"" + mode.substr(0, 40) +
                                    "\": expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    const bool ceil = isPool && node.integer("ceil_mode", 0) != 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t span = w.dilation[i] * (kernel[i] - 1) + 1;
        if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
            const std::int64_t total =
                std::max<std::int64_t>(0, (ceilDiv(x[i], w.stride[i]) - 1) * w.stride[i] + span - x[i]);
            w.before[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
            w.after[i] = total - w.before[i];
        } else if (mode == "VALID") {
            w.before[i] = w.after[i] = 0;
        }
        if (w.before[i] < 0 || w.after[i] < 0 || w.before[i] > kMaxWindow || w.after[i] > kMaxWindow)
            return problemError({}, "padding must be from 0 to 1048576");
        const std::int64_t free = x[i] + w.before[i] + w.after[i] - span;
        if (ceil && free > 0 && free % w.stride[i] != 0) {
            // One more window, unless it would start in the padding at the end.
            const std::int64_t start = (free / w.stride[i] + 1) * w.stride[i];
            if (start < x[i] + w.before[i])
                w.after[i] += w.stride[i] - free % w.stride[i];
        }
    }
    return w;
}

/// Describes a kernel_shape that differs from the shape of the weights; empty if it is correct.
std::string faultOfKernelShape(const Node& node, const Shape& weights)
{
    const auto given = node.integers("kernel_shape");
    const Shape own(weights.begin() + 2, weights.end());
    return !given || Shape(given->begin(), given->end()) == own
               ? std::string()
               : "kernel_shape is " + model::shapeText(Shape(given->begin(), given->end())) +
                     ", but the kernel of the weights " + model::shapeText(own);
}

/// Window attributes of the last two spatial axes.
model::WindowAttributes flat(const Windows& w, const Spatial& kernel)
{
    model::WindowAttributes out;
    out.kernel = {kernel[1], kernel[2]};
    out.stride = {w.stride[1], w.stride[2]};
    out.dilation = {w.dilation[1], w.dilation[2]};
    out.padding = {w.before[1], w.before[2], w.after[1], w.after[2]};
    return out;
}

/// Extends [N, C, W] to an image of one row.
Shape asImage(Shape s)
{
    if (s.size() == 3)
        s.insert(s.begin() + 2, 1);
    return s;
}

/// The spatial sizes: all dimensions except the first two. Missing sizes are 1.
Spatial spatialOf(const Shape& s)
{
    return lastOf({s.begin() + 2, s.end()}, 1);
}

} // namespace

Status Translation::convolution(const Node& node)
{
    const bool quantised = node.type == "QLinearConv";
    std::vector<std::size_t> which{0, quantised ? 3U : 1U};
    const std::size_t bias = quantised ? 8 : 2;
    if (node.type != "ConvInteger" && node.input(bias) != kNoValue)
        which.push_back(bias);
    auto inputs = operands(node, which);
    if (!inputs)
        return Unit{};
    if (quantised)
        countLeftOut(node, {1, 2, 4, 5, 6, 7});
    else if (node.type == "ConvInteger")
        countLeftOut(node, {2, 3});
    const Shape x = shape((*inputs)[0]), w = shape((*inputs)[1]);
    if (x.size() < 3 || x.size() > 5 || w.size() != x.size())
        return refuse(node, "the input " + model::shapeText(x) + " and the weights " + model::shapeText(w) +
                                " must both have 3, 4 or 5 dimensions");
    if (const std::string fault = faultOfKernelShape(node, w); !fault.empty())
        return refuse(node, fault);
    const auto windows = windowsOf(node, spatialOf(x), spatialOf(w), x.size() - 2, false);
    if (!windows)
        return refuse(node, windows.error().message);
    model::WindowAttributes a = flat(*windows, spatialOf(w));
    a.kernel = {1, 1}; // the weights state the kernel size of a convolution
    a.groups = node.integer("group", 1);
    if (x.size() == 4)
        return result(node, Kind::Conv2d, std::move(*inputs), a);
    ModelTensorId image = (*inputs)[0];
    std::int64_t depth = 1;
    if (x.size() == 5) {
        // Each layer of the result is an image. The layers in its window become additional channels.
        depth = model::windowOutput(x[2], w[2], windows->stride[0], windows->before[0] + windows->after[0],
                                    windows->dilation[0]);
        const Shape layers{saturatingMul(x[0], depth), saturatingMul(x[1], w[2]), x[3], x[4]};
        if (depth < 1 || model::elementsOf(layers) > kMaxArea)
            return refuse(node, "the kernel does not fit the input " + model::shapeText(x));
        const auto unfolded = helper(node, "layers", Kind::View, {image}, model::NoAttributes{}, layers);
        if (!unfolded)
            return unfolded.error();
        image = *unfolded;
    } else {
        const auto row = reshape(node, "image", image, asImage(x));
        if (!row)
            return row.error();
        image = *row;
    }
    const Shape flatWeights = x.size() == 5 ? Shape{w[0], saturatingMul(w[1], w[2]), w[3], w[4]} : asImage(w);
    const auto weights = reshape(node, "weights", (*inputs)[1], flatWeights);
    if (!weights)
        return weights.error();
    (*inputs)[0] = image;
    (*inputs)[1] = *weights;
    const auto product = inner(node, Kind::Conv2d, std::move(*inputs), a);
    if (!product)
        return product.error();
    Shape y = shape(*product);
    if (x.size() == 3)
        return result(node, Kind::Reshape, {*product}, model::NoAttributes{}, {y[0], y[1], y[3]});
    return result(node, Kind::View, {*product}, model::NoAttributes{}, {x[0], y[1], depth, y[2], y[3]});
}

Status Translation::transposedConvolution(const Node& node)
{
    std::vector<std::size_t> which{0, 1};
    if (node.input(2) != kNoValue)
        which.push_back(2);
    auto inputs = operands(node, which);
    if (!inputs)
        return Unit{};
    const Shape x = shape((*inputs)[0]), w = shape((*inputs)[1]);
    if (x.size() < 3 || x.size() > 5 || w.size() != x.size())
        return refuse(node, "the input " + model::shapeText(x) + " and the weights " + model::shapeText(w) +
                                " must both have 3, 4 or 5 dimensions");
    if (const std::string fault = faultOfKernelShape(node, w); !fault.empty())
        return refuse(node, fault);
    const std::size_t axes = x.size() - 2;
    const Spatial in = spatialOf(x), kernel = spatialOf(w);
    auto windows = windowsOf(node, in, kernel, axes, false);
    const auto more = node.integers("output_padding");
    const auto wanted = node.integers("output_shape");
    if (!windows || (more && more->size() != axes) || (wanted && wanted->size() < axes))
        return refuse(node, windows ? "output_padding and output_shape must have one entry per spatial axis"
                                    : windows.error().message);
    Spatial padding = lastOf(more.value_or(std::vector<std::int64_t>()), 0);
    const Spatial sizes = lastOf(wanted.value_or(std::vector<std::int64_t>()), 0);
    const std::string mode = node.text("auto_pad");
    for (std::size_t i = 3 - axes; i < 3; ++i) {
        if (padding[i] < 0 || padding[i] > kMaxWindow || sizes[i] < 0 || sizes[i] > kMaxDimension)
            return refuse(node, "output_padding and output_shape must not be negative");
        std::int64_t target = wanted ? sizes[i] : 0;
        if (target == 0 && (mode == "SAME_UPPER" || mode == "SAME_LOWER"))
            target = in[i] * windows->stride[i];
        if (target == 0)
            continue;
        const std::int64_t total = (in[i] - 1) * windows->stride[i] + padding[i] +
                                   windows->dilation[i] * (kernel[i] - 1) + 1 - target;
        windows->before[i] = std::max<std::int64_t>(0, total / 2);
        windows->after[i] = std::max<std::int64_t>(0, total - total / 2);
        padding[i] += std::max<std::int64_t>(0, -total);
    }
    model::WindowAttributes a = flat(*windows, kernel);
    a.kernel = {1, 1};
    a.groups = node.integer("group", 1);
    a.outputPadding = {padding[1], padding[2]};
    if (x.size() == 4)
        return result(node, Kind::ConvTranspose2d, std::move(*inputs), a);
    if (x.size() == 5) {
        const std::int64_t depth = (in[0] - 1) * windows->stride[0] + padding[0] +
                                   windows->dilation[0] * (kernel[0] - 1) + 1 - windows->before[0] -
                                   windows->after[0];
        // Number of layers of the two-dimensional transposed convolution that add up to one layer (along the
        // depth) of the result.
        const std::int64_t terms =
            ceilDiv(kernel[0], windows->stride[0] / std::gcd(windows->stride[0], windows->dilation[0]));
        return transposedConvolution3d(node, std::move(*inputs), a, depth, std::min(terms, in[0]));
    }
    const auto image = reshape(node, "image", (*inputs)[0], asImage(x));
    const auto weights = image ? reshape(node, "weights", (*inputs)[1], asImage(w)) : image;
    if (!weights)
        return weights.error();
    (*inputs)[0] = *image;
    (*inputs)[1] = *weights;
    const auto product = inner(node, Kind::ConvTranspose2d, std::move(*inputs), a);
    if (!product)
        return product.error();
    const Shape y = shape(*product);
    return result(node, Kind::Reshape, {*product}, model::NoAttributes{}, {y[0], y[1], y[3]});
}

/// Translates a transposed convolution with three axes. Each layer of the input is an image. The layers of
/// the kernel become additional result channels. Products that belong to the same layer of the result are
/// added.
Status Translation::transposedConvolution3d(const Node& node, Tensors inputs,
                                            const model::WindowAttributes& a, std::int64_t depth,
                                            std::int64_t terms)
{
    constexpr std::int64_t kMostTerms = 4096;
    const Shape x = shape(inputs[0]), w = shape(inputs[1]);
    const Shape layers{saturatingMul(x[0], x[2]), x[1], x[3], x[4]};
    if (depth < 1 || depth > kMaxDimension || terms > kMostTerms || layers[0] > kMaxDimension)
        return refuse(node, "the kernel does not fit the input " + model::shapeText(x));
    const auto image = helper(node, "layers", Kind::View, {inputs[0]}, model::NoAttributes{}, layers);
    if (!image)
        return image.error();
    const auto weights = reshape(node, "weights", inputs[1], {w[0], saturatingMul(w[1], w[2]), w[3], w[4]});
    if (!weights)
        return weights.error();
    const auto product = inner(node, Kind::ConvTranspose2d, {*image, *weights}, a);
    if (!product)
        return product.error();
    const Shape y = shape(*product);
    const Shape whole{x[0], y[1] / w[2], depth, y[2], y[3]};
    if (terms == 1 && inputs.size() == 2)
        return result(node, Kind::View, {*product}, model::NoAttributes{}, whole);
    Tensors parts;
    for (std::int64_t i = 0; i < terms; ++i) {
        const auto part = helper(node, ("term" + std::to_string(i)).c_str(), Kind::View, {*product},
                                 model::NoAttributes{}, whole);
        if (!part)
            return part.error();
        parts.push_back(*part);
    }
    if (inputs.size() > 2) {
        const auto bias = reshape(node, "bias", inputs[2], {whole[1], 1, 1, 1});
        if (!bias)
            return bias.error();
        parts.push_back(*bias);
    }
    return result(node, Kind::Elementwise, std::move(parts), model::ElementwiseAttributes{"add", 0});
}

Status Translation::pool(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    const Shape x = shape(inputs->front());
    const auto given = node.integers("kernel_shape");
    if (x.size() < 3 || x.size() > 5 || !given || given->size() != x.size() - 2)
        return refuse(node, "the kernel must have an entry for each spatial axis of the input " +
                                model::shapeText(x));
    const Spatial kernel = lastOf(*given, 1);
    const auto windows = windowsOf(node, spatialOf(x), kernel, x.size() - 2, true);
    if (!windows)
        return refuse(node, windows.error().message);
    const Kind kind = node.type == "MaxPool" ? Kind::MaxPool : Kind::AveragePool;
    if (x.size() == 4)
        return result(node, kind, std::move(*inputs), flat(*windows, kernel));
    // Pooling along three axes takes two steps: first the last two axes, then the first one.
    const Shape layers = x.size() == 5 ? Shape{x[0], saturatingMul(x[1], x[2]), x[3], x[4]} : asImage(x);
    const auto image = reshape(node, "image", inputs->front(), layers);
    if (!image)
        return image.error();
    auto pooled = inner(node, kind, {*image}, flat(*windows, kernel));
    if (!pooled)
        return pooled.error();
    const Shape y = shape(*pooled);
    if (x.size() == 3)
        return result(node, Kind::Reshape, {*pooled}, model::NoAttributes{}, {y[0], y[1], y[3]});
    const auto columns = reshape(node, "columns", *pooled, {x[0], x[1], x[2], saturatingMul(y[2], y[3])});
    if (!columns)
        return columns.error();
    model::WindowAttributes depth;
    depth.kernel = {kernel[0], 1};
    depth.stride = {windows->stride[0], 1};
    depth.dilation = {windows->dilation[0], 1};
    depth.padding = {windows->before[0], 0, windows->after[0], 0};
    pooled = helper(node, "depth", kind, {*columns}, depth);
    if (!pooled)
        return pooled.error();
    return result(node, Kind::Reshape, {*pooled}, model::NoAttributes{},
                  {x[0], x[1], shape(*pooled)[2], y[2], y[3]});
}

Status Translation::globalPool(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    const std::size_t rank = shape(inputs->front()).size();
    if (rank < 3)
        return refuse(node, "the input " + model::shapeText(shape(inputs->front())) +
                                " must have 3 dimensions or more");
    if (rank == 4)
        return result(node, Kind::GlobalPool, std::move(*inputs));
    model::ReduceAttributes a;
    for (std::size_t axis = 2; axis < rank; ++axis)
        a.axes.push_back(static_cast<std::int64_t>(axis));
    return result(node, Kind::Reduce, std::move(*inputs), a);
}

} // namespace tilewright::onnx
