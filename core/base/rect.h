// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>

namespace tilewright {

/// Rows [r0, r1) x columns [c0, c1) of a tensor.
struct Rect
{
    std::int64_t r0 = 0, r1 = 0, c0 = 0, c1 = 0;
    [[nodiscard]] std::int64_t height() const noexcept { return r1 - r0; }
    [[nodiscard]] std::int64_t width() const noexcept { return c1 - c0; }
    [[nodiscard]] std::int64_t area() const noexcept { return height() * width(); }
    auto operator<=>(const Rect&) const = default;
};

} // namespace tilewright
