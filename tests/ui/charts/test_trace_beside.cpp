// SPDX-License-Identifier: GPL-3.0-or-later
// A trace beside the run of a chart: the figures are those of the verb traces, and everything is done with
// mouse and keys.
#include "base/file.h"
#include "npu/output.h"
#include "picture.h"
#include "run/run_trace.h"
#include "test_main.h"
#include "theme/text.h"
#include "verbs/traces.h"
#include "views/npu/npu_view.h"
#include "views/run/run_view.h"
#include "views/systolic/gantt_canvas.h"
#include "window/app_state.h"
#include "workspace/systolic_document.h"

#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

#include <algorithm>
#include <cmath>

namespace test_trace_beside {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// MatMul, Pointwise in a row.
ProblemPtr chain()
{
    Problem::Data data;
    for (int i = 0; i < 4; ++i)
        data.tensors.push_back({256, 256, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 1000, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(2)}, TensorId(3), 200, {}});
    data.hardware = {150000, 20, 128, 128, {}};
    return *Problem::build(std::move(data));
}

Schedule schedule(std::int64_t tile)
{
    Schedule s;
    for (std::size_t i = 0; i < 2; ++i)
        s.subgraphs.push_back(std::make_shared<const Subgraph>(
            Subgraph{{OpId(i)}, {tile, tile, i == 0 ? 64 : 1}, {}, TraversalKind::Snake, {}, false}));
    return s;
}

} // namespace

class TestTraceBeside : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    std::unique_ptr<AppState> m_state;
    std::unique_ptr<LaneChart> m_view;

    template <typename V> V& show()
    {
        auto view = std::make_unique<V>(m_state->context());
        V& out = *view;
        m_view = std::move(view);
        m_view->resize(1400, 900);
        m_view->show();
        [&] { QVERIFY(QTest::qWaitForWindowExposed(m_view.get())); }();
        m_view->settle();
        return out;
    }
    RunView& openRun(std::int64_t tile = 128)
    {
        m_view.reset();
        m_state = std::make_unique<AppState>();
        m_state->document.setProblem(chain(), schedule(tile));
        m_state->document.setRules(Rules::machine());
        m_state->document.evaluateNow();
        return show<RunView>();
    }
    QString write(const char* name, const std::string& text) const
    {
        const QString path = m_dir.filePath(QLatin1String(name));
        if (const Status s = writeFileAtomically(path.toStdString(), text); !s)
            qFatal("%s", s.error().text().c_str());
        return path;
    }
    static std::string textOf(const RunView& view)
    {
        const LiveRunResult& r = *view.model().result();
        return runTrace(r.problem(), r.of->schedule, r.run);
    }
    /// Another schedule's run, as a file.
    QString otherRun()
    {
        const std::string text = textOf(openRun(64));
        return write("other.json", text);
    }
    /// Chooses the file in the dialog of the command.
    void choose(const QString& path)
    {
        QTimer::singleShot(0, m_view.get(), [&path] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            dialog->findChild<QLineEdit*>()->setText(path);
            QTest::keyClick(dialog, Qt::Key_Return);
        });
        QAction* command = m_state->actions.find(m_view->viewName() + QStringLiteral(".openTrace"));
        QVERIFY(command);
        command->trigger();
        m_view->settle();
    }
    template <typename W> W* part(const char* name) const
    {
        auto* widget =
            m_view->findChild<W*>(m_view->viewName() + QStringLiteral(".trace.") + QLatin1String(name));
        if (!widget)
            qFatal("no %s", name);
        return widget;
    }
    const overlay::TraceComparison& comparison() const { return *m_view->trace()->comparison(); }
    QString cell(const char* table, int row, int column) const
    {
        return part<QTableView>(table)->model()->index(row, column).data().toString();
    }
    /// The index of the lane of a track of the file.
    std::size_t laneOf(const QString& track) const
    {
        const auto& lanes = m_view->lanes().lanes;
        bool below = false;
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            below = below || lanes[i].name.endsWith(QStringLiteral(".json"));
            if (below && lanes[i].name == track)
                return i;
        }
        qFatal("no lane %s", qPrintable(track));
        return 0;
    }
    /// The middle of the mark of a slice in the lane of its track, scrolled into view.
    QPointF middleOf(std::size_t slice) const
    {
        const overlay::TraceComparison& c = comparison();
        const std::size_t lane = laneOf(QString::fromStdString(c.b.tracks[c.b.slices[slice].track]));
        const double time = c.startOf(slice) + c.lengthOf(slice) / 2;
        for (QScrollBar* bar : m_view->findChildren<QScrollBar*>(QString(), Qt::FindDirectChildrenOnly))
            for (int v = 0;
                 v <= bar->maximum() && !m_view->places().plot.contains(m_view->pointIn(lane, time)); v += 20)
                bar->setValue(v);
        return m_view->pointIn(lane, time);
    }
    void move(QPointF to) const
    {
        QMouseEvent event(QEvent::MouseMove, to, m_view->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_view.get(), &event);
    }

