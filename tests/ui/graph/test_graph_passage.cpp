// SPDX-License-Identifier: GPL-3.0-or-later
// What enters and leaves repeating blocks that are one card has a line; the weights of each block have none.
#include "graph_bench.h"
#include "test_main.h"
#include "views/graph/graph_sections.h"
#include "workload/generate.h"

namespace test_graph_passage {

using namespace graphtest;

class TestGraphPassage : public QObject
{
    Q_OBJECT

    static ProblemPtr transformer()
    {
        return *generateWorkload({.kind = WorkloadKind::Transformer, .layers = 6});
    }
    static std::size_t stackOf(const GraphView& view)
    {
        std::size_t v = 0;
        while (v < view.model()->nodes.size() && !view.model()->nodes[v].isStack)
            ++v;
        return v;
    }

private Q_SLOTS:
    void whatThePassageIs()
    {
        const ProblemPtr problem = transformer();
        const std::vector<Repetition> layers = findRepetitions(*problem);
        QCOMPARE(layers.size(), std::size_t{1});
        const BlockPassage passage = passageOf(*problem, layers);
        std::set<TensorId> entering;
        for (const auto& [tensor, consumer] : passage.enters) {
            QVERIFY(problem->isGraphInput(tensor));
            QVERIFY(std::ranges::find(layers[0].blocks[0], consumer) != layers[0].blocks[0].end());
            entering.insert(tensor);
        }
        QCOMPARE(entering.size(), std::size_t{1});
        QCOMPARE(passage.leaves.size(), std::size_t{1});
        QVERIFY(problem->isGraphOutput(*passage.leaves.begin()));
    }

    void itIsDrawnOnTheCard()
    {
        Bench b(transformer());
        GraphShape shape = b.view->shape();
        shape.blocksInSmall = true;
        b.view->setShape(shape);
        b.view->settle();
        const std::size_t stack = stackOf(*b.view);
        QVERIFY(stack < b.view->model()->nodes.size());
        const auto lines = [&](bool into) {
            std::vector<GraphKey> ends;
            for (const GraphEdge& edge : b.view->model()->edges)
                if ((into ? edge.to : edge.from) == stack)
                    ends.push_back(b.view->model()->nodes[into ? edge.from : edge.to].key);
            return ends;
        };
        QCOMPARE(lines(true).size(), std::size_t{1});
        QVERIFY(lines(true).front().kind == GraphKey::Kind::Input);
        QVERIFY(b.document().problem()->isGraphInput(TensorId(lines(true).front().id)));
        QCOMPARE(lines(false).size(), std::size_t{1});
        QVERIFY(lines(false).front().kind == GraphKey::Kind::Output);
        // With the first block open, the input goes into that, and the card follows its ops.
        b.view->openSection(stack);
        b.view->settle();
        const std::size_t rest = stackOf(*b.view);
        for (const GraphEdge& edge : b.view->model()->edges)
            QVERIFY(edge.to != rest || b.view->model()->nodes[edge.from].key.kind == GraphKey::Kind::Op);
    }
};

TILEWRIGHT_TEST(TestGraphPassage)

} // namespace test_graph_passage
#include "test_graph_passage.moc"
