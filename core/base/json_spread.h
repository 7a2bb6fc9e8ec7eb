// SPDX-License-Identifier: GPL-3.0-or-later
// A JSON field of several axes or sides that may be written as one number.
#pragma once

#include "base/json_fields.h"

#include <array>
#include <cstdint>

namespace tilewright {

/// Numbers written as one number n, as one per axis (two), or as one per side (four).
struct Spread : Integers
{
};
inline constexpr Spread kSpread{{-(std::int64_t{1} << 40), std::int64_t{1} << 40}};

template <std::size_t N>
Status readJson(const JsonCursor& at, std::array<std::int64_t, N>& out, const Spread& range)
{
    if (!at.node().is_array()) {
        const auto value = at.integer(range.min, range.max);
        if (!value)
            return value.error();
        out.fill(*value);
        return Unit{};
    }
    const bool pair = N == 4 && at.size() == 2;
    const auto values = at.integers(range.min, range.max, pair ? 2 : N);
    if (!values)
        return values.error();
    for (std::size_t i = 0; i < N; ++i)
        out[i] = (*values)[pair ? i % 2 : i];
    return Unit{};
}

} // namespace tilewright
