// SPDX-License-Identifier: GPL-3.0-or-later
// What the verbs say of files and options that cannot be used: one sentence about the right file, exit code
// 2, and never an abort.
#include "cli_run.h"
#include "test_main.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace test_cli_refusals {

using namespace tilewright::test;

namespace {

const QString kSamples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/");

QString written(const QTemporaryDir& folder, const char* name, const QByteArray& content)
{
    QFile file(folder.filePath(QLatin1String(name)));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("%s cannot be written", name);
    return file.fileName();
}

QByteArray sample(const char* name)
{
    QFile file(kSamples + QLatin1String(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestCliRefusals : public QObject
{
    Q_OBJECT
private slots:
    /// A misspelt optional field changed a total by 2.4 % without a word.
    void aMisspeltFieldIsRefused()
    {
        const QTemporaryDir folder;
        const QString problem = kSamples + "schedule/example-4.json";
        QByteArray schedule = sample("schedule/example-4.b-snake.schedule.json");
        const QString typo =
            written(folder, "s.json", schedule.replace("traversal_orders", "traversal_order"));
        for (const char* verb : {"check", "evaluate", "place"}) {
            const CliRun r = runCli({verb, problem, typo});
            QCOMPARE(r.code, 2);
            QCOMPARE(r.err, "tilewright-cli: " + typo.toUtf8() +
                                ": unknown field \"traversal_order\"; did you mean \"traversal_orders\"?\n");
        }
        QByteArray text = sample("schedule/mlp.json");
        const QString names = written(folder, "p.json", text.replace("op_names", "op_name"));
        const CliRun r = runCli({"info", names});
        QCOMPARE(r.code, 2);
        QCOMPARE(r.err, "tilewright-cli: " + names.toUtf8() +
                            ": unknown field \"op_name\"; did you mean \"op_names\"?\n");
    }

    void aFieldOfAnotherProgramIsNamed()
    {
        const QTemporaryDir folder;
        const QString problem =
            written(folder, "p.json", sample("schedule/mlp.json").replace("{", "{\"author\": \"me\","));
        const QString schedule =
            written(folder, "s.json",
                    sample("schedule/mlp.fused.schedule.json")
                        .replace("{", "{\"score\": 1, \"hardware\": {\"fast_memory_capacty\": 1},"));
        const CliRun r = runCli({"check", problem, schedule});
        QCOMPARE(r.code, 0);
        QCOMPARE(r.err,
                 "tilewright-cli: " + problem.toUtf8() +
                     ": the field \"author\" is unknown: it is kept, but has no effect\n"
                     "tilewright-cli: " +
                     schedule.toUtf8() +
                     ": the fields \"score\", \"hardware\" are unknown: they are kept, but have no effect\n");
        QVERIFY(
            runCli({"check", kSamples + "schedule/mlp.json", kSamples + "schedule/mlp.fused.schedule.json"})
                .err.isEmpty());
    }

    void deepFilesAreRefused()
    {
        const QTemporaryDir folder;
        const QByteArray deep = QByteArray(100'000, '[') + QByteArray(100'000, ']');
        const QString schedule =
            written(folder, "s.json",
                    sample("schedule/mlp.fused.schedule.json").replace("{", "{\"machine\": " + deep + ","));
        for (const char* verb : {"check", "evaluate", "place"}) {
            const CliRun r = runCli({verb, kSamples + "schedule/mlp.json", schedule});
            QCOMPARE(r.code, 2);
            QVERIFY2(r.err.contains("brackets are nested more than 64 levels deep"), r.err);
        }
    }

    void theRightFileIsBlamed_data()
    {
        QTest::addColumn<QStringList>("arguments"); // @NAME is a file of the test, %NAME a sample
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* arguments, const char* sentence) {
            QTest::newRow(arguments) << QString::fromLatin1(arguments).split(QLatin1Char(' '))
                                     << QString::fromLatin1(sentence);
        };
        row("npu %models/llama-block.json --machine nope",
            "nope: is neither a file nor a preset; the presets are ");
        row("npu %models/llama-block.json --machine @typo.json",
            "@typo.json: unknown field \"nmae\"; did you mean \"name\"?");
        row("npu @model.json", "@model.json: ops[0].type: expected \"matmul\", ");
        row("npu @npu.json", "@npu.json: unknown field \"hardwar\"; did you mean \"hardware\"?");
        // Two files, of which one has a number where the other has an object.
        row("systolic --gemm 4x4x4 --machine @a.json --machine @h.json",
            "@a.json: array: expected an object, as in @h.json, got 8");
        row("systolic --gemm 4x4x4 --machine @l.json --machine @h.json",
            "@l.json: levels: expected an object, as in @h.json, got 3");
        row("systolic --gemm 4x4x4 --machine @h.json --machine @a.json",
            "@a.json: array: expected an object, as in @h.json, got 8");
        // A memory that is too small: the file that states it
        row("tile --gemm 64x64x64 --hierarchy @small.json",
            "@small.json: capacity: no tile fits into 12 bytes; ");
        row("tile --gemm 64x64x64 --machine @few.json", "@few.json: capacity: no tile fits into ");
        row("tile --gemm 64x64x64 --machine @few.json --capacity 12",
            "capacity: no tile fits into 12 bytes; ");
        row("systolic --gemm 64x64x64 --hierarchy @small.json --pipeline pipelined", "@small.json: l2: ");
        row("systolic --gemm 24x20x16 --machine @slow.json --pipeline pipelined",
            "@slow.json: machine.block_mover: needs 1 to 1024 units");
        // Paths
        row("info --machine @locked/m.json %models/llama-block.json",
            "@locked/m.json: cannot be opened (Permission denied)");
        row("info --machine @loop %models/llama-block.json",
            "@loop: cannot be opened (Too many levels of symbolic links)");
        row("info --machine @LONG %models/llama-block.json", "@LONG: cannot be opened (File name too long)");
        row("info /dev/zero", "/dev/zero: is larger than 64 MiB, the limit for any input");
        row("info %models/llama-block.json --machine /dev/zero",
            "/dev/zero: is larger than 64 MiB, the limit for any input");
        row("sweep @zero.json -o @out", "@zero.json: workload: /dev/zero: is larger than 64 MiB");
        row("info @", "@: is a folder, not a file");
        // Options
        row("systolic --gemm 4x4x4 --hierarchy EMPTY",
            "--hierarchy: expected the name of a file or folder, got \"\"");
        row("solve %schedule/mlp.json --start EMPTY",
            "--start: expected the name of a file or folder, got \"\"");
        row("info %models/llama-block.json --compare EMPTY",
            "--compare: expected the name of a file or folder, got \"\"");
        row("info EMPTY", "problem: expected the name of a file or folder, got \"\"");
        row("generate random --ops 0", "--ops: expected an integer of at least 1, got \"0\"");
        row("generate mlp --native 0", "--native: expected an integer of at least 1, got \"0\"");
        row("solve %schedule/mlp.json --seconds nan", "--seconds: expected a number from 0 to ");
        row("systolic --gemm 4x4x4 --dram-gb-per-s nan",
            "--dram-gb-per-s: expected a number above 0, got \"nan\"");
        row("systolic --gemm 4x4x4 --dram-gb-per-s inf",
            "--dram-gb-per-s: expected a number above 0, got \"inf\"");
    }
    void theRightFileIsBlamed()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, sentence);
        const QTemporaryDir folder;
        const auto file = [&](const char* name, const QByteArray& content) {
            written(folder, name, content);
        };
        file("typo.json", R"({"nmae": "x", "element_bytes": 2, "levels": {}})");
        file("model.json", R"({"name": "m", "tensors": [{"name": "x", "shape": [4, 4]}], "constants": [],
            "ops": [{"type": "gelu", "name": "g", "inputs": ["x"], "outputs": ["x"]}]})");
        file("npu.json", R"({"name": "m", "hardwar": {}, "run": {}, "tensors": [], "ops": []})");
        file("a.json", R"({"name": "a", "array": 8})");
        file("l.json", R"({"name": "l", "levels": 3})");
        QFile hierarchy(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/hierarchies/kpu.json"));
        QVERIFY(hierarchy.open(QIODevice::ReadOnly));
        QByteArray kpu = hierarchy.readAll();
        file("h.json", kpu);
        file("small.json", kpu.replace("65536", "12"));
        QFile machine(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/fuzz/verbs/seeds/machine.json"));
        QVERIFY(machine.open(QIODevice::ReadOnly));
        const QByteArray whole = machine.readAll();
        file("few.json", QByteArray(whole).replace("8192", "2"));
        file("slow.json", QByteArray(whole).replace("\"gb_per_s\": 16}", "\"gb_per_s\": 1e-9}"));
        file("zero.json", R"({"workload": "/dev/zero", "machine": "edge",
            "axes": [{"name": "array.rows", "values": [8, 16]}]})");
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("locked")));
        file("locked/m.json", "{}");
        const QByteArray locked = QFile::encodeName(folder.filePath(QStringLiteral("locked")));
        QVERIFY(
            QFile::link(folder.filePath(QStringLiteral("loop")), folder.filePath(QStringLiteral("loop"))));
        if (sentence.contains(QLatin1String("Permission")) && ::geteuid() == 0)
            QSKIP("root may enter every folder");
        ::chmod(locked.constData(), 0);
        const auto named = [&](QString text) {
            return text.replace(QLatin1String("@LONG"), QString(300, QLatin1Char('n')))
                .replace(QLatin1Char('@'), folder.path() + QLatin1Char('/'))
                .replace(QLatin1Char('%'), kSamples)
                .replace(QLatin1String("EMPTY"), QString());
        };
        for (QString& word : arguments)
            word = named(word);
        const CliRun r = runCli(arguments);
        ::chmod(locked.constData(), 0700);
        QCOMPARE(r.code, 2);
        const QByteArray wanted = "tilewright-cli: " + named(sentence).toUtf8();
        QVERIFY2(r.err.startsWith(wanted), (r.err + " instead of " + wanted).constData());
    }

