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

/// A value increased by 10 %, and the figure with this value. The schedule does not change.
struct WhatIf
{
    /// Path of a field of the machine, or of a problem without machine: "levels.external.gb_per_s".
    std::string field;
    std::string from, to; ///< values of the field before and after the change, as in the file
    double figure = 0;    ///< figure with the value `to`
    double change = 0;    ///< `figure` minus the figure with the value `from`
    std::string note;     ///< if the clock changed: by how much its cycles are shorter; else empty
};
/// Tries every value of the machine that the Schedule lens reads. Values that change the figure most come
/// first. Left out are values with which the schedule breaks a rule, and values that cannot be increased by
/// 10 %.
[[nodiscard]] std::vector<WhatIf> whatIf(const Snapshot& snapshot, const lower::ModelOnMachinePtr& model,
                                         std::string_view address, const Progress& progress = {});
/// Returns one line for each value that changes the figure, then the names of the values that do not.
[[nodiscard]] std::string whatIfText(const std::vector<WhatIf>& values);

} // namespace tilewright::figures
