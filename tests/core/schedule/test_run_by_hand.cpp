// SPDX-License-Identifier: GPL-3.0-or-later
// The cases that docs/rules/run.md 3 works by hand, and what is refused.
#include "eval_rules.h"
#include "run/run.h"
#include "test_main.h"

#include <QtTest>

namespace test_run_by_hand {

using namespace tilewright;
using namespace tilewright::test;

namespace {

struct Case
{
    Graph graph;
    std::vector<Subgraph> subgraphs;

    Case() { graph.data.hardware.slowMemoryBandwidth = 4; }
    [[nodiscard]] Result<ScheduleRun> tryRun(const RunOptions& options, const Rules& rules) const
    {
        Schedule s;
        for (const Subgraph& x : subgraphs)
            s.subgraphs.push_back(std::make_shared<const Subgraph>(x));
        return runSchedule(*graph.build(), s, rules, options);
    }
    [[nodiscard]] ScheduleRun run(std::int64_t prefetch, std::int64_t cores = 1) const
    {
        RunOptions options;
        options.prefetch = prefetch;
        options.cores = cores;
        auto out = tryRun(options, Rules::machine());
        if (!out)
            qFatal("%s", out.error().text().c_str());
        return *out;
    }
};

/// "t0 0-4, t1 4-8": the commands of a unit, named by their tensor.
QString commands(const ScheduleRun& run, RunUnit unit, std::size_t core = 0)
{
    QStringList out;
    for (const RunCommand& c : run.commands)
        if (c.unit == unit && c.core == core)
            out += QStringLiteral("t%1 %2-%3").arg(c.tensor->index()).arg(c.begin).arg(c.end);
    return out.join(QStringLiteral(", "));
}

/// The product of docs/rules/run.md 3.1: t2 = t0 x t1.
Case product()
{
    Case c;
    const std::size_t left = c.graph.tensor(8, 4);
    c.graph.mm(left, c.graph.tensor(4, 4), 10);
    c.subgraphs = {sub({0}, {4, 4, 4})};
    return c;
}

#define COMMANDS(run, unit, text) QCOMPARE(commands(run, RunUnit::unit), QStringLiteral(text))
#define CORE_COMMANDS(run, core, unit, text)                                                                 \
    QCOMPARE(commands(run, RunUnit::unit, core), QStringLiteral(text))

} // namespace

class TestRunByHand : public QObject
{
    Q_OBJECT

private slots:
    void oneMatMul()
    {
        const Case c = product();
        const ScheduleRun inTurn = c.run(0);
        COMMANDS(inTurn, Load, "t0 0-4, t1 4-8, t0 22-26");
        COMMANDS(inTurn, Array, "t2 8-18, t2 26-36");
        COMMANDS(inTurn, Store, "t2 18-22, t2 36-40");
        QCOMPARE(inTurn.end, 40.0);
        const ScheduleRun ahead = c.run(1);
        COMMANDS(ahead, Load, "t0 0-4, t1 4-8, t0 8-12");
        COMMANDS(ahead, Array, "t2 8-18, t2 18-28");
        COMMANDS(ahead, Store, "t2 18-22, t2 28-32");
        QCOMPARE(ahead.end, 32.0);
        QCOMPARE(ahead.latency, 22.0);
        const RunSubgraph& s = ahead.subgraphs.front();
        QCOMPARE(s.startUp, 8.0);
        QCOMPARE(s.drain, 4.0);
        QCOMPARE(s.overlap, 2.0);
        QCOMPARE(ahead.of(RunUnit::Array).waited(RunWait::Load), 8.0);
        QCOMPARE(ahead.of(RunUnit::Array).waited(RunWait::Nothing), 4.0);
        const auto stall = std::find_if(ahead.stalls.begin(), ahead.stalls.end(),
                                        [](const RunStall& x) { return x.unit == RunUnit::Array; });
        QCOMPARE(stall->tensor->index(), std::size_t{1});
        QCOMPARE(ahead.peakUnits, std::int64_t{3 * 16 + 2 * 16});
    }

