// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/notice.h"
#include "drawn_cases.h"
#include "oracle_reader.h"
#include "random_cases.h"
#include "test_main.h"

#include "eval/evaluator.h"
#include "eval/fast_evaluator.h"
#include "eval/lower_bound.h"
#include "eval/rule_choice.h"

#include <QtTest>

#include <nlohmann/json.hpp>

namespace test_eval_bound {

using namespace tilewright;
using oracle::exampleProblem;
using oracle::exampleSchedule;
using random_cases::Source;

namespace {

struct Shape
{
    std::int64_t height, width;
};

ProblemPtr make(std::vector<Shape> tensors, std::vector<Op> ops, Hardware hw)
{
    Problem::Data data;
    for (const Shape& s : tensors)
        data.tensors.push_back({s.width, s.height, {}});
    for (Op& op : ops)
        data.ops.push_back(std::move(op));
    data.hardware = hw;
    auto built = Problem::build(std::move(data));
    return built ? *built : nullptr;
}

std::vector<TensorId> ids(std::initializer_list<std::size_t> list)
{
    std::vector<TensorId> out;
    for (const std::size_t i : list)
        out.emplace_back(i);
    return out;
}

Op matmul(std::size_t lhs, std::size_t rhs, std::size_t out, std::int64_t cost)
{
    return {OpType::MatMul, ids({lhs, rhs}), TensorId(out), cost, {}};
}

Op pointwise(std::initializer_list<std::size_t> in, std::size_t out, std::int64_t cost)
{
    return {OpType::Pointwise, ids(in), TensorId(out), cost, {}};
}

} // namespace

class TestEvalBound : public QObject
{
    Q_OBJECT

private slots:
    /// Every valid schedule of the oracle files and of random problems is at least the bound.
    void noScheduleBeatsTheBound_data()
    {
        QTest::addColumn<int>("viewPercent");
        QTest::newRow("plain") << 0;
        QTest::newRow("with views") << 20;
    }
    void noScheduleBeatsTheBound()
    {
        QFETCH(int, viewPercent);
        int valid = 0;
        int tight = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(30'000U); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd, 7, viewPercent);
            const Schedule s = random_cases::schedule(rnd, *p);
            const Rules r = rnd.chance(50) ? Rules::final() : random_cases::rules(rnd);
            const Evaluation e = evaluate(*p, s, r);
            if (!e.valid())
                continue;
            const LowerBound b = lowerBound(*p, r);
            QVERIFY2(b.value <= e.total * (1 + 1e-12), std::to_string(seed).c_str());
            QVERIFY(b.value >= std::max(b.compute, b.memory) * (1 - 1e-12));
            ++valid;
            tight += e.total <= b.value * (1 + 1e-9);
        }
        QVERIFY(valid > test::drawnAtLeast(viewPercent > 0 ? 2500 : 5000));
        QVERIFY(tight > test::drawnAtLeast(100)); // it is reached, so it cannot be raised for free
        qInfo("%d valid, %d of them optimal by the bound", valid, tight);
    }

