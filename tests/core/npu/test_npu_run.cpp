// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/npu.md 4 (lower bounds), 5, 6 and 7: runs, outputs and their verification.
#include "npu/best_policy.h"
#include "npu/bounds.h"
#include "npu/dynamic_policy.h"
#include "npu/generate.h"
#include "npu/instructions.h"
#include "npu/noc.h"
#include "npu/output.h"
#include "npu/run.h"
#include "npu/verify.h"
#include "npu_models.h"
#include "npu_random.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>
#include <set>

namespace test_npu_run {

using namespace tilewright;
using namespace tilewright::npu;

namespace {

const char* const kSamples[] = {"bert_block", "conv_net", "llama_prefill", "llama_decode", "kv_three_banks"};

NpuModel sample(const char* name)
{
    auto model = loadModel(std::string(TILEWRIGHT_SOURCE_DIR) + "/samples/npu/" + name + ".json");
    if (!model)
        qFatal("%s", model.error().text().c_str());
    return std::move(model.value());
}

NpuHardware preset(const char* name)
{
    auto hw = loadHardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/data/npu_hardware/" + name + ".json");
    if (!hw)
        qFatal("%s", hw.error().text().c_str());
    return hw.value();
}

/// Empty when every rule holds.
QString broken(const std::vector<RuleCheck>& checks)
{
    for (const RuleCheck& c : checks)
        if (!c.passed)
            return QString::fromStdString(c.rule + ": " + c.text);
    return {};
}

LlamaBlockOptions smallLlama(LlamaPhase phase)
{
    LlamaBlockOptions o;
    o.phase = phase;
    o.hidden = 256;
    o.heads = 8;
    o.ffn = 512;
    o.tokens = 40;
    o.cached = 300;
    return o;
}

} // namespace

class TestNpuRun : public QObject
{
    Q_OBJECT

private slots:
    /// docs/rules/npu.md 4.1
    void theBestSchedulerIsTheFastestOffered()
    {
        for (const char* name : {"bert_block", "conv_net", "kv_three_banks"}) {
            const NpuModel model = sample(name);
            const NpuHardware hw = model.hardware.value_or(NpuHardware{});
            const auto graph = buildGraph(model, hw);
            QVERIFY(graph.hasValue());
            const auto best = simulateBest(*graph, hw, {});
            QVERIFY(best.hasValue());
            QVERIFY(best->compared.size() >= 3);
            QVERIFY(best->compared.front().scheduler ==
                    RunOptions{}.scheduler); // that of no choice is tried first
            std::set<std::string> names;
            Cycle least = kNever;
            for (const PolicyRun& r : best->compared) {
                RunOptions options;
                options.scheduler = r.scheduler;
                options.assignment = r.assignment;
                QCOMPARE(simulate(*graph, hw, options)->makespan, r.makespan);
                QVERIFY(names.insert(policyText(r.scheduler, r.assignment)).second);
                least = std::min(least, r.makespan);
            }
            QCOMPARE(best->run.makespan, least);
            const std::string said = policySentence(best->run.options, best->compared);
            QVERIFY2(said.starts_with(policyText(best->run.options.scheduler, best->run.options.assignment) +
                                      ", the fastest of "),
                     said.c_str());
        }
    }

    /// Heads stay on their cores if that is asked for; a graph without heads has nothing to keep together.
    void offeredSchedulersKeepTheOptions()
    {
        const auto withHeads = buildGraph(sample("bert_block"), {}),
                   without = buildGraph(sample("conv_net"), {});
        QVERIFY(withHeads && without);
        QCOMPARE(offeredPolicies(*withHeads, {}).size(), std::size_t{5});
        QCOMPARE(offeredPolicies(*without, {}).size(), std::size_t{3});
        RunOptions options;
        options.memoryBoundFirst = true;
        options.assignment = Assignment::HeadParallel;
        const auto kept = offeredPolicies(*withHeads, options);
        QCOMPARE(kept.size(), std::size_t{2});
        for (const RunOptions& o : kept)
            QVERIFY(o.memoryBoundFirst && o.assignment == Assignment::HeadParallel);
    }

