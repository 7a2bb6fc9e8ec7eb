// SPDX-License-Identifier: GPL-3.0-or-later
// Repeating blocks as one card: drawn, opened, closed, searched, dropped on, compared.
#include "edit/edits.h"
#include "graph_bench.h"
#include "lower/lowered.h"
#include "model/networks.h"
#include "test_main.h"
#include "workload/generate.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>

namespace test_graph_blocks {

using namespace graphtest;

namespace {

ProblemPtr lowered(const model::NetworkOptions& options)
{
    return *lower::problemOf(
        *lower::lowerToProblem(*model::generateNetwork(options), *machinePreset("edge")));
}

/// 32 layers, a norm and a head.
const ProblemPtr& llama()
{
    static const ProblemPtr problem = lowered({.kind = model::NetworkKind::Llama,
                                               .layers = 32,
                                               .classes = 1000,
                                               .tokens = 64,
                                               .hidden = 256,
                                               .ffn = 512,
                                               .heads = 4,
                                               .kvHeads = 2});
    return problem;
}
std::size_t opsOfLayer()
{
    return (llama()->opCount() - 2) / 32;
}

ProblemPtr smallTransformer()
{
    return *generateWorkload({.kind = WorkloadKind::Transformer, .layers = 6});
}

OpId opNamed(const Problem& problem, const std::string& name)
{
    for (std::size_t i = 0; i < problem.opCount(); ++i)
        if (problem.opName(OpId(i)) == name)
            return OpId(i);
    qFatal("no op %s", name.c_str());
}

std::vector<std::size_t> stacks(const GraphView& view)
{
    std::vector<std::size_t> out;
    for (std::size_t v = 0; v < view.model()->nodes.size(); ++v)
        if (view.model()->nodes[v].isStack)
            out.push_back(v);
    return out;
}

QStringList titles(const GraphView& view)
{
    QStringList out;
    for (const std::size_t v : stacks(view))
        out << view.model()->nodes[v].title;
    out.sort();
    return out;
}

std::size_t countOf(const GraphView& view, GraphKey::Kind kind)
{
    return static_cast<std::size_t>(std::count_if(view.model()->nodes.begin(), view.model()->nodes.end(),
                                                  [&](const GraphNode& n) { return n.key.kind == kind; }));
}

QPoint centreOf(const GraphView& view, std::size_t node)
{
    return view.viewport().toScreen(view.model()->nodes[node].rect.center()).toPoint();
}

GraphKey::Kind kindOf(const GraphView& view, OpId op)
{
    return view.model()->nodes[*view.model()->geometry->nodeOf(op)].key.kind;
}

QString plainSpaces(QString text)
{
    return text.replace(QChar(0x00A0), QLatin1Char(' '));
}

/// Every op is drawn, every subgraph in one place.
void checkComplete(const GraphView& view)
{
    const GraphModel& model = *view.model();
    std::map<std::size_t, std::size_t> opsIn;
    for (std::size_t i = 0; i < model.geometry->nodeOfOp.size(); ++i) {
        QVERIFY(model.geometry->nodeOf(OpId(i)));
        ++opsIn[*model.geometry->nodeOf(OpId(i))];
    }
    std::set<SubgraphId> seen;
    for (const auto& [node, section] : model.geometry->sections) {
        QCOMPARE(section.ops.size(), opsIn[node]);
        for (const SubgraphId s : section.subgraphs)
            QVERIFY(seen.insert(s).second);
    }
}

QAction* switchOf(GraphView& view)
{
    for (QAction* action : view.toolbar().findChildren<QAction*>())
        if (action->text() == QStringLiteral("Repeating blocks as one card") && action->isVisible())
            return action;
    return nullptr;
}

} // namespace

class TestGraphBlocks : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;

private slots:
    void initTestCase();
    void init();
    void equalLayersAreOneCard();
    void laidOutQuickly();
    void doubleClickOpensTheFirst();
    void theBlockOfTheSelectedOpOpens();
    void closedAgainIntoOneCard();
    void enterAndMenuOpen();
    void oneByOne();
    void searchOpensTheRightBlock();
    void dropOnTheCardChangesNothing();
    void aPressOutlivesTheLayoutThatComesAfterIt();
    void saysWhatIsScheduledOtherwise();
    void subgraphsAcrossBlocks();
    void fusedLayersAreStackedToo();
    void switchedOnInSmallGraphs();
    void expandAllDrawsEveryOp();
    void editsInAnOpenedBlock();
};

void TestGraphBlocks::initTestCase()
{
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
}

void TestGraphBlocks::init()
{
    QSettings().clear();
}

