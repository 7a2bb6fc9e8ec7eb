// SPDX-License-Identifier: GPL-3.0-or-later
// Internal: what the readers of Timeloop files share.
#pragma once

#include "base/result.h"
#include "mapping/layer.h"

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::timeloop {

/// The one document of a YAML text. The Error names the line: two documents, a key that occurs twice in one
/// map, nesting or aliases without end, no YAML.
[[nodiscard]] Result<YAML::Node> loadDocument(std::string_view text, const std::string& file);

/// A memory of the lens.
enum class Storage { Rf, Spm, Dram };
/// The memory with this name in Timeloop's examples, in any case, or with this number from the inside;
/// nullopt for another.
[[nodiscard]] std::optional<Storage> storageNamed(const std::string& name);

/// A factor as it is written: "M=20", "M20", "N<=8", "K=20,9" (with a residue).
struct FactorText
{
    std::string name;
    std::string sign = "="; ///< or "<=", ">="
    std::int64_t value = 0;
    std::optional<std::int64_t> residue;
};
/// Splits a text or a list of factors. The Error has only a message.
[[nodiscard]] Result<std::vector<FactorText>> splitFactors(const YAML::Node& node);

/// Index of the loop with this name in Timeloop or in this program; -1 if the layer has none.
[[nodiscard]] int loopNamed(const mapping::LoopNest& nest, std::string_view name);
/// Index of the operand with this name in Timeloop or in this program; -1 if the layer has none.
[[nodiscard]] int operandNamed(const mapping::LoopNest& nest, std::string_view name);

/// The scalar of a field as text; empty if there is none.
[[nodiscard]] std::string scalarOf(const YAML::Node& map, const char* key);

} // namespace tilewright::timeloop
