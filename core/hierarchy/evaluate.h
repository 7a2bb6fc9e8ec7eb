// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/mapping.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::hierarchy {

/// Reasons for an invalid mapping, in the order in which they are reported (docs/rules/hierarchy.md 2).
enum class ViolationCode { Tiling, Spatial, Capacity };

[[nodiscard]] std::string_view violationName(ViolationCode code);

struct Violation
{
    ViolationCode code = ViolationCode::Tiling;
    int loop = -1;  ///< Tiling: index of the loop
    int level = -1; ///< Spatial, Capacity: index of the level
    std::string message;

    bool operator==(const Violation&) const = default;
};

/// Traffic between all instances of a level and its neighbours (docs/rules/hierarchy.md 3).
struct Traffic
{
    std::int64_t reads = 0; ///< elements
    std::int64_t writes = 0;
    // The traffic in bits: complete sums of the written operand count with their own width
    // (docs/rules/hierarchy.md 4).
    double readBits = 0;
    double writeBits = 0;

    bool operator==(const Traffic&) const = default;
};

/// Figures of an operand in a level.
struct OperandCost
{
    Traffic traffic;
    std::int64_t tile = 0; ///< elements of the tile of one instance; 0 if the level does not hold the operand
    double energy = 0;     ///< pJ
    // Cycles in which a level without double buffer waits for its tile (docs/rules/hierarchy.md 5).
    double fill = 0;  ///< wait until the tile has arrived
    double drain = 0; ///< wait until the tile has left; for the written operand only
};

/// Figures of a level.
struct LevelCost
{
    std::array<OperandCost, kOperands> operands{};
    std::int64_t instances = 1;
    double readCycles = 0; ///< time of its reads; 0 if its bandwidth is unlimited
    double writeCycles = 0;

    /// Cycles in which the level waits for tiles.
    [[nodiscard]] double waiting() const noexcept
    {
        double out = 0;
        for (const OperandCost& o : operands)
            out += o.fill + o.drain;
        return out;
    }
    [[nodiscard]] double energy() const noexcept
    {
        return operands[0].energy + operands[1].energy + operands[2].energy;
    }
};

/// The resource that is busy for the longest time.
enum class Limit { Compute, Reads, Writes };

/// Evaluation of a mapping (docs/rules/hierarchy.md 2 to 5). An invalid mapping has figures unless its
/// factors do not multiply to the trip counts (`hasNumbers` is false).
struct Cost
{
    std::optional<Violation> violation; ///< the first one in the order of docs/rules/hierarchy.md 2
    bool hasNumbers = false;
    std::vector<LevelCost> levels;
    std::int64_t compute = 0; ///< cycles of the MACs
    double macEnergy = 0;     ///< pJ
    double energy = 0;        ///< pJ
    Limit limit = Limit::Compute;
    int limitLevel = -1; ///< level of the limit; -1 if it is the MACs
    double busy = 0;     ///< cycles of the limit
    double waiting = 0;  ///< cycles added by levels without double buffer
    double cycles = 0;   ///< busy + waiting
    double edp = 0;      ///< pJ * cycles

    [[nodiscard]] bool valid() const noexcept { return hasNumbers && !violation; }
};

/// Evaluates a mapping. Preconditions: checkArchitecture(), checkCountable(), one entry per level, existing
/// loops, factors from 1.
[[nodiscard]] Cost evaluate(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping);

/// Checks only the validity of a mapping. Same preconditions.
[[nodiscard]] std::optional<Violation> checkMapping(const LoopNest& nest, const Architecture& architecture,
                                                    const Mapping& mapping);

/// Bits that the tiles take in each memory of a level, twice if it is double-buffered
/// (docs/rules/hierarchy.md 2, CAPACITY).
[[nodiscard]] std::array<double, kOperands> storedBits(const LoopNest& nest, const Architecture& architecture,
                                                       std::size_t level, const Factors& extents) noexcept;
/// True if tiles of these sizes, as returned by storedBits(), fit into the level.
[[nodiscard]] bool fits(const Level& level, const std::array<double, kOperands>& bits) noexcept;

/// Describes the size that a level needs for tiles that do not fit: "needs 192 of 128 bits for I, W".
[[nodiscard]] std::string overflowText(const LoopNest& nest, const Architecture& architecture,
                                       std::size_t level, const std::array<double, kOperands>& bits);

/// Overwrites the figures of `out` with those of the nest; leaves its violation. Needs no memory if `out` was
/// used before.
void countCost(const LoopNest& nest, const Architecture& architecture, const TiledNest& tiled, Cost& out);
/// Same as countCost(), for imperfect factors (docs/rules/hierarchy.md 11).
void countImperfectCost(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                        Cost& out);

/// Copies of an interval: `count` of them, each `step` elements after the one before it.
struct Shifts
{
    std::int64_t count = 1;
    std::int64_t step = 1;
};

/// Elements of the union of intervals of `length` elements at all sums of the shifts (docs/rules/hierarchy.md
/// 3). Sorts `shifts`.
[[nodiscard]] std::int64_t unionLength(std::int64_t length, std::span<Shifts> shifts);

} // namespace tilewright::hierarchy
