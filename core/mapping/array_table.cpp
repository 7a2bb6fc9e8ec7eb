// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/array_table.h"

#include "base/integer.h"

#include <bit>
#include <cmath>

namespace tilewright::mapping {

bool fitsScratchpad(const Lattice& lattice, const Architecture& architecture, Lattice::Index tile) noexcept
{
    const auto& skips = architecture.options.bypassSpm;
    std::int64_t elements = 0;
    for (std::size_t op = 0; op < kOperands; ++op) {
        elements += skips[op] ? 0 : lattice.elements[op][tile];
        if (elements > architecture.spmElements())
            return false;
    }
    std::int64_t banks = 0;
    for (std::size_t op = 0; op < kOperands; ++op)
        if (!skips[op])
            banks +=
                ceilDiv(lattice.elements[op][tile] * architecture.elementBytes, architecture.spmBankBytes);
    return banks <= architecture.spmBanks;
}

ArrayTable::ArrayTable(const Lattice& lattice, const Architecture& architecture, const Reductions& reductions,
                       const std::function<bool()>& cancelled)
    : m_lattice(lattice), m_architecture(architecture), m_reductions(reductions),
      m_isRf(lattice.size(), false), m_summaries(lattice.size()), m_splits(lattice.size())
{
    listHalves();
    summarise(cancelled);
}

ArrayTable::~ArrayTable()
{
    for (const auto& splits : m_splits)
        delete splits.load(std::memory_order_relaxed);
}

void ArrayTable::listHalves()
{
    // Packed exponents: each field has the exponent and a guard bit above it. One subtraction then shows
    // whether the sum of two points exceeds the limit of any axis.
    std::vector<int> shift;
    int next = 0;
    for (const Lattice::Axis& axis : m_lattice.axes()) {
        const int bits = std::bit_width(static_cast<unsigned>(axis.size - 1)) + 1;
        shift.push_back(next);
        m_limits |= static_cast<std::uint64_t>(axis.size - 1) << next;
        m_guards |= std::uint64_t{1} << (next + bits - 1);
        next += bits;
    }
    assert(next <= 64);
    const auto packed = [&](Lattice::Index index) {
        std::uint64_t out = 0;
        for (std::size_t a = 0; a < shift.size(); ++a)
            out |= static_cast<std::uint64_t>(m_lattice.exponent(index, m_lattice.axes()[a])) << shift[a];
        return out;
    };
    const auto share = [](double part, std::int64_t whole) {
        return static_cast<std::int64_t>(std::ceil(part * static_cast<double>(whole) - 1e-9));
    };
    const std::int64_t rfLimit = m_architecture.rfElements();
    const std::int64_t minRf = share(m_reductions.minRfUse, rfLimit);
    const std::int64_t minPes = share(m_reductions.minPeUse, m_architecture.pes);
    for (std::size_t i = 0; i < m_lattice.size(); ++i) {
        const auto index = static_cast<Lattice::Index>(i);
        const Factors factors = m_lattice.factors(index);
        const std::int64_t product = m_lattice.product[i];
        const std::int64_t reduced = m_lattice.freeProduct[kWritten][i];
        if (product <= m_architecture.pes && product >= minPes &&
            !(m_reductions.noSpatialReduction && reduced > 1) &&
            m_reductions.constraints.allows(Level::Spatial, factors))
            m_spatial.push_back({index, packed(index), product, reduced, 0});
        const std::int64_t first = m_lattice.elements[0][i];
        const std::int64_t second = m_lattice.elements[1][i];
        const std::int64_t elements = first + second + m_lattice.elements[2][i];
        if (elements <= rfLimit && elements >= minRf && m_reductions.constraints.allows(Level::Rf, factors)) {
            m_isRf[i] = true;
            m_rf.push_back({index, packed(index), product, first, second});
        }
    }
}

void ArrayTable::summarise(const std::function<bool()>& cancelled)
{
    // Checks once per array, instead of once per split, whether any tile can contain it.
    std::vector<bool> fits(m_lattice.size());
    for (std::size_t i = 0; i < fits.size(); ++i)
        fits[i] = fitsScratchpad(m_lattice, m_architecture, static_cast<Lattice::Index>(i));
    const std::uint64_t room = m_limits + m_guards;
    std::size_t sinceAsked = 0;
    for (const Half& s : m_spatial) {
        sinceAsked += m_rf.size();
        if (sinceAsked > 10'000'000) {
            if (cancelled())
                return;
            sinceAsked = 0;
        }
        for (const Half& r : m_rf) {
            if (((room - s.packed - r.packed) & m_guards) != m_guards)
                continue;
            const Lattice::Index array = s.index + r.index;
            if (!fits[array])
                continue;
            ArraySummary& a = m_summaries[array];
            const std::int64_t red =
                m_lattice.elements[kWritten][array] * reductionSteps(s.value0, m_architecture.options);
            ++a.feasible;
            a.comp = std::min(a.comp, r.product);
            a.reduced = std::min(a.reduced, s.value0);
            a.compRed = std::min(a.compRed, r.product + red);
            a.sent0 = std::min(a.sent0, r.value0 * s.product);
            a.sent1 = std::min(a.sent1, r.value1 * s.product);
        }
    }
    m_complete = true;
}

ArrayTerms ArrayTable::terms(Lattice::Index extents, std::int64_t comp, std::int64_t reduced,
                             std::int64_t sent0, std::int64_t sent1) const noexcept
{
    std::array<std::int64_t, kOperands> noc{};
    for (std::size_t i = 0; i < kOperands; ++i)
        noc[i] = m_lattice.elements[i][extents];
    return makeArrayTerms(m_architecture, comp, noc, {sent0, sent1}, reduced);
}

ArrayTerms ArrayTable::ideal(Lattice::Index extents) const noexcept
{
    const ArraySummary& a = m_summaries[extents];
    return terms(extents, a.comp, a.reduced, a.sent0, a.sent1);
}

std::unique_ptr<std::vector<Split>> ArrayTable::makeSplits(Lattice::Index extents) const
{
    struct Candidate
    {
        std::int64_t comp;
        std::int64_t reduced;
        std::int64_t sent0;
        std::int64_t sent1;
        Lattice::Index spatial;

        [[nodiscard]] bool beats(const Candidate& o) const noexcept
        {
            return comp <= o.comp && reduced <= o.reduced && sent0 <= o.sent0 && sent1 <= o.sent1;
        }
    };
    std::vector<Candidate> front;
    const bool constrained = m_reductions.constraints.bounds(Level::Spatial);
    m_lattice.forEachDivisor(extents, [&](Lattice::Index spatial) {
        const std::int64_t pes = m_lattice.product[spatial];
        const Lattice::Index rf = extents - spatial;
        if (pes > m_architecture.pes || !m_isRf[rf])
            return;
        const std::int64_t reduced = m_lattice.freeProduct[kWritten][spatial];
        if (static_cast<double>(pes) <
                m_reductions.minPeUse * static_cast<double>(m_architecture.pes) - 1e-9 ||
            (m_reductions.noSpatialReduction && reduced > 1) ||
            (constrained && !m_reductions.constraints.allows(Level::Spatial, m_lattice.factors(spatial))))
            return;
        const Candidate c{m_lattice.product[rf], reduced, m_lattice.elements[0][rf] * pes,
                          m_lattice.elements[1][rf] * pes, spatial};
        for (const Candidate& other : front)
            if (other.beats(c))
                return;
        std::erase_if(front, [&](const Candidate& other) { return c.beats(other); });
        front.push_back(c);
    });
    // Splits with fewer cycles first, so that the search finds good methods early.
    const std::int64_t written = m_lattice.elements[kWritten][extents];
    const auto cycles = [&](const Candidate& c) {
        return c.comp + written * reductionSteps(c.reduced, m_architecture.options);
    };
    std::sort(front.begin(), front.end(), [&](const Candidate& x, const Candidate& y) {
        return cycles(x) != cycles(y) ? cycles(x) < cycles(y) : x.spatial < y.spatial;
    });
    auto out = std::make_unique<std::vector<Split>>();
    for (const Candidate& c : front)
        out->push_back({terms(extents, c.comp, c.reduced, c.sent0, c.sent1), c.spatial});
    return out;
}

const std::vector<Split>& ArrayTable::splits(Lattice::Index extents) const
{
    std::atomic<std::vector<Split>*>& slot = m_splits[extents];
    if (const std::vector<Split>* there = slot.load(std::memory_order_acquire))
        return *there;
    // Two threads may compute the same splits; the first one to store them wins.
    auto made = makeSplits(extents);
    std::vector<Split>* expected = nullptr;
    if (slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
        return *made.release();
    return *expected;
}

} // namespace tilewright::mapping
