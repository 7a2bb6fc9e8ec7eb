// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/rules.h"

#include <algorithm>

namespace tilewright {

namespace {

/// Builds the switch of one member of Rules. The first value is that of rule set `final`.
template <auto Member, auto... Values>
constexpr RuleSwitch ruleSwitch(std::string_view name,
                                const std::array<std::string_view, sizeof...(Values)>& names,
                                std::string_view words, std::size_t ticked, std::string_view meaning)
{
    static_assert(sizeof...(Values) <= RuleSwitch::kMaxValues);
    constexpr std::array kValues{Values...};
    static_assert(Rules::final().*Member == kValues[0]);
    constexpr auto get = [](const Rules& rules) {
        constexpr std::array kAll{Values...};
        std::size_t i = 0;
        while (i + 1 < kAll.size() && kAll[i] != rules.*Member)
            ++i;
        return i;
    };
    RuleSwitch out{name,
                   {},
                   names.size(),
                   names[get(Rules::seed())],
                   names[get(Rules::machine())],
                   words,
                   ticked,
                   meaning,
                   get,
                   [](Rules& rules, std::size_t value) {
                       constexpr std::array kAll{Values...};
                       rules.*Member = kAll.at(value);
                   }};
    std::ranges::copy(names, out.names.begin());
    return out;
}

/// Table of all rule switches, one line each. All reading and setting by name uses this table.
constexpr std::array kSwitches{
    ruleSwitch<&Rules::nullOrderReuse, true, false>(
        "null_order_reuse", {"yes", "no"}, "reuse of tiles without a drawn order", 0,
        "whether buffers are kept between tiles if the traversal order is null"),
    ruleSwitch<&Rules::donation, false, true>(
        "donation", {"no", "yes"}, "outputs in the buffers of inputs", 1,
        "whether the output tile of a Pointwise may reuse the buffer of an input"),
    ruleSwitch<&Rules::superNative, Rules::SuperNative::Error, Rules::SuperNative::Ceil>(
        "supernative", {"error", "ceil"}, "tiles larger than the array", 1,
        "whether a granularity above the native size is an error or costs several native passes"),
    ruleSwitch<&Rules::kAboveK, Rules::KAboveK::Error, Rules::KAboveK::Clamp>(
        "k_above_K", {"error", "clamp"}, "steps deeper than the reduction", 1,
        "whether k above a reduction size is an error or is clamped"),
    ruleSwitch<&Rules::retainInputs, Rules::RetainInputs::Error, Rules::RetainInputs::Allow,
               Rules::RetainInputs::Carry>("retain_inputs", {"error", "allow", "carry"},
                                           "keep inputs on chip", 2,
                                           "whether inputs of a subgraph may be retained: never, if the "
                                           "subgraph reads them, or also resident tensors "
                                           "that it does not read"),
    ruleSwitch<&Rules::prologue, Rules::Prologue::Always, Rules::Prologue::SplitOnly, Rules::Prologue::Off>(
        "prologue", {"always", "split_only", "off"}, "whole rows for vector work before a product", 0,
        "whether a Pointwise in front of a MatMul needs tiles that span the reduction: always, only if k "
        "splits the reduction, or never"),
    ruleSwitch<&Rules::opOrder, Rules::OpOrder::Error, Rules::OpOrder::Ignore>(
        "op_order", {"error", "ignore"}, "ops of a subgraph in any order", 1,
        "whether the ops of a subgraph must be listed with producers before consumers"),
    ruleSwitch<&Rules::kScaling, Rules::KScaling::Full, Rules::KScaling::Native>(
        "k_scaling", {"full", "native"}, "cost of k by the depth of the array", 1,
        "whether the cost of a MatMul step is scaled by k / K or by k / native k"),
    ruleSwitch<&Rules::ephemeral, Rules::Ephemeral::Neutral, Rules::Ephemeral::Strict>(
        "ephemeral", {"neutral", "strict"}, "recomputation takes time", 1,
        "whether computing an interior slice again costs compute time again"),
    ruleSwitch<&Rules::kLimit, Rules::KLimit::Native, Rules::KLimit::Reduction>(
        "k_limit", {"native", "reduction"}, "steps deeper than the array", 1,
        "whether k is limited by the native size and the reduction sizes, or by the reduction sizes only"),
    ruleSwitch<&Rules::compute, Rules::Compute::Base, Rules::Compute::Array>(
        "compute", {"base", "array"}, "time of products from the array", 1,
        "whether the compute time of a MatMul is a share of its base cost or the cycles of an array"),
    ruleSwitch<&Rules::vector, Rules::Vector::Tile, Rules::Vector::Elements>(
        "vector", {"tile", "elements"}, "vector work by its elements", 1,
        "whether a Pointwise costs a whole native tile for each tile or in proportion to its elements"),
    ruleSwitch<&Rules::interior, Rules::Interior::Free, Rules::Interior::Held>(
        "interior", {"free", "held"}, "intermediate tiles take fast memory", 1,
        "whether interior slices occupy fast memory in the step that produces them"),
};

} // namespace

std::string RuleSwitch::valueList(std::string_view between) const
{
    std::string out;
    for (const std::string_view value : values())
        out += (out.empty() ? "" : std::string(between)) + std::string(value);
    return out;
}

std::span<const RuleSwitch> ruleSwitches()
{
    return kSwitches;
}

Status setRule(Rules& rules, std::string_view name, std::string_view value)
{
    std::string names;
    for (const RuleSwitch& s : kSwitches) {
        names += (names.empty() ? "" : ", ") + std::string(s.name);
        if (s.name != name)
            continue;
        const auto at = std::ranges::find(s.values(), value);
        if (at == s.values().end())
            return Error{ErrorCode::Field,
                         "rule switch " + std::string(name) + " is " + s.valueList(" or ") + ", not \"" +
                             std::string(value) + "\"",
                         {},
                         {}};
        s.set(rules, static_cast<std::size_t>(at - s.values().begin()));
        return Unit{};
    }
    return Error{ErrorCode::Field,
                 "there is no rule switch \"" + std::string(name) + "\"; the switches are " + names,
                 {},
                 {}};
}

Status setRule(Rules& rules, std::string_view setting)
{
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos)
        return Error{ErrorCode::Field, "expected NAME=VALUE, got \"" + std::string(setting) + "\"", {}, {}};
    return setRule(rules, setting.substr(0, equals), setting.substr(equals + 1));
}

