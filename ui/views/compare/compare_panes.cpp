// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_panes.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/graph/graph_paint.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr double kGap = 8;

double headingHeight()
{
    return QFontMetricsF(uiFont(1.0, QFont::DemiBold)).height() + 12;
}

/// Returns the areas of the two graphs, below their headings.
std::array<QRectF, 2> panesIn(const QRectF& area)
{
    const double top = area.top() + headingHeight();
    const double w = (area.width() - kGap) / 2;
    const double h = std::max(1.0, area.bottom() - top);
    return {QRectF(area.left(), top, w, h), QRectF(area.left() + w + kGap, top, w, h)};
}

std::size_t paneAt(const QRectF& area, QPointF position)
{
    return position.x() > area.center().x() ? 1 : 0;
}

} // namespace

ComparePanes::ComparePanes(const ViewContext& context, QWidget* parent)
    : Canvas(context, QStringLiteral("compare-graphs"), tr("Both graphs"), parent)
{
    setMinimumSize(320, 160);
    connect(&selection(), &Selection::changed, this, qOverload<>(&QWidget::update));
    connect(&selection(), &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
}

std::set<OpId> ComparePanes::inPane(std::size_t pane, const std::set<OpId>& ops) const
{
    return pane == 0 ? m_data->across(1, ops) : ops;
}

std::set<OpId> ComparePanes::inB(std::size_t pane, const std::set<OpId>& ops) const
{
    return pane == 0 ? m_data->across(0, ops) : ops;
}

void ComparePanes::setData(CompareDataPtr data)
{
    // A new baseline resets the zoom, which belonged to the old one.
    if (!m_data || !data || data->snapshots[0] != m_data->snapshots[0])
        m_fit = true;
    m_data = data && data->graphs[0].geometry && data->graphs[1].geometry ? std::move(data) : nullptr;
    setAccessibleDescription(
        m_data ? tr("A: %1 B: %2").arg(m_data->graphs[0].summary, m_data->graphs[1].summary) : QString());
    if (m_fit)
        fitAll();
    update();
}

void ComparePanes::setHighlight(std::array<std::set<OpId>, 2> ops, bool zoom)
{
    m_highlight = std::move(ops);
    if (zoom)
        zoomTo(m_highlight);
    update();
}

// -- positions --------------------------------------------------------------------------------------------

ComparePanes::Viewports ComparePanes::fitted(const std::array<QRectF, 2>& scenes,
                                             const std::array<QRectF, 2>& panes, double largest)
{
    constexpr double kMargin = 14;
    Viewports out{Viewport::fit(scenes[0], panes[0], kMargin, largest),
                  Viewport::fit(scenes[1], panes[1], kMargin, largest)};
    const double scale = std::max(kSmallestGraphZoom, std::min(out[0].scale, out[1].scale));
    for (std::size_t i : {0U, 1U})
        out[i] = {scale, panes[i].center() - scenes[i].center() * scale};
    return out;
}

ComparePanes::Viewports ComparePanes::wholeIn(const QRectF& area) const
{
    return m_data ? fitted({graph(0).bounds, graph(1).bounds}, panesIn(area), 1.2) : Viewports();
}

void ComparePanes::zoomTo(const std::array<std::set<OpId>, 2>& ops)
{
    if (!m_data)
        return;
    std::array<QRectF, 2> scenes;
    for (const std::size_t i : {0U, 1U})
        // The box is shown with a margin, and at most at a readable scale.
        if (const QRectF box = boundsOf(graph(i), ops[i]); !box.isEmpty())
            scenes[i] = box.adjusted(-60, -40, 60, 40);
    if (scenes[0].isEmpty() && scenes[1].isEmpty())
        return;
    // If only one graph contains the ops, the other one does not move.
    for (const std::size_t i : {0U, 1U})
        if (scenes[i].isEmpty()) {
            scenes[i] = scenes[1 - i];
            scenes[i].moveCenter(m_viewports[i].toScene(panesIn(rect())[i].center()));
        }
    m_viewports = fitted(scenes, panesIn(rect()), 1.5);
    m_fit = false;
    update();
}

QPointF ComparePanes::positionOf(std::size_t pane, OpId op) const
{
    return m_viewports[pane].toScreen(boundsOf(graph(pane), {op}).center());
}

QRectF ComparePanes::paneRect(std::size_t pane) const
{
    return panesIn(rect())[pane];
}

// -- painting --------------------------------------------------------------------------------------------

void ComparePanes::paintHeading(QPainter& painter, const QRectF& area, std::size_t pane,
                                const Theme& theme) const
{
    const auto& [before, after] = m_data->totals;
    const QString name = (pane == 0 ? tr("A: %1") : tr("B: %1")).arg(m_data->names[pane]);
    QString detail = number(m_data->totals[pane]);
    if (m_data->models)
        detail = tr("%1 cycles").arg(detail);
    if (!m_data->isValid(pane))
        detail = tr("not valid here");
    else if (pane == 1 && before > 0 && m_data->isValid(0))
        detail += QStringLiteral("  ") + signedPercent(after / (before * m_data->unitOfA) - 1);
    const QRectF place = panesIn(area)[pane];
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    const double room = TextMetrics(uiFont()).horizontalAdvance(detail);
    const double most = place.width() - room - 34;
    const double y = area.top() + 6;
    writeLine(painter, {place.left() + 10, y}, most, name, bold, theme.text, Qt::ElideMiddle);
    writeLine(painter, {place.left() + 22 + std::min(most, TextMetrics(bold).horizontalAdvance(name)), y},
              room, detail, uiFont(),
              !m_data->isValid(pane)                                ? theme.error
              : pane == 0 || after == before || !m_data->isValid(0) ? theme.muted
              : after < before                                      ? theme.ok
                                                                    : theme.warning);
}

void ComparePanes::paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_data) {
        paintEmptyHint(painter, area,
                       document().hasProblem()
                           ? registry().withKeys(tr(
                                 "Pin a state as baseline ({compare.pin|B}), edit or auto-solve, and compare "
                                 "the two here. Or drop another model here to compare it with the open one."))
                           : tr("Open a problem and pin a baseline to compare two schedules of it."),
                       theme);
        return;
    }
    const auto panes = panesIn(area);
    const Viewports viewports = exporting && m_fit ? wholeIn(area) : m_viewports;
    const SelectionState& s = selection().state();
    const HoverState& hover = selection().hover();
    for (const std::size_t i : {0U, 1U}) {
        paintHeading(painter, area, i, theme);
        GraphMarks marks;
        marks.ops = inPane(i, s.ops);
        marks.ops.insert(m_highlight[i].begin(), m_highlight[i].end());
        const bool sameProblem = i == 1 || !m_data->models;
        if (sameProblem)
            marks.tensor = s.tensor;
        if (i == 1 && !m_data->models) // only B has subgraph ids of the current schedule
            marks.subgraphs = s.subgraphs;
        if (!exporting) {
            if (hover.op)
                if (const auto ops = inPane(i, {*hover.op}); !ops.empty())
                    marks.hoverOp = *ops.begin();
            if (sameProblem)
                marks.hoverTensor = hover.tensor;
        }
        painter.save();
        painter.setClipRect(panes[i], Qt::IntersectClip);
        paintGraph(painter, graph(i), viewports[i], panes[i], theme, marks);
        painter.restore();
    }
    painter.setPen(theme.outline);
    const double middle = area.center().x();
    painter.drawLine(QPointF(middle, area.top()), QPointF(middle, area.bottom()));
}

