// SPDX-License-Identifier: GPL-3.0-or-later
// An interrupted verb writes the best so far and ends with 130; a file that is not complete is not there.
#include "cli_run.h"
#include "test_main.h"

#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <random>

#include <sys/resource.h>

namespace test_cli_interrupts {

using namespace tilewright::test;

namespace {

const QString kSamples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/");

/// The run of a call that gets a signal after some time, with the seconds from the signal to its end;
/// code -1: the signal itself ended it.
struct Interrupted : CliRun
{
    double seconds = 0;
};
Interrupted interrupt(const QStringList& arguments, int afterMilliseconds, int signal = SIGINT)
{
    QProcess process;
    process.start(QStringLiteral(TILEWRIGHT_CLI), arguments);
    if (!process.waitForStarted() || process.waitForFinished(afterMilliseconds))
        qFatal("%s ended before the signal: %s", qPrintable(arguments.join(QLatin1Char(' '))),
               process.readAllStandardError().constData());
    QElapsedTimer timer;
    timer.start();
    ::kill(static_cast<pid_t>(process.processId()), signal);
    if (!process.waitForFinished(60'000))
        qFatal("%s did not end well", qPrintable(arguments.join(QLatin1Char(' '))));
    Interrupted out;
    out.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    out.out = process.readAllStandardOutput();
    out.err = process.readAllStandardError();
    out.seconds = static_cast<double>(timer.elapsed()) / 1000;
    return out;
}

QByteArray content(const QString& name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A file of buffers, most of which are alive together.
QString buffers(const QTemporaryDir& folder, int count)
{
    std::mt19937 random(7);
    QByteArray text = "id,lower,upper,size\n";
    for (int i = 0; i < count; ++i)
        text += QByteArray::number(i) + "," + QByteArray::number(random() % 1000U) + "," +
                QByteArray::number(1000 + random() % 1000U) + "," + QByteArray::number(1 + random() % 5000U) +
                "\n";
    QFile file(folder.filePath(QStringLiteral("%1.csv").arg(count)));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("cannot write");
    return file.fileName();
}

} // namespace

class TestCliInterrupts : public QObject
{
    Q_OBJECT

private slots:
    /// A lost connection (SIGHUP) is an interrupt; under nohup it is none.
    void solveKeepsTheBestOnEverySignal()
    {
        const QTemporaryDir folder;
        const QString problem = kSamples + "schedule/model-150-ops.json", output = folder.filePath("x.json");
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            QFile::remove(output);
            const CliRun r = interrupt({"solve", problem, "--seconds", "60", "-o", output}, 1500, signal);
            QCOMPARE(r.code, 130);
            QCOMPARE(runCli({"check", problem, output}).code, 0);
        }
        QProcess nohup;
        nohup.start("/bin/sh",
                    {"-c", "trap '' HUP; exec '" TILEWRIGHT_CLI "' solve \"$0\" --seconds 3", problem});
        QVERIFY(nohup.waitForStarted() && !nohup.waitForFinished(1000));
        ::kill(static_cast<pid_t>(nohup.processId()), SIGHUP);
        QVERIFY(nohup.waitForFinished(30'000));
        QCOMPARE(nohup.exitCode(), 0);
    }

    void proofsSayThatTheyWereInterrupted()
    {
        const QTemporaryDir folder;
        const QString problem = kSamples + "schedule/model-150-ops.json", output = folder.filePath("x.json");
        const CliRun bound = interrupt({"bound", problem, "--seconds", "60", "--json"}, 1500);
        QCOMPARE(bound.code, 130);
        QVERIFY(bound.json()["lower_bound"].get<double>() > 0);
        const CliRun solved =
            interrupt({"solve", problem, "--seconds", "0.5", "--prove", "60", "-o", output}, 2500);
        QCOMPARE(solved.code, 130);
        QVERIFY(solved.out.contains("total latency"));
        QCOMPARE(runCli({"check", problem, output}).code, 0);
    }

    void searchOfTilesGivesTheBestSoFar()
    {
        const QStringList call{
            "npu",   kSamples + "models/resnet-18.onnx", "--machine", "server", "--tiles", "searched",
            "--json"};
        const Interrupted r = interrupt(call, 1500);
        QCOMPARE(r.code, 130);
        const auto json = r.json();
        QCOMPARE(json["interrupted"].get<bool>(), true);
        QVERIFY(json["lower_bound"].get<double>() > 0);
    }

    void traceIsWholeOrNotThere()
    {
        const QTemporaryDir folder;
        const QString problem = folder.filePath("p.json"), schedule = folder.filePath("s.json");
        QFile file(problem);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"widths": [16384, 16384], "heights": [16384, 16384], "inputs": [[0]], "outputs": [[1]],
            "base_costs": [1], "op_types": ["Pointwise"], "fast_memory_capacity": 64,
            "slow_memory_bandwidth": 10, "native_granularity": [4, 4]})");
        file.close();
        QCOMPARE(runCli({"convert", problem, "--to", "schedule", "-o", schedule}).code, 0);
        for (const char* name : {"trace.json", "trace.csv"}) {
            const QString trace = folder.filePath(name);
            const CliRun r = interrupt({"evaluate", problem, schedule, "--trace", trace}, 1500);
            QCOMPARE(r.code, 130);
            QVERIFY(r.out.contains("total "));
            QVERIFY(!QFile::exists(trace));
        }
        QCOMPARE(QDir(folder.path()).entryList({".*"}, QDir::Files | QDir::Hidden), QStringList());
        QElapsedTimer timer; // a full disk ends it, too
        timer.start();
        QCOMPARE(runCli({"evaluate", problem, schedule, "--trace", "/dev/full"}).code, 2);
        QVERIFY(timer.elapsed() < 20'000);
    }

    void sweepGoesOnWhereItStopped()
    {
        const QTemporaryDir folder;
        const QString plan = folder.filePath("plan.json"), runs = folder.filePath("runs");
        QFile file(plan);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"workload\": \"" + (kSamples + "schedule/model-150-ops.json").toUtf8() +
                   "\", \"budget\": {\"seconds\": 0.5}, \"axes\": [{\"name\": \"fast_memory_capacity\", "
                   "\"from\": 1000000, \"to\": 9000000, \"points\": 200}]}");
        file.close();
        const CliRun r = interrupt({"sweep", plan, "-o", runs, "--json"}, 3000);
        QCOMPARE(r.code, 130);
        QVERIFY(r.json()["computed"].get<int>() > 0);
        QCOMPARE(runCli({"sweep", "--collect", runs, "-o", folder.filePath("t.csv")}).code, 0);
    }

    /// 20,000 buffers took 65 s and 5.4 GB in a phase that saw neither the limit nor Ctrl+C.
    void placementKeepsItsTimeAndMemory()
    {
        const QTemporaryDir folder;
        for (const int count : {20'000, 1'000'000}) {
            const QString file = buffers(folder, count), output = folder.filePath("out.csv");
            QElapsedTimer timer;
            timer.start();
            const CliRun r =
                runCli({"place", file, "--capacity", "1000000000000", "--seconds", "0.5", "-o", output});
            const double seconds = static_cast<double>(timer.elapsed()) / 1000;
            QCOMPARE(r.code, 0);
            QVERIFY2(seconds < (count > 100'000 ? 60 : 10), qPrintable(QString::number(seconds)));
            rusage used = {};
            ::getrusage(RUSAGE_CHILDREN, &used);
            QVERIFY2(used.ru_maxrss < 2'000'000, qPrintable(QString::number(used.ru_maxrss))); // KiB
            QCOMPARE(content(output).count('\n'), count + 1);
            if (count < 1'000'000)
                continue;
            // Once the file is read: before that, a signal ends the program. A busy machine reads for longer.
            Interrupted stopped;
            stopped.code = -1;
            for (int wait = 5000; stopped.code < 0 && wait < 100'000; wait *= 4)
                stopped = interrupt({"place", file, "--capacity", "1", "--seconds", "0", "-o", output}, wait);
            QCOMPARE(stopped.code, 130);
            QVERIFY2(stopped.seconds < 60, qPrintable(QString::number(stopped.seconds)));
            QCOMPARE(content(output).count('\n'), count + 1);
        }
    }
};

TILEWRIGHT_TEST(TestCliInterrupts)

} // namespace test_cli_interrupts
#include "test_cli_interrupts.moc"
