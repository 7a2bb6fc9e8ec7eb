// SPDX-License-Identifier: GPL-3.0-or-later
// The Systolic lens: the player of the array and the pipeline, models against the core, driven as a person
// does.
#include "export/export_view.h"
#include "picture.h"
#include "systolic_bench.h"
#include "test_main.h"
#include "views/systolic/gantt_model.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QSlider>

namespace test_systolic_runs {

using namespace tilewright;
using namespace tilewright::systolic;
using namespace tilewright::ui;

class TestSystolicRuns : public SystolicBench
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openLens(); }
    void cleanup() { close(); }

    // -- the player --

    void wavefrontIsTheTimetableOfTheCore()
    {
        WavefrontCanvas* w = wavefront();
        const FoldPlan plan({64, 64, 64}, {16, 16});
        QCOMPARE(state().cycles(), std::int64_t{1054});
        for (const std::int64_t cycle : {0, 17, 64, 500, 1053}) {
            state().setCycle(cycle);
            const WavefrontModel& m = w->model();
            QCOMPARE(m.cycle, cycle);
            QCOMPARE(m.active, plan.activePesAt(cycle));
            std::int64_t active = 0;
            for (std::int64_t r = 0; r < 16; ++r)
                for (std::int64_t c = 0; c < 16; ++c) {
                    const PeActivity pe = plan.peAt(cycle, r, c);
                    QCOMPARE(m.at(r, c).active, pe.active);
                    QCOMPARE(m.at(r, c).k, pe.k);
                    active += pe.active;
                }
            QCOMPARE(active, m.active);
            QCOMPARE(m.registers.size(), std::size_t{256});
        }
        // The operand next to the edge enters in the following cycle.
        state().setCycle(20);
        QCOMPARE(w->model().west[0].k, plan.peAt(21, 0, 0).k);
        QVERIFY(w->model().figures.contains(QStringLiteral("97.2\u00A0%")));
    }

    void registersOfThePlayerAreTheSimulators()
    {
        WavefrontCanvas* w = wavefront();
        auto sim = PeSimulator::createRandom({64, 64, 64}, {16, 16}, {}, 1);
        QVERIFY(sim.hasValue());
        for (const std::int64_t cycle : {40, 900, 40}) {
            state().setCycle(cycle);
            sim->seek(cycle);
            for (std::int64_t r = 0; r < 16; r += 5)
                for (std::int64_t c = 0; c < 16; c += 3) {
                    const PeRegisters& shown = w->model().registers[static_cast<std::size_t>(r * 16 + c)];
                    QCOMPARE(shown.accumulator, sim->pe(r, c).accumulator);
                    QCOMPARE(shown.west, sim->pe(r, c).west);
                }
        }
    }

    void stepsPlaysAndScrubsBothWays()
    {
        WavefrontCanvas* w = wavefront();
        w->setFocus();
        state().setCycle(100);
        QTest::keyClick(w, Qt::Key_Period);
        QCOMPARE(state().cycle(), std::int64_t{101});
        QTest::keyClick(w, Qt::Key_Comma);
        QTest::keyClick(w, Qt::Key_Comma);
        QCOMPARE(state().cycle(), std::int64_t{99});
        QTest::mouseClick(button(w, "Last cycle"), Qt::LeftButton);
        QCOMPARE(state().cycle(), std::int64_t{1053});
        QTest::keyClick(w, Qt::Key_Period);
        QCOMPARE(state().cycle(), std::int64_t{1053});
        QTest::mouseClick(button(w, "First cycle"), Qt::LeftButton);
        QCOMPARE(state().cycle(), std::int64_t{0});

        // Scrubbing on the chart, forwards and back.
        QTest::mousePress(w, Qt::LeftButton, {}, w->chartPoint(700).toPoint());
        QVERIFY(std::abs(state().cycle() - 700) <= 2);
        move(w, w->chartPoint(300), Qt::LeftButton);
        QVERIFY(std::abs(state().cycle() - 300) <= 2);
        QTest::mouseRelease(w, Qt::LeftButton, {}, w->chartPoint(300).toPoint());

        auto* slider = w->findChild<QSlider*>();
        QCOMPARE(slider->maximum(), 1053);
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_End);
        QCOMPARE(state().cycle(), std::int64_t{1053});

        // Playing from the end starts over, moves on and stops when hidden.
        QTest::mouseClick(button(w, "Play the wavefront"), Qt::LeftButton);
        QVERIFY(w->playback().isPlaying());
        QTRY_VERIFY(state().cycle() > 0 && state().cycle() < 1000);
        m_view->hide();
        QVERIFY(!w->playback().isPlaying());
    }

    void jumpsToFillSteadyAndDrain()
    {
        WavefrontCanvas* w = wavefront();
        const ArrayPhases phases = FoldPlan({64, 64, 64}, {16, 16}).phases();
        w->setFocus();
        QTest::mouseClick(button(w, "Steady"), Qt::LeftButton);
        QCOMPARE(state().cycle(), phases.fill);
        QCOMPARE(w->model().active, std::int64_t{256});
        QVERIFY(w->model().when.contains(QStringLiteral("steady")));
        QTest::mouseClick(button(w, "Drain"), Qt::LeftButton);
        QCOMPARE(state().cycle(), phases.fill + phases.steady);
        QVERIFY(w->model().active < 256);
        QTest::keyClick(w, Qt::Key_1);
        QCOMPARE(state().cycle(), std::int64_t{0});
    }

    /// With WS and IS the first block is loaded in the fill: the phases count from cycle 0, once.
    void phasesOfStationaryDataflows()
    {
        for (const Dataflow d : {Dataflow::Ws, Dataflow::Is}) {
            SystolicSettings s = state().settings();
            s.gemm = {100, 90, 40};
            s.timing.dataflow = d;
            QVERIFY(state().set(s));
            WavefrontCanvas* w = wavefront();
            const ArrayPhases phases = FoldPlan(s.gemm, s.hierarchy.array, s.timing).phases();
            QVERIFY(FoldPlan(s.gemm, s.hierarchy.array, s.timing).start(0) > 0);
            w->setFocus();
            QTest::mouseClick(button(w, "Steady"), Qt::LeftButton);
            QCOMPARE(state().cycle(), phases.fill);
            QCOMPARE(w->model().active, phases.peakPes);
            QVERIFY2(w->model().when.contains(QStringLiteral("steady")), qPrintable(w->model().when));
            state().setCycle(phases.fill - 1);
            w->settle();
            QVERIFY2(w->model().when.contains(QStringLiteral("fill")), qPrintable(w->model().when));
            QTest::mouseClick(button(w, "Drain"), Qt::LeftButton);
            QCOMPARE(state().cycle(), phases.fill + phases.steady);
        }
    }

    /// The programs are those of the dataflow that is chosen.
    void programsOfStationaryDataflows()
    {
        SystolicSettings s = state().settings();
        s.timing.dataflow = Dataflow::Ws;
        s.unlimitedBandwidth = true;
        s.gemm = {128, 64, 64};
        QVERIFY(state().set(s));
        const GanttModel& m = gantt()->model();
        QVERIFY2(m.title.contains(QStringLiteral("weight-stationary")), qPrintable(m.title));
        QCOMPARE(m.result->comparison->pipelined.options.dataflow, Dataflow::Ws);
        QCOMPARE(m.result->comparison->pipelinedRun.cycles,
                 arrayTiming(s.gemm, s.hierarchy.array, s.timing).cycles);
    }

    /// A tile that was chosen by hand is the one that the programs move.
    void programsOfTheChosenTile()
    {
        SystolicSettings s = state().settings();
        s.gemm = {256, 256, 256};
        s.ownTile = TileShape{64, 32, 128};
        QVERIFY(state().set(s));
        const GanttModel& m = gantt()->model();
        QVERIFY2(m.title.contains(QStringLiteral("tile 64 × 32 × 128")), qPrintable(m.title));
        const PipelineComparison& c = *m.result->comparison;
        QCOMPARE(c.pipelined.tile, *s.ownTile);
        QCOMPARE(c.barriered.tile, *s.ownTile);
        QCOMPARE(c.pipelinedRun.arrayBusy, std::int64_t{256 * 256});
    }

    /// A lane is as full as its unit is busy, however many commands a pixel has.
    void lanesOfLargeProgramsShowTheirUtilisation()
    {
        state().setGemm({512, 512, 512}, {});
        const GanttModel& m = gantt()->model();
        const LaneModel lanes = ganttLanes(m);
        for (const Lane& lane : lanes.lanes)
            for (const MarkRow& row : lane.rows) {
                const Marks& marks = row.layers.back();
                QVERIFY(marks.shared);
                double busy = 0;
                for (std::size_t i = 0; i < marks.count; ++i)
                    busy += marks.end(i) - marks.start(i);
                double shown = 0;
                for (const ShareColumn& column : shareColumns(marks, 0, lanes.total, 500))
                    for (const float share : column.share)
                        shown += static_cast<double>(share) * column.width;
                QVERIFY(std::abs(shown / 500 - busy / lanes.total) < 0.01);
            }
    }

    void hoverAndClickTellAboutAPe()
    {
        WavefrontCanvas* w = wavefront();
        state().setCycle(40);
        QTest::mouseClick(w, Qt::LeftButton, {}, w->peCentre({2, 3}).toPoint());
        QCOMPARE(w->pinned(), std::optional(PePosition{2, 3}));
        QTest::keyClick(w, Qt::Key_Right);
        QCOMPARE(w->pinned(), std::optional(PePosition{2, 4}));
        const PeFacts facts = peFacts(state(), {2, 4});
        QStringList lines;
        for (const auto& [label, value] : facts.lines)
            lines << label + QStringLiteral(": ") + value;
        // PE (2,4) at cycle 40 does k = 40 - 2 - 4.
        QVERIFY2(lines.contains(QStringLiteral("MAC: C[2,4] += A[2,34] × B[34,4]")),
                 qPrintable(lines.join(u'\n')));
        QVERIFY(lines.contains(QStringLiteral("progress: 35 of 64 operands")));
        QTest::keyClick(w, Qt::Key_Escape);
        QVERIFY(!w->pinned());
    }

    void utilisationColumnsAddUpToTheMacs()
    {
        wavefront();
        const UtilisationColumns exact = utilisation(state(), 0, 1054, 1054);
        double sum = 0;
        for (const double u : exact.mean)
            sum += u * 256;
        QCOMPARE(std::llround(sum), 64ll * 64 * 64);
        const UtilisationColumns coarse = utilisation(state(), 0, 1054, 100);
        QCOMPARE(coarse.mean.size(), std::size_t{100});
        QVERIFY(!coarse.sampled);
    }

    void starvedEdgesStallAndAreNamed()
    {
        WavefrontCanvas* w = wavefront();
        type("west", "8"); // half of what 16 rows take in a cycle
        w->settle();
        QVERIFY(state().cycles() > 1054);
        QVERIFY(w->model().stalledCycles > 0);
        QCOMPARE(state().cycles(), 1054 + w->model().stalledCycles);
        QCOMPARE(w->model().westFifo.size(), std::size_t{16});
        const auto& stalls = state().simulation()->clock->stalls();
        state().setCycle(stalls.back().cycle);
        QVERIFY(w->model().stall);
        QCOMPARE(w->model().active, std::int64_t{0});
        QVERIFY(w->model().when.contains(QStringLiteral("stalled")));
    }

    void largeArraysAreFluid()
    {
        SystolicSettings s = state().settings();
        s.gemm = {2048, 2048, 2048};
        s.hierarchy.array = {128, 128};
        QVERIFY(state().set(s));
        WavefrontCanvas* w = wavefront();
        QCOMPARE(w->model().pes.size(), std::size_t{128 * 128});
        QVERIFY(w->model().registers.empty());
        QVERIFY(!w->model().warning.isEmpty()); // too large for registers: said so
        s.hierarchy.array = {1024, 700};
        QVERIFY(state().set(s));
        w->settle();
        QVERIFY(w->model().step > 1);
        QVERIFY(w->model().pes.size() <= std::size_t{1} << 16);
        const QImage image = renderToImage(*w, {});
        QVERIFY(picture::colours(image) > 20);
    }

    void otherDataflowsHaveTheirOwnTimetable()
    {
        WavefrontCanvas* w = wavefront();
        auto* dataflow = control<QComboBox>("dataflow");
        dataflow->setFocus();
        QTest::keyClick(dataflow, Qt::Key_Down);
        QCOMPARE(state().settings().timing.dataflow, Dataflow::Ws);
        QVERIFY(control<QComboBox>("weights")->isEnabled());
        w->settle();
        QCOMPARE(state().cycles(), arrayTiming({64, 64, 64}, {16, 16}, {Dataflow::Ws}).cycles);
        QVERIFY(w->model().north.empty()); // partial sums move south, no operands enter there
        QCOMPARE(w->model().registers.size(), std::size_t{256});
    }

    // -- the pipeline --

    void pipelineShowsBothProgramsAndWhatIsSaved()
    {
        GanttCanvas* g = gantt();
        auto* bandwidth = g->findChildren<QComboBox*>().value(1);
        bandwidth->setFocus();
        QTest::keyClick(bandwidth, Qt::Key_Up); // unlimited
        g->settle();
        QVERIFY(state().settings().unlimitedBandwidth);
        const PipelineComparison& c = *state().comparison();
        QCOMPARE(c.pipelinedRun.computeCycles, std::int64_t{1054});
        QVERIFY(c.cyclesSaved().value_or(0) > 0);
        const GanttModel& m = g->model();
        QCOMPARE(m.programs.size(), std::size_t{2});
        QCOMPARE(row(m.stalls, QStringLiteral("total"), 1).toLongLong(), c.barrieredRun.cycles);
        QCOMPARE(row(m.stalls, QStringLiteral("total"), 2).toLongLong(), c.pipelinedRun.cycles);
        // Every cycle is either fed or attributed.
        for (const int column : {1, 2}) {
            std::int64_t sum = 0;
            for (std::size_t r = 0; r + 1 < m.stalls.rows.size(); ++r)
                sum += QString(m.stalls.rows[r][column]).remove(QChar(0x202F)).toLongLong();
            QCOMPARE(sum, column == 1 ? c.barrieredRun.cycles : c.pipelinedRun.cycles);
        }
        // Every command of a resource is a bar.
        std::size_t bars = 0;
        for (const PipelineLane& lane : *m.programs[1].lanes) {
            bars += lane.bars.size();
            for (std::size_t i = 1; i < lane.bars.size(); ++i)
                QVERIFY(lane.bars[i].start >= lane.bars[i - 1].end);
        }
        const auto& commands = c.pipelined.commands;
        QCOMPARE(bars, static_cast<std::size_t>(
                           std::count_if(commands.begin(), commands.end(),
                                         [](const Command& x) { return resourceOf(x.kind).has_value(); })));
    }

    void finiteBandwidthShiftsTheBottleneckAndNamesIt()
    {
        GanttCanvas* g = gantt();
        SystolicSettings s = state().settings();
        s.unlimitedBandwidth = false;
        s.hierarchy.at(Level::External).gbPerSecond = 2;
        QVERIFY(state().set(s));
        g->settle();
        QVERIFY2(g->model().bottleneck.contains(QStringLiteral("DMA")), qPrintable(g->model().bottleneck));
        QVERIFY(g->model().cycles > 5408);
    }

    void cursorsOfArrayAndPipelineAreLinked()
    {
        GanttCanvas* g = gantt();
        const PipelineComparison& c = *state().comparison();
        QTest::mouseClick(g, Qt::LeftButton, {}, g->pointAt(600).toPoint());
        QVERIFY(std::abs(state().pipelineTime() - 600) <= 8);
        // The COMPUTE at the cursor is what the player shows.
        const FoldPlan& plan = state().plan();
        bool compared = false;
        for (const std::uint32_t id : c.pipelinedRun.runningAt(state().pipelineTime()))
            if (const Command& command = c.pipelined.commands[id]; command.kind == CommandKind::Compute) {
                const std::int64_t fold = plan.foldStartedAt(state().cycle());
                QCOMPARE(plan.fold(fold).outer, command.i);
                QCOMPARE(plan.fold(fold).inner, command.j);
                const std::int64_t k = state().cycle() - plan.start(fold);
                QCOMPARE(k / 16, command.k);
                compared = true;
            }
        QVERIFY(compared);
        const std::int64_t time = state().pipelineTime();
        state().setCycle(state().cycle());
        QCOMPARE(state().pipelineTime(), time);
        QVERIFY(g->model().banks.bankA.has_value());
        QVERIFY(!g->model().banks.conflict()); // the split layout never does
    }

    /// Found by random input: a program that is cut into tiles of a person's own has fewer steps than the
    /// array has folds.
    void cursorsOfAProgramThatIsCutOtherwiseAreNot()
    {
        GanttCanvas* g = gantt();
        SystolicSettings s = state().settings();
        s.ownTile = TileShape{2 * s.hierarchy.array.rows, 2 * s.hierarchy.array.cols, s.gemm.k};
        QVERIFY(state().set(s));
        g->settle();
        QVERIFY(state().comparison());
        QVERIFY(std::ssize(state().pipeline()->computes) < state().plan().folds() * 4);
        const std::int64_t time = state().pipelineTime();
        state().setCycle(state().cycles() - 1);
        QCOMPARE(state().cycle(), state().cycles() - 1);
        QCOMPARE(state().pipelineTime(), time);
        state().setPipelineTime(time + 1);
        QCOMPARE(state().cycle(), state().cycles() - 1);
    }

    void stallsAreReachedByKeys()
    {
        GanttCanvas* g = gantt();
        g->setFocus();
        state().setPipelineTime(0);
        const auto& bubbles = state().comparison()->pipelinedRun.bubbles;
        QVERIFY(bubbles.size() >= 2);
        g->jumpToStall(1);
        const std::int64_t at = state().pipelineTime();
        QVERIFY(
            std::any_of(bubbles.begin(), bubbles.end(), [&](const ArrayBubble& b) { return b.start == at; }));
        QTest::keyClick(g, Qt::Key_BracketLeft);
        QVERIFY(state().pipelineTime() <= at);
        QTest::keyClick(g, Qt::Key_W);
        QVERIFY(g->visibleRange().second - g->visibleRange().first < static_cast<double>(g->model().cycles));
        QTest::mouseClick(button(g, "Fit the pipeline"), Qt::LeftButton);
        QCOMPARE(g->visibleRange().second, static_cast<double>(g->model().cycles));
        QTest::mouseClick(button(g, "Copy the program"), Qt::LeftButton);
        QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("COMPUTE")));
    }

    void seedLayoutConflictsAreShown()
    {
        GanttCanvas* g = gantt();
        SystolicSettings s = state().settings();
        s.layout = BankLayout::Seed;
        QVERIFY(state().set(s));
        g->settle();
        // Some COMPUTE reads A and B from one bank.
        const PipelineComparison& c = *state().comparison();
        bool conflict = false;
        for (const PipelineLane::Bar& bar : state().pipeline()->lanes[1][6].bars) {
            state().setPipelineTime(bar.start);
            conflict = conflict || g->model().banks.conflict();
        }
        QVERIFY(conflict);
        QVERIFY(!c.pipelined.commands.empty());
    }

    void whatEveryChartOverTimeCan()
    {
        GanttCanvas* g = gantt();
        // Shift measures, snapping to the marks under the mouse unless Alt is held.
        const PipelineLane::Bar& bar = state().pipeline()->lanes[0].front().bars[3];
        const auto drag = [&](double from, double to, Qt::KeyboardModifiers held) {
            const QPointF a = g->pointAt(from);
            const QPointF b = g->pointAt(to);
            for (const auto& [type, at] :
                 {std::pair(QEvent::MouseButtonPress, a), std::pair(QEvent::MouseMove, b),
                  std::pair(QEvent::MouseButtonRelease, b)}) {
                QMouseEvent event(type, at, g->mapToGlobal(at), Qt::LeftButton,
                                  type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, held);
                QCoreApplication::sendEvent(g, &event);
            }
        };
        const std::int64_t cursor = state().pipelineTime();
        const double pixel = static_cast<double>(g->model().cycles) / g->places().plot.width();
        drag(static_cast<double>(bar.start) - pixel, 2000, Qt::ShiftModifier);
        bool border = false;
        for (std::size_t unit = 0; unit < 2; ++unit)
            for (const PipelineLane::Bar& b : state().pipeline()->lanes[0][unit].bars)
                border = border || g->measured()->first == static_cast<double>(b.start) ||
                         g->measured()->first == static_cast<double>(b.end);
        QVERIFY(border);
        QCOMPARE(state().pipelineTime(), cursor);
        // What lies in it as CSV, a line a mark.
        QAction* copy = m_app->actions.find(QStringLiteral("systolic-pipeline.copyMarks"));
        QVERIFY(copy);
        copy->trigger();
        const QStringList lines =
            QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.first(), QStringLiteral("lane,start,end,what,facts"));
        QVERIFY(lines.size() > 10);
        for (const QString& line : lines.mid(1)) {
            QVERIFY2(line.section(QLatin1Char(','), 2, 2).toDouble() > g->measured()->first,
                     qPrintable(line));
            QVERIFY2(line.section(QLatin1Char(','), 1, 1).toDouble() < g->measured()->second,
                     qPrintable(line));
        }
        // F enlarges it, the side buttons go back, Escape lets a range go.
        const auto range = *g->measured();
        g->setFocus();
        QTest::keyClick(g, Qt::Key_F);
        QCOMPARE(g->visibleRange(), range);
        g->goBack();
        QCOMPARE(g->visibleRange().second, static_cast<double>(g->model().cycles));
        drag(100.5, 900.25, Qt::ShiftModifier | Qt::AltModifier);
        QVERIFY(g->measured());
        QTest::keyClick(g, Qt::Key_Escape);
        QVERIFY(!g->measured());
        // The strip below moves what is shown.
        QTest::keyClick(g, Qt::Key_W);
        const QRectF strip = g->places().overview;
        QVERIFY(!strip.isEmpty());
        QTest::mouseClick(g, Qt::LeftButton, {}, QPointF(strip.right() - 2, strip.center().y()).toPoint());
        QCOMPARE(g->visibleRange().second, static_cast<double>(g->model().cycles));
        // What is under the mouse is read out.
        g->fitAll();
        QVERIFY(
            g->readoutAt(g->pointAt(static_cast<double>(bar.start) + 0.5)).contains(QStringLiteral("DMA 0")));
    }

    void tooLargeProgramsSaySo()
    {
        GanttCanvas* g = gantt();
        SystolicSettings s = state().settings();
        s.gemm = {100'000, 100'000, 100'000};
        QVERIFY(state().set(s));
        g->settle();
        QVERIFY(g->model().programs.empty());
        QVERIFY(g->model().hint.startsWith(QStringLiteral("No programs")));
        QVERIFY2(g->model().hint.count(QLatin1Char(':')) == 1,
                 qPrintable(g->model().hint)); // the reason, no path
        QVERIFY2(picture::colours(renderToImage(*g, {})) > 5, "the reason in words");
    }
};

TILEWRIGHT_TEST(TestSystolicRuns)

} // namespace test_systolic_runs
#include "test_systolic_runs.moc"
