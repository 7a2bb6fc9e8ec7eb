// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic_figures.h"

#include "table.h"

#include "base/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>

namespace tilewright::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kCountedSteps = std::int64_t{1} << 24; // of bank conflicts

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

std::int64_t banksOf(const systolic::Hierarchy& h)
{
    return std::max<std::int64_t>(2, h.at(systolic::Level::L2).buffers);
}

std::int64_t movedBy(const systolic::Program& program, systolic::CommandKind kind)
{
    std::int64_t bytes = 0;
    for (const systolic::Command& c : program.commands)
        bytes += c.kind == kind ? c.bytes : 0;
    return bytes;
}

/// "A + row reuse"; of WS and IS the dataflow.
std::string scheduleWord(const systolic::Program& p)
{
    return std::string(p.options.dataflow == systolic::Dataflow::Os
                           ? systolic::l2ScheduleName(p.schedule)
                           : systolic::dataflowName(p.options.dataflow));
}

Json tileJson(const systolic::TileShape& t)
{
    return {{"Ti", t.ti}, {"Tj", t.tj}, {"Tk", t.tk}};
}

} // namespace

double SystolicFigures::utilization(const SystolicRequest& r) const
{
    return static_cast<double>(systolic::macs(r.gemm)) / static_cast<double>(r.hierarchy.array.rows) /
           static_cast<double>(r.hierarchy.array.cols) / static_cast<double>(cycles);
}

Result<SystolicFigures> systolicFigures(const SystolicRequest& r)
{
    const systolic::Hierarchy& h = r.hierarchy;
    SystolicFigures f;
    const systolic::FoldPlan plan(r.gemm, h.array, r.timing);
    if (const auto ok = systolic::checkClockWork(plan, r.supply); !ok)
        return ok.error();
    f.timing = systolic::arrayTiming(r.gemm, h.array, r.timing);
    const systolic::EdgeClock clock(plan, r.supply);
    f.stalled = clock.stalledCycles();
    f.cycles = f.timing.cycles + f.stalled;
    if (std::max(h.array.rows, h.array.cols) <= kMaxPhasesSide)
        f.phases = systolic::stalledPhases(plan.phases(), clock);
    f.edges = systolic::edgeSizes(plan, r.supply, h.elementBytes);
    const auto l2 = checkedMul(f.timing.l2Elements, h.elementBytes);
    if (!l2)
        return Error{ErrorCode::Problem, "the traffic in bytes overflows", "--gemm", {}};
    f.l2Bytes = *l2;
    f.dramQuery = systolic::dramQueryOf(h, r.gemm, r.timing.dataflow, r.tile);
    if (const auto ok = systolic::checkDramQuery(f.dramQuery); !ok)
        return ok.error();
    f.dram = systolic::dramClosedForm(f.dramQuery);

    f.l2Tile = r.tile.value_or(systolic::arrayTile(r.gemm, h.array, systolic::Dataflow::Os));
    const std::int64_t nM = ceilDiv(r.gemm.m, f.l2Tile.ti);
    const std::int64_t nN = ceilDiv(r.gemm.n, f.l2Tile.tj);
    const std::int64_t nK = ceilDiv(r.gemm.k, f.l2Tile.tk);
    auto plans = systolic::l2Schedules(r.gemm, f.l2Tile, h.elementBytes,
                                       h.at(systolic::Level::L2).totalBytes(), std::min<std::int64_t>(2, nK));
    if (!plans)
        return plans.error();
    f.plans = std::move(*plans);
    if (saturatingMul(saturatingMul(nM, nN), nK) <= kCountedSteps) {
        auto conflicts = systolic::bankConflicts({r.layout, banksOf(h), nN, nK}, nM, 0);
        if (!conflicts)
            return conflicts.error();
        f.conflicts = std::move(*conflicts);
    }
    const auto roofline = systolic::multiLevelRoofline(h, r.gemm, r.timing, r.tile);
    if (!roofline)
        return roofline.error();
    f.roofline = *roofline;
    const auto dataflows = systolic::compareDataflows(h, r.gemm, r.tile, r.timing, r.supply);
    if (!dataflows)
        return dataflows.error();
    f.dataflows = *dataflows;
    f.energy = lower::arrayEnergy(r.gemm, f.roofline, h.elementBytes, r.energy);
    return f;
}

