// SPDX-License-Identifier: GPL-3.0-or-later
// `tilewright-cli sweep` as a process: killed and resumed, interrupted, in parts, with a disk that is full
// (docs/rules/sweep.md 2), and what it says.
#include "cli_run.h"
#include "files.h"
#include "sweep_support.h"
#include "test_main.h"

#include <QtTest>

#include <cmath>
#include <csignal>
#include <limits>
#include <map>

namespace test_cli_sweep {

using namespace tilewright;
using namespace tilewright::test;

namespace {

/// Enough work a point that a run can be killed in the middle.
struct Plan : SweepFolder
{
    explicit Plan(int iterations = 3000)
    {
        QFile::copy(sample("attention-block.json"), path("problem.json"));
        write("plan.json", QByteArray(R"({"workload": "problem.json",
            "axes": [{"name": "fast_memory_capacity", "from": 16384, "to": 1048576, "points": 8, "scale": "log2"},
                     {"name": "slow_memory_bandwidth", "values": [5, 10, 20, 40, 80]}],
            "objectives": ["latency", "fast_memory_capacity"], "budget": {"iterations": )") +
                               QByteArray::number(iterations) + "}}");
    }
    [[nodiscard]] QStringList arguments(const QString& folder, const QStringList& more = {}) const
    {
        return QStringList{"sweep", path("plan.json"), "-o", folder} + more;
    }
    [[nodiscard]] CliRun run(const char* folder, const QStringList& more = {}) const
    {
        return runCli(arguments(path(folder), more));
    }
    [[nodiscard]] QByteArray table(const char* folder) const
    {
        const CliRun collected = runCli({"sweep", "--collect", path(folder)});
        if (collected.code != 0)
            qFatal("%s", collected.err.constData());
        return collected.out;
    }
    [[nodiscard]] qsizetype results(const char* folder) const
    {
        return list((QByteArray(folder) + "/results").constData()).size();
    }
};

} // namespace

class TestCliSweep : public QObject
{
    Q_OBJECT
private slots:
    void rule_4_6_pointsThatMeetALimit()
    {
        const Plan plan;
        plan.write("machines.json",
                   QByteArray(R"({"workload": ")" TILEWRIGHT_SOURCE_DIR
                              R"(/samples/language/llama-3.1-8b.config.json", "lens": "language",
            "dimensions": {"phase": 2, "batch": 16, "cached": 4096},
            "axes": [{"name": "machine", "values": ["edge", "tpu-v4i", "a100", "h100"]}]})"));
        QCOMPARE(runCli({"sweep", plan.path("machines.json"), "-o", plan.path("runs")}).code, 0);
        const auto names = [&](const QString& limit) {
            const CliRun r = runCli({"sweep", "--collect", plan.path("runs"), "--limit", limit});
            QByteArrayList out;
            for (const QByteArray& line : r.out.split('\n').mid(1))
                if (!line.isEmpty())
                    out << line.split(',')[1];
            return r.code == 0 ? out.join(' ') : r.err;
        };
        // tpu-v4i is fast enough, but its memory is too small.
        QCOMPARE(names("step_ms=50"), QByteArray("a100 h100"));
        QCOMPARE(names("step_ms=1"), QByteArray());
        QCOMPARE(names("tokens_per_second=2000"), QByteArray("h100"));
        QVERIFY(names("steps=1").contains("--limit: expected METRIC=VALUE; the metrics are step_ms"));
        QVERIFY(names("step_ms=fast").contains("--limit: expected a number"));
    }

