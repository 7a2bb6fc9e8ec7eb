// SPDX-License-Identifier: GPL-3.0-or-later
// Origins of the values of a machine, for people.
#pragma once

#include "model/machine.h"

#include <QString>

#include <optional>

class QWidget;

namespace tilewright::ui {

/// "paper: JSSC 52(1) (2017); as another paper quotes it"
[[nodiscard]] QString sourceText(const Provenance& source);
/// The lenses that use a value, as a sentence.
[[nodiscard]] QString lensesText(const MachineField& field);
/// Asks for the origin of the value at `path`. Empty if the user cancels.
[[nodiscard]] std::optional<Provenance> askSource(QWidget* parent, const QString& path,
                                                  const Provenance& old);

} // namespace tilewright::ui
