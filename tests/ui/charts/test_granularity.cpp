// SPDX-License-Identifier: GPL-3.0-or-later
// The granularity map: every cell against the evaluator, choosing by mouse and keys.
#include "edit/edits.h"
#include "edit/fit.h"
#include "export/export_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/granularity/granularity_view.h"
#include "window/app_state.h"

#include <QComboBox>
#include <QtTest>

namespace test_granularity {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// A MatMul of 512 x 512 x 512 followed by a Pointwise.
ProblemPtr matmulAndPointwise(std::int64_t capacity)
{
    Problem::Data data;
    data.tensors = IdVector<TensorId, Tensor>(4, Tensor{512, 512, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 2000, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(2)}, TensorId(3), 400, {}});
    data.hardware = {capacity, 20, 128, 128, {}};
    return *Problem::build(std::move(data));
}

} // namespace

class TestGranularity : public QObject
{
    Q_OBJECT

    std::unique_ptr<AppState> m_state;
    std::unique_ptr<GranularityView> m_view;

    void open(const ProblemPtr& problem, const Schedule& schedule, QSize size = {520, 520})
    {
        m_view.reset();
        m_state = std::make_unique<AppState>();
        m_state->document.setProblem(problem, schedule);
        m_state->document.evaluateNow();
        m_view = std::make_unique<GranularityView>(m_state->context());
        m_view->resize(size);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_view->settle();
    }
    Document& document() { return m_state->document; }
    const Granularity& current(std::size_t i = 0) { return document().schedule()[SubgraphId(i)].granularity; }

private Q_SLOTS:
    void cleanup()
    {
        m_view.reset();
        m_state.reset();
    }

    void everyCellIsWhatTheEvaluatorSays()
    {
        const ProblemPtr problem = matmulAndPointwise(40000);
        for (const bool fused : {false, true}) {
            Schedule schedule = oneOpPerSubgraph(*problem);
            if (fused)
                schedule = *edit::fuse(*problem, schedule, std::array{SubgraphId(0), SubgraphId(1)});
            open(problem, schedule);
            const GranularityCube& cube = *m_view->model().cube;
            QVERIFY(cube.widths.size() >= 6 && cube.widths.size() <= 26);
            QVERIFY(cube.depths.size() >= 4);
            int fits = 0;
            int large = 0;
            int beyond = 0;
            EditOptions force;
            force.force = true;
            for (std::size_t i = 0; i < cube.cells.size(); ++i) {
                const CubeCell& cell = cube.cells[i];
                fits += cell.state == CubeCell::State::Fits;
                large += cell.state == CubeCell::State::OutOfMemory;
                beyond += cell.state == CubeCell::State::SuperNative;
                if (cell.steps > 3000) // the trace walks every step
                    continue;
                const Schedule tried = *edit::setGranularity(*problem, schedule, std::array{SubgraphId(0)},
                                                             cube.granularity(i), force);
                const SubgraphEvaluation e = evaluateByTrace(*problem, tried, Rules::final()).subgraphs[0];
                if (cell.state == CubeCell::State::SuperNative || cell.state == CubeCell::State::Forbidden) {
                    QVERIFY(!e.structurallyValid);
                    continue;
                }
                QVERIFY(e.structurallyValid);
                QVERIFY(std::abs(cell.latency - e.latency) <= 1e-9 * e.latency);
                QCOMPARE(cell.peak, e.peakWorkingSet);
                QCOMPARE(cell.state == CubeCell::State::Fits, e.fits);
                QCOMPARE(cell.steps, e.steps);
                if (e.fits) {
                    QVERIFY(cell.latency >= cube.cells[*cube.best].latency * (1 - 1e-12));
                }
            }
            QVERIFY2(fits > 50 && large > 0 && beyond > 5,
                     qPrintable(QStringLiteral("%1 %2 %3").arg(fits).arg(large).arg(beyond)));
        }
    }

    void sizesAreFewAndHoldWhatMatters()
    {
        for (const std::int64_t extent : {1, 7, 100, 128, 500, 4096, 100000})
            for (const std::int64_t current : {std::int64_t(1), std::int64_t(96), extent}) {
                const auto sizes = mapSizes(extent, 128, current);
                QVERIFY(std::is_sorted(sizes.begin(), sizes.end()));
                QVERIFY(std::adjacent_find(sizes.begin(), sizes.end()) == sizes.end());
                QVERIFY(std::binary_search(sizes.begin(), sizes.end(), current));
                QVERIFY(std::binary_search(sizes.begin(), sizes.end(), std::min<std::int64_t>(extent, 128)));
                QVERIFY2(sizes.size() <= 30, qPrintable(QString::number(sizes.size())));
            }
    }

