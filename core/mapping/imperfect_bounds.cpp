// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/imperfect_bounds.h"

#include "base/integer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::mapping {

namespace {

constexpr std::size_t kArrayLevel = 1;
constexpr std::size_t kTileLevel = 2;
constexpr double kSlack = 1 - 1e-9; ///< more than the doubles lose

/// More than so many pairs of registers and PEs are bounded one operand at a time; more than so many register
/// files by the layer alone.
constexpr std::size_t kMostPairs = 8'000'000;
constexpr std::size_t kMostRegisters = 1'000'000;

double asReal(std::int64_t v)
{
    return static_cast<double>(v);
}

} // namespace

ImperfectBounds::ImperfectBounds(const LoopNest& nest, const Architecture& architecture)
    : m_nest(nest), m_architecture(architecture), m_cost(nest, architecture), m_macs(asReal(nest.macs))
{
    const EnergyTable& pj = architecture.energyPj;
    for (std::size_t op = 0; op < kOperands; ++op) {
        const bool written = op == kWritten;
        m_toArray[op] = pj.spm + (written ? pj.writeSpm() : 0);
        // A partial result of a PE goes to the scratchpad and back, or to the PE that adds it up.
        m_onNetwork[op] = pj.noc + pj.rfFill + (written ? pj.noc : 0);
        if (written)
            m_onNetwork[op] = std::min(m_onNetwork[op], pj.reduction());
    }
    boundRegisters();
}

bool ImperfectBounds::fitsScratchpad(const Factors& sizes) const noexcept
{
    std::int64_t banks = 0;
    for (int op = 0; op < kOperands; ++op)
        banks +=
            ceilDiv(m_nest.elements(op, sizes) * m_architecture.elementBytes, m_architecture.spmBankBytes);
    return banks <= m_architecture.spmBanks;
}

bool ImperfectBounds::fitsRegisters(const Factors& sizes) const noexcept
{
    std::int64_t elements = 0;
    for (int op = 0; op < kOperands; ++op)
        elements += m_nest.elements(op, sizes);
    return elements <= m_architecture.rfElements();
}

double ImperfectBounds::density(int op, const Factors& sizes) const
{
    const Operand& operand = m_nest.operands[static_cast<std::size_t>(op)];
    double out = 1;
    for (int l = 0; l < m_nest.loopCount; ++l)
        if ((operand.freeMask >> l & 1u) != 0)
            out /= asReal(sizes[static_cast<std::size_t>(l)]);
    for (int i = 0; i < operand.dimensionCount; ++i) {
        const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
        if (d.filterLoop < 0)
            continue;
        // With a large stride fewer outputs can be denser, so every corner of the box is looked at.
        double least = std::numeric_limits<double>::infinity();
        for (const std::int64_t o : {std::int64_t{1}, sizes[static_cast<std::size_t>(d.loop)]})
            for (const std::int64_t f : {std::int64_t{1}, sizes[static_cast<std::size_t>(d.filterLoop)]})
                least = std::min(least, asReal((o - 1) * d.stride + (f - 1) * d.dilation + 1) /
                                            (asReal(o) * asReal(f)));
        out *= least;
    }
    return out;
}

