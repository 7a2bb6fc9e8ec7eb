// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_graph_view.h"

#include "theme/icon.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/npu/npu_text.h"

#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace tilewright::ui {

namespace {
constexpr double kSmallest = 0.02,
                 kLargest = 64; // largest zoom; here the tiles in a closed box can be distinguished
} // namespace

NpuGraphView::NpuGraphView(const ViewContext& context, QWidget* parent)
    : ToolCanvas(context, QStringLiteral("npu-graph"), tr("NPU tile graph"), parent),
      m_state(context.workspace.npu())
{
    m_colour =
        bar().addChoice(tr("Colour by"), {tr("core"), tr("state at the cursor"), tr("criticality")},
                        tr("Quantity that the cells' colours show. Red outlines are the critical path."));
    connect(m_colour, &QComboBox::currentIndexChanged, this, qOverload<>(&QWidget::update));
    const auto button = [&](const QString& text, const QString& tip, bool open) {
        auto* b = new QToolButton(this);
        b->setText(text);
        b->setAutoRaise(true);
        connect(b, &QToolButton::clicked, this, [this, open] { setAllOpen(open); });
        bar().add(b, text, tip);
    };
    button(tr("Open all"), tr("Show the nodes of every operator."), true);
    button(tr("Close all"), tr("Show every operator as one box."), false);
    addSearch();
    addOwnKeys();
    m_job = std::make_unique<LatestJob<std::shared_ptr<const NpuGraphModel>>>(
        [this](std::shared_ptr<const NpuGraphModel> model) {
            if (!model)
                return;
            // Operators keep their positions as long as the model stays the same.
            if (!m_model || m_model->groups.size() != model->groups.size())
                m_group.reset();
            m_model = std::move(model);
            if (m_fitted)
                fitAll();
            refreshFound();
            if (m_showWhenLaidOut && *m_showWhenLaidOut < m_model->groupOf.size())
                showHit({m_model->groupOf[*m_showWhenLaidOut], *m_showWhenLaidOut});
            m_showWhenLaidOut.reset();
            setAccessibleDescription(
                counted(static_cast<std::int64_t>(m_model->groups.size()), tr("operator"), tr("operators")) +
                QStringLiteral(", ") +
                counted(static_cast<std::int64_t>(m_model->groupOf.size()), tr("node"), tr("nodes")));
            update();
        });
    connect(&m_state, &NpuDocument::resultChanged, this, &NpuGraphView::resultChanged);
    connect(&m_state, &NpuDocument::cursorChanged, this, qOverload<>(&QWidget::update));
    connect(&m_state, &NpuDocument::nodeChanged, this, qOverload<>(&QWidget::update));
    resultChanged();
    followWorkload(Lens::Npu);
}

NpuGraphView::~NpuGraphView() = default;

void NpuGraphView::resultChanged()
{
    const NpuResultPtr& r = m_state.result();
    if (!r) {
        m_model = nullptr;
        update();
        return;
    }
    if (m_openFor != r->graph) {
        // Operators stay open or closed as long as the model stays the same.
        if (!m_openFor || m_openFor->opNames != r->graph->opNames) {
            m_open = initiallyOpen(*r);
            m_fitted = true;
        }
        m_openFor = r->graph;
    }
    requestLayout();
}

void NpuGraphView::requestLayout()
{
    const NpuResultPtr& r = m_state.result();
    if (!r)
        return;
    const QRectF area = drawing();
    const double aspect = std::clamp(area.width() / std::max(1.0, area.height()), 0.4, 4.0);
    m_job->request([r, open = m_open, aspect](std::stop_token stop) {
        return buildNpuGraph(r, open, aspect, Progress{stop, {}});
    });
}

void NpuGraphView::settle()
{
    m_state.settle();
    requestLayout();
    m_job->waitIdle();
}

QString NpuGraphView::copyText() const
{
    if (!m_model)
        return {};
    QString out = QStringLiteral("operator\tnodes\tcompute_cycles\tmem_bytes\tcritical_nodes\n");
    for (const NpuGraphGroup& g : m_model->groups)
        out += textRow(g.name, g.nodes.size(), g.computeCycles, g.bytes, g.critical);
    return out;
}

QRectF NpuGraphView::drawingOf(const QRectF& area) const
{
    return area.adjusted(0, keysOf(area).bottom() - area.top() + 4, 0, 0);
}

