// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/axis.h"
#include "chart/keys.h"

#include <QBrush>
#include <QPen>
#include <QPointF>
#include <QStringList>

#include <optional>

namespace tilewright::ui {

struct PlotAxis
{
    QString title = {};
    Scale scale = Scale::Linear;
    double low = 0, high = 1; ///< everything there is to see
    double beyond = 0;        ///< how far one may look past that, in its own lengths
    /// Of a tick and of the readout; shortNumber() without it. No text, no tick.
    std::function<QString(double)> text = {};
    QString widest = QStringLiteral("8.88M"); ///< room for the texts of a y axis, so that nothing jumps
    std::vector<double> ticks = {};           ///< instead of round values
    std::optional<double> current = {};       ///< a tick that stands out

    [[nodiscard]] QString textOf(double value) const;
    [[nodiscard]] double scaled(double v) const { return scale == Scale::Log ? std::log10(v) : v; }
    [[nodiscard]] double unscaled(double u) const { return scale == Scale::Log ? std::pow(10.0, u) : u; }
    /// The ends of what can ever be in sight: where lines that never end may end.
    [[nodiscard]] double farLow() const
    {
        return unscaled(scaled(low) - beyond * (scaled(high) - scaled(low)));
    }
    [[nodiscard]] double farHigh() const
    {
        return unscaled(scaled(high) + beyond * (scaled(high) - scaled(low)));
    }
};

enum class PlotShape { Disc, Square, Diamond, TriangleUp, TriangleDown, TriangleLeft, Target };

/// A point with a sign. Sizes are pixels.
struct PlotMark
{
    double x = 0, y = 0;
    int id = -1; ///< what the lens knows it by; without one it cannot be pointed at
    PlotShape shape = PlotShape::Disc;
    double radius = 4;
    QPen pen = QPen(Qt::NoPen);
    QBrush brush = QBrush(Qt::NoBrush);
    QPen halo = QPen(Qt::NoPen); ///< under it, so that it stands out on anything
    QString name = {};           ///< inside when it has room there, else beside it
    QColor ink = {};             ///< of the name inside
};

struct PlotLine
{
    QString name = {}; ///< of the series, in the rows that are copied and read out; may be empty
    std::vector<QPointF> points = {}; ///< x ascending
    QPen pen = {};
    bool steps = false; ///< keeps its height until the next point
};

struct PlotArrow
{
    QPointF from = {}, to = {};
    double gap = 0; ///< pixels between its tip and `to`
    QColor colour = {};
};

/// Equal cells of a rectangle of the plane (in the scale of the axes), bottom row first; negative is empty.
struct PlotRaster
{
    int columns = 0, rows = 0;
    QPointF low, high; ///< corners, as values
    std::vector<double> shares;
};

/// A text that names a point (both ends equal) or a line. What finds no room is left out, least important
/// last, unless it stands on a plate.
struct PlotLabel
{
    QStringList texts = {}; ///< the first that has room
    QPointF from = {}, to = {};
    QColor colour = {};
    bool below = false; ///< tries below a line first
    bool plate = false;
    double radius = 6; ///< of what is named, in pixels
};

/// How the mouse means a mark: the one it is on, or the one above or below it (curves over x).
enum class PlotPick { Point, Column };

/// Everything a plot shows; a lens fills it, paintPlot() draws it, PlotCanvas lets a person look around in
/// it.
struct PlotModel
{
    QString title;
    std::vector<ChartKey> keys;
    PlotAxis x, y;
    PlotPick pick = PlotPick::Point;
    std::optional<PlotRaster> raster;
    std::vector<PlotLine> lines;
    std::vector<PlotArrow> arrows;
    std::vector<PlotMark> marks; ///< the last lies on top
    std::vector<PlotLabel> labels;

    [[nodiscard]] const PlotMark* mark(int id) const;
    /// Shows this point, too.
    void cover(double px, double py);
};

/// Where a plot is drawn and which part of the plane it shows.
struct PlotFrame
{
    QRectF title, keys; ///< above the plot; may be empty
    QRectF plot;        ///< between the axes
    QPointF xTitle;     ///< where the titles of the axes begin, on their base lines
    QPointF yTitle;
    double xTextsEnd = 0; ///< texts of ticks end before it
    Axis x, y;

    [[nodiscard]] QPointF toPixel(double px, double py) const { return {x.toPixel(px), y.toPixel(py)}; }
    [[nodiscard]] QPointF toPixel(QPointF value) const { return toPixel(value.x(), value.y()); }
};

/// `part` in the scale of the axes (decades where they are logarithmic); the null rectangle for everything.
[[nodiscard]] PlotFrame plotFrame(const PlotModel& model, const QRectF& area, const QRectF& part = {});
/// What a frame shows, as plotFrame() takes it.
[[nodiscard]] QRectF plotPart(const PlotFrame& frame);
/// The least movement that keeps a part inside what the axes let one see.
[[nodiscard]] QRectF plotPartInReach(const PlotModel& model, const QRectF& part);
[[nodiscard]] QRectF zoomedPlotPart(const PlotModel& model, const PlotFrame& frame, double factor,
                                    QPointF at);
[[nodiscard]] QRectF pannedPlotPart(const PlotModel& model, const PlotFrame& frame, QPointF pixels);

/// The mark that is meant at a place of the screen; null for none.
[[nodiscard]] const PlotMark* plotMarkAt(const PlotModel& model, const PlotFrame& frame, QPointF position);
/// "2 to 8 (4×)" on a logarithmic axis, "2 to 8 (6)" on a linear one.
[[nodiscard]] QString plotRangeText(const PlotAxis& axis, double from, double to);
/// Named lines and marks as tab-separated rows.
[[nodiscard]] QString plotAsText(const PlotModel& model);

} // namespace tilewright::ui
