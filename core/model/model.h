// SPDX-License-Identifier: GPL-3.0-or-later
// Models: operators on named tensors, and the builder that puts them together.
#pragma once

#include "base/ids.h"
#include "base/integer.h"
#include "base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright::model {

using Shape = std::vector<std::int64_t>;

inline constexpr std::size_t kMaxRank = 8;
inline constexpr std::size_t kMaxOperators = 1'000'000;
inline constexpr std::int64_t kMaxOpset = 1000;

/// Kind of an operator (docs/rules/workload.md 3.3).
enum class OperatorKind : std::uint8_t {
    MatMul, ///< A[.., M, K], B[K, N] or batched, optionally a bias
    Einsum, ///< einsum of two operands
    Conv2d, ///< X[N, C, H, W], W[Cout, Cin/groups, kh, kw], optionally a bias
    ConvTranspose2d,
    Attention, ///< Q, K, V, each [tokens, heads * d] or [batch, heads, tokens, d]
    Lstm,      ///< X[steps, batch, in], W, R, optionally a bias and initial states
    Gru,
    Rnn, ///< operands as for Lstm, but with one gate
    Softmax,
    LayerNorm,
    RmsNorm,
    BatchNorm,
    Elementwise, ///< any operands, with broadcasting
    Rotary,      ///< X, and optionally tables of sine and cosine
    MaxPool,
    AveragePool,
    GlobalPool,
    Reduce,
    KvAppend, ///< new tokens, optionally the past ones; the result is the cache of both
    KvLoad,   ///< some tokens of a cache
    Identity,
    Reshape,
    Transpose,
    Slice,
    Split,
    Concat,
    Expand,
    Tile,
    Pad,
    Gather, ///< rows of a table, or an embedding
    Resize,
    DepthToSpace,
    View,    ///< a rearrangement of its operands of which nothing else is known
    Unknown, ///< an operator of which only the shapes are known
};
[[nodiscard]] std::span<const OperatorKind> operatorKinds() noexcept;
/// Returns the name of the kind in model files ("matmul", "kv_append", ...).
[[nodiscard]] std::string_view toString(OperatorKind kind) noexcept;

// Attributes of operators. Each kind of operator has one of these types; see attributesOf().

struct NoAttributes
{
    bool operator==(const NoAttributes&) const = default;
};
struct MatMulAttributes
{
    bool transposeA = false, transposeB = false;
    bool operator==(const MatMulAttributes&) const = default;
};
struct EinsumAttributes
{
    std::string equation; ///< "bhqd,bhkd->bhqk"
    bool operator==(const EinsumAttributes&) const = default;
};
/// Attributes of convolutions and pools, as [vertical, horizontal]; the padding is [top, left, bottom,
/// right].
struct WindowAttributes
{
    /// For pools only; a convolution has the kernel size of its weights.
    std::array<std::int64_t, 2> kernel{1, 1};
    std::array<std::int64_t, 2> stride{1, 1}, dilation{1, 1};
    std::array<std::int64_t, 4> padding{0, 0, 0, 0};
    std::int64_t groups = 1;                         ///< only for convolutions
    std::array<std::int64_t, 2> outputPadding{0, 0}; ///< only for transposed convolutions
    bool operator==(const WindowAttributes&) const = default;
};
struct AttentionAttributes
{
    std::int64_t heads = 0;   ///< number of heads, for tensors of rank 2
    std::int64_t kvHeads = 0; ///< number of heads of K and V; 0 = the same as `heads`
    bool causal = false;
    bool operator==(const AttentionAttributes&) const = default;
};
struct RecurrentAttributes
{
    std::int64_t hidden = 0;
    std::int64_t directions = 1;
    bool operator==(const RecurrentAttributes&) const = default;
};
struct ElementwiseAttributes
{
    std::string function;    ///< "add", "gelu"; for people
    std::int64_t passes = 0; ///< passes of the vector unit; 0 = the number that the machine states
    bool operator==(const ElementwiseAttributes&) const = default;
};
struct ReduceAttributes
{
    std::vector<std::int64_t> axes;
    bool keep = true; ///< true: reduced dimensions stay, with size 1
    bool operator==(const ReduceAttributes&) const = default;
};
struct KvAttributes
{
    std::int64_t heads = 0;                  ///< kv_append of a rank 2 tensor
    std::int64_t position = 0;               ///< kv_append: first token written
    std::array<std::int64_t, 2> range{0, 0}; ///< kv_load: tokens [range[0], range[1])
    bool operator==(const KvAttributes&) const = default;
};
struct TransposeAttributes
{
    std::vector<std::int64_t> permutation; ///< output dimension i is input dimension permutation[i]
    bool operator==(const TransposeAttributes&) const = default;
};
struct SliceAttributes
{
    std::vector<std::int64_t> axes, starts, ends, steps; ///< parallel lists; steps may be empty
    bool operator==(const SliceAttributes&) const = default;
};
struct AxisAttributes
{
    std::int64_t axis = 0;
    std::vector<std::int64_t> sizes; ///< split: sizes of its outputs along the axis
    bool operator==(const AxisAttributes&) const = default;
};
struct PadAttributes
{
    std::vector<std::int64_t> before, after; ///< padding per dimension
    bool operator==(const PadAttributes&) const = default;
};
struct BlockAttributes
{
    std::int64_t block = 1;
    bool operator==(const BlockAttributes&) const = default;
};
using Attributes =
    std::variant<NoAttributes, MatMulAttributes, EinsumAttributes, WindowAttributes, AttentionAttributes,
                 RecurrentAttributes, ElementwiseAttributes, ReduceAttributes, KvAttributes,
                 TransposeAttributes, SliceAttributes, AxisAttributes, PadAttributes, BlockAttributes>;
