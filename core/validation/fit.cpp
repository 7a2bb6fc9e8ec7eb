// SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilewright::validation {

namespace {

using Point = std::vector<double>; ///< position of each value in its range, from 0 to 1

double valueAt(const FitRange& range, double place)
{
    return range.logarithmic ? range.low * std::pow(range.high / range.low, place)
                             : range.low + place * (range.high - range.low);
}
double placeOf(const FitRange& range, double value)
{
    if (range.high <= range.low)
        return 0;
    return range.logarithmic ? std::log(value / range.low) / std::log(range.high / range.low)
                             : (value - range.low) / (range.high - range.low);
}

/// Returns the value rounded to three significant digits.
double rounded(double value)
{
    if (value <= 0)
        return 0;
    const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
    return std::round(value / unit) * unit;
}

class Fit
{
public:
    Fit(const std::vector<double>& measured, const std::vector<FitRange>& ranges,
        const FitPredictions& predict, const Progress& progress)
        : m_measured(measured), m_ranges(ranges), m_predict(predict), m_progress(progress)
    {
    }

    FitResult run()
    {
        FitResult out;
        Point start;
        std::vector<double> values;
        for (const FitRange& range : m_ranges) {
            start.push_back(std::clamp(placeOf(range, range.start), 0.0, 1.0));
            values.push_back(range.start);
        }
        const std::vector<double> before = m_predict(values);
        for (std::size_t i = 0; i < m_measured.size(); ++i)
            if (before[i] > 0 && m_measured[i] > 0)
                m_rows.push_back(i);
        out.rows = m_rows.size();
        out.errorBefore = error(before, m_rows);
        constexpr std::size_t kFolds = 5;
        const std::size_t folds = std::min(kFolds, m_rows.size());
        m_parts = folds + 1;
        // Sizes of the last simplex, as a share of the range of a value.
        constexpr double kExact = 1e-4, kRough = 2e-3;
        Point best = least(start, m_rows, 0.25, kExact);
        best = least(best, m_rows, 0.05, kExact); // restarts in case the simplex has collapsed
        for (std::size_t i = 0; i < m_ranges.size(); ++i)
            out.values.push_back(
                std::clamp(rounded(valueAt(m_ranges[i], best[i])), m_ranges[i].low, m_ranges[i].high));
        keepWhatIsNotDetermined(start, best, out);
        out.errorAfter = error(m_predict(out.values), m_rows);
        double sum = 0;
        for (std::size_t fold = 0; fold < folds && !m_progress.stopRequested(); ++fold) {
            ++m_part;
            std::vector<std::size_t> seen, unseen;
            for (std::size_t i = 0; i < m_rows.size(); ++i)
                (i % folds == fold && folds > 1 ? unseen : seen).push_back(m_rows[i]);
            const std::vector<double> predicted = m_predict(valuesAt(least(best, seen, 0.05, kRough)));
            for (const std::size_t i : unseen)
                sum += std::abs(std::log(predicted[i] / m_measured[i]));
        }
        out.interrupted = m_progress.stopRequested();
        if (!out.interrupted && folds > 1)
            out.errorLeftOut = std::exp(sum / static_cast<double>(m_rows.size())) - 1;
        out.evaluations = m_evaluations;
        return out;
    }

private:
    /// Resets each value to its start if all rows are then predicted as well: such a value can be anything.
    void keepWhatIsNotDetermined(const Point& start, Point& best, FitResult& out)
    {
        const double negligible = 1e-6 * static_cast<double>(m_rows.size());
        const double least = squares(best, m_rows);
        for (std::size_t i = 0; i < m_ranges.size(); ++i) {
            Point kept = best;
            kept[i] = start[i];
            const bool same = squares(kept, m_rows) <= least + negligible;
            out.isDetermined.push_back(!same || start[i] == best[i]);
            if (!same)
                continue;
            best = std::move(kept);
            out.values[i] = m_ranges[i].start;
        }
    }

