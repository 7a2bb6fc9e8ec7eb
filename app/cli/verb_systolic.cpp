// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "explained.h"
#include "figures/systolic_figures.h"
#include "lower/network_table.h"
#include "manual/program.h"
#include "systolic/address_trace.h"
#include "table.h"
#include "verbs.h"
#include "verbs/systolic.h"

#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::cli {

namespace {

using verbs::kMaxPhasesSide;

void figureLine(const std::string& name, const std::string& value)
{
    std::cout << std::left << std::setw(28) << name << value << '\n';
}

std::string tileText(const systolic::TileShape& t)
{
    return formatGrouped(t.ti) + " x " + formatGrouped(t.tj) + " x " + formatGrouped(t.tk);
}

std::string levelWord(systolic::Level level)
{
    return level == systolic::Level::External ? "dram" : std::string(systolic::levelName(level));
}

std::string layoutWord(systolic::BankLayout layout)
{
    return layout == systolic::BankLayout::Seed ? "seed" : "split";
}

/// Prints the lines up to the DRAM traffic. `note` is appended to the line of the cycles.
void printSystolicFigures(const verbs::SystolicRequest& r, const verbs::SystolicFigures& f,
                          const std::string& note)
{
    const systolic::ArrayShape& array = r.hierarchy.array;
    figureLine("array", formatGrouped(array.rows) + " x " + formatGrouped(array.cols) + " PEs, memories of " +
                            r.hierarchy.name);
    figureLine("dataflow", std::string(systolic::dataflowName(r.timing.dataflow)) + ", " +
                               std::string(systolic::readoutName(r.timing.readout)) + " read-out" +
                               (f.timing.readoutHidden ? "" : " (not hidden: K is less than the rows)"));
    figureLine(
        "cycles",
        formatGrouped(f.cycles) + note +
            (f.stalled > 0 ? ", " + formatGrouped(f.stalled) + " of them stalled on an edge FIFO" : ""));
    figureLine("folds", formatGrouped(f.timing.folds));
    figureLine("utilization", percent(f.utilization(r)));
    figureLine("mapping efficiency", percent(f.timing.mappingEfficiency));
    figureLine("fill/steady/drain",
               f.phases ? formatGrouped(f.phases->fill) + " / " + formatGrouped(f.phases->steady) + " / " +
                              formatGrouped(f.phases->drain) + " cycles"
                        : "not counted for an array side above " + formatGrouped(kMaxPhasesSide));
    const systolic::Gemm& added = *f.padding.added;
    figureLine("padding", formatGrouped(added.m) + " x " + formatGrouped(added.n) + " x " +
                              formatGrouped(added.k) + " (M x N x K), " + formatGrouped(f.padding.macs) +
                              " MACs; " + significantNumber(f.padding.idlePes) + " PEs idle on average");
    figureLine("edge FIFOs", formatGrouped(f.edges.west) + " + " + formatGrouped(f.edges.north) +
                                 " bytes west and north, " + formatGrouped(r.supply.depth) +
                                 " elements deep (the skew needs " + formatGrouped(f.edges.westSkew) +
                                 " and " + formatGrouped(f.edges.northSkew) + ")");
    figureLine("streaming buffers", formatGrouped(f.edges.westStream) + " + " +
                                        formatGrouped(f.edges.northStream) +
                                        " bytes west and north hold a fold's operands");
    figureLine("L2 traffic", formatGrouped(f.l2Bytes) + " bytes (no reuse between folds)");
    figureLine("DRAM traffic",
               formatGrouped(f.dram.bytes()) + " bytes (" + systolic::dramAssumption(f.dramQuery) + ")");
    const double total = f.energy.total();
    figureLine("energy", formatGrouped(std::round(total / 1000)) + " nJ (MACs " +
                             percent(f.energy.mac / total) + ", registers " + percent(f.energy.rf / total) +
                             ", network " + percent(f.energy.noc / total) + ", SRAM " +
                             percent(f.energy.spm / total) + ", DRAM " + percent(f.energy.dram / total) +
                             ")");
}

/// Prints the L2 schedules, the rooflines and the comparison of dataflows.
void printSystolicContext(const verbs::SystolicRequest& r, const verbs::SystolicFigures& f)
{
    Table plans({"  L2 schedule, os, tile " + tileText(f.l2.tile), "traffic bytes", "L2 least",
                 "double-buffered", ""});
    const auto best = systolic::bestL2Schedule(f.l2.plans);
    for (const systolic::L2Plan& p : f.l2.plans)
        plans.add((best && best->schedule == p.schedule ? "> " : "  ") +
                      std::string(systolic::l2ScheduleName(p.schedule)) +
                      (p.passes > 1 ? " in " + formatGrouped(p.passes) + " passes" : ""),
                  p.trafficBytes(), p.minBytes, p.doubleBytes, p.fits ? "" : "does not fit");
    std::cout << '\n';
    print(plans);
    if (f.conflicts)
        std::cout << "\nbank conflicts      " << formatGrouped(f.conflicts->count) << " of "
                  << formatGrouped(f.conflicts->steps) << " steps, " << layoutWord(r.layout) << " layout, "
                  << formatGrouped(f.l2.banks) << " banks\n";
    std::cout << "\nroofline            " << formatGrouped(std::round(f.roofline.attainableGflops)) << " of "
              << formatGrouped(std::round(f.roofline.peakGflops)) << " GFLOP/s, bound by "
              << f.roofline.binding << '\n';
    Table levels({"  level", "bytes", "at its port", "FLOP/byte", "roof GFLOP/s"});
    for (const systolic::RooflinePoint& p : f.roofline.points)
        levels.add({"  " + levelWord(p.level), p.bytes, p.portBytes, significantNumber(p.intensity),
                    std::round(p.roofGflops)});
    levels.add("  no reuse", f.roofline.naive.bytes, f.roofline.naive.portBytes,
               significantNumber(f.roofline.naive.intensity), std::round(f.roofline.naive.roofGflops));
    print(levels);
    Table dataflows({"  dataflow", "array cycles", "DRAM bytes", "DRAM cycles", "longer of both",
                     f.dataflows.ran ? "program" : "program, at least"});
    for (std::size_t d = 0; d < f.dataflows.of.size(); ++d) {
        const systolic::DataflowTime& t = f.dataflows.of[d];
        const auto& program = f.dataflows.programCycles[d];
        dataflows.add("  " + std::string(systolic::dataflowName(t.dataflow)), t.arrayCycles, t.dramBytes,
                      t.dramCycles, t.totalCycles, program ? TableCell(*program) : TableCell("none fits"));
    }
    std::cout << '\n';
    print(dataflows);
    const auto fewer = f.dataflows.osFewer();
    if (!fewer) {
        std::cout << "  the programs are too long to run here; --pipeline pipelined --compare tells which of "
                     "os and "
                     "ws is faster\n";
        return;
    }
    std::cout << "  os takes " << percent(std::abs(*fewer)) << (*fewer < 0 ? " more" : " fewer")
              << " cycles than ws at "
              << significantNumber(r.hierarchy.at(systolic::Level::External).gbPerSecond) << " GB/s of DRAM, "
              << f.dataflows.comparedBy() << '\n';
}

void printPipeline(const verbs::SystolicPipeline& p)
{
    figureLine("program",
               formatGrouped(p.program.length) + " commands, tile " + tileText(p.program.tile) +
                   (p.program.options.dataflow == systolic::Dataflow::Os ? ", k steps of " : ", steps of ") +
                   formatGrouped(p.program.options.depth) + ", " + systolic::programScheduleText(p.program));
    if (!p.program.reason.empty())
        figureLine("", p.program.reason);
    figureLine("program's L2 traffic", formatGrouped(verbs::l2BytesOf(p.program)) + " bytes");
    figureLine("array fed",
               formatGrouped(p.run.arrayBusy) + " of " + formatGrouped(p.run.cycles) + " cycles");
    for (const auto& [reason, cycles] : p.run.stalls)
        figureLine("  lost: " + reason, formatGrouped(cycles) + " cycles: " + systolic::stallText(reason));
    figureLine("bottleneck", "busiest: " + std::string(systolic::resourceName(p.run.busiest)) + ", " +
                                 percent(p.run.busyFraction[static_cast<std::size_t>(p.run.busiest)]) +
                                 "; largest loss of the array: " +
                                 (p.run.largestLoss > 0 ? p.run.bottleneck + ", " +
                                                              formatGrouped(p.run.largestLoss) + " cycles (" +
                                                              percent(static_cast<double>(p.run.largestLoss) /
                                                                      static_cast<double>(p.run.cycles)) +
                                                              ")"
                                                        : "none"));
    for (const systolic::Resource r : systolic::kResources)
        figureLine("  busy: " + std::string(systolic::resourceName(r)),
                   percent(p.run.busyFraction[static_cast<std::size_t>(r)]));
    figureLine("peak L3/L2/L1", formatGrouped(p.run.peakBytes[0]) + " / " +
                                    formatGrouped(p.run.peakBytes[1]) + " / " +
                                    formatGrouped(p.run.peakBytes[2]) + " bytes");
}

void printPrograms(const std::vector<verbs::ProgramOfDataflow>& programs)
{
    Table table = verbs::programRows(programs);
    table.columns.front().title = "  program";
    for (std::vector<TableCell>& row : table.rows)
        row.front() = TableCell("  " + row.front().value.exact());
    std::cout << '\n';
    print(table);
    if (const auto fewer = verbs::osFewerOf(programs))
        std::cout << "  the program of os takes " << percent(std::abs(*fewer))
                  << (*fewer < 0 ? " more" : " fewer") << " cycles than that of ws\n";
}

/// `systolic MODEL`: one row per product of the network, and the total (docs/rules/workload.md 4.2).
struct NetworkCall
{
    std::string csv;
    std::string reports; ///< folder for reports in the format of SCALE-Sim
    std::string explain; ///< address of a figure
    bool json = false;
};

/// Prints the cycles of the network under each dataflow, DRAM included.
void printComparison(const verbs::NetworkAnswer& answer)
{
    Table table({"  dataflow", "array cycles", "DRAM bytes", "DRAM cycles", "with DRAM", "program, at least",
                 "energy nJ"});
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        const lower::NetworkRow& r = answer.dataflows[static_cast<std::size_t>(d)].total;
        table.add("  " + std::string(systolic::dataflowName(d)), r.timing.cycles, r.bytes[3], r.dramCycles,
                  r.boundCycles, r.leastCycles, std::round(r.energyPj / 1000));
    }
    std::cout << '\n';
    print(table);
    const double fewer = answer.osFewerThanWs();
    std::cout << "  os takes " << percent(std::abs(fewer)) << (fewer < 0 ? " more" : " fewer")
              << " cycles than ws at "
              << significantNumber(answer.request.hierarchy.at(systolic::Level::External).gbPerSecond)
              << " GB/s of DRAM, by the longer of array and DRAM\n";
}