    void splitK()
    {
        Case c;
        const std::size_t left = c.graph.tensor(4, 8);
        c.graph.mm(left, c.graph.tensor(8, 4), 14);
        c.subgraphs = {sub({0}, {4, 4, 4})};
        QCOMPARE(c.run(0).end, 40.0);
        c.graph.data.hardware.fastMemoryCapacity = 80;
        const ScheduleRun ahead = c.run(1);
        COMMANDS(ahead, Load, "t0 0-4, t1 4-8, t0 8-12, t1 12-16");
        COMMANDS(ahead, Array, "t2 8-18, t2 18-28");
        QCOMPARE(ahead.end, 32.0);
        QCOMPARE(ahead.peakUnits, std::int64_t{80});
        c.graph.data.hardware.fastMemoryCapacity = 79;
        const ScheduleRun tight = c.run(1);
        COMMANDS(tight, Load, "t0 0-4, t1 4-8, t0 18-22, t1 22-26");
        COMMANDS(tight, Array, "t2 8-18, t2 26-36");
        QCOMPARE(tight.end, 40.0);
        QCOMPARE(tight.of(RunUnit::Load).waited(RunWait::Room), 10.0);
    }

    void twoFusedOps()
    {
        Case c = product();
        c.graph.pw({2}, 8);
        c.subgraphs = {sub({0, 1}, {4, 4, 4})};
        QCOMPARE(c.run(0).end, 56.0);
        const ScheduleRun ahead = c.run(1);
        COMMANDS(ahead, Array, "t2 8-18, t2 18-28");
        COMMANDS(ahead, Vector, "t3 18-26, t3 28-36");
        COMMANDS(ahead, Store, "t3 26-30, t3 36-40");
        QCOMPARE(ahead.subgraphs.front().overlap, 8.0);
        QCOMPARE(ahead.of(RunUnit::Vector).waited(RunWait::Run), 20.0);
    }

    void retainedTensor()
    {
        Case c = product();
        c.graph.pw({2}, 8);
        c.subgraphs = {sub({0}, {4, 4, 4}, {2}), sub({1}, {4, 4, 4})};
        QCOMPARE(c.run(0).end, 56.0);
        const ScheduleRun ahead = c.run(1);
        COMMANDS(ahead, Array, "t2 8-18, t2 18-28");
        COMMANDS(ahead, Vector, "t3 28-36, t3 36-44");
        COMMANDS(ahead, Store, "t3 36-40, t3 44-48");
        QCOMPARE(ahead.subgraphs[0].length, 28.0);
        QCOMPARE(ahead.subgraphs[1].length, 20.0);
        QCOMPARE(ahead.subgraphs[1].latency, 16.0);
        QCOMPARE(ahead.subgraphs[1].drain, 4.0);
    }

    void convolutionWithHalo()
    {
        Case c;
        const std::size_t image = c.graph.tensor(16, 1);
        const std::size_t windows = c.graph.tensor(16, 9);
        c.graph.data.views.push_back({TensorId(windows),
                                      {TensorId(image)},
                                      WindowsMap{.n = 1,
                                                 .h = 4,
                                                 .w = 4,
                                                 .channels = {0, 1},
                                                 .window = {3, 3},
                                                 .stride = {1, 1},
                                                 .pad = {1, 1, 1, 1},
                                                 .dilation = {1, 1}}});
        c.graph.mm(windows, c.graph.tensor(9, 4), 15);
        c.subgraphs = {sub({0}, {4, 8, 9})};
        QCOMPARE(c.run(0).end, 79.0);
        const ScheduleRun ahead = c.run(1);
        COMMANDS(ahead, Load, "t1 0-3, t2 3-12, t1 12-15");
        COMMANDS(ahead, Array, "t3 12-36, t3 36-60");
        COMMANDS(ahead, Store, "t3 36-44, t3 60-68");
        QCOMPARE(ahead.loadUnits, std::int64_t{12 + 36 + 12});
        QCOMPARE(ahead.latency, 48.0);
        QCOMPARE(ahead.subgraphs.front().overlap, 0.0);
    }

    void oneMatMulOnTwoCores()
    {
        const Case c = product();
        for (const std::int64_t prefetch : {0, 1}) {
            const ScheduleRun run = c.run(prefetch, 2);
            CORE_COMMANDS(run, 0, Load, "t0 0-4, t1 8-12");
            CORE_COMMANDS(run, 1, Load, "t0 4-8, t1 12-16");
            CORE_COMMANDS(run, 0, Array, "t2 12-22");
            CORE_COMMANDS(run, 1, Array, "t2 16-26");
            CORE_COMMANDS(run, 0, Store, "t2 22-26");
            CORE_COMMANDS(run, 1, Store, "t2 26-30");
            QCOMPARE(run.end, 30.0);
            QCOMPARE(run.channelBusy, 24.0);
            QCOMPARE(run.cores[0].steps, std::int64_t{1});
            QCOMPARE(run.cores[0].of(RunUnit::Load).waited(RunWait::Channel), 4.0);
        }
        const ScheduleRun run = c.run(1, 4); // more cores than tiles
        QCOMPARE(run.end, 30.0);
        std::int64_t steps = 0;
        for (const RunCoreSums& core : run.cores)
            steps += core.steps;
        QCOMPARE(steps, std::int64_t{2});
    }

