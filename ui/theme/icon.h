// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>

class QColor;
class QPainter;
class QRectF;

namespace tilewright::ui {

/// Icon of resources/icons in the text colour of the palette, sharp at every scale.
[[nodiscard]] QIcon icon(const QString& name);
[[nodiscard]] QIcon applicationIcon();
/// Paints an icon of resources/icons in the given colour, for painted views.
void paintIcon(QPainter& painter, const QString& name, const QRectF& rect, const QColor& colour);

} // namespace tilewright::ui
