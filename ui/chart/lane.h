// SPDX-License-Identifier: GPL-3.0-or-later
// Model of a chart over time: lanes with marks that are queried by index. Layout, painting, zooming,
// hovering, measuring and copying are done by LaneChart.
#pragma once

#include "canvas/view.h"
#include "chart/axis.h"
#include "chart/keys.h"

#include <QColor>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tilewright::ui {

struct Theme;

/// A rectangle to paint in, with the time axis of its width.
struct LaneFrame
{
    QRectF rect;
    Axis time;
    const Theme& theme;

    [[nodiscard]] double perPixel() const { return (time.v1 - time.v0) / (time.p1 - time.p0); }
    [[nodiscard]] LaneFrame in(const QRectF& place) const { return {place, time, theme}; }
};

/// Colours and pattern of a kind of marks. Kinds of waiting have a pattern, to be recognisable without
/// colour.
struct MarkStyle
{
    QColor fill;
    Qt::BrushStyle pattern = Qt::NoBrush;
    QColor patternColour{};
};

/// Marks (intervals of time) of one row: sorted by time, without overlap. They are queried by index.
struct Marks
{
    std::size_t count = 0;
    std::function<double(std::size_t)> start, end;
    std::size_t kinds = 1;
    std::function<std::size_t(std::size_t)> kind; ///< kind of a mark; if missing, all are kind 0
    std::function<MarkStyle(std::size_t kind, const Theme&)> style;
    // The following functions are optional.
    std::function<QString(std::size_t)> label; ///< text on the mark, if it fits
    std::function<QString(std::size_t)> facts; ///< description of a mark in one line, for readout and table
    /// tooltip of a mark as rich text; without it, `facts` is used
    std::function<QString(std::size_t)> tooltip;
    std::function<std::uint32_t(std::size_t)>
        id; ///< marks with the same id are selected together; kNoMark for none
    /// How a pixel with many marks is drawn. true: shares by kind; false: the first mark in full height.
    bool shared = false;

    static constexpr std::uint32_t kNoMark = ~std::uint32_t{0};
    [[nodiscard]] std::size_t kindOf(std::size_t i) const { return kind ? kind(i) : 0; }
    /// Index of the first mark that ends after `time`.
    [[nodiscard]] std::size_t firstAfter(double time) const;
    /// Mark at `time`; if there is none, a mark at a distance of at most `slack`.
    [[nodiscard]] std::optional<std::size_t> at(double time, double slack) const;
};

/// Makes marks from a sorted list of items with members `start` and `end`. The list must outlive the marks.
template <typename Item> [[nodiscard]] Marks marksOf(const std::vector<Item>& items)
{
    Marks m;
    m.count = items.size();
    m.start = [&items](std::size_t i) { return static_cast<double>(items[i].start); };
    m.end = [&items](std::size_t i) { return static_cast<double>(items[i].end); };
    return m;
}

struct MarkRow
{
    std::vector<Marks> layers; ///< painted in order; the last one is on top
    double weight = 1;         ///< share of the height of the lane
    bool plain = false;        ///< true: marks for comparison only, without labels, patterns and hover
};

/// Minimum and maximum of a curve in one pixel column.
struct LowHigh
{
    double low = 0, high = 0;
    bool operator==(const LowHigh&) const = default;
};

/// A filled curve over time: solid up to the minimum of a pixel column, pale up to its maximum.
struct Curve
{
    using Columns = std::function<std::vector<LowHigh>(double from, double to, int width)>;
    Columns columns;
    Columns ghost; ///< dashed curve for comparison; optional
    std::function<QColor(const Theme&)> colour;
    double top = 1;              ///< value at the upper edge of the lane
    std::optional<double> limit; ///< value at which a dashed horizontal line is drawn
};

