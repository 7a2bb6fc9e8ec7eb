// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of the window: perspectives, lenses as the stage, maximised panes, menus, headline, the list of
// layers.
#include "click_row.h"
#include "control_named.h"
#include "lens_window.h"
#include "panels/layers/layers_view.h"
#include "test_main.h"
#include "views/graph/graph_view.h"
#include "views/memory/memory_view.h"
#include "window/message_bar.h"
#include "window/status_strip.h"
#include "window/view_catalog.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>

namespace test_window_shell {

using namespace tilewright;
using namespace tilewright::ui;

class TestWindowShell : public QObject, protected LensWindow
{
    Q_OBJECT

    QDockWidget* dock(const char* name)
    {
        return m_window->findChild<QDockWidget*>(QStringLiteral("dock.") + QLatin1String(name));
    }
    View* view(const char* name) { return m_window->view(QLatin1String(name)); }
    QStringList shownDocks()
    {
        QStringList out;
        for (const auto* d : m_window->findChildren<QDockWidget*>())
            if (!d->isHidden())
                out << d->objectName().mid(5);
        out.sort();
        return out;
    }
    void show()
    {
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QApplication::processEvents();
    }

private Q_SLOTS:
    void init() { makeWindow(); }

    void aLensIsTheStage_data()
    {
        QTest::addColumn<QString>("action");
        QTest::addColumn<QString>("stage");
        for (const char* lens : {"systolic", "mapping", "npu"})
            QTest::newRow(lens) << QStringLiteral("lens.show.") + QLatin1String(lens)
                                << QString::fromLatin1(lens);
    }
    void aLensIsTheStage()
    {
        QFETCH(const QString, action);
        QFETCH(const QString, stage);
        show();
        m_window->resize(1600, 1000);
        open("llama-block.json");
        QApplication::processEvents();
        const QStringList before = shownDocks();
        const int graph = view("graph")->width();
        for (int i = 0; i < 2; ++i) { // the second time as the first
            run(qPrintable(action));
            QApplication::processEvents();
            QVERIFY(!view("graph")->isVisible());
            const View* lens = m_window->view(stage);
            QVERIFY(lens->isSeen());
            QVERIFY2(lens->width() > 1100, qPrintable(QString::number(lens->width())));
            QVERIFY2(lens->height() > 780, qPrintable(QString::number(lens->height())));
            QVERIFY(view("layers")->isSeen());
            QVERIFY(!view("subgraphs")->isVisible());
            run("lens.show.schedule");
            QApplication::processEvents();
            QCOMPARE(shownDocks(), before);
            QVERIFY(view("graph")->isVisible());
            QVERIFY2(std::abs(view("graph")->width() - graph) < 12,
                     qPrintable(QString::number(view("graph")->width())));
        }
    }

    void chartsHaveRoom_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<int>("points");
        QTest::addColumn<int>("plot");
        QTest::newRow("1600x1000") << QSize(1600, 1000) << 0 << 220;
        QTest::newRow("1366x768") << QSize(1366, 768) << 0 << 150;
        QTest::newRow("2560x1440") << QSize(2560, 1440) << 0 << 220;
        QTest::newRow("1600x1000 at 20 pt") << QSize(1600, 1000) << 20 << 200;
    }
    void chartsHaveRoom()
    {
        QFETCH(const QSize, size);
        QFETCH(const int, points);
        QFETCH(const int, plot);
        Preferences letters;
        letters.fontSize = points;
        m_window->setPreferences(letters);
        m_window->resize(size);
        show();
        QVERIFY(openIn(*m_window, {sample("attention-block.json")}));
        QApplication::processEvents();
        auto* memory = viewOf<MemoryView>(*m_window, "memory");
        memory->settle();
        const double height = memory->places().lanes[1].rect.height();
        QVERIFY2(height >= plot, qPrintable(QString::number(height)));
        for (const char* chart : {"latency", "roofline", "tiles"}) {
            m_window->showView(QLatin1String(chart));
            QApplication::processEvents();
            QVERIFY2(view(chart)->height() >= plot + 60, chart);
        }
        m_window->setPreferences({});
    }

