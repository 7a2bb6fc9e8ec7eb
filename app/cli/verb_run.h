// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/run.h"

#include <string>

namespace tilewright::cli {

/// Destination and form of the output of a schedule's run.
struct RunOutput
{
    std::string trace;   ///< file for a Chrome trace; empty: no trace
    std::string explain; ///< address of a figure; empty: none
    bool json = false, progress = false;
};

/// Reads the files, runs the schedule and prints the result, for the verbs `run` and `npu --schedule`.
/// Returns the exit code.
int answerRun(verbs::RunCall& call, const RunOutput& output);

} // namespace tilewright::cli
