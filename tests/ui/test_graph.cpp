// SPDX-License-Identifier: GPL-3.0-or-later
// The graph: its plain model, and the view driven as a person drives it.
#include "app_state.h"
#include "document/schedule_edits.h"
#include "export/export_view.h"
#include "main_window.h"
#include "schedule/schedule_json.h"
#include "theme/number.h"
#include "views/graph/graph_toolbar.h"
#include "views/graph/graph_view.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>

#include <random>

using namespace tilewright;
using namespace tilewright::ui;

namespace {

const std::string kExamples = std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/data/oracles/schedule/examples/";

ProblemPtr example(const char* name)
{
    return *loadProblem(kExamples + name);
}

Schedule solution(const Problem& problem, const char* name)
{
    return loadSchedule(problem, kExamples + name)->schedule;
}

/// A layered random problem of pointwise ops on equal tensors.
ProblemPtr pointwiseNet(int ops, unsigned seed)
{
    std::mt19937 random(seed);
    Problem::Data data;
    data.tensors.push_back({128, 128, {}});
    for (int i = 0; i < ops; ++i) {
        Op op;
        op.type = OpType::Pointwise;
        std::set<std::size_t> inputs;
        for (unsigned k = 0, n = 1 + random() % 2; k < n; ++k) // every op but the first reads an op's output
            inputs.insert(i == 0 ? 0
                                 : static_cast<std::size_t>(std::max(1, i - static_cast<int>(random() % 4))));
        for (std::size_t t : inputs)
            op.inputs.emplace_back(t);
        op.output = TensorId(data.tensors.size());
        op.baseCost = 1000;
        data.tensors.push_back({128, 128, {}});
        data.ops.push_back(op);
    }
    data.hardware = {400000, 10, 128, 128, {}};
    return *Problem::build(data);
}

struct Bench
{
    AppState state;
    std::unique_ptr<GraphView> view;

    Bench(const ProblemPtr& problem, const Schedule& schedule)
    {
        state.document.setProblem(problem, schedule);
        view = std::make_unique<GraphView>(state.context());
        view->resize(1100, 760);
        view->show();
        (void)QTest::qWaitForWindowExposed(view.get());
        view->settle();
    }
    explicit Bench(const ProblemPtr& problem) : Bench(problem, oneOpPerSubgraph(*problem)) {}

    Document& document() { return state.document; }
    SelectionState selected() { return state.selection.state(); }
    QPoint at(std::size_t op) { return view->positionOf(OpId(op)).toPoint(); }
    QPoint handle(std::size_t subgraph) { return view->handleOf(SubgraphId(subgraph)).toPoint(); }

    void move(QPoint to, Qt::KeyboardModifiers modifiers = {}, Qt::MouseButtons buttons = Qt::LeftButton)
    {
        QMouseEvent event(QEvent::MouseMove, to, view->mapToGlobal(to), Qt::NoButton, buttons, modifiers);
        QApplication::sendEvent(view.get(), &event);
    }
    void press(QPoint at, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mousePress(view.get(), Qt::LeftButton, modifiers, at);
    }
    void release(QPoint at, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseRelease(view.get(), Qt::LeftButton, modifiers, at);
    }
    /// Takes what is at `from` over `to` and holds it there.
    void carry(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {})
    {
        press(from, modifiers);
        move(from + QPoint(6, 6), modifiers);
        move((from + to) / 2, modifiers);
        move(to, modifiers);
    }
    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {})
    {
        carry(from, to, modifiers);
        view->drag().waitForVerdicts();
        release(to, modifiers);
        document().waitForSnapshot();
        view->settle();
    }
    /// A place where nothing is.
    QPoint emptySpot()
    {
        for (int y = view->height() - 60; y > 60; y -= 12)
            for (int x = 20; x < view->width() - 20; x += 12) {
                const GraphHit hit = hitTest(*view->model(), view->viewport().toScene(QPointF(x, y)), 8);
                if (!hit.node && !hit.subgraph && !hit.tensor && !view->overviewRect().contains(x, y))
                    return {x, y};
            }
        return {};
    }
};

std::vector<std::set<std::size_t>> partition(const Schedule& schedule)
{
    std::vector<std::set<std::size_t>> out;
    for (const SubgraphPtr& s : schedule.subgraphs) {
        std::set<std::size_t> ops;
        for (OpId op : s->ops)
            ops.insert(op.index());
        out.push_back(std::move(ops));
    }
    return out;
}

