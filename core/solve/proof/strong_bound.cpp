// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/strong_bound.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

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
    else if (group.share > 1 / kWhole)
        out += std::string(", and so do others that look like ") + (one ? "it" : "them") +
               ", so this counts " + fixedNumber(group.share, 1) + " times";
    return out;
}

/// Adds a part that concerns all ops together.
void addRest(LowerBound& bound, const Problem& problem, double value, const std::string& text)
{
    BoundPart part;
    part.ops = problem.topologicalOrder();
    part.value = value;
    part.text = text + formatGrouped(value) + " more";
    bound.parts.push_back(std::move(part));
}

} // namespace

LowerBound strongBound(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
{
    return boundOfGroups(lowerBound(problem, rules), problem, setCoverBound(problem, rules, limits));
}

LowerBound boundOfGroups(LowerBound quick, const Problem& problem, const SetCoverBound& sets)
{
    LowerBound bound = std::move(quick);
    if (sets.value <= bound.value)
        return bound;
    bound.value = sets.value;
    bound.prices = sets.prices;
    bound.parts.clear();
    double sum = 0;
    for (const PricedGroup& group : sets.groups)
        sum += group.least * group.share;
    // The parts are scaled down if they exceed the bound together. They are never scaled up, because no part
    // may exceed the latency of its own group; what is missing becomes one more part.
    const double scale = std::min(1.0, sets.value / sum);
    double inGroups = 0;
    for (const PricedGroup& group : sets.groups) {
        BoundPart part;
        part.ops = group.ops;
        part.value = group.least * group.share * scale;
        part.text = textOf(group);
        inGroups += part.value;
        bound.parts.push_back(std::move(part));
    }
    if (constexpr double kRounding = 1e-10; sets.value - inGroups > kRounding * sets.value)
        addRest(bound, problem, sets.value - inGroups,
                "in addition to these groups, all ops together take at least ");
    return bound;
}

void raiseBound(LowerBound& bound, const Problem& problem, double value)
{
    if (value <= bound.value)
        return;
    for (double& price : bound.prices)
        price *= value / bound.value;
    addRest(bound, problem, value - bound.value,
            "without fractions of groups, and in an order that can run, all ops together take at least ");
    bound.value = value;
}

std::string provenByBound()
{
    return "every valid schedule (the latency equals the lower bound)";
}

void raiseBound(SolveResult& result, double lowerBound)
{
    result.lowerBound = std::max(result.lowerBound, lowerBound);
    if (result.provenOptimal || !meetsBound(result.total, result.lowerBound))
        return;
    result.provenOptimal = true;
    result.provenSpace = provenByBound();
}

} // namespace tilewright
