// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_canvas.h"
#include "workspace/npu_document.h"

class QComboBox;

namespace tilewright::ui {

/// One of the two schedulers with its assignment: "static round_robin", "dynamic".
[[nodiscard]] QString npuSchedulerName(const NpuComparison& comparison, bool dynamic);
/// A sentence on the difference between the dynamic and the static scheduler on the cores of the settings,
/// and its main reasons.
[[nodiscard]] QString npuSchedulerSentence(const NpuComparison& comparison);
/// Speed-up and efficiency over the number of cores, which is the id of a mark.
[[nodiscard]] std::vector<PlotModel> npuScalingPlots(const NpuComparison& comparison, const Theme& theme);
/// The legend: circles and a solid line are dynamic, squares and a dashed line static.
[[nodiscard]] std::vector<ChartKey> npuScalingKeys(const NpuComparison& comparison, const Theme& theme);
/// Paints the sentence, and below it bars of the core states of both schedulers.
void paintNpuSchedulers(QPainter& painter, const NpuComparison& comparison, const QRectF& area,
                        const Theme& theme);

/// Speed-up and efficiency over 1 to N cores, static against dynamic, with the reasons of the difference.
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
    pointOf(int cores) const; ///< position of that number of cores on the speed-up chart

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