void TestGraphBlocks::equalLayersAreOneCard()
{
    Bench b(llama());
    QCOMPARE(titles(*b.view), QStringList{QStringLiteral("layer 0–31  × 32")});
    const GraphNode& card = b.view->model()->nodes[stacks(*b.view).front()];
    QCOMPARE(plainSpaces(card.detail), QStringLiteral("each %1 ops in %1 subgraphs").arg(opsOfLayer()));
    QCOMPARE(card.fourth, QStringLiteral("all scheduled alike"));
    QVERIFY2(card.extra.contains(QStringLiteral("each")), qPrintable(card.extra));
    QCOMPARE(card.shares.size(), opsOfLayer());
    // What is no layer is drawn as in a small graph.
    QVERIFY(!b.view->model()->geometry->condensed);
    QCOMPARE(countOf(*b.view, GraphKey::Kind::Op), std::size_t{2});
    checkComplete(*b.view);
    QVERIFY2(picture::colours(b.picture(card)) > 20, "the words and the bar");
    QVERIFY2(b.view->note().text().contains(QStringLiteral("1 card")), qPrintable(b.view->note().text()));
    // The blocks behind it are painted beside it.
    const QRectF rect = b.view->viewport().toScreen(card.rect);
    const QRect beside(rect.bottomRight().toPoint() + QPoint(1, -20), QSize(4, 12));
    QVERIFY(picture::colours(picture::of(*b.view, beside)) > 1);
}

void TestGraphBlocks::laidOutQuickly()
{
    const ProblemPtr problem = lowered({.kind = model::NetworkKind::Llama, .layers = 32}); // of full size
    QCOMPARE(problem->opCount(), std::size_t{3522});
    const Schedule schedule = oneOpPerSubgraph(*problem);
    QElapsedTimer timer;
    timer.start();
    const auto geometry = layOutGraph(problem, schedule, {}, {});
    QVERIFY2(timer.elapsed() < 300, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(geometry->repetitions);
    // Looked for once a problem.
    GraphShape sideways;
    sideways.leftToRight = true;
    const auto next = layOutGraph(problem, schedule, sideways, {}, &*geometry);
    QCOMPARE(next->repetitions, geometry->repetitions);
}

void TestGraphBlocks::doubleClickOpensTheFirst()
{
    Bench b(llama());
    QTest::mouseDClick(b.view.get(), Qt::LeftButton, {}, centreOf(*b.view, stacks(*b.view).front()));
    b.view->settle();
    QCOMPARE(titles(*b.view), QStringList{QStringLiteral("layer 1–31  × 31")});
    QCOMPARE(countOf(*b.view, GraphKey::Kind::Op), opsOfLayer() + 2);
    QCOMPARE(kindOf(*b.view, opNamed(*llama(), "layer0.q")), GraphKey::Kind::Op);
    checkComplete(*b.view);
    // And it is looked at.
    QVERIFY(QRectF(b.view->rect()).contains(b.view->positionOf(opNamed(*llama(), "layer0.q"))));
    QVERIFY(QRectF(b.view->rect()).contains(b.view->positionOf(opNamed(*llama(), "layer0.ffn_add"))));
}

void TestGraphBlocks::theBlockOfTheSelectedOpOpens()
{
    Bench b(llama());
    const OpId op = opNamed(*llama(), "layer17.o");
    const std::size_t card = stacks(*b.view).front();
    const QImage before = b.picture(b.view->model()->nodes[card]);
    b.state.selection.selectOps({op}); // as another view does
    QVERIFY2(b.picture(b.view->model()->nodes[card]) != before,
             "the card says that it holds the selected op");
    QTest::mouseDClick(b.view.get(), Qt::LeftButton, {}, centreOf(*b.view, card));
    b.view->settle();
    QCOMPARE(kindOf(*b.view, op), GraphKey::Kind::Op);
    const QStringList left{QStringLiteral("layer 0–16  × 17"), QStringLiteral("layer 18–31  × 14")};
    QCOMPARE(titles(*b.view), left);
    QVERIFY(QRectF(b.view->rect()).contains(b.view->positionOf(op)));
}

void TestGraphBlocks::closedAgainIntoOneCard()
{
    Bench b(llama());
    b.state.selection.selectOps({opNamed(*llama(), "layer17.o")});
    b.view->openSection(stacks(*b.view).front());
    b.view->settle();
    b.state.selection.selectOps({opNamed(*llama(), "layer3.o")});
    b.view->openSection(*b.view->model()->geometry->nodeOf(opNamed(*llama(), "layer3.o")));
    b.view->settle();
    QCOMPARE(stacks(*b.view).size(), std::size_t{3}); // 0–2, 4–16, 18–31
    for (const char* name : {"layer17.o", "layer3.o"}) {
        b.state.selection.selectOps({opNamed(*llama(), name)});
        b.view->setFocus();
        QTest::keyClick(b.view.get(), Qt::Key_C, Qt::ShiftModifier);
        b.view->settle();
    }
    QCOMPARE(titles(*b.view), QStringList{QStringLiteral("layer 0–31  × 32")});
}

void TestGraphBlocks::enterAndMenuOpen()
{
    {
        Bench b(llama());
        QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, centreOf(*b.view, stacks(*b.view).front()));
        QCOMPARE(b.selected().ops.size(), 32 * opsOfLayer());
        b.view->setFocus();
        QTest::keyClick(b.view.get(), Qt::Key_Return);
        b.view->settle();
        QCOMPARE(titles(*b.view), QStringList{QStringLiteral("layer 1–31  × 31")});
    }
    for (const char* id : {"graph.collapse", "graph.spreadBlocks"}) {
        Bench b(llama());
        QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, centreOf(*b.view, stacks(*b.view).front()));
        b.view->setFocus();
        QTest::keyClick(b.view.get(), Qt::Key_Menu);
        auto* menu = b.view->findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(menu);
        QAction* action = b.state.actions.find(QLatin1String(id));
        bool offered = menu->actions().contains(action);
        for (const QAction* entry : menu->actions())
            offered = offered || (entry->menu() && entry->menu()->actions().contains(action));
        QVERIFY2(offered, id);
        action->trigger();
        menu->close();
        b.view->settle();
        QVERIFY2(titles(*b.view) != QStringList{QStringLiteral("layer 0–31  × 32")}, id);
    }
}

