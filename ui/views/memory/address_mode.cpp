// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/address_mode.h"

#include "chart/plot_paint.h"
#include "theme/number.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

double highestAddress(const AddressMap& map)
{
    return static_cast<double>(std::max(map.capacity, map.placed.placement.height)) * 1.08;
}

Axis addressAxis(const AddressMap& map, const QRectF& plot)
{
    return {0, highestAddress(map), plot.bottom(), plot.top()};
}

void paintItems(QPainter& painter, const AddressMap& map, const LaneFrame& f, const Axis& address,
                const std::optional<TensorId>& selected, const std::optional<TensorId>& hovered)
{
    const QFont font = uiFont(0.8);
    const TextMetrics metrics(font);
    painter.setRenderHint(QPainter::Antialiasing, false);
    QRect last;
    for (const std::size_t i : map.order) {
        if (map.start[i] >= f.time.v1)
            break;
        if (map.end[i] <= f.time.v0)
            continue;
        const StepItem& item = map.item(i);
        const TensorId t = item.what.tensor;
        const int x0 = qRound(std::max(f.time.toPixel(map.start[i]), f.rect.left()));
        const int x1 = qRound(std::min(f.time.toPixel(map.end[i]), f.rect.right()));
        const auto low = static_cast<double>(map.offset(i));
        const int y1 = qRound(address.toPixel(low));
        const int y0 = qRound(address.toPixel(low + static_cast<double>(item.what.elements)));
        const QRect box(x0, y0, std::max(1, x1 - x0), std::max(1, y1 - y0));
        if (box == last) // many items in one pixel
            continue;
        last = box;
        const bool chosen = selected == t;
        const QColor& full = f.theme.category(t.index());
        const QColor fill = selected && !chosen ? Theme::mix(f.theme.canvas, full, 0.35) : full;
        painter.fillRect(box, fill);
        if (box.width() > 3 && box.height() > 3) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(chosen         ? f.theme.text
                                : hovered == t ? f.theme.accent
                                               : f.theme.categoryBorder(t.index()),
                                chosen || hovered == t ? 2 : 1));
            painter.drawRect(box.adjusted(0, 0, -1, -1));
        }
        if (box.height() >= metrics.height() && box.width() >= 48)
            writeAcross(painter, QRectF(box).adjusted(4, 0, -4, 0),
                        metrics.elidedText(QString::fromStdString(map.problem->tensorName(t)),
                                           Qt::ElideMiddle, box.width() - 8),
                        font, f.theme.inkOn(fill));
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintLevel(QPainter& painter, const LaneFrame& f, double y, const QString& text, const QPen& pen,
                bool left)
{
    y = std::round(y) + 0.5;
    painter.setPen(QPen(f.theme.canvas, pen.widthF() + 2));
    painter.drawLine(QPointF(f.rect.left(), y), QPointF(f.rect.right(), y));
    painter.setPen(pen);
    painter.drawLine(QPointF(f.rect.left(), y), QPointF(f.rect.right(), y));
    const QFont font = uiFont(0.85);
    const TextMetrics fm(font);
    const double width = fm.horizontalAdvance(text) + 8;
    const QRectF box(left ? f.rect.left() + 2 : f.rect.right() - width - 2, y - fm.height() - 2, width,
                     fm.height());
    QColor back = f.theme.canvas;
    back.setAlphaF(0.85F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(back);
    painter.drawRoundedRect(box, 3, 3);
    painter.setFont(font);
    painter.setPen(pen.color());
    painter.drawText(box, Qt::AlignCenter, text);
}

void paintAddresses(QPainter& painter, const AddressMap& map, const LaneFrame& f, const Selection& selection)
{
    const Axis address = addressAxis(map, f.rect);
    paintYAxis(painter, address, f.rect, tr("address"), f.theme);
    painter.save();
    const double above = std::max(12.0, TextMetrics(uiFont(0.85)).height() + 3);
    painter.setClipRect(f.rect.adjusted(-6, -above, 6, 1), Qt::IntersectClip);
    const Placement& p = map.placed.placement;
    const double top = address.toPixel(static_cast<double>(p.height));
    const double last = map.end.empty() ? f.time.v0 : *std::max_element(map.end.begin(), map.end.end());
    const double right = std::min(f.rect.right(), f.time.toPixel(last));
    if (right > f.rect.left()) // areas without an item are free memory
        fillHatch(painter, QRectF(QPointF(f.rect.left(), top), QPointF(right, f.rect.bottom())), f.theme);
    paintItems(painter, map, f, address, selection.state().tensor, selection.hover().tensor);
    const bool fits = p.height <= map.capacity;
    QPen capacity(fits ? f.theme.text : f.theme.error, 1.5);
    capacity.setDashPattern({6, 3});
    paintLevel(painter, f, address.toPixel(static_cast<double>(map.capacity)),
               tr("capacity %1").arg(number(map.capacity)), capacity, false);
    paintLevel(painter, f, top, tr("height %1").arg(number(p.height)),
               QPen(fits ? f.theme.accent : f.theme.error, 1.5), true);
    painter.restore();
}

} // namespace

