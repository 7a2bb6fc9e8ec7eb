// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "explained.h"
#include "figures/npu_figures.h"
#include "manual/program.h"
#include "npu/instructions.h"
#include "rescue.h"
#include "table.h"
#include "verb_run.h"
#include "verbs.h"
#include "verbs/npu.h"

#include <iostream>

namespace tilewright::cli {

namespace {

struct NpuArguments : verbs::NpuCall, RunOutput
{
    std::string graph, csv, explain;
    bool instructions = false, noBursts = false;
};

void bindOptions(verbs::OptionList& o, NpuArguments& a)
{
    a.writesGraph = !a.graph.empty();
    a.recordDram = !a.trace.empty() && !a.noBursts;
    bindOptions(o, static_cast<verbs::NpuCall&>(a));
    const verbs::Property noSchedule = o.notWith(!a.schedule.empty(), "--schedule");
    o.add("--graph", a.graph, "FILE", "Write the tile graph as JSON", o.writes(), noSchedule);
    o.add("--trace", a.trace, "FILE", "Write a Chrome trace", o.writes());
    o.flag("--no-bursts", a.noBursts, "Leave the DRAM's bursts out of the trace",
           o.needs(!a.trace.empty(), "--trace"), noSchedule);
    o.add("--csv", a.csv, "FILE", "Write what the run did for every operator", o.writes(), noSchedule);
    o.flag("--instructions", a.instructions, "List the instructions of every core",
           o.notWith(a.json, "--json"), noSchedule);
    addExplain(o, a.explain, "makespan", noSchedule);
    o.flag("--progress", a.progress, "Print progress on stderr");
    o.flag("--json", a.json, kJsonHelp);
}

std::string coresText(int n)
{
    return std::to_string(n) + (n == 1 ? " core" : " cores");
}

void printOperators(const std::vector<npu::OpReport>& reports)
{
    Table table({"operator", "tile", "start", "end", "tensor", "vector", "wait dram", "wait noc", "wait spm",
                 "wait dep", "bytes", "cores", "energy nJ"});
    for (const npu::OpReport& r : reports)
        table.add(r.name, npu::tileText(r.type, r.tile), r.start, r.end, r.tensor, r.vector,
                  r.stallsOf(npu::CoreState::WaitDram), r.stallsOf(npu::CoreState::WaitNoc),
                  r.stallsOf(npu::CoreState::WaitSpm), r.stallsOf(npu::CoreState::WaitDependency),
                  r.loaded + r.stored, r.cores.size(), r.energyPj() / 1000);
    print(table);
}

void printSearch(const npu::NpuGraph& graph, const npu::RunOptions& options, const npu::TileSearch& search)
{
    std::cout << "tiles searched in " << formatGrouped(search.runs) << " runs, "
              << npu::policyText(options.scheduler, options.assignment) << ": " << formatGrouped(search.after)
              << " cycles and " << formatGrouped(search.bytesAfter) << " bytes instead of "
              << formatGrouped(search.before) << " and " << formatGrouped(search.bytesBefore) << '\n';
    for (const npu::OperatorTiles& o : search.operators) {
        const npu::OpType type = graph.opTypes[o.ops.front()];
        const npu::TileCandidate &before = o.candidates.front(), &chosen = o.candidates[o.chosen];
        const auto alone = [](const npu::TileCandidate& c) {
            return c.cycles ? formatGrouped(*c.cycles) : "at least " + formatGrouped(c.bound);
        };
        std::cout << "  " << graph.opNames[o.ops.front()];
        if (o.ops.size() > 1)
            std::cout << " and " << o.ops.size() - 1 << " more";
        // Empty for an operator without a matrix product.
        const std::string tile = npu::tileText(type, chosen.tile);
        std::cout << ": " << tile << (tile.empty() ? "" : ", ") << "alone " << alone(chosen) << " cycles";
        if (o.chosen != 0)
            std::cout << " (" << npu::tileText(type, before.tile) << ": " << alone(before) << ")";
        std::cout << (o.proven ? ", fastest alone of the " : ", best so far of the ")
                  << formatGrouped(o.candidates.size()) << " candidates\n";
    }
}

void printText(const verbs::NpuAnswer& answer)
{
    const npu::NpuGraph& graph = answer.graph;
    const npu::NpuRun& run = *answer.run;
    const npu::Bounds& bounds = answer.bounds;
    std::cout << graph.name << ": " << formatGrouped(graph.nodes.size()) << " nodes, "
              << formatGrouped(graph.tiles.size()) << " tiles, " << npu::toString(run.options.scheduler)
              << " on " << coresText(static_cast<int>(run.cores.size())) << " of " << answer.machine << '\n'
              << "makespan     " << formatGrouped(run.makespan) << " cycles\n";
    if (answer.isBest)
        std::cout << "scheduler    " << npu::policySentence(run.options, answer.schedulers) << '\n';
    std::cout << "lower bound  " << formatGrouped(bounds.lowerBound) << " (" << bounds.binding()
              << "), of these tiles\n";
    if (answer.floor && *answer.floor > 0)
        std::cout << "floor        " << formatGrouped(*answer.floor) << ", of any tiles; the makespan is "
                  << formatGrouped(static_cast<double>(run.makespan) / *answer.floor) << " times the floor\n";
    if (answer.hardware.shared.bytes > 0)
        std::cout << "shared bytes " << formatGrouped(run.sharedBytes) << '\n';
    if (run.joinedBytes > 0)
        std::cout << "multicast    " << formatGrouped(run.joinedBytes) << " bytes of them\n";
    if (answer.hardware.coreToCore)
        std::cout << "core to core " << formatGrouped(run.passedBytes) << " bytes\n";
    std::cout << "DRAM bytes   " << formatGrouped(run.dramBytes) << '\n'
              << npu::explainRun(graph, run, bounds) << '\n';
    for (std::size_t c = 0; c < run.cores.size(); ++c) {
        std::cout << "core " << c << ':';
        for (std::size_t s = 0; s < npu::kCoreStates; ++s)
            std::cout << "  " << npu::toString(static_cast<npu::CoreState>(s)) << ' '
                      << formatGrouped(run.cores[c].cycles[s]);
        std::cout << '\n';
    }
    printOperators(answer.reports);
    for (const npu::RuleCheck& check : answer.checks)
        std::cout << (check.passed ? "holds   " : "BROKEN  ") << check.rule << ": " << check.text << '\n';
}

/// Prints the bounds and the estimate, the only results of an interrupted simulation.
void printInterrupted(const verbs::NpuAnswer& a)
{
    std::cout << a.graph.name << ": " << formatGrouped(a.graph.nodes.size()) << " nodes, "
              << formatGrouped(a.graph.tiles.size()) << " tiles, " << npu::toString(a.options.scheduler)
              << " on " << coresText(a.hardware.cores) << ", interrupted after " << percent(a.simulated)
              << " of the nodes\n"
              << "makespan     at least " << formatGrouped(a.bounds.lowerBound) << " cycles ("
              << a.bounds.binding() << "), about " << formatGrouped(a.estimatedMakespan)
              << " by the static schedule's estimate\n";
}

void printAnswer(const verbs::NpuAnswer& answer, bool instructions)
{
    for (const npu::ScalingPoint& p : answer.scaling)
        std::cout << coresText(p.cores) << ": "
                  << npu::policyText(npu::Scheduler::Static, answer.scaled.fixed.assignment) << ' '
                  << formatGrouped(p.staticMakespan) << " (efficiency " << percent(p.staticEfficiency())
                  << "), " << npu::policyText(npu::Scheduler::Dynamic, answer.scaled.dynamic.assignment)
                  << ' ' << formatGrouped(p.dynamicMakespan) << " (efficiency "
                  << percent(p.dynamicEfficiency()) << ")\n";
    if (answer.search)
        printSearch(answer.graph, answer.options, *answer.search);
    if (answer.searchInterrupted)
        std::cout << "interrupted: the best tiles so far\n";
    printText(answer);
    printLensNotes(answer.notes);
    if (!instructions)
        return;
    for (std::size_t c = 0; const auto& program : npu::instructionsOf(answer.graph, *answer.run)) {
        std::cout << "core " << c++ << '\n';
        for (const npu::Instruction& i : program)
            std::cout << "  " << i.issued << '\t' << npu::describe(answer.graph, i) << '\n';
    }
}

int runNpu(const NpuArguments& a)
{
    if (!a.schedule.empty()) {
        verbs::RunCall call = a.scheduleRun();
        return answerRun(call, a);
    }
    const InterruptGuard interrupt;
    const auto onGraph = [&](const npu::NpuGraph& graph, const npu::NpuHardware& hardware,
                             const npu::RunOptions& options) -> Status {
        if (a.graph.empty())
            return Unit{};
        return npu::writeGraph(graph, hardware, npu::makeStaticSchedule(graph, hardware, options.assignment),
                               a.graph);
    };
    const auto answer = verbs::runNpu(a, progressLine(interrupt.token(), a.progress, "searched"),
                                      progressLine(interrupt.token(), a.progress, "simulated"), onGraph);
    if (!answer)
        return interrupt.token().stop_requested() ? static_cast<int>(Exit::Interrupted)
                                                  : fail(answer.error());
    int code = interrupt.token().stop_requested() ? Exit::Interrupted
               : npu::allPassed(answer->checks)   ? Exit::Success
                                                  : Exit::No;
    if (answer->run && !a.trace.empty())
        if (auto s = npu::writeTrace(answer->graph, *answer->run, a.trace); !s)
            code = fail(s.error());
    if (answer->run && !a.csv.empty())
        if (auto s = writeFound(a.csv, npu::opReportsToCsv(answer->reports)); !s)
            code = fail(s.error());
    // An interrupted search has no run, and no figures.
    const auto figure = explained(answer->run ? a.explain : std::string(), "makespan",
                                  [&] { return figures::npuFigures(figures::subjectOf(*answer)); });
    if (!figure)
        return fail(figure.error());
    if (a.json)
        std::cout << withExplanation(verbs::npuJson(*answer), *figure);
    else if (answer->run)
        printAnswer(*answer, a.instructions);
    else
        printInterrupted(*answer);
    if (!a.json)
        printExplanation(*figure);
    rescueOutput(a.workload.file, [&] { return verbs::npuJson(*answer); });
    return code;
}

} // namespace

void addNpuVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<NpuArguments>(app, "npu", "Run a model's tile graph on cores that share DRAM and NoC",
                                  runNpu, exitCode);
}

} // namespace tilewright::cli
