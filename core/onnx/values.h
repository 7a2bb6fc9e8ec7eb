// SPDX-License-Identifier: GPL-3.0-or-later
// Values between the nodes of an ONNX graph during import, and arithmetic on constants. A function returns
// nothing if its result is undefined or has more than kMaxConstantElements elements.
#pragma once

#include "model/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
inline constexpr ValueId kNoValue = ~ValueId{0}; ///< an omitted operand

/// Elements that are known before the model runs. Their number is limited to kMaxConstantElements, which
/// suffices for sizes and axes.
struct Constant
{
    model::Shape shape;
    bool real = false; ///< true: the elements are in `reals`; false: in `integers`
    std::vector<std::int64_t> integers;
    std::vector<double> reals;

    [[nodiscard]] std::size_t size() const noexcept { return real ? reals.size() : integers.size(); }
};
inline constexpr std::int64_t kMaxConstantElements = 1 << 16;

/// A rule for constant integers of any number: the element at an index is `first` plus the sum of index *
/// step over the dimensions.
struct Linear
{
    model::Shape shape;
    std::int64_t first = 0;
    std::vector<std::int64_t> steps; ///< one step per dimension of `shape`
};

struct Value
{
    std::string name;
    std::optional<model::Shape> shape; ///< sizes may be 0
    int type = 0;                      ///< a TensorProto::DataType of ONNX
    bool constant = false;             ///< true if it is known before the model runs
    std::optional<Constant> data;
    std::optional<ModelTensorId> tensor; ///< id of the tensor in the model
    std::optional<Linear> linear{};      ///< elements of a constant that has too many for `data`

    /// True if the value can be a tensor of a model: its shape is known and has elements.
    [[nodiscard]] bool isTensor() const;
    [[nodiscard]] std::int64_t bytes() const;
};

/// A node with its operand and result values. Attributes are read from the protobuf message.
struct Node
{
    const ::onnx::NodeProto* proto = nullptr;
    std::string name, type;
    std::int64_t opset = 0;
    std::vector<ValueId> in, out;
    std::size_t index = 0; ///< index in the report

    [[nodiscard]] const ::onnx::AttributeProto* attribute(const char* name) const;
    [[nodiscard]] std::int64_t integer(const char* name, std::int64_t otherwise) const;
    [[nodiscard]] double real(const char* name, double otherwise) const;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const char* name) const;
    [[nodiscard]] std::vector<double> realList(const char* name) const;
    [[nodiscard]] std::string text(const char* name) const;
    [[nodiscard]] ValueId input(std::size_t i) const { return i < in.size() ? in[i] : kNoValue; }
};

/// Values of the current graph and of the enclosing graphs, by name.
class Values
{
public:
    ValueId add(Value value);
    [[nodiscard]] Value& operator[](ValueId id) { return m_values[id]; }
    [[nodiscard]] const Value& operator[](ValueId id) const { return m_values[id]; }
    [[nodiscard]] std::size_t size() const noexcept { return m_values.size(); }

    void enterScope() { m_scopes.emplace_back(); }
    void leaveScope() { m_scopes.pop_back(); }
    /// Returns false if the innermost scope already has the name.
    bool bind(const std::string& name, ValueId id);
    /// Returns kNoValue if no scope has the name.
    [[nodiscard]] ValueId find(const std::string& name) const;

    [[nodiscard]] const Constant* data(ValueId id) const
    {
        return id == kNoValue || !m_values[id].data ? nullptr : &*m_values[id].data;
    }
    /// Returns the elements if they are known integers.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(ValueId id) const;
    [[nodiscard]] const model::Shape* shape(ValueId id) const
    {
        return id == kNoValue || !m_values[id].shape ? nullptr : &*m_values[id].shape;
    }
    [[nodiscard]] bool isConstant(ValueId id) const { return id != kNoValue && m_values[id].constant; }

private:
    std::vector<Value> m_values;
    std::vector<std::unordered_map<std::string, ValueId>> m_scopes{1};
};

/// Bytes of an element of an ONNX type; 0 if ONNX does not define the type.
[[nodiscard]] int elementBytes(int type) noexcept;
/// Size of an element of a tensor of a model.
struct Width
{
    int bytes = 0;
    std::int64_t bits = 0; ///< model::Tensor::bits
};
/// Width of the elements of an ONNX type. `bits` is set for integers and for floats of at most 8 bits.
[[nodiscard]] Width widthOf(int type) noexcept;
[[nodiscard]] bool isReal(int type) noexcept;

/// Converts a tensor of the file to a value; stores its elements if there are few.
[[nodiscard]] Value valueOf(const ::onnx::TensorProto& tensor);
/// Converts `axis` to an index from the front; empty if it is out of range.
[[nodiscard]] std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank) noexcept;

using OptionalConstant = std::optional<Constant>;
using model::broadcastShape;

/// True if the number of elements and every dimension are at most kMaxConstantElements.
[[nodiscard]] bool isSmall(const model::Shape& shape);
[[nodiscard]] std::vector<std::int64_t> stridesOf(const model::Shape& shape);
/// Strides for reading a constant as a larger (broadcast) shape; stride 0 repeats an element.
[[nodiscard]] std::vector<std::int64_t> broadcastStrides(const model::Shape& from, const model::Shape& to);
/// Copies the elements at offset + index * strides, for every index of `shape`.
[[nodiscard]] OptionalConstant copyElements(const Constant& from, model::Shape shape, std::int64_t offset,
                                            const std::vector<std::int64_t>& strides);

/// Returns a + b, a - b or a * b modulo 2^64.
[[nodiscard]] std::int64_t wrappingArithmetic(std::int64_t a, std::int64_t b, char op);
/// Result of one element of a node with two integer operands; nullopt if it is undefined.
[[nodiscard]] std::optional<std::int64_t> integerResult(std::string_view type, std::int64_t a,
                                                        std::int64_t b);
[[nodiscard]] OptionalConstant foldBinary(const std::string& type, const Constant& a, const Constant& b);
[[nodiscard]] OptionalConstant foldUnary(const std::string& type, const Constant& x);
/// Converts elements to another type; real numbers are truncated towards 0.
[[nodiscard]] OptionalConstant foldCast(const Constant& x, std::int64_t to);

} // namespace tilewright::onnx
