// SPDX-License-Identifier: GPL-3.0-or-later
// Names and arguments with any bytes: no verb ends by a signal, writes anything but UTF-8, lets a terminal
// obey, or prints a line that a name forges.
#include "base/utf8.h"
#include "cli_run.h"
#include "test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_names {

using namespace tilewright::test;

namespace {

constexpr const char* kTopology = "Layer, M, N, K,\n"
                                  "Schicht_\xe4\x1b[31m, 96, 64, 32,\n"
                                  "=1+1, 96, 64, 32,\n"
                                  "<img src=x>\xe2\x80\xae, 32, 64, 96,\n";
/// A problem of two ops whose names would print lines of their own.
constexpr const char* kProblem = R"({"name": "p\ntotal        1\n", "widths": [128, 128, 128],
 "heights": [128, 128, 128], "inputs": [[0], [1]], "outputs": [[1], [2]], "base_costs": [10, 10],
 "op_types": ["Pointwise", "Pointwise"], "op_names": ["a\ntotal        1", "\u001b[2J\u009b\ufffe"],
 "fast_memory_capacity": 50000, "slow_memory_bandwidth": 10, "native_granularity": [128, 128]})";

void write(const QString& path, const QByteArray& text)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("%s cannot be written", qPrintable(path));
}

/// Printed text: UTF-8, lines of shown characters and tabs.
bool isHarmless(const QByteArray& text)
{
    const std::string all = text.toStdString();
    if (!tilewright::isUtf8(all))
        return false;
    for (std::string_view rest = all; !rest.empty();) {
        const auto c = tilewright::firstCharacter(rest);
        if (!tilewright::isShown(c.code) && c.code != '\n' && c.code != '\t')
            return false;
        rest.remove_prefix(c.length);
    }
    return true;
}

} // namespace

