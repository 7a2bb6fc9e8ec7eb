// SPDX-License-Identifier: GPL-3.0-or-later
// Plots as data: curves, points, legend, and places for their labels.
#pragma once

#include "chart/axis.h"
#include "chart/keys.h"

#include <QBrush>
#include <QFontMetricsF>
#include <QPen>
#include <QPointF>
#include <QSizeF>
#include <QStringList>

#include <optional>

namespace tilewright::ui {

struct PlotAxis
{
    QString title = {};
    Scale scale = Scale::Linear;
    double low = 0, high = 1; ///< range of all data
    /// how far one may scroll beyond the range of the data, as a multiple of the length of that range
    double beyond = 0;
    /// Text of a tick and of the readout; if missing, shortNumber() is used. An empty text hides the tick.
    std::function<QString(double)> text = {};
    /// Widest text of a y axis, for which constant space is reserved.
    QString widest = QStringLiteral("8.88M");
    std::vector<double> ticks = {};     ///< tick values; empty: round values
    std::optional<double> current = {}; ///< value of the highlighted tick

    [[nodiscard]] QString textOf(double value) const;
    [[nodiscard]] double scaled(double v) const { return scale == Scale::Log ? std::log10(v) : v; }
    [[nodiscard]] double unscaled(double u) const { return scale == Scale::Log ? std::pow(10.0, u) : u; }
    /// Ends of the range that can be scrolled to. Lines without end are drawn up to these values.
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

/// A mark at a point. Sizes are in pixels.
struct PlotMark
{
    double x = 0, y = 0;
    int id = -1; ///< identifies the mark; -1: it cannot be hovered or clicked
    PlotShape shape = PlotShape::Disc;
    double radius = 4;
    QPen pen = QPen(Qt::NoPen);
    QBrush brush = QBrush(Qt::NoBrush);
    QPen halo = QPen(Qt::NoPen); ///< pen of an outline behind the mark, for contrast
    QString name = {};           ///< name of the mark, drawn inside it if it fits, otherwise beside it
    QColor ink = {};             ///< colour of the name inside the mark
};

struct PlotLine
{
    QString name = {}; ///< name of the series in copied rows and for assistive technology; may be empty
    std::vector<QPointF> points = {}; ///< points with ascending x
    QPen pen = {};
    bool steps = false; ///< true: step function; false: straight lines between points
};

struct PlotArrow
{
    QPointF from = {}, to = {};
    double gap = 0; ///< distance between the tip and `to` in pixels
    QColor colour = {};
};

/// Density plot: a rectangle divided into equal cells (in the scale of the axes), bottom row first.
struct PlotRaster
{
    int columns = 0, rows = 0;
    QPointF low, high;          ///< corners of the rectangle, as values
    std::vector<double> shares; ///< value of each cell; negative: empty
};

/// Label of a point (from == to) or of a line. Labels are placed in order of importance; labels without a
/// plate are omitted if they do not fit.
struct PlotLabel
{
    QStringList texts = {}; ///< alternative texts, of which the first one that fits is used
    QPointF from = {}, to = {};
    QColor colour = {};
    bool below = false; ///< true: the label is preferably below the line
    bool plate = false;
    double radius = 6; ///< radius of the named mark in pixels
};

/// How the mouse picks a mark. Point: the mark under it. Column: the nearest mark at the same x.
enum class PlotPick { Point, Column };

/// Content of a plot. paintPlot() draws it, PlotCanvas zooms and pans it.
struct PlotModel
{
    QString title;
    std::vector<ChartKey> keys;
    PlotAxis x, y;
    PlotPick pick = PlotPick::Point;
    /// true: a click must hit a mark, even if hovering picks the nearest mark of a column
    bool clickOnMark = false;
    std::optional<PlotRaster> raster;
    std::vector<PlotLine> lines;
    std::vector<PlotArrow> arrows;
    std::vector<PlotMark> marks; ///< marks in the order of painting: the last one is on top
    std::vector<PlotLabel> labels;

    [[nodiscard]] const PlotMark* mark(int id) const;
    /// Extends the ranges of the axes to contain a point.
    void cover(double px, double py);
};

/// Geometry of a plot on the screen, and the visible part as axes.
struct PlotFrame
{
    QRectF title, keys;   ///< title and legend above the plot; may be empty
    QRectF plot;          ///< area between the axes
    QPointF xTitle;       ///< start of the title of the x axis, on its base line
    QPointF yTitle;       ///< start of the title of the y axis, on its base line
    double xTextsEnd = 0; ///< right limit of the tick texts of the x axis
    Axis x, y;

    [[nodiscard]] QPointF toPixel(double px, double py) const { return {x.toPixel(px), y.toPixel(py)}; }
    [[nodiscard]] QPointF toPixel(QPointF value) const { return toPixel(value.x(), value.y()); }
};

/// Computes the layout of a plot. `part`: visible part in the scale of the axes (decades if logarithmic);
/// null: everything.
[[nodiscard]] PlotFrame plotFrame(const PlotModel& model, const QRectF& area, const QRectF& part = {});
/// Visible part of a frame, in the form that plotFrame() expects.
[[nodiscard]] QRectF plotPart(const PlotFrame& frame);
/// Moves a part as little as possible into the range that can be scrolled to.
[[nodiscard]] QRectF plotPartInReach(const PlotModel& model, const QRectF& part);
[[nodiscard]] QRectF zoomedPlotPart(const PlotModel& model, const PlotFrame& frame, double factor,
                                    QPointF at);
[[nodiscard]] QRectF pannedPlotPart(const PlotModel& model, const PlotFrame& frame, QPointF pixels);

/// Mark that the mouse picks at a position; null if there is none.
[[nodiscard]] const PlotMark* plotMarkAt(const PlotModel& model, const PlotFrame& frame, QPointF position);
[[nodiscard]] const PlotMark* plotMarkAt(const PlotModel& model, const PlotFrame& frame, QPointF position,
                                         PlotPick pick);
/// Text of a range: "2 to 8 (4×)" on a logarithmic axis, "2 to 8 (6)" on a linear one.
[[nodiscard]] QString plotRangeText(const PlotAxis& axis, double from, double to);
/// Named lines and marks as tab-separated rows of text.
[[nodiscard]] QString plotAsText(const PlotModel& model);

/// A label with its position, rotated about its centre.
struct PlacedLabel
{
    QString text;
    QPointF centre;
    QSizeF size;
    double degrees = 0;
    QColor colour;
    bool plate = false;

    [[nodiscard]] bool overlaps(const PlacedLabel& other) const;
    [[nodiscard]] bool overlaps(QPointF circle, double radius) const;
    [[nodiscard]] std::vector<QPointF> corners() const;
};

/// Places the labels of a plot and the names of small marks inside the plot without overlaps of labels and
/// marks. Labels that do not fit are omitted, except those with a plate, which may cover a mark.
[[nodiscard]] std::vector<PlacedLabel> placePlotLabels(const PlotModel& model, const PlotFrame& frame,
                                                       const QFontMetricsF& font, const QColor& muted);

/// True if the name of a mark fits inside the mark.
[[nodiscard]] bool holdsName(const PlotMark& mark, const QFontMetricsF& font);

} // namespace tilewright::ui
