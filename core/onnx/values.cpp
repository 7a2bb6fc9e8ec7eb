// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/values.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilewright::onnx {

namespace pb = ::onnx;

int elementBytes(int type) noexcept
{
    switch (type) {
    case pb::TensorProto::DOUBLE:
    case pb::TensorProto::INT64:
    case pb::TensorProto::UINT64:
    case pb::TensorProto::COMPLEX64:
        return 8;
    case pb::TensorProto::COMPLEX128:
        return 16;
    case pb::TensorProto::FLOAT:
    case pb::TensorProto::INT32:
    case pb::TensorProto::UINT32:
        return 4;
    case pb::TensorProto::FLOAT16:
    case pb::TensorProto::BFLOAT16:
    case pb::TensorProto::INT16:
    case pb::TensorProto::UINT16:
        return 2;
    case pb::TensorProto::UNDEFINED:
    case pb::TensorProto::STRING:
        return 0;
    default: // for 1-byte types, booleans and the small types of newer opsets
        return 1;
    }
}

Width widthOf(int type) noexcept
{
    constexpr int kUint4 = 21, kInt4 = 22, kFloat4 = 23; // types of newer opsets than the library has
    const bool isWide =
        isReal(type) || type == pb::TensorProto::COMPLEX64 || type == pb::TensorProto::COMPLEX128;
    if (type == kUint4 || type == kInt4 || type == kFloat4)
        return {1, 4 * 1024};
    const int bytes = elementBytes(type);
    return {bytes, isWide ? 0 : std::int64_t{8 * 1024} * bytes};
}

bool isReal(int type) noexcept
{
    return type == pb::TensorProto::FLOAT || type == pb::TensorProto::DOUBLE ||
           type == pb::TensorProto::FLOAT16 || type == pb::TensorProto::BFLOAT16;
}

bool Value::isTensor() const
{
    if (!shape || shape->size() > model::kMaxRank)
        return false;
    for (const std::int64_t d : *shape)
        if (d < 1 || d > kMaxDimension)
            return false;
    return true;
}

std::int64_t Value::bytes() const
{
    return shape ? saturatingMul(model::elementsOf(*shape), elementBytes(type)) : 0;
}

const pb::AttributeProto* Node::attribute(const char* wanted) const
{
    for (const pb::AttributeProto& a : proto->attribute())
        if (a.name() == wanted)
            return &a;
    return nullptr;
}

std::int64_t Node::integer(const char* wanted, std::int64_t otherwise) const
{
    const pb::AttributeProto* a = attribute(wanted);
    return a != nullptr && a->has_i() ? a->i() : otherwise;
}

double Node::real(const char* wanted, double otherwise) const
{
    const pb::AttributeProto* a = attribute(wanted);
    return a != nullptr && a->has_f() ? static_cast<double>(a->f()) : otherwise;
}

std::optional<std::vector<std::int64_t>> Node::integers(const char* wanted) const
{
    const pb::AttributeProto* a = attribute(wanted);
    if (a == nullptr)
        return std::nullopt;
    return std::vector<std::int64_t>(a->ints().begin(), a->ints().end());
}

std::vector<double> Node::realList(const char* wanted) const
{
    const pb::AttributeProto* a = attribute(wanted);
    return a == nullptr ? std::vector<double>() : std::vector<double>(a->floats().begin(), a->floats().end());
}

std::string Node::text(const char* wanted) const
{
    const pb::AttributeProto* a = attribute(wanted);
    return a == nullptr ? std::string() : a->s();
}

ValueId Values::add(Value value)
{
    m_values.push_back(std::move(value));
    return static_cast<ValueId>(m_values.size() - 1);
}

bool Values::bind(const std::string& name, ValueId id)
{
    return m_scopes.back().emplace(name, id).second;
}

ValueId Values::find(const std::string& name) const
{
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
        if (const auto found = scope->find(name); found != scope->end())
            return found->second;
    return kNoValue;
}

std::optional<std::vector<std::int64_t>> Values::integers(ValueId id) const
{
    const Constant* c = data(id);
    if (c == nullptr || c->real)
        return std::nullopt;
    return c->integers;
}

namespace {

template <typename T, typename Out> std::vector<Out> fromRaw(const std::string& raw)
{
    std::vector<Out> out(raw.size() / sizeof(T));
    for (std::size_t i = 0; i < out.size(); ++i) {
        T value;
        std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
        out[i] = static_cast<Out>(value);
    }
    return out;
}

std::vector<std::int64_t> integerElements(const pb::TensorProto& t)
{
    const std::string& raw = t.raw_data();
    switch (t.data_type()) {
    case pb::TensorProto::INT64:
        return raw.empty() ? std::vector<std::int64_t>(t.int64_data().begin(), t.int64_data().end())
                           : fromRaw<std::int64_t, std::int64_t>(raw);
    case pb::TensorProto::INT32:
        if (!raw.empty())
            return fromRaw<std::int32_t, std::int64_t>(raw);
        break;
    case pb::TensorProto::INT16:
        if (!raw.empty())
            return fromRaw<std::int16_t, std::int64_t>(raw);
        break;
    case pb::TensorProto::INT8:
        if (!raw.empty()) {
            auto out = fromRaw<std::uint8_t, std::int64_t>(raw);
            for (std::int64_t& v : out)
                v -= v > INT8_MAX ? 256 : 0;
            return out;
        }
        break;
    case pb::TensorProto::BOOL:
    case pb::TensorProto::UINT8:
        if (!raw.empty())
            return fromRaw<std::uint8_t, std::int64_t>(raw);
        break;
    default:
        return {};
    }
    return {t.int32_data().begin(), t.int32_data().end()};
}

std::vector<double> realElements(const pb::TensorProto& t)
{
    const std::string& raw = t.raw_data();
    if (t.data_type() == pb::TensorProto::FLOAT)
        return raw.empty() ? std::vector<double>(t.float_data().begin(), t.float_data().end())
                           : fromRaw<float, double>(raw);
    if (t.data_type() == pb::TensorProto::DOUBLE)
        return raw.empty() ? std::vector<double>(t.double_data().begin(), t.double_data().end())
                           : fromRaw<double, double>(raw);
    return {};
}

} // namespace

Value valueOf(const pb::TensorProto& t)
{
    Value out;
    out.name = t.name();
    out.type = t.data_type();
    out.constant = true;
    out.shape = model::Shape(t.dims().begin(), t.dims().end());
    for (const std::int64_t d : *out.shape)
        if (d < 0) {
            out.shape.reset();
            return out;
        }
    if (!isSmall(*out.shape))
        return out;
    Constant c{*out.shape, isReal(t.data_type()), {}, {}};
    if (c.real)
        c.reals = realElements(t);
    else
        c.integers = integerElements(t);
    if (static_cast<std::int64_t>(c.size()) == model::elementsOf(*out.shape) &&
        elementBytes(t.data_type()) > 0)
        out.data = std::move(c);
    return out;
}

std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank) noexcept
{
    const auto r = static_cast<std::int64_t>(rank);
    if (axis < -r || axis >= r)
        return std::nullopt;
    return static_cast<std::size_t>(axis < 0 ? axis + r : axis);
}

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
