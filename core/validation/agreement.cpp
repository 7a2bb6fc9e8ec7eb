// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "validation/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright::validation {

namespace {

double meanOf(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b)
{
    const double meanA = meanOf(a), meanB = meanOf(b);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - meanA) * (b[i] - meanB);
        aa += (a[i] - meanA) * (a[i] - meanA);
        bb += (b[i] - meanB) * (b[i] - meanB);
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

/// Rank of each value from 1; equal values have the mean of their ranks.
std::vector<double> ranksOf(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> out(values.size());
    for (std::size_t from = 0; from < order.size();) {
        std::size_t to = from;
        while (to < order.size() && values[order[to]] == values[order[from]])
            ++to;
        for (std::size_t i = from; i < to; ++i)
            out[order[i]] = static_cast<double>(from + to + 1) / 2;
        from = to;
    }
    return out;
}

std::vector<double> logsOf(std::vector<double> values)
{
    for (double& value : values)
        value = std::log(value);
    return values;
}

} // namespace

Agreement agreementOf(const std::vector<ComparedRow>& rows)
{
    Agreement out;
    std::vector<double> predicted, measured, ratios;
    for (const ComparedRow& row : rows)
        if (row.error.empty() && row.predicted > 0 && row.measured > 0) {
            predicted.push_back(row.predicted);
            measured.push_back(row.measured);
            ratios.push_back(row.ratio());
        }
    out.rows = ratios.size();
    if (ratios.empty())
        return out;
    const std::vector<double> logs = logsOf(ratios);
    const double mean = meanOf(logs);
    const auto distance = [&](double from) {
        double sum = 0;
        for (const double log : logs)
            sum += std::abs(log - from);
        return std::exp(sum / static_cast<double>(logs.size())) - 1;
    };
    const auto share = [&](double by) {
        constexpr double kSlack = 1e-9; // allows for rounding errors, so that 1.1 is within 10 %
        return static_cast<double>(
                   std::ranges::count_if(ratios, [&](double r) { return std::abs(r - 1) <= by + kSlack; })) /
               static_cast<double>(ratios.size());
    };
    out.ratio = std::exp(mean);
    out.least = *std::ranges::min_element(ratios);
    out.most = *std::ranges::max_element(ratios);
    out.error = distance(0);
    out.scaledError = distance(mean);
    out.pearson = correlation(predicted, measured);
    out.pearsonOfLogs = correlation(logsOf(predicted), logsOf(measured));
    out.spearman = correlation(ranksOf(predicted), ranksOf(measured));
    out.within10 = share(0.1);
    out.within25 = share(0.25);
    return out;
}

bool Comparison::failed() const noexcept
{
    return std::ranges::any_of(rows, [](const ComparedRow& row) { return !row.error.empty(); });
}

std::vector<std::pair<std::string, std::string>> agreementLines(const Agreement& a)
{
    return {{"rows", formatGrouped(a.rows)},
            {"predicted / measured, geometric mean", significantNumber(a.ratio)},
            {"smallest", significantNumber(a.least)},
            {"largest", significantNumber(a.most)},
            {"error, geometric mean", percent(a.error)},
            {"error without the common factor", percent(a.scaledError)},
            {"Pearson", fixedNumber(a.pearson, 3)},
            {"Pearson of logarithms", fixedNumber(a.pearsonOfLogs, 3)},
            {"Spearman", fixedNumber(a.spearman, 3)},
            {"within 10 %", percent(a.within10)},
            {"within 25 %", percent(a.within25)}};
}

Table comparisonTable(const Comparison& c)
{
    const std::string unit(unitOf(c.quantity));
    Table out({"row", "line", "measured, " + unit, "predicted, " + unit, "ratio"});
    for (std::size_t i = 1; i < out.columns.size(); ++i)
        out.columns[i].kind = ColumnKind::Number;
    for (const ComparedRow& row : c.rows) {
        const TableCell measured(row.measured, significantNumber(row.measured, 4));
        if (row.error.empty())
            out.add(row.name, row.line, measured,
                    TableCell(row.predicted, significantNumber(row.predicted, 4)),
                    TableCell(row.ratio(), significantNumber(row.ratio())));
        else
            out.add(row.name, row.line, measured, row.error, "");
    }
    return out;
}

} // namespace tilewright::validation
