// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes moved by hand: where they stand, what follows them, undo, and that nothing else moves.
#include "graph_bench.h"
#include "test_main.h"
#include "window/session_store.h"

#include <QSettings>
#include <QTemporaryDir>

namespace test_graph_nudge {

using namespace graphtest;

class TestGraphNudge : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;

    static QRectF rectOf(const Bench& b, std::size_t op)
    {
        const GraphModel& model = *b.view->model();
        return model.nodes[*model.geometry->nodeOf(OpId(op))].rect;
    }
    static std::vector<QRectF> rects(const Bench& b)
    {
        std::vector<QRectF> out;
        for (const GraphNode& node : b.view->model()->nodes)
            out.push_back(node.rect);
        return out;
    }
    static void nudge(Bench& b, QPoint from, QPoint by)
    {
        b.press(from, Qt::ShiftModifier);
        b.move(from + by / 2, Qt::ShiftModifier);
        b.move(from + by, Qt::ShiftModifier);
        b.release(from + by, Qt::ShiftModifier);
        b.view->settle();
    }

private Q_SLOTS:
    void initTestCase()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
    }

    void aNodeIsMovedAndTheOthersStay()
    {
        const ProblemPtr problem = pointwiseNet(9, 3);
        Bench b(problem);
        const Schedule schedule = b.document().schedule();
        const std::vector<QRectF> before = rects(b);
        const auto node = *b.view->model()->geometry->nodeOf(OpId(4));
        const QPoint by(150, 24);
        nudge(b, b.at(4), by);
        const QPointF moved = QPointF(by) / b.view->viewport().scale;
        for (std::size_t v = 0; v < before.size(); ++v) {
            const QPointF d = rects(b)[v].center() - before[v].center() - (v == node ? moved : QPointF());
            QVERIFY2(d.manhattanLength() < 0.01, qPrintable(b.view->model()->nodes[v].title));
        }
        // What leads to it and away from it still does.
        for (const GraphEdge& edge : b.view->model()->edges) {
            const QPointF start = edge.path.pointAtPercent(0);
            const QRectF from = b.view->model()->nodes[edge.from].rect.adjusted(-1, -1, 1, 1);
            const QRectF to = b.view->model()->nodes[edge.to].rect.adjusted(-3, -8, 3, 3);
            QVERIFY(from.contains(start));
            QVERIFY(to.contains(edge.end));
        }
        // Its area is round it.
        const SubgraphId s = subgraphsWith(schedule, OpId(4)).front();
        QVERIFY(b.view->model()->hulls[s.index()].path.contains(rects(b)[node].center()));
        QVERIFY(b.document().schedule() == schedule);
    }
    void undoTakesItBackAndNothingIsToBeSaved()
    {
        const ProblemPtr problem = example("ex3.problem.json");
        Bench b(problem, solution(*problem, "ex3B.solution.json"));
        const std::vector<QRectF> before = rects(b);
        nudge(b, b.at(1), {150, 24});
        QVERIFY(rects(b) != before);
        const std::vector<QRectF> after = rects(b);
        QCOMPARE(b.document().undoStack().count(), 1);
        QVERIFY(b.document().undoStack().undoText().startsWith(QStringLiteral("Nudge ")));
        QVERIFY(!b.document().isModified());
        b.document().undoStack().undo();
        b.view->settle();
        QCOMPARE(rects(b), before);
        QVERIFY(!b.document().isModified());
        b.document().undoStack().redo();
        b.view->settle();
        QCOMPARE(rects(b), after);
        // An edit beside it is to be saved, and is not when it is taken back.
        b.document().apply(oneOpPerSubgraph(*problem), QStringLiteral("apart"));
        b.document().waitForSnapshot();
        QVERIFY(b.document().isModified());
        b.document().undoStack().undo();
        QVERIFY(!b.document().isModified());
    }
    void itStaysThroughEditsAndIsReset()
    {
        const ProblemPtr problem = example("ex3.problem.json");
        Bench b(problem);
        const QPointF before = rectOf(b, 1).center();
        nudge(b, b.at(1), {150, 24});
        const QPointF by = rectOf(b, 1).center() - before;
        const QString name = nudgeName({GraphKey::Kind::Op, 1}, false);
        QVERIFY((b.document().nudges().value(name) - by).manhattanLength() < 0.01);
        b.document().apply(solution(*problem, "ex3B.solution.json"), QStringLiteral("fused"));
        b.document().waitForSnapshot();
        b.view->settle();
        QAction* reset = b.state.actions.find(QStringLiteral("graph.resetNudges"));
        QVERIFY(reset->isEnabled());
        const QPointF moved = rectOf(b, 1).center();
        reset->trigger();
        b.view->settle();
        QVERIFY(b.document().nudges().isEmpty());
        QVERIFY((moved - rectOf(b, 1).center() - by).manhattanLength() < 0.01); // it stood there all the time
        QVERIFY(!reset->isEnabled());
        b.document().undoStack().undo();
        b.view->settle();
        QVERIFY((rectOf(b, 1).center() - moved).manhattanLength() < 0.01);
    }
    void theSelectionMovesTogetherAndASubgraphByItsTab()
    {
        const ProblemPtr problem = example("ex3.problem.json");
        Bench b(problem, solution(*problem, "ex3C.solution.json"));
        const QPointF first = rectOf(b, 0).center(), second = rectOf(b, 1).center();
        b.state.selection.selectOps({OpId(0), OpId(1)});
        nudge(b, b.at(0), {60, 30});
        const QPointF by = rectOf(b, 0).center() - first;
        QVERIFY(by.manhattanLength() > 20);
        QVERIFY((rectOf(b, 1).center() - second - by).manhattanLength() < 0.01);
        const QPointF before = rectOf(b, 2).center();
        const SubgraphId s = subgraphsWith(b.document().schedule(), OpId(2)).front();
        nudge(b, b.handle(s.index()), {-80, 0});
        QVERIFY(rectOf(b, 2).center().x() < before.x() - 20);
    }
    void keysNudgeAsOneStep()
    {
        Bench b(pointwiseNet(9, 3));
        b.state.selection.selectOps({OpId(4)});
        const QPointF before = rectOf(b, 4).center();
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(b.view.get(), Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClick(b.view.get(), Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
        const QPointF by = rectOf(b, 4).center() - before;
        QVERIFY(by.x() > 0 && by.y() > 0 && qFuzzyCompare(by.x(), 3 * by.y()));
        QCOMPARE(b.document().undoStack().count(), 1);
        b.document().undoStack().undo();
        QCOMPARE(rectOf(b, 4).center(), before);
    }
    void escapeLeavesItWhereItWas()
    {
        Bench b(pointwiseNet(9, 3));
        const std::vector<QRectF> before = rects(b);
        b.press(b.at(4), Qt::ShiftModifier);
        b.move(b.at(4) + QPoint(90, 0), Qt::ShiftModifier);
        QVERIFY(rects(b) != before);
        QTest::keyClick(b.view.get(), Qt::Key_Escape);
        QCOMPARE(rects(b), before);
        QCOMPARE(b.document().undoStack().count(), 0);
    }
    void withoutShiftItIsTheDragOfTheSchedule()
    {
        Bench b(pointwiseNet(9, 3));
        b.drag(b.at(4), b.at(5));
        QVERIFY(b.document().nudges().isEmpty());
    }
    void theSessionKeepsThem()
    {
        const QTemporaryDir folder;
        FileSession session;
        session.problem = QStringLiteral("/a/p.json");
        session.nudges[nudgeName({GraphKey::Kind::Op, 4}, false)] = {12.5, -3};
        session.nudges[nudgeName({GraphKey::Kind::Input, 0}, true)] = {1, 2};
        QVERIFY(writeFileSession(folder.path(), session));
        const auto read = readFileSession(folder.path(), session.problem, {});
        QVERIFY(read);
        QCOMPARE(read->nudges, session.nudges);
    }
};

TILEWRIGHT_TEST(TestGraphNudge)

} // namespace test_graph_nudge
#include "test_graph_nudge.moc"
