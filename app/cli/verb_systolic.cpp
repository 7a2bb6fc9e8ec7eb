// SPDX-License-Identifier: GPL-3.0-or-later
#include "interrupt.h"
#include "network_output.h"
#include "progress.h"
#include "table.h"
#include "verbs.h"

#include "base/file.h"
#include "base/text.h"
#include "systolic/pe_simulator.h"
#include "systolic/pipeline.h"
#include "systolic/roofline.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iomanip>
#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct SystolicCall
{
    std::string gemm, workload, csv;
    WorkloadArguments machine;
    std::string array = "16x16";
    std::string dataflow = "os";
    std::string readout = "shadow";
    std::string hierarchy;
    std::string pipeline;
    std::string bandwidth;
    std::string bankLayout = "split";
    std::string trace;
    int weightBuffers = 2;
    std::uint64_t seed = 1;
    systolic::EdgeSupply supply;
    bool simulate = false;
    bool progress = false;
    bool listing = false;
    bool corrections = false;
    bool json = false;
    bool arrayGiven = false, dataflowGiven = false;
};

struct Request
{
    systolic::Gemm gemm;
    systolic::ArrayShape array;
    systolic::TimingOptions timing;
    systolic::Hierarchy hierarchy;
};

struct Traffic
{
    std::int64_t l2 = 0;
    std::int64_t dram = 0;
};

Result<Request> readOptions(const SystolicCall& o)
{
    Request r;
    r.hierarchy = systolic::kpuHierarchy();
    if (!o.hierarchy.empty()) {
        const auto read = systolic::readHierarchy(o.hierarchy);
        if (!read)
            return read.error();
        r.hierarchy = *read;
    }
    const auto gemm = o.workload.empty() ? systolic::parseGemm(o.gemm) : systolic::Gemm{1, 1, 1};
    if (!gemm)
        return gemm.error();
    const auto array = systolic::parseArrayShape(o.array);
    if (!array)
        return array.error();
    const auto dataflow = systolic::parseDataflow(o.dataflow);
    if (!dataflow)
        return dataflow.error();
    const auto readout = systolic::parseReadout(o.readout);
    if (!readout)
        return readout.error();
    if (o.weightBuffers != 1 && o.weightBuffers != 2)
        return Error{ErrorCode::Problem,
                     "expected 1 or 2, got " + std::to_string(o.weightBuffers),
                     "--weight-buffers",
                     {}};
    r.gemm = *gemm;
    r.array = *array;
    r.timing = {*dataflow, *readout, o.weightBuffers};
    if (o.machine.given() || (!o.workload.empty() && !o.arrayGiven && o.hierarchy.empty())) {
        const auto machine = o.machine.load();
        if (!machine)
            return machine.error();
        r.hierarchy = lower::hierarchyOf(*machine);
        r.array = r.hierarchy.array;
        if (!o.dataflowGiven)
            r.timing.dataflow = lower::dataflowOf(*machine);
    } else if (!o.workload.empty() && !o.arrayGiven) {
        r.array = r.hierarchy.array; // that of the hierarchy's file
    }
    r.hierarchy.array = r.array;
    return r;
}

/// L2 by docs/rules/systolic.md 3.4; DRAM by docs/rules/systolic.md 7 with one array-sized tile, K in steps
/// of 16, in the dataflow's own loop order.
Result<Traffic> traffic(const Request& r)
{
    const std::int64_t e = r.hierarchy.elementBytes;
    const auto l2 = checkedMul(systolic::l2Elements(r.gemm, r.array, r.timing.dataflow), e);
    if (!l2)
        return Error{ErrorCode::Problem, "the traffic in bytes overflows", "--gemm", {}};
    systolic::DramQuery q;
    q.gemm = r.gemm;
    q.elementBytes = e;
    q.l3Bytes = r.hierarchy.at(systolic::Level::L3).totalBytes();
    q.order = systolic::loopOrderOf(r.timing.dataflow);
    const bool os = r.timing.dataflow == systolic::Dataflow::Os;
    const bool is = r.timing.dataflow == systolic::Dataflow::Is;
    q.tile.ti = std::min(r.gemm.m, is ? r.array.cols : r.array.rows);
    q.tile.tj = std::min(r.gemm.n, is ? r.array.rows : r.array.cols);
    q.tile.tk = std::min(r.gemm.k, os ? systolic::kTileDepth : r.array.rows);
    if (const auto ok = systolic::checkDramQuery(q); !ok)
        return ok.error();
    return Traffic{*l2, systolic::dramClosedForm(q).bytes()};
}

