// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing is lost: files that change on disk, two windows, ended and killed programs, full disks, discarded
// recovery copies, large tables.
#include "export/steps_export.h"
#include "report/writers.h"
#include "schedule/schedule_json.h"
#include "test_main.h"
#include "window/end_signals.h"
#include "window/file_actions.h"
#include "window/message_bar.h"
#include "window/source_dialog.h"
#include "window_fixture.h"
#include "workload/problem_json.h"
#include "workspace/recovery_store.h"
#include "workspace/schedule_edits.h"

#include "base/file.h"

#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProcess>
#include <QProgressDialog>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTextBlock>
#include <QTimer>
#include <QToolButton>

#include <csignal>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <sys/stat.h>

namespace test_saving {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

QString problemFile()
{
    return example("ex3.problem.json");
}

std::string contentOf(const QString& path)
{
    const auto text = readFile(path.toStdString());
    return text ? *text : "unreadable: " + text.error().text();
}

void writeText(const QString& path, std::string_view text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text.data(), static_cast<qint64>(text.size())), static_cast<qint64>(text.size()));
}

/// Replaces a file as editors do: another file is renamed to its name.
void replaceByRename(const QString& path, std::string_view text)
{
    writeText(path + QStringLiteral(".new"), text);
    QCOMPARE(std::rename(qPrintable(path + QStringLiteral(".new")), qPrintable(path)), 0);
}

/// Presses a button of the next message box, then runs `then`; `seen` gets the text of the box.
void answerBox(const QString& button, QString* seen = nullptr, const std::function<void()>& then = {})
{
    QTimer::singleShot(10, qApp, [button, seen, then] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (!box) {
            answerBox(button, seen, then);
            return;
        }
        if (seen)
            *seen = box->text();
        if (then)
            then();
        for (QAbstractButton* b : box->buttons())
            if (b->text().remove(QLatin1Char('&')) == button) {
                b->click();
                return;
            }
        qWarning("no button %s", qPrintable(button));
        box->reject();
    });
}

/// Chooses a file in the next file dialog.
void chooseFile(const QString& path)
{
    QTimer::singleShot(10, qApp, [path] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (!dialog) {
            chooseFile(path);
            return;
        }
        // selectFile() does not replace the text of a line edit that has the focus.
        dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(path);
        static_cast<QDialog*>(dialog)->accept();
    });
}

QToolButton* buttonOf(MessageBar* bar, const char* text)
{
    for (QToolButton* b : bar->findChildren<QToolButton*>())
        if (b->text() == QLatin1String(text) && !b->isHidden())
            return b;
    return nullptr;
}

void edit(MainWindow& window)
{
    window.state().selection.selectOps({OpId(1), OpId(2)});
    QVERIFY(fuseSelection(window.state().document, window.state().selection));
}

/// The bar with this text; null if there is none.
MessageBar* barWith(MainWindow& window, const char* text)
{
    for (auto* bar : window.findChildren<MessageBar*>())
        if (bar->text().contains(QLatin1String(text)))
            return bar;
    return nullptr;
}

const QString kNote = QStringLiteral("typed just before");

/// The other program: opens the problem, edits it as `what` says, and says "ready".
int runChild(const QString& what, const QString& problem)
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

} // namespace

class TestSaving : public QObject
{
    Q_OBJECT

    PrivateSettings m_settings;
    QTemporaryDir m_data;

    QString recoveryFolder() const
    {
        return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
               QStringLiteral("/recovery");
    }
    QString settingsFolder() const { return QFileInfo(m_settings.filePath("x")).path(); }
    /// A problem and a schedule that may be written.
    QStringList files()
    {
        const QStringList out{m_settings.filePath("p.json"), m_settings.filePath("p.schedule.json")};
        for (const QString& path : out)
            QFile::remove(path);
        QFile::copy(problemFile(), out[0]);
        QFile::copy(example("ex3A.solution.json"), out[1]);
        return out;
    }
    std::string otherSchedule() const { return contentOf(example("ex3C.solution.json")); }

