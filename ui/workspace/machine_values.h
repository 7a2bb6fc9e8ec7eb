// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/machine_fields.h"

#include <QString>

namespace tilewright::ui {

/// "256 KiB", "64 GB/s": a value with its unit.
[[nodiscard]] QString machineValueText(const MachineField& field);
/// The number of a value as a person types it: "256 KiB" is 262144; anything else stays as it is.
[[nodiscard]] QString typedMachineValue(const QString& text, MachineUnit unit);

} // namespace tilewright::ui
