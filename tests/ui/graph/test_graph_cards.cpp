// SPDX-License-Identifier: GPL-3.0-or-later
// Large graphs: subgraphs become cards by themselves, and cards of several subgraphs.
#include "edit/fit.h"
#include "graph_bench.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/graph/graph_bars.h"
#include "views/graph/graph_sections.h"
#include "workload/generate.h"

#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>
#include <QTextDocumentFragment>

namespace test_graph_cards {

using namespace graphtest;

namespace {

/// A chain of pointwise ops with names like "layer3.op7".
ProblemPtr layers(int count, int opsEach)
{
    Problem::Data data;
    data.tensors.push_back({128, 128, {}});
    for (int layer = 0; layer < count; ++layer)
        for (int i = 0; i < opsEach; ++i) {
            Op op;
            op.inputs = {TensorId(data.tensors.size() - 1)};
            op.output = TensorId(data.tensors.size());
            op.baseCost = 100;
            op.name = "layer" + std::to_string(layer) + ".op" + std::to_string(i);
            data.tensors.push_back({128, 128, {}});
            data.ops.push_back(op);
        }
    data.hardware = {400000, 10, 128, 128, {}};
    return *Problem::build(data);
}

/// Subgraphs of `size` consecutive ops of the topological order.
Schedule inRuns(const Problem& problem, std::size_t size)
{
    Schedule schedule = oneOpPerSubgraph(problem);
    std::vector<SubgraphPtr> fused;
    for (std::size_t i = 0; i < problem.opCount(); i += size) {
        Subgraph s = *schedule.subgraphs[i];
        for (std::size_t k = i + 1; k < std::min(problem.opCount(), i + size); ++k)
            s.ops.push_back(schedule.subgraphs[k]->ops.front());
        fused.push_back(std::make_shared<const Subgraph>(std::move(s)));
    }
    schedule.subgraphs = std::move(fused);
    return schedule;
}

std::size_t countOf(const GraphModel& model, GraphKey::Kind kind)
{
    return static_cast<std::size_t>(std::count_if(model.nodes.begin(), model.nodes.end(),
                                                  [&](const GraphNode& n) { return n.key.kind == kind; }));
}

QPoint centreOf(Bench& b, std::size_t node)
{
    return b.view->viewport().toScreen(b.view->model()->nodes[node].rect.center()).toPoint();
}

} // namespace

class TestGraphCards : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;

private Q_SLOTS:
    void initTestCase();
    void init();
    void sections();
    void subgraphsBecomeCards();
    void manySubgraphsShareACard();
    void smallGraphsStayOpen();
    void openedByDoubleClickAndKey();
    void anOpenedCardLeavesNoEmptyColumns();
    void closedAgain();
    void expandAllIsRemembered();
    void allOfAWholeIsDrawnAnew();
    void selectedAndSought();
    void keysMoveBetweenCards();
    void dropOnACardChangesNothing();
    void editsKeepTheCards();
};

void TestGraphCards::initTestCase()
{
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
}

void TestGraphCards::init()
{
    QSettings().clear();
}

void TestGraphCards::sections()
{
    // Every op in one, in runs of the topological order, about a hundred.
    const ProblemPtr net = pointwiseNet(3000, 3);
    const auto of = sectionsOf(*net);
    QCOMPARE(of.size(), std::size_t{3000});
    std::uint32_t last = 0;
    for (OpId op : net->topologicalOrder()) {
        QVERIFY(of[op.index()] == last || of[op.index()] == last + 1);
        last = of[op.index()];
    }
    QVERIFY(last > 50 && last < 120);
    // Where names tell layers apart, a section is a layer.
    const ProblemPtr named = layers(120, 25);
    const auto byName = sectionsOf(*named);
    for (std::size_t i = 0; i < named->opCount(); ++i)
        QCOMPARE(byName[i], static_cast<std::uint32_t>(i / 25));
}

