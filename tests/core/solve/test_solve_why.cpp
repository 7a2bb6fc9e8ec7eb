// SPDX-License-Identifier: GPL-3.0-or-later
// The reasons of a schedule: critical resources, ranked changes, the budget that suits a problem.
#include "edit/fit.h"
#include "eval/evaluation.h"
#include "explain/alternatives.h"
#include "explain/critical_resources.h"
#include "report/compare.h"
#include "solve/plan/solve_options.h"
#include "solve/search/solver.h"
#include "test_main.h"
#include "workload/generate.h"

#include <QTest>

#include <cmath>

namespace test_solve_why {

using namespace tilewright;

namespace {

ProblemPtr generated(WorkloadKind kind, std::uint64_t seed)
{
    GenerateOptions options;
    options.kind = kind;
    options.seed = seed;
    Problem::Data data = generateWorkload(options).value()->data();
    // Numbers that a tenth more or less of leaves whole.
    for (Op& op : data.ops)
        op.baseCost *= 11;
    data.hardware.slowMemoryBandwidth =
        std::max<std::int64_t>(1, data.hardware.slowMemoryBandwidth / 10) * 10;
    return Problem::build(std::move(data)).value();
}

Schedule solved(const Problem& problem)
{
    SolveOptions options;
    options.seconds = 0;
    options.iterations = 500;
    options.threads = 1;
    return solve(problem, options).value().schedule;
}

bool close(double a, double b, double scale)
{
    return std::abs(a - b) <= 1e-9 * scale;
}

} // namespace

class TestSolveWhy : public QObject
{
    Q_OBJECT

private slots:
    void sharesAddUpAndGainsAreExact_data();
    void sharesAddUpAndGainsAreExact();
    void capacityThatBindsIsSeen();
    void anInvalidScheduleHasNone();
    void changesAreRankedByGain();
    void alternativesArriveOneByOne();
    void budgetsFollowTheSize();
};

void TestSolveWhy::sharesAddUpAndGainsAreExact_data()
{
    QTest::addColumn<int>("kind");
    for (const WorkloadKindInfo& info : workloadKinds())
        QTest::newRow(std::string(info.name).c_str()) << static_cast<int>(info.kind);
}

void TestSolveWhy::sharesAddUpAndGainsAreExact()
{
    QFETCH(int, kind);
    const ProblemPtr problem = generated(static_cast<WorkloadKind>(kind), 3);
    for (const Schedule& schedule : {oneOpPerSubgraph(*problem), solved(*problem)}) {
        const Evaluation now = evaluate(*problem, schedule, Rules::final());
        if (!now.valid())
            continue;
        const auto r = criticalResources(*problem, schedule, Rules::final());
        QVERIFY(r);
        QVERIFY(r->exact);
        QCOMPARE(r->total, now.total);
        QVERIFY(close(r->compute + r->load + r->store, now.total, now.total));
        // What is claimed for other hardware is what the evaluator says of it.
        const auto faster = withHardware(*problem, HardwareParameter::Bandwidth, 1.1).value();
        QVERIFY(close(now.total - r->moreBandwidth, evaluate(*faster, schedule, Rules::final()).total,
                      now.total));
        Problem::Data data = problem->data();
        for (Op& op : data.ops)
            op.baseCost = op.baseCost / 11 * 10;
        const ProblemPtr computing = Problem::build(std::move(data)).value();
        QVERIFY(close(now.total - r->fasterCompute, evaluate(*computing, schedule, Rules::final()).total,
                      now.total));
        QVERIFY(r->moreCapacity >= 0 && r->moreCapacity <= r->unlimitedCapacity);
        QVERIFY(r->unlimitedCapacity < now.total);
    }
}

/// A product whose operands do not fit is loaded again and again; with room for all it is not.
void TestSolveWhy::capacityThatBindsIsSeen()
{
    Problem::Data data;
    for (int i = 0; i < 3; ++i)
        data.tensors.push_back({256, 256, {}});
    Op op;
    op.type = OpType::MatMul;
    op.inputs = {TensorId(0), TensorId(1)};
    op.output = TensorId(2);
    op.baseCost = 10;
    data.ops.push_back(op);
    data.hardware = {6000, 10, 128, 128, {}};
    const ProblemPtr problem = Problem::build(std::move(data)).value();
    const Schedule schedule = solved(*problem);
    const auto r = criticalResources(*problem, schedule, Rules::final());
    QVERIFY(r);
    QVERIFY(r->unlimitedCapacity > 0.2 * r->total);
    QVERIFY(r->load > r->compute);
    // The claim holds: the schedule solved for the larger memory is at least that much faster.
    const auto large = withHardware(*problem, HardwareParameter::Capacity, 1000).value();
    QVERIFY(evaluate(*large, solved(*large), Rules::final()).total <=
            r->total - r->unlimitedCapacity + 1e-9 * r->total);
}

void TestSolveWhy::anInvalidScheduleHasNone()
{
    const ProblemPtr problem = generated(WorkloadKind::Mlp, 1);
    Schedule schedule = oneOpPerSubgraph(*problem);
    schedule.subgraphs.pop_back();
    QVERIFY(!criticalResources(*problem, schedule, Rules::final()));
}

void TestSolveWhy::changesAreRankedByGain()
{
    const ProblemPtr problem = generated(WorkloadKind::Random, 7);
    const Comparison c =
        compareSchedules(problem, oneOpPerSubgraph(*problem), solved(*problem), Rules::final());
    const auto order = rankedByGain(c);
    QCOMPARE(order.size(), c.contributions.size());
    QVERIFY(order.size() > 3);
    double sum = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double delta = c.contributions[order[i]].delta;
        QVERIFY(delta == 0 || std::abs(delta) > 1e-12 * c.before); // no dust of rounding
        sum += delta;
        if (i > 0)
            QVERIFY(c.contributions[order[i - 1]].delta <= c.contributions[order[i]].delta);
    }
    QVERIFY(close(sum, c.after - c.before, c.before));
}

