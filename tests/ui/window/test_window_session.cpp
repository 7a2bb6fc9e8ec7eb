// SPDX-License-Identifier: GPL-3.0-or-later
// What outlives the window: how files were left, preferences, layout; files that change on disk; notices.
#include "export/export_report.h"
#include "schema_check.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/graph/graph_view.h"
#include "views/memory/memory_view.h"
#include "window/message_bar.h"
#include "window/preferences.h"
#include "window/session_store.h"
#include "window_fixture.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>

namespace test_window_session {

using namespace tilewright;
using namespace tilewright::ui;

class TestWindowSession : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void sessionsAreReadBackAsWritten()
    {
        FileSession s;
        s.problem = QStringLiteral("/a/p.json");
        s.schedule = QStringLiteral("/a/s.json");
        s.perspective = QStringLiteral("Compare");
        s.parts[QStringLiteral("memory")] = {12.5, 0, 1e9, 1};
        s.selection.ops = {OpId(2), OpId(7)};
        s.selection.subgraph = SubgraphId(3);
        s.selection.subgraphs = {SubgraphId(3)};
        s.selection.tensor = TensorId(9);
        s.selection.step = 4;
        s.members[SubgraphId(3)] = {OpId(1), OpId(5)};
        s.nudges[QStringLiteral("op 4")] = {12.5, -3};
        s.baselines = {{QStringLiteral("Baseline ä"), "{\"subgraphs\": []}"}};
        s.baseline = 0;
        s.views[QStringLiteral("sweep")] = QJsonObject{{QStringLiteral("within"), 7}};
        const QString folder = m_settings.filePath("s");
        QVERIFY(writeFileSession(folder, s));
        const auto back = readFileSession(folder, s.problem, s.schedule);
        QVERIFY(back);
        QCOMPARE(back->perspective, s.perspective);
        QCOMPARE(back->parts, s.parts);
        QCOMPARE(back->views, s.views);
        QVERIFY(back->selection == s.selection);
        QVERIFY(back->members == s.members);
        QCOMPARE(back->baselines.size(), 1u);
        QCOMPARE(back->baselines[0].name, s.baselines[0].name);
        QCOMPARE(back->baselines[0].schedule, s.baselines[0].schedule);
        QCOMPARE(back->baseline, 0);
        QVERIFY(!readFileSession(folder, s.problem, QString()));

