// SPDX-License-Identifier: GPL-3.0-or-later
// R8.2 beside the rules in force: the total of a snapshot with compute=array, and what the array makes of
// each MatMul of a subgraph.
#include "drawn_cases.h"
#include "random_cases.h"
#include "test_main.h"

#include "edit/fit.h"
#include "eval/explain.h"
#include "eval/trace.h"
#include "rules/check.h"
#include "snapshot/snapshot.h"
#include "workload/generate.h"

#include <QtTest>

#include <cmath>
#include <map>

namespace test_array_total {

using namespace tilewright;
using random_cases::Source;

namespace {

std::int64_t pieces(std::int64_t extent, std::int64_t native)
{
    return (extent + native - 1) / native;
}

/// R8.2, word by word.
std::int64_t cycles(const Hardware& hw, std::int64_t r, std::int64_t c, std::int64_t q)
{
    return pieces(r, hw.nativeHeight) * pieces(c, hw.nativeWidth) * q + std::min(r, hw.nativeHeight) +
           std::min(c, hw.nativeWidth) - 2;
}

struct OfOp
{
    std::int64_t cycles = 0;
    double time = 0;
    std::int64_t largestRun = 0;
};

/// From the steps of the explaining evaluator under compute=array.
std::map<OpId, OfOp> byWalking(const Problem& p, const Subgraph& s, const Rules& rules)
{
    std::map<OpId, OfOp> out;
    traceSubgraph(p, s, {}, rules.onArray(), [&](const Step& step) {
        for (const StepRun& run : step.runs) {
            const std::int64_t n =
                cycles(p.hardware(), run.rect.r1 - run.rect.r0, run.rect.c1 - run.rect.c0, run.k1 - run.k0);
            OfOp& op = out[run.op];
            op.largestRun = std::max(op.largestRun, n);
            op.cycles += run.repeated ? 0 : n;
            op.time += run.cost;
        }
        return true;
    });
    return out;
}

/// One matmul of a height x depth by a depth x width, native 128 x 128.
ProblemPtr product(std::int64_t height, std::int64_t depth, std::int64_t width)
{
    Problem::Data data;
    for (const auto& [h, w] : {std::pair{height, depth}, {depth, width}, {height, width}})
        data.tensors.push_back({w, h, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 1000, "mm"});
    data.hardware = {1'000'000, 10, 128, 128, {}};
    return *Problem::build(std::move(data));
}

bool hasView(const Problem& p)
{
    for (std::size_t t = 0; t < p.tensorCount(); ++t)
        if (p.isView(TensorId(t)))
            return true;
    return false;
}

Subgraph tiled(std::vector<OpId> ops, const Granularity& g)
{
    Subgraph s;
    s.ops = std::move(ops);
    s.granularity = g;
    return s;
}

} // namespace

class TestArrayTotal : public QObject
{
    Q_OBJECT

private slots:
    /// Through edits too, where most subgraphs are remembered: views, retained tensors, split reductions,
    /// recomputation, states that are not legal.
    void rule_8_2_theSnapshotCarriesTheTotalOnTheArray()
    {
        int views = 0, retained = 0, split = 0, legal = 0, illegal = 0, others = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(4000U); ++seed) {
            Source rnd(seed);
            const ProblemPtr p = random_cases::problem(rnd, 8, seed % 2 == 0 ? 25 : 0);
            const Rules rules = random_cases::rules(rnd);
            SnapshotTaker taker(p, rules, 1);
            Schedule s = random_cases::schedule(rnd, *p);
            for (std::uint64_t edit = 0; edit < 4; ++edit) {
                const SnapshotPtr snapshot = taker.take(s, edit);
                QCOMPARE(snapshot->evaluation.total, evaluate(*p, s, rules).total);
                const Evaluation onArray = evaluate(*p, s, rules.onArray());
                QCOMPARE(snapshot->arrayTotal, onArray.total);
                QCOMPARE(takeSnapshot(p, s, rules, 1, edit)->arrayTotal, onArray.total);
                QCOMPARE(snapshot->evaluation.issues.size(),
                         onArray.issues.size()); // R8.2 touches no verdict
                const bool valid = snapshot->evaluation.valid();
                views += hasView(*p);
                (valid ? legal : illegal) += 1;
                others += valid && snapshot->arrayTotal != snapshot->evaluation.total;
                for (const SubgraphPtr& sub : s.subgraphs) {
                    retained += !sub->retain.empty();
                    for (const OpId o : sub->ops)
                        split += p->op(o).type == OpType::MatMul && sub->granularity.k < p->reductionSize(o);
                }
                auto& some = s.subgraphs[static_cast<std::size_t>(
                    rnd.between(0, static_cast<std::int64_t>(s.size()) - 1))];
                some = std::make_shared<const Subgraph>(random_cases::subgraph(rnd, *p, some->ops));
            }
        }
        qInfo("%d with views, %d retained, %d split, %d legal, %d illegal, %d where the array differs", views,
              retained, split, legal, illegal, others);
        const int many = test::drawnAtLeast(1000);
        QVERIFY(views > many && retained > many && split > many && legal > many && illegal > many &&
                others > many / 2);
    }

