// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_cursor.h"

#include "edit/edits.h"
#include "views/graph/graph_bars.h"
#include "workspace/selection.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tilewright::ui {

GraphSearch::GraphSearch(const QString& text) : m_text(text)
{
    static const QRegularExpression numbered(QStringLiteral("^(op|tensor|t|subgraph|s)(\\s*#?)(\\d{1,9})$"),
                                             QRegularExpression::CaseInsensitiveOption);
    const auto match = numbered.match(text);
    if (!match.hasMatch())
        return;
    const QString kind = match.captured(1).toLower();
    m_kind = kind == QLatin1String("op")         ? Kind::Op
             : kind.startsWith(QLatin1Char('t')) ? Kind::Tensor
                                                 : Kind::Subgraph;
    m_names = match.captured(2).isEmpty();
    m_number = match.captured(3).toUInt();
}

bool GraphSearch::isPartOf(const std::string& name) const
{
    return m_names && QString::fromStdString(name).contains(m_text, Qt::CaseInsensitive);
}

bool GraphSearch::findsOp(const Problem& problem, OpId op) const
{
    return (m_kind == Kind::Op && op.value == m_number) ||
           (m_kind == Kind::Tensor && problem.op(op).output.value == m_number) ||
           isPartOf(problem.opName(op));
}

bool GraphSearch::findsTensor(const Problem& problem, TensorId tensor) const
{
    return (m_kind == Kind::Tensor && tensor.value == m_number) || isPartOf(problem.tensorName(tensor));
}

bool GraphSearch::findsNode(const GraphModel& model, std::size_t node) const
{
    const Problem& problem = *model.geometry->problem;
    const GraphKey& key = model.nodes[node].key;
    const auto anyOf = [&](const std::vector<OpId>& ops) {
        return std::any_of(ops.begin(), ops.end(), [&](OpId op) { return findsOp(problem, op); });
    };
    if (m_kind == Kind::Subgraph && m_number < model.hulls.size()) {
        const auto& in = model.hulls[m_number].nodes;
        if (std::find(in.begin(), in.end(), node) != in.end())
            return true;
    }
    switch (key.kind) {
    case GraphKey::Kind::Op:
        return findsOp(problem, OpId(key.id));
    case GraphKey::Kind::Card:
        return anyOf(model.geometry->members[model.nodes[node].badges.front().subgraph.index()]);
    case GraphKey::Kind::Section:
        return anyOf(model.geometry->sections.at(node).ops);
    case GraphKey::Kind::Input:
    case GraphKey::Kind::Output:
        break;
    }
    return findsTensor(problem, TensorId(key.id));
}

bool GraphSearch::endsWithParts(const GraphModel& model, std::size_t node) const
{
    const GraphKey& key = model.nodes[node].key;
    if (key.kind != GraphKey::Kind::Op)
        return false;
    const QString name = QString::fromStdString(model.geometry->problem->opName(OpId(key.id)));
    return name.endsWith(m_text, Qt::CaseInsensitive) &&
           (name.size() == m_text.size() || !name[name.size() - m_text.size() - 1].isLetterOrNumber());
}

std::vector<std::size_t> GraphSearch::nodes(const GraphModel& model) const
{
    std::vector<std::size_t> found;
    for (std::size_t v = 0; v < model.nodes.size(); ++v)
        if (findsNode(model, v))
            found.push_back(v);
    std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
        const QPointF pa = model.nodes[a].rect.center(), pb = model.nodes[b].rect.center();
        return pa.y() != pb.y() ? pa.y() < pb.y() : pa.x() < pb.x();
    });
    // Exact names come first: "down" before "down.weight", although the latter is above it in the picture.
    std::stable_partition(found.begin(), found.end(), [&](std::size_t v) { return endsWithParts(model, v); });
    return found;
}

GraphCursor::GraphCursor(const ViewContext& context, GraphLayouter& layouter, GraphNavigator& navigator,
                         GraphBars& bars, QWidget& view)
    : m_context(context), m_layouter(layouter), m_navigator(navigator), m_bars(bars), m_view(view)
{
    connect(&context.selection, &Selection::changed, this, &GraphCursor::selectionChanged);
    connect(&layouter, &GraphLayouter::modelChanged, this, &GraphCursor::showFound);
}

