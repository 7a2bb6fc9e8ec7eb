// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/fold.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace tilewright::onnx {

namespace pb = ::onnx;
using model::Shape;

namespace {

OptionalConstant foldGather(const Node& node, const Constant& x, const Constant& indices)
{
    const auto axis = axisOf(node.integer("axis", 0), x.shape.size());
    if (!axis || indices.real)
        return std::nullopt;
    Shape shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(*axis));
    const std::int64_t before = model::elementsOf(shape);
    shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
    const Shape rest(x.shape.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, x.shape.end());
    shape.insert(shape.end(), rest.begin(), rest.end());
    if (!isSmall(shape))
        return std::nullopt;
    const std::int64_t after = model::elementsOf(rest), size = x.shape[*axis];
    Constant out{shape, x.real, {}, {}};
    for (std::int64_t b = 0; b < before; ++b)
        for (std::int64_t index : indices.integers) {
            index += index < 0 ? size : 0;
            if (index < 0 || index >= size)
                return std::nullopt;
            const auto from = static_cast<std::ptrdiff_t>((b * size + index) * after);
            if (x.real)
                out.reals.insert(out.reals.end(), x.reals.begin() + from, x.reals.begin() + from + after);
            else
                out.integers.insert(out.integers.end(), x.integers.begin() + from,
                                    x.integers.begin() + from + after);
        }
    return out;
}

OptionalConstant foldSlice(const Node& node, const Values& values, const Constant& x)
{
    const auto ranges = sliceRanges(node, values, x.shape);
    if (!ranges)
        return std::nullopt;
    Shape shape = x.shape;
    auto strides = stridesOf(x.shape);
    std::int64_t offset = 0;
    for (const SliceRange& r : *ranges) {
        shape[r.axis] = r.size;
        offset = wrappingArithmetic(offset, wrappingArithmetic(r.start, strides[r.axis], '*'), '+');
        strides[r.axis] = wrappingArithmetic(strides[r.axis], r.step, '*');
    }
    return copyElements(x, std::move(shape), offset, strides);
}

OptionalConstant foldConcat(const Node& node, const Values& values)
{
    const Constant* first = values.data(node.input(0));
    if (first == nullptr)
        return std::nullopt;
    const auto axis = axisOf(node.integer("axis", 0), first->shape.size());
    if (!axis)
        return std::nullopt;
    Shape shape = first->shape;
    shape[*axis] = 0;
    for (const ValueId id : node.in) {
        const Constant* c = values.data(id);
        if (c == nullptr || c->real != first->real || c->shape.size() != shape.size())
            return std::nullopt;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (d != *axis && c->shape[d] != shape[d])
                return std::nullopt;
        shape[*axis] = saturatingAdd(shape[*axis], c->shape[*axis]);
    }
    if (!isSmall(shape))
        return std::nullopt;
    Constant out{shape, first->real, {}, {}};
    const std::int64_t rows = model::elementsOf(std::span(shape).first(*axis));
    for (std::int64_t row = 0; row < rows; ++row)
        for (const ValueId id : node.in) {
            const Constant& c = *values.data(id);
            const auto size = static_cast<std::int64_t>(c.size()) / rows;
            const auto from = static_cast<std::ptrdiff_t>(row * size);
            if (c.real)
                out.reals.insert(out.reals.end(), c.reals.begin() + from, c.reals.begin() + from + size);
            else
                out.integers.insert(out.integers.end(), c.integers.begin() + from,
                                    c.integers.begin() + from + size);
        }
    return out;
}

OptionalConstant foldRange(const Constant& start, const Constant& limit, const Constant& step)
{
    const auto n = rangeLength(&start, &limit, &step);
    if (!n || *n > kMaxConstantElements)
        return std::nullopt;
    Constant out{{*n}, start.real, {}, {}};
    for (std::int64_t i = 0; i < *n; ++i)
        if (out.real)
            out.reals.push_back(start.reals[0] + static_cast<double>(i) * step.reals[0]);
        else
            out.integers.push_back(
                wrappingArithmetic(start.integers[0], wrappingArithmetic(i, step.integers[0], '*'), '+'));
    return out;
}

