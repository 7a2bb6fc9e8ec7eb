// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/cost_kernel.h"
#include "mapping/evaluate.h"

#include <array>

// Imperfect factors (docs/rules/mapping.md 9): the factors of a loop multiply to at least its trip count, and
// the last tile at every level is smaller.
namespace tilewright::mapping {

/// How one loop is cut; sizes are never larger than the trip count.
struct LoopTiles
{
    std::int64_t trip = 1;
    std::array<std::int64_t, 3> size{1, 1, 1};  ///< of a full tile: register file, array, scratchpad
    std::array<std::int64_t, 3> count{1, 1, 1}; ///< tiles of the whole loop: of PEs, array passes, SPM tiles
    std::int64_t firstPes = 1;                  ///< PEs of the first array pass
    std::int64_t firstPesOfTiles = 1;           ///< the sum of that over the SPM tiles
    std::int64_t computing = 1;                 ///< the sum over array passes of the largest PE's size

    /// Of the factors RF, SPATIAL, SPM.
    [[nodiscard]] static LoopTiles make(std::int64_t trip, std::int64_t rf, std::int64_t spatial,
                                        std::int64_t spm) noexcept;
};

using NestTiles = std::array<LoopTiles, kMaxLoops>;

// The levels of LoopTiles.
inline constexpr std::size_t kPeTiles = 0;
inline constexpr std::size_t kArrayPasses = 1;
inline constexpr std::size_t kSpmTiles = 2;

[[nodiscard]] NestTiles nestTiles(const LoopNest& nest, const Method& method) noexcept;

/// Why the factors of a loop that multiply to more than its trip count are no tiling: one is larger than
/// needed.
[[nodiscard]] std::optional<Violation> checkTight(const LoopNest& nest, const Method& method, int loop);

/// The method with every factor as small as it can be without another number of tiles inside it, so that it
/// is a tiling of this nest (of trip counts that may differ from those it was made for).
[[nodiscard]] Method tightened(const LoopNest& nest, const Method& method) noexcept;

/// Elements along a dimension summed over so many tiles of its loop and, of an input's row or column, so many
/// of its filter's: the spans of all pairs.
[[nodiscard]] double summedSpan(const Dimension& dimension, const NestTiles& tiles, std::int64_t outputs,
                                std::int64_t filters) noexcept;

/// Energies and cycles of one tiling; exact sums over all tiles, each with its own size.
class ImperfectCost
{
public:
    ImperfectCost(const LoopNest& nest, const Architecture& architecture);

    /// A class at a level: the operand that is reused and the loops that give the reuse, as in OrderClass.
    struct Reuse
    {
        int operand = -1;
        unsigned loops = 0;
    };

    /// Fills energies and busy networks per operand, and the energy parts but leakage.
    void energy(const NestTiles& tiles, const Reuse& spm, const Reuse& dram, bool kept,
                MappingCost& out) const;
    /// The same sum without its parts.
    [[nodiscard]] double energy(const NestTiles& tiles, const Reuse& spm, const Reuse& dram, bool kept) const;
    /// No more cycles than cycles() gives, in closed form.
    [[nodiscard]] std::int64_t cyclesBound(const NestTiles& tiles, const Reuse& spm, const Reuse& dram,
                                           bool kept) const;
    /// What else is known once all tiles have been added up; cycles.
    struct Details
    {
        std::int64_t firstPass = 0;                     ///< of the array over the first SPM tile
        std::array<std::int64_t, kOperands> firstDma{}; ///< of the first SPM tile
        std::array<std::int64_t, kOperands> dmaBusy{};
    };
    [[nodiscard]] CycleParts cycles(const NestTiles& tiles, const Reuse& spm, const Reuse& dram, bool kept,
                                    Details* details = nullptr) const;

    /// Elements of an operand summed over the tiles of a level (index into LoopTiles::count).
    [[nodiscard]] double summed(int op, const NestTiles& tiles, std::size_t level) const;
    /// Bursts summed over all tiles of a level, an operand that is moved once each.
    [[nodiscard]] double bursts(int op, const NestTiles& tiles, std::size_t level) const;
    [[nodiscard]] double fixedPj() const noexcept { return m_fixedPj; }

private:
    struct Shape;
    struct Pass;
    [[nodiscard]] Pass passOf(const Shape& shape, const NestTiles& tiles, const Reuse& spm, bool kept) const;
    /// How often each SPM tile of an operand crosses DRAM because of the loops that do not index it.
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
    double m_elementCycles = 0; ///< array cycles of an element of it
};

/// The rest of evaluate() when factors may be imperfect; `out` has its violation already.
void evaluateImperfect(const LoopNest& nest, const Architecture& architecture, const Method& method,
                       MappingCost& out);

} // namespace tilewright::mapping
