// SPDX-License-Identifier: GPL-3.0-or-later
// The solver under every setting of every switch, against the optimum of the whole space: it finds a schedule
// whenever there is one, and what it calls proven is.
#include "drawn_cases.h"
#include "eval/evaluation.h"
#include "solve/proof/exact.h"
#include "solve/search/solver.h"
#include "solve_brute_force.h"
#include "solve_support.h"
#include "test_main.h"

#include <QtTest>

#include <cmath>
#include <set>

namespace test_solve_switches {

using namespace tilewright;
using namespace tilewright::testing;

namespace {

/// Up to 4 ops over few extents; `tight`: of a capacity at which some op may fit only with others.
ProblemPtr tiny(Random& rng, bool tight, int mostOps)
{
    Hardware hw;
    hw.nativeWidth = pick(rng, 1, 4);
    hw.nativeHeight = pick(rng, 1, 4);
    hw.nativeDepth = pick(rng, 1, 4);
    hw.slowMemoryBandwidth = pick(rng, 1, 6);
    hw.fastMemoryCapacity = 1;
    const std::vector<std::int64_t> extents =
        rng() % 2 == 0 ? std::vector<std::int64_t>{1, 2, 4} : std::vector<std::int64_t>{1, 3};
    const ProblemPtr any = randomProblem(rng, static_cast<int>(pick(rng, 1, mostOps)), extents, hw);
    Problem::Data data = any->data();
    const std::int64_t alone = smallestCapacity(*any);
    data.hardware.fastMemoryCapacity = tight ? pick(rng, 2, alone - 1) : alone + pick(rng, 0, 20);
    return Problem::build(std::move(data)).value();
}

/// A product whose operands are read again for every row or column of tiles, unless they are kept.
ProblemPtr rereading(Random& rng)
{
    Problem::Data data;
    const std::int64_t height = pick(rng, 2, 5), depth = pick(rng, 2, 4), width = pick(rng, 2, 5);
    data.tensors = IdVector<TensorId, Tensor>({{depth, height, {}}, {width, depth, {}}, {width, height, {}}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 1, {}});
    if (rng() % 2 == 0) {
        data.tensors.push_back({width, height, {}});
        data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(3), 1, {}});
    }
    data.hardware = {pick(rng, 4, 30), 1, pick(rng, 1, 2), pick(rng, 1, 2), {}};
    return Problem::build(std::move(data)).value();
}

/// A Pointwise of several functions of one input, which together need less than it needs alone.
ProblemPtr joining(Random& rng)
{
    Problem::Data data;
    const Tensor shape{pick(rng, 1, 3), pick(rng, 1, 3), {}};
    const auto tensor = [&] {
        data.tensors.push_back(shape);
        return TensorId(data.tensors.size() - 1);
    };
    const TensorId input = tensor();
    std::vector<TensorId> terms{input};
    for (std::uint64_t n = 1 + rng() % 2; n > 0; --n) {
        terms.push_back(tensor());
        data.ops.push_back({OpType::Pointwise,
                            {oneOf(rng, std::vector{input, terms[terms.size() - 2]})},
                            terms.back(),
                            pick(rng, 0, 9),
                            {}});
    }
    if (rng() % 3 == 0)
        terms.push_back(tensor()); // an input of its own
    const std::size_t count = terms.size();
    data.ops.push_back({OpType::Pointwise, std::move(terms), tensor(), pick(rng, 0, 9), {}});
    data.hardware = {pick(rng, 2, static_cast<std::int64_t>(count)),
                     pick(rng, 1, 4),
                     pick(rng, 1, 3),
                     pick(rng, 1, 3),
                     {}};
    return Problem::build(std::move(data)).value();
}

SolveOptions under(const Rules& rules)
{
    SolveOptions options;
    options.seconds = 20;
    options.threads = 1;
    options.rules = rules;
    return options;
}

