// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/granularity/granularity_model.h"

#include "eval/fast_evaluator.h"
#include "eval/granularity_search.h"
#include "theme/text.h"

#include <algorithm>
#include <cmath>

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
    // Ratio of neighbouring sizes below which a size is left out: it would add a column without new
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
    // Largest k that is legal (R4.2).
    const std::int64_t deepest = key.rules.kLimit == Rules::KLimit::Reduction
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
        // A custom order that was drawn for one grid does not apply to another grid (as in
        // edit::setGranularity).
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

namespace {

/// Text of a granularity; without a MatMul k has no effect and is left out.
QString granularityText(const Granularity& g, bool hasDepth)
{
    return hasDepth ? sizeText({g.w, g.h, g.k}) : sizeText({g.w, g.h});
}

QString issueText(IssueCode issue, const Granularity& g, const Hardware& hw)
{
    switch (issue) {
    case IssueCode::SuperNative:
        return tr("larger than the native %1").arg(sizeText({hw.nativeWidth, hw.nativeHeight, hw.nativeK()}));
    case IssueCode::KTooLarge:
        return tr("k = %1 is larger than a reduction").arg(number(g.k));
    case IssueCode::Prologue:
        return tr("a Pointwise feeds a MatMul, whose whole reduction must fit into the tile");
    case IssueCode::OpOrder:
        return tr("the order of the ops is not allowed");
    case IssueCode::Disconnected:
        return tr("the ops are not connected");
    default:
        break;
    }
    return tr("not allowed");
}

} // namespace

double GranularityModel::intensity(double latency) const
{
    return high > low && low > 0 ? std::log(latency / low) / std::log(high / low) : 0.0;
}

GranularityModel buildGranularity(const Snapshot* snapshot, std::optional<SubgraphId> subgraph,
                                  std::shared_ptr<const GranularityCube> cube,
                                  std::optional<std::int64_t> depth)
{
    GranularityModel m;
    if (!snapshot) {
        m.hint = tr("Open a problem to see which granularities suit a subgraph.");
        return m;
    }
    if (!subgraph || subgraph->index() >= snapshot->schedule.size()) {
        m.hint = tr("Select a subgraph to see which granularities suit it.");
        return m;
    }
    m.subgraph = subgraph;
    m.capacity = snapshot->problem->hardware().fastMemoryCapacity;
    const Subgraph& s = snapshot->schedule[*subgraph];
    if (s.ops.empty()) {
        m.hint = tr("Subgraph %1 has no ops.").arg(subgraph->index());
        return m;
    }
    const SubgraphEvaluation& e = snapshot->evaluation.subgraphs[subgraph->index()];
    m.currentLatency = e.structurallyValid ? e.latency : 0;
    const bool hasDepth = std::any_of(
        s.ops.begin(), s.ops.end(), [&](OpId o) { return snapshot->problem->op(o).type == OpType::MatMul; });
    m.owner = tr("Subgraph %1").arg(subgraph->index());
    m.title = tr("now %1").arg(granularityText(s.granularity, hasDepth));
    m.title += e.structurallyValid ? tr(": %1").arg(number(e.latency)) : tr(": cannot run");
    if (!cube || !cube->covers(s.granularity) || !(cube->key == cubeKey(*snapshot, *subgraph)))
        return m;
    m.cube = std::move(cube);

    const GranularityCube& c = *m.cube;
    const auto at = [](const std::vector<std::int64_t>& v, std::int64_t x) {
        return static_cast<std::size_t>(std::lower_bound(v.begin(), v.end(), x) - v.begin());
    };
    const std::size_t currentDepth = at(c.depths, s.granularity.k);
    std::optional<std::size_t> fixed;
    if (depth)
        fixed = std::min(at(c.depths, *depth), c.depths.size() - 1);
    bool any = false;
    for (std::size_t h = 0; h < c.heights.size(); ++h)
        for (std::size_t w = 0; w < c.widths.size(); ++w) {
            const std::size_t k = fixed.value_or(c.bestDepth(w, h, currentDepth));
            const std::size_t cell = c.index(w, h, k);
            if (c.widths[w] == s.granularity.w && c.heights[h] == s.granularity.h) {
                m.here = m.shown.size();
                if (!fixed || *fixed == currentDepth)
                    m.current = m.here;
            }
            if (c.cells[cell].state == CubeCell::State::Fits) {
                const double latency = c.cells[cell].latency;
                m.low = any ? std::min(m.low, latency) : latency;
                m.high = std::max(m.high, latency);
                any = true;
            }
            m.shown.push_back(cell);
        }
    // The fastest cell, chosen by the same rule as in the cube.
    const auto best = fixed ? c.bestOfDepth(*fixed) : c.best;
    for (std::size_t i = 0; best && i < m.shown.size(); ++i)
        if (m.shown[i] == *best)
            m.best = i;
    if (c.best) {
        const double gain = c.cells[*c.best].latency - m.currentLatency;
        m.subtitle =
            tr("best %1: %2")
                .arg(granularityText(c.granularity(*c.best), hasDepth), number(c.cells[*c.best].latency));
        if (m.currentLatency > 0)
            m.subtitle += tr(" (%1)").arg(signedPercent(gain / m.currentLatency));
    } else {
        m.subtitle = tr("no granularity fits into fast memory");
    }
    return m;
}

