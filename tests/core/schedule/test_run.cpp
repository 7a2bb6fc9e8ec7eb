// SPDX-License-Identifier: GPL-3.0-or-later
// The run of a schedule (R20): expected ends, and what must hold of every run.
#include "drawn_cases.h"
#include "oracle_reader.h"
#include "run_cases.h"
#include "run_simulator.h"
#include "test_main.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace test_run {

using namespace tilewright;
using oracle::json;
using namespace tilewright::run_cases;

namespace {

std::string name(std::uint64_t seed, std::int64_t prefetch)
{
    return "seed " + std::to_string(seed) + " prefetch " + std::to_string(prefetch);
}

} // namespace

class TestRun : public QObject
{
    Q_OBJECT

    std::vector<Drawn> m_drawn;

private slots:
    void initTestCase() { m_drawn = drawnCases(test::drawnCases(std::size_t{1000})); }

    /// R20: what holds of every run.
    void invariants()
    {
        int slower = 0, faster = 0;
        for (const Drawn& d : m_drawn) {
            const Problem& p = *d.problem;
            double inTurn = 0, oneAhead = 0;
            for (const std::int64_t prefetch : {0, 1, 2, 5}) {
                const ScheduleRun run = runOf(d, prefetch);
                const std::string why = name(d.seed, prefetch);
                double compute = 0, load = 0, store = 0;
                for (const SubgraphEvaluation& s : d.evaluation.subgraphs) {
                    compute += s.compute;
                    load += s.loadElements;
                    store += s.storeElements;
                }
                QVERIFY2(close(p.elementsOf(run.loadUnits), load), why.c_str());
                QVERIFY2(close(p.elementsOf(run.storeUnits), store), why.c_str());
                const double array = run.of(RunUnit::Array).busy, vector = run.of(RunUnit::Vector).busy;
                const double channel = run.of(RunUnit::Load).busy + run.of(RunUnit::Store).busy;
                QVERIFY2(close(array + vector, compute), why.c_str());
                QVERIFY2(
                    close(channel, (load + store) / static_cast<double>(p.hardware().slowMemoryBandwidth)),
                    why.c_str());
                QVERIFY2(run.peakUnits <= p.capacityUnits(), why.c_str());
                const double least = std::max({array, vector, channel});
                QVERIFY2(run.end >= least || close(run.end, least), why.c_str());
                if (prefetch == 0) {
                    inTurn = run.end;
                    QVERIFY2(close(run.end, compute + channel), why.c_str());
                }
                QVERIFY2(run.end <= inTurn || close(run.end, inTurn), why.c_str());
                if (prefetch == 1)
                    oneAhead = run.end;
                slower += prefetch == 2 && run.end > oneAhead && !close(run.end, oneAhead);
                faster += prefetch == 2 && run.end < oneAhead && !close(run.end, oneAhead);
                checkParts(d, run, why);
                if (QTest::currentTestFailed())
                    return;
            }
        }
        QVERIFY2(faster >= test::drawnAtLeast(10), std::to_string(faster).c_str());
        qInfo("a second step ahead is slower in %d cases and faster in %d", slower, faster);
    }

    /// R20: the second simulator has the same commands at the same instants.
    void equalsTheSecondSimulator()
    {
        int compared = 0, earlier = 0, kept = 0, waiting = 0, retained = 0, views = 0;
        for (const Drawn& d : m_drawn) {
            for (const std::int64_t prefetch : {0, 1, 2, 4}) {
                const auto second = second_run::simulate(*d.problem, d.schedule, prefetch);
                if (!second)
                    continue;
                ++compared;
                earlier += second->hasEarlier;
                kept += second->hasKept;
                waiting += second->waitsForStore;
                views += !d.problem->data().views.empty();
                for (const SubgraphPtr& s : d.schedule.subgraphs)
                    retained += !s->retain.empty();
                const std::string difference = differs(runOf(d, prefetch), *second);
                QVERIFY2(difference.empty(), (name(d.seed, prefetch) + ": " + difference).c_str());
            }
        }
        qInfo("%d runs compared: %d read an earlier chunk, %d keep inputs, %d wait for stores, %d retain, %d "
              "views",
              compared, earlier, kept, waiting, retained, views);
        for (const int seen : {earlier, kept, waiting, retained, views})
            QVERIFY(seen >= test::drawnAtLeast(20));
        QVERIFY(compared >= test::drawnAtLeast(3500));
    }

