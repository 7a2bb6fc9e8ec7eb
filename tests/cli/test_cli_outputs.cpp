// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line writes: never over its own input, never in silence where nothing arrives, and the
// result of a search not lost.
#include "cli_run.h"
#include "test_main.h"

#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>
#include <unistd.h>

namespace test_cli_outputs {

using namespace tilewright::test;

namespace {

const QString kSamples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/");

/// A folder with copies of the samples that the calls name, in which they run.
class Folder
{
public:
    Folder()
    {
        for (const auto& [from, to] : {std::pair{"schedule/example-5.json", "p.json"},
                                       {"schedule/example-5.b-split-k.schedule.json", "s.json"},
                                       {"models/llama-block.json", "m.json"},
                                       {"mapping/layers/gemm-1000.json", "l.json"}})
            if (!QFile::copy(kSamples + from, path(to)) ||
                !QFile::setPermissions(path(to), QFile::ReadOwner | QFile::WriteOwner))
                qFatal("%s cannot be copied", from);
        write("b.csv", "id,lower,upper,size\na,0,2,4\nb,1,3,4\n");
        write("mapping.yaml", "mapping: []\n");
    }
    [[nodiscard]] QString path(const QString& name) const { return m_dir.filePath(name); }
    [[nodiscard]] QByteArray read(const QString& name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void write(const QString& name, const QByteArray& content) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("%s cannot be written", qPrintable(name));
    }
    /// A line of the shell in the folder, in which tilewright-cli is the program.
    [[nodiscard]] CliRun shell(const QString& line) const
    {
        QProcess process;
        process.setWorkingDirectory(m_dir.path());
        process.start("/bin/sh", {"-c", "tilewright_cli() { '" TILEWRIGHT_CLI "' \"$@\"; }; " +
                                            QString(line).replace("tilewright-cli", "tilewright_cli")});
        if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
            qFatal("%s did not end well", qPrintable(line));
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    [[nodiscard]] QStringList list() const
    {
        return QDir(m_dir.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

private:
    QTemporaryDir m_dir;
};

} // namespace

class TestCliOutputs : public QObject
{
    Q_OBJECT

private slots:
    void anInputIsNoOutput_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("input");
        const auto row = [](const char* line, const char* input) {
            QTest::newRow(line) << QString::fromLatin1(line) << QString::fromLatin1(input);
        };
        row("solve p.json --seconds 0.1 -o p.json", "p.json");
        row("solve p.json --seconds 0.1 --start s.json -o s.json", "s.json");
        row("convert p.json --to model -o p.json", "p.json");
        row("convert p.json --to model -o ./linked.json", "p.json");
        row("convert p.json --to model -o hard.json", "p.json");
        row("map l.json -o l.json", "l.json");
        row("map l.json --csv l.json", "l.json");
        row("map l.json --method mapping.yaml --export timeloop .", "mapping.yaml");
        row("place b.csv --capacity 100 -o b.csv", "b.csv");
        row("evaluate p.json s.json --trace p.json", "p.json");
        row("evaluate p.json s.json --report s.json", "s.json");
        row("npu m.json --trace m.json", "m.json");
        row("npu m.json --graph m.json", "m.json");
        row("npu m.json --csv m.json", "m.json");
        row("info p.json --compare m.json --csv m.json", "m.json");
        row("systolic m.json --csv m.json", "m.json");
        row("tile m.json --csv m.json", "m.json");
    }
    void anInputIsNoOutput()
    {
        QFETCH(const QString, line);
        QFETCH(const QString, input);
        const Folder folder;
        QVERIFY(QFile::link("p.json", folder.path("linked.json")));
        QCOMPARE(::link(folder.path("p.json").toLocal8Bit(), folder.path("hard.json").toLocal8Bit()), 0);
        const QByteArray before = folder.read(input);
        const CliRun r = folder.shell("tilewright-cli " + line);
        QCOMPARE(r.code, 2);
        QVERIFY2(r.err.contains("this file is read by the same call, as "), r.err);
        QCOMPARE(folder.read(input), before);
    }

    void anInputIsReplacedWhereTheCallSaysSo()
    {
        const Folder folder;
        const QByteArray problem = folder.read("p.json"), start = folder.read("s.json");
        const CliRun solved =
            folder.shell("tilewright-cli solve p.json --iterations 50 --start s.json -o s.json --in-place && "
                         "tilewright-cli check p.json s.json");
        QVERIFY2(solved.code == 0, solved.err);
        QVERIFY(folder.read("s.json") != start);
        const CliRun converted =
            folder.shell("tilewright-cli convert p.json --to model -o p.json --in-place");
        QVERIFY2(converted.code == 0, converted.err);
        QVERIFY(folder.read("p.json") != problem);
        const CliRun placed = folder.shell("tilewright-cli place b.csv --capacity 100 -o b.csv --in-place");
        QVERIFY2(placed.code == 0, placed.err);
        QVERIFY(folder.read("b.csv").contains("offset"));
        for (const auto& [line, sentence] :
             {std::pair{"convert m.json --to problem -o new.json --in-place",
                        "--in-place: needs an --output that the call reads"},
              {"place b.csv --capacity 100 --in-place", "--in-place: needs an --output that the call reads"},
              {"map l.json -o l.json --in-place", "--in-place"}}) {
            const CliRun r = folder.shell(QStringLiteral("tilewright-cli ") + line);
            QVERIFY2(r.code != 0, line);
            QVERIFY2(r.err.contains(sentence), r.err);
        }
        QVERIFY(!folder.list().contains("new.json"));
    }

    void twoOutputsAreTwoFiles()
    {
        const Folder folder;
        const CliRun r = folder.shell("tilewright-cli evaluate p.json s.json --trace x.csv --report ./x.csv");
        QCOMPARE(r.code, 2);
        QVERIFY2(r.err.contains("this file is written by the same call, by --trace"), r.err);
        QVERIFY(!folder.list().contains("x.csv"));
    }

    void outputThatCannotBeWrittenIsSaidBeforeTheWork()
    {
        const Folder folder;
        QVERIFY(QDir(folder.path(".")).mkdir("sub"));
        for (const auto& [output, why] :
             {std::pair{"sub", "is a folder, not a file"}, {"none/x.json", "its folder cannot be written"}}) {
            QElapsedTimer timer;
            timer.start();
            const CliRun r =
                folder.shell(QStringLiteral("tilewright-cli solve p.json --seconds 30 -o %1").arg(output));
            QCOMPARE(r.code, 2);
            QVERIFY2(r.err.contains(why), r.err);
            QVERIFY(timer.elapsed() < 20'000);
        }
        const CliRun reports =
            folder.shell("tilewright-cli systolic m.json --array 8x8 --csv t.csv --reports " +
                         QString(300, QLatin1Char('n')));
        QCOMPARE(reports.code, 2);
        QVERIFY2(reports.err.contains("cannot be made (File name too long)"), reports.err);
        QVERIFY(!folder.list().contains("t.csv"));
    }

    void fullStandardOutputIsAnError_data()
    {
        QTest::addColumn<QString>("line");
        for (const char* line :
             {"--help", "--version", "info p.json", "check p.json s.json", "evaluate p.json s.json",
              "evaluate p.json s.json --json", "solve p.json --seconds 0.1",
              "solve p.json --seconds 0.1 --json", "bound p.json", "place p.json s.json",
              "convert p.json --to model -o x.json", "generate mlp", "systolic --gemm 8x8x8",
              "tile --gemm 8x8x8", "npu m.json", "map l.json --quick", "sweep --status runs", "manual man"})
            QTest::newRow(line) << QString::fromLatin1(line);
    }
    void fullStandardOutputIsAnError()
    {
        QFETCH(const QString, line);
        const Folder folder;
        if (line.startsWith("sweep")) {
            folder.write(
                "plan.json",
                R"({"workload": "p.json", "what": "bound", "axes": [{"name": "fast_memory_capacity", "values": [30000]}]})");
            (void)folder.shell("tilewright-cli sweep plan.json -o runs");
        }
        const CliRun r = folder.shell("tilewright-cli " + line + " > /dev/full");
        QCOMPARE(r.code, 2);
        QVERIFY2(r.err.contains("tilewright-cli: standard output: No space left on device\n"), r.err);
    }

    void closedPipeIsNoError()
    {
        const Folder folder;
        const CliRun r = folder.shell("tilewright-cli generate mlp --layers 2000 | head -c 10");
        QCOMPARE(r.code, 0);
        QCOMPARE(r.err, QByteArray());
        QCOMPARE(folder.shell("tilewright-cli info p.json >&-").code, 2);
    }

    void whatASearchFoundIsNotLost_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("rescued");
        const auto row = [](const char* line, const char* rescued) {
            QTest::newRow(line) << QString::fromLatin1(line) << QString::fromLatin1(rescued);
        };
        row("solve p.json --seconds 0.1 -o full.json", "full.rescued.json");
        row("solve p.json --seconds 0.1 > /dev/full", "p.rescued.json");
        row("solve p.json --seconds 0.1 --json > /dev/full", "p.rescued.json");
        row("place p.json s.json -o full.csv", "full.rescued.csv");
        row("map l.json --quick -o full.json", "full.rescued.json");
        row("map l.json --quick > /dev/full", "l.rescued.json");
        row("map m.json --quick --csv full.csv", "full.rescued.csv");
        row("npu m.json --csv full.csv", "full.rescued.csv");
        row("npu m.json > /dev/full", "m.rescued.json");
        row("bound p.json --seconds 0.1 > /dev/full", "p.rescued.json");
        row("tile --gemm 8x8x8 --csv full.csv", "full.rescued.csv");
    }
    void whatASearchFoundIsNotLost()
    {
        QFETCH(const QString, line);
        QFETCH(const QString, rescued);
        const Folder folder;
        QVERIFY(QFile::link("/dev/full", folder.path("full.json")));
        QVERIFY(QFile::link("/dev/full", folder.path("full.csv")));
        const CliRun r = folder.shell("tilewright-cli " + line);
        QCOMPARE(r.code, 2);
        QVERIFY2(r.err.contains("No space left on device"), r.err);
        QVERIFY2(r.err.contains("tilewright-cli: what was found is in ") &&
                     r.err.contains(("/" + rescued + "\n").toUtf8()),
                 r.err);
        QVERIFY(folder.read(rescued).size() > 10);
        if (line.startsWith("solve"))
            QCOMPARE(folder.shell("tilewright-cli check p.json " + rescued).code, 0);
        if (!line.contains("> /dev/full")) // it is printed, too
            QVERIFY(r.out.size() > 10);
        // A second one does not replace the first.
        const QByteArray first = folder.read(rescued);
        QCOMPARE(folder.shell("tilewright-cli " + line).code, 2);
        QCOMPARE(folder.read(rescued), first);
    }

    /// The device is as good as its name: as a file, behind a pipe, and to be read again.
    void standardOutputCanBeNamed()
    {
        const Folder folder;
        const CliRun piped =
            folder.shell("tilewright-cli convert p.json --to model -o /dev/stdout | head -c 1");
        QCOMPARE(piped.out, QByteArray("{"));
        const CliRun r = folder.shell("tilewright-cli solve p.json --seconds 0.1 -o /dev/stdout > out.txt; "
                                      "tilewright-cli solve p.json --seconds 0.1 -o /dev/fd/3 3> x.json");
        QCOMPARE(r.code, 0);
        const QByteArray out = folder.read("out.txt");
        QVERIFY2(out.startsWith("{") && out.contains("\ntotal latency "), out);
        QCOMPARE(folder.shell("tilewright-cli check p.json x.json").code, 0);
    }

    void linksPermissionsAndForeignFilesStay()
    {
        const Folder folder;
        folder.write("precious", "precious");
        folder.write("target.json", "old");
        folder.write("two.json", "old");
        QVERIFY(QFile::link("target.json", folder.path("link.json")));
        QCOMPARE(::link(folder.path("two.json").toLocal8Bit(), folder.path("other.json").toLocal8Bit()), 0);
        QCOMPARE(::chmod(folder.path("target.json").toLocal8Bit(), 0640), 0);
        const QStringList before = folder.list();
        QCOMPARE(folder.shell("tilewright-cli convert p.json --to model -o link.json").code, 0);
        QCOMPARE(folder.shell("tilewright-cli convert p.json --to model -o two.json").code, 0);
        QVERIFY(QFileInfo(folder.path("link.json")).isSymLink());
        QVERIFY(folder.read("target.json").startsWith("{"));
        struct stat info = {};
        QCOMPARE(::stat(folder.path("target.json").toLocal8Bit(), &info), 0);
        QCOMPARE(info.st_mode & 07777U, 0640U);
        QCOMPARE(folder.read("other.json"), folder.read("two.json"));
        QCOMPARE(folder.read("target.json"), folder.read("two.json"));
        QCOMPARE(folder.list(), before); // nothing temporary is left
    }

    /// solve chose an order of 2^61 tiles, which no file lists.
    void solveChoosesOrdersThatItCanWrite()
    {
        const Folder folder;
        folder.write("huge.json", R"({"widths": [2147483648, 2147483648], "heights": [1073741824, 1073741824],
            "inputs": [[0]], "outputs": [[1]], "base_costs": [1], "op_types": ["Pointwise"],
            "fast_memory_capacity": 64, "slow_memory_bandwidth": 10, "native_granularity": [4, 4]})");
        const CliRun r = folder.shell("tilewright-cli solve huge.json --seconds 0.3 -o x.json");
        QVERIFY2(r.code == 0, r.err);
        QCOMPARE(folder.shell("tilewright-cli check huge.json x.json").code, 0);
    }

