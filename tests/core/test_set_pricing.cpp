// SPDX-License-Identifier: GPL-3.0-or-later
// Op sets that prices exceed, found without listing the others, and the bound that is made of them.
#include "drawn_cases.h"
#include "random_cases.h"
#include "solve/cover_columns.h"
#include "solve/grown_cover.h"
#include "solve/set_frontier.h"
#include "solve/set_pricing.h"
#include "solve/solver.h"
#include "solve/subgraph_pool.h"
#include "solve_brute_force.h"
#include "solve_support.h"
#include "workload/generate.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

using namespace tilewright;
using random_cases::Source;

namespace {

constexpr double kAbove = 1 + 1e-9;
constexpr FrontierGraph::Limits kTold{.arcs = 1'000'000, .toldArcs = 1'000'000};
constexpr FrontierGraph::Limits kNotTold{.arcs = 1'000'000, .toldArcs = 0};

/// A problem whose ops all may meet, the columns of its cover and what finds them.
struct Case
{
    ProblemPtr problem;
    Rules rules;
    std::vector<Piece> pieces;
    std::unique_ptr<CoverColumns> cover;

    Case(ProblemPtr p, const Rules& r)
        : problem(std::move(p)), rules(r), pieces(cutIntoPieces(*problem, rules, {64, 1, 64})),
          cover(std::make_unique<CoverColumns>(*problem, rules, pieces, false, 1))
    {
    }

    /// Calls visit(set, tensors there before it, tensors kept) for every set of ops, whatever stays.
    template <class Visit>
    void forEach(std::uint32_t piece, const SetPricing& pricing, std::size_t mostOps, Visit&& visit) const
    {
        for (const SetPricing::Set& small : pricing.smallSets(std::numeric_limits<std::size_t>::max() / 2)) {
            if (static_cast<std::size_t>(std::popcount(small.ops)) > mostOps)
                return;
            const std::vector<OpId> ops = cover->opsOf(piece, small.ops);
            std::vector<std::size_t> in, out;
            for (std::size_t i = 0; i < pricing.inputs().size(); ++i) {
                const TensorId t = pricing.inputs()[i];
                if (std::ranges::any_of(ops,
                                        [&](OpId o) {
                                            const auto& inputs = problem->op(o).inputs;
                                            return std::ranges::find(inputs, t) != inputs.end();
                                        }) &&
                    std::ranges::none_of(ops, [&](OpId o) { return problem->op(o).output == t; }))
                    in.push_back(i);
            }
            for (std::size_t i = 0; i < pieces[piece].ops.size(); ++i)
                if ((small.ops >> i & 1) != 0 && cover->mayStay(problem->op(pieces[piece].ops[i]).output))
                    out.push_back(i);
            for (std::size_t way = 0; way < std::size_t{1} << (in.size() + out.size()); ++way) {
                SetPricing::Set set = small;
                std::vector<TensorId> before, kept;
                for (std::size_t i = 0; i < in.size(); ++i)
                    if ((way >> i & 1) != 0) {
                        set.stayIn |= SetPricing::OpBits{1} << in[i];
                        before.push_back(pricing.inputs()[in[i]]);
                    }
                for (std::size_t i = 0; i < out.size(); ++i)
                    if ((way >> (in.size() + i) & 1) != 0) {
                        set.stayOut |= SetPricing::OpBits{1} << out[i];
                        kept.push_back(problem->op(pieces[piece].ops[out[i]]).output);
                    }
                visit(set, before, kept);
            }
        }
    }
};

Case drawn(std::uint64_t seed)
{
    testing::Random rng(seed);
    Source rnd(seed);
    Rules rules = seed % 2 == 0 ? Rules::final() : random_cases::rules(rnd);
    rules.superNative = Rules::SuperNative::Error; // what it covers
    rules.retainInputs = Rules::RetainInputs::Error;
    if (seed % 3 != 0)
        return {testing::smallProblem(rng), rules};
    const Hardware hw{testing::pick(rng, 300, 6000), testing::pick(rng, 1, 8), 32, 32, {}};
    return {testing::randomProblem(rng, static_cast<int>(testing::pick(rng, 2, 5)), {8, 16, 48, 64, 80}, hw),
            rules};
}

/// Calls visit(case, piece, pricing) for what can be drawn, with and without depths told.
template <class Visit> void forEachPricing(std::uint64_t cases, Visit&& visit)
{
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        const Case c = drawn(seed);
        for (std::uint32_t piece = 0; piece < c.pieces.size(); ++piece) {
            const auto graph = FrontierGraph::build(*c.problem, c.rules, c.pieces[piece].ops, *c.cover,
                                                    seed % 2 == 0 ? kTold : kNotTold);
            if (!graph)
                continue;
            const SetPricing pricing(*c.problem, c.rules, c.pieces[piece].ops, *graph);
            visit(seed, c, piece, pricing);
        }
    }
}

} // namespace

class TestSetPricing : public QObject
{
    Q_OBJECT

private slots:
    /// Every set is a path, and costs no less by the best tiling.
    void noSetIsAboveItsBestTiling()
    {
        int sets = 0;
        double ratio = 0;
        forEachPricing(test::drawnCases(120U), [&](std::uint64_t seed, const Case& c, std::uint32_t piece,
                                                   const SetPricing& pricing) {
            TilingMemo memo;
            SubgraphPool pool(*c.problem, c.rules, memo, {});
            c.forEach(
                piece, pricing, 3, [&](const SetPricing::Set& set, const auto& before, const auto& kept) {
                    constexpr double kNone = 1e300;
                    const auto exact = pool.provenLatency(pool.intern(c.cover->opsOf(piece, set.ops)),
                                                          pool.internRetain(before), pool.internRetain(kept),
                                                          kNone, [] { return true; });
                    if (!exact || *exact >= kNone)
                        return;
                    const double least = pricing.leastOf(set);
                    QVERIFY2(
                        least <= *exact * kAbove,
                        qPrintable(QStringLiteral("seed %1: %2 above %3").arg(seed).arg(least).arg(*exact)));
                    ++sets;
                    ratio += *exact > 0 ? least / *exact : 1;
                });
        });
        qInfo("%d sets, %.1f %% of the best tiling on average", sets, 100 * ratio / sets);
        QVERIFY(sets > test::drawnAtLeast(1000) && ratio > 0.8 * sets);
    }

