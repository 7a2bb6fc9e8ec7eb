// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"

namespace tilewright {

RandomGenerator::RandomGenerator(std::uint64_t seed)
{
    for (std::uint64_t& s : m_state) { // splitmix64 expands the seed to the state
        seed += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        s = z ^ (z >> 31);
    }
}

std::uint64_t RandomGenerator::next() noexcept
{
    const auto rotate = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
    const std::uint64_t result = rotate(m_state[1] * 5, 7) * 9;
    const std::uint64_t t = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= t;
    m_state[3] = rotate(m_state[3], 45);
    return result;
}

} // namespace tilewright
