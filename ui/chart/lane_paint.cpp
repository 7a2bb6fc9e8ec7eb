// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of lanes on whole pixels. Narrow marks are merged per pixel, so that the time depends on the
// number of pixels, not of marks.
#include "chart/lane.h"

#include "chart/time_canvas.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <QTextOption>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

// Maximum number of marks with labels; with more marks each one is too narrow for a label.
constexpr std::size_t kLabelled = 3000;
constexpr double kWide = 3;         // minimum width in pixels of a mark that is drawn separately
constexpr double kLabelPixels = 34; // minimum width in pixels of a mark with an elided label

QRectF markRect(const Marks& m, std::size_t i, const LaneFrame& f)
{
    const double x0 = std::max(f.rect.left(), std::round(f.time.toPixel(m.start(i))));
    const double x1 = std::min(f.rect.right(), std::round(f.time.toPixel(m.end(i))));
    return {x0, f.rect.top(), x1 - x0, f.rect.height()};
}

/// Calls `use` for each visible mark that is at least `pixels` wide.
template <typename F> void forWide(const Marks& m, const LaneFrame& f, double pixels, F&& use)
{
    const double least = pixels * f.perPixel();
    std::size_t n = 0;
    for (std::size_t i = m.firstAfter(f.time.v0); i < m.count && m.start(i) < f.time.v1 && n < kLabelled;
         ++i, ++n)
        if (m.end(i) - m.start(i) >= least)
            use(i, markRect(m, i, f));
}

void paintLabel(QPainter& painter, const QRectF& r, const QString& text, const MarkStyle& style,
                const Theme& theme)
{
    const QFontMetricsF fm(painter.font());
    if (text.isEmpty() || fm.ascent() > r.height())
        return;
    const bool whole = fm.horizontalAdvance(text) + 6 <= r.width();
    if (!whole && r.width() < kLabelPixels)
        return;
    const QString shown = whole ? text : fm.elidedText(text, Qt::ElideRight, r.width() - 8);
    if (!whole && shown.size() < 3)
        return;
    const QRectF place = r.adjusted(whole ? 0 : 4, 0, whole ? 0 : -4, 0);
    if (style.pattern != Qt::NoBrush) { // the label needs a plain background, because the mark has a pattern
        QRectF ground(place.left() - 2, r.top() + 1, fm.horizontalAdvance(shown) + 4, r.height() - 2);
        if (whole)
            ground.moveCenter(r.center());
        painter.fillRect(ground, style.fill);
    }
    painter.setPen(theme.inkOn(style.fill));
    painter.drawText(place, whole ? Qt::AlignCenter : Qt::AlignVCenter | Qt::AlignLeft, shown);
}

/// Paints marks side by side. If several narrow marks share a pixel, only the first one is drawn.
void paintMerged(QPainter& painter, const Marks& m, const LaneFrame& f, bool plain)
{
    std::vector<MarkStyle> styles;
    for (std::size_t k = 0; k < m.kinds; ++k)
        styles.push_back(m.style(k, f.theme));
    std::size_t i = m.firstAfter(f.time.v0);
    while (i < m.count && m.start(i) <= f.time.v1) {
        const MarkStyle& style = styles[m.kindOf(i)];
        const double x0 = f.time.toPixel(m.start(i));
        const double x1 = f.time.toPixel(m.end(i));
        if (x1 - x0 >= kWide) {
            const QRectF r = QRectF(x0, f.rect.top(), x1 - x0 - 1, f.rect.height()) & f.rect;
            plain ? painter.fillRect(r, style.fill) : fillMark(painter, r, style, f.theme);
            if (!plain && m.label)
                paintLabel(painter, r, m.label(i), style, f.theme);
            ++i;
            continue;
        }
        const double left = std::floor(std::max(x0, f.rect.left()));
        const double right = std::min(f.rect.right(), std::max(left + 1, std::ceil(x1)));
        painter.fillRect(QRectF(left, f.rect.top(), right - left, f.rect.height()), style.fill);
        i = std::max(i + 1, m.firstAfter(f.time.toValue(right)));
    }
}