/// A program and its run, when --pipeline asks for one.
struct Pipeline
{
    systolic::Program program;
    systolic::PipelineRun run;
};

Result<Pipeline> runProgram(const SystolicCall& o, const Request& r)
{
    const auto refuse = [](std::string message, std::string path) {
        return Error{ErrorCode::Problem, std::move(message), std::move(path), {}};
    };
    const auto style = systolic::parseProgramStyle(o.pipeline);
    if (!style)
        return style.error();
    if (r.timing.dataflow != systolic::Dataflow::Os)
        return refuse("programs are output-stationary; use --dataflow os", "--pipeline");
    if (o.simulate)
        return refuse("cannot be combined with --simulate", "--pipeline");
    if (o.bankLayout != "split" && o.bankLayout != "seed")
        return refuse("expected split or seed, got \"" + o.bankLayout + "\"", "--bank-layout");
    if (!o.bandwidth.empty() && o.bandwidth != "unlimited" && o.bandwidth != "hierarchy")
        return refuse("expected unlimited or hierarchy, got \"" + o.bandwidth + "\"", "--bandwidth");
    systolic::ProgramOptions options;
    options.gemm = r.gemm;
    options.array = r.array;
    options.elementBytes = r.hierarchy.elementBytes;
    options.style = *style;
    options.layout = o.bankLayout == "seed" ? systolic::BankLayout::Seed : systolic::BankLayout::Split;
    options.banks = std::max<std::int64_t>(2, r.hierarchy.at(systolic::Level::L2).buffers);
    options.l3Bytes = r.hierarchy.at(systolic::Level::L3).totalBytes();
    auto program = systolic::buildProgram(options);
    if (!program)
        return program.error();
    const bool finite = o.bandwidth == "hierarchy" || (o.bandwidth.empty() && !o.hierarchy.empty());
    const systolic::PipelineMachine machine =
        finite ? systolic::machineOf(r.hierarchy) : systolic::PipelineMachine{};
    auto run = systolic::runPipeline(*program, machine);
    if (!run)
        return run.error();
    if (!o.trace.empty())
        if (const auto written =
                writeFileAtomically(o.trace, systolic::pipelineTrace(*program, *run, machine));
            !written)
            return written.error();
    return Pipeline{std::move(*program), std::move(*run)};
}

void addPipelineJson(nlohmann::ordered_json& out, const Pipeline& p)
{
    auto events = nlohmann::ordered_json::array();
    for (std::size_t c = 0; c < p.run.events.size(); ++c) {
        const systolic::Command& command = p.program.commands[c];
        const auto resource = systolic::resourceOf(command.kind);
        if (!resource)
            continue;
        const std::string title = systolic::commandTitle(command);
        events.push_back({{"resource", systolic::resourceName(*resource)},
                          {"tile", title.substr(title.find(' ') + 1)},
                          {"start", p.run.events[c].start},
                          {"end", p.run.events[c].end},
                          {"command", systolic::commandName(command.kind)}});
    }
    out["events"] = std::move(events);
    out["array_busy"] = p.run.arrayBusy;
    out["stalls"] = nlohmann::ordered_json::object();
    for (const auto& [reason, cycles] : p.run.stalls)
        out["stalls"][reason] = cycles;
    out["compute_cycles"] = p.run.computeCycles;
    out["bottleneck"] = p.run.bottleneck;
}

