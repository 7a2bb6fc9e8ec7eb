// SPDX-License-Identifier: GPL-3.0-or-later
// The memory timeline: staircase against the trace, and the view driven as a person does.
#include "convolutions.h"
#include "edit/edits.h"
#include "eval/memory_use.h"
#include "export/export_view.h"
#include "picture.h"
#include "report/writers.h"
#include "test_main.h"
#include "views/memory/memory_view.h"
#include "window/app_state.h"

#include <QScrollBar>
#include <QWheelEvent>
#include <QtTest>

namespace test_memory {

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
    void move(QPointF to, Qt::MouseButtons buttons = Qt::NoButton, Qt::KeyboardModifiers modifiers = {})
    {
        QMouseEvent event(QEvent::MouseMove, to, m_view->mapToGlobal(to), Qt::NoButton, buttons, modifiers);
        QCoreApplication::sendEvent(m_view.get(), &event);
    }
    void drag(QPointF from, QPointF to, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mousePress(m_view.get(), Qt::LeftButton, modifiers, from.toPoint());
        move((from + to) / 2, Qt::LeftButton, modifiers);
        move(to, Qt::LeftButton, modifiers);
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, modifiers, to.toPoint());
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
        double peak = 0;
        for (const SubgraphEvaluation& s : e.subgraphs)
            peak = std::max(peak, s.peakWorkingSet);
        QCOMPARE(timeline().peak, peak);
        int n = 0;
        walkSteps(*problem, schedule, Rules::final(), {}, [&](SubgraphId id, double start, const Step& step) {
            const MemoryContents r = contentsOf(timeline(), id.index(), step.index);
            QCOMPARE(r.total, step.workingSet);
            std::int64_t sum = 0;
            for (const ContentItem& item : r.items)
                sum += item.elements;
            QCOMPARE(sum, step.workingSet);
            const MemoryUse o = memoryUse(timeline().parts[id.index()], step.index);
            QCOMPARE(o.total(), step.workingSet);
            QVERIFY(std::abs(r.start - start) < 1e-6);
            const auto middle = contentsAt(timeline(), start + step.latency / 2);
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

    /// R1.8: the halo of a step is hatched, has a key and stands in the tooltip and the panel.
    void theHaloOfAStepIsShown()
    {
        Schedule s;
        for (std::size_t op = 0; op < 2; ++op)
            s.subgraphs.push_back(
                std::make_shared<const Subgraph>(Subgraph{{OpId(op)}, {2, 32, 18}, {}, {}, {}, false}));
        open(test::twoConvolutions(), s);
        QVERIFY(m_view->model().hasHalos);
        const auto contents = contentsAt(timeline(), 0);
        QVERIFY(contents);
        QCOMPARE(contents->halo.input, 2 * 8 * 2);
        const QString tip = contentsTooltip(*contents, timeline(), m_view->model().capacity);
        QVERIFY2(tip.contains(QStringLiteral("halo 32 of the inputs, which other tiles load, too")),
                 qPrintable(tip));
        open(chain(), threeSubgraphs());
        QVERIFY(!m_view->model().hasHalos);
        QVERIFY(haloText(*contentsAt(timeline(), 0), *timeline().problem).isEmpty());
    }

    void theStaircaseIsTheOccupancyOfCore()
    {
        const ProblemPtr problem = chain();
        const Schedule schedule = threeSubgraphs();
        open(problem, schedule);
        const Occupancy core = occupancy(*problem, schedule, Rules::final());
        QCOMPARE(timeline().peak, core.peak);
        QVERIFY(std::abs(timeline().peakTime - core.peakTime) < 1e-6);
        QVERIFY(std::abs(timeline().total - core.end) < 1e-6);
        QVERIFY(core.segments.size() >= 3);
        for (const OccupancySegment& s : core.segments) {
            const auto here = contentsAt(timeline(), (s.start + s.end) / 2);
            QVERIFY(here);
            QCOMPARE(here->total, s.total());
            const MemoryUse parts = memoryUse(timeline().parts[here->part], here->step);
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
            QCOMPARE(all->steps.used.high, static_cast<double>(high));
            QCOMPARE(all->steps.used.low, static_cast<double>(low));
            QVERIFY(all->steps.meanUsed() > static_cast<double>(low) &&
                    all->steps.meanUsed() < static_cast<double>(high));
        }
        // Zoomed into one step: exactly that step in every column.
        const MemoryContents r = contentsOf(timeline(), 2, 9);
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
        const MemoryContents r = contentsOf(timeline(), 0, 0);
        std::int64_t sum = 0;
        for (const ContentItem& item : r.items)
            sum += item.elements;
        QCOMPARE(sum, 16384);
        QCOMPARE(memoryUse(timeline().parts[0], 0).total(), 16384);
    }

    void clickPinsTheLinkedCursor()
    {
        open(chain(), threeSubgraphs());
        QVERIFY(!m_view->model().pinned); // nothing selected: the peak is explained
        QCOMPARE(m_view->model().contents->total, timeline().peak);
        const MemoryContents r = contentsOf(timeline(), 1, 5);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, m_view->pointAt((r.start + r.end) / 2).toPoint());
        const SelectionState& s = m_state->selection.state();
        QCOMPARE(s.subgraph, SubgraphId(1));
        QVERIFY(s.time && *s.time >= r.start - 20 && *s.time <= r.end + 20);
        QCOMPARE(m_view->model().contents->part, std::size_t(1));
        QCOMPARE(m_view->model().contents->step, s.step);

        // The tile grid moves the step: the cursor follows.
        m_state->selection.setStep(9);
        QCOMPARE(m_view->model().cursor, contentsOf(timeline(), 1, 9).start);
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
        QCOMPARE(m_view->model().contents->total, timeline().peak);
    }

    void draggingMeasuresBetweenSteps()
    {
        open(chain(), threeSubgraphs());
        drag(m_view->pointAt(timeline().total * 0.2), m_view->pointAt(timeline().total * 0.6));
        QVERIFY(m_view->measured());
        const auto [a, b] = *m_view->measured();
        QCOMPARE(snapToBoundary(timeline(), a, 0), a); // on the border of a step
        QVERIFY(std::abs(a - timeline().total * 0.2) < timeline().total * 0.02);
        QVERIFY(std::abs(b - timeline().total * 0.6) < timeline().total * 0.02);
        QVERIFY2(!m_state->selection.state().subgraph, "measuring selects nothing");
        QTest::keyClick(m_view.get(), Qt::Key_F); // zoom into what was measured
        QCOMPARE(m_view->visibleRange().first, a);
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_view->measured());
    }

