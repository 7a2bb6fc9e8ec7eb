// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "solve/what_if.h"

#include <memory>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace tilewright::ui {

class WhatIfChart;

/// Other hardware: sweeps capacity, bandwidth or native size and plots the latency of this schedule and of
/// schedules solved anew for each point.
class WhatIfView : public View
{
    Q_OBJECT
public:
    explicit WhatIfView(const ViewContext& context, QWidget* parent = nullptr);
    ~WhatIfView() override;
    QSize exportSize() const override { return {900, 420}; }
    void settle() override;
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    QString copyText() const override;
    void run();
    [[nodiscard]] const std::vector<WhatIfPoint>& points() const { return m_points; }

private:
    void refresh();

    std::vector<WhatIfPoint> m_points;
    QComboBox* m_parameter;
    QDoubleSpinBox* m_seconds;
    QPushButton* m_run;
    QLabel* m_progress;
    WhatIfChart* m_chart;
    std::unique_ptr<LatestJob<std::vector<WhatIfPoint>>> m_job;
};

} // namespace tilewright::ui
