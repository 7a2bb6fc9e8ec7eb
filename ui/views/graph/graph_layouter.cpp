// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_layouter.h"

#include "canvas/animation_clock.h"
#include "views/graph/graph_rearrange.h"
#include "workspace/compared_model.h"

#include <QFontMetricsF>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr std::size_t kLayoutInBackground =
    400;                                  // number of nodes from which the layout runs in a worker thread
constexpr std::size_t kAnimateUpTo = 300; // largest number of nodes that is animated
constexpr double kTransitionSeconds = 0.18;
constexpr std::size_t kRememberedNodes = 30'000; // nodes of all remembered layouts, a few dozen MB
constexpr std::size_t kRemembered = 200;         // remembered layouts, each of which is checked for a match

} // namespace

GraphLayouter::GraphLayouter(const ViewContext& context, QWidget& view)
    : m_context(context), m_view(view), m_layoutJob(
                                            [this](GeometryPtr geometry) {
                                                if (geometry)
                                                    useGeometry(std::move(geometry));
                                            },
                                            true),
      m_labelJob([this](const Labelled& labelled) { takeLabels(labelled); })
{
    connect(&context.clock, &AnimationClock::tick, this, &GraphLayouter::moveOn);
}

GraphLayouter::~GraphLayouter()
{
    m_context.clock.stop(this);
}

GraphMetrics GraphLayouter::metrics() const
{
    const QFontMetricsF title(uiFont(1.0, QFont::Medium));
    const double em = std::max(title.averageCharWidth(), title.horizontalAdvance(QLatin1Char('0')));
    return {std::round(em * 4) / 4, std::round(title.height())};
}

const SnapshotPtr& GraphLayouter::shownSnapshot() const
{
    return m_isPreview ? m_context.document.preview() : m_context.document.snapshot();
}

bool GraphLayouter::fitsNow(const GraphGeometry& geometry, const Snapshot& snapshot) const
{
    return fits(geometry, snapshot.problem, snapshot.schedule, m_shape, metrics());
}

void GraphLayouter::startAnew()
{
    m_isPreview = false;
    m_geometry = m_shown = m_arranged = m_beforePreview = nullptr;
    m_nudges = m_context.document.nudges();
    m_remembered.clear();
    m_model.reset();
    m_before.reset();
    m_between.reset();
    m_transition = 1;
    m_trafficMemory = std::make_shared<TrafficMemory>();
    m_traffic.clear();
    m_shape.collapsed.clear();
    m_shape.opened.clear();
    m_shape.spread.clear();
    m_shape.focus.clear();
    m_shape.hops = 0;
    m_layoutJob.cancel();
    m_labelJob.cancel();
}

