// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/factors.h"

#include "base/integer.h"

#include <algorithm>

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

std::optional<Lattice> Lattice::build(const LoopNest& nest, std::size_t maxPoints)
{
    Lattice out;
    for (int l = 0; l < nest.loopCount; ++l)
        for (const PrimePower& power : primePowers(nest.trips[static_cast<std::size_t>(l)]))
            out.m_axes.push_back({l, power.prime, power.exponent + 1, 1});
    // The longest axis is made the innermost one, which makes enumeration fastest.
    std::stable_sort(out.m_axes.begin(), out.m_axes.end(),
                     [](const Axis& a, const Axis& b) { return a.size > b.size; });
    std::size_t points = 1;
    for (Axis& axis : out.m_axes) {
        axis.stride = static_cast<Index>(points);
        points *= static_cast<std::size_t>(axis.size);
        if (points > maxPoints)
            return std::nullopt;
    }
    out.tabulate(points);
    out.product.resize(points);
    out.neutralProduct.resize(points);
    for (int op = 0; op < kOperands; ++op) {
        out.freeProduct[static_cast<std::size_t>(op)].resize(points);
        out.elements[static_cast<std::size_t>(op)].resize(points);
    }
    const auto masked = [](const Factors& f, unsigned mask) {
        std::int64_t p = 1;
        for (int l = 0; l < kMaxLoops; ++l)
            p *= (mask >> l & 1u) != 0 ? f[static_cast<std::size_t>(l)] : 1;
        return p;
    };
    for (std::size_t i = 0; i < points; ++i) {
        const Factors f = out.factors(static_cast<Index>(i));
        out.product[i] = masked(f, ~0u);
        out.neutralProduct[i] = masked(f, nest.neutralMask);
        for (int op = 0; op < kOperands; ++op) {
            const auto o = static_cast<std::size_t>(op);
            out.freeProduct[o][i] = masked(f, nest.operands[o].freeMask);
            out.elements[o][i] = nest.elements(op, f);
        }
    }
    return out;
}

void Lattice::tabulate(std::size_t points)
{
    std::size_t axes = 0;
    while (axes < m_axes.size() && static_cast<std::size_t>(m_split) * m_split < points)
        m_split *= static_cast<Index>(m_axes[axes++].size);
    const auto table = [&](std::size_t size, Index unit, std::size_t from, std::size_t to) {
        std::vector<Factors> out(size);
        for (std::size_t i = 0; i < size; ++i) {
            out[i].fill(1);
            for (std::size_t a = from; a < to; ++a)
                for (int e = exponent(static_cast<Index>(i) * unit, m_axes[a]); e > 0; --e)
                    out[i][static_cast<std::size_t>(m_axes[a].loop)] *= m_axes[a].prime;
        }
        return out;
    };
    m_low = table(m_split, 1, 0, axes);
    m_high = table(points / m_split, m_split, axes, m_axes.size());
}

Factors Lattice::factors(Index index) const noexcept
{
    Factors out = m_low[index % m_split];
    const Factors& high = m_high[index / m_split];
    for (std::size_t l = 0; l < out.size(); ++l)
        out[l] *= high[l];
    return out;
}

} // namespace tilewright::mapping