    /// A large graph runs once, and the answer says so.
    void largeGraphsAreNotCompared()
    {
        NpuModel model;
        const auto rows = static_cast<std::int64_t>(kMostComparedNodes) + 1;
        const std::size_t a = model.addTensor("a", {rows, 1}), b = model.addTensor("b", {rows, 1});
        ModelOp op;
        op.type = OpType::Elementwise;
        op.name = "copy";
        op.inputs = {a};
        op.outputs = {b};
        op.tile.rows = 1;
        model.ops.push_back(op);
        const auto graph = buildGraph(model, {});
        QVERIFY2(graph.hasValue(), graph ? "" : graph.error().text().c_str());
        QVERIFY(graph->nodes.size() > kMostComparedNodes);
        const auto best = simulateBest(*graph, {}, {});
        QVERIFY(best.hasValue());
        QVERIFY(best->compared.empty());
        QCOMPARE(policySentence(best->run.options, best->compared),
                 std::string("dynamic, not compared: the graph has more than 20\u202f000 nodes"));
    }

    void rule_7_everyRuleHoldsOnSamples();
    void rule_7_everyRuleHoldsOnRandomModels();
    void rule_7_checksFindBrokenRuns();
    void rule_8_prefillScales();
    void rule_8_decodeIsBoundByDram();
    void dynamicIsNotWorseThanStatic();
    void rule_4_lowerBoundsHold();
    void rule_5_deterministic();
    void rule_5_3_nocSharesAreMaxMinFair();
    void rule_5_3_transfersPassByInterleaveBlock();
    void rule_5_3_queuesHoldWholeTiles();
    void rule_5_4_weightsAndNormalisation();
    void rule_5_4_termsOfAChoice();
    void rule_5_4_headParallelKeepsHeadsTogether();
    void rule_5_6_nodeLargerThanSpmIsNamed();
    void rule_6_instructionsReplay();
    void replayBesideTheRunIsTheRun();
    void giveUpAfterStopsALongerRun();
    void rule_6_scalingCurve();
    void rule_6_1_outputs();
    void stopIsHonoured();
};

void TestNpuRun::rule_7_everyRuleHoldsOnSamples()
{
    for (const char* name : kSamples) {
        const auto graph = buildGraph(sample(name), {});
        QVERIFY2(graph, name);
        const QString bad = broken(verifyGraph(*graph));
        QVERIFY2(bad.isEmpty(), qPrintable(bad));
        // The two LLaMA blocks move 400 MB a run: between 1 and 8 cores the schedulers take turns there.
        const bool large = graph->nodes.size() > 1500;
        for (int cores = 1; cores <= 8; ++cores)
            for (const Scheduler scheduler : {Scheduler::Static, Scheduler::Dynamic}) {
                if (large && cores > 1 && cores < 8 && (cores % 2 == 0) != (scheduler == Scheduler::Dynamic))
                    continue;
                NpuHardware hw;
                hw.cores = cores;
                RunOptions options;
                options.scheduler = scheduler;
                options.recordDram = !large;
                const auto run = simulate(*graph, hw, options);
                QVERIFY(run);
                const QString found = broken(verifyRun(*graph, *run, !large || cores == 8));
                QVERIFY2(found.isEmpty(), qPrintable(found));
            }
    }
}

void TestNpuRun::rule_7_everyRuleHoldsOnRandomModels()
{
    for (std::uint64_t seed = 1001; seed <= 1500; ++seed) {
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(8);
        const NpuModel model = random.model(24);
        const NpuGraph graph = random.graph(model, hw);
        const RunOptions options = random.options();
        QString bad = broken(verifyGraph(graph));
        QVERIFY2(bad.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(bad)));
        const auto run = simulate(graph, hw, options);
        QVERIFY2(run, qPrintable(QString::number(seed)));
        bad = broken(verifyRun(graph, *run));
        QVERIFY2(bad.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(bad)));
    }
}

