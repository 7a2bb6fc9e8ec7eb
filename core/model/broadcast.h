// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

namespace tilewright::model {

/// The shape that two operands give together: sizes are equal from the back, or one of them is 1. Nothing
/// where they are not.
[[nodiscard]] std::optional<Shape> broadcastShape(const Shape& a, const Shape& b);

} // namespace tilewright::model
