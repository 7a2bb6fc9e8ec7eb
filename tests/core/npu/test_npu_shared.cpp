// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/npu.md 5.7: a memory that all cores share.
#include "npu/bounds.h"
#include "npu/noc.h"
#include "npu/output.h"
#include "npu/run.h"
#include "npu/tile_candidates.h"
#include "npu/tile_search.h"
#include "npu/verify.h"
#include "npu_models.h"
#include "npu_random.h"
#include "test_main.h"

#include <QTest>

namespace test_npu_shared {

using namespace tilewright;
using namespace tilewright::npu;
using namespace tilewright::npu::test;

namespace {

/// Four cores, each with a block of 256 x 64 of a product of 256^3; all read A.
NpuModel fourColumns()
{
    return matmulModel(256, 256, 256, {.m = 256, .n = 64, .k = 256});
}

} // namespace

class TestNpuShared : public QObject
{
    Q_OBJECT

private slots:
    void rule_5_7_bytesOfSeveralCoresComeOnce();
    void rule_5_7_aLoadWaitsForTheOneThatBringsItsBytes();
    void rule_5_7_smallMemoryGivesWay();
    void rule_5_7_itsPortLimitsAllCores();
    void rule_5_7_invariants();
    void rule_5_7_boundsOfTheSearchHold();
    void rule_5_10_readsAndWritesHaveTheirPorts();
    void rule_5_10_oneReadServesSeveralCores();
    void rule_5_10_aLateReaderReadsTheRestAlone();
    void rule_5_10_withoutThemNothingChanges();
};

void TestNpuShared::rule_5_7_bytesOfSeveralCoresComeOnce()
{
    NpuHardware hw;
    const NpuModel model = fourColumns();
    const auto graph = buildGraph(model, hw);
    QVERIFY(graph);
    const std::int64_t matrix = 256 * 256 * 2;
    const auto alone = simulate(*graph, hw, {});
    QVERIFY(alone);
    QCOMPARE(alone->dramBytes, 6 * matrix); // A four times, B, C
    QCOMPARE(alone->sharedBytes, std::int64_t{0});
    hw.shared = {4 * matrix, 1'000};
    const auto run = simulate(*graph, hw, {});
    QVERIFY(run);
    QVERIFY(allPassed(verifyRun(*graph, *run)));
    QCOMPARE(run->dramBytes, 3 * matrix);
    QCOMPARE(run->sharedBytes, 3 * matrix);
    QVERIFY(run->makespan < alone->makespan);
    const auto reports = opReports(*graph, *run);
    QCOMPARE(reports[0].loaded, 5 * matrix);
    QCOMPARE(reports[0].dramBytes(), 3 * matrix);
    QCOMPARE(reports[0].dramPj, 3 * 256 * 256 * hw.energy.dram);
}

void TestNpuShared::rule_5_7_aLoadWaitsForTheOneThatBringsItsBytes()
{
    NpuHardware hw;
    hw.cores = 2;
    hw.shared = {std::int64_t{1} << 20, 1'000};
    const auto graph = buildGraph(matmulModel(64, 128, 64, {.m = 64, .n = 64, .k = 64}), hw);
    QVERIFY(graph);
    const auto run = simulate(*graph, hw, {});
    QVERIFY(run);
    const TransferSpan &first = run->cores[0].loads.front(), &second = run->cores[1].loads.front();
    QCOMPARE(second.tile, first.tile);
    QCOMPARE(first.shared, std::int64_t{0});
    QCOMPARE(second.shared, std::int64_t{64 * 64 * 2});
    QCOMPARE(second.start, first.start);
    QCOMPARE(second.end, first.end + 64 * 64 * 2 / hw.linkBytesPerCycle); // one link, not shared with a store
}

/// The panel of A, 128 KiB, is gone when the next column reads it.
void TestNpuShared::rule_5_7_smallMemoryGivesWay()
{
    NpuHardware hw;
    hw.cores = 1;
    hw.spmBytes = 160 << 10;
    const auto graph = buildGraph(matmulModel(256, 256, 256, {.m = 256, .n = 64, .k = 64}), hw);
    QVERIFY(graph);
    std::int64_t before = -1;
    for (const std::int64_t bytes : {16 << 10, 64 << 10, 1 << 20}) {
        hw.shared = {bytes, 1'000};
        const auto run = simulate(*graph, hw, {});
        QVERIFY(run);
        QVERIFY(allPassed(verifyRun(*graph, *run)));
        QVERIFY(run->sharedBytes >= before);
        before = run->sharedBytes;
        if (bytes == 16 << 10)
            QCOMPARE(run->sharedBytes, std::int64_t{0});
        if (bytes == 1 << 20)
            QCOMPARE(run->dramBytes, std::int64_t{3 * 256 * 256 * 2});
    }
}

void TestNpuShared::rule_5_7_itsPortLimitsAllCores()
{
    NpuHardware hw;
    const auto graph = buildGraph(fourColumns(), hw);
    QVERIFY(graph);
    hw.shared = {std::int64_t{1} << 20, 16};
    const auto run = simulate(*graph, hw, {});
    QVERIFY(run);
    // 5 matrices loaded and 1 stored, through a port of 16 bytes a cycle.
    QVERIFY2(run->makespan >= 6 * 256 * 256 * 2 / 16, std::to_string(run->makespan).c_str());
    hw.trunkBytesPerCycle = 8; // less than the port
    QVERIFY(simulate(*graph, hw, {})->makespan >= 6 * 256 * 256 * 2 / 8);
}

/// Any model on any machine: the invariants of a run (docs/rules/npu.md 7) hold, DRAM moves at least what it
/// must and no more than without the memory's share, and a memory of no size changes nothing.
void TestNpuShared::rule_5_7_invariants()
{
    int supplied = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        RandomCase random(seed);
        NpuHardware hw = random.hardware(4);
        const NpuModel model = random.model(24);
        const NpuGraph graph = random.graph(model, hw);
        RunOptions options = random.options();
        const auto without = simulate(graph, hw, options);
        QVERIFY(without);
        hw.shared.bytesPerCycle = random.pick(1, 9); // of no size
        const auto none = simulate(graph, hw, options);
        QVERIFY(none);
        QCOMPARE(none->makespan, without->makespan);
        QVERIFY(none->dramEvents == without->dramEvents);
        hw.shared.bytes = random.pick(1, 64) * hw.dram.interleaveBytes;
        const auto run = simulate(graph, hw, options);
        QVERIFY(run);
        for (const RuleCheck& check : verifyRun(graph, *run))
            QVERIFY2(check.passed, check.text.c_str());
        std::int64_t moved = 0;
        for (const CoreRun& core : run->cores)
            for (const auto* spans : {&core.loads, &core.stores})
                for (const TransferSpan& s : *spans)
                    moved += graph.tiles[s.tile].alignedBytes;
        QCOMPARE(run->dramBytes + run->sharedBytes, moved);
        QVERIFY(run->dramBytes >= lowerBounds(graph, hw).compulsoryBytes);
        supplied += run->sharedBytes > 0;
    }
    QVERIFY2(supplied > 50, std::to_string(supplied).c_str());
}

void TestNpuShared::rule_5_7_boundsOfTheSearchHold()
{
    NpuHardware hw;
    const NpuModel model = matmulModel(256, 256, 256);
    const SharedHardware onePort{.bytes = 1 << 20, .bytesPerCycle = 96};
    SharedHardware twoPorts = onePort, multicast = onePort;
    twoPorts.readBytesPerCycle = 96;
    twoPorts.writeBytesPerCycle = 24;
    multicast.bytesPerCycle = 32;
    multicast.multicast = true;
    for (const std::int64_t m : {64, 128, 256})
        for (const std::int64_t n : {64, 128, 256})
            for (const SharedHardware& shared : {onePort, twoPorts, multicast}) {
                hw.shared = shared;
                const TileSizes tile{.m = m, .n = n, .k = n == 128 ? 256 : 64};
                const auto graph = buildGraph(operatorAlone(model, 0, tile), hw);
                QVERIFY(graph);
                const Cycle bound = boundAlone(model, hw, 0, tile);
                RunOptions options;
                const auto run = simulate(*graph, hw, options);
                QVERIFY(run);
                QVERIFY2(bound <= run->makespan, std::to_string(bound).c_str());
                options.giveUpAfter = run->makespan; // nothing is given up that ends in time
                QVERIFY(simulate(*graph, hw, options));
            }
}

namespace {

/// DRAM of one channel that moves 64 bytes a cycle without times of the banks; cores behind links of 32.
NpuHardware quickDram(int cores, SharedHardware shared)
{
    NpuHardware hw;
    hw.cores = cores;
    hw.dram.channels = 1;
    hw.dram.bytesPerCycle = 64;
    hw.dram.rowHitCycles = hw.dram.rowMissCycles = 0;
    hw.shared = shared;
    return hw;
}

} // namespace

/// A group of 256 bytes comes in 4 cycles; then the port is the limit.
void TestNpuShared::rule_5_10_readsAndWritesHaveTheirPorts()
{
    NpuHardware hw = quickDram(1, {.bytes = 1 << 20, .bytesPerCycle = 16});
    const auto graph = buildGraph(matmulModel(64, 64, 64, {.m = 64, .n = 64, .k = 64}), hw);
    QVERIFY(graph);
    const auto one = simulate(*graph, hw, {});
    QVERIFY(one);
    QCOMPARE(one->makespan, 3 * (4 + 8192 / 16) + 64 + 126);
    hw.shared.readBytesPerCycle = 16;
    hw.shared.writeBytesPerCycle = 8;
    const auto two = simulate(*graph, hw, {});
    QVERIFY(two);
    QCOMPARE(two->makespan, 2 * (4 + 8192 / 16) + 64 + 126 + 4 + 8192 / 8);
    QCOMPARE(simulate(*graph, quickDram(1, {}), {})->makespan, 970); // the link: 5.3
}

/// Both cores load A at the same time, then a tile of B each.
void TestNpuShared::rule_5_10_oneReadServesSeveralCores()
{
    NpuHardware hw = quickDram(2, {.bytes = 1 << 20, .bytesPerCycle = 32});
    const auto graph = buildGraph(matmulModel(64, 128, 64, {.m = 64, .n = 64, .k = 64}), hw);
    QVERIFY(graph);
    const auto alone = simulate(*graph, hw, {});
    QVERIFY(alone);
    // The second load has half of the port, too, but waits until the first one has ended.
    QCOMPARE(alone->cores[0].loads[0].end, 4 + 8192 / 16);
    QCOMPARE(alone->joinedBytes, std::int64_t{0});
    hw.shared.multicast = true;
    const auto run = simulate(*graph, hw, {});
    QVERIFY(run);
    QVERIFY(allPassed(verifyRun(*graph, *run)));
    const TransferSpan &first = run->cores[0].loads[0], &second = run->cores[1].loads[0];
    QCOMPARE(second.tile, first.tile);
    QVERIFY(second.joined && !first.joined);
    QCOMPARE(first.end, 4 + 8192 / 32);
    QCOMPARE(second.end, first.end);
    QCOMPARE(second.shared, std::int64_t{8192});
    QCOMPARE(run->joinedBytes, std::int64_t{8192});
    QCOMPARE(opReports(*graph, *run)[0].joined, std::int64_t{8192});
    QCOMPARE(run->dramBytes, alone->dramBytes);
    QVERIFY(run->makespan < alone->makespan);
}

/// A core that begins later gets what another one has had already, and reads it alone when that one has
/// ended.
void TestNpuShared::rule_5_10_aLateReaderReadsTheRestAlone()
{
    Noc noc(quickDram(2, {.bytes = 1 << 20, .bytesPerCycle = 16, .multicast = true}));
    noc.begin(0, 0);
    noc.share(0);
    noc.arrive(0, 1600, true, 0);
    QCOMPARE(noc.nextTime(), Cycle{100});
    noc.begin(2, 60, 0);
    noc.share(60);
    noc.arrive(2, 1600, true, 60);
    QCOMPARE(noc.nextTime(), Cycle{100}); // 40 cycles of one read for both
    noc.finish(0, 100);
    noc.share(100);
    QCOMPARE(noc.nextTime(), Cycle{160}); // the 960 bytes before them
    noc.begin(0, 110);                    // of another tile: half of the port each
    noc.share(110);
    QCOMPARE(noc.nextTime(), Cycle{110 + 800 / 8});
}

/// A memory that is not there has no ports, one core has nobody to share a read with, and two ports that are
/// never the limit are one that never is.
void TestNpuShared::rule_5_10_withoutThemNothingChanges()
{
    const auto same = [](const NpuRun& a, const NpuRun& b) {
        bool out = a.makespan == b.makespan && a.dramEvents == b.dramEvents && a.sharedBytes == b.sharedBytes;
        for (std::size_t c = 0; c < a.cores.size(); ++c)
            out = out && a.cores[c].loads == b.cores[c].loads && a.cores[c].stores == b.cores[c].stores;
        return out;
    };
    int supplied = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        RandomCase random(seed);
        NpuHardware hw = random.hardware(4);
        const NpuModel model = random.model(24);
        const NpuGraph graph = random.graph(model, hw);
        const RunOptions options = random.options();
        const auto none = simulate(graph, hw, options);
        QVERIFY(none);
        NpuHardware changed = hw;
        changed.shared = {0, 1, 1, 1, true};
        QVERIFY(same(*simulate(graph, changed, options), *none));
        hw.shared = {hw.dram.interleaveBytes * random.pick(1, 64), random.pick(1, 30)};
        changed = hw;
        changed.cores = hw.cores = 1;
        changed.shared.multicast = true;
        const auto alone = simulate(graph, hw, options);
        QVERIFY(alone);
        QVERIFY(same(*simulate(graph, changed, options), *alone));
        supplied += alone->sharedBytes > 0;
        hw.shared.bytesPerCycle = changed.shared.bytesPerCycle = 1 << 20;
        changed.shared.multicast = false;
        changed.shared.readBytesPerCycle = changed.shared.writeBytesPerCycle = 1 << 20;
        QVERIFY(same(*simulate(graph, changed, options), *simulate(graph, hw, options)));
    }
    QVERIFY2(supplied > 20, std::to_string(supplied).c_str());
}

TILEWRIGHT_TEST(TestNpuShared)

} // namespace test_npu_shared
#include "test_npu_shared.moc"
