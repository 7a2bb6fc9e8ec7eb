// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_columns.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using npu::Cycle;

namespace {

/// Largest number of DRAM events that are evaluated one by one in a visible range; with more, the binned
/// series is used.
constexpr std::size_t kExactEvents = 400'000;

std::size_t atLeast(double v, std::size_t limit)
{
    return v <= 0 ? 0 : std::min(limit, static_cast<std::size_t>(v));
}

/// Calls f(column, share of the column's time) for every column that the span [start, end) touches.
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

/// Longest bus time of one group, needed to find events that began before the range.
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
                // The last bin ends with the run.
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
            break; // after the run, values are 0
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

} // namespace tilewright::ui
