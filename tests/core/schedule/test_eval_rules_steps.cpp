// SPDX-License-Identifier: GPL-3.0-or-later
// One test for each rule of the schedule lens on what the steps do and cost (R6 to R10 and
// docs/rules/schedule.md 11), with numbers worked out by hand. Both forms of the evaluator are asked every
// time.
#include "eval_rules.h"
#include "test_main.h"

namespace test_eval_rules_steps {

using namespace tilewright;
using namespace tilewright::test;

class TestEvalRulesSteps : public QObject
{
    Q_OBJECT

private slots:
    // ---- R6 -------------------------------------------------------------------------------------------
    void rule_6_2_epilogueRunsInTheCompletingStep()
    {
        Graph g;
        const auto m = g.mm(g.tensor(4, 4), g.tensor(4, 4), 8);
        const auto bias = g.tensor(4, 4);
        g.pw({m, bias}, 5);
        const auto steps = trace(g, sub({0, 1}, {4, 4, 2}));
        QCOMPARE(steps.size(), std::size_t(2));
        QCOMPARE(steps[0].compute, 4.0);
        QVERIFY(!buffer(steps[0], bias, Role::Pointwise));
        QCOMPARE(steps[1].compute, 4.0 + 5);
        QVERIFY(buffer(steps[1], bias, Role::Pointwise));
    }
    void rule_6_3_slicesOfAMatMul()
    {
        Graph g;
        const auto a = g.tensor(8, 6);
        const auto b = g.tensor(6, 8);
        g.mm(a, b);
        const auto steps = trace(g, sub({0}, {2, 4, 3}, {}, Traversal::custom({5, 0, 1, 2, 3, 4, 6, 7})));
        QCOMPARE(buffer(steps[1], a, Role::Lhs)->rect, (Rect{4, 8, 3, 6}));
        QCOMPARE(buffer(steps[1], b, Role::Rhs)->rect, (Rect{3, 6, 2, 4}));
    }
    void rule_6_5_interiorOnExactlyTheNeededRectangle()
    {
        Graph g; // example 5B in small
        const auto a = g.tensor(4, 4);
        const auto b = g.tensor(4, 4);
        const auto ab = g.mm(a, b, 20);
        g.mm(ab, g.tensor(4, 4), 20);
        const auto steps = trace(g, sub({0, 1}, {4, 4, 1}));
        QCOMPARE(steps.size(), std::size_t(4));
        QCOMPARE(steps[1].runs[1].rect, (Rect{0, 4, 1, 2}));
        QVERIFY(buffer(steps[1], a, Role::Lhs)->full);
        QCOMPARE(buffer(steps[1], b, Role::Rhs)->rect, (Rect{0, 4, 1, 2}));
        QCOMPARE(steps[1].compute, 20.0 / 4 + 20.0 / 4);
    }
    void rule_6_6_oneRunAndOneRequestPerStep()
    {
        Graph g; // two sinks that need the same interior tile
        const auto x = g.tensor(4, 4);
        const auto y = g.pw({x}, 10);
        g.pw({y, x}, 1);
        g.pw({y, x}, 1);
        const auto steps = trace(g, sub({0, 1, 2}, {4, 4, 1}));
        QCOMPARE(steps[0].runs.size(), std::size_t(3));
        QCOMPARE(steps[0].compute, 12.0);
        QCOMPARE(steps[0].loadElements, std::int64_t(16));
    }
    void rule_6_6_kindsOfTheFirstRequest()
    {
        // y is requested whole by its epilogue sink (spatial: 10 a run) and whole as an LHS (K: 10 x 2 / 4).
        Graph g;
        const auto x = g.tensor(4, 2);
        const auto y = g.pw({x}, 10);
        g.pw({y});
        g.mm(y, g.tensor(2, 4));
        QCOMPARE(trace(g, sub({0, 1, 2}, {4, 4, 2}))[0].compute, 10.0);
        QCOMPARE(trace(g, sub({0, 2, 1}, {4, 4, 2}))[0].compute, 5.0);
        QCOMPARE(run(g, {sub({0, 2, 1}, {4, 4, 2})}).subgraphs[0].compute, 5.0);
    }