private slots:
    void figuresAreThoseOfTheVerb();
    void offsetIsDraggedAndFitted();
    void scaleIsTyped();
    void aSliceIsFoundInTheListAndBack();
    void theTraceIsRemoved();
    void itFollowsTheRun();
    void whatIsNoTraceIsRefused();
    void settingsComeBack();
    void npuRunBesideItsOwnTrace();
    void pipelineBesideItsOwnTrace();
};

void TestTraceBeside::figuresAreThoseOfTheVerb()
{
    const QString other = otherRun();
    RunView& view = openRun();
    const std::size_t own = view.lanes().lanes.size();
    choose(other);
    verbs::TracesCall call;
    call.file = write("ours.json", textOf(view)).toStdString();
    call.other = other.toStdString();
    QVERIFY(verbs::readFiles(call).hasValue());
    const auto verb = verbs::tracesOf(call);
    QVERIFY(verb.hasValue());
    QVERIFY(!verb->pairs.empty() && !verb->onlyB.empty());
    QCOMPARE(comparison().offset, verb->offset);
    QVERIFY(comparison().fitted);
    const Table pairs = overlay::tracesTable(*verb);
    const QAbstractItemModel& shown = *part<QTableView>("pairs")->model();
    QCOMPARE(shown.rowCount(), static_cast<int>(pairs.rowCount()));
    QCOMPARE(shown.columnCount(), static_cast<int>(pairs.columns.size()));
    for (int row = 0; row < std::min(20, shown.rowCount()); ++row) {
        const overlay::SlicePair& pair = verb->pairs[static_cast<std::size_t>(row)];
        QCOMPARE(cell("pairs", row, 1), QString::fromStdString(verb->a.slices[pair.a].name));
        QCOMPARE(cell("pairs", row, 5), sentence(formatGrouped(verb->lengthDifference(pair))));
    }
    QCOMPARE(part<QTableView>("tracks")->model()->rowCount(),
             static_cast<int>(overlay::tracksTable(*verb).rowCount()));
    const QString text = part<QLabel>("text")->text();
    QVERIFY2(text.contains(number(verb->pairs.size()) + QStringLiteral(" slices are in both traces")),
             qPrintable(text));
    // Below the own lanes: a heading and a lane of each track, with every slice.
    const auto& lanes = view.lanes().lanes;
    QCOMPARE(lanes.size(), own + 1 + verb->b.tracks.size());
    QCOMPARE(lanes[own].name, QStringLiteral("other.json"));
    std::size_t slices = 0;
    for (std::size_t i = own + 1; i < lanes.size(); ++i)
        for (const MarkRow& row : lanes[i].rows)
            slices += row.layers.front().count;
    QCOMPARE(slices, verb->b.slices.size());
    QVERIFY(view.lanes().total >= comparison().startOf(verb->b.slices.size() - 1));
}

