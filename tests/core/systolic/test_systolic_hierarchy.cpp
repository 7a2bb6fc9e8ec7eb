// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/machine_lenses.h"
#include "model/file_kind.h"
#include "model/machine.h"
#include "systolic/hierarchy.h"
#include "systolic/pipeline.h"
#include "systolic/program.h"
#include "systolic/program_plan.h"
#include "systolic/roofline.h"
#include "test_main.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <random>

namespace test_systolic_hierarchy {

using namespace tilewright;
using namespace tilewright::systolic;

namespace {

std::string without(std::string text, const std::string& what, const std::string& with)
{
    const auto at = text.find(what);
    return at == std::string::npos ? std::string() : text.replace(at, what.size(), with);
}

} // namespace

class TestSystolicHierarchy : public QObject
{
    Q_OBJECT
private slots:
    void rule_5_presets();
    void rule_5_constraints();
    void rule_6_5_threeLevels();
    void rule_6_5_trafficIsThatOfTheNestedLoops();
    void rule_6_5_buffersOfALevelAreChosen();
    void rule_7_oneDramFigure();
    void noProgramIsAboveItsRoofline();
    void rule_8_noDrawnProgramIsAboveItsRoofline();
    void rule_8_roofline();
    void rule_8_dataflowComparison();
    void rule_9_corrections();
    void rule_9_refusals();
    void invalidFiles();
    void fileKindKnowsHierarchies();
};

void TestSystolicHierarchy::rule_5_presets()
{
    const std::string folder = TILEWRIGHT_SOURCE_DIR "/tests/data/hierarchies/";
    const auto kpu = readHierarchy(folder + "kpu.json");
    QVERIFY(kpu.hasValue());
    QVERIFY(*kpu == kpuHierarchy());
    QVERIFY(*parseHierarchy(hierarchyJson(*kpu), "again") == *kpu);
    for (const char* name : {"edge-8x8.json", "server-128x128.json"})
        QVERIFY(readHierarchy(folder + name).hasValue());
    QCOMPARE(kpu->at(Level::L3).totalBytes(), 512 * 1024);
    QCOMPARE(kpu->bytesPerCycle(Level::External), 100.0);
}

void TestSystolicHierarchy::rule_5_constraints()
{
    const Hierarchy h = kpuHierarchy();
    QCOMPARE(maxL1Depth(h, 2, false), 128);
    QCOMPARE(maxL1Depth(h, 1, false), 256);
    QCOMPARE(maxL1Depth(h, 2, true), 256);
    QCOMPARE(maxL2Depth(h), 504);
    const auto at = [&](std::int64_t k, std::int64_t tk) {
        return tileConstraints(h, {1024, 1024, k}, {64, 64, tk});
    };
    QCOMPARE(at(496, 128)[0].used, 32768);
    QVERIFY(at(496, 128)[0].fits());
    QVERIFY(!at(496, 129)[0].fits());
    QVERIFY(at(496, 129)[1].fits());
    QVERIFY(at(504, 64)[2].fits());
    QVERIFY(!at(505, 64)[2].fits());
    QVERIFY(at(504, 64)[2].limit.find("504") != std::string::npos);
    QVERIFY(at(504, 64)[2].limit.find("496") != std::string::npos);
    const auto panels = at(512, 64);
    QCOMPARE(panels[5].available, 512 * 1024 / (64 * 512 * 4));
    QCOMPARE(panels[5].used, 16);
}

void TestSystolicHierarchy::rule_6_5_threeLevels()
{
    const Hierarchy h = kpuHierarchy();
    for (const Gemm g : {Gemm{1024, 1024, 1024}, {100, 3000, 77}, {7, 7, 7}, {4096, 64, 4096}}) {
        const auto t = threeLevelTiling(h, g);
        QVERIFY(t.hasValue());
        const auto& [l3, l2, l1] = t->level;
        QVERIFY(l1.tile.ti <= l2.tile.ti && l2.tile.ti <= l3.tile.ti && l3.tile.ti <= g.m);
        QVERIFY(l1.tile.tj <= l2.tile.tj && l2.tile.tj <= l3.tile.tj && l3.tile.tj <= g.n);
        QVERIFY(l1.tile.tk <= l2.tile.tk && l2.tile.tk <= l3.tile.tk && l3.tile.tk <= g.k);
        QVERIFY(l1.tile.ti <= 16 && l1.tile.tj <= 16 && l1.tile.tk <= 256);
        for (const LevelTile& level : t->level) {
            QVERIFY(level.usedBytes <= level.capacityBytes);
            QVERIFY(level.trafficBytes >= compulsoryElements(g) * 4);
        }
        QVERIFY(l3.trafficBytes <= l2.trafficBytes && l2.trafficBytes <= l1.trafficBytes);
        TileQuery whole{g, h.array};
        whole.capacityBytes = h.at(Level::L3).totalBytes();
        QVERIFY(l3.tile == exhaustiveTile(whole)->tile);
    }
    Hierarchy small = h;
    small.at(Level::L2).bytes = 100;
    const auto refused = threeLevelTiling(small, {64, 64, 64});
    QVERIFY(!refused);
    QCOMPARE(refused.error().path, std::string("l2"));
}

/// Element counts of the nested loops, walked tile by tile: A and B are read by every step of the level's own
/// loops, partial sums leave and return whenever the level's C tile changes before its sum is complete.
void TestSystolicHierarchy::rule_6_5_trafficIsThatOfTheNestedLoops()
{
    const auto walked = [](const Gemm& g, const ThreeLevelTiling& t, std::size_t n) {
        struct Box
        {
            std::array<std::int64_t, 3> at, size;
        };
        std::int64_t moved = 0;
        std::map<std::array<std::int64_t, 2>, std::int64_t> visits; // of each C tile
        std::array<std::int64_t, 2> held{-1, -1};
        const auto go = [&](const auto& self, const Box& box, std::size_t level) -> void {
            if (level > n) {
                moved += box.size[0] * box.size[2] + box.size[2] * box.size[1];
                const std::array<std::int64_t, 2> c{box.at[0], box.at[1]};
                if (c != held) {
                    moved += box.size[0] * box.size[1] * (visits[c]++ > 0 ? 2 : 1);
                    held = c;
                }
                return;
            }
            const TileShape& s = t.level[level].tile;
            for (std::int64_t i = 0; i < box.size[0]; i += s.ti)
                for (std::int64_t j = 0; j < box.size[1]; j += s.tj)
                    for (std::int64_t k = 0; k < box.size[2]; k += s.tk)
                        self(self,
                             Box{{box.at[0] + i, box.at[1] + j, box.at[2] + k},
                                 {std::min(s.ti, box.size[0] - i), std::min(s.tj, box.size[1] - j),
                                  std::min(s.tk, box.size[2] - k)}},
                             level + 1);
        };
        go(go, Box{{0, 0, 0}, {g.m, g.n, g.k}}, 0);
        return moved;
    };
    Hierarchy h = kpuHierarchy();
    const auto same = [&](const Gemm& g, const ThreeLevelOptions& options) {
        const auto t = threeLevelTiling(h, g, options);
        QVERIFY(t.hasValue());
        for (std::size_t n = 0; n < 3; ++n)
            QCOMPARE(t->level[n].trafficBytes, walked(g, *t, n) * h.elementBytes);
    };
    for (const Gemm& g :
         {Gemm{1024, 1024, 1024}, {368, 4096, 4096}, {100, 300, 77}, {37, 64, 1000}, {7, 7, 7}}) {
        same(g, {});
        same(g, {.room = {{{0, 1}, {1, 1}, {1, 2}}}});
        same(g, {.room = {{{1, 2}, {1, 2}, {4, 2}}}});
    }
    // Equal tiles move equal bytes; the ragged array tiles of 1024 in 352 are counted once.
    const auto cube = threeLevelTiling(h, {1024, 1024, 1024});
    QVERIFY(cube->level[0].tile == cube->level[1].tile);
    QCOMPARE(cube->level[1].trafficBytes, cube->level[0].trafficBytes);
    QCOMPARE(cube->level[2].trafficBytes, 666'894'336);
    const auto wide = threeLevelTiling(h, {368, 4096, 4096});
    QVERIFY(wide->level[0].tile == wide->level[1].tile);
    QCOMPARE(wide->level[1].trafficBytes, wide->level[0].trafficBytes);
}

void TestSystolicHierarchy::rule_6_5_buffersOfALevelAreChosen()
{
    const Hierarchy h = kpuHierarchy();
    const Gemm g{1024, 1024, 1024};
    const auto one = threeLevelTiling(h, g, {.room = {{{0, 1}, {1, 1}, {1, 2}}}});
    QVERIFY(one.hasValue());
    QCOMPARE(one->level[1].capacityBytes, 64 * 1024);
    QVERIFY(one->level[1].usedBytes <= 64 * 1024);
    QVERIFY(one->level[1].tile.ti < threeLevelTiling(h, g)->level[1].tile.ti);
    const auto twice = threeLevelTiling(h, g, {.room = {{{0, 2}, {1, 2}, {1, 2}}}});
    QVERIFY(tileFootprint(twice->level[1].tile, Footprint::Conservative) * 4 * 2 <= 64 * 1024);
    QVERIFY(tileFootprint(twice->level[0].tile, Footprint::Conservative) * 4 * 2 <= 512 * 1024);
    QCOMPARE(threeLevelTiling(h, g, {.room = {{{5, 1}, {1, 1}, {1, 2}}}}).error().path, std::string("l3"));
    QCOMPARE(threeLevelTiling(h, g, {.room = {{{0, 1}, {1, 0}, {1, 2}}}}).error().path, std::string("l2"));
}

/// The roofline, the comparison of dataflows and the figure itself are one query; it says what it assumes.
void TestSystolicHierarchy::rule_7_oneDramFigure()
{
    const Hierarchy h = kpuHierarchy();
    const Gemm g{300, 500, 700};
    for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is})
        for (const std::optional<TileShape>& tile :
             {std::optional<TileShape>(), std::optional(TileShape{64, 48, 32})}) {
            const DramQuery q = dramQueryOf(h, g, d, tile);
            const std::int64_t bytes = dramClosedForm(q).bytes();
            QCOMPARE(multiLevelRoofline(h, g, {d}, tile)->points[3].bytes, bytes);
            QCOMPARE(compareDataflows(h, g, tile)->of[static_cast<std::size_t>(d)].dramBytes, bytes);
            QCOMPARE(bytes, simulateDram(q)->bytes());
        }
    QCOMPARE(dramAssumption(dramQueryOf(h, {1024, 1024, 1024}, Dataflow::Os)),
             std::string("tile 16 x 16 x 16, loops ijk, moved only once: A, C; L3 of 524\u202f288 bytes"));
}

