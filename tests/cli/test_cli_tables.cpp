// SPDX-License-Identifier: GPL-3.0-or-later
// Issue 41 d, on the command line: tables, and questions about them.
#include "base/file.h"
#include "cli_run.h"
#include "tables/call.h"
#include "tables/examples.h"
#include "test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sqlite3.h>

#include <memory>

namespace test_cli_tables {

using namespace tilewright;
using namespace tilewright::test;
using nlohmann::json;

namespace {

const QString kRoot = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");
const QString kSamples = kRoot + QStringLiteral("samples/");
const QString kProblem = kSamples + QStringLiteral("schedule/conv-net.json");
const QString kSchedule = kSamples + QStringLiteral("schedule/conv-net.fused.schedule.json");
const QString kModel = kSamples + QStringLiteral("models/llama-block.json");

json answerOf(const QStringList& arguments, int code = 0)
{
    const CliRun run = runCli(arguments + QStringList{QStringLiteral("--json")});
    if (run.code != code)
        qWarning("%s", run.err.constData());
    return run.code == code ? json::parse(run.out.toStdString()) : json();
}

/// The rows that SQLite itself reads from a file; texts as in a CSV file without quotes.
class File
{
public:
    explicit File(const QString& path)
    {
        sqlite3* opened = nullptr;
        sqlite3_open_v2(path.toUtf8().constData(), &opened, SQLITE_OPEN_READONLY, nullptr);
        m_connection.reset(opened);
    }
    [[nodiscard]] std::vector<QStringList> rows(std::string_view sql)
    {
        std::vector<QStringList> out;
        sqlite3_stmt* made = nullptr;
        const int code =
            sqlite3_prepare_v2(m_connection.get(), sql.data(), static_cast<int>(sql.size()), &made, nullptr);
        const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(made, sqlite3_finalize);
        if (code != SQLITE_OK)
            return {{QString::fromUtf8(sqlite3_errmsg(m_connection.get()))}};
        while (sqlite3_step(made) == SQLITE_ROW) {
            QStringList& row = out.emplace_back();
            for (int c = 0; c < sqlite3_column_count(made); ++c)
                row << QString::fromUtf8(reinterpret_cast<const char*>(sqlite3_column_text(made, c)));
        }
        return out;
    }
    [[nodiscard]] double number(std::string_view sql)
    {
        const auto all = rows(sql);
        return all.size() == 1 ? all[0][0].toDouble() : std::nan("");
    }

private:
    std::unique_ptr<sqlite3, decltype(&sqlite3_close)> m_connection{nullptr, sqlite3_close};
};

std::shared_ptr<const tables::Database> databaseOf(const QString& problem, const QString& schedule = {})
{
    tables::TablesCall call;
    call.workload.file = problem.toStdString();
    call.schedule = schedule.toStdString();
    const auto subject = tables::subjectOf(call);
    return subject ? tables::Database::of(*subject) : nullptr;
}

} // namespace

class TestCliTables : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void figuresAreThoseOfEvaluate();
    void stepsAddUpToTheirSubgraph();
    void withoutAScheduleOneOpASubgraph();
    void lensesAndSweepsFillTheirTables();
    void examplesAnswerOnAFile();
    void theHandbookHasEveryColumnAndEveryExample();
    void aQueryIsAnsweredAsTableAndAsJson();
    void wrongQuestionsAreRefused_data();
    void wrongQuestionsAreRefused();
    void wrongCallsAreRefused_data();
    void wrongCallsAreRefused();
    void longQuestionsEnd();
    void anInvalidScheduleHasNoFigures();
    void longSubgraphsAreListedInPart();
    void theSameCallWritesTheSameFile();

private:
    [[nodiscard]] QString path(const char* name) const
    {
        return m_folder.filePath(QString::fromLatin1(name));
    }
    /// A file with all tables filled.
    [[nodiscard]] QString everything();
    QTemporaryDir m_folder;
};

