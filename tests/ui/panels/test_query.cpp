// SPDX-License-Identifier: GPL-3.0-or-later
// Issue 41 d, in the window: the pane Query.
#include "panels/query/query_view.h"
#include "tables/examples.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/graph/graph_view.h"
#include "window/app_state.h"
#include "window_fixture.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

#include <memory>

namespace test_query {

using namespace tilewright;
using namespace tilewright::ui;

class TestQuery : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.fresh();
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1440, 900);
        m_window->show();
        QVERIFY(openIn(*m_window,
                       {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        m_window->showView(QStringLiteral("query"));
        QTRY_VERIFY(view()->isSeen());
        answered();
    }
    void cleanup() { m_window.reset(); }

    void aTypedQuestionIsAnsweredAsATable();
    void theAnswerFollowsTheSchedule();
    void everyExampleIsAnswered();
    void aWrongQuestionIsASentence();
    void aLongQuestionIsStopped();
    void theAnswerIsAPlot();
    void theAnswerColoursTheGraph();
    void aRowSelectsItsOpAndIsCopied();
    void theHistoryIsKept();
    void withoutAProblemItSaysSo();

private:
    QueryView* view() { return viewOf<QueryView>(*m_window, "query"); }
    Selection& selection() { return m_window->state().selection; }
    QString state() { return view()->findChild<QLabel*>(QStringLiteral("query.state"))->text(); }
    template <typename W> W* control(const char* name) { return view()->findChild<W*>(QLatin1String(name)); }
    void answered()
    {
        view()->settle();
        QVERIFY(!view()->isBusy());
    }
    /// As a person types it.
    void ask(const QString& question)
    {
        QPlainTextEdit* field = view()->question();
        field->setFocus();
        QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(field, question);
        QCOMPARE(field->toPlainText(), question);
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        answered();
    }
    void choose(const char* name, const QString& text)
    {
        auto* const box = control<QComboBox>(name);
        QVERIFY2(box->findText(text) >= 0, qPrintable(text));
        box->setCurrentText(text);
        Q_EMIT box->activated(box->currentIndex());
    }

    PrivateSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

void TestQuery::aTypedQuestionIsAnsweredAsATable()
{
    const SnapshotPtr snapshot = m_window->state().document.snapshot();
    ask(QStringLiteral("SELECT subgraph, latency_time_units FROM subgraphs"));
    QVERIFY(view()->answer());
    const auto* model = view()->table()->model();
    QCOMPARE(model->rowCount(), static_cast<int>(snapshot->evaluation.subgraphs.size()));
    for (int row = 0; row < model->rowCount(); ++row)
        QCOMPARE(model->index(row, 1).data(TableModel::ExactRole).toString().toDouble(),
                 snapshot->evaluation.subgraphs[static_cast<std::size_t>(row)].latency);
    QVERIFY2(
        state().startsWith(ui::counted(model->rowCount(), QStringLiteral("row"), QStringLiteral("rows"))),
        qPrintable(state()));
}

void TestQuery::theAnswerFollowsTheSchedule()
{
    ask(QStringLiteral("SELECT number FROM about WHERE name = 'total_latency'"));
    Document& document = m_window->state().document;
    const auto total = [&] { return numberIn(view()->answer()->rows[0][0]).value_or(-1); };
    QCOMPARE(total(), document.snapshot()->evaluation.total);
    selection().selectSubgraph(SubgraphId(1));
    m_window->state().actions.find(QStringLiteral("schedule.split"))->trigger();
    document.waitForSnapshot();
    QTRY_VERIFY(!view()->isBusy() && total() == document.snapshot()->evaluation.total);
}

void TestQuery::everyExampleIsAnswered()
{
    QMenu* const menu = control<QToolButton>("query.examples")->menu();
    QCOMPARE(menu->actions().size(), static_cast<qsizetype>(tables::examples().size()));
    for (QAction* const example : menu->actions()) {
        example->trigger();
        answered();
        QVERIFY2(view()->answer(), qPrintable(example->text() + QLatin1Char(' ') + state()));
    }
    menu->actions().front()->trigger();
    answered();
    QCOMPARE(view()->answer()->rows.size(), std::size_t{5});
}

void TestQuery::aWrongQuestionIsASentence()
{
    ask(QStringLiteral("SELECT unknown FROM ops"));
    QVERIFY(!view()->answer());
    QCOMPARE(state(), QStringLiteral("No such column: unknown."));
    QCOMPARE(view()->table()->model()->rowCount(), 0);
    ask(QStringLiteral("DELETE FROM ops"));
    QCOMPARE(state(), QStringLiteral("Only SELECT is answered: the tables cannot be changed."));
    ask(QStringLiteral("SELECT count(*) > 0 FROM ops"));
    QCOMPARE(view()->answer()->rows[0][0].exact(), std::string("1"));
}

void TestQuery::aLongQuestionIsStopped()
{
    QPlainTextEdit* field = view()->question();
    field->setPlainText(QStringLiteral(
        "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"));
    QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
    QTest::qWait(50);
    QVERIFY(view()->isBusy()); // and the window answers
    QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY(!view()->isBusy());
    QCOMPARE(state(), QStringLiteral("Stopped."));
}

void TestQuery::theAnswerIsAPlot()
{
    ask(QStringLiteral("SELECT op, base_cost_time_units, name FROM ops"));
    control<QComboBox>("query.shown")->setCurrentIndex(1);
    QTRY_VERIFY(view()->plot()->isVisible());
    choose("query.x", QStringLiteral("op"));
    choose("query.y", QStringLiteral("base_cost_time_units"));
    QCOMPARE(control<QComboBox>("query.y")->findText(QStringLiteral("name")), -1); // no numbers
    const PlotModel& plot = view()->plot()->plots().front();
    QCOMPARE(plot.marks.size(), view()->answer()->rows.size());
    QCOMPARE(plot.y.title, QStringLiteral("base_cost_time_units"));
    const Problem& problem = *m_window->state().document.problem();
    for (const PlotMark& mark : plot.marks)
        QCOMPARE(mark.y, static_cast<double>(problem.op(OpId(static_cast<std::size_t>(mark.x))).baseCost));
    QTest::mouseClick(view()->plot(), Qt::LeftButton, Qt::NoModifier, view()->plot()->pointOf(3).toPoint());
    QCOMPARE(selection().state().ops, std::set<OpId>{OpId(3)});
}

void TestQuery::theAnswerColoursTheGraph()
{
    auto* const graph = viewOf<GraphView>(*m_window, "graph");
    QAction* const colour = m_window->state().actions.find(QStringLiteral("query.colour"));
    ask(QStringLiteral("SELECT subgraph FROM subgraphs"));
    m_window->state().actions.refresh();
    QVERIFY(!colour->isEnabled());
    ask(QStringLiteral("SELECT op, base_cost_time_units FROM ops WHERE op < 5"));
    m_window->state().actions.refresh();
    QVERIFY(colour->isEnabled());
    colour->trigger();
    graph->waitForLayout();
    QCOMPARE(graph->model()->legend.title, QStringLiteral("base_cost_time_units"));
    const Problem& problem = *m_window->state().document.problem();
    double most = 0, least = 0;
    for (std::size_t op = 0; op < 5; ++op) {
        const auto cost = static_cast<double>(problem.op(OpId(op)).baseCost);
        most = std::max(most, cost);
        least = op == 0 ? cost : std::min(least, cost);
    }
    for (const GraphNode& node : graph->model()->nodes)
        if (node.key.kind == GraphKey::Kind::Op && !node.badges.empty()) {
            const OpId op(node.key.id);
            const GraphFill fill = node.badges.front().fill;
            if (op.index() >= 5)
                QVERIFY(fill.role == GraphFill::Role::Neutral);
            else
                QCOMPARE(fill.value, (static_cast<double>(problem.op(op).baseCost) - least) / (most - least));
        }
    graph->setColouring(GraphColouring::OpType);
    QVERIFY(!m_window->state().workspace.opColours().values());
    QVERIFY(graph->model()->legend.title != QStringLiteral("base_cost_time_units"));
}

void TestQuery::aRowSelectsItsOpAndIsCopied()
{
    ask(QStringLiteral("SELECT op, name FROM ops ORDER BY op DESC"));
    QTableView* const table = view()->table();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier,
                      table->visualRect(table->model()->index(1, 1)).center());
    const std::size_t ops = m_window->state().document.problem()->opCount();
    QCOMPARE(selection().state().ops, std::set<OpId>{OpId(ops - 2)});
    QCOMPARE(view()->copyText().section(u'\n', 0, 0), QStringLiteral("op\tname"));
    QCOMPARE(view()->copyText().section(u'\n', 1, 1).section(u'\t', 0, 0), QString::number(ops - 1));
    QTest::mouseClick(table->horizontalHeader()->viewport(), Qt::LeftButton, Qt::NoModifier,
                      QPoint(table->columnViewportPosition(1) + 5, 5)); // sorts by name
    QVERIFY(table->model()->index(0, 1).data().toString() <= table->model()->index(1, 1).data().toString());
}

void TestQuery::theHistoryIsKept()
{
    ask(QStringLiteral("SELECT 1"));
    ask(QStringLiteral("SELECT 2"));
    ask(QStringLiteral("SELECT 1"));
    QCOMPARE(view()->history(), (QStringList{QStringLiteral("SELECT 1"), QStringLiteral("SELECT 2")}));
    const QJsonObject kept = view()->settings();
    view()->restoreSettings({});
    QVERIFY(view()->history().isEmpty());
    view()->restoreSettings(kept);
    answered();
    QCOMPARE(view()->question()->toPlainText(), QStringLiteral("SELECT 1"));
    control<QToolButton>("query.history")->menu()->actions().at(1)->trigger();
    answered();
    QCOMPARE(view()->answer()->rows[0][0].exact(), std::string("2"));
}

void TestQuery::withoutAProblemItSaysSo()
{
    MainWindow empty;
    empty.resize(1200, 800);
    empty.show();
    empty.showView(QStringLiteral("query"));
    auto* const pane = viewOf<QueryView>(empty, "query");
    QCOMPARE(pane->findChild<QLabel*>(QStringLiteral("query.state"))->text(),
             QStringLiteral("Open a problem to ask questions about it."));
    QTest::keyClick(pane->question(), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(!pane->isBusy());
    QVERIFY(pane->copyText().isEmpty());
}

TILEWRIGHT_TEST(TestQuery)

} // namespace test_query
#include "test_query.moc"
