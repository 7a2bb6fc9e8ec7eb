// SPDX-License-Identifier: GPL-3.0-or-later
#include "interrupt.h"
#include "table.h"
#include "verbs.h"
#include "verbs/systolic.h"
#include "verbs/tile.h"
#include "workload_input.h"

#include "base/file.h"
#include "base/text.h"
#include "systolic/learned_tile.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct TileArguments
{
    std::string workload, csv, hierarchy, array, trainingFile;
    std::int64_t capacity = 0, elementBytes = 0;
    WorkloadArguments machine;
    verbs::TileCall call; ///< without what is read from files
    bool heldOut = false, json = false;
};

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

/// All but what takes longest.
void printText(const verbs::TileAnswer& a)
{
    const systolic::TileQuery& q = a.query;
    const systolic::TileChoice& c = a.choice;
    const systolic::Hierarchy& h = a.hierarchy;
    const auto line = [](const std::string& name, const std::string& value) {
        std::cout << std::left << std::setw(20) << name << value << '\n';
    };
    line("array", formatGrouped(q.array.rows) + " x " + formatGrouped(q.array.cols) + " PEs");
    line("method", a.given ? "given" : std::string(systolic::tileMethodName(c.method)));
    line("tile Ti x Tj x Tk",
         formatGrouped(c.tile.ti) + " x " + formatGrouped(c.tile.tj) + " x " + formatGrouped(c.tile.tk));
    line("footprint", formatGrouped(c.footprintElements) + " of " + formatGrouped(q.cap()) + " elements (" +
                          std::string(systolic::footprintName(q.footprint)) + ")" +
                          (c.fits ? "" : ", does not fit"));
    line("traffic", formatGrouped(c.elements) + " elements, " +
                        formatGrouped(saturatingMul(c.elements, q.elementBytes)) +
                        " bytes into the level (A read once for every Tj, B for every Ti, C once)");
    if (const auto best = systolic::exhaustiveTile(q);
        best && (a.given || c.method != systolic::TileMethod::Exhaustive))
        line("above the optimum",
             percent(static_cast<double>(c.elements) / static_cast<double>(best->elements) - 1));
    line("points visited", formatGrouped(c.pointsVisited) + " (space reduced " +
                               formatGrouped(std::round(c.spaceReduction)) + " times)");
    const systolic::ReuseFactors f = a.reuse();
    line("reuse A, B, C", formatGrouped(f.a) + ", " + formatGrouped(f.b) + ", " + formatGrouped(f.c));
    std::cout << "\nused / available (" << h.name << ")\n";
    for (const systolic::Constraint& k : a.constraints())
        std::cout << "  " << (k.fits() ? "ok   " : "over ") << std::setw(50) << k.name
                  << formatGrouped(k.used) << " / " << formatGrouped(k.available) << ' ' << k.unit
                  << (k.limit.empty() ? "" : "; " + k.limit) << '\n';
    if (const auto levels = a.threeLevels()) {
        std::cout
            << "\nthree levels (each inside the one above; traffic without reuse between tiles of the level "
               "above)\n";
        for (const systolic::LevelTile& t : levels->level)
            std::cout << "  " << std::setw(5) << systolic::levelName(t.level) << formatGrouped(t.tile.ti)
                      << " x " << formatGrouped(t.tile.tj) << " x " << formatGrouped(t.tile.tk) << ", "
                      << formatGrouped(t.usedBytes) << " / " << formatGrouped(t.capacityBytes)
                      << " bytes, traffic into it " << formatGrouped(t.trafficBytes) << " bytes\n";
    }
}

void printAdaptive(const verbs::TileAnswer& a)
{
    if (!a.adaptive)
        return;
    std::cout << "\nDRAM traffic with residency in L3, by dataflow (" << systolic::dramAssumption(a.dram)
              << ")\n";
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        const auto i = static_cast<std::size_t>(d);
        std::cout << "  " << std::setw(5) << systolic::dataflowName(d)
                  << formatGrouped(a.adaptive->fixedBytes[i]) << " bytes; adaptive saves "
                  << percent(a.adaptive->saving[i]) << '\n';
    }
    std::cout << "  adaptive " << formatGrouped(a.adaptive->bytes) << " bytes ("
              << (a.adaptive->perRow ? "chosen row by row"
                                     : "all " + std::string(systolic::dataflowName(a.adaptive->bestFixed)))
              << ")\n";
}

/// A row a product of the network.
int tileNetwork(const TileArguments& o, const verbs::TileCall& call)
{
    const auto tiles = verbs::tilesOfNetwork(call);
    if (!tiles)
        return fail(tiles.error());
    const std::string json = verbs::tileJson(*tiles);
    if (!o.csv.empty())
        if (const auto written = writeFileAtomically(o.csv, verbs::tableCsv(json)); !written)
            return fail(written.error());
    if (o.json) {
        std::cout << json;
        return Exit::Success;
    }
    Table table({"layer", "M", "N", "K", "count", "Ti", "Tj", "Tk", "footprint", "traffic"});
    for (const auto& [layer, choice, bytes] : *tiles)
        table.add({layer.operators.front(), formatGrouped(layer.gemm.m), formatGrouped(layer.gemm.n),
                   formatGrouped(layer.gemm.k), formatGrouped(layer.count), formatGrouped(choice.tile.ti),
                   formatGrouped(choice.tile.tj), formatGrouped(choice.tile.tk),
                   formatGrouped(choice.footprintElements), formatGrouped(bytes)});
    table.print(std::cout);
    return Exit::Success;
}

