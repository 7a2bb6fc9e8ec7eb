// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/bound.md 7: what branch and bound proves, against brute force, against the exact search and
// against the solver; that it says nothing wrong when it is stopped; that a better schedule is found.
#include "drawn_cases.h"
#include "random_cases.h"
#include "solve_brute_force.h"
#include "solve_support.h"
#include "test_main.h"

#include "eval/evaluator.h"
#include "solve/cost/cost_model.h"
#include "solve/proof/exact.h"
#include "solve/proof/prove.h"
#include "solve/search/proof_run.h"
#include "solve/search/solver.h"
#include "workload/generate.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace test_prove {

using namespace tilewright;
using random_cases::Source;

namespace {

constexpr double kAbove = 1 + 1e-9;

ProofLimits patient()
{
    ProofLimits limits;
    limits.seconds = 1e3;
    return limits;
}

} // namespace

class TestProve : public QObject
{
    Q_OBJECT

private slots:
    /// From the optimum, from a little above it and from far above it. tilewright-study-bound --prove 60
    /// --brute N looks at more of them.
    void provenOptimalIsTheOptimumOfBruteForce()
    {
        int cases = 0, proven = 0, everywhere = 0, found = 0;
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            testing::Random rng(seed);
            const ProblemPtr p = testing::smallProblem(rng);
            Source rnd(seed);
            const Rules rules = seed % 3 == 0 ? random_cases::rules(rnd) : Rules::final();
            const double optimum = testing::BruteForce(*p, rules).optimum();
            if (optimum >= 1e300)
                continue;
            for (const double from : {1.0, 1.0001, 1.5}) {
                const Proof proof = prove(*p, rules, optimum * from, patient());
                const double best = std::min(optimum * from, proof.total);
                const auto text = [&] {
                    return QStringLiteral("seed %1 from %2: optimum %3, bounds %4 %5, best %6")
                        .arg(seed)
                        .arg(from)
                        .arg(optimum, 0, 'g', 17)
                        .arg(proof.lowerBound, 0, 'g', 17)
                        .arg(proof.presetBound, 0, 'g', 17)
                        .arg(best, 0, 'g', 17);
                };
                QVERIFY2(proof.lowerBound <= optimum * kAbove, qPrintable(text()));
                QVERIFY2(proof.presetBound <= optimum * kAbove, qPrintable(text()));
                QVERIFY2(best * kAbove >= optimum, qPrintable(text()));
                if (proof.optimal)
                    QVERIFY2(best <= optimum * kAbove, qPrintable(text()));
                if (proof.schedule) {
                    const Evaluation e = evaluate(*p, *proof.schedule, rules);
                    QVERIFY2(e.valid() && std::abs(e.total - proof.total) <= 1e-9 * optimum,
                             qPrintable(text()));
                    ++found;
                }
                ++cases;
                proven += proof.optimal;
                everywhere += proof.lowerBound >= best * (1 - 1e-8);
            }
        }
        qInfo("%d cases, %d proven, %d of them for every order of tiles, %d better schedules found", cases,
              proven, everywhere, found);
        QVERIFY(cases > 110 && proven > cases * 4 / 5 && everywhere > cases / 3 && found > 20);
    }

    /// Seven ops, tiles of any size up to 16: what another search over the same space finds.
    void agreesWithTheExactSearch()
    {
        int proven = 0;
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            testing::Random rng(7000 + seed);
            const Hardware hw{testing::pick(rng, 150, 1500), testing::pick(rng, 1, 12), 16, 16, {}};
            const ProblemPtr p =
                testing::randomProblem(rng, static_cast<int>(testing::pick(rng, 5, 7)), {8, 16, 24, 32}, hw);
            TilingMemo memo;
            SubgraphPool pool(*p, Rules::final(), memo, {});
            ExactLimits limits;
            limits.keepGoing = [] { return true; };
            const ExactResult exact =
                solveExactly(pool, Rules::final(), wholeProblem(*p), TilingEffort::Exhaustive, limits);
            if (!exact.finished || !exact.entries)
                continue;
            const Proof proof = prove(*p, Rules::final(), 1.3 * exact.total, patient());
            QVERIFY2(proof.optimal && proof.schedule, qPrintable(QStringLiteral("seed %1").arg(seed)));
            QVERIFY2(
                std::abs(proof.total - exact.total) <= 1e-9 * exact.total,
                qPrintable(QStringLiteral("seed %1: %2 and %3").arg(seed).arg(proof.total).arg(exact.total)));
            QVERIFY(proof.lowerBound <= exact.total * kAbove);
            ++proven;
        }
        QVERIFY(proven > 24);
    }

    /// Views, which need their bases in slow memory (R1.7), every rule switch, drawn schedules in any order.
    void noDrawnScheduleIsBelow()
    {
        int valid = 0, proven = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(450U); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd, 6, 20);
            const Schedule s = random_cases::schedule(rnd, *p);
            const Rules r = rnd.chance(50) ? Rules::final() : random_cases::rules(rnd);
            const Evaluation e = evaluate(*p, s, r);
            if (!e.valid())
                continue;
            ProofLimits limits = patient();
            limits.nodes = 20'000;
            const Proof proof = prove(*p, r, 2 * e.total, limits);
            QVERIFY2(proof.lowerBound <= e.total * kAbove, qPrintable(QStringLiteral("seed %1").arg(seed)));
            if (proof.optimal && proof.schedule) {
                const bool preset = std::ranges::all_of(s.subgraphs, [](const SubgraphPtr& part) {
                    return part->traversal.kind() != TraversalKind::Custom &&
                           part->traversal.kind() != TraversalKind::Spiral;
                });
                QVERIFY(!preset || proof.total <= e.total * kAbove);
                ++proven;
            }
            ++valid;
        }
        qInfo("%d valid, %d proven", valid, proven);
        QVERIFY(valid > test::drawnAtLeast(50) && proven > test::drawnAtLeast(25));
    }

    /// A graph of 20 ops, which the search for small problems does not take on.
    void twentyOpsAreProven()
    {
        const ProblemPtr p = *generateWorkload({.kind = WorkloadKind::Mlp,
                                                .layers = 10,
                                                .rows = 256,
                                                .width = 256,
                                                .capacity = 60000,
                                                .bandwidth = 20});
        QVERIFY(p->opCount() >= 20);
        SolveOptions options;
        options.seconds = 0;
        options.iterations = 4000;
        options.threads = 1;
        auto result = solve(*p, options);
        QVERIFY(result && !result->provenOptimal);
        const ProofRunResult proof =
            runProof(*p, {}, {.seconds = 1e3, .total = result->total, .findsSchedule = false, .stop = {}});
        QVERIFY(proof.state.optimal);
        const double total = proof.state.best;
        QVERIFY(total <= result->total);
        applyProof(*result, proof, true);
        QVERIFY(result->provenOptimal);
        QCOMPARE(result->total, total);
        const Evaluation e = evaluate(*p, result->schedule, {});
        QVERIFY(e.valid());
        QCOMPARE(e.total, total);
        QVERIFY(result->lowerBound <= total * kAbove);
    }

    /// What is told on the way only rises, and holds; who stops gets what holds by then.
    void boundsRiseAndAStoppedProofClaimsNothing()
    {
        const ProblemPtr p = *Problem::build(testing::twoProductsAndTheirSum());
        ProofLimits limits = patient();
        double last = 0;
        int told = 0;
        limits.onProgress = [&](const ProofProgress& progress) {
            QVERIFY(progress.lowerBound >= last && progress.presetBound >= progress.lowerBound);
            QVERIFY(progress.presetBound <= 52428.8 * kAbove);
            last = progress.lowerBound;
            ++told;
        };
        const Proof proof = prove(*p, {}, 60000, limits);
        QVERIFY(told > 0 && proof.optimal && proof.schedule);
        QCOMPARE(proof.total, 52428.8);
        limits.onProgress = nullptr;
        for (int allowed = 0; allowed < 200; allowed += 3) {
            std::atomic<int> asked = 0;
            limits.keepGoing = [&] { return asked++ < allowed; };
            const Proof stopped = prove(*p, {}, 60000, limits);
            QVERIFY(stopped.lowerBound <= 52428.8 * kAbove && stopped.presetBound <= 52428.8 * kAbove);
            if (stopped.optimal)
                QCOMPARE(std::min(60000.0, stopped.total), 52428.8);
        }
    }

    /// Prices that hold are there long before the best ones are.
    void everyRoundOfPricesEndsWithABound()
    {
        testing::Random rng(7001);
        const Hardware hw{900, 3, 16, 16, {}};
        const ProblemPtr p = testing::randomProblem(rng, 12, {16, 32, 48, 64}, hw);
        SolveOptions options;
        options.seconds = 0;
        options.iterations = 3000;
        options.threads = 1;
        const auto result = solve(*p, options);
        QVERIFY(result);
        std::vector<double> bounds;
        ProofLimits limits = patient();
        limits.onProgress = [&](const ProofProgress& progress) {
            if (bounds.empty() || progress.lowerBound > bounds.back())
                bounds.push_back(progress.lowerBound);
        };
        const Proof proof = prove(*p, {}, result->total, limits);
        const double best = std::min(result->total, proof.total);
        QVERIFY(proof.optimal);
        QVERIFY(bounds.size() >= 4);
        QVERIFY(bounds.back() <= best * kAbove && bounds.front() < bounds.back());
    }

    /// One MatMul, 4096 x 128 x 128, that takes longer to compute than to load and to write. Fast memory has
    /// no room for a whole strip beside the tile: a third of the reduction at a time, and the last step
    /// writes longer than it computes. No order of tiles is faster than nearly what the best tiling takes.
    void stepsThatCompleteATileAreLookedAtApart()
    {
        Problem::Data data;
        data.tensors.push_back({128, 4096, {}});
        data.tensors.push_back({128, 128, {}});
        data.tensors.push_back({128, 4096, {}});
        data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 10000, {}});
        data.hardware = {27000, 5, 128, 128, {}};
        const ProblemPtr p = *Problem::build(data);
        CostModel model(*p, Rules::final());
        const std::vector<OpId> ops{OpId(0)};
        QVERIFY(model.compile(ops, {}));
        const double together = model.anyOrderBound();
        const double apart = model.anyOrderBoundByDepth();
        TilingMemo memo;
        SubgraphPool pool(*p, Rules::final(), memo, {});
        const auto best = pool.provenLatency({pool.intern(ops)}, 1e9, [] { return true; });
        QVERIFY(best);
        QCOMPARE(together, 320'000.0); // what it computes
        QVERIFY(apart <= *best * kAbove && apart >= *best * 0.97);
    }

    /// The same against the best tiling of drawn op sets.
    void depthsApartAreNotAboveTheBestTiling()
    {
        int higher = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(4000U); ++seed) {
            testing::Random rng(seed);
            const Hardware hw{testing::pick(rng, 20, 300), testing::pick(rng, 1, 6), 4, 4, {}};
            const ProblemPtr p = testing::randomProblem(rng, static_cast<int>(testing::pick(rng, 1, 6)),
                                                        {4, 6, 7, 8, 10, 12, 16}, hw);
            CostModel model(*p, Rules::final());
            if (!model.compile(p->topologicalOrder(), {}))
                continue;
            const double together = model.anyOrderBound();
            const double apart = model.anyOrderBoundByDepth();
            QVERIFY(apart >= together * (1 - 1e-12));
            TilingMemo memo;
            SubgraphPool pool(*p, Rules::final(), memo, {});
            const auto best =
                pool.provenLatency({pool.intern(p->topologicalOrder())}, 1e12, [] { return true; });
            if (!best)
                continue;
            QVERIFY2(apart <= *best * kAbove || *best >= 1e12,
                     qPrintable(QStringLiteral("seed %1: %2 above %3").arg(seed).arg(apart).arg(*best)));
            higher += apart > together * kAbove;
        }
        QVERIFY(higher > test::drawnAtLeast(150));
    }

    /// Several at once, as a window and a sweep may ask.
    void severalThreadsAtOnce()
    {
        const ProblemPtr p = *Problem::build(testing::twoProductsAndTheirSum());
        std::vector<Proof> proofs(4);
        {
            std::vector<std::jthread> threads;
            for (Proof& proof : proofs)
                threads.emplace_back([&proof, p] { proof = prove(*p, {}, 60000, patient()); });
        }
        for (const Proof& proof : proofs) {
            QVERIFY(proof.optimal);
            QCOMPARE(proof.total, 52428.8);
        }
    }

    /// A better schedule replaces the result only where that is wanted; the bound holds for it all the same.
    void aBetterScheduleIsOnlyTakenWhereWanted()
    {
        const ProblemPtr p = *Problem::build(testing::twoProductsAndTheirSum());
        SolveResult kept;
        kept.total = 60000;
        SolveResult replaced = kept;
        const ProofRunResult proof =
            runProof(*p, {}, {.seconds = 1e3, .total = kept.total, .findsSchedule = false, .stop = {}});
        applyProof(kept, proof, false);
        QCOMPARE(kept.total, 60000.0);
        QVERIFY(!kept.provenOptimal && kept.lowerBound > 0 && kept.lowerBound <= 52428.8 * kAbove);
        applyProof(replaced, proof, true);
        QCOMPARE(replaced.total, 52428.8);
        QVERIFY(replaced.provenOptimal && replaced.schedule.size() > 0);
    }
};

TILEWRIGHT_TEST(TestProve)

} // namespace test_prove
#include "test_prove.moc"
