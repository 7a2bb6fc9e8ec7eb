// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/run.h"

#include <string>

namespace tilewright::cli {

/// Where the answer of a run of a schedule goes.
struct RunOutput
{
    std::string trace; ///< file of a Chrome trace; empty: none
    bool json = false, progress = false;
};

/// Reads, runs and prints, for the verbs `run` and `npu --schedule`. Returns the exit code.
int answerRun(verbs::RunCall& call, const RunOutput& output);

} // namespace tilewright::cli
