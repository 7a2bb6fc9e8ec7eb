// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep/run.h"
#include "verbs/options.h"

#include <string>
#include <vector>

namespace tilewright::verbs {

/// The options of `sweep`, as text.
struct SweepCall
{
    std::string plan; ///< file of the plan
    /// Text of the plan, used instead of the content of the file. The name of the file then only appears in
    /// messages.
    std::string planText;
    std::string output; ///< folder for the results
    std::string part;   ///< part of the sweep to run: "I/N"
    std::vector<std::string> switches;
    int threads = 0;
    bool keepSchedules = false;

    /// Reads the sweep of the plan and applies the rule switches. The Error may concern any file that the
    /// plan names.
    [[nodiscard]] Result<sweep::Sweep> read() const;
    /// Returns the number of threads and the part of the sweep to run.
    [[nodiscard]] Result<sweep::RunOptions> runOptions() const;
};
void bindOptions(OptionList& o, SweepCall& call);

} // namespace tilewright::verbs
