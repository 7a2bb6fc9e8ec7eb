// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/gemm.h"

#include <optional>
#include <vector>

namespace tilewright::systolic {

/// What has to fit into the level (docs/rules/systolic.md 6.1): with or without the C tile.
enum class Footprint { Conservative, Aggressive };

enum class TileMethod { Analytic, Exhaustive, Learned };

[[nodiscard]] std::string_view footprintName(Footprint footprint) noexcept;
[[nodiscard]] std::string_view tileMethodName(TileMethod method) noexcept;
[[nodiscard]] Result<Footprint> parseFootprint(std::string_view text);
[[nodiscard]] Result<TileMethod> parseTileMethod(std::string_view text);

/// What a tile is chosen for.
struct TileQuery
{
    Gemm gemm;
    ArrayShape array;
    std::int64_t capacityBytes = 64 * 1024;
    std::int64_t elementBytes = 4;
    std::int64_t buffering = 1;
    Footprint footprint = Footprint::Conservative;

    /// Elements that a tile may take.
    [[nodiscard]] std::int64_t cap() const noexcept { return capacityBytes / elementBytes / buffering; }
};

struct TileChoice
{
    TileMethod method = TileMethod::Exhaustive;
    TileShape tile;
    bool fits = false;
    std::int64_t footprintElements = 0;
    std::int64_t elements = 0;      ///< traffic into the level, docs/rules/systolic.md 6.1
    std::int64_t pointsVisited = 0; ///< candidate tiles examined
    double spaceReduction = 0;      ///< M*N*K / pointsVisited
};

/// Grid step of Tk (docs/rules/systolic.md 6.1).
inline constexpr std::int64_t kTileDepth = 16;

[[nodiscard]] Status checkTileQuery(const TileQuery& query);

/// Objective of docs/rules/systolic.md 6.1: M*K*ceil(N/Tj) + K*N*ceil(M/Ti) + M*N. Ti, Tj >= 1.
[[nodiscard]] std::int64_t tileTraffic(const Gemm& gemm, std::int64_t ti, std::int64_t tj) noexcept;
/// Footprint in elements; saturates at the largest integer.
[[nodiscard]] std::int64_t tileFootprint(const TileShape& tile, Footprint footprint) noexcept;
/// Largest candidate Tk (min(K, multiple of 16)) that fits with the given Ti, Tj; 0 when none does.
[[nodiscard]] std::int64_t deepestTile(const TileQuery& query, std::int64_t ti, std::int64_t tj) noexcept;
/// Largest candidate Tj (min(N, multiple of the columns)) that fits with Ti, Tk; 0 when none does.
[[nodiscard]] std::int64_t widestTile(const TileQuery& query, std::int64_t ti, std::int64_t tk) noexcept;

/// docs/rules/systolic.md 6.2; the error names the smallest capacity that would do.
[[nodiscard]] Result<TileChoice> analyticTile(const TileQuery& query);
/// docs/rules/systolic.md 6.3: the exact optimum, with the tie-breaks of docs/rules/systolic.md 6.1.
[[nodiscard]] Result<TileChoice> exhaustiveTile(const TileQuery& query);
/// docs/rules/systolic.md 6.4 with the built-in training set.
[[nodiscard]] Result<TileChoice> learnedTile(const TileQuery& query);
[[nodiscard]] Result<TileChoice> chooseTile(const TileQuery& query, TileMethod method);
/// The figures of a tile that somebody picked by hand (fits may be false).
[[nodiscard]] Result<TileChoice> describeTile(const TileQuery& query, const TileShape& tile);

/// "Nothing fits; N bytes would" for a level without a feasible candidate.
[[nodiscard]] Error nothingFits(const TileQuery& query, Footprint footprint);

/// One cell of the landscape of traffic over Ti x Tj, at the deepest Tk that fits.
struct LandscapeCell
{
    bool feasible = false;
    std::int64_t tk = 0;
    std::int64_t elements = 0; ///< traffic, also for cells that do not fit
};

struct TileLandscape
{
    std::vector<std::int64_t> ti; ///< candidates shown, ascending (evenly thinned to the limit)
    std::vector<std::int64_t> tj;
    std::vector<LandscapeCell> cells; ///< ti-major
    [[nodiscard]] const LandscapeCell& at(std::size_t i, std::size_t j) const
    {
        return cells[i * tj.size() + j];
    }
};

[[nodiscard]] Result<TileLandscape> tileLandscape(const TileQuery& query, std::size_t maxPerAxis = 96);

} // namespace tilewright::systolic
