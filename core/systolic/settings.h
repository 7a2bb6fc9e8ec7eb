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

/// What the Systolic lens looks at: one GEMM on one machine. The array's shape is hierarchy.array.
struct Settings
{
    Gemm gemm{64, 64, 64};
    std::string origin; ///< where the GEMM comes from; empty when a person typed it
    TimingOptions timing;
    Hierarchy hierarchy = kpuHierarchy();
    EdgeSupply supply;
    // Pipeline
    bool unlimitedBandwidth = false;
    BankLayout layout = BankLayout::Split;
    std::int64_t depth = kTileDepth; ///< Tk of one COMPUTE
    // Tile search
    Level tileLevel = Level::L2;
    bool wholeLevel = false; ///< the total of all the level's buffers instead of one of them
    std::int64_t buffering = 1;
    Footprint footprint = Footprint::Conservative;
    TileMethod method = TileMethod::Exhaustive;
    std::optional<TileShape> ownTile; ///< chosen by hand; else the method's pick
    bool operator==(const Settings&) const = default;

    [[nodiscard]] TileQuery tileQuery() const;
};

/// Do these settings lead to the same run of the array, of the programs?
[[nodiscard]] bool sameArrayRun(const Settings& a, const Settings& b);
[[nodiscard]] bool samePrograms(const Settings& a, const Settings& b);

/// Refuses what the core refuses; the Error says which setting and why.
[[nodiscard]] Status checkSettings(const Settings& settings);

/// The settings as a file (NAME.systolic.json); what is missing takes its default, and what is read passes
/// checkSettings().
[[nodiscard]] Result<Settings> parseSettings(std::string_view text, const std::string& file);
[[nodiscard]] std::string settingsJson(const Settings& settings);

} // namespace tilewright::systolic