void GraphCursor::startAnew()
{
    m_cursor.reset();
    m_lastOp.reset();
    m_found.clear();
}

void GraphCursor::changeSelection(SelectionState state)
{
    withoutScrolling([&] { m_context.selection.set(std::move(state)); });
}

void GraphCursor::select(const GraphHit& hit, Qt::KeyboardModifiers modifiers)
{
    const bool extend = modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
    if (hit.node)
        m_cursor = m_layouter.model()->nodes[*hit.node].key;
    SelectionState s = m_context.selection.state();
    const std::optional<SubgraphId> area = m_layouter.isPreview() ? std::nullopt : hit.subgraph;
    const auto choose = [&](std::optional<SubgraphId> subgraph) {
        if (s.subgraph != subgraph)
            s.step = 0;
        s.subgraph = subgraph;
        s.subgraphs.clear();
        if (subgraph)
            s.subgraphs.insert(*subgraph);
    };
    if (hit.op) {
        s.tensor.reset();
        if (extend) {
            std::set<OpId> ops = s.ops;
            if (!ops.insert(*hit.op).second)
                ops.erase(*hit.op);
            changeSelection(withOps(m_context.document.schedule(), s, std::move(ops)));
            return;
        }
        s.ops = {*hit.op};
        // The current subgraph stays current if it runs the op, even if other subgraphs also run it.
        const auto homes = subgraphsWith(m_context.document.schedule(), *hit.op);
        const bool inCurrent =
            s.subgraph && std::find(homes.begin(), homes.end(), *s.subgraph) != homes.end();
        if (!inCurrent)
            choose(area ? area : homes.empty() ? std::nullopt : std::optional(homes.front()));
        else
            choose(s.subgraph);
    } else if (hit.isSection) {
        const std::vector<OpId>& ops = m_layouter.geometry()->sections.at(*hit.node).ops;
        const bool takeOut =
            extend && std::all_of(ops.begin(), ops.end(), [&](OpId op) { return s.ops.count(op) > 0; });
        std::set<OpId> chosen = extend ? s.ops : std::set<OpId>{};
        for (OpId op : ops)
            takeOut ? void(chosen.erase(op)) : void(chosen.insert(op));
        s = withOps(m_context.document.schedule(), s, std::move(chosen));
    } else if (hit.tensor) {
        s.tensor = hit.tensor;
        if (!extend)
            s.ops.clear();
    } else if (area) {
        s.tensor.reset();
        s.ops.clear();
        if (extend) {
            if (!s.subgraphs.insert(*area).second)
                s.subgraphs.erase(*area);
            s.subgraph = s.subgraphs.empty() ? std::nullopt : area;
            s.step = 0;
        } else {
            choose(area);
        }
    } else if (!extend) {
        m_cursor.reset(); // without a selection no outline of the cursor is shown
        s.ops.clear();
        s.tensor.reset();
        choose(std::nullopt);
    }
    changeSelection(std::move(s));
}

void GraphCursor::selectionChanged()
{
    const SelectionState& s = m_context.selection.state();
    if (s.ops.size() == 1)
        m_lastOp = *s.ops.begin();
    if (s.ops.size() == 1 && m_layouter.geometry())
        if (const auto v = m_layouter.geometry()->nodeOf(*s.ops.begin()))
            m_cursor = m_layouter.geometry()->keys[*v];
    if (!m_ownSelection && m_layouter.model())
        m_navigator.ensureVisible(m_navigator.sceneOfSelection());
    m_view.update();
}

QPointF GraphCursor::focusPoint() const
{
    QRectF scene = m_navigator.sceneOfSelection();
    if (m_cursor && m_layouter.model())
        if (const auto node = m_layouter.geometry()->index.find(*m_cursor);
            node != m_layouter.geometry()->index.end())
            scene = m_layouter.model()->nodes[node->second].rect;
    const QPointF at = m_navigator.viewport().toScreen(scene.center());
    return !scene.isEmpty() && m_bars.content().contains(at) ? at : m_bars.content().center();
}

// -- the keyboard ---------------------------------------------------------------------------------------

std::optional<std::size_t> GraphCursor::node() const
{
    if (!m_layouter.model() || !m_cursor)
        return std::nullopt;
    if (const auto known = m_layouter.geometry()->index.find(*m_cursor);
        known != m_layouter.geometry()->index.end())
        return known->second;
    return m_cursor->isTensor() ? std::nullopt : m_layouter.geometry()->nodeOf(OpId(m_cursor->id));
}