void line(const std::string& name, const std::string& value)
{
    std::cout << std::left << std::setw(28) << name << value << '\n';
}

void printPipeline(const Pipeline& p)
{
    line("array fed", formatGrouped(p.run.arrayBusy) + " of " + formatGrouped(p.run.cycles) + " cycles");
    for (const auto& [reason, cycles] : p.run.stalls)
        line("  lost: " + reason, formatGrouped(cycles) + " cycles");
    line("bottleneck", p.run.bottleneck);
    for (const systolic::Resource r : systolic::kResources)
        line("  busy: " + std::string(systolic::resourceName(r)),
             percent(p.run.busyFraction[static_cast<std::size_t>(r)]));
    line("peak L3/L2/L1", formatGrouped(p.run.peakBytes[0]) + " / " + formatGrouped(p.run.peakBytes[1]) +
                              " / " + formatGrouped(p.run.peakBytes[2]) + " bytes");
}

/// The L2 schedules of docs/rules/systolic.md 3, the roofs and the comparison of dataflows; text output only.
void printContext(const Request& r)
{
    const systolic::TileShape tile{std::min(r.gemm.m, r.array.rows), std::min(r.gemm.n, r.array.cols),
                                   std::min(r.gemm.k, systolic::kTileDepth)};
    if (const auto plans = systolic::l2Schedules(r.gemm, tile, r.hierarchy.elementBytes,
                                                 r.hierarchy.at(systolic::Level::L2).totalBytes(),
                                                 std::min<std::int64_t>(2, ceilDiv(r.gemm.k, tile.tk)))) {
        Table table({"  L2 schedule", "traffic bytes", "L2 least", "double-buffered", ""});
        const auto best = systolic::bestL2Schedule(*plans);
        for (const systolic::L2Plan& p : *plans)
            table.add({(best && best->schedule == p.schedule ? "> " : "  ") +
                           std::string(systolic::l2ScheduleName(p.schedule)),
                       formatGrouped(p.trafficBytes()), formatGrouped(p.minBytes),
                       formatGrouped(p.doubleBytes), p.fits ? "" : "does not fit"});
        std::cout << '\n';
        table.print(std::cout);
    }
    if (const auto roof = systolic::multiLevelRoofline(r.hierarchy, r.gemm, r.timing, tile)) {
        std::cout << "\nroofline            " << formatGrouped(std::round(roof->attainableGflops)) << " of "
                  << formatGrouped(std::round(roof->peakGflops)) << " GFLOP/s, bound by " << roof->binding
                  << '\n';
        Table table({"  level", "bytes", "FLOP/byte", "roof GFLOP/s"});
        for (const systolic::RooflinePoint& p : roof->points)
            table.add(
                {"  " + (p.level == systolic::Level::External ? "dram"
                                                              : std::string(systolic::levelName(p.level))),
                 formatGrouped(p.bytes), significantNumber(p.intensity),
                 formatGrouped(std::round(p.roofGflops))});
        table.print(std::cout);
    }
    if (const auto c = systolic::compareDataflows(r.hierarchy, r.gemm, tile, r.timing.readout)) {
        Table table({"  dataflow", "array cycles", "DRAM cycles", "longer of both"});
        for (const systolic::DataflowTime& t : c->of)
            table.add({"  " + std::string(systolic::dataflowName(t.dataflow)), formatGrouped(t.arrayCycles),
                       formatGrouped(t.dramCycles), formatGrouped(t.totalCycles)});
        std::cout << '\n';
        table.print(std::cout);
    }
}

int printCorrections(bool json)
{
    auto rows = nlohmann::ordered_json::array();
    for (const systolic::Correction& c : systolic::seedCorrections()) {
        if (!json)
            std::cout << c.place << "\n  printed: " << c.seed << "\n  correct: " << c.correct
                      << (c.agrees ? " (agree)" : "") << '\n';
        rows.push_back({{"place", c.place}, {"seed", c.seed}, {"correct", c.correct}, {"agrees", c.agrees}});
    }
    if (json)
        std::cout << rows.dump(2) << '\n';
    return Exit::Success;
}

