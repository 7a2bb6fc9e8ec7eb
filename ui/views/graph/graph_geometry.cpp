// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_geometry.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/graph/graph_hit.h"
#include "workspace/texts.h"

namespace tilewright::ui {

namespace {

/// Builds the nodes and edges of the picture from problem, schedule and shape.
class Builder
{
public:
    Builder(const ProblemPtr& problem, const Schedule& schedule, const GraphShape& shape,
            const GraphMetrics& metrics, const GraphGeometry* previous)
        : m_problem(*problem), m_schedule(schedule), m_shape(shape), m_metrics(metrics)
    {
        m_out.problem = problem;
        m_out.shape = shape;
        m_out.metrics = metrics;
        m_out.nodeOfOp.resize(m_problem.opCount());
        if (drawsBlocks(shape, m_problem))
            m_out.repetitions =
                previous && previous->problem == problem && previous->repetitions
                    ? previous->repetitions
                    : std::make_shared<const std::vector<Repetition>>(findRepetitions(m_problem));
    }

    GraphGeometry build()
    {
        for (const SubgraphPtr& subgraph : m_schedule.subgraphs)
            m_out.members.push_back(subgraph->ops);
        if (m_shape.hops > 0 && !m_shape.focus.empty())
            m_visible = neighbourhood(m_problem, m_shape.focus, m_shape.hops);
        findPrefix();
        findHolders();
        chooseCards();
        if (m_out.repetitions)
            m_passage = passageOf(m_problem, *m_out.repetitions);
        addOps();
        addTensors();
        return std::move(m_out);
    }
    LayoutGraph graph;

private:
    /// Ways to draw a subgraph.
    enum class Drawn : std::uint8_t { Open, Card, Section };

    std::size_t addNode(GraphKey key, double width, double height, int group)
    {
        const std::size_t node = m_out.keys.size();
        m_out.keys.push_back(key);
        m_out.groupOf.push_back(group);
        m_out.index.emplace(key, node);
        graph.nodes.push_back({width, height, group});
        return node;
    }
    void addEdge(std::size_t from, std::size_t to, TensorId tensor, std::optional<OpId> consumer)
    {
        if (from == to)
            return;
        m_out.edges.push_back({from, to, tensor, consumer, {}});
        graph.edges.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
                               static_cast<std::int32_t>(tensor.value)});
    }
    [[nodiscard]] bool isVisible(OpId op) const { return !m_visible || m_visible->count(op) > 0; }
    [[nodiscard]] std::size_t lettersOf(const std::string& name) const
    {
        return static_cast<std::size_t>(withoutPrefix(name, m_out.namePrefix).size());
    }

