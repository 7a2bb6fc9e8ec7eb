// SPDX-License-Identifier: GPL-3.0-or-later
// What the graph view paints on its widget, and where it looks.
#include "theme/number.h"
#include "theme/words.h"
#include "views/graph/graph_toolbar.h"
#include "views/graph/graph_tooltip.h"
#include "views/graph/graph_view.h"

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QLabel>
#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr double kSmallestZoom = 0.01;
constexpr double kLargestZoom = 4;
constexpr double kFitZoom = 1.25;    // a small graph is not blown up further
constexpr double kLineTolerance = 6; // pixels

} // namespace

// -- painting -------------------------------------------------------------------------------------------

QRectF GraphView::content() const
{
    QRectF area = rect();
    area.setTop(m_home ? previewBanner().bottom() : barsBottom());
    return area;
}

double GraphView::barsBottom() const
{
    double bottom = 0;
    for (const QWidget* bar : {static_cast<const QWidget*>(m_toolbar), static_cast<const QWidget*>(m_note)})
        if (!bar->isHidden())
            bottom += bar->height();
    return bottom;
}

void GraphView::placeBars()
{
    m_toolbar->setGeometry(0, 0, width(), m_toolbar->heightForWidth(width()));
    m_note->setGeometry(0, m_toolbar->height(), width(), m_note->heightForWidth(width()));
}

QString GraphView::noteText() const
{
    if (!m_geometry)
        return {};
    const std::size_t all = m_geometry->nodeOfOp.size();
    QString text;
    if (m_geometry->hiddenOps > 0)
        text = tr("%1 of %2 ops shown: within %3 of the selection.")
                   .arg(number(static_cast<std::int64_t>(all - m_geometry->hiddenOps)),
                        number(static_cast<std::int64_t>(all)), counted(m_shape.hops, tr("hop"), tr("hops")));
    if (m_geometry->condensed) {
        const auto cards = std::count_if(m_geometry->keys.begin(), m_geometry->keys.end(), [](GraphKey k) {
            return k.kind == GraphKey::Kind::Card || k.kind == GraphKey::Kind::Section;
        });
        text += (text.isEmpty() ? QString() : QStringLiteral(" ")) +
                tr("%1 ops stand in %2 cards; double-click opens one.")
                    .arg(number(static_cast<std::int64_t>(m_geometry->opsInCards)),
                         number(static_cast<std::int64_t>(cards)));
    }
    return text;
}

void GraphView::showNote()
{
    QString text = noteText();
    const auto link = [&text](const char* what, const QString& words) {
        text += QStringLiteral(" <a href=\"%1\">%2</a>").arg(QLatin1String(what), words);
    };
    if (m_geometry && m_geometry->hiddenOps > 0)
        link("all", tr("Show all ops"));
    if (m_geometry && m_geometry->condensed)
        link("open", tr("Expand all"));
    m_note->setText(rich(text));
    m_note->setVisible(!text.isEmpty() && document().hasProblem());
    placeBars();
}

QRectF GraphView::previewBanner() const
{
    if (!m_home)
        return {};
    return {0, barsBottom(), static_cast<double>(width()), QFontMetricsF(uiFont()).height() + 10};
}

/// Says that this is not the person's schedule, and how to get back to it.
void GraphView::paintPreviewBanner(QPainter& painter, const QRectF& banner, const Theme& theme) const
{
    painter.fillRect(banner, Theme::mix(theme.canvas, theme.accent, 0.16));
    painter.setPen(QPen(theme.accent, 1));
    painter.drawLine(banner.bottomLeft(), banner.bottomRight());
    const double total = document().preview()->evaluation.total;
    const SnapshotPtr& own = document().snapshot();
    QString text = tr("Preview of the running best: %1").arg(number(total));
    if (own && own->evaluation.valid() && own->evaluation.total > 0)
        text += QStringLiteral(" (%1)").arg(signedPercent(total / own->evaluation.total - 1));
    painter.setFont(uiFont(1.0, QFont::DemiBold));
    const QFontMetricsF bold(painter.font());
    const QRectF line = banner.adjusted(12, 0, -12, 0);
    painter.setPen(theme.text);
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                     bold.elidedText(text, Qt::ElideRight, line.width()));
    const QRectF rest = line.adjusted(bold.horizontalAdvance(text) + 16, 0, 0, 0);
    if (rest.width() < 80)
        return;
    painter.setFont(uiFont());
    painter.setPen(theme.muted);
    for (const QString& hint :
         {tr("Your schedule is unchanged: click here or press Esc to see it, or just edit."),
          tr("Click here or press Esc for your own schedule."), tr("Esc: your own schedule")})
        if (QFontMetricsF(uiFont()).horizontalAdvance(hint) <= rest.width()) {
            painter.drawText(rest, Qt::AlignVCenter | Qt::AlignLeft, hint);
            return;
        }
}

