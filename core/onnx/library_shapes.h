// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/values.h"

namespace tilewright::onnx {

/// What ONNX' own library infers of a node's results from the types, shapes and known elements of its
/// operands, into those results. It is asked node by node, never of a whole file: it trusts what it is given,
/// so nodes whose attributes could make it divide by zero or read beyond an end are not shown to it, and what
/// it throws is no error of the file: then our own rules decide.
void inferByLibrary(const Node& node, Values& values);

} // namespace tilewright::onnx
