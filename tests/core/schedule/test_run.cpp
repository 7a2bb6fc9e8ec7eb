// SPDX-License-Identifier: GPL-3.0-or-later
// The run of a schedule (R20): expected ends, and what must hold of every run.
#include "drawn_cases.h"
#include "eval/evaluation.h"
#include "eval_rules.h"
#include "oracle_reader.h"
#include "random_cases.h"
#include "run/run.h"
#include "run_simulator.h"
#include "test_main.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

namespace test_run {

using namespace tilewright;
using oracle::json;
using random_cases::Source;

namespace {

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

struct Drawn
{
    std::uint64_t seed = 0;
    ProblemPtr problem;
    Schedule schedule;
    Evaluation evaluation;
};

/// A sum of products with different reductions in one subgraph: some drivers end before the others (R5.4).
Drawn sumOfProducts(Source& rnd)
{
    test::Graph g;
    const std::int64_t height = rnd.between(1, 9), width = rnd.between(1, 9);
    Granularity tile{rnd.between(1, width), rnd.between(1, height), 9};
    test::Ids terms;
    for (std::int64_t n = rnd.between(2, 3); n > 0; --n) {
        const std::int64_t depth = rnd.between(2, 9);
        tile.k = std::min(tile.k, rnd.between(1, depth));
        const std::size_t left = g.tensor(height, depth);
        const std::size_t right = g.tensor(depth, width);
        terms.push_back(g.mm(left, right, rnd.between(1, 40)));
    }
    const std::size_t sum = g.pw(terms, rnd.between(0, 10));
    if (rnd.chance(50))
        g.pw({sum, g.tensor(height, width)}, rnd.between(0, 10));
    g.data.hardware.slowMemoryBandwidth = rnd.between(1, 6);
    test::Ids ops(g.data.ops.size());
    std::iota(ops.begin(), ops.end(), 0);
    Drawn out;
    out.problem = g.build();
    out.schedule.subgraphs.push_back(std::make_shared<const Subgraph>(test::sub(ops, tile)));
    return out;
}

/// A valid schedule under rule set `machine` with few steps, in a fast memory that it mostly fills; empty if
/// this draw is none.
std::optional<Drawn> drawn(Source& rnd)
{
    Drawn out;
    if (rnd.chance(10)) {
        out = sumOfProducts(rnd);
    } else {
        out.problem = rnd.chance(75) ? random_cases::realProblem(rnd, 5, {.most = 12})
                                     : random_cases::problem(rnd, 5, 20);
        out.schedule = random_cases::schedule(rnd, *out.problem);
    }
    const Evaluation e = evaluate(*out.problem, out.schedule, Rules::machine());
    std::int64_t steps = 0;
    double peak = 0;
    for (const SubgraphEvaluation& s : e.subgraphs) {
        steps += s.steps;
        peak = std::max(peak, s.peakWorkingSet);
    }
    if (steps > 60 || !std::all_of(e.issues.begin(), e.issues.end(),
                                   [](const Issue& i) { return i.code == IssueCode::OutOfMemory; }))
        return {};
    Problem::Data data = out.problem->data();
    constexpr double kRoom[] = {1, 1, 1.2, 1.5, 2.5};
    data.hardware.fastMemoryCapacity = static_cast<std::int64_t>(std::ceil(peak * rnd.pick(kRoom)));
    auto built = Problem::build(std::move(data));
    if (!built)
        return {};
    out.problem = *built;
    out.evaluation = evaluate(*out.problem, out.schedule, Rules::machine());
    return out.evaluation.valid() ? std::optional(std::move(out)) : std::nullopt;
}

ScheduleRun runOf(const Drawn& d, std::int64_t prefetch)
{
    RunOptions options;
    options.prefetch = prefetch;
    auto run = runSchedule(*d.problem, d.schedule, Rules::machine(), options);
    if (!run)
        qFatal("%s", run.error().text().c_str());
    return *run;
}

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
    void initTestCase()
    {
        for (std::uint64_t seed = 1; m_drawn.size() < test::drawnCases(std::size_t{1000}); ++seed) {
            Source rnd(seed);
            if (auto d = drawn(rnd)) {
                d->seed = seed;
                m_drawn.push_back(std::move(*d));
            }
        }
    }

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

    /// Empty if both runs are the same.
    static std::string differs(const ScheduleRun& run, const second_run::Outcome& second)
    {
        const auto time = [&](Int128 ticks) {
            return static_cast<double>(static_cast<long double>(ticks) /
                                       static_cast<long double>(second.perUnit));
        };
        if (!close(run.end, time(second.end)))
            return "end " + std::to_string(run.end) + ", expected " + std::to_string(time(second.end));
        if (run.peakUnits != second.peak)
            return "peak " + std::to_string(run.peakUnits) + ", expected " + std::to_string(second.peak);
        for (std::size_t i = 0; i < run.steps.size(); ++i)
            if (!close(run.steps[i].admitted, time(second.admitted[i])) ||
                !close(run.steps[i].ended, time(second.ended[i])))
                return "step " + std::to_string(i);
        for (std::size_t u = 0; u < kRunUnits; ++u) {
            std::vector<RunCommand> mine;
            std::vector<second_run::Command> others;
            std::ranges::copy_if(run.commands, std::back_inserter(mine),
                                 [&](const RunCommand& c) { return static_cast<std::size_t>(c.unit) == u; });
            std::ranges::copy_if(
                second.commands, std::back_inserter(others),
                [&](const second_run::Command& c) { return static_cast<std::size_t>(c.unit) == u; });
            if (mine.size() != others.size())
                return "number of commands of unit " + std::to_string(u);
            for (std::size_t i = 0; i < mine.size(); ++i)
                if (mine[i].step != static_cast<std::int64_t>(others[i].step) ||
                    !close(mine[i].begin, time(others[i].begin)) || !close(mine[i].end, time(others[i].end)))
                    return "command " + std::to_string(i) + " of unit " + std::to_string(u);
        }
        return {};
    }
};

TILEWRIGHT_TEST(TestRun)

} // namespace test_run
#include "test_run.moc"
