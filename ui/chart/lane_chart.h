// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/list_scroll.h"
#include "chart/lane.h"
#include "chart/time_canvas.h"

namespace tilewright::ui {

class Playback;

/// A chart over time. A lens gives its lanes and says what a click means; zooming, measuring with snapping,
/// the overview strip, readout and tooltips, selection by id, copying the marks and the table for assistive
/// technology come with it.
class LaneChart : public TimeCanvas
{
    Q_OBJECT
public:
    LaneChart(const ViewContext& context, QString name, QString title, Dragging dragging, QWidget* parent);

    [[nodiscard]] const LaneModel& lanes() const { return m_lanes; }
    [[nodiscard]] LanePlaces places() const;
    /// A point of the lane at a time, in its first row.
    [[nodiscard]] QPointF pointIn(std::size_t lane, double time) const;
    [[nodiscard]] QString readoutAt(QPointF position) const;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    /// The marks of the measured range, otherwise of the visible one, as CSV.
    [[nodiscard]] QString marksAsCsv() const;
    /// The first marks in sight.
    [[nodiscard]] QString tableText() const override;
    [[nodiscard]] std::vector<PicturePart> partsIn(const QSize& size) override;
    void panBy(QPointF pixels) override;
    void fitSelection() override;
    [[nodiscard]] QRectF selectedPart() const override;

protected:
    void setLanes(LaneModel lanes);
    /// Changes texts alone: what was computed for the visible range stays.
    void amend(const std::function<void(LaneModel&)>& change);
    /// The part of the view that holds the chart; the lens paints the rest.
    [[nodiscard]] virtual QRectF chartArea(const QRectF& area, bool exporting) const
    {
        Q_UNUSED(exporting)
        return area;
    }
    virtual void paintBeside(QPainter&, const QRectF&, const Theme&, bool exporting) { Q_UNUSED(exporting) }
    /// The readout while the mouse is elsewhere.
    [[nodiscard]] virtual QString restingReadout() const { return {}; }
    [[nodiscard]] virtual QString measuredText() const;
    [[nodiscard]] virtual QString cursorText() const;
    [[nodiscard]] virtual std::optional<std::uint32_t> selectedMark() const { return std::nullopt; }
    [[nodiscard]] virtual std::optional<std::uint32_t> hoveredMark() const { return m_hoveredMark; }
    /// Space moves the cursor through the whole time in ten seconds.
    void addPlaying(const QString& text);
    virtual void moveCursorTo(double time) { Q_UNUSED(time) }
    /// What the parts of pictures say is there.
    [[nodiscard]] virtual QStringList keysOf(const LaneHit& hit) const
    {
        Q_UNUSED(hit)
        return {};
    }
    /// When what was selected runs, to go there (F).
    [[nodiscard]] virtual std::optional<Range> selectedRange() const { return std::nullopt; }
    [[nodiscard]] std::optional<LaneHit> hitAt(QPointF position) const;
    /// The id of the mark there.
    [[nodiscard]] std::optional<std::uint32_t> markAt(QPointF position) const;
    void placeScroll();

    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] Places timePlaces() const override;
    [[nodiscard]] double shortestRange() const override { return m_lanes.shortest; }
    [[nodiscard]] double snapped(double time) const override;
    void hovered(QPointF position) override;
    void contentResized() override { placeScroll(); }
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    LaneModel m_lanes;
    QString m_readout;
    std::optional<std::uint32_t> m_hoveredMark;
    Playback* m_playing = nullptr;  ///< of charts whose cursor plays
    ListScroll* m_scroll = nullptr; ///< in charts that have more lanes than room
    struct Cache                    ///< columns of the visible range: the only work of a zoom
    {
        double from = 0, to = -1;
        int width = 0;
        std::vector<LaneColumns> columns;
    };
    Cache m_cache;
    struct KnownPlaces
    {
        QRectF area;
        double scroll = 0;
        QFont font;
        LanePlaces places;
    };
    mutable std::optional<KnownPlaces> m_places; ///< asked for several times an edit; they measure texts
};

} // namespace tilewright::ui
