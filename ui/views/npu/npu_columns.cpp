// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_columns.h"

#include "theme/text.h"
#include "theme/theme.h"
#include "views/npu/npu_lanes.h"
#include "views/npu/npu_text.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using npu::Cycle;

namespace {

/// Maximum number of DRAM events in the visible range that are evaluated one by one. With more events the
/// series of time bins is used.
constexpr std::size_t kExactEvents = 400'000;

std::size_t atLeast(double v, std::size_t limit)
{
    return v <= 0 ? 0 : std::min(limit, static_cast<std::size_t>(v));
}

/// Calls f(column, share of the column's time) for every pixel column that [start, end) overlaps.
template <typename F> void spread(double from, double perPixel, int width, double start, double end, F&& f)
{
    const double a = (start - from) / perPixel;
    const double b = (end - from) / perPixel;
    if (b <= 0 || a >= width)
        return;
    const auto first = atLeast(a, static_cast<std::size_t>(width - 1));
    const auto last = atLeast(std::ceil(b) - 1, static_cast<std::size_t>(width - 1));
    for (std::size_t x = first; x <= last; ++x) {
        const double share = std::min(b, static_cast<double>(x) + 1) - std::max(a, static_cast<double>(x));
        if (share > 0)
            f(x, static_cast<float>(share));
    }
}

/// Longest time in cycles for which a group of bursts occupies the bus. Used to find events that begin before
/// the visible range.
Cycle longestEvent(const npu::NpuHardware& hw)
{
    return hw.dram.interleaveBytes / hw.dram.burstBytes * hw.dram.busCyclesPerBurst();
}

void exactBanks(const NpuResult& r, DramColumns& out, std::size_t first, std::size_t last)
{
    const double perPixel = (out.to - out.from) / out.width;
    const auto w = static_cast<std::size_t>(out.width);
    std::vector<float> groups(out.banks.size(), 0.0F);
    const auto banks = static_cast<std::size_t>(r.run->hardware.dram.banks);
    for (std::size_t i = first; i < last; ++i) {
        const npu::DramEvent& e = r.run->dramEvents[i];
        const double length = static_cast<double>(e.end - e.start);
        const double bytes =
            static_cast<double>(e.bursts) * static_cast<double>(r.run->hardware.dram.burstBytes);
        const std::size_t row = e.channel * banks + e.bank;
        spread(out.from, perPixel, out.width, static_cast<double>(e.start), static_cast<double>(e.end),
               [&](std::size_t x, float share) {
                   const auto rate = static_cast<float>(bytes / length) * share;
                   out.dram[x] += rate;
                   BankCell& cell = out.banks[row * w + x];
                   cell.bytesPerCycle += rate;
                   cell.missShare += e.rowHit ? 0.0F : share;
                   groups[row * w + x] += share;
               });
    }
    for (std::size_t i = 0; i < groups.size(); ++i)
        if (groups[i] > 0)
            out.banks[i].missShare /= groups[i];
}

void binnedBanks(const NpuResult& r, DramColumns& out)
{
    const npu::DramSeries& series = r.run->dram;
    const double perPixel = (out.to - out.from) / out.width;
    const auto bin = static_cast<double>(series.binCycles());
    const int channels = r.run->hardware.dram.channels;
    const int banks = r.run->hardware.dram.banks;
    const auto w = static_cast<std::size_t>(out.width);
    std::vector<float> groups(w);
    const std::size_t first = atLeast(out.from / bin, series.binsUsed());
    for (int c = 0; c < channels; ++c)
        for (int b = 0; b < banks; ++b) {
            const std::size_t row = static_cast<std::size_t>(c * banks + b) * w;
            std::fill(groups.begin(), groups.end(), 0.0F);
            for (std::size_t i = first; i < series.binsUsed() && static_cast<double>(i) * bin < out.to; ++i) {
                const npu::DramSeries::Bin& cell = series.at(c, b, i);
                if (cell.bytes == 0)
                    continue;
                // The last bin is shorter: it ends with the run.
                const double start = static_cast<double>(i) * bin;
                const double end =
                    std::max(start + 1, std::min(start + bin, static_cast<double>(r.run->makespan)));
                const auto n = static_cast<float>(cell.hits + cell.misses);
                spread(out.from, perPixel, out.width, start, end, [&](std::size_t x, float share) {
                    const float rate =
                        static_cast<float>(static_cast<double>(cell.bytes) / (end - start)) * share;
                    out.dram[x] += rate;
                    out.banks[row + x].bytesPerCycle += rate;
                    const float part = n * share / static_cast<float>((end - start) / perPixel);
                    out.banks[row + x].missShare += part * static_cast<float>(cell.misses) / n;
                    groups[x] += part;
                });
            }
            for (std::size_t x = 0; x < w; ++x)
                if (groups[x] > 0)
                    out.banks[row + x].missShare /= groups[x];
        }
}

} // namespace