GraphModel modelOf(const ProblemPtr& problem, const Schedule& schedule, const GraphShape& shape = {},
                   const GraphOptions& options = {}, const Snapshot* baseline = nullptr)
{
    Document document;
    document.setProblem(problem, schedule);
    const GraphMetrics metrics;
    auto geometry = std::make_shared<const GraphGeometry>(*layOutGraph(problem, schedule, shape, metrics));
    GraphTraffic traffic;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        traffic.push_back(tensorTraffic(*problem, *schedule.subgraphs[i],
                                        document.snapshot()->residentBefore(SubgraphId(i)), Rules::final()));
    return buildGraph(document.snapshot(), baseline, document.colours(), options, geometry, traffic);
}

const GraphEdge* edgeTo(const GraphModel& model, std::size_t tensor, std::size_t op)
{
    for (const GraphEdge& edge : model.edges)
        if (edge.tensor == TensorId(tensor) && edge.consumer == OpId(op))
            return &edge;
    return nullptr;
}

} // namespace

class TestGraph : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;

private Q_SLOTS:
    void initTestCase();

    void model_stylesOfLines();
    void model_trafficOnLines();
    void model_recomputedOps();
    void model_errors();
    void model_baseline();
    void model_collapsed();
    void model_neighbourhood();
    void model_colourings();
    void geometry_isKept();

    void empty();
    void clickSelects();
    void tabsAndLinesSelect();
    void rubberBand();
    void hoverIsShared();
    void dragMoves();
    void dragVerdictIsExact();
    void dragShowsEveryTarget();
    void dragToEmptySpace();
    void dragRecomputes();
    void dragRefusedAndForced();
    void dragOfSelectionAndOfSubgraph();
    void dragIsCancelled();
    void dragOverManyTargetsNeverBlocks();
    void example1ByMouse();
    void zoomPanFit();
    void overview();
    void keyboard();
    void search();
    void collapseByDoubleClick();
    void options();
    void contextMenuMoves();
    void undoKeepsTheView();
    void largeGraphInTheBackground();
    void pictures();
    void accessibility();
    void inTheWindow();
    void figures_data();
    void figures();
};

void TestGraph::initTestCase()
{
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
}

// -- model ----------------------------------------------------------------------------------------------

void TestGraph::model_stylesOfLines()
{
    const ProblemPtr problem = example("ex3.problem.json");
    const GraphModel model = modelOf(problem, solution(*problem, "ex3B.solution.json"));
    // 3B: [[0,1],[0,2]], t2 retained: t1 stays inside both, t2 in fast memory, t0 comes from slow memory.
    QCOMPARE(edgeTo(model, 1, 1)->style, EdgeStyle::Ephemeral);
    QCOMPARE(edgeTo(model, 1, 2)->style, EdgeStyle::Ephemeral);
    QCOMPARE(edgeTo(model, 2, 2)->style, EdgeStyle::Retained);
    QCOMPARE(edgeTo(model, 0, 0)->style, EdgeStyle::Spilled);
    // What several lines share is painted once: no stretch of a net twice.
    std::set<std::tuple<std::uint32_t, double, double, double, double>> stretches;
    for (const GraphStroke& stroke : model.strokes)
        for (std::size_t i = 0; i + 1 < stroke.points.size(); ++i)
            QVERIFY(stretches
                        .insert({stroke.tensor.value, stroke.points[i].x(), stroke.points[i].y(),
                                 stroke.points[i + 1].x(), stroke.points[i + 1].y()})
                        .second);
}

void TestGraph::model_trafficOnLines()
{
    const ProblemPtr problem = example("ex3.problem.json");
    const GraphModel model = modelOf(problem, solution(*problem, "ex3B.solution.json"));
    // t0 (16 384 elements) is loaded by both subgraphs; the output is stored once.
    QCOMPARE(edgeTo(model, 0, 0)->label, QStringLiteral("32.8k (2×)"));
    QVERIFY(edgeTo(model, 1, 1)->label.isEmpty());
    int stores = 0;
    for (const GraphEdge& edge : model.edges)
        if (model.nodes[edge.to].key.kind == GraphKey::Kind::Output) {
            QCOMPARE(edge.label, QStringLiteral("16.4k"));
            ++stores;
        }
    QCOMPARE(stores, 1);
    // Labels cover neither nodes nor one another.
    const GraphModel large = modelOf(pointwiseNet(60, 3), oneOpPerSubgraph(*pointwiseNet(60, 3)));
    std::vector<QRectF> labels;
    for (const GraphEdge& edge : large.edges)
        if (!edge.label.isEmpty()) {
            for (const QRectF& other : labels)
                QVERIFY(!other.intersects(edge.labelRect));
            for (const GraphNode& node : large.nodes)
                QVERIFY(!node.rect.intersects(edge.labelRect));
            labels.push_back(edge.labelRect);
        }
    QVERIFY(labels.size() > 20);
}