void TestNpuRun::rule_7_checksFindBrokenRuns()
{
    const auto model = generateLlamaBlock(smallLlama(LlamaPhase::Decode));
    const auto graph = buildGraph(*model, {});
    QVERIFY(graph);
    RunOptions options;
    options.recordDram = true;
    const auto good = simulate(*graph, graph->hardware, options);
    QVERIFY(good);
    QVERIFY(broken(verifyRun(*graph, *good)).isEmpty());
    const auto fails = [&](const char* rule, auto&& damage) {
        NpuRun run = *good;
        damage(run);
        for (const RuleCheck& c : verifyRun(*graph, run, false))
            if (c.rule == rule)
                return !c.passed;
        return false;
    };
    QVERIFY(fails("spm_capacity", [](NpuRun& r) {
        r.cores[0].spm.push_back({r.makespan, r.hardware.spmBytes + 1});
    }));
    QVERIFY(fails("executed_once", [](NpuRun& r) { r.cores[0].choices.pop_back(); }));
    QVERIFY(fails("executed_once", [](NpuRun& r) { --r.cores[0].tensor.back().end; }));
    QVERIFY(fails("executed_once", [&](NpuRun& r) {
        for (ComputeSpan& s : r.cores[0].vector)
            if (!graph->deps.of(s.node).empty()) { // as if it had not waited
                s.end -= s.start;
                s.start = 0;
            }
    }));
    QVERIFY(fails("dram_bytes", [](NpuRun& r) { r.dramBytes += 64; }));
    QVERIFY(fails("dram_bytes", [](NpuRun& r) { r.dramEvents.pop_back(); }));
    QVERIFY(fails("attribution", [](NpuRun& r) { ++r.cores[1].cycles[6]; }));
    QVERIFY(fails("attribution", [](NpuRun& r) { r.cores[1].states.erase(r.cores[1].states.begin()); }));
    QVERIFY(fails("loads_after_stores", [](NpuRun& r) {
        for (Cycle& t : r.storedAt)
            t = r.makespan + 1;
    }));
    NpuGraph damaged = *graph;
    damaged.tiles[damaged.outputs(damaged.nodes.size() - 1)[0]].offset[0] = 5;
    QVERIFY(!broken(verifyGraph(damaged)).isEmpty());
}

void TestNpuRun::rule_8_prefillScales()
{
    const NpuHardware ample = preset("ample_bandwidth");
    const auto graph = buildGraph(sample("llama_prefill"), ample);
    QVERIFY(graph);
    const auto points = scaling(*graph, ample, {}, {4});
    QVERIFY(points);
    QCOMPARE(points->size(), std::size_t{2});
    QVERIFY2(points->back().dynamicEfficiency() >= 0.9,
             qPrintable(QString::number(points->back().dynamicEfficiency())));
    QVERIFY(points->back().staticEfficiency() >= 0.9);
    qInfo("prefill, 4 cores, ample bandwidth: efficiency %.3f dynamic, %.3f static",
          points->back().dynamicEfficiency(), points->back().staticEfficiency());
}

void TestNpuRun::rule_8_decodeIsBoundByDram()
{
    const auto graph = buildGraph(sample("llama_decode"), {});
    QVERIFY(graph);
    const auto run = simulate(*graph, graph->hardware, {});
    QVERIFY(run);
    QVERIFY(run->dramUtilization() >= 0.9);
    const Bounds bounds = lowerBounds(*graph, graph->hardware);
    QCOMPARE(bounds.binding(), std::string_view("dram"));
    const std::string text = explainRun(*graph, *run, bounds);
    QVERIFY2(text.starts_with("DRAM binds: its buses are busy for 9"), text.c_str());
    qInfo("%s", text.c_str());
}

void TestNpuRun::dynamicIsNotWorseThanStatic()
{
    for (const char* name : kSamples) {
        const auto graph = buildGraph(sample(name), {});
        QVERIFY(graph);
        NpuHardware hw;
        Cycle makespan[2];
        for (const Scheduler s : {Scheduler::Static, Scheduler::Dynamic}) {
            RunOptions options;
            options.scheduler = s;
            const auto run = simulate(*graph, hw, options);
            QVERIFY(run);
            makespan[s == Scheduler::Dynamic] = run->makespan;
        }
        qInfo("%s: static %lld, dynamic %lld", name, static_cast<long long>(makespan[0]),
              static_cast<long long>(makespan[1]));
        QVERIFY2(static_cast<double>(makespan[1]) <= 1.02 * static_cast<double>(makespan[0]), name);
    }
}

