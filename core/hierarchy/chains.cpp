// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/chains.h"

#include "base/integer.h"
#include "hierarchy/evaluate.h"
#include "hierarchy/imperfect.h"

#include <algorithm>

namespace tilewright::hierarchy {

std::vector<Hop> hopsOf(const Architecture& architecture)
{
    std::vector<Hop> out;
    for (std::size_t op = 0; op < kOperands; ++op) {
        std::size_t outer = 0;
        for (std::size_t inner = 1; inner <= architecture.levels.size(); ++inner)
            if (inner == architecture.levels.size() || architecture.levels[inner].holds[op]) {
                out.push_back({op, outer, inner});
                outer = inner;
            }
    }
    return out;
}

void Share::limit(const Share& other) noexcept
{
    outer = std::min(outer, other.outer);
    inner = std::min(inner, other.inner);
    outerTiles = std::min(outerTiles, other.outerTiles);
    innerTiles = std::min(innerTiles, other.innerTiles);
    visited = std::min(visited, other.visited);
    // Subtracted from the result, so the larger value is the lower bound.
    first = std::max(first, other.first);
}

namespace {

class Lister
{
public:
    Lister(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints,
           const std::vector<Hop>& hops, int loop, std::size_t most)
        : m_nest(nest), m_architecture(architecture), m_constraints(constraints), m_hops(hops), m_loop(loop),
          m_trips(nest.trips[static_cast<std::size_t>(loop)]), m_most(most)
    {
        for (std::size_t i = 0; i < architecture.levels.size(); ++i)
            m_axes += architecture.levels[i].axes.size();
    }

    ChainList run()
    {
        // All factors are listed if they are not too many. Otherwise only those that cut a loop into equal
        // parts are listed; if these are still too many, only those that give certain numbers of parts (2^n
        // and 3 * 2^n).
        for (m_thinning = 0; m_thinning < 3; ++m_thinning) {
            m_out.list.clear();
            m_isFull = false;
            Chain chain;
            chain.temporal.fill(1);
            chain.extents.fill(1);
            chain.spatial.assign(m_axes, 1);
            levelFrom(m_architecture.levels.size(), m_axes, 1, chain);
            if (!m_isFull)
                break;
        }
        m_out.complete = m_thinning == 0;
        for (Chain& chain : m_out.list)
            finish(chain);
        return std::move(m_out);
    }

private:
    /// Chooses the factors of the levels inside `end`, from the innermost outwards.
    void levelFrom(std::size_t end, std::size_t axes, std::int64_t inside, Chain& chain)
    {
        if (end == 0) {
            if (inside < m_trips)
                return;
            if (m_out.list.size() == m_most)
                m_isFull = true;
            else
                m_out.list.push_back(chain);
            return;
        }
        axisFrom(end - 1, m_architecture.levels[end - 1].axes.size(), axes, inside, chain);
    }

    void axisFrom(std::size_t level, std::size_t end, std::size_t axes, std::int64_t inside, Chain& chain)
    {
        if (end == 0)
            return temporalOf(level, axes, inside, chain);
        const Axis& axis = m_architecture.levels[level].axes[end - 1];
        const std::int64_t most = axis.allows(m_nest.kind, m_loop) ? axis.size : 1;
        forEachFactor(level, static_cast<int>(end - 1), inside, most, [&](std::int64_t factor) {
            chain.spatial[axes - 1] = factor;
            axisFrom(level, end - 1, axes - 1, inside * factor, chain);
            return true;
        });
        chain.spatial[axes - 1] = 1;
    }

    void temporalOf(std::size_t level, std::size_t axes, std::int64_t inside, Chain& chain)
    {
        const auto place = [&](std::int64_t factor) {
            chain.temporal[level] = factor;
            chain.extents[level] = std::min(inside * factor, m_trips);
            Factors extents{1, 1, 1, 1, 1, 1, 1};
            extents[static_cast<std::size_t>(m_loop)] = chain.extents[level];
            if (!fits(m_architecture.levels[level], storedBits(m_nest, m_architecture, level, extents)))
                return false; // larger factors do not fit either
            levelFrom(level, axes, inside * factor, chain);
            return true;
        };
        if (level == 0) { // the outermost level takes the remaining factor
            const std::int64_t rest = ceilDiv(m_trips, inside);
            const FactorLimit* const limit = m_constraints.at(0, FactorLimit::kTemporal, m_loop);
            if (!limit || limit->allows(rest))
                (void)place(rest);
        } else {
            forEachFactor(level, FactorLimit::kTemporal, inside, m_trips, place);
        }
        chain.temporal[level] = chain.extents[level] = 1;
    }