void TestGraphBlocks::oneByOne()
{
    Bench b(llama());
    QTest::mouseClick(b.view.get(), Qt::LeftButton, {}, centreOf(*b.view, stacks(*b.view).front()));
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_B, Qt::ShiftModifier);
    b.view->settle();
    QCOMPARE(stacks(*b.view).size(), std::size_t{0});
    QCOMPARE(countOf(*b.view, GraphKey::Kind::Section), std::size_t{32});
    const std::size_t node = *b.view->model()->geometry->nodeOf(opNamed(*llama(), "layer9.q"));
    QCOMPARE(b.view->model()->nodes[node].title, QStringLiteral("layer9"));
    checkComplete(*b.view);
    b.view->fitAll();
    QTest::mouseDClick(b.view.get(), Qt::LeftButton, {}, centreOf(*b.view, node));
    b.view->settle();
    QCOMPARE(countOf(*b.view, GraphKey::Kind::Section), std::size_t{31});
    QCOMPARE(kindOf(*b.view, opNamed(*llama(), "layer9.q")), GraphKey::Kind::Op);
    QCOMPARE(kindOf(*b.view, opNamed(*llama(), "layer10.q")), GraphKey::Kind::Section);
    // Back, from an op of the opened one.
    b.state.selection.selectOps({opNamed(*llama(), "layer9.q")});
    b.view->setFocus();
    QTest::keyClick(b.view.get(), Qt::Key_B, Qt::ShiftModifier);
    b.view->settle();
    const QStringList left{QStringLiteral("layer 0–8  × 9"), QStringLiteral("layer 10–31  × 22")};
    QCOMPARE(titles(*b.view), left);
}

void TestGraphBlocks::searchOpensTheRightBlock()
{
    Bench b(llama());
    QLineEdit* field = b.view->toolbar().searchField();
    QTest::keyClicks(field, QStringLiteral("layer20.gate"));
    QCOMPARE(titles(*b.view), QStringList{QStringLiteral("layer 0–31  × 32")});
    QTest::keyClick(field, Qt::Key_Return);
    b.view->settle();
    const OpId op = opNamed(*llama(), "layer20.gate");
    QCOMPARE(kindOf(*b.view, op), GraphKey::Kind::Op);
    QCOMPARE(b.selected().ops, std::set<OpId>{op});
    QVERIFY(QRectF(b.view->rect()).contains(b.view->positionOf(op)));
    const QStringList left{QStringLiteral("layer 0–19  × 20"), QStringLiteral("layer 21–31  × 11")};
    QCOMPARE(titles(*b.view), left);
    // What is in every block: the first one, then on from there.
    field->clear();
    QTest::keyClicks(field, QStringLiteral(".ffn_norm"));
    std::set<OpId> visited;
    for (int i = 0; i < 3; ++i) {
        QTest::keyClick(field, Qt::Key_Return);
        b.view->settle();
        QCOMPARE(b.selected().ops.size(), std::size_t{1});
        QVERIFY(visited.insert(*b.selected().ops.begin()).second);
        QCOMPARE(kindOf(*b.view, *b.selected().ops.begin()), GraphKey::Kind::Op);
        QCOMPARE(countOf(*b.view, GraphKey::Kind::Op), opsOfLayer() + 2); // one block at a time
    }
}