DramColumns DramColumns::of(const NpuResult& r, double from, double to, int width)
{
    DramColumns out;
    out.from = from;
    out.to = to;
    out.width = std::max(0, width);
    if (width <= 0 || !(to > from))
        return out;
    const auto w = static_cast<std::size_t>(width);
    const npu::NpuRun& run = *r.run;
    out.dram.assign(w, 0.0F);
    out.banks.assign(static_cast<std::size_t>(run.hardware.dram.channels * run.hardware.dram.banks) * w, {});
    const auto before = [](const npu::DramEvent& e, double t) { return static_cast<double>(e.start) < t; };
    const auto first = std::lower_bound(run.dramEvents.begin(), run.dramEvents.end(),
                                        from - static_cast<double>(longestEvent(run.hardware)), before);
    const auto last = std::lower_bound(first, run.dramEvents.end(), to, before);
    out.exact = run.options.recordDram && static_cast<std::size_t>(last - first) <= kExactEvents;
    if (out.exact)
        exactBanks(r, out, static_cast<std::size_t>(first - run.dramEvents.begin()),
                   static_cast<std::size_t>(last - run.dramEvents.begin()));
    else
        binnedBanks(r, out);
    return out;
}

const DramColumns& DramCache::at(double from, double to, int width)
{
    if (m_columns.from != from || m_columns.to != to || m_columns.width != width)
        m_columns = DramColumns::of(*m_result, from, to, width);
    return m_columns;
}

std::optional<std::size_t> DramCache::columnAt(double time) const
{
    const DramColumns& c = m_columns;
    if (c.width <= 0 || time < c.from || time >= c.to)
        return std::nullopt;
    return atLeast((time - c.from) / (c.to - c.from) * c.width, static_cast<std::size_t>(c.width - 1));
}

std::optional<double> DramCache::dramAt(double time) const
{
    const auto x = columnAt(time);
    return x ? std::optional(static_cast<double>(m_columns.dram[*x])) : std::nullopt;
}

const BankCell* DramCache::bankAt(double time, int row) const
{
    const auto x = columnAt(time);
    return x ? &m_columns
                    .banks[static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns.width) + *x]
             : nullptr;
}

std::vector<LowHigh> stepColumns(const std::vector<npu::TimedValue>& steps, double from, double to, int width,
                                 Cycle runEnd)
{
    std::vector<LowHigh> out(static_cast<std::size_t>(std::max(0, width)));
    const double perPixel = (to - from) / width;
    auto it = std::upper_bound(steps.begin(), steps.end(), from, [](double t, const npu::TimedValue& s) {
        return t < static_cast<double>(s.time);
    });
    double value = it == steps.begin() ? 0 : static_cast<double>(std::prev(it)->value);
    for (std::size_t x = 0; x < out.size(); ++x) {
        const double end = from + perPixel * (static_cast<double>(x) + 1);
        if (end - perPixel >= static_cast<double>(runEnd))
            break; // all values after the end of the run are 0
        out[x] = {value, value};
        while (it != steps.end() && static_cast<double>(it->time) < end) {
            value = static_cast<double>(it->value);
            out[x].low = std::min(out[x].low, value);
            out[x].high = std::max(out[x].high, value);
            ++it;
        }
    }
    return out;
}

std::int64_t stepAt(const std::vector<npu::TimedValue>& steps, Cycle time)
{
    const auto it = std::upper_bound(steps.begin(), steps.end(), time,
                                     [](Cycle t, const npu::TimedValue& s) { return t < s.time; });
    return it == steps.begin() ? 0 : std::prev(it)->value;
}

// DRAM banks over time: a heat map, or single groups of bursts at high zoom.

