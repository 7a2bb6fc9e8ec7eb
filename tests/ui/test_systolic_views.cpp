// SPDX-License-Identifier: GPL-3.0-or-later
// The Systolic lens: models against the core, and the panes driven as a person does.
#include "app_state.h"
#include "export/export_view.h"
#include "main_window.h"
#include "views/systolic/gantt_canvas.h"
#include "views/systolic/levels_canvas.h"
#include "views/systolic/settings_panel.h"
#include "views/systolic/systolic_view.h"
#include "views/systolic/tile_map_canvas.h"
#include "views/systolic/wavefront_canvas.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QToolButton>
#include <QWheelEvent>
#include <QtTest>

using namespace tilewright;
using namespace tilewright::ui;

class TestSystolicViews : public QObject
{
    Q_OBJECT

    std::unique_ptr<AppState> m_app;
    std::unique_ptr<SystolicView> m_view;

    SystolicState& state() const { return m_view->state(); }
    template <typename P> P* pane(const char* name) const
    {
        auto* p = qobject_cast<P*>(m_view->pane(QLatin1String(name)));
        m_view->showPane(QLatin1String(name));
        p->settle();
        return p;
    }
    WavefrontCanvas* wavefront() const { return pane<WavefrontCanvas>("systolic-wavefront"); }
    GanttCanvas* gantt() const { return pane<GanttCanvas>("systolic-pipeline"); }
    TileMapCanvas* tiles() const { return pane<TileMapCanvas>("systolic-tiles"); }
    LevelsCanvas* levels() const { return pane<LevelsCanvas>("systolic-memory"); }

    template <typename W> W* control(const char* name) const
    {
        return m_view->findChild<W*>(QStringLiteral("systolic.") + QLatin1String(name));
    }
    /// Types a number into a spin box and presses Enter.
    void type(const char* name, const char* digits) const
    {
        auto* box = control<QSpinBox>(name);
        QVERIFY(box);
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QLatin1String(digits));
        QTest::keyClick(box, Qt::Key_Return);
    }
    static void move(QWidget* w, QPointF at, Qt::MouseButtons buttons = Qt::NoButton)
    {
        QMouseEvent event(QEvent::MouseMove, at, w->mapToGlobal(at), Qt::NoButton, buttons, Qt::NoModifier);
        QCoreApplication::sendEvent(w, &event);
    }
    static QToolButton* button(QWidget* in, const char* action)
    {
        for (QToolButton* b : in->findChildren<QToolButton*>())
            if (b->defaultAction() && b->defaultAction()->text() == QLatin1String(action))
                return b;
        return nullptr;
    }
    static QString row(const PaintedTable& t, const QString& first, int column)
    {
        for (const QStringList& r : t.rows)
            if (r.first().startsWith(first))
                return r.value(column).remove(QChar(0x202F));
        return {};
    }
    static const PaintedTable* card(const LevelsModel& m, const QString& title)
    {
        for (const LevelsCard& c : m.cards)
            if (c.table.title.contains(title))
                return &c.table;
        return nullptr;
    }

