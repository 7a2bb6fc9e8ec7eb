// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_tooltip.h"

#include "eval/mapped_reads.h"
#include "theme/text.h"
#include "workload/problem.h"
#include "workspace/texts.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

QString plain(const std::string& text)
{
    return QString::fromStdString(text).toHtmlEscaped();
}

/// A rich-text table of two columns below a heading.
class Table
{
public:
    explicit Table(const QString& heading) : m_html(QStringLiteral("<b>%1</b><table>").arg(heading)) {}
    void row(const QString& name, const QString& value)
    {
        m_html += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>").arg(name, value);
    }
    [[nodiscard]] QString html(const QString& after = {}) const
    {
        return m_html + QStringLiteral("</table>") + after;
    }

private:
    QString m_html;
};

QString shape(const Tensor& t)
{
    return QStringLiteral("%1 × %2").arg(number(t.width), number(t.height));
}

QString tensorText(const Problem& problem, TensorId t)
{
    return QStringLiteral("%1 (%2)").arg(plain(problem.tensorName(t)), shape(problem.tensor(t)));
}

QString viewKindText(ViewKind kind)
{
    switch (kind) {
    case ViewKind::Rearrangement:
        return tr("all elements, in another order");
    case ViewKind::Transposition:
        return tr("transposed");
    case ViewKind::Slice:
        return tr("a slice");
    case ViewKind::Patches:
        return tr("patches; some elements are read several times");
    case ViewKind::Concatenation:
        return tr("a concatenation");
    case ViewKind::Gather:
        return tr("gathered");
    case ViewKind::Mapped:
        return tr("through an index map");
    }
    return {};
}

/// Describes the elements of `base` that a tile of the first subgraph with `op` reads through an index map.
void addTileRead(Table& table, const Snapshot& snapshot, OpId op, TensorId base)
{
    const Problem& problem = *snapshot.problem;
    for (const TensorId view : problem.operands(op)) {
        if (!problem.map(view) || problem.stored(view) != base)
            continue;
        for (std::size_t i = 0; i < snapshot.schedule.size(); ++i) {
            const Subgraph& s = *snapshot.schedule.subgraphs[i];
            if (std::find(s.ops.begin(), s.ops.end(), op) == s.ops.end())
                continue;
            if (const auto read = largestMappedRead(problem, s, snapshot.residentBefore(SubgraphId(i)),
                                                    snapshot.evaluation.rules, op, view))
                table.row(tr("a tile reads"),
                          tr("up to %1 of it in subgraph %2, of which %3 is halo that other tiles read, too")
                              .arg(volumeText(problem, base, read->touched.volume))
                              .arg(i)
                              .arg(percent(static_cast<double>(read->halo) /
                                           static_cast<double>(read->touched.volume))));
            return;
        }
    }
}

QString boundWithSign(Bound bound)
{
    return boundSign(bound) + QLatin1Char(' ') + boundText(bound);
}

} // namespace

QString graphSummary(const Snapshot& snapshot)
{
    const Evaluation& e = snapshot.evaluation;
    return tr("Graph of %1 in %2, total latency %3, %4.")
        .arg(counted(static_cast<std::int64_t>(snapshot.problem->opCount()), tr("op"), tr("ops")),
             counted(static_cast<std::int64_t>(snapshot.schedule.size()), tr("subgraph"), tr("subgraphs")),
             number(e.total),
             e.valid() ? tr("valid") : counted(std::ssize(e.issues), tr("problem"), tr("problems")));
}

QString opTooltip(const Snapshot& snapshot, OpId op, const QString& type)
{
    const Problem& problem = *snapshot.problem;
    const Op& o = problem.op(op);
    Table table(QStringLiteral("%1 · op %2").arg(plain(problem.opName(op)), QString::number(op.value)));
    const QString kind = o.type == OpType::MatMul ? tr("MatMul") : tr("Pointwise");
    table.row(tr("type"), type.isEmpty() ? kind : tr("%1, as %2").arg(plain(type), kind));
    const char* const roles[] = {"LHS", "RHS"};
    for (std::size_t i = 0; i < o.inputs.size(); ++i)
        table.row(o.type == OpType::MatMul && i < 2 ? QLatin1String(roles[i]) : tr("input"),
                  tensorText(problem, o.inputs[i]));
    table.row(tr("output"), tensorText(problem, o.output));
    if (o.type == OpType::MatMul)
        table.row(tr("reduction"), number(problem.reductionSize(op)));
    table.row(tr("base cost"), number(o.baseCost));
    QStringList in;
    for (std::size_t s = 0; s < snapshot.schedule.size(); ++s)
        for (OpId member : snapshot.schedule.subgraphs[s]->ops)
            if (member == op)
                in << QString::number(s);
    table.row(in.size() == 1 ? tr("subgraph") : tr("subgraphs"),
              in.isEmpty() ? tr("none: the op is not executed") : in.join(QStringLiteral(", ")));
    return table.html(in.size() > 1 ? tr("<i>recomputed: executed %1 times</i>").arg(in.size()) : QString());
}

