// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_layouter.h"

#include "canvas/animation_clock.h"
#include "theme/text.h"
#include "views/graph/graph_hit.h"
#include "workspace/model_file.h"
#include "workspace/overlays.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QStyle>

#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright::ui {

namespace {
constexpr std::int64_t kMostSteps = 200'000; // per subgraph; with more steps its lines have no traffic labels
}

GraphTraffic TrafficMemory::count(const Snapshot& snapshot, std::stop_token stop)
{
    const auto& subgraphs = snapshot.schedule.subgraphs;
    const Rules& rules = snapshot.evaluation.rules;
    std::unordered_multimap<const Subgraph*, Entry> next;
    GraphTraffic out(subgraphs.size());
    for (std::size_t i = 0; i < subgraphs.size() && !stop.stop_requested(); ++i) {
        const auto resident = snapshot.residentBefore(SubgraphId(i));
        const auto [first, last] = m_entries.equal_range(subgraphs[i].get());
        const auto known = std::find_if(first, last, [&](const auto& item) {
            return item.second.rules == rules && std::ranges::equal(item.second.resident, resident);
        });
        if (known != last) {
            out[i] = known->second.traffic;
            next.insert(m_entries.extract(known));
            continue;
        }
        ++m_counted;
        out[i].emplace();
        const auto& evaluations = snapshot.evaluation.subgraphs;
        if (i < evaluations.size() && evaluations[i].structurallyValid && evaluations[i].steps <= kMostSteps)
            if (auto figures =
                    tensorTraffic(*snapshot.problem, *subgraphs[i], resident, rules, kMostSteps, stop))
                out[i] = std::move(*figures);
        if (!stop.stop_requested())
            next.emplace(subgraphs[i].get(),
                         Entry{subgraphs[i], {resident.begin(), resident.end()}, rules, *out[i]});
    }
    if (stop.stop_requested())
        next.merge(m_entries); // the next count may need entries of subgraphs not counted now
    m_entries = std::move(next);
    return out;
}

std::vector<SubgraphId> readersOf(const GraphModel& model, const GraphEdgeKey& edge, TensorId tensor)
{
    const GraphGeometry& geometry = *model.geometry;
    const GraphNode& to = model.nodes[edge.to];
    if (to.key.kind != GraphKey::Kind::Section) {
        std::vector<SubgraphId> out; // the subgraphs that run the op, or the subgraph of the card
        for (const GraphBadge& badge : to.badges)
            out.push_back(badge.subgraph);
        return out;
    }
    std::set<SubgraphId> out;
    const Problem& problem = *geometry.problem;
    const auto consumers = problem.consumers(tensor);
    for (SubgraphId s : geometry.sections.at(edge.to).subgraphs)
        for (OpId op : geometry.members[s.index()])
            if (std::find(consumers.begin(), consumers.end(), op) != consumers.end())
                out.insert(s);
    return {out.begin(), out.end()};
}

EdgeStyle edgeStyle(const Snapshot& snapshot, SubgraphId s, TensorId t)
{
    // A tensor that the subgraph produces itself is interior, even if a copy is resident (R3.1).
    const Problem& problem = *snapshot.problem;
    const Subgraph& subgraph = snapshot.schedule[s];
    if (const auto producer = problem.producer(t))
        if (std::find(subgraph.ops.begin(), subgraph.ops.end(), *producer) != subgraph.ops.end())
            return EdgeStyle::Interior;
    const auto resident = snapshot.residentBefore(s);
    return std::find(resident.begin(), resident.end(), t) != resident.end() ? EdgeStyle::Retained
                                                                            : EdgeStyle::Spilled;
}

namespace {

LabelPlacer placesFor(const GraphModel& model)
{
    LabelPlacer places;
    for (const GraphNode& node : model.nodes)
        places.take(node.rect.adjusted(-2, -2, 2, 2));
    for (const GraphHull& hull : model.hulls)
        if (!hull.collapsed && !hull.bounds.isEmpty())
            places.take(tabRect(model, hull));
    for (const GraphEdge& edge : model.edges)
        if (!edge.slab.isEmpty())
            places.take(edge.slab | edge.namedSlab);
    return places;
}

} // namespace

