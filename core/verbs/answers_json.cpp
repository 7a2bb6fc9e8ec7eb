// SPDX-License-Identifier: GPL-3.0-or-later
// Answers of the verbs solve, tile and systolic as JSON.
#include "base/constraint_cost_json.h"
#include "base/json_document.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "report/json_evaluation.h"
#include "snapshot/snapshot.h"
#include "systolic/roofline.h"
#include "verbs/fit.h"
#include "verbs/schedule.h"
#include "verbs/systolic.h"
#include "verbs/tile.h"

namespace tilewright {

std::string evaluationJson(const Snapshot& snapshot, std::string_view rulesReason,
                           const verbs::ConstraintCheck& check)
{
    Json out = evaluationDocument(snapshot, rulesReason);
    out["constraints"] = Json::array();
    for (std::size_t i = 0; i < check.constraints.size(); ++i) {
        Json broken = Json::array();
        for (const ConstraintViolation& v : check.violations)
            if (v.number == i)
                broken.push_back({{"subgraph", v.subgraph.index()}, {"message", v.text}});
        out["constraints"].push_back({{"constraint", constraintText(*snapshot.problem, check.constraints, i)},
                                      {"kept", broken.empty()},
                                      {"violations", std::move(broken)}});
    }
    return dumpByField(out);
}

std::string solveResultJson(const ProblemPtr& problem, const SolveResult& result, const Rules& rules,
                            const std::optional<RunFinish>& finish)
{
    const SnapshotPtr snapshot = takeSnapshot(problem, result.schedule, rules, result.lowerBound, 0);
    Json out = evaluationDocument(*snapshot, "the solver optimises for one rule set");
    out["seconds"] = result.seconds;
    out["evaluations"] = result.evaluations;
    Json curve = Json::array();
    for (const auto& [seconds, total] : result.curve)
        curve.push_back(Json::array({seconds, jsonNumber(total)}));
    out["curve"] = std::move(curve);
    out["start_latency"] = jsonNumber(result.startTotal);
    out["gap"] = result.gap();
    if (problem->hasEnergy()) {
        out["objective"] = kObjectiveNames[static_cast<std::size_t>(result.objective)];
        out["front"] = Json::array();
        for (const FrontPoint& p : result.front)
            out["front"].push_back({{"latency", jsonNumber(p.latency)}, {"energy_pj", jsonNumber(p.energy)}});
    }
    out["proven_optimal"] = result.provenOptimal;
    out["proven_space"] = result.provenOptimal ? Json(result.provenSpace) : Json(nullptr);
    out["search_steps"] = result.steps;
    out["lookups"] = result.lookups;
    if (!result.constraintCosts.empty())
        out["constraint_costs"] = constraintCostsJson(result.constraintCosts);
    if (finish) {
        Json retiled = Json::array();
        for (const SubgraphId i : finish->retiled)
            retiled.push_back(i.index());
        out["finish"] = {{"run_end", jsonNumber(finish->end)},
                         {"run_end_before", jsonNumber(finish->endBefore)},
                         {"latency_before", jsonNumber(finish->latencyBefore)},
                         {"runs", finish->runs},
                         {"retiled", std::move(retiled)}};
    }
    return dumpByField(out);
}

} // namespace tilewright

