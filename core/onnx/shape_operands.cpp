// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes and ranges from operands: Reshape, Squeeze, Unsqueeze, Slice, axes.
#include "onnx/fold.h"

#include <algorithm>

namespace tilewright::onnx {

using model::Shape;

namespace {

/// Integers from the attribute (older opsets) or, without the attribute, from operand `i` (newer opsets).
std::optional<std::vector<std::int64_t>> integersOf(const Node& node, const Values& values, const char* name,
                                                    std::size_t i)
{
    if (auto own = node.integers(name))
        return own;
    return values.integers(node.input(i));
}

bool isGiven(const Node& node, const char* name, std::size_t i)
{
    return node.attribute(name) != nullptr || node.input(i) != kNoValue;
}

} // namespace

std::optional<std::vector<std::size_t>> axesOf(const Node& node, const Values& values, std::size_t i,
                                               std::size_t rank)
{
    const auto given = integersOf(node, values, "axes", i);
    if (!given)
        return std::nullopt;
    std::vector<std::size_t> out;
    for (const std::int64_t axis : *given) {
        const auto a = axisOf(axis, rank);
        if (!a)
            return std::nullopt;
        out.push_back(*a);
    }
    return out;
}

std::optional<std::vector<SliceRange>> sliceRanges(const Node& node, const Values& values, const Shape& shape)
{
    const auto starts = integersOf(node, values, "starts", 1), ends = integersOf(node, values, "ends", 2);
    if (!starts || !ends || starts->size() != ends->size())
        return std::nullopt;
    std::vector<std::int64_t> steps(starts->size(), 1);
    if (node.input(4) != kNoValue) {
        const auto given = values.integers(node.input(4));
        if (!given || given->size() != starts->size())
            return std::nullopt;
        steps = *given;
    }
    std::vector<std::size_t> axes;
    if (isGiven(node, "axes", 3)) {
        const auto given = axesOf(node, values, 3, shape.size());
        if (!given)
            return std::nullopt;
        axes = *given;
    } else {
        for (std::size_t i = 0; i < starts->size(); ++i)
            axes.push_back(i);
    }
    if (axes.size() != starts->size() || axes.size() > shape.size())
        return std::nullopt;
    std::vector<SliceRange> out;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t size = shape[axes[i]], step = steps[i];
        if (step == 0 || step == INT64_MIN)
            return std::nullopt;
        const auto fromFront = [&](std::int64_t n) { return n < 0 ? std::max(n, -size - 1) + size : n; };
        std::int64_t start = fromFront((*starts)[i]), end = fromFront((*ends)[i]);
        SliceRange r{axes[i], 0, step, 0};
        if (step > 0) {
            start = std::clamp<std::int64_t>(start, 0, size);
            end = std::clamp<std::int64_t>(end, 0, size);
            r.size = end > start ? ceilDiv(end - start, step) : 0;
        } else {
            start = std::clamp<std::int64_t>(start, -1, size - 1);
            end = std::clamp<std::int64_t>(end, -1, size - 1);
            r.size = start > end ? ceilDiv(start - end, -step) : 0;
        }
        r.start = start;
        if (r.size <= 1)
            r.step = 1;
        out.push_back(r);
    }
    return out;
}

std::optional<Shape> reshapedShape(const Node& node, const Values& values)
{
    const Shape* from = values.shape(node.input(0));
    const auto wanted = integersOf(node, values, "shape", 1);
    if (from == nullptr || !wanted || wanted->size() > model::kMaxRank)
        return std::nullopt;
    Shape out;
    std::optional<std::size_t> open;
    const bool zeroIsZero = node.integer("allowzero", 0) != 0;
    for (std::size_t i = 0; i < wanted->size(); ++i) {
        std::int64_t size = (*wanted)[i];
        if (size == 0 && !zeroIsZero) {
            if (i >= from->size())
                return std::nullopt;
            size = (*from)[i];
        }
        if (size < -1 || (size == -1 && open))
            return std::nullopt;
        if (size == -1)
            open = i;
        out.push_back(size == -1 ? 1 : size);
    }
    const std::int64_t elements = model::elementsOf(*from), known = model::elementsOf(out);
    if (open) {
        if (known == 0 || elements % known != 0)
            return std::nullopt;
        out[*open] = elements / known;
    } else if (known != elements) {
        return std::nullopt;
    }
    return out;
}

std::optional<Shape> squeezedShape(const Node& node, const Values& values)
{
    const Shape* from = values.shape(node.input(0));
    if (from == nullptr)
        return std::nullopt;
    std::vector<bool> gone(from->size(), false);
    if (isGiven(node, "axes", 1)) {
        const auto axes = axesOf(node, values, 1, from->size());
        if (!axes)
            return std::nullopt;
        for (const std::size_t a : *axes)
            gone[a] = true;
    } else {
        for (std::size_t i = 0; i < from->size(); ++i)
            gone[i] = (*from)[i] == 1;
    }
    Shape out;
    for (std::size_t i = 0; i < from->size(); ++i) {
        if (gone[i] && (*from)[i] != 1)
            return std::nullopt;
        if (!gone[i])
            out.push_back((*from)[i]);
    }
    return out;
}

std::optional<Shape> unsqueezedShape(const Node& node, const Values& values)
{
    const Shape* from = values.shape(node.input(0));
    const auto given = integersOf(node, values, "axes", 1);
    if (from == nullptr || !given || given->size() > model::kMaxRank)
        return std::nullopt;
    Shape out(from->size() + given->size(), 0);
    for (const std::int64_t axis : *given) {
        const auto a = axisOf(axis, out.size());
        if (!a || out[*a] != 0)
            return std::nullopt;
        out[*a] = 1;
    }
    std::vector<bool> isNew(out.size(), false);
    for (std::size_t i = 0; i < out.size(); ++i)
        isNew[i] = out[i] == 1;
    auto next = from->begin();
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!isNew[i])
            out[i] = *next++;
    return out;
}

} // namespace tilewright::onnx
