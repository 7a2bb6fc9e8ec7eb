// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane_chart.h"
#include "views/npu/npu_files.h"
#include "views/npu/npu_lanes.h"

#include <QTimer>

class QToolButton;

namespace tilewright::ui {

class NpuControls;
class NpuSide;

/// A run of the NPU over time: cores, engines, SPM, DRAM, NoC and ready units. Settings are on the left,
/// lists (stalls, instructions, checks) on the right.
class NpuView : public LaneChart
{
    Q_OBJECT
public:
    explicit NpuView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override;
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QString tableText() const override { return copyText(); } ///< text of the table of stalls

    [[nodiscard]] const NpuChartModel& model() const { return m_model; }
    [[nodiscard]] NpuDocument& state() { return m_state; }
    [[nodiscard]] const NpuChartOptions& options() const { return m_options; }

protected:
    [[nodiscard]] QRectF chartArea(const QRectF& area, bool exporting) const override;
    [[nodiscard]] std::optional<double> pinnedTime() const override;
    [[nodiscard]] QString restingReadout() const override;
    [[nodiscard]] QString measuredText() const override;
    [[nodiscard]] std::optional<std::uint32_t> selectedMark() const override { return m_state.node(); }
    [[nodiscard]] std::optional<std::uint32_t> hoveredMark() const override { return m_state.hoverNode(); }
    [[nodiscard]] std::optional<Range> selectedRange() const override;
    [[nodiscard]] QPointF focusPoint() const override;
    [[nodiscard]] QStringList keysOf(const LaneHit& hit) const override;
    [[nodiscard]] OurTrace ourTrace() const override;
    void moveCursorTo(double time) override;
    void clicked(QPointF position, double time) override;
    void hovered(QPointF position) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void rebuild();
    void showLanes();
    void showBusy(); ///< shows that a simulation is running, and makes the old result pale
    void place();
    [[nodiscard]] int controlsWidth() const; ///< width in pixels of the settings if there is enough room
    [[nodiscard]] int sideWidth() const;     ///< width in pixels of the lists if there is enough room
    void addOwnKeys();
    QAction* addRunScheduleCommand();
    QList<QAction*> addExportCommands();
    void exportFile(NpuFile what, const QString& title);
    void moveSpan(int by);
    void moveCore(int by);
    void showContextMenu(QPointF position) override;
    [[nodiscard]] std::size_t lanesPerCore() const;
    [[nodiscard]] std::optional<std::size_t> coreOf(const LaneHit& hit) const;

    NpuDocument& m_state;
    NpuControls* m_controls = nullptr;
    NpuSide* m_side = nullptr;
    QToolButton* m_toggleControls = nullptr;
    QToolButton* m_toggleSide = nullptr;
    /// The user's choices whether to show settings and lists; if not set, the width decides.
    std::optional<bool> m_wantsControls, m_wantsSide;
    NpuChartModel m_model;
    QTimer m_pale; ///< delay before the old result becomes pale, so that short simulations do not flicker
    NpuChartOptions m_options;
    std::size_t m_lastCore = 0;
};

} // namespace tilewright::ui
