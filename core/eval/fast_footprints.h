// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/key_table.h"
#include "workload/index_map.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

/// Footprints of rectangles of views (R1.8), each computed once: rectangles that differ by whole images, by
/// whole rows of windows that no edge of the image clips, or by channels, have the same footprint at another
/// place.
/// Private to the fast evaluator.
class FastFootprints
{
public:
    /// Returns the number of the map for the other functions. Equal maps have one number.
    [[nodiscard]] std::uint32_t number(const IndexMap& map);
    /// Removes all stored footprints if they take much memory. All numbers of maps then become invalid.
    void trim();

    [[nodiscard]] MapFootprint find(std::uint32_t number, const Rect& rect);

    struct Shift
    {
        std::int64_t rows = 0, cols = 0;
        bool operator==(const Shift&) const = default;
    };
    /// Given two rectangles of a view with the same extents: if the footprints of all their parts are the
    /// same except for one constant shift, returns this shift from `from` to `to`, in rows and columns of the
    /// base.
    [[nodiscard]] std::optional<Shift> shift(std::uint32_t number, const Rect& from, const Rect& to) const;

    struct Alike ///< result of alike()
    {
        Shift shift;            ///< shift of the footprint from one rectangle to the next
        std::int64_t count = 1; ///< number of rectangles, `first` included
    };
    /// Returns how many rectangles of a view, `first` and those at distances of `step` from one to the next,
    /// have the same footprint except for a constant shift. The number may be too small if the shift is not
    /// known.
    [[nodiscard]] Alike alike(std::uint32_t number, const Rect& first, const Shift& step) const;

private:
    struct Map
    {
        explicit Map(const IndexMap& indexMap);
        IndexMap map;
        // The following members are for windows.
        bool windows = false;
        std::int64_t images = 1;           ///< number of windows of an image
        std::int64_t line = 1;             ///< number of windows in a row of windows
        std::int64_t channels = 1;         ///< columns of the view for each place within the window
        std::int64_t imageRows = 0;        ///< number of rows of the base that an image takes
        std::int64_t lineRows = 0;         ///< distance of two rows of windows, in rows of the base
        std::int64_t first = 0, last = -1; ///< first and last row of windows inside the image
        /// True if no window of the rows [r0, r1) of the view is clipped, and all are of one image.
        [[nodiscard]] bool isUnclipped(std::int64_t r0, std::int64_t r1) const noexcept
        {
            return r0 / images == (r1 - 1) / images && r0 % images / line >= first &&
                   (r1 - 1) % images / line <= last;
        }
    };

    std::vector<Map> m_maps;
    KeyTable<5> m_keys; // keys of m_known: number of the map, and rectangle
    std::vector<MapFootprint> m_known;
};

} // namespace tilewright
