// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_model.h"

#include "theme/number.h"
#include "views/graph/graph_shapes.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tilewright::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Graph", text);
}

QString times(std::initializer_list<std::int64_t> sizes)
{
    QStringList parts;
    for (std::int64_t size : sizes)
        parts << QString::number(size);
    return parts.join(QChar(0x00D7));
}

class ModelBuilder
{
public:
    ModelBuilder(const SnapshotPtr& snapshot, const Snapshot* baseline,
                 const std::vector<std::size_t>& colours, const GraphOptions& options,
                 std::shared_ptr<const GraphGeometry> geometry)
        : m_problem(*snapshot->problem), m_snapshot(*snapshot), m_baseline(baseline), m_colours(colours),
          m_options(options), m_geometry(*geometry)
    {
        m_model.snapshot = snapshot;
        m_model.geometry = std::move(geometry);
    }

    GraphModel build()
    {
        findHolders();
        chooseFills();
        findErrors();
        findMoved();
        addNodes();
        addHulls();
        addEdges();
        const LayoutRect& b = m_geometry.layout.bounds;
        m_model.bounds = QRectF(b.x, b.y, b.width, b.height);
        for (const GraphHull& hull : m_model.hulls)
            m_model.bounds |= hull.bounds;
        summarise();
        return std::move(m_model);
    }

private:
    // -- what the schedule says -------------------------------------------------------------------------

    void findHolders()
    {
        m_holders.resize(m_problem.opCount());
        for (std::size_t s = 0; s < m_snapshot.schedule.size(); ++s)
            for (OpId op : m_snapshot.schedule.subgraphs[s]->ops)
                if (op.index() < m_problem.opCount())
                    m_holders[op.index()].push_back(SubgraphId(s));
    }

    [[nodiscard]] const SubgraphEvaluation* evaluation(SubgraphId s) const
    {
        const auto& all = m_snapshot.evaluation.subgraphs;
        return s.index() < all.size() && all[s.index()].structurallyValid ? &all[s.index()] : nullptr;
    }

    void chooseFills()
    {
        const std::size_t n = m_snapshot.schedule.size();
        m_fill.assign(n, {});
        if (m_options.colouring == GraphColouring::Subgraph) {
            for (std::size_t s = 0; s < n; ++s)
                m_fill[s] = {GraphFill::Role::Category,
                             static_cast<double>(s < m_colours.size() ? m_colours[s] : s % 8)};
            return;
        }
        if (m_options.colouring == GraphColouring::Bound) {
            for (std::size_t s = 0; s < n; ++s)
                if (const auto* e = evaluation(SubgraphId(s)))
                    m_fill[s] = {GraphFill::Role::Bound, static_cast<double>(e->bound)};
            m_model.legend.title = tr("Bound by");
            for (Bound bound : {Bound::Compute, Bound::Memory, Bound::Balanced})
                m_model.legend.entries.emplace_back(
                    GraphFill{GraphFill::Role::Bound, static_cast<double>(bound)},
                    bound == Bound::Compute  ? tr("△ compute")
                    : bound == Bound::Memory ? tr("▽ memory")
                                             : tr("◇ balanced"));
            return;
        }
        if (m_options.colouring == GraphColouring::Latency ||
            m_options.colouring == GraphColouring::Intensity) {
            const bool latency = m_options.colouring == GraphColouring::Latency;
            const auto value = [&](const SubgraphEvaluation& e) {
                return latency ? e.latency : e.memory > 0 ? e.compute / e.memory : 0;
            };
            double low = 0, high = 0;
            bool any = false;
            for (std::size_t s = 0; s < n; ++s)
                if (const auto* e = evaluation(SubgraphId(s)); e && value(*e) > 0) {
                    low = any ? std::min(low, value(*e)) : value(*e);
                    high = any ? std::max(high, value(*e)) : value(*e);
                    any = true;
                }
            for (std::size_t s = 0; s < n && any; ++s)
                if (const auto* e = evaluation(SubgraphId(s))) {
                    const double x = std::max(value(*e), low);
                    m_fill[s] = {GraphFill::Role::Ramp,
                                 high > low ? std::log(x / low) / std::log(high / low) : 0.5};
                }
            m_model.legend.title = latency ? tr("Latency of the subgraph") : tr("Compute time ÷ memory time");
            if (any) {
                m_model.legend.low = shortNumber(low);
                m_model.legend.high = shortNumber(high);
            }
        }
        if (m_options.colouring == GraphColouring::OpType) {
            m_model.legend.title = tr("Op type");
            m_model.legend.entries = {{typeFill(OpType::MatMul), tr("MatMul")},
                                      {typeFill(OpType::Pointwise), tr("Pointwise")}};
        }
    }

