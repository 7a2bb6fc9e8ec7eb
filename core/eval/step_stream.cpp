// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/step_stream.h"

#include "rules/check.h"
#include "schedule/schedule.h"

#include <cstdlib>
#include <utility>

namespace tilewright {

StepOrder::StepOrder(const Problem& problem, const Subgraph& s, std::span<const TensorId> residentBefore,
                     const Rules& rules)
    : plan(problem, s.ops, rules), subgraph(s), resident(residentBefore.begin(), residentBefore.end())
{
    const TileGrid grid = tileGrid(problem, s.ops, s.granularity);
    tiles = tileOrder(s.traversal, grid.rows, grid.cols);
    cols = grid.cols;
}

std::vector<StepStretch> cutIntoStretches(const StepOrder& order, std::size_t count)
{
    StepWalker walker(order.plan, order.subgraph, order.resident);
    // for each tile, the number of steps before it; the last entry is the number of all steps
    std::vector<std::int64_t> before{0};
    for (const std::int64_t tile : order.tiles) {
        walker.goTo(tile / order.cols, tile % order.cols);
        before.push_back(before.back() + walker.step().kSteps);
    }
    std::vector<StepStretch> out(count);
    std::size_t at = 0;
    for (std::size_t core = 0; core < count; ++core) {
        StepStretch& s = out[core];
        s.begin = at;
        s.firstStep = before[at];
        // Numbers of steps are multiplied by `count`, so that the ideal cut (`wanted`) is an integer.
        const auto n = static_cast<std::int64_t>(count);
        const std::int64_t wanted = static_cast<std::int64_t>(core + 1) * before.back();
        const auto distance = [&](std::size_t i) { return std::abs(n * before[i] - wanted); };
        // Tiles in which no sink takes part have no steps, so several boundaries may have the same distance.
        for (std::size_t i = at; i < before.size() && distance(i) <= distance(at); ++i)
            if (distance(i) < distance(at))
                at = i;
        if (core + 1 == count)
            at = order.tiles.size();
        s.end = at;
        s.steps = before[at] - s.firstStep;
    }
    return out;
}

StepStream::StepStream(std::shared_ptr<const StepOrder> order, const StepStretch& stretch)
    : m_order(std::move(order)), m_tile(stretch.begin), m_end(stretch.end),
      m_walker(m_order->plan, m_order->subgraph, m_order->resident)
{
    m_walker.beginAt(stretch.firstStep);
}

bool StepStream::next()
{
    if (m_isInTile)
        m_walker.nextStep();
    while (!m_isInTile || m_walker.step().kStep >= m_walker.step().kSteps) {
        if (m_tile == m_end)
            return false;
        const std::int64_t tile = m_order->tiles[m_tile++];
        m_walker.goTo(tile / m_order->cols, tile % m_order->cols);
        m_isInTile = true;
    }
    m_walker.takeStep();
    m_walker.findLinks();
    return true;
}

} // namespace tilewright
