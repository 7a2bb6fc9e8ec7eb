// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace tilewright::ui {

/// A panel of `size` beside the cursor: inside `room` and, as far as there is a side where that goes, without
/// covering `avoid` or the cursor. Below and to the right first.
[[nodiscard]] QRectF placeBeside(QPointF cursor, QSizeF size, const QRectF& room, const QRectF& avoid);

} // namespace tilewright::ui
