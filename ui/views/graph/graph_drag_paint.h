// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <span>

namespace tilewright::ui {

/// A panel of `size` beside the cursor: inside `room` and, as far as there is a side where that goes, without
/// covering `avoid` or the cursor, nor more than it has to of the others. Below and to the right first.
[[nodiscard]] QRectF placeBeside(QPointF cursor, QSizeF size, const QRectF& room, const QRectF& avoid,
                                 std::span<const QRectF> others = {});

} // namespace tilewright::ui
