// SPDX-License-Identifier: GPL-3.0-or-later
// Dragging ops between subgraphs, and the menu that does the same.
#include "edit/edits.h"
#include "edit/fit.h"
#include "graph_bench.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/graph/graph_picture.h"

#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>

namespace test_graph_drag {

using namespace graphtest;

class TestGraphDrag : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;

private Q_SLOTS:
    void initTestCase();
    void dragMoves();
    void dragVerdictIsExact();
    void dragShowsEveryTarget();
    void dragToEmptySpace();
    void dragRecomputes();
    void dragRefusedAndForced();
    void dragOfSelectionAndOfSubgraph();
    void dropAppliesWhatWasJudged();
    void dropOfWhatWasJudgedIsNotEvaluatedAgain();
    void aTabInAPreviewIsNoHandle();
    void aHandleOutlivesItsSubgraph();
    void aDragOutlivesFewerSubgraphs();
    void dragIsCancelled();
    void dragOverManyTargetsNeverBlocks();
    void example1ByMouse();
    void contextMenuMoves();
    void panelLeavesTheBadgeFree();
    void droppedOutside();
    void menuSaysTheChange();
    void aCopySaysWhichSubgraphItLeaves();
    void whereOpsCannotGoTheGainOfRecomputingIsTold();
};

void TestGraphDrag::initTestCase()
{
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
}

void TestGraphDrag::dragMoves()
{
    const ProblemPtr problem = example("ex1.problem.json");
    Bench b(problem);
    const OpId op(1);
    const OpId producer = *problem->producer(problem->op(op).inputs.front());
    const SubgraphId target = subgraphsWith(b.document().schedule(), producer).front();
    const auto expected = scheduleAfter(
        b.document(), {{op}, subgraphsWith(b.document().schedule(), op).front(), target, false, false});
    QVERIFY(expected);
    b.drag(b.at(1), b.at(producer.index()));
    QVERIFY(b.document().schedule() == *expected);
    QCOMPARE(b.document().undoStack().count(), 1);
    QCOMPARE(subgraphsWith(b.document().schedule(), op), subgraphsWith(b.document().schedule(), producer));
    QVERIFY(b.selected().ops.count(op) == 1);
    b.document().undoStack().undo();
    QVERIFY(b.document().schedule() == oneOpPerSubgraph(*problem));
}

void TestGraphDrag::dragVerdictIsExact()
{
    const ProblemPtr problem = pointwiseNet(12, 6);
    Bench b(problem);
    const double before = b.document().snapshot()->evaluation.total;
    int judged = 0;
    for (std::size_t op = 0; op < 12; ++op)
        for (std::size_t other = 0; other < 12; ++other) {
            if (op == other)
                continue;
            b.carry(b.at(op), b.at(other));
            b.view->drag().waitForVerdicts();
            const OpDrop drop = b.view->drag().drop();
            QCOMPARE(drop.to, std::optional(subgraphsWith(b.document().schedule(), OpId(other)).front()));
            const GraphVerdict verdict = b.view->drag().verdict();
            const auto trial = scheduleAfter(b.document(), drop);
            QCOMPARE(verdict.kind == GraphVerdict::Kind::Refused, !trial);
            if (trial) {
                const Evaluation after = evaluate(*problem, *trial, b.document().rules());
                if (after.valid())
                    QCOMPARE(verdict.text, signedNumber(after.total - before));
                else
                    QCOMPARE(verdict.kind, GraphVerdict::Kind::Invalid);
                ++judged;
            } else {
                QCOMPARE(verdict.detail, QString::fromStdString(trial.error().message));
            }
            QTest::keyClick(b.view.get(), Qt::Key_Escape);
            b.release(b.at(other));
            QCOMPARE(b.document().undoStack().count(), 0);
        }
    QVERIFY(judged > 10);
}

