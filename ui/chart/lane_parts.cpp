// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/lane.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kMostHits = 12'000; // limit of hit tests per chart
/// Collects the parts of one row, or of a lane without rows.
class RowParts
{
public:
    RowParts(const LaneModel& model, const QRectF& place, std::vector<PicturePart>& parts)
        : m_model(model), m_place(place), m_parts(parts)
    {
    }

    void add(double left, double right, const LaneHit& hit, const QStringList& keys)
    {
        const bool sameMark = hit.marks && hit.marks == m_last.marks && hit.mark == m_last.mark;
        const QString tooltip = sameMark ? QString() : tooltipOf(m_model, hit);
        if (m_open && m_last.marks == hit.marks &&
            (sameMark || (!hit.marks && m_parts.back().tooltip == tooltip && m_parts.back().keys == keys))) {
            m_parts.back().rect.setRight(right);
            return;
        }
        m_open = !tooltip.isEmpty();
        m_last = hit;
        if (m_open)
            m_parts.push_back(
                {QRectF(QPointF(left, m_place.top()), QPointF(right, m_place.bottom())), keys, tooltip});
    }
    void end() { m_open = false; }

private:
    const LaneModel& m_model;
    QRectF m_place;
    std::vector<PicturePart>& m_parts;
    LaneHit m_last;
    bool m_open = false;
};

} // namespace

std::vector<PicturePart> laneParts(const LaneModel& model, const LanePlaces& places, const Axis& time,
                                   const std::function<QStringList(const LaneHit&)>& keys)
{
    std::vector<QRectF> rows;
    for (std::size_t i = 0; i < places.lanes.size(); ++i) {
        const Lane& lane = model.lanes[i];
        const LaneBox& box = places.lanes[i];
        if (lane.rows.empty() && (lane.tooltip || lane.readout))
            rows.push_back(box.rect);
        for (std::size_t r = 0; r < box.rows.size(); ++r)
            if (!lane.rows[r].plain)
                rows.push_back(box.rows[r]);
    }
    const double width = places.plot.width();
    const double step = std::max(1.0, std::ceil(width * static_cast<double>(rows.size()) / kMostHits));
    std::vector<PicturePart> parts;
    for (const QRectF& row : rows) {
        RowParts found(model, row, parts);
        for (double x = places.plot.left(); x < places.plot.right(); x += step) {
            const double right = std::min(x + step, places.plot.right());
            if (const auto hit = laneHit(model, places, time, {(x + right) / 2, row.center().y()}))
                found.add(x, right, *hit, keys(*hit));
            else
                found.end();
        }
    }
    return parts;
}

} // namespace tilewright::ui
