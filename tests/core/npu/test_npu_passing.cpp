// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/npu.md 5.8 and 5.9: core-to-core transfers, latency and outstanding requests of DRAM.
#include "npu/bounds.h"
#include "npu/forwarding.h"
#include "npu/instructions.h"
#include "npu/output.h"
#include "npu/run.h"
#include "npu/verify.h"
#include "npu_models.h"
#include "npu_random.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>

namespace test_npu_passing {

using namespace tilewright;
using namespace tilewright::npu;
using namespace tilewright::npu::test;

namespace {

/// A product of 64^3 in one tile, and an elementwise operator in two blocks of 32 rows, on two cores.
NpuModel productAndBlocks()
{
    NpuModel model = matmulModel(64, 64, 64, mnk(64, 64, 64));
    ModelOp op;
    op.type = OpType::Elementwise;
    op.name = "relu";
    op.inputs = model.ops[0].outputs;
    op.outputs = {model.addTensor("d", {64, 64})};
    op.tile.rows = 32;
    op.tile.cols = 64;
    model.ops.push_back(op);
    return model;
}

NpuHardware twoCores(bool coreToCore)
{
    NpuHardware hw;
    hw.cores = 2;
    hw.coreToCore = coreToCore;
    return hw;
}

Result<NpuRun> checked(const NpuGraph& graph, const NpuHardware& hw)
{
    auto run = simulate(graph, hw, {});
    if (run)
        for (const RuleCheck& check : verifyRun(graph, *run))
            if (!check.passed)
                return Error{ErrorCode::Internal, check.text, {}, {}};
    return run;
}

/// Cycles of one load of 8,192 bytes on one core whose DRAM has no time of its own but what is set here.
Cycle cyclesOfLoad(Cycle latency, std::int64_t requests, std::int64_t requestBytes)
{
    NpuHardware hw;
    hw.cores = 1;
    hw.dram.rowHitCycles = hw.dram.rowMissCycles = 0;
    hw.linkBytesPerCycle = hw.trunkBytesPerCycle = 1 << 14; // a group arrives when the bus has moved it
    hw.dram.readLatencyCycles = latency;
    hw.dram.outstandingRequests = requests;
    hw.dram.requestBytes = requestBytes;
    const auto graph = buildGraph(matmulModel(64, 64, 64, mnk(64, 64, 64)), hw);
    const auto run = simulate(*graph, hw, {});
    return run->cores[0].loads[0].end - run->cores[0].loads[0].start;
}

} // namespace

class TestNpuPassing : public QObject
{
    Q_OBJECT

private slots:
    void rule_5_8_resultsDoNotPassThroughDram();
    void rule_5_8_aTransferTakesBothLinks();
    void rule_5_8_resultsGiveWayWhenRoomLacks();
    void rule_5_8_whatMustBeStored();
    void rule_5_8_invariants();
    void rule_5_8_boundOfAStoppedRunHolds();
    void rule_5_9_latencyByHand();
    void rule_5_9_littlesLaw();
    void rule_5_9_invariants();
};

void TestNpuPassing::rule_5_8_resultsDoNotPassThroughDram()
{
    const std::int64_t matrix = 64 * 64 * 2;
    const NpuModel model = productAndBlocks();
    const NpuGraph graph = graphOf(model, twoCores(false));
    const auto through = checked(graph, twoCores(false));
    const auto direct = checked(graph, twoCores(true));
    QVERIFY(through);
    QVERIFY2(direct, direct ? "" : direct.error().text().c_str());
    QCOMPARE(through->dramBytes, 5 * matrix); // A, B, C out and in, D
    QCOMPARE(through->passedBytes, std::int64_t{0});
    QCOMPARE(direct->dramBytes, 3 * matrix); // A, B, D
    QCOMPARE(direct->passedBytes, matrix);   // both blocks: one of them from the core to itself
    QVERIFY(direct->makespan < through->makespan);
    const auto reports = opReports(graph, *direct);
    const NpuEnergy e = direct->hardware.energy;
    QCOMPARE(reports[0].stored, std::int64_t{0});
    QCOMPARE(reports[1].loaded, matrix);
    QCOMPARE(reports[1].passed, matrix);
    QCOMPARE(reports[1].dramBytes(), matrix); // D
    QCOMPARE(reports[1].dramPj, 64 * 64 * e.dram);
    QCOMPARE(reports[1].nocPj, 2 * 64 * 64 * e.noc);
    // Loaded, stored, sent; read and written by the vector engine.
    QCOMPARE(reports[1].spmPj, 5 * 64 * 64 * e.spm);
    const auto programs = instructionsOf(graph, *direct);
    const auto receives = [&](const std::vector<Instruction>& program) {
        return std::ranges::count_if(program, [](const Instruction& i) { return i.opcode == Opcode::TRecv; });
    };
    QCOMPARE(receives(programs[0]) + receives(programs[1]), 2);
    QVERIFY(traceToJson(graph, *direct).find("\"from_core\":") != std::string::npos);
}

/// A block of 4,096 bytes takes 4,096 / 32 cycles to the other core, and twice as long to the own one, which
/// it leaves and enters over the same link. The sender's store DMA is in use, so they follow each other.
void TestNpuPassing::rule_5_8_aTransferTakesBothLinks()
{
    const NpuGraph graph = graphOf(productAndBlocks(), twoCores(true));
    const auto run = checked(graph, twoCores(true));
    QVERIFY(run);
    const std::uint16_t maker = run->coreOf[0];
    std::vector<TransferSpan> own, other;
    for (std::size_t c = 0; c < 2; ++c)
        for (const TransferSpan& s : run->cores[c].loads)
            if (s.from >= 0) {
                QCOMPARE(s.from, int{maker});
                (c == maker ? own : other).push_back(s);
            }
    QCOMPARE(own.size(), std::size_t{1});
    QCOMPARE(other.size(), std::size_t{1});
    QCOMPARE(own[0].end - own[0].start, Cycle{4096 / 16});
    QCOMPARE(other[0].end - other[0].start, Cycle{4096 / 32});
    QVERIFY(own[0].start >= other[0].end || other[0].start >= own[0].end);
    QCOMPARE(std::min(own[0].start, other[0].start), run->doneAt[0]); // at once
}

/// A core makes four results of 16 KiB that are read at the end only. They do not fit: some are stored.
void TestNpuPassing::rule_5_8_resultsGiveWayWhenRoomLacks()
{
    NpuModel model;
    model.name = "late";
    std::vector<std::size_t> made;
    for (int i = 0; i < 4; ++i) {
        ModelOp op;
        op.type = OpType::Elementwise;
        op.name = "make" + std::to_string(i);
        op.inputs = {model.addTensor("x" + std::to_string(i), {64, 64})};
        op.outputs = {model.addTensor("y" + std::to_string(i), {64, 64})};
        op.tile.rows = op.tile.cols = 64;
        made.push_back(op.outputs[0]);
        model.ops.push_back(op);
    }
    ModelOp sum;
    sum.type = OpType::Elementwise;
    sum.name = "sum";
    sum.inputs = made;
    sum.outputs = {model.addTensor("z", {64, 64})};
    sum.tile.rows = 16;
    sum.tile.cols = 64;
    model.ops.push_back(sum);
    NpuHardware hw;
    hw.cores = 1;
    hw.coreToCore = true;
    const std::int64_t matrix = 64 * 64 * 2;
    for (const auto& [room, dram] :
         {std::pair{12 * matrix, 5 * matrix}, std::pair{4 * matrix, -1 * matrix}}) {
        hw.spmBytes = room;
        const NpuGraph graph = graphOf(model, hw);
        const auto run = checked(graph, hw);
        QVERIFY2(run, run ? "" : run.error().text().c_str());
        if (dram > 0) {
            QCOMPARE(run->dramBytes, dram); // four operands and one result
            continue;
        }
        std::size_t stores = run->cores[0].stores.size();
        QVERIFY2(stores > 4, std::to_string(stores).c_str()); // z has 4 blocks
        QVERIFY(run->dramBytes > 5 * matrix);
        QVERIFY(run->dramBytes <= 5 * matrix + 2 * 4 * matrix);
    }
}

/// Results that no operator reads, and caches, go to DRAM at once; a tile of which DRAM has a part before the
/// run comes from DRAM.
void TestNpuPassing::rule_5_8_whatMustBeStored()
{
    const NpuHardware hw = twoCores(true);
    const NpuGraph graph = graphOf(productAndBlocks(), hw);
    const Forwarding forwarding(graph, hw);
    QVERIFY(forwarding.isThere());
    QVERIFY(!Forwarding(graph, twoCores(false)).isThere());
    QVERIFY(!forwarding.mustStore(graph.outputs(0)[0]));
    QVERIFY(forwarding.passesOn(0));
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}}) {
        QVERIFY(forwarding.mustStore(graph.outputs(n)[0]));
        const auto parts = forwarding.partsOf(graph.inputs(n)[0]);
        QCOMPARE(parts.size(), std::size_t{1});
        QCOMPARE(parts[0].bytes, std::int64_t{32 * 64 * 2});
    }
    QVERIFY(forwarding.partsOf(graph.inputs(0)[0]).empty()); // an operand of the model
    // The cache had 3 tokens before: a load of all 4 cannot come from the node that adds one.
    NpuModel model;
    model.name = "cache";
    ModelOp append;
    append.type = OpType::KvAppend;
    append.name = "append";
    append.heads = 1;
    append.position = 3;
    append.inputs = {model.addTensor("new", {1, 8})};
    append.outputs = {model.addTensor("cache", {1, 1, 4, 8})};
    model.ops.push_back(append);
    ModelOp norm;
    norm.type = OpType::RmsNorm;
    norm.name = "norm";
    norm.inputs = {append.outputs[0]};
    norm.outputs = {model.addTensor("out", {1, 1, 4, 8})};
    model.ops.push_back(norm);
    const NpuGraph cached = graphOf(model, hw);
    const Forwarding ofCache(cached, hw);
    QVERIFY(!ofCache.passesOn(0));
    QVERIFY(ofCache.mustStore(cached.outputs(0)[0]));
    const auto run = checked(cached, hw);
    QVERIFY2(run, run ? "" : run.error().text().c_str());
    QCOMPARE(run->passedBytes, std::int64_t{0});
}

