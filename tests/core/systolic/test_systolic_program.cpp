// SPDX-License-Identifier: GPL-3.0-or-later
#include "drawn_cases.h"
#include "pipeline_ticks.h"
#include "systolic_programs.h"
#include "test_main.h"

#include "systolic/array_timing.h"
#include "systolic/dram_traffic.h"
#include "systolic/pipeline.h"
#include "systolic/program_plan.h"

#include <QTest>

#include <algorithm>
#include <random>

namespace test_systolic_program {

using namespace tilewright;
using namespace tilewright::systolic;
using namespace tilewright::test;

namespace {

/// The whole product, by the program's own commands: every MAC exactly once, each sum in the order of its k.
bool computesTheProduct(const Program& p)
{
    const Gemm& g = p.options.gemm;
    const Dataflow d = p.options.dataflow;
    std::vector<std::int64_t> next(static_cast<std::size_t>(g.m * g.n), 0); // k that C[m,n] needs next
    for (const Command& c : p.commands) {
        if (c.kind != CommandKind::Compute)
            continue;
        // What lies along the rows and the columns of the array, and what streams past.
        const ArrayShape& array = p.options.array;
        const std::int64_t stepM = d == Dataflow::Os   ? array.rows
                                   : d == Dataflow::Ws ? p.options.depth
                                                       : array.cols;
        const std::int64_t stepN = d == Dataflow::Is ? p.options.depth : array.cols;
        const std::int64_t stepK = d == Dataflow::Os ? p.options.depth : array.rows;
        const std::int64_t m0 = c.i * p.tile.ti + c.bi * stepM;
        const std::int64_t n0 = c.j * p.tile.tj + c.bj * stepN;
        const std::int64_t k0 = c.k * p.tile.tk + c.bk * stepK;
        const std::int64_t m1 = std::min({g.m, (c.i + 1) * p.tile.ti, m0 + stepM});
        const std::int64_t n1 = std::min({g.n, (c.j + 1) * p.tile.tj, n0 + stepN});
        const std::int64_t k1 = std::min({g.k, (c.k + 1) * p.tile.tk, k0 + stepK});
        const std::int64_t streamed = d == Dataflow::Os ? k1 - k0 : d == Dataflow::Ws ? m1 - m0 : n1 - n0;
        if (c.cycles != streamed)
            return false;
        for (std::int64_t m = m0; m < m1; ++m)
            for (std::int64_t n = n0; n < n1; ++n) {
                std::int64_t& k = next[static_cast<std::size_t>(m * g.n + n)];
                if (k != k0)
                    return false;
                k = k1;
            }
    }
    return std::all_of(next.begin(), next.end(), [&](std::int64_t k) { return k == g.k; });
}
} // namespace

class TestSystolicProgram : public QObject
{
    Q_OBJECT
private slots:
    void rule_4_2_programsOfTheSchedules();
    void rule_4_2_programsOfAChosenTile();
    void rule_4_2_whatDoesNotFitIsSpilledOrRefused();
    void rule_3_2_tableAndProgramHaveTheSamePasses();
    void rule_4_3_reasonsOfStallsAreWords();
    void rule_4_2_stationaryPrograms();
    void rule_4_2_stationaryProgramsReachTheClosedForm();
    void rule_4_2_stationarySumsGoToDram();
};

/// What a program moves into and out of L2 is what the table of schedules says.
void TestSystolicProgram::rule_4_2_programsOfTheSchedules()
{
    for (const Gemm& g : {Gemm{64, 64, 64}, {50, 37, 70}, {16, 16, 100}, {33, 80, 16}})
        for (const std::int64_t passes : {1, 2, 3}) {
            ProgramOptions o;
            o.gemm = g;
            if (passes > ceilDiv(g.k, o.depth))
                continue;
            const auto plans = l2Schedules(g, {16, 16, 16}, 4, 1 << 20, passes);
            for (const L2Plan& plan : *plans) {
                o.schedule = plan.schedule;
                o.passes = passes;
                const auto p = buildProgram(o);
                QVERIFY(p.hasValue());
                QVERIFY(computesTheProduct(*p));
                QCOMPARE(bytesOf(*p, CommandKind::BmMove) + bytesOf(*p, CommandKind::StrFeedPartial),
                         plan.readBytes);
                QCOMPARE(bytesOf(*p, CommandKind::StrDrain), plan.writeBytes);
                QCOMPARE(p->l2Bytes(), plan.doubleBytes);
                const auto run = runPipeline(*p, machineOf(kpuHierarchy()));
                QVERIFY(run.hasValue());
                QVERIFY(run->peakBytes[1] <= plan.doubleBytes);
                QCOMPARE(run->arrayBusy + sumOfStalls(*run), run->cycles);
            }
        }
    // The source document's figures for 64x64x64: 144, 96, 48 and 176 KB.
    for (const auto& [schedule, kb] : {std::pair{L2Schedule::NoReuse, 144},
                                       {L2Schedule::RowReuse, 96},
                                       {L2Schedule::FullReuse, 48},
                                       {L2Schedule::PartialC, 176}}) {
        ProgramOptions o = cube64();
        o.schedule = schedule;
        const auto p = buildProgram(o);
        QCOMPARE(bytesOf(*p, CommandKind::BmMove) + bytesOf(*p, CommandKind::StrFeedPartial) +
                     bytesOf(*p, CommandKind::StrDrain),
                 kb * 1024);
    }
}

/// Document 000, phase 2: M, N, K, Ti, Tj, Tk to a program, of any size of tile.
void TestSystolicProgram::rule_4_2_programsOfAChosenTile()
{
    std::mt19937 rng(17);
    const auto pick = [&](std::int64_t max) {
        return std::int64_t{1} + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(max));
    };
    for (int round = 0; round < 300; ++round) {
        ProgramOptions o;
        o.gemm = {pick(40), pick(40), pick(40)};
        o.array = {pick(9), pick(9)};
        o.tile = TileShape{pick(o.gemm.m), pick(o.gemm.n), pick(o.gemm.k)};
        o.depth = pick(12);
        o.style = round % 3 ? ProgramStyle::Pipelined : ProgramStyle::Barriered;
        o.schedule = std::array{L2Schedule::NoReuse, L2Schedule::RowReuse, L2Schedule::FullReuse,
                                L2Schedule::PartialC}[rng() % 4];
        o.passes = pick(ceilDiv(o.gemm.k, o.tile->tk));
        o.l3Bytes = rng() % 2 ? 1 << 20 : 256;
        o.l1Slots = pick(2);
        o.accumulators = pick(2);
        PipelineMachine m;
        for (const Resource r : kResources)
            if (r != Resource::Array)
                m.at(r).bytesPerCycle = rng() % 3 ? double(pick(60)) : 0;
        const auto p = buildProgram(o);
        QVERIFY(p.hasValue());
        QVERIFY(computesTheProduct(*p));
        QVERIFY(static_cast<std::int64_t>(p->commands.size()) <= mostCommands(*p));
        const auto run = runPipeline(*p, m);
        QVERIFY2(run.hasValue(), run ? "" : run.error().text().c_str());
        QCOMPARE(run->arrayBusy + sumOfStalls(*run), run->cycles);
        if (p->commands.size() < 250) {
            const auto want = tickByTick(*p, m);
            for (std::size_t c = 0; c < want.size(); ++c)
                QVERIFY(run->events[c] == want[c]);
        }
    }
    // DRAM: what docs/rules/systolic.md 7 says of the tile, when L2 forgets A after each output tile.
    for (const std::int64_t l3 : {1 << 20, 24000, 100}) { // keeps A and B, a row of A, nothing
        ProgramOptions o;
        o.gemm = {96, 90, 70};
        o.array = {8, 8};
        o.tile = TileShape{32, 24, 20};
        o.schedule = L2Schedule::PartialC;
        o.l3Bytes = l3;
        const auto p = buildProgram(o);
        DramQuery q{o.gemm, *o.tile};
        q.l3Bytes = l3;
        QCOMPARE(bytesOf(*p, CommandKind::DmaLoad) + bytesOf(*p, CommandKind::DmaPrefetch) +
                     bytesOf(*p, CommandKind::DmaStore),
                 dramClosedForm(q).bytes());
    }
    // 1024^3 in tiles of the array.
    for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is}) {
        ProgramOptions array;
        array.gemm = {1024, 1024, 1024};
        array.dataflow = d;
        const auto planned = planProgram(array);
        QVERIFY2(planned.hasValue(), planned ? "" : planned.error().text().c_str());
    }
    // The document's own example, 64x64x64 of 1024^3.
    ProgramOptions o;
    o.gemm = {1024, 1024, 1024};
    o.tile = TileShape{64, 64, 64};
    o.depth = deepestStep(kpuHierarchy(), *o.tile);
    o.capacityBytes = capacitiesOf(kpuHierarchy());
    const auto p = buildProgram(o);
    QVERIFY2(p.hasValue(), p ? "" : p.error().text().c_str());
    QCOMPARE(p->nM * p->nN * p->nK, 4096);
    const auto run = runPipeline(*p, PipelineMachine{});
    QCOMPARE(run->arrayBusy, 64 * 64 * 1024);
    QVERIFY(run->peakBytes[1] <= 512 * 1024);
}

