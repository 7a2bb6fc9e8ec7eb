// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/method.h"

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

/// Precondition: `nest` belongs to `layer`, and checkMethod() reports no TILING issue.
[[nodiscard]] Files writeFiles(const mapping::Layer& layer, const mapping::LoopNest& nest,
                               const mapping::Architecture& architecture, const mapping::Method& method);

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

/// True if the file name has a YAML suffix.
[[nodiscard]] bool isYamlName(std::string_view path);

} // namespace tilewright::timeloop
