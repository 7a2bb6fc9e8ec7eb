// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/plan.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tilewright::sweep {

namespace {

/// Default search steps of a solve per point: a fifth of a second for a problem of twenty ops.
constexpr std::int64_t kDefaultIterations = 20'000;

constexpr std::array<std::string_view, 5> kProblemHardware{"fast_memory_capacity", "slow_memory_bandwidth",
                                                           "native_width", "native_height", "native_depth"};

bool isFractional(std::string_view axis)
{
    return axis.ends_with("gb_per_s") || axis.ends_with("ghz") || axis.starts_with("dma.") ||
           axis.starts_with("energy_pj.");
}

/// Text of a value with nine digits, so that differences of pow() between platforms do not change the plan.
std::string rounded(double value, bool fractional)
{
    if (!fractional)
        return formatNumber(static_cast<std::int64_t>(std::llround(value)));
    if (value == 0)
        return "0";
    constexpr int kDigits = 9;
    const int decimals = kDigits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
    const double unit = std::pow(10.0, std::abs(decimals));
    return formatNumber(decimals < 0 ? std::round(value / unit) * unit : std::round(value * unit) / unit);
}

} // namespace

std::string_view toString(Lens lens) noexcept
{
    constexpr std::array<std::string_view, 4> kNames{"schedule", "mapping", "npu", "systolic"};
    return kNames[static_cast<std::size_t>(lens)];
}

std::string_view toString(What what) noexcept
{
    constexpr std::array<std::string_view, 7> kNames{"evaluate", "solve",   "bound", "optimum",
                                                     "static",   "dynamic", "table"};
    return kNames[static_cast<std::size_t>(what)];
}

std::string_view toString(Minimise minimise) noexcept
{
    return minimise == Minimise::Latency ? "latency" : "traffic";
}

std::string_view toString(Tiles tiles) noexcept
{
    return tiles == Tiles::Default ? "default" : "searched";
}

std::optional<double> AxisValue::number() const
{
    double out = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, out);
    return read.ec == std::errc{} && read.ptr == end ? std::optional(out) : std::nullopt;
}

std::size_t Plan::pointCount() const noexcept
{
    if (!listed.empty())
        return listed.size();
    std::size_t out = std::max<std::size_t>(1, workload.size());
    for (const Axis& axis : axes)
        out = axis.values.empty() || out > kMaxPoints ? out : out * axis.values.size();
    return out;
}

std::int64_t Plan::iterations() const noexcept
{
    return budget.iterations > 0 || budget.seconds > 0 ? budget.iterations : kDefaultIterations;
}

Point pointAt(const Plan& plan, std::size_t index)
{
    if (!plan.listed.empty())
        return {plan.listedWorkload.empty() ? 0 : plan.listedWorkload[index], plan.listed[index]};
    Point out;
    out.values.resize(plan.axes.size());
    for (std::size_t a = plan.axes.size(); a-- > 0;) {
        const auto& values = plan.axes[a].values;
        out.values[a] = values[index % values.size()];
        index /= values.size();
    }
    out.workload = index;
    return out;
}

bool isProblemHardware(std::string_view name)
{
    return std::ranges::find(kProblemHardware, name) != kProblemHardware.end();
}

std::vector<AxisValue> valuesOf(const AxisRange& range, std::string_view axis)
{
    std::vector<AxisValue> out;
    const auto steps = static_cast<double>(std::max<std::int64_t>(1, range.points - 1));
    for (std::int64_t i = 0; i < range.points; ++i) {
        const double share = static_cast<double>(i) / steps;
        const double value = range.isLogarithmic ? range.from * std::pow(range.to / range.from, share)
                                                 : range.from + (range.to - range.from) * share;
        AxisValue next{rounded(i + 1 == range.points && i > 0 ? range.to : value, isFractional(axis))};
        if (out.empty() || out.back() != next)
            out.push_back(std::move(next));
    }
    return out;
}

std::vector<std::string_view> metricsOf(const Plan& plan)
{
    switch (plan.lens) {
    case Lens::Mapping:
        return {"energy", "cycles", "edp", "proven"};
    case Lens::Npu:
        return {"makespan", "lower_bound", "dram_bytes"};
    case Lens::Systolic:
        return {"cycles",   "bound_cycles", "dram_bytes",  "l3_bytes",
                "l2_bytes", "l1_bytes",     "utilization", "mapping_efficiency"};
    case Lens::Schedule:
        break;
    }
    if (plan.what == What::Bound)
        return {"lower_bound", "compute", "memory"};
    if (plan.what == What::Evaluate)
        return {"latency", "lower_bound", "traffic", "peak_working_set"};
    if (plan.minimise == Minimise::Traffic)
        return {"traffic", "lower_bound", "subgraphs", "proven"};
    return {"latency", "lower_bound", "traffic", "subgraphs", "proven"};
}

} // namespace tilewright::sweep
