// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/bound.md 7, the last paragraph: the order of a proof, what is told on the way, and that it ends.
#include "solve_support.h"
#include "test_main.h"

#include "eval/evaluator.h"
#include "solve/proof/prove.h"
#include "solve/proof/set_cover.h"
#include "solve/search/proof_run.h"
#include "workload/generate.h"

#include <QtTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stop_token>
#include <vector>

namespace test_proof_run {

using namespace tilewright;

namespace {

constexpr double kAbove = 1 + 1e-9;

ProblemPtr twoProductsAndTheirSum()
{
    return *Problem::build(testing::twoProductsAndTheirSum());
}
constexpr double kBest = 52428.8;

/// Takes branch and bound some rounds of prices.
ProblemPtr twelveOps()
{
    testing::Random rng(7001);
    return testing::randomProblem(rng, 12, {16, 32, 48, 64}, Hardware{900, 3, 16, 16, {}});
}

/// More than branch and bound takes on.
ProblemPtr manyOps()
{
    return *generateWorkload({.kind = WorkloadKind::Mlp,
                              .layers = 40,
                              .rows = 256,
                              .width = 256,
                              .capacity = 60000,
                              .bandwidth = 20});
}

/// Its parts and its prices add up to it.
bool addsUp(const LowerBound& bound)
{
    double parts = 0, prices = 0;
    for (const BoundPart& part : bound.parts)
        parts += part.value;
    for (const double price : bound.prices)
        prices += price;
    const auto isNear = [&](double sum) { return std::abs(sum / bound.value - 1) <= 1e-9; };
    return isNear(parts) && (bound.prices.empty() || isNear(prices));
}

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

class TestProofRun : public QObject
{
    Q_OBJECT

private slots:
    void theBoundIsToldAsItRises()
    {
        for (const bool early : {false, true}) {
            const ProblemPtr p = twelveOps();
            double last = lowerBound(*p, {}).value;
            int told = 0;
            ProofCallbacks callbacks;
            callbacks.onBound = [&](const LowerBound& bound) {
                QVERIFY(bound.value > last);
                QVERIFY(addsUp(bound));
                last = bound.value;
                ++told;
            };
            const ProofRunResult proof =
                runProof(*p, {}, {.seconds = 60, .reportsEarly = early, .stop = {}}, callbacks);
            QVERIFY(told > 0);
            QCOMPARE(proof.bound.value, last);
            QVERIFY(proof.state.optimal && last <= proof.state.best * kAbove);
            QVERIFY(proof.state.presetBound >= last);
            QVERIFY(!proof.bound.prices.empty());
        }
    }

    void aKnownLatencyThatIsMetEndsItAsOptimal()
    {
        const ProblemPtr p = twoProductsAndTheirSum();
        const double started = now();
        const ProofRunResult proof = runProof(*p, {}, {.seconds = 1e3, .total = kBest, .stop = {}});
        QVERIFY(now() - started < 100);
        QVERIFY(proof.state.optimal && !proof.state.schedule);
        QCOMPARE(proof.state.best, kBest);
        QCOMPARE(proof.state.space, provenByBound());
        QVERIFY(meetsBound(kBest, proof.bound.value));
    }

    void aBetterScheduleIsHandedOut()
    {
        const ProblemPtr p = twoProductsAndTheirSum();
        for (const double total : {std::numeric_limits<double>::infinity(), 60000.0}) {
            std::vector<double> told;
            ProofCallbacks callbacks;
            callbacks.onState = [&](const ProofState& state) {
                if (state.schedule && (told.empty() || told.back() > state.best))
                    told.push_back(state.best);
            };
            const ProofRunResult proof =
                runProof(*p, {}, {.seconds = 60, .total = total, .stop = {}}, callbacks);
            QVERIFY(proof.state.schedule && proof.state.optimal);
            QVERIFY(!told.empty());
            const Evaluation e = evaluate(*p, *proof.state.schedule, {});
            QVERIFY(e.valid());
            QCOMPARE(e.total, proof.state.best);
            QCOMPARE(e.total, kBest);
            QCOMPARE(told.back(), kBest);
        }
    }

