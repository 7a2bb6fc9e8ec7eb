// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tilewright::onnx {

/// The same ModelProto without the contents of its tensors, but for those small enough to be the sizes, axes
/// and scales that shapes are computed from. What is left out is not even touched in memory. The Error says
/// where the fields stop making sense.
[[nodiscard]] Result<std::string> stripWeights(std::string_view model);

} // namespace tilewright::onnx
