// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/npu.md 5: the event simulation agrees with a ticking reference on every event.
#include "npu_random.h"
#include "npu_ticking.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace test_npu_ticking {

using namespace tilewright;
using namespace tilewright::npu;

namespace {

struct Totals
{
    int cases = 0;
    Cycle cycles = 0;
    std::size_t events = 0;
    std::int64_t shared = 0; ///< bytes of the shared memory
    std::int64_t joined = 0; ///< bytes of loads that joined another one
    std::int64_t passed = 0; ///< bytes that went from core to core
    std::array<Cycle, kCoreStates> states{};
};

/// The first difference between the event simulation's run and the ticking reference, empty when they agree.
QString difference(const NpuGraph& graph, const NpuHardware& hw, const NpuRun& run, Totals& totals)
{
    npu::test::TickResult tick = npu::test::TickingMachine(graph, hw, run.options).run(run.makespan + 10);
    if (tick.makespan != run.makespan)
        return QStringLiteral("makespan %1 and %2").arg(run.makespan).arg(tick.makespan);
    for (std::size_t c = 0; c < run.cores.size(); ++c) {
        const CoreRun& core = run.cores[c];
        if (core.tensor != tick.tensor[c] || core.vector != tick.vector[c])
            return QStringLiteral("computations of core %1").arg(c);
        if (core.loads != tick.loads[c] || core.stores != tick.stores[c])
            return QStringLiteral("transfers of core %1").arg(c);
        totals.events += core.tensor.size() + core.vector.size() + core.loads.size() + core.stores.size();
        for (std::size_t s = 0; s < kCoreStates; ++s)
            totals.states[s] += core.cycles[s];
        std::size_t step = 0;
        for (Cycle t = 0; t < run.makespan; ++t) {
            const auto at = static_cast<std::size_t>(t);
            const StateSpan* span = run.stateAt(c, t);
            if (!span || span->state != tick.states[c][at])
                return QStringLiteral("state of core %1 at %2").arg(c).arg(t);
            while (step + 1 < core.spm.size() && core.spm[step + 1].time <= t)
                ++step;
            if (core.spm[step].value != tick.spm[c][at])
                return QStringLiteral("SPM of core %1 at %2").arg(c).arg(t);
        }
    }
    std::size_t step = 0;
    for (Cycle t = 0; t < run.makespan; ++t) {
        while (step + 1 < run.readySet.size() && run.readySet[step + 1].time <= t)
            ++step;
        if (run.readySet[step].value != tick.ready[static_cast<std::size_t>(t)])
            return QStringLiteral("ready set at %1").arg(t);
    }
    const auto order = [](const DramEvent& a, const DramEvent& b) {
        return std::pair(a.start, a.channel) < std::pair(b.start, b.channel);
    };
    auto dram = run.dramEvents;
    std::sort(dram.begin(), dram.end(), order);
    std::sort(tick.dram.begin(), tick.dram.end(), order);
    if (dram != tick.dram)
        return QStringLiteral("DRAM events");
    totals.events += dram.size();
    totals.cycles += run.makespan;
    totals.shared += run.sharedBytes;
    totals.joined += run.joinedBytes;
    totals.passed += run.passedBytes;
    ++totals.cases;
    return {};
}

/// Runs a small model that `random` draws next on `hw`, and compares it with the reference (`found`: what
/// differs). Nothing if the case is too large to compare.
std::optional<NpuRun> drawnCase(npu::test::RandomCase& random, NpuHardware hw, Totals& totals, QString& found)
{
    const NpuModel model = random.model(12);
    const NpuGraph graph = random.graph(model, hw);
    const RunOptions options = random.options();
    if (graph.nodes.size() > 120)
        return std::nullopt;
    auto run = simulate(graph, hw, options);
    if (!run) {
        found = QString::fromStdString(run.error().text());
        return std::nullopt;
    }
    if (run->makespan > 12000)
        return std::nullopt;
    found = difference(graph, hw, *run, totals);
    return std::move(*run);
}

} // namespace

class TestNpuTicking : public QObject
{
    Q_OBJECT

private slots:
    void rule_5_agreesWithTickingReference();
    void rule_5_3_manyCores();
    void rule_5_7_sharedMemory();
    void rule_5_4_sharedTileOfManyUnits();
    void rule_5_8_coreToCore();
    void rule_5_9_requests();
    void rule_5_10_portsAndMulticast();
    void rule_5_11_addressHash();
};

