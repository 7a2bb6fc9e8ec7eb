// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/method.h"

#include <string>
#include <string_view>
#include <vector>

// The files of Timeloop (docs/rules/mapping.md 11): a layer, an architecture and a method in its YAML.
namespace tilewright::timeloop {

/// The four files that describe one mapping of one layer.
struct Files
{
    std::string problem;
    std::string architecture;
    std::string energies; ///< the energy reference table (ERT)
    std::string mapping;
};

/// Pre-condition: the nest is that of the layer and checkMethod() says TILING of neither.
[[nodiscard]] Files writeFiles(const mapping::Layer& layer, const mapping::LoopNest& nest,
                               const mapping::Architecture& architecture, const mapping::Method& method);

struct ReadMapping
{
    mapping::Method method;
    std::vector<std::string> notes; ///< what was in the file and says nothing here
};

/// A mapping of this nest: temporal factors at DRAM, SPM and RF, spatial ones at SPM. What the model has no
/// word for is an Error that names it.
[[nodiscard]] Result<ReadMapping> readMapping(std::string_view text, const std::string& file,
                                              const mapping::LoopNest& nest,
                                              const mapping::Architecture& architecture);

/// Is this the name of a YAML file?
[[nodiscard]] bool isYamlName(std::string_view path);

} // namespace tilewright::timeloop
