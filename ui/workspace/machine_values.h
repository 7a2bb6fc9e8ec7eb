// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/machine_fields.h"

#include <QString>

namespace tilewright::ui {

/// Value of a field with its unit: "256 KiB", "64 GB/s".
[[nodiscard]] QString machineValueText(const MachineField& field);
/// Converts typed text with a unit into a plain number: "256 KiB" gives "262144". Returns other text
/// unchanged.
[[nodiscard]] QString typedMachineValue(const QString& text, MachineUnit unit);

} // namespace tilewright::ui
