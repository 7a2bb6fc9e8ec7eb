// SPDX-License-Identifier: GPL-3.0-or-later
// What a lens says of a chart over time: its lanes, and asked by index what is in them. Everything else
// (places, painting, zooming, hovering, measuring, copying) is the chart's.
#pragma once

#include "canvas/live_picture.h"
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

/// A place in a painter with the time that its width stands for.
struct LaneFrame
{
    QRectF rect;
    Axis time;
    const Theme& theme;

    [[nodiscard]] double perPixel() const { return (time.v1 - time.v0) / (time.p1 - time.p0); }
    [[nodiscard]] LaneFrame in(const QRectF& place) const { return {place, time, theme}; }
};

/// The look of a kind of marks. Colours that stand for waiting are told by a pattern as well.
struct MarkStyle
{
    QColor fill;
    Qt::BrushStyle pattern = Qt::NoBrush;
    QColor patternColour{};
};

/// What happens in one row: in order of time, never two at once.
struct Marks
{
    std::size_t count = 0;
    std::function<double(std::size_t)> start, end;
    std::size_t kinds = 1;
    std::function<std::size_t(std::size_t)> kind; ///< 0 without one
    std::function<MarkStyle(std::size_t kind, const Theme&)> style;
    // All that follows may be missing.
    std::function<QString(std::size_t)> label;    ///< on the mark, as far as it has room
    std::function<QString(std::size_t)> facts;    ///< one line: readout, table
    std::function<QString(std::size_t)> tooltip;  ///< rich text; the facts without one
    std::function<std::uint32_t(std::size_t)> id; ///< marks of one id are selected together; kNoMark for none
    /// A pixel with many marks: shares of it by kind, or the first of them in full height.
    bool shared = false;

    static constexpr std::uint32_t kNoMark = ~std::uint32_t{0};
    [[nodiscard]] std::size_t kindOf(std::size_t i) const { return kind ? kind(i) : 0; }
    /// The first mark that ends after the time.
    [[nodiscard]] std::size_t firstAfter(double time) const;
    /// The mark at the time, otherwise one no further than `slack`.
    [[nodiscard]] std::optional<std::size_t> at(double time, double slack) const;
};

/// Marks of the items of a sorted list with members `start` and `end`; the list outlives them.
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
    std::vector<Marks> layers; ///< painted in order; the last is found first
    double weight = 1;         ///< of the height of its lane
    bool plain = false;        ///< for comparison only: no labels, patterns, hits
};

/// Least and greatest value in a pixel.
struct LowHigh
{
    double low = 0, high = 0;
    bool operator==(const LowHigh&) const = default;
};

/// A value over time, filled: the least solid, the greatest pale.
struct Curve
{
    using Columns = std::function<std::vector<LowHigh>(double from, double to, int width)>;
    Columns columns;
    Columns ghost; ///< a dashed line for comparison; may be missing
    std::function<QColor(const Theme&)> colour;
    double top = 1;              ///< the value at the upper edge
    std::optional<double> limit; ///< a dashed level
};

struct Lane
{
    QString name;
    QString note;          ///< muted, beside or below the name
    bool heading = false;  ///< the name is bold; without content it is a line over the whole width
    bool inner = false;    ///< the name is smaller than that of the lane it belongs to
    double height = 20;    ///< when there is just enough room
    double gap = 1;        ///< below it
    bool fixed = false;    ///< keeps its height
    bool optional = false; ///< goes first when there is little room
    std::vector<MarkRow> rows;
    bool repeats = false; ///< they are those of the lane before: not copied again
    std::optional<Curve> curve;
    /// What only this lens draws, over the rest.
    std::function<void(QPainter&, const LaneFrame&)> paint;
    bool paintsMarks = false; ///< it draws the marks as well
    /// One line about a time, where there is no mark; `y`: 0 at the top, 1 at the bottom of the lane.
    std::function<QString(double time, double y)> readout;
    std::function<QString(double time, double y)> tooltip; ///< rich text; the readout without one
    QStringList facts;                                     ///< right of the lane
    QString factsTooltip;                                  ///< rich text
    std::function<void(QPainter&, const LaneFrame&)> paintFacts;
};

