// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/factors.h"

#include "base/integer.h"

namespace tilewright::mapping {

std::vector<PrimePower> primePowers(std::int64_t n)
{
    std::vector<PrimePower> out;
    for (std::int64_t p = 2; p * p <= n; p += p == 2 ? 1 : 2) {
        if (n % p != 0)
            continue;
        out.push_back({p, 0});
        for (; n % p == 0; n /= p)
            ++out.back().exponent;
    }
    if (n > 1)
        out.push_back({n, 1});
    return out;
}

std::optional<std::int64_t> countTilings(const LoopNest& nest)
{
    std::int64_t count = 1;
    for (int l = 0; l < nest.loopCount; ++l)
        for (const PrimePower& power : primePowers(nest.trips[static_cast<std::size_t>(l)])) {
            const std::int64_t e = power.exponent;
            const auto product = checkedMul(count, (e + 1) * (e + 2) * (e + 3) / 6);
            if (!product)
                return std::nullopt;
            count = *product;
        }
    return count;
}

} // namespace tilewright::mapping
