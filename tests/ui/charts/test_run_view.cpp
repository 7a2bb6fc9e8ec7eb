// SPDX-License-Identifier: GPL-3.0-or-later
// The run of the open schedule (R20): the chart against the engine, driven as a person does.
#include "canvas/number_box.h"
#include "edit/edits.h"
#include "export/export_view.h"
#include "files.h"
#include "held_background.h"
#include "picture.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/latency/latency_view.h"
#include "views/memory/memory_view.h"
#include "views/run/run_side.h"
#include "views/run/run_view.h"
#include "views/tiles/tiles_view.h"
#include "window/app_state.h"
#include "workspace/systolic_document.h"

#include <QComboBox>
#include <QPainter>
#include <QSpinBox>
#include <QTableView>
#include <QtTest>

#include <cmath>

namespace test_run_view {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// MatMul, Pointwise, MatMul in a row.
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

Schedule threeSubgraphs(std::int64_t k = 64)
{
    Schedule s;
    for (std::size_t i = 0; i < 3; ++i)
        s.subgraphs.push_back(std::make_shared<const Subgraph>(
            Subgraph{{OpId(i)}, {64, 64, i == 1 ? 1 : k}, {}, TraversalKind::Snake, {}, false}));
    return s;
}

Rules machineRules()
{
    return Rules::machine();
}

bool isNear(double a, double b, double scale)
{
    return std::abs(a - b) <= 1e-9 * scale;
}

} // namespace

class TestRunView : public QObject
{
    Q_OBJECT

    std::unique_ptr<AppState> m_state;
    std::unique_ptr<RunView> m_view;

    void open(const ProblemPtr& problem, const Schedule& schedule, QSize size = {1300, 560})
    {
        m_view.reset();
        m_state = std::make_unique<AppState>();
        document().setProblem(problem, schedule);
        document().setRules(machineRules());
        document().evaluateNow();
        show(size);
    }
    void show(QSize size = {1300, 560})
    {
        m_view = std::make_unique<RunView>(m_state->context());
        m_view->resize(size);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_view->settle();
        QVERIFY2(m_view->model().hint.isEmpty(), qPrintable(m_view->model().hint));
    }
    Document& document() { return m_state->document; }
    const LiveRunResult& result() const { return *m_view->model().result(); }
    const ScheduleRun& run() const { return result().run; }
    const SelectionState& selected() const { return m_state->selection.state(); }
    void move(QPointF to, Qt::MouseButtons buttons = Qt::NoButton, Qt::KeyboardModifiers modifiers = {})
    {
        QMouseEvent event(QEvent::MouseMove, to, m_view->mapToGlobal(to), Qt::NoButton, buttons, modifiers);
        QCoreApplication::sendEvent(m_view.get(), &event);
    }
    void press(QPointF at, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mousePress(m_view.get(), Qt::LeftButton, modifiers, at.toPoint());
    }
    void release(QPointF at, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, modifiers, at.toPoint());
    }
    void click(QPointF at)
    {
        press(at);
        release(at);
    }
    /// The first command of a unit from this one on that is wide enough to be hit.
    std::size_t command(RunUnit unit, std::size_t from = 0) const
    {
        for (std::size_t i = from; i < run().commands.size(); ++i)
            if (run().commands[i].unit == unit && run().commands[i].end > run().commands[i].begin)
                return i;
        return run().commands.size();
    }
    QPointF middleOf(const RunCommand& c) const
    {
        return m_view->pointIn(laneOf(c.unit), (c.begin + c.end) / 2);
    }
    /// Zooms until the commands near a time can be told apart.
    void zoomTo(double from, double to) { m_view->showPart(QRectF(from, 0, to - from, 1)); }

