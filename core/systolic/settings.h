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
    std::int64_t depth = kTileDepth; ///< Tk of one COMPUTE; programs of a tile take the deepest that L1 holds
    /// L2 schedule of the pipelined program, output-stationary; nullopt: A + row reuse, or B if L2 is too
    /// small
    std::optional<L2Schedule> schedule;
    std::int64_t passes = 0; ///< passes of schedule B; 0: passesOfB()
    /// without a tile chosen by hand, the programs move: true: the tile of the search, false: arrayTile()
    bool searchedTile = false;
    // Settings of the tile search:
    Level tileLevel = Level::L2;
    bool wholeLevel = false; ///< capacity is that of all buffers of the level instead of one
    std::int64_t buffering = 1;
    Footprint footprint = Footprint::Conservative;
    TileMethod method = TileMethod::Exhaustive;
    std::optional<TileShape> ownTile; ///< tile chosen by hand; nullopt = result of the method
    bool operator==(const Settings&) const = default;

    [[nodiscard]] TileQuery tileQuery() const;
    /// The tile that the programs move: the one chosen by hand, or that of the search. nullopt: arrayTile(),
    /// also if the search finds none.
    [[nodiscard]] std::optional<TileShape> programTile() const;
};

/// True if both settings give equal runs of the array (samePrograms: equal programs).
[[nodiscard]] bool sameArrayRun(const Settings& a, const Settings& b);
[[nodiscard]] bool samePrograms(const Settings& a, const Settings& b);

/// Returns an Error that names the first invalid setting, under the same conditions as the engine.
[[nodiscard]] Status checkSettings(const Settings& settings);

/// Reads a settings file (NAME.systolic.json). Missing fields get their defaults; the result passes
/// checkSettings().
[[nodiscard]] Result<Settings> parseSettings(std::string_view text, const std::string& file);
[[nodiscard]] std::string settingsJson(const Settings& settings);

} // namespace tilewright::systolic
