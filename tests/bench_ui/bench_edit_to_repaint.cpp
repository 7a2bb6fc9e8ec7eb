// SPDX-License-Identifier: GPL-3.0-or-later
// Edit to repaint: from the person's command (the edit itself included) until the new evaluation is published
// and every visible view has painted it: until nothing that was asked to be laid out or painted is left. Then
// how long one mouse move of a drag keeps the window. Prints percentiles; `./dev bench ui`. For profiling:
// `tilewright-bench-ui OPS EDITS [KIND]`, `tilewright-bench-ui wheel [TURNS [run]]`.
#include "edit/fit.h"
#include "theme/theme.h"
#include "views/graph/graph_view.h"
#include "views/run/run_view.h"
#include "window/main_window.h"
#include "window/view_catalog.h"
#include "workload/generate.h"
#include "workspace/installed_files.h"
#include "workspace/latest_job.h"
#include "workspace/schedule_edits.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace tilewright;
using namespace tilewright::ui;

namespace {

struct Times
{
    std::vector<double> wall;
    std::vector<double> own; // processor time of the GUI thread: does not count what others take
};

double threadMs()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

class Stopwatch
{
public:
    Stopwatch() { m_timer.start(); }
    void addTo(Times& times) const
    {
        times.wall.push_back(static_cast<double>(m_timer.nsecsElapsed()) * 1e-6);
        times.own.push_back(threadMs() - m_own);
    }

private:
    QElapsedTimer m_timer;
    double m_own = threadMs();
};

void report(const std::string& what, const Times& times)
{
    if (times.wall.empty())
        return;
    const auto at = [](std::vector<double> ms, double q) {
        std::sort(ms.begin(), ms.end());
        return ms[std::min(ms.size() - 1, static_cast<std::size_t>(q * static_cast<double>(ms.size())))];
    };
    constexpr double kFrame = 33; // ms
    std::printf("%-52s median %6.2f  p95 %6.2f  max %6.2f ms   (GUI thread alone: %6.2f %6.2f %6.2f), "
                "%td of %zu over %.0f ms\n",
                what.c_str(), at(times.wall, 0.5), at(times.wall, 0.95), at(times.wall, 1),
                at(times.own, 0.5), at(times.own, 0.95), at(times.own, 1),
                std::ranges::count_if(times.wall, [](double ms) { return ms > kFrame; }), times.wall.size(),
                kFrame);
    std::fflush(stdout);
}

enum class Kind { Tile, Fuse, Split, Move, Undo, Retain, Order };
constexpr std::array kKinds{Kind::Tile, Kind::Fuse,   Kind::Split, Kind::Move,
                            Kind::Undo, Kind::Retain, Kind::Order};
constexpr std::array kNames{"tile", "fuse", "split", "move an op", "undo", "retain", "order"};

/// Counts what is laid out and painted.
class Watcher : public QObject
{
public:
    bool eventFilter(QObject*, QEvent* event) override
    {
        m_seen += event->type() == QEvent::Paint || event->type() == QEvent::LayoutRequest;
        return false;
    }
    /// Lets everything be painted that waits for it; without timers, by which an animation goes on.
    void paintAll()
    {
        do {
            m_seen = 0;
            QCoreApplication::sendPostedEvents();
        } while (m_seen > 0);
    }

private:
    int m_seen = 0;
};

class Bench
{
public:
    explicit Bench(std::size_t ops) : m_name(std::to_string(ops) + " ops: ")
    {
        GenerateOptions options;
        options.kind = WorkloadKind::Random;
        options.ops = static_cast<std::int64_t>(ops);
        m_problem = *generateWorkload(options);
        qApp->installEventFilter(&m_watcher);
        m_window.resize(1440, 900);
        m_window.show();
        QElapsedTimer timer;
        timer.start();
        document().setProblem(m_problem, oneOpPerSubgraph(*m_problem));
        QApplication::processEvents();
        m_graph = m_window.findChild<GraphView*>(QStringLiteral("graph"));
        m_graph->waitForLayout();
        QApplication::processEvents();
        std::printf("%sopened, laid out and painted in %.0f ms\n", m_name.c_str(),
                    static_cast<double>(timer.nsecsElapsed()) * 1e-6);
        selection().selectSubgraph(SubgraphId(0));
        settle();
    }