GraphMarks GraphView::marks(bool exporting) const
{
    GraphMarks marks;
    const SelectionState& s = selection().state();
    marks.ops = s.ops;
    if (!m_home)
        marks.subgraphs = s.subgraphs;
    marks.tensor = s.tensor;
    if (s.tensor) {
        const Snapshot& snapshot = *m_model->snapshot;
        for (std::size_t i = 0; i < snapshot.schedule.size(); ++i) {
            const auto holds = [&](std::span<const TensorId> kept) {
                return std::find(kept.begin(), kept.end(), *s.tensor) != kept.end();
            };
            const bool before = holds(snapshot.residentBefore(SubgraphId(i)));
            const bool after = holds(snapshot.schedule.subgraphs[i]->retain);
            if (before || after)
                marks.holding[SubgraphId(i)] = !before  ? tr("retains it")
                                               : !after ? tr("finds it resident")
                                                        : tr("resident, retains it");
        }
    }
    if (exporting)
        return marks;
    const HoverState& hover = selection().hover();
    marks.hoverOp = hover.op;
    marks.hoverTensor = hover.tensor;
    if (!m_home)
        marks.hoverSubgraph = hover.subgraph;
    if (hasFocus())
        marks.cursor = cursorNode();
    marks.searching = !m_sought.isEmpty();
    marks.found.insert(m_found.begin(), m_found.end());
    if (m_currentFound < m_found.size())
        marks.currentFound = m_found[m_currentFound];
    if (m_gesture == Gesture::Drag) {
        marks.dragging = true;
        marks.carried.insert(m_drag.drop().ops.begin(), m_drag.drop().ops.end());
        marks.verdicts = m_drag.verdicts();
        marks.target = m_drag.drop().to;
    }
    return marks;
}

void GraphView::paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_model) {
        const bool busy = document().hasProblem();
        paintEmptyHint(painter, area,
                       busy ? tr("Arranging %1 ops …").arg(document().problem()->opCount())
                            : tr("Open a problem (Ctrl+O) or drop its file here."),
                       theme);
        return;
    }
    if (exporting) {
        const double banner = previewBanner().height();
        QRectF room = area.adjusted(0, banner, 0, -graphLegendHeight(*m_model, area));
        if (m_home)
            paintPreviewBanner(painter, {area.topLeft(), QSizeF(area.width(), banner)}, theme);
        if (const QString note = noteText(); !note.isEmpty()) {
            painter.setFont(uiFont(0.9));
            painter.setPen(theme.muted);
            painter.drawText(room.adjusted(12, 8, -12, 0), Qt::AlignTop | Qt::AlignHCenter, note);
            room.setTop(room.top() + 8 + QFontMetricsF(painter.font()).height());
        }
        paintGraph(painter, *m_model, Viewport::fit(m_model->bounds, room, 24, 2), room, theme, marks(true));
        paintGraphLegend(painter, *m_model, area, theme);
        return;
    }
    if (m_fitPending && content().height() > 40)
        fitAll();
    const QRectF room = content();
    if (m_home)
        paintPreviewBanner(painter, previewBanner(), theme);
    paintGraph(painter, shownModel(), m_viewport, room, theme, marks(false));
    if (m_gesture == Gesture::Band && !m_band.isEmpty()) {
        QColor fill = theme.accent;
        fill.setAlphaF(0.12F);
        painter.setPen(QPen(theme.accent, 1, Qt::DashLine));
        painter.setBrush(fill);
        painter.drawRect(m_band);
    }
    if (m_gesture == Gesture::Drag) {
        paintDrag(painter, theme);
        return;
    }
    QRectF legendRoom = room;
    if (const QRectF box = overviewRect(); !box.isEmpty())
        legendRoom.setRight(box.left());
    if (m_legend)
        m_legendPicture.paint(painter, *m_model, legendRoom, theme);
    paintOverview(painter, theme);
}