    // ---- R7 -------------------------------------------------------------------------------------------
    void rule_7_1_wholeTensorsShareOneBuffer()
    {
        Graph g;
        const auto x = g.tensor(4, 4);
        g.mm(x, x);
        const auto steps = trace(g, sub({0}, {4, 4, 4})); // whole as LHS and as RHS
        QCOMPARE(steps[0].buffers.size(), std::size_t(1));
        QCOMPARE(steps[0].loadElements, std::int64_t(16));
        // k = 2: two partial requests in different roles do not share (R9.8)
        const auto split = trace(g, sub({0}, {4, 4, 2}));
        QCOMPARE(split[0].buffers.size(), std::size_t(2));
        QCOMPARE(split[0].loadElements, std::int64_t(16));
    }
    void rule_7_1_partsOfAResidentWhole()
    {
        // The inner MatMul needs x whole as its LHS and k columns of it as its RHS: FULL(x) serves both.
        Graph g;
        const auto x = g.tensor(4, 4);
        g.mm(g.mm(x, x), g.tensor(4, 4));
        const auto steps = trace(g, sub({0, 1}, {4, 4, 2}));
        QCOMPARE(steps[0].buffers.size(), std::size_t(2)); // FULL(x) and rows of the outer RHS
        QVERIFY(steps[0].buffers[0].full);
        QCOMPARE(steps[0].loadElements, std::int64_t(16 + 8));
        QVERIFY(!steps[1].buffers[0].loaded);
    }
    void rule_7_2_onlyThePreviousStepIsRemembered()
    {
        Graph g;
        const auto a = g.tensor(8, 4);
        g.mm(a, g.tensor(4, 8));
        const auto load = [&](std::vector<std::int64_t> order) {
            return run(g, {sub({0}, {4, 4, 4}, {}, Traversal::custom(std::move(order)))})
                .subgraphs[0]
                .loadElements;
        };
        QCOMPARE(load({0, 1, 3, 2}), std::int64_t(5 * 16));
        QCOMPARE(load({0, 3, 1, 2}), std::int64_t((2 + 2 + 1 + 2) * 16));
    }
    void rule_7_4_storesOnCompletion()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        const auto out = g.mm(a, g.tensor(4, 4));
        const auto steps = trace(g, sub({0}, {4, 4, 2}));
        QCOMPARE(steps[0].storeElements, std::int64_t(0));
        QCOMPARE(steps[1].storeElements, std::int64_t(16));
        QCOMPARE(trace(g, sub({0}, {4, 4, 2}, {out}))[1].storeElements, std::int64_t(0));
    }
    void rule_7_5_memoryTime()
    {
        Graph g;
        g.data.hardware.slowMemoryBandwidth = 10;
        g.pw({g.tensor(4, 4)});
        QCOMPARE(trace(g, sub({0}, {4, 4, 1}))[0].memory, 3.2);
    }