Status writeReports(const std::string& folder, const lower::NetworkReports& reports)
{
    for (const auto& [name, text] : {std::pair{"COMPUTE_REPORT.csv", &reports.compute},
                                     {"BANDWIDTH_REPORT.csv", &reports.bandwidth},
                                     {"DETAILED_ACCESS_REPORT.csv", &reports.access}})
        if (const auto written = writeInFolder(folder, name, *text); !written)
            return written.error();
    return Unit{};
}

int printNetwork(const NetworkCall& call, const verbs::NetworkAnswer& answer)
{
    const lower::NetworkTable& table = answer.table;
    if (!call.csv.empty())
        if (auto s = writeFileAtomically(call.csv, lower::networkCsv(table)); !s)
            return fail(s.error());
    if (!call.reports.empty())
        if (auto s = writeReports(
                call.reports, lower::networkReports(table, answer.request.hierarchy, answer.request.timing));
            !s)
            return fail(s.error());
    const auto figure = explained(call.explain, "total.bound_cycles", [&] {
        return figures::systolicFigures(std::make_shared<const verbs::NetworkAnswer>(answer));
    });
    if (!figure)
        return fail(figure.error());
    if (call.json) {
        std::cout << withExplanation(verbs::systolicJson(answer), *figure);
        return Exit::Success;
    }
    printLensNotes(answer.notes);
    print(verbs::networkRows(answer));
    printComparison(answer);
    printExplanation(*figure);
    return Exit::Success;
}

