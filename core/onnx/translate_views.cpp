// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes that only rearrange data.
#include "onnx/fold.h"
#include "onnx/translation.h"
#include "onnx/values.h"

#include <algorithm>
#include <cmath>

namespace tilewright::onnx {

using model::Shape;

namespace {

/// Result shape of Flatten: the dimensions before the axis become rows, the others columns.
std::optional<Shape> flattened(const Node& node, const Shape* x)
{
    if (x == nullptr)
        return std::nullopt;
    const std::int64_t axis = node.integer("axis", 1), rank = static_cast<std::int64_t>(x->size());
    if (axis < -rank || axis > rank)
        return std::nullopt;
    const auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    return Shape{model::elementsOf(std::span(*x).first(at)), model::elementsOf(std::span(*x).subspan(at))};
}

} // namespace

Status Translation::reshaping(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    const auto target =
        resultShape(node, node.type == "Reshape"   ? reshapedShape(node, m_values)
                          : node.type == "Squeeze" ? squeezedShape(node, m_values)
                          : node.type == "Flatten" ? flattened(node, m_values.shape(node.input(0)))
                                                   : unsqueezedShape(node, m_values));
    return target ? result(node, Kind::Reshape, std::move(*inputs), model::NoAttributes{}, *target)
                  : Status(Unit{});
}

Status Translation::transpose(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    model::TransposeAttributes a;
    for (std::size_t i = shape(inputs->front()).size(); i-- > 0;)
        a.permutation.push_back(static_cast<std::int64_t>(i));
    if (const auto given = node.integers("perm"); given && !given->empty())
        a.permutation = *given;
    return result(node, Kind::Transpose, std::move(*inputs), std::move(a));
}

Status Translation::slice(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    const Shape& x = shape(inputs->front());
    const auto ranges = sliceRanges(node, m_values, x);
    std::optional<Shape> own;
    bool forwards = ranges.has_value();
    model::SliceAttributes a;
    if (ranges) {
        own = x;
        for (const SliceRange& r : *ranges) {
            (*own)[r.axis] = r.size;
            forwards &= r.step > 0;
            a.axes.push_back(static_cast<std::int64_t>(r.axis));
            a.starts.push_back(r.start);
            a.ends.push_back(r.start + (r.size - 1) * r.step + 1);
            a.steps.push_back(r.step);
        }
        if (std::all_of(a.steps.begin(), a.steps.end(), [](std::int64_t s) { return s == 1; }))
            a.steps.clear();
    }
    const auto target = resultShape(node, std::move(own));
    if (!target)
        return Unit{};
    if (!forwards)
        return result(node, Kind::View, std::move(*inputs), model::NoAttributes{}, *target);
    if (*target == x)
        return result(node, Kind::Identity, std::move(*inputs));
    return result(node, Kind::Slice, std::move(*inputs), std::move(a));
}

Result<std::optional<std::pair<ModelTensorId, std::size_t>>> Translation::operandAlong(const Node& node)
{
    const auto inputs = operands(node, {0});
    if (!inputs)
        return std::optional<std::pair<ModelTensorId, std::size_t>>();
    const Shape& x = shape(inputs->front());
    const auto axis = axisOf(node.integer("axis", 0), x.size());
    if (!axis)
        return refuse(node, "its axis does not exist in " + model::shapeText(x));
    return std::optional(std::pair(inputs->front(), *axis));
}

Status Translation::split(const Node& node)
{
    const auto along = operandAlong(node);
    if (!along)
        return along.error();
    if (!*along)
        return Unit{};
    const auto [source, axis] = **along;
    const Shape x = shape(source);
    model::AxisAttributes a{static_cast<std::int64_t>(axis), {}};
    if (auto given = node.integers("split")) {
        a.sizes = std::move(*given);
    } else if (node.input(1) != kNoValue) {
        auto sizes = m_values.integers(node.input(1));
        if (!sizes) {
            drop(node, "its sizes are not known before the model runs");
            return Unit{};
        }
        a.sizes = std::move(*sizes);
    } else {
        const auto parts = static_cast<std::int64_t>(node.out.size());
        const std::int64_t each = ceilDiv(x[axis], parts);
        for (std::int64_t i = 0; i < parts; ++i)
            a.sizes.push_back(std::min(each, x[axis] - i * each));
    }
    if (a.sizes.size() != node.out.size())
        return refuse(node, "has " + std::to_string(node.out.size()) + " results and " +
                                std::to_string(a.sizes.size()) + " sizes");
    // Parts without elements are not tensors.
    std::vector<ValueId> parts;
    std::vector<std::string> names;
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < a.sizes.size(); ++i) {
        const ValueId v = node.out[i];
        if (a.sizes[i] == 0) {
            if (v != kNoValue) {
                m_values[v].shape = x;
                (*m_values[v].shape)[axis] = 0;
            }
            continue;
        }
        parts.push_back(v);
        sizes.push_back(a.sizes[i]);
        names.push_back(
            freshName(v == kNoValue ? node.name + ".part" + std::to_string(i) : m_values[v].name));
    }
    a.sizes = std::move(sizes);
    const auto out = add(node, node.name, Kind::Split, {source}, std::move(a), {}, names, widthLike(source));
    if (!out)
        return out.error();
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i] != kNoValue) {
            m_values[parts[i]].tensor = (*out)[i];
            m_values[parts[i]].shape = shape((*out)[i]);
            m_values[parts[i]].type = m_values[node.in[0]].type;
        }
    m_report.nodes[node.index].op = OperatorId(m_model.operators.size() - 1);
    return Unit{};
}

