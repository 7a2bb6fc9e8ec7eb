// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_text.h"

#include "theme/text.h"

#include <QPainter>

namespace tilewright::ui {

using npu::CoreState;

namespace {

QString cycles(npu::Cycle from, npu::Cycle to)
{
    return tr("cycles %1 – %2 (%3)").arg(number(from), number(to), number(to - from));
}

} // namespace

QString stateName(CoreState state)
{
    switch (state) {
    case CoreState::Tensor:
        return tr("Tensor");
    case CoreState::Vector:
        return tr("Vector");
    case CoreState::WaitSpm:
        return tr("Wait SPM");
    case CoreState::WaitNoc:
        return tr("Wait NoC");
    case CoreState::WaitDram:
        return tr("Wait DRAM");
    case CoreState::WaitDependency:
        return tr("Wait dependency");
    case CoreState::Idle:
        return tr("Idle");
    }
    return {};
}

QColor stateColour(CoreState state, const Theme& theme)
{
    // Work has saturated colours. Colours of waits are mixed with the canvas, so that work stands out. On a
    // dark canvas they are mixed less, because they would get too similar to it.
    const double share = theme.dark ? 0.8 : 0.55;
    switch (state) {
    case CoreState::Tensor:
        return theme.computeTime;
    case CoreState::Vector:
        return theme.category(7);
    case CoreState::WaitSpm:
        return Theme::mix(theme.canvas, theme.category(1), share);
    case CoreState::WaitNoc:
        return Theme::mix(theme.canvas, theme.category(2), share);
    case CoreState::WaitDram:
        return Theme::mix(theme.canvas, theme.loadTime, share);
    case CoreState::WaitDependency:
        return Theme::mix(theme.canvas, theme.category(5), share);
    case CoreState::Idle:
        return Theme::mix(theme.canvas, theme.muted, 0.14);
    }
    return theme.canvas;
}

Qt::BrushStyle statePattern(CoreState state)
{
    switch (state) {
    case CoreState::WaitSpm:
        return Qt::Dense6Pattern;
    case CoreState::WaitNoc:
        return Qt::FDiagPattern;
    case CoreState::WaitDram:
        return Qt::BDiagPattern;
    case CoreState::WaitDependency:
        return Qt::HorPattern;
    default:
        return Qt::NoBrush;
    }
}

void fillState(QPainter& painter, const QRectF& rect, CoreState state, const Theme& theme)
{
    const QColor fill = stateColour(state, theme);
    painter.fillRect(rect, fill);
    const Qt::BrushStyle pattern = statePattern(state);
    if (pattern != Qt::NoBrush)
        painter.fillRect(rect, QBrush(Theme::mix(fill, theme.text, 0.38), pattern));
}

QString tileText(const npu::NpuGraph& graph, std::uint32_t tile)
{
    const npu::TileDesc& t = graph.tiles[tile];
    const npu::NpuTensor& tensor = graph.tensors[t.tensor];
    QString text = QString::fromStdString(tensor.name) + QLatin1Char('[');
    for (std::size_t d = 0; d < static_cast<std::size_t>(tensor.rank); ++d)
        text += (d ? QStringLiteral(", ") : QString()) +
                QStringLiteral("%1:%2").arg(t.offset[d]).arg(t.offset[d] + t.shape[d]);
    return text + QLatin1Char(']');
}

QString nodeText(const npu::NpuGraph& graph, std::uint32_t node)
{
    return node < graph.nodes.size() ? QString::fromStdString(graph.describe(node)) : tr("a node");
}

NpuBlocker blockerOf(const NpuResult& r, std::size_t core, const npu::StateSpan& s)
{
    NpuBlocker out{s.node, s.blocker, s.tile};
    if (s.state != CoreState::WaitDependency)
        return out;
    const auto& choices = r.run->cores[core].choices;
    if (out.node == npu::kNone) {
        // With the dynamic scheduler a core waits for any node to become ready. The blocker is searched for
        // the node that the core takes after the wait.
        const auto next = std::partition_point(choices.begin(), choices.end(),
                                               [&](const npu::Choice& c) { return c.time < s.end; });
        if (next == choices.end())
            return out;
        out.node = next->node;
    }
    if (out.blocker == npu::kNone) {
        npu::Cycle latest = s.start;
        for (const std::uint32_t d : r.graph->deps.of(out.node)) {
            const npu::Cycle met = r.run->coreOf[d] == core ? r.run->doneAt[d] : r.run->availableAt[d];
            if (met > latest) {
                latest = met;
                out.blocker = d;
            }
        }
    }
    if (out.tile == npu::kNone && out.blocker != npu::kNone)
        for (const std::uint32_t o : r.graph->outputs(out.blocker))
            for (const std::uint32_t i : r.graph->inputs(out.node))
                if (out.tile == npu::kNone && npu::overlap(r.graph->tiles[o], r.graph->tiles[i]))
                    out.tile = o;
    return out;
}

namespace {

/// Text on the reason why the core waits, with tile and node.
QString reason(const NpuResult& r, std::size_t core, const npu::StateSpan& s)
{
    const npu::NpuGraph& g = *r.graph;
    const QString tile = s.tile == npu::kNone ? QString() : tileText(g, s.tile);
    QString node = s.node == npu::kNone ? QString() : nodeText(g, s.node);
    switch (s.state) {
    case CoreState::Tensor:
    case CoreState::Vector:
        return node;
    case CoreState::WaitSpm:
        return s.node == npu::kNone
                   ? tr("no room in SPM")
                   : tr("no room in SPM for the tiles of %1 (%2)").arg(node, bytesText(g.spmOf(s.node)));
    case CoreState::WaitNoc:
    case CoreState::WaitDram: {
        if (s.tile == npu::kNone)
            return node;
        const auto outputs = s.node == npu::kNone ? std::span<const std::uint32_t>() : g.outputs(s.node);
        const bool isStore = std::find(outputs.begin(), outputs.end(), s.tile) != outputs.end();
        return (isStore ? tr("storing tile %1 of %2 (%3)") : tr("loading tile %1 for %2 (%3)"))
            .arg(tile, node, bytesText(g.tiles[s.tile].alignedBytes));
    }
    case CoreState::WaitDependency: {
        const NpuBlocker b = blockerOf(r, core, s);
        if (b.node == npu::kNone)
            return tr("no more nodes are ready for this core");
        const QString next = nodeText(g, b.node);
        if (b.blocker == npu::kNone)
            return tr("%1, the next node here, is not ready").arg(next);
        const std::size_t other = r.run->coreOf[b.blocker];
        const QString where = other == core ? tr("on this core") : tr("on core %1").arg(other);
        const QString blocker = nodeText(g, b.blocker);
        if (b.tile != npu::kNone)
            return tr("%1 needs tile %2, which %3 %4 has not stored")
                .arg(next, tileText(g, b.tile), blocker, where);
        return tr("%1 waits for %2 %3").arg(next, blocker, where);
    }
    case CoreState::Idle:
        return tr("no more work");
    }
    return {};
}

} // namespace

QString spanText(const NpuResult& r, std::size_t core, const npu::StateSpan& s)
{
    return tr("core %1 · %2 · %3 · %4")
        .arg(QString::number(core), stateName(s.state), reason(r, core, s), cycles(s.start, s.end));
}

QString spanTooltip(const NpuResult& r, std::size_t core, const npu::StateSpan& s)
{
    QString text = QStringLiteral("<b>%1</b> · %2<br>%3<br>%4")
                       .arg(stateName(s.state), tr("core %1").arg(core), reason(r, core, s).toHtmlEscaped(),
                            cycles(s.start, s.end));
    if (const NpuBlocker b = blockerOf(r, core, s);
        s.state == CoreState::WaitDependency && b.blocker != npu::kNone)
        text += QStringLiteral("<br>") +
                tr("blocker computed until %1, stored until %2")
                    .arg(number(r.run->doneAt[b.blocker]), number(r.run->storedAt[b.blocker]));
    return text;
}

namespace {

/// Text that lists ascending numbers: "0 – 3" or "0, 2, 5".
QString listText(const std::vector<int>& numbers)
{
    if (numbers.size() > 2 && numbers.back() - numbers.front() == static_cast<int>(numbers.size()) - 1)
        return QStringLiteral("%1 – %2").arg(number(numbers.front()), number(numbers.back()));
    QStringList out;
    for (const int n : numbers)
        out << number(n);
    return out.join(QStringLiteral(", "));
}

QString nodeFacts(const NpuResult& r, std::uint32_t node, bool withPlaces)
{
    const npu::NpuGraph& g = *r.graph;
    const npu::TileNode& n = g.nodes[node];
    QString text = QStringLiteral("<b>%1</b>").arg(nodeText(g, node).toHtmlEscaped());
    const auto line = [&text](const QString& s) { text += QStringLiteral("<br>") + s; };
    if (n.m > 0)
        line(tr("m × n × k = %1 × %2 × %3%4")
                 .arg(number(n.m), number(n.n), number(n.k),
                      n.repeats > 1 ? tr(", %1 times").arg(number(n.repeats)) : QString()));
    line(
        tr("%1 · at most %2 moved")
            .arg(counted(n.computeCycles, tr("compute cycle"), tr("compute cycles")), bytesText(n.memBytes)));
    line(tr("core %1: chosen %2, started %3, done %4, stored %5")
             .arg(QString::number(r.run->coreOf[node]), number(r.chosenAt[node]), number(r.startAt[node]),
                  number(r.run->doneAt[node]), number(r.run->storedAt[node])));
    line(tr("at least %1 to the end%2")
             .arg(counted(r.cp[node], tr("cycle"), tr("cycles")),
                  r.isCritical[node] ? tr(", on the critical path") : QString()));
    if (!r.run->scores.empty()) {
        const npu::Weights& w = r.run->options.weights;
        const npu::ChoiceScore& s = r.run->scores[n.unit];
        line(tr("%1 %2 of %3: %4 × %5 path + %6 × %7 intensity − %8 × %9 DRAM stall")
                 .arg(g.isFirstOfUnit(node) ? tr("score") : tr("score of its chain"), number(s.of(w)),
                      counted(s.candidates, tr("candidate"), tr("candidates")), number(w.criticalPath),
                      number(s.criticalPath), number(w.intensity), number(s.intensity), number(w.dramStall),
                      number(s.dramStall)));
    }
    const auto nodes = [](std::size_t n) {
        return counted(static_cast<std::int64_t>(n), tr("node"), tr("nodes"));
    };
    line(tr("after %1, before %2").arg(nodes(g.deps.of(node).size()), nodes(g.successors.of(node).size())));
    const auto tile = [&](const QString& format, std::uint32_t t) {
        line(format.arg(tileText(g, t).toHtmlEscaped(), bytesText(g.tiles[t].alignedBytes)));
        if (withPlaces)
            line(QStringLiteral("&nbsp;&nbsp;") + tileFacts(r, t));
    };
    int shown = 0;
    for (const std::uint32_t t : g.inputs(node)) {
        if (++shown > 6)
            break;
        tile(tr("in %1 · %2"), t);
    }
    for (const std::uint32_t t : g.outputs(node))
        if (++shown <= 9)
            tile(tr("out %1 · %2"), t);
    return text;
}

} // namespace

QString nodeTooltip(const NpuResult& r, std::uint32_t node)
{
    return nodeFacts(r, node, false);
}

QString nodeCard(const NpuResult& r, std::uint32_t node)
{
    return nodeFacts(r, node, true);
}

QString tileFacts(const NpuResult& r, std::uint32_t tile)
{
    const npu::TileDesc& t = r.graph->tiles[tile];
    const npu::TileBursts bursts = npu::burstsOf(r.settings.hardware.dram, r.graph->tensors[t.tensor], t);
    return tr("tile %1 at address %2, spans %3, %4 in SPM; %5 in %6 %7, %8 %9")
        .arg(number(tile), number(t.dramBase), counted(t.dramSize, tr("byte"), tr("bytes")),
             counted(t.spmRequired, tr("byte"), tr("bytes")),
             counted(bursts.bursts, tr("burst"), tr("bursts")),
             bursts.channels.size() == 1 ? tr("channel") : tr("channels"), listText(bursts.channels),
             bursts.banks.size() == 1 ? tr("bank") : tr("banks"), listText(bursts.banks));
}

NodeState nodeStateAt(const NpuResult& r, std::uint32_t node, npu::Cycle time)
{
    if (r.run->doneAt[node] <= time)
        return NodeState::Done;
    if (r.startAt[node] <= time && r.graph->nodes[node].computeCycles > 0)
        return NodeState::Running;
    if (r.chosenAt[node] <= time)
        return NodeState::Loading;
    for (const std::uint32_t d : r.graph->deps.of(node))
        if (r.run->availableAt[d] > time)
            return NodeState::Blocked;
    return NodeState::Ready;
}

QString nodeStateName(NodeState state)
{
    switch (state) {
    case NodeState::Blocked:
        return tr("Blocked");
    case NodeState::Ready:
        return tr("Ready");
    case NodeState::Loading:
        return tr("Loading");
    case NodeState::Running:
        return tr("Running");
    case NodeState::Done:
        return tr("Done");
    }
    return {};
}

bool isGemm(const npu::NpuGraph& graph, std::uint32_t node)
{
    const npu::TileNode& n = graph.nodes[node];
    return n.engine() == npu::Engine::Tensor && n.m > 0 && n.n > 0 && n.k > 0;
}

void openInSystolic(Workspace& workspace, const npu::NpuGraph& graph, std::uint32_t node)
{
    if (!isGemm(graph, node))
        return;
    const npu::TileNode& n = graph.nodes[node];
    workspace.openGemm({n.m, n.n, n.k}, nodeText(graph, node));
}

} // namespace tilewright::ui
