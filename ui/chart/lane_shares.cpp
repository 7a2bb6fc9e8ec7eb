// SPDX-License-Identifier: GPL-3.0-or-later
// Shares of the kinds of marks in each pixel column.
#include "chart/lane.h"

#include "theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

std::vector<ShareColumn> mergedShares(const std::vector<float>& share, std::size_t kinds)
{
    std::vector<ShareColumn> out;
    for (std::size_t x = 0; x * kinds < share.size(); ++x) {
        const float* here = share.data() + x * kinds;
        if (!out.empty() && std::equal(here, here + kinds, out.back().share.begin(),
                                       [](float a, float b) { return std::abs(a - b) < 1e-4F; }))
            ++out.back().width;
        else
            out.push_back({static_cast<int>(x), 1, {here, here + kinds}});
    }
    return out;
}

std::vector<ShareColumn> shareColumns(const Marks& m, double from, double to, int width)
{
    if (width <= 0 || !(to > from))
        return {};
    std::vector<float> share(static_cast<std::size_t>(width) * m.kinds, 0.0F);
    const double perPixel = (to - from) / width;
    for (std::size_t i = m.firstAfter(from); i < m.count; ++i) {
        const double start = m.start(i);
        if (start >= to)
            break;
        const double a = std::max(0.0, (start - from) / perPixel);
        const double b = std::min<double>(width, (m.end(i) - from) / perPixel);
        const std::size_t kind = m.kindOf(i);
        for (auto x = static_cast<std::size_t>(a); static_cast<double>(x) < b; ++x) {
            float& cell = share[x * m.kinds + kind];
            const double part = std::min(b, static_cast<double>(x) + 1) - std::max(a, static_cast<double>(x));
            cell = std::min(1.0F, cell + static_cast<float>(part));
        }
    }
    return mergedShares(share, m.kinds);
}

void paintShares(QPainter& painter, const std::vector<ShareColumn>& columns, const Marks& m,
                 const QRectF& rect, const Theme& theme, bool patterns)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    std::vector<std::vector<QRectF>> rects(m.kinds);
    for (const ShareColumn& column : columns) {
        double y = rect.bottom();
        double sum = 0;
        for (std::size_t k = 0; k < m.kinds; ++k) {
            if (column.share[k] <= 0)
                continue;
            sum += static_cast<double>(column.share[k]);
            double top = sum > 0.999 ? rect.top() : std::round(rect.bottom() - sum * rect.height());
            if (y == rect.bottom()) // small shares are at least one pixel high
                top = std::min(top, rect.bottom() - 1);
            if (top < y)
                rects[k].emplace_back(rect.left() + column.x, top, column.width, y - top);
            y = std::min(y, top);
        }
    }
    painter.setPen(Qt::NoPen);
    for (std::size_t k = 0; k < m.kinds; ++k) {
        if (rects[k].empty())
            continue;
        const MarkStyle style = m.style(k, theme);
        painter.setBrush(style.fill);
        painter.drawRects(rects[k].data(), static_cast<int>(rects[k].size()));
        if (patterns && style.pattern != Qt::NoBrush) {
            painter.setBrush(QBrush(style.patternColour.isValid() ? style.patternColour
                                                                  : Theme::mix(style.fill, theme.text, 0.3),
                                    style.pattern));
            painter.drawRects(rects[k].data(), static_cast<int>(rects[k].size()));
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

} // namespace tilewright::ui