Json systolicJson(const SystolicRequest& r, const SystolicFigures& f)
{
    Json out = {{"dataflow", systolic::dataflowName(r.timing.dataflow)},
                {"rows", r.hierarchy.array.rows},
                {"cols", r.hierarchy.array.cols},
                {"readout", systolic::readoutName(r.timing.readout)},
                {"cycles", f.cycles},
                {"folds", f.timing.folds},
                {"utilization", f.utilization(r)},
                {"mapping_efficiency", f.timing.mappingEfficiency},
                {"traffic_bytes", {{"l2", f.l2Bytes}, {"dram", f.dram.bytes()}}}};
    out["m"] = r.gemm.m;
    out["n"] = r.gemm.n;
    out["k"] = r.gemm.k;
    out["hierarchy"] = r.hierarchy.name;
    out["readout_hidden"] = f.timing.readoutHidden;
    if (!r.supply.unlimited())
        out["stalled_cycles"] = f.stalled;
    out["phases"] = f.phases ? Json{{"fill", f.phases->fill},
                                    {"steady", f.phases->steady},
                                    {"drain", f.phases->drain},
                                    {"peak_pes", f.phases->peakPes}}
                             : Json(nullptr);
    out["edges"] = {{"fifo_depth", r.supply.depth},
                    {"west_fifo_bytes", f.edges.west},
                    {"north_fifo_bytes", f.edges.north},
                    {"west_skew_elements", f.edges.westSkew},
                    {"north_skew_elements", f.edges.northSkew},
                    {"west_stream_bytes", f.edges.westStream},
                    {"north_stream_bytes", f.edges.northStream}};
    Json matrices = Json::object();
    for (const systolic::Matrix m : {systolic::Matrix::A, systolic::Matrix::B, systolic::Matrix::C})
        matrices[std::string(systolic::matrixName(m))] = {{"load_bytes", f.dram.of(m).loadBytes},
                                                          {"store_bytes", f.dram.of(m).storeBytes}};
    out["dram"] = {{"assumes", systolic::dramAssumption(f.dramQuery)},
                   {"tile", tileJson(f.dramQuery.tile)},
                   {"loops", systolic::loopOrderName(f.dramQuery.order)},
                   {"l3_bytes", f.dramQuery.l3Bytes},
                   {"matrices", std::move(matrices)},
                   {"compulsory_bytes", f.dram.compulsoryBytes}};
    const auto best = systolic::bestL2Schedule(f.plans);
    Json plans = Json::array();
    for (const systolic::L2Plan& p : f.plans)
        plans.push_back({{"schedule", systolic::l2ScheduleName(p.schedule)},
                         {"passes", p.passes},
                         {"traffic_bytes", p.trafficBytes()},
                         {"least_bytes", p.minBytes},
                         {"double_buffered_bytes", p.doubleBytes},
                         {"fits", p.fits},
                         {"best", best && best->schedule == p.schedule}});
    out["l2_schedules"] = {{"tile", tileJson(f.l2Tile)}, {"of", std::move(plans)}};
    out["bank_conflicts"] = {{"layout", layoutWord(r.layout)},
                             {"banks", banksOf(r.hierarchy)},
                             {"count", f.conflicts ? Json(f.conflicts->count) : Json(nullptr)},
                             {"steps", f.conflicts ? Json(f.conflicts->steps) : Json(nullptr)}};
    Json levels = Json::array();
    for (const systolic::RooflinePoint& p : f.roofline.points)
        levels.push_back({{"level", levelWord(p.level)},
                          {"bytes", p.bytes},
                          {"flop_per_byte", p.intensity},
                          {"roof_gflops", p.roofGflops}});
    out["roofline"] = {{"peak_gflops", f.roofline.peakGflops},
                       {"array_gflops", f.roofline.arrayGflops},
                       {"attainable_gflops", f.roofline.attainableGflops},
                       {"binding", f.roofline.binding},
                       {"levels", std::move(levels)},
                       {"no_reuse",
                        {{"flop_per_byte", f.roofline.naive.intensity},
                         {"bytes", f.roofline.naive.bytes},
                         {"roof_gflops", f.roofline.naive.roofGflops}}}};
    out["energy_pj"] = {{"total", f.energy.total()}, {"mac", f.energy.mac}, {"rf", f.energy.rf},
                        {"noc", f.energy.noc},       {"spm", f.energy.spm}, {"dram", f.energy.dram}};
    Json dataflows = Json::array();
    for (const systolic::DataflowTime& t : f.dataflows.of)
        dataflows.push_back({{"dataflow", systolic::dataflowName(t.dataflow)},
                             {"array_cycles", t.arrayCycles},
                             {"dram_bytes", t.dramBytes},
                             {"dram_cycles", t.dramCycles},
                             {"total_cycles", t.totalCycles}});
    out["dataflows"] = std::move(dataflows);
    out["os_fewer_than_ws"] = f.dataflows.osFewerThanWs;
    out["dram_gb_per_s"] = r.hierarchy.at(systolic::Level::External).gbPerSecond;
    return out;
}

