// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/evaluate.h"

#include <algorithm>
#include <string>
#include <vector>

// Edits of the loop-nest editor. Each edit returns a new method, or the reason why it is impossible.
namespace tilewright::mapping {

/// Checks whether `present`, the factor of a loop at the place `where`, can give away a factor. An Error
/// states why not.
[[nodiscard]] Status checkMove(const LoopNest& nest, int loop, std::int64_t present, const std::string& where,
                               std::int64_t factor);

/// Moves an element of a list to the position of another one. The elements between them move by one.
template <typename Iterator> void moveElement(Iterator from, Iterator to)
{
    if (from < to)
        std::rotate(from, from + 1, to + 1);
    else
        std::rotate(to, from, from + 1);
}

/// Moves a factor of a loop from one level to another. Returns an Error if the factor does not divide the
/// loop's factor at the first level. The result may exceed a capacity: see checkMethod() and previewMove().
[[nodiscard]] Result<Method> moveFactor(const LoopNest& nest, const Method& method, int loop,
                                        std::int64_t factor, Level from, Level to);

/// Moves a loop to `position` (0 = outermost) of the loop order at DRAM or SPM, the only levels with an
/// order.
[[nodiscard]] Result<Method> reorderLoop(const LoopNest& nest, const Method& method, Level level, int loop,
                                         int position);

/// Adapts a method to a layer with other trip counts and the same loops. At each level, from the PEs
/// outwards, a loop keeps the part of its factor that divides its new trip count. DRAM gets the remaining
/// factor.
[[nodiscard]] Method refitMethod(const LoopNest& nest, const Method& method);

/// Prime factors of the loop's factor at a level, ascending, with repetition. Each of them can be dragged.
[[nodiscard]] std::vector<std::int64_t> movableFactors(const Method& method, int loop, Level level);

/// Effect of an edit, shown before the drop. Changes are values after the edit minus values before.
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

/// Bit mask of the loops that give the operand its reuse at DRAM or SPM (only loops with a factor above 1).
[[nodiscard]] unsigned reuseLoops(const LoopNest& nest, const Method& method, Level level, int operand);

/// Use of one memory by each operand: a bar of the memory fill view.
struct MemoryFill
{
    Level level = Level::Rf;
    std::string unit; ///< "elements" (register file of one PE), "banks" (scratchpad) or "PEs"
    /// Per operand; SPATIAL uses only the first entry, for its PEs.
    std::array<std::int64_t, kOperands> used{};
    std::int64_t total = 0;
    std::int64_t capacity = 0;

    [[nodiscard]] bool fits() const noexcept { return total <= capacity; }
};

/// Use of SPM, RF and SPATIAL, in this order.
[[nodiscard]] std::array<MemoryFill, 3> memoryFill(const Architecture& architecture,
                                                   const MappingCost& evaluation);

enum class EnergyComponent { Mac, Rf, Noc, Spm, Dram, Leakage };
inline constexpr int kEnergyComponents = 6;

[[nodiscard]] std::string_view componentName(EnergyComponent component);

/// Energy in pJ by component (row) and operand (column). The last column is for energy that belongs to no
/// operand (multiplications, leakage).
using EnergyMatrix = std::array<std::array<double, kOperands + 1>, kEnergyComponents>;

[[nodiscard]] EnergyMatrix energyMatrix(const MappingCost& evaluation);

/// Parts of pseudoCode(): the variable of a loop ("ox"), and the innermost statement.
[[nodiscard]] std::string loopVariable(const LoopNest& nest, int loop);
[[nodiscard]] std::string multiplicationText(const LoopNest& nest);

/// The tiled loop nest as C-like text, without loops of factor 1.
[[nodiscard]] std::string pseudoCode(const LoopNest& nest, const Method& method);

} // namespace tilewright::mapping
