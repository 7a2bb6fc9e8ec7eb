// SPDX-License-Identifier: GPL-3.0-or-later
// Key figures of a language model on a machine (docs/rules/llm.md 7).
#pragma once

#include "llm/work.h"
#include "lower/group_step.h"
#include "model/machine.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::verbs {

enum class LanguageFigure : std::uint8_t {
    Parameters,
    ActiveParameters,
    WeightBytes,
    KvBytesPerToken,
    KvBytes, ///< KV cache of all sequences after the step
    FlopsPerToken,
    TimeToFirstToken,   ///< lower bound (floor) in ms
    TimePerOutputToken, ///< lower bound (floor) in ms
    TokensPerSecond,    ///< of all sequences together, at the floor of the time per token
    BatchAtKnee,        ///< smallest batch at which decode is not bound by memory
    LongestContext,     ///< largest number of tokens per sequence that fit beside the weights, on every chip
    WeightBytesOfChip,  ///< with several chips: bytes on the fullest one
    KvBytesOfChip,      ///< with several chips: bytes on the fullest one after the step
    CollectiveTime,     ///< with several chips: ms of the collectives in the current step
};
inline constexpr std::size_t kLanguageFigures = 14;
/// True for the figures that exist only for several chips.
[[nodiscard]] constexpr bool isOfGroup(LanguageFigure figure) noexcept
{
    return figure >= LanguageFigure::WeightBytesOfChip;
}
struct LanguageColumn
{
    LanguageFigure figure;
    std::string_view name, title, unit; ///< name in files, title for people, unit
};
[[nodiscard]] std::span<const LanguageColumn, kLanguageFigures> languageColumns() noexcept;

/// The smallest batch with which a decode step after `cached` tokens is not bound by memory on one chip;
/// nullopt if there is none up to kMostKneeBatch.
[[nodiscard]] std::optional<std::int64_t> batchAtKnee(const llm::LlmConfig& config, std::int64_t cached,
                                                      const Machine& machine, std::int64_t cores);
inline constexpr std::int64_t kMostKneeBatch = 1 << 16;

/// A part of the whole model, with its share of one step.
struct LanguagePart
{
    llm::LlmPart part = llm::LlmPart::Attention;
    std::int64_t parameters = 0;
    double weightBytes = 0;
    double macs = 0, readBytes = 0; ///< MACs and bytes read in the current step
};

/// The figures of a language model on a machine that do not depend on a lens.
struct LanguageFigures
{
    llm::LlmConfig config;   ///< configuration of the whole model
    llm::LlmOptions options; ///< options of the current step, with defaults filled in
    std::int64_t cores = 1;  ///< number of cores of a chip
    /// Indexed by LanguageFigure; empty if the model or the machine does not have the figure.
    std::array<std::optional<ExplainedValue>, kLanguageFigures> figures;
    lower::StepFloor floor; ///< floor of the current step on one chip (of the last stage)
    ExplainedValue step;    ///< ms of the current step over all stages, with collectives
    /// What takes longest in the current step: "memory", "compute" or "collectives".
    std::string_view binds;
    std::vector<LanguagePart> parts;

    [[nodiscard]] const std::optional<ExplainedValue>& of(LanguageFigure figure) const
    {
        return figures[static_cast<std::size_t>(figure)];
    }
};
[[nodiscard]] LanguageFigures languageFigures(const llm::LlmScope& scope, const Machine& machine);
/// Text of a figure for people: "8 030 261 248", "1.62"; a word if the figure does not exist.
[[nodiscard]] std::string languageText(const LanguageFigures& figures, LanguageFigure figure);
/// Text that describes the step: "decode, 8 sequences of 1 token after 2 048 in the cache, 4 chips".
[[nodiscard]] std::string stepText(const llm::LlmOptions& options);

} // namespace tilewright::verbs
