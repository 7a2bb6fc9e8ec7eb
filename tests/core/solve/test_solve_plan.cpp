// SPDX-License-Identifier: GPL-3.0-or-later
// Plans of the search: what is refused for its cost costs more, and of two plans the better places count.
#include "layered_plans.h"
#include "solve/plan/check_schedule.h"
#include "solve/plan/plan.h"
#include "solve/search/annealer.h"
#include "test_main.h"

#include <QtTest>

namespace test_solve_plan {

using namespace tilewright;
using namespace tilewright::test;

class TestSolvePlan : public QObject
{
    Q_OBJECT
private slots:
    void aPlanThatIsRefusedCostsMore();
    void theBetterPlacesOfTwoPlansCount();
    void recombinedPlansAreNeverWorse();
};

void TestSolvePlan::aPlanThatIsRefusedCostsMore()
{
    int refused = 0;
    int kept = 0;
    for (int seed = 1; seed <= 12; ++seed) {
        const ProblemPtr problem = layered(seed, 24);
        TilingMemo memo;
        SubgraphPool pool(*problem, Rules::final(), memo, {});
        const Plan plan = changed(pool, singles(pool), 5, 400);
        QVERIFY(plan.feasible());
        for (const double share : {0.5, 0.9, 0.999, 1.0, 1.001}) {
            // In a pool that knows no cost yet bounds decide.
            SubgraphPool fresh(*problem, Rules::final(), memo, {});
            Plan copy = toPlan(fresh, portable(pool, plan));
            const bool settled = PlanRepair(fresh).makeValid(copy, plan.total * share);
            QCOMPARE(settled, share >= 1);
            (settled ? kept : refused) += 1;
            if (settled)
                QCOMPARE(copy.total, plan.total);
        }
    }
    QCOMPARE(refused, 36);
    QCOMPARE(kept, 24);
}

/// Two copies of a graph side by side: one plan is good on the left alone, the other on the right alone.
void TestSolvePlan::theBetterPlacesOfTwoPlansCount()
{
    const ProblemPtr half = layered(3, 16);
    Problem::Data data = half->data();
    const std::size_t tensors = data.tensors.size();
    const std::size_t ops = data.ops.size();
    for (std::size_t i = 0; i < tensors; ++i)
        data.tensors.push_back(data.tensors[TensorId(static_cast<std::uint32_t>(i))]);
    for (std::size_t i = 0; i < ops; ++i) {
        Op op = data.ops[OpId(static_cast<std::uint32_t>(i))];
        op.output = TensorId(static_cast<std::uint32_t>(op.output.index() + tensors));
        for (TensorId& t : op.inputs)
            t = TensorId(static_cast<std::uint32_t>(t.index() + tensors));
        data.ops.push_back(op);
    }
    const ProblemPtr problem = Problem::build(std::move(data)).value();
    TilingMemo memo;
    SubgraphPool pool(*problem, Rules::final(), memo, {});
    const Plan start = singles(pool);
    const Plan good = changed(pool, start, 1, 4000);
    QVERIFY(good.total < 0.95 * start.total);
    PlanRepair repair(pool);
    const auto mixed = [&](bool left) {
        Plan plan;
        for (const Plan* from : {&good, &start})
            for (const CostedSet& e : from->entries)
                if ((from == &good) == ((pool.set(e.set).ops.front().index() < ops) == left))
                    plan.entries.push_back(e);
        return plan;
    };
    Plan onTheLeft = mixed(true);
    Plan onTheRight = mixed(false);
    QVERIFY(repair.makeValid(onTheLeft));
    QVERIFY(repair.makeValid(onTheRight));
    QVERIFY(onTheLeft.total > good.total && onTheRight.total > good.total);
    Annealer annealer(pool, 1);
    annealer.setCurrent(onTheLeft);
    QVERIFY(annealer.recombine(onTheRight));
    QVERIFY(annealer.best().total <= good.total * (1 + 1e-9));
    QVERIFY(!annealer.recombine(onTheRight));
    // What the current plan is does not change.
    QCOMPARE(annealer.current().total, onTheLeft.total);
}

void TestSolvePlan::recombinedPlansAreNeverWorse()
{
    int better = 0;
    for (int seed = 1; seed <= 30; ++seed) {
        const ProblemPtr problem = layered(seed, 40);
        TilingMemo memo;
        SubgraphPool pool(*problem, Rules::final(), memo, {});
        const Plan start = singles(pool);
        const Plan a = changed(pool, start, 1, 600);
        const Plan b = changed(pool, start, 2, 600);
        Annealer annealer(pool, 1);
        annealer.setCurrent(a);
        const double least = std::min(a.total, b.total);
        const bool improved = annealer.recombine(b);
        QCOMPARE(improved, annealer.best().total < a.total);
        QVERIFY(annealer.best().total <= least * (1 + 1e-12));
        better += annealer.best().total < least * (1 - 1e-9);
        const Schedule schedule = toSchedule(pool, annealer.best(), [] { return true; });
        const auto checked = verifySchedule(*problem, schedule, Rules::final());
        QVERIFY(checked.has_value());
        QVERIFY(checked->total <= annealer.best().total * (1 + 1e-9));
    }
    QVERIFY(better >= 5);
}

TILEWRIGHT_TEST(TestSolvePlan)

} // namespace test_solve_plan
#include "test_solve_plan.moc"