void paintMarks(QPainter& painter, const Marks& m, const std::vector<ShareColumn>& shares, const LaneFrame& f,
                bool plain, const LaneOverlay& overlay)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(uiFont(0.85));
    if (!m.shared) {
        paintMerged(painter, m, f, plain);
    } else {
        if (m.kinds == 1 && !plain)
            painter.fillRect(f.rect, Theme::mix(f.theme.canvas, f.theme.muted, 0.06));
        paintShares(painter, shares, m, f.rect, f.theme, !plain);
        painter.setRenderHint(QPainter::Antialiasing, false);
        if (!plain)
            forWide(m, f, kWide, [&](std::size_t i, const QRectF& r) {
                const MarkStyle style = m.style(m.kindOf(i), f.theme);
                painter.fillRect(QRectF(r.right() - 1, r.top(), 1, r.height()),
                                 Theme::mix(style.fill, f.theme.canvas, 0.75));
                if (m.label)
                    paintLabel(painter, r, m.label(i), style, f.theme);
            });
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (plain || !m.id)
        return;
    for (const auto& [id, width] : {std::pair(overlay.hovered, 1.0), std::pair(overlay.selected, 2.0)}) {
        if (!id)
            continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(f.theme.accent, width));
        forWide(m, f, 0, [&, wanted = *id](std::size_t i, QRectF r) {
            if (m.id(i) != wanted)
                return;
            r.setWidth(std::max(r.width(), 3.0));
            painter.drawRect(r.adjusted(0.5, 0.5, -0.5, -0.5));
        });
    }
}

// -- curves

template <typename F>
void paintArea(QPainter& painter, const std::vector<LowHigh>& values, const QRectF& rect, double top,
               const QColor& colour, F&& value)
{
    for (std::size_t x = 0; x < values.size();) {
        const double v = value(values[x]);
        std::size_t end = x + 1;
        while (end < values.size() && value(values[end]) == v)
            ++end;
        // Small values are at least one pixel high.
        const double h = v <= 0 ? 0 : std::max(1.0, std::round(v / top * rect.height()));
        if (h > 0)
            painter.fillRect(QRectF(rect.left() + static_cast<double>(x), rect.bottom() - h,
                                    static_cast<double>(end - x), h),
                             colour);
        x = end;
    }
}

void paintGhost(QPainter& painter, const std::vector<LowHigh>& values, const QRectF& rect, double top,
                const Theme& theme)
{
    if (values.empty())
        return;
    QPainterPath path;
    double before = -1;
    const auto y = [&](double v) { return rect.bottom() - v / top * rect.height(); };
    for (std::size_t x = 0; x < values.size(); ++x) {
        const double v = values[x].high;
        if (v == before)
            continue;
        const double at = rect.left() + static_cast<double>(x);
        before < 0 ? path.moveTo(at, y(v)) : path.lineTo(at, y(before));
        path.lineTo(at, y(v));
        before = v;
    }
    path.lineTo(rect.right(), y(before));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Theme::mix(theme.canvas, theme.text, 0.7), 1, Qt::DashLine));
    painter.drawPath(path);
}

void paintAreas(QPainter& painter, const Curve& c, const std::vector<LowHigh>& values, const LaneFrame& f)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QColor colour = c.colour(f.theme);
    const bool spreads =
        std::any_of(values.begin(), values.end(), [](const LowHigh& s) { return s.low != s.high; });
    if (spreads)
        paintArea(painter, values, f.rect, c.top, Theme::mix(f.theme.canvas, colour, 0.5),
                  [](const LowHigh& s) { return s.high; });
    paintArea(painter, values, f.rect, c.top, colour, [](const LowHigh& s) { return s.low; });
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintCurve(QPainter& painter, const Lane& lane, const LaneColumns& columns, const LaneFrame& f)
{
    const Curve& c = *lane.curve;
    painter.fillRect(f.rect, Theme::mix(f.theme.canvas, f.theme.muted, 0.05));
    painter.setPen(QPen(f.theme.grid, 1));
    painter.drawLine(QPointF(f.rect.left(), f.rect.bottom() + 0.5),
                     QPointF(f.rect.right(), f.rect.bottom() + 0.5));
    for (std::size_t i = 0; i < lane.behind.size(); ++i)
        paintAreas(painter, lane.behind[i], columns.behind[i], f);
    paintAreas(painter, c, columns.curve, f);
    paintGhost(painter, columns.ghost, f.rect, c.top, f.theme);
    if (c.limit) {
        const double y = std::round(f.rect.bottom() - *c.limit / c.top * f.rect.height()) + 0.5;
        QPen pen(f.theme.text, 1);
        pen.setDashPattern({5, 3});
        painter.setPen(pen);
        painter.drawLine(QPointF(f.rect.left(), y), QPointF(f.rect.right(), y));
    }
}

