// SPDX-License-Identifier: GPL-3.0-or-later
// The tile grid: model against the evaluator, and the view driven as a person does.
#include "convolutions.h"
#include "export/export_view.h"
#include "picture.h"
#include "test_main.h"
#include "theme/text.h"
#include "tiles_bench.h"
#include "views/tiles/tiles_paint.h"

#include <QComboBox>
#include <QPainter>
#include <QScrollBar>
#include <QSlider>
#include <QToolButton>
#include <QWheelEvent>
#include <QtTest>

namespace test_tiles {

using namespace tilewright;
using namespace tilewright::ui;

class TestTiles : public TilesBench
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { close(); }

    void hintsSayWhatToDo()
    {
        m_state = std::make_unique<AppState>();
        m_view = std::make_unique<TilesView>(m_state->context());
        QVERIFY(m_view->model().hint.contains(QStringLiteral("Open a problem")));
        m_state->document.setProblem(matmul(512), tiled(256, 128, 128));
        m_state->document.evaluateNow();
        QVERIFY2(m_view->model().hint.contains(QStringLiteral("cannot run")),
                 qPrintable(m_view->model().hint));
    }

    void tilesSumUpToTheEvaluation()
    {
        open(matmul(500), tiled(96, 64, 100, TraversalKind::Snake));
        const TilesModel& model = m_view->model();
        const SubgraphEvaluation& e = document().snapshot()->evaluation.subgraphs[0];
        QCOMPARE(model.grid.rows, e.rows);
        QCOMPARE(model.grid.cols, e.cols);
        QVERIFY(model.trace);
        double latency = 0;
        std::int64_t loads = 0;
        std::int64_t stores = 0;
        std::int64_t peak = 0;
        for (const TileSums& t : model.trace->tiles) {
            QVERIFY(t.visit >= 0);
            latency += t.latency;
            loads += t.loadElements;
            stores += t.storeElements;
            peak = std::max(peak, t.peakWorkingSet);
        }
        QVERIFY(std::abs(latency - e.latency) < 1e-9 * e.latency);
        QCOMPARE(loads, e.loadElements);
        QCOMPARE(stores, e.storeElements);
        QCOMPARE(peak, e.peakWorkingSet);
        QCOMPARE(model.trace->steps->size(), e.steps);
        QCOMPARE(model.trace->lastCol, 20.0 / 96);
        QCOMPARE(model.trace->lastRow, 52.0 / 64);
    }

    void aSingleTileFillsItsPane()
    {
        open(matmul(128), tiled(128, 128, 128));
        m_view->resize(650, 420);
        QCOMPARE(m_view->model().grid.tiles(), 1);
        constexpr int kSide = 240;
        const QPoint middle = m_view->tileCentre(0).toPoint();
        const QImage inside =
            picture::of(*m_view, QRect(middle - QPoint(kSide / 2, kSide / 2), QSize(kSide, kSide)));
        QVERIFY(picture::pixels(inside, inside.pixelColor(kSide / 2, kSide / 2)) > kSide * kSide * 9 / 10);
    }

    void thePathStaysInsideClippedTiles()
    {
        open(matmul(500), tiled(96, 64, 100, TraversalKind::Snake));
        const TilesModel& model = m_view->model();
        const QRectF corner = tileRect(model, model.grid.tiles() - 1);
        QCOMPARE(corner.width(), model.trace->lastCol);
        QCOMPARE(corner.height(), model.aspect * model.trace->lastRow);
        QCOMPARE(tileAt(model, corner.center()), std::optional(model.grid.tiles() - 1));
        // In the tile, not beside it where its missing part would be.
        const double scale = m_view->tileCentre(1).x() - m_view->tileCentre(0).x();
        const double left = m_view->tileCentre(model.grid.cols - 2).x() + scale / 2;
        QVERIFY(m_view->tileCentre(model.grid.cols - 1).x() < left + scale * model.trace->lastCol);
    }