void labelEdges(GraphModel& model, const GraphTraffic& traffic)
{
    const GraphGeometry& geometry = *model.geometry;
    const Problem& problem = *model.snapshot->problem;
    LabelPlacer places = placesFor(model);
    std::set<std::pair<std::uint32_t, std::uint32_t>> told; // pairs (subgraph, tensor) counted so far
    for (std::size_t e = 0; e < model.edges.size(); ++e) {
        GraphEdge& edge = model.edges[e];
        edge.label.clear();
        if (edge.style != EdgeStyle::Spilled || edge.path.isEmpty())
            continue;
        const bool output = model.nodes[edge.to].key.kind == GraphKey::Kind::Output;
        std::int64_t load = 0, store = 0;
        const auto count = [&](SubgraphId s, TensorId tensor) {
            if (s.index() >= traffic.size() || !traffic[s.index()])
                return;
            if (!output && !told.insert({s.value, tensor.value}).second)
                return;
            for (const TensorTraffic& t : *traffic[s.index()])
                if (t.tensor == tensor)
                    (output ? store : load) += output ? t.store : t.load;
        };
        // Every subgraph that produces the tensor stores it; every one that runs the consumer loads it.
        const auto section = geometry.sections.find(edge.from);
        if (output && section != geometry.sections.end())
            for (const SubgraphId s : section->second.subgraphs)
                count(s, edge.tensor);
        else if (output)
            for (const GraphBadge& badge : model.nodes[edge.from].badges)
                count(badge.subgraph, edge.tensor);
        else if (edge.bundle.empty())
            for (SubgraphId s : readersOf(model, geometry.edges[e], edge.tensor))
                count(s, edge.tensor);
        for (TensorId tensor : edge.bundle)
            for (SubgraphId s : readersOf(model, geometry.edges[e], tensor))
                count(s, tensor);
        if (load + store == 0)
            continue;
        QString text = shortNumber(static_cast<double>(load + store));
        const double reloads =
            static_cast<double>(load) / static_cast<double>(problem.tensor(edge.tensor).elements());
        if (!edge.bundle.empty())
            text = QCoreApplication::translate("Graph", "%1 in %2 tensors").arg(text).arg(edge.bundle.size());
        else if (reloads > 1.005)
            text += QStringLiteral(" (%1×)").arg(significantNumber(reloads));
        const QSizeF size(0.88 * geometry.metrics.em * static_cast<double>(text.size()) + 8,
                          1.1 * geometry.metrics.line);
        const LayoutRoute& route = geometry.layout.edges[e];
        const auto rect = output ? places.place(route, size, {0.5, 0.7, 0.3})
                                 : places.place(route, size, {0.62, 0.75, 0.5, 0.85, 0.4});
        if (rect) {
            edge.label = text;
            edge.labelRect = *rect;
            model.bounds |= *rect;
        }
    }
}

void keepLabels(GraphModel& model, const GraphModel& before)
{
    if (model.geometry != before.geometry)
        return;
    const Schedule &now = model.snapshot->schedule, &then = before.snapshot->schedule;
    std::vector<char> changed(now.size(), 0);
    for (std::size_t s = 0; s < now.size(); ++s)
        if (now.subgraphs[s] != then.subgraphs[s]) {
            changed[s] = 1;
            if (s + 1 < now.size() && now.subgraphs[s]->retain != then.subgraphs[s]->retain)
                changed[s + 1] = 1;
        }
    const auto stays = [&](std::size_t v) {
        const GraphNode& node = model.nodes[v];
        if (node.key.kind == GraphKey::Kind::Input || node.key.kind == GraphKey::Kind::Output)
            return true;
        return !node.badges.empty() &&
               std::none_of(node.badges.begin(), node.badges.end(),
                            [&](const GraphBadge& badge) { return changed[badge.subgraph.index()] != 0; });
    };
    const bool sameRules = model.snapshot->evaluation.rules == before.snapshot->evaluation.rules;
    for (std::size_t e = 0; e < model.edges.size() && sameRules; ++e) {
        const GraphEdge& old = before.edges[e];
        if (old.label.isEmpty() || !stays(old.from) || !stays(old.to))
            continue;
        model.edges[e].label = old.label;
        model.edges[e].labelRect = old.labelRect;
        model.bounds |= old.labelRect;
    }
}

