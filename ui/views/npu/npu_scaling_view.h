// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_canvas.h"
#include "workspace/npu_document.h"

class QComboBox;

namespace tilewright::ui {

/// Returns the name of one of the two schedulers with its assignment: "static round_robin", "dynamic".
[[nodiscard]] QString npuSchedulerName(const NpuComparison& comparison, bool dynamic);
/// Returns a sentence on the difference between the dynamic and the static scheduler with the current number
/// of cores, and on its main reasons.
[[nodiscard]] QString npuSchedulerSentence(const NpuComparison& comparison);
/// Returns plots of speed-up and efficiency over the number of cores. The number of cores is the id of a
/// mark.
[[nodiscard]] std::vector<PlotModel> npuScalingPlots(const NpuComparison& comparison, const Theme& theme);
/// Returns the legend: circles and solid lines for the dynamic scheduler, squares and dashed lines for the
/// static one.
[[nodiscard]] std::vector<ChartKey> npuScalingKeys(const NpuComparison& comparison, const Theme& theme);
/// Paints the sentence and, below it, bars with the core states of both schedulers.
void paintNpuSchedulers(QPainter& painter, const NpuComparison& comparison, const QRectF& area,
                        const Theme& theme);

/// Plots of speed-up and efficiency over 1 to N cores for both schedulers, with the reasons of their
/// difference.
class NpuScalingView : public PlotCanvas
{
    Q_OBJECT
public:
    explicit NpuScalingView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override { return {1100, 560}; }
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] NpuDocument& state() { return m_state; }
    [[nodiscard]] QPointF
    pointOf(int cores) const; ///< position of the mark for this number of cores in the plot of the speed-up

protected:
    [[nodiscard]] std::vector<PlotModel> buildPlots(const Theme& theme) const override;
    [[nodiscard]] QString hint() const override;
    [[nodiscard]] std::vector<QRectF> plotAreas(const QRectF& area) const override;
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString markTooltip(const PlotMark& mark) const override;
    void markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers modifiers) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Places
    {
        QRectF title, plots, schedulers;
    };
    [[nodiscard]] static Places places(const QRectF& area);
    void request();
    [[nodiscard]] int maxCores() const;
    void setCores(int cores);

    NpuDocument& m_state;
    QComboBox* m_max = nullptr;
};

} // namespace tilewright::ui
