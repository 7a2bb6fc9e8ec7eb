// SPDX-License-Identifier: GPL-3.0-or-later
// The inspector, driven like a person drives it.
#include "control_named.h"
#include "edit/fit.h"
#include "files.h"
#include "panel_window.h"
#include "panels/inspector/controls.h"
#include "panels/inspector/inspector_view.h"
#include "panels/inspector/retain_list.h"
#include "panels/inspector/schedule_overview.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "report/summary.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/granularity/granularity_view.h"
#include "window/app_state.h"
#include "window/main_window.h"
#include "workload/generate.h"
#include "workspace/schedule_edits.h"

#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QToolTip>
#include <QWheelEvent>
#include <QtTest>

namespace test_inspector {

using namespace tilewright;
using namespace tilewright::ui;
using tilewright::test::shape;

class TestInspector : public QObject, protected PanelWindow
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { useOwnSettings(); }

    void paragraphsLookLikeLabels_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("plain") << QStringLiteral("The vector unit binds: 1 < 2 of all steps wait for it");
        QTest::newRow("lines") << QStringLiteral("one\ntwo\nthree");
        QTest::newRow("rich") << QStringLiteral("<b>93</b> × max(64, <b>204.8</b>) = 19 046.4<br><a "
                                                "href='x'>a link that is long enough to wrap</a>");
        QTest::newRow("table") << QStringLiteral(
            "<table cellspacing='0' cellpadding='1'><tr><td align='right'>4</td><td>= 7</td></tr></table>");
    }

    /// A paragraph lays its text out itself; in every width it is as high as a label, and painted like one.
    void paragraphsLookLikeLabels()
    {
        QFETCH(const QString, text);
        QWidget parent;
        QLabel* own = paragraph(&parent);
        QLabel label(&parent);
        label.setWordWrap(true);
        label.setTextInteractionFlags(own->textInteractionFlags());
        label.setFocusPolicy(Qt::NoFocus);
        for (QLabel* l : {own, &label}) {
            l->setContentsMargins(3, 6, 2, 1);
            l->setText(QStringLiteral("before"));
            (void)l->heightForWidth(100);
            l->setText(text);
        }
        for (const int width : {60, 143, 320, 900}) {
            QCOMPARE(own->heightForWidth(width), label.heightForWidth(width));
            for (QLabel* l : {own, &label})
                l->resize(width, label.heightForWidth(width) + 20);
            QCOMPARE(own->grab().toImage(), label.grab().toImage());
        }
        for (QLabel* l : {own, &label}) { // selected by the mouse
            QTest::mouseDClick(l, Qt::LeftButton, {}, QPoint(8, l->height() / 2));
            l->setEnabled(false);
        }
        QCOMPARE(own->selectedText(), label.selectedText());
        QCOMPARE(own->grab().toImage(), label.grab().toImage());
    }

    void severalSubgraphsAreSummedUp()
    {
        MainWindow window;
        open(window, products());
        auto* list = view<SubgraphsView>(window, "subgraphs");
        auto* inspector = view<InspectorView>(window, "inspector");
        clickRow(list, 0);
        QVERIFY(!inspector->summaryLabel()->isVisible());
        clickRow(list, 2, Qt::ShiftModifier);
        QVERIFY(inspector->summaryLabel()->isVisible());
        const Snapshot& s = *window.state().document.snapshot();
        const SubgraphsSummary sum = summarise(s, std::array{SubgraphId(0), SubgraphId(1), SubgraphId(2)});
        const QString text = inspector->summaryLabel()->text();
        for (const QString& part :
             {number(sum.latency.sum), number(sum.latency.mean), number(sum.traffic.max),
              number(sum.workingSet.min), ui::percent(sum.latencyShare), QStringLiteral("3 subgraphs")})
            QVERIFY2(text.contains(rich(part)), qPrintable(part + QStringLiteral(" in ") + text));
        Q_EMIT inspector->summaryLabel()->linkActivated(QStringLiteral("subgraph:1"));
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(1)));
        QVERIFY(!inspector->summaryLabel()->isVisible());
        // A rubber band in the graph chooses ops.
        window.state().selection.selectOps({OpId(0), OpId(3), OpId(4)});
        QVERIFY(inspector->summaryLabel()->isVisible());
        const double share = workShare(*s.problem, std::array{OpId(0), OpId(3), OpId(4)}, s.evaluation.rules);
        QVERIFY(inspector->summaryLabel()->text().contains(rich(ui::percent(share))));
        Q_EMIT inspector->summaryLabel()->linkActivated(QStringLiteral("op:3"));
        QCOMPARE(window.state().selection.state().ops, std::set{OpId(3)});
        QVERIFY2(!inspector->summaryLabel()->isVisible(), "one op: its subgraph");
    }
    void bestFoundSaysWhenNothingIsBetter()
    {
        MainWindow window;
        open(window, products());
        clickRow(view<SubgraphsView>(window, "subgraphs"), 0);
        auto* inspector = view<InspectorView>(window, "inspector");
        QPushButton* best = nullptr;
        for (QPushButton* button : inspector->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Best found"))
                best = button;
        QVERIFY(best);
        best->click(); // takes it, if there is a better one
        const int edits = window.state().document.undoStack().count();
        QToolTip::hideText();
        best->click();
        QCOMPARE(window.state().document.undoStack().count(), edits);
        QVERIFY2(QToolTip::text().contains(QStringLiteral("is faster than the present one")),
                 qPrintable(QToolTip::text()));
    }
    void theFieldsStayWhereTheyAre()
    {
        MainWindow window;
        open(window, products(), {1400, 1000});
        clickRow(view<SubgraphsView>(window, "subgraphs"), 0);
        auto* inspector = view<InspectorView>(window, "inspector");
        auto* k = controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Reduction depth"));
        QCoreApplication::processEvents();
        const QPoint place = k->mapTo(inspector, QPoint(0, 0));
        window.state().selection.selectOps({OpId(0)});
        QCoreApplication::processEvents();
        QCOMPARE(k->mapTo(inspector, QPoint(0, 0)), place);
        const auto* remarks = controlNamed<QLabel>(*inspector, QStringLiteral("Notes"));
        QVERIFY(remarks->text().contains(QStringLiteral("is selected")));
        auto* h = controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile height"));
        h->setValue(99'999);
        window.state().document.waitForSnapshot();
        QTRY_VERIFY(remarks->text().contains(QStringLiteral("⚠")));
        QCoreApplication::processEvents();
        QCOMPARE(k->mapTo(inspector, QPoint(0, 0)), place);
    }
    void aSizeBelowOneIsGivenUpWithAReason()
    {
        MainWindow window;
        open(window, products());
        clickRow(view<SubgraphsView>(window, "subgraphs"), 0);
        auto* h = controlNamed<ChoiceSpinBox>(*view<InspectorView>(window, "inspector"),
                                              QStringLiteral("Tile height"));
        QVERIFY2(h->toolTip().contains(QStringLiteral("1 to ")), qPrintable(h->toolTip()));
        const int before = h->value();
        QToolTip::hideText();
        h->setFocus();
        h->selectAll();
        QTest::keyClicks(h, QStringLiteral("0"));
        QTest::keyClick(h, Qt::Key_Return);
        QCOMPARE(h->value(), before);
        QVERIFY2(QToolTip::text().contains(QStringLiteral("At least 1")), qPrintable(QToolTip::text()));
    }
    void theWheelOverTheMapScrollsThePage()
    {
        MainWindow window;
        open(window, products(), {1200, 700});
        clickRow(view<SubgraphsView>(window, "subgraphs"), 0);
        auto* inspector = view<InspectorView>(window, "inspector");
        auto* map = inspector->findChild<GranularityView*>();
        QScrollArea* page = nullptr;
        for (QWidget* at = map; at && !page; at = at->parentWidget())
            page = qobject_cast<QScrollArea*>(at);
        QVERIFY(page);
        QTRY_VERIFY(page->verticalScrollBar()->maximum() > 0);
        const QPointF at = map->rect().center();
        QWheelEvent wheel(at, map->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QSpontaneKeyEvent::setSpontaneous(&wheel); // as from the mouse: only such wheels go on to parents
        qApp->notify(map, &wheel);
        QVERIFY(page->verticalScrollBar()->value() > 0);
    }
    void anOpComputedTwiceShowsTheCurrentSubgraph()
    {
        Schedule s = oneOpPerSubgraph(*products());
        s = *edit::duplicate(*products(), s, SubgraphId(0));
        SelectionState one;
        one.ops = {OpId(0)};
        one.subgraph = SubgraphId(1);
        QVERIFY(!showsSeveral(s, one));
        one.ops.insert(OpId(4));
        QVERIFY(showsSeveral(s, one));
    }
    void headersOfSubgraphsAreNeverCut()
    {
        const QFont before = QApplication::font();
        QFont font = before;
        font.setPointSize(20);
        QApplication::setFont(font);
        {
            AppState state;
            const ProblemPtr p = products(40'000);
            state.document.setProblem(p, oneOpPerSubgraph(*p));
            state.document.evaluateNow();
            state.document.pinBaseline();
            SubgraphsView view(state.context());
            view.resize(700, 400);
            view.show();
            QVERIFY(QTest::qWaitForWindowExposed(&view));
            const auto* table = view.findChild<QTableView*>();
            const QFontMetrics fm = table->fontMetrics();
            for (int c = 0; c < table->model()->columnCount(); ++c) {
                if (table->isColumnHidden(c))
                    continue;
                const QString text = table->model()->headerData(c, Qt::Horizontal).toString();
                QVERIFY2(table->columnWidth(c) >= fm.horizontalAdvance(text) + 6, qPrintable(text));
            }
        }
        QApplication::setFont(before);
    }
    void nothingIsCutInANarrowInspector()
    {
        const QFont before = QApplication::font();
        for (const int points : {0, 20}) {
            QFont font = before;
            if (points > 0)
                font.setPointSize(points);
            QApplication::setFont(font);
            AppState state;
            const ProblemPtr p = products(40'000);
            state.document.setProblem(p, oneOpPerSubgraph(*p));
            InspectorView inspector(state.context());
            state.selection.selectSubgraph(SubgraphId(0));
            for (const int width : {200, 310, 420}) {
                inspector.resize(width, 900);
                inspector.show();
                QVERIFY(QTest::qWaitForWindowExposed(&inspector));
                inspector.settle();
                QTest::qWait(0);
                for (QScrollArea* area : inspector.findChildren<QScrollArea*>()) {
                    if (!area->isVisible())
                        continue;
                    QVERIFY2(area->widget()->width() <= area->viewport()->width(),
                             qPrintable(QStringLiteral("%1 pt, %2: %3 > %4")
                                            .arg(points)
                                            .arg(width)
                                            .arg(area->widget()->width())
                                            .arg(area->viewport()->width())));
                }
                for (const QPushButton* b : inspector.suggestionButtons())
                    QTRY_VERIFY2(b->height() >= b->heightForWidth(b->width()),
                                 qPrintable(QStringLiteral("%1 pt, %2: %3 is %4 x %5, needs %6")
                                                .arg(points)
                                                .arg(width)
                                                .arg(b->accessibleName())
                                                .arg(b->width())
                                                .arg(b->height())
                                                .arg(b->heightForWidth(b->width()))));
            }
        }
        QApplication::setFont(before);
    }
    /// Issue 42: the search for changes goes on over all subgraphs, and the list says how far it is. The best
    /// change is not lost because it concerns a fast subgraph.
    void theSearchForChangesCoversTheWholeSchedule()
    {
        GenerateOptions options;
        options.kind = WorkloadKind::Random;
        options.ops = 70;
        const ProblemPtr problem = *generateWorkload(options);
        MainWindow window;
        open(window, problem);
        Document& document = window.state().document;
        document.waitForSnapshot();
        const SnapshotPtr snapshot = document.snapshot();
        view<InspectorView>(window, "inspector");
        auto* overview = window.view(QStringLiteral("inspector"))->findChild<ScheduleOverview*>();
        overview->settle(); // as an export does: it does not wait for all on a slow machine
        QVERIFY2(overview->searched()->text().contains(QStringLiteral(" of 70 subgraphs examined")),
                 qPrintable(overview->searched()->text()));
        document.apply(edit::setGranularity(*problem, document.schedule(), std::array{SubgraphId(0)},
                                            {1, 1, 1}, editOptions(document.rules())),
                       QStringLiteral("other"));
        document.undoStack().undo(); // searched anew
        document.waitForSnapshot();
        QTRY_VERIFY_WITH_TIMEOUT(overview->searched()->text().isEmpty(), 20'000);
        const BestChanges best =
            bestChanges(*problem, document.schedule(), document.snapshot()->evaluation,
                        {.changes = 1, .subgraphs = problem->opCount(), .stop = {}, .found = {}});
        QCOMPARE(best.looked, problem->opCount());
        const auto* first = overview->findChild<WrapButton*>();
        QVERIFY(first);
        QVERIFY2(first->toolTip().contains(rich(number(best.changes.front().change.total))),
                 qPrintable(first->toolTip()));
    }
    void suggestionsDifferAndApply()
    {
        MainWindow window;
        open(window, products(40'000));
        auto* list = view<SubgraphsView>(window, "subgraphs");
        auto* inspector = view<InspectorView>(window, "inspector");
        Document& document = window.state().document;
        document.apply(edit::setGranularity(*document.problem(), document.schedule(),
                                            std::array{SubgraphId(2)}, {16, 16, 1},
                                            editOptions(document.rules())),
                       QStringLiteral("poor"));
        clickRow(list, 2);
        document.waitForSnapshot();
        inspector->settle();
        const auto buttons = inspector->suggestionButtons();
        QVERIFY(!buttons.isEmpty());
        QSet<QString> seen;
        for (const QPushButton* b : buttons) {
            QVERIFY(!seen.contains(b->accessibleName()));
            seen.insert(b->accessibleName());
            const QString op = QString::fromStdString(
                document.problem()->opName(document.schedule()[SubgraphId(2)].ops.front()));
            QVERIFY2(b->toolTip().contains(op), qPrintable(b->toolTip())); // not its own words again
        }
        const double before = document.snapshot()->evaluation.total;
        QTest::mouseClick(buttons.front(), Qt::LeftButton);
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.total < before);
    }
    void aGainBesideAProblemIsOfWhatRuns()
    {
        AppState state;
        const ProblemPtr p = products();
        state.document.setProblem(p, oneOpPerSubgraph(*p));
        state.document.evaluateNow();
        Suggestion change;
        change.gain = 5;
        change.text = "keep it";
        change.schedule = state.document.schedule();
        const auto words = [&] {
            const std::unique_ptr<QPushButton> button(changeButton(
                state.context(), *state.document.snapshot(), SubgraphId(1), change, false, true, nullptr));
            return button->accessibleName();
        };
        QVERIFY2(!words().contains(QStringLiteral("in valid subgraphs")), qPrintable(words()));
        EditOptions force;
        force.force = true;
        QVERIFY(state.document.apply(edit::setGranularity(*p, state.document.schedule(),
                                                          std::array{SubgraphId(0)}, {100'000, 100'000, 1},
                                                          force),
                                     QStringLiteral("too large")));
        state.document.waitForSnapshot();
        QVERIFY(!state.document.snapshot()->evaluation.valid());
        QVERIFY2(words().contains(QStringLiteral("in valid subgraphs")), qPrintable(words()));
    }
    void whatCannotBeRetainedSaysWhy()
    {
        MainWindow window;
        open(window, products());
        auto* list = view<SubgraphsView>(window, "subgraphs");
        auto* inspector = view<InspectorView>(window, "inspector");
        clickRow(list, 0); // read by op 4, four subgraphs later
        inspector->settle();
        RetainList* retain = inspector->retainList();
        QCOMPARE(retain->boxes().size(), 1u);
        QCheckBox* box = retain->boxes().front();
        QVERIFY(!box->isEnabled());
        QVERIFY2(retain->note(0).contains(QStringLiteral("retains for the next subgraph only")),
                 qPrintable(retain->note(0)));
        QVERIFY(box->toolTip().contains(retain->note(0).toHtmlEscaped()));
        QCOMPARE(box->accessibleDescription(), retain->note(0));
        // Next to its reader it can, and the saving is told.
        window.state().document.setProblem(window.state().document.problem(),
                                           *edit::reorder(*window.state().document.problem(),
                                                          window.state().document.schedule(),
                                                          std::array{SubgraphId(4)}, 2));
        clickRow(list, 1);
        inspector->settle();
        QVERIFY(retain->boxes().front()->isEnabled());
        QVERIFY2(retain->note(0).endsWith(QStringLiteral("if retained")) ||
                     retain->note(0).isEmpty(), // it may not fit
                 qPrintable(retain->note(0)));
    }
    void arithmeticAddsUpInATable()
    {
        MainWindow window;
        open(window, products());
        auto* inspector = view<InspectorView>(window, "inspector");
        clickRow(view<SubgraphsView>(window, "subgraphs"), 0);
        inspector->settle();
        const QString text = inspector->arithmeticLabel()->text();
        QVERIFY(text.contains(QStringLiteral("<table")));
        QVERIFY(
            text.contains(rich(number(window.state().document.snapshot()->evaluation.subgraphs[0].latency))));
        QVERIFY(inspector->arithmeticLabel()->textInteractionFlags() & Qt::TextSelectableByMouse);
    }
};

TILEWRIGHT_TEST(TestInspector)

} // namespace test_inspector
#include "test_inspector.moc"
