// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/array_timing.h"
#include "systolic/tile_search.h"

#include <array>
#include <string>
#include <vector>

namespace tilewright::systolic {

enum class Level { Host, External, L3, L2, L1 };
inline constexpr std::array kLevels{Level::Host, Level::External, Level::L3, Level::L2, Level::L1};

[[nodiscard]] std::string_view levelName(Level level) noexcept; ///< "host", "external", "l3", "l2", "l1"

/// One memory level. The bandwidth is that of all its buffers together.
struct MemoryLevel
{
    std::int64_t buffers = 1;
    std::int64_t bytes = 0; ///< size of one buffer
    double gbPerSecond = 0;
    bool operator==(const MemoryLevel&) const = default;

    [[nodiscard]] std::int64_t totalBytes() const noexcept { return buffers * bytes; }
};

/// Memory hierarchy around the array (docs/rules/systolic.md 5).
struct Hierarchy
{
    std::string name;
    double frequencyGhz = 1;
    std::int64_t elementBytes = 4;
    ArrayShape array;
    std::array<MemoryLevel, 5> levels; ///< indexed by Level
    bool operator==(const Hierarchy&) const = default;

    [[nodiscard]] const MemoryLevel& at(Level level) const noexcept
    {
        return levels[static_cast<std::size_t>(level)];
    }
    [[nodiscard]] MemoryLevel& at(Level level) noexcept { return levels[static_cast<std::size_t>(level)]; }
    [[nodiscard]] double bytesPerCycle(Level level) const noexcept
    {
        return at(level).gbPerSecond / frequencyGhz;
    }
};

/// The hierarchy of the KPU in the source document; equal to tests/data/hierarchies/kpu.json.
[[nodiscard]] Hierarchy kpuHierarchy();
/// Reads a hierarchy preset. The Error names a missing level, a zero bandwidth or another invalid field.
[[nodiscard]] Result<Hierarchy> parseHierarchy(std::string_view text, const std::string& file);
[[nodiscard]] Result<Hierarchy> readHierarchy(const std::string& path);
[[nodiscard]] std::string hierarchyJson(const Hierarchy& hierarchy);
/// Checks a hierarchy that was edited in memory in the same way as parseHierarchy().
[[nodiscard]] Status checkHierarchy(const Hierarchy& hierarchy);

/// One limit on tile sizes, with the used and the available space.
struct Constraint
{
    std::string name;
    std::int64_t used = 0; ///< used space in bytes, or number of L3 panels
    std::int64_t available = 0;
    std::string unit = "bytes";
    std::string limit; ///< the limit of a size that follows, such as "Kt <= 128"
    [[nodiscard]] bool fits() const noexcept { return used <= available; }
};

/// Text that says which buffers of a level a constraint uses: "one buffer", "all 8 buffers", or "the one
/// buffer" of a level with only one.
[[nodiscard]] std::string roomText(std::int64_t used, std::int64_t buffers);

/// All constraints of docs/rules/systolic.md 5 for a tile of a GEMM. `buffering`: of L1, 2 = double-buffered.
/// The name of a constraint says which buffers it uses. Precondition: the sizes are legal.
[[nodiscard]] std::vector<Constraint> tileConstraints(const Hierarchy& hierarchy, const Gemm& gemm,
                                                      const TileShape& tile, std::int64_t buffering = 2,
                                                      Footprint footprint = Footprint::Conservative);
/// Largest Kt with (R*Kt + Kt*C)*e*buffering <= one L1 buffer. `separate`: A and B have separate buffers.
[[nodiscard]] std::int64_t maxL1Depth(const Hierarchy& hierarchy, std::int64_t buffering,
                                      bool separate) noexcept;
/// Largest K of one resident output tile: (R*K + K*C + R*C)*e <= one L2 buffer.
[[nodiscard]] std::int64_t maxL2Depth(const Hierarchy& hierarchy) noexcept;

/// One of three nested tiles (docs/rules/systolic.md 6.5). The L3 tile cuts the GEMM, the L2 tile cuts the L3
/// tile, the L1 tile cuts the L2 tile.
struct LevelTile
{
    // Loops around the tile: those of the levels above, then i, j, k over the tiles of this level, k
    // innermost. Within one tile of the level above, A is read once for every Tj and B once for every Ti. C
    // stays while only k changes; otherwise its partial sums are written and read back.
    Level level = Level::L3;
    TileShape tile;
    std::int64_t capacityBytes = 0;
    std::int64_t usedBytes = 0;
    std::int64_t trafficBytes = 0; ///< traffic into this level for the whole GEMM, saturating
};
struct ThreeLevelTiling
{
    std::array<LevelTile, 3> level; ///< tiles of the levels L3, L2, L1
};
/// The space in a memory level that its tile may use.
struct LevelRoom
{
    std::int64_t buffers = 0;   ///< number of buffers used; 0 = all
    std::int64_t buffering = 1; ///< 2 = double-buffered
};
struct ThreeLevelOptions
{
    Footprint footprint = Footprint::Conservative; ///< tiles that L3 and L2 must hold (L1 holds no C)
    std::array<LevelRoom, 3> room{{{0, 1}, {0, 1}, {1, 2}}}; ///< available space in the levels L3, L2, L1
};
[[nodiscard]] Result<ThreeLevelTiling> threeLevelTiling(const Hierarchy& hierarchy, const Gemm& gemm,
                                                        const ThreeLevelOptions& options = {});

} // namespace tilewright::systolic
