// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/values.h"

#include "onnx/constants.h"

#include <onnx/onnx_pb.h>

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
    default: // 1-byte types, booleans and the small types of newer opsets
        return 1;
    }
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

} // namespace tilewright::onnx
