// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/text.h"
#include "interrupt.h"
#include "lower/npu_model.h"
#include "npu/bounds.h"
#include "npu/compare.h"
#include "npu/instructions.h"
#include "npu/model.h"
#include "npu/op_report.h"
#include "npu/output.h"
#include "npu/run.h"
#include "npu/static_schedule.h"
#include "npu/tile_search.h"
#include "npu/verify.h"
#include "progress.h"
#include "report/file_kind.h"
#include "table.h"
#include "verbs.h"
#include "workload_input.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct NpuArguments
{
    std::string model, hardware, graph, trace, csv;
    std::string scheduler = "dynamic";
    std::string assignment = "cost_aware";
    std::string tiles = "default";
    WorkloadArguments machine;
    int cores = 0;
    std::vector<double> weights;
    std::vector<int> scaling;
    bool memoryBoundFirst = false, instructions = false, json = false, progress = false, noBursts = false;
};

std::string coresText(int n)
{
    return std::to_string(n) + (n == 1 ? " core" : " cores");
}

void printOperators(const std::vector<npu::OpReport>& reports)
{
    Table table({"operator", "tile", "start", "end", "tensor", "vector", "wait dram", "wait noc", "wait spm",
                 "wait dep", "bytes", "cores", "energy nJ"});
    for (const npu::OpReport& r : reports)
        table.add({r.name, npu::tileText(r.type, r.tile), formatGrouped(r.start), formatGrouped(r.end),
                   formatGrouped(r.tensor), formatGrouped(r.vector),
                   formatGrouped(r.stallsOf(npu::CoreState::WaitDram)),
                   formatGrouped(r.stallsOf(npu::CoreState::WaitNoc)),
                   formatGrouped(r.stallsOf(npu::CoreState::WaitSpm)),
                   formatGrouped(r.stallsOf(npu::CoreState::WaitDependency)),
                   formatGrouped(r.loaded + r.stored), formatGrouped(r.cores.size()),
                   formatGrouped(r.energyPj() / 1000)});
    table.print(std::cout);
}

void printSearch(const npu::NpuGraph& graph, const npu::TileSearch& search)
{
    std::cout << "tiles searched in " << formatGrouped(search.runs)
              << " runs: " << formatGrouped(search.after) << " cycles and "
              << formatGrouped(search.bytesAfter) << " bytes instead of " << formatGrouped(search.before)
              << " and " << formatGrouped(search.bytesBefore) << '\n';
    for (const npu::OperatorTiles& o : search.operators) {
        const npu::OpType type = graph.opTypes[o.ops.front()];
        const npu::TileCandidate &before = o.candidates.front(), &chosen = o.candidates[o.chosen];
        const auto alone = [](const npu::TileCandidate& c) {
            return c.cycles ? formatGrouped(*c.cycles) : "at least " + formatGrouped(c.bound);
        };
        std::cout << "  " << graph.opNames[o.ops.front()];
        if (o.ops.size() > 1)
            std::cout << " and " << o.ops.size() - 1 << " more";
        std::cout << ": " << npu::tileText(type, chosen.tile) << ", alone " << alone(chosen) << " cycles";
        if (o.chosen != 0)
            std::cout << " (" << npu::tileText(type, before.tile) << ": " << alone(before) << ")";
        std::cout << (o.proven ? ", fastest alone proven of " : ", best so far of ")
                  << formatGrouped(o.candidates.size()) << '\n';
    }
}

