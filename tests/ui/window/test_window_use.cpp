// SPDX-License-Identifier: GPL-3.0-or-later
// The window as somebody meets it who has read only the README: what stays where it was put, what is shown
// first, what can be left again. Real mouse and keys.
#include "button_named.h"
#include "click_row.h"
#include "control_named.h"
#include "panels/history/history_view.h"
#include "panels/inspector/controls.h"
#include "panels/inspector/inspector_view.h"
#include "panels/inspector/schedule_overview.h"
#include "panels/solver/solver_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/graph/graph_view.h"
#include "views/roofline/roofline_view.h"
#include "views/tiles/tiles_view.h"
#include "window/panes.h"

#include <QDockWidget>
#include <QDragMoveEvent>
#include <QFrame>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QWheelEvent>

namespace test_window_use {

using namespace tilewright;
using namespace tilewright::ui;

namespace {
constexpr int kGlide = 400; // ms until docks stand still
}

class TestWindowUse : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    static std::vector<QRectF> places(const MainWindow& window)
    {
        auto* graph = viewOf<GraphView>(window, "graph");
        graph->settle();
        std::vector<QRectF> out;
        for (const GraphNode& node : graph->model()->nodes)
            out.push_back(node.rect);
        return out;
    }
    static QSize dockSize(const MainWindow& window, const char* name)
    {
        return window.findChild<QDockWidget*>(QStringLiteral("dock.") + QLatin1String(name))->size();
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void fuseAndSplitLeaveThePictureWhereItWas()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Document& document = window.state().document;
        const std::vector<QRectF> before = places(window);
        const Schedule start = document.schedule();
        int cycles = 0;
        for (int row = 0; cycles < 9; row = (row + 1) % (static_cast<int>(start.size()) - 1)) {
            clickRow(window, row);
            clickRow(window, row + 1, Qt::ShiftModifier);
            QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier); // fuse
            document.waitForSnapshot();
            if (document.schedule().size() == start.size())
                continue; // these two cannot be
            ++cycles;
            QVERIFY(places(window) != before);
            window.state().actions.find(QStringLiteral("schedule.splitApart"))->trigger();
            document.waitForSnapshot();
            QCOMPARE(document.schedule().size(), start.size());
            if (document.schedule() == start)
                QCOMPARE(places(window), before);
        }
        while (document.undoStack().canUndo())
            QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
        document.waitForSnapshot();
        QVERIFY(document.schedule() == start);
        QCOMPARE(places(window), before);
    }

    void docksOfAMaximisedWindowComeBackAsTheyWere()
    {
        QMap<QString, QSize> left;
        const QStringList names{QStringLiteral("subgraphs"), QStringLiteral("inspector"),
                                QStringLiteral("memory")};
        {
            MainWindow window;
            window.resize(420, 360); // the normal size is small
            QVERIFY(openIn(window, {sample("attention-block.json")}));
            window.showMaximized();
            QApplication::processEvents();
            window.applyPerspective(QStringLiteral("Edit"));
            QTest::qWait(kGlide);
            for (const QString& name : names)
                left[name] = dockSize(window, qPrintable(name));
            window.close();
        }
        MainWindow window;
        window.restoreSession();
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.isMaximized());
        window.reopenLastFiles();
        QTest::qWait(kGlide);
        for (const QString& name : names) {
            const QSize now = dockSize(window, qPrintable(name));
            // The width of docks beside the graph, the height of one below it.
            const int by = name == QLatin1String("memory") ? now.height() - left[name].height()
                                                           : now.width() - left[name].width();
            QVERIFY2(std::abs(by) < 6, qPrintable(QStringLiteral("%1: %2x%3, was %4x%5")
                                                      .arg(name)
                                                      .arg(now.width())
                                                      .arg(now.height())
                                                      .arg(left[name].width())
                                                      .arg(left[name].height())));
        }
    }

    void theDefaultLayoutRepairsSqueezedDocks()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        window.resize(1440, 900);
        QApplication::processEvents();
        window.applyPerspective(QStringLiteral("Edit"));
        QApplication::processEvents();
        const QSize subgraphs = dockSize(window, "subgraphs");
        const QSize inspector = dockSize(window, "inspector");
        const QSize memory = dockSize(window, "memory");
        for (const char* action : {"view.perspective.Edit", "view.resetLayout"}) {
            window.resize(400, 300);
            QApplication::processEvents();
            window.resize(1440, 900);
            QApplication::processEvents();
            window.state().actions.find(QLatin1String(action))->trigger();
            QApplication::processEvents();
            QCOMPARE(dockSize(window, "subgraphs").width(), subgraphs.width());
            QCOMPARE(dockSize(window, "inspector").width(), inspector.width());
            QCOMPARE(dockSize(window, "memory").height(), memory.height());
        }
    }

    void theFirstPanesAreInFront()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.restoreSession(); // of nobody yet
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        for (const char* name : {"subgraphs", "inspector", "memory"})
            QTRY_VERIFY2(window.view(QLatin1String(name))->isSeen(), name);
    }
    void aProblemNeverOpenedIsShownToBeEdited()
    {
        {
            MainWindow window;
            QVERIFY(openIn(window, {sample("attention-block.json")}));
            window.applyPerspective(QStringLiteral("Hardware"));
            window.close();
        }
        MainWindow window;
        window.restoreSession();
        QVERIFY(openIn(window, {sample("mlp.json")}));
        QVERIFY(window.view(QStringLiteral("subgraphs"))->isVisible());
        QVERIFY(window.view(QStringLiteral("inspector"))->isVisible());
        QVERIFY(!window.view(QStringLiteral("npu"))->isVisible());
        // What was left otherwise comes back so; what a person chose in this window stays.
        QVERIFY(window.openPaths({sample("attention-block.json")}));
        QVERIFY(!window.view(QStringLiteral("subgraphs"))->isVisible());
        QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
        QVERIFY(window.openPaths({sample("diamond.json")}));
        QVERIFY(window.view(QStringLiteral("tiles"))->isVisible());
        QVERIFY(!window.view(QStringLiteral("solver"))->isVisible());
    }

    void aLensAloneGetsTheRoom()
    {
        MainWindow window;
        window.resize(1200, 900);
        const QString npu = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/npu/conv_net.json");
        QVERIFY(openIn(window, {npu}));
        QApplication::processEvents();
        QVERIFY(!window.state().document.hasProblem());
        QVERIFY2(dockSize(window, "npu").height() > 500,
                 qPrintable(QString::number(dockSize(window, "npu").height())));
    }

    void theComparisonCanBeLeft()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("diamond.json")}));
        window.state().document.pinBaseline(); // both are the same
        for (const bool byKey : {true, false}) {
            window.showView(QStringLiteral("compare"));
            View* compare = window.view(QStringLiteral("compare"));
            QVERIFY(compare->isVisible());
            if (byKey)
                QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
            else
                QTest::mouseClick(buttonNamed(*compare, QStringLiteral("To the graph")), Qt::LeftButton);
            QVERIFY(window.view(QStringLiteral("graph"))->isVisible());
        }
    }

    void theBestTotalIsTheBest()
    {
        const auto said = [](const MainWindow& window) {
            for (const QToolButton* b : window.findChildren<QToolButton*>())
                if (b->accessibleName() == QLatin1String("ex3.problem.json") && b->isVisible())
                    return b->accessibleDescription();
            return QString();
        };
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json"), example("ex3C.solution.json")}));
        QCOMPARE(window.state().document.snapshot()->evaluation.total, 4638.4);
        window.state().document.newSchedule(); // worse, and that is how it is left
        window.state().document.waitForSnapshot();
        window.state().actions.find(QStringLiteral("file.close"))->trigger();
        QApplication::processEvents();
        QVERIFY2(said(window).contains(QStringLiteral("best total 4\u202f638.4")), qPrintable(said(window)));
    }

    void ctrlStepsByOne()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex1.problem.json")}));
        clickRow(window, 0);
        auto* box = controlNamed<ChoiceSpinBox>(*viewOf<InspectorView>(window, "inspector"),
                                                QStringLiteral("Tile width"));
        box->setFocus();
        QCOMPARE(box->value(), 128);
        QTest::keyClick(box, Qt::Key_Down);
        QCOMPARE(box->value(), 64);
        QTest::keyClick(box, Qt::Key_Down, Qt::ControlModifier);
        QCOMPARE(box->value(), 63);
        const QPointF at = QRectF(box->rect()).center();
        QWheelEvent up(at, box->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::ControlModifier,
                       Qt::NoScrollPhase, false);
        QApplication::sendEvent(box, &up);
        QCOMPARE(box->value(), 64);
        QWheelEvent further(at, box->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                            Qt::NoScrollPhase, false);
        QApplication::sendEvent(box, &further);
        QCOMPARE(box->value(), 128);
    }

    void afterAProofThereIsNothingToAdvise()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        auto* solver = viewOf<SolverView>(window, "solver");
        window.showView(QStringLiteral("solver"));
        QTest::keyClick(&window, Qt::Key_F9);
        QTRY_VERIFY_WITH_TIMEOUT(!solver->job().isRunning(), 20'000);
        QVERIFY(solver->card().outcome() && solver->card().outcome()->proven);
        auto* overview = window.view(QStringLiteral("inspector"))->findChild<ScheduleOverview*>();
        window.showView(QStringLiteral("inspector"));
        QVERIFY(!overview->figures()->text().contains(QStringLiteral("Proven")));
        QTest::mouseClick(solver->applyButton(), Qt::LeftButton);
        window.state().document.waitForSnapshot();
        window.state().selection.clear();
        window.showView(QStringLiteral("inspector"));
        overview->settle();
        QVERIFY2(overview->figures()->text().contains(QStringLiteral("Proven optimal")),
                 qPrintable(overview->figures()->text()));
        for (const QLabel* label : overview->findChildren<QLabel*>())
            QVERIFY2(!label->text().contains(QStringLiteral("press F9")), qPrintable(label->text()));
        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
        window.state().document.waitForSnapshot();
        overview->settle();
        QVERIFY(!overview->figures()->text().contains(QStringLiteral("Proven")));
    }

    void theHistorySaysWhatEveryEditIsWorth()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        Document& document = window.state().document;
        const double first = document.snapshot()->evaluation.total;
        clickRow(window, 1);
        clickRow(window, 2, Qt::ControlModifier);
        QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier);
        document.newSchedule(); // at once: what fusing brought is evaluated later
        document.waitForSnapshot();
        window.showView(QStringLiteral("history"));
        auto* history = viewOf<HistoryView>(window, "history");
        history->settle();
        QAbstractItemModel* rows = history->table()->model();
        const auto cell = [&](int row, int column) { return rows->index(row, column).data().toString(); };
        QCOMPARE(rows->rowCount(), 3);
        QCOMPARE(cell(0, HistoryModel::Total), number(first));
        QVERIFY2(!cell(1, HistoryModel::Total).isEmpty(), "skipped");
        QVERIFY2(cell(1, HistoryModel::Change).startsWith(QChar(0x2212)),
                 qPrintable(cell(1, HistoryModel::Change)));
        QCOMPARE(cell(2, HistoryModel::Total), number(first));
        const QRect row = history->table()->visualRect(rows->index(1, 0));
        QTest::mouseClick(history->table()->viewport(), Qt::LeftButton, {}, row.center());
        document.waitForSnapshot();
        QCOMPARE(document.schedule().size(), 2U);
        QCOMPARE(number(document.snapshot()->evaluation.total), cell(1, HistoryModel::Total));
        QVERIFY(window.openPaths({example("ex3C.solution.json")})); // begins anew
        document.waitForSnapshot();
        QCOMPARE(rows->rowCount(), 1);
        QCOMPARE(cell(0, HistoryModel::Total), number(4638.4));
    }

    void aFusedRowIsComparedWithWhatItWasMadeOf()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        Document& document = window.state().document;
        document.pinBaseline();
        const auto& parts = document.snapshot()->evaluation.subgraphs;
        const double before = parts[1].latency + parts[2].latency;
        clickRow(window, 1);
        clickRow(window, 2, Qt::ShiftModifier);
        QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier);
        document.waitForSnapshot();
        QCOMPARE(document.schedule().size(), 2U);
        const QModelIndex cell =
            viewOf<SubgraphsView>(window, "subgraphs")->table()->model()->index(1, SubgraphModel::Change);
        QCOMPARE(cell.data().toString(),
                 ui::signedNumber(document.snapshot()->evaluation.subgraphs[1].latency - before));
    }

    void draggedRowsShowWhereTheyGoAndWhatThatChanges()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        QTableView* table = viewOf<SubgraphsView>(window, "subgraphs")->table();
        auto* verdict = controlNamed<QLabel>(*table, QStringLiteral("Effect of a drop here"));
        QVERIFY(verdict && !verdict->isVisible());
        const std::unique_ptr<QMimeData> rows(
            table->model()->mimeData({table->model()->index(4, 0)})); // a value
        const auto aim = [&](int row, bool below) {
            const QRect cell = table->visualRect(table->model()->index(row, 1));
            const QPoint at = below ? cell.bottomLeft() - QPoint(-8, 2) : cell.topLeft() + QPoint(8, 2);
            QDragMoveEvent move(at, Qt::MoveAction, rows.get(), Qt::LeftButton, {});
            // Qt delivers drags that it has started itself, no others.
            static_cast<QObject*>(viewOf<SubgraphsView>(window, "subgraphs"))
                ->eventFilter(table->viewport(), &move);
        };
        aim(4, true);
        QTRY_COMPARE(verdict->text(), QStringLiteral("stays where it is"));
        aim(0, true);
        QTRY_VERIFY2(verdict->text().startsWith(QStringLiteral("total ")), qPrintable(verdict->text()));
        QVERIFY(verdict->isVisible());
        aim(5, true); // behind the op that reads it
        QTRY_VERIFY2(!verdict->text().startsWith(QStringLiteral("total ")) && !verdict->text().isEmpty(),
                     qPrintable(verdict->text()));
        const auto lines = table->viewport()->findChildren<QFrame*>(QString(), Qt::FindDirectChildrenOnly);
        const auto line =
            std::ranges::find_if(lines, [&](QFrame* f) { return f != verdict && f->isVisible(); });
        QVERIFY(line != lines.end());
        QCOMPARE((*line)->width(), table->viewport()->width());
        QDragLeaveEvent leave;
        static_cast<QObject*>(viewOf<SubgraphsView>(window, "subgraphs"))
            ->eventFilter(table->viewport(), &leave);
        QVERIFY(!verdict->isVisible());
    }

    void whatIsMeasuredMayGoWhileTheButtonIsDown()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        auto* roofline = viewOf<RooflineView>(window, "roofline");
        window.showView(QStringLiteral("roofline"));
        QApplication::processEvents();
        const QPoint from(roofline->width() / 2, roofline->height() / 2);
        QTest::mousePress(roofline, Qt::LeftButton, {}, from);
        const auto moveTo = [&](QPoint at) {
            QMouseEvent move(QEvent::MouseMove, at, roofline->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                             {});
            QApplication::sendEvent(roofline, &move);
        };
        moveTo(from + QPoint(30, 10));
        window.state().document.close();
        moveTo(from + QPoint(60, 10));
        QTest::mouseRelease(roofline, Qt::LeftButton, {}, from);
    }

    void aTabThatIsDraggedMayLoseItsNeighbours()
    {
        QTabBar tabs;
        tabs.setMovable(true);
        for (const QString& pane : {QStringLiteral("Inspector"), QStringLiteral("Machine")})
            tabs.addTab(pane);
        DockTabs dock;
        dock.adopt(tabs);
        tabs.show();
        // A pane that leaves the stack when another is raised takes its tab along while the button goes down.
        connect(
            &tabs, &QTabBar::currentChanged, &tabs, [&tabs] { tabs.removeTab(0); },
            static_cast<Qt::ConnectionType>(Qt::SingleShotConnection));
        const QPoint at = tabs.tabRect(1).center();
        QTest::mousePress(&tabs, Qt::LeftButton, {}, at);
        QCOMPARE(tabs.count(), 1);
        for (int i = 1; i <= 5; ++i) {
            const QPoint to = at - QPoint(20 * i, 0);
            QMouseEvent move(QEvent::MouseMove, to, tabs.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(&tabs, &move);
        }
        QTest::mouseRelease(&tabs, Qt::LeftButton, {}, at - QPoint(100, 0));
        QCOMPARE(tabs.tabText(0), QStringLiteral("Machine"));
    }
    /// The trace of a coarser granularity arrives between press and release.
    void aPressedTileThatIsGoneIsNotShown()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Document& document = window.state().document;
        window.applyPerspective(QStringLiteral("Tiles"));
        window.state().selection.selectSubgraph(SubgraphId(0));
        auto* tiles = viewOf<TilesView>(window, "tiles");
        Schedule fine = document.schedule();
        Subgraph other = fine[SubgraphId(0)];
        other.granularity.w = std::max<std::int64_t>(1, other.granularity.w / 4);
        other.granularity.h = std::max<std::int64_t>(1, other.granularity.h / 4);
        fine.subgraphs[0] = std::make_shared<const Subgraph>(std::move(other));
        document.apply(std::move(fine), QStringLiteral("finer"));
        tiles->settle();
        const std::int64_t count = tiles->model().grid.tiles();
        QVERIFY(tiles->model().trace && count > 4);
        const QPoint last = tiles->tileCentre(count - 1).toPoint();
        QTest::mousePress(tiles, Qt::LeftButton, {}, last);
        document.undoStack().undo();
        tiles->settle();
        QVERIFY(tiles->model().trace && tiles->model().grid.tiles() < count);
        const auto before = window.state().selection.state();
        QTest::mouseRelease(tiles, Qt::LeftButton, {}, last);
        QVERIFY(window.state().selection.state() == before);
    }
};

TILEWRIGHT_TEST(TestWindowUse)

} // namespace test_window_use
#include "test_window_use.moc"
