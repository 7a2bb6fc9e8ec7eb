// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/mapping.h"
#include "mapping/architecture.h"
#include "mapping/layer.h"
#include "mapping/method.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

// Timeloop files (docs/rules/mapping.md 11): a layer, an architecture and a method as YAML.

namespace tilewright::timeloop {

/// Texts of the four YAML files that describe one mapping of one layer.
struct Files
{
    std::string problem;
    std::string architecture;
    std::string energies; ///< energy reference table (ERT)
    std::string mapping;
};

/// Writes the files for a method. Precondition: `nest` belongs to `layer`, and checkMethod() reports no
/// TILING violation.
[[nodiscard]] Files writeFiles(const mapping::Layer& layer, const mapping::LoopNest& nest,
                               const mapping::Architecture& architecture, const mapping::Method& method);

/// Writes the files for an architecture with levels (docs/rules/hierarchy.md 10). Precondition: the factors
/// multiply to the trip counts. The Error names a level whose loops Timeloop cannot state.
[[nodiscard]] Result<Files> writeFiles(const mapping::Layer& layer, const mapping::LoopNest& nest,
                                       const hierarchy::Architecture& architecture,
                                       const hierarchy::Mapping& mapping);

/// Reads an architecture with levels from the tree of a file of Timeloop version 0.3. The Error names the
/// component or the field that is missing or wrong.
[[nodiscard]] Result<hierarchy::Architecture> readArchitecture(std::string_view text,
                                                               const std::string& file);

/// Reads a mapping of this nest on an architecture with levels.
[[nodiscard]] Result<hierarchy::Mapping> readLevelMapping(std::string_view text, const std::string& file,
                                                          const mapping::LoopNest& nest,
                                                          const hierarchy::Architecture& architecture);

struct ReadMapping
{
    mapping::Method method;
    std::vector<std::string> notes; ///< parts of the file that have no effect in this program
};

/// Reads a mapping of this nest: temporal factors at DRAM, SPM and RF, spatial factors at SPM. Returns an
/// Error that names the first directive that the model does not support.
[[nodiscard]] Result<ReadMapping> readMapping(std::string_view text, const std::string& file,
                                              const mapping::LoopNest& nest,
                                              const mapping::Architecture& architecture);

/// The part of a Timeloop constraints file that the search of this program supports.
struct ReadConstraints
{
    std::vector<std::string> factors; ///< constraints in the notation of mapping::parseConstraints()
    std::array<bool, mapping::kOperands> bypassSpm{};
    std::vector<std::string> notes; ///< parts of the file that have no effect in this program
};

/// Reads the sections constraints, architecture_constraints, mapspace_constraints and mapspace of a file. The
/// Error names the first constraint that has no counterpart in the lens.
[[nodiscard]] Result<ReadConstraints> readConstraints(std::string_view text, const std::string& file,
                                                      const mapping::LoopNest& nest);

/// The part of a constraints file that the search on an architecture with levels supports, in the notation of
/// hierarchy::parseConstraints().
struct ReadLevelConstraints
{
    std::vector<std::string> factors, orders;
};

/// Like readConstraints() above, for an architecture with levels (docs/rules/hierarchy.md 10.3).
[[nodiscard]] Result<ReadLevelConstraints> readConstraints(std::string_view text, const std::string& file,
                                                           const mapping::LoopNest& nest,
                                                           const hierarchy::Architecture& architecture);

/// True if the file name has a YAML suffix.
[[nodiscard]] bool isYamlName(std::string_view path);

/// Name of a loop in Timeloop: one letter per dimension, as Timeloop's grammar of mappings requires.
[[nodiscard]] inline std::string_view dimensionOf(const mapping::LoopNest& nest, int loop)
{
    constexpr std::array<std::string_view, mapping::kMaxLoops> kConv{"N", "M", "C", "P", "Q", "R", "S"};
    constexpr std::array<std::string_view, 3> kGemm{"M", "N", "K"};
    const auto l = static_cast<std::size_t>(loop);
    return nest.kind == mapping::LayerKind::Gemm ? kGemm[l] : kConv[l];
}

/// Name of an operand (data space) in Timeloop.
[[nodiscard]] inline std::string_view dataSpaceOf(const mapping::LoopNest& nest, int operand)
{
    constexpr std::array<std::string_view, mapping::kOperands> kConv{"Inputs", "Weights", "Outputs"};
    constexpr std::array<std::string_view, mapping::kOperands> kGemm{"A", "B", "C"};
    const auto op = static_cast<std::size_t>(operand);
    return nest.kind == mapping::LayerKind::Gemm ? kGemm[op] : kConv[op];
}

} // namespace tilewright::timeloop
