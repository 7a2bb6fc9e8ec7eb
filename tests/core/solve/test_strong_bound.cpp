// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/bound.md: the priced sets against brute force, against drawn schedules in any order of tiles and
// under every rule switch, the worked example, and what the bound reaches.
#include "drawn_cases.h"
#include "random_cases.h"
#include "solve_brute_force.h"
#include "solve_support.h"
#include "test_main.h"

#include "eval/evaluator.h"
#include "eval/lower_bound.h"
#include "rules/op_sets.h"
#include "solve/cost/cost_model.h"
#include "solve/cost/tiling_search.h"
#include "solve/proof/connected_sets.h"
#include "solve/proof/set_cover.h"
#include "solve/proof/set_cover_master.h"
#include "solve/search/solver.h"
#include "workload/generate.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace test_strong_bound {

using namespace tilewright;
using random_cases::Source;

namespace {

constexpr double kAbove = 1 + 1e-9;

/// A stopwatch would make the result depend on the machine: the number of sets is the limit.
SetCoverBound boundOf(const Problem& problem, const Rules& rules, std::size_t sets = 4'000)
{
    SetCoverLimits limits;
    limits.seconds = 1e3;
    limits.sets = sets;
    return setCoverBound(problem, rules, limits);
}

/// As large graphs are looked at: every component by itself, and one price for ops that look alike.
SetCoverBound roughBoundOf(const Problem& problem, const Rules& rules)
{
    SetCoverLimits limits;
    limits.seconds = 1e3;
    limits.opsPerGroup = 1;
    limits.opsWithOwnPrices = 0;
    return setCoverBound(problem, rules, limits);
}

double sum(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

} // namespace

class TestStrongBound : public QObject
{
    Q_OBJECT

private slots:
    /// tilewright-study-bound --brute N looks at more of them.
    void neverAboveTheOptimumOfBruteForce()
    {
        int reached = 0, stronger = 0, cases = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(90U); ++seed) {
            testing::Random rng(seed);
            const ProblemPtr p = testing::smallProblem(rng);
            Source rnd(seed);
            const Rules rules = seed % 3 == 0 ? random_cases::rules(rnd) : Rules::final();
            const double optimum = testing::BruteForce(*p, rules).optimum();
            if (optimum >= 1e300)
                continue;
            const SetCoverBound b = boundOf(*p, rules);
            QVERIFY2(b.value <= optimum * kAbove,
                     qPrintable(QStringLiteral("seed %1: %2 above %3").arg(seed).arg(b.value).arg(optimum)));
            QVERIFY2(roughBoundOf(*p, rules).value <= optimum * kAbove,
                     qPrintable(QStringLiteral("seed %1, roughly").arg(seed)));
            ++cases;
            reached += b.value >= optimum * (1 - 1e-6);
            stronger += b.value > lowerBound(*p, rules).value * kAbove;
        }
        qInfo("%d cases, %d optimal by the bound, %d above the quick bound", cases, reached, stronger);
        QVERIFY(cases > test::drawnAtLeast(60) && reached > cases / 3 && stronger > test::drawnAtLeast(5));
    }

    /// Custom orders, retained tensors, recomputation, every rule switch.
    void noDrawnScheduleIsBelow_data()
    {
        QTest::addColumn<int>("viewPercent");
        QTest::newRow("plain") << 0;
        QTest::newRow("with views") << 20;
    }
    void noDrawnScheduleIsBelow()
    {
        QFETCH(int, viewPercent);
        int valid = 0, tight = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(2000U); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd, 7, viewPercent);
            const Schedule s = random_cases::schedule(rnd, *p);
            const Rules r = rnd.chance(50) ? Rules::final() : random_cases::rules(rnd);
            const Evaluation e = evaluate(*p, s, r);
            if (!e.valid())
                continue;
            const SetCoverBound b = boundOf(*p, r);
            for (const double value : {b.value, roughBoundOf(*p, r).value})
                QVERIFY2(
                    value <= e.total * kAbove,
                    qPrintable(QStringLiteral("seed %1: %2 above %3").arg(seed).arg(value).arg(e.total)));
            ++valid;
            tight += e.total <= b.value * (1 + 1e-6);
        }
        qInfo("%d valid, %d of them optimal by the bound", valid, tight);
        QVERIFY(valid > test::drawnAtLeast(150) && tight > test::drawnAtLeast(6));
    }

    void notAboveTheSolver()
    {
        int stronger = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(10U); ++seed) {
            testing::Random rng(seed);
            const Hardware hw{testing::pick(rng, 2'000, 60'000), testing::pick(rng, 1, 40), 64, 64, {}};
            const ProblemPtr p = testing::randomProblem(rng, static_cast<int>(testing::pick(rng, 12, 22)),
                                                        {32, 64, 128, 256}, hw);
            SolveOptions options;
            options.iterations = 1500;
            options.seconds = 0;
            options.threads = 1;
            options.prove = false;
            const auto result = solve(*p, options);
            if (!result)
                continue;
            const SetCoverBound b = boundOf(*p, options.rules, 6'000);
            QVERIFY2(b.value <= result->total * kAbove, qPrintable(QStringLiteral("seed %1").arg(seed)));
            stronger += b.value > result->lowerBound * kAbove;
        }
        QVERIFY(stronger >= std::max(1, test::drawnAtLeast(6)));
    }

    /// Ops that look alike, components that are equal, groups by themselves: a little less is certain, and
    /// never more. What is equal need not be looked at twice.
    void networksOfEqualLayers_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("mlp") << static_cast<int>(WorkloadKind::Mlp);
        QTest::newRow("diamond") << static_cast<int>(WorkloadKind::Diamond);
    }
    void networksOfEqualLayers()
    {
        QFETCH(int, kind);
        GenerateOptions options;
        options.kind = static_cast<WorkloadKind>(kind);
        options.layers = 16;
        options.rows = 256;
        options.width = 256;
        options.hidden = 256;
        options.branches = 2;
        options.capacity = 60'000;
        options.bandwidth = 20;
        const ProblemPtr p = *generateWorkload(options);
        constexpr std::size_t kSets = 40'000;
        const SetCoverBound exact = boundOf(*p, {}, kSets);
        const SetCoverBound rough = roughBoundOf(*p, {});
        QVERIFY(exact.best && rough.best);
        QVERIFY2(rough.value <= exact.value * (1 + 1e-6),
                 qPrintable(QStringLiteral("%1 above %2").arg(rough.value).arg(exact.value)));
        QVERIFY2(rough.value >= exact.value * 0.99,
                 qPrintable(QStringLiteral("%1 of %2").arg(rough.value).arg(exact.value)));
        QVERIFY(std::abs(sum(rough.prices) - rough.value) <= 1e-6 * rough.value);
        QVERIFY(rough.sets < exact.sets);
        const LowerBound bound = boundOfGroups({}, *p, rough);
        QVERIFY(std::ranges::any_of(bound.parts, [](const BoundPart& part) {
            return part.text.find("look like") != std::string::npos;
        }));
    }

    void pricesAddUpAndNoGroupIsOverpriced()
    {
        const ProblemPtr p = *generateWorkload({.kind = WorkloadKind::Diamond,
                                                .layers = 3,
                                                .rows = 512,
                                                .width = 512,
                                                .branches = 3,
                                                .capacity = 50000,
                                                .bandwidth = 20});
        const SetCoverBound b = boundOf(*p, {});
        QVERIFY(b.value > 0);
        QVERIFY(std::abs(sum(b.prices) - b.value) <= 1e-6 * b.value);
        double groups = 0;
        for (const PricedGroup& g : b.groups)
            groups += g.share * g.least;
        QVERIFY(std::abs(groups - b.value) <= 1e-5 * b.value);
        const LowerBound strong = strongBound(*p, {}, {.seconds = 3, .keepGoing = {}});
        double parts = 0;
        for (const BoundPart& part : strong.parts)
            parts += part.value;
        QVERIFY(std::abs(parts - strong.value) <= 1e-9 * strong.value);
        QVERIFY(strong.value > lowerBound(*p, {}).value * 1.05);
    }

    /// Every part is itself true: no more than its group takes, and what its sentence says.
    void noPartIsAboveWhatItsGroupTakes()
    {
        for (const int branches : {2, 3}) {
            const ProblemPtr p = *generateWorkload({.kind = WorkloadKind::Diamond,
                                                    .layers = 3,
                                                    .rows = 512,
                                                    .width = 512,
                                                    .branches = branches,
                                                    .capacity = 50000,
                                                    .bandwidth = 20});
            SetCoverLimits limits;
            limits.seconds = 1e3;
            SetCoverBound sets = setCoverBound(*p, {}, limits);
            QVERIFY(sets.groups.size() > 3);
            for (const double less : {1.0, 0.7}) { // as where the time was up before the prices were the best
                for (PricedGroup& g : sets.groups)
                    g.share *= less;
                const LowerBound bound = boundOfGroups({}, *p, sets);
                double sum = 0;
                for (std::size_t i = 0; i < bound.parts.size(); ++i) {
                    sum += bound.parts[i].value;
                    if (i < sets.groups.size())
                        QVERIFY(bound.parts[i].value <= sets.groups[i].least * sets.groups[i].share);
                }
                QVERIFY(std::abs(sum - sets.value) <= 1e-9 * sets.value);
            }
        }
    }

    /// Two subgraphs of three Pointwises that only o holds together. One writes o's result, the graph's
    /// output (R3.6); the other one retains it, which saves writing it twice: o is of no other use there.
    void aRetainedGraphOutputMaySaveAWrite()
    {
        Problem::Data data;
        for (int i = 0; i < 7; ++i)
            data.tensors.push_back({4, 4, {}});
        const auto t = [](std::size_t i) { return TensorId(i); };
        constexpr std::int64_t kLong = 64; // as all four tiles that a step moves
        data.ops.push_back({OpType::Pointwise, {t(0)}, t(2), kLong, {}});
        data.ops.push_back({OpType::Pointwise, {t(1)}, t(3), 1, {}});
        data.ops.push_back({OpType::Pointwise, {t(0)}, t(4), kLong, {}});
        data.ops.push_back({OpType::Pointwise, {t(1)}, t(5), 1, {}});
        data.ops.push_back({OpType::Pointwise, {t(0), t(1)}, t(6), 1, {}});
        data.hardware = {90, 1, 4, 4, {}};
        const ProblemPtr p = *Problem::build(std::move(data));
        const double optimum = testing::BruteForce(*p, {}).optimum();
        QCOMPARE(optimum, 146.0); // 66 + 80; each writing it: 160
        QVERIFY(boundOf(*p, {}).value <= optimum * kAbove);
        SolveOptions options;
        options.seconds = 5;
        const auto result = solve(*p, options);
        QVERIFY(result);
        QVERIFY(!result->provenOptimal || result->total <= optimum * kAbove);
        QVERIFY(result->lowerBound <= optimum * kAbove);
    }

    /// docs/rules/bound.md 5.
    void theWorkedExample()
    {
        const ProblemPtr p = *Problem::build(testing::twoProductsAndTheirSum());
        QCOMPARE(lowerBound(*p, {}).value, 45875.2);
        constexpr double kPriced = 52428.8;
        const double priced = boundOf(*p, {}).value;
        QVERIFY(priced <= kPriced && priced >= kPriced * (1 - 1e-8));
        SolveOptions options;
        options.seconds = 5;
        auto result = solve(*p, options);
        QVERIFY(result);
        QCOMPARE(result->total, kPriced);
        result->provenOptimal = false;
        raiseBound(*result, priced);
        QVERIFY(result->provenOptimal);
    }

    /// What is left out of the sets of ops has no tiling that fits.
    void noSetThatFitsIsLeftOut()
    {
        int fitting = 0, leftOut = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(1000U); ++seed) {
            testing::Random rng(seed);
            const Hardware hw{
                testing::pick(rng, 6, 60), 3, testing::pick(rng, 2, 4), testing::pick(rng, 2, 4), {}};
            const ProblemPtr p = testing::randomProblem(rng, static_cast<int>(testing::pick(rng, 2, 6)),
                                                        {1, 2, 3, 4, 6, 9}, hw);
            Source rnd(seed);
            const Rules rules = seed % 2 == 0 ? random_cases::rules(rnd) : Rules::final();
            std::vector<OpId> all;
            for (std::size_t o = 0; o < p->opCount(); ++o)
                all.push_back(OpId(o));
            std::vector<bool> visited(std::size_t{1} << p->opCount());
            QVERIFY(forEachConnectedSet(*p, rules, all, [&](std::uint64_t set) {
                visited[set] = true;
                return true;
            }));
            CostModel model(*p, rules);
            for (std::size_t set = 1; set < visited.size(); ++set) {
                std::vector<OpId> ops;
                std::ranges::copy_if(all, std::back_inserter(ops),
                                     [set](OpId o) { return (set >> o.index() & 1U) != 0; });
                if (connectedGroups(*p, ops).size() != 1 || !model.compile(ops, {}))
                    continue;
                const bool fits = TilingSearch(model).search(TilingEffort::Exhaustive).feasible();
                QVERIFY2(!fits || visited[set],
                         qPrintable(QStringLiteral("seed %1, set %2").arg(seed).arg(set)));
                fitting += fits;
                leftOut += !visited[set];
            }
        }
        qInfo("%d sets fit, %d are left out", fitting, leftOut);
        QVERIFY(fitting > test::drawnAtLeast(4000) && leftOut > test::drawnAtLeast(800));
    }

    /// Whatever prices a search for them starts from, and even when there is no time for it: those that come
    /// out hold for every set.
    void wrongPricesAreLowered()
    {
        for (int seed = 0; seed < 40; ++seed) {
            testing::Random rng(static_cast<std::uint64_t>(seed));
            const ProblemPtr p = testing::smallProblem(rng);
            const Rules rules;
            const std::vector<OpId> ops = componentsOf(*p, rules).front();
            std::vector<CostModel> models(1, CostModel(*p, rules));
            for (const double seconds : {0.0, 5.0}) {
                SetCoverMaster master(*p, rules, ops, {}, models, [seconds] { return seconds; });
                std::vector<SetCoverMaster::Column> columns;
                (void)forEachConnectedSet(*p, rules, ops, [&](std::uint64_t mask) {
                    std::vector<OpId> set;
                    for (std::size_t i = 0; i < ops.size(); ++i)
                        if ((mask >> i & 1) != 0)
                            set.push_back(ops[i]);
                    if (auto found = master.columnOf({set, {}, {}}, 0); std::isfinite(found->cost))
                        columns.push_back(std::move(*found));
                    return true;
                });
                master.add(std::move(columns));
                const std::vector<double>& demands = master.rows().demands();
                std::vector<double> wrong(demands.size());
                for (std::size_t i = 0; i < wrong.size(); ++i)
                    wrong[i] = std::pow(10.0, static_cast<double>(i % 9));
                master.adoptLowered(wrong);
                master.improve();
                QVERIFY(master.value() >= 0);
                double sum = 0;
                for (std::size_t i = 0; i < demands.size(); ++i) {
                    QVERIFY(master.prices()[i] >= 0);
                    sum += master.prices()[i] * demands[i];
                }
                QVERIFY(std::abs(sum - master.value()) <= 1e-9 * sum);
                for (const SetCoverMaster::Column& c : master.columns()) {
                    double achieved = 0;
                    for (const DualPricer::Entry& e : c.achieves)
                        achieved += e.coefficient * master.prices()[e.row];
                    QVERIFY(achieved <= c.cost * (1 + 1e-12) + 1e-9);
                }
            }
        }
    }
};

TILEWRIGHT_TEST(TestStrongBound)

} // namespace test_strong_bound
#include "test_strong_bound.moc"
