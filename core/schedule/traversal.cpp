// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/traversal.h"

#include <algorithm>
#include <array>

namespace tilewright {

Traversal Traversal::custom(std::vector<std::int64_t> order)
{
    Traversal t;
    t.m_kind = TraversalKind::Custom;
    t.m_order = std::make_shared<const std::vector<std::int64_t>>(std::move(order));
    return t;
}

namespace {

/// Raster is tested first: on a single row or column several presets give the same order.
TraversalKind presetOf(const std::vector<std::int64_t>& order, std::int64_t rows, std::int64_t cols)
{
    constexpr std::array kPresets{TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                                  TraversalKind::ColumnSnake, TraversalKind::Spiral};
    if (rows > 0 && cols > 0 && static_cast<std::int64_t>(order.size()) == rows * cols)
        for (const TraversalKind preset : kPresets)
            if (order == tileOrder(preset, rows, cols))
                return preset;
    return TraversalKind::Custom;
}

} // namespace

Traversal Traversal::recognise(std::vector<std::int64_t> order, std::int64_t rows, std::int64_t cols)
{
    const TraversalKind preset = presetOf(order, rows, cols);
    return preset == TraversalKind::Custom || preset == TraversalKind::Raster ? custom(std::move(order))
                                                                              : Traversal(preset);
}

Traversal Traversal::simplest(std::vector<std::int64_t> order, std::int64_t rows, std::int64_t cols)
{
    const TraversalKind preset = presetOf(order, rows, cols);
    return preset == TraversalKind::Custom ? custom(std::move(order)) : Traversal(preset);
}

std::span<const std::int64_t> Traversal::explicitOrder() const noexcept
{
    return m_order ? std::span<const std::int64_t>(*m_order) : std::span<const std::int64_t>();
}

bool Traversal::operator==(const Traversal& other) const
{
    return m_kind == other.m_kind && std::ranges::equal(explicitOrder(), other.explicitOrder());
}

std::string_view traversalName(TraversalKind kind)
{
    switch (kind) {
    case TraversalKind::Raster:
        return "raster";
    case TraversalKind::Snake:
        return "snake";
    case TraversalKind::Column:
        return "column";
    case TraversalKind::ColumnSnake:
        return "column snake";
    case TraversalKind::Spiral:
        return "spiral";
    case TraversalKind::Custom:
        return "custom";
    }
    return "";
}

std::vector<std::int64_t> tileOrder(const Traversal& traversal, std::int64_t rows, std::int64_t cols)
{
    if (traversal.kind() == TraversalKind::Custom)
        return {traversal.explicitOrder().begin(), traversal.explicitOrder().end()};
    std::vector<std::int64_t> order;
    order.reserve(static_cast<std::size_t>(rows * cols));
    forEachTile(traversal, rows, cols, [&](std::int64_t r, std::int64_t c) {
        order.push_back(r * cols + c);
        return true;
    });
    return order;
}

} // namespace tilewright
