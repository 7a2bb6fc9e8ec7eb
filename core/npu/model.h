// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "npu/hardware.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::npu {

inline constexpr int kMaxRank = 4;

enum class OpType {
    MatMul,
    Conv2d,
    Attention,
    Softmax,
    LayerNorm,
    RmsNorm,
    Elementwise,
    KvAppend,
    KvLoad,
    View, ///< rearranges its inputs without a copy; with passes, each result element is computed from several
};

/// The type name in the model file ("matmul", "kv_append", ...).
[[nodiscard]] std::string_view toString(OpType type) noexcept;

/// Widths of elements are counted in 1/1024 bit.
inline constexpr std::int64_t kPartsOfByte = 8 * 1024;

struct ModelTensor
{
    std::string name;
    std::vector<std::int64_t> shape; ///< 1 to kMaxRank dimensions
    std::int64_t bits = 0;           ///< width of an element in 1/1024 bit; 0 = default of the model
};

/// Requested tile sizes; 0 = by the default rule (docs/rules/npu.md 2.6). Each type of operator uses only its
/// own fields.
struct TileSizes
{
    std::int64_t m = 0, n = 0, k = 0;                      // matmul
    std::int64_t cOut = 0, cIn = 0, height = 0, width = 0; // conv2d; height and width of the output
    std::int64_t heads = 0, tokens = 0, dims = 0;          // attention, kv_append, kv_load
    std::int64_t queries = 0;                              // attention: rows of Q (`tokens` counts keys)
    std::int64_t rows = 0, cols = 0;                       // softmax, norms, elementwise, view
    bool operator==(const TileSizes&) const = default;
};

/// A tile size that operators of some type have, with its key in the model file.
struct TileField
{
    const char* key;
    std::int64_t TileSizes::*size;
};
[[nodiscard]] std::span<const TileField> tileFields(OpType type) noexcept;

struct ModelOp
{
    OpType type = OpType::MatMul;
    std::string name;
    std::vector<std::size_t> inputs; ///< tensor indices
    std::vector<std::size_t> outputs;
    TileSizes tile;
    // conv2d: [vertical, horizontal].
    std::array<std::int64_t, 2> stride{1, 1}, dilation{1, 1};
    std::array<std::int64_t, 4> padding{}; ///< top, left, bottom, right
    std::int64_t groups = 1;
    // attention, kv_append: number of heads of a [tokens, heads * d] tensor
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0; ///< attention: number of heads of K and V, 0 = same as `heads`
    bool causal = false;
    bool flash = false;
    std::int64_t position = 0;               ///< kv_append: index of the first token that is written
    std::array<std::int64_t, 2> range{0, 0}; ///< kv_load: the tokens [range[0], range[1])
    /// Multiply-accumulates per PE and cycle; depends on the widths of the operands (docs/rules/workload.md
    /// 2.1).
    double rate = 1;
    /// Number of passes of the vector engine over each element of the result. For an elementwise operator, 0
    /// = default of the machine. A view with passes is a pool or reduction.
    std::int64_t passes = 0;

    [[nodiscard]] bool isReduction() const noexcept { return type == OpType::View && passes > 0; }
    [[nodiscard]] std::int64_t headsOfKeys() const noexcept { return kvHeads > 0 ? kvHeads : heads; }
};

/// A list of operators on named tensors. File format: model_json.cpp.
struct NpuModel
{
    std::string name;
    int dtypeBytes = 2;
    std::vector<ModelTensor> tensors;
    std::vector<ModelOp> ops;
    std::optional<NpuHardware> hardware; ///< machine that the file contains, if any
    std::string file;                    ///< name of the file in messages; may be empty

    [[nodiscard]] std::size_t addTensor(std::string tensorName, std::vector<std::int64_t> shape,
                                        std::int64_t bits = 0);
    /// Number of elements of an operator's first input per element of its result, rounded up.
    [[nodiscard]] std::int64_t reductionOf(const ModelOp& op) const;
    /// Width of an element of a tensor in 1/1024 bit.
    [[nodiscard]] std::int64_t bitsOf(std::size_t tensor) const
    {
        return tensors[tensor].bits > 0 ? tensors[tensor].bits : dtypeBytes * kPartsOfByte;
    }
    [[nodiscard]] double bytesOf(std::size_t tensor) const
    {
        return static_cast<double>(bitsOf(tensor)) / static_cast<double>(kPartsOfByte);
    }
    /// Whole bytes that the widest element of an operator takes.
    [[nodiscard]] int widestBytes(const ModelOp& op) const noexcept;
};

/// The tile sizes of an operator, which may be chosen freely without changing its result (docs/rules/npu.md
/// 2.6). `flash` selects fused attention.
struct OpTiling
{
    TileSizes tile;
    bool flash = false;
    bool operator==(const OpTiling&) const = default;
};
[[nodiscard]] std::vector<OpTiling> tilingOf(const NpuModel& model);
/// The model with another tiling; `tiling` has one entry per operator.
[[nodiscard]] NpuModel withTiling(NpuModel model, std::span<const OpTiling> tiling);

/// Sizes of a matrix product A[M,K] x B[K,N]. The dimensions before the last two are those of a batch of
/// products.
struct MatmulShape
{
    std::int64_t m = 0, n = 0, k = 0;
    std::array<std::int64_t, 2> batch{1, 1}; ///< batch sizes of the result, the outer dimension first
    [[nodiscard]] std::int64_t batches() const noexcept { return batch[0] * batch[1]; }
    bool operator==(const MatmulShape&) const = default;
};
/// Returns the sizes of a matmul operator of a model that checkModel() accepts.
[[nodiscard]] MatmulShape matmulShape(const NpuModel& model, const ModelOp& op);

/// Shape [B,H,T,D] of an attention or KV tensor. The tensor has rank 4, or rank 2 [T, H*D] with `heads`.
struct HeadShape
{
    std::int64_t batch = 0, heads = 0, tokens = 0, dims = 0;
    bool operator==(const HeadShape&) const = default;
};
[[nodiscard]] std::optional<HeadShape> headShape(const ModelTensor& tensor, std::int64_t heads);

/// Number of output rows or columns of a convolution (docs/rules/npu.md 2.2); 0 if the kernel does not fit.
/// `padding`: sum of both sides.
[[nodiscard]] std::int64_t convOutput(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                                      std::int64_t padding, std::int64_t dilation);

/// Checks names, ranks and shapes, that each tensor has at most one writer, and that there is no cycle. The
/// Error names the operator (path "ops[3]") and the tensor.
[[nodiscard]] Status checkModel(const NpuModel& model);

/// Indices of the operators in topological order; ties are broken by index. checkModel() must have accepted
/// the model.
[[nodiscard]] std::vector<std::size_t> opOrder(const NpuModel& model);

[[nodiscard]] Result<NpuModel> parseModel(std::string_view text, const std::string& file);
[[nodiscard]] Result<NpuModel> loadModel(const std::string& path);
/// Checks the fields that only this lens knows (hardware, tiles, variants) in a model file that another
/// reader reads. Returns the first error.
[[nodiscard]] Status checkOwnFields(std::string_view text, const std::string& file);
/// The model as JSON with explicit tensors and ops. parseModel() reads it back as an equal model.
[[nodiscard]] std::string modelToJson(const NpuModel& model);

} // namespace tilewright::npu