/// Moves to the nearest node in the direction of the arrow key. Nodes that are connected by a line are
/// preferred.
bool GraphCursor::step(QPoint way, Qt::KeyboardModifiers modifiers)
{
    const SelectionState& s = m_context.selection.state();
    const auto from = node();
    if (!from || (s.ops.empty() && s.subgraphs.empty() && !s.tensor))
        return false;
    std::set<std::size_t> linked;
    for (const GraphEdge& edge : m_layouter.model()->edges) {
        if (edge.from == *from)
            linked.insert(edge.to);
        if (edge.to == *from)
            linked.insert(edge.from);
    }
    const QPointF here = m_layouter.model()->nodes[*from].rect.center();
    std::optional<std::size_t> best;
    double bestCost = 0;
    for (std::size_t v = 0; v < m_layouter.model()->nodes.size(); ++v) {
        // Weights beside the graph are skipped, unless a line connects them.
        if (v == *from || (m_layouter.model()->nodes[v].key.isTensor() && linked.count(v) == 0))
            continue;
        const QPointF d = m_layouter.model()->nodes[v].rect.center() - here;
        const double along = QPointF::dotProduct(d, way);
        const double across = std::abs(way.x() != 0 ? d.y() : d.x());
        if (along < 8)
            continue;
        const double cost = (along + 2.2 * across) * (linked.count(v) == 0                          ? 1
                                                      : m_layouter.model()->nodes[v].key.isTensor() ? 0.9
                                                                                                    : 0.45);
        if (!best || cost < bestCost) {
            best = v;
            bestCost = cost;
        }
    }
    if (best)
        moveTo(*best, modifiers & Qt::ShiftModifier);
    return true; // the key is handled: at the border the cursor stays and the graph does not scroll
}

void GraphCursor::moveTo(std::size_t node, bool extend)
{
    const GraphHit hit = hitOfNode(*m_layouter.model(), node);
    if (extend && hit.op && m_context.selection.state().ops.count(*hit.op) > 0) {
        m_cursor = m_layouter.model()->nodes[node].key;
        m_view.update();
    } else {
        select(hit, extend ? Qt::ShiftModifier : Qt::NoModifier);
    }
    m_navigator.ensureVisible(m_layouter.model()->nodes[node].rect);
}

/// Selects the op nearest to the centre of the visible area. For key steps without a current node.
void GraphCursor::startInTheMiddle()
{
    const QPointF middle = m_navigator.viewport().toScene(m_bars.content().center());
    std::optional<std::size_t> best;
    double nearest = 0;
    for (std::size_t v = 0; v < m_layouter.model()->nodes.size(); ++v) {
        const double d = QLineF(middle, m_layouter.model()->nodes[v].rect.center()).length();
        if (!m_layouter.model()->nodes[v].key.isTensor() && (!best || d < nearest)) {
            best = v;
            nearest = d;
        }
    }
    if (best)
        moveTo(*best, false);
}

/// Moves from an op, or from a selected tensor, to the producer or the first consumer.
void GraphCursor::followTensor(bool toConsumer)
{
    if (!m_layouter.model())
        return;
    const Problem& problem = *m_context.document.problem();
    const SelectionState& s = m_context.selection.state();
    std::optional<OpId> op;
    if (s.ops.size() == 1)
        op = *s.ops.begin();
    else if (const auto v = node(); v && !m_layouter.model()->nodes[*v].key.isTensor())
        op = OpId(m_layouter.model()->nodes[*v].key.id);
    const auto consumerOf = [&](TensorId t) {
        const auto readers = problem.readers(t);
        return readers.empty() ? std::nullopt : std::optional(readers.front());
    };
    const auto producerOf = [&](TensorId t) {
        const auto sources = problem.sources(t);
        return sources.empty() ? std::nullopt : std::optional(sources.front());
    };
    std::optional<OpId> to;
    if (s.tensor)
        to = toConsumer ? consumerOf(*s.tensor) : producerOf(*s.tensor);
    else if (op && toConsumer)
        to = consumerOf(problem.op(*op).output);
    else if (op)
        for (TensorId input : problem.op(*op).inputs)
            if (!to)
                to = producerOf(input);
    if (to)
        if (const auto v = m_layouter.geometry()->nodeOf(*to))
            moveTo(*v, false);
}