    /// Against a list of all.
    void findsEverySetThatPricesExceed()
    {
        int exceeded = 0, others = 0;
        forEachPricing(test::drawnCases(150U), [&](std::uint64_t seed, const Case& c, std::uint32_t piece,
                                                   const SetPricing& pricing) {
            testing::Random rng(seed);
            std::vector<double> prices(c.cover->demands().size());
            double alone = 0; // what ops take by themselves
            int count = 0;
            for (const SetPricing::Set& s : pricing.smallSets(c.pieces[piece].ops.size()))
                if (const auto column = c.cover->subgraph(piece, s.ops, {}, {}, 0);
                    column && std::isfinite(column->least.latency)) {
                    alone += column->least.latency;
                    ++count;
                }
            for (double& price : prices)
                price = rng() % 3 == 0 ? 0
                                       : 0.8 * alone / std::max(1, count) *
                                             static_cast<double>(testing::pick(rng, 0, 100)) / 100;
            const SetPricing::Found found =
                pricing.find(prices, {}, {.sets = 100'000, .secondsLeft = [] { return 1.0; }});
            QVERIFY(found.all);
            SetPricing::Known known(found.sets.begin(), found.sets.end());
            QCOMPARE(known.size(), found.sets.size());
            c.forEach(
                piece, pricing, 64, [&](const SetPricing::Set& set, const auto& before, const auto& kept) {
                    const auto column = c.cover->subgraph(piece, set.ops, before, kept, 0);
                    if (!column)
                        return;
                    double price = 0;
                    for (const Achieved& a : column->achieves)
                        price += a.amount * prices[a.row];
                    if (price <= column->least.latency * kAbove) {
                        ++others;
                        return;
                    }
                    // What costs more by the boxes than by the column may be left out.
                    if (pricing.leastOf(set) > price)
                        return;
                    QVERIFY2(known.contains(set), qPrintable(QStringLiteral("seed %1: ops %2, %3 above %4")
                                                                 .arg(seed)
                                                                 .arg(set.ops)
                                                                 .arg(price)
                                                                 .arg(column->least.latency)));
                    ++exceeded;
                });
        });
        qInfo("%d sets that prices exceed, %d others", exceeded, others);
        QVERIFY(exceeded > test::drawnAtLeast(500) && others > test::drawnAtLeast(500));
    }

    void neverAboveTheOptimumOfBruteForce()
    {
        int cases = 0, best = 0;
        for (std::uint64_t seed = 1000; seed < 1000 + test::drawnCases(150U); ++seed) {
            testing::Random rng(seed);
            const ProblemPtr p = testing::smallProblem(rng);
            Source rnd(seed);
            const Rules rules = seed % 3 == 0 ? random_cases::rules(rnd) : Rules::final();
            const double optimum = testing::BruteForce(*p, rules).optimum();
            if (optimum >= 1e300)
                continue;
            SetCoverLimits limits;
            limits.seconds = 1e3;
            const SetCoverBound b = grownCoverBound(*p, rules, limits);
            QVERIFY2(b.value <= optimum * kAbove,
                     qPrintable(QStringLiteral("seed %1: %2 above %3").arg(seed).arg(b.value).arg(optimum)));
            ++cases;
            best += b.best ? 1 : 0;
        }
        QVERIFY(cases > test::drawnAtLeast(100) && best > cases / 2);
    }

    /// Too many sets to list; their best schedules are known.
    void sayMuchOfNetworks_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("atLeast");
        QTest::newRow("conv-net") << static_cast<int>(WorkloadKind::ConvNet) << 146848 / 1.15;
        QTest::newRow("random") << static_cast<int>(WorkloadKind::Random) << 567131.2 / 1.06;
    }
    void sayMuchOfNetworks()
    {
        QFETCH(int, kind);
        QFETCH(double, atLeast);
        GenerateOptions options{.kind = WorkloadKind::ConvNet,
                                .layers = 5,
                                .rows = 2048,
                                .width = 128,
                                .hidden = 64,
                                .branches = 4,
                                .capacity = 60000,
                                .bandwidth = 40};
        if (kind == static_cast<int>(WorkloadKind::Random))
            options = {.kind = WorkloadKind::Random,
                       .rows = 1024,
                       .width = 512,
                       .ops = 60,
                       .seed = 5,
                       .capacity = 150000,
                       .bandwidth = 20};
        const ProblemPtr p = generateWorkload(options).value();
        SetCoverLimits limits;
        limits.seconds = 1e3;
        limits.threads = 2;
        const SetCoverBound b = grownCoverBound(*p, Rules::final(), limits);
        QVERIFY(b.best);
        QVERIFY2(b.value >= atLeast, qPrintable(QString::number(b.value)));
        double sum = 0;
        for (const double price : b.prices)
            sum += price;
        QVERIFY(std::abs(sum - b.value) <= 1e-9 * sum);
        QVERIFY(!b.groups.empty());
    }
};

QTEST_APPLESS_MAIN(TestSetPricing)
#include "test_set_pricing.moc"