    // ---- R8 -------------------------------------------------------------------------------------------
    void rule_8_spatialAxesArePadded()
    {
        Graph g;
        g.pw({g.tensor(8, 8)}, 10);
        QCOMPARE(run(g, {sub({0}, {2, 2, 1})}).subgraphs[0].compute, 160.0);
        QCOMPARE(run(g, {sub({0}, {4, 4, 1})}).subgraphs[0].compute, 40.0);
    }
    void rule_8_reductionAxesCostTheirExtent()
    {
        Graph g;
        const auto a = g.tensor(4, 12);
        g.mm(g.mm(a, g.tensor(12, 12), 20), g.tensor(12, 4), 0);
        // Inner runs on 4 x k slices: 20 x k / 4 each, three times over K = 12; whole K each time.
        const auto steps = trace(g, sub({0, 1}, {4, 4, 3}));
        QCOMPARE(steps.size(), std::size_t(4));
        QCOMPARE(steps[0].compute, 15.0);
    }
    void rule_8_depth()
    {
        Graph g;
        const auto a = g.tensor(4, 5);
        g.mm(a, g.tensor(5, 4), 10);
        const auto full = trace(g, sub({0}, {4, 4, 4}));
        QCOMPARE(full[0].compute, 8.0);
        QCOMPARE(full[1].compute, 2.0); // the last chunk is shorter and costs less
        const auto native = trace(g, sub({0}, {4, 4, 4}), {}, with("k_scaling", "native"));
        QCOMPARE(native[0].compute, 10.0);
        QCOMPARE(native[1].compute, 2.5);
    }
    void rule_8_1_repeatedInteriorSlices()
    {
        Graph g; // inner rows of a tile are needed for both column tiles
        const auto a = g.tensor(4, 4);
        g.mm(g.mm(a, g.tensor(4, 4), 20), g.tensor(4, 8), 0);
        QCOMPARE(run(g, {sub({0, 1}, {4, 4, 4})}).subgraphs[0].compute, 20.0);
        QCOMPARE(run(g, {sub({0, 1}, {4, 4, 4})}, with("ephemeral", "strict")).subgraphs[0].compute, 40.0);
        const auto steps = trace(g, sub({0, 1}, {4, 4, 4}));
        QVERIFY(!steps[0].runs[1].repeated);
        QVERIFY(steps[1].runs[1].repeated);
        QCOMPARE(steps[1].buffers.size(), std::size_t(3)); // its inputs are still requested
    }
    void rule_8_2_cyclesOfAnArray()
    {
        const Rules rules = with("compute", "array");
        Graph g; // cyc(4, 4, 5) = 5 + 4 + 4 - 2 = 11 is the base cost: times are cycles
        const auto a = g.tensor(6, 5);
        g.mm(a, g.tensor(5, 4), 11);
        const auto steps = trace(g, sub({0}, {4, 4, 4}), {}, rules);
        QCOMPARE(steps.size(), std::size_t(4));
        QCOMPARE(steps[0].compute, 10.0); // each chunk of k fills and drains
        QCOMPARE(steps[1].compute, 7.0);
        QCOMPARE(steps[2].compute, 8.0); // two rows are left: less to fill, no padding
        QCOMPARE(steps[3].compute, 5.0);
        QCOMPARE(run(g, {sub({0}, {4, 4, 4})}, rules).subgraphs[0].compute, 30.0);
        Rules wide = rules; // 6 rows are two folds of one run: 2 x 5 + 4 + 4 - 2
        wide.superNative = Rules::SuperNative::Ceil;
        QCOMPARE(run(g, {sub({0}, {4, 6, 5})}, wide).subgraphs[0].compute, 16.0);
        // Whatever the kinds of axes: the inner one runs on 4 x 3 slices with its whole K of 12.
        Graph chain;
        const auto b = chain.tensor(4, 12);
        chain.mm(chain.mm(b, chain.tensor(12, 12), 18), chain.tensor(12, 4), 0);
        QCOMPARE(trace(chain, sub({0, 1}, {4, 4, 3}), {}, rules)[0].compute, 12.0 + 4 + 3 - 2);
        Graph p; // a Pointwise costs as ever
        p.pw({p.tensor(6, 6)}, 10);
        QCOMPARE(run(p, {sub({0}, {4, 4, 1})}, rules).subgraphs[0].compute, 40.0);
        Graph relative; // other base costs are shares of a whole native tile
        const auto c = relative.tensor(4, 5);
        relative.mm(c, relative.tensor(5, 4), 22);
        QCOMPARE(trace(relative, sub({0}, {4, 4, 4}), {}, rules)[1].compute, 14.0);
    }

