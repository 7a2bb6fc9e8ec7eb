// SPDX-License-Identifier: GPL-3.0-or-later
// The verb overlay.
#include "cli_run.h"
#include "test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_overlay {

using namespace tilewright::test;

namespace {

const QString kSeeds = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/fuzz/verbs/seeds/");

QStringList call(const QStringList& files, const QStringList& more = {})
{
    QStringList out{"overlay", kSeeds + "topology.csv"};
    for (const QString& file : files)
        out << kSeeds + file;
    return out + QStringList{"--machine", kSeeds + "machine.json"} + more;
}

} // namespace

class TestCliOverlay : public QObject
{
    Q_OBJECT
private slots:
    void text();
    void document();
    void severalFilesAndReports();
    void figuresAreThoseOfTheSummary();
    void csv();
    void namesOfNothing();
    void badInput();
    void ourTracesBesideThemselves_data();
    void ourTracesBesideThemselves();
    void tracesOfAnotherProgram();
};

void TestCliOverlay::text()
{
    const CliRun r = runCli(call({"values.csv"}));
    QCOMPARE(r.code, 0);
    for (const char* part : {"us of ", "(table) beside the latency of the lens schedule on ",
                             "2 rows, 1 name without an operator", "ending second", "third",
                             "no operator has this name", "Spearman", "difference, ms"})
        QVERIFY2(r.out.contains(part), r.out.constData());
}

void TestCliOverlay::document()
{
    const auto all = runCli(call({"values.csv"}, {"--json"})).json();
    QCOMPARE(all["overlays"].size(), std::size_t{1});
    const auto& o = all["overlays"][0];
    QCOMPARE(o["form"].get<std::string>(), std::string("table"));
    QCOMPARE(o["figure"].get<std::string>(), std::string("latency"));
    QCOMPARE(o["unit"].get<std::string>(), std::string("ms"));
    QCOMPARE(o["values_without_operator"][0]["name"].get<std::string>(), std::string("third"));
    QCOMPARE(o["values_without_operator"][0]["line"].get<int>(), 5);
    QCOMPARE(o["points"].size(), std::size_t{2});
    for (const auto& point : o["points"]) {
        const double measured = point["measured"].get<double>(), ours = point["predicted"].get<double>();
        QCOMPARE(point["difference"].get<double>(), ours - measured);
        QCOMPARE(point["ratio"].get<double>(), ours / measured);
    }
    QCOMPARE(o["points"][1]["found_by"].get<std::string>(), std::string("ending second"));
}

void TestCliOverlay::severalFilesAndReports()
{
    const auto all =
        runCli(call({"values.json", "compute_report.csv"}, {"--lens", "systolic", "--json"})).json();
    QCOMPARE(all["overlays"].size(), std::size_t{2});
    QCOMPARE(all["overlays"][0]["form"].get<std::string>(), std::string("JSON"));
    QCOMPARE(all["overlays"][1]["form"].get<std::string>(), std::string("report of SCALE-Sim"));
    QCOMPARE(all["overlays"][1]["measured"].get<std::string>(), std::string("Total Cycles"));
    QCOMPARE(all["overlays"][1]["points"][0]["measured"].get<double>(), 856.0);
    // both files name the same operators
    QCOMPARE(all["overlays"][0]["points"][0]["predicted"].get<double>(),
             all["overlays"][1]["points"][0]["predicted"].get<double>());
    const auto bytes = runCli(call({"values.csv"}, {"--column", "bytes", "--json"})).json();
    QCOMPARE(bytes["overlays"][0]["figure"].get<std::string>(), std::string("dram_bytes"));
    const auto energy =
        runCli(call({"values.json"}, {"--column", "pj", "--lens", "mapping", "--json"})).json();
    QCOMPARE(energy["overlays"][0]["figure"].get<std::string>(), std::string("energy"));
    QVERIFY(energy["overlays"][0]["points"][0]["predicted"].get<double>() > 0);
}

void TestCliOverlay::figuresAreThoseOfTheSummary()
{
    const auto rows =
        runCli({"summary", kSeeds + "topology.csv", "--machine", kSeeds + "machine.json", "--json"})
            .json()["summaries"][0]["rows"];
    for (const char* lens : {"schedule", "systolic"}) {
        const auto o = runCli(call({"values.json"}, {"--lens", lens, "--json"})).json()["overlays"][0];
        double sum = 0;
        for (const auto& point : o["points"])
            sum += point["predicted"].get<double>();
        bool found = false;
        for (const auto& row : rows)
            if (row["row"].get<std::string>() == lens) {
                QCOMPARE(sum, row["cycles"].get<double>());
                found = true;
            }
        QVERIFY(found);
    }
}

void TestCliOverlay::csv()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("o.csv"));
    QCOMPARE(runCli(call({"values.csv", "values.json"}, {"--csv", path})).code, 0);
    QFile file(path);
    QVERIFY(file.open(QFile::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.startsWith("file,machine,lens,figure,unit,operator,line,measured,ours,difference,ratio,"));
    QCOMPARE(text.count('\n'), 5);
}

