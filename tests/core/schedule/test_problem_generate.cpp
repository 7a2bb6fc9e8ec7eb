// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/edits.h"
#include "eval/evaluation.h"
#include "test_main.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <set>

namespace test_problem_generate {

using namespace tilewright;

class TestProblemGenerate : public QObject
{
    Q_OBJECT

private slots:
    void everyKindIsDeterministicAndReadable_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("branches");
        QTest::addColumn<int>("ops");
        const auto row = [](WorkloadKind kind, int layers, int branches, int ops) {
            const auto name = std::string(workloadKinds()[static_cast<std::size_t>(kind)].name);
            QTest::addRow("%s", name.c_str()) << static_cast<int>(kind) << layers << branches << ops;
        };
        row(WorkloadKind::Transformer, 6, 3, 150);
        row(WorkloadKind::Mlp, 3, 1, 12);
        row(WorkloadKind::ConvNet, 2, 5, 2 * (1 + 1 + 5 + 4 + 1 + 1 + 1));
        row(WorkloadKind::Diamond, 3, 4, 18);
        row(WorkloadKind::Moe, 1, 6, 33);
        row(WorkloadKind::FanOut, 2, 7, 26);
        row(WorkloadKind::Random, 1, 5, 40);
    }
    void everyKindIsDeterministicAndReadable()
    {
        QFETCH(int, kind);
        QFETCH(int, layers);
        QFETCH(int, branches);
        GenerateOptions o;
        o.kind = static_cast<WorkloadKind>(kind);
        o.layers = layers;
        o.branches = branches;
        o.ops = 40;
        const auto p = generateWorkload(o);
        QVERIFY2(p.hasValue(), p ? "" : p.error().text().c_str());
        QTEST(static_cast<int>((*p)->opCount()), "ops");
        const std::string text = writeProblem(**p);
        QCOMPARE(writeProblem(**generateWorkload(o)), text);
        const auto again = readProblem(text, "generated");
        QVERIFY2(again.hasValue(), again ? "" : again.error().text().c_str());
        QVERIFY((*again)->data().ops == (*p)->data().ops && (*again)->data().tensors == (*p)->data().tensors);
        std::set<std::string> names;
        for (const Op& op : (*p)->ops())
            names.insert(op.name);
        QCOMPARE(names.size(), (*p)->opCount());
        o.ragged = true;
        const auto a = generateWorkload(o);
        o.seed = 2;
        const auto b = generateWorkload(o);
        QVERIFY(a.hasValue() && b.hasValue());
        QVERIFY(writeProblem(**a) != writeProblem(**b));
        // Each op alone, made to fit, is a valid schedule of it.
        const Evaluation e = evaluate(**p, edit::coverMissing(**p, Schedule{}), Rules::final());
        QVERIFY2(e.valid(), e.valid() ? "" : e.verdict()->text.c_str());
    }

    void randomProblemsOfAllSizes()
    {
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            GenerateOptions o;
            o.kind = WorkloadKind::Random;
            o.seed = seed;
            o.ops = static_cast<std::int64_t>(1 + seed * 3);
            o.rows = 7 + static_cast<std::int64_t>(seed);
            o.width = 300 - static_cast<std::int64_t>(seed);
            o.native = 16;
            o.ragged = seed % 2 == 0;
            const auto p = generateWorkload(o);
            QVERIFY2(p.hasValue(), p ? "" : p.error().text().c_str());
            QCOMPARE((*p)->opCount(), static_cast<std::size_t>(o.ops));
        }
    }

    void namesAndLimits()
    {
        for (const WorkloadKindInfo& info : workloadKinds())
            QCOMPARE(*workloadKindOf(info.name), info.kind);
        QVERIFY(workloadKindOf("lstm").error().text().starts_with(
            "there is no kind \"lstm\"; the kinds are transformer, mlp"));
        GenerateOptions o;
        o.rows = -3;
        QCOMPARE(generateWorkload(o).error().text(), std::string("rows: must be from 1 to 1048576, got -3"));
        o.rows = 1;
        o.layers = 100'000;
        QVERIFY(generateWorkload(o).error().text().find("more than 1000000") != std::string::npos);
    }
};

TILEWRIGHT_TEST(TestProblemGenerate)

} // namespace test_problem_generate
#include "test_problem_generate.moc"