/// Returns the attributes of a kind with their default values.
[[nodiscard]] Attributes attributesOf(OperatorKind kind);

/// Product of the sizes; the largest integer if the product exceeds it.
[[nodiscard]] std::int64_t elementsOf(std::span<const std::int64_t> sizes) noexcept;

struct Tensor
{
    std::string name;
    Shape shape;
    bool constant = false; ///< a weight, bias or table whose value is known before the model runs
    int elementBytes = 0;  ///< bytes of an element; 0 = Model::elementBytes
    /// Width of an element in 1/1024 bit, if it is the same on every machine: integers, floats of 8 bits or
    /// less. 0 = a float, which has the width of the machine's elements.
    std::int64_t bits = 0;
    bool operator==(const Tensor&) const = default;

    [[nodiscard]] std::int64_t elements() const noexcept { return elementsOf(shape); }
    /// Width of an element in 1/1024 bit if it is the same on every machine; else 0. An element of one byte
    /// has 8 bits.
    [[nodiscard]] std::int64_t ownBits() const noexcept
    {
        return bits > 0 ? bits : elementBytes == 1 ? 8 * 1024 : 0;
    }
};

struct Operator
{
    OperatorKind kind = OperatorKind::Unknown;
    std::string name;
    std::string type; ///< the type in the file if its name there differs ("Conv"); else empty
    std::vector<ModelTensorId> inputs, outputs;
    Attributes attributes;
    bool operator==(const Operator&) const = default;

    template <typename T> [[nodiscard]] const T& as() const { return std::get<T>(attributes); }
    [[nodiscard]] std::string_view typeName() const noexcept
    {
        return type.empty() ? toString(kind) : std::string_view(type);
    }
};

/// Operators on named tensors. Each tensor is written by at most one operator.
struct Model
{
    std::string name;
    int dtypeBytes = 2;
    std::int64_t opset = 0; ///< opset of the ONNX file from which the model was read, 1 to kMaxOpset
    IdVector<ModelTensorId, Tensor> tensors;
    IdVector<OperatorId, Operator> operators;
    std::string file; ///< file name for messages; may be empty

    [[nodiscard]] const Shape& shape(ModelTensorId t) const { return tensors[t].shape; }
    [[nodiscard]] std::int64_t bytes(ModelTensorId t) const;
};

/// Sizes [batch, heads, tokens, d] of an attention or cache tensor, which has rank 4, or rank 2 as [tokens,
/// heads * d].
struct HeadShape
{
    std::int64_t batch = 0, heads = 0, tokens = 0, dims = 0;
    bool operator==(const HeadShape&) const = default;
};
[[nodiscard]] std::optional<HeadShape> headShape(const Shape& shape, std::int64_t heads);

