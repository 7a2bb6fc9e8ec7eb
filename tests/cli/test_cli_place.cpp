// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_run.h"
#include "test_main.h"

#include <QTemporaryDir>
#include <QtTest>

namespace test_cli_place {

using namespace tilewright::test;

namespace {

const QString kSamples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/");

QString written(const QTemporaryDir& folder, const QString& name, const QByteArray& content)
{
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly))
        qFatal("cannot write %s", qPrintable(file.fileName()));
    file.write(content);
    return file.fileName();
}

QByteArray content(const QString& name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestCliPlace : public QObject
{
    Q_OBJECT

private slots:
    void aSchedule()
    {
        const QTemporaryDir folder;
        const QStringList args{"place", kSamples + "attention-block.json",
                               kSamples + "attention-block.fused.schedule.json"};
        const CliRun said = runCli(args);
        QCOMPARE(said.code, 0);
        QVERIFY2(said.out.startsWith("placed in "), said.out);
        const CliRun r = runCli(args + QStringList{"--json", "-o", folder.filePath("out.csv")});
        QCOMPARE(r.code, 0);
        const auto json = r.json();
        for (const char* field : {"capacity", "fits", "height", "least_height", "proven", "peak",
                                  "fragmentation", "time_points", "nodes", "text", "steps", "items"})
            QVERIFY2(json.contains(field), field);
        QVERIFY(json["fits"].get<bool>() && json["proven"].get<bool>());
        QVERIFY(json["height"] <= json["capacity"] && json["height"] >= json["peak"]);
        for (const auto& item : json["items"]) {
            for (const char* field : {"kind", "tensor", "subgraph", "first_step", "last_subgraph",
                                      "last_step", "lower", "upper", "size", "offset"})
                QVERIFY2(item.contains(field), field);
            QVERIFY(item["offset"] >= 0);
            QVERIFY(item["offset"].get<long>() + item["size"].get<long>() <= json["height"].get<long>());
        }
        QCOMPARE(content(folder.filePath("out.csv")).count('\n'),
                 static_cast<qsizetype>(json["items"].size()) + 1);
        // The file that it wrote is a problem of its own.
        const CliRun again = runCli({"place", folder.filePath("out.csv"), "--capacity",
                                     QString::number(json["capacity"].get<long>()), "--json"});
        QCOMPARE(again.code, 0);
        QCOMPARE(again.json()["height"].get<long>(), json["height"].get<long>());
    }

    void aFileOfBuffers()
    {
        const QTemporaryDir folder;
        const QString in = written(
            folder, "five.csv", "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n");
        const CliRun fits =
            runCli({"place", in, "--capacity", "12", "-o", folder.filePath("out.csv"), "--json"});
        QCOMPARE(fits.code, 0);
        for (const char* field : {"capacity", "fits", "height", "least_height", "proven", "peak",
                                  "fragmentation", "time_points", "nodes", "text", "items"})
            QVERIFY2(fits.json().contains(field), field);
        QVERIFY(content(folder.filePath("out.csv")).startsWith("id,lower,upper,size,offset\nb1,0,3,4,"));
        const CliRun not11 = runCli({"place", in, "--capacity", "11"});
        QCOMPARE(not11.code, 1);
        QVERIFY2(not11.out.startsWith("cannot be placed in 11 elements: the least height is 12\n"),
                 not11.out);
    }

    void sentences()
    {
        const QTemporaryDir folder;
        const QString bad = written(folder, "bad.csv", "id,lower,upper,size\nb1,5,3,4\n");
        const CliRun r = runCli({"place", bad, "--capacity", "9"});
        QCOMPARE(r.code, 2);
        QCOMPARE(r.err, "tilewright-cli: " + bad.toUtf8() +
                            ": line 2, upper: must be greater than lower, which is 5\n");
        const CliRun without = runCli({"place", bad});
        QCOMPARE(without.code, 2);
        QVERIFY2(without.err.endsWith("a file of buffers needs --capacity N\n"), without.err);
        const CliRun invalid = runCli(
            {"place", kSamples + "example-5.json", kSamples + "example-5.a-out-of-memory.schedule.json"});
        QCOMPARE(invalid.code, 1);
        QVERIFY2(invalid.err.contains("only a valid schedule has items to place; OOM in subgraph 0"),
                 invalid.err);
    }
};

TILEWRIGHT_TEST(TestCliPlace)

} // namespace test_cli_place
#include "test_cli_place.moc"
