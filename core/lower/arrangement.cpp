// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/arrangement.h"

#include <algorithm>
#include <numeric>

namespace tilewright::lower {

SourceId MatrixTable::addInput(std::string name, std::int64_t rows, std::int64_t cols, bool constant)
{
    m_sources.push_back({std::move(name), rows, cols, saturatingMul(rows, cols), constant, {}, {}, {}});
    return static_cast<SourceId>(m_sources.size() - 1);
}

SourceId MatrixTable::addResult(std::string name, std::int64_t rows, std::int64_t cols)
{
    const SourceId id = addInput(name, rows, cols, false);
    m_sources[id].tensor = addTensor(rows, cols, std::move(name));
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

MatrixTable::Normal MatrixTable::normalise(const Arrangement& a) const
{
    Normal n;
    n.source = a.source;
    n.offset = a.offset;
    for (const Axis& axis : a.rows)
        n.rows = saturatingMul(n.rows, axis.size);
    for (const Axis& axis : a.cols)
        n.cols = saturatingMul(n.cols, axis.size);
    std::int64_t last = n.offset; // the element furthest behind
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
    // What lies within one part of a concatenation is read from that part.
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

TensorId MatrixTable::addTensor(std::int64_t rows, std::int64_t cols, std::string name)
{
    m_data.tensors.push_back({cols, rows, std::move(name)});
    return TensorId(m_data.tensors.size() - 1);
}

TensorId MatrixTable::tensorOfBase(SourceId base)
{
    Source& s = m_sources[base];
    if (!s.tensor)
        s.tensor = addTensor(s.rows, s.cols, s.name);
    return *s.tensor;
}

TensorId MatrixTable::read(const Arrangement& arrangement, const std::string& name)
{
    const Normal n = normalise(arrangement);
    if (isWhole(n))
        return tensorOfBase(n.source);
    const std::string key = keyOf(n);
    if (const auto found = m_views.find(key); found != m_views.end())
        return found->second;
    const Source& s = m_sources[n.source];
    const bool constant = s.constant;
    const std::vector<SourceId> bases = s.bases.empty() ? std::vector{n.source} : s.bases;
    const TensorId view = addTensor(n.rows, n.cols, name);
    m_views.emplace(key, view);
    if (constant)
        return view;
    TensorView entry{view, {}};
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
    // Runs of the old and of the new dimensions that hold equally many elements belong together; within a
    // run the old ones must be one axis.
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