    void rule_8_2_underTheArraysOwnRulesItIsTheTotal()
    {
        const ProblemPtr p = product(256, 300, 200);
        const Schedule s = oneOpPerSubgraph(*p);
        const SnapshotPtr snapshot = takeSnapshot(p, s, Rules::final().onArray(), 1, 1);
        QVERIFY(snapshot->evaluation.total > 0);
        QCOMPARE(snapshot->arrayTotal, snapshot->evaluation.total);
    }

    /// Only what is edited is evaluated again, for this total as for the other.
    void anEditCostsTheSubgraphsItTouches()
    {
        GenerateOptions options;
        options.kind = WorkloadKind::Random;
        options.ops = 60;
        const ProblemPtr p = *generateWorkload(options);
        SnapshotTaker taker(p, Rules::final(), 1);
        Schedule s = oneOpPerSubgraph(*p);
        (void)taker.take(s, 1);
        const auto n = std::int64_t(s.size());
        QCOMPARE(taker.computedOnArray(), n);
        auto other = std::make_shared<Subgraph>(*s.subgraphs[7]);
        other->granularity.h = other->granularity.h / 2 + 1;
        s.subgraphs[7] = other;
        QCOMPARE(taker.take(s, 2)->arrayTotal, evaluate(*p, s, Rules::final().onArray()).total);
        QCOMPARE(taker.computedOnArray(), n + 1);
        SnapshotTaker array(p, Rules::final().onArray(), 1);
        (void)array.take(s, 1);
        QCOMPARE(array.computedOnArray(), 0); // its total is the one
    }

    /// A whole native tile, four k steps of 32: 4 (32 + 254) = 1144 cycles where 128 would do for the
    /// multiplying.
    void rule_8_2_aSplitTileByHand()
    {
        const ProblemPtr p = product(128, 128, 128);
        const ArrayUses a = arrayUses(*p, tiled({OpId(0)}, {128, 128, 32}), Rules::final(), 4);
        QCOMPARE(a.rows, 128);
        QCOMPARE(a.cols, 128);
        QCOMPARE(a.uses.size(), 1u);
        const ArrayUse& u = a.uses.front();
        QCOMPARE(u.op, OpId(0));
        QCOMPARE(u.run.rows, 128);
        QCOMPARE(u.run.cols, 128);
        QCOMPARE(u.run.depth, 32);
        QCOMPARE(u.runCycles, 32.0 + 254);
        QCOMPARE(u.cycles, 4 * (32.0 + 254));
        QCOMPARE(u.utilisation, 128.0 / 1144);
        QVERIFY(u.exact);
        // Clipped: 100 = 64 + 36 rows, 50 columns, 70 = 60 + 10 of the reduction.
        const ProblemPtr clipped = product(100, 70, 50);
        const ArrayUse c =
            arrayUses(*clipped, tiled({OpId(0)}, {128, 64, 60}), Rules::final(), 4).uses.front();
        QCOMPARE(c.runCycles, 60.0 + 64 + 50 - 2);
        QCOMPARE(c.cycles, 70.0 + 2 * (64 + 50 - 2) + 70.0 + 2 * (36 + 50 - 2));
        QCOMPARE(c.utilisation, 100.0 * 50 * 70 / (128 * 128 * c.cycles));
    }

    /// The share is that of all arrays of a core, and of all multipliers of a dot-product array.
    void rule_8_4_theShareIsOfAllMultipliers()
    {
        Problem::Data data = product(128, 128, 512)->data();
        data.hardware.nativeWidth = data.hardware.nativeHeight = 64;
        data.hardware.array = {ComputeArray::Kind::Systolic, 1, 1, 4};
        const ProblemPtr four = Problem::build(data).value();
        const Subgraph s = tiled({OpId(0)}, {512, 128, 128});
        const ArrayUses a = arrayUses(*four, s, Rules::machine(), 1);
        QCOMPARE(a.pes(), std::int64_t{64 * 64 * 4});
        QCOMPARE(a.uses[0].cycles, 2.0 * 8 / 4 * 128 + 126);
        QCOMPARE(a.uses[0].utilisation, 128.0 * 128 * 512 / (64 * 64 * 4 * a.uses[0].cycles));
        data.hardware.nativeWidth = 16;
        data.hardware.nativeHeight = 1;
        data.hardware.array = {ComputeArray::Kind::DotProduct, 32, 16, 2};
        const ProblemPtr dots = Problem::build(data).value();
        const ArrayUses d = arrayUses(*dots, s, Rules::machine(), 1);
        QCOMPARE(d.rows, std::int64_t{32});
        QCOMPARE(d.cols, std::int64_t{16});
        QCOMPARE(d.uses[0].cycles, 128.0 * 4 * 16);
        QCOMPARE(d.uses[0].utilisation, 1.0);
        // The roof is that of all of them: no point lies above it.
        for (const ProblemPtr& p : {four, dots}) {
            Schedule schedule;
            schedule.subgraphs = {std::make_shared<const Subgraph>(s)};
            const Evaluation e = evaluate(*p, schedule, Rules::machine());
            const double work = opWork(*p, OpId(0), Rules::machine());
            const double share = arrayUses(*p, s, Rules::machine(), 1).uses[0].utilisation;
            QVERIFY(std::abs(work / e.subgraphs[0].compute - share) < 1e-9);
            QVERIFY(scheduleRoofline(*p, schedule, e).whole.throughput <= 1);
        }
    }

