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
    KvBytes, ///< of all sequences after the step
    FlopsPerToken,
    TimeToFirstToken,   ///< floor, ms
    TimePerOutputToken, ///< floor, ms
    TokensPerSecond,    ///< of all sequences, at that floor
    BatchAtKnee,        ///< from which decode is not bound by memory
    LongestContext,     ///< tokens of a sequence that fit beside the weights, on every chip
    WeightBytesOfChip,  ///< of several chips: of the fullest one
    KvBytesOfChip,      ///< of several chips: of the fullest one, after the step
    CollectiveTime,     ///< of several chips: ms of the collectives in the step that is open
};
inline constexpr std::size_t kLanguageFigures = 14;
/// True for the figures that only several chips have.
[[nodiscard]] constexpr bool isOfGroup(LanguageFigure figure) noexcept
{
    return figure >= LanguageFigure::WeightBytesOfChip;
}
struct LanguageColumn
{
    LanguageFigure figure;
    std::string_view name, title, unit; ///< name in files, title for people
};
[[nodiscard]] std::span<const LanguageColumn, kLanguageFigures> languageColumns() noexcept;

/// The smallest batch from which a step of decode after `cached` tokens is not bound by memory on one chip;
/// nullopt: none up to kMostKneeBatch.
[[nodiscard]] std::optional<std::int64_t> batchAtKnee(const llm::LlmConfig& config, std::int64_t cached,
                                                      const Machine& machine, std::int64_t cores);
inline constexpr std::int64_t kMostKneeBatch = 1 << 16;

/// A part of the whole model: its share of one step.
struct LanguagePart
{
    llm::LlmPart part = llm::LlmPart::Attention;
    std::int64_t parameters = 0;
    double weightBytes = 0;
    double macs = 0, readBytes = 0; ///< MACs and bytes read of the step that is open
};

/// The figures of a model on a machine that no lens changes.
struct LanguageFigures
{
    llm::LlmConfig config;   ///< configuration of the whole model
    llm::LlmOptions options; ///< options of the step that is open, resolved
    std::int64_t cores = 1;  ///< cores of a chip
    /// By LanguageFigure; empty: the model or the machine has none.
    std::array<std::optional<ExplainedValue>, kLanguageFigures> figures;
    lower::StepFloor floor; ///< floor of the step that is open, of one chip (of the last stage)
    ExplainedValue step;    ///< ms of the step that is open, of all stages, with collectives
    /// The part of the step that takes longest, for the open phase: "memory", "compute", "collectives".
    std::string_view binds;
    std::vector<LanguagePart> parts;

    [[nodiscard]] const std::optional<ExplainedValue>& of(LanguageFigure figure) const
    {
        return figures[static_cast<std::size_t>(figure)];
    }
};
[[nodiscard]] LanguageFigures languageFigures(const llm::LlmScope& scope, const Machine& machine);
/// Returns the value of a figure for people: "8 030 261 248", "1.62"; a word where there is none.
[[nodiscard]] std::string languageText(const LanguageFigures& figures, LanguageFigure figure);
/// Returns what runs, for people: "decode, 8 sequences of 1 token after 2 048 in the cache, 4 chips".
[[nodiscard]] std::string stepText(const llm::LlmOptions& options);

} // namespace tilewright::verbs
