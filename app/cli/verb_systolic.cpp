// SPDX-License-Identifier: GPL-3.0-or-later
#include "interrupt.h"
#include "manual/command_line.h"
#include "network_output.h"
#include "output_folder.h"
#include "progress.h"
#include "systolic_figures.h"
#include "verbs.h"

#include "base/file.h"
#include "base/json_reader.h"
#include "systolic/address_trace.h"

#include <iostream>

namespace tilewright::cli {

namespace {

struct SystolicArguments : verbs::SystolicCall
{
    std::string csv, trace;
    std::string reports, addresses; ///< folders
    bool progress = false, listing = false, corrections = false, json = false;
};

void bindOptions(verbs::OptionList& o, SystolicArguments& a)
{
    bindOptions(o, static_cast<verbs::SystolicCall&>(a));
    const bool isProduct = !a.ofNetwork();
    const verbs::Property program = o.needs(isProduct && !a.pipeline.empty(), "--pipeline");
    o.add("--csv", a.csv, "FILE", "Write the workload's table, or the product's figures, to this file",
          o.writes());
    o.add("--reports", a.reports, "FOLDER",
          "Write the workload's reports, as SCALE-Sim names them, into this folder",
          o.needs(!isProduct, "a workload without --layer"),
          o.writes({"COMPUTE_REPORT.csv", "BANDWIDTH_REPORT.csv", "DETAILED_ACCESS_REPORT.csv"}));
    o.add("--address-traces", a.addresses, "FOLDER",
          "Write the SRAM address traces of a product, and with --pipeline the DRAM trace, into this folder",
          o.needs(isProduct, verbs::kOneProduct),
          o.notWith(!a.supply.unlimited(), "--west-rate and --north-rate, whose edges stall"),
          o.writes({"IFMAP_SRAM_TRACE.csv", "FILTER_SRAM_TRACE.csv", "OFMAP_SRAM_TRACE.csv",
                    "OFMAP_SRAM_READ_TRACE.csv", "DRAM_TRACE.csv"}));
    o.add("--trace", a.trace, "FILE", "Write the program as Chrome trace events (Perfetto opens them)",
          program, o.writes());
    o.flag("--progress", a.progress, "Print on stderr how far the simulator is",
           o.needs(a.simulate, "--simulate"));
    o.flag("--listing", a.listing, "Print the program's commands", program, o.notWith(a.json, "--json"));
    o.flag("--corrections", a.corrections,
           "Print where figures printed in the source documents differ from the right ones",
           o.alone(true, "alone, or with --json", {"--json"}));
    o.flag("--json", a.json, kJsonHelp);
}

/// SRAM traces of the array and, with a program, the DRAM trace.
Status writeAddresses(const std::string& folder, const verbs::SystolicAnswer& answer)
{
    const verbs::SystolicRequest& r = answer.request;
    const auto& pipeline = answer.pipeline;
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
    auto rows = Json::array();
    for (const systolic::Correction& c : systolic::seedCorrections()) {
        if (!json)
            std::cout << c.place << "\n  printed: " << c.seed << "\n  correct: " << c.correct
                      << (c.agrees ? " (agree)" : "") << '\n';
        rows.push_back({{"place", c.place}, {"seed", c.seed}, {"correct", c.correct}, {"agrees", c.agrees}});
    }
    if (json)
        std::cout << jsonText(rows, 2) << '\n';
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

int runProduct(const SystolicArguments& o)
{
    const InterruptGuard interrupt;
    const auto answer = verbs::systolicProduct(o, progressLine(interrupt.token(), o.progress, "simulated"));
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
                         : o.simulate        ? " (simulated; the product is right)"
                                             : "");
    if (answer->pipeline)
        printPipeline(*answer->pipeline);
    else
        printSystolicContext(answer->request, answer->figures);
    if (o.compare)
        printPrograms(answer->programs);
    return code;
}

int runSystolic(const SystolicArguments& o)
{
    if (o.corrections)
        return printCorrections(o.json);
    if (!o.ofNetwork())
        return runProduct(o);
    const auto answer = verbs::systolicNetwork(o);
    return answer ? printNetwork({o.csv, o.reports, o.json}, *answer) : fail(answer.error());
}

} // namespace

void addSystolicVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<SystolicArguments>(app, "systolic",
                                       "Cycles, utilisation and traffic of a GEMM on a systolic array",
                                       runSystolic, exitCode);
}

} // namespace tilewright::cli
