// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/sweep.h"

#include "workload/rules.h"

namespace tilewright::verbs {

Result<sweep::Sweep> SweepCall::read() const
{
    auto out = planText.empty() ? sweep::loadSweep(plan) : sweep::readSweep(planText, plan);
    if (!out)
        return out;
    std::optional<Rules>& rules = out->manifest.plan.rules;
    if (!switches.empty() && !rules) { // without a named rule set, the switches change the default rules
        const sweep::SweepWorkload& first = out->workloads.front();
        rules = first.standsAsItIs ? first.workload->problem->rules() : Rules::machine();
    }
    for (const std::string& setting : switches)
        if (const Status status = setRule(*rules, setting); !status)
            return Error{ErrorCode::Field, status.error().message, "--set", {}};
    const sweep::Plan& read = out->plan();
    if (keepSchedules && (!sweep::isOfProblems(read.lens) || read.what != sweep::What::Solve))
        return Error{ErrorCode::Refused, "needs a plan that solves schedules", "--keep-schedules", {}};
    out->manifest.keepSchedules = keepSchedules;
    return out;
}

Result<sweep::RunOptions> SweepCall::runOptions() const
{
    sweep::RunOptions out;
    out.threads = threads;
    if (part.empty())
        return out;
    const auto read = sweep::partFromText(part);
    if (!read)
        return Error{ErrorCode::Field, read.error().message, "--part", {}};
    out.part = *read;
    return out;
}

} // namespace tilewright::verbs