        const QDir files(folder);
        nlohmann::json written;
        for (const QString& name : files.entryList({QStringLiteral("*.json")}))
            written["window-session"].push_back(files.filePath(name).toStdString());
        const test::SchemaCheck check = test::checkSchemas(written);
        QVERIFY2(check.faults.isEmpty(), check.faults.constData());
    }
    void aFileComesBackAsItWasLeft()
    {
        const QStringList files{sample("attention-block.json"),
                                sample("attention-block.fused.schedule.json")};
        QRectF graphPart, memoryPart;
        {
            MainWindow window;
            QVERIFY(openIn(window, files));
            window.state().document.pinBaseline(QStringLiteral("first"));
            window.applyPerspective(QStringLiteral("Tiles"));
            window.state().selection.selectSubgraph(SubgraphId(5));
            auto* graph = viewOf<GraphView>(window, "graph");
            graph->fitSelection();
            graph->fitSelection();
            auto* memory = viewOf<MemoryView>(window, "memory");
            memory->catchUp();
            memory->settle();
            memory->fitSelection();
            graphPart = *graph->shownPart();
            memoryPart = *memory->shownPart();
            QVERIFY(!graphPart.isNull());
            QVERIFY(!memoryPart.isNull());
            window.close();
        }
        MainWindow window;
        window.restoreSession();
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.reopenLastFiles();
        QVERIFY(window.state().document.hasProblem());
        QCOMPARE(window.state().document.schedulePath(), QFileInfo(files[1]).absoluteFilePath());
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(5)));
        QVERIFY(window.view(QStringLiteral("tiles"))->isVisible());
        QVERIFY(!window.view(QStringLiteral("solver"))->isVisible());
        QCOMPARE(window.state().document.baselines().size(), 1u);
        QCOMPARE(window.state().document.baselines()[0].name, QStringLiteral("first"));
        QVERIFY(window.state().document.baseline());
        const QRectF memoryNow = *viewOf<MemoryView>(window, "memory")->shownPart();
        QVERIFY(qAbs(memoryNow.left() - memoryPart.left()) < 1e-6 * memoryPart.width());
        const QRectF graphNow = *viewOf<GraphView>(window, "graph")->shownPart();
        QVERIFY((graphNow.center() - graphPart.center()).manhattanLength() < 0.02 * graphPart.width());
        QVERIFY(graphNow.contains(graphPart.adjusted(1, 1, -1, -1)));

        // Another file in between, and back.
        QVERIFY(window.openPaths({example("ex3.problem.json")}));
        QVERIFY(window.state().document.baselines().empty());
        QVERIFY(window.openPaths(files));
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(5)));
        QCOMPARE(window.state().document.baselines().size(), 1u);
    }
    void whatWasSelectedIsSelectedAgainNotItsNumber()
    {
        const QString file = sample("attention-block.json");
        const auto ops = [](MainWindow& window) {
            const auto s = window.state().selection.state().subgraph;
            return s ? window.state().document.schedule()[*s].ops : std::vector<OpId>();
        };
        std::vector<OpId> last;
        {
            MainWindow window;
            QVERIFY(openIn(window, {file}));
            window.state().selection.selectSubgraph(SubgraphId(2)); // scores, and softmax next
            window.state().actions.find(QStringLiteral("schedule.mergeNext"))->trigger(); // and not saved
            window.state().document.waitForSnapshot();
            window.state().selection.selectSubgraph(
                SubgraphId(window.state().document.schedule().size() - 1));
            last = ops(window);
            window.close();
        }
        {
            MainWindow window;
            QVERIFY(openIn(window, {file}));
            QCOMPARE(ops(window), last);
            window.state().selection.selectSubgraph(SubgraphId(2)); // scores, and softmax next
            window.state().actions.find(QStringLiteral("schedule.mergeNext"))->trigger();
            window.state().document.waitForSnapshot();
            QVERIFY(ops(window).size() > 1);
            window.close();
        }
        MainWindow window;
        QVERIFY(openIn(window, {file}));
        QVERIFY2(ops(window).empty(), "the fused subgraph is gone: nothing is selected in its place");
    }
    void notesFollowTheirSubgraphIntoSessionAndReport()
    {
        const QString report = m_settings.filePath("notes.html");
        {
            MainWindow window;
            QVERIFY(openIn(window, {example("ex3.problem.json")}));
            window.state().selection.selectSubgraph(SubgraphId(1));
            window.showView(QStringLiteral("inspector"));
            auto* note = window.view(QStringLiteral("inspector"))->findChild<QPlainTextEdit*>();
            QVERIFY(note && note->toPlainText().isEmpty());
            note->setFocus();
            QTest::keyClicks(note, QStringLiteral("bgr: keep <this>")); // letters are commands elsewhere
            QCOMPARE(window.state().document.baselines().size(), 0U);
            window.state().selection.selectSubgraph(SubgraphId(0));
            QVERIFY(note->toPlainText().isEmpty());
            window.state().selection.selectSubgraph(SubgraphId(1));
            QCOMPARE(note->toPlainText(), QStringLiteral("bgr: keep <this>"));
            window.state().document.setNote(Document::viewNote(QStringLiteral("roofline")),
                                            QStringLiteral("look here"));
            QVERIFY(exportReport(window.state().document, {window.view(QStringLiteral("roofline"))}, report));
            window.close();
        }
        QFile file(report);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString page = QString::fromUtf8(file.readAll());
        QVERIFY(page.contains(QStringLiteral("Subgraph 1</b></dt>")));
        QVERIFY(page.contains(QStringLiteral("bgr: keep &lt;this&gt;")));
        QVERIFY(page.contains(QStringLiteral("look here")));
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        QCOMPARE(window.state().document.notes().size(), 2);
        QVERIFY(window.openPaths({example("ex1.problem.json")}));
        QVERIFY(window.state().document.notes().isEmpty());
    }
    void thePdfReportHasTheNotesToo()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        const auto pages = [&] {
            const QString path = m_settings.filePath("notes.pdf");
            const bool written(
                exportReport(window.state().document, {window.view(QStringLiteral("roofline"))}, path));
            QFile file(path);
            return written && file.open(QIODevice::ReadOnly) ? file.readAll().count("/Type /Page\n") : -1;
        };
        QCOMPARE(pages(), 1);
        window.state().document.setNote(Document::viewNote(QStringLiteral("roofline")),
                                        QStringLiteral("look here\nand there"));
        QCOMPARE(pages(), 2);
        window.state().document.setNote(
            Document::subgraphNote(window.state().document.schedule()[SubgraphId(0)]),
            QStringLiteral("line\n").repeated(120));
        QVERIFY(pages() > 3); // as many as they need
    }
    void nudgedNodesComeBackWithTheFile()
    {
        const QStringList file{example("ex3.problem.json")};
        Document::Nudges nudges;
        {
            MainWindow window;
            QVERIFY(openIn(window, file));
            window.showView(QStringLiteral("graph"));
            auto* graph = viewOf<GraphView>(window, "graph");
            window.state().selection.selectOps({OpId(1)});
            QTest::keyClick(graph, Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
            nudges = window.state().document.nudges();
            QCOMPARE(nudges.size(), 1);
            QVERIFY(!window.isWindowModified());
            window.close();
        }
        MainWindow window;
        QVERIFY(openIn(window, file));
        QCOMPARE(window.state().document.nudges(), nudges);
        QVERIFY(window.openPaths({example("ex1.problem.json")}));
        QVERIFY(window.state().document.nudges().isEmpty());
    }
    void nothingReopensWhenNotWanted()
    {
        {
            MainWindow window;
            QVERIFY(openIn(window, {example("ex3.problem.json")}));
            Preferences p = window.preferences();
            p.reopenLast = false;
            window.setPreferences(p);
            window.close();
        }
        MainWindow window;
        window.restoreSession();
        window.show();
        window.reopenLastFiles();
        QVERIFY(!window.state().document.hasProblem());
    }
    /// The layout of a session without a file has neither headline nor Summary: that is no wish of the user.
    void theHeadlineComesAfterASessionWithoutAFile()
    {
        {
            MainWindow window;
            window.restoreSession();
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            window.close();
        }
        for (int i = 0; i < 2; ++i) {
            MainWindow window;
            window.restoreSession();
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            QVERIFY(
                openIn(window, {QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json")}));
            QTRY_VERIFY(window.findChild<QToolBar*>(QStringLiteral("headline"))->isVisible());
            QTRY_VERIFY(!window.view(QStringLiteral("summary"))->parentWidget()->isHidden());
            window.resize(window.size() + QSize(40, 20));
            QTest::qWait(50);
            QVERIFY(window.findChild<QToolBar*>(QStringLiteral("headline"))->isVisible());
            QVERIFY(!window.view(QStringLiteral("summary"))->parentWidget()->isHidden());
            window.close();
        }
    }
    /// The second start with a file of a lens showed its main pane alone, beside the start page.
    void aFileOfALensOpensWithAllItsPanesAfterASessionInThatLens_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QStringList>("panes");
        QTest::addColumn<QString>("title");
        QTest::newRow("mapping") << QStringLiteral("mapping/layers/conv-3x3-64.json")
                                 << QStringList{QStringLiteral("mapping"), QStringLiteral("mapping-search"),
                                                QStringLiteral("mapping-model")}
                                 << QStringLiteral("Tilewright"); // a layer is no file to save to
        QTest::newRow("npu") << QStringLiteral("npu/kv_three_banks.json")
                             << QStringList{QStringLiteral("npu"), QStringLiteral("npu-graph"),
                                            QStringLiteral("npu-scaling"), QStringLiteral("npu-tiles")}
                             << QStringLiteral("kv_three_banks.json – Tilewright");
    }
    void aFileOfALensOpensWithAllItsPanesAfterASessionInThatLens()
    {
        QFETCH(const QString, file);
        QFETCH(const QStringList, panes);
        QFETCH(const QString, title);
        for (int start = 0; start < 2; ++start) {
            MainWindow window;
            window.restoreSession();
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            QVERIFY(window.openPaths({QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/") + file}));
            for (const QString& name : panes)
                QTRY_VERIFY2(!window.view(name)->parentWidget()->isHidden(), qPrintable(name));
            QVERIFY(!window.findChild<StartPage*>()->isVisible());
            QCOMPARE(window.windowTitle().remove(QStringLiteral("[*]")), title);
            window.close();
        }
    }
    void aSessionOfAChangedFileTakesWhatThereIs()
    {
        const QString path = m_settings.filePath("p.json");
        QVERIFY(QFile::copy(sample("attention-block.json"), path));
        {
            MainWindow window;
            QVERIFY(openIn(window, {path}));
            window.state().selection.selectOps({OpId(0), OpId(11)});
            window.close();
        }
        QVERIFY(QFile::remove(path) && QFile::copy(example("ex3.problem.json"), path));
        MainWindow window;
        QVERIFY(openIn(window, {path}));
        QCOMPARE(window.state().selection.state().ops, std::set<OpId>{OpId(0)});
    }
    void defaultLayoutComesBack()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        auto* dock = window.findChild<QDockWidget*>(QStringLiteral("dock.subgraphs"));
        window.addDockWidget(Qt::LeftDockWidgetArea, dock);
        window.findChild<QDockWidget*>(QStringLiteral("dock.memory"))->hide();
        window.findChild<QDockWidget*>(QStringLiteral("dock.inspector"))->setFloating(true);
        window.state().actions.find(QStringLiteral("view.resetLayout"))->trigger();
        QCOMPARE(window.dockWidgetArea(dock), Qt::RightDockWidgetArea);
        QVERIFY(!window.findChild<QDockWidget*>(QStringLiteral("dock.memory"))->isHidden());
        QVERIFY(!window.findChild<QDockWidget*>(QStringLiteral("dock.inspector"))->isFloating());
        QVERIFY(window.view(QStringLiteral("graph"))->isVisible());
    }
    void panesStandAsTheyStoodWhenAFileIsOpenedAfterAnotherWasClosed()
    {
        MainWindow window;
        window.resize(1400, 900);
        QVERIFY(openIn(window, {sample("example-5.json")}));
        window.show();
        QTest::qWait(700); // the sizes of the first moments are given again
        auto* memory = window.findChild<QDockWidget*>(QStringLiteral("dock.memory"));
        auto* inspector = window.findChild<QDockWidget*>(QStringLiteral("dock.inspector"));
        window.findChild<QDockWidget*>(QStringLiteral("dock.roofline"))->hide();
        window.showView(QStringLiteral("memory"));
        QCoreApplication::processEvents();
        const int usual = memory->height();
        window.resizeDocks({memory}, {300}, Qt::Vertical);
        window.resizeDocks({inspector}, {380}, Qt::Horizontal);
        QCoreApplication::processEvents();
        const auto seen = [&] {
            QMap<QString, QSize> sizes;
            for (const QDockWidget* dock : window.findChildren<QDockWidget*>())
                if (!dock->isHidden())
                    sizes[dock->objectName()] = dock->visibleRegion().isEmpty() ? QSize() : dock->size();
            return sizes;
        };
        const QMap<QString, QSize> before = seen();
        QVERIFY(before[QStringLiteral("dock.memory")].height() != usual);

        window.state().actions.find(QStringLiteral("file.close"))->trigger();
        QVERIFY(!memory->isVisible());
        QVERIFY(openIn(window, {sample("example-5.json")}));
        QCoreApplication::processEvents();
        QCOMPARE(seen(), before);
    }

    void preferencesAreChosenAndKept()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        auto* graph = viewOf<GraphView>(window, "graph");
        QVERIFY(!graph->shape().leftToRight);
        bool seen = false;
        QTimer::singleShot(0, this, [&] {
            auto* dialog = qobject_cast<PreferencesDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            seen = true;
            dialog->findChild<QComboBox*>(QStringLiteral("theme"))->setCurrentIndex(2);
            dialog->findChild<QComboBox*>(QStringLiteral("wheel"))->setCurrentIndex(1);
            dialog->findChild<QComboBox*>(QStringLiteral("direction"))->setCurrentIndex(1);
            dialog->findChild<QCheckBox*>(QStringLiteral("reduceMotion"))->setChecked(true);
            dialog->findChild<QSpinBox*>(QStringLiteral("autosave"))->setValue(30);
            dialog->findChild<QSpinBox*>(QStringLiteral("fontSize"))->setValue(17);
            for (QWidget* w : dialog->findChildren<QWidget*>())
                if (w->focusPolicy() != Qt::NoFocus && !w->objectName().startsWith(QLatin1String("qt_")))
                    QVERIFY2(!w->accessibleName().isEmpty() || qobject_cast<QAbstractButton*>(w),
                             w->metaObject()->className());
            dialog->accept();
        });
        QTest::keyClick(&window, Qt::Key_Comma, Qt::ControlModifier);
        QVERIFY(seen);
        QVERIFY(window.state().themes.theme().dark);
        QCOMPARE(QApplication::font().pointSize(), 17);
        QCOMPARE(uiFont().pointSize(), 17); // what pictures are painted with
        QVERIFY(graph->shape().leftToRight);
        QCOMPARE(QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, graph), 0);
        QVERIFY(!window.isAnimated());
        MainWindow next;
        next.restoreSession();
        QCOMPARE(next.preferences(), window.preferences());
        QCOMPARE(next.preferences().autosaveSeconds, 30);
        QVERIFY(next.preferences().wheelScrolls);
        Preferences usual;
        window.setPreferences(usual);
        next.setPreferences(usual);
        QVERIFY(QApplication::font().pointSize() != 17);
        QVERIFY(QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, graph) > 0);
    }
    void noticesDoNotMoveTheGraph()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        auto* graph = viewOf<GraphView>(window, "graph");
        const Viewport before = graph->viewport();
        const QRect place = graph->geometry();
        auto* bar = window.findChild<MessageBar*>();
        bar->show(MessageBar::Kind::Error, QString(QStringLiteral("A long sentence. ")).repeated(20));
        QApplication::processEvents();
        QVERIFY(bar->isVisible());
        QCOMPARE(graph->geometry(), place);
        QCOMPARE(graph->viewport(), before);
        QVERIFY(bar->parentWidget()->rect().contains(bar->geometry()));
        QVERIFY(bar->text().endsWith(QStringLiteral("A long sentence.")) || bar->text().size() > 300);
        for (auto* button : bar->findChildren<QToolButton*>())
            if (button->text() == QStringLiteral("Show all"))
                button->click();
        QApplication::processEvents();
        QVERIFY(bar->height() > 2 * bar->fontMetrics().height()); // wrapped, not cut
        window.showView(QStringLiteral("compare"));               // another page: still in front
        QWidget* top = window.childAt(bar->mapTo(&window, bar->rect().center()));
        QVERIFY(top && (top == bar || bar->isAncestorOf(top)));
        bar->dismiss();
        QCOMPARE(graph->viewport(), before);
    }
};

TILEWRIGHT_TEST(TestWindowSession)

} // namespace test_window_session
#include "test_window_session.moc"
