// SPDX-License-Identifier: GPL-3.0-or-later
// Selecting in the graph as a person does it: by click, by rubber band, by keys, several at once.
#include "edit/fit.h"
#include "graph_bench.h"
#include "test_main.h"
#include "workspace/selection.h"

#include <QSettings>
#include <QTemporaryDir>

namespace test_graph_selection {

using namespace graphtest;

class TestGraphSelection : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;

private Q_SLOTS:
    void initTestCase();
    void clickSelects();
    void tabsAndLinesSelect();
    void aClickOnEmptyGroundLeavesNoOutline();
    void rubberBand();
    void hoverIsShared();
    void selectionOfSeveral();
    void selectAllInvertSame();
    void tensorsByKeyAndMouse();
    void spaceStarts();
};

void TestGraphSelection::initTestCase()
{
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
}

void TestGraphSelection::clickSelects()
{
    Bench b(pointwiseNet(12, 1));
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.at(3));
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(3)});
    QCOMPARE(b.selected().subgraph, std::optional(subgraphsWith(b.document().schedule(), OpId(3)).front()));
    QTest::mouseClick(b.view.get(), Qt::LeftButton, Qt::ControlModifier, b.at(4));
    QCOMPARE(b.selected().ops, (std::set<OpId>{OpId(3), OpId(4)}));
    QTest::mouseClick(b.view.get(), Qt::LeftButton, Qt::ControlModifier, b.at(3));
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(4)});
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.emptySpot());
    QVERIFY(b.selected() == SelectionState{});
}

void TestGraphSelection::tabsAndLinesSelect()
{
    Bench b(pointwiseNet(8, 1));
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.handle(5));
    QCOMPARE(b.selected().subgraph, std::optional(SubgraphId(5)));
    QVERIFY(b.selected().ops.empty());
    QTest::mouseClick(b.view.get(), Qt::LeftButton, Qt::ControlModifier, b.handle(6));
    QCOMPARE(b.selected().subgraphs, (std::set<SubgraphId>{SubgraphId(5), SubgraphId(6)}));
    // A line selects its tensor.
    const GraphEdge& edge = b.view->model()->edges.front();
    QPointF onLine = edge.path.pointAtPercent(0.5);
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.view->viewport().toScreen(onLine).toPoint());
    QCOMPARE(b.selected().tensor, std::optional(edge.tensor));
    // A selection made elsewhere comes into view.
    b.view->zoomBy(3, {0, 0});
    b.view->panBy({-4000, -4000});
    b.state.selection.selectSubgraph(SubgraphId(2));
    QVERIFY(QRectF(b.view->rect()).intersects(b.view->viewport().toScreen(b.view->model()->hulls[2].bounds)));
}

void TestGraphSelection::aClickOnEmptyGroundLeavesNoOutline()
{
    Bench b(pointwiseNet(10, 2));
    b.view->setFocus();
    const QPoint empty = b.emptySpot();
    b.move(empty, {}, Qt::NoButton);
    const QImage before = b.picture();
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.at(3));
    QVERIFY(b.picture() != before);
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, empty);
    b.move(empty, {}, Qt::NoButton);
    QVERIFY(b.selected().ops.empty());
    QVERIFY(b.picture() == before);
}

void TestGraphSelection::rubberBand()
{
    Bench b(pointwiseNet(10, 2));
    QRectF all;
    for (std::size_t op : {0, 1, 2})
        all |= QRectF(b.at(op), QSizeF(1, 1));
    const QPoint from = b.emptySpot();
    QVERIFY(!from.isNull());
    // From an empty place round the whole picture.
    QPoint far = QPoint(b.view->width() - 4, 50);
    b.press(from);
    b.move(from + QPoint(8, -8));
    b.move(far);
    b.release(far);
    std::set<OpId> inside;
    for (std::size_t i = 0; i < 10; ++i)
        if (QRectF(from, far).normalized().contains(b.at(i)))
            inside.insert(OpId(i));
    QVERIFY(inside.size() > 1);
    QCOMPARE(b.selected().ops, inside);
}

void TestGraphSelection::hoverIsShared()
{
    Bench b(pointwiseNet(6, 2));
    b.move(b.at(2), {}, Qt::NoButton);
    QCOMPARE(b.state.selection.hover().op, std::optional(OpId(2)));
    b.move(b.emptySpot(), {}, Qt::NoButton);
    QVERIFY(b.state.selection.hover() == HoverState{});
    // Tooltips carry exact values.
    QHelpEvent help(QEvent::ToolTip, b.at(2), b.view->mapToGlobal(b.at(2)));
    QApplication::sendEvent(b.view.get(), &help);
    QVERIFY(!b.view->isHidden());
}