// -- navigation ------------------------------------------------------------------------------------------

void ComparePanes::zoomBy(double factor, QPointF anchor)
{
    const auto panes = panesIn(rect());
    const std::size_t pane = paneAt(rect(), anchor);
    const QPointF inside = anchor - panes[pane].topLeft();
    for (const std::size_t i : {0U, 1U})
        if (m_linked || i == pane)
            m_viewports[i] = m_viewports[i].zoomed(factor, panes[i].topLeft() + inside, kSmallestGraphZoom,
                                                   kLargestGraphZoom);
    m_fit = false;
    update();
}

void ComparePanes::panBy(QPointF pixels)
{
    for (const std::size_t i : {0U, 1U})
        if (m_linked || i == m_active)
            m_viewports[i] = m_viewports[i].panned(pixels);
    m_fit = false;
    update();
}

void ComparePanes::fitAll()
{
    m_fit = true;
    m_viewports = wholeIn(rect());
    update();
}

void ComparePanes::actualSize()
{
    zoomBy(1 / m_viewports[m_active].scale, panesIn(rect())[m_active].center());
}

// The visible part of pane A stands for both panes, because they move together.
std::optional<QRectF> ComparePanes::shownPart() const
{
    if (!m_data)
        return std::nullopt;
    return m_fit ? QRectF() : m_viewports[0].toScene(panesIn(rect())[0]);
}

void ComparePanes::showPart(const QRectF& part)
{
    if (part.isEmpty()) {
        fitAll();
        return;
    }
    const Viewport before = m_viewports[0];
    m_viewports[0] = Viewport::showing(part, panesIn(rect())[0]);
    // The other pane moves by the same amount.
    const auto panes = panesIn(rect());
    const QPointF middle = m_viewports[1].toScene(panes[1].center()) +
                           m_viewports[0].toScene(panes[0].center()) - before.toScene(panes[0].center());
    m_viewports[1] = {m_viewports[0].scale, panes[1].center() - middle * m_viewports[0].scale};
    m_fit = false;
    update();
}

