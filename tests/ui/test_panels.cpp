// SPDX-License-Identifier: GPL-3.0-or-later
// The lists and forms beside the graph, driven like a person drives them: subgraphs, inspector, problems,
// rules.
#include "button_named.h"
#include "edit/fit.h"
#include "edit/retile.h"
#include "eval/granularity_search.h"
#include "files.h"
#include "panels/inspector/inspector_view.h"
#include "panels/inspector/retain_list.h"
#include "panels/inspector/selection_summary.h"
#include "panels/problems/problems_view.h"
#include "panels/rules/rules_view.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "report/summary.h"
#include "schedule_text.h"
#include "theme/number.h"
#include "theme/words.h"
#include "window/app_state.h"
#include "window/main_window.h"
#include "workload/problem_json.h"
#include "workspace/op_names.h"
#include "workspace/schedule_edits.h"
#include "workspace/subgraph_model.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>

using namespace tilewright;
using namespace tilewright::ui;
using tilewright::test::shape;

namespace {

/// Four products of one input that nothing orders, then a function of the first two; names as a model has
/// them.
ProblemPtr products(std::int64_t capacity = 100'000)
{
    Problem::Data data;
    data.tensors = IdVector<TensorId, Tensor>(10, Tensor{256, 256, {}});
    for (std::size_t i = 0; i < 4; ++i)
        data.ops.push_back({OpType::MatMul,
                            {TensorId(0), TensorId(1 + i)},
                            TensorId(5 + i),
                            1000,
                            "net.layer" + std::to_string(i / 2) + ".mul" + std::to_string(i)});
    data.ops.push_back({OpType::Pointwise, {TensorId(5), TensorId(6)}, TensorId(9), 200, "net.layer0.add"});
    data.hardware = {capacity, 20, 128, 128, {}};
    return *Problem::build(std::move(data));
}

} // namespace

class TestPanels : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;

    template <typename V> V* view(MainWindow& window, const char* name)
    {
        V* v = qobject_cast<V*>(window.view(QLatin1String(name)));
        Q_ASSERT(v);
        window.showView(QLatin1String(name));
        return v;
    }
    void open(MainWindow& window, const ProblemPtr& problem, QSize size = {1440, 900})
    {
        window.resize(size);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.state().document.setProblem(problem, oneOpPerSubgraph(*problem));
    }
    void key(MainWindow& window, const char* action)
    {
        QAction* a = window.state().actions.find(QLatin1String(action));
        QVERIFY2(a && a->isEnabled(), action);
        if (a->shortcut().isEmpty())
            a->trigger();
        else
            QTest::keySequence(&window, a->shortcut());
    }
    void clickRow(SubgraphsView* list, int row, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTableView* table = list->table();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, modifiers,
                          table->visualRect(table->model()->index(row, 1)).center());
    }
    QString nowShape(MainWindow& window) { return shape(window.state().document.schedule()); }

