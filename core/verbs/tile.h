// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "systolic/dram_traffic.h"
#include "systolic/settings.h"
#include "verbs/workload.h"

#include <vector>

namespace tilewright::verbs {

/// What `tile` is asked: one product, or every product of a workload. The words are those of the options.
struct TileCall
{
    std::string gemm;      ///< "MxNxK"
    WorkloadCall workload; ///< instead; or just the machine
    std::string layer;     ///< one product of the workload
    std::optional<systolic::Hierarchy> hierarchy;
    std::string hierarchyFile;            ///< which readFiles() reads the hierarchy from
    std::optional<std::string> array;     ///< without: of the machine or hierarchy, else 16x16
    std::optional<std::int64_t> capacity; ///< bytes; without: of the level, else 64 KiB
    std::optional<std::int64_t> elementBytes;
    std::string footprint = "conservative";
    std::string method = "exhaustive";
    std::string level = "l2-buffer";
    std::string tile;                                       ///< "TixTjxTk": its cost instead of a choice
    std::vector<std::int64_t> levelBuffers, levelBuffering; ///< of L3, L2, L1
    std::int64_t buffering = 1;

    [[nodiscard]] bool ofNetwork() const noexcept { return workload.isNamed() && layer.empty(); }
};
void bindOptions(OptionList& o, TileCall& call);
[[nodiscard]] Status readFiles(TileCall& call);

/// What a tile is asked for: the call, read, or the settings of the window.
struct TileRequest
{
    systolic::TileQuery query; ///< without a product of a network
    systolic::TileMethod method = systolic::TileMethod::Exhaustive;
    std::optional<systolic::TileShape> given; ///< instead of a choice
    systolic::Hierarchy hierarchy;            ///< with the array that counts
    systolic::ThreeLevelOptions levels;
};
[[nodiscard]] TileRequest tileRequestOf(const systolic::Settings& settings);

/// A tile of one product, with what it is judged by.
struct TileAnswer
{
    systolic::TileQuery query;
    systolic::TileChoice choice;
    bool given = false; ///< not chosen
    systolic::Hierarchy hierarchy;
    systolic::ThreeLevelOptions levels;

    [[nodiscard]] std::vector<systolic::Constraint> constraints() const;
    [[nodiscard]] systolic::ReuseFactors reuse() const;
    [[nodiscard]] Result<systolic::ThreeLevelTiling> threeLevels() const;

    std::int64_t bytes = 0;   ///< of the traffic into the level
    systolic::DramQuery dram; ///< output-stationary
    std::optional<systolic::AdaptiveStationary> adaptive;
    bool interrupted = false; ///< `adaptive` is not known
};
[[nodiscard]] Result<TileAnswer> tileOfProduct(const TileRequest& request);
[[nodiscard]] Result<TileAnswer> tileOfProduct(const TileCall& call);

/// DRAM traffic in one order of the tile loops.
struct DramOfOrder
{
    systolic::LoopOrder order = systolic::LoopOrder::Ijk;
    systolic::DramTraffic lru;
    std::optional<systolic::DramTraffic> belady; ///< where it was asked for
};
/// In every order; nothing where the traffic cannot be counted.
[[nodiscard]] std::vector<DramOfOrder> dramOfOrders(const TileAnswer& answer, bool withBelady,
                                                    const Progress& progress = {});
/// Adds the traffic of every dataflow and of a dataflow per row of tiles. This is the slowest part of `tile`.
/// The answer says whether it was interrupted.
void addAdaptive(TileAnswer& answer, const Progress& progress);
/// The documents of `tile --json` (docs/design.md 3.2).
[[nodiscard]] std::string tileJson(const TileAnswer& answer);

struct LayerTile
{
    lower::GemmLayer layer;
    systolic::TileChoice choice;
    std::int64_t bytes = 0;
};
/// A tile for every product of the workload.
[[nodiscard]] Result<std::vector<LayerTile>> tilesOfNetwork(const TileCall& call);
[[nodiscard]] std::string tileJson(const std::vector<LayerTile>& tiles);

} // namespace tilewright::verbs
