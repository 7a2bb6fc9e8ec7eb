// SPDX-License-Identifier: GPL-3.0-or-later
// The tile graph of an NPU run, the comparison of core counts, and what all NPU views share.
#include "export/export_view.h"
#include "npu_bench.h"
#include "test_main.h"
#include "views/npu/npu_graph_view.h"
#include "views/npu/npu_scaling_view.h"
#include "views/npu/npu_text.h"

#include <QLineEdit>

namespace test_npu_graph_views {

using namespace tilewright;
using namespace tilewright::ui;

class TestNpuGraphViews : public NpuBench
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { close(); }

    void graphGroupsAndSelection()
    {
        NpuGraphView& view = open<NpuGraphView>("conv_net");
        const NpuGraphModel& m = *view.model();
        const npu::NpuGraph& graph = *m.result->graph;
        std::size_t nodes = 0;
        for (const NpuGraphGroup& g : m.groups) {
            nodes += g.nodes.size();
            QVERIFY(g.open); // a small graph is open
            for (const std::uint32_t n : g.nodes) {
                QCOMPARE(graph.nodes[n].op, g.op);
                QVERIFY(g.rect.contains(m.cellOf(n)));
                QCOMPARE(m.nodeAt(m.cellOf(n).center()), n);
            }
        }
        QCOMPARE(nodes, graph.nodes.size());
        std::size_t edges = 0;
        for (const NpuGraphLink& l : m.links)
            edges += l.edges;
        std::size_t expected = 0;
        for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
            for (const std::uint32_t d : graph.deps.of(n))
                expected += graph.nodes[d].op != graph.nodes[n].op;
        QCOMPARE(edges, expected);
        QVERIFY(std::any_of(m.links.begin(), m.links.end(), [](const auto& l) { return l.critical; }));

        const auto last = static_cast<std::uint32_t>(graph.nodes.size() - 1);
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.pointOf(last).toPoint());
        QCOMPARE(view.state().node(), last);
        QCOMPARE(view.state().cursor(), m.result->startAt[last]);
        // Keys walk along the critical path and the dependencies.
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_BracketLeft);
        QCOMPARE(view.state().node(), graph.deps.of(last).front());
        view.state().selectNode(m.result->critical[0]);
        QTest::keyClick(&view, Qt::Key_Period);
        QCOMPARE(view.state().node(), m.result->critical[1]);
        // A double click closes an operator, Enter opens it again.
        const std::uint32_t op = m.groups[0].op;
        const QPoint title = view.titleOf(op).toPoint();
        QTest::mouseClick(&view, Qt::LeftButton, {}, title);
        QTest::mouseDClick(&view, Qt::LeftButton, {}, title);
        view.settle();
        QVERIFY(!view.isOpen(op));
        QVERIFY(!view.model()->groups[0].open);
        QTest::keyClick(&view, Qt::Key_Return);
        view.settle();
        QVERIFY(view.isOpen(op));
        // N goes on to the next operator.
        QTest::keyClick(&view, Qt::Key_N);
        QTest::keyClick(&view, Qt::Key_Return);
        view.settle();
        QVERIFY(!view.isOpen(view.model()->groups[1].op));
    }

    void graphSearchFindsOperatorsTilesAndNodes()
    {
        NpuGraphView& view = open<NpuGraphView>("conv_net");
        const NpuGraphModel& m = *view.model();
        const npu::NpuGraph& graph = *m.result->graph;
        auto* field = view.findChild<QLineEdit*>(QStringLiteral("npu.graphSearch"));
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Slash);
        QVERIFY(field->hasFocus());
        QTest::keyClicks(field, QStringLiteral("POINTWISE"));
        std::size_t operators = 0;
        for (const NpuGraphHit& h : view.found().hits)
            operators += h.node == npu::kNone;
        QCOMPARE(operators, std::size_t(3));
        for (std::size_t g = 0; g < m.groups.size(); ++g)
            if (m.groups[g].name.contains(QStringLiteral("pointwise")))
                QVERIFY(view.found().groups[g]);
        // A tile: every node that reads or writes it, and no other.
        std::uint32_t writer = 5;
        while (graph.outputs(writer).empty())
            ++writer;
        const std::uint32_t tile = graph.outputs(writer)[0];
        field->setText(tileText(graph, tile));
        std::set<std::uint32_t> expected;
        for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
            for (const auto& tiles : {graph.inputs(n), graph.outputs(n)})
                if (std::find(tiles.begin(), tiles.end(), tile) != tiles.end())
                    expected.insert(n);
        std::set<std::uint32_t> got;
        for (const NpuGraphHit& h : view.found().hits)
            got.insert(h.node);
        QCOMPARE(got, expected);
        // Enter goes through them and back; a closed operator opens for its node.
        view.setAllOpen(false);
        view.settle();
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(view.state().node(), *expected.begin());
        view.settle();
        QVERIFY(view.isOpen(graph.nodes[*expected.begin()].op));
        if (expected.size() > 1) {
            QTest::keyClick(field, Qt::Key_Return);
            QCOMPARE(view.state().node(), *std::next(expected.begin()));
            QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
            QCOMPARE(view.state().node(), *expected.begin());
        }
        // A number is a node.
        view.settle();
        field->setText(QStringLiteral("node 17"));
        QCOMPARE(view.found().hits.size(), std::size_t(1));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(view.state().node(), 17U);
        view.settle();
        QVERIFY(view.rect().contains(view.pointOf(17).toPoint()));
        field->setText(QStringLiteral("no such thing"));
        QVERIFY(view.found().hits.empty());
        QTest::keyClick(field, Qt::Key_Return);
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(view.hasFocus());
        QVERIFY(field->text().isEmpty());
    }

    void waitsCanBeToldFromTheCanvas()
    {
        const Theme& dark = Theme::darkTheme();
        for (std::size_t s = 0; s + 1 < npu::kCoreStates; ++s) // all but idle
            QVERIFY2(contrast(stateColour(static_cast<npu::CoreState>(s), dark), dark.canvas) >= 3,
                     qPrintable(stateName(static_cast<npu::CoreState>(s))));
    }

    void nodeStatesFollowTheCursor()
    {
        NpuGraphView& view = open<NpuGraphView>("conv_net");
        const NpuResult& r = *view.model()->result;
        for (std::uint32_t n = 0; n < r.graph->nodes.size(); ++n) {
            QCOMPARE(nodeStateAt(r, n, r.run->makespan), NodeState::Done);
            if (r.graph->nodes[n].computeCycles > 0)
                QCOMPARE(nodeStateAt(r, n, r.startAt[n]), NodeState::Running);
            if (r.chosenAt[n] > 0) {
                const NodeState before = nodeStateAt(r, n, r.chosenAt[n] - 1);
                QVERIFY(before == NodeState::Ready || before == NodeState::Blocked);
            }
        }
        const auto counts = classCounts(*view.model(), view.model()->groups[0], NpuGraphColour::Core, 0);
        std::size_t sum = 0;
        for (const std::size_t c : counts)
            sum += c;
        QCOMPARE(sum, view.model()->groups[0].nodes.size());
    }

    void scalingIsTheEnginesAndAClickTakesIt()
    {
        NpuScalingView& view = open<NpuScalingView>("conv_net", {900, 560});
        const auto& c = view.state().comparison();
        QVERIFY(c && c->error.isEmpty());
        QCOMPARE(c->points.size(), std::size_t(8));
        const auto points = npu::scaling(*view.state().result()->graph, view.state().settings().hardware,
                                         c->schedulers, {2, 4});
        QCOMPARE(c->points[3].staticMakespan, (*points)[2].staticMakespan);
        QCOMPARE(c->points[3].dynamicMakespan, (*points)[2].dynamicMakespan);
        QCOMPARE(c->points[1].dynamicSpeedup, (*points)[1].dynamicSpeedup);
        QCOMPARE(c->dynamicMakespan, c->points[3].dynamicMakespan);
        // Why they differ: the differences of all states are the difference of the makespans.
        npu::Cycle states = 0;
        for (std::size_t s = 0; s < npu::kCoreStates; ++s)
            states += c->dynamicSums[s] - c->staticSums[s];
        QCOMPARE(states, (c->dynamicMakespan - c->staticMakespan) * c->cores);
        QVERIFY(npuSchedulerSentence(*c).startsWith(QStringLiteral("On 4\u00a0cores dynamic is")));
        // The scheduler of the run is one of the two: the comparison had another assignment, and was slower.
        QCOMPARE(std::min(c->staticMakespan, c->dynamicMakespan), view.state().result()->run->makespan);
        QVERIFY2(npuSchedulerSentence(*c).contains(QStringLiteral(" than ") + npuSchedulerName(*c, false)),
                 qPrintable(npuSchedulerSentence(*c)));
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.pointOf(2).toPoint());
        QCOMPARE(view.state().settings().hardware.cores, 2);
        view.settle();
        QCOMPARE(view.state().comparison()->cores, 2);
        QCOMPARE(view.state().result()->run->cores.size(), std::size_t(2));
    }

    void viewsShareOneState()
    {
        NpuView& view = open<NpuView>("kv_three_banks");
        NpuGraphView graph(m_state->context());
        NpuScalingView scaling(m_state->context());
        QCOMPARE(&graph.state(), &view.state());
        QCOMPARE(&scaling.state(), &view.state());
        view.state().selectNode(2);
        graph.settle();
        QCOMPARE(graph.model()->result, view.model().result);
    }

    void picturesInEverySizeAndTheme()
    {
        NpuView& view = open<NpuView>("conv_net");
        NpuGraphView graph(m_state->context());
        NpuScalingView scaling(m_state->context());
        view.state().selectNode(3);
        NpuSettings s = view.state().settings();
        s.hardware.cores = 16;
        view.state().setSettings(s);
        for (View* v : std::initializer_list<View*>{&view, &graph, &scaling})
            for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()})
                for (const QSize size : {QSize(200, 120), QSize(640, 400), v->exportSize()}) {
                    v->settle();
                    const QImage image = renderToImage(*v, {size, 1, theme});
                    QCOMPARE(image.size(), size);
                    std::set<QRgb> colours;
                    for (int x = 0; x < image.width(); x += 3)
                        for (int y = 0; y < image.height(); y += 3)
                            colours.insert(image.pixel(x, y));
                    QVERIFY2(colours.size() > 4, qPrintable(v->viewName()));
                }
    }
};

TILEWRIGHT_TEST(TestNpuGraphViews)

} // namespace test_npu_graph_views
#include "test_npu_graph_views.moc"
