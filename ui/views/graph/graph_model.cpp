// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_model.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/graph/graph_cards.h"
#include "views/graph/graph_colouring.h"
#include "views/graph/graph_hit.h"
#include "views/graph/graph_tooltip.h"
#include "workspace/overlays.h"

#include <map>
#include <set>

namespace tilewright::ui {

namespace {

/// Describes the rule violation of a subgraph, for the tag at its area.
QString problemText(IssueCode code)
{
    switch (code) {
    case IssueCode::Format:
        return tr("wrong format");
    case IssueCode::Granularity:
        return tr("invalid granularity");
    case IssueCode::Retain:
        return tr("cannot retain");
    case IssueCode::SuperNative:
        return tr("larger than native tile");
    case IssueCode::KTooLarge:
        return tr("k too large");
    case IssueCode::OpOrder:
        return tr("wrong op order");
    case IssueCode::Disconnected:
        return tr("not connected");
    case IssueCode::Prologue:
        return tr("invalid prologue");
    case IssueCode::Traversal:
        return tr("invalid traversal");
    case IssueCode::Dependency:
        return tr("input not available");
    case IssueCode::OutOfMemory:
        return tr("out of memory");
    case IssueCode::Coverage:
        return tr("ops missing");
    case IssueCode::Output:
        return tr("output not stored");
    }
    return {};
}

QString times(std::initializer_list<std::int64_t> sizes)
{
    return sizeText(sizes, QChar(0x00D7));
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
        m_options.colouring =
            options.values ? GraphColouring::None : usedColouring(options.colouring, snapshot->schedule);
        m_model.snapshot = snapshot;
        m_model.geometry = std::move(geometry);
    }

    GraphModel build()
    {
        findHolders();
        auto [fills, legend] = colourSubgraphs(m_snapshot, m_colours, m_options.colouring);
        m_fill = std::move(fills);
        m_model.legend = std::move(legend);
        if (m_options.values)
            colourByNumbers(*m_options.values);
        findErrors();
        findMoved();
        addNodes();
        addHulls();
        addEdges();
        const LayoutRect& b = m_geometry.layout.bounds;
        m_model.bounds = QRectF(b.x, b.y, b.width, b.height);
        for (const GraphHull& hull : m_model.hulls)
            m_model.bounds |= hull.bounds;
        m_model.summary = graphSummary(m_snapshot);
        return std::move(m_model);
    }

private:
    // -- facts of the schedule ------------------------------------------------------------------------------

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

    /// Colours each group of ops like its op with the largest number.
    void colourByNumbers(const OpValues& values)
    {
        auto [fills, legend] = colourOps(values, m_problem.opCount());
        m_opFill = std::move(fills);
        m_model.legend = std::move(legend);
        for (std::size_t s = 0; s < m_fill.size(); ++s)
            if (const auto& ops = m_snapshot.schedule.subgraphs[s]->ops; !ops.empty())
                if (const OpId op = leadingOp(values, ops); op.index() < m_opFill.size())
                    m_fill[s] = m_opFill[op.index()];
    }

