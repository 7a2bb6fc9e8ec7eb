// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tiles/order_drawing.h"

#include <QStringList>

#include <algorithm>
#include <cstdlib>

namespace tilewright::ui {

OrderDrawing::OrderDrawing(const TileGrid& grid)
    : m_grid(grid), m_drawn(static_cast<std::size_t>(grid.tiles()), false)
{
}

void OrderDrawing::append(std::int64_t tile)
{
    if (tile < 0 || tile >= m_grid.tiles() || m_drawn[static_cast<std::size_t>(tile)])
        return;
    m_drawn[static_cast<std::size_t>(tile)] = true;
    m_tiles.push_back(tile);
}

void OrderDrawing::removeLast()
{
    if (m_tiles.empty())
        return;
    m_drawn[static_cast<std::size_t>(m_tiles.back())] = false;
    m_tiles.pop_back();
}

void OrderDrawing::resume(const std::vector<std::int64_t>& tiles)
{
    for (const std::int64_t t : tiles)
        append(t);
}

void OrderDrawing::moveTo(std::int64_t tile)
{
    if (tile < 0 || tile >= m_grid.tiles())
        return;
    if (m_tiles.empty()) {
        append(tile);
        return;
    }
    if (m_tiles.size() >= 2 && m_tiles[m_tiles.size() - 2] == tile) {
        removeLast();
        return;
    }
    // The mouse may have skipped tiles between two events.
    const std::int64_t r0 = m_tiles.back() / m_grid.cols;
    const std::int64_t c0 = m_tiles.back() % m_grid.cols;
    const std::int64_t dr = tile / m_grid.cols - r0;
    const std::int64_t dc = tile % m_grid.cols - c0;
    const std::int64_t n = std::max(std::abs(dr), std::abs(dc));
    for (std::int64_t i = 1; i <= n; ++i) {
        const auto along = [&](std::int64_t d) { return (2 * d * i + (d >= 0 ? n : -n)) / (2 * n); };
        append((r0 + along(dr)) * m_grid.cols + c0 + along(dc));
    }
}

std::vector<std::int64_t> OrderDrawing::completed(std::span<const std::int64_t> before) const
{
    std::vector<std::int64_t> out = m_tiles;
    out.reserve(before.size());
    for (const std::int64_t t : before)
        if (!m_drawn[static_cast<std::size_t>(t)])
            out.push_back(t);
    return out;
}

Traversal OrderDrawing::traversal(const Traversal& before) const
{
    return Traversal::simplest(completed(tileOrder(before, m_grid.rows, m_grid.cols)), m_grid.rows,
                               m_grid.cols);
}

QString orderRuns(std::span<const std::int64_t> order, std::int64_t cols, int most)
{
    QStringList runs;
    const std::size_t n = order.size();
    for (std::size_t i = 0; i < n;) {
        if (runs.size() == most)
            return runs.join(QStringLiteral(", ")) + QStringLiteral(" …");
        // Extends the run while it continues in the same direction, within a row or a column.
        std::size_t last = i;
        std::int64_t step = 0;
        while (last + 1 < n) {
            const std::int64_t d = order[last + 1] - order[last];
            const bool alongRow = std::abs(d) == 1 && order[last + 1] / cols == order[last] / cols;
            if ((!alongRow && std::abs(d) != cols) || (step != 0 && d != step))
                break;
            step = d;
            ++last;
        }
        QString run = QString::number(order[i]);
        if (last > i)
            run += QStringLiteral("–%1").arg(order[last]);
        if (std::abs(step) == cols && cols > 1)
            run += step > 0 ? QStringLiteral(" ↓") : QStringLiteral(" ↑");
        runs << run;
        i = last + 1;
    }
    return runs.join(QStringLiteral(", "));
}

} // namespace tilewright::ui
