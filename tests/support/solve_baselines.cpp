// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve_baselines.h"

#include "solve/plan/check_schedule.h"
#include "solve/plan/plan.h"
#include "solve/search/first_plan.h"

namespace tilewright {

namespace {

Result<BaselineResult> baseline(const Problem& problem, const Rules& rules, bool fuse)
{
    TilingMemo memo;
    SubgraphPool pool(problem, rules, memo, {});
    PlanRepair repair(pool);
    Plan plan = repair.singles();
    if (!repair.makeValid(plan))
        return Error{ErrorCode::Refused, "some op fits at no granularity", {}, {}};
    const auto always = [] { return true; };
    if (fuse)
        plan = fuseGreedily(pool, plan, always);
    BaselineResult result{toSchedule(pool, plan, always), 0};
    const auto checked = verifySchedule(problem, result.schedule, rules);
    if (!checked)
        return Error{ErrorCode::Internal, "the baseline schedule is not valid", {}, {}};
    result.total = checked->total;
    return result;
}

} // namespace

Result<BaselineResult> baselineSingles(const Problem& problem, const Rules& rules)
{
    return baseline(problem, rules, false);
}

Result<BaselineResult> baselineGreedyFusion(const Problem& problem, const Rules& rules)
{
    return baseline(problem, rules, true);
}

} // namespace tilewright
