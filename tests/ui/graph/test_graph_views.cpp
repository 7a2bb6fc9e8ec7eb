// SPDX-License-Identifier: GPL-3.0-or-later
// Views (R1.7) in the graph: a dashed slab on the line from what they are a view of to what reads them.
#include "convolutions.h"
#include "graph_bench.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/graph/graph_colouring.h"
#include "views/graph/graph_cursor.h"
#include "views/graph/graph_layouter.h"
#include "views/graph/graph_paint.h"
#include "views/graph/graph_tooltip.h"
#include "workspace/texts.h"

#include <QLineF>

namespace test_graph_views {

using namespace graphtest;

namespace {

/// Projections q and k of an input x; `heads` products, each of a slice of q and a transposed slice of k;
/// their concatenation times a weight of which the transposition is read.
struct Attention
{
    explicit Attention(std::size_t heads)
    {
        const std::int64_t h = static_cast<std::int64_t>(heads);
        const TensorId x = tensor(64, 32 * h, "x");
        q = matMul(x, tensor(32 * h, 32 * h, "wq"), "q");
        k = matMul(x, tensor(32 * h, 32 * h, "wk"), "k");
        std::vector<TensorId> results;
        for (std::size_t i = 0; i < heads; ++i) {
            const std::string name = "scores" + std::to_string(i);
            queries.push_back(view(64, 32, {q}, name + "/query" + std::to_string(i)));
            keys.push_back(view(32, 64, {k}, name + "/key" + std::to_string(i)));
            results.push_back(matMul(queries.back(), keys.back(), name));
        }
        joined = view(64, 64 * h, results, "joined");
        weight = tensor(48, 64 * h, "stored");
        turned = view(64 * h, 48, {weight}, "turned");
        matMul(joined, turned, "out");
        data.hardware = {1'000'000, 10, 64, 64, {}};
        problem = *Problem::build(std::move(data));
    }

    TensorId tensor(std::int64_t height, std::int64_t width, const std::string& name)
    {
        data.tensors.push_back({width, height, name});
        return TensorId(data.tensors.size() - 1);
    }
    TensorId view(std::int64_t height, std::int64_t width, std::vector<TensorId> bases,
                  const std::string& name)
    {
        data.views.push_back({tensor(height, width, name), std::move(bases)});
        return data.views.back().tensor;
    }
    TensorId matMul(TensorId a, TensorId b, const std::string& name)
    {
        const TensorId out = tensor(data.tensors[a].height, data.tensors[b].width, name + ".out");
        data.ops.push_back({OpType::MatMul, {a, b}, out, 100, name});
        return out;
    }

    Problem::Data data;
    ProblemPtr problem;
    TensorId q, k, joined, weight, turned;
    std::vector<TensorId> queries, keys;
};

std::vector<const GraphEdge*> linesOf(const GraphModel& model, TensorId t)
{
    std::vector<const GraphEdge*> out;
    for (const GraphEdge& edge : model.edges)
        if (edge.tensor == t)
            out.push_back(&edge);
    return out;
}

double distance(const QPainterPath& path, QPointF p)
{
    double best = 1e9;
    for (int i = 0; i <= 200; ++i)
        best = std::min(best, QLineF(path.pointAtPercent(i / 200.0), p).length());
    return best;
}

void setScale(Bench& b, double scale, QPointF at)
{
    const QPointF middle = b.view->rect().center();
    b.view->zoomBy(scale / b.view->viewport().scale, middle);
    b.view->panBy(middle - b.view->viewport().toScreen(at));
}

} // namespace

class TestGraphViews : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// R1.8: the mark of a mapped view says the map; its tooltip says what a tile reads, and the halo.
    void aMapIsLabelled()
    {
        using Four = std::array<std::int64_t, 4>;
        const WindowsMap plain{1, 8, 8, {0, 2}, {3, 3}, {1, 1}, Four{1, 1, 1, 1}, {1, 1}};
        WindowsMap strided = plain;
        strided.stride = {2, 2};
        WindowsMap uneven = plain;
        uneven.stride = {2, 1};
        QCOMPARE(mapLabel(plain), QStringLiteral("3×3"));
        QCOMPARE(mapLabel(strided), QStringLiteral("3×3 /2"));
        QCOMPARE(mapLabel(uneven), QStringLiteral("3×3 /2×1"));

        Bench b(test::twoConvolutions());
        const auto lines = linesOf(*b.view->model(), TensorId(0));
        QCOMPARE(lines.size(), std::size_t(1));
        QCOMPARE(lines.front()->slabText, QStringLiteral("x patches  3×3"));
        const QString tip = tensorTooltip(*b.document().snapshot(), TensorId(0), {}, OpId(0));
        QVERIFY2(tip.contains(QStringLiteral("is halo that other tiles read, too")), qPrintable(tip));
    }
    void rule_1_7_aViewIsASlabOnTheLineFromItsBase()
    {
        const Attention a(3);
        Bench b(a.problem);
        const GraphModel& model = *b.view->model();
        QVERIFY(model.hasViews);
        for (const GraphEdge& edge : model.edges) {
            QCOMPARE(!edge.slab.isEmpty(), a.problem->isView(edge.tensor));
            if (edge.slab.isEmpty())
                continue;
            QVERIFY(distance(edge.path, edge.slab.center()) < 3);
            QVERIFY(model.bounds.contains(edge.slab));
        }
        for (const TensorId view : a.queries) {
            const auto lines = linesOf(model, view);
            QCOMPARE(lines.size(), 1u);
            QCOMPARE(model.nodes[lines.front()->from].key,
                     (GraphKey{GraphKey::Kind::Op, a.problem->producer(a.q)->value}));
            QCOMPARE(lines.front()->style, EdgeStyle::Spilled); // always from slow memory
        }
    }

