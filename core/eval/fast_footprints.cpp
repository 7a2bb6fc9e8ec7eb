// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/fast_footprints.h"

#include "base/integer.h"

#include <algorithm>
#include <limits>

namespace tilewright {

namespace {

/// Floor of a / b for b > 0.
std::int64_t floorDiv(std::int64_t a, std::int64_t b)
{
    return a >= 0 ? a / b : -ceilDiv(-a, b);
}

/// Returns the shift of the footprint if an interval on one axis of a broadcast moves from `from` to `to`.
/// Returns nothing if the footprints differ in more than a shift.
std::optional<std::int64_t> shiftOf(const std::array<std::int64_t, 2>& axis, std::int64_t from,
                                    std::int64_t to, std::int64_t length)
{
    const std::int64_t extent = axis[0];
    const std::int64_t inner = axis[1];
    if (extent == 1 || (to - from) % saturatingMul(extent, inner) == 0)
        return 0;
    const auto wraps = [&](std::int64_t begin) {
        return begin / inner / extent != (begin + length - 1) / inner / extent;
    };
    if ((to - from) % inner != 0 || wraps(from) || wraps(to))
        return std::nullopt;
    return to / inner % extent - from / inner % extent;
}

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

/// For intervals on one axis of a broadcast that follow one another at a distance of `step`: returns the
/// shift of the footprint from one to the next, and the number of intervals for which this shift holds.
std::pair<std::int64_t, std::int64_t> alikeOf(const std::array<std::int64_t, 2>& axis, std::int64_t begin,
                                              std::int64_t length, std::int64_t step)
{
    const auto [extent, inner] = axis;
    const std::int64_t period = saturatingMul(extent, inner);
    if (extent == 1 || step % period == 0)
        return {0, kAll};
    if (step < 0)
        return {0, 1};
    const bool inRows = step % inner == 0; // false: the interval moves within the copies of one element
    const std::int64_t part = inRows ? period : inner;
    const std::int64_t end = begin / part * part + part;
    if (begin + length > end)
        return {0, 1};
    return {inRows ? step / inner : 0, (end - begin - length) / step + 1};
}

} // namespace

FastFootprints::Map::Map(const IndexMap& indexMap) : map(indexMap)
{
    const auto* m = std::get_if<WindowsMap>(&map);
    if (!m)
        return;
    windows = true;
    line = m->outWidth();
    images = m->outHeight() * line;
    channels = m->channels[1];
    imageRows = m->h * m->w;
    lineRows = m->stride[0] * m->w;
    first = ceilDiv(std::max<std::int64_t>(0, m->pad[0]), m->stride[0]);
    last = std::min(m->outHeight() - 1,
                    floorDiv(m->h - 1 + m->pad[0] - (m->window[0] - 1) * m->dilation[0], m->stride[0]));
}

std::uint32_t FastFootprints::number(const IndexMap& map)
{
    auto at = std::ranges::find(m_maps, map, &Map::map);
    if (at == m_maps.end())
        at = m_maps.insert(at, Map(map));
    return static_cast<std::uint32_t>(at - m_maps.begin());
}

void FastFootprints::trim()
{
    constexpr std::size_t kMostMaps = 64, kMostKnown = std::size_t{1} << 17;
    if (m_maps.size() <= kMostMaps && m_known.size() <= kMostKnown)
        return;
    m_maps.clear();
    m_keys.clear();
    m_known.clear();
}

MapFootprint FastFootprints::find(std::uint32_t number, const Rect& rect)
{
    const Map& m = m_maps[number];
    if (!m.windows || rect.r0 >= rect.r1 || rect.c0 >= rect.c1)
        return footprint(m.map, rect);
    Rect r = rect;
    const std::int64_t image = r.r0 / m.images;
    std::int64_t moved = image * m.imageRows;
    r.r0 -= image * m.images;
    r.r1 -= image * m.images;
    if (r.r1 <= m.images && (r.r1 - 1) / m.line <= m.last)
        if (const std::int64_t lines = r.r0 / m.line - m.first; lines > 0) {
            r.r0 -= lines * m.line;
            r.r1 -= lines * m.line;
            moved += lines * m.lineRows;
        }
    std::int64_t channel = r.c0 % m.channels; // all channels of a place of the window touch the same pixels
    if (channel + r.width() > m.channels)
        channel = 0;
    r.c0 -= channel;
    r.c1 -= channel;
    const auto [index, isNew] = m_keys.add({static_cast<std::int64_t>(number), r.r0, r.r1, r.c0, r.c1});
    if (isNew)
        m_known.push_back(footprint(m.map, r));
    MapFootprint out = m_known[index];
    if (!out.empty()) {
        out.box.r0 += moved;
        out.box.r1 += moved;
        out.box.c0 += channel;
        out.box.c1 += channel;
    }
    return out;
}

std::optional<FastFootprints::Shift> FastFootprints::shift(std::uint32_t number, const Rect& from,
                                                           const Rect& to) const
{
    if (from == to || from.r0 >= from.r1 || from.c0 >= from.c1)
        return Shift{};
    const Map& m = m_maps[number];
    const std::int64_t rows = to.r0 - from.r0, cols = to.c0 - from.c0;
    if (m.windows) {
        if (cols != 0)
            return std::nullopt;
        if (rows % m.images == 0)
            return Shift{rows / m.images * m.imageRows, 0};
        if (rows % m.line != 0 || !m.isUnclipped(from.r0, from.r1) || !m.isUnclipped(to.r0, to.r1))
            return std::nullopt;
        const auto place = [&](std::int64_t r) {
            return r / m.images * m.imageRows + r % m.images / m.line * m.lineRows;
        };
        return Shift{place(to.r0) - place(from.r0), 0};
    }
    if (const auto* slice = std::get_if<SliceMap>(&m.map))
        return slice->transposed ? Shift{cols * slice->rows[1], rows * slice->cols[1]}
                                 : Shift{rows * slice->rows[1], cols * slice->cols[1]};
    const auto& repeat = std::get<RepeatMap>(m.map);
    const auto r = shiftOf(repeat.rows, from.r0, to.r0, from.height());
    const auto c = shiftOf(repeat.cols, from.c0, to.c0, from.width());
    return r && c ? std::optional(Shift{*r, *c}) : std::nullopt;
}

FastFootprints::Alike FastFootprints::alike(std::uint32_t number, const Rect& first, const Shift& step) const
{
    const Map& m = m_maps[number];
    if (step == Shift{})
        return {{}, kAll};
    if (m.windows) {
        if (step.rows < 0 || step.cols < 0 || (step.rows > 0 && step.cols > 0))
            return {};
        if (step.rows == 0) {
            // All channels of a place of the window touch the same pixels.
            const std::int64_t end = (first.c0 / m.channels + 1) * m.channels;
            return first.c1 > end ? Alike{} : Alike{step, (end - first.c1) / step.cols + 1};
        }
        if (step.rows % m.images == 0)
            return {{step.rows / m.images * m.imageRows, 0}, kAll};
        if (step.rows % m.line != 0 || first.height() == 0 || !m.isUnclipped(first.r0, first.r1))
            return {};
        const std::int64_t end = first.r0 / m.images * m.images + (m.last + 1) * m.line;
        return {{step.rows / m.line * m.lineRows, 0}, (end - first.r1) / step.rows + 1};
    }
    if (const auto* slice = std::get_if<SliceMap>(&m.map))
        return {slice->transposed ? Shift{step.cols * slice->rows[1], step.rows * slice->cols[1]}
                                  : Shift{step.rows * slice->rows[1], step.cols * slice->cols[1]},
                kAll};
    const auto& repeat = std::get<RepeatMap>(m.map);
    const auto [rows, rowTimes] = alikeOf(repeat.rows, first.r0, first.height(), step.rows);
    const auto [cols, colTimes] = alikeOf(repeat.cols, first.c0, first.width(), step.cols);
    return {{rows, cols}, std::min(rowTimes, colTimes)};
}

} // namespace tilewright
