// SPDX-License-Identifier: GPL-3.0-or-later
// The graph driven as a person drives it: looking, keys, search, options.
#include "control_named.h"
#include "edit/fit.h"
#include "export/export_view.h"
#include "graph_bench.h"
#include "test_main.h"
#include "views/graph/graph_bars.h"
#include "window/main_window.h"
#include "workspace/selection.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>

namespace test_graph {

using namespace graphtest;

class TestGraph : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;

private Q_SLOTS:
    void initTestCase();
    void empty();
    void zoomPanFit();
    void overview();
    void keyboard();
    void search();
    void theOpOfThatNameIsFoundFirst();
    void collapseByDoubleClick();
    void options();
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

void TestGraph::empty()
{
    AppState state;
    GraphView view(state.context());
    view.resize(500, 300);
    view.show();
    QVERIFY(!view.model());
    const auto below = [&view] {
        return picture::of(view, view.rect().adjusted(0, view.toolbar().height() + 2, 0, 0));
    };
    view.clearFocus(); // its frame is no content
    const QImage hint = below();
    QVERIFY2(picture::colours(hint) > 5, "words that say what to do");
    view.fitAll();
    view.zoomBy(2, {10, 10});
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::mouseClick(&view, Qt::LeftButton, {}, {100, 100});
    state.document.setProblem(pointwiseNet(5, 1), oneOpPerSubgraph(*pointwiseNet(5, 1)));
    QVERIFY(view.model());
    view.clearFocus();
    QVERIFY(below() != hint);
    state.document.close();
    QVERIFY(!view.model());
    QCOMPARE(below(), hint);
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
    // The frame of what is seen, round the small picture of the nodes.
    const QImage small = picture::of(*b.view, box.toRect());
    QVERIFY(picture::pixels(small, Theme::light().accent, 40) > 20);
    QVERIFY(picture::colours(small) > 5);
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
    // In the corner of a person's choice.
    const QRectF below = b.view->overviewRect();
    QVERIFY(below.center().x() > b.view->width() / 2.0 && below.center().y() > b.view->height() / 2.0);
    QTest::keyClick(b.view.get(), Qt::Key_M, Qt::ShiftModifier);
    QVERIFY(b.view->overviewRect().center().x() < b.view->width() / 2.0);
    QCOMPARE(b.view->overviewRect().top(), below.top());
    QTest::keyClick(b.view.get(), Qt::Key_M, Qt::ShiftModifier);
    QVERIFY(b.view->overviewRect().center().y() < b.view->height() / 2.0);
    for (int i = 0; i < 2; ++i)
        QTest::keyClick(b.view.get(), Qt::Key_M, Qt::ShiftModifier);
    QCOMPARE(b.view->overviewRect(), below);
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
    const QImage unsought = b.picture(b.node(29)), found = b.picture(b.node(12));
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
    QVERIFY2(b.picture(b.node(29)) != unsought, "what is not found steps back");
    QVERIFY2(b.picture(b.node(12)) != found, "what is found is marked");
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

void TestGraph::theOpOfThatNameIsFoundFirst()
{
    Problem::Data data;
    for (const char* name : {"x", "layer0.up.out", "layer0.down.weight", "layer0.down.out"})
        data.tensors.push_back({128, 128, name});
    Op up, down;
    up.inputs = {TensorId(0)};
    up.output = TensorId(1);
    up.name = "layer0.up";
    down.type = OpType::MatMul;
    down.inputs = {TensorId(1), TensorId(2)};
    down.output = TensorId(3);
    down.name = "layer0.down";
    data.ops.push_back(up);
    data.ops.push_back(down);
    data.hardware = {400000, 10, 128, 128, {}};
    Bench b(*Problem::build(data));
    QLineEdit* field = b.view->toolbar().searchField();
    field->setFocus();
    QTest::keyClicks(field, QStringLiteral("down"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(1)});
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
    b.view->settle();
    for (const GraphHull& hull : b.view->model()->hulls)
        QVERIFY(hull.collapsed);
    for (const GraphNode& card : b.view->model()->nodes)
        if (card.key.kind == GraphKey::Kind::Card)
            QVERIFY2(picture::colours(b.picture(card)) > 20, "a filled card with its words");
    b.view->collapseAll(false);
}

void TestGraph::options()
{
    Bench b(pointwiseNet(30, 9));
    auto* colouring = controlNamed<QComboBox>(*b.view, QStringLiteral("Colour by"));
    QList<QImage> pictures;
    for (int i = 0; i < colouring->count(); ++i) {
        colouring->setFocus();
        colouring->setCurrentIndex(i);
        Q_EMIT colouring->activated(i);
        QCOMPARE(static_cast<int>(b.view->options().colouring), colouring->itemData(i).toInt());
        pictures << b.picture();
        // All subgraphs have one op: automatic is by op type.
        const int same = colouring->itemData(i).toInt() == static_cast<int>(GraphColouring::OpType) ? 0 : i;
        QVERIFY2(pictures.indexOf(pictures.last()) == same, "every colouring looks different");
    }
    b.state.actions.find(QStringLiteral("graph.colour.latency"))->trigger();
    QCOMPARE(b.view->options().colouring, GraphColouring::Latency);
    const QRectF tall = b.view->model()->bounds;
    b.state.actions.find(QStringLiteral("graph.orientation"))->trigger();
    QVERIFY(b.view->shape().leftToRight);
    QVERIFY(b.view->model()->bounds != tall);
    b.state.actions.find(QStringLiteral("graph.orientation"))->trigger();
    // Remembered for the next window.
    const auto switchLabels = [](const GraphView& view) {
        for (QAction* action : view.findChildren<QAction*>())
            if (action->text() == QLatin1String("Traffic on lines"))
                action->trigger();
    };
    switchLabels(*b.view);
    Bench other(pointwiseNet(4, 1));
    QCOMPARE(other.view->options().colouring, GraphColouring::Latency);
    QVERIFY(!other.view->options().edgeLabels);
    switchLabels(*other.view);
    other.view->setColouring(GraphColouring::Subgraph);
    // Neighbourhood of what is selected.
    b.state.selection.selectOps({OpId(15)});
    auto* hops = controlNamed<QComboBox>(*b.view, QStringLiteral("Neighbourhood"));
    Q_EMIT hops->activated(1);
    QVERIFY(b.view->model()->geometry->hiddenOps > 0);
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_Escape);
    QCOMPARE(b.view->model()->geometry->hiddenOps, std::size_t{0});
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
    const auto below = [&view] {
        return picture::of(view, view.rect().adjusted(0, view.toolbar().height() + 2, 0, 0));
    };
    const QImage waiting = below();
    QVERIFY2(picture::colours(waiting) > 5, "words that say so");
    view.settle();
    QVERIFY(view.model());
    QCOMPARE(view.model()->hulls.size(), std::size_t{1500});
    QVERIFY(picture::colours(below()) > picture::colours(waiting));
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
    QVERIFY(b.view->accessibleDescription().contains(QStringLiteral("5\u00a0ops")));
    for (QWidget* child : b.view->toolbar().findChildren<QWidget*>())
        if (child->focusPolicy() != Qt::NoFocus && child->isVisible() &&
            child->parentWidget() == &b.view->toolbar()) {
            QVERIFY2(!child->accessibleName().isEmpty(), child->metaObject()->className());
            QVERIFY2(!child->toolTip().isEmpty(), child->metaObject()->className());
        }
    QVERIFY(b.view->copyText().startsWith(QStringLiteral("op\tname")));
    QCOMPARE(b.view->copyText().count(QLatin1Char('\n')), 6);
}

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

TILEWRIGHT_TEST(TestGraph)

} // namespace test_graph
#include "test_graph.moc"
