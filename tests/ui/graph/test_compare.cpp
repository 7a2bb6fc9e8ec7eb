// SPDX-License-Identifier: GPL-3.0-or-later
// Compare: the list against core, F7 with both graphs, linked selection, swapping, pictures.
#include "edit/edits.h"
#include "edit/fit.h"
#include "export/export_view.h"
#include "test_main.h"
#include "views/compare/compare_data.h"
#include "views/compare/compare_panes.h"
#include "views/compare/compare_view.h"
#include "views/compare/difference_list.h"
#include "window/app_state.h"
#include "workload/generate.h"

#include <QHeaderView>
#include <QLabel>
#include <QWheelEvent>
#include <QtTest>

#include <cmath>

namespace test_compare {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// A row of pointwise ops and MatMuls, long enough that a part of it is small when all is shown.
ProblemPtr chain()
{
    Problem::Data data;
    constexpr std::size_t kOps = 14;
    data.tensors = IdVector<TensorId, Tensor>(kOps + 2, Tensor{256, 256, {}});
    for (std::size_t i = 0; i < kOps; ++i)
        if (i % 3 == 2)
            data.ops.push_back({OpType::MatMul, {TensorId(i), TensorId(kOps + 1)}, TensorId(i + 1), 900, {}});
        else
            data.ops.push_back({OpType::Pointwise, {TensorId(i)}, TensorId(i + 1), 300, {}});
    data.hardware = {250000, 20, 128, 128, {}};
    return *Problem::build(std::move(data));
}

} // namespace

class TestCompare : public QObject
{
    Q_OBJECT

    std::unique_ptr<AppState> m_state;
    std::unique_ptr<CompareView> m_view;

    Document& document() { return m_state->document; }
    const Problem& problem() { return *document().problem(); }
    ComparePanes& panes() { return *m_view->panes(); }

    void open()
    {
        m_view.reset();
        m_state = std::make_unique<AppState>();
        const ProblemPtr p = chain();
        document().setProblem(p, oneOpPerSubgraph(*p));
        document().evaluateNow();
        m_view = std::make_unique<CompareView>(m_state->context());
        m_view->resize(1100, 700);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    /// Against a baseline: fused 0+1, smaller tiles for 5, another order of tiles for 8, 11+12 fused.
    void openWithDifferences()
    {
        open();
        document().pinBaseline(QStringLiteral("before"));
        const std::array<SubgraphId, 1> five{SubgraphId(5)};
        const std::array<SubgraphId, 1> eight{SubgraphId(8)};
        QVERIFY(document().apply(edit::setGranularity(problem(), document().schedule(), five, {64, 64, 64}),
                                 QStringLiteral("tiles")));
        QVERIFY(document().apply(
            edit::setTraversal(problem(), document().schedule(), eight, TraversalKind::Snake),
            QStringLiteral("order")));
        QVERIFY(document().apply(
            edit::fuse(problem(), document().schedule(), std::array{SubgraphId(11), SubgraphId(12)}),
            QStringLiteral("fuse")));
        QVERIFY(document().apply(
            edit::fuse(problem(), document().schedule(), std::array{SubgraphId(0), SubgraphId(1)}),
            QStringLiteral("fuse")));
        m_view->settle();
    }
    QStringList column(int c)
    {
        QStringList out;
        for (int i = 0; i < m_view->list()->model()->rowCount(); ++i)
            out << m_view->list()->model()->index(i, c).data().toString();
        return out;
    }
    void key(Qt::KeyboardModifiers modifiers = {})
    {
        // The keys of the menu: triggered as the window would.
        m_state->actions
            .find(modifiers ? QStringLiteral("compare.previous") : QStringLiteral("compare.next"))
            ->trigger();
    }

private Q_SLOTS:
    void cleanup()
    {
        m_view.reset();
        m_state.reset();
    }

    void thousandsOfOpsAreCards()
    {
        GenerateOptions options;
        options.kind = WorkloadKind::Random;
        options.ops = 1000;
        const ProblemPtr problem = *generateWorkload(options);
        m_state = std::make_unique<AppState>();
        m_state->document.setProblem(problem, oneOpPerSubgraph(*problem));
        m_view = std::make_unique<CompareView>(m_state->context());
        document().pinBaseline();
        const SubgraphId first(std::size_t(0));
        QVERIFY(document().apply(
            edit::setTraversal(*problem, document().schedule(), std::array{first}, TraversalKind::Snake),
            QStringLiteral("order")));
        m_view->settle();
        for (const GraphModel& graph : m_view->data()->graphs) {
            QVERIFY2(graph.nodes.size() < 200, qPrintable(QString::number(graph.nodes.size())));
            QVERIFY(graph.geometry->hasCards());
            for (std::size_t i = 0; i < problem->opCount(); ++i) // each op is in one
                QVERIFY(graph.geometry->nodeOf(OpId(i)));
        }
    }
    void everyDifferenceHasItsExactShare()
    {
        openWithDifferences();
        const Comparison& c = m_view->data()->comparison;
        QCOMPARE(column(DifferenceList::Kind),
                 (QStringList{QStringLiteral("fused"), QStringLiteral("fused"), QStringLiteral("granularity"),
                              QStringLiteral("traversal")}));
        double sum = 0;
        for (const Contribution& part : c.contributions)
            sum += part.delta;
        QVERIFY(std::abs(sum - (c.after - c.before)) < 1e-9 * c.before);
        QCOMPARE(c.before, document().baseline()->evaluation.total);
        QCOMPARE(c.after, document().snapshot()->evaluation.total);
        const QStringList rows = m_view->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 5);
        QCOMPARE(rows[3].section(QLatin1Char('\t'), 5, 5).toDouble(), c.contributions[2].delta);
    }