/// Each setting of each switch on top of both rule sets, then settings at random.
std::vector<Rules> settings(int random)
{
    std::vector<Rules> out;
    for (const Rules& base : {Rules::final(), Rules::seed()})
        for (const RuleSwitch& rule : ruleSwitches())
            for (std::size_t value = 0; value < rule.count; ++value) {
                Rules rules = base;
                rule.set(rules, value);
                if (std::ranges::find(out, rules) == out.end())
                    out.push_back(rules);
            }
    Random rng(77);
    for (int i = 0; i < random; ++i) {
        Rules rules;
        for (const RuleSwitch& rule : ruleSwitches())
            if (rng() % 3 != 0)
                rule.set(rules, rng() % rule.count);
        out.push_back(rules);
    }
    return out;
}

/// Whether every op fits at some granularity as a subgraph of its own.
bool fitAlone(const Problem& problem, const Rules& rules)
{
    for (std::size_t o = 0; o < problem.opCount(); ++o) {
        Subgraph s;
        s.ops = {OpId(o)};
        s.granularity = {1, 1, 1};
        if (!evaluateSubgraph(problem, s, {}, rules).fits)
            return false;
    }
    return true;
}

} // namespace

class TestSolveSwitches : public QObject
{
    Q_OBJECT

private slots:
    /// A capacity below what the largest op takes alone: a schedule is found whenever one exists, which then
    /// fuses.
    void whatFitsOnlyFusedIsFound_data()
    {
        QTest::addColumn<int>("mostOps");
        QTest::newRow("up to three ops") << 3;
        QTest::newRow("up to four ops") << 4;
    }
    void whatFitsOnlyFusedIsFound()
    {
        QFETCH(int, mostOps);
        Random rng(static_cast<unsigned>(mostOps));
        int fits = 0, onlyFused = 0, none = 0;
        std::set<std::string> where;
        const std::vector<Rules> all = settings(60);
        for (int i = 0; i < test::drawnCases(240); ++i) {
            ProblemPtr problem = i % 3 == 0 ? joining(rng) : tiny(rng, true, mostOps);
            if (i % 4 == 0)
                problem = withViews(rng, *problem);
            const Rules& rules = all[static_cast<std::size_t>(i) % all.size()];
            const double optimum = BruteForce(*problem, rules).optimum();
            const auto result = solve(*problem, under(rules));
            if (optimum >= 1e300) {
                QVERIFY2(!result,
                         differenceText(*problem, rules, result ? result->total : 0, optimum).c_str());
                ++none;
                continue;
            }
            QVERIFY2(result, differenceText(*problem, rules, -1, optimum).c_str());
            QVERIFY2(evaluateByTrace(*problem, result->schedule, rules).valid(), named(rules).c_str());
            if (std::abs(result->total - optimum) > 1e-9 * optimum)
                QVERIFY2(!result->provenOptimal && result->total > optimum,
                         differenceText(*problem, rules, result->total, optimum).c_str());
            ++fits;
            if (!fitAlone(*problem, rules)) {
                ++onlyFused;
                where.insert(named(rules));
            }
        }
        qInfo("%d fit, %d of them only fused, under %zu settings; %d do not fit", fits, onlyFused,
              where.size(), none);
        QVERIFY(onlyFused > test::drawnAtLeast(30) && none > test::drawnAtLeast(60) &&
                where.size() > test::drawnAtLeast(20U));
    }

    /// Too many ops for an exact search: each op that does not fit alone is taken with its neighbours.
    void whatFitsOnlyFusedIsFoundInLargeProblems()
    {
        Problem::Data data;
        const auto tensor = [&] {
            data.tensors.push_back({6, 6, {}});
            return TensorId(data.tensors.size() - 1);
        };
        const auto pointwise = [&](std::vector<TensorId> inputs) {
            const TensorId out = tensor();
            data.ops.push_back({OpType::Pointwise, std::move(inputs), out, 5, {}});
            return out;
        };
        TensorId x = tensor();
        for (int block = 0; block < 12; ++block) {
            const TensorId a = pointwise({x});
            const TensorId b = pointwise({x, a});
            x = pointwise({x, a, b}); // four elements alone; x and its result when all three are together
        }
        data.hardware = {3, 2, 4, 4, {}};
        const ProblemPtr problem = Problem::build(std::move(data)).value();
        QVERIFY(!fitAlone(*problem, Rules::final()));
        SolveOptions options = under(Rules::final());
        options.seconds = 0;
        options.iterations = 200;
        const auto result = solve(*problem, options);
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        QVERIFY(evaluateByTrace(*problem, result->schedule, Rules::final()).valid());
    }

