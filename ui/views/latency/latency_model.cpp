// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latency_model.h"

#include "canvas/bound_mark.h"
#include "eval/cost.h"
#include "report/baseline_shares.h"
#include "theme/name.h"
#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"

#include <QStringList>

#include <algorithm>

namespace tilewright::ui {

double LatencyBar::change() const
{
    return ghost ? ui::change(*ghost, latency) : 0;
}

LatencyModel buildLatency(const Snapshot* snapshot, const Snapshot* baseline,
                          const std::vector<std::size_t>& colours, const LatencyOptions& options)
{
    LatencyModel m;
    m.options = options;
    if (!snapshot) {
        m.hint = tr("Open a problem to see how long each subgraph takes.");
        return m;
    }
    if (snapshot->schedule.size() == 0) {
        m.hint = tr("The schedule has no subgraph yet. Drag ops in the graph to make one.");
        return m;
    }
    if (baseline && baseline->problem != snapshot->problem)
        baseline = nullptr;
    m.total = snapshot->evaluation.total;
    const MemoryCosts memory(snapshot->problem->hardware());
    const QString prefix = commonPrefix(*snapshot->problem);
    for (std::size_t i = 0; i < snapshot->schedule.size(); ++i) {
        const SubgraphEvaluation& e = snapshot->evaluation.subgraphs[i];
        LatencyBar bar;
        bar.id = SubgraphId(i);
        QStringList ops;
        for (const OpId o : snapshot->schedule.subgraphs[i]->ops)
            if (o.index() < snapshot->problem->opCount())
                ops << QString::fromStdString(snapshot->problem->opName(o));
        if (ops.size() > 6)
            ops = ops.mid(0, 5) << tr("%1 more").arg(ops.size() - 5);
        bar.ops = ops.join(QStringLiteral(", "));
        bar.names = shortOpNames(*snapshot->problem, snapshot->schedule.subgraphs[i]->ops, prefix);
        bar.category = i < colours.size() ? colours[i] : i;
        bar.runs = e.structurallyValid;
        if (bar.runs) {
            bar.fits = e.fits;
            bar.latency = e.latency;
            bar.compute = e.compute;
            bar.load = memory.time(e.loadElements, 0);
            bar.store = memory.time(0, e.storeElements);
            bar.bound = e.bound;
            bar.share = m.total > 0 ? e.latency / m.total : 0;
        }
        m.bars.push_back(std::move(bar));
    }
    if (baseline) {
        m.hasBaseline = true;
        std::vector<BaselineShare> shares = baselineShares(*snapshot, *baseline);
        for (LatencyBar& bar : m.bars) {
            BaselineShare& share = shares[bar.id.index()];
            bar.before = share.latency;
            bar.ghost = share.share;
            bar.beforeIds = std::move(share.subgraphs);
        }
    }
    for (const LatencyBar& bar : m.bars)
        m.high = std::max({m.high, bar.latency, bar.ghost.value_or(0)});
    if (options.sort == LatencySort::Latency)
        std::stable_sort(m.bars.begin(), m.bars.end(),
                         [](const LatencyBar& a, const LatencyBar& b) { return a.latency > b.latency; });
    else if (options.sort == LatencySort::Change)
        std::stable_sort(m.bars.begin(), m.bars.end(), [](const LatencyBar& a, const LatencyBar& b) {
            return std::abs(a.change()) > std::abs(b.change());
        });
    m.title = tr("Total %1 in %2")
                  .arg(number(m.total), counted(std::ssize(m.bars), tr("subgraph"), tr("subgraphs")));
    if (baseline && baseline->evaluation.total > 0)
        m.title += tr(" · %1 (%2) against the baseline")
                       .arg(signedNumber(ui::change(baseline->evaluation.total, m.total)),
                            signedPercent(m.total / baseline->evaluation.total - 1));
    return m;
}

QString latencyName(const OpNames& names, const QFontMetricsF& metrics, double width)
{
    const QString place = names.where.isEmpty() ? QString() : names.where + QLatin1Char('.');
    if (QString all = place + names.names; metrics.horizontalAdvance(all) <= width)
        return all;
    const QString first = names.names.section(QLatin1Char(','), 0, 0);
    const QString more = first.size() < names.names.size() ? QStringLiteral(", …") : QString();
    const QString shown = fittingName(place + first, metrics, width - metrics.horizontalAdvance(more));
    return shown.isEmpty() ? fittingName(place + first, metrics, width) : shown + more;
}

QString latencyTooltip(const LatencyBar& bar)
{
    QString text = tr("<b>Subgraph %1</b> %2").arg(bar.id.index()).arg(bar.ops.toHtmlEscaped());
    if (!bar.runs)
        return text + tr("<br>cannot run; see the list of problems");
    text += tr("<br>latency %1 (%2 of the total), %3")
                .arg(exactNumber(bar.latency), percent(bar.share), boundText(bar.bound));
    text += tr("<br>compute %1<br>load %2 + store %3 = memory %4")
                .arg(exactNumber(bar.compute), exactNumber(bar.load), exactNumber(bar.store),
                     exactNumber(bar.load + bar.store));
    text += tr("<br>latency is the sum over the steps of max(compute, memory)");
    if (!bar.fits)
        text += tr("<br><b>does not fit into fast memory</b>");
    QStringList ids;
    for (const SubgraphId id : bar.beforeIds)
        ids << QString::number(id.index());
    if (bar.before)
        text += tr("<br>baseline %1 (subgraph %2): %3 (%4)")
                    .arg(exactNumber(*bar.before), ids.join(QStringLiteral(", ")),
                         signedNumber(ui::change(*bar.before, bar.latency)),
                         signedPercent(bar.latency / *bar.before - 1));
    else if (!ids.isEmpty())
        text += tr("<br>its ops were in subgraphs %1 of the baseline, together with others")
                    .arg(ids.join(QStringLiteral(", ")));
    if (!bar.before && bar.ghost)
        text += tr("<br>its share of their latency: %1 (%2)")
                    .arg(exactNumber(*bar.ghost), signedPercent(bar.change() / *bar.ghost));
    return text;
}

QString latencyAsText(const LatencyModel& model)
{
    QString out = QStringLiteral("subgraph\tops\tlatency\tcompute\tload\tstore\tbound\tbaseline\n");
    for (const LatencyBar& bar : model.bars) {
        const auto of = [&bar](double v) { return bar.runs ? std::optional(v) : std::nullopt; };
        out += textRow(bar.id.index(), bar.ops, of(bar.latency), of(bar.compute), of(bar.load), of(bar.store),
                       bar.runs ? word(boundName(bar.bound)) : QString(), bar.before);
    }
    return out;
}

} // namespace tilewright::ui
