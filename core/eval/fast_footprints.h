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
    /// Removes what was computed if it takes much memory. All numbers become invalid.
    void trim();

    [[nodiscard]] MapFootprint find(std::uint32_t number, const Rect& rect);

    struct Shift
    {
        std::int64_t rows = 0, cols = 0;
        bool operator==(const Shift&) const = default;
    };
    /// Given two rectangles of a view with the same extents: if the footprints of all their parts are the
    /// same but for one shift, returns that shift (of `to` against `from`, in rows and columns of the base).
    [[nodiscard]] std::optional<Shift> shift(std::uint32_t number, const Rect& from, const Rect& to) const;

    struct Alike ///< what alike() returns
    {
        Shift shift;            ///< of the footprint, from one rectangle to the next
        std::int64_t count = 1; ///< number of rectangles, `first` included
    };
    /// For a rectangle of a view that moves by `step` again and again: how many of these rectangles have the
    /// same footprint but for one shift. Less than there are where that is not known.
    [[nodiscard]] Alike alike(std::uint32_t number, const Rect& first, const Shift& step) const;

private:
    struct Map
    {
        explicit Map(const IndexMap& indexMap);
        IndexMap map;
        // The following members are for windows.
        bool windows = false;
        std::int64_t images = 1;           ///< windows of an image
        std::int64_t line = 1;             ///< windows in a row of windows
        std::int64_t channels = 1;         ///< columns of the view for a place of the window
        std::int64_t imageRows = 0;        ///< rows of the base of an image
        std::int64_t lineRows = 0;         ///< rows of the base from one row of windows to the next
        std::int64_t first = 0, last = -1; ///< rows of windows that neither top nor bottom clips
        /// True if no window of the rows [r0, r1) of the view is clipped, and all are of one image.
        [[nodiscard]] bool isUnclipped(std::int64_t r0, std::int64_t r1) const noexcept
        {
            return r0 / images == (r1 - 1) / images && r0 % images / line >= first &&
                   (r1 - 1) % images / line <= last;
        }
    };

    std::vector<Map> m_maps;
    KeyTable<5> m_keys; // number of the map and rectangle
    std::vector<MapFootprint> m_known;
};

} // namespace tilewright
