// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/array_timing.h"
#include "test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>
#include <random>

namespace test_systolic_timing {

using namespace tilewright;
using namespace tilewright::systolic;

namespace {

std::vector<nlohmann::json> oracle()
{
    std::ifstream in(TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/systolic/cases.jsonl");
    std::vector<nlohmann::json> out;
    for (std::string line; std::getline(in, line);)
        if (!line.empty())
            out.push_back(nlohmann::json::parse(line));
    return out;
}

/// The rules of docs/rules/systolic.md 1 fold by fold, without any closed form.
struct Slow
{
    std::vector<Fold> folds;
    std::int64_t stream = 0;
    std::int64_t total = 0;
};

Slow slowShadow(const Gemm& g, const ArrayShape& a, Dataflow d, int buffers)
{
    Slow s;
    const bool os = d == Dataflow::Os;
    const std::int64_t rowDim = os ? g.m : g.k;
    const std::int64_t colDim = d == Dataflow::Is ? g.m : g.n;
    s.stream = os ? g.k : d == Dataflow::Ws ? g.m : g.n;
    const std::int64_t outerDim = os ? rowDim : colDim;
    const std::int64_t innerDim = os ? colDim : rowDim;
    const std::int64_t outerStep = os ? a.rows : a.cols;
    const std::int64_t innerStep = os ? a.cols : a.rows;
    for (std::int64_t o = 0; o < outerDim; o += outerStep)
        for (std::int64_t i = 0; i < innerDim; i += innerStep) {
            Fold f;
            const std::int64_t outer = std::min(outerStep, outerDim - o);
            const std::int64_t inner = std::min(innerStep, innerDim - i);
            f.rows = os ? outer : inner;
            f.cols = os ? inner : outer;
            if (os)
                f.start = s.folds.empty() ? 0 : s.folds.back().start + s.stream;
            else if (s.folds.empty())
                f.start = f.rows;
            else if (buffers == 2)
                f.start = s.folds.back().start + std::max(s.stream, f.rows);
            else
                f.start =
                    s.folds.back().start + s.stream + s.folds.back().rows + s.folds.back().cols - 2 + f.rows;
            s.folds.push_back(f);
            s.total = std::max(s.total, f.start + s.stream + f.rows + f.cols - 2);
        }
    return s;
}

} // namespace

class TestSystolicTiming : public QObject
{
    Q_OBJECT
private slots:
    void oracleCases();
    void rule_1_1_oneTile();
    void rule_1_2_backToBack();
    void rule_1_2_readoutHiddenOnlyWhenKCoversTheRows();
    void rule_1_3_scaleSimDigitForDigit();
    void rule_1_6_paddingIsWhatRaggedFoldsLeaveIdle();
    void rule_1_4_closedFormEqualsFoldByFold();
    void rule_1_5_activityAndPhases();
    void rule_1_5_acceptance();
    void rule_9_refusals();
};

void TestSystolicTiming::oracleCases()
{
    const auto cases = oracle();
    QCOMPARE(cases.size(), std::size_t{150});
    for (const auto& c : cases) {
        const Gemm g{c["M"], c["N"], c["K"]};
        const ArrayShape a{c["rows"], c["cols"]};
        for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is}) {
            const auto& e = c["array"][std::string(dataflowName(d))];
            const ArrayTiming shadow = arrayTiming(g, a, {d, Readout::Shadow, 2});
            QCOMPARE(shadow.cycles, e["shadow"].get<std::int64_t>());
            QCOMPARE(shadow.folds, e["folds"].get<std::int64_t>());
            QCOMPARE(shadow.l2Elements, e["l2_elements"].get<std::int64_t>());
            QCOMPARE(arrayTiming(g, a, {d, Readout::Shadow, 1}).cycles,
                     e["shadow_single_buffer"].get<std::int64_t>());
            QCOMPARE(arrayTiming(g, a, {d, Readout::Shift, 2}).cycles, e["shift"].get<std::int64_t>());
            QCOMPARE(arrayTiming(g, a, {d, Readout::ScaleSim, 2}).cycles, e["scale-sim"].get<std::int64_t>());
        }
    }
}

void TestSystolicTiming::rule_1_1_oneTile()
{
    QCOMPARE(arrayTiming({16, 16, 64}, {16, 16}).cycles, 94);
    QCOMPARE(arrayTiming({5, 3, 7}, {16, 16}).cycles, 7 + 5 + 3 - 2);
}

