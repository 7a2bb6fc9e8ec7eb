// SPDX-License-Identifier: GPL-3.0-or-later
// One test for each rule of the schedule lens (spec R1 to R10), with numbers worked out by hand. Both forms
// of the evaluator are asked every time.
#include "eval/fast.h"
#include "eval/trace.h"

#include <QtTest>

#include <cmath>

using namespace tilewright;

namespace {

using Ids = std::vector<std::size_t>;

struct Graph
{
    Problem::Data data;

    Graph() { data.hardware = {1'000'000, 1, 4, 4, {}}; }
    std::size_t tensor(std::int64_t height, std::int64_t width)
    {
        data.tensors.push_back({width, height, {}});
        return data.tensors.size() - 1;
    }
    std::size_t add(OpType type, const Ids& in, std::int64_t height, std::int64_t width, std::int64_t cost)
    {
        Op op;
        op.type = type;
        for (const std::size_t i : in)
            op.inputs.emplace_back(i);
        op.output = TensorId(tensor(height, width));
        op.baseCost = cost;
        data.ops.push_back(op);
        return op.output.index();
    }
    std::size_t mm(std::size_t lhs, std::size_t rhs, std::int64_t cost = 0)
    {
        return add(OpType::MatMul, {lhs, rhs}, data.tensors[TensorId(lhs)].height,
                   data.tensors[TensorId(rhs)].width, cost);
    }
    std::size_t pw(const Ids& in, std::int64_t cost = 0)
    {
        const Tensor& t = data.tensors[TensorId(in[0])];
        return add(OpType::Pointwise, in, t.height, t.width, cost);
    }
    [[nodiscard]] ProblemPtr build() const
    {
        auto built = Problem::build(data);
        if (!built)
            qFatal("%s", built.error().text().c_str());
        return *built;
    }
};

Subgraph sub(const Ids& ops, Granularity g, const Ids& retain = {}, Traversal t = {})
{
    Subgraph s;
    for (const std::size_t o : ops)
        s.ops.emplace_back(o);
    s.granularity = g;
    for (const std::size_t r : retain)
        s.retain.emplace_back(r);
    s.traversal = std::move(t);
    return s;
}

Evaluation run(const Graph& g, const std::vector<Subgraph>& subgraphs, const Rules& rules = {})
{
    const ProblemPtr p = g.build();
    Schedule s;
    for (const Subgraph& x : subgraphs)
        s.subgraphs.push_back(std::make_shared<const Subgraph>(x));
    Evaluation fast = evaluate(*p, s, rules);
    const Evaluation slow = evaluateByTrace(*p, s, rules);
    if (fast.issues != slow.issues || std::abs(fast.total - slow.total) > 1e-9 * std::max(1.0, slow.total))
        QTest::qFail("the two forms differ", __FILE__, __LINE__);
    for (std::size_t i = 0; i < s.size(); ++i)
        if (fast.subgraphs[i].peakWorkingSet != slow.subgraphs[i].peakWorkingSet ||
            fast.subgraphs[i].loadElements != slow.subgraphs[i].loadElements ||
            fast.subgraphs[i].storeElements != slow.subgraphs[i].storeElements)
            QTest::qFail("the two forms differ", __FILE__, __LINE__);
    return fast;
}

std::vector<Step> trace(const Graph& g, const Subgraph& s, const Ids& resident = {}, const Rules& rules = {})
{
    std::vector<TensorId> res;
    for (const std::size_t r : resident)
        res.emplace_back(r);
    std::vector<Step> steps;
    traceSubgraph(*g.build(), s, res, rules, [&](const Step& step) {
        steps.push_back(step);
        return true;
    });
    return steps;
}

/// "OOM 0", "COVERAGE -", "valid"
QString verdict(const Evaluation& e)
{
    if (e.valid())
        return QStringLiteral("valid");
    const Issue& i = *e.verdict();
    return QString::fromLatin1(issueCodeName(i.code).data(), static_cast<int>(issueCodeName(i.code).size())) +
           (i.subgraph ? QStringLiteral(" %1").arg(i.subgraph->index()) : QStringLiteral(" -"));
}

Rules with(const char* name, const char* value)
{
    Rules r;
    if (!setRule(r, name, value))
        qFatal("%s", name);
    return r;
}

const StepBuffer* buffer(const Step& s, std::size_t tensor, Role role)
{
    for (const StepBuffer& b : s.buffers)
        if (b.tensor.index() == tensor && b.role == role)
            return &b;
    return nullptr;
}

} // namespace

#define VERDICT(evaluation, text) QCOMPARE(verdict(evaluation), QStringLiteral(text))

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

    // ---- R11 ------------------------------------------------------------------------------------------
    void rule_11_switches()
    {
        QCOMPARE(ruleSetName(Rules::final()), std::string_view("final"));
        QCOMPARE(ruleSetName(Rules::seed()), std::string_view("seed"));
        Rules r;
        for (const RuleSwitch& s : ruleSwitches()) {
            QCOMPARE(ruleValue(Rules::final(), s.name), s.finalValue);
            QCOMPARE(ruleValue(Rules::seed(), s.name), s.seedValue);
            QVERIFY(setRule(r, s.name, s.otherValue).hasValue());
            QCOMPARE(ruleValue(r, s.name), s.otherValue);
            QCOMPARE(ruleSetName(r), std::string_view("custom"));
            QVERIFY(setRule(r, s.name, s.finalValue).hasValue());
            QVERIFY(r == Rules::final());
            const Status bad = setRule(r, s.name, "maybe");
            QVERIFY(!bad && bad.error().text().find(s.finalValue) != std::string::npos);
        }
        QVERIFY(!setRule(r, "nonsense", "yes"));
    }
};

QTEST_APPLESS_MAIN(TestEvalRules)
#include "test_eval_rules.moc"