namespace {

/// True if every group of bursts is drawn separately.
bool showsSingleBursts(const NpuResult& r, const DramColumns& c)
{
    return c.exact && c.width > 0 &&
           (c.to - c.from) / c.width < static_cast<double>(r.settings.hardware.dram.busCyclesPerBurst());
}

/// Colour of a number of bytes per cycle, or of a share of row misses.
QColor bankColour(const BankCell& cell, double peak, bool misses, const Theme& theme)
{
    if (misses)
        return Theme::mix(theme.loadTime, theme.computeTime, static_cast<double>(cell.missShare));
    // The first tenth of the ramp is not used, because its lightness is too close to that of the canvas.
    return theme.ramp(0.1 + 0.9 * (peak > 0 ? static_cast<double>(cell.bytesPerCycle) / peak : 0));
}

float peakOf(const DramColumns& c)
{
    float most = 0;
    for (const BankCell& cell : c.banks)
        most = std::max(most, cell.bytesPerCycle);
    return most;
}

const DramColumns& columnsOf(DramCache& cache, const Axis& time)
{
    return cache.at(time.v0, time.v1, static_cast<int>(time.p1 - time.p0));
}

/// Paints single groups of bursts. The length is the time on the bus; a notch and a paler fill mark a row
/// miss.
void paintEvents(QPainter& painter, const npu::NpuRun& run, const LaneFrame& f)
{
    const auto rows = static_cast<double>(run.hardware.dram.channels * run.hardware.dram.banks);
    const double row = f.rect.height() / rows;
    const npu::Cycle longest = run.hardware.dram.interleaveBytes / run.hardware.dram.burstBytes *
                               run.hardware.dram.busCyclesPerBurst();
    auto it = std::lower_bound(
        run.dramEvents.begin(), run.dramEvents.end(), f.time.v0 - static_cast<double>(longest),
        [](const npu::DramEvent& e, double t) { return static_cast<double>(e.start) < t; });
    for (; it != run.dramEvents.end() && static_cast<double>(it->start) < f.time.v1; ++it) {
        const double x0 = std::max(f.rect.left(), std::round(f.time.toPixel(static_cast<double>(it->start))));
        const double x1 = std::min(f.rect.right(), std::round(f.time.toPixel(static_cast<double>(it->end))));
        const QRectF r(x0, f.rect.top() + row * (it->channel * run.hardware.dram.banks + it->bank), x1 - x0,
                       std::max(1.0, row - 0.5));
        if (r.width() <= 0)
            continue;
        painter.fillRect(r, it->rowHit ? f.theme.loadTime : f.theme.computeTime);
        if (it->isStore && r.height() >= 3) // a line marks stores
            painter.fillRect(QRectF(r.left(), r.center().y(), r.width(), 1), f.theme.canvas);
        // Divides a group into its bursts.
        const double one = r.width() / std::max<double>(1, it->bursts);
        if (it->bursts > 1 && one >= 5)
            for (std::uint32_t b = 1; b < it->bursts; ++b)
                painter.fillRect(QRectF(r.left() + one * b, r.top(), 1, r.height()), f.theme.canvas);
        if (!it->rowHit && r.width() >= 4)
            painter.fillRect(QRectF(r.left(), r.top(), 2, r.height()), f.theme.text);
    }
}

/// Paints the heat map as an image with one pixel per cell. The image is stretched, so that painting takes
/// the same time at every zoom.
void paintHeat(QPainter& painter, const DramColumns& c, std::size_t rows, bool misses, const LaneFrame& f)
{
    const auto w = static_cast<std::size_t>(c.width);
    QImage image(c.width, static_cast<int>(rows), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    const auto most = static_cast<double>(peakOf(c));
    for (std::size_t r = 0; r < rows; ++r) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(r)));
        for (std::size_t x = 0; x < w; ++x)
            if (const BankCell& cell = c.banks[r * w + x]; cell.bytesPerCycle > 0)
                line[x] = bankColour(cell, most, misses, f.theme).rgb();
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(f.rect, image);
}

void paintBanks(QPainter& painter, const NpuResult& r, DramCache& cache, bool misses, const LaneFrame& f)
{
    const npu::DramHardware& dram = r.settings.hardware.dram;
    painter.fillRect(f.rect, Theme::mix(f.theme.canvas, f.theme.muted, 0.05));
    painter.setRenderHint(QPainter::Antialiasing, false);
    const DramColumns& c = columnsOf(cache, f.time);
    if (showsSingleBursts(r, c))
        paintEvents(painter, *r.run, f);
    else if (c.width > 0)
        paintHeat(painter, c, static_cast<std::size_t>(dram.channels) * static_cast<std::size_t>(dram.banks),
                  misses, f);
    painter.setRenderHint(QPainter::Antialiasing, true);
    // Lines between the banks of different channels.
    painter.setPen(QPen(f.theme.outline, 1));
    for (int channel = 1; channel < dram.channels; ++channel) {
        const double y = std::round(f.rect.top() + f.rect.height() * channel / dram.channels) + 0.5;
        painter.drawLine(QPointF(f.rect.left(), y), QPointF(f.rect.right(), y));
    }
}

