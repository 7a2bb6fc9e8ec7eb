// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/bound_json.h"
#include "verbs/evaluate.h"

#include <stop_token>

namespace tilewright::verbs {

/// What `bound` is asked.
struct BoundCall
{
    WorkloadCall workload;
    RulesCall rules;
    double seconds = 0; ///< 0: the quick bound
};
void bindOptions(OptionList& o, BoundCall& call);

struct BoundAnswer
{
    ProblemOnHardware on;
    LowerBound bound;
    std::optional<BoundedBest> best; ///< the best schedule that is known, with `seconds`
    [[nodiscard]] std::string json() const;
};
/// Reads the problem. Interrupted: what is known by then.
[[nodiscard]] Result<BoundAnswer> boundOf(BoundCall& call, const std::stop_token& interrupt);

} // namespace tilewright::verbs
