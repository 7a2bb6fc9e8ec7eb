// SPDX-License-Identifier: GPL-3.0-or-later
// The run of a schedule on several cores (docs/rules/run.md 5): what must hold of every run.
#include "drawn_cases.h"
#include "eval/step_stream.h"
#include "rules/check.h"
#include "run_cases.h"
#include "test_main.h"

#include <QtTest>

#include <algorithm>
#include <numeric>
#include <string>

namespace test_run_cores {

using namespace tilewright;
using namespace tilewright::run_cases;

namespace {

std::string name(const Drawn& d, std::int64_t prefetch, std::int64_t cores)
{
    return "seed " + std::to_string(d.seed) + " prefetch " + std::to_string(prefetch) + " cores " +
           std::to_string(cores);
}

/// Units that the stretches of all subgraphs load and store, each with empty buffers at its beginning.
struct Traffic
{
    std::int64_t load = 0, store = 0;
    double compute = 0;
};
Traffic trafficOf(const Drawn& d, std::int64_t cores)
{
    Traffic out;
    const Rules rules = Rules::machine();
    for (std::size_t i = 0; i < d.schedule.size(); ++i) {
        const auto order = std::make_shared<const StepOrder>(
            *d.problem, d.schedule[SubgraphId(i)],
            residentBefore(*d.problem, d.schedule, rules, SubgraphId(i)), rules);
        for (const StepStretch& stretch : cutIntoStretches(*order, static_cast<std::size_t>(cores)))
            for (StepStream steps(order, stretch); steps.next();) {
                out.load += steps.step().loadElements;
                out.store += steps.step().storeElements;
                out.compute += steps.step().compute;
            }
    }
    return out;
}

} // namespace

class TestRunCores : public QObject
{
    Q_OBJECT

    std::vector<Drawn> m_drawn;

private slots:
    void initTestCase() { m_drawn = drawnCases(test::drawnCases(std::size_t{400})); }

    /// docs/rules/run.md 5.1: contiguous stretches of whole tiles, which differ by at most a tile where all
    /// tiles have the same number of steps.
    void stretches()
    {
        for (const Drawn& d : m_drawn)
            for (std::size_t i = 0; i < d.schedule.size(); ++i) {
                const StepOrder order(*d.problem, d.schedule[SubgraphId(i)],
                                      residentBefore(*d.problem, d.schedule, Rules::machine(), SubgraphId(i)),
                                      Rules::machine());
                const std::int64_t steps = d.evaluation.subgraphs[i].steps;
                const auto tiles = static_cast<std::int64_t>(order.tiles.size());
                for (const std::int64_t cores : {1, 2, 3, 4}) {
                    const auto cut = cutIntoStretches(order, static_cast<std::size_t>(cores));
                    QCOMPARE(cut.size(), static_cast<std::size_t>(cores));
                    std::size_t tile = 0;
                    std::int64_t step = 0;
                    for (const StepStretch& s : cut) {
                        QCOMPARE(s.begin, tile);
                        QCOMPARE(s.firstStep, step);
                        tile = s.end;
                        step += s.steps;
                        const auto length = static_cast<std::int64_t>(s.end - s.begin);
                        if (order.plan.sinks().size() == 1)
                            QVERIFY2(length >= tiles / cores && length <= (tiles + cores - 1) / cores,
                                     name(d, 0, cores).c_str());
                    }
                    QCOMPARE(tile, order.tiles.size());
                    QCOMPARE(step, steps);
                }
            }
    }

