// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/svg_charts.h"

#include "report/markup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tilewright {

namespace {

constexpr double kWidth = 920;
constexpr double kLeft = 80;
constexpr double kRight = 16;
constexpr double kTop = 12;
constexpr double kBottom = 40;

/// Values at round distances from 0 to at least max.
std::vector<double> ticks(double max)
{
    if (!(max > 0) || !std::isfinite(max))
        return {0};
    const double raw = max / 5;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= raw) {
            step = factor * power;
            break;
        }
    std::vector<double> out;
    for (int i = 0; i <= 10 && i * step < max * 1.0001; ++i)
        out.push_back(i * step);
    return out;
}

class Drawing
{
public:
    Drawing(double height, std::string_view title) : m_height(height)
    {
        m_out = "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 " + coordinate(kWidth) + " " +
                coordinate(height) + "\"><title>" + escapeMarkup(title) + "</title>\n";
    }

    [[nodiscard]] double left() const { return kLeft; }
    [[nodiscard]] double right() const { return kWidth - kRight; }
    [[nodiscard]] double top() const { return kTop; }
    [[nodiscard]] double bottom() const { return m_height - kBottom; }

    void line(double x1, double y1, double x2, double y2, const char* style)
    {
        m_out += std::string("<line class=\"") + style + "\" x1=\"" + coordinate(x1) + "\" y1=\"" +
                 coordinate(y1) + "\" x2=\"" + coordinate(x2) + "\" y2=\"" + coordinate(y2) + "\"/>\n";
    }
    void rect(double x, double y, double w, double h, const char* style, const std::string& tip)
    {
        m_out += std::string("<rect class=\"") + style + "\" x=\"" + coordinate(x) + "\" y=\"" +
                 coordinate(y) + "\" width=\"" + coordinate(std::max(w, 0.2)) + "\" height=\"" +
                 coordinate(std::max(h, 0.2)) + "\"><title>" + escapeMarkup(tip) + "</title></rect>\n";
    }
    void dot(double x, double y, double radius, const char* style, const std::string& tip)
    {
        m_out += std::string("<circle class=\"") + style + "\" cx=\"" + coordinate(x) + "\" cy=\"" +
                 coordinate(y) + "\" r=\"" + coordinate(radius) + "\"><title>" + escapeMarkup(tip) +
                 "</title></circle>\n";
    }
    void path(const std::string& d, const char* style)
    {
        m_out += std::string("<path class=\"") + style + "\" d=\"" + d + "\"/>\n";
    }
    void text(double x, double y, const std::string& what, const char* anchor = "middle",
              const char* style = "tick")
    {
        m_out += std::string("<text class=\"") + style + "\" text-anchor=\"" + anchor + "\" x=\"" +
                 coordinate(x) + "\" y=\"" + coordinate(y) + "\">" + escapeMarkup(what) + "</text>\n";
    }
    /// Labelled lines across, from 0 at the bottom to `max` at the top.
    void rows(double max)
    {
        for (const double v : ticks(max)) {
            const double y = bottom() - v / max * (bottom() - top());
            line(left(), y, right(), y, "grid");
            text(left() - 6, y + 4, displayNumber(v), "end");
        }
    }

    [[nodiscard]] std::string finish() { return m_out + "</svg>\n"; }

private:
    double m_height;
    std::string m_out;
};

const char* boundStyle(Bound bound)
{
    return bound == Bound::Compute ? "compute" : bound == Bound::Memory ? "memory" : "balanced";
}

std::string opsTip(const Snapshot& snapshot, SubgraphId i)
{
    std::string out = "subgraph " + std::to_string(i.value) + ":";
    const auto& ops = snapshot.schedule[i].ops;
    for (std::size_t k = 0; k < ops.size() && k < 8; ++k)
        out += " " + snapshot.problem->opName(ops[k]);
    return out + (ops.size() > 8 ? " ..." : "");
}

