// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/imperfect_bounds.h"

#include "base/integer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::mapping {

namespace {

constexpr double kSlack = 1 - 1e-9; ///< factor below 1 that covers rounding errors
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Limits of the enumeration: largest numbers of register file tiles and of PEs.
constexpr std::size_t kMostSizes = 1'000'000;
constexpr std::int64_t kMostPes = 1024;

double asReal(std::int64_t v)
{
    return static_cast<double>(v);
}

} // namespace

ImperfectBounds::ImperfectBounds(const LoopNest& nest, const Architecture& architecture)
    : m_nest(nest), m_architecture(architecture), m_cost(nest, architecture), m_macs(asReal(nest.macs))
{
    const double clocks = architecture.arrayMhz / architecture.dmaMhz;
    m_burstCycles = architecture.dmaInitCycles * clocks;
    m_elementCycles = architecture.dmaCyclesPerByte * asReal(architecture.elementBytes) * clocks;
    const EnergyTable& pj = architecture.energyPj;
    for (std::size_t op = 0; op < kOperands; ++op) {
        const bool written = op == kWritten;
        m_in[op] = skips(op) ? pj.dram : pj.spm;
        if (written)
            m_in[op] = skips(op) ? pj.writeDram() : pj.writeSpm();
        // For the written operand, the scratchpad is read only for partial results.
        m_toArray[op] = m_in[op] + (written && !skips(op) ? pj.spm : 0);
        // A partial result of a PE is sent to the scratchpad and back, or to the PE that adds it.
        m_onNetwork[op] = pj.noc + pj.rfFill + (written ? pj.noc : 0);
        if (written)
            m_onNetwork[op] = std::min(m_onNetwork[op], pj.reduction());
    }
    const std::vector<Profile> registers = registerProfiles();
    boundArrays(registers, spatialProfiles());
}

bool ImperfectBounds::fitsScratchpad(const Factors& sizes) const noexcept
{
    std::int64_t banks = 0;
    for (int op = 0; op < kOperands; ++op)
        if (!skips(static_cast<std::size_t>(op)))
            banks += ceilDiv(m_nest.elements(op, sizes) * m_architecture.elementBytes,
                             m_architecture.spmBankBytes);
    return banks <= m_architecture.spmBanks;
}

bool ImperfectBounds::fitsRegisters(const Factors& sizes) const noexcept
{
    std::int64_t elements = 0;
    for (int op = 0; op < kOperands; ++op)
        elements += m_nest.elements(op, sizes);
    return elements <= m_architecture.rfElements();
}

// Functions for the least traffic per operation of any register file and array:

bool ImperfectBounds::Profile::beats(const Profile& other) const noexcept
{
    for (std::size_t op = 0; op < kOperands; ++op)
        if (uses[op] < other.uses[op])
            return false;
    return window <= other.window && product >= other.product;
}

ImperfectBounds::Profile ImperfectBounds::profileOf(const Factors& sizes) const
{
    Profile out;
    for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l) {
        const double size = asReal(sizes[l]);
        out.product *= size;
        for (std::size_t op = 0; op < kOperands; ++op)
            if ((m_nest.operands[op].freeMask >> l & 1u) != 0)
                out.uses[op] *= size;
    }
    const Operand& input = m_nest.operands[0];
    for (int i = 0; i < input.dimensionCount; ++i) {
        const Dimension& d = input.dimensions[static_cast<std::size_t>(i)];
        if (d.filterLoop < 0)
            continue;
        // With a large stride, a tile with fewer outputs can need less traffic per operation, so every corner
        // of the box is checked.
        double least = kInfinite;
        for (const std::int64_t o : {std::int64_t{1}, sizes[static_cast<std::size_t>(d.loop)]})
            for (const std::int64_t f : {std::int64_t{1}, sizes[static_cast<std::size_t>(d.filterLoop)]})
                least = std::min(least, asReal((o - 1) * d.stride + (f - 1) * d.dilation + 1) /
                                            (asReal(o) * asReal(f)));
        out.window *= least;
    }
    return out;
}

