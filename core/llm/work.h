// SPDX-License-Identifier: GPL-3.0-or-later
// What one step of a language model computes and moves, in closed form (docs/rules/llm.md 7).
#pragma once

#include "llm/counts.h"
#include "llm/model.h"

namespace tilewright::llm {

/// Multiply-accumulates of operands of two widths, in 1/1024 bit.
struct LlmProducts
{
    std::int64_t bits = 0, otherBits = 0;
    double macs = 0;
};

/// One step of all layers. Causal pairs count once; every matrix is read once, of routed experts those that
/// tokens reach.
struct LlmWork
{
    std::array<double, kLlmParts> macs{}, readBytes{}; ///< by LlmPart; attention reads the cache
    double writtenBytes = 0;                           ///< new keys and values
    std::vector<LlmProducts> products;                 ///< by their widths; their sum is that of `macs`
    [[nodiscard]] double totalMacs() const noexcept;
    [[nodiscard]] double totalRead() const noexcept;
};
/// `options` must be resolved. `elementBits`: width on the machine of what has the width of the file, in
/// 1/1024 bit.
[[nodiscard]] LlmWork llmWork(const LlmConfig& config, const LlmOptions& options, std::int64_t elementBits);

/// Keys that the queries of one sequence see in a layer with a window (0: none), each pair once.
[[nodiscard]] double visiblePairs(std::int64_t tokens, std::int64_t cached, std::int64_t window, bool causal);

/// Most tokens of each of `batch` sequences whose cache fits into `bytes`; nullopt: any number, or there is
/// no cache.
[[nodiscard]] std::optional<std::int64_t> longestContext(const LlmConfig& config, std::int64_t batch,
                                                         double bytes);

} // namespace tilewright::llm