    void batchScriptHasNoForeignLines()
    {
        const Folder folder;
        folder.write(
            "plan.json",
            R"({"workload": "p.json", "what": "bound", "axes": [{"name": "fast_memory_capacity", "values": [30000]}]})");
        const QString start = "tilewright-cli sweep plan.json --slurm --dry-run -o ";
        for (const char* rest : {"runs --sbatch \"$(printf -- '--time=1\\n#SBATCH --uid=0')\"",
                                 "\"$(printf 'a\\nb')\"", "'a\"b'"}) {
            const CliRun r = folder.shell(start + rest);
            QVERIFY2(r.code == 2, r.out);
            QVERIFY2(r.err.contains("line"), r.err);
        }
        QCOMPARE(folder.shell(start + "\"a'b c\" --sbatch '--comment=\"x y\"'").code, 0);
    }

    void damagedResultIsToldBySweepAndCollect()
    {
        const Folder folder;
        folder.write(
            "plan.json",
            R"({"workload": "p.json", "what": "bound", "axes": [{"name": "fast_memory_capacity", "values": [30000, 40000]}]})");
        const CliRun first = folder.shell("tilewright-cli sweep plan.json -o runs");
        QVERIFY2(first.code == 0, first.err);
        const QString file =
            "runs/results/" + QDir(folder.path("runs/results")).entryList(QDir::Files).front();
        folder.write(file, "{\"point\": ");
        const CliRun again = folder.shell("tilewright-cli sweep plan.json -o runs");
        const CliRun collected = folder.shell("tilewright-cli sweep --collect runs");
        QCOMPARE(again.code, 2);
        QCOMPARE(collected.code, 2);
        QCOMPARE(again.err, collected.err);
        QVERIFY2(again.err.contains("; delete the file, and the next sweep"), again.err);
        QVERIFY(QFile::remove(folder.path(file)));
        QCOMPARE(folder.shell("tilewright-cli sweep plan.json -o runs").code, 0);
        QCOMPARE(folder.shell("tilewright-cli sweep --collect runs -o runs/plan.json").code, 2);
        QCOMPARE(folder.shell("tilewright-cli sweep --collect runs -o t.csv").code, 0);
    }
};

TILEWRIGHT_TEST(TestCliOutputs)

} // namespace test_cli_outputs
#include "test_cli_outputs.moc"