void printSystolicFigures(const SystolicRequest& r, const SystolicFigures& f, const std::string& note)
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

void printSystolicContext(const SystolicRequest& r, const SystolicFigures& f)
{
    Table plans({"  L2 schedule, os, tile " + tileText(f.l2Tile), "traffic bytes", "L2 least",
                 "double-buffered", ""});
    const auto best = systolic::bestL2Schedule(f.plans);
    for (const systolic::L2Plan& p : f.plans)
        plans.add({(best && best->schedule == p.schedule ? "> " : "  ") +
                       std::string(systolic::l2ScheduleName(p.schedule)),
                   formatGrouped(p.trafficBytes()), formatGrouped(p.minBytes), formatGrouped(p.doubleBytes),
                   p.fits ? "" : "does not fit"});
    std::cout << '\n';
    plans.print(std::cout);
    if (f.conflicts)
        std::cout << "\nbank conflicts      " << formatGrouped(f.conflicts->count) << " of "
                  << formatGrouped(f.conflicts->steps) << " steps, " << layoutWord(r.layout) << " layout, "
                  << formatGrouped(banksOf(r.hierarchy)) << " banks\n";
    std::cout << "\nroofline            " << formatGrouped(std::round(f.roofline.attainableGflops)) << " of "
              << formatGrouped(std::round(f.roofline.peakGflops)) << " GFLOP/s, bound by "
              << f.roofline.binding << '\n';
    Table levels({"  level", "bytes", "FLOP/byte", "roof GFLOP/s"});
    for (const systolic::RooflinePoint& p : f.roofline.points)
        levels.add({"  " + levelWord(p.level), formatGrouped(p.bytes), significantNumber(p.intensity),
                    formatGrouped(std::round(p.roofGflops))});
    levels.add({"  no reuse", formatGrouped(f.roofline.naive.bytes),
                significantNumber(f.roofline.naive.intensity),
                formatGrouped(std::round(f.roofline.naive.roofGflops))});
    levels.print(std::cout);
    Table dataflows({"  dataflow", "array cycles", "DRAM bytes", "DRAM cycles", "longer of both"});
    for (const systolic::DataflowTime& t : f.dataflows.of)
        dataflows.add({"  " + std::string(systolic::dataflowName(t.dataflow)), formatGrouped(t.arrayCycles),
                       formatGrouped(t.dramBytes), formatGrouped(t.dramCycles),
                       formatGrouped(t.totalCycles)});
    std::cout << '\n';
    dataflows.print(std::cout);
    const double fewer = f.dataflows.osFewerThanWs;
    std::cout << "  os takes " << percent(std::abs(fewer)) << (fewer < 0 ? " more" : " fewer")
              << " cycles than ws at "
              << significantNumber(r.hierarchy.at(systolic::Level::External).gbPerSecond)
              << " GB/s of DRAM\n";
}

