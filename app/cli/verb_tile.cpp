// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/program.h"
#include "rescue.h"
#include "table.h"
#include "verbs.h"
#include "verbs/systolic.h"
#include "verbs/tile.h"

#include "base/file.h"
#include "base/text.h"
#include "systolic/learned_tile.h"

#include <chrono>
#include <cmath>
#include <iomanip>
#include <iostream>

namespace tilewright::cli {

namespace {

struct TileArguments : verbs::TileCall
{
    std::string csv, trainingFile;
    bool heldOut = false, json = false;
};

void bindOptions(verbs::OptionList& o, TileArguments& a)
{
    bindOptions(o, static_cast<verbs::TileCall&>(a));
    o.add("--csv", a.csv, "FILE", "Write the workload's table, or the figures of the tile, to this file",
          o.writes());
    o.flag("--held-out", a.heldOut, "Measure the learned selector on a held-out set",
           o.alone(a.gemm.empty() && !a.workload.isNamed(), "alone, or with --gemm or a workload"));
    o.add("--write-training-set", a.trainingFile, "FILE",
          "Write the learned selector's training set (core/systolic/tile_training_data.inc) and exit",
          o.alone(true, "alone"), o.writes());
    o.flag("--json", a.json, kJsonHelp);
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

/// Prints all results except the adaptive ones, which take longest.
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
    line("footprint", a.fitText());
    line("traffic", formatGrouped(c.elements) + " elements, " +
                        formatGrouped(saturatingMul(c.elements, q.elementBytes)) +
                        " bytes into the level (A read once for every Tj, B for every Ti, C once)");
    if (const auto best = systolic::exhaustiveTile(q);
        best && (a.given || c.method != systolic::TileMethod::Exhaustive)) {
        const double above = static_cast<double>(c.elements) / static_cast<double>(best->elements) - 1;
        line("to the optimum", above >= 0 ? percent(above) + " above the optimum"
                                          : percent(-above) + " below the optimum of the tiles that fit");
    }
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

/// Prints one row per product of the network.
int tileNetwork(const TileArguments& o)
{
    const auto tiles = verbs::tilesOfNetwork(o);
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
        table.add(layer.operators.front(), layer.gemm.m, layer.gemm.n, layer.gemm.k, layer.count,
                  choice.tile.ti, choice.tile.tj, choice.tile.tk, choice.footprintElements, bytes);
    print(table);
    return Exit::Success;
}

int runTile(const TileArguments& o)
{
    if (!o.trainingFile.empty()) {
        const auto written =
            writeFileAtomically(o.trainingFile, systolic::tileTrainingText(systolic::generateTileTraining(
                                                    systolic::kTrainingRows, systolic::kTrainingSeed)));
        return written ? static_cast<int>(Exit::Success) : fail(written.error());
    }
    if (o.heldOut) {
        printHeldOut();
        if (o.gemm.empty() && !o.workload.isNamed())
            return Exit::Success;
    }
    if (o.ofNetwork())
        return tileNetwork(o);
    auto answer = verbs::tileOfProduct(o);
    if (!answer)
        return fail(answer.error());
    const InterruptGuard interrupt;
    const bool text = !o.json;
    if (text) {
        printText(*answer);
        std::cout << std::flush; // shown before the slow part of the work
    }
    verbs::addAdaptive(*answer, {interrupt.token(), {}});
    int code = answer->interrupted ? Exit::Interrupted : Exit::Success;
    if (!o.csv.empty())
        if (const auto written = writeFound(o.csv, verbs::flatCsv(verbs::tileJson(*answer))); !written)
            code = fail(written.error());
    if (text)
        printAdaptive(*answer);
    else
        std::cout << verbs::tileJson(*answer);
    rescueOutput(o.workload.isNamed() ? o.workload.file : "tile", [&] { return verbs::tileJson(*answer); });
    return code;
}

} // namespace

void addTileVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<TileArguments>(app, "tile", "Choose tile sizes of a GEMM for a memory level", runTile,
                                   exitCode);
}

} // namespace tilewright::cli