void printText(const npu::NpuGraph& graph, const npu::NpuRun& run, const npu::Bounds& bounds,
               const std::vector<npu::OpReport>& reports, const std::vector<npu::RuleCheck>& checks)
{
    std::cout << graph.name << ": " << formatGrouped(graph.nodes.size()) << " nodes, "
              << formatGrouped(graph.tiles.size()) << " tiles, " << npu::toString(run.options.scheduler)
              << " on " << coresText(static_cast<int>(run.cores.size())) << '\n'
              << "makespan     " << formatGrouped(run.makespan) << " cycles\n"
              << "lower bound  " << formatGrouped(bounds.lowerBound) << " (" << bounds.binding() << ")\n"
              << "DRAM bytes   " << formatGrouped(run.dramBytes) << '\n'
              << npu::explainRun(graph, run, bounds) << '\n';
    for (std::size_t c = 0; c < run.cores.size(); ++c) {
        std::cout << "core " << c << ':';
        for (std::size_t s = 0; s < npu::kCoreStates; ++s)
            std::cout << "  " << npu::toString(static_cast<npu::CoreState>(s)) << ' '
                      << formatGrouped(run.cores[c].cycles[s]);
        std::cout << '\n';
    }
    printOperators(reports);
    for (const npu::RuleCheck& check : checks)
        std::cout << (check.passed ? "holds   " : "BROKEN  ") << check.rule << ": " << check.text << '\n';
}

/// What is known without the end of the run.
void printInterrupted(const npu::NpuGraph& graph, const npu::NpuHardware& hw, const npu::RunOptions& options,
                      const npu::Bounds& bounds, double simulated, bool json)
{
    const npu::Cycle estimate = npu::makeStaticSchedule(graph, hw, options.assignment).estimatedMakespan;
    if (json) {
        std::cout << npu::interruptedToJson(graph, hw, options, bounds, estimate, simulated);
        return;
    }
    std::cout << graph.name << ": " << formatGrouped(graph.nodes.size()) << " nodes, "
              << formatGrouped(graph.tiles.size()) << " tiles, " << npu::toString(options.scheduler) << " on "
              << coresText(hw.cores) << ", interrupted after " << percent(simulated) << " of the nodes\n"
              << "makespan     at least " << formatGrouped(bounds.lowerBound) << " cycles ("
              << bounds.binding() << "), about " << formatGrouped(estimate)
              << " by the static schedule's estimate\n";
}

std::string scalingJson(const std::vector<npu::ScalingPoint>& points)
{
    std::string out = "{\"scaling\":[";
    for (const npu::ScalingPoint& p : points)
        out += std::string(out.back() == '[' ? "" : ",") + "{\"cores\":" + std::to_string(p.cores) +
               ",\"static\":" + std::to_string(p.staticMakespan) +
               ",\"dynamic\":" + std::to_string(p.dynamicMakespan) +
               ",\"static_speedup\":" + formatNumber(p.staticSpeedup) +
               ",\"dynamic_speedup\":" + formatNumber(p.dynamicSpeedup) +
               ",\"static_efficiency\":" + formatNumber(p.staticEfficiency()) +
               ",\"dynamic_efficiency\":" + formatNumber(p.dynamicEfficiency()) + "}";
    return out + "]}";
}

Result<npu::RunOptions> runOptions(const NpuArguments& a)
{
    npu::RunOptions options;
    if (a.scheduler != "static" && a.scheduler != "dynamic")
        return Error{
            ErrorCode::Field, "expected static or dynamic, got \"" + a.scheduler + "\"", "--scheduler", {}};
    options.scheduler = a.scheduler == "static" ? npu::Scheduler::Static : npu::Scheduler::Dynamic;
    const auto assignment = npu::assignmentFromText(a.assignment);
    if (!assignment)
        return Error{ErrorCode::Field,
                     "expected round_robin, cost_aware or head_parallel, got \"" + a.assignment + "\"",
                     "--assignment",
                     {}};
    options.assignment = *assignment;
    if (!a.weights.empty()) {
        if (a.weights.size() != 3)
            return Error{ErrorCode::Field, "expected three numbers w1,w2,w3", "--weights", {}};
        if (!std::ranges::all_of(a.weights, [](double w) { return std::isfinite(w); }))
            return Error{ErrorCode::Field, "expected three finite numbers w1,w2,w3", "--weights", {}};
        options.weights = {a.weights[0], a.weights[1], a.weights[2]};
    }
    options.memoryBoundFirst = a.memoryBoundFirst;
    options.recordDram = !a.trace.empty() && !a.noBursts;
    return options;
}

