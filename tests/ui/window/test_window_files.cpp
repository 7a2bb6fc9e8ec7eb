// SPDX-License-Identifier: GPL-3.0-or-later
// Files and the window: dropped, changed on disk, partly readable, recent, with the schedules that come with
// them.
#include "model/model.h"
#include "schedule/schedule_json.h"
#include "test_main.h"
#include "theme/text.h"
#include "window/message_bar.h"
#include "window/session_store.h"
#include "window_fixture.h"

#include <QDragEnterEvent>
#include <QMenu>
#include <QMimeData>
#include <QTemporaryDir>
#include <QToolButton>

namespace test_window_files {

using namespace tilewright;
using namespace tilewright::ui;

class TestWindowFiles : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    void drop(MainWindow& window, const QStringList& files)
    {
        QMimeData mime;
        QList<QUrl> urls;
        for (const QString& f : files)
            urls << QUrl::fromLocalFile(f);
        mime.setUrls(urls);
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(100, 100), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &event);
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }
    void filesChangedOnDiskAreReloaded()
    {
        const QString problem = m_settings.filePath("watched.json");
        const QString schedule = m_settings.filePath("watched.schedule.json");
        QVERIFY(QFile::copy(example("ex3.problem.json"), problem));
        QVERIFY(QFile::copy(example("ex3A.solution.json"), schedule));
        MainWindow window;
        QVERIFY(openIn(window, {problem, schedule}));
        QCOMPARE(window.state().document.snapshot()->evaluation.total, 11468.8);
        QFile other(example("ex3C.solution.json"));
        QVERIFY(other.open(QIODevice::ReadOnly));
        QFile file(schedule);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(other.readAll()) > 0);
        file.close();
        auto* bar = window.findChild<MessageBar*>();
        QTRY_VERIFY(bar->text().contains(QStringLiteral("watched.schedule.json")));
        QToolButton* reload = nullptr;
        for (QToolButton* b : bar->findChildren<QToolButton*>())
            if (b->text() == QLatin1String("Reload"))
                reload = b;
        QVERIFY(reload);
        QTest::mouseClick(reload, Qt::LeftButton);
        QCOMPARE(window.state().document.snapshot()->evaluation.total, 4638.4);
        QVERIFY(bar->text().isEmpty());
    }
    void examplesComeWithTheirStrategies()
    {
        MainWindow window;
        window.show();
        QToolButton* button = nullptr;
        for (QToolButton* b : window.findChildren<QToolButton*>())
            if (b->accessibleName() == QLatin1String("example-3"))
                button = b;
        QVERIFY(button && button->menu());
        QStringList texts;
        for (const QAction* a : button->menu()->actions())
            if (!a->isSeparator())
                texts << a->text();
        QCOMPARE(texts, (QStringList{QStringLiteral("Start with one op per subgraph"),
                                     QStringLiteral("A: spill"), QStringLiteral("B: recompute"),
                                     QStringLiteral("C: keep"), QStringLiteral("Compare all schedules")}));
        button->menu()->actions().back()->trigger();
        QCOMPARE(window.state().document.baselines().size(), 2u);
        window.state().document.waitForSnapshot();
        QCOMPARE(window.state().document.snapshot()->evaluation.total, 4638.4);
        QVERIFY(window.view(QStringLiteral("compare"))->isVisible());
    }
    void recentFilesSayWhatTheyAre()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json"), example("ex3C.solution.json")}));
        window.state().actions.find(QStringLiteral("file.close"))->trigger();
        QApplication::processEvents();
        QStringList said;
        for (const QToolButton* b : window.findChildren<QToolButton*>())
            if (b->accessibleName() == QLatin1String("ex3.problem.json") && b->isVisible())
                said << b->accessibleDescription();
        QCOMPARE(said.size(), 1);
        QVERIFY2(said[0].startsWith(QStringLiteral("3\u00a0ops · best total 4")), qPrintable(said[0]));
    }
    void theBestTotalIsOneThatThereStillIs()
    {
        const auto said = [](const MainWindow& window) {
            for (const QToolButton* b : window.findChildren<QToolButton*>())
                if (b->accessibleName() == QLatin1String("ex3.problem.json") && b->isVisible())
                    return b->accessibleDescription();
            return QString();
        };
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        Document& document = window.state().document;
        document.waitForSnapshot();
        const double start = document.snapshot()->evaluation.total;
        QVERIFY(window.openPaths({example("ex3.problem.json")}));
        const auto better = loadSchedule(*document.problem(), example("ex3C.solution.json").toStdString());
        QVERIFY(better);
        document.apply(better->schedule, QStringLiteral("better, but never saved"));
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.total < start);
        window.state().actions.find(QStringLiteral("file.close"))->trigger();
        QApplication::processEvents();
        QVERIFY2(said(window).contains(QStringLiteral("best total ") + number(start)),
                 qPrintable(said(window)));
    }
    /// It stood beside the ops of another setting.
    void theBestTotalIsOfItsMachine()
    {
        MainWindow window;
        const QString model = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
        Document& document = window.state().document;
        const auto said = [&] {
            for (const RecentFile& file : SessionStore::recentFiles())
                if (file.path == model)
                    return file.figures;
            return QString();
        };
        QVERIFY(openIn(window, {model}));
        document.waitForSnapshot();
        const QString fast = number(document.snapshot()->evaluation.total);
        window.state().actions.find(QStringLiteral("file.close"))->trigger();
        QVERIFY2(said().contains(fast), qPrintable(said()));
        QVERIFY(openIn(window, {model}));
        QVERIFY(document.setMachine(*withMachineField(*document.machine(), "levels.external.gb_per_s", "1"),
                                    QStringLiteral("slower")));
        document.waitForSnapshot();
        window.state().actions.find(QStringLiteral("file.close"))->trigger();
        QVERIFY2(!said().contains(fast), qPrintable(said()));
    }
    void theReadablePartOfABrokenScheduleOpens()
    {
        const QString broken = m_settings.filePath("broken.schedule.json");
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"subgraphs\": [[0, 1], [2]], \"granularities\": [[128, 128, 1], [128, 128]], "
                   "\"tensors_to_retain\": [[], []], \"traversal_orders\": [null, null], "
                   "\"subgraph_latencies\": [1, 1]}");
        file.close();
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        QVERIFY(!window.openPaths({broken}));
        auto* bar = window.findChild<MessageBar*>();
        QVERIFY(bar->text().contains(QStringLiteral("granularities")));
        QToolButton* anyway = nullptr;
        for (QToolButton* b : bar->findChildren<QToolButton*>())
            if (b->text() == QLatin1String("Open anyway"))
                anyway = b;
        QVERIFY(anyway && anyway->isVisible());
        QTest::mouseClick(anyway, Qt::LeftButton);
        QCOMPARE(window.state().document.schedule().size(), 2u);
        QVERIFY(window.state().document.schedulePath().isEmpty()); // the file is not saved over by Save
        window.state().document.undoStack().undo();
        QCOMPARE(window.state().document.schedule().size(), 3u);
        // What was offered for a problem goes with it.
        QVERIFY(!window.openPaths({broken}));
        QVERIFY(anyway->isVisible());
        window.state().actions.find(QStringLiteral("file.close"))->trigger();
        QVERIFY(!anyway->isVisible());
        QVERIFY(!window.state().document.openReadablePart(broken));
    }
    /// Nobody is asked about changes before it is clear that the schedule opens.
    void aScheduleOfAnotherProblemOpensWithThatProblem()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("mlp.json")}));
        Document& document = window.state().document;
        window.state().selection.selectOps({OpId(0), OpId(1)});
        QVERIFY(fuseSelection(document, window.state().selection));
        qApp->setProperty("tilewrightNoPrompts", false);
        const bool opened = window.openPaths({sample("attention-block.fused.schedule.json")});
        qApp->setProperty("tilewrightNoPrompts", true);
        QVERIFY(!opened);
        QVERIFY(document.isModified());
        QToolButton* with = nullptr;
        for (QToolButton* b : window.findChild<MessageBar*>()->findChildren<QToolButton*>())
            if (b->text() == QLatin1String("Open with attention-block.json"))
                with = b;
        QVERIFY(with && with->isVisible());
        QTest::mouseClick(with, Qt::LeftButton);
        QCOMPARE(QFileInfo(document.problemPath()).fileName(), QStringLiteral("attention-block.json"));
        QCOMPARE(document.schedule().size(), 9U);
    }
    void fieldsOfAnotherProgramAreNamed()
    {
        const auto with = [&](const QString& path, const char* name, const char* field) {
            QFile in(path), out(m_settings.filePath(name));
            if (!in.open(QIODevice::ReadOnly) || !out.open(QIODevice::WriteOnly))
                qFatal("%s", name);
            out.write("{" + QByteArray(field) + "," + in.readAll().trimmed().mid(1));
            return out.fileName();
        };
        const QString problem = with(example("ex3.problem.json"), "p.json", R"("author": "me")");
        const QString schedule = with(sample("example-3.a-spill.schedule.json"), "s.json", R"("score": 1)");
        const QString typo = with(sample("example-3.a-spill.schedule.json"), "t.json", R"("lockd": [])");
        MainWindow window;
        QVERIFY(openIn(window, {problem}));
        auto* bar = window.findChild<MessageBar*>();
        QCOMPARE(bar->text(),
                 QStringLiteral("p.json: the field \"author\" is unknown: it is kept, but has no effect"));
        QVERIFY(window.openPaths({schedule}));
        QCOMPARE(bar->text(),
                 QStringLiteral("s.json: the field \"score\" is unknown: it is kept, but has no effect"));
        QVERIFY(!window.openPaths({typo}));
        QVERIFY(bar->text().contains(QStringLiteral("unknown field \"lockd\"; did you mean \"locked\"?")));
        QVERIFY(window.openPaths({example("ex3.problem.json")}));
        QVERIFY(bar->text().isEmpty() || !bar->isVisible());
    }
    void droppedFilesOpenAttachAndCompare()
    {
        MainWindow window;
        window.show();
        drop(window, {example("ex3.problem.json")});
        QCOMPARE(window.state().document.problem()->opCount(), 3u);
        drop(window, {example("ex3C.solution.json")});
        QCOMPARE(window.state().document.snapshot()->evaluation.total, 4638.4);
        drop(window, {example("ex3A.solution.json"), example("ex3C.solution.json")});
        QVERIFY(window.state().document.baseline());
        QCOMPARE(window.state().document.baseline()->evaluation.total, 11468.8);
        QCOMPARE(window.state().document.snapshot()->evaluation.total, 4638.4);
        QVERIFY(window.view(QStringLiteral("compare"))->isVisible());
    }
    void aStableHloFileOpensByItsContent()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("block.txt"));
        QVERIFY(QFile::copy(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.mlir"), path));
        MainWindow window;
        window.show();
        drop(window, {path});
        Document& document = window.state().document;
        QVERIFY(document.problem() && document.lensModel());
        QCOMPARE(model::macsOf(document.lensModel()->model()), 443'023'360LL);
        std::size_t products = 0;
        for (std::size_t i = 0; i < document.problem()->opCount(); ++i)
            products += document.problem()->opName(OpId(i)) == "gate" ? 1 : 0;
        QCOMPARE(products, std::size_t{1});
        // A fault names the line, and leaves what is open.
        QFile open(folder.filePath(QStringLiteral("open.mlir")));
        QVERIFY(open.open(QIODevice::WriteOnly));
        open.write("module {\n  func.func @main(%x: tensor<?xf32>) {\n  }\n}\n");
        open.close();
        drop(window, {open.fileName()});
        const auto* bar = window.findChild<MessageBar*>();
        QVERIFY(bar != nullptr);
        QVERIFY2(
            bar->text().contains(QLatin1String("line 2: the type tensor<?xf32> has a size that is open")),
            qPrintable(bar->text()));
        QCOMPARE(document.problemPath(), path);
    }
};

TILEWRIGHT_TEST(TestWindowFiles)

} // namespace test_window_files
#include "test_window_files.moc"