namespace tilewright::verbs {

std::string tileJson(const TileAnswer& a)
{
    const systolic::TileQuery& q = a.query;
    const systolic::TileChoice& c = a.choice;
    const systolic::Hierarchy& h = a.hierarchy;
    Json out = {{"method", a.given ? "given" : systolic::tileMethodName(c.method)},
                {"Ti", c.tile.ti},
                {"Tj", c.tile.tj},
                {"Tk", c.tile.tk},
                {"fits", c.fits},
                {"footprint_elements", c.footprintElements},
                {"dram_bytes", a.bytes},
                {"points_visited", c.pointsVisited},
                {"space_reduction", c.spaceReduction}};
    out["rows"] = q.array.rows;
    out["cols"] = q.array.cols;
    out["capacity_elements"] = q.cap();
    out["footprint"] = systolic::footprintName(q.footprint);
    out["elements"] = c.elements;
    if (const auto best = systolic::exhaustiveTile(q))
        out["above_optimum"] = static_cast<double>(c.elements) / static_cast<double>(best->elements) - 1;
    const systolic::ReuseFactors f = a.reuse();
    out["reuse"] = {{"A", f.a}, {"B", f.b}, {"C", f.c}};
    out["constraints"] = Json::array();
    for (const systolic::Constraint& k : a.constraints())
        out["constraints"].push_back({{"name", k.name},
                                      {"used", k.used},
                                      {"available", k.available},
                                      {"unit", k.unit},
                                      {"limit", k.limit},
                                      {"fits", k.fits()}});
    if (const auto levels = a.threeLevels()) {
        out["levels"] = Json::array();
        for (const systolic::LevelTile& t : levels->level)
            out["levels"].push_back({{"level", systolic::levelName(t.level)},
                                     {"Ti", t.tile.ti},
                                     {"Tj", t.tile.tj},
                                     {"Tk", t.tile.tk},
                                     {"used_bytes", t.usedBytes},
                                     {"capacity_bytes", t.capacityBytes},
                                     {"traffic_bytes", t.trafficBytes}});
    }
    out["dram_by_dataflow"] = Json::array();
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        const systolic::DramQuery dram = systolic::dramQueryOf(h, q.gemm, d, c.tile);
        if (systolic::checkDramQuery(dram))
            out["dram_by_dataflow"].push_back({{"dataflow", systolic::dataflowName(d)},
                                               {"bytes", systolic::dramClosedForm(dram).bytes()},
                                               {"assumes", systolic::dramAssumption(dram)}});
    }
    if (a.adaptive)
        out["adaptive"] = {
            {"bytes", a.adaptive->bytes},
            {"row_by_row", a.adaptive->perRow},
            {"best_fixed", systolic::dataflowName(a.adaptive->bestFixed)},
            {"saving",
             {{"os", a.adaptive->saving[0]}, {"ws", a.adaptive->saving[1]}, {"is", a.adaptive->saving[2]}}}};
    return jsonText(out, 2) + "\n";
}

std::string tileJson(const std::vector<LayerTile>& tiles)
{
    Json rows = Json::array();
    for (const LayerTile& t : tiles)
        rows.push_back({{"operators", t.layer.operators},
                        {"m", t.layer.gemm.m},
                        {"n", t.layer.gemm.n},
                        {"k", t.layer.gemm.k},
                        {"count", t.layer.count},
                        {"Ti", t.choice.tile.ti},
                        {"Tj", t.choice.tile.tj},
                        {"Tk", t.choice.tile.tk},
                        {"fits", t.choice.fits},
                        {"footprint_elements", t.choice.footprintElements},
                        {"dram_bytes", t.bytes}});
    return jsonText(rows, 2) + "\n";
}

