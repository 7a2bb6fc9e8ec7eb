// SPDX-License-Identifier: GPL-3.0-or-later
#include "interrupt.h"
#include "network_output.h"
#include "output_folder.h"
#include "progress.h"
#include "systolic_figures.h"
#include "verbs.h"
#include "workload_input.h"

#include "base/file.h"
#include "systolic/address_trace.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct SystolicArguments
{
    std::string workload, csv, hierarchy, trace;
    std::string reports, addresses; ///< folders
    std::string array, dataflow;
    WorkloadArguments machine;
    verbs::SystolicCall call; ///< without what is read from files
    bool progress = false, listing = false, corrections = false, json = false;
};

/// What the arguments ask for, with the files they name.
Result<verbs::SystolicCall> callOf(const SystolicArguments& o)
{
    verbs::SystolicCall call = o.call;
    if (!o.hierarchy.empty()) {
        const auto read = systolic::readHierarchy(o.hierarchy);
        if (!read)
            return read.error();
        call.hierarchy = *read;
    }
    auto workload = o.machine.readIfNamed(o.workload);
    if (!workload)
        return workload.error();
    call.workload = std::move(*workload);
    call.wantsProduct = !o.addresses.empty();
    call.wantsProgram = o.listing || !o.trace.empty();
    return call;
}

/// SRAM traces of the array and, with a program, the DRAM trace.
Status writeAddresses(const std::string& folder, const verbs::SystolicAnswer& answer)
{
    const verbs::SystolicRequest& r = answer.request;
    const auto& pipeline = answer.pipeline;
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

/// The files of one product that the arguments ask for.
Status writeFiles(const SystolicArguments& o, const verbs::SystolicAnswer& answer, const std::string& json)
{
    if (!o.trace.empty())
        if (Status s = writeFileAtomically(o.trace, systolic::pipelineTrace(answer.pipeline->program,
                                                                            answer.pipeline->run,
                                                                            answer.pipeline->machine));
            !s)
            return s;
    if (!o.addresses.empty())
        if (Status s = writeAddresses(o.addresses, answer); !s)
            return s;
    return o.csv.empty() ? Status(Unit{}) : writeFileAtomically(o.csv, verbs::flatCsv(json));
}

int runProduct(const SystolicArguments& o, const verbs::SystolicCall& call)
{
    const InterruptGuard interrupt;
    const auto answer =
        verbs::systolicProduct(call, progressLine(interrupt.token(), o.progress, "simulated"));
    if (!answer)
        return fail(answer.error());
    const std::string json = o.json || !o.csv.empty() ? verbs::systolicJson(*answer) : std::string();
    if (const Status s = writeFiles(o, *answer, json); !s)
        return fail(s.error());
    const int code = answer->interrupted ? Exit::Interrupted : Exit::Success;
    if (o.json) {
        std::cout << json;
        return code;
    }
    if (o.listing) {
        std::cout << systolic::programText(answer->pipeline->program);
        return Exit::Success;
    }
    printSystolicFigures(answer->request, answer->figures,
                         answer->interrupted ? " (closed form; the simulation was interrupted)"
                         : call.simulate     ? " (simulated; the product is right)"
                                             : "");
    if (answer->pipeline)
        printPipeline(*answer->pipeline);
    else
        printSystolicContext(answer->request, answer->figures);
    if (call.compare)
        printPrograms(answer->programs);
    return code;
}

int run(const SystolicArguments& o)
{
    if (o.corrections)
        return printCorrections(o.json);
    const auto call = callOf(o);
    if (!call)
        return fail(call.error());
    if (!call->ofNetwork()) {
        if (!o.reports.empty())
            return fail({ErrorCode::Problem, "are those of a whole workload file", "--reports", {}});
        return runProduct(o, *call);
    }
    const auto answer = verbs::systolicNetwork(*call);
    return answer ? printNetwork({o.csv, o.reports, o.json}, *answer) : fail(answer.error());
}

} // namespace

