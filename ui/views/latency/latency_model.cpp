// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latency_model.h"

#include "canvas/bound_mark.h"
#include "chart/plot_paint.h"
#include "eval/cost.h"
#include "report/compare.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>

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
    m.hasEnergy = snapshot->problem->hasEnergy();
    double most = 0;
    for (const LatencyBar& bar : m.bars)
        most = std::max(most, bar.energy);
    for (LatencyBar& bar : m.bars)
        bar.heat = most > 0 ? bar.energy / most : 0;
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
    QString out = QStringLiteral("subgraph\tops\tlatency\tcompute\tload\tstore\tbound\tbaseline\n");
    for (const LatencyBar& bar : model.bars) {
        const auto of = [&bar](double v) { return bar.runs ? std::optional(v) : std::nullopt; };
        out += textRow(bar.id.index(), bar.ops, of(bar.latency), of(bar.compute), of(bar.load), of(bar.store),
                       bar.runs ? word(boundName(bar.bound)) : QString(), bar.before);
    }
    return out;
}

namespace {

constexpr double kDetailPixels = 16; // narrower bars show only the latency
constexpr double kBarPixels = 3;     // narrower bars are combined by pixel
constexpr double kNamePixels = 64;   // wider bars have the names of their ops below
constexpr double kMostPixels = 150;  // largest width of a bar, so that a few bars do not fill the view
constexpr double kPale = 0.4;
constexpr std::size_t kWithStrip = 60; // number of bars from which a strip shows the whole schedule

/// The level of detail of a bar.
enum class Detail { Full, Plain, Dense };

Detail detailFor(double width)
{
    return width >= kDetailPixels ? Detail::Full : width >= kBarPixels ? Detail::Plain : Detail::Dense;
}

/// The colour of a share of the highest energy.
QColor energyColour(double share, const Theme& theme)
{
    return theme.ramp(share);
}

QColor barColour(const LatencyBar& bar, const LatencyOptions& options, const Theme& theme)
{
    return options.colour == LatencyColour::Subgraph ? theme.category(bar.category)
           : options.colour == LatencyColour::Energy ? energyColour(bar.heat, theme)
                                                     : boundColour(bar.bound, theme);
}

std::vector<ChartKey> legendOf(const LatencyModel& model, Detail detail, const Theme& theme)
{
    std::vector<ChartKey> out;
    const auto patch = [&](const QString& text, const QColor& colour) {
        out.push_back(patchKey(text, colour, theme));
    };
    if (detail == Detail::Full && model.options.colour == LatencyColour::Parts) {
        patch(tr("outline: latency"), Theme::mix(theme.canvas, theme.muted, 0.12));
        patch(tr("compute"), theme.computeTime);
        patch(tr("load"), theme.loadTime);
        patch(tr("store"), theme.storeTime);
    } else {
        if (model.options.colour == LatencyColour::Energy) {
            patch(model.hasEnergy ? tr("least energy") : tr("no energies stated"), energyColour(0, theme));
            if (model.hasEnergy)
                patch(tr("most energy"), energyColour(1, theme));
        } else if (model.options.colour != LatencyColour::Subgraph)
            for (const Bound b : {Bound::Compute, Bound::Memory, Bound::Balanced})
                patch(boundText(b), boundColour(b, theme));
        if (detail == Detail::Dense)
            patch(tr("pale: longest latency in a pixel, solid: mean"),
                  Theme::mix(theme.canvas, theme.balanced, kPale));
    }
    if (model.hasBaseline)
        out.push_back(lineKey(tr("baseline"), QPen(theme.text, 1.4, Qt::DashLine)));
    return out;
}

/// Paints the latency as an outline with the compute time beside the memory time: the one that fills it is
/// the limit.
void paintDetailed(QPainter& painter, const LatencyBar& bar, const QRectF& slot, const Axis& size,
                   const LatencyOptions& options, const Theme& theme, bool current)
{
    const double base = size.toPixel(0);
    const double inset = std::clamp(slot.width() * 0.14, 2.0, 18.0);
    const QRectF box(QPointF(slot.left() + inset, size.toPixel(bar.latency)),
                     QPointF(slot.right() - inset, base));
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(box, Theme::mix(theme.canvas, theme.muted, 0.12));
    const double half = std::max(1.0, (box.width() - 5) / 2);
    const auto column = [&](double left, double from, double to, const QColor& colour) {
        painter.fillRect(QRectF(QPointF(left, size.toPixel(to)), QPointF(left + half, size.toPixel(from))),
                         colour);
    };
    if (options.colour == LatencyColour::Parts) {
        column(box.left() + 2, 0, bar.compute, theme.computeTime);
        column(box.left() + 3 + half, 0, bar.load, theme.loadTime);
        column(box.left() + 3 + half, bar.load, bar.load + bar.store, theme.storeTime);
    } else {
        painter.fillRect(box, barColour(bar, options, theme));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(!bar.fits ? theme.error
                        : current ? theme.accent
                                  : theme.outline,
                        current || !bar.fits ? 2 : 1));
    painter.drawRect(box);
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintGhost(QPainter& painter, const LatencyBar& bar, const QRectF& slot, const Axis& size,
                const Theme& theme)
{
    if (bar.change() == 0)
        return;
    const double y = size.toPixel(*bar.ghost);
    const double left = slot.left() + 1;
    const double right = std::max(slot.right() - 1, left + 2);
    painter.setPen(QPen(theme.canvas, 3.5));
    painter.drawLine(QPointF(left, y), QPointF(right, y));
    QPen pen(theme.text, 1.6);
    pen.setDashPattern({3, 2});
    painter.setPen(slot.width() > 10 ? pen : QPen(theme.text, 1.6));
    painter.drawLine(QPointF(left, y), QPointF(right, y));
}

/// Paints the latency above its bar, and the change against the baseline in percent above the ghost (the
/// baseline's latency). A text without room is left out.
void paintValues(QPainter& painter, const LatencyBar& bar, const QRectF& slot, const Axis& size,
                 const Theme& theme)
{
    const QFontMetricsF fm(painter.font());
    const QString value = shortNumber(bar.latency);
    const double w = fm.horizontalAdvance(value);
    const double top = slot.top() - 14 + fm.height();
    double y = size.toPixel(bar.latency) - 5;
    const bool ghost = bar.change() != 0;
    const double ghostY = ghost ? size.toPixel(*bar.ghost) : 0;
    // A ghost slightly above the bar would cross the number, so the number is placed above the ghost.
    if (ghost && ghostY < y + 4 && ghostY > y - fm.height())
        y = ghostY - 5;
    if (w + 14 < slot.width() && y > top) {
        const double x = slot.center().x() - w / 2 + 6;
        painter.setPen(theme.text);
        painter.drawText(QPointF(x, y), value);
        paintBoundMark(painter, QPointF(x - 8, y - fm.ascent() / 2 + 1), 4, bar.bound,
                       boundColour(bar.bound, theme));
    }
    if (!ghost)
        return;
    const QString change = signedPercent(bar.latency / *bar.ghost - 1);
    const double changeWidth = fm.horizontalAdvance(change);
    const double at = ghostY - 5;
    // Inside the bar, or too close to the number: only the tooltip shows it.
    if (changeWidth + 6 > slot.width() || at <= top || at > y - fm.height())
        return;
    painter.setPen(bar.change() < 0 ? theme.ok : theme.warning);
    painter.drawText(QPointF(slot.center().x() - changeWidth / 2, at), change);
}

/// Summary of the bars in one pixel column.
struct DenseColumn
{
    const LatencyBar* high = nullptr;
    double mean = 0;
    double before = 0; ///< longest latency in the baseline
    bool marked = false;
};

DenseColumn denseColumn(const LatencyModel& model, std::int64_t from, std::int64_t to,
                        const LatencyOverlay& overlay)
{
    DenseColumn out;
    for (std::int64_t i = from; i < to; ++i) {
        const LatencyBar& bar = model.bars[static_cast<std::size_t>(i)];
        out.marked = out.marked || overlay.selected.count(bar.id) || overlay.current == bar.id;
        if (!out.high || bar.latency > out.high->latency)
            out.high = &bar;
        out.mean += bar.latency / static_cast<double>(to - from);
        out.before = std::max(out.before, bar.change() != 0 ? *bar.ghost : 0);
    }
    return out;
}

/// Paints several bars per pixel: the longest pale, their mean solid.
void paintDense(QPainter& painter, const LatencyModel& model, const LaneFrame& f, const Axis& size,
                const LatencyOverlay& overlay)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto n = static_cast<std::int64_t>(model.bars.size());
    const int bottom = qRound(size.toPixel(0));
    for (int x = 0; x < static_cast<int>(f.rect.width()); ++x) {
        const auto from =
            std::max<std::int64_t>(0, static_cast<std::int64_t>(f.time.toValue(f.rect.left() + x)));
        const auto to = std::min(
            n,
            std::max(from + 1, static_cast<std::int64_t>(std::ceil(f.time.toValue(f.rect.left() + x + 1)))));
        const DenseColumn c = denseColumn(model, from, to, overlay);
        if (!c.high)
            continue;
        const int left = static_cast<int>(f.rect.left()) + x;
        const auto bar = [&](double value, const QColor& colour) {
            const int top = qRound(size.toPixel(value));
            painter.fillRect(QRect(left, top, 1, std::max(1, bottom - top)), colour);
        };
        const QColor colour = c.marked ? f.theme.accent : barColour(*c.high, model.options, f.theme);
        bar(c.high->latency, c.marked ? colour : Theme::mix(f.theme.canvas, colour, kPale));
        bar(c.mean, colour);
        if (c.before > 0)
            painter.fillRect(QRect(left, qRound(size.toPixel(c.before)), 1, 1), f.theme.text);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

/// The visible bars, [first, last).
std::pair<std::size_t, std::size_t> inSight(const LatencyModel& model, const Axis& slots)
{
    return {static_cast<std::size_t>(std::max(0.0, std::floor(slots.v0))),
            std::min(model.bars.size(), static_cast<std::size_t>(std::max(0.0, std::ceil(slots.v1))))};
}

double slotWidth(const Axis& slots)
{
    return (slots.p1 - slots.p0) / (slots.v1 - slots.v0);
}

Axis sizeAxis(const LatencyModel& model, const QRectF& plot)
{
    return {0, std::max(model.high, 1e-12) * 1.1, plot.bottom(), plot.top()};
}

void paintBars(QPainter& painter, const LatencyModel& model, const LaneFrame& f,
               const LatencyOverlay& overlay)
{
    const QRectF& plot = f.rect;
    const Axis size = sizeAxis(model, plot);
    paintYAxis(painter, size, plot, tr("time"), f.theme);
    painter.save();
    painter.setClipRect(plot.adjusted(0, -14, 0, 0), Qt::IntersectClip);
    painter.setFont(uiFont(0.9));
    const double width = slotWidth(f.time);
    const Detail detail = detailFor(width);
    if (detail == Detail::Dense)
        paintDense(painter, model, f, size, overlay);
    const auto [first, last] = inSight(model, f.time);
    for (std::size_t i = first; i < last && detail != Detail::Dense; ++i) {
        const LatencyBar& bar = model.bars[i];
        const double w = std::min(width, kMostPixels);
        const QRectF slot(f.time.toPixel(static_cast<double>(i) + 0.5) - w / 2, plot.top(), w, plot.height());
        const bool current = overlay.current == bar.id;
        if (overlay.selected.count(bar.id) || current || overlay.hover == bar.id)
            painter.fillRect(slot, current || overlay.selected.count(bar.id)
                                       ? f.theme.selection
                                       : Theme::mix(f.theme.canvas, f.theme.muted, 0.08));
        if (!bar.runs) {
            fillHatch(painter, QRectF(slot.left() + w * 0.2, plot.bottom() - 14, w * 0.6, 14), f.theme);
        } else if (detail == Detail::Full) {
            paintDetailed(painter, bar, slot, size, model.options, f.theme, current);
        } else {
            painter.setRenderHint(QPainter::Antialiasing, false);
            painter.fillRect(QRectF(QPointF(slot.left(), size.toPixel(bar.latency)),
                                    QPointF(slot.right() - 1, size.toPixel(0))),
                             current ? f.theme.accent : barColour(bar, model.options, f.theme));
            painter.setRenderHint(QPainter::Antialiasing, true);
        }
        paintGhost(painter, bar, slot, size, f.theme);
        if (bar.runs && detail == Detail::Full)
            paintValues(painter, bar, slot, size, f.theme);
    }
    painter.restore();
    painter.setPen(f.theme.outline);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
}

/// Paints the numbers of the subgraphs below their bars, and the names of their ops below wide bars.
void paintNumbers(QPainter& painter, const LatencyModel& model, const LaneFrame& f,
                  const LatencyOverlay& overlay)
{
    painter.save();
    // The first number may extend a little to the left of its narrow bar.
    painter.setClipRect(f.rect.adjusted(-24, 0, 10, 0), Qt::IntersectClip);
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    const double width = slotWidth(f.time);
    const double labelWidth = fm.horizontalAdvance(QString::number(model.bars.size())) + 6;
    const bool names =
        width >= 8 * fm.averageCharWidth() + 8 && width >= kNamePixels && f.rect.height() > 2 * fm.height();
    const auto every = static_cast<std::size_t>(std::max(1.0, roundStep(labelWidth / width)));
    const auto [first, last] = inSight(model, f.time);
    double freeFrom = -1e18;
    for (std::size_t i = first; i < last; ++i) {
        if (i % every != 0)
            continue;
        const LatencyBar& bar = model.bars[i];
        const double centre = f.time.toPixel(static_cast<double>(i) + 0.5);
        const double left = std::min(centre - labelWidth / 2, f.rect.right() - labelWidth);
        if (left < freeFrom)
            continue;
        freeFrom = left + labelWidth - 1;
        painter.setPen(overlay.current == bar.id ? f.theme.accent : f.theme.muted);
        painter.drawText(QRectF(left, f.rect.top(), labelWidth, fm.height()), Qt::AlignCenter,
                         QString::number(bar.id.index()));
        if (names)
            painter.drawText(QRectF(centre - width / 2, f.rect.top() + fm.height(), width, fm.height()),
                             Qt::AlignCenter, latencyName(bar.names, fm, width - 8));
    }
    painter.restore();
}

MarkRow subgraphs(const std::shared_ptr<const LatencyModel>& m)
{
    Marks marks;
    marks.count = m->bars.size();
    marks.start = [](std::size_t i) { return static_cast<double>(i); };
    marks.end = [](std::size_t i) { return static_cast<double>(i + 1); };
    marks.label = [m](std::size_t i) { return m->bars[i].ops; };
    marks.facts = [m](std::size_t i) {
        const LatencyBar& bar = m->bars[i];
        return bar.runs ? tr("subgraph %1 · latency %2 (%3) · compute %4 · load %5 · store %6")
                              .arg(QString::number(bar.id.index()), number(bar.latency), percent(bar.share),
                                   number(bar.compute), number(bar.load), number(bar.store))
                        : tr("subgraph %1 · cannot run").arg(QString::number(bar.id.index()));
    };
    marks.tooltip = [m](std::size_t i) { return latencyTooltip(m->bars[i]); };
    marks.id = [m](std::size_t i) { return static_cast<std::uint32_t>(m->bars[i].id.index()); };
    return {{marks}};
}

} // namespace

LaneModel latencyLanes(const std::shared_ptr<const LatencyModel>& m,
                       const std::shared_ptr<const LatencyOverlay>& overlay)
{
    LaneModel out;
    out.hint = m->hint;
    if (!m->hint.isEmpty())
        return out;
    const QFontMetricsF fm(uiFont(0.9));
    const auto n = static_cast<double>(m->bars.size());
    out.title = m->title;
    // The position depends on the longest legend, so that it does not jump while zooming.
    out.legends = [m](const Theme& theme) {
        std::vector<std::vector<ChartKey>> forms;
        for (const Detail detail : {Detail::Full, Detail::Plain, Detail::Dense})
            forms.push_back(legendOf(*m, detail, theme));
        return forms;
    };
    out.legendForm = [](const Axis& slots) { return static_cast<std::size_t>(detailFor(slotWidth(slots))); };
    out.total = std::max(1.0, n);
    out.shortest = 4;
    out.ticks = false;
    out.most = 1000; // fills the available height
    out.mostWidth = n * kMostPixels;
    out.labelWidth = fm.horizontalAdvance(QStringLiteral("999M")) + 14;
    out.lanes.push_back(headingLane()); // holds the axis title
    Lane plot;
    plot.gap = 2;
    plot.rows = {subgraphs(m)};
    plot.paintsMarks = true;
    plot.paint = [m, overlay](QPainter& painter, const LaneFrame& f) { paintBars(painter, *m, f, *overlay); };
    Lane numbers = plot;
    numbers.fixed = true;
    numbers.height = 2 * fm.height() + 6;
    numbers.repeats = true;
    numbers.paint = [m, overlay](QPainter& painter, const LaneFrame& f) {
        paintNumbers(painter, *m, f, *overlay);
    };
    out.lanes.push_back(std::move(plot));
    out.lanes.push_back(std::move(numbers));
    if (m->bars.size() >= kWithStrip)
        out.overview = [m, overlay](QPainter& painter, const LaneFrame& f) {
            paintDense(painter, *m, f, sizeAxis(*m, f.rect), *overlay);
        };
    return out;
}

} // namespace tilewright::ui