    void aStopEndsItAtOnce()
    {
        for (const ProblemPtr& p : {twelveOps(), manyOps()}) {
            std::stop_source source;
            ProofCallbacks callbacks;
            double stopped = 0;
            callbacks.onBound = [&](const LowerBound&) {
                if (source.request_stop())
                    stopped = now();
            };
            const ProofRunResult proof = runProof(
                *p, {}, {.seconds = 1e3, .reportsEarly = true, .stop = source.get_token()}, callbacks);
            QVERIFY(stopped > 0);
            QVERIFY(now() - stopped < 10); // of a thousand
            QVERIFY(proof.bound.value >= lowerBound(*p, {}).value);
        }
        std::stop_source before;
        QVERIFY(before.request_stop());
        const ProblemPtr p = twelveOps();
        const ProofRunResult proof = runProof(*p, {}, {.seconds = 1e3, .stop = before.get_token()});
        QCOMPARE(proof.bound.value, lowerBound(*p, {}).value);
        QVERIFY(!proof.state.optimal && !proof.state.schedule);
    }

    /// Where branch and bound says nothing, prices do.
    void manyOpsArePriced()
    {
        const ProblemPtr p = manyOps();
        QVERIFY(p->opCount() > 64);
        const ProofRunResult proof = runProof(*p, {}, {.seconds = 3, .stop = {}});
        QVERIFY(proof.state.schedule); // none was known
        QVERIFY(evaluate(*p, *proof.state.schedule, {}).valid());
        QVERIFY(proof.bound.value > lowerBound(*p, {}).value);
        QVERIFY(proof.bound.value <= proof.state.best * kAbove);
        QVERIFY(addsUp(proof.bound));
        const ProofRunResult known =
            runProof(*p, {}, {.seconds = 30, .total = proof.state.best, .reportsEarly = true, .stop = {}});
        QVERIFY(!known.state.schedule); // it is not looked for
        QVERIFY(known.bound.value > lowerBound(*p, {}).value);
    }

    /// What branch and bound has proven stays explained: each part is true of its group.
    void noPartIsAboveWhatItsGroupTakes()
    {
        int several = 0;
        for (const bool small : {true, false}) {
            const ProblemPtr p = small ? twoProductsAndTheirSum()
                                       : *generateWorkload({.kind = WorkloadKind::Diamond,
                                                            .layers = 3,
                                                            .rows = 512,
                                                            .width = 512,
                                                            .branches = 2,
                                                            .capacity = 50000,
                                                            .bandwidth = 20});
            const ProofRunResult found = runProof(*p, {}, {.seconds = 5, .stop = {}});
            ProofLimits limits;
            limits.seconds = 60;
            for (const double from : {1.0, 1.1}) {
                const double best = from * found.state.best;
                const Proof proof = prove(*p, {}, best, limits);
                QVERIFY(proof.priced.value > 0 && proof.priced.value <= proof.lowerBound);
                LowerBound bound = boundOfGroups({}, *p, proof.priced);
                QVERIFY(bound.parts.size() >= proof.priced.groups.size());
                for (std::size_t i = 0; i < proof.priced.groups.size(); ++i) {
                    const PricedGroup& group = proof.priced.groups[i];
                    QVERIFY(bound.parts[i].ops == group.ops);
                    QVERIFY(bound.parts[i].value <= group.least * group.share * kAbove);
                    QVERIFY(group.least <= best * kAbove && group.share > 0);
                }
                QVERIFY(addsUp(bound));
                raiseBound(bound, *p, proof.lowerBound);
                QVERIFY(addsUp(bound));
                several += proof.priced.groups.size() > 1;
            }
        }
        QVERIFY(several > 0);
    }
};

TILEWRIGHT_TEST(TestProofRun)

} // namespace test_proof_run
#include "test_proof_run.moc"
