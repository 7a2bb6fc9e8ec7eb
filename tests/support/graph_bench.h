// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "edit/fit.h"
#include "picture.h"
#include "schedule/schedule_json.h"
#include "views/graph/graph_bars.h"
#include "views/graph/graph_view.h"
#include "window/app_state.h"
#include "workload/problem_json.h"
#include "workspace/schedule_edits.h"

#include <QtTest>

#include <random>

/// What the tests of the graph have in common: small problems, and a view driven as a person drives it.
namespace graphtest {

using namespace tilewright;
using namespace tilewright::ui;

inline const std::string kExamples =
    std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/data/oracles/schedule/examples/";

inline ProblemPtr example(const char* name)
{
    return *loadProblem(kExamples + name);
}

inline Schedule solution(const Problem& problem, const char* name)
{
    return loadSchedule(problem, kExamples + name)->schedule;
}

/// A layered random problem of pointwise ops on equal tensors.
inline ProblemPtr pointwiseNet(int ops, unsigned seed)
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
    /// What the graph shows below its toolbar.
    QImage picture()
    {
        return ::picture::of(*view, view->rect().adjusted(0, view->toolbar().height(), 0, 0));
    }
    /// What it shows at a node.
    QImage picture(const GraphNode& node)
    {
        return ::picture::of(*view, view->viewport().toScreen(node.rect).toRect());
    }
    const GraphNode& node(std::size_t op)
    {
        return view->model()->nodes[*view->model()->geometry->nodeOf(OpId(op))];
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

inline std::vector<std::set<std::size_t>> partition(const Schedule& schedule)
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

inline GraphModel modelOf(const ProblemPtr& problem, const Schedule& schedule, const GraphShape& shape = {},
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

inline const GraphEdge* edgeTo(const GraphModel& model, std::size_t tensor, std::size_t op)
{
    for (const GraphEdge& edge : model.edges)
        if (edge.tensor == TensorId(tensor) && edge.consumer == OpId(op))
            return &edge;
    return nullptr;
}

} // namespace graphtest