    /// docs/rules/sweep.md 2.2: kill -9 three times, each time with some points done; the table is that of an
    /// undisturbed run.
    void killedRunsGoOnWhereTheyStopped()
    {
        const Plan plan;
        QCOMPARE(plan.run("whole", {"--threads", "2"}).code, 0);
        const QByteArray expected = plan.table("whole");
        QCOMPARE(expected.count('\n'), 41);
        qsizetype last = 0;
        for (int kill = 0; kill < 3; ++kill) {
            QProcess process;
            process.start(QStringLiteral(TILEWRIGHT_CLI),
                          plan.arguments(plan.path("killed"), {"--threads", "2"}));
            QVERIFY(process.waitForStarted());
            const qsizetype until = last + 4;
            QTRY_VERIFY_WITH_TIMEOUT(plan.results("killed") >= until, 60'000);
            QCOMPARE(process.state(), QProcess::Running);
            ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
            QVERIFY(process.waitForFinished());
            QCOMPARE(process.exitStatus(), QProcess::CrashExit);
            last = plan.results("killed");
            QVERIFY(last < 40);
            const auto status = runCli({"sweep", "--status", plan.path("killed"), "--json"}).json();
            QCOMPARE(status["done"].get<int>(), static_cast<int>(last)); // nothing half-written
            QCOMPARE(plan.table("killed").count("to do"), 40 - last);
        }
        const auto resumed = plan.run("killed", {"--json"}).json();
        QCOMPARE(resumed["before"].get<int>(), static_cast<int>(last));
        QCOMPARE(resumed["computed"].get<int>(), 40 - static_cast<int>(last));
        QCOMPARE(plan.table("killed"), expected);
    }

    void interruptedRunsSaySo()
    {
        const Plan plan(50'000'000);
        QProcess process;
        process.start(QStringLiteral(TILEWRIGHT_CLI), plan.arguments(plan.path("runs")));
        QTRY_VERIFY(QFile::exists(plan.path("runs/plan.json")));
        process.terminate();
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(process.readAllStandardOutput().contains("the same command goes on where it stopped"));
    }

    /// docs/rules/sweep.md 2.4: parts in any order, one of them twice, two at once.
    void partsGiveTheSameTable()
    {
        const Plan plan(300);
        QCOMPARE(plan.run("whole").code, 0);
        for (const char* part : {"3/3", "1/3", "3/3"})
            QCOMPARE(plan.run("parts", {"--part", part, "--threads", "1"}).code, 0);
        QVERIFY(plan.table("parts").contains("to do"));
        QCOMPARE(plan.run("parts", {"--part", "2/3"}).code, 0);
        QCOMPARE(plan.table("parts"), plan.table("whole"));
        const CliRun bad = plan.run("parts", {"--part", "4/3"});
        QCOMPARE(bad.code, 2);
        QVERIFY(bad.err.contains("--part: expected I/N with 1 <= I <= N, got \"4/3\""));
    }

    /// Two runs of the same plan in one folder at once: harmless, and each says what the other one did.
    void twoRunsAtOnceShareAFolder()
    {
        const Plan plan;
        QProcess first;
        QProcess second;
        first.start(QStringLiteral(TILEWRIGHT_CLI), plan.arguments(plan.path("runs"), {"--threads", "1"}));
        second.start(QStringLiteral(TILEWRIGHT_CLI),
                     plan.arguments(plan.path("runs"), {"--threads", "1", "--part", "1/2"}));
        QVERIFY(first.waitForFinished(120'000) && second.waitForFinished(120'000));
        QCOMPARE(first.exitCode(), 0);
        QCOMPARE(second.exitCode(), 0);
        QCOMPARE(plan.results("runs"), 40);
        QCOMPARE(plan.run("alone").code, 0);
        QCOMPARE(plan.table("runs"), plan.table("alone"));
        const QByteArray said = first.readAllStandardOutput() + second.readAllStandardOutput();
        QVERIFY2(said.contains("were computed meanwhile by another run in the same folder") ||
                     said.contains(" were there"),
                 said.constData());
    }

    /// docs/rules/sweep.md 2.3: a disk that takes no more (here: a limit on the size of files) ends the run
    /// with its sentence, what was written stays whole, and with room again the run goes on.
    void fullDisksLoseNothing()
    {
        const Plan plan(300);
        QCOMPARE(plan.run("runs", {"--part", "1/4"}).code, 0);
        const qsizetype before = plan.results("runs");
        QProcess process;
        process.start(QStringLiteral("bash"),
                      QStringList{"-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "bash", TILEWRIGHT_CLI} +
                          plan.arguments(plan.path("runs")));
        QVERIFY(process.waitForFinished(60'000));
        const QByteArray said = process.readAllStandardError();
        QCOMPARE(process.exitCode(), 2);
        QVERIFY2(said.contains("cannot be written (File too large)"), said.constData());
        QCOMPARE(said.count('\n'), 1);
        QCOMPARE(plan.results("runs"), before);
        QCOMPARE(plan.list("runs/temporary"), QStringList());
        QCOMPARE(plan.run("runs").code, 0);
        QCOMPARE(plan.results("runs"), 40);
    }

    void changedPlansAndInputsAreRefused()
    {
        const Plan plan(20);
        QCOMPARE(plan.run("runs").code, 0);
        plan.write("plan.json", plan.read("plan.json").replace("80", "81"));
        const CliRun other = plan.run("runs");
        QCOMPARE(other.code, 2);
        QVERIFY2(
            other.err.contains(
                "runs: holds the results of another sweep: plan.axes[1].values[4] is 80 there and 81 here"),
            other.err.constData());
        const CliRun fresh = plan.run("runs", {"--fresh"});
        QCOMPARE(fresh.code, 0);
        QVERIFY(fresh.err.contains("begins the new folder"));
        QCOMPARE(plan.results("runs-2"), 40);
        plan.write("problem.json", plan.read("problem.json") + "\n");
        const CliRun changed = plan.run("runs-2");
        QCOMPARE(changed.code, 2);
        QVERIFY(changed.err.contains("\"problem.json\" has changed since"));
    }

    /// docs/rules/sweep.md 2.3: a point that fails is a row with its sentence, and the run succeeds.
    void failedPointsAreRows()
    {
        const Plan plan;
        plan.write("plan.json", R"({"workload": "problem.json", "budget": {"iterations": 20},
            "axes": [{"name": "fast_memory_capacity", "values": [400000, 2, 500000]}]})");
        const CliRun run = plan.run("runs");
        QCOMPARE(run.code, 0);
        QVERIFY(run.out.contains("point 1, fast_memory_capacity=2: no valid schedule exists: capacity 2"));
        const QList<QByteArray> lines = plan.table("runs").split('\n');
        QVERIFY(lines[2].startsWith("1,2,failed,,,,,,,no valid schedule exists: capacity 2"));
        QVERIFY(lines[3].startsWith("2,500000,done,"));
        const auto status = runCli({"sweep", "--status", plan.path("runs"), "--json"}).json();
        QCOMPARE(status["failed"].get<int>(), 1);
        QCOMPARE(plan.run("runs", {"--json"}).json()["computed"].get<int>(), 0); // not tried again
    }

    void tablesAreCsvAndJson()
    {
        const Plan plan(20);
        QCOMPARE(plan.run("runs", {"--keep-schedules", "--set", "k_limit=reduction"}).code, 0);
        QCOMPARE(plan.list("runs/schedules").size(), 40);
        QCOMPARE(runCli({"sweep", "--collect", plan.path("runs"), "-o", plan.path("t.csv")}).code, 0);
        QCOMPARE(runCli({"sweep", "--collect", plan.path("runs"), "-o", plan.path("t.json")}).code, 0);
        QCOMPARE(plan.read("t.csv"), plan.table("runs"));
        const auto json = nlohmann::json::parse(plan.read("t.json").toStdString());
        QCOMPARE(json["manifest"]["plan"]["set"][0].get<std::string>(), std::string("k_limit=reduction"));
        const QList<QByteArray> csv = plan.read("t.csv").split('\n');
        const QList<QByteArray> header = csv[0].split(',');
        for (std::size_t i = 0; i < 40; ++i) {
            const QList<QByteArray> cells = csv[static_cast<qsizetype>(i) + 1].split(',');
            const auto& row = json["rows"][i];
            QCOMPARE(cells[header.indexOf("latency")].toDouble(), row["metrics"]["latency"].get<double>());
            QCOMPARE(cells[header.indexOf("schedule_from")].toInt(), row["schedule_from"].get<int>());
            QCOMPARE(cells[header.indexOf("on_front")] == "1", row["on_front"].get<bool>());
            // The schedule kept is valid where it comes from, with that latency.
            if (i % 13 == 0) {
                QFile kept(plan.path("runs/schedules/") +
                           plan.list("runs/schedules")[static_cast<qsizetype>(i)]);
                QVERIFY(kept.open(QIODevice::ReadOnly) && kept.readAll().startsWith("{"));
            }
        }
        const CliRun bad = runCli({"sweep", "--collect", plan.path("runs"), "-o", plan.path("t.xls")});
        QCOMPARE(bad.code, 2);
    }

    /// docs/rules/sweep.md 2.1: with nothing but the workload each has the latency of its point again.
    void keptSchedulesSayWhatTheyWereMadeFor_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QByteArray>("plan");
        QTest::newRow("problem") << sample("attention-block.json") << QByteArray(R"("axes": [
            {"name": "fast_memory_capacity", "values": [16384, 65536]},
            {"name": "slow_memory_bandwidth", "values": [5, 20]}])");
        QTest::newRow("machine") << QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json")
                                 << QByteArray(R"("machine": "edge", "axes": [
            {"name": "levels.external.gb_per_s", "values": [32, 33.4, 64]}])");
    }
    void keptSchedulesSayWhatTheyWereMadeFor()
    {
        QFETCH(const QString, workload);
        QFETCH(const QByteArray, plan);
        const SweepFolder folder;
        QFile::copy(workload, folder.path("workload.json"));
        folder.write("plan.json",
                     R"({"workload": "workload.json", "budget": {"iterations": 50}, )" + plan + "}");
        QCOMPARE(
            runCli({"sweep", folder.path("plan.json"), "-o", folder.path("runs"), "--keep-schedules"}).code,
            0);
        const auto results = folder.list("runs/results");
        QVERIFY(results.size() >= 3);
        for (const QString& name : results) {
            const auto point = nlohmann::json::parse(
                folder.read(("runs/results/" + name).toLatin1().constData()).toStdString());
            const auto file = QString::fromStdString(point["schedule"].get<std::string>());
            const auto again = runCli({"evaluate", folder.path("workload.json"),
                                       folder.path(("runs/" + file).toLatin1().constData()), "--json"})
                                   .json();
            QVERIFY(again["valid"].get<bool>());
            // Sweeps tell cycles, of which a unit of time has a whole number.
            const double unit =
                point["metrics"]["latency"].get<double>() / again["total_latency"].get<double>();
            QVERIFY2(unit > 0.5 && std::abs(unit - std::round(unit)) < 1e-9,
                     qPrintable(QString::number(unit, 'g', 12)));
            QVERIFY(workload != sample("attention-block.json") || std::round(unit) == 1);
        }
    }

