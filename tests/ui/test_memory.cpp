// SPDX-License-Identifier: GPL-3.0-or-later
// The memory timeline: staircase against the trace, and the view driven as a person does.
#include "app_state.h"
#include "eval/occupancy.h"
#include "export/export_view.h"
#include "report/walk_steps.h"
#include "schedule/edits.h"
#include "views/memory/memory_view.h"

#include <QtTest>

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// MatMul, Pointwise, MatMul in a row; the middle result can be retained.
ProblemPtr chain()
{
    Problem::Data data;
    for (int i = 0; i < 6; ++i)
        data.tensors.push_back({256, 256, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 1000, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(2)}, TensorId(3), 200, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(3), TensorId(4)}, TensorId(5), 1000, {}});
    data.hardware = {150000, 20, 128, 128, {}};
    return *Problem::build(std::move(data));
}

Schedule threeSubgraphs(std::int64_t k = 64, bool retain = true)
{
    Schedule s;
    for (std::size_t i = 0; i < 3; ++i) {
        Subgraph g{{OpId(i)}, {64, 64, k}, {}, TraversalKind::Snake, {}, false};
        if (i == 1 && retain)
            g.retain = {TensorId(3)};
        s.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(g)));
    }
    return s;
}

} // namespace

class TestMemory : public QObject
{
    Q_OBJECT

    std::unique_ptr<AppState> m_state;
    std::unique_ptr<MemoryView> m_view;

    void open(const ProblemPtr& problem, const Schedule& schedule, QSize size = {1100, 420})
    {
        m_view.reset();
        m_state = std::make_unique<AppState>();
        m_state->document.setProblem(problem, schedule);
        m_state->document.evaluateNow();
        m_view = std::make_unique<MemoryView>(m_state->context());
        m_view->resize(size);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_view->settle();
    }
    const Timeline& timeline() const { return *m_view->model().timeline; }
    void move(QPointF to, Qt::MouseButtons buttons = Qt::NoButton)
    {
        QMouseEvent event(QEvent::MouseMove, to, m_view->mapToGlobal(to), Qt::NoButton, buttons,
                          Qt::NoModifier);
        QCoreApplication::sendEvent(m_view.get(), &event);
    }
    void drag(QPointF from, QPointF to)
    {
        QTest::mousePress(m_view.get(), Qt::LeftButton, {}, from.toPoint());
        move((from + to) / 2, Qt::LeftButton);
        move(to, Qt::LeftButton);
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, to.toPoint());
    }

