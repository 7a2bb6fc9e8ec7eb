// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_view.h"
#include "views/graph/graph_tooltip.h"

#include "theme/text.h"
#include "views/graph/graph_cards.h"
#include "views/graph/graph_colouring.h"
#include "views/graph/graph_paint.h"
#include "views/graph/graph_sections.h"
#include "workspace/model_file.h"
#include "workspace/overlays.h"
#include "workspace/texts.h"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QSettings>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

const char* const kColouringNames[] = {"subgraph",  "type", "bound",     "latency",
                                       "intensity", "none", "automatic", "measured"};

} // namespace

GraphView::GraphView(const ViewContext& context, QWidget* parent)
    : Canvas(context, QStringLiteral("graph"), tr("Graph"), parent), m_layouter(context, *this),
      m_bars(context, m_layouter, *this), m_navigator(context, m_layouter, m_bars, *this),
      m_cursor(context, m_layouter, m_navigator, m_bars, *this),
      m_gestures(context, m_layouter, m_navigator, m_cursor, m_bars, *this),
      m_picture(context, m_layouter, m_navigator, m_cursor, m_gestures, m_bars, *this)
{
    addSwitches();
    connectToolbar();
    registerActions();
    addOwnKeys();
    setMinimumSize(240, 160);

    document().whenChanged(this, Part::Problem | Part::Snapshot | Part::Baseline,
                           [this](Parts parts) { refresh(parts.testFlag(Part::Problem)); });
    document().whenChanged(this, Part::Preview, &GraphView::previewChanged);
    document().whenChanged(this, Part::Nudges, [this] {
        m_gestures.cancel();
        m_layouter.setNudges(document().nudges());
    });
    connect(&Overlays::of(workspace()), &Overlays::changed, this, [this] {
        if (options().colouring == GraphColouring::Measured)
            refresh();
    });
    connect(&workspace().compared(), &ComparedModel::changed, this, [this] {
        refresh();
        m_bars.showNote();
        m_navigator.fitUnlessMoved();
    });
    connect(&workspace().opColours(), &OpColours::changed, this, [this] {
        showOptions();
        refresh();
    });
    connect(&selection(), &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
    connect(&this->context().themes, &ThemeSource::changed, this, [this] { m_picture.forgetOverview(); });
    connect(&registry(), &Actions::keysChanged, this, [this] {
        showOptions();
        update();
    });
    connect(&m_layouter, &GraphLayouter::geometryChanged, &m_bars, &GraphBars::showNote);
    connect(&m_layouter, &GraphLayouter::modelChanged, this, [this] {
        m_picture.forgetOverview();
        setAccessibleDescription(model()->summary);
    });
    connect(&m_layouter, &GraphLayouter::labelsChanged, this, [this] {
        if (labelsArePainted(viewport().scale * devicePixelRatioF()))
            update();
    });
    connect(&m_gestures, &GraphGestures::menuWanted, this, &GraphView::showMenu);
    connect(&m_gestures, &GraphGestures::opened, this, &GraphView::open);
    connect(&m_cursor, &GraphCursor::blockWanted, this, &GraphView::openForHit);
    refresh(true);
}

void GraphView::refresh(bool problemIsNew)
{
    if (problemIsNew) {
        m_layouter.startAnew();
        m_navigator.startAnew();
        m_cursor.startAnew();
        m_openedForHit.reset();
        showOptions();
        m_gestures.cancel();
        m_bars.showNote();
    }
    m_bars.toolbar().setVisible(document().hasProblem());
    m_layouter.refresh();
}

void GraphView::previewChanged()
{
    if (!document().preview())
        m_layouter.endPreview();
    else if (!m_gestures
                  .isActive()) // during a gesture the picture does not change; another preview follows soon
        m_layouter.beginPreview();
}

void GraphView::paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!model()) {
        const bool busy = document().hasProblem();
        paintEmptyHint(
            painter, area,
            busy ? tr("Laying out %1 ops …").arg(number(document().problem()->opCount()))
                 : registry().withKeys(tr("Open a problem ({file.open|Ctrl+O}) or drop its file here.")),
            theme);
    } else if (exporting) {
        m_picture.paintExport(painter, area, theme);
    } else {
        m_navigator.fitIfPending();
        m_picture.paint(painter, theme);
    }
}

// -- what is drawn --------------------------------------------------------------------------------------

