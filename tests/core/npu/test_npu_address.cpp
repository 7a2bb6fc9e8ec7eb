// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/npu.md 5.11: higher bits of the address permute channels and banks.
#include "npu/run.h"
#include "npu_models.h"
#include "npu_random.h"
#include "test_main.h"

#include <QTest>

#include <cstdlib>
#include <map>
#include <tuple>

namespace test_npu_address {

using namespace tilewright;
using namespace tilewright::npu;
using namespace tilewright::npu::test;

class TestNpuAddress : public QObject
{
    Q_OBJECT

private slots:
    void rule_5_11_bitsByHand();
    void rule_5_11_everyPlaceHasOneBlock();
    void rule_5_11_stridesAreFaster();
    void rule_5_11_aStreamIsAsFast();
};

void TestNpuAddress::rule_5_11_bitsByHand()
{
    DramHardware d; // 4 channels, 16 banks, interleave 256, rows of 2 KiB
    d.addressHash = true;
    QVERIFY((placeOf(d, 256 * 3 + 255) == DramPlace{3, 0, 0}));
    QVERIFY((placeOf(d, 256 * 4) == DramPlace{1, 1, 0}));           // 1 above the channel
    QVERIFY((placeOf(d, 256 * 4 * 0b1101) == DramPlace{2, 13, 0})); // 01 ^ 11 = 10
    QVERIFY((placeOf(d, 256 * 64) == DramPlace{1, 0, 0}));          // 1 00 00 above: three pairs
    QVERIFY((placeOf(d, 256 * 64 * 8) == DramPlace{2, 1, 1}));      // 10 00 00 00 above; row 1
    d.channels = 3;                                                 // no power of two: the sum modulo 3
    d.banks = 1;
    QVERIFY((placeOf(d, 256 * 3 * 0b1101) == DramPlace{2, 0, 1}));
    QVERIFY((placeOf(d, 256 * (3 * 0b1101 + 2)) == DramPlace{1, 0, 1}));
}

/// Blocks of different addresses never share a place, and each row has as many as without the hash.
void TestNpuAddress::rule_5_11_everyPlaceHasOneBlock()
{
    RandomCase random(1);
    for (int i = 0; i < 60; ++i) {
        DramHardware d = random.hardware(1).dram;
        d.channels = static_cast<int>(random.pick(1, 12));
        d.banks = static_cast<int>(random.pick(1, 12));
        d.addressHash = true;
        const std::int64_t rowsOfBlocks = 6,
                           blocks = rowsOfBlocks * (d.rowBytes / d.interleaveBytes) * d.channels * d.banks;
        std::map<std::tuple<int, int, std::int64_t>, std::int64_t> places;
        for (std::int64_t b = 0; b < blocks; ++b) {
            const DramPlace p = placeOf(d, b * d.interleaveBytes);
            QVERIFY(p.channel >= 0 && p.channel < d.channels && p.bank >= 0 && p.bank < d.banks);
            ++places[{p.channel, p.bank, p.row}];
        }
        QCOMPARE(static_cast<std::int64_t>(places.size()), rowsOfBlocks * d.channels * d.banks);
        for (const auto& [place, count] : places)
            QCOMPARE(count, d.rowBytes / d.interleaveBytes);
    }
}

/// Rows of B lie four blocks apart: without the hash all on one of four channels.
void TestNpuAddress::rule_5_11_stridesAreFaster()
{
    NpuHardware hw;
    hw.cores = 1;
    hw.linkBytesPerCycle = hw.trunkBytesPerCycle = 64;
    hw.dram.rowHitCycles = hw.dram.rowMissCycles = 0;
    const auto loadOfB = [&] {
        const auto graph = buildGraph(matmulModel(64, 512, 8, {.m = 64, .n = 128, .k = 8}), hw);
        if (!graph)
            return Cycle{-1};
        const auto run = simulate(*graph, hw, {});
        return run ? run->cores[0].loads[1].end - run->cores[0].loads[1].start : Cycle{-1};
    };
    QCOMPARE(loadOfB(), Cycle{8 * 16 + 4}); // eight groups of 16 cycles, then 256 bytes over the link
    hw.dram.addressHash = true;
    QCOMPARE(loadOfB(), Cycle{3 * 16 + 4}); // channels 1, 2, 3, 1, 0, 3, 2, 2
    // On the default DRAM, with the times of its banks.
    hw = {};
    const auto makespan = [&] {
        const auto graph = buildGraph(matmulModel(64, 2048, 512, {.m = 64, .n = 64, .k = 64}), hw);
        const auto run = graph ? simulate(*graph, hw, {}) : graph.error();
        return run ? run->makespan : Cycle{-1};
    };
    const Cycle plain = makespan();
    hw.dram.addressHash = true;
    const Cycle hashed = makespan();
    qInfo("columns of a matrix: %lld cycles, with the hash %lld", static_cast<long long>(plain),
          static_cast<long long>(hashed));
    QVERIFY(hashed > 0 && 4 * hashed < 3 * plain);
}

/// Adjacent bytes use all channels and banks with and without the hash, and open as many rows.
void TestNpuAddress::rule_5_11_aStreamIsAsFast()
{
    NpuHardware hw;
    hw.cores = 1;
    hw.linkBytesPerCycle = hw.trunkBytesPerCycle = 64;
    const NpuModel model = matmulModel(64, 64, 2048, {.m = 64, .n = 64, .k = 2048});
    const auto graph = buildGraph(model, hw);
    QVERIFY(graph);
    const auto plain = simulate(*graph, hw, {});
    hw.dram.addressHash = true;
    const auto hashed = simulate(*graph, hw, {});
    QVERIFY(plain && hashed);
    QVERIFY(std::abs(plain->makespan - hashed->makespan) * 50 < plain->makespan);
}

TILEWRIGHT_TEST(TestNpuAddress)

} // namespace test_npu_address
#include "test_npu_address.moc"