void TestGraph::model_recomputedOps()
{
    const ProblemPtr problem = example("ex3.problem.json");
    const GraphModel model = modelOf(problem, solution(*problem, "ex3B.solution.json"));
    const GraphNode& op0 = model.nodes[*model.geometry->nodeOf(OpId(0))];
    QCOMPARE(op0.badges.size(), std::size_t{2});
    QCOMPARE(op0.badges[0].subgraph, SubgraphId(0));
    QCOMPARE(op0.badges[1].subgraph, SubgraphId(1));
    QVERIFY(op0.badges[0].fill != op0.badges[1].fill);
    // It stands in the first; the second has a ring round it.
    QVERIFY(model.hulls[0].satellites.isEmpty());
    QVERIFY(model.hulls[0].path.contains(op0.rect.center()));
    QVERIFY(!model.hulls[1].path.contains(op0.rect.center()));
    QVERIFY(model.hulls[1].satellites.contains(op0.rect.center()));
    QCOMPARE(model.hulls[1].nodes.size(), std::size_t{2});
}

void TestGraph::model_errors()
{
    const ProblemPtr problem = example("ex5.problem.json");
    const GraphModel model = modelOf(problem, solution(*problem, "ex5A.solution.json"));
    QCOMPARE(model.hulls[0].error, QStringLiteral("OOM"));
    QVERIFY(model.nodes[*model.geometry->nodeOf(OpId(0))].error);
    // An op in no subgraph.
    Schedule part = oneOpPerSubgraph(*problem);
    part.subgraphs.pop_back();
    const GraphModel uncovered = modelOf(problem, part);
    const OpId last = oneOpPerSubgraph(*problem).subgraphs.back()->ops.front();
    QVERIFY(uncovered.nodes[*uncovered.geometry->nodeOf(last)].uncovered);
    QVERIFY(uncovered.summary.contains(QStringLiteral("problems")));
}

void TestGraph::model_baseline()
{
    const ProblemPtr problem = pointwiseNet(6, 1);
    const Schedule before = oneOpPerSubgraph(*problem);
    Document document;
    document.setProblem(problem, before);
    const SnapshotPtr baseline = document.snapshot();
    const SubgraphId both[] = {SubgraphId(0), SubgraphId(1)};
    const auto after = edit::fuse(*problem, before, both, {.rules = {}, .force = true});
    QVERIFY(after);
    const GraphModel model = modelOf(problem, *after, {}, {}, baseline.get());
    for (std::size_t op = 0; op < 6; ++op) {
        const bool touched = std::any_of(before.subgraphs.begin(), before.subgraphs.begin() + 2,
                                         [&](auto& s) { return s->ops.front() == OpId(op); });
        QCOMPARE(model.nodes[*model.geometry->nodeOf(OpId(op))].moved, touched);
    }
}

void TestGraph::model_collapsed()
{
    const ProblemPtr problem = pointwiseNet(30, 2);
    Schedule schedule = oneOpPerSubgraph(*problem);
    std::vector<OpId> ops;
    for (std::size_t i = 0; i < 4; ++i)
        ops.push_back(problem->topologicalOrder()[i]);
    const auto fused = edit::fuseOps(*problem, schedule, ops, {.rules = {}, .force = true});
    QVERIFY(fused);
    const SubgraphId s = subgraphsWith(*fused, ops[0]).front();
    GraphShape shape;
    shape.collapsed = {ops[2]};
    const GraphModel model = modelOf(problem, *fused, shape);
    QVERIFY(model.hulls[s.index()].collapsed);
    QCOMPARE(model.nodes.size(), modelOf(problem, *fused).nodes.size() - 3);
    const auto card = model.geometry->nodeOf(ops[0]);
    QCOMPARE(card, model.geometry->nodeOf(ops[3]));
    QCOMPARE(model.nodes[*card].key.kind, GraphKey::Kind::Card);
    QCOMPARE(model.nodes[*card].title, QStringLiteral("4 ops"));
    for (const GraphEdge& edge : model.edges)
        QVERIFY(edge.from != edge.to);
}

void TestGraph::model_neighbourhood()
{
    const ProblemPtr problem = example("ex3.problem.json"); // 0 -> 1 -> 2 and 0 -> 2
    QCOMPARE(neighbourhood(*problem, {OpId(1)}, 1), (std::set<OpId>{OpId(0), OpId(1), OpId(2)}));
    const ProblemPtr chain = pointwiseNet(20, 4);
    const auto near = neighbourhood(*chain, {OpId(10)}, 1);
    for (OpId op : near) {
        const auto& inputs = chain->op(op).inputs;
        const auto& ten = chain->op(OpId(10)).inputs;
        const bool reads = std::count(inputs.begin(), inputs.end(), chain->op(OpId(10)).output) > 0;
        const bool feeds = std::count(ten.begin(), ten.end(), chain->op(op).output) > 0;
        QVERIFY(op == OpId(10) || reads || feeds);
    }
    GraphShape shape;
    shape.focus = {OpId(10)};
    shape.hops = 1;
    const GraphModel model = modelOf(chain, oneOpPerSubgraph(*chain), shape);
    QCOMPARE(model.geometry->hiddenOps, chain->opCount() - near.size());
    for (std::size_t i = 0; i < chain->opCount(); ++i)
        QCOMPARE(model.geometry->nodeOf(OpId(i)).has_value(), near.count(OpId(i)) > 0);
}

