// SPDX-License-Identifier: GPL-3.0-or-later
// The panel beside the pipeline: cycles of the array by reason, banks being read, instructions at the cursor.
#include "views/systolic/gantt_lanes.h"

#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

using namespace systolic;

namespace {

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
    writeLine(painter, area.topLeft(), area.width(), tr("Banks of L2 read now"), bold, theme.text);
    const double top = area.top() + bm.height() + 4;
    for (std::int64_t i = 0; i < shown; ++i) {
        const std::int64_t row = i / perRow;
        const QRectF box(area.left() + static_cast<double>(i % perRow) * (w + gap),
                         top + static_cast<double>(row) * (h + gap), w, h);
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
    QString note = b.conflict() ? tr("⚠ %1 and %2 share a bank: one read is serialised").arg(b.tileA, b.tileB)
                   : b.bankA    ? tr("%1 and %2 are read together").arg(b.tileA, b.tileB)
                                : tr("no COMPUTE instruction at the cursor");
    if (b.map.banks > shown)
        note += tr(" (first %1 banks)").arg(shown);
    writeLine(painter, {area.left(), top + rows * (h + gap)}, area.width(), note, uiFont(0.8),
              b.conflict() ? theme.error : theme.muted);
    return need;
}

} // namespace

void paintGanttPanel(QPainter& painter, const GanttModel& m, const QRectF& area, const Theme& theme)
{
    double y = area.top();
    const auto fits = [&](double h) { return y + h <= area.bottom(); };
    const double tables = m.stalls.height(area.width());
    if (fits(tables)) {
        PaintedTable stalls = m.stalls;
        stalls.key = [&](QPainter& painter, const QRectF& box, int row) {
            const std::string& reason = m.stallReasons[static_cast<std::size_t>(row)];
            if (row == 0)
                painter.fillRect(box, theme.computeTime);
            else if (!reason.empty())
                fillReason(painter, box, reason, theme);
        };
        stalls.paint(painter, QRectF(area.left(), y, area.width(), tables), theme);
        y += tables + 12;
    }
    const double banks =
        paintBanks(painter, m, QRectF(area.left(), y, area.width(), area.bottom() - y), theme);
    y += banks > 0 ? banks + 12 : 0;
    PaintedTable now = m.now;
    while (!now.rows.empty() && !fits(now.height(area.width())))
        now.rows.pop_back();
    if (!now.rows.empty())
        now.paint(painter, QRectF(area.left(), y, area.width(), area.bottom() - y), theme);
}

} // namespace tilewright::ui
