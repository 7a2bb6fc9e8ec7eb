// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/plan/placeable.h"

#include "place/conflict.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace tilewright {

namespace {

/// A tenth of a second: whatever is harder does not count as placed.
constexpr std::int64_t kMostNodes = 20'000;
constexpr int kMostRemoved = 16;

/// Not one of the subgraphs from `first` to `last` keeps the tensor; locked ones stay as they are.
Schedule withoutKeeping(const Schedule& schedule, TensorId tensor, SubgraphId first, SubgraphId last)
{
    Schedule out = schedule;
    for (std::size_t i = first.index(); i <= last.index(); ++i) {
        const Subgraph& s = *schedule.subgraphs[i];
        if (s.locked || std::find(s.retain.begin(), s.retain.end(), tensor) == s.retain.end())
            continue;
        Subgraph less = s;
        std::erase(less.retain, tensor);
        out.subgraphs[i] = std::make_shared<const Subgraph>(std::move(less));
    }
    return out;
}

} // namespace

std::optional<Checked> checkSchedule(const Problem& problem, Schedule& schedule, const SolveOptions& options,
                                     double maxExplainedSteps)
{
    std::optional<Checked> checked = checkSchedule(problem, schedule, options.rules, maxExplainedSteps);
    if (!options.placeable)
        return checked;
    PlacementOptions quick;
    quick.maxNodes = kMostNodes;
    quick.onlyWhetherItFits = true;
    for (int removed = 0; checked; ++removed) {
        const auto placed = placeSchedule(problem, schedule, options.rules, {options.stop, {}}, quick);
        if (!placed)
            return std::nullopt;
        if (placed->placement.height <= problem.hardware().fastMemoryCapacity)
            return checked;
        const auto conflict = placementConflict(problem, *placed);
        if (!conflict || removed == kMostRemoved)
            return std::nullopt;
        // The kept tensor of the conflict whose loss costs least.
        std::optional<Checked> best;
        Schedule bestSchedule;
        for (const std::size_t i : conflict->items) {
            const StepItem& item = placed->items.items[i];
            if (item.what.kind != Resident::Kind::Retained)
                continue;
            Schedule less = withoutKeeping(schedule, item.what.tensor, item.subgraph, item.lastSubgraph);
            auto lessChecked = checkSchedule(problem, less, options.rules, maxExplainedSteps);
            if (!lessChecked || less == schedule || (best && best->total <= lessChecked->total))
                continue;
            best = std::move(lessChecked);
            bestSchedule = std::move(less);
        }
        checked = std::move(best);
        if (checked)
            schedule = std::move(bestSchedule);
    }
    return checked;
}

Error nothingFound(const SolveOptions& options, bool locks)
{
    return {ErrorCode::Refused,
            options.placeable ? "no valid schedule was found whose buffers have addresses"
            : locks           ? "no valid schedule was found that keeps the locked subgraphs"
                              : "no valid schedule was found: some op fits at no granularity, alone or fused",
            {},
            {}};
}

} // namespace tilewright
