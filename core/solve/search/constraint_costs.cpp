// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/constraint_costs.h"

#include "solve/proof/set_cover.h"
#include "solve/search/solver.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

namespace {

BoundedValue boundedValue(const SolveResult& r)
{
    return {r.value(), r.provenOptimal ? r.value() : r.bound()};
}

/// True if both subgraphs have the same ops and the same granularity.
bool isAlike(const Subgraph& a, const Subgraph& b)
{
    return a.granularity == b.granularity && std::ranges::is_permutation(a.ops, b.ops);
}

/// A search in which one constraint, or the lock of one subgraph, is removed.
struct Release
{
    std::string text;
    ScheduleConstraints constraints; ///< all constraints of the search except the removed one
    Schedule start;                  ///< start schedule, with all locks except the removed one
};

std::vector<Release> releasesOf(const Problem& problem, const SolveOptions& options, const Schedule& found)
{
    std::vector<Release> out;
    for (std::size_t i = 0; i < options.constraints.size(); ++i)
        out.push_back(
            {constraintText(problem, options.constraints, i), options.constraints.without(i), found});
    for (std::size_t i = 0; options.start && i < options.start->size(); ++i) {
        const Subgraph& locked = *options.start->subgraphs[i];
        if (!locked.locked)
            continue;
        Release release{lockText(problem, SubgraphId(i), locked), options.constraints, found};
        const auto same = std::ranges::find_if(
            release.start.subgraphs, [&](const SubgraphPtr& s) { return s->locked && isAlike(*s, locked); });
        if (same != release.start.subgraphs.end()) {
            Subgraph free = **same;
            free.locked = false;
            *same = std::make_shared<const Subgraph>(std::move(free));
        }
        out.push_back(std::move(release));
    }
    return out;
}

/// True if the schedule satisfies all constraints and locks. Also locks those of its subgraphs that are
/// locked in `found`.
bool keepsAll(const Problem& problem, const SolveOptions& options, const Schedule& found, Schedule& schedule)
{
    for (const SubgraphPtr& s : found.subgraphs) {
        if (!s->locked)
            continue;
        const auto same = std::ranges::find_if(schedule.subgraphs, [&](const SubgraphPtr& other) {
            return isAlike(*s, *other) && std::ranges::is_permutation(s->retain, other->retain);
        });
        if (same == schedule.subgraphs.end())
            return false;
        Subgraph locked = **same;
        locked.locked = true;
        *same = std::make_shared<const Subgraph>(std::move(locked));
    }
    return violations(problem, options.rules, schedule, options.constraints).empty();
}

} // namespace

std::string lockText(const Problem& problem, SubgraphId id, const Subgraph& subgraph)
{
    std::string out = "lock of subgraph " + std::to_string(id.index());
    if (const std::string names = opNames(problem, subgraph.ops); !names.empty())
        out.append(" (").append(names).append(")");
    return out;
}

void findConstraintCosts(const Problem& problem, const SolveOptions& options, SolveResult& result,
                         const OnCostSearch& onSearch)
{
    struct Released
    {
        std::string text;
        BoundedValue value;
        bool proven;
        std::string space;
    };
    std::vector<Released> all;
    std::vector<Release> releases = releasesOf(problem, options, result.schedule);
    for (Release& release : releases) {
        if (options.stop.stop_requested())
            break;
        if (onSearch)
            onSearch(all.size(), releases.size(), release.text);
        SolveOptions free = options;
        free.constraints = std::move(release.constraints);
        free.start = std::move(release.start);
        free.onImprovement = nullptr;
        free.onStatus = nullptr;
        auto found = solve(problem, free);
        if (!found || options.stop.stop_requested())
            break;
        all.push_back(
            {std::move(release.text), boundedValue(*found), found->provenOptimal, found->provenSpace});
        if (Schedule schedule = found->schedule;
            found->value() < result.value() && keepsAll(problem, options, result.schedule, schedule)) {
            result.schedule.subgraphs = std::move(schedule.subgraphs);
            result.total = found->total;
            result.energy = found->energy;
            result.latencies = std::move(found->latencies);
            result.provenOptimal = found->provenOptimal;
            result.provenSpace = found->provenSpace;
        }
    }
    for (Released& r : all) {
        ConstraintCost cost = constraintCost(std::move(r.text), boundedValue(result), r.value);
        // If the two results are proven optimal over different spaces, the cost is stated for the smaller
        // space, i.e. preset traversals.
        if (const std::string whole = provenByBound(); r.proven && r.space != whole)
            cost.space = r.space;
        else if (result.provenOptimal && result.provenSpace != whole)
            cost.space = result.provenSpace;
        result.constraintCosts.push_back(std::move(cost));
    }
}

} // namespace tilewright
