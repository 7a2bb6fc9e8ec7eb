// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/arrangement.h"

#include <algorithm>
#include <numeric>

namespace tilewright::lower {

using model::Shape;

namespace {

/// The axes of a list that have more than one element. Adjacent axes are joined if together they are one
/// axis.
std::vector<Axis> joined(const std::vector<Axis>& list)
{
    std::vector<Axis> out;
    for (const Axis& axis : list) {
        if (axis.size == 1)
            continue;
        if (!out.empty() && out.back().stride == axis.size * axis.stride)
            out.back() = {out.back().size * axis.size, axis.stride};
        else
            out.push_back(axis);
    }
    return out;
}

std::optional<SliceMap> sliceOf(const std::vector<Axis>& rowAxes, const std::vector<Axis>& colAxes,
                                std::int64_t offset, std::int64_t rows, std::int64_t cols)
{
    if (rowAxes.size() > 1 || colAxes.size() > 1)
        return std::nullopt;
    const Axis row = rowAxes.empty() ? Axis{} : rowAxes[0], col = colAxes.empty() ? Axis{} : colAxes[0];
    const std::int64_t firstRow = offset / cols, firstCol = offset % cols;
    const auto alongRows = [&](const Axis& a) {
        return a.size == 1 ||
               (a.stride > 0 && a.stride % cols == 0 && firstRow + (a.size - 1) * (a.stride / cols) < rows);
    };
    const auto alongCols = [&](const Axis& a) {
        return a.size == 1 || (a.stride > 0 && firstCol + (a.size - 1) * a.stride < cols);
    };
    const auto slice = [](std::int64_t first, const Axis& a, std::int64_t unit) {
        return std::array{first, a.size == 1 ? std::int64_t{1} : a.stride / unit, a.size};
    };
    if (alongRows(row) && alongCols(col))
        return SliceMap{slice(firstRow, row, cols), slice(firstCol, col, 1), false};
    if (alongCols(row) && alongRows(col))
        return SliceMap{slice(firstRow, col, cols), slice(firstCol, row, 1), true};
    return std::nullopt;
}

/// Returns [extent, inner] if the axes repeat a whole axis of a base. They are, from outside: copies of the
/// axis, the axis itself, copies of each element.
std::optional<std::array<std::int64_t, 2>> repeatOf(const std::vector<Axis>& axes, const Axis& whole)
{
    std::array<std::int64_t, 2> out{whole.size, 1};
    std::size_t i = 0;
    if (whole.size > 1) {
        i += i < axes.size() && axes[i].stride == 0;
        if (i == axes.size() || axes[i].size != whole.size || axes[i].stride != whole.stride)
            return std::nullopt;
        ++i;
    }
    if (i < axes.size() && axes[i].stride == 0)
        out[1] = axes[i++].size;
    return i == axes.size() ? std::optional(out) : std::nullopt;
}

std::optional<WindowsMap> windowsOf(const Arrangement& a, std::int64_t cols, const ImageShape& image)
{
    if (a.rows.size() != 3 || (a.cols.size() != 1 && a.cols.size() != 3))
        return std::nullopt;
    const auto [above, left, below, right] = image.zeros;
    const std::int64_t height = image.h + above + below, width = image.w + left + right, line = width * cols;
    const std::array first{a.offset / line, a.offset % line / cols};
    WindowsMap m;
    m.n = image.n;
    m.h = image.h;
    m.w = image.w;
    m.channels = {a.offset % cols, a.cols.back().size};
    const auto steps = [](const Axis& axis, std::int64_t unit, std::int64_t& out) {
        const bool whole = axis.stride > 0 && axis.stride % unit == 0;
        out = whole ? axis.stride / unit : 1;
        return whole || axis.size == 1;
    };
    bool exact = a.rows[0].size == image.n && (image.n == 1 || a.rows[0].stride == height * line) &&
                 (m.channels[1] == 1 || a.cols.back().stride == 1) && m.channels[0] + m.channels[1] <= cols;
    const std::array unit{line, cols}, extent{height, width}, inner{image.h, image.w};
    for (std::size_t d = 0; d < 2 && exact; ++d) {
        const Axis &out = a.rows[d + 1], tap = a.cols.size() == 3 ? a.cols[d] : Axis{};
        m.window[d] = tap.size;
        exact = steps(out, unit[d], m.stride[d]) && steps(tap, unit[d], m.dilation[d]);
        const std::int64_t reach = (out.size - 1) * m.stride[d] + (tap.size - 1) * m.dilation[d];
        exact = exact && first[d] + reach < extent[d];
        m.pad[d] = image.zeros[d] - first[d];
        m.pad[d + 2] = image.zeros[d + 2];
        // The padding at the end is only as large as the last window needs.
        if ((d == 0 ? m.outHeight() : m.outWidth()) != out.size)
            m.pad[d + 2] = reach + 1 - inner[d] - m.pad[d];
    }
    return exact ? std::optional(m) : std::nullopt;
}

/// True if the map reads all elements of a base with `cols` columns, in the order in which the base stores
/// them.
bool isIdentity(const IndexMap& map, std::int64_t cols)
{
    constexpr std::array<std::int64_t, 2> kOne{1, 1};
    const auto* m = std::get_if<WindowsMap>(&map);
    return m && m->window == kOne && m->stride == kOne && m->pad == std::array<std::int64_t, 4>{} &&
           m->channels == std::array<std::int64_t, 2>{0, cols};
}

std::string textOf(const IndexMap& map)
{
    std::string out(mapKind(map));
    const auto add = [&](const auto&... lists) {
        const auto addAll = [&](const auto& list) {
            for (const std::int64_t value : list)
                out += "," + std::to_string(value);
        };
        (addAll(lists), ...);
    };
    if (const auto* w = std::get_if<WindowsMap>(&map))
        add(std::array{w->n, w->h, w->w}, w->channels, w->window, w->stride, w->pad, w->dilation);
    else if (const auto* r = std::get_if<RepeatMap>(&map))
        add(r->rows, r->cols);
    else if (const auto* s = std::get_if<SliceMap>(&map))
        add(s->rows, s->cols, std::array{std::int64_t{s->transposed}});
    return out;
}

} // namespace

std::optional<IndexMap> mapOf(const Arrangement& a, std::int64_t rows, std::int64_t cols,
                              const std::optional<ImageShape>& image)
{
    if (!image || image->zeros == std::array<std::int64_t, 4>{}) {
        const std::vector<Axis> rowAxes = joined(a.rows), colAxes = joined(a.cols);
        if (const auto slice = sliceOf(rowAxes, colAxes, a.offset, rows, cols))
            return *slice;
        const auto r = repeatOf(rowAxes, {rows, cols}), c = repeatOf(colAxes, {cols, 1});
        if (a.offset == 0 && r && c)
            return RepeatMap{*r, *c};
    }
    const auto windows = image ? windowsOf(a, cols, *image) : std::nullopt;
    return windows ? std::optional<IndexMap>(*windows) : std::nullopt;
}

SourceId MatrixTable::addInput(std::string name, std::int64_t rows, std::int64_t cols, bool constant,
                               std::int64_t bits)
{
    m_sources.push_back(
        {std::move(name), rows, cols, saturatingMul(rows, cols), constant, {}, {}, {}, bits, {}, {}});
    return static_cast<SourceId>(m_sources.size() - 1);
}

SourceId MatrixTable::addResult(std::string name, std::int64_t rows, std::int64_t cols, std::int64_t bits)
{
    const SourceId id = addInput(name, rows, cols, false, bits);
    m_sources[id].tensor = addTensor(rows, cols, std::move(name), bits);
    return id;
}

SourceId MatrixTable::addRearranged(std::string key, const std::vector<SourceId>& from, std::int64_t elements,
                                    bool segments)
{
    for (const SourceId s : from)
        key += ";" + std::to_string(s);
    const auto [it, isNew] = m_rearranged.emplace(std::move(key), static_cast<SourceId>(m_sources.size()));
    if (!isNew)
        return it->second;
    Source source;
    source.elements = elements;
    source.constant = true;
    source.bits = m_sources[from.front()].bits;
    for (const SourceId s : from) {
        const Source& part = m_sources[s];
        source.constant &= part.constant;
        part.bases.empty()
            ? source.bases.push_back(s)
            : void(source.bases.insert(source.bases.end(), part.bases.begin(), part.bases.end()));
    }
    std::sort(source.bases.begin(), source.bases.end());
    source.bases.erase(std::unique(source.bases.begin(), source.bases.end()), source.bases.end());
    if (segments)
        source.segments = from;
    m_sources.push_back(std::move(source));
    return it->second;
}

SourceId MatrixTable::addPadded(const Placement& p, const std::array<std::int64_t, 4>& zeros)
{
    const std::int64_t n = p.shape[0], c = p.shape[1], h = p.shape[2], w = p.shape[3];
    const std::string key =
        "pad" + model::shapeText(Shape(zeros.begin(), zeros.end())) + "|" + keyOf(arranged(p, {0, 2, 3, 1}));
    const SourceId id = addRearranged(
        key, {p.source}, model::elementsOf(Shape{n, c, h + zeros[0] + zeros[2], w + zeros[1] + zeros[3]}));
    const Source& base = m_sources[p.source];
    const std::array<std::int64_t, 4> strides{h * w * base.cols, 1, w * base.cols, base.cols};
    bool exact = base.bases.empty() && n * h * w == base.rows && p.offset + c <= base.cols;
    for (std::size_t d = 0; d < 4; ++d)
        exact &= p.shape[d] == 1 || p.strides[d] == strides[d];
    if (exact) {
        m_sources[id].cols = c;
        m_sources[id].image = ImageShape{n, h, w, zeros};
        m_sources[id].inside = {p.source, p.offset};
    }
    return id;
}

MatrixTable::Normal MatrixTable::normalise(const Arrangement& a) const
{
    Normal n;
    n.source = a.source;
    n.offset = a.offset;
    for (const Axis& axis : a.rows)
        n.rows = saturatingMul(n.rows, axis.size);
    for (const Axis& axis : a.cols)
        n.cols = saturatingMul(n.cols, axis.size);
    std::int64_t last = n.offset; // element with the largest index
    for (const auto* list : {&a.rows, &a.cols})
        for (const Axis& axis : *list) {
            if (axis.size == 1)
                continue;
            last += (axis.size - 1) * axis.stride;
            if (!n.axes.empty() && n.axes.back().stride == axis.size * axis.stride)
                n.axes.back() = {n.axes.back().size * axis.size, axis.stride};
            else
                n.axes.push_back(axis);
        }
    // If the elements lie within one part of a concatenation, they are read from that part.
    for (bool within = true; within;) {
        within = false;
        std::int64_t start = 0;
        for (const SourceId part : m_sources[n.source].segments) {
            const std::int64_t end = start + m_sources[part].elements;
            if (n.offset < end) {
                within = last < end;
                if (within) {
                    n.source = part;
                    n.offset -= start;
                    last -= start;
                }
                break;
            }
            start = end;
        }
    }
    return n;
}

bool MatrixTable::isWhole(const Normal& n) const
{
    const Source& s = m_sources[n.source];
    const bool inOrder = n.axes.empty() || (n.axes.size() == 1 && n.axes[0].stride == 1);
    return s.bases.empty() && n.offset == 0 && n.rows == s.rows && n.cols == s.cols && inOrder;
}

std::string MatrixTable::keyOf(const Normal& n)
{
    std::string key = std::to_string(n.source) + "+" + std::to_string(n.offset) + ":" +
                      std::to_string(n.rows) + "x" + std::to_string(n.cols);
    for (const Axis& axis : n.axes)
        key += "," + std::to_string(axis.size) + "*" + std::to_string(axis.stride);
    return key;
}

std::string MatrixTable::keyOf(const Arrangement& arrangement) const
{
    return keyOf(normalise(arrangement));
}

bool MatrixTable::isMatrix(const Arrangement& arrangement) const
{
    return isWhole(normalise(arrangement));
}

bool MatrixTable::isPlainView(TensorId tensor) const
{
    // views are added together with their tensors, so the view exists
    const auto found = std::ranges::lower_bound(m_data.views, tensor, {}, &TensorView::tensor);
    return found != m_data.views.end() && found->tensor == tensor && !found->map;
}

TensorId MatrixTable::addTensor(std::int64_t rows, std::int64_t cols, std::string name, std::int64_t bits)
{
    m_data.tensors.push_back({cols, rows, std::move(name), bits});
    return TensorId(m_data.tensors.size() - 1);
}

TensorId MatrixTable::tensorOfBase(SourceId base)
{
    Source& s = m_sources[base];
    if (!s.tensor)
        s.tensor = addTensor(s.rows, s.cols, s.name, s.bits);
    return *s.tensor;
}

std::optional<MatrixTable::Reading> MatrixTable::readingOf(const Arrangement& arrangement,
                                                           const Normal& n) const
{
    const Source& s = m_sources[n.source];
    if (s.constant || (!s.bases.empty() && !s.inside))
        return std::nullopt;
    Arrangement a = arrangement;
    a.offset = n.offset;
    auto map = mapOf(a, s.rows, s.cols, s.image);
    if (!map)
        return std::nullopt;
    if (s.inside)
        std::get<WindowsMap>(*map).channels[0] += s.inside->second;
    return Reading{s.inside ? s.inside->first : n.source, *map};
}

TensorId MatrixTable::read(const Arrangement& arrangement, const std::string& name)
{
    const Normal n = normalise(arrangement);
    if (isWhole(n))
        return tensorOfBase(n.source);
    const std::string key = keyOf(n);
    if (const auto found = m_views.find(key); found != m_views.end())
        return found->second;
    const auto reading = readingOf(arrangement, n);
    if (reading && isIdentity(reading->map, m_sources[reading->base].cols))
        return m_views[key] = tensorOfBase(reading->base);
    // Arrangements of one matrix, with or without zeros around its images, may have the same map.
    if (reading) {
        const auto [same, isNew] =
            m_views.emplace(std::to_string(reading->base) + ":" + std::to_string(n.rows) + "x" +
                                std::to_string(n.cols) + textOf(reading->map),
                            TensorId(m_data.tensors.size()));
        if (!isNew)
            return m_views[key] = same->second;
    }
    const Source& s = m_sources[n.source];
    const bool constant = s.constant;
    const std::vector<SourceId> bases = reading           ? std::vector{reading->base}
                                        : s.bases.empty() ? std::vector{n.source}
                                                          : s.bases;
    const TensorId view = addTensor(n.rows, n.cols, name, s.bits);
    m_views.emplace(key, view);
    if (constant)
        return view;
    TensorView entry{view, {}, reading ? std::optional(reading->map) : std::nullopt};
    for (const SourceId base : bases)
        entry.bases.push_back(tensorOfBase(base));
    m_data.views.push_back(std::move(entry));
    return view;
}

Placement placed(SourceId source, const model::Shape& shape, const std::vector<std::size_t>& order)
{
    Placement p{source, 0, shape, std::vector<std::int64_t>(shape.size(), 0)};
    std::int64_t stride = 1;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        p.strides[*it] = stride;
        stride *= shape[*it];
    }
    return p;
}

