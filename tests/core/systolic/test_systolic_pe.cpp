// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/pe_simulator.h"
#include "test_main.h"

#include <QTest>

#include <random>

namespace test_systolic_pe {

using namespace tilewright;
using namespace tilewright::systolic;

namespace {

struct Snapshot
{
    std::vector<double> values;
    std::int64_t active = 0;
    bool operator==(const Snapshot&) const = default;
};

Snapshot snapshot(const PeSimulator& sim)
{
    Snapshot s;
    s.active = sim.activePes();
    for (std::int64_t i = 0; i < sim.plan().array().rows; ++i)
        for (std::int64_t j = 0; j < sim.plan().array().cols; ++j) {
            const PeRegisters pe = sim.pe(i, j);
            s.values.insert(s.values.end(),
                            {pe.west, pe.north, pe.accumulator, pe.shadow, double(pe.active)});
        }
    return s;
}

} // namespace

class TestSystolicPe : public QObject
{
    Q_OBJECT
private slots:
    void rule_2_1_productAndCyclesOnThousandShapes();
    void rule_2_1_everyPeEveryCycle();
    void rule_2_2_fifos();
    void rule_2_2_laneDemand();
    void rule_2_3_stepsInBothDirections();
    void rule_9_refusals();
};

void TestSystolicPe::rule_2_1_productAndCyclesOnThousandShapes()
{
    std::mt19937 rng(7);
    const auto pick = [&](int max) { return std::int64_t{1} + static_cast<std::int64_t>(rng() % max); };
    for (int round = 0; round < 1000; ++round) {
        const Gemm g{pick(48), pick(48), pick(48)};
        const ArrayShape a{pick(17), pick(17)};
        const Dataflow d = std::array{Dataflow::Os, Dataflow::Ws, Dataflow::Is}[round % 3];
        const Readout r =
            std::array{Readout::Shadow, Readout::Shadow, Readout::Shift, Readout::ScaleSim}[rng() % 4];
        const TimingOptions options{d, r, 1 + static_cast<int>(rng() % 2)};
        auto sim = PeSimulator::createRandom(g, a, options, rng());
        QVERIFY(sim.hasValue());
        QVERIFY(sim->run());
        QCOMPARE(sim->product(), sim->referenceProduct());
        QCOMPARE(sim->measuredMacs(), macs(g));
        QCOMPARE(sim->measuredCycles(), arrayTiming(g, a, options).cycles);
    }
}

void TestSystolicPe::rule_2_1_everyPeEveryCycle()
{
    // Registers of the simulator against the timetable: two descriptions that share no code.
    std::mt19937 rng(8);
    const auto pick = [&](int max) { return std::int64_t{1} + static_cast<std::int64_t>(rng() % max); };
    for (int round = 0; round < 60; ++round) {
        const Gemm g{pick(12), pick(12), pick(12)};
        const ArrayShape a{pick(5), pick(5)};
        const Dataflow d = std::array{Dataflow::Os, Dataflow::Ws, Dataflow::Is}[round % 3];
        auto sim = PeSimulator::createRandom(g, a, {d, Readout::Shadow, 2}, 3);
        QVERIFY(sim.hasValue());
        for (std::int64_t t = 0; t < sim->cycles(); ++t) {
            sim->seek(t);
            QCOMPARE(sim->activePes(), sim->plan().activePesAt(t));
            for (std::int64_t i = 0; i < a.rows; ++i)
                for (std::int64_t j = 0; j < a.cols; ++j) {
                    const PeRegisters pe = sim->pe(i, j);
                    QCOMPARE(pe.active, sim->plan().peAt(t, i, j).active);
                    if (pe.active && d == Dataflow::Os)
                        QCOMPARE(pe.accumulator, sim->partialSum(pe.work.m, pe.work.n));
                }
        }
        QCOMPARE(sim->partialSum(g.m - 1, g.n - 1), sim->referenceProduct().back());
    }
}

void TestSystolicPe::rule_2_2_fifos()
{
    const Gemm g{32, 32, 64};
    const ArrayShape a{16, 16};
    // Enough bandwidth: one vector a cycle on each side never stalls, whatever the depth.
    for (const std::int64_t depth : {1, 4, 32}) {
        EdgeSupply supply;
        supply.depth = depth;
        supply.westPerCycle = 16;
        supply.northPerCycle = 16;
        auto sim = PeSimulator::createRandom(g, a, {}, 1, supply);
        QVERIFY(sim.hasValue());
        QCOMPARE(sim->cycles(), 286);
    }
    // Half the bandwidth in the west: about twice the time, all of it blamed on the west.
    EdgeSupply slow;
    slow.westPerCycle = 8;
    auto sim = PeSimulator::createRandom(g, a, {}, 1, slow);
    QVERIFY(sim.hasValue());
    QVERIFY(sim->run());
    QCOMPARE(sim->product(), sim->referenceProduct());
    QCOMPARE(sim->measuredCycles(), sim->cycles());
    QVERIFY(sim->clock().stalledCycles() > 200);
    QCOMPARE(sim->clock().stalledCycles(EdgeSide::West), sim->clock().stalledCycles());
    std::int64_t listed = 0;
    for (const EdgeStall& stall : sim->clock().stalls())
        listed += stall.length;
    QCOMPARE(listed, sim->clock().stalledCycles());
    // Every cycle is either a tick or part of a stall; the FIFOs never hold more than their depth.
    std::int64_t ticks = 0;
    for (std::int64_t t = 0; t < sim->cycles(); ++t) {
        QCOMPARE(sim->clock().ticksBefore(t), ticks);
        if (!sim->clock().stallAt(t)) {
            QCOMPARE(sim->clock().cycleOfTick(ticks), t);
            ++ticks;
        }
        if (t % 37 == 0)
            for (const std::int64_t n : sim->clock().occupancy(EdgeSide::West, t))
                QVERIFY(n >= 0 && n <= 32);
    }
    QCOMPARE(ticks, 286);
    // Jitter: pauses shorter than what the FIFO holds are hidden when the streamer is fast enough to refill
    // it.
    EdgeSupply jitter;
    jitter.westPerCycle = jitter.northPerCycle = 32;
    jitter.pausePeriod = 40;
    jitter.pauseLength = 8;
    jitter.depth = 64;
    QCOMPARE(EdgeClock(FoldPlan(g, a), jitter).stalledCycles(), 0);
    jitter.depth = 2;
    QVERIFY(EdgeClock(FoldPlan(g, a), jitter).stalledCycles() > 0);
    // Until the first delivery the array waits.
    EdgeSupply late;
    late.startDelay = 10;
    QCOMPARE(EdgeClock(FoldPlan(g, a), late).stalledCycles(), 10);
}

void TestSystolicPe::rule_2_2_laneDemand()
{
    std::mt19937 rng(9);
    const auto pick = [&](int max) { return std::int64_t{1} + static_cast<std::int64_t>(rng() % max); };
    for (int round = 0; round < 150; ++round) {
        const Gemm g{pick(20), pick(20), pick(20)};
        const ArrayShape a{pick(6), pick(6)};
        const Dataflow d = std::array{Dataflow::Os, Dataflow::Ws, Dataflow::Is}[round % 3];
        const FoldPlan plan(g, a, {d, Readout::Shadow, 1 + round % 2});
        for (const EdgeSide side : {EdgeSide::West, EdgeSide::North}) {
            const LaneDemand demand(plan, side);
            for (std::int64_t lane = 0; lane < demand.lanes(); ++lane) {
                std::int64_t taken = 0;
                for (std::int64_t t = 0; t < plan.cycles() + 3; ++t) {
                    QCOMPARE(demand.takenBefore(lane, t), taken);
                    taken += demand.takes(lane, t);
                }
                QCOMPARE(demand.total(lane), taken);
            }
        }
    }
}

void TestSystolicPe::rule_2_3_stepsInBothDirections()
{
    std::mt19937 rng(10);
    for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is})
        for (const Readout r : {Readout::Shadow, Readout::Shift}) {
            EdgeSupply supply;
            supply.northPerCycle = 5;
            auto sim = PeSimulator::createRandom({40, 21, 35}, {8, 6}, {d, r, 2}, 5, supply);
            QVERIFY(sim.hasValue());
            std::vector<Snapshot> forward;
            for (std::int64_t t = -1; t < sim->cycles(); ++t) {
                sim->seek(t);
                forward.push_back(snapshot(*sim));
            }
            const auto product = sim->product();
            QCOMPARE(product, sim->referenceProduct());
            for (int i = 0; i < 300; ++i) {
                const auto t = static_cast<std::int64_t>(rng() % forward.size()) - 1;
                sim->seek(t);
                QVERIFY(snapshot(*sim) == forward[static_cast<std::size_t>(t + 1)]);
            }
            QCOMPARE(sim->product(), product); // going back does not disturb the result
        }
}

void TestSystolicPe::rule_9_refusals()
{
    QVERIFY(!PeSimulator::createRandom({4, 4, 4}, {1025, 16}, {}, 1));
    QVERIFY(!PeSimulator::createRandom({0, 4, 4}, {16, 16}, {}, 1));
    QVERIFY(!PeSimulator::createRandom({1 << 15, 1 << 15, 4}, {16, 16}, {}, 1));
    QVERIFY(!PeSimulator::create({4, 4, 4}, {16, 16}, {}, {1, 2}, {3}));
    EdgeSupply bad;
    bad.depth = 0;
    QVERIFY(!PeSimulator::createRandom({4, 4, 4}, {16, 16}, {}, 1, bad));
}

TILEWRIGHT_TEST(TestSystolicPe)

} // namespace test_systolic_pe
#include "test_systolic_pe.moc"
