// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of products as a workload (docs/rules/workload.md 1).
#include "lower/workload.h"
#include "model/topology.h"
#include "test_main.h"

#include <QTest>

namespace test_gemm_lists {

using namespace tilewright;

class TestGemmLists : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aListWithoutNamesIsAWorkload();
    void countsAreEqualProducts();
    void wrongCountsAreNamed_data();
    void wrongCountsAreNamed();
};

void TestGemmLists::aListWithoutNamesIsAWorkload()
{
    const auto read = lower::readWorkload("m,k,n\n128,512,1408\n1,4096,1024\n", "gemms.csv");
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->model.operators.size(), 2);
    QCOMPARE(read->model.operators[OperatorId(1)].name, std::string("gemm1"));
    QCOMPARE(model::macsOf(read->model), 128 * 512 * 1408 + 4096 * 1024);
}

void TestGemmLists::countsAreEqualProducts()
{
    const auto read = model::readTopology("name;M;N;K;count\nq;8;16;32;3\nhead;8;100;16;1\n", "gemms.csv");
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->operators.size(), 4);
    QCOMPARE(read->operators[OperatorId(2)].name, std::string("q[2]"));
    QCOMPARE(read->operators[OperatorId(3)].name, std::string("head"));
    QCOMPARE(model::macsOf(*read), 3 * 8 * 16 * 32 + 8 * 100 * 16);
}

void TestGemmLists::wrongCountsAreNamed_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
    QTest::newRow("zero") << QStringLiteral("m,k,n,count\n1,2,3,0\n")
                          << QStringLiteral("x.csv: line 2: Count: expected a whole number from 1 to "
                                            "2147483648, got \"0\"");
    QTest::newRow("missing") << QStringLiteral("m,k,n,count\n1,2,3\n")
                             << QStringLiteral("x.csv: line 2: the column \"Count\" is missing");
    QTest::newRow("too many") << QStringLiteral("m,k,n,count\n1,2,3,60000\n1,2,3,60000\n")
                              << QStringLiteral(
                                     "x.csv: line 3: the counts are more than 100 000 together up to here");
}

void TestGemmLists::wrongCountsAreNamed()
{
    QFETCH(QString, text);
    QFETCH(QString, error);
    const auto read = model::readTopology(text.toStdString(), "x.csv");
    QVERIFY(!read);
    QCOMPARE(QString::fromStdString(read.error().text()).replace(QChar(0x202f), QLatin1Char(' ')), error);
}

TILEWRIGHT_TEST(TestGemmLists)

} // namespace test_gemm_lists

#include "test_gemm_lists.moc"
