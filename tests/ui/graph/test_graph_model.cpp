// SPDX-License-Identifier: GPL-3.0-or-later
// The plain model of the graph: nodes, lines, areas, colours, names.
#include "edit/edits.h"
#include "edit/fit.h"
#include "graph_bench.h"
#include "test_main.h"
#include "theme/text_metrics.h"
#include "views/graph/graph_colouring.h"
#include "views/graph/graph_rearrange.h"
#include "views/graph/graph_sections.h"
#include "workspace/subgraph_colours.h"

#include <QSettings>
#include <QTemporaryDir>

namespace test_graph_model {

using namespace graphtest;

class TestGraphModel : public QObject
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
    void aNewSubgraphTakesTheLeastWornHue();
    void model_neighbourhood();
    void model_colourings();
    void geometry_isKept();
    void geometry_followsViews();
    void names_fit();
    void names_ofTheVisibleOps();
    void roles_contrast();
    void model_legends();
    void model_opsHaveTheirBaseCostAndTensorsTheirSize();
    void tabsDoNotOverlap();
    void transition_keepsTheLines();
};

void TestGraphModel::initTestCase()
{
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
}

void TestGraphModel::model_stylesOfLines()
{
    const ProblemPtr problem = example("ex3.problem.json");
    const GraphModel model = modelOf(problem, solution(*problem, "ex3B.solution.json"));
    // 3B: [[0,1],[0,2]], t2 retained: t1 stays inside both, t2 in fast memory, t0 comes from slow memory.
    QCOMPARE(edgeTo(model, 1, 1)->style, EdgeStyle::Interior);
    QCOMPARE(edgeTo(model, 1, 2)->style, EdgeStyle::Interior);
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

void TestGraphModel::model_trafficOnLines()
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

void TestGraphModel::model_recomputedOps()
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
    // Two subgraphs of nothing but that op: both are to be seen.
    const Schedule apart = oneOpPerSubgraph(*problem);
    const auto twice = edit::duplicate(*problem, apart, SubgraphId(0));
    QVERIFY(twice);
    const GraphModel both = modelOf(problem, *twice);
    QVERIFY(!tabRect(both, both.hulls[0]).intersects(tabRect(both, both.hulls[1])));
    QVERIFY(both.hulls[1].bounds.intersects(tabRect(both, both.hulls[1])));
}

void TestGraphModel::model_errors()
{
    const ProblemPtr problem = example("ex5.problem.json");
    const GraphModel model = modelOf(problem, solution(*problem, "ex5A.solution.json"));
    QCOMPARE(model.hulls[0].error, QStringLiteral("out of memory"));
    QVERIFY(model.nodes[*model.geometry->nodeOf(OpId(0))].error);
    // An op in no subgraph.
    Schedule part = oneOpPerSubgraph(*problem);
    part.subgraphs.pop_back();
    const GraphModel uncovered = modelOf(problem, part);
    const OpId last = oneOpPerSubgraph(*problem).subgraphs.back()->ops.front();
    QVERIFY(uncovered.nodes[*uncovered.geometry->nodeOf(last)].uncovered);
    QVERIFY(uncovered.summary.contains(QStringLiteral("problems")));
}

void TestGraphModel::model_baseline()
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

void TestGraphModel::aNewSubgraphTakesTheLeastWornHue()
{
    constexpr std::size_t kOps = 10;
    Problem::Data data;
    data.tensors = IdVector<TensorId, Tensor>(kOps + 1, Tensor{64, 64, {}});
    for (std::size_t i = 0; i < kOps; ++i)
        data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(i + 1), 100, {}});
    data.hardware = {100'000, 10, 64, 64, {}};
    const ProblemPtr problem = *Problem::build(std::move(data));
    SubgraphColours colours;
    Schedule schedule = oneOpPerSubgraph(*problem);
    colours.update(*problem, schedule);
    const std::vector<std::size_t> before = colours.colours();
    const SubgraphId first[] = {SubgraphId(0), SubgraphId(1), SubgraphId(2), SubgraphId(3)};
    const auto fused = edit::fuse(*problem, schedule, first);
    QVERIFY(fused);
    colours.update(*problem, *fused);
    const std::vector<std::size_t>& after = colours.colours();
    QCOMPARE(after.size(), kOps - 3);
    for (std::size_t i = 1; i < after.size(); ++i)
        QCOMPARE(after[i], before[i + 3]); // what was not edited keeps its colour
    QCOMPARE(std::set<std::size_t>(after.begin(), after.end()).size(), after.size()); // all differ
}

