// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule_input.h"

#include "base/file.h"

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

Result<EvaluatedFiles> evaluateFiles(const ScheduleArguments& arguments)
{
    const auto text = readFile(arguments.schedule);
    verbs::TargetOfFile made{{}, arguments.schedule};
    if (text) { // if not, the problem's faults come first
        auto target = lower::targetOfSchedule(*text, arguments.schedule);
        if (!target)
            return target.error();
        made.target = std::move(*target);
    }
    auto on = problemOf(arguments.problem, arguments.machine, made);
    if (!on)
        return on.error();
    if (!text)
        return text.error();
    const Problem& problem = *on->problem;
    auto loaded = readSchedule(problem, *text, arguments.schedule);
    if (!loaded)
        return loaded.error();
    const std::string& set = arguments.rules.set;
    auto rules = set == "auto" ? verbs::rulesOfFile(problem, *loaded) : verbs::rulesNamed(set);
    if (!rules)
        return rules.error();
    if (const Status status = arguments.rules.apply(rules->rules); !status)
        return status.error();
    for (const std::string& setting : arguments.rules.switches)
        rules->reason += ", " + setting;
    const bool own = !on->target.machine && !on->target.hardware;
    return EvaluatedFiles{
        verbs::evaluateLoaded(std::move(on->problem), std::move(*loaded), std::move(*rules)),
        std::move(on->text), own};
}

} // namespace tilewright::cli
