// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/gantt_paint.h"

#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"
#include "views/systolic/roofline_plot.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kPanel = 310;

const QColor& matrixColour(Matrix matrix, const Theme& theme)
{
    return matrix == Matrix::A ? theme.input : matrix == Matrix::B ? theme.output : theme.accumulator;
}

/// Colour and pattern of a reason; barriers are hatched.
struct ReasonStyle
{
    QColor colour;
    bool hatched = false;
};

ReasonStyle styleOf(std::string reason, const Theme& theme)
{
    ReasonStyle style;
    constexpr std::string_view kBarrier = "barrier_";
    if (reason.compare(0, kBarrier.size(), kBarrier) == 0) {
        style.hatched = true;
        reason.erase(0, kBarrier.size());
    }
    if (reason == "dma")
        style.colour = theme.loadTime;
    else if (reason == "block_mover")
        style.colour = theme.category(1);
    else if (reason == "streamer")
        style.colour = theme.category(4);
    else if (reason == "drain")
        style.colour = theme.category(3);
    else if (reason == "fill_drain" || reason == "array")
        style.colour = theme.balanced;
    else
        style.colour = theme.category(2); // something is full
    return style;
}

void fillReason(QPainter& painter, const QRectF& r, const ReasonStyle& style, const Theme& theme)
{
    painter.fillRect(r, Theme::mix(theme.canvas, style.colour, 0.55));
    if (style.hatched)
        painter.fillRect(r, QBrush(Theme::mix(style.colour, theme.text, 0.5), Qt::BDiagPattern));
}

QString barLabel(const Command& c)
{
    switch (c.kind) {
    case CommandKind::Compute:
        return QStringLiteral("C[%1,%2] k%3").arg(c.i).arg(c.j).arg(c.k);
    default:
        break;
    }
    switch (c.matrix) {
    case Matrix::A:
        return QStringLiteral("A[%1,%2]").arg(c.i).arg(c.k);
    case Matrix::B:
        return QStringLiteral("B[%1,%2]").arg(c.k).arg(c.j);
    case Matrix::C:
        return QStringLiteral("C[%1,%2]").arg(c.i).arg(c.j);
    }
    return {};
}

void drawLabel(QPainter& painter, const QRectF& r, const QRectF& clip, const QString& label,
               const QColor& ink)
{
    const QRectF seen = r & clip;
    const QFontMetricsF fm(painter.font());
    if (seen.height() < fm.ascent() || fm.horizontalAdvance(label) + 6 > seen.width())
        return;
    painter.setPen(ink);
    painter.drawText(seen, Qt::AlignCenter, label);
}

/// Bars of one lane. What is narrower than three pixels is merged with its neighbours, so that the time to
/// paint depends on the pixels, not on the commands.
void paintLane(QPainter& painter, const GanttProgram& p, const PipelineLane& lane, const QRectF& place,
               const Axis& time, const Theme& theme)
{
    const bool compute = lane.resource == Resource::Array;
    const QRectF row = place.adjusted(0, 1, 0, -1);
    painter.setFont(uiFont(0.8));
    const auto end = lane.bars.end();
    auto bar = std::partition_point(lane.bars.begin(), end, [&](const PipelineLane::Bar& b) {
        return static_cast<double>(b.end) < time.v0;
    });
    while (bar != end && static_cast<double>(bar->start) <= time.v1) {
        const double x0 = time.toPixel(static_cast<double>(bar->start));
        const double x1 = time.toPixel(static_cast<double>(bar->end));
        const Command& c = p.program->commands[bar->command];
        const QColor& fill = compute ? theme.computeTime : matrixColour(c.matrix, theme);
        if (x1 - x0 >= 3) {
            QRectF r(x0, row.top(), x1 - x0, row.height());
            r = r & place.adjusted(-2, 0, 2, 0);
            painter.fillRect(r.adjusted(0, 0, -1, 0), fill);
            drawLabel(painter, r, place, barLabel(c), theme.ink);
            ++bar;
            continue;
        }
        const double left = std::floor(std::max(x0, place.left()));
        const double right = std::max(left + 1, std::ceil(x1));
        painter.fillRect(QRectF(left, row.top(), right - left, row.height()), fill);
        const double reached = time.toValue(right);
        bar = std::partition_point(
            bar + 1, end, [&](const PipelineLane::Bar& b) { return static_cast<double>(b.end) <= reached; });
    }
}

