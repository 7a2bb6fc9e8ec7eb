// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace tilewright {

/// xoshiro256**: a small and fast generator with equal results on all platforms.
class RandomGenerator
{
public:
    explicit RandomGenerator(std::uint64_t seed);
    [[nodiscard]] std::uint64_t next() noexcept;
    /// Returns a uniform integer in [0, n).
    [[nodiscard]] std::uint32_t below(std::uint64_t n) noexcept
    {
        return static_cast<std::uint32_t>((next() >> 32) * n >> 32);
    }
    /// Returns a random element of a non-empty list.
    template <class List> [[nodiscard]] const auto& pick(const List& list) noexcept
    {
        return list[below(list.size())];
    }
    /// Returns a uniform number in [0, 1).
    [[nodiscard]] double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    std::uint64_t m_state[4];
};

} // namespace tilewright
