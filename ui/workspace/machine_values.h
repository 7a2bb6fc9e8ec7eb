// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/typed_number.h"
#include "model/machine_fields.h"

#include <QString>

namespace tilewright::ui {

/// Value of a field with its unit: "256 KiB", "64 GB/s".
[[nodiscard]] QString machineValueText(const MachineField& field);
/// The separators of the user's locale.
[[nodiscard]] NumberStyle localNumberStyle();
/// Reads a typed value of a field as a plain number: "256 KiB" gives "262144", "500 MHz" in a field of GHz
/// gives "0.5". The Error says why a text is not clear. A word is returned as it is.
[[nodiscard]] Result<QString> typedMachineValue(const QString& text, MachineUnit unit,
                                                const NumberStyle& style = localNumberStyle());

} // namespace tilewright::ui
