// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/rules.h"

#include <string>

namespace tilewright {

namespace {

constexpr std::array<RuleSwitch, 9> kSwitches{{
    {"null_order_reuse", "yes", "no", "no",
     "whether buffers survive from tile to tile when the traversal is null"},
    {"donation", "no", "yes", "yes",
     "whether the output tile of a Pointwise may take over an input's buffer"},
    {"supernative", "error", "ceil", "ceil",
     "whether a granularity above the native size is an error or costs several native passes"},
    {"k_above_K", "error", "clamp", "clamp", "whether k above a reduction size is an error or is clamped"},
    {"retain_inputs", "error", "allow", "allow", "whether inputs of a subgraph may be retained"},
    {"prologue", "always", "off", "off",
     "whether a Pointwise in front of a MatMul needs tiles that span the reduction"},
    {"op_order", "error", "ignore", "ignore", "whether the ops of a subgraph must be listed producers first"},
    {"k_scaling", "full", "native", "full",
     "whether the cost of a MatMul step is scaled by k / K or by k / native k"},
    {"ephemeral", "neutral", "strict", "neutral",
     "whether producing an interior slice again costs compute time again"},
}};

/// True when the switch has its second value.
bool isOther(const Rules& r, std::size_t i)
{
    switch (i) {
    case 0:
        return !r.nullOrderReuse;
    case 1:
        return r.donation;
    case 2:
        return r.superNative == Rules::SuperNative::Ceil;
    case 3:
        return r.kAboveK == Rules::KAboveK::Clamp;
    case 4:
        return r.retainInputs == Rules::RetainInputs::Allow;
    case 5:
        return r.prologue == Rules::Prologue::Off;
    case 6:
        return r.opOrder == Rules::OpOrder::Ignore;
    case 7:
        return r.kScaling == Rules::KScaling::Native;
    default:
        return r.ephemeral == Rules::Ephemeral::Strict;
    }
}

void set(Rules& r, std::size_t i, bool other)
{
    switch (i) {
    case 0:
        r.nullOrderReuse = !other;
        break;
    case 1:
        r.donation = other;
        break;
    case 2:
        r.superNative = other ? Rules::SuperNative::Ceil : Rules::SuperNative::Error;
        break;
    case 3:
        r.kAboveK = other ? Rules::KAboveK::Clamp : Rules::KAboveK::Error;
        break;
    case 4:
        r.retainInputs = other ? Rules::RetainInputs::Allow : Rules::RetainInputs::Error;
        break;
    case 5:
        r.prologue = other ? Rules::Prologue::Off : Rules::Prologue::Always;
        break;
    case 6:
        r.opOrder = other ? Rules::OpOrder::Ignore : Rules::OpOrder::Error;
        break;
    case 7:
        r.kScaling = other ? Rules::KScaling::Native : Rules::KScaling::Full;
        break;
    default:
        r.ephemeral = other ? Rules::Ephemeral::Strict : Rules::Ephemeral::Neutral;
        break;
    }
}

} // namespace

const std::array<RuleSwitch, 9>& ruleSwitches()
{
    return kSwitches;
}

Status setRule(Rules& rules, std::string_view name, std::string_view value)
{
    std::string names;
    for (std::size_t i = 0; i < kSwitches.size(); ++i) {
        const RuleSwitch& s = kSwitches[i];
        names += (i ? ", " : "") + std::string(s.name);
        if (s.name != name)
            continue;
        if (value != s.finalValue && value != s.otherValue)
            return Error{ErrorCode::Field,
                         "rule switch " + std::string(name) + " is either " + std::string(s.finalValue) +
                             " or " + std::string(s.otherValue) + ", not \"" + std::string(value) + "\"",
                         {},
                         {}};
        set(rules, i, value == s.otherValue);
        return Unit{};
    }
    return Error{ErrorCode::Field,
                 "there is no rule switch \"" + std::string(name) + "\"; the switches are " + names,
                 {},
                 {}};
}

std::string_view ruleValue(const Rules& rules, std::string_view name)
{
    for (std::size_t i = 0; i < kSwitches.size(); ++i)
        if (kSwitches[i].name == name)
            return isOther(rules, i) ? kSwitches[i].otherValue : kSwitches[i].finalValue;
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