    /// Above an upper bound nothing is named, whatever its sums round to.
    void theExactSearchNamesOnlyWhatIsBetter()
    {
        Random rng(3);
        int found = 0;
        for (int i = 0; i < test::drawnCases(400); ++i) {
            const ProblemPtr problem = tiny(rng, false, 4);
            Rules rules;
            rules.compute = i % 2 == 0 ? Rules::Compute::Array : Rules::Compute::Base;
            const auto search = [&](double upperBound) {
                TilingMemo memo; // that knows nothing yet
                SubgraphPool pool(*problem, rules, memo, {});
                ExactLimits limits;
                limits.keepGoing = [] { return true; };
                limits.upperBound = upperBound;
                return solveExactly(pool, rules, wholeProblem(*problem), TilingEffort::Exhaustive, limits);
            };
            const ExactResult best = search(std::numeric_limits<double>::infinity());
            QVERIFY(best.finished && best.entries);
            for (int j = 0; j < 12; ++j) {
                const ExactResult again = search(best.total * (1 - j * 1e-3 / 7));
                QVERIFY(again.finished);
                QVERIFY2(!again.entries, qPrintable(QString("%1 %2").arg(i).arg(j)));
            }
            const ExactResult below = search(best.total * 1.01);
            QVERIFY(below.finished && below.entries && below.total <= best.total * (1 + 1e-12));
            found += best.entries->size() > 1;
        }
        QVERIFY(found > test::drawnAtLeast(100));
    }

    /// What is called proven is the optimum of the brute force, retained inputs (R9.7) included.
    void whatIsProvenIsTheOptimum()
    {
        Random rng(11);
        int proven = 0, keeping = 0, provenKeeping = 0, kept = 0, cases = 0;
        const std::vector<Rules> all = settings(120);
        for (std::size_t i = 0; i < test::drawnCases(2 * all.size()); ++i) {
            const Rules& rules = all[i % all.size()];
            const bool keeps = rules.keepsInputs();
            ProblemPtr problem = keeps && i % 2 == 0 ? rereading(rng) : tiny(rng, false, keeps ? 3 : 4);
            if (i % 4 == 0)
                problem = withViews(rng, *problem);
            if (problem->opCount() > 2 && rules.superNative == Rules::SuperNative::Ceil && keeps &&
                i % 3 != 0)
                continue; // the brute force has too much to try
            const double optimum = BruteForce(*problem, rules).optimum();
            const auto result = solve(*problem, under(rules));
            QVERIFY2(result, differenceText(*problem, rules, -1, optimum).c_str());
            const std::string text = differenceText(*problem, rules, result->total, optimum);
            QVERIFY2(result->total >= optimum * (1 - 1e-9), text.c_str());
            QVERIFY2(result->lowerBound <= optimum * (1 + 1e-9), text.c_str());
            if (result->provenOptimal)
                QVERIFY2(result->total <= optimum * (1 + 1e-9), text.c_str());
            ++cases;
            proven += result->provenOptimal;
            keeping += keeps;
            provenKeeping += keeps && result->provenOptimal;
            for (const SubgraphPtr& s : result->schedule.subgraphs) {
                const Boundary b = boundaryOf(*problem, s->ops);
                kept += std::ranges::any_of(
                    s->retain, [&](TensorId t) { return std::ranges::binary_search(b.inputs, t); });
            }
        }
        qInfo("%d of %d proven; %d of %d where inputs may be kept; %d subgraphs keep an input", proven, cases,
              provenKeeping, keeping, kept);
        QCOMPARE(proven, cases);
        QVERIFY(keeping > test::drawnAtLeast(60) && kept >= test::drawnAtLeast(10));
    }
};

TILEWRIGHT_TEST(TestSolveSwitches)

} // namespace test_solve_switches
#include "test_solve_switches.moc"