void TestGraph::model_colourings()
{
    const ProblemPtr problem = example("ex5.problem.json");
    const Schedule schedule = oneOpPerSubgraph(*problem);
    for (auto [colouring, role] : {std::pair{GraphColouring::Subgraph, GraphFill::Role::Category},
                                   std::pair{GraphColouring::OpType, GraphFill::Role::Category},
                                   std::pair{GraphColouring::Bound, GraphFill::Role::Bound},
                                   std::pair{GraphColouring::Latency, GraphFill::Role::Ramp},
                                   std::pair{GraphColouring::Intensity, GraphFill::Role::Ramp},
                                   std::pair{GraphColouring::None, GraphFill::Role::Neutral}}) {
        const GraphModel model = modelOf(problem, schedule, {}, {colouring, true});
        for (std::size_t i = 0; i < problem->opCount(); ++i)
            for (const GraphBadge& badge : model.nodes[*model.geometry->nodeOf(OpId(i))].badges) {
                QCOMPARE(badge.fill.role, role);
                if (role == GraphFill::Role::Ramp)
                    QVERIFY(badge.fill.value >= 0 && badge.fill.value <= 1);
            }
        const bool explained = !model.legend.entries.empty() || !model.legend.low.isEmpty();
        QCOMPARE(explained, colouring != GraphColouring::Subgraph && colouring != GraphColouring::None);
    }
}

void TestGraph::geometry_isKept()
{
    const ProblemPtr problem = pointwiseNet(40, 5);
    const Schedule schedule = oneOpPerSubgraph(*problem);
    const auto first = layOutGraph(problem, schedule, {}, {});
    QVERIFY(fits(*first, problem, schedule, {}, {}));
    // A granularity changes nothing; another partition moves what it must and no more.
    const SubgraphId one[] = {SubgraphId(3)};
    const auto finer = edit::setGranularity(*problem, schedule, one, {64, 64, 1});
    QVERIFY(finer && fits(*first, problem, *finer, {}, {}));
    const OpId op = problem->topologicalOrder()[20];
    const auto moved =
        edit::moveOps(*problem, schedule, std::vector{op}, std::nullopt,
                      subgraphsWith(schedule, *problem->producer(problem->op(op).inputs[0])).front());
    QVERIFY(moved);
    QVERIFY(!fits(*first, problem, *moved, {}, {}));
    const auto second = layOutGraph(problem, *moved, {}, {}, &*first);
    double shift = 0;
    for (std::size_t v = 0; v < first->keys.size(); ++v)
        shift +=
            std::abs(second->layout.anchors[second->index.at(first->keys[v])] - first->layout.anchors[v]);
    QVERIFY2(shift / static_cast<double>(first->keys.size()) < 30, qPrintable(QString::number(shift)));
}

// -- view -----------------------------------------------------------------------------------------------

void TestGraph::empty()
{
    AppState state;
    GraphView view(state.context());
    view.resize(500, 300);
    view.show();
    QVERIFY(!view.model());
    QVERIFY(!view.grab().isNull());
    view.fitAll();
    view.zoomBy(2, {10, 10});
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::mouseClick(&view, Qt::LeftButton, {}, {100, 100});
    state.document.setProblem(pointwiseNet(5, 1), oneOpPerSubgraph(*pointwiseNet(5, 1)));
    QVERIFY(view.model());
    state.document.close();
    QVERIFY(!view.model());
    QVERIFY(!view.grab().isNull());
}

void TestGraph::clickSelects()
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

void TestGraph::tabsAndLinesSelect()
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

void TestGraph::rubberBand()
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

void TestGraph::hoverIsShared()
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

void TestGraph::dragMoves()
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

void TestGraph::dragVerdictIsExact()
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

void TestGraph::dragShowsEveryTarget()
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
    QVERIFY(!b.view->grab().isNull());
    // Ctrl asks another question of every target.
    b.move(b.at(3), Qt::ControlModifier);
    b.view->drag().waitForVerdicts();
    QVERIFY(b.view->drag().drop().recompute);
    QVERIFY(b.view->drag().verdicts().size() >= verdicts.size());
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
}