void TestGraphCards::subgraphsBecomeCards()
{
    const ProblemPtr problem = layers(28, 25);
    Bench b(problem, inRuns(*problem, 10));
    const GraphModel& model = *b.view->model();
    QVERIFY(model.geometry->condensed);
    QCOMPARE(countOf(model, GraphKey::Kind::Card), std::size_t{70});
    QCOMPARE(countOf(model, GraphKey::Kind::Op), std::size_t{0});
    QVERIFY(b.view->note().isVisible());
    QVERIFY(b.view->note().text().contains(QStringLiteral("700 ops are shown as 70 cards")));
    // What the names have in common is said once, what differs is said.
    const GraphNode& card = model.nodes[*model.geometry->nodeOf(OpId(0))];
    QCOMPARE(card.title, QStringLiteral("layer0 · 10 ops"));
    QVERIFY2(card.detail.startsWith(QStringLiteral("op0, op1, op2")), qPrintable(card.detail));
    QVERIFY2(picture::colours(b.picture(card)) > 20, "a filled card with its words");
}

void TestGraphCards::manySubgraphsShareACard()
{
    Bench b(pointwiseNet(3000, 21));
    const GraphModel& model = *b.view->model();
    QVERIFY(model.geometry->condensed);
    const std::size_t cards = countOf(model, GraphKey::Kind::Section) + countOf(model, GraphKey::Kind::Card);
    QCOMPARE(cards, model.nodes.size()); // inputs and outputs of the whole stand in the cards
    QVERIFY(cards > 50 && cards < 150);
    std::size_t ops = 0;
    for (const auto& [node, section] : model.geometry->sections) {
        ops += section.ops.size();
        QCOMPARE(model.nodes[node].shares.size(), section.subgraphs.size());
        for (OpId op : section.ops)
            QCOMPARE(model.geometry->nodeOf(op), std::optional(node));
    }
    QCOMPARE(ops, std::size_t{3000});
    QVERIFY(QTextDocumentFragment::fromHtml(b.view->note().text())
                .toPlainText()
                .startsWith(number(std::int64_t{3000}) + QStringLiteral(" ops are shown as ")));
    // One line between two cards, whatever goes along it; the figures are those of all its tensors.
    std::set<std::pair<std::size_t, std::size_t>> lines;
    std::size_t bundled = 0, labelled = 0;
    for (const GraphEdge& edge : model.edges) {
        QVERIFY(edge.from != edge.to);
        QVERIFY(lines.insert({edge.from, edge.to}).second);
        bundled += edge.bundle.empty() ? 0 : 1;
        labelled += edge.label.contains(QStringLiteral("tensors")) ? 1 : 0;
    }
    QVERIFY(bundled > 20);
    QVERIFY(labelled > 20);
}

void TestGraphCards::smallGraphsStayOpen()
{
    Bench b(pointwiseNet(600, 2));
    QVERIFY(!b.view->model()->geometry->condensed);
    QVERIFY(!b.view->note().isVisible());
    QCOMPARE(countOf(*b.view->model(), GraphKey::Kind::Op), std::size_t{600});
    // The neighbourhood of an op of a large graph is small.
    Bench large(pointwiseNet(900, 2));
    QVERIFY(large.view->model()->geometry->condensed);
    large.state.selection.selectOps({OpId(450)});
    large.view->setNeighbourhood(2);
    large.view->settle();
    QVERIFY(!large.view->model()->geometry->condensed);
    QVERIFY(large.view->note().text().contains(QStringLiteral("Show all ops")));
    QVERIFY(large.view->model()->geometry->nodeOf(OpId(450)));
    QCOMPARE(large.view->model()->nodes[*large.view->model()->geometry->nodeOf(OpId(450))].key.kind,
             GraphKey::Kind::Op);
}

void TestGraphCards::openedByDoubleClickAndKey()
{
    Bench b(pointwiseNet(3000, 21));
    const std::size_t node = *b.view->model()->geometry->nodeOf(OpId(1500));
    const auto inside = b.view->model()->geometry->sections.at(node).ops;
    QTest::mouseDClick(b.view.get(), Qt::LeftButton, {}, centreOf(b, node));
    b.view->settle();
    const GraphModel& model = *b.view->model();
    for (OpId op : inside) {
        QCOMPARE(model.nodes[*model.geometry->nodeOf(op)].key.kind, GraphKey::Kind::Op);
        QVERIFY(QRectF(b.view->rect()).contains(b.view->positionOf(op))); // and they are looked at
    }
    QCOMPARE(countOf(model, GraphKey::Kind::Op), inside.size());
    QVERIFY(model.geometry->condensed);
    // A card with the keyboard focus opens with C.
    const std::size_t other = *model.geometry->nodeOf(OpId(300));
    b.view->fitAll();
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, centreOf(b, other));
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_C);
    b.view->settle();
    QCOMPARE(b.view->model()->nodes[*b.view->model()->geometry->nodeOf(OpId(300))].key.kind,
             GraphKey::Kind::Op);
}

