// SPDX-License-Identifier: GPL-3.0-or-later
// Questions about a run (R20), against a scan of its lists.
#include "oracle_reader.h"
#include "run/run_lookup.h"
#include "test_main.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace test_run_lookup {

using namespace tilewright;
using oracle::json;

namespace {

bool isNear(double a, double b, double scale)
{
    return std::abs(a - b) <= 1e-9 * std::max(1.0, scale);
}

/// Calls `check` with every run of the expected cases that have a step.
template <typename Check> int forRuns(Check&& check)
{
    int runs = 0;
    for (const json& c : oracle::lines("real_cases.jsonl")) {
        if (!c["expect"]["machine"].contains("run"))
            continue;
        const ProblemPtr problem = oracle::problem(c["problem"]);
        for (const std::int64_t prefetch : {0, 1, 2}) {
            RunOptions options;
            options.prefetch = prefetch;
            const auto run =
                runSchedule(*problem, oracle::schedule(c["solution"]), Rules::machine(), options);
            if (!run || run->steps.empty())
                continue;
            check(*run, indexOf(*run));
            ++runs;
        }
    }
    return runs;
}

/// Times at and between all begins and ends of a few steps.
std::vector<double> instants(const ScheduleRun& run)
{
    std::vector<double> out;
    for (std::size_t i = 0; i < run.steps.size(); i += std::max<std::size_t>(1, run.steps.size() / 12))
        for (const double t : {run.steps[i].admitted, run.steps[i].begin, run.steps[i].ended,
                               (run.steps[i].begin + run.steps[i].ended) / 2})
            out.push_back(t);
    return out;
}

} // namespace

class TestRunLookup : public QObject
{
    Q_OBJECT

private slots:
    /// Commands and waits of a unit follow one another from 0 to the end, and their sums are those of the
    /// run.
    void piecesFillTheRun()
    {
        const int runs = forRuns([](const ScheduleRun& run, const RunIndex& index) {
            for (std::size_t u = 0; u < kRunUnits; ++u) {
                double at = 0, busy = 0;
                for (const RunPiece& piece : index.cores[0][u]) {
                    QVERIFY(isNear(piece.begin, at, run.end));
                    at = piece.end;
                    busy += piece.waits ? 0 : piece.end - piece.begin;
                }
                QVERIFY(isNear(at, run.end, run.end));
                QVERIFY(isNear(busy, run.units[u].busy, run.end));
            }
        });
        QVERIFY(runs > 600);
    }

    void thePieceAtATimeContainsIt()
    {
        forRuns([](const ScheduleRun& run, const RunIndex& index) {
            for (const double time : instants(run))
                for (std::size_t u = 0; u < kRunUnits; ++u) {
                    const auto& pieces = index.cores[0][u];
                    const auto found = pieceAt(index, static_cast<RunUnit>(u), time);
                    const auto scanned = std::ranges::find_if(
                        pieces, [&](const RunPiece& p) { return p.begin <= time && time < p.end; });
                    QCOMPARE(found.has_value(), scanned != pieces.end());
                    if (found)
                        QCOMPARE(*found, static_cast<std::size_t>(scanned - pieces.begin()));
                }
        });
    }

    /// The step at work: that of the array, else of the vector unit, else the oldest open one.
    void theStepAtATimeIsTheOneAtWork()
    {
        int open = 0;
        forRuns([&](const ScheduleRun& run, const RunIndex& index) {
            for (const double time : instants(run)) {
                const auto step = stepAt(run, index, time);
                QVERIFY(step);
                std::optional<std::size_t> works;
                for (const RunUnit unit : {RunUnit::Vector, RunUnit::Array})
                    for (const RunCommand& c : run.commands)
                        if (c.unit == unit && c.begin <= time && time < c.end)
                            works = static_cast<std::size_t>(c.step);
                if (!works)
                    for (std::size_t i = 0; i < run.steps.size() && !works; ++i)
                        if (run.steps[i].admitted <= time && time < run.steps[i].ended) {
                            works = i;
                            ++open;
                        }
                if (works)
                    QCOMPARE(*step, *works);
                else
                    QVERIFY(run.steps[*step].admitted <= time);
            }
        });
        QVERIFY(open > 100);
    }

    void theRoomAtATimeIsTheLastEntry()
    {
        forRuns([](const ScheduleRun& run, const RunIndex&) {
            for (const double time : instants(run)) {
                const auto room = roomAt(run, time);
                QVERIFY(room);
                QVERIFY(run.room[*room].time <= time || *room == 0);
                QVERIFY(*room + 1 == run.room.size() || run.room[*room + 1].time > time);
            }
        });
    }

    void aStepOfASubgraphIsFound()
    {
        forRuns([](const ScheduleRun& run, const RunIndex& index) {
            for (std::size_t i = 0; i < run.steps.size(); ++i) {
                QCOMPARE(stepOf(run, run.steps[i].subgraph, run.steps[i].index), std::optional(i));
                QVERIFY(index.worksFrom[i] >= run.steps[i].begin && index.worksFrom[i] <= run.steps[i].ended);
            }
            QVERIFY(!stepOf(run, SubgraphId(run.subgraphs.size()), 0));
            QVERIFY(!stepOf(run, SubgraphId(0), run.subgraphs[0].steps));
        });
    }

    /// Lengths add up to the end, and each is explained by its parts.
    void differencesAddUp()
    {
        std::array<int, 5> reasons{};
        forRuns([&](const ScheduleRun& run, const RunIndex&) {
            const RunDifference whole = differenceOf(run);
            QVERIFY(isNear(whole.length, run.end, run.end));
            QVERIFY(isNear(whole.latency, run.latency, run.end));
            for (const RunSubgraph& s : run.subgraphs) {
                const RunDifference d = differenceOf(s);
                QVERIFY(isNear(d.length, d.latency + d.startUp + d.drain - d.overlap, run.end));
                ++reasons[static_cast<std::size_t>(reasonOf(d))];
            }
            const RunLimit limit = limitOf(run);
            QVERIFY(limit.share > 0 && limit.share <= 1 + 1e-9);
        });
        QVERIFY(reasons[static_cast<std::size_t>(RunReason::StartUp)] > 0);
        QVERIFY(reasons[static_cast<std::size_t>(RunReason::Overlap)] > 0);
        QCOMPARE(reasonOf({10, 10, 2, 0, 2}), RunReason::None);
        QCOMPARE(reasonOf({10, 8, 1, 0, 3}), RunReason::Overlap);
        QCOMPARE(reasonOf({10, 13, 1, 2, 0}), RunReason::Drain);
        QCOMPARE(reasonOf({10, 15, 1, 1, -3}), RunReason::Stalls);
    }

    void theLongestWaitLeavesOutNothing()
    {
        RunUnitSums sums;
        QVERIFY(!longestWait(sums));
        sums.waits[static_cast<std::size_t>(RunWait::Nothing)] = 9;
        QVERIFY(!longestWait(sums));
        sums.waits[static_cast<std::size_t>(RunWait::Room)] = 2;
        sums.waits[static_cast<std::size_t>(RunWait::Channel)] = 3;
        QCOMPARE(longestWait(sums), std::optional(RunWait::Channel));
    }
};

TILEWRIGHT_TEST(TestRunLookup)

} // namespace test_run_lookup
#include "test_run_lookup.moc"
