// SPDX-License-Identifier: GPL-3.0-or-later
// Every verb opens each of its files once: a FIFO gives its content to one reader, and a second one would
// wait for ever.
#include "cli_run.h"
#include "test_main.h"

#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace test_cli_reads {

using namespace tilewright::test;

namespace {

const QString kSamples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/");
const QString kData = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/");

QByteArray content(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

[[maybe_unused]] bool catchesSigTerm(qint64 process) // by a build with the window
{
    const QByteArray status = content(QStringLiteral("/proc/%1/status").arg(process));
    const qsizetype at = status.indexOf("SigCgt:");
    return at >= 0 && (status.mid(at + 7, 17).trimmed().toULongLong(nullptr, 16) >> (SIGTERM - 1) & 1U) != 0;
}

/// A FIFO that gives `content` to the first reader.
class OneReading
{
public:
    OneReading(const QString& path, const QByteArray& content) : m_path(path.toStdString())
    {
        if (::mkfifo(m_path.c_str(), 0600) != 0)
            qFatal("%s cannot be made", m_path.c_str());
        m_writer = std::thread([this, content] {
            const int file = ::open(m_path.c_str(), O_WRONLY | O_CLOEXEC);
            for (qsizetype at = 0; at < content.size();) {
                const ssize_t n =
                    ::write(file, content.constData() + at, static_cast<std::size_t>(content.size() - at));
                if (n <= 0)
                    break;
                at += n;
            }
            ::close(file);
            m_given = true;
        });
    }
    OneReading(const OneReading&) = delete;
    OneReading& operator=(const OneReading&) = delete;
    ~OneReading()
    {
        const int reader =
            ::open(m_path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); // releases a writer that waits
        m_writer.join();
        ::close(reader);
    }
    [[nodiscard]] bool given() const { return m_given; }

private:
    std::string m_path;
    std::atomic<bool> m_given = false;
    std::thread m_writer;
};

} // namespace

class TestCliReads : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { ::signal(SIGPIPE, SIG_IGN); }

    /// As of a variable of the shell that is not set.
    void aNameThatIsEmptyIsRefused()
    {
        for (const char* verb :
             {"info", "check", "evaluate", "solve", "bound", "place", "systolic", "tile", "npu", "map"}) {
            QStringList call{QString::fromLatin1(verb), QString()};
            if (call.front() == QLatin1String("check") || call.front() == QLatin1String("evaluate"))
                call << QStringLiteral(TILEWRIGHT_SOURCE_DIR
                                       "/samples/schedule/example-3.c-keep.schedule.json");
            const CliRun run = runCli(call);
            QCOMPARE(run.code, 2);
            QVERIFY2(run.err.contains("the name of a file"), run.err.constData());
        }
        const CliRun start =
            runCli({"solve", TILEWRIGHT_SOURCE_DIR "/samples/schedule/example-1.json", "--start", ""});
        QCOMPARE(start.code, 2);
    }

