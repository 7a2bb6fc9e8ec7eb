// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, like json_reader.h.
#pragma once

#include "base/json_reader.h"
#include "llm/config.h"
#include "llm/quantisation.h"

namespace tilewright::llm {

/// Reads the field `quantization_config` of a config.json, or `quantization` of a hf_quant_config.json. The
/// Error names the field, or the format that is not known.
[[nodiscard]] Result<LlmQuantisation> quantisationOf(const JsonCursor& at);
/// Reads the text of a hf_quant_config.json.
[[nodiscard]] Result<LlmQuantisation> readQuantisation(std::string_view text, const std::string& file);
/// Reads a configuration except its quantisation.
[[nodiscard]] Result<LlmConfig> configOf(const JsonCursor& root, const std::string& file);
/// Returns the member of an object. A member that is null counts as missing, as in all files of language
/// models.
[[nodiscard]] std::optional<JsonCursor> fieldOf(const JsonCursor& at, std::string_view key);

} // namespace tilewright::llm
