// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/time_axis.h"
#include "views/systolic/gantt_paint.h"
#include "views/systolic/systolic_pane.h"

class QComboBox;

namespace tilewright::ui {

/// The resource Gantt of the pipeline simulator: barriered and pipelined side by side, stalls by reason,
/// occupancy of the levels and the banks at the cursor.
class GanttCanvas : public SystolicPane
{
    Q_OBJECT
public:
    explicit GanttCanvas(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QSize exportSize() const override { return {1280, 600}; }
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;
    [[nodiscard]] QString tableText() const override; ///< the stalls

    [[nodiscard]] const GanttModel& model() const { return m_model; }
    [[nodiscard]] QPointF pointAt(double time) const; ///< in the first lane shown
    [[nodiscard]] std::pair<double, double> visibleRange() const { return m_range.pair(); }
    void jumpToStall(int by);

protected:
    void rebuild() override;
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    [[nodiscard]] QPointF keyAnchor() const override;
    void leaveEvent(QEvent* event) override;

private:
    void moveTime(std::int64_t by) { state().setPipelineTime(m_model.time + by); }
    [[nodiscard]] GanttPlaces places() const { return ganttPlaces(contentArea(), m_model); }
    [[nodiscard]] Axis axisOf(const GanttPlaces& places) const;

    GanttModel m_model;
    TimeAxis m_range;
    std::optional<double> m_hover;
    bool m_scrubbing = false;
    QComboBox* m_show = nullptr;
    QComboBox* m_bandwidth = nullptr;
    QComboBox* m_layout = nullptr;
};

} // namespace tilewright::ui
