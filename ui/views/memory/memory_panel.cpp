// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_panel.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "workspace/actions.h"
#include "workspace/texts.h"

#include <QPainter>

#include <algorithm>
#include <array>

namespace tilewright::ui {

namespace {

constexpr double kMargin = 10;

/// Paints lines from the top of the panel downwards.
class Lines
{
public:
    Lines(QPainter& painter, const QRectF& area)
        : m_painter(painter), m_left(area.left() + kMargin), m_width(area.width() - 2 * kMargin),
          m_y(area.top() + 6)
    {
    }
    void write(const QString& text, const QFont& font, const QColor& colour)
    {
        m_y += writeLine(m_painter, {m_left, m_y}, m_width, text, font, colour) + 2;
    }
    [[nodiscard]] double y() const { return m_y; }

private:
    QPainter& m_painter;
    double m_left;
    double m_width;
    double m_y;
};

void paintRow(QPainter& painter, const ContentItem& item, const QRectF& row, bool marked, bool hovered,
              const QString& prefix, const Problem& problem, const Theme& theme)
{
    if (marked || hovered)
        painter.fillRect(row, marked ? theme.selection : Theme::mix(theme.panel, theme.muted, 0.12));
    const QFont small = uiFont(0.9, marked ? QFont::DemiBold : QFont::Normal);
    const TextMetrics fm(small);
    const double left = row.left() + kMargin;
    const double right = row.right() - kMargin;
    const double baseline = row.center().y() + (fm.ascent() - fm.descent()) / 2;
    const QRectF box(left, row.center().y() - 5.5, 11, 11);
    painter.fillRect(box, contentColour(item.kind, theme));
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
    const QString amount = elementsText(problem, item.elements);
    const double w = fm.horizontalAdvance(amount);
    painter.setFont(small);
    painter.setPen(theme.text);
    painter.drawText(QPointF(right - w, baseline), amount);
    const double from = box.right() + 7;
    // The name has priority; the purpose of the item gets the remaining width.
    const QString shown = item.name.startsWith(prefix) ? item.name.mid(prefix.size()) : item.name;
    const QString name = fm.elidedText(shown, Qt::ElideMiddle, (right - w - from) * 0.85);
    painter.drawText(QPointF(from, baseline), name);
    const double kindFrom = from + fm.horizontalAdvance(name) + 8;
    painter.setPen(theme.muted);
    painter.drawText(QPointF(kindFrom, baseline),
                     fm.elidedText(contentKindText(item.kind) + QStringLiteral(", ") + item.detail,
                                   Qt::ElideRight, right - w - 8 - kindFrom));
}

void paintContents(QPainter& painter, const MemoryModel& model, const MemoryPanel& panel, double scroll,
                   double barWidth, std::optional<std::size_t> hoveredRow, const Theme& theme)
{
    Lines lines(painter, panel.area);
    const QFont small = uiFont(0.9);
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    QString heading =
        (model.pinned ? tr("At time %1") : tr("At the peak, time %1")).arg(number(model.cursor));
    if (!model.pinned && TextMetrics(bold).horizontalAdvance(heading) > panel.area.width() - 2 * kMargin)
        heading = tr("Peak at %1").arg(number(model.cursor));
    lines.write(heading, bold, theme.text);
    if (!model.contents) {
        const auto part = model.timeline->partAt(model.cursor);
        lines.write(part && model.timeline->parts[*part].duration == 0
                        ? tr("This subgraph cannot run; see Problems.")
                        : tr("Only the peak of this subgraph is known."),
                    small, theme.muted);
        return;
    }
    const MemoryContents& c = *model.contents;
    const Problem& problem = *model.timeline->problem;
    lines.write(
        tr("subgraph %1 · step %2").arg(model.timeline->parts[c.part].id.index()).arg(number(c.step + 1)),
        small, theme.muted);
    const std::int64_t free = model.capacity - c.total;
    lines.write(tr("%1 used, %2")
                    .arg(elementsText(problem, c.total), (free >= 0 ? tr("%1 free") : tr("%1 over capacity"))
                                                             .arg(elementsText(problem, std::abs(free)))),
                small, free >= 0 ? theme.text : theme.error);
    if (const QString halo = haloText(c, problem); model.hasHalos)
        lines.write(halo.isEmpty() ? tr("no halo in this step") : halo, small, theme.text);
    painter.setClipRect(panel.list, Qt::IntersectClip);
    const auto fitting = static_cast<std::size_t>(std::max(1.0, panel.list.height() / panel.rowHeight));
    for (std::size_t i = 0; i < c.items.size(); ++i) {
        const QRectF row(panel.list.left(),
                         panel.list.top() - scroll + static_cast<double>(i) * panel.rowHeight,
                         panel.list.width() - barWidth, panel.rowHeight);
        if (row.bottom() < panel.list.top() || row.top() > panel.list.bottom())
            continue;
        if (barWidth == 0 && c.items.size() > fitting && i + 1 == fitting) {
            painter.setFont(small);
            painter.setPen(theme.muted);
            painter.drawText(row.adjusted(kMargin, 0, 0, 0), Qt::AlignVCenter,
                             tr("%1 more").arg(c.items.size() - i));
            return;
        }
        paintRow(painter, c.items[i], row, model.track && model.track->tensor == c.items[i].tensor,
                 hoveredRow == i, model.namePrefix, problem, theme);
    }
}

/// Paints sum, minimum, mean and maximum over the measured range.
void paintRange(QPainter& painter, const MemoryModel& model, const MemoryPanel& panel, const Actions& keys,
                const Theme& theme)
{
    const RangeSummary& r = *model.range;
    Lines lines(painter, panel.area);
    const QFont small = uiFont(0.9);
    const TextMetrics fm(small);
    lines.write(tr("Time %1 to %2").arg(number(r.from), number(r.to)), uiFont(1.0, QFont::DemiBold),
                theme.text);
    lines.write(rangeStepsText(r), small, theme.muted);
    const auto n = static_cast<double>(r.steps.steps);
    struct Row
    {
        QString name;
        std::array<QString, 4> cells;
    };
    const auto row = [](const QString& name, const Spread& s, double mean, bool sum) {
        return Row{name,
                   {sum ? shortNumber(s.sum) : QStringLiteral("–"), shortNumber(s.low), shortNumber(mean),
                    shortNumber(s.high)}};
    };
    const Row rows[] = {{QString(), {tr("sum"), tr("min"), tr("mean"), tr("max")}},
                        row(tr("latency"), r.steps.latency, r.steps.latency.sum / n, true),
                        row(tr("loaded"), r.steps.loaded, r.steps.loaded.sum / n, true),
                        row(tr("stored"), r.steps.stored, r.steps.stored.sum / n, true),
                        row(tr("in memory"), r.steps.used, r.steps.meanUsed(), false)};
    double first = 0;
    for (const Row& line : rows)
        first = std::max(first, fm.horizontalAdvance(line.name));
    const double left = panel.area.left() + kMargin;
    const double column = (panel.area.right() - kMargin - left - first) / 4;
    double y = lines.y() + 4;
    painter.setFont(small);
    for (const Row& line : rows) {
        painter.setPen(theme.muted);
        painter.drawText(QPointF(left, y + fm.ascent()), line.name);
        painter.setPen(&line == rows ? theme.muted : theme.text);
        for (std::size_t i = 0; i < line.cells.size(); ++i)
            painter.drawText(QRectF(left + first + column * static_cast<double>(i), y, column, fm.height()),
                             Qt::AlignRight | Qt::AlignVCenter, line.cells[i]);
        y += fm.height() + 4;
    }
    painter.setPen(theme.muted);
    painter.drawText(
        QRectF(left, y + 4, panel.area.right() - kMargin - left, panel.area.bottom() - y - 4),
        Qt::TextWordWrap,
        keys.withKeys(
            tr("Values of all steps. {canvas.fitSelection|F} zooms to the range, {memory.letGo|Esc} ends the "
               "measurement. Hold Alt while dragging to measure without snapping.")));
}

} // namespace

const QColor& contentColour(ContentItem::Kind kind, const Theme& theme)
{
    switch (kind) {
    case ContentItem::Kind::Resident:
        return theme.resident;
    case ContentItem::Kind::Retained:
        return theme.retained;
    case ContentItem::Kind::Interior:
        return theme.interior;
    case ContentItem::Kind::Accumulator:
        return theme.accumulator;
    case ContentItem::Kind::Output:
    case ContentItem::Kind::Donated:
        return theme.output;
    case ContentItem::Kind::Input:
        break;
    }
    return theme.input;
}

MemoryPanel memoryPanel(const QRectF& area, bool hasHalos)
{
    MemoryPanel p;
    p.area = area;
    if (area.isEmpty())
        return p;
    const double small = TextMetrics(uiFont(0.9)).height();
    p.rowHeight = small + 6;
    const double head =
        6 + TextMetrics(uiFont(1.0, QFont::DemiBold)).height() + (hasHalos ? 3 : 2) * (small + 2) + 2 + 4;
    p.list = QRectF(area.left(), area.top() + head, area.width(), std::max(0.0, area.height() - head - 4));
    return p;
}

double MemoryPanel::contentHeight(const MemoryModel& model) const
{
    return model.contents && !model.range ? rowHeight * static_cast<double>(model.contents->items.size()) : 0;
}

std::optional<std::size_t> MemoryPanel::rowAt(const MemoryModel& model, QPointF point, double scroll) const
{
    if (!list.contains(point) || !model.contents || model.range)
        return std::nullopt;
    const auto row = static_cast<std::size_t>((point.y() - list.top() + scroll) / rowHeight);
    return row < model.contents->items.size() ? std::optional(row) : std::nullopt;
}

void paintMemoryPanel(QPainter& painter, const MemoryModel& model, const MemoryPanel& panel, double scroll,
                      double barWidth, std::optional<std::size_t> hoveredRow, const Actions& keys,
                      const Theme& theme)
{
    painter.save();
    painter.fillRect(panel.area, theme.panel);
    painter.setClipRect(panel.area, Qt::IntersectClip);
    if (model.range)
        paintRange(painter, model, panel, keys, theme);
    else
        paintContents(painter, model, panel, scroll, barWidth, hoveredRow, theme);
    painter.restore();
}

} // namespace tilewright::ui