    void theStepListsWhatHappens()
    {
        // Example 4: 2 x 2 tiles in snake order; in its third step t0 is loaded and t1 reused.
        const QString folder = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/schedule/examples/");
        m_state = std::make_unique<AppState>();
        QVERIFY(m_state->document.openFile(folder + QStringLiteral("ex4.problem.json")));
        QVERIFY(m_state->document.openFile(folder + QStringLiteral("ex4B.solution.json")));
        m_view = std::make_unique<TilesView>(m_state->context());
        m_view->settle();
        m_state->selection.setStep(2);
        QVERIFY(m_view->step());
        const StepModel& step = *m_view->step();
        QCOMPARE(step.step.tile, 3);
        const auto names = [&](StepRow::Kind kind) {
            QStringList out;
            for (const StepRow& row : step.rows)
                if (row.kind == kind)
                    out << row.name;
            return out;
        };
        QCOMPARE(names(StepRow::Kind::Loaded), QStringList{QStringLiteral("t0")});
        QCOMPARE(names(StepRow::Kind::Reused), QStringList{QStringLiteral("t1")});
        QCOMPARE(names(StepRow::Kind::Stored), QStringList{QStringLiteral("t2")});
        QCOMPARE(names(StepRow::Kind::Run), QStringList{QStringLiteral("op0")});
        const StepRow& loaded = step.rows.front();
        QCOMPARE(loaded.slice.r0, 64);
        QCOMPARE(loaded.slice.r1, 128);
        QCOMPARE(loaded.amount, 8192.0);
    }

    /// R1.8: a tile of 4 of 8 image rows reads a fifth; that row and its own last one are read by the other
    /// tile, too.
    void theHaloOfATileIsShown()
    {
        Schedule s;
        for (std::size_t op = 0; op < 2; ++op)
            s.subgraphs.push_back(
                std::make_shared<const Subgraph>(Subgraph{{OpId(op)}, {2, 32, 18}, {}, {}, {}, false}));
        open(test::twoConvolutions(), s);
        m_state->selection.setStep(0);
        QVERIFY(m_view->step());
        const StepModel& step = *m_view->step();
        QCOMPARE(step.reads.size(), 1U);
        QCOMPARE(step.reads.front().touched.volume, 5 * 8 * 2);
        QCOMPARE(step.reads.front().halo, 2 * 8 * 2);
        const QString tip = tileTooltip(m_view->model(), 0);
        QVERIFY2(tip.contains(QStringLiteral("first reads x through 3×3: ") +
                              counted(80, {}, QStringLiteral("elements")) + QStringLiteral(" of 128; halo ") +
                              counted(32, {}, QStringLiteral("elements"))),
                 qPrintable(tip));
        QCOMPARE(step.rows.front().amount, 80.0); // what is loaded, not the area of the view
        // The picture has the tile's own part of the image, and hatching.
        const StepPanelLayout layout = layoutStepPanel(step, QRectF(0, 0, 300, 560));
        QVERIFY(!layout.map.isEmpty());
        QImage picture(300, 560, QImage::Format_RGB32);
        QPainter painter(&picture);
        const Theme& theme = Theme::light();
        paintStepPanel(painter, step, m_view->model(), layout, 0, std::nullopt, theme);
        painter.end();
        int own = 0;
        QSet<QRgb> colours;
        for (int y = static_cast<int>(layout.map.top()) + 60; y < 540; ++y)
            for (int x = 10; x < 290; ++x) {
                own += picture.pixel(x, y) == theme.input.rgb();
                colours.insert(picture.pixel(x, y));
            }
        QVERIFY(own > 1000);
        QVERIFY(colours.contains(Theme::mix(theme.canvas, theme.input, 0.45).rgb()));
    }

    /// Whoever adds the list up comes to what is in use.
    void theListAddsUpToWhatIsInUse()
    {
        m_state = std::make_unique<AppState>();
        const QString file = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/attention-block");
        QVERIFY(m_state->document.openFile(file + QStringLiteral(".json")));
        QVERIFY(m_state->document.openFile(file + QStringLiteral(".fused.schedule.json")));
        m_view = std::make_unique<TilesView>(m_state->context());
        m_state->selection.selectSubgraph(
            SubgraphId(7)); // up and gelu: a product behind the tile of another op
        m_view->settle();
        QVERIFY(m_view->step());
        const StepModel& step = *m_view->step();
        QVERIFY(step.step.accumulatorElements > 0);
        double listed = 0;
        for (const StepRow& row : step.rows)
            listed += row.kind == StepRow::Kind::Run ? 0 : row.amount;
        QCOMPARE(listed, static_cast<double>(step.step.workingSet));
    }