    void findPrefix()
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < m_problem.opCount(); ++i)
            if (isVisible(OpId(i)))
                names.push_back(m_problem.opName(OpId(i)));
        m_out.namePrefix = commonNamePrefix(names);
    }

    void findHolders()
    {
        m_holders.resize(m_problem.opCount());
        for (std::size_t s = 0; s < m_schedule.size(); ++s)
            for (OpId op : m_schedule.subgraphs[s]->ops)
                if (op.index() < m_problem.opCount())
                    m_holders[op.index()].push_back(s);
    }

    /// Returns the section of a subgraph, which is the section of its first op.
    [[nodiscard]] std::uint32_t homeOf(std::size_t subgraph) const
    {
        const auto& ops = m_schedule.subgraphs[subgraph]->ops;
        return ops.empty() ? kNoSection : sectionOf(ops.front());
    }
    [[nodiscard]] std::uint32_t sectionOf(OpId op) const { return m_out.sectionOf(op).value_or(kNoSection); }
    [[nodiscard]] bool isClosed(std::uint32_t section) const
    {
        return section != kNoSection && m_openSection[section] == 0;
    }

    /// Divides the ops into sections, the repeating blocks first, and determines which sections are open.
    void cutSections()
    {
        BlockSections blocks;
        if (m_out.repetitions && !m_visible)
            blocks = blockSections(m_problem, *m_out.repetitions);
        m_out.sectionOfOp = blocks.ofOp;
        const auto findOpened = [&](std::size_t count) {
            m_openSection.assign(count, 0);
            for (OpId op : m_shape.opened)
                if (const std::uint32_t section = sectionOf(op); section != kNoSection)
                    m_openSection[section] = 1;
        };
        findOpened(blocks.blocks.size());
        // The ops outside of the cards of blocks are drawn like any other graph.
        std::size_t shown = 0, alone = 0, subgraphs = 0;
        for (std::size_t i = 0; i < m_problem.opCount(); ++i)
            if (isVisible(OpId(i)) && !isClosed(sectionOf(OpId(i)))) {
                ++shown;
                alone += m_holders[i].empty() ? 1 : 0;
            }
        for (std::size_t s = 0; s < m_schedule.size(); ++s)
            subgraphs += isClosed(homeOf(s)) ? 0 : 1;
        m_out.condensed = m_shape.cards && shown > kCardsAbove;
        if (m_out.condensed && subgraphs + alone > kSectionsAbove) {
            m_out.sectionOfOp = sectionsOf(m_problem, blocks);
            findOpened(*std::max_element(m_out.sectionOfOp.begin(), m_out.sectionOfOp.end()) + 1);
        }
        stackBlocks(std::move(blocks.blocks));
    }

    /// Merges consecutive closed blocks into one card.
    void stackBlocks(std::vector<GraphBlocks> blocks)
    {
        std::set<std::size_t> spread;
        for (OpId op : m_shape.spread)
            if (const std::uint32_t section = sectionOf(op); section < blocks.size())
                spread.insert(blocks[section].repetition);
        m_stackOf.resize(m_openSection.size());
        for (std::uint32_t i = 0; i < m_stackOf.size(); ++i) {
            m_stackOf[i] = i;
            if (i == 0 || i >= blocks.size() || !isClosed(i) || !isClosed(i - 1) ||
                blocks[i].repetition != blocks[i - 1].repetition || spread.contains(blocks[i].repetition))
                continue;
            m_stackOf[i] = m_stackOf[i - 1];
            ++blocks[m_stackOf[i]].count;
        }
        m_blocks = std::move(blocks);
    }

    void chooseCards()
    {
        cutSections();
        std::vector<std::size_t> residents(m_openSection.size());
        for (std::size_t s = 0; s < m_schedule.size(); ++s)
            if (homeOf(s) != kNoSection)
                ++residents[homeOf(s)];
        for (std::size_t i = 0; i < m_problem.opCount(); ++i)
            if (m_holders[i].empty() && sectionOf(OpId(i)) != kNoSection)
                // Weight 2, so that this is never the card of a single subgraph.
                residents[sectionOf(OpId(i))] += 2;
        m_drawn.assign(m_schedule.size(), m_out.condensed ? Drawn::Card : Drawn::Open);
        for (std::size_t s = 0; s < m_schedule.size(); ++s)
            if (const std::uint32_t home = homeOf(s); home != kNoSection)
                m_drawn[s] = !isClosed(home)                                   ? Drawn::Open
                             : residents[home] == 1 && home >= m_blocks.size() ? Drawn::Card
                                                                               : Drawn::Section;
        const auto anyOf = [&](std::size_t s, const std::set<OpId>& ops) {
            const auto& in = m_schedule.subgraphs[s]->ops;
            return std::any_of(in.begin(), in.end(), [&](OpId op) { return ops.count(op) > 0; });
        };
        for (std::size_t s = 0; s < m_schedule.size(); ++s) {
            if (m_drawn[s] == Drawn::Card && !m_shape.opened.empty() && anyOf(s, m_shape.opened))
                m_drawn[s] = Drawn::Open;
            if (m_drawn[s] == Drawn::Open && !m_shape.collapsed.empty() && anyOf(s, m_shape.collapsed))
                m_drawn[s] = Drawn::Card;
        }
    }

    void addOps()
    {
        std::vector<std::optional<std::size_t>> card(m_schedule.size()), section(m_openSection.size());
        for (OpId op : m_problem.topologicalOrder()) {
            if (!isVisible(op)) {
                ++m_out.hiddenOps;
                continue;
            }
            // A recomputed op is placed in the first of its subgraphs that is drawn open.
            const auto& in = m_holders[op.index()];
            const auto open =
                std::find_if(in.begin(), in.end(), [&](std::size_t s) { return m_drawn[s] == Drawn::Open; });
            const bool loose = in.empty() && !isClosed(sectionOf(op));
            if (open != in.end() || loose) {
                m_out.nodeOfOp[op.index()] = addNode(
                    {GraphKey::Kind::Op, op.value}, m_metrics.nodeWidth(lettersOf(m_problem.opName(op))),
                    m_metrics.nodeHeight(), in.empty() ? -1 : static_cast<int>(*open));
                continue;
            }
            const bool shared = in.empty() || m_drawn[in.front()] == Drawn::Section;
            const std::uint32_t home = !shared      ? 0
                                       : in.empty() ? m_stackOf[sectionOf(op)]
                                                    : m_stackOf[homeOf(in.front())];
            auto& node = shared ? section[home] : card[in.front()];
            if (!node && shared) {
                const bool isStack = home < m_blocks.size() && m_blocks[home].count > 1;
                node = addNode({GraphKey::Kind::Section, op.value},
                               isStack ? m_metrics.stackWidth() : m_metrics.cardWidth(),
                               isStack ? m_metrics.stackHeight() : m_metrics.sectionHeight(), -1);
                if (home < m_blocks.size())
                    m_out.sections[*node].blocks = m_blocks[home];
            } else if (!node) {
                node = addNode({GraphKey::Kind::Card, op.value}, m_metrics.cardWidth(),
                               m_metrics.cardHeight(), static_cast<int>(in.front()));
            }
            if (shared)
                m_out.sections[*node].ops.push_back(op);
            m_out.opsInCards += m_out.condensed || shared ? 1 : 0;
            m_out.nodeOfOp[op.index()] = node;
        }
        for (std::size_t s = 0; s < m_schedule.size(); ++s)
            if (m_drawn[s] == Drawn::Section)
                if (const auto node = section[m_stackOf[homeOf(s)]])
                    m_out.sections[*node].subgraphs.emplace_back(s);
    }

    [[nodiscard]] bool isOp(std::size_t node) const { return m_out.keys[node].kind == GraphKey::Kind::Op; }
    /// True for cards of a condensed graph. Such a card has no graph inputs and outputs, and at most one line
    /// to each other card.
    [[nodiscard]] bool isDense(std::size_t node) const
    {
        return m_out.condensed ? !isOp(node) : m_out.keys[node].kind == GraphKey::Kind::Section;
    }

    void addTensors()
    {
        for (std::size_t i = 0; i < m_problem.tensorCount(); ++i) {
            const TensorId tensor(i);
            // Returns the ops that produce a tensor; for a view, the ops that compute its bases. They precede
            // the view, and its readers follow it (R1.7).
            const std::vector<OpId> sources = m_problem.sources(tensor);
            for (const OpId source : sources)
                if (const auto from = m_out.nodeOfOp[source.index()])
                    addEdgesFrom(*from, tensor, false);
            if (sources.empty() && !m_problem.isView(tensor))
                addInput(tensor);
        }
    }

    /// Adds the edges of an input tensor and of its views. Between cards of a condensed graph, graph inputs
    /// and outputs are left out.
    void addInput(TensorId tensor)
    {
        std::optional<std::size_t> node;
        const auto readAs = [&](TensorId read) {
            const auto consumers = m_problem.consumers(read);
            if (std::none_of(consumers.begin(), consumers.end(),
                             [&](OpId consumer) { return takesInput(consumer, read); }))
                return;
            if (!node)
                node = addNode({GraphKey::Kind::Input, tensor.value},
                               m_metrics.tensorWidth(lettersOf(m_problem.tensorName(tensor))),
                               m_metrics.tensorHeight(), -1);
            addEdgesFrom(*node, read, true);
        };
        readAs(tensor);
        for (const TensorId view : m_problem.viewsOf(tensor))
            readAs(view);
    }

    [[nodiscard]] bool takesInput(OpId consumer, TensorId tensor) const
    {
        const auto to = m_out.nodeOfOp[consumer.index()];
        return to && (!isDense(*to) || m_passage.enters.contains({tensor, consumer}));
    }

    void addEdgesFrom(std::size_t from, TensorId tensor, bool isInput)
    {
        std::set<std::size_t> cards; // one edge per card, even if several of its ops read the tensor
        for (OpId consumer : m_problem.consumers(tensor)) {
            const auto to = m_out.nodeOfOp[consumer.index()];
            if (!to || *to == from || (isInput && !takesInput(consumer, tensor)))
                continue;
            const bool isCard = !isOp(*to);
            if (isCard && !cards.insert(*to).second)
                continue;
            if (isCard && !isOp(from) && (isDense(from) || isDense(*to)) && bundled(from, *to, tensor))
                continue;
            addEdge(from, *to, tensor, isCard ? std::nullopt : std::optional(consumer));
        }
        if (m_problem.isGraphOutput(tensor) && (!isDense(from) || m_passage.leaves.contains(tensor)))
            addEdge(from,
                    addNode({GraphKey::Kind::Output, tensor.value},
                            m_metrics.tensorWidth(lettersOf(m_problem.tensorName(tensor))),
                            m_metrics.tensorHeight(), -1),
                    tensor, std::nullopt);
    }

    /// Adds the tensor to an existing line between two cards. Returns false if there is none.
    bool bundled(std::size_t from, std::size_t to, TensorId tensor)
    {
        const auto [line, isNew] = m_lines.emplace(std::pair(from, to), m_out.edges.size());
        if (isNew)
            return false;
        GraphEdgeKey& edge = m_out.edges[line->second];
        if (edge.bundle.empty())
            edge.bundle.push_back(edge.tensor);
        edge.bundle.push_back(tensor);
        graph.edges[line->second].net = -1;
        return true;
    }

    const Problem& m_problem;
    const Schedule& m_schedule;
    const GraphShape& m_shape;
    const GraphMetrics& m_metrics;
    std::optional<std::set<OpId>> m_visible;
    std::vector<std::vector<std::size_t>> m_holders; // subgraphs that run each op
    std::vector<Drawn> m_drawn;                      // way to draw each subgraph
    std::vector<char> m_openSection;      // per section, true if it is open; empty without sections
    std::vector<GraphBlocks> m_blocks;    // the blocks of each section that is a card of blocks
    BlockPassage m_passage;               // tensors that pass through repeating blocks
    std::vector<std::uint32_t> m_stackOf; // for each section, the section whose card it is part of
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> m_lines; // edge between each pair of cards
    GraphGeometry m_out;
};

