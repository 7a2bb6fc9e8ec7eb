// SPDX-License-Identifier: GPL-3.0-or-later
// Methods, and the limits of factors that the user sets.
#pragma once

#include "mapping/layer.h"

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace tilewright::mapping {

inline constexpr int kLevels = 4;
/// Memory levels, in the order of lists without names (docs/rules/mapping.md 1).
enum class Level { Dram, Spm, Rf, Spatial };

[[nodiscard]] std::string_view levelName(Level level);

/// Loop indices, outermost first. Only the first `loopCount` entries are used.
using LoopOrder = std::array<int, kMaxLoops>;

/// An execution method: a factor per loop and level, and the loop orders at DRAM and SPM.
struct Method
{
    std::array<Factors, kLevels> tiling{};
    LoopOrder dramOrder{0, 1, 2, 3, 4, 5, 6};
    LoopOrder spmOrder{0, 1, 2, 3, 4, 5, 6};

    [[nodiscard]] Factors& at(Level level) { return tiling[static_cast<std::size_t>(level)]; }
    [[nodiscard]] const Factors& at(Level level) const { return tiling[static_cast<std::size_t>(level)]; }
    bool operator==(const Method&) const = default;
};

/// The method with all factors at DRAM. It is valid if the register file and the scratchpad each hold three
/// elements.
[[nodiscard]] Method trivialMethod(const LoopNest& nest);

/// A class of loop orders of one level with the same reuse (docs/rules/mapping.md 3): the loops of `subset`,
/// which do not index `operand`, are innermost. `operand` = -1: no operand is reused.
struct OrderClass
{
    int operand = -1;
    unsigned subset = 0;
    std::int64_t reuse = 1;

    bool operator==(const OrderClass&) const = default;
};

/// The order classes of a level: at most 15 for conv, 11 for dwconv (including the class without reuse), 3
/// for gemm.
struct OrderClasses
{
    int count = 0;
    std::array<OrderClass, 16> items{};

    [[nodiscard]] const OrderClass* begin() const noexcept { return items.data(); }
    [[nodiscard]] const OrderClass* end() const noexcept { return items.data() + count; }
    void add(const OrderClass& c) noexcept { items[static_cast<std::size_t>(count++)] = c; }
};

[[nodiscard]] OrderClasses orderClasses(const LoopNest& nest, const Factors& factors) noexcept;

/// A loop order that belongs to the class.
[[nodiscard]] LoopOrder orderOf(const LoopNest& nest, const OrderClass& orderClass) noexcept;

/// Number of consecutive passes that use the same data of the operand (docs/rules/mapping.md 3).
[[nodiscard]] std::int64_t reuseOf(const LoopNest& nest, int operand, const Factors& factors,
                                   const LoopOrder& order) noexcept;

/// Lower and upper bounds of factors, per level and loop, that the user sets (docs/rules/mapping.md 10.5).
struct Constraints
{
    Constraints() noexcept;

    std::array<Factors, kLevels> least; ///< 1 = no bound
    std::array<Factors, kLevels> most;  ///< largest integer = no bound

    [[nodiscard]] bool any() const noexcept { return *this != Constraints{}; }
    /// True if any factor of the level is bounded.
    [[nodiscard]] bool bounds(Level level) const noexcept;
    [[nodiscard]] bool allows(Level level, const Factors& factors) const noexcept;
    [[nodiscard]] bool allows(const Method& method) const noexcept;
    bool operator==(const Constraints&) const = default;
};

/// Reads constraints such as "SPATIAL.M=16", "RF.C<=8" or "DRAM.K>=2", one per text. The Error names the
/// invalid text.
[[nodiscard]] Result<Constraints> parseConstraints(const LoopNest& nest,
                                                   const std::vector<std::string>& texts);

} // namespace tilewright::mapping
