// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/constraint_costs.h"

#include <algorithm>
#include <utility>

namespace tilewright::hierarchy {

std::vector<Release> releasesOf(const LoopNest& nest, const Architecture& architecture,
                                const Constraints& constraints)
{
    std::vector<Release> out;
    const auto add = [&](const Constraints& only, Constraints others) {
        std::string text;
        for (const std::string& part : constraintTexts(nest, architecture, only)) {
            if (!text.empty())
                text += ", ";
            text += part;
        }
        out.push_back({std::move(text), architecture, std::move(others)});
    };
    for (std::size_t i = 0; i < constraints.factors.size(); ++i) {
        Constraints others = constraints;
        others.factors.erase(others.factors.begin() + static_cast<std::ptrdiff_t>(i));
        add({{constraints.factors[i]}, {}}, std::move(others));
    }
    for (std::size_t level = 0; level < constraints.orders.size(); ++level) {
        if (constraints.orders[level].empty())
            continue;
        Constraints only, others = constraints;
        only.orders.resize(constraints.orders.size());
        only.orders[level] = std::exchange(others.orders[level], {});
        add(only, std::move(others));
    }
    return out;
}

std::vector<ConstraintCost> constraintCosts(const LoopNest& nest, const std::vector<Release>& releases,
                                            const SearchResult& result, Objective objective,
                                            const SearchOptions& options)
{
    std::vector<ConstraintCost> out;
    const auto& best = result.of(objective);
    if (!best)
        return out;
    const double bound = result.lowerBound[static_cast<std::size_t>(objective)];
    const BoundedValue with{best->value(objective), bound};
    for (const Release& release : releases) {
        SearchOptions free = options;
        free.objective = objective;
        free.constraints = release.constraints;
        const SearchResult found = search(nest, release.architecture, free);
        if (options.stop.stop_requested())
            break;
        BoundedValue without = with;
        if (const auto& other = found.of(objective)) {
            without.value = std::min(without.value, other->value(objective));
            without.bound = std::min(without.bound, found.lowerBound[static_cast<std::size_t>(objective)]);
        }
        out.push_back(constraintCost(release.text, with, without));
    }
    return out;
}

} // namespace tilewright::hierarchy