    // ---- R9 -------------------------------------------------------------------------------------------
    void rule_9_1_workingSetAndEquality()
    {
        Graph g;
        const auto a = g.tensor(4, 8);
        g.mm(a, g.tensor(8, 4));
        const auto steps = trace(g, sub({0}, {4, 4, 2}));
        QCOMPARE(steps[0].workingSet, std::int64_t(8 + 8 + 16)); // the accumulator from the first step on
        g.data.hardware.fastMemoryCapacity = 32;
        VERDICT(run(g, {sub({0}, {4, 4, 2})}), "valid"); // equality is allowed
        g.data.hardware.fastMemoryCapacity = 31;
        const Evaluation e = run(g, {sub({0}, {4, 4, 2})});
        VERDICT(e, "OOM 0");
        QCOMPARE(e.verdict()->need, std::int64_t(32));
        QCOMPARE(e.verdict()->have, std::int64_t(31));
        QVERIFY(e.subgraphs[0].structurallyValid && !e.subgraphs[0].fits);
    }
    void rule_9_1_a_residentAndRetainedInFull()
    {
        Graph g;
        const auto a = g.tensor(8, 8);
        const auto b = g.pw({a});
        g.pw({b});
        const Evaluation e = run(g, {sub({0}, {4, 4, 1}, {b}), sub({1}, {4, 4, 1})});
        QCOMPARE(e.subgraphs[0].peakWorkingSet, std::int64_t(64 + 16));
        QCOMPARE(e.subgraphs[0].reserved, std::int64_t(64));
        QCOMPARE(e.subgraphs[1].peakWorkingSet, std::int64_t(64 + 16));
    }
    void rule_9_1_d_accumulatorsBehindAnEpilogue()
    {
        Graph g;
        const auto x = g.tensor(4, 4);
        const auto m = g.mm(x, g.tensor(4, 4));
        g.pw({m});
        g.pw({m});
        const auto one = trace(g, sub({0, 1}, {4, 4, 2}, {m}));
        QCOMPARE(one[0].accumulatorElements, std::int64_t(16));
        QCOMPARE(trace(g, sub({0, 1}, {4, 4, 4}, {m}))[0].accumulatorElements, std::int64_t(0)); // n = 1
        const auto shared = trace(g, sub({0, 1, 2}, {4, 4, 2}));
        QCOMPARE(shared[0].accumulatorElements, std::int64_t(16)); // charged once
        QCOMPARE(shared[0].outputElements, std::int64_t(32));
        Graph two; // an exhausted driver stays charged
        two.pw({two.mm(two.tensor(4, 8), two.tensor(8, 4)), two.mm(two.tensor(4, 2), two.tensor(2, 4))});
        const auto steps = trace(two, sub({0, 1, 2}, {4, 4, 2}));
        QCOMPARE(steps[3].accumulatorElements, std::int64_t(32));
    }
    void rule_9_2_interiorOccupiesNothing()
    {
        Graph g;
        const auto b = g.pw({g.tensor(4, 4)});
        g.pw({b});
        QCOMPARE(run(g, {sub({0, 1}, {4, 4, 1})}).subgraphs[0].peakWorkingSet, std::int64_t(32));
        QCOMPARE(run(g, {sub({0, 1}, {4, 4, 1}, {b})}).subgraphs[0].peakWorkingSet, std::int64_t(48));
    }
    void rule_9_3_unreadResidentsCount()
    {
        Graph g;
        const auto b = g.pw({g.tensor(8, 8)});
        g.pw({g.tensor(4, 4)});
        g.pw({b});
        const Evaluation e = run(g, {sub({0}, {4, 4, 1}, {b}), sub({1}, {4, 4, 1}), sub({0, 2}, {4, 4, 1})});
        VERDICT(e, "valid");
        QCOMPARE(e.subgraphs[1].peakWorkingSet, std::int64_t(64 + 32));
    }
    void rule_9_4_retainedOutputFromTheFirstStep()
    {
        Graph g;
        const auto b = g.pw({g.tensor(8, 8)});
        for (const Step& s : trace(g, sub({0}, {4, 4, 1}, {b})))
            QCOMPARE(s.workingSet, std::int64_t(64 + 16));
    }
    void rule_9_5_separateAccumulator()
    {
        Graph g;
        g.pw({g.mm(g.tensor(4, 4), g.tensor(4, 4))});
        const auto steps = trace(g, sub({0, 1}, {4, 4, 2}));
        QCOMPARE(steps[0].workingSet, std::int64_t(8 + 8 + 16 + 16));
    }
    void rule_9_6_donation()
    {
        Graph g;
        const auto a = g.tensor(8, 4);
        const auto b = g.tensor(8, 4);
        g.pw({a, b});
        QCOMPARE(run(g, {sub({0}, {4, 4, 1})}).subgraphs[0].peakWorkingSet, std::int64_t(48));
        QCOMPARE(run(g, {sub({0}, {4, 4, 1})}, with("donation", "yes")).subgraphs[0].peakWorkingSet,
                 std::int64_t(32));
        // A donated buffer is forgotten: x, whole in both steps, is loaded twice.
        Graph f;
        const auto x = f.tensor(4, 4);
        const auto y = f.tensor(8, 4);
        f.pw({x});
        f.mm(y, x);
        const Subgraph s = sub({0, 1}, {4, 4, 4});
        QCOMPARE(run(f, {s}).subgraphs[0].loadElements, std::int64_t(16 + 32));
        QCOMPARE(run(f, {s}, with("donation", "yes")).subgraphs[0].loadElements, std::int64_t(32 + 32));
    }
    void rule_9_7_retainedInputs()
    {
        Graph g;
        const auto x = g.tensor(8, 4);
        g.mm(x, g.tensor(4, 8));
        g.pw({x});
        const Rules allow = with("retain_inputs", "allow");
        const Traversal column(TraversalKind::Column);
        const Evaluation e = run(g, {sub({0}, {4, 4, 4}, {x}, column), sub({1}, {4, 4, 1})}, allow);
        VERDICT(e, "valid");
        QCOMPARE(e.subgraphs[0].loadElements,
                 std::int64_t(32 + 32)); // x once, although every tile changes its rows
        QCOMPARE(e.subgraphs[0].peakWorkingSet, std::int64_t(32 + 16 + 16));
        QCOMPARE(e.subgraphs[1].loadElements, std::int64_t(0));
        // It may be listed again and stays.
        const Evaluation again =
            run(g, {sub({0}, {4, 4, 4}, {x}), sub({1}, {4, 4, 1}, {x}), sub({1}, {4, 4, 1})}, allow);
        QCOMPARE(again.subgraphs[2].loadElements, std::int64_t(0));
    }
    void rule_9_8_partialOverlapsAreSeparate()
    {
        Graph g;
        const auto x = g.tensor(8, 8);
        g.mm(x, x);
        const auto steps = trace(g, sub({0}, {4, 4, 4}));
        QCOMPARE(steps[0].loadElements, std::int64_t(32));
        QCOMPARE(steps[0].workingSet, std::int64_t(48));
    }

