// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline_ticks.h"
#include "systolic_programs.h"
#include "test_main.h"

#include "systolic/pipeline.h"
#include "systolic/program_replay.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <random>

namespace test_systolic_pipeline {

using namespace tilewright;
using namespace tilewright::systolic;
using namespace tilewright::test;

class TestSystolicPipeline : public QObject
{
    Q_OBJECT
private slots:
    void rule_4_1_listing();
    void rule_4_2_trafficOfThePrograms();
    void rule_4_3_equalsTickByTick();
    void rule_4_3_bubblesAreExplained();
    void rule_4_3_randomAccess();
    void rule_4_3_busiestAndLargestLoss();
    void rule_4_4_unlimitedBandwidth();
    void rule_4_4_closedFormForEveryShape();
    void rule_4_4_bottleneckShifts();
    void rule_3_3_conflictsCostAReadEach();
    void traceIsValid();
    void rule_4_3_aProgramRunByPartsHasTheFiguresOfTheWhole();
    void rule_4_3_theOverviewSumsUpTheRun();
    void rule_4_1_theListingIsWrittenByParts();
    void aLongProgramIsSeenBeforehand();
    void rule_4_3_anyStretchOfAProgramByPartsIsRunAgain();
    void noProgramHasMoreCommandsThanCanBeNumbered();
    void refusals();
};

void TestSystolicPipeline::rule_4_1_listing()
{
    const auto p = buildProgram(cube64());
    QVERIFY(p.hasValue());
    const std::string text = programText(*p);
    for (const char* expected : {"DMA_LOAD A[0,3]", "DMA_PREFETCH B[2,1]", "BM_MOVE B[3,0]",
                                 "STR_FEED_ROWS A[0,0]", "STR_FEED_COLS B[1,2]", "COMPUTE C[3,3] k=3",
                                 "STR_DRAIN C[0,1]", "DMA_STORE C[3,3]", "L2.A#3", "1024 B"})
        QVERIFY2(text.find(expected) != std::string::npos, expected);
    QVERIFY(text.find("BARRIER") == std::string::npos);
    ProgramOptions o = cube64();
    o.style = ProgramStyle::Barriered;
    const auto q = buildProgram(o);
    QCOMPARE(std::count_if(q->commands.begin(), q->commands.end(),
                           [](const Command& c) { return c.kind == CommandKind::Barrier; }),
             3 * 64);
    QVERIFY(programText(*q, 5).find("more commands") != std::string::npos);
    QCOMPARE(p->l2Bytes(), 13 * 1024); // A row resident, B double-buffered, one C
}

void TestSystolicPipeline::rule_4_2_trafficOfThePrograms()
{
    ProgramOptions o;
    o.gemm = {50, 37, 70};
    for (const ProgramStyle style : {ProgramStyle::Barriered, ProgramStyle::Pipelined}) {
        o.style = style;
        const auto p = buildProgram(o);
        const auto plans = l2Schedules(o.gemm, {16, 16, 16}, 4, 1 << 20);
        // Into L2: schedule A without reuse, and A + row reuse.
        const std::size_t schedule = style == ProgramStyle::Barriered ? 0 : 1;
        QCOMPARE(bytesOf(*p, CommandKind::BmMove), (*plans)[schedule].readBytes);
        QCOMPARE(bytesOf(*p, CommandKind::StrDrain), 50 * 37 * 4);
        QCOMPARE(bytesOf(*p, CommandKind::DmaStore), 50 * 37 * 4);
        QCOMPARE(bytesOf(*p, CommandKind::StrFeedRows), 50 * 70 * 3 * 4);
    }
    // B is loaded once when L3 holds it.
    o.l3Bytes = 1 << 20;
    const auto kept = buildProgram(o);
    QVERIFY(kept->bInL3);
    QCOMPARE(bytesOf(*kept, CommandKind::DmaLoad) + bytesOf(*kept, CommandKind::DmaPrefetch),
             (50 * 70 + 70 * 37) * 4);
    o.l3Bytes = 1000;
    const auto streamed = buildProgram(o);
    QVERIFY(!streamed->bInL3);
    QCOMPARE(bytesOf(*streamed, CommandKind::DmaLoad) + bytesOf(*streamed, CommandKind::DmaPrefetch),
             (50 * 70 + 70 * 37 * 4) * 4);
}

void TestSystolicPipeline::rule_4_3_equalsTickByTick()
{
    std::mt19937 rng(11);
    const auto pick = [&](int max) { return std::int64_t{1} + static_cast<std::int64_t>(rng() % max); };
    for (int round = 0; round < 120; ++round) {
        ProgramOptions o;
        o.gemm = {pick(9), pick(9), pick(9)};
        o.array = {pick(4), pick(4)};
        o.depth = pick(4);
        o.style = round % 2 ? ProgramStyle::Pipelined : ProgramStyle::Barriered;
        o.layout = rng() % 2 ? BankLayout::Seed : BankLayout::Split;
        o.banks = 2 + static_cast<std::int64_t>(rng() % 4);
        o.l3Bytes = rng() % 2 ? 100 : 100000;
        o.l1Slots = pick(3);
        o.accumulators = pick(2);
        o.l2OutputSlots = pick(2);
        PipelineMachine m;
        for (const Resource r : kResources)
            if (r != Resource::Array) {
                m.at(r).units = pick(3);
                m.at(r).latency = static_cast<std::int64_t>(rng() % 4);
                m.at(r).bytesPerCycle = rng() % 3 ? double(pick(60)) : 0;
            }
        const auto p = buildProgram(o);
        QVERIFY(p.hasValue());
        if (p->commands.size() > 400)
            continue;
        const auto run = runPipeline(*p, m);
        QVERIFY(run.hasValue());
        QCOMPARE(run->events.size(), p->commands.size());
        const auto want = tickByTick(*p, m);
        for (std::size_t c = 0; c < want.size(); ++c)
            QVERIFY2(run->events[c] == want[c],
                     (std::to_string(round) + ": " + commandTitle(p->commands[c]) + " starts at " +
                      std::to_string(run->events[c].start) + ", not " + std::to_string(want[c].start))
                         .c_str());
    }
}

void TestSystolicPipeline::rule_4_3_bubblesAreExplained()
{
    std::mt19937 rng(12);
    const auto pick = [&](int max) { return std::int64_t{1} + static_cast<std::int64_t>(rng() % max); };
    for (int round = 0; round < 100; ++round) {
        ProgramOptions o;
        o.gemm = {pick(90), pick(90), pick(90)};
        o.array = {pick(20), pick(20)};
        o.style = round % 2 ? ProgramStyle::Pipelined : ProgramStyle::Barriered;
        PipelineMachine m;
        for (const Resource r : kResources)
            if (r != Resource::Array)
                m.at(r).bytesPerCycle = rng() % 3 ? double(pick(300)) : 0;
        const auto p = buildProgram(o);
        const auto run = runPipeline(*p, m);
        QVERIFY(run.hasValue());
        QCOMPARE(run->arrayBusy + sumOfStalls(*run), run->cycles);
        std::int64_t fed = 0;
        for (std::int64_t t = 0; t < run->cycles; ++t) {
            bool feeding = false;
            for (const std::uint32_t c : t % 97 == 0 ? run->runningAt(t) : std::vector<std::uint32_t>{})
                feeding = feeding || p->commands[c].kind == CommandKind::Compute;
            if (t % 97 == 0)
                QCOMPARE(run->bubbleAt(t) == nullptr, feeding);
            fed += run->bubbleAt(t) == nullptr;
        }
        QCOMPARE(fed, run->arrayBusy);
        for (const auto& [reason, cycles] : run->stalls)
            if (o.style == ProgramStyle::Pipelined)
                QVERIFY(!QString::fromStdString(reason).startsWith("barrier"));
    }
}

void TestSystolicPipeline::rule_4_3_randomAccess()
{
    const auto p = buildProgram(cube64());
    const auto run = runPipeline(*p, machineOf(kpuHierarchy()));
    QVERIFY(run.hasValue());
    // Bytes in L2 at any time, counted from the events.
    for (std::int64_t t = 0; t < run->cycles; t += 13) {
        std::int64_t l2 = 0;
        for (std::size_t c = 0; c < p->commands.size(); ++c) {
            const auto pool = p->commands[c].pool;
            if (pool != Pool::L2A && pool != Pool::L2B && pool != Pool::L2C)
                continue;
            std::int64_t freed = 0;
            for (std::size_t r = 0; r < p->commands.size(); ++r)
                for (const std::uint32_t read : p->commands[r].reads)
                    if (read == c)
                        freed = std::max(freed, run->events[r].end);
            if (run->events[c].start <= t && t < freed)
                l2 += p->commands[c].bytes;
        }
        QCOMPARE(run->occupancyAt(Level::L2, t), l2);
    }
    QVERIFY(run->peakBytes[1] <= 13 * 1024);
    QCOMPARE(run->occupancyAt(Level::L2, run->cycles), 0);
    for (const double f : run->busyFraction)
        QVERIFY(f > 0 && f <= 1);
}

void TestSystolicPipeline::rule_4_4_unlimitedBandwidth()
{
    const auto both = comparePipelines(cube64(), PipelineMachine{});
    QVERIFY(both.hasValue());
    QCOMPARE(both->pipelinedRun.cycles, 1054);
    QCOMPARE(both->pipelinedRun.computeCycles, 1054);
    QCOMPARE(both->pipelinedRun.arrayBusy, 1024);
    QCOMPARE(both->pipelinedRun.stalls, (std::map<std::string, std::int64_t>{{"fill_drain", 30}}));
    QCOMPARE(both->pipelinedRun.bottleneck, std::string("array"));
    // A k step of depth 16 costs 16 + 16 + 16 - 2 between barriers.
    QCOMPARE(both->barrieredRun.cycles, 64 * (16 + 30));
    QCOMPARE(both->barrieredRun.arrayBusy, 1024);
    QCOMPARE(both->barrieredRun.stalls,
             (std::map<std::string, std::int64_t>{{"barrier_array", 63 * 30}, {"fill_drain", 30}}));
    QCOMPARE(both->cyclesSaved(), std::optional<std::int64_t>(63 * 30));
}

void TestSystolicPipeline::rule_4_4_closedFormForEveryShape()
{
    std::mt19937 rng(13);
    const auto pick = [&](int max) { return std::int64_t{1} + static_cast<std::int64_t>(rng() % max); };
    for (int round = 0; round < 200; ++round) {
        ProgramOptions o;
        // K covers the wave through the array, so that the drain and the in-order DMA stay hidden.
        o.gemm = {pick(80), pick(80), 40 + pick(60)};
        o.array = {pick(20), pick(20)};
        const auto run = runPipeline(*buildProgram(o), PipelineMachine{});
        QCOMPARE(run->cycles, arrayTiming(o.gemm, o.array).cycles);
    }
}

void TestSystolicPipeline::rule_4_4_bottleneckShifts()
{
    const auto p = buildProgram(cube64());
    const auto bottleneckWith = [&](Resource r, double bytesPerCycle) {
        PipelineMachine m;
        m.at(r).bytesPerCycle = bytesPerCycle;
        const auto run = runPipeline(*p, m);
        if (run->cycles <= 1054)
            return std::string("no slower");
        return run->bottleneck;
    };
    QCOMPARE(bottleneckWith(Resource::Dma, 8), std::string("dma"));
    QCOMPARE(bottleneckWith(Resource::BlockMover, 16), std::string("block_mover"));
    QCOMPARE(bottleneckWith(Resource::Streamer, 32), std::string("streamer"));
    // Barriered with finite DRAM bandwidth: the barrier makes the array wait for the DMA.
    ProgramOptions o = cube64();
    o.style = ProgramStyle::Barriered;
    PipelineMachine m;
    m.at(Resource::Dma).bytesPerCycle = 8;
    const auto run = runPipeline(*buildProgram(o), m);
    QCOMPARE(run->bottleneck, std::string("barrier_dma"));
    QCOMPARE(run->largestLoss, run->stalls.at("barrier_dma"));
    QCOMPARE(run->busiest, Resource::Dma);
}

/// The resource that is busy all the time and the largest loss of the array are two things, and both are
/// told.
void TestSystolicPipeline::rule_4_3_busiestAndLargestLoss()
{
    const auto free = runPipeline(*buildProgram(cube64()), PipelineMachine{});
    QCOMPARE(free->busiest, Resource::Array);
    QCOMPARE(free->largestLoss, 0);
    PipelineMachine m;
    for (const Resource r : kResources)
        if (r != Resource::Array)
            m.at(r).bytesPerCycle = 24;
    const auto run = runPipeline(*buildProgram(cube64()), m);
    for (const Resource r : kResources)
        QVERIFY(run->busyFraction[static_cast<std::size_t>(run->busiest)] >=
                run->busyFraction[static_cast<std::size_t>(r)]);
    for (const auto& [reason, cycles] : run->stalls)
        QVERIFY(reason == "fill_drain" || cycles <= run->largestLoss);
}

void TestSystolicPipeline::rule_3_3_conflictsCostAReadEach()
{
    ProgramOptions o = cube64();
    o.layout = BankLayout::Seed;
    const auto p = buildProgram(o);
    QCOMPARE(std::count_if(p->commands.begin(), p->commands.end(),
                           [](const Command& c) { return c.bankConflict; }),
             8);
    PipelineMachine m;
    m.at(Resource::Streamer).bytesPerCycle = 128; // a tile in 16 cycles: streaming is the limit
    const auto conflicting = runPipeline(*p, m);
    o.layout = BankLayout::Split;
    const auto split = runPipeline(*buildProgram(o), m);
    QVERIFY(conflicting->cycles > split->cycles);
    QVERIFY(conflicting->cycles <= split->cycles + 8 * 16);
}

void TestSystolicPipeline::traceIsValid()
{
    const PipelineMachine m = machineOf(kpuHierarchy());
    const auto p = buildProgram(cube64());
    const auto run = runPipeline(*p, m);
    const auto trace = nlohmann::json::parse(pipelineTrace(*p, *run, m));
    std::size_t bars = 0;
    for (const auto& e : trace["traceEvents"])
        if (e["ph"] == "X" && e["cat"] != "stall") {
            QVERIFY(e["dur"].get<std::int64_t>() >= 0);
            ++bars;
        }
    QCOMPARE(bars, p->commands.size());
}

/// Drawn products, arrays, tiles, schedules, memories and machines.
void TestSystolicPipeline::rule_4_3_aProgramRunByPartsHasTheFiguresOfTheWhole()
{
    std::mt19937 generator(7);
    const auto draw = [&](int from, int to) {
        return static_cast<std::int64_t>(
            from + static_cast<int>(generator() % static_cast<unsigned>(to - from + 1)));
    };
    int ran = 0;
    for (int n = 0; n < 400; ++n) {
        ProgramOptions o;
        o.gemm = {draw(1, 50), draw(1, 50), draw(1, 50)};
        o.array = {draw(1, 9), draw(1, 9)};
        o.dataflow = static_cast<Dataflow>(draw(0, 2));
        o.style = static_cast<ProgramStyle>(draw(0, 1));
        o.layout = static_cast<BankLayout>(draw(0, 1));
        o.weightBuffers = draw(1, 2);
        o.depth = draw(1, 20);
        if (draw(0, 1) == 1)
            o.tile = TileShape{std::min(o.gemm.m, draw(1, 30)), std::min(o.gemm.n, draw(1, 30)),
                               std::min(o.gemm.k, draw(1, 30))};
        if (o.dataflow == Dataflow::Os && draw(0, 1) == 1)
            o.schedule = static_cast<L2Schedule>(draw(0, 3));
        if (draw(0, 1) == 1) {
            o.l3Bytes = draw(100, 20'000);
            o.capacityBytes = {draw(2'000, 60'000), draw(2'000, 40'000), 0};
        }
        o.l2OutputSlots = draw(1, 3);
        o.l1Slots = draw(1, 3);
        PipelineMachine m;
        if (draw(0, 2) > 0)
            for (const Resource r :
                 {Resource::Dma, Resource::BlockMover, Resource::Streamer, Resource::Drain})
                m.at(r) = {draw(1, 3), static_cast<double>(draw(1, 200)), draw(0, 5)};
        const auto whole = runProgram(o, m);
        const auto parts = runProgram(o, m, 0);
        QCOMPARE(parts.hasValue(), whole.hasValue());
        if (!whole) {
            QCOMPARE(parts.error().text(), whole.error().text());
            continue;
        }
        ++ran;
        QVERIFY(parts->run.overview && !whole->run.overview);
        QVERIFY(parts->program.commands.empty());
        QCOMPARE(parts->program.length, std::ssize(whole->program.commands));
        QVERIFY(parts->program.moved == whole->program.moved);
        QCOMPARE(parts->run.cycles, whole->run.cycles);
        QCOMPARE(parts->run.computeCycles, whole->run.computeCycles);
        QCOMPARE(parts->run.arrayBusy, whole->run.arrayBusy);
        QVERIFY(parts->run.stalls == whole->run.stalls);
        QVERIFY(parts->run.busyFraction == whole->run.busyFraction);
        QVERIFY(parts->run.peakBytes == whole->run.peakBytes);
        QCOMPARE(parts->run.bottleneck, whole->run.bottleneck);
    }
    QVERIFY(ran > 300);
}

/// A bucket has the work of the units, the waits of the array and the most that a level holds in its cycles.
void TestSystolicPipeline::rule_4_3_theOverviewSumsUpTheRun()
{
    ProgramOptions o = cube64();
    o.gemm = {256, 256, 64};
    o.style = ProgramStyle::Barriered;
    const PipelineMachine m = machineOf(kpuHierarchy());
    const auto whole = runProgram(o, m);
    const auto parts = runProgram(o, m, 0);
    const RunOverview& overview = *parts->run.overview;
    QVERIFY(whole->run.cycles > static_cast<std::int64_t>(RunOverview::kBuckets));
    const std::int64_t width = overview.width();
    QVERIFY(width * static_cast<std::int64_t>(RunOverview::kBuckets) >= whole->run.cycles);
    QVERIFY(width / 2 * static_cast<std::int64_t>(RunOverview::kBuckets) < whole->run.cycles);
    std::vector<std::int64_t> busy(RunOverview::kBuckets);
    for (std::size_t c = 0; c < whole->run.events.size(); ++c)
        if (whole->program.commands[c].kind == CommandKind::Compute)
            for (std::int64_t t = whole->run.events[c].start; t < whole->run.events[c].end; ++t)
                ++busy[static_cast<std::size_t>(t / width)];
    const auto& array = overview.units()[6]; // two units of DMA, block movers and streamers before it
    for (std::size_t n = 0; n < array.size(); ++n)
        QCOMPARE(array[n][0] + array[n][1] + array[n][2], busy[n]);
    std::map<std::string, std::int64_t> waited;
    for (const ArrayBubble& b : parts->run.bubbles)
        waited[b.reason] += b.length;
    QVERIFY(waited == whole->run.stalls);
    for (const Level level : {Level::L3, Level::L2, Level::L1})
        for (std::int64_t t = 0; t < whole->run.cycles; t += 97)
            QVERIFY(parts->run.occupancyAt(level, t) >= whole->run.occupancyAt(level, t));
}

/// The sources of a line may be commands of long ago.
void TestSystolicPipeline::rule_4_1_theListingIsWrittenByParts()
{
    for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is}) {
        ProgramOptions o = cube64();
        o.dataflow = d;
        const auto parts = runProgram(o, {}, 0);
        const std::string all = programText(parts->program);
        QCOMPARE(all, programText(*buildProgram(o)));
        std::size_t lines = 0;
        for (std::size_t at = 0; (at = all.find('\n', at)) != std::string::npos; ++at)
            ++lines;
        QCOMPARE(static_cast<std::int64_t>(lines), parts->program.length + 2); // two lines of the head
        const std::string head = programText(parts->program, 50);
        const std::string rest = "; ... " + std::to_string(parts->program.length - 50) + " more commands\n";
        QVERIFY(head.ends_with(rest));
        QVERIFY(all.starts_with(head.substr(0, head.size() - rest.size())));
    }
}

