// SPDX-License-Identifier: GPL-3.0-or-later
#include "rule_arguments.h"

#include <CLI/CLI.hpp>

namespace tilewright::cli {

void RuleArguments::addTo(CLI::App& verb, bool byFile)
{
    std::string text = "Rule set. final: the last statement of the contest; seed: an earlier one";
    std::vector<std::string> sets{"final", "seed"};
    if (byFile) {
        set = "auto";
        sets.insert(sets.begin(), set);
        text += "; auto: the one that the reported latencies agree with";
    }
    verb.add_option("--rules", set, text)->check(CLI::IsMember(sets))->capture_default_str();
    std::string names;
    for (const RuleSwitch& s : ruleSwitches())
        names += (names.empty() ? "" : ", ") + std::string(s.name) + "=" + s.valueList("|");
    verb.add_option("--set", switches, "Set one rule, as often as you like: " + names)
        ->type_name("NAME=VALUE")
        ->take_all();
}

Status RuleArguments::apply(Rules& rules) const
{
    for (const std::string& setting : switches)
        if (Status status = setRule(rules, setting); !status) {
            Error error = status.error();
            error.path = "--set";
            return error;
        }
    return Unit{};
}

Result<Rules> RuleArguments::rules() const
{
    Rules out = set == "seed" ? Rules::seed() : Rules::final();
    if (const Status status = apply(out); !status)
        return status.error();
    return out;
}

} // namespace tilewright::cli