/// docs/rules/systolic.md 8: the roofline takes the bytes of the tile that runs.
void TestSystolicHierarchy::noProgramIsAboveItsRoofline()
{
    const Hierarchy edge = lower::hierarchyOf(*machinePreset("edge"));
    for (const Hierarchy& h : {edge, kpuHierarchy()})
        for (const Gemm& g : {Gemm{128, 704, 2048}, Gemm{256, 256, 256}, Gemm{100, 300, 200}})
            for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is})
                for (const std::optional<TileShape>& tile :
                     {std::optional<TileShape>(), std::optional(TileShape{128, 128, 64}),
                      std::optional(TileShape{64, 64, 16})}) {
                    ProgramOptions options;
                    options.gemm = g;
                    options.array = h.array;
                    options.dataflow = d;
                    options.elementBytes = h.elementBytes;
                    options.l3Bytes = h.at(Level::L3).totalBytes();
                    options.capacityBytes = capacitiesOf(h);
                    options.tile = tile;
                    const auto program = buildProgram(options);
                    if (!program)
                        continue; // the tile does not fit
                    const auto run = runPipeline(*program, machineOf(h));
                    QVERIFY(run);
                    const auto roof = multiLevelRoofline(h, g, {d}, tile);
                    QVERIFY(roof);
                    const double rate =
                        2 * static_cast<double>(macs(g)) / static_cast<double>(run->cycles) * h.frequencyGhz;
                    QVERIFY2(rate <= roof->attainableGflops * (1 + 1e-9),
                             qPrintable(QStringLiteral("%1x%2x%3 %4 tile %5: %6 above %7 (%8)")
                                            .arg(g.m)
                                            .arg(g.n)
                                            .arg(g.k)
                                            .arg(static_cast<int>(d))
                                            .arg(tile ? tile->ti : 0)
                                            .arg(rate)
                                            .arg(roof->attainableGflops)
                                            .arg(QString::fromStdString(roof->binding))));
                }
}

