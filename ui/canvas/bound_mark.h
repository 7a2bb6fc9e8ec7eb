// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "theme/theme.h"

#include <QPointF>
#include <QString>

class QPainter;

namespace tilewright::ui {

/// Triangle up = compute-bound, down = memory-bound, diamond = balanced: the bound without its colour.
/// `radius` in pixels.
void paintBoundMark(QPainter& painter, QPointF centre, double radius, Bound bound, const QColor& colour);
[[nodiscard]] const QColor& boundColour(Bound bound, const Theme& theme);
/// "compute-bound", "memory-bound", "balanced".
[[nodiscard]] QString boundText(Bound bound);

} // namespace tilewright::ui
