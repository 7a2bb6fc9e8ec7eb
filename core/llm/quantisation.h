// SPDX-License-Identifier: GPL-3.0-or-later
// Formats of quantised weights, and the modules that have them (docs/rules/llm.md 5).
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::llm {

/// Data that several weights share, and its size: a scale, a zero point or an index.
struct LlmOverhead
{
    enum class Of : std::uint8_t { Group, Row, Column };
    std::int64_t bits = 0;
    Of of = Of::Group;
    /// Group: number of weights that share it. Row: all weights of an output share it. Column: all weights of
    /// an input share it.
    std::int64_t weights = 1;
    bool operator==(const LlmOverhead&) const = default;
};

/// A format of weights, and of the activations with which they are multiplied.
struct LlmFormat
{
    std::int64_t bits = 0; ///< bits of a weight in 1/1024 bit, without shared data
    std::vector<LlmOverhead> overheads;
    /// Width of activations in 1/1024 bit, including scales; 0: not quantised.
    std::int64_t activationBits = 0;
    bool operator==(const LlmFormat&) const = default;
    /// Width of a weight in a matrix of `rows` inputs and `columns` outputs, including its share of all
    /// scales, in 1/1024 bit, rounded up.
    [[nodiscard]] std::int64_t weightBits(std::int64_t rows, std::int64_t columns) const;
};

/// Which modules of a checkpoint are quantised, and in which formats.
struct LlmQuantisation
{
    std::string method; ///< name of the method: "fp8", "nvfp4"
    LlmFormat format;
    std::vector<std::string> kept; ///< patterns of modules that are not quantised
    /// Patterns of modules that have a format of their own.
    std::vector<std::pair<std::string, LlmFormat>> own;
    bool expertsOnly = false; ///< true: only routed experts are quantised
    bool headToo = false;     ///< true: the head is quantised unless it matches `kept`
    /// Width of the KV cache in 1/1024 bit; empty if not stated.
    std::optional<std::int64_t> kvBits;
    bool operator==(const LlmQuantisation&) const = default;
};

/// A pattern for names of modules. Either "re:" and a regular expression that matches from the beginning of
/// the name, or a name in which `*` stands for any text. Without "re:", the pattern matches the whole name or
/// some of its components ("self_attn" matches "model.layers.0.self_attn.q_proj").
class ModulePattern
{
public:
    /// Creates a pattern. The Error says what is wrong with the text.
    [[nodiscard]] static Result<ModulePattern> of(const std::string& text);
    [[nodiscard]] bool names(std::string_view module) const;

private:
    std::string m_text;
    std::optional<std::regex> m_regex;
};

/// The formats of modules by the patterns of a quantisation, which must be legal.
class ModuleFormats
{
public:
    explicit ModuleFormats(const LlmQuantisation& quantisation);
    /// Returns the format of a module; nullptr if it is not quantised.
    [[nodiscard]] const LlmFormat* of(std::string_view module, bool routedExpert) const;

private:
    const LlmQuantisation& m_quantisation;
    std::vector<ModulePattern> m_kept, m_own;
};

} // namespace tilewright::llm
