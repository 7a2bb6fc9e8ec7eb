// SPDX-License-Identifier: GPL-3.0-or-later
#include "interrupt.h"
#include "network_output.h"
#include "output_folder.h"
#include "progress.h"
#include "systolic_figures.h"
#include "verbs.h"

#include "base/file.h"
#include "systolic/address_trace.h"
#include "systolic/pe_simulator.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct SystolicCall
{
    std::string gemm, workload, layer, csv, tile;
    std::string reports, addresses; ///< folders
    WorkloadArguments machine;
    std::string array = "16x16";
    std::string dataflow = "os";
    std::string readout = "shadow";
    std::string hierarchy;
    std::string pipeline;
    std::string bandwidth;
    std::string bankLayout = "split";
    std::string trace;
    std::string schedule;
    std::int64_t passes = 0, depth = 0;
    double dramGbPerSecond = 0;
    int weightBuffers = 2;
    std::uint64_t seed = 1;
    systolic::EdgeSupply supply;
    bool simulate = false;
    bool progress = false;
    bool listing = false;
    bool compare = false;
    bool corrections = false;
    bool json = false;
    bool arrayGiven = false, dataflowGiven = false;
};

Result<SystolicRequest> readOptions(const SystolicCall& o)
{
    SystolicRequest r;
    r.hierarchy = systolic::kpuHierarchy();
    if (!o.hierarchy.empty()) {
        const auto read = systolic::readHierarchy(o.hierarchy);
        if (!read)
            return read.error();
        r.hierarchy = *read;
    }
    Result<systolic::Gemm> gemm = systolic::Gemm{1, 1, 1}; // of a network its rows count
    if (o.workload.empty()) {
        gemm = systolic::parseGemm(o.gemm);
    } else if (!o.layer.empty()) {
        const auto read = lowerFile(o.workload, o.machine);
        if (!read)
            return read.error();
        const auto layer = productNamed(read->lowered, o.layer);
        if (!layer)
            return layer.error();
        gemm = layer->gemm;
    }
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
    if (o.bankLayout != "split" && o.bankLayout != "seed")
        return Error{
            ErrorCode::Problem, "expected split or seed, got \"" + o.bankLayout + "\"", "--bank-layout", {}};
    r.layout = o.bankLayout == "seed" ? systolic::BankLayout::Seed : systolic::BankLayout::Split;
    r.supply = o.supply;
    r.gemm = *gemm;
    r.timing = {*dataflow, *readout, o.weightBuffers};
    if (!o.tile.empty()) {
        const auto tile = systolic::parseTileShape(o.tile);
        if (!tile)
            return tile.error();
        if (const auto ok = systolic::checkTile(r.gemm, *tile); !ok)
            return ok.error();
        r.tile = *tile;
    }
    // The array is that of the machine or of the hierarchy's file, unless one is named.
    if (o.machine.given() || (!o.workload.empty() && !o.arrayGiven && o.hierarchy.empty())) {
        const auto machine = o.machine.load();
        if (!machine)
            return machine.error();
        r.hierarchy = lower::hierarchyOf(*machine);
        r.energy = machine->energy;
        if (!o.dataflowGiven)
            r.timing.dataflow = lower::dataflowOf(*machine);
    } else if (o.arrayGiven) {
        r.hierarchy.array = *array;
    }
    if (o.dramGbPerSecond > 0)
        r.hierarchy.at(systolic::Level::External).gbPerSecond = o.dramGbPerSecond;
    return r;
}

/// The program of a dataflow.
systolic::ProgramOptions programOf(const SystolicCall& o, const SystolicRequest& r,
                                   systolic::Dataflow dataflow)
{
    systolic::ProgramOptions options;
    options.gemm = r.gemm;
    options.array = r.hierarchy.array;
    options.dataflow = dataflow;
    options.weightBuffers = r.timing.weightBuffers;
    options.elementBytes = r.hierarchy.elementBytes;
    options.layout = r.layout;
    options.banks = std::max<std::int64_t>(2, r.hierarchy.at(systolic::Level::L2).buffers);
    options.l3Bytes = r.hierarchy.at(systolic::Level::L3).totalBytes();
    options.capacityBytes = systolic::capacitiesOf(r.hierarchy);
    options.tile = r.tile;
    if (o.depth > 0)
        options.depth = o.depth;
    else if (r.tile)
        options.depth = systolic::deepestStep(r.hierarchy, *r.tile, dataflow);
    return options;
}