private Q_SLOTS:
    void cleanup()
    {
        m_view.reset();
        m_state.reset();
    }

    /// docs/rules/run.md 5: a group of lanes for each core, and the headline says how many run.
    void severalCores()
    {
        open(chain(), threeSubgraphs());
        auto* cores = m_view->findChild<QSpinBox*>(QStringLiteral("run.cores"));
        QVERIFY(cores);
        QCOMPARE(cores->value(), 1);
        QCOMPARE(cores->maximum(), 4); // a problem without a machine
        cores->setValue(2);
        m_view->settle();
        QCOMPARE(run().cores.size(), std::size_t{2});
        RunOptions options;
        options.cores = 2;
        const auto own =
            runSchedule(*document().problem(), document().schedule(), document().rules(), options);
        QVERIFY2(own, own ? "" : own.error().message.c_str());
        QCOMPARE(run().end, own->end);
        QCOMPARE(m_view->lanes().lanes.size(), std::size_t{2} + 2 * kCoreLanes);
        QVERIFY2(m_view->lanes().title.simplified().startsWith(
                     QStringLiteral("this schedule, 3 subgraphs, 2 cores: ")),
                 qPrintable(m_view->lanes().title));
        std::size_t tried = 0;
        for (const RunCommand& c : run().commands)
            if (c.core == 1 && c.unit == RunUnit::Array && c.end > c.begin && tried++ == 0) {
                zoomTo(c.begin, c.end);
                click(m_view->pointIn(laneOf(c.unit, 1), (c.begin + c.end) / 2));
                const RunStep& step = run().steps[static_cast<std::size_t>(c.step)];
                QCOMPARE(step.core, 1);
                QCOMPARE(selected().step, step.index);
                QCOMPARE(stepAt(run(), result().index, (c.begin + c.end) / 2, 1),
                         std::optional(static_cast<std::size_t>(c.step)));
                QCOMPARE(stepOf(run(), step.subgraph, step.index),
                         std::optional(static_cast<std::size_t>(c.step)));
            }
        QVERIFY(tried > 0);
        const QJsonObject saved = m_view->settings();
        cores->setValue(1);
        m_view->settle();
        QCOMPARE(m_view->lanes().lanes.size(), std::size_t{2} + kCoreLanes);
        m_view->restoreSettings(saved);
        QCOMPARE(cores->value(), 2);
        // what this machine lacks is still wanted on the next one
        m_view->restoreSettings({{QStringLiteral("cores"), 9}});
        QCOMPARE(cores->value(), 4);
        QCOMPARE(m_view->settings()[QStringLiteral("cores")].toInt(), 9);
    }

    void theChartIsTheRunOfTheEngine()
    {
        open(chain(), threeSubgraphs());
        const auto own = runSchedule(*document().problem(), document().schedule(), document().rules());
        QVERIFY2(own, own ? "" : own.error().message.c_str());
        QCOMPARE(run().end, own->end);
        QCOMPARE(run().commands.size(), own->commands.size());
        QCOMPARE(m_view->lanes().total, own->end);
        QVERIFY2(m_view->lanes().title.startsWith(number(own->end) + QStringLiteral(" units of time;")),
                 qPrintable(m_view->lanes().title));
        QVERIFY(!m_view->lanes().title.contains(QStringLiteral("floor"))); // a problem file has none
        QVERIFY(!m_view->lanes().dimmed);
    }

    /// The marks of each unit follow one another from 0 to the end: commands, and waits between them.
    void workAndWaitsOfAUnitFillTheRun()
    {
        open(chain(), threeSubgraphs());
        for (std::size_t u = 0; u < kRunUnits; ++u) {
            const Marks& marks = m_view->lanes().lanes[laneOf(static_cast<RunUnit>(u))].rows[0].layers[0];
            QVERIFY(marks.count > 0);
            double at = 0;
            std::array<double, kRunWaits + 1> sums{};
            for (std::size_t i = 0; i < marks.count; ++i) {
                QVERIFY(isNear(marks.start(i), at, run().end));
                at = marks.end(i);
                const std::size_t kind = marks.kindOf(i);
                sums[kind < 8 ? 0 : kind - 7] += marks.end(i) - marks.start(i);
                QVERIFY(!marks.facts(i).isEmpty() && !marks.tooltip(i).isEmpty());
            }
            QVERIFY(isNear(at, run().end, run().end));
            QVERIFY(isNear(sums[0], run().units[u].busy, run().end));
            for (std::size_t w = 0; w < kRunWaits; ++w)
                QVERIFY(isNear(sums[w + 1], run().units[u].waits[w], run().end));
        }
    }

    void theTableOfWaitsAddsUpToTheWhole()
    {
        open(chain(), threeSubgraphs());
        const auto* table = m_view->findChild<QTableView*>(QStringLiteral("run.waits"));
        QVERIFY(table);
        const QAbstractItemModel& cells = *table->model();
        QCOMPARE(cells.columnCount(), static_cast<int>(kRunUnits));
        QCOMPARE(cells.rowCount(), static_cast<int>(kRunWaits) + 2);
        for (int column = 0; column < cells.columnCount(); ++column) {
            double sum = 0;
            for (int row = 0; row + 1 < cells.rowCount(); ++row)
                sum += cells.index(row, column).data(TableModel::SortRole).toDouble();
            QVERIFY(isNear(sum, run().end, run().end));
            QCOMPARE(cells.index(cells.rowCount() - 1, column).data().toString(), ui::percent(1));
        }
        // So do the copied rows, with full precision.
        const QStringList lines = m_view->copyText().split(QLatin1Char('\n'));
        QCOMPARE(lines[0],
                 QStringLiteral("unit\tbusy\troom\tprefetch\tload\trun\tstore\tchannel\tnothing\twhole run"));
        for (int u = 1; u <= static_cast<int>(kRunUnits); ++u) {
            const QStringList cellsOfUnit = lines[u].split(QLatin1Char('\t'));
            double sum = 0;
            for (int i = 1; i + 1 < cellsOfUnit.size(); ++i)
                sum += cellsOfUnit[i].toDouble();
            QVERIFY(isNear(sum, cellsOfUnit.last().toDouble(), run().end));
        }
    }

    /// The cursor selects the step that is at work, and tile grid and timeline show it; and the reverse.
    void draggingMovesThroughTheSteps()
    {
        open(chain(), threeSubgraphs());
        TilesView tiles(m_state->context());
        MemoryView memory(m_state->context());
        for (View* view : std::initializer_list<View*>{&tiles, &memory}) {
            view->resize(800, 400);
            view->show();
        }
        const QPointF start = m_view->pointIn(laneOf(RunUnit::Array), run().end * 0.1);
        press(start);
        std::set<std::pair<std::size_t, std::int64_t>> seen;
        for (const double share : {0.2, 0.35, 0.5, 0.7, 0.95}) {
            const double time = run().end * share;
            move(m_view->pointIn(laneOf(RunUnit::Array), time), Qt::LeftButton);
            QVERIFY(m_view->cursor());
            QVERIFY(std::abs(*m_view->cursor() - time) < run().end * 0.003); // a pixel
            const auto step = stepAt(run(), result().index, *m_view->cursor());
            QVERIFY(step);
            QCOMPARE(selected().subgraph, run().steps[*step].subgraph);
            QCOMPARE(selected().step, run().steps[*step].index);
            tiles.settle();
            memory.settle();
            QCOMPARE(tiles.model().subgraph, selected().subgraph);
            QCOMPARE(memory.model().contents->part, selected().subgraph->index());
            QCOMPARE(memory.model().contents->step, selected().step);
            seen.emplace(selected().subgraph->index(), selected().step);
        }
        release(m_view->pointIn(laneOf(RunUnit::Array), run().end * 0.95));
        QCOMPARE(seen.size(), std::size_t(5));

        // Another view selects a step: the cursor goes to where that step works.
        m_state->selection.selectSubgraph(SubgraphId(2));
        m_state->selection.setStep(7);
        const auto step = stepOf(run(), SubgraphId(2), 7);
        QVERIFY(step);
        QCOMPARE(*m_view->cursor(), result().index.worksFrom[*step]);
        QCOMPARE(stepAt(run(), result().index, *m_view->cursor()), step);
    }

    /// Along the loads the step is selected that is loaded, which is not the one on the array.
    void draggingAlongTheLoadsSelectsWhatIsLoaded()
    {
        open(chain(), threeSubgraphs());
        std::size_t ahead = run().commands.size();
        for (std::size_t i = 0; i < run().commands.size(); ++i) {
            const RunCommand& c = run().commands[i];
            const auto works = stepAt(run(), result().index, (c.begin + c.end) / 2);
            if (c.unit == RunUnit::Load && c.end > c.begin && works &&
                *works != static_cast<std::size_t>(c.step))
                ahead = i;
        }
        QVERIFY2(ahead < run().commands.size(), "no load is ahead of the array");
        const RunCommand& load = run().commands[ahead];
        zoomTo(load.begin - 3 * (load.end - load.begin), load.end + 3 * (load.end - load.begin));
        click(middleOf(load));
        QCOMPARE(selected().subgraph, load.subgraph);
        QCOMPARE(selected().step, run().steps[static_cast<std::size_t>(load.step)].index);
    }

    void aCommandSaysWhatItIs()
    {
        open(chain(), threeSubgraphs());
        const RunCommand& load = run().commands[command(RunUnit::Load)];
        zoomTo(load.begin, load.end * 4);
        const QString tip = m_view->tooltipAt(middleOf(load));
        QVERIFY2(tip.contains(QStringLiteral("<b>load</b>")) &&
                     tip.contains(QString::fromStdString(document().problem()->tensorName(*load.tensor))) &&
                     tip.contains(QStringLiteral("subgraph 0, step 0")) &&
                     tip.contains(QStringLiteral("k step 1 of 4")) && tip.contains(exactNumber(load.end)) &&
                     tip.contains(QStringLiteral("4\u202F096 elements")),
                 qPrintable(tip));
        const RunCommand& work = run().commands[command(RunUnit::Array)];
        const QString readout = m_view->readoutAt(middleOf(work));
        QVERIFY2(readout.startsWith(QStringLiteral("array ")) && readout.contains(QStringLiteral("k 0:64")),
                 qPrintable(readout));
        click(middleOf(work));
        const auto* now = m_view->findChild<QTableView*>(QStringLiteral("run.now"));
        QVERIFY(now);
        QCOMPARE(now->model()->index(1, 0).data().toString(), QStringLiteral("array"));
        QVERIFY(now->model()->index(1, 1).data().toString().contains(QStringLiteral("k 0:64")));
    }

    void keysMoveFromCommandToCommand()
    {
        open(chain(), threeSubgraphs());
        m_view->setFocus();
        const std::size_t first = command(RunUnit::Array);
        const std::size_t second = command(RunUnit::Array, first + 1);
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QCOMPARE(*m_view->cursor(), run().commands[first].begin);
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QCOMPARE(*m_view->cursor(), run().commands[second].begin);
        QCOMPARE(selected().step, run().steps[static_cast<std::size_t>(run().commands[second].step)].index);
        QTest::keyClick(m_view.get(), Qt::Key_Comma);
        QCOMPARE(*m_view->cursor(), run().commands[first].begin);
        QTest::keyClick(m_view.get(), Qt::Key_Comma); // nothing before the first one
        QCOMPARE(*m_view->cursor(), run().commands[first].begin);
        QTest::keyClick(m_view.get(), Qt::Key_PageUp); // the loads
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        const auto piece = pieceAt(result().index, RunUnit::Load, *m_view->cursor());
        QVERIFY(piece && !result().index.of(RunUnit::Load)[*piece].waits);
        QCOMPARE(*m_view->cursor(), result().index.of(RunUnit::Load)[*piece].begin);
        QTest::keyClick(m_view.get(), Qt::Key_BracketRight);
        const auto wait = pieceAt(result().index, RunUnit::Load, *m_view->cursor());
        QVERIFY(wait && result().index.of(RunUnit::Load)[*wait].waits);
        QTest::keyClick(m_view.get(), Qt::Key_W);
        QVERIFY(m_view->visibleRange().second - m_view->visibleRange().first < run().end);
        QTest::keyClick(m_view.get(), Qt::Key_Home);
        QCOMPARE(m_view->visibleRange().second, run().end);
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_view->cursor());
    }

    void theRunOnTheArrayOpensInTheSystolicLens()
    {
        open(chain(), threeSubgraphs());
        const RunCommand& c = run().commands[command(RunUnit::Array)];
        m_view->pin((c.begin + c.end) / 2);
        QAction* action = m_state->actions.find(QStringLiteral("run.openSystolic"));
        QVERIFY(action);
        QSignalSpy opened(&m_state->workspace, &Workspace::gemmOpened);
        action->trigger();
        QCOMPARE(opened.count(), 1);
        QCOMPARE(m_state->workspace.systolic().settings().gemm, (systolic::Gemm{64, 64, 64}));
        QSignalSpy refused(&m_state->workspace, &Workspace::refused);
        m_view->pin(run().end); // the array has nothing left
        action->trigger();
        QCOMPARE(refused.count(), 1);
    }

    void shiftDragMeasures()
    {
        open(chain(), threeSubgraphs());
        const QPointF from = m_view->pointIn(laneOf(RunUnit::Array), run().end * 0.2);
        const QPointF to = m_view->pointIn(laneOf(RunUnit::Array), run().end * 0.6);
        press(from, Qt::ShiftModifier);
        move((from + to) / 2, Qt::LeftButton, Qt::ShiftModifier);
        move(to, Qt::LeftButton, Qt::ShiftModifier);
        release(to, Qt::ShiftModifier);
        QVERIFY(m_view->measured());
        QVERIFY(!selected().subgraph); // measuring selects nothing
        QVERIFY(m_view->marksAsCsv().contains(QStringLiteral("array")));
        QTest::keyClick(m_view.get(), Qt::Key_F);
        QVERIFY(m_view->visibleRange().second < run().end);
    }

    /// R20, prefetch 0: the end is the sum of compute and memory time of all steps.
    void prefetchIsASetting()
    {
        open(chain(), threeSubgraphs());
        auto* box = m_view->findChild<NumberBox*>(QStringLiteral("run.prefetch"));
        QVERIFY(box);
        QCOMPARE(box->value(), static_cast<int>(RunOptions().prefetch)); // the default of the verb
        const double before = run().end;
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Down);
        QCOMPARE(m_state->workspace.run().options().prefetch, 0);
        m_view->settle();
        double sum = 0;
        for (const SubgraphEvaluation& e : document().snapshot()->evaluation.subgraphs)
            sum += e.compute + e.memory;
        QVERIFY(isNear(run().end, sum, sum));
        QVERIFY(before < run().end);
        QVERIFY(m_view->lanes().title.startsWith(number(run().end)));
        const QJsonObject saved = m_view->settings();
        QTest::keyClick(box, Qt::Key_Up);
        QTest::keyClick(box, Qt::Key_Up);
        QCOMPARE(m_state->workspace.run().options().prefetch, 2);
        m_view->restoreSettings(saved);
        QCOMPARE(box->value(), 0);
    }

    /// While the run of an edit is computed, the earlier one is pale and says so; it is never shown as the
    /// present.
    void anEarlierRunIsPale()
    {
        open(chain(), threeSubgraphs());
        HeldBackground background;
        const double before = run().end;
        QVERIFY(document().apply(edit::setGranularity(*document().problem(), document().schedule(),
                                                      std::array{SubgraphId(0)}, {128, 128, 32}),
                                 QStringLiteral("tile")));
        document().waitForSnapshot();
        QVERIFY(m_view->model().stale);
        QVERIFY(m_view->lanes().dimmed);
        QCOMPARE(run().end, before);
        QVERIFY2(m_view->lanes().title.contains(QStringLiteral("running the present schedule")),
                 qPrintable(m_view->lanes().title));
        background.release();
        m_view->settle();
        QVERIFY(!m_view->model().stale && !m_view->lanes().dimmed);
        const auto own = runSchedule(*document().problem(), document().schedule(), document().rules());
        QCOMPARE(run().end, own->end);
        QVERIFY(run().end != before);
        document().undoStack().undo();
        m_view->settle();
        QCOMPARE(run().end, before);
    }

    void aScheduleThatBreaksARuleSaysWhy()
    {
        open(chain(), threeSubgraphs());
        Schedule broken = threeSubgraphs();
        broken.subgraphs.pop_back();
        document().apply(broken, QStringLiteral("remove"));
        m_view->settle();
        QVERIFY(m_view->model().stale && m_view->lanes().dimmed);
        QVERIFY(!m_view->model().refusal.isEmpty());
        QCOMPARE(m_view->lanes().sentence, m_view->model().refusal);
        document().undoStack().undo();
        m_view->settle();
        QVERIFY(!m_view->model().stale && m_view->model().refusal.isEmpty());
    }

    void theRoomIsThatOfTheEngine()
    {
        open(chain(), threeSubgraphs());
        const Lane& lane = m_view->lanes().lanes[kRoomLane];
        QVERIFY(lane.curve && lane.curve->limit);
        QCOMPARE(*lane.curve->limit, static_cast<double>(document().problem()->capacityUnits()));
        // The tallest curve of the stack is the whole: its maximum over all columns is the peak.
        for (const int width : {1, 37, 900}) {
            double high = 0;
            for (const LowHigh& c : lane.behind.front().columns(0, run().end, width))
                high = std::max(high, c.high);
            QCOMPARE(high, static_cast<double>(run().peakUnits));
        }
        const double time = run().end / 3;
        const auto room = roomAt(run(), time);
        QVERIFY(room);
        QVERIFY2(lane.tooltip(time, 0.5).contains(number(run().room[*room].total())),
                 qPrintable(lane.tooltip(time, 0.5)));
    }

    void stepsThatOverlapHaveRowsOfTheirOwn()
    {
        open(chain(), threeSubgraphs());
        std::size_t shown = 0;
        for (const RunBandRow& row : *m_view->model().stepRows)
            for (std::size_t i = 0; i < row.size(); ++i) {
                QVERIFY(i == 0 || row[i - 1].end <= row[i].start);
                ++shown;
            }
        QCOMPARE(shown, run().steps.size());
        QCOMPARE(m_view->model().stepRows->size(), std::size_t(2)); // prefetch 1: two steps at a time
        // With fewer rows than overlap, what finds no room begins where a row gets free.
        const auto rows = bandRows({{0, 10, 0}, {1, 4, 1}, {2, 6, 2}, {3, 3.5, 3}}, 2);
        QCOMPARE(rows.size(), std::size_t(2));
        QCOMPARE(rows[1].size(), std::size_t(2));
        QCOMPARE(rows[1][1].index, std::uint32_t(2));
        QCOMPARE(rows[1][1].start, 4.0);
    }

    void aClickInTheListOfSubgraphsSelects()
    {
        open(chain(), threeSubgraphs());
        auto* side = m_view->findChild<RunSide*>();
        side->setCurrentIndex(2);
        auto* table = m_view->findChild<QTableView*>(QStringLiteral("run.subgraphs"));
        QVERIFY(table && table->isVisible());
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(1, 1)).center());
        QCOMPARE(selected().subgraph, SubgraphId(1));
        QCOMPARE(*m_view->cursor(), result().index.worksFrom[*stepOf(run(), SubgraphId(1), 0)]);
        double lengths = 0;
        for (int row = 0; row < table->model()->rowCount(); ++row)
            lengths += table->model()->index(row, 2).data(TableModel::SortRole).toDouble();
        QVERIFY(isNear(lengths, run().end, run().end));
    }

    /// The headline of a model on a machine in plain words.
    void theHeadlineHasTheFloor()
    {
        m_state = std::make_unique<AppState>();
        QVERIFY(document().openProblem(
            QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-decode-block.json")));
        QVERIFY(document().setMachine(*machinePreset("edge"), QStringLiteral("edge")));
        document().evaluateNow();
        show();
        QVERIFY(result().ofFloor);
        QVERIFY(*result().ofFloor >= 1);
        QVERIFY2(m_view->lanes().title.startsWith(
                     QStringLiteral("%1 cycles, %2 times the floor; ")
                         .arg(number(run().end), ui::significantNumber(*result().ofFloor))),
                 qPrintable(m_view->lanes().title));
    }

    void theColourIsThatOfTheSubgraphOrOfTheUnit()
    {
        open(chain(), threeSubgraphs());
        const auto coloured = [&](const QColor& colour) {
            const LaneBox& box = m_view->places().lanes[laneOf(RunUnit::Array)];
            return picture::pixels(picture::of(*m_view, box.rect.toAlignedRect()), colour);
        };
        const Theme& theme = Theme::light();
        const QColor first = theme.category(document().colours()[0]);
        QVERIFY(coloured(first) > 200);
        m_view->findChild<QComboBox*>()->setCurrentIndex(1);
        QCOMPARE(coloured(first), first == theme.computeTime ? coloured(first) : 0);
        QVERIFY(coloured(theme.computeTime) > 200);
    }

    void themesFontsAndScales()
    {
        open(chain(), threeSubgraphs(16));
        m_state->selection.selectSubgraph(SubgraphId(1));
        for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()})
            for (const double scale : {1.0, 2.0}) {
                QImage image(QSize(1280, 560) * scale, QImage::Format_RGB32);
                image.setDevicePixelRatio(scale);
                image.fill(theme->canvas);
                QPainter painter(&image);
                m_view->paintExport(painter, {1280, 560}, *theme);
                painter.end();
                QVERIFY(picture::colours(image) > 40);
                QVERIFY(picture::pixels(image, theme->accent) > 200); // the cursor
                QVERIFY(picture::pixels(image, theme->input) > 200);  // the inputs in fast memory
            }
    }

    void theLatencyStandsBesideTheRun()
    {
        open(chain(), threeSubgraphs());
        LatencyView latency(m_state->context());
        latency.resize(900, 360);
        latency.show();
        latency.settle();
        QVERIFY(latency.model().hasRun);
        double lengths = 0;
        for (const LatencyBar& bar : latency.model().bars) {
            QVERIFY(bar.run);
            const RunDifference& d = *bar.run;
            QVERIFY(isNear(d.latency, bar.latency, run().end));
            QVERIFY(isNear(d.length, d.latency + d.startUp + d.drain - d.overlap, run().end));
            QVERIFY(latencyTooltip(bar).contains(QStringLiteral("in the run")));
            lengths += d.length;
        }
        QVERIFY(isNear(lengths, run().end, run().end));
        QVERIFY(
            latency.copyText().startsWith(QStringLiteral("subgraph\tops\tlatency\tcompute\tload\tstore\tbound"
                                                         "\tbaseline\trun\tstart_up\tdrain\toverlap\n")));
        for (QComboBox* box : latency.findChildren<QComboBox*>())
            if (box->accessibleName() == QStringLiteral("Beside"))
                box->setCurrentIndex(1);
        QVERIFY(!latency.model().hasRun);
    }
};

TILEWRIGHT_TEST(TestRunView)

} // namespace test_run_view
#include "test_run_view.moc"
