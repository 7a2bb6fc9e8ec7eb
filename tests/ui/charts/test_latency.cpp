// SPDX-License-Identifier: GPL-3.0-or-later
// Latency bars: values against the evaluation, the ghost of the baseline, sorting, selecting.
#include "canvas/control_bar.h"
#include "edit/edits.h"
#include "edit/fit.h"
#include "export/export_view.h"
#include "picture.h"
#include "test_main.h"
#include "views/latency/latency_view.h"
#include "window/app_state.h"

#include <QComboBox>
#include <QtTest>

namespace test_latency {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// A chain of pointwise ops with growing cost.
ProblemPtr chain(std::size_t ops)
{
    Problem::Data data;
    data.tensors = IdVector<TensorId, Tensor>(ops + 1, Tensor{256, 256, {}});
    for (std::size_t i = 0; i < ops; ++i)
        data.ops.push_back({OpType::Pointwise,
                            {TensorId(i)},
                            TensorId(i + 1),
                            static_cast<std::int64_t>(100 + 900 * (i % 5)),
                            {}});
    data.hardware = {200000, 20, 128, 128, {}};
    return *Problem::build(std::move(data));
}

} // namespace

class TestLatency : public QObject
{
    Q_OBJECT

    std::unique_ptr<AppState> m_state;
    std::unique_ptr<LatencyView> m_view;