using EdgeName = std::tuple<GraphKey, GraphKey, std::uint32_t>;

EdgeName nameOf(const GraphGeometry& geometry, std::size_t edge)
{
    const GraphEdgeKey& e = geometry.edges[edge];
    return {geometry.keys[e.from], geometry.keys[e.to], e.tensor.value};
}

/// Keeps nodes near their old positions, provided that most nodes have one. Otherwise an opened card would be
/// laid out around its few inputs.
void keepPlaces(LayoutGraph& graph, const GraphGeometry& next, const GraphGeometry& previous)
{
    const auto isOld = [&](const GraphKey& key) { return previous.index.contains(key); };
    if (2 * std::count_if(next.keys.begin(), next.keys.end(), isOld) < std::ssize(next.keys))
        return;
    for (std::size_t v = 0; v < next.keys.size(); ++v)
        if (const auto old = previous.index.find(next.keys[v]); old != previous.index.end())
            graph.nodes[v].previous = previous.layout.anchors[old->second];
    std::map<EdgeName, std::size_t> lines;
    for (std::size_t e = 0; e < previous.edges.size(); ++e)
        lines.emplace(nameOf(previous, e), e);
    for (std::size_t e = 0; e < next.edges.size(); ++e)
        if (const auto old = lines.find(nameOf(next, e)); old != lines.end())
            graph.edges[e].previous = previous.layout.edgeAnchors[old->second];
}

