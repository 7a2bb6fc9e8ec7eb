// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tilewright {

enum class TraversalKind : std::uint8_t {
    Raster,      ///< null in the file: row by row, left to right
    Snake,       ///< row by row, alternating direction
    Column,      ///< column by column, top to bottom
    ColumnSnake, ///< column by column, alternating direction
    Spiral,      ///< from the outside in, clockwise
    Custom,      ///< an explicit permutation
};

/// Order in which a subgraph visits its tiles. A preset adapts to the grid. `Custom` stores a permutation of
/// 0..rows*cols-1 (R5.1, R5.3).
class Traversal
{
public:
    Traversal() = default; ///< Raster
    Traversal(TraversalKind preset) : m_kind(preset) {}
    /// Creates an explicit order. It need not be valid: the evaluator checks R5.3.
    [[nodiscard]] static Traversal custom(std::vector<std::int64_t> order);
    /// Creates a traversal from an explicit order of a file: the preset with exactly this order on the grid,
    /// otherwise `Custom`. An explicit raster list stays `Custom`, because rule set `seed` treats null
    /// differently.
    [[nodiscard]] static Traversal recognise(std::vector<std::int64_t> order, std::int64_t rows,
                                             std::int64_t cols);
    /// Creates a traversal from an order drawn by the user: the preset with this order on the grid, including
    /// raster; otherwise `Custom`.
    [[nodiscard]] static Traversal simplest(std::vector<std::int64_t> order, std::int64_t rows,
                                            std::int64_t cols);

    [[nodiscard]] TraversalKind kind() const noexcept { return m_kind; }
    /// The permutation of a `Custom` order; empty for a preset.
    [[nodiscard]] std::span<const std::int64_t> explicitOrder() const noexcept;

    bool operator==(const Traversal& other) const;

private:
    TraversalKind m_kind = TraversalKind::Raster;
    std::shared_ptr<const std::vector<std::int64_t>> m_order;
};

[[nodiscard]] std::string_view traversalName(TraversalKind kind);

/// Calls visit(row, col) for each tile in traversal order, until it returns false. Allocates nothing: a grid
/// may have more tiles than fit into memory.
template <class Visit>
void forEachTile(const Traversal& traversal, std::int64_t rows, std::int64_t cols, Visit&& visit)
{
    const TraversalKind kind = traversal.kind();
    switch (kind) {
    case TraversalKind::Raster:
    case TraversalKind::Snake:
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < cols; ++c)
                if (!visit(r, kind == TraversalKind::Snake && r % 2 == 1 ? cols - 1 - c : c))
                    return;
        return;
    case TraversalKind::Column:
    case TraversalKind::ColumnSnake:
        for (std::int64_t c = 0; c < cols; ++c)
            for (std::int64_t r = 0; r < rows; ++r)
                if (!visit(kind == TraversalKind::ColumnSnake && c % 2 == 1 ? rows - 1 - r : r, c))
                    return;
        return;
    case TraversalKind::Spiral:
        for (std::int64_t top = 0, left = 0, bottom = rows - 1, right = cols - 1;
             top <= bottom && left <= right; ++top, ++left, --bottom, --right) {
            for (std::int64_t c = left; c <= right; ++c)
                if (!visit(top, c))
                    return;
            for (std::int64_t r = top + 1; r <= bottom; ++r)
                if (!visit(r, right))
                    return;
            for (std::int64_t c = right - 1; top < bottom && c >= left; --c)
                if (!visit(bottom, c))
                    return;
            for (std::int64_t r = bottom - 1; left < right && r > top; --r)
                if (!visit(r, left))
                    return;
        }
        return;
    case TraversalKind::Custom:
        for (const std::int64_t tile : traversal.explicitOrder())
            if (!visit(tile / cols, tile % cols))
                return;
        return;
    }
}

/// Returns the tile indices (r * cols + c) in traversal order. A `Custom` order is returned unchanged.
[[nodiscard]] std::vector<std::int64_t> tileOrder(const Traversal& traversal, std::int64_t rows,
                                                  std::int64_t cols);

} // namespace tilewright
