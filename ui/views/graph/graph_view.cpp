// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_view.h"

#include "canvas/animation_clock.h"
#include "workspace/subgraphs_text.h"
#include "views/graph/graph_regroup.h"
#include "views/graph/graph_toolbar.h"
#include "views/graph/graph_transition.h"

#include <QFontMetricsF>
#include <QLabel>
#include <QSettings>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr std::size_t kLayoutInBackground = 400; // nodes from which the arrangement is left to a worker
constexpr std::size_t kAnimateUpTo = 300;        // nodes
constexpr double kTransitionSeconds = 0.18;

const char* const kColouringNames[] = {"subgraph", "type", "bound", "latency", "intensity", "none"};

} // namespace

GraphView::GraphView(const ViewContext& context, QWidget* parent)
    : Canvas(context, QStringLiteral("graph"), tr("Graph"), parent), m_toolbar(new GraphToolbar(this)),
      m_note(new QLabel(this)), m_layoutJob(
                                    [this](GeometryPtr geometry) {
                                        if (geometry)
                                            useGeometry(std::move(geometry));
                                    },
                                    true),
      m_labelJob([this](const Labelled& labelled) { takeLabels(labelled); }), m_drag(context.document)
{
    QSettings settings;
    settings.beginGroup(QStringLiteral("graph"));
    const QString colouring = settings.value(QStringLiteral("colouring")).toString();
    for (int i = 0; i < 6; ++i)
        if (colouring == QLatin1String(kColouringNames[i]))
            m_options.colouring = static_cast<GraphColouring>(i);
    m_options.edgeLabels = settings.value(QStringLiteral("labels"), true).toBool();
    m_shape.leftToRight = settings.value(QStringLiteral("leftToRight"), false).toBool();
    m_shape.columns = settings.value(QStringLiteral("columns"), true).toBool();
    m_shape.cards = settings.value(QStringLiteral("cards"), true).toBool();
    m_overview = settings.value(QStringLiteral("overview"), true).toBool();
    m_legend = settings.value(QStringLiteral("key"), true).toBool();
    m_toolbar->setOptions(m_options, m_shape, m_overview, m_legend);
    m_note->setObjectName(QStringLiteral("graphNote"));
    m_note->setAutoFillBackground(true);
    m_note->setAlignment(Qt::AlignCenter);
    m_note->setMargin(4);
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_note->setAccessibleName(tr("What the graph leaves out"));
    m_note->hide();
    connect(m_note, &QLabel::linkActivated, this, [this](const QString& what) {
        if (what == QLatin1String("all"))
            setNeighbourhood(0);
        else
            collapseAll(what == QLatin1String("cards"));
        setFocus();
    });
    connectToolbar();
    registerActions();
    addOwnKeys();
    setMinimumSize(240, 160);

    connect(&document(), &Document::problemChanged, this, [this] { refresh(true); });
    connect(&document(), &Document::snapshotChanged, this, [this] { refresh(); });
    connect(&document(), &Document::baselineChanged, this, [this] { refresh(); });
    connect(&document(), &Document::previewChanged, this, &GraphView::previewChanged);
    connect(&selection(), &Selection::changed, this, &GraphView::selectionChanged);
    connect(&selection(), &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
    connect(&this->context().themes, &ThemeSource::changed, this, [this] { m_overviewPixmap = {}; });
    connect(&this->context().clock, &AnimationClock::tick, this, &GraphView::moveOn);
    // Hundreds of targets are judged a second: only that under the cursor is worth a picture of its own.
    m_verdictTimer.setSingleShot(true);
    m_verdictTimer.setInterval(40);
    connect(&m_verdictTimer, &QTimer::timeout, this, qOverload<>(&QWidget::update));
    connect(&m_drag, &GraphDrag::changed, this, [this](bool underCursor) {
        if (underCursor)
            update();
        else if (!m_verdictTimer.isActive())
            m_verdictTimer.start();
    });
    m_scrollTimer.setInterval(30);
    connect(&m_scrollTimer, &QTimer::timeout, this, [this] {
        const QRectF inner = content().adjusted(28, 28, -28, -28);
        const QPointF by(m_mouse.x() < inner.left()    ? 14
                         : m_mouse.x() > inner.right() ? -14
                                                       : 0,
                         m_mouse.y() < inner.top()      ? 14
                         : m_mouse.y() > inner.bottom() ? -14
                                                        : 0);
        if (!by.isNull())
            panBy(by);
    });
    refresh(true);
}

GraphView::~GraphView()
{
    clock().stop(this);
}

// -- model ----------------------------------------------------------------------------------------------

GraphMetrics GraphView::metrics() const
{
    const QFontMetricsF title(uiFont(1.0, QFont::Medium));
    const double em = std::max(title.averageCharWidth(), title.horizontalAdvance(QLatin1Char('0')));
    return {std::round(em * 4) / 4, std::round(title.height())};
}

void GraphView::refresh(bool problemIsNew)
{
    if (problemIsNew) {
        m_home.reset();
        m_geometry = m_arranged = nullptr;
        m_model.reset();
        m_before.reset();
        m_between.reset();
        m_transition = 1;
        m_trafficMemory = std::make_shared<TrafficMemory>();
        m_traffic.clear();
        m_found.clear();
        m_cursor.reset();
        m_shape.collapsed.clear();
        m_shape.opened.clear();
        m_opened.clear();
        m_shape.focus.clear();
        m_shape.hops = 0;
        m_layoutJob.cancel();
        m_labelJob.cancel();
        m_fitPending = true;
        m_movedByHand = false;
        m_wantedPart = {};
        m_toolbar->setOptions(m_options, m_shape, m_overview, m_legend);
        cancelGesture();
        showNote();
    }
    m_toolbar->setVisible(document().hasProblem());
    const SnapshotPtr& snapshot = shownSnapshot();
    if (!snapshot) {
        showNote();
        update();
        return;
    }
    if (m_geometry && fits(*m_geometry, snapshot->problem, snapshot->schedule, m_shape, metrics())) {
        rebuildModel(false);
        requestLabels();
        return;
    }
    // A large graph of which little is drawn, because its subgraphs are cards, is arranged as quickly.
    const bool known = m_arranged && m_arranged->problem == snapshot->problem &&
                       m_arranged->shape == m_shape && m_arranged->metrics == metrics();
    const std::size_t size = known ? m_arranged->keys.size() : snapshot->problem->opCount();
    if (size < kLayoutInBackground && !m_home) {
        auto geometry =
            layOutGraph(snapshot->problem, snapshot->schedule, m_shape, metrics(), m_arranged.get());
        useGeometry(std::make_shared<const GraphGeometry>(std::move(*geometry)));
        return;
    }
    m_layoutJob.request([snapshot, shape = m_shape, metrics = metrics(),
                         previous = m_arranged](std::stop_token stop) -> GeometryPtr {
        auto geometry =
            layOutGraph(snapshot->problem, snapshot->schedule, shape, metrics, previous.get(), {stop, {}});
        return geometry ? std::make_shared<const GraphGeometry>(std::move(*geometry)) : nullptr;
    });
    // Until it is arranged, the new areas and figures are shown where everything stands now.
    if (known && !m_home)
        if (GeometryPtr provisional = regrouped(*m_arranged, snapshot->schedule)) {
            m_geometry = std::move(provisional);
            rebuildModel(false);
        }
    update();
}

void GraphView::useGeometry(GeometryPtr geometry)
{
    const SnapshotPtr& snapshot = shownSnapshot();
    if (!snapshot || !fits(*geometry, snapshot->problem, snapshot->schedule, m_shape, metrics())) {
        refresh(); // the schedule went on while this was being arranged
        return;
    }
    // What the person looks at stays where it is.
    std::optional<std::pair<GraphKey, QPointF>> anchor;
    if (m_model && !m_fitPending) {
        QPointF look = content().center();
        if (m_gesture == Gesture::Drag || underMouse())
            look = m_mouse;
        const QPointF scene = m_viewport.toScene(look);
        double best = 0;
        for (const GraphNode& node : m_model->nodes) {
            const double d = QLineF(scene, node.rect.center()).length();
            if ((!anchor || d < best) && geometry->index.count(node.key) > 0) {
                best = d;
                anchor = {node.key, m_viewport.toScreen(node.rect.center())};
            }
        }
    }
    const bool sameShape = m_geometry && m_geometry->shape == geometry->shape;
    m_geometry = m_arranged = std::move(geometry);
    showNote();
    rebuildModel(!m_home); // the cores belong to the solver while it is previewed
    QRectF opened;
    for (OpId op : std::exchange(m_opened, {}))
        if (const auto v = m_geometry->nodeOf(op))
            opened |= m_model->nodes[*v].rect;
    if (!opened.isEmpty()) {
        setViewport(Viewport::fit(opened, freeRoom(), 60, 1), true);
    } else if (anchor && (m_movedByHand || sameShape)) {
        const QPointF now = m_model->nodes[m_geometry->index.at(anchor->first)].rect.center();
        m_viewport.offset = anchor->second - now * m_viewport.scale;
        // As long as everything was in view, it stays in view.
        if (!m_movedByHand && !content().contains(m_viewport.toScreen(m_model->bounds)))
            fitAll();
    } else {
        fitAll();
    }
    requestLabels();
}

void GraphView::rebuildModel(bool animate)
{
    // A preview is shown plainly: nearly everything differs, and traffic is not worth the solver's time.
    const SnapshotPtr baseline = m_home ? nullptr : document().baseline();
    m_traffic.clear();
    GraphOptions unlabelled = m_options; // the worker does it
    unlabelled.edgeLabels = false;
    auto next = std::make_unique<GraphModel>(
        buildGraph(shownSnapshot(), baseline.get(),
                   m_home ? document().previewColours() : document().colours(), unlabelled, m_geometry));
    if (m_model && m_options.edgeLabels && !m_home)
        keepLabels(*next, *m_model);
    const bool motion = style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0;
    if (animate && motion && m_model && isVisible() && next->nodes.size() <= kAnimateUpTo) {
        m_before = m_between ? std::move(m_between) : std::move(m_model);
        m_transition = 0;
        clock().start(this);
    } else if (!m_before) {
        m_transition = 1;
    }
    m_model = std::move(next);
    if (m_before)
        moveOn(0);
    m_overviewPixmap = {};
    setAccessibleDescription(m_model->summary);
    showFound();
    update();
}

void GraphView::previewChanged()
{
    if (document().preview()) {
        if (m_gesture != Gesture::None)
            return; // what is under the hand does not change; the next preview comes soon
        if (!m_home)
            m_home = Home{m_geometry, m_viewport, m_movedByHand};
        refresh();
        return;
    }
    if (!m_home)
        return;
    const Home home = *std::exchange(m_home, std::nullopt);
    m_layoutJob.cancel();
    const SnapshotPtr& snapshot = document().snapshot();
    if (!home.geometry || !snapshot ||
        !fits(*home.geometry, snapshot->problem, snapshot->schedule, m_shape, metrics())) {
        refresh();
        return;
    }
    useGeometry(home.geometry);
    if (home.viewport) {
        m_viewport = *home.viewport;
        m_movedByHand = home.movedByHand;
        update();
    }
}

void GraphView::moveOn(double seconds)
{
    if (!m_before)
        return;
    m_transition += seconds / kTransitionSeconds;
    if (m_transition >= 1) {
        m_before.reset();
        m_between.reset();
        m_transition = 1;
        clock().stop(this);
    } else {
        const double t = 1 - std::pow(1 - m_transition, 3);
        m_between = std::make_unique<GraphModel>(between(*m_before, *m_model, t));
    }
    update();
}

/// Counting the traffic and finding places for it takes longer than the rest of the picture.
void GraphView::requestLabels()
{
    if (!m_model || !m_options.edgeLabels || m_home)
        return;
    m_labelJob.request([model = std::make_shared<GraphModel>(*m_model),
                        memory = m_trafficMemory](std::stop_token stop) -> Labelled {
        GraphTraffic traffic = memory->count(*model->snapshot, stop);
        labelEdges(*model, traffic);
        return {model, std::move(traffic)};
    });
}

void GraphView::takeLabels(const Labelled& labelled)
{
    // Where the schedule has gone on, the next labels are being made.
    if (!m_model || m_model->snapshot != labelled.model->snapshot ||
        m_model->geometry != labelled.model->geometry || !m_options.edgeLabels)
        return;
    m_traffic = labelled.traffic;
    bool changed = false;
    for (std::size_t e = 0; e < m_model->edges.size(); ++e) {
        const GraphEdge& from = labelled.model->edges[e];
        GraphEdge& edge = m_model->edges[e];
        changed = changed || edge.label != from.label || edge.labelRect != from.labelRect;
        edge.label = from.label;
        edge.labelRect = from.labelRect;
    }
    m_model->bounds |= labelled.model->bounds;
    if (changed && labelsArePainted(m_viewport.scale * devicePixelRatioF()))
        update();
}

void GraphView::settle()
{
    m_layoutJob.waitIdle();
    m_labelJob.waitIdle();
    if (m_before)
        moveOn(kTransitionSeconds);
}

void GraphView::optionsChanged()
{
    QSettings settings;
    settings.beginGroup(QStringLiteral("graph"));
    settings.setValue(QStringLiteral("colouring"),
                      QLatin1String(kColouringNames[static_cast<int>(m_options.colouring)]));
    settings.setValue(QStringLiteral("labels"), m_options.edgeLabels);
    settings.setValue(QStringLiteral("leftToRight"), m_shape.leftToRight);
    settings.setValue(QStringLiteral("columns"), m_shape.columns);
    settings.setValue(QStringLiteral("cards"), m_shape.cards);
    settings.setValue(QStringLiteral("overview"), m_overview);
    settings.setValue(QStringLiteral("key"), m_legend);
    m_toolbar->setOptions(m_options, m_shape, m_overview, m_legend);
    refresh();
}

QSize GraphView::exportSize() const
{
    if (!m_model)
        return Canvas::exportSize();
    const QSizeF graph = m_model->bounds.size() + QSizeF(48, 100);
    const double scale = std::min(1.0, std::sqrt(1800.0 * 1300.0 / (graph.width() * graph.height())));
    return (graph * scale).toSize().expandedTo({720, 420}).boundedTo({3200, 3200});
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
        text += QStringList{QString::number(i),
                            QString::fromStdString(problem.opName(op)),
                            o.type == OpType::MatMul ? QStringLiteral("MatMul") : QStringLiteral("Pointwise"),
                            QString::number(out.width),
                            QString::number(out.height),
                            QString::number(problem.reductionSize(op)),
                            QString::number(o.baseCost),
                            in.join(QLatin1Char(' '))}
                    .join(QLatin1Char('\t')) +
                QLatin1Char('\n');
    }
    return text;
}

QString GraphView::tableText() const
{
    const SnapshotPtr& snapshot = document().snapshot();
    return snapshot ? subgraphsAsText(*snapshot) : QString();
}

} // namespace tilewright::ui