private Q_SLOTS:
    void initTestCase()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
        qApp->setProperty("tilewrightNoPrompts", true);
    }

    // -- subgraphs
    void columnsFitTheDockOfAFreshWindow()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.openPaths(
            {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        QTableView* table = view<SubgraphsView>(window, "subgraphs")->table();
        QTest::qWait(0);
        for (const int column : {SubgraphModel::Number, SubgraphModel::Ops, SubgraphModel::Size,
                                 SubgraphModel::Latency, SubgraphModel::Time}) {
            QVERIFY(!table->isColumnHidden(column));
            QVERIFY2(table->columnViewportPosition(column) + table->columnWidth(column) <=
                         table->viewport()->width(),
                     qPrintable(QString::number(column)));
        }
        QVERIFY2(table->isColumnHidden(SubgraphModel::Change), "no baseline, no change");
        window.state().document.pinBaseline();
        QVERIFY(!table->isColumnHidden(SubgraphModel::Change));
        // Numbers are never cut: the cells are as wide as their text.
        const QFontMetrics fm(numberFont());
        for (const int column : {SubgraphModel::Size, SubgraphModel::Latency, SubgraphModel::Change})
            for (int r = 0; r < table->model()->rowCount(); ++r)
                QVERIFY(fm.horizontalAdvance(table->model()->index(r, column).data().toString()) + 8 <=
                        table->columnWidth(column));
    }
    void aWidthSetByHandStays()
    {
        MainWindow window;
        open(window, products());
        QTableView* table = view<SubgraphsView>(window, "subgraphs")->table();
        table->setColumnWidth(SubgraphModel::Ops, 333);
        window.state().document.evaluateNow();
        window.resize(1300, 900);
        QCOMPARE(table->columnWidth(SubgraphModel::Ops), 333);
    }
    void namesDropWhatTheyShare()
    {
        const ProblemPtr p = products();
        const QString dropped = commonPrefix(*p);
        QCOMPARE(dropped, QStringLiteral("net."));
        const OpNames same = shortOpNames(*p, std::array{OpId(0), OpId(1), OpId(4)}, dropped);
        QCOMPARE(same.names, QStringLiteral("mul0, mul1, add"));
        QCOMPARE(same.where, QStringLiteral("layer0"));
        const OpNames mixed = shortOpNames(*p, std::array{OpId(1), OpId(2)}, dropped);
        QCOMPARE(mixed.names, QStringLiteral("layer0.mul1, layer1.mul2"));
        QCOMPARE(mixed.where, QString());
        const OpNames one = shortOpNames(*p, std::array{OpId(3)}, dropped);
        QCOMPARE(one.names + one.where, QStringLiteral("mul3layer1"));
        QCOMPARE(fullOpNames(*p, std::array{OpId(0), OpId(1), OpId(2)}, 2),
                 QStringLiteral("net.layer0.mul0, net.layer0.mul1 and 1 more"));
    }
    void rowsAreReorderedByDropAndByKeys()
    {
        MainWindow window;
        open(window, products());
        auto* list = view<SubgraphsView>(window, "subgraphs");
        QAbstractItemModel* model = list->table()->model();
        const auto drop = [&](const QModelIndexList& rows, int before) {
            const std::unique_ptr<QMimeData> mime(model->mimeData(rows));
            model->dropMimeData(mime.get(), Qt::MoveAction, before, 0, {});
        };
        drop({model->index(3, 0)}, 1);
        QCOMPARE(nowShape(window), QStringLiteral("0|3|1|2|4"));
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(1)));
        drop({model->index(0, 0), model->index(2, 0)}, 4); // two at once, down
        QCOMPARE(nowShape(window), QStringLiteral("3|2|0|1|4"));
        clickRow(list, 0);
        key(window, "schedule.moveDown");
        QCOMPARE(nowShape(window), QStringLiteral("2|3|0|1|4"));
        key(window, "schedule.moveUp");
        QCOMPARE(nowShape(window), QStringLiteral("3|2|0|1|4"));
        // 4 needs 0 and 1: refused with the reason, nothing moves.
        QSignalSpy refused(&window.state().document, &Document::refused);
        drop({model->index(4, 0)}, 0);
        QCOMPARE(nowShape(window), QStringLiteral("3|2|0|1|4"));
        QCOMPARE(refused.size(), 1);
        QCOMPARE(window.state().document.undoStack().count(), 4);
    }
    void mergeSplitDuplicateDelete()
    {
        MainWindow window;
        open(window, products());
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 0);
        key(window, "schedule.mergeNext");
        QCOMPARE(nowShape(window), QStringLiteral("0,1|2|3|4"));
        key(window, "schedule.split");
        QCOMPARE(nowShape(window), QStringLiteral("0|1|2|3|4"));
        clickRow(list, 3);
        key(window, "schedule.mergePrevious");
        QCOMPARE(nowShape(window), QStringLiteral("0|1|2,3|4"));
        key(window, "schedule.duplicate");
        QCOMPARE(nowShape(window), QStringLiteral("0|1|2,3|2,3|4"));
        clickRow(list, 2);
        clickRow(list, 3, Qt::ShiftModifier);
        key(window, "schedule.delete");
        QCOMPARE(nowShape(window), QStringLiteral("0|1|4"));
        clickRow(list, 0);
        clickRow(list, 2, Qt::ControlModifier);
        QCOMPARE(window.state().selection.state().subgraphs, (std::set{SubgraphId(0), SubgraphId(2)}));
        key(window, "schedule.lock");
        const Schedule& s = window.state().document.schedule();
        QVERIFY(s[SubgraphId(0)].locked && !s[SubgraphId(1)].locked && s[SubgraphId(2)].locked);
        for (int i = 0; i < 6; ++i)
            key(window, "edit.undo");
        QCOMPARE(nowShape(window), QStringLiteral("0|1|2|3|4"));
    }
    void copiedRowsHaveAColumnForEachHeading()
    {
        MainWindow window;
        open(window, products());
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 1);
        clickRow(list, 2, Qt::ControlModifier);
        list->table()->setFocus();
        key(window, "edit.copy");
        const QStringList rows =
            QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 3);
        for (const QString& row : rows)
            QCOMPARE(row.count(QLatin1Char('\t')), 8);
        QVERIFY(rows[1].startsWith(QStringLiteral("1\tnet.layer0.mul1\t")));
    }

    // -- tiles of edited subgraphs
    void anEditTakesTheBestTile()
    {
        // 40,000 elements: the native tile does not fit two products, and halving it blindly is far from
        // best.
        MainWindow window;
        open(window, products(40'000));
        Document& document = window.state().document;
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 0);
        clickRow(list, 1, Qt::ShiftModifier);
        key(window, "schedule.fuse");
        document.waitForSnapshot();
        const Subgraph& fused = document.schedule()[SubgraphId(0)];
        QCOMPARE(fused.ops.size(), 2u);
        GranularityLimits limits;
        limits.traversals = {fused.traversal};
        const auto best =
            bestGranularity(SubgraphPlan(*document.problem(), fused.ops, Rules::final()), {}, {}, limits);
        const SubgraphEvaluation& e = document.snapshot()->evaluation.subgraphs[0];
        QVERIFY(e.fits);
        QVERIFY(e.latency <= best->evaluation.latency * (1 + 2 * kNearBest));
        key(window, "edit.undo");
        QCOMPARE(nowShape(window), QStringLiteral("0|1|2|3|4"));
    }
    void whatIsShownWhileDraggingIsWhatTheDropDoes()
    {
        AppState state;
        const ProblemPtr p = products(40'000);
        Document& d = state.document;
        d.setProblem(p, oneOpPerSubgraph(*p));
        for (const OpDrop& drop : {OpDrop{{OpId(1)}, SubgraphId(1), SubgraphId(0), false, false},
                                   OpDrop{{OpId(3)}, std::nullopt, SubgraphId(1), true, false},
                                   OpDrop{{OpId(1)}, SubgraphId(0), std::nullopt, false, false}}) {
            std::optional<double> shown;
            d.requestTrial(
                [&, schedule = d.schedule()] { return scheduleAfter(*p, schedule, d.rules(), drop); },
                [&](Result<SnapshotPtr> trial) { shown = (*trial)->evaluation.total; });
            QTRY_VERIFY(shown);
            const int before = d.undoStack().count();
            QVERIFY(applyDrop(d, state.selection, drop));
            d.waitForSnapshot();
            QCOMPARE(d.snapshot()->evaluation.total, *shown);
            QCOMPARE(d.undoStack().count(), before + 1);
        }
    }

    // -- inspector
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
              number(sum.workingSet.min), percent(sum.latencyShare), QStringLiteral("3 subgraphs")})
            QVERIFY2(text.contains(rich(part)), qPrintable(part + QStringLiteral(" in ") + text));
        Q_EMIT inspector->summaryLabel()->linkActivated(QStringLiteral("subgraph:1"));
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(1)));
        QVERIFY(!inspector->summaryLabel()->isVisible());
        // A rubber band in the graph chooses ops.
        window.state().selection.selectOps({OpId(0), OpId(3), OpId(4)});
        QVERIFY(inspector->summaryLabel()->isVisible());
        const double share = workShare(*s.problem, std::array{OpId(0), OpId(3), OpId(4)}, s.evaluation.rules);
        QVERIFY(inspector->summaryLabel()->text().contains(rich(percent(share))));
        Q_EMIT inspector->summaryLabel()->linkActivated(QStringLiteral("op:3"));
        QCOMPARE(window.state().selection.state().ops, std::set{OpId(3)});
        QVERIFY2(!inspector->summaryLabel()->isVisible(), "one op: its subgraph");
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
        }
        const double before = document.snapshot()->evaluation.total;
        QTest::mouseClick(buttons.front(), Qt::LeftButton);
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.total < before);
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
        QVERIFY2(retain->note(0).endsWith(QStringLiteral("if kept")) ||
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

    // -- problems
    void aProblemWithoutFixSaysWhy()
    {
        MainWindow window;
        open(window, products(2)); // three operands never fit
        auto* problems = view<ProblemsView>(window, "problems");
        problems->settle();
        QVERIFY(problems->list()->topLevelItemCount() > 0);
        QVERIFY(!problems->fixButton()->isEnabled());
        QVERIFY2(problems->reason().contains(QStringLiteral("even tiles of 1 × 1 × 1")),
                 qPrintable(problems->reason()));
        bool shown = false;
        for (const QLabel* label : problems->findChildren<QLabel*>())
            shown = shown || (label->isVisible() && label->text().contains(problems->reason()));
        QVERIFY(shown);
        QVERIFY(problems->fixButton()->toolTip().contains(QStringLiteral("even tiles")));
    }
    void aMissingTensorHasSeveralFixes()
    {
        MainWindow window;
        open(window, products());
        Document& document = window.state().document;
        const Schedule& s = document.schedule();
        // 4 before 0 and 1: another order, or computing them there.
        document.apply(edit::reorder(*document.problem(), s, std::array{SubgraphId(4)}, 0,
                                     editOptions(document.rules(), true)),
                       QStringLiteral("break"));
        auto* problems = view<ProblemsView>(window, "problems");
        problems->settle();
        QCOMPARE(problems->list()->topLevelItem(0)->text(1), QStringLiteral("DEPENDENCY"));
        QVERIFY(problems->fixButton()->isEnabled());
        auto* others = qobject_cast<QToolButton*>(buttonNamed(*problems, QStringLiteral("Other fixes")));
        QVERIFY(others && others->isVisible());
        QMenu* menu = others->menu();
        QVERIFY(menu->actions().size() >= 1);
        const Schedule broken = document.schedule();
        menu->actions().front()->trigger();
        problems->settle();
        QVERIFY(document.snapshot()->evaluation.issues.size() < 2 && !(document.schedule() == broken));
        key(window, "edit.undo");
        problems->settle();
        QTest::mouseClick(problems->fixButton(), Qt::LeftButton);
        problems->settle();
        QVERIFY(document.snapshot()->evaluation.issues.size() < 2);
    }
    void fixAllIsOneStep()
    {
        MainWindow window;
        open(window, products());
        Document& document = window.state().document;
        Schedule s = *edit::erase(*document.problem(), document.schedule(), std::array{SubgraphId(0)},
                                  editOptions(document.rules(), true));
        s = *edit::setGranularity(*document.problem(), s, std::array{SubgraphId(1)}, {512, 128, 128},
                                  editOptions(document.rules(), true));
        document.apply(s, QStringLiteral("break"));
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.issues.size() >= 2);
        auto* problems = view<ProblemsView>(window, "problems");
        problems->settle();
        QTest::mouseClick(buttonNamed(*problems, QStringLiteral("Fix all")), Qt::LeftButton);
        problems->settle();
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.valid());
        QCOMPARE(document.undoStack().count(), 2);
    }

    // -- rules
    void rulesTellTheExactChangeAndLeadThere()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(window.openPaths(
            {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        Document& document = window.state().document;
        auto* rules = view<RulesView>(window, "rules");
        rules->settle();
        QTreeWidget* list = rules->list();
        const int switches = static_cast<int>(ruleSwitches().size());
        QVERIFY(switches >= 9);
        QCOMPARE(list->topLevelItemCount(), switches);
        int changed = 0;
        for (int i = 0; i < switches; ++i) {
            const RuleSwitch& s = ruleSwitches()[static_cast<std::size_t>(i)];
            Rules other = document.rules();
            s.set(other, 1);
            const Evaluation e = evaluate(*document.problem(), document.schedule(), other);
            const QTreeWidgetItem* item = list->topLevelItem(i);
            QVERIFY2(!item->text(2).isEmpty() && item->text(3).startsWith(QStringLiteral("whether")),
                     qPrintable(item->text(0)));
            if (!e.valid() || e.total == document.snapshot()->evaluation.total)
                continue;
            ++changed;
            const QString by = signedNumber(e.total - document.snapshot()->evaluation.total);
            QVERIFY2(item->text(2).contains(by), qPrintable(item->text(2) + by));
            QVERIFY(item->childCount() > 0);
        }
        QVERIFY(changed >= 2);
        QVERIFY(!rules->copyText().contains(QChar(0x202F))); // full precision, no thin spaces
        QTreeWidgetItem* first = list->topLevelItem(0);      // null_order_reuse
        first->setExpanded(true);
        list->scrollToItem(first->child(0));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualItemRect(first->child(0)).center());
        QVERIFY(window.state().selection.state().subgraph);
        QCOMPARE(QStringLiteral("Subgraph %1").arg(window.state().selection.state().subgraph->index()),
                 first->child(0)->text(0));
        // Unticking reads the rule the other way, in place.
        const double before = document.snapshot()->evaluation.total;
        first->setCheckState(0, Qt::Unchecked);
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.total > before);
        rules->settle();
        QVERIFY(first->isExpanded());
        QCOMPARE(first->text(1), QStringLiteral("no"));
    }

    /// A switch with three values is chosen from a list; the effect of each other value is told.
    void aRuleWithThreeValuesIsChosenFromAList()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(window.openPaths({sample("attention-block.json")}));
        Document& document = window.state().document;
        auto* rules = view<RulesView>(window, "rules");
        rules->settle();
        const auto rows = rules->list()->findItems(QStringLiteral("prologue"), Qt::MatchExactly);
        QCOMPARE(rows.size(), 1);
        auto* values = qobject_cast<QComboBox*>(rules->list()->itemWidget(rows.front(), 1));
        QVERIFY(values);
        QCOMPARE(values->count(), 3);
        QVERIFY(rows.front()->text(2).contains(QStringLiteral("split_only: ")) &&
                rows.front()->text(2).contains(QStringLiteral("off: ")));
        values->setCurrentIndex(1);
        Q_EMIT values->activated(1);
        QCOMPARE(document.rules().prologue, Rules::Prologue::SplitOnly);
        rules->settle();
        QCOMPARE(rows.front()->checkState(0), Qt::Unchecked);
        QVERIFY(rows.front()->text(2).contains(QStringLiteral("always: ")));
        rows.front()->setCheckState(0, Qt::Checked);
        QCOMPARE(document.rules().prologue, Rules::Prologue::Always);
        rules->settle();
        QCOMPARE(values->currentIndex(), 0);
    }
};

QTEST_MAIN(TestPanels)
#include "test_panels.moc"
