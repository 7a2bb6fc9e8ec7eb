// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/edge_fifo.h"
#include "systolic/hierarchy.h"
#include "systolic/l2_schedule.h"
#include "systolic/program.h"
#include "systolic/tile_search.h"

#include <optional>
#include <string>

namespace tilewright::systolic {

/// Input of the Systolic lens: one GEMM on one machine. The shape of the array is hierarchy.array.
struct Settings
{
    Gemm gemm{64, 64, 64};
    std::string origin; ///< source of the GEMM; empty if it was entered by hand
    TimingOptions timing;
    Hierarchy hierarchy = kpuHierarchy();
    EdgeSupply supply;
    // Settings of the pipeline:
    bool unlimitedBandwidth = false;
    BankLayout layout = BankLayout::Split;
    /// Tk of one COMPUTE; programs with a tile use the largest depth that L1 holds.
    std::int64_t depth = kTileDepth;
    /// L2 schedule of the pipelined output-stationary program; nullopt: A + row reuse, or B if L2 is too
    /// small.
    std::optional<L2Schedule> schedule;
    std::int64_t passes = 0; ///< passes of schedule B; 0: passesOfB()
    /// Tile of the programs if none is chosen by hand. true: result of the tile search; false: arrayTile().
    bool searchedTile = false;
    // Settings of the tile search:
    Level tileLevel = Level::L2;
    bool wholeLevel = false; ///< true: the capacity is that of all buffers of the level; false: of one buffer
    std::int64_t buffering = 1;
    Footprint footprint = Footprint::Conservative;
    TileMethod method = TileMethod::Exhaustive;
    std::optional<TileShape> ownTile; ///< tile chosen by hand; nullopt = result of the search method
    bool operator==(const Settings&) const = default;

    [[nodiscard]] TileQuery tileQuery() const;
    /// The tile that the programs move: the one chosen by hand, or the result of the search. nullopt stands
    /// for arrayTile(), which is also used if the search finds no tile.
    [[nodiscard]] std::optional<TileShape> programTile() const;
};

/// sameArrayRun(): true if both settings give equal runs of the array. samePrograms(): true if they give
/// equal programs.
[[nodiscard]] bool sameArrayRun(const Settings& a, const Settings& b);
[[nodiscard]] bool samePrograms(const Settings& a, const Settings& b);

/// Returns an Error that names the first invalid setting. The conditions are those of the engine.
[[nodiscard]] Status checkSettings(const Settings& settings);

/// Reads a settings file (NAME.systolic.json). Missing fields get their defaults; the result passes
/// checkSettings().
[[nodiscard]] Result<Settings> parseSettings(std::string_view text, const std::string& file);
[[nodiscard]] std::string settingsJson(const Settings& settings);

} // namespace tilewright::systolic
