// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>

namespace tilewright {

/// Limits of docs/design.md 2.2, checked while files are read.
inline constexpr std::int64_t kMaxDimension = std::int64_t{1} << 31;
inline constexpr std::int64_t kMaxArea = std::int64_t{1} << 62;

/// For sums and products that 63 bits cannot hold.
__extension__ typedef __int128 Int128;

/// Greatest common divisor of a, b >= 0.
[[nodiscard]] constexpr Int128 commonDivisor(Int128 a, Int128 b) noexcept
{
    while (b != 0) {
        const Int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/// ceil(a / b) for a >= 0, b > 0.
[[nodiscard]] constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) noexcept
{
    return a / b + (a % b != 0);
}

/// Smallest multiple of `step` that is >= a (a >= 0, step > 0).
[[nodiscard]] constexpr std::int64_t roundUp(std::int64_t a, std::int64_t step) noexcept
{
    return ceilDiv(a, step) * step;
}

/// Largest multiple of `step` that is <= a (a >= 0, step > 0).
[[nodiscard]] constexpr std::int64_t roundDown(std::int64_t a, std::int64_t step) noexcept
{
    return a - a % step;
}

/// Returns a * b; empty on overflow.
[[nodiscard]] constexpr std::optional<std::int64_t> checkedMul(std::int64_t a, std::int64_t b) noexcept
{
    std::int64_t out = 0;
    if (__builtin_mul_overflow(a, b, &out))
        return std::nullopt;
    return out;
}

/// Returns a + b; empty on overflow.
[[nodiscard]] constexpr std::optional<std::int64_t> checkedAdd(std::int64_t a, std::int64_t b) noexcept
{
    std::int64_t out = 0;
    if (__builtin_add_overflow(a, b, &out))
        return std::nullopt;
    return out;
}

/// Returns a + b for a, b >= 0; INT64_MAX on overflow.
[[nodiscard]] constexpr std::int64_t saturatingAdd(std::int64_t a, std::int64_t b) noexcept
{
    return checkedAdd(a, b).value_or(INT64_MAX);
}

/// Returns a * b for a, b >= 0; INT64_MAX on overflow.
[[nodiscard]] constexpr std::int64_t saturatingMul(std::int64_t a, std::int64_t b) noexcept
{
    return checkedMul(a, b).value_or(INT64_MAX);
}

} // namespace tilewright
