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

/// Entry of the legend of a chart: a sign, drawn as in the chart, and a text.
struct ChartKey
{
    QString text = {};
    std::function<void(QPainter&, const QRectF&)> sign = {}; ///< draws the sign; may be empty
    double width = 1;                                        ///< width of the sign, in row heights
    QString before = {};                                     ///< text before the sign: lower end of a scale
};

/// Legend entry with a patch of a colour and an optional pattern. The colour of the pattern is by default
/// darker than the fill.
[[nodiscard]] ChartKey patchKey(const QString& text, const QColor& fill, const Theme& theme,
                                Qt::BrushStyle pattern = Qt::NoBrush, const QColor& patternColour = {});
/// Legend entry with the colour ramp and the texts of its ends.
[[nodiscard]] ChartKey rampKey(const QString& low, const QString& high, const Theme& theme);

/// Width of the legend in one row.
[[nodiscard]] double keysWidth(const std::vector<ChartKey>& keys);
/// Height of the legend, wrapped to `width`.
[[nodiscard]] double keysHeight(const std::vector<ChartKey>& keys, double width);
/// Paints the legend in rows from the top left corner. A text that is wider than a row is elided. Entries
/// without room are omitted, with "…" in their place.
void paintKeys(QPainter& painter, const std::vector<ChartKey>& keys, const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
