// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/values.h"

namespace tilewright::onnx {

/// Infers the results of a node with the ONNX library, from the types, shapes and known elements of its
/// operands. The library is called node by node, never for a whole file, because it trusts its input. Nodes
/// whose attributes could make it divide by zero or read past an end are excluded. An exception of the
/// library is not an error of the file; the rules of this program are used then.
void inferByLibrary(const Node& node, Values& values);

/// Returns the first attribute of the nodes (including graphs inside attributes) that the ONNX library does
/// not know for the type of its node, and the attribute that was probably meant. Empty if there is none.
[[nodiscard]] std::string unknownAttributeOf(const ::onnx::GraphProto& graph, std::int64_t opset);

} // namespace tilewright::onnx
