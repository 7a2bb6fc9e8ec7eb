// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/evaluate.h"

#include <string>
#include <vector>

// Pure helpers of the loop-nest editor: every edit returns a new method, or the reason why not.
namespace tilewright::mapping {

/// Moves one prime factor of a loop from a level to another; refused when the factor there is not
/// divisible by it. The result may break a capacity: checkMethod() and previewMove() tell.
[[nodiscard]] Result<Method> moveFactor(const LoopNest& nest, const Method& method, int loop,
                                        std::int64_t factor, Level from, Level to);

/// Moves a loop to `position` (0: outermost) of the order at DRAM or SPM; the other levels have no order.
[[nodiscard]] Result<Method> reorderLoop(const LoopNest& nest, const Method& method, Level level, int loop,
                                         int position);

/// The method for a layer of other sizes: every level keeps as much of its factors as divides the new trip
/// counts (from the PEs outwards) and DRAM takes the rest. `method` belongs to a nest of the same loops.
[[nodiscard]] Method refitMethod(const LoopNest& nest, const Method& method);

/// The prime factors of the loop's factor at a level, ascending with repetition: what can be dragged.
[[nodiscard]] std::vector<std::int64_t> movableFactors(const Method& method, int loop, Level level);

/// What a move would do, for showing it before the drop. The differences are after minus before.
struct MovePreview
{
    Method method;
    MappingCost after;
    double energyChange = 0;
    std::int64_t cyclesChange = 0;
    double edpChange = 0;
};

[[nodiscard]] MovePreview previewMove(const LoopNest& nest, const Architecture& architecture,
                                      const MappingCost& before, const Method& candidate);

/// Bit l: loop l (with a factor above 1) is one of those that give the operand its reuse at DRAM or SPM.
[[nodiscard]] unsigned reuseLoops(const LoopNest& nest, const Method& method, Level level, int operand);

/// One bar of the memory fill view: how much of a memory each operand takes.
struct MemoryFill
{
    Level level = Level::Rf;
    std::string unit; ///< "elements" of one PE's register file, "banks" of the scratchpad, "PEs"
    std::array<std::int64_t, kOperands> used{}; ///< per operand; for SPATIAL only the first entry: PEs
    std::int64_t total = 0;
    std::int64_t capacity = 0;

    [[nodiscard]] bool fits() const noexcept { return total <= capacity; }
};

/// SPM, RF and SPATIAL, in this order.
[[nodiscard]] std::array<MemoryFill, 3> memoryFill(const Architecture& architecture,
                                                   const MappingCost& evaluation);

enum class EnergyComponent { Mac, Rf, Noc, Spm, Dram, Leakage };
inline constexpr int kEnergyComponents = 6;

[[nodiscard]] std::string_view componentName(EnergyComponent component);

/// pJ by component (row) and operand (column); the last column belongs to no operand
/// (the multiplications, the leakage).
using EnergyMatrix = std::array<std::array<double, kOperands + 1>, kEnergyComponents>;

[[nodiscard]] EnergyMatrix energyMatrix(const MappingCost& evaluation);

/// The tiled nest as C-like text, loops of factor 1 left out.
[[nodiscard]] std::string pseudoCode(const LoopNest& nest, const Method& method);

} // namespace tilewright::mapping