/// What the arguments ask for, with the files they name.
Result<verbs::TileCall> callOf(const TileArguments& o)
{
    verbs::TileCall call = o.call;
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
    return call;
}

int run(const TileArguments& o)
{
    if (!o.trainingFile.empty()) {
        const auto written =
            writeFileAtomically(o.trainingFile, systolic::tileTrainingText(systolic::generateTileTraining(
                                                    systolic::kTrainingRows, systolic::kTrainingSeed)));
        return written ? static_cast<int>(Exit::Success) : fail(written.error());
    }
    if (o.heldOut) {
        printHeldOut();
        if (o.call.gemm.empty())
            return Exit::Success;
    }
    const auto call = callOf(o);
    if (!call)
        return fail(call.error());
    if (call->ofNetwork())
        return tileNetwork(o, *call);
    auto answer = verbs::tileOfProduct(*call);
    if (!answer)
        return fail(answer.error());
    const InterruptGuard interrupt;
    const bool text = !o.json;
    if (text) {
        printText(*answer);
        std::cout << std::flush; // the rest may take long
    }
    verbs::addAdaptive(*answer, {interrupt.token(), {}});
    if (!o.csv.empty())
        if (const auto written = writeFileAtomically(o.csv, verbs::flatCsv(verbs::tileJson(*answer)));
            !written)
            return fail(written.error());
    if (text)
        printAdaptive(*answer);
    else
        std::cout << verbs::tileJson(*answer);
    return answer->interrupted ? Exit::Interrupted : Exit::Success;
}

} // namespace

void addTileVerb(CLI::App& app, int& exitCode)
{
    auto* verb = app.add_subcommand("tile", "Choose tile sizes of a GEMM for a memory level");
    auto o = std::make_shared<TileArguments>();
    auto* gemm = verb->add_option("--gemm", o->call.gemm, "MxNxK: C[M,N] = A[M,K] x B[K,N]");
    verb->add_option("workload", o->workload, "Any workload: a row for each of its products")->excludes(gemm);
    auto* machine = o->machine.addTo(*verb);
    auto* array =
        verb->add_option("--array", o->array, "RxC processing elements (default 16x16)")->excludes(machine);
    auto* capacity = verb->add_option("--capacity", o->capacity, "Bytes of the level (default 65536)");
    verb->add_option("--footprint", o->call.footprint, "C counted, or left in the PEs")
        ->type_name("conservative|aggressive");
    verb->add_option("--hierarchy", o->hierarchy,
                     "Memory hierarchy file; gives array, element size and capacity")
        ->excludes(machine);
    verb->add_option("--level", o->call.level,
                     "Of the hierarchy: l3, l2, l1, or one buffer of it (default l2-buffer)");
    verb->add_option("--tile", o->call.tile, "TixTjxTk: the cost of this tile instead of a choice");
    verb->add_option("--level-buffers", o->call.levelBuffers,
                     "L3,L2,L1: buffers that a tile of the three levels may fill, 0: all (default 0,0,1)")
        ->delimiter(',')
        ->expected(3);
    verb->add_option("--level-buffering", o->call.levelBuffering,
                     "L3,L2,L1: 1 or 2 = double-buffered (default 1,1,2)")
        ->delimiter(',')
        ->expected(3);
    verb->add_option("--method", o->call.method, "How the tile is chosen (default exhaustive)")
        ->type_name("analytic|exhaustive|learned");
    auto* element = verb->add_option("--element-bytes", o->elementBytes, "Bytes of an element (default 4)");
    verb->add_option("--buffering", o->call.buffering, "1 or 2: divides the capacity (default 1)");
    verb->add_option(
        "--write-training-set", o->trainingFile,
        "Write the learned selector's training set (core/systolic/tile_training_data.inc) and exit");
    verb->add_flag("--held-out", o->heldOut, "Measure the learned selector on a held-out set");
    verb->add_option(
            "--layer", o->call.layer,
            "One product of the workload, by the name of its operator (NAME:2: its second product), as if "
            "given by --gemm")
        ->excludes(gemm);
    verb->add_option("--csv", o->csv, "Write the workload's table, or the figures of the tile, to this file");
    verb->add_flag("--json", o->json, "One JSON document on stdout");
    verb->callback([o, array, capacity, element, &exitCode] {
        if (array->count() > 0)
            o->call.array = o->array;
        if (capacity->count() > 0)
            o->call.capacity = o->capacity;
        if (element->count() > 0)
            o->call.elementBytes = o->elementBytes;
        exitCode = run(*o);
    });
}

} // namespace tilewright::cli