QRectF GraphView::overviewRect() const
{
    if (!m_overview || !m_model || m_gesture == Gesture::Drag)
        return {};
    const QRectF room = content();
    if (room.contains(m_viewport.toScreen(m_model->bounds)) || room.width() < 420 || room.height() < 300)
        return {};
    QSizeF size = m_model->bounds.size();
    size.scale(std::min(220.0, room.width() * 0.28), std::min(160.0, room.height() * 0.3),
               Qt::KeepAspectRatio);
    size = size.expandedTo({64, 48});
    return {room.right() - size.width() - 12, room.bottom() - size.height() - 12, size.width(),
            size.height()};
}

void GraphView::paintOverview(QPainter& painter, const Theme& theme)
{
    const QRectF box = overviewRect();
    if (box.isEmpty())
        return;
    const double ratio = devicePixelRatioF();
    if (m_overviewPixmap.isNull() ||
        m_overviewPixmap.deviceIndependentSize().toSize() != box.size().toSize()) {
        m_overviewPixmap = QPixmap((box.size() * ratio).toSize());
        m_overviewPixmap.setDevicePixelRatio(ratio);
        m_overviewPixmap.fill(theme.panel);
        QPainter p(&m_overviewPixmap);
        p.setRenderHint(QPainter::Antialiasing);
        paintGraphOverview(p, *m_model, QRectF(QPointF(0, 0), box.size()), theme);
    }
    painter.drawPixmap(box.topLeft(), m_overviewPixmap);
    const Viewport small = Viewport::fit(m_model->bounds, box, 4, 1);
    const QRectF seen = small.toScreen(m_viewport.toScene(content())).intersected(box.adjusted(1, 1, -1, -1));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 1.6));
    painter.drawRect(seen);
    painter.setPen(QPen(theme.outline, 1));
    painter.drawRect(box);
}

// -- looking --------------------------------------------------------------------------------------------

void GraphView::setViewport(const Viewport& viewport, bool byHand)
{
    if (viewport == m_viewport)
        return;
    m_viewport = viewport;
    m_movedByHand = m_movedByHand || byHand;
    if (m_home && byHand)
        m_home->viewport.reset();
    update();
}

void GraphView::zoomBy(double factor, QPointF anchor)
{
    setViewport(m_viewport.zoomed(factor, anchor, kSmallestZoom, kLargestZoom), true);
}

void GraphView::panBy(QPointF pixels)
{
    if (m_gesture == Gesture::Drag || m_gesture == Gesture::Band)
        m_pressed += pixels; // stays at its place in the graph
    setViewport(m_viewport.panned(pixels), true);
    if (m_gesture == Gesture::Drag)
        updateDrag(m_mouse, QGuiApplication::keyboardModifiers());
}

QRectF GraphView::freeRoom() const
{
    QRectF room = content();
    if (m_legend && m_model)
        room.setBottom(room.bottom() - graphLegendHeight(*m_model, room));
    return room;
}

void GraphView::fitAll()
{
    m_fitPending = !m_model || content().height() <= 40;
    if (m_fitPending)
        return;
    m_viewport = Viewport::fit(m_model->bounds, freeRoom(), 20, kFitZoom);
    m_movedByHand = false;
    if (!m_wantedPart.isNull())
        showPart(std::exchange(m_wantedPart, {}));
    update();
}

void GraphView::actualSize()
{
    zoomBy(1 / m_viewport.scale, content().center());
}

std::optional<QRectF> GraphView::shownPart() const
{
    if (!m_model)
        return std::nullopt;
    return m_movedByHand ? m_viewport.toScene(content()) : QRectF();
}

void GraphView::showPart(const QRectF& part)
{
    if (!m_model || m_fitPending)
        m_wantedPart = part; // fitAll() comes back to it
    else if (part.isNull() || !part.intersects(m_model->bounds))
        fitAll();
    else
        setViewport(Viewport::showing(part, content()), true);
}

QPointF GraphView::focusPoint() const
{
    QRectF scene = sceneOfSelection();
    if (m_cursor && m_model)
        if (const auto node = m_geometry->index.find(*m_cursor); node != m_geometry->index.end())
            scene = m_model->nodes[node->second].rect;
    const QPointF at = m_viewport.toScreen(scene.center());
    return !scene.isEmpty() && content().contains(at) ? at : content().center();
}