/// docs/rules/systolic.md 8: no program of a tile is above a roof, whatever its style, schedule and depth; of
/// all of them, some program moves as little through each port as the roofs say.
void TestSystolicHierarchy::rule_8_noDrawnProgramIsAboveItsRoofline()
{
    std::vector<Hierarchy> machines;
    for (const char* name : {"edge", "server", "kpu", "contest"}) {
        const auto machine = machinePreset(name);
        QVERIFY2(machine, name);
        machines.push_back(lower::hierarchyOf(*machine));
    }
    std::mt19937 random(37);
    const auto draw = [&random](std::int64_t from, std::int64_t to) {
        return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
    };
    int programs = 0, small = 0;
    std::array<int, 3> ofDataflow{};
    for (int round = 0; round < 500; ++round) {
        Hierarchy h = machines[static_cast<std::size_t>(round % 4)];
        if (draw(0, 1) == 0) // a small array beside the memories of a preset
            h.array = {draw(1, 20), draw(1, 20)};
        if (draw(0, 2) == 0) // memories that hold a few tiles
            for (const Level level : {Level::L2, Level::L3})
                h.at(level).bytes = draw(1024, 32768);
        if (draw(0, 3) == 0)
            h.at(Level::L1).gbPerSecond = h.at(Level::L2).gbPerSecond / static_cast<double>(draw(1, 8));
        const auto side = [&](std::int64_t block) {
            return draw(0, 3) == 0 ? draw(1, 3) : draw(1, 6 * block);
        };
        const Gemm g{side(h.array.rows), side(h.array.cols), side(48)};
        std::optional<TileShape> tile;
        if (draw(0, 4) > 0)
            tile = TileShape{draw(1, g.m), draw(1, g.n), draw(1, g.k)};
        for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is}) {
            const TimingOptions timing{d, Readout::Shadow, static_cast<int>(draw(1, 2))};
            const auto roof = multiLevelRoofline(h, g, timing, tile);
            QVERIFY2(roof, roof ? "" : roof.error().text().c_str());
            const ProgramOptions base = programOptionsOf(h, g, timing, tile);
            const auto least = leastProgram(base);
            std::optional<PortBytes> seen;
            const auto run = [&](ProgramStyle style, std::optional<L2Schedule> schedule) {
                ProgramOptions o = base;
                o.style = style;
                o.schedule = schedule;
                if (tile)
                    o.depth = std::min(deepestStep(h, *tile, d), draw(0, 1) == 0 ? 1 << 20 : kTileDepth);
                const auto plan = planProgram(o);
                if (!plan || mostCommands(*plan) > 40'000)
                    return;
                const auto program = buildProgram(o);
                const auto ran = runPipeline(*program, machineOf(h));
                if (!ran)
                    return;
                ++programs;
                ++ofDataflow[static_cast<std::size_t>(d)];
                small += tile && tile->ti < h.array.rows && tile->tj < h.array.cols;
                PortBytes moved;
                for (const Command& c : program->commands)
                    if (const auto resource = resourceOf(c.kind))
                        switch (*resource) {
                        case Resource::Dma:
                            moved.dma += c.bytes;
                            break;
                        case Resource::BlockMover:
                            moved.blockMover += c.bytes;
                            break;
                        case Resource::Streamer:
                            moved.streamer += c.bytes;
                            break;
                        case Resource::Drain:
                            moved.drain += c.bytes;
                            break;
                        case Resource::Array:
                            break;
                        }
                if (!seen)
                    seen = moved;
                *seen = {std::min(seen->dma, moved.dma), std::min(seen->blockMover, moved.blockMover),
                         std::min(seen->streamer, moved.streamer), std::min(seen->drain, moved.drain)};
                const QString what =
                    QStringLiteral("round %1: %2x%3x%4 on %5x%6, %7, tile %8, style %9, %10 cycles")
                        .arg(round)
                        .arg(g.m)
                        .arg(g.n)
                        .arg(g.k)
                        .arg(h.array.rows)
                        .arg(h.array.cols)
                        .arg(QString::fromUtf8(dataflowName(d).data()))
                        .arg(QStringLiteral("%1x%2x%3")
                                 .arg(program->tile.ti)
                                 .arg(program->tile.tj)
                                 .arg(program->tile.tk))
                        .arg(static_cast<int>(style))
                        .arg(ran->cycles);
                const double rate =
                    2 * static_cast<double>(macs(g)) / static_cast<double>(ran->cycles) * h.frequencyGhz;
                QVERIFY2(rate <= roof->arrayGflops * (1 + 1e-9),
                         qPrintable(
                             what +
                             QStringLiteral(": above the array, %1 cycles").arg(least ? least->cycles : -1)));
                for (const RooflinePoint& p : roof->points) {
                    QVERIFY(p.portBytes <= p.bytes);
                    QVERIFY2(rate <= p.roofGflops * (1 + 1e-9),
                             qPrintable(what + QStringLiteral(": above %1, %2 bytes")
                                                   .arg(QString::fromUtf8(levelName(p.level).data()))
                                                   .arg(p.portBytes)));
                }
                QVERIFY2(rate <= roof->attainableGflops * (1 + 1e-9), qPrintable(what));
                QVERIFY2(least, qPrintable(what));
            };
            const int before = programs;
            run(ProgramStyle::Pipelined, {});
            run(ProgramStyle::Barriered, {});
            if (d == Dataflow::Os)
                for (const L2Schedule s :
                     {L2Schedule::NoReuse, L2Schedule::RowReuse, L2Schedule::FullReuse, L2Schedule::PartialC})
                    run(ProgramStyle::Pipelined, s);
            if (programs - before == (d == Dataflow::Os ? 6 : 2)) { // every program fits
                QCOMPARE(seen->dma, least->bytes.dma);
                QCOMPARE(seen->blockMover, least->bytes.blockMover);
                QCOMPARE(seen->drain, least->bytes.drain);
                if (d == Dataflow::Os)
                    QCOMPARE(seen->streamer, least->bytes.streamer);
                else
                    QVERIFY(seen->streamer >= least->bytes.streamer);
            }
        }
    }
    QVERIFY2(programs > 1500 && small > 100 && *std::min_element(ofDataflow.begin(), ofDataflow.end()) > 200,
             qPrintable(QStringLiteral("%1 programs, %2 smaller than the array").arg(programs).arg(small)));
}

