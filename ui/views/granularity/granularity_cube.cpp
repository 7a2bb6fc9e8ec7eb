// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/granularity/granularity_cube.h"

#include "eval/fast.h"
#include "eval/granularity_search.h"
#include "schedule/useful_sizes.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

bool betterThan(const CubeCell& a, const CubeCell& b)
{
    return isBetter({a.latency, a.steps, a.peak}, {b.latency, b.steps, b.peak});
}

} // namespace

CubeKey cubeKey(const Snapshot& snapshot, SubgraphId subgraph)
{
    const Subgraph& s = snapshot.schedule[subgraph];
    const auto resident = snapshot.residentBefore(subgraph);
    CubeKey key{snapshot.problem, s.ops, {resident.begin(), resident.end()}, s.retain,
                s.traversal,      {},    snapshot.evaluation.rules};
    if (s.traversal.kind() == TraversalKind::Custom)
        key.customGrid = tileGrid(*snapshot.problem, s.ops, s.granularity);
    return key;
}

Granularity GranularityCube::granularity(std::size_t i) const
{
    const std::size_t w = i % widths.size();
    const std::size_t h = i / widths.size() % heights.size();
    return {widths[w], heights[h], depths[i / widths.size() / heights.size()]};
}

bool GranularityCube::covers(const Granularity& g) const
{
    const auto has = [](const std::vector<std::int64_t>& v, std::int64_t x) {
        return std::binary_search(v.begin(), v.end(), x);
    };
    return has(widths, g.w) && has(heights, g.h) && has(depths, g.k);
}

std::optional<std::size_t> GranularityCube::bestOfDepth(std::size_t k) const
{
    std::optional<std::size_t> found;
    const std::size_t plane = widths.size() * heights.size();
    for (std::size_t i = k * plane; i < (k + 1) * plane; ++i)
        if (cells[i].state == CubeCell::State::Fits && (!found || betterThan(cells[i], cells[*found])))
            found = i;
    return found;
}

std::size_t GranularityCube::bestDepth(std::size_t w, std::size_t h, std::size_t otherwise) const
{
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < depths.size(); ++k) {
        const CubeCell& c = cells[index(w, h, k)];
        if (c.state == CubeCell::State::Fits && (!found || betterThan(c, cells[index(w, h, *found)])))
            found = k;
    }
    return found.value_or(otherwise);
}

std::vector<std::int64_t> mapSizes(std::int64_t extent, std::int64_t native, std::int64_t current)
{
    const std::int64_t most = std::min(extent, native);
    std::vector<std::int64_t> sizes;
    const auto special = [&](std::int64_t v) {
        return v == native || v == most || v == current || (v & (v - 1)) == 0;
    };
    const std::int64_t least = std::max<std::int64_t>(1, std::min(current, most / 32));
    // Sizes closer to a neighbour than this factor are left out: they would add a column without new
    // information.
    constexpr double kApart = 1.25;
    for (const std::int64_t v : usefulSizes(extent, native, native)) {
        if (v < least)
            continue;
        if (!sizes.empty() && static_cast<double>(v) < kApart * static_cast<double>(sizes.back())) {
            if (!special(v))
                continue;
            if (!special(sizes.back()))
                sizes.pop_back();
        }
        sizes.push_back(v);
    }
    sizes.push_back(std::max<std::int64_t>(1, current));
    if (extent > native)
        sizes.push_back(std::min(2 * native, extent));
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::shared_ptr<const GranularityCube> buildCube(const CubeKey& key, const Granularity& current,
                                                 const Progress& progress)
{
    const Problem& problem = *key.problem;
    const Hardware& hw = problem.hardware();
    const SubgraphPlan plan(problem, key.ops, key.rules);
    auto cube = std::make_shared<GranularityCube>();
    cube->key = key;
    cube->hasDepth = plan.hasMatMul();
    cube->widths = mapSizes(plan.sinkWidth(), hw.nativeWidth, current.w);
    cube->heights = mapSizes(plan.sinkHeight(), hw.nativeHeight, current.h);
    const std::int64_t deepest = key.rules.kLimit == Rules::KLimit::Reduction // R4.2
                                     ? std::max(hw.nativeK(), plan.smallestK())
                                     : hw.nativeK();
    cube->depths = plan.hasMatMul() ? mapSizes(plan.smallestK(), deepest, current.k)
                                    : std::vector<std::int64_t>{current.k};
    const std::size_t n = cube->widths.size() * cube->heights.size() * cube->depths.size();
    cube->cells.resize(n);
    bool any = false;
    for (std::size_t i = 0; i < n; ++i) {
        if (progress.stopRequested())
            return nullptr;
        const Granularity g = cube->granularity(i);
        CubeCell& cell = cube->cells[i];
        if (const auto issue = plan.check(g)) {
            cell.issue = *issue;
            cell.state =
                *issue == IssueCode::SuperNative ? CubeCell::State::SuperNative : CubeCell::State::Forbidden;
            continue;
        }
        // An order drawn for one grid does not apply to another one (as in edit::setGranularity).
        const bool keeps =
            key.traversal.kind() != TraversalKind::Custom || tileGrid(problem, key.ops, g) == key.customGrid;
        const SubgraphEvaluation e =
            evaluate(plan, g, keeps ? key.traversal : Traversal(), key.resident, key.retain);
        if (!e.structurallyValid) {
            cell.issue = IssueCode::Retain;
            continue;
        }
        cell.state = e.fits ? CubeCell::State::Fits : CubeCell::State::OutOfMemory;
        cell.latency = e.latency;
        cell.peak = e.peakWorkingSet;
        cell.rows = e.rows;
        cell.cols = e.cols;
        cell.steps = e.steps;
        if (e.fits) {
            cube->low = any ? std::min(cube->low, e.latency) : e.latency;
            cube->high = std::max(cube->high, e.latency);
            any = true;
            if (!cube->best || betterThan(cell, cube->cells[*cube->best]))
                cube->best = i;
        }
        if ((i & 31) == 0)
            progress.tell(static_cast<double>(i) / static_cast<double>(n));
    }
    return cube;
}

} // namespace tilewright::ui