    void clickShowsTheFirstStepOfTheTile()
    {
        open(matmul(512), tiled(128, 128, 64)); // 4 x 4 tiles, 8 k steps
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, at(5));
        QCOMPARE(m_state->selection.state().step, 40);
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(0));
        QCOMPARE(*m_state->selection.state().time, m_view->model().trace->steps->start(40));
        QCOMPARE(m_view->step()->step.tile, 5);
    }

    void keysStepThrough()
    {
        open(matmul(512), tiled(128, 128, 64));
        m_view->setFocus();
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QCOMPARE(m_state->selection.state().step, 2);
        QTest::keyClick(m_view.get(), Qt::Key_Comma);
        QCOMPARE(m_state->selection.state().step, 1);
        auto* slider = m_view->findChild<QSlider*>();
        QCOMPARE(slider->value(), 1);
        QCOMPARE(slider->maximum(), 127);
        slider->setValue(77);
        QCOMPARE(m_state->selection.state().step, 77);
        m_state->actions.find(QStringLiteral("tiles.last"))->trigger();
        QCOMPARE(m_state->selection.state().step, 127);
        QTest::keyClick(m_view.get(), Qt::Key_Period); // stays at the end
        QCOMPARE(m_state->selection.state().step, 127);
    }

    void playingIsStateAtATime()
    {
        open(matmul(512), tiled(128, 128, 64));
        m_view->setFocus();
        QTest::keyClick(m_view.get(), Qt::Key_Space);
        QVERIFY(m_view->playback().isPlaying());
        Q_EMIT m_state->clock.tick(1.0); // 8 steps a second
        QCOMPARE(m_state->selection.state().step, 8);
        Q_EMIT m_state->clock.tick(0.5);
        QCOMPARE(m_state->selection.state().step, 12);
        m_view->showStep(100); // someone scrubs: playing goes on from there
        Q_EMIT m_state->clock.tick(1.0);
        QCOMPARE(m_state->selection.state().step, 108);
        Q_EMIT m_state->clock.tick(60.0);
        QCOMPARE(m_state->selection.state().step, 127);
        QVERIFY(!m_view->playback().isPlaying());
        m_view->playback().setPlaying(true);
        m_view->hide();
        QVERIFY2(!m_view->playback().isPlaying(), "a hidden view does not play");
    }

    void theStepListScrollsInALowPane()
    {
        open(matmul(512), tiled(128, 128, 128), {900, 260});
        auto* bar = m_view->findChild<QScrollBar*>();
        QVERIFY(bar->isVisible());
        QVERIFY2(bar->height() > 100, "most of the pane is the list");
        const QPointF over = bar->geometry().center() - QPoint(60, 0);
        QWheelEvent wheel(over, m_view->mapToGlobal(over), {}, {0, -12000}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        for (int page = 0; page < 5; ++page)
            QCoreApplication::sendEvent(m_view.get(), &wheel);
        QCOMPARE(bar->value(), bar->maximum());
        // The last row is reached: the op that runs.
        QTest::mouseMove(m_view.get(), QPoint(bar->x() - 60, bar->geometry().bottom() - 12));
        QTRY_COMPARE(m_state->selection.hover().op, OpId(0));
        m_view->resize(900, 800);
        QVERIFY(!bar->isVisible());
    }

    void aLargeGridStaysUsable()
    {
        Problem::Data data;
        data.tensors = IdVector<TensorId, Tensor>(2, Tensor{4096, 4096, {}});
        data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(1), 10, {}});
        data.hardware = {100000, 10, 128, 128, {}};
        open(*Problem::build(std::move(data)), tiled(16, 16, 1)); // 256 x 256 tiles
        QCOMPARE(m_view->model().grid.tiles(), 65536);
        QVERIFY(m_view->model().trace);
        QCOMPARE(m_view->model().trace->steps->size(), 65536);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, at(256 * 200 + 100));
        QCOMPARE(m_view->step()->step.tile, 256 * 200 + 100);
        m_view->fitSelection();
        QCOMPARE(m_view->step()->step.tile, 256 * 200 + 100);
        QVERIFY(m_view->rect().contains(at(256 * 200 + 100)));
        // The tile that is being computed stands out from those round it.
        const QPoint there = at(256 * 200 + 100);
        const QRect round(there - QPoint(12, 12), QSize(24, 24));
        const QImage chosen = picture::of(*m_view, round);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, at(256 * 200 + 99));
        QVERIFY(picture::of(*m_view, round) != chosen);
        QVERIFY(picture::colours(chosen) > 1);
    }

    void paintingALargeGrid_data()
    {
        QTest::addColumn<double>("cell"); // pixels
        QTest::newRow("fitted") << 0.0;
        QTest::newRow("smallest cells that are painted one by one") << 6.5;
        QTest::newRow("smallest cells with the path") << 11.5;
        QTest::newRow("cells with numbers") << 60.0;
    }
    void paintingALargeGrid()
    {
        QFETCH(double, cell);
        Problem::Data data;
        data.tensors = IdVector<TensorId, Tensor>(2, Tensor{4096, 4096, {}});
        data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(1), 10, {}});
        data.hardware = {100000, 10, 128, 128, {}};
        open(*Problem::build(std::move(data)), tiled(16, 16, 1), {1700, 1100}); // 256 x 256 tiles
        const double fitted = (m_view->tileCentre(1) - m_view->tileCentre(0)).x();
        if (cell > 0)
            m_view->zoomBy(cell / fitted, m_view->tileCentre(256 * 128 + 128));
        QImage image(m_view->size(), QImage::Format_RGB32);
        m_view->render(&image);
        QBENCHMARK
        {
            m_view->render(&image);
        }
        // Going through the steps paints the same picture of all tiles.
        m_view->showStep(4000);
        m_view->render(&image);
        QCOMPARE(m_view->step()->step.tile, 4000);
    }

    void zoomAndPanKeepThePointUnderTheMouse()
    {
        open(matmul(4096), tiled(128, 128, 4096 / 32)); // 32 x 32
        const QPoint anchor = at(100);
        const QPointF before = m_view->tileCentre(100);
        QWheelEvent wheel(anchor, m_view->mapToGlobal(anchor), {}, {0, 480}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_view.get(), &wheel);
        QVERIFY((m_view->tileCentre(100) - before).manhattanLength() < 2);
        QVERIFY((m_view->tileCentre(101) - m_view->tileCentre(100)).x() > 1.9 * 16);
        QTest::keyClick(m_view.get(), Qt::Key_Home);
        QVERIFY((m_view->tileCentre(100) - before).manhattanLength() < 1e-6);
    }

    void coloursAndPictures()
    {
        open(matmul(500), tiled(96, 64, 100));
        ExportOptions options;
        options.size = {900, 500};
        QImage last;
        for (const TileColour c :
             {TileColour::Latency, TileColour::Bound, TileColour::Loads, TileColour::Order})
            for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()}) {
                m_view->setColour(c);
                options.theme = theme;
                const QImage image = renderToImage(*m_view, options);
                QCOMPARE(image.size(), QSize(900, 500));
                QVERIFY(image != last);
                last = image;
            }
    }

    void controlsAreNamedAndNeverClipped()
    {
        open(matmul(512), tiled(128, 128, 128), {330, 700});
        for (QWidget* w : m_view->findChildren<QWidget*>()) {
            if (!w->isVisible() || (!qobject_cast<QComboBox*>(w) && !qobject_cast<QToolButton*>(w)))
                continue;
            QVERIFY2(!w->accessibleName().isEmpty() && !w->toolTip().isEmpty(), w->metaObject()->className());
            QVERIFY2(w->mapTo(m_view.get(), QPoint(w->width(), 0)).x() <= m_view->width(),
                     qPrintable(w->accessibleName()));
        }
    }

    void rowsCanBeCopied()
    {
        open(matmul(256), tiled(128, 128, 128));
        const QStringList lines = m_view->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 9); // 4 tiles x 2 k steps
        QCOMPARE(lines[8].split(QLatin1Char('\t')).first(), QStringLiteral("7"));
    }
};

TILEWRIGHT_TEST(TestTiles)

} // namespace test_tiles
#include "test_tiles.moc"
