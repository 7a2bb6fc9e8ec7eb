// SPDX-License-Identifier: GPL-3.0-or-later
// What made a newcomer hesitate on the way from the start page to a better schedule, each once.
#include "button_named.h"
#include "control_named.h"
#include "test_main.h"
#include "window_fixture.h"

#include "edit/fit.h"
#include "panels/inspector/inspector_view.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "theme/text.h"
#include "views/compare/compare_panes.h"
#include "views/compare/compare_view.h"
#include "views/compare/difference_list.h"
#include "views/granularity/granularity_view.h"
#include "views/graph/graph_view.h"
#include "window/message_bar.h"
#include "window/source_dialog.h"
#include "window/start_page.h"
#include "workload/generate.h"

#include <QAbstractItemView>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

namespace test_first_steps {

using namespace tilewright;
using namespace tilewright::ui;

class TestFirstSteps : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    static QPoint at(GraphView& graph, std::size_t op) { return graph.positionOf(OpId(op)).toPoint(); }
    static void carry(GraphView& graph, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mousePress(&graph, Qt::LeftButton, modifiers, from);
        for (const QPoint& p : {from + QPoint(6, 6), (from + to) / 2, to}) {
            QMouseEvent event(QEvent::MouseMove, p, graph.mapToGlobal(p), Qt::NoButton, Qt::LeftButton,
                              modifiers);
            QApplication::sendEvent(&graph, &event);
        }
        graph.drag().waitForVerdicts();
    }
    static GraphView& graphOf(MainWindow& window)
    {
        auto* graph = viewOf<GraphView>(window, "graph");
        graph->settle();
        return *graph;
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void theWindowDoesNotReachPastTheScreen()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.fitOnto({1920, 1080});
        QVERIFY(!window.isMaximized());
        QCOMPARE(window.size(), QSize(1440, 900));
        window.fitOnto({1440, 900}); // with its title the status line would be below the edge
        QVERIFY(window.isMaximized());
    }

