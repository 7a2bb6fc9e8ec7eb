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
    /// Sentences for the answer: values that the machine does not state and that were assumed, and values of
    /// the machine that are left out.
    std::vector<std::string> notes;
};

/// Converts a machine to an architecture with levels. The Error names a value of the machine that such an
/// architecture cannot have.
[[nodiscard]] Result<MachineLevels> levelsOf(const Machine& machine);

} // namespace tilewright::lower