    static GraphFill typeFill(OpType type)
    {
        return {GraphFill::Role::Category, type == OpType::MatMul ? 0.0 : 7.0};
    }

    void findErrors()
    {
        m_error.resize(m_snapshot.schedule.size());
        for (const Issue& issue : m_snapshot.evaluation.issues)
            if (issue.subgraph && issue.subgraph->index() < m_error.size() &&
                m_error[issue.subgraph->index()].isEmpty()) {
                const std::string_view code = issueCodeName(issue.code);
                m_error[issue.subgraph->index()] =
                    QString::fromUtf8(code.data(), static_cast<qsizetype>(code.size()));
            }
    }

    static std::vector<OpId> sorted(std::vector<OpId> ops)
    {
        std::sort(ops.begin(), ops.end());
        return ops;
    }

    void findMoved()
    {
        m_moved.assign(m_problem.opCount(), false);
        if (!m_baseline || m_baseline->problem != m_snapshot.problem)
            return;
        using Company = std::multiset<std::vector<OpId>>;
        const auto companies = [&](const Schedule& schedule) {
            std::vector<Company> out(m_problem.opCount());
            for (const SubgraphPtr& s : schedule.subgraphs) {
                const auto ops = sorted(s->ops);
                for (OpId op : ops)
                    if (op.index() < out.size())
                        out[op.index()].insert(ops);
            }
            return out;
        };
        const auto now = companies(m_snapshot.schedule), then = companies(m_baseline->schedule);
        for (std::size_t i = 0; i < now.size(); ++i)
            m_moved[i] = now[i] != then[i];
        for (std::size_t s = 0; s < m_baseline->schedule.size(); ++s)
            if (s < m_baseline->evaluation.subgraphs.size())
                m_before.emplace(sorted(m_baseline->schedule.subgraphs[s]->ops),
                                 m_baseline->evaluation.subgraphs[s].latency);
    }

    // -- nodes ------------------------------------------------------------------------------------------

    void addNodes()
    {
        m_model.nodes.reserve(m_geometry.keys.size());
        for (std::size_t v = 0; v < m_geometry.keys.size(); ++v) {
            GraphNode node;
            node.key = m_geometry.keys[v];
            const LayoutRect& r = m_geometry.layout.nodes[v];
            node.rect = QRectF(r.x, r.y, r.width, r.height);
            switch (node.key.kind) {
            case GraphKey::Kind::Op:
                fillOp(node, OpId(node.key.id));
                break;
            case GraphKey::Kind::Card:
                fillCard(node, SubgraphId(static_cast<std::size_t>(m_geometry.groupOf[v])));
                break;
            case GraphKey::Kind::Input:
            case GraphKey::Kind::Output:
                const TensorId t(node.key.id);
                node.title = QString::fromStdString(m_problem.tensorName(t));
                node.detail = times({m_problem.tensor(t).width, m_problem.tensor(t).height});
                break;
            }
            m_model.nodes.push_back(std::move(node));
        }
    }

    void fillOp(GraphNode& node, OpId op) const
    {
        const Op& o = m_problem.op(op);
        const Tensor& out = m_problem.tensor(o.output);
        node.type = o.type;
        node.title = QString::fromStdString(m_problem.opName(op));
        node.detail = o.type == OpType::MatMul ? times({out.width, out.height, m_problem.reductionSize(op)})
                                               : times({out.width, out.height});
        for (SubgraphId s : m_holders[op.index()]) {
            node.badges.push_back(
                {s, m_options.colouring == GraphColouring::OpType ? typeFill(o.type) : m_fill[s.index()]});
            node.error = node.error || !m_error[s.index()].isEmpty();
        }
        node.uncovered = node.badges.empty();
        node.moved = m_moved[op.index()];
    }