    void aRefusedDropSaysWhatWouldDo()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        GraphView& graph = graphOf(window);
        auto* bar = window.findChild<MessageBar*>();
        carry(graph, at(graph, 0), at(graph, 2));
        QCOMPARE(graph.drag().verdict().kind, GraphVerdict::Kind::Refused);
        QVERIFY2(graph.drag().verdict().detail.contains(QStringLiteral("consumed only inside")),
                 qPrintable(graph.drag().verdict().detail));
        const auto instead = graph.drag().recomputeInstead();
        QVERIFY(instead);
        const auto trial =
            scheduleAfter(window.state().document, {{OpId(0)}, SubgraphId(0), SubgraphId(2), true, false});
        QCOMPARE(instead->text,
                 ui::signedNumber(evaluate(*window.state().document.problem(), *trial, Rules::final()).total -
                                  window.state().document.snapshot()->evaluation.total));
        QTest::mouseRelease(&graph, Qt::LeftButton, {}, at(graph, 2));
        QVERIFY(!bar->text().isEmpty());
        // The notice is out of the way as soon as the next drag begins.
        carry(graph, at(graph, 4), at(graph, 5));
        QVERIFY(bar->text().isEmpty());
        QTest::mouseRelease(&graph, Qt::LeftButton, {}, at(graph, 5));
        QCOMPARE(window.state().document.undoStack().undoText(),
                 QStringLiteral("Move diamond0.join to subgraph 5"));
    }

    void aBrokenFileIsCorrectedWhereItIsBroken()
    {
        QFile original(sample("diamond.json"));
        QVERIFY(original.open(QIODevice::ReadOnly));
        QByteArray text = original.readAll();
        const auto comma = text.indexOf("],", text.indexOf("heights")) + 1;
        text.remove(comma, 1);
        const QString path = m_settings.filePath("broken.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();

        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(!window.openPaths({path}));
        auto* bar = window.findChild<MessageBar*>();
        QToolButton* show = nullptr;
        for (QToolButton* b : bar->findChildren<QToolButton*>())
            if (b->isVisible() && b->text() == QLatin1String("Show in text"))
                show = b;
        QVERIFY(show);
        QTest::mouseClick(show, Qt::LeftButton);
        auto* dialog = window.findChild<SourceDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        // The cursor is at what stands there instead of the comma.
        QTextCursor cursor = dialog->editor()->textCursor();
        QVERIFY2(cursor.position() >= comma && cursor.position() < comma + 24,
                 qPrintable(QString::number(cursor.position() - comma)));
        QVERIFY(!buttonNamed(*dialog, QStringLiteral("Save and open"))->isEnabled());
        cursor.setPosition(static_cast<int>(comma));
        dialog->editor()->setTextCursor(cursor);
        QTest::keyClick(dialog->editor(), Qt::Key_Comma);
        QTest::mouseClick(buttonNamed(*dialog, QStringLiteral("Save and open")), Qt::LeftButton);
        QVERIFY(window.state().document.hasProblem());
        QCOMPARE(window.state().document.problem()->opCount(), 10U);
        QVERIFY(bar->text().isEmpty());
    }

    void theStartPageLeadsToEveryLens()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        auto* page = window.findChild<StartPage*>();
        // Models come first, a click each.
        auto* model = controlNamed<QPushButton>(*page, QStringLiteral("mobilenet-v2"));
        auto* problem = controlNamed<QToolButton>(*page, QStringLiteral("example-1"));
        QVERIFY(model && problem);
        QVERIFY(model->mapTo(page, QPoint(0, 0)).y() < problem->mapTo(page, QPoint(0, 0)).y());
        QVERIFY(model->mapTo(page, model->rect().bottomRight()).y() < 400);
        for (const auto& [folder, view] :
             {std::pair{"npu", "npu"}, {"mapping/layers", "mapping"}, {"mapping/models", "mapping-model"}}) {
            auto* button = page->findChild<QPushButton*>(QLatin1String(folder));
            QVERIFY2(button && button->menu() && !button->menu()->isEmpty(), folder);
            button->menu()->actions().constFirst()->trigger();
            QVERIFY2(window.view(QLatin1String(view))->isVisible(), view);
            QTRY_VERIFY2(window.view(QLatin1String(view))->height() > window.height() / 2, view);
        }
    }

    void theListKeepsWhatTellsOpsApart()
    {
        GenerateOptions options;
        options.kind = WorkloadKind::Random;
        options.ops = 30;
        const ProblemPtr problem = *generateWorkload(options);
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.state().document.setProblem(problem, oneOpPerSubgraph(*problem));
        auto* table = viewOf<SubgraphsView>(window, "subgraphs")->table();
        // Also with the column of changes nothing has to be scrolled to.
        for (const bool baseline : {false, true}) {
            if (baseline)
                window.state().document.pinBaseline();
            QTest::qWait(1);
            int sum = 0;
            QStringList widths;
            for (int c = 0; c < table->model()->columnCount(); ++c)
                sum += table->isColumnHidden(c)
                           ? 0
                           : (widths << QString::number(table->columnWidth(c)), table->columnWidth(c));
            if (!baseline)
                QVERIFY2(sum <= table->viewport()->width(),
                         qPrintable(QStringLiteral("%3: %1 of %2")
                                        .arg(sum)
                                        .arg(table->viewport()->width())
                                        .arg(widths.join(QLatin1Char(' ')))));
        }
        // In the graph, too far away for whole names, the numbers are still there.
        GraphView& graph = graphOf(window);
        const QImage picture0 = graph.grab().toImage();
        for (std::size_t o = 10; o < problem->opCount(); ++o) {
            const QPoint middle = at(graph, o);
            int dark = 0;
            for (int x = -24; x <= 24; ++x)
                for (int y = -4; y <= 4; ++y)
                    dark += picture0.pixelColor(middle + QPoint(x, y)).lightness() < 50;
            QVERIFY2(dark > 8, qPrintable(QStringLiteral("%1: %2")
                                              .arg(QString::fromStdString(problem->opName(OpId(o))))
                                              .arg(dark)));
        }
        // Two names that differ in their last letters only are two different pictures in a narrow column.
        std::vector<int> rows;
        for (int r = 0; r < table->model()->rowCount(); ++r)
            if (problem->opName(OpId(static_cast<std::size_t>(r))).starts_with("pointwise1"))
                rows.push_back(r);
        QVERIFY(rows.size() >= 2);
        table->setColumnWidth(1, 70);
        const auto picture = [&](int row) {
            table->clearSelection();
            table->setAlternatingRowColors(false);
            return table->viewport()->grab(table->visualRect(table->model()->index(row, 1))).toImage();
        };
        QVERIFY(picture(rows[0]) != picture(rows[1]));
    }

    void exportMeansAPaneThatIsSeen()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        window.showView(QStringLiteral("history"));
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        auto* history = window.view(QStringLiteral("history"));
        QTest::mouseClick(history->findChild<QAbstractItemView*>()->viewport(), Qt::LeftButton);
        QTRY_COMPARE(window.currentView(), history);
        for (QDockWidget* dock : window.findChildren<QDockWidget*>())
            if (dock->objectName() == QLatin1String("dock.memory"))
                dock->raise();
        QTRY_COMPARE(window.currentView(), window.view(QStringLiteral("graph")));
    }

    void largeLettersDoNotRunIntoEachOther()
    {
        const QFont before = QApplication::font();
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        window.state().selection.selectSubgraph(SubgraphId(1));
        QFont large = before;
        large.setPointSizeF(20);
        QApplication::setFont(large);
        QTest::qWait(10);
        inspector->settle();
        auto* map = inspector->findChild<GranularityView*>();
        const int lines = map->height() / QFontMetrics(large).height();
        QApplication::setFont(before);
        QVERIFY2(lines >= 13,
                 qPrintable(QString::number(lines))); // two of the title, axes, legend, and the cells
    }

    void compareStandsInItsMenuAndStartsWithTheWhole()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        bool found = false;
        for (QAction* top : window.menuBar()->actions())
            if (top->text().contains(QStringLiteral("Compare")))
                for (QAction* action : top->menu()->actions())
                    found = found || action->objectName() == QLatin1String("view.perspective.Compare");
        QVERIFY(found);
        Document& document = window.state().document;
        document.pinBaseline();
        window.state().selection.set({.ops = {OpId(4), OpId(5)},
                                      .tensor = {},
                                      .subgraphs = {},
                                      .subgraph = {},
                                      .step = 0,
                                      .time = {}});
        QVERIFY(fuseSelection(document, window.state().selection));
        document.waitForSnapshot();
        window.applyPerspective(QStringLiteral("Compare"));
        auto* compare = viewOf<CompareView>(window, "compare");
        compare->catchUp();
        compare->settle();
        QTest::qWait(20);
        auto* panes = compare->findChild<ComparePanes*>();
        const QRectF pane = panes->paneRect(0);
        const auto whole = [&] {
            return panes->positionOf(0, OpId(9)).y() < pane.bottom() &&
                   panes->positionOf(0, OpId(0)).y() > pane.top();
        };
        QVERIFY(whole());
        window.state().actions.find(QStringLiteral("compare.next"))->trigger();
        QVERIFY(!whole()); // zoomed to the difference
        document.pinBaseline(QStringLiteral("another"));
        document.undoStack().undo();
        document.waitForSnapshot();
        compare->settle();
        QVERIFY(whole());
    }
};

TILEWRIGHT_TEST(TestFirstSteps)

} // namespace test_first_steps
#include "test_first_steps.moc"
