// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/rect.h"

#include <cstdint>
#include <vector>

namespace tilewright {

/// Returns the number of elements of `rect` outside `covered`, and adds these parts to `covered` (R9.7).
[[nodiscard]] std::int64_t cover(std::vector<Rect>& covered, const Rect& rect);

/// Adds a rectangle to the list. Joins it with the last rectangles of the list if their union is a rectangle.
void addCovered(std::vector<Rect>& covered, Rect rect);

} // namespace tilewright