    /// Nobody writes to this one.
    void theWindowDoesNotWaitForAPipe()
    {
#ifdef TILEWRIGHT_WINDOW
        const QTemporaryDir folder;
        const QString fifo = folder.filePath(QStringLiteral("fifo"));
        QCOMPARE(::mkfifo(QFile::encodeName(fifo).constData(), 0600), 0);
        QProcess window;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"})
            environment.insert(QString::fromLatin1(name), folder.path());
        window.setProcessEnvironment(environment);
        window.start(QStringLiteral(TILEWRIGHT_WINDOW), {fifo});
        QVERIFY(window.waitForStarted());
        // The signal is caught once the files are open and the window is there.
        QTRY_VERIFY_WITH_TIMEOUT(catchesSigTerm(window.processId()), 60'000);
        window.terminate();
        QVERIFY(window.waitForFinished(60'000));
        QCOMPARE(window.exitStatus(), QProcess::NormalExit);
        QCOMPARE(window.exitCode(), 128 + SIGTERM);
#endif
    }

    void aVerbReadsAFileOnce_data()
    {
        QTest::addColumn<QStringList>("arguments"); // a word @FILE is a FIFO with the content of FILE
        const auto row = [](const QString& arguments) {
            QTest::newRow(qPrintable(arguments)) << arguments.split(QLatin1Char(' '));
        };
        row("info @schedule/attention-block.json");
        row("info @models/llama-block.json");
        row("info @models/small-conv.csv");
        row("info @npu/llama_decode.json");
        row("info @models/llama-block.json --compare @models/llama-decode-block.json");
        row("check @schedule/mlp.json @schedule/mlp.fused.schedule.json");
        row("evaluate @schedule/mlp.json @schedule/mlp.fused.schedule.json --json");
        row("place @schedule/mlp.json @schedule/mlp.fused.schedule.json --seconds 1");
        row("solve @schedule/mlp.json --start @schedule/mlp.fused.schedule.json --iterations 3 --threads 1");
        row("solve @models/llama-block.json --machine @machine:edge.json --iterations 3 --threads 1");
        row("bound @schedule/mlp.json");
        row("bound @models/llama-block.json");
        row("convert @models/llama-block.json --to problem -o OUT");
        row("convert @schedule/mlp.json --to schedule -o OUT");
        row("systolic @models/llama-block.json --machine @machine:edge.json");
        row("systolic --gemm 64x64x64 --hierarchy @data:hierarchies/kpu.json");
        row("tile @models/llama-block.json --machine edge");
        row("tile --gemm 64x64x64 --hierarchy @data:hierarchies/kpu.json");
        row("npu @npu/llama_decode.json --hardware @data:npu_hardware/edge.json");
        row("npu @models/llama-decode-block.json --machine edge");
        row("map @mapping/layers/gemm-1000.json @mapping/architectures/edge-64.json --seconds 1");
        row("map @models/small-conv.csv --machine edge --seconds 1 --quick");
        row("sweep @PLAN -o OUT");
        if (runCli({"info", kSamples + "models/llama-block.onnx"}).code != 0)
            return; // a build without ONNX
        row("info @models/llama-block.onnx");
        row("solve @models/llama-block.onnx --machine edge --iterations 3 --threads 1");
    }
    void aVerbReadsAFileOnce()
    {
        QFETCH(QStringList, arguments);
        const QTemporaryDir folder;
        std::vector<std::unique_ptr<OneReading>> files;
        const auto feed = [&](const QString& name, const QByteArray& content) {
            const QString path = folder.filePath(QString::number(files.size()) + name);
            files.push_back(std::make_unique<OneReading>(path, content));
            return path;
        };
        for (QString& word : arguments) {
            if (word == QLatin1String("OUT"))
                word = folder.filePath(QStringLiteral("out"));
            if (!word.startsWith(QLatin1Char('@')))
                continue;
            QString file = word.mid(1);
            if (file == QLatin1String("PLAN")) {
                const QString workload =
                    feed(QStringLiteral("mlp.json"), content(kSamples + "schedule/mlp.json"));
                word = feed(QStringLiteral("plan.json"),
                            R"({"workload": ")" + QFileInfo(workload).fileName().toUtf8() +
                                R"(", "axes": [{"name": "fast_memory_capacity", "values": [40000, 50000]}],
                                "budget": {"seconds": 0.1}})");
                continue;
            }
            file = file.startsWith(QLatin1String("machine:"))
                       ? QStringLiteral(TILEWRIGHT_SOURCE_DIR "/resources/machines/") + file.mid(8)
                   : file.startsWith(QLatin1String("data:")) ? kData + file.mid(5)
                                                             : kSamples + file;
            QVERIFY2(QFile::exists(file), qPrintable(file));
            word = feed(QFileInfo(file).fileName(), content(file));
        }
        QProcess process;
        process.start(QStringLiteral(TILEWRIGHT_CLI), arguments);
        const bool ended = process.waitForFinished(30'000);
        if (!ended)
            process.kill();
        process.waitForFinished();
        QVERIFY2(ended, "it waits for a second reading");
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        for (const auto& file : files)
            QVERIFY(file->given());
    }
};

TILEWRIGHT_TEST(TestCliReads)

} // namespace test_cli_reads
#include "test_cli_reads.moc"
