// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/draft.h"
#include "edit/edits.h"
#include "edit/fit.h"
#include "rules/op_sets.h"

#include <algorithm>
#include <limits>

namespace tilewright {

namespace edit {

Schedule coverMissing(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    const EditOptions options{rules, true};
    Draft draft(problem, schedule, options);
    // Each missing op is inserted before the first subgraph, or the first missing op, that reads its result.
    constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
    IdVector<TensorId, std::size_t> firstReader(problem.tensorCount(), kNever);
    IdVector<OpId, char> covered(problem.opCount(), 0);
    for (std::size_t i = schedule.size(); i-- > 0;) {
        for (const OpId o : draft.at(i).ops)
            covered[o] = 1;
        for (const TensorId t : boundaryOf(problem, draft.at(i).ops).inputs)
            firstReader[t] = i;
    }
    std::vector<std::vector<OpId>> before(schedule.size() + 1);
    const auto& order = problem.topologicalOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        if (covered[*it])
            continue;
        const std::size_t place = std::min(firstReader[problem.op(*it).output], schedule.size());
        before[place].push_back(*it);
        for (const TensorId t : problem.op(*it).inputs)
            firstReader[t] = std::min(firstReader[t], place);
    }
    std::vector<Draft::Item> items;
    for (std::size_t i = 0; i <= schedule.size(); ++i) {
        for (auto it = before[i].rbegin(); it != before[i].rend(); ++it)
            items.push_back(draft.makeItem({*it}));
        if (i < schedule.size())
            items.push_back(draft.items[i]);
    }
    draft.items = std::move(items);
    return *draft.finish(Draft::Order::Repair, Draft::Retains::DropUseless);
}

Schedule repairOrder(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    const EditOptions options{rules, true};
    Draft draft(problem, schedule, options);
    draft.repairOrder();
    draft.dropUselessRetains();
    return draft.schedule();
}

Schedule normalise(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    const EditOptions options{rules, true};
    const Schedule covered = coverMissing(problem, schedule, rules);
    // The comparison is with an empty schedule, in which every subgraph has a new neighbour, so that all
    // retained tensors are checked.
    const Schedule nothing{{}, schedule.rules, schedule.extra};
    Draft draft(problem, nothing, options);
    for (const SubgraphPtr& s : covered.subgraphs) {
        Subgraph tidy = *s;
        if (rules.opOrder == Rules::OpOrder::Error)
            tidy.ops = inTopologicalOrder(problem, tidy.ops);
        tidy.granularity = legalGranularity(draft.planOf(tidy.ops), tidy.granularity);
        std::ranges::sort(tidy.retain);
        draft.items.push_back(
            {tidy == *s ? s : std::make_shared<const Subgraph>(std::move(tidy)), false, true, {}});
    }
    draft.repairOrder();
    draft.updateChangedItems();
    draft.dropUselessRetains();
    return draft.schedule();
}

} // namespace edit

std::vector<RetainCandidate> retainCandidates(const Problem& problem, const Schedule& schedule,
                                              SubgraphId subgraph, const EditOptions& options)
{
    std::vector<RetainCandidate> out;
    if (subgraph.index() >= schedule.size())
        return out;
    const Subgraph& s = schedule[subgraph];
    const Boundary b = boundaryOf(problem, s.ops);
    std::vector<TensorId> tensors;
    for (const OpId o : s.ops)
        tensors.push_back(problem.op(o).output);
    const auto resident = residentBefore(problem, schedule, options.rules, subgraph);
    for (const auto& [list, isInput] : {std::pair{&b.inputs, true}, std::pair{&resident, false}})
        for (const TensorId t : *list)
            if (mayRetainInput(problem, options.rules, t, isInput, resident) &&
                std::ranges::find(tensors, t) == tensors.end())
                tensors.push_back(t);
    for (const TensorId t : s.retain)
        if (std::ranges::find(tensors, t) == tensors.end())
            tensors.push_back(t);
    std::vector<TensorId> readNext;
    if (subgraph.index() + 1 < schedule.size())
        readNext = boundaryOf(problem, schedule[SubgraphId(subgraph.index() + 1)].ops).inputs;
    for (const TensorId t : tensors) {
        RetainCandidate c;
        c.tensor = t;
        c.retained = std::ranges::find(s.retain, t) != s.retain.end();
        c.useful = std::ranges::binary_search(readNext, t);
        if (const auto result = edit::toggleRetain(problem, schedule, subgraph, t, options); !result)
            c.refusal = result.error().message;
        out.push_back(std::move(c));
    }
    return out;
}

std::vector<SubgraphId> changedSubgraphs(const Schedule& before, const Schedule& after)
{
    std::vector<const Subgraph*> known;
    for (const SubgraphPtr& s : before.subgraphs)
        known.push_back(s.get());
    std::ranges::sort(known);
    std::vector<SubgraphId> out;
    for (std::size_t i = 0; i < after.size(); ++i)
        if (!std::ranges::binary_search(known, static_cast<const Subgraph*>(after.subgraphs[i].get())))
            out.emplace_back(i);
    return out;
}

std::vector<SubgraphId> subgraphsWith(const Schedule& schedule, OpId op)
{
    std::vector<SubgraphId> out;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        if (std::ranges::find(schedule.subgraphs[i]->ops, op) != schedule.subgraphs[i]->ops.end())
            out.emplace_back(i);
    return out;
}

} // namespace tilewright