    /// Runs the other program until it says "ready", ends it by a signal and returns what it had said.
    QByteArray endChild(const QString& what, int signal, int* code = nullptr)
    {
        QProcess other;
        other.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        other.start(QCoreApplication::applicationFilePath(),
                    {QStringLiteral("test_saving"), QStringLiteral("--child"), what, problemFile(),
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

    void save(MainWindow& window) { window.state().actions.find(QStringLiteral("file.save"))->trigger(); }

private Q_SLOTS:
    void init()
    {
        qputenv("XDG_DATA_HOME", m_data.path().toUtf8());
        m_settings.fresh();
        QDir(recoveryFolder()).removeRecursively();
        QFile::remove(recoveryFolder());
        qApp->setProperty("tilewrightNoPrompts", false);
    }
    void cleanup() { qApp->setProperty("tilewrightNoPrompts", true); }

    // -- files that change on disk

    void aFileThatChangedOnDiskIsNotOverwrittenUnasked()
    {
        const QStringList opened = files();
        MainWindow window;
        QVERIFY(openIn(window, opened));
        edit(window);
        replaceByRename(opened[1], otherSchedule());
        QTRY_VERIFY(barWith(window, "has changed on disk"));

        QString asked;
        answerBox(QStringLiteral("Cancel"), &asked);
        save(window);
        QVERIFY2(asked.contains(QStringLiteral("p.schedule.json has changed")), qPrintable(asked));
        QCOMPARE(contentOf(opened[1]), otherSchedule());
        QVERIFY(window.isWindowModified());

        answerBox(QStringLiteral("Overwrite"));
        save(window);
        QCOMPARE(contentOf(opened[1]), *window.state().document.fileText());
        QVERIFY(!window.isWindowModified());
        QVERIFY2(!barWith(window, "on disk"), "it is dealt with");
        QTest::qWait(500);
        QVERIFY2(!barWith(window, "on disk"), "what this program writes is no change");

        window.state().document.newSchedule();
        save(window); // nothing else has written it: nobody is asked
        QVERIFY(!window.isWindowModified());
    }
    void aChangedFileIsReloadedOrTheEditsAreSavedElsewhere()
    {
        const QStringList opened = files();
        MainWindow window;
        QVERIFY(openIn(window, opened));
        edit(window);
        const std::string edited = *window.state().document.fileText();
        replaceByRename(opened[1], otherSchedule());
        const QString elsewhere = m_settings.filePath("mine.schedule.json");
        answerBox(QStringLiteral("Save as…"), nullptr, [&] { chooseFile(elsewhere); });
        save(window);
        QCOMPARE(contentOf(elsewhere), edited);
        QCOMPARE(contentOf(opened[1]), otherSchedule());
        QCOMPARE(window.state().document.schedulePath(), elsewhere);

        window.state().document.newSchedule();
        replaceByRename(elsewhere, otherSchedule());
        answerBox(QStringLiteral("Reload"));
        save(window);
        window.state().document.waitForSnapshot();
        QCOMPARE(window.state().document.snapshot()->evaluation.total, 4638.4);
        QVERIFY(!window.isWindowModified());
        QVERIFY(!barWith(window, "on disk"));
    }
    void everyReplacementIsNoticed()
    {
        const QStringList opened = files();
        const std::string first = contentOf(opened[1]);
        MainWindow window;
        QVERIFY(openIn(window, opened));
        for (int i = 0; i < 3; ++i) {
            replaceByRename(opened[1], i % 2 == 0 ? otherSchedule() : first);
            if (i % 2 == 1) { // as it was read
                QTRY_VERIFY(!barWith(window, "has changed on disk"));
                continue;
            }
            QTRY_VERIFY(barWith(window, "has changed on disk"));
        }
        QTest::mouseClick(buttonOf(barWith(window, "has changed on disk"), "Reload"), Qt::LeftButton);
        QVERIFY(!barWith(window, "on disk"));
        QVERIFY(QFile::remove(opened[1]));
        QTRY_VERIFY(barWith(window, "p.schedule.json was deleted or moved"));
        writeText(opened[1], otherSchedule()); // as it was read
        QTRY_VERIFY(!barWith(window, "was deleted"));
        // And in place after that, and its problem.
        writeText(opened[1], first);
        QTRY_VERIFY(barWith(window, "p.schedule.json has changed on disk"));
        replaceByRename(opened[0], contentOf(opened[0]) + " ");
        QTRY_VERIFY(barWith(window, "p.json has changed on disk"));
    }
    void aDeletedFileIsWrittenAgain()
    {
        const QStringList opened = files();
        MainWindow window;
        QVERIFY(openIn(window, opened));
        QVERIFY(QFile::remove(opened[1]));
        QTRY_VERIFY(barWith(window, "was deleted"));
        save(window);
        QVERIFY(QFile::exists(opened[1]));
        QVERIFY(!barWith(window, "was deleted"));
    }
    void closingAsksForAFileThatChangedOnDisk()
    {
        const QStringList opened = files();
        MainWindow window;
        QVERIFY(openIn(window, opened));
        edit(window);
        replaceByRename(opened[1], otherSchedule());
        answerBox(QStringLiteral("Save"), nullptr, [] { answerBox(QStringLiteral("Cancel")); });
        QVERIFY(!window.close());
        QVERIFY(window.isVisible());
        QCOMPARE(contentOf(opened[1]), otherSchedule());
        answerBox(QStringLiteral("Don't Save"));
        window.close();
    }
    void aSecondWindowSaysThatTheFileIsOpen()
    {
        const QStringList opened = files();
        auto first = std::make_unique<MainWindow>();
        QVERIFY(openIn(*first, opened));
        QVERIFY(!barWith(*first, "another window"));
        {
            MainWindow second;
            QVERIFY(openIn(second, opened));
            QVERIFY(barWith(second, "p.schedule.json is also open in another window"));
            // What the first one saves is a change on disk for the second.
            first->state().document.newSchedule();
            save(*first);
            QVERIFY(!first->isWindowModified());
            QTRY_VERIFY(barWith(second, "p.schedule.json has changed on disk"));
            edit(second);
            QString asked;
            answerBox(QStringLiteral("Cancel"), &asked);
            save(second);
            QVERIFY(asked.contains(QStringLiteral("has changed on disk")));
            second.state().document.undoStack().undo();
        }
        first.reset();
        MainWindow third;
        QVERIFY(openIn(third, opened));
        QVERIFY(!barWith(third, "another window"));
    }
    void aRestoredScheduleAsksIfItsFileChangedMeanwhile()
    {
        const QStringList opened = files();
        AppState before;
        QVERIFY(before.workspace.open(opened[0]) && before.workspace.open(opened[1]));
        before.document.newSchedule();
        const auto copy = before.document.recoveryCopy();
        QVERIFY(copy);
        AppState after;
        QVERIFY(after.document.recover(*copy));
        QVERIFY(after.document.isModified());
        QVERIFY(!after.document.isChangedOnDisk());
        replaceByRename(opened[1], otherSchedule());
        QVERIFY(after.document.isChangedOnDisk());
        QVERIFY(after.document.recover(*copy));
        QVERIFY(after.document.isChangedOnDisk());
    }

    // -- what is written without being asked

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

    // -- undo steps

    void aChangeIsAnnouncedWhenTheUndoStackHasCountedIt()
    {
        AppState state;
        Document& document = state.document;
        QVERIFY(state.workspace.open(problemFile()));
        const Schedule start = document.schedule();
        std::vector<bool> modified;
        document.whenChanged(this, Part::Steps, [&] { modified.push_back(document.isModified()); });
        state.selection.selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(document, state.selection));
        document.undoStack().undo();
        document.undoStack().redo();
        document.newSchedule();
        document.undoStack().setIndex(0);
        QCOMPARE(modified, (std::vector<bool>{true, false, true, true, false}));
        QVERIFY(document.schedule() == start);
        disconnect(&document, nullptr, this, nullptr);
    }
    void anEditThatAnswersAnAnnouncementIsAStepOfItsOwn()
    {
        AppState state;
        Document& document = state.document;
        QVERIFY(state.workspace.open(problemFile()));
        const Schedule start = document.schedule();
        bool once = false;
        document.whenChanged(this, Part::Steps, [&] {
            if (!std::exchange(once, true))
                document.newSchedule();
        });
        state.selection.selectOps({OpId(1), OpId(2)});
        (void)fuseSelection(document, state.selection);
        QCOMPARE(document.undoStack().count(), 2);
        QVERIFY(document.schedule() == start);
        document.undoStack().undo();
        QVERIFY(document.schedule() != start);
        document.undoStack().undo();
        QVERIFY(document.schedule() == start);
        document.undoStack().setIndex(2);
        QVERIFY(document.schedule() == start);
        disconnect(&document, nullptr, this, nullptr);
    }

    // -- what must not end the program

    void theSelectionNamesOnlyWhatThereIs()
    {
        AppState state;
        QVERIFY(state.workspace.open(problemFile()));
        state.selection.selectSubgraph(SubgraphId(2));
        QCOMPARE(state.selection.state().subgraph, std::optional(SubgraphId(2)));
        state.selection.selectSubgraph(SubgraphId(3)); // of an earlier schedule, in a picture that is behind
        QVERIFY(!state.selection.state().hasSubgraph());
        state.selection.selectOps({OpId(1), OpId(3)});
        QCOMPARE(state.selection.state().ops, std::set<OpId>{OpId(1)});
        state.selection.selectTensor(TensorId(4));
        QVERIFY(!state.selection.state().tensor);
    }

    // -- text of a file

    void theTextOfAFileKeepsItsLineEnds()
    {
        const QString path = m_settings.filePath("crlf.json");
        const std::string text = "\xef\xbb\xbf{\r\n  \"na\xc2\xa0me\": 1,\r\n  \"x\": wrong\r\n}\r\n";
        writeText(path, text);
        const std::size_t at = text.find("wrong");
        SourceDialog dialog(path, text, {ErrorCode::Field, "is wrong", "x", path.toStdString()}, {at, at + 5},
                            Theme::light(), nullptr);
        QPlainTextEdit& editor = *dialog.editor();
        QCOMPARE(editor.textCursor().block().text().mid(editor.textCursor().positionInBlock(), 5),
                 QStringLiteral("wrong"));
        QTextCursor cursor = editor.textCursor();
        cursor.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor, 5);
        cursor.insertText(QStringLiteral("2"));
        for (QPushButton* b : dialog.findChildren<QPushButton*>())
            if (b->text().contains(QStringLiteral("Save")))
                b->click();
        std::string expected = text;
        expected.replace(at, 5, "2");
        QCOMPARE(contentOf(path), expected);
    }
    void bytesThatCannotBeShownAreNotReplaced_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("Latin-1") << QByteArray("{\"n\": \"Schicht_\xe4\", wrong}");
        QTest::newRow("mixed line ends") << QByteArray("{\r\n\"n\": 1,\nwrong}");
        QTest::newRow("old line ends") << QByteArray("{\r\"n\": 1,\rwrong}");
    }
    void bytesThatCannotBeShownAreNotReplaced()
    {
        QFETCH(QByteArray, text);
        const QString path = m_settings.filePath("bytes.json");
        writeText(path, text.toStdString());
        SourceDialog dialog(path, text.toStdString(), {ErrorCode::Syntax, "is wrong", {}, path.toStdString()},
                            {2, 3}, Theme::light(), nullptr);
        QVERIFY(dialog.editor()->isReadOnly());
        QVERIFY(dialog.findChild<QLabel*>()->text().contains(QStringLiteral("cannot be corrected here")));
        dialog.editor()->document()->setModified(true);
        for (QPushButton* b : dialog.findChildren<QPushButton*>())
            QVERIFY(!b->text().contains(QStringLiteral("Save")) || !b->isEnabled());
        QCOMPARE(contentOf(path), text.toStdString());
    }

