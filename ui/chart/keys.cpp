// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/keys.h"

#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QPainter>

#include <cmath>
#include <optional>
#include <utility>

namespace tilewright::ui {

namespace {

constexpr double kBetween = 14; // space between two entries in pixels
constexpr double kGap = 6;      // space between sign and text in pixels

struct KeySizes
{
    TextMetrics fm{uiFont(0.85)};
    double row = std::ceil(fm.height());
    double pitch = row + 6;

    [[nodiscard]] double sign(const ChartKey& key) const { return key.sign ? key.width * (row - 1) : 0; }
    [[nodiscard]] double before(const ChartKey& key) const
    {
        return key.before.isEmpty() ? 0 : fm.horizontalAdvance(key.before) + kGap;
    }
    [[nodiscard]] double width(const ChartKey& key) const
    {
        return before(key) + sign(key) + (key.sign ? kGap : 0) + fm.horizontalAdvance(key.text);
    }
};

/// Calls `at` with the position of each legend entry, relative to the top left corner. Returns the number of
/// rows.
template <typename F> int flow(const KeySizes& sizes, const std::vector<ChartKey>& keys, double width, F&& at)
{
    double x = 0;
    int row = 0;
    for (const ChartKey& key : keys) {
        const double w = sizes.width(key);
        if (x > 0 && x + w > width) {
            x = 0;
            ++row;
        }
        at(key, QRectF(x, row * sizes.pitch, w, sizes.row));
        x += w + kBetween;
    }
    return keys.empty() ? 0 : row + 1;
}

} // namespace

ChartKey patchKey(const QString& text, const QColor& fill, const Theme& theme, Qt::BrushStyle pattern,
                  const QColor& patternColour)
{
    return {text, [fill, pattern, outline = theme.outline,
                   ink = patternColour.isValid() ? patternColour : Theme::mix(fill, theme.text, 0.3)](
                      QPainter& painter, const QRectF& r) {
                painter.fillRect(r, fill);
                if (pattern != Qt::NoBrush)
                    painter.fillRect(r, QBrush(ink, pattern));
                painter.setPen(QPen(outline, 1));
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(r);
            }};
}

ChartKey rampKey(const QString& low, const QString& high, const Theme& theme)
{
    return {high,
            [theme](QPainter& painter, const QRectF& r) {
                QLinearGradient gradient(r.topLeft(), r.topRight());
                for (int i = 0; i <= 8; ++i)
                    gradient.setColorAt(i / 8.0, theme.ramp(i / 8.0));
                painter.fillRect(r, gradient);
            },
            5.5, low};
}

double keysWidth(const std::vector<ChartKey>& keys)
{
    const KeySizes sizes;
    double out = 0;
    for (const ChartKey& key : keys)
        out += sizes.width(key) + (out > 0 ? kBetween : 0);
    return out;
}

double keysHeight(const std::vector<ChartKey>& keys, double width)
{
    const KeySizes sizes;
    return flow(sizes, keys, width, [](const ChartKey&, const QRectF&) {}) * sizes.pitch;
}

void paintKeys(QPainter& painter, const std::vector<ChartKey>& keys, const QRectF& area, const Theme& theme)
{
    const KeySizes sizes;
    std::optional<QPointF> end; // upper right corner of the last drawn entry
    bool complete = true;
    flow(sizes, keys, area.width(), [&](const ChartKey& key, QRectF place) {
        place.translate(area.topLeft());
        const double sign = place.left() + sizes.before(key) + sizes.sign(key);
        if (!complete || place.bottom() > area.bottom() + 2 || sign > area.right() + 1) {
            // A single "…" stands for all entries that do not fit.
            const bool first = std::exchange(complete, false);
            if (first && end && end->x() + 2 * kBetween < area.right()) {
                painter.setFont(uiFont(0.85));
                painter.setPen(theme.muted);
                painter.drawText(*end + QPointF(kBetween, sizes.fm.ascent()), QStringLiteral("…"));
            }
            return;
        }
        end = place.topRight();
        const double base = place.top() + sizes.fm.ascent();
        double x = place.left();
        painter.setFont(uiFont(0.85));
        painter.setPen(theme.muted);
        if (!key.before.isEmpty()) {
            painter.drawText(QPointF(x, base), key.before);
            x += sizes.before(key);
        }
        if (key.sign) {
            painter.save();
            painter.setBrush(Qt::NoBrush);
            key.sign(painter, QRectF(x, place.top() + 0.5, sizes.sign(key), sizes.row - 1));
            painter.restore();
            x += sizes.sign(key) + kGap;
        }
        // An entry that is wider than the legend has a row of its own.
        painter.drawText(QPointF(x, base),
                         sizes.fm.elidedText(key.text, Qt::ElideRight, area.right() + 1 - x));
    });
}

} // namespace tilewright::ui
