// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::onnx {

/// Values of free dimensions by name; also of inputs that are one whole number, so that what they decide is
/// known.
using Dimensions = std::map<std::string, std::int64_t>;

/// A size of an input that the file leaves open.
struct FreeDimension
{
    std::string name;                ///< as the file has it, else "INPUT.AXIS"
    std::vector<std::string> inputs; ///< that have it
    std::int64_t example = 1;
    bool operator==(const FreeDimension&) const = default;
};

/// What became of a node of the file when it became a model.
enum class Fate : std::uint8_t {
    Operator, ///< one operator of the model does its work
    Part,     ///< part of a recognised pattern, which is one operator
    Folded,   ///< known before the model runs, or goes into another operator
    Dropped,  ///< not understood
};

struct ImportedNode
{
    std::string name, type;
    Fate fate = Fate::Operator;
    std::optional<OperatorId> op; ///< of the model; for Dropped the one whose results stand for it
    std::int64_t macs = 0;        ///< of a part
    std::int64_t bytes = 0;       ///< of its operands and results
    std::string note;             ///< a sentence, for all but operators
};

struct ImportReport
{
    std::vector<ImportedNode> nodes; ///< in the file's order; branches and loop bodies where they stand
    std::int64_t leftOutBytes =
        0; ///< of constants that are in no operator: scales, zero points, folded norms
    std::vector<std::string> notes; ///< of the whole
};

struct Imported
{
    model::Model model;
    ImportReport report;
};

/// Is this an ONNX file? Its first 256 bytes suffice: they hold the fields of a ModelProto.
[[nodiscard]] bool isOnnx(std::string_view content) noexcept;

/// Reads an ONNX model without its weights (docs/rules/workload.md 6); what is left out is not even touched
/// in memory. Each operator is named after its node. The Error names node and reason; free dimensions without
/// a value are one, which lists them.
[[nodiscard]] Result<Imported> importModel(std::string_view content, const std::string& file,
                                           const Dimensions& dimensions = {});

/// The sizes of its inputs that a file leaves open, in the file's order.
[[nodiscard]] Result<std::vector<FreeDimension>> freeDimensions(std::string_view content,
                                                                const std::string& file);

} // namespace tilewright::onnx
