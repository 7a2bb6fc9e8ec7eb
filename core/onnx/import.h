// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/file.h"
#include "model/model.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::onnx {

/// Values of free dimensions, by name. Also values of inputs that are single integers, so that conditions
/// which depend on them are known.
using Dimensions = std::map<std::string, std::int64_t>;

/// A dimension of an input whose size the file does not specify.
struct FreeDimension
{
    std::string name;                ///< name in the file, otherwise "INPUT.AXIS"
    std::vector<std::string> inputs; ///< names of the inputs with this dimension
    std::int64_t example = 1;
    bool operator==(const FreeDimension&) const = default;
};

/// Outcome of the import of one node of the file.
enum class Fate : std::uint8_t {
    Operator, ///< one operator of the model does the work of the node
    Part,     ///< part of a recognised pattern, which is one operator
    Folded,   ///< known before the model runs, or merged into another operator
    Dropped,  ///< not supported
};

struct ImportedNode
{
    std::string name, type;
    Fate fate = Fate::Operator;
    std::optional<OperatorId> op; ///< operator of the model; for Dropped the one that provides its results
    std::int64_t macs = 0;        ///< number of multiply-accumulates; 0 unless the fate is Part
    std::int64_t bytes = 0;       ///< bytes of operands and results
    std::string note;             ///< explanation for the user; empty for Operator
    bool macsKnown = true;        ///< false: a dropped node that may have MACs, which nobody can count
    bool needed = false;          ///< for Dropped: other nodes or the outputs of the model read its results
};

struct ImportReport
{
    /// In the order of the file; nodes of branches and loop bodies at the position of their node.
    std::vector<ImportedNode> nodes;
    /// Bytes of constants that no operator uses: scales, zero points, folded normalisations.
    std::int64_t leftOutBytes = 0;
    std::vector<std::string> notes; ///< notes about the whole file
};

struct Imported
{
    model::Model model;
    ImportReport report;
};

/// True if the content begins like an ONNX file, that is with the fields of a ModelProto. The first 256 bytes
/// suffice.
[[nodiscard]] bool isOnnx(std::string_view content);

/// Reads a workload file of any kind and size: of an ONNX model all but the weights, of another file the
/// whole content.
[[nodiscard]] Result<FileContent> readFile(const std::string& path);

/// Reads an ONNX model without its weights (docs/rules/workload.md 6). Each operator gets the name of its
/// node. An Error contains node and reason. Free dimensions without a value are an error that lists them.
[[nodiscard]] Result<Imported> importModel(std::string_view content, const std::string& file,
                                           const Dimensions& dimensions = {});

/// Returns the free dimensions of the inputs, in the order of the file.
[[nodiscard]] Result<std::vector<FreeDimension>> freeDimensions(std::string_view content,
                                                                const std::string& file);

} // namespace tilewright::onnx