    // ---- R10 ------------------------------------------------------------------------------------------
    void rule_10_1_maxPerStep()
    {
        Graph g;
        const auto m = g.mm(g.tensor(4, 4), g.tensor(4, 4), 40);
        (void)m;
        // Step 0: compute 20, loads 16. Step 1: compute 20, loads 16 and stores 16.
        const Evaluation e = run(g, {sub({0}, {4, 4, 2})});
        QCOMPARE(e.total, 20.0 + 32.0);
        QCOMPARE(e.subgraphs[0].compute, 40.0);
        QCOMPARE(e.subgraphs[0].memory, 48.0);
        QCOMPARE(e.subgraphs[0].bound, Bound::Memory);
        QCOMPARE(e.subgraphs[0].computeBoundSteps, std::int64_t(1));
    }
    void rule_10_3_exactInManySteps()
    {
        // 10^12 tiles of 0.1: a sum step by step would be off by more than 1e-9.
        Graph g;
        g.data.hardware = {1 << 30, 10, 1, 1, {}};
        g.pw({g.tensor(1'000'000, 1'000'000)});
        const ProblemPtr p = g.build();
        const SubgraphEvaluation e = evaluateSubgraph(*p, sub({0}, {1, 1, 1}), {}, Rules::final());
        QCOMPARE(e.steps, std::int64_t(1'000'000'000'000));
        QVERIFY(std::abs(e.latency - 2e11) <= 2e11 * 1e-14);
        QCOMPARE(e.loadElements, std::int64_t(1'000'000'000'000));
    }
    void rule_10_3_sumsSaturate()
    {
        Graph g;
        g.data.hardware = {1 << 30, 1, 1, 1, {}};
        const auto a = g.tensor(std::int64_t(1) << 31, 1 << 20);
        g.mm(a, g.tensor(1 << 20, std::int64_t(1) << 29));
        const SubgraphEvaluation e = evaluateSubgraph(*g.build(), sub({0}, {1, 1, 1}), {}, Rules::final());
        QVERIFY(e.structurallyValid);
        QCOMPARE(e.loadElements, std::numeric_limits<std::int64_t>::max());
        QVERIFY(e.latency > 1e23);
    }
    void rule_10_3_estimateInsteadOfAVeryLongWalk()
    {
        // The inner product is LHS and RHS of the outer one, so tiles and k steps meet.
        const auto squares = [](std::int64_t size) {
            Graph g;
            g.data.hardware = {1 << 30, 10, 64, 64, {}};
            const auto x = g.mm(g.tensor(size, size), g.tensor(size, size), 1);
            g.mm(x, x, 1);
            return g.build();
        };
        const ProblemPtr small = squares(24);
        const Subgraph s = sub({0, 1}, {1, 1, 1});
        const SubgraphEvaluation exact = evaluateSubgraph(*small, s, {}, Rules::final());
        QVERIFY(exact.exact && exact == evaluateSubgraphByTrace(*small, s, {}, Rules::final()));
        const SubgraphEvaluation estimate = evaluateSubgraph(*squares(2048), s, {}, Rules::final());
        QVERIFY(!estimate.exact && estimate.structurallyValid);
        QCOMPARE(estimate.steps, std::int64_t(2048) * 2048 * 2048);
    }
    void rule_10_4_orderOfVerdicts()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        const auto b = g.pw({a});
        g.pw({b});
        g.pw({a});
        g.data.hardware.fastMemoryCapacity = 8;
        // TRAVERSAL, DEPENDENCY and OOM in one subgraph; COVERAGE and OUTPUT after it.
        const Evaluation e = run(g, {sub({1}, {4, 4, 1}, {}, Traversal::custom({1}))});
        VERDICT(e, "TRAVERSAL 0");
        QStringList codes;
        for (const Issue& i : e.issues)
            codes << QString::fromStdString(std::string(issueCodeName(i.code)));
        QCOMPARE(codes.join(QLatin1Char(' ')),
                 QStringLiteral("TRAVERSAL DEPENDENCY COVERAGE COVERAGE OUTPUT"));
        VERDICT(run(g, {sub({1}, {4, 4, 1})}), "DEPENDENCY 0");
        VERDICT(run(g, {sub({0}, {4, 4, 1}), sub({1}, {5, 4, 1})}),
                "OOM 0"); // an earlier subgraph comes first
    }

    // ---- docs/rules/schedule.md 11 --------------------------------------------------------------------
    void rule_11_switches()
    {
        QCOMPARE(ruleSetName(Rules::final()), std::string_view("final"));
        QCOMPARE(ruleSetName(Rules::seed()), std::string_view("seed"));
        QCOMPARE(ruleSetTitle(Rules::seed()), std::string_view("contest first statement"));
        Rules r;
        for (const RuleSwitch& s : ruleSwitches()) {
            QCOMPARE(ruleValue(Rules::final(), s.name), s.finalValue());
            QCOMPARE(ruleValue(Rules::seed(), s.name), s.seedValue);
            for (const std::string_view value : s.values().subspan(1)) {
                QVERIFY(setRule(r, std::string(s.name) + "=" + std::string(value)).hasValue());
                QCOMPARE(ruleValue(r, s.name), value);
                QCOMPARE(ruleSetName(r), std::string_view("custom"));
            }
            QVERIFY(setRule(r, s.name, s.finalValue()).hasValue());
            QVERIFY(r == Rules::final());
            const Status bad = setRule(r, s.name, "maybe");
            for (const std::string_view value : s.values())
                QVERIFY(!bad && bad.error().text().find(value) != std::string::npos);
        }
        QVERIFY(!setRule(r, "nonsense", "yes"));
        QVERIFY(!setRule(r, "donation"));
    }
};

TILEWRIGHT_TEST(TestEvalRulesSteps)

} // namespace test_eval_rules_steps
#include "test_eval_rules_steps.moc"