void TestCliTables::figuresAreThoseOfEvaluate()
{
    const json evaluated = answerOf({"evaluate", kProblem, kSchedule});
    QCOMPARE(runCli({"tables", kProblem, kSchedule, "-o", path("t.sqlite")}).code, 0);
    File file(path("t.sqlite"));
    QCOMPARE(file.number("SELECT number FROM about WHERE name = 'total_latency'"),
             evaluated["total_latency"].get<double>());
    QCOMPARE(file.number("SELECT number FROM about WHERE name = 'lower_bound'"),
             evaluated["lower_bound"].get<double>());
    const auto rows =
        file.rows("SELECT latency_time_units, compute_time_units, memory_time_units, load_elements, "
                  "store_elements, peak_working_set_elements, reserved_elements, steps_count, "
                  "tile_rows_count, tile_columns_count, compute_bound_steps_count, bound "
                  "FROM subgraphs ORDER BY subgraph");
    const json& subgraphs = evaluated["subgraphs"];
    QCOMPARE(rows.size(), subgraphs.size());
    const std::vector<const char*> fields{
        "latency",  "compute", "memory", "load_elements", "store_elements",     "peak_working_set",
        "reserved", "steps",   "rows",   "cols",          "compute_bound_steps"};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t f = 0; f < fields.size(); ++f)
            QCOMPARE(rows[i][static_cast<int>(f)].toDouble(), subgraphs[i][fields[f]].get<double>());
        QCOMPARE(rows[i].back().toStdString(), subgraphs[i]["bound"].get<std::string>());
    }
    const json padding = answerOf({"explain", kProblem, kSchedule, "subgraphs.1.padding"});
    QCOMPARE(file.number("SELECT padding_ratio FROM subgraphs WHERE subgraph = 1"),
             padding["explanation"]["value"].get<double>());
    const json latency = answerOf({"explain", kProblem, kSchedule, "ops.2.latency"});
    QCOMPARE(file.number("SELECT latency_time_units FROM ops WHERE op = 2"),
             latency["explanation"]["value"].get<double>());
}

void TestCliTables::stepsAddUpToTheirSubgraph()
{
    const auto database = databaseOf(kProblem, kSchedule);
    QVERIFY(database);
    const auto differences = database->query(
        "SELECT subgraph FROM subgraphs s WHERE "
        "abs(latency_time_units - (SELECT sum(latency_time_units) FROM steps WHERE subgraph = s.subgraph)) > "
        "1e-6 OR "
        "abs(compute_time_units - (SELECT sum(compute_time_units) FROM runs WHERE subgraph = s.subgraph)) > "
        "1e-6 OR "
        "abs(load_elements - (SELECT sum(load_elements) FROM traffic WHERE subgraph = s.subgraph)) > 1e-6 OR "
        "abs(start_time_units - (SELECT min(start_time_units) FROM steps WHERE subgraph = s.subgraph)) > "
        "1e-6 OR "
        "peak_working_set_elements <> (SELECT max(working_set_elements) FROM steps WHERE subgraph = "
        "s.subgraph)");
    QVERIFY(differences);
    QCOMPARE(differences->rows.size(), std::size_t{0});
    const auto steps = database->query("SELECT count(*) > 9 FROM steps");
    QCOMPARE(steps->rows[0][0].exact(), std::string("1"));
}

void TestCliTables::withoutAScheduleOneOpASubgraph()
{
    const json answer =
        answerOf({"tables", kProblem, "--query",
                  "SELECT count(*), max(ops_count) FROM subgraphs UNION ALL SELECT count(*), 1 FROM ops"});
    QCOMPARE(answer["rows"][0], answer["rows"][1]);
}

QString TestCliTables::everything()
{
    const QString file = path("everything.sqlite");
    if (QFile::exists(file))
        return file;
    const CliRun swept =
        runCli({"sweep", kRoot + "tests/fuzz/verbs/seeds/sweep.plan.json", "-o", path("runs")});
    const CliRun run = runCli({"tables", kModel, "--machine", "edge", "--npu", "--map", "--place", "--sweep",
                               path("runs"), "-o", file});
    if (swept.code != 0 || run.code != 0)
        qWarning("%s%s", swept.err.constData(), run.err.constData());
    return file;
}

