// SPDX-License-Identifier: GPL-3.0-or-later
// What the views ask of an evaluated schedule: occupancy, roofline, explanation, search for a granularity.
#include "drawn_cases.h"
#include "oracle_reader.h"
#include "random_cases.h"
#include "test_main.h"

#include "edit/advice.h"
#include "edit/fit.h"
#include "edit/suggestions.h"
#include "eval/evaluator.h"
#include "eval/explain.h"
#include "eval/granularity_search.h"
#include "eval/memory_use.h"

#include "rules/check.h"
#include "snapshot/snapshot.h"
#include "solve/search/solver.h"
#include "workload/generate.h"

#include <QtTest>

#include <array>
#include <cmath>

namespace test_eval_views {

using namespace tilewright;
using oracle::exampleProblem;
using oracle::exampleSchedule;
using random_cases::Source;

namespace {

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

std::size_t opsThatCannotRun(const Schedule& s, const Evaluation& e)
{
    std::size_t n = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
        n += e.subgraphs[i].structurallyValid ? 0 : s.subgraphs[i]->ops.size();
    return n;
}

/// Subgraphs of one op each in topological order: valid but for memory.
Schedule oneByOne(Source& rnd, const Problem& p)
{
    Schedule s = oneOpPerSubgraph(p);
    for (auto& subgraph : s.subgraphs) {
        Subgraph changed = *subgraph;
        changed.granularity.w = rnd.between(1, changed.granularity.w);
        changed.granularity.h = rnd.between(1, changed.granularity.h);
        changed.granularity.k = rnd.between(1, changed.granularity.k);
        subgraph = std::make_shared<const Subgraph>(changed);
    }
    return s;
}

} // namespace

class TestEvalViews : public QObject
{
    Q_OBJECT

private slots:
    void occupancyFollowsTheTrace()
    {
        int stairs = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(800U); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd);
            const Schedule s = rnd.chance(50) ? oneByOne(rnd, *p) : random_cases::schedule(rnd, *p);
            const Rules r = random_cases::rules(rnd);
            const Evaluation e = evaluate(*p, s, r);
            const Occupancy o = occupancy(*p, s, r);
            QVERIFY(o.complete);
            QCOMPARE(o.capacity, p->hardware().fastMemoryCapacity);
            QVERIFY(close(o.end, e.total));
            double peak = 0;
            for (const SubgraphEvaluation& sub : e.subgraphs)
                peak = std::max(peak, sub.peakWorkingSet);
            QCOMPARE(static_cast<double>(o.peak), peak);
            double at = 0;
            for (const OccupancySegment& segment : o.segments) {
                QVERIFY(close(segment.start, at));
                QVERIFY(segment.end > segment.start);
                QVERIFY(segment.exact);
                at = segment.end;
            }
            QVERIFY(close(at, e.total));
            // Every step lies in a segment with its numbers.
            double begin = 0;
            for (std::size_t i = 0; i < s.size(); ++i) {
                if (!e.subgraphs[i].structurallyValid)
                    continue;
                traceSubgraph(
                    *p, *s.subgraphs[i], residentBefore(*p, s, r, SubgraphId(i)), r, [&](const Step& step) {
                        const OccupancySegment* segment = o.at(begin + step.start + step.latency / 2);
                        if (step.latency > 1e-6 && (!segment || segment->total() != step.workingSet ||
                                                    segment->subgraph != SubgraphId(i)))
                            QTest::qFail(("seed " + std::to_string(seed)).c_str(), __FILE__, __LINE__);
                        return !QTest::currentTestFailed();
                    });
                begin += e.subgraphs[i].latency;
            }
            if (QTest::currentTestFailed())
                return;
            stairs += o.segments.size() > 3;
        }
        QVERIFY(stairs > test::drawnAtLeast(150));
    }

    void occupancyOfAVeryLongSubgraphSaysSo()
    {
        const ProblemPtr p = exampleProblem("ex4");
        const Schedule s = exampleSchedule("ex4A_null");
        const Occupancy o = occupancy(*p, s, Rules::final(), {}, {.maxSteps = 2});
        const Evaluation e = evaluate(*p, s, Rules::final());
        QVERIFY(!o.segments.back().exact);
        QCOMPARE(o.segments.back().steps, e.subgraphs[0].steps - 2);
        QVERIFY(close(o.segments.back().end, e.total));
        QCOMPARE(o.peak, e.subgraphs[0].peakWorkingSet);
        QVERIFY(!o.at(-1));
        QVERIFY(!o.at(e.total + 1));
    }

    void occupancyStops()
    {
        std::stop_source source;
        source.request_stop();
        const ProblemPtr p = exampleProblem("ex1");
        const Occupancy o = occupancy(*p, exampleSchedule("ex1A"), Rules::final(), {source.get_token(), {}});
        QVERIFY(!o.complete);
        QVERIFY(o.segments.empty());
    }

    void residentsAddUpToTheWorkingSet()
    {
        int kinds[5] = {};
        for (std::uint64_t seed = 0; seed < test::drawnCases(800U); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd);
            const Schedule s = random_cases::schedule(rnd, *p);
            const Rules r =
                rnd.chance(50) ? Rules::final() : Rules{.retainInputs = Rules::RetainInputs::Allow};
            const Evaluation e = evaluate(*p, s, r);
            const double time = e.total * static_cast<double>(rnd.between(0, 99)) / 100;
            const auto at = residentsAt(*p, s, r, time);
            if (e.total <= 0) {
                QVERIFY(!at);
                continue;
            }
            QVERIFY(at);
            QVERIFY(at->start <= time * (1 + 1e-12) && time <= at->end * (1 + 1e-12));
            std::int64_t sum = 0;
            for (const Resident& x : at->residents) {
                sum += x.elements;
                ++kinds[static_cast<int>(x.kind)];
            }
            QCOMPARE(sum, at->workingSet);
            QVERIFY(
                std::is_sorted(at->residents.begin(), at->residents.end(),
                               [](const Resident& a, const Resident& b) { return a.elements > b.elements; }));
        }
        for (const int n : kinds)
            QVERIFY(n > test::drawnAtLeast(10));
        QVERIFY(!residentsAt(*exampleProblem("ex1"), exampleSchedule("ex1A"), Rules::final(), -1));
        QVERIFY(!residentsAt(*exampleProblem("ex1"), exampleSchedule("ex1A"), Rules::final(), 1e9));
    }

    void rooflinePointsLieUnderTheRoofs()
    {
        int points = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(3000U); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd);
            const Schedule s = rnd.chance(50) ? oneByOne(rnd, *p) : random_cases::schedule(rnd, *p);
            const Rules r = random_cases::rules(rnd);
            const Evaluation e = evaluate(*p, s, r);
            const ScheduleRoofline roof = scheduleRoofline(*p, s, e);
            QVERIFY(close(roof.ridge * roof.bandwidth, roof.computeRoof));
            QVERIFY(close(roof.whole.latency, e.total));
            for (const SubgraphPoint& point : roof.points) {
                ++points;
                QVERIFY(point.throughput <= std::min(1.0, roof.bandwidth * point.intensity) * (1 + 1e-9));
                QVERIFY(point.throughput <= point.paddingCeiling * (1 + 1e-9));
                QVERIFY(point.paddingCeiling <= 1 + 1e-9);
                QCOMPARE(point.bound, e.subgraphs[point.subgraph.index()].bound);
            }
        }
        QVERIFY(points > test::drawnAtLeast(3000));
        // Example 1C: 64 x 64 tiles on a 128 x 128 array use a quarter of it, twice.
        const ProblemPtr p = exampleProblem("ex1");
        const Schedule s = exampleSchedule("ex1C");
        const ScheduleRoofline roof = scheduleRoofline(*p, s, evaluate(*p, s, Rules::final()));
        QCOMPARE(roof.points.size(), std::size_t(1));
        QCOMPARE(roof.points[0].work, 1100.0);
        QCOMPARE(roof.points[0].paddingCeiling, 0.25);
        QCOMPARE(roof.points[0].throughput, 0.25);
    }

    /// Every suggestion is what it says, by the explaining form, and helps.
    void suggestionsAreExact()
    {
        std::array<int, Suggestion::kKinds> seen{};
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd);
            const Schedule s = rnd.chance(70) ? oneByOne(rnd, *p) : random_cases::schedule(rnd, *p);
            const Rules r = rnd.chance(70) ? Rules::final() : Rules::seed();
            const Evaluation before = evaluate(*p, s, r);
            const auto id =
                SubgraphId(static_cast<std::size_t>(rnd.between(0, static_cast<std::int64_t>(s.size()) - 1)));
            QVERIFY(!whatBinds(*p, s, before, id).text.empty());
            for (const Suggestion& suggestion : suggestions(*p, s, before, id)) {
                ++seen.at(static_cast<std::size_t>(suggestion.kind));
                const Evaluation after = evaluateByTrace(*p, suggestion.schedule, r);
                QVERIFY(close(after.total, suggestion.total));
                QVERIFY(close(before.total - after.total, suggestion.gain));
                QCOMPARE(before.issues.size() - after.issues.size(), suggestion.fixes);
                QVERIFY(suggestion.fixes > 0 || suggestion.gain > 0);
                // Ops drawn into a subgraph that cannot run cost nothing there: no gain.
                if (suggestion.fixes == 0)
                    QVERIFY(opsThatCannotRun(suggestion.schedule, after) <= opsThatCannotRun(s, before));
                QVERIFY(!suggestion.text.empty());
            }
        }
        for (std::size_t kind = 0; kind < seen.size(); ++kind)
            QVERIFY2(seen.at(kind) > 0,
                     std::string(suggestionKindName(static_cast<Suggestion::Kind>(kind))).c_str());
    }

    /// What is read only after another subgraph has run is kept when that one runs before or after both.
    void whatIsReadLaterIsKeptInAnotherOrder()
    {
        Problem::Data data;
        data.tensors = IdVector<TensorId, Tensor>(5, Tensor{256, 256, {}});
        data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(2), 100, {}});
        data.ops.push_back(
            {OpType::Pointwise, {TensorId(1)}, TensorId(3), 100, {}}); // of no concern to the others
        data.ops.push_back({OpType::Pointwise, {TensorId(2)}, TensorId(4), 100, {}});
        data.hardware = {80'000, 10, 128, 128, {}};
        const ProblemPtr p = *Problem::build(std::move(data));
        const Schedule s = oneOpPerSubgraph(*p);
        const Evaluation before = evaluate(*p, s, Rules::final());
        QVERIFY(before.valid());
        for (const std::size_t of : {std::size_t{0}, std::size_t{2}}) {
            const auto found = suggestions(*p, s, before, SubgraphId(of));
            const auto together = std::ranges::find(found, Suggestion::Kind::Reorder, &Suggestion::kind);
            QVERIFY2(together != found.end(), std::to_string(of).c_str());
            QVERIFY(together->tensor == TensorId(2));
            const Evaluation after = evaluate(*p, together->schedule, Rules::final());
            QVERIFY(after.valid() && after.total < before.total);
            QVERIFY(close(before.total - after.total, together->gain));
            QVERIFY2(together->text.find("and retain ") != std::string::npos, together->text.c_str());
        }
        for (const Suggestion& other : suggestions(*p, s, before, SubgraphId(1)))
            QVERIFY(other.kind != Suggestion::Kind::Reorder);
    }

    /// The best change anywhere is the best of all subgraphs' suggestions, and none is offered twice.
    void adviceIsTheBestOfAllSuggestions()
    {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd);
            const Schedule s = oneByOne(rnd, *p);
            const Evaluation before = evaluate(*p, s, Rules::final());
            const auto best = bestChanges(*p, s, before, {.changes = 4, .subgraphs = s.size(), .stop = {}});
            QCOMPARE(best.looked, s.size());
            const auto& advice = best.changes;
            QVERIFY(advice.size() <= 4);
            for (std::size_t i = 0; i < s.size(); ++i) {
                const auto found = suggestions(*p, s, before, SubgraphId(i));
                if (found.empty())
                    continue;
                QVERIFY(!advice.empty());
                const Suggestion& first = advice.front().change;
                QVERIFY(first.fixes > found[0].fixes ||
                        (first.fixes == found[0].fixes && first.total <= found[0].total));
            }
            for (std::size_t i = 0; i < advice.size(); ++i) {
                QVERIFY(close(evaluate(*p, advice[i].change.schedule, Rules::final()).total,
                              advice[i].change.total));
                for (std::size_t j = 0; j < i; ++j)
                    QVERIFY(!(advice[i].change.schedule == advice[j].change.schedule));
            }
        }
    }

    /// Some pairs of this problem have no closed form once fused: comparing tilings step by step took
    /// minutes, which the time limit of a test function would not allow.
    void adviceForThousandsOfOps()
    {
        GenerateOptions options;
        options.kind = WorkloadKind::Random;
        options.ops = test::kSanitized ? 300 : 3000;
        const ProblemPtr p = *generateWorkload(options);
        const Schedule s = oneOpPerSubgraph(*p);
        const Evaluation before = evaluate(*p, s, Rules::final());
        const BestChanges best = bestChanges(*p, s, before);
        QVERIFY(!best.changes.empty());
        QCOMPARE(best.looked, AdviceLimits().subgraphs);
    }

    void suggestionsOfTheWorkedExamples()
    {
        const auto best = [](const char* problem, const char* solution, std::size_t subgraph) {
            const ProblemPtr p = exampleProblem(problem);
            const Schedule s = exampleSchedule(solution);
            const auto x = suggestions(*p, s, evaluate(*p, s, Rules::final()), SubgraphId(subgraph));
            return x.empty() ? Suggestion{} : x.front();
        };
        // 1A -> 1B: fusing halves the traffic, and so does keeping the tensor between.
        const ProblemPtr p1 = exampleProblem("ex1");
        const Schedule s1 = exampleSchedule("ex1A");
        const auto x1 = suggestions(*p1, s1, evaluate(*p1, s1, Rules::final()), SubgraphId(0));
        for (const auto kind : {Suggestion::Kind::FuseWithNext, Suggestion::Kind::Retain})
            QVERIFY(std::any_of(x1.begin(), x1.end(), [&](const Suggestion& y) {
                return y.kind == kind && y.total == 3276.8 && y.gain == 3276.8;
            }));
        QCOMPARE(x1.front().total, 3276.8);
        // 1C -> 1B: native tiles.
        const Suggestion tile = best("ex1", "ex1C", 0);
        QCOMPARE(tile.kind, Suggestion::Kind::Granularity);
        QCOMPARE(tile.total, 3276.8);
        // 4A -> 4B: a snake.
        const ProblemPtr p = exampleProblem("ex4");
        const Schedule s = exampleSchedule("ex4A_null");
        const auto x = suggestions(*p, s, evaluate(*p, s, Rules::final()), SubgraphId(0));
        const auto order = std::find_if(
            x.begin(), x.end(), [](const Suggestion& y) { return y.kind == Suggestion::Kind::Traversal; });
        QVERIFY(order != x.end());
        QCOMPARE(order->total, 6548.0);
        // 5A is out of memory: something that fits comes first.
        const Suggestion fits = best("ex5", "ex5A", 0);
        QVERIFY(fits.fixes > 0);
        QVERIFY(evaluate(*exampleProblem("ex5"), fits.schedule, Rules::final()).valid());
    }

    /// Where neighbours in the order are all fused, an op that is moved or computed twice helps on.
    void suggestionsLeadToWithinAFewPercent()
    {
        GenerateOptions options;
        options.kind = WorkloadKind::Transformer;
        options.layers = 2;
        const ProblemPtr p = *generateWorkload(options);
        Schedule s = oneOpPerSubgraph(*p);
        Evaluation e = evaluate(*p, s, Rules::final());
        bool regrouped = false;
        constexpr int kMost = 60;
        const int most = test::kSanitized ? 2 : kMost;
        int steps = 0;
        for (; steps < most; ++steps) {
            const BestChanges best = bestChanges(*p, s, e, {.changes = 1, .subgraphs = s.size(), .stop = {}});
            if (best.changes.empty())
                break;
            const Suggestion& change = best.changes.front().change;
            regrouped |= change.kind >= Suggestion::Kind::FuseWithOther;
            s = change.schedule;
            e = evaluate(*p, s, Rules::final());
            QVERIFY(close(e.total, change.total));
        }
        if (most < kMost && steps == most)
            return; // a sanitizer sees the first steps only
        QVERIFY(regrouped);
        SolveOptions limits;
        limits.iterations = 2000;
        limits.threads = 1;
        const auto found = solve(*p, limits);
        QVERIFY(found);
        QVERIFY2(e.total <= 1.1 * found->total, qPrintable(QString::number(e.total / found->total)));
    }

    void bindingInWords()
    {
        const ProblemPtr p = exampleProblem("ex1");
        const Schedule s = exampleSchedule("ex1A");
        const Explanation x = whatBinds(*p, s, evaluate(*p, s, Rules::final()), SubgraphId(0));
        QCOMPARE(x.bound, Bound::Memory);
        QVERIFY(x.text.starts_with("Memory traffic limits it"));
        const Schedule oom = exampleSchedule("ex5A");
        const ProblemPtr p5 = exampleProblem("ex5");
        QVERIFY(whatBinds(*p5, oom, evaluate(*p5, oom, Rules::final()), SubgraphId(0))
                    .text.starts_with("It needs"));
    }

    /// On small problems the search finds what trying everything finds, or nearly.
    void granularitySearchIsGood()
    {
        int optimal = 0;
        int cases = 0;
        double worst = 1;
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd, 4);
            const std::vector<OpId> ops = random_cases::connectedOps(rnd, *p, 4);
            const SubgraphPlan plan(*p, ops, Rules::final());
            double exhaustive = std::numeric_limits<double>::infinity();
            const Hardware& hw = p->hardware();
            for (std::int64_t w = 1; w <= hw.nativeWidth; ++w)
                for (std::int64_t h = 1; h <= hw.nativeHeight; ++h)
                    for (std::int64_t k = 1;
                         k <= (plan.hasMatMul() ? std::min(hw.nativeK(), plan.smallestK()) : 1); ++k)
                        for (const TraversalKind t : {TraversalKind::Raster, TraversalKind::Snake,
                                                      TraversalKind::Column, TraversalKind::ColumnSnake}) {
                            const SubgraphEvaluation e = evaluate(plan, {w, h, k}, t, {}, {});
                            if (e.structurallyValid && e.fits)
                                exhaustive = std::min(exhaustive, e.latency);
                        }
            const auto found = bestGranularity(plan, {}, {});
            QCOMPARE(found.has_value(), std::isfinite(exhaustive));
            if (!found)
                continue;
            ++cases;
            QVERIFY(found->evaluation.fits);
            QVERIFY(found->evaluation.latency >= exhaustive * (1 - 1e-12));
            optimal += found->evaluation.latency <= exhaustive * (1 + 1e-9);
            if (exhaustive > 0)
                worst = std::max(worst, found->evaluation.latency / exhaustive);
        }
        qInfo("%d of %d optimal, worst %.3f", optimal, cases, worst);
        QVERIFY(cases > 25);
        QVERIFY(optimal * 100 >= cases * 90);
    }

    /// The sample recomputes op 0: its latency is that of both subgraphs.
    void theLatencyOfAnOpIsThatOfAllItsSubgraphs()
    {
        const ProblemPtr p = exampleProblem("ex3");
        const SnapshotPtr snapshot = takeSnapshot(p, exampleSchedule("ex3B"), Rules::final(), 0, 0);
        QCOMPARE(snapshot->latencyOfOps(), (std::vector<double>{3000 + 3276.8, 3000, 3276.8}));
    }
};

TILEWRIGHT_TEST(TestEvalViews)

} // namespace test_eval_views
#include "test_eval_views.moc"