QRectF NpuGraphView::keysOf(const QRectF& area)
{
    return {area.left() + 8, area.top() + 4, area.width() - 16,
            std::min(QFontMetricsF(uiFont(0.9)).height(), area.height() / 2)};
}

QRectF NpuGraphView::drawing() const
{
    return drawingOf(contentArea());
}

NpuGraphPicture NpuGraphView::picture() const
{
    NpuGraphPicture p;
    p.colour = static_cast<NpuGraphColour>(m_colour->currentIndex());
    p.node = m_state.node();
    p.hoverNode = m_state.hoverNode();
    if (m_model)
        p.time = m_state.cursor().value_or(m_model->result->run->makespan / 2);
    if (hasFocus() || m_search->hasFocus())
        p.group = m_group;
    if (!m_search->text().trimmed().isEmpty())
        p.found = &m_found;
    return p;
}

void NpuGraphView::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_model) {
        paintEmptyHint(painter, area,
                       !m_state.error().isEmpty() ? m_state.error()
                       : m_state.isBusy() || m_state.model()
                           ? tr("Simulating …")
                           : tr("Open an NPU model (JSON) to see its tiles and their dependencies."),
                       theme);
        return;
    }
    NpuGraphPicture p = picture();
    if (exporting) {
        p.hoverNode.reset();
        p.group.reset();
        p.found = nullptr;
    }
    if (m_state.isRefused()) {
        // The settings have an error and the graph belongs to earlier settings: the error replaces the
        // legend.
        writeAcross(painter, keysOf(area), m_state.error(), uiFont(0.9), theme.error);
        painter.setOpacity(0.45);
    } else {
        paintKeys(painter, npuGraphKeys(*m_model, p, theme), keysOf(area), theme);
    }
    const QRectF inside = drawingOf(area);
    const Viewport viewport = exporting ? Viewport::fit(m_model->bounds, inside, 12, 1.2) : m_viewport;
    paintNpuGraph(painter, *m_model, inside, viewport, p, theme);
    painter.setOpacity(1);
}

void NpuGraphView::contentResized()
{
    if (m_fitted)
        fitAll();
}

void NpuGraphView::zoomBy(double factor, QPointF anchor)
{
    m_viewport = m_viewport.zoomed(factor, anchor, kSmallest, kLargest);
    m_fitted = false;
    update();
}

void NpuGraphView::panBy(QPointF pixels)
{
    m_viewport = m_viewport.panned(pixels);
    m_fitted = false;
    update();
}

void NpuGraphView::fitAll()
{
    if (m_model)
        m_viewport = Viewport::fit(m_model->bounds, drawing(), 12, 1.2);
    m_fitted = true;
    update();
}

void NpuGraphView::fitSelection()
{
    if (!m_model || !m_state.node()) {
        fitAll();
        return;
    }
    m_viewport = Viewport::fit(m_model->groups[m_model->groupOf[*m_state.node()]].rect, drawing(), 24, 2.5);
    m_fitted = false;
    update();
}

void NpuGraphView::actualSize()
{
    zoomBy(1 / m_viewport.scale, drawing().center());
}

std::optional<QRectF> NpuGraphView::shownPart() const
{
    if (!m_model)
        return std::nullopt;
    return m_fitted ? QRectF() : m_viewport.toScene(drawing());
}

void NpuGraphView::showPart(const QRectF& part)
{
    if (!m_model || part.isEmpty() || !part.intersects(m_model->bounds)) {
        fitAll();
        return;
    }
    m_viewport = Viewport::showing(part, drawing());
    m_fitted = false;
    update();
}

QRectF NpuGraphView::selectedPart() const
{
    return m_model && m_state.node() ? m_model->groups[m_model->groupOf[*m_state.node()]].rect : QRectF();
}

QPointF NpuGraphView::focusPoint() const
{
    return m_model && m_state.node() ? pointOf(*m_state.node()) : drawing().center();
}

QPointF NpuGraphView::pointOf(std::uint32_t node) const
{
    return m_model ? m_viewport.toScreen(m_model->cellOf(node, m_viewport.scale).center()) : QPointF();
}

QPointF NpuGraphView::titleOf(std::uint32_t op) const
{
    if (m_model)
        for (const NpuGraphGroup& g : m_model->groups)
            if (g.op == op)
                return m_viewport.toScreen(QPointF(g.rect.center().x(), g.rect.top() + 8));
    return {};
}

