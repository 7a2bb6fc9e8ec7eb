// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>

namespace tilewright::ui {

/// An icon of resources/icons drawn in the palette's text colour, sharp at every scale.
[[nodiscard]] QIcon icon(const QString& name);
[[nodiscard]] QIcon applicationIcon();

} // namespace tilewright::ui
