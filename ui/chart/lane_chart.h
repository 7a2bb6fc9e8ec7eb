// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/viewport.h"
#include "chart/lane.h"
#include "chart/time_canvas.h"
#include "chart/trace_beside.h"

namespace tilewright::ui {

class Playback;

/// Chart over time with lanes. Subclasses set the lanes and handle clicks. The base class does zooming,
/// measuring with snapping, overview strip, readout, tooltips, selection by id, copying, and the table for
/// assistive technology.
class LaneChart : public TimeCanvas
{
    Q_OBJECT
public:
    LaneChart(const ViewContext& context, QString name, QString title, Dragging dragging, QWidget* parent);

    [[nodiscard]] const LaneModel& lanes() const { return m_lanes; }
    [[nodiscard]] LanePlaces places() const;
    /// Position of a time in the first row of a lane.
    [[nodiscard]] QPointF pointIn(std::size_t lane, double time) const;
    [[nodiscard]] QString readoutAt(QPointF position) const;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    /// Marks of the measured range, or of the visible range if nothing is measured, as CSV.
    [[nodiscard]] QString marksAsCsv() const;
    /// Table of the first visible marks, with a limited number of rows.
    [[nodiscard]] QString tableText() const override;
    [[nodiscard]] std::vector<PicturePart> partsIn(const QSize& size) override;
    void panBy(QPointF pixels) override;
    void fitSelection() override;
    [[nodiscard]] QRectF selectedPart() const override;
    /// The trace beside the run; null in charts without addTrace().
    [[nodiscard]] TraceBeside* trace() const { return m_trace; }
    void settle() override;                              ///< waits for the trace
    [[nodiscard]] QJsonObject settings() const override; ///< settings of the trace
    void restoreSettings(const QJsonObject& settings) override;

protected:
    void setLanes(LaneModel lanes);
    /// Adds the command that opens a trace beside the run. Requires ourTrace().
    QAction* addTrace();
    /// The run that the chart shows, for a trace beside it.
    [[nodiscard]] virtual OurTrace ourTrace() const { return {}; }
    /// Changes texts of the model. The pixel columns of the visible range are not recomputed.
    void amend(const std::function<void(LaneModel&)>& change);
    /// Area of the chart in the view; paintBeside() paints the rest.
    [[nodiscard]] virtual QRectF chartArea(const QRectF& area, bool exporting) const
    {
        Q_UNUSED(exporting)
        return area;
    }
    virtual void paintBeside(QPainter&, const QRectF&, const Theme&, bool exporting) { Q_UNUSED(exporting) }
    /// Text of the readout while the mouse is not over the chart.
    [[nodiscard]] virtual QString restingReadout() const { return {}; }
    [[nodiscard]] virtual QString measuredText() const;
    [[nodiscard]] virtual QString cursorText() const;
    [[nodiscard]] virtual std::optional<std::uint32_t> selectedMark() const { return std::nullopt; }
    [[nodiscard]] virtual std::optional<std::uint32_t> hoveredMark() const { return m_hoveredMark; }
    /// Adds a command (Space) that moves the cursor through the whole time in ten seconds.
    void addPlaying(const QString& text);
    virtual void moveCursorTo(double time) { Q_UNUSED(time) }
    /// Keys of the PicturePart at a hit.
    [[nodiscard]] virtual QStringList keysOf(const LaneHit& hit) const
    {
        Q_UNUSED(hit)
        return {};
    }
    /// Time range of the selection, for "Go to selection" (F).
    [[nodiscard]] virtual std::optional<Range> selectedRange() const { return std::nullopt; }
    [[nodiscard]] std::optional<LaneHit> hitAt(QPointF position) const;
    /// Id of the mark at a position.
    [[nodiscard]] std::optional<std::uint32_t> markAt(QPointF position) const;
    void placeScroll();

    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] Places timePlaces() const override;
    [[nodiscard]] double shortestRange() const override { return m_lanes.shortest; }
    [[nodiscard]] double snapped(double time) const override;
    void hovered(QPointF position) override;
    void contentResized() override { placeScroll(); }
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    /// Area of the lanes in the window: chartArea() above the lists of the trace.
    [[nodiscard]] QRectF laneArea() const;
    void addTraceLanes(); ///< makes m_lanes of m_own and the lanes of the trace
    void showLanes();
    void placeTrace();
    void chooseTrace();
    [[nodiscard]] bool isOfTrace(const LaneHit& hit) const { return hit.lane >= m_own.lanes.size(); }

    LaneModel m_own; ///< without the lanes of the trace
    LaneModel m_lanes;
    TraceBeside* m_trace = nullptr;     ///< only if addTrace() was called
    std::optional<QPointF> m_traceDrag; ///< where a drag of the trace began
    QString m_readout;
    std::optional<std::uint32_t> m_hoveredMark;
    Playback* m_playing = nullptr;  ///< null unless addPlaying() was called
    ListScroll* m_scroll = nullptr; ///< scroll bar of the lanes; null if the lanes never scroll
    struct Cache                    ///< columns of the visible range; recomputed when zooming
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
    /// Cached layout; computing it is slow because texts are measured.
    mutable std::optional<KnownPlaces> m_places;
};

} // namespace tilewright::ui
