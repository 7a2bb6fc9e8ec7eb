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
    std::vector<FactorLimit> factors; ///< at most one limit for each place and loop
    /// For each level: its innermost temporal loops, listed from the outermost of them inwards. Loops that
    /// are not listed lie outside of these in any order. A missing or empty list means that any order is
    /// allowed.
    std::vector<std::vector<int>> orders;

    [[nodiscard]] bool any() const noexcept;
    /// The limit of this place; null if it has none.
    [[nodiscard]] const FactorLimit* at(std::size_t level, int axis, int loop) const noexcept;
    [[nodiscard]] std::span<const int> order(std::size_t level) const noexcept
    {
        return level < orders.size() ? std::span<const int>(orders[level]) : std::span<const int>();
    }
    /// True if the mapping satisfies all constraints. Requires that its factors multiply to the trip counts.
    [[nodiscard]] bool allows(const Architecture& architecture, const Mapping& mapping) const;

    bool operator==(const Constraints&) const = default;
};

/// Reads factors such as "buffer.K=16", "buffer.rows.X<=8" (on an axis) or "DRAM.K>=2", and orders such as
/// "buffer=K,X". The Error names the text and its option.
[[nodiscard]] Result<Constraints> parseConstraints(const LoopNest& nest, const Architecture& architecture,
                                                   const std::vector<std::string>& factors,
                                                   const std::vector<std::string>& orders);

/// The limit as parseConstraints() reads it: two texts if it has two bounds.
[[nodiscard]] std::vector<std::string> limitTexts(const LoopNest& nest, const Architecture& architecture,
                                                  const FactorLimit& limit);

/// Constraints in the form that parseConstraints() reads.
struct ConstraintTexts
{
    std::vector<std::string> factors, orders;

    bool operator==(const ConstraintTexts&) const = default;
};
[[nodiscard]] ConstraintTexts textsOf(const LoopNest& nest, const Architecture& architecture,
                                      const Constraints& constraints);

/// Asks for this factor at a place, or for none if the place has a limit already.
void toggleFactor(Constraints& constraints, const FactorLimit& place, std::int64_t factor);
/// Asks for this order of a level, or for none if it has one already.
void toggleOrder(Constraints& constraints, std::size_t level, const std::vector<int>& loops);

/// All constraints as parseConstraints() reads them, factors first.
[[nodiscard]] std::vector<std::string> constraintTexts(const LoopNest& nest, const Architecture& architecture,
                                                       const Constraints& constraints);

/// Lets a level hold an operand, or skip it. A level with separate memories gets one of the size of its first
/// one for it.
void setHeld(Level& level, std::size_t operand, bool isHeld);

/// The loops of the layer in a text such as "X, K", a bit each. The Error names an unknown one.
[[nodiscard]] Result<unsigned> readLoops(const LoopNest& nest, const std::string& text);

/// Takes the operand of a text such as "buffer.W" from a level. The Error says why it cannot be.
[[nodiscard]] Status addBypass(Architecture& architecture, const std::string& text);

/// Leaves an axis only the loops of a text such as "buffer.rows=X,K" that it takes.
[[nodiscard]] Status limitAxis(Architecture& architecture, const std::string& text);

/// Sorts the temporal loops of every level so that the orders of the constraints hold.
void putInOrder(const Constraints& constraints, Mapping& mapping);

} // namespace tilewright::hierarchy