void TestNpuRun::rule_4_lowerBoundsHold()
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(4);
        const NpuModel model = random.model(16);
        const NpuGraph graph = random.graph(model, hw);
        const Bounds b = lowerBounds(graph, hw);
        const auto run = simulate(graph, hw, random.options());
        QVERIFY(run);
        QVERIFY2(run->makespan >= b.lowerBound, qPrintable(QString::number(seed)));
        QVERIFY(run->dramBytes >= b.compulsoryBytes);
        QVERIFY(b.lowerBound >= b.criticalPath && b.lowerBound >= b.tensor && b.lowerBound >= b.dram);
    }
    // by hand: C = A * B with 64 x 64 x 64 on one 64 x 64 engine
    NpuModel model;
    model.name = "one";
    ModelOp op;
    op.type = OpType::MatMul;
    op.name = "mm";
    op.inputs = {model.addTensor("a", {64, 64}), model.addTensor("b", {64, 64})};
    op.outputs = {model.addTensor("c", {64, 64})};
    model.ops.push_back(op);
    const auto graph = buildGraph(model, {});
    const Bounds b = lowerBounds(*graph, graph->hardware);
    QCOMPARE(b.criticalPath, Cycle{64 + 126});
    QCOMPARE(b.tensor, Cycle{48}); // 190 / 4
    QCOMPARE(b.compulsoryBytes, std::int64_t{3 * 64 * 64 * 2});
    QCOMPARE(b.dram, Cycle{384});
    // A tensor that nobody reads may be larger than any memory: it takes none.
    model.tensors.insert(model.tensors.begin() + 1, {"unused", {std::int64_t{1} << 31, 256}});
    model.ops.front().inputs[1] = 2;
    model.ops.front().outputs = {3};
    const auto large = buildGraph(model, {});
    QVERIFY(large);
    QCOMPARE(lowerBounds(*large, large->hardware).compulsoryBytes, b.compulsoryBytes);
}

void TestNpuRun::rule_5_deterministic()
{
    const auto model = generateLlamaBlock(smallLlama(LlamaPhase::Prefill));
    const auto graph = buildGraph(*model, {});
    RunOptions options;
    options.recordDram = true;
    const auto a = simulate(*graph, graph->hardware, options);
    const auto b = simulate(*graph, graph->hardware, options);
    QVERIFY(a && b);
    QCOMPARE(a->makespan, b->makespan);
    QVERIFY(a->dramEvents == b->dramEvents);
    for (std::size_t c = 0; c < a->cores.size(); ++c)
        QVERIFY(a->cores[c].states == b->cores[c].states && a->cores[c].spm == b->cores[c].spm);
}

void TestNpuRun::rule_5_3_nocSharesAreMaxMinFair()
{
    // Link 10, trunk 24: core 0 loads and stores (5 each), cores 1 and 2 load: 10 + 5 + 5 leaves each at most
    // (24 - 10) / 2 = 7. 70 bytes at 7 a cycle end after 10 cycles, 7 bytes at 5 after 2 (1.4 rounded up).
    NpuHardware hw;
    hw.cores = 3;
    hw.linkBytesPerCycle = 10;
    hw.trunkBytesPerCycle = 24;
    Noc noc(hw);
    for (const int slot : {0, 1, 2, 4})
        noc.begin(slot, 0);
    noc.share(0);
    noc.arrive(2, 70, true, 0);
    QCOMPARE(noc.nextTime(), Cycle{10});
    noc.arrive(0, 7, true, 0);
    QCOMPARE(noc.nextTime(), Cycle{2});
    QVERIFY(noc.endsAt(0, 2));
    // Three transfers share the trunk evenly, 8 each: the 56 bytes left of core 1 take 7 more cycles.
    noc.finish(0, 2);
    noc.share(2);
    QCOMPARE(noc.nextTime(), Cycle{9});
    noc.arrive(1, 20, true, 2); // 20 / 8, rounded up
    QCOMPARE(noc.nextTime(), Cycle{5});
    noc.finish(1, 5);
    noc.finish(4, 5);
    noc.share(5); // alone: its link's 10, 32 bytes left
    QCOMPARE(noc.nextTime(), Cycle{9});
    // DRAM limited the transfer until it was done with it, then the NoC.
    QCOMPARE(noc.flips(2).size(), std::size_t{1});
    QVERIFY(noc.flips(2)[0].time == 0 && noc.flips(2)[0].byNoc);
}

