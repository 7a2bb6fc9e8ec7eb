// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "npu/model.h"

#include <cstdint>

namespace tilewright::npu {

enum class LlamaPhase { Prefill, Decode };

/// Options of a LLaMA-style decoder block: RMSNorm, Q/K/V, RoPE, KV append, KV load (decode), attention,
/// output projection, residuals, SwiGLU MLP (docs/rules/npu.md 8).
struct LlamaBlockOptions
{
    LlamaPhase phase = LlamaPhase::Prefill;
    std::int64_t hidden = 4096;
    std::int64_t heads = 32;
    std::int64_t ffn = 11008;
    std::int64_t tokens = 128;  ///< prefill: number of new tokens (decode has one)
    std::int64_t cached = 2048; ///< decode: number of tokens already in the KV cache
    bool flash = false;
    int dtypeBytes = 2;
    std::int64_t kvHeads = 0; ///< number of heads of K and V (grouped queries), 0 = same as heads
    std::int64_t layers = 1;  ///< number of consecutive blocks
};
[[nodiscard]] Result<NpuModel> generateLlamaBlock(const LlamaBlockOptions& options);

/// Options of a BERT encoder block: Q/K/V, attention without a mask, output projection, layer norms, GELU
/// MLP.
struct BertBlockOptions
{
    std::int64_t hidden = 768;
    std::int64_t heads = 12;
    std::int64_t ffn = 3072;
    std::int64_t tokens = 128;
    bool flash = false;
    int dtypeBytes = 2;
    std::int64_t layers = 1; ///< number of consecutive blocks
};
[[nodiscard]] Result<NpuModel> generateBertBlock(const BertBlockOptions& options);

/// Options of a convolutional network. Each stage: 3x3 convolution, ReLU, depthwise 3x3 (stride 2), 1x1
/// convolution, ReLU. The number of channels doubles per stage.
struct ConvNetOptions
{
    std::int64_t batch = 1;
    std::int64_t channels = 3;
    std::int64_t size = 56;  ///< height and width of the input, in pixels
    std::int64_t width = 32; ///< output channels of the first stage
    std::int64_t stages = 3;
    int dtypeBytes = 2;
};
[[nodiscard]] Result<NpuModel> generateConvNet(const ConvNetOptions& options);

} // namespace tilewright::npu