    /// Files that their reader has to leave while it reads them ended the program with SIGBUS.
    void aFileThatBecomesShorterEndsNothing()
    {
        const QByteArray model = sample("models/resnet-18.onnx");
        if (runCli({"info", kSamples + "models/resnet-18.onnx"}).code == 2)
            QSKIP("a build without ONNX");
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("t.onnx"));
        for (int i = 0; i < 12; ++i) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
            // Further graphs are merged into the first one: many bytes to look at.
            for (int copies = 0; copies < 40; ++copies)
                file.write(model);
            file.close();
            QProcess process;
            process.start(QStringLiteral(TILEWRIGHT_CLI), {QStringLiteral("info"), path});
            QVERIFY(process.waitForStarted());
            QTest::qSleep(2 + 3 * i);
            QVERIFY(QFile::resize(path, 4096));
            QVERIFY(process.waitForFinished(60'000));
            QCOMPARE(process.exitStatus(), QProcess::NormalExit);
            QVERIFY2(process.exitCode() == 0 || process.exitCode() == 2,
                     process.readAllStandardError().constData());
        }
    }

    void aPipeThatNobodyWritesToCanBeLeft_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char* arguments) {
            QTest::newRow(arguments) << QString::fromLatin1(arguments).split(QLatin1Char(' '));
        };
        row("info FIFO");
        row("bound FIFO");
        row("check FIFO FIFO");
        row("solve FIFO");
        row("place FIFO --capacity 9");
        row("place %schedule/mlp.json FIFO");
        row("npu FIFO");
        row("map %mapping/layers/gemm-1000.json --method FIFO");
        row("sweep FIFO -o OUT");
    }
    void aPipeThatNobodyWritesToCanBeLeft()
    {
        QFETCH(QStringList, arguments);
        const QTemporaryDir folder;
        const QString fifo = folder.filePath(QStringLiteral("fifo"));
        QCOMPARE(::mkfifo(QFile::encodeName(fifo).constData(), 0600), 0);
        for (QString& word : arguments)
            word.replace(QLatin1String("FIFO"), fifo)
                .replace(QLatin1Char('%'), kSamples)
                .replace(QLatin1String("OUT"), folder.filePath(QStringLiteral("out")));
        QProcess process;
        process.start(QStringLiteral(TILEWRIGHT_CLI), arguments);
        QVERIFY(process.waitForStarted());
        QTest::qWait(200);
        QCOMPARE(process.state(), QProcess::Running);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        const bool ended = process.waitForFinished(5000);
        process.kill();
        process.waitForFinished();
        QVERIFY(ended);
    }

    /// The fields of the NPU lens, in a model that another reader reads because this lens refuses another
    /// part.
    void fieldsOfTheNpuLensAreChecked_data()
    {
        QTest::addColumn<QByteArray>("fields");
        QTest::addColumn<QByteArray>("ofOp");
        QTest::addColumn<QByteArray>("sentence");
        const auto row = [](const char* name, const char* fields, const char* ofOp, const char* sentence) {
            QTest::newRow(name) << QByteArray(fields) << QByteArray(ofOp) << QByteArray(sentence);
        };
        row("hardware", R"("hardware": 3,)", "", "hardware: expected an object, got 3");
        row("its field", R"("hardware": {"coers": 4},)", "", "hardware: unknown field \"coers\"");
        row("run", R"("run": {"scheduler": "fast"},)", "",
            "run.scheduler: expected \"static\" or \"dynamic\", got the text \"fast\"");
        row("tile", "", R"(,"tile": {"rows": 2})", "ops[1].tile: unknown field \"rows\"");
        row("size", "", R"(,"tile": {"m": 0})", "ops[1].tile.m: expected an integer from 1");
    }
    void fieldsOfTheNpuLensAreChecked()
    {
        QFETCH(QByteArray, fields);
        QFETCH(QByteArray, ofOp);
        QFETCH(QByteArray, sentence);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("m.json"));
        for (const bool isGeneral : {false, true}) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("{" + fields +
                       R"("tensors": [{"name": "a", "shape": [4, 6]}, {"name": "t", "shape": [)" +
                       (isGeneral ? "6, 4" : "4, 6") + R"(]}, {"name": "w", "shape": [6, 4]},
                {"name": "y", "shape": [4, 4]}], "ops": [{"inputs": ["a"], "outputs": ["t"], "type": )" +
                       (isGeneral ? R"("transpose", "permutation": [1, 0]})" : R"("elementwise"})") +
                       R"(, {"type": "matmul", "inputs": [)" + (isGeneral ? R"("a", "t")" : R"("t", "w")") +
                       R"(], "outputs": ["y"])" + ofOp + "}]}");
            file.close();
            for (const char* verb : {"info", "npu"}) {
                const CliRun r = runCli({QString::fromLatin1(verb), path});
                QCOMPARE(r.code, 2);
                QVERIFY2(r.err.contains(sentence), r.err.constData());
            }
        }
    }

    void placeAnswersInJsonToo()
    {
        const CliRun r = runCli({"place", kSamples + "schedule/example-5.json",
                                 kSamples + "schedule/example-5.a-out-of-memory.schedule.json", "--json"});
        QCOMPARE(r.code, 1);
        QVERIFY(!r.json()["valid"].get<bool>());
        QVERIFY(!r.json()["issues"].empty());
    }
};

TILEWRIGHT_TEST(TestCliRefusals)

} // namespace test_cli_refusals
#include "test_cli_refusals.moc"
