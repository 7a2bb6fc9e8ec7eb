// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright {

/// Combines a hash with one more value.
[[nodiscard]] constexpr std::uint64_t mixHash(std::uint64_t hash, std::uint64_t value) noexcept
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 29);
}

/// Hash of a list of integers for hash tables; depends on their order. Collisions are possible: to treat
/// equal hashes as equal values, use Digest (base/digest.h).
template <class... Integers> [[nodiscard]] constexpr std::size_t hashOf(Integers... values) noexcept
{
    std::uint64_t hash = sizeof...(values);
    ((hash = mixHash(hash, static_cast<std::uint64_t>(values))), ...);
    return static_cast<std::size_t>(hash);
}

/// Hash function for tables whose keys are lists of integers or ids.
struct ListHash
{
    // Not noexcept on purpose: the standard library then caches the hashes, which is much faster than hashing
    // every list of a bucket again.
    template <class List> [[nodiscard]] constexpr std::size_t operator()(const List& list) const
    {
        std::uint64_t hash = list.size();
        for (const auto& value : list)
            if constexpr (requires { value.index(); })
                hash = mixHash(hash, value.index());
            else
                hash = mixHash(hash, static_cast<std::uint64_t>(value));
        return static_cast<std::size_t>(hash);
    }
};

} // namespace tilewright