void paintBubbles(QPainter& painter, const PipelineRun& run, const QRectF& place, const Axis& time,
                  const Theme& theme)
{
    const QRectF row = place.adjusted(0, 1, 0, -1);
    painter.setFont(uiFont(0.8));
    const auto& bubbles = run.bubbles;
    auto b = std::partition_point(bubbles.begin(), bubbles.end(), [&](const ArrayBubble& x) {
        return static_cast<double>(x.start + x.length) < time.v0;
    });
    while (b != bubbles.end() && static_cast<double>(b->start) <= time.v1) {
        const double x0 = std::max(place.left(), time.toPixel(static_cast<double>(b->start)));
        const double x1 = std::min(place.right(), time.toPixel(static_cast<double>(b->start + b->length)));
        const ReasonStyle style = styleOf(b->reason, theme);
        if (x1 - x0 >= 2) {
            const QRectF r(x0, row.top(), x1 - x0, row.height());
            fillReason(painter, r, style, theme);
            const QString label = reasonText(b->reason);
            const QFontMetricsF fm(painter.font());
            if (fm.horizontalAdvance(label) + 6 <= r.width() && fm.ascent() <= r.height()) {
                if (style.hatched)
                    painter.fillRect(QRectF(r.center().x() - fm.horizontalAdvance(label) / 2 - 2, r.top() + 1,
                                            fm.horizontalAdvance(label) + 4, r.height() - 2),
                                     Theme::mix(theme.canvas, style.colour, 0.55));
                drawLabel(painter, r, place, label,
                          theme.inkOn(Theme::mix(theme.canvas, style.colour, 0.55)));
            }
            ++b;
            continue;
        }
        const double left = std::floor(x0);
        painter.fillRect(QRectF(left, row.top(), 1, row.height()), style.colour);
        const double reached = time.toValue(left + 1);
        b = std::partition_point(b + 1, bubbles.end(), [&](const ArrayBubble& x) {
            return static_cast<double>(x.start + x.length) <= reached;
        });
    }
}

/// Largest value of a step function in a range of time, by binary search plus the points inside.
std::int64_t maxIn(const std::vector<OccupancyPoint>& points, double from, double to)
{
    auto p = std::partition_point(points.begin(), points.end(), [&](const OccupancyPoint& x) {
        return static_cast<double>(x.time) <= from;
    });
    std::int64_t most = p == points.begin() ? 0 : (p - 1)->bytes;
    for (int n = 0; p != points.end() && static_cast<double>(p->time) < to && n < 64; ++p, ++n)
        most = std::max(most, p->bytes);
    return most;
}

void paintOccupancy(QPainter& painter, const GanttModel& m, std::size_t level, const QRectF& place,
                    const QRectF& labels, const Axis& time, const Theme& theme)
{
    const char* names[] = {"L3", "L2", "L1"};
    std::int64_t top = 1;
    for (const GanttProgram& p : m.programs)
        top = std::max(top, p.run->peakBytes[level]);
    painter.fillRect(place, Theme::mix(theme.canvas, theme.text, 0.03));
    const QRectF inside = place.adjusted(0, 2, 0, 0);
    const int columns = static_cast<int>(place.width());
    for (std::size_t g = m.programs.size(); g-- > 0;) {
        const auto& points = m.programs[g].run->occupancy[level];
        const bool filled = g + 1 == m.programs.size();
        QPolygonF outline;
        for (int x = 0; x < columns; ++x) {
            const double from = time.toValue(place.left() + x);
            const std::int64_t bytes = maxIn(points, from, time.toValue(place.left() + x + 1));
            const double h = inside.height() * static_cast<double>(bytes) / static_cast<double>(top);
            if (filled)
                painter.fillRect(QRectF(std::floor(place.left()) + x, inside.bottom() - h, 1, h),
                                 Theme::mix(theme.canvas, theme.resident, 0.7));
            else
                outline << QPointF(place.left() + x, inside.bottom() - h);
        }
        if (!filled) {
            painter.setPen(QPen(theme.outline, 1));
            painter.drawPolyline(outline);
        }
    }
    painter.setPen(theme.grid);
    painter.drawLine(place.bottomLeft(), place.bottomRight());
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    painter.setPen(theme.text);
    const QRectF label(labels.left(), place.top(), labels.width() - 6, place.height());
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, QLatin1String(names[level]));
    painter.setPen(theme.muted);
    painter.drawText(
        label, Qt::AlignRight | Qt::AlignVCenter,
        fm.elidedText(bytesText(static_cast<double>(m.held[level])), Qt::ElideRight, label.width() - 24));
}