struct Lane
{
    QString name;
    QString note;          ///< muted text beside or below the name
    bool heading = false;  ///< the name is bold; a lane without content is a title over the whole width
    bool inner = false;    ///< the name is smaller, because the lane belongs to the lane above
    double height = 20;    ///< natural height in pixels
    double gap = 1;        ///< space below the lane in pixels
    bool fixed = false;    ///< the height is never scaled
    bool optional = false; ///< the lane is hidden first if there is little room
    std::vector<MarkRow> rows;
    bool repeats = false; ///< the rows repeat those of the previous lane, so that they are not copied again
    std::optional<Curve> curve;
    /// Curves painted behind `curve`, the tallest first, so that together they look like a stack.
    std::vector<Curve> behind;
    /// Additional painting on top of the lane.
    std::function<void(QPainter&, const LaneFrame&)> paint;
    bool paintsMarks = false; ///< `paint` also draws the marks
    /// Text for a time without a mark. `y`: 0 at the top, 1 at the bottom of the lane.
    std::function<QString(double time, double y)> readout;
    /// Tooltip as rich text; without it, `readout` is used.
    std::function<QString(double time, double y)> tooltip;
    QStringList facts;    ///< texts at the right of the lane
    QString factsTooltip; ///< tooltip of `facts` as rich text
    std::function<void(QPainter&, const LaneFrame&)> paintFacts;
};

/// Returns a lane that is only a title above other lanes. If it has no name, it reserves room for the title
/// of the axis of the lanes below.
[[nodiscard]] Lane headingLane(const QString& name = {});

/// A vertical line through some lanes.
struct LaneLine
{
    double time = 0;
    bool dashed = true;
    std::size_t first = 0, last = ~std::size_t{0};
};

struct LaneModel
{
    QString hint; ///< text shown instead of the chart; empty: show the chart
    QString title;
    std::function<QColor(const Theme&)> titleColour;
    QString sentence;      ///< text below the title, in at most `sentenceLines` lines
    int sentenceLines = 0; ///< maximum number of lines; 0: no sentence
    std::function<QColor(const Theme&)> sentenceColour;
    QString details; ///< tooltip of title and sentence as rich text; if empty, the sentence
    /// Several forms of the legend; the longest one that fits is used. It is beside the title if there is
    /// room and no sentence.
    std::function<std::vector<std::vector<ChartKey>>(const Theme&)> legends;
    /// Index of the form of the legend, if it depends on the zoom.
    std::function<std::size_t(const Axis&)> legendForm;
    std::vector<Lane> lanes;
    std::vector<LaneLine> lines;
    double total = 0;     ///< end of the time axis
    double shortest = 1;  ///< shortest visible range
    QString unit;         ///< unit of time: title of the axis
    bool ticks = true;    ///< true if the axis has tick labels
    double mostWidth = 0; ///< maximum width of the plot in pixels; 0: no limit
    bool readout = true;  ///< true if the chart has a readout line
    /// true: the chart is drawn pale, because its content belongs to other settings than the current ones
    bool dimmed = false;
    /// Smallest scale of the heights of lanes; if they do not fit at this scale, they scroll; 0: they never
    /// scroll.
    double least = 0;
    double most = 2;
    double labelWidth = 60; ///< minimum width of the column of names in pixels
    double factsWidth = 0;  ///< width of the column of facts in pixels, if the chart is wide enough for it
    double titleSpace = 0;  ///< width in pixels kept free to the right of the title
    /// paints the overview strip; without this function there is no strip
    std::function<void(QPainter&, const LaneFrame&)> overview;
    double overviewHeight = 22;
    std::shared_ptr<const void> keeps; ///< owns the data that the functions refer to
};

// -- layout
struct LaneBox
{
    QRectF rect, name, facts;
    std::vector<QRectF> rows;
};
struct LanePlaces
{
    QRectF title, legend, readout, plot, labels, facts, axis, overview;
    std::vector<LaneBox> lanes;
    double contentHeight = 0; ///< height of all lanes; they scroll if it exceeds the plot

