// SPDX-License-Identifier: GPL-3.0-or-later
// Hashes: of values in tables, 128-bit digests of structures, SHA-256 of files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

/// Combines a hash with one more value.
[[nodiscard]] constexpr std::uint64_t mixHash(std::uint64_t hash, std::uint64_t value) noexcept
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 29);
}

/// Hash of a list of integers for hash tables; depends on their order. Collisions are possible: to treat
/// equal hashes as equal values, use Digest below.
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

/// SHA-256 (FIPS 180-4) of a byte sequence, equal to the output of `sha256sum`. Files refer to contents by
/// this hash, so that the user can check them with other tools.
class Sha256
{
public:
    void add(std::string_view bytes);
    /// Returns 64 hexadecimal digits. Call it last: nothing can be added afterwards.
    [[nodiscard]] std::string hex();

private:
    static constexpr std::size_t kBlock = 64;
    void compress();

    std::array<std::uint32_t, 8> m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, kBlock> m_block{};
    std::size_t m_filled = 0;
    std::uint64_t m_bytes = 0;
};

[[nodiscard]] std::string sha256(std::string_view text);

} // namespace tilewright