    void clickApplies()
    {
        const ProblemPtr problem = matmulAndPointwise(200000);
        open(problem, oneOpPerSubgraph(*problem));
        QCOMPARE(current(), (Granularity{128, 128, 128}));
        const CubeCell expected = [&] {
            const GranularityCube& c = *m_view->model().cube;
            for (std::size_t i = 0; i < c.cells.size(); ++i)
                if (c.granularity(i) == Granularity{64, 32, 128})
                    return c.cells[i];
            return CubeCell();
        }();
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, m_view->cellCentre(64, 32).toPoint());
        QCOMPARE(current(), (Granularity{64, 32, 128}));
        m_view->settle();
        QVERIFY(std::abs(document().snapshot()->evaluation.subgraphs[0].latency - expected.latency) <
                1e-9 * expected.latency);
        QVERIFY(m_view->model().current);
        QCOMPARE(m_view->model().cube->granularity(m_view->model().shown[*m_view->model().current]),
                 current());
        document().undoStack().undo();
        QCOMPARE(current(), (Granularity{128, 128, 128}));
    }

    void whatTheRulesForbidIsRefusedWithTheReason()
    {
        const ProblemPtr problem = matmulAndPointwise(200000);
        open(problem, oneOpPerSubgraph(*problem));
        QSignalSpy refused(&document(), &Document::refused);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, m_view->cellCentre(256, 128).toPoint());
        QCOMPARE(refused.size(), 1);
        QVERIFY2(refused[0][0].toString().contains(QStringLiteral("native")),
                 qPrintable(refused[0][0].toString()));
        QCOMPARE(current(), (Granularity{128, 128, 128}));
        QTest::mouseClick(m_view.get(), Qt::LeftButton, Qt::AltModifier,
                          m_view->cellCentre(256, 128).toPoint());
        QCOMPARE(current().w, 256); // forced
        m_view->settle();
        QVERIFY(!document().snapshot()->evaluation.valid());
        QVERIFY2(m_view->model().current, "a broken granularity is on the map, too");
    }

    void keysChooseAndApply()
    {
        const ProblemPtr problem = matmulAndPointwise(200000);
        open(problem, oneOpPerSubgraph(*problem));
        m_view->setFocus();
        const auto& cube = *m_view->model().cube;
        const auto below = [](const std::vector<std::int64_t>& v, std::int64_t x) {
            return *(std::lower_bound(v.begin(), v.end(), x) - 1);
        };
        const Granularity expected{below(cube.widths, 128), below(cube.heights, 128),
                                   below(cube.depths, 128)};
        QTest::keyClick(m_view.get(), Qt::Key_PageDown); // the next smaller k
        QTest::keyClick(m_view.get(), Qt::Key_Left);
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QTest::keyClick(m_view.get(), Qt::Key_Return);
        QVERIFY2(current() == expected,
                 qPrintable(QStringLiteral("%1 %2 %3").arg(current().w).arg(current().h).arg(current().k)));
    }

    void everythingHasItsPlaceAtAnySize()
    {
        const ProblemPtr problem = matmulAndPointwise(40000);
        for (const QSize size : {QSize(1040, 220), QSize(700, 160), QSize(300, 420), QSize(190, 300)}) {
            open(problem, oneOpPerSubgraph(*problem), size);
            const QRectF area(0, 0, size.width(), size.height());
            const GranularityPlaces p = granularityPlaces(area, m_view->model());
            QVERIFY2(area.contains(p.map.map) && area.contains(p.title),
                     qPrintable(QStringLiteral("%1 x %2").arg(size.width()).arg(size.height())));
            QVERIFY(!p.map.map.intersects(p.title));
            QVERIFY(!p.map.map.intersects(p.legend));
            QVERIFY(!p.title.intersects(p.legend));
            if (size.width() > 2 * size.height()) { // beside, not below one another
                QVERIFY(p.map.map.height() > 0.55 * size.height());
                QVERIFY(p.legend.width() > 120);
            }
        }
    }

    void keysTellTheExactLatency()
    {
        const ProblemPtr problem = matmulAndPointwise(200000);
        open(problem, oneOpPerSubgraph(*problem));
        m_view->setFocus();
        QTest::keyClick(m_view.get(), Qt::Key_Left);
        const GranularityModel& m = m_view->model();
        const std::size_t left = m.here - 1;
        QCOMPARE(m_view->accessibleDescription(), granularityReadout(m, left));
        QVERIFY(granularityReadout(m, left).contains(number(m.cell(left).latency)));
        QVERIFY(granularityTooltip(m, left).contains(exactNumber(m.cell(left).latency)));
        // Without a MatMul k has no meaning and is not named.
        m_state->selection.selectSubgraph(SubgraphId(1));
        m_view->settle();
        QVERIFY2(m.title.startsWith(QStringLiteral("now 128 × 128:")), qPrintable(m.title));
        QCOMPARE(m.owner, QStringLiteral("Subgraph 1"));
    }

    void bestOfAllShowsTheBestDepthOfEveryShape()
    {
        const ProblemPtr problem = matmulAndPointwise(40000);
        open(problem, oneOpPerSubgraph(*problem));
        auto* depth = m_view->findChild<QComboBox*>();
        m_view->setDepth(std::nullopt);
        QCOMPARE(depth->currentIndex(), 0);
        const GranularityModel& m = m_view->model();
        QVERIFY(m.best);
        QCOMPARE(m.shown[*m.best], *m.cube->best);
        for (std::size_t i = 0; i < m.shown.size(); ++i)
            for (std::size_t k = 0; k < m.cube->depths.size(); ++k) {
                const CubeCell& other =
                    m.cube->cells[m.cube->index(i % m.cube->widths.size(), i / m.cube->widths.size(), k)];
                if (other.state == CubeCell::State::Fits) {
                    QCOMPARE(m.cell(i).state, CubeCell::State::Fits);
                    QVERIFY(m.cell(i).latency <= other.latency * (1 + 1e-12));
                }
            }
        m_view->setDepth(32);
        QCOMPARE(depth->currentData().toLongLong(), 32);
        QCOMPARE(m_view->model().cube->granularity(m_view->model().shown[0]).k, 32);
        QVERIFY2(!m_view->model().current, "the current k is another one");
        // Another subgraph: its own k again; a pointwise op has none to choose.
        m_state->selection.selectSubgraph(SubgraphId(1));
        m_view->settle();
        QVERIFY(m_view->model().current);
        QVERIFY(!depth->isEnabled());
    }

    void hiddenViewsComputeNothing()
    {
        const ProblemPtr problem = matmulAndPointwise(40000);
        m_state = std::make_unique<AppState>();
        m_view = std::make_unique<GranularityView>(m_state->context());
        QVERIFY(m_view->model().hint.contains(QStringLiteral("Open a problem")));
        document().setProblem(problem, oneOpPerSubgraph(*problem));
        document().evaluateNow();
        // Whatever had been asked for would be done and delivered by now.
        backgroundPool()->waitForDone();
        QCoreApplication::processEvents();
        QVERIFY(!m_view->model().cube);
        m_view->settle();
        QVERIFY(m_view->model().cube);
    }

    void whatIsNowHasItsLabel()
    {
        const ProblemPtr problem = matmulAndPointwise(40000);
        Schedule schedule = oneOpPerSubgraph(*problem);
        Subgraph s = *schedule.subgraphs[0];
        s.granularity = {74, 99'999'999, 16};
        schedule.subgraphs[0] = std::make_shared<const Subgraph>(std::move(s));
        open(problem, schedule);
        const HeatGrid grid = granularityGrid(m_view->model(), Theme::light());
        QVERIFY(grid.x.now && grid.y.now);
        QCOMPARE(grid.x.labels[*grid.x.now], QStringLiteral("74"));
        QVERIFY2(grid.y.labels[*grid.y.now].size() < 6, qPrintable(grid.y.labels[*grid.y.now]));
    }

    void picturesAndText()
    {
        const ProblemPtr problem = matmulAndPointwise(40000);
        open(problem, oneOpPerSubgraph(*problem));
        ExportOptions options;
        QImage light;
        for (const QSize size : {QSize(760, 620), QSize(300, 300), QSize(160, 120)}) {
            options.size = size;
            options.theme = &Theme::light();
            light = renderToImage(*m_view, options);
            options.theme = &Theme::darkTheme();
            QVERIFY(renderToImage(*m_view, options) != light);
        }
        const QStringList rows = m_view->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size() - 1, static_cast<qsizetype>(m_view->model().cube->cells.size()));
        QCOMPARE(rows[1].split(QLatin1Char('\t')).size(), 7);
    }
};

TILEWRIGHT_TEST(TestGranularity)

} // namespace test_granularity
#include "test_granularity.moc"