void TestSystolicProgram::rule_4_2_whatDoesNotFitIsSpilledOrRefused()
{
    ProgramOptions o = cube64();
    o.capacityBytes = {1 << 20, 13 * 1024, 1 << 20};
    QCOMPARE(buildProgram(o)->schedule, L2Schedule::RowReuse);
    QVERIFY(buildProgram(o)->reason.empty());
    o.capacityBytes[1] = 8 * 1024; // 13 KB do not fit: partial sums go to L2
    const auto spilled = buildProgram(o);
    QVERIFY(spilled.hasValue());
    QCOMPARE(spilled->schedule, L2Schedule::PartialC);
    QCOMPARE(spilled->passes, 4);
    QVERIFY2(spilled->reason.find("needs 13\u202f312 bytes of L2, it has 8\u202f192 bytes") !=
                 std::string::npos,
             spilled->reason.c_str());
    QVERIFY(runPipeline(*spilled, PipelineMachine{})->peakBytes[1] <= 8 * 1024);
    o.capacityBytes[1] = 4 * 1024;
    QCOMPARE(buildProgram(o).error().path, std::string("l2"));
    o.capacityBytes = {1 << 20, 8 * 1024, 1 << 20};
    o.schedule = L2Schedule::RowReuse; // asked for
    QCOMPARE(buildProgram(o).error().path, std::string("l2"));
    o.schedule.reset();
    o.capacityBytes = {1 << 20, 1 << 20, 1024};
    QCOMPARE(buildProgram(o).error().path, std::string("l1"));
    o.capacityBytes = {6 * 1024, 1 << 20, 1 << 20}; // A and B pass through L3 in fewer slots
    o.l3Bytes = 6 * 1024;
    const auto narrow = buildProgram(o);
    QVERIFY(narrow.hasValue());
    QVERIFY(runPipeline(*narrow, machineOf(kpuHierarchy()))->peakBytes[0] <= 6 * 1024);
    o.capacityBytes[0] = 1024;
    QCOMPARE(buildProgram(o).error().path, std::string("l3"));
    o.style = ProgramStyle::Barriered;
    o.capacityBytes = {1 << 20, 2 * 1024, 1 << 20};
    QCOMPARE(buildProgram(o).error().path, std::string("l2"));
}