    /// docs/rules/sweep.md 4.5 (finding C16): with both tolerances, beside every value of the other axis.
    void collectingTellsWhatIsEnough()
    {
        const Plan plan(100);
        QCOMPARE(plan.run("runs").code, 0);
        const QString file = plan.path("table.csv");
        const CliRun run = runCli({"sweep", "--collect", plan.path("runs"), "-o", file});
        QCOMPARE(run.code, 0);
        // The same from the table itself: row by row of the other axis.
        const QList<QByteArray> lines = plan.read("table.csv").split('\n');
        const auto columns = lines[0].split(',');
        const auto capacity = columns.indexOf("fast_memory_capacity"),
                   bandwidth = columns.indexOf("slow_memory_bandwidth"), latency = columns.indexOf("latency");
        std::map<double, std::map<double, double>> curves;
        for (const QByteArray& line : lines.mid(1))
            if (const auto cells = line.split(','); cells.size() == columns.size())
                curves[cells[bandwidth].toDouble()][cells[capacity].toDouble()] = cells[latency].toDouble();
        QCOMPARE(curves.size(), std::size_t{5});
        const auto enough = [&](double share) {
            double out = 0;
            for (const auto& [beside, curve] : curves) {
                double best = std::numeric_limits<double>::infinity(), from = 0;
                for (const auto& [at, value] : curve)
                    best = std::min(best, value);
                for (auto it = curve.rbegin(); it != curve.rend() && it->second <= best * (1 + share); ++it)
                    from = it->first;
                out = std::max(out, from);
            }
            return QByteArray::number(out, 'f', 0);
        };
        const QByteArray all = enough(0.001), usual = enough(0.05);
        const QByteArray wanted =
            "\nenough  " +
            (all == "1048576"
                 ? "latency still falls at fast_memory_capacity = 1048576, the largest value"
                 : "from fast_memory_capacity = " + all + " on, latency stays within 0.1 % of the best") +
            (all == usual ? "" : "; within 5 % from " + usual + " on") + "\n";
        QVERIFY2(run.out.contains(wanted), (run.out + "\nwanted: " + wanted).constData());
        QVERIFY(!run.out.contains("proven") && !run.out.contains("subgraphs"));
        QVERIFY2(run.out.contains("\nenough  latency still falls at slow_memory_bandwidth = 80, the largest"),
                 run.out.constData());
        // Half way the answer is one so far.
        const QStringList half{"--part", "1/2"};
        QCOMPARE(plan.run("half", half).code, 0);
        QVERIFY(runCli({"sweep", "--collect", plan.path("half"), "-o", file}).out.contains("\nso far  "));
        // The table on the standard output stays a table.
        QVERIFY(!runCli({"sweep", "--collect", plan.path("runs")}).out.contains("enough"));
    }