void GraphView::addSwitches()
{
    const auto add = [this](const char* key, bool atFirst, const QString& text, std::function<bool()> isOn,
                            std::function<void(bool)> set) {
        QAction* action = m_bars.toolbar().addSwitch(text);
        connect(action, &QAction::toggled, this, [this, set](bool on) {
            set(on);
            optionsChanged();
        });
        m_switches.push_back({QLatin1String(key), atFirst, action, std::move(isOn), std::move(set)});
    };
    const auto addShape = [&](const char* key, bool atFirst, const QString& text, bool GraphShape::*part) {
        add(
            key, atFirst, text, [this, part] { return shape().*part; },
            [this, part](bool on) {
                GraphShape next = shape();
                next.*part = on;
                m_navigator.fitNextLayout(); // a different graph is shown: fit it into the view
                m_layouter.setShape(next);
            });
    };
    add(
        "labels", true, tr("Traffic on lines"), [this] { return options().edgeLabels; },
        [this](bool on) {
            m_layouter.setOptions({options().colouring, on});
        });
    addShape("leftToRight", false, tr("Left to right"), &GraphShape::leftToRight);
    addShape("columns", true, tr("Break long graphs into columns"), &GraphShape::columns);
    add(
        "cards", true, tr("Cards in graphs of more than %1 ops").arg(kCardsAbove),
        [this] { return shape().cards; },
        [this](bool on) {
            m_navigator.fitNextLayout();
            m_layouter.setShape(withCards(shape(), on));
        });
    for (const bool small : {false, true}) {
        bool GraphShape::*const part = small ? &GraphShape::blocksInSmall : &GraphShape::blocks;
        add(
            small ? "blocksInSmall" : "blocks", !small, tr("Repeating blocks as one card"),
            [this, part] { return shape().*part; },
            [this, part](bool on) {
                m_navigator.fitNextLayout();
                m_layouter.setShape(withBlocks(shape(), part, on));
            });
    }
    add(
        "overview", true, tr("Overview"), [this] { return m_navigator.overview(); },
        [this](bool on) { m_navigator.setOverview(on); });
    add(
        "key", true, tr("Legend of shapes and lines"), [this] { return m_bars.legend(); },
        [this](bool on) { m_bars.setLegend(on); });
    QSettings settings;
    settings.beginGroup(QStringLiteral("graph"));
    const QString colouring = settings.value(QStringLiteral("colouring")).toString();
    for (int i = 0; i < std::ssize(kColouringNames); ++i)
        if (colouring == QLatin1String(kColouringNames[i]))
            m_layouter.setOptions({static_cast<GraphColouring>(i), true});
    m_navigator.setOverviewCorner(std::clamp(settings.value(QStringLiteral("overviewCorner")).toInt(), 0, 3));
    for (const Switch& s : m_switches)
        s.set(settings.value(s.key, s.atFirst).toBool());
}

void GraphView::optionsChanged()
{
    QSettings settings;
    settings.beginGroup(QStringLiteral("graph"));
    settings.setValue(QStringLiteral("colouring"),
                      QLatin1String(kColouringNames[static_cast<int>(options().colouring)]));
    settings.setValue(QStringLiteral("overviewCorner"), m_navigator.overviewCorner());
    for (const Switch& s : m_switches)
        settings.setValue(s.key, s.isOn());
    showOptions();
    refresh();
}

void GraphView::showOptions()
{
    m_bars.toolbar().setOptions(
        workspace().opColours().values() ? std::nullopt : std::optional(options().colouring), shape().hops);
    const bool small = document().hasProblem() && document().problem()->opCount() <= kCardsAbove;
    for (const Switch& s : m_switches) {
        const QSignalBlocker quiet(s.action);
        s.action->setChecked(s.isOn());
        if (s.key == QLatin1String("overview"))
            s.action->setText(registry().withKeys(tr("Overview ({graph.overview|M})")));
        // Large and small graphs have separate settings for cards of blocks.
        if (s.key == QLatin1String("blocks") || s.key == QLatin1String("blocksInSmall"))
            s.action->setVisible((s.key == QLatin1String("blocksInSmall")) == small);
    }
}

void GraphView::setColouring(GraphColouring colouring)
{
    workspace().opColours().set(nullptr);
    m_layouter.setOptions({colouring, options().edgeLabels});
    optionsChanged();
    registry().refresh();
}

void GraphView::setShape(const GraphShape& shape)
{
    const GraphShape& now = this->shape();
    if (shape.leftToRight != now.leftToRight || shape.columns != now.columns || shape.hops != now.hops ||
        shape.focus != now.focus)
        m_navigator.fitNextLayout(); // a different graph is shown: fit it into the view
    m_layouter.setShape(shape);
    optionsChanged();
}

