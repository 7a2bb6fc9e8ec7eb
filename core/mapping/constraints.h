// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/method.h"

#include <limits>
#include <string>
#include <vector>

namespace tilewright::mapping {

/// Factors that a person has fixed or bounded, per level and loop (docs/rules/mapping.md 10.5).
struct Constraints
{
    Constraints() noexcept;

    std::array<Factors, kLevels> least; ///< 1 where nothing is asked for
    std::array<Factors, kLevels> most;  ///< the largest integer where nothing is asked for

    [[nodiscard]] bool any() const noexcept { return *this != Constraints{}; }
    /// Is the level of index `level` bounded at all?
    [[nodiscard]] bool bounds(Level level) const noexcept;
    [[nodiscard]] bool allows(Level level, const Factors& factors) const noexcept;
    [[nodiscard]] bool allows(const Method& method) const noexcept;
    bool operator==(const Constraints&) const = default;
};

/// "SPATIAL.M=16", "RF.C<=8", "DRAM.K>=2", one each; an Error that names the text.
[[nodiscard]] Result<Constraints> parseConstraints(const LoopNest& nest,
                                                   const std::vector<std::string>& texts);

} // namespace tilewright::mapping