namespace {

std::string levelWord(systolic::Level level)
{
    return level == systolic::Level::External ? "dram" : std::string(systolic::levelName(level));
}

std::string layoutWord(systolic::BankLayout layout)
{
    return layout == systolic::BankLayout::Seed ? "seed" : "split";
}

/// Text of the schedule of a program: "A + row reuse"; for WS and IS, the dataflow.
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

Json paddingJson(const lower::ArrayPadding& p)
{
    Json out{{"macs", p.macs}, {"idle_pes", p.idlePes}};
    if (p.added) {
        out["m"] = p.added->m;
        out["n"] = p.added->n;
        out["k"] = p.added->k;
    }
    return out;
}

Json figuresJson(const SystolicRequest& r, const SystolicFigures& f)
{
    Json out = {{"dataflow", systolic::dataflowName(r.timing.dataflow)},
                {"rows", r.hierarchy.array.rows},
                {"cols", r.hierarchy.array.cols},
                {"readout", systolic::readoutName(r.timing.readout)},
                {"cycles", f.cycles},
                {"folds", f.timing.folds},
                {"utilization", f.utilization(r)},
                {"mapping_efficiency", f.timing.mappingEfficiency},
                {"padding", paddingJson(f.padding)},
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
    const auto best = systolic::bestL2Schedule(f.l2.plans);
    Json plans = Json::array();
    for (const systolic::L2Plan& p : f.l2.plans)
        plans.push_back({{"schedule", systolic::l2ScheduleName(p.schedule)},
                         {"passes", p.passes},
                         {"traffic_bytes", p.trafficBytes()},
                         {"least_bytes", p.minBytes},
                         {"double_buffered_bytes", p.doubleBytes},
                         {"fits", p.fits},
                         {"best", best && best->schedule == p.schedule}});
    out["l2_schedules"] = {{"tile", tileJson(f.l2.tile)}, {"of", std::move(plans)}};
    out["bank_conflicts"] = {{"layout", layoutWord(r.layout)},
                             {"banks", f.l2.banks},
                             {"count", f.conflicts ? Json(f.conflicts->count) : Json(nullptr)},
                             {"steps", f.conflicts ? Json(f.conflicts->steps) : Json(nullptr)}};
    Json levels = Json::array();
    for (const systolic::RooflinePoint& p : f.roofline.points)
        levels.push_back({{"level", levelWord(p.level)},
                          {"bytes", p.bytes},
                          {"port_bytes", p.portBytes},
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
    for (std::size_t d = 0; d < f.dataflows.of.size(); ++d) {
        const systolic::DataflowTime& t = f.dataflows.of[d];
        const auto& program = f.dataflows.programCycles[d];
        dataflows.push_back({{"dataflow", systolic::dataflowName(t.dataflow)},
                             {"array_cycles", t.arrayCycles},
                             {"dram_bytes", t.dramBytes},
                             {"dram_cycles", t.dramCycles},
                             {"total_cycles", t.totalCycles},
                             {"program_cycles", program ? Json(*program) : Json(nullptr)}});
    }
    out["dataflows"] = std::move(dataflows);
    const auto fewer = f.dataflows.osFewer();
    out["os_fewer_than_ws"] = fewer ? Json(*fewer) : Json(nullptr);
    out["os_fewer_than_ws_by"] = f.dataflows.comparedBy();
    out["dram_gb_per_s"] = r.hierarchy.at(systolic::Level::External).gbPerSecond;
    return out;
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
    out["program"] = {{"commands", p.program.length},
                      {"tile", tileJson(p.program.tile)},
                      {"depth", p.program.options.depth},
                      {"schedule", scheduleWord(p.program)},
                      {"dataflow", systolic::dataflowName(p.program.options.dataflow)},
                      {"spills_to_dram", p.program.spillsC},
                      {"passes", p.program.passes},
                      {"reason", p.program.reason},
                      {"dram_bytes", dramBytesOf(p.program)},
                      {"l2_bytes", l2BytesOf(p.program)},
                      {"l3_to_l2_bytes", moved(systolic::CommandKind::BmMove)},
                      {"partial_sum_bytes", moved(systolic::CommandKind::StrFeedPartial)}};
    out["peak_bytes"] = {{"l3", p.run.peakBytes[0]}, {"l2", p.run.peakBytes[1]}, {"l1", p.run.peakBytes[2]}};
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

Json rowJson(const lower::NetworkRow& r)
{
    return {
        {"operators", r.layer.operators},
        {"m", r.layer.gemm.m},
        {"n", r.layer.gemm.n},
        {"k", r.layer.gemm.k},
        {"count", r.layer.count},
        {"cycles", r.timing.cycles},
        {"utilization", r.timing.utilization},
        {"mapping_efficiency", r.timing.mappingEfficiency},
        {"padding", paddingJson(r.padding)},
        {"traffic_bytes", {{"l1", r.bytes[0]}, {"l2", r.bytes[1]}, {"l3", r.bytes[2]}, {"dram", r.bytes[3]}}},
        {"dram_cycles", r.dramCycles},
        {"bound_cycles", r.boundCycles},
        {"binding", r.binding},
        {"energy_pj", r.energyPj}};
}

} // namespace

std::string systolicJson(const SystolicAnswer& answer)
{
    Json out = figuresJson(answer.request, answer.figures);
    if (answer.interrupted) // the cycles of an interrupted simulation are those of the closed form
        out["interrupted"] = true;
    if (answer.pipeline)
        addPipelineJson(out, *answer.pipeline);
    if (!answer.programs.empty())
        addProgramsJson(out, answer.programs);
    return jsonText(out, 2) + "\n";
}

std::string withNotes(const std::string& json, const std::vector<std::string>& notes)
{
    Json out = parsedJson(json);
    if (notes.empty() || !out.is_object())
        return json;
    out["notes"] = notes;
    return jsonText(out, 2) + "\n";
}

std::string systolicJson(const NetworkAnswer& answer)
{
    Json rows = Json::array();
    for (const lower::NetworkRow& row : answer.table.rows)
        rows.push_back(rowJson(row));
    Json total = rowJson(answer.table.total);
    for (const char* key : {"operators", "m", "n", "k"})
        total.erase(key);
    Json compared = Json::array();
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        const lower::NetworkRow& r = answer.dataflows[static_cast<std::size_t>(d)].total;
        compared.push_back({{"dataflow", systolic::dataflowName(d)},
                            {"array_cycles", r.timing.cycles},
                            {"dram_bytes", r.bytes[3]},
                            {"dram_cycles", r.dramCycles},
                            {"total_cycles", r.boundCycles},
                            {"program_cycles_at_least", r.leastCycles},
                            {"energy_pj", r.energyPj}});
    }
    Json out = {{"name", answer.name},
                {"macs", answer.table.macs},
                {"layers", std::move(rows)},
                {"total", std::move(total)},
                {"dataflows", std::move(compared)},
                {"os_fewer_than_ws", answer.osFewerThanWs()},
                {"dram_gb_per_s", answer.request.hierarchy.at(systolic::Level::External).gbPerSecond}};
    return withNotes(jsonText(out, 2) + "\n", answer.notes);
}

std::string flatCsv(const std::string& document)
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
                   (value.is_string() ? csvField(value.get<std::string>()) : jsonText(value)) + "\n";
        }
    };
    add(add, parsedJson(document), {});
    return out;
}

