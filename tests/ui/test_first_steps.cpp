// SPDX-License-Identifier: GPL-3.0-or-later
// What made a newcomer hesitate on the way from the start page to a better schedule, each once.
#include "button_named.h"
#include "control_named.h"
#include "window_fixture.h"

#include "edit/edits.h"
#include "edit/fit.h"
#include "edit/retile.h"
#include "panels/inspector/choice_spin_box.h"
#include "panels/inspector/fuse_offer.h"
#include "panels/inspector/inspector_view.h"
#include "panels/inspector/retain_list.h"
#include "panels/inspector/schedule_overview.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "theme/number.h"
#include "theme/words.h"
#include "views/compare/compare_panes.h"
#include "views/compare/compare_view.h"
#include "views/compare/difference_list.h"
#include "views/granularity/granularity_view.h"
#include "views/graph/graph_view.h"
#include "window/message_bar.h"
#include "window/source_dialog.h"
#include "window/start_page.h"
#include "workload/generate.h"
#include "workspace/schedule_edits.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>

#include <array>

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
    /// Everything that names the current subgraph names the same one.
    static void verifyOneSubject(MainWindow& window)
    {
        const Document& document = window.state().document;
        const SelectionState& s = window.state().selection.state();
        QVERIFY(s.subgraph && s.subgraph->index() < document.schedule().size());
        const auto& in = document.schedule()[*s.subgraph].ops;
        for (const OpId op : s.ops)
            QVERIFY(std::find(in.begin(), in.end(), op) != in.end());
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        QCOMPARE(controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile width"))->value(),
                 static_cast<int>(document.schedule()[*s.subgraph].granularity.w));
        QVERIFY(inspector->findChild<QLabel*>());
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

    void theSelectionFollowsUndoAndRedo()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        Document& document = window.state().document;
        // 4 = join of the first diamond, 5 = top of the second: fused, every later subgraph moves up.
        window.state().selection.set({.ops = {OpId(4), OpId(5)},
                                      .tensor = {},
                                      .subgraphs = {},
                                      .subgraph = {},
                                      .step = 0,
                                      .time = {}});
        QVERIFY(fuseSelection(document, window.state().selection));
        document.waitForSnapshot();
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(4)));
        verifyOneSubject(window);
        // A subgraph that was chosen in the list stays the same one, wherever it stands.
        window.state().selection.selectSubgraph(SubgraphId(7));
        const auto chosen = document.schedule()[SubgraphId(7)].ops;
        document.undoStack().undo();
        document.waitForSnapshot();
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(8)));
        QCOMPARE(document.schedule()[*window.state().selection.state().subgraph].ops, chosen);
        document.undoStack().redo();
        document.waitForSnapshot();
        QCOMPARE(document.schedule()[*window.state().selection.state().subgraph].ops, chosen);
        verifyOneSubject(window);
        // Selected ops bring their subgraph along.
        window.state().selection.set({.ops = {OpId(5)},
                                      .tensor = {},
                                      .subgraphs = {SubgraphId(4)},
                                      .subgraph = SubgraphId(4),
                                      .step = 0,
                                      .time = {}});
        document.undoStack().undo();
        document.waitForSnapshot();
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(5)));
        verifyOneSubject(window);
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
        QVERIFY2(graph.drag().verdict().detail.contains(QStringLiteral("used up inside")),
                 qPrintable(graph.drag().verdict().detail));
        const auto instead = graph.drag().recomputeInstead();
        QVERIFY(instead);
        const auto trial =
            scheduleAfter(window.state().document, {{OpId(0)}, SubgraphId(0), SubgraphId(2), true, false});
        QCOMPARE(instead->text,
                 signedNumber(evaluate(*window.state().document.problem(), *trial, Rules::final()).total -
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

    void retainListShowsWhatCanBeGainedOrWhyNot()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        Document& document = window.state().document;
        const ProblemPtr problem = document.problem();
        const auto both = [&](std::size_t first) {
            std::vector<SubgraphId> out;
            for (std::size_t i = 0; i < 5; ++i)
                out.emplace_back(first + i);
            return out;
        };
        Schedule s = *edit::fuse(*problem, document.schedule(), both(0));
        s = retiled(*problem, document.schedule(), *edit::fuse(*problem, s, both(1)), document.rules());
        document.apply(s, QStringLiteral("two"));
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.valid());
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        window.state().selection.selectSubgraph(SubgraphId(0));
        inspector->settle();
        // Of five products only one is read next; it is larger than the fast memory, and that is said.
        RetainList* retain = inspector->retainList();
        QCOMPARE(retain->boxes().size(), 1U);
        QVERIFY2(retain->note(0).contains(QStringLiteral("does not go")) &&
                     retain->note(0).contains(number(std::int64_t{60'000})),
                 qPrintable(retain->note(0)));
        window.state().selection.selectSubgraph(SubgraphId(1));
        inspector->settle();
        QVERIFY(retain->boxes().empty());
        // Ticked all the same, the ways out say where they lead.
        window.state().selection.selectSubgraph(SubgraphId(0));
        const double before = document.snapshot()->evaluation.total;
        QTest::mouseClick(retain->boxes().front(), Qt::LeftButton);
        QCOMPARE(document.undoStack().undoText(), QStringLiteral("Retain diamond0.join.out"));
        document.waitForSnapshot();
        inspector->settle();
        QVERIFY(!document.snapshot()->evaluation.valid());
        const auto buttons = inspector->suggestionButtons();
        QVERIFY(!buttons.isEmpty());
        QVERIFY2(buttons.front()->accessibleName().contains(number(before)),
                 qPrintable(buttons.front()->accessibleName()));
    }

    void anotherSubgraphIsReadFromItsName()
    {
        MainWindow window;
        window.resize(1440, 700);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        window.state().selection.selectSubgraph(SubgraphId(1));
        inspector->settle();
        QTest::qWait(20);
        QScrollBar* bar = nullptr;
        for (QScrollArea* area : inspector->findChildren<QScrollArea*>())
            if (area->isVisible())
                bar = area->verticalScrollBar();
        QVERIFY(bar);
        QTRY_VERIFY(bar->maximum() > 200);
        bar->setValue(200);
        controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile width"))
            ->setValue(64); // the same subgraph: the page stays
        window.state().document.waitForSnapshot();
        inspector->settle();
        QVERIFY(bar->value() > 0);
        window.state().selection.selectSubgraph(SubgraphId(3));
        inspector->settle();
        QCOMPARE(bar->value(), 0);
    }

    void withNothingSelectedTheWholeScheduleSpeaks()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        Document& document = window.state().document;
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        QVERIFY(inspector->overview()->isVisible());
        inspector->settle();
        const double before = document.snapshot()->evaluation.total;
        QVERIFY(inspector->overview()->figures()->text().contains(rich(number(before))));
        // The mouse on a button shows in the graph which subgraph it is about.
        const auto offered = [&] {
            QList<QPushButton*> buttons = inspector->overview()->findChildren<QPushButton*>();
            buttons.removeIf([](QPushButton* b) { return b->isHidden(); });
            return buttons;
        };
        const QString about = offered().front()->accessibleName();
        QEvent enter(QEvent::Enter);
        QApplication::sendEvent(offered().front(), &enter);
        const auto hovered = window.state().selection.hover().subgraph;
        QVERIFY(hovered && about.contains(QStringLiteral("ubgraph %1").arg(hovered->index())));
        // What the first button says is what a click on it brings; again and again until nothing helps.
        for (int clicks = 0; clicks < 3; ++clicks) {
            const double total = document.snapshot()->evaluation.total;
            QTRY_VERIFY(!offered().isEmpty());
            const auto buttons = offered();
            const QString says = buttons.front()->accessibleName();
            QTest::mouseClick(buttons.front(), Qt::LeftButton);
            document.waitForSnapshot();
            const double now = document.snapshot()->evaluation.total;
            QVERIFY(now < total);
            QVERIFY2(says.contains(signedNumber(now - total)), qPrintable(says));
            inspector->settle();
        }
        QCOMPARE(document.undoStack().count(), 3);
        QVERIFY(document.undoStack().undoText().startsWith(QStringLiteral("Subgraph ")));
        window.state().selection.selectSubgraph(SubgraphId(0));
        QVERIFY(!inspector->overview()->isVisible());
    }

    void aSelectionOfSeveralSaysWhatFusingBrings()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        Document& document = window.state().document;
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        window.state().selection.set({.ops = {OpId(4), OpId(5)},
                                      .tensor = {},
                                      .subgraphs = {},
                                      .subgraph = {},
                                      .step = 0,
                                      .time = {}});
        inspector->settle();
        const auto offered = [inspector]() -> QPushButton* {
            for (QPushButton* b : inspector->fuseOffer()->findChildren<QPushButton*>())
                if (b->isVisible())
                    return b;
            return nullptr;
        };
        QPushButton* button = offered();
        QVERIFY(button);
        const QString says = button->accessibleName();
        const double before = document.snapshot()->evaluation.total;
        QTest::mouseClick(button, Qt::LeftButton);
        document.waitForSnapshot();
        QVERIFY2(says.contains(signedNumber(document.snapshot()->evaluation.total - before)),
                 qPrintable(says));
        document.undoStack().undo();
        document.waitForSnapshot();
        window.state().selection.set({.ops = {OpId(0), OpId(2)},
                                      .tensor = {},
                                      .subgraphs = {},
                                      .subgraph = {},
                                      .step = 0,
                                      .time = {}});
        inspector->settle();
        QVERIFY(!offered());
        QVERIFY2(inspector->fuseOffer()->note()->text().contains(QStringLiteral("used up inside")),
                 qPrintable(inspector->fuseOffer()->note()->text()));
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
            if (dock->objectName() == QLatin1String("dock.problems"))
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

QTEST_MAIN(TestFirstSteps)
#include "test_first_steps.moc"
