// SPDX-License-Identifier: GPL-3.0-or-later
// The fast form of the evaluator equals the explaining form on random cases.
#include "drawn_cases.h"
#include "random_cases.h"
#include "test_main.h"

#include "eval/fast_evaluator.h"
#include "eval/trace.h"
#include "solve/cost/tiling_search.h"
#include "workload/rules.h"

#include <QThread>
#include <QtTest>

#include <cmath>
#include <map>

namespace test_eval_forms {

using namespace tilewright;
using random_cases::Source;

namespace {

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-12 * std::max({1.0, std::abs(a), std::abs(b)});
}

std::string number(double v)
{
    return QString::number(v, 'g', 17).toStdString();
}

/// Empty when equal.
std::string difference(const SubgraphEvaluation& a, const SubgraphEvaluation& b)
{
    std::string out;
    const auto check = [&](const char* what, auto x, auto y) {
        if (x != y)
            out += std::string(what) + " " + std::to_string(x) + " / " + std::to_string(y) + "; ";
    };
    const auto checkTime = [&](const char* what, double x, double y) {
        if (!close(x, y))
            out += std::string(what) + " " + number(x) + " / " + number(y) + "; ";
    };
    check("structurallyValid", a.structurallyValid, b.structurallyValid);
    check("fits", a.fits, b.fits);
    checkTime("latency", a.latency, b.latency);
    checkTime("compute", a.compute, b.compute);
    checkTime("memory", a.memory, b.memory);
    checkTime("energy", a.energy, b.energy);
    check("load", a.loadElements, b.loadElements);
    check("store", a.storeElements, b.storeElements);
    check("peak", a.peakWorkingSet, b.peakWorkingSet);
    check("reserved", a.reserved, b.reserved);
    check("steps", a.steps, b.steps);
    check("rows", a.rows, b.rows);
    check("cols", a.cols, b.cols);
    check("computeBoundSteps", a.computeBoundSteps, b.computeBoundSteps);
    return out;
}

std::string describe(const Problem& p, const Subgraph& s, const Rules& r)
{
    std::string out = "\n";
    for (std::size_t i = 0; i < p.tensorCount(); ++i)
        out += "t" + std::to_string(i) + ": " + std::to_string(p.tensor(TensorId(i)).height) + "x" +
               std::to_string(p.tensor(TensorId(i)).width) + "  ";
    for (const OpId o : s.ops) {
        out +=
            std::string("\n op") + std::to_string(o.value) + (p.op(o).type == OpType::MatMul ? " MM" : " PW");
        for (const TensorId t : p.operands(o))
            out += " " + std::to_string(t.value) +
                   (p.map(t) ? " (" + std::string(mapKind(*p.map(t))) + " of " +
                                   std::to_string(p.stored(t).value) + ")"
                             : "");
        out += " -> " + std::to_string(p.op(o).output.value);
    }
    out += "\n w,h,k = " + std::to_string(s.granularity.w) + "," + std::to_string(s.granularity.h) + "," +
           std::to_string(s.granularity.k) + " " + std::string(traversalName(s.traversal.kind())) + " retain";
    for (const TensorId t : s.retain)
        out += " " + std::to_string(t.value);
    for (const RuleSwitch& w : ruleSwitches())
        if (w.get(r) != 0)
            out += std::string("\n ") + std::string(w.name) + "=" + std::string(ruleValue(r, w.name));
    return out;
}

} // namespace

class TestEvalForms : public QObject
{
    Q_OBJECT

    int m_inClosedForm = 0; ///< tilings that FastEvaluator was compared for

    void oneSubgraph(std::uint64_t seed, int maxOps, int& valid)
    {
        Source rnd(seed);
        const ProblemPtr p = random_cases::problem(rnd, maxOps);
        Rules r = random_cases::rules(rnd);
        if (rnd.chance(70))
            r.prologue = Rules::Prologue::Off;
        oneSubgraph(rnd, seed, p, r, maxOps, valid);
    }

