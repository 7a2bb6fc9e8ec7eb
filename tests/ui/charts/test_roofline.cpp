// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline: dots against core, ghosts and arrows, linking, zooming, pictures.
#include "chart/plot_model.h"
#include "edit/edits.h"
#include "edit/fit.h"
#include "export/export_view.h"
#include "picture.h"
#include "test_main.h"
#include "views/roofline/roofline_view.h"
#include "window/app_state.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <cmath>
#include <set>

namespace test_roofline {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// MatMuls and pointwise ops of different costs in a row.
ProblemPtr mixed()
{
    Problem::Data data;
    data.tensors = IdVector<TensorId, Tensor>(9, Tensor{256, 256, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 9000, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(2)}, TensorId(3), 100, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(3), TensorId(4)}, TensorId(5), 500, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(5)}, TensorId(6), 3000, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(6)}, TensorId(7), 0, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(7)}, TensorId(8), 700, {}});
    data.hardware = {200000, 20, 128, 128, {}};
    return *Problem::build(std::move(data));
}

} // namespace

class TestRoofline : public QObject
{
    Q_OBJECT

    std::unique_ptr<AppState> m_state;
    std::unique_ptr<RooflineView> m_view;

    void open()
    {
        m_view.reset();
        m_state = std::make_unique<AppState>();
        const ProblemPtr problem = mixed();
        m_state->document.setProblem(problem, oneOpPerSubgraph(*problem));
        m_state->document.evaluateNow();
        m_view = std::make_unique<RooflineView>(m_state->context());
        m_view->resize(900, 560);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    Document& document() { return m_state->document; }

private Q_SLOTS:
    void cleanup()
    {
        m_view.reset();
        m_state.reset();
    }

    void dotsAreTheRooflineOfCore()
    {
        open();
        const SnapshotPtr s = document().snapshot();
        const ScheduleRoofline expected = scheduleRoofline(*s->problem, s->schedule, s->evaluation);
        const RooflineModel& m = m_view->model();
        QCOMPARE(m.dots.size(), expected.points.size());
        double shares = 0;
        for (std::size_t i = 0; i < m.dots.size(); ++i) {
            const RooflineDot& d = m.dots[i];
            const SubgraphPoint& p = expected.points[d.point.subgraph.index()];
            QCOMPARE(d.point.throughput, p.throughput);
            QCOMPARE(d.point.latency, s->evaluation.subgraphs[d.point.subgraph.index()].latency);
            QVERIFY(i == 0 || d.point.latency <= m.dots[i - 1].point.latency);
            QVERIFY(std::isfinite(std::log(d.x)) && std::isfinite(std::log(d.y)));
            QVERIFY(d.x > m.xLow && d.x < m.xHigh && d.y > m.yLow && d.y < m.yHigh);
            if (!d.atEdge) {
                QVERIFY(d.y <= std::min(1.0, m.roofs.bandwidth * d.x) * (1 + 1e-9));
            }
            shares += d.share;
        }
        QVERIFY(std::abs(shares - 1) < 1e-9);
        // The op without cost has no work: it stands at the border instead of at minus infinity.
        QCOMPARE(std::count_if(m.dots.begin(), m.dots.end(), [](const RooflineDot& d) { return d.atEdge; }),
                 1);
        // The area of a dot tells its latency.
        const double r0 = dotRadius(m, m.dots[0]);
        const double r1 = dotRadius(m, m.dots[1]);
        QVERIFY(std::abs(r1 * r1 / (r0 * r0) - m.dots[1].point.latency / m.dots[0].point.latency) < 1e-9);
    }

    void equalSubgraphsShareOneName()
    {
        m_state = std::make_unique<AppState>();
        const auto problem = loadProblem(TILEWRIGHT_SOURCE_DIR "/samples/schedule/attention-block.json");
        QVERIFY(problem);
        m_state->document.setProblem(*problem, oneOpPerSubgraph(**problem));
        m_view = std::make_unique<RooflineView>(m_state->context());
        const PlotModel plot = rooflinePlot(m_view->model(), {}, Theme::light());
        std::set<std::size_t> told;
        int several = 0;
        std::map<std::pair<double, double>, int> namesAt;
        for (const PlotMark& mark : plot.marks) {
            if (mark.name.isEmpty())
                continue;
            QCOMPARE(++namesAt[std::pair(mark.x, mark.y)], 1);
            several += mark.name.contains(QLatin1Char(',')) ? 1 : 0;
            for (const QString& number : mark.name.split(QStringLiteral(", ")))
                if (number.startsWith(QLatin1Char('+')))
                    QVERIFY(number.mid(1).toInt() >= 3);
                else
                    QVERIFY2(told.insert(number.toULong()).second, qPrintable(mark.name));
        }
        QVERIFY(several > 0);
        QVERIFY(told.count(13) == 1); // stands alone
    }

    void clickHoverAndKeysAreLinked()
    {
        open();
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, m_view->dotCentre(SubgraphId(0)).toPoint());
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(0));
        QTest::mouseMove(m_view.get(), m_view->dotCentre(SubgraphId(3)).toPoint());
        QTRY_COMPARE(m_state->selection.hover().subgraph, SubgraphId(3));
        QTest::mouseClick(m_view.get(), Qt::LeftButton, Qt::ControlModifier,
                          m_view->dotCentre(SubgraphId(3)).toPoint());
        QCOMPARE(m_state->selection.state().subgraphs, (std::set<SubgraphId>{SubgraphId(0), SubgraphId(3)}));
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(1));
        QTest::keyClick(m_view.get(), Qt::Key_Comma);
        QTest::keyClick(m_view.get(), Qt::Key_Comma);
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(0));
        // A click beside every dot keeps the selection.
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {},
                          QPoint(m_view->width() - 20, m_view->height() - 80));
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(0));
    }

    void fusingLeavesHollowDotsWithArrows()
    {
        open();
        document().pinBaseline(QStringLiteral("before"));
        QVERIFY(m_view->model().hasBaseline);
        QVERIFY2(m_view->model().ghosts.empty(), "nothing has moved yet");
        QVERIFY(document().apply(edit::fuse(*document().problem(), document().schedule(),
                                            std::array{SubgraphId(2), SubgraphId(3)}),
                                 QStringLiteral("fuse")));
        m_view->settle();
        const RooflineModel& m = m_view->model();
        QCOMPARE(m.ghosts.size(), std::size_t(2));
        QCOMPARE(m.moves.size(), std::size_t(2));
        for (const auto& [ghost, dot] : m.moves) {
            QVERIFY(m.ghosts[ghost].point.subgraph == SubgraphId(2) ||
                    m.ghosts[ghost].point.subgraph == SubgraphId(3));
            QCOMPARE(m.dots[dot].point.subgraph, SubgraphId(2));
        }
        const QImage with = m_view->grab().toImage();
        document().clearBaselines();
        QVERIFY(m_view->grab().toImage() != with);
    }

    void zoomKeepsThePointAndHomeFits()
    {
        open();
        const QPointF at = m_view->dotCentre(SubgraphId(3));
        const QPointF other = m_view->dotCentre(SubgraphId(1));
        m_view->zoomBy(2, at);
        QVERIFY((m_view->dotCentre(SubgraphId(3)) - at).manhattanLength() < 1e-6);
        QVERIFY(std::abs((m_view->dotCentre(SubgraphId(1)) - at).x() - 2 * (other - at).x()) < 1e-6);
        m_view->panBy({10, -6});
        QVERIFY((m_view->dotCentre(SubgraphId(3)) - at - QPointF(10, -6)).manhattanLength() < 1e-6);
        m_view->setFocus();
        QTest::keyClick(m_view.get(), Qt::Key_Home);
        QVERIFY((m_view->dotCentre(SubgraphId(3)) - at).manhattanLength() < 1e-6);
        for (int i = 0; i < 60; ++i) // pan and zoom end somewhere
            m_view->zoomBy(i % 2 ? 1.7 : 0.3, {0, 0}), m_view->panBy({500, 500});
        QVERIFY(std::isfinite(m_view->frame().x.v0) && m_view->frame().x.v1 > m_view->frame().x.v0);
        QVERIFY(picture::colours(picture::of(*m_view)) > 20);
        m_state->selection.selectSubgraph(SubgraphId(3));
        QTest::keyClick(m_view.get(), Qt::Key_F);
        QVERIFY(m_view->rect().contains(m_view->dotCentre(SubgraphId(3)).toPoint()));
    }

    void draggingMeasuresAndFShowsIt()
    {
        open();
        m_view->setFocus();
        const QRectF plot = m_view->frame().plot;
        const QPoint from = (plot.topLeft() + QPointF(30, 20)).toPoint();
        const QPoint to = (plot.center() + QPointF(15, 10)).toPoint();
        QTest::mousePress(m_view.get(), Qt::LeftButton, Qt::AltModifier, from);
        QMouseEvent move(QEvent::MouseMove, to, m_view->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                         Qt::AltModifier);
        QApplication::sendEvent(m_view.get(), &move);
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, Qt::AltModifier, to);
        QVERIFY(m_view->measured());
        const QRectF measured = *m_view->measured();
        QCOMPARE(measured.left(), std::log10(m_view->frame().x.toValue(from.x())));
        QCOMPARE(measured.right(), std::log10(m_view->frame().x.toValue(to.x())));
        QVERIFY(!m_state->selection.state().subgraph); // no click
        QTest::keyClick(m_view.get(), Qt::Key_F);
        QVERIFY(std::abs(m_view->shownPart()->width() - measured.width()) < 1e-9);
        m_view->goBack();
        QVERIFY(m_view->shownPart()->isNull());
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, to);
        QVERIFY(!m_view->measured());
        // Without Alt the ends go to dots that are near.
        const QPoint dot = m_view->dotCentre(SubgraphId(3)).toPoint();
        QTest::mousePress(m_view.get(), Qt::LeftButton, {}, dot + QPoint(2, 1));
        QMouseEvent snapped(QEvent::MouseMove, to, m_view->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                            Qt::NoModifier);
        QApplication::sendEvent(m_view.get(), &snapped);
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, to);
        const auto& dots = m_view->model().dots;
        const auto it = std::find_if(dots.begin(), dots.end(),
                                     [](const RooflineDot& d) { return d.point.subgraph == SubgraphId(3); });
        QVERIFY(std::abs(m_view->measured()->left() - std::log10(it->x)) < 1e-9 ||
                std::abs(m_view->measured()->right() - std::log10(it->x)) < 1e-9);
    }

    void measuringWaitsInAPaneTooSmallForAPlot()
    {
        open();
        const QPointF from = m_view->frame().plot.center();
        const auto drag = [&](QPointF to) {
            QMouseEvent move(QEvent::MouseMove, to, m_view->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                             Qt::AltModifier);
            QApplication::sendEvent(m_view.get(), &move);
        };
        QTest::mousePress(m_view.get(), Qt::LeftButton, Qt::AltModifier, from.toPoint());
        drag(from + QPointF(60, 30));
        const QRectF measured = *m_view->measured();
        const QSize size = m_view->size();
        m_view->resize(40, 12);
        drag(QPointF(5, 5));
        QCOMPARE(*m_view->measured(), measured);
        m_view->resize(size);
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, Qt::AltModifier, from.toPoint());
    }

    void labelsAreApart_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("dock") << QSize(1000, 230);
        QTest::newRow("small") << QSize(420, 180);
        QTest::newRow("large") << QSize(1400, 900);
    }
    void labelsAreApart()
    {
        QFETCH(QSize, size);
        open();
        // Something hollow as well, and several ops of one kind on one place.
        document().pinBaseline();
        QVERIFY(document().apply(edit::fuse(*document().problem(), document().schedule(),
                                            std::array{SubgraphId(2), SubgraphId(3)}),
                                 QStringLiteral("fuse")));
        m_view->settle();
        const RooflineModel& m = m_view->model();
        const PlotModel plot = rooflinePlot(m, {}, Theme::light());
        const PlotFrame frame = plotFrame(plot, QRectF(QPointF(0, 0), size));
        const auto labels = placePlotLabels(plot, frame, QFontMetricsF(uiFont(0.85)), Qt::black);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            for (const QPointF corner : labels[i].corners())
                QVERIFY2(frame.plot.contains(corner), qPrintable(labels[i].text));
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY2(!labels[i].overlaps(labels[j]), qPrintable(labels[i].text + labels[j].text));
            for (const auto* list : {&m.dots, &m.ghosts})
                for (const RooflineDot& d : *list)
                    QVERIFY(!labels[i].overlaps(frame.toPixel(d.x, d.y), dotRadius(m, d)));
        }
        const auto named = [&](const QString& begin) {
            return std::any_of(labels.begin(), labels.end(),
                               [&](const PlacedLabel& l) { return l.text.startsWith(begin); });
        };
        if (size.width() > 500) { // a small pane may have no room for them
            QVERIFY(named(QStringLiteral("compute roof")));
            QVERIFY(named(QStringLiteral("memory roof")));
        }
    }

    void hintsTextAndPictures()
    {
        m_state = std::make_unique<AppState>();
        m_view = std::make_unique<RooflineView>(m_state->context());
        QVERIFY(m_view->model().hint.contains(QStringLiteral("Open a problem")));
        open();
        const QStringList rows = m_view->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 7);
        QVERIFY(rows[1].startsWith(QStringLiteral("0\t")));
        ExportOptions options;
        for (const QSize size : {QSize(960, 640), QSize(200, 150), QSize(90, 70)}) {
            options.size = size;
            options.theme = &Theme::light();
            const QImage light = renderToImage(*m_view, options);
            options.theme = &Theme::darkTheme();
            QVERIFY(renderToImage(*m_view, options) != light);
        }
        QTemporaryDir folder;
        options = {};
        for (const char* ending : {"svg", "pdf", "png"}) {
            const QString path = folder.filePath(QStringLiteral("r.") + QLatin1String(ending));
            QVERIFY(exportView(*m_view, path, options));
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray bytes = file.readAll();
            QVERIFY(bytes.size() > 3000);
            if (path.endsWith(QLatin1String("svg"))) {
                QVERIFY2(bytes.contains("compute roof"), "text stays text");
            }
        }
    }
};

TILEWRIGHT_TEST(TestRoofline)

} // namespace test_roofline
#include "test_roofline.moc"