    [[nodiscard]] std::vector<double> valuesAt(const Point& point) const
    {
        std::vector<double> out;
        out.reserve(point.size());
        for (std::size_t i = 0; i < point.size(); ++i)
            out.push_back(valueAt(m_ranges[i], point[i]));
        return out;
    }
    [[nodiscard]] double error(const std::vector<double>& predicted,
                               const std::vector<std::size_t>& rows) const
    {
        double sum = 0;
        for (const std::size_t i : rows)
            sum += std::abs(std::log(predicted[i] / m_measured[i]));
        return rows.empty() ? 0 : std::exp(sum / static_cast<double>(rows.size())) - 1;
    }
    /// Sum of squares; infinite if a row no longer has a prediction.
    double squares(const Point& point, const std::vector<std::size_t>& rows)
    {
        ++m_evaluations;
        const std::vector<double> predicted = m_predict(valuesAt(point));
        double sum = 0;
        for (const std::size_t i : rows) {
            if (!(predicted[i] > 0))
                return std::numeric_limits<double>::infinity();
            const double distance = std::log(predicted[i] / m_measured[i]);
            sum += distance * distance;
        }
        return sum;
    }

    /// Returns the point with the least sum of squares near `start`. `size` is the size of the first simplex,
    /// `end` that of the last one.
    Point least(const Point& start, const std::vector<std::size_t>& rows, double size, double end)
    {
        struct Corner
        {
            Point at;
            double value = 0;
        };
        const std::size_t n = start.size();
        std::vector<Corner> simplex{{start, squares(start, rows)}};
        for (std::size_t i = 0; i < n; ++i) {
            Point at = start;
            at[i] += at[i] + size <= 1 ? size : -size;
            simplex.push_back({at, squares(at, rows)});
        }
        const int most = m_evaluations + 60 * static_cast<int>(n);
        while (m_evaluations < most && !m_progress.stopRequested()) {
            std::ranges::stable_sort(simplex, {}, &Corner::value);
            m_progress.tell((static_cast<double>(m_part) + 1 -
                             static_cast<double>(most - m_evaluations) / (60 * static_cast<double>(n))) /
                            static_cast<double>(m_parts));
            double extent = 0;
            for (const Corner& corner : simplex)
                for (std::size_t i = 0; i < n; ++i)
                    extent = std::max(extent, std::abs(corner.at[i] - simplex.front().at[i]));
            if (extent < end)
                break;
            Point centre(n, 0);
            for (std::size_t c = 0; c < n; ++c)
                for (std::size_t i = 0; i < n; ++i)
                    centre[i] += simplex[c].at[i] / static_cast<double>(n);
            // A point on the line from the worst corner through the centre of the other corners.
            const auto along = [&](double by) {
                Corner out{centre, 0};
                for (std::size_t i = 0; i < n; ++i)
                    out.at[i] = std::clamp(centre[i] + by * (centre[i] - simplex.back().at[i]), 0.0, 1.0);
                out.value = squares(out.at, rows);
                return out;
            };
            Corner mirrored = along(1);
            if (mirrored.value < simplex.front().value) {
                Corner further = along(2);
                simplex.back() = further.value < mirrored.value ? std::move(further) : std::move(mirrored);
            } else if (mirrored.value < simplex[n - 1].value) {
                simplex.back() = std::move(mirrored);
            } else if (Corner nearer = along(mirrored.value < simplex.back().value ? 0.5 : -0.5);
                       nearer.value < std::min(mirrored.value, simplex.back().value)) {
                simplex.back() = std::move(nearer);
            } else {
                for (std::size_t c = 1; c <= n; ++c) {
                    for (std::size_t i = 0; i < n; ++i)
                        simplex[c].at[i] = (simplex[c].at[i] + simplex.front().at[i]) / 2;
                    simplex[c].value = squares(simplex[c].at, rows);
                }
            }
        }
        return std::ranges::min_element(simplex, {}, &Corner::value)->at;
    }

    const std::vector<double>& m_measured;
    const std::vector<FitRange>& m_ranges;
    const FitPredictions& m_predict;
    const Progress& m_progress;
    std::vector<std::size_t> m_rows;
    /// Parts of the work: the fit to all rows, then each fold of the cross-validation.
    std::size_t m_part = 0, m_parts = 1;
    int m_evaluations = 0;
};

} // namespace

FitResult fit(const std::vector<double>& measured, const std::vector<FitRange>& ranges,
              const FitPredictions& predict, const Progress& progress)
{
    return Fit(measured, ranges, predict, progress).run();
}

} // namespace tilewright::validation
