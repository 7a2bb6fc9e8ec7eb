// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cost/constraints.h"

#include "base/text.h"
#include "rules/subgraph_plan.h"
#include "solve/cost/extent_range_text.h"

#include <utility>

namespace tilewright {

namespace {

bool runsOp(std::span<const OpId> ops, OpId op)
{
    return std::ranges::find(ops, op) != ops.end();
}

std::string namesOfOps(const Problem& problem, std::span<const OpId> ops)
{
    std::string out;
    for (const OpId o : ops) {
        if (!out.empty())
            out += ", ";
        out += problem.opName(o);
    }
    return out;
}

struct NamedAxis
{
    const char* name;
    ExtentRange TileRange::*range;
    std::int64_t Granularity::*extent;
};
constexpr NamedAxis kNamedAxes[] = {{"w", &TileRange::w, &Granularity::w},
                                    {"h", &TileRange::h, &Granularity::h},
                                    {"k", &TileRange::k, &Granularity::k}};

/// Describes how the granularity of a subgraph violates a tile constraint; empty if it does not.
std::string tileFault(const Problem& problem, const Rules& rules, const Subgraph& s, const TileRange& range)
{
    const SubgraphPlan plan(problem, s.ops, rules);
    const Granularity whole{plan.sinkWidth(), plan.sinkHeight(), plan.largestDriverK()};
    for (const NamedAxis& axis : kNamedAxes)
        if (!(range.*axis.range).allows(s.granularity.*axis.extent, whole.*axis.extent))
            return std::string("has ") + axis.name + " " + formatGrouped(s.granularity.*axis.extent);
    return {};
}

} // namespace

void ScheduleConstraints::add(const ScheduleConstraints& more)
{
    const auto addTo = [](auto& list, const auto& others) {
        for (const auto& other : others)
            if (std::ranges::find(list, other) == list.end())
                list.push_back(other);
    };
    addTo(together, more.together);
    addTo(apart, more.apart);
    addTo(tiles, more.tiles);
    addTo(retain, more.retain);
}

ScheduleConstraints ScheduleConstraints::without(std::size_t number) const
{
    ScheduleConstraints out = *this;
    const auto erase = [&](auto& list) {
        const bool isHere = number < list.size();
        if (isHere)
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(number));
        else
            number -= list.size();
        return isHere;
    };
    (void)(erase(out.together) || erase(out.apart) || erase(out.tiles) || erase(out.retain));
    return out;
}

bool ScheduleConstraints::allowsOps(std::span<const OpId> ops) const
{
    const auto count = [&](const std::vector<OpId>& group) {
        return static_cast<std::size_t>(std::ranges::count_if(group, [&](OpId o) { return runsOp(ops, o); }));
    };
    for (const std::vector<OpId>& group : together)
        if (const std::size_t n = count(group); n > 0 && n < group.size())
            return false;
    return std::ranges::none_of(apart, [&](const std::vector<OpId>& group) { return count(group) > 1; });
}

TileRange ScheduleConstraints::tilesOf(std::span<const OpId> ops) const
{
    TileRange out;
    for (const Tiles& t : tiles)
        if (t.ops.empty() || std::ranges::any_of(t.ops, [&](OpId o) { return runsOp(ops, o); }))
            out = out.with(t.range);
    return out;
}

std::string constraintText(const Problem& problem, const ScheduleConstraints& constraints, std::size_t number)
{
    if (number < constraints.together.size())
        return "together: " + namesOfOps(problem, constraints.together[number]);
    number -= constraints.together.size();
    if (number < constraints.apart.size())
        return "apart: " + namesOfOps(problem, constraints.apart[number]);
    number -= constraints.apart.size();
    if (number >= constraints.tiles.size()) {
        const auto& [tensor, always] = constraints.retain[number - constraints.tiles.size()];
        return (always ? "always retain " : "never retain ") + problem.tensorName(tensor);
    }
    const ScheduleConstraints::Tiles& t = constraints.tiles[number];
    std::string out = t.ops.empty() ? "tiles:" : "tiles of " + namesOfOps(problem, t.ops) + ":";
    const std::size_t start = out.size();
    for (const NamedAxis& axis : kNamedAxes)
        if (const ExtentRange& range = t.range.*axis.range; range.any()) {
            out += out.size() > start ? ", " : " ";
            out += axis.name;
            out += " ";
            out += extentRangeText(range);
        }
    return out;
}

std::vector<ConstraintViolation> violations(const Problem& problem, const Rules& rules,
                                            const Schedule& schedule, const ScheduleConstraints& constraints)
{
    std::vector<ConstraintViolation> out;
    std::size_t number = 0;
    const auto check = [&](auto&& faultOf) {
        for (std::size_t i = 0; i < schedule.size(); ++i)
            if (std::string text = faultOf(schedule[SubgraphId(i)]); !text.empty())
                out.push_back({number, SubgraphId(i), std::move(text)});
        ++number;
    };
    for (const std::vector<OpId>& group : constraints.together)
        check([&](const Subgraph& s) -> std::string {
            std::vector<OpId> in, missing;
            for (const OpId o : group)
                (runsOp(s.ops, o) ? in : missing).push_back(o);
            if (in.empty() || missing.empty())
                return {};
            return "runs " + namesOfOps(problem, in) + " but not " + namesOfOps(problem, missing);
        });
    for (const std::vector<OpId>& group : constraints.apart)
        check([&](const Subgraph& s) -> std::string {
            std::vector<OpId> in;
            for (const OpId o : group)
                if (runsOp(s.ops, o))
                    in.push_back(o);
            return in.size() < 2 ? std::string() : "runs " + namesOfOps(problem, in);
        });
    for (const ScheduleConstraints::Tiles& t : constraints.tiles)
        check([&](const Subgraph& s) -> std::string {
            const bool concerned =
                t.ops.empty() || std::ranges::any_of(t.ops, [&](OpId o) { return runsOp(s.ops, o); });
            return concerned && !s.ops.empty() ? tileFault(problem, rules, s, t.range) : std::string();
        });
    for (const ScheduleConstraints::Retention& r : constraints.retain)
        check([&](const Subgraph& s) -> std::string {
            const bool retains = std::ranges::find(s.retain, r.tensor) != s.retain.end();
            if (!r.always)
                return retains ? "retains " + problem.tensorName(r.tensor) : std::string();
            const bool isSink =
                std::ranges::any_of(s.ops, [&](OpId o) { return problem.op(o).output == r.tensor; }) &&
                std::ranges::none_of(s.ops, [&](OpId o) {
                    const auto& inputs = problem.op(o).inputs;
                    return std::ranges::find(inputs, r.tensor) != inputs.end();
                });
            return isSink && !retains ? "stores " + problem.tensorName(r.tensor) : std::string();
        });
    return out;
}

} // namespace tilewright