/// WS and IS, of any tile: the product, the tick-by-tick events, the traffic of docs/rules/systolic.md 3.4.
/// With 8 KB of L2, every row of the table said that it did not fit, while the program ran B in 4 passes.
void TestSystolicProgram::rule_3_2_tableAndProgramHaveTheSamePasses()
{
    for (const Gemm& g : {Gemm{64, 64, 64}, {50, 37, 170}, {16, 16, 300}})
        for (std::int64_t kib = 1; kib <= 64; ++kib) {
            ProgramOptions o;
            o.gemm = g;
            o.capacityBytes[1] = kib * 1024;
            const auto plans = l2Schedules(g, {std::min<std::int64_t>(16, g.m), 16, 16}, 4, kib * 1024);
            const L2Plan& b = plans->back();
            o.schedule = L2Schedule::PartialC;
            const auto asked = buildProgram(o);
            QCOMPARE(asked.hasValue(), b.fits);
            if (asked)
                QCOMPARE(asked->passes, b.passes);
            o.schedule.reset();
            const auto chosen = buildProgram(o);
            QCOMPARE(chosen.hasValue(), std::ranges::any_of(*plans, &L2Plan::fits));
            if (chosen && chosen->schedule == L2Schedule::PartialC && chosen->passes > 1)
                QCOMPARE(chosen->passes, b.passes);
        }
    const auto plans = l2Schedules({64, 64, 64}, {16, 16, 16}, 4, 8 * 1024);
    QCOMPARE(plans->back().passes, 4);
    QCOMPARE(bestL2Schedule(*plans)->schedule, L2Schedule::PartialC);
    QCOMPARE(l2Schedules({64, 64, 64}, {16, 16, 16}, 4, 1 << 20)->back().passes, 2); // the document's
    QCOMPARE(l2Schedules({64, 64, 64}, {16, 16, 16}, 4, 1024)->back().passes, 2);    // none fits
}

