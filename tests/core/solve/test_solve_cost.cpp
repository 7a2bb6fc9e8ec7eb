// SPDX-License-Identifier: GPL-3.0-or-later
// The solver's cost model against the explaining evaluator.
#include "base/integer.h"
#include "drawn_cases.h"
#include "eval/fast_evaluator.h"
#include "eval/trace.h"
#include "rules/check.h"
#include "solve/cost/subgraph_pool.h"
#include "solve/cost/tiling_search.h"
#include "solve_support.h"
#include "test_main.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace test_solve_cost {

using namespace tilewright;
using namespace tilewright::testing;

namespace {

struct Traced
{
    double latency = 0;
    std::int64_t peak = 0;
    std::int64_t steps = 0;
};

Traced traced(const Problem& problem, const Subgraph& s, const std::vector<TensorId>& resident,
              const Rules& rules)
{
    Traced out;
    traceSubgraph(problem, s, resident, rules, [&](const Step& step) {
        out.latency += step.latency;
        out.peak = std::max(out.peak, step.workingSet);
        ++out.steps;
        return true;
    });
    return out;
}

std::vector<TensorId> someOf(Random& rng, const std::vector<TensorId>& all, int oneIn)
{
    std::vector<TensorId> out;
    for (const TensorId t : all)
        if (rng() % static_cast<unsigned>(oneIn) == 0)
            out.push_back(t);
    return out;
}

struct DrawnSet
{
    Subgraph subgraph; ///< ops and what it retains
    std::vector<TensorId> resident;
};

DrawnSet drawnSet(Random& rng, const Problem& problem, std::size_t ops)
{
    DrawnSet out;
    out.subgraph.ops = randomOpSet(rng, problem, ops);
    const Boundary boundary = boundaryOf(problem, out.subgraph.ops);
    std::vector<TensorId> produced = boundary.sinks;
    produced.insert(produced.end(), boundary.interior.begin(), boundary.interior.end());
    std::ranges::sort(produced);
    out.resident = someOf(rng, boundary.inputs, 5);
    out.subgraph.retain = someOf(rng, produced, 5);
    return out;
}

Hardware smallHardware(std::int64_t native, std::int64_t capacity)
{
    Hardware hw;
    hw.nativeWidth = hw.nativeHeight = native;
    hw.slowMemoryBandwidth = 5;
    hw.fastMemoryCapacity = capacity;
    return hw;
}

} // namespace

class TestSolveCost : public QObject
{
    Q_OBJECT

private slots:
    void equalsExplainingEvaluator_data()
    {
        QTest::addColumn<int>("ops");
        QTest::addColumn<bool>("ragged");
        QTest::addColumn<bool>("variant");
        QTest::newRow("pairs, even") << 2 << false << false;
        QTest::newRow("small, ragged") << 3 << true << false;
        QTest::newRow("medium, even") << 5 << false << false;
        QTest::newRow("medium, ragged") << 6 << true << false;
        QTest::newRow("other switches") << 4 << true << true;
        QTest::newRow("other switches, more ops") << 6 << true << true;
        QTest::newRow("every switch") << 7 << true << true;
        QTest::newRow("every switch, pairs") << 2 << true << true;
    }