    void edits(int count, std::optional<Kind> only)
    {
        std::array<Times, kKinds.size()> repaint;
        Times all, arranged;
        for (int i = 0; i < count; ++i) {
            const Kind kind = only.value_or(kKinds[static_cast<std::size_t>(i) % kKinds.size()]);
            const std::uint32_t die = m_random();
            if (only == Kind::Split && !isFused()) { // something to split
                if (const Edit fuse = findEdit(Kind::Fuse, die))
                    document().apply(fuse(), QStringLiteral("fuse"));
                settle();
            }
            const Edit edit = findEdit(kind, die);
            if (!edit && (kind != Kind::Undo || !document().undoStack().canUndo()))
                continue;
            if (edit) { // a person edits what is selected
                selection().selectSubgraph(m_edited);
                settle();
            }
            const Stopwatch watch;
            if (kind == Kind::Undo)
                document().undoStack().undo();
            else
                document().apply(edit(), QStringLiteral("edit"));
            while (!(document().snapshot()->schedule == document().schedule())) // timers are left alone
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::X11ExcludeTimers);
            m_watcher.paintAll();
            watch.addTo(repaint[static_cast<std::size_t>(kind)]);
            watch.addTo(all);
            m_graph->waitForLayout();
            QApplication::processEvents();
            if (kind != Kind::Tile)
                watch.addTo(arranged);
            settle(); // a person does not edit again within some milliseconds
        }
        for (std::size_t k = 0; k < repaint.size(); ++k)
            report(m_name + kNames[k] + " to repaint", repaint[k]);
        report(m_name + "all edits to repaint", all);
        report(m_name + "new layout painted after", arranged);
    }

    /// An op over 20 areas, with every op of the graph drawn by itself.
    void drag()
    {
        m_graph->collapseAll(false);
        settle();
        m_graph->fitAll();
        if (m_graph->viewport().scale < 0.3)
            m_graph->zoomBy(0.3 / m_graph->viewport().scale, QRectF(m_graph->rect()).center());
        settle();
        const QRectF room = QRectF(m_graph->rect()).adjusted(60, 80, -60, -60);
        std::vector<OpId> inSight;
        for (std::size_t i = 0; i < m_problem->opCount(); ++i)
            if (room.contains(m_graph->positionOf(OpId(i))))
                inSight.emplace_back(i);
        const auto send = [&](QEvent::Type type, QPointF at, Qt::MouseButton button) {
            const bool held = type != QEvent::MouseButtonRelease;
            QMouseEvent event(type, at, m_graph->mapToGlobal(at), button,
                              held ? Qt::LeftButton : Qt::NoButton, {});
            QApplication::sendEvent(m_graph, &event);
        };
        Times moves;
        std::size_t targets = 0;
        for (std::size_t round = 0; round < 2 && !inSight.empty(); ++round) {
            const std::size_t first = inSight.size() * (round + 1) / 3;
            const QPointF from = m_graph->positionOf(inSight[first]);
            send(QEvent::MouseButtonPress, from, Qt::LeftButton);
            send(QEvent::MouseMove, from + QPointF(12, 12), Qt::NoButton);
            for (std::size_t k = 1; k <= 20 && m_graph->drag().isActive(); ++k) {
                const OpId target =
                    inSight[(first + k * std::max<std::size_t>(1, inSight.size() / 21)) % inSight.size()];
                const QPointF to = m_graph->positionOf(target);
                for (const QPointF by : {QPointF(2, 0), QPointF(0, 1), QPointF(0, 0)}) {
                    const Stopwatch watch;
                    send(QEvent::MouseMove, to + by, Qt::NoButton);
                    QApplication::processEvents(); // paints, and takes the verdicts that have arrived
                    watch.addTo(moves);
                    QTest::qWait(4); // the mouse reports 125 times a second and more
                }
                ++targets;
            }
            QTest::keyClick(m_graph, Qt::Key_Escape);
            send(QEvent::MouseButtonRelease, from, Qt::LeftButton);
            settle();
        }
        report(m_name + "mouse move of a drag over " + std::to_string(targets) + " areas", moves);
    }

private:
    Document& document() { return m_window.state().document; }
    Selection& selection() { return m_window.state().selection; }

    /// Lets background work and animations end.
    void settle()
    {
        QTest::qWait(150);
        m_graph->settle();
        while (backgroundPool()->activeThreadCount() > 0)
            QTest::qWait(5);
        QApplication::processEvents();
    }

    using Edit = std::function<Result<Schedule>()>;

    [[nodiscard]] bool isFused()
    {
        const Schedule& now = document().schedule();
        return m_fused.index() < now.size() && now[m_fused].ops.size() > 1;
    }

