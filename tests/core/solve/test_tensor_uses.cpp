// SPDX-License-Identifier: GPL-3.0-or-later
// What a schedule does with one tensor.
#include "edit/edits.h"
#include "edit/fit.h"
#include "eval/evaluation.h"
#include "explain/tensor_uses.h"
#include "oracle_reader.h"
#include "test_main.h"

#include <QTest>

namespace test_tensor_uses {

using namespace tilewright;

namespace {

/// Two functions in a row.
ProblemPtr twoFunctions()
{
    Problem::Data data;
    data.tensors = IdVector<TensorId, Tensor>(3, Tensor{128, 128, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(1), 100, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(1)}, TensorId(2), 100, {}});
    data.hardware = {40'000, 10, 128, 128, {}};
    return *Problem::build(std::move(data));
}

} // namespace

class TestTensorUses : public QObject
{
    Q_OBJECT
private slots:
    void sumsAreThoseOfTheEvaluation();
    void retainedTensorsStay();
    void retentionBelongsToWhoComputes();
};

/// Over all tensors and subgraphs.
void TestTensorUses::sumsAreThoseOfTheEvaluation()
{
    int checked = 0, interiors = 0, residents = 0;
    for (const auto& [problem, schedule] : oracle::cases()) {
        const Rules rules = Rules::final();
        const Evaluation evaluation = evaluateByTrace(*problem, schedule, rules);
        if (!evaluation.valid())
            continue;
        std::int64_t load = 0, store = 0, expectedLoad = 0, expectedStore = 0;
        for (const SubgraphEvaluation& e : evaluation.subgraphs) {
            expectedLoad += e.loadElements;
            expectedStore += e.storeElements;
        }
        for (std::size_t t = 0; t < problem->tensorCount(); ++t)
            for (const TensorUse& use : tensorUses(*problem, schedule, rules, TensorId(t))) {
                interiors += use.interior;
                residents += use.resident;
                if (use.interior)
                    QVERIFY(use.computed && use.traffic && use.traffic->load + use.traffic->store == 0);
                if (!use.traffic)
                    continue;
                load += use.traffic->load;
                store += use.traffic->store;
            }
        QCOMPARE(load, expectedLoad);
        QCOMPARE(store, expectedStore);
        ++checked;
    }
    QVERIFY2(checked > 100 && interiors > 50 && residents > 20,
             qPrintable(QStringLiteral("%1 %2 %3").arg(checked).arg(interiors).arg(residents)));
}

/// The tensor between the functions is retained after the first.
void TestTensorUses::retainedTensorsStay()
{
    const ProblemPtr problem = twoFunctions();
    const Schedule schedule = oneOpPerSubgraph(*problem);
    const auto plain = tensorUses(*problem, schedule, Rules::final(), TensorId(1));
    QCOMPARE(plain.size(), std::size_t{2});
    QVERIFY(plain[0].computed && !plain[0].read && !plain[0].retained);
    QVERIFY(plain[1].read && !plain[1].resident);
    QCOMPARE(plain[0].traffic->store, std::int64_t{128 * 128});
    QCOMPARE(plain[1].traffic->load, std::int64_t{128 * 128});
    const auto retained = edit::toggleRetain(*problem, schedule, SubgraphId(0), TensorId(1));
    QVERIFY(retained);
    const auto kept = tensorUses(*problem, *retained, Rules::final(), TensorId(1));
    QVERIFY(kept[0].retained && kept[1].resident && kept[1].read);
    QCOMPARE(kept[0].traffic->store + kept[1].traffic->load, std::int64_t{0});
}

void TestTensorUses::retentionBelongsToWhoComputes()
{
    const ProblemPtr problem = twoFunctions();
    const Schedule schedule = oneOpPerSubgraph(*problem);
    QCOMPARE(retainingSubgraph(*problem, schedule, TensorId(1)), std::optional(SubgraphId(0)));
    QCOMPARE(retainingSubgraph(*problem, schedule, TensorId(0)), std::optional(SubgraphId(0))); // reads it
    QCOMPARE(retainingSubgraph(*problem, schedule, TensorId(1), SubgraphId(1)), std::optional(SubgraphId(1)));
    QCOMPARE(retainingSubgraph(*problem, schedule, TensorId(2), SubgraphId(0)), std::optional(SubgraphId(1)));
}

TILEWRIGHT_TEST(TestTensorUses)

} // namespace test_tensor_uses
#include "test_tensor_uses.moc"