    void equalsExplainingEvaluator()
    {
        QFETCH(int, ops);
        QFETCH(bool, ragged);
        QFETCH(bool, variant);
        const bool every = variant && (ops == 7 || ops == 2);
        Random rng(static_cast<unsigned>(ops * 10 + ragged + 2 * variant));
        const std::vector<std::int64_t> even{8, 16, 32, 64};
        const std::vector<std::int64_t> odd{1, 5, 8, 17, 24, 33};
        int compared = 0;
        int unmodelled = 0;
        int tooLarge = 0;
        int foreseen = 0;
        int near = 0;
        for (int i = 0; i < test::drawnCases(800); ++i) {
            Hardware hw;
            hw.nativeWidth = pick(rng, 2, 16);
            hw.nativeHeight = rng() % 2 == 0 ? hw.nativeWidth : pick(rng, 2, 16);
            hw.slowMemoryBandwidth = pick(rng, 1, 20);
            hw.fastMemoryCapacity = rng() % 2 == 0 ? pick(rng, 10, 600) : 100000;
            const ProblemPtr problem = randomProblem(rng, ops + 2, ragged ? odd : even, hw);
            QVERIFY(problem);
            Rules rules;
            if (variant) {
                rules.kScaling = rng() % 2 == 0 ? Rules::KScaling::Native : Rules::KScaling::Full;
                rules.ephemeral = rng() % 2 == 0 ? Rules::Ephemeral::Strict : Rules::Ephemeral::Neutral;
                rules.prologue = rng() % 2 == 0 ? Rules::Prologue::Off : Rules::Prologue::Always;
                if (every)
                    for (const RuleSwitch& rule : ruleSwitches())
                        rule.set(rules, rng() % 2 == 0 ? 0 : rng() % rule.count);
                else if (ops > 4) {
                    if (rng() % 2 == 0)
                        rules.prologue = Rules::Prologue::SplitOnly;
                    rules.kLimit = rng() % 2 == 0 ? Rules::KLimit::Reduction : Rules::KLimit::Native;
                    rules.compute = rng() % 3 == 0 ? Rules::Compute::Base : Rules::Compute::Array;
                }
            }
            auto [s, resident] = drawnSet(rng, *problem, static_cast<std::size_t>(ops));
            CostModel model(*problem, rules);
            model.setMaxWalkedSteps(CostModel::kMaxProofSteps);
            QVERIFY(model.compile(s.ops, {resident, s.retain}));
            for (int j = 0; j < 6; ++j) {
                const CostModel::Range& range = model.range();
                if (range.empty())
                    continue;
                s.granularity = {pick(rng, range.minW, range.maxW), pick(rng, range.minH, range.maxH),
                                 pick(rng, 1, range.maxK)};
                s.traversal = Traversal(static_cast<TraversalKind>(rng() % 4));
                const TilingCost cost = model.evaluate(s.granularity, s.traversal.kind());
                if (s.granularity.k < model.leastK(s.granularity.w, s.granularity.h)) {
                    QCOMPARE(cost.verdict, TilingCost::Verdict::Illegal);
                    QVERIFY(!checkStructure(*problem, s, {}, rules).empty());
                    continue;
                }
                if (cost.verdict == TilingCost::Verdict::Unmodelled) {
                    ++unmodelled;
                    continue;
                }
                const Traced expected = traced(*problem, s, resident, rules);
                QVERIFY2(expected.steps > 0, checkStructure(*problem, s, {}, rules).empty()
                                                 ? ""
                                                 : checkStructure(*problem, s, {}, rules)[0].text.c_str());
                ++compared;
                if (cost.verdict == TilingCost::Verdict::TooLarge) {
                    ++tooLarge;
                    foreseen += model.canFit(s.granularity) ? 0 : 1;
                    QVERIFY(expected.peak > hw.fastMemoryCapacity);
                    continue;
                }
                QCOMPARE(cost.verdict, TilingCost::Verdict::Fits);
                QVERIFY(model.canFit(s.granularity));
                QVERIFY(model.canFit(s.granularity.w, s.granularity.h));
                QVERIFY(model.latencyBound() <= cost.latency * (1 + 1e-12));
                const double least =
                    model.gridTotals(s.granularity.w, s.granularity.h, s.granularity.k == range.maxK)
                        .at(static_cast<std::size_t>(s.traversal.kind()))
                        .bound();
                QVERIFY2(least <= cost.latency * (1 + 1e-12),
                         qPrintable(QString("grid bound %1 of %2").arg(least).arg(cost.latency)));
                near += least > cost.latency * 0.75;
                QCOMPARE(cost.peak, expected.peak);
                if (std::abs(cost.latency - expected.latency) > 1e-9 * std::max(1.0, expected.latency) ||
                    model.bound(s.granularity.w, s.granularity.h) > cost.latency * (1 + 1e-12)) {
                    qWarning() << "bound" << model.bound(s.granularity.w, s.granularity.h)
                               << hw.slowMemoryBandwidth;
                    QString text;
                    for (const OpId o : s.ops) {
                        const Op& op = problem->op(o);
                        text += QString("op%1 %2 %3:")
                                    .arg(o.value)
                                    .arg(op.type == OpType::MatMul ? "mm" : "pw")
                                    .arg(op.baseCost);
                        for (const TensorId t : op.inputs)
                            text += QString(" t%1[%2x%3]")
                                        .arg(t.value)
                                        .arg(problem->tensor(t).height)
                                        .arg(problem->tensor(t).width);
                        text += QString(" -> t%1\n").arg(op.output.value);
                    }
                    qWarning().noquote()
                        << text << "w h k" << s.granularity.w << s.granularity.h << s.granularity.k
                        << traversalName(s.traversal.kind()).data() << "native" << hw.nativeWidth
                        << hw.nativeHeight << "cost" << cost.latency << "expected" << expected.latency
                        << "resident" << resident.size() << "retain" << s.retain.size();
                    QFAIL("latencies differ");
                }
                QVERIFY(model.bound(s.granularity.w, s.granularity.h) <= cost.latency * (1 + 1e-12));
            }
        }
        QVERIFY(compared > test::drawnAtLeast(2000));
        QVERIFY(tooLarge > test::drawnAtLeast(100));
        QVERIFY(foreseen > tooLarge / (every ? 3 : 2));
        QVERIFY(unmodelled < compared / 100);
        QVERIFY(near > (compared - tooLarge) / (every ? 3 : 2));
    }