void TestGraphDrag::dragShowsEveryTarget()
{
    Bench b(pointwiseNet(20, 7));
    b.carry(b.at(8), b.at(3));
    b.view->drag().waitForVerdicts();
    const auto verdicts = b.view->drag().verdicts();
    QCOMPARE(verdicts.size(), b.document().schedule().size() - 1); // all but where it came from
    for (const auto& [subgraph, verdict] : verdicts) {
        QVERIFY(verdict.kind != GraphVerdict::Kind::Unknown);
        QVERIFY(!verdict.text.isEmpty());
    }
    const QImage shown = b.picture();
    for (const auto& [subgraph, verdict] : verdicts)
        QVERIFY2(picture::pixels(shown, verdictColour(verdict.kind, Theme::light()), 30) > 0,
                 qPrintable(verdict.text));
    QSet<GraphVerdict::Kind> kinds;
    for (const auto& [subgraph, verdict] : verdicts)
        kinds << verdict.kind;
    QVERIFY2(kinds.size() > 1, "targets with different verdicts, so that their colours differ");
    // Ctrl asks another question of every target.
    b.move(b.at(3), Qt::ControlModifier);
    b.view->drag().waitForVerdicts();
    QVERIFY(b.view->drag().drop().recompute);
    QVERIFY(b.view->drag().verdicts().size() >= verdicts.size());
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
}

void TestGraphDrag::dragToEmptySpace()
{
    const ProblemPtr problem = example("ex1.problem.json");
    Bench b(problem, solution(*problem, "ex1B.solution.json")); // everything in one subgraph
    QCOMPARE(b.document().schedule().size(), std::size_t{1});
    b.drag(b.at(1), b.emptySpot());
    QCOMPARE(partition(b.document().schedule()), (std::vector<std::set<std::size_t>>{{0}, {1}}));
    // An op that is alone already has nowhere to go.
    b.drag(b.at(1), b.emptySpot());
    QCOMPARE(b.document().undoStack().count(), 1);
}

void TestGraphDrag::dragRecomputes()
{
    const ProblemPtr problem = example("ex3.problem.json");
    Bench b(problem);
    // 3B by mouse: op0 is recomputed with op2, which frees op1 to join op0.
    b.drag(b.at(0), b.at(2), Qt::ControlModifier);
    b.drag(b.at(1), b.at(0));
    QCOMPARE(partition(b.document().schedule()), (std::vector<std::set<std::size_t>>{{0, 1}, {0, 2}}));
    QCOMPARE(b.node(0).badges.size(), std::size_t{2});
    // Both are seen on it, each in the colour of its subgraph.
    for (const GraphBadge& badge : b.node(0).badges)
        QVERIFY(picture::pixels(b.picture(b.node(0)),
                                Theme::light().categorical[static_cast<std::size_t>(badge.fill.value)],
                                30) > 10);
}

void TestGraphDrag::dragRefusedAndForced()
{
    // 0 -> 1 -> 2: together without 1, the first and last depend on each other through it.
    Problem::Data data;
    for (int i = 0; i < 4; ++i)
        data.tensors.push_back({128, 128, {}});
    for (std::size_t i = 0; i < 3; ++i)
        data.ops.push_back({OpType::Pointwise, {TensorId(i)}, TensorId(i + 1), 100, {}});
    data.ops[OpId(2)].inputs.emplace_back(std::size_t{1});
    data.hardware = {400000, 10, 128, 128, {}};
    Bench b(*Problem::build(data));
    QStringList refusals;
    connect(&b.document(), &Document::refused, this, [&](const QString& why) { refusals << why; });
    b.carry(b.at(2), b.at(0));
    b.view->drag().waitForVerdicts();
    const GraphVerdict verdict = b.view->drag().verdict();
    QCOMPARE(verdict.kind, GraphVerdict::Kind::Refused);
    QVERIFY2(verdict.detail.size() > 10, qPrintable(verdict.detail));
    b.release(b.at(0));
    QCOMPARE(refusals.size(), 1);
    QCOMPARE(b.document().undoStack().count(), 0);
    // With Alt it is done and shown as what it is.
    b.drag(b.at(2), b.at(0), Qt::AltModifier);
    QCOMPARE(b.document().undoStack().count(), 1);
    QVERIFY(!b.document().snapshot()->evaluation.valid());
    const auto& hulls = b.view->model()->hulls;
    QVERIFY(std::any_of(hulls.begin(), hulls.end(), [](const GraphHull& h) { return !h.error.isEmpty(); }));
}

