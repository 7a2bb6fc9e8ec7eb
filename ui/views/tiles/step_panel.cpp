// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tiles/step_panel.h"

#include "chart/keys.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "workload/halo.h"
#include "workspace/texts.h"

#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr double kMargin = 10;
constexpr double kLowPixels = 360; // height in pixels below which the pictures of the panel are smaller
constexpr double kLineGap = 2;

const QColor& rowColour(StepRow::Kind kind, const Theme& theme)
{
    switch (kind) {
    case StepRow::Kind::Loaded:
    case StepRow::Kind::Reused:
        return theme.input;
    case StepRow::Kind::Resident:
        return theme.resident;
    case StepRow::Kind::Stored:
        return theme.output;
    case StepRow::Kind::Progress:
        return theme.accumulator;
    case StepRow::Kind::Reserved:
        return theme.retained;
    case StepRow::Kind::Run:
        break;
    }
    return theme.computeTime;
}

double headHeight()
{
    const double big = QFontMetricsF(uiFont(1.0, QFont::DemiBold)).height();
    const double small = QFontMetricsF(uiFont(0.9)).height();
    return 6 + big + small * 3 + 4 * kLineGap + 6;
}

/// Paints the tensor as an outline with its slice. The slice is solid if it moves in this step, and hatched
/// if it only stays in memory.
void paintMiniature(QPainter& painter, const StepRow& row, const QRectF& box, const Theme& theme)
{
    const double w = static_cast<double>(row.width);
    const double h = static_cast<double>(row.height);
    const double scale = std::min(box.width() / w, box.height() / h);
    const QSizeF size(std::max(5.0, w * scale), std::max(5.0, h * scale));
    const QRectF outline(box.center() - QPointF(size.width(), size.height()) / 2, size);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(outline, Theme::mix(theme.canvas, theme.muted, 0.10));
    QRectF lit(outline.left() + static_cast<double>(row.slice.c0) / w * size.width(),
               outline.top() + static_cast<double>(row.slice.r0) / h * size.height(),
               std::max(2.0, static_cast<double>(row.slice.c1 - row.slice.c0) / w * size.width()),
               std::max(2.0, static_cast<double>(row.slice.r1 - row.slice.r0) / h * size.height()));
    lit.moveLeft(std::min(lit.left(), outline.right() - lit.width()));
    lit.moveTop(std::min(lit.top(), outline.bottom() - lit.height()));
    const QColor& colour = rowColour(row.kind, theme);
    const bool moves = row.kind == StepRow::Kind::Loaded || row.kind == StepRow::Kind::Stored ||
                       row.kind == StepRow::Kind::Run;
    painter.fillRect(lit, moves ? colour : Theme::mix(theme.canvas, colour, 0.45));
    if (!moves) {
        QBrush hatch(theme.dark ? Theme::mix(colour, theme.text, 0.5) : Theme::mix(colour, theme.text, 0.6),
                     Qt::BDiagPattern);
        painter.fillRect(lit, hatch);
    }
    // The outline of a view is dashed, as in the graph.
    painter.setPen(QPen(theme.outline, 1, row.isView ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(outline.adjusted(0, 0, -1, -1));
    painter.setRenderHint(QPainter::Antialiasing, true);
}

/// Paints a bar with the parts of the working set and the capacity.
void paintWorkingSet(QPainter& painter, const StepModel& model, std::int64_t capacity, const QRectF& bar,
                     const Theme& theme)
{
    const Step& s = model.step;
    const double full = static_cast<double>(std::max(capacity, s.workingSet));
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(bar, Theme::mix(theme.canvas, theme.muted, 0.12));
    double x = bar.left();
    // Donated elements are elements of an output that takes the place of an input (R9.6).
    for (const auto& [elements, colour] : {std::pair{model.residentElements, theme.resident},
                                           {s.reserved - model.residentElements, theme.retained},
                                           {s.inputElements - s.donatedElements, theme.input},
                                           {s.interiorElements, theme.interior},
                                           {s.accumulatorElements, theme.accumulator},
                                           {s.outputElements, theme.output}}) {
        const double w = bar.width() * static_cast<double>(elements) / full;
        painter.fillRect(QRectF(x, bar.top(), w, bar.height()), colour);
        x += w;
    }
    painter.setPen(
        QPen(s.workingSet > capacity ? theme.error : theme.outline, s.workingSet > capacity ? 2 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(bar.left(), bar.top(), bar.width() * static_cast<double>(capacity) / full - 1,
                            bar.height() - 1));
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintHead(QPainter& painter, const StepModel& model, const TilesModel& tiles, const QRectF& area,
               const Theme& theme)
{
    const Step& s = model.step;
    const double width = area.width() - 2 * kMargin;
    double y = area.top() + 6;
    const auto line = [&](const QString& text, const QFont& font, const QColor& colour) {
        y += writeLine(painter, {area.left() + kMargin, y}, width, text, font, colour) + kLineGap;
    };
    line(model.where, uiFont(1.0, QFont::DemiBold), theme.text);
    line(model.count, uiFont(0.9), theme.muted);
    line(tr("%1 %2 = the larger of compute %3, memory %4")
             .arg(boundSign(s.bound()), number(s.latency), number(s.compute), number(s.memory)),
         uiFont(0.9), theme.text);
    const bool fits = s.workingSet <= tiles.capacity;
    const QString used = (fits ? tr("%1 of %2 in use") : tr("%1 of %2: does not fit"))
                             .arg(elementsText(*tiles.trace->key.problem, s.workingSet),
                                  elementsText(*tiles.trace->key.problem, tiles.capacity));
    const double bar = QFontMetricsF(uiFont(0.9)).horizontalAdvance(used) + 10;
    const double middle = y + QFontMetricsF(uiFont(0.9)).height() / 2;
    line(used, uiFont(0.9), fits ? theme.text : theme.error);
    if (width - bar > 30)
        paintWorkingSet(painter, model, tiles.capacity,
                        QRectF(area.left() + kMargin + bar, middle - 5, width - bar, 10), theme);
}

void paintHalo(QPainter& painter, const QRectF& box, const Theme& theme)
{
    painter.fillRect(box, Theme::mix(theme.canvas, theme.input, 0.45));
    painter.fillRect(box, QBrush(haloColour(theme), Qt::BDiagPattern));
}

/// Paints an image that the tile reads through windows: the part that the tile touches, with its halo (R1.8).
void paintImage(QPainter& painter, const WindowsMap& map, const MappedRead& read, const QRectF& area,
                const Theme& theme)
{
    const std::int64_t image = read.touched.box.r0 / (map.h * map.w);
    const double scale =
        std::min(area.width() / static_cast<double>(map.w), area.height() / static_cast<double>(map.h));
    const QSizeF size(static_cast<double>(map.w) * scale, static_cast<double>(map.h) * scale);
    const QRectF frame(area.topLeft(), size);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(frame, Theme::mix(theme.canvas, theme.muted, 0.10));
    QRegion own, halo;
    for (const ImageRun& run : imageRuns(map, read.whole, read.own, read.tile, image)) {
        const int left = qRound(frame.left() + static_cast<double>(run.begin) * scale);
        const int top = qRound(frame.top() + static_cast<double>(run.row) * scale);
        const QRect r(left, top,
                      std::max(1, qRound(frame.left() + static_cast<double>(run.end) * scale) - left),
                      std::max(1, qRound(frame.top() + static_cast<double>(run.row + 1) * scale) - top));
        (run.halo ? halo : own) += r;
    }
    painter.save();
    painter.setClipRegion(own, Qt::IntersectClip);
    painter.fillRect(frame, theme.input);
    painter.restore();
    painter.save();
    painter.setClipRegion(halo, Qt::IntersectClip);
    paintHalo(painter, frame, theme);
    painter.restore();
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(frame.adjusted(0, 0, -1, -1));
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintMap(QPainter& painter, const StepModel& model, const Problem& problem, const QRectF& area,
              const Theme& theme)
{
    const MappedRead& read = model.reads.front();
    const IndexMap& map = *problem.map(read.view);
    const double width = area.width() - 2 * kMargin;
    double y = area.top() + 4;
    painter.setPen(QPen(theme.outline, 1));
    painter.drawLine(QPointF(area.left(), area.top()), QPointF(area.right(), area.top()));
    const auto line = [&](const QString& text, const QFont& font, const QColor& colour) {
        y += writeLine(painter, {area.left() + kMargin, y}, width, text, font, colour, Qt::ElideMiddle) +
             kLineGap;
    };
    line(tr("%1 reads %2 through %3")
             .arg(QString::fromStdString(problem.opName(read.op)),
                  QString::fromStdString(problem.tensorName(problem.stored(read.view))), mapLabel(map)),
         uiFont(0.9, QFont::DemiBold), theme.muted);
    for (const QString& text : mappedReadTexts(problem, read))
        line(text, uiFont(0.9), theme.text);
    if (model.reads.size() > 1)
        line(tr("and %1").arg(counted(std::ssize(model.reads) - 1, tr("further map"), tr("further maps"))),
             uiFont(0.85), theme.muted);
    const auto* windows = std::get_if<WindowsMap>(&map);
    if (!windows)
        return;
    const std::vector<ChartKey> keys{patchKey(tr("this row of tiles alone"), theme.input, theme),
                                     {tr("halo: other tiles, too"), [&theme](QPainter& p, const QRectF& box) {
                                          paintHalo(p, box, theme);
                                      }}};
    const double legend = keysHeight(keys, width);
    const QRectF picture(area.left() + kMargin, y + 2, width, area.bottom() - legend - 8 - (y + 2));
    if (picture.height() < 20)
        return;
    paintImage(painter, *windows, read, picture, theme);
    paintKeys(painter, keys, {picture.left(), area.bottom() - legend - 4, width, legend + 4}, theme);
}

} // namespace

StepPanelLayout layoutStepPanel(const StepModel& model, const QRectF& area)
{
    StepPanelLayout layout;
    layout.area = area;
    const double head = headHeight();
    layout.list = QRectF(area.left(), area.top() + head, area.width(), std::max(0.0, area.height() - head));
    if (!model.reads.empty()) {
        const double most = std::min(300.0, layout.list.height() * 0.5);
        layout.map = {area.left(), area.bottom() - most, area.width(), most};
        layout.list.setBottom(layout.map.top());
    }
    const bool low = area.height() < kLowPixels;
    layout.miniature = low ? 24 : 34;
    const double text = QFontMetricsF(uiFont(0.9)).height() + QFontMetricsF(uiFont(0.85)).height();
    const double rowHeight = std::max(layout.miniature, text) + (low ? 3 : 6);
    const double headingHeight = QFontMetricsF(uiFont(0.9)).height() + (low ? 4 : 8);
    double y = 0;
    for (std::size_t i = 0; i < model.rows.size(); ++i) {
        if (i == 0 || model.rows[i].kind != model.rows[i - 1].kind) {
            double sum = 0;
            for (const StepRow& row : model.rows)
                sum += row.kind == model.rows[i].kind ? row.amount : 0;
            layout.lines.push_back(
                {QRectF(area.left(), y, area.width(), headingHeight), -1,
                 QStringLiteral("%1 · %2").arg(stepRowHeading(model.rows[i].kind), number(sum))});
            y += headingHeight;
        }
        layout.lines.push_back({QRectF(area.left(), y, area.width(), rowHeight), static_cast<int>(i), {}});
        y += rowHeight;
    }
    layout.height = y;
    return layout;
}

void StepPanelLayout::narrowList(double by)
{
    list.setRight(list.right() - by);
    for (Line& line : lines)
        line.rect.setRight(line.rect.right() - by);
}

void paintStepPanel(QPainter& painter, const StepModel& model, const TilesModel& tiles,
                    const StepPanelLayout& layout, double scroll, std::optional<int> hoveredRow,
                    const Theme& theme)
{
    painter.save();
    painter.fillRect(layout.area, theme.panel);
    painter.setClipRect(layout.area, Qt::IntersectClip);
    paintHead(painter, model, tiles, layout.area, theme);
    if (!layout.map.isEmpty())
        paintMap(painter, model, *tiles.trace->key.problem, layout.map, theme);
    painter.setClipRect(layout.list, Qt::IntersectClip);
    const QFont nameFont = uiFont(0.9);
    const QFont detailFont = uiFont(0.85);
    const QFontMetricsF nameMetrics(nameFont);
    const QFontMetricsF detailMetrics(detailFont);
    for (const StepPanelLayout::Line& line : layout.lines) {
        const QRectF r = line.rect.translated(0, layout.list.top() - scroll);
        if (r.bottom() < layout.list.top() || r.top() > layout.list.bottom())
            continue;
        if (line.row < 0) {
            writeAcross(painter, r.adjusted(kMargin, 2, -kMargin, 0), line.heading,
                        uiFont(0.9, QFont::DemiBold), theme.muted);
            continue;
        }
        const StepRow& row = model.rows[static_cast<std::size_t>(line.row)];
        if (hoveredRow == line.row)
            painter.fillRect(r, theme.selection);
        const QRectF box(r.left() + kMargin, r.center().y() - layout.miniature / 2, layout.miniature,
                         layout.miniature);
        paintMiniature(painter, row, box, theme);
        const double left = box.right() + 8;
        const double right = r.right() - kMargin;
        const QString amount = number(row.amount);
        const double amountWidth = nameMetrics.horizontalAdvance(amount);
        const double top = r.center().y() - (nameMetrics.height() + detailMetrics.height()) / 2;
        writeLine(painter, {right - amountWidth, top}, amountWidth + 1, amount, nameFont, theme.text);
        writeLine(painter, {left, top}, right - left - amountWidth - 8, row.name, nameFont, theme.text,
                  Qt::ElideMiddle);
        writeLine(painter, {left, top + nameMetrics.height()}, right - left, row.detail, detailFont,
                  theme.muted);
    }
    // If there are more lines below, the lower end of the list fades out.
    if (layout.height - scroll > layout.list.height() + 1) {
        constexpr double kFade = 14;
        const QRectF end(layout.list.left(), layout.list.bottom() - kFade, layout.list.width(), kFade);
        QLinearGradient fade(end.topLeft(), end.bottomLeft());
        QColor clear = theme.panel;
        clear.setAlpha(0);
        fade.setColorAt(0, clear);
        fade.setColorAt(1, theme.panel);
        painter.fillRect(end, fade);
    }
    painter.restore();
}

std::optional<int> stepRowAt(const StepPanelLayout& layout, double scroll, QPointF point)
{
    if (!layout.list.contains(point))
        return std::nullopt;
    const double y = point.y() - layout.list.top() + scroll;
    for (const StepPanelLayout::Line& line : layout.lines)
        if (line.row >= 0 && y >= line.rect.top() && y < line.rect.bottom())
            return line.row;
    return std::nullopt;
}

} // namespace tilewright::ui
