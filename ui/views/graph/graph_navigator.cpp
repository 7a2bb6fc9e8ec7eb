// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_navigator.h"

#include "views/graph/graph_paint.h"

#include <algorithm>
#include <utility>

namespace tilewright::ui {

namespace {

constexpr double kFitZoom = 1.25; // largest zoom to which a small graph is enlarged to fit

} // namespace

GraphNavigator::GraphNavigator(const ViewContext& context, GraphLayouter& layouter, GraphBars& bars,
                               QWidget& view)
    : m_context(context), m_layouter(layouter), m_bars(bars), m_view(view)
{
    connect(&layouter, &GraphLayouter::aboutToArrange, this, &GraphNavigator::keepAnchor);
    connect(&layouter, &GraphLayouter::arranged, this, &GraphNavigator::arranged);
    // A baseline or a recomputed op adds entries to the legend. If the legend then covers the graph, the
    // graph is fitted again.
    connect(&layouter, &GraphLayouter::modelChanged, this, [this] {
        // True if arranged() follows or the mouse holds a node.
        const bool isMoving = m_anchor || m_mouseHolds;
        if (m_layouter.model() && !m_fitPending && !m_movedByHand && !isMoving &&
            !m_bars.freeRoom().contains(m_viewport.toScreen(m_layouter.model()->bounds)))
            fitAll();
    });
    connect(&layouter, &GraphLayouter::previewBegun, this, [this] {
        m_home = Home{m_viewport, m_movedByHand};
    });
    connect(&layouter, &GraphLayouter::previewEnded, this, [this] {
        if (const auto home = std::exchange(m_home, std::nullopt)) {
            m_viewport = home->viewport;
            m_movedByHand = home->movedByHand;
            m_view.update();
        }
    });
}

void GraphNavigator::startAnew()
{
    m_home.reset();
    m_opened.clear();
    m_fitPending = true;
    m_movedByHand = false;
    m_wantedPart = {};
}

void GraphNavigator::setMouse(QPointF mouse, bool holds)
{
    m_mouse = mouse;
    m_mouseHolds = holds;
}

void GraphNavigator::keepAnchor(const GraphGeometry& next)
{
    m_anchor.reset();
    const GraphModel* model = m_layouter.model();
    if (!model || m_fitPending)
        return;
    const bool atMouse = m_mouseHolds || m_view.underMouse();
    const QPointF scene = m_viewport.toScene(atMouse ? m_mouse : m_bars.content().center());
    double best = 0;
    for (const GraphNode& node : model->nodes) {
        const double d = QLineF(scene, node.rect.center()).length();
        if ((!m_anchor || d < best) && next.index.count(node.key) > 0) {
            best = d;
            m_anchor = {node.key, m_viewport.toScreen(node.rect.center())};
        }
    }
}

void GraphNavigator::arranged(bool sameShape)
{
    const GraphModel& model = *m_layouter.model();
    const GraphGeometry& geometry = *m_layouter.geometry();
    const auto anchor = std::exchange(m_anchor, std::nullopt);
    QRectF opened;
    for (OpId op : std::exchange(m_opened, {}))
        if (const auto v = geometry.nodeOf(op))
            opened |= model.nodes[*v].rect;
    if (!opened.isEmpty()) {
        setViewport(Viewport::fit(opened, m_bars.freeRoom(), 60, 1), true);
    } else if (anchor && (m_movedByHand || sameShape)) {
        const QPointF now = model.nodes[geometry.index.at(anchor->first)].rect.center();
        m_viewport.offset = anchor->second - now * m_viewport.scale;
        // If the whole graph was visible, it stays visible.
        if (!m_movedByHand && !m_bars.freeRoom().contains(m_viewport.toScreen(model.bounds)))
            fitAll();
    } else {
        fitAll();
    }
}

// -- moving ---------------------------------------------------------------------------------------------

void GraphNavigator::setViewport(const Viewport& viewport, bool byHand)
{
    if (viewport == m_viewport)
        return;
    m_viewport = viewport;
    m_movedByHand = m_movedByHand || byHand;
    if (byHand)
        m_home.reset();
    m_view.update();
}

void GraphNavigator::zoomBy(double factor, QPointF anchor)
{
    setViewport(m_viewport.zoomed(factor, anchor, kSmallestGraphZoom, kLargestGraphZoom), true);
}

void GraphNavigator::fitAll()
{
    m_fitPending = !m_layouter.model() || m_bars.content().height() <= 40;
    if (m_fitPending)
        return;
    m_viewport = Viewport::fit(m_layouter.model()->bounds, m_bars.freeRoom(), 20, kFitZoom);
    m_movedByHand = false;
    if (!m_wantedPart.isNull())
        showPart(std::exchange(m_wantedPart, {}));
    m_view.update();
}

void GraphNavigator::fitIfPending()
{
    if (m_fitPending && m_bars.content().height() > 40)
        fitAll();
}

void GraphNavigator::fitUnlessMoved()
{
    if (!m_movedByHand && m_layouter.model())
        fitAll();
}

void GraphNavigator::actualSize()
{
    zoomBy(1 / m_viewport.scale, m_bars.content().center());
}

std::optional<QRectF> GraphNavigator::shownPart() const
{
    if (!m_layouter.model())
        return std::nullopt;
    return m_movedByHand ? m_viewport.toScene(m_bars.content()) : QRectF();
}

void GraphNavigator::showPart(const QRectF& part)
{
    if (!m_layouter.model() || m_fitPending)
        m_wantedPart = part; // fitAll() uses the part when there is a picture
    else if (part.isNull() || !part.intersects(m_layouter.model()->bounds))
        fitAll();
    else
        setViewport(Viewport::showing(part, m_bars.content()), true);
}

void GraphNavigator::fitSelection()
{
    const QRectF scene = sceneOfSelection();
    if (scene.isEmpty()) {
        fitAll();
        return;
    }
    // The graph is centred first, then enlarged as far as possible (docs/design.md 4.3).
    const QRectF room = m_bars.freeRoom();
    const Viewport centred{m_viewport.scale, room.center() - scene.center() * m_viewport.scale};
    const bool isCentred = QLineF(centred.offset, m_viewport.offset).length() < 1;
    setViewport(isCentred ? Viewport::fit(scene, room, 60, kFitZoom * 1.3) : centred, true);
}

void GraphNavigator::ensureVisible(const QRectF& scene)
{
    if (scene.isEmpty() || m_fitPending)
        return;
    const QRectF room = m_bars.content().adjusted(24, 24, -24, -24);
    const QRectF at = m_viewport.toScreen(scene);
    if (room.contains(at))
        return;
    QPointF by;
    if (at.width() > room.width() || at.height() > room.height()) {
        if (room.intersects(at))
            return; // if not all ops fit, it is enough that one of them is visible
        by = room.center() - at.center();
    } else {
        by = {at.left() < room.left()     ? room.left() - at.left()
              : at.right() > room.right() ? room.right() - at.right()
                                          : 0,
              at.top() < room.top()         ? room.top() - at.top()
              : at.bottom() > room.bottom() ? room.bottom() - at.bottom()
                                            : 0};
    }
    setViewport(m_viewport.panned(by), m_movedByHand);
}

// -- places ---------------------------------------------------------------------------------------------

GraphHit GraphNavigator::hitAt(QPointF position) const
{
    if (!m_layouter.model())
        return {};
    GraphHit hit = hitTest(*m_layouter.model(), m_viewport, position);
    if (m_layouter.isPreview()) { // areas of a preview cannot be selected or edited, so they are not hit
        hit.subgraph.reset();
        hit.onHandle = false;
    }
    return hit;
}

QRectF GraphNavigator::sceneOfSelection() const
{
    const GraphModel* model = m_layouter.model();
    if (!model)
        return {};
    const SelectionState& s = m_context.selection.state();
    QRectF scene = boundsOf(*model, s.ops);
    if (s.ops.empty() && !m_layouter.isPreview())
        for (SubgraphId i : s.subgraphs)
            if (i.index() < model->hulls.size())
                scene |= model->hulls[i.index()].bounds;
    if (scene.isEmpty() && s.tensor)
        for (const GraphEdge& edge : model->edges)
            if (edge.tensor == *s.tensor)
                scene |= edge.bounds | model->nodes[edge.from].rect | model->nodes[edge.to].rect;
    return scene;
}

QPointF GraphNavigator::positionOf(OpId op) const
{
    const GraphGeometry* geometry = m_layouter.geometry();
    const auto v = geometry ? geometry->nodeOf(op) : std::nullopt;
    return v ? m_viewport.toScreen(m_layouter.model()->nodes[*v].rect.center()) : QPointF();
}

QPointF GraphNavigator::handleOf(SubgraphId subgraph) const
{
    const GraphModel& model = *m_layouter.model();
    const GraphHull& hull = model.hulls[subgraph.index()];
    if (hull.collapsed && !hull.nodes.empty())
        return m_viewport.toScreen(model.nodes[hull.nodes.front()].rect.center());
    const QRectF tab = tabRect(model, hull);
    return m_viewport.toScreen(QPointF(tab.left() + 6, tab.center().y()));
}

// -- overview -------------------------------------------------------------------------------------------

QRectF GraphNavigator::overviewRect() const
{
    const GraphModel* model = m_layouter.model();
    if (!m_overview || !model || m_overviewAside)
        return {};
    const QRectF room = m_bars.freeRoom(); // beside the legend, so that it does not cover the legend
    if (m_bars.content().contains(m_viewport.toScreen(model->bounds)) || room.width() < 420 ||
        room.height() < 300)
        return {};
    QSizeF size = model->bounds.size();
    size.scale(std::min(220.0, room.width() * 0.28), std::min(160.0, room.height() * 0.3),
               Qt::KeepAspectRatio);
    size = size.expandedTo({64, 48});
    constexpr double kApart = 12;
    const bool left = m_overviewCorner == 1 || m_overviewCorner == 2;
    const bool top = m_overviewCorner >= 2;
    return {left ? room.left() + kApart : room.right() - size.width() - kApart,
            top ? room.top() + kApart : room.bottom() - size.height() - kApart, size.width(), size.height()};
}

void GraphNavigator::panToOverview(QPointF position)
{
    if (overviewRect().isEmpty())
        return;
    const QPointF scene = small().toScene(position);
    setViewport({m_viewport.scale, m_bars.content().center() - scene * m_viewport.scale}, true);
}

} // namespace tilewright::ui
