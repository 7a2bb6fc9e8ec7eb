// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"

#include <algorithm>
#include <bit>

namespace tilewright {

namespace {

/// Round constants of SHA-256: the first 32 bits of the fractional parts of the cube roots of the first 64
/// primes.
constexpr std::array<std::uint32_t, 64> kRoundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

} // namespace

void Sha256::compress()
{
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i)
        w[i] = static_cast<std::uint32_t>(m_block[4 * i]) << 24 |
               static_cast<std::uint32_t>(m_block[4 * i + 1]) << 16 |
               static_cast<std::uint32_t>(m_block[4 * i + 2]) << 8 | m_block[4 * i + 3];
    for (std::size_t i = 16; i < w.size(); ++i) {
        const std::uint32_t x = w[i - 15];
        const std::uint32_t y = w[i - 2];
        w[i] = w[i - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3)) + w[i - 7] +
               (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10));
    }
    std::array<std::uint32_t, 8> s = m_state;
    for (std::size_t i = 0; i < w.size(); ++i) {
        const std::uint32_t one = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
        const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const std::uint32_t first = s[7] + one + choice + kRoundConstants[i] + w[i];
        const std::uint32_t zero = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
        const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        std::shift_right(s.begin(), s.end(), 1);
        s[4] += first;
        s[0] = first + zero + majority;
    }
    for (std::size_t i = 0; i < s.size(); ++i)
        m_state[i] += s[i];
    m_filled = 0;
}

void Sha256::add(std::string_view bytes)
{
    m_bytes += bytes.size();
    while (!bytes.empty()) {
        const std::size_t n = std::min(bytes.size(), kBlock - m_filled);
        std::copy_n(bytes.begin(), n, m_block.begin() + static_cast<std::ptrdiff_t>(m_filled));
        bytes.remove_prefix(n);
        m_filled += n;
        if (m_filled == kBlock)
            compress();
    }
}

std::string Sha256::hex()
{
    const std::uint64_t bits = m_bytes * 8;
    constexpr std::size_t kLengthAt = kBlock - 8;
    const std::string padding((m_filled < kLengthAt ? kLengthAt : kLengthAt + kBlock) - m_filled - 1, '\0');
    add("\x80");
    add(padding);
    std::string length;
    for (int shift = 56; shift >= 0; shift -= 8)
        length += static_cast<char>(bits >> shift & 0xff);
    add(length);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const std::uint32_t word : m_state)
        for (int shift = 28; shift >= 0; shift -= 4)
            out += kDigits[word >> shift & 0xf];
    return out;
}

std::string sha256(std::string_view text)
{
    Sha256 hash;
    hash.add(text);
    return hash.hex();
}

} // namespace tilewright