/// The file as it is when it is a model of this lens and no machine changes its elements, else lowered.
Result<npu::NpuModel> npuModel(const NpuArguments& a)
{
    const auto kind = fileKind(a.model);
    if (kind && (*kind == FileKind::NpuModel || *kind == FileKind::Model)) {
        auto model = npu::loadModel(a.model);
        if (model || !a.machine.read(a.model))
            return model;
    }
    const auto workload = a.machine.read(a.model);
    if (!workload)
        return workload.error();
    if (workload->noModel)
        return *workload->noModel;
    const auto machine = a.machine.load();
    if (!machine)
        return machine.error();
    auto lowered = lower::lowerToNpu(workload->model, *machine);
    if (!lowered) {
        Error error = lowered.error();
        error.file = a.model;
        return error;
    }
    lowered->model.file = a.model;
    lowered->model.hardware = lower::npuHardwareOf(*machine);
    return std::move(lowered->model);
}

int runNpu(const NpuArguments& a)
{
    const auto options = runOptions(a);
    if (!options)
        return fail(options.error());
    if (a.tiles != "default" && a.tiles != "searched")
        return fail(
            {ErrorCode::Field, "expected default or searched, got \"" + a.tiles + "\"", "--tiles", {}});
    auto model = npuModel(a);
    if (!model)
        return fail(model.error());
    npu::NpuHardware hw = model->hardware.value_or(npu::NpuHardware{});
    if (a.machine.given()) {
        const auto machine = a.machine.load();
        if (!machine)
            return fail(machine.error());
        hw = lower::npuHardwareOf(*machine);
    }
    if (!a.hardware.empty()) {
        const auto loaded = npu::loadHardware(a.hardware);
        if (!loaded)
            return fail(loaded.error());
        hw = *loaded;
    }
    if (a.cores != 0)
        hw.cores = a.cores;
    if (auto s = npu::checkHardware(hw); !s)
        return fail(s.error());
    const InterruptGuard interrupt;
    std::optional<npu::TileSearch> search;
    if (a.tiles == "searched") {
        auto found = npu::searchTiles(*model, hw, *options, {},
                                      progressLine(interrupt.token(), a.progress, "searched"));
        if (!found && interrupt.token().stop_requested())
            return Exit::Interrupted;
        if (!found)
            return fail(found.error());
        search = std::move(*found);
        *model = npu::withTiling(std::move(*model), search->tiling);
    }
    const auto graph = npu::buildGraph(*model, hw);
    if (!graph)
        return fail(graph.error());
    if (!a.graph.empty())
        if (auto s = npu::writeGraph(*graph, hw, npu::makeStaticSchedule(*graph, hw, options->assignment),
                                     a.graph);
            !s)
            return fail(s.error());
    double simulated = 0;
    Progress progress = progressLine(interrupt.token(), a.progress, "simulated");
    progress.report = [&simulated, print = progress.report](double fraction, std::string_view phase) {
        simulated = fraction;
        if (print)
            print(fraction, phase);
    };
    const npu::Bounds bounds = npu::lowerBounds(*graph, hw);
    const auto run = npu::simulate(*graph, hw, *options, progress);
    if (!run && interrupt.token().stop_requested()) {
        printInterrupted(*graph, hw, *options, bounds, simulated, a.json);
        return Exit::Interrupted;
    }
    if (!run)
        return fail(run.error());
    if (!a.trace.empty())
        if (auto s = npu::writeTrace(*graph, *run, a.trace); !s)
            return fail(s.error());
    std::vector<npu::RuleCheck> checks = npu::verifyGraph(*graph);
    for (npu::RuleCheck& check : npu::verifyRun(*graph, *run))
        checks.push_back(std::move(check));
    const bool verified = npu::allPassed(checks);
    const std::vector<npu::OpReport> reports = npu::opReports(*graph, *run);
    if (!a.csv.empty())
        if (auto s = writeFileAtomically(a.csv, npu::opReportsToCsv(reports)); !s)
            return fail(s.error());
    std::string extra;
    if (!a.scaling.empty()) {
        for (const int n : a.scaling)
            if (n < 1 || n > npu::kMaxCores)
                return fail(
                    {ErrorCode::Field,
                     "expected 1 to " + std::to_string(npu::kMaxCores) + " cores, got " + std::to_string(n),
                     "--scaling",
                     {}});
        const auto points = npu::scaling(*graph, hw, *options, a.scaling, {interrupt.token(), {}});
        const bool interrupted = !points && interrupt.token().stop_requested(); // the run itself is known
        if (!points && !interrupted)
            return fail(points.error());
        extra = interrupted ? "{\"interrupted\":true}" : scalingJson(*points);
        if (!a.json && !interrupted)
            for (const npu::ScalingPoint& p : *points)
                std::cout << coresText(p.cores) << ": static " << formatGrouped(p.staticMakespan)
                          << " (efficiency " << percent(p.staticEfficiency()) << "), dynamic "
                          << formatGrouped(p.dynamicMakespan) << " (efficiency "
                          << percent(p.dynamicEfficiency()) << ")\n";
    }
    if (a.json) {
        std::cout << npu::summaryToJson(*graph, *run, bounds, reports, search ? &*search : nullptr, verified,
                                        extra);
    } else {
        if (search)
            printSearch(*graph, *search);
        printText(*graph, *run, bounds, reports, checks);
        if (a.instructions)
            for (std::size_t c = 0; const auto& program : npu::instructionsOf(*graph, *run)) {
                std::cout << "core " << c++ << '\n';
                for (const npu::Instruction& i : program)
                    std::cout << "  " << i.issued << '\t' << npu::describe(*graph, i) << '\n';
            }
    }
    if (interrupt.token().stop_requested())
        return Exit::Interrupted;
    return verified ? Exit::Success : Exit::No;
}

} // namespace

