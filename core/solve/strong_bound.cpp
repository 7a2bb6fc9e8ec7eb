// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/strong_bound.h"

#include "base/text.h"
#include "solve/set_cover.h"

#include <algorithm>

namespace tilewright {

namespace {

std::string textOf(const PricedGroup& group)
{
    const bool one = group.ops.size() == 1;
    std::string out = formatGrouped(group.ops.size()) + (one ? " op takes" : " ops together take") +
                      " at least " + formatGrouped(group.least);
    constexpr double kWhole = 1 - 1e-6;
    if (group.share < kWhole)
        out += ", of which " + fixedNumber(100 * group.share, 0) + " % counts";
    return out;
}

} // namespace

LowerBound strongBound(const Problem& problem, const Rules& rules, const StrongBoundLimits& limits)
{
    LowerBound bound = lowerBound(problem, rules);
    SetCoverLimits setLimits;
    setLimits.seconds = limits.seconds;
    setLimits.keepGoing = limits.keepGoing;
    const SetCoverBound sets = setCoverBound(problem, rules, setLimits);
    if (sets.value <= bound.value)
        return bound;
    bound.value = sets.value;
    bound.prices = sets.prices;
    bound.parts.clear();
    double sum = 0;
    for (const PricedGroup& group : sets.groups)
        sum += group.least * group.share;
    for (const PricedGroup& group : sets.groups) {
        BoundPart part;
        part.ops = group.ops;
        part.value = group.least * group.share * (sets.value / sum);
        part.text = textOf(group);
        bound.parts.push_back(std::move(part));
    }
    return bound;
}

void raiseBound(LowerBound& bound, const Problem& problem, double value)
{
    if (value <= bound.value)
        return;
    for (double& price : bound.prices)
        price *= value / bound.value;
    BoundPart part;
    part.ops = problem.topologicalOrder();
    part.value = value - bound.value;
    part.text =
        "whole groups in an order in which they can run take at least " + formatGrouped(part.value) + " more";
    bound.parts.push_back(std::move(part));
    bound.value = value;
}

std::string provenByBound()
{
    return "every valid schedule (the latency equals the lower bound)";
}

void raiseBound(SolveResult& result, double lowerBound)
{
    constexpr double kEqual = 1 + 1e-8; // the bound is rounded down by less
    result.lowerBound = std::max(result.lowerBound, lowerBound);
    if (result.provenOptimal || result.total > result.lowerBound * kEqual)
        return;
    result.provenOptimal = true;
    result.provenSpace = provenByBound();
}

} // namespace tilewright
