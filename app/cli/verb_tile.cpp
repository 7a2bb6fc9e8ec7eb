// SPDX-License-Identifier: GPL-3.0-or-later
#include "interrupt.h"
#include "systolic_figures.h"
#include "table.h"
#include "verbs.h"
#include "workload_input.h"

#include "base/file.h"
#include "base/text.h"
#include "systolic/dram_traffic.h"
#include "systolic/hierarchy.h"
#include "systolic/learned_tile.h"
#include "systolic/roofline.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <iomanip>
#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct TileCall
{
    std::string gemm;
    std::string array = "16x16";
    std::string footprint = "conservative";
    std::string method = "exhaustive";
    std::string hierarchy;
    std::string workload;
    std::string layer, csv;
    WorkloadArguments machine;
    std::string level = "l2-buffer";
    std::string tile;
    std::vector<std::int64_t> levelBuffers, levelBuffering; ///< of L3, L2, L1
    std::int64_t capacity = 64 * 1024;
    std::int64_t elementBytes = 4;
    std::int64_t buffering = 1;
    std::string trainingFile;
    bool heldOut = false;
    bool json = false;
    bool capacityGiven = false;
    bool arrayGiven = false;
    bool elementGiven = false;
};

/// Capacity of "l3", "l2", "l1" (all buffers) or "l3-buffer" ... (one of them).
Result<std::int64_t> levelCapacity(const systolic::Hierarchy& h, const std::string& name)
{
    for (const systolic::Level level : {systolic::Level::L3, systolic::Level::L2, systolic::Level::L1}) {
        if (name == systolic::levelName(level))
            return h.at(level).totalBytes();
        if (name == std::string(systolic::levelName(level)) + "-buffer")
            return h.at(level).bytes;
    }
    return Error{ErrorCode::Problem,
                 "expected l3, l2, l1, l3-buffer, l2-buffer or l1-buffer, got \"" + name + "\"",
                 "--level",
                 {}};
}

void printHeldOut()
{
    const systolic::LearnedQuality q = systolic::measureLearned(1000, systolic::kTrainingSeed + 1, {16, 16});
    constexpr int kTimed = 500;
    systolic::TileQuery query{{1, 777, 1234}, {16, 16}};
    const auto begin = std::chrono::steady_clock::now();
    for (query.gemm.m = 1; query.gemm.m <= kTimed; ++query.gemm.m)
        (void)systolic::learnedTile(query);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
    std::cerr << "learned selector, " << q.cases << " held-out GEMMs: " << percent(q.share())
              << " within 10 % of the optimum, "
              << percent(static_cast<double>(q.optimal) / static_cast<double>(q.cases))
              << " optimal, mean ratio " << significantNumber(q.meanRatio, 4) << ", worst "
              << significantNumber(q.worstRatio, 4) << ", " << significantNumber(spent.count() / kTimed)
              << " us a choice\n";
}

