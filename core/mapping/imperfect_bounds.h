// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/imperfect.h"

#include <array>
#include <vector>

namespace tilewright::mapping {

/// Lower bounds for the search over imperfect factors. DRAM traffic depends only on the numbers of SPM tiles.
/// Network traffic is bounded by the least traffic per multiply-accumulate that any register file and array
/// have. A partial tile costs at least as much per operation as a full tile of the same size.
class ImperfectBounds
{
public:
    ImperfectBounds(const LoopNest& nest, const Architecture& architecture);

    [[nodiscard]] bool fitsScratchpad(const Factors& sizes) const noexcept;
    [[nodiscard]] bool fitsRegisters(const Factors& sizes) const noexcept;
    /// Largest number of operations of one array pass.
    [[nodiscard]] std::int64_t largestArray() const noexcept { return m_largestArray; }
    /// Lower bound on the cost of all methods.
    [[nodiscard]] Cost root() const;

    /// Traffic of each operand: elements summed over the tiles of a level, and the number of repetitions
    /// caused by loops that do not index the operand.
    struct Moves
    {
        std::array<double, kOperands> elements{};
        /// Least number of elements for any finer tiles, since a stride can skip elements.
        std::array<double, kOperands> least{};
        std::array<double, kOperands> free{};
        std::array<double, kOperands> dma{}; ///< cycles to move each tile once
        double changes = 1; ///< largest number of SPM tiles in which the operand reused at DRAM changes
    };
    /// DRAM traffic. Depends only on the SPM tile counts of `tiles`.
    [[nodiscard]] Moves movesOf(const NestTiles& tiles) const;
    /// Lower bound on network traffic. Depends only on the array pass counts of `tiles`.
    [[nodiscard]] Moves passesOf(const NestTiles& tiles) const;
    /// Lower bounds of the work of the PEs.
    struct Pes
    {
        double computing = 0;                    ///< compute cycles
        std::array<double, kOperands> network{}; ///< elements of all PEs, per operand
    };
    /// The bounds depend only on the PE tile counts of `tiles`.
    [[nodiscard]] Pes pesOf(const NestTiles& tiles, double computing) const;

    /// Calls visit(bound) for each pair of reused operands until visit() returns true. The bounds use the SPM
    /// tile counts only.
    template <typename Visit> void visitGroup(const Moves& m, Visit&& visit) const
    {
        forEachPair(m, [&](int spm, int dram) { return visit(groupBound(m, spm, dram)); });
    }
    /// Calls visit(bound) as visitGroup() does. The bounds also use the counts of array passes and PE tiles.
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
    /// Lower bound on the cycles of an array that computes for `computing` cycles while the given numbers of
    /// elements are transferred.
    [[nodiscard]] double passBound(double computing, double others, double own, double first, int spm,
                                   int dram) const;
    /// Energy in pJ of the transfers of the reused operand. `sent`: elements from memory to the array;
    /// `received`: elements at the PEs.
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

    /// Properties of a choice of tile sizes that determine the traffic per operation: number of uses of each
    /// operand, and elements of the input window per output and filter tap.
    struct Profile
    {
        std::array<double, kOperands> uses{1, 1, 1};
        double window = 1;
        double product = 1;

        /// True if this profile never needs more traffic than `other`.
        [[nodiscard]] bool beats(const Profile& other) const noexcept;
        [[nodiscard]] double density(std::size_t op) const noexcept
        {
            return (op == 0 ? window : 1) / uses[op];
        }
    };
    [[nodiscard]] Profile profileOf(const Factors& sizes) const;
    /// Removes the profiles that another profile beats.
    static void thinOut(std::vector<Profile>& profiles);
    /// Profiles of all register file tiles; empty if there are too many tiles.
    [[nodiscard]] std::vector<Profile> registerProfiles();
    [[nodiscard]] std::vector<Profile> spatialProfiles() const;
    void boundArrays(const std::vector<Profile>& registers, const std::vector<Profile>& spatial);

    LoopNest m_nest;
    Architecture m_architecture;
    ImperfectCost m_cost;
    double m_macs = 0;
    double m_burstCycles = 0;   ///< array cycles to start a burst
    double m_elementCycles = 0; ///< array cycles per element of a burst
    std::int64_t m_largestArray = 1;
    std::int64_t m_largestPe = 1;
    std::array<double, kOperands> m_in{}; ///< pJ per element of the memory that feeds the array
    /// PJ per element; for the written operand, sum of both directions.
    std::array<double, kOperands> m_toArray{};
    /// Least network energy in pJ per element at a PE, sum of both directions.
    std::array<double, kOperands> m_onNetwork{};
    // Values per operation, indexed by the operand reused at SPM:
    std::array<double, kOperands> m_networkPj{}; ///< network energy of the other operands
    std::array<double, kOperands> m_arrayPj{};
    std::array<double, kOperands> m_others{}; ///< longest network time of the other operands, in cycles
};

} // namespace tilewright::mapping
