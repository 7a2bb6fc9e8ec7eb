// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules as data: subgraphs, their granularities, traversals and grids of tiles; the rules that one
// breaks.
#pragma once

#include "base/ids.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

enum class TraversalKind : std::uint8_t {
    Raster,      ///< row by row, left to right; null in the file
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
    /// Creates an explicit order, which need not be valid: the evaluator checks R5.3.
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

/// Calls visit(row, col) for each tile in traversal order, until visit() returns false. No list of tiles is
/// allocated, because a grid may have more tiles than fit into memory.
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

/// [w, h, k]: tile width (columns), tile height (rows), reduction depth; each >= 1.
struct Granularity
{
    std::int64_t w = 1;
    std::int64_t h = 1;
    std::int64_t k = 1;
    auto operator<=>(const Granularity&) const = default;
};

/// One subgraph of a schedule: ops that run together, their tiling, and the tensors that it retains.
struct Subgraph
{
    std::vector<OpId> ops; ///< in declared order
    Granularity granularity;
    std::vector<TensorId> retain;
    Traversal traversal;
    std::optional<double> reportedLatency; ///< value from the file; never used as a result (R10.2)
    bool locked = false;                   ///< set by the user: the solver keeps ops and granularity
    bool operator==(const Subgraph&) const = default;
};

using SubgraphPtr = std::shared_ptr<const Subgraph>;

/// Subgraphs in execution order. A copy shares the subgraphs. An edit keeps the pointers of unchanged
/// subgraphs, so that evaluations can be cached by pointer.
struct Schedule
{
    std::vector<SubgraphPtr> subgraphs;
    std::optional<Rules> rules; ///< rules that the file states (R18)
    std::string extra;          ///< unknown fields of the file, as the text of one JSON object; kept on save

    [[nodiscard]] std::size_t size() const noexcept { return subgraphs.size(); }
    [[nodiscard]] const Subgraph& operator[](SubgraphId i) const { return *subgraphs[i.index()]; }
    /// Compares the content of the subgraphs, not the pointers.
    bool operator==(const Schedule& other) const;
};

/// Grid of the tiles of a subgraph (R5.1). Tile (r, c) has index r * cols + c.
struct TileGrid
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    [[nodiscard]] std::int64_t tiles() const noexcept { return rows * cols; }
    bool operator==(const TileGrid&) const = default;
};

/// Returns the tile grid over all sinks of the ops; 0 x 0 if there are no sinks. Requires valid op ids and w,
/// h >= 1.
[[nodiscard]] TileGrid tileGrid(const Problem& problem, std::span<const OpId> ops,
                                const Granularity& granularity);

/// Candidate tile sizes along an axis of `extent` elements with native size `native`, ascending: the smallest
/// size for each tile count, powers of two, the native size and its halves. No size is above min(extent,
/// limit). `limit` is the largest legal size (the native size under rule set `final`). Returns at most a few
/// hundred values.
[[nodiscard]] std::vector<std::int64_t> usefulSizes(std::int64_t extent, std::int64_t native,
                                                    std::int64_t limit);

/// A rule that a schedule breaks (R2.2, R3, R4, R5.3, R9). Such a violation is not an input error.
enum class IssueCode : std::uint8_t {
    Format,       // "FORMAT": R2.2
    Granularity,  // "GRANULARITY": R2.2
    Retain,       // "RETAIN": R2.2, R4.6
    SuperNative,  // "SUPERNATIVE": R4.1, R4.2
    KTooLarge,    // "K_TOO_LARGE": R4.3
    OpOrder,      // "OP_ORDER": R4.4
    Disconnected, // "DISCONNECTED": R4.5
    Prologue,     // "PROLOGUE": R4.7
    Traversal,    // "TRAVERSAL": R5.3
    Dependency,   // "DEPENDENCY": R3.2
    OutOfMemory,  // "OOM": R9.1
    Coverage,     // "COVERAGE": R3.5
    Output,       // "OUTPUT": R3.6
};
[[nodiscard]] std::string_view issueCodeName(IssueCode code);

struct Issue
{
    IssueCode code = IssueCode::Format;
    std::optional<SubgraphId> subgraph; ///< empty for COVERAGE, OUTPUT and lists of unequal length
    std::string text;                   ///< one sentence, with the numbers
    std::optional<OpId> op;             ///< the affected op, if any
    std::optional<TensorId> tensor;     ///< the affected tensor, if any
    std::int64_t need = 0;              ///< value that breaks the rule; OOM: the working set
    std::int64_t have = 0;              ///< the limit that `need` violates
    /// JSON path of the field, if the issue was found while reading a file.
    std::string path;
    bool operator==(const Issue&) const = default;
};

} // namespace tilewright