/// Any model on any machine: the invariants of a run hold, and results that are stored although they need not
/// be, for want of room, occur.
void TestNpuPassing::rule_5_8_invariants()
{
    int passed = 0, stored = 0;
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
        RandomCase random(seed);
        NpuHardware hw = random.hardware(5);
        const NpuModel model = random.model(24);
        const NpuGraph graph = random.graph(model, hw);
        hw.coreToCore = true;
        if (seed % 3 == 0)
            random.limitRequests(hw);
        const auto run = simulate(graph, hw, random.options());
        QVERIFY2(run, run ? "" : run.error().text().c_str());
        for (const RuleCheck& check : verifyRun(graph, *run))
            QVERIFY2(check.passed,
                     qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(check.text.c_str())));
        QVERIFY(run->dramBytes >= lowerBounds(graph, hw).compulsoryBytes);
        const Forwarding forwarding(graph, hw);
        bool some = false;
        for (const CoreRun& core : run->cores)
            for (const TransferSpan& s : core.stores)
                some = some || !forwarding.mustStore(s.tile);
        passed += run->passedBytes > 0;
        stored += some;
    }
    QVERIFY2(passed > 100, std::to_string(passed).c_str());
    QVERIFY2(stored > 30, std::to_string(stored).c_str());
}

void TestNpuPassing::rule_5_8_boundOfAStoppedRunHolds()
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        RandomCase random(seed);
        NpuHardware hw = random.hardware(4);
        const NpuGraph graph = random.graph(random.model(24), hw);
        hw.coreToCore = true;
        RunOptions options;
        const auto run = simulate(graph, hw, options);
        QVERIFY(run);
        options.giveUpAfter = run->makespan; // nothing is given up that ends in time
        QVERIFY(simulate(graph, hw, options));
    }
}