/// A name in a line of its own, above other lanes; or, without one, room for the title of their axis.
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
    QString hint; ///< instead of a chart
    QString title;
    std::function<QColor(const Theme&)> titleColour;
    QString sentence;      ///< below the title, in `sentenceLines`
    int sentenceLines = 0; ///< 0: no sentence
    std::function<QColor(const Theme&)> sentenceColour;
    /// The longest form that fits is taken; beside the title when there is no sentence and room.
    std::function<std::vector<std::vector<ChartKey>>(const Theme&)> legends;
    std::function<std::size_t(const Axis&)> legendForm; ///< which one, where the zoom decides
    std::vector<Lane> lanes;
    std::vector<LaneLine> lines;
    double total = 0;     ///< end of the time
    double shortest = 1;  ///< that can be shown
    QString unit;         ///< of the time: the axis' title
    bool ticks = true;    ///< the axis is labelled
    double mostWidth = 0; ///< of the plot; 0: all there is
    bool readout = true;  ///< a line for it
    bool dimmed = false;  ///< not what is set at present
    double least = 0;     ///< scale of the heights below which the lanes scroll; 0: they shrink
    double most = 2;
    double labelWidth = 60;                                    ///< at least
    double factsWidth = 0;                                     ///< in charts that are wide enough
    double titleSpace = 0;                                     ///< kept free at its right
    std::function<void(QPainter&, const LaneFrame&)> overview; ///< the whole time; no strip without it
    double overviewHeight = 22;
    std::shared_ptr<const void> keeps; ///< what the functions refer to
};

// -- places

struct LaneBox
{
    QRectF rect, name, facts;
    std::vector<QRectF> rows;
};
struct LanePlaces
{
    QRectF title, legend, readout, plot, labels, facts, axis, overview;
    std::vector<LaneBox> lanes;
    double contentHeight = 0; ///< of all lanes; they scroll when the plot is lower

    [[nodiscard]] std::optional<std::size_t> laneAt(QPointF position) const;
};
/// `shrink`: everything is made to fit (exports) instead of scrolling.
[[nodiscard]] LanePlaces lanePlaces(const QRectF& area, const LaneModel& model, double scroll, bool shrink);
/// Height of an area in which no lane is squeezed.
[[nodiscard]] double naturalHeight(const LaneModel& model);

/// What is at a point.
struct LaneHit
{
    std::size_t lane = 0;
    double time = 0;
    double y = 0;                 ///< 0 at the top of the lane, 1 at its bottom
    const Marks* marks = nullptr; ///< with a mark there
    std::size_t mark = 0;
};
[[nodiscard]] std::optional<LaneHit> laneHit(const LaneModel& model, const LanePlaces& places,
                                             const Axis& time, QPointF position);
/// One line of text about it.
[[nodiscard]] QString readoutOf(const LaneModel& model, const LaneHit& hit);
[[nodiscard]] QString tooltipOf(const LaneModel& model, const LaneHit& hit);
/// What the mouse finds in the chart, pixel by pixel, in charts with many rows only every few: `keys` names
/// it.
[[nodiscard]] std::vector<PicturePart> laneParts(const LaneModel& model, const LanePlaces& places,
                                                 const Axis& time,
                                                 const std::function<QStringList(const LaneHit&)>& keys);
/// The start or end of a mark of the lane that is nearest to the time, within `tolerance`; otherwise the
/// time.
[[nodiscard]] double snapToMarks(const Lane& lane, double time, double tolerance);
/// The marks between two times, a line each, with `separator` between the cells; at most that many.
[[nodiscard]] QString marksAsText(const LaneModel& model, double from, double to, QChar separator,
                                  std::size_t most);

// -- painting

/// The share of each kind in one pixel column; equal neighbours are one stretch.
struct ShareColumn
{
    int x = 0, width = 1;
    std::vector<float> share;
};
/// Equal neighbours of `share` ([x * kinds + kind]) as stretches.
[[nodiscard]] std::vector<ShareColumn> mergedShares(const std::vector<float>& share, std::size_t kinds);
[[nodiscard]] std::vector<ShareColumn> shareColumns(const Marks& marks, double from, double to, int width);
void paintShares(QPainter& painter, const std::vector<ShareColumn>& columns, const Marks& marks,
                 const QRectF& rect, const Theme& theme, bool patterns);
/// Fills a box in the look of a kind, with antialiasing off.
void fillMark(QPainter& painter, const QRectF& rect, const MarkStyle& style, const Theme& theme);

/// A row by itself: overview strips.
void paintRow(QPainter& painter, const MarkRow& row, const LaneFrame& frame);

/// What of a lane depends on the visible range alone.
struct LaneColumns
{
    std::vector<std::vector<std::vector<ShareColumn>>> shares; ///< [row][layer]
    std::vector<LowHigh> curve, ghost;
};
[[nodiscard]] LaneColumns laneColumns(const Lane& lane, double from, double to, int width);

struct LaneOverlay
{
    std::optional<double> hover, cursor;
    QString cursorText; ///< a flag at its foot
    std::optional<std::pair<double, double>> measured;
    QString measuredText;
    std::optional<std::uint32_t> selected, hovered; ///< ids of marks
    QString readout;
};
void paintLanes(QPainter& painter, const LaneModel& model, const LanePlaces& places, const Axis& time,
                const std::vector<LaneColumns>& columns, const LaneOverlay& overlay, const Theme& theme);

} // namespace tilewright::ui