void TestTraceBeside::offsetIsDraggedAndFitted()
{
    const QString other = otherRun();
    openRun();
    choose(other);
    const double fitted = comparison().offset;
    const auto earliest =
        std::ranges::min_element(comparison().pairs, {}, [&](const overlay::SlicePair& pair) {
            return comparison().startOf(pair.b) + comparison().lengthOf(pair.b);
        });
    const std::size_t slice = earliest->b;
    const QPointF from = middleOf(slice);
    const QPointF to = from + QPointF(120, 0);
    const double perPixel =
        (m_view->visibleRange().second - m_view->visibleRange().first) / m_view->places().plot.width();
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, from.toPoint());
    move(to.toPoint());
    QCOMPARE(comparison().offset, fitted); // the lists wait for the end of the drag
    QVERIFY(std::abs(m_view->trace()->shift() - 120 * perPixel) <= 1.5 * perPixel);
    const QString readout =
        m_view->readoutAt(middleOf(slice) + QPointF(m_view->trace()->shift() / perPixel, 0));
    QVERIFY2(readout.contains(QString::fromStdString(comparison().b.slices[slice].name)),
             qPrintable(readout));
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, to.toPoint());
    QVERIFY(std::abs(comparison().offset - fitted - 120 * perPixel) <= 1.5 * perPixel);
    QVERIFY(!comparison().fitted);
    QVERIFY(!m_view->measured());
    QVERIFY(!part<QLabel>("text")->text().contains(QStringLiteral("fitted")));
    const overlay::SlicePair& first = comparison().pairs.front();
    QCOMPARE(cell("pairs", 0, 3), sentence(formatGrouped(comparison().startDifference(first))));
    QTest::mouseClick(part<QToolButton>("fit"), Qt::LeftButton);
    QCOMPARE(comparison().offset, fitted);
    QVERIFY(part<QLabel>("text")->text().contains(QStringLiteral("fitted")));
    // The offset is typed as well.
    auto* box = part<QDoubleSpinBox>("offset");
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, QStringLiteral("250"));
    QTest::keyClick(box, Qt::Key_Return);
    QCOMPARE(comparison().offset, 250.0);
}

void TestTraceBeside::scaleIsTyped()
{
    RunView& view = openRun();
    choose(write("same.json", textOf(view)));
    QCOMPARE(comparison().offset, 0.0);
    const double total = view.lanes().total;
    auto* box = part<QDoubleSpinBox>("scale");
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, QStringLiteral("2"));
    QTest::keyClick(box, Qt::Key_Return);
    QCOMPARE(comparison().scale, 2.0);
    const overlay::SlicePair& first = comparison().pairs.front();
    QCOMPARE(comparison().lengthOf(first.b), 2 * comparison().a.slices[first.a].length());
    QVERIFY(view.lanes().total > total);
}

void TestTraceBeside::aSliceIsFoundInTheListAndBack()
{
    const QString other = otherRun();
    openRun();
    choose(other);
    auto* table = part<QTableView>("pairs");
    const std::size_t third = comparison().pairs[2].b;
    const QPointF at = middleOf(third);
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, at.toPoint());
    QCOMPARE(table->currentIndex().row(), 2);
    const auto whole = m_view->visibleRange();
    const auto& pairs = comparison().pairs;
    const auto shortest = std::ranges::min_element(
        pairs, {}, [&](const overlay::SlicePair& pair) { return comparison().lengthOf(pair.b); });
    const overlay::SlicePair first = *shortest;
    const QModelIndex row = table->model()->index(static_cast<int>(shortest - pairs.begin()), 1);
    table->scrollTo(row);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(row).center());
    const auto [from, to] = m_view->visibleRange();
    QVERIFY(to - from < whole.second - whole.first);
    QVERIFY(from <= comparison().a.slices[first.a].start && to >= comparison().a.slices[first.a].end);
    QVERIFY(from <= comparison().startOf(first.b));
    QVERIFY(to >= comparison().startOf(first.b) + comparison().lengthOf(first.b));
}

void TestTraceBeside::theTraceIsRemoved()
{
    const QString other = otherRun();
    RunView& view = openRun();
    const std::size_t own = view.lanes().lanes.size();
    const double total = view.lanes().total;
    const double plot = view.places().plot.height();
    choose(other);
    QVERIFY(view.trace()->isVisible());
    QVERIFY(view.places().plot.bottom() <= view.trace()->y());
    QVERIFY(view.places().plot.height() < plot);
    const QImage with = picture::of(view);
    QTest::mouseClick(part<QToolButton>("remove"), Qt::LeftButton);
    QVERIFY(!view.trace()->isVisible());
    QCOMPARE(view.lanes().lanes.size(), own);
    QCOMPARE(view.lanes().total, total);
    QCOMPARE(view.places().plot.height(), plot);
    QVERIFY(picture::of(view) != with);
    QVERIFY(!view.trace()->comparison());
    QVERIFY(!view.settings().contains(QStringLiteral("trace")));
}

