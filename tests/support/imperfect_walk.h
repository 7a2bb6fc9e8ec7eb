// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of docs/rules/mapping.md 9 tile by tile, for the tests of imperfect factors.
#pragma once

#include "base/integer.h"
#include "mapping/evaluate.h"

#include <algorithm>
#include <utility>

namespace tilewright::mapping {

/// Visits every point of a box, the first loop outermost.
template <typename Visit> void forEachPoint(const Factors& counts, Visit&& visit)
{
    Factors at{};
    for (;;) {
        visit(at);
        std::size_t l = kMaxLoops;
        while (l > 0 && ++at[l - 1] == counts[l - 1])
            at[--l] = 0;
        if (l == 0)
            return;
    }
}

/// The rules of docs/rules/mapping.md 9 word by word: every SPM tile, every array pass and every PE on its
/// own.
class Walk
{
public:
    Walk(const LoopNest& nest, const Architecture& architecture, const Method& method)
        : m_nest(nest), m_architecture(architecture), m_method(method), m_clock(architecture)
    {
        m_spm = reuseOfLevel(Level::Spm, method.spmOrder);
        m_dram = reuseOfLevel(Level::Dram, method.dramOrder);
        std::int64_t passes = 1;
        for (const std::int64_t f : method.at(Level::Spm))
            passes *= f;
        std::int64_t reuse = 1;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if ((m_spm.second >> l & 1u) != 0)
                reuse *= method.at(Level::Spm)[l];
        m_kept = m_dram.first >= 0 && reuse == passes && (passes == 1 || m_spm.first == m_dram.first);
        const EnergyTable& pj = architecture.energyPj;
        energy = static_cast<double>(nest.macs) * (pj.mac + 4 * pj.rf);
        walkTiles();
    }

    double energy = 0;
    std::int64_t cycles = 0;
    std::int64_t macs = 0;

private:
    [[nodiscard]] std::pair<int, unsigned> reuseOfLevel(Level level, const LoopOrder& order) const
    {
        for (int op = 0; op < kOperands; ++op) {
            if (reuseOf(m_nest, op, m_method.at(level), order) == 1)
                continue;
            unsigned loops = 0;
            for (int i = m_nest.loopCount - 1; i >= 0; --i) {
                const int loop = order[static_cast<std::size_t>(i)];
                if (m_method.at(level)[static_cast<std::size_t>(loop)] == 1)
                    continue;
                if ((m_nest.operands[static_cast<std::size_t>(op)].indexMask >> loop & 1u) != 0)
                    break;
                loops |= 1u << loop;
            }
            return {op, loops};
        }
        return {-1, 0};
    }

    /// The sizes of the tile at `at`, and how many of each there are.
    static Factors sizesAt(const Factors& whole, const Factors& size, const Factors& at)
    {
        Factors out;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            out[l] = std::min(size[l], whole[l] - at[l] * size[l]);
        return out;
    }
    static Factors countsOf(const Factors& whole, const Factors& size)
    {
        Factors out;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            out[l] = ceilDiv(whole[l], size[l]);
        return out;
    }
    static bool firstOf(const Factors& at, unsigned loops)
    {
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if ((loops >> l & 1u) != 0 && at[l] != 0)
                return false;
        return true;
    }

    [[nodiscard]] std::int64_t dma(int op, const Factors& sizes) const
    {
        const Operand& operand = m_nest.operands[static_cast<std::size_t>(op)];
        std::int64_t bursts = 1;
        std::int64_t burst = 1;
        bool full = true;
        for (int i = operand.dimensionCount - 1; i >= 0; --i) {
            const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
            const std::int64_t span = m_nest.span(d, sizes);
            (full ? burst : bursts) *= span;
            full = full && span == d.stored;
        }
        return bursts * m_clock.cycles(burst);
    }

    struct Pass
    {
        std::int64_t comp = 1;
        std::int64_t red = 0;
        std::array<std::int64_t, kOperands> noc{};
    };

    /// `moves[op]`: its data goes to (or comes from) the array in this pass.
    Pass walkPes(const Factors& sizes, const std::array<bool, kOperands>& moves)
    {
        const EnergyTable& pj = m_architecture.energyPj;
        Pass out;
        const Factors rf = m_method.at(Level::Rf);
        std::int64_t sharing = 1;
        const Factors pes = countsOf(sizes, rf);
        for (std::size_t l = 0; l < kMaxLoops; ++l) {
            out.comp *= std::min(rf[l], sizes[l]);
            if ((m_nest.operands[kWritten].freeMask >> l & 1u) != 0)
                sharing *= pes[l];
        }
        for (int op = 0; op < kOperands; ++op)
            out.noc[static_cast<std::size_t>(op)] = m_nest.elements(op, sizes);
        out.red = out.noc[kWritten] * (sharing - 1);
        forEachPoint(pes, [&](const Factors& pe) {
            const Factors own = sizesAt(sizes, rf, pe);
            std::int64_t product = 1;
            for (const std::int64_t v : own)
                product *= v;
            macs += product;
            for (int op = 0; op < kWritten; ++op)
                if (moves[static_cast<std::size_t>(op)])
                    energy += static_cast<double>(m_nest.elements(op, own)) * pj.noc;
        });
        const int ways = m_kept && m_dram.first == kWritten ? 1 : 2;
        for (int op = 0; op < kOperands; ++op) {
            const auto i = static_cast<std::size_t>(op);
            if (!moves[i])
                continue;
            const auto elements = static_cast<double>(out.noc[i]);
            energy += elements * (op == kWritten ? ways * pj.noc : 0);
            if (!skips(op)) {
                energy += elements * (op == kWritten ? ways : 1) * pj.spm;
                continue;
            }
            stored[i] += elements; // what crosses DRAM is an array's worth
            direct[i] += dma(op, sizes);
        }
        if (moves[kWritten])
            energy += static_cast<double>(out.red) * (3 * pj.rf + pj.noc + pj.mac);
        return out;
    }