void TestGraph::dragToEmptySpace()
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

void TestGraph::dragRecomputes()
{
    const ProblemPtr problem = example("ex3.problem.json");
    Bench b(problem);
    // 3B by mouse: op0 is recomputed with op2, which frees op1 to join op0.
    b.drag(b.at(0), b.at(2), Qt::ControlModifier);
    b.drag(b.at(1), b.at(0));
    QCOMPARE(partition(b.document().schedule()), (std::vector<std::set<std::size_t>>{{0, 1}, {0, 2}}));
    QCOMPARE(b.view->model()->nodes[*b.view->model()->geometry->nodeOf(OpId(0))].badges.size(),
             std::size_t{2});
    QVERIFY(!b.view->grab().isNull());
}

void TestGraph::dragRefusedAndForced()
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

void TestGraph::dragOfSelectionAndOfSubgraph()
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

void TestGraph::dragIsCancelled()
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

void TestGraph::dragOverManyTargetsNeverBlocks()
{
    Bench b(pointwiseNet(150, 8));
    b.view->zoomBy(1.2, QPointF(500, 300));
    std::vector<qint64> times;
    b.carry(b.at(75), b.at(74));
    QVERIFY(b.view->drag().isActive());
    for (std::size_t op = 60; op < 100; ++op) {
        QElapsedTimer timer;
        timer.start();
        b.move(b.at(op));
        QCoreApplication::processEvents(); // paints, and takes the answers that have arrived
        times.push_back(timer.nsecsElapsed());
        QCOMPARE(b.view->drag().drop().to,
                 b.view->drag().drop().from == SubgraphId(op)
                     ? b.view->drag().drop().to
                     : std::optional(subgraphsWith(b.document().schedule(), OpId(op)).front()));
    }
    std::sort(times.begin(), times.end());
    qInfo("move and paint over 40 targets of 150 ops: median %.2f ms, worst %.2f ms",
          static_cast<double>(times[20]) / 1e6, static_cast<double>(times.back()) / 1e6);
    b.view->drag().waitForVerdicts();
    QCOMPARE(b.view->drag().verdicts().size(), b.document().schedule().size() - 1);
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
    b.release(b.at(99));
}

void TestGraph::example1ByMouse()
{
    const ProblemPtr problem = example("ex1.problem.json");
    Bench b(problem);
    b.drag(b.at(1), b.at(0));
    QCOMPARE(b.document().schedule().size(), std::size_t{1});
    QCOMPARE(b.document().snapshot()->evaluation.total, 3276.8); // strategy B
}

void TestGraph::zoomPanFit()
{
    Bench b(pointwiseNet(30, 3));
    const Viewport start = b.view->viewport();
    const QPointF anchor(400, 300);
    const QPointF under = start.toScene(anchor);
    QWheelEvent wheel(anchor, b.view->mapToGlobal(anchor), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(b.view.get(), &wheel);
    QVERIFY(b.view->viewport().scale > start.scale);
    QVERIFY(QLineF(b.view->viewport().toScene(anchor), under).length() < 1e-6);
    // Middle drag pans by what the mouse moved.
    const QPointF offset = b.view->viewport().offset;
    QTest::mousePress(b.view.get(), Qt::MiddleButton, {}, {300, 300});
    b.move({340, 330}, {}, Qt::MiddleButton);
    QTest::mouseRelease(b.view.get(), Qt::MiddleButton, {}, {340, 330});
    QCOMPARE(b.view->viewport().offset - offset, QPointF(40, 30));
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_Home);
    QVERIFY(QRectF(b.view->rect()).contains(b.view->viewport().toScreen(b.view->model()->bounds)));
    // F centres, F again enlarges.
    b.state.selection.selectOps({OpId(5)});
    QTest::keyClick(b.view.get(), Qt::Key_F);
    const double scale = b.view->viewport().scale;
    QVERIFY(QLineF(b.at(5), QRectF(b.view->rect()).center()).length() < 40);
    QTest::keyClick(b.view.get(), Qt::Key_F);
    QVERIFY(b.view->viewport().scale > scale);
    // A resize keeps a fitted graph fitted.
    b.view->fitAll();
    b.view->resize(700, 500);
    QVERIFY(QRectF(b.view->rect()).contains(b.view->viewport().toScreen(b.view->model()->bounds)));
}