    /// Docks that come back have no size for a moment; the task after the next one got it.
    void aMaximisedPaneDoesNotSpoilTheTasks()
    {
        m_window->resize(1600, 1000);
        show();
        QVERIFY(openIn(*m_window, {sample("attention-block.json")}));
        QApplication::processEvents();
        const int graph = view("graph")->width(), timeline = view("memory")->height();
        for (const char* other : {"view.perspective.Tiles", "lens.show.npu"}) {
            view("memory")->setFocus();
            run("view.maximise");
            QApplication::processEvents();
            run(other);
            QApplication::processEvents();
            run(QByteArray(other).startsWith("lens") ? "lens.show.schedule" : "view.perspective.Edit");
            QApplication::processEvents();
            QVERIFY2(std::abs(view("graph")->width() - graph) < 12, other);
            QVERIFY2(std::abs(view("memory")->height() - timeline) < 12, other);
        }
    }

    void lensesSelectNothingByThemselves()
    {
        show();
        open("resnet-18.onnx");
        for (const char* lens :
             {"lens.show.mapping", "lens.show.npu", "lens.show.systolic", "lens.show.schedule"}) {
            run(lens);
            QTest::qWait(50);
        }
        QVERIFY(selection().state() == SelectionState{});
    }

    void aLensComesBackWithTheViewThatWasInFront()
    {
        show();
        open("llama-block.json");
        run("lens.show.npu");
        m_window->showView(QStringLiteral("npu-graph"));
        run("lens.show.schedule");
        run("lens.show.npu");
        QTRY_VERIFY(view("npu-graph")->isSeen());
        run("lens.show.npu"); // chosen again: its main view
        QTRY_VERIFY(view("npu")->isSeen());
    }

    void rowsGrowWithTheFont()
    {
        show();
        open("llama-block.json");
        Preferences large;
        large.fontSize = 20;
        m_window->setPreferences(large);
        QApplication::processEvents();
        for (const char* name : {"subgraphs", "layers"}) {
            m_window->showView(QLatin1String(name));
            QApplication::processEvents();
            auto* table = view(name)->findChild<QTableView*>();
            QVERIFY2(table->rowHeight(0) >= table->fontMetrics().height() + 4, name);
        }
        QVERIFY(m_window->findChild<QToolBar*>(QStringLiteral("toolbar"))->iconSize().height() > 24);
        m_window->setPreferences({});
    }

    void autoSolveInALensShowsItsResult()
    {
        show();
        open("llama-block.json");
        run("lens.show.npu");
        run("solve.auto");
        QTRY_VERIFY(view("solver")->isSeen() && view("graph")->isVisible());
        run("solve.auto"); // stops it
    }

