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
    int loop = -1;  ///< ViolationCode::Tiling: index of the loop
    int level = -1; ///< ViolationCode::Spatial and Capacity: index of the level
    std::string message;

    bool operator==(const Violation&) const = default;
};

/// Traffic between all instances of a level and its neighbours (docs/rules/hierarchy.md 3).
struct Traffic
{
    std::int64_t reads = 0; ///< number of elements read
    std::int64_t writes = 0;
    // Traffic in bits. Complete sums of the written operand count with their own width
    // (docs/rules/hierarchy.md 4).
    double readBits = 0;
    double writeBits = 0;

    bool operator==(const Traffic&) const = default;
};

/// Results for one operand in one level.
struct OperandCost
{
    Traffic traffic;
    /// Number of elements of the tile in one instance; 0 if the level does not hold the operand.
    std::int64_t tile = 0;
    double energy = 0; ///< pJ
    // Cycles in which a level without double buffering waits for its tile (docs/rules/hierarchy.md 5).
    double fill = 0;  ///< wait until the tile has arrived
    double drain = 0; ///< wait until the tile has left; for the written operand only
};

/// Results for one level.
struct LevelCost
{
    std::array<OperandCost, kOperands> operands{};
    std::int64_t instances = 1;
    double readCycles = 0; ///< cycles of its reads; 0 if its bandwidth is unlimited
    double writeCycles = 0;

    /// Number of cycles in which the level waits for tiles.
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

/// Evaluation of a mapping (docs/rules/hierarchy.md 2 to 5). Invalid mappings have figures, too, unless their
/// factors do not multiply to the trip counts (`hasNumbers` is false).
struct Cost
{
    std::optional<Violation> violation; ///< first violation in the order of docs/rules/hierarchy.md 2
    bool hasNumbers = false;
    std::vector<LevelCost> levels;
    std::int64_t compute = 0; ///< cycles of the MACs
    double macEnergy = 0;     ///< pJ
    double energy = 0;        ///< pJ
    Limit limit = Limit::Compute;
    int limitLevel = -1; ///< level whose reads or writes are the limit; -1 if the MACs are the limit
    double busy = 0;     ///< cycles of the resource that is the limit
    double waiting = 0;  ///< cycles added by levels without double buffering
    double cycles = 0;   ///< busy + waiting
    double edp = 0;      ///< pJ * cycles

    [[nodiscard]] bool valid() const noexcept { return hasNumbers && !violation; }
};

/// Evaluates a mapping. Preconditions: checkArchitecture() and checkCountable() succeed, the mapping has one
/// entry per level, its loops exist, and its factors are at least 1.
[[nodiscard]] Cost evaluate(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping);

/// Checks only the validity of a mapping. Preconditions as for evaluate().
[[nodiscard]] std::optional<Violation> checkMapping(const LoopNest& nest, const Architecture& architecture,
                                                    const Mapping& mapping);

/// Bits of the tiles in each memory of a level, counted twice if the level is double-buffered (CAPACITY of
/// docs/rules/hierarchy.md 2).
[[nodiscard]] std::array<double, kOperands> storedBits(const LoopNest& nest, const Architecture& architecture,
                                                       std::size_t level, const Factors& extents) noexcept;
/// True if tiles of these sizes, as returned by storedBits(), fit into the level.
[[nodiscard]] bool fits(const Level& level, const std::array<double, kOperands>& bits) noexcept;

/// Text that states the size which a level needs for tiles that do not fit: "needs 192 of 128 bits for I, W".
[[nodiscard]] std::string overflowText(const LoopNest& nest, const Architecture& architecture,
                                       std::size_t level, const std::array<double, kOperands>& bits);

/// Sets the figures of `out` to those of the nest; its violation does not change. Allocates no memory if
/// `out` was used before.
void countCost(const LoopNest& nest, const Architecture& architecture, const TiledNest& tiled, Cost& out);
/// Like countCost(), for imperfect factors (docs/rules/hierarchy.md 11).
void countImperfectCost(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                        Cost& out);

/// Shifted copies of an interval: `count` copies, each `step` elements after the previous one.
struct Shifts
{
    std::int64_t count = 1;
    std::int64_t step = 1;
};

/// Number of elements in the union of intervals of `length` elements, shifted by every combination of
/// `shifts` (docs/rules/hierarchy.md 3). Sorts `shifts`.
[[nodiscard]] std::int64_t unionLength(std::int64_t length, std::span<Shifts> shifts);

} // namespace tilewright::hierarchy