    /// R4.2 read as a limit of R4.3 only: a whole reduction in one step has strips that fit, and each tile
    /// pays for one of them. One MatMul, alone or with an epilogue, against every granularity, the preset
    /// orders and drawn ones.
    void wholeReductionsLoadStrips()
    {
        int stronger = 0, reached = 0, cases = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(1200U); ++seed) {
            Source rnd(seed);
            const std::size_t height = static_cast<std::size_t>(rnd.between(1, 7));
            const std::size_t width = static_cast<std::size_t>(rnd.between(1, 7));
            const std::size_t depth = static_cast<std::size_t>(rnd.between(1, 7));
            const auto shape = [](std::size_t h, std::size_t w) {
                return Shape{static_cast<std::int64_t>(h), static_cast<std::int64_t>(w)};
            };
            std::vector<Shape> tensors{shape(height, depth), shape(depth, width), shape(height, width)};
            std::vector<Op> ops{matmul(0, 1, 2, 0)};
            if (rnd.chance(30)) {
                tensors.push_back(shape(height, width));
                ops.push_back(pointwise({2}, 3, 0));
            }
            const Hardware hw{rnd.between(3, 40), 1, rnd.between(1, 5), rnd.between(1, 5), {}};
            const ProblemPtr p = make(tensors, ops, hw);
            Rules rules;
            if (rnd.chance(70))
                rules.kLimit = Rules::KLimit::Reduction;
            rules.prologue = static_cast<Rules::Prologue>(rnd.between(0, 2));
            Subgraph s;
            for (std::size_t o = 0; o < ops.size(); ++o)
                s.ops.emplace_back(o);
            double best = 1e300;
            for (std::int64_t w = 1; w <= hw.nativeWidth; ++w)
                for (std::int64_t h = 1; h <= hw.nativeHeight; ++h)
                    for (std::int64_t k = 1; k <= static_cast<std::int64_t>(depth); ++k) {
                        s.granularity = {w, h, k};
                        const std::int64_t rows = (tensors[2].height + h - 1) / h;
                        const std::int64_t cols = (tensors[2].width + w - 1) / w;
                        for (int order = 0; order < 10; ++order) {
                            s.traversal = order < 4 ? Traversal(static_cast<TraversalKind>(order))
                                                    : random_cases::traversal(rnd, rows, cols);
                            const SubgraphEvaluation e = evaluateSubgraph(*p, s, {}, rules);
                            if (e.structurallyValid && e.fits)
                                best = std::min(best, e.latency);
                        }
                    }
            if (best == 1e300)
                continue;
            // With two ops the schedule of one op after the other moves more.
            const double bound = lowerBound(*p, rules).memory;
            QVERIFY2(bound <= best * (1 + 1e-12), std::to_string(seed).c_str());
            const std::int64_t once = p->tensor(TensorId(0)).elements() + p->tensor(TensorId(1)).elements() +
                                      p->tensor(TensorId(2)).elements();
            ++cases;
            stronger += bound > static_cast<double>(once);
            reached += bound > static_cast<double>(once) && bound >= best * (1 - 1e-12);
        }
        qInfo("%d cases, %d with forced reloads, %d of them reached", cases, stronger, reached);
        QVERIFY(cases > test::drawnAtLeast(1000) && stronger > test::drawnAtLeast(400) &&
                reached > test::drawnAtLeast(100));
    }

    void oracleSchedulesAreAboveTheBound()
    {
        int valid = 0;
        for (const char* file : {"fuzz_cases.jsonl", "focus_cases.jsonl", "real_cases.jsonl"}) {
            for (const oracle::json& c : oracle::lines(file)) {
                const ProblemPtr p = oracle::problem(c["problem"]);
                for (const auto& [name, rules] :
                     {std::pair("final", Rules::final()), std::pair("seed", Rules::seed()),
                      std::pair("machine", Rules::machine())}) {
                    if (!c["expect"].contains(name) || !c["expect"][name]["valid"].get<bool>())
                        continue;
                    ++valid;
                    QVERIFY(lowerBound(*p, rules).value <=
                            c["expect"][name]["total"].get<double>() * (1 + 1e-9));
                }
            }
        }
        QVERIFY(valid > 500);
    }

    void partsOfExample1()
    {
        const LowerBound b = lowerBound(*exampleProblem("ex1"), Rules::final());
        QCOMPARE(b.parts.size(), std::size_t(1));
        QCOMPARE(b.parts[0].inputElements, std::int64_t(128 * 128));
        QCOMPARE(b.parts[0].outputElements, std::int64_t(128 * 128));
        QCOMPARE(b.value, 3276.8); // strategy 1B reaches it
    }

    /// A Pointwise whose MatMul reduces more than the native width cannot be fused with it: the two bounds
    /// add.
    void forbiddenPrologueSeparates()
    {
        const Hardware hw{1 << 20, 1, 16, 16, {}};
        const auto problem = [&](std::int64_t depth) {
            return make({{16, depth}, {16, depth}, {depth, 16}, {16, 16}},
                        {pointwise({0}, 1, 1000), matmul(1, 2, 3, 1)}, hw);
        };
        const LowerBound fusable = lowerBound(*problem(16), Rules::final());
        QCOMPARE(fusable.parts.size(), std::size_t(1));
        const LowerBound apart = lowerBound(*problem(32), Rules::final());
        QCOMPARE(apart.parts.size(), std::size_t(2));
        QCOMPARE(apart.value, 2000.0 + 32 * 16 + 16 * 16);
        QCOMPARE(lowerBound(*problem(32), Rules::seed()).parts.size(), std::size_t(1));
    }

