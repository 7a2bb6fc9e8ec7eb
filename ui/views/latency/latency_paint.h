// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/axis.h"
#include "views/latency/latency_model.h"

#include <QRectF>

#include <optional>
#include <set>

class QPainter;

namespace tilewright::ui {

struct Theme;

struct LatencyPlaces
{
    QRectF title, plot, labels;
};
[[nodiscard]] LatencyPlaces latencyPlaces(const QRectF& area, const LatencyModel& model);

struct LatencyOverlay
{
    std::set<SubgraphId> selected;
    std::optional<SubgraphId> current;
    std::optional<SubgraphId> hover;
};

/// `slots` spans the visible bars (0 = left edge of the first) over the pixels of the plot.
void paintLatency(QPainter& painter, const LatencyModel& model, const LatencyPlaces& places,
                  const Axis& slots, const Theme& theme, const LatencyOverlay& overlay);

} // namespace tilewright::ui