QString tensorTooltip(const Snapshot& snapshot, TensorId tensor, const GraphTraffic& traffic,
                      std::optional<OpId> consumer)
{
    const Problem& problem = *snapshot.problem;
    Table table(QStringLiteral("%1 · tensor %2")
                    .arg(plain(problem.tensorName(tensor)), QString::number(tensor.value)));
    table.row(tr("width × height"), shape(problem.tensor(tensor)));
    table.row(tr("elements"), number(problem.tensor(tensor).elements()));
    if (problem.isGraphInput(tensor))
        table.row(tr("kind"), tr("graph input"));
    if (problem.isGraphOutput(tensor))
        table.row(tr("kind"), tr("graph output"));
    if (const auto bases = problem.bases(tensor); !bases.empty()) {
        QStringList names;
        for (const TensorId base : bases.first(std::min<std::size_t>(bases.size(), 6)))
            names << plain(problem.tensorName(base));
        if (bases.size() > 6)
            names << tr("%1 more").arg(bases.size() - 6);
        const ViewReading reading = viewReading(problem, tensor);
        table.row(tr("kind"),
                  tr("view of %1: %2")
                      .arg(names.join(QStringLiteral(", ")),
                           problem.map(tensor) ? mapText(*problem.map(tensor)) : viewKindText(reading.kind)));
        table.row(tr("reads"), tr("%1 elements; the tensors under the view have %2")
                                   .arg(number(problem.volume(tensor)), number(reading.baseElements)));
    } else if (const auto views = problem.viewsOf(tensor); !views.empty()) {
        table.row(tr("read as"), counted(std::ssize(views), tr("view"), tr("views")));
    }
    // Maximum number of maps that are listed; a pool, for example, has one map per tap of its window.
    constexpr int kMaps = 3;
    int maps = 0;
    for (const TensorView& view : problem.data().views)
        if (view.map && view.bases.front() == tensor && ++maps <= kMaps)
            table.row(tr("read as"), tr("%1: %2; %3 elements")
                                         .arg(tensorText(problem, view.tensor), mapText(*view.map),
                                              number(problem.volume(view.tensor))));
    if (maps > kMaps)
        table.row(tr("read as"), tr("%1 more views").arg(number(std::int64_t{maps - kMaps})));
    if (consumer)
        addTileRead(table, snapshot, *consumer, tensor);
    int lines = 0;
    for (std::size_t i = 0; i < snapshot.schedule.size() && lines < 12; ++i) {
        const SubgraphId s(i);
        QStringList what;
        bool reads = false, makes = false;
        for (OpId op : snapshot.schedule[s].ops) {
            const Op& o = problem.op(op);
            makes = makes || o.output == tensor;
            for (TensorId input : o.inputs)
                reads = reads || input == tensor;
        }
        if (!reads && !makes)
            continue;
        if (makes && reads)
            what << tr("interior: produced and read here");
        else if (makes)
            what << tr("produced");
        else
            what << (edgeStyle(snapshot, s, tensor) == EdgeStyle::Retained ? tr("read from fast memory")
                                                                           : tr("read from slow memory"));
        for (TensorId kept : snapshot.schedule[s].retain)
            if (kept == tensor)
                what << tr("retained for the next");
        if (i < traffic.size() && traffic[i])
            for (const TensorTraffic& t : *traffic[i])
                if (t.tensor == tensor) {
                    if (t.load > 0)
                        what << tr("loads %1").arg(number(t.load));
                    if (t.store > 0)
                        what << tr("stores %1").arg(number(t.store));
                }
        table.row(tr("subgraph %1").arg(i), what.join(QStringLiteral(", ")));
        ++lines;
    }
    return table.html();
}

