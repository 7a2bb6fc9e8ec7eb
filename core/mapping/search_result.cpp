// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::mapping {

std::string_view objectiveName(Objective objective)
{
    switch (objective) {
    case Objective::Energy:
        return "energy";
    case Objective::Cycles:
        return "cycles";
    case Objective::Edp:
        break;
    }
    return "edp";
}

OpenBound::OpenBound() noexcept
{
    least.fill(std::numeric_limits<double>::infinity());
}

void OpenBound::include(const Cost& bound) noexcept
{
    for (std::size_t o = 0; o < kObjectives; ++o)
        least[o] = std::min(least[o], valueOf(bound, static_cast<Objective>(o)));
}

void SearchStatus::add(const Cost& cost)
{
    front.push_back(cost);
    for (std::size_t o = 0; o < kObjectives; ++o) {
        const auto objective = static_cast<Objective>(o);
        if (!best[o] || valueOf(cost, objective) < valueOf(*best[o], objective))
            best[o] = cost;
    }
}

void SearchResult::add(const MethodCost& method)
{
    front.push_back(method);
    for (std::size_t o = 0; o < kObjectives; ++o) {
        const auto objective = static_cast<Objective>(o);
        if (!best[o] || method.value(objective) < best[o]->value(objective))
            best[o] = method;
    }
}

void SearchResult::boundBy(const std::array<double, kObjectives>& open)
{
    lowerBound = open;
    for (std::size_t o = 0; o < kObjectives; ++o)
        if (best[o])
            lowerBound[o] = std::min(lowerBound[o], best[o]->value(static_cast<Objective>(o)));
}

bool SearchResult::isOptimal(Objective objective) const noexcept
{
    const auto i = static_cast<std::size_t>(objective);
    return proven || (best[i] && best[i]->value(objective) <= lowerBound[i]);
}

double SearchResult::gap(Objective objective) const noexcept
{
    const auto i = static_cast<std::size_t>(objective);
    if (proven || !best[i] || lowerBound[i] <= 0)
        return 0;
    return best[i]->value(objective) / lowerBound[i] - 1;
}

Reductions quickReductions()
{
    return {0.8, 0.8, 0.5, true, true, {}};
}

SearchResult quickSearch(const LoopNest& nest, const Architecture& architecture, SearchOptions options)
{
    const Constraints constraints = options.reductions.constraints;
    const auto relaxed = [&](Reductions r) {
        r.constraints = constraints;
        return r;
    };
    options.reductions = relaxed(quickReductions());
    const double limit = options.seconds;
    double spent = 0;
    for (;;) {
        SearchResult out = search(nest, architecture, options);
        spent += out.seconds;
        out.seconds = spent;
        Reductions& r = options.reductions;
        if (out.best[0] || !out.proven || r == relaxed({}))
            return out;
        const auto lower = [](double v) { return std::max(0.0, std::round(v * 10 - 1) / 10); };
        if (r.minPeUse == 0 && r.minRfUse == 0 && r.minSpmUse == 0)
            r = relaxed({});
        r.minPeUse = lower(r.minPeUse);
        r.minRfUse = lower(r.minRfUse);
        r.minSpmUse = lower(r.minSpmUse);
        if (limit > 0)
            options.seconds = std::max(0.001, limit - spent);
    }
}

} // namespace tilewright::mapping
