// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule is finished on its run (docs/rules/run.md 4).
#include "eval_rules.h"
#include "run/finish.h"
#include "test_main.h"

#include <QtTest>

namespace test_run_finish {

using namespace tilewright;
using namespace tilewright::test;

namespace {

/// A product of 32 x 32 with all of it in one tile, so that nothing hides its loads and its store.
struct Case
{
    Graph graph;
    Subgraph subgraph = sub({0}, {32, 32, 32});

    Case()
    {
        graph.data.hardware.slowMemoryBandwidth = 4;
        const std::size_t left = graph.tensor(32, 32);
        graph.mm(left, graph.tensor(32, 32), 38);
    }
    [[nodiscard]] Schedule schedule() const
    {
        Schedule s;
        s.subgraphs.push_back(std::make_shared<const Subgraph>(subgraph));
        return s;
    }
    [[nodiscard]] RunFinish finish(const std::vector<Schedule>& schedules, const Progress& progress = {},
                                   std::int64_t mostSteps = kFinishSteps) const
    {
        auto out = finishOnRun(*graph.build(), schedules, Rules::machine(), 1, progress, mostSteps);
        if (!out)
            qFatal("%s", out.error().text().c_str());
        return *out;
    }
};

} // namespace

class TestRunFinish : public QObject
{
    Q_OBJECT

private slots:
    /// Loads 512, a run of 64 folds of 32 and a fill of 6, a store of 256: 2822 in one step.
    void smallerTilesHideLoadsAndStores()
    {
        const Case c;
        const RunFinish out = c.finish({c.schedule()});
        QCOMPARE(out.endBefore, 512.0 + 64 * 32 + 6 + 256);
        QVERIFY(out.end < out.endBefore);
        QCOMPARE(out.retiled, std::vector{SubgraphId(0)});
        const auto again = runSchedule(*c.graph.build(), out.schedule, Rules::machine());
        QVERIFY(again.hasValue());
        QCOMPARE(again->end, out.end);
        QCOMPARE(again->latency, out.latency);
        QCOMPARE(c.finish({out.schedule}).end, out.end); // nothing is left to gain
    }

    void theFastestScheduleIsTheStart()
    {
        const Case c;
        Case other;
        other.subgraph.granularity = {8, 8, 32};
        const RunFinish out = c.finish({c.schedule(), other.schedule()}, {}, 2); // ends after the two runs
        QCOMPARE(out.of, std::size_t{1});
        QCOMPARE(out.runs, std::int64_t{2});
        QVERIFY(out.retiled.empty());
        QVERIFY(out.schedule == other.schedule());
        QVERIFY(out.end < out.endBefore);
    }

    void lockedSubgraphsAndExplicitOrdersStay()
    {
        Case c;
        c.subgraph.locked = true;
        QCOMPARE(c.finish({c.schedule()}).runs, std::int64_t{1});
        c.subgraph.locked = false;
        c.subgraph.granularity = {16, 32, 32};
        c.subgraph.traversal = Traversal::custom({1, 0});
        const RunFinish out = c.finish({c.schedule()});
        QCOMPARE(out.runs, std::int64_t{1});
        QCOMPARE(out.end, out.endBefore);
    }

    /// Twice as many tiles must fit into the memory, and so must half as many.
    void otherTilesAreValid()
    {
        Case c;
        c.subgraph.granularity = {32, 4, 32};
        c.graph.data.hardware.fastMemoryCapacity = 32 * 4 + 32 * 32 + 32 * 4;
        const RunFinish out = c.finish({c.schedule()});
        QVERIFY(evaluate(*c.graph.build(), out.schedule, Rules::machine()).valid());
    }

    void errors()
    {
        Case c;
        c.graph.data.hardware.fastMemoryCapacity = 100;
        const std::vector<Schedule> schedules{c.schedule()};
        QVERIFY(!finishOnRun(*c.graph.build(), schedules, Rules::machine()).hasValue());
    }
};

TILEWRIGHT_TEST(TestRunFinish)

} // namespace test_run_finish
#include "test_run_finish.moc"