void ComparePanes::fitSelection()
{
    const std::set<OpId>& selected = selection().state().ops;
    if (!selected.empty() && m_data)
        zoomTo({inPane(0, selected), selected});
    else if (m_highlight[0].empty() && m_highlight[1].empty())
        fitAll();
    else
        zoomTo(m_highlight);
}

void ComparePanes::resizeEvent(QResizeEvent* event)
{
    Canvas::resizeEvent(event);
    if (m_fit)
        fitAll();
}

// -- mouse -----------------------------------------------------------------------------------------------

ComparePanes::Hit ComparePanes::hit(QPointF position) const
{
    Hit out;
    out.pane = paneAt(rect(), position);
    if (!m_data || !panesIn(rect())[out.pane].contains(position))
        return out;
    out.model = &graph(out.pane);
    out.what = hitTest(*out.model, m_viewports[out.pane], position);
    return out;
}

QString ComparePanes::tooltipAt(QPointF position) const
{
    const Hit h = hit(position);
    if (!h.model)
        return {};
    const Problem& problem = *h.model->snapshot->problem;
    if (h.what.node) {
        const GraphNode& node = h.model->nodes[*h.what.node];
        QStringList subgraphs;
        for (const GraphBadge& badge : node.badges)
            subgraphs << QString::number(badge.subgraph.index());
        return QStringLiteral("<b>%1</b><br>%2")
                   .arg(node.title.toHtmlEscaped(), node.detail.toHtmlEscaped()) +
               (subgraphs.isEmpty() ? QString()
                                    : tr("<br>subgraph %1").arg(subgraphs.join(QStringLiteral(", "))));
    }
    if (h.what.tensor)
        return tr("<b>%1</b><br>%2 elements")
            .arg(QString::fromStdString(problem.tensorName(*h.what.tensor)).toHtmlEscaped(),
                 number(problem.tensor(*h.what.tensor).elements()));
    if (h.what.subgraph) {
        const GraphHull& hull = h.model->hulls[h.what.subgraph->index()];
        return tr("<b>Subgraph %1</b> %2<br>%3")
            .arg(h.what.subgraph->index())
            .arg(hull.granularity, hull.latency);
    }
    return {};
}

void ComparePanes::mousePressEvent(QMouseEvent* event)
{
    Canvas::mousePressEvent(event);
    m_active = paneAt(rect(), event->position());
    if (event->button() == Qt::LeftButton) {
        m_pressed = event->position();
        m_dragged = false;
    }
}

void ComparePanes::mouseMoveEvent(QMouseEvent* event)
{
    Canvas::mouseMoveEvent(event);
    if (!m_pressed) {
        m_active = paneAt(rect(), event->position());
        const Hit h = hit(event->position());
        HoverState hover;
        if (h.what.op)
            if (const auto ops = inB(h.pane, {*h.what.op}); !ops.empty())
                hover.op = *ops.begin();
        if (!h.what.op && (h.pane == 1 || !h.model || !m_data->models))
            hover.tensor = h.what.tensor;
        selection().setHover(hover);
        if (!isPanning())
            setCursor(h.what.op || h.what.tensor || h.what.subgraph ? Qt::PointingHandCursor
                                                                    : Qt::ArrowCursor);
        return;
    }
    const QPointF by = event->position() - *m_pressed;
    if (!m_dragged && by.manhattanLength() < 6)
        return;
    m_dragged = true;
    panBy(by);
    m_pressed = event->position();
}

void ComparePanes::mouseReleaseEvent(QMouseEvent* event)
{
    Canvas::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton || !m_pressed)
        return;
    m_pressed.reset();
    if (m_dragged)
        return;
    const Hit h = hit(event->position());
    m_highlight = {};
    std::set<OpId> chosen;
    if (h.what.op) {
        chosen = {*h.what.op};
    } else if (h.what.tensor) {
        if (h.pane == 1 || !m_data->models)
            selection().selectTensor(h.what.tensor);
        return;
    } else if (h.what.subgraph) {
        // All ops of the subgraph are selected, because ids of subgraphs differ between the two schedules.
        const auto& ops = h.model->snapshot->schedule[*h.what.subgraph].ops;
        chosen = {ops.begin(), ops.end()};
    } else {
        selection().clear();
        return;
    }
    const std::set<OpId> open = inB(h.pane, chosen);
    selection().selectOps(open);
    if (open.empty()) // B has none of the ops
        m_highlight[h.pane] = chosen;
    Q_EMIT opsChosen(h.pane, chosen);
}

void ComparePanes::leaveEvent(QEvent* event)
{
    selection().setHover({});
    Canvas::leaveEvent(event);
}

} // namespace tilewright::ui
