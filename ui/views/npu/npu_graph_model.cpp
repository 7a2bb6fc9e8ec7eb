// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_graph_model.h"

#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"
#include "views/npu/npu_text.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <map>

namespace tilewright::ui {

namespace {

constexpr double kPadding = 8;
constexpr double kBarHeight = 10;
constexpr std::size_t kOpenNodes = 420; ///< graphs up to this size open all their groups

/// Arranges cells in rows of whole chains if they fit, about twice as wide as high.
void shapeGroup(const npu::NpuGraph& graph, NpuGraphGroup& g)
{
    const QFontMetricsF title(uiFont(0.95, QFont::DemiBold));
    const QFontMetricsF small(uiFont(0.85));
    // Titles are enlarged if the graph is drawn small, so they get more room than they need at scale 1.
    const double text =
        std::min(260.0, std::max(1.7 * title.horizontalAdvance(g.name), small.horizontalAdvance(g.detail)));
    g.width = std::max(120.0, text + 2 * kPadding + 4);
    g.height = npuGroupTitleHeight() + 12 + kPadding; // the summary bar
    if (!g.open) {
        const QRectF bar = npuGroupBar(g);
        const auto count = static_cast<double>(g.nodes.size());
        const double side = std::sqrt(bar.width() * kBarHeight / std::max(1.0, count));
        g.barRows = std::max(1, static_cast<int>(kBarHeight / side));
        g.barColumns = std::max(1, static_cast<int>(std::ceil(count / g.barRows)));
        return;
    }
    std::size_t chain = 1;
    for (const std::uint32_t n : g.nodes)
        chain = std::max(chain, graph.nodesOf(graph.nodes[n].unit).size());
    const auto count = static_cast<double>(g.nodes.size());
    g.cell = g.nodes.size() <= 260 ? 17 : g.nodes.size() <= 1500 ? 10 : 5;
    const double wanted = std::sqrt(2 * count);
    const auto length = static_cast<double>(chain);
    g.columns = static_cast<int>(length > 2 * wanted ? std::ceil(wanted)
                                                     : length * std::max(1.0, std::round(wanted / length)));
    g.columns = std::clamp(g.columns, 1, static_cast<int>(g.nodes.size()));
    const int rows = (static_cast<int>(g.nodes.size()) + g.columns - 1) / g.columns;
    g.width = std::max(g.width, g.columns * g.cell + 2 * kPadding);
    g.height = npuGroupTitleHeight() + rows * g.cell + kPadding;
}

} // namespace

QRectF npuGroupBar(const NpuGraphGroup& g)
{
    return {g.rect.left() + kPadding, g.rect.top() + npuGroupTitleHeight(), g.width - 2 * kPadding,
            kBarHeight};
}

QRectF npuBarCell(const NpuGraphGroup& g, std::size_t place)
{
    const QRectF bar = npuGroupBar(g);
    const double w = bar.width() / g.barColumns, h = bar.height() / g.barRows;
    const auto columns = static_cast<std::size_t>(g.barColumns);
    const std::size_t row = place / columns;
    return {bar.left() + static_cast<double>(place % columns) * w, bar.top() + static_cast<double>(row) * h,
            w, h};
}

bool barShowsNodes(const NpuGraphGroup& g, double scale)
{
    constexpr double kReadable = 4; // smallest readable cell, in pixels
    const QRectF cell = npuBarCell(g, 0);
    return !g.open && std::min(cell.width(), cell.height()) * scale >= kReadable;
}

double npuGroupTitleHeight()
{
    return 6 + QFontMetricsF(uiFont(0.95, QFont::DemiBold)).height() + QFontMetricsF(uiFont(0.85)).height() +
           4;
}

QRectF NpuGraphModel::cellOf(std::uint32_t node, double scale) const
{
    if (node >= groupOf.size())
        return {};
    const NpuGraphGroup& g = groups[groupOf[node]];
    if (barShowsNodes(g, scale))
        return npuBarCell(g, placeOf[node]);
    if (!g.open)
        return g.rect;
    const int at = static_cast<int>(placeOf[node]);
    const int row = at / g.columns;
    return {g.rect.left() + kPadding + (at % g.columns) * g.cell,
            g.rect.top() + npuGroupTitleHeight() + row * g.cell, g.cell, g.cell};
}

const NpuGraphGroup* NpuGraphModel::groupAt(QPointF scene) const
{
    for (const NpuGraphGroup& g : groups)
        if (g.rect.contains(scene))
            return &g;
    return nullptr;
}

std::optional<std::uint32_t> NpuGraphModel::nodeAt(QPointF scene, double scale) const
{
    const NpuGraphGroup* g = groupAt(scene);
    if (g && barShowsNodes(*g, scale) && npuGroupBar(*g).contains(scene)) {
        const QRectF first = npuBarCell(*g, 0);
        const auto column = static_cast<std::size_t>((scene.x() - first.left()) / first.width());
        const auto row = static_cast<std::size_t>((scene.y() - first.top()) / first.height());
        const std::size_t at = row * static_cast<std::size_t>(g->barColumns) + column;
        return at < g->nodes.size() ? std::optional(g->nodes[at]) : std::nullopt;
    }
    if (!g || !g->open)
        return std::nullopt;
    const double x = std::floor((scene.x() - g->rect.left() - kPadding) / g->cell);
    const double y = std::floor((scene.y() - g->rect.top() - npuGroupTitleHeight()) / g->cell);
    if (x < 0 || y < 0 || x >= g->columns)
        return std::nullopt;
    const auto at = static_cast<std::size_t>(y * g->columns + x);
    if (at >= g->nodes.size())
        return std::nullopt;
    return g->nodes[at];
}

std::shared_ptr<const NpuGraphModel> buildNpuGraph(const NpuResultPtr& result,
                                                   const std::set<std::uint32_t>& open, double aspect,
                                                   const Progress& progress)
{
    auto out = std::make_shared<NpuGraphModel>();
    out->result = result;
    const npu::NpuGraph& graph = *result->graph;
    constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);
    std::vector<std::size_t> groupOfOp(graph.opNames.size(), kNoGroup);
    out->groupOf.resize(graph.nodes.size());
    out->placeOf.resize(graph.nodes.size());
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        const std::uint32_t op = graph.nodes[n].op;
        if (groupOfOp[op] == kNoGroup) {
            groupOfOp[op] = out->groups.size();
            NpuGraphGroup g;
            g.op = op;
            g.name = QString::fromStdString(graph.opNames[op]);
            g.open = open.count(op) > 0;
            out->groups.push_back(std::move(g));
        }
        NpuGraphGroup& g = out->groups[groupOfOp[op]];
        out->groupOf[n] = groupOfOp[op];
        out->placeOf[n] = static_cast<std::uint32_t>(g.nodes.size());
        g.nodes.push_back(n);
        g.computeCycles += graph.nodes[n].computeCycles;
        g.bytes += graph.nodes[n].memBytes;
        g.critical += result->isCritical[n] ? 1 : 0;
    }
    for (NpuGraphGroup& g : out->groups) {
        std::set<std::uint32_t> units;
        std::set<npu::NodeType> types;
        for (const std::uint32_t n : g.nodes) {
            units.insert(graph.nodes[n].unit);
            types.insert(graph.nodes[n].type);
        }
        QStringList names;
        for (const npu::NodeType t : types)
            names << word(npu::toString(t));
        g.detail = QStringLiteral("%1 %2").arg(number(g.nodes.size()), names.join(QLatin1Char('+')));
        if (units.size() < g.nodes.size())
            g.detail += units.size() == 1 ? tr(" in a chain") : tr(" in %1 units").arg(number(units.size()));
        shapeGroup(graph, g);
    }
    // Direction of the critical path.
    std::set<std::pair<std::size_t, std::size_t>> critical;
    for (std::size_t i = 1; i < result->critical.size(); ++i)
        critical.emplace(out->groupOf[result->critical[i - 1]], out->groupOf[result->critical[i]]);
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> between;
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
        for (const std::uint32_t d : graph.deps.of(n))
            if (out->groupOf[d] != out->groupOf[n])
                ++between[{out->groupOf[d], out->groupOf[n]}];
    LayoutGraph drawing;
    for (const NpuGraphGroup& g : out->groups)
        drawing.nodes.push_back({g.width, g.height, -1, {}});
    for (const auto& [pair, count] : between) {
        out->links.push_back({pair.first, pair.second, count, critical.contains(pair), {}});
        drawing.edges.push_back({static_cast<std::uint32_t>(pair.first),
                                 static_cast<std::uint32_t>(pair.second),
                                 static_cast<std::int32_t>(pair.first),
                                 {}});
    }
    LayoutOptions options;
    options.aspect = aspect;
    options.layerGap = 36;
    const auto laid = layeredLayout(drawing, options, progress);
    if (!laid)
        return nullptr;
    for (std::size_t i = 0; i < out->groups.size(); ++i) {
        const LayoutRect& r = laid->nodes[i];
        out->groups[i].rect = {r.x, r.y, r.width, r.height};
    }
    for (std::size_t i = 0; i < out->links.size(); ++i)
        out->links[i].route = laid->edges[i];
    out->bounds = {laid->bounds.x, laid->bounds.y, laid->bounds.width, laid->bounds.height};
    return out;
}

std::set<std::uint32_t> initiallyOpen(const NpuResult& result)
{
    std::set<std::uint32_t> open;
    if (result.graph->nodes.size() <= kOpenNodes)
        for (const npu::TileNode& n : result.graph->nodes)
            open.insert(n.op);
    return open;
}

std::vector<std::size_t> classCounts(const NpuGraphModel& model, const NpuGraphGroup& group,
                                     NpuGraphColour colour, npu::Cycle time)
{
    const NpuResult& r = *model.result;
    std::vector<std::size_t> counts(colour == NpuGraphColour::Core    ? r.run->cores.size()
                                    : colour == NpuGraphColour::State ? 5
                                                                      : 2);
    for (const std::uint32_t n : group.nodes)
        ++counts[colour == NpuGraphColour::Core    ? r.run->coreOf[n]
                 : colour == NpuGraphColour::State ? static_cast<std::size_t>(nodeStateAt(r, n, time))
                                                   : (r.isCritical[n] ? 1 : 0)];
    return counts;
}

} // namespace tilewright::ui