void TestSystolicTiming::rule_1_2_backToBack()
{
    QCOMPARE(arrayTiming({32, 32, 64}, {16, 16}).cycles, 286);
    QCOMPARE(arrayTiming({64, 64, 64}, {16, 16}).cycles, 1054);
    // Tiles in m-outer, n-inner order: the ragged last tile does not end last when K is small.
    QCOMPARE(arrayTiming({17, 16, 2}, {16, 16}).cycles, std::max(2 + 30, 2 + 2 + 1 + 16 - 2));
}

void TestSystolicTiming::rule_1_2_readoutHiddenOnlyWhenKCoversTheRows()
{
    QVERIFY(arrayTiming({64, 64, 16}, {16, 16}).readoutHidden);
    QVERIFY(!arrayTiming({64, 64, 15}, {16, 16}).readoutHidden);
}

void TestSystolicTiming::rule_1_3_scaleSimDigitForDigit()
{
    const auto printed = [](Gemm g, ArrayShape a, Dataflow d) {
        return arrayTiming(g, a, {d, Readout::ScaleSim, 2}).cycles;
    };
    QCOMPARE(printed({64, 64, 64}, {16, 16}, Dataflow::Os), 1503);
    QCOMPARE(printed({64, 64, 64}, {16, 16}, Dataflow::Ws), 1759);
    QCOMPARE(printed({64, 64, 64}, {16, 16}, Dataflow::Is), 1759);
    QCOMPARE(printed({100, 37, 250}, {32, 8}, Dataflow::Os), 5759);
    QCOMPARE(printed({100, 37, 250}, {32, 8}, Dataflow::Ws), 6799);
    QCOMPARE(printed({100, 37, 250}, {32, 8}, Dataflow::Is), 11127);
}

void TestSystolicTiming::rule_1_4_closedFormEqualsFoldByFold()
{
    std::mt19937 rng(1);
    const auto pick = [&](int max) { return std::int64_t{1} + static_cast<std::int64_t>(rng() % max); };
    for (int round = 0; round < 3000; ++round) {
        const Gemm g{pick(70), pick(70), pick(70)};
        const ArrayShape a{pick(20), pick(20)};
        for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is})
            for (const int buffers : {1, 2}) {
                const Slow slow = slowShadow(g, a, d, buffers);
                const FoldPlan plan(g, a, {d, Readout::Shadow, buffers});
                QCOMPARE(plan.cycles(), slow.total);
                QCOMPARE(plan.folds(), static_cast<std::int64_t>(slow.folds.size()));
                for (std::size_t n = 0; n < slow.folds.size(); ++n) {
                    const Fold f = plan.fold(static_cast<std::int64_t>(n));
                    QCOMPARE(f.start, slow.folds[n].start);
                    QCOMPARE(f.rows, slow.folds[n].rows);
                    QCOMPARE(f.cols, slow.folds[n].cols);
                }
            }
    }
}

void TestSystolicTiming::rule_1_5_activityAndPhases()
{
    std::mt19937 rng(2);
    const auto pick = [&](int max) { return std::int64_t{1} + static_cast<std::int64_t>(rng() % max); };
    for (int round = 0; round < 400; ++round) {
        const Gemm g{pick(40), pick(40), pick(round % 2 ? 40 : 6)};
        const ArrayShape a{pick(9), pick(9)};
        const Dataflow d = std::array{Dataflow::Os, Dataflow::Ws, Dataflow::Is}[rng() % 3];
        const Readout r = std::array{Readout::Shadow, Readout::Shift, Readout::ScaleSim}[rng() % 3];
        const FoldPlan plan(g, a, {d, r, 1 + static_cast<int>(rng() % 2)});
        std::int64_t peak = 0;
        std::int64_t first = 0;
        std::int64_t last = 0;
        std::int64_t sum = 0;
        for (std::int64_t t = 0; t <= plan.cycles(); ++t) {
            std::int64_t active = 0;
            for (std::int64_t i = 0; i < a.rows; ++i)
                for (std::int64_t j = 0; j < a.cols; ++j)
                    active += plan.peAt(t, i, j).active;
            QCOMPARE(plan.activePesAt(t), active);
            sum += active;
            if (active > peak)
                peak = active, first = t;
            if (active == peak)
                last = t;
        }
        QCOMPARE(sum, macs(g));
        const auto from = static_cast<std::int64_t>(rng() % static_cast<std::uint32_t>(plan.cycles()));
        std::vector<std::int64_t> swept;
        plan.sweepActivity(from, plan.cycles(), swept);
        for (std::int64_t t = from; t < plan.cycles(); ++t)
            QCOMPARE(swept[static_cast<std::size_t>(t - from)], plan.activePesAt(t));
        const ArrayPhases p = plan.phases();
        QCOMPARE(p.peakPes, peak);
        QCOMPARE(p.fill, first);
        QCOMPARE(p.steady, last - first + 1);
        QCOMPARE(p.fill + p.steady + p.drain, plan.cycles() + (r == Readout::ScaleSim ? 1 : 0));
    }
    // Large sizes stay cheap and keep the same sum.
    const FoldPlan large({1 << 20, 1 << 19, 1 << 20}, {128, 128}, {});
    const ArrayPhases p = large.phases();
    QCOMPARE(p.fill, 254);
    QCOMPARE(p.fill + p.steady + p.drain, large.cycles());
    // Many folds in the array at once.
    const FoldPlan shallow({100'000, 100'000, 1}, {1024, 1024}, {});
    const ArrayPhases q = shallow.phases();
    QCOMPARE(q.fill + q.steady + q.drain, shallow.cycles());
    QCOMPARE(shallow.activePesAt(q.fill), q.peakPes);
    QVERIFY(shallow.activePesAt(q.fill - 1) < q.peakPes);
}

