// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/edits.h"

#include "base/integer.h"
#include "edit/draft.h"
#include "rules/op_sets.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tilewright {

namespace edit {

namespace {

Error refused(std::string message)
{
    return {ErrorCode::Refused, std::move(message), {}, {}};
}

std::string nameOf(SubgraphId i)
{
    return "subgraph " + std::to_string(i.value);
}

/// Returns the positions of the subgraphs, ascending, without duplicates. Returns an error if one does not
/// exist or the list is empty.
Result<std::vector<std::size_t>> positions(const Schedule& schedule, std::span<const SubgraphId> subgraphs)
{
    std::vector<std::size_t> out;
    for (const SubgraphId i : subgraphs) {
        if (i.index() >= schedule.size())
            return refused(nameOf(i) + " does not exist, there are " + std::to_string(schedule.size()));
        out.push_back(i.index());
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    if (out.empty())
        return refused("no subgraph is selected");
    return out;
}

/// Returns the ops without duplicates. Returns an error if one does not exist or the list is empty.
Result<std::vector<OpId>> chosenOps(const Problem& problem, std::span<const OpId> ops)
{
    std::vector<OpId> out;
    for (const OpId o : ops) {
        if (o.index() >= problem.opCount())
            return refused("op " + std::to_string(o.value) + " does not exist, there are " +
                           std::to_string(problem.opCount()));
        if (std::ranges::find(out, o) == out.end())
            out.push_back(o);
    }
    if (out.empty())
        return refused("no op is selected");
    return inTopologicalOrder(problem, out);
}

bool has(const Subgraph& s, OpId o)
{
    return std::ranges::find(s.ops, o) != s.ops.end();
}

/// Returns the ops without duplicates. Returns an error if some op is not in the subgraph `from`.
Result<std::vector<OpId>> opsOf(const Problem& problem, const Schedule& schedule, std::span<const OpId> ops,
                                SubgraphId from)
{
    if (const auto at = positions(schedule, {&from, 1}); !at)
        return at.error();
    auto chosen = chosenOps(problem, ops);
    if (!chosen)
        return chosen;
    for (const OpId o : *chosen)
        if (!has(schedule[from], o))
            return refused(problem.opName(o) + " is not in " + nameOf(from));
    return chosen;
}

/// Removes the ops from the item `from`; if that is empty, from every item except `keep`.
void removeOpsFromAll(Draft& draft, std::span<const OpId> ops, std::optional<SubgraphId> from,
                      const Subgraph* keep)
{
    // The loop runs backwards, because a removal can insert items after position i.
    for (std::size_t i = draft.items.size(); i-- > 0;)
        if ((!from || from->index() == i) && &draft.at(i) != keep)
            draft.removeOpsFrom(i, ops);
}

Result<Schedule> moveInto(const Problem& problem, const Schedule& schedule, std::span<const OpId> ops,
                          std::optional<SubgraphId> from, SubgraphId to, const EditOptions& options)
{
    if (const auto target = positions(schedule, {&to, 1}); !target)
        return target.error();
    if (from == to)
        return refused("the ops are already in " + nameOf(to));
    const auto chosen = from ? opsOf(problem, schedule, ops, *from) : chosenOps(problem, ops);
    if (!chosen)
        return chosen.error();
    if (!from && std::ranges::all_of(*chosen, [&](OpId o) {
            return subgraphsWith(schedule, o) == std::vector<SubgraphId>{to};
        }))
        return refused("the ops are already in " + nameOf(to) + " and nowhere else");
    Draft draft(problem, schedule, options);
    draft.addOpsTo(to.index(), *chosen);
    removeOpsFromAll(draft, *chosen, from, &draft.at(to.index()));
    return draft.finish(Draft::Order::Repair, Draft::Retains::DropUseless);
}

/// Applies `change` to each subgraph. Ops and positions do not change.
Result<Schedule> changeSubgraphs(const Problem& problem, const Schedule& schedule,
                                 std::span<const SubgraphId> subgraphs, const EditOptions& options,
                                 bool gridChanged, const std::function<void(Subgraph&)>& change)
{
    const auto at = positions(schedule, subgraphs);
    if (!at)
        return at.error();
    Draft draft(problem, schedule, options);
    for (const std::size_t i : *at) {
        Subgraph s = draft.at(i);
        change(s);
        if (s == draft.at(i))
            continue;
        s.reportedLatency.reset();
        draft.items[i].subgraph = std::make_shared<const Subgraph>(std::move(s));
        draft.items[i].gridChanged = gridChanged;
    }
    return draft.finish(Draft::Order::Keep, Draft::Retains::Keep);
}

} // namespace

Result<Schedule> fuse(const Problem& problem, const Schedule& schedule, std::span<const SubgraphId> subgraphs,
                      const EditOptions& options)
{
    const auto at = positions(schedule, subgraphs);
    if (!at)
        return at.error();
    if (at->size() < 2)
        return refused("fusing needs at least two subgraphs");
    Draft draft(problem, schedule, options);
    std::vector<OpId> ops;
    std::vector<SubgraphPtr> parts;
    for (const std::size_t i : *at) {
        parts.push_back(draft.items[i].subgraph);
        for (const OpId o : draft.at(i).ops)
            if (std::ranges::find(ops, o) == ops.end())
                ops.push_back(o);
    }
    draft.items[at->front()] = draft.makeItem(std::move(ops), parts);
    for (std::size_t i = at->size(); i-- > 1;)
        draft.items.erase(draft.items.begin() + static_cast<std::ptrdiff_t>((*at)[i]));
    return draft.finish(Draft::Order::Repair, Draft::Retains::DropUseless);
}

Result<Schedule> fuseOps(const Problem& problem, const Schedule& schedule, std::span<const OpId> ops,
                         const EditOptions& options)
{
    const auto chosen = chosenOps(problem, ops);
    if (!chosen)
        return chosen.error();
    if (chosen->size() < 2)
        return refused("fusing needs at least two ops");
    return moveOpsToNew(problem, schedule, *chosen, std::nullopt, options);
}

Result<Schedule> mergeWithPrevious(const Problem& problem, const Schedule& schedule, SubgraphId subgraph,
                                   const EditOptions& options)
{
    if (subgraph.index() == 0)
        return refused("there is no subgraph before the first");
    const std::array both{SubgraphId(subgraph.index() - 1), subgraph};
    return fuse(problem, schedule, both, options);
}

Result<Schedule> mergeWithNext(const Problem& problem, const Schedule& schedule, SubgraphId subgraph,
                               const EditOptions& options)
{
    if (subgraph.index() + 1 >= schedule.size())
        return refused("there is no subgraph after the last");
    const std::array both{subgraph, SubgraphId(subgraph.index() + 1)};
    return fuse(problem, schedule, both, options);
}

Result<Schedule> split(const Problem& problem, const Schedule& schedule, SubgraphId subgraph,
                       std::span<const OpId> ops, const EditOptions& options)
{
    const auto chosen = opsOf(problem, schedule, ops, subgraph);
    if (!chosen)
        return chosen.error();
    if (chosen->size() == schedule[subgraph].ops.size())
        return refused("splitting needs at least one op that stays in " + nameOf(subgraph));
    return moveOpsToNew(problem, schedule, *chosen, subgraph, options);
}

Result<Schedule> splitApart(const Problem& problem, const Schedule& schedule, SubgraphId subgraph,
                            const EditOptions& options)
{
    if (const auto at = positions(schedule, {&subgraph, 1}); !at)
        return at.error();
    const SubgraphPtr whole = schedule.subgraphs[subgraph.index()];
    if (whole->ops.size() < 2)
        return refused(nameOf(subgraph) + " has only one op");
    Draft draft(problem, schedule, options);
    draft.items.erase(draft.items.begin() + static_cast<std::ptrdiff_t>(subgraph.index()));
    const auto ops = inTopologicalOrder(problem, whole->ops);
    for (std::size_t i = 0; i < ops.size(); ++i)
        draft.insert(subgraph.index() + i, draft.makeItem({ops[i]}, {&whole, 1}));
    return draft.finish(Draft::Order::Repair, Draft::Retains::DropUseless);
}

Result<Schedule> moveOps(const Problem& problem, const Schedule& schedule, std::span<const OpId> ops,
                         std::optional<SubgraphId> from, SubgraphId to, const EditOptions& options)
{
    return moveInto(problem, schedule, ops, from, to, options);
}

Result<Schedule> moveOpsToNew(const Problem& problem, const Schedule& schedule, std::span<const OpId> ops,
                              std::optional<SubgraphId> from, const EditOptions& options)
{
    const auto chosen = from ? opsOf(problem, schedule, ops, *from) : chosenOps(problem, ops);
    if (!chosen)
        return chosen.error();
    std::vector<SubgraphPtr> sources;
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        if ((!from || from->index() == i) &&
            std::ranges::any_of(*chosen, [&](OpId o) { return has(*schedule.subgraphs[i], o); })) {
            sources.push_back(schedule.subgraphs[i]);
            first = first.value_or(i);
        }
    if (sources.empty())
        return addSubgraph(problem, schedule, *chosen, options);
    if (sources.size() == 1 && sources.front()->ops.size() == chosen->size())
        return refused("the ops already are a subgraph of their own");
    Draft draft(problem, schedule, options);
    Draft::Item item = draft.makeItem(*chosen, sources);
    removeOpsFromAll(draft, *chosen, from, nullptr);
    draft.insert(*first + 1, std::move(item));
    return draft.finish(Draft::Order::Repair, Draft::Retains::DropUseless);
}

Result<Schedule> moveToPrevious(const Problem& problem, const Schedule& schedule, std::span<const OpId> ops,
                                SubgraphId from, const EditOptions& options)
{
    if (from.index() == 0)
        return refused("there is no subgraph before the first");
    return moveInto(problem, schedule, ops, from, SubgraphId(from.index() - 1), options);
}

Result<Schedule> moveToNext(const Problem& problem, const Schedule& schedule, std::span<const OpId> ops,
                            SubgraphId from, const EditOptions& options)
{
    if (from.index() + 1 >= schedule.size())
        return refused("there is no subgraph after the last");
    return moveInto(problem, schedule, ops, from, SubgraphId(from.index() + 1), options);
}

Result<Schedule> recompute(const Problem& problem, const Schedule& schedule, std::span<const OpId> ops,
                           SubgraphId to, const EditOptions& options)
{
    if (const auto target = positions(schedule, {&to, 1}); !target)
        return target.error();
    const auto chosen = chosenOps(problem, ops);
    if (!chosen)
        return chosen.error();
    if (std::ranges::all_of(*chosen, [&](OpId o) { return has(schedule[to], o); }))
        return refused("the ops are already in " + nameOf(to));
    Draft draft(problem, schedule, options);
    draft.addOpsTo(to.index(), *chosen);
    return draft.finish(Draft::Order::Repair, Draft::Retains::DropUseless);
}

Result<Schedule> addSubgraph(const Problem& problem, const Schedule& schedule, std::span<const OpId> ops,
                             const EditOptions& options)
{
    auto chosen = chosenOps(problem, ops);
    if (!chosen)
        return chosen.error();
    Draft draft(problem, schedule, options);
    const std::size_t place = draft.insertPosition(*chosen);
    draft.insert(place, draft.makeItem(std::move(*chosen)));
    return draft.finish(Draft::Order::Repair, Draft::Retains::DropUseless);
}

Result<Schedule> removeOps(const Problem& problem, const Schedule& schedule, std::span<const OpId> ops,
                           SubgraphId from, const EditOptions& options)
{
    const auto chosen = opsOf(problem, schedule, ops, from);
    if (!chosen)
        return chosen.error();
    Draft draft(problem, schedule, options);
    draft.removeOpsFrom(from.index(), *chosen);
    return draft.finish(Draft::Order::Repair, Draft::Retains::DropUseless);
}

Result<Schedule> erase(const Problem& problem, const Schedule& schedule,
                       std::span<const SubgraphId> subgraphs, const EditOptions& options)
{
    const auto at = positions(schedule, subgraphs);
    if (!at)
        return at.error();
    Draft draft(problem, schedule, options);
    for (std::size_t i = at->size(); i-- > 0;)
        draft.items.erase(draft.items.begin() + static_cast<std::ptrdiff_t>((*at)[i]));
    return draft.finish(Draft::Order::Repair, Draft::Retains::DropUseless);
}

Result<Schedule> duplicate(const Problem& problem, const Schedule& schedule, SubgraphId subgraph,
                           const EditOptions& options)
{
    if (const auto at = positions(schedule, {&subgraph, 1}); !at)
        return at.error();
    Draft draft(problem, schedule, options);
    Subgraph copy = schedule[subgraph];
    copy.reportedLatency.reset();
    draft.insert(subgraph.index() + 1, {std::make_shared<const Subgraph>(std::move(copy)), false, false, {}});
    return draft.finish(Draft::Order::Keep, Draft::Retains::DropUseless);
}

Result<Schedule> reorder(const Problem& problem, const Schedule& schedule,
                         std::span<const SubgraphId> subgraphs, std::size_t position,
                         const EditOptions& options)
{
    const auto at = positions(schedule, subgraphs);
    if (!at)
        return at.error();
    if (position > schedule.size() - at->size())
        return refused("there is no position " + std::to_string(position) + " to move to");
    Draft draft(problem, schedule, options);
    std::vector<Draft::Item> block;
    for (const std::size_t i : *at)
        block.push_back(draft.items[i]);
    for (std::size_t i = at->size(); i-- > 0;)
        draft.items.erase(draft.items.begin() + static_cast<std::ptrdiff_t>((*at)[i]));
    draft.items.insert(draft.items.begin() + static_cast<std::ptrdiff_t>(position), block.begin(),
                       block.end());
    return draft.finish(Draft::Order::Keep, Draft::Retains::DropUseless);
}

Result<Schedule> setGranularity(const Problem& problem, const Schedule& schedule,
                                std::span<const SubgraphId> subgraphs, const Granularity& granularity,
                                const EditOptions& options)
{
    for (const std::int64_t value : {granularity.w, granularity.h, granularity.k})
        if (value < 1 || value > kMaxDimension)
            return refused("w, h and k must be from 1 to " + std::to_string(kMaxDimension) + ", got " +
                           std::to_string(value));
    return changeSubgraphs(problem, schedule, subgraphs, options, true,
                           [&](Subgraph& s) { s.granularity = granularity; });
}

Result<Schedule> setRetain(const Problem& problem, const Schedule& schedule, SubgraphId subgraph,
                           std::vector<TensorId> retain, const EditOptions& options)
{
    std::ranges::sort(retain);
    retain.erase(std::unique(retain.begin(), retain.end()), retain.end());
    if (!retain.empty() && retain.back().index() >= problem.tensorCount())
        return refused("tensor " + std::to_string(retain.back().value) + " does not exist, there are " +
                       std::to_string(problem.tensorCount()));
    return changeSubgraphs(problem, schedule, {&subgraph, 1}, options, false,
                           [&](Subgraph& s) { s.retain = retain; });
}

Result<Schedule> toggleRetain(const Problem& problem, const Schedule& schedule, SubgraphId subgraph,
                              TensorId tensor, const EditOptions& options)
{
    if (const auto at = positions(schedule, {&subgraph, 1}); !at)
        return at.error();
    std::vector<TensorId> retain = schedule[subgraph].retain;
    if (std::erase(retain, tensor) == 0)
        retain.push_back(tensor);
    return setRetain(problem, schedule, subgraph, std::move(retain), options);
}

Result<Schedule> setTraversal(const Problem& problem, const Schedule& schedule,
                              std::span<const SubgraphId> subgraphs, const Traversal& traversal,
                              const EditOptions& options)
{
    return changeSubgraphs(problem, schedule, subgraphs, options, false,
                           [&](Subgraph& s) { s.traversal = traversal; });
}

Result<Schedule> setLocked(const Schedule& schedule, std::span<const SubgraphId> subgraphs, bool locked)
{
    const auto at = positions(schedule, subgraphs);
    if (!at)
        return at.error();
    Schedule out = schedule;
    for (const std::size_t i : *at) {
        if (out.subgraphs[i]->locked == locked)
            continue;
        Subgraph s = *out.subgraphs[i];
        s.locked = locked;
        out.subgraphs[i] = std::make_shared<const Subgraph>(std::move(s));
    }
    return out;
}

Result<Schedule> withLocksOf(Schedule found, const Schedule& current)
{
    const auto sameOps = [](const Subgraph& a, const Subgraph& b) {
        return a.ops.size() == b.ops.size() && std::is_permutation(a.ops.begin(), a.ops.end(), b.ops.begin());
    };
    for (SubgraphPtr& s : found.subgraphs)
        if (s->locked) {
            Subgraph open = *s;
            open.locked = false;
            s = std::make_shared<const Subgraph>(std::move(open));
        }
    for (std::size_t i = 0; i < current.size(); ++i) {
        const Subgraph& lock = *current.subgraphs[i];
        if (!lock.locked)
            continue;
        const auto at =
            std::find_if(found.subgraphs.begin(), found.subgraphs.end(), [&](const SubgraphPtr& s) {
                return sameOps(*s, lock) && s->granularity == lock.granularity && s->retain == lock.retain;
            });
        if (at == found.subgraphs.end())
            return Error{ErrorCode::Refused,
                         "subgraph " + std::to_string(i) +
                             " is locked now, but this schedule groups or tiles its ops differently",
                         {},
                         {}};
        Subgraph kept = **at;
        kept.locked = true;
        *at = std::make_shared<const Subgraph>(std::move(kept));
    }
    found.extra = current.extra;
    return found;
}

} // namespace edit

} // namespace tilewright