void TestCliOverlay::namesOfNothing()
{
    const CliRun r = runCli(call({"layers.stats.txt"}));
    QCOMPARE(r.code, 1);
    QVERIFY(r.out.contains("0 rows, 1 name without an operator"));
}

void TestCliOverlay::badInput()
{
    QTemporaryDir folder;
    const auto refused = [&](const QByteArray& text, const QStringList& more = {}) {
        QFile file(folder.filePath(QStringLiteral("v.csv")));
        if (!file.open(QFile::WriteOnly))
            qFatal("cannot write");
        file.write(text);
        file.close();
        const CliRun r = runCli(QStringList{"overlay", kSeeds + "topology.csv", file.fileName()} + more);
        if (r.code != 2 || r.err.count('\n') != 1)
            qFatal("%d %s", r.code, r.err.constData());
        return QString::fromUtf8(r.err).trimmed().remove(folder.path() + u'/');
    };
    QCOMPARE(
        refused("name,us\nfirst,-1\n"),
        QStringLiteral("tilewright-cli: v.csv: line 2: us: expected a number from 0 to 1e18, got \"-1\""));
    QCOMPARE(
        refused("name,us\nfirst,1\nfirst,2\n"),
        QStringLiteral("tilewright-cli: v.csv: line 3: \"first\" is also the name of line 2; --repeated sum "
                       "or mean joins such rows"));
    QCOMPARE(
        refused("name,us\nfirst,1\n", {"--figure", "energy"}),
        QStringLiteral("tilewright-cli: v.csv: the column \"us\" is in ms, which is no unit of the figure "
                       "energy"));
    QCOMPARE(
        refused("name,us\nfirst,1\n", {"--column", "ms"}),
        QStringLiteral("tilewright-cli: v.csv: line 1: there is no column \"ms\"; the columns are name, us"));
    QCOMPARE(refused("name,us\nfirst,1\n", {"--where", "us"}),
             QStringLiteral("tilewright-cli: --where: expected COLUMN=VALUE, COLUMN!=VALUE, COLUMN<VALUE or "
                            "COLUMN>VALUE, got \"us\""));
}

void TestCliOverlay::ourTracesBesideThemselves_data()
{
    QTest::addColumn<QStringList>("arguments");
    const QString samples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/");
    const QString problem = samples + "schedule/example-4.json",
                  schedule = samples + "schedule/example-4.b-snake.schedule.json";
    QTest::newRow("evaluate") << QStringList{"evaluate", problem, schedule};
    QTest::newRow("run") << QStringList{"run", problem, schedule};
    QTest::newRow("npu") << QStringList{"npu", samples + "npu/kv_three_banks.json"};
    QTest::newRow("systolic") << QStringList{"systolic", "--gemm",     "48x40x32", "--machine",
                                             "edge",     "--pipeline", "pipelined"};
}

void TestCliOverlay::ourTracesBesideThemselves()
{
    QFETCH(QStringList, arguments);
    QTemporaryDir folder;
    const QString trace = folder.filePath(QStringLiteral("t.json"));
    QCOMPARE(runCli(arguments + QStringList{"--trace", trace}).code, 0);
    const CliRun r = runCli({"traces", trace, trace, "--json"});
    QCOMPARE(r.code, 0);
    const auto c = r.json();
    QCOMPARE(c["offset"].get<double>(), 0.0);
    QVERIFY(c["slices"].get<std::size_t>() > 0);
    QCOMPARE(c["pairs"].size(), c["slices"].get<std::size_t>());
    QVERIFY(c["only_here"].empty() && c["only_there"].empty());
    for (const auto& pair : c["pairs"]) {
        QCOMPARE(pair["start_difference"].get<double>(), 0.0);
        QCOMPARE(pair["length_difference"].get<double>(), 0.0);
    }
}

void TestCliOverlay::tracesOfAnotherProgram()
{
    const QString trace = kSeeds + "profile.trace.json";
    const CliRun r = runCli({"traces", trace, trace, "--offset", "3"});
    QCOMPARE(r.code, 0);
    for (const char* part :
         {"5 slices are in both traces, 0 only in", "offset of the other trace: 3\n",
          "3 events without length", "GPU 0 / stream 3", "what differs most:", "gemm_64x64"})
        QVERIFY2(r.out.contains(part), r.out.constData());
    QTemporaryDir folder;
    const QString csv = folder.filePath(QStringLiteral("t.csv"));
    QCOMPARE(runCli({"traces", trace, trace, "--csv", csv}).code, 0);
    QFile file(csv);
    QVERIFY(file.open(QFile::ReadOnly));
    QVERIFY(file.readAll().startsWith("track,slice,start,starts later by,length,longer by\n"));
    const CliRun bad = runCli({"traces", trace, kSeeds + "machine.json"});
    QCOMPARE(bad.code, 2);
    QCOMPARE(bad.err.count('\n'), 1);
    QVERIFY(bad.err.contains("traceEvents"));
}

TILEWRIGHT_TEST(TestCliOverlay)

} // namespace test_cli_overlay
#include "test_cli_overlay.moc"
