// SPDX-License-Identifier: GPL-3.0-or-later
// The four documents as a person uses them: edit, undo, save, be asked, and have everything back after kill
// -9.
#include "schema_check.h"
#include "test_main.h"
#include "window/file_actions.h"
#include "window/message_bar.h"
#include "window_fixture.h"
#include "workspace/mapping_document.h"
#include "workspace/npu_document.h"
#include "workspace/recovery_store.h"
#include "workspace/schedule_edits.h"
#include "workspace/systolic_document.h"

#include "base/file.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTimer>
#include <QToolButton>

#include <array>
#include <csignal>
#include <cstdio>

namespace test_workspace {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// One edit of each document, as the views make them.
void editOf(Workspace& workspace, Lens lens)
{
    switch (lens) {
    case Lens::Schedule:
        workspace.selection().selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(workspace.schedule(), workspace.selection()));
        break;
    case Lens::Systolic: {
        SystolicSettings s = workspace.systolic().settings();
        s.gemm = {96, 80, 48};
        s.ownTile = systolic::TileShape{8, 8, 8};
        s.supply.westPerCycle = 3;
        s.layout = systolic::BankLayout::Seed;
        QVERIFY(workspace.systolic().set(s));
        break;
    }
    case Lens::Npu: {
        NpuSettings s = workspace.npu().settings();
        s.hardware.cores = 3;
        s.options.scheduler = npu::Scheduler::Static;
        s.options.weights.dramStall = 0.25;
        workspace.npu().setSettings(s);
        break;
    }
    case Lens::Mapping: {
        mapping::Layer layer = workspace.mapping().setup().layer;
        layer.outChannels = 128;
        QVERIFY(workspace.mapping().applyLayer(layer));
        mapping::Architecture architecture = workspace.mapping().setup().architecture;
        architecture.pes /= 2;
        QVERIFY(workspace.mapping().applyArchitecture(architecture));
        break;
    }
    }
}

/// What is compared: the file that would be saved.
std::string textOf(LensDocument& document)
{
    const auto text = document.fileText();
    return text ? *text : "refused: " + text.error().text();
}

QString problemFile()
{
    return example("ex3.problem.json");
}

/// Answers the next message box; `seen` gets its text.
void answer(QMessageBox::StandardButton button, QString* seen = nullptr)
{
    QTimer::singleShot(0, qApp, [button, seen] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (!box) {
            answer(button, seen);
            return;
        }
        if (seen)
            *seen = box->text();
        box->button(button)->click();
    });
}

/// The bar at the top that offers what a crash left.
MessageBar* offer(MainWindow& window)
{
    for (auto* bar : window.findChildren<MessageBar*>())
        if (bar->text().contains(QStringLiteral("did not close properly")))
            return bar;
    return nullptr;
}

void press(MessageBar* bar, const char* text)
{
    for (auto* button : bar->findChildren<QToolButton*>())
        if (button->text() == QLatin1String(text))
            QTest::mouseClick(button, Qt::LeftButton);
}

/// The other program of the kill test: opens, edits all lenses, waits until that is kept, and says so.
int editAndWait(const QString& problem)
{
    MainWindow window;
    window.show();
    Preferences preferences;
    preferences.autosaveSeconds = 1;
    window.restoreSession();
    window.setPreferences(preferences);
    if (!window.openPaths({problem}))
        return 3;
    for (const Lens lens : kLenses)
        editOf(window.state().workspace, lens);
    QTimer::singleShot(2500, [] {
        std::puts("kept");
        std::fflush(stdout);
    });
    return QApplication::exec();
}

} // namespace

class TestWorkspace : public QObject
{
    Q_OBJECT

    PrivateSettings m_settings;
    QTemporaryDir m_data;

    QString recoveryFolder() const
    {
        return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
               QStringLiteral("/recovery");
    }

private Q_SLOTS:
    void init()
    {
        qputenv("XDG_DATA_HOME", m_data.path().toUtf8());
        m_settings.fresh();
        QDir(recoveryFolder()).removeRecursively();
        qApp->setProperty("tilewrightNoPrompts", false);
    }
    void cleanup() { qApp->setProperty("tilewrightNoPrompts", true); }

    void recoveryCopiesSatisfyTheirSchema()
    {
        MainWindow window;
        QVERIFY(openIn(window, {problemFile()}));
        Workspace& workspace = window.state().workspace;
        for (const Lens lens : kLenses)
            editOf(workspace, lens);
        RecoveryStore store(recoveryFolder());
        QVERIFY(store.keep(workspace));
        nlohmann::json written;
        for (const QFileInfo& file : QDir(recoveryFolder()).entryInfoList(QDir::Files))
            if (!file.fileName().endsWith(QLatin1String(".lock")))
                written["recovery"].push_back(file.filePath().toStdString());
        QVERIFY(!written.empty());
        const test::SchemaCheck check = test::checkSchemas(written);
        QVERIFY2(check.faults.isEmpty(), check.faults.constData());
    }

