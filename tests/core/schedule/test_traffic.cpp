// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/memory_use.h"
#include "oracle_reader.h"
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
    QCOMPARE(*traffic,
             (std::vector<TensorTraffic>{{TensorId(0), 32, 0}, {TensorId(1), 64, 0}, {TensorId(2), 0, 16}}));
    // A resident input is not loaded, a retained output not stored.
    Subgraph kept = subgraph;
    kept.retain = {TensorId(2)};
    const TensorId resident[] = {TensorId(1)};
    QCOMPARE(*tensorTraffic(**problem, kept, resident, Rules::final()),
             (std::vector<TensorTraffic>{{TensorId(0), 32, 0}}));
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

TILEWRIGHT_TEST(TestTraffic)

} // namespace test_traffic
#include "test_traffic.moc"
