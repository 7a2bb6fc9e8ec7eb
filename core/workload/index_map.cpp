// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/index_map.h"

#include "base/integer.h"
#include "workload/image_windows.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tilewright {

using namespace image_windows;

namespace {

/// Number of windows along one axis that fit into an extent, including padding.
std::int64_t windowsOf(std::int64_t extent, std::int64_t before, std::int64_t after, std::int64_t window,
                       std::int64_t dilation, std::int64_t stride) noexcept
{
    const std::int64_t room = extent + before + after - dilation * (window - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
}

// Functions for maps of windows:

/// Adds the places of `copies` images, which follow each other at a fixed distance; the first one is at
/// `offset`.
void addImages(Places& out, const Places& image, std::int64_t offset, std::int64_t copies,
               std::int64_t distance)
{
    if (image.count == 0 || copies <= 0)
        return;
    if (out.count == 0)
        out.first = offset + image.first;
    out.last = offset + (copies - 1) * distance + image.last;
    out.count += copies * image.count;
}

MapFootprint footprintOf(const WindowsMap& m, const Rect& rect)
{
    const ImageWindows image(m);
    const std::int64_t windows = m.outHeight() * m.outWidth();
    const std::int64_t pixels = m.h * m.w;
    const Raster images(rect.r0, rect.r1, windows);
    const std::int64_t count = m.channels[1];
    const Raster taps(rect.c0, rect.c1, count); // lines are the places in the window
    std::array<std::int64_t, 4> cuts{0, taps.begin, taps.end, count};
    std::ranges::sort(cuts);

    MapFootprint out;
    out.box = {std::numeric_limits<std::int64_t>::max(), 0, std::numeric_limits<std::int64_t>::max(), 0};
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const Interval channels{cuts[i], cuts[i + 1]};
        const Interval places{taps.firstLine + (channels.begin < taps.begin),
                              taps.lastLine + (channels.begin < taps.end)};
        if (channels.empty() || places.empty())
            continue;
        Places touched;
        const std::int64_t first = images.firstLine, last = images.lastLine;
        addImages(touched, image.pixels(images.inLine(first), places), first * pixels, 1, pixels);
        if (last > first + 1)
            addImages(touched, image.pixels({0, windows}, places), (first + 1) * pixels, last - first - 1,
                      pixels);
        if (last > first)
            addImages(touched, image.pixels(images.inLine(last), places), last * pixels, 1, pixels);
        if (touched.count == 0)
            continue;
        out.volume += touched.count * (channels.end - channels.begin);
        out.box.r0 = std::min(out.box.r0, touched.first);
        out.box.r1 = std::max(out.box.r1, touched.last + 1);
        out.box.c0 = std::min(out.box.c0, m.channels[0] + channels.begin);
        out.box.c1 = std::max(out.box.c1, m.channels[0] + channels.end);
    }
    return out.empty() ? MapFootprint{} : out;
}

// Functions for repeat and slice maps:

Interval repeated(Interval view, const std::array<std::int64_t, 2>& axis, std::int64_t& count)
{
    const auto [extent, inner] = axis;
    const std::int64_t first = view.begin / inner;
    count = std::min((view.end - 1) / inner - first + 1, extent);
    const std::int64_t begin = first % extent;
    return begin + count <= extent ? Interval{begin, begin + count} : Interval{0, extent};
}

MapFootprint footprintOf(const RepeatMap& m, const Rect& rect)
{
    std::int64_t rows = 0, cols = 0;
    const Interval r = repeated({rect.r0, rect.r1}, m.rows, rows);
    const Interval c = repeated({rect.c0, rect.c1}, m.cols, cols);
    return {rows * cols, {r.begin, r.end, c.begin, c.end}};
}

MapFootprint footprintOf(const SliceMap& m, const Rect& rect)
{
    const Rect r = m.transposed ? Rect{rect.c0, rect.c1, rect.r0, rect.r1} : rect;
    return {r.area(),
            {m.rows[0] + r.r0 * m.rows[1], m.rows[0] + (r.r1 - 1) * m.rows[1] + 1,
             m.cols[0] + r.c0 * m.cols[1], m.cols[0] + (r.c1 - 1) * m.cols[1] + 1}};
}

// Checks of index maps:

Error mapError(std::string field, std::string message)
{
    return {ErrorCode::Problem, std::move(message), std::move(field), {}};
}

std::string sizeText(std::pair<std::int64_t, std::int64_t> size)
{
    return std::to_string(size.first) + " x " + std::to_string(size.second);
}

Status checkSize(std::pair<std::int64_t, std::int64_t> view, std::pair<std::int64_t, std::int64_t> size)
{
    if (view == size)
        return Unit{};
    return mapError("", "the map gives " + sizeText(size) + " elements, but the view is " + sizeText(view));
}

using Size = std::pair<std::int64_t, std::int64_t>;

Status checkOf(const WindowsMap& m, Size view, Size base)
{
    for (const auto& [value, field] : {std::pair{m.n, "n"}, std::pair{m.h, "h"}, std::pair{m.w, "w"}})
        if (value < 1 || value > kMaxDimension)
            return mapError(field, "must be from 1 to 2^31");
    for (const auto& [values, field] :
         {std::pair{m.window, "window"}, std::pair{m.stride, "stride"}, std::pair{m.dilation, "dilation"}})
        for (const std::int64_t value : values)
            if (value < 1 || value > kMaxDimension)
                return mapError(field, "entries must be from 1 to 2^31");
    for (const std::int64_t value : m.pad)
        if (value < -kMaxDimension || value > kMaxDimension)
            return mapError("pad", "entries must be from -2^31 to 2^31");
    if (const auto rows = checkedMul(m.n * m.h, m.w);
        m.n * m.h > kMaxDimension || !rows || *rows != base.first)
        return mapError("h", "n * h * w must be the height " + std::to_string(base.first) + " of the base");
    if (m.channels[0] < 0 || m.channels[1] < 1 || m.channels[0] > base.second ||
        m.channels[1] > base.second - m.channels[0])
        return mapError("channels", "must be [first, count] within the width " + std::to_string(base.second) +
                                        " of the base");
    if (m.outHeight() < 1 || m.outWidth() < 1)
        return mapError("window", "the window is larger than the padded image");
    const auto rows = checkedMul(m.n, m.outHeight()).value_or(kMaxArea);
    const auto cols = checkedMul(m.window[0], m.window[1]).value_or(kMaxArea);
    return checkSize(view, {saturatingMul(rows, m.outWidth()), saturatingMul(cols, m.channels[1])});
}

Status checkOf(const RepeatMap& m, Size /*view*/, Size base)
{
    for (const auto& [axis, field, extent] :
         {std::tuple{m.rows, "rows", base.first}, std::tuple{m.cols, "cols", base.second}})
        if (axis[0] != extent || axis[1] < 1 || axis[1] > kMaxDimension)
            return mapError(field, "must be [extent, inner] with the base's extent " +
                                       std::to_string(extent) + " and an inner of 1 or more");
    return Unit{};
}

Status checkOf(const SliceMap& m, Size view, Size base)
{
    for (const auto& [axis, field, extent] :
         {std::tuple{m.rows, "rows", base.first}, std::tuple{m.cols, "cols", base.second}})
        if (const auto [first, stride, count] = axis; first < 0 || first >= extent || stride < 1 ||
                                                      count < 1 ||
                                                      (count - 1) > (extent - 1 - first) / stride)
            return mapError(field, "must be [first, stride, count] within the base's extent " +
                                       std::to_string(extent));
    const Size size = m.transposed ? Size{m.cols[2], m.rows[2]} : Size{m.rows[2], m.cols[2]};
    return checkSize(view, size);
}

} // namespace

