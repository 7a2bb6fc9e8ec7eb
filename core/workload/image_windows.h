// SPDX-License-Identifier: GPL-3.0-or-later
// What windows of images touch (docs/rules/real.md R1.8), in closed forms by rows of images. Shared by the
// footprints of index maps and by halos.
#pragma once

#include "base/integer.h"
#include "workload/index_map.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tilewright::image_windows {

struct Interval ///< [begin, end)
{
    std::int64_t begin = 0, end = 0;
    [[nodiscard]] bool empty() const noexcept { return begin >= end; }
};

/// The places along an image axis (or the pixels of an image in raster order) that are touched.
struct Places
{
    std::int64_t count = 0;
    std::int64_t first = 0, last = 0; ///< first and last place; valid if count > 0
};

/// One axis of windows: place = index * stride + tap * dilation - pad, if it is in [0, size).
struct WindowAxis
{
    std::int64_t stride, dilation, pad, size;
    [[nodiscard]] std::int64_t place(std::int64_t index, std::int64_t tap) const noexcept
    {
        return index * stride + tap * dilation - pad;
    }
};

struct Product ///< all pairs of a window of `index` and a place of `tap` in the window
{
    Interval index, tap;
};

/// Returns the union of the places of all products. Each tap (or each index, whichever are fewer) gives an
/// arithmetic progression; those of one remainder are merged as intervals.
inline Places placesOf(const WindowAxis& axis, std::span<const Product> products)
{
    struct Progression
    {
        std::int64_t remainder;
        Interval steps;
    };
    std::int64_t taps = 0, indices = 0;
    for (const Product& p : products) {
        taps += p.tap.end - p.tap.begin;
        indices += p.index.end - p.index.begin;
    }
    const bool byTap = taps <= indices;
    const std::int64_t step = byTap ? axis.stride : axis.dilation;
    std::vector<Progression> all;
    all.reserve(static_cast<std::size_t>(std::min(taps, indices)));
    for (const Product& p : products) {
        const Interval& outer = byTap ? p.tap : p.index;
        const Interval& inner = byTap ? p.index : p.tap;
        for (std::int64_t o = outer.begin; o < outer.end; ++o) {
            std::int64_t first = byTap ? axis.place(inner.begin, o) : axis.place(o, inner.begin);
            const std::int64_t last = std::min(first + (inner.end - 1 - inner.begin) * step, axis.size - 1);
            if (first < 0)
                first += ceilDiv(-first, step) * step;
            if (!inner.empty() && first <= last)
                all.push_back({first % step, {first / step, (last - first) / step + first / step + 1}});
        }
    }
    std::ranges::sort(all, [](const Progression& a, const Progression& b) {
        return a.remainder != b.remainder ? a.remainder < b.remainder : a.steps.begin < b.steps.begin;
    });
    Places out;
    out.first = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < all.size();) {
        const std::int64_t remainder = all[i].remainder;
        Interval merged = all[i].steps;
        for (++i; i < all.size() && all[i].remainder == remainder && all[i].steps.begin <= merged.end; ++i)
            merged.end = std::max(merged.end, all[i].steps.end);
        out.count += merged.end - merged.begin;
        out.first = std::min(out.first, merged.begin * step + remainder);
        out.last = std::max(out.last, (merged.end - 1) * step + remainder);
    }
    return all.empty() ? Places{} : out;
}

/// An interval in a raster with lines of a given length. The interval may begin and end within a line.
struct Raster
{
    std::int64_t firstLine, lastLine, begin, end, length;
    Raster(std::int64_t from, std::int64_t to, std::int64_t lineLength)
        : firstLine(from / lineLength), lastLine((to - 1) / lineLength), begin(from % lineLength),
          end((to - 1) % lineLength + 1), length(lineLength)
    {
    }
    [[nodiscard]] Interval lines() const noexcept { return {firstLine, lastLine + 1}; }
    [[nodiscard]] Interval inLine(std::int64_t line) const noexcept
    {
        return {line == firstLine ? begin : 0, line == lastLine ? end : length};
    }
    /// Lines that the interval contains completely.
    [[nodiscard]] Interval wholeLines() const noexcept
    {
        return {firstLine + (begin > 0), lastLine + (end == length)};
    }
    [[nodiscard]] bool isRectangle() const noexcept
    {
        return firstLine == lastLine || (begin == 0 && end == length);
    }
};