void ImperfectBounds::thinOut(std::vector<Profile>& profiles)
{
    std::sort(profiles.begin(), profiles.end(),
              [](const Profile& a, const Profile& b) { return a.product > b.product; });
    std::vector<Profile> kept;
    for (const Profile& p : profiles)
        if (std::ranges::none_of(kept, [&](const Profile& k) { return k.beats(p); }))
            kept.push_back(p);
    profiles = std::move(kept);
}

std::vector<ImperfectBounds::Profile> ImperfectBounds::registerProfiles()
{
    // The longest loop is not enumerated. It gets the largest size that fits, with which the traffic is
    // least.
    const auto loops = static_cast<std::size_t>(m_nest.loopCount);
    std::size_t longest = 0;
    for (std::size_t l = 1; l < loops; ++l)
        if (m_nest.trips[l] > m_nest.trips[longest])
            longest = l;
    std::vector<Profile> out;
    Factors sizes{1, 1, 1, 1, 1, 1, 1};
    std::size_t steps = 0;
    const auto fill = [&] {
        std::int64_t low = 1;
        std::int64_t high = m_nest.trips[longest];
        while (low < high) {
            sizes[longest] = low + (high - low + 1) / 2;
            if (fitsRegisters(sizes))
                low = sizes[longest];
            else
                high = sizes[longest] - 1;
        }
        sizes[longest] = low;
        out.push_back(profileOf(sizes));
        sizes[longest] = 1;
        if (out.size() > 4096)
            thinOut(out);
    };
    const auto walk = [&](const auto& self, std::size_t loop) -> void {
        if (loop == loops)
            return fill();
        if (loop == longest)
            return self(self, loop + 1);
        for (sizes[loop] = 1;
             sizes[loop] <= m_nest.trips[loop] && fitsRegisters(sizes) && ++steps <= kMostSizes;
             ++sizes[loop])
            self(self, loop + 1);
        sizes[loop] = 1;
    };
    if (fitsRegisters(sizes))
        walk(walk, 0);
    if (steps > kMostSizes)
        out.clear();
    thinOut(out);
    double most = out.empty() ? m_macs : 1;
    for (const Profile& p : out)
        most = std::max(most, p.product);
    m_largestPe = static_cast<std::int64_t>(std::min(most, m_macs));
    m_largestArray = saturatingMul(m_largestPe, m_architecture.pes);
    return out;
}

std::vector<ImperfectBounds::Profile> ImperfectBounds::spatialProfiles() const
{
    // Loops that index the same operands are equivalent: only the number of uses of each element matters.
    std::array<std::int64_t, kOperands> most{1, 1, 1};
    for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l)
        for (std::size_t op = 0; op < kOperands; ++op)
            if ((m_nest.operands[op].freeMask >> l & 1u) != 0)
                most[op] = saturatingMul(most[op], m_nest.trips[l]);
    std::vector<Profile> out;
    const std::int64_t pes = m_architecture.pes;
    if (pes > kMostPes)
        return out;
    for (std::int64_t a = 1; a <= std::min(pes, most[0]); ++a)
        for (std::int64_t b = 1; b <= std::min(pes / a, most[1]); ++b) {
            Profile p;
            const std::int64_t c = std::min(pes / (a * b), most[2]);
            p.uses = {asReal(a), asReal(b), asReal(c)};
            p.product = asReal(pes);
            out.push_back(p);
        }
    thinOut(out);
    return out;
}