    void walkTiles()
    {
        Factors array;
        Factors tile;
        for (std::size_t l = 0; l < kMaxLoops; ++l) {
            array[l] = m_method.at(Level::Rf)[l] * m_method.at(Level::Spatial)[l];
            tile[l] = array[l] * m_method.at(Level::Spm)[l];
        }
        const int reused = m_kept ? m_dram.first : m_spm.first;
        const bool held = m_dram.first >= 0 && (m_kept || !skips(m_dram.first));
        forEachPoint(countsOf(m_nest.trips, tile), [&](const Factors& at) {
            const Factors sizes = sizesAt(m_nest.trips, tile, at);
            const bool newTile = firstOf(at, m_dram.second);
            std::int64_t pass = 0;
            Pass first;
            std::int64_t othersOfFirst = 0;
            bool begin = true;
            direct = {};
            forEachPoint(countsOf(sizes, array), [&](const Factors& sub) {
                const bool newGroup = firstOf(sub, m_spm.second);
                std::array<bool, kOperands> moves{true, true, true};
                if (reused >= 0)
                    moves[static_cast<std::size_t>(reused)] = m_kept ? newTile && begin : newGroup;
                const Pass p = walkPes(sizesAt(sizes, array, sub), moves);
                std::int64_t others = 0;
                for (int op = 0; op < kOperands; ++op)
                    if (op != reused)
                        others = std::max(others, p.noc[static_cast<std::size_t>(op)]);
                const std::int64_t own = reused < 0 ? 0 : p.noc[static_cast<std::size_t>(reused)];
                if (reused == kWritten) {
                    const std::int64_t run = std::max(p.comp, others);
                    pass += run;
                    if (!m_kept && newGroup)
                        pass += std::max<std::int64_t>(0, own - run) + p.comp + p.red;
                } else {
                    pass += others + p.comp + p.red;
                    if (!m_kept && newGroup)
                        pass += std::max<std::int64_t>(0, own - others);
                }
                if (begin) {
                    first = p;
                    othersOfFirst = others;
                    begin = false;
                }
            });
            std::int64_t every = 0;
            std::int64_t own = 0;
            for (int op = 0; op < kOperands; ++op) {
                const auto i = static_cast<std::size_t>(op);
                const double elements = static_cast<double>(m_nest.elements(op, sizes));
                const std::int64_t cycles = skips(op) ? direct[i] : dma(op, sizes);
                if (held && op == m_dram.first)
                    own = cycles;
                else
                    every += cycles * (op == kWritten ? 2 : 1);
                if (!skips(op) && !(op == m_dram.first && !newTile))
                    stored[i] += elements;
            }
            const std::int64_t base = std::max(every, pass);
            cycles += base;
            if (!held || !newTile)
                return;
            const bool written = m_dram.first == kWritten;
            const std::int64_t a1 = pass + (m_kept && written ? first.comp + first.red : 0);
            const std::int64_t a2 =
                pass + (m_kept ? std::max<std::int64_t>(0, first.noc[static_cast<std::size_t>(reused)] -
                                                               othersOfFirst)
                               : 0);
            cycles += std::max<std::int64_t>(0, std::max(every + own, a1) - base) +
                      std::max<std::int64_t>(0, std::max(written ? every + own : every, a2) - base);
        });
        const double whole = static_cast<double>(m_nest.elements(kWritten, m_nest.trips));
        energy += (stored[0] + stored[1] + 2 * stored[2] - whole) * m_architecture.energyPj.dram;
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const Method& m_method;
    [[nodiscard]] bool skips(int op) const
    {
        return m_architecture.options.bypassSpm[static_cast<std::size_t>(op)];
    }

    std::array<double, kOperands> stored{};       ///< elements that cross DRAM
    std::array<std::int64_t, kOperands> direct{}; ///< DMA past the scratchpad, of this SPM tile
    DmaClock m_clock;
    std::pair<int, unsigned> m_spm;
    std::pair<int, unsigned> m_dram;
    bool m_kept = false;
};

} // namespace tilewright::mapping