void ImperfectBounds::boundRegisters()
{
    // All register file tiles of which no loop can be larger: the others ask for no less.
    const auto grows = [this](Factors larger) {
        for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l) {
            ++larger[l];
            if (larger[l] <= m_nest.trips[l] && fitsRegisters(larger))
                return true;
            --larger[l];
        }
        return false;
    };
    std::vector<Factors> registers;
    Factors sizes{1, 1, 1, 1, 1, 1, 1};
    m_networkPj.fill(std::numeric_limits<double>::infinity());
    std::size_t steps = 0;
    const auto last = static_cast<std::size_t>(m_nest.loopCount) - 1;
    const auto walk = [&](const auto& self, std::size_t loop) -> void {
        for (sizes[loop] = 1; sizes[loop] <= m_nest.trips[loop] && fitsRegisters(sizes); ++sizes[loop]) {
            if (++steps > kMostRegisters)
                break;
            if (loop < last)
                self(self, loop + 1);
        }
        if (loop == last && --sizes[loop] > 0 && !grows(sizes))
            registers.push_back(sizes);
        sizes[loop] = 1;
    };
    walk(walk, 0);
    if (steps > kMostRegisters) {
        registers = {m_nest.trips}; // nothing is known but that no tile is larger than the layer
        m_networkPj.fill(0);
    }
    for (const Factors& r : registers) {
        std::int64_t product = 1;
        for (const std::int64_t v : r)
            product = saturatingMul(product, v);
        m_largestPe = std::max(m_largestPe, product);
        for (std::size_t x = 0; x < kOperands; ++x) {
            double pj = 0;
            for (std::size_t o = 0; o < kOperands; ++o)
                if (o != x)
                    pj += m_onNetwork[o] * density(static_cast<int>(o), r);
            m_networkPj[x] = std::min(m_networkPj[x], pj);
        }
    }
    m_largestArray = saturatingMul(m_largestPe, m_architecture.pes);
    boundArrays(registers);
}

std::vector<Factors> ImperfectBounds::spatialChoices() const
{
    std::vector<Factors> out;
    Factors sizes{1, 1, 1, 1, 1, 1, 1};
    const auto grows = [this](const Factors& pes) {
        std::int64_t product = 1;
        for (const std::int64_t v : pes)
            product *= v;
        for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l)
            if (pes[l] < m_nest.trips[l] && product / pes[l] * (pes[l] + 1) <= m_architecture.pes)
                return true;
        return false;
    };
    std::size_t steps = 0;
    const auto last = static_cast<std::size_t>(m_nest.loopCount) - 1;
    const auto walk = [&](const auto& self, std::size_t loop, std::int64_t left) -> void {
        if (loop == last) {
            sizes[loop] = std::min(left, m_nest.trips[loop]);
            if (!grows(sizes))
                out.push_back(sizes);
            sizes[loop] = 1;
            return;
        }
        for (sizes[loop] = 1; sizes[loop] <= std::min(left, m_nest.trips[loop]); ++sizes[loop]) {
            if (++steps > kMostRegisters)
                break;
            self(self, loop + 1, left / sizes[loop]);
        }
        sizes[loop] = 1;
    };
    walk(walk, 0, m_architecture.pes);
    if (steps > kMostRegisters)
        out.clear();
    return out;
}

void ImperfectBounds::boundArrays(const std::vector<Factors>& registers)
{
    const double perPe = 1 / asReal(m_architecture.pes);
    const bool atOnce = m_architecture.options.overlapped;
    const std::vector<Factors> spatial = spatialChoices();
    if (registers.empty()) {
        m_cycles.fill(perPe);
        m_arrayPj.fill(0);
        m_networkPj.fill(0);
        return;
    }
    if (!spatial.empty() && registers.size() * spatial.size() <= kMostPairs) {
        m_arrayPj.fill(std::numeric_limits<double>::infinity());
        m_cycles.fill(std::numeric_limits<double>::infinity());
        for (const Factors& p : spatial) {
            std::int64_t pes = 1;
            for (const std::int64_t v : p)
                pes *= v;
            const double comp = 1 / asReal(pes);
            for (const Factors& r : registers) {
                Factors sizes = r;
                for (std::size_t l = 0; l < kMaxLoops; ++l)
                    sizes[l] *= p[l];
                const std::array<double, kOperands> dense{density(0, sizes), density(1, sizes),
                                                          density(2, sizes)};
                for (std::size_t x = 0; x < kOperands; ++x) {
                    const std::size_t y = (x + 1) % kOperands;
                    const std::size_t z = (x + 2) % kOperands;
                    m_arrayPj[x] = std::min(m_arrayPj[x], m_toArray[y] * dense[y] + m_toArray[z] * dense[z]);
                    const double others = std::max(dense[y], dense[z]);
                    m_cycles[x] = std::min(m_cycles[x],
                                           x == kWritten || atOnce ? std::max(others, comp) : others + comp);
                }
            }
        }
        return;
    }
    // Each operand by itself: its free loops as large as any register file and all PEs make them.
    std::array<double, kOperands> dense{};
    for (std::size_t op = 0; op < kOperands; ++op) {
        double largest = 1;
        for (const Factors& r : registers) {
            double product = 1;
            for (std::size_t l = 0; l < kMaxLoops; ++l)
                if ((m_nest.operands[op].freeMask >> l & 1u) != 0)
                    product *= asReal(r[l]);
            largest = std::max(largest, product);
        }
        double trips = 1;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if ((m_nest.operands[op].freeMask >> l & 1u) != 0)
                trips *= asReal(m_nest.trips[l]);
        const double whole = density(static_cast<int>(op), m_nest.trips);
        dense[op] = whole * trips / std::min(trips, largest * asReal(m_architecture.pes));
    }
    for (std::size_t x = 0; x < kOperands; ++x) {
        const std::size_t y = (x + 1) % kOperands;
        const std::size_t z = (x + 2) % kOperands;
        m_arrayPj[x] = m_toArray[y] * dense[y] + m_toArray[z] * dense[z];
        const double others = std::max(dense[y], dense[z]);
        m_cycles[x] = x == kWritten || atOnce ? std::max(others, perPe) : others + perPe;
    }
}