    [[nodiscard]] std::optional<std::size_t> laneAt(QPointF position) const;
};
/// Computes the layout of a chart. With `exporting`, lanes shrink to fit instead of scrolling, and there is
/// neither an overview strip nor room for buttons.
[[nodiscard]] LanePlaces lanePlaces(const QRectF& area, const LaneModel& model, double scroll,
                                    bool exporting);
/// Height of a chart in which all lanes have their natural height.
[[nodiscard]] double naturalHeight(const LaneModel& model);

/// Lane, time and mark at a point of the chart.
struct LaneHit
{
    std::size_t lane = 0;
    double time = 0;
    double y = 0;                 ///< 0 at the top of the lane, 1 at its bottom
    const Marks* marks = nullptr; ///< marks that contain `mark`; null if there is no mark
    std::size_t mark = 0;
};
[[nodiscard]] std::optional<LaneHit> laneHit(const LaneModel& model, const LanePlaces& places,
                                             const Axis& time, QPointF position);
/// One line of text about a hit.
[[nodiscard]] QString readoutOf(const LaneModel& model, const LaneHit& hit);
[[nodiscard]] QString tooltipOf(const LaneModel& model, const LaneHit& hit);
/// Parts of the chart with tooltips, found by probing pixels (every few pixels in charts with many rows).
/// `keys`: returns the keys of a part.
[[nodiscard]] std::vector<PicturePart> laneParts(const LaneModel& model, const LanePlaces& places,
                                                 const Axis& time,
                                                 const std::function<QStringList(const LaneHit&)>& keys);
/// Returns the start or end of a mark of the lane nearest to `time`, if it is within `tolerance`; otherwise
/// `time`.
[[nodiscard]] double snapToMarks(const Lane& lane, double time, double tolerance);
/// Text with one line per mark between two times, at most `most` lines, cells separated by `separator`.
[[nodiscard]] QString marksAsText(const LaneModel& model, double from, double to, QChar separator,
                                  std::size_t most);

// -- painting

/// Share of each kind of marks in a stretch of equal pixel columns.
struct ShareColumn
{
    int x = 0, width = 1;
    std::vector<float> share;
};
/// Merges equal neighbouring columns of `share` (index x * kinds + kind) into stretches.
[[nodiscard]] std::vector<ShareColumn> mergedShares(const std::vector<float>& share, std::size_t kinds);
[[nodiscard]] std::vector<ShareColumn> shareColumns(const Marks& marks, double from, double to, int width);
void paintShares(QPainter& painter, const std::vector<ShareColumn>& columns, const Marks& marks,
                 const QRectF& rect, const Theme& theme, bool patterns);
/// Fills a rectangle with colour and pattern of a kind, without antialiasing.
void fillMark(QPainter& painter, const QRectF& rect, const MarkStyle& style, const Theme& theme);

/// Paints a single row, for overview strips.
void paintRow(QPainter& painter, const MarkRow& row, const LaneFrame& frame);

/// Columns of a lane that depend on the visible range only, and can be cached.
struct LaneColumns
{
    /// Share columns by row and layer: shares[row][layer].
    std::vector<std::vector<std::vector<ShareColumn>>> shares;
    std::vector<LowHigh> curve, ghost;
    std::vector<std::vector<LowHigh>> behind; ///< pixel columns of the curves of Lane::behind, by index
};
[[nodiscard]] LaneColumns laneColumns(const Lane& lane, double from, double to, int width);

struct LaneOverlay
{
    std::optional<double> hover, cursor;
    QString cursorText; ///< text at the lower end of the cursor line
    std::optional<std::pair<double, double>> measured;
    QString measuredText;
    std::optional<std::uint32_t> selected, hovered; ///< ids of the selected and of the hovered marks
    QString readout;
};
void paintLanes(QPainter& painter, const LaneModel& model, const LanePlaces& places, const Axis& time,
                const std::vector<LaneColumns>& columns, const LaneOverlay& overlay, const Theme& theme);

} // namespace tilewright::ui
