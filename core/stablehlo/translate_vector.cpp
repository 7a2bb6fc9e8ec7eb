// SPDX-License-Identifier: GPL-3.0-or-later
// Constants, elementwise operators, reductions and pools, and what is passed on unchanged.
#include "stablehlo/translation.h"

#include "base/utf8.h"

#include <algorithm>
#include <array>

namespace tilewright::stablehlo {

using model::Shape;

/// Translates a constant: a literal, or numbers that follow a rule. A literal without a list has one number
/// for all elements.
Status Translation::constant(const Node& node)
{
    bool splat = valueOf(node).type.shape.empty();
    const Range header = node.statement->header;
    for (std::size_t i = header.begin; i < header.end; ++i)
        if (const Token& t = m_program.token(i); t.kind == Token::Kind::Dense)
            splat |= t.text.find_first_of("[\"") == std::string_view::npos;
    fold(node, "a constant", splat);
    return Unit{};
}

Status Translation::elementwise(const Node& node)
{
    if (allConstant(node)) {
        const bool splat =
            std::ranges::all_of(node.operands, [&](ValueIndex v) { return m_values[v].splat; });
        fold(node, "known before the model runs", splat);
        return Unit{};
    }
    Tensors inputs;
    std::vector<Shape> shapes;
    for (const ValueIndex v : node.operands) {
        const auto t = narrowOf(v);
        if (!t)
            return t.error();
        inputs.push_back(*t);
        shapes.push_back(shape(*t));
    }
    const model::ElementwiseAttributes attributes{printable(node.type), 0};
    const model::Operator op{Kind::Elementwise, {}, {}, {}, {}, attributes};
    if (const auto own = model::outputShapes(op, shapes, {});
        !own || own->front() != valueOf(node).type.shape) {
        const auto wide = tensorsOf(node, node.operands.size()); // every operand is a broadcast
        if (!wide)
            return wide.error();
        inputs = *wide;
    }
    return result(node, Kind::Elementwise, std::move(inputs), attributes);
}

/// Translates operators whose results equal their operands, perhaps with another element type.
Status Translation::identity(const Node& node)
{
    if (node.operands.size() != node.results.size())
        return refuse(node, "has " + std::to_string(node.results.size()) + " results and " +
                                std::to_string(node.operands.size()) + " operands");
    if (allConstant(node)) {
        const bool splat =
            std::ranges::all_of(node.operands, [&](ValueIndex v) { return m_values[v].splat; });
        fold(node, "known before the model runs", splat);
        return Unit{};
    }
    const auto inputs = tensorsOf(node, node.operands.size());
    if (!inputs)
        return inputs.error();
    for (std::size_t i = 0; i < inputs->size(); ++i) {
        const Kind kind = shape((*inputs)[i]) == valueOf(node, i).type.shape ? Kind::Identity : Kind::View;
        if (kind == Kind::View && node.type != "bitcast_convert")
            return refuse(node, "its result " + model::shapeText(valueOf(node, i).type.shape) +
                                    " has another shape than its operand " +
                                    model::shapeText(shape((*inputs)[i])));
        if (Status s = result(node, kind, {(*inputs)[i]}, model::NoAttributes{}, i); !s)
            return s;
    }
    return Unit{};
}

/// Translates a reduction. Operands: the tensors, then as many initial values.
Status Translation::reduce(const Node& node)
{
    const std::size_t count = node.results.size();
    if (node.operands.size() != 2 * count)
        return refuse(node, "has " + std::to_string(node.operands.size()) + " operands instead of " +
                                std::to_string(2 * count));
    const auto reduced = axes(node, {"dimensions"}, shapeOf(node, 0).size());
    if (!reduced)
        return reduced.error();
    if (allConstant(node)) {
        fold(node, "known before the model runs");
        return Unit{};
    }
    // An arg max also reduces the positions, which are known. Their results are taken from the first operand
    // that is not constant.
    std::size_t first = 0;
    while (first < count && m_values[node.operands[first]].constant)
        ++first;
    for (std::size_t i = 0; i < count; ++i) {
        const bool known = m_values[node.operands[i]].constant && first < count;
        const auto x = tensorOf(node.operands[known ? first : i]);
        if (!x)
            return x.error();
        Status s = reduced->empty()
                       ? result(node, Kind::Identity, {*x}, model::NoAttributes{}, i)
                       : result(node, Kind::Reduce, {*x}, model::ReduceAttributes{*reduced, false}, i);
        if (!s)
            return s;
    }
    return Unit{};
}

/// Translates windows along one or two dimensions as a pool. The dimensions become rows and columns of an
/// image.
Status Translation::reduceWindow(const Node& node)
{
    if (node.results.size() != 1 || node.operands.size() != 2)
        return drop(node, "windows over several tensors are not supported", false);
    const Shape x = shapeOf(node, 0);
    const std::size_t rank = x.size();
    const auto window = list(node, {"window_dimensions"}, rank, 1);
    const auto stride = list(node, {"window_strides"}, rank, 1);
    const auto base = list(node, {"base_dilations"}, rank, 1);
    const auto dilation = list(node, {"window_dilations"}, rank, 1);
    const auto padding = list(node, {"padding"}, 2 * rank, 0);
    for (const auto* part : {&window, &stride, &base, &dilation, &padding})
        if (!*part)
            return part->error();
    if (allConstant(node)) {
        fold(node, "known before the model runs");
        return Unit{};
    }
    Integers order, windowed;
    for (std::size_t i = 0; i < rank; ++i) {
        const bool plain =
            (*window)[i] == 1 && (*stride)[i] == 1 && (*padding)[2 * i] == 0 && (*padding)[2 * i + 1] == 0;
        (plain ? order : windowed).push_back(static_cast<std::int64_t>(i));
    }
    if (windowed.empty() || windowed.size() > 2 ||
        std::ranges::any_of(*base, [](auto d) { return d != 1; }) ||
        std::ranges::any_of(*padding, [](auto p) { return p < 0; }))
        return drop(node, "only windows along one or two dimensions without negative padding are supported",
                    false);
    const std::size_t others = order.size();
    order.insert(order.end(), windowed.begin(), windowed.end());
    const auto sizeOf = [&](std::int64_t axis) { return x[static_cast<std::size_t>(axis)]; };
    Shape image{1, 1, 1, 1};
    for (std::size_t i = 0; i < others; ++i) {
        std::int64_t& size = image[i + 1 == others ? 1 : 0];
        size = saturatingMul(size, sizeOf(order[i]));
    }
    model::WindowAttributes a;
    for (std::size_t i = 0; i < windowed.size(); ++i) {
        const std::size_t at = 2 - windowed.size() + i;
        const auto axis = static_cast<std::size_t>(windowed[i]);
        image[2 + at] = x[axis];
        a.kernel[at] = (*window)[axis];
        a.stride[at] = (*stride)[axis];
        a.dilation[at] = (*dilation)[axis];
        a.padding[at] = (*padding)[2 * axis];
        a.padding[2 + at] = (*padding)[2 * axis + 1];
    }
    const auto source = tensorOf(node.operands[0]);
    const auto channels = source ? transposed(node, "channels", *source, order) : source;
    const auto picture = channels ? reshaped(node, "image", *channels, image) : channels;
    if (!picture)
        return picture.error();
    const bool isMaximum = m_program.mentions(*node.statement, "stablehlo.maximum");
    const auto pooled = inner(node, isMaximum ? Kind::MaxPool : Kind::AveragePool, {*picture}, a);
    if (!pooled)
        return pooled.error();
    const Shape &y = shape(*pooled), &wanted = valueOf(node).type.shape;
    Shape split;
    Integers back(rank, 0);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t at = i < others ? 0 : 2 + (2 - windowed.size()) + (i - others);
        split.push_back(i < others ? sizeOf(order[i]) : y[at]);
        back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    if (std::ranges::is_sorted(back))
        return wanted == split ? result(node, Kind::Reshape, {*pooled}, model::NoAttributes{})
                               : refuse(node, "its result is " + model::shapeText(wanted) +
                                                  ", but its windows give " + model::shapeText(split));
    const auto parts = reshaped(node, "split", *pooled, split);
    if (!parts)
        return parts.error();
    return result(node, Kind::Transpose, {*parts}, model::TransposeAttributes{back});
}

Status Translation::batchNorm(const Node& node)
{
    auto inputs = tensorsOf(node, 5);
    return inputs ? result(node, Kind::BatchNorm, std::move(*inputs), model::NoAttributes{})
                  : Status(inputs.error());
}

/// Translates custom calls. Calls that only state where a tensor is placed return their operand.
Status Translation::customCall(const Node& node)
{
    constexpr std::array<std::string_view, 6> kPassed{
        "Sharding",         "SPMDFullToShardShape",      "SPMDShardToFullShape", "annotate_device_placement",
        "LayoutConstraint", "xla.sdy.FuncResultSharding"};
    std::string_view target = node.statement->symbol;
    if (const auto at = m_program.attribute(*node.statement, "call_target_name"))
        target = m_program.token(*at).text;
    if (std::ranges::find(kPassed, target) != kPassed.end() && node.operands.size() == node.results.size() &&
        !node.operands.empty() && shapeOf(node, 0) == valueOf(node).type.shape)
        return identity(node);
    return drop(node, "the custom call @" + printable(target) + " is not supported", true);
}

Status Translation::withoutMacs(const Node& node)
{
    return drop(node, "this operator is not supported", false);
}

} // namespace tilewright::stablehlo
