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

/// Data that several weights share, in addition to their own bits: a scale, a zero point or an index.
struct LlmOverhead
{
    enum class Of : std::uint8_t { Group, Row, Column };
    std::int64_t bits = 0;
    Of of = Of::Group;
    /// Number of weights of a Group. Row: all inputs of an output; Column: all outputs of an input.
    std::int64_t weights = 1;
    bool operator==(const LlmOverhead&) const = default;
};

/// A format of weights and of the activations that they are multiplied with.
struct LlmFormat
{
    std::int64_t bits = 0; ///< bits of a weight alone, in 1/1024 bit
    std::vector<LlmOverhead> overheads;
    /// Width of activations in 1/1024 bit, scales included; 0: not quantised.
    std::int64_t activationBits = 0;
    bool operator==(const LlmFormat&) const = default;
    /// Bits of a weight of a matrix of `rows` inputs and `columns` outputs with its share of all scales, in
    /// 1/1024 bit, rounded up.
    [[nodiscard]] std::int64_t weightBits(std::int64_t rows, std::int64_t columns) const;
};

/// Describes which modules of a checkpoint are quantised, and in which format.
struct LlmQuantisation
{
    std::string method; ///< "fp8", "nvfp4"
    LlmFormat format;
    std::vector<std::string> kept;                      ///< patterns of modules that are not quantised
    std::vector<std::pair<std::string, LlmFormat>> own; ///< patterns of modules with a format of their own
    bool expertsOnly = false;                           ///< only routed experts are quantised
    bool headToo = false;                               ///< the head is quantised unless it is `kept`
    /// Width of the KV cache in 1/1024 bit; empty if not stated.
    std::optional<std::int64_t> kvBits;
    bool operator==(const LlmQuantisation&) const = default;
};

/// A pattern of modules: "re:" and a regular expression that matches from the beginning of the name, else a
/// name with `*` for any text, which may be the whole name or whole components of it ("self_attn" of
/// "model.layers.0.self_attn.q_proj").
class ModulePattern
{
public:
    /// The Error says what is wrong with the pattern.
    [[nodiscard]] static Result<ModulePattern> of(const std::string& text);
    [[nodiscard]] bool names(std::string_view module) const;

private:
    std::string m_text;
    std::optional<std::regex> m_regex;
};

/// The formats of the modules of a quantisation, whose patterns must be legal.
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
