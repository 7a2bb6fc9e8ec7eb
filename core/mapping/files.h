// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/evaluate.h"
#include "mapping/method.h"

#include <string>
#include <string_view>
#include <vector>

// Readers and writers of the files of the Mapping lens (docs/rules/mapping.md 8). `file` is only used in
// error messages.

namespace tilewright::mapping {

/// Document of the Mapping lens: one method of one layer on one machine.
struct Setup
{
    Layer layer;
    Architecture architecture;
    Method method;
    /// Constraints on factors in the search, as text for parseConstraints().
    std::vector<std::string> factors;

    bool operator==(const Setup&) const = default;
};

/// Reads a document (NAME.mapping.json): {"layer", "architecture", "method"} and optionally "factors". Each
/// member has the form of its own file. Where a method is read, such a document is accepted, too.
[[nodiscard]] Result<Setup> readSetup(std::string_view text, const std::string& file);
[[nodiscard]] std::string writeSetup(const Setup& setup);

/// Contents of a layer file: one layer, or a model of several layers.
struct LayersFile
{
    Model model;
    bool isModel = false; ///< false = the file has a single layer

    bool operator==(const LayersFile&) const = default;
};

/// Reads a layer, a model in the program's own format, or a model of dMazeRunner (CONV, GEMM and
/// DW_CONV lists). makeNest() accepts every layer of the result.
[[nodiscard]] Result<LayersFile> readLayers(std::string_view text, const std::string& file);

/// Reads an architecture in the program's own format or in that of dMazeRunner (arch_details,
/// arch_basic). Missing fields get their defaults.
[[nodiscard]] Result<Architecture> readArchitecture(std::string_view text, const std::string& file);

/// Reads a method of this nest: JSON, the output of `map --json`, or the form printed in the source document
/// (nested tuples and lists). Factors must be positive; checkMethod() checks their products.
[[nodiscard]] Result<Method> readMethod(std::string_view text, const std::string& file, const LoopNest& nest);

/// Reads a method in the form printed in the source document: four groups of factors, then two lists of loop
/// names. Other text before, between and behind them is ignored.
[[nodiscard]] Result<Method> parsePrintedMethod(std::string_view text, const std::string& file,
                                                const LoopNest& nest);

[[nodiscard]] std::string writeLayer(const Layer& layer);
[[nodiscard]] std::string writeModel(const Model& model);
[[nodiscard]] std::string writeArchitecture(const Architecture& architecture);
[[nodiscard]] std::string writeMethod(const LoopNest& nest, const Method& method);
/// Text of a method in the form of the source document: two lines, "((1, 8, ...), ...)" and "([...], [...])".
[[nodiscard]] std::string printMethod(const LoopNest& nest, const Method& method);

} // namespace tilewright::mapping
