// SPDX-License-Identifier: GPL-3.0-or-later
// Halos: what a tile reads through windows of images and the tiles around it read, too (docs/rules/real.md
// R1.8).
#pragma once

#include "workload/index_map.h"

#include <cstdint>
#include <vector>

namespace tilewright {

/// Returns the halo of `rect`: the number of base elements that `rect` touches and that the rest of `whole`,
/// outside of `own`, touches, too. `whole`: what all tiles read of the view. `own`: what no other tile reads
/// of it; its rows are some of those of `rect`. The map must pass checkMap().
[[nodiscard]] std::int64_t haloVolume(const WindowsMap& map, const Rect& whole, const Rect& own,
                                      const Rect& rect);

/// Columns [begin, end) of one row of an image, from the first to the last one that a tile touches in any
/// channel.
struct ImageRun
{
    std::int64_t row = 0, begin = 0, end = 0;
    bool halo = false; ///< true: the part of the previous run that `whole` outside of `own` touches, too
    bool operator==(const ImageRun&) const = default;
};
/// Returns what a tile touches of one image, row by row. Each run is followed by the halos in it.
[[nodiscard]] std::vector<ImageRun> imageRuns(const WindowsMap& map, const Rect& whole, const Rect& own,
                                              const Rect& tile, std::int64_t image);

} // namespace tilewright
