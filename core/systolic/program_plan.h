// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/program.h"

namespace tilewright::systolic {

/// A program without its commands: tiles, schedule, slots of every pool. Refuses what buildProgram() refuses.
[[nodiscard]] Result<Program> planProgram(const ProgramOptions& options);

} // namespace tilewright::systolic
