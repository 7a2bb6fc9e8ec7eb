// SPDX-License-Identifier: GPL-3.0-or-later
// Constants of any extent whose elements follow a linear rule: ranges, constant fills, and what shape
// operators and sums make of them.
#include "onnx/fold.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace tilewright::onnx {

namespace pb = ::onnx;
using model::Shape;

namespace {

using Steps = std::vector<std::int64_t>;
using OptionalLinear = std::optional<Linear>;

std::int64_t plus(std::int64_t a, std::int64_t b)
{
    return wrappingArithmetic(a, b, '+');
}

std::int64_t times(std::int64_t a, std::int64_t b)
{
    return wrappingArithmetic(a, b, '*');
}

/// Element of the rule at a row-major index.
std::int64_t elementAt(const Linear& x, std::int64_t index)
{
    std::int64_t out = x.first;
    for (std::size_t d = x.shape.size(); d-- > 0; index /= x.shape[d])
        out = plus(out, times(index % x.shape[d], x.steps[d]));
    return out;
}

/// The linear rule of a constant with stored integers; empty if they follow none.
OptionalLinear ruleOf(const Constant& c)
{
    if (c.real || c.integers.empty())
        return std::nullopt;
    Linear out{c.shape, c.integers[0], Steps(c.shape.size(), 0)};
    const auto strides = stridesOf(c.shape);
    for (std::size_t d = 0; d < c.shape.size(); ++d)
        if (c.shape[d] > 1)
            out.steps[d] =
                wrappingArithmetic(c.integers[static_cast<std::size_t>(strides[d])], out.first, '-');
    for (std::size_t i = 0; i < c.integers.size(); ++i)
        if (elementAt(out, static_cast<std::int64_t>(i)) != c.integers[i])
            return std::nullopt;
    return out;
}

OptionalLinear linearOf(const Values& values, ValueId id)
{
    if (id == kNoValue)
        return std::nullopt;
    if (values[id].linear)
        return values[id].linear;
    const Constant* c = values.data(id);
    return c == nullptr ? std::nullopt : ruleOf(*c);
}

OptionalLinear range(const Values& values, const Node& node)
{
    const Constant *start = values.data(node.input(0)), *step = values.data(node.input(2));
    const auto n = rangeLength(start, values.data(node.input(1)), step);
    return n && !start->real ? OptionalLinear({{*n}, start->integers[0], {step->integers[0]}}) : std::nullopt;
}

/// The rule with the same elements in row-major order and another shape.
OptionalLinear reshaped(const Linear& x, const std::optional<Shape>& shape)
{
    if (!shape || model::elementsOf(*shape) != model::elementsOf(x.shape))
        return std::nullopt;
    Linear out{*shape, x.first, Steps(shape->size(), 0)};
    // Dimensions of size 1 may be added or removed.
    std::size_t from = 0, to = 0;
    const auto skip = [](const Shape& s, std::size_t& d) {
        while (d < s.size() && s[d] == 1)
            ++d;
        return d < s.size();
    };
    for (;;) {
        const bool more = skip(x.shape, from), wanted = skip(*shape, to);
        if (!more && !wanted)
            return out;
        if (!more || !wanted || x.shape[from] != (*shape)[to])
            break;
        out.steps[to++] = x.steps[from++];
    }
    // In all other cases the elements must have one step from the first to the last.
    std::int64_t step = 0, inner = 1;
    bool known = false;
    for (std::size_t d = x.shape.size(); d-- > 0;) {
        if (x.shape[d] == 1)
            continue;
        if (!known)
            step = x.steps[d];
        else if (x.steps[d] != times(step, inner))
            return std::nullopt;
        known = true;
        inner = times(inner, x.shape[d]);
    }
    const auto strides = stridesOf(*shape);
    for (std::size_t d = 0; d < strides.size(); ++d)
        out.steps[d] = times(strides[d], step);
    return out;
}

OptionalLinear transposed(const Node& node, const Linear& x)
{
    std::vector<std::int64_t> permutation(x.shape.size());
    std::iota(permutation.rbegin(), permutation.rend(), 0);
    if (const auto given = node.integers("perm"))
        permutation = *given;
    if (permutation.size() != x.shape.size())
        return std::nullopt;
    Linear out{{}, x.first, {}};
    for (const std::int64_t p : permutation) {
        const auto axis = axisOf(p, x.shape.size());
        if (!axis)
            return std::nullopt;
        out.shape.push_back(x.shape[*axis]);
        out.steps.push_back(x.steps[*axis]);
    }
    return out;
}

OptionalLinear sliced(const Node& node, const Values& values, Linear x)
{
    const auto ranges = sliceRanges(node, values, x.shape);
    if (!ranges)
        return std::nullopt;
    for (const SliceRange& r : *ranges) {
        x.first = plus(x.first, times(r.start, x.steps[r.axis]));
        x.steps[r.axis] = times(x.steps[r.axis], r.step);
        x.shape[r.axis] = r.size;
    }
    return x;
}

/// Rule of the elements at indices that themselves follow a rule.
OptionalLinear gathered(const Node& node, const Linear& x, Linear at)
{
    const auto axis = axisOf(node.integer("axis", 0), x.shape.size());
    if (!axis || model::elementsOf(at.shape) == 0)
        return std::nullopt;
    std::int64_t least = at.first, most = at.first;
    for (std::size_t d = 0; d < at.shape.size(); ++d) {
        const std::int64_t reach = saturatingMul(at.shape[d] - 1, std::abs(at.steps[d]));
        (at.steps[d] < 0 ? least : most) += at.steps[d] < 0 ? -reach : reach;
    }
    if (const std::int64_t size = x.shape[*axis]; most < 0 && least >= -size)
        at.first += size;
    else if (least < 0 || most >= size)
        return std::nullopt;
    const auto a = static_cast<std::ptrdiff_t>(*axis);
    Linear out{Shape(x.shape.begin(), x.shape.begin() + a), plus(x.first, times(at.first, x.steps[*axis])),
               Steps(x.steps.begin(), x.steps.begin() + a)};
    for (std::size_t d = 0; d < at.shape.size(); ++d) {
        out.shape.push_back(at.shape[d]);
        out.steps.push_back(times(at.steps[d], x.steps[*axis]));
    }
    out.shape.insert(out.shape.end(), x.shape.begin() + a + 1, x.shape.end());
    out.steps.insert(out.steps.end(), x.steps.begin() + a + 1, x.steps.end());
    return out;
}

OptionalLinear broadcast(const Linear& x, const std::optional<Shape>& shape)
{
    if (!shape)
        return std::nullopt;
    Linear out{*shape, x.first, Steps(shape->size(), 0)};
    for (std::size_t i = 0, lead = shape->size() - x.shape.size(); i < x.shape.size(); ++i)
        if (x.shape[i] != 1)
            out.steps[lead + i] = x.steps[i];
    return out;
}

OptionalLinear arithmetic(const std::string& type, const Linear& a, const Linear& b)
{
    const auto shape = model::broadcastShape(a.shape, b.shape);
    OptionalLinear x = broadcast(a, shape), y = broadcast(b, shape);
    if (!x || !y)
        return std::nullopt;
    const auto isFill = [](const Linear& l) {
        return std::all_of(l.steps.begin(), l.steps.end(), [](std::int64_t s) { return s == 0; });
    };
    if (type == "Mul") {
        if (!isFill(*y))
            std::swap(x, y);
        if (!isFill(*y))
            return std::nullopt;
        x->first = times(x->first, y->first);
        for (std::int64_t& s : x->steps)
            s = times(s, y->first);
        return x;
    }
    const char op = type == "Add" ? '+' : '-';
    x->first = wrappingArithmetic(x->first, y->first, op);
    for (std::size_t d = 0; d < x->steps.size(); ++d)
        x->steps[d] = wrappingArithmetic(x->steps[d], y->steps[d], op);
    return x;
}

/// Rule of the largest or smallest of all elements.
OptionalLinear extreme(const Node& node, const Values& values, const Linear& x)
{
    if (x.shape.size() > 1 || model::elementsOf(x.shape) == 0)
        return std::nullopt;
    if (const auto axes = axesOf(node, values, 1, x.shape.size()); axes && axes->empty())
        return std::nullopt;
    const std::int64_t a = x.first, b = elementAt(x, model::elementsOf(x.shape) - 1);
    const bool keep = node.integer("keepdims", 1) != 0 && !x.shape.empty();
    Linear out{keep ? Shape{1} : Shape{}, node.type == "ReduceMax" ? std::max(a, b) : std::min(a, b), {}};
    out.steps.assign(out.shape.size(), 0);
    return out;
}

OptionalLinear linearResult(const Node& node, const Values& values)
{
    const std::string& t = node.type;
    if (t == "Range")
        return range(values, node);
    if (t == "ConstantOfShape") {
        const auto shape = values.integers(node.input(0));
        const pb::AttributeProto* a = node.attribute("value");
        if (!shape || shape->size() > model::kMaxRank || a == nullptr || !a->has_t())
            return std::nullopt; // without the attribute `value`, the elements are real numbers
        const Value v = valueOf(a->t());
        if (!v.data || v.data->real || v.data->size() != 1 ||
            std::any_of(shape->begin(), shape->end(), [](std::int64_t d) { return d < 0; }))
            return std::nullopt;
        return Linear{*shape, v.data->integers[0], Steps(shape->size(), 0)};
    }
    OptionalLinear x = linearOf(values, node.input(0));
    if (!x)
        return std::nullopt;
    if (t == "Identity" || t == "Dropout")
        return x;
    if (t == "Cast") {
        const auto to = static_cast<int>(node.integer("to", 0));
        return isReal(to) || to == pb::TensorProto::BOOL || elementBytes(to) == 0 ? std::nullopt : x;
    }
    if (t == "Reshape")
        return reshaped(*x, reshapedShape(node, values));
    if (t == "Squeeze")
        return reshaped(*x, squeezedShape(node, values));
    if (t == "Unsqueeze")
        return reshaped(*x, unsqueezedShape(node, values));
    if (t == "Transpose")
        return transposed(node, *x);
    if (t == "Slice")
        return sliced(node, values, *x);
    if (t == "ReduceMax" || t == "ReduceMin")
        return extreme(node, values, *x);
    if (t == "Expand") {
        const auto wanted = values.integers(node.input(1));
        return wanted ? broadcast(*x, model::broadcastShape(x->shape, *wanted)) : std::nullopt;
    }
    const OptionalLinear y = linearOf(values, node.input(1));
    if (!y)
        return std::nullopt;
    if (t == "Gather")
        return gathered(node, *x, *y);
    if ((t == "Add" || t == "Sub" || t == "Mul") && node.in.size() == 2)
        return arithmetic(t, *x, *y);
    return std::nullopt;
}

} // namespace

