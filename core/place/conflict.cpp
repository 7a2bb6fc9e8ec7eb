// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/conflict.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace tilewright {

namespace {

/// Indices of the items that are alive in a step.
std::vector<std::size_t> aliveIn(const StepItems& items, std::int64_t step)
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < items.items.size(); ++i)
        if (items.items[i].lower <= step && step < items.items[i].upper)
            out.push_back(i);
    return out;
}

/// The step in the life of an item at which the sum of the sizes of all live items is largest.
std::int64_t fullestStep(const StepItems& items, const StepItem& of)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> changes;
    for (const StepItem& item : items.items)
        if (item.lower < of.upper && of.lower < item.upper) {
            changes.emplace_back(std::max(item.lower, of.lower), item.what.elements);
            changes.emplace_back(item.upper, -item.what.elements);
        }
    std::sort(changes.begin(), changes.end()); // at equal times, ends come before starts
    std::int64_t sum = 0;
    std::int64_t most = 0;
    std::int64_t step = of.lower;
    for (const auto& [at, change] : changes)
        if ((sum += change) > most) {
            most = sum;
            step = at;
        }
    return step;
}

} // namespace

std::optional<PlacementConflict> placementConflict(const Problem& problem, const PlacedSchedule& placed)
{
    const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
    const Placement& placement = placed.placement;
    if (placement.leastHeight <= capacity)
        return std::nullopt;
    const auto& items = placed.items.items;
    std::size_t highest = 0;
    const auto end = [&](std::size_t i) { return placement.offsets[i] + items[i].what.elements; };
    for (std::size_t i = 0; i < items.size(); ++i)
        if (end(i) > end(highest))
            highest = i;
    const std::int64_t fullest = fullestStep(placed.items, items[highest]);
    PlacementConflict out;
    const auto& starts = placed.items.firstStep;
    const auto subgraph = std::upper_bound(starts.begin(), starts.end(), fullest) - starts.begin() - 1;
    out.subgraph = SubgraphId(static_cast<std::size_t>(subgraph));
    out.step = fullest - starts[out.subgraph.index()];
    out.items = aliveIn(placed.items, fullest);
    std::stable_partition(out.items.begin(), out.items.end(), [&](std::size_t i) { return i == highest; });
    std::string names;
    for (const std::size_t i : out.items)
        names += (i == out.items.front()  ? ""
                  : i == out.items.back() ? " and "
                                          : ", ") +
                 problem.tensorName(items[i].what.tensor);
    out.text = "every working set fits, but the buffers " + placementText(placement, capacity) +
               "; in step " + formatGrouped(out.step) + " there is no room for all of " + names;
    return out;
}

} // namespace tilewright