    /// ... and when the tensor between them is too large to be retained it goes through slow memory.
    void tooLargeToRetainIsSpilled()
    {
        const Hardware hw{16 * 32, 1, 16, 16, {}};
        const ProblemPtr p =
            make({{16, 32}, {16, 32}, {32, 16}, {16, 16}}, {pointwise({0}, 1, 0), matmul(1, 2, 3, 0)}, hw);
        const LowerBound b = lowerBound(*p, Rules::final());
        QCOMPARE(b.parts.size(), std::size_t(2));
        QCOMPARE(b.parts[0].spilledElements, std::int64_t(16 * 32));
        QCOMPARE(b.parts[1].spilledElements, std::int64_t(16 * 32));
        Hardware larger = hw;
        larger.fastMemoryCapacity += 1;
        const ProblemPtr q = make({{16, 32}, {16, 32}, {32, 16}, {16, 16}},
                                  {pointwise({0}, 1, 0), matmul(1, 2, 3, 0)}, larger);
        QCOMPARE(lowerBound(*q, Rules::final()).parts[0].spilledElements, std::int64_t(0));
    }

    /// A sink is padded to whole native tiles, an op that can feed a MatMul's K axis is not.
    void paddingOnlyWhereItIsCertain()
    {
        const Hardware hw{1 << 20, 1000000, 16, 16, {}};
        const ProblemPtr sink = make({{20, 20}, {20, 20}}, {pointwise({0}, 1, 100)}, hw);
        QCOMPARE(lowerBound(*sink, Rules::final()).compute, 400.0);
        const ProblemPtr lhs = make({{20, 4}, {4, 12}, {20, 12}, {12, 20}, {20, 20}},
                                    {matmul(0, 1, 2, 100), matmul(2, 3, 4, 0)}, hw);
        QCOMPARE(lowerBound(*lhs, Rules::final()).compute, 100.0 * 2 * 12 / 16);
        QCOMPARE(lowerBound(*lhs,
                            [] {
                                Rules r;
                                r.kScaling = Rules::KScaling::Native;
                                return r;
                            }())
                     .compute,
                 100.0 * 2 * 12 / 16 * 4 / 16);
    }

    /// compute=array: every native tile of a sink fills and drains the array, once for each chunk of k.
    void arrayFillsAndDrains()
    {
        const Hardware hw{1 << 20, 1000000, 4, 4, {}};
        const ProblemPtr p = make({{8, 8}, {8, 8}, {8, 8}}, {matmul(0, 1, 2, 14)}, hw); // 14 = cyc(4, 4, 8)
        Rules rules;
        rules.compute = Rules::Compute::Array;
        QCOMPARE(lowerBound(*p, rules).compute, 8.0 * (4 + 4 + 4 - 2));
        rules.kLimit = Rules::KLimit::Reduction;
        QCOMPARE(lowerBound(*p, rules).compute, 4.0 * (8 + 4 + 4 - 2));
        Subgraph s;
        s.ops = {OpId(0)};
        s.granularity = {4, 4, 8};
        QCOMPARE(evaluateSubgraph(*p, s, {}, rules).compute, 56.0); // it is reached
        // Before another MatMul its columns may be cut as the other's k is: the bound is that of one run.
        const ProblemPtr chain =
            make({{8, 8}, {8, 8}, {8, 8}, {8, 8}, {8, 8}}, {matmul(0, 1, 2, 14), matmul(2, 3, 4, 0)}, hw);
        QCOMPARE(lowerBound(*chain, rules).compute, 2.0 * 2 * 8 + 2 * (4 - 2) + 8);
    }

    void autoRules()
    {
        const auto choose = [&](const char* problem, const char* solution) {
            const ProblemPtr p = exampleProblem(problem);
            return chooseRules(*p, exampleSchedule(solution));
        };
        QCOMPARE(choose("ex4", "ex4A_null").rules == Rules::seed(), true); // 8192 is reported
        QCOMPARE(choose("ex4", "ex4A_raster").rules == Rules::final(), true);
        QCOMPARE(choose("ex2_seed", "ex2A_seed").rules == Rules::seed(), true); // out of memory under final
        QCOMPARE(choose("ex5", "ex5A").rules == Rules::final(), true);          // under neither
        for (const char* which : {"ex1A", "ex1B", "ex1C"}) {
            const RulesChoice c = choose("ex1", which);
            QVERIFY(c.rules == Rules::final());
            QVERIFY(c.reason.find("both") != std::string::npos);
        }
        Schedule silent = exampleSchedule("ex4A_null");
        auto s = std::make_shared<Subgraph>(*silent.subgraphs[0]);
        s->reportedLatency.reset();
        silent.subgraphs[0] = s;
        QVERIFY(chooseRules(*exampleProblem("ex4"), silent).rules == Rules::final());
    }

