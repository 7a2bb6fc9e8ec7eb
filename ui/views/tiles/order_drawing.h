// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/grid.h"
#include "schedule/traversal.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::ui {

/// A traversal drawn by hand: the tiles in the order in which the mouse went over them.
class OrderDrawing
{
public:
    OrderDrawing() = default;
    explicit OrderDrawing(const TileGrid& grid);

    /// The mouse is on this tile now: every tile on the straight line from the last one is added, each once.
    /// Going back onto the tile before the last takes the last one away.
    void moveTo(std::int64_t tile);
    /// Starts with tiles that were drawn before.
    void resume(std::vector<std::int64_t> tiles);

    [[nodiscard]] bool empty() const { return m_tiles.empty(); }
    [[nodiscard]] const std::vector<std::int64_t>& tiles() const { return m_tiles; }
    /// The whole order: the drawn tiles, then the others as they came before.
    [[nodiscard]] std::vector<std::int64_t> completed(std::span<const std::int64_t> before) const;

private:
    void append(std::int64_t tile);

    TileGrid m_grid;
    std::vector<std::int64_t> m_tiles;
    std::vector<bool> m_drawn;
};

} // namespace tilewright::ui
