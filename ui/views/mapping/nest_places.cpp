// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/theme.h"
#include "views/mapping/nest_paint.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr double kMargin = 12;
constexpr double kGap = 8;
constexpr double kPad = 8; // space inside a column

double rowHeight()
{
    return std::max(26.0, std::ceil(QFontMetricsF(uiFont()).height()) + 8);
}

} // namespace

const NestBarPlace* NestPlaces::bar(mapping::Level level, int loop) const
{
    const auto at = std::find_if(bars.begin(), bars.end(),
                                 [&](const NestBarPlace& b) { return b.level == level && b.loop == loop; });
    return at == bars.end() ? nullptr : &*at;
}

std::optional<NestItem> NestPlaces::itemAt(QPointF position) const
{
    for (const NestBarPlace& b : bars) {
        if (!b.rect.contains(position))
            continue;
        for (const auto& [prime, rect] : b.chips)
            if (rect.contains(position))
                return NestItem{b.level, b.loop, prime};
        return NestItem{b.level, b.loop, 0};
    }
    return std::nullopt;
}

std::optional<mapping::Level> NestPlaces::columnAt(QPointF position) const
{
    for (std::size_t l = 0; l < columns.size(); ++l)
        if (columns[l].contains(position))
            return static_cast<mapping::Level>(l);
    return std::nullopt;
}

std::size_t NestPlaces::slotAt(mapping::Level level, QPointF position) const
{
    std::size_t slot = 0;
    for (const NestBarPlace& b : bars)
        if (b.level == level && position.y() > b.rect.center().y())
            slot = b.index + 1;
    return slot;
}

NestPlaces nestPlaces(const QRectF& area, double bodyWidth, const NestModel& model)
{
    NestPlaces out;
    const double row = rowHeight();
    const QFontMetricsF fm(uiFont());
    const QFontMetricsF small(uiFont(0.85));
    const double left = area.left() + kMargin;
    double width = std::max(240.0, area.width() - 2 * kMargin);
    double y = area.top() + 8;

    // Title and metrics are side by side if there is room.
    const double cardHeight = small.height() * 2 + fm.height() * 1.2 + 10;
    const double cardWidth = std::max(130.0, fm.horizontalAdvance(QLatin1Char('8')) * 19);
    const double cards = 3 * cardWidth + 2 * kGap;
    const double titleHeight = fm.height() * 1.25 + small.height() * 2 + 6;
    if (width - cards >= 260) {
        out.title = {left, y, width - cards - 16, std::max(titleHeight, cardHeight)};
        for (std::size_t i = 0; i < 3; ++i)
            out.metrics[i] = {left + width - cards + static_cast<double>(i) * (cardWidth + kGap), y,
                              cardWidth, std::max(titleHeight, cardHeight)};
        y = out.title.bottom() + kGap;
    } else {
        out.title = {left, y, width, titleHeight};
        y = out.title.bottom() + 4;
        const double w = (width - 2 * kGap) / 3;
        const QFontMetricsF values(metricFont());
        double widest = 0;
        for (const NestMetric& metric : model.metrics)
            widest = std::max(widest, values.horizontalAdvance(metric.value) + 2 * kMetricMargin);
        if (widest <= w) {
            for (std::size_t i = 0; i < 3; ++i)
                out.metrics[i] = {left + static_cast<double>(i) * (w + kGap), y, w, cardHeight};
            y += cardHeight + kGap;
        } else { // one below the other, each in one line
            for (QRectF& metric : out.metrics) {
                metric = {left, y, width, values.height() + 6};
                y += metric.height() + 4;
            }
            y += kGap - 4;
        }
    }

    width = std::max(240.0, bodyWidth - 2 * kMargin);
    const double operandHeight = fm.height() + small.height() + 10;
    const double operandWidth = (width - 2 * kGap) / 3;
    for (std::size_t i = 0; i < 3; ++i)
        out.operands[i] = {left + static_cast<double>(i) * (operandWidth + kGap), y, operandWidth,
                           operandHeight};
    y += operandHeight + kGap;

    const std::size_t perRow = width >= fm.horizontalAdvance(QLatin1Char('8')) * 58 ? 4 : 2;
    const double columnWidth = (width - static_cast<double>(perRow - 1) * kGap) / static_cast<double>(perRow);
    const double head = fm.height() + small.height() + 12;
    const double foot = 2 * small.height() + 14; // folded loops, effect of a drop
    for (std::size_t first = 0; first < out.columns.size(); first += perRow) {
        std::size_t most = 2;
        for (std::size_t l = first; l < first + perRow; ++l)
            most = std::max(most, model.columns[l].bars.size());
        double height = head + static_cast<double>(most) * (row + 4) + foot;
        if (perRow == 4)
            height = std::max(height, area.bottom() - kMargin - y);
        for (std::size_t i = 0; i < perRow; ++i) {
            const std::size_t l = first + i;
            const NestColumn& column = model.columns[l];
            const QRectF rect(left + static_cast<double>(i) * (columnWidth + kGap), y, columnWidth, height);
            out.columns[l] = rect;
            const double indent = std::min(8.0, columnWidth * 0.03);
            double barTop = rect.top() + head;
            for (std::size_t b = 0; b < column.bars.size(); ++b) {
                const NestBar& bar = column.bars[b];
                NestBarPlace place{column.level, bar.loop, b, {}, {}};
                const double x = rect.left() + kPad + static_cast<double>(b) * indent;
                place.rect = {x, barTop, rect.right() - kPad - x, row};
                double right = place.rect.right() - 4;
                for (std::size_t c = bar.primes.size(); c-- > 0;) {
                    const double w = std::max(24.0, fm.horizontalAdvance(powerText(bar.primes[c])) + 10);
                    place.chips.insert(place.chips.begin(),
                                       {bar.primes[c].prime, {right - w, barTop + 2, w, row - 4}});
                    right -= w + 3;
                }
                out.bars.push_back(std::move(place));
                barTop += row + 4;
            }
        }
        y += height + kGap;
    }
    out.height = y - area.top() + 4;
    return out;
}

} // namespace tilewright::ui