void TestGraphModel::model_collapsed()
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

void TestGraphModel::model_neighbourhood()
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

void TestGraphModel::model_colourings()
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
        const bool explained = !model.legend.entries.empty() || !model.legend.scale.empty();
        QCOMPARE(explained, colouring != GraphColouring::Subgraph && colouring != GraphColouring::None);
    }
}

void TestGraphModel::geometry_isKept()
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

/// R1.7: a line runs from what computes each base of a view to every op that reads the view.
void TestGraphModel::geometry_followsViews()
{
    Problem::Data data;
    data.hardware = {1000, 1, 4, 4, {}};
    for (int i = 0; i < 6; ++i)
        data.tensors.push_back({4, 4, {}});
    const auto pointwise = [](std::size_t in, std::size_t out) {
        return Op{OpType::Pointwise, {TensorId(in)}, TensorId(out), 1, {}};
    };
    data.ops = IdVector<OpId, Op>({pointwise(0, 1), pointwise(0, 2), pointwise(3, 4), pointwise(3, 5)});
    data.views.push_back({TensorId(3), {TensorId(1), TensorId(2)}});
    const ProblemPtr problem = *Problem::build(std::move(data));
    const auto geometry = layOutGraph(problem, oneOpPerSubgraph(*problem), {}, {});
    std::set<std::pair<std::uint32_t, std::uint32_t>> lines;
    for (const GraphEdgeKey& edge : geometry->edges)
        if (edge.tensor == TensorId(3))
            lines.emplace(geometry->keys[edge.from].id, geometry->keys[edge.to].id);
    QVERIFY((lines == std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 2}, {0, 3}, {1, 2}, {1, 3}}));
    QVERIFY(!geometry->index.contains({GraphKey::Kind::Input, 3}));
}

void TestGraphModel::names_fit()
{
    const auto upTo = [](qsizetype letters) {
        return [letters](const QString& text) { return text.size() <= letters; };
    };
    const QString name = QStringLiteral("layer0.head12.query.weight");
    QCOMPARE(fittingName(name, upTo(26)), name);
    QCOMPARE(fittingName(name, upTo(24)), QStringLiteral("l0.head12.query.weight"));
    QCOMPARE(fittingName(name, upTo(20)), QStringLiteral("l0.h12.query.weight"));
    QCOMPARE(fittingName(name, upTo(15)), QStringLiteral("l0.h12.q.weight"));
    QCOMPARE(fittingName(name, upTo(9)), QStringLiteral("…q.weight"));
    QCOMPARE(fittingName(name, upTo(7)), QStringLiteral("…weight"));
    QCOMPARE(fittingName(name, upTo(6)), QStringLiteral("we…ght"));
    QCOMPARE(fittingName(QStringLiteral("blk_7_attn_proj"), upTo(12)), QStringLiteral("b_7_a_proj"));
    QCOMPARE(fittingName(QStringLiteral("x"), upTo(0)), QString());
    // Which head it is stays to be seen, as long as the word does.
    QCOMPARE(fittingName(QStringLiteral("head1.context"), upTo(9)), QStringLiteral("h1.conte…"));
    QCOMPARE(fittingName(QStringLiteral("head1.context"), upTo(7)), QStringLiteral("con…ext"));
    QCOMPARE(fittingName(QStringLiteral("layer0.norm1"), upTo(6)), QStringLiteral("…norm1"));
    // However narrow, it fits.
    for (qsizetype room = 0; room < 30; ++room)
        QVERIFY(fittingName(name, upTo(room)).size() <= room);
    // Names that differ in a number keep it.
    QVERIFY(fittingName(QStringLiteral("layer0.head0.proj"), upTo(12)) !=
            fittingName(QStringLiteral("layer0.head1.proj"), upTo(12)));

    const std::vector<std::string> heads{"layer0.head0.query", "layer0.head1.query"};
    QCOMPARE(commonNamePrefix(heads), std::string("layer0."));
    QCOMPARE(commonNamePrefix(std::vector<std::string>{"a.b", "a.b.c"}), std::string("a."));
    QCOMPARE(commonNamePrefix(std::vector<std::string>{"a.", "a.b"}), std::string());
    QCOMPARE(commonNamePrefix(std::vector<std::string>{"a.b"}), std::string());
    QCOMPARE(withoutPrefix("layer0.add", "layer0."), QStringLiteral("add"));
    QCOMPARE(withoutPrefix("x", "layer0."), QStringLiteral("x"));
    QCOMPARE(withoutPrefix("layer0.", "layer0."), QStringLiteral("layer0."));
}

