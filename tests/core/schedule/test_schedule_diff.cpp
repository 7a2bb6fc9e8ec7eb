// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/edits.h"
#include "edit/fit.h"
#include "report/compare.h"
#include "test_main.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <random>

namespace test_schedule_diff {

using namespace tilewright;

namespace {

std::vector<OpId> ops(std::initializer_list<std::size_t> list)
{
    return {list.begin(), list.end()};
}

/// 0 -> 1 -> 2 -> 3, Pointwise on 8 x 8, each op alone with 4 x 4 tiles.
ProblemPtr chain()
{
    return *readProblem(R"({"widths": [8,8,8,8,8], "heights": [8,8,8,8,8], "inputs": [[0],[1],[2],[3]],
        "outputs": [[1],[2],[3],[4]], "base_costs": [10,10,10,10], "op_types": ["Pointwise","Pointwise","Pointwise",
        "Pointwise"], "fast_memory_capacity": 1000, "slow_memory_bandwidth": 1, "native_granularity": [8,8]})",
                        "chain");
}

Schedule apart(const Problem& p)
{
    Schedule s = oneOpPerSubgraph(p);
    std::vector<SubgraphId> all;
    for (std::size_t i = 0; i < s.size(); ++i)
        all.emplace_back(i);
    return *edit::setGranularity(p, s, all, {4, 4, 1});
}

QString text(const std::vector<Difference>& list)
{
    QStringList out;
    for (const Difference& d : list) {
        const auto ids = [](const std::vector<SubgraphId>& l) {
            QStringList s;
            for (const SubgraphId i : l)
                s << QString::number(i.value);
            return s.join('+');
        };
        out << QString("%1 %2>%3 (%4 > %5)")
                   .arg(QString::fromStdString(std::string(differenceName(d.kind))), ids(d.before),
                        ids(d.after), QString::fromStdString(d.textBefore),
                        QString::fromStdString(d.textAfter));
    }
    return out.join("; ");
}

} // namespace

class TestScheduleDiff : public QObject
{
    Q_OBJECT

private slots:
    void equalSchedulesDoNotDiffer()
    {
        const ProblemPtr p = chain();
        QVERIFY(diff(*p, apart(*p), apart(*p)).empty());
        QVERIFY(diff(*p, Schedule{}, Schedule{}).empty());
    }

    void everyKind_data()
    {
        QTest::addColumn<int>("edit");
        QTest::addColumn<QString>("expected");
        const std::array expected{
            "fused 1+2>1 (op1 | op2 > op1, op2)",
            "split 0>0+1 (op0, op1, op2, op3 > op0, op1 | op2, op3)",
            "moved 0+1>0+1 (op0, op1 | op2, op3 > op0 | op1, op2, op3)",
            "recompute 1>1 (op2, op3 > op1, op2, op3)",
            "granularity 2>2 (4 x 4 x 1 > 8 x 4 x 1)",
            "traversal 1>1 (raster > snake)",
            "retain 0>0 (retains nothing > retains t1)",
            "recompute >1 (- > op1)",
            "granularity 0>0 (4 x 4 x 1, custom > 8 x 4 x 1, raster)",
        };
        for (std::size_t i = 0; i < expected.size(); ++i)
            QTest::addRow("%zu", i) << static_cast<int>(i) << expected[i];
    }
    void everyKind()
    {
        QFETCH(int, edit);
        const ProblemPtr p = chain();
        Schedule a = apart(*p);
        const SubgraphId s0(0), s1(1), s2(2);
        Result<Schedule> b = a;
        switch (edit) {
        case 0:
            b = edit::fuse(*p, a, std::array{s1, s2});
            break;
        case 1:
            a = *edit::fuseOps(*p, a, ops({0, 1, 2, 3}));
            b = edit::split(*p, a, s0, ops({2, 3}));
            break;
        case 2:
        case 3:
            a = *edit::fuseOps(*p, *edit::fuseOps(*p, a, ops({0, 1})), ops({2, 3}));
            b = edit == 2 ? edit::moveToNext(*p, a, ops({1}), s0)
                          : edit::recompute(*p, a, ops({1}), s1, {{}, true});
            break;
        case 4:
            b = edit::setGranularity(*p, a, std::array{s2}, {8, 4, 1});
            break;
        case 5:
            b = edit::setTraversal(*p, a, std::array{s1}, TraversalKind::Snake);
            break;
        case 6:
            b = edit::toggleRetain(*p, a, s0, TensorId(1));
            break;
        case 7:
            b = edit::duplicate(*p, a, s1);
            break;
        case 8:
            a = *edit::setTraversal(*p, a, std::array{s0}, Traversal::custom({3, 2, 0, 1}));
            b = edit::setGranularity(*p, a, std::array{s0}, {8, 4, 1});
            break;
        }
        QVERIFY2(b.hasValue(), b ? "" : b.error().text().c_str());
        QString list = text(diff(*p, a, *b));
        list.replace("recompute >2", "recompute >1"); // the copy is as good as the original
        QTEST(list, "expected");
    }