systolic::PipelineMachine machineOf(const SystolicCall& o, const SystolicRequest& r)
{
    const bool finite =
        o.bandwidth == "hierarchy" ||
        (o.bandwidth.empty() && (!o.hierarchy.empty() || o.machine.given() || o.dramGbPerSecond > 0));
    return finite ? systolic::machineOf(r.hierarchy) : systolic::PipelineMachine{};
}

std::vector<ProgramOfDataflow> runEachDataflow(const SystolicCall& o, const SystolicRequest& r,
                                               systolic::ProgramStyle style)
{
    std::vector<ProgramOfDataflow> out;
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        ProgramOfDataflow& one = out.emplace_back();
        one.dataflow = d;
        systolic::ProgramOptions options = programOf(o, r, d);
        options.style = style;
        const auto program = systolic::buildProgram(options);
        if (!program) {
            one.refusal = program.error().text();
            continue;
        }
        const auto run = systolic::runPipeline(*program, machineOf(o, r));
        if (!run) {
            one.refusal = run.error().text();
            continue;
        }
        one.schedule = systolic::programScheduleText(*program);
        one.cycles = run->cycles;
        one.arrayBusy = run->arrayBusy;
        one.dramBytes = dramBytesOf(*program);
    }
    return out;
}

/// SRAM traces of the array and, with a program, the DRAM trace.
Status writeAddresses(const std::string& folder, const SystolicRequest& r, const SystolicPipeline* pipeline)
{
    if (!r.supply.unlimited())
        return Error{ErrorCode::Problem, "are those of edges that never stall", "--address-traces", {}};
    const auto traces = systolic::sramTraces(r.gemm, r.hierarchy.array, r.timing);
    if (!traces)
        return traces.error();
    std::vector<std::pair<const char*, const std::string*>> files{{"IFMAP_SRAM_TRACE.csv", &traces->a},
                                                                  {"FILTER_SRAM_TRACE.csv", &traces->b},
                                                                  {"OFMAP_SRAM_TRACE.csv", &traces->c}};
    if (!traces->partial.empty())
        files.emplace_back("OFMAP_SRAM_READ_TRACE.csv", &traces->partial);
    std::string dram;
    if (pipeline) {
        dram = systolic::dramTrace(pipeline->program, pipeline->run);
        files.emplace_back("DRAM_TRACE.csv", &dram);
    }
    for (const auto& [name, text] : files)
        if (const auto written = writeInFolder(folder, name, *text); !written)
            return written.error();
    return Unit{};
}