void TestGraphSelection::selectionOfSeveral()
{
    const ProblemPtr problem = example("ex3.problem.json");     // 0 -> 1 -> 2
    Bench b(problem, solution(*problem, "ex3B.solution.json")); // [[0,1],[0,2]]
    const Schedule& schedule = b.document().schedule();
    // Whole subgraphs that a selection covers are selected with it.
    SelectionState s = withOps(schedule, {}, {OpId(0), OpId(1)});
    QCOMPARE(s.subgraphs, std::set<SubgraphId>{SubgraphId(0)});
    QCOMPARE(s.subgraph, std::optional(SubgraphId(0)));
    s = withOps(schedule, s, {OpId(0), OpId(1), OpId(2)});
    QCOMPARE(s.subgraphs, (std::set<SubgraphId>{SubgraphId(0), SubgraphId(1)}));
    QCOMPARE(s.subgraph, std::optional(SubgraphId(0))); // stays
    s = withOps(schedule, {}, {OpId(2)});
    QCOMPARE(s.subgraph, std::optional(SubgraphId(1))); // the one that holds it
    s = withOps(schedule, {}, {});
    QVERIFY(s.subgraphs.empty() && !s.subgraph);
    // Ctrl+click op by op does the same as a rubber band.
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.at(0));
    QTest::mouseClick(b.view.get(), Qt::LeftButton, Qt::ControlModifier, b.at(1));
    QTest::mouseClick(b.view.get(), Qt::LeftButton, Qt::ShiftModifier, b.at(2));
    QCOMPARE(b.selected().ops.size(), std::size_t{3});
    QCOMPARE(b.selected().subgraphs.size(), std::size_t{2});
    // Shift extends a rubber band.
    Bench many(pointwiseNet(10, 2));
    QTest::mouseClick(many.view.get(), Qt::LeftButton, {}, many.at(9));
    const QPoint nine = many.at(0);
    many.press(nine - QPoint(120, 60), Qt::ShiftModifier);
    many.move(nine - QPoint(100, 40), Qt::ShiftModifier);
    many.move(nine + QPoint(120, 40), Qt::ShiftModifier);
    many.release(nine + QPoint(120, 40), Qt::ShiftModifier);
    QVERIFY(many.selected().ops.count(OpId(9)) && many.selected().ops.count(OpId(0)));
    QCOMPARE(many.selected().subgraphs.size(), many.selected().ops.size());
}

void TestGraphSelection::selectAllInvertSame()
{
    const ProblemPtr problem = example("ex3.problem.json");
    Bench b(problem, solution(*problem, "ex3B.solution.json"));
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(b.selected().ops.size(), std::size_t{3});
    QCOMPARE(b.selected().subgraphs.size(), std::size_t{2});
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.at(1));
    QTest::keyClick(b.view.get(), Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(b.selected().ops, (std::set<OpId>{OpId(0), OpId(2)}));
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.at(2));
    QTest::keyClick(b.view.get(), Qt::Key_S);
    QCOMPARE(b.selected().ops, (std::set<OpId>{OpId(0), OpId(2)}));
    QCOMPARE(b.selected().subgraphs, std::set<SubgraphId>{SubgraphId(1)});
    // Without ops, subgraphs are inverted.
    b.state.selection.selectSubgraph(SubgraphId(0));
    QTest::keyClick(b.view.get(), Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(b.selected().ops.empty());
    QCOMPARE(b.selected().subgraphs, std::set<SubgraphId>{SubgraphId(1)});
    QTest::keyClick(b.view.get(), Qt::Key_S);
    QCOMPARE(b.selected().ops, (std::set<OpId>{OpId(0), OpId(2)}));
}

void TestGraphSelection::tensorsByKeyAndMouse()
{
    const ProblemPtr problem = example("ex3.problem.json");
    Bench b(problem, solution(*problem, "ex3B.solution.json")); // t2 retained by 0
    b.view->setFocus();
    const QImage before = b.view->grab().toImage();
    b.state.selection.selectTensor(TensorId(2));
    // Both the subgraph that retains it and the one that finds it are marked, and say so.
    QVERIFY(b.view->grab().toImage() != before);
    QTest::keyClick(b.view.get(), Qt::Key_BracketLeft);
    QCOMPARE(b.selected().ops, std::set<OpId>{*problem->producer(TensorId(2))});
    QVERIFY(!b.selected().tensor);
    b.state.selection.clear();
    b.state.selection.selectTensor(TensorId(0));
    QTest::keyClick(b.view.get(), Qt::Key_BracketRight);
    QCOMPARE(b.selected().ops, std::set<OpId>{problem->consumers(TensorId(0)).front()});
    // Up from the first op is its input; Space lets it go, Down leads back.
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.at(0));
    QTest::keyClick(b.view.get(), Qt::Key_Up);
    QCOMPARE(b.selected().tensor, std::optional(TensorId(0)));
    QTest::keyClick(b.view.get(), Qt::Key_Down);
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(0)});
    QVERIFY(!b.selected().tensor);
}

void TestGraphSelection::spaceStarts()
{
    Bench b(pointwiseNet(12, 4));
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_Space);
    QCOMPARE(b.selected().ops.size(), std::size_t{1});
    const OpId first = *b.selected().ops.begin();
    QTest::keyClick(b.view.get(), Qt::Key_Space);
    QVERIFY(b.selected().ops.empty());
    QTest::keyClick(b.view.get(), Qt::Key_Space);
    QCOMPARE(b.selected().ops, std::set<OpId>{first});
}

TILEWRIGHT_TEST(TestGraphSelection)

} // namespace test_graph_selection
#include "test_graph_selection.moc"
