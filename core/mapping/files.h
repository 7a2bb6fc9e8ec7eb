// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/evaluate.h"
#include "mapping/method.h"

#include <string>
#include <string_view>

// Readers and writers of the mapping lens's files (docs/rules/mapping.md 8). `file` only names the file in
// errors.
namespace tilewright::mapping {

/// What a layer argument can be: one layer, or a model of several.
struct LayersFile
{
    Model model;
    bool isModel = false; ///< false: a file that holds just one layer

    bool operator==(const LayersFile&) const = default;
};

/// A layer, our model, or the reference project's model (CONV, GEMM and DW_CONV lists). Every layer that
/// comes back can be given to makeNest().
[[nodiscard]] Result<LayersFile> readLayers(std::string_view text, const std::string& file);

/// Ours, or the reference project's (arch_details, arch_basic); missing fields take the defaults.
[[nodiscard]] Result<Architecture> readArchitecture(std::string_view text, const std::string& file);

/// A method of this nest: our JSON, what `map --json` prints, or the form printed in the source document
/// (nested tuples and lists). Factors only have to be positive here; whether they multiply is checkMethod()'s
/// business.
[[nodiscard]] Result<Method> readMethod(std::string_view text, const std::string& file, const LoopNest& nest);

/// That printed form only: four groups of factors, then two lists of loop names, whatever surrounds
/// them.
[[nodiscard]] Result<Method> parsePrintedMethod(std::string_view text, const std::string& file,
                                                const LoopNest& nest);

[[nodiscard]] std::string writeLayer(const Layer& layer);
[[nodiscard]] std::string writeModel(const Model& model);
[[nodiscard]] std::string writeArchitecture(const Architecture& architecture);
[[nodiscard]] std::string writeMethod(const LoopNest& nest, const Method& method);
/// "((1, 8, ...), ...)" and "([...], [...])" on two lines, as the source document prints methods.
[[nodiscard]] std::string printMethod(const LoopNest& nest, const Method& method);

} // namespace tilewright::mapping
