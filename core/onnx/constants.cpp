// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/constants.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tilewright::onnx {

namespace pb = ::onnx;
using model::Shape;

std::vector<std::int64_t> stridesOf(const Shape& shape)
{
    std::vector<std::int64_t> out(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
        out[i - 1] = saturatingMul(out[i], shape[i]);
    return out;
}

bool isSmall(const Shape& shape)
{
    return std::all_of(shape.begin(), shape.end(),
                       [](std::int64_t d) { return d >= 0 && d <= kMaxConstantElements; }) &&
           model::elementsOf(shape) <= kMaxConstantElements;
}

OptionalConstant copyElements(const Constant& from, Shape shape, std::int64_t offset,
                              const std::vector<std::int64_t>& strides)
{
    if (!isSmall(shape))
        return std::nullopt;
    Constant out{std::move(shape), from.real, {}, {}};
    const std::int64_t count = model::elementsOf(out.shape);
    std::vector<std::int64_t> index(out.shape.size(), 0);
    std::int64_t at = offset;
    for (std::int64_t i = 0; i < count; ++i) {
        if (at < 0 || at >= static_cast<std::int64_t>(from.size()))
            return std::nullopt;
        if (from.real)
            out.reals.push_back(from.reals[static_cast<std::size_t>(at)]);
        else
            out.integers.push_back(from.integers[static_cast<std::size_t>(at)]);
        for (std::size_t d = index.size(); d-- > 0;) {
            at += strides[d];
            if (++index[d] < out.shape[d])
                break;
            at -= strides[d] * out.shape[d];
            index[d] = 0;
        }
    }
    return out;
}

std::vector<std::int64_t> broadcastStrides(const Shape& from, const Shape& to)
{
    const auto own = stridesOf(from);
    std::vector<std::int64_t> out(to.size(), 0);
    for (std::size_t i = 0; i < from.size(); ++i)
        if (from[i] != 1)
            out[to.size() - from.size() + i] = own[i];
    return out;
}

std::int64_t wrappingArithmetic(std::int64_t a, std::int64_t b, char op)
{
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    return static_cast<std::int64_t>(op == '+' ? x + y : op == '-' ? x - y : x * y);
}

std::optional<std::int64_t> integerResult(std::string_view type, std::int64_t a, std::int64_t b)
{
    if (type == "Add" || type == "Sub" || type == "Mul")
        return wrappingArithmetic(a, b, type == "Add" ? '+' : type == "Sub" ? '-' : '*');
    if (type == "Div" || type == "Mod") {
        if (b == 0 || (a == INT64_MIN && b == -1))
            return std::nullopt;
        if (type == "Div")
            return a / b;
        const std::int64_t rest = a % b;
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    if (type == "Pow") {
        if (b < 0 || b > 64)
            return std::nullopt;
        std::int64_t out = 1;
        for (std::int64_t i = 0; i < b; ++i)
            out = wrappingArithmetic(out, a, '*');
        return out;
    }
    if (type == "Min")
        return std::min(a, b);
    if (type == "Max")
        return std::max(a, b);
    if (type == "And")
        return static_cast<std::int64_t>(a != 0 && b != 0);
    if (type == "Or")
        return static_cast<std::int64_t>(a != 0 || b != 0);
    if (type == "Xor")
        return static_cast<std::int64_t>((a != 0) != (b != 0));
    return std::nullopt;
}

namespace {

std::optional<double> realResult(std::string_view type, double a, double b)
{
    if (type == "Add")
        return a + b;
    if (type == "Sub")
        return a - b;
    if (type == "Mul")
        return a * b;
    if (type == "Div")
        return a / b;
    if (type == "Pow")
        return std::pow(a, b);
    if (type == "Min")
        return std::min(a, b);
    if (type == "Max")
        return std::max(a, b);
    return std::nullopt;
}

template <typename T> std::optional<bool> comparisonResult(std::string_view type, T a, T b)
{
    if (type == "Equal")
        return a == b;
    if (type == "Greater")
        return a > b;
    if (type == "Less")
        return a < b;
    if (type == "GreaterOrEqual")
        return a >= b;
    if (type == "LessOrEqual")
        return a <= b;
    return std::nullopt;
}

} // namespace

OptionalConstant foldBinary(const std::string& type, const Constant& a, const Constant& b)
{
    const auto shape = broadcastShape(a.shape, b.shape);
    if (!shape || a.real != b.real)
        return std::nullopt;
    const OptionalConstant x = copyElements(a, *shape, 0, broadcastStrides(a.shape, *shape));
    const OptionalConstant y = copyElements(b, *shape, 0, broadcastStrides(b.shape, *shape));
    if (!x || !y)
        return std::nullopt;
    const bool isComparison = comparisonResult(type, 0, 0).has_value();
    Constant out{*shape, a.real && !isComparison, {}, {}};
    for (std::size_t i = 0; i < x->size(); ++i) {
        if (isComparison) {
            const auto holds = a.real ? comparisonResult(type, x->reals[i], y->reals[i])
                                      : comparisonResult(type, x->integers[i], y->integers[i]);
            out.integers.push_back(*holds ? 1 : 0);
        } else if (a.real) {
            const auto value = realResult(type, x->reals[i], y->reals[i]);
            if (!value)
                return std::nullopt;
            out.reals.push_back(*value);
        } else {
            const auto value = integerResult(type, x->integers[i], y->integers[i]);
            if (!value)
                return std::nullopt;
            out.integers.push_back(*value);
        }
    }
    return out;
}

OptionalConstant foldUnary(const std::string& type, const Constant& x)
{
    using Function = double (*)(double);
    static const std::unordered_map<std::string_view, Function> kReal{
        {"Floor", std::floor},
        {"Ceil", std::ceil},
        {"Round", std::nearbyint},
        {"Sqrt", std::sqrt},
        {"Abs", std::fabs},
        {"Neg", [](double v) { return -v; }},
        {"Reciprocal", [](double v) { return 1 / v; }},
        {"Exp", std::exp},
        {"Log", std::log},
    };
    Constant out = x;
    if (x.real) {
        const auto f = kReal.find(type);
        if (f == kReal.end())
            return std::nullopt;
        for (double& v : out.reals)
            v = f->second(v);
        return out;
    }
    if (type == "Not")
        for (std::int64_t& v : out.integers)
            v = v == 0 ? 1 : 0;
    else if (type == "Neg" || type == "Abs")
        for (std::int64_t& v : out.integers)
            v = type == "Neg" || v < 0 ? wrappingArithmetic(0, v, '-') : v;
    else
        return std::nullopt;
    return out;
}

OptionalConstant foldCast(const Constant& x, std::int64_t to)
{
    if (elementBytes(static_cast<int>(to)) == 0)
        return std::nullopt;
    Constant out{x.shape, isReal(static_cast<int>(to)), {}, {}};
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (out.real) {
            out.reals.push_back(x.real ? x.reals[i] : static_cast<double>(x.integers[i]));
            continue;
        }
        if (x.real && !(std::fabs(x.reals[i]) < 9e18))
            return std::nullopt;
        const std::int64_t value = x.real ? static_cast<std::int64_t>(x.reals[i]) : x.integers[i];
        out.integers.push_back(to == pb::TensorProto::BOOL ? value != 0 : value);
    }
    return out;
}

} // namespace tilewright::onnx