/// Returns the height used.
double paintBanks(QPainter& painter, const GanttModel& m, const QRectF& area, const Theme& theme)
{
    const BankCursor& b = m.banks;
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    const QFontMetricsF bm(bold);
    const QFontMetricsF fm(uiFont(0.8));
    const std::int64_t shown = std::min<std::int64_t>(b.map.banks, 32);
    const std::int64_t perRow = std::min<std::int64_t>(8, shown);
    const double gap = 3;
    const double w = (area.width() - gap * static_cast<double>(perRow - 1)) / static_cast<double>(perRow);
    const double h = fm.height() * 2 + 4;
    const auto rows = static_cast<double>(ceilDiv(shown, perRow));
    const double need = bm.height() + 4 + rows * (h + gap) + fm.height() + 2;
    if (need > area.height())
        return 0;
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QPointF(area.left(), area.top() + bm.ascent()), tr("Banks of L2 read now"));
    const double top = area.top() + bm.height() + 4;
    for (std::int64_t i = 0; i < shown; ++i) {
        const QRectF box(area.left() + static_cast<double>(i % perRow) * (w + gap),
                         top + static_cast<double>(i / perRow) * (h + gap), w, h);
        const bool a = b.bankA == i;
        const bool bb = b.bankB == i;
        painter.fillRect(box, a    ? theme.input
                              : bb ? theme.output
                                   : Theme::mix(theme.canvas, theme.text, 0.05));
        if (a && bb) {
            QRectF half = box;
            half.setLeft(box.center().x());
            painter.fillRect(half, theme.output);
        }
        const bool conflict = a && bb;
        painter.setPen(QPen(conflict ? theme.error : theme.grid, conflict ? 2 : 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box);
        painter.setFont(uiFont(0.8));
        painter.setPen(a || bb ? theme.ink : theme.muted);
        painter.drawText(QRectF(box.left(), box.top() + 1, box.width(), fm.height()), Qt::AlignCenter,
                         QString::number(i));
        const QString tile = conflict ? tr("A B") : a ? b.tileA : bb ? b.tileB : QString();
        painter.drawText(QRectF(box.left(), box.top() + fm.height() + 2, box.width(), fm.height()),
                         Qt::AlignCenter, fm.elidedText(tile, Qt::ElideRight, box.width()));
    }
    painter.setFont(uiFont(0.8));
    painter.setPen(b.conflict() ? theme.error : theme.muted);
    QString note = b.conflict()
                       ? tr("⚠ %1 and %2 share a bank: one read is serialised").arg(b.tileA, b.tileB)
                   : b.bankA ? tr("%1 and %2 are read together").arg(b.tileA, b.tileB)
                             : tr("no COMPUTE at the cursor");
    if (b.map.banks > shown)
        note += tr(" (first %1 banks)").arg(shown);
    painter.drawText(QPointF(area.left(), top + rows * (h + gap) + fm.ascent()),
                     fm.elidedText(note, Qt::ElideRight, area.width()));
    return need;
}

} // namespace