double ImperfectBounds::freeOf(int op, const NestTiles& tiles, std::size_t level) const
{
    double out = 1;
    for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l)
        if ((m_nest.operands[static_cast<std::size_t>(op)].freeMask >> l & 1u) != 0)
            out *= asReal(tiles[l].count[level]);
    return out;
}

double ImperfectBounds::leastOf(int op, const NestTiles& tiles, std::size_t level) const
{
    const Operand& operand = m_nest.operands[static_cast<std::size_t>(op)];
    double out = 1;
    for (int i = 0; i < operand.dimensionCount; ++i) {
        const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
        const LoopTiles& o = tiles[static_cast<std::size_t>(d.loop)];
        if (d.filterLoop < 0) {
            out *= asReal(o.trip);
            continue;
        }
        // Bilinear in the numbers of tiles, so the least is at a corner: as they are, or all of one element.
        const LoopTiles& f = tiles[static_cast<std::size_t>(d.filterLoop)];
        double least = std::numeric_limits<double>::infinity();
        for (const std::int64_t no : {o.count[level], o.trip})
            for (const std::int64_t nf : {f.count[level], f.trip})
                least = std::min(least, asReal(d.stride) * asReal(o.trip - no) * asReal(nf) +
                                            asReal(d.dilation) * asReal(f.trip - nf) * asReal(no) +
                                            asReal(no) * asReal(nf));
        out *= least;
    }
    return out;
}

ImperfectBounds::Moves ImperfectBounds::movesOf(const NestTiles& tiles) const
{
    const double clocks = m_architecture.arrayMhz / m_architecture.dmaMhz;
    const double start = m_architecture.dmaInitCycles * clocks;
    const double each = m_architecture.dmaCyclesPerByte * asReal(m_architecture.elementBytes) * clocks;
    Moves out;
    for (int op = 0; op < kOperands; ++op) {
        const auto i = static_cast<std::size_t>(op);
        out.elements[i] = m_cost.summed(op, tiles, kTileLevel);
        out.least[i] = leastOf(op, tiles, kTileLevel);
        out.free[i] = freeOf(op, tiles, kTileLevel);
        out.dma[i] = start * m_cost.bursts(op, tiles) + each * out.elements[i];
    }
    return out;
}

ImperfectBounds::Moves ImperfectBounds::passesOf(const NestTiles& tiles) const
{
    Moves out;
    for (int op = 0; op < kOperands; ++op) {
        const auto i = static_cast<std::size_t>(op);
        out.elements[i] = m_cost.summed(op, tiles, kArrayLevel);
        out.least[i] = leastOf(op, tiles, kArrayLevel);
        out.free[i] = freeOf(op, tiles, kArrayLevel);
    }
    return out;
}

