// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of a value of a machine, beside the value.
#pragma once

#include "model/machine.h"

namespace tilewright {

/// Text of a source: "paper: JSSC 52(1) (2017); quoted by a tool".
[[nodiscard]] std::string sourceText(const Provenance& source);
/// Text of the origin of a value: its source, its formula or "given".
[[nodiscard]] std::string originText(const MachineField& field);
/// True for a field that the cost model with levels of the Mapping lens uses (docs/rules/hierarchy.md 9),
/// although the one with four levels does not.
[[nodiscard]] bool isOfLevels(std::string_view path);
/// Text that names the lenses that use a field: "Schedule, NPU, Mapping with levels". For a field of no lens,
/// what the Summary uses it for, or "nothing yet".
[[nodiscard]] std::string usedBy(const MachineField& field);

} // namespace tilewright