void TestSystolicPipeline::aLongProgramIsSeenBeforehand()
{
    ProgramOptions o = cube64();
    QVERIFY(checkLength(o, kMaxCommandsUnasked).hasValue());
    o.gemm = {8192, 8192, 8192};
    const auto refused = checkLength(o, kMaxCommandsUnasked);
    QVERIFY(!refused.hasValue());
    QVERIFY2(refused.error().message.find("commands, more than 10\u202f000\u202f000, about") !=
                 std::string::npos,
             refused.error().message.c_str());
    QVERIFY(checkLength(o, 0).hasValue());
}

/// Commands, their times and what runs at a time are those of the whole program.
void TestSystolicPipeline::rule_4_3_anyStretchOfAProgramByPartsIsRunAgain()
{
    for (const ProgramStyle style : {ProgramStyle::Barriered, ProgramStyle::Pipelined})
        for (const Dataflow d : {Dataflow::Os, Dataflow::Ws}) {
            ProgramOptions o = cube64();
            o.gemm = {512, 512, 512};
            o.dataflow = d;
            o.style = style;
            const auto whole = runProgram(o, {});
            const auto parts = runProgram(o, {}, 0);
            QVERIFY(whole.hasValue() && parts.hasValue());
            QVERIFY(!whole->run.replay && parts->run.replay);
            const std::int64_t length = parts->program.length;
            QVERIFY(length > 2 * ProgramReplay::kLeastSpacing);
            for (const std::int64_t first : {std::int64_t{0}, length / 3, length / 2 + 1, length - 40}) {
                const auto stretch = parts->run.replay->commands(first, 100);
                QCOMPARE(std::ssize(stretch), std::min<std::int64_t>(100, length - first));
                for (std::size_t n = 0; n < stretch.size(); ++n) {
                    const auto c = static_cast<std::size_t>(first) + n;
                    QCOMPARE(std::size_t{stretch[n].number}, c);
                    QCOMPARE(commandTitle(stretch[n].command), commandTitle(whole->program.commands[c]));
                    QCOMPARE(stretch[n].command.waits, whole->program.commands[c].waits);
                    QVERIFY(stretch[n].event == whole->run.events[c]);
                }
            }
            for (const std::int64_t time : {std::int64_t{0}, whole->run.cycles / 5, whole->run.cycles / 2,
                                            whole->run.cycles - 1, whole->run.cycles})
                QCOMPARE(parts->run.replay->runningAt(time), whole->run.runningAt(time));
        }
}

