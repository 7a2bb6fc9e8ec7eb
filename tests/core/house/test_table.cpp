// SPDX-License-Identifier: GPL-3.0-or-later
// A table's cells, stored or made by its columns, and the text that is copied and written to files.
#include "base/table.h"
#include "base/text.h"
#include "test_main.h"

#include <QtTest>

namespace test_table {

using namespace tilewright;

class TestTable : public QObject
{
    Q_OBJECT

private slots:
    void storedRows()
    {
        Table table({"name", "bytes", "gain"});
        table.columns[1].kind = ColumnKind::Bytes;
        table.columns[2].kind = ColumnKind::Change;
        table.add("a,b", 2048, -1.5);
        table.add(TableCell("c\td", "shown", 7, "why"), std::optional<int>(), 1234567.25);
        QCOMPARE(table.rowCount(), std::size_t{2});
        QCOMPARE(table.shown(0, 1), bytesText(2048));
        QCOMPARE(table.shown(0, 2), signedNumber(-1.5));
        QCOMPARE(table.shown(1, 0), std::string("shown"));
        QCOMPARE(table.tip(1, 0), std::string("why"));
        QCOMPARE(std::get<std::int64_t>(table.key(1, 0)), std::int64_t{7});
        QCOMPARE(std::get<std::string>(table.key(0, 0)), std::string("a,b"));
        QVERIFY(!table.key(1, 1).isKnown());
        QCOMPARE(csvOf(table), std::string("name,bytes,gain\n\"a,b\",2048,-1.5\nc\td,,1234567.25\n"));
        QCOMPARE(csvOf(table, ", "),
                 std::string("name, bytes, gain\n\"a,b\", 2048, -1.5\nc\td, , 1234567.25\n"));
        QCOMPARE(csvOf(table, "\t"), std::string("name\tbytes\tgain\na,b\t2048\t-1.5\nc\td\t\t1234567.25\n"));
    }

    void rowsThatColumnsMake()
    {
        const std::vector<double> values{0.5, 0.25};
        Table table;
        table.count = values.size();
        table.columns = {{"Part"}, {"Share", ColumnKind::Percent}, {"Bar"}};
        table.nameColumns(QStringLiteral("part\tshare"));
        table.columns[0].cell = [](std::size_t row) -> TableCell { return row; };
        table.columns[1].cell = [&](std::size_t row) {
            return TableCell(values[row], percent(values[row]), {}, std::to_string(row));
        };
        table.columns[2].cell = [](std::size_t) -> TableCell { return TableValue(); };
        table.rowTip = [](std::size_t) { return QStringLiteral("row"); };
        QCOMPARE(table.shown(0, 1), percent(0.5));
        QCOMPARE(table.shown(1, 2), std::string());
        QCOMPARE(table.tip(1, 1), std::string("1"));
        QCOMPARE(table.tip(1, 0), std::string("row"));
        QCOMPARE(csvOf(table), std::string("part,share\n0,0.5\n1,0.25\n"));
    }
};

TILEWRIGHT_TEST(TestTable)

} // namespace test_table
#include "test_table.moc"
