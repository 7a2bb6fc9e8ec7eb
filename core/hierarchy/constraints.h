// SPDX-License-Identifier: GPL-3.0-or-later
// What the user asks of the mappings of a search (docs/rules/hierarchy.md 8).
#pragma once

#include "hierarchy/mapping.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tilewright::hierarchy {

/// Bounds of the factor of one loop at one place: the temporal loops of a level, or one of its axes.
struct FactorLimit
{
    static constexpr int kTemporal = -1;

    std::size_t level = 0;
    int axis = kTemporal; ///< index of the axis in its level
    int loop = 0;
    std::int64_t least = 1;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool allows(std::int64_t factor) const noexcept
    {
        return factor >= least && factor <= most;
    }
    [[nodiscard]] bool isAt(std::size_t ofLevel, int ofAxis, int ofLoop) const noexcept
    {
        return level == ofLevel && axis == ofAxis && loop == ofLoop;
    }
    bool operator==(const FactorLimit&) const = default;
};

struct Constraints
{
    std::vector<FactorLimit> factors; ///< with at most one limit for each place and loop
    /// Per level: its innermost temporal loops, from outside inwards. Loops that are not listed lie outside
    /// of these in any order. A missing or empty list allows any order.
    std::vector<std::vector<int>> orders;

    [[nodiscard]] bool any() const noexcept;
    /// The limit of this loop at this place; null if there is none.
    [[nodiscard]] const FactorLimit* at(std::size_t level, int axis, int loop) const noexcept;
    [[nodiscard]] std::span<const int> order(std::size_t level) const noexcept
    {
        return level < orders.size() ? std::span<const int>(orders[level]) : std::span<const int>();
    }
    /// True if the mapping satisfies all constraints. Requires that its factors multiply to the trip counts.
    [[nodiscard]] bool allows(const Architecture& architecture, const Mapping& mapping) const;

    bool operator==(const Constraints&) const = default;
};

/// Reads limits of factors, such as "buffer.K=16", "buffer.rows.X<=8" (on an axis) or "DRAM.K>=2", and
/// orders, such as "buffer=K,X". The Error names the text and its option.
[[nodiscard]] Result<Constraints> parseConstraints(const LoopNest& nest, const Architecture& architecture,
                                                   const std::vector<std::string>& factors,
                                                   const std::vector<std::string>& orders);

/// Text of the limit in the form of parseConstraints(); two texts if the limit has two bounds.
[[nodiscard]] std::vector<std::string> limitTexts(const LoopNest& nest, const Architecture& architecture,
                                                  const FactorLimit& limit);

/// Constraints as texts, as parseConstraints() reads them.
struct ConstraintTexts
{
    std::vector<std::string> factors, orders;

    bool operator==(const ConstraintTexts&) const = default;
};
[[nodiscard]] ConstraintTexts textsOf(const LoopNest& nest, const Architecture& architecture,
                                      const Constraints& constraints);

/// Requires this factor at a place. If the place already has a limit, removes that limit instead.
void toggleFactor(Constraints& constraints, const FactorLimit& place, std::int64_t factor);
/// Requires this loop order of a level. If the level already has a required order, removes that order
/// instead.
void toggleOrder(Constraints& constraints, std::size_t level, const std::vector<int>& loops);

/// Texts of all constraints in the form of parseConstraints(), factors first.
[[nodiscard]] std::vector<std::string> constraintTexts(const LoopNest& nest, const Architecture& architecture,
                                                       const Constraints& constraints);

/// Makes a level hold an operand, or not hold it. A level with separate memories gets one for the operand, of
/// the same size as its first one.
void setHeld(Level& level, std::size_t operand, bool isHeld);

/// Reads the loops of the layer in a text such as "X, K". Returns a mask with one bit per loop. The Error
/// names an unknown loop.
[[nodiscard]] Result<unsigned> readLoops(const LoopNest& nest, const std::string& text);

/// Removes an operand from a level, given by a text such as "buffer.W". The Error says why this is
/// impossible.
[[nodiscard]] Status addBypass(Architecture& architecture, const std::string& text);

/// Restricts an axis to the loops in a text such as "buffer.rows=X,K".
[[nodiscard]] Status limitAxis(Architecture& architecture, const std::string& text);

/// Sorts the temporal loops of every level so that the orders of the constraints hold.
void putInOrder(const Constraints& constraints, Mapping& mapping);

} // namespace tilewright::hierarchy