/// Number of windows of a kernel along one axis: floor((in + padding - dilation * (kernel - 1) - 1) / stride)
/// + 1; 0 if the kernel does not fit. `padding` is the sum of both ends.
[[nodiscard]] std::int64_t windowOutput(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                                        std::int64_t padding, std::int64_t dilation) noexcept;

/// The letters of an einsum of two operands, grouped by where they occur: in the operands and in the result.
struct EinsumRoles
{
    std::string lhs, rhs, out;
    /// `batch`: letters in both operands and the result. `m`: in lhs and the result. `n`: in rhs and the
    /// result. `k`: in both operands only.
    std::string batch, m, n, k;
};
[[nodiscard]] Result<EinsumRoles> einsumRoles(const std::string& equation);

/// Returns the shapes of the outputs of an operator. `declared` are the shapes in the file, for kinds whose
/// attributes do not determine them (reshape, expand, resize, tile, unknown). The Error states which sizes do
/// not match.
[[nodiscard]] Result<std::vector<Shape>> outputShapes(const Operator& op, std::span<const Shape> inputs,
                                                      std::span<const Shape> declared);

/// Multiply-accumulates of one operator (docs/rules/workload.md 3.6); 0 unless it is a convolution, product,
/// attention or recurrent operator. Pre-condition: checkModel() accepts the model.
[[nodiscard]] std::int64_t macsOf(const Model& model, const Operator& op);
[[nodiscard]] std::int64_t macsOf(const Model& model);

/// Checks names, shapes and sizes, that no tensor has two writers, and that the operators form no cycle. The
/// Error names the operator (path "ops[3]") and the tensor.
[[nodiscard]] Status checkModel(const Model& model);

/// Topological order by Kahn's algorithm; ties are broken by id. If there is a cycle, the result has fewer
/// entries than there are operators.
[[nodiscard]] std::vector<OperatorId> operatorOrder(const Model& model);

[[nodiscard]] std::string shapeText(const Shape& shape); ///< "[1,3,224,224]"

/// Returns the shape of the result of two operands with broadcasting. Compared from the last dimension on,
/// two sizes must be equal or one of them 1; otherwise the result is empty.
[[nodiscard]] std::optional<Shape> broadcastShape(const Shape& a, const Shape& b);

/// Builds a model operator by operator. The output of an operator has the operator's name. Errors are kept;
/// build() returns the first one.
class ModelBuilder
{
public:
    explicit ModelBuilder(std::string name, int dtypeBytes = 2);

    ModelTensorId input(std::string name, Shape shape);
    ModelTensorId constant(std::string name, Shape shape);
    /// Adds an operator and returns its output. `declared` is the shape of the output, for kinds whose
    /// attributes do not determine it.
    ModelTensorId add(OperatorKind kind, const std::string& name, std::vector<ModelTensorId> inputs,
                      Attributes attributes, Shape declared = {});
    ModelTensorId add(OperatorKind kind, const std::string& name, std::vector<ModelTensorId> inputs)
    {
        return add(kind, name, std::move(inputs), attributesOf(kind));
    }
    ModelTensorId matmul(const std::string& name, ModelTensorId a, ModelTensorId b)
    {
        return add(OperatorKind::MatMul, name, {a, b});
    }
    /// Adds a product of `x` and a new weight. It turns [.., K] into [.., columns].
    ModelTensorId linear(const std::string& name, ModelTensorId x, std::int64_t columns);
    ModelTensorId elementwise(const std::string& function, const std::string& name,
                              std::vector<ModelTensorId> inputs, std::int64_t passes = 0);
    ModelTensorId reshape(const std::string& name, ModelTensorId x, Shape shape)
    {
        return add(OperatorKind::Reshape, name, {x}, NoAttributes{}, std::move(shape));
    }

    [[nodiscard]] const Shape& shape(ModelTensorId t) const { return m_model.tensors[t].shape; }
    [[nodiscard]] Result<Model> build() &&;

private:
    Model m_model;
    std::optional<Error> m_error;
};

} // namespace tilewright::model