void TestNpuTicking::rule_5_agreesWithTickingReference()
{
    Totals totals;
    for (std::uint64_t seed = 1; totals.cases < 300; ++seed) {
        QVERIFY2(seed < 2000, "too few small cases");
        npu::test::RandomCase random(seed);
        QString found;
        drawnCase(random, random.hardware(3), totals, found);
        QVERIFY2(found.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(found)));
    }
    QVERIFY(totals.events > 10000);
    for (std::size_t s = 0; s < kCoreStates; ++s) // the cases reach every state
        QVERIFY2(totals.states[s] > 0, toString(static_cast<CoreState>(s)).data());
    qInfo("%d cases, %lld cycles, %zu events agree", totals.cases, static_cast<long long>(totals.cycles),
          totals.events);
}

/// Shared memories of every size, from one block to more than all tensors.
void TestNpuTicking::rule_5_7_sharedMemory()
{
    Totals totals;
    int supplied = 0;
    for (std::uint64_t seed = 5001; totals.cases < 200; ++seed) {
        QVERIFY2(seed < 8000, "too few small cases");
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(3);
        hw.shared.bytes =
            hw.dram.interleaveBytes * (random.pick(0, 1) ? random.pick(1, 12) : random.pick(12, 400));
        hw.shared.bytesPerCycle = random.pick(1, 40);
        QString found;
        if (const auto run = drawnCase(random, hw, totals, found))
            supplied += run->sharedBytes > 0;
        QVERIFY2(found.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(found)));
    }
    QVERIFY2(supplied > 100, std::to_string(supplied).c_str());
    qInfo("%d cases, %lld cycles, %lld bytes supplied", totals.cases, static_cast<long long>(totals.cycles),
          static_cast<long long>(totals.shared));
}

/// More cores than the arbiter has bits for, two transfers each.
void TestNpuTicking::rule_5_3_manyCores()
{
    NpuModel model;
    model.name = "many";
    ModelOp op;
    op.type = OpType::RmsNorm;
    op.name = "norm";
    op.inputs = {model.addTensor("x", {300, 24}), model.addTensor("gamma", {24})};
    op.outputs = {model.addTensor("y", {300, 24})};
    op.tile.rows = 1;
    model.ops.push_back(op);
    Totals totals;
    for (const int cores : {32, 33, 70, 150}) {
        NpuHardware hw;
        hw.cores = cores;
        hw.trunkBytesPerCycle = cores * hw.linkBytesPerCycle; // no share of the trunk is rounded
        hw.spmBytes = 400;
        hw.vectorLanes = 2;
        RunOptions options;
        options.recordDram = true;
        const auto graph = buildGraph(model, hw);
        QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
        const auto run = simulate(*graph, hw, options);
        QVERIFY(run);
        const QString found = difference(*graph, hw, *run, totals);
        QVERIFY2(found.isEmpty(), qPrintable(QStringLiteral("%1 cores: %2").arg(cores).arg(found)));
    }
}

/// Hundreds of units that read one tile take another path through the dynamic choice.
void TestNpuTicking::rule_5_4_sharedTileOfManyUnits()
{
    NpuModel model;
    model.name = "shared";
    ModelOp op;
    op.type = OpType::RmsNorm;
    op.name = "norm";
    op.inputs = {model.addTensor("x", {300, 24}), model.addTensor("gamma", {24})};
    op.outputs = {model.addTensor("y", {300, 24})};
    op.tile.rows = 1;
    model.ops.push_back(op);
    NpuHardware hw;
    hw.cores = 2;
    hw.spmBytes = 400;
    hw.vectorLanes = 2;
    Totals totals;
    for (const double w3 : {0.0, 0.5}) {
        RunOptions options;
        options.weights.dramStall = w3;
        options.recordDram = true;
        const auto graph = buildGraph(model, hw);
        QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
        const auto run = simulate(*graph, hw, options);
        QVERIFY(run);
        const QString found = difference(*graph, hw, *run, totals);
        QVERIFY2(found.isEmpty(), qPrintable(found));
    }
}