    void progressTellsWhatIsLeft()
    {
        const Plan plan(100);
        const CliRun run = plan.run("runs", {"--progress"});
        QCOMPARE(run.code, 0);
        QVERIFY2(run.err.contains("40 done, 0 failed, 0 to go"), run.err.constData());
        QVERIFY(run.err.count('\n') <= 11); // no terminal: at most a line for every tenth
        QVERIFY(!run.err.contains('\r'));
    }

    void badCallsAreRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("nothing") << QStringList{}
                                 << QByteArray("a plan file is needed, or --status or --collect");
        QTest::newRow("no folder") << QStringList{"plan.json"} << QByteArray("--output: is needed");
        QTest::newRow("no plan") << QStringList{"/nowhere/plan.json", "-o", "/tmp/x"}
                                 << QByteArray("/nowhere/plan.json: cannot be opened");
        QTest::newRow("no sweep") << QStringList{"--status", "/tmp"}
                                  << QByteArray("/tmp: is not a results folder");
        QTest::newRow("gone") << QStringList{"--collect", "/nowhere"}
                              << QByteArray("/nowhere: there is no such folder");
        QTest::newRow("dry run") << QStringList{"plan.json", "-o", "/tmp/x", "--dry-run"}
                                 << QByteArray("--dry-run: needs --slurm");
        QTest::newRow("slurm part") << QStringList{"plan.json", "-o", "/tmp/x", "--slurm", "--part", "1/2"}
                                    << QByteArray("--part: not with --slurm");
    }
    void badCallsAreRefused()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, sentence);
        const CliRun run = runCli(QStringList{"sweep"} + arguments);
        QCOMPARE(run.code, 2);
        QVERIFY2(run.err.contains(sentence), run.err.constData());
    }

    /// docs/rules/sweep.md 5.1 without a Slurm: the script, and one sentence where sbatch is missing or says
    /// no. tests/slurm/run has a real one.
    void slurmIsAskedThroughItsCommands()
    {
        const Plan plan;
        const CliRun dry =
            plan.run("runs", {"--slurm", "--dry-run", "--array-size", "4", "--sbatch", "--time=10"});
        QCOMPARE(dry.code, 0);
        QVERIFY(dry.out.contains("#SBATCH --array=1-4\n") && dry.out.contains("#SBATCH --time=10\n"));
        QVERIFY(dry.out.startsWith("#!/bin/bash\n"));
        const qsizetype second = dry.out.indexOf("/slurm-collect.sh, which waits");
        QVERIFY2(second > 0 && dry.out.indexOf("--job-name=tilewright-collect", second) > 0,
                 dry.out.constData());
        QVERIFY(!QFile::exists(plan.path("runs")));
        // An sbatch of the test's own, which notes what it is asked.
        QVERIFY(QDir().mkdir(plan.path("bin")));
        const auto submit = [&](const QByteArray& sbatch) {
            if (!sbatch.isEmpty()) {
                plan.write("bin/sbatch", sbatch);
                QFile(plan.path("bin/sbatch"))
                    .setPermissions(QFile::ReadOwner | QFile::ExeOwner | QFile::WriteOwner);
            }
            QProcess process;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert("PATH", plan.path("bin") + (sbatch.isEmpty() ? "" : ":/usr/bin:/bin"));
            process.setProcessEnvironment(environment);
            process.start(QStringLiteral(TILEWRIGHT_CLI),
                          plan.arguments(plan.path("runs"), {"--slurm", "--array-size", "4"}));
            process.waitForFinished();
            return CliRun{process.exitCode(), process.readAllStandardOutput(),
                          process.readAllStandardError()};
        };
        const CliRun missing = submit({});
        QCOMPARE(missing.code, 2);
        QVERIFY2(missing.err.contains("--slurm: sbatch was not found"), missing.err.constData());
        const CliRun refused = submit("#!/bin/sh\necho 'sbatch: error: invalid partition' >&2\nexit 1\n");
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.err.contains("invalid partition") &&
                     refused.err.contains("--slurm: sbatch refused the job"),
                 refused.err.constData());
        const CliRun accepted = submit("#!/bin/sh\necho \"$@\" >>'" + plan.path("asked").toLocal8Bit() +
                                       "'\necho '17;cluster'\n");
        QCOMPARE(accepted.code, 0);
        QVERIFY(accepted.out.contains("array    17, 4 tasks\ncollect  17, writes "));
        QVERIFY(accepted.out.contains("scancel 17 17"));
        const QList<QByteArray> asked = plan.read("asked").split('\n');
        QCOMPARE(asked[0], "--parsable " + plan.path("runs/slurm.sh").toLocal8Bit());
        QCOMPARE(asked[1],
                 "--parsable --dependency=afterany:17 " + plan.path("runs/slurm-collect.sh").toLocal8Bit());
        QVERIFY(plan.read("runs/slurm.sh").contains("--array=1-4"));
    }
};

TILEWRIGHT_TEST(TestCliSweep)

} // namespace test_cli_sweep
#include "test_cli_sweep.moc"
