// SPDX-License-Identifier: GPL-3.0-or-later
// Index maps of views (docs/rules/real.md R1.8): which element of its base each element of a view is.
#pragma once

#include "base/rect.h"
#include "base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace tilewright {

/// Windows of images (convolution, pooling, strided samples). A row of the view is one window, given by
/// (image, y, x). A column of the view is (a, b, channel): a place in the window and a channel. Places of a
/// window that lie outside its image are zeros that are not stored.
struct WindowsMap
{
    std::int64_t n = 1, h = 1, w = 1;            ///< number of images; rows and columns of each image
    std::array<std::int64_t, 2> channels{0, 1};  ///< first column of the base, number of columns
    std::array<std::int64_t, 2> window{1, 1};    ///< rows and columns of a window
    std::array<std::int64_t, 2> stride{1, 1};    ///< stride of rows and of columns
    std::array<std::int64_t, 4> pad{0, 0, 0, 0}; ///< padding at top, left, bottom, right; negative: cropped
    std::array<std::int64_t, 2> dilation{1, 1};  ///< dilation of rows and of columns
    [[nodiscard]] std::int64_t
    outHeight() const noexcept; ///< number of windows along a column of an image; 0 if none fits
    /// Number of windows along a row of an image; 0 if none fits.
    [[nodiscard]] std::int64_t outWidth() const noexcept;
    bool operator==(const WindowsMap&) const = default;
};

/// Broadcast: element (r, c) of the view lies in row (r div inner) mod extent of the base; columns are
/// computed alike.
struct RepeatMap
{
    std::array<std::int64_t, 2> rows{1, 1}, cols{1, 1}; ///< [extent of the base, inner]
    bool operator==(const RepeatMap&) const = default;
};

/// Rows and columns at a stride. With `transposed`, element (r, c) of the view is (c, r) of the slice.
struct SliceMap
{
    std::array<std::int64_t, 3> rows{0, 1, 1}, cols{0, 1, 1}; ///< [first, stride, count]
    bool transposed = false;
    bool operator==(const SliceMap&) const = default;
};

using IndexMap = std::variant<WindowsMap, RepeatMap, SliceMap>;

/// Word of the kind in problem files: "windows", "repeat" or "slice".
[[nodiscard]] std::string_view mapKind(const IndexMap& map) noexcept;

/// True if rows and columns of the view are columns and rows of the base.
[[nodiscard]] bool isTransposed(const IndexMap& map) noexcept;

/// Checks R1.8 for a view and a base of the given sizes (height, width). The Error's path names the field.
[[nodiscard]] Status checkMap(const IndexMap& map, std::pair<std::int64_t, std::int64_t> view,
                              std::pair<std::int64_t, std::int64_t> base);

/// The elements of the base that a rectangle of the view touches.
struct MapFootprint
{
    std::int64_t volume = 0; ///< number of different elements
    Rect box;                ///< smallest rectangle of the base that holds them; empty if there is none
    [[nodiscard]] bool empty() const noexcept { return volume == 0; }
    bool operator==(const MapFootprint&) const = default;
};

/// Returns the footprint of a rectangle inside a view whose map passes checkMap(). It is computed in closed
/// form by rows of images, without listing elements. An empty rectangle has an empty footprint.
[[nodiscard]] MapFootprint footprint(const IndexMap& map, const Rect& rect);

/// Returns (row, column) of the base for one element of the view; nothing for a zero that is not stored.
[[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>>
mappedElement(const IndexMap& map, std::int64_t row, std::int64_t col) noexcept;

} // namespace tilewright