    void retainedTensorOnTwoCores()
    {
        Case c = product();
        c.graph.pw({2}, 8);
        c.subgraphs = {sub({0}, {4, 4, 4}, {2}), sub({1}, {2, 8, 4})};
        QCOMPARE(c.run(1).end, 48.0);
        const ScheduleRun run = c.run(1, 2);
        CORE_COMMANDS(run, 0, Array, "t2 12-22");
        CORE_COMMANDS(run, 1, Array, "t2 16-26");
        CORE_COMMANDS(run, 0, Load, "t0 0-4, t1 8-12, t2 26-30");
        CORE_COMMANDS(run, 1, Load, "t0 4-8, t1 12-16, t2 26-30");
        CORE_COMMANDS(run, 0, Vector, "t3 30-38");
        CORE_COMMANDS(run, 1, Vector, "t3 30-38");
        CORE_COMMANDS(run, 0, Store, "t3 38-42");
        CORE_COMMANDS(run, 1, Store, "t3 42-46");
        QCOMPARE(run.end, 46.0);
        QCOMPARE(run.networkUnits, std::int64_t{16});
        QCOMPARE(run.cores[0].of(RunUnit::Load).waited(RunWait::Run), 14.0);
        RunOptions options;
        options.cores = 2;
        options.network.links = 1; // one read at a time
        const auto narrow = c.tryRun(options, Rules::machine());
        QVERIFY(narrow.hasValue());
        CORE_COMMANDS(*narrow, 1, Load, "t0 4-8, t1 12-16, t2 30-34");
        options.network.linkUnits = 8; // 8 elements in 3 units of time
        options.network.linkTime = 3;
        const auto fast = c.tryRun(options, Rules::machine());
        QVERIFY(fast.hasValue());
        CORE_COMMANDS(*fast, 1, Load, "t0 4-8, t1 12-16, t2 29-32");
    }

    /// Sums are complete without a record.
    void unrecordedRun()
    {
        const Case c = product();
        RunOptions options;
        options.mostCommands = 3;
        const auto run = c.tryRun(options, Rules::machine());
        QVERIFY(run.hasValue() && !run->recorded);
        QVERIFY(run->commands.empty() && run->steps.empty() && run->stalls.empty() && run->room.empty());
        QCOMPARE(run->end, 32.0);
        QCOMPARE(run->of(RunUnit::Array).commands, std::int64_t{2});
        QCOMPARE(run->of(RunUnit::Array).waited(RunWait::Load), 8.0);
    }

    void refusals()
    {
        const Case c = product();
        const auto refusal = [&](const RunOptions& options, const Rules& rules) {
            const auto run = c.tryRun(options, rules);
            return run ? QString() : QString::fromStdString(run.error().text());
        };
        QCOMPARE(refusal({.cores = 0}, Rules::machine()),
                 QStringLiteral("a schedule runs on 1 to 1\u202f024 cores, not on 0"));
        QCOMPARE(refusal({.prefetch = -1}, Rules::machine()),
                 QStringLiteral("prefetch is \u22121, but must be at least 0"));
        QVERIFY(refusal({}, with("donation", "yes")).contains(QStringLiteral("donation=no")));
        QVERIFY(refusal({.mostSteps = 1}, Rules::machine()).contains(QStringLiteral("2 steps")));
        Case wrong = product();
        wrong.graph.data.hardware.fastMemoryCapacity = 40;
        const auto run = wrong.tryRun({}, Rules::machine());
        QVERIFY(!run &&
                QString::fromStdString(run.error().text())
                    .startsWith(QStringLiteral("the schedule is not valid and cannot run: subgraph 0: ")));
    }
};

TILEWRIGHT_TEST(TestRunByHand)

} // namespace test_run_by_hand
#include "test_run_by_hand.moc"
