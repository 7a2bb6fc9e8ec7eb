// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/architecture.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::hierarchy {

/// A loop of the tiled nest: `factor` steps of loop `loop` of the layer.
struct TiledLoop
{
    int loop = 0;
    std::int64_t factor = 1;

    bool operator==(const TiledLoop&) const = default;
};

/// Loops that a mapping puts on one axis.
struct AxisLoops
{
    std::string axis; ///< name of the axis; an axis that the level does not have violates SPATIAL
    std::vector<TiledLoop> loops;

    bool operator==(const AxisLoops&) const = default;
};

/// Loops of one level. The spatial loops lie inside the temporal ones.
struct LevelLoops
{
    std::vector<TiledLoop> temporal; ///< temporal loops from the outermost inwards
    std::vector<AxisLoops> spatial;

    bool operator==(const LevelLoops&) const = default;
};

/// A mapping: how a layer runs on a hierarchy, with one entry per level of the architecture
/// (docs/rules/hierarchy.md 2).
struct Mapping
{
    std::vector<LevelLoops> levels;

    bool operator==(const Mapping&) const = default;
};

/// Returns the mapping in which all loops are temporal loops of the outermost level, in the order of the
/// layer.
[[nodiscard]] Mapping trivialMapping(const LoopNest& nest, const Architecture& architecture);

/// How often the tile of an operand in a level changes (docs/rules/hierarchy.md 3).
struct Visits
{
    std::int64_t all = 1;       ///< D of docs/rules/hierarchy.md 3: number of visits
    std::int64_t different = 1; ///< N of docs/rules/hierarchy.md 3: number of different tiles

    bool operator==(const Visits&) const = default;
};

/// A mapping in the form that the cost model reads. In lists with one entry per level, the additional entry
/// with index `levels` belongs to the MACs.
struct TiledNest
{
    std::size_t levels = 0;
    std::array<Factors, kMaxLevels> spatial; ///< per level: product of the spatial factors of each loop
    /// Per level: extent of each loop (docs/rules/hierarchy.md 2).
    std::array<Factors, kMaxLevels + 1> extents;
    std::array<std::int64_t, kMaxLevels + 1> instances{};
    std::array<std::array<Visits, kOperands>, kMaxLevels + 1> visits;
    std::int64_t compute = 1; ///< product of all temporal factors
};

/// Preconditions: one entry per level, every loop exists, and the factors of every loop multiply to its trip
/// count. With imperfect factors the extents are those of the first, largest tiles, and `visits` and
/// `compute` count as if all tiles were as large (see ImperfectCounter).
[[nodiscard]] TiledNest tiledNest(const LoopNest& nest, const Mapping& mapping) noexcept;

} // namespace tilewright::hierarchy