    void aMeasuredRangeIsSummedUp()
    {
        const ProblemPtr problem = chain();
        const Schedule schedule = threeSubgraphs();
        open(problem, schedule);
        // From a little after the start of subgraph 1 to a little before its end: both ends snap to it.
        const TimelinePart& part = timeline().parts[1];
        const double pixel = timeline().total / m_view->places().plot.width();
        drag(m_view->pointAt(part.start + 4 * pixel), m_view->pointAt(part.end() - 4 * pixel));
        QCOMPARE(m_view->measured()->first, part.start);
        QCOMPARE(m_view->measured()->second, part.end());
        const StepStatistics& sums = m_view->model().range->steps;
        const SubgraphEvaluation& e = m_state->document.snapshot()->evaluation.subgraphs[1];
        QCOMPARE(sums.steps, e.steps);
        QVERIFY(std::abs(sums.latency.sum - e.latency) < 1e-9 * e.latency);
        QCOMPARE(sums.loaded.sum, static_cast<double>(e.loadElements));
        QCOMPARE(sums.stored.sum, static_cast<double>(e.storeElements));
        QCOMPARE(sums.used.high, static_cast<double>(e.peakWorkingSet));
        QVERIFY(m_view->copyText().startsWith(QStringLiteral("value\tsum\tmin\tmean\tmax\nlatency\t")));

        // Alt keeps the ends where the mouse is; steps that are cut count with their part.
        drag(m_view->pointAt(part.start + 4 * pixel), m_view->pointAt(part.end() - 4 * pixel),
             Qt::AltModifier);
        const double a = m_view->measured()->first;
        const double b = m_view->measured()->second;
        QVERIFY(a > part.start + pixel && b < part.end() - pixel);
        double loaded = 0;
        double area = 0;
        walkSteps(*problem, schedule, Rules::final(), {}, [&](SubgraphId, double start, const Step& step) {
            const double inside = std::min(b, start + step.latency) - std::max(a, start);
            if (inside <= 0)
                return;
            loaded += static_cast<double>(step.loadElements) * inside / step.latency;
            area += static_cast<double>(step.workingSet) * inside;
        });
        const StepStatistics& cut = m_view->model().range->steps;
        QVERIFY(std::abs(cut.latency.sum - (b - a)) < 1e-9 * (b - a));
        QVERIFY(std::abs(cut.loaded.sum - loaded) < 1e-9 * loaded);
        QVERIFY(std::abs(cut.meanUsed() - area / (b - a)) < 1e-9 * cut.meanUsed());

        // Over several subgraphs at once, whole ones included.
        const auto all = summarise(timeline(), 0, timeline().total);
        QCOMPARE(all->steps.steps, 64 + 16 + 64);
        QCOMPARE(all->firstPart, std::size_t(0));
        QCOMPARE(all->lastPart, std::size_t(2));
        m_state->document.apply(threeSubgraphs(32), QStringLiteral("other k"));
        m_view->settle();
        QVERIFY2(!m_view->measured(), "times of another schedule mean nothing");
    }