struct Layer
{
    const char* style;
    const char* name;
    std::int64_t OccupancySegment::*value;
};
constexpr std::array kLayers{Layer{"resident", "resident", &OccupancySegment::resident},
                             Layer{"retained", "retained for the next", &OccupancySegment::retained},
                             Layer{"input", "inputs", &OccupancySegment::input},
                             Layer{"output", "outputs", &OccupancySegment::output},
                             Layer{"accumulator", "accumulators", &OccupancySegment::accumulator}};

/// The fullest segment of every column, so that a peak of one step is never lost.
std::vector<const OccupancySegment*> columns(const Occupancy& occupancy, std::size_t count)
{
    std::vector<const OccupancySegment*> out(count, nullptr);
    for (const OccupancySegment& s : occupancy.segments) {
        const auto column = [&](double time) {
            const double share = occupancy.end > 0 ? time / occupancy.end : 0;
            return std::clamp<std::int64_t>(static_cast<std::int64_t>(share * static_cast<double>(count)), 0,
                                            static_cast<std::int64_t>(count));
        };
        const auto last = std::max(column(s.end), column(s.start) + 1);
        for (auto c = column(s.start); c < last && c < static_cast<std::int64_t>(count); ++c) {
            const OccupancySegment*& best = out[static_cast<std::size_t>(c)];
            if (!best || s.total() > best->total())
                best = &s;
        }
    }
    return out;
}

} // namespace

