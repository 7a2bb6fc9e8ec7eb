// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latency_model.h"

#include "eval/cost.h"
#include "report/compare.h"
#include "theme/text.h"
#include "theme/text_metrics.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

double LatencyBar::change() const
{
    return ghost ? ui::change(*ghost, latency) : 0;
}

LatencyModel buildLatency(const Snapshot* snapshot, const Snapshot* baseline,
                          const std::vector<std::size_t>& colours, const LatencyOptions& options,
                          const LiveRunPtr& run)
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
    const auto bandwidth = static_cast<double>(snapshot->problem->hardware().slowMemoryBandwidth);
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
            bar.load = e.loadElements / bandwidth;
            bar.store = e.storeElements / bandwidth;
            bar.bound = e.bound;
            bar.energy = e.energy;
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
    m.hasRun = run && run->run.subgraphs.size() == m.bars.size();
    for (std::size_t i = 0; m.hasRun && i < m.bars.size(); ++i)
        if (m.bars[i].runs)
            m.bars[i].run = differenceOf(run->run.subgraphs[i]);
    m.hasEnergy = snapshot->problem->hasEnergy();
    double most = 0;
    for (const LatencyBar& bar : m.bars)
        most = std::max(most, bar.energy);
    for (LatencyBar& bar : m.bars)
        bar.heat = most > 0 ? bar.energy / most : 0;
    for (const LatencyBar& bar : m.bars)
        m.high = std::max({m.high, bar.latency, bar.ghost.value_or(0), bar.run ? bar.run->length : 0});
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
    if (m.hasRun && m.total > 0)
        m.title +=
            tr(" · in the run %1 (%2)").arg(number(run->run.end), signedPercent(run->run.end / m.total - 1));
    return m;
}

QString runChange(const LatencyBar& bar)
{
    return bar.run->latency > 0 ? signedPercent(bar.run->change() / bar.run->latency)
                                : signedNumber(bar.run->change());
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
    if (bar.run) {
        text += tr("<br>in the run %1 (%2)").arg(exactNumber(bar.run->length), runChange(bar));
        if (const QString why = differenceText(*bar.run); !why.isEmpty())
            text += tr("<br>%1").arg(why);
    }
    if (bar.energy > 0)
        text += tr("<br>energy %1 pJ").arg(exactNumber(bar.energy));
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
    QString out = QStringLiteral("subgraph\tops\tlatency\tcompute\tload\tstore\tbound\tbaseline");
    out += model.hasRun ? QStringLiteral("\trun\tstart_up\tdrain\toverlap\n") : QStringLiteral("\n");
    for (const LatencyBar& bar : model.bars) {
        const auto of = [&bar](double v) { return bar.runs ? std::optional(v) : std::nullopt; };
        QStringList cells{cellText(bar.id.index()), bar.ops};
        for (const double v : {bar.latency, bar.compute, bar.load, bar.store})
            cells << cellText(of(v));
        cells << (bar.runs ? word(boundName(bar.bound)) : QString()) << cellText(bar.before);
        if (model.hasRun) {
            const RunDifference d = bar.run.value_or(RunDifference());
            for (const double v : {d.length, d.startUp, d.drain, d.overlap})
                cells << cellText(of(v));
        }
        out += textRow(cells);
    }
    return out;
}

} // namespace tilewright::ui