void TestGraphBlocks::dropOnTheCardChangesNothing()
{
    Bench b(llama());
    b.view->fitAll();
    const QPoint card = centreOf(*b.view, stacks(*b.view).front());
    b.carry(b.at(opNamed(*llama(), "norm").index()), card);
    QVERIFY(b.view->drag().isActive());
    QCOMPARE(b.view->drag().verdict().kind, GraphVerdict::Kind::Same);
    QVERIFY(b.view->drag().verdict().detail.contains(QStringLiteral("double-click")));
    b.release(card);
    QCOMPARE(b.document().undoStack().count(), 0);
}

/// Nodes are numbered anew by a layout that arrives between press and release.
void TestGraphBlocks::aPressOutlivesTheLayoutThatComesAfterIt()
{
    Bench b(smallTransformer());
    const auto showBlocks = [&] {
        switchOf(*b.view)->trigger();
        b.view->settle();
        b.view->fitAll();
    };
    showBlocks();
    const QPoint card = centreOf(*b.view, stacks(*b.view).front());
    b.press(card);
    b.state.actions.find(QStringLiteral("graph.expandAll"))->trigger();
    b.view->settle();
    QVERIFY(b.view->model()->geometry->sections.empty());
    b.release(card); // threw: the pressed node is no section now
    QVERIFY(b.selected().ops.empty());
    showBlocks();
    const std::size_t node = stacks(*b.view).front();
    const std::size_t ops = b.view->model()->geometry->sections.at(node).ops.size();
    b.press(centreOf(*b.view, node));
    b.document().setRules(Rules::seed()); // the same nodes
    b.document().waitForSnapshot();
    b.view->settle();
    b.release(centreOf(*b.view, node));
    QCOMPARE(b.selected().ops.size(), ops);
}

void TestGraphBlocks::saysWhatIsScheduledOtherwise()
{
    Bench b(llama());
    const auto change = [&](const char* name) {
        Schedule next = b.document().schedule();
        const SubgraphId s = subgraphsWith(next, opNamed(*llama(), name)).front();
        Subgraph other = next[s];
        other.granularity.h = std::max<std::int64_t>(1, other.granularity.h / 2);
        next.subgraphs[s.index()] = std::make_shared<const Subgraph>(other);
        b.document().apply(next, QStringLiteral("retile"));
        b.document().waitForSnapshot();
        b.view->settle();
    };
    const auto said = [&] { return b.view->model()->nodes[stacks(*b.view).front()].fourth; };
    change("layer3.q");
    QCOMPARE(said(), QStringLiteral("1 of 32 scheduled differently"));
    change("layer9.down");
    QCOMPARE(said(), QStringLiteral("2 of 32 scheduled differently"));
    QVERIFY(b.view->model()->nodes[stacks(*b.view).front()].extra.contains(QStringLiteral(" to ")));
    b.document().undoStack().undo();
    b.document().undoStack().undo();
    b.document().waitForSnapshot();
    b.view->settle();
    QCOMPARE(said(), QStringLiteral("all scheduled alike"));
}

void TestGraphBlocks::subgraphsAcrossBlocks()
{
    // The last op of layer 4 together with the first of layer 5.
    const ProblemPtr problem = llama();
    const OpId last = opNamed(*problem, "layer4.ffn_add"), first = opNamed(*problem, "layer5.attention_norm");
    Schedule schedule = oneOpPerSubgraph(*problem);
    const SubgraphId home = subgraphsWith(schedule, last).front();
    Subgraph both = schedule[home];
    both.ops.push_back(first);
    schedule.subgraphs[home.index()] = std::make_shared<const Subgraph>(both);
    schedule.subgraphs.erase(schedule.subgraphs.begin() +
                             static_cast<std::ptrdiff_t>(subgraphsWith(schedule, first).back().index()));
    Bench b(problem, schedule);
    checkComplete(*b.view);
    QCOMPARE(b.view->model()->nodes[stacks(*b.view).front()].fourth,
             QStringLiteral("2 of 32 scheduled differently"));
    // Opened, it stands with the block that it begins in; the other card goes without the op.
    b.state.selection.selectOps({last});
    b.view->openSection(stacks(*b.view).front());
    b.view->settle();
    QCOMPARE(kindOf(*b.view, last), GraphKey::Kind::Op);
    QCOMPARE(kindOf(*b.view, first), GraphKey::Kind::Op);
    checkComplete(*b.view);
}

