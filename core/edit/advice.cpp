// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/advice.h"

#include <algorithm>

namespace tilewright {

namespace {

/// True if the subgraph can run and fits into fast memory. Subgraphs that do not are examined first.
bool runsAndFits(const SubgraphEvaluation& e)
{
    return e.structurallyValid && e.fits;
}

} // namespace

BestChanges bestChanges(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                        const AdviceLimits& limits)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    std::vector<SubgraphId> order;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        order.emplace_back(i);
    std::stable_sort(order.begin(), order.end(), [&](SubgraphId a, SubgraphId b) {
        const SubgraphEvaluation& x = evaluation.subgraphs[a.index()];
        const SubgraphEvaluation& y = evaluation.subgraphs[b.index()];
        return runsAndFits(x) != runsAndFits(y) ? !runsAndFits(x) : x.latency > y.latency;
    });
    order.resize(std::min(order.size(), limits.subgraphs));

    BestChanges best;
    std::vector<Advice>& out = best.changes;
    for (const SubgraphId id : order) {
        if (limits.stop.stop_requested() || Clock::now() - start > limits.time)
            break;
        std::vector<Suggestion> found = suggestions(problem, schedule, evaluation, id, limits.stop);
        ++best.looked;
        for (Suggestion& change : found)
            if (std::none_of(out.begin(), out.end(), [&](const Advice& known) {
                    return known.change.total == change.total && known.change.schedule == change.schedule;
                }))
                out.push_back({id, std::move(change)});
    }
    std::stable_sort(out.begin(), out.end(), [](const Advice& a, const Advice& b) {
        return a.change.fixes != b.change.fixes ? a.change.fixes > b.change.fixes
                                                : a.change.total < b.change.total;
    });
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(std::min(limits.changes, out.size())), out.end());
    return best;
}

} // namespace tilewright