class TestCliNames : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        write(path("l.csv"), kTopology);
        write(path("p.json"), kProblem);
        const CliRun made = runCli({QStringLiteral("solve"), path("p.json"), QStringLiteral("--iterations"),
                                    QStringLiteral("50"), QStringLiteral("-o"), path("s.json")});
        QVERIFY2(made.code == 0, made.err.constData());
    }

    void everyVerb_data()
    {
        QTest::addColumn<QString>("call");
        for (const char* call : {"info l.csv",
                                 "info l.csv --json",
                                 "info l.csv --compare l.csv",
                                 "npu l.csv",
                                 "npu l.csv --json",
                                 "map l.csv --seconds 1 --quick",
                                 "map l.csv --seconds 1 --quick --json",
                                 "solve l.csv --iterations 20",
                                 "solve l.csv --iterations 20 --json",
                                 "bound l.csv --json",
                                 "systolic l.csv",
                                 "systolic l.csv --json",
                                 "tile l.csv --json",
                                 "convert l.csv --to layers",
                                 "convert l.csv --to npu",
                                 "convert l.csv --to model",
                                 "convert l.csv --to problem",
                                 "info p.json",
                                 "info p.json --json",
                                 "check p.json s.json",
                                 "evaluate p.json s.json",
                                 "evaluate p.json s.json --json",
                                 "place p.json s.json",
                                 "place p.json s.json --json",
                                 "solve p.json --iterations 20 --json",
                                 "bound p.json",
                                 "convert p.json --to npu",
                                 "npu p.json"})
            QTest::newRow(call) << QString::fromLatin1(call);
    }
    void everyVerb()
    {
        QFETCH(QString, call);
        QStringList arguments = call.split(QLatin1Char(' '));
        for (QString& a : arguments)
            if (a.contains(QLatin1Char('.')))
                a = path(a.toLatin1());
        if (arguments.front() == QLatin1String("convert"))
            arguments << QStringLiteral("-o") << path("out.json");
        const CliRun run = runCli(arguments);
        QVERIFY2(run.code == 0, run.err.constData());
        QVERIFY2(isHarmless(run.out), run.out.constData());
        QVERIFY2(isHarmless(run.err), run.err.constData());
        QVERIFY2(!run.out.contains("\ntotal        1\n"), run.out.constData());
        QCOMPARE(run.err.count("l.csv: line 2: bytes that are not UTF-8"),
                 call.contains(QLatin1String("csv")));
        if (call.contains(QLatin1String("--json")))
            QVERIFY(run.json().is_structured());
        if (QFile out(path("out.json")); out.open(QIODevice::ReadOnly))
            QVERIFY(isHarmless(out.readAll()));
    }

    void argumentsAreShownNotObeyed_data()
    {
        QTest::addColumn<QString>("call");
        for (const char* call : {"info '%s'", "info %s/p.json", "solve p.json --start '%s'", "%s",
                                 "info '--%s'", "info p.json --machine '%s'", "solve p.json --seconds '%s'",
                                 "info p.json --dim '%s=1'", "convert p.json --to '%s'", "sweep '%s'"})
            QTest::newRow(call) << QString::fromLatin1(call);
    }
    void argumentsAreShownNotObeyed()
    {
        QFETCH(QString, call);
        QProcess shell;
        shell.setWorkingDirectory(m_folder.path());
        shell.start(QStringLiteral("sh"),
                    {QStringLiteral("-c"),
                     QStringLiteral("x=$(printf 'a\\033[31m\\344\\nb'); \"$0\" ") +
                         QString(call)
                             .replace(QLatin1String("'%s'"), QLatin1String("\"$x\""))
                             .replace(QLatin1String("'--%s'"), QLatin1String("\"--$x\""))
                             .replace(QLatin1String("'%s=1'"), QLatin1String("\"$x=1\""))
                             .replace(QLatin1String("%s"), QLatin1String("\"$x\"")),
                     QStringLiteral(TILEWRIGHT_CLI)});
        QVERIFY(shell.waitForFinished(60'000));
        QCOMPARE(shell.exitStatus(), QProcess::NormalExit);
        QCOMPARE(shell.exitCode(), 2);
        const QByteArray err = shell.readAllStandardError();
        QVERIFY2(!err.isEmpty() && isHarmless(err), err.constData());
    }

    /// A model whose file has another name than UTF-8 is read and can be converted.
    void fileNamesMayHaveAnyBytes()
    {
        const auto name = (m_folder.path() + QStringLiteral("/l")).toStdString() + "\xe4.csv";
        FILE* file = std::fopen(name.c_str(), "w");
        QVERIFY(file);
        std::fputs("Layer, M, N, K,\nx, 96, 64, 32,\n", file);
        std::fclose(file);
        for (const char* verb :
             {"npu --json", "map --quick --seconds 1 --json", "solve --json --iterations 9",
              "convert --to npu -o /dev/stdout", "convert --to layers -o /dev/stdout"}) {
            QProcess shell;
            shell.start(QStringLiteral("sh"),
                        {QStringLiteral("-c"),
                         QStringLiteral("exec \"$0\" %1 \"$(printf '%2/l\\344.csv')\" %3")
                             .arg(QString::fromLatin1(verb).section(QLatin1Char(' '), 0, 0), m_folder.path(),
                                  QString::fromLatin1(verb).section(QLatin1Char(' '), 1)),
                         QStringLiteral(TILEWRIGHT_CLI)});
            QVERIFY(shell.waitForFinished(60'000));
            QCOMPARE(shell.exitStatus(), QProcess::NormalExit);
            const QByteArray err = shell.readAllStandardError();
            QVERIFY2(shell.exitCode() == 0, err.constData());
            QVERIFY(isHarmless(shell.readAllStandardOutput()));
        }
        QProcess sweep;
        sweep.start(QStringLiteral("sh"),
                    {QStringLiteral("-c"),
                     QStringLiteral("exec \"$0\" sweep %1 --threads 1 -o \"$(printf '%2/s\\344')\"")
                         .arg(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/fuzz/verbs/seeds/sweep.plan.json"),
                              m_folder.path()),
                     QStringLiteral(TILEWRIGHT_CLI)});
        QVERIFY(sweep.waitForFinished(60'000));
        QCOMPARE(sweep.exitCode(), 0);
        QVERIFY(isHarmless(sweep.readAllStandardOutput()));
    }

private:
    [[nodiscard]] QString path(const QByteArray& name) const
    {
        return m_folder.filePath(QString::fromLatin1(name));
    }

    QTemporaryDir m_folder;
};

TILEWRIGHT_TEST(TestCliNames)

} // namespace test_cli_names
#include "test_cli_names.moc"