Placement placed(SourceId source, const model::Shape& shape)
{
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return placed(source, shape, order);
}

Arrangement arranged(const Placement& p, const std::vector<std::size_t>& order)
{
    Arrangement a{p.source, p.offset, {}, {}};
    for (std::size_t i = 0; i < order.size(); ++i) {
        auto& list = i + 1 < order.size() ? a.rows : a.cols;
        list.push_back({p.shape[order[i]], p.strides[order[i]]});
    }
    return a;
}

std::optional<Placement> reshaped(const Placement& from, const model::Shape& shape)
{
    // The old and the new dimensions are matched in groups with equally many elements. Within a group, the
    // old dimensions must be one axis.
    std::vector<Axis> old;
    for (std::size_t i = 0; i < from.shape.size(); ++i)
        if (from.shape[i] > 1)
            old.push_back({from.shape[i], from.strides[i]});
    Placement out{from.source, from.offset, shape, std::vector<std::int64_t>(shape.size(), 0)};
    std::size_t i = 0;
    std::size_t j = 0;
    while (j < shape.size()) {
        if (shape[j] == 1) {
            ++j;
            continue;
        }
        const std::size_t first = j;
        std::int64_t want = shape[j++];
        if (i >= old.size())
            return std::nullopt;
        Axis run = old[i++];
        while (run.size != want) {
            if (run.size < want) {
                if (i >= old.size() || run.stride != old[i].size * old[i].stride)
                    return std::nullopt;
                run = {run.size * old[i].size, old[i].stride};
                ++i;
            } else {
                if (j >= shape.size())
                    return std::nullopt;
                want *= shape[j++];
            }
        }
        std::int64_t stride = run.stride;
        for (std::size_t d = j; d-- > first;) {
            out.strides[d] = stride;
            stride *= shape[d];
        }
    }
    return out;
}

} // namespace tilewright::lower
