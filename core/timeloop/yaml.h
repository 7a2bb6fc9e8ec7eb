// SPDX-License-Identifier: GPL-3.0-or-later
// Internal: what the readers of Timeloop files share.
#pragma once

#include "base/result.h"
#include "hierarchy/architecture.h"
#include "mapping/layer.h"

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::timeloop {

/// Parses a YAML text with a single document. The Error names the line: a second document, a key that occurs
/// twice in one map, too deep nesting or too many aliases, or invalid YAML.
[[nodiscard]] Result<YAML::Node> loadDocument(std::string_view text, const std::string& file);

/// Text of the document that describes a layer: shape and sizes.
[[nodiscard]] std::string problemText(const mapping::Layer& layer, const mapping::LoopNest& nest);

/// Text of the tree of an architecture with levels.
[[nodiscard]] std::string levelsText(const hierarchy::Architecture& architecture);

/// The dimensions that a permutation lists, the innermost one first. It is written as "KNM", "K, N, M" or a
/// list. The Error has only a message.
[[nodiscard]] Result<std::vector<int>> permutationOf(const mapping::LoopNest& nest, const YAML::Node& node);

/// Number of dimensions in the permutation of a spatial directive that lie on the first axis; nullopt if the
/// directive does not state it.
[[nodiscard]] std::optional<std::size_t> splitOf(const YAML::Node& directive);

/// Returns an Error if a directive contradicts the architecture about the operands that a level holds.
[[nodiscard]] Status checkBypass(const YAML::Node& directive, const hierarchy::Level& level,
                                 const mapping::LoopNest& nest, const std::string& file,
                                 const std::string& at);

/// Called with a constraint of a file and its place in the file.
using VisitTarget = std::function<Status(const YAML::Node& node, const std::string& at)>;
/// Calls `visit` for every constraint in the sections of a constraints file. The Error is the first one that
/// `visit` returns, or names an unknown section.
[[nodiscard]] Status forEachTarget(const YAML::Node& root, const std::string& file, const VisitTarget& visit);

/// A memory of the Mapping lens with four levels.
enum class Storage { Rf, Spm, Dram };
/// The memory with this name in the examples of Timeloop (in any case), or with this number counted from the
/// inside; nullopt for any other name.
[[nodiscard]] std::optional<Storage> storageNamed(const std::string& name);

/// A factor in its written form: "M=20", "M20", "N<=8", "K=20,9" (with a residue).
struct FactorText
{
    std::string name;
    std::string sign = "="; ///< "=", "<=" or ">="
    std::int64_t value = 0;
    std::optional<std::int64_t> residue;
};
/// Splits a text or a list of factors. The Error has only a message.
[[nodiscard]] Result<std::vector<FactorText>> splitFactors(const YAML::Node& node);

/// The factors of a mapping directive per loop, and their residues. A residue is the number of steps in the
/// last tile; 0 if none is written.
struct DirectiveFactors
{
    mapping::Factors factors{1, 1, 1, 1, 1, 1, 1};
    mapping::Factors residues{};
};
/// Reads the factors of a directive. Residues are accepted only if `imperfect` is true. The Error has only a
/// message, without a place in the file.
[[nodiscard]] Result<DirectiveFactors> readDirectiveFactors(const mapping::LoopNest& nest,
                                                            const YAML::Node& node, bool imperfect);
/// A factor of a loop and its residue; the residue is 0 if there is none.
struct ResiduedFactor
{
    std::int64_t factor = 1, residue = 0;
};
/// Checks the residues of a loop against the trip count: trip = (((r3 - 1) f2 + r2 - 1) f1 + r1 - 1) f0 + r0
/// for factors f and residues r, index 3 being the outermost one. The Error has only a message.
[[nodiscard]] Status checkResidues(const mapping::LoopNest& nest, int loop,
                                   const std::vector<ResiduedFactor>& factors);
/// Text of a factor: "K=20", or "K=20,9" if the residue differs from the factor.
[[nodiscard]] std::string factorText(const mapping::LoopNest& nest, int loop, std::int64_t factor,
                                     std::int64_t residue);

/// Index of the loop with this name in Timeloop or in this program; -1 if the layer has none.
[[nodiscard]] int loopNamed(const mapping::LoopNest& nest, std::string_view name);
/// Index of the operand with this name in Timeloop or in this program; -1 if the layer has none.
[[nodiscard]] int operandNamed(const mapping::LoopNest& nest, std::string_view name);

/// Text of a scalar field of a map; empty if there is none.
[[nodiscard]] std::string scalarOf(const YAML::Node& map, const char* key);

/// A component of an energy table: its path, and the energy of each action in pJ.
struct ComponentEnergies
{
    std::string name;
    std::vector<std::pair<const char*, double>> actions;
};
/// The text of an ERT file (energy reference table).
[[nodiscard]] std::string energyTablesText(const std::vector<ComponentEnergies>& components);

} // namespace tilewright::timeloop