GanttPlaces ganttPlaces(const QRectF& area, const GanttModel& m)
{
    GanttPlaces p;
    const QFontMetricsF fm(uiFont());
    const QFontMetricsF small(uiFont(0.9));
    QRectF inner = area.adjusted(kPaneMargin, 8, -kPaneMargin, -6);
    if (inner.width() >= 700) {
        p.panel = QRectF(inner.right() - kPanel, inner.top(), kPanel, inner.height());
        inner.setRight(p.panel.left() - 18);
    }
    p.header = QRectF(inner.left(), inner.top(), inner.width(), 2 * (fm.height() + 2));
    const double labels = std::min(112.0, inner.width() * 0.25);
    const double top = p.header.bottom() + 6;
    const double bottom = inner.bottom() - small.height() - 6;
    p.labels = QRectF(inner.left(), top, labels, bottom - top);
    p.plot = QRectF(inner.left() + labels, top, inner.width() - labels, bottom - top);
    if (m.programs.empty())
        return p;
    const double title = small.height() + 4;
    constexpr double kSpace = 6;
    const auto groups = static_cast<double>(m.programs.size());
    const double room = bottom - top - groups * (title + kSpace);
    // Five rows a program and three of occupancy; the occupancy goes first when there is little room.
    double row = room / (groups * 5 + 3 * 1.3);
    double occupancy = row * 1.3;
    if (row < 9) {
        occupancy = 0;
        row = room / (groups * 5);
    }
    row = std::min(row, 40.0);
    occupancy = std::min(occupancy, 64.0);
    double y = top;
    for (const GanttProgram& program : m.programs) {
        GanttPlaces::Group g;
        g.title = QRectF(inner.left(), y, inner.width(), title);
        y += title;
        for (const Resource r : kResources) {
            const auto units =
                static_cast<double>(std::count_if(program.lanes->begin(), program.lanes->end(),
                                                  [r](const PipelineLane& l) { return l.resource == r; }));
            g.names.push_back(QRectF(p.labels.left(), y, labels, row));
            for (double u = 0; u < units; ++u)
                g.lanes.push_back(QRectF(p.plot.left(), y + u * row / units, p.plot.width(), row / units));
            y += row;
        }
        y += kSpace;
        p.groups.push_back(std::move(g));
    }
    if (occupancy > 0)
        for (QRectF& r : p.occupancy) {
            r = QRectF(p.plot.left(), y, p.plot.width(), occupancy - 3);
            y += occupancy;
        }
    p.plot.setBottom(y);
    p.labels.setBottom(y);
    return p;
}

std::optional<GanttHover> ganttHit(const GanttPlaces& p, const Axis& time, QPointF position)
{
    for (std::size_t g = 0; g < p.groups.size(); ++g)
        for (std::size_t l = 0; l < p.groups[g].lanes.size(); ++l)
            if (p.groups[g].lanes[l].contains(position))
                return GanttHover{g, l, time.toValue(position.x())};
    return {};
}

