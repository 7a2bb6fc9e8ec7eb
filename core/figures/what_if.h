// SPDX-License-Identifier: GPL-3.0-or-later
// What a figure of a schedule would be with a little more of each value of the machine.
#pragma once

#include "base/progress.h"
#include "lower/on_machine.h"
#include "snapshot/snapshot.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::figures {

/// A value that is 10 % larger, and the figure then. The schedule stays as it is.
struct WhatIf
{
    std::string field;    ///< field of the machine, or of a plain problem: "levels.external.gb_per_s"
    std::string from, to; ///< values of the field before and after the change, as in the file
    double figure = 0;    ///< the figure with `to`
    double change = 0;    ///< figure minus the figure with `from`
    std::string note;     ///< of another clock: by how much its cycles are shorter; else empty
};
/// Tries every value of the machine that the Schedule lens reads, those first that change the figure most.
/// Left out: values with which the schedule breaks a rule, and those that cannot be 10 % larger.
[[nodiscard]] std::vector<WhatIf> whatIf(const Snapshot& snapshot, const lower::ModelOnMachinePtr& model,
                                         std::string_view address, const Progress& progress = {});
/// Returns a line for each value that changes the figure, and the names of those that do not.
[[nodiscard]] std::string whatIfText(const std::vector<WhatIf>& values);

} // namespace tilewright::figures
