// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/gemm.h"

#include <optional>
#include <vector>

namespace tilewright::systolic {

/// Which tiles must fit into the level (docs/rules/systolic.md 6.1). Conservative: A, B and C. Aggressive: A
/// and B; C stays in the PEs and must fit there.
enum class Footprint { Conservative, Aggressive };

enum class TileMethod { Analytic, Exhaustive, Learned };

[[nodiscard]] std::string_view footprintName(Footprint footprint) noexcept;
[[nodiscard]] std::string_view tileMethodName(TileMethod method) noexcept;
[[nodiscard]] Result<Footprint> parseFootprint(std::string_view text);
[[nodiscard]] Result<TileMethod> parseTileMethod(std::string_view text);

/// Input of the tile search.
struct TileQuery
{
    Gemm gemm;
    ArrayShape array;
    std::int64_t capacityBytes = 64 * 1024;
    std::int64_t elementBytes = 4;
    std::int64_t buffering = 1;
    Footprint footprint = Footprint::Conservative;
    std::int64_t sumsPerPe = 1; ///< number of accumulators of a PE, for Footprint::Aggressive

    /// Largest footprint of a tile, in elements.
    [[nodiscard]] std::int64_t cap() const noexcept { return capacityBytes / elementBytes / buffering; }
};

struct TileChoice
{
    TileMethod method = TileMethod::Exhaustive;
    TileShape tile;
    /// True if the tile fits into the level and, with Footprint::Aggressive, its C into the PEs.
    bool fits = false;
    std::int64_t footprintElements = 0;
    std::int64_t elements = 0;      ///< traffic into the level in elements (docs/rules/systolic.md 6.1)
    std::int64_t pointsVisited = 0; ///< number of candidate tiles evaluated
    double spaceReduction = 0;      ///< M*N*K / pointsVisited
};

/// Grid step of Tk (docs/rules/systolic.md 6.1).
inline constexpr std::int64_t kTileDepth = 16;

[[nodiscard]] Status checkTileQuery(const TileQuery& query);

/// Objective of docs/rules/systolic.md 6.1: M*K*ceil(N/Tj) + K*N*ceil(M/Ti) + M*N. Ti, Tj >= 1.
[[nodiscard]] std::int64_t tileTraffic(const Gemm& gemm, std::int64_t ti, std::int64_t tj) noexcept;
/// Footprint of a tile in elements; saturates at the largest integer.
[[nodiscard]] std::int64_t tileFootprint(const TileShape& tile, Footprint footprint) noexcept;
/// Number of sums of an output tile that one PE keeps: one for each array-sized block of the tile.
[[nodiscard]] std::int64_t sumsPerPe(const ArrayShape& array, std::int64_t ti, std::int64_t tj) noexcept;
/// True if the tile fits into the level and, with Footprint::Aggressive, its C into the PEs.
[[nodiscard]] bool tileFits(const TileQuery& query, const TileShape& tile) noexcept;
/// Largest candidate Tk (min(K, multiple of 16)) that fits with Ti and Tj; 0 if none fits.
[[nodiscard]] std::int64_t deepestTile(const TileQuery& query, std::int64_t ti, std::int64_t tj) noexcept;
/// Largest candidate Tj (min(N, multiple of the columns)) that fits with Ti and Tk; 0 if none fits.
[[nodiscard]] std::int64_t widestTile(const TileQuery& query, std::int64_t ti, std::int64_t tk) noexcept;

/// Analytic tile (docs/rules/systolic.md 6.2). The Error names the smallest sufficient capacity.
[[nodiscard]] Result<TileChoice> analyticTile(const TileQuery& query);
/// Exact optimum (docs/rules/systolic.md 6.3) with the tie-breaks of docs/rules/systolic.md 6.1.
[[nodiscard]] Result<TileChoice> exhaustiveTile(const TileQuery& query);
/// Learned tile (docs/rules/systolic.md 6.4) with the built-in training set.
[[nodiscard]] Result<TileChoice> learnedTile(const TileQuery& query);
[[nodiscard]] Result<TileChoice> chooseTile(const TileQuery& query, TileMethod method);
/// Evaluates a given tile; TileChoice::fits may be false.
[[nodiscard]] Result<TileChoice> describeTile(const TileQuery& query, const TileShape& tile);

/// The Error for a level into which no candidate tile fits. It names the sufficient capacity in bytes.
[[nodiscard]] Error nothingFits(const TileQuery& query, Footprint footprint);

/// One cell of the map of traffic over Ti x Tj. Tk is the largest that fits.
struct LandscapeCell
{
    bool feasible = false;
    std::int64_t tk = 0;
    std::int64_t elements = 0; ///< traffic in elements, also if the tile does not fit
};

struct TileLandscape
{
    std::vector<std::int64_t> ti; ///< candidates shown, ascending; evenly thinned to at most the limit
    std::vector<std::int64_t> tj;
    std::vector<LandscapeCell> cells; ///< Ti-major
    [[nodiscard]] const LandscapeCell& at(std::size_t i, std::size_t j) const
    {
        return cells[i * tj.size() + j];
    }
};

[[nodiscard]] Result<TileLandscape> tileLandscape(const TileQuery& query, std::size_t maxPerAxis = 96);

} // namespace tilewright::systolic