/// Nothing runs such a program, whatever limit is asked for.
void TestSystolicPipeline::noProgramHasMoreCommandsThanCanBeNumbered()
{
    ProgramOptions o = cube64();
    o.gemm = {16384, 16384, 16384};
    QVERIFY(*commandsOf(o) > kMaxCommands);
    for (const std::int64_t most : {std::int64_t{0}, kMaxCommandsUnasked, 2 * kMaxCommands}) {
        const auto refused = checkLength(o, most);
        QVERIFY(!refused.hasValue());
        QVERIFY2(refused.error().message.ends_with(
                     "more than 4\u202f000\u202f000\u202f000, the most that can be numbered"),
                 refused.error().message.c_str());
        QCOMPARE(runProgram(o, {}).error().message, refused.error().message);
    }
}

void TestSystolicPipeline::refusals()
{
    ProgramOptions o = cube64();
    o.gemm = {0, 1, 1};
    QVERIFY(!buildProgram(o));
    o.gemm = {100000, 100000, 1000};
    QVERIFY(!buildProgram(o));
    o = cube64();
    o.banks = 1;
    QVERIFY(!buildProgram(o));
    o = cube64();
    o.depth = 0;
    QVERIFY(!buildProgram(o));
    PipelineMachine m;
    m.at(Resource::Dma).bytesPerCycle = -1;
    QVERIFY(!runPipeline(*buildProgram(cube64()), m));
    // A program whose slot is never freed is reported, not run for ever.
    auto p = *buildProgram(cube64());
    for (Command& c : p.commands)
        if (c.kind == CommandKind::StrFeedRows)
            c.reads.clear();
    const auto stuck = runPipeline(p, PipelineMachine{});
    QVERIFY(!stuck);
    QVERIFY(stuck.error().message.find("can never start") != std::string::npos);
}

TILEWRIGHT_TEST(TestSystolicPipeline)

} // namespace test_systolic_pipeline
#include "test_systolic_pipeline.moc"