void TestCliTables::lensesAndSweepsFillTheirTables()
{
    File file(everything());
    const json npu = answerOf({"npu", kModel, "--machine", "edge"});
    QCOMPARE(file.number("SELECT number FROM about WHERE name = 'npu_makespan'"),
             npu["makespan"].get<double>());
    QCOMPARE(
        file.number(
            "SELECT max(end_cycles) <= (SELECT number FROM about WHERE name = 'npu_makespan') FROM npu_ops"),
        1.0);
    double waits = 0;
    for (const json& core : npu["per_core"])
        waits += core["wait_dram"].get<double>();
    QCOMPARE(file.number("SELECT sum(length_cycles) FROM stalls WHERE state = 'wait_dram'"), waits);
    const json map = answerOf({"map", kModel, "--machine", "edge"});
    QCOMPARE(file.number("SELECT count(*) FROM mappings WHERE objective = 'energy'"),
             static_cast<double>(map["layers"].size()));
    const json table = json::parse(runCli({"sweep", "--collect", path("runs"), "--json"}).out.toStdString());
    QCOMPARE(file.number("SELECT count(*) FROM sweep_points"), static_cast<double>(table["rows"].size()));
    QVERIFY(file.number("SELECT count(*) FROM sweep_values WHERE kind = 'metric'") > 0);
    QVERIFY(file.number("SELECT count(*) FROM buffers WHERE offset_elements IS NULL") == 0);
    QVERIFY(file.number("SELECT count(*) FROM buffers") > 0);
    QVERIFY(file.number("SELECT count(*) FROM sources WHERE origin = 'derived' AND formula <> ''") > 0);
}

void TestCliTables::examplesAnswerOnAFile()
{
    QCOMPARE(tables::examples().size(), std::size_t{15});
    File file(everything());
    for (const tables::Example& example : tables::examples()) {
        const auto rows = file.rows(example.sql);
        QVERIFY2(!rows.empty() && rows[0].size() > 1,
                 qPrintable(QString::fromUtf8(example.question.data(),
                                              static_cast<qsizetype>(example.question.size())) +
                            (rows.empty() ? QString() : rows[0].join(u' '))));
    }
}

void TestCliTables::theHandbookHasEveryColumnAndEveryExample()
{
    const auto page = readFile((kRoot + "docs/handbook/query.md").toStdString());
    QVERIFY(page);
    QVERIFY(page->find(tables::schemaText()) != std::string::npos);
    for (const tables::Schema* const schema : tables::schemas())
        for (const tables::Column& column : schema->columns)
            QVERIFY2(!column.meaning.empty(), column.name.data());
    const std::string text =
        QString::fromStdString(*page).replace("\n> ", "\n").toStdString(); // lines of a shell
    for (const tables::Example& example : tables::examples()) {
        QVERIFY2(text.find(example.question) != std::string::npos, example.question.data());
        QVERIFY2(text.find(example.sql) != std::string::npos, example.sql.data());
    }
}

void TestCliTables::aQueryIsAnsweredAsTableAndAsJson()
{
    const QStringList call{"tables", kProblem, kSchedule, "--query",
                           "SELECT subgraph, bound, NULL AS unknown FROM subgraphs LIMIT 1"};
    const json answer = answerOf(call);
    QCOMPARE(answer["columns"], (json{"subgraph", "bound", "unknown"}));
    QCOMPARE(answer["rows"][0][0], json(0));
    QCOMPARE(answer["rows"][0][2], json());
    QCOMPARE(answer["more"], json(false));
    const CliRun text = runCli(call);
    QVERIFY(text.out.startsWith("subgraph  bound"));
    const json sizes = answerOf({"tables", kProblem, kSchedule});
    QCOMPARE(sizes["tables"].size(), tables::schemas().size());
    QVERIFY(runCli({"tables", "--schema"}).out.contains("latency_time_units"));
}

void TestCliTables::wrongQuestionsAreRefused_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("reason");
    QTest::newRow("syntax") << "SELEC 1"
                            << "syntax error";
    QTest::newRow("column") << "SELECT unknown FROM ops"
                            << "no such column: unknown";
    QTest::newRow("table") << "SELECT * FROM unknown"
                           << "no such table: unknown";
    QTest::newRow("two") << "SELECT 1; SELECT 2"
                         << "one statement at a time";
    QTest::newRow("none") << "-- only a comment"
                          << "there is no question";
    for (const char* sql : {"DELETE FROM ops", "UPDATE ops SET name = ''", "INSERT INTO ops (op) VALUES (1)",
                            "DROP TABLE ops", "CREATE TABLE x (y)", "ATTACH 'x.sqlite' AS x",
                            "PRAGMA query_only = OFF", "VACUUM INTO 'x.sqlite'"})
        QTest::newRow(sql) << sql << "only SELECT is answered";
    QTest::newRow("extension") << "SELECT load_extension('x')"
                               << "load_extension";
    QTest::newRow("long") << "SELECT '" + QString(70'000, u'x') + "'"
                          << "longer than";
    QTest::newRow("value") << "SELECT zeroblob(100000000)"
                           << "too big";
}