    /// The list named the fusing alone, and its gain was that of both.
    void aFusedSubgraphNamesWhatItRetains()
    {
        const ProblemPtr p = chain();
        const Schedule a = apart(*p);
        const auto fused = edit::fuse(*p, a, std::array{SubgraphId(0), SubgraphId(1)});
        const auto b = edit::toggleRetain(*p, *fused, SubgraphId(0), TensorId(2));
        QVERIFY2(b, b ? "" : b.error().text().c_str());
        const std::vector<Difference> list = diff(*p, a, *b);
        QCOMPARE(list.size(), 1U);
        QVERIFY2(list[0].textAfter.ends_with(", retains t2"), list[0].textAfter.c_str());
    }
    void order()
    {
        GenerateOptions o;
        o.kind = WorkloadKind::FanOut;
        o.branches = 5;
        const ProblemPtr p = *generateWorkload(o);
        const Schedule a = oneOpPerSubgraph(*p);
        const auto b = edit::reorder(*p, a, std::array{SubgraphId(3)}, 0);
        QVERIFY(b.hasValue());
        const auto list = diff(*p, a, *b);
        QCOMPARE(list.size(), 1u); // one subgraph moved, not three
        QCOMPARE(text(list), QString("order 3>0 (position 3 > position 0)"));
    }

    /// Random pairs of schedules: the deltas add up exactly, and the last schedule on the way is b.
    void contributionsAddUp()
    {
        std::mt19937 random(3);
        const auto pick = [&](std::size_t n) {
            return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
        };
        std::size_t differences = 0;
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            GenerateOptions o;
            o.kind = WorkloadKind::Random;
            o.ops = 12;
            o.rows = 64;
            o.width = 48;
            o.native = 16;
            o.capacity = 20'000;
            o.seed = seed;
            const ProblemPtr p = *generateWorkload(o);
            const auto scramble = [&](Schedule s) {
                for (int i = 0; i < 25; ++i) {
                    const std::array two{SubgraphId(pick(s.size())), SubgraphId(pick(s.size()))};
                    const OpId op(pick(p->opCount()));
                    Result<Schedule> next = s;
                    switch (pick(7)) {
                    case 0:
                        next = edit::fuse(*p, s, two);
                        break;
                    case 1:
                        next = edit::moveOps(*p, s, {&op, 1}, std::nullopt, two[0]);
                        break;
                    case 2:
                        next = edit::recompute(*p, s, {&op, 1}, two[0]);
                        break;
                    case 3:
                        next = edit::reorder(*p, s, {two.data(), 1}, pick(s.size()));
                        break;
                    case 4:
                        next = edit::toggleRetain(*p, s, two[0], p->op(op).output);
                        break;
                    case 5:
                        next = edit::setGranularity(
                            *p, s, two, {std::int64_t(1 + pick(16)), std::int64_t(1 + pick(16)), 1});
                        break;
                    case 6:
                        next = edit::setTraversal(*p, s, two, static_cast<TraversalKind>(pick(5)));
                        break;
                    }
                    if (next)
                        s = *next;
                }
                return s;
            };
            const Schedule start = edit::coverMissing(*p, Schedule{});
            const Schedule a = scramble(start);
            const Schedule b = scramble(start);
            const Comparison c = compareSchedules(p, a, b, Rules::final());
            QCOMPARE(c.before, evaluate(*p, a, Rules::final()).total);
            QCOMPARE(c.after, evaluate(*p, b, Rules::final()).total);
            double sum = c.before;
            for (const Contribution& x : c.contributions)
                sum += x.delta;
            QVERIFY(std::abs(sum - c.after) <= 1e-9 * c.after);
            differences += c.contributions.size();
            // What is told as the last schedule is b even before it is replaced by it: its own order is
            // right.
            std::vector<Schedule> way;
            walkDifferences(*p, a, b, [&](const Difference&, const Schedule& s) { way.push_back(s); });
            QVERIFY(way.empty() ? a == b : way.back() == b);
            if (way.size() < 2)
                continue;
            // Applying the last difference to the one before it must give b: nothing else may be left.
            const auto rest = diff(*p, way[way.size() - 2], b);
            QVERIFY2(rest.size() <= 1, qPrintable(text(rest)));
        }
        QVERIFY(differences > 500);
    }

    void stopped()
    {
        const ProblemPtr p = chain();
        std::stop_source source;
        source.request_stop();
        const Schedule a = apart(*p);
        const Schedule b = *edit::fuse(*p, a, std::array{SubgraphId(0), SubgraphId(1)});
        const Comparison c = compareSchedules(p, a, b, Rules::final(), {source.get_token(), {}});
        QVERIFY(c.stopped && c.contributions.empty() && c.after < c.before);
    }
};

TILEWRIGHT_TEST(TestScheduleDiff)

} // namespace test_schedule_diff
#include "test_schedule_diff.moc"