void TestSystolicTiming::rule_1_5_acceptance()
{
    const auto percent = [](Gemm g) { return std::round(arrayTiming(g, {16, 16}).utilization * 1000) / 10; };
    QCOMPARE(percent({16, 16, 64}), 68.1);
    QCOMPARE(percent({32, 32, 64}), 89.5);
    QCOMPARE(percent({64, 64, 64}), 97.2);
    QCOMPARE(arrayTiming({64, 64, 64}, {16, 16}).mappingEfficiency, 1.0);
    QCOMPARE(arrayTiming({8, 16, 64}, {16, 16}).mappingEfficiency, 0.5);
    const ArrayPhases one = FoldPlan({16, 16, 64}, {16, 16}).phases();
    QCOMPARE(one.fill, 30);
    QCOMPARE(one.steady, 34);
    QCOMPARE(one.drain, 30);
}

void TestSystolicTiming::rule_9_refusals()
{
    QVERIFY(!parseGemm("0x4x4"));
    QVERIFY(!parseGemm("-1x4x4"));
    QVERIFY(!parseGemm("4x4"));
    QVERIFY(!parseGemm("4x4x4x4"));
    QVERIFY(!parseGemm("4x4xq"));
    QVERIFY(!parseGemm("99999999999999999999x1x1"));
    QVERIFY(!parseGemm("2147483648x2147483648x2"));
    QVERIFY(parseGemm("1048576x524288x1048576")); // 2^59
    QVERIFY(!parseGemm("1048576x1048576x1048576"));
    QVERIFY(!parseArrayShape("16"));
    QVERIFY(!parseArrayShape("0x16"));
    QVERIFY(parseArrayShape("2048x4096"));
    QVERIFY(!parseDataflow("rs"));
    QVERIFY(!parseReadout(""));
}

/// Fold by fold: what its PEs without operands could do while the others stream.
void TestSystolicTiming::rule_1_6_paddingIsWhatRaggedFoldsLeaveIdle()
{
    const Gemm ragged{100, 37, 250};
    QCOMPARE(wholeFolds(ragged, {32, 8}, Dataflow::Os), (Gemm{128, 40, 250}));
    QCOMPARE(wholeFolds(ragged, {32, 8}, Dataflow::Ws), (Gemm{100, 40, 256}));
    QCOMPARE(wholeFolds(ragged, {32, 8}, Dataflow::Is), (Gemm{104, 37, 256}));
    QCOMPARE(paddedMacs(ragged, {32, 8}, Dataflow::Os), std::int64_t{128 * 40 * 250 - 100 * 37 * 250});
    QCOMPARE(paddedMacs({64, 64, 64}, {16, 16}, Dataflow::Ws), std::int64_t{0});
    std::mt19937 random(6); // NOLINT(cert-msc32-c,cert-msc51-cpp)
    const auto upTo = [&random](std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(1, most)(random);
    };
    for (int i = 0; i < 300; ++i) {
        const Gemm gemm{upTo(70), upTo(70), upTo(70)};
        const ArrayShape array{upTo(20), upTo(20)};
        for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is}) {
            const Slow slow = slowShadow(gemm, array, d, 2);
            std::int64_t idle = 0;
            for (const Fold& f : slow.folds)
                idle += (array.rows * array.cols - f.rows * f.cols) * slow.stream;
            QCOMPARE(paddedMacs(gemm, array, d), idle);
        }
    }
    // Larger than any number: the padding saturates, it does not wrap around.
    QVERIFY(paddedMacs({1, 1, std::int64_t{1} << 40}, {1 << 20, 1 << 20}, Dataflow::Os) > 0);
}

TILEWRIGHT_TEST(TestSystolicTiming)

} // namespace test_systolic_timing
#include "test_systolic_timing.moc"
