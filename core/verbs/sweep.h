// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep/run.h"
#include "verbs/options.h"

#include <string>
#include <vector>

namespace tilewright::verbs {

/// What `sweep` is asked of a plan.
struct SweepCall
{
    std::string plan;     ///< file
    std::string planText; ///< instead of what is in the file, which then only names it
    std::string output;   ///< folder of the results
    std::string part;     ///< "I/N"
    std::vector<std::string> switches;
    int threads = 0;
    bool keepSchedules = false;

    /// The sweep of the plan, with the switches. The Error may be one of any file of the plan.
    [[nodiscard]] Result<sweep::Sweep> read() const;
    /// Threads and part.
    [[nodiscard]] Result<sweep::RunOptions> runOptions() const;
};
void bindOptions(OptionList& o, SweepCall& call);

} // namespace tilewright::verbs
