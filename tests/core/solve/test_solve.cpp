// SPDX-License-Identifier: GPL-3.0-or-later
// The solver as a whole: valid, never worse than its baselines or its start, deterministic, exact where it
// says so.
#include "drawn_cases.h"
#include "eval/evaluation.h"
#include "eval/traffic_bound.h"
#include "explain/alternatives.h"
#include "schedule/schedule_json.h"
#include "solve/cost/subgraph_pool.h"
#include "solve/proof/exact.h"
#include "solve/proof/set_cover.h"
#include "solve/search/solver.h"
#include "solve_baselines.h"
#include "solve_brute_force.h"
#include "solve_support.h"
#include "test_main.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <chrono>
#include <thread>

namespace test_solve {

using namespace tilewright;
using namespace tilewright::testing;

namespace {

SolveOptions quick(std::int64_t iterations)
{
    SolveOptions options;
    options.seconds = 0;
    options.iterations = iterations;
    options.threads = 1;
    return options;
}

/// Generated problems: every kind, from 2 to 200 ops, tight and loose memory, even and ragged sizes.
ProblemPtr generated(int i)
{
    Random rng(static_cast<unsigned>(i) * 7919U + 1);
    if (i % 5 < 2) {
        Hardware hw;
        hw.nativeWidth = oneOf(rng, std::vector<std::int64_t>{4, 8, 16, 32});
        hw.nativeHeight = i % 7 == 0 ? hw.nativeWidth * 2 : hw.nativeWidth;
        hw.slowMemoryBandwidth = pick(rng, 1, 30);
        hw.fastMemoryCapacity = 1;
        const int ops = static_cast<int>(pick(rng, 2, i % 25 == 0 ? 120 : 14));
        const std::vector<std::int64_t> even{8, 16, 32, 64};
        const std::vector<std::int64_t> odd{3, 8, 17, 40, 33};
        const ProblemPtr any = randomProblem(rng, ops, i % 2 == 0 ? even : odd, hw);
        const std::int64_t least = smallestCapacity(*any);
        Problem::Data data = any->data();
        data.hardware.fastMemoryCapacity = i % 3 == 0   ? least
                                           : i % 3 == 1 ? least + pick(rng, 20, 600)
                                                        : std::int64_t{1} << 20;
        return Problem::build(std::move(data)).value();
    }
    GenerateOptions options;
    const auto kinds = workloadKinds();
    options.kind = kinds[static_cast<std::size_t>(i) % kinds.size()].kind;
    options.seed = static_cast<std::uint64_t>(i);
    options.ragged = i % 4 == 1;
    options.layers = pick(rng, 1, i % 20 == 3 ? 8 : 2);
    options.branches = pick(rng, 1, 4);
    options.rows = 32 * pick(rng, 1, 6);
    options.width = 32 * pick(rng, 1, 4);
    options.hidden = 32 * pick(rng, 1, 8);
    options.ops = pick(rng, 2, i % 10 == 3 ? 200 : 30);
    options.native = i % 3 == 0 ? 32 : 64;
    options.capacity = oneOf(rng, std::vector<std::int64_t>{600, 3000, 20000, 200000});
    options.bandwidth = pick(rng, 2, 40);
    const auto problem = generateWorkload(options);
    return problem ? problem.value() : nullptr;
}

/// Up to 5 ops that can be scheduled at all, small enough to try every schedule.
ProblemPtr tiny(Random& rng, int i)
{
    Hardware hw;
    hw.nativeWidth = pick(rng, 1, 4);
    hw.nativeHeight = pick(rng, 1, 4);
    hw.nativeDepth = pick(rng, 1, 4);
    hw.slowMemoryBandwidth = pick(rng, 1, 6);
    hw.fastMemoryCapacity = 1;
    const std::vector<std::int64_t> extents =
        i % 2 == 0 ? std::vector<std::int64_t>{2, 4, 8} : std::vector<std::int64_t>{1, 3, 5, 6};
    const ProblemPtr any =
        randomProblem(rng, static_cast<int>(pick(rng, 1, i % 10 == 0 ? 5 : 4)), extents, hw);
    Problem::Data data = any->data();
    data.hardware.fastMemoryCapacity = smallestCapacity(*any) + pick(rng, 0, i % 3 == 0 ? 6 : 60);
    return Problem::build(std::move(data)).value();
}

} // namespace

class TestSolve : public QObject
{
    Q_OBJECT

private slots:
    void smallProblemsEqualBruteForce();
    void otherSwitchesEqualBruteForce_data();
    void otherSwitchesEqualBruteForce();
    void solvesProblemsWithViews();
    void provesEightToTwelveOps();
    void generatedProblems_data();
    void generatedProblems();
    void sameSeedSameResult();
    void neverWorseThanStart();
    void subgraphsOfAStartWithoutOpsAreNone();
    void locksAreRespected();
    void selectionLeavesTheRest();
    void stopsQuickly();
    void keepsToItsTime();
    void seedRules();
    void refusesWhatCannotFit();
    void alternativesAreExact();
    void amongTiesTheRounderTilingIsTaken();
};

/// R1-R10 as a whole: 200 problems of up to 5 ops against the optimum of the whole space; the bound is below
/// it.
void TestSolve::smallProblemsEqualBruteForce()
{
    Random rng(5);
    int proven = 0;
    int provenByBounds = 0;
    const int problems = test::drawnCases(200);
    for (int i = 0; i < problems; ++i) {
        const ProblemPtr problem = tiny(rng, i);
        const double optimum = BruteForce(*problem).optimum();
        SolveOptions options;
        options.seconds = 20;
        options.threads = 1;
        const auto result = solve(*problem, options);
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        if (std::abs(result->total - optimum) > 1e-9 * optimum)
            QFAIL(qPrintable(QString("problem %1: solver %2, brute force %3\n%4")
                                 .arg(i)
                                 .arg(result->total, 0, 'g', 12)
                                 .arg(optimum, 0, 'g', 12)
                                 .arg(QString::fromStdString(writeProblem(*problem)))));
        QVERIFY2(result->lowerBound <= optimum * (1 + 1e-9), qPrintable(QString::number(i)));
        proven += result->provenOptimal ? 1 : 0;
        provenByBounds += result->provenSpace == provenByBound() ? 1 : 0;
        if (result->provenSpace == provenByBound())
            QVERIFY(meetsBound(result->total, result->lowerBound));
    }
    QVERIFY(provenByBounds > problems / 2);
    QCOMPARE(proven, problems);
}

void TestSolve::otherSwitchesEqualBruteForce_data()
{
    QTest::addColumn<bool>("views");
    QTest::newRow("switches") << false;
    QTest::newRow("views and switches") << true;
}

/// The same under all readings at random, and with views (R1.7). Inputs are never retained by the solver.
void TestSolve::otherSwitchesEqualBruteForce()
{
    QFETCH(bool, views);
    Random rng(8);
    int proven = 0;
    constexpr int kProblems = test::drawnCases(120);
    for (int i = 0; i < kProblems; ++i) {
        ProblemPtr problem = tiny(rng, i);
        if (views)
            problem = withViews(rng, *problem);
        SolveOptions options;
        options.seconds = 20;
        options.threads = 1;
        for (const RuleSwitch& rule : ruleSwitches())
            if (rule.name != "retain_inputs" && rng() % 3 != 0)
                rule.set(options.rules, rng() % rule.count);
        if (problem->opCount() > 3) // the brute force has too many tiles to try
            options.rules.superNative = Rules::SuperNative::Error;
        const double optimum = BruteForce(*problem, options.rules).optimum();
        const auto result = solve(*problem, options);
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        if (std::abs(result->total - optimum) > 1e-9 * optimum) {
            QString rules;
            for (const RuleSwitch& rule : ruleSwitches())
                rules += QString::fromStdString(std::string(rule.name) + "=" +
                                                std::string(ruleValue(options.rules, rule.name)) + " ");
            QFAIL(qPrintable(QString("problem %1: solver %2, brute force %3, %4\n%5")
                                 .arg(i)
                                 .arg(result->total, 0, 'g', 12)
                                 .arg(optimum, 0, 'g', 12)
                                 .arg(rules)
                                 .arg(QString::fromStdString(writeProblem(*problem)))));
        }
        QVERIFY2(result->lowerBound <= optimum * (1 + 1e-9), qPrintable(QString::number(i)));
        proven += result->provenOptimal ? 1 : 0;
    }
    QCOMPARE(proven, kProblems);
}

void TestSolve::solvesProblemsWithViews()
{
    int views = 0;
    for (int i = 0; i < test::drawnCases(120); ++i) {
        Random rng(static_cast<unsigned>(i));
        const ProblemPtr plain = generated(i);
        const ProblemPtr problem = withViews(rng, *plain);
        views += static_cast<int>(problem->data().views.size());
        SolveOptions options = quick(i % 4 == 0 ? 600 : 100);
        const bool seed = i < 12 && problem->opCount() <= 20;
        if (seed)
            options.rules = Rules::seed();
        const auto result = solve(*problem, options);
        QVERIFY2(result, qPrintable(QString::number(i)));
        const Evaluation check = evaluateByTrace(*problem, result->schedule, options.rules);
        QVERIFY2(check.valid(), check.valid() ? "" : check.verdict()->text.c_str());
        QVERIFY(std::abs(check.total - result->total) <= 1e-9 * check.total);
        QVERIFY(result->lowerBound <= result->total * (1 + 1e-9));
        if (!seed)
            QVERIFY(result->total <= baselineGreedyFusion(*problem, Rules::final())->total * (1 + 1e-9));
    }
    QVERIFY(views > test::drawnAtLeast(200));
}

/// The proof over every granularity up to 128 x 128 x 128 ends for drawn graphs of 8 to 12 ops, after a
/// number of evaluations that is about a second's work at most.
void TestSolve::provesEightToTwelveOps()
{
    for (int i = 0; i < test::drawnCases(24); ++i) {
        GenerateOptions o;
        o.kind = i % 3 == 0 ? WorkloadKind::Mlp : WorkloadKind::Random;
        o.layers = 2;
        o.ops = i < 16 ? 8 : i < 21 ? 10 : 12;
        o.seed = static_cast<std::uint64_t>(i);
        o.rows = 512;
        o.width = i % 2 == 0 ? 512 : 256;
        o.hidden = 1024;
        o.ragged = i % 4 == 3;
        o.capacity = i % 2 == 0 ? 30000 : 80000;
        o.bandwidth = 10 + 15 * (i % 5);
        const ProblemPtr problem = generateWorkload(o).value();
        QVERIFY(problem->opCount() >= 8);
        const auto found = solve(*problem, quick(4000));
        QVERIFY(found);
        TilingMemo memo;
        SubgraphPool pool(*problem, Rules::final(), memo, {});
        ExactLimits limits;
        limits.keepGoing = [&] { return pool.evaluations() < 3'000'000; };
        limits.upperBound = found->total;
        const ExactResult exact =
            solveExactly(pool, Rules::final(), wholeProblem(*problem), TilingEffort::Exhaustive, limits);
        QVERIFY2(exact.finished, qPrintable(QString("%1 after %2").arg(i).arg(pool.evaluations())));
        QVERIFY(!exact.entries || exact.total < found->total);
        const double optimum = exact.entries ? exact.total : found->total;
        QVERIFY(found->lowerBound <= optimum * (1 + 1e-9));
    }
}

void TestSolve::generatedProblems_data()
{
    QTest::addColumn<int>("from");
    for (int from = 0; from < test::drawnCases(500); from += 50)
        QTest::addRow("%d to %d", from, from + 49) << from;
}

/// Valid by the explaining evaluator and never worse than each op alone or greedy fusion, even without a
/// search.
void TestSolve::generatedProblems()
{
    QFETCH(int, from);
    for (int i = from; i < from + 50; ++i) {
        const ProblemPtr problem = generated(i);
        QVERIFY2(problem, qPrintable(QString::number(i)));
        const auto singles = baselineSingles(*problem, Rules::final());
        const auto greedy = baselineGreedyFusion(*problem, Rules::final());
        QVERIFY(singles && greedy);
        const auto result = solve(*problem, quick(i % 4 == 0 ? 600 : 60));
        QVERIFY2(result, qPrintable(QString::number(i)));
        const Evaluation check = evaluateByTrace(*problem, result->schedule, Rules::final());
        QVERIFY2(check.valid(), check.valid() ? "" : check.verdict()->text.c_str());
        QVERIFY(std::abs(check.total - result->total) <= 1e-9 * check.total);
        QVERIFY2(result->total <= singles->total * (1 + 1e-9), qPrintable(QString::number(i)));
        QVERIFY2(result->total <= greedy->total * (1 + 1e-9), qPrintable(QString::number(i)));
        QVERIFY2(result->lowerBound <= result->total * (1 + 1e-9), qPrintable(QString::number(i)));
        QVERIFY(!result->curve.empty());
        QCOMPARE(result->curve.back().second, result->total);
    }
}

void TestSolve::sameSeedSameResult()
{
    for (const int i : {2, 3, 9, 13}) {
        const ProblemPtr problem = generated(i);
        const auto a = solve(*problem, quick(3000));
        const auto b = solve(*problem, quick(3000));
        QVERIFY(a && b);
        QVERIFY(a->schedule == b->schedule);
        QCOMPARE(a->total, b->total);
        QCOMPARE(a->evaluations > 0, true);
    }
}

void TestSolve::neverWorseThanStart()
{
    for (int i = 0; i < 30; ++i) {
        const ProblemPtr problem = generated(i);
        const auto good = solve(*problem, quick(2000));
        QVERIFY(good);
        SolveOptions options = quick(1);
        options.start = good->schedule;
        options.seed = 77;
        const auto again = solve(*problem, options);
        QVERIFY(again);
        QVERIFY2(again->total <= good->total * (1 + 1e-12), qPrintable(QString::number(i)));
        QCOMPARE(again->startTotal, good->total);
    }
}

void TestSolve::subgraphsOfAStartWithoutOpsAreNone()
{
    for (const bool locked : {false, true}) {
        const ProblemPtr problem = generated(3);
        const auto base = solve(*problem, quick(200));
        QVERIFY(base);
        SolveOptions options = quick(200);
        options.start = base->schedule;
        auto empty = std::make_shared<Subgraph>();
        empty->granularity = base->schedule.subgraphs.front()->granularity;
        empty->locked = locked;
        options.start->subgraphs.insert(options.start->subgraphs.begin(), empty);
        const auto result = solve(*problem, options);
        QVERIFY(result);
        QVERIFY(result->total <= base->total * (1 + 1e-12));
        QVERIFY(evaluateByTrace(*problem, result->schedule, Rules::final()).valid());
    }
}

void TestSolve::locksAreRespected()
{
    int checked = 0;
    for (int i = 0; i < 40; ++i) {
        const ProblemPtr problem = generated(i);
        const auto base = solve(*problem, quick(200));
        QVERIFY(base);
        Schedule start = base->schedule;
        auto pinned = std::make_shared<Subgraph>(*start.subgraphs[start.size() / 2]);
        pinned->locked = true;
        start.subgraphs[start.size() / 2] = pinned;
        SolveOptions options = quick(2000);
        options.start = start;
        const auto result = solve(*problem, options);
        QVERIFY(result);
        QVERIFY(evaluateByTrace(*problem, result->schedule, Rules::final()).valid());
        QVERIFY(result->total <= base->total * (1 + 1e-12));
        const bool found = std::ranges::any_of(result->schedule.subgraphs, [&](const SubgraphPtr& s) {
            return s->locked && s->ops == pinned->ops && s->granularity == pinned->granularity;
        });
        QVERIFY2(found, qPrintable(QString::number(i)));
        ++checked;
    }
    QCOMPARE(checked, 40);
}

void TestSolve::selectionLeavesTheRest()
{
    const ProblemPtr problem = generated(3);
    const auto base = baselineSingles(*problem, Rules::final());
    QVERIFY(base);
    SolveOptions options = quick(3000);
    options.start = base->schedule;
    for (std::size_t i = 0; i < problem->opCount() / 2; ++i)
        options.selection.push_back(problem->topologicalOrder()[i]);
    const auto result = solve(*problem, options);
    QVERIFY(result);
    QVERIFY(result->total <= base->total);
    for (const SubgraphPtr& s : base->schedule.subgraphs) {
        const bool free = std::ranges::any_of(s->ops, [&](OpId o) {
            return std::ranges::find(options.selection, o) != options.selection.end();
        });
        if (!free)
            QVERIFY(std::ranges::any_of(result->schedule.subgraphs, [&](const SubgraphPtr& r) {
                return r->ops == s->ops && r->granularity == s->granularity && r->locked == s->locked;
            }));
    }
}

void TestSolve::stopsQuickly()
{
    const ProblemPtr problem = generated(43);
    SolveOptions options;
    options.seconds = 0;
    std::stop_source source;
    options.stop = source.get_token();
    // Without a limit of time only the stop ends it. How soon is in the benchmark; here, how much it still
    // does: reports come regularly.
    int reports = 0, afterwards = 0;
    options.onStatus = [&](const SolveStatus&) {
        afterwards += source.stop_requested() ? 1 : 0;
        if (++reports == 3)
            source.request_stop();
    };
    const auto result = solve(*problem, options);
    QVERIFY(result);
    QVERIFY(result->stopped || result->provenOptimal);
    QVERIFY(evaluateByTrace(*problem, result->schedule, Rules::final()).valid());
    QVERIFY2(afterwards <= 3, qPrintable(QString::number(afterwards)));
}

void TestSolve::keepsToItsTime()
{
    SolveOptions options;
    options.seconds = 0.2;
    double last = std::numeric_limits<double>::infinity();
    int improvements = 0;
    const ProblemPtr problem = generated(43);
    options.onImprovement = [&](const SolveImprovement& i) {
        QVERIFY(i.total < last);
        last = i.total;
        ++improvements;
        QVERIFY(evaluateByTrace(*problem, *i.schedule, Rules::final()).valid());
    };
    const auto result = solve(*problem, options);
    QVERIFY(result);
    QVERIFY(improvements > 0);
    QCOMPARE(last, result->total);
    QVERIFY(result->seconds < 5);
}

void TestSolve::seedRules()
{
    for (int i = 0; i < 12; ++i) {
        const ProblemPtr problem = generated(i);
        if (problem->opCount() > 20)
            continue;
        SolveOptions options = quick(100);
        options.rules = Rules::seed();
        const auto result = solve(*problem, options);
        QVERIFY2(result, qPrintable(QString::number(i)));
        QVERIFY(evaluateByTrace(*problem, result->schedule, Rules::seed()).valid());
        QVERIFY(result->lowerBound <= result->total * (1 + 1e-9));
    }
}

void TestSolve::refusesWhatCannotFit()
{
    Problem::Data data;
    data.hardware.fastMemoryCapacity = 2; // a MatMul needs three elements
    data.tensors = IdVector<TensorId, Tensor>({{4, 4, {}}, {4, 4, {}}, {4, 4, {}}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 10, {}});
    const ProblemPtr problem = Problem::build(std::move(data)).value();
    const auto result = solve(*problem, quick(10));
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Refused);
    QVERIFY(result.error().text().find("the thinnest slices of op ") != std::string::npos);
}