QString bundleTooltip(const Snapshot& snapshot, const std::vector<TensorId>& tensors)
{
    constexpr std::size_t kRows = 12;
    const Problem& problem = *snapshot.problem;
    Table table(tr("%1 tensors").arg(tensors.size()));
    for (std::size_t i = 0; i < std::min(kRows, tensors.size()); ++i)
        table.row(plain(problem.tensorName(tensors[i])), shape(problem.tensor(tensors[i])));
    return table.html(tensors.size() > kRows ? tr("… and %1 more").arg(tensors.size() - kRows) : QString());
}

QString sectionTooltip(const Snapshot& snapshot, const GraphSection& section)
{
    const Problem& problem = *snapshot.problem;
    Table table(
        tr("%1 ops in %2 subgraphs").arg(number(section.ops.size()), number(section.subgraphs.size())));
    table.row(tr("ops"), tr("%1 … %2").arg(plain(problem.opName(section.ops.front())),
                                           plain(problem.opName(section.ops.back()))));
    double latency = 0;
    std::int64_t load = 0, store = 0;
    for (SubgraphId s : section.subgraphs)
        if (s.index() < snapshot.evaluation.subgraphs.size()) {
            const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[s.index()];
            latency += e.latency;
            load += e.loadElements;
            store += e.storeElements;
        }
    table.row(tr("latency"), number(latency));
    table.row(tr("loads"), number(load));
    table.row(tr("stores"), number(store));
    return table.html(
        section.isStack()
            ? tr("<i>double-click opens the block of the op selected last, else the first block</i>")
            : tr("<i>double-click opens the card</i>"));
}

QString subgraphTooltip(const Snapshot& snapshot, SubgraphId subgraph)
{
    const Problem& problem = *snapshot.problem;
    const Subgraph& s = snapshot.schedule[subgraph];
    Table table(tr("Subgraph %1").arg(subgraph.value));
    QStringList names;
    for (std::size_t i = 0; i < s.ops.size() && i < 12; ++i)
        names << plain(problem.opName(s.ops[i]));
    if (s.ops.size() > 12)
        names << tr("… %1 in total").arg(s.ops.size());
    table.row(tr("ops"), names.join(QStringLiteral(", ")));
    table.row(tr("granularity"),
              QStringLiteral("%1 × %2 × %3")
                  .arg(number(s.granularity.w), number(s.granularity.h), number(s.granularity.k)));
    if (!s.retain.empty()) {
        QStringList kept;
        for (TensorId t : s.retain)
            kept << plain(problem.tensorName(t));
        table.row(tr("retains"), kept.join(QStringLiteral(", ")));
    }
    QString issues;
    for (const Issue& issue : snapshot.evaluation.issues)
        if (issue.subgraph == subgraph)
            issues += QStringLiteral("<br><b>⚠</b> ") + plain(issue.text);
    if (subgraph.index() < snapshot.evaluation.subgraphs.size()) {
        const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[subgraph.index()];
        if (e.structurallyValid) {
            table.row(tr("latency"), exactNumber(e.latency));
            table.row(tr("compute"), exactNumber(e.compute));
            table.row(tr("memory"),
                      QStringLiteral("%1 = (%2 + %3) ÷ %4")
                          .arg(exactNumber(e.memory), number(e.loadElements), number(e.storeElements),
                               number(problem.hardware().slowMemoryBandwidth)));
            table.row(tr("steps"), number(e.steps));
            table.row(tr("working set"),
                      QStringLiteral("%1 of %2")
                          .arg(number(e.peakWorkingSet), number(problem.hardware().fastMemoryCapacity)));
            table.row(tr("bound"), boundWithSign(e.bound));
        }
    }
    return table.html(issues);
}

