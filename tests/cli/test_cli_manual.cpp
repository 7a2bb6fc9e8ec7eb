// SPDX-License-Identifier: GPL-3.0-or-later
// Issue 19, "Packages": manual pages and completions come from the description that --help prints, so they
// name every verb and option that it lists.
#include "test_main.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_manual {

namespace {

struct Run
{
    int code = -1;
    QString out;
};

Run runProgram(const QString& program, const QStringList& arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // No display, as where packages are made.
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QLatin1String(name));
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
        return {};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput())};
}

/// The names that --help lists under a heading: first words of the lines, options in all spellings.
QStringList listed(const QString& help, const QString& heading)
{
    QStringList out;
    bool inside = false;
    static const QRegularExpression kEntry(QStringLiteral("^  ([^\\s[]+)"));
    for (const QString& line : help.split(QLatin1Char('\n'))) {
        if (!line.startsWith(QLatin1Char(' ')))
            inside = line == heading + QLatin1Char(':');
        else if (const auto entry = kEntry.match(line); inside && entry.hasMatch())
            out += entry.captured(1).split(QLatin1Char(','));
    }
    return out;
}

/// The part of `text` from the match of `start` up to the next match of `end`.
QString part(const QString& text, const QString& start, const QString& end)
{
    const qsizetype from = text.indexOf(start);
    if (from < 0)
        return {};
    const qsizetype to = text.indexOf(end, from + start.size());
    return text.mid(from, to < 0 ? -1 : to - from);
}

bool hasWord(const QString& text, const QString& word)
{
    const QRegularExpression whole(
        QStringLiteral("(?<![\\w-])%1(?![\\w-])").arg(QRegularExpression::escape(word)));
    return whole.match(text).hasMatch();
}

const QRegularExpression kFont(QStringLiteral("\\\\f[BIR]"));

QStringList programs()
{
    QStringList out{QStringLiteral(TILEWRIGHT_CLI)};
#ifdef TILEWRIGHT_WINDOW
    out << QStringLiteral(TILEWRIGHT_WINDOW);
#endif
    return out;
}

QString nameOf(const QString& program)
{
    return program.mid(program.lastIndexOf(QLatin1Char('/')) + 1);
}

} // namespace

class TestCliManual : public QObject
{
    Q_OBJECT

private slots:
    void everyVerbAndOption_data();
    void everyVerbAndOption();
    void theHiddenVerb_isInNone();
    void bash_completes_data();
    void bash_completes();
    void shells_readTheirScript_data();
    void shells_readTheirScript();
    void version_isThatOfTheChangelogAndNamesTheCommit();
    void badInput();
};

void TestCliManual::everyVerbAndOption_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("verb");
    for (const QString& program : programs()) {
        const QStringList verbs =
            listed(runProgram(program, {QStringLiteral("--help")}).out, QStringLiteral("Subcommands"));
        QVERIFY(verbs.size() >= 2);
        QTest::addRow("%s", qPrintable(nameOf(program))) << program << QString();
        for (const QString& verb : verbs)
            QTest::addRow("%s %s", qPrintable(nameOf(program)), qPrintable(verb)) << program << verb;
    }
}