void addPipelineJson(Json& out, const SystolicPipeline& p)
{
    auto events = Json::array();
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
    out["stalls"] = Json::object();
    for (const auto& [reason, cycles] : p.run.stalls)
        out["stalls"][reason] = cycles;
    out["compute_cycles"] = p.run.computeCycles;
    out["bottleneck"] = p.run.bottleneck;
    out["largest_loss"] = {{"reason", p.run.bottleneck}, {"cycles", p.run.largestLoss}};
    out["busiest"] = {{"resource", systolic::resourceName(p.run.busiest)},
                      {"busy", p.run.busyFraction[static_cast<std::size_t>(p.run.busiest)]}};
    out["busy"] = Json::object();
    for (const systolic::Resource r : systolic::kResources)
        out["busy"][std::string(systolic::resourceName(r))] = p.run.busyFraction[static_cast<std::size_t>(r)];
    const auto moved = [&](systolic::CommandKind kind) { return movedBy(p.program, kind); };
    out["program"] = {{"commands", p.program.commands.size()},
                      {"tile", tileJson(p.program.tile)},
                      {"depth", p.program.options.depth},
                      {"schedule", scheduleWord(p.program)},
                      {"dataflow", systolic::dataflowName(p.program.options.dataflow)},
                      {"spills_to_dram", p.program.spillsC},
                      {"passes", p.program.passes},
                      {"reason", p.program.reason},
                      {"dram_bytes", dramBytesOf(p.program)},
                      {"l3_to_l2_bytes", moved(systolic::CommandKind::BmMove)},
                      {"partial_sum_bytes", moved(systolic::CommandKind::StrFeedPartial)}};
    out["peak_bytes"] = {{"l3", p.run.peakBytes[0]}, {"l2", p.run.peakBytes[1]}, {"l1", p.run.peakBytes[2]}};
}

void printPipeline(const SystolicPipeline& p)
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

std::int64_t dramBytesOf(const systolic::Program& p)
{
    return movedBy(p, systolic::CommandKind::DmaLoad) + movedBy(p, systolic::CommandKind::DmaPrefetch) +
           movedBy(p, systolic::CommandKind::DmaStore);
}

void addProgramsJson(Json& out, const std::vector<ProgramOfDataflow>& programs)
{
    out["program_dataflows"] = Json::array();
    for (const ProgramOfDataflow& p : programs)
        out["program_dataflows"].push_back(
            p.refusal.empty()
                ? Json{{"dataflow", systolic::dataflowName(p.dataflow)},
                       {"schedule", p.schedule},
                       {"cycles", p.cycles},
                       {"array_busy", p.arrayBusy},
                       {"dram_bytes", p.dramBytes}}
                : Json{{"dataflow", systolic::dataflowName(p.dataflow)}, {"refusal", p.refusal}});
}

void printPrograms(const std::vector<ProgramOfDataflow>& programs)
{
    Table table({"  program", "cycles", "array fed", "DRAM bytes", ""});
    for (const ProgramOfDataflow& p : programs) {
        const std::string name = "  " + std::string(systolic::dataflowName(p.dataflow));
        if (p.refusal.empty())
            table.add({name, formatGrouped(p.cycles), formatGrouped(p.arrayBusy), formatGrouped(p.dramBytes),
                       p.schedule});
        else
            table.add({name, "", "", "", p.refusal});
    }
    std::cout << '\n';
    table.print(std::cout);
    const ProgramOfDataflow& os = programs[0];
    const ProgramOfDataflow& ws = programs[1];
    if (os.refusal.empty() && ws.refusal.empty() && ws.cycles > 0) {
        const double fewer = 1 - static_cast<double>(os.cycles) / static_cast<double>(ws.cycles);
        std::cout << "  the program of os takes " << percent(std::abs(fewer))
                  << (fewer < 0 ? " more" : " fewer") << " cycles than that of ws\n";
    }
}

std::string flatCsv(const Json& document)
{
    std::string out = "field,value\n";
    const auto add = [&](const auto& self, const Json& value, const std::string& path) -> void {
        const std::string before = path.empty() ? path : path + ".";
        if (value.is_object()) {
            for (const auto& [key, inner] : value.items())
                self(self, inner, before + key);
        } else if (value.is_array()) {
            for (std::size_t i = 0; i < value.size(); ++i)
                self(self, value[i], before + std::to_string(i));
        } else {
            out += csvField(path) + "," +
                   (value.is_string() ? csvField(value.get<std::string>()) : value.dump()) + "\n";
        }
    };
    add(add, document, {});
    return out;
}

} // namespace tilewright::cli
