// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a mapping in the form of charts: energy, times and fill by level.
#pragma once

#include "hierarchy/edits.h"
#include "hierarchy/evaluate.h"

namespace tilewright::hierarchy {

/// Energy in pJ of a level, or of the multiplications.
struct EnergyRow
{
    std::string name; ///< name of the level, or "MACs"
    std::array<double, kOperands> operands{};
    double multiplications = 0;

    [[nodiscard]] double total() const noexcept
    {
        return operands[0] + operands[1] + operands[2] + multiplications;
    }
};

/// Energies of the levels from the outermost inwards, then of the MACs. The totals add up to Cost::energy.
[[nodiscard]] std::vector<EnergyRow> energyRows(const Architecture& architecture, const Cost& cost);

/// Busy time of a resource in cycles (docs/rules/hierarchy.md 5).
struct ResourceTime
{
    Limit kind = Limit::Compute;
    int level = -1; ///< index of the level; -1: the MACs
    double cycles = 0;
    bool limits = false; ///< true for the resource that is busy for the longest time
};

/// Busy times of the MACs, and of the reads and writes of every level with limited bandwidth.
[[nodiscard]] std::vector<ResourceTime> resourceTimes(const Architecture& architecture, const Cost& cost);

/// Number of cycles in which a level without double buffering waits for its tiles.
struct WaitingRow
{
    std::string name; ///< name of the level
    std::array<double, kOperands> fill{}, drain{};
    double total = 0;
};

/// Rows for the levels that wait; empty if all are double-buffered.
[[nodiscard]] std::vector<WaitingRow> waitingRows(const Architecture& architecture, const Cost& cost);

/// Used and available size of a memory.
struct MemoryFill
{
    std::size_t level = 0;
    int operand = -1; ///< operand to which the memory belongs; -1: a memory for all operands of the level
    std::array<std::int64_t, kOperands>
        used{};             ///< bytes of the tiles of each operand, counting both halves of a double buffer
    std::int64_t total = 0; ///< used bytes of all operands
    std::optional<std::int64_t> capacity; ///< size in bytes; nullopt: unlimited

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
    std::int64_t size = 0; ///< 0: the level does not have this axis
    bool isAllowed = true; ///< true if the axis allows every loop that the mapping puts on it

    [[nodiscard]] bool fits() const noexcept { return used <= size && isAllowed; }
};

/// Returns the use of an axis. Precondition: `place` is an axis.
[[nodiscard]] AxisUse axisUse(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                              const Place& place);

/// Effect of an edit, shown before the edit is made: values after it minus values before.
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

/// Text that describes a level: "holds I, O; 8 KiB for I, 6 KiB for O; reads 32 bytes per cycle at 0.125 pJ a
/// bit, ...".
[[nodiscard]] std::string levelText(const LoopNest& nest, const Architecture& architecture,
                                    std::size_t level);

/// Names of the operands that a level holds: "I, O".
[[nodiscard]] std::string heldText(const LoopNest& nest, const Level& level);

} // namespace tilewright::hierarchy