    /// Ends that others computed from the text of the rules.
    void endsOfTheOracle()
    {
        int ends = 0;
        for (const json& c : oracle::lines("real_cases.jsonl")) {
            const json& expect = c["expect"]["machine"];
            if (!expect.contains("run"))
                continue;
            const ProblemPtr problem = oracle::problem(c["problem"]);
            const Schedule schedule = oracle::schedule(c["solution"]);
            for (const auto& [prefetch, end] : expect["run"].items()) {
                RunOptions options;
                options.prefetch = std::stoll(prefetch);
                const auto run = runSchedule(*problem, schedule, Rules::machine(), options);
                const std::string name = c["id"].get<std::string>() + " prefetch " + prefetch + ": ";
                QVERIFY2(run.hasValue(), (name + (run ? "" : run.error().text())).c_str());
                QVERIFY2(run->exact, name.c_str());
                QVERIFY2(close(run->end, end.get<double>()),
                         (name + std::to_string(run->end) + ", expected " + end.dump()).c_str());
                ++ends;
            }
        }
        QCOMPARE(ends, 735);
    }

private:
    /// The parts of a run add up to it and do not overlap where they must not.
    static void checkParts(const Drawn& d, const ScheduleRun& run, const std::string& why)
    {
        for (const RunUnitSums& unit : run.units)
            QVERIFY2(close(unit.busy + std::accumulate(unit.waits.begin(), unit.waits.end(), 0.0), run.end),
                     why.c_str());
        std::array<double, kRunUnits> stalled{};
        for (const RunStall& s : run.stalls) {
            QVERIFY2(s.begin < s.end, why.c_str());
            stalled[static_cast<std::size_t>(s.unit)] += s.end - s.begin;
        }
        for (std::size_t u = 0; u < kRunUnits; ++u)
            QVERIFY2(close(stalled[u] + run.units[u].busy, run.end), why.c_str());
        std::array<double, kRunUnits> free{}; // from when on a unit is free
        for (const RunCommand& c : run.commands) {
            const bool transfers = c.unit == RunUnit::Load || c.unit == RunUnit::Store;
            double& at = free[transfers ? 0 : static_cast<std::size_t>(c.unit)];
            QVERIFY2(c.begin >= at - 1e-9 && c.end >= c.begin, why.c_str());
            at = c.end;
            const RunStep& step = run.steps[static_cast<std::size_t>(c.step)];
            QVERIFY2(step.subgraph == c.subgraph && step.begin <= c.begin && c.end <= step.ended,
                     why.c_str());
        }
        for (const RunStep& s : run.steps)
            QVERIFY2(s.admitted <= s.begin && s.begin <= s.ended && s.ended <= run.end, why.c_str());
        QVERIFY2(run.room.front().time == 0 && run.room.back().time == run.end &&
                     run.room.back().total() == 0,
                 why.c_str());
        for (const RunRoom& r : run.room)
            QVERIFY2(r.total() <= d.problem->capacityUnits(), why.c_str());
        double length = 0;
        std::int64_t steps = 0;
        for (std::size_t i = 0; i < run.subgraphs.size(); ++i) {
            const RunSubgraph& s = run.subgraphs[i];
            length += s.length;
            QCOMPARE(s.firstStep, steps);
            steps += s.steps;
            QVERIFY2(close(s.latency, d.evaluation.subgraphs[i].latency), why.c_str());
            QVERIFY2(s.startUp >= 0 && s.drain >= 0 && s.startUp + s.drain <= s.length + 1e-9, why.c_str());
            QVERIFY2(close(s.length, s.latency + s.startUp + s.drain - s.overlap), why.c_str());
        }
        QVERIFY2(close(length, run.end) && steps == run.stepCount && run.steps.size() == std::size_t(steps),
                 why.c_str());
    }
};

TILEWRIGHT_TEST(TestRun)

} // namespace test_run
#include "test_run.moc"