    void fillCard(GraphNode& node, SubgraphId s) const
    {
        const Subgraph& subgraph = m_snapshot.schedule[s];
        node.title = subgraph.ops.size() == 1 ? tr("1 op") : tr("%1 ops").arg(subgraph.ops.size());
        QStringList names;
        for (OpId op : subgraph.ops)
            names << QString::fromStdString(m_problem.opName(op));
        node.detail = names.join(QStringLiteral(", "));
        if (const auto* e = evaluation(s))
            node.extra = granularityText(s) + QStringLiteral(" · ") + number(e->latency);
        node.badges.push_back({s, m_fill[s.index()]});
        node.error = !m_error[s.index()].isEmpty();
        node.moved = std::any_of(subgraph.ops.begin(), subgraph.ops.end(),
                                 [&](OpId op) { return m_moved[op.index()]; });
    }

    [[nodiscard]] QString granularityText(SubgraphId s) const
    {
        const Granularity& g = m_snapshot.schedule[s].granularity;
        return times({g.w, g.h, g.k});
    }

    // -- subgraphs --------------------------------------------------------------------------------------

    void addHulls()
    {
        const double padding = m_geometry.metrics.padding();
        m_model.hulls.reserve(m_snapshot.schedule.size());
        std::map<std::size_t, int> rings; // so that rings round one op do not coincide
        for (std::size_t i = 0; i < m_snapshot.schedule.size(); ++i) {
            const SubgraphId s(i);
            GraphHull hull;
            hull.subgraph = s;
            hull.fill = m_options.colouring == GraphColouring::Subgraph ? m_fill[i] : GraphFill{};
            hull.error = m_error[i];
            hull.granularity = granularityText(s);
            hull.locked = m_snapshot.schedule[s].locked;
            if (const auto* e = evaluation(s)) {
                hull.latency = number(e->latency);
                if (const auto before = m_before.find(sorted(m_snapshot.schedule[s].ops));
                    before != m_before.end() && before->second != e->latency)
                    hull.change = signedNumber(e->latency - before->second);
            }
            bool first = true;
            const auto placeTab = [&](const QRectF& edge) {
                if (!first)
                    return;
                hull.tab = edge.topLeft();
                hull.tabRoom = edge.width();
                first = false;
            };
            if (i < m_geometry.layout.groups.size())
                for (const auto& outline : m_geometry.layout.groups[i].outlines) {
                    if (hull.path.isEmpty())
                        hull.path = roundedPolygon(outline, padding * 0.9);
                    else
                        hull.path.addPath(roundedPolygon(outline, padding * 0.9));
                    placeTab(upperEdge(outline));
                }
            std::set<std::size_t> own, away;
            for (OpId op : m_snapshot.schedule[s].ops)
                if (const auto v = m_geometry.nodeOf(op)) {
                    const bool here = m_geometry.groupOf[*v] == static_cast<int>(i);
                    (here ? own : away).insert(*v);
                    hull.collapsed =
                        hull.collapsed || (here && m_geometry.keys[*v].kind == GraphKey::Kind::Card);
                }
            for (std::size_t v : away) {
                if (m_geometry.keys[v].kind == GraphKey::Kind::Card)
                    continue;
                const double grow = padding * (0.35 + 0.3 * rings[v]++);
                const QRectF ring = m_model.nodes[v].rect.adjusted(-grow, -grow, grow, grow);
                hull.satellites.addRoundedRect(ring, padding * 0.8, padding * 0.8);
                hull.satellites.addPath(band(v, own, padding));
                placeTab(ring);
            }
            hull.satellites.setFillRule(Qt::WindingFill);
            hull.nodes.assign(own.begin(), own.end());
            hull.nodes.insert(hull.nodes.end(), away.begin(), away.end());
            hull.bounds = hull.path.controlPointRect() | hull.satellites.controlPointRect();
            m_model.hulls.push_back(std::move(hull));
        }
    }

