// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "explanation/explanation.h"
#include "lower/on_machine.h"

namespace tilewright::lower {

/// Time in ms from the commands of the host to the starts of all operators that have work
/// (docs/rules/real.md R19): `launch_us` of the machine by kind of operator, one after another. 0 if the
/// machine states none.
[[nodiscard]] ExplainedValue launchOf(const ModelOnMachine& model);
/// The part of one operator in ms, if it has work.
[[nodiscard]] double launchOf(const ModelOnMachine& model, OperatorId op);

} // namespace tilewright::lower
