// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/roofline_view.h"

#include "canvas/bound_mark.h"
#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

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

    // Range of the axes: all dots, both roofs and their corner.
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

namespace {

constexpr double kLargestRadius = 20;
constexpr double kSmallestRadius = 4;
// Share of the roof above which a ceiling coincides with the roof and is not drawn.
constexpr double kNoCeiling = 0.995;

PlotShape shapeOf(Bound bound)
{
    return bound == Bound::Compute  ? PlotShape::TriangleUp
           : bound == Bound::Memory ? PlotShape::TriangleDown
                                    : PlotShape::Diamond;
}

/// Text of a share of the peak: "12 %"; empty above the peak.
QString percentOfPeak(double v)
{
    return v > 1.0001 ? QString() : significantNumber(v * 100) + QStringLiteral("\u00A0%");
}

PlotMark dotMark(const RooflineModel& model, const RooflineDot& dot, bool current, const Theme& theme)
{
    const QColor& fill = boundColour(dot.point.bound, theme);
    PlotMark m{dot.x, dot.y};
    m.shape = shapeOf(dot.point.bound);
    m.radius = dotRadius(model, dot);
    m.pen =
        current ? QPen(theme.accent, 3) : QPen(Theme::mix(fill, theme.dark ? Qt::white : Qt::black, 0.45), 1);
    m.brush = Theme::mix(theme.canvas, fill, 0.8);
    m.name = QString::number(dot.point.subgraph.index());
    m.ink = theme.inkOn(Theme::mix(theme.canvas, fill, 0.8));
    return m;
}

/// Returns the labels of the dots. Of several coinciding dots the largest one, which is painted first, has a
/// label for all: "2, 5" or "2, +8".
std::vector<QString> namesOf(const RooflineModel& model)
{
    constexpr double kSame = 0.02;    // dots whose distance is below this fraction of a decade coincide
    constexpr std::size_t kNamed = 3; // maximum number of names in the label of a dot
    std::map<std::tuple<std::int64_t, std::int64_t, Bound>, std::vector<std::size_t>>
        groups; // groups of coinciding dots
    for (std::size_t i = 0; i < model.dots.size(); ++i) {
        const RooflineDot& d = model.dots[i];
        groups[{std::llround(std::log10(d.x) / kSame), std::llround(std::log10(d.y) / kSame), d.point.bound}]
            .push_back(i);
    }
    std::vector<QString> names(model.dots.size());
    for (const auto& [place, group] : groups) {
        std::vector<std::size_t> subgraphs;
        for (const std::size_t i : group)
            subgraphs.push_back(model.dots[i].point.subgraph.index());
        std::ranges::sort(subgraphs);
        const std::size_t named = subgraphs.size() <= kNamed ? subgraphs.size() : 1;
        QStringList some;
        for (std::size_t i = 0; i < named; ++i)
            some << QString::number(subgraphs[i]);
        if (named < subgraphs.size())
            some << QStringLiteral("+%1").arg(subgraphs.size() - named);
        names[group.front()] = some.join(QStringLiteral(", "));
    }
    return names;
}

std::vector<ChartKey> keysOf(const RooflineModel& model, const Theme& theme)
{
    std::vector<ChartKey> keys;
    for (const Bound bound : {Bound::Compute, Bound::Memory, Bound::Balanced}) {
        PlotMark mark;
        mark.shape = shapeOf(bound);
        mark.radius = 8;
        mark.brush = boundColour(bound, theme);
        keys.push_back(markKey(boundText(bound), mark));
    }
    keys.push_back({tr("area: latency")});
    if (model.hasBaseline)
        keys.push_back({tr("hollow, dashed: baseline")});
    return keys;
}

} // namespace

double dotRadius(const RooflineModel& model, const RooflineDot& dot)
{
    double most = 0;
    for (const auto* list : {&model.dots, &model.ghosts})
        if (!list->empty()) // the largest dots first
            most = std::max(most, list->front().point.latency);
    return std::max(kSmallestRadius, kLargestRadius * std::sqrt(dot.point.latency / most));
}