void ImperfectBounds::boundArrays(const std::vector<Profile>& registers, const std::vector<Profile>& spatial)
{
    const Profile whole = profileOf(m_nest.trips);
    const auto bound = [&](const std::array<double, kOperands>& dense) {
        for (std::size_t x = 0; x < kOperands; ++x) {
            const std::size_t y = (x + 1) % kOperands;
            const std::size_t z = (x + 2) % kOperands;
            m_arrayPj[x] = std::min(m_arrayPj[x], m_toArray[y] * dense[y] + m_toArray[z] * dense[z]);
            m_others[x] = std::min(m_others[x], std::max(dense[y], dense[z]));
        }
    };
    m_arrayPj.fill(kInfinite);
    m_others.fill(kInfinite);
    if (registers.empty()) {
        m_networkPj.fill(0);
        return bound({whole.density(0), whole.density(1), whole.density(2)});
    }
    m_networkPj.fill(kInfinite);
    for (const Profile& r : registers)
        for (std::size_t x = 0; x < kOperands; ++x) {
            double pj = 0;
            for (std::size_t o = 0; o < kOperands; ++o)
                if (o != x)
                    pj += m_onNetwork[o] * r.density(o);
            m_networkPj[x] = std::min(m_networkPj[x], pj);
        }
    std::vector<Profile> arrays = spatial;
    if (arrays.empty()) { // all PEs use each operand
        Profile all;
        all.uses.fill(asReal(m_architecture.pes));
        arrays.push_back(all);
    }
    for (const Profile& p : arrays)
        for (const Profile& r : registers) {
            std::array<double, kOperands> dense{};
            for (std::size_t op = 0; op < kOperands; ++op)
                dense[op] = (op == 0 ? whole.window : 1) / std::min(p.uses[op] * r.uses[op], whole.uses[op]);
            bound(dense);
        }
}

// Functions for the traffic with given tile counts:

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
        // The sum is bilinear in the numbers of tiles, so its minimum is at a corner: the given numbers, or
        // tiles of one element.
        const LoopTiles& f = tiles[static_cast<std::size_t>(d.filterLoop)];
        double least = kInfinite;
        for (const std::int64_t outputs : {o.count[level], o.trip})
            for (const std::int64_t filters : {f.count[level], f.trip})
                least = std::min(least, summedSpan(d, tiles, outputs, filters));
        out *= least;
    }
    return out;
}

ImperfectBounds::Moves ImperfectBounds::movesOf(const NestTiles& tiles) const
{
    Moves out;
    for (int op = 0; op < kOperands; ++op) {
        const auto i = static_cast<std::size_t>(op);
        out.elements[i] = m_cost.summed(op, tiles, kSpmTiles);
        out.least[i] = leastOf(op, tiles, kSpmTiles);
        out.free[i] = freeOf(op, tiles, kSpmTiles);
        out.dma[i] = m_burstCycles * m_cost.bursts(op, tiles, kSpmTiles) + m_elementCycles * out.elements[i];
    }
    double fewest = kInfinite;
    for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l) {
        const double count = asReal(tiles[l].count[kSpmTiles]);
        out.changes *= count;
        if (count > 1)
            fewest = std::min(fewest, count);
    }
    if (fewest < kInfinite)
        out.changes /= fewest;
    return out;
}

ImperfectBounds::Moves ImperfectBounds::passesOf(const NestTiles& tiles) const
{
    Moves out;
    for (int op = 0; op < kOperands; ++op) {
        const auto i = static_cast<std::size_t>(op);
        out.elements[i] = leastOf(op, tiles, kArrayPasses);
        out.free[i] = freeOf(op, tiles, kArrayPasses);
    }
    return out;
}

ImperfectBounds::Pes ImperfectBounds::pesOf(const NestTiles& tiles, double computing) const
{
    Pes out;
    out.computing = computing;
    for (int op = 0; op < kOperands; ++op)
        out.network[static_cast<std::size_t>(op)] =
            leastOf(op, tiles, kPeTiles) * freeOf(op, tiles, kPeTiles);
    return out;
}

// Functions for the bounds:

/// Bound on DRAM energy and DMA cycles. Operands that bypass the scratchpad are counted with the array.
Cost ImperfectBounds::dramBound(const Moves& m, int dram) const
{
    const EnergyTable& pj = m_architecture.energyPj;
    Cost out;
    double cycles = 0;
    for (int op = 0; op < kOperands; ++op) {
        const auto i = static_cast<std::size_t>(op);
        const double moves = op == dram ? 1 : m.free[i];
        if (skips(i)) {
            cycles += m.least[i] * m_elementCycles * moves;
            continue;
        }
        const double back = op == kWritten ? moves - 1 : moves;
        out.energy +=
            m.elements[i] * (back * (pj.dram + pj.spmFill) + (op == kWritten ? moves * pj.writeDram() : 0));
        cycles += m.dma[i] * moves * (op == kWritten && op != dram ? 2 : 1);
    }
    out.cycles = static_cast<std::int64_t>(cycles * kSlack);
    return out;
}