    /// One connected subgraph that mostly passes R4, between random neighbours.
    void oneSubgraph(Source& rnd, std::uint64_t seed, const ProblemPtr& p, const Rules& r, int maxOps,
                     int& valid)
    {
        Subgraph s = random_cases::subgraph(
            rnd, *p, random_cases::connectedOps(rnd, *p, static_cast<std::size_t>(maxOps)));
        const Boundary b = boundaryOf(*p, s.ops);
        if (rnd.chance(90))
            std::erase_if(s.retain, [&](TensorId t) {
                return r.retainInputs == Rules::RetainInputs::Error &&
                       std::binary_search(b.inputs.begin(), b.inputs.end(), t);
            });
        std::vector<TensorId> resident;
        for (std::size_t t = 0; t < p->tensorCount(); ++t)
            if (rnd.chance(15))
                resident.emplace_back(t);

        if (r.retainInputs == Rules::RetainInputs::Carry) // R18: whatever is resident may stay
            for (const TensorId t : resident)
                if (!p->isView(t) && rnd.chance(50) && std::ranges::find(s.retain, t) == s.retain.end())
                    s.retain.push_back(t);

        const SubgraphEvaluation slow = evaluateSubgraphByTrace(*p, s, resident, r);
        const SubgraphPlan plan(*p, s.ops, r);
        const auto verify = [&](const SubgraphEvaluation& fast, const char* what) {
            const std::string d = difference(fast, slow);
            if (!d.empty())
                qWarning("%s", describe(*p, s, r).c_str());
            QVERIFY2(d.empty(), (std::string(what) + " seed " + std::to_string(seed) + ": " + d).c_str());
        };
        const SubgraphEvaluation fast = evaluate(plan, s.granularity, s.traversal, resident, s.retain);
        verify(fast, "fast");
        if (QTest::currentTestFailed() || !slow.structurallyValid)
            return;
        ++valid;
        if (s.traversal.kind() == TraversalKind::Custom || s.traversal.kind() == TraversalKind::Spiral)
            return;
        FastEvaluator evaluator;
        evaluator.prepare(plan, resident, s.retain);
        const TilingCost cost = evaluator.evaluate(s.granularity, s.traversal.kind());
        QVERIFY(!slow.fits || evaluator.firstTileFits(s.granularity));
        if (slow.rows * slow.cols == 1)
            QCOMPARE(evaluator.firstTileFits(s.granularity), slow.fits);
        m_inClosedForm += evaluator.hasClosedForm(s.granularity);
        using Verdict = TilingCost::Verdict;
        QCOMPARE(cost.verdict, slow.fits ? Verdict::Fits : Verdict::TooLarge);
        QVERIFY(!slow.fits || p->elementsOf(cost.peak) == slow.peakWorkingSet);
        QVERIFY(!slow.fits || (cost.latency == fast.latency && cost.energy == fast.energy));
        // Again, with what the engine knows from the other order, and with cut-offs.
        const TraversalKind other =
            s.traversal.kind() == TraversalKind::Snake ? TraversalKind::Column : TraversalKind::Snake;
        const TilingCost turned = evaluator.evaluate(s.granularity, other);
        const SubgraphEvaluation expected = evaluate(plan, s.granularity, other, resident, s.retain);
        QCOMPARE(turned.verdict, expected.fits ? Verdict::Fits : Verdict::TooLarge);
        QVERIFY(!expected.fits || turned.latency == expected.latency);
        QVERIFY(!cost.anyOrder || !expected.fits);
        if (slow.fits && slow.latency > 0) {
            QCOMPARE(evaluator.evaluate(s.granularity, s.traversal.kind(), slow.latency * 0.999).verdict,
                     Verdict::Cut);
            QCOMPARE(evaluator.evaluate(s.granularity, s.traversal.kind(), slow.latency * 1.001).latency,
                     fast.latency);
        }
    }

private slots:
    void singleSubgraphs()
    {
        int valid = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(12'000U) && !QTest::currentTestFailed(); ++seed)
            oneSubgraph(seed, 7, valid);
        QVERIFY(valid > test::drawnAtLeast(8000));
        QVERIFY(m_inClosedForm > test::drawnAtLeast(4000));
        qInfo("%d valid", valid);
    }

    /// R1.8, R1.9, R17, R18: maps, bits and energies, under rules that are often those of machines.
    void realSubgraphs()
    {
        int valid = 0, mapped = 0;
        constexpr std::uint64_t kCases = test::drawnCases(10'000);
        m_inClosedForm = 0;
        for (std::uint64_t seed = 0; seed < kCases && !QTest::currentTestFailed(); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::realProblem(rnd);
            mapped += p->hasMaps();
            oneSubgraph(rnd, seed, p, random_cases::realRules(rnd), 6, valid);
        }
        QVERIFY(valid > test::drawnAtLeast(6000));
        QVERIFY(mapped > test::drawnAtLeast(6000));
        QVERIFY(m_inClosedForm > test::drawnAtLeast(300));
        qInfo("%d valid, %d with maps, %d in closed form", valid, mapped, m_inClosedForm);
    }

    /// The same without maps: FastEngine's closed form.
    void realSubgraphsWithoutMaps()
    {
        int valid = 0;
        constexpr std::uint64_t kCases = test::drawnCases(6000);
        m_inClosedForm = 0;
        for (std::uint64_t seed = 0; seed < kCases && !QTest::currentTestFailed(); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::realProblem(rnd, 7, {.maps = false});
            oneSubgraph(rnd, seed, p, random_cases::realRules(rnd), 7, valid);
        }
        QVERIFY(valid > test::drawnAtLeast(3500));
        QVERIFY(m_inClosedForm > test::drawnAtLeast(2000));
        qInfo("%d valid, %d in closed form", valid, m_inClosedForm);
    }

    /// Tiles between the edges of an image have the same steps: they are walked once, and of the k steps
    /// within a place of the window two. The sums are those of the explaining form. With fewer steps to walk
    /// there is no answer.
    void equalTilesAreWalkedOnce_data()
    {
        QTest::addColumn<int>("images");
        QTest::addColumn<int>("layers");
        QTest::addColumn<qint64>("height");
        QTest::addColumn<qint64>("k");
        QTest::addColumn<int>("walked"); ///< of all steps
        QTest::newRow("one row of the image") << 1 << 1 << qint64(56) << qint64(64) << 28;
        QTest::newRow("two rows") << 1 << 1 << qint64(112) << qint64(16) << 61;
        QTest::newRow("two images, ragged rows") << 2 << 1 << qint64(84) << qint64(48) << 141;
        if (!test::kSanitized) { // many steps
            QTest::newRow("one channel a step") << 1 << 1 << qint64(112) << qint64(1) << 61;
            QTest::newRow("channels that end within a step") << 1 << 1 << qint64(112) << qint64(3) << 79;
            QTest::newRow("one channel a step, two layers") << 1 << 2 << qint64(56) << qint64(1) << 101;
        }
        QTest::newRow("two layers") << 1 << 2 << qint64(56) << qint64(64) << 46;
        QTest::newRow("three layers of two images") << 2 << 3 << qint64(112) << qint64(64) << 52;
    }

    void equalTilesAreWalkedOnce()
    {
        QFETCH(int, images);
        QFETCH(int, layers);
        QFETCH(qint64, height);
        QFETCH(qint64, k);
        QFETCH(int, walked);
        constexpr std::int64_t kSide = 56, kChannels = 64;
        Problem::Data data;
        data.hardware = {10'000'000, 20, 32, 32, {}};
        const auto tensor = [&](std::int64_t rows, std::int64_t cols) {
            data.tensors.push_back({cols, rows, {}});
            return TensorId(data.tensors.size() - 1);
        };
        WindowsMap map;
        map.n = images;
        map.h = map.w = kSide;
        map.channels = {0, kChannels};
        map.window = {3, 3};
        map.pad = {1, 1, 1, 1};
        TensorId x = tensor(images * kSide * kSide, kChannels);
        Subgraph s;
        for (int i = 0; i < layers; ++i) {
            const TensorId view = tensor(images * kSide * kSide, 9 * kChannels);
            data.views.push_back({view, {x}, map});
            const TensorId weights = tensor(9 * kChannels, kChannels);
            x = tensor(images * kSide * kSide, kChannels);
            s.ops.emplace_back(data.ops.size());
            data.ops.push_back({OpType::MatMul, {view, weights}, x, 700, {}});
        }
        s.granularity = {kChannels, height, k};
        const auto problem = Problem::build(std::move(data));
        QVERIFY(problem.hasValue());
        const SubgraphEvaluation slow = evaluateSubgraphByTrace(**problem, s, {}, Rules::machine());
        QVERIFY(slow.structurallyValid && slow.fits && slow.steps > 2 * walked);
        const SubgraphPlan plan(**problem, s.ops, Rules::machine());
        const auto within = [&](std::int64_t most) {
            FastEvaluator evaluator; // which knows no steps yet
            evaluator.prepare(plan, {}, {});
            return evaluator.evaluate(s.granularity, s.traversal.kind(),
                                      std::numeric_limits<double>::infinity(), {}, most);
        };
        QCOMPARE(within(walked - 1).verdict, TilingCost::Verdict::Unmodelled);
        QCOMPARE(within(walked).verdict, TilingCost::Verdict::Fits);
        QCOMPARE(within(walked).latency, slow.latency);
        const SubgraphEvaluation fast = evaluate(plan, s.granularity, s.traversal, {}, {});
        QVERIFY2(difference(fast, slow).empty(), difference(fast, slow).c_str());
        // Other orders and retained inputs, which change what a tile finds in fast memory.
        for (const TraversalKind kind : {TraversalKind::Snake, TraversalKind::Column, TraversalKind::Spiral})
            for (const bool keeps : {false, true}) {
                s.traversal = kind;
                s.retain.clear();
                if (keeps)
                    s.retain.emplace_back(0);
                const SubgraphEvaluation a = evaluateSubgraph(**problem, s, {}, Rules::machine());
                const SubgraphEvaluation b = evaluateSubgraphByTrace(**problem, s, {}, Rules::machine());
                QVERIFY2(a.structurallyValid && difference(a, b).empty(), difference(a, b).c_str());
            }
    }

    /// R1.8: windows that are clipped at one edge only, or that do not reach the last rows of an image, in
    /// runs of tiles that cross from one image to the next.
    void tilesAtTheEdgesOfImages_data()
    {
        QTest::addColumn<qint64>("rows"); ///< of an image, which is a column wide
        QTest::addColumn<QList<qint64>>("pad");
        QTest::addColumn<qint64>("height");
        QTest::newRow("cropped at the bottom, padded at the top")
            << qint64(6) << QList<qint64>{1, -1} << qint64(1);
        QTest::newRow("cropped at the bottom") << qint64(10) << QList<qint64>{0, -3} << qint64(2);
        QTest::newRow("cropped at the top") << qint64(12) << QList<qint64>{-2, 0} << qint64(1);
        QTest::newRow("padded at the bottom") << qint64(12) << QList<qint64>{0, 2} << qint64(1);
        QTest::newRow("padded at the top") << qint64(30) << QList<qint64>{2, 0} << qint64(3);
        QTest::newRow("no padding") << qint64(30) << QList<qint64>{0, 0} << qint64(2);
    }

    void tilesAtTheEdgesOfImages()
    {
        QFETCH(qint64, rows);
        QFETCH(QList<qint64>, pad);
        QFETCH(qint64, height);
        constexpr std::int64_t kImages = 3, kChannels = 6;
        WindowsMap map;
        map.n = kImages;
        map.h = rows;
        map.channels = {0, kChannels};
        map.window = {3, 1};
        map.pad = {pad[0], 0, pad[1], 0};
        const std::int64_t windows = kImages * map.outHeight();
        Problem::Data data;
        data.hardware = {1'000'000, 20, 32, 32, {}};
        data.tensors.push_back({kChannels, kImages * rows, {}});
        data.tensors.push_back({3 * kChannels, windows, {}});
        data.tensors.push_back({4, 3 * kChannels, {}});
        data.tensors.push_back({4, windows, {}});
        data.views.push_back({TensorId(1), {TensorId(0)}, map});
        data.ops.push_back({OpType::MatMul, {TensorId(1), TensorId(2)}, TensorId(3), 700, {}});
        const auto problem = Problem::build(std::move(data));
        QVERIFY2(problem.hasValue(), problem ? "" : problem.error().message.c_str());
        Subgraph s;
        s.ops = {OpId(0)};
        for (const std::int64_t w : {2, 4})
            for (const std::int64_t k : {1, 2, 4, 6, 18})
                for (const TraversalKind kind :
                     {TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                      TraversalKind::ColumnSnake, TraversalKind::Spiral}) {
                    s.granularity = {w, height, k};
                    s.traversal = kind;
                    const SubgraphEvaluation a = evaluateSubgraph(**problem, s, {}, Rules::machine());
                    const SubgraphEvaluation b = evaluateSubgraphByTrace(**problem, s, {}, Rules::machine());
                    QVERIFY(b.structurallyValid);
                    QVERIFY2(difference(a, b).empty(),
                             (difference(a, b) + describe(**problem, s, Rules::machine())).c_str());
                }
    }

    /// With too many tiles the first ones stand for all, and the result says so.
    void estimateFromTheFirstTiles()
    {
        Problem::Data data;
        data.hardware = {1'000'000, 20, 32, 32, {}};
        WindowsMap map;
        map.h = map.w = 40;
        map.window = {3, 3};
        map.pad = {1, 1, 1, 1};
        data.tensors.push_back({1, 1600, {}});
        data.tensors.push_back({9, 1600, {}});
        data.tensors.push_back({4, 9, {}});
        data.tensors.push_back({4, 1600, {}});
        data.views.push_back({TensorId(1), {TensorId(0)}, map});
        data.ops.push_back({OpType::MatMul, {TensorId(1), TensorId(2)}, TensorId(3), 700, {}});
        const auto problem = Problem::build(std::move(data));
        QVERIFY(problem.hasValue());
        const std::vector<OpId> ops{OpId(0)};
        const SubgraphPlan plan(**problem, ops, Rules::machine());
        const Granularity g{4, 1, 9};
        const SubgraphEvaluation exact = evaluate(plan, g, TraversalKind::Raster, {}, {});
        QVERIFY(exact.exact && exact.steps == 1600);
        const SubgraphEvaluation estimate = evaluate(plan, g, TraversalKind::Raster, {}, {}, 0);
        QVERIFY(!estimate.exact && estimate.structurallyValid);
        QCOMPARE(estimate.steps, exact.steps);
        QVERIFY(std::abs(estimate.latency - exact.latency) < 0.05 * exact.latency);
        QVERIFY(std::abs(estimate.loadElements - exact.loadElements) < 0.05 * exact.loadElements);
    }

    /// Found by longer runs: a whole sink donated to from a tile; an epilogue that is also an interior run.
    void regressions()
    {
        int valid = 0;
        for (const std::uint64_t seed : {22841, 41336})
            oneSubgraph(seed, 7, valid);
        oneSubgraph(3235, 40, valid);
        QCOMPARE(valid, 3);
    }

    /// Beyond the limits of the engine for small subgraphs.
    void largeSubgraphs()
    {
        int valid = 0;
        for (std::uint64_t seed = 0; seed < 200 && !QTest::currentTestFailed(); ++seed)
            oneSubgraph(seed, 40, valid);
        QVERIFY(valid > 80);
        qInfo("%d valid", valid);
    }

    /// Chains are not followed on the thread's stack: here it is smaller than 20,000 calls need.
    void deepChains_data()
    {
        QTest::addColumn<bool>("products");
        QTest::newRow("matrix products") << true;
        QTest::newRow("pointwise") << false;
    }

    void deepChains()
    {
        QFETCH(bool, products);
        constexpr std::size_t kOps = 20'000;
        Problem::Data data;
        data.hardware.fastMemoryCapacity = 100'000'000;
        data.hardware.nativeWidth = data.hardware.nativeHeight = 8;
        data.tensors.push_back({8, 8, {}});
        Subgraph s;
        for (std::size_t i = 0; i < kOps; ++i) {
            const TensorId before(i == 0 ? 0 : data.tensors.size() - 1);
            Op op{products ? OpType::MatMul : OpType::Pointwise, {before}, {}, 3, {}};
            if (products) {
                op.inputs.emplace_back(data.tensors.size());
                data.tensors.push_back({8, 8, {}});
            }
            op.output = TensorId(data.tensors.size());
            data.tensors.push_back({8, 8, {}});
            data.ops.push_back(std::move(op));
            s.ops.emplace_back(i);
        }
        s.granularity = {8, 8, 8};
        const auto problem = Problem::build(std::move(data));
        QVERIFY(problem.hasValue());
        SubgraphEvaluation fast;
        SubgraphEvaluation slow;
        TilingCost cost;
        const std::unique_ptr<QThread> thread(QThread::create([&] {
            fast = evaluateSubgraph(**problem, s, {}, {});
            slow = evaluateSubgraphByTrace(**problem, s, {}, {});
            CostModel model(**problem, {});
            if (model.compile(s.ops, {}))
                cost = model.evaluate(s.granularity, s.traversal.kind());
        }));
        thread->setStackSize(512 * 1024);
        thread->start();
        thread->wait();
        QVERIFY2(difference(fast, slow).empty(), difference(fast, slow).c_str());
        QVERIFY(slow.structurallyValid && slow.fits);
        QCOMPARE(slow.steps, std::int64_t{1});
        QCOMPARE(slow.compute, 3.0 * kOps);
        QCOMPARE(slow.loadElements, static_cast<std::int64_t>(products ? 64 * (kOps + 1) : 64));
        QVERIFY(cost.verdict == TilingCost::Verdict::Unmodelled || cost.latency == slow.latency);
    }

    void wholeSchedules_data()
    {
        QTest::addColumn<int>("viewPercent");
        QTest::addColumn<int>("cases");
        QTest::newRow("final, seed and single switches") << 0 << 12000;
        QTest::newRow("with views") << 20 << 10000;
    }

    void wholeSchedules()
    {
        QFETCH(int, viewPercent);
        QFETCH(int, cases);
        std::map<std::string, int> verdicts;
        for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(cases); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd, 7, viewPercent);
            const Schedule s = random_cases::schedule(rnd, *p);
            const Rules r = random_cases::rules(rnd);
            const Evaluation fast = evaluate(*p, s, r);
            const Evaluation slow = evaluateByTrace(*p, s, r);
            ++verdicts[slow.valid() ? "valid" : std::string(issueCodeName(slow.verdict()->code))];
            for (std::size_t i = 0; i < s.size(); ++i) {
                const std::string d = difference(fast.subgraphs[i], slow.subgraphs[i]);
                if (!d.empty())
                    qWarning("%s", describe(*p, s[SubgraphId(i)], r).c_str());
                QVERIFY2(
                    d.empty(),
                    ("seed " + std::to_string(seed) + " subgraph " + std::to_string(i) + ": " + d).c_str());
            }
            QVERIFY(fast.issues == slow.issues);
            QVERIFY(close(fast.total, slow.total));
        }
        // The cases are worth something only if they reach all of it.
        for (const char* verdict : {"valid", "OOM", "DEPENDENCY", "PROLOGUE", "TRAVERSAL", "OP_ORDER",
                                    "DISCONNECTED", "SUPERNATIVE", "K_TOO_LARGE", "RETAIN", "OUTPUT"})
            QVERIFY2(verdicts[verdict] > 10, verdict);
        for (const auto& [verdict, n] : verdicts)
            qInfo("%s: %d", verdict.c_str(), n);
    }
};

TILEWRIGHT_TEST(TestEvalForms)

} // namespace test_eval_forms
#include "test_eval_forms.moc"
