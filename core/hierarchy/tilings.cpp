// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/tilings.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilewright::hierarchy {

std::vector<std::int64_t> divisorsOf(std::int64_t number)
{
    std::vector<std::int64_t> low, high;
    for (std::int64_t d = 1; d * d <= number; ++d)
        if (number % d == 0) {
            low.push_back(d);
            if (d * d != number)
                high.push_back(number / d);
        }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

namespace {

/// Removes every other divisor, but not 1 and the number itself.
void thin(std::vector<std::int64_t>& divisors)
{
    std::vector<std::int64_t> out{divisors.front()};
    for (std::size_t i = 2; i + 1 < divisors.size(); i += 2)
        out.push_back(divisors[i]);
    out.push_back(divisors.back());
    divisors = std::move(out);
}

} // namespace

Tilings::Tilings(const LoopNest& nest, const Architecture& architecture, std::vector<Factors> spatial,
                 std::size_t most, const Constraints& constraints)
    : m_nest(nest), m_architecture(architecture), m_spatial(std::move(spatial)), m_left(nest.trips)
{
    const std::size_t levels = m_spatial.size();
    m_inside.assign(levels + 1, Factors{1, 1, 1, 1, 1, 1, 1});
    m_instances.assign(levels + 1, 1);
    for (std::size_t i = levels; i-- > 0;)
        for (std::size_t l = 0; l < kMaxLoops; ++l) {
            m_inside[i][l] = m_inside[i + 1][l] * m_spatial[i][l];
            m_left[l] /= m_spatial[i][l];
        }
    for (std::size_t i = 0; i < levels; ++i) {
        m_instances[i + 1] = m_instances[i];
        for (const std::int64_t factor : m_spatial[i])
            m_instances[i + 1] *= factor;
    }
    listDivisors(most, constraints);
    listInner(constraints);
    listExchanges();
    markFits();
}

void Tilings::listDivisors(std::size_t most, const Constraints& constraints)
{
    // Loops with constrained factors are thinned last, because thinning may remove divisors that a constraint
    // requires.
    std::array<bool, kMaxLoops> asked{};
    for (const FactorLimit& limit : constraints.factors)
        asked[static_cast<std::size_t>(limit.loop)] = true;
    double states = 1;
    for (std::size_t l = 0; l < kMaxLoops; ++l) {
        m_divisors[l] = divisorsOf(m_left[l]);
        states *= static_cast<double>(m_divisors[l].size());
    }
    while (states > static_cast<double>(most)) {
        auto& longest = *std::ranges::max_element(m_divisors, {}, [&](const auto& list) {
            const auto loop = static_cast<std::size_t>(&list - m_divisors.data());
            return std::pair(list.size() > 2 && !asked[loop], list.size());
        });
        if (longest.size() <= 2)
            break;
        m_isWhole = false;
        states /= static_cast<double>(longest.size());
        thin(longest);
        states *= static_cast<double>(longest.size());
    }
    State stride = 1;
    for (std::size_t l = 0; l < kMaxLoops; ++l) {
        m_stride[l] = stride;
        stride *= static_cast<State>(m_divisors[l].size());
    }
    m_looked = most == 1 ? 1 : stride;
    m_all.resize(stride);
    m_indexing.resize(kOperands * m_all.size());
    for (State s = 0; s < stride; ++s) {
        const Factors factors = temporalInside(s);
        m_all[s] = 1;
        for (std::size_t op = 0; op < kOperands; ++op)
            m_indexing[op * stride + s] = 1;
        for (std::size_t l = 0; l < kMaxLoops; ++l) {
            m_all[s] *= static_cast<double>(factors[l]);
            for (std::size_t op = 0; op < kOperands; ++op)
                if ((m_nest.operands[op].indexMask >> l & 1u) != 0)
                    m_indexing[op * stride + s] *= static_cast<double>(factors[l]);
        }
    }
}

void Tilings::listInner(const Constraints& constraints)
{
    const std::size_t levels = m_spatial.size();
    const auto add = [this](std::size_t l, const auto& allows) {
        InnerLists lists;
        lists.reserve(m_divisors[l].size());
        for (const std::int64_t d : m_divisors[l]) {
            std::vector<State>& inner = lists.emplace_back();
            for (State i = 0; i < m_divisors[l].size(); ++i)
                if (d % m_divisors[l][i] == 0 && allows(d / m_divisors[l][i], m_divisors[l][i]))
                    inner.push_back(i);
        }
        m_inner.push_back(std::move(lists));
        return m_inner.size() - 1;
    };
    std::array<std::size_t, kMaxLoops> all;
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        all[l] = add(l, [](std::int64_t, std::int64_t) { return true; });
    m_innerOf.assign(levels, all);
    for (std::size_t i = 1; i < levels; ++i)
        for (std::size_t l = 0; l < kMaxLoops; ++l) {
            const auto at = [&](std::size_t level) {
                return constraints.at(level, FactorLimit::kTemporal, static_cast<int>(l));
            };
            const FactorLimit* const outside = at(i - 1);
            const FactorLimit* const own = i + 1 == levels ? at(i) : nullptr;
            if (outside || own)
                m_innerOf[i][l] = add(l, [&](std::int64_t factor, std::int64_t inside) {
                    return (!outside || outside->allows(factor)) && (!own || own->allows(inside));
                });
        }
}

Factors Tilings::temporalInside(State state) const noexcept
{
    Factors out;
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        out[l] = m_divisors[l][state / m_stride[l] % static_cast<State>(m_divisors[l].size())];
    return out;
}

Factors Tilings::extentsAt(std::size_t level, State state) const noexcept
{
    Factors out = temporalInside(state);
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        out[l] *= m_inside[level][l];
    return out;
}

void Tilings::listExchanges()
{
    const std::size_t levels = m_spatial.size();
    m_into.resize(levels + 1);
    m_macs.resize(levels + 1);
    for (std::size_t op = 0; op < kOperands; ++op) {
        std::size_t outer = 0;
        for (std::size_t inner = 1; inner <= levels; ++inner) {
            if (inner < levels && !m_architecture.levels[inner].holds[op])
                continue;
            ExchangeOf e;
            e.operand = op;
            e.outer = outer;
            e.inner = inner;
            e.between = factorsBetween(m_nest, m_architecture, m_spatial, op, outer, inner);
            e.completes = completesSums(m_nest, m_spatial, outer);
            e.outerInstances = static_cast<double>(m_instances[outer]);
            e.innerInstances = static_cast<double>(m_instances[inner]);
            e.apart = apartLevel(e);
            if (inner < levels)
                m_into[inner].push_back(e);
            else
                m_macs[e.apart == levels ? 0 : e.apart].push_back(e);
            outer = inner;
        }
    }
}

/// Of the levels between P and C that have spatial factors of a window, returns the innermost one. The
/// extents just inside it are the distances between its tiles. Tiles along other dimensions do not overlap,
/// so that their distances do not matter.
std::size_t Tilings::apartLevel(const ExchangeOf& e) const noexcept
{
    const mapping::Operand& operand = m_nest.operands[e.operand];
    for (std::size_t i = e.inner; i-- > e.outer;)
        for (int d = 0; d < operand.dimensionCount; ++d) {
            const mapping::Dimension& dimension = operand.dimensions[static_cast<std::size_t>(d)];
            if (dimension.filterLoop >= 0 && m_architecture.levels[i].multicast &&
                (m_spatial[i][static_cast<std::size_t>(dimension.loop)] > 1 ||
                 m_spatial[i][static_cast<std::size_t>(dimension.filterLoop)] > 1))
                return i + 1;
        }
    return e.inner;
}

void Tilings::markFits()
{
    m_isPossible =
        fits(m_architecture.levels[0], storedBits(m_nest, m_architecture, 0, extentsAt(0, first())));
    m_fits.assign(levels() * states(), 0);
    for (std::size_t i = 1; i < levels() && m_isPossible; ++i) {
        bool any = false;
        for (State s = 0; s < m_looked; ++s)
            if (fits(m_architecture.levels[i], storedBits(m_nest, m_architecture, i, extentsAt(i, s)))) {
                m_fits[i * states() + s] = 1;
                any = true;
            }
        m_isPossible = any;
    }
}

/// Number of elements in the union of the tiles that one read can reach. If levels outside `apart` have
/// spatial factors of the same window, it is a lower bound: their distances are at least the extents inside.
double Tilings::leastUnion(const ExchangeOf& e, const Factors& tile, const Factors& apart) const
{
    const mapping::Operand& operand = m_nest.operands[e.operand];
    double out = 1;
    for (int i = 0; i < operand.dimensionCount; ++i) {
        const mapping::Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
        std::array<Shifts, 2 * kMaxLevels> shifts;
        std::size_t count = 0;
        bool exact = e.inner == levels() || e.apart == e.inner;
        const auto shift = [&](int loop, std::int64_t stride) {
            const auto l = static_cast<std::size_t>(loop);
            std::int64_t step = apart[l] * stride;
            for (std::size_t level = e.inner; level-- > e.outer;) {
                if (level + 1 > e.apart)
                    continue;
                if (m_spatial[level][l] > 1 && m_architecture.levels[level].multicast) {
                    shifts[count++] = {m_spatial[level][l], step};
                    exact = exact && level + 1 == e.apart;
                }
                step *= m_spatial[level][l];
            }
        };
        const std::int64_t length = m_nest.span(d, tile);
        if (d.filterLoop < 0) {
            for (std::size_t level = e.outer; level < e.inner; ++level)
                if (m_architecture.levels[level].multicast)
                    out *= static_cast<double>(m_spatial[level][static_cast<std::size_t>(d.loop)]);
            out *= static_cast<double>(length);
            continue;
        }
        shift(d.loop, d.stride);
        const std::size_t ofLoop = count;
        shift(d.filterLoop, d.dilation);
        if (exact || ofLoop == 0 || ofLoop == count) {
            out *= static_cast<double>(unionLength(length, std::span(shifts).first(count)));
            continue;
        }
        // The tiles reached by the shifts of one of the two loops are part of the union.
        const std::int64_t first = unionLength(length, std::span(shifts).first(ofLoop));
        const std::int64_t second = unionLength(length, std::span(shifts).subspan(ofLoop, count - ofLoop));
        out *= static_cast<double>(std::max(first, second));
    }
    return out;
}

double Tilings::time(std::size_t level, double bits, bool reads) const noexcept
{
    const auto& rate = reads ? m_architecture.levels[level].readBytesPerCycle
                             : m_architecture.levels[level].writeBytesPerCycle;
    return rate ? bits / (8 * static_cast<double>(m_instances[level])) / *rate : 0;
}

void Tilings::addReadFlow(const ExchangeOf& e, double visits, const Factors& tile, const Factors& apart,
                          Flow& out) const
{
    const auto bits = static_cast<double>(m_architecture.bits[e.operand]);
    out.outerReadBits = visits * e.outerInstances * leastUnion(e, tile, apart) *
                        static_cast<double>(e.between.delivered) * bits;
    out.innerWriteBits = visits * e.innerInstances *
                         static_cast<double>(m_nest.elements(static_cast<int>(e.operand), tile)) * bits;
}

/// Adds the traffic of the written operand (docs/rules/hierarchy.md 3 and 4). `out.waiting` gets the bits of
/// the additions.
void Tilings::addWrittenFlow(const ExchangeOf& e, double visits, double different, const Factors& tile,
                             Flow& out) const
{
    const auto bits = static_cast<double>(m_architecture.accumulatorBits);
    const auto others = static_cast<double>(e.between.others),
               arriving = static_cast<double>(e.between.arriving);
    const double sums = e.outerInstances *
                        static_cast<double>(m_nest.elements(static_cast<int>(e.operand), tile)) *
                        static_cast<double>(e.between.indexing);
    out.innerReadBits = visits * sums * others * bits;
    out.outerWriteBits = visits * sums * arriving * bits;
    out.innerWriteBits = (visits - different) * sums * bits;
    out.outerReadBits = out.innerWriteBits;
    out.waiting = visits * sums * (arriving - 1) * bits;
    if (!e.completes)
        return;
    const double narrower = different * sums * (static_cast<double>(m_architecture.bits[e.operand]) - bits);
    out.outerWriteBits += narrower;
    if (e.between.others == 1)
        out.innerReadBits += narrower;
}

Flow Tilings::flow(const ExchangeOf& e, double visits, State state) const
{
    const bool isMac = e.inner == levels();
    Flow out;
    const Factors ones{1, 1, 1, 1, 1, 1, 1};
    const Factors extents =
        isMac ? (e.apart == levels() ? ones : extentsAt(e.apart, state)) : extentsAt(e.inner, state);
    const Factors& tile = isMac ? ones : extents;
    double additions = 0;
    if (e.operand == mapping::kWritten) {
        const double different = indexing(e.operand, first()) / (isMac ? 1 : indexing(e.operand, state));
        addWrittenFlow(e, visits, different, tile, out);
        additions = out.waiting;
        out.waiting = 0;
    } else {
        // The extents at a level between P and C are at least those of C times the spatial factors in
        // between.
        Factors apart = extents;
        if (!isMac && e.apart < e.inner)
            for (std::size_t l = 0; l < kMaxLoops; ++l)
                apart[l] = extents[l] / m_inside[e.inner][l] * m_inside[e.apart][l];
        addReadFlow(e, visits, tile, apart, out);
    }
    if (isMac)
        out.innerReadBits = out.innerWriteBits = 0;
    const bool waits = !isMac && e.inner + 1 < levels() && !m_architecture.isDoubleBuffered(e.inner);
    if (waits) {
        out.waiting =
            std::max(time(e.inner, out.innerWriteBits, false), time(e.outer, out.outerReadBits, true));
        out.waiting +=
            std::max(time(e.inner, out.innerReadBits, true), time(e.outer, out.outerWriteBits, false));
    }
    out.outerReadBits += additions;
    const Level& outer = m_architecture.levels[e.outer];
    out.energy = out.outerReadBits * outer.readPj + out.outerWriteBits * outer.writePj;
    if (!isMac)
        out.energy += out.innerReadBits * m_architecture.levels[e.inner].readPj +
                      out.innerWriteBits * m_architecture.levels[e.inner].writePj;
    return out;
}

void Tilings::prepare()
{
    m_visitEnergy.assign(levels() * kOperands * states(), 0);
    m_macEnergy.assign(levels() * states(), 0);
    constexpr double kNone = std::numeric_limits<double>::infinity();
    m_least.assign(levels() * kOperands, Flow{kNone, kNone, kNone, kNone, kNone, kNone});
    m_fixedEnergy = static_cast<double>(m_nest.macs) * m_architecture.macPj;
    for (const ExchangeOf& e : m_macs[0])
        m_fixedEnergy += flow(e, compute(), first()).energy;
    m_leastInside.assign(levels() + 1, 0);
    for (std::size_t i = 1; i < levels(); ++i) {
        for (const ExchangeOf& e : m_macs[i])
            for (State s = 0; s < m_looked; ++s)
                if (fitsAt(i, s))
                    m_macEnergy[i * states() + s] += flow(e, compute(), s).energy;
        for (const ExchangeOf& e : m_into[i]) {
            double fixed = 0, leastOfVisits = kNone;
            bool isFirst = true;
            Flow& least = m_least[i * kOperands + e.operand];
            for (State s = 0; s < m_looked; ++s) {
                if (!fitsAt(i, s))
                    continue;
                // The energy is linear in the visits. The part for 0 visits is the same for all states.
                const double different = indexing(e.operand, first()) / indexing(e.operand, s);
                const Flow one = flow(e, different, s);
                if (isFirst)
                    fixed = flow(e, 0, s).energy;
                isFirst = false;
                m_visitEnergy[(i * kOperands + e.operand) * states() + s] = (one.energy - fixed) / different;
                leastOfVisits = std::min(leastOfVisits, one.energy - fixed);
                least.energy = std::min(least.energy, one.energy);
                least.outerReadBits = std::min(least.outerReadBits, one.outerReadBits);
                least.outerWriteBits = std::min(least.outerWriteBits, one.outerWriteBits);
                least.innerReadBits = std::min(least.innerReadBits, one.innerReadBits);
                least.innerWriteBits = std::min(least.innerWriteBits, one.innerWriteBits);
                least.waiting = std::min(least.waiting, one.waiting);
            }
            m_fixedEnergy += fixed;
            m_leastInside[i - 1] += leastOfVisits;
        }
    }
    for (std::size_t i = levels(); i-- > 0;)
        m_leastInside[i] += m_leastInside[i + 1];
}

} // namespace tilewright::hierarchy
