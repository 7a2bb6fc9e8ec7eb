// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule_input.h"

#include "report/format_issue.h"

#include <CLI/CLI.hpp>

namespace tilewright::cli {

void ScheduleArguments::addTo(CLI::App& verb)
{
    verb.add_option("problem", problem, "Problem, or any workload to lower")->required();
    verb.add_option("schedule", schedule, "Schedule file (JSON)")->required();
    machine.addTo(verb);
    verb.add_option("--rules", rules,
                    "Rule set. final: the last statement of the contest; seed: an earlier one; auto: the one "
                    "that the "
                    "reported latencies agree with")
        ->check(CLI::IsMember({"auto", "final", "seed"}))
        ->capture_default_str();
    std::string switchNames;
    for (const RuleSwitch& s : ruleSwitches())
        switchNames += (switchNames.empty() ? "" : ", ") + std::string(s.name) + "=" +
                       std::string(s.finalValue) + "|" + std::string(s.otherValue);
    verb.add_option("--set", switches, "Set one rule: " + switchNames)->type_name("NAME=VALUE");
    verb.add_flag("--json", json, "One JSON document on stdout");
}

Result<EvaluatedSchedule> evaluateFiles(const ScheduleArguments& arguments)
{
    auto problem = problemOf(arguments.problem, arguments.machine);
    if (!problem)
        return problem.error();
    auto loaded = loadSchedule(**problem, arguments.schedule);
    if (!loaded)
        return loaded.error();
    EvaluatedSchedule out{*problem, std::move(*loaded), {}, {}};
    if (arguments.rules == "auto" && out.loaded.formatIssues.empty())
        out.rules = chooseRules(*out.problem, out.loaded.schedule);
    else if (arguments.rules == "auto")
        out.rules = {Rules::final(), "the file has format errors"};
    else
        out.rules = {arguments.rules == "seed" ? Rules::seed() : Rules::final(), "given by --rules"};
    for (const std::string& setting : arguments.switches) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos)
            return Error{ErrorCode::Field, "expected NAME=VALUE, got \"" + setting + "\"", "--set", {}};
        if (auto status = setRule(out.rules.rules, setting.substr(0, equals), setting.substr(equals + 1));
            !status)
            return status.error();
        out.rules.reason += ", " + setting;
    }
    if (out.loaded.formatIssues.empty()) {
        out.evaluation = evaluate(*out.problem, out.loaded.schedule, out.rules.rules);
    } else {
        out.evaluation.rules = out.rules.rules;
        prependFormatIssues(out.evaluation, out.loaded.formatIssues);
    }
    return out;
}

std::string sentence(const Issue& issue)
{
    std::string out(issueCodeName(issue.code));
    if (issue.subgraph)
        out += " in subgraph " + std::to_string(issue.subgraph->value);
    return out + ": " + issue.text;
}

} // namespace tilewright::cli
