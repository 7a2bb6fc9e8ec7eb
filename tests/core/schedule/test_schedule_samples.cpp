// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "eval/rule_choice.h"
#include "schedule/schedule_json.h"
#include "test_main.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <filesystem>
#include <map>

namespace test_schedule_samples {

using namespace tilewright;

namespace {

const std::string kFolder = TILEWRIGHT_SOURCE_DIR "/samples/schedule/";

struct Row
{
    QString problem;
    int ops = 0;
    QString total;
};

/// The README's table: by "problem.strategy".
std::map<QString, Row> readmeRows()
{
    std::map<QString, Row> rows;
    QString problem;
    int ops = 0;
    const QString text = QString::fromStdString(*readFile(kFolder + "README.md"));
    for (const QString& line : text.split('\n')) {
        QStringList cells = line.split('|');
        if (cells.size() != 7 || cells[2].contains("ops") || cells[1].contains("---"))
            continue;
        for (QString& cell : cells)
            cell = cell.trimmed();
        if (!cells[1].isEmpty()) {
            problem = cells[1];
            ops = cells[2].toInt();
        }
        rows[problem + "." + cells[3]] = {problem, ops, cells[4]};
    }
    return rows;
}

} // namespace

class TestScheduleSamples : public QObject
{
    Q_OBJECT

private slots:
    void theReadmeListsEveryFile()
    {
        std::map<QString, Row> rows = readmeRows();
        std::map<QString, int> problems;
        for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
            const QString name = QString::fromStdString(entry.path().filename().string());
            if (name.endsWith(".schedule.json"))
                QVERIFY2(rows.erase(name.chopped(14)) == 1, qPrintable(name));
            else if (name.endsWith(".json"))
                problems[name.chopped(5)];
        }
        QVERIFY2(rows.empty(), rows.empty() ? "" : qPrintable(rows.begin()->first));
        for (const auto& [key, row] : readmeRows())
            ++problems[row.problem];
        for (const auto& [name, schedules] : problems)
            QVERIFY2(schedules > 0, qPrintable(name));
        QVERIFY(problems.size() >= 12);
    }

    void totalsAreThoseOfTheReadme_data()
    {
        QTest::addColumn<QString>("name");
        for (const auto& [name, row] : readmeRows())
            QTest::newRow(qPrintable(name)) << name;
    }
    void totalsAreThoseOfTheReadme()
    {
        QFETCH(QString, name);
        const Row row = readmeRows()[name];
        const auto problem = loadProblem(kFolder + row.problem.toStdString() + ".json");
        QVERIFY2(problem.hasValue(), problem ? "" : problem.error().text().c_str());
        QCOMPARE((*problem)->opCount(), static_cast<std::size_t>(row.ops));
        QVERIFY(!(*problem)->name().empty());
        for (const Op& op : (*problem)->ops())
            QVERIFY(!op.name.empty());
        const auto loaded = loadSchedule(**problem, kFolder + name.toStdString() + ".schedule.json");
        QVERIFY2(loaded.hasValue(), loaded ? "" : loaded.error().text().c_str());
        QVERIFY(loaded->formatIssues.empty());
        const Evaluation e = evaluate(**problem, loaded->schedule, Rules::final());
        if (row.total == "invalid") {
            QVERIFY(!e.valid());
            return;
        }
        QVERIFY2(e.valid(), e.valid() ? "" : e.verdict()->text.c_str());
        QVERIFY2(std::abs(e.total - row.total.toDouble()) < 0.06,
                 qPrintable(QString::number(e.total, 'f', 4)));
        // The file reports its own latencies, under one of the rule sets.
        const RulesChoice choice = chooseRules(**problem, loaded->schedule);
        QVERIFY(
            reportedLatenciesAgree(loaded->schedule, evaluate(**problem, loaded->schedule, choice.rules)));
    }
};

TILEWRIGHT_TEST(TestScheduleSamples)

} // namespace test_schedule_samples
#include "test_schedule_samples.moc"
