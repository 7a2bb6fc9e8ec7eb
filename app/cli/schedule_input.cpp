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
    rules.addTo(verb, true);
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
    const std::string& set = arguments.rules.set;
    if (set == "auto" && out.loaded.formatIssues.empty())
        out.rules = chooseRules(*out.problem, out.loaded.schedule);
    else if (set == "auto")
        out.rules = {Rules::final(), "the file has format errors"};
    else
        out.rules = {set == "seed" ? Rules::seed() : Rules::final(), "given by --rules"};
    if (const Status status = arguments.rules.apply(out.rules.rules); !status)
        return status.error();
    for (const std::string& setting : arguments.rules.switches)
        out.rules.reason += ", " + setting;
    if (out.loaded.formatIssues.empty()) {
        out.evaluation = evaluate(*out.problem, out.loaded.schedule, out.rules.rules);
    } else {
        out.evaluation.rules = out.rules.rules;
        prependFormatIssues(out.evaluation, out.loaded.formatIssues);
    }
    return out;
}

} // namespace tilewright::cli