int run(const SystolicCall& o)
{
    if (o.corrections)
        return printCorrections(o.json);
    if (o.gemm.empty() && o.workload.empty())
        return fail({ErrorCode::Problem, "is required (MxNxK), or a workload file", "--gemm", {}});
    const auto request = readOptions(o);
    if (!request)
        return fail(request.error());
    const Request& r = *request;
    if (!o.workload.empty())
        return printNetwork({o.workload, o.csv, o.json}, o.machine, &r.hierarchy, r.timing);
    const auto moved = traffic(r);
    if (!moved)
        return fail(moved.error());
    if (o.pipeline.empty() && (!o.trace.empty() || o.listing))
        return fail(
            {ErrorCode::Problem, "needs --pipeline barriered or pipelined", "--trace, --listing", {}});
    const systolic::ArrayTiming timing = systolic::arrayTiming(r.gemm, r.array, r.timing);
    std::int64_t cycles = timing.cycles;
    std::int64_t stalled = 0;
    bool interrupted = false;
    if (o.simulate) {
        const InterruptGuard interrupt;
        auto sim = systolic::PeSimulator::createRandom(r.gemm, r.array, r.timing, o.seed, o.supply);
        if (!sim)
            return fail(sim.error());
        interrupted = !sim->run(progressLine(interrupt.token(), o.progress, "simulated"));
        if (!interrupted) {
            if (sim->product() != sim->referenceProduct())
                return fail({ErrorCode::Internal, "the simulated array computed a wrong product", {}, {}});
            cycles = sim->measuredCycles();
            stalled = sim->clock().stalledCycles();
        }
    }
    std::optional<Pipeline> pipeline;
    if (!o.pipeline.empty()) {
        auto ran = runProgram(o, r);
        if (!ran)
            return fail(ran.error());
        pipeline = std::move(*ran);
        cycles = pipeline->run.cycles;
    }
    const double utilization = static_cast<double>(systolic::macs(r.gemm)) /
                               static_cast<double>(r.array.rows) / static_cast<double>(r.array.cols) /
                               static_cast<double>(cycles);
    if (o.json) {
        nlohmann::ordered_json out = {{"dataflow", systolic::dataflowName(r.timing.dataflow)},
                                      {"rows", r.array.rows},
                                      {"cols", r.array.cols},
                                      {"readout", systolic::readoutName(r.timing.readout)},
                                      {"cycles", cycles},
                                      {"folds", timing.folds},
                                      {"utilization", utilization},
                                      {"mapping_efficiency", timing.mappingEfficiency},
                                      {"traffic_bytes", {{"l2", moved->l2}, {"dram", moved->dram}}}};
        if (interrupted) // the cycles are those of the closed form
            out["interrupted"] = true;
        else if (!o.supply.unlimited())
            out["stalled_cycles"] = stalled;
        if (pipeline)
            addPipelineJson(out, *pipeline);
        std::cout << out.dump(2) << '\n';
        return interrupted ? Exit::Interrupted : Exit::Success;
    }
    if (o.listing) {
        std::cout << systolic::programText(pipeline->program);
        return Exit::Success;
    }
    line("dataflow", std::string(systolic::dataflowName(r.timing.dataflow)) + ", " +
                         std::string(systolic::readoutName(r.timing.readout)) + " read-out" +
                         (timing.readoutHidden ? "" : " (not hidden: K is less than the rows)"));
    line("cycles",
         formatGrouped(cycles) +
             (interrupted  ? " (closed form; the simulation was interrupted)"
              : o.simulate ? " (simulated; the product is right)"
                           : "") +
             (stalled > 0 ? ", " + formatGrouped(stalled) + " of them stalled on an edge FIFO" : ""));
    line("folds", formatGrouped(timing.folds));
    line("utilization", percent(utilization));
    line("mapping efficiency", percent(timing.mappingEfficiency));
    constexpr std::int64_t kPhasesSide = 1 << 16; // the sweep for fill and drain grows with the array
    if (std::max(r.array.rows, r.array.cols) <= kPhasesSide) {
        const systolic::ArrayPhases phases = systolic::FoldPlan(r.gemm, r.array, r.timing).phases();
        line("fill/steady/drain", formatGrouped(phases.fill) + " / " + formatGrouped(phases.steady) + " / " +
                                      formatGrouped(phases.drain) + " cycles");
    }
    line("L2 traffic", formatGrouped(moved->l2) + " bytes");
    line("DRAM traffic", formatGrouped(moved->dram) + " bytes");
    if (pipeline)
        printPipeline(*pipeline);
    else
        printContext(r);
    return interrupted ? Exit::Interrupted : Exit::Success;
}

} // namespace