/// DRAM hands a transfer to the NoC one interleave block after the other.
void TestNpuRun::rule_5_3_transfersPassByInterleaveBlock()
{
    NpuHardware hw;
    hw.cores = 1;
    hw.dram.bytesPerCycle = 64;
    hw.dram.rowHitCycles = hw.dram.rowMissCycles = 0;
    for (const auto& [block, makespan] : {std::pair{64, 961}, {256, 970}, {1024, 1006}}) {
        hw.dram.interleaveBytes = block;
        const NpuGraph graph = npu::test::graphOf(npu::test::matmulModel(64, 64, 64), hw);
        const auto run = simulate(graph, hw, {});
        QVERIFY2(run, run ? "" : run.error().text().c_str());
        QCOMPARE(run->makespan, makespan);
        QCOMPARE(run->makespan, 3 * (block / 64 + 8192 / 32) + 64 + 126);
        const auto lengths = [](const std::vector<TransferSpan>& spans) {
            std::vector<Cycle> out;
            for (const TransferSpan& s : spans)
                out.push_back(s.end - s.start);
            return out;
        };
        const Cycle each = block / 64 + 8192 / 32;
        QCOMPARE(lengths(run->cores[0].loads), (std::vector<Cycle>{each, each}));
        QCOMPARE(lengths(run->cores[0].stores), std::vector<Cycle>{each});
    }
}

/// A load waits for all that was queued on its bank before it.
void TestNpuRun::rule_5_3_queuesHoldWholeTiles()
{
    NpuHardware hw;
    hw.dram.channels = hw.dram.banks = 1;
    const NpuGraph graph = npu::test::graphOf(npu::test::matmulModel(64, 4, 64), hw);
    const auto tileOf = [&](std::size_t tensor) {
        return *std::ranges::find_if(graph.tiles, [&](const TileDesc& t) { return t.tensor == tensor; });
    };
    const auto arrivals = [&](std::initializer_list<std::size_t> tensors) {
        Dram dram(hw.dram, 4);
        int slot = 0;
        for (const std::size_t tensor : tensors) {
            dram.begin(slot, graph.tensors[tensor], tileOf(tensor), 0, static_cast<std::uint64_t>(slot), -1,
                       false, 0);
            ++slot;
        }
        std::vector<Cycle> last(tensors.size(), 0);
        dram.issue(0);
        for (Cycle now = dram.nextTime(); now != kNever; now = dram.nextTime()) {
            dram.release(now, [&](int s, std::int64_t) { last[static_cast<std::size_t>(s)] = now; });
            dram.issue(now);
        }
        return last;
    };
    for (const Arbiter arbiter : {Arbiter::OldestFirst, Arbiter::DramAware}) {
        hw.dram.arbiter = arbiter;
        QCOMPARE(arrivals({0}),
                 std::vector<Cycle>{4 * (60 + 3 * 20 + 16 + 7 * (4 * 20 + 16))}); // 8,192 bytes
        QCOMPARE(arrivals({1}), std::vector<Cycle>{136 + 96});                    // 512 bytes
        QCOMPARE(arrivals({0, 1}), (std::vector<Cycle>{3232, 3464}));
        QCOMPARE(arrivals({1, 0}), (std::vector<Cycle>{232, 3464}));
    }
}