void TestSystolicHierarchy::rule_8_roofline()
{
    const Hierarchy h = kpuHierarchy();
    const auto r = multiLevelRoofline(h, {64, 64, 64}, {}, TileShape{64, 64, 64});
    QVERIFY(r.hasValue());
    QCOMPARE(r->peakGflops, 512.0);
    const double flops = 2.0 * 64 * 64 * 64;
    QCOMPARE(r->points[0].bytes, 144 * 1024);
    QCOMPARE(r->points[2].bytes, 48 * 1024); // everything fits L2
    QCOMPARE(r->points[3].bytes, 48 * 1024);
    QCOMPARE(r->points[3].intensity, flops / (48 * 1024));
    QCOMPARE(r->points[3].roofGflops, 100 * flops / (48 * 1024));
    QCOMPARE(r->binding, std::string("array"));
    Hierarchy slow = h;
    slow.at(Level::External).gbPerSecond = 1;
    QCOMPARE(multiLevelRoofline(slow, {64, 64, 64}, {}, TileShape{64, 64, 64})->binding, std::string("dram"));
    slow = h;
    slow.at(Level::L2).gbPerSecond = 1;
    QCOMPARE(multiLevelRoofline(slow, {64, 64, 64}, {}, TileShape{64, 64, 64})->binding, std::string("l2"));
}