Status Translation::concat(const Node& node)
{
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < node.in.size(); ++i)
        if (const Shape* s = m_values.shape(node.in[i]); s == nullptr || model::elementsOf(*s) > 0)
            which.push_back(i);
    auto inputs = operands(node, which);
    if (!inputs)
        return Unit{};
    if (inputs->size() == 1)
        return result(node, Kind::Identity, std::move(*inputs));
    return result(node, Kind::Concat, std::move(*inputs), model::AxisAttributes{node.integer("axis", 1), {}});
}

Status Translation::expand(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    std::optional<Shape> own;
    if (const auto wanted = m_values.integers(node.input(1)))
        own = broadcastShape(shape(inputs->front()), *wanted);
    const auto target = resultShape(node, std::move(own));
    return target ? result(node, Kind::Expand, std::move(*inputs), model::NoAttributes{}, *target)
                  : Status(Unit{});
}

Status Translation::tile(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    std::optional<Shape> own;
    const Shape& x = shape(inputs->front());
    if (const auto repeats = m_values.integers(node.input(1)); repeats && repeats->size() == x.size()) {
        own = x;
        for (std::size_t i = 0; i < x.size(); ++i)
            (*own)[i] = saturatingMul(x[i], std::max<std::int64_t>(0, (*repeats)[i]));
    }
    const auto target = resultShape(node, std::move(own));
    return target ? result(node, Kind::Tile, std::move(*inputs), model::NoAttributes{}, *target)
                  : Status(Unit{});
}

Status Translation::pad(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    const Shape x = shape(inputs->front());
    std::optional<std::vector<std::int64_t>> pads = node.integers("pads");
    if (!pads)
        pads = m_values.integers(node.input(1));
    model::PadAttributes a{Shape(x.size(), 0), Shape(x.size(), 0)};
    std::vector<std::size_t> axes;
    for (std::size_t i = 0; i < x.size(); ++i)
        axes.push_back(i);
    if (node.input(3) != kNoValue) {
        const auto given = axesOf(node, m_values, 3, x.size());
        if (given)
            axes = *given;
        else
            pads.reset();
    }
    std::optional<Shape> own;
    bool adds = true;
    if (pads && pads->size() == 2 * axes.size()) {
        own = x;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            constexpr std::int64_t kMost = kMaxDimension;
            const std::int64_t before = std::clamp((*pads)[i], -kMost, kMost),
                               after = std::clamp((*pads)[axes.size() + i], -kMost, kMost);
            adds &= before >= 0 && after >= 0;
            a.before[axes[i]] = before;
            a.after[axes[i]] = after;
            (*own)[axes[i]] = std::max<std::int64_t>(0, (*own)[axes[i]] + before + after);
        }
    }
    const bool known = own.has_value();
    const auto target = resultShape(node, std::move(own));
    if (!target)
        return Unit{};
    if (*target == x)
        return result(node, Kind::Identity, std::move(*inputs));
    const std::string mode = node.text("mode"); // modes other than zero padding repeat elements of the input
    if (!known || !adds || !(mode.empty() || mode == "constant"))
        return result(node, Kind::View, std::move(*inputs), model::NoAttributes{}, *target);
    return result(node, Kind::Pad, std::move(*inputs), std::move(a));
}

/// Translates a gather. Known consecutive indices become a slice, which needs no gathering view.
Status Translation::gather(const Node& node)
{
    const auto along = operandAlong(node);
    if (!along)
        return along.error();
    if (!*along)
        return Unit{};
    const auto [source, axis] = **along;
    const Shape x = shape(source);
    const Constant* indices = m_values.data(node.input(1));
    if (indices != nullptr && !indices->real && indices->size() > 0 && indices->shape.size() <= 1) {
        std::vector<std::int64_t> rows = indices->integers;
        for (std::int64_t& i : rows)
            i += i < 0 ? x[axis] : 0;
        bool follows = rows.front() >= 0 && rows.back() < x[axis];
        for (std::size_t i = 1; i < rows.size(); ++i)
            follows &= rows[i] == rows[i - 1] + 1;
        if (follows) {
            const model::SliceAttributes range{
                {static_cast<std::int64_t>(axis)}, {rows.front()}, {rows.back() + 1}, {}};
            if (!indices->shape.empty())
                return result(node, Kind::Slice, {source}, range);
            const auto row = inner(node, Kind::Slice, {source}, range);
            if (!row)
                return row.error();
            Shape out = x;
            out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
            return result(node, Kind::Reshape, {*row}, model::NoAttributes{}, std::move(out));
        }
    }
    auto both = operands(node, {0, 1});
    if (!both)
        return Unit{};
    return result(node, Kind::Gather, std::move(*both),
                  model::AxisAttributes{static_cast<std::int64_t>(axis), {}});
}

