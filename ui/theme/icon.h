// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>

class QColor;
class QPainter;
class QRectF;

namespace tilewright::ui {

/// An icon of resources/icons drawn in the palette's text colour, sharp at every scale.
[[nodiscard]] QIcon icon(const QString& name);
[[nodiscard]] QIcon applicationIcon();
/// The same drawing inside a painted view, in a colour of its theme.
void paintIcon(QPainter& painter, const QString& name, const QRectF& rect, const QColor& colour);

} // namespace tilewright::ui
