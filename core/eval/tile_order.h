// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/traversal.h"

#include <cstdint>

namespace tilewright {

/// Calls visit(row, col) for every tile in the order of a traversal until it returns false. Equal to
/// tileOrder(), but needs no memory: a grid may have more tiles than fit into it.
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

} // namespace tilewright