void TestGraphCards::anOpenedCardLeavesNoEmptyColumns()
{
    Bench b(pointwiseNet(3000, 21));
    b.view->resize(1000, 700);
    // As wide as the pane, not a few narrow columns in its middle, even where an opened card is much wider
    // than the others.
    const auto check = [&](const QString& what) {
        QRectF all;
        for (const GraphNode& node : b.view->model()->nodes)
            all |= node.rect;
        QVERIFY2(all.width() > 1.2 * all.height(),
                 qPrintable(what + QStringLiteral(": %1 × %2").arg(all.width()).arg(all.height())));
        QVERIFY(all.width() < 2.6 * all.height());
    };
    check(QStringLiteral("closed"));
    for (const int op : {1500, 300, 2900}) {
        b.view->openSection(*b.view->model()->geometry->nodeOf(OpId(op)));
        b.view->settle();
        check(QString::number(op));
    }
}

void TestGraphCards::closedAgain()
{
    Bench b(pointwiseNet(3000, 21));
    b.view->openSection(*b.view->model()->geometry->nodeOf(OpId(1500)));
    b.view->settle();
    const std::size_t before = b.view->model()->nodes.size();
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, b.at(1500));
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_C, Qt::ShiftModifier);
    b.view->settle();
    QVERIFY(b.view->model()->nodes.size() < before);
    QCOMPARE(countOf(*b.view->model(), GraphKey::Kind::Op), std::size_t{0});
    // A single subgraph of a fused schedule: its card, opened and closed.
    const ProblemPtr problem = layers(28, 25);
    Bench fused(problem, inRuns(*problem, 10));
    QTest::mouseDClick(fused.view.get(), Qt::LeftButton, {}, fused.handle(7));
    fused.view->settle();
    QVERIFY(!fused.view->model()->hulls[7].collapsed);
    QCOMPARE(countOf(*fused.view->model(), GraphKey::Kind::Op), std::size_t{10});
    QTest::mouseDClick(fused.view.get(), Qt::LeftButton, {}, fused.handle(7));
    fused.view->settle();
    QVERIFY(fused.view->model()->hulls[7].collapsed);
}

void TestGraphCards::expandAllIsRemembered()
{
    {
        Bench b(pointwiseNet(1000, 4));
        QLabel& note = b.view->note();
        QVERIFY(note.text().contains(QStringLiteral("Expand all")));
        QVERIFY(note.height() < 40);
        QVERIFY(note.geometry().top() >= b.view->toolbar().geometry().bottom());
        // With the keyboard: to the note, to its link, Enter.
        note.setFocus(Qt::TabFocusReason);
        QTest::keyClick(&note, Qt::Key_Tab);
        QTest::keyClick(&note, Qt::Key_Return);
        b.view->settle();
        QCOMPARE(countOf(*b.view->model(), GraphKey::Kind::Op), std::size_t{1000});
        QVERIFY(!note.isVisible());
    }
    Bench next(pointwiseNet(1000, 5));
    QCOMPARE(countOf(*next.view->model(), GraphKey::Kind::Op), std::size_t{1000});
    next.state.actions.find(QStringLiteral("graph.collapseAll"))->trigger();
    next.view->settle();
    QCOMPARE(countOf(*next.view->model(), GraphKey::Kind::Op), std::size_t{0});
    Bench third(pointwiseNet(1000, 6));
    QVERIFY(third.view->model()->geometry->condensed);
}