void addSystolicVerb(CLI::App& app, int& exitCode)
{
    auto* verb =
        app.add_subcommand("systolic", "Cycles, utilisation and traffic of a GEMM on a systolic array");
    auto o = std::make_shared<SystolicArguments>();
    auto* gemm = verb->add_option("--gemm", o->call.gemm, "C[M,N] = A[M,K] x B[K,N]")->type_name("MxNxK");
    verb->add_option("workload", o->workload, "Any workload: a row for each of its products")->excludes(gemm);
    verb->add_option(
            "--layer", o->call.layer,
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
    verb->add_option("--tile", o->call.tile,
                     "Of the L2 schedules, the DRAM traffic and the program (default: the size of the array)")
        ->type_name("TixTjxTk");
    auto* dataflow = verb->add_option("--dataflow", o->dataflow, "What stays in the array (default os)")
                         ->type_name("os|ws|is");
    verb->add_option("--readout", o->call.readout, "How results leave the array (default shadow)")
        ->type_name("shadow|shift|scale-sim");
    verb->add_option("--weight-buffers", o->call.weightBuffers, "For ws and is (default 2)")
        ->type_name("1|2");
    verb->add_option("--hierarchy", o->hierarchy, "Memory hierarchy (default: the built-in kpu)")
        ->type_name("FILE")
        ->excludes(machine);
    verb->add_option(
            "--dram-gb-per-s", o->call.dramGbPerSecond,
            "Bandwidth of DRAM instead of the hierarchy's: of the roofline, the dataflows and the program")
        ->check(CLI::PositiveNumber);
    verb->add_flag("--simulate", o->call.simulate,
                   "Run the register-level simulator instead of the closed form");
    verb->add_flag("--progress", o->progress, "Tell on stderr how far --simulate is");
    verb->add_option("--seed", o->call.seed, "Of the operands for --simulate");
    verb->add_option("--fifo-depth", o->call.supply.depth, "Elements in an edge FIFO (default 32)");
    verb->add_option("--west-rate", o->call.supply.westPerCycle,
                     "Elements a cycle into the west FIFOs (0: unlimited)");
    verb->add_option("--north-rate", o->call.supply.northPerCycle,
                     "Elements a cycle into the north FIFOs (0: unlimited)");
    verb->add_option("--pipeline", o->call.pipeline, "Run a program through the memories")
        ->type_name("barriered|pipelined");
    verb->add_option("--bandwidth", o->call.bandwidth,
                     "Of the pipeline (default: that of the hierarchy when it or --dram-gb-per-s is given)")
        ->type_name("unlimited|hierarchy");
    verb->add_option("--bank-layout", o->call.bankLayout,
                     "Of tiles in L2: split, or as printed in the source document (default split)")
        ->type_name("split|seed");
    verb->add_option("--schedule", o->call.schedule,
                     "Of L2, for --pipeline pipelined (default: a-row, or b in as few passes as L2 holds)")
        ->type_name("a|a-row|a-full|b");
    verb->add_option("--passes", o->call.passes, "Over k, of schedule b (default 2)")
        ->check(CLI::PositiveNumber);
    verb->add_option("--depth", o->call.depth,
                     "Of one step in the array: over k (os), rows of A (ws), columns of B (is); default 16, "
                     "with --tile "
                     "the deepest that L1 holds")
        ->check(CLI::PositiveNumber);
    verb->add_option("--trace", o->trace, "Write the pipeline as Chrome trace events (Perfetto opens them)")
        ->type_name("FILE");
    verb->add_flag("--compare", o->call.compare,
                   "With --pipeline: the program of each dataflow beside the others");
    verb->add_flag("--listing", o->listing, "Print the program's commands");
    verb->add_flag("--corrections", o->corrections,
                   "Print where figures printed in the source documents differ from the right ones");
    verb->add_flag("--json", o->json, "One JSON document on stdout");
    verb->callback([o, array, dataflow, &exitCode] {
        if (array->count() > 0)
            o->call.array = o->array;
        if (dataflow->count() > 0)
            o->call.dataflow = o->dataflow;
        exitCode = run(*o);
    });
}

} // namespace tilewright::cli
