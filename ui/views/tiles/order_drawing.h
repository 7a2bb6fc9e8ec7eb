// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/grid.h"
#include "schedule/traversal.h"

#include <QString>

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::ui {

/// A traversal drawn by hand: the tiles in the order in which the person went over them.
class OrderDrawing
{
public:
    OrderDrawing() = default;
    explicit OrderDrawing(const TileGrid& grid);

    /// The mouse is on this tile now: every tile on the straight line from the last one is added, each once.
    /// Going back onto the tile before the last takes the last one away.
    void moveTo(std::int64_t tile);
    /// This tile alone comes next; nothing when it was drawn before.
    void append(std::int64_t tile);
    void removeLast();
    /// Starts with tiles that were drawn before.
    void resume(const std::vector<std::int64_t>& tiles);

    [[nodiscard]] bool empty() const { return m_tiles.empty(); }
    [[nodiscard]] bool complete() const
    {
        return static_cast<std::int64_t>(m_tiles.size()) == m_grid.tiles();
    }
    [[nodiscard]] const std::vector<std::int64_t>& tiles() const { return m_tiles; }
    /// The whole order: the drawn tiles, then the others as they came before.
    [[nodiscard]] std::vector<std::int64_t> completed(std::span<const std::int64_t> before) const;
    /// The same as the simplest traversal that does it.
    [[nodiscard]] Traversal traversal(const Traversal& before) const;

private:
    TileGrid m_grid;
    std::vector<std::int64_t> m_tiles;
    std::vector<bool> m_drawn;
};

/// "0–3, 7–4, 8–12 ↓ …": an order as runs of neighbours along a row (along a column with an arrow), at most
/// `most` of them.
[[nodiscard]] QString orderRuns(std::span<const std::int64_t> order, std::int64_t cols, int most);

} // namespace tilewright::ui