    /// Calls `visit` with the possible factors at a place, the smallest first, until it returns false.
    template <typename Visit>
    void forEachFactor(std::size_t level, int axis, std::int64_t inside, std::int64_t most,
                       const Visit& visit)
    {
        const FactorLimit* const limit = m_constraints.at(level, axis, m_loop);
        const std::int64_t rest = ceilDiv(m_trips, inside);
        const std::int64_t last = std::min(rest, most);
        for (std::int64_t factor = 1; factor <= last && !m_isFull; ++factor) {
            if (limit ? !limit->allows(factor) : factor != last && isThinned(factor, rest))
                continue;
            if (!visit(factor))
                return;
        }
    }

    /// True if the factor is omitted to keep the list short (m_thinning).
    [[nodiscard]] bool isThinned(std::int64_t factor, std::int64_t rest) const noexcept
    {
        if (m_thinning == 0 || factor == 1)
            return false;
        const std::int64_t parts = ceilDiv(rest, factor);
        if (m_thinning == 1)
            return ceilDiv(rest, parts) != factor;
        const auto isFew = [](std::int64_t n) {
            return (n & (n - 1)) == 0 || (n % 3 == 0 && (n / 3 & (n / 3 - 1)) == 0);
        };
        return !isFew(factor) && !(isFew(parts) && ceilDiv(rest, parts) == factor);
    }

    /// Computes the values of the chain that the bounds need.
    void finish(Chain& chain) const
    {
        StepList steps;
        std::size_t axis = 0;
        double instances = 1;
        for (std::size_t i = 0; i < m_architecture.levels.size(); ++i) {
            chain.instances[i] = instances;
            steps.push_back({chain.temporal[i], 1, i, true, 0});
            for (std::size_t a = 0; a < m_architecture.levels[i].axes.size(); ++a, ++axis) {
                steps.push_back({chain.spatial[axis], 1, i, false, 0});
                instances *= static_cast<double>(chain.spatial[axis]);
            }
        }
        chain.instances[m_architecture.levels.size()] = instances;
        std::int64_t inside = 1;
        for (std::size_t i = steps.size(); i-- > 0;) {
            steps[i].size = inside;
            inside = saturatingMul(inside, steps[i].factor);
        }
        const auto count = [&](const auto& isFree) {
            return static_cast<double>(countSteps(steps, m_trips, isFree));
        };
        chain.steps = count([](const Step& step) { return step.temporal; });
        for (const Hop& hop : m_hops)
            chain.shares.push_back(shareOf(hop, count));
    }

    template <typename Count> [[nodiscard]] Share shareOf(const Hop& hop, const Count& count) const
    {
        const mapping::Operand& operand = m_nest.operands[hop.operand];
        const bool isIndex = (operand.indexMask >> m_loop & 1u) != 0;
        const bool isWindow =
            std::any_of(operand.dimensions.begin(), operand.dimensions.begin() + operand.dimensionCount,
                        [&](const mapping::Dimension& d) {
                            return d.filterLoop >= 0 && (d.loop == m_loop || d.filterLoop == m_loop);
                        });
        Share out;
        if (isIndex && !isWindow) { // every tile is read once, whatever its size
            const auto trips = static_cast<double>(m_trips);
            return {trips, trips, 1, 1, trips, trips};
        }
        const bool keepsTimes = isIndex || hop.inner == m_architecture.levels.size();
        const auto outside = [&](const Step& step) {
            return step.level < hop.inner && (step.temporal ? keepsTimes : step.level < hop.outer);
        };
        const auto between = [&](const Step& step) {
            return !step.temporal && step.level >= hop.outer && step.level < hop.inner;
        };
        const double inner = count([&](const Step& step) { return outside(step) || between(step); });
        const double outer = count([&](const Step& step) {
            if (!between(step))
                return outside(step);
            const Level& level = m_architecture.levels[step.level];
            return hop.operand == mapping::kWritten ? !level.reductionTree : !level.multicast;
        });
        if (isWindow) {
            out.outerTiles = outer;
            out.innerTiles = inner;
            return out;
        }
        out.outer = outer;
        out.inner = inner;
        if (hop.operand == mapping::kWritten) {
            out.visited = count(outside);
            out.first = count([&](const Step& step) { return !step.temporal && step.level < hop.outer; });
        }
        return out;
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const Constraints& m_constraints;
    const std::vector<Hop>& m_hops;
    int m_loop;
    std::int64_t m_trips;
    std::size_t m_most;
    std::size_t m_axes = 0;
    int m_thinning = 0;
    bool m_isFull = false;
    ChainList m_out;
};

} // namespace

ChainList listChains(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints,
                     const std::vector<Hop>& hops, int loop, std::size_t most)
{
    return Lister(nest, architecture, constraints, hops, loop, most).run();
}

} // namespace tilewright::hierarchy