void TestCliManual::everyVerbAndOption()
{
    QFETCH(const QString, program);
    QFETCH(const QString, verb);
    const QString name = nameOf(program);
    QStringList call{verb, QStringLiteral("--help")};
    call.removeAll(QString());
    const Run help = runProgram(program, call);
    QCOMPARE(help.code, 0);
    const QStringList options = listed(help.out, QStringLiteral("Options"));
    QVERIFY2(options.contains(QStringLiteral("--help")), qPrintable(help.out));

    const auto manual = [&](const char* what) {
        return runProgram(program, {QStringLiteral("manual"), QLatin1String(what)}).out;
    };
    const QString man = manual("man").remove(kFont).remove(QLatin1Char('\\'));
    const QString manPart =
        verb.isEmpty() ? part(man, QStringLiteral(".SH OPTIONS"), QStringLiteral(".SH VERBS"))
                       : part(man, QStringLiteral(".SS ") + verb + QLatin1Char('\n'), QStringLiteral("\n.S"));
    const QString bash = part(manual("bash"), QStringLiteral("    case $verb in"), QStringLiteral("esac"));
    const QString bashPart = verb.isEmpty() ? part(bash, QStringLiteral("    '')"), QStringLiteral(";;"))
                                            : part(bash, QStringLiteral("    ") + verb + QStringLiteral(")"),
                                                   QStringLiteral(";;"));
    const QString zsh = manual("zsh");
    const QString zshPart = verb.isEmpty()
                                ? part(zsh, QStringLiteral("_arguments -C"), QStringLiteral("case"))
                                : part(zsh, QStringLiteral("        %1)\n").arg(verb), QStringLiteral(";;"));
    const QString condition = verb.isEmpty() ? QStringLiteral("__fish_use_subcommand ")
                                             : QStringLiteral("__fish_seen_subcommand_from %1' ").arg(verb);
    QString fishPart;
    for (const QString& line : manual("fish").split(QLatin1Char('\n')))
        if (line.contains(condition))
            fishPart += line + QLatin1Char('\n');
    for (const QString& option : options) {
        QVERIFY2(hasWord(manPart, option), qPrintable(QStringLiteral("man page lacks ") + option));
        QVERIFY2(hasWord(bashPart, option), qPrintable(QStringLiteral("bash lacks ") + option));
        QVERIFY2(hasWord(zshPart, option), qPrintable(QStringLiteral("zsh lacks ") + option));
        const QString fish = option.startsWith(QLatin1String("--")) ? QStringLiteral("-l ") + option.mid(2)
                                                                    : QStringLiteral("-s ") + option.mid(1);
        QVERIFY2(hasWord(fishPart, fish), qPrintable(QStringLiteral("fish lacks ") + option));
    }
    // The verb itself: with its synopsis, and as the first word.
    if (verb.isEmpty())
        return;
    QVERIFY(hasWord(part(man, QStringLiteral(".SH SYNOPSIS"), QStringLiteral(".SH OPTIONS")),
                    name + QLatin1Char(' ') + verb));
    QVERIFY(hasWord(part(bash, QStringLiteral("    '')"), QStringLiteral(";;")), verb));
    QVERIFY(part(zsh, QStringLiteral("verbs=("), QStringLiteral("\n    )"))
                .contains(QStringLiteral("'%1:").arg(verb)));
    QVERIFY(hasWord(manual("fish"), QStringLiteral("__fish_use_subcommand -a ") + verb));
}

void TestCliManual::theHiddenVerb_isInNone()
{
    for (const QString& program : programs()) {
        QVERIFY(!listed(runProgram(program, {QStringLiteral("--help")}).out, QStringLiteral("Subcommands"))
                     .contains(QStringLiteral("manual")));
        QVERIFY(!runProgram(program, {QStringLiteral("manual"), QStringLiteral("fish")})
                     .out.contains(QLatin1String("-a manual")));
    }
}

void TestCliManual::bash_completes_data()
{
    QTest::addColumn<int>("program");
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("expected");
    QTest::addRow("a verb") << 0 << QStringLiteral("sol") << QStringLiteral("solve");
    QTest::addRow("an option") << 0 << QStringLiteral("solve x.json --sec") << QStringLiteral("--seconds");
    QTest::addRow("a choice") << 0 << QStringLiteral("solve x.json --rules se") << QStringLiteral("seed");
    QTest::addRow("a choice behind =")
        << 0 << QStringLiteral("solve x.json --rules = se") << QStringLiteral("seed");
    QTest::addRow("a pipeline") << 0 << QStringLiteral("systolic --pipeline pip")
                                << QStringLiteral("pipelined");
    QTest::addRow("a bandwidth") << 0 << QStringLiteral("systolic --bandwidth unl")
                                 << QStringLiteral("unlimited");
    QTest::addRow("an L2 schedule") << 0 << QStringLiteral("systolic --schedule a-f")
                                    << QStringLiteral("a-full");
    QTest::addRow("a bank layout") << 0 << QStringLiteral("systolic --bank-layout se")
                                   << QStringLiteral("seed");
    QTest::addRow("tiles") << 0 << QStringLiteral("npu x.json --tiles sea") << QStringLiteral("searched");
    QTest::addRow("a file to write") << 0 << QStringLiteral("systolic --trace fi")
                                     << QStringLiteral("file with space.json");
    QTest::addRow("a preset") << 0 << QStringLiteral("map x.json --machine serv") << QStringLiteral("server");
    QTest::addRow("a kind") << 0 << QStringLiteral("generate resnet-1") << QStringLiteral("resnet-18");
    QTest::addRow("a number is not") << 0 << QStringLiteral("solve x.json --threads fi") << QString();
    QTest::addRow("a file") << 0 << QStringLiteral("check fi") << QStringLiteral("file with space.json");
    QTest::addRow("a view") << 1 << QStringLiteral("render x.json --view roof") << QStringLiteral("roofline");
    QTest::addRow("a file to open") << 1 << QStringLiteral("fi") << QStringLiteral("file with space.json");
}