OptionalConstant foldConstantOfShape(const Node& node, const Constant& shape)
{
    if (shape.real || shape.size() > model::kMaxRank)
        return std::nullopt;
    for (const std::int64_t d : shape.integers)
        if (d < 0)
            return std::nullopt;
    Constant value{{1}, true, {}, {0.0}};
    if (const pb::AttributeProto* a = node.attribute("value"); a != nullptr && a->has_t()) {
        const Value v = valueOf(a->t());
        if (!v.data || v.data->size() != 1)
            return std::nullopt;
        value = *v.data;
    }
    return copyElements(value, shape.integers, 0, std::vector<std::int64_t>(shape.size(), 0));
}

OptionalConstant foldConstant(const Node& node)
{
    if (const pb::AttributeProto* a = node.attribute("value"); a != nullptr && a->has_t())
        return valueOf(a->t()).data;
    if (const auto* a = node.attribute("value_int"))
        return Constant{{}, false, {a->i()}, {}};
    if (const auto* a = node.attribute("value_float"))
        return Constant{{}, true, {}, {static_cast<double>(a->f())}};
    if (const auto list = node.integers("value_ints"))
        return Constant{{static_cast<std::int64_t>(list->size())}, false, *list, {}};
    if (node.attribute("value_floats") != nullptr) {
        std::vector<double> list = node.realList("value_floats");
        return Constant{{static_cast<std::int64_t>(list.size())}, true, {}, std::move(list)};
    }
    return std::nullopt;
}

OptionalConstant foldShape(const Node& node, const Shape& x)
{
    const auto rank = static_cast<std::int64_t>(x.size());
    const auto clamped = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t from = clamped(std::max(node.integer("start", 0), -rank));
    const std::int64_t to = clamped(std::max(node.integer("end", rank), -rank));
    Constant out{{std::max<std::int64_t>(0, to - from)}, false, {}, {}};
    for (std::int64_t i = from; i < to; ++i)
        out.integers.push_back(x[static_cast<std::size_t>(i)]);
    return out;
}

/// Reduces all elements, or a vector along its axis. Used for the product or sum of sizes.
OptionalConstant foldReduce(const Node& node, const Values& values, const Constant& x)
{
    if (x.shape.size() > 1 || x.real || x.size() == 0)
        return std::nullopt;
    if (const auto axes = axesOf(node, values, 1, x.shape.size()); axes && axes->empty())
        return std::nullopt;
    const char* kind = node.type == "ReduceProd"  ? "Mul"
                       : node.type == "ReduceSum" ? "Add"
                       : node.type == "ReduceMax" ? "Max"
                                                  : "Min";
    std::int64_t value = x.integers[0];
    for (std::size_t i = 1; i < x.size(); ++i)
        value = *integerResult(kind, value, x.integers[i]);
    const bool keep = node.integer("keepdims", 1) != 0 && !x.shape.empty();
    return Constant{keep ? Shape{1} : Shape{}, false, {value}, {}};
}

OptionalConstant foldWhere(const Constant& condition, const Constant& a, const Constant& b)
{
    const auto both = broadcastShape(a.shape, b.shape);
    const auto shape = both ? broadcastShape(*both, condition.shape) : std::nullopt;
    if (!shape || a.real != b.real || condition.real)
        return std::nullopt;
    const OptionalConstant c = copyElements(condition, *shape, 0, broadcastStrides(condition.shape, *shape));
    OptionalConstant x = copyElements(a, *shape, 0, broadcastStrides(a.shape, *shape));
    const OptionalConstant y = copyElements(b, *shape, 0, broadcastStrides(b.shape, *shape));
    if (!c || !x || !y)
        return std::nullopt;
    for (std::size_t i = 0; i < c->size(); ++i)
        if (c->integers[i] == 0) {
            if (x->real)
                x->reals[i] = y->reals[i];
            else
                x->integers[i] = y->integers[i];
        }
    return x;
}

OptionalConstant withShape(const Constant& x, std::optional<Shape> shape)
{
    if (!shape || model::elementsOf(*shape) != static_cast<std::int64_t>(x.size()))
        return std::nullopt;
    Constant out = x;
    out.shape = std::move(*shape);
    return out;
}