AddressMode::AddressMode(const Selection& selection, std::function<void()> changed)
    : m_selection(selection), m_changed(std::move(changed)),
      m_job(
          [this](Answer answer) {
              if (!answer.map || answer.of != m_requested)
                  return;
              m_map = std::move(answer.map);
              m_changed();
          },
          true)
{
}

void AddressMode::toggle()
{
    m_on = !m_on;
    m_changed();
}

void AddressMode::follow(const SnapshotPtr& snapshot, const std::shared_ptr<const Timeline>& timeline)
{
    if (!m_on || m_requested == snapshot)
        return;
    m_requested = nullptr;
    if (!snapshot || !timeline || timeline->parts.size() != snapshot->schedule.size()) {
        m_map = nullptr;
        return;
    }
    if (m_map && m_map->problem != snapshot->problem)
        m_map = nullptr;
    m_requested = snapshot;
    m_job.request([snapshot, timeline](std::stop_token stop) {
        return Answer{snapshot, buildAddressMap(*snapshot, *timeline, {std::move(stop), {}})};
    });
}

std::optional<TensorId> AddressMode::tensorAt(double time, double y) const
{
    if (!m_on || !m_map || !m_map->hint.isEmpty())
        return std::nullopt;
    const auto item = m_map->at(time, (1 - y) * highestAddress(*m_map));
    return item ? std::optional(m_map->item(*item).what.tensor) : std::nullopt;
}

void AddressMode::replaceStack(LaneModel& lanes, const MemoryModel& model) const
{
    if (!m_on || !lanes.hint.isEmpty() || lanes.lanes.size() < 2)
        return;
    if (!m_map || !m_map->hint.isEmpty()) {
        lanes.hint = m_map ? m_map->hint : tr("Placing every buffer …");
        return;
    }
    const auto map = m_map;
    lanes.keeps = map;
    lanes.title = addressTitle(*map);
    lanes.titleColour = [fits = map->placed.placement.height <= map->capacity](const Theme& t) {
        return fits ? t.text : t.error;
    };
    lanes.legends = [](const Theme& theme) {
        return std::vector<std::vector<ChartKey>>{
            {patchKey(tr("free"), theme.canvas, theme, Qt::BDiagPattern),
             ChartKey{tr("one colour per tensor"), {}, 1, {}}}};
    };
    Lane& plot = lanes.lanes[1];
    plot.paint = [map, &selection = m_selection](QPainter& painter, const LaneFrame& f) {
        paintAddresses(painter, *map, f, selection);
    };
    const double highest = highestAddress(*map);
    const auto said = [map, highest, end = model.timeline->total](double time, double y) {
        const double address = (1 - y) * highest;
        if (time > end || address < 0)
            return QString();
        const auto item = map->at(time, address);
        return item ? addressText(*map, *item)
               : address < static_cast<double>(map->placed.placement.height)
                   ? tr("free at address %1").arg(number(std::floor(address)))
                   : QString();
    };
    plot.readout = said;
    plot.tooltip = [said](double time, double y) { return said(time, y).toHtmlEscaped(); };
}

} // namespace tilewright::ui