private Q_SLOTS:
    void cleanup()
    {
        m_view.reset();
        m_state.reset();
    }

    void theStaircaseIsTheTrace()
    {
        const ProblemPtr problem = chain();
        const Schedule schedule = threeSubgraphs();
        open(problem, schedule);
        const Evaluation& e = m_state->document.snapshot()->evaluation;
        QVERIFY2(e.valid(), e.valid() ? "" : e.verdict()->text.c_str());
        QVERIFY(std::abs(timeline().total - e.total) < 1e-9 * e.total);
        std::int64_t peak = 0;
        for (const SubgraphEvaluation& s : e.subgraphs)
            peak = std::max(peak, s.peakWorkingSet);
        QCOMPARE(timeline().peak, peak);
        int n = 0;
        walkSteps(*problem, schedule, Rules::final(), {}, [&](SubgraphId id, double start, const Step& step) {
            const Residents r = residentsOf(timeline(), id.index(), step.index);
            QCOMPARE(r.total, step.workingSet);
            std::int64_t sum = 0;
            for (const ResidentItem& item : r.items)
                sum += item.elements;
            QCOMPARE(sum, step.workingSet);
            const tilewright::ui::Occupancy o = occupancyOf(timeline().parts[id.index()], step.index);
            QCOMPARE(o.total(), step.workingSet);
            QVERIFY(std::abs(r.start - start) < 1e-6);
            const auto middle = tilewright::ui::residentsAt(timeline(), start + step.latency / 2);
            QVERIFY(middle);
            QCOMPARE(middle->step, step.index);
            QCOMPARE(middle->part, id.index());
            ++n;
        });
        QCOMPARE(n, 64 + 16 + 64);
        // While the second runs its product is retained, while the third runs it is resident.
        QCOMPARE(timeline().parts[1].retained, 65536);
        QCOMPARE(timeline().parts[2].resident, 65536);
        QCOMPARE(timeline().parts[0].resident + timeline().parts[0].retained, 0);
    }

    void theStaircaseIsTheOccupancyOfCore()
    {
        const ProblemPtr problem = chain();
        const Schedule schedule = threeSubgraphs();
        open(problem, schedule);
        const tilewright::Occupancy core = occupancy(*problem, schedule, Rules::final());
        QCOMPARE(timeline().peak, core.peak);
        QVERIFY(std::abs(timeline().peakTime - core.peakTime) < 1e-6);
        QVERIFY(std::abs(timeline().total - core.end) < 1e-6);
        QVERIFY(core.segments.size() >= 3);
        for (const OccupancySegment& s : core.segments) {
            const auto here = tilewright::ui::residentsAt(timeline(), (s.start + s.end) / 2);
            QVERIFY(here);
            QCOMPARE(here->total, s.total());
            const tilewright::ui::Occupancy parts = occupancyOf(timeline().parts[here->part], here->step);
            QCOMPARE(parts.resident, s.resident);
            QCOMPARE(parts.retained, s.retained);
            QCOMPARE(parts.input, s.input - s.donated);
            QCOMPARE(parts.output, s.output);
            QCOMPARE(parts.accumulator, s.accumulator);
        }
    }

    void columnsAreTheEnvelope()
    {
        open(chain(), threeSubgraphs(16));
        for (const int width : {1, 7, 300, 5000}) {
            const auto columns = timelineColumns(timeline(), 0, timeline().total, width);
            std::int64_t high = 0;
            std::int64_t low = INT64_MAX;
            for (const TimelineColumn& c : columns) {
                QVERIFY(!c.empty && !c.peakOnly);
                QVERIFY(c.low <= c.high.total());
                high = std::max(high, c.high.total());
                low = std::min(low, c.low);
            }
            QCOMPARE(high, timeline().peak);
            const auto all = summarise(timeline(), 0, timeline().total);
            QCOMPARE(all->high, high);
            QCOMPARE(all->low, low);
            QVERIFY(all->mean > static_cast<double>(low) && all->mean < static_cast<double>(high));
        }
        // Zoomed into one step: exactly that step in every column.
        const Residents r = residentsOf(timeline(), 2, 9);
        for (const TimelineColumn& c : timelineColumns(timeline(), r.start, r.end, 50)) {
            QCOMPARE(c.low, r.total);
            QCOMPARE(c.high.total(), r.total);
        }
        QVERIFY(timelineColumns(timeline(), timeline().total, timeline().total * 2, 10)[5].empty);
    }

    void donatedMemoryIsTakenOff()
    {
        Problem::Data data;
        data.tensors = IdVector<TensorId, Tensor>(2, Tensor{128, 128, {}});
        data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(1), 100, {}});
        data.hardware = {20000, 10, 128, 128, {}};
        Schedule s;
        s.subgraphs.push_back(
            std::make_shared<const Subgraph>(Subgraph{{OpId(0)}, {128, 128, 1}, {}, {}, {}, false}));
        m_state = std::make_unique<AppState>();
        m_state->document.setProblem(*Problem::build(std::move(data)), s);
        m_state->document.setRules(Rules::seed());
        m_state->document.evaluateNow();
        m_view = std::make_unique<MemoryView>(m_state->context());
        m_view->settle();
        QCOMPARE(timeline().peak, 16384);
        const Residents r = residentsOf(timeline(), 0, 0);
        std::int64_t sum = 0;
        for (const ResidentItem& item : r.items)
            sum += item.elements;
        QCOMPARE(sum, 16384);
        QCOMPARE(occupancyOf(timeline().parts[0], 0).total(), 16384);
    }

    void clickPinsTheLinkedCursor()
    {
        open(chain(), threeSubgraphs());
        QVERIFY(!m_view->model().pinned); // nothing selected: the peak is explained
        QCOMPARE(m_view->model().residents->total, timeline().peak);
        const Residents r = residentsOf(timeline(), 1, 5);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, m_view->pointAt((r.start + r.end) / 2).toPoint());
        const SelectionState& s = m_state->selection.state();
        QCOMPARE(s.subgraph, SubgraphId(1));
        QVERIFY(s.time && *s.time >= r.start - 20 && *s.time <= r.end + 20);
        QCOMPARE(m_view->model().residents->part, std::size_t(1));
        QCOMPARE(m_view->model().residents->step, s.step);

        // The tile grid moves the step: the cursor follows.
        m_state->selection.setStep(9);
        QCOMPARE(m_view->model().cursor, residentsOf(timeline(), 1, 9).start);
        m_state->selection.selectSubgraph(SubgraphId(2));
        QCOMPARE(m_view->model().cursor, timeline().parts[2].start);
    }

    void keysZoomPanAndStep()
    {
        open(chain(), threeSubgraphs());
        m_view->setFocus();
        const double total = m_view->model().total;
        QTest::keyClick(m_view.get(), Qt::Key_W);
        QTest::keyClick(m_view.get(), Qt::Key_W);
        const auto zoomed = m_view->visibleRange();
        QVERIFY(zoomed.second - zoomed.first < total * 0.7);
        QTest::keyClick(m_view.get(), Qt::Key_D);
        QVERIFY(m_view->visibleRange().first > zoomed.first);
        QTest::keyClick(m_view.get(), Qt::Key_A);
        QVERIFY(std::abs(m_view->visibleRange().first - zoomed.first) < total * 1e-9);
        QTest::keyClick(m_view.get(), Qt::Key_Home);
        QCOMPARE(m_view->visibleRange().second, total);

        m_state->selection.selectSubgraph(SubgraphId(0));
        QTest::keyClick(m_view.get(), Qt::Key_Comma); // nothing before the first step
        QCOMPARE(m_state->selection.state().step, 0);
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QCOMPARE(m_state->selection.state().step, 1);
        m_state->selection.setStep(63);
        QTest::keyClick(m_view.get(), Qt::Key_Period); // over the border
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(1));
        QCOMPARE(m_state->selection.state().step, 0);
        QTest::keyClick(m_view.get(), Qt::Key_Comma);
        QCOMPARE(m_state->selection.state().subgraph, SubgraphId(0));
        QCOMPARE(m_state->selection.state().step, 63);
        QTest::keyClick(m_view.get(), Qt::Key_F);
        QVERIFY(m_view->visibleRange().second < total);
        QTest::keyClick(m_view.get(), Qt::Key_P);
        QCOMPARE(m_view->model().residents->total, timeline().peak);
    }

    void draggingMeasuresBetweenSteps()
    {
        open(chain(), threeSubgraphs());
        drag(m_view->pointAt(timeline().total * 0.2), m_view->pointAt(timeline().total * 0.6));
        QVERIFY(m_view->measured());
        const auto [a, b] = *m_view->measured();
        QCOMPARE(snapToStep(timeline(), a), a); // on the border of a step
        QVERIFY(std::abs(a - timeline().total * 0.2) < timeline().total * 0.02);
        QVERIFY(std::abs(b - timeline().total * 0.6) < timeline().total * 0.02);
        QVERIFY2(!m_state->selection.state().subgraph, "measuring selects nothing");
        QTest::keyClick(m_view.get(), Qt::Key_F); // zoom into what was measured
        QCOMPARE(m_view->visibleRange().first, a);
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_view->measured());
    }

    void theOverviewMovesTheRange()
    {
        open(chain(), threeSubgraphs());
        const QRectF o = m_view->places().overview;
        QVERIFY(!o.isEmpty());
        drag({o.right() - 1, o.center().y()}, {o.center().x(), o.center().y()}); // right handle
        QVERIFY(std::abs(m_view->visibleRange().second - m_view->model().total / 2) <
                m_view->model().total * 0.01);
        const auto before = m_view->visibleRange();
        drag({o.left() + o.width() * 0.25, o.center().y()}, {o.left() + o.width() * 0.5, o.center().y()});
        QVERIFY(std::abs(m_view->visibleRange().first - m_view->model().total * 0.25) <
                m_view->model().total * 0.01);
        QVERIFY(std::abs((m_view->visibleRange().second - m_view->visibleRange().first) -
                         (before.second - before.first)) < 1e-6 * m_view->model().total);
    }

    void editsKeepTheTablesOfTheRest()
    {
        open(chain(), threeSubgraphs(2)); // 2 048 steps each: traced in the background
        const auto first = timeline().parts[0].steps;
        const auto last = timeline().parts[2].steps;
        QVERIFY(m_state->document.apply(edit::setTraversal(*m_state->document.problem(),
                                                           m_state->document.schedule(),
                                                           std::array{SubgraphId(2)}, TraversalKind::Raster),
                                        QStringLiteral("raster")));
        m_view->settle();
        QCOMPARE(timeline().parts[0].steps, first);
        QVERIFY(timeline().parts[2].steps != last);
    }

    void theBaselineIsAGhost()
    {
        open(chain(), threeSubgraphs(64, false));
        m_state->document.pinBaseline(QStringLiteral("before"));
        m_view->settle();
        QVERIFY(m_view->model().baseline);
        m_state->document.apply(threeSubgraphs(64, true), QStringLiteral("retain"));
        m_view->settle();
        QVERIFY(m_view->model().baseline->total > timeline().total);
        QCOMPARE(m_view->model().total, m_view->model().baseline->total);
        const QImage with = m_view->grab().toImage();
        m_state->document.clearBaselines();
        m_view->settle();
        QVERIFY(!m_view->model().baseline);
        QVERIFY(m_view->grab().toImage() != with);
    }

    void anInvalidSubgraphTakesNoTime()
    {
        Schedule s = threeSubgraphs();
        Subgraph broken = *s.subgraphs[1];
        broken.granularity.w = 1000; // SUPERNATIVE
        s.subgraphs[1] = std::make_shared<const Subgraph>(broken);
        open(chain(), s);
        QCOMPARE(timeline().parts[1].duration, 0.0);
        QVERIFY(!timeline().parts[1].steps);
        m_state->selection.selectSubgraph(SubgraphId(1));
        QVERIFY(!m_view->model().residents);
        QCOMPARE(m_view->model().cursor, timeline().parts[1].start);
        QVERIFY(!m_view->grab().toImage().isNull());
    }

    void hintsAndPictures()
    {
        m_state = std::make_unique<AppState>();
        m_view = std::make_unique<MemoryView>(m_state->context());
        QVERIFY(m_view->model().hint.contains(QStringLiteral("Open a problem")));
        m_state->document.setProblem(chain(), threeSubgraphs());
        m_state->document.evaluateNow();
        m_state->selection.selectSubgraph(SubgraphId(1));
        ExportOptions options;
        for (const QSize size : {QSize(1200, 400), QSize(500, 160), QSize(150, 80)})
            for (const double scale : {1.0, 2.0}) {
                options.size = size;
                options.scale = scale;
                options.theme = scale > 1 ? &Theme::darkTheme() : &Theme::light();
                QCOMPARE(renderToImage(*m_view, options).size(), (QSizeF(size) * scale).toSize());
            }
        const QStringList rows = m_view->copyText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size() - 1, static_cast<qsizetype>(m_view->model().residents->items.size()));
    }
};

QTEST_MAIN(TestMemory)
#include "test_memory.moc"
