// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/canvas.h"
#include "views/npu/npu_paint.h"

class QScrollBar;
class QToolButton;

namespace tilewright::ui {

class NpuControls;
class NpuSide;

/// A run of the NPU: cores, engines, SPM, DRAM, NoC and ready set over one time axis, with the controls that
/// re-simulate on the left and lists (stalls, instructions, checks) on the right.
class NpuView : public Canvas
{
    Q_OBJECT
public:
    explicit NpuView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override;
    [[nodiscard]] QString copyText() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void fitSelection() override; ///< the selected node
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;
    [[nodiscard]] QRectF selectedPart() const override;

    [[nodiscard]] const NpuChartModel& model() const { return m_model; }
    [[nodiscard]] NpuState& state() { return m_state; }
    [[nodiscard]] std::pair<double, double> visibleRange() const { return {m_from, m_to}; }
    [[nodiscard]] const NpuChartOptions& options() const { return m_options; }
    [[nodiscard]] NpuPlaces places() const;
    /// A point of the lane at a time, for tests and menus.
    [[nodiscard]] QPointF pointAt(NpuLaneKind kind, std::size_t core, double time) const;
    [[nodiscard]] QString readoutAt(QPointF position) const;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    enum class Drag { None, Plot, Range, Left, Right };
    void rebuild();
    void place();
    [[nodiscard]] QRectF content() const;
    [[nodiscard]] Axis timeAxis(const QRectF& plot) const;
    void setRange(double from, double to);
    void hoverAt(QPointF position);
    void moveSpan(int by);
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
    double m_from = 0, m_to = 1;
    bool m_fitted = true;
    NpuOverlay m_overlay;

    struct Cache
    {
        NpuResultPtr result, ghost;
        double from = 0, to = 0;
        int width = 0;
        NpuVisible visible;
    };
    Cache m_cache;

    Drag m_drag = Drag::None;
    QPointF m_pressed;
    double m_pressedTime = 0, m_grabOffset = 0;
    std::size_t m_lastCore = 0;
};

} // namespace tilewright::ui
