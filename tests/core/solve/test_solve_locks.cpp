// SPDX-License-Identifier: GPL-3.0-or-later
// What a person pins stays exactly as it is, whatever else the search does.
#include "eval/evaluation.h"
#include "solve/search/solver.h"
#include "test_main.h"
#include "workload/generate.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

namespace test_solve_locks {

using namespace tilewright;

namespace {

SolveOptions quick(std::int64_t iterations)
{
    SolveOptions options;
    options.seconds = 0;
    options.iterations = iterations;
    options.threads = 1;
    options.prove = false;
    return options;
}

ProblemPtr generated(std::uint64_t seed)
{
    GenerateOptions options;
    options.kind = WorkloadKind::Random;
    options.ops = 12;
    options.seed = seed;
    return generateWorkload(options).value();
}

Schedule with(Schedule schedule, std::size_t i, const Subgraph& changed)
{
    schedule.subgraphs[i] = std::make_shared<const Subgraph>(changed);
    return schedule;
}

const Subgraph* lockedOf(const Schedule& schedule)
{
    const auto it = std::ranges::find_if(schedule.subgraphs, [](const SubgraphPtr& s) { return s->locked; });
    return it == schedule.subgraphs.end() ? nullptr : it->get();
}

} // namespace

class TestSolveLocks : public QObject
{
    Q_OBJECT

private slots:
    void aCustomOrderStays();
    void retainedTensorsStay();
    void nothingRetainedStaysNothing();
};

/// A shuffled order is worse than any preset, so a search that could change it would.
void TestSolveLocks::aCustomOrderStays()
{
    int checked = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const ProblemPtr problem = generated(seed);
        const auto base = solve(*problem, quick(300));
        QVERIFY(base);
        for (std::size_t i = 0; i < base->schedule.size(); ++i) {
            Subgraph s = *base->schedule.subgraphs[i];
            const Evaluation e = evaluate(*problem, base->schedule, Rules::final());
            const std::int64_t tiles = e.subgraphs[i].rows * e.subgraphs[i].cols;
            if (tiles < 6 || tiles > 4096)
                continue;
            std::vector<std::int64_t> order(static_cast<std::size_t>(tiles));
            std::iota(order.begin(), order.end(), 0);
            std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(seed)));
            s.traversal = Traversal::custom(order);
            const Schedule start = with(base->schedule, i, s);
            const Evaluation shuffled = evaluate(*problem, start, Rules::final());
            if (!shuffled.valid())
                continue;
            s.locked = true;
            SolveOptions options = quick(2000);
            options.start = with(base->schedule, i, s);
            const auto result = solve(*problem, options);
            QVERIFY(result);
            const Subgraph* kept = lockedOf(result->schedule);
            QVERIFY(kept);
            QCOMPARE(kept->ops, s.ops);
            QVERIFY(kept->granularity == s.granularity);
            QVERIFY(kept->traversal == s.traversal);
            QVERIFY(std::ranges::is_permutation(kept->retain, s.retain));
            QVERIFY(result->total <= shuffled.total * (1 + 1e-12));
            const Evaluation checkedAgain = evaluateByTrace(*problem, result->schedule, Rules::final());
            QVERIFY(checkedAgain.valid());
            QVERIFY(std::abs(checkedAgain.total - result->total) <= 1e-9 * result->total);
            ++checked;
            break;
        }
    }
    QVERIFY2(checked >= 8, qPrintable(QString::number(checked)));
}

void TestSolveLocks::retainedTensorsStay()
{
    int checked = 0;
    for (std::uint64_t seed = 1; seed <= 40 && checked < 8; ++seed) {
        const ProblemPtr problem = generated(seed);
        const auto base = solve(*problem, quick(2000));
        QVERIFY(base);
        for (std::size_t i = 0; i < base->schedule.size(); ++i) {
            Subgraph s = *base->schedule.subgraphs[i];
            if (s.retain.empty())
                continue;
            s.locked = true;
            SolveOptions options = quick(4000);
            options.seed = 5;
            options.start = with(base->schedule, i, s);
            const auto result = solve(*problem, options);
            QVERIFY(result);
            const Subgraph* kept = lockedOf(result->schedule);
            QVERIFY(kept);
            QVERIFY(std::ranges::is_permutation(kept->retain, s.retain));
            QVERIFY(kept->granularity == s.granularity);
            QVERIFY(evaluateByTrace(*problem, result->schedule, Rules::final()).valid());
            ++checked;
            break;
        }
    }
    QVERIFY2(checked >= 3, qPrintable(QString::number(checked)));
}

/// Where the solver would retain, but the person pinned the subgraph without.
void TestSolveLocks::nothingRetainedStaysNothing()
{
    int checked = 0;
    for (std::uint64_t seed = 1; seed <= 40 && checked < 8; ++seed) {
        const ProblemPtr problem = generated(seed);
        const auto base = solve(*problem, quick(2000));
        QVERIFY(base);
        for (std::size_t i = 0; i < base->schedule.size(); ++i) {
            Subgraph s = *base->schedule.subgraphs[i];
            if (s.retain.empty())
                continue;
            s.retain.clear();
            s.locked = true;
            SolveOptions options = quick(2000);
            options.start = with(base->schedule, i, s);
            if (!evaluate(*problem, *options.start, Rules::final()).valid())
                continue;
            const auto result = solve(*problem, options);
            QVERIFY(result);
            const Subgraph* kept = lockedOf(result->schedule);
            QVERIFY(kept && kept->retain.empty());
            ++checked;
            break;
        }
    }
    QVERIFY2(checked >= 3, qPrintable(QString::number(checked)));
}

TILEWRIGHT_TEST(TestSolveLocks)

} // namespace test_solve_locks
#include "test_solve_locks.moc"
