// SPDX-License-Identifier: GPL-3.0-or-later
// Where a figure stands in the window.
#pragma once

#include <QPoint>
#include <QString>

class QWidget;

namespace tilewright::ui {

/// Says which figure a widget shows: "schedule:total_latency", the lens and the address that figures::Figures
/// knows. Empty: none.
void setFigure(QWidget* widget, const QString& address);

/// Returns the address of the figure at a position of a widget: that of a cell of a list, that of the
/// subgraph or op in a picture of the schedule, or the one that setFigure() says. Empty: no figure is there.
[[nodiscard]] QString figureAt(const QWidget& widget, QPoint position);
/// Returns the address of the figure that has the focus: the current cell of a list, or that of the widget.
[[nodiscard]] QString figureOfFocus(const QWidget& widget);

} // namespace tilewright::ui