std::string tableCsv(const std::string& document)
{
    std::string out;
    for (const Json& row : parsedJson(document)) {
        std::string head, line;
        for (const auto& [name, value] : row.items()) {
            std::string cell = value.is_string() ? value.get<std::string>() : jsonText(value);
            if (value.is_array()) {
                cell.clear();
                for (const auto& part : value)
                    cell.append(cell.empty() ? "" : " ").append(part.get<std::string>());
            }
            head.append(head.empty() ? "" : ",").append(name);
            line.append(line.empty() ? "" : ",").append(csvField(cell));
        }
        if (out.empty())
            out.append(head).append("\n");
        out.append(line).append("\n");
    }
    return out;
}

std::string FitAnswer::json() const
{
    Json fitted = Json::array();
    for (const FittedValue& v : values)
        fitted.push_back({{"field", v.path},
                          {"before", jsonNumber(v.before)},
                          {"after", jsonNumber(v.after)},
                          {"determined", v.isDetermined}});
    Json out{{"rows", after.rows},
             {"values", std::move(fitted)},
             {"error_before", jsonNumber(before.error)},
             {"error_after", jsonNumber(after.error)},
             {"error_left_out", fit.interrupted ? Json() : jsonNumber(fit.errorLeftOut)},
             {"spearman_after", jsonNumber(after.spearman)},
             {"evaluations", fit.evaluations},
             {"machine", parsedJson(writeMachine(machine))}};
    if (fit.interrupted)
        out["interrupted"] = true;
    return dumpByField(out);
}

} // namespace tilewright::verbs