OptionalConstant foldTranspose(const Node& node, const Constant& x)
{
    const std::size_t rank = x.shape.size();
    std::vector<std::int64_t> permutation;
    for (std::size_t i = 0; i < rank; ++i)
        permutation.push_back(static_cast<std::int64_t>(rank - 1 - i));
    if (const auto given = node.integers("perm"))
        permutation = *given;
    if (permutation.size() != rank)
        return std::nullopt;
    const auto own = stridesOf(x.shape);
    Shape shape;
    std::vector<std::int64_t> strides;
    for (const std::int64_t p : permutation) {
        const auto axis = axisOf(p, rank);
        if (!axis)
            return std::nullopt;
        shape.push_back(x.shape[*axis]);
        strides.push_back(own[*axis]);
    }
    return copyElements(x, std::move(shape), 0, strides);
}

OptionalConstant foldExpand(const Constant& x, const Constant& wanted)
{
    const auto shape = wanted.real ? std::nullopt : broadcastShape(x.shape, wanted.integers);
    return shape ? copyElements(x, *shape, 0, broadcastStrides(x.shape, *shape)) : std::nullopt;
}

/// Returns the indices of the elements that are not zero, one column per element.
OptionalConstant foldNonZero(const Constant& x)
{
    const auto strides = stridesOf(x.shape);
    std::vector<std::int64_t> found;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x.real ? x.reals[i] != 0 : x.integers[i] != 0)
            found.push_back(static_cast<std::int64_t>(i));
    Constant out{
        {static_cast<std::int64_t>(x.shape.size()), static_cast<std::int64_t>(found.size())}, false, {}, {}};
    for (std::size_t d = 0; d < x.shape.size(); ++d)
        for (const std::int64_t at : found)
            out.integers.push_back(at / strides[d] % x.shape[d]);
    return out;
}

OptionalConstant foldNode(const Node& node, const Values& values)
{
    const std::string& t = node.type;
    if (t == "Constant")
        return foldConstant(node);
    if (t == "Shape" || t == "Size") {
        const Shape* x = values.shape(node.input(0));
        if (x == nullptr)
            return std::nullopt;
        return t == "Shape" ? foldShape(node, *x) : Constant{{}, false, {model::elementsOf(*x)}, {}};
    }
    const Constant *a = values.data(node.input(0)), *b = values.data(node.input(1)),
                   *c = values.data(node.input(2));
    if (a == nullptr)
        return std::nullopt;
    if (t == "Concat")
        return foldConcat(node, values);
    if (t == "Slice")
        return foldSlice(node, values, *a);
    if (t == "Identity" || t == "Dropout")
        return *a;
    if (t == "Cast")
        return foldCast(*a, node.integer("to", 0));
    if (t == "ConstantOfShape")
        return foldConstantOfShape(node, *a);
    if (t == "Reshape")
        return withShape(*a, reshapedShape(node, values));
    if (t == "Squeeze")
        return withShape(*a, squeezedShape(node, values));
    if (t == "Unsqueeze")
        return withShape(*a, unsqueezedShape(node, values));
    if (t == "Transpose")
        return foldTranspose(node, *a);
    if (t == "NonZero")
        return foldNonZero(*a);
    if (t == "ReduceProd" || t == "ReduceSum" || t == "ReduceMax" || t == "ReduceMin")
        return foldReduce(node, values, *a);
    if (b == nullptr)
        return node.in.size() == 1 ? foldUnary(t, *a) : std::nullopt;
    if (t == "Gather")
        return foldGather(node, *a, *b);
    if (t == "Expand")
        return foldExpand(*a, *b);
    if (c != nullptr && t == "Range")
        return foldRange(*a, *b, *c);
    if (c != nullptr && t == "Where")
        return foldWhere(*a, *b, *c);
    return node.in.size() == 2 ? foldBinary(t, *a, *b) : std::nullopt;
}

} // namespace

bool fold(const Node& node, Values& values)
{
    if (node.out.empty() || node.out[0] == kNoValue)
        return false;
    OptionalConstant folded = foldNode(node, values);
    if (!folded || !isSmall(folded->shape) ||
        static_cast<std::int64_t>(folded->size()) != model::elementsOf(folded->shape))
        return foldLinear(node, values);
    for (std::size_t i = 1; i < node.out.size(); ++i)
        if (node.out[i] != kNoValue)
            return false;
    Value& out = values[node.out[0]];
    out.shape = folded->shape;
    out.constant = true;
    out.data = std::move(folded);
    return true;
}

} // namespace tilewright::onnx
