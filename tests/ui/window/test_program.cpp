// SPDX-License-Identifier: GPL-3.0-or-later
// The program `tilewright` as it is started from a shell.
#include "test_main.h"
#include "theme/text.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace test_program {

namespace {

const QString kProgram = QStringLiteral(TILEWRIGHT_BINARY_DIR "/app/gui/tilewright");
const QString kSamples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/");

struct ProgramRun
{
    int code = -1;
    QByteArray out;
    QByteArray err;
};

/// Without a display and without a platform to fall back to.
ProgramRun runProgram(const QStringList& arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QLatin1String(name));
    process.setProcessEnvironment(environment);
    process.start(kProgram, arguments);
    if (!process.waitForFinished(120'000))
        return {};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace

class TestProgram : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!QFile::exists(kProgram))
            QSKIP("the program is not built");
    }
    void helpAndVersionNeedNoDisplay()
    {
        const ProgramRun help = runProgram({QStringLiteral("--help")});
        QCOMPARE(help.code, 0);
        QVERIFY2(help.out.contains("--machine") && help.out.contains("FILE"), help.out.constData());
        const ProgramRun version = runProgram({QStringLiteral("--version")});
        QCOMPARE(version.code, 0);
        QVERIFY(version.out.startsWith("tilewright "));
    }
    void reportOfEveryLens_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("heading");
        QTest::newRow("schedule") << QStringLiteral("schedule/attention-block.json")
                                  << QByteArray("Roofline");
        QTest::newRow("mapping") << QStringLiteral("mapping/layers/gemm-1000.json")
                                 << QByteArray("Mapping search");
        QTest::newRow("npu") << QStringLiteral("npu/kv_three_banks.json") << QByteArray("NPU tile graph");
    }
    void reportOfEveryLens()
    {
        QFETCH(const QString, file);
        QFETCH(QByteArray, heading);
        const QTemporaryDir dir;
        for (const QString& ending : {QStringLiteral("html"), QStringLiteral("pdf")}) {
            const QString path = dir.filePath(QStringLiteral("report.") + ending);
            const ProgramRun r =
                runProgram({QStringLiteral("report"), kSamples + file, QStringLiteral("-o"), path});
            QVERIFY2(r.code == 0, r.err.constData());
            QFile report(path);
            QVERIFY(report.open(QIODevice::ReadOnly));
            const QByteArray page = report.readAll();
            QVERIFY(page.size() > 20'000);
            if (path.endsWith(QLatin1String("html")))
                QVERIFY2(page.contains(heading) && page.contains("<svg") && page.contains("<table"),
                         page.left(400).constData());
        }
    }
    void reportsSayTheirFiguresAsJson()
    {
        const QString problem = kSamples + QStringLiteral("schedule/attention-block.json");
        const ProgramRun schedule = runProgram({QStringLiteral("report"), problem, QStringLiteral("--json")});
        QVERIFY2(schedule.code == 0, schedule.err.constData());
        const QJsonObject figures = QJsonDocument::fromJson(schedule.out).object();
        QVERIFY2(figures[QLatin1String("total_latency")].toDouble() > 0 &&
                     !figures[QLatin1String("subgraphs")].toArray().isEmpty(),
                 schedule.out.left(400).constData());
        for (const char* lens : {"systolic", "npu", "mapping"}) {
            const ProgramRun r = runProgram({QStringLiteral("report"), problem, QStringLiteral("--lens"),
                                             QLatin1String(lens), QStringLiteral("--json")});
            QVERIFY2(r.code == 0, r.err.constData());
            const QJsonArray tables =
                QJsonDocument::fromJson(r.out).object()[QLatin1String("tables")].toArray();
            QVERIFY2(!tables.isEmpty(), lens);
            for (const QJsonValue& table : tables)
                for (const QJsonValue& row : table[QLatin1String("rows")].toArray())
                    QVERIFY2(!row.toArray().isEmpty(), qPrintable(table[QLatin1String("title")].toString()));
        }
    }
    /// The tables were those of the searched tiles, which another view finds, and the chart that of the
    /// default ones.
    void aReportOfTheCoresIsOfOneRun()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("cores.html"));
        const QStringList asked{
            QStringLiteral("report"),    kSamples + QStringLiteral("models/llama-block.json"),
            QStringLiteral("--machine"), QStringLiteral("edge"),
            QStringLiteral("--lens"),    QStringLiteral("npu")};
        const ProgramRun json = runProgram(asked + QStringList{QStringLiteral("--json")});
        QVERIFY2(json.code == 0, json.err.constData());
        const QJsonValue cores =
            QJsonDocument::fromJson(json.out).object()[QLatin1String("tables")].toArray()[1];
        QCOMPARE(cores[QLatin1String("title")].toString(), QStringLiteral("NPU"));
        const ProgramRun html = runProgram(asked + QStringList{QStringLiteral("-o"), path});
        QVERIFY2(html.code == 0, html.err.constData());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString page = QString::fromUtf8(file.readAll());
        double makespan = 0; // the states of a core cover it
        for (int state = 1; state <= 7; ++state) {
            const QString cycles = cores[QLatin1String("rows")][0][state].toString();
            makespan += cycles.toDouble();
            QVERIFY2(page.contains(QLatin1Char('>') + tilewright::ui::number(cycles.toLongLong()) +
                                   QLatin1Char('<')),
                     qPrintable(cycles));
        }
        QVERIFY2(page.contains(tilewright::ui::number(makespan) + QStringLiteral("\u00a0cycles")),
                 qPrintable(tilewright::ui::number(makespan)));
    }
    /// The report of an array listed every PE, that of the Mapping lens had no unit and no layer.
    void aReportOfALensBeginsWithTheSummary()
    {
        const QTemporaryDir dir;
        const auto pageOf = [&](const QString& lens) {
            const QString path = dir.filePath(lens + QStringLiteral(".html"));
            const ProgramRun r =
                runProgram({QStringLiteral("report"), kSamples + QStringLiteral("models/llama-block.json"),
                            QStringLiteral("--machine"), QStringLiteral("tpu-v1"), QStringLiteral("--lens"),
                            lens, QStringLiteral("-o"), path});
            QFile file(path);
            return r.code == 0 && file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll())
                                                                 : QString::fromUtf8(r.err);
        };
        const QString systolic = pageOf(QStringLiteral("systolic")),
                      mapping = pageOf(QStringLiteral("mapping"));
        for (const QString& page : {systolic, mapping}) {
            const qsizetype summary = page.indexOf(QLatin1String("<h2>Summary</h2>"));
            QVERIFY2(summary > 0 && summary < page.indexOf(QLatin1String("<svg")),
                     qPrintable(page.left(400)));
            QVERIFY(page.contains(QStringLiteral("llama-block.json · tpu-v1 · ")));
        }
        QVERIFY(systolic.contains(QStringLiteral("<th scope=\"col\">product</th><th scope=\"col\">128 × ")));
        QVERIFY(!systolic.contains(QLatin1String("<th scope=\"col\">fold</th>")));
        const QString layers = mapping.mid(mapping.indexOf(QLatin1String("<h2>Mapping of a model</h2>")));
        QVERIFY(layers.contains(QLatin1String("Total, minimum EDP per layer")) &&
                layers.contains(QLatin1String("proven")));
        QVERIFY(mapping.contains(QLatin1String("<td>Energy</td><td>DRAM</td><td>")) &&
                mapping.contains(QLatin1String("<td>pJ</td>")));
    }
    void reportsCompareWithABaseline()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("report.html"));
        const QString sample = kSamples + QStringLiteral("schedule/attention-block");
        const ProgramRun r =
            runProgram({QStringLiteral("report"), sample + QStringLiteral(".json"),
                        sample + QStringLiteral(".fused.schedule.json"), QStringLiteral("--baseline"),
                        sample + QStringLiteral(".one-by-one.schedule.json"), QStringLiteral("-o"), path});
        QVERIFY2(r.code == 0, r.err.constData());
        QFile report(path);
        QVERIFY(report.open(QIODevice::ReadOnly));
        QVERIFY(report.readAll().contains("Compared with the baseline"));
    }
    /// Finding C19: drawings by other readings of the rules.
    void reportsFollowTheRules()
    {
        const QString sample = kSamples + QStringLiteral("schedule/example-4");
        const auto total = [&](const QStringList& rules) {
            const ProgramRun r = runProgram(
                QStringList{QStringLiteral("report"), sample + QStringLiteral(".json"),
                            sample + QStringLiteral(".a-raster.schedule.json"), QStringLiteral("--json")} +
                rules);
            return r.code == 0
                       ? QJsonDocument::fromJson(r.out).object()[QStringLiteral("total_latency")].toDouble()
                       : -1;
        };
        const auto option = [](const char* name, const char* value) {
            return QStringList{QLatin1String(name), QLatin1String(value)};
        };
        QCOMPARE(total({}), 8192.0); // its latencies are those of the earlier statement
        QCOMPARE(total(option("--rules", "auto")), 8192.0);
        QCOMPARE(total(option("--rules", "seed")), 8192.0);
        QCOMPARE(total(option("--rules", "final")), 7096.0);
        const QStringList final = option("--rules", "final");
        QCOMPARE(total(final + option("--set", "null_order_reuse=no")), 8192.0);
        // Pictures too, with the baseline read the same way.
        const QTemporaryDir dir;
        const auto picture = [&](const QStringList& rules) {
            const QString path = dir.filePath(QStringLiteral("p.png"));
            const ProgramRun r = runProgram(
                QStringList{QStringLiteral("render"), sample + QStringLiteral(".json"),
                            sample + QStringLiteral(".a-raster.schedule.json"), QStringLiteral("--baseline"),
                            sample + QStringLiteral(".b-snake.schedule.json"), QStringLiteral("--view"),
                            QStringLiteral("compare"), QStringLiteral("-o"), path} +
                rules);
            QFile file(path);
            return r.code == 0 && file.open(QIODevice::ReadOnly) ? file.readAll() : r.err;
        };
        const QByteArray usual = picture({});
        QVERIFY2(usual.startsWith("\x89PNG"), usual.constData());
        QCOMPARE(picture(option("--rules", "auto")), usual);
        QVERIFY(picture(final) != usual);
        QVERIFY(picture(final + option("--set", "null_order_reuse=no")) != picture(final));
        const ProgramRun wrong = runProgram({QStringLiteral("render"), sample + QStringLiteral(".json"),
                                             QStringLiteral("--view"), QStringLiteral("roofline"),
                                             QStringLiteral("-o"), dir.filePath(QStringLiteral("q.png")),
                                             QStringLiteral("--set"), QStringLiteral("compute=slow")});
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.err.contains("--set") && wrong.err.contains("compute"), wrong.err.constData());
    }
    /// A schedule whose latencies are not those of its rules is drawn, and named.
    void wrongLatenciesAreTold()
    {
        const QTemporaryDir dir;
        const QString problem = kSamples + QStringLiteral("schedule/example-4.json");
        QFile source(kSamples + QStringLiteral("schedule/example-4.a-raster.schedule.json"));
        QVERIFY(source.open(QIODevice::ReadOnly));
        QJsonObject schedule = QJsonDocument::fromJson(source.readAll()).object();
        schedule[QStringLiteral("subgraph_latencies")] = QJsonArray{1};
        QFile wrong(dir.filePath(QStringLiteral("wrong.json")));
        QVERIFY(wrong.open(QIODevice::WriteOnly) && wrong.write(QJsonDocument(schedule).toJson()) > 0);
        wrong.close();
        const QString picture = dir.filePath(QStringLiteral("g.png")),
                      page = dir.filePath(QStringLiteral("g.html"));
        for (const QStringList& verb :
             {QStringList{QStringLiteral("render"), problem, wrong.fileName(), QStringLiteral("--view"),
                          QStringLiteral("graph"), QStringLiteral("--output"), picture},
              {QStringLiteral("report"), problem, wrong.fileName(), QStringLiteral("-o"), page}}) {
            const ProgramRun r = runProgram(verb);
            QVERIFY2(r.code == 0, r.err.constData());
            QVERIFY2(r.err.contains("wrong.json: subgraph_latencies: of subgraph 0"), r.err.constData());
        }
        QVERIFY(QFile::exists(picture) && QFile::exists(page));
    }
    void reportsThatCannotBeWritten_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("sentence");
        const QString problem = kSamples + QStringLiteral("schedule/attention-block.json");
        const QString schedule = kSamples + QStringLiteral("schedule/attention-block.fused.schedule.json");
        const QString layer = kSamples + QStringLiteral("mapping/layers/gemm-1000.json");
        QTest::newRow("nothing wanted") << QStringList{problem} << QByteArray("or --json is needed");
        QTest::newRow("a layer compared")
            << QStringList{layer, QStringLiteral("--json"), QStringLiteral("--baseline"), problem}
            << QByteArray("--baseline: also give the schedule to compare with it");
        QTest::newRow("a layer in another lens")
            << QStringList{layer, QStringLiteral("--json"), QStringLiteral("--lens"), QStringLiteral("npu")}
            << QByteArray("--lens: only problems and models");
        QTest::newRow("no baseline there")
            << QStringList{problem, schedule, QStringLiteral("--json"), QStringLiteral("--baseline"),
                           QStringLiteral("none.json")}
            << QByteArray("none.json");
        QTest::newRow("a problem as baseline")
            << QStringList{problem, schedule, QStringLiteral("--json"), QStringLiteral("--baseline"), problem}
            << QByteArray("--baseline: the file is not a schedule");
        QTest::newRow("another ending")
            << QStringList{problem, QStringLiteral("-o"), QStringLiteral("report.txt")}
            << QByteArray("report.txt");
    }
    void reportsThatCannotBeWritten()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, sentence);
        const ProgramRun r = runProgram(QStringList{QStringLiteral("report")} + arguments);
        QCOMPARE(r.code, 2);
        QVERIFY2(r.err.contains(sentence) && r.err.count("tilewright: ") == 1, r.err.constData());
        QVERIFY(r.out.isEmpty());
    }
    void aLargeLayerIsDrawn_data()
    {
        QTest::addColumn<QString>("view");
        QTest::newRow("mapping") << QStringLiteral("mapping");
        QTest::newRow("mapping-search") << QStringLiteral("mapping-search");
    }
    void aLargeLayerIsDrawn()
    {
        QFETCH(QString, view);
        const QTemporaryDir dir;
        QFile layer(dir.filePath(QStringLiteral("large.json")));
        QVERIFY(layer.open(QIODevice::WriteOnly));
        layer.write(R"({"kind":"conv","batch":8,"in_channels":512,"out_channels":512,"height":56,"width":56,)"
                    R"("kernel":[3,3],"padding":1})");
        layer.close();
        const QString picture = dir.filePath(QStringLiteral("view.png"));
        const ProgramRun r = runProgram({QStringLiteral("render"), layer.fileName(), QStringLiteral("--view"),
                                         view, QStringLiteral("-o"), picture});
        QVERIFY2(r.code == 0, r.err.constData());
        QVERIFY(QFileInfo(picture).size() > 10'000);
    }
};

TILEWRIGHT_TEST(TestProgram)

} // namespace test_program
#include "test_program.moc"
