// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/evaluation_json.h"
#include "report/format_issue.h"
#include "schedule_input.h"
#include "verbs.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

int check(const ScheduleArguments& arguments)
{
    const auto result = evaluateFiles(arguments);
    if (!result)
        return fail(result.error());
    const Evaluation& e = result->evaluation;
    if (arguments.json) {
        std::cout << checkJson(e, result->rules.reason);
    } else if (e.valid()) {
        std::cout << "valid (rules: " << ruleSetTitle(e.rules) << ")\n";
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
    auto* verb =
        app.add_subcommand("check", "Tell whether a schedule is valid, or the precise reason why not");
    auto arguments = std::make_shared<ScheduleArguments>();
    arguments->addTo(*verb);
    verb->callback([arguments, &exitCode] { exitCode = check(*arguments); });
}

} // namespace tilewright::cli