void TestGraphModel::names_ofTheVisibleOps()
{
    const std::string samples = std::string(TILEWRIGHT_SOURCE_DIR) + "/samples/schedule/";
    const ProblemPtr one = *loadProblem(samples + "attention-block.json");
    const GraphModel model = modelOf(one, oneOpPerSubgraph(*one));
    QCOMPARE(model.geometry->namePrefix, std::string("layer0."));
    std::set<QString> titles;
    for (const GraphNode& node : model.nodes)
        if (node.key.kind == GraphKey::Kind::Op) {
            QVERIFY(!node.title.startsWith(QStringLiteral("layer0.")));
            titles.insert(node.title);
        }
    QCOMPARE(titles.size(), one->opCount());
    // No two names of the picture become one text: each is drawn so that it differs from all others.
    const ProblemPtr six = *loadProblem(samples + "model-150-ops.json");
    const GraphModel large = modelOf(six, oneOpPerSubgraph(*six));
    std::set<QString> shown;
    std::size_t all = 0;
    for (const GraphNode& node : large.nodes)
        if (node.key.kind == GraphKey::Kind::Input) {
            const double width = 0.7 * node.rect.width();
            shown.insert(fittingName(node.title, [&](const QString& text) {
                return 0.85 * large.geometry->metrics.em * static_cast<double>(text.size()) <= width;
            }));
            ++all;
        }
    QVERIFY(all > 60);
    QCOMPARE(shown.size(), all);
}

void TestGraphModel::roles_contrast()
{
    for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()}) {
        const GraphRoles roles = graphRoles(*theme);
        const auto atLeast = [&](double wanted, const QColor& a, const QColor& b, const char* what) {
            QVERIFY2(contrast(a, b) >= wanted,
                     qPrintable(QStringLiteral("%1 (%2): %3")
                                    .arg(QLatin1String(what),
                                         theme->dark ? QStringLiteral("dark") : QStringLiteral("light"))
                                    .arg(contrast(a, b))));
        };
        atLeast(3, roles.line, theme->canvas, "lines");
        atLeast(3, roles.farLine, theme->canvas, "lines from far away");
        atLeast(3, roles.tensorBorder, theme->canvas, "border of inputs and outputs");
        atLeast(3, roles.tensorBlock, theme->canvas, "inputs and outputs from far away");
        atLeast(4.5, theme->text, roles.tensorFill, "names of inputs and outputs");
        atLeast(4.5, roles.figure, theme->canvas, "traffic on lines");
        std::vector<GraphFill> fills{{}};
        for (int i = 0; i < 8; ++i)
            fills.push_back({GraphFill::Role::Category, static_cast<double>(i)});
        for (const GraphFill& fill : fills)
            for (const bool hot : {false, true}) {
                atLeast(3, hullBorder(fill, *theme), theme->canvas, "border of an area");
                atLeast(3, roles.line, hullColour(fill, *theme, hot), "lines on an area");
            }
        for (int i = 0; i <= 8; ++i)
            fills.push_back({GraphFill::Role::Ramp, i / 8.0});
        for (const Bound bound : {Bound::Compute, Bound::Memory, Bound::Balanced})
            fills.push_back({GraphFill::Role::Bound, static_cast<double>(bound)});
        for (const GraphFill& fill : fills) {
            const QColor colour = fillColour(fill, *theme);
            atLeast(4.5, theme->inkOn(colour), colour, "names on ops");
        }
    }
}