    void keysMeasureStepByStep()
    {
        open(chain(), threeSubgraphs());
        m_state->selection.selectSubgraph(SubgraphId(1));
        m_state->selection.setStep(15);
        QTest::keyClick(m_view.get(), Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(m_view->model().range->steps.steps, 1);
        QTest::keyClick(m_view.get(), Qt::Key_Right, Qt::ControlModifier); // over the border
        QCOMPARE(m_view->model().range->steps.steps, 2);
        QCOMPARE(m_view->model().range->lastPart, std::size_t(2));
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(m_view.get(), Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(m_view->model().range->steps.steps, 1);
        QCOMPARE(m_view->measured()->second, contentsOf(timeline(), 1, 15).start);
        QCOMPARE(m_state->selection.state().step, 15);
    }

    void theSelectedTensorIsFollowed()
    {
        open(chain(), threeSubgraphs());
        m_view->setFocus();
        const QImage before = m_view->grab().toImage();
        m_state->selection.selectTensor(TensorId(3));
        const TensorTrack& track = *m_view->model().track;
        QVERIFY(!track.isIn(0) && track.isIn(1) && track.isIn(2));
        QCOMPARE(track.high, 65536);
        QVERIFY(std::abs(track.time - (timeline().parts[1].duration + timeline().parts[2].duration)) < 1e-6);
        QVERIFY2(m_view->model().title.contains(QStringLiteral("subgraphs 1–2")),
                 qPrintable(m_view->model().title));
        for (const TensorId t : {TensorId(2), TensorId(3), TensorId(4), TensorId(5)}) {
            const auto own = trackTensor(timeline(), t);
            for (std::size_t p = 0; p < 3; ++p)
                for (std::int64_t i = 0; i < timeline().parts[p].steps->size(); ++i) {
                    std::int64_t sum = 0;
                    for (const ContentItem& item : contentsOf(timeline(), p, i).items)
                        sum += item.tensor == t ? item.elements : 0;
                    QCOMPARE(own->use(timeline(), p, i).total(), sum);
                }
        }
        const auto columns = timelineColumns(timeline(), 0, timeline().total, 900, &track);
        for (std::size_t x = 0; x < columns.size(); ++x) {
            const double t0 = timeline().total * static_cast<double>(x) / 900;
            QCOMPARE(columns[x].tensorIn, t0 + timeline().total / 900 > timeline().parts[1].start);
        }
        QVERIFY(m_view->grab().toImage() != before);
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_view->model().track);
        QCOMPARE(m_view->grab().toImage(), before);
    }

    void theListOfResidentsSelectsTensors()
    {
        open(chain(), threeSubgraphs());
        const MemoryContents step = contentsOf(timeline(), 2, 5);
        const double middle = (step.start + step.end) / 2;
        m_view->pin(middle);
        const auto items = m_view->model().contents->items;
        QVERIFY(items.size() >= 2);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, m_view->rowCentre(1).toPoint());
        QCOMPARE(m_state->selection.state().tensor, items[1].tensor);
        QCOMPARE(m_view->model().cursor, middle); // the time stays pinned
        QTest::keyClick(m_view.get(), Qt::Key_Up);
        QCOMPARE(m_state->selection.state().tensor, items[0].tensor);
        m_view->pin(timeline().parts[1].start); // so does the tensor that is followed
        QCOMPARE(m_state->selection.state().tensor, items[0].tensor);
        move(m_view->rowCentre(0));
        QCOMPARE(m_state->selection.hover().tensor, m_view->model().contents->items[0].tensor);
    }

    void aLongListScrolls()
    {
        // A sum of 30 tensors: none of its inputs may be out of reach in a low pane.
        Problem::Data data;
        data.tensors = IdVector<TensorId, Tensor>(31, Tensor{64, 64, {}});
        std::vector<TensorId> inputs;
        for (std::size_t i = 0; i < 30; ++i)
            inputs.push_back(TensorId(i));
        data.ops.push_back({OpType::Pointwise, inputs, TensorId(30), 100, {}});
        data.hardware = {200000, 10, 64, 64, {}};
        Schedule s;
        s.subgraphs.push_back(
            std::make_shared<const Subgraph>(Subgraph{{OpId(0)}, {64, 64, 1}, {}, {}, {}, false}));
        open(*Problem::build(std::move(data)), s, {1000, 260});
        QCOMPARE(m_view->model().contents->items.size(), std::size_t(31));
        auto* bar = m_view->findChild<QScrollBar*>();
        QVERIFY(bar->isVisible());
        QVERIFY(!m_view->panel().list.contains(m_view->rowCentre(30)));
        const QPointF over = m_view->panel().list.center();
        QWheelEvent wheel(over, m_view->mapToGlobal(over), {}, {0, -12000}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        for (int page = 0; page < 5; ++page)
            QCoreApplication::sendEvent(m_view.get(), &wheel);
        QCOMPARE(bar->value(), bar->maximum());
        QVERIFY(m_view->panel().list.contains(m_view->rowCentre(30)));
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, m_view->rowCentre(30).toPoint() - QPoint(40, 0));
        QCOMPARE(m_state->selection.state().tensor, m_view->model().contents->items[30].tensor);
        m_view->resize(1000, 900);
        QVERIFY(!bar->isVisible());
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
        QVERIFY(!m_view->model().contents);
        QCOMPARE(m_view->model().cursor, timeline().parts[1].start);
        QVERIFY(picture::colours(picture::of(*m_view)) > 20);
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
        QCOMPARE(rows.size() - 1, static_cast<qsizetype>(m_view->model().contents->items.size()));
    }
};

TILEWRIGHT_TEST(TestMemory)

} // namespace test_memory
#include "test_memory.moc"