    void findErrors()
    {
        m_error.resize(m_snapshot.schedule.size());
        for (const Issue& issue : m_snapshot.evaluation.issues)
            if (issue.subgraph && issue.subgraph->index() < m_error.size() &&
                m_error[issue.subgraph->index()].isEmpty())
                m_error[issue.subgraph->index()] = problemText(issue.code);
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
        m_model.hasBaseline = true;
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
            case GraphKey::Kind::Section:
                fillSection(node, m_geometry.sections.at(v));
                break;
            case GraphKey::Kind::Input:
            case GraphKey::Kind::Output:
                const TensorId t(node.key.id);
                node.title = withoutPrefix(m_problem.tensorName(t), m_geometry.namePrefix);
                node.detail = times({m_problem.tensor(t).width, m_problem.tensor(t).height});
                break;
            }
            m_model.hasChange[static_cast<std::size_t>(node.change)] = true;
            m_model.nodes.push_back(std::move(node));
        }
    }

    void fillOp(GraphNode& node, OpId op)
    {
        const Op& o = m_problem.op(op);
        const Tensor& out = m_problem.tensor(o.output);
        node.type = o.type;
        node.title = nameOf(op);
        node.detail = o.type == OpType::MatMul ? times({out.width, out.height, m_problem.reductionSize(op)})
                                               : times({out.width, out.height});
        node.extra = tr("base %1").arg(shortNumber(static_cast<double>(o.baseCost)));
        node.change = changeOf(m_options.changes, {&op, 1});
        if (m_options.values) {
            const auto& values = m_options.values->values;
            const auto value = op.index() < values.size() ? values[op.index()] : std::nullopt;
            node.extra = value ? m_options.values->text(*value) : m_options.values->unknown;
        }
        const bool byChange = m_options.colouring == GraphColouring::Change;
        if (byChange && node.change != model::OperatorChange::Same)
            node.detail = changeText(node.change) + QStringLiteral(" · ") + node.detail;
        for (SubgraphId s : m_holders[op.index()]) {
            node.badges.push_back({s, !m_opFill.empty() ? m_opFill[op.index()]
                                      : byChange        ? changeFill(node.change)
                                      : m_options.colouring == GraphColouring::OpType ? opTypeFill(o.type)
                                                                                      : m_fill[s.index()]});
            node.error = node.error || !m_error[s.index()].isEmpty();
        }
        node.uncovered = node.badges.empty();
        node.moved = m_moved[op.index()];
        m_model.recomputes = m_model.recomputes || node.badges.size() > 1;
    }

    [[nodiscard]] QString nameOf(OpId op) const
    {
        return withoutPrefix(m_problem.opName(op), m_geometry.namePrefix);
    }

    void fillCard(GraphNode& node, SubgraphId s) const
    {
        const Subgraph& subgraph = m_snapshot.schedule[s];
        // The common prefix of the names is not drawn.
        std::vector<std::string> names;
        for (OpId op : subgraph.ops)
            names.push_back(m_problem.opName(op));
        const std::string shared = commonNamePrefix(names);
        const QString count = tr("%1 ops").arg(number(subgraph.ops.size()));
        const QString group =
            withoutPrefix(shared.substr(0, shared.empty() ? 0 : shared.size() - 1), m_geometry.namePrefix);
        node.title = names.size() == 1                               ? nameOf(subgraph.ops.front())
                     : shared.size() <= m_geometry.namePrefix.size() ? count
                                                                     : tr("%1 · %2").arg(group, count);
        if (names.size() > 1)
            node.brief = group.isEmpty() ? count : group;
        const std::string& dropped =
            shared.size() > m_geometry.namePrefix.size() ? shared : m_geometry.namePrefix;
        QStringList parts;
        for (const std::string& name : names)
            parts << withoutPrefix(name, dropped);
        node.detail = names.size() == 1 ? tr("1 op") : parts.join(QStringLiteral(", "));
        if (const auto* e = evaluation(s)) {
            QStringList facts{granularityText(s), number(e->latency)};
            if (const QString mark = colourMark(*e, m_options.colouring); !mark.isEmpty())
                facts << mark;
            node.extra = facts.join(QStringLiteral(" · "));
        }
        node.badges.push_back({s, m_fill[s.index()]});
        node.error = !m_error[s.index()].isEmpty();
        node.moved = std::any_of(subgraph.ops.begin(), subgraph.ops.end(),
                                 [&](OpId op) { return m_moved[op.index()]; });
        node.change = changeOf(m_options.changes, subgraph.ops);
    }

    void fillSection(GraphNode& node, const GraphSection& section)
    {
        const SectionWords words = sectionWords(m_geometry, m_snapshot, section);
        node.title = words.title;
        node.brief = words.brief;
        node.detail = words.detail;
        node.fourth = words.alike;
        node.isStack = section.isStack();
        m_model.hasStacks = m_model.hasStacks || node.isStack;
        if (!m_opFill.empty())
            for (OpId op : words.barOps)
                node.shares.push_back({m_opFill[op.index()], 1});
        else if (m_options.colouring == GraphColouring::OpType)
            for (OpId op : words.barOps)
                node.shares.push_back({opTypeFill(m_problem.op(op).type), 1});
        else
            for (SubgraphId s : words.bar)
                node.shares.push_back(
                    {m_fill[s.index()], words.latency.isEmpty() ? 1 : evaluation(s)->latency});
        const auto broken = std::count_if(section.subgraphs.begin(), section.subgraphs.end(),
                                          [&](SubgraphId s) { return !m_error[s.index()].isEmpty(); });
        const auto alone = std::count_if(section.ops.begin(), section.ops.end(),
                                         [&](OpId op) { return m_holders[op.index()].empty(); });
        node.error = broken + alone > 0;
        node.extra = broken > 0  ? tr("%1 with problems").arg(broken)
                     : alone > 0 ? tr("%1 in no subgraph").arg(alone)
                                 : words.latency;
        node.moved =
            std::any_of(section.ops.begin(), section.ops.end(), [&](OpId op) { return m_moved[op.index()]; });
        node.change = changeOf(m_options.changes, section.ops);
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
        std::map<std::size_t, int> rings;    // number of rings around each op, so that rings do not coincide
        std::map<std::size_t, int> homeless; // number of subgraphs around each op that consist of a ring only
        for (std::size_t i = 0; i < m_snapshot.schedule.size(); ++i) {
            const SubgraphId s(i);
            GraphHull hull;
            hull.subgraph = s;
            hull.fill = m_options.colouring == GraphColouring::Subgraph ? m_fill[i] : GraphFill{};
            hull.error = m_error[i];
            hull.locked = m_snapshot.schedule[s].locked;
            bool first = true;
            const auto placeTab = [&](const QRectF& edge) {
                if (!first)
                    return;
                hull.tab = edge.topLeft();
                hull.tabRoom = edge.width();
                first = false;
            };
            if (i < m_geometry.layout.groups.size()) {
                const auto& outlines = m_geometry.layout.groups[i].outlines;
                hull.isBox = outlines.size() == 1 && isBox(outlines.front());
                for (const auto& outline : outlines) {
                    if (hull.path.isEmpty())
                        hull.path = roundedPolygon(outline, padding * 0.9);
                    else
                        hull.path.addPath(roundedPolygon(outline, padding * 0.9));
                    placeTab(upperEdge(outline));
                }
            }
            std::set<std::size_t> own, away;
            for (OpId op : m_snapshot.schedule[s].ops)
                if (const auto v = m_geometry.nodeOf(op)) {
                    const bool here = m_geometry.groupOf[*v] == static_cast<int>(i);
                    (here ? own : away).insert(*v);
                    const GraphKey::Kind kind = m_geometry.keys[*v].kind;
                    hull.collapsed = hull.collapsed || (here && kind == GraphKey::Kind::Card) ||
                                     kind == GraphKey::Kind::Section;
                }
            for (std::size_t v : away) {
                if (m_geometry.keys[v].kind != GraphKey::Kind::Op)
                    continue;
                const double grow = padding * (0.35 + 0.3 * rings[v]++);
                const QRectF ring = m_model.nodes[v].rect.adjusted(-grow, -grow, grow, grow);
                hull.satellites.addRoundedRect(ring, padding * 0.8, padding * 0.8);
                hull.satellites.addPath(band(v, own, padding));
                // The tab is on the lower edge, because the upper edge has the tab of the subgraph that
                // contains the op.
                const double aside = first ? 1.6 * m_geometry.metrics.line * homeless[v]++ : 0;
                placeTab({ring.left() + aside, ring.bottom(), std::max(0.0, ring.width() - aside), 0});
            }
            if (!hull.satellites.isEmpty()) {
                hull.satellites.setFillRule(Qt::WindingFill);
                hull.satelliteOutline = hull.satellites.simplified();
            }
            if (hull.isDrawn())
                addTabTexts(hull);
            hull.nodes.assign(own.begin(), own.end());
            hull.nodes.insert(hull.nodes.end(), away.begin(), away.end());
            hull.bounds = hull.path.controlPointRect() | hull.satellites.controlPointRect();
            m_model.hulls.push_back(std::move(hull));
        }
    }

    /// Adds the texts of a tab. Called only for areas that are drawn: a graph of cards has thousands of
    /// subgraphs without a tab.
    void addTabTexts(GraphHull& hull) const
    {
        hull.granularity = granularityText(hull.subgraph);
        const auto* e = evaluation(hull.subgraph);
        if (!e)
            return;
        hull.latency = number(e->latency);
        hull.mark = colourMark(*e, m_options.colouring);
        if (const auto before = m_before.find(sorted(m_snapshot.schedule[hull.subgraph].ops));
            before != m_before.end() && before->second != e->latency)
            hull.change = signedNumber(change(before->second, e->latency));
    }

    /// Returns the band that connects a recomputed op with the other ops of its subgraph: along its lines, or
    /// else straight to the nearest op.
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
        // Edges are sorted by net, because they come in no particular order.
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
            edge.bundle = key.bundle;
            edge.style = styleOf(key);
            edge.path = curve(route);
            // Enlarged, because a straight line has no area.
            edge.bounds = edge.path.controlPointRect().adjusted(-1, -1, 1, 1);
            if (route.size() >= 4) {
                edge.end = toPoint(route.back());
                // The last points of the route may coincide with its end.
                std::size_t before = route.size() - 1;
                do
                    edge.beforeEnd = toPoint(route[--before]);
                while (before > 0 && QLineF(edge.beforeEnd, edge.end).length() < 0.5);
                byNet.push_back(e);
            }
            addSlab(edge, e);
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

    void addSlab(GraphEdge& edge, std::size_t e)
    {
        const auto slab = m_geometry.slabs.find(e);
        if (slab == m_geometry.slabs.end())
            return;
        const auto rect = [](const LayoutRect& r) { return QRectF(r.x, r.y, r.width, r.height); };
        edge.slab = rect(slab->second.plain);
        edge.namedSlab = rect(slab->second.named);
        if (!edge.namedSlab.isEmpty())
            edge.slabText = slabText(m_geometry, slab->second.views, slab->second.brief);
        m_model.hasViews = true;
    }

    [[nodiscard]] EdgeStyle styleOf(const GraphEdgeKey& key) const
    {
        if (m_geometry.keys[key.to].kind == GraphKey::Kind::Output)
            return EdgeStyle::Spilled;
        EdgeStyle style = EdgeStyle::Interior; // the line style of the execution with the most traffic
        bool any = false;
        const auto look = [&](TensorId t) {
            for (SubgraphId s : readersOf(m_model, key, t)) {
                style = std::max(style, edgeStyle(m_snapshot, s, t));
                any = true;
            }
        };
        look(key.tensor);
        for (TensorId t : key.bundle)
            look(t);
        return any ? style : EdgeStyle::Spilled;
    }

    /// Paints the common part of a net's lines only once, in the style of the line with the most traffic.
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

    const Problem& m_problem;
    const Snapshot& m_snapshot;
    const Snapshot* m_baseline;
    const std::vector<std::size_t>& m_colours;
    GraphOptions m_options;
    const GraphGeometry& m_geometry;
    GraphModel m_model;
    std::vector<std::vector<SubgraphId>> m_holders; // subgraphs that run each op
    std::vector<GraphFill> m_fill;                  // fill of each subgraph
    std::vector<GraphFill> m_opFill; // fill of each op; empty unless ops are coloured by their numbers
    std::vector<QString> m_error;    // code of the first issue of each subgraph
    std::vector<bool> m_moved;       // for each op, true if it is grouped differently in the baseline
    std::map<std::vector<OpId>, double> m_before; // latency of each subgraph of the baseline, by its ops
};

} // namespace

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