    /// From a recomputed op to the rest of the subgraph: along its lines, else straight to the nearest op.
    [[nodiscard]] QPainterPath band(std::size_t v, const std::set<std::size_t>& own, double padding) const
    {
        QPainterPath way;
        for (std::size_t e = 0; e < m_geometry.edges.size(); ++e) {
            const GraphEdgeKey& edge = m_geometry.edges[e];
            if ((edge.from == v && own.count(edge.to) > 0) || (edge.to == v && own.count(edge.from) > 0))
                way.addPath(curve(m_geometry.layout.edges[e]));
        }
        if (way.isEmpty() && !own.empty()) {
            const QPointF from = m_model.nodes[v].rect.center();
            const auto nearest = *std::min_element(own.begin(), own.end(), [&](std::size_t a, std::size_t b) {
                return QLineF(from, m_model.nodes[a].rect.center()).length() <
                       QLineF(from, m_model.nodes[b].rect.center()).length();
            });
            way.moveTo(from);
            way.lineTo(m_model.nodes[nearest].rect.center());
        }
        QPainterPathStroker stroker;
        stroker.setWidth(padding);
        stroker.setCapStyle(Qt::RoundCap);
        return way.isEmpty() ? QPainterPath() : stroker.createStroke(way);
    }

    // -- lines ------------------------------------------------------------------------------------------

    void addEdges()
    {
        // Edges of one net follow one another in no order; sorted, they form runs.
        std::vector<std::size_t> byNet;
        byNet.reserve(m_geometry.edges.size());
        m_model.edges.reserve(m_geometry.edges.size());
        for (std::size_t e = 0; e < m_geometry.edges.size(); ++e) {
            const GraphEdgeKey& key = m_geometry.edges[e];
            const LayoutRoute& route = m_geometry.layout.edges[e];
            GraphEdge edge;
            edge.from = key.from;
            edge.to = key.to;
            edge.tensor = key.tensor;
            edge.consumer = key.consumer;
            edge.style = styleOf(key);
            edge.path = curve(route);
            edge.bounds = edge.path.controlPointRect().adjusted(-1, -1, 1, 1); // a straight line has no area
            if (route.size() >= 4) {
                edge.end = toPoint(route.back());
                // The last control point may coincide with the end.
                edge.beforeEnd = toPoint(route[route.size() - 2]);
                if (QLineF(edge.beforeEnd, edge.end).length() < 0.5)
                    edge.beforeEnd = toPoint(route[route.size() - 4]);
                byNet.push_back(e);
            }
            m_model.edges.push_back(std::move(edge));
        }
        const auto net = [&](std::size_t e) {
            return std::pair(m_geometry.edges[e].from, m_geometry.edges[e].tensor);
        };
        std::stable_sort(byNet.begin(), byNet.end(),
                         [&](std::size_t a, std::size_t b) { return net(a) < net(b); });
        std::vector<std::size_t> run;
        for (std::size_t i = 0; i < byNet.size(); ++i) {
            run.push_back(byNet[i]);
            if (i + 1 == byNet.size() || net(byNet[i + 1]) != net(byNet[i])) {
                addStrokes(run);
                run.clear();
            }
        }
    }

    [[nodiscard]] EdgeStyle styleOf(const GraphEdgeKey& key) const
    {
        std::vector<SubgraphId> readers;
        if (key.consumer)
            readers = m_holders[key.consumer->index()];
        else if (m_geometry.keys[key.to].kind == GraphKey::Kind::Card)
            readers = {SubgraphId(static_cast<std::size_t>(m_geometry.groupOf[key.to]))};
        EdgeStyle style = EdgeStyle::Ephemeral; // the heaviest of all executions
        for (SubgraphId s : readers)
            style = std::max(style, edgeStyle(m_snapshot, s, key.tensor));
        return readers.empty() ? EdgeStyle::Spilled : style;
    }

