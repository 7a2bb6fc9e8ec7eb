// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of the Systolic lens by control: schedule, passes and tile, what the window names and
// compares, and the listing. The figures are those of the verb.
#include "base/file.h"
#include "systolic_bench.h"
#include "test_main.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/systolic/gantt_model.h"
#include "views/systolic/listing_pane.h"

#include <QApplication>
#include <QComboBox>
#include <QPushButton>
#include <QScopeGuard>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QWheelEvent>

namespace test_systolic_programs {

using namespace tilewright;
using namespace tilewright::systolic;
using namespace tilewright::ui;

class TestSystolicPrograms : public SystolicBench
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openLens(); }
    void cleanup() { close(); }

    /// Every level has its scale, its capacity and the peak of the program, in letters of any size.
    void levelsHaveAScaleAndTheirCapacity()
    {
        const QFont before = QApplication::font();
        const auto restore = qScopeGuard([&] { QApplication::setFont(before); });
        for (const int points : {10, 20}) {
            QFont letters = before;
            letters.setPointSize(points);
            QApplication::setFont(letters);
            GanttCanvas* g = gantt();
            g->settle();
            const LaneModel lanes = ganttLanes(g->model());
            const LanePlaces places = lanePlaces(QRectF(0, 0, 1000, 760), lanes, 0, false);
            const TextMetrics small(uiFont(0.85));
            for (std::size_t i = 0; i < 3; ++i) {
                const Lane& lane = lanes.lanes[firstLevelLane(lanes) + i];
                const std::int64_t peak = g->model().main().run->peakBytes[i];
                const std::int64_t capacity = g->model().capacity[i];
                QVERIFY(capacity > 0 && peak > 0);
                QCOMPARE(lane.facts, QStringList{levelFact(g->model(), i)});
                QVERIFY(lane.facts[0].contains(ui::bytesText(peak)));
                QVERIFY(lane.facts[0].contains(ui::bytesText(capacity)));
                QVERIFY(lane.note.contains(ui::bytesText(std::llround(lane.curve->top))));
                QVERIFY(lane.curve->limit && *lane.curve->limit <= lane.curve->top);
                // A capacity far above the peak is marked as off the scale, and no other.
                const bool isOff = lane.curve->top < static_cast<double>(capacity);
                QCOMPARE(isOff, capacity > 8 * std::max<std::int64_t>(1, peak));
                QCOMPARE(static_cast<bool>(lane.paint), isOff);
                const QRectF facts = places.lanes[firstLevelLane(lanes) + i].facts;
                QVERIFY2(small.horizontalAdvance(lane.facts[0]) <= facts.width(), qPrintable(lane.facts[0]));
            }
        }
    }

    /// The four schedules of the document, each with the traffic that its table gives (docs/rules/systolic.md
    /// 3).
    void schedulesAreChosenByControl()
    {
        GanttCanvas* g = gantt();
        auto* choice = control<QComboBox>("schedule");
        const std::int64_t traffic[] = {147'456, 98'304, 49'152, 180'224};
        for (const int index : {1, 2, 3, 4}) {
            choice->setCurrentIndex(index);
            g->settle();
            const L2Schedule schedule = *state().settings().schedule;
            verbs::SystolicCall call = callOf();
            call.schedule = l2ScheduleWord(schedule);
            const auto answer = verbs::systolicProduct(call);
            QVERIFY2(answer.hasValue(), answer ? "" : answer.error().text().c_str());
            const PipelineComparison& c = *state().comparison();
            QCOMPARE(c.pipelined.schedule, schedule);
            QCOMPARE(c.pipelinedRun.cycles, answer->pipeline->run.cycles);
            QCOMPARE(verbs::l2BytesOf(c.pipelined), traffic[index - 1]);
            QCOMPARE(verbs::l2BytesOf(answer->pipeline->program), traffic[index - 1]);
            const QString& headline = g->model().headline;
            for (const QString& part :
                 {word(programScheduleText(c.pipelined)), ui::bytesText(traffic[index - 1])})
                QVERIFY2(headline.contains(part), qPrintable(headline));
            QCOMPARE(control<QSpinBox>("passes")->isEnabled(), index == 4);
        }
        // The control in the bar of the pane is the same setting; one step of undo each.
        QCOMPARE(g->findChildren<QComboBox*>().value(3)->currentIndex(), 4);
        QCOMPARE(state().undoStack().count(), 4);
        // Stationary programs have none.
        control<QComboBox>("dataflow")->setCurrentIndex(1);
        QVERIFY(!choice->isEnabled());
        g->settle();
        QVERIFY(state().comparison() && state().comparison()->has(ProgramStyle::Pipelined));
    }

    void passesOfScheduleBAreChosenByControl()
    {
        GanttCanvas* g = gantt();
        control<QComboBox>("schedule")->setCurrentIndex(4);
        g->settle();
        QCOMPARE(state().comparison()->pipelined.passes, std::int64_t{2});
        const std::int64_t two = verbs::l2BytesOf(state().comparison()->pipelined);
        type("passes", "4");
        g->settle();
        QCOMPARE(state().comparison()->pipelined.passes, std::int64_t{4});
        QVERIFY(verbs::l2BytesOf(state().comparison()->pipelined) > two);
        QVERIFY(g->model().headline.contains(QStringLiteral("4 passes")));
    }

    void theSettingsOfProgramsAreSaved()
    {
        SystolicSettings s = state().settings();
        QCOMPARE(*parseSettings(settingsJson(s), "a"), s); // no schedule: the preferred one
        s.schedule = L2Schedule::PartialC;
        s.passes = 3;
        s.searchedTile = true;
        QCOMPARE(*parseSettings(settingsJson(s), "a"), s);
        QString wrong = QString::fromStdString(settingsJson(s));
        wrong.replace(QStringLiteral("\"b\""), QStringLiteral("\"best\""));
        const auto refused = parseSettings(wrong.toStdString(), "file");
        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("pipeline.schedule") != std::string::npos,
                 refused.error().text().c_str());
    }

    /// The tile that the search picks is the one that the programs move, as with `--tile search`.
    void theTileOfTheSearchRuns()
    {
        SystolicSettings s = state().settings();
        s.gemm = {256, 256, 256};
        s.tileLevel = Level::L2;
        s.wholeLevel = false;
        s.method = TileMethod::Exhaustive;
        QVERIFY(state().set(s));
        const TileShape array = gantt()->model().main().program->tile;
        control<QComboBox>("tile")->setCurrentIndex(1);
        QVERIFY(state().settings().searchedTile);
        QVERIFY(!control<QSpinBox>("depth")->isEnabled());
        GanttCanvas* g = gantt();
        const TileShape picked = exhaustiveTile(s.tileQuery())->tile;
        QVERIFY(!(picked == array));
        QCOMPARE(g->model().main().program->tile, picked);
        verbs::SystolicCall call = callOf();
        call.depth = 0;
        call.tile = "search";
        const auto answer = verbs::systolicProduct(call);
        QVERIFY2(answer.hasValue(), answer ? "" : answer.error().text().c_str());
        QCOMPARE(answer->pipeline->program.tile, picked);
        QCOMPARE(g->model().main().run->cycles, answer->pipeline->run.cycles);
        // The figures of the memories are those of the tile that runs.
        QCOMPARE(levels()->model().result->tile->choice.tile, picked);
        QCOMPARE(levels()->model().result->roofline->attainableGflops,
                 answer->figures.roofline.attainableGflops);
        // A method that is chosen in the map is used, and so is a tile by hand.
        state().chooseTile({}, TileMethod::Analytic);
        QCOMPARE(gantt()->model().main().program->tile, analyticTile(s.tileQuery())->tile);
        state().chooseTile(TileShape{64, 32, 16});
        QCOMPARE(control<QComboBox>("tile")->currentIndex(), 2);
        QCOMPARE(gantt()->model().main().program->tile, (TileShape{64, 32, 16}));
        control<QComboBox>("tile")->setCurrentIndex(0);
        QCOMPARE(gantt()->model().main().program->tile, array);
    }

    void aProgramThatIsRefusedDoesNotHideTheOther()
    {
        GanttCanvas* g = gantt();
        SystolicSettings s = state().settings();
        s.hierarchy.at(Level::L2).bytes = 1024;
        s.hierarchy.at(Level::L2).buffers = 8;
        s.schedule = L2Schedule::FullReuse; // needs 33 792 bytes
        QVERIFY(state().set(s));
        g->settle();
        const GanttModel& m = g->model();
        QVERIFY2(m.hint.isEmpty(), qPrintable(m.hint));
        QCOMPARE(m.programs.size(), std::size_t{1});
        QCOMPARE(m.main().style, ProgramStyle::Barriered);
        QVERIFY2(m.headline.contains(QStringLiteral("No pipelined program: schedule A + full reuse needs")),
                 qPrintable(m.headline));
        QCOMPARE(row(m.stalls, QStringLiteral("total"), 1).toLongLong(), m.main().run->cycles);
        QCOMPARE(row(m.stalls, QStringLiteral("total"), 2), QStringLiteral("–"));
        state().setPipelineTime(100);
        QCOMPARE(m.time, std::int64_t{100});
        // The one that is missing is not shown alone, but why.
        auto* show = g->findChildren<QComboBox*>().value(0);
        show->setCurrentIndex(1);
        QVERIFY(m.programs.empty());
        QVERIFY2(m.hint.startsWith(QStringLiteral("No pipelined program")), qPrintable(m.hint));
        show->setCurrentIndex(2);
        QCOMPARE(m.programs.size(), std::size_t{1});
    }

    /// A program of more than 2,000,000 commands is drawn in sums; scrubbing, tooltips and copies work on it.
    void aLongProgramIsDrawnInSums()
    {
        GanttCanvas* g = gantt();
        SystolicSettings s = state().settings();
        s.gemm = {1024, 1024, 1024};
        QVERIFY(state().set(s));
        g->settle();
        const GanttModel& m = g->model();
        QVERIFY2(m.hint.isEmpty(), qPrintable(m.hint));
        QVERIFY2(m.headline.contains(QStringLiteral("drawn in sums of")), qPrintable(m.headline));
        const PipelineComparison& c = *m.result->comparison;
        QVERIFY(c.barriered.length > 2'000'000 && c.barriered.commands.empty() && c.barrieredRun.overview);
        QVERIFY(!button(m_view.get(), "Simulate") || !button(m_view.get(), "Simulate")->isVisible());
        // Each lane draws the busy cycles of its unit.
        const auto busy = [](const PipelineLane& lane) {
            std::int64_t sum = 0;
            for (const PipelineLane::Bar& bar : lane.bars)
                sum += bar.end - bar.start;
            return sum;
        };
        std::int64_t array = 0;
        for (const PipelineLane& lane : m.result->lanes[0])
            if (lane.resource == Resource::Array)
                array += busy(lane);
        QCOMPARE(array, c.barrieredRun.arrayBusy);
        const GanttProgram& p = m.programs.front();
        for (const PipelineLane& lane : m.result->lanes[0])
            if (!lane.bars.empty())
                QVERIFY(barTooltip(p, lane.bars.front()).contains(QStringLiteral("of the cycles")));
        state().setPipelineTime(c.barrieredRun.cycles / 2);
        move(g, QPointF(g->width() / 2.0, g->height() / 2.0));
        QVERIFY(!g->copyText().isEmpty());
        QVERIFY(!g->grab().isNull());
        auto* listing = pane<ListingPane>("systolic-listing");
        QVERIFY(!listing->grab().isNull());
    }

    /// What would take minutes is not run before somebody asks, and stops when something else is wanted.
    void programsThatTakeMinutesWaitForAPress()
    {
        GanttCanvas* g = gantt();
        const SystolicSettings before = state().settings();
        SystolicSettings s = before;
        s.gemm = {8192, 8192, 8192};
        QVERIFY(state().set(s));
        g->settle();
        QVERIFY2(g->model().hint.contains(QStringLiteral("press Simulate")), qPrintable(g->model().hint));
        QToolButton* simulate = button(m_view.get(), "Simulate");
        QVERIFY(simulate && simulate->isVisible() && simulate->isEnabled());
        QTest::mouseClick(simulate, Qt::LeftButton);
        QVERIFY(!simulate->isEnabled());
        QVERIFY(state().set(before));
        g->settle(); // the long run ends at once
        QVERIFY(g->model().hint.isEmpty() && !g->model().programs.empty());
        QVERIFY(!simulate->isVisible());
        // A program that no press could run is refused in the words of the verb, without the button.
        s.gemm = {16384, 16384, 16384};
        QVERIFY(state().set(s));
        g->settle();
        const auto refused = checkLength(verbs::programOptions(verbs::requestOf(s), s.timing.dataflow), 0);
        QVERIFY(!refused.hasValue());
        QVERIFY2(g->model().hint.contains(QStringLiteral("the most that can be numbered")),
                 qPrintable(g->model().hint));
        QVERIFY(!simulate->isVisible());
    }

    void theProgramsOfTheDataflowsAreCompared()
    {
        verbs::SystolicCall call = callOf();
        call.compare = true;
        const auto answer = verbs::systolicProduct(call);
        QVERIFY(answer.hasValue());
        const PaintedTable* table = card(levels()->model(), QStringLiteral("Programs of the dataflows"));
        QVERIFY(table);
        const Table expected = verbs::programRows(answer->programs);
        QCOMPARE(table->rows.size(), expected.rowCount());
        for (std::size_t r = 0; r < expected.rowCount(); ++r)
            for (std::size_t c = 0; c < expected.columns.size(); ++c)
                QCOMPARE(table->rows[r][static_cast<int>(c)], word(expected.shown(r, c)));
        const auto fastest =
            std::ranges::min_element(answer->programs, {}, &verbs::ProgramOfDataflow::cycles);
        QCOMPARE(table->marked, static_cast<int>(fastest - answer->programs.begin()));
    }

    /// A pinned program is a pale strip below every unit of the running one, on one time axis, and a table
    /// has the figures of both.
    void aPinnedProgramIsComparedWithTheRunningOne()
    {
        GanttCanvas* g = gantt();
        QToolButton* pin = button(m_view.get(), "Pin the programs");
        QVERIFY(pin && pin->isEnabled() && !pin->isChecked());
        const auto pale = [&] {
            std::size_t rows = 0;
            for (const Lane& lane : ganttLanes(g->model()).lanes)
                for (const MarkRow& row : lane.rows)
                    rows += row.plain;
            return rows;
        };
        QCOMPARE(pale(), std::size_t{0});
        QVERIFY(g->model().compared.rows.empty());
        QTest::mouseClick(pin, Qt::LeftButton);
        QVERIFY(state().pinned() && pin->isChecked());
        const auto pinned = state().pinned();

        SystolicSettings s = state().settings();
        s.timing.dataflow = Dataflow::Ws;
        s.unlimitedBandwidth = !s.unlimitedBandwidth;
        QVERIFY(state().set(s));
        g->settle();
        const GanttModel& m = g->model();
        QCOMPARE(state().pinned(), pinned);
        std::size_t units = 0;
        for (const GanttProgram& p : m.programs)
            units += p.lanes->size();
        QCOMPARE(pale(), units);
        const PipelineRun& before = pinned->comparison->pipelinedRun;
        const PipelineRun& now = state().comparison()->pipelinedRun;
        QVERIFY(before.cycles != now.cycles);
        QVERIFY(m.cycles >= std::max(before.cycles, now.cycles));
        QCOMPARE(ganttLanes(m).total, static_cast<double>(m.cycles));
        const auto figure = [&](const char* name, int column) {
            return row(m.compared, QLatin1String(name), column);
        };
        const auto plain = [](std::int64_t n) { return number(n).remove(QChar(0x202F)); };
        QCOMPARE(figure("dataflow", 1), QStringLiteral("os"));
        QCOMPARE(figure("dataflow", 2), QStringLiteral("ws"));
        QVERIFY(figure("bandwidth", 1) != figure("bandwidth", 2));
        QVERIFY(figure("product", 1).isEmpty()); // what is equal is named below
        QVERIFY2(m.compared.note.contains(QStringLiteral("product")), qPrintable(m.compared.note));
        QVERIFY(!m.compared.note.contains(QStringLiteral("dataflow")));
        QCOMPARE(figure("cycles", 1), plain(before.cycles));
        QCOMPARE(figure("cycles", 2), plain(now.cycles));
        QCOMPARE(figure("L2 bytes", 1), plain(verbs::l2BytesOf(pinned->comparison->pipelined)));
        QCOMPARE(figure("DRAM bytes", 2), plain(verbs::dramBytesOf(state().comparison()->pipelined)));
        // The cycles of the array by reason sum up to the whole.
        for (const int column : {1, 2}) {
            std::int64_t sum = 0;
            for (const auto* run : {&before, &now})
                if ((column == 1) == (run == &before)) {
                    sum = run->arrayBusy;
                    for (const auto& [reason, cycles] : run->stalls) {
                        QCOMPARE(figure(qPrintable(reasonText(reason)), column), plain(cycles));
                        sum += cycles;
                    }
                    QCOMPARE(sum, run->cycles);
                }
        }
        QVERIFY(g->copyText().contains(m.compared.title) && g->tableText().contains(m.compared.title));
        QVERIFY(!g->grab().isNull());

        QTest::mouseClick(pin, Qt::LeftButton);
        QVERIFY(!state().pinned() && !pin->isChecked());
        QCOMPARE(pale(), std::size_t{0});
        QVERIFY(g->model().compared.rows.empty());
    }

    /// What pipelining saves and what is lost is read in full in a narrow pane, too.
    void theHeadlineIsNotCut()
    {
        GanttCanvas* g = gantt();
        const LaneModel lanes = ganttLanes(g->model());
        const QFontMetricsF letters(uiFont(0.9));
        for (const double width : {360.0, 700.0, 1280.0}) {
            const LanePlaces places = lanePlaces(QRectF(0, 0, width, 700), lanes, 0, false);
            const double needed =
                letters
                    .boundingRect(QRectF(0, 0, places.title.width(), 1e4), Qt::TextWordWrap, lanes.sentence)
                    .height();
            const double title = QFontMetricsF(uiFont(1.0, QFont::DemiBold)).height();
            QVERIFY2(title + needed <= places.title.height() + 2, qPrintable(QStringLiteral("%1 of %2 at %3")
                                                                                 .arg(title + needed)
                                                                                 .arg(places.title.height())
                                                                                 .arg(width)));
        }
    }

    void theListingFollowsTheCursor()
    {
        gantt();
        auto* listing = pane<ListingPane>("systolic-listing");
        QVERIFY(state().comparison());
        const PipelineComparison& c = *state().comparison();
        const QAbstractItemModel& rows = *listing->table()->model();
        QCOMPARE(rows.rowCount(), static_cast<int>(c.pipelined.commands.size()));
        int last = -1;
        for (const std::int64_t time : {c.pipelinedRun.cycles / 4, c.pipelinedRun.cycles / 2}) {
            state().setPipelineTime(time);
            QCOMPARE(listing->running(), c.pipelinedRun.runningAt(state().pipelineTime()));
            QVERIFY(!listing->running().empty());
            const QModelIndex current = listing->table()->currentIndex();
            QVERIFY(std::ranges::count(listing->running(), static_cast<std::uint32_t>(current.row())) == 1);
            QVERIFY(current.row() > last);
            last = current.row();
            QVERIFY(listing->table()->viewport()->rect().intersects(listing->table()->visualRect(current)));
            QVERIFY(rows.index(last, 1).data(Qt::FontRole).value<QFont>().bold() ||
                    rows.index(last, 1).data(Qt::FontRole).value<QFont>().weight() >= QFont::DemiBold);
        }
        // A click on a row moves the cursor to the start of its command.
        const QModelIndex other = rows.index(last + 2, 1);
        QTest::mouseClick(listing->table()->viewport(), Qt::LeftButton, {},
                          listing->table()->visualRect(other).center());
        QCOMPARE(state().pipelineTime(), c.pipelinedRun.events[static_cast<std::size_t>(last) + 2].start);
        // The other program has other commands.
        listing->findChildren<QComboBox*>().front()->setCurrentIndex(1);
        QCOMPARE(rows.rowCount(), static_cast<int>(c.barriered.commands.size()));
    }

    /// Of a program that was run by parts the table holds a stretch: that of the cursor, or of the scroll
    /// bar.
    void theListingReachesAnyCommandOfALongProgram()
    {
        GanttCanvas* g = gantt();
        SystolicSettings s = state().settings();
        s.gemm = {1024, 1024, 1024};
        QVERIFY(state().set(s));
        g->settle();
        auto* listing = pane<ListingPane>("systolic-listing");
        listing->findChildren<QComboBox*>().front()->setCurrentIndex(1);
        listing->settle();
        const PipelineComparison& c = *state().comparison();
        const std::shared_ptr<const ProgramReplay> replay = c.barrieredRun.replay;
        QVERIFY(replay && listing->scroll()->isVisible());
        const QTableView& table = *listing->table();
        const auto cell = [&](int row, int column) {
            return table.model()->index(row, column).data(TableModel::ExactRole).toString();
        };
        QCOMPARE(static_cast<std::int64_t>(listing->scroll()->maximum()), c.barriered.length - 1);
        // It follows the cursor.
        for (const std::int64_t time : {c.barrieredRun.cycles * 3 / 4, c.barrieredRun.cycles / 3}) {
            state().setPipelineTime(time);
            listing->settle();
            QCOMPARE(listing->running(), replay->runningAt(state().pipelineTime()));
            QVERIFY(!listing->running().empty());
            const QModelIndex current = table.currentIndex();
            QVERIFY(std::ranges::count(listing->running(), listing->numberOf(current.row())) == 1);
            QVERIFY(table.viewport()->rect().intersects(table.visualRect(current)));
            QVERIFY(current.siblingAtColumn(1).data(Qt::FontRole).value<QFont>().weight() >= QFont::DemiBold);
        }
        // It scrolls to any command, which has its number and its times.
        for (const std::int64_t at : {c.barriered.length * 4 / 5, std::int64_t{7}, c.barriered.length / 2}) {
            listing->scroll()->setValue(static_cast<int>(at));
            QTRY_COMPARE(std::int64_t{listing->numberOf(table.rowAt(1))}, at);
            const int row = table.rowAt(1);
            const TimedCommand expected = replay->commands(at, 1).front();
            QCOMPARE(cell(row, 0), QString::number(at));
            QCOMPARE(cell(row, 1), QString::fromStdString(commandTitle(expected.command)));
            QCOMPARE(cell(row, 3), QString::number(expected.event.start));
            QCOMPARE(cell(row, 4), QString::number(expected.event.end));
        }
        // The wheel scrolls through the program, a click moves the cursor to the start of the command.
        const int before = listing->scroll()->value();
        QWheelEvent wheel({20, 20}, table.viewport()->mapToGlobal(QPointF(20, 20)), {}, {0, -120}, {}, {},
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(table.viewport(), &wheel);
        QVERIFY(listing->scroll()->value() > before);
        const int row = table.rowAt(1) + 2;
        const std::int64_t start = cell(row, 3).toLongLong();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(table.model()->index(row, 1)).center());
        QCOMPARE(state().pipelineTime(), start);
    }

    void theListingIsSavedAsAFile()
    {
        gantt();
        auto* listing = pane<ListingPane>("systolic-listing");
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("program.txt"));
        QVERIFY(listing->saveListing(path));
        const auto answer = verbs::systolicProduct(callOf());
        QVERIFY(answer.hasValue());
        QCOMPARE(*readFile(path.toStdString()), programText(answer->pipeline->program));
        QVERIFY(listing->copyText().contains(QStringLiteral("COMPUTE")));
        QVERIFY(!listing->saveListing(dir.filePath(QStringLiteral("none/program.txt"))));
        // Without a program there is nothing to save, and the pane says why.
        state().setGemm({100'000, 100'000, 100'000}, {});
        listing->settle();
        QVERIFY(!listing->saveListing(path));
        QVERIFY(!listing->findChild<QPushButton*>(QStringLiteral("systolic.saveListing"))->isEnabled());
        QVERIFY2(listing->accessibleDescription().startsWith(QStringLiteral("No programs")),
                 qPrintable(listing->accessibleDescription()));
    }

private:
    /// The call of the verb for the settings of the window.
    [[nodiscard]] verbs::SystolicCall callOf() const
    {
        const SystolicSettings& s = state().settings();
        verbs::SystolicCall call;
        call.gemm =
            std::to_string(s.gemm.m) + "x" + std::to_string(s.gemm.n) + "x" + std::to_string(s.gemm.k);
        call.hierarchy = s.hierarchy;
        call.pipeline = "pipelined";
        call.depth = s.depth;
        return call;
    }
};

TILEWRIGHT_TEST(TestSystolicPrograms)

} // namespace test_systolic_programs
#include "test_systolic_programs.moc"
