// SPDX-License-Identifier: GPL-3.0-or-later
// A machine as an architecture with levels (docs/rules/hierarchy.md 9).
#pragma once

#include "hierarchy/architecture.h"
#include "model/machine.h"

#include <string>
#include <vector>

namespace tilewright::lower {

struct MachineLevels
{
    hierarchy::Architecture architecture;
    /// Sentences for the answer: what the machine does not say and was assumed, and what of it is left out.
    std::vector<std::string> notes;
};

/// The Error names a value of the machine that has no place in such an architecture.
[[nodiscard]] Result<MachineLevels> levelsOf(const Machine& machine);

} // namespace tilewright::lower