void GraphView::followPane()
{
    const QRectF pane = m_bars.content();
    if (m_navigator.isMovedByHand() || pane.width() < 80 || pane.height() < 80)
        return;
    // The aspect ratio changes in steps, so that a small change of the pane does not move the nodes.
    constexpr double kLeast = 0.5, kMost = 4;
    const double aspect =
        std::clamp(std::exp2(std::round(2 * std::log2(pane.width() / pane.height())) / 2), kLeast, kMost);
    if (aspect == shape().aspect)
        return;
    GraphShape next = shape();
    next.aspect = aspect;
    m_layouter.setShape(next);
    if (document().hasProblem()) {
        m_navigator.fitNextLayout();
        m_layouter.refresh();
    }
}

void GraphView::setCollapsed(SubgraphId subgraph, bool collapsed)
{
    const std::vector<OpId>& ops = document().schedule()[subgraph].ops;
    const GraphGeometry* geometry = m_layouter.geometry();
    if (!collapsed && geometry && geometry->hasCards())
        m_navigator.showAfterLayout(ops);
    setShape(withSubgraph(shape(), ops, collapsed, geometry));
}

void GraphView::openSection(std::size_t node)
{
    openOps(opsToOpen(*m_layouter.geometry(), node, m_cursor.lastOp()));
}

void GraphView::openOps(const std::vector<OpId>& ops)
{
    m_navigator.showAfterLayout(ops);
    setShape(withSectionOpened(shape(), *m_layouter.geometry(), ops));
}

void GraphView::openForHit(OpId op)
{
    // The block of the previous hit is closed, so that a search for a name in many blocks does not open all
    // of them.
    const std::optional<OpId> before = std::exchange(m_openedForHit, op);
    m_navigator.showAfterLayout({op});
    const GraphShape closed = before ? withSectionClosed(shape(), *model(), *before) : shape();
    setShape(withSectionOpened(closed, *m_layouter.geometry(), {op}));
}

void GraphView::closeSection(OpId op)
{
    if (model() && !model()->geometry->sectionOfOp.empty())
        setShape(withSectionClosed(shape(), *model(), op));
}

void GraphView::spreadBlocks(OpId op)
{
    if (!m_layouter.geometry())
        return;
    m_navigator.fitNextLayout();
    setShape(withBlocksSpread(shape(), *m_layouter.geometry(), op));
}

void GraphView::collapseAll(bool collapsed)
{
    m_navigator.fitNextLayout();
    if (document().hasProblem())
        setShape(withAll(shape(), *document().problem(), document().schedule(), collapsed));
}

void GraphView::setNeighbourhood(int hops)
{
    setShape(withNeighbourhood(shape(), document().problem().get(), document().schedule(),
                               selection().state(), hops));
}

void GraphView::open(const GraphHit& hit)
{
    if (hit.isSection)
        openSection(*hit.node);
    else if (hit.subgraph && !hit.op)
        setCollapsed(*hit.subgraph, !model()->hulls[hit.subgraph->index()].collapsed);
    else if (hit.op)
        fitSelection();
}

// -- events ---------------------------------------------------------------------------------------------

void GraphView::panBy(QPointF pixels)
{
    m_gestures.aboutToPan(pixels);
    m_navigator.panBy(pixels);
    m_gestures.panned();
}

void GraphView::mousePressEvent(QMouseEvent* event)
{
    if (!m_gestures.press(*event))
        Canvas::mousePressEvent(event);
}

void GraphView::mouseMoveEvent(QMouseEvent* event)
{
    m_gestures.updateMouse(*event);
    if (isPanning())
        Canvas::mouseMoveEvent(event);
    else
        m_gestures.move(*event);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        Canvas::mouseReleaseEvent(event); // Canvas ends a panning by mouse
    m_gestures.release(*event);
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_gestures.doubleClick(*event);
}

void GraphView::leaveEvent(QEvent* event)
{
    selection().setHover({});
    Canvas::leaveEvent(event);
}

void GraphView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Control && event->key() != Qt::Key_Alt) {
        Canvas::keyPressEvent(event);
        return;
    }
    m_gestures.modifierChanged(*event);
    event->accept();
}

void GraphView::keyReleaseEvent(QKeyEvent* event)
{
    m_gestures.modifierChanged(*event);
    Canvas::keyReleaseEvent(event);
}