void TestGraphBlocks::fusedLayersAreStackedToo()
{
    // Fewer subgraphs than a graph of cards would have: a layer each.
    const ProblemPtr problem = llama();
    Schedule schedule;
    std::map<std::string, Subgraph> byLayer;
    for (const OpId op : problem->topologicalOrder()) {
        Subgraph& s = byLayer[problem->opName(op).substr(0, problem->opName(op).find('.'))];
        s.ops.push_back(op);
        s.granularity = {64, 64, 64};
    }
    for (const auto& [name, subgraph] : byLayer)
        schedule.subgraphs.push_back(std::make_shared<const Subgraph>(subgraph));
    Bench b(problem, schedule);
    QCOMPARE(titles(*b.view), QStringList{QStringLiteral("layer 0–31  × 32")});
    QCOMPARE(plainSpaces(b.view->model()->nodes[stacks(*b.view).front()].detail),
             QStringLiteral("each %1 ops in 1 subgraph").arg(opsOfLayer()));
    checkComplete(*b.view);
    b.view->openSection(stacks(*b.view).front());
    b.view->settle();
    QCOMPARE(kindOf(*b.view, opNamed(*problem, "layer0.q")), GraphKey::Kind::Op);
    checkComplete(*b.view);
}

void TestGraphBlocks::switchedOnInSmallGraphs()
{
    {
        Bench b(smallTransformer());
        QCOMPARE(stacks(*b.view).size(), std::size_t{0});
        QCOMPARE(countOf(*b.view, GraphKey::Kind::Op), b.document().problem()->opCount());
        QVERIFY(!b.view->note().isVisible());
        QAction* action = switchOf(*b.view);
        QVERIFY(action && !action->isChecked());
        action->trigger();
        b.view->settle();
        QCOMPARE(titles(*b.view), QStringList{QStringLiteral("layer 0–5  × 6")});
        checkComplete(*b.view);
        QVERIFY(b.view->note().isVisible());
    }
    // Remembered, and apart from that of large graphs.
    Bench small(smallTransformer());
    QCOMPARE(stacks(*small.view).size(), std::size_t{1});
    {
        Bench large(llama());
        QAction* action = switchOf(*large.view);
        QVERIFY(action && action->isChecked());
        action->trigger();
        large.view->settle();
        QCOMPARE(stacks(*large.view).size(), std::size_t{0});
        QVERIFY(large.view->model()->geometry->condensed); // cards as of any large graph
        checkComplete(*large.view);
    }
    Bench again(smallTransformer());
    QCOMPARE(stacks(*again.view).size(), std::size_t{1});
}

void TestGraphBlocks::expandAllDrawsEveryOp()
{
    Bench b(smallTransformer());
    switchOf(*b.view)->trigger();
    b.view->settle();
    QVERIFY(b.view->note().text().contains(QStringLiteral("Expand all")));
    b.state.actions.find(QStringLiteral("graph.expandAll"))->trigger();
    b.view->settle();
    QCOMPARE(countOf(*b.view, GraphKey::Kind::Op), b.document().problem()->opCount());
    QVERIFY(!switchOf(*b.view)->isChecked());
}

void TestGraphBlocks::editsInAnOpenedBlock()
{
    Bench b(llama());
    b.state.selection.selectOps({opNamed(*llama(), "layer2.up")});
    b.view->openSection(stacks(*b.view).front());
    b.view->settle();
    const OpId gate = opNamed(*llama(), "layer2.gate"), norm = opNamed(*llama(), "layer2.ffn_norm");
    b.drag(b.at(gate.index()), b.at(norm.index()), Qt::AltModifier);
    QCOMPARE(b.document().undoStack().count(), 1);
    QCOMPARE(subgraphsWith(b.document().schedule(), gate), subgraphsWith(b.document().schedule(), norm));
    QCOMPARE(kindOf(*b.view, gate), GraphKey::Kind::Op);
    const QStringList left{QStringLiteral("layer 0–1  × 2"), QStringLiteral("layer 3–31  × 29")};
    QCOMPARE(titles(*b.view), left);
    checkComplete(*b.view);
}

TILEWRIGHT_TEST(TestGraphBlocks)

} // namespace test_graph_blocks
#include "test_graph_blocks.moc"