/// Results go from core to core, some of them after a store because the scratchpads are small; with and
/// without a shared memory, latencies and requests.
void TestNpuTicking::rule_5_8_coreToCore()
{
    Totals totals;
    int passed = 0, toItself = 0;
    for (std::uint64_t seed = 20'001; totals.cases < 220; ++seed) {
        QVERIFY2(seed < 24'000, "too few small cases");
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(4);
        hw.coreToCore = true;
        hw.trunkBytesPerCycle = random.pick(4, 60);
        if (random.pick(0, 4) == 0)
            hw.shared = {hw.dram.interleaveBytes * random.pick(1, 60), random.pick(1, 40)};
        if (random.pick(0, 4) == 0)
            random.limitRequests(hw);
        QString found;
        if (const auto run = drawnCase(random, hw, totals, found)) {
            passed += run->passedBytes > 0;
            bool self = false;
            for (std::size_t c = 0; c < run->cores.size(); ++c)
                for (const TransferSpan& s : run->cores[c].loads)
                    self = self || s.from == static_cast<int>(c);
            toItself += self;
        }
        QVERIFY2(found.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(found)));
    }
    QVERIFY2(passed > 100, std::to_string(passed).c_str());
    QVERIFY2(toItself > 20, std::to_string(toItself).c_str());
    qInfo("%d cases, %lld cycles, %lld bytes passed on", totals.cases, static_cast<long long>(totals.cycles),
          static_cast<long long>(totals.passed));
}

void TestNpuTicking::rule_5_9_requests()
{
    Totals totals;
    for (std::uint64_t seed = 30'001; totals.cases < 200; ++seed) {
        QVERIFY2(seed < 34'000, "too few small cases");
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(3);
        random.limitRequests(hw);
        if (random.pick(0, 3) == 0)
            hw.shared = {hw.dram.interleaveBytes * random.pick(1, 60), random.pick(1, 40)};
        QString found;
        drawnCase(random, hw, totals, found);
        QVERIFY2(found.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(found)));
    }
    qInfo("%d cases, %lld cycles", totals.cases, static_cast<long long>(totals.cycles));
}

/// Two ports, multicast or both; some with requests, latencies, core-to-core transfers or a hash.
void TestNpuTicking::rule_5_10_portsAndMulticast()
{
    Totals totals;
    int joined = 0, twoPorts = 0;
    for (std::uint64_t seed = 40'001; totals.cases < 210; ++seed) {
        QVERIFY2(seed < 46'000, "too few small cases");
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(4);
        hw.trunkBytesPerCycle = random.pick(2, 80);
        random.sharedMemory(hw, random.pick(0, 2) ? random.pick(20, 400) : random.pick(1, 20));
        if (random.pick(0, 3) == 0)
            random.limitRequests(hw);
        hw.coreToCore = random.pick(0, 4) == 0;
        hw.dram.addressHash = random.pick(0, 4) == 0;
        QString found;
        if (const auto run = drawnCase(random, hw, totals, found)) {
            joined += run->joinedBytes > 0;
            twoPorts += hw.shared.hasTwoPorts();
        }
        QVERIFY2(found.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(found)));
    }
    QVERIFY2(joined > 40, std::to_string(joined).c_str());
    QVERIFY2(twoPorts > 100, std::to_string(twoPorts).c_str());
    qInfo("%d cases, %lld cycles, %d with multicast of %lld bytes", totals.cases,
          static_cast<long long>(totals.cycles), joined, static_cast<long long>(totals.joined));
}

void TestNpuTicking::rule_5_11_addressHash()
{
    Totals totals;
    int moved = 0;
    for (std::uint64_t seed = 50'001; totals.cases < 200; ++seed) {
        QVERIFY2(seed < 54'000, "too few small cases");
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(3);
        hw.dram.channels = static_cast<int>(random.pick(1, 9));
        hw.dram.banks = static_cast<int>(random.pick(1, 9));
        hw.dram.addressHash = true;
        if (random.pick(0, 3) == 0)
            random.limitRequests(hw);
        QString found;
        if (const auto run = drawnCase(random, hw, totals, found)) {
            DramHardware plain = hw.dram;
            plain.addressHash = false;
            moved += std::ranges::any_of(run->dramEvents, [&](const DramEvent& e) {
                return placeOf(plain, e.address).channel != e.channel;
            });
        }
        QVERIFY2(found.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(found)));
    }
    QVERIFY2(moved > 100, std::to_string(moved).c_str());
    qInfo("%d cases, %lld cycles", totals.cases, static_cast<long long>(totals.cycles));
}

TILEWRIGHT_TEST(TestNpuTicking)

} // namespace test_npu_ticking
#include "test_npu_ticking.moc"