/// Paints the colour ramp of the legend with its scale.
void paintScale(QPainter& painter, const NpuResult& r, DramCache& cache, bool misses, const LaneFrame& f)
{
    const QFontMetricsF fm(painter.font());
    const DramColumns& c = columnsOf(cache, f.time);
    const bool single = showsSingleBursts(r, c);
    double y = f.rect.top();
    if (y + fm.ascent() > f.rect.bottom() + 3)
        return;
    const QString meaning = single   ? tr("each group of bursts:")
                            : misses ? tr("colour: row misses")
                                     : tr("colour: bytes per cycle");
    painter.drawText(QPointF(f.rect.left(), y + fm.ascent()),
                     fm.elidedText(meaning, Qt::ElideRight, f.rect.width()));
    y += fm.height();
    if (y + 24 + fm.height() >= f.rect.bottom())
        return;
    if (single) {
        double x = f.rect.left();
        for (const bool miss : {false, true}) {
            painter.fillRect(QRectF(x, y + 4, 11, 9), miss ? f.theme.computeTime : f.theme.loadTime);
            if (miss) // a notch marks a miss, so that it can be recognised without colour
                painter.fillRect(QRectF(x, y + 4, 2, 9), f.theme.text);
            const QString text = miss ? tr("miss") : tr("hit");
            painter.drawText(QPointF(x + 15, y + 1 + fm.ascent()), text);
            x += 15 + fm.horizontalAdvance(text) + 12;
        }
        return;
    }
    const QRectF ramp(f.rect.left(), y + 5, std::min(110.0, f.rect.width()), 9);
    const float most = peakOf(c);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (int i = 0; i < static_cast<int>(ramp.width()); ++i) {
        const auto at = static_cast<float>(i / ramp.width());
        painter.fillRect(QRectF(ramp.left() + i, ramp.top(), 1, ramp.height()),
                         bankColour({at * most, at}, static_cast<double>(most), misses, f.theme));
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    const double base = ramp.bottom() + fm.ascent() + 1;
    painter.drawText(QPointF(ramp.left(), base), QStringLiteral("0"));
    const QString high = misses ? percent(1) : number(static_cast<double>(most));
    painter.drawText(QPointF(ramp.right() - fm.horizontalAdvance(high), base), high);
}

QString bankReadout(const NpuResult& r, const DramCache& cache, double time, double y)
{
    const npu::DramHardware& dram = r.settings.hardware.dram;
    const npu::NpuRun& run = *r.run;
    const auto t = static_cast<npu::Cycle>(std::floor(time));
    const int rows = dram.channels * dram.banks;
    const int row = std::clamp(static_cast<int>(y * rows), 0, rows - 1);
    const QString where = tr("channel %1, bank %2").arg(row / dram.banks).arg(row % dram.banks);
    // The readout describes a single event if events can be distinguished at this zoom.
    const npu::DramEvent* hit = nullptr;
    auto it = std::upper_bound(run.dramEvents.begin(), run.dramEvents.end(), t,
                               [](npu::Cycle c, const npu::DramEvent& e) { return c < e.start; });
    for (int back = 0; it != run.dramEvents.begin() && back < 8 * dram.channels; ++back) {
        --it;
        if (it->channel == row / dram.banks && it->bank == row % dram.banks && it->end > t) {
            hit = &*it;
            break;
        }
    }
    if (hit)
        return tr("%1 · %2 %3 · %4 bursts of %5 at address %6 · row %7 · cycles %8 – %9")
            .arg(where, hit->isStore ? tr("stores") : tr("loads"), tileText(*r.graph, hit->tile),
                 QString::number(hit->bursts), bytesText(dram.burstBytes),
                 QStringLiteral("0x") + QString::number(hit->address, 16),
                 hit->rowHit ? tr("hit") : tr("miss"), number(hit->start), number(hit->end));
    if (const BankCell* cell = cache.bankAt(time, row); cell && cell->bytesPerCycle > 0)
        return tr("%1 · %2 bytes per cycle · %3 row misses at cycle %4")
            .arg(where, number(static_cast<double>(cell->bytesPerCycle)),
                 percent(static_cast<double>(cell->missShare)), number(t));
    return tr("%1 · no traffic at cycle %2").arg(where, number(t));
}

} // namespace

Lane npuBankLane(const NpuChartModel& m, bool misses, std::shared_ptr<DramCache> cache)
{
    const NpuResult& r = *m.result;
    const npu::DramHardware& dram = r.settings.hardware.dram;
    Lane lane;
    lane.name = tr("DRAM banks");
    lane.note = tr("%1 ch × %2").arg(dram.channels).arg(dram.banks);
    lane.inner = true;
    lane.height = std::clamp(2.0 * dram.channels * dram.banks, 32.0, 160.0);
    lane.gap = 8;
    const double groups = static_cast<double>(std::max<std::int64_t>(1, r.run->rowHits + r.run->rowMisses));
    lane.facts << tr("row hits %1").arg(percent(static_cast<double>(r.run->rowHits) / groups))
               << tr("misses %1").arg(number(r.run->rowMisses));
    lane.paint = [&r, cache, misses](QPainter& painter, const LaneFrame& f) {
        paintBanks(painter, r, *cache, misses, f);
    };
    lane.paintFacts = [&r, cache, misses](QPainter& painter, const LaneFrame& f) {
        paintScale(painter, r, *cache, misses, f);
    };
    lane.readout = [&r, cache](double time, double y) { return bankReadout(r, *cache, time, y); };
    return lane;
}

} // namespace tilewright::ui
