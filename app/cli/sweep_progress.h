// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep/run.h"

#include <functional>
#include <string>

namespace tilewright::cli {

/// "2 h 5 min", "3 min 20 s", "12 s".
[[nodiscard]] std::string durationText(double seconds);
/// "412 done, 3 failed, 585 to go, 1 min 20 s left"
[[nodiscard]] std::string stateText(const sweep::RunState& state);

/// Shows the state of a run on stderr: a bar where that is a terminal, else a line for every tenth.
[[nodiscard]] std::function<void(const sweep::RunState&)> sweepProgress();

} // namespace tilewright::cli
