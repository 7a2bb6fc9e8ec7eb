// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/compare.h"

#include "eval/evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright {

Comparison compareSchedules(const ProblemPtr& problem, const Schedule& before, const Schedule& after,
                            const Rules& rules, const Progress& progress)
{
    Comparison out;
    Evaluator evaluator(problem, rules);
    out.before = evaluator.evaluate(before).total;
    out.after = out.before;
    walkDifferences(*problem, before, after, [&](const Difference& difference, const Schedule& applied) {
        out.stopped = out.stopped || progress.stopRequested();
        if (out.stopped)
            return;
        const double total = evaluator.evaluate(applied).total;
        // A difference that is only due to the order of summation counts as 0.
        const double delta = total - out.after;
        const bool rounding = std::abs(delta) <= 1e-13 * out.after;
        out.contributions.push_back({difference, rounding ? 0 : delta, total});
        out.after = total;
    });
    if (out.stopped)
        out.after = evaluator.evaluate(after).total;
    return out;
}

std::vector<std::size_t> rankedByGain(const Comparison& comparison)
{
    std::vector<std::size_t> order(comparison.contributions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return comparison.contributions[i].delta; });
    return order;
}

} // namespace tilewright