    void invariants()
    {
        int faster = 0, slower = 0, network = 0;
        for (const Drawn& d : m_drawn)
            for (const std::int64_t cores : {2, 4}) {
                const Traffic traffic = trafficOf(d, cores);
                for (const std::int64_t prefetch : {0, 1, 2}) {
                    const ScheduleRun run = runOf(d, prefetch, cores);
                    const std::string why = name(d, prefetch, cores);
                    QCOMPARE(run.loadUnits, traffic.load);
                    QCOMPARE(run.storeUnits, traffic.store);
                    const double array = run.of(RunUnit::Array).busy, vector = run.of(RunUnit::Vector).busy;
                    QVERIFY2(close(array + vector, traffic.compute), why.c_str());
                    QVERIFY2(close(run.channelBusy, static_cast<double>(traffic.load + traffic.store) /
                                                        static_cast<double>(d.problem->bandwidthUnits())),
                             why.c_str());
                    // the floor of n cores, and the channel
                    const auto n = static_cast<double>(cores);
                    const double least = std::max({array / n, vector / n, run.channelBusy});
                    QVERIFY2(run.end >= least || close(run.end, least), why.c_str());
                    for (const RunCoreSums& core : run.cores) {
                        QVERIFY2(core.peakUnits <= d.problem->capacityUnits(), why.c_str());
                        for (const RunUnitSums& unit : core.units) {
                            const double waits = std::accumulate(unit.waits.begin(), unit.waits.end(), 0.0);
                            QVERIFY2(close(unit.busy + waits, run.end), why.c_str());
                        }
                    }
                    checkCommands(d, run, why);
                    if (QTest::currentTestFailed())
                        return;
                    const double alone = runOf(d, prefetch).end;
                    faster += run.end < alone && !close(run.end, alone);
                    slower += run.end > alone && !close(run.end, alone);
                    network += run.networkUnits > 0;
                }
            }
        QVERIFY2(faster >= test::drawnAtLeast(200), std::to_string(faster).c_str());
        QVERIFY2(network >= test::drawnAtLeast(20), std::to_string(network).c_str());
        qInfo("several cores are faster in %d runs and slower in %d; %d read over the network", faster,
              slower, network);
    }

    void equalsTheSecondSimulator()
    {
        int compared = 0, kept = 0, waiting = 0, network = 0, narrow = 0;
        for (const Drawn& d : m_drawn)
            for (const std::int64_t cores : {2, 3, 4})
                for (const std::int64_t prefetch : {0, 1, 3}) {
                    const RunNetwork links =
                        d.seed % 2 == 0 ? RunNetwork()
                                        : RunNetwork{static_cast<std::int64_t>(d.seed % 5) + 1, 2, 1};
                    const auto second = second_run::simulate(*d.problem, d.schedule, prefetch,
                                                             static_cast<std::size_t>(cores), links);
                    if (!second)
                        continue;
                    ++compared;
                    kept += second->hasKept;
                    waiting += second->waitsForStore;
                    network += second->network > 0;
                    narrow += second->network > 0 && links.links == 1;
                    const std::string difference = differs(runOf(d, prefetch, cores, links), *second);
                    QVERIFY2(difference.empty(), (name(d, prefetch, cores) + ": " + difference).c_str());
                }
        qInfo("%d runs compared: %d keep inputs, %d wait for stores, %d read over the network, %d over one "
              "link",
              compared, kept, waiting, network, narrow);
        for (const int seen : {kept, waiting, network, narrow})
            QVERIFY(seen >= test::drawnAtLeast(20));
        QVERIFY(compared >= test::drawnAtLeast(3000));
    }

private:
    /// No unit, and not the channel, does two things at a time; commands lie within their steps.
    static void checkCommands(const Drawn& d, const ScheduleRun& run, const std::string& why)
    {
        std::vector<double> free(run.cores.size() * kRunUnits);
        double channel = 0;
        for (const RunCommand& c : run.commands) {
            double& at = free[c.core * kRunUnits + static_cast<std::size_t>(c.unit)];
            QVERIFY2(c.begin >= at - 1e-9 && c.end >= c.begin, why.c_str());
            at = c.end;
            const bool transfers = c.unit == RunUnit::Load || c.unit == RunUnit::Store;
            if (transfers && !c.network) {
                QVERIFY2(c.begin >= channel - 1e-9, why.c_str());
                channel = c.end;
            }
            const RunStep& step = run.steps[static_cast<std::size_t>(c.step)];
            QVERIFY2(step.core == c.core && step.subgraph == c.subgraph && step.begin <= c.begin &&
                         c.end <= step.ended,
                     why.c_str());
        }
        for (const RunRoom& r : run.room)
            QVERIFY2(r.total() <= d.problem->capacityUnits(), why.c_str());
        std::vector<std::int64_t> last(run.cores.size());
        for (const RunRoom& r : run.room)
            last[r.core] = r.total();
        for (const std::int64_t left : last)
            QVERIFY2(left == 0, why.c_str());
        double length = 0;
        std::int64_t steps = 0;
        for (const RunSubgraph& s : run.subgraphs) {
            length += s.length;
            steps += s.steps;
        }
        QVERIFY2(close(length, run.end) && steps == run.stepCount, why.c_str());
    }
};

TILEWRIGHT_TEST(TestRunCores)

} // namespace test_run_cores
#include "test_run_cores.moc"
