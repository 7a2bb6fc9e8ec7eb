// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_canvas.h"
#include "solve/what_if.h"

#include <memory>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace tilewright::ui {

/// Other hardware: sweeps capacity, bandwidth or native size and plots the latency of this schedule and of
/// schedules solved anew for each point.
class WhatIfView : public PlotCanvas
{
    Q_OBJECT
public:
    explicit WhatIfView(const ViewContext& context, QWidget* parent = nullptr);
    ~WhatIfView() override;
    [[nodiscard]] QSize exportSize() const override { return {900, 420}; }
    void settle() override;
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    [[nodiscard]] QString copyText() const override;
    void run();

protected:
    [[nodiscard]] std::vector<PlotModel> buildPlots(const Theme& theme) const override;
    [[nodiscard]] QString hint() const override;
    [[nodiscard]] QString markTooltip(const PlotMark& mark) const override;

private:
    void refresh();

    std::vector<WhatIfPoint> m_points;
    QComboBox* m_parameter = nullptr;
    QDoubleSpinBox* m_seconds;
    QPushButton* m_run;
    QLabel* m_progress;
    std::unique_ptr<LatestJob<std::vector<WhatIfPoint>>> m_job;
};

} // namespace tilewright::ui
