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
    View, ///< another arrangement of its inputs
};

/// The word of the model file ("matmul", "kv_append", ...).
[[nodiscard]] std::string_view toString(OpType type) noexcept;

struct ModelTensor
{
    std::string name;
    std::vector<std::int64_t> shape; ///< 1 to kMaxRank dimensions
};

/// Wished tile sizes; 0 = the default rule (docs/rules/npu.md 2.6). A field is used by the operators that
/// have it.
struct TileSizes
{
    std::int64_t m = 0, n = 0, k = 0;                      // matmul
    std::int64_t cOut = 0, cIn = 0, height = 0, width = 0; // conv2d (output rows and columns)
    std::int64_t heads = 0, tokens = 0, dims = 0;          // attention, kv_append, kv_load
    std::int64_t queries = 0;                              // attention: rows of Q, tokens are keys
    std::int64_t rows = 0, cols = 0;                       // softmax, norms, elementwise
    bool operator==(const TileSizes&) const = default;
};

/// One of the sizes that an operator of a type can be cut by, and its word in the model file.
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
    // conv2d, [vertical, horizontal]
    std::array<std::int64_t, 2> stride{1, 1}, padding{0, 0}, dilation{1, 1};
    std::int64_t groups = 1;
    // attention, kv_append: heads of a [tokens, heads * d] tensor
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0; ///< attention: heads of K and V when fewer, 0 = as many
    bool causal = false;
    bool flash = false;
    std::int64_t position = 0;               ///< kv_append: first token written
    std::array<std::int64_t, 2> range{0, 0}; ///< kv_load: tokens [range[0], range[1])
    std::int64_t passes = 0;                 ///< elementwise: passes of the vector engine, 0 = default

    [[nodiscard]] std::int64_t headsOfKeys() const noexcept { return kvHeads > 0 ? kvHeads : heads; }
};

/// A list of operators on named tensors; see model_json.cpp for the file.
struct NpuModel
{
    std::string name;
    int dtypeBytes = 2;
    std::vector<ModelTensor> tensors;
    std::vector<ModelOp> ops;
    std::optional<NpuHardware> hardware; ///< when the file brings its own
    std::string file;                    ///< for messages; may be empty

    [[nodiscard]] std::size_t addTensor(std::string tensorName, std::vector<std::int64_t> shape);
};

/// How an operator is cut into nodes: the part of a model that can be chosen freely (docs/rules/npu.md 2.6).
/// `flash` is the fused attention.
struct OpTiling
{
    TileSizes tile;
    bool flash = false;
    bool operator==(const OpTiling&) const = default;
};
[[nodiscard]] std::vector<OpTiling> tilingOf(const NpuModel& model);
/// The same model cut otherwise; one entry an operator.
[[nodiscard]] NpuModel withTiling(NpuModel model, std::span<const OpTiling> tiling);

/// [B,H,T,D] of an attention or KV tensor given as rank 4, or as rank 2 [T, H*D] with `heads`.
struct HeadShape
{
    std::int64_t batch = 0, heads = 0, tokens = 0, dims = 0;
    bool operator==(const HeadShape&) const = default;
};
[[nodiscard]] std::optional<HeadShape> headShape(const ModelTensor& tensor, std::int64_t heads);

/// Output rows or columns of a convolution (docs/rules/npu.md 2.2); <= 0 when the kernel does not fit.
[[nodiscard]] std::int64_t convOutput(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                                      std::int64_t padding, std::int64_t dilation);

/// Checks names, ranks, shapes and that no tensor has two writers and the operators form no cycle. The Error
/// names the operator (path "ops[3]") and the tensor.
[[nodiscard]] Status checkModel(const NpuModel& model);

/// Operators so that each comes after those it reads from, ties by index; checkModel must have passed.
[[nodiscard]] std::vector<std::size_t> opOrder(const NpuModel& model);

[[nodiscard]] Result<NpuModel> parseModel(std::string_view text, const std::string& file);
[[nodiscard]] Result<NpuModel> loadModel(const std::string& path);
/// The explicit form (tensors and ops), which parseModel reads back to the same model.
[[nodiscard]] std::string modelToJson(const NpuModel& model);

} // namespace tilewright::npu
