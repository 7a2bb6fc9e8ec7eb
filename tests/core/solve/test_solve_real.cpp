// SPDX-License-Identifier: GPL-3.0-or-later
// The solver on problems of real models: maps (R1.8), widths (R1.9) and tensors kept over several subgraphs.
#include "drawn_cases.h"
#include "eval/evaluation.h"
#include "eval/lower_bound.h"
#include "random_cases.h"
#include "solve/search/solver.h"
#include "solve_brute_force.h"
#include "solve_support.h"
#include "test_main.h"

#include <QtTest>

#include <cmath>

namespace test_solve_real {

using namespace tilewright;
using namespace tilewright::testing;

namespace {

/// A proof ends long before the time limit.
SolveOptions under(const Rules& rules)
{
    SolveOptions options;
    options.seconds = 120;
    options.threads = 1;
    options.rules = rules;
    return options;
}

/// Up to three ops over few rows and columns, which plain search can settle; null if it has too many.
ProblemPtr tiny(random_cases::Source& rnd)
{
    const ProblemPtr drawn = random_cases::realProblem(rnd, 3, {.most = 4});
    if (drawn->tensorCount() > 7)
        return nullptr;
    Problem::Data data = drawn->data();
    std::int64_t largest = 0;
    for (std::size_t t = 0; t < drawn->tensorCount(); ++t)
        largest = std::max(largest, drawn->sizeUnits(TensorId(t)));
    // From what hardly fits to what all fits.
    data.hardware.fastMemoryCapacity = rnd.between(3, 8 + 3 * largest / drawn->unitsPerElement());
    return Problem::build(std::move(data)).value();
}

/// A chain of products and sums in which results are read again later, as skip connections are.
ProblemPtr withSkips(Random& rng, int ops)
{
    Problem::Data data;
    data.name = "skips";
    const std::int64_t rows = 16 * pick(rng, 1, 4);
    const auto tensor = [&](std::int64_t height, std::int64_t width) {
        data.tensors.push_back({width, height, {}});
        return TensorId(data.tensors.size() - 1);
    };
    std::vector<TensorId> results{tensor(rows, 16 * pick(rng, 1, 4))};
    std::int64_t largest = 0;
    for (int i = 0; i < ops; ++i) {
        const TensorId last = results.back();
        const std::int64_t width = data.tensors[last].width;
        std::vector<TensorId> same; // of the same shape, earlier
        for (const TensorId t : results)
            if (t != last && data.tensors[t].width == width)
                same.push_back(t);
        Op op;
        if (!same.empty() && rng() % 3 == 0) {
            op = {OpType::Pointwise, {last, oneOf(rng, same)}, tensor(rows, width), pick(rng, 10, 200), {}};
        } else if (rng() % 4 == 0) {
            op = {OpType::Pointwise, {last}, tensor(rows, width), pick(rng, 10, 200), {}};
        } else {
            const std::int64_t out = 16 * pick(rng, 1, 4);
            const TensorId weights = tensor(width, out);
            op = {OpType::MatMul, {last, weights}, tensor(rows, out), pick(rng, 100, 2000), {}};
        }
        results.push_back(op.output);
        largest = std::max(largest, data.tensors[op.output].elements());
        data.ops.push_back(std::move(op));
    }
    data.hardware = {largest * pick(rng, 1, 4), pick(rng, 1, 20), 16, 16, {}};
    return Problem::build(std::move(data)).value();
}

} // namespace

class TestSolveReal : public QObject
{
    Q_OBJECT

private slots:
    /// No bound is above the optimum, no schedule below it, and what is proven is the optimum.
    void solverAndBoundsAgreeWithTheBruteForce()
    {
        random_cases::Source rnd(37);
        int cases = 0, proven = 0, carrying = 0, mapped = 0, wide = 0, none = 0;
        while (cases < test::drawnCases(100)) {
            const ProblemPtr problem = tiny(rnd);
            if (!problem)
                continue;
            const Rules rules = cases % 2 == 0 ? Rules::machine() : random_cases::realRules(rnd);
            ++cases;
            const double optimum = BruteForce(*problem, rules).optimum();
            const auto result = solve(*problem, under(rules));
            if (optimum >= 1e300) {
                QVERIFY2(!result,
                         differenceText(*problem, rules, result ? result->total : 0, optimum).c_str());
                ++none;
                continue;
            }
            QVERIFY2(result, differenceText(*problem, rules, -1, optimum).c_str());
            const std::string text = differenceText(*problem, rules, result->total, optimum);
            const auto valid = evaluateByTrace(*problem, result->schedule, rules);
            QVERIFY2(valid.valid(), text.c_str());
            QVERIFY2(result->total >= optimum * (1 - 1e-9), text.c_str());
            QVERIFY2(result->lowerBound <= optimum * (1 + 1e-9), text.c_str());
            QVERIFY2(lowerBound(*problem, rules).value <= optimum * (1 + 1e-9), text.c_str());
            QVERIFY2(!result->provenOptimal || result->total <= optimum * (1 + 1e-9), text.c_str());
            proven += result->provenOptimal;
            mapped += problem->hasMaps();
            wide += problem->hasWidths();
            carrying += rules.retainInputs == Rules::RetainInputs::Carry;
        }
        qInfo("%d cases: %d proven, %d with maps, %d with widths, %d carrying; %d fit nowhere", cases, proven,
              mapped, wide, carrying, none);
        QCOMPARE(proven, cases - none);
        QVERIFY(mapped > test::drawnAtLeast(30) && wide > test::drawnAtLeast(30) &&
                carrying > test::drawnAtLeast(30));
    }

    /// R4.6 with retain_inputs=carry: proofs of problems with skip connections.
    void upToTwelveOpsAreProven_data()
    {
        QTest::addColumn<int>("ops");
        for (const int ops : {4, 6, 8, 12})
            QTest::addRow("%d ops", ops) << ops;
    }
    void upToTwelveOpsAreProven()
    {
        QFETCH(int, ops);
        Random rng(static_cast<unsigned>(ops));
        for (int i = 0; i < 3; ++i) {
            const ProblemPtr problem = withSkips(rng, ops);
            const auto result = solve(*problem, under(Rules::machine()));
            QVERIFY(result);
            QVERIFY(result->provenOptimal);
        }
    }

    /// The gap of 20 ops is at most a tenth in the median.
    void twentyOpsComeWithinATenthOfTheBound()
    {
        Random rng(20);
        std::vector<double> gaps;
        for (int i = 0; i < test::drawnCases(30); ++i) {
            const ProblemPtr problem = withSkips(rng, 20);
            SolveOptions options = under(Rules::machine());
            options.seconds = 0; // the same steps on every machine
            options.iterations = 1500;
            const auto result = solve(*problem, options);
            QVERIFY(result);
            gaps.push_back(result->total / result->lowerBound - 1);
        }
        std::ranges::sort(gaps);
        qInfo("gaps: %g, %g, %g", gaps.front(), gaps[gaps.size() / 2], gaps.back());
        QVERIFY(gaps[gaps.size() / 2] <= 0.1);
    }
};

TILEWRIGHT_TEST(TestSolveReal)

} // namespace test_solve_real
#include "test_solve_real.moc"