namespace {

constexpr double kLineReach = 4;   // distance in pixels from a line within which its tooltip appears
constexpr double kShortest = 6;    // minimum length in pixels of a segment of a line that has a tooltip
constexpr double kOutlineStep = 3; // distance in pixels between the corners of an outline

/// Returns the keys of all subgraphs that run the node's ops, so that other pictures can select the node.
QStringList keysOfNode(const GraphModel& model, std::size_t node)
{
    const GraphNode& n = model.nodes[node];
    QStringList keys;
    switch (n.key.kind) {
    case GraphKey::Kind::Op:
        keys << keyOf(OpId(n.key.id));
        break;
    case GraphKey::Kind::Input:
    case GraphKey::Kind::Output:
        return {keyOf(TensorId(n.key.id))};
    case GraphKey::Kind::Section: {
        const auto section = model.geometry->sections.find(node);
        if (section == model.geometry->sections.end())
            break;
        // The key of the section comes first, so that it selects the whole node.
        keys << QStringLiteral("g%1").arg(node);
        for (const SubgraphId s : section->second.subgraphs)
            keys << keyOf(s);
        for (const OpId o : section->second.ops)
            keys << keyOf(o);
        return keys;
    }
    case GraphKey::Kind::Card:
        break;
    }
    for (const GraphBadge& badge : n.badges)
        keys << keyOf(badge.subgraph);
    if (const auto s = subgraphOf(model, node); s && !keys.contains(keyOf(*s)))
        keys << keyOf(*s);
    return keys;
}

QPolygonF outlineOf(const GraphHull& hull, const Viewport& viewport)
{
    QPolygonF out;
    for (const QPointF& p : hull.path.toFillPolygon()) {
        const QPointF at = viewport.toScreen(p);
        if (out.isEmpty() || QLineF(out.back(), at).length() >= kOutlineStep)
            out << at;
    }
    return out;
}

void addLine(const GraphModel& model, std::size_t e, const Viewport& viewport, const QString& tooltip,
             std::vector<PicturePart>& parts)
{
    const GraphEdge& edge = model.edges[e];
    QStringList keys{keyOf(edge.tensor)};
    for (const TensorId t : edge.bundle)
        if (t != edge.tensor)
            keys << keyOf(t);
    for (const QPolygonF& piece : edge.path.toSubpathPolygons())
        for (qsizetype i = 0; i + 1 < piece.size(); ++i) {
            const QPointF a = viewport.toScreen(piece[i]);
            const QPointF b = viewport.toScreen(piece[i + 1]);
            if (QLineF(a, b).length() < kShortest)
                continue;
            PicturePart part{
                QRectF(a, b).normalized().adjusted(-kLineReach, -kLineReach, kLineReach, kLineReach), keys,
                tooltip};
            // A vertical or horizontal line becomes a box, another line a band along the line.
            if (std::min(std::abs(a.x() - b.x()), std::abs(a.y() - b.y())) > kLineReach) {
                QLineF across(a, b);
                across = across.normalVector();
                across.setLength(kLineReach);
                const QPointF aside = across.p2() - across.p1();
                part.outline = QPolygonF{a + aside, b + aside, b - aside, a - aside};
            }
            parts.push_back(std::move(part));
        }
}

} // namespace

std::vector<PicturePart> graphParts(const GraphModel& model, const Viewport& viewport,
                                    const std::function<QString(const GraphHit&)>& tooltip)
{
    std::vector<PicturePart> parts;
    for (std::size_t v = 0; v < model.nodes.size(); ++v)
        if (!model.nodes[v].rect.isEmpty())
            parts.push_back(
                {viewport.toScreen(model.nodes[v].rect), keysOfNode(model, v), tooltip(hitOfNode(model, v))});
    std::vector<const GraphHull*> hulls;
    for (const GraphHull& hull : model.hulls)
        if (!hull.collapsed && !hull.bounds.isEmpty())
            hulls.push_back(&hull);
    const auto ofSubgraph = [&](const GraphHull& hull) {
        GraphHit hit;
        hit.subgraph = hull.subgraph;
        return tooltip(hit);
    };
    for (const GraphHull* hull : hulls)
        parts.push_back(
            {viewport.toScreen(tabRect(model, *hull)), {keyOf(hull->subgraph)}, ofSubgraph(*hull)});
    for (std::size_t e = 0; e < model.edges.size(); ++e) {
        GraphHit hit;
        hit.line = e;
        hit.tensor = model.edges[e].tensor;
        addLine(model, e, viewport, tooltip(hit), parts);
    }
    // Smaller areas come first, because the smallest area that contains a point is hit.
    std::stable_sort(hulls.begin(), hulls.end(), [](const GraphHull* a, const GraphHull* b) {
        return a->bounds.width() * a->bounds.height() < b->bounds.width() * b->bounds.height();
    });
    for (const GraphHull* hull : hulls) {
        PicturePart part{
            viewport.toScreen(hull->path.boundingRect()), {keyOf(hull->subgraph)}, ofSubgraph(*hull)};
        if (!hull->isBox)
            part.outline = outlineOf(*hull, viewport);
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace tilewright::ui
