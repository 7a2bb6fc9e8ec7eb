// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

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
