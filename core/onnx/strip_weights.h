// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/file.h"

#include <string>
#include <string_view>

namespace tilewright::onnx {

/// Returns the ModelProto without the contents of its tensors, except tensors small enough to be sizes, axes
/// and scales for the computation of shapes. The removed bytes are not read. An Error gives the position of
/// the first malformed field, or says that the file has changed.
[[nodiscard]] Result<std::string> stripWeights(ByteSource& model);

} // namespace tilewright::onnx