    /// The input stands there itself, once, whatever reads it and how.
    void rule_1_7_aViewOfAGraphInputStartsAtThatInput()
    {
        const Attention a(2);
        Bench b(a.problem);
        const GraphModel& model = *b.view->model();
        const auto& index = model.geometry->index;
        QVERIFY(index.contains({GraphKey::Kind::Input, a.weight.value}));
        QVERIFY(!index.contains({GraphKey::Kind::Input, a.turned.value}));
        const auto lines = linesOf(model, a.turned);
        QCOMPARE(lines.size(), 1u);
        QCOMPARE(model.nodes[lines.front()->from].key, (GraphKey{GraphKey::Kind::Input, a.weight.value}));
        QVERIFY(!lines.front()->slab.isEmpty());
    }

    /// R1.8: reading a view with a map is reading its base, so its slab lies on the line of the base.
    void rule_1_8_aMappedViewIsASlabOnTheLineOfItsBase()
    {
        Problem::Data data;
        data.tensors.push_back({4, 16, "x"});
        data.tensors.push_back({4, 16, "y"});
        data.tensors.push_back({36, 16, "patches"});
        data.tensors.push_back({8, 36, "w"});
        data.tensors.push_back({8, 16, "z"});
        const TensorId y(1), patches(2);
        data.ops.push_back({OpType::Pointwise, {TensorId(0)}, y, 10, "relu"});
        data.ops.push_back({OpType::MatMul, {patches, TensorId(3)}, TensorId(4), 10, "conv"});
        data.views.push_back(
            {patches, {y}, WindowsMap{1, 4, 4, {0, 4}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}}});
        data.hardware = {1'000'000, 10, 64, 64, {}};
        Bench b(*Problem::build(std::move(data)));
        const auto lines = linesOf(*b.view->model(), y);
        QCOMPARE(lines.size(), 1u);
        QVERIFY(!lines.front()->slab.isEmpty());
        QVERIFY2(lines.front()->slabText.startsWith(QStringLiteral("patches ")),
                 qPrintable(lines.front()->slabText));
        const QString tip = tensorTooltip(*b.document().snapshot(), y, {});
        QVERIFY2(tip.contains(QStringLiteral("windows of 3 × 3 in images of 4 × 4")) &&
                     tip.contains(QStringLiteral("padding 1 above")),
                 qPrintable(tip));
    }

    /// Of a concatenation every line has a slab; what it is called is written once.
    void rule_1_7_aViewIsNamedOnce()
    {
        const Attention a(4);
        Bench b(a.problem);
        const GraphModel& model = *b.view->model();
        const auto lines = linesOf(model, a.joined);
        QCOMPARE(lines.size(), 4u);
        int named = 0;
        for (const GraphEdge* line : lines) {
            QVERIFY(!line->slab.isEmpty());
            named += !line->namedSlab.isEmpty();
        }
        QCOMPARE(named, 1);
        const GraphEdge& turned = *linesOf(model, a.turned).front(); // no line is near
        QVERIFY2(turned.slabText.startsWith(QStringLiteral("turned ")) &&
                     turned.slabText.contains(QStringLiteral("48×256")),
                 qPrintable(turned.slabText));
        for (const TensorId query : a.queries)
            for (const GraphEdge* line : linesOf(model, query)) // of its reader it tells itself
                QVERIFY(line->slabText.isEmpty() || line->slabText.startsWith(QStringLiteral("query")));
    }

    /// With names they cover neither ops nor one another nor the traffic.
    void slabsCoverNothing()
    {
        const Attention a(6);
        Bench b(a.problem);
        const GraphModel& model = *b.view->model();
        std::vector<QRectF> taken;
        for (const GraphNode& node : model.nodes)
            taken.push_back(node.rect);
        int named = 0, traffic = 0;
        for (const GraphEdge& edge : model.edges) {
            named += !edge.namedSlab.isEmpty();
            traffic += !edge.label.isEmpty();
            for (const QRectF& rect : {edge.namedSlab, edge.labelRect})
                if (!rect.isEmpty()) {
                    for (const QRectF& other : taken)
                        QVERIFY(!other.intersects(rect));
                    taken.push_back(rect);
                }
        }
        // Most figures of traffic still find a place.
        GraphModel bare = model;
        for (GraphEdge& edge : bare.edges)
            edge.slab = edge.namedSlab = {};
        labelEdges(bare, TrafficMemory().count(*b.document().snapshot(), {}));
        const auto without = std::count_if(bare.edges.begin(), bare.edges.end(),
                                           [](const GraphEdge& edge) { return !edge.label.isEmpty(); });
        const QString counts = QStringLiteral("%1 named, %2 of %3").arg(named).arg(traffic).arg(without);
        QVERIFY2(named >= 6 && 5 * traffic >= 3 * without, qPrintable(counts));
    }

    void aClickOnASlabSelectsTheView()
    {
        const Attention a(3);
        Bench b(a.problem);
        const auto& edges = b.view->model()->edges;
        const auto found = std::find_if(edges.begin(), edges.end(), [&](const GraphEdge& edge) {
            return !edge.namedSlab.isEmpty() && edge.tensor != a.joined;
        });
        QVERIFY(found != edges.end());
        const GraphEdge edge = *found;
        setScale(b, 1, edge.namedSlab.center());
        // At its border, where no line is near.
        const QPointF border(edge.namedSlab.left() + 4, edge.namedSlab.top() + 3);
        QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.view->viewport().toScreen(border).toPoint());
        QCOMPARE(b.selected().tensor, std::optional(edge.tensor));
        // From afar only the small one is painted, and only it is hit.
        const GraphModel& model = *b.view->model();
        QVERIFY(hitTest(model, edge.namedSlab.center(), 4).tensor == edge.tensor);
        QVERIFY(edge.slab.width() < edge.namedSlab.width());
        QVERIFY(slabOf(edge, true) == edge.namedSlab && slabOf(edge, false) == edge.slab);
    }

    void theTooltipSaysWhatItIsAViewOf()
    {
        const Attention a(3);
        Bench b(a.problem);
        const auto tip = [&](TensorId t) { return tensorTooltip(*b.document().snapshot(), t, {}); };
        const QString slice = tip(a.queries[0]);
        QVERIFY2(slice.contains(QStringLiteral("view of q.out")) && slice.contains(QStringLiteral("slice")),
                 qPrintable(slice));
        QVERIFY(slice.contains(number(std::int64_t{64 * 32})) &&
                slice.contains(number(std::int64_t{64 * 96})));
        const QString joined = tip(a.joined);
        QVERIFY2(joined.contains(QStringLiteral("concatenation")) &&
                     joined.contains(QStringLiteral("scores2.out")),
                 qPrintable(joined));
        QVERIFY(tip(a.turned).contains(QStringLiteral("transposed")));
        QVERIFY(tip(a.q).contains(QStringLiteral("read as"))); // a base says so, too
        QVERIFY(!tip(TensorId(0)).contains(QStringLiteral("view")));
    }

    /// By its outline, so that no colour has to be told apart; in both themes.
    void theSlabIsDashedInBothThemes()
    {
        const Attention a(2);
        Bench b(a.problem);
        const GraphEdge& edge = *linesOf(*b.view->model(), a.turned).front();
        for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()}) {
            const auto pixels = [&](const GraphModel& model) {
                QImage image(700, 500, QImage::Format_RGB32);
                image.fill(theme->canvas);
                QPainter painter(&image);
                const QPointF at = QPointF(350, 250) - edge.namedSlab.center() * 2;
                paintGraph(painter, model, Viewport{2, at}, image.rect(), *theme);
                return image;
            };
            const QImage with = pixels(*b.view->model());
            const QRectF box((edge.namedSlab.topLeft() - edge.namedSlab.center()) * 2 + QPointF(350, 250),
                             edge.namedSlab.size() * 2);
            int lit = 0, changes = 0;
            bool before = false;
            const int y = static_cast<int>(std::lround(box.top()));
            for (int x = static_cast<int>(box.left()) + 2; x < static_cast<int>(box.right()) - 2; ++x) {
                const QColor c = with.pixelColor(x, y);
                const bool now = std::abs(c.lightness() - theme->canvas.lightness()) > 40;
                lit += now;
                changes += now != before;
                before = now;
            }
            QVERIFY2(changes > 10 && lit > 20, qPrintable(QStringLiteral("%1 %2").arg(lit).arg(changes)));
            GraphModel plain = *b.view->model();
            for (GraphEdge& e : plain.edges)
                e.slab = e.namedSlab = {};
            QVERIFY(pixels(plain) != with);
        }
    }

    /// Told in the legend where there is one, and nowhere else.
    void theLegendHasItWhereThereAreViews()
    {
        const Attention a(2);
        Bench with(a.problem);
        const auto legend = [](const GraphModel& model) {
            QImage image(1400, 600, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            paintGraphLegend(painter, model, image.rect(), Theme::light());
            return image;
        };
        GraphModel without = *with.view->model();
        without.hasViews = false;
        QVERIFY(legend(without) != legend(*with.view->model()));
        QVERIFY(!Bench(pointwiseNet(5, 1)).view->model()->hasViews);
    }

    /// An edit that moves what is drawn takes the slabs along; one that does not leaves them.
    void slabsFollowTheLayout()
    {
        const Attention a(3);
        Bench b(a.problem);
        const auto same = [&] {
            for (const GraphEdge& edge : b.view->model()->edges)
                if (a.problem->isView(edge.tensor) && distance(edge.path, edge.slab.center()) >= 3)
                    return false;
            return true;
        };
        QVERIFY(same());
        b.document().apply(edit::mergeWithNext(*a.problem, b.document().schedule(), SubgraphId(0),
                                               {b.document().rules(), true}),
                           QStringLiteral("fuse"));
        b.document().waitForSnapshot();
        b.view->settle();
        QVERIFY(b.view->model()->hasViews);
        QVERIFY(same());
    }

    /// An op that two subgraphs compute is in two hulls; the tag of the second one covered its name.
    void tagsDoNotCoverTheNameOfTheirOp()
    {
        const std::string folder = TILEWRIGHT_SOURCE_DIR "/samples/schedule/attention-block";
        const ProblemPtr problem = *loadProblem(folder + ".json");
        const Schedule once = loadSchedule(*problem, folder + ".fused.schedule.json")->schedule;
        Schedule twice = once;
        twice.subgraphs.insert(twice.subgraphs.begin() + 3, once.subgraphs[0]); // norm1
        Bench b(problem, twice);
        b.view->resize(540, 640);
        b.view->settle();
        b.view->fitAll();
        // The left half of the op has the colour of the first subgraph, the right half that of the second.
        const QImage name = picture::of(*b.view, QRect(b.at(0) - QPoint(28, 4), QSize(56, 12)));
        const QColor second = name.pixelColor(name.width() - 2, 6);
        QVERIFY(picture::pixels(name, second) > 40);
        QCOMPARE(picture::pixels(name.copy(0, 0, 20, name.height()), second), 0);
    }
};

TILEWRIGHT_TEST(TestGraphViews)

} // namespace test_graph_views
#include "test_graph_views.moc"