void TestTraceBeside::itFollowsTheRun()
{
    const QString other = otherRun();
    RunView& view = openRun();
    choose(other);
    QVERIFY(!comparison().onlyB.empty());
    m_state->document.apply(schedule(64), QStringLiteral("smaller tiles"));
    m_state->document.evaluateNow();
    view.settle();
    QVERIFY(comparison().onlyB.empty() && comparison().onlyA.empty());
    for (const overlay::SlicePair& pair : comparison().pairs)
        QCOMPARE(comparison().lengthDifference(pair), 0.0);
}

void TestTraceBeside::whatIsNoTraceIsRefused()
{
    RunView& view = openRun();
    const std::size_t own = view.lanes().lanes.size();
    QSignalSpy refused(&m_state->workspace, &Workspace::refused);
    choose(write("bad.json", R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 0, "dur": -1}]})"));
    QCOMPARE(refused.size(), 1);
    const QString why = refused.first().first().toString();
    QVERIFY2(why.contains(QStringLiteral("bad.json")) && why.contains(QStringLiteral("traceEvents[0].dur")),
             qPrintable(why));
    QVERIFY(!view.trace()->isOpen() && !view.trace()->isVisible());
    QCOMPARE(view.lanes().lanes.size(), own);
}

void TestTraceBeside::settingsComeBack()
{
    const QString other = otherRun();
    openRun();
    choose(other);
    part<QDoubleSpinBox>("scale")->setValue(0.5);
    part<QDoubleSpinBox>("offset")->setValue(40);
    const QJsonObject settings = m_view->settings();
    RunView& again = openRun();
    again.restoreSettings(settings);
    again.settle();
    QCOMPARE(comparison().scale, 0.5);
    QCOMPARE(comparison().offset, 40.0);
    QCOMPARE(part<QDoubleSpinBox>("offset")->value(), 40.0);
    QVERIFY(QFile::remove(other));
    RunView& without = openRun();
    without.restoreSettings(settings);
    without.settle();
    QVERIFY(!without.trace()->isOpen());
}

void TestTraceBeside::npuRunBesideItsOwnTrace()
{
    m_view.reset();
    m_state = std::make_unique<AppState>();
    const QString model = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/npu/conv_net.json");
    const auto opened = m_state->workspace.open(model);
    QVERIFY(opened.hasValue());
    NpuView& view = show<NpuView>();
    QVERIFY(view.model().result);
    const std::size_t own = view.lanes().lanes.size();
    choose(write("npu.json", npu::traceToJson(*view.model().result->graph, *view.model().result->run)));
    QCOMPARE(comparison().offset, 0.0);
    QVERIFY(!comparison().pairs.empty() && comparison().onlyA.empty() && comparison().onlyB.empty());
    QCOMPARE(view.lanes().total, view.model().total);
    QVERIFY(view.lanes().lanes.size() > own);
    // A click in the lanes of the file moves neither cursor nor selection of the run.
    const auto cursor = view.state().cursor();
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, middleOf(comparison().pairs.front().b).toPoint());
    QVERIFY(view.state().cursor() == cursor && !view.state().node());
    QVERIFY(part<QTableView>("pairs")->currentIndex().isValid());
}

void TestTraceBeside::pipelineBesideItsOwnTrace()
{
    m_view.reset();
    m_state = std::make_unique<AppState>();
    GanttCanvas& view = show<GanttCanvas>();
    QVERIFY(!view.model().programs.empty());
    const auto result = view.model().result; // owns the program and its run
    const GanttProgram p = view.model().main();
    choose(write("pipeline.json", systolic::pipelineTrace(*p.program, *p.run, result->machine)));
    QCOMPARE(comparison().offset, 0.0);
    QVERIFY(!comparison().pairs.empty() && comparison().onlyA.empty() && comparison().onlyB.empty());
    const std::size_t lanes = view.lanes().lanes.size();
    // The cursor moves on; the trace stays, and the notes of the memories stay at their lanes.
    m_state->workspace.systolic().setPipelineTime(p.run->cycles / 2);
    QCOMPARE(view.lanes().lanes.size(), lanes);
    const LaneModel own = ganttLanes(view.model());
    for (std::size_t i = 0; i < 3; ++i)
        QCOMPARE(view.lanes().lanes[firstLevelLane(own) + i].note, ui::bytesText(view.model().held[i]));
    QVERIFY(view.lanes().lanes.back().note.isEmpty());
}

TILEWRIGHT_TEST(TestTraceBeside)

} // namespace test_trace_beside
#include "test_trace_beside.moc"
