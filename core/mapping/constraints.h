// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/method.h"

#include <limits>
#include <string>
#include <vector>

namespace tilewright::mapping {

/// Lower and upper bounds of factors set by the user, per level and loop (docs/rules/mapping.md 10.5).
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
