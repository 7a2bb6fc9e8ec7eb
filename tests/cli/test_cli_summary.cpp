// SPDX-License-Identifier: GPL-3.0-or-later
// The summary verb: one table of the figures of every lens.
#include "base/text.h"
#include "cli_run.h"
#include "test_main.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_summary {

using Json = nlohmann::json;
using namespace tilewright::test;

namespace {

const QString kBlock = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
const QString kDecode = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-decode-block.json");

Json summary(const QStringList& arguments)
{
    const CliRun r = runCli(QStringList{"summary"} + arguments + QStringList{"--json"});
    return Json::parse(r.out.toStdString());
}

} // namespace

class TestCliSummary : public QObject
{
    Q_OBJECT
private slots:
    void tableAndDocument();
    void figuresAreThoseOfTheOtherVerbs();
    void sideBySide();
    void searchesAndExplanations();
    void scheduleOfAFile();
    void reportOfAnEvaluationBeginsWithIt();
    void badInput();
};

void TestCliSummary::tableAndDocument()
{
    const CliRun text = runCli({"summary", kBlock, "--machine", "edge"});
    QCOMPARE(text.code, 0);
    for (const char* part :
         {"llama on edge", "floor", "Schedule, as it stands", "not run", "leaves out:", "start schedule"})
        QVERIFY2(text.out.contains(part), part);
    const Json document = summary({kBlock, "--machine", "edge"});
    QCOMPARE(document["summaries"].size(), std::size_t{1});
    const Json& one = document["summaries"][0];
    QCOMPARE(one["floors"].size(), std::size_t{2});
    QCOMPARE(one["rows"].size(), std::size_t{7});
    QCOMPARE(one["rows"][0]["state"], Json("done"));
    QCOMPARE(one["rows"][1]["state"], Json("done"));
    QCOMPARE(one["rows"][2]["state"], Json("not_run"));
    QVERIFY(one["rows"][2]["cycles"].is_null());
    QCOMPARE(one["rows"][0]["of_floor"].get<double>(),
             one["rows"][0]["cycles"].get<double>() / one["floors"][0]["cycles"].get<double>());
    QVERIFY(!one["rows"][0].contains("explanations"));
}

void TestCliSummary::figuresAreThoseOfTheOtherVerbs()
{
    const Json document = summary({kBlock, "--machine", "server"});
    const Json& rows = document["summaries"][0]["rows"];
    QCOMPARE(rows[3]["cycles"], runCli({"npu", kBlock, "--machine", "server", "--json"}).json()["makespan"]);
    QCOMPARE(rows[5]["cycles"],
             runCli({"systolic", kBlock, "--machine", "server", "--json"}).json()["total"]["bound_cycles"]);
}

void TestCliSummary::sideBySide()
{
    const QTemporaryDir folder;
    const QString csv = folder.filePath(QStringLiteral("s.csv"));
    const CliRun r = runCli({"summary", kBlock, "--machine", "edge", "--machine", "server", "--beside",
                             kDecode, "--cores", "2", "--csv", csv});
    QCOMPARE(r.code, 0);
    for (const char* part :
         {"llama on edge", "llama on server", "llama-decode on edge", "llama-decode on server"})
        QVERIFY2(r.out.contains(part), part);
    QFile file(csv);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray written = file.readAll();
    QCOMPARE(written.count("llama,"), 2 * 9); // two floors and seven rows on each machine
    // Behind the figures of a later summary are their ratios to those of the first.
    QVERIFY(!r.out.left(r.out.indexOf("llama on server")).contains("(× "));
    QVERIFY(r.out.mid(r.out.indexOf("llama on server")).contains("(× "));
    QVERIFY(written.contains("llama-decode,server,npu,done,"));
}

void TestCliSummary::searchesAndExplanations()
{
    const Json document = summary({kDecode, "--machine", "edge", "--solve", "0.1", "--search", "--explain"});
    for (const Json& row : document["summaries"][0]["rows"]) {
        QCOMPARE(row["state"], Json("done"));
        QCOMPARE(row["explanations"]["cycles"]["value"], row["cycles"]);
        QVERIFY(!row["explanations"]["of_floor"]["parts"].empty());
    }
    const CliRun text = runCli({"summary", kDecode, "--machine", "edge", "--explain"});
    QVERIFY(text.out.contains("compute floor"));
    QVERIFY(text.out.contains("(R19)"));
    QVERIFY(text.out.contains("machine edge, array.rows"));
}

