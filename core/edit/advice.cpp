// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/advice.h"

#include "edit/repair.h"

#include <algorithm>
#include <utility>

namespace tilewright {

namespace {

/// True if the subgraph can run and fits into fast memory. Other subgraphs are examined first.
bool runsAndFits(const SubgraphEvaluation& e)
{
    return e.structurallyValid && e.fits;
}

bool comesBefore(const Suggestion& a, const Suggestion& b)
{
    return a.fixes != b.fixes ? a.fixes > b.fixes : a.total < b.total;
}

} // namespace

std::vector<Suggestion> changesOf(const Problem& problem, const Schedule& schedule,
                                  const Evaluation& evaluation, SubgraphId subgraph,
                                  const std::stop_token& stop)
{
    std::vector<Suggestion> out = suggestions(problem, schedule, evaluation, subgraph, stop);
    for (const Issue& issue : evaluation.issues) {
        if (issue.subgraph != subgraph || stop.stop_requested())
            continue;
        for (Repair& repair : repairs(problem, schedule, evaluation, issue).found) {
            if (repair.issuesLeft >= evaluation.issues.size() ||
                std::ranges::find(out, repair.schedule, &Suggestion::schedule) != out.end())
                continue;
            Suggestion change;
            change.schedule = std::move(repair.schedule);
            change.total = repair.total;
            change.fixes = evaluation.issues.size() - repair.issuesLeft;
            change.text = std::move(repair.text);
            out.push_back(std::move(change));
        }
    }
    std::ranges::stable_sort(out, comesBefore);
    return out;
}

BestChanges bestChanges(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                        const AdviceLimits& limits)
{
    std::vector<SubgraphId> order;
    order.reserve(schedule.size());
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
        if (limits.stop.stop_requested())
            break;
        for (Suggestion& change : changesOf(problem, schedule, evaluation, id, limits.stop))
            if (std::none_of(out.begin(), out.end(), [&](const Advice& known) {
                    return known.change.total == change.total && known.change.schedule == change.schedule;
                }))
                out.push_back({id, std::move(change)});
        // Only the best changes are kept, because each one holds a whole schedule.
        std::stable_sort(out.begin(), out.end(),
                         [](const Advice& a, const Advice& b) { return comesBefore(a.change, b.change); });
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(std::min(limits.changes, out.size())), out.end());
        ++best.looked;
        if (limits.found)
            limits.found(best);
    }
    return best;
}

} // namespace tilewright