/// True if so many ops have changed their subgraph (solver result, another file) that old positions do not
/// help. Then the graph is laid out without them.
bool isAnotherSchedule(const GraphGeometry& previous, const GraphGeometry& next)
{
    const std::set<std::vector<OpId>> before(previous.members.begin(), previous.members.end());
    std::size_t moved = 0, all = 0;
    for (const std::vector<OpId>& ops : next.members) {
        all += ops.size();
        moved += before.count(ops) > 0 ? 0 : ops.size();
    }
    return moved > 12 && 3 * moved > all;
}

LayoutRect layoutRect(const QRectF& r)
{
    return {r.x(), r.y(), r.width(), r.height()};
}

/// Returns the views through which the reader at the end of a line reads: the line's own tensor if it is a
/// view, or the views that map it (R1.8).
std::vector<TensorId> viewsOn(const Problem& problem, const GraphEdgeKey& edge)
{
    if (problem.isView(edge.tensor))
        return {edge.tensor};
    std::vector<TensorId> out;
    if (edge.consumer && problem.hasMaps())
        for (const TensorId operand : problem.operands(*edge.consumer))
            if (problem.map(operand) && problem.stored(operand) == edge.tensor &&
                std::find(out.begin(), out.end(), operand) == out.end())
                out.push_back(operand);
    return out;
}

} // namespace