Result<SystolicPipeline> runProgram(const SystolicCall& o, const SystolicRequest& r)
{
    const auto refuse = [](std::string message, std::string path) {
        return Error{ErrorCode::Problem, std::move(message), std::move(path), {}};
    };
    const auto style = systolic::parseProgramStyle(o.pipeline);
    if (!style)
        return style.error();
    if (o.simulate)
        return refuse("cannot be combined with --simulate", "--pipeline");
    if (!r.supply.unlimited())
        return refuse("belong to the array alone; a program has --bandwidth", "--west-rate, --north-rate");
    if (!o.bandwidth.empty() && o.bandwidth != "unlimited" && o.bandwidth != "hierarchy")
        return refuse("expected unlimited or hierarchy, got \"" + o.bandwidth + "\"", "--bandwidth");
    systolic::ProgramOptions options = programOf(o, r, r.timing.dataflow);
    options.style = *style;
    if (!o.schedule.empty()) {
        const auto schedule = systolic::parseL2Schedule(o.schedule);
        if (!schedule)
            return schedule.error();
        if (*style == systolic::ProgramStyle::Barriered)
            return refuse("is chosen for --pipeline pipelined; a barriered program keeps one k step",
                          "--schedule");
        options.schedule = *schedule;
        options.passes =
            o.passes > 0 ? o.passes
                         : std::min<std::int64_t>(2, ceilDiv(r.gemm.k, r.tile ? r.tile->tk : options.depth));
    }
    auto program = systolic::buildProgram(options);
    if (!program)
        return program.error();
    const systolic::PipelineMachine machine = machineOf(o, r);
    auto run = systolic::runPipeline(*program, machine);
    if (!run)
        return run.error();
    if (!o.trace.empty())
        if (const auto written =
                writeFileAtomically(o.trace, systolic::pipelineTrace(*program, *run, machine));
            !written)
            return written.error();
    return SystolicPipeline{std::move(*program), std::move(*run)};
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
    const SystolicRequest& r = *request;
    if (!o.layer.empty() && o.workload.empty())
        return fail({ErrorCode::Problem, "needs a workload file", "--layer", {}});
    if (o.workload.empty() || !o.layer.empty()) {
        if (!o.reports.empty())
            return fail({ErrorCode::Problem, "are those of a whole workload file", "--reports", {}});
    } else {
        if (o.simulate || !o.pipeline.empty() || !o.tile.empty() || !o.addresses.empty() || o.compare ||
            o.listing || !o.trace.empty() || !r.supply.unlimited())
            return fail({ErrorCode::Problem,
                         "--simulate, --pipeline and what goes with it, --tile, --address-traces and the "
                         "rates of the edges need --gemm "
                         "or --layer",
                         "workload",
                         {}});
        return printNetwork({o.workload, o.csv, o.reports, o.json}, o.machine, r.hierarchy, r.timing);
    }
    if (o.pipeline.empty() && (!o.trace.empty() || o.listing || o.compare))
        return fail({ErrorCode::Problem,
                     "needs --pipeline barriered or pipelined",
                     "--trace, --listing, --compare",
                     {}});
    auto figures = systolicFigures(r);
    if (!figures)
        return fail(figures.error());
    bool interrupted = false;
    if (o.simulate) {
        const InterruptGuard interrupt;
        auto sim = systolic::PeSimulator::createRandom(r.gemm, r.hierarchy.array, r.timing, o.seed, o.supply);
        if (!sim)
            return fail(sim.error());
        interrupted = !sim->run(progressLine(interrupt.token(), o.progress, "simulated"));
        if (!interrupted) {
            if (sim->product() != sim->referenceProduct())
                return fail({ErrorCode::Internal, "the simulated array computed a wrong product", {}, {}});
            figures->cycles = sim->measuredCycles();
            figures->stalled = sim->clock().stalledCycles();
        }
    }
    std::optional<SystolicPipeline> pipeline;
    if (!o.pipeline.empty()) {
        auto ran = runProgram(o, r);
        if (!ran)
            return fail(ran.error());
        pipeline = std::move(*ran);
        figures->cycles = pipeline->run.cycles;
    }
    std::vector<ProgramOfDataflow> programs;
    if (o.compare)
        programs = runEachDataflow(o, r, pipeline->program.options.style);
    if (!o.addresses.empty())
        if (const auto ok = writeAddresses(o.addresses, r, pipeline ? &*pipeline : nullptr); !ok)
            return fail(ok.error());
    if (o.json || !o.csv.empty()) {
        nlohmann::ordered_json out = systolicJson(r, *figures);
        if (interrupted) // the cycles are those of the closed form
            out["interrupted"] = true;
        if (pipeline)
            addPipelineJson(out, *pipeline);
        if (o.compare)
            addProgramsJson(out, programs);
        if (!o.csv.empty())
            if (const auto written = writeFileAtomically(o.csv, flatCsv(out)); !written)
                return fail(written.error());
        if (o.json) {
            std::cout << out.dump(2) << '\n';
            return interrupted ? Exit::Interrupted : Exit::Success;
        }
    }
    if (o.listing) {
        std::cout << systolic::programText(pipeline->program);
        return Exit::Success;
    }
    printSystolicFigures(r, *figures,
                         interrupted  ? " (closed form; the simulation was interrupted)"
                         : o.simulate ? " (simulated; the product is right)"
                                      : "");
    if (pipeline)
        printPipeline(*pipeline);
    else
        printSystolicContext(r, *figures);
    if (o.compare)
        printPrograms(programs);
    return interrupted ? Exit::Interrupted : Exit::Success;
}

} // namespace