void TestSolveWhy::alternativesArriveOneByOne()
{
    const ProblemPtr problem = generated(WorkloadKind::Random, 7);
    Schedule schedule = solved(*problem);
    Subgraph pinned = *schedule.subgraphs[1];
    pinned.locked = true;
    schedule.subgraphs[1] = std::make_shared<const Subgraph>(pinned);
    std::vector<std::size_t> sizes;
    const auto all = solveAlternatives(*problem, schedule, Rules::final(), {},
                                       [&](SubgraphId i, const std::vector<SolveAlternative>& found) {
                                           QCOMPARE(i.index(), sizes.size());
                                           sizes.push_back(found.size());
                                       });
    QCOMPARE(all.size(), schedule.size());
    QCOMPARE(sizes.size(), schedule.size());
    const double total = evaluate(*problem, schedule, Rules::final()).total;
    for (std::size_t i = 0; i < all.size(); ++i) {
        QCOMPARE(all[i].size(), sizes[i]);
        for (const SolveAlternative& a : all[i]) {
            const Evaluation e = evaluate(*problem, a.schedule, Rules::final());
            QVERIFY(e.valid());
            QCOMPARE(a.total, e.total);
            QVERIFY(close(a.loss, e.total - total, total));
        }
    }
    QVERIFY(all[1].empty());
    // A stop ends it early.
    std::stop_source stop;
    int seen = 0;
    (void)solveAlternatives(*problem, schedule, Rules::final(), {stop.get_token(), {}},
                            [&](SubgraphId, const std::vector<SolveAlternative>&) {
                                ++seen;
                                stop.request_stop();
                            });
    QCOMPARE(seen, 1);
}

void TestSolveWhy::budgetsFollowTheSize()
{
    QCOMPARE(suggestedSeconds(5), 0.2);
    QCOMPARE(suggestedSeconds(20), 0.5);
    QCOMPARE(suggestedSeconds(32), 1.5);
    QCOMPARE(suggestedSeconds(63), 3.0);
    QCOMPARE(suggestedSeconds(103), 6.0);
    QCOMPARE(suggestedSeconds(152), 12.0);
    QVERIFY(suggestedSeconds(3000) == 60.0);
}

TILEWRIGHT_TEST(TestSolveWhy)

} // namespace test_solve_why
#include "test_solve_why.moc"