void TestGraph::overview()
{
    Bench b(pointwiseNet(60, 3));
    QVERIFY(b.view->overviewRect().isEmpty()); // all in view
    b.view->zoomBy(4, {100, 100});
    const QRectF box = b.view->overviewRect();
    QVERIFY(!box.isEmpty());
    QVERIFY(!b.view->grab().isNull());
    const Viewport before = b.view->viewport();
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, box.center().toPoint());
    QCOMPARE(b.view->viewport().scale, before.scale);
    QVERIFY(b.view->viewport().offset != before.offset);
    const QPointF centre = b.view->viewport().toScene(QRectF(b.view->rect()).center());
    QVERIFY(QLineF(centre, b.view->model()->bounds.center()).length() <
            b.view->model()->bounds.height() * 0.1);
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_M);
    QVERIFY(b.view->overviewRect().isEmpty());
    QTest::keyClick(b.view.get(), Qt::Key_M);
    QVERIFY(!b.view->overviewRect().isEmpty());
}

void TestGraph::keyboard()
{
    const ProblemPtr problem = example("ex3.problem.json");
    Bench b(problem);
    b.view->setFocus();
    b.state.selection.selectOps({OpId(0)});
    QTest::keyClick(b.view.get(), Qt::Key_Down);
    QCOMPARE(b.selected().ops.size(), std::size_t{1});
    const OpId next = *b.selected().ops.begin();
    QVERIFY(next != OpId(0));
    QTest::keyClick(b.view.get(), Qt::Key_Up);
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(0)});
    QTest::keyClick(b.view.get(), Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(b.selected().ops, (std::set<OpId>{OpId(0), next}));
    QTest::keyClick(b.view.get(), Qt::Key_Space); // takes the cursor's op out again
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(0)});
    QTest::keyClick(b.view.get(), Qt::Key_Space);
    b.state.selection.selectOps({OpId(1)});
    QTest::keyClick(b.view.get(), Qt::Key_BracketLeft);
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(0)});
    QTest::keyClick(b.view.get(), Qt::Key_BracketRight);
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(1)});
    b.state.selection.selectSubgraph(SubgraphId(0));
    QTest::keyClick(b.view.get(), Qt::Key_Period);
    QCOMPARE(b.selected().subgraph, std::optional(SubgraphId(1)));
    QTest::keyClick(b.view.get(), Qt::Key_Comma);
    QCOMPARE(b.selected().subgraph, std::optional(SubgraphId(0)));
    QTest::keyClick(b.view.get(), Qt::Key_C);
    QVERIFY(b.view->model()->hulls[0].collapsed);
    QTest::keyClick(b.view.get(), Qt::Key_C);
    QVERIFY(!b.view->model()->hulls[0].collapsed);
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
    QVERIFY(!b.selected().subgraph);
}

