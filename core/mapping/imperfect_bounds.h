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

    /// Per operand: elements summed over the tiles of a level, and how often the free loops repeat them.
    struct Moves
    {
        std::array<double, kOperands> elements{};
        std::array<double, kOperands> least{}; ///< the same of any finer tiles: a stride can skip elements
        std::array<double, kOperands> free{};
        std::array<double, kOperands> dma{}; ///< cycles to move each tile once
        double changes = 1; ///< the most SPM tiles in which an operand reused at DRAM changes
    };
    /// What crosses DRAM; only the SPM tile counts of `tiles` matter.
    [[nodiscard]] Moves movesOf(const NestTiles& tiles) const;
    /// What crosses the networks, at least: only the counts of array passes matter.
    [[nodiscard]] Moves passesOf(const NestTiles& tiles) const;
    /// What is known of the PEs.
    struct Pes
    {
        double computing = 0;                    ///< cycles, at least
        std::array<double, kOperands> network{}; ///< elements of all PEs, at least
    };
    /// Only the counts of PE tiles matter.
    [[nodiscard]] Pes pesOf(const NestTiles& tiles, double computing) const;

    /// Calls visit(bound) for each pair of reused operands until it says so.
    template <typename Visit> void visitGroup(const Moves& m, Visit&& visit) const
    {
        forEachPair(m, [&](int spm, int dram) { return visit(groupBound(m, spm, dram)); });
    }
    /// The same knowing the array passes, too, and what is known of the PEs.
    template <typename Visit>
    void visitArray(const Moves& m, const Moves& passes, const Pes& pes, Visit&& visit) const
    {
        forEachPair(m, [&](int spm, int dram) { return visit(arrayBound(m, passes, pes, spm, dram)); });
    }

private:
    [[nodiscard]] Cost groupBound(const Moves& m, int spm, int dram) const;
    [[nodiscard]] Cost arrayBound(const Moves& m, const Moves& passes, const Pes& pes, int spm,
                                  int dram) const;
    [[nodiscard]] Cost dramBound(const Moves& m, int dram) const;
    /// Cycles of an array that computes for so long while so many elements go to and from it.
    [[nodiscard]] double passBound(double computing, double others, double own, double first, int spm,
                                   int dram) const;
    /// pJ of what the reused operand moves: `sent` elements of the array's, `received` of the PEs'.
    [[nodiscard]] double ownPj(const Moves& m, double sent, double received, int spm, int dram) const;
    [[nodiscard]] double leastOf(int op, const NestTiles& tiles, std::size_t level) const;
    [[nodiscard]] double freeOf(int op, const NestTiles& tiles, std::size_t level) const;
    [[nodiscard]] bool skips(std::size_t op) const noexcept { return m_architecture.options.bypassSpm[op]; }

    template <typename Visit> void forEachPair(const Moves& m, Visit&& visit) const
    {
        for (int dram = -1; dram < kOperands; ++dram) {
            if (dram >= 0 && m.free[static_cast<std::size_t>(dram)] <= 1)
                continue;
            for (int spm = 0; spm < kOperands; ++spm)
                if (visit(spm, dram))
                    return;
        }
    }

    /// What counts of a choice of sizes for the traffic an operation: how often each operand is used, and
    /// the elements that a window asks for, an output and tap.
    struct Profile
    {
        std::array<double, kOperands> uses{1, 1, 1};
        double window = 1;
        double product = 1;

        /// Asks for no more than `other`, whatever it is combined with.
        [[nodiscard]] bool beats(const Profile& other) const noexcept;
        [[nodiscard]] double density(std::size_t op) const noexcept
        {
            return (op == 0 ? window : 1) / uses[op];
        }
    };
    [[nodiscard]] Profile profileOf(const Factors& sizes) const;
    /// Leaves those that no other one beats.
    static void thinOut(std::vector<Profile>& profiles);
    /// All register file tiles; none when they are too many to look at.
    [[nodiscard]] std::vector<Profile> registerProfiles();
    [[nodiscard]] std::vector<Profile> spatialProfiles() const;
    void boundArrays(const std::vector<Profile>& registers, const std::vector<Profile>& spatial);

    LoopNest m_nest;
    Architecture m_architecture;
    ImperfectCost m_cost;
    double m_macs = 0;
    double m_burstCycles = 0;   ///< array cycles to start a burst
    double m_elementCycles = 0; ///< array cycles of an element of it
    std::int64_t m_largestArray = 1;
    std::int64_t m_largestPe = 1;
    std::array<double, kOperands> m_in{};        ///< pJ of the memory that feeds the array, an element
    std::array<double, kOperands> m_toArray{};   ///< the same both ways, of the written operand
    std::array<double, kOperands> m_onNetwork{}; ///< least pJ of the network an element of a PE, both ways
    // By the operand reused at SPM, an operation:
    std::array<double, kOperands> m_networkPj{}; ///< of the other operands
    std::array<double, kOperands> m_arrayPj{};
    std::array<double, kOperands> m_others{}; ///< the longest network of the others, cycles
};

} // namespace tilewright::mapping