    /// An edit that is not refused, beginning to look for it where the die fell.
    Edit findEdit(Kind kind, std::uint32_t die)
    {
        const ProblemPtr problem = m_problem;
        const Schedule now = document().schedule();
        const EditOptions options = editOptions(document().rules());
        m_edited = SubgraphId(die % now.size());
        constexpr std::array<std::int64_t, 4> sizes{32, 64, 96, 128};
        const auto accepted = [](Edit edit) { return edit() ? edit : Edit(); };
        switch (kind) {
        case Kind::Tile: {
            const Granularity g{sizes[die / 7 % 4], sizes[die / 29 % 4], now[m_edited].granularity.k};
            return [=, s = m_edited, force = editOptions(document().rules(), true)] {
                return edit::setGranularity(*problem, now, std::array{s}, g, force);
            };
        }
        case Kind::Fuse:
            for (std::size_t i = die % (now.size() - 1); i + 1 < now.size(); ++i) {
                m_edited = m_fused = SubgraphId(i);
                if (Edit found =
                        accepted([=] { return edit::mergeWithNext(*problem, now, SubgraphId(i), options); }))
                    return found;
            }
            break;
        case Kind::Retain:
            for (std::size_t i = die % now.size(); i < now.size(); ++i) {
                m_edited = SubgraphId(i);
                for (const RetainCandidate& c : retainCandidates(*problem, now, SubgraphId(i), options))
                    if (c.refusal.empty())
                        return [=, tensor = c.tensor] {
                            return edit::toggleRetain(*problem, now, SubgraphId(i), tensor, options);
                        };
            }
            break;
        case Kind::Order: // one place later, of the first that may
            for (std::size_t i = die % now.size(); i + 1 < now.size(); ++i) {
                m_edited = SubgraphId(i);
                if (Edit found = accepted([=] {
                        return edit::reorder(*problem, now, std::array{SubgraphId(i)}, i + 1, options);
                    }))
                    return found;
            }
            break;
        case Kind::Split:
            m_edited = m_fused;
            if (isFused())
                return accepted([=, s = m_fused] { return edit::splitApart(*problem, now, s, options); });
            break;
        case Kind::Move: // to the subgraph of its first consumer, as a person does who follows a line
            for (std::size_t i = die % problem->opCount(); i < problem->opCount(); ++i) {
                const auto readers = problem->consumers(problem->op(OpId(i)).output);
                if (readers.empty())
                    continue;
                m_edited = subgraphsWith(now, OpId(i)).front();
                const SubgraphId to = subgraphsWith(now, readers.front()).front();
                if (Edit found = accepted([=] {
                        return edit::moveOps(*problem, now, std::array{OpId(i)}, std::nullopt, to, options);
                    }))
                    return found;
            }
            break;
        case Kind::Undo:
            break;
        }
        return {};
    }

    Watcher m_watcher;
    std::string m_name;
    ProblemPtr m_problem;
    MainWindow m_window;
    GraphView* m_graph = nullptr;
    std::mt19937 m_random{1};
    SubgraphId m_fused{0};
    SubgraphId m_edited{0}; ///< by the edit that findEdit() found
};

/// The wheel over the tile height of one subgraph, with a view, the inspector and the status bar in sight:
/// all of them follow. The view: the wavefront of the tile, or the run of the schedule.
void wheel(int count, bool isRun)
{
    QSettings().clear(); // lens and layout of the window before
    Watcher watcher;
    MainWindow window;
    qApp->installEventFilter(&watcher);
    window.resize(1440, 900);
    window.show();
    if (!window.openPaths({samplesFolder() + QStringLiteral("/models/llama-block.json")})) {
        std::printf("the sample cannot be opened\n");
        return;
    }
    Document& document = window.state().document;
    window.state().actions.find(QStringLiteral("lens.slowest"))->trigger();
    auto* run = qobject_cast<RunView*>(window.view(QStringLiteral("run")));
    if (isRun)
        window.showView(QStringLiteral("run"));
    else
        window.state().actions.find(QStringLiteral("lens.systolic"))->trigger();
    const auto settle = [] {
        QTest::qWait(150);
        while (backgroundPool()->activeThreadCount() > 0)
            QTest::qWait(5);
        QApplication::processEvents();
    };
    settle();
    QSpinBox* height = nullptr;
    for (QSpinBox* box : window.view(QStringLiteral("inspector"))->findChildren<QSpinBox*>())
        if (box->accessibleName() == QLatin1String("Tile height"))
            height = box;
    if (!height) {
        std::printf("no field of the tile height\n");
        return;
    }
    height->setFocus();
    Times times;
    for (int i = 0; i < count; ++i) {
        const QPointF at = QRectF(height->rect()).center();
        QWheelEvent event(at, height->mapToGlobal(at), {}, {0, i % 8 < 4 ? -120 : 120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        const Schedule before = document.schedule();
        const Stopwatch watch;
        QApplication::sendEvent(height, &event);
        while (!(document.snapshot()->schedule == document.schedule()))
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::X11ExcludeTimers);
        if (isRun)
            run->settle();
        watcher.paintAll();
        if (!(document.schedule() == before))
            watch.addTo(times);
        settle();
    }
    report(std::string("llama block: wheel over h to ") + (isRun ? "run" : "wavefront") +
               ", total, inspector",
           times);
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    QApplication::setStyle(makeStyle()); // as the program does
    const QTemporaryDir settings;
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    app.setProperty("tilewrightNoPrompts", true);
    std::optional<Kind> only;
    for (std::size_t k = 0; argc > 3 && k < kKinds.size(); ++k)
        if (std::string(argv[3]) == kNames[k])
            only = kKinds[k];
    if (argc > 1 && std::string(argv[1]) == "wheel") {
        wheel(argc > 2 ? std::stoi(argv[2]) : 100, argc > 3);
        return 0;
    }
    if (argc > 2) {
        Bench bench(std::stoul(argv[1]));
        bench.edits(std::stoi(argv[2]), only);
        if (!only)
            bench.drag();
        return 0;
    }
    for (const auto& [ops, count] : {std::pair{150, 400}, {3000, 200}}) {
        Bench bench(static_cast<std::size_t>(ops));
        bench.edits(count, {});
        bench.drag();
    }
    wheel(100, false);
    wheel(100, true);
    return 0;
}