void addSystolicVerb(CLI::App& app, int& exitCode)
{
    auto* verb =
        app.add_subcommand("systolic", "Cycles, utilisation and traffic of a GEMM on a systolic array");
    auto o = std::make_shared<SystolicCall>();
    auto* gemm = verb->add_option("--gemm", o->gemm, "MxNxK: C[M,N] = A[M,K] x B[K,N]");
    verb->add_option("workload", o->workload, "Any workload: a row for each of its products")->excludes(gemm);
    verb->add_option("--csv", o->csv, "Write the workload's table to this file");
    auto* machine = o->machine.addTo(*verb);
    auto* array =
        verb->add_option("--array", o->array, "RxC processing elements (default 16x16)")->excludes(machine);
    auto* dataflow = verb->add_option("--dataflow", o->dataflow, "os, ws or is (default os)");
    verb->add_option("--readout", o->readout, "shadow, shift or scale-sim (default shadow)");
    verb->add_option("--weight-buffers", o->weightBuffers, "1 or 2 (default 2), for ws and is");
    verb->add_option("--hierarchy", o->hierarchy, "Memory hierarchy file (default: the built-in kpu)")
        ->excludes(machine);
    verb->add_flag("--simulate", o->simulate, "Run the register-level simulator instead of the closed form");
    verb->add_flag("--progress", o->progress, "Tell on stderr how far --simulate is");
    verb->add_option("--seed", o->seed, "Of the operands for --simulate");
    verb->add_option("--fifo-depth", o->supply.depth, "Elements in an edge FIFO for --simulate (default 32)");
    verb->add_option("--west-rate", o->supply.westPerCycle,
                     "Elements a cycle into the west FIFOs (0: unlimited)");
    verb->add_option("--north-rate", o->supply.northPerCycle,
                     "Elements a cycle into the north FIFOs (0: unlimited)");
    verb->add_option("--pipeline", o->pipeline, "Run a program through the memories: barriered or pipelined");
    verb->add_option(
        "--bandwidth", o->bandwidth,
        "Of the pipeline: unlimited, or that of the hierarchy (default: hierarchy when one is given)");
    verb->add_option("--bank-layout", o->bankLayout,
                     "Of tiles in L2: split, or seed: as printed in the source document (default split)");
    verb->add_option("--trace", o->trace, "Write the pipeline as Chrome trace events (Perfetto opens them)");
    verb->add_flag("--listing", o->listing, "Print the program's commands");
    verb->add_flag("--corrections", o->corrections,
                   "Print where figures printed in the source documents differ from the right ones");
    verb->add_flag("--json", o->json, "One JSON document on stdout");
    verb->callback([o, array, dataflow, &exitCode] {
        o->arrayGiven = array->count() > 0;
        o->dataflowGiven = dataflow->count() > 0;
        exitCode = run(*o);
    });
}

} // namespace tilewright::cli
