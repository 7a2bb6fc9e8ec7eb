// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/array_table.h"

#include "base/integer.h"

#include <algorithm>
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
    // Packed exponents of a point: each bit field holds one exponent and a guard bit above it. One
    // subtraction then shows whether the sum of two points exceeds the limit of any axis.
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
    // The scratchpad limit is checked once per array, not once per split.
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
    // Splits are sorted by cycles, so that the search finds good methods early.
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
    // If two threads compute the same splits, those stored first are kept.
    auto made = makeSplits(extents);
    std::vector<Split>* expected = nullptr;
    if (slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
        return *made.release();
    return *expected;
}

TileBounds::TileBounds(const LoopNest& nest, const Architecture& architecture, const Lattice& lattice,
                       const ArrayTable& table)
    : m_lattice(lattice), m_macs(static_cast<double>(nest.macs)),
      m_fixedPj(m_macs * (architecture.energyPj.mac + architecture.energyPj.rfOfMac())),
      m_overlapped(architecture.options.overlapped), m_validBelow(lattice.size(), 0)
{
    for (std::size_t x = 0; x < kOperands; ++x) {
        const EnergyTable& pj = architecture.energyPj;
        const double scratchpad = x == kWritten ? pj.writeSpm() : pj.spm;
        m_keptPj[x] = pj.noc + (architecture.options.bypassSpm[x] ? 0 : scratchpad);
    }
    const std::size_t n = lattice.size();
    for (std::size_t x = 0; x < kOperands; ++x)
        for (auto* values : {&m_pass[x], &m_others[x], &m_reused[x]})
            values->assign(n, std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < n; ++i) {
        const auto index = static_cast<Lattice::Index>(i);
        const ArraySummary& a = table.summary(index);
        m_validBelow[i] = a.feasible;
        if (a.feasible == 0)
            continue;
        const double macs = static_cast<double>(lattice.product[i]);
        const ArrayTerms t = table.ideal(index);
        const std::array<double, kOperands> pj{t.transferPj[0], t.transferPj[1], t.writtenPj};
        const auto either = [&](std::int64_t distribution) {
            return m_overlapped ? std::max(distribution, a.compRed) : distribution + a.compRed;
        };
        const std::array<std::int64_t, kOperands> pass{either(std::max(t.noc[1], t.noc[2])),
                                                       either(std::max(t.noc[0], t.noc[2])),
                                                       std::max(std::max(t.noc[0], t.noc[1]), t.comp)};
        for (std::size_t x = 0; x < kOperands; ++x) {
            m_pass[x][i] = static_cast<double>(pass[x]) / macs;
            m_others[x][i] = (pj[(x + 1) % 3] + pj[(x + 2) % 3]) / macs;
            m_reused[x][i] = pj[x] / macs * static_cast<double>(lattice.freeProduct[x][i]);
        }
    }
    const auto smaller = [](double a, double b) { return std::min(a, b); };
    for (std::size_t x = 0; x < kOperands; ++x)
        for (auto* values : {&m_pass[x], &m_others[x], &m_reused[x]})
            lattice.combineDivisors(*values, smaller);
    lattice.combineDivisors(m_validBelow, [](std::int64_t a, std::int64_t b) { return a + b; });
}

Cost TileBounds::cost(Lattice::Index tile, const DramTerms& dram, int spmOperand) const noexcept
{
    const auto x = static_cast<std::size_t>(spmOperand);
    // The bound is reduced by more than the rounding error before it is rounded up to whole cycles.
    const double rawPass = m_pass[x][tile] * static_cast<double>(m_lattice.product[tile]);
    const auto pass = static_cast<std::int64_t>(std::ceil(rawPass * (1 - 1e-12)));
    double own = m_macs * m_reused[x][tile] / static_cast<double>(m_lattice.freeProduct[x][tile]);
    // An operand that is kept in the register files is sent once per change at DRAM, in one direction only.
    if (dram.operand == spmOperand) {
        const std::int64_t changes = dram.passes / dram.reuse;
        own = std::min(own, static_cast<double>(m_lattice.elements[x][tile]) * m_keptPj[x] *
                                static_cast<double>(changes));
    }
    const std::int64_t cycles = layerCycles(dram, pass, pass, pass);
    return {m_fixedPj + dram.dramPj + m_macs * m_others[x][tile] + own +
                dram.leakagePj * static_cast<double>(cycles),
            cycles};
}

} // namespace tilewright::mapping
