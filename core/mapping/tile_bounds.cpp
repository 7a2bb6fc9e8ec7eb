// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/tile_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::mapping {

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
    // Reduced by more than the rounding error before it is rounded up to whole cycles.
    const double rawPass = m_pass[x][tile] * static_cast<double>(m_lattice.product[tile]);
    const auto pass = static_cast<std::int64_t>(std::ceil(rawPass * (1 - 1e-12)));
    double own = m_macs * m_reused[x][tile] / static_cast<double>(m_lattice.freeProduct[x][tile]);
    // If the operand is kept in the register files, it is sent once per change at DRAM, in one direction
    // only.
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
