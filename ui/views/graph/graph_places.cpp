// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_places.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kCell = 128;

template <typename F> void forCells(const QRectF& rect, F&& f)
{
    const int x1 = static_cast<int>(std::floor(rect.right() / kCell));
    const int y1 = static_cast<int>(std::floor(rect.bottom() / kCell));
    for (int x = static_cast<int>(std::floor(rect.left() / kCell)); x <= x1; ++x)
        for (int y = static_cast<int>(std::floor(rect.top() / kCell)); y <= y1; ++y)
            f((static_cast<quint64>(static_cast<quint32>(x)) << 32) | static_cast<quint32>(y));
}

} // namespace

void PlacesOnLines::take(const QRectF& rect)
{
    forCells(rect, [&](quint64 cell) { m_cells[cell].push_back(rect); });
}

bool PlacesOnLines::isFree(const QRectF& rect) const
{
    bool free = true;
    forCells(rect, [&](quint64 cell) {
        const auto it = m_cells.constFind(cell);
        if (it != m_cells.cend())
            free = free && std::none_of(it->begin(), it->end(),
                                        [&](const QRectF& other) { return other.intersects(rect); });
    });
    return free;
}

QRectF PlacesOnLines::around(const LayoutRoute& route, const QSizeF& size, double at)
{
    // A short straight piece may lead from the curve into the node.
    std::size_t first = route.size() - 4;
    if (first >= 3 &&
        std::abs(route[first].y - route[first + 3].y) < std::abs(route[first - 3].y - route[first].y))
        first -= 3;
    const double u = 1 - at;
    const QPointF p = u * u * u * toPoint(route[first]) + 3 * u * u * at * toPoint(route[first + 1]) +
                      3 * u * at * at * toPoint(route[first + 2]) + at * at * at * toPoint(route[first + 3]);
    return {p.x() - size.width() / 2, p.y() - size.height() / 2, size.width(), size.height()};
}

std::optional<QRectF> PlacesOnLines::place(const LayoutRoute& route, const QSizeF& size,
                                           std::initializer_list<double> at)
{
    for (const double t : at)
        if (const QRectF rect = around(route, size, t); isFree(rect)) {
            take(rect);
            return rect;
        }
    return std::nullopt;
}

} // namespace tilewright::ui