/// Schedule B loses 480 cycles of 64^3: 16 output tiles whose second pass waits for the wave of the first.
void TestSystolicProgram::rule_4_3_reasonsOfStallsAreWords()
{
    ProgramOptions o = cube64();
    o.schedule = L2Schedule::PartialC;
    const auto run = runPipeline(*buildProgram(o), PipelineMachine{});
    QCOMPARE(run->cycles, 1534);
    QCOMPARE(run->stalls.at("array"), 16 * 30);
    QCOMPARE(stallText("array"), std::string("the wave of an earlier block is still in the array"));
    QCOMPARE(stallText("barrier_array"),
             std::string("at a barrier, the wave of an earlier block is still in the array"));
    QVERIFY(stallText("nonsense").empty());
    for (const ProgramStyle style : {ProgramStyle::Barriered, ProgramStyle::Pipelined})
        for (const Dataflow dataflow : {Dataflow::Os, Dataflow::Ws, Dataflow::Is}) {
            ProgramOptions any = cube64();
            any.style = style;
            any.dataflow = dataflow;
            const auto ran = runPipeline(*buildProgram(any), machineOf(kpuHierarchy()));
            for (const auto& [reason, cycles] : ran->stalls)
                QVERIFY2(!stallText(reason).empty(), reason.c_str());
        }
}

void TestSystolicProgram::rule_4_2_stationaryPrograms()
{
    std::mt19937 rng(18);
    const auto pick = [&](std::int64_t max) {
        return std::int64_t{1} + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(max));
    };
    for (int round = 0; round < 400; ++round) {
        ProgramOptions o;
        o.dataflow = round % 2 ? Dataflow::Ws : Dataflow::Is;
        o.gemm = {pick(40), pick(40), pick(40)};
        o.array = {pick(9), pick(9)};
        const bool blocks = rng() % 3 == 0; // the array's own
        if (!blocks)
            o.tile = TileShape{pick(o.gemm.m), pick(o.gemm.n), pick(o.gemm.k)};
        o.depth = pick(12);
        o.style = round % 3 ? ProgramStyle::Pipelined : ProgramStyle::Barriered;
        o.l3Bytes = rng() % 2 ? 1 << 20 : 256;
        o.l1Slots = pick(2);
        o.accumulators = pick(2);
        o.weightBuffers = pick(2);
        PipelineMachine m;
        for (const Resource r : kResources)
            if (r != Resource::Array)
                m.at(r).bytesPerCycle = rng() % 3 ? double(pick(60)) : 0;
        const auto p = buildProgram(o);
        QVERIFY2(p.hasValue(), p ? "" : p.error().text().c_str());
        QVERIFY(computesTheProduct(*p));
        QVERIFY(static_cast<std::int64_t>(p->commands.size()) <= mostCommands(*p));
        const auto run = runPipeline(*p, m);
        QVERIFY2(run.hasValue(), run ? "" : run.error().text().c_str());
        QCOMPARE(run->arrayBusy + sumOfStalls(*run), run->cycles);
        QVERIFY(run->peakBytes[1] <= p->l2Bytes());
        QCOMPARE(bytesOf(*p, CommandKind::DmaStore), o.gemm.m * o.gemm.n * 4);
        if (blocks)
            QCOMPARE(bytesOf(*p, CommandKind::StrFeedRows) + bytesOf(*p, CommandKind::StrFeedWeights) +
                         bytesOf(*p, CommandKind::StrFeedPartial) + bytesOf(*p, CommandKind::StrDrain),
                     l2Elements(o.gemm, o.array, o.dataflow) * 4);
        if (p->commands.size() < 250) {
            const auto want = tickByTick(*p, m);
            for (std::size_t c = 0; c < want.size(); ++c)
                QVERIFY(run->events[c] == want[c]);
        }
    }
    ProgramOptions o = cube64();
    o.dataflow = Dataflow::Ws;
    o.schedule = L2Schedule::NoReuse;
    QCOMPARE(buildProgram(o).error().path, std::string("schedule"));
    o.schedule.reset();
    o.weightBuffers = 3;
    QVERIFY(!buildProgram(o));
}