struct SystolicArguments : verbs::SystolicCall
{
    std::string csv, trace, explain;
    std::string reports, addresses; ///< output folders
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
    addExplain(o, a.explain, "cycles, of a network total.bound_cycles",
               o.notWith(!a.pipeline.empty(), "--pipeline"));
    o.flag("--json", a.json, kJsonHelp);
}

/// Writes the SRAM address traces of the array and, with a program, the DRAM trace.
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

/// Writes the output files of one product that the arguments request.
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
    if (answer->pipeline && answer->pipeline->run.overview && (!o.trace.empty() || !o.addresses.empty()))
        return fail(Error{ErrorCode::Problem,
                          "a program of more than " + formatGrouped(systolic::kMaxWholeCommands) +
                              " commands is run by parts, without the times of its commands",
                          !o.trace.empty() ? "--trace" : "--address-traces",
                          {}});
    const auto figure = explained(o.explain, "cycles", [&] {
        return figures::productFigures(std::make_shared<const verbs::SystolicAnswer>(*answer));
    });
    if (!figure)
        return fail(figure.error());
    const std::string json = o.json || !o.csv.empty() ? verbs::systolicJson(*answer) : std::string();
    if (const Status s = writeFiles(o, *answer, json); !s)
        return fail(s.error());
    const int code = answer->interrupted ? Exit::Interrupted : Exit::Success;
    if (o.json) {
        std::cout << withExplanation(json, *figure);
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
    printExplanation(*figure);
    return code;
}

int runSystolic(const SystolicArguments& o)
{
    if (o.corrections)
        return printCorrections(o.json);
    if (!o.ofNetwork())
        return runProduct(o);
    const auto answer = verbs::systolicNetwork(o);
    return answer ? printNetwork({o.csv, o.reports, o.explain, o.json}, *answer) : fail(answer.error());
}

} // namespace

void addSystolicVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<SystolicArguments>(app, "systolic",
                                       "Cycles, utilisation and traffic of a GEMM on a systolic array",
                                       runSystolic, exitCode);
}

} // namespace tilewright::cli