void TestGraphCards::allOfAWholeIsDrawnAnew()
{
    // Only the few inputs beside the cards have a place from before; what was laid out about them leaned over
    // and began with a line right across the picture.
    const ProblemPtr problem = *generateWorkload({.kind = WorkloadKind::Transformer, .layers = 40});
    QVERIFY(problem->opCount() > 600);
    Bench opened(problem);
    opened.view->collapseAll(false);
    opened.view->settle();
    Bench fresh(problem); // expanding all is remembered
    QCOMPARE(countOf(*opened.view->model(), GraphKey::Kind::Op), problem->opCount());
    QVERIFY(opened.view->model()->geometry->layout.nodes == fresh.view->model()->geometry->layout.nodes);
}

void TestGraphCards::selectedAndSought()
{
    Bench b(pointwiseNet(3000, 21));
    const std::size_t node = *b.view->model()->geometry->nodeOf(OpId(700));
    const auto inside = b.view->model()->geometry->sections.at(node).ops;
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, centreOf(b, node));
    QCOMPARE(b.selected().ops, std::set<OpId>(inside.begin(), inside.end()));
    QCOMPARE(b.selected().subgraphs.size(), inside.size()); // each wholly covered
    // An op inside a card is found by its name, and it alone is selected.
    const QImage unsought = b.picture(b.node(700));
    QLineEdit* field = b.view->toolbar().searchField();
    QTest::keyClicks(field, QStringLiteral("op 1234"));
    QVERIFY2(b.picture(b.node(700)) != unsought, "cards without it step back");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(b.selected().ops, std::set<OpId>{OpId(1234)});
    QVERIFY(QRectF(b.view->rect()).contains(b.view->positionOf(OpId(1234))));
    const QImage chosen = b.picture(b.node(1234));
    b.state.selection.clear();
    QVERIFY2(b.picture(b.node(1234)) != chosen, "the card of what is selected says so");
}

void TestGraphCards::keysMoveBetweenCards()
{
    Bench b(pointwiseNet(3000, 21));
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_Space); // nothing selected: begins in the middle
    const std::set<OpId> first = b.selected().ops;
    QVERIFY(first.size() > 1);
    QTest::keyClick(b.view.get(), Qt::Key_Down);
    QVERIFY(b.selected().ops.size() > 1);
    QVERIFY(b.selected().ops != first);
    QTest::keyClick(b.view.get(), Qt::Key_Space); // takes the card out
    QVERIFY(b.selected().ops.empty());
}

void TestGraphCards::dropOnACardChangesNothing()
{
    Bench b(pointwiseNet(3000, 21));
    b.view->openSection(*b.view->model()->geometry->nodeOf(OpId(1500)));
    b.view->settle();
    b.view->fitAll();
    const QPoint card = centreOf(b, *b.view->model()->geometry->nodeOf(OpId(100)));
    b.carry(b.at(1500), card);
    QVERIFY(b.view->drag().isActive());
    QCOMPARE(b.view->drag().verdict().kind, GraphVerdict::Kind::Same);
    QVERIFY(b.view->drag().verdict().detail.contains(QStringLiteral("double-click")));
    b.release(card);
    QCOMPARE(b.document().undoStack().count(), 0);
}

void TestGraphCards::editsKeepTheCards()
{
    const ProblemPtr problem = pointwiseNet(3000, 21);
    Bench b(problem);
    const auto keysBefore = b.view->model()->geometry->keys;
    const std::set<GraphKey> before(keysBefore.begin(), keysBefore.end());
    const OpId op(1500);
    const OpId producer = *problem->producer(problem->op(op).inputs.front());
    const auto next =
        edit::moveOps(*problem, b.document().schedule(), std::vector{op}, std::nullopt,
                      subgraphsWith(b.document().schedule(), producer).front(), {.rules = {}, .force = true});
    QVERIFY(next);
    b.document().apply(*next, QStringLiteral("move"));
    b.document().waitForSnapshot();
    b.view->settle();
    const auto keysAfter = b.view->model()->geometry->keys;
    QCOMPARE(std::set<GraphKey>(keysAfter.begin(), keysAfter.end()), before);
}

TILEWRIGHT_TEST(TestGraphCards)

} // namespace test_graph_cards
#include "test_graph_cards.moc"