Status Translation::resize(const Node& node)
{
    auto inputs = operands(node, {0});
    if (!inputs)
        return Unit{};
    const Shape x = shape(inputs->front());
    const bool older = node.type == "Upsample" || node.opset < 11;
    std::vector<double> scales = node.realList("scales");
    if (const Constant* c = m_values.data(node.input(older ? 1 : 2)); c != nullptr && c->real)
        scales = c->reals;
    const auto sizes = older ? std::nullopt : m_values.integers(node.input(3));
    std::vector<std::size_t> axes;
    for (std::size_t i = 0; i < x.size(); ++i)
        axes.push_back(i);
    if (const auto given = axesOf(node, m_values, 99, x.size()))
        axes = *given;
    const std::string policy = node.text("keep_aspect_ratio_policy");
    std::optional<Shape> own;
    if (sizes && sizes->size() == axes.size() && !axes.empty()) {
        own = x;
        // A policy that keeps the aspect ratio uses one scale for all axes: the smallest scale that an axis
        // needs for its requested size (not_larger), or the largest (not_smaller).
        double common = 0;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const double s = static_cast<double>((*sizes)[i]) / static_cast<double>(x[axes[i]]);
            common = i == 0 ? s : policy == "not_larger" ? std::min(common, s) : std::max(common, s);
        }
        const bool free = policy.empty() || policy == "stretch";
        for (std::size_t i = 0; i < axes.size(); ++i)
            (*own)[axes[i]] =
                free ? (*sizes)[i]
                     : static_cast<std::int64_t>(std::nearbyint(common * static_cast<double>(x[axes[i]])));
    } else if (scales.size() == axes.size() && !axes.empty()) {
        own = x;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const double size = std::floor(static_cast<double>(x[axes[i]]) * scales[i]);
            (*own)[axes[i]] = size >= 0 && size < 4e9 ? static_cast<std::int64_t>(size) : -1;
        }
    }
    const auto target = resultShape(node, std::move(own));
    return target ? result(node, Kind::Resize, std::move(*inputs), model::NoAttributes{}, *target)
                  : Status(Unit{});
}

Status Translation::depthToSpace(const Node& node)
{
    auto inputs = operands(node, {0});
    return inputs ? result(node, Kind::DepthToSpace, std::move(*inputs),
                           model::BlockAttributes{node.integer("blocksize", 0)})
                  : Status(Unit{});
}

Result<ValueId> Translation::sliceOf(const Node& node, std::size_t i, std::size_t axis, std::int64_t index)
{
    const ModelTensorId whole = tensorOf(node.in[i]);
    const std::string part = "operand" + std::to_string(i) + "/step" + std::to_string(index);
    const auto layer =
        helper(node, part.c_str(), Kind::Slice, {whole},
               model::SliceAttributes{{static_cast<std::int64_t>(axis)}, {index}, {index + 1}, {}});
    if (!layer)
        return layer.error();
    Shape without = shape(whole);
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(axis));
    const auto one = reshape(node, (part + "/own").c_str(), *layer, without);
    if (!one)
        return one.error();
    Value value;
    value.name = m_model.tensors[*one].name;
    value.shape = std::move(without);
    value.type = m_values[node.in[i]].type;
    value.tensor = *one;
    return m_values.add(std::move(value));
}

Status Translation::stack(const Node& node, std::size_t i, const std::vector<ValueId>& steps)
{
    m_inner.reset();
    Tensors parts;
    for (const ValueId v : steps) {
        if (!m_values[v].isTensor())
            return Unit{}; // nodes that read the result are dropped later
        Shape one = *m_values[v].shape;
        one.insert(one.begin(), 1);
        const auto part = reshape(node, ("step" + std::to_string(parts.size())).c_str(), tensorOf(v), one);
        if (!part)
            return part.error();
        parts.push_back(*part);
    }
    if (parts.empty())
        return Unit{};
    m_values[node.out[i]].type = m_values[steps.front()].type;
    return result(node, Kind::Concat, std::move(parts), model::AxisAttributes{0, {}}, {}, i);
}

/// Translates a rearrangement of operands of which only the result shape is known.
Status Translation::view(const Node& node)
{
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < node.in.size(); ++i)
        if (node.in[i] != kNoValue && !(m_values.data(node.in[i]) != nullptr && i > 0))
            which.push_back(i);
    auto inputs = operands(node, which);
    if (!inputs)
        return Unit{};
    if (inputs->empty()) {
        drop(node, "has no operand");
        return Unit{};
    }
    const bool likeFirst =
        node.type.starts_with("Scatter") || node.type == "Trilu" || node.type == "ReverseSequence";
    const Shape* x = m_values.shape(node.input(0));
    const auto target = resultShape(node, likeFirst && x != nullptr ? std::optional(*x) : std::nullopt);
    return target ? result(node, Kind::View, std::move(*inputs), model::NoAttributes{}, *target)
                  : Status(Unit{});
}

} // namespace tilewright::onnx