/// False when it was interrupted; all but the last part is printed then.
bool printText(const systolic::TileQuery& q, const systolic::TileChoice& c, const systolic::Hierarchy& h,
               const systolic::ThreeLevelOptions& levelOptions, bool given)
{
    const InterruptGuard interrupt;
    const auto line = [](const std::string& name, const std::string& value) {
        std::cout << std::left << std::setw(20) << name << value << '\n';
    };
    line("array", formatGrouped(q.array.rows) + " x " + formatGrouped(q.array.cols) + " PEs");
    line("method", given ? "given" : std::string(systolic::tileMethodName(c.method)));
    line("tile Ti x Tj x Tk",
         formatGrouped(c.tile.ti) + " x " + formatGrouped(c.tile.tj) + " x " + formatGrouped(c.tile.tk));
    line("footprint", formatGrouped(c.footprintElements) + " of " + formatGrouped(q.cap()) + " elements (" +
                          std::string(systolic::footprintName(q.footprint)) + ")" +
                          (c.fits ? "" : ", does not fit"));
    line("traffic", formatGrouped(c.elements) + " elements, " +
                        formatGrouped(saturatingMul(c.elements, q.elementBytes)) +
                        " bytes into the level (A read once for every Tj, B for every Ti, C once)");
    if (const auto best = systolic::exhaustiveTile(q);
        best && (given || c.method != systolic::TileMethod::Exhaustive))
        line("above the optimum",
             percent(static_cast<double>(c.elements) / static_cast<double>(best->elements) - 1));
    line("points visited", formatGrouped(c.pointsVisited) + " (space reduced " +
                               formatGrouped(std::round(c.spaceReduction)) + " times)");
    const systolic::ReuseFactors f = systolic::reuseFactors(q.gemm, c.tile);
    line("reuse A, B, C", formatGrouped(f.a) + ", " + formatGrouped(f.b) + ", " + formatGrouped(f.c));
    std::cout << "\nused / available (" << h.name << ")\n";
    for (const systolic::Constraint& k : systolic::tileConstraints(h, q.gemm, c.tile))
        std::cout << "  " << (k.fits() ? "ok   " : "over ") << std::setw(50) << k.name
                  << formatGrouped(k.used) << " / " << formatGrouped(k.available) << ' ' << k.unit
                  << (k.limit.empty() ? "" : "; " + k.limit) << '\n';
    if (const auto levels = systolic::threeLevelTiling(h, q.gemm, levelOptions)) {
        std::cout
            << "\nthree levels (each inside the one above; traffic without reuse between tiles of the level "
               "above)\n";
        for (const systolic::LevelTile& t : levels->level)
            std::cout << "  " << std::setw(5) << systolic::levelName(t.level) << formatGrouped(t.tile.ti)
                      << " x " << formatGrouped(t.tile.tj) << " x " << formatGrouped(t.tile.tk) << ", "
                      << formatGrouped(t.usedBytes) << " / " << formatGrouped(t.capacityBytes)
                      << " bytes, traffic into it " << formatGrouped(t.trafficBytes) << " bytes\n";
    }
    systolic::DramQuery dram = systolic::dramQueryOf(h, q.gemm, systolic::Dataflow::Os, c.tile);
    std::cout << std::flush; // the rest may take long
    if (const auto adaptive = systolic::adaptiveStationary(dram, {interrupt.token(), {}})) {
        std::cout << "\nDRAM traffic with residency in L3, by dataflow (" << systolic::dramAssumption(dram)
                  << ")\n";
        for (const systolic::Dataflow d :
             {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
            const auto i = static_cast<std::size_t>(d);
            std::cout << "  " << std::setw(5) << systolic::dataflowName(d)
                      << formatGrouped(adaptive->fixedBytes[i]) << " bytes; adaptive saves "
                      << percent(adaptive->saving[i]) << '\n';
        }
        std::cout << "  adaptive " << formatGrouped(adaptive->bytes) << " bytes ("
                  << (adaptive->perRow ? "chosen row by row"
                                       : "all " + std::string(systolic::dataflowName(adaptive->bestFixed)))
                  << ")\n";
    }
    return !interrupt.token().stop_requested();
}

/// What the text says beside the tile itself; false when it was interrupted and the last part is missing.
bool addContext(nlohmann::ordered_json& out, const systolic::TileQuery& q, const systolic::TileChoice& c,
                const systolic::Hierarchy& h, const systolic::ThreeLevelOptions& levelOptions)
{
    using Json = nlohmann::ordered_json;
    out["rows"] = q.array.rows;
    out["cols"] = q.array.cols;
    out["capacity_elements"] = q.cap();
    out["footprint"] = systolic::footprintName(q.footprint);
    out["elements"] = c.elements;
    if (const auto best = systolic::exhaustiveTile(q))
        out["above_optimum"] = static_cast<double>(c.elements) / static_cast<double>(best->elements) - 1;
    const systolic::ReuseFactors f = systolic::reuseFactors(q.gemm, c.tile);
    out["reuse"] = {{"A", f.a}, {"B", f.b}, {"C", f.c}};
    out["constraints"] = Json::array();
    for (const systolic::Constraint& k : systolic::tileConstraints(h, q.gemm, c.tile))
        out["constraints"].push_back({{"name", k.name},
                                      {"used", k.used},
                                      {"available", k.available},
                                      {"unit", k.unit},
                                      {"limit", k.limit},
                                      {"fits", k.fits()}});
    if (const auto levels = systolic::threeLevelTiling(h, q.gemm, levelOptions)) {
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
    const InterruptGuard interrupt;
    const systolic::DramQuery dram = systolic::dramQueryOf(h, q.gemm, systolic::Dataflow::Os, c.tile);
    if (const auto adaptive = systolic::adaptiveStationary(dram, {interrupt.token(), {}}))
        out["adaptive"] = {
            {"bytes", adaptive->bytes},
            {"row_by_row", adaptive->perRow},
            {"best_fixed", systolic::dataflowName(adaptive->bestFixed)},
            {"saving",
             {{"os", adaptive->saving[0]}, {"ws", adaptive->saving[1]}, {"is", adaptive->saving[2]}}}};
    return !interrupt.token().stop_requested();
}

/// The hierarchy of a file, of the machine, or nothing when neither is named.
Result<std::optional<systolic::Hierarchy>> hierarchyOf(const TileCall& o)
{
    std::optional<systolic::Hierarchy> out;
    if (o.machine.given() || (!o.workload.empty() && o.hierarchy.empty())) {
        const auto machine = o.machine.load();
        if (!machine)
            return machine.error();
        out = lower::hierarchyOf(*machine);
    } else if (!o.hierarchy.empty()) {
        const auto read = systolic::readHierarchy(o.hierarchy);
        if (!read)
            return read.error();
        out = *read;
    }
    return out;
}

/// A row an element; the columns are those of the first.
std::string tableCsv(const nlohmann::ordered_json& rows)
{
    std::string out;
    for (const auto& row : rows) {
        std::string head, line;
        for (const auto& [name, value] : row.items()) {
            std::string cell = value.is_string() ? value.get<std::string>() : value.dump();
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

/// A row a product of the network.
int tileNetwork(const TileCall& o, systolic::TileQuery q, systolic::TileMethod method)
{
    const auto read = lowerFile(o.workload, o.machine);
    if (!read)
        return fail(read.error());
    auto rows = nlohmann::ordered_json::array();
    Table table({"layer", "M", "N", "K", "count", "Ti", "Tj", "Tk", "footprint", "traffic"});
    for (const lower::GemmLayer& layer : lower::gemmsOf(read->lowered)) {
        q.gemm = layer.gemm;
        const auto choice = systolic::chooseTile(q, method);
        if (!choice) {
            Error error = choice.error();
            error.path = layer.operators.front();
            return fail(error);
        }
        const std::int64_t bytes = saturatingMul(choice->elements, q.elementBytes);
        rows.push_back({{"operators", layer.operators},
                        {"m", layer.gemm.m},
                        {"n", layer.gemm.n},
                        {"k", layer.gemm.k},
                        {"count", layer.count},
                        {"Ti", choice->tile.ti},
                        {"Tj", choice->tile.tj},
                        {"Tk", choice->tile.tk},
                        {"fits", choice->fits},
                        {"footprint_elements", choice->footprintElements},
                        {"dram_bytes", bytes}});
        table.add({layer.operators.front(), formatGrouped(layer.gemm.m), formatGrouped(layer.gemm.n),
                   formatGrouped(layer.gemm.k), formatGrouped(layer.count), formatGrouped(choice->tile.ti),
                   formatGrouped(choice->tile.tj), formatGrouped(choice->tile.tk),
                   formatGrouped(choice->footprintElements), formatGrouped(bytes)});
    }
    if (!o.csv.empty())
        if (const auto written = writeFileAtomically(o.csv, tableCsv(rows)); !written)
            return fail(written.error());
    if (o.json)
        std::cout << rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
    else
        table.print(std::cout);
    return Exit::Success;
}

int run(const TileCall& o)
{
    if (!o.trainingFile.empty()) {
        const auto written =
            writeFileAtomically(o.trainingFile, systolic::tileTrainingText(systolic::generateTileTraining(
                                                    systolic::kTrainingRows, systolic::kTrainingSeed)));
        return written ? static_cast<int>(Exit::Success) : fail(written.error());
    }
    if (o.heldOut) {
        printHeldOut();
        if (o.gemm.empty())
            return Exit::Success;
    }
    if (o.gemm.empty() && o.workload.empty())
        return fail({ErrorCode::Problem, "is required (MxNxK), or a workload file", "--gemm", {}});
    const auto hierarchy = hierarchyOf(o);
    if (!hierarchy)
        return fail(hierarchy.error());
    systolic::Hierarchy h = hierarchy->value_or(systolic::kpuHierarchy());
    Result<systolic::Gemm> gemm = systolic::Gemm{1, 1, 1}; // of a network its rows count
    if (o.workload.empty()) {
        gemm = systolic::parseGemm(o.gemm);
    } else if (!o.layer.empty()) {
        const auto read = lowerFile(o.workload, o.machine);
        if (!read)
            return fail(read.error());
        const auto layer = productNamed(read->lowered, o.layer);
        if (!layer)
            return fail(layer.error());
        gemm = layer->gemm;
    }
    const auto array = systolic::parseArrayShape(o.array);
    const auto footprint = systolic::parseFootprint(o.footprint);
    const auto method = systolic::parseTileMethod(o.method);
    if (!gemm)
        return fail(gemm.error());
    if (!array)
        return fail(array.error());
    if (!footprint)
        return fail(footprint.error());
    if (!method)
        return fail(method.error());
    systolic::TileQuery q;
    q.gemm = *gemm;
    q.array = o.arrayGiven || !*hierarchy ? *array : h.array;
    q.footprint = *footprint;
    q.elementBytes = o.elementGiven || !*hierarchy ? o.elementBytes : h.elementBytes;
    q.buffering = o.buffering;
    q.capacityBytes = o.capacity;
    if (!o.capacityGiven && *hierarchy) {
        const auto capacity = levelCapacity(h, o.level);
        if (!capacity)
            return fail(capacity.error());
        q.capacityBytes = *capacity;
    }
    h.array = q.array;
    h.elementBytes = q.elementBytes;
    if (!o.workload.empty() && o.layer.empty())
        return tileNetwork(o, q, *method);
    std::optional<systolic::TileShape> given;
    if (!o.tile.empty()) {
        const auto tile = systolic::parseTileShape(o.tile);
        if (!tile)
            return fail(tile.error());
        given = *tile;
    }
    const auto choice = given ? systolic::describeTile(q, *given) : systolic::chooseTile(q, *method);
    if (!choice)
        return fail(choice.error());
    systolic::ThreeLevelOptions levels;
    levels.footprint = q.footprint;
    for (std::size_t l = 0; l < 3; ++l) {
        if (!o.levelBuffers.empty())
            levels.room[l].buffers = o.levelBuffers[l];
        if (!o.levelBuffering.empty())
            levels.room[l].buffering = o.levelBuffering[l];
    }
    const bool levelsGiven = !o.levelBuffers.empty() || !o.levelBuffering.empty();
    if (const auto fits = systolic::threeLevelTiling(h, q.gemm, levels); levelsGiven && !fits)
        return fail(fits.error());
    const auto bytes = checkedMul(choice->elements, q.elementBytes);
    if (!bytes)
        return fail({ErrorCode::Problem, "the traffic in bytes overflows", "--gemm", {}});
    if (o.json || !o.csv.empty()) {
        nlohmann::ordered_json out = {{"method", given ? "given" : systolic::tileMethodName(choice->method)},
                                      {"Ti", choice->tile.ti},
                                      {"Tj", choice->tile.tj},
                                      {"Tk", choice->tile.tk},
                                      {"fits", choice->fits},
                                      {"footprint_elements", choice->footprintElements},
                                      {"dram_bytes", *bytes},
                                      {"points_visited", choice->pointsVisited},
                                      {"space_reduction", choice->spaceReduction}};
        const bool whole = addContext(out, q, *choice, h, levels);
        if (!o.csv.empty())
            if (const auto written = writeFileAtomically(o.csv, flatCsv(out)); !written)
                return fail(written.error());
        if (o.json) {
            std::cout << out.dump(2) << '\n';
            return whole ? Exit::Success : Exit::Interrupted;
        }
    }
    return printText(q, *choice, h, levels, given.has_value()) ? Exit::Success : Exit::Interrupted;
}

} // namespace

void addTileVerb(CLI::App& app, int& exitCode)
{
    auto* verb = app.add_subcommand("tile", "Choose tile sizes of a GEMM for a memory level");
    auto o = std::make_shared<TileCall>();
    auto* gemm = verb->add_option("--gemm", o->gemm, "MxNxK: C[M,N] = A[M,K] x B[K,N]");
    verb->add_option("workload", o->workload, "Any workload: a row for each of its products")->excludes(gemm);
    auto* machine = o->machine.addTo(*verb);
    auto* array =
        verb->add_option("--array", o->array, "RxC processing elements (default 16x16)")->excludes(machine);
    auto* capacity = verb->add_option("--capacity", o->capacity, "Bytes of the level (default 65536)");
    verb->add_option("--footprint", o->footprint, "C counted, or left in the PEs")
        ->type_name("conservative|aggressive");
    verb->add_option("--hierarchy", o->hierarchy,
                     "Memory hierarchy file; gives array, element size and capacity")
        ->excludes(machine);
    verb->add_option("--level", o->level,
                     "Of the hierarchy: l3, l2, l1, or one buffer of it (default l2-buffer)");
    verb->add_option("--tile", o->tile, "TixTjxTk: the cost of this tile instead of a choice");
    verb->add_option("--level-buffers", o->levelBuffers,
                     "L3,L2,L1: buffers that a tile of the three levels may fill, 0: all (default 0,0,1)")
        ->delimiter(',')
        ->expected(3);
    verb->add_option("--level-buffering", o->levelBuffering,
                     "L3,L2,L1: 1 or 2 = double-buffered (default 1,1,2)")
        ->delimiter(',')
        ->expected(3);
    verb->add_option("--method", o->method, "How the tile is chosen (default exhaustive)")
        ->type_name("analytic|exhaustive|learned");
    auto* element = verb->add_option("--element-bytes", o->elementBytes, "Bytes of an element (default 4)");
    verb->add_option("--buffering", o->buffering, "1 or 2: divides the capacity (default 1)");
    verb->add_option(
        "--write-training-set", o->trainingFile,
        "Write the learned selector's training set (core/systolic/tile_training_data.inc) and exit");
    verb->add_flag("--held-out", o->heldOut, "Measure the learned selector on a held-out set");
    verb->add_option(
            "--layer", o->layer,
            "One product of the workload, by the name of its operator (NAME:2: its second product), as if "
            "given by --gemm")
        ->excludes(gemm);
    verb->add_option("--csv", o->csv, "Write the workload's table, or the figures of the tile, to this file");
    verb->add_flag("--json", o->json, "One JSON document on stdout");
    verb->callback([o, array, capacity, element, &exitCode] {
        o->arrayGiven = array->count() > 0;
        o->capacityGiven = capacity->count() > 0;
        o->elementGiven = element->count() > 0;
        exitCode = run(*o);
    });
}

} // namespace tilewright::cli
