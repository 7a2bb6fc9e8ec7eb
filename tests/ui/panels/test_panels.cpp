// SPDX-License-Identifier: GPL-3.0-or-later
// The lists and forms beside the graph, driven like a person drives them: subgraphs, problems, rules.
#include "control_named.h"
#include "edit/fit.h"
#include "eval/granularity_search.h"
#include "files.h"
#include "panel_window.h"
#include "panels/history/history_view.h"
#include "panels/inspector/controls.h"
#include "panels/inspector/inspector_view.h"
#include "panels/subgraphs/subgraph_model.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "window/app_state.h"
#include "window/main_window.h"
#include "workspace/schedule_edits.h"
#include "workspace/texts.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMimeData>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QtTest>

namespace test_panels {

using namespace tilewright;
using namespace tilewright::ui;
using tilewright::test::shape;

class TestPanels : public QObject, protected PanelWindow
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { useOwnSettings(); }

    // -- subgraphs
    void withABaselineEveryColumnAndEveryRowIsToldApart()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.openPaths(
            {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        window.state().document.pinBaseline();
        QTableView* table = view<SubgraphsView>(window, "subgraphs")->table();
        QTest::qWait(20);
        QVERIFY(!table->horizontalScrollBar()->isVisible());
        const auto* delegate = qobject_cast<SubgraphDelegate*>(table->itemDelegate());
        QVERIFY(delegate);
        const Schedule& schedule = window.state().document.schedule();
        QSet<QString> seen;
        for (int r = 0; r < table->model()->rowCount(); ++r) {
            const auto [names, where] = delegate->opsIn(static_cast<std::size_t>(r), table->font(),
                                                        table->columnWidth(SubgraphModel::Ops) - 8);
            QVERIFY2(!seen.contains(names + where), qPrintable(names)); // "query, …" of head0 and of head1
            seen.insert(names + where);
            const auto commas = static_cast<std::size_t>(names.count(QLatin1Char(',')));
            QVERIFY2(commas + 1 == schedule[SubgraphId(static_cast<std::size_t>(r))].ops.size() ||
                         names.contains(QChar(u'…')),
                     qPrintable(names)); // nothing is dropped without a sign
            QVERIFY(!table->model()->index(r, SubgraphModel::Change).data().toString().isEmpty());
        }
    }
    void splitSubgraphsAreComparedToo()
    {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.openPaths(
            {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        Document& document = window.state().document;
        document.pinBaseline();
        window.state().selection.selectSubgraph(SubgraphId(1));
        window.state().actions.find(QStringLiteral("schedule.split"))->trigger();
        document.waitForSnapshot();
        const auto* sorted =
            qobject_cast<QSortFilterProxyModel*>(view<SubgraphsView>(window, "subgraphs")->table()->model());
        QVERIFY(sorted);
        const auto* model = qobject_cast<SubgraphModel*>(sorted->sourceModel());
        QVERIFY(model);
        double sum = 0;
        for (int r = 0; r < model->rowCount(); ++r) {
            const auto by = model->change(static_cast<std::size_t>(r));
            QVERIFY2(by, qPrintable(QString::number(r)));
            sum += *by;
        }
        const double total = document.snapshot()->evaluation.total - document.baseline()->evaluation.total;
        QVERIFY(total > 0);
        QVERIFY2(std::abs(sum - total) < 1e-6, qPrintable(QString::number(sum)));
    }
    /// Its copies had thin spaces, real minus signs and rounded numbers.
    void theHistoryIsCopiedInFull()
    {
        MainWindow window;
        open(window, products(), {1000, 600});
        Document& document = window.state().document;
        document.waitForSnapshot();
        const double before = document.snapshot()->evaluation.total;
        window.state().selection.selectSubgraph(SubgraphId(0));
        window.state().actions.find(QStringLiteral("schedule.mergeNext"))->trigger();
        auto* history = view<HistoryView>(window, "history");
        history->settle();
        const double after = document.snapshot()->evaluation.total;
        QVERIFY(after != before && before >= 1000);
        const QStringList lines = history->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[1].section(QLatin1Char('\t'), 1, 1), exactNumber(before));
        QCOMPARE(lines[2].section(QLatin1Char('\t'), 1, 2),
                 exactNumber(after) + QLatin1Char('\t') + exactNumber(change(before, after)));
    }
    /// It was at its top whenever it was opened.
    void theHistoryOpensAtTheCurrentEdit()
    {
        MainWindow window;
        open(window, products(), {1000, 600});
        Document& document = window.state().document;
        for (int i = 0; i < 60; ++i) {
            Schedule next = document.schedule();
            Subgraph s = *next.subgraphs[0];
            s.granularity.k = i % 2 ? 64 : 32;
            next.subgraphs[0] = std::make_shared<const Subgraph>(std::move(s));
            document.apply(std::move(next), QStringLiteral("edit"));
        }
        const QTableView* table = view<HistoryView>(window, "history")->table();
        QTRY_VERIFY(table->isVisible() &&
                    table->viewport()->rect().intersects(table->visualRect(table->model()->index(60, 0))));
    }
    void theHistorySaysWhatAGranularityBecame()
    {
        MainWindow window;
        open(window, products(), {1000, 800});
        clickRow(view<SubgraphsView>(window, "subgraphs"), 0);
        auto* inspector = view<InspectorView>(window, "inspector");
        auto* height = controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile height"));
        height->setFocus();
        QTest::keyClick(height, Qt::Key_Down);
        QTest::keyClick(height, Qt::Key_Down); // one edit with the first
        Document& document = window.state().document;
        const Granularity g = document.schedule()[SubgraphId(0)].granularity;
        QCOMPARE(document.undoStack().count(), 1);
        QCOMPARE(document.undoStack().undoText(), QStringLiteral("Granularity of subgraph 0: %1")
                                                      .arg(sizeText({g.w, g.h, g.k}, QStringLiteral("×"))));
    }
    void aSizeNobodyMeansKeepsTheColumns()
    {
        MainWindow window;
        open(window, products(), {1400, 800});
        const auto* table = view<SubgraphsView>(window, "subgraphs")->table();
        const auto size = [&] { return table->model()->index(0, SubgraphModel::Size).data().toString(); };
        QTRY_VERIFY(!table->horizontalScrollBar()->isVisible());
        Schedule next = window.state().document.schedule();
        Subgraph s = *next.subgraphs[0];
        s.granularity.h = 99'999'999;
        next.subgraphs[0] = std::make_shared<const Subgraph>(std::move(s));
        window.state().document.apply(std::move(next), QStringLiteral("by mistake"));
        QTRY_VERIFY2(size().contains(QStringLiteral("M×")), qPrintable(size()));
        QVERIFY(!table->horizontalScrollBar()->isVisible());
    }
    void roundingIsNoChange()
    {
        QCOMPARE(change(646048.0, 646048.0 + 1.2e-10), 0.0); // the same sum in another order
        QCOMPARE(change(646048.0, 646048.0 - 1.2e-10), 0.0);
        QCOMPARE(change(4.0, 5.0), 1.0);
        QCOMPARE(ui::signedNumber(change(646048.0, 646048.0 + 1.2e-10)), ui::signedNumber(0));
    }
    void namesAreReadableInLargeLetters()
    {
        const QFont before = QApplication::font();
        const auto restore = qScopeGuard([&] { QApplication::setFont(before); });
        QFont large = before;
        large.setPointSize(20);
        QApplication::setFont(large);
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.openPaths(
            {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        window.state().document.pinBaseline();
        auto* subgraphs = view<SubgraphsView>(window, "subgraphs");
        const QTableView* table = subgraphs->table();
        subgraphs->resize(360, 500); // about what the dock of a narrow window leaves it
        QTest::qWait(20);
        const auto* delegate = qobject_cast<SubgraphDelegate*>(table->itemDelegate());
        QVERIFY(delegate);
        QSet<QString> seen;
        for (int r = 0; r < table->model()->rowCount(); ++r) {
            const QModelIndex cell = table->model()->index(r, SubgraphModel::Ops);
            const auto [names, where] = delegate->opsIn(static_cast<std::size_t>(r), table->font(),
                                                        table->columnWidth(SubgraphModel::Ops) - 8);
            const QString first = names.section(QLatin1Char(','), 0, 0).section(QLatin1Char('.'), -1);
            QVERIFY2(!first.contains(QChar(u'…')) || first.endsWith(QChar(u'…')), qPrintable(names));
            QVERIFY2(!seen.contains(names + where), qPrintable(names)); // "query, s…" of head0 and of head1
            seen.insert(names + where);
            QVERIFY(
                cell.data(Qt::ToolTipRole).toString().contains(first.chopped(first.endsWith(QChar(u'…')))));
        }
        QVERIFY(table->columnWidth(SubgraphModel::Ops) <= table->viewport()->width());
    }
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
    void rowsAreSortedByTheirHeadings()
    {
        MainWindow window;
        open(window, products());
        auto* list = view<SubgraphsView>(window, "subgraphs");
        QTableView* table = list->table();
        QHeaderView* header = table->horizontalHeader();
        const auto click = [&](int column) {
            QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                              {header->sectionViewportPosition(column) + header->sectionSize(column) / 2,
                               header->height() / 2});
        };
        const auto cells = [&](int column) {
            std::vector<double> out;
            for (int row = 0; row < table->model()->rowCount(); ++row)
                out.push_back(table->model()->index(row, column).data(SubgraphModel::ExactRole).toDouble());
            return out;
        };
        const std::vector<double> executed = cells(SubgraphModel::Latency);
        std::vector<double> sorted = executed;
        std::ranges::sort(sorted);
        QVERIFY(sorted != executed && sorted.front() < sorted.back());
        click(SubgraphModel::Latency);
        QVERIFY(cells(SubgraphModel::Latency) == std::vector<double>(sorted.rbegin(), sorted.rend()));
        QVERIFY(!table->dragEnabled());
        // A row is the subgraph that stands in it, whichever place it has.
        clickRow(list, 0);
        const auto slowest = window.state().selection.state().subgraph;
        QVERIFY(slowest);
        QCOMPARE(window.state().document.snapshot()->evaluation.subgraphs[slowest->index()].latency,
                 sorted.back());
        window.state().selection.selectSubgraph(SubgraphId(1));
        QCOMPARE(table->currentIndex().data(SubgraphModel::RowRole).toInt(), 1);
        click(SubgraphModel::Latency);
        QVERIFY(cells(SubgraphModel::Latency) == sorted);
        click(SubgraphModel::Latency);
        QVERIFY(cells(SubgraphModel::Latency) == executed);
        QVERIFY(table->dragEnabled());
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
            QCOMPARE(row.count(QLatin1Char('\t')), 10);
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
};

TILEWRIGHT_TEST(TestPanels)

} // namespace test_panels
#include "test_panels.moc"