void TestNpuRun::rule_5_4_weightsAndNormalisation()
{
    const double infinite = std::numeric_limits<double>::infinity();
    std::vector<Candidate> c{{5, 100, 1, 0, false}, {6, 50, 2, 10, true}, {7, 100, infinite, 20, false}};
    QCOMPARE(bestCandidate(c, {1, 0, 0}, false), std::size_t{0}); // equal cp: the smaller id
    QCOMPARE(bestCandidate(c, {0, 1, 0}, false), std::size_t{1}); // no bytes counts as the maximum, 2
    QCOMPARE(bestCandidate(c, {0, 0, 1}, false), std::size_t{0});
    QCOMPARE(bestCandidate(c, {1, 0.5, 0}, false), std::size_t{2}); // 1 + 0.5
    QCOMPARE(bestCandidate(c, {1, 0, 0}, true), std::size_t{1});
    for (Candidate& x : c)
        x.cp = 3; // all equal: the term is 0
    QCOMPARE(bestCandidate(c, {1000, 0, 1}, false), std::size_t{0});
}

void TestNpuRun::rule_5_4_termsOfAChoice()
{
    const std::vector<Candidate> c{{5, 100, 1, 0, false}, {6, 50, 3, 10, true}, {7, 80, 2, 20, false}};
    ChoiceScore terms;
    const Weights weights{1, 0.5, 0.25};
    QCOMPARE(bestCandidate(c, weights, false, &terms), std::size_t{0});
    QVERIFY((terms == ChoiceScore{1, 0, 0, 3}));
    QCOMPARE(bestCandidate(c, {0.5, 0.25, 0}, true, &terms), std::size_t{1});
    QVERIFY((terms == ChoiceScore{0, 1, 0.5, 3}));
    QCOMPARE(terms.of(weights), 0 + 0.5 - 0.125);
    QCOMPARE(bestCandidate(c, {0.4, 0.9, 0}, false, &terms), std::size_t{1}); // 0.9 before 0.24 + 0.45, 0.4
    // A run has the terms of every unit; a run by lists has none.
    const auto model = generateBertBlock({.hidden = 64, .heads = 2, .ffn = 128, .tokens = 64});
    QVERIFY(model);
    const auto graph = buildGraph(*model, {});
    QVERIFY(graph);
    RunOptions options;
    options.scheduler = Scheduler::Dynamic;
    const auto run = simulate(*graph, graph->hardware, options);
    QVERIFY(run);
    QCOMPARE(run->scores.size(), graph->units.size());
    bool chose = false;
    for (const ChoiceScore& s : run->scores) {
        QVERIFY(s.candidates >= 1);
        for (const double term : {s.criticalPath, s.intensity, s.dramStall})
            QVERIFY(term >= 0 && term <= 1);
        chose = chose || s.criticalPath == 1;
    }
    QVERIFY(chose);
    options.scheduler = Scheduler::Static;
    const auto lists = simulate(*graph, graph->hardware, options);
    QVERIFY(lists);
    QVERIFY(lists->scores.empty());
}

void TestNpuRun::rule_5_4_headParallelKeepsHeadsTogether()
{
    const auto model = generateLlamaBlock(smallLlama(LlamaPhase::Decode));
    const auto graph = buildGraph(*model, {});
    RunOptions options;
    options.assignment = Assignment::HeadParallel;
    const auto run = simulate(*graph, graph->hardware, options);
    QVERIFY(run);
    for (std::size_t n = 0; n < graph->nodes.size(); ++n)
        if (graph->nodes[n].head >= 0)
            QCOMPARE(static_cast<int>(run->coreOf[n]), graph->nodes[n].head % 4);
}

void TestNpuRun::rule_5_6_nodeLargerThanSpmIsNamed()
{
    NpuHardware hw;
    hw.spmBytes = 20000;
    const auto graph = buildGraph(sample("llama_prefill"), hw);
    QVERIFY(!graph);
    const std::string text = graph.error().text();
    QVERIFY2(text.find("needs") != std::string::npos && text.find("20\u202f000") != std::string::npos,
             text.c_str());
}

