// SPDX-License-Identifier: GPL-3.0-or-later
// Constraints of auto-solve in the window (docs/rules/constraints.md): set from the selection, listed, kept
// by the search, priced, removed, undone, saved.
#include "files.h"
#include "panels/solver/solver_constraints.h"
#include "panels/solver/solver_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "verbs/schedule.h"
#include "views/graph/graph_view.h"
#include "window_fixture.h"
#include "workspace/constraint_edits.h"

#include <QDoubleSpinBox>
#include <QFile>
#include <QMenu>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolTip>

namespace test_solver_constraints {

using namespace tilewright;
using namespace tilewright::ui;

class TestSolverConstraints : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;
    std::unique_ptr<MainWindow> m_window;

    [[nodiscard]] Document& document() const { return m_window->state().document; }
    [[nodiscard]] SolverView& solver() const { return *viewOf<SolverView>(*m_window, "solver"); }
    [[nodiscard]] SolverConstraints& pane() const { return solver().constraints(); }
    [[nodiscard]] ScheduleConstraints constraints() const { return constraintsOf(document()).value(); }

    bool open(const QStringList& files)
    {
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1300, 900);
        if (!openIn(*m_window, files))
            return false;
        m_window->showView(QStringLiteral("solver"));
        solver().options().threads()->setValue(1);
        return true;
    }
    void select(std::initializer_list<std::size_t> ops)
    {
        std::set<OpId> all;
        for (const std::size_t o : ops)
            all.insert(OpId(o));
        m_window->state().selection.selectOps(all);
    }
    void trigger(const char* id)
    {
        QAction* action = m_window->state().actions.find(QLatin1String(id));
        QVERIFY2(action && action->isEnabled(), id);
        action->trigger();
    }
    [[nodiscard]] QString row(int row, int column = 0) const
    {
        return plainNumbers(pane().list().topLevelItem(row)->text(column));
    }
    void selectRow(int row)
    {
        QTreeWidget& list = pane().list();
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {},
                          list.visualItemRect(list.topLevelItem(row)).center());
    }
    void type(std::size_t axis, const QString& text)
    {
        QLineEdit& field = pane().range().field(axis);
        field.setFocus();
        field.selectAll();
        QTest::keyClick(&field, Qt::Key_Delete);
        QTest::keyClicks(&field, text);
    }
    void run(QPushButton* button)
    {
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver().job().isRunning(), 20'000);
        solver().settle();
    }
    /// Those of the handbook, docs/handbook/lenses/schedule.md.
    void setWanted()
    {
        select({0, 1});
        trigger("schedule.constrain.together");
        select({1, 2});
        trigger("schedule.constrain.apart");
        select({2});
        trigger("schedule.constrain.range");
        type(0, QStringLiteral("at most 64"));
        type(1, {});
        type(2, {});
        QTest::keyClick(&pane().range().field(2), Qt::Key_Return);
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }
    void cleanup() { m_window.reset(); }

    /// The window finds what `solve --constraints --constraint-costs` finds.
    void areSetKeptAndPricedAsByTheVerb()
    {
        QVERIFY(open({sample("example-3.json")}));
        QVERIFY(!pane().isVisible());
        setWanted();
        QVERIFY(pane().isVisible() && !pane().range().isVisible());
        QCOMPARE(pane().list().topLevelItemCount(), 3);
        QVERIFY2(
            row(0).startsWith(QStringLiteral("together: top, left\nNot kept now: subgraph 0 runs top but")),
            qPrintable(row(0)));
        QVERIFY(row(1) == QStringLiteral("apart: left, join"));
        QVERIFY2(row(2).startsWith(QStringLiteral("tiles of join: w at most 64")), qPrintable(row(2)));
        const ScheduleConstraints all = constraints();

        verbs::SolveCall call;
        call.threads = 1;
        call.start = document().schedule();
        call.constraints = all;
        call.constraintCosts = true;
        const Problem& problem = *document().problem();
        const SolveOptions options = verbs::solveOptions(call, problem).value();
        auto expected = solve(problem, options);
        QVERIFY(expected);
        verbs::costsAfter(call, problem, options, *expected);

        run(&pane().price());
        const SolverOutcomePtr outcome = solver().card().outcome();
        QVERIFY(outcome && outcome->proven);
        QCOMPARE(outcome->after->evaluation.total, expected->total);
        QCOMPARE(outcome->after->evaluation.total, 6000.0);
        QVERIFY2(row(0, 1).startsWith(QStringLiteral("costs exactly 0 (")), qPrintable(row(0, 1)));
        QVERIFY2(row(2, 1).startsWith(QStringLiteral("costs exactly 1361.6 (")), qPrintable(row(2, 1)));
        QVERIFY(violations(problem, document().rules(), outcome->after->schedule, all).empty());
        QTest::mouseClick(solver().card().applyButton(), Qt::LeftButton);
        QVERIFY(constraints() == all); // the result has them, and their costs stay
        QVERIFY(!row(0).contains(QStringLiteral("Not kept")));
        QVERIFY2(row(2, 1).startsWith(QStringLiteral("costs exactly 1361.6 (")), qPrintable(row(2, 1)));
    }

    void areUndoneSavedAndOpened()
    {
        QVERIFY(open({sample("example-3.json")}));
        setWanted();
        const ScheduleConstraints all = constraints();
        document().undoStack().undo();
        QCOMPARE(pane().list().topLevelItemCount(), 2);
        document().undoStack().undo();
        document().undoStack().undo();
        QVERIFY(!constraints().any() && !pane().isVisible());
        for (int i = 0; i < 3; ++i)
            document().undoStack().redo();
        QVERIFY(constraints() == all);
        const QString file = m_settings.filePath("kept.schedule.json");
        QVERIFY(document().save(file));
        QVERIFY(open({sample("example-3.json"), file}));
        QVERIFY(constraints() == all);
        QCOMPARE(pane().list().topLevelItemCount(), 3);
    }

    /// Keys change and remove rows; a lock is a row too.
    void areChangedAndRemoved()
    {
        QVERIFY(open({sample("example-3.json")}));
        m_window->state().selection.selectSubgraph(SubgraphId(std::size_t(0)));
        trigger("schedule.constrain.tile");
        trigger("schedule.lock");
        QCOMPARE(pane().list().topLevelItemCount(), 2);
        QVERIFY2(row(0).startsWith(QStringLiteral("tiles of top: w 128, h 128, k ")), qPrintable(row(0)));
        QCOMPARE(row(1), QStringLiteral("lock of subgraph 0 (top)"));
        selectRow(0);
        QTest::keyClick(&pane().list(), Qt::Key_Return);
        QVERIFY(pane().range().isVisible());
        QCOMPARE(pane().range().field(0).text(), QStringLiteral("128"));
        QTest::keyClick(&pane().range().field(0), Qt::Key_Escape);
        QVERIFY(!pane().range().isVisible());
        QTest::keyClick(&pane().list(), Qt::Key_Return);
        type(0, QStringLiteral("64 to 128"));
        QTest::mouseClick(&pane().range().set(), Qt::LeftButton);
        QVERIFY2(row(0).startsWith(QStringLiteral("tiles of top: w 64 to 128, h 128, k ")),
                 qPrintable(row(0)));
        const std::size_t subgraphs = document().schedule().size();
        selectRow(1);
        QTest::mouseClick(&pane().remove(), Qt::LeftButton);
        QVERIFY(!document().schedule()[SubgraphId(std::size_t(0))].locked);
        selectRow(0);
        QTest::keyClick(&pane().list(), Qt::Key_Delete);
        QVERIFY(!constraints().any() && !pane().isVisible());
        QCOMPARE(document().schedule().size(), subgraphs); // Delete has removed no subgraph
    }

    void badRangesAreRefused_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("why");
        QTest::newRow("word") << "wide"
                              << "wide";
        QTest::newRow("zero") << "0"
                              << "is no size of a tile: sizes are 1 to";
        QTest::newRow("order") << "64 to 16"
                               << "the first size is more than the second";
        QTest::newRow("none") << ""
                              << "Give a size or a range for w, h or k.";
    }
    void badRangesAreRefused()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, why);
        QVERIFY(open({sample("example-3.json")}));
        m_window->state().selection.clear();
        trigger("schedule.constrain.range");
        QVERIFY(pane().range().isVisible() && pane().range().field(0).hasFocus());
        QVERIFY(!pane().range().field(0).accessibleName().isEmpty());
        type(0, text);
        QTest::keyClick(&pane().range().field(0), Qt::Key_Return);
        QVERIFY2(QToolTip::text().contains(why), qPrintable(QToolTip::text()));
        QVERIFY(pane().range().isVisible() && !constraints().any());
        type(0, QStringLiteral("at least 16"));
        QTest::keyClick(&pane().range().field(0), Qt::Key_Return);
        QVERIFY2(row(0).startsWith(QStringLiteral("tiles: w at least 16")), qPrintable(row(0)));
    }

    /// What a file would be refused for is refused here, and a file with such constraints is not searched.
    void whatCannotBeIsRefused()
    {
        QVERIFY(open({sample("example-3.json")}));
        QString why;
        connect(&document(), &Document::refused, this, [&](const QString& text) { why = text; });
        m_window->state().selection.selectTensor(TensorId(std::size_t(3)));
        trigger("schedule.constrain.always");
        QVERIFY2(why.contains(QStringLiteral("is an output of the graph, which has to be stored")),
                 qPrintable(why));
        QVERIFY(!constraints().any());
        trigger("schedule.constrain.never");
        QVERIFY(constraints().retain.size() == 1);
        std::string text = document().fileText().value();
        const std::size_t at = text.find("never");
        QVERIFY(at != std::string::npos);
        text.replace(at, 5, "maybe");
        const QString bad = m_settings.filePath("bad.schedule.json");
        QFile file(bad);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.data(), static_cast<qint64>(text.size()));
        file.close();
        QVERIFY(open({sample("example-3.json"), bad}));
        QVERIFY(pane().isVisible());
        QTest::keyClick(m_window.get(), Qt::Key_F9);
        QVERIFY(!solver().job().isRunning());
    }

    /// Stop ends the searches for the costs; the run that is done is kept.
    void stopEndsTheSearchesForCosts()
    {
        QVERIFY(open({sample("random-40.json")}));
        m_window->state().selection.selectSubgraph(SubgraphId(std::size_t(0)));
        trigger("schedule.constrain.tile");
        trigger("schedule.lock");
        solver().budget()->setValue(0.3);
        QSignalSpy pricing(&solver().job(), &SolverJob::pricing);
        QTest::mouseClick(&pane().price(), Qt::LeftButton);
        QVERIFY(!pane().price().isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(pricing.size() == 2, 10'000);
        QTest::mouseClick(solver().options().stop(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver().job().isRunning(), 5000);
        QVERIFY(solver().card().outcome());
        QVERIFY(row(0, 1).startsWith(QStringLiteral("costs ")));
        QVERIFY(row(1, 1).isEmpty());
        QVERIFY(pane().price().isEnabled());
    }

    /// The entries of the graph's menu.
    void theGraphOffersThem()
    {
        QVERIFY(open({sample("example-3.json")}));
        m_window->showView(QStringLiteral("graph"));
        auto* graph = viewOf<GraphView>(*m_window, "graph");
        graph->settle();
        graph->setFocus();
        for (const std::size_t op : {0U, 1U})
            QTest::mouseClick(graph, Qt::LeftButton, op == 0 ? Qt::NoModifier : Qt::ControlModifier,
                              graph->positionOf(OpId(op)).toPoint());
        QCOMPARE(m_window->state().selection.state().ops.size(), std::size_t{2});
        QTest::keyClick(graph, Qt::Key_Menu);
        auto* menu = graph->findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(menu);
        QAction* together = nullptr;
        for (QMenu* sub : menu->findChildren<QMenu*>())
            if (sub->title() == QLatin1String("Constraints"))
                together = sub->actions().front();
        QVERIFY(together && together->isEnabled());
        together->trigger();
        menu->close();
        QCOMPARE(constraints().together.size(), std::size_t{1});
    }
};

TILEWRIGHT_TEST(TestSolverConstraints)

} // namespace test_solver_constraints
#include "test_solver_constraints.moc"
