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

/// The order in which the tiles of a subgraph are visited. Presets adapt to the grid; `Custom` carries the
/// permutation of 0..rows*cols-1 itself (R5.1, R5.3).
class Traversal
{
public:
    Traversal() = default; ///< Raster
    Traversal(TraversalKind preset) : m_kind(preset) {}
    /// An explicit order, valid or not (R5.3 is checked by the evaluator).
    [[nodiscard]] static Traversal custom(std::vector<std::int64_t> order);
    /// A file's explicit order: recognised as a preset when it is exactly that preset's order on this grid.
    /// An explicit raster list stays `Custom` because rule set `seed` treats null differently.
    [[nodiscard]] static Traversal recognise(std::vector<std::int64_t> order, std::int64_t rows,
                                             std::int64_t cols);
    /// A person's order: the preset that visits the grid like this, raster included; otherwise custom.
    [[nodiscard]] static Traversal simplest(std::vector<std::int64_t> order, std::int64_t rows,
                                            std::int64_t cols);

    [[nodiscard]] TraversalKind kind() const noexcept { return m_kind; }
    /// The explicit permutation of a Custom order; empty otherwise.
    [[nodiscard]] std::span<const std::int64_t> explicitOrder() const noexcept;

    bool operator==(const Traversal& other) const;

private:
    TraversalKind m_kind = TraversalKind::Raster;
    std::shared_ptr<const std::vector<std::int64_t>> m_order;
};

[[nodiscard]] std::string_view traversalName(TraversalKind kind);

/// Calls visit(row, col) for every tile in the order of a traversal until it returns false. Needs no
/// memory: a grid may have more tiles than fit into it.
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

/// The tile indices (r*cols + c) in the order they are visited. A Custom order is returned as it is.
[[nodiscard]] std::vector<std::int64_t> tileOrder(const Traversal& traversal, std::int64_t rows,
                                                  std::int64_t cols);

} // namespace tilewright
