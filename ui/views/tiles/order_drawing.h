// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/grid.h"
#include "schedule/traversal.h"

#include <QString>

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::ui {

/// A traversal order drawn by hand: the tiles in the order in which the user visited them.
class OrderDrawing
{
public:
    OrderDrawing() = default;
    explicit OrderDrawing(const TileGrid& grid);

    /// The mouse moves to this tile: tiles on the straight line from the last one are added, each once.
    /// Moving back to the second-last tile removes the last one.
    void moveTo(std::int64_t tile);
    /// Adds only this tile; ignored if it is in the order already.
    void append(std::int64_t tile);
    void removeLast();
    /// Continues an order that was drawn before.
    void resume(const std::vector<std::int64_t>& tiles);

    [[nodiscard]] bool empty() const { return m_tiles.empty(); }
    [[nodiscard]] bool complete() const
    {
        return static_cast<std::int64_t>(m_tiles.size()) == m_grid.tiles();
    }
    [[nodiscard]] const std::vector<std::int64_t>& tiles() const { return m_tiles; }
    /// The whole order: the drawn tiles, then the others in their previous order.
    [[nodiscard]] std::vector<std::int64_t> completed(std::span<const std::int64_t> before) const;
    /// The completed order as a traversal, as a preset if one matches.
    [[nodiscard]] Traversal traversal(const Traversal& before) const;

private:
    TileGrid m_grid;
    std::vector<std::int64_t> m_tiles;
    std::vector<bool> m_drawn;
};

/// "0–3, 7–4, 8–12 ↓ …": an order as runs of neighbours along a row (along a column with an arrow), at most
/// `most` runs.
[[nodiscard]] QString orderRuns(std::span<const std::int64_t> order, std::int64_t cols, int most);

} // namespace tilewright::ui