    /// What the lines of a net have in common is painted once, in the heaviest style.
    void addStrokes(std::vector<std::size_t>& edges)
    {
        if (edges.size() == 1) {
            const GraphEdge& edge = m_model.edges[edges.front()];
            GraphStroke stroke{edge.tensor, edge.style, edge.path, edge.bounds, {}};
            const LayoutRoute& route = m_geometry.layout.edges[edges.front()];
            stroke.points.reserve(route.size() / 3 + 1);
            for (std::size_t i = 0; i < route.size(); i += 3)
                stroke.points.push_back(toPoint(route[i]));
            m_model.strokes.push_back(std::move(stroke));
            return;
        }
        std::stable_sort(edges.begin(), edges.end(), [&](std::size_t a, std::size_t b) {
            return m_model.edges[a].style > m_model.edges[b].style;
        });
        std::set<std::tuple<double, double, double, double>> done;
        for (std::size_t e : edges) {
            const LayoutRoute& route = m_geometry.layout.edges[e];
            GraphStroke stroke{m_model.edges[e].tensor, m_model.edges[e].style, {}, {}, {}};
            bool pen = false;
            for (std::size_t i = 0; i + 3 < route.size(); i += 3) {
                if (!done.insert({route[i].x, route[i].y, route[i + 3].x, route[i + 3].y}).second) {
                    pen = false;
                    continue;
                }
                if (!pen) {
                    stroke.path.moveTo(toPoint(route[i]));
                    stroke.points.push_back(toPoint(route[i]));
                }
                pen = true;
                stroke.path.cubicTo(toPoint(route[i + 1]), toPoint(route[i + 2]), toPoint(route[i + 3]));
                stroke.points.push_back(toPoint(route[i + 3]));
            }
            if (stroke.path.isEmpty())
                continue;
            stroke.bounds = stroke.path.controlPointRect().adjusted(-1, -1, 1, 1);
            m_model.strokes.push_back(std::move(stroke));
        }
    }

    void summarise()
    {
        const Evaluation& e = m_snapshot.evaluation;
        m_model.summary = tr("Graph of %1 ops in %2 subgraphs, total latency %3, %4.")
                              .arg(m_problem.opCount())
                              .arg(m_snapshot.schedule.size())
                              .arg(number(e.total))
                              .arg(e.valid() ? tr("valid") : tr("%1 problems").arg(e.issues.size()));
    }

    const Problem& m_problem;
    const Snapshot& m_snapshot;
    const Snapshot* m_baseline;
    const std::vector<std::size_t>& m_colours;
    const GraphOptions& m_options;
    const GraphGeometry& m_geometry;
    GraphModel m_model;
    std::vector<std::vector<SubgraphId>> m_holders; // per op
    std::vector<GraphFill> m_fill;                  // per subgraph
    std::vector<QString> m_error;                   // per subgraph
    std::vector<bool> m_moved;                      // per op
    std::map<std::vector<OpId>, double> m_before;   // latencies of the baseline
};

} // namespace

EdgeStyle edgeStyle(const Snapshot& snapshot, SubgraphId s, TensorId t)
{
    // R3.1: what the subgraph makes itself is taken from inside, even when a copy is resident.
    const Problem& problem = *snapshot.problem;
    const Subgraph& subgraph = snapshot.schedule[s];
    if (const auto producer = problem.producer(t))
        if (std::find(subgraph.ops.begin(), subgraph.ops.end(), *producer) != subgraph.ops.end())
            return EdgeStyle::Ephemeral;
    const auto resident = snapshot.residentBefore(s);
    return std::find(resident.begin(), resident.end(), t) != resident.end() ? EdgeStyle::Retained
                                                                            : EdgeStyle::Spilled;
}

GraphModel buildGraph(const SnapshotPtr& snapshot, const Snapshot* baseline,
                      const std::vector<std::size_t>& colours, const GraphOptions& options,
                      std::shared_ptr<const GraphGeometry> geometry, const GraphTraffic& traffic)
{
    GraphModel model = ModelBuilder(snapshot, baseline, colours, options, std::move(geometry)).build();
    if (options.edgeLabels)
        labelEdges(model, traffic);
    return model;
}

} // namespace tilewright::ui