// -- names, title, axis

void paintHeader(QPainter& painter, const LaneModel& m, const LanePlaces& p, const Theme& theme)
{
    double y = p.title.top();
    if (!m.title.isEmpty()) {
        y += writeLine(painter, p.title.topLeft(), p.title.width(), m.title, uiFont(1.0, QFont::DemiBold),
                       m.titleColour ? m.titleColour(theme) : theme.text) +
             2;
    }
    if (m.sentenceLines <= 0)
        return;
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    painter.setPen(m.sentenceColour ? m.sentenceColour(theme) : theme.text);
    const QRectF lines(p.title.left(), y, p.title.width(), m.sentenceLines * fm.height() + 1);
    // The tooltip has the full text if it does not fit.
    QString shown = m.sentence;
    if (m.sentenceLines == 1)
        shown = fm.elidedText(shown, Qt::ElideRight, lines.width());
    while (shown.size() > 20 && fm.boundingRect(lines, Qt::TextWordWrap, shown).height() > lines.height()) {
        shown.chop(8);
        shown = shown.trimmed() + QStringLiteral("…");
    }
    QTextOption option(Qt::AlignLeft | Qt::AlignTop);
    option.setWrapMode(QTextOption::WordWrap);
    painter.drawText(lines, shown, option);
}

void paintLegendOf(QPainter& painter, const LaneModel& m, const LanePlaces& p, const Axis& time,
                   const Theme& theme)
{
    const auto forms = m.legends(theme);
    if (forms.empty())
        return;
    auto fitting = std::find_if(forms.begin(), forms.end(), [&](const std::vector<ChartKey>& form) {
        return keysWidth(form) <= p.legend.width();
    });
    if (m.legendForm)
        fitting = forms.begin() + static_cast<std::ptrdiff_t>(std::min(m.legendForm(time), forms.size() - 1));
    const auto& form = fitting == forms.end() ? forms.back() : *fitting;
    const bool beside = p.legend.top() == p.title.top();
    const double left =
        beside ? std::max(p.legend.left(), p.legend.right() - keysWidth(form)) : p.legend.left();
    paintKeys(painter, form, p.legend.adjusted(left - p.legend.left(), 0, 0, 0), theme);
}

void paintName(QPainter& painter, const Lane& lane, const LaneBox& box, const LanePlaces& p, double& below,
               const Theme& theme)
{
    painter.setFont(uiFont(lane.inner ? 0.8 : 0.9, lane.heading ? QFont::DemiBold : QFont::Normal));
    const QFontMetricsF fm(painter.font());
    if (lane.heading && lane.rows.empty()) { // a title on top of the grid lines
        // the title extends over the column of facts
        const double right = std::max(p.plot.right(), p.title.right());
        const QRectF line(p.labels.left(), box.rect.top(), right - p.labels.left(), box.rect.height());
        painter.fillRect(line, theme.canvas);
        painter.setPen(theme.text);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         fm.elidedText(lane.name, Qt::ElideRight, line.width()));
        return;
    }
    // The names of very low lanes would overlap: skip some.
    if (fm.ascent() > box.rect.height() + 2 || box.rect.center().y() - fm.ascent() / 2 < below)
        return;
    below = box.rect.center().y() + fm.ascent() / 2;
    const QRectF r = box.name.adjusted(0, -2, -6, 2);
    const bool tall = box.rect.height() > 2.2 * fm.height();
    const double note = lane.note.isEmpty() ? 0 : fm.horizontalAdvance(lane.note);
    const bool besides = note > 0 && fm.horizontalAdvance(lane.name) + note + 8 <= r.width();
    painter.setPen(lane.inner ? theme.muted : theme.text);
    painter.drawText(
        r, (tall && !besides ? Qt::AlignTop : Qt::AlignVCenter) | (besides ? Qt::AlignLeft : Qt::AlignRight),
        fm.elidedText(lane.name, Qt::ElideRight, r.width()));
    painter.setPen(theme.muted);
    if (besides)
        painter.drawText(r, Qt::AlignVCenter | Qt::AlignRight, lane.note);
    else if (tall && note > 0)
        painter.drawText(r.adjusted(0, fm.height(), 0, 0), Qt::AlignTop | Qt::AlignRight,
                         fm.elidedText(lane.note, Qt::ElideRight, r.width()));
}