double ImperfectBounds::passBound(double computing, double others, double own, double first, int spm,
                                  int dram) const
{
    if (m_architecture.options.overlapped)
        return std::max({computing, others, own});
    if (spm != kWritten)
        return computing + std::max(others, own);
    // Results that are written at the end wait for the last pass, unless DMA hides that pass.
    const double hidden = dram == kWritten ? first : 0;
    return std::max({computing, others, own + std::max(0.0, computing - hidden)});
}

double ImperfectBounds::ownPj(const Moves& m, double sent, double received, int spm, int dram) const
{
    const EnergyTable& pj = m_architecture.energyPj;
    const auto x = static_cast<std::size_t>(spm);
    const bool written = spm == kWritten;
    if (dram == spm) // the operand is kept in the register files and moves in one direction only
        return sent * m_in[x] + received * (pj.noc + (written ? 0 : pj.rfFill));
    return m.free[x] * (sent * m_toArray[x] + received * (pj.noc + pj.rfFill + (written ? pj.noc : 0)));
}

Cost ImperfectBounds::groupBound(const Moves& m, int spm, int dram) const
{
    const auto x = static_cast<std::size_t>(spm);
    const Cost across = dramBound(m, dram);
    double others = 0; // elements of the other operands, which move at least once per SPM tile
    double longest = m_macs * m_others[x];
    for (std::size_t o = 0; o < kOperands; ++o)
        if (o != x) {
            others += m_toArray[o] * m.least[o] * m.free[o];
            longest = std::max(longest, m.least[o] * m.free[o]);
        }
    const double own = m.least[x] * (dram == spm ? 1 : m.free[x]);
    const double pass = passBound(m_macs / asReal(m_architecture.pes), longest, own,
                                  m.changes * asReal(m_largestPe), spm, dram);
    Cost out;
    out.cycles = std::max(across.cycles, static_cast<std::int64_t>(std::ceil(pass * kSlack)));
    out.energy = (m_cost.fixedPj() + across.energy + m_macs * m_networkPj[x] +
                  std::max(others, m_macs * m_arrayPj[x]) + ownPj(m, m.least[x], m.least[x], spm, dram)) *
                     kSlack +
                 m_architecture.energyPj.leakage * asReal(out.cycles);
    return out;
}

Cost ImperfectBounds::arrayBound(const Moves& m, const Moves& passes, const Pes& pes, int spm, int dram) const
{
    const auto x = static_cast<std::size_t>(spm);
    const Cost across = dramBound(m, dram);
    double energy = 0;
    double network = 0;
    double longest = 0;
    for (std::size_t o = 0; o < kOperands; ++o) {
        if (o == x)
            continue;
        const double elements = passes.elements[o] * passes.free[o];
        energy += m_toArray[o] * elements;
        network += m_onNetwork[o] * pes.network[o];
        longest = std::max(longest, elements);
    }
    const double own = passes.elements[x] * (dram == spm ? 1 : m.free[x]);
    const double pass = passBound(std::max(pes.computing, m_macs / asReal(m_architecture.pes)), longest, own,
                                  m.changes * asReal(m_largestPe), spm, dram);
    energy += m_cost.fixedPj() + across.energy + std::max(network, m_macs * m_networkPj[x]) +
              ownPj(m, passes.elements[x], passes.elements[x], spm, dram);
    Cost out;
    out.cycles = std::max(across.cycles, static_cast<std::int64_t>(std::ceil(pass * kSlack)));
    out.energy = energy * kSlack + m_architecture.energyPj.leakage * asReal(out.cycles);
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
        out.energy += leastOf(op, whole, kSpmTiles) * (op == kWritten ? pj.writeDram() : pj.dram);
    out.energy += pj.leakage * asReal(out.cycles);
    return out;
}

} // namespace tilewright::mapping
