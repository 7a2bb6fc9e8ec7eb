// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/roofline_model.h"

#include "canvas/bound_mark.h"
#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright::ui {

namespace {

QString opNames(const Snapshot& snapshot, SubgraphId id)
{
    QStringList ops;
    for (const OpId o : snapshot.schedule[id].ops)
        ops << QString::fromStdString(snapshot.problem->opName(o));
    if (ops.size() > 6)
        ops = ops.mid(0, 5) << tr("%1 more").arg(ops.size() - 5);
    return ops.join(QStringLiteral(", "));
}

std::vector<RooflineDot> dotsOf(const Snapshot& snapshot, const ScheduleRoofline& roofline)
{
    std::vector<RooflineDot> out;
    for (const SubgraphPoint& p : roofline.points)
        out.push_back({p, opNames(snapshot, p.subgraph), p.intensity, p.throughput,
                       roofline.whole.latency > 0 ? p.latency / roofline.whole.latency : 0, false});
    std::stable_sort(out.begin(), out.end(), [](const RooflineDot& a, const RooflineDot& b) {
        return a.point.latency > b.point.latency;
    });
    return out;
}

bool usable(double v)
{
    return std::isfinite(v) && v > 0;
}

std::set<OpId> opSet(const Snapshot& snapshot, SubgraphId id)
{
    const auto& ops = snapshot.schedule[id].ops;
    return {ops.begin(), ops.end()};
}

} // namespace

RooflineModel buildRoofline(const Snapshot* snapshot, const Snapshot* baseline)
{
    RooflineModel m;
    if (!snapshot) {
        m.hint = tr("Open a problem to see how close each subgraph is to the limits of the hardware.");
        return m;
    }
    m.roofs = scheduleRoofline(*snapshot->problem, snapshot->schedule, snapshot->evaluation);
    if (m.roofs.points.empty()) {
        m.hint = tr("No subgraph can run; see the list of problems.");
        return m;
    }
    m.dots = dotsOf(*snapshot, m.roofs);
    if (baseline && baseline->problem == snapshot->problem) {
        m.hasBaseline = true;
        for (RooflineDot& ghost : dotsOf(
                 *baseline, scheduleRoofline(*baseline->problem, baseline->schedule, baseline->evaluation))) {
            const std::set<OpId> before = opSet(*baseline, ghost.point.subgraph);
            std::vector<std::size_t> targets;
            bool same = false;
            for (std::size_t i = 0; i < m.dots.size(); ++i) {
                const std::set<OpId> now = opSet(*snapshot, m.dots[i].point.subgraph);
                if (!std::includes(now.begin(), now.end(), before.begin(), before.end()) &&
                    !std::includes(before.begin(), before.end(), now.begin(), now.end()))
                    continue;
                targets.push_back(i);
                same = same || (before == now && m.dots[i].point.latency == ghost.point.latency &&
                                m.dots[i].point.traffic == ghost.point.traffic);
            }
            if (same)
                continue;
            for (const std::size_t i : targets)
                m.moves.emplace_back(m.ghosts.size(), i);
            m.ghosts.push_back(std::move(ghost));
        }
    }

    // Range of all coordinates, both roofs and their corner.
    m.xLow = m.roofs.ridge / 4;
    m.xHigh = m.roofs.ridge * 4;
    m.yLow = 0.5;
    for (const auto* list : {&m.dots, &m.ghosts})
        for (const RooflineDot& d : *list) {
            if (usable(d.x)) {
                m.xLow = std::min(m.xLow, d.x / 2);
                m.xHigh = std::max(m.xHigh, d.x * 2);
            }
            if (usable(d.y))
                m.yLow = std::min(m.yLow, d.y / 2);
        }
    m.yHigh = 2.2;
    for (auto* list : {&m.dots, &m.ghosts})
        for (RooflineDot& d : *list) {
            d.atEdge = !usable(d.x) || !usable(d.y);
            if (!usable(d.x))
                d.x = std::isinf(d.x) ? m.xHigh / 1.15 : m.xLow * 1.15;
            if (!usable(d.y))
                d.y = m.yLow * 1.15;
        }
    const SubgraphPoint& whole = m.roofs.whole;
    m.title = tr("%1 of the compute peak over the whole schedule, %2")
                  .arg(percent(whole.throughput), boundText(whole.bound));
    return m;
}

QString rooflineTooltip(const RooflineModel& model, const RooflineDot& dot, bool ghost)
{
    const SubgraphPoint& p = dot.point;
    QString text = (ghost ? tr("<b>Baseline, subgraph %1</b> %2") : tr("<b>Subgraph %1</b> %2"))
                       .arg(p.subgraph.index())
                       .arg(dot.ops.toHtmlEscaped());
    text += tr("<br>latency %1 (%2 of the total), %3")
                .arg(exactNumber(p.latency), percent(dot.share), boundText(p.bound));
    text += tr("<br>throughput %1 = work %2 / latency").arg(percent(p.throughput), exactNumber(p.work));
    if (p.traffic > 0)
        text += tr("<br>operational intensity %1 = work / %2 elements moved")
                    .arg(significantNumber(p.intensity, 5), number(p.traffic));
    else
        text += tr("<br>moves no data: its operational intensity is infinite");
    text += tr("<br>padding and recomputed work allow at most %1").arg(percent(p.paddingCeiling));
    text += tr("<br>bandwidth allows at most %1")
                .arg(percent(std::min(1.0, p.traffic > 0 ? model.roofs.bandwidth * p.intensity : 1.0)));
    return text;
}

QString rooflineAsText(const RooflineModel& model)
{
    QString out = QStringLiteral(
        "subgraph\tops\tintensity\tthroughput\tpadding_ceiling\twork\tlatency\ttraffic\tbound\n");
    std::vector<const RooflineDot*> byId;
    for (const RooflineDot& d : model.dots)
        byId.push_back(&d);
    std::sort(byId.begin(), byId.end(),
              [](const auto* a, const auto* b) { return a->point.subgraph < b->point.subgraph; });
    for (const RooflineDot* d : byId) {
        const SubgraphPoint& p = d->point;
        out += textRow(p.subgraph.index(), d->ops, p.intensity, p.throughput, p.paddingCeiling, p.work,
                       p.latency, p.traffic, boundName(p.bound));
    }
    return out;
}

} // namespace tilewright::ui
