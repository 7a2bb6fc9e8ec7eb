// SPDX-License-Identifier: GPL-3.0-or-later
// What one step of a language model computes and moves, in closed form (docs/rules/llm.md 7).
#pragma once

#include "llm/counts.h"
#include "llm/model.h"

namespace tilewright::llm {

/// Number of multiply-accumulates with operands of these two widths in 1/1024 bit.
struct LlmProducts
{
    std::int64_t bits = 0, otherBits = 0;
    double macs = 0;
};

/// Work of one step of all layers. Pairs of causal attention count once. Every matrix is read once; of the
/// routed experts, those that receive tokens.
struct LlmWork
{
    std::array<double, kLlmParts> macs{}, readBytes{}; ///< indexed by LlmPart; attention also reads the cache
    double writtenBytes = 0;                           ///< bytes of new keys and values
    /// MACs by the widths of their operands; their sum equals that of `macs`.
    std::vector<LlmProducts> products;
    [[nodiscard]] double totalMacs() const noexcept;
    [[nodiscard]] double totalRead() const noexcept;
};
/// Computes the work of a step. `options` must be resolved. `elementBits`: width on the machine, in 1/1024
/// bit, of data with the element width of the file.
[[nodiscard]] LlmWork llmWork(const LlmConfig& config, const LlmOptions& options, std::int64_t elementBits);

/// Number of pairs of a query and a key to which it attends, for one sequence in a layer with a window (0:
/// none).
[[nodiscard]] double visiblePairs(std::int64_t tokens, std::int64_t cached, std::int64_t window, bool causal);

/// Largest number of tokens per sequence for which the caches of `batch` sequences fit into `bytes`. nullopt:
/// any number fits, or there is no cache.
[[nodiscard]] std::optional<std::int64_t> longestContext(const LlmConfig& config, std::int64_t batch,
                                                         double bytes);

} // namespace tilewright::llm