std::string_view ruleValue(const Rules& rules, std::string_view name)
{
    for (const RuleSwitch& s : kSwitches)
        if (s.name == name)
            return s.names[s.get(rules)];
    return {};
}

namespace {

struct NamedSet
{
    std::string_view name, title;
    Rules rules;
};
constexpr std::array kSets{NamedSet{"final", "contest final", Rules::final()},
                           NamedSet{"seed", "contest first statement", Rules::seed()},
                           NamedSet{"machine", "machine", Rules::machine()}};
constexpr std::array kSetNames{kSets[0].name, kSets[1].name, kSets[2].name};

} // namespace

std::span<const std::string_view> ruleSetNames()
{
    return kSetNames;
}

std::optional<Rules> ruleSetNamed(std::string_view name)
{
    const auto* set = std::ranges::find(kSets, name, &NamedSet::name);
    return set == kSets.end() ? std::nullopt : std::optional(set->rules);
}

std::string ruleSetList()
{
    std::string out;
    for (std::size_t i = 0; i < kSets.size(); ++i)
        out += (i == 0 ? "" : i + 1 < kSets.size() ? ", " : " or ") + std::string(kSets[i].name);
    return out;
}

RulesInWords inWords(const Rules& rules)
{
    std::optional<RulesInWords> best;
    for (const NamedSet& set : kSets) {
        RulesInWords words{set.name, {}};
        for (const RuleSwitch& s : kSwitches)
            if (s.get(rules) != s.get(set.rules))
                words.switches.push_back(std::string(s.name) + "=" + std::string(s.names[s.get(rules)]));
        if (!best || words.switches.size() < best->switches.size())
            best = std::move(words);
    }
    return std::move(*best);
}

std::string_view ruleSetName(const Rules& rules)
{
    const auto* set = std::ranges::find(kSets, rules, &NamedSet::rules);
    return set == kSets.end() ? "custom" : set->name;
}

std::string_view ruleSetTitle(const Rules& rules)
{
    const auto* set = std::ranges::find(kSets, rules, &NamedSet::rules);
    return set == kSets.end() ? "custom" : set->title;
}

} // namespace tilewright
