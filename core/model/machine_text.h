// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of a value of a machine, beside the value.
#pragma once

#include "model/machine.h"

namespace tilewright {

/// "paper: JSSC 52(1) (2017); quoted by a tool"
[[nodiscard]] std::string sourceText(const Provenance& source);
/// Source, formula or "given".
[[nodiscard]] std::string originText(const MachineField& field);
/// "Schedule, NPU"; what no lens models but the times of the Summary have; or "nothing yet".
[[nodiscard]] std::string usedBy(const MachineField& field);

} // namespace tilewright
