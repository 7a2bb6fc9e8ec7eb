// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane_chart.h"
#include "chart/playback.h"
#include "views/systolic/gantt_model.h"
#include "views/systolic/systolic_view.h"

class QComboBox;
class QToolButton;

namespace tilewright::ui {

/// The Gantt chart of the pipeline simulator: barriered and pipelined programs, stalls by reason, occupancy
/// of the memory levels, and banks at the cursor.
class GanttCanvas : public SystolicPaneOf<LaneChart>
{
    Q_OBJECT
public:
    explicit GanttCanvas(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QSize exportSize() const override { return {1280, 600}; }
    [[nodiscard]] QString tableText() const override; ///< the table of stalls

    [[nodiscard]] const GanttModel& model() const { return m_model; }
    [[nodiscard]] QPointF pointAt(double time) const
    {
        return pointIn(1, time);
    } ///< point of a time in the first lane
    void jumpToStall(int by);

protected:
    void rebuild() override;
    [[nodiscard]] QRectF chartArea(const QRectF& area, bool exporting) const override;
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QPointF focusPoint() const override;
    [[nodiscard]] QString restingReadout() const override;
    [[nodiscard]] std::optional<double> pinnedTime() const override;
    [[nodiscard]] OurTrace ourTrace() const override;
    void cursorDragged(double time) override;
    void clicked(QPointF, double) override {}
    void hideEvent(QHideEvent* event) override;

private:
    void showHeld(); ///< shows the contents of the levels at the cursor, beside their lanes

    GanttModel m_model;
    std::int64_t m_cycles = 0; ///< cycles of the programs that the range was measured in
    Playback* m_playback = nullptr;
    Scrubber* m_scrubber = nullptr;
    QComboBox* m_show = nullptr;
    QAction* m_pin = nullptr; ///< keeps the programs to compare with, or drops them
    /// Shown if the programs are so long that one asks first.
    QAction* m_simulate = nullptr;
    QToolButton* m_simulateButton = nullptr;
};

} // namespace tilewright::ui
