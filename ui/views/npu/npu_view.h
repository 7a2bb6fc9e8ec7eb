// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/npu/npu_paint.h"

class QScrollBar;
class QToolButton;

namespace tilewright::ui {

class NpuControls;
class NpuSide;

/// A run of the NPU: cores, engines, SPM, DRAM, NoC and ready set over one time axis, with the controls that
/// re-simulate on the left and lists (stalls, instructions, checks) on the right.
class NpuView : public TimeCanvas
{
    Q_OBJECT
public:
    explicit NpuView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override;
    [[nodiscard]] QString copyText() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void panBy(QPointF pixels) override;
    void fitSelection() override; ///< the selected node
    [[nodiscard]] QRectF selectedPart() const override;

    [[nodiscard]] const NpuChartModel& model() const { return m_model; }
    [[nodiscard]] NpuState& state() { return m_state; }
    [[nodiscard]] const NpuChartOptions& options() const { return m_options; }
    [[nodiscard]] NpuPlaces places() const;
    /// A point of the lane at a time, for tests and menus.
    [[nodiscard]] QPointF pointAt(NpuLaneKind kind, std::size_t core, double time) const;
    [[nodiscard]] QString readoutAt(QPointF position) const;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;

protected:
    [[nodiscard]] Places timePlaces() const override;
    [[nodiscard]] double shortestRange() const override;
    [[nodiscard]] std::optional<double> pinnedTime() const override;
    void clicked(QPointF position, double time) override;
    void hovered(QPointF position) override;
    void measuredChanged() override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void rebuild();
    void place();
    [[nodiscard]] QRectF content() const;
    void addOwnKeys();
    void moveSpan(int by);
    void moveCore(int by);
    void showMenu(QPointF position);
    /// The node that is drawn at the position; none on charts.
    [[nodiscard]] std::optional<std::uint32_t> nodeAt(QPointF position) const;
    [[nodiscard]] QString cursorReadout() const;

    NpuState& m_state;
    NpuControls* m_controls = nullptr;
    NpuSide* m_side = nullptr;
    QToolButton* m_toggleControls = nullptr;
    QToolButton* m_toggleSide = nullptr;
    QScrollBar* m_scroll = nullptr;
    NpuChartModel m_model;
    NpuChartOptions m_options;
    QString m_readout; ///< of what is under the mouse, or measured

    struct Cache
    {
        NpuResultPtr result, ghost;
        double from = 0, to = 0;
        int width = 0;
        NpuVisible visible;
    };
    Cache m_cache;

    std::size_t m_lastCore = 0;
};

} // namespace tilewright::ui