    void open(const ProblemPtr& problem, QSize size = {900, 360})
    {
        m_view.reset();
        m_state = std::make_unique<AppState>();
        m_state->document.setProblem(problem, oneOpPerSubgraph(*problem));
        m_state->document.evaluateNow();
        m_view = std::make_unique<LatencyView>(m_state->context());
        m_view->resize(size);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    Document& document() { return m_state->document; }
    /// What is shown below the controls, which have colours of their own.
    QImage below()
    {
        const auto* bar = m_view->findChild<ControlBar*>();
        return picture::of(*m_view, m_view->rect().adjusted(0, bar->height() + 2, 0, 0));
    }

private Q_SLOTS:
    void cleanup()
    {
        m_view.reset();
        m_state.reset();
    }

    void barsAreTheEvaluation()
    {
        open(chain(7));
        const Evaluation& e = document().snapshot()->evaluation;
        QCOMPARE(m_view->model().bars.size(), std::size_t(7));
        double sum = 0;
        double shares = 0;
        for (const LatencyBar& bar : m_view->model().bars) {
            const SubgraphEvaluation& s = e.subgraphs[bar.id.index()];
            QCOMPARE(bar.latency, s.latency);
            QCOMPARE(bar.compute, s.compute);
            QVERIFY(std::abs(bar.load + bar.store - s.memory) < 1e-9 * s.memory);
            QVERIFY(bar.latency >= std::max(bar.compute, bar.load + bar.store) * (1 - 1e-12));
            sum += bar.latency;
            shares += bar.share;
        }
        QCOMPARE(sum, m_view->model().total);
        QVERIFY(std::abs(shares - 1) < 1e-12);
    }

    void sortedByLatency()
    {
        open(chain(7));
        auto* sort = m_view->findChild<QComboBox*>();
        sort->setFocus();
        QTest::keyClick(sort, Qt::Key_Down);
        const auto& bars = m_view->model().bars;
        for (std::size_t i = 0; i + 1 < bars.size(); ++i)
            QVERIFY(bars[i].latency >= bars[i + 1].latency);
        QCOMPARE(bars.front().id, SubgraphId(4)); // the first of the most expensive ops
        QTest::keyClick(sort, Qt::Key_Up);
        QCOMPARE(m_view->model().bars.front().id, SubgraphId(0));
    }

    void sortedByChangeAndColoured()
    {
        open(chain(6));
        document().pinBaseline(QStringLiteral("before"));
        QVERIFY(document().apply(edit::fuse(*document().problem(), document().schedule(),
                                            std::array{SubgraphId(0), SubgraphId(1)}),
                                 QStringLiteral("fuse")));
        QVERIFY(document().apply(edit::setGranularity(*document().problem(), document().schedule(),
                                                      std::array{SubgraphId(2)}, {64, 64, 1}),
                                 QStringLiteral("smaller tiles")));
        m_view->settle();
        const auto choose = [&](const QString& name, int index) {
            for (QComboBox* box : m_view->findChildren<QComboBox*>())
                if (box->accessibleName() == name)
                    box->setCurrentIndex(index);
        };
        choose(QStringLiteral("Sort by"), 2);
        const auto& bars = m_view->model().bars;
        for (std::size_t i = 0; i + 1 < bars.size(); ++i)
            QVERIFY(std::abs(bars[i].change()) >= std::abs(bars[i + 1].change()));
        const std::set<SubgraphId> first{bars[0].id, bars[1].id};
        QCOMPARE(first, (std::set<SubgraphId>{SubgraphId(0), SubgraphId(2)}));
        QVERIFY(bars[0].change() * bars[1].change() < 0); // one gained, one lost
        QCOMPARE(bars.back().change(), 0.0);
        std::set<QByteArray> pictures;
        for (const int colour : {0, 1, 2}) {
            choose(QStringLiteral("Colour"), colour);
            const QImage image = m_view->grab().toImage().copy(0, 60, 900, 240);
            pictures.insert(
                QByteArray(reinterpret_cast<const char*>(image.constBits()), image.sizeInBytes()));
        }
        QCOMPARE(pictures.size(), std::size_t(3));
    }

    void clickSelectsAndKeysGoOn()
    {
        open(chain(7));
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, m_view->barFoot(SubgraphId(3)).toPoint());
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(3));
        QTest::mouseClick(m_view.get(), Qt::LeftButton, Qt::ControlModifier,
                          m_view->barFoot(SubgraphId(5)).toPoint());
        QCOMPARE(m_state->selection.state().subgraphs, (std::set<SubgraphId>{SubgraphId(3), SubgraphId(5)}));
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(4));
        QTest::keyClick(m_view.get(), Qt::Key_Comma);
        QTest::keyClick(m_view.get(), Qt::Key_Comma);
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(2));
        QTest::mouseMove(m_view.get(), m_view->barFoot(SubgraphId(6)).toPoint());
        QTRY_COMPARE(m_state->selection.hover().subgraph, SubgraphId(6));
    }

    void namesUnderTheBarsTellThemApart()
    {
        const QFontMetricsF fm(uiFont(0.9));
        const auto name = [&](const OpNames& names, const char* room) {
            return latencyName(names, fm, fm.horizontalAdvance(QLatin1String(room)));
        };
        // Of layer0.norm1, layer0.head0.query, layer0.head1.query: what all share is not in it (OpNames).
        QCOMPARE(name({QStringLiteral("norm1"), {}}, "norm1"), QStringLiteral("norm1"));
        QCOMPARE(name({QStringLiteral("query"), QStringLiteral("head0")}, "head0.query"),
                 QStringLiteral("head0.query"));
        QCOMPARE(name({QStringLiteral("query"), QStringLiteral("head0")}, "h0.queryi"),
                 QStringLiteral("h0.query"));
        QCOMPARE(name({QStringLiteral("query, scores"), QStringLiteral("head1")}, "h1.query, MM"),
                 QStringLiteral("h1.query, …"));
        open(chain(3));
        for (const LatencyBar& bar : m_view->model().bars)
            QVERIFY(!bar.names.names.isEmpty());
    }

    void theGhostOfFusedSubgraphsIsTheirSum()
    {
        open(chain(4));
        document().pinBaseline(QStringLiteral("before"));
        const Evaluation before = document().snapshot()->evaluation;
        QVERIFY(document().apply(edit::fuse(*document().problem(), document().schedule(),
                                            std::array{SubgraphId(0), SubgraphId(1)}),
                                 QStringLiteral("fuse")));
        m_view->settle();
        const auto& bars = m_view->model().bars;
        QCOMPARE(bars.size(), std::size_t(3));
        QVERIFY(bars[0].before);
        QCOMPARE(*bars[0].before, before.subgraphs[0].latency + before.subgraphs[1].latency);
        QCOMPARE(*bars[2].before, before.subgraphs[3].latency);
        QVERIFY(bars[0].latency < *bars[0].before);
        QVERIFY(m_view->model().title.contains(QStringLiteral("against the baseline")));

        // The other way round: halves of a subgraph have no ghost of their own, but say where they were.
        document().pinBaseline(QStringLiteral("fused"));
        document().setBaselineIndex(1);
        document().undoStack().undo();
        m_view->settle();
        QVERIFY(!m_view->model().bars[0].before);
        QCOMPARE(m_view->model().bars[0].beforeIds, std::vector<SubgraphId>{SubgraphId(0)});
        // Their dashes are their shares of it.
        const auto& halves = m_view->model().bars;
        QVERIFY(halves[0].ghost && halves[1].ghost);
        QVERIFY(std::abs(*halves[0].ghost + *halves[1].ghost -
                         document().baseline()->evaluation.subgraphs[0].latency) < 1e-6);
        QVERIFY(halves[0].change() > 0 && halves[1].change() > 0);
        QVERIFY(latencyTooltip(halves[0]).contains(QStringLiteral("its share")));
        QCOMPARE(*m_view->model().bars[3].before, before.subgraphs[3].latency);
    }

    void aBrokenSubgraphHasNoLatency()
    {
        open(chain(3));
        EditOptions force;
        force.force = true;
        QVERIFY(document().apply(edit::setGranularity(*document().problem(), document().schedule(),
                                                      std::array{SubgraphId(1)}, {500, 128, 1}, force),
                                 QStringLiteral("too wide")));
        m_view->settle();
        QVERIFY(!m_view->model().bars[1].runs);
        QCOMPARE(m_view->model().bars[1].latency, 0.0);
        QVERIFY(picture::colours(below()) > 20);
    }

    void manyBarsZoomAndFit()
    {
        open(chain(3000));
        QVERIFY(picture::colours(below()) > 20); // several bars a pixel
        m_view->setFocus();
        QTest::keyClick(m_view.get(), Qt::Key_W);
        QVERIFY(m_view->visibleBars().second - m_view->visibleBars().first < 3000);
        m_state->selection.selectSubgraph(SubgraphId(2000));
        QTest::keyClick(m_view.get(), Qt::Key_F); // to the middle
        QCOMPARE(m_view->visibleBars(), (std::pair<double, double>{600, 3000}));
        QTest::keyClick(m_view.get(), Qt::Key_F); // and large
        QCOMPARE(m_view->visibleBars().first, 1996.0);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, m_view->barFoot(SubgraphId(2001)).toPoint());
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(2001));
        for (int i = 0; i < 8; ++i)
            QTest::keyClick(m_view.get(), Qt::Key_Period);
        QVERIFY2(m_view->visibleBars().second > 2009, "the selected bar stays in sight");
        QTest::keyClick(m_view.get(), Qt::Key_Home);
        QCOMPARE(m_view->visibleBars().second, 3000.0);
    }

    void hintsTextAndPictures()
    {
        m_state = std::make_unique<AppState>();
        m_view = std::make_unique<LatencyView>(m_state->context());
        QVERIFY(m_view->model().hint.contains(QStringLiteral("Open a problem")));
        const ProblemPtr problem = chain(5);
        document().setProblem(problem, oneOpPerSubgraph(*problem));
        document().evaluateNow();
        m_view->settle();
        const QStringList rows = m_view->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 6);
        QCOMPARE(rows[1].split(QLatin1Char('\t')).size(), 12); // the last four of the run (R20)
        ExportOptions options;
        options.size = {700, 300};
        const QImage light = renderToImage(*m_view, options);
        options.theme = &Theme::darkTheme();
        QVERIFY(renderToImage(*m_view, options) != light);
    }
};

TILEWRIGHT_TEST(TestLatency)

} // namespace test_latency
#include "test_latency.moc"