void TestSystolicHierarchy::rule_8_dataflowComparison()
{
    const Hierarchy h = kpuHierarchy();
    const Gemm g{512, 512, 512};
    const auto c = compareDataflows(h, g, TileShape{64, 64, 64});
    QVERIFY(c.hasValue());
    for (const DataflowTime& t : c->of) {
        QCOMPARE(t.arrayCycles, arrayTiming(g, h.array, {t.dataflow}).cycles);
        QCOMPARE(t.dramCycles, ceilDiv(t.dramBytes, 100));
        QCOMPARE(t.totalCycles, std::max(t.arrayCycles, t.dramCycles));
    }
    QCOMPARE(c->osFewerThanWs, 1 - double(c->of[0].totalCycles) / double(c->of[1].totalCycles));
}

void TestSystolicHierarchy::rule_9_corrections()
{
    const auto rows = seedCorrections();
    QCOMPARE(rows.size(), std::size_t{13});
    const std::array<std::pair<const char*, const char*>, 13> expected{
        {{"Kt <= 256", "Kt <= 128"},
         {"496", "504"},
         {"147", "73.9 -> 64 x 64 x 96"},
         {"288", "768"},
         {"below compulsory", "compulsory"},
         {"parallel", "8 of 64"},
         {"97 %", "89.5\u00a0%, 1024/1054 = 97.2\u00a0%"},
         {"16/17 = 94 %",
          "30 cycles, are paid once: 94.1 % at 480 fed cycles, 97.2\u00a0% at the 1\u202f024"},
         {"1 complete output", "256 outputs every K = 64 cycles: 4 per cycle"},
         {"sqrt(C/8)",
          "sqrt(C/3) = 73.9, sqrt(C/8) = 45.3 leaves 62.5 % of it empty; least traffic has 128 x 96 x"},
         {"256..512",
          "256 x 256 x 512, needs 1\u202f310\u202f720 bytes, L3 has 524\u202f288: 352 x 256 x 64"},
         {"1,307x to 11,879x", "20 tiles are visited, 13\u202f107x fewer than all multiples of 16"},
         {"30.1 %", "for 1024^3 on the kpu, tile 64 x 64 x 64, os takes "}}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QVERIFY2(rows[i].seed.find(expected[i].first) != std::string::npos, rows[i].seed.c_str());
        QVERIFY2(rows[i].correct.find(expected[i].second) != std::string::npos, rows[i].correct.c_str());
    }
    QVERIFY(rows[3].correct.find("8\u202f448") != std::string::npos &&
            rows[3].correct.find("683x") != std::string::npos);
}

