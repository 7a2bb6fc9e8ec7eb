// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/halo.h"

#include "workload/image_windows.h"

#include <algorithm>
#include <array>
#include <span>

namespace tilewright {

using namespace image_windows;

namespace {

/// Splits the rectangle into parts of one image each, for the channels [first, last). At each place of its
/// windows, the rectangle has either all or none of these channels.
void addParts(std::vector<std::pair<std::int64_t, ImageWindows::Part>>& out, const ImageWindows& image,
              const WindowsMap& m, const Rect& rect, Interval channels)
{
    if (rect.area() == 0)
        return;
    const Raster images(rect.r0, rect.r1, m.outHeight() * m.outWidth());
    const Raster taps(rect.c0, rect.c1, m.channels[1]);
    const Interval places{taps.firstLine + (channels.begin < taps.begin),
                          taps.lastLine + (channels.begin < taps.end)};
    for (std::int64_t i = images.firstLine; i <= images.lastLine && !places.empty(); ++i)
        out.emplace_back(i, image.part(images.inLine(i), places));
}

/// Cuts the channels into intervals. Each rectangle has all channels of an interval at the same places of a
/// window.
std::vector<std::int64_t> channelCuts(const WindowsMap& m, std::span<const Rect> rects)
{
    std::vector<std::int64_t> cuts{0, m.channels[1]};
    for (const Rect& r : rects)
        if (r.area() > 0) {
            const Raster taps(r.c0, r.c1, m.channels[1]);
            cuts.push_back(taps.begin);
            cuts.push_back(taps.end);
        }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    return cuts;
}

/// Number of different elements that the rectangles touch together, row by row of the images.
std::int64_t touchedTogether(const WindowsMap& m, std::span<const Rect> rects)
{
    const ImageWindows image(m);
    const std::vector<std::int64_t> cuts = channelCuts(m, rects);
    std::vector<std::pair<std::int64_t, ImageWindows::Part>> found;
    std::vector<ImageWindows::Part> parts;
    std::vector<Product> products;
    std::int64_t volume = 0;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        found.clear();
        for (const Rect& r : rects)
            addParts(found, image, m, r, {cuts[i], cuts[i + 1]});
        std::ranges::stable_sort(found, {}, [](const auto& f) { return f.first; });
        for (auto from = found.begin(); from != found.end();) {
            parts.clear();
            Interval rows{m.h, 0};
            auto to = from;
            for (; to != found.end() && to->first == from->first; ++to) {
                parts.push_back(to->second);
                rows.begin = std::min(rows.begin, image.rowsOf(to->second).begin);
                rows.end = std::max(rows.end, image.rowsOf(to->second).end);
            }
            from = to;
            for (std::int64_t row = rows.begin; row < rows.end; ++row)
                volume += image.row(row, parts, products).count * (cuts[i + 1] - cuts[i]);
        }
    }
    return volume;
}

/// Number of rows of a view within which windows can touch the same elements.
std::int64_t reachOf(const WindowsMap& m)
{
    return (m.dilation[0] * (m.window[0] - 1) / m.stride[0] + 1) * m.outWidth();
}

bool overlaps(const WindowsMap& m)
{
    return m.dilation[0] * (m.window[0] - 1) >= m.stride[0] ||
           m.dilation[1] * (m.window[1] - 1) >= m.stride[1];
}

/// The parts of `whole` around `own` that can share elements with `rect`.
std::array<Rect, 4> around(const WindowsMap& m, const Rect& whole, const Rect& own, const Rect& rect)
{
    const std::int64_t reach = reachOf(m);
    return {{{std::min(own.r0, std::max(whole.r0, rect.r0 - reach)), own.r0, whole.c0, whole.c1},
             {own.r1, std::max(own.r1, std::min(whole.r1, rect.r1 + reach)), whole.c0, whole.c1},
             {own.r0, own.r1, whole.c0, own.c0},
             {own.r0, own.r1, own.c1, whole.c1}}};
}

} // namespace

std::int64_t haloVolume(const WindowsMap& map, const Rect& whole, const Rect& own, const Rect& rect)
{
    if (rect.area() == 0 ||
        (!overlaps(map) && own.r0 <= rect.r0 && own.r1 >= rect.r1 && own.c0 <= rect.c0 && own.c1 >= rect.c1))
        return 0;
    const std::array<Rect, 4> rest = around(map, whole, own, rect);
    std::vector<Rect> part{rect};
    // Only the first and last windows reach into neighbouring rectangles.
    if (rest[2].area() + rest[3].area() == 0) {
        part = {rect, rect};
        part[0].r1 = std::clamp(own.r0 + reachOf(map), rect.r0, rect.r1);
        part[1].r0 = std::clamp(own.r1 - reachOf(map), rect.r0, rect.r1);
    }
    std::vector<Rect> all(rest.begin(), rest.end());
    all.insert(all.end(), part.begin(), part.end());
    return touchedTogether(map, part) + touchedTogether(map, rest) - touchedTogether(map, all);
}

std::vector<ImageRun> imageRuns(const WindowsMap& map, const Rect& whole, const Rect& own, const Rect& tile,
                                std::int64_t image)
{
    const ImageWindows windows(map);
    const auto partsOf = [&](std::span<const Rect> rects) {
        std::vector<std::pair<std::int64_t, ImageWindows::Part>> found;
        const std::vector<std::int64_t> cuts = channelCuts(map, rects);
        for (const Rect& r : rects)
            for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
                addParts(found, windows, map, r, {cuts[i], cuts[i + 1]});
        std::vector<ImageWindows::Part> parts;
        for (const auto& [at, part] : found)
            if (at == image)
                parts.push_back(part);
        return parts;
    };
    std::vector<ImageRun> out;
    std::vector<Product> products;
    const std::vector<ImageWindows::Part> inTile = partsOf({&tile, 1});
    Interval rows{map.h, 0};
    for (const ImageWindows::Part& part : inTile)
        rows = {std::min(rows.begin, windows.rowsOf(part).begin),
                std::max(rows.end, windows.rowsOf(part).end)};
    std::vector<std::vector<ImageWindows::Part>> others;
    for (const Rect& r : around(map, whole, own, tile))
        others.push_back(partsOf({&r, 1}));
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const Places touched = windows.row(row, inTile, products);
        if (touched.count == 0)
            continue;
        out.push_back({row, touched.first, touched.last + 1, false});
        for (const auto& parts : others)
            if (const Places other = windows.row(row, parts, products); other.count > 0)
                if (const std::int64_t begin = std::max(touched.first, other.first),
                    end = std::min(touched.last, other.last) + 1;
                    begin < end)
                    out.push_back({row, begin, end, true});
    }
    return out;
}

} // namespace tilewright
