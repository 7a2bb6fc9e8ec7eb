// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QPointF>

class QPainter;

namespace tilewright::ui {

/// Paints the mark of a bound: triangle up = compute-bound, down = memory-bound, diamond = balanced. `radius`
/// in pixels.
void paintBoundMark(QPainter& painter, QPointF centre, double radius, Bound bound, const QColor& colour);
[[nodiscard]] const QColor& boundColour(Bound bound, const Theme& theme);

} // namespace tilewright::ui