bool foldLinear(const Node& node, Values& values)
{
    OptionalLinear result = linearResult(node, values);
    if (!result || result->shape.size() > model::kMaxRank ||
        std::any_of(node.out.begin() + 1, node.out.end(), [](ValueId v) { return v != kNoValue; }))
        return false;
    Value& out = values[node.out[0]];
    out.shape = result->shape;
    out.constant = true;
    if (isSmall(result->shape)) {
        Constant c{result->shape, false, {}, {}};
        for (std::int64_t i = 0, n = model::elementsOf(result->shape); i < n; ++i)
            c.integers.push_back(elementAt(*result, i));
        out.data = std::move(c);
    } else {
        out.linear = std::move(result);
    }
    return true;
}

std::optional<std::int64_t> rangeLength(const Constant* start, const Constant* limit, const Constant* step)
{
    for (const Constant* c : {start, limit, step})
        if (c == nullptr || c->size() != 1 || c->real != start->real)
            return std::nullopt;
    const auto value = [](const Constant& c) {
        return c.real ? c.reals[0] : static_cast<double>(c.integers[0]);
    };
    const double count = std::ceil((value(*limit) - value(*start)) / value(*step));
    if (!(count <= static_cast<double>(kMaxDimension)))
        return std::nullopt;
    return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

void inferByRule(const Node& node, Values& values)
{
    if (node.out.size() != 1 || node.out[0] == kNoValue || values[node.out[0]].shape)
        return;
    Value& out = values[node.out[0]];
    if (node.type == "Range") {
        if (const auto n = rangeLength(values.data(node.input(0)), values.data(node.input(1)),
                                       values.data(node.input(2)))) {
            out.shape = Shape{*n};
            out.type = values[node.in[0]].type;
        }
        return;
    }
    if (node.type == "ConstantOfShape") {
        const auto shape = values.integers(node.input(0));
        if (shape && shape->size() <= model::kMaxRank &&
            std::all_of(shape->begin(), shape->end(), [](std::int64_t d) { return d >= 0; }))
            out.shape = *shape;
        return;
    }
    constexpr std::array<std::string_view, 5> kComparisons{"Less", "LessOrEqual", "Greater", "GreaterOrEqual",
                                                           "Equal"};
    constexpr std::array<std::string_view, 9> kOthers{"Add", "Sub", "Mul", "Div", "Mod",
                                                      "Pow", "And", "Or",  "Xor"};
    const auto isIn = [&](const auto& types) { return std::ranges::find(types, node.type) != types.end(); };
    const bool compares = isIn(kComparisons), choice = node.type == "Where" && node.in.size() == 3;
    if (!(choice || ((compares || isIn(kOthers)) && node.in.size() == 2)))
        return;
    std::optional<Shape> shape = Shape{};
    for (const ValueId in : node.in) {
        const Shape* s = values.shape(in);
        shape = s != nullptr && shape ? model::broadcastShape(*shape, *s) : std::nullopt;
    }
    if (!shape)
        return;
    out.shape = std::move(shape);
    if (out.type == 0)
        out.type = compares ? static_cast<int>(pb::TensorProto::BOOL) : values[node.in[choice ? 1 : 0]].type;
}

} // namespace tilewright::onnx
