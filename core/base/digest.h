// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright {

/// A 128-bit hash. Collisions are so unlikely that equal digests count as equal values.
struct Digest
{
    std::uint64_t a = 0x9e3779b97f4a7c15ULL;
    std::uint64_t b = 0xc2b2ae3d27d4eb4fULL;
    void add(std::uint64_t v) noexcept
    {
        a = (a ^ v) * 0xff51afd7ed558ccdULL;
        a ^= a >> 32;
        b = (b + v) * 0x9fb21c651e98df25ULL;
        b ^= b >> 29;
    }
    bool operator==(const Digest&) const = default;
};

struct DigestHash
{
    std::size_t operator()(const Digest& d) const noexcept { return d.a ^ (d.b >> 7); }
};

} // namespace tilewright