QString granularityReadout(const GranularityModel& m, std::size_t position)
{
    if (!m.cube || position >= m.shown.size())
        return {};
    const Granularity g = m.cube->granularity(m.shown[position]);
    const CubeCell& c = m.cell(position);
    QString text = granularityText(g, m.cube->hasDepth) + QStringLiteral(": ");
    if (c.state == CubeCell::State::SuperNative || c.state == CubeCell::State::Forbidden)
        return text + issueText(c.issue, g, m.cube->key.problem->hardware());
    text += number(c.latency);
    if (m.currentLatency > 0)
        text += tr(" (%1)").arg(signedPercent(c.latency / m.currentLatency - 1));
    if (c.state == CubeCell::State::OutOfMemory)
        text += tr(", does not fit: %1 of %2").arg(number(c.peak), number(m.capacity));
    return text;
}

QString granularityTooltip(const GranularityModel& m, std::size_t position)
{
    if (!m.cube || position >= m.shown.size())
        return {};
    const Granularity g = m.cube->granularity(m.shown[position]);
    const CubeCell& c = m.cell(position);
    QString text = QStringLiteral("<b>%1</b>").arg(granularityText(g, m.cube->hasDepth));
    if (c.state == CubeCell::State::SuperNative || c.state == CubeCell::State::Forbidden)
        return text + tr("<br>%1").arg(issueText(c.issue, g, m.cube->key.problem->hardware()));
    text += tr("<br>latency %1").arg(exactNumber(c.latency));
    if (m.currentLatency > 0)
        text += tr("<br>changes the total by %1 (%2 of this subgraph)")
                    .arg(signedNumber(c.latency - m.currentLatency),
                         signedPercent(c.latency / m.currentLatency - 1));
    text += tr("<br>working set %1 of %2").arg(number(c.peak), number(m.capacity));
    if (c.state == CubeCell::State::OutOfMemory)
        text += tr(": <b>does not fit</b>");
    text += tr("<br>%1 × %2 tiles, %3")
                .arg(number(c.rows), number(c.cols), counted(c.steps, tr("step"), tr("steps")));
    return text + tr("<br><i>click to apply</i>");
}

QString granularityAsText(const GranularityCube& cube)
{
    QString out = QStringLiteral("w\th\tk\tstate\tlatency\tworking_set\tsteps\n");
    for (std::size_t i = 0; i < cube.cells.size(); ++i) {
        const CubeCell& c = cube.cells[i];
        const Granularity g = cube.granularity(i);
        const bool runs = c.state == CubeCell::State::Fits || c.state == CubeCell::State::OutOfMemory;
        const auto state = c.state == CubeCell::State::Fits ? std::string_view("fits")
                           : runs                           ? issueCodeName(IssueCode::OutOfMemory)
                                                            : issueCodeName(c.issue);
        const auto figure = [runs](auto value) { return runs ? std::optional(value) : std::nullopt; };
        out += textRow(g.w, g.h, g.k, state, figure(c.latency), figure(c.peak), figure(c.steps));
    }
    return out;
}

} // namespace tilewright::ui
