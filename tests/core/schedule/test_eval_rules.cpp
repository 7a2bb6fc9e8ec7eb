// SPDX-License-Identifier: GPL-3.0-or-later
// One test for each rule of the schedule lens on what may be asked for (R1 to R5), with numbers worked
// out by hand. Both forms of the evaluator are asked every time.
#include "eval/lower_bound.h"
#include "eval_rules.h"
#include "test_main.h"

namespace test_eval_rules {

using namespace tilewright;
using namespace tilewright::test;

class TestEvalRules : public QObject
{
    Q_OBJECT

private slots:
    // ---- R1 -------------------------------------------------------------------------------------------
    void rule_1_4_shapesAndProducers()
    {
        Graph g;
        const auto a = g.tensor(4, 8);
        const auto b = g.tensor(4, 8);
        g.mm(a, b); // width of the LHS is not the height of the RHS
        QVERIFY(!Problem::build(g.data));
        Graph twice;
        const auto x = twice.tensor(4, 4);
        twice.mm(x, x); // the same tensor twice is fine
        QVERIFY(Problem::build(twice.data).hasValue());
    }
    void rule_1_5_untouchedTensorIsNoOutput()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        g.tensor(9, 9);
        const auto out = g.pw({a});
        const ProblemPtr p = g.build();
        QCOMPARE(p->graphOutputs(), std::vector<TensorId>{TensorId(out)});
        VERDICT(run(g, {sub({0}, {4, 4, 1})}), "valid");
    }
    void rule_1_6_nativeK()
    {
        Graph g;
        const auto a = g.tensor(4, 16);
        const auto b = g.tensor(16, 4);
        g.mm(a, b);
        g.data.hardware.nativeWidth = 8;
        VERDICT(run(g, {sub({0}, {4, 4, 8})}), "valid"); // the native width without a third entry
        VERDICT(run(g, {sub({0}, {4, 4, 9})}), "SUPERNATIVE 0");
        g.data.hardware.nativeDepth = 3;
        VERDICT(run(g, {sub({0}, {4, 4, 4})}), "SUPERNATIVE 0");
    }

