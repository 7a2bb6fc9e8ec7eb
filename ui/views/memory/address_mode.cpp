// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/address_mode.h"

#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright::ui {

namespace {

/// Limit of the search, about a second. If it is reached, the best placement so far is shown.
constexpr std::int64_t kMostNodes = 200'000;

QString itemKindText(Resident::Kind kind)
{
    switch (kind) {
    case Resident::Kind::Input:
        return tr("input");
    case Resident::Kind::Output:
        return tr("output");
    case Resident::Kind::Accumulator:
        return tr("accumulator");
    case Resident::Kind::Interior:
        return tr("interior");
    case Resident::Kind::Resident:
    case Resident::Kind::Retained:
        break;
    }
    return tr("retained");
}

} // namespace

std::optional<std::size_t> AddressMap::at(double time, double address) const
{
    std::optional<std::size_t> found;
    for (const std::size_t i : order) {
        if (start[i] > time)
            break;
        const auto low = static_cast<double>(offset(i));
        if (time < end[i] && address >= low && address < low + static_cast<double>(item(i).what.elements) &&
            (!found || item(i).takesOver))
            found = i;
    }
    return found;
}

std::shared_ptr<const AddressMap> buildAddressMap(const Snapshot& snapshot, const Timeline& timeline,
                                                  const Progress& progress)
{
    auto out = std::make_shared<AddressMap>();
    out->problem = snapshot.problem;
    out->capacity = snapshot.problem->capacityUnits();
    if (!snapshot.evaluation.valid()) {
        out->hint = tr("Only a valid schedule has addresses; see the list of problems.");
        return out;
    }
    if (!std::all_of(timeline.parts.begin(), timeline.parts.end(), [](const TimelinePart& p) {
            return p.isKnown() && p.steps->end() == StepTable::End::Complete;
        })) {
        out->hint = tr("A subgraph has too many steps to show the address of each buffer.");
        return out;
    }
    PlacementOptions options;
    options.maxNodes = kMostNodes;
    auto placed =
        placeSchedule(*snapshot.problem, snapshot.schedule, snapshot.evaluation.rules, progress, options);
    if (!placed) {
        if (progress.stopRequested())
            return nullptr;
        out->hint = sentence(placed.error().text());
        return out;
    }
    out->placed = std::move(*placed);
    const auto& items = out->placed.items.items;
    const auto timeOf = [&](SubgraphId subgraph, std::int64_t step) {
        const TimelinePart& part = timeline.parts[subgraph.index()];
        return part.start + part.steps->start(step);
    };
    out->start.reserve(items.size());
    out->end.reserve(items.size());
    for (const StepItem& i : items) {
        out->start.push_back(timeOf(i.subgraph, i.firstStep));
        out->end.push_back(timeOf(i.lastSubgraph, i.lastStep + 1));
    }
    out->order.resize(items.size());
    std::iota(out->order.begin(), out->order.end(), std::size_t{0});
    std::stable_sort(out->order.begin(), out->order.end(),
                     [&](std::size_t a, std::size_t b) { return out->start[a] < out->start[b]; });
    return out;
}

QString addressTitle(const AddressMap& map)
{
    const Placement& p = map.placed.placement;
    QString text = sentence(placementText(p, map.capacity));
    text[0] = text[0].toUpper();
    return tr("%1 · peak %2 · fragmentation %3").arg(text, number(p.peak), percent(p.fragmentation()));
}

QString addressText(const AddressMap& map, std::size_t i)
{
    const StepItem& item = map.item(i);
    const std::int64_t offset = map.offset(i);
    QString what = QString::fromStdString(map.problem->tensorName(item.what.tensor)) + QStringLiteral(", ") +
                   itemKindText(item.what.kind);
    if (item.what.rect)
        what += QStringLiteral(" [%1:%2, %3:%4]")
                    .arg(item.what.rect->r0)
                    .arg(item.what.rect->r1)
                    .arg(item.what.rect->c0)
                    .arg(item.what.rect->c1);
    const QString life =
        item.subgraph == item.lastSubgraph
            ? tr("subgraph %1, steps %2 to %3")
                  .arg(item.subgraph.index())
                  .arg(number(item.firstStep), number(item.lastStep))
            : tr("subgraphs %1 to %2").arg(item.subgraph.index()).arg(item.lastSubgraph.index());
    return tr("%1 · addresses %2 to %3 (%4 elements) · %5")
        .arg(what, number(offset), number(offset + item.what.elements), number(item.what.elements), life);
}

QString addressesAsText(const AddressMap& map, double time)
{
    std::vector<std::size_t> alive;
    for (const std::size_t i : map.order)
        if (map.start[i] <= time && time < map.end[i])
            alive.push_back(i);
    std::sort(alive.begin(), alive.end(),
              [&](std::size_t a, std::size_t b) { return map.offset(a) < map.offset(b); });
    QString out = QStringLiteral("offset\tsize\ttensor\tkind\n");
    for (const std::size_t i : alive)
        out += textRow(map.offset(i), map.item(i).what.elements,
                       map.problem->tensorName(map.item(i).what.tensor), itemKindText(map.item(i).what.kind));
    return out;
}

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
        if (box == last) // many items share one pixel: draw it once
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
    if (right > f.rect.left()) // the background is free memory, because no item covers it
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