void TestCliManual::bash_completes()
{
    QFETCH(const int, program);
    QFETCH(const QString, words);
    QFETCH(const QString, expected);
    if (program >= programs().size())
        QSKIP("built without the window");
    const QString path = programs()[program];
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("file with space.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QString script =
        QStringLiteral(
            "cd '%1'; source <('%2' manual bash); COMP_WORDS=(%3 %4); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
            "f=$(complete -p %3); f=${f#*-F }; ${f%% *}; printf '%s\\n' \"${COMPREPLY[@]}\"")
            .arg(folder.path(), path, nameOf(path), words);
    const Run run = runProgram(QStringLiteral("bash"), {QStringLiteral("-c"), script});
    QCOMPARE(run.out.trimmed(), expected);
}

void TestCliManual::shells_readTheirScript_data()
{
    QTest::addColumn<QString>("shell");
    for (const char* shell : {"bash", "zsh", "fish"})
        QTest::addRow("%s", shell) << QString::fromLatin1(shell);
}

void TestCliManual::shells_readTheirScript()
{
    QFETCH(const QString, shell);
    if (runProgram(shell, {QStringLiteral("-c"), QStringLiteral("true")}).code != 0)
        QSKIP("the shell is not installed");
    const QTemporaryDir folder;
    for (const QString& program : programs()) {
        const Run script = runProgram(program, {QStringLiteral("manual"), shell});
        QCOMPARE(script.code, 0);
        QFile file(folder.filePath(QStringLiteral("script")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(script.out.toUtf8());
        file.close();
        QCOMPARE(runProgram(shell, {QStringLiteral("-n"), file.fileName()}).code, 0);
    }
}

void TestCliManual::version_isThatOfTheChangelogAndNamesTheCommit()
{
    QFile changelog(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/resources/package/changelog"));
    QVERIFY(changelog.open(QIODevice::ReadOnly));
    const auto entry = QRegularExpression(QStringLiteral("^tilewright \\(([0-9.]+)\\)"))
                           .match(QString::fromUtf8(changelog.readLine()));
    QVERIFY(entry.hasMatch());
    const bool repository = QFile::exists(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/.git"));
    for (const QString& program : programs()) {
        const Run run = runProgram(program, {QStringLiteral("--version")});
        QCOMPARE(run.code, 0);
        const QString pattern =
            QStringLiteral("^%1 %2%3$")
                .arg(nameOf(program), QRegularExpression::escape(entry.captured(1)),
                     repository ? QStringLiteral(" \\(commit [0-9a-f]{10}(, changed)?\\)") : QString());
        QVERIFY2(QRegularExpression(pattern).match(run.out.trimmed()).hasMatch(), qPrintable(run.out));
    }
}

void TestCliManual::badInput()
{
    for (const QString& program : programs()) {
        QCOMPARE(runProgram(program, {QStringLiteral("manual"), QStringLiteral("csh")}).code, 2);
        QCOMPARE(runProgram(program, {QStringLiteral("--no-such-option")}).code, 2);
    }
}

TILEWRIGHT_TEST(TestCliManual)

} // namespace test_cli_manual
#include "test_cli_manual.moc"