void addSystolicVerb(CLI::App& app, int& exitCode)
{
    auto* verb =
        app.add_subcommand("systolic", "Cycles, utilisation and traffic of a GEMM on a systolic array");
    auto o = std::make_shared<SystolicCall>();
    auto* gemm = verb->add_option("--gemm", o->gemm, "C[M,N] = A[M,K] x B[K,N]")->type_name("MxNxK");
    verb->add_option("workload", o->workload, "Any workload: a row for each of its products")->excludes(gemm);
    verb->add_option(
            "--layer", o->layer,
            "One product of the workload, by the name of its operator (NAME:2: its second product), as if "
            "given by --gemm")
        ->excludes(gemm);
    verb->add_option("--reports", o->reports,
                     "Write the workload's reports, as SCALE-Sim names them, into this folder")
        ->type_name("FOLDER");
    verb->add_option(
            "--address-traces", o->addresses,
            "Write the SRAM address traces of a GEMM, and with --pipeline the DRAM trace, into this folder")
        ->type_name("FOLDER");
    verb->add_option("--csv", o->csv, "Write the workload's table, or the GEMM's figures, to this file")
        ->type_name("FILE");
    auto* machine = o->machine.addTo(*verb);
    auto* array =
        verb->add_option("--array", o->array, "Processing elements (default: those of the hierarchy)")
            ->type_name("RxC")
            ->excludes(machine);
    verb->add_option("--tile", o->tile,
                     "Of the L2 schedules, the DRAM traffic and the program (default: the size of the array)")
        ->type_name("TixTjxTk");
    auto* dataflow = verb->add_option("--dataflow", o->dataflow, "What stays in the array (default os)")
                         ->type_name("os|ws|is");
    verb->add_option("--readout", o->readout, "How results leave the array (default shadow)")
        ->type_name("shadow|shift|scale-sim");
    verb->add_option("--weight-buffers", o->weightBuffers, "For ws and is (default 2)")->type_name("1|2");
    verb->add_option("--hierarchy", o->hierarchy, "Memory hierarchy (default: the built-in kpu)")
        ->type_name("FILE")
        ->excludes(machine);
    verb->add_option(
            "--dram-gb-per-s", o->dramGbPerSecond,
            "Bandwidth of DRAM instead of the hierarchy's: of the roofline, the dataflows and the program")
        ->check(CLI::PositiveNumber);
    verb->add_flag("--simulate", o->simulate, "Run the register-level simulator instead of the closed form");
    verb->add_flag("--progress", o->progress, "Tell on stderr how far --simulate is");
    verb->add_option("--seed", o->seed, "Of the operands for --simulate");
    verb->add_option("--fifo-depth", o->supply.depth, "Elements in an edge FIFO (default 32)");
    verb->add_option("--west-rate", o->supply.westPerCycle,
                     "Elements a cycle into the west FIFOs (0: unlimited)");
    verb->add_option("--north-rate", o->supply.northPerCycle,
                     "Elements a cycle into the north FIFOs (0: unlimited)");
    verb->add_option("--pipeline", o->pipeline, "Run a program through the memories")
        ->type_name("barriered|pipelined");
    verb->add_option("--bandwidth", o->bandwidth,
                     "Of the pipeline (default: that of the hierarchy when it or --dram-gb-per-s is given)")
        ->type_name("unlimited|hierarchy");
    verb->add_option("--bank-layout", o->bankLayout,
                     "Of tiles in L2: split, or as printed in the source document (default split)")
        ->type_name("split|seed");
    verb->add_option("--schedule", o->schedule,
                     "Of L2, for --pipeline pipelined (default: a-row, or b in as few passes as L2 holds)")
        ->type_name("a|a-row|a-full|b");
    verb->add_option("--passes", o->passes, "Over k, of schedule b (default 2)")->check(CLI::PositiveNumber);
    verb->add_option("--depth", o->depth,
                     "Of one step in the array: over k (os), rows of A (ws), columns of B (is); default 16, "
                     "with --tile "
                     "the deepest that L1 holds")
        ->check(CLI::PositiveNumber);
    verb->add_option("--trace", o->trace, "Write the pipeline as Chrome trace events (Perfetto opens them)")
        ->type_name("FILE");
    verb->add_flag("--compare", o->compare,
                   "With --pipeline: the program of each dataflow beside the others");
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
