// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/roofline_model.h"

#include <QMargins>
#include <QRectF>

#include <memory>
#include <optional>
#include <set>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// The visible part of the log-log plane.
struct RooflineRange
{
    double x0 = 0.1, x1 = 10, y0 = 0.01, y1 = 2;
    bool operator==(const RooflineRange&) const = default;
};

struct RooflineMarks
{
    std::optional<SubgraphId> current;
    std::set<SubgraphId> selected;
};

/// Draws the roofline with QCustomPlot, into any painter: screen, PNG, SVG and PDF alike.
class RooflinePlot
{
public:
    RooflinePlot();
    ~RooflinePlot();

    void paint(QPainter& painter, const RooflineModel& model, const QRectF& area, const RooflineRange& range,
               const RooflineMarks& marks, const Theme& theme);

    /// The rectangle between the axes; the same for the same area, whatever is shown.
    [[nodiscard]] static QRectF plotRect(const QRectF& area);
    [[nodiscard]] static QPointF toPixel(const QRectF& plot, const RooflineRange& range, double x, double y);
    [[nodiscard]] static double dotRadius(const RooflineModel& model, const RooflineDot& dot);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace tilewright::ui