    void everyEditIsUndoneWithTheSameKeys()
    {
        MainWindow window;
        QVERIFY(openIn(window, {problemFile()}));
        Workspace& workspace = window.state().workspace;
        QAction* undo = window.state().actions.find(QStringLiteral("edit.undo"));
        QAction* redo = window.state().actions.find(QStringLiteral("edit.redo"));
        for (const Lens lens : kLenses) {
            LensDocument& document = workspace.document(lens);
            const std::string before = textOf(document);
            editOf(workspace, lens);
            const std::string after = textOf(document);
            QVERIFY(after != before);
            QVERIFY(&workspace.current() == &document); // edited last
            QVERIFY(window.isWindowModified());
            while (document.undoStack().canUndo()) {
                QVERIFY(undo->isEnabled());
                undo->trigger();
            }
            QCOMPARE(textOf(document), before);
            QVERIFY(!document.isModified());
            QVERIFY(!window.isWindowModified());
            while (document.undoStack().canRedo())
                redo->trigger();
            QCOMPARE(textOf(document), after);
            QVERIFY(document.isModified());
            while (document.undoStack().canUndo())
                undo->trigger();
        }
    }

    void undoFollowsThePaneThatIsWorkedIn()
    {
        MainWindow window;
        QVERIFY(openIn(window, {problemFile()}));
        Workspace& workspace = window.state().workspace;
        editOf(workspace, Lens::Npu);
        editOf(workspace, Lens::Schedule);
        const std::string schedule = textOf(workspace.schedule());
        QVERIFY(workspace.current().lens() == Lens::Schedule);
        window.showView(QStringLiteral("npu"));
        QTRY_VERIFY(workspace.current().lens() == Lens::Npu);
        window.state().actions.find(QStringLiteral("edit.undo"))->trigger();
        QVERIFY(!workspace.npu().isModified());
        QCOMPARE(textOf(workspace.schedule()), schedule);
        window.showView(QStringLiteral("graph"));
        QTRY_VERIFY(workspace.current().lens() == Lens::Schedule);
    }

    void theTitleSaysWhatIsModified()
    {
        MainWindow window;
        QVERIFY(openIn(window, {problemFile()}));
        Workspace& workspace = window.state().workspace;
        QVERIFY(!window.isWindowModified());
        editOf(workspace, Lens::Systolic);
        QVERIFY(window.isWindowModified());
        QVERIFY(window.windowTitle().contains(QStringLiteral("Systolic settings[*]")));
        QVERIFY(!window.windowTitle().contains(QStringLiteral("ex3.problem.json[*]")));
        editOf(workspace, Lens::Schedule);
        QVERIFY(window.windowTitle().contains(QStringLiteral("ex3.problem.json[*]")));
    }

    void whatIsSavedOpensAsItWas()
    {
        QTemporaryDir dir;
        for (const Lens lens : kLenses) {
            AppState state;
            QVERIFY(state.workspace.open(problemFile()));
            LensDocument& document = state.workspace.document(lens);
            editOf(state.workspace, lens);
            const QString path = dir.filePath(document.suggestedName());
            QVERIFY(document.save(path));
            QVERIFY(!document.isModified());
            QCOMPARE(document.path(), path);
            AppState next;
            QVERIFY(next.workspace.open(problemFile()));
            const auto opened = next.workspace.open(path);
            QVERIFY2(opened.hasValue(), opened ? "" : opened.error().text().c_str());
            LensDocument& same = next.workspace.document(lens);
            QCOMPARE(textOf(same), textOf(document));
            QVERIFY(!same.isModified());
            QCOMPARE(same.path(), path);
            editOf(next.workspace, lens == Lens::Schedule ? Lens::Npu : lens);
        }
    }

    void ctrlSWritesTheFileOfTheLens()
    {
        QTemporaryDir dir;
        MainWindow window;
        QVERIFY(openIn(window, {problemFile()}));
        Workspace& workspace = window.state().workspace;
        for (const Lens lens : {Lens::Systolic, Lens::Npu, Lens::Mapping}) {
            LensDocument& document = workspace.document(lens);
            const QString path = dir.filePath(document.suggestedName());
            QVERIFY(document.save(path));
            editOf(workspace, lens);
            QVERIFY(document.isModified());
            window.state().actions.find(QStringLiteral("file.save"))->trigger();
            QVERIFY(!document.isModified());
            QCOMPARE(*readFile(path.toStdString()), textOf(document));
        }
    }