void TestGraphDrag::dragOfSelectionAndOfSubgraph()
{
    const ProblemPtr problem = example("ex3.problem.json");
    Bench b(problem);
    // Both at once into the third.
    b.state.selection.selectOps({OpId(0), OpId(1)});
    b.drag(b.at(1), b.at(2));
    QCOMPARE(partition(b.document().schedule()), (std::vector<std::set<std::size_t>>{{0, 1, 2}}));
    b.document().undoStack().undo();
    b.document().waitForSnapshot();
    b.view->settle();
    // A whole subgraph by its handle: 1 joins 2.
    b.drag(b.handle(1), b.at(2));
    QCOMPARE(partition(b.document().schedule()), (std::vector<std::set<std::size_t>>{{0}, {1, 2}}));
}

void TestGraphDrag::dropAppliesWhatWasJudged()
{
    Bench b(pointwiseNet(20, 7));
    b.carry(b.at(8), b.at(3));
    b.view->drag().waitForVerdicts(); // all are known, also those that were judged from afar
    std::optional<std::size_t> chosen;
    for (std::size_t target = 0; target < 20; ++target) {
        if (target == 8) // where it comes from
            continue;
        b.move(b.at(target));
        b.view->drag().waitForVerdicts();
        QCOMPARE(b.view->drag().judged() == nullptr,
                 b.view->drag().verdict().kind == GraphVerdict::Kind::Refused);
        if (!chosen && b.view->drag().judged())
            chosen = target;
    }
    QVERIFY(chosen);
    b.move(b.at(*chosen));
    b.view->drag().waitForVerdicts();
    const SnapshotPtr judged = b.view->drag().judged();
    QVERIFY(judged);
    b.release(b.at(*chosen));
    QCOMPARE(b.document().undoStack().count(), 1);
    // Not an equal schedule made anew: the very one.
    for (std::size_t s = 0; s < judged->schedule.size(); ++s)
        QVERIFY(b.document().schedule().subgraphs[s] == judged->schedule.subgraphs[s]);
}

/// One announcement says what has changed and what it costs: that of the verdict.
void TestGraphDrag::dropOfWhatWasJudgedIsNotEvaluatedAgain()
{
    Bench b(example("ex1.problem.json"));
    b.carry(b.at(1), b.at(0));
    b.view->drag().waitForVerdicts();
    const SnapshotPtr judged = b.view->drag().judged();
    QVERIFY(judged);
    QList<Parts> rounds;
    b.document().whenChanged(this, Part::Steps | Part::Snapshot, [&](Parts parts) { rounds << parts; });
    b.release(b.at(0));
    QCOMPARE(rounds.size(), 1);
    QVERIFY(rounds[0].testFlag(Part::Steps) && rounds[0].testFlag(Part::Snapshot));
    QVERIFY(b.document().isEvaluated());
    QCOMPARE(b.document().snapshot()->evaluationMs, judged->evaluationMs); // measured once
    QCOMPARE(b.document().snapshot()->evaluation.total, 3276.8);
    QTest::qWait(50);
    QCOMPARE(rounds.size(), 1);
    b.document().undoStack().undo();
    b.document().waitForSnapshot();
    QVERIFY(b.document().snapshot()->schedule == oneOpPerSubgraph(*b.document().problem()));
}

/// The subgraphs of a preview are none of the document's: its tab begins a rubber band, and nothing is
/// edited.
void TestGraphDrag::aTabInAPreviewIsNoHandle()
{
    const ProblemPtr problem = example("ex1.problem.json");
    Bench b(problem, solution(*problem, "ex1B.solution.json")); // everything in one subgraph
    b.document().showPreview(oneOpPerSubgraph(*problem));
    QVERIFY(QTest::qWaitFor([&] { return b.document().preview() != nullptr; }));
    b.view->settle();
    QVERIFY(b.view->model()->snapshot == b.document().preview());
    b.carry(b.handle(1), b.emptySpot());
    QVERIFY(!b.view->drag().isActive());
    QVERIFY(b.document().preview());
    b.release(b.emptySpot());
    QCOMPARE(b.document().undoStack().count(), 0);
}