/// Energy of DRAM and the DMA's cycles.
Cost ImperfectBounds::dramBound(const Moves& m, int dram) const
{
    const EnergyTable& pj = m_architecture.energyPj;
    Cost out;
    double cycles = 0;
    for (int op = 0; op < kOperands; ++op) {
        const auto i = static_cast<std::size_t>(op);
        const double moves = op == dram ? 1 : m.free[i];
        const double back = op == kWritten ? moves - 1 : moves;
        out.energy +=
            m.elements[i] * (back * (pj.dram + pj.spmFill) + (op == kWritten ? moves * pj.writeDram() : 0));
        cycles += m.dma[i] * moves * (op == kWritten && op != dram ? 2 : 1);
    }
    out.cycles = static_cast<std::int64_t>(cycles * kSlack);
    return out;
}

Cost ImperfectBounds::groupBound(const NestTiles&, const Moves& m, int spm, int dram) const
{
    const EnergyTable& pj = m_architecture.energyPj;
    const auto x = static_cast<std::size_t>(spm);
    const Cost across = dramBound(m, dram);
    double others = 0; // at least once an SPM tile
    for (std::size_t o = 0; o < kOperands; ++o)
        if (o != x)
            others += m_toArray[o] * m.least[o] * m.free[o];
    const double own =
        dram == spm
            ? m.least[x] * (pj.noc + (x == kWritten ? pj.writeSpm() : pj.spm + pj.rfFill))
            : m.least[x] * m.free[x] * (pj.noc + pj.rfFill + m_toArray[x] + (x == kWritten ? pj.noc : 0));
    Cost out;
    out.cycles = std::max(across.cycles, static_cast<std::int64_t>(std::ceil(m_macs * m_cycles[x] * kSlack)));
    out.energy = (m_cost.fixedPj() + across.energy + m_macs * m_networkPj[x] +
                  std::max(others, m_macs * m_arrayPj[x]) + own) *
                     kSlack +
                 pj.leakage * asReal(out.cycles);
    return out;
}

Cost ImperfectBounds::arrayBound(const Moves& m, const Moves& passes, int spm, int dram) const
{
    const EnergyTable& pj = m_architecture.energyPj;
    const auto x = static_cast<std::size_t>(spm);
    const Cost across = dramBound(m, dram);
    double energy = m_cost.fixedPj() + across.energy + m_macs * m_networkPj[x];
    double others = 0;
    for (std::size_t o = 0; o < kOperands; ++o) {
        if (o == x)
            continue;
        const double elements = passes.elements[o] * passes.free[o];
        energy += m_toArray[o] * elements;
        others = std::max(others, elements);
    }
    const double computing = m_macs / asReal(m_architecture.pes);
    const double pass =
        x == kWritten || m_architecture.options.overlapped ? std::max(others, computing) : others + computing;
    // Of its own the reused operand moves an array's worth for every change; kept, for every change at DRAM.
    const double scratchpad = passes.elements[x];
    const double network = passes.least[x];
    energy += dram == spm ? scratchpad * (x == kWritten ? pj.writeSpm() : pj.spm) +
                                network * (pj.noc + (x == kWritten ? 0 : pj.rfFill))
                          : m.free[x] * (scratchpad * m_toArray[x] +
                                         network * (pj.noc + pj.rfFill + (x == kWritten ? pj.noc : 0)));
    Cost out;
    out.cycles = std::max(across.cycles, static_cast<std::int64_t>(std::ceil(pass * kSlack)));
    out.energy = energy * kSlack + pj.leakage * asReal(out.cycles);
    return out;
}

Cost ImperfectBounds::root() const
{
    const EnergyTable& pj = m_architecture.energyPj;
    Cost out{m_cost.fixedPj(), ceilDiv(m_nest.macs, m_architecture.pes)};
    NestTiles whole{};
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        whole[l].trip = m_nest.trips[l];
    for (int op = 0; op < kOperands; ++op)
        out.energy += leastOf(op, whole, kTileLevel) * (op == kWritten ? pj.writeDram() : pj.dram);
    out.energy += pj.leakage * asReal(out.cycles);
    return out;
}

} // namespace tilewright::mapping