void addNpuVerb(CLI::App& app, int& exitCode)
{
    auto* sub = app.add_subcommand("npu", "Run a model's tile graph on cores that share DRAM and NoC");
    const auto a = std::make_shared<NpuArguments>();
    sub->add_option("MODEL", a->model, "Model, or any workload to lower")->required();
    sub->add_option("--cores", a->cores, "Number of cores (default: the hardware's)")
        ->check(CLI::Range(1, npu::kMaxCores));
    sub->add_option("--scheduler", a->scheduler, "Lists made before the run, or not (default dynamic)")
        ->type_name("static|dynamic");
    sub->add_option("--assignment", a->assignment, "Which core runs a unit (default cost_aware)")
        ->type_name("round_robin|cost_aware|head_parallel");
    sub->add_option("--weights", a->weights, "w1,w2,w3 of the dynamic score (default 1,0.3,0.5)")
        ->delimiter(',');
    sub->add_flag("--memory-bound-first", a->memoryBoundFirst, "Dynamic: nodes bound by memory go first");
    auto* machine = a->machine.addTo(*sub);
    sub->add_option("--hardware", a->hardware, "Hardware preset (JSON)")
        ->type_name("FILE")
        ->excludes(machine);
    sub->add_option("--graph", a->graph, "Write the tile graph as JSON")->type_name("FILE");
    auto* trace = sub->add_option("--trace", a->trace, "Write a Chrome trace")->type_name("FILE");
    sub->add_flag("--no-bursts", a->noBursts, "The trace without the DRAM's bursts")->needs(trace);
    sub->add_option("--csv", a->csv, "Write what the run did for every operator")->type_name("FILE");
    sub->add_option("--tiles", a->tiles,
                    "The file's tiles, else the rule's (default), or those of least simulated time")
        ->type_name("default|searched");
    sub->add_option("--scaling", a->scaling, "Also compare both schedulers on these numbers of cores")
        ->delimiter(',');
    sub->add_flag("--instructions", a->instructions, "List the instructions of every core");
    sub->add_flag("--progress", a->progress, "Tell progress on stderr");
    sub->add_flag("--json", a->json, "One JSON document on stdout");
    sub->callback([a, &exitCode] { exitCode = runNpu(*a); });
}

} // namespace tilewright::cli