void TestNpuRun::rule_6_instructionsReplay()
{
    const auto model = generateLlamaBlock(smallLlama(LlamaPhase::Decode));
    const auto graph = buildGraph(*model, {});
    for (const Scheduler s : {Scheduler::Static, Scheduler::Dynamic}) {
        RunOptions options;
        options.scheduler = s;
        const auto run = simulate(*graph, graph->hardware, options);
        const auto programs = instructionsOf(*graph, *run);
        std::size_t loads = 0, stores = 0, computes = 0;
        for (const auto& program : programs)
            for (const Instruction& i : program) {
                loads += i.opcode == Opcode::TLoad;
                stores += i.opcode == Opcode::TStore;
                computes +=
                    i.opcode != Opcode::TLoad && i.opcode != Opcode::TStore && i.opcode != Opcode::Sync;
                QVERIFY(!describe(*graph, i).empty());
            }
        std::size_t wantLoads = 0, wantStores = 0, wantComputes = 0;
        for (const CoreRun& core : run->cores) {
            wantLoads += core.loads.size();
            wantStores += core.stores.size();
            wantComputes += core.tensor.size() + core.vector.size();
        }
        QCOMPARE(loads, wantLoads);
        QCOMPARE(stores, wantStores);
        QCOMPARE(computes, wantComputes);
        const auto again = replay(*graph, graph->hardware, programs, options);
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        for (std::size_t c = 0; c < run->cores.size(); ++c) {
            QVERIFY(again->cores[c].tensor == run->cores[c].tensor);
            QVERIFY(again->cores[c].loads == run->cores[c].loads);
            QVERIFY(again->cores[c].stores == run->cores[c].stores);
        }
        auto wrong = programs; // a missing load is noticed
        const auto first = std::find_if(wrong[0].begin(), wrong[0].end(),
                                        [](const Instruction& i) { return i.opcode == Opcode::TLoad; });
        QVERIFY(first != wrong[0].end());
        wrong[0].erase(first);
        QVERIFY(!replay(*graph, graph->hardware, wrong, options));
    }
}

/// The replay on the memory's answers of the run is the replay that simulates its own memory.
void TestNpuRun::replayBesideTheRunIsTheRun()
{
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(4);
        const NpuModel model = random.model(14);
        const NpuGraph graph = random.graph(model, hw);
        const RunOptions options = random.options();
        const auto alone = simulate(graph, hw, options);
        QVERIFY(alone);
        const auto programs = instructionsOf(graph, *alone);
        const auto own = replay(graph, hw, programs, options);
        const auto traced = retrace(graph, *alone, programs);
        QVERIFY2(own && traced, traced ? "" : traced.error().text().c_str());
        QCOMPARE(own->makespan, alone->makespan);
        QCOMPARE(traced->makespan, alone->makespan);
        for (std::size_t c = 0; c < alone->cores.size(); ++c)
            for (const NpuRun* run : {&*own, &*traced}) {
                QVERIFY(run->cores[c].tensor == alone->cores[c].tensor);
                QVERIFY(run->cores[c].vector == alone->cores[c].vector);
                QVERIFY(run->cores[c].loads == alone->cores[c].loads);
                QVERIFY(run->cores[c].stores == alone->cores[c].stores);
            }
        QVERIFY(allPassed(verifyRun(graph, *alone)));
        // Other timelines and other programs are noticed.
        for (std::size_t c = 0; c < alone->cores.size(); ++c)
            if (!alone->cores[c].loads.empty()) {
                NpuRun wrong = *alone;
                wrong.cores[c].loads.front().start += 1;
                QVERIFY(!retrace(graph, wrong, programs));
                wrong = *alone;
                wrong.makespan += 1;
                QVERIFY(!allPassed(verifyRun(graph, wrong)));
                auto other = programs;
                other[c].erase(std::find_if(other[c].begin(), other[c].end(),
                                            [](const Instruction& i) { return i.opcode == Opcode::TLoad; }));
                QVERIFY(!retrace(graph, *alone, other));
            }
    }
}

