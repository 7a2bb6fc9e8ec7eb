// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane_chart.h"
#include "chart/playback.h"
#include "views/systolic/gantt_model.h"
#include "views/systolic/systolic_view.h"

class QComboBox;
class QToolButton;

namespace tilewright::ui {

/// The Gantt chart of the pipeline simulator: programs with barriers and pipelined programs, stalls by
/// reason, occupancy of the memory levels, and banks at the cursor.
class GanttCanvas : public SystolicPaneOf<LaneChart>
{
    Q_OBJECT
public:
    explicit GanttCanvas(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QSize exportSize() const override { return {1280, 600}; }
    [[nodiscard]] QString tableText() const override; ///< text of the table of stalls

    [[nodiscard]] const GanttModel& model() const { return m_model; }
    [[nodiscard]] QPointF pointAt(double time) const
    {
        return pointIn(1, time);
    } ///< point at a time in the first lane, in widget coordinates
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
    void showHeld(); ///< writes the occupancy of the memory levels at the cursor beside their lanes

    GanttModel m_model;
    std::int64_t m_cycles = 0; ///< length in cycles of the programs in which the range was measured
    Playback* m_playback = nullptr;
    Scrubber* m_scrubber = nullptr;
    QComboBox* m_show = nullptr;
    QAction* m_pin = nullptr; ///< pins the current programs for comparison, or unpins them
    /// Button that starts the simulation; shown if the programs are so long that the user is asked first.
    QAction* m_simulate = nullptr;
    QToolButton* m_simulateButton = nullptr;
};

} // namespace tilewright::ui
