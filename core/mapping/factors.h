// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/layer.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::mapping {

struct PrimePower
{
    std::int64_t prime = 2;
    int exponent = 1;
};

/// The prime factorisation of n >= 1, ascending; empty for n = 1.
[[nodiscard]] std::vector<PrimePower> primePowers(std::int64_t n);

/// Number of tilings of a layer, including invalid ones: each exponent e of a prime power of a trip count can
/// be distributed over the four levels in C(e+3, 3) ways. nullopt if the number exceeds 63 bits.
[[nodiscard]] std::optional<std::int64_t> countTilings(const LoopNest& nest);

} // namespace tilewright::mapping