QRectF GraphView::sceneOfSelection() const
{
    QRectF scene;
    if (!m_model)
        return scene;
    const SelectionState& s = selection().state();
    for (OpId op : s.ops)
        if (const auto v = m_geometry->nodeOf(op))
            scene |= m_model->nodes[*v].rect;
    if (s.ops.empty() && !m_home)
        for (SubgraphId i : s.subgraphs)
            if (i.index() < m_model->hulls.size())
                scene |= m_model->hulls[i.index()].bounds;
    if (scene.isEmpty() && s.tensor)
        for (const GraphEdge& edge : m_model->edges)
            if (edge.tensor == *s.tensor)
                scene |= edge.bounds | m_model->nodes[edge.from].rect | m_model->nodes[edge.to].rect;
    return scene;
}

void GraphView::fitSelection()
{
    const QRectF scene = sceneOfSelection();
    if (scene.isEmpty()) {
        fitAll();
        return;
    }
    // First to the middle, then as large as it goes (docs/design.md 4.3).
    const QRectF room = freeRoom();
    const Viewport centred{m_viewport.scale, room.center() - scene.center() * m_viewport.scale};
    const bool isCentred = QLineF(centred.offset, m_viewport.offset).length() < 1;
    setViewport(isCentred ? Viewport::fit(scene, room, 60, kFitZoom * 1.3) : centred, true);
}

void GraphView::ensureVisible(const QRectF& scene)
{
    if (scene.isEmpty() || m_fitPending)
        return;
    const QRectF room = content().adjusted(24, 24, -24, -24);
    const QRectF at = m_viewport.toScreen(scene);
    if (room.contains(at))
        return;
    QPointF by;
    if (at.width() > room.width() || at.height() > room.height()) {
        if (room.intersects(at))
            return; // cannot all be seen; a part is
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

void GraphView::selectionChanged()
{
    const SelectionState& s = selection().state();
    if (s.ops.size() == 1 && m_geometry)
        if (const auto v = m_geometry->nodeOf(*s.ops.begin()))
            m_cursor = m_geometry->keys[*v];
    if (!m_ownSelection && m_model)
        ensureVisible(sceneOfSelection());
    update();
}

QPointF GraphView::positionOf(OpId op) const
{
    const auto v = m_geometry ? m_geometry->nodeOf(op) : std::nullopt;
    return v ? m_viewport.toScreen(m_model->nodes[*v].rect.center()) : QPointF();
}

QPointF GraphView::handleOf(SubgraphId subgraph) const
{
    const GraphHull& hull = m_model->hulls[subgraph.index()];
    if (hull.collapsed && !hull.nodes.empty())
        return m_viewport.toScreen(m_model->nodes[hull.nodes.front()].rect.center());
    const QRectF tab = tabRect(*m_model, hull);
    return m_viewport.toScreen(QPointF(tab.left() + 6, tab.center().y()));
}

GraphHit GraphView::hitAt(QPointF position) const
{
    if (!m_model)
        return {};
    GraphHit hit = hitTest(*m_model, m_viewport.toScene(position), kLineTolerance / m_viewport.scale);
    if (m_home) { // its areas are none that could be selected or edited
        hit.subgraph.reset();
        hit.onHandle = false;
    }
    return hit;
}

QString GraphView::tooltipAt(QPointF position) const
{
    if (!m_model || m_gesture == Gesture::Drag || overviewRect().contains(position))
        return {};
    if (previewBanner().contains(position))
        return tr(
            "The solver is running; the graph follows its best schedule so far. Nothing of yours changes "
            "before you press Apply.");
    const GraphHit hit = hitTest(*m_model, m_viewport.toScene(position), kLineTolerance / m_viewport.scale);
    const Snapshot& snapshot = *m_model->snapshot;
    if (hit.op)
        return opTooltip(snapshot, *hit.op);
    if (hit.line && !m_model->edges[*hit.line].bundle.empty())
        return bundleTooltip(snapshot, m_model->edges[*hit.line].bundle);
    if (hit.isSection)
        return sectionTooltip(snapshot, m_geometry->sections.at(*hit.node));
    if (hit.tensor)
        return tensorTooltip(snapshot, *hit.tensor, m_traffic);
    return hit.subgraph ? subgraphTooltip(snapshot, *hit.subgraph) : QString();
}

} // namespace tilewright::ui