class ImageWindows
{
public:
    explicit ImageWindows(const WindowsMap& m)
        : m_width(m.w), m_outWidth(m.outWidth()),
          m_windowWidth(m.window[1]), m_rows{m.stride[0], m.dilation[0], m.pad[0], m.h}, m_cols{m.stride[1],
                                                                                                m.dilation[1],
                                                                                                m.pad[1], m.w}
    {
    }

    /// Returns the pixels that the windows [q0, q1) of an image touch at their places [p0, p1).
    [[nodiscard]] Places pixels(Interval windows, Interval taps) const
    {
        const Raster q(windows.begin, windows.end, m_outWidth);
        const Raster p(taps.begin, taps.end, m_windowWidth);
        if (q.isRectangle() && p.isRectangle()) {
            const Product row{q.lines(), p.lines()};
            const Product col{q.inLine(q.firstLine), p.inLine(p.firstLine)};
            const Places rows = placesOf(m_rows, {&row, 1});
            const Places cols = placesOf(m_cols, {&col, 1});
            return {rows.count * cols.count, rows.first * m_width + cols.first,
                    rows.last * m_width + cols.last};
        }
        return raggedPixels(q, p);
    }

    /// Some windows of an image and some places in each window, both as intervals in raster order.
    struct Part
    {
        Raster q, p;
    };
    [[nodiscard]] Part part(Interval windows, Interval taps) const
    {
        return {{windows.begin, windows.end, m_outWidth}, {taps.begin, taps.end, m_windowWidth}};
    }
    /// Rows of an image that contain all rows the part touches.
    [[nodiscard]] Interval rowsOf(const Part& x) const
    {
        return {std::max<std::int64_t>(0, m_rows.place(x.q.firstLine, x.p.firstLine)),
                std::min(m_rows.size - 1, m_rows.place(x.q.lastLine, x.p.lastLine)) + 1};
    }
    /// Returns the columns in a row of an image that any of the parts touches. `products` is a reused buffer.
    [[nodiscard]] Places row(std::int64_t row, std::span<const Part> parts,
                             std::vector<Product>& products) const
    {
        products.clear();
        for (const Part& x : parts)
            for (std::int64_t a = x.p.firstLine; a <= x.p.lastLine; ++a)
                if (const auto y = windowLine(row, a, x.q))
                    products.push_back({x.q.inLine(*y), x.p.inLine(a)});
        return placesOf(m_cols, products);
    }

private:
    /// The line of windows whose place `tap` lies in the row; nullopt if there is none in the raster.
    [[nodiscard]] std::optional<std::int64_t> windowLine(std::int64_t row, std::int64_t tap,
                                                         const Raster& q) const
    {
        const std::int64_t at = row + m_rows.pad - tap * m_rows.dilation;
        const std::int64_t y = at / m_rows.stride;
        return at < 0 || at % m_rows.stride != 0 || y < q.firstLine || y > q.lastLine ? std::nullopt
                                                                                      : std::optional(y);
    }

    [[nodiscard]] Places raggedPixels(const Raster& q, const Raster& p) const
    {
        const Product whole{{0, q.length}, {0, p.length}};
        const Places wholeLine = placesOf(m_cols, {&whole, 1});
        const Interval wholeQ = q.wholeLines(), wholeP = p.wholeLines();
        const Part all{q, p};
        const Interval rows = rowsOf(all);
        Places out;
        std::vector<Product> products;
        for (std::int64_t at = rows.begin; at < rows.end; ++at) {
            bool isWhole = false;
            for (std::int64_t a = wholeP.begin; a < wholeP.end && !isWhole; ++a) {
                const auto y = windowLine(at, a, q);
                isWhole = y && *y >= wholeQ.begin && *y < wholeQ.end;
            }
            const Places line = isWhole ? wholeLine : row(at, {&all, 1}, products);
            if (line.count == 0)
                continue;
            if (out.count == 0)
                out.first = at * m_width + line.first;
            out.last = at * m_width + line.last;
            out.count += line.count;
        }
        return out;
    }

    std::int64_t m_width, m_outWidth, m_windowWidth;
    WindowAxis m_rows, m_cols;
};

} // namespace tilewright::image_windows
