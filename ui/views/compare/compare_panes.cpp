// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_panes.h"

#include "theme/number.h"
#include "views/graph/graph_paint.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr double kGap = 8;
constexpr double kMinScale = 0.01;
constexpr double kMaxScale = 4;

struct Panes
{
    QRectF left;
    QRectF right;
};

double headingHeight()
{
    return QFontMetricsF(uiFont(1.0, QFont::DemiBold)).height() + 12;
}

/// Where the graphs stand, below the headings.
Panes panesOf(const QRectF& area)
{
    const double top = headingHeight();
    const double w = (area.width() - kGap) / 2;
    const double h = area.height() - top;
    return {{area.left(), area.top() + top, w, h}, {area.left() + w + kGap, area.top() + top, w, h}};
}

QRectF sceneOf(const CompareData& data)
{
    return data.graphA.bounds.united(data.graphB.bounds);
}

} // namespace

ComparePanes::ComparePanes(const ViewContext& context, QWidget* parent)
    : Canvas(context, QStringLiteral("compare-graphs"), tr("Both graphs"), parent)
{
    setMinimumSize(320, 160);
    connect(&selection(), &Selection::changed, this, qOverload<>(&QWidget::update));
}

void ComparePanes::setData(std::shared_ptr<const CompareData> data)
{
    m_data = std::move(data);
    if (m_fit)
        fitAll();
    update();
}

void ComparePanes::setHighlight(std::set<OpId> ops)
{
    m_highlight = std::move(ops);
    update();
}

Viewport ComparePanes::fitted(const QRectF& pane) const
{
    return m_data ? Viewport::fit(sceneOf(*m_data), pane, 16, 1.2) : Viewport();
}

void ComparePanes::paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_data || !m_data->graphA.geometry || !m_data->graphB.geometry) {
        paintEmptyHint(painter, area,
                       document().hasProblem()
                           ? tr("Pin a state as baseline (B), edit or auto-solve, and compare the two here.")
                           : tr("Open a problem and pin a baseline to compare two schedules of it."),
                       theme);
        return;
    }
    const Panes panes = panesOf(area);
    const Viewport viewport = exporting ? fitted(panes.left) : m_viewport;
    const double before = m_data->comparison.before;
    const double after = m_data->comparison.after;
    const auto heading = [&](const QRectF& pane, const QString& text, const QString& detail,
                             const QColor& colour) {
        painter.setFont(uiFont(1.0, QFont::DemiBold));
        const QFontMetricsF bold(painter.font());
        const double baseline = area.top() + 6 + bold.ascent();
        painter.setPen(theme.text);
        painter.drawText(QPointF(pane.left() + 10, baseline), text);
        painter.setFont(uiFont());
        painter.setPen(colour);
        painter.drawText(QPointF(pane.left() + 22 + bold.horizontalAdvance(text), baseline), detail);
    };
    const int index = document().baselineIndex();
    const QString nameA =
        index >= 0 ? document().baselines()[static_cast<std::size_t>(index)].name : tr("baseline");
    heading(panes.left, tr("A: %1").arg(nameA), number(before), theme.muted);
    heading(panes.right, tr("B: current"),
            tr("%1  %2").arg(number(after), before > 0 ? signedPercent(after / before - 1) : QString()),
            after < before   ? theme.ok
            : after > before ? theme.warning
                             : theme.muted);

    GraphMarks marks;
    marks.ops = selection().state().ops;
    marks.ops.insert(m_highlight.begin(), m_highlight.end());
    marks.tensor = selection().state().tensor;
    for (const bool right : {false, true}) {
        const QRectF& pane = right ? panes.right : panes.left;
        const Viewport here = right ? viewport.panned({panes.right.left() - panes.left.left(), 0}) : viewport;
        painter.save();
        painter.setClipRect(pane);
        paintGraph(painter, right ? m_data->graphB : m_data->graphA, here, pane, theme, marks);
        painter.restore();
    }
    painter.setPen(theme.outline);
    const double middle = (panes.left.right() + panes.right.left()) / 2;
    painter.drawLine(QPointF(middle, area.top()), QPointF(middle, area.bottom()));
}

void ComparePanes::zoomBy(double factor, QPointF anchor)
{
    const Panes panes = panesOf(rect());
    if (anchor.x() > panes.left.right())
        anchor.rx() -= panes.right.left() - panes.left.left();
    m_viewport = m_viewport.zoomed(factor, anchor, kMinScale, kMaxScale);
    m_fit = false;
    update();
}

void ComparePanes::panBy(QPointF pixels)
{
    m_viewport = m_viewport.panned(pixels);
    m_fit = false;
    update();
}

void ComparePanes::fitAll()
{
    m_fit = true;
    m_viewport = fitted(panesOf(rect()).left);
    update();
}

void ComparePanes::actualSize()
{
    zoomBy(1 / m_viewport.scale, panesOf(rect()).left.center());
}

std::optional<QRectF> ComparePanes::shownPart() const
{
    if (!m_data)
        return std::nullopt;
    return m_fit ? QRectF() : m_viewport.toScene(panesOf(rect()).left);
}

void ComparePanes::showPart(const QRectF& part)
{
    if (part.isEmpty()) {
        fitAll();
        return;
    }
    m_viewport = Viewport::showing(part, panesOf(rect()).left);
    m_fit = false;
    update();
}

void ComparePanes::resizeEvent(QResizeEvent*)
{
    if (m_fit)
        fitAll();
}

ComparePanes::Hit ComparePanes::hit(QPointF position) const
{
    if (!m_data)
        return {};
    const Panes panes = panesOf(rect());
    const bool right = position.x() > panes.left.right();
    if (right)
        position.rx() -= panes.right.left() - panes.left.left();
    const QPointF scene = m_viewport.toScene(position);
    for (const GraphNode& node : (right ? m_data->graphB : m_data->graphA).nodes)
        if (node.rect.contains(scene))
            return {right, &node};
    return {right, nullptr};
}

QString ComparePanes::tooltipAt(QPointF position) const
{
    const Hit h = hit(position);
    if (!h.node)
        return {};
    QStringList subgraphs;
    for (const GraphBadge& badge : h.node->badges)
        subgraphs << QString::number(badge.subgraph.index());
    return QStringLiteral("<b>%1</b><br>%2")
               .arg(h.node->title.toHtmlEscaped(), h.node->detail.toHtmlEscaped()) +
           (subgraphs.isEmpty() ? QString()
                                : tr("<br>subgraph %1").arg(subgraphs.join(QStringLiteral(", "))));
}

void ComparePanes::mousePressEvent(QMouseEvent* event)
{
    Canvas::mousePressEvent(event);
    if (event->button() == Qt::LeftButton) {
        m_pressed = event->position();
        m_dragged = false;
    }
}

void ComparePanes::mouseMoveEvent(QMouseEvent* event)
{
    Canvas::mouseMoveEvent(event);
    if (!m_pressed)
        return;
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
    if (h.node && h.node->key.kind == GraphKey::Kind::Op)
        selection().selectOps({OpId(h.node->key.id)});
    else
        selection().clear();
}

} // namespace tilewright::ui
