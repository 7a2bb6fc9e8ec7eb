// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/rules.h"

#include <array>
#include <string>

namespace tilewright {

namespace {

/// A member of Rules and its two values, the first as in `final`.
template <auto Member, auto Final, auto Other>
constexpr RuleSwitch ruleSwitch(std::string_view name, std::string_view finalValue,
                                std::string_view otherValue, std::string_view meaning)
{
    static_assert(Rules::final().*Member == Final);
    return {name,
            finalValue,
            otherValue,
            Rules::seed().*Member == Other ? otherValue : finalValue,
            meaning,
            [](const Rules& rules) { return rules.*Member == Other; },
            [](Rules& rules, bool other) { rules.*Member = other ? Other : Final; }};
}

/// One line a switch; what reads and sets them anywhere goes through this table.
constexpr std::array kSwitches{
    ruleSwitch<&Rules::nullOrderReuse, true, false>(
        "null_order_reuse", "yes", "no",
        "whether buffers survive from tile to tile when the traversal is null"),
    ruleSwitch<&Rules::donation, false, true>(
        "donation", "no", "yes", "whether the output tile of a Pointwise may take over an input's buffer"),
    ruleSwitch<&Rules::superNative, Rules::SuperNative::Error, Rules::SuperNative::Ceil>(
        "supernative", "error", "ceil",
        "whether a granularity above the native size is an error or costs several native passes"),
    ruleSwitch<&Rules::kAboveK, Rules::KAboveK::Error, Rules::KAboveK::Clamp>(
        "k_above_K", "error", "clamp", "whether k above a reduction size is an error or is clamped"),
    ruleSwitch<&Rules::retainInputs, Rules::RetainInputs::Error, Rules::RetainInputs::Allow>(
        "retain_inputs", "error", "allow", "whether inputs of a subgraph may be retained"),
    ruleSwitch<&Rules::prologue, Rules::Prologue::Always, Rules::Prologue::Off>(
        "prologue", "always", "off",
        "whether a Pointwise in front of a MatMul needs tiles that span the reduction"),
    ruleSwitch<&Rules::opOrder, Rules::OpOrder::Error, Rules::OpOrder::Ignore>(
        "op_order", "error", "ignore", "whether the ops of a subgraph must be listed producers first"),
    ruleSwitch<&Rules::kScaling, Rules::KScaling::Full, Rules::KScaling::Native>(
        "k_scaling", "full", "native",
        "whether the cost of a MatMul step is scaled by k / K or by k / native k"),
    ruleSwitch<&Rules::ephemeral, Rules::Ephemeral::Neutral, Rules::Ephemeral::Strict>(
        "ephemeral", "neutral", "strict",
        "whether producing an interior slice again costs compute time again"),
};

} // namespace

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
        if (value != s.finalValue && value != s.otherValue)
            return Error{ErrorCode::Field,
                         "rule switch " + std::string(name) + " is either " + std::string(s.finalValue) +
                             " or " + std::string(s.otherValue) + ", not \"" + std::string(value) + "\"",
                         {},
                         {}};
        s.set(rules, value == s.otherValue);
        return Unit{};
    }
    return Error{ErrorCode::Field,
                 "there is no rule switch \"" + std::string(name) + "\"; the switches are " + names,
                 {},
                 {}};
}

std::string_view ruleValue(const Rules& rules, std::string_view name)
{
    for (const RuleSwitch& s : kSwitches)
        if (s.name == name)
            return s.isOther(rules) ? s.otherValue : s.finalValue;
    return {};
}

std::string_view ruleSetName(const Rules& rules)
{
    return rules == Rules::final() ? "final" : rules == Rules::seed() ? "seed" : "custom";
}

std::string_view ruleSetTitle(const Rules& rules)
{
    return rules == Rules::final()  ? "final statement"
           : rules == Rules::seed() ? "earlier statement"
                                    : "own choice of switches";
}

} // namespace tilewright
