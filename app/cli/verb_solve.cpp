// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/exclusion.h"
#include "base/text.h"
#include "explained.h"
#include "figures/schedule_figures.h"
#include "manual/program.h"
#include "report/evaluation_json.h"
#include "rescue.h"
#include "solve/search/no_schedule.h"
#include "table.h"
#include "verbs.h"
#include "verbs/schedule.h"

#include <chrono>
#include <iostream>

namespace tilewright::cli {

namespace {

struct SolveArguments : verbs::SolveCall
{
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    std::string output, explain;
    bool inPlace = false;
    bool progress = false;
    bool json = false;
};

void bindOptions(verbs::OptionList& o, SolveArguments& a)
{
    bindOptions(o, static_cast<verbs::SolveCall&>(a));
    o.add("-o,--output", a.output, "FILE", "Write the schedule to this file", o.otherwise("its figures only"),
          o.writes());
    o.inPlace(a.inPlace);
    o.flag("--progress", a.progress, "Print every improvement on stderr");
    addExplain(o, a.explain, "total_latency");
    o.flag("--json", a.json, kJsonHelp);
}

/// kOverhead: seconds reserved for starting the process, reading and writing. kMargin: fraction of the time
/// budget that is reserved because the last search of a thread ends a little after its stop is requested.
constexpr double kOverhead = 0.015;
constexpr double kMargin = 0.015;

void printSummary(const verbs::ProblemOnHardware& on, const SolveResult& r, const Rules& rules,
                  const std::optional<RunFinish>& finish)
{
    constexpr std::size_t kShown = 12; // maximum number of subgraphs that are printed
    const bool hasEnergy = on.problem->hasEnergy();
    std::cout << "total latency   " << formatGrouped(r.total) << '\n';
    std::cout << "start           " << formatGrouped(r.startValue());
    if (r.startValue() > 0)
        std::cout << " (" << percent(1 - r.value() / r.startValue(), 2) << " less)";
    std::cout << "\nlower bound     " << formatGrouped(r.bound()) << " (gap " << percent(r.gap(), 2) << ")\n";
    if (hasEnergy)
        std::cout << "energy          " << formatGrouped(r.energy) << " pJ\n"
                  << "EDP             " << formatGrouped(r.total * r.energy) << " (energy times latency)\n";
    if (r.objective != SolveObjective::Latency)
        std::cout << "objective       " << kObjectiveNames[static_cast<std::size_t>(r.objective)] << '\n';
    std::cout << "subgraphs       " << formatGrouped(r.schedule.size()) << '\n'
              << "machine         " << on.text << '\n'
              << "time            " << secondsText(r.seconds) << ", " << formatGrouped(r.steps)
              << " changes tried, " << formatGrouped(r.evaluations) << " tilings evaluated\n";
    if (finish) {
        std::cout << "end of the run  " << formatGrouped(finish->end) << " instead of "
                  << formatGrouped(finish->endBefore);
        if (finish->endBefore > 0)
            std::cout << " (" << percent(1 - finish->end / finish->endBefore, 2) << " less)";
        std::cout << ", " << formatGrouped(finish->retiled.size())
                  << (finish->retiled.size() == 1 ? " subgraph has" : " subgraphs have")
                  << " other tiles; latency " << formatGrouped(finish->latency) << " instead of "
                  << formatGrouped(finish->latencyBefore) << ", " << formatGrouped(finish->runs)
                  << " runs tried\n";
    }
    if (r.provenOptimal)
        std::cout << "proven optimal  over " << r.provenSpace << '\n';
    std::cout << '\n';
    printSubgraphs(*on.problem, r.schedule, evaluate(*on.problem, r.schedule, rules), kShown);
    if (!r.constraintCosts.empty()) {
        std::cout << '\n';
        print(constraintCostTable(r.constraintCosts,
                                  std::string(kObjectiveNames[static_cast<std::size_t>(r.objective)])));
        for (const ConstraintCost& c : r.constraintCosts)
            if (!c.space.empty()) {
                std::cout << "proven over " << c.space << '\n';
                break;
            }
    }
    if (r.objective == SolveObjective::Latency || r.front.size() < 2)
        return;
    std::cout << "\nschedules that no other one found beats in latency and energy\n";
    Table front({"latency", "energy in pJ", "EDP"});
    for (const FrontPoint& p : r.front)
        front.add(p.latency, p.energy, p.latency * p.energy);
    print(front);
}

int runSolve(SolveArguments& args)
{
    const auto on = verbs::readProblem(args.workload);
    if (!on)
        return fail(on.error());
    const ProblemPtr& problem = on->problem;
    auto asked = verbs::solveOptions(args, *problem);
    if (!asked)
        return fail(asked.error());
    SolveOptions& options = *asked;
    if (options.start)
        verbs::noticeOf(args.startFile, lower::unknownInSchedule(options.start->extra));
    if (options.start)
        if (const Evaluation e = evaluate(*problem, *options.start, options.rules); !e.valid())
            tell(args.startFile +
                 ": not valid for this problem and machine, the search takes only hints from it: " +
                 sentence(*e.verdict()));

    const InterruptGuard interrupt;
    options.stop = interrupt.token();
    if (args.progress)
        options.onImprovement = [](const SolveImprovement& i) {
            std::cerr << fixedNumber(i.seconds, 3) << " s  " << formatNumber(i.value) << std::endl;
        };
    const double spent =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - args.started).count();
    if (options.seconds > 0)
        options.seconds = std::max(0.01, options.seconds * (1 - kMargin) - spent - kOverhead);
    auto result = solve(*problem, options);
    if (!result) {
        Error error = result.error();
        error.file = args.workload.file;
        if (options.stop.stop_requested())
            return Exit::Interrupted;
        tell(error.text());
        if (args.json)
            std::cout << noneReport(error.message, whyNoSchedule(*problem, options));
        return Exit::No;
    }
    std::function<void(double, double)> reportBound;
    if (args.progress)
        reportBound = [](double seconds, double bound) {
            std::cerr << fixedNumber(seconds, 3) << " s  at least " << formatNumber(bound) << std::endl;
        };
    verbs::proveAfter(args, *problem, options, *result, reportBound);
    verbs::costsAfter(args, *problem, options, *result);
    const auto finish = verbs::finishAfter(args, *problem, options, *result);
    if (!finish)
        return fail(finish.error());
    result->schedule.extra = lower::withTarget(result->schedule.extra, on->target);
    result->schedule.rules = statedRules(*problem, options.rules);
    const auto text = [&] { return writeSchedule(*problem, result->schedule, result->latencies); };
    int code = result->stopped ? Exit::Interrupted : Exit::Success;
    if (!args.output.empty()) {
        const auto written = text();
        if (const Status s = written ? writeFound(args.output, *written) : Status(written.error()); !s)
            code = fail(s.error());
    }
    const auto figure = explained(args.explain, "total_latency", [&] {
        return figures::scheduleFigures(
            takeSnapshot(problem, result->schedule, options.rules, result->lowerBound, 0), on->model);
    });
    if (!figure)
        return fail(figure.error());
    if (args.json) {
        std::cout << withExplanation(solveResultJson(problem, *result, options.rules, *finish), *figure);
    } else {
        printSummary(*on, *result, options.rules, *finish);
        printExplanation(*figure);
    }
    if (args.output.empty())
        rescueOutput(args.workload.file, [&] { return text().value(); });
    return code;
}

} // namespace

void addSolveVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<SolveArguments>(app, "solve", "Search for the schedule with the least total latency",
                                    runSolve, exitCode);
}

} // namespace tilewright::cli
