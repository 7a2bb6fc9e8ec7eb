// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/search.h"

#include <algorithm>
#include <cmath>

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