void TestNpuRun::giveUpAfterStopsALongerRun()
{
    const auto graph = buildGraph(sample("conv_net"), {});
    const Cycle makespan = simulate(*graph, graph->hardware, {})->makespan;
    RunOptions options;
    options.giveUpAfter = makespan;
    const auto whole = simulate(*graph, graph->hardware, options);
    QVERIFY(whole);
    QCOMPARE(whole->makespan, makespan);
    options.giveUpAfter = makespan - 1;
    QVERIFY(!simulate(*graph, graph->hardware, options));
    // What a run has left is never said to take longer than it does; of a hopeless one little is simulated.
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(4);
        const NpuModel model = random.model(14);
        const NpuGraph g = random.graph(model, hw);
        RunOptions limited = random.options();
        limited.giveUpAfter = kNever;
        std::int64_t steps = 0, stepsOfHopeless = 0;
        const auto run = simulate(g, hw, limited, {}, &steps);
        limited.giveUpAfter = run->makespan;
        const auto again = simulate(g, hw, limited);
        QVERIFY2(again, std::to_string(seed).c_str());
        QCOMPARE(again->makespan, run->makespan);
        limited.giveUpAfter = run->makespan - 1;
        QVERIFY(!simulate(g, hw, limited));
        limited.giveUpAfter = lowerBounds(g, hw).tensor / 2;
        QVERIFY(limited.giveUpAfter == 0 || !simulate(g, hw, limited, {}, &stepsOfHopeless));
        QVERIFY(stepsOfHopeless <= steps);
    }
    const auto large = buildGraph(sample("llama_prefill"), {});
    options.giveUpAfter = 3'000'000; // its bytes need twice that
    std::int64_t steps = -1;
    QVERIFY(!simulate(*large, large->hardware, options, {}, &steps));
    QVERIFY2(steps < 1000, std::to_string(steps).c_str());
}

void TestNpuRun::rule_6_scalingCurve()
{
    const auto graph = buildGraph(sample("bert_block"), {});
    const auto points = scaling(*graph, {}, {}, {8, 2, 4, 2});
    QVERIFY(points);
    QCOMPARE(points->size(), std::size_t{4});
    QCOMPARE(points->front().cores, 1);
    QCOMPARE(points->front().dynamicSpeedup, 1.0);
    for (const ScalingPoint& p : *points) {
        QVERIFY(p.staticMakespan > 0 && p.dynamicMakespan > 0);
        QVERIFY(p.dynamicEfficiency() <= 1.05);
        QVERIFY(p.cores == 1 || p.dynamicSpeedup > 1.0);
    }
}

void TestNpuRun::rule_6_1_outputs()
{
    const auto graph = buildGraph(sample("bert_block"), {});
    RunOptions options;
    options.recordDram = true;
    const auto run = simulate(*graph, graph->hardware, options);
    QVERIFY(run);
    // The DRAM series holds the same bytes as the events.
    std::int64_t bytes = 0;
    for (int ch = 0; ch < 4; ++ch)
        for (int bank = 0; bank < 16; ++bank)
            for (std::size_t bin = 0; bin < run->dram.binsUsed(); ++bin)
                bytes += run->dram.at(ch, bank, bin).bytes;
    QCOMPARE(bytes, run->dramBytes);
    std::int64_t events = 0;
    for (const DramEvent& e : run->dramEvents)
        events += e.bursts * 64;
    QCOMPARE(events, run->dramBytes);
    const std::string graphText = graphToJson(
        *graph, graph->hardware, makeStaticSchedule(*graph, graph->hardware, Assignment::CostAware));
    const std::string traceText = traceToJson(*graph, *run);
    for (const char* word :
         {"\"spm_bytes\":1048576", "\"segments\":[[", "\"type\":\"SOFTMAX\"", "\"mem_bytes\":"})
        QVERIFY2(graphText.find(word) != std::string::npos, word);
    for (const char* word : {"\"cat\":\"compute\"", "\"cat\":\"load\"", "\"cat\":\"store\"",
                             "\"cat\":\"dram\"", "\"row_hit\":true", "\"name\":\"spm\"", "\"tid\":\"ch3\""})
        QVERIFY2(traceText.find(word) != std::string::npos, word);
}

void TestNpuRun::stopIsHonoured()
{
    const auto graph = buildGraph(sample("llama_decode"), {});
    std::stop_source source;
    source.request_stop();
    Progress progress;
    progress.stop = source.get_token();
    const auto run = simulate(*graph, {}, {}, progress);
    QVERIFY(!run);
    QCOMPARE(run.error().message, std::string("stopped"));
}

TILEWRIGHT_TEST(TestNpuRun)

} // namespace test_npu_run
#include "test_npu_run.moc"