void TestGraphModel::model_opsHaveTheirBaseCostAndTensorsTheirSize()
{
    const ProblemPtr problem = pointwiseNet(12, 3);
    const GraphModel model = modelOf(problem, oneOpPerSubgraph(*problem), {}, {});
    std::size_t ops = 0, tensors = 0;
    for (const GraphNode& node : model.nodes) {
        if (node.key.kind == GraphKey::Kind::Op) {
            const Op& op = problem->op(OpId(node.key.id));
            QVERIFY(node.extra.endsWith(shortNumber(static_cast<double>(op.baseCost))));
            ++ops;
        } else if (node.key.isTensor()) {
            const Tensor& tensor = problem->tensor(TensorId(node.key.id));
            QVERIFY(node.detail.startsWith(number(tensor.width)) &&
                    node.detail.endsWith(number(tensor.height)));
            // Both lines have room.
            QVERIFY(node.rect.height() >= 2 * QFontMetricsF(uiFont(0.85)).height() * 0.9);
            ++tensors;
        }
    }
    QCOMPARE(ops, problem->opCount());
    QVERIFY(tensors > 0);
}

void TestGraphModel::model_legends()
{
    const ProblemPtr problem = pointwiseNet(12, 3);
    for (const GraphColouring colouring : {GraphColouring::Latency, GraphColouring::Intensity}) {
        const GraphModel model = modelOf(problem, oneOpPerSubgraph(*problem), {}, {colouring, true});
        QVERIFY(!model.legend.title.isEmpty());
        QVERIFY(model.legend.scale.size() == 1 || model.legend.scale.size() == 3);
        for (const QString& figure : model.legend.scale)
            QVERIFY(!figure.isEmpty());
    }
    // Every mode finds room for its key, also in a narrow pane.
    for (int i = 0; i < 6; ++i) {
        const GraphModel model =
            modelOf(problem, oneOpPerSubgraph(*problem), {}, {static_cast<GraphColouring>(i), true});
        QVERIFY(graphLegendHeight(model, QRectF(0, 0, 1000, 700)) > 0);
        QVERIFY(graphLegendHeight(model, QRectF(0, 0, 420, 700)) > 0);
    }
}

/// What is written on the areas can be read: it covers no other area's words and no op.
void TestGraphModel::transition_keepsTheLines()
{
    // Far views draw lines by their corners; while areas move, too.
    const ProblemPtr problem = example("ex3.problem.json");
    const GraphModel from = modelOf(problem, solution(*problem, "ex3A.solution.json"));
    const GraphModel to = modelOf(problem, solution(*problem, "ex3B.solution.json"));
    for (const double t : {0.0, 0.5, 0.9}) {
        const GraphModel half = between(from, to, t);
        QVERIFY(!half.strokes.empty());
        for (const GraphStroke& stroke : half.strokes) {
            QVERIFY(stroke.points.size() >= 2);
            QCOMPARE(stroke.points.front(), QPointF(stroke.path.elementAt(0)));
            QCOMPARE(stroke.points.back(), stroke.path.currentPosition());
        }
    }
}

void TestGraphModel::tabsDoNotOverlap()
{
    const std::string samples = std::string(TILEWRIGHT_SOURCE_DIR) + "/samples/schedule/";
    for (const char* name : {"attention-block", "model-150-ops", "resnet-block", "moe-layer", "random-40"}) {
        const ProblemPtr problem = *loadProblem(samples + name + ".json");
        std::vector<Schedule> schedules{oneOpPerSubgraph(*problem)};
        if (const auto fused = loadSchedule(*problem, samples + name + ".fused.schedule.json"))
            schedules.push_back(fused->schedule);
        for (const Schedule& schedule : schedules)
            for (const bool leftToRight : {false, true}) {
                GraphShape shape;
                shape.leftToRight = leftToRight;
                const GraphModel model = modelOf(problem, schedule, shape);
                std::vector<QRectF> tabs;
                for (const GraphHull& hull : model.hulls) {
                    const QRectF tab = tabRect(model, hull);
                    for (const QRectF& other : tabs)
                        QVERIFY2(!tab.intersects(other), name);
                    for (const GraphNode& node : model.nodes)
                        QVERIFY2(!tab.adjusted(1, 1, -1, -1).intersects(node.rect), name);
                    tabs.push_back(tab);
                }
            }
    }
}

TILEWRIGHT_TEST(TestGraphModel)

} // namespace test_graph_model
#include "test_graph_model.moc"