void placeSlabs(GraphGeometry& geometry)
{
    const Problem& problem = *geometry.problem;
    if (problem.data().views.empty())
        return;
    LabelPlacer places;
    for (const LayoutRect& r : geometry.layout.nodes)
        places.take(QRectF(r.x, r.y, r.width, r.height).adjusted(-2, -2, 2, 2));
    const GraphMetrics& m = geometry.metrics;
    std::set<TensorId> named;
    for (std::size_t e = 0; e < geometry.edges.size(); ++e) {
        const GraphEdgeKey& edge = geometry.edges[e];
        const LayoutRoute& route = geometry.layout.edges[e];
        if (!edge.bundle.empty() || route.size() < 4)
            continue;
        GraphSlab slab;
        slab.views = viewsOn(problem, edge);
        if (slab.views.empty())
            continue;
        for (const bool brief : {false, true}) { // R1.8: a map has a label that is shorter than the name
            if (named.contains(slab.views.front()) || (brief && !problem.map(slab.views.front())))
                break;
            const double letters = 0.85 * static_cast<double>(slabText(geometry, slab.views, brief).size());
            if (const auto place =
                    places.place(route, {(letters + 1.5) * m.em, 1.15 * m.line}, {0.38, 0.28, 0.47})) {
                slab.named = layoutRect(*place);
                slab.brief = brief;
                named.insert(slab.views.front());
            }
        }
        const QSizeF small = QSizeF(1.6, 0.72) * m.line;
        const auto free =
            slab.named.width > 0 ? std::nullopt : places.place(route, small, {0.38, 0.28, 0.47, 0.2, 0.56});
        slab.plain = layoutRect(free ? *free : LabelPlacer::around(route, small, 0.38));
        if (slab.named.width > 0) {
            const LayoutPoint c = slab.named.center();
            slab.plain = {c.x - small.width() / 2, c.y - small.height() / 2, small.width(), small.height()};
        }
        geometry.slabs.insert_or_assign(e, slab);
    }
}