namespace {

constexpr std::size_t kLayoutInBackground =
    400;                                  // number of nodes above which the layout runs in a worker thread
constexpr std::size_t kAnimateUpTo = 300; // largest number of nodes for which transitions are animated
constexpr double kTransitionSeconds = 0.18;
// Maximum total number of nodes in all remembered layouts, a few dozen MB.
constexpr std::size_t kRememberedNodes = 30'000;
// Maximum number of remembered layouts, each of which is checked for a match.
constexpr std::size_t kRemembered = 200;

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
    // A large graph is also laid out at once if it has few nodes, because its subgraphs are cards.
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
    // Until the new layout is ready, the new areas and numbers are shown at the old positions.
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
        refresh(); // request another layout, because the schedule changed meanwhile
        return;
    }
    Q_EMIT aboutToArrange(*geometry);
    const bool sameShape = m_geometry && m_geometry->shape == geometry->shape;
    m_arranged = geometry;
    setGeometry(std::move(geometry));
    if (!m_isPreview)
        remember(m_geometry);
    Q_EMIT geometryChanged();
    rebuildModel(!m_isPreview); // no animation during a preview: the solver needs the cores
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

/// Returns a remembered layout that matches. Each layout starts from the previous one, so that nodes would
/// drift if the user went back and forth; remembered layouts avoid this.
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
    // A preview shows neither differences from the baseline, because nearly everything differs, nor traffic,
    // because counting it would take time from the solver.
    const Document& document = m_context.document;
    const SnapshotPtr baseline = m_isPreview ? nullptr : document.baseline();
    m_traffic.clear();
    GraphOptions unlabelled = m_options; // the worker thread adds the labels
    unlabelled.edgeLabels = false;
    if (!m_isPreview) {
        unlabelled.changes = m_context.workspace.compared().changes();
        unlabelled.values = m_context.workspace.opColours().values();
        if (!unlabelled.values && m_options.colouring == GraphColouring::Measured)
            unlabelled.values = Overlays::of(m_context.workspace).opColours();
    }
    auto next = std::make_shared<GraphModel>(
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
        m_between = std::make_shared<const GraphModel>(between(*m_before, *m_model, t));
    }
    m_view.update();
}

/// Counts the traffic and places its labels in a worker thread: this takes longer than the rest of the
/// picture.
void GraphLayouter::requestLabels()
{
    if (!m_model || !m_options.edgeLabels || m_isPreview)
        return;
    m_labelJob.request([plain = m_model, memory = m_trafficMemory](std::stop_token stop) -> Labelled {
        const auto model = std::make_shared<GraphModel>(*plain);
        GraphTraffic traffic = memory->count(*model->snapshot, stop);
        labelEdges(*model, traffic);
        return {plain, model, std::move(traffic)};
    });
}

void GraphLayouter::takeLabels(const Labelled& labelled)
{
    // The schedule has changed meanwhile, and its labels are already being made.
    if (!m_model || m_model->snapshot != labelled.model->snapshot ||
        m_model->geometry != labelled.model->geometry || !m_options.edgeLabels)
        return;
    m_traffic = labelled.traffic;
    const bool changed = !std::ranges::equal(
        m_model->edges, labelled.model->edges, [](const GraphEdge& now, const GraphEdge& next) {
            return now.label == next.label && now.labelRect == next.labelRect;
        });
    if (m_model == labelled.plain) {
        m_model = labelled.model;
    } else { // only the colours differ from the previous picture
        const auto next = std::make_shared<GraphModel>(*m_model);
        for (std::size_t e = 0; e < next->edges.size(); ++e) {
            next->edges[e].label = labelled.model->edges[e].label;
            next->edges[e].labelRect = labelled.model->edges[e].labelRect;
        }
        next->bounds |= labelled.model->bounds;
        m_model = next;
    }
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
