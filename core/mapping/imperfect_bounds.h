// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/imperfect.h"

#include <array>
#include <vector>

namespace tilewright::mapping {

/// Lower bounds for the search over imperfect factors. Everything that crosses DRAM depends on the numbers of
/// SPM tiles alone; what crosses the networks is bounded by the least any register file and array could ask
/// for a multiply-accumulate. A partial tile is never cheaper, an operation, than a full one of its own size.
class ImperfectBounds
{
public:
    ImperfectBounds(const LoopNest& nest, const Architecture& architecture);

    [[nodiscard]] bool fitsScratchpad(const Factors& sizes) const noexcept;
    [[nodiscard]] bool fitsRegisters(const Factors& sizes) const noexcept;
    /// The most operations of one array pass.
    [[nodiscard]] std::int64_t largestArray() const noexcept { return m_largestArray; }
    /// Nothing costs less.
    [[nodiscard]] Cost root() const;

    /// Calls visit(bound) for each pair of reused operands; only the SPM tile counts of `tiles` matter.
    template <typename Visit> void visitGroup(const NestTiles& tiles, Visit&& visit) const
    {
        const Moves m = movesOf(tiles);
        forEachPair(tiles, [&](int spm, int dram) {
            visit(groupBound(tiles, m, spm, dram));
            return false;
        });
    }
    /// The same knowing the array passes, too; ends when visit() says so.
    template <typename Visit> void visitArray(const NestTiles& tiles, Visit&& visit) const
    {
        const Moves m = movesOf(tiles);
        const Moves passes = passesOf(tiles);
        forEachPair(tiles, [&](int spm, int dram) { return visit(arrayBound(m, passes, spm, dram)); });
    }

private:
    /// Per operand: elements summed over the tiles of a level, and how often the free loops repeat them.
    struct Moves
    {
        std::array<double, kOperands> elements{};
        std::array<double, kOperands> least{}; ///< the same of any finer tiles: a stride can skip elements
        std::array<double, kOperands> free{};
        std::array<double, kOperands> dma{}; ///< cycles to move each tile once
    };
    [[nodiscard]] Moves movesOf(const NestTiles& tiles) const;
    [[nodiscard]] Moves passesOf(const NestTiles& tiles) const;
    [[nodiscard]] Cost groupBound(const NestTiles& tiles, const Moves& m, int spm, int dram) const;
    [[nodiscard]] Cost arrayBound(const Moves& m, const Moves& passes, int spm, int dram) const;
    [[nodiscard]] Cost dramBound(const Moves& m, int dram) const;
    [[nodiscard]] double leastOf(int op, const NestTiles& tiles, std::size_t level) const;
    [[nodiscard]] double freeOf(int op, const NestTiles& tiles, std::size_t level) const;

    template <typename Visit> void forEachPair(const NestTiles& tiles, Visit&& visit) const
    {
        for (int dram = -1; dram < kOperands; ++dram) {
            if (dram >= 0 && freeOf(dram, tiles, 2) <= 1)
                continue;
            for (int spm = 0; spm < kOperands; ++spm)
                if (visit(spm, dram))
                    return;
        }
    }
    void boundRegisters();
    void boundArrays(const std::vector<Factors>& registers);
    /// Least elements of an operand an operation, over all tiles up to these sizes.
    [[nodiscard]] double density(int op, const Factors& sizes) const;
    /// Spatial factors of which no loop can be larger; none when they are too many to look at.
    [[nodiscard]] std::vector<Factors> spatialChoices() const;

    LoopNest m_nest;
    Architecture m_architecture;
    ImperfectCost m_cost;
    double m_macs = 0;
    std::int64_t m_largestArray = 1;
    std::int64_t m_largestPe = 1;
    std::size_t m_registers = 1;                 ///< how many register file tiles were looked at
    std::array<double, kOperands> m_toArray{};   ///< pJ of the scratchpad an element, both ways
    std::array<double, kOperands> m_onNetwork{}; ///< least pJ of the network an element of a PE, both ways
    // By the operand reused at SPM, an operation:
    std::array<double, kOperands> m_networkPj{}; ///< of the other operands
    std::array<double, kOperands> m_arrayPj{};
    std::array<double, kOperands> m_cycles{};
};

} // namespace tilewright::mapping