    void rule_10_2_tolerance()
    {
        const ProblemPtr p = exampleProblem("ex4");
        Schedule s = exampleSchedule("ex4A_null");
        QVERIFY(!reportedLatenciesAgree(s, evaluate(*p, s, Rules::final())));
        const Evaluation seed = evaluate(*p, s, Rules::seed());
        for (const auto& [reported, agrees] :
             {std::pair(8192.009, true), {8192.011, false}, {8191.989, false}}) {
            auto changed = std::make_shared<Subgraph>(*s.subgraphs[0]);
            changed->reportedLatency = reported;
            s.subgraphs[0] = changed;
            QCOMPARE(reportedLatenciesAgree(s, seed), agrees);
        }
    }

    /// Missing and wrong latencies were accepted in silence.
    void rule_10_2_deviationsNameSubgraphAndNumbers()
    {
        const ProblemPtr p = exampleProblem("ex3");
        Schedule s = exampleSchedule("ex3C"); // two subgraphs: 1,638.4 and 3,000
        const Evaluation e = evaluate(*p, s, Rules::final());
        QCOMPARE(s.size(), 2U);
        QVERIFY(latencyDeviations(s, e).empty());
        const auto report = [&](std::size_t i, std::optional<double> latency) {
            auto changed = std::make_shared<Subgraph>(*s.subgraphs[i]);
            changed->reportedLatency = latency;
            s.subgraphs[i] = changed;
        };
        report(1, 20);
        QCOMPARE(latencyDeviations(s, e).size(), 1U);
        QCOMPARE(latencyDeviations(s, e)[0].subgraph, SubgraphId(1));
        QCOMPARE(latencyDeviations(s, e)[0].text, std::string("20 is reported, 3\u202f000 is computed"));
        report(0, std::nullopt);
        const auto both = latencyDeviations(s, e);
        QCOMPARE(both.size(), 2U);
        QVERIFY(!both[0].reported);
        QCOMPARE(both[0].text, std::string("none is reported, 1\u202f638.4 is computed"));
        report(1, 3000.04); // equal to one decimal
        QCOMPARE(latencyDeviations(s, e)[1].text, std::string("3000.04 is reported, 3000 is computed"));
        QStringList told;
        setNoticeHandler([&](const Error& what) { told << QString::fromStdString(what.text()); });
        noticeDeviations("s.json", both);
        noticeDeviations("t.json", std::span(both).last(1));
        noticeDeviations("u.json", {});
        setNoticeHandler({});
        QCOMPARE(told,
                 (QStringList{"s.json: subgraph_latencies: of subgraph 0, none is reported, 1\u202f638.4 "
                              "is computed; 1 other subgraph deviates",
                              "t.json: subgraph_latencies: of subgraph 1, 20 is reported, 3\u202f000 is "
                              "computed"}));
    }

    /// Only touched subgraphs are computed again, and the result is that of evaluate().
    void evaluatorRemembers()
    {
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd);
            const Rules r = random_cases::rules(rnd);
            Evaluator evaluator(p, r);
            Schedule s = random_cases::schedule(rnd, *p);
            for (int edit = 0; edit < 20; ++edit) {
                const Evaluation memo = evaluator.evaluate(s);
                const Evaluation plain = evaluate(*p, s, r);
                QVERIFY(memo.subgraphs == plain.subgraphs && memo.issues == plain.issues &&
                        memo.total == plain.total);
                auto& slot = s.subgraphs[static_cast<std::size_t>(
                    rnd.between(0, static_cast<std::int64_t>(s.size()) - 1))];
                slot = std::make_shared<const Subgraph>(random_cases::subgraph(rnd, *p, slot->ops));
            }
        }
        const ProblemPtr p = exampleProblem("ex3");
        const Schedule s = exampleSchedule("ex3A");
        Evaluator evaluator(p, Rules::final());
        (void)evaluator.evaluate(s);
        QCOMPARE(evaluator.computed(), std::int64_t(3));
        (void)evaluator.evaluate(s);
        QCOMPARE(evaluator.computed(), std::int64_t(3));
        Schedule edited = s;
        auto changed = std::make_shared<Subgraph>(*s.subgraphs[2]);
        changed->granularity.h = 64;
        edited.subgraphs[2] = changed;
        (void)evaluator.evaluate(edited);
        QCOMPARE(evaluator.computed(), std::int64_t(4));
    }
};

TILEWRIGHT_TEST(TestEvalBound)

} // namespace test_eval_bound
#include "test_eval_bound.moc"
