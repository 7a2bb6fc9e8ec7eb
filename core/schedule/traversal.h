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

/// The tile indices (r*cols + c) in the order they are visited. A Custom order is returned as it is.
[[nodiscard]] std::vector<std::int64_t> tileOrder(const Traversal& traversal, std::int64_t rows,
                                                  std::int64_t cols);

} // namespace tilewright
