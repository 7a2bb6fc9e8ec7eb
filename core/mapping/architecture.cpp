// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/architecture.h"

#include "base/integer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::mapping {

Status checkCountable(const LoopNest& nest, const Architecture& architecture)
{
    // Worst case: every transfer is a burst of one element. An input tile has at most (product of both
    // strides) elements per multiply-accumulate.
    const double perElement = static_cast<double>(DmaClock(architecture).cycles(1));
    double strides = 1;
    for (const Dimension& d : nest.operands[0].dimensions)
        strides *= static_cast<double>(d.stride);
    const double bytes = 4 * static_cast<double>(architecture.elementBytes);
    const double worst = static_cast<double>(nest.macs) * strides * std::max(4 * perElement + 8, bytes);
    if (worst > 4e18)
        return problemError({},
                            "the layer is too large for this architecture: the cycles or bytes of its worst "
                            "methods exceed 64 bits");
    return Unit{};
}

DmaClock::DmaClock(const Architecture& architecture)
{
    const auto millionths = [](double v) { return static_cast<Wide>(std::llround(v * 1e6)); };
    const Wide array = millionths(architecture.arrayMhz);
    m_start = millionths(architecture.dmaInitCycles) * array;
    m_perElement = millionths(architecture.dmaCyclesPerByte) * architecture.elementBytes * array;
    m_divisor = millionths(architecture.dmaMhz) * 1'000'000;
    const auto gcd = [](Wide a, Wide b) {
        while (b != 0) {
            const Wide rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    };
    const Wide common = gcd(gcd(m_start, m_perElement), m_divisor);
    if (common > 1) {
        m_start /= common;
        m_perElement /= common;
        m_divisor /= common;
    }
    const Wide max = std::numeric_limits<std::int64_t>::max();
    if (m_start + m_divisor < max && m_divisor < max) {
        const Wide room = max - m_start - m_divisor;
        m_narrowLimit = static_cast<std::int64_t>(m_perElement == 0 ? max : room / m_perElement);
    }
}

std::int64_t DmaClock::cycles(std::int64_t burstElements) const noexcept
{
    if (burstElements <= m_narrowLimit) {
        const auto numerator =
            static_cast<std::int64_t>(m_start) + static_cast<std::int64_t>(m_perElement) * burstElements;
        return ceilDiv(numerator, static_cast<std::int64_t>(m_divisor));
    }
    const Wide numerator = m_start + m_perElement * burstElements;
    return static_cast<std::int64_t>(numerator / m_divisor + (numerator % m_divisor != 0));
}

} // namespace tilewright::mapping