QString slabText(const GraphGeometry& geometry, const std::vector<TensorId>& views, bool brief)
{
    const IndexMap* map = geometry.problem->map(views.front());
    if (map && brief)
        return views.size() > 1 ? counted(std::ssize(views), tr("map"), tr("maps")) : mapLabel(*map);
    // The mark does not name the operator that reads the view, because the line shows it.
    const QString name = withoutPrefix(geometry.problem->tensorName(views.front()), geometry.namePrefix);
    const Tensor& t = geometry.problem->tensor(views.front());
    return QStringLiteral("%1  %2").arg(
        views.size() > 1 ? counted(std::ssize(views), tr("view"), tr("views"))
                         : name.section(QLatin1Char('/'), -1),
        map && views.size() == 1 ? mapLabel(*map) : sizeText({t.width, t.height}, QChar(0x00D7)));
}

std::optional<std::size_t> GraphGeometry::nodeOf(OpId op) const
{
    return op.index() < nodeOfOp.size() ? nodeOfOp[op.index()] : std::nullopt;
}

std::set<OpId> neighbourhood(const Problem& problem, const std::set<OpId>& focus, int hops)
{
    std::set<OpId> seen, edge;
    for (OpId op : focus)
        if (op.index() < problem.opCount())
            edge.insert(op);
    seen = edge;
    for (int hop = 0; hop < hops && !edge.empty(); ++hop) {
        std::set<OpId> next;
        for (OpId op : edge) {
            for (TensorId input : problem.op(op).inputs)
                for (const OpId source : problem.sources(input))
                    if (seen.insert(source).second)
                        next.insert(source);
            for (OpId consumer : problem.readers(problem.op(op).output))
                if (seen.insert(consumer).second)
                    next.insert(consumer);
        }
        edge = std::move(next);
    }
    return seen;
}

bool fits(const GraphGeometry& geometry, const ProblemPtr& problem, const Schedule& schedule,
          const GraphShape& shape, const GraphMetrics& metrics)
{
    if (geometry.provisional || geometry.problem != problem || geometry.shape != shape ||
        geometry.metrics != metrics || geometry.members.size() != schedule.size())
        return false;
    for (std::size_t s = 0; s < schedule.size(); ++s)
        if (geometry.members[s] != schedule.subgraphs[s]->ops)
            return false;
    return true;
}

std::optional<GraphGeometry> layOutGraph(const ProblemPtr& problem, const Schedule& schedule,
                                         const GraphShape& shape, const GraphMetrics& metrics,
                                         const GraphGeometry* previous, const Progress& progress)
{
    Builder builder(problem, schedule, shape, metrics, previous);
    GraphGeometry geometry = builder.build();
    LayoutOptions options;
    options.orientation =
        shape.leftToRight ? LayoutOptions::Orientation::LeftToRight : LayoutOptions::Orientation::TopToBottom;
    options.aspect = shape.columns ? shape.aspect : 0;
    options.groupPadding = metrics.padding();
    options.nodeGap = 1.5 * metrics.line;
    // A gap has room for an arrow, a label and the padding of two areas. Labels are wider than high.
    options.layerGap = shape.leftToRight ? 4.5 * metrics.line + 7 * metrics.em : 4.0 * metrics.line;
    const bool sameKind = previous && previous->problem == problem &&
                          previous->shape.leftToRight == shape.leftToRight && previous->metrics == metrics;
    if (sameKind && !isAnotherSchedule(*previous, geometry)) {
        keepPlaces(builder.graph, geometry, *previous);
        if (previous->shape == shape)
            options.columns = previous->layout.columns;
    }
    auto layout = layeredLayout(builder.graph, options, progress);
    if (!layout)
        return std::nullopt;
    geometry.layout = std::move(*layout);
    geometry.layout.groups.resize(schedule.size());
    placeSlabs(geometry);
    return geometry;
}

} // namespace tilewright::ui
