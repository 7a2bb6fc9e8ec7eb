// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/evaluator.h"
#include "eval/memory_use.h"
#include "eval/waste.h"
#include "oracle_reader.h"
#include "rules/check.h"
#include "test_main.h"

#include <QtTest>

namespace test_traffic {

using namespace tilewright;

class TestTraffic : public QObject
{
    Q_OBJECT
private slots:
    void sumsAreThoseOfTheEvaluation();
    void perTensor();
    void limits();
    void rule_7_6_ofWindowsTheHaloIsLoadedAgain();
    void rule_7_6_withoutMapsTheInputsAreLoadedOnce();
    void rule_8_5_paddingIsTimeWithoutWork();
};

void TestTraffic::sumsAreThoseOfTheEvaluation()
{
    int checked = 0;
    for (const auto& [problem, schedule] : oracle::cases()) {
        for (const Rules& rules : {Rules::final(), Rules::seed()}) {
            const Evaluation evaluation = evaluateByTrace(*problem, schedule, rules);
            if (!evaluation.valid())
                continue;
            for (std::size_t s = 0; s < schedule.size(); ++s) {
                std::span<const TensorId> resident;
                if (s > 0)
                    resident = schedule.subgraphs[s - 1]->retain;
                const auto traffic = tensorTraffic(*problem, *schedule.subgraphs[s], resident, rules);
                QVERIFY(traffic);
                std::int64_t load = 0, store = 0;
                for (const TensorTraffic& t : *traffic) {
                    load += t.load;
                    store += t.store;
                    QVERIFY(t.load > 0 || t.store > 0);
                }
                QCOMPARE(load, evaluation.subgraphs[s].loadElements);
                QCOMPARE(store, evaluation.subgraphs[s].storeElements);
                ++checked;
            }
        }
    }
    qInfo("%d subgraphs", checked);
    QVERIFY(checked > 500);
}

void TestTraffic::perTensor()
{
    // One MatMul 4 x 4 = (4 x 8)(8 x 4) in four tiles, raster: rows of the LHS once, the RHS columns each
    // time.
    Problem::Data data;
    data.tensors.push_back({8, 4, {}});
    data.tensors.push_back({4, 8, {}});
    data.tensors.push_back({4, 4, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 10, {}});
    data.hardware = {1000, 1, 2, 2, 8};
    const auto problem = Problem::build(data);
    QVERIFY(problem);
    const Subgraph subgraph{{OpId(0)}, {2, 2, 8}, {}, {}, {}, false};
    const auto traffic = tensorTraffic(**problem, subgraph, {}, Rules::final());
    QVERIFY(traffic);
    QCOMPARE(*traffic, (std::vector<TensorTraffic>{
                           {TensorId(0), 32, 0, 32}, {TensorId(1), 64, 0, 32}, {TensorId(2), 0, 16, 0}}));
    // A resident input is not loaded, a retained output not stored.
    Subgraph kept = subgraph;
    kept.retain = {TensorId(2)};
    const TensorId resident[] = {TensorId(1)};
    QCOMPARE(*tensorTraffic(**problem, kept, resident, Rules::final()),
             (std::vector<TensorTraffic>{{TensorId(0), 32, 0, 32}}));
}

void TestTraffic::limits()
{
    Problem::Data data;
    data.tensors.push_back({4096, 4096, {}});
    data.tensors.push_back({4096, 4096, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(1), 10, {}});
    data.hardware = {1000, 1, 2, 2, 8};
    const auto problem = Problem::build(data);
    QVERIFY(problem);
    const Subgraph subgraph{{OpId(0)}, {2, 2, 1}, {}, {}, {}, false};
    QVERIFY(!tensorTraffic(**problem, subgraph, {}, Rules::final(), 1000));
    std::stop_source source;
    source.request_stop();
    QVERIFY(!tensorTraffic(**problem, subgraph, {}, Rules::final(), 2'000'000, source.get_token()));
}

/// A convolution of 3 x 3 on an image of 4 x 4 in one channel, in tiles of one row of the result: they load
/// 2, 3, 3 and 2 rows of 4 elements.
void TestTraffic::rule_7_6_ofWindowsTheHaloIsLoadedAgain()
{
    Problem::Data data;
    data.hardware = {1000, 1, 4, 4, {}};
    WindowsMap map;
    map.h = map.w = 4;
    map.window = {3, 3};
    map.pad = {1, 1, 1, 1};
    for (const auto& [width, height] : {std::pair{1, 16}, {9, 16}, {2, 9}, {2, 16}})
        data.tensors.push_back({width, height, {}});
    data.views.push_back({TensorId(1), {TensorId(0)}, map});
    data.ops.push_back({OpType::MatMul, {TensorId(1), TensorId(2)}, TensorId(3), 700, {}});
    const auto problem = Problem::build(std::move(data));
    QVERIFY(problem);
    const auto loadsOf = [&](const Granularity& g) {
        Schedule schedule;
        schedule.subgraphs.push_back(
            std::make_shared<const Subgraph>(Subgraph{{OpId(0)}, g, {}, {}, {}, false}));
        const Waste waste =
            wasteOf(**problem, schedule, evaluate(**problem, schedule, Rules::machine()), SubgraphId(0));
        return waste.loads.value_or(Reloads{-1, -1, -1});
    };
    const Reloads rows = loadsOf({2, 4, 9});
    QCOMPARE(rows.once, 16.0 + 18.0); // image and weights, which stay
    QCOMPARE(rows.again, 24.0);
    QCOMPARE(rows.halo, 24.0);
    // The columns of the result one by one: everything is read for each, the halos too.
    const Reloads columns = loadsOf({1, 4, 9});
    QCOMPARE(columns.once, 34.0);
    QCOMPARE(columns.halo, 24.0);
    QVERIFY(columns.again > 24.0 + 16.0);
    QCOMPARE(loadsOf({2, 16, 9}).again, 0.0); // one tile
}

void TestTraffic::rule_7_6_withoutMapsTheInputsAreLoadedOnce()
{
    int again = 0, checked = 0;
    for (const auto& [problem, schedule] : oracle::cases())
        for (const Rules& rules : {Rules::final(), Rules::seed()}) {
            const Evaluation evaluation = evaluateByTrace(*problem, schedule, rules);
            if (!evaluation.valid())
                continue;
            const std::vector<Waste> waste = wasteOf(*problem, schedule, evaluation);
            Reloads sum;
            for (std::size_t s = 0; s < schedule.size(); ++s) {
                const std::vector<TensorId> resident =
                    residentBefore(*problem, schedule, rules, SubgraphId(s));
                const auto traffic = tensorTraffic(*problem, *schedule.subgraphs[s], resident, rules);
                std::int64_t once = 0, load = 0;
                for (const TensorTraffic& t : *traffic) {
                    once += t.once;
                    load += t.load;
                }
                QVERIFY(waste[s].loads);
                QCOMPARE(waste[s].loads->once, static_cast<double>(once));
                QCOMPARE(waste[s].loads->again, static_cast<double>(load - once));
                QVERIFY(load >= once);
                sum.again += waste[s].loads->again;
                again += load > once;
                ++checked;
            }
            QCOMPARE(sumOf(waste).loads->again, sum.again);
        }
    QVERIFY2(checked > 500 && again > 50, qPrintable(QString::number(again)));
}

/// A tile of the native size has no padding; one that the edge of a tensor cuts is charged as a whole one.
void TestTraffic::rule_8_5_paddingIsTimeWithoutWork()
{
    const auto paddingOf = [](std::int64_t side) {
        Problem::Data data;
        data.hardware = {100'000, 1, 8, 8, {}};
        for (int t = 0; t < 2; ++t)
            data.tensors.push_back({side, side, {}});
        data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(1), 64, {}});
        const auto problem = Problem::build(data);
        Schedule schedule;
        schedule.subgraphs.push_back(
            std::make_shared<const Subgraph>(Subgraph{{OpId(0)}, {8, 8, 1}, {}, {}, {}, false}));
        return wasteOf(**problem, schedule, evaluate(**problem, schedule, Rules::final()), SubgraphId(0))
            .padding;
    };
    QCOMPARE(paddingOf(16), 0.0);
    QCOMPARE(paddingOf(12), 4 * 64.0 - 64.0 * 12 * 12 / 64); // four tiles for the work of 2.25
}

TILEWRIGHT_TEST(TestTraffic)

} // namespace test_traffic
#include "test_traffic.moc"
