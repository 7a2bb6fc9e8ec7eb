// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace tilewright::sweep {

double costOf(double value, std::string_view metric)
{
    if (!isMoreBetter(metric))
        return value;
    return value > 0 ? 1 / value : std::numeric_limits<double>::max();
}

std::vector<CurvePoint> costsOf(std::span<const CurvePoint> curve, std::string_view metric)
{
    std::vector<CurvePoint> out(curve.begin(), curve.end());
    for (CurvePoint& point : out)
        point.value = costOf(point.value, metric);
    return out;
}

std::optional<std::size_t> bestOf(std::span<const CurvePoint> curve)
{
    if (curve.empty())
        return std::nullopt;
    return static_cast<std::size_t>(std::ranges::min_element(curve, {}, &CurvePoint::value) - curve.begin());
}

std::optional<std::size_t> smallestWithin(std::span<const CurvePoint> curve, double share)
{
    const auto best = bestOf(curve);
    if (!best)
        return std::nullopt;
    // The tolerance is added to the best value, so that it also works for negative values.
    const double most = curve[*best].value + share * std::abs(curve[*best].value);
    std::size_t first = curve.size();
    while (first > 0 && curve[first - 1].value <= most)
        --first;
    return first < curve.size() ? std::optional(first) : best;
}

std::optional<std::size_t> kneeOf(std::span<const CurvePoint> curve, bool logarithmic)
{
    constexpr std::size_t kFewest = 3;
    constexpr double kBelow = 1e-9; // tolerance, so that rounding errors do not count as a knee
    if (curve.size() < kFewest)
        return std::nullopt;
    const auto [low, high] = std::ranges::minmax(curve, {}, &CurvePoint::value);
    const bool logValues = logarithmic && low.value > 0;
    const auto x = [&](const CurvePoint& p) { return logarithmic ? std::log(p.at) : p.at; };
    const auto y = [&](const CurvePoint& p) { return logValues ? std::log(p.value) : p.value; };
    const double width = x(curve.back()) - x(curve.front());
    const double height = y(high) - y(low);
    if (width <= 0 || height <= 0)
        return std::nullopt;
    const double from = (y(curve.front()) - y(low)) / height;
    const double to = (y(curve.back()) - y(low)) / height;
    std::optional<std::size_t> out;
    double farthest = kBelow;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const double along = (x(curve[i]) - x(curve.front())) / width;
        const double below = from + (to - from) * along - (y(curve[i]) - y(low)) / height;
        if (below > farthest) {
            farthest = below;
            out = i;
        }
    }
    return out;
}

namespace {

/// True if smaller values of the metric are better. Other metrics describe the quality or the certainty of a
/// result.
bool isCost(const Plan& plan, std::string_view metric)
{
    if (metric == "lower_bound")
        return plan.what == What::Bound;
    return metric != "proven" && metric != "subgraphs" && metric != "utilization" &&
           metric != "mapping_efficiency" && !isMoreBetter(metric) && metric != "floor_ms" &&
           !metric.ends_with("_share");
}

/// Key of a curve: the workload, and the values of all axes except the one of the curve.
using CurveKey = std::vector<std::string>;

/// Curves along one axis, each in ascending order of the axis.
using Curves = std::map<CurveKey, std::vector<CurvePoint>>;

Curves curvesAlong(const SweepTable& table, std::size_t axis, std::size_t metric)
{
    Curves out;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const Row& row = table.rows[i];
        if (row.metrics.empty() || !fitsMemory(table.manifest.plan, row.metrics))
            continue;
        const Point point = pointAt(table.manifest.plan, row.point);
        const auto at = point.values[axis].number();
        if (!at)
            continue;
        CurveKey beside{std::to_string(point.workload)};
        for (std::size_t a = 0; a < point.values.size(); ++a)
            if (a != axis)
                beside.push_back(point.values[a].text);
        out[std::move(beside)].push_back({i, *at, row.metrics[metric]});
    }
    for (auto& [beside, curve] : out)
        std::ranges::sort(curve, {}, &CurvePoint::at);
    return out;
}

} // namespace

std::vector<Enough> enoughOf(const SweepTable& table, double share)
{
    const Plan& plan = table.manifest.plan;
    const auto metrics = metricsOf(plan);
    std::vector<Enough> out;
    for (std::size_t a = 0; a < plan.axes.size(); ++a)
        for (std::size_t m = 0; m < metrics.size(); ++m) {
            if (!isCost(plan, metrics[m]))
                continue;
            // Key: workload. Value: the point that is sufficient for all its curves, and the largest axis
            // value of any curve.
            std::map<std::size_t, std::pair<CurvePoint, double>> needed;
            for (const auto& [beside, curve] : curvesAlong(table, a, m)) {
                if (curve.front().at == curve.back().at)
                    continue;
                const CurvePoint& enough = curve[*smallestWithin(curve, share)];
                const std::size_t workload = pointAt(plan, table.rows[enough.row].point).workload;
                auto& [most, last] = needed.try_emplace(workload, enough, curve.back().at).first->second;
                if (enough.at > most.at)
                    most = enough;
                last = std::max(last, curve.back().at);
            }
            for (const auto& [workload, found] : needed) {
                const auto& [point, last] = found;
                out.push_back({workload, plan.axes[a].name, std::string(metrics[m]),
                               pointAt(plan, table.rows[point.row].point).values[a], point.at == last});
            }
        }
    return out;
}

Status keepMeeting(SweepTable& table, std::string_view limit)
{
    const auto metrics = metricsOf(table.manifest.plan);
    const std::size_t sign = limit.find('=');
    const std::string_view name = limit.substr(0, sign);
    const auto metric = std::ranges::find(metrics, name);
    const auto wrong = [&](std::string why) {
        return Error{ErrorCode::Field, std::move(why), "--limit", {}};
    };
    if (sign == std::string_view::npos || metric == metrics.end()) {
        std::string names;
        for (const std::string_view known : metrics)
            names.append(names.empty() ? "" : ", ").append(known);
        return wrong("expected METRIC=VALUE; the metrics are " + names);
    }
    const auto value = AxisValue{std::string(limit.substr(sign + 1))}.number();
    if (!value)
        return wrong("expected a number behind \"=\"");
    const auto column = static_cast<std::size_t>(metric - metrics.begin());
    std::erase_if(table.rows, [&](const Row& row) {
        return row.metrics.empty() || !fitsMemory(table.manifest.plan, row.metrics) ||
               !meets(row.metrics[column], name, *value);
    });
    return Unit{};
}

} // namespace tilewright::sweep