private Q_SLOTS:
    void init()
    {
        m_app = std::make_unique<AppState>();
        m_view = std::make_unique<SystolicView>(m_app->context());
        m_view->resize(1300, 640);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_view->settle();
    }
    void cleanup()
    {
        m_view.reset();
        m_app.reset();
    }

    // -- the form
    // ------------------------------------------------------------------------------------------

    void theWheelScrollsTheForm()
    {
        m_view->resize(1300, 300);
        m_view->settle();
        auto* box = control<QSpinBox>("rows");
        QVERIFY(box);
        auto* form = m_view->findChild<SettingsPanel*>();
        QVERIFY(form && form->verticalScrollBar()->maximum() > 0);
        form->verticalScrollBar()->setValue(0);
        const auto turn = [](QWidget* at) {
            const QPointF middle = at->rect().center();
            QWheelEvent wheel(middle, at->mapToGlobal(middle), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QSpontaneKeyEvent::setSpontaneous(&wheel); // as from the mouse: only such wheels go on to parents
            qApp->notify(at, &wheel);
        };
        const int before = box->value();
        turn(box);
        QCOMPARE(box->value(), before);
        QVERIFY(!box->hasFocus());
        QVERIFY(form->verticalScrollBar()->value() > 0);
        // Over the number itself and over a list as well.
        form->verticalScrollBar()->setValue(0);
        turn(box->findChild<QLineEdit*>());
        QCOMPARE(box->value(), before);
        QVERIFY(form->verticalScrollBar()->value() > 0);
        form->verticalScrollBar()->setValue(0);
        auto* list = control<QComboBox>("dataflow");
        turn(list);
        QCOMPARE(list->currentIndex(), 0);
        QVERIFY(form->verticalScrollBar()->value() > 0);
        // With the focus the wheel changes it.
        box->setFocus();
        turn(box);
        QCOMPARE(box->value(), before - 1);
    }

    void aHierarchyFileIsTaken()
    {
        m_app->selection.openLensFile(
            QStringLiteral("systolic"),
            QStringLiteral(TILEWRIGHT_SOURCE_DIR "/resources/hierarchies/edge-8x8.json"));
        QCOMPARE(state().settings().hierarchy.name, std::string("edge-8x8"));
        QCOMPARE(state().settings().hierarchy.array.rows, std::int64_t{8});
        QString refusal;
        connect(&m_app->document, &Document::refused, this, [&](const QString& why) { refusal = why; });
        m_app->selection.openLensFile(
            QStringLiteral("systolic"),
            QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/invalid_hierarchy/bandwidth_zero.json"));
        QVERIFY2(refusal.contains(QStringLiteral("bandwidth must be greater than zero")),
                 qPrintable(refusal));
        QCOMPARE(state().settings().hierarchy.name, std::string("edge-8x8"));
    }

    // -- the player
    // ------------------------------------------------------------------------------------------

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
        QVERIFY(w->isPlaying());
        QTRY_VERIFY(state().cycle() > 0 && state().cycle() < 1000);
        m_view->hide();
        QVERIFY(!w->isPlaying());
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
        QVERIFY(!image.isNull());
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

    // -- the pipeline
    // ----------------------------------------------------------------------------------------

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
        QVERIFY(c.cyclesSaved() > 0);
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

    void tooLargeProgramsSaySo()
    {
        GanttCanvas* g = gantt();
        SystolicSettings s = state().settings();
        s.gemm = {100'000, 100'000, 100'000};
        QVERIFY(state().set(s));
        g->settle();
        QVERIFY(g->model().programs.empty());
        QVERIFY(g->model().hint.startsWith(QStringLiteral("No programs")));
        QVERIFY2(g->model().hint.count(QLatin1Char(':')) == 1, qPrintable(g->model().hint)); // the reason, no path
        QVERIFY(!renderToImage(*g, {}).isNull());
    }

    // -- tile search
    // -----------------------------------------------------------------------------------------

    void tilePicksAreTheCores()
    {
        state().setGemm({1024, 1024, 1024}, {});
        TileMapCanvas* t = tiles();
        const TileQuery q = state().settings().tileQuery();
        const auto analytic = analyticTile(q);
        QCOMPARE(analytic->tile, (TileShape{64, 64, 96}));
        const TileResult& r = *t->model().result;
        for (const TileMethod m : {TileMethod::Analytic, TileMethod::Exhaustive, TileMethod::Learned})
            QCOMPARE(r.picks[static_cast<std::size_t>(m)]->tile, chooseTile(q, m)->tile);
        QVERIFY(
            row(t->model().methods, QStringLiteral("analytic"), 1).contains(QStringLiteral("64 × 64 × 96")));
        QVERIFY(t->model().roofline.has_value());
        bool hatched = false;
        for (const LandscapeCell& c : r.landscape.cells)
            hatched = hatched || !c.feasible;
        QVERIFY(hatched);
    }

    void clickingTheMapChoosesATile()
    {
        state().setGemm({1024, 1024, 1024}, {});
        TileMapCanvas* t = tiles();
        const TileCell cell = cellOf(t->model().result->landscape, {128, 32, 16});
        QTest::mouseClick(t, Qt::LeftButton, {}, t->cellCentre(cell).toPoint());
        QVERIFY(state().settings().ownTile.has_value());
        QCOMPARE(state().settings().ownTile->ti, std::int64_t{128});
        QCOMPARE(state().settings().ownTile->tj, std::int64_t{32});
        QCOMPARE(state().settings().ownTile->tk, deepestTile(state().settings().tileQuery(), 128, 32));
        t->settle();
        QCOMPARE(t->model().methods.marked, 3);
        QTest::keyClick(t, Qt::Key_Right);
        QCOMPARE(state().settings().ownTile->tj, std::int64_t{48});
        t->settle();
        // Back to a method.
        auto* method = t->findChildren<QComboBox*>().value(4);
        method->setFocus();
        QTest::keyClick(method, Qt::Key_Home);
        QVERIFY(!state().settings().ownTile);
        QCOMPARE(state().settings().method, TileMethod::Analytic);
    }

    void levelAndFootprintChangeTheQuery()
    {
        TileMapCanvas* t = tiles();
        auto* level = t->findChildren<QComboBox*>().value(0);
        level->setFocus();
        QTest::keyClick(level, Qt::Key_Up);
        QCOMPARE(state().settings().tileLevel, Level::L1);
        QCOMPARE(state().settings().tileQuery().capacityBytes, std::int64_t{32 * 1024});
        auto* footprint = t->findChildren<QComboBox*>().value(3);
        footprint->setFocus();
        QTest::keyClick(footprint, Qt::Key_Down);
        QCOMPARE(state().settings().footprint, Footprint::Aggressive);
    }

    // -- memories
    // --------------------------------------------------------------------------------------------

    void memoryCardsShowTheFiguresOfTheSpec()
    {
        LevelsCanvas* l = levels();
        const LevelsModel& m = l->model();
        const PaintedTable* l2 = card(m, QStringLiteral("Schedules of L2"));
        QVERIFY(l2);
        const char* traffic[] = {"144 KB", "96 KB", "48 KB", "176 KB"};
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(l2->rows[i][1], QLatin1String(traffic[i]));
        QCOMPARE(l2->rows[0][2], QStringLiteral("9 KB"));
        QCOMPARE(l2->rows[0][3], QStringLiteral("17 KB"));
        QCOMPARE(l2->rows[1][3], QStringLiteral("13 KB"));
        QVERIFY(card(m, QStringLiteral("8 of 64 steps conflict")));
        QVERIFY(card(m, QStringLiteral("split layout: 0 of 64")));
        const PaintedTable* corrections = card(m, QStringLiteral("Figures of the seeds"));
        QVERIFY(corrections);
        QCOMPARE(corrections->rows.size(), seedCorrections().size());
        QVERIFY(l->copyText().contains(QStringLiteral("144 KB")));
    }

    void memoriesScroll()
    {
        LevelsCanvas* l = levels();
        QCOMPARE(l->scrolled(), 0.0);
        const QPointF at(200, 300);
        QWheelEvent wheel(at, l->mapToGlobal(at), {}, {0, -240}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(l, &wheel);
        QVERIFY(l->scrolled() > 0);
    }

    // -- settings and links
    // ----------------------------------------------------------------------------------

    void typedSettingsReachEveryPane()
    {
        type("m", "32");
        type("n", "32");
        QCOMPARE(state().settings().gemm, (Gemm{32, 32, 64}));
        m_view->settle();
        QCOMPARE(state().timing().cycles, std::int64_t{286});
        QCOMPARE(wavefront()->model().cycles, std::int64_t{286});
        type("rows", "8");
        QCOMPARE(state().settings().hierarchy.array, (ArrayShape{8, 16}));
        QCOMPARE(wavefront()->model().rows, std::int64_t{8});
    }

    void refusedSettingsSayWhyAndStay()
    {
        SystolicSettings s = state().settings();
        s.gemm = {std::int64_t{1} << 31, std::int64_t{1} << 31, 64};
        QVERIFY(!state().set(s));
        QCOMPARE(state().settings().gemm, (Gemm{64, 64, 64}));
        auto* error = control<QLabel>("error");
        QVERIFY(error->isVisible());
        QVERIFY(!error->text().isEmpty());
        type("k", "32");
        QVERIFY(!error->isVisible());
    }

    void presetsAreLoadedAndEdited()
    {
        auto* preset = control<QComboBox>("preset");
        QCOMPARE(preset->currentText(), QStringLiteral("kpu"));
        preset->setFocus();
        QTest::keyClick(preset, Qt::Key_Down);
        QCOMPARE(state().settings().hierarchy.name, std::string("edge-8x8"));
        QCOMPARE(state().settings().hierarchy.array, (ArrayShape{8, 8}));
        auto* dram = control<QDoubleSpinBox>("bandwidth.external");
        QVERIFY(dram);
        dram->setFocus();
        dram->selectAll();
        QTest::keyClicks(dram, QStringLiteral("7"));
        QTest::keyClick(dram, Qt::Key_Return);
        QCOMPARE(state().settings().hierarchy.at(Level::External).gbPerSecond, 7.0);
        QCOMPARE(preset->currentText(), QStringLiteral("edited"));
    }

    void gemmOfAnotherLensIsLoadedWithItsOrigin()
    {
        gantt();
        m_app->selection.openGemm(128, 64, 32, QStringLiteral("subgraph 3"));
        QCOMPARE(state().settings().gemm, (Gemm{128, 64, 32}));
        auto* origin = control<QLabel>("origin");
        QVERIFY(origin->isVisible());
        QVERIFY(origin->text().contains(QStringLiteral("subgraph 3")));
        QVERIFY(wavefront()->isVisible());
        QVERIFY(wavefront()->model().origin.contains(QStringLiteral("subgraph 3")));
        type("m", "16"); // typed over: no longer that subgraph's
        QVERIFY(!origin->isVisible());
    }

    void aRequestedGemmBringsTheLensToTheFront()
    {
        MainWindow window;
        window.show();
        View* view = window.view(QStringLiteral("systolic"));
        QVERIFY(view && !view->isVisible());
        window.state().selection.openGemm(32, 32, 64, QStringLiteral("op 1"));
        QTRY_VERIFY(view->isVisible());
    }

    void selectedMatMulIsOffered()
    {
        auto* offer = control<QPushButton>("offer");
        QVERIFY(!offer->isVisible());
        Problem::Data data;
        for (int i = 0; i < 3; ++i)
            data.tensors.push_back({256, 256, {}});
        data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 100, {}});
        data.hardware = {100'000, 10, 128, 128, {}};
        Schedule schedule;
        schedule.subgraphs.push_back(
            std::make_shared<const Subgraph>(Subgraph{{OpId(0)}, {64, 128, 32}, {}, {}, {}, false}));
        m_app->document.setProblem(*Problem::build(std::move(data)), schedule);
        m_app->document.evaluateNow();
        m_app->selection.selectSubgraph(SubgraphId(0));
        QVERIFY(offer->isVisible());
        QTest::mouseClick(offer, Qt::LeftButton);
        QCOMPARE(state().settings().gemm, (Gemm{128, 64, 32})); // h x w x k
        QCOMPARE(state().settings().origin, QStringLiteral("subgraph 0"));
    }

    void separatePanesShareTheState()
    {
        TileMapCanvas other(m_app->context());
        QCOMPARE(&other.state(), &state());
        state().setGemm({256, 256, 256}, {});
        other.settle();
        QCOMPARE(other.model().result->of.gemm, (Gemm{256, 256, 256}));
    }

    void everyPaneExportsInBothThemes()
    {
        const QTemporaryDir dir;
        for (const char* name :
             {"systolic-wavefront", "systolic-pipeline", "systolic-tiles", "systolic-memory"}) {
            SystolicPane* p = m_view->pane(QLatin1String(name));
            QVERIFY(p);
            for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()}) {
                const QImage image = renderToImage(*p, {{900, 500}, 1, theme});
                QCOMPARE(image.pixelColor(0, 0), theme->canvas);
                std::set<QRgb> colours;
                for (int y = 0; y < image.height(); y += 3)
                    for (int x = 0; x < image.width(); x += 3)
                        colours.insert(image.pixel(x, y));
                QVERIFY2(colours.size() > 20, name);
            }
            const QString svg = dir.filePath(QLatin1String(name) + QStringLiteral(".svg"));
            QVERIFY(exportView(*p, svg, {}).hasValue());
            QVERIFY(QFileInfo(svg).size() > 1000);
            QVERIFY2(!p->copyText().isEmpty(), name);
            QVERIFY2(!p->accessibleDescription().isEmpty(), name);
        }
    }

    void everyControlIsNamedAndExplained()
    {
        for (QWidget* w : m_view->findChildren<QWidget*>()) {
            const bool control = qobject_cast<QComboBox*>(w) || qobject_cast<QAbstractSpinBox*>(w) ||
                                 qobject_cast<QSlider*>(w);
            if (!control || w->parentWidget()->inherits("QComboBoxPrivateContainer"))
                continue;
            QVERIFY2(!w->accessibleName().isEmpty(), qPrintable(w->objectName()));
            QVERIFY2(!w->toolTip().isEmpty(), qPrintable(w->objectName()));
            QVERIFY(w->focusPolicy() != Qt::NoFocus);
        }
    }
};

QTEST_MAIN(TestSystolicViews)
#include "test_systolic_views.moc"