    void samplesStayAsTheyCame()
    {
        MainWindow window;
        QVERIFY(openIn(window, {}));
        Workspace& workspace = window.state().workspace;
        const QString path = workspace.npu().path();
        QVERIFY(path.endsWith(QStringLiteral("bert_block.json")));
        const std::string before = *readFile(path.toStdString());
        editOf(workspace, Lens::Npu);
        bool asked = false;
        QTimer::singleShot(0, &window, [&] {
            if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
                asked = true;
                dialog->reject();
            }
        });
        window.state().actions.find(QStringLiteral("file.save"))->trigger();
        QVERIFY(asked);
        QCOMPARE(*readFile(path.toStdString()), before);
        QVERIFY(workspace.npu().isModified());
    }

    void closingAsksForAllThatIsModifiedAtOnce()
    {
        MainWindow window;
        QVERIFY(openIn(window, {problemFile()}));
        Workspace& workspace = window.state().workspace;
        for (const Lens lens : kLenses)
            editOf(workspace, lens);
        QString text;
        answer(QMessageBox::Cancel, &text);
        QVERIFY(!window.close());
        for (const Lens lens : kLenses)
            QVERIFY2(text.contains(lensName(lens)), qPrintable(text));
        QVERIFY(window.isVisible());
        answer(QMessageBox::Discard);
        QVERIFY(window.close());
    }

    void closingWithSaveWritesTheFiles()
    {
        QTemporaryDir dir;
        MainWindow window;
        QVERIFY(openIn(window, {problemFile()}));
        Workspace& workspace = window.state().workspace;
        for (const Lens lens : kLenses) {
            QVERIFY(workspace.document(lens).save(dir.filePath(workspace.document(lens).suggestedName())));
            editOf(workspace, lens);
        }
        answer(QMessageBox::Save);
        QVERIFY(window.close());
        for (const Lens lens : kLenses) {
            LensDocument& document = workspace.document(lens);
            QVERIFY(!document.isModified());
            if (lens != Lens::Schedule) // which notes latencies as well
                QCOMPARE(*readFile(document.path().toStdString()), textOf(document));
        }
    }

    void openingAnotherFileAsksForItsLensAlone()
    {
        QTemporaryDir dir;
        MainWindow window;
        QVERIFY(openIn(window, {problemFile()}));
        Workspace& workspace = window.state().workspace;
        const QString file = dir.filePath(QStringLiteral("model.json"));
        QVERIFY(workspace.npu().save(file));
        editOf(workspace, Lens::Npu);
        const std::string edited = textOf(workspace.npu());
        QString text;
        answer(QMessageBox::Cancel, &text);
        QVERIFY(!window.openPaths({file}));
        QVERIFY(text.contains(lensName(Lens::Npu)));
        QVERIFY(!text.contains(lensName(Lens::Schedule)));
        QCOMPARE(textOf(workspace.npu()), edited);
        answer(QMessageBox::Discard);
        QVERIFY(window.openPaths({file}));
        QVERIFY(!workspace.npu().isModified());
        // A machine for the Systolic lens is an edit: nobody is asked.
        editOf(workspace, Lens::Systolic);
        QVERIFY(window.openPaths(
            {QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/hierarchies/edge-8x8.json")}));
        QVERIFY(workspace.systolic().undoStack().canUndo());
    }

    void unreadableFilesOfTheLensesAreOneSentence()
    {
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("x.json"));
        AppState state;
        const SystolicSettings before = state.workspace.systolic().settings();
        for (const auto& [text, said] :
             {std::pair{R"({"hierarchy": {}})", "hierarchy"},
              std::pair{R"({"hierarchy": 1, "gemm": {"m": 0}})", "gemm.m"},
              std::pair{R"({"hierarchy": {}, "gemm": {"q": 1}})", "gemm"},
              std::pair{R"({"hierarchy": {}, "timing": {"dataflow": "zz"}})", "timing.dataflow"},
              std::pair{R"({"architecture": {}, "layer": {}, "method": {}})", "layer"},
              std::pair{R"({"architecture": {}, "layer": {"kind": "gemm", "m": 4, "n": 4, "k": 4}})",
                        "method"}}) {
            QVERIFY(writeFileAtomically(path.toStdString(), text));
            const auto opened = state.workspace.open(path);
            QVERIFY2(!opened, text);
            QVERIFY2(opened.error().text().find("x.json") != std::string::npos,
                     opened.error().text().c_str());
            QVERIFY2(opened.error().text().find(said) != std::string::npos, opened.error().text().c_str());
        }
        QVERIFY(state.workspace.systolic().settings() == before);
    }

    void aStoreKeepsWhatIsModifiedAndNothingElse()
    {
        QTemporaryDir dir;
        AppState state;
        QVERIFY(state.workspace.open(problemFile()));
        RecoveryStore store(dir.path());
        RecoveryStore next(dir.path());
        QVERIFY(store.keep(state.workspace));
        QVERIFY(QDir(dir.path()).isEmpty());
        editOf(state.workspace, Lens::Mapping);
        QVERIFY(store.keep(state.workspace));
        QVERIFY(!QDir(dir.path()).isEmpty());
        QVERIFY(next.lost().empty()); // its program runs
        state.workspace.mapping().undoStack().setIndex(0);
        QVERIFY(store.keep(state.workspace));
        QVERIFY(QDir(dir.path()).isEmpty());
    }

    void whatAKilledProgramHadIsOfferedUntilItIsAnswered()
    {
        QProcess other;
        other.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        other.start(QCoreApplication::applicationFilePath(),
                    {QStringLiteral("test_workspace"), QStringLiteral("--edit-and-wait"), problemFile()});
        QVERIFY(other.waitForStarted());
        QByteArray said;
        while (!said.contains("kept") && other.waitForReadyRead(60'000))
            said += other.readAllStandardOutput();
        QVERIFY2(said.contains("kept"), "the other program kept nothing");
        QCOMPARE(RecoveryStore(recoveryFolder()).lost().size(), 0u); // while it runs
        ::kill(static_cast<pid_t>(other.processId()), SIGKILL);
        QVERIFY(other.waitForFinished());
        QCOMPARE(other.exitStatus(), QProcess::CrashExit);

        AppState expected;
        QVERIFY(expected.workspace.open(problemFile()));
        for (const Lens lens : kLenses)
            editOf(expected.workspace, lens);
        {
            // Another file is opened with the start; the offer stays, and is not lost by closing.
            MainWindow window;
            window.restoreSession();
            QVERIFY(openIn(window, {sample("attention-block.json")}));
            QVERIFY(offer(window));
            window.close();
        }
        {
            MainWindow window; // nor by a file that cannot be opened, or by an edit that is kept
            window.restoreSession();
            QVERIFY(openIn(window, {problemFile()}));
            QVERIFY(!window.openPaths({QStringLiteral("/no/such/file.json")}));
            editOf(window.state().workspace, Lens::Schedule);
            QVERIFY(offer(window));
            answer(QMessageBox::Discard);
            window.close();
        }
        MainWindow window;
        window.restoreSession();
        QVERIFY(openIn(window, {}));
        MessageBar* bar = offer(window);
        QVERIFY(bar);
        press(bar, "Restore");
        Workspace& workspace = window.state().workspace;
        for (const Lens lens : kLenses) {
            QCOMPARE(textOf(workspace.document(lens)), textOf(expected.workspace.document(lens)));
            QVERIFY(workspace.document(lens).isModified());
        }
        QVERIFY(!offer(window));
        QVERIFY(RecoveryStore(recoveryFolder()).lost().empty());
        qApp->setProperty("tilewrightNoPrompts", true);
        window.close();
        QVERIFY(QDir(recoveryFolder()).isEmpty());
    }

    void whatIsDeclinedIsGone()
    {
        QVERIFY(QDir().mkpath(recoveryFolder()));
        AppState state;
        QVERIFY(state.workspace.open(problemFile()));
        editOf(state.workspace, Lens::Schedule);
        {
            // As a killed program leaves it: without its lock.
            RecoveryStore store(recoveryFolder());
            QVERIFY(store.keep(state.workspace));
            const QDir dir(recoveryFolder());
            const QString file = dir.entryList({QStringLiteral("*.json")}).value(0);
            QVERIFY(QFile::copy(dir.filePath(file), dir.filePath(QStringLiteral("old.recovery.json"))));
        }
        MainWindow window;
        window.restoreSession();
        QVERIFY(openIn(window, {}));
        MessageBar* bar = offer(window);
        QVERIFY(bar);
        press(bar, "Discard");
        QVERIFY(!offer(window));
        QVERIFY(RecoveryStore(recoveryFolder()).lost().empty());
        QVERIFY(!window.state().document.hasProblem());
    }
};

/// "test_workspace --edit-and-wait FILE": a program that is killed with unsaved edits.
static std::optional<int> editUntilKilled(int argc, char** argv)
{
    if (argc != 3 || QByteArrayView(argv[1]) != "--edit-and-wait")
        return {};
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs, true);
    const PrivateSettings settings;
    return editAndWait(QString::fromLocal8Bit(argv[2]));
}

TILEWRIGHT_TEST(TestWorkspace, &editUntilKilled)

} // namespace test_workspace
#include "test_workspace.moc"
