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

/// One level of memory; the bandwidth is that of all its buffers together.
struct MemoryLevel
{
    std::int64_t buffers = 1;
    std::int64_t bytes = 0; ///< of one buffer
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

/// The seed's KPU; the same as tests/data/hierarchies/kpu.json.
[[nodiscard]] Hierarchy kpuHierarchy();
/// Reads a preset; the error names a missing level, a zero bandwidth or any other bad field.
[[nodiscard]] Result<Hierarchy> parseHierarchy(std::string_view text, const std::string& file);
[[nodiscard]] Result<Hierarchy> readHierarchy(const std::string& path);
[[nodiscard]] std::string hierarchyJson(const Hierarchy& hierarchy);
/// The same checks as on reading, for a hierarchy edited in memory.
[[nodiscard]] Status checkHierarchy(const Hierarchy& hierarchy);

/// "used / available" of one constraint.
struct Constraint
{
    std::string name;
    std::int64_t used = 0; ///< bytes, or panels for L3
    std::int64_t available = 0;
    std::string unit = "bytes";
    std::string limit; ///< what follows from it, such as "Kt <= 128"
    [[nodiscard]] bool fits() const noexcept { return used <= available; }
};

/// All constraints of docs/rules/systolic.md 5 for a tile of a GEMM; `buffering` 2 = double. Pre-condition:
/// sizes are legal.
[[nodiscard]] std::vector<Constraint> tileConstraints(const Hierarchy& hierarchy, const Gemm& gemm,
                                                      const TileShape& tile, std::int64_t buffering = 2);
/// Largest Kt with (R*Kt + Kt*C)*e*buffering <= one L1 buffer; `separate`: A and B in buffers of their own.
[[nodiscard]] std::int64_t maxL1Depth(const Hierarchy& hierarchy, std::int64_t buffering,
                                      bool separate) noexcept;
/// Largest K of one resident output tile, (R*K + K*C + R*C)*e <= one L2 buffer.
[[nodiscard]] std::int64_t maxL2Depth(const Hierarchy& hierarchy) noexcept;

/// Three nested tiles (docs/rules/systolic.md 6.5): L3 for the whole GEMM, L2 for the L3 tile, L1 for the L2
/// tile.
struct LevelTile
{
    // Loops around it: those of the levels above, then i, j, k of its own tiles, k innermost. Within one tile
    // of the level above, A is read once for every Tj and B for every Ti; C stays while k goes on and its
    // tile is the same, else partial sums leave and return.
    Level level = Level::L3;
    TileShape tile;
    std::int64_t capacityBytes = 0;
    std::int64_t usedBytes = 0;
    std::int64_t trafficBytes = 0; ///< into this level for the whole GEMM; saturates
};
struct ThreeLevelTiling
{
    std::array<LevelTile, 3> level; ///< L3, L2, L1
};
/// How much of a level its tile may fill.
struct LevelRoom
{
    std::int64_t buffers = 0;   ///< of the level, together; 0: all of them
    std::int64_t buffering = 1; ///< 2 = double-buffered
};
struct ThreeLevelOptions
{
    Footprint footprint = Footprint::Conservative;           ///< of L3 and L2; in L1 C stays in the PEs
    std::array<LevelRoom, 3> room{{{0, 1}, {0, 1}, {1, 2}}}; ///< L3, L2, L1
};
[[nodiscard]] Result<ThreeLevelTiling> threeLevelTiling(const Hierarchy& hierarchy, const Gemm& gemm,
                                                        const ThreeLevelOptions& options = {});

} // namespace tilewright::systolic