void TestCliTables::wrongQuestionsAreRefused()
{
    QFETCH(QString, sql);
    QFETCH(QString, reason);
    const CliRun run = runCli({"tables", kProblem, "--query", sql});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.startsWith("tilewright-cli: --query: ") && run.err.contains(reason.toUtf8()),
             run.err.constData());
    QCOMPARE(run.err.count('\n'), 1);
}

void TestCliTables::wrongCallsAreRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("unknown") << QStringList{} << "problem: is required";
    QTest::newRow("schema with a file") << QStringList{"--schema", kProblem} << "--schema";
    QTest::newRow("no folder") << QStringList{kProblem, "--sweep", "/nowhere"} << "/nowhere";
    QTest::newRow("output") << QStringList{kProblem, "-o", "/nowhere/x.sqlite"} << "/nowhere/x.sqlite";
    QTest::newRow("input as output") << QStringList{kProblem, "-o", kProblem} << "-o";
}

void TestCliTables::wrongCallsAreRefused()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, sentence);
    const CliRun run = runCli(QStringList{"tables"} + arguments);
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains(sentence.toUtf8()) || sentence == "-o", run.err.constData());
}

void TestCliTables::longQuestionsEnd()
{
    const auto database = databaseOf(kProblem);
    QVERIFY(database);
    const std::string endless =
        "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    const auto late = database->query(endless, {.seconds = 0.05});
    QVERIFY(!late);
    QCOMPARE(late.error().message, std::string("the question took longer than 0.05 s and was ended"));
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = database->query(endless, {.seconds = 0}, stop.get_token());
    QCOMPARE(stopped.error().message, std::string("stopped"));
    // The next question is answered, and rows beyond the limit are left out.
    const auto some = database->query("SELECT op FROM ops", {.rows = 2});
    QVERIFY(some && some->more);
    QCOMPARE(some->rows.size(), std::size_t{2});
}

void TestCliTables::anInvalidScheduleHasNoFigures()
{
    const QString problem = kSamples + "schedule/example-5.json";
    const QString schedule = kSamples + "schedule/example-5.a-out-of-memory.schedule.json";
    const json answer =
        answerOf({"tables", problem, schedule, "--query", "SELECT text FROM about WHERE name = 'error'"}, 1);
    QVERIFY(answer["rows"][0][0].get<std::string>().starts_with("OOM"));
}

void TestCliTables::longSubgraphsAreListedInPart()
{
    QVERIFY(writeFileAtomically(
        path("p.json").toStdString(),
        R"({"widths": [8192, 8192], "heights": [4096, 4096], "inputs": [[0]], "outputs": [[1]],
        "base_costs": [10], "op_types": ["Pointwise"], "fast_memory_capacity": 9000, "slow_memory_bandwidth": 10,
        "native_granularity": [32, 32]})"));
    QVERIFY(
        writeFileAtomically(path("s.json").toStdString(),
                            R"({"subgraphs": [[0]], "granularities": [[32, 32, 1]], "tensors_to_retain": [[]],
        "traversal_orders": [null], "subgraph_latencies": [0]})"));
    const auto database = databaseOf(path("p.json"), path("s.json"));
    QVERIFY(database);
    const auto counts = database->query("SELECT (SELECT count(*) FROM steps), (SELECT count(*) FROM runs), "
                                        "(SELECT steps_count FROM subgraphs), "
                                        "(SELECT reason FROM left_out WHERE table_name = 'steps')");
    QVERIFY(counts);
    QCOMPARE(counts->rows[0][0].exact(), std::to_string(tables::kMostStepsOfSubgraph));
    QCOMPARE(counts->rows[0][1].exact(), std::to_string(tables::kMostStepsOfSubgraph));
    QCOMPARE(counts->rows[0][2].exact(), std::string("32768"));
    QVERIFY(counts->rows[0][3].exact().find("of subgraph 0 the first") != std::string::npos);
}

void TestCliTables::theSameCallWritesTheSameFile()
{
    for (const char* name : {"a.sqlite", "b.sqlite"})
        QCOMPARE(runCli({"tables", kProblem, kSchedule, "-o", path(name)}).code, 0);
    QCOMPARE(readFile(path("a.sqlite").toStdString()).value(),
             readFile(path("b.sqlite").toStdString()).value());
}

TILEWRIGHT_TEST(TestCliTables)

} // namespace test_cli_tables
#include "test_cli_tables.moc"