PlotModel rooflinePlot(const RooflineModel& model, const RooflineMarks& marks, const Theme& theme)
{
    PlotModel p;
    p.title = model.title;
    p.keys = keysOf(model, theme);
    p.x = {tr("operational intensity: work per element moved"), Scale::Log, model.xLow, model.xHigh, 1};
    p.y = {tr("throughput as a share of the compute peak"),
           Scale::Log,
           model.yLow,
           model.yHigh,
           1,
           percentOfPeak,
           QStringLiteral("0.05 %")};

    // The roofs extend over the whole range to which one can scroll.
    const ScheduleRoofline& roofs = model.roofs;
    const double left = std::min(p.x.farLow(), roofs.ridge) / 10;
    const double right = std::max(p.x.farHigh(), roofs.ridge) * 10;
    const QPointF corner(roofs.ridge, 1);
    const QPointF low(left, roofs.bandwidth * left);
    p.lines.push_back({{}, {low, corner, {right, 1}}, QPen(theme.text, 2)});
    const double ceiling = roofs.whole.paddingCeiling;
    const bool padded = ceiling > 0 && ceiling < kNoCeiling;
    const double under = ceiling / roofs.bandwidth;
    if (padded)
        p.lines.push_back({{}, {{under, ceiling}, {right, ceiling}}, QPen(theme.warning, 1.5, Qt::DashLine)});
    p.labels.push_back({{tr("compute roof")}, corner, {right, 1}, theme.text});
    if (padded)
        p.labels.push_back({{tr("padding ceiling %1").arg(percent(ceiling))},
                            {under, ceiling},
                            {right, ceiling},
                            theme.warning,
                            true});
    p.labels.push_back(
        {{tr("memory roof, %1 elements per unit of time").arg(number(roofs.bandwidth)), tr("memory roof")},
         low,
         corner,
         theme.text});

    for (const RooflineDot& d : model.dots)
        if (const double own = d.point.paddingCeiling;
            marks.current == d.point.subgraph && own > 0 && own < kNoCeiling) {
            // A line leads from the dot up to the ceiling that padding sets for its subgraph.
            p.lines.push_back(
                {{}, {{d.x, d.y}, {d.x, std::max(d.y, own)}}, QPen(theme.accent, 1.2, Qt::DotLine)});
            p.lines.push_back({{}, {{d.x / 1.25, own}, {d.x * 1.25, own}}, QPen(theme.accent, 2)});
        }

    const QColor faint = Theme::mix(theme.canvas, theme.text, 0.7);
    for (std::size_t i = 0; i < model.ghosts.size(); ++i) {
        PlotMark m = dotMark(model, model.ghosts[i], false, theme);
        m.id = static_cast<int>(model.dots.size() + i);
        m.pen = QPen(faint, 1.3, Qt::DashLine);
        m.brush = Qt::NoBrush;
        m.name.clear();
        p.marks.push_back(std::move(m));
    }
    for (const auto& [ghost, dot] : model.moves) {
        const RooflineDot& from = model.ghosts[ghost];
        const RooflineDot& to = model.dots[dot];
        p.arrows.push_back({{from.x, from.y}, {to.x, to.y}, dotRadius(model, to) + 2, faint});
    }
    const std::vector<QString> names = namesOf(model);
    for (std::size_t i = 0; i < model.dots.size(); ++i) {
        const RooflineDot& d = model.dots[i];
        const bool current = marks.current == d.point.subgraph || marks.selected.count(d.point.subgraph) > 0;
        p.marks.push_back(dotMark(model, d, current, theme));
        p.marks.back().id = static_cast<int>(i);
        p.marks.back().name = names[i];
    }
    return p;
}

