// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/schedule.h"

#include "base/integer.h"

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

/// Raster is tried first, because on a single row or column several presets give the same order.
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

bool Schedule::operator==(const Schedule& other) const
{
    return extra == other.extra &&
           std::ranges::equal(subgraphs, other.subgraphs,
                              [](const SubgraphPtr& a, const SubgraphPtr& b) { return a == b || *a == *b; });
}

TileGrid tileGrid(const Problem& problem, std::span<const OpId> ops, const Granularity& granularity)
{
    TileGrid grid;
    for (const TensorId t : boundaryOf(problem, ops).sinks) {
        grid.rows = std::max(grid.rows, ceilDiv(problem.tensor(t).height, granularity.h));
        grid.cols = std::max(grid.cols, ceilDiv(problem.tensor(t).width, granularity.w));
    }
    return grid;
}

std::vector<std::int64_t> usefulSizes(std::int64_t extent, std::int64_t native, std::int64_t limit)
{
    constexpr std::int64_t kMaxTileCounts = 128;
    const std::int64_t most = std::min(extent, limit);
    std::vector<std::int64_t> sizes{most};
    // Sizes between two of these values are not useful: they give as many tiles as the smaller one but need
    // more memory.
    const std::int64_t firstCount = ceilDiv(extent, most);
    for (std::int64_t n = firstCount; n < firstCount + kMaxTileCounts && n <= extent; ++n)
        sizes.push_back(ceilDiv(extent, n));
    for (std::int64_t p = 1; p <= most; p *= 2)
        sizes.push_back(p);
    for (std::int64_t s = native; s >= 1; s /= 2)
        sizes.push_back(s);
    std::erase_if(sizes, [most](std::int64_t s) { return s < 1 || s > most; });
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::string_view issueCodeName(IssueCode code)
{
    switch (code) {
    case IssueCode::Format:
        return "FORMAT";
    case IssueCode::Granularity:
        return "GRANULARITY";
    case IssueCode::Retain:
        return "RETAIN";
    case IssueCode::SuperNative:
        return "SUPERNATIVE";
    case IssueCode::KTooLarge:
        return "K_TOO_LARGE";
    case IssueCode::OpOrder:
        return "OP_ORDER";
    case IssueCode::Disconnected:
        return "DISCONNECTED";
    case IssueCode::Prologue:
        return "PROLOGUE";
    case IssueCode::Traversal:
        return "TRAVERSAL";
    case IssueCode::Dependency:
        return "DEPENDENCY";
    case IssueCode::OutOfMemory:
        return "OOM";
    case IssueCode::Coverage:
        return "COVERAGE";
    case IssueCode::Output:
        return "OUTPUT";
    }
    return "";
}

} // namespace tilewright