/// With unlimited bandwidth docs/rules/systolic.md 1.4 to the cycle, where the stream covers the wave through
/// the array; a shorter one waits for its partial sums and is never faster.
void TestSystolicProgram::rule_4_2_stationaryProgramsReachTheClosedForm()
{
    if (test::kSanitized)
        QSKIP("takes minutes under a sanitizer");
    std::mt19937 rng(19);
    const auto pick = [&](std::int64_t max) {
        return std::int64_t{1} + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(max));
    };
    for (int round = 0; round < 300; ++round) {
        ProgramOptions o;
        o.dataflow = round % 2 ? Dataflow::Ws : Dataflow::Is;
        o.array = {pick(20), pick(20)};
        o.weightBuffers = pick(2);
        const bool covers = round % 4 != 0;
        const std::int64_t streamed = covers ? 80 + pick(60) : pick(40);
        o.gemm = o.dataflow == Dataflow::Ws ? Gemm{streamed, pick(60), pick(80)}
                                            : Gemm{pick(60), streamed, pick(80)};
        const auto run = runPipeline(*buildProgram(o), PipelineMachine{});
        QVERIFY(run.hasValue());
        const std::int64_t closed =
            arrayTiming(o.gemm, o.array, {o.dataflow, Readout::Shadow, static_cast<int>(o.weightBuffers)})
                .cycles;
        const auto& g = o.gemm;
        if (covers)
            QVERIFY2(run->cycles == closed,
                     qPrintable(QStringLiteral("%1x%2x%3 on %4x%5, %6 sets: %7, not %8")
                                    .arg(g.m)
                                    .arg(g.n)
                                    .arg(g.k)
                                    .arg(o.array.rows)
                                    .arg(o.array.cols)
                                    .arg(o.weightBuffers)
                                    .arg(run->cycles)
                                    .arg(closed)));
        else
            QVERIFY(run->cycles >= closed);
    }
}

/// The column of C that is summed up stays in L2; where it has no room, it goes to DRAM and back, as
/// docs/rules/systolic.md 7 has it, or the program is refused.
void TestSystolicProgram::rule_4_2_stationarySumsGoToDram()
{
    for (const Dataflow d : {Dataflow::Ws, Dataflow::Is}) {
        ProgramOptions o;
        o.dataflow = d;
        o.gemm = d == Dataflow::Ws ? Gemm{512, 48, 64} : Gemm{48, 512, 64};
        o.capacityBytes = {1 << 20, 64 * 1024, 1 << 20};
        o.l3Bytes = 4000; // a tile at a time stays in L3
        const auto kept = buildProgram(o);
        QVERIFY(kept.hasValue() && kept->reason.empty() && !kept->spillsC);
        o.capacityBytes[1] = 16 * 1024;
        const auto spilled = buildProgram(o);
        QVERIFY2(spilled.hasValue(), spilled ? "" : spilled.error().text().c_str());
        QVERIFY(spilled->spillsC);
        QVERIFY2(spilled->reason.find("it has 16\u202f384 bytes: partial sums go to DRAM") !=
                     std::string::npos,
                 spilled->reason.c_str());
        QVERIFY(computesTheProduct(*spilled));
        DramQuery q{o.gemm, arrayTile(o.gemm, o.array, d)};
        q.l3Bytes = 4000;
        q.order = loopOrderOf(d);
        const auto dram = [](const Program& p) {
            return bytesOf(p, CommandKind::DmaLoad) + bytesOf(p, CommandKind::DmaPrefetch) +
                   bytesOf(p, CommandKind::DmaStore);
        };
        QCOMPARE(dram(*spilled), dramClosedForm(q).bytes());
        QCOMPARE(dram(*spilled) - dram(*kept), 2 * 3 * 512 * 48 * 4);
        for (const PipelineMachine& m : {PipelineMachine{}, machineOf(kpuHierarchy())}) {
            const auto run = runPipeline(*spilled, m);
            QVERIFY2(run.hasValue(), run ? "" : run.error().text().c_str());
            QVERIFY(run->peakBytes[1] <= 16 * 1024);
            QVERIFY(run->cycles >= runPipeline(*kept, m)->cycles);
        }
        o.style = ProgramStyle::Barriered;
        o.capacityBytes[1] = 4 * 1024 + 512;
        const auto barriered = buildProgram(o);
        QVERIFY2(barriered.hasValue(), barriered ? "" : barriered.error().text().c_str());
        QVERIFY(barriered->spillsC && computesTheProduct(*barriered));
        QVERIFY(runPipeline(*barriered, machineOf(kpuHierarchy())).hasValue());
        o.capacityBytes[1] = 2 * 1024;
        QCOMPARE(buildProgram(o).error().path, std::string("l2"));
        o.capacityBytes = {1024, 64 * 1024, 1 << 20};
        QCOMPARE(buildProgram(o).error().path, std::string("l3"));
        o.capacityBytes = {1 << 20, 1 << 20, 512};
        QCOMPARE(buildProgram(o).error().path, std::string("l1"));
    }
}

TILEWRIGHT_TEST(TestSystolicProgram)

} // namespace test_systolic_program
#include "test_systolic_program.moc"
