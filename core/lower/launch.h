// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "explanation/explanation.h"
#include "lower/on_machine.h"

namespace tilewright::lower {

/// Time in ms from the commands of the host to the starts of all operators that have work (docs/rules/real.md
/// R19): the sum of the machine's `launch_us` by kind of operator. 0 if the machine states none.
[[nodiscard]] ExplainedValue launchOf(const ModelOnMachine& model);
/// Launch time in ms of one operator; 0 if it has no work.
[[nodiscard]] double launchOf(const ModelOnMachine& model, OperatorId op);

} // namespace tilewright::lower
