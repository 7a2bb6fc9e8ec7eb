// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/cost_kernel.h"
#include "mapping/evaluate.h"

#include <array>

// Imperfect factors (docs/rules/mapping.md 9): the product of the factors of a loop is at least its trip
// count, and the last tile of each level is smaller.
namespace tilewright::mapping {

/// Tiles of one loop. Sizes are at most the trip count.
struct LoopTiles
{
    std::int64_t trip = 1;
    /// Sizes of a full tile in the register file, on the array and in the scratchpad.
    std::array<std::int64_t, 3> size{1, 1, 1};
    std::array<std::int64_t, 3> count{
        1, 1, 1};              ///< number of tiles in the whole loop: PE tiles, array passes, SPM tiles
    std::int64_t firstPes = 1; ///< number of PEs used in the first array pass
    /// Sum over all SPM tiles of the number of PEs used in the first array pass of the tile.
    std::int64_t firstPesOfTiles = 1;
    std::int64_t computing = 1; ///< sum over all array passes of the largest number of iterations of one PE

    /// Returns the tiles of a loop with this trip count and these factors.
    [[nodiscard]] static LoopTiles make(std::int64_t trip, std::int64_t rf, std::int64_t spatial,
                                        std::int64_t spm) noexcept;
};

using NestTiles = std::array<LoopTiles, kMaxLoops>;

// Indices of LoopTiles::count.
inline constexpr std::size_t kPeTiles = 0;
inline constexpr std::size_t kArrayPasses = 1;
inline constexpr std::size_t kSpmTiles = 2;

[[nodiscard]] NestTiles nestTiles(const LoopNest& nest, const Method& method) noexcept;

/// Returns a violation if a factor of a loop is larger than its tiles require; nullopt if all factors are
/// tight.
[[nodiscard]] std::optional<Violation> checkTight(const LoopNest& nest, const Method& method, int loop);

/// Reduces each factor to the smallest value that keeps the number of tiles inside it. The result is a valid
/// tiling of this nest, also if the method was made for other trip counts.
[[nodiscard]] Method tightened(const LoopNest& nest, const Method& method) noexcept;

/// Sum of the spans along a dimension, in elements, over all pairs of one of the `outputs` tiles of its loop
/// and, for rows and columns of an input, one of the `filters` tiles of its filter loop.
[[nodiscard]] double summedSpan(const Dimension& dimension, const NestTiles& tiles, std::int64_t outputs,
                                std::int64_t filters) noexcept;

/// Energy and cycles of imperfect tilings: exact sums over all tiles with their actual sizes.
class ImperfectCost
{
public:
    ImperfectCost(const LoopNest& nest, const Architecture& architecture);

    /// The reuse at a level: the reused operand and the loops that give the reuse, as in OrderClass.
    struct Reuse
    {
        int operand = -1;
        unsigned loops = 0;
    };

    /// Sets energies and busy network cycles of each operand, and all parts of the energy except leakage.
    void energy(const NestTiles& tiles, const Reuse& spm, const Reuse& dram, bool kept,
                MappingCost& out) const;
    /// Total energy without leakage, in pJ.
    [[nodiscard]] double energy(const NestTiles& tiles, const Reuse& spm, const Reuse& dram, bool kept) const;
    /// Closed-form lower bound on cycles().
    [[nodiscard]] std::int64_t cyclesBound(const NestTiles& tiles, const Reuse& spm, const Reuse& dram,
                                           bool kept) const;
    /// Further results of cycles(), in cycles.
    struct Details
    {
        std::int64_t firstPass = 0;                     ///< array cycles of the first SPM tile
        std::array<std::int64_t, kOperands> firstDma{}; ///< DMA cycles of the first SPM tile
        std::array<std::int64_t, kOperands> dmaBusy{};
    };
    [[nodiscard]] CycleParts cycles(const NestTiles& tiles, const Reuse& spm, const Reuse& dram, bool kept,
                                    Details* details = nullptr) const;

    /// Elements of an operand, summed over the tiles of a level (index into LoopTiles::count).
    [[nodiscard]] double summed(int op, const NestTiles& tiles, std::size_t level) const;
    /// Number of DRAM bursts to move each tile of a level once (index into LoopTiles::count).
    [[nodiscard]] double bursts(int op, const NestTiles& tiles, std::size_t level) const;
    [[nodiscard]] double fixedPj() const noexcept { return m_fixedPj; }

private:
    struct Shape;
    struct Pass;
    [[nodiscard]] Pass passOf(const Shape& shape, const NestTiles& tiles, const Reuse& spm, bool kept) const;
    /// Number of times that each SPM tile of an operand is moved because of DRAM loops that do not index it.
    [[nodiscard]] double movesAcross(int op, const NestTiles& tiles, const Reuse& dram) const;
    [[nodiscard]] bool skips(int op) const noexcept
    {
        return m_architecture.options.bypassSpm[static_cast<std::size_t>(op)];
    }
    [[nodiscard]] double freeProduct(int op, const NestTiles& tiles, const Reuse& spm, const Reuse& dram,
                                     bool kept, bool pes) const;

    LoopNest m_nest;
    Architecture m_architecture;
    DmaClock m_clock;
    double m_fixedPj = 0;
    double m_burstCycles = 0;   ///< array cycles to start a burst
    double m_elementCycles = 0; ///< array cycles per element of a burst
};

/// Evaluates a method with imperfect factors. `out.violation` must already be set.
void evaluateImperfect(const LoopNest& nest, const Architecture& architecture, const Method& method,
                       MappingCost& out);

} // namespace tilewright::mapping