void NpuGraphView::setAllOpen(bool open)
{
    m_open.clear();
    if (open && m_model)
        for (const NpuGraphGroup& g : m_model->groups)
            m_open.insert(g.op);
    m_fitted = true;
    requestLayout();
}

void NpuGraphView::toggle(std::uint32_t op)
{
    if (m_open.erase(op) == 0)
        m_open.insert(op);
    requestLayout();
}

void NpuGraphView::select(std::uint32_t node)
{
    m_state.selectNode(node);
    if (m_state.result())
        m_state.setCursor(m_state.result()->startAt[node]);
}

// -- mouse and keys --------------------------------------------------------------------------------------

QString NpuGraphView::tooltipAt(QPointF position) const
{
    if (!m_model || !drawing().contains(position))
        return {};
    const QPointF at = m_viewport.toScene(position);
    if (const auto node = m_model->nodeAt(at, m_viewport.scale))
        return nodeTooltip(*m_model->result, *node);
    if (const NpuGraphGroup* g = m_model->groupAt(at))
        return QStringLiteral("<b>%1</b><br>%2<br>%3<br>%4<br>%5")
            .arg(g->name.toHtmlEscaped(), g->detail,
                 counted(g->computeCycles, tr("compute cycle"), tr("compute cycles")),
                 tr("at most %1 moved").arg(bytesText(g->bytes)),
                 tr("%1 on the critical path; double-click opens or closes")
                     .arg(counted(static_cast<std::int64_t>(g->critical), tr("node"), tr("nodes"))));
    return {};
}

QStringList NpuGraphView::keysAt(QPointF position) const
{
    const auto node = m_model && drawing().contains(position)
                          ? m_model->nodeAt(m_viewport.toScene(position), m_viewport.scale)
                          : std::nullopt;
    return node ? QStringList{nodeKey(*node)} : QStringList();
}

void NpuGraphView::showEvent(QShowEvent* event)
{
    ToolCanvas::showEvent(event);
    m_state.start();
}

void NpuGraphView::mousePressEvent(QMouseEvent* event)
{
    ToolCanvas::mousePressEvent(event);
    m_pressed = event->position();
    m_leftPan = event->button() == Qt::LeftButton && drawing().contains(m_pressed);
    m_panFrom = m_pressed;
}

void NpuGraphView::mouseMoveEvent(QMouseEvent* event)
{
    ToolCanvas::mouseMoveEvent(event);
    if (isPanning())
        return;
    if (m_leftPan && (event->buttons() & Qt::LeftButton)) {
        if ((event->position() - m_pressed).manhattanLength() >= QApplication::startDragDistance() ||
            m_panFrom != m_pressed) {
            panBy(event->position() - m_panFrom);
            m_panFrom = event->position();
        }
        return;
    }
    std::optional<std::uint32_t> node;
    if (m_model && drawing().contains(event->position()))
        node = m_model->nodeAt(m_viewport.toScene(event->position()), m_viewport.scale);
    m_state.setHoverNode(node);
}

void NpuGraphView::mouseReleaseEvent(QMouseEvent* event)
{
    ToolCanvas::mouseReleaseEvent(event);
    const bool moved = (event->position() - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    m_leftPan = false;
    if (moved || !m_model || !drawing().contains(event->position()) || event->button() != Qt::LeftButton)
        return;
    const QPointF at = m_viewport.toScene(event->position());
    const NpuGraphGroup* g = m_model->groupAt(at);
    m_group = g ? std::optional(static_cast<std::size_t>(g - m_model->groups.data())) : std::nullopt;
    if (const auto node = m_model->nodeAt(at, m_viewport.scale))
        select(*node);
    else if (!g)
        m_state.selectNode(std::nullopt);
    update();
}

void NpuGraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_model && drawing().contains(event->position()))
        if (const NpuGraphGroup* g = m_model->groupAt(m_viewport.toScene(event->position())))
            toggle(g->op);
}