    /// Compute, loads and stores stand below the memory, on the same axis.
    void theTimelineHasOneAxis()
    {
        show();
        QVERIFY(openIn(*m_window,
                       {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        auto* memory = viewOf<MemoryView>(*m_window, "memory");
        memory->settle();
        const LaneModel& lanes = memory->lanes();
        QCOMPARE(lanes.lanes.size(), 5U);
        QCOMPARE(lanes.lanes[3].name, QStringLiteral("compute"));
        const SnapshotPtr snapshot = document().snapshot();
        double start = 0;
        for (std::size_t s = 0; s < 5; ++s)
            start += snapshot->evaluation.subgraphs[s].latency;
        const SubgraphEvaluation& e = snapshot->evaluation.subgraphs[5];
        const QString said = lanes.lanes[3].readout(start + 1, 0.5);
        QVERIFY2(
            said.startsWith(
                QStringLiteral("subgraph 5 computes %1 of the time").arg(ui::percent(e.compute / e.latency))),
            qPrintable(said));
        QVERIFY(lanes.lanes[4].readout(start + 1, 0.5).contains(QStringLiteral("stores")));
    }

    void aPaneIsMaximisedAndComesBack()
    {
        show();
        QVERIFY(openIn(*m_window, {sample("attention-block.json")}));
        QApplication::processEvents();
        const QStringList before = shownDocks();
        const QSize graph = view("graph")->size(), timeline = view("memory")->size();
        const auto maximised = [&](const char* name) {
            QApplication::processEvents();
            return view(name)->isSeen() && view(name)->width() > m_window->width() - 60 &&
                   view(name)->height() > m_window->height() - 240;
        };
        const auto isBack = [&] {
            QApplication::processEvents();
            return shownDocks() == before && (view("graph")->size() - graph).width() < 12 &&
                   std::abs(view("memory")->height() - timeline.height()) < 12;
        };
        // F11 on the pane that has the focus
        view("memory")->setFocus();
        run("view.maximise");
        QVERIFY(maximised("memory"));
        QVERIFY(!view("graph")->isVisible());
        run("view.maximise");
        QVERIFY(isBack());
        view("graph")->setFocus();
        run("view.maximise");
        QVERIFY(maximised("graph"));
        run("view.maximise");
        QVERIFY(isBack());
        // a double-click on the title, and the button in it
        QTest::mouseDClick(dock("memory")->titleBarWidget(), Qt::LeftButton, {}, QPoint(40, 8));
        QVERIFY(maximised("memory"));
        QVERIFY(!dock("memory")->isFloating());
        auto* button = dock("memory")->titleBarWidget()->findChild<QToolButton*>(QStringLiteral("maximise"));
        QVERIFY(button->isChecked());
        button->click();
        QVERIFY(isBack());
        QVERIFY(!button->isChecked());
        // another view that is asked for ends it
        button->click();
        m_window->showView(QStringLiteral("inspector"));
        QVERIFY(isBack());
    }

    void aDoubleClickOnATabMaximises()
    {
        show();
        QVERIFY(openIn(*m_window, {sample("attention-block.json")}));
        QApplication::processEvents();
        for (auto* tabs : m_window->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
            for (int i = 0; i < tabs->count(); ++i)
                if (tabs->isVisible() && tabs->tabText(i) == QLatin1String("Roofline"))
                    QTest::mouseDClick(tabs, Qt::LeftButton, {}, tabs->tabRect(i).center());
        QTRY_VERIFY(view("roofline")->isSeen());
        QVERIFY(!view("graph")->isVisible());
    }

    /// Panes that have nothing to say are not there, and are found in one menu.
    void onlyWhatHasSomethingToSayIsShown()
    {
        show();
        QVERIFY(openIn(*m_window, {sample("attention-block.json")}));
        QCOMPARE(shownDocks(),
                 (QStringList{QStringLiteral("inspector"), QStringLiteral("latency"),
                              QStringLiteral("memory"), QStringLiteral("roofline"), QStringLiteral("run"),
                              QStringLiteral("subgraphs"), QStringLiteral("tiles")}));
        Document& d = document();
        Schedule next = d.schedule();
        Subgraph s = *next.subgraphs[0];
        s.granularity = {100'000, 100'000, 1};
        next.subgraphs[0] = std::make_shared<const Subgraph>(s);
        d.apply(next, QStringLiteral("too large"));
        d.waitForSnapshot();
        QApplication::processEvents();
        QVERIFY(!dock("problems")->isHidden());
        QVERIFY(view("memory")->isSeen()); // offered behind the charts, not over them
        d.undoStack().undo();
        d.waitForSnapshot();
        QApplication::processEvents();
        QVERIFY(dock("problems")->isHidden());
    }

    void noMenuIsLong()
    {
        show();
        QVERIFY(openIn(*m_window, {sample("attention-block.json")}));
        for (QAction* top : m_window->menuBar()->actions()) {
            if (top->text() != QLatin1String("&View"))
                continue;
            const std::function<void(const QMenu&)> check = [&](const QMenu& menu) {
                int entries = 0;
                for (const QAction* action : menu.actions()) {
                    entries += action->isSeparator() ? 0 : 1;
                    if (action->menu())
                        check(*action->menu());
                }
                QVERIFY2(entries <= 10, qPrintable(QStringLiteral("%1: %2").arg(menu.title()).arg(entries)));
            };
            check(*top->menu());
        }
        auto* graph = viewOf<GraphView>(*m_window, "graph");
        graph->settle();
        clickRow(*m_window, 1);
        graph->setFocus();
        QTest::keyClick(graph, Qt::Key_Menu);
        auto* menu = graph->findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(menu);
        int entries = 0;
        for (const QAction* action : menu->actions())
            entries += action->isSeparator() ? 0 : 1;
        QVERIFY2(entries > 5 && entries <= 12, qPrintable(QString::number(entries)));
        menu->close();
    }

    void thePresentChoiceIsMarked()
    {
        show();
        QVERIFY(openIn(*m_window, {sample("attention-block.json")}));
        const auto isMarked = [this](const char* id) {
            m_window->state().actions.refresh();
            return m_window->state().actions.find(QLatin1String(id))->isChecked();
        };
        QVERIFY(isMarked("graph.colour.automatic"));
        run("graph.colour.bound");
        QVERIFY(isMarked("graph.colour.bound") && !isMarked("graph.colour.automatic"));
        QVERIFY(isMarked("view.perspective.Edit"));
        run("view.perspective.Tiles");
        QVERIFY(isMarked("view.perspective.Tiles") && !isMarked("view.perspective.Edit"));
        QCOMPARE(m_window->findChild<QToolButton*>(QStringLiteral("tasks"))->text(),
                 QStringLiteral("Task: Tiles"));
        m_window->setTheme(QStringLiteral("dark"));
        QVERIFY(isMarked("view.theme.dark"));
    }

    void theHeadlineNamesModelMachineAndTime()
    {
        show();
        auto* row = m_window->findChild<QToolBar*>(QStringLiteral("headline"));
        QVERIFY(row->isHidden()); // nothing is open
        open("llama-block.json");
        QVERIFY(row->isVisible());
        m_window->resize(1600, 1000);
        QApplication::processEvents();
        auto* strip = m_window->findChild<StatusStrip*>();
        const auto text = [&](const char* name) {
            return controlNamed<QLabel>(*strip, QLatin1String(name))->text();
        };
        QCOMPARE(text("Workload"), QString::fromStdString(document().problem()->name()));
        QCOMPARE(text("Unit of the total"), QStringLiteral("cycles on edge"));
        QCOMPARE(text("Total in seconds"), ui::secondsText(document().snapshot()->evaluation.total * 1e-9 /
                                                           document().machine()->clockGhz));
        auto* solve = m_window->findChild<QToolButton*>(QStringLiteral("primary"));
        QVERIFY(solve->isVisible() && solve->text() == QLatin1String("Auto-solve"));
        // The rules are a button that shows them.
        QTest::mouseClick(controlNamed<QToolButton>(*strip, QStringLiteral("Rule set")), Qt::LeftButton);
        QTRY_VERIFY(view("rules")->isSeen());
    }

    void theListOfLayersLeadsTheLens()
    {
        show();
        open("llama-block.json");
        run("lens.show.mapping");
        QApplication::processEvents();
        auto* layers = viewOf<LayersView>(*m_window, "layers");
        QCOMPARE(layers->table()->model()->rowCount(), static_cast<int>(document().problem()->opCount()));
        // An op that no lens can show is named, too.
        for (std::size_t i = 0; i < document().problem()->opCount(); ++i)
            if (document().problem()->op(OpId(i)).type == OpType::Pointwise) {
                selection().selectSubgraph(SubgraphId(i));
                QVERIFY(layers->selectedName() ==
                        QString::fromStdString(document().problem()->opName(OpId(i))));
                break;
            }
        layers->search()->setFocus();
        QTest::keyClicks(layers->search(), QStringLiteral("gate"));
        QVERIFY(layers->table()->model()->rowCount() < static_cast<int>(document().problem()->opCount()));
        QTest::keyClick(layers->search(), Qt::Key_Return);
        QVERIFY(layers->selectedName().contains(QStringLiteral("gate")));
        QCOMPARE(selection().state().ops.size(), 1U);
        QCOMPARE(QString::fromStdString(document().problem()->opName(*selection().state().ops.begin())),
                 layers->selectedName());
    }

    void untouchedModelsAreColouredByType()
    {
        show();
        open("resnet-18.onnx");
        auto* graph = viewOf<GraphView>(*m_window, "graph");
        graph->settle();
        QCOMPARE(graph->options().colouring, GraphColouring::Automatic);
        std::set<double> fills;
        for (const GraphNode& node : graph->model()->nodes)
            for (const auto& badge : node.badges)
                fills.insert(badge.fill.value);
        QCOMPARE(fills.size(), 2U); // MatMul and Pointwise
        selection().selectOps({OpId(0), OpId(1)});
        run("schedule.fuse");
        document().waitForSnapshot();
        graph->settle();
        QVERIFY(!graph->model()->legend.title.contains(QStringLiteral("type")));
    }

    void theGraphFillsItsPane()
    {
        m_window->resize(1600, 1000);
        show();
        open("resnet-18.onnx");
        auto* graph = viewOf<GraphView>(*m_window, "graph");
        QApplication::processEvents();
        graph->settle();
        const double narrow = graph->model()->bounds.width() / graph->model()->bounds.height();
        run("view.lowerPanes"); // the graph has the whole window
        QApplication::processEvents();
        graph->settle();
        const double wide = graph->model()->bounds.width() / graph->model()->bounds.height();
        QVERIFY2(wide > 1.3 * narrow, qPrintable(QStringLiteral("%1 and %2").arg(narrow).arg(wide)));
    }

    void aComparisonGivesThePanesBack()
    {
        show();
        open("llama-block.json");
        QApplication::processEvents();
        const QStringList before = shownDocks();
        document().pinBaseline();
        run("view.perspective.Compare");
        QVERIFY(view("compare")->isVisible() && !view("inspector")->isVisible());
        run("view.graph");
        QApplication::processEvents();
        QVERIFY(view("graph")->isVisible());
        QCOMPARE(shownDocks(), before);
        run("view.perspective.Compare");
        document().clearBaselines();
        QVERIFY(openIn(*m_window, {kModels + QStringLiteral("mobilenet-v2-96.json")}));
        QApplication::processEvents();
        QVERIFY(view("graph")->isVisible()); // not an empty comparison
    }

    void anOldLayoutIsResetWithAMessage()
    {
        QSettings().setValue(QStringLiteral("docks"), QByteArray("layout of another version"));
        m_window->restoreSession();
        show();
        QVERIFY(m_window->findChild<MessageBar*>()->text().contains(QStringLiteral("default places")));
        open("llama-block.json");
        QVERIFY(view("memory")->isSeen() && view("inspector")->isSeen() && view("subgraphs")->isSeen());
    }

    /// The tab in front was forgotten at the second start.
    void theTabInFrontStaysOverStarts()
    {
        m_window->resize(1440, 880);
        show();
        open("llama-block.json");
        m_window->showView(QStringLiteral("summary"));
        QTRY_VERIFY(view("summary")->isSeen());
        for (int start = 0; start < 3; ++start) {
            m_window->close();
            m_window.reset();
            m_window = std::make_unique<MainWindow>(); // with the settings of the one before
            m_window->restoreSession();
            show();
            open("llama-block.json");
            QTest::qWait(400);
            QVERIFY2(view("summary")->isSeen(), qPrintable(QString::number(start)));
        }
    }

    void messagesCoverNothing()
    {
        show();
        open("llama-block.json");
        QApplication::processEvents();
        const QRect graph = view("graph")->geometry(), timeline = view("memory")->geometry();
        auto* bar = m_window->findChild<MessageBar*>();
        bar->show(MessageBar::Kind::Warning, QStringLiteral("layer.json: subgraphs: expected a list"));
        QApplication::processEvents();
        QCOMPARE(view("graph")->geometry(), graph);
        QCOMPARE(view("memory")->geometry(), timeline);
        const QRect row(bar->mapTo(m_window.get(), QPoint()), bar->size());
        for (const char* name : {"graph", "memory", "subgraphs", "inspector"})
            QVERIFY2(!row.intersects(QRect(view(name)->mapTo(m_window.get(), QPoint()), view(name)->size())),
                     name);
    }

    void everyChartHasAContextMenu()
    {
        show();
        QVERIFY(openIn(*m_window, {sample("attention-block.json")}));
        for (const char* name : {"memory", "latency", "roofline", "tiles"}) {
            m_window->showView(QLatin1String(name));
            QApplication::processEvents();
            QStringList entries;
            QTimer::singleShot(0, this, [&entries] {
                if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
                    for (const QAction* action : menu->actions())
                        entries << action->objectName();
                    menu->close();
                }
            });
            QTest::mouseClick(view(name), Qt::RightButton, {}, view(name)->rect().center());
            QVERIFY2(entries.contains(QStringLiteral("file.export")), name);
            QVERIFY2(entries.contains(QStringLiteral("view.maximise")), name);
            if (QByteArray(name) == "memory")
                QVERIFY(entries.contains(QStringLiteral("memory.addresses")));
        }
    }

    void addressesHaveAVisibleSwitch()
    {
        show();
        QVERIFY(openIn(*m_window, {sample("diamond.json"), sample("diamond.fused.schedule.json")}));
        QApplication::processEvents();
        auto* memory = viewOf<MemoryView>(*m_window, "memory");
        for (auto* button : memory->findChildren<QToolButton*>())
            if (button->text() == QLatin1String("Addresses"))
                QTest::mouseClick(button, Qt::LeftButton);
        memory->settle();
        QVERIFY(memory->lanes().title.startsWith(QStringLiteral("Placed in ")));
    }
};

TILEWRIGHT_TEST(TestWindowShell)

} // namespace test_window_shell
#include "test_window_shell.moc"
