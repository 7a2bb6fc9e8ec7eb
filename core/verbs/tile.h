// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "systolic/dram_traffic.h"
#include "systolic/settings.h"
#include "verbs/workload.h"

#include <vector>

namespace tilewright::verbs {

/// The options of `tile`, for one product or for every product of a workload. Members are named after the
/// options.
struct TileCall
{
    std::string gemm;      ///< "MxNxK"
    WorkloadCall workload; ///< used instead of `gemm`, or names only the machine
    std::string layer;     ///< name of one product of the workload
    std::optional<systolic::Hierarchy> hierarchy;
    std::string hierarchyFile;            ///< file from which readFiles() reads the hierarchy
    std::optional<std::string> array;     ///< "RxC"; empty: that of the machine or hierarchy, else 16x16
    std::optional<std::int64_t> capacity; ///< capacity in bytes; empty: that of the level, else 64 KiB
    std::optional<std::int64_t> elementBytes;
    std::string footprint = "conservative";
    std::string method = "exhaustive";
    std::string level = "l2-buffer";
    /// A tile to evaluate: "TixTjxTk". If empty, a tile is chosen.
    std::string tile;
    /// Number of buffers, and buffering, of L3, L2, L1.
    std::vector<std::int64_t> levelBuffers, levelBuffering;
    std::int64_t buffering = 1;

    [[nodiscard]] bool ofNetwork() const noexcept { return workload.isNamed() && layer.empty(); }
};
void bindOptions(OptionList& o, TileCall& call);
[[nodiscard]] Status readFiles(TileCall& call);

/// The inputs for the choice of a tile, from the command line or from the settings of the window.
struct TileRequest
{
    systolic::TileQuery query; ///< its product is empty if `tile` runs for a whole network
    systolic::TileMethod method = systolic::TileMethod::Exhaustive;
    std::optional<systolic::TileShape> given; ///< tile that the user gave; if empty, a tile is chosen
    systolic::Hierarchy hierarchy;            ///< its array is the one that the options select
    systolic::ThreeLevelOptions levels;
    /// Text of the memory whose capacity the query has: "L2, one buffer", "a memory of 64 KiB".
    std::string room;
};
[[nodiscard]] TileRequest tileRequestOf(const systolic::Settings& settings);

/// A tile for one product and its traffic, with the hierarchy and options for which it was chosen.
struct TileAnswer
{
    systolic::TileQuery query;
    systolic::TileChoice choice;
    bool given = false; ///< true if the user gave the tile; false if it was chosen
    systolic::Hierarchy hierarchy;
    systolic::ThreeLevelOptions levels;
    std::string room; ///< TileRequest::room

    /// Text that says whether the tile fits: "49 152 of 16 384 elements of L2, one buffer (A, B and C), does
    /// not fit".
    [[nodiscard]] std::string fitText() const;
    [[nodiscard]] std::vector<systolic::Constraint> constraints() const;
    [[nodiscard]] systolic::ReuseFactors reuse() const;
    [[nodiscard]] Result<systolic::ThreeLevelTiling> threeLevels() const;

    std::int64_t bytes = 0;   ///< traffic into the level, in bytes
    systolic::DramQuery dram; ///< query for the DRAM traffic with the OS dataflow
    std::optional<systolic::AdaptiveStationary> adaptive;
    bool interrupted = false; ///< true if addAdaptive() was interrupted; `adaptive` is then empty
};
[[nodiscard]] Result<TileAnswer> tileOfProduct(const TileRequest& request);
[[nodiscard]] Result<TileAnswer> tileOfProduct(const TileCall& call);

/// DRAM traffic for one order of the tile loops.
struct DramOfOrder
{
    systolic::LoopOrder order = systolic::LoopOrder::Ijk;
    systolic::DramTraffic lru;
    std::optional<systolic::DramTraffic> belady; ///< empty unless `withBelady`
};
/// Returns the DRAM traffic for every order of the tile loops; empty if it cannot be counted.
[[nodiscard]] std::vector<DramOfOrder> dramOfOrders(const TileAnswer& answer, bool withBelady,
                                                    const Progress& progress = {});
/// Adds the DRAM traffic of every dataflow, and of the best dataflow per row of tiles. This is the slowest
/// part of `tile`. The answer says whether it was interrupted.
void addAdaptive(TileAnswer& answer, const Progress& progress);
/// The documents of `tile --json` (docs/design.md 3.2).
[[nodiscard]] std::string tileJson(const TileAnswer& answer);

struct LayerTile
{
    lower::GemmLayer layer;
    systolic::TileChoice choice;
    std::int64_t bytes = 0;
};
/// Returns a tile for every product of the workload.
[[nodiscard]] Result<std::vector<LayerTile>> tilesOfNetwork(const TileCall& call);
[[nodiscard]] std::string tileJson(const std::vector<LayerTile>& tiles);

} // namespace tilewright::verbs
