// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/text.h"
#include "eval/evaluation.h"
#include "interrupt.h"
#include "report/format_issue.h"
#include "rule_arguments.h"
#include "schedule/schedule_json.h"
#include "schedule_table.h"
#include "solve/proof/prove.h"
#include "solve/search/solver.h"
#include "verbs.h"
#include "verbs/evaluate.h"
#include "verbs/solve_json.h"
#include "workload_input.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>

#include <unistd.h>

namespace tilewright::cli {

namespace {

struct SolveArguments
{
    std::string problem;
    WorkloadArguments machine;
    std::string output;
    RuleArguments rules;
    std::string start;
    double seconds = 10;
    double prove = 0;
    std::int64_t iterations = 0;
    int threads = 0;
    std::uint64_t seed = 1;
    bool placeable = false;
    bool progress = false;
    bool json = false;
};

/// Time kept back for starting the process, reading and writing, and the part of the budget kept back because
/// the last search of a thread ends a little after it is asked to.
constexpr double kOverhead = 0.015;
constexpr double kMargin = 0.015;

void printSummary(const verbs::ProblemOnHardware& on, const SolveResult& r, const Rules& rules)
{
    constexpr std::size_t kShown = 12; // subgraphs
    std::cout << "total latency   " << formatGrouped(r.total) << '\n'
              << "start           " << formatGrouped(r.startTotal) << " ("
              << percent(1 - r.total / r.startTotal, 2) << " less)\n"
              << "lower bound     " << formatGrouped(r.lowerBound) << " (gap " << percent(r.gap(), 2) << ")\n"
              << "subgraphs       " << formatGrouped(r.schedule.size()) << '\n'
              << "machine         " << on.text << '\n'
              << "time            " << secondsText(r.seconds) << ", " << formatGrouped(r.steps)
              << " changes tried, " << formatGrouped(r.evaluations) << " tilings evaluated\n";
    if (r.provenOptimal)
        std::cout << "proven optimal  over " << r.provenSpace << '\n';
    std::cout << '\n';
    printSubgraphs(*on.problem, r.schedule, evaluate(*on.problem, r.schedule, rules), kShown);
}

int runSolve(const SolveArguments& args, std::chrono::steady_clock::time_point started)
{
    const auto on = problemOf(args.problem, args.machine);
    if (!on)
        return fail(on.error());
    const ProblemPtr& problem = on->problem;
    SolveOptions options;
    const auto rules = args.rules.rules();
    if (!rules)
        return fail(rules.error());
    options.rules = *rules;
    options.threads = args.threads;
    options.seed = args.seed;
    options.iterations = args.iterations;
    options.placeable = args.placeable;
    if (!args.start.empty()) {
        auto loaded = loadSchedule(*problem, args.start);
        if (!loaded)
            return fail(loaded.error());
        auto start = verbs::startOf(std::move(*loaded), args.start);
        if (!start)
            return fail(start.error());
        if (const Evaluation e = evaluate(*problem, *start, options.rules); !e.valid())
            std::cerr << "tilewright-cli: " << args.start
                      << ": not valid for this problem and machine, the search takes only hints from it: "
                      << sentence(*e.verdict()) << '\n';
        options.start = std::move(*start);
    }
    if (!args.output.empty()) { // fail before the work, not after it
        const std::filesystem::path folder = std::filesystem::absolute(args.output).parent_path();
        if (::access(folder.c_str(), W_OK) != 0)
            return fail({ErrorCode::Io, "its folder cannot be written", {}, args.output});
    }

    const InterruptGuard interrupt;
    options.stop = interrupt.token();
    if (args.progress)
        options.onImprovement = [](const SolveImprovement& i) {
            std::cerr << fixedNumber(i.seconds, 3) << " s  " << formatNumber(i.total) << std::endl;
        };
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    options.seconds = args.seconds > 0 ? std::max(0.01, args.seconds * (1 - kMargin) - spent - kOverhead) : 0;
    auto result = solve(*problem, options);
    if (!result) {
        Error error = result.error();
        error.file = args.problem;
        if (options.stop.stop_requested())
            return Exit::Interrupted;
        std::cerr << "tilewright-cli: " << error.text() << '\n';
        return Exit::No;
    }
    if (args.prove > 0 && !result->provenOptimal && !options.stop.stop_requested()) {
        ProofLimits limits;
        limits.seconds = args.prove;
        limits.keepGoing = [token = interrupt.token()] { return !token.stop_requested(); };
        if (args.progress)
            limits.onProgress = [seconds = result->seconds](const ProofProgress& p) {
                std::cerr << fixedNumber(seconds + p.seconds, 3) << " s  at least "
                          << formatNumber(p.lowerBound) << std::endl;
            };
        // A better schedule is not looked for under a person's locks, nor for addresses.
        proveResult(*problem, *rules, *result, limits, !args.placeable && !options.start);
    }
    if (!args.output.empty()) {
        result->schedule.extra = lower::withTarget(result->schedule.extra, on->target);
        const auto text = writeSchedule(*problem, result->schedule, result->latencies);
        if (!text)
            return fail(text.error());
        if (const Status status = writeFileAtomically(args.output, *text); !status)
            return fail(status.error());
    }
    if (args.json)
        std::cout << solveResultJson(problem, *result, options.rules);
    else
        printSummary(*on, *result, options.rules);
    return result->stopped ? Exit::Interrupted : Exit::Success;
}

} // namespace

void addSolveVerb(CLI::App& app, int& exitCode)
{
    const auto started = std::chrono::steady_clock::now();
    auto args = std::make_shared<SolveArguments>();
    CLI::App* verb = app.add_subcommand("solve", "Search for the schedule with the least total latency");
    verb->add_option("problem", args->problem, "problem, or any workload to lower")->required();
    args->machine.addTo(*verb);
    verb->add_option("-o,--output", args->output,
                     "write the schedule here (otherwise only its figures are printed)");
    args->rules.addTo(*verb);
    verb->add_option("--seconds", args->seconds, "wall-clock budget; 0 = until interrupted or --iterations")
        ->check(CLI::Range(0.0, 1e9))
        ->capture_default_str();
    verb->add_option("--iterations", args->iterations, "search steps a thread; 0 = no limit")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 50));
    verb->add_option("--threads", args->threads, "threads; 0 = all")->check(CLI::Range(0, 1024));
    verb->add_option("--seed", args->seed, "seed of the random choices")->capture_default_str();
    verb->add_option("--start", args->start, "schedule to start from; its locked subgraphs stay");
    verb->add_flag("--placeable", args->placeable, "only schedules whose buffers have addresses (see place)");
    verb->add_option(
            "--prove", args->prove,
            "seconds, after the search, for a proof of how good the result is; a better one is taken")
        ->check(CLI::Range(0.0, 1e9));
    verb->add_flag("--progress", args->progress, "print every improvement on stderr");
    verb->add_flag("--json", args->json, "print one JSON document");
    verb->callback([args, &exitCode, started] { exitCode = runSolve(*args, started); });
}

} // namespace tilewright::cli