void NpuGraphView::addOwnKeys()
{
    addKeys("find", tr("Find a node"),
            QKeySequence::keyBindings(QKeySequence::Find) << QKeySequence(Qt::Key_Slash),
            tr("Mark operators and nodes by part of their name. Enter moves to the next hit."), [this] {
                m_search->setFocus(Qt::ShortcutFocusReason);
                m_search->selectAll();
            });
    addKeys("previous", tr("Previous on the critical path"), {QKeySequence(Qt::Key_Comma)},
            tr("Select the previous node on the critical path."), [this] { stepCritical(-1); });
    addKeys("next", tr("Next on the critical path"), {QKeySequence(Qt::Key_Period)},
            tr("Select the next node on the critical path."), [this] { stepCritical(1); });
    const auto toFirst = [this](const auto& edges) {
        if (m_model && m_state.node())
            if (const auto others = edges(*m_model->result->graph).of(*m_state.node()); !others.empty())
                select(others.front());
    };
    addKeys("producer", tr("Select a producer"), {QKeySequence(Qt::Key_BracketLeft)},
            tr("Select the first node that the selected node depends on."),
            [toFirst] { toFirst([](const npu::NpuGraph& g) -> decltype(auto) { return (g.deps); }); });
    addKeys("consumer", tr("Select a consumer"), {QKeySequence(Qt::Key_BracketRight)},
            tr("Select the first node that depends on the selected node."),
            [toFirst] { toFirst([](const npu::NpuGraph& g) -> decltype(auto) { return (g.successors); }); });
    addKeys("nextOperator", tr("Next operator"), {QKeySequence(Qt::Key_N)},
            tr("Move from operator to operator; with Shift backwards."),
            [this](const KeyUse& use) { stepGroup(use.shift() ? -1 : 1); });
    addKeys("open", tr("Open or close the operator"), {QKeySequence(Qt::Key_Return)},
            tr("Show the nodes of the operator that N has selected, or one box."), [this] {
                if (m_model && m_group && *m_group < m_model->groups.size())
                    toggle(m_model->groups[*m_group].op);
            });
    addKeys("menu", tr("Context menu"), {QKeySequence(Qt::Key_Menu)},
            tr("Open the menu of the selected node."), [this] {
                if (m_model)
                    showContextMenu(m_state.node() ? pointOf(*m_state.node()) : drawing().center());
            });
    addKeys("letGo", tr("Clear selection"), {QKeySequence(Qt::Key_Escape)}, tr("Clear the selection."),
            [this] { m_state.selectNode(std::nullopt); });
    addGesture("openByMouse", tr("Open or close an operator"), tr("double click"),
               tr("Show its nodes, or one box."));
}

void NpuGraphView::stepCritical(int by)
{
    if (!m_model || m_model->result->critical.empty())
        return;
    const auto& critical = m_model->result->critical;
    const auto at =
        m_state.node() ? std::find(critical.begin(), critical.end(), *m_state.node()) : critical.end();
    select(at == critical.end() ? critical.front()
                                : critical[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
                                      at - critical.begin() + by, 0, std::ssize(critical) - 1))]);
}

void NpuGraphView::stepGroup(int by)
{
    if (!m_model || m_model->groups.empty())
        return;
    const std::size_t n = m_model->groups.size();
    m_group = m_group ? (*m_group + (by < 0 ? n - 1 : 1)) % n : (by < 0 ? n - 1 : 0);
    update();
}

void NpuGraphView::showContextMenu(QPointF position)
{
    if (!m_model || !drawing().contains(position)) {
        ToolCanvas::showContextMenu(position);
        return;
    }
    const QPointF at = m_viewport.toScene(position);
    auto node = m_model->nodeAt(at, m_viewport.scale);
    if (node)
        select(*node);
    else
        node = m_state.node();
    const NpuGraphGroup* g = m_model->groupAt(at);
    QMenu menu(this);
    menu.setToolTipsVisible(true);
    QAction* systolic = menu.addAction(tr("Open this MatMul tile in the Systolic lens"));
    Actions::setAvailable(systolic, {node && isGemm(*m_model->result->graph, *node),
                                     node ? tr("This node is not a MatMul.") : tr("Select a node first.")});
    QAction* open = menu.addAction(g && g->open ? tr("Close this operator") : tr("Open this operator"));
    Actions::setAvailable(open, {g != nullptr, tr("There is no operator here.")});
    const std::uint32_t op = g ? g->op : 0;
    menu.addSeparator();
    QAction* all = menu.addAction(tr("Fit all"));
    const QAction* chosen = menu.exec(mapToGlobal(position.toPoint()));
    if (!chosen)
        return;
    if (chosen == systolic)
        openInSystolic(workspace(), *m_model->result->graph, *node);
    else if (chosen == open)
        toggle(op);
    else if (chosen == all)
        fitAll();
}

void NpuGraphView::leaveEvent(QEvent* event)
{
    m_state.setHoverNode(std::nullopt);
    ToolCanvas::leaveEvent(event);
}

} // namespace tilewright::ui