    void rule_1_7_aViewIsThereWhenItsBasesAre()
    {
        Graph g; // a -> b, c; v is a view of b and c, read like an input of its own size
        const auto a = g.tensor(4, 4);
        const auto b = g.pw({a});
        const auto c = g.pw({a});
        const auto v = g.tensor(8, 2);
        g.view(v, {b, c});
        g.pw({v});
        const Granularity tile{4, 4, 1};
        const Evaluation e = run(g, {sub({0, 1}, tile), sub({2}, {2, 4, 1})});
        VERDICT(e, "valid"); // b and c are consumed: no outputs of the graph
        QCOMPARE(e.subgraphs[1].loadElements, std::int64_t(16));
        QCOMPARE(e.subgraphs[0].storeElements, std::int64_t(32));
        // Only what was in slow memory before the subgraph counts: not what it computes itself, ...
        VERDICT(run(g, {sub({0}, tile), sub({1}, tile), sub({2}, {2, 4, 1})}), "valid");
        VERDICT(run(g, {sub({0}, tile), sub({2}, {2, 4, 1}), sub({1}, tile)}), "DEPENDENCY 1");
        // ... not what is resident (R3.3), ...
        VERDICT(run(g, {sub({0, 1}, tile, {c}), sub({2}, {2, 4, 1})}), "DEPENDENCY 1");
        VERDICT(run(g, {sub({0, 1}, tile), sub({0, 1}, tile, {b, c}), sub({2}, {2, 4, 1})}), "valid");
        // ... and a view is a tensor of its own (R4.5).
        VERDICT(run(g, {sub({0, 1}, tile), sub({1, 2}, tile)}), "DISCONNECTED 1");
    }
    void rule_1_7_viewsAreNotRetained()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        const auto v = g.tensor(4, 4);
        g.view(v, {a});
        g.pw({v});
        for (const char* allow : {"error", "allow"}) {
            const Evaluation e = run(g, {sub({0}, {4, 4, 1}, {v})}, with("retain_inputs", allow));
            VERDICT(e, "RETAIN 0");
            QVERIFY(e.verdict()->text.find("is a view") != std::string::npos);
        }
    }
    void rule_1_7_withinASubgraphABaseIsASink()
    {
        Graph g; // b is consumed by op 1 and through v by op 2, which is connected with it by x
        const auto a = g.tensor(4, 4);
        const auto b = g.pw({a});
        const auto v = g.tensor(4, 4);
        g.view(v, {b});
        const auto x = g.tensor(4, 4);
        const auto y = g.pw({b, x});
        g.pw({v, x});
        const Granularity tile{4, 4, 1};
        const Evaluation twice = run(g, {sub({0}, tile), sub({1, 2}, tile)});
        VERDICT(twice, "valid");
        QCOMPARE(twice.subgraphs[1].loadElements, std::int64_t(48)); // b and v are different tensors
        // Computed again beside its view: interior for op 1, and its view was there before.
        VERDICT(run(g, {sub({0}, tile), sub({0, 1, 2}, tile)}), "valid");
        VERDICT(run(g, {sub({0, 1, 2}, tile)}), "DEPENDENCY 0");
        // Read only through the view it is a sink, and written.
        const Evaluation sink =
            run(g, {sub({0, 1}, tile, {y}), sub({0}, tile), sub({2}, tile), sub({1}, tile)});
        VERDICT(sink, "valid");
        QCOMPARE(sink.subgraphs[0].storeElements, std::int64_t(0));
        QCOMPARE(sink.subgraphs[1].storeElements, std::int64_t(16));
    }

    // ---- R2 -------------------------------------------------------------------------------------------
    void rule_2_2_formatBeforeAnythingElse()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        g.pw({a});
        VERDICT(run(g, {sub({}, {4, 4, 1})}), "FORMAT 0");
        VERDICT(run(g, {sub({7}, {4, 4, 1})}), "FORMAT 0");
        VERDICT(run(g, {sub({0, 0}, {4, 4, 1})}), "FORMAT 0");
        VERDICT(run(g, {sub({0}, {0, 4, 1})}), "GRANULARITY 0");
        VERDICT(run(g, {sub({0}, {4, -1, 1})}), "GRANULARITY 0");
        VERDICT(run(g, {sub({0}, {4, 4, 0})}), "GRANULARITY 0");
        VERDICT(run(g, {sub({0}, {4, 4, 1}, {9})}), "RETAIN 0");
        VERDICT(run(g, {sub({0}, {4, 4, 1}, {1, 1})}), "RETAIN 0");
        VERDICT(run(g, {sub({}, {0, 4, 1}, {9})}), "FORMAT 0"); // FORMAT, GRANULARITY, RETAIN
        VERDICT(run(g, {sub({0}, {0, 4, 1}, {9})}), "GRANULARITY 0");
        // Subgraph 0 breaks R4.1, but the whole file is checked first.
        VERDICT(run(g, {sub({0}, {5, 4, 1}), sub({}, {4, 4, 1})}), "FORMAT 1");
    }
    void rule_2_3_orderOfExecution()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        g.pw({g.pw({a})});
        VERDICT(run(g, {sub({0}, {4, 4, 1}), sub({1}, {4, 4, 1})}), "valid");
        VERDICT(run(g, {sub({1}, {4, 4, 1}), sub({0}, {4, 4, 1})}), "DEPENDENCY 0");
    }

    // ---- R3 -------------------------------------------------------------------------------------------
    void rule_3_1_interiorIsTakenFromInside()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        g.pw({g.pw({a})});
        const Evaluation e = run(g, {sub({0}, {4, 4, 1}), sub({0, 1}, {4, 4, 1})});
        VERDICT(e, "valid"); // tensor 1 is in slow memory, and computed again all the same
        QCOMPARE(e.subgraphs[1].loadElements, std::int64_t(16));
        const auto steps = trace(g, sub({0, 1}, {4, 4, 1}), {1});
        QCOMPARE(steps[0].runs.size(), std::size_t(2));
        QCOMPARE(steps[0].buffers[0].tensor, TensorId(a));
    }
    void rule_3_2_residentInputsCostNoLoad()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        const auto b = g.pw({a});
        g.pw({b});
        const Evaluation e = run(g, {sub({0}, {4, 4, 1}, {b}), sub({1}, {4, 4, 1})});
        VERDICT(e, "valid");
        QCOMPARE(e.subgraphs[0].storeElements, std::int64_t(0));
        QCOMPARE(e.subgraphs[1].loadElements, std::int64_t(0));
        QCOMPARE(e.total, 32.0);
    }
    void rule_3_3_retainedForOneSubgraphOnly()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        const auto b = g.pw({a});
        const auto c = g.tensor(4, 4);
        g.pw({c});
        g.pw({b});
        const Subgraph other = sub({1}, {4, 4, 1});
        VERDICT(run(g, {sub({0}, {4, 4, 1}, {b}), sub({2}, {4, 4, 1}), other}), "valid");
        VERDICT(run(g, {sub({0}, {4, 4, 1}, {b}), other, sub({2}, {4, 4, 1})}), "DEPENDENCY 2");
        VERDICT(run(g, {sub({0}, {4, 4, 1}), other, sub({2}, {4, 4, 1})}),
                "valid"); // written although not yet needed
    }
    void rule_3_4_interiorNeverReachesSlowMemory()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        const auto b = g.pw({a});
        g.pw({b});
        g.pw({b});
        VERDICT(run(g, {sub({0, 1}, {4, 4, 1}), sub({2}, {4, 4, 1})}), "DEPENDENCY 1");
        VERDICT(run(g, {sub({0, 1}, {4, 4, 1}, {b}), sub({2}, {4, 4, 1})}), "valid"); // retained
        VERDICT(run(g, {sub({0, 1}, {4, 4, 1}), sub({0, 2}, {4, 4, 1})}), "valid");   // recomputed
    }
    void rule_3_5_coverageAndRecomputation()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        g.pw({a}, 100);
        g.pw({a});
        VERDICT(run(g, {sub({0}, {4, 4, 1})}), "COVERAGE -");
        const Evaluation e = run(g, {sub({0}, {4, 4, 1}), sub({0}, {4, 4, 1}), sub({1}, {4, 4, 1})});
        VERDICT(e, "valid");
        QCOMPARE(e.total, 100.0 + 100 + 32);
    }
    void rule_3_6_outputMustBeWritten()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        const auto b = g.pw({a});
        VERDICT(run(g, {sub({0}, {4, 4, 1}, {b})}), "OUTPUT -");
        VERDICT(run(g, {sub({0}, {4, 4, 1}, {b}), sub({0}, {4, 4, 1})}), "valid");
    }

    // ---- R4 -------------------------------------------------------------------------------------------
    void rule_4_1_superNative()
    {
        Graph g;
        g.pw({g.tensor(8, 8)}, 10);
        VERDICT(run(g, {sub({0}, {5, 4, 1})}), "SUPERNATIVE 0");
        VERDICT(run(g, {sub({0}, {4, 5, 1})}), "SUPERNATIVE 0");
        // ceil: two passes an axis, for each of the four tiles
        QCOMPARE(run(g, {sub({0}, {5, 5, 1})}, with("supernative", "ceil")).subgraphs[0].compute,
                 4.0 * 4 * 10);
    }
    void rule_4_2_depthOnlyMattersWithMatMul()
    {
        Graph g;
        g.pw({g.tensor(4, 4)});
        VERDICT(run(g, {sub({0}, {4, 4, 1000})}), "valid");
        Graph m;
        const auto a = m.tensor(4, 8);
        m.mm(a, m.tensor(8, 4));
        VERDICT(run(m, {sub({0}, {4, 4, 5})}), "SUPERNATIVE 0");
        VERDICT(run(m, {sub({0}, {4, 4, 5})}, with("supernative", "ceil")), "valid");
    }
    void rule_4_2_kLimitedByTheReductionAlone()
    {
        Graph g;
        const auto a = g.tensor(4, 8);
        g.mm(a, g.tensor(8, 4), 8);
        const Rules rules = with("k_limit", "reduction");
        const Evaluation whole = run(g, {sub({0}, {4, 4, 8})}, rules);
        VERDICT(whole, "valid");
        QCOMPARE(whole.subgraphs[0].steps, std::int64_t(1));
        QCOMPARE(whole.subgraphs[0].compute, 8.0);
        VERDICT(run(g, {sub({0}, {4, 4, 9})}, rules), "K_TOO_LARGE 0");
        VERDICT(run(g, {sub({0}, {5, 4, 8})}, rules), "SUPERNATIVE 0"); // w and h stay native
    }
    void rule_4_3_kAboveK()
    {
        Graph g;
        const auto a = g.tensor(4, 3);
        g.mm(a, g.tensor(3, 4), 10);
        const Evaluation e = run(g, {sub({0}, {4, 4, 4})});
        VERDICT(e, "K_TOO_LARGE 0");
        QCOMPARE(e.verdict()->need, std::int64_t(4));
        QCOMPARE(e.verdict()->have, std::int64_t(3));
        const Evaluation clamped = run(g, {sub({0}, {4, 4, 4})}, with("k_above_K", "clamp"));
        VERDICT(clamped, "valid");
        QCOMPARE(clamped.subgraphs[0].compute, 10.0);
        QCOMPARE(clamped.subgraphs[0].steps, std::int64_t(1));
    }
    void rule_4_4_opOrder()
    {
        Graph g;
        g.pw({g.pw({g.tensor(4, 4)})});
        VERDICT(run(g, {sub({1, 0}, {4, 4, 1})}), "OP_ORDER 0");
        VERDICT(run(g, {sub({1, 0}, {4, 4, 1})}, with("op_order", "ignore")), "valid");
    }
    void rule_4_5_connectedThroughAnyTensor()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        g.pw({a});
        g.pw({a});
        g.pw({g.tensor(4, 4)});
        VERDICT(run(g, {sub({0, 1}, {4, 4, 1}), sub({2}, {4, 4, 1})}), "valid"); // a shared input suffices
        VERDICT(run(g, {sub({0, 2}, {4, 4, 1}), sub({1}, {4, 4, 1})}), "DISCONNECTED 0");
    }
    void rule_4_6_onlyProductsAreRetained()
    {
        Graph g;
        const auto a = g.tensor(4, 4);
        const auto b = g.pw({a});
        const auto c = g.pw({b});
        VERDICT(run(g, {sub({0, 1}, {4, 4, 1}, {a})}), "RETAIN 0");
        VERDICT(run(g, {sub({0, 1}, {4, 4, 1}, {a})}, with("retain_inputs", "allow")), "valid");
        VERDICT(run(g, {sub({0}, {4, 4, 1}, {c}), sub({1}, {4, 4, 1})}, with("retain_inputs", "allow")),
                "RETAIN 0");
    }
    void rule_4_7_prologue()
    {
        Graph g; // Pointwise -> LHS of a MatMul with K = 3
        const auto a = g.tensor(8, 3);
        g.mm(g.pw({a}), g.tensor(3, 8));
        VERDICT(run(g, {sub({0, 1}, {2, 4, 1})}), "PROLOGUE 0");
        VERDICT(run(g, {sub({0, 1}, {3, 1, 1})}), "valid");
        VERDICT(run(g, {sub({0, 1}, {2, 4, 1})}, with("prologue", "off")), "valid");
        Graph r; // ... -> RHS
        const auto x = r.tensor(8, 3);
        r.mm(x, r.pw({r.tensor(3, 8)}));
        VERDICT(run(r, {sub({0, 1}, {4, 2, 1})}), "PROLOGUE 0");
        VERDICT(run(r, {sub({0, 1}, {1, 3, 1})}), "valid");
        Graph e; // an epilogue is free, and so is MatMul after MatMul
        const auto y = e.tensor(8, 8);
        const auto z = e.mm(y, e.tensor(8, 8));
        e.mm(z, e.tensor(8, 8));
        e.pw({z});
        VERDICT(run(e, {sub({0, 1}, {1, 1, 1}, {z}), sub({2}, {1, 1, 1})}), "valid");
        VERDICT(run(e, {sub({0, 2}, {1, 1, 1}, {z}), sub({1}, {1, 1, 1})}), "valid");
    }
    void rule_4_7_prologueOfSplitReductionsOnly()
    {
        Graph g; // Pointwise -> LHS of a MatMul with K = 3
        const auto a = g.tensor(8, 3);
        g.mm(g.pw({a}), g.tensor(3, 8));
        const Rules rules = with("prologue", "split_only");
        VERDICT(run(g, {sub({0, 1}, {2, 4, 2})}, rules), "PROLOGUE 0");
        VERDICT(run(g, {sub({0, 1}, {2, 4, 3})}, rules), "valid"); // k = K: nothing is split
        VERDICT(run(g, {sub({0, 1}, {3, 4, 2})}, rules), "valid");
        Graph r; // K = 6 is more than the native 4: k splits it, and w cannot be 6
        const auto x = r.tensor(8, 6);
        r.mm(r.pw({x}), r.tensor(6, 8));
        VERDICT(run(r, {sub({0, 1}, {4, 4, 4})}, rules), "PROLOGUE 0");
        Rules deep = rules;
        deep.kLimit = Rules::KLimit::Reduction;
        VERDICT(run(r, {sub({0, 1}, {4, 4, 6})}, deep), "valid");
        for (Op& op : r.data.ops)
            op.baseCost = 1000; // computing binds: no bound of the whole is above the parts'
        QCOMPARE(lowerBound(*r.build(), rules).parts.size(), std::size_t(2));
        QCOMPARE(lowerBound(*r.build(), deep).parts.size(), std::size_t(1));
    }
    void rule_4_orderOfVerdicts()
    {
        Graph g;
        const auto a = g.tensor(8, 8);
        const auto b = g.pw({a});
        g.mm(b, g.tensor(8, 8));
        Rules r;
        const auto first = [&](const Subgraph& s) { return verdict(run(g, {s}, r)); };
        const Subgraph all = sub({1, 0}, {5, 4, 9}, {a}, Traversal::custom({0}));
        QCOMPARE(first(all), QStringLiteral("SUPERNATIVE 0"));
        r.superNative = Rules::SuperNative::Ceil;
        QCOMPARE(first(all), QStringLiteral("K_TOO_LARGE 0"));
        r.kAboveK = Rules::KAboveK::Clamp;
        QCOMPARE(first(all), QStringLiteral("OP_ORDER 0"));
        r.opOrder = Rules::OpOrder::Ignore;
        QCOMPARE(first(all), QStringLiteral("RETAIN 0"));
        r.retainInputs = Rules::RetainInputs::Allow;
        QCOMPARE(first(all), QStringLiteral("PROLOGUE 0"));
        r.prologue = Rules::Prologue::Off;
        QCOMPARE(first(all), QStringLiteral("TRAVERSAL 0"));
    }

    // ---- R5 -------------------------------------------------------------------------------------------
    void rule_5_1_gridOfSeveralSinks()
    {
        Graph g;
        const auto x = g.tensor(8, 4);
        g.mm(x, g.tensor(4, 4));  // 8 x 4
        g.mm(x, g.tensor(4, 12)); // 8 x 12
        const Evaluation e = run(g, {sub({0, 1}, {4, 4, 4})});
        QCOMPARE(e.subgraphs[0].rows, std::int64_t(2));
        QCOMPARE(e.subgraphs[0].cols, std::int64_t(3));
        const auto steps = trace(g, sub({0, 1}, {4, 4, 4}));
        QCOMPARE(steps.size(), std::size_t(6));
        QCOMPARE(steps[0].sinks.size(), std::size_t(2));
        QCOMPARE(steps[1].sinks.size(), std::size_t(1)); // the narrow sink is masked
        QCOMPARE(steps[0].storeElements, std::int64_t(32));
        QCOMPARE(steps[1].storeElements, std::int64_t(16));
    }
    void rule_5_2_clippedTiles()
    {
        Graph g;
        g.pw({g.tensor(5, 6)}, 7);
        const auto steps = trace(g, sub({0}, {4, 4, 1}));
        QCOMPARE(steps.size(), std::size_t(4));
        QCOMPARE(steps[3].sinks[0].tile, (Rect{4, 5, 4, 6}));
        QCOMPARE(steps[3].loadElements, std::int64_t(2));
        QCOMPARE(steps[3].storeElements, std::int64_t(2));
        QCOMPARE(steps[3].workingSet, std::int64_t(4));
        QCOMPARE(steps[3].compute, 7.0); // a full native pass
    }
    void rule_5_3_traversalIsAPermutation()
    {
        Graph g;
        g.pw({g.tensor(8, 8)});
        const auto order = [&](std::vector<std::int64_t> o) {
            return verdict(run(g, {sub({0}, {4, 4, 1}, {}, Traversal::custom(std::move(o)))}));
        };
        QCOMPARE(order({3, 1, 0, 2}), QStringLiteral("valid"));
        QCOMPARE(order({0, 1, 2}), QStringLiteral("TRAVERSAL 0"));
        QCOMPARE(order({0, 1, 2, 2}), QStringLiteral("TRAVERSAL 0"));
        QCOMPARE(order({0, 1, 2, 4}), QStringLiteral("TRAVERSAL 0"));
        QCOMPARE(order({0, 1, 2, -1}), QStringLiteral("TRAVERSAL 0"));
        Graph m;
        const auto a = m.tensor(8, 4);
        m.mm(a, m.tensor(4, 8));
        const auto load = [&](Traversal t, const Rules& r) {
            return run(m, {sub({0}, {4, 4, 4}, {}, std::move(t))}, r).subgraphs[0].loadElements;
        };
        const Traversal raster = Traversal::custom({0, 1, 2, 3});
        QCOMPARE(load({}, Rules::final()), load(raster, Rules::final()));
        QCOMPARE(load({}, Rules::final()), std::int64_t(6 * 16));
        QCOMPARE(load({}, with("null_order_reuse", "no")), std::int64_t(8 * 16));
        QCOMPARE(load(raster, with("null_order_reuse", "no")), std::int64_t(6 * 16));
        QCOMPARE(load(TraversalKind::Snake, Rules::final()), std::int64_t(5 * 16));
    }
    void rule_5_4_onlyDriversAreStepped()
    {
        Graph g; // (a b) c with K = 8 in both: the inner MatMul always uses its whole K
        const auto a = g.tensor(4, 8);
        const auto ab = g.mm(a, g.tensor(8, 8));
        g.mm(ab, g.tensor(8, 4));
        const auto steps = trace(g, sub({0, 1}, {4, 4, 2}));
        QCOMPARE(steps.size(), std::size_t(4));
        for (const Step& s : steps) {
            QCOMPARE(s.runs.size(), std::size_t(2));
            QCOMPARE(s.runs[0].k1 - s.runs[0].k0, std::int64_t(2)); // the driver
            QCOMPARE(s.runs[1].k1 - s.runs[1].k0, std::int64_t(8));
        }
        Graph e; // two drivers behind one epilogue, n = max over them
        const auto x = e.mm(e.tensor(4, 8), e.tensor(8, 4));
        const auto y = e.mm(e.tensor(4, 2), e.tensor(2, 4));
        e.pw({x, y});
        const auto driven = trace(e, sub({0, 1, 2}, {4, 4, 2}));
        QCOMPARE(driven.size(), std::size_t(4));
        QCOMPARE(driven[0].runs.size(), std::size_t(2));
        QCOMPARE(driven[1].runs.size(), std::size_t(1)); // the second one is exhausted
    }
    void rule_5_5_kStepsOfEachTile()
    {
        Graph g;
        const auto a = g.tensor(4, 5);
        g.mm(a, g.tensor(5, 8), 10);
        const auto steps = trace(g, sub({0}, {4, 4, 2}));
        QCOMPARE(steps.size(), std::size_t(6));
        const std::int64_t depth[] = {2, 2, 1};
        for (std::size_t i = 0; i < 6; ++i) {
            QCOMPARE(steps[i].tile, static_cast<std::int64_t>(i / 3));
            QCOMPARE(steps[i].kStep, static_cast<std::int64_t>(i % 3));
            QCOMPARE(steps[i].runs[0].k1 - steps[i].runs[0].k0, depth[i % 3]);
            QCOMPARE(steps[i].sinks[0].completes, i % 3 == 2);
        }
    }
};

TILEWRIGHT_TEST(TestEvalRules)

} // namespace test_eval_rules
#include "test_eval_rules.moc"