void paintGantt(QPainter& painter, const GanttModel& m, const GanttPlaces& p, const Axis& time,
                const std::optional<double>& hover, bool cursor, const Theme& theme)
{
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    const QFontMetricsF bm(bold);
    const double line = QFontMetricsF(uiFont()).height() + 2;
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QPointF(p.header.left(), p.header.top() + bm.ascent()),
                     bm.elidedText(m.title, Qt::ElideRight, p.header.width()));
    painter.setFont(uiFont(0.95));
    const QFontMetricsF fm(painter.font());
    painter.setPen(theme.accent);
    painter.drawText(
        QPointF(p.header.left(), p.header.top() + line + fm.ascent()),
        fm.elidedText(m.headline + QStringLiteral(" · ") + m.bottleneck, Qt::ElideRight, p.header.width()));

    paintXAxis(painter, time, p.plot, tr("cycle"), theme);
    for (std::size_t g = 0; g < p.groups.size(); ++g) {
        const GanttProgram& program = m.programs[g];
        const GanttPlaces::Group& place = p.groups[g];
        painter.setFont(uiFont(0.9, QFont::DemiBold));
        painter.setPen(theme.text);
        // The title stands on the grid lines.
        painter.fillRect(place.title, theme.canvas);
        painter.drawText(
            place.title, Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(painter.font()).elidedText(program.title, Qt::ElideRight, place.title.width()));
        painter.setFont(uiFont(0.85));
        const QFontMetricsF small(painter.font());
        for (std::size_t r = 0; r < kResources.size(); ++r) {
            painter.setPen(theme.grid);
            painter.drawLine(QPointF(p.plot.left(), place.names[r].bottom()),
                             QPointF(p.plot.right(), place.names[r].bottom()));
            const QRectF name = place.names[r].adjusted(0, 0, -6, 0);
            if (name.height() < small.ascent())
                continue;
            painter.setPen(theme.text);
            painter.drawText(
                name, Qt::AlignLeft | Qt::AlignVCenter,
                small.elidedText(resourceText(kResources[r]), Qt::ElideRight, name.width() - 38));
            painter.setPen(theme.muted);
            painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter,
                             QStringLiteral("%1 %").arg(std::lround(100 * program.run->busyFraction[r])));
        }
        painter.save();
        painter.setClipRect(p.plot);
        painter.setRenderHint(QPainter::Antialiasing, false);
        for (std::size_t l = 0; l < place.lanes.size(); ++l) {
            const PipelineLane& lane = (*program.lanes)[l];
            if (lane.resource == Resource::Array)
                paintBubbles(painter, *program.run, place.lanes[l], time, theme);
            paintLane(painter, program, lane, place.lanes[l], time, theme);
        }
        // Where the program ends.
        const double end = time.toPixel(static_cast<double>(program.run->cycles));
        if (end < p.plot.right()) {
            painter.setPen(QPen(theme.outline, 1, Qt::DashLine));
            painter.drawLine(QPointF(end, place.lanes.front().top()),
                             QPointF(end, place.lanes.back().bottom()));
        }
        painter.restore();
    }
    for (std::size_t i = 0; i < 3; ++i)
        if (!p.occupancy[i].isEmpty()) {
            painter.save();
            painter.setRenderHint(QPainter::Antialiasing, false);
            paintOccupancy(painter, m, i, p.occupancy[i], p.labels, time, theme);
            painter.restore();
        }
    // The cursors cross lanes and occupancy, not the titles.
    std::vector<QRectF> crossed;
    for (const GanttPlaces::Group& g : p.groups)
        crossed.push_back(g.lanes.front().united(g.lanes.back()));
    if (!p.occupancy[0].isEmpty())
        crossed.push_back(p.occupancy[0].united(p.occupancy[2]));
    const auto vertical = [&](double x, const QPen& pen) {
        if (x < p.plot.left() - 1 || x > p.plot.right() + 1)
            return;
        painter.setPen(pen);
        for (const QRectF& r : crossed)
            painter.drawLine(QPointF(x, r.top()), QPointF(x, r.bottom()));
    };
    if (hover)
        vertical(std::round(time.toPixel(*hover)) + 0.5, QPen(theme.muted, 1));
    if (cursor)
        vertical(time.toPixel(static_cast<double>(m.time)), QPen(theme.accent, 2));

    if (p.panel.isEmpty())
        return;
    double y = p.panel.top();
    const auto fits = [&](double h) { return y + h <= p.panel.bottom(); };
    const double tables = m.stalls.height(p.panel.width());
    if (fits(tables)) {
        PaintedTable stalls = m.stalls;
        stalls.key = [&](QPainter& painter, const QRectF& box, int row) {
            const std::string& reason = m.stallReasons[static_cast<std::size_t>(row)];
            if (row == 0)
                painter.fillRect(box, theme.computeTime);
            else if (!reason.empty())
                fillReason(painter, box, styleOf(reason, theme), theme);
        };
        stalls.paint(painter, QRectF(p.panel.left(), y, p.panel.width(), tables), theme);
        y += tables + 12;
    }
    const double banks =
        paintBanks(painter, m, QRectF(p.panel.left(), y, p.panel.width(), p.panel.bottom() - y), theme);
    y += banks > 0 ? banks + 12 : 0;
    PaintedTable now = m.now;
    while (!now.rows.empty() && !fits(now.height(p.panel.width())))
        now.rows.pop_back();
    if (!now.rows.empty())
        now.paint(painter, QRectF(p.panel.left(), y, p.panel.width(), p.panel.bottom() - y), theme);
}

} // namespace tilewright::ui