std::string_view chartStyle()
{
    return R"(.chart { width: 100%; max-width: 920px; height: auto; display: block; }
.chart text { font: 12px system-ui, sans-serif; fill: var(--text); }
.chart text.tick { fill: var(--muted); }
.chart .grid { stroke: var(--line); stroke-width: 1; }
.chart .axis { stroke: var(--muted); stroke-width: 1; }
.chart .roof { stroke: var(--text); stroke-width: 2; fill: none; }
.chart .limit { stroke: var(--error); stroke-width: 1.5; stroke-dasharray: 6 4; }
.chart .mark { stroke: var(--text); stroke-width: 1.5; }
.chart .compute { fill: #D47944; } .chart .memory { fill: #4C82BC; } .chart .balanced { fill: #8A8F98; }
.chart circle { stroke: var(--canvas); stroke-width: 1; fill-opacity: .85; }
.chart .resident { fill: #8877FF; } .chart .retained { fill: #AA66BB; } .chart .input { fill: #4C82BC; }
.chart .output { fill: #009955; } .chart .accumulator { fill: #EECC88; }
)";
}

std::string latencyChart(const Snapshot& snapshot)
{
    Drawing d(260, "Latency of each subgraph");
    const auto& list = snapshot.evaluation.subgraphs;
    double max = 0;
    for (const SubgraphEvaluation& e : list)
        max = std::max(max, e.structurallyValid ? e.latency : 0.0);
    if (!(max > 0))
        max = 1;
    d.rows(max);
    const double slot = (d.right() - d.left()) / static_cast<double>(std::max<std::size_t>(1, list.size()));
    const double height = d.bottom() - d.top();
    const auto labelled = static_cast<std::size_t>(std::ceil(26 / slot));
    for (std::size_t i = 0; i < list.size(); ++i) {
        const SubgraphEvaluation& e = list[i];
        const double x = d.left() + slot * static_cast<double>(i);
        const double gap = slot > 6 ? slot * 0.15 : 0;
        if (i % std::max<std::size_t>(1, labelled) == 0)
            d.text(x + slot / 2, d.bottom() + 16, std::to_string(i));
        if (!e.structurallyValid)
            continue;
        const double h = e.latency / max * height;
        d.rect(x + gap, d.bottom() - h, slot - 2 * gap, h, boundStyle(e.bound),
               opsTip(snapshot, SubgraphId(i)) + ", latency " + displayNumber(e.latency) + ", compute " +
                   displayNumber(e.compute) + ", memory " + displayNumber(e.memory));
        if (slot > 6)
            for (const double part : {e.compute, e.memory})
                d.line(x + gap, d.bottom() - part / max * height, x + slot - gap,
                       d.bottom() - part / max * height, "mark");
    }
    d.line(d.left(), d.bottom(), d.right(), d.bottom(), "axis");
    d.text((d.left() + d.right()) / 2, d.bottom() + 34, "subgraph");
    return d.finish();
}

std::string memoryChart(const Snapshot& snapshot, const Occupancy& occupancy)
{
    Drawing d(280, "Fast memory over time");
    const double capacity = static_cast<double>(occupancy.capacity);
    const double top = std::max({capacity, static_cast<double>(occupancy.peak), 1.0}) * 1.08;
    d.rows(top);
    const auto x = [&](double share) { return d.left() + share * (d.right() - d.left()); };
    const auto y = [&](double elements) { return d.bottom() - elements / top * (d.bottom() - d.top()); };
    constexpr std::size_t kColumns = 800;
    const auto fullest = columns(occupancy, kColumns);
    std::vector<double> base(kColumns, 0);
    for (const Layer& layer : kLayers) {
        std::string upper;
        std::string lower;
        bool any = false;
        for (std::size_t c = 0; c < kColumns;) {
            // Columns of equal height are drawn as one.
            const auto size = [&](std::size_t k) {
                return fullest[k] ? static_cast<double>(fullest[k]->*layer.value) : 0.0;
            };
            std::size_t next = c + 1;
            while (next < kColumns && size(next) == size(c) && base[next] == base[c])
                ++next;
            const std::string x0 = coordinate(x(static_cast<double>(c) / kColumns));
            const std::string x1 = coordinate(x(static_cast<double>(next) / kColumns));
            const std::string low = coordinate(y(base[c]));
            const std::string high = coordinate(y(base[c] + size(c)));
            upper += (c == 0 ? "M" : "L") + x0 + " " + high + "L" + x1 + " " + high;
            lower.insert(0, "L" + x1 + " " + low + "L" + x0 + " " + low);
            any = any || size(c) > 0;
            for (const double added = size(c); c < next; ++c)
                base[c] += added;
        }
        if (any)
            d.path(upper + lower + "Z", layer.style);
    }
    // Where subgraphs begin, unless they are too many to tell apart.
    if (snapshot.schedule.size() <= 100)
        for (std::size_t s = 0; s < occupancy.segments.size(); ++s)
            if (s > 0 && occupancy.segments[s].subgraph != occupancy.segments[s - 1].subgraph) {
                const double at = x(occupancy.segments[s].start / occupancy.end);
                d.line(at, d.top(), at, d.bottom(), "grid");
            }
    d.line(d.left(), y(capacity), d.right(), y(capacity), "limit");
    d.text(d.right(), y(capacity) - 5, "capacity " + displayNumber(occupancy.capacity), "end");
    d.line(d.left(), d.bottom(), d.right(), d.bottom(), "axis");
    for (const double t : ticks(occupancy.end))
        if (occupancy.end > 0)
            d.text(x(t / occupancy.end), d.bottom() + 16, displayNumber(t));
    double legend = d.left();
    for (const Layer& layer : kLayers) {
        d.rect(legend, d.bottom() + 24, 10, 10, layer.style, layer.name);
        d.text(legend + 15, d.bottom() + 33, layer.name, "start");
        legend += 38 + 6.2 * static_cast<double>(std::string_view(layer.name).size());
    }
    return d.finish();
}

std::string rooflineChart(const Snapshot& snapshot, const ScheduleRoofline& roofline)
{
    Drawing d(340, "Roofline");
    double lowX = roofline.ridge / 4;
    double highX = roofline.ridge * 4;
    double lowY = 0.25;
    double maxLatency = 0;
    for (const SubgraphPoint& p : roofline.points) {
        if (std::isfinite(p.intensity) && p.intensity > 0) {
            lowX = std::min(lowX, p.intensity / 1.5);
            highX = std::max(highX, p.intensity * 1.5);
        }
        if (p.throughput > 0)
            lowY = std::min(lowY, p.throughput / 1.5);
        maxLatency = std::max(maxLatency, p.latency);
    }
    const double highY = roofline.computeRoof * 1.3;
    const auto along = [](double v, double low, double high) {
        return (std::log(v) - std::log(low)) / (std::log(high) - std::log(low));
    };
    const auto x = [&](double v) {
        return d.left() + std::clamp(along(v, lowX, highX), 0.0, 1.0) * (d.right() - d.left());
    };
    const auto y = [&](double v) {
        return d.bottom() - std::clamp(along(v, lowY, highY), 0.0, 1.0) * (d.bottom() - d.top());
    };
    const auto label = [](int exponent) {
        if (exponent < -4)
            return "1e" + std::to_string(exponent);
        return exponent >= 0 ? displayNumber(std::pow(10, exponent))
                             : "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + "1";
    };
    for (int e = static_cast<int>(std::ceil(std::log10(lowX))); e <= std::floor(std::log10(highX)); ++e) {
        d.line(x(std::pow(10, e)), d.top(), x(std::pow(10, e)), d.bottom(), "grid");
        d.text(x(std::pow(10, e)), d.bottom() + 16, label(e));
    }
    for (int e = static_cast<int>(std::ceil(std::log10(lowY))); e <= std::floor(std::log10(highY)); ++e) {
        d.line(d.left(), y(std::pow(10, e)), d.right(), y(std::pow(10, e)), "grid");
        d.text(d.left() - 6, y(std::pow(10, e)) + 4, label(e), "end");
    }
    const double entry = std::max(lowX, lowY / roofline.bandwidth);
    d.path("M" + coordinate(x(entry)) + " " + coordinate(y(entry * roofline.bandwidth)) + "L" +
               coordinate(x(roofline.ridge)) + " " + coordinate(y(roofline.computeRoof)) + "L" +
               coordinate(d.right()) + " " + coordinate(y(roofline.computeRoof)),
           "roof");
    d.text(d.right(), y(roofline.computeRoof) - 6, "compute roof", "end");
    d.text(x(entry) + 40, y(entry * roofline.bandwidth) - 4, "memory roof", "start");
    std::map<std::pair<long, long>, std::pair<std::string, double>> labels;
    for (const SubgraphPoint& p : roofline.points) {
        if (!(p.throughput > 0))
            continue;
        const double radius = 3 + 9 * std::sqrt(maxLatency > 0 ? p.latency / maxLatency : 0);
        const double px = std::isfinite(p.intensity) ? x(p.intensity) : d.right();
        d.dot(px, y(p.throughput), radius, boundStyle(p.bound),
              opsTip(snapshot, p.subgraph) + ", throughput " + displayNumber(100 * p.throughput) +
                  " % of peak, latency " + displayNumber(p.latency));
        // Equal subgraphs lie on one spot and share a label.
        const auto spot = std::pair(std::lround(px / 4), std::lround(y(p.throughput) / 4));
        auto& [text, at] = labels[spot];
        text += (text.empty() ? "" : ", ") + std::to_string(p.subgraph.value);
        at = std::max(at, px + radius + 3);
    }
    constexpr std::size_t kLongestLabel = 24;
    for (const auto& [spot, label] : labels)
        d.text(label.second, static_cast<double>(spot.second) * 4 + 4,
               label.first.size() > kLongestLabel
                   ? label.first.substr(0, label.first.rfind(',', kLongestLabel)) + ", ..."
                   : label.first,
               "start");
    d.line(d.left(), d.bottom(), d.right(), d.bottom(), "axis");
    d.line(d.left(), d.top(), d.left(), d.bottom(), "axis");
    d.text((d.left() + d.right()) / 2, d.bottom() + 34, "work per element moved");
    return d.finish();
}

} // namespace tilewright