/// The pressed tab is of a schedule that a key takes back before the mouse moves.
void TestGraphDrag::aHandleOutlivesItsSubgraph()
{
    const ProblemPtr problem = example("ex1.problem.json");
    Bench b(problem, solution(*problem, "ex1B.solution.json"));
    b.document().apply(oneOpPerSubgraph(*problem), QStringLiteral("split"));
    b.document().waitForSnapshot();
    b.view->settle();
    const QPoint from = b.handle(1);
    const QPoint to = b.emptySpot();
    b.press(from);
    b.document().undoStack().undo();
    b.move(from + QPoint(6, 6));
    b.move(to);
    QVERIFY(b.view->drag().isActive());
    QCOMPARE(b.view->drag().drop().ops, std::vector<OpId>{OpId(1)});
    QCOMPARE(b.view->drag().drop().from, std::nullopt);
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
    b.release(to);
}

/// Origin and target of the drag are numbers of subgraphs of a schedule that has changed since.
void TestGraphDrag::aDragOutlivesFewerSubgraphs()
{
    const ProblemPtr problem = example("ex1.problem.json");
    Bench b(problem, solution(*problem, "ex1B.solution.json"));
    const Schedule fused = b.document().schedule();
    QCOMPARE(fused.size(), 1U);
    b.document().apply(oneOpPerSubgraph(*problem), QStringLiteral("split"));
    b.document().waitForSnapshot();
    b.view->settle();
    const QPoint from = b.at(1);
    b.carry(from, b.at(0));
    QVERIFY(b.view->drag().isActive());
    QCOMPARE(b.view->drag().drop().from, std::optional(SubgraphId(1)));
    b.document().undoStack().undo();
    QCOMPARE(b.view->drag().verdict().kind, GraphVerdict::Kind::Same);
    b.move(from);
    b.view->drag().waitForVerdicts();
    b.release(from);
    QVERIFY(!b.view->drag().isActive());
    QVERIFY(b.document().schedule() == fused);
}

void TestGraphDrag::dragIsCancelled()
{
    Bench b(pointwiseNet(6, 3));
    b.carry(b.at(1), b.at(4));
    QVERIFY(b.view->drag().isActive());
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
    QVERIFY(!b.view->drag().isActive());
    b.release(b.at(4));
    QCOMPARE(b.document().undoStack().count(), 0);
    // A press with hardly any movement is a click.
    b.press(b.at(2));
    b.move(b.at(2) + QPoint(1, 1));
    b.release(b.at(2) + QPoint(1, 1));
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(2)});
    // Dropped outside the view: nothing.
    b.carry(b.at(1), QPoint(-50, -50));
    b.release(QPoint(-50, -50));
    QCOMPARE(b.document().undoStack().count(), 0);
}

void TestGraphDrag::aCopySaysWhichSubgraphItLeaves()
{
    const ProblemPtr problem = pointwiseNet(6, 3);
    const auto twice = edit::duplicate(*problem, oneOpPerSubgraph(*problem), SubgraphId(1));
    QVERIFY(twice);
    Bench b(problem, *twice);
    b.carry(b.at(1), b.at(4));
    const auto from = b.view->drag().drop().from;
    QVERIFY(from);
    QVERIFY2(b.view->drag().sentence().contains(QStringLiteral("of subgraph %1 to").arg(from->value)),
             qPrintable(b.view->drag().sentence()));
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
    b.release(b.at(4));
    b.carry(b.at(3), b.at(4)); // computed once: nothing to tell apart
    QVERIFY(!b.view->drag().sentence().contains(QStringLiteral("of subgraph")));
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
}