void paintFactsOf(QPainter& painter, const Lane& lane, const LaneFrame& f, double& below)
{
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    painter.setPen(f.theme.muted);
    double y = f.rect.top() + (lane.facts.size() == 1 ? (f.rect.height() - fm.height()) / 2 : 0);
    for (const QString& line : lane.facts) {
        if (y + fm.ascent() > f.rect.bottom() + 3 || y + fm.descent() < below)
            break;
        painter.drawText(QPointF(f.rect.left(), y + fm.ascent()),
                         fm.elidedText(line, Qt::ElideRight, f.rect.width()));
        y += fm.height();
        below = y;
    }
    const QRectF rest(QPointF(f.rect.left(), lane.facts.isEmpty() ? f.rect.top() : y), f.rect.bottomRight());
    constexpr double kLeastFacts = 8;
    if (lane.paintFacts && rest.height() >= kLeastFacts)
        lane.paintFacts(painter, f.in(rest));
}

/// Paints a vertical line over the lanes, but not over the titles between them.
void paintLine(QPainter& painter, const LaneModel& m, const LanePlaces& p, double x, const QPen& pen,
               std::size_t first = 0, std::size_t last = ~std::size_t{0})
{
    if (x < p.plot.left() - 1 || x > p.plot.right() + 1)
        return;
    painter.setPen(pen);
    for (std::size_t i = first; i < p.lanes.size() && i <= last;) {
        const auto isTitle = [&](std::size_t l) { return m.lanes[l].heading && m.lanes[l].rows.empty(); };
        if (isTitle(i)) {
            ++i;
            continue;
        }
        const double top = std::max(p.plot.top(), p.lanes[i].rect.top());
        double bottom = top;
        for (; i < p.lanes.size() && i <= last && !isTitle(i); ++i)
            if (!p.lanes[i].rect.isEmpty())
                bottom = std::min(p.plot.bottom(), p.lanes[i].rect.bottom());
        if (bottom > top)
            painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    }
}

QRectF flagOf(const LanePlaces& p, double x, const QString& text)
{
    if (text.isEmpty() || x < p.plot.left() || x > p.plot.right())
        return {};
    const QFontMetricsF fm(uiFont(0.85));
    const double w = fm.horizontalAdvance(text) + 10;
    QRectF r(x - w / 2, p.axis.top() + 3, w, fm.height() + 2);
    r.moveLeft(std::clamp(r.left(), p.plot.left(), std::max(p.plot.left(), p.plot.right() - w)));
    return r;
}

void paintFlag(QPainter& painter, const QRectF& r, const QString& text, const Theme& theme)
{
    if (r.isNull())
        return;
    painter.setFont(uiFont(0.85));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    painter.drawRoundedRect(r, 3, 3);
    painter.setPen(theme.inkOn(theme.accent));
    painter.drawText(r, Qt::AlignCenter, text);
}

} // namespace

void fillMark(QPainter& painter, const QRectF& rect, const MarkStyle& style, const Theme& theme)
{
    painter.fillRect(rect, style.fill);
    if (style.pattern != Qt::NoBrush)
        painter.fillRect(rect, QBrush(style.patternColour.isValid() ? style.patternColour
                                                                    : Theme::mix(style.fill, theme.text, 0.3),
                                      style.pattern));
}

LaneColumns laneColumns(const Lane& lane, double from, double to, int width)
{
    LaneColumns out;
    for (const MarkRow& row : lane.rows) {
        auto& layers = out.shares.emplace_back();
        for (const Marks& m : row.layers)
            layers.push_back(m.shared ? shareColumns(m, from, to, width) : std::vector<ShareColumn>());
    }
    if (lane.curve && width > 0) {
        out.curve = lane.curve->columns(from, to, width);
        if (lane.curve->ghost)
            out.ghost = lane.curve->ghost(from, to, width);
        for (const Curve& curve : lane.behind)
            out.behind.push_back(curve.columns(from, to, width));
    }
    return out;
}

