// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

#include <functional>
#include <vector>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// What a sign of a chart stands for: the sign, drawn as it is in the chart, and a text after it.
struct ChartKey
{
    QString text = {};
    std::function<void(QPainter&, const QRectF&)> sign = {}; ///< none: a text alone
    double width = 1;                                        ///< of the sign, in heights of a row
    QString before = {}; ///< a text before the sign: the lower end of a scale
};

/// A patch of a colour, with a pattern over it where colour alone does not tell it.
[[nodiscard]] ChartKey patchKey(const QString& text, const QColor& fill, const Theme& theme,
                                Qt::BrushStyle pattern = Qt::NoBrush);
/// The scale of a ramp of colours.
[[nodiscard]] ChartKey rampKey(const QString& low, const QString& high, const Theme& theme);

/// The width of the keys in one row, the height of as many rows as they need.
[[nodiscard]] double keysWidth(const std::vector<ChartKey>& keys);
[[nodiscard]] double keysHeight(const std::vector<ChartKey>& keys, double width);
/// In rows from the top left corner on; a key that finds no room is left out.
void paintKeys(QPainter& painter, const std::vector<ChartKey>& keys, const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