    // -- tables

    void stepsAreWrittenInTheBackground()
    {
        AppState state;
        QVERIFY(state.workspace.open(sample("attention-block.json")));
        const SnapshotPtr snapshot = state.document.snapshot();
        for (const StepCsv table : {StepCsv::Steps, StepCsv::Occupancy}) {
            const QString path = m_settings.filePath("steps.csv");
            std::string expected;
            (table == StepCsv::Steps ? writeStepsCsv : writeOccupancyCsv)(
                *snapshot->problem, snapshot->schedule, snapshot->evaluation.rules,
                [&](std::string_view text) { expected += text; }, {});
            const auto rows = std::ranges::count(expected, '\n') - 1;
            const StepCsvSize size = sizeOf(table, *snapshot);
            QCOMPARE(size.rows, rows);
            QVERIFY2(std::abs(static_cast<double>(size.bytes) / static_cast<double>(expected.size()) - 1) <
                         0.3,
                     qPrintable(QString::number(size.bytes)));
            StepsExport writer;
            bool done = false;
            connect(&writer, &StepsExport::finished, this,
                    [&](const Status& written, bool cancelled) { done = written && !cancelled; });
            writer.start(table, snapshot, path);
            QVERIFY(writer.isRunning());
            QTRY_VERIFY(done);
            QCOMPARE(contentOf(path), expected);
        }
    }
    void aTableThatIsTooLargeIsRefusedOrCanBeCancelled()
    {
        const auto problem = [&](int size) {
            const std::string n = std::to_string(size);
            writeText(m_settings.filePath("large.json"),
                      "{\"widths\": [" + n + ", " + n + "], \"heights\": [" + n + ", " + n +
                          "], \"inputs\": [[0]], \"outputs\": [[1]], \"base_costs\": [1000], \"op_types\": "
                          "[\"Pointwise\"], \"fast_memory_capacity\": 50000, \"slow_memory_bandwidth\": 10, "
                          "\"native_granularity\": [1, 1]}");
            return m_settings.filePath("large.json");
        };
        const QString path = m_settings.filePath("large.csv");
        MainWindow window;
        const auto openAsSingleElements = [&](int size) {
            QVERIFY(openIn(window, {problem(size)}));
            Schedule next = window.state().document.schedule();
            Subgraph other = next[SubgraphId(0)];
            other.granularity = {1, 1, 1};
            next.subgraphs[0] = std::make_shared<const Subgraph>(std::move(other));
            window.state().document.apply(std::move(next), QStringLiteral("single elements"));
            window.state().document.waitForSnapshot();
        };
        openAsSingleElements(1 << 20); // 2^40 steps
        QAction* action = window.state().actions.find(QStringLiteral("file.csv.steps"));
        QElapsedTimer clock;
        clock.start();
        chooseFile(path);
        action->trigger();
        QVERIFY(barWith(window, "are free there"));
        QVERIFY(clock.elapsed() < 5000);

        qApp->setProperty("tilewrightNoPrompts", true); // what is open is modified
        openAsSingleElements(2048);                     // 2^22 steps, some hundred megabytes
        QString asked;
        chooseFile(path);
        answerBox(QStringLiteral("Cancel"), &asked);
        action->trigger();
        QVERIFY2(asked.contains(QStringLiteral("rows")), qPrintable(asked));
        QVERIFY(!window.findChild<QProgressDialog*>());

        chooseFile(path);
        answerBox(QStringLiteral("Write"));
        action->trigger();
        QProgressDialog* progress = nullptr;
        QTRY_VERIFY((progress = window.findChild<QProgressDialog*>()) && progress->isVisible());
        QTRY_VERIFY(progress->value() > 0);
        QVERIFY(!progress->isModal());
        progress->findChild<QPushButton*>()->click();
        QTRY_VERIFY(barWith(window, "Nothing was written"));
        QVERIFY(!QFile::exists(path));
        QTRY_VERIFY(!window.findChild<QProgressDialog*>());
        const QDir folder(settingsFolder());
        QVERIFY2(folder.entryList({QStringLiteral("large.csv*")}).isEmpty(), "no part of it is left");
    }
};

/// "test_saving --child WHAT PROBLEM SETTINGS NAME": another program with the same settings.
static std::optional<int> child(int argc, char** argv)
{
    if (argc != 6 || QByteArrayView(argv[1]) != "--child")
        return {};
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs, true);
    QCoreApplication::setApplicationName(QString::fromLocal8Bit(argv[5]));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, QString::fromLocal8Bit(argv[4]));
    return runChild(QString::fromLocal8Bit(argv[2]), QString::fromLocal8Bit(argv[3]));
}

TILEWRIGHT_TEST(TestSaving, &child)

} // namespace test_saving
#include "test_saving.moc"
