// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic_figures.h"

#include "table.h"

#include "base/text.h"

#include <cmath>
#include <iomanip>
#include <iostream>

namespace tilewright::cli {

using verbs::kMaxPhasesSide;

namespace {

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

} // namespace

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

void printSystolicContext(const verbs::SystolicRequest& r, const verbs::SystolicFigures& f)
{
    Table plans({"  L2 schedule, os, tile " + tileText(f.l2.tile), "traffic bytes", "L2 least",
                 "double-buffered", ""});
    const auto best = systolic::bestL2Schedule(f.l2.plans);
    for (const systolic::L2Plan& p : f.l2.plans)
        plans.add((best && best->schedule == p.schedule ? "> " : "  ") +
                      std::string(systolic::l2ScheduleName(p.schedule)),
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
    Table levels({"  level", "bytes", "FLOP/byte", "roof GFLOP/s"});
    for (const systolic::RooflinePoint& p : f.roofline.points)
        levels.add(
            {"  " + levelWord(p.level), p.bytes, significantNumber(p.intensity), std::round(p.roofGflops)});
    levels.add("  no reuse", f.roofline.naive.bytes, significantNumber(f.roofline.naive.intensity),
               std::round(f.roofline.naive.roofGflops));
    print(levels);
    Table dataflows({"  dataflow", "array cycles", "DRAM bytes", "DRAM cycles", "longer of both"});
    for (const systolic::DataflowTime& t : f.dataflows.of)
        dataflows.add("  " + std::string(systolic::dataflowName(t.dataflow)), t.arrayCycles, t.dramBytes,
                      t.dramCycles, t.totalCycles);
    std::cout << '\n';
    print(dataflows);
    const double fewer = f.dataflows.osFewerThanWs;
    std::cout << "  os takes " << percent(std::abs(fewer)) << (fewer < 0 ? " more" : " fewer")
              << " cycles than ws at "
              << significantNumber(r.hierarchy.at(systolic::Level::External).gbPerSecond)
              << " GB/s of DRAM\n";
}

void printPipeline(const verbs::SystolicPipeline& p)
{
    figureLine("program",
               formatGrouped(p.program.commands.size()) + " commands, tile " + tileText(p.program.tile) +
                   (p.program.options.dataflow == systolic::Dataflow::Os ? ", k steps of " : ", steps of ") +
                   formatGrouped(p.program.options.depth) + ", " + systolic::programScheduleText(p.program));
    if (!p.program.reason.empty())
        figureLine("", p.program.reason);
    figureLine("array fed",
               formatGrouped(p.run.arrayBusy) + " of " + formatGrouped(p.run.cycles) + " cycles");
    for (const auto& [reason, cycles] : p.run.stalls)
        figureLine("  lost: " + reason, formatGrouped(cycles) + " cycles");
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
    Table table({"  program", "cycles", "array fed", "DRAM bytes", ""});
    for (const verbs::ProgramOfDataflow& p : programs) {
        const std::string name = "  " + std::string(systolic::dataflowName(p.dataflow));
        if (p.refusal.empty())
            table.add(name, p.cycles, p.arrayBusy, p.dramBytes, p.schedule);
        else
            table.add(name, "", "", "", p.refusal);
    }
    std::cout << '\n';
    print(table);
    const verbs::ProgramOfDataflow& os = programs[0];
    const verbs::ProgramOfDataflow& ws = programs[1];
    if (os.refusal.empty() && ws.refusal.empty() && ws.cycles > 0) {
        const double fewer = 1 - static_cast<double>(os.cycles) / static_cast<double>(ws.cycles);
        std::cout << "  the program of os takes " << percent(std::abs(fewer))
                  << (fewer < 0 ? " more" : " fewer") << " cycles than that of ws\n";
    }
}

} // namespace tilewright::cli
