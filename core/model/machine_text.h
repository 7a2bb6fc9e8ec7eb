// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of a value of a machine, beside the value.
#pragma once

#include "model/machine.h"

namespace tilewright {

/// "paper: JSSC 52(1) (2017); quoted by a tool"
[[nodiscard]] std::string sourceText(const Provenance& source);
/// Source, formula or "given".
[[nodiscard]] std::string originText(const MachineField& field);
/// True for a field that the levels of the Mapping lens model (docs/rules/hierarchy.md 9), though its four
/// levels do not.
[[nodiscard]] bool isOfLevels(std::string_view path);
/// "Schedule, NPU, Mapping with levels"; what no lens models but the Summary has; or "nothing yet".
[[nodiscard]] std::string usedBy(const MachineField& field);

} // namespace tilewright
