// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/constraint_cost_json.h"

#include "base/json_document.h"

namespace tilewright {

Json constraintCostsJson(std::span<const ConstraintCost> costs)
{
    Json out = Json::array();
    for (const ConstraintCost& c : costs)
        out.push_back({{"constraint", c.text},
                       {"without", jsonNumber(c.without)},
                       {"cost", jsonNumber(c.cost)},
                       {"certainty", c.certainty()},
                       {"at_least", jsonNumber(c.least)},
                       {"at_most", jsonNumber(c.most)},
                       {"proven_space", c.space.empty() ? Json(nullptr) : Json(c.space)}});
    return out;
}

} // namespace tilewright