    /// As many as were asked for, how many more there are, nothing of a subgraph that cannot run.
    void theListIsAsLongAsAskedFor()
    {
        Problem::Data data;
        data.tensors = IdVector<TensorId, Tensor>(7, Tensor{64, 64, {}});
        for (std::size_t i = 0; i < 3; ++i)
            data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1 + i)}, TensorId(4 + i), 10, {}});
        data.hardware = {100'000, 10, 32, 32, {}};
        const ProblemPtr p = *Problem::build(std::move(data));
        const Subgraph s = tiled({OpId(0), OpId(1), OpId(2)}, {32, 32, 32});
        const ArrayUses two = arrayUses(*p, s, Rules::final(), 2);
        QCOMPARE(two.uses.size(), 2u);
        QCOMPARE(two.more, 1u);
        QCOMPARE(arrayUses(*p, s, Rules::final(), 3).more, 0u);
        const Subgraph tooDeep = tiled({OpId(0)}, {32, 32, 33});
        QVERIFY(arrayUses(*p, tooDeep, Rules::final(), 3).uses.empty());
        const Subgraph unknown = tiled({OpId(5)}, {32, 32, 32});
        QVERIFY(arrayUses(*p, unknown, Rules::final(), 3).uses.empty());
    }

    void rule_8_2_eachMatMulAsTheStepsSay()
    {
        int compared = 0, fused = 0, interior = 0, walked = 0;
        for (std::uint64_t seed = 0; seed < test::drawnCases(12'000U); ++seed) {
            Source rnd(seed);
            const int most = seed % 50 == 0 ? 40 : 7;
            const ProblemPtr p = random_cases::problem(rnd, most, seed % 3 == 0 ? 20 : 0);
            Rules rules = random_cases::rules(rnd);
            if (rnd.chance(70))
                rules.prologue = Rules::Prologue::Off;
            Subgraph s = random_cases::subgraph(
                rnd, *p, random_cases::connectedOps(rnd, *p, static_cast<std::size_t>(most)));
            s.retain.clear();
            const ArrayUses a = arrayUses(*p, s, rules, 100, 1'000'000);
            s.traversal = {};
            const auto steps = byWalking(*p, s, rules);
            std::size_t matMuls = 0;
            for (const auto& [op, found] : steps)
                matMuls += p->op(op).type == OpType::MatMul;
            QCOMPARE(a.uses.size(), matMuls);
            for (const ArrayUse& u : a.uses) {
                const OfOp& found = steps.at(u.op);
                const QByteArray where = QByteArray::number(qulonglong(seed));
                QVERIFY2(u.exact, where);
                QVERIFY2(u.cycles == static_cast<double>(found.cycles), where);
                QVERIFY2(u.runCycles <= static_cast<double>(found.largestRun), where);
                const Hardware& hw = p->hardware();
                const std::int64_t depth = p->reductionSize(u.op);
                const double time = static_cast<double>(p->op(u.op).baseCost) * u.cycles /
                                    static_cast<double>(cycles(hw, hw.nativeHeight, hw.nativeWidth, depth));
                QVERIFY2(std::abs(time - found.time) <= 1e-9 * std::max(1.0, time), where);
                QVERIFY2(u.utilisation > 0 && u.utilisation <= 1, where);
                ++compared;
                interior += static_cast<bool>(p->consumers(p->op(u.op).output).size());
            }
            fused += a.uses.size() > 1;
            // With no steps to walk, the same or said to be an estimate.
            const ArrayUses quick = arrayUses(*p, s, rules, 100, 0);
            for (std::size_t i = 0; i < quick.uses.size(); ++i) {
                QVERIFY(!quick.uses[i].exact || quick.uses[i].cycles == a.uses[i].cycles);
                walked += !quick.uses[i].exact;
            }
        }
        qInfo("%d matmuls, %d fused, %d read by others, %d by walking", compared, fused, interior, walked);
        QVERIFY(compared > test::drawnAtLeast(8000) && fused > test::drawnAtLeast(1500) &&
                interior > test::drawnAtLeast(2000) && walked > test::drawnAtLeast(20));
    }
};

TILEWRIGHT_TEST(TestArrayTotal)

} // namespace test_array_total
#include "test_array_total.moc"