void paintRow(QPainter& painter, const MarkRow& row, const LaneFrame& f)
{
    for (const Marks& m : row.layers)
        paintMarks(painter, m,
                   m.shared ? shareColumns(m, f.time.v0, f.time.v1, static_cast<int>(f.rect.width()))
                            : std::vector<ShareColumn>(),
                   f, true, {});
}

// -- the whole chart

void paintLanes(QPainter& painter, const LaneModel& m, const LanePlaces& p, const Axis& time,
                const std::vector<LaneColumns>& columns, const LaneOverlay& overlay, const Theme& theme)
{
    paintHeader(painter, m, p, theme);
    painter.save();
    if (m.dimmed)
        painter.setOpacity(0.45);
    if (m.legends)
        paintLegendOf(painter, m, p, time, theme);
    if (m.readout)
        writeAcross(painter, p.readout, overlay.readout, uiFont(0.9), theme.text);
    const QRectF flag =
        overlay.cursor ? flagOf(p, time.toPixel(*overlay.cursor), overlay.cursorText) : QRectF();
    if (m.ticks)
        paintXAxis(painter, time, p.plot, m.unit, theme, flag);
    painter.save();
    if (p.contentHeight > p.plot.height() + 1) // the lanes are scrolled: clip them to the plot
        painter.setClipRect(
            QRectF(QPointF(p.title.left(), p.plot.top()),
                   QPointF(std::max(p.plot.right(), p.facts.right()) + 8, p.plot.bottom() + 1)),
            Qt::IntersectClip);
    double names = -1e9;
    double facts = -1e9;
    for (std::size_t i = 0; i < p.lanes.size(); ++i) {
        const Lane& lane = m.lanes[i];
        const LaneBox& box = p.lanes[i];
        if (box.rect.isEmpty() || box.rect.bottom() <= p.plot.top() || box.rect.top() >= p.plot.bottom())
            continue;
        const LaneFrame frame{box.rect, time, theme};
        paintName(painter, lane, box, p, names, theme);
        if (!box.facts.isEmpty())
            paintFactsOf(painter, lane, frame.in(box.facts), facts);
        if (lane.curve)
            paintCurve(painter, lane, columns[i], frame);
        for (std::size_t r = 0; r < lane.rows.size() && !lane.paintsMarks; ++r)
            for (std::size_t l = 0; l < lane.rows[r].layers.size(); ++l)
                paintMarks(painter, lane.rows[r].layers[l], columns[i].shares[r][l], frame.in(box.rows[r]),
                           lane.rows[r].plain, overlay);
        if (lane.paint)
            lane.paint(painter, frame);
    }
    painter.restore();
    for (const LaneLine& line : m.lines)
        paintLine(painter, m, p, std::round(time.toPixel(line.time)) + 0.5,
                  QPen(line.dashed ? theme.muted : theme.text, 1, line.dashed ? Qt::DashLine : Qt::SolidLine),
                  line.first, line.last);
    if (overlay.measured)
        paintMeasured(painter, p.plot, time, *overlay.measured, overlay.measuredText, theme);
    if (overlay.cursor) {
        const double x = time.toPixel(*overlay.cursor);
        paintLine(painter, m, p, std::round(x) + 0.5, QPen(theme.accent, 2));
        paintFlag(painter, flag, overlay.cursorText, theme);
    }
    if (overlay.hover)
        paintLine(painter, m, p, std::round(time.toPixel(*overlay.hover)) + 0.5, QPen(theme.muted, 1));
    if (m.overview && !p.overview.isEmpty()) {
        painter.fillRect(p.overview, Theme::mix(theme.canvas, theme.muted, 0.08));
        m.overview(painter, {p.overview, {0, m.total, p.overview.left(), p.overview.right()}, theme});
        paintVisibleRange(painter, p.overview, m.total, time, theme);
    }
    painter.restore();
}

} // namespace tilewright::ui