void TestGraph::search()
{
    Bench b(pointwiseNet(40, 2));
    QLineEdit* field = b.view->toolbar().searchField();
    b.view->setFocus();
    b.state.actions.find(QStringLiteral("graph.find"))->trigger();
    QVERIFY(field->hasFocus());
    QTest::keyClicks(field, QStringLiteral("op 17"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(17)});
    field->clear();
    QTest::keyClicks(field, QStringLiteral("op1")); // op1, op10 .. op19
    QTest::keyClick(field, Qt::Key_Return);
    std::set<OpId> seen = b.selected().ops;
    for (int i = 0; i < 10; ++i) {
        QTest::keyClick(field, Qt::Key_Return);
        seen.merge(std::set<OpId>(b.selected().ops));
    }
    QCOMPARE(seen.size(), std::size_t{11});
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(!b.view->grab().isNull());
    field->clear();
    QTest::keyClicks(field, QStringLiteral("t0"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(b.selected().tensor, std::optional(TensorId(0)));
    field->clear();
    QTest::keyClicks(field, QStringLiteral("nothing like that"));
    QTest::keyClick(field, Qt::Key_Return);
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(field->text().isEmpty());
    QVERIFY(b.view->hasFocus());
}

void TestGraph::collapseByDoubleClick()
{
    const ProblemPtr problem = example("ex3.problem.json");
    Bench b(problem, solution(*problem, "ex3C.solution.json"));
    const QPoint handle = b.handle(0);
    QTest::mouseDClick(b.view.get(), Qt::LeftButton, {}, handle);
    QVERIFY(b.view->model()->hulls[0].collapsed);
    QTest::mouseDClick(b.view.get(), Qt::LeftButton, {}, b.handle(0));
    QVERIFY(!b.view->model()->hulls[0].collapsed);
    b.view->collapseAll(true);
    for (const GraphHull& hull : b.view->model()->hulls)
        QVERIFY(hull.collapsed);
    QVERIFY(!b.view->grab().isNull());
    b.view->collapseAll(false);
}

void TestGraph::options()
{
    Bench b(pointwiseNet(30, 9));
    QComboBox* colouring = b.view->toolbar().colouringBox();
    for (int i = 0; i < colouring->count(); ++i) {
        colouring->setFocus();
        colouring->setCurrentIndex(i);
        Q_EMIT colouring->activated(i);
        QCOMPARE(static_cast<int>(b.view->options().colouring), i);
        QVERIFY(!b.view->grab().isNull());
    }
    b.state.actions.find(QStringLiteral("graph.colour.latency"))->trigger();
    QCOMPARE(b.view->options().colouring, GraphColouring::Latency);
    const QRectF tall = b.view->model()->bounds;
    b.state.actions.find(QStringLiteral("graph.orientation"))->trigger();
    QVERIFY(b.view->shape().leftToRight);
    QVERIFY(b.view->model()->bounds != tall);
    b.state.actions.find(QStringLiteral("graph.orientation"))->trigger();
    // Remembered for the next window.
    b.view->setEdgeLabels(false);
    Bench other(pointwiseNet(4, 1));
    QCOMPARE(other.view->options().colouring, GraphColouring::Latency);
    QVERIFY(!other.view->options().edgeLabels);
    other.view->setEdgeLabels(true);
    other.view->setColouring(GraphColouring::Subgraph);
    // Neighbourhood of what is selected.
    b.state.selection.selectOps({OpId(15)});
    QComboBox* hops = b.view->toolbar().neighbourhoodBox();
    Q_EMIT hops->activated(1);
    QVERIFY(b.view->model()->geometry->hiddenOps > 0);
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
    QCOMPARE(b.view->model()->geometry->hiddenOps, std::size_t{0});
}

void TestGraph::contextMenuMoves()
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

void TestGraph::undoKeepsTheView()
{
    Bench b(pointwiseNet(40, 11));
    b.view->zoomBy(1.6, {500, 400});
    const std::size_t op = 20;
    const OpId producer =
        *b.document().problem()->producer(b.document().problem()->op(OpId(op)).inputs.front());
    b.view->fitSelection();
    b.state.selection.selectOps({OpId(op), producer});
    b.view->fitSelection();
    const double scale = b.view->viewport().scale;
    const QPoint before = b.at(producer.index());
    b.drag(b.at(op), before);
    QCOMPARE(b.view->viewport().scale, scale);
    QVERIFY(QLineF(b.at(producer.index()), before).length() < 150);
    b.document().undoStack().undo();
    b.document().waitForSnapshot();
    b.view->settle();
    QCOMPARE(b.view->viewport().scale, scale);
}

void TestGraph::largeGraphInTheBackground()
{
    const ProblemPtr problem = pointwiseNet(1500, 12);
    AppState state;
    GraphView view(state.context());
    view.resize(1000, 700);
    view.show();
    state.document.setProblem(problem, oneOpPerSubgraph(*problem));
    QVERIFY(!view.model()); // being arranged
    QVERIFY(!view.grab().isNull());
    view.settle();
    QVERIFY(view.model());
    QCOMPARE(view.model()->hulls.size(), std::size_t{1500});
    QVERIFY(!view.grab().isNull());
    // Another problem while one is being arranged.
    state.document.setProblem(problem, oneOpPerSubgraph(*problem));
    state.document.setProblem(pointwiseNet(5, 1), oneOpPerSubgraph(*pointwiseNet(5, 1)));
    view.settle();
    QCOMPARE(view.model()->hulls.size(), std::size_t{5});
}

void TestGraph::pictures()
{
    QTemporaryDir folder;
    for (int ops : {5, 150}) {
        Bench b(pointwiseNet(ops, 4));
        for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()}) {
            ExportOptions options;
            options.theme = theme;
            options.scale = 2;
            const QImage image = renderToImage(*b.view, options);
            QCOMPARE(image.size(), b.view->exportSize() * 2);
            QSet<QRgb> colours;
            for (int y = 0; y < image.height(); y += 7)
                for (int x = 0; x < image.width(); x += 7)
                    colours.insert(image.pixel(x, y));
            QVERIFY(colours.size() > 10);
            QCOMPARE(image.pixelColor(2, 2), theme->canvas);
        }
        for (const char* name : {"g.png", "g.svg", "g.pdf"}) {
            const QString path = folder.filePath(QLatin1String(name));
            const Status written = exportView(*b.view, path, {});
            QVERIFY(written);
            QVERIFY(QFileInfo(path).size() > 3000);
        }
    }
}

void TestGraph::accessibility()
{
    Bench b(pointwiseNet(5, 1));
    QVERIFY(b.view->accessibleDescription().contains(QStringLiteral("5 ops")));
    for (QWidget* child : b.view->toolbar().findChildren<QWidget*>())
        if (child->focusPolicy() != Qt::NoFocus && child->isVisible() &&
            child->parentWidget() == &b.view->toolbar()) {
            QVERIFY2(!child->accessibleName().isEmpty(), child->metaObject()->className());
            QVERIFY2(!child->toolTip().isEmpty(), child->metaObject()->className());
        }
    QVERIFY(b.view->copyText().startsWith(QStringLiteral("op\tname")));
    QCOMPARE(b.view->copyText().count(QLatin1Char('\n')), 6);
}