bool GraphView::event(QEvent* event)
{
    // During a drag, Alt forces a drop and must not open the menu bar; Escape cancels and must not leave full
    // screen.
    if (event->type() == QEvent::ShortcutOverride && m_gestures.isDragging()) {
        event->accept();
        return true;
    }
    return Canvas::event(event);
}

void GraphView::resizeEvent(QResizeEvent* event)
{
    m_bars.place();
    followPane();
    m_navigator.fitUnlessMoved();
    Canvas::resizeEvent(event);
}

void GraphView::showEvent(QShowEvent* event)
{
    m_bars.place();
    Canvas::showEvent(event);
}

void GraphView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        refresh();
    Canvas::changeEvent(event);
}

QString GraphView::againstText(OpId op) const
{
    const ComparedModel& other = workspace().compared();
    if (op.index() >= other.changes().size())
        return {};
    return tr("<br>Compared with %1: %2")
        .arg(other.name().toHtmlEscaped(), changeText(other.changes()[op.index()]));
}

QString GraphView::tooltipAt(QPointF position) const
{
    if (!model() || m_gestures.isDragging() || overviewRect().contains(position))
        return {};
    if (m_bars.banner().contains(position))
        return tr("The solver is running; the graph shows its best schedule so far. Your schedule does not "
                  "change until you press Apply.");
    return tooltipOf(hitTest(*model(), viewport(), position));
}

QString GraphView::tooltipOf(const GraphHit& hit) const
{
    const Snapshot& snapshot = *model()->snapshot;
    if (hit.op) {
        const auto& model = document().model();
        const bool known = model && model->problem == snapshot.problem;
        const auto type =
            known ? model->model().operators[model->operatorOf(*hit.op)].typeName() : std::string_view();
        return opTooltip(snapshot, *hit.op, word(type)) + againstText(*hit.op);
    }
    if (hit.line && !model()->edges[*hit.line].bundle.empty())
        return bundleTooltip(snapshot, model()->edges[*hit.line].bundle);
    if (hit.isSection)
        return sectionTooltip(snapshot, model()->geometry->sections.at(*hit.node));
    if (hit.tensor)
        return tensorTooltip(snapshot, *hit.tensor, m_layouter.traffic(),
                             hit.line ? model()->edges[*hit.line].consumer : std::nullopt);
    return hit.subgraph ? subgraphTooltip(snapshot, *hit.subgraph) : QString();
}

// -- as text and picture --------------------------------------------------------------------------------

QSize GraphView::exportSize() const
{
    if (!model())
        return Canvas::exportSize();
    const QSizeF graph = model()->bounds.size() + QSizeF(48, 100);
    const double scale = std::min(1.0, std::sqrt(1800.0 * 1300.0 / (graph.width() * graph.height())));
    return (graph * scale).toSize().expandedTo({720, 420}).boundedTo({3200, 3200});
}

std::vector<PicturePart> GraphView::partsIn(const QSize& size)
{
    if (!model())
        return {};
    const Viewport picture = m_picture.exportViewport(QRectF(QPointF(0, 0), size));
    return graphParts(*model(), picture, [this](const GraphHit& hit) { return tooltipOf(hit); });
}

QString GraphView::copyText() const
{
    const SnapshotPtr& snapshot = document().snapshot();
    if (!snapshot)
        return {};
    const Problem& problem = *snapshot->problem;
    const auto& chosen = selection().state().ops;
    QString text = QStringLiteral("op\tname\ttype\twidth\theight\treduction\tbase cost\tsubgraphs\n");
    for (std::size_t i = 0; i < problem.opCount(); ++i) {
        const OpId op(i);
        if (!chosen.empty() && chosen.count(op) == 0)
            continue;
        QStringList in;
        for (SubgraphId s : subgraphsWith(snapshot->schedule, op))
            in << QString::number(s.value);
        const Op& o = problem.op(op);
        const Tensor& out = problem.tensor(o.output);
        text +=
            textRow(i, problem.opName(op),
                    o.type == OpType::MatMul ? std::string_view("MatMul") : std::string_view("Pointwise"),
                    out.width, out.height, problem.reductionSize(op), o.baseCost, in.join(QLatin1Char(' ')));
    }
    return text;
}

QString GraphView::tableText() const
{
    const SnapshotPtr& snapshot = document().snapshot();
    return snapshot ? subgraphsAsText(*snapshot) : QString();
}

} // namespace tilewright::ui
