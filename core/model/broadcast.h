// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

namespace tilewright::model {

/// Returns the shape of the result of two operands with broadcasting. From the last dimension on, both sizes
/// must be equal or one of them 1; otherwise the result is empty.
[[nodiscard]] std::optional<Shape> broadcastShape(const Shape& a, const Shape& b);

} // namespace tilewright::model