std::int64_t WindowsMap::outHeight() const noexcept
{
    return windowsOf(h, pad[0], pad[2], window[0], dilation[0], stride[0]);
}

std::int64_t WindowsMap::outWidth() const noexcept
{
    return windowsOf(w, pad[1], pad[3], window[1], dilation[1], stride[1]);
}

std::string_view mapKind(const IndexMap& map) noexcept
{
    constexpr std::array<std::string_view, 3> kKinds{"windows", "repeat", "slice"};
    return kKinds[map.index()];
}

bool isTransposed(const IndexMap& map) noexcept
{
    const auto* slice = std::get_if<SliceMap>(&map);
    return slice && slice->transposed;
}

Status checkMap(const IndexMap& map, Size view, Size base)
{
    return std::visit([&](const auto& m) { return checkOf(m, view, base); }, map);
}

MapFootprint footprint(const IndexMap& map, const Rect& rect)
{
    if (rect.r0 >= rect.r1 || rect.c0 >= rect.c1)
        return {};
    return std::visit([&](const auto& m) { return footprintOf(m, rect); }, map);
}

std::optional<std::pair<std::int64_t, std::int64_t>> mappedElement(const IndexMap& map, std::int64_t row,
                                                                   std::int64_t col) noexcept
{
    if (const auto* m = std::get_if<WindowsMap>(&map)) {
        const std::int64_t ow = m->outWidth(), windows = m->outHeight() * ow;
        const std::int64_t image = row / windows, y = row % windows / ow, x = row % ow;
        const std::int64_t tap = col / m->channels[1], a = tap / m->window[1], b = tap % m->window[1];
        const std::int64_t r = y * m->stride[0] - m->pad[0] + a * m->dilation[0];
        const std::int64_t c = x * m->stride[1] - m->pad[1] + b * m->dilation[1];
        if (r < 0 || r >= m->h || c < 0 || c >= m->w)
            return std::nullopt;
        return std::pair{(image * m->h + r) * m->w + c, m->channels[0] + col % m->channels[1]};
    }
    if (const auto* m = std::get_if<RepeatMap>(&map))
        return std::pair{row / m->rows[1] % m->rows[0], col / m->cols[1] % m->cols[0]};
    const auto& m = std::get<SliceMap>(map);
    if (m.transposed)
        std::swap(row, col);
    return std::pair{m.rows[0] + row * m.rows[1], m.cols[0] + col * m.cols[1]};
}

} // namespace tilewright