RooflineView::RooflineView(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("roofline"), tr("Roofline"), parent)
{
    document().whenChanged(this, Part::Problem | Part::Snapshot | Part::Baseline, &RooflineView::outdate);
    document().whenChanged(this, Part::Problem | Part::Machine, &RooflineView::fitAll);
    connect(&selection(), &Selection::changed, this, &RooflineView::outdatePlots);
    connect(&selection(), &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
    addKeys("previous", tr("Previous subgraph"), {QKeySequence(Qt::Key_Comma)},
            tr("Select the subgraph executed before the selected one."), [this] { move(-1); });
    addKeys("next", tr("Next subgraph"), {QKeySequence(Qt::Key_Period)},
            tr("Select the subgraph executed after the selected one."), [this] { move(1); });
    rebuild();
}

void RooflineView::rebuild()
{
    const SnapshotPtr baseline = document().baseline();
    m_model = buildRoofline(document().snapshot().get(), baseline.get());
    setAccessibleDescription(m_model.hint.isEmpty() ? m_model.title : m_model.hint);
    outdatePlots();
}

std::vector<PlotModel> RooflineView::buildPlots(const Theme& theme) const
{
    return {rooflinePlot(m_model, {selection().state().subgraph, selection().state().subgraphs}, theme)};
}

const RooflineDot* RooflineView::dotOf(std::optional<SubgraphId> id) const
{
    const auto it = std::find_if(m_model.dots.begin(), m_model.dots.end(),
                                 [id](const RooflineDot& d) { return d.point.subgraph == id; });
    return it == m_model.dots.end() ? nullptr : &*it;
}

const RooflineDot* RooflineView::dotOf(const PlotMark* mark) const
{
    const auto i = static_cast<std::size_t>(mark ? mark->id : -1);
    return i < m_model.dots.size() ? &m_model.dots[i] : nullptr;
}

QRectF RooflineView::chosenPart() const
{
    const RooflineDot* d = dotOf(selection().state().subgraph);
    const double around = std::log10(4.0);
    return d ? QRectF(std::log10(d->x) - around, std::log10(d->y) - around, 2 * around, 2 * around)
             : QRectF();
}

QPointF RooflineView::dotCentre(SubgraphId id) const
{
    const RooflineDot* d = dotOf(id);
    return d ? frame().toPixel(d->x, d->y) : QPointF();
}

QPointF RooflineView::focusPoint() const
{
    return dotOf(selection().state().subgraph) ? dotCentre(*selection().state().subgraph)
                                               : PlotCanvas::focusPoint();
}

QString RooflineView::markTooltip(const PlotMark& mark) const
{
    if (const RooflineDot* d = dotOf(&mark))
        return rooflineTooltip(m_model, *d, false);
    return rooflineTooltip(m_model, m_model.ghosts[static_cast<std::size_t>(mark.id) - m_model.dots.size()],
                           true);
}

QStringList RooflineView::keysOf(const PlotMark& mark) const
{
    const RooflineDot* d = dotOf(&mark);
    return d ? QStringList{keyOf(d->point.subgraph)} : QStringList();
}

std::optional<int> RooflineView::hoveredMark() const
{
    const RooflineDot* d = dotOf(selection().hover().subgraph);
    return d && selection().hover().subgraph ? std::optional(static_cast<int>(d - m_model.dots.data()))
                                             : std::nullopt;
}

void RooflineView::markHovered(QPointF, const PlotMark* mark)
{
    HoverState hover;
    if (const RooflineDot* d = dotOf(mark))
        hover.subgraph = d->point.subgraph;
    selection().setHover(hover);
}

void RooflineView::markClicked(QPointF, const PlotMark* mark, Qt::KeyboardModifiers modifiers)
{
    const RooflineDot* d = dotOf(mark);
    if (!d)
        return;
    if (modifiers & Qt::ControlModifier) {
        SelectionState next = selection().state();
        if (next.subgraphs.erase(d->point.subgraph) == 0)
            next.subgraphs.insert(d->point.subgraph);
        selection().set(next);
    } else {
        selection().selectSubgraph(d->point.subgraph);
    }
}

void RooflineView::move(int by)
{
    const auto& points = m_model.roofs.points; // keys move in execution order
    if (points.empty())
        return;
    std::size_t at = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (points[i].subgraph == selection().state().subgraph)
            at = static_cast<std::size_t>(
                std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(i) + by, 0, std::ssize(points) - 1));
    selection().selectSubgraph(points[at].subgraph);
}

} // namespace tilewright::ui