void GraphLayouter::refresh()
{
    const SnapshotPtr& snapshot = shownSnapshot();
    if (!snapshot) {
        Q_EMIT geometryChanged();
        m_view.update();
        return;
    }
    if (m_geometry && fitsNow(*m_geometry, *snapshot)) {
        rebuildModel(false);
        requestLabels();
        return;
    }
    if (GeometryPtr known = remembered(*snapshot)) {
        m_layoutJob.cancel();
        useGeometry(std::move(known));
        return;
    }
    // A large graph with few nodes, because its subgraphs are cards, is laid out at once too.
    const bool known = m_arranged && m_arranged->problem == snapshot->problem &&
                       m_arranged->shape == m_shape && m_arranged->metrics == metrics();
    const std::size_t size = known ? m_arranged->keys.size() : snapshot->problem->opCount();
    if (size < kLayoutInBackground && !m_isPreview) {
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
    // Until the layout is ready, new areas and numbers are shown at the old positions.
    if (known && !m_isPreview)
        if (GeometryPtr provisional = regrouped(*m_arranged, snapshot->schedule)) {
            setGeometry(std::move(provisional));
            rebuildModel(false);
        }
    m_view.update();
}

void GraphLayouter::useGeometry(GeometryPtr geometry)
{
    const SnapshotPtr& snapshot = shownSnapshot();
    if (!snapshot || !fitsNow(*geometry, *snapshot)) {
        refresh(); // the schedule changed during the layout
        return;
    }
    Q_EMIT aboutToArrange(*geometry);
    const bool sameShape = m_geometry && m_geometry->shape == geometry->shape;
    m_arranged = geometry;
    setGeometry(std::move(geometry));
    if (!m_isPreview)
        remember(m_geometry);
    Q_EMIT geometryChanged();
    rebuildModel(!m_isPreview); // the cores belong to the solver during a preview
    Q_EMIT arranged(sameShape);
    requestLabels();
}

void GraphLayouter::setGeometry(GeometryPtr geometry)
{
    m_geometry = std::move(geometry);
    m_shown = nudged(m_geometry, m_nudges);
}

void GraphLayouter::setNudges(const GraphNudges& nudges)
{
    if (nudges == m_nudges)
        return;
    m_nudges = nudges;
    if (!m_geometry || !m_model)
        return;
    setGeometry(m_geometry);
    rebuildModel(false);
    requestLabels();
}

/// Each layout starts from the previous one, so going back and forth would let nodes drift; remembered
/// layouts avoid that.
GraphLayouter::GeometryPtr GraphLayouter::remembered(const Snapshot& snapshot) const
{
    const auto known =
        std::find_if(m_remembered.rbegin(), m_remembered.rend(),
                     [&](const GeometryPtr& geometry) { return fitsNow(*geometry, snapshot); });
    return known == m_remembered.rend() ? nullptr : *known;
}

void GraphLayouter::remember(const GeometryPtr& geometry)
{
    std::erase(m_remembered, geometry);
    m_remembered.push_back(geometry);
    std::size_t nodes = 0;
    for (auto at = m_remembered.rbegin(); at != m_remembered.rend(); ++at) {
        nodes += (*at)->keys.size();
        if (nodes > kRememberedNodes ||
            at - m_remembered.rbegin() >= static_cast<std::ptrdiff_t>(kRemembered)) {
            m_remembered.erase(m_remembered.begin(), at.base());
            return;
        }
    }
}

void GraphLayouter::rebuildModel(bool animate)
{
    // A preview has no marks and no traffic: nearly everything differs, and traffic is not worth the solver's
    // time.
    const Document& document = m_context.document;
    const SnapshotPtr baseline = m_isPreview ? nullptr : document.baseline();
    m_traffic.clear();
    GraphOptions unlabelled = m_options; // the worker thread adds the labels
    unlabelled.edgeLabels = false;
    if (!m_isPreview)
        unlabelled.changes = m_context.workspace.compared().changes();
    auto next = std::make_unique<GraphModel>(
        buildGraph(shownSnapshot(), baseline.get(),
                   m_isPreview ? document.previewColours() : document.colours(), unlabelled, m_shown));
    if (m_model && m_options.edgeLabels && !m_isPreview)
        keepLabels(*next, *m_model);
    const bool motion = m_view.style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, &m_view) > 0;
    if (animate && motion && m_model && m_view.isVisible() && next->nodes.size() <= kAnimateUpTo) {
        m_before = m_between ? std::move(m_between) : std::move(m_model);
        m_transition = 0;
        m_context.clock.start(this);
    } else if (!m_before) {
        m_transition = 1;
    }
    m_model = std::move(next);
    if (m_before)
        moveOn(0);
    Q_EMIT modelChanged();
    m_view.update();
}

void GraphLayouter::beginPreview()
{
    if (!m_isPreview) {
        m_isPreview = true;
        m_beforePreview = m_geometry;
        Q_EMIT previewBegun();
    }
    refresh();
}

void GraphLayouter::endPreview()
{
    if (!m_isPreview)
        return;
    m_isPreview = false;
    const GeometryPtr before = std::exchange(m_beforePreview, nullptr);
    m_layoutJob.cancel();
    const SnapshotPtr& snapshot = m_context.document.snapshot();
    if (!before || !snapshot || !fitsNow(*before, *snapshot)) {
        refresh();
        return;
    }
    useGeometry(before);
    Q_EMIT previewEnded();
}

void GraphLayouter::moveOn(double seconds)
{
    if (!m_before)
        return;
    m_transition += seconds / kTransitionSeconds;
    if (m_transition >= 1) {
        m_before.reset();
        m_between.reset();
        m_transition = 1;
        m_context.clock.stop(this);
    } else {
        const double t = 1 - std::pow(1 - m_transition, 3);
        m_between = std::make_unique<GraphModel>(between(*m_before, *m_model, t));
    }
    m_view.update();
}

/// Counts the traffic and places its labels in a worker thread: this takes longer than the rest of the
/// picture.
void GraphLayouter::requestLabels()
{
    if (!m_model || !m_options.edgeLabels || m_isPreview)
        return;
    m_labelJob.request([model = std::make_shared<GraphModel>(*m_model),
                        memory = m_trafficMemory](std::stop_token stop) -> Labelled {
        GraphTraffic traffic = memory->count(*model->snapshot, stop);
        labelEdges(*model, traffic);
        return {model, std::move(traffic)};
    });
}

void GraphLayouter::takeLabels(const Labelled& labelled)
{
    // If the schedule has changed, the next labels are already being made.
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
    if (changed)
        Q_EMIT labelsChanged();
}

void GraphLayouter::settle()
{
    m_layoutJob.waitIdle();
    m_labelJob.waitIdle();
    if (m_before)
        moveOn(kTransitionSeconds);
}

} // namespace tilewright::ui