void TestGraphDrag::whereOpsCannotGoTheGainOfRecomputingIsTold()
{
    int most = 0;
    for (const char* name : {"random-40", "attention-block"}) {
        const std::string sample = std::string(TILEWRIGHT_SOURCE_DIR) + "/samples/schedule/" + name;
        const ProblemPtr problem = *loadProblem(sample + ".json");
        Bench b(problem, oneOpPerSubgraph(*problem));
        for (std::size_t op = 0; op < problem->opCount() && most == 0; ++op) {
            const std::size_t over = (op + 1) % problem->opCount();
            b.carry(b.at(op), b.at(over));
            b.view->drag().waitForVerdicts();
            const auto verdicts = b.view->drag().verdicts();
            for (const auto& [subgraph, label] : b.view->drag().labels())
                if (const GraphVerdict& plain = verdicts.at(subgraph); label.text != plain.text) {
                    // A drop without Ctrl stays refused, and is told so under the cursor.
                    QCOMPARE(plain.kind, GraphVerdict::Kind::Refused);
                    QCOMPARE(label.kind, GraphVerdict::Kind::Better);
                    QVERIFY(label.text.startsWith(QStringLiteral("Ctrl: ")));
                    QVERIFY(subgraph != b.view->drag().drop().to);
                    const auto there = scheduleAfter(
                        b.document(), {{OpId(op)}, b.view->drag().drop().from, subgraph, true, false});
                    QVERIFY(there);
                    const double gained = b.document().snapshot()->evaluation.total -
                                          evaluate(*problem, *there, b.document().rules()).total;
                    QVERIFY2(label.text.contains(signedNumber(-gained)), qPrintable(label.text));
                    ++most;
                }
            QTest::keyClick(b.view.get(), Qt::Key_Escape);
            b.release(b.at(over));
        }
        QCOMPARE(b.document().undoStack().count(), 0);
    }
    QVERIFY(most > 0);
}

void TestGraphDrag::dragOverManyTargetsNeverBlocks()
{
    Bench b(pointwiseNet(150, 8));
    b.view->zoomBy(1.2, QPointF(500, 300));
    b.carry(b.at(75), b.at(74));
    QVERIFY(b.view->drag().isActive());
    QCOMPARE(b.view->drag().drop().from, std::optional(SubgraphId(75)));
    int waited = 0;
    for (std::size_t op = 60; op < 100; ++op) {
        const std::size_t known = b.view->drag().verdicts().size();
        b.move(b.at(op));
        // A move asks and does not wait: answers come with the next events.
        QCOMPARE(b.view->drag().verdicts().size(), known);
        waited += b.view->drag().verdict().kind == GraphVerdict::Kind::Unknown;
        // Over its own subgraph too, the target is what is under the cursor.
        QCOMPARE(b.view->drag().drop().to,
                 std::optional(subgraphsWith(b.document().schedule(), OpId(op)).front()));
        QCOMPARE(b.view->drag().verdict().text == QStringLiteral("no change"), op == 75);
        QCoreApplication::processEvents(); // paints, and takes the answers that have arrived
    }
    QVERIFY2(waited > 0, "some targets were reached before their verdicts");
    b.view->drag().waitForVerdicts();
    QCOMPARE(b.view->drag().verdicts().size(), b.document().schedule().size() - 1);
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
    b.release(b.at(99));
}

void TestGraphDrag::example1ByMouse()
{
    const ProblemPtr problem = example("ex1.problem.json");
    Bench b(problem);
    b.drag(b.at(1), b.at(0));
    QCOMPARE(b.document().schedule().size(), std::size_t{1});
    QCOMPARE(b.document().snapshot()->evaluation.total, 3276.8); // strategy B
}

void TestGraphDrag::contextMenuMoves()
{
    const ProblemPtr problem = example("ex1.problem.json");
    Bench b(problem);
    QTest::mouseClick(b.view.get(), Qt::RightButton, {}, b.at(1));
    auto* menu = b.view->findChild<QMenu*>({}, Qt::FindDirectChildrenOnly);
    QVERIFY(menu);
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(1)});
    QAction* move = nullptr;
    for (QMenu* sub : menu->findChildren<QMenu*>())
        if (sub->title() == QStringLiteral("Move to"))
            for (QAction* action : sub->actions())
                if (action->text().contains(QStringLiteral("Subgraph 0")))
                    move = action;
    QVERIFY(move);
    move->trigger();
    menu->close();
    QCOMPARE(partition(b.document().schedule()).front(), (std::set<std::size_t>{0, 1}));
}

