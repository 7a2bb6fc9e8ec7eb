// SPDX-License-Identifier: GPL-3.0-or-later
// The values between the nodes of an ONNX graph while it becomes a model.
#pragma once

#include "model/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
class TensorProto;
class TypeProto;
class ValueInfoProto;
} // namespace onnx

namespace tilewright::onnx {

using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = ~ValueId{0}; ///< an operand that is left out

/// Elements that are known before the model runs; only as many as sizes and axes can be.
struct Constant
{
    model::Shape shape;
    bool real = false; ///< which of the lists holds them
    std::vector<std::int64_t> whole;
    std::vector<double> reals;

    [[nodiscard]] std::size_t size() const noexcept { return real ? reals.size() : whole.size(); }
};
inline constexpr std::int64_t kMaxConstantElements = 1 << 16;

struct Value
{
    std::string name;
    std::optional<model::Shape> shape; ///< sizes may be 0 here
    int type = 0;                      ///< of ONNX' TensorProto::DataType
    bool constant = false;             ///< known before the model runs
    std::optional<Constant> data;
    std::optional<ModelTensorId> tensor; ///< in the model

    /// Can it be a tensor of a model: shape known, and something in it?
    [[nodiscard]] bool isTensor() const;
    [[nodiscard]] std::int64_t bytes() const;
};

/// A node with its values; attributes are read from the file's message.
struct Node
{
    const ::onnx::NodeProto* proto = nullptr;
    std::string name, type;
    std::int64_t opset = 0;
    std::vector<ValueId> in, out;
    std::size_t index = 0; ///< in the report

    [[nodiscard]] const ::onnx::AttributeProto* attribute(const char* name) const;
    [[nodiscard]] std::int64_t integer(const char* name, std::int64_t otherwise) const;
    [[nodiscard]] double real(const char* name, double otherwise) const;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const char* name) const;
    [[nodiscard]] std::vector<double> realList(const char* name) const;
    [[nodiscard]] std::string text(const char* name) const;
    [[nodiscard]] ValueId input(std::size_t i) const { return i < in.size() ? in[i] : kNoValue; }
};

/// The values of the graph and of those around it, by name.
class Values
{
public:
    ValueId add(Value value);
    [[nodiscard]] Value& operator[](ValueId id) { return m_values[id]; }
    [[nodiscard]] const Value& operator[](ValueId id) const { return m_values[id]; }
    [[nodiscard]] std::size_t size() const noexcept { return m_values.size(); }

    void enterScope() { m_scopes.emplace_back(); }
    void leaveScope() { m_scopes.pop_back(); }
    /// False when the innermost scope has the name.
    bool bind(const std::string& name, ValueId id);
    /// kNoValue when no scope has it.
    [[nodiscard]] ValueId find(const std::string& name) const;

    [[nodiscard]] const Constant* data(ValueId id) const
    {
        return id == kNoValue || !m_values[id].data ? nullptr : &*m_values[id].data;
    }
    /// Its elements when they are known whole numbers.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> whole(ValueId id) const;
    [[nodiscard]] const model::Shape* shape(ValueId id) const
    {
        return id == kNoValue || !m_values[id].shape ? nullptr : &*m_values[id].shape;
    }
    [[nodiscard]] bool isConstant(ValueId id) const { return id != kNoValue && m_values[id].constant; }

private:
    std::vector<Value> m_values;
    std::vector<std::unordered_map<std::string, ValueId>> m_scopes{1};
};

/// Bytes of an element; 0 when ONNX does not say.
[[nodiscard]] int elementBytes(int type) noexcept;
[[nodiscard]] bool isReal(int type) noexcept;

/// What a tensor of the file is; its elements if there are few.
[[nodiscard]] Value valueOf(const ::onnx::TensorProto& tensor);
/// `axis` from the front, or nothing when there is none such.
[[nodiscard]] std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank) noexcept;

} // namespace tilewright::onnx
