// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule_input.h"

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
    const std::string& set = arguments.rules.set;
    auto rules = set == "auto" ? verbs::rulesOfFile(**problem, *loaded) : verbs::rulesNamed(set);
    if (!rules)
        return rules.error();
    if (const Status status = arguments.rules.apply(rules->rules); !status)
        return status.error();
    for (const std::string& setting : arguments.rules.switches)
        rules->reason += ", " + setting;
    return verbs::evaluateLoaded(std::move(*problem), std::move(*loaded), std::move(*rules));
}

} // namespace tilewright::cli