void TestGraphDrag::panelLeavesTheBadgeFree()
{
    const QRectF room(0, 40, 900, 600);
    const QSizeF size(260, 140);
    for (double x : {6.0, 300.0, 640.0, 890.0})
        for (double y : {46.0, 200.0, 500.0, 634.0})
            for (const QPointF by :
                 {QPointF(-60, -20), QPointF(10, 30), QPointF(-100, 40), QPointF(20, -60)}) {
                const QPointF cursor(x, y);
                const QRectF badge(cursor + by, QSizeF(120, 26));
                const QRectF box = placeBeside(cursor, size, room, badge);
                QCOMPARE(box.size(), size);
                QVERIFY(room.contains(box));
                QVERIFY(!box.contains(cursor));
                QVERIFY2(!box.intersects(badge), qPrintable(QStringLiteral("%1 %2").arg(x).arg(y)));
            }
    // What else is worth reading is covered only where there is no other side.
    const QRectF below(420, 320, 300, 300);
    QVERIFY(placeBeside({400, 300}, size, room, {}).intersects(below));
    QVERIFY(!placeBeside({400, 300}, size, room, {}, std::array{below}).intersects(below));
    // In a pane smaller than itself it still stands inside the left and upper border.
    const QRectF tight = placeBeside({50, 50}, size, {0, 0, 100, 100}, {});
    QVERIFY(tight.left() >= 0 && tight.top() >= 0);
}

/// Ops of several subgraphs have no place of origin: outside the view they must not make a new subgraph.
void TestGraphDrag::droppedOutside()
{
    Bench b(pointwiseNet(8, 3));
    b.state.selection.selectOps({OpId(1), OpId(2)});
    b.carry(b.at(1), QPoint(-60, -60));
    QVERIFY(b.view->drag().isActive());
    QVERIFY(!b.view->drag().isOverTarget());
    b.release(QPoint(-60, -60));
    QCOMPARE(b.document().undoStack().count(), 0);
}

void TestGraphDrag::menuSaysTheChange()
{
    const ProblemPtr problem = example("ex3.problem.json");
    Bench b(problem);
    const double before = b.document().snapshot()->evaluation.total;
    b.view->setFocus();
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.at(1));
    QTest::keyClick(b.view.get(), Qt::Key_Menu);
    auto* menu = b.view->findChild<QMenu*>({}, Qt::FindDirectChildrenOnly);
    QVERIFY(menu);
    std::size_t judged = 0;
    for (QMenu* sub : menu->findChildren<QMenu*>()) {
        const bool copy = sub->title() == QStringLiteral("Recompute in");
        if (!copy && sub->title() != QStringLiteral("Move to"))
            continue;
        sub->popup({10, 10});
        auto* trial = sub->findChild<GraphDrag*>();
        QVERIFY(trial);
        trial->waitForVerdicts();
        for (const QAction* action : sub->actions()) {
            if (action->isSeparator())
                continue;
            const QStringList text = action->text().split(QLatin1Char('\t'));
            QCOMPARE(text.size(), qsizetype{2});
            std::optional<SubgraphId> to;
            if (text[0].startsWith(QStringLiteral("Subgraph ")))
                to = SubgraphId(text[0].mid(9, 1).toUInt());
            const auto next = scheduleAfter(b.document(), {{OpId(1)}, SubgraphId(1), to, copy, false});
            if (!next) { // alone already, or refused
                QVERIFY2(text[1].startsWith(QStringLiteral("✕")) || text[1] == QStringLiteral("no change"),
                         qPrintable(action->text()));
                continue;
            }
            const Evaluation after = evaluate(*problem, *next, b.document().rules());
            if (after.valid() && after.total != before) {
                QVERIFY2(text[1].endsWith(signedNumber(after.total - before)), qPrintable(text[1]));
                ++judged;
            }
        }
        sub->hide();
    }
    QVERIFY(judged >= 2);
    menu->close();
}

TILEWRIGHT_TEST(TestGraphDrag)

} // namespace test_graph_drag
#include "test_graph_drag.moc"
