// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_graph_model.h"

#include "theme/text.h"
#include "views/npu/npu_graph_view.h"
#include "views/npu/npu_text.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <map>

namespace tilewright::ui {

namespace {

constexpr double kPadding = 8;
constexpr double kBarHeight = 10;
/// Maximum number of nodes of a graph whose groups are all open initially.
constexpr std::size_t kOpenNodes = 420;

/// Arranges the cells of a group in rows, about twice as wide as high. A row has whole chains if they fit.
void shapeGroup(const npu::NpuGraph& graph, NpuGraphGroup& g)
{
    const QFontMetricsF title(uiFont(0.95, QFont::DemiBold));
    const QFontMetricsF small(uiFont(0.85));
    // Titles are enlarged when the graph is drawn small, so they get more room than at scale 1.
    const double text =
        std::min(260.0, std::max(1.7 * title.horizontalAdvance(g.name), small.horizontalAdvance(g.detail)));
    g.width = std::max(120.0, text + 2 * kPadding + 4);
    g.height = npuGroupTitleHeight() + 12 + kPadding; // height of the title and of the summary bar
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
    constexpr double kReadable = 4; // smallest side of a readable cell, in pixels
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
    // Pairs of groups (from, to) that the critical path connects in this direction.
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

namespace {

constexpr std::size_t kMostHits = 9'999;
constexpr double kReadable = 0.8; ///< scale above which titles have details

/// For each tile, true if the text names the tile or its tensor.
std::vector<bool> tilesNamed(const npu::NpuGraph& graph, const QString& text)
{
    const qsizetype bracket = text.indexOf(QLatin1Char('['));
    enum class Tensor : char { No, AllTiles, SomeTiles };
    std::vector<Tensor> tensors;
    for (const npu::NpuTensor& t : graph.tensors) {
        const QString name = QString::fromStdString(t.name);
        tensors.push_back(name.contains(text, Qt::CaseInsensitive) ? Tensor::AllTiles
                          : bracket >= 0 && name.endsWith(text.left(bracket), Qt::CaseInsensitive)
                              ? Tensor::SomeTiles
                              : Tensor::No);
    }
    std::vector<bool> named(graph.tiles.size(), false);
    for (std::uint32_t i = 0; i < graph.tiles.size(); ++i) {
        const Tensor tensor = tensors[graph.tiles[i].tensor];
        named[i] = tensor == Tensor::AllTiles ||
                   (tensor == Tensor::SomeTiles && tileText(graph, i).contains(text, Qt::CaseInsensitive));
    }
    return named;
}

} // namespace

NpuGraphFound findInNpuGraph(const NpuGraphModel& model, const QString& text)
{
    NpuGraphFound out;
    out.groups.assign(model.groups.size(), false);
    out.nodes.assign(model.groupOf.size(), false);
    const QString sought = text.trimmed();
    if (sought.isEmpty())
        return out;
    const npu::NpuGraph& graph = *model.result->graph;
    const auto addNode = [&](std::uint32_t n) {
        if (out.hits.size() < kMostHits)
            out.hits.push_back({model.groupOf[n], n});
        out.groups[model.groupOf[n]] = true;
        out.nodes[n] = true;
    };
    static const QRegularExpression numbered(QStringLiteral("^(?:node\\s*|#)?(\\d+)$"),
                                             QRegularExpression::CaseInsensitiveOption);
    if (const auto match = numbered.match(sought); match.hasMatch())
        if (const std::size_t n = match.captured(1).toULongLong(); n < model.groupOf.size())
            addNode(static_cast<std::uint32_t>(n));
    for (std::size_t g = 0; g < model.groups.size(); ++g)
        if (model.groups[g].name.contains(sought, Qt::CaseInsensitive)) {
            out.hits.push_back({g, npu::kNone});
            out.groups[g] = true;
            for (const std::uint32_t n : model.groups[g].nodes)
                out.nodes[n] = true;
        }
    const std::vector<bool> named = tilesNamed(graph, sought);
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        bool found = false;
        for (const std::uint32_t t : graph.inputs(n))
            found = found || named[t];
        for (const std::uint32_t t : graph.outputs(n))
            found = found || named[t];
        if (found)
            addNode(n);
    }
    return out;
}

// -- the view's side -------------------------------------------------------------------------------------

void NpuGraphView::addSearch()
{
    m_search =
        new SearchField(bar(), tr("Find operator, tile, node"), tr("Find in the tile graph"),
                        tr("Part of an operator's name, a node's number, or a tile (\"q[0:64\"). Enter: "
                           "next, Shift+Enter: previous, Esc: back to the graph ({npu-graph.find|Ctrl+F})."),
                        registry());
    m_search->setObjectName(QStringLiteral("npu.graphSearch"));
    m_search->setMinimumWidth(m_search->fontMetrics().averageCharWidth() * 18);
    connect(m_search, &SearchField::next, this, &NpuGraphView::searchNext);
    connect(m_search, &SearchField::left, this, qOverload<>(&QWidget::setFocus));
    connect(m_search, &QLineEdit::textChanged, this, [this] {
        m_hit = 0;
        refreshFound();
        if (!m_found.hits.empty())
            showHit(m_found.hits.front());
    });
}

/// Searches again after a change of the text or of the model.
void NpuGraphView::refreshFound()
{
    m_found = m_model ? findInNpuGraph(*m_model, m_search->text()) : NpuGraphFound{};
    if (m_hit >= m_found.hits.size())
        m_hit = 0;
    showHitCount();
    update();
}

void NpuGraphView::showHitCount()
{
    m_search->setHits(m_hit, m_search->text().trimmed().isEmpty() ? std::nullopt
                                                                  : std::optional(m_found.hits.size()));
}

void NpuGraphView::searchNext(int direction)
{
    const std::size_t n = m_found.hits.size();
    if (n == 0)
        return;
    // The first Enter selects the hit that is already shown; later ones go to the next hits.
    const NpuGraphHit& shown = m_found.hits[m_hit];
    const bool taken = shown.node == npu::kNone ? m_group == shown.group : m_state.node() == shown.node;
    if (taken || direction < 0)
        m_hit = (m_hit + (direction < 0 ? n - 1 : 1)) % n;
    const NpuGraphHit hit = m_found.hits[m_hit];
    m_group = hit.group;
    if (hit.node == npu::kNone) {
        showHit(hit);
    } else {
        select(hit.node);
        if (m_open.insert(m_model->groups[hit.group].op).second) {
            m_showWhenLaidOut = hit.node;
            requestLayout();
        } else {
            showHit(hit);
        }
    }
    showHitCount();
}

/// Scrolls and zooms to a hit that is outside of the view or too small to read.
void NpuGraphView::showHit(const NpuGraphHit& hit)
{
    const QRectF rect = hit.node == npu::kNone ? m_model->groups[hit.group].rect : m_model->cellOf(hit.node);
    const QRectF area = drawing();
    const bool seen = area.contains(m_viewport.toScreen(rect.topLeft())) &&
                      area.contains(m_viewport.toScreen(rect.bottomRight()));
    const double scale = std::max(m_viewport.scale, kReadable);
    if (!seen || m_viewport.scale < kReadable / 2) {
        m_viewport = {scale, area.center() - rect.center() * scale};
        m_fitted = false;
    }
    update();
}

bool NpuGraphView::event(QEvent* event)
{
    // The key for search elsewhere searches the schedule's graph. With the focus here it searches the tile
    // graph.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Find)) {
        event->accept();
        return true;
    }
    return ToolCanvas::event(event);
}

} // namespace tilewright::ui
