// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QWidget>

#include <utility>
#include <vector>

namespace tilewright::ui {

/// Best latency against time (log) with the lower bound and the value before.
struct SolverCurve
{
    std::vector<std::pair<double, double>> points; ///< (seconds, latency), falling
    double seconds = 0;                            ///< how far the run is
    double budget = 0;                             ///< 0 = open end
    double before = 0;                             ///< of the schedule it starts from; 0 = none
    double lowerBound = 0;
};

void paintSolverCurve(QPainter& painter, const QRectF& area, const SolverCurve& curve, const Theme& theme);

} // namespace tilewright::ui
