// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tilewright {

/// A fixed-size set of small integers; one machine word if W is 1. The type is trivial, so uninitialised
/// arrays of it cost no time.
template <std::size_t W> struct Bits
{
    std::uint64_t words[W];

    void set(std::size_t i) noexcept { words[i / 64] |= std::uint64_t{1} << (i % 64); }
    void reset(std::size_t i) noexcept { words[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
    [[nodiscard]] bool has(std::size_t i) const noexcept { return (words[i / 64] >> (i % 64)) & 1; }
    [[nodiscard]] bool any() const noexcept
    {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < W; ++i)
            all |= words[i];
        return all != 0;
    }
    bool operator==(const Bits&) const = default;

    friend Bits operator&(Bits a, const Bits& b) noexcept
    {
        for (std::size_t i = 0; i < W; ++i)
            a.words[i] &= b.words[i];
        return a;
    }
    friend Bits operator|(Bits a, const Bits& b) noexcept
    {
        for (std::size_t i = 0; i < W; ++i)
            a.words[i] |= b.words[i];
        return a;
    }
    friend Bits operator~(Bits a) noexcept
    {
        for (std::size_t i = 0; i < W; ++i)
            a.words[i] = ~a.words[i];
        return a;
    }
    Bits& operator|=(const Bits& b) noexcept { return *this = *this | b; }
    Bits& operator&=(const Bits& b) noexcept { return *this = *this & b; }

    /// Calls f(i) for every member, ascending.
    template <class F> void forEach(F&& f) const
    {
        for (std::size_t w = 0; w < W; ++w)
            for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1)
                f(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
    }
};

} // namespace tilewright
