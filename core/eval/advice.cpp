// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/advice.h"

#include <algorithm>

namespace tilewright {

namespace {

/// What runs and fits comes after what does not.
bool works(const SubgraphEvaluation& e)
{
    return e.structurallyValid && e.fits;
}

} // namespace

std::vector<Advice> bestChanges(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                                std::size_t most, std::size_t looked, std::stop_token stop)
{
    std::vector<SubgraphId> order;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        order.emplace_back(i);
    std::stable_sort(order.begin(), order.end(), [&](SubgraphId a, SubgraphId b) {
        const SubgraphEvaluation& x = evaluation.subgraphs[a.index()];
        const SubgraphEvaluation& y = evaluation.subgraphs[b.index()];
        return works(x) != works(y) ? !works(x) : x.latency > y.latency;
    });
    order.resize(std::min(order.size(), looked));

    std::vector<Advice> out;
    for (const SubgraphId id : order) {
        if (stop.stop_requested())
            break;
        Explanation found = explain(problem, schedule, evaluation, id, stop);
        for (Suggestion& change : found.suggestions)
            if (std::none_of(out.begin(), out.end(), [&](const Advice& known) {
                    return known.change.total == change.total && known.change.schedule == change.schedule;
                }))
                out.push_back({id, std::move(change)});
    }
    std::stable_sort(out.begin(), out.end(), [](const Advice& a, const Advice& b) {
        return a.change.fixes != b.change.fixes ? a.change.fixes > b.change.fixes
                                                : a.change.total < b.change.total;
    });
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(std::min(most, out.size())), out.end());
    return out;
}

} // namespace tilewright