void TestCliSummary::scheduleOfAFile()
{
    const QTemporaryDir folder;
    const QString schedule = folder.filePath(QStringLiteral("s.json"));
    const CliRun solved =
        runCli({"solve", kDecode, "--machine", "server", "--seconds", "0.2", "-o", schedule, "--json"});
    QCOMPARE(solved.code, 0);
    // The file names its machine and its rules.
    const Json one = summary({kDecode, "--schedule", schedule})["summaries"][0];
    QCOMPARE(one["machine"], Json("server"));
    QVERIFY(std::abs(one["rows"][0]["cycles"].get<double>() - solved.json()["total_latency"].get<double>()) <
            1e-6);
    QVERIFY(one["rows"][0]["how"].get<std::string>().find("rules machine") != std::string::npos);
}

void TestCliSummary::reportOfAnEvaluationBeginsWithIt()
{
    const QTemporaryDir folder;
    const QString schedule = folder.filePath(QStringLiteral("s.json")),
                  report = folder.filePath(QStringLiteral("r.html"));
    const auto pageOf = [&](const QStringList& arguments) {
        if (runCli(QStringList{"evaluate"} + arguments + QStringList{"--report", report}).code != 0)
            qFatal("no evaluation");
        QFile file(report);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    };
    QCOMPARE(runCli({"solve", kDecode, "--machine", "server", "--seconds", "0.2", "-o", schedule}).code, 0);
    const QString page = pageOf({kDecode, schedule});
    const qsizetype at = page.indexOf("id=\"summary\""), figures = page.indexOf("class=\"figures\"");
    QVERIFY(at > 0 && at < figures);
    const QString table = page.mid(at, figures - at);
    const Json rows = summary({kDecode, "--schedule", schedule})["summaries"][0]["rows"];
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) // rows that take no time
        QVERIFY(table.contains(
            QString("<td>%1</td><td>%2</td>")
                .arg(QString::fromStdString(rows[i]["title"]),
                     QString::fromStdString(tilewright::formatGrouped(rows[i]["cycles"].get<double>())))));
    QCOMPARE(table.count("<td>not run</td>"), 4);
    for (const char* part : {"<li>machine<b>server: array of ", "<li>time at the clock<b>", "<li>cycles<b>",
                             "<li>multiply-accumulates<b>", "<li>import, operators<b>"})
        QVERIFY2(page.contains(part), part);
    // A problem with its own hardware has no floor.
    const QString plain = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/attention-block");
    const QString own = pageOf({plain + ".json", plain + ".fused.schedule.json"});
    QVERIFY(own.contains("class=\"figures\"") && !own.contains("id=\"summary\"") &&
            !own.contains("<li>machine<b>"));
}

void TestCliSummary::badInput()
{
    const auto refused = [](const QStringList& arguments, const char* reason) {
        const CliRun r = runCli(QStringList{"summary"} + arguments);
        QCOMPARE(r.code, 2);
        QVERIFY2(r.err.contains(reason), r.err.constData());
        QVERIFY(r.out.isEmpty());
    };
    refused({"missing.json"}, "missing.json");
    refused({kBlock, "--machine", "nowhere"}, "is neither a file nor a preset");
    refused({kBlock, "--schedule", kDecode}, "llama-decode-block.json");
    refused({kBlock, "--schedule", "s.json", "--beside", kDecode}, "--schedule: not with --beside");
    refused({kBlock, "--cores", "9999"}, "--cores");
    refused({TILEWRIGHT_SOURCE_DIR "/samples/mapping/layers/gemm-1000.json", "--rules", "none"}, "--rules");
    // A row that cannot be computed has its sentence; the others stand.
    const QTemporaryDir dir;
    QFile tiny(dir.filePath(QStringLiteral("tiny.json"))); // not even a row of a norm fits into a core
    QVERIFY(tiny.open(QIODevice::WriteOnly));
    QFile edge(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/resources/machines/edge.json"));
    QVERIFY(edge.open(QIODevice::ReadOnly));
    tiny.write(edge.readAll().replace("262144", "256"));
    tiny.close();
    const CliRun r = runCli({"summary", kBlock, "--machine", tiny.fileName()});
    QCOMPARE(r.code, 1);
    QVERIFY(r.out.contains("error:"));
    QVERIFY(r.out.contains("bytes of SPM"));
}

TILEWRIGHT_TEST(TestCliSummary)

} // namespace test_cli_summary
#include "test_cli_summary.moc"
