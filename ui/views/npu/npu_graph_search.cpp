// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_graph_search.h"

#include "views/npu/npu_graph_view.h"
#include "views/npu/npu_text.h"

#include <QKeyEvent>
#include <QRegularExpression>

namespace tilewright::ui {

namespace {

constexpr std::size_t kMostHits = 9'999;
constexpr double kReadable = 0.8; ///< scale at which titles have their details

/// Per tile: true if the text names the tile or its tensor.
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

/// Updates the hits after a change of text or model.
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
    // The first Enter selects the hit that is shown, later ones the next hits.
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

/// Scrolls and zooms if the hit is outside the view or too small to read.
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
    // The window's search key searches the schedule's graph; here it searches the tile graph.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Find)) {
        event->accept();
        return true;
    }
    return ToolCanvas::event(event);
}

} // namespace tilewright::ui
