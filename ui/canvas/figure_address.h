// SPDX-License-Identifier: GPL-3.0-or-later
// Addresses of the figures that widgets show.
#pragma once

#include <QPoint>
#include <QString>

class QWidget;

namespace tilewright::ui {

/// Sets which figure a widget shows: lens and address as in figures::Figures, for example
/// "schedule:total_latency". An empty address means none.
void setFigure(QWidget* widget, const QString& address);

/// Returns the address of the figure at a position of a widget: of a cell of a list, of the subgraph or op in
/// a picture of the schedule, or the address set by setFigure(). Empty if there is no figure.
[[nodiscard]] QString figureAt(const QWidget& widget, QPoint position);
/// Returns the address of the figure that has the focus: the current cell of a list, or that of the widget.
[[nodiscard]] QString figureOfFocus(const QWidget& widget);

} // namespace tilewright::ui
