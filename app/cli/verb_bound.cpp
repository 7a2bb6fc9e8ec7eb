// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "interrupt.h"
#include "report/bound_json.h"
#include "rule_arguments.h"
#include "solve/strong_bound.h"
#include "verbs.h"
#include "workload_input.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

int bound(const std::string& file, const WorkloadArguments& machine, const RuleArguments& arguments,
          double seconds, bool json)
{
    const auto problem = problemOf(file, machine);
    if (!problem)
        return fail(problem.error());
    const auto rules = arguments.rules();
    if (!rules)
        return fail(rules.error());
    LowerBound b;
    if (seconds > 0) {
        const InterruptGuard interrupt;
        StrongBoundLimits limits;
        limits.seconds = seconds;
        limits.keepGoing = [token = interrupt.token()] { return !token.stop_requested(); };
        b = strongBound(**problem, *rules, limits);
    } else {
        b = lowerBound(**problem, *rules);
    }
    if (json) {
        std::cout << boundJson(b);
        return Exit::Success;
    }
    std::cout << "lower bound  " << formatGrouped(b.value) << '\n'
              << "compute      " << formatGrouped(b.compute) << '\n'
              << "memory       " << formatGrouped(b.memory) << '\n';
    for (const BoundPart& part : b.parts)
        std::cout << "  " << part.text << '\n';
    return Exit::Success;
}

} // namespace

void addBoundVerb(CLI::App& app, int& exitCode)
{
    auto* verb =
        app.add_subcommand("bound", "A latency that no valid schedule goes below, and what it is made of");
    auto file = std::make_shared<std::string>();
    auto rules = std::make_shared<RuleArguments>();
    auto json = std::make_shared<bool>(false);
    auto seconds = std::make_shared<double>(0);
    verb->add_option("problem", *file, "Problem, or any workload to lower")->required();
    auto machine = std::make_shared<WorkloadArguments>();
    machine->addTo(*verb);
    rules->addTo(*verb);
    verb->add_option("--seconds", *seconds,
                     "seconds for a bound that knows capacity and structure; 0 = the quick bound")
        ->check(CLI::Range(0.0, 1e9))
        ->capture_default_str();
    verb->add_flag("--json", *json, "One JSON document on stdout");
    verb->callback([file, machine, rules, seconds, json, &exitCode] {
        exitCode = bound(*file, *machine, *rules, *seconds, *json);
    });
}

} // namespace tilewright::cli
