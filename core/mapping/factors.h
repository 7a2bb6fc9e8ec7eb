// SPDX-License-Identifier: GPL-3.0-or-later
// Prime factors, and the lattice of divisors that they span.
#pragma once

#include "mapping/layer.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::mapping {

struct PrimePower
{
    std::int64_t prime = 2;
    int exponent = 1;
};

/// The prime factorisation of n >= 1, ascending; empty for n = 1.
[[nodiscard]] std::vector<PrimePower> primePowers(std::int64_t n);

/// Number of tilings of a layer, including invalid ones: each exponent e of a prime power of a trip count can
/// be distributed over the four levels in C(e+3, 3) ways. nullopt if the number exceeds 63 bits.
[[nodiscard]] std::optional<std::int64_t> countTilings(const LoopNest& nest);

/// All combinations of divisors of the trip counts. A point has one exponent per prime factor of each loop;
/// its index is the mixed-radix number of the exponents. If a divides b, then index(b / a) = index(b) -
/// index(a): one subtraction divides all extents of a point.
class Lattice
{
public:
    using Index = std::uint32_t;
    struct Axis
    {
        int loop = 0;
        std::int64_t prime = 2;
        int size = 1; ///< exponents are 0 to size - 1
        Index stride = 1;
    };

    /// Builds the lattice; nullopt if it has more than `maxPoints` points.
    [[nodiscard]] static std::optional<Lattice> build(const LoopNest& nest, std::size_t maxPoints);

    [[nodiscard]] std::size_t size() const noexcept { return product.size(); }
    [[nodiscard]] Index last() const noexcept { return static_cast<Index>(size() - 1); }
    [[nodiscard]] const std::vector<Axis>& axes() const noexcept { return m_axes; }
    [[nodiscard]] Factors factors(Index index) const noexcept;
    [[nodiscard]] int exponent(Index index, const Axis& axis) const noexcept
    {
        return static_cast<int>(index / axis.stride % static_cast<Index>(axis.size));
    }

    /// Calls visit(a) for every divisor a of b.
    template <typename Visit> void forEachDivisor(Index b, Visit&& visit) const;

    /// Sets values[b] to the combination of values[a] over all divisors a of b.
    template <typename T, typename Combine>
    void combineDivisors(std::vector<T>& values, Combine&& combine) const;

    // Products and sizes of each point, whose values are extents or factors:
    std::vector<std::int64_t> product;
    /// Product over the loops that do not index the operand.
    std::array<std::vector<std::int64_t>, kOperands> freeProduct;
    std::array<std::vector<std::int64_t>, kOperands> elements;
    std::vector<std::int64_t> neutralProduct; ///< product over the loops that index every operand

private:
    void tabulate(std::size_t points);

    std::vector<Axis> m_axes;
    /// Tables that give the factors of a point from its index: m_low for the digits below m_split, m_high for
    /// the others.
    std::vector<Factors> m_low, m_high;
    Index m_split = 1;
};

template <typename Visit> void Lattice::forEachDivisor(Index b, Visit&& visit) const
{
    constexpr std::size_t kMaxAxes = 64;
    std::array<int, kMaxAxes> limit;
    std::array<int, kMaxAxes> digit{};
    std::array<Index, kMaxAxes> stride;
    std::size_t n = 0;
    for (const Axis& axis : m_axes)
        if (const int e = exponent(b, axis); e > 0) {
            limit[n] = e;
            stride[n++] = axis.stride;
        }
    Index a = 0;
    for (;;) {
        visit(a);
        std::size_t i = 0;
        for (; i < n && digit[i] == limit[i]; ++i) {
            a -= stride[i] * static_cast<Index>(digit[i]);
            digit[i] = 0;
        }
        if (i == n)
            return;
        ++digit[i];
        a += stride[i];
    }
}

template <typename T, typename Combine>
void Lattice::combineDivisors(std::vector<T>& values, Combine&& combine) const
{
    for (const Axis& axis : m_axes) {
        const std::size_t stride = axis.stride;
        const std::size_t block = stride * static_cast<std::size_t>(axis.size);
        for (std::size_t start = 0; start < values.size(); start += block)
            for (std::size_t i = start + stride; i < start + block; ++i)
                values[i] = combine(values[i], values[i - stride]);
    }
}

} // namespace tilewright::mapping