/// Every file that ever was refused stays refused, with one sentence that names the file.
void TestSystolicHierarchy::invalidFiles()
{
    const std::map<QString, std::string> wanted{
        {"array_missing", "the field \"array\" is missing"},
        {"array_unknown_field", "array: unknown field \"depth\""},
        {"array_zero", "array.rows: expected an integer from 1"},
        {"bandwidth_negative", "levels.l3.gb_per_s: expected a number from 0"},
        {"bandwidth_text", "levels.external.gb_per_s: expected a number, got the text \"8 GB/s\""},
        {"bandwidth_zero", "levels.l1.gb_per_s: the bandwidth must be greater than zero"},
        {"binary", "a binary file"},
        {"buffers_negative", "levels.l1.buffers: expected an integer from 1"},
        {"bytes_beyond_64_bits", "levels.host.bytes: expected an integer from 1 to 2^62"},
        {"bytes_fraction", "levels.l2.bytes: expected an integer"},
        {"bytes_zero", "levels.l2.bytes: expected an integer from 1"},
        {"element_bytes_huge", "element_bytes: expected an integer from 1 to 64"},
        {"empty", "the file is empty"},
        {"frequency_zero", "frequency_ghz: expected a number"},
        {"level_missing", "levels: the field \"l2\" is missing"},
        {"level_unknown", "levels: unknown field \"l4\""},
        {"levels_list", "levels: expected an object, got a list of 2"},
        {"levels_missing", "the field \"levels\" is missing"},
        {"name_number", "name: expected a text, got 7"},
        {"total_overflows", "all together below 2^63 bytes"},
        {"truncated", "the text ends too early"},
        {"unknown_field", "unknown field \"voltage\""},
    };
    const QDir dir(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/invalid_hierarchy"));
    const auto files = dir.entryList({QStringLiteral("*.json")});
    QCOMPARE(static_cast<std::size_t>(files.size()), wanted.size());
    for (const QString& file : files) {
        const std::string path = dir.filePath(file).toStdString();
        const auto expected = wanted.find(file.chopped(5));
        QVERIFY2(expected != wanted.end(), qPrintable(file));
        const auto read = readHierarchy(path);
        QVERIFY2(!read, qPrintable(file));
        const std::string text = read.error().text();
        QVERIFY2(text.find(expected->second) != std::string::npos, text.c_str());
        QVERIFY2(text.starts_with(path), text.c_str());
        QVERIFY2(text.find('\n') == std::string::npos, text.c_str());
    }
}

/// A hierarchy is told from the other files, so that it can be opened and dropped.
void TestSystolicHierarchy::fileKindKnowsHierarchies()
{
    const QDir dir(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/hierarchies"));
    for (const QString& file : dir.entryList({QStringLiteral("*.json")}))
        QVERIFY(*fileKind(dir.filePath(file).toStdString()) == FileKind::SystolicHierarchy);
    QVERIFY(*fileKindOf(R"({"levels": 1, "op_types": []})", "x.json") == FileKind::Problem);
    QVERIFY(!fileKindOf(R"({"level": {}})", "x.json"));
}

void TestSystolicHierarchy::rule_9_refusals()
{
    const std::string good = hierarchyJson(kpuHierarchy());
    const auto refusal = [&](const std::string& what, const std::string& with) {
        const std::string text = without(good, what, with);
        const auto parsed = parseHierarchy(text, "h.json");
        return parsed ? std::string("accepted") : parsed.error().text();
    };
    QCOMPARE(refusal("\"l2\"", "\"l2x\""),
             std::string("h.json: levels: unknown field \"l2x\"; did you mean \"l2\"?"));
    QVERIFY(refusal("\"gb_per_s\": 100.0", "\"gb_per_s\": 0").find("levels.external.gb_per_s") !=
            std::string::npos);
    QVERIFY(refusal("\"gb_per_s\": 100.0", "\"gb_per_s\": -1").find("levels.external.gb_per_s") !=
            std::string::npos);
    QVERIFY(refusal("\"bytes\": 65536", "\"bytes\": 0").find("levels.l2.bytes") != std::string::npos);
    QVERIFY(refusal("\"rows\": 16", "\"rows\": 0").find("array.rows") != std::string::npos);
    QVERIFY(refusal("{", "[").find("not valid JSON") != std::string::npos);
    std::string missing = good;
    const auto from = missing.find("\"l3\"");
    missing.erase(from, missing.find("\"l2\"") - from);
    const auto refused = parseHierarchy(missing, "h.json");
    QVERIFY(!refused);
    QCOMPARE(refused.error().text(), std::string("h.json: levels: the field \"l3\" is missing"));
    Hierarchy edited = kpuHierarchy();
    edited.at(Level::L1).gbPerSecond = 0;
    QCOMPARE(checkHierarchy(edited).error().path, std::string("levels.l1.gb_per_s"));
}

TILEWRIGHT_TEST(TestSystolicHierarchy)

} // namespace test_systolic_hierarchy
#include "test_systolic_hierarchy.moc"