    /// With cut-offs and bounds of any size, by every preset order: the fast form's latency, or that it is
    /// not below. What the first tile says of the room holds for all of them.
    void cutOffsKeepTheVerdict()
    {
        int fits = 0;
        int cut = 0;
        int tooLarge = 0;
        int large = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(2500U); ++seed) {
            Random rng(seed);
            const auto native = pick(rng, 2, 16);
            const Hardware hw{rng() % 3 == 0 ? pick(rng, 50, 2000) : 100'000,
                              pick(rng, 1, 20),
                              native,
                              rng() % 2 == 0 ? native : pick(rng, 2, 16),
                              {}};
            const auto ops = static_cast<int>(rng() % 8 == 0 ? pick(rng, 12, 30) : pick(rng, 1, 6));
            const ProblemPtr problem = randomProblem(rng, ops + 2, {1, 5, 8, 17, 24, 33}, hw);
            Rules rules;
            if (rng() % 2 == 0)
                for (const RuleSwitch& rule : ruleSwitches())
                    rule.set(rules, rng() % 2 == 0 ? 0 : rng() % rule.count);
            const auto [s, resident] = drawnSet(rng, *problem, static_cast<std::size_t>(ops));
            const SubgraphPlan plan(*problem, s.ops, rules);
            CostModel model(*problem, rules);
            if (!model.compile(s.ops, {resident, s.retain}) || model.range().empty())
                continue;
            const CostModel::Range& range = model.range();
            for (int j = 0; j < 4; ++j) {
                const Granularity g{pick(rng, range.minW, range.maxW), pick(rng, range.minH, range.maxH),
                                    pick(rng, 1, range.maxK)};
                if (plan.check(g))
                    continue;
                bool anyFits = false;
                for (const TraversalKind kind : {TraversalKind::Raster, TraversalKind::Snake,
                                                 TraversalKind::Column, TraversalKind::ColumnSnake}) {
                    const SubgraphEvaluation fast = evaluate(plan, g, Traversal(kind), resident, s.retain);
                    anyFits |= fast.fits;
                    if (fast.latency == 0)
                        continue; // nothing moves, and ops may be for nothing: no cut-off is above or below
                    const StepTotals all{fast.compute, fast.memory};
                    for (const double share : {0.3, 0.999, 1.0, 1.001, 3.0}) {
                        const double part = std::array{0.0, 0.5, 1.0}.at(rng() % 3) * (1 - 1e-9);
                        const TilingCost cost = model.evaluate(g, kind, share * fast.latency,
                                                               {part * all.compute, part * all.memory});
                        switch (cost.verdict) {
                        case TilingCost::Verdict::Fits:
                            QVERIFY(fast.fits && share > 1);
                            QVERIFY(cost.latency == fast.latency && cost.peak == fast.peakWorkingSet);
                            ++fits;
                            large += plan.uses().size() > 64;
                            break;
                        case TilingCost::Verdict::Cut:
                            QVERIFY(share <= 1);
                            ++cut;
                            break;
                        case TilingCost::Verdict::TooLarge:
                            QVERIFY(!fast.fits && cost.peak <= fast.peakWorkingSet);
                            for (const TraversalKind other :
                                 {TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column})
                                QVERIFY(!cost.anyOrder ||
                                        !evaluate(plan, g, Traversal(other), resident, s.retain).fits);
                            ++tooLarge;
                            break;
                        case TilingCost::Verdict::Illegal:
                            QFAIL("refused though plan.check() passes");
                        case TilingCost::Verdict::Unmodelled:
                            break;
                        }
                    }
                }
                QVERIFY(model.firstTileFits(g) || !anyFits);
            }
        }
        QVERIFY(fits > test::drawnAtLeast(10'000) && cut > test::drawnAtLeast(10'000));
        QVERIFY2(tooLarge > test::drawnAtLeast(500) && large >= test::drawnAtLeast(50),
                 qPrintable(QStringLiteral("%1 %2").arg(tooLarge).arg(large)));
    }

    /// docs/rules/bound.md 3: of drawn op sets under drawn rules, tilings of every size in drawn orders.
    void noOrderOfTilesIsFaster()
    {
        int fitting = 0;
        int near = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(4000U); ++seed) {
            Random rng(seed);
            const auto native = pick(rng, 2, 5);
            const Hardware hw{rng() % 2 == 0 ? pick(rng, 20, 400) : 10'000,
                              pick(rng, 1, 12),
                              native,
                              rng() % 2 == 0 ? native : pick(rng, 2, 5),
                              {}};
            const auto ops = pick(rng, 1, 6);
            const ProblemPtr problem =
                randomProblem(rng, static_cast<int>(ops + 1), {1, 4, 6, 7, 8, 10, 12, 16}, hw);
            Rules rules;
            if (rng() % 3 == 0)
                for (const RuleSwitch& rule : ruleSwitches())
                    rule.set(rules, rng() % 2 == 0 ? 0 : rng() % rule.count);
            auto [s, resident] = drawnSet(rng, *problem, static_cast<std::size_t>(ops));
            CostModel model(*problem, rules);
            QVERIFY(model.compile(s.ops, {resident, s.retain}));
            const CostModel::Range& range = model.range();
            if (range.empty())
                continue;
            const double least = model.anyOrderBoundByDepth();
            QVERIFY(least >= model.anyOrderBound() * (1 - 1e-12));
            const std::vector<TensorId> sinks = boundaryOf(*problem, s.ops).sinks;
            double best = std::numeric_limits<double>::infinity();
            for (int j = 0; j < 12; ++j) {
                const Granularity g{pick(rng, range.minW, range.maxW), pick(rng, range.minH, range.maxH),
                                    pick(rng, 1, range.maxK)};
                s.granularity = g;
                std::int64_t rows = 1;
                std::int64_t cols = 1;
                for (const TensorId t : sinks) {
                    rows = std::max(rows, ceilDiv(problem->tensor(t).height, g.h));
                    cols = std::max(cols, ceilDiv(problem->tensor(t).width, g.w));
                }
                std::vector<std::int64_t> order(static_cast<std::size_t>(rows * cols));
                std::iota(order.begin(), order.end(), 0);
                std::ranges::shuffle(order, rng);
                s.traversal = rng() % 3 == 0 ? Traversal::custom(order)
                                             : Traversal(static_cast<TraversalKind>(rng() % 5));
                if (!checkStructure(*problem, s, {}, rules).empty())
                    continue;
                const Traced found = traced(*problem, s, resident, rules);
                if (found.steps == 0 || found.peak > hw.fastMemoryCapacity)
                    continue;
                ++fitting;
                best = std::min(best, found.latency);
                QVERIFY2(least <= found.latency * (1 + 1e-9),
                         qPrintable(QString("seed %1: %2 above %3").arg(seed).arg(least).arg(found.latency)));
            }
            near += least > best * 0.9;
        }
        QVERIFY(fitting > test::drawnAtLeast(10'000) && near > test::drawnAtLeast(500));
    }

    /// Two sinks ask for the first Pointwise, both by tiles: 2 x 2 of them each, like the others.
    void anOpOfTwoEpiloguesIsCutIntoStrips()
    {
        constexpr std::int64_t kSize = 130; // a little more than the native tile
        Problem::Data data;
        data.tensors = IdVector<TensorId, Tensor>(std::vector<Tensor>(6, Tensor{kSize, kSize, {}}));
        const auto t = [](std::size_t i) { return TensorId(i); };
        data.ops.push_back({OpType::MatMul, {t(0), t(1)}, t(2), 1000, {}});
        data.ops.push_back({OpType::Pointwise, {t(2)}, t(3), 100, {}});
        data.ops.push_back({OpType::Pointwise, {t(3)}, t(4), 10, {}});
        data.ops.push_back({OpType::Pointwise, {t(3)}, t(5), 1, {}});
        data.hardware = {1'000'000, 1'000'000, 128, 128, {}};
        const ProblemPtr problem = Problem::build(std::move(data)).value();
        CostModel model(*problem, {});
        QVERIFY(model.compile(problem->topologicalOrder(), {}));
        QCOMPARE(model.anyOrderBound(), 4 * 1111.0);
        QCOMPARE(TilingSearch(model).search(TilingEffort::Thorough).latency, 4 * 1111.0);
    }

    /// What is faster than the cutoff is found as without one; of anything else only that there is something.
    void cutoffLeavesOutOnlyWhatIsSlower()
    {
        Random rng(7);
        int cut = 0;
        int found = 0;
        int tooLarge = 0;
        for (int i = 0; i < test::drawnCases(400); ++i) {
            Hardware hw;
            hw.nativeWidth = hw.nativeHeight = 32;
            hw.slowMemoryBandwidth = pick(rng, 1, 20);
            hw.fastMemoryCapacity = rng() % 8 == 0 ? pick(rng, 3, 40) : pick(rng, 200, 8000);
            const ProblemPtr problem = randomProblem(rng, 6, {8, 33, 64, 96}, hw);
            QVERIFY(problem);
            Rules rules;
            if (rng() % 3 == 0)
                rules.prologue = Rules::Prologue::SplitOnly;
            auto [s, resident] = drawnSet(rng, *problem, 4);
            CostModel model(*problem, rules);
            QVERIFY(model.compile(s.ops, {resident, s.retain}));
            TilingSearch search(model);
            const Tiling all = search.search(TilingEffort::Quick);
            QVERIFY(!search.isCut());
            for (const double share : {0.5, 1.0, 1.001, 2.0}) {
                const double cutoff = all.feasible() ? share * all.latency : share * 1e6;
                const Tiling some = search.search(TilingEffort::Quick, cutoff);
                if (!all.feasible()) {
                    QVERIFY(!some.feasible() && !search.isCut());
                    ++tooLarge;
                } else if (all.latency < cutoff) {
                    QCOMPARE(some.latency, all.latency);
                    QCOMPARE(some.granularity, all.granularity);
                    ++found;
                } else {
                    QVERIFY(!some.feasible() && search.isCut());
                    ++cut;
                }
            }
        }
        QVERIFY(cut > 0 && found > 0 && tooLarge > 0);
    }

    /// The pool remembers what it has found out, and only that.
    void latencyBelowEqualsLatency()
    {
        Random rng(8);
        const Hardware hw = smallHardware(32, 5000);
        int cut = 0;
        for (int i = 0; i < test::drawnCases(60); ++i) {
            const ProblemPtr problem = randomProblem(rng, 6, {8, 33, 64, 96}, hw);
            QVERIFY(problem);
            auto [s, resident] = drawnSet(rng, *problem, 4);
            TilingMemo memo;
            SubgraphPool pool(*problem, {}, memo, {});
            TilingMemo other;
            SubgraphPool reference(*problem, {}, other, {});
            const PortableSet drawn{s.ops, resident, s.retain};
            const PlannedSet set = pool.intern(drawn);
            const double latency = reference.latency(reference.intern(drawn));
            if (!(latency < std::numeric_limits<double>::infinity()))
                continue;
            for (const double share : {0.5, 0.9, 0.7, 1.0}) {
                QCOMPARE(pool.latencyBelow(share * latency, set), std::numeric_limits<double>::infinity());
                QVERIFY(pool.latencyFloor(set) <= latency);
                QVERIFY(pool.latencyFloor(set) >= 0.5 * latency);
                ++cut;
            }
            const std::int64_t searches = pool.searches();
            QCOMPARE(pool.latencyBelow(0.8 * latency, set), std::numeric_limits<double>::infinity());
            QCOMPARE(pool.searches(), searches); // known already
            QCOMPARE(pool.latencyBelow(1.5 * latency, set), latency);
            QCOMPARE(pool.latency(set), latency);
        }
        QVERIFY(cut > 0);
    }

    /// Where every step of a tiling is walked, one search takes seconds: it ends with what it has found.
    void searchEndsWhenAsked()
    {
        Random rng(5);
        const Hardware hw = smallHardware(16, 3000);
        const ProblemPtr problem = randomProblem(rng, 6, {64, 96, 128}, hw);
        QVERIFY(problem);
        const std::vector<OpId> ops{problem->topologicalOrder().front()};
        for (const Rules& rules : {Rules::final(), Rules::seed()}) {
            CostModel model(*problem, rules);
            QVERIFY(model.compile(ops, {}));
            TilingSearch search(model);
            const Tiling all = search.search(TilingEffort::Thorough);
            QVERIFY(!search.interrupted() && all.feasible());
            const std::int64_t evaluations = model.evaluations();
            int asked = 0;
            search.setKeepGoing([&] { return ++asked < 3; });
            const Tiling some = search.search(TilingEffort::Thorough);
            QCOMPARE(search.interrupted(), asked >= 3);
            QVERIFY(some.latency >= all.latency);
            if (!model.supported()) {
                QVERIFY(search.interrupted());
                QVERIFY(model.evaluations() - evaluations < evaluations / 2);
            }
        }
    }
};

TILEWRIGHT_TEST(TestSolveCost)

} // namespace test_solve_cost
#include "test_solve_cost.moc"
