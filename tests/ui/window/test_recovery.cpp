// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that are ended or killed, full disks, discarded recovery copies: nothing is lost.
#include "saving_bench.h"
#include "test_main.h"
#include "window/end_signals.h"
#include "window/file_actions.h"
#include "workload/problem_json.h"
#include "workspace/recovery_store.h"

#include <QProcess>

#include <csignal>
#include <stdexcept>
#include <sys/stat.h>

namespace test_recovery {

using namespace tilewright;
using namespace tilewright::ui;

class TestRecovery : public QObject, protected SavingBench
{
    Q_OBJECT

    /// Runs the other program until it says "ready", ends it by a signal and returns what it had said.
    QByteArray endChild(const QString& what, int signal, int* code = nullptr)
    {
        QProcess other;
        other.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        other.start(QCoreApplication::applicationFilePath(),
                    {QStringLiteral("test_recovery"), QStringLiteral("--child"), what, problemFile(),
                     settingsFolder(), QCoreApplication::applicationName()});
        QByteArray said;
        while (!said.contains("ready") && other.waitForReadyRead(60'000))
            said += other.readAllStandardOutput();
        ::kill(static_cast<pid_t>(other.processId()), signal);
        other.waitForFinished(60'000);
        if (code)
            *code = other.exitStatus() == QProcess::NormalExit ? other.exitCode() : -1;
        return said;
    }

public:
    /// The other program: opens the problem, edits it as `what` says, and says "ready".
    static int runChild(const QString& what, const QString& problem)
    {
        MainWindow window;
        window.restoreSession();
        window.show();
        if (!window.openPaths({problem}))
            return 3;
        Preferences preferences;
        preferences.autosaveSeconds = what == QLatin1String("killed") ? 1 : 600;
        window.setPreferences(preferences);
        Document& document = window.state().document;
        document.pinBaseline(QStringLiteral("pinned"));
        if (what != QLatin1String("killed"))
            edit(window);
        document.nudge({{QStringLiteral("op 1"), QPointF(12, 34)}}, QStringLiteral("move"));
        document.setNote(Document::viewNote(QStringLiteral("roofline")), kNote);
        const EndSignals ending([&](int signal) {
            window.keepForNextStart();
            QApplication::exit(128 + signal);
        });
        if (what == QLatin1String("asking"))
            QTimer::singleShot(0, &window, [&] { window.close(); });
        QTimer::singleShot(what == QLatin1String("killed") ? 2000 : 200, &window, [] {
            std::puts(QApplication::activeModalWidget() ? "ready, asking" : "ready");
            std::fflush(stdout);
        });
        return QApplication::exec();
    }

private Q_SLOTS:
    void init() { prepare(); }
    void cleanup() { qApp->setProperty("tilewrightNoPrompts", true); }

    void notesBaselinesAndMovedNodesSurviveKill()
    {
        QVERIFY(endChild(QStringLiteral("killed"), SIGKILL).contains("ready"));
        MainWindow window;
        window.restoreSession();
        window.show();
        window.reopenLastFiles(); // the names of the open files are written too
        const Document& document = window.state().document;
        QVERIFY(document.hasProblem());
        QCOMPARE(document.notes().value(Document::viewNote(QStringLiteral("roofline"))), kNote);
        QCOMPARE(document.baselines().size(), 1U);
        QCOMPARE(document.baselines()[0].name, QStringLiteral("pinned"));
        QCOMPARE(document.nudges().value(QStringLiteral("op 1")), QPointF(12, 34));
        QVERIFY(!window.isWindowModified());
    }
    void aProgramThatIsEndedSavesAll_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<QString>("what");
        QTest::newRow("SIGTERM") << SIGTERM << QStringLiteral("edited");
        QTest::newRow("SIGHUP") << SIGHUP << QStringLiteral("edited");
        QTest::newRow("SIGINT") << SIGINT << QStringLiteral("edited");
        QTest::newRow("SIGTERM while it asks") << SIGTERM << QStringLiteral("asking");
    }
    void aProgramThatIsEndedSavesAll()
    {
        QFETCH(int, signal);
        QFETCH(QString, what);
        int code = 0;
        const QByteArray said = endChild(what, signal, &code);
        QCOMPARE(said.contains("asking"), what == QLatin1String("asking"));
        QVERIFY(said.contains("ready"));
        QCOMPARE(code, 128 + signal);
        AppState expected;
        QVERIFY(expected.workspace.open(problemFile()));
        expected.selection.selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(expected.document, expected.selection));

        MainWindow window;
        window.restoreSession();
        QVERIFY(openIn(window, {}));
        MessageBar* offer = barWith(window, "did not close properly");
        QVERIFY(offer);
        QTest::mouseClick(buttonOf(offer, "Restore"), Qt::LeftButton);
        const Document& document = window.state().document;
        QVERIFY(document.schedule() == expected.document.schedule());
        QVERIFY(document.isModified());
        QCOMPARE(document.notes().value(Document::viewNote(QStringLiteral("roofline"))), kNote);
        QCOMPARE(document.baselines().size(), 1U);
        QCOMPARE(document.nudges().value(QStringLiteral("op 1")), QPointF(12, 34));
        // What was restored is in the session of the file too, although it was not there before.
        QTest::qWait(1000);
        qApp->setProperty("tilewrightNoPrompts", true);
        window.close();
        MainWindow next;
        QVERIFY(openIn(next, {problemFile()}));
        QCOMPARE(next.state().document.notes().size(), 1);
    }
    void theProgramItselfEndsInOrder()
    {
        const QString program = QStringLiteral(TILEWRIGHT_BINARY_DIR "/app/gui/tilewright");
        if (!QFile::exists(program))
            QSKIP("the program is not built");
        const QTemporaryDir home;
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.path());
        environment.insert(QStringLiteral("XDG_DATA_HOME"), home.path());
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        process.setProcessEnvironment(environment);
        process.start(program, {problemFile()});
        const QString settings = home.filePath(QStringLiteral("tilewright/tilewright.conf"));
        QTRY_VERIFY_WITH_TIMEOUT(
            QFile::exists(settings) && contentOf(settings).find("openFiles") != std::string::npos, 60'000);
        QTest::qWait(500);
        ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 128 + SIGTERM);
        QVERIFY(contentOf(settings).find("geometry") != std::string::npos);
    }
    void aLogoutKeepsAllAndAsksNothing()
    {
        {
            MainWindow window;
            window.restoreSession();
            QVERIFY(openIn(window, {problemFile()}));
            edit(window);
            window.keepForNextStart();
            QVERIFY(window.close()); // no question, which would block here
        }
        MainWindow window;
        window.restoreSession();
        QVERIFY(openIn(window, {}));
        QVERIFY(barWith(window, "did not close properly"));
        // The user stayed logged in and works on: closing asks again.
        QVERIFY(window.openPaths({problemFile()}));
        window.keepForNextStart();
        edit(window);
        QString asked;
        answerBox(QStringLiteral("Cancel"), &asked);
        QVERIFY(!window.close());
        QVERIFY(!asked.isEmpty());
        answerBox(QStringLiteral("Don't Save"));
        window.close();
    }
    void aScheduleThatCannotBeOpenedDoesNotCostTheNotesOfItsProblem()
    {
        const QStringList opened = files();
        qApp->setProperty("tilewrightNoPrompts", true);
        {
            MainWindow window;
            QVERIFY(openIn(window, {opened[0]}));
            window.state().document.setNote(Document::viewNote(QStringLiteral("graph")), kNote);
            window.close();
        }
        writeText(opened[1], "{\"subgraphs\": [[0]], \"granularities\": [[1, 1]]}");
        {
            MainWindow window;
            window.show();
            QVERIFY(!window.openPaths({opened[1]}));
            QVERIFY(window.state().document.hasProblem());
            QCOMPARE(window.state().document.notes().size(), 1);
            window.close();
        }
        MainWindow window;
        QVERIFY(openIn(window, {opened[0]}));
        QCOMPARE(window.state().document.notes().size(), 1);
    }