    /// The texts are painted, not only their bars.
    void rowsShowTheirTexts()
    {
        openWithDifferences();
        const QRect cell =
            m_view->list()->visualRect(m_view->list()->model()->index(0, DifferenceList::Kind));
        const QImage picture = m_view->list()->viewport()->grab(cell).toImage();
        int ink = 0;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x)
                ink += picture.pixelColor(x, y).lightness() < 100 ? 1 : 0;
        QVERIFY2(ink > 20, qPrintable(QString::number(ink)));
    }

    void nextDifferenceZoomsBothGraphs()
    {
        openWithDifferences();
        QSignalSpy wanted(m_view.get(), &CompareView::wanted);
        QCOMPARE(m_state->actions.find(QStringLiteral("compare.next"))->shortcut(), QKeySequence(Qt::Key_F7));
        QCOMPARE(m_state->actions.find(QStringLiteral("compare.previous"))->shortcut(),
                 QKeySequence(Qt::SHIFT | Qt::Key_F7));
        const double whole = panes().scale(0);
        const std::vector<std::set<OpId>> ops{
            {OpId(0), OpId(1)}, {OpId(11), OpId(12)}, {OpId(5)}, {OpId(8)}, {OpId(0), OpId(1)}};
        for (std::size_t i = 0; i < ops.size(); ++i) { // round the end to the first again
            key();
            QCOMPARE(panes().highlight(), ops[i]);
            QVERIFY(panes().scale(0) > whole * 1.2);
            QCOMPARE(panes().scale(0), panes().scale(1));
            for (const std::size_t pane : {0U, 1U})
                for (const OpId o : ops[i])
                    QVERIFY(panes().paneRect(pane).contains(panes().positionOf(pane, o)));
        }
        QCOMPARE(wanted.size(), 5);
        key(Qt::ShiftModifier);
        QCOMPARE(panes().highlight(), ops[3]);
        // A click on a row does the same, also when it is the current one and the graphs have moved.
        panes().fitAll();
        const QModelIndex row = m_view->list()->model()->index(3, 0);
        m_view->list()->scrollTo(row);
        QTest::mouseClick(m_view->list()->viewport(), Qt::LeftButton, {},
                          m_view->list()->visualRect(row).center());
        QVERIFY(panes().scale(0) > whole * 1.2);
        QTest::keyClick(&panes(), Qt::Key_Home);
        QCOMPARE(panes().scale(0), whole);
    }

    void whatIsSelectedInOneIsSelectedInBoth()
    {
        openWithDifferences();
        QTest::mouseClick(&panes(), Qt::LeftButton, {}, panes().positionOf(0, OpId(5)).toPoint());
        QCOMPARE(m_state->selection.state().ops, std::set<OpId>{OpId(5)});
        // The row that concerns the op is shown; the graphs stay where they are.
        QCOMPARE(m_view->list()->currentIndex().siblingAtColumn(DifferenceList::Kind).data().toString(),
                 QStringLiteral("granularity"));
        const QImage left = panes().grab(panes().paneRect(0).toRect()).toImage();
        const QImage right = panes().grab(panes().paneRect(1).toRect()).toImage();
        QTest::mouseClick(&panes(), Qt::LeftButton, {}, panes().positionOf(1, OpId(8)).toPoint());
        QCOMPARE(m_state->selection.state().ops, std::set<OpId>{OpId(8)});
        QVERIFY(panes().grab(panes().paneRect(0).toRect()).toImage() != left);
        QVERIFY(panes().grab(panes().paneRect(1).toRect()).toImage() != right);
        m_state->selection.selectTensor(TensorId(4)); // by any view
        QTest::keyClick(&panes(), Qt::Key_F);         // zooms to the op that is still selected
        QVERIFY(panes().paneRect(0).contains(panes().positionOf(0, OpId(8))));
    }

    void theGraphsZoomTogetherUntilUnlinked()
    {
        openWithDifferences();
        const auto wheel = [&](QPointF at) {
            QWheelEvent event(at, panes().mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(&panes(), &event);
        };
        const QPointF before = panes().positionOf(1, OpId(5));
        wheel(before); // stays under the mouse
        QVERIFY((panes().positionOf(1, OpId(5)) - before).manhattanLength() < 1e-6);
        QCOMPARE(panes().scale(0), panes().scale(1));
        m_state->actions.find(QStringLiteral("compare.link"))->trigger();
        wheel(before);
        QVERIFY(panes().scale(1) > panes().scale(0) * 1.1);
    }

    void swappingTwiceIsTheSameAgain()
    {
        openWithDifferences();
        const Schedule a = document().baseline()->schedule;
        const Schedule b = document().schedule();
        QAction* swap = m_state->actions.find(QStringLiteral("compare.swap"));
        swap->trigger();
        m_view->settle();
        QVERIFY(document().schedule() == a && document().baseline()->schedule == b);
        QCOMPARE(column(DifferenceList::Kind).count(QStringLiteral("split")), 2);
        swap->trigger();
        m_view->settle();
        QVERIFY(document().schedule() == b && document().baseline()->schedule == a);
        QCOMPARE(document().baselines().size(), std::size_t(1));
        document().undoStack().undo();
        QVERIFY(document().schedule() == a);
    }

    void rowsSortByTheirShare()
    {
        openWithDifferences();
        auto* header = m_view->list()->header();
        const int x = header->sectionViewportPosition(DifferenceList::Delta) + 10;
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, QPoint(x, header->height() / 2));
        const auto value = [&](int i) {
            return m_view->data()
                ->comparison.contributions[*m_view->list()->indexOf(m_view->list()->model()->index(i, 0))]
                .delta;
        };
        for (int i = 0; i + 1 < m_view->list()->model()->rowCount(); ++i)
            QVERIFY(value(i) <= value(i + 1));
        key(); // goes in the order that is seen
        QCOMPARE(*m_view->list()->indexOf(m_view->list()->currentIndex()),
                 *m_view->list()->indexOf(m_view->list()->model()->index(0, 0)));
    }

    void hintsAndPictures()
    {
        open();
        QVERIFY(!m_view->list()->isVisible());
        QVERIFY(!m_state->actions.find(QStringLiteral("compare.next"))->isEnabled());
        document().pinBaseline(QStringLiteral("same"));
        m_view->settle();
        QVERIFY(!m_view->list()->isVisible()); // nothing differs
        openWithDifferences();
        ExportOptions options;
        QImage light;
        for (const QSize size : {QSize(1280, 800), QSize(500, 300)})
            for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()}) {
                options.size = size;
                options.theme = theme;
                const QImage image = renderToImage(*m_view, options);
                QVERIFY(image != light);
                light = image;
            }
        QCOMPARE(m_view->size(), QSize(1100, 700));
        QVERIFY(!m_state->themes.theme().dark);
    }
    void theGraphsHaveTheColoursOfTheEditedOne()
    {
        openWithDifferences();
        // Colours depend on how a schedule came about: here the first are not those of a fresh one.
        QVERIFY(document().apply(
            edit::fuse(problem(), document().schedule(), std::array{SubgraphId(2), SubgraphId(3)}),
            QStringLiteral("fuse")));
        document().undoStack().undo();
        document().waitForSnapshot();
        m_view->settle();
        const CompareDataPtr data = compareData(document().baseline(), document().snapshot(), {},
                                                document().subgraphColours(), GraphMetrics{}, {});
        const std::vector<std::size_t>& colours = document().colours();
        QCOMPARE(data->graphs[1].hulls.size(), colours.size());
        for (std::size_t i = 0; i < colours.size(); ++i)
            QCOMPARE(data->graphs[1].hulls[i].fill.value, static_cast<double>(colours[i]));
    }

    /// As a baseline of another machine may be after a restart.
    void aBaselineThatIsNotValidHasNoShare()
    {
        open();
        Schedule less = document().schedule();
        less.subgraphs.pop_back();
        document().addBaseline(QStringLiteral("less"),
                               takeSnapshot(document().problem(), less, document().rules(), 0, 1));
        document().setBaselineIndex(0);
        m_view->settle();
        QVERIFY(m_view->data() && !m_view->data()->isValid(0) && m_view->data()->isValid(1));
        const auto texts = m_view->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(texts, [](const QLabel* label) {
            return label->text().contains(QStringLiteral("A is not valid on this machine"));
        }));
        QVERIFY(std::ranges::none_of(
            texts, [](const QLabel* label) { return label->text().contains(QLatin1Char('%')); }));
    }
};

TILEWRIGHT_TEST(TestCompare)

} // namespace test_compare
#include "test_compare.moc"
