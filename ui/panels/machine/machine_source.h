// SPDX-License-Identifier: GPL-3.0-or-later
// Texts and dialog for the origins of the values of a machine.
#pragma once

#include "model/machine.h"

#include <QString>

#include <optional>

class QWidget;

namespace tilewright::ui {

/// Asks the user for the origin of the value at `path`. Empty if the user cancels.
[[nodiscard]] std::optional<Provenance> askSource(QWidget* parent, const QString& path,
                                                  const Provenance& old);

} // namespace tilewright::ui