    void notesOfTwoWindowsAreBothKept()
    {
        const QStringList opened = files();
        qApp->setProperty("tilewrightNoPrompts", true);
        const QString graph = Document::viewNote(QStringLiteral("graph"));
        const QString roofline = Document::viewNote(QStringLiteral("roofline"));
        {
            MainWindow a, b;
            QVERIFY(openIn(a, opened) && openIn(b, opened));
            a.state().document.setNote(graph, QStringLiteral("by a"));
            QTest::qWait(1200);
            b.state().document.setNote(roofline, QStringLiteral("by b"));
            QTest::qWait(1200);
            a.state().document.setNote(graph, QStringLiteral("by a, again"));
            a.close();
            b.close();
        }
        MainWindow window;
        QVERIFY(openIn(window, opened));
        QCOMPARE(window.state().document.notes().value(graph), QStringLiteral("by a, again"));
        QCOMPARE(window.state().document.notes().value(roofline), QStringLiteral("by b"));
    }

    // -- recovery

    void aFailingRecoveryCopyIsToldAndTriedAgain()
    {
        QVERIFY(QDir().mkpath(QFileInfo(recoveryFolder()).path()));
        writeText(recoveryFolder(), "a file where the folder should be");
        MainWindow window;
        QVERIFY(openIn(window, {problemFile()}));
        Preferences preferences;
        preferences.autosaveSeconds = 1;
        window.setPreferences(preferences);
        edit(window);
        QTRY_VERIFY(barWith(window, "The recovery copy cannot be written"));
        QVERIFY(QFile::remove(recoveryFolder()));
        QTRY_VERIFY(barWith(window, "can be written again")); // without a further edit
        const RecoveryStore other(recoveryFolder());
        QCOMPARE(QDir(recoveryFolder()).entryList({QStringLiteral("*.recovery.json")}).size(), 1);
        QVERIFY2(other.lost().empty(), "its program runs");
        // The folder goes, and comes back with copy and lock.
        QVERIFY(QDir(recoveryFolder()).removeRecursively());
        window.state().document.newSchedule();
        QTRY_COMPARE(QDir(recoveryFolder()).entryList({QStringLiteral("*.recovery.json")}).size(), 1);
        QVERIFY(other.lost().empty());
        qApp->setProperty("tilewrightNoPrompts", true);
        window.close();
    }
    void notesThatCannotBeSavedAreToldAndTriedAgain()
    {
        MainWindow window;
        QVERIFY(openIn(window, {problemFile()}));
        const QString sessions = QFileInfo(QSettings().fileName()).path() + QStringLiteral("/sessions");
        QDir(sessions).removeRecursively();
        writeText(sessions, "a file where the folder should be");
        window.state().document.setNote(Document::viewNote(QStringLiteral("graph")), kNote);
        QTRY_VERIFY(barWith(window, "cannot be saved"));
        QVERIFY(QFile::remove(sessions));
        QTRY_VERIFY_WITH_TIMEOUT(QDir(sessions).entryList({QStringLiteral("*.json")}).size() == 1, 10'000);
    }
    void aDiscardCanBeUndone()
    {
        AppState state;
        QVERIFY(state.workspace.open(problemFile()));
        state.document.apply(Schedule(state.document.schedule()), {}); // nothing
        state.selection.selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(state.document, state.selection));
        {
            RecoveryStore store(recoveryFolder());
            QVERIFY(store.keep(state.workspace));
            store.leaveCopy();
        }
        MainWindow window;
        window.restoreSession();
        QVERIFY(openIn(window, {}));
        QTest::mouseClick(buttonOf(barWith(window, "did not close properly"), "Discard"), Qt::LeftButton);
        QVERIFY(!barWith(window, "did not close properly"));
        MessageBar* bar = barWith(window, "kept for 7 days");
        QVERIFY(bar);
        QVERIFY(RecoveryStore(recoveryFolder()).lost().empty());
        QTest::mouseClick(buttonOf(bar, "Undo discard"), Qt::LeftButton);
        MessageBar* again = barWith(window, "did not close properly");
        QVERIFY(again);
        QTest::mouseClick(buttonOf(again, "Restore"), Qt::LeftButton);
        QVERIFY(window.state().document.schedule() == state.document.schedule());
        qApp->setProperty("tilewrightNoPrompts", true);
        window.close();
    }
    void discardedCopiesAreKeptForAWeek()
    {
        const QString folder = RecoveryStore(recoveryFolder()).discardedFolder();
        QVERIFY(QDir().mkpath(folder));
        for (const int days : {6, 8}) {
            QFile file(folder + QStringLiteral("/%1.recovery.json").arg(days));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QVERIFY(file.setFileTime(QDateTime::currentDateTime().addDays(-days),
                                     QFileDevice::FileModificationTime));
        }
        const RecoveryStore next(recoveryFolder());
        QCOMPARE(QDir(folder).entryList(QDir::Files), QStringList{QStringLiteral("6.recovery.json")});
        QVERIFY(next.lost().empty());
    }
};

/// "test_recovery --child WHAT PROBLEM SETTINGS NAME": another program with the same settings.
static std::optional<int> child(int argc, char** argv)
{
    if (argc != 6 || QByteArrayView(argv[1]) != "--child")
        return {};
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs, true);
    QCoreApplication::setApplicationName(QString::fromLocal8Bit(argv[5]));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, QString::fromLocal8Bit(argv[4]));
    return TestRecovery::runChild(QString::fromLocal8Bit(argv[2]), QString::fromLocal8Bit(argv[3]));
}
TILEWRIGHT_TEST(TestRecovery, &child)

} // namespace test_recovery
#include "test_recovery.moc"
