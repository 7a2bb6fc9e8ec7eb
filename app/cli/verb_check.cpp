// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/program.h"
#include "report/evaluation_json.h"
#include "verbs.h"
#include "verbs/schedule.h"

#include <iostream>

namespace tilewright::cli {

namespace {

using CheckArguments = WithJson<verbs::ScheduleCall>;

int check(CheckArguments& arguments)
{
    const auto result = verbs::evaluateFiles(arguments);
    if (!result)
        return fail(result.error());
    const Evaluation& e = result->evaluation;
    if (arguments.json) {
        std::cout << checkJson(*result->problem, e, result->rules.reason, result->deviations);
    } else if (e.valid()) {
        std::cout << "valid (rules: " << ruleSetTitle(e.rules) << ")\n";
        if (result->problem->hasEnergy())
            std::cout << "energy: " << formatGrouped(e.energy)
                      << " pJ, times latency: " << formatGrouped(e.edp()) << '\n';
    } else {
        std::cout << "invalid (rules: " << ruleSetTitle(e.rules) << "): " << sentence(*e.verdict()) << '\n';
        for (std::size_t i = 1; i < e.issues.size(); ++i)
            std::cout << "  also " << sentence(e.issues[i]) << '\n';
    }
    if (!arguments.json && !result->onOwnHardware)
        std::cout << "machine: " << result->hardware << '\n';
    return e.valid() ? Exit::Success : Exit::No;
}

} // namespace

void addCheckVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<CheckArguments>(
        app, "check", "Whether a schedule is valid, or the precise reason why not", check, exitCode);
}

} // namespace tilewright::cli
