// SPDX-License-Identifier: GPL-3.0-or-later
// How the whole is arranged: components, columns, direction, stability after an edit, cancelling.
#include "layout_cases.h"
#include "test_main.h"

#include <QtTest>

#include <cmath>
#include <set>

namespace test_layout_arrangement {

using namespace tilewright;
using namespace tilewright::test;

class TestLayoutArrangement : public QObject
{
    Q_OBJECT
private slots:
    void columns();
    void columnsKeepGroups();
    void deepDrawingsDoNotWander();
    void aLeaningDrawingIsPutUpright();
    void stableAfterAnEdit();
    void cancel();
    void progressIsReported();
    void leftToRightIsTheTranspose();
    void components();
};

void TestLayoutArrangement::columns()
{
    const LayoutGraph graph = chain(60);
    LayoutOptions options;
    const auto tall = layeredLayout(graph, options);
    options.aspect = 1.6;
    const auto broken = layeredLayout(graph, options);
    QVERIFY(tall && broken);
    QCOMPARE(tall->columns, 1);
    QVERIFY(tall->bounds.height / tall->bounds.width > 30);
    QVERIFY(broken->columns >= 4);
    const double aspect = broken->bounds.width / broken->bounds.height;
    QVERIFY2(aspect > 0.8 && aspect < 3.2, qPrintable(QString::number(aspect)));
    QCOMPARE(overlaps(*broken), 0);
    // Read like a newspaper: down in a column, then on to the right.
    for (std::size_t i = 1; i < 60; ++i) {
        const LayoutRect &a = broken->nodes[i - 1], &b = broken->nodes[i];
        QVERIFY(b.y > a.y ? std::abs(a.x - b.x) < 1e-9 : b.x > a.x + 100);
    }
    // A wide one stays whole.
    LayoutGraph wide;
    for (unsigned i = 0; i < 40; ++i) {
        wide.nodes.push_back({60, 30, -1});
        if (i > 0)
            wide.edges.push_back({0, i, 0});
    }
    QCOMPARE(layeredLayout(wide, options)->columns, 1);
}

void TestLayoutArrangement::columnsKeepGroups()
{
    LayoutOptions options;
    options.aspect = 1.6;
    const auto result = layeredLayout(chain(60, 3), options);
    QVERIFY(result);
    QVERIFY(result->columns >= 3);
    for (const LayoutGroup& group : result->groups)
        QCOMPARE(group.outlines.size(), std::size_t{1});
}

void TestLayoutArrangement::deepDrawingsDoNotWander()
{
    double share = 0, leap = 0;
    for (unsigned seed = 1; seed <= 3; ++seed) {
        const LayoutGraph graph = randomGraph({2000, 12, 0, seed});
        LayoutOptions options;
        options.aspect = 1.6;
        const auto drawn = layeredLayout(graph, options);
        QVERIFY(drawn);
        QCOMPARE(overlaps(*drawn), 0);
        double area = 0;
        for (const LayoutRect& node : drawn->nodes)
            area += (node.width + options.nodeGap) * (node.height + options.layerGap);
        share += area / (drawn->bounds.width * drawn->bounds.height) / 3;
        const double column = drawn->bounds.width / drawn->columns;
        for (const LayoutRoute& route : drawn->edges)
            for (std::size_t i = 0; i + 3 < route.size(); i += 3)
                leap = std::max(leap, std::abs(route[i + 3].x - route[i].x) / column);
    }
    qInfo("used share of the area %.3f, longest way aside %.2f columns", share, leap);
    QVERIFY(share > 0.3);
    QVERIFY(leap < 1);
}

void TestLayoutArrangement::aLeaningDrawingIsPutUpright()
{
    const LayoutGraph graph = chain(60);
    const auto g = layered::buildLayers(graph, layered::components(graph).front());
    layered::Order order(60);
    std::vector<double> leaning(60), upright(60, 7);
    for (int v = 0; v < 60; ++v) {
        order[static_cast<std::size_t>(g.layer[v])].push_back(v);
        leaning[static_cast<std::size_t>(v)] = 30 * g.layer[v];
    }
    layered::removeDrift(g, order, leaning);
    const auto [left, right] = std::minmax_element(leaning.begin(), leaning.end());
    QVERIFY2(*right - *left < 250, qPrintable(QString::number(*right - *left))); // of 1,770
    for (std::size_t v = 1; v < leaning.size(); ++v)
        QVERIFY(std::abs(leaning[v] - leaning[v - 1]) <= 300); // and no leap instead

    layered::removeDrift(g, order, upright);
    QCOMPARE(upright, std::vector<double>(60, 7));
}

void TestLayoutArrangement::stableAfterAnEdit()
{
    LayoutGraph graph = randomGraph({100, 10, 3, 6});
    const auto before = layeredLayout(graph);
    QVERIFY(before);
    for (std::size_t v = 0; v < graph.nodes.size(); ++v)
        graph.nodes[v].previous = before->anchors[v];
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
        graph.edges[e].previous = before->edgeAnchors[e];
    const auto unchanged = layeredLayout(graph);
    graph.nodes[31].group = 11; // one op moves to the next subgraph
    const auto after = layeredLayout(graph);
    for (LayoutNode& node : graph.nodes)
        node.previous.reset();
    for (LayoutEdge& edge : graph.edges)
        edge.previous.clear();
    const auto fresh = layeredLayout(graph);
    QVERIFY(unchanged && after && fresh);
    const auto moved = [&](const LayoutResult& result) {
        double sum = 0;
        for (std::size_t v = 0; v < graph.nodes.size(); ++v)
            sum += std::abs(result.anchors[v] - before->anchors[v]);
        return sum / static_cast<double>(graph.nodes.size());
    };
    qInfo("mean shift: unchanged %.2f, after an edit %.1f, without previous positions %.1f",
          moved(*unchanged), moved(*after), moved(*fresh));
    QVERIFY(moved(*unchanged) < 15);
    QVERIFY(moved(*after) < 40);
    QVERIFY(moved(*after) < moved(*fresh));
    QCOMPARE(overlaps(*after), 0);
}

void TestLayoutArrangement::cancel()
{
    const LayoutGraph graph = randomGraph({500, 12, 3, 2});
    std::stop_source source;
    source.request_stop();
    QVERIFY(!layeredLayout(graph, {}, {source.get_token(), {}}));
    // In the middle of the work.
    std::stop_source later;
    int reports = 0;
    const auto stopped = layeredLayout(graph, {}, {later.get_token(), [&](double, std::string_view) {
                                                       if (++reports == 2)
                                                           later.request_stop();
                                                   }});
    QVERIFY(!stopped);
    QCOMPARE(reports, 2);
}

void TestLayoutArrangement::progressIsReported()
{
    double last = 0;
    bool rising = true;
    const auto result =
        layeredLayout(randomGraph({300, 12, 0, 2}), {}, {{}, [&](double fraction, std::string_view) {
                                                             rising = rising && fraction >= last;
                                                             last = fraction;
                                                         }});
    QVERIFY(result);
    QVERIFY(rising);
    QCOMPARE(last, 1.0);
}

void TestLayoutArrangement::leftToRightIsTheTranspose()
{
    LayoutGraph graph = randomGraph({60, 10, 3, 4});
    LayoutGraph turned = graph;
    for (LayoutNode& node : turned.nodes)
        std::swap(node.width, node.height);
    LayoutOptions options;
    const auto down = layeredLayout(graph, options);
    options.orientation = LayoutOptions::Orientation::LeftToRight;
    const auto right = layeredLayout(turned, options);
    QVERIFY(down && right);
    for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
        const LayoutRect &a = down->nodes[v], &b = right->nodes[v];
        QCOMPARE((LayoutRect{a.y, a.x, a.height, a.width}), b);
    }
    QCOMPARE(down->bounds.width, right->bounds.height);
    for (const LayoutGroup& group : right->groups)
        for (const auto& outline : group.outlines)
            QVERIFY(signedArea(outline) > 0);
}

void TestLayoutArrangement::components()
{
    LayoutGraph graph = chain(4);
    for (const LayoutGraph& more : {chain(3), chain(1), chain(6)}) {
        const auto offset = static_cast<unsigned>(graph.nodes.size());
        graph.nodes.insert(graph.nodes.end(), more.nodes.begin(), more.nodes.end());
        for (const LayoutEdge& edge : more.edges)
            graph.edges.push_back({edge.source + offset, edge.target + offset, edge.net});
    }
    QCOMPARE(layered::components(graph).size(), std::size_t{4});
    const auto result = layeredLayout(graph);
    QVERIFY(result);
    QCOMPARE(overlaps(*result), 0);
    // A group over two of them makes one of them.
    graph.nodes[0].group = graph.nodes[4].group = 0;
    QCOMPARE(layered::components(graph).size(), std::size_t{3});
    const auto joined = layeredLayout(graph);
    QVERIFY(joined);
    QCOMPARE(joined->groups[0].outlines.size(), std::size_t{1});
}

TILEWRIGHT_TEST(TestLayoutArrangement)

} // namespace test_layout_arrangement
#include "test_layout_arrangement.moc"
