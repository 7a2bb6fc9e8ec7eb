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

/// Values of free dimensions by name. Also values of inputs that are single integers, so that conditions
/// which depend on them can be evaluated.
using Dimensions = std::map<std::string, std::int64_t>;

/// A dimension of an input whose size the file does not specify.
struct FreeDimension
{
    std::string name;                ///< name in the file, or "INPUT.AXIS" if it has none
    std::vector<std::string> inputs; ///< names of the inputs with this dimension
    std::int64_t example = 1;
    bool operator==(const FreeDimension&) const = default;
};

/// Outcome of the import of one node of the file.
enum class Fate : std::uint8_t {
    Operator, ///< one operator of the model does the work of the node
    Part,     ///< part of a recognised pattern, which is one operator
    Folded,   ///< its results are known before the model runs, or it is merged into another operator
    Dropped,  ///< not supported
};

struct ImportedNode
{
    std::string name, type;
    Fate fate = Fate::Operator;
    /// Operator of the model; for Dropped, the operator that provides its results.
    std::optional<OperatorId> op;
    std::int64_t macs = 0;  ///< number of multiply-accumulates; 0 unless the fate is Part
    std::int64_t bytes = 0; ///< bytes of operands and results
    std::string note;       ///< explanation for the user; empty if the fate is Operator
    bool macsKnown = true;  ///< false: a dropped node that may have MACs, whose number is not known
    bool needed = false;    ///< for Dropped: true if other nodes or the outputs of the model read its results
};

struct ImportReport
{
    /// Nodes in the order of the file. Nodes of branches and loop bodies are at the position of the node that
    /// contains them.
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

/// Reads a workload file of any kind and size: an ONNX model without its weights, any other file completely.
[[nodiscard]] Result<FileContent> readFile(const std::string& path);

/// Reads an ONNX model without its weights (docs/rules/workload.md 6). Each operator has the name of its
/// node. The Error contains node and reason. If free dimensions have no value, the Error lists them.
[[nodiscard]] Result<Imported> importModel(std::string_view content, const std::string& file,
                                           const Dimensions& dimensions = {});

/// Returns the free dimensions of the inputs, in the order of the file.
[[nodiscard]] Result<std::vector<FreeDimension>> freeDimensions(std::string_view content,
                                                                const std::string& file);

} // namespace tilewright::onnx