/// The same keys in the whole window, where other views have keys of their own.
void TestGraph::inTheWindow()
{
    qApp->setProperty("tilewrightNoPrompts", true);
    MainWindow window;
    window.show();
    (void)QTest::qWaitForWindowExposed(&window);
    QVERIFY(window.openPaths({QString::fromStdString(kExamples + "ex3.problem.json")}));
    auto* graph = qobject_cast<GraphView*>(window.view(QStringLiteral("graph")));
    QVERIFY(graph && graph->isVisible());
    graph->settle();
    graph->setFocus();
    Selection& selection = window.state().selection;
    selection.selectSubgraph(SubgraphId(0));
    QTest::keyClick(graph, Qt::Key_Period);
    QCOMPARE(selection.state().subgraph, std::optional(SubgraphId(1)));
    QTest::keyClick(graph, Qt::Key_Comma);
    QCOMPARE(selection.state().subgraph, std::optional(SubgraphId(0)));
    QTest::keyClick(graph, Qt::Key_C);
    QVERIFY(graph->model()->hulls[0].collapsed);
    QTest::keyClick(graph, Qt::Key_C);
    // Fuse two ops with the keyboard alone.
    selection.selectOps({OpId(1)});
    QTest::keyClick(graph, Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(selection.state().ops, (std::set<OpId>{OpId(1), OpId(2)}));
    QTest::keyClick(graph, Qt::Key_G);
    QCOMPARE(window.state().document.schedule().size(), std::size_t{2});
    window.state().document.waitForSnapshot();
    graph->settle();
    QTest::keyClick(graph, Qt::Key_Return);
    QVERIFY(window.view(QStringLiteral("inspector"))->isVisible());
    // Letters typed into the search field are text.
    QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
    QLineEdit* field = graph->toolbar().searchField();
    QVERIFY(field->hasFocus());
    QTest::keyClicks(field, QStringLiteral("mg,."));
    QCOMPARE(field->text(), QStringLiteral("mg,."));
    QCOMPARE(window.state().document.schedule().size(), std::size_t{2});
}

void TestGraph::figures_data()
{
    QTest::addColumn<int>("ops");
    QTest::newRow("150 ops") << 150;
    QTest::newRow("3,000 ops") << 3000;
}

/// Edit to repaint and frames of panning and zooming; the figures are for the README.
void TestGraph::figures()
{
    QFETCH(int, ops);
    const ProblemPtr problem = pointwiseNet(ops, 21);
    Bench b(problem);
    b.view->setColouring(GraphColouring::Subgraph);
    b.view->resize(1280, 800);
    const auto show = [](const char* what, std::vector<double> ms) {
        std::sort(ms.begin(), ms.end());
        qInfo("%-34s median %6.2f ms, 95th percentile %6.2f ms", what, ms[ms.size() / 2],
              ms[ms.size() * 95 / 100]);
    };
    std::mt19937 random(5);
    std::vector<double> edits;
    QElapsedTimer timer;
    int accepted = 0;
    for (int i = 0; i < 30; ++i) {
        const OpId op(1 + random() % static_cast<unsigned>(ops - 1));
        const OpId producer = *problem->producer(problem->op(op).inputs.front());
        timer.start();
        const auto next = edit::moveOps(*problem, b.document().schedule(), std::vector{op}, std::nullopt,
                                        subgraphsWith(b.document().schedule(), producer).front(),
                                        {.rules = {}, .force = true});
        if (!next)
            continue;
        ++accepted;
        b.document().apply(*next, QStringLiteral("move"));
        b.document().waitForSnapshot();
        b.view->waitForLayout();
        b.view->repaint();
        edits.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        b.view->settle();
        QCOMPARE(b.view->model()->hulls.size(), b.document().schedule().size());
    }
    QVERIFY(accepted > 10);
    show("edit to repaint", edits);
    for (const double zoom : {0.0, 0.15, 0.3, 0.6, 1.0, 2.0}) {
        b.view->fitAll();
        if (zoom > 0)
            b.view->zoomBy(zoom / b.view->viewport().scale, {640, 400});
        std::vector<double> frames;
        for (int i = 0; i < 30; ++i) {
            b.view->panBy({i % 2 ? -37.0 : 41.0, 11});
            timer.start();
            b.view->repaint();
            frames.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        }
        show(qPrintable(QStringLiteral("frame at zoom %1").arg(b.view->viewport().scale, 0, 'f', 3)), frames);
    }
}

QTEST_MAIN(TestGraph)
#include "test_graph.moc"
