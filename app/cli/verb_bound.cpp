// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "interrupt.h"
#include "report/bound_json.h"
#include "rule_arguments.h"
#include "solve/search/proof_run.h"
#include "verbs.h"
#include "workload_input.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

namespace tilewright::cli {

namespace {

/// The bound after so many seconds, and the best schedule that is known by then, if there is one.
std::optional<BoundedBest> prove(const Problem& problem, const Rules& rules, double seconds,
                                 LowerBound& bound)
{
    const InterruptGuard interrupt;
    ProofRunResult proof = runProof(problem, rules, {.seconds = seconds, .stop = interrupt.token()});
    bound = std::move(proof.bound);
    if (!std::isfinite(proof.state.best))
        return std::nullopt;
    return BoundedBest{proof.state.best, proof.state.optimal, proof.state.space};
}

int bound(const std::string& file, const WorkloadArguments& machine, const RuleArguments& arguments,
          double seconds, bool json)
{
    const auto on = problemOf(file, machine);
    if (!on)
        return fail(on.error());
    const Problem& problem = *on->problem;
    const auto rules = arguments.rules();
    if (!rules)
        return fail(rules.error());
    LowerBound b;
    std::optional<BoundedBest> best;
    if (seconds > 0)
        best = prove(problem, *rules, seconds, b);
    else
        b = lowerBound(problem, *rules);
    if (json) {
        std::cout << boundJson(problem, b, best ? &*best : nullptr);
        return Exit::Success;
    }
    std::cout << "lower bound  " << formatGrouped(b.value) << '\n'
              << "compute      " << formatGrouped(b.compute) << '\n'
              << "memory       " << formatGrouped(b.memory) << '\n'
              << "machine      " << on->text << '\n';
    for (const BoundPart& part : b.parts)
        std::cout << "  " << part.text << '\n';
    if (best)
        std::cout << "best         " << formatGrouped(best->latency) << " (" << percent(best->gap(b.value), 2)
                  << " above it)\n";
    if (best && best->proven)
        std::cout << "proven       optimal over " << best->space << '\n';
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
    verb->add_option(
            "--seconds", *seconds,
            "seconds for a bound that knows capacity and structure, and branch and bound against the "
            "best schedule found; 0 = the quick bound")
        ->check(CLI::Range(0.0, 1e9))
        ->capture_default_str();
    verb->add_flag("--json", *json, "One JSON document on stdout");
    verb->callback([file, machine, rules, seconds, json, &exitCode] {
        exitCode = bound(*file, *machine, *rules, *seconds, *json);
    });
}

} // namespace tilewright::cli