void TestSolve::amongTiesTheRounderTilingIsTaken()
{
    // 200 x 200 in 3 x 3 tiles, whatever they are between 67 and 72: everything is moved once.
    Problem::Data data;
    data.tensors.push_back({200, 200, {}});
    data.tensors.push_back({200, 200, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(1), 100, {}});
    data.hardware = {20000, 10, 72, 72, {}};
    const auto problem = Problem::build(std::move(data));
    QVERIFY(problem);
    TilingMemo memo;
    SubgraphPool pool(**problem, Rules::final(), memo, {});
    const SetId set = pool.intern({OpId(0)});
    const Tiling ragged{{67, 67, 1}, TraversalKind::Raster, 8000};
    const Tiling round = pool.preferRoundSizes({set}, ragged);
    QCOMPARE(round.latency, 8000.0);
    QVERIFY((round.granularity == Granularity{72, 72, 1}));
    // What a person reads is round, and as good as ever.
    const auto result = solve(**problem, quick(2000));
    QVERIFY(result);
    QCOMPARE(result->total, 8000.0);
    const Granularity& g = result->schedule.subgraphs.front()->granularity;
    QVERIFY2(g.w % 8 == 0 && g.h % 8 == 0, qPrintable(QStringLiteral("%1 x %2").arg(g.w).arg(g.h)));
}

void TestSolve::alternativesAreExact()
{
    int count = 0;
    for (int i = 0; i < 12; ++i) {
        const ProblemPtr problem = generated(i);
        if (problem->opCount() > 40)
            continue;
        const auto result = solve(*problem, quick(300));
        QVERIFY(result);
        const auto all = solveAlternatives(*problem, result->schedule, Rules::final());
        QCOMPARE(all.size(), result->schedule.size());
        for (const auto& list : all)
            for (const SolveAlternative& a : list) {
                const Evaluation e = evaluateByTrace(*problem, a.schedule, Rules::final());
                QVERIFY(e.valid());
                QVERIFY(std::abs(e.total - a.total) <= 1e-9 * e.total);
                QVERIFY(std::abs(a.total - result->total - a.loss) <= 1e-6 * e.total);
                ++count;
            }
    }
    QVERIFY(count > 50);
}

TILEWRIGHT_TEST(TestSolve)

} // namespace test_solve
#include "test_solve.moc"
