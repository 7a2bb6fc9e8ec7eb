// SPDX-License-Identifier: GPL-3.0-or-later
#include "verb_run.h"

#include "base/file.h"
#include "base/text.h"
#include "explained.h"
#include "figures/run_figures.h"
#include "figures/schedule_figures.h"
#include "manual/program.h"
#include "run/run_trace.h"
#include "table.h"
#include "verbs.h"

#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct RunArguments : verbs::RunCall, RunOutput
{
};

void bindOptions(verbs::OptionList& o, RunArguments& a)
{
    bindOptions(o, static_cast<verbs::RunCall&>(a));
    o.add("--trace", a.trace, "FILE", "Write a Chrome trace", o.writes());
    addExplain(o, a.explain, "end");
    o.flag("--progress", a.progress, "Print progress on stderr");
    o.flag("--json", a.json, kJsonHelp);
}

void printSubgraphRuns(const verbs::EvaluatedFiles& files, const ScheduleRun& run)
{
    Table table({"#", "ops", "steps", "begin", "end", "R10", "start-up", "drain", "overlap", "length"});
    for (std::size_t i = 0; i < run.subgraphs.size(); ++i) {
        const RunSubgraph& s = run.subgraphs[i];
        std::string ops;
        for (const OpId o : files.loaded.schedule[SubgraphId(i)].ops)
            ops += (ops.empty() ? "" : " ") + std::to_string(o.index());
        table.add(i, ops, s.steps, s.begin, s.end, s.latency, s.startUp, s.drain, s.overlap, s.length);
    }
    print(table);
}

/// Prints the busy time of a unit and the duration of each kind of wait, the longest first.
void printUnit(const ScheduleRun& run, const RunUnitSums& sums, const std::string& name)
{
    std::vector<std::pair<double, std::string_view>> waits;
    for (std::size_t w = 0; w < kRunWaits; ++w)
        if (sums.waits[w] > 0)
            waits.emplace_back(sums.waits[w], runWaitName(static_cast<RunWait>(w)));
    std::stable_sort(waits.begin(), waits.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::cout << padded(name, run.cores.size() == 1 ? 13 : 16, false) << formatGrouped(sums.commands)
              << (sums.commands == 1 ? " command" : " commands") << ", busy " << formatGrouped(sums.busy);
    if (run.end > 0)
        std::cout << " (" << percent(sums.busy / run.end) << ")";
    for (const auto& [time, what] : waits)
        std::cout << (what == waits.front().second ? "; waits: " : ", ") << what << ' '
                  << formatGrouped(time);
    std::cout << '\n';
}

void printText(const verbs::EvaluatedFiles& files, const ScheduleRun& run)
{
    const Problem& problem = *files.problem;
    printSubgraphRuns(files, run);
    std::cout << '\n'
              << "machine      " << files.hardware << '\n'
              << "rules        " << ruleSetTitle(run.rules) << " (" << files.rules.reason << ")\n"
              << "runs         " << verbs::runTitle(run) << ": " << formatGrouped(run.stepCount)
              << (run.stepCount == 1 ? " step" : " steps") << ", prefetch "
              << formatGrouped(run.options.prefetch) << '\n'
              << "end          " << formatGrouped(run.end) << '\n'
              << "evaluated    " << formatGrouped(run.latency) << " (R10, a barrier after each step)\n";
    if (run.options.cores > 1) {
        std::cout << "cores        the schedule is planned for 1 core; its tiles are dealt to "
                  << formatGrouped(run.options.cores) << '\n';
        std::cout << "channel      busy " << formatGrouped(run.channelBusy) << " ("
                  << percent(run.end > 0 ? run.channelBusy / run.end : 0) << ")\n";
        std::cout << "network      " << formatGrouped(problem.elementsOf(run.networkUnits)) << " elements\n";
    }
    for (std::size_t core = 0; core < run.cores.size(); ++core)
        for (std::size_t u = 0; u < kRunUnits; ++u) {
            const std::string unit(runUnitName(static_cast<RunUnit>(u)));
            printUnit(run, run.cores[core].units[u],
                      run.cores.size() == 1 ? unit : "core " + std::to_string(core) + " " + unit);
        }
    for (const std::string& note :
         verbs::runNotes(files.model.get(), files.loaded.schedule, run.options.cores))
        std::cout << "left out     " << note << '\n';
    std::cout << "room         at most " << formatGrouped(problem.elementsOf(run.peakUnits)) << " of "
              << formatGrouped(problem.hardware().fastMemoryCapacity)
              << (run.options.cores == 1 ? " elements\n" : " elements in one core\n");
    if (!run.exact)
        std::cout << "times        rounded: they have no common denominator that can be held\n";
}

} // namespace

int answerRun(verbs::RunCall& args, const RunOutput& output)
{
    const auto files = verbs::evaluateFiles(args);
    if (!files)
        return fail(files.error());
    if (const std::string why = verbs::whyNotRun(*files); !why.empty()) {
        tell(args.schedule + ": " + why);
        if (output.json)
            std::cout << checkJson(*files->problem, files->evaluation, files->rules.reason);
        return Exit::No;
    }
    const InterruptGuard interrupt;
    const auto run =
        verbs::run(*files, args, files->model.get(), progressLine(interrupt.token(), output.progress, "run"));
    if (!run) {
        if (interrupt.token().stop_requested())
            return Exit::Interrupted;
        Error error = run.error();
        if (error.path.empty() && error.file.empty())
            error.file = args.schedule; // the error is in the steps or rules of the schedule
        return fail(error);
    }
    const auto figure = explained(output.explain, "end", [&] {
        return figures::runFigures(figures::subjectOf(*files, std::make_shared<const ScheduleRun>(*run),
                                                      figures::timeUnitOf(files->model)));
    });
    if (!figure)
        return fail(figure.error());
    int code = Exit::Success;
    if (!output.trace.empty() && !run->recorded)
        code = fail({ErrorCode::Refused,
                     "the run has more commands than the " + formatGrouped(run->options.mostCommands) +
                         " that a trace holds",
                     "--trace",
                     {}});
    else if (!output.trace.empty())
        if (auto s =
                writeFileAtomically(output.trace, runTrace(*files->problem, files->loaded.schedule, *run));
            !s)
            code = fail(s.error());
    if (output.json)
        std::cout << withExplanation(
            verbs::runJson(*files, *run,
                           verbs::runNotes(files->model.get(), files->loaded.schedule, run->options.cores)),
            *figure);
    else
        printText(*files, *run);
    if (!output.json)
        printExplanation(*figure);
    return code;
}

void addRunVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<RunArguments>(
        app, "run", "Run a schedule unit by unit: loads, array, vector unit and stores side by side",
        [](RunArguments& a) { return answerRun(a, a); }, exitCode);
}

} // namespace tilewright::cli
