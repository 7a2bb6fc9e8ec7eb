// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a mapping in the form of charts: energy, times and fill by level.
#pragma once

#include "hierarchy/edits.h"
#include "hierarchy/evaluate.h"

namespace tilewright::hierarchy {

/// Energy of a level in pJ, or that of the multiplications.
struct EnergyRow
{
    std::string name; ///< name of the level; "MACs"
    std::array<double, kOperands> operands{};
    double multiplications = 0;

    [[nodiscard]] double total() const noexcept
    {
        return operands[0] + operands[1] + operands[2] + multiplications;
    }
};

/// The levels from the outermost inwards, then the MACs. The totals add up to Cost::energy.
[[nodiscard]] std::vector<EnergyRow> energyRows(const Architecture& architecture, const Cost& cost);

/// The time of a resource (docs/rules/hierarchy.md 5).
struct ResourceTime
{
    Limit kind = Limit::Compute;
    int level = -1; ///< -1: the MACs
    double cycles = 0;
    bool limits = false; ///< true for the one that is busy for the longest time
};

/// Times of the MACs, and of the reads and writes of every level whose bandwidth is limited.
[[nodiscard]] std::vector<ResourceTime> resourceTimes(const Architecture& architecture, const Cost& cost);

/// Cycles in which a level without double buffer waits for its tiles.
struct WaitingRow
{
    std::string name; ///< name of the level
    std::array<double, kOperands> fill{}, drain{};
    double total = 0;
};

/// The levels that wait; none if all are double-buffered.
[[nodiscard]] std::vector<WaitingRow> waitingRows(const Architecture& architecture, const Cost& cost);

/// Used and available size of a memory.
struct MemoryFill
{
    std::size_t level = 0;
    int operand = -1; ///< whose memory it is; -1: one for all operands of the level
    std::array<std::int64_t, kOperands>
        used{};                           ///< bytes of each operand's tiles, both halves of a double buffer
    std::int64_t total = 0;               ///< bytes
    std::optional<std::int64_t> capacity; ///< bytes; nullopt: unlimited

    [[nodiscard]] bool fits() const noexcept { return !capacity || total <= *capacity; }
};

/// The memories of all levels from the outermost inwards. Precondition: the factors multiply to the trip
/// counts.
[[nodiscard]] std::vector<MemoryFill> memoryFills(const LoopNest& nest, const Architecture& architecture,
                                                  const Mapping& mapping);

/// Number of instances along an axis, and how many of them a mapping uses.
struct AxisUse
{
    std::int64_t used = 1;
    std::int64_t size = 0; ///< 0: the level has no such axis
    bool isAllowed = true; ///< every loop may be there

    [[nodiscard]] bool fits() const noexcept { return used <= size && isAllowed; }
};

/// Precondition: `place` is an axis.
[[nodiscard]] AxisUse axisUse(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                              const Place& place);

/// Differences of an edit that is shown before it is made: after minus before.
struct MovePreview
{
    Mapping mapping;
    Cost after;
    double energyChange = 0;
    double cyclesChange = 0;
    double edpChange = 0;
};

[[nodiscard]] MovePreview previewMove(const LoopNest& nest, const Architecture& architecture,
                                      const Cost& before, const Mapping& candidate);

/// Describes a level in words: "holds I, O; 8 KiB for I, 6 KiB for O; reads 32 bytes per cycle at 0.125 pJ a
/// bit, ...".
[[nodiscard]] std::string levelText(const LoopNest& nest, const Architecture& architecture,
                                    std::size_t level);

/// Names of the operands that a level holds: "I, O".
[[nodiscard]] std::string heldText(const LoopNest& nest, const Level& level);

} // namespace tilewright::hierarchy