/// 8,192 bytes are 32 groups of 256 bytes, of which each of the 4 channels moves 8, each in 16 cycles.
void TestNpuPassing::rule_5_9_latencyByHand()
{
    QCOMPARE(cyclesOfLoad(0, 0, 64), Cycle{8 * 16 + 1});
    QCOMPARE(cyclesOfLoad(100, 0, 64), Cycle{100 + 8 * 16 + 1});
    // One request of 256 bytes after the other: 100 + 16 cycles each.
    QCOMPARE(cyclesOfLoad(100, 1, 256), Cycle{32 * 116 + 1});
    // Four at a time, on four channels.
    QCOMPARE(cyclesOfLoad(100, 4, 256), Cycle{8 * 116 + 1});
    // As many requests as there are bytes: no limit.
    QCOMPARE(cyclesOfLoad(100, 32, 256), cyclesOfLoad(100, 0, 64));
    // Bursts of 64 bytes, one after the other: 4 cycles on the bus each.
    QCOMPARE(cyclesOfLoad(100, 1, 64), Cycle{128 * 104 + 1});
    QCOMPARE(cyclesOfLoad(100, 1, 1), cyclesOfLoad(100, 1, 64)); // at least a burst
}

/// No load is faster than requests * their bytes / least time of a request allows.
void TestNpuPassing::rule_5_9_littlesLaw()
{
    for (const std::int64_t requests : {1, 2, 3, 8, 64})
        for (const std::int64_t bytes : {64, 128, 256, 1024})
            for (const Cycle latency : {10, 200}) {
                const double rate = static_cast<double>(requests * bytes) /
                                    static_cast<double>(latency + std::min<std::int64_t>(bytes, 256) / 16);
                const auto cycles = static_cast<double>(cyclesOfLoad(latency, requests, bytes));
                const double all = 8'192.0 / rate;
                // The last round may carry less than it could.
                QVERIFY2(cycles >= std::floor(all), std::to_string(cycles).c_str());
                if (requests * bytes <= 1'024)
                    QVERIFY2(cycles <= all + static_cast<double>(latency) + 129,
                             std::to_string(cycles).c_str());
            }
}

void TestNpuPassing::rule_5_9_invariants()
{
    for (std::uint64_t seed = 301; seed <= 420; ++seed) {
        RandomCase random(seed);
        NpuHardware hw = random.hardware(4);
        const NpuGraph graph = random.graph(random.model(24), hw);
        const RunOptions options = random.options();
        const auto without = simulate(graph, hw, options);
        random.limitRequests(hw);
        const auto run = simulate(graph, hw, options);
        QVERIFY(run && without);
        for (const RuleCheck& check : verifyRun(graph, *run))
            QVERIFY2(check.passed,
                     qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(check.text.c_str())));
    }
}

TILEWRIGHT_TEST(TestNpuPassing)

} // namespace test_npu_passing
#include "test_npu_passing.moc"
