// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "views/npu/npu_state.h"

#include <QRectF>

class QComboBox;

namespace tilewright::ui {

struct NpuScalingPlaces
{
    QRectF title, speedup, efficiency, why;
};
[[nodiscard]] NpuScalingPlaces npuScalingPlaces(const QRectF& area);

/// What the dynamic scheduler saves (or loses) on the cores of the settings, and by waiting for what less.
[[nodiscard]] QString npuSchedulerSentence(const NpuComparison& comparison);

void paintNpuScaling(QPainter& painter, const NpuComparison& comparison, const NpuScalingPlaces& places,
                     std::optional<std::size_t> hover, const Theme& theme);

/// Speed-up and efficiency over 1 to N cores, static against dynamic, and why they differ.
class NpuScalingView : public ToolCanvas
{
    Q_OBJECT
public:
    explicit NpuScalingView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override { return {1100, 560}; }
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] NpuState& state() { return m_state; }
    [[nodiscard]] QPointF pointOf(int cores) const; ///< of the dynamic curve, on the speed-up chart

protected:
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    void showEvent(QShowEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void request();
    [[nodiscard]] int maxCores() const;
    [[nodiscard]] std::optional<std::size_t> indexAt(QPointF position) const;
    void setCores(int cores);

    NpuState& m_state;
    QComboBox* m_max = nullptr;
    std::optional<std::size_t> m_hover;
};

} // namespace tilewright::ui