void GraphCursor::goToSubgraph(int by)
{
    const auto n = static_cast<std::int64_t>(m_context.document.schedule().size());
    if (n == 0)
        return;
    const auto current = m_context.selection.state().subgraph;
    const std::int64_t next =
        current ? std::clamp<std::int64_t>(static_cast<std::int64_t>(current->index()) + by, 0, n - 1)
                : (by > 0 ? 0 : n - 1);
    m_context.selection.selectSubgraph(SubgraphId(static_cast<std::size_t>(next)));
}

// -- search ---------------------------------------------------------------------------------------------

void GraphCursor::search(const QString& text)
{
    m_searchText = text.trimmed();
    m_currentFound = 0;
    m_openedFor.reset();
    showFound();
    if (!m_found.empty())
        m_navigator.ensureVisible(m_layouter.model()->nodes[m_found.front()].rect);
    m_view.update();
}

/// Updates the marks of the search after a change of text or model.
void GraphCursor::showFound()
{
    m_found = m_layouter.model() && !m_searchText.isEmpty()
                  ? GraphSearch(m_searchText).nodes(*m_layouter.model())
                  : std::vector<std::size_t>();
    if (m_currentFound >= m_found.size())
        m_currentFound = 0;
    if (m_openedFor)
        for (std::size_t i = 0; i < m_found.size(); ++i)
            if (m_layouter.model()->nodes[m_found[i]].key == *m_openedFor) {
                m_currentFound = i;
                m_openedFor.reset();
                break;
            }
    m_bars.toolbar().searchField()->setHits(
        m_currentFound, m_searchText.isEmpty() ? std::nullopt : std::optional(m_found.size()));
}

void GraphCursor::searchNext(int direction)
{
    if (m_found.empty())
        return;
    const auto n = static_cast<std::int64_t>(m_found.size());
    // The first Enter selects the first hit, later ones the next hits.
    const SelectionState& s = m_context.selection.state();
    const bool selected = m_cursor == m_layouter.model()->nodes[m_found[m_currentFound]].key &&
                          (!s.ops.empty() || s.tensor || !s.subgraphs.empty());
    if (selected || direction < 0)
        m_currentFound =
            static_cast<std::size_t>((static_cast<std::int64_t>(m_currentFound) + direction + n) % n);
    const std::size_t v = m_found[m_currentFound];
    const GraphNode& node = m_layouter.model()->nodes[v];
    if (node.key.kind == GraphKey::Kind::Section) {
        // If the card contains items that match, only these are selected.
        const GraphSearch search(m_searchText);
        const std::vector<OpId>& in = m_layouter.geometry()->sections.at(v).ops;
        std::set<OpId> ops;
        std::copy_if(in.begin(), in.end(), std::inserter(ops, ops.end()),
                     [&](OpId op) { return search.findsOp(*m_context.document.problem(), op); });
        if (m_layouter.geometry()->sections.at(v).blocks && !ops.empty()) {
            // The card of repeated blocks opens into the first block with a hit. Hits in later blocks are
            // found in the cards of the blocks that stay closed.
            const OpId hit = *std::find_if(in.begin(), in.end(), [&](OpId op) { return ops.count(op) > 0; });
            changeSelection(withOps(m_context.document.schedule(), s, {hit}));
            m_cursor = m_openedFor = GraphKey{GraphKey::Kind::Op, hit.value};
            Q_EMIT blockWanted(hit);
            return;
        }
        m_cursor = node.key;
        changeSelection(
            withOps(m_context.document.schedule(), s, ops.empty() ? std::set(in.begin(), in.end()) : ops));
    } else {
        select(hitOfNode(*m_layouter.model(), v), Qt::NoModifier);
    }
    if (m_navigator.viewport().scale < 0.55) // at a lower zoom names cannot be read, so zoom in
        m_navigator.setViewport({0.8, m_bars.content().center() - node.rect.center() * 0.8}, true);
    else
        m_navigator.ensureVisible(node.rect);
    m_bars.toolbar().searchField()->setHits(m_currentFound, m_found.size());
}

} // namespace tilewright::ui
