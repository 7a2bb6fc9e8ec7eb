// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/spatial.h"

#include <algorithm>
#include <array>
#include <set>

namespace tilewright::hierarchy {

namespace {

constexpr Factors kOnes{1, 1, 1, 1, 1, 1, 1};

std::int64_t productOf(const Factors& factors)
{
    std::int64_t out = 1;
    for (const std::int64_t factor : factors)
        out *= factor;
    return out;
}

/// Lists all ways to put loops on one axis, those with the largest products first.
class AxisChoices
{
public:
    /// `limits`: per loop, the limit of its factor on the axis; null for loops without a limit.
    AxisChoices(const LoopNest& nest, const Axis& axis, std::size_t most,
                const std::array<const FactorLimit*, kMaxLoops>& limits)
        : m_nest(nest), m_axis(axis), m_most(most), m_limits(limits)
    {
        Factors factors = kOnes;
        list(0, axis.size, factors);
        std::ranges::stable_sort(out, std::ranges::greater(), productOf);
    }

    std::vector<Factors> out;
    bool complete = true;

private:
    void list(int loop, std::int64_t room, Factors& factors)
    {
        if (loop == m_nest.loopCount) {
            if (out.size() < m_most)
                out.push_back(factors);
            else
                complete = false;
            return;
        }
        const auto l = static_cast<std::size_t>(loop);
        const std::int64_t most =
            m_axis.allows(m_nest.kind, loop) ? std::min(room, m_nest.trips[l]) : std::int64_t{1};
        for (std::int64_t factor = most; factor >= 1 && complete; --factor) {
            if (m_nest.trips[l] % factor != 0 || (m_limits[l] && !m_limits[l]->allows(factor)))
                continue;
            factors[l] = factor;
            list(loop + 1, room / factor, factors);
        }
        factors[l] = 1;
    }

    const LoopNest& m_nest;
    const Axis& m_axis;
    std::size_t m_most;
    const std::array<const FactorLimit*, kMaxLoops>& m_limits;
};

class Lister
{
public:
    Lister(const LoopNest& nest, const Architecture& architecture, std::size_t most,
           const Constraints& constraints)
        : m_most(most)
    {
        for (std::size_t i = 0; i < architecture.levels.size(); ++i)
            for (std::size_t a = 0; a < architecture.levels[i].axes.size(); ++a) {
                std::array<const FactorLimit*, kMaxLoops> limits{};
                for (std::size_t l = 0; l < kMaxLoops; ++l)
                    limits[l] = constraints.at(i, static_cast<int>(a), static_cast<int>(l));
                AxisChoices choices(nest, architecture.levels[i].axes[a], most, limits);
                out.complete = out.complete && choices.complete;
                m_axes.push_back(
                    {std::move(choices.out), a == 0, a + 1 == architecture.levels[i].axes.size()});
            }
        list(nest.trips, kOnes, nullptr);
    }

    SpatialChoices out;

private:
    /// `level`: product so far of the factors on the axes of the current level. `seen`: such products for the
    /// whole level that were already listed for the same choices outside the level.
    void list(const Factors& left, const Factors& level, std::set<Factors>* seen)
    {
        if (m_choice.size() == m_axes.size()) {
            if (out.list.size() < m_most)
                out.list.push_back(m_choice);
            else
                out.complete = m_hasRoom = false;
            return;
        }
        const AxisOf& axis = m_axes[m_choice.size()];
        std::set<Factors> own;
        if (axis.isFirst)
            seen = &own;
        for (const Factors& factors : axis.choices) {
            if (!m_hasRoom)
                return;
            Factors rest = left, product = axis.isFirst ? kOnes : level;
            bool divides = true;
            for (std::size_t l = 0; l < kMaxLoops; ++l) {
                divides = divides && left[l] % factors[l] == 0;
                rest[l] /= factors[l];
                product[l] *= factors[l];
            }
            if (!divides || (axis.isLast && !axis.isFirst && !seen->insert(product).second))
                continue;
            m_choice.push_back(factors);
            list(rest, product, seen);
            m_choice.pop_back();
        }
    }

    struct AxisOf
    {
        std::vector<Factors> choices;
        bool isFirst = true, isLast = true; ///< true for the first (last) axis of its level
    };

    std::size_t m_most;
    std::vector<AxisOf> m_axes;
    SpatialChoice m_choice;
    bool m_hasRoom = true;
};

} // namespace

SpatialChoices listSpatial(const LoopNest& nest, const Architecture& architecture, std::size_t most,
                           const Constraints& constraints)
{
    return Lister(nest, architecture, most, constraints).out;
}

std::vector<Factors> spatialByLevel(const Architecture& architecture, const SpatialChoice& choice)
{
    std::vector<Factors> out(architecture.levels.size(), kOnes);
    std::size_t axis = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
        for (std::size_t a = 0; a < architecture.levels[i].axes.size(); ++a, ++axis)
            for (std::size_t l = 0; l < kMaxLoops; ++l)
                out[i][l] *= choice[axis][l];
    return out;
}

} // namespace tilewright::hierarchy
