// SPDX-License-Identifier: GPL-3.0-or-later
// The Sweep view: what is enough, points as they come, a click opens one, two compare, files that repeat it.
#include "base/file.h"
#include "sweep_bench.h"
#include "test_main.h"
#include "theme/text.h"
#include "verbs/language.h"
#include "views/compare/compare_view.h"

#include "schedule/schedule_json.h"

#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTemporaryDir>
#include <QToolButton>

namespace test_sweep_view {

using namespace tilewright;
using namespace tilewright::ui;

class TestSweepView : public SweepBench
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    /// Issue 17, Must show 5.
    void theSmallestFastMemoryThatIsEnoughIsAnswered()
    {
        MainWindow window;
        window.resize(1440, 1000);
        QVERIFY(openIn(window, {modelFile("llama-block.json")}));
        SweepView& v = view(window);
        // What a new user finds: fast memory, a range around what there is, 5 %.
        QCOMPARE(v.form().setup().axes[0].path, QStringLiteral("levels.l3.bytes"));
        QCOMPARE(v.form().setup().within, 5);
        few(v, 17, 100);
        QTest::keyClick(&v, Qt::Key_Return, Qt::ControlModifier);
        v.settle();
        const auto curves = v.model().curves();
        QCOMPARE(curves.size(), std::size_t(1));
        const auto& points = curves.front().points;
        QCOMPARE(points.size(), std::size_t(17));
        double best = points.front().value;
        for (const sweep::CurvePoint& p : points)
            best = std::min(best, p.value);
        // Counted from the right: as long as all are within 5 %.
        std::size_t enough = points.size() - 1;
        while (enough > 0 && points[enough - 1].value <= 1.05 * best)
            --enough;
        QVERIFY(enough > 0 && enough + 1 < points.size());
        const QString value = v.model().axes[0].text(points[enough].at);
        QVERIFY2(
            sweepAnswer(v.model()).startsWith(QStringLiteral("Within 5 % of the best latency: ") + value),
            qPrintable(sweepAnswer(v.model())));
        const auto plots = sweepPlots(v.model(), Theme::light());
        QVERIFY(std::ranges::any_of(plots.front().labels, [&](const PlotLabel& l) {
            return l.texts.front().contains(value) && l.from.x() == points[enough].at;
        }));
        // Asking for less finds less.
        control<QSpinBox>(v, "sweep.within")->setValue(60);
        QVERIFY(sweepAnswer(v.model()).startsWith(QStringLiteral("Within 60 % of the best latency: ")));
        QVERIFY(
            !sweepAnswer(v.model()).startsWith(QStringLiteral("Within 60 % of the best latency: ") + value));
        QVERIFY(v.model().table.done == 17); // drawn otherwise, not computed anew
    }

    /// F18: another choice puts a finished sweep away; it comes back with its choices.
    void anEarlierSweepComesBack()
    {
        MainWindow window;
        window.resize(1440, 1000);
        QVERIFY(openIn(window, {modelFile("llama-block.json")}));
        SweepView& v = view(window);
        auto* button = v.findChild<QToolButton*>(QStringLiteral("sweep.earlier"));
        auto* menu = v.findChild<QMenu*>(QStringLiteral("sweep.earlier.menu"));
        QVERIFY(button && menu && button->isHidden());
        few(v, 5, 100);
        runAll(v);
        const SweepSetup first = v.form().setup();
        const QByteArray rows = v.copyText().toUtf8();
        QVERIFY(rows.count('\n') > 4);
        choose(v, SweepTask::Bound);
        QVERIFY(v.model().isEmpty());
        QVERIFY(!button->isHidden());
        runAll(v);
        Q_EMIT menu->aboutToShow();
        QCOMPARE(menu->actions().size(), 1);
        QVERIFY2(menu->actions().front()->text().startsWith(
                     QStringLiteral("solve from scratch: Fast memory (L3")) &&
                     menu->actions().front()->text().endsWith(counted(5, {}, QStringLiteral("points"))),
                 qPrintable(menu->actions().front()->text()));
        menu->actions().front()->trigger();
        QVERIFY(v.form().setup() == first);
        QCOMPARE(v.copyText().toUtf8(), rows);
        Q_EMIT menu->aboutToShow(); // now the bounds are the earlier ones
        QVERIFY(menu->actions().front()->text().startsWith(QStringLiteral("lower bound: ")));
        // On another workload there is none.
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Q_EMIT menu->aboutToShow();
        QCOMPARE(menu->actions().size(), 1);
        QVERIFY(!menu->actions().front()->isEnabled());
    }

    /// F18: an axis that the lens does not read is not offered.
    void axesAreThoseTheLensReads()
    {
        MainWindow window;
        QVERIFY(openIn(window, {modelFile("llama-block.json")}));
        Document& document = window.state().document;
        const auto offers = [&](SweepTask task, const QString& path) {
            const auto all = sweepParameters(document, task);
            return std::ranges::find(all, path, &SweepParameter::path) != all.end();
        };
        for (const SweepTask task :
             {SweepTask::Bound, SweepTask::NpuDynamic, SweepTask::Mapping, SweepTask::Systolic}) {
            QVERIFY(offers(task, QStringLiteral("levels.l3.bytes")));
            QVERIFY(offers(task, QStringLiteral("array.rows")));
        }
        QVERIFY(offers(SweepTask::NpuDynamic, QStringLiteral("cores")));
        QVERIFY(!offers(SweepTask::Systolic, QStringLiteral("cores")));
        QVERIFY(offers(SweepTask::Solve, QStringLiteral("energy.mac")) ==
                offers(SweepTask::Bound, QStringLiteral("energy.mac")));
    }

    /// Tokens a second over batch: what the verb says of each, the knee, and a click opens a point.
    void aLanguageModelIsSweptOverBatches()
    {
        MainWindow window;
        window.resize(1440, 1000);
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("config.json"));
        QVERIFY(QFile::copy(
            QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/language/llama-3.1-8b.config.json"), path));
        QVERIFY(openIn(window, {modelFile("llama-block.json")}));
        SweepView& v = view(window);
        const auto* tasks = qobject_cast<QStandardItemModel*>(control<QComboBox>(v, "sweep.task")->model());
        QVERIFY(!tasks->item(static_cast<int>(SweepTask::StepFloor))->isEnabled());
        QVERIFY(openIn(window, {path}));
        QVERIFY(tasks->item(static_cast<int>(SweepTask::StepFloor))->isEnabled());
        Document& document = window.state().document;
        const onnx::Dimensions decode{{"phase", 2}, {"cached", 1024}};
        QVERIFY(document.setDimensions(decode));
        QVERIFY(document.setMachine(*machinePreset("h100"), QStringLiteral("Machine h100")));
        choose(v, SweepTask::StepFloor);
        choose(v, "sweep.0.name", QStringLiteral("dimensions.batch"));
        QCOMPARE(v.form().setup().axes[0].from, 1.0);
        choose(v, "sweep.metric", QStringLiteral("tokens_per_second"));
        runAll(v);
        const auto curves = v.model().curves();
        QCOMPARE(curves.size(), std::size_t{1});
        const auto& points = curves.front().points;
        QCOMPARE(points.size(), std::size_t{9});
        for (const sweep::CurvePoint& p : points) {
            onnx::Dimensions sizes = decode;
            sizes["batch"] = static_cast<std::int64_t>(p.at);
            const auto workload = lower::loadWorkload(path.toStdString(), sizes);
            const auto figures = verbs::languageFigures(*workload->language, *document.machine());
            const double expected = figures.of(verbs::LanguageFigure::TokensPerSecond)->value;
            QVERIFY(std::abs(p.value - expected) < 1e-6 * expected);
        }
        QVERIFY(points.back().value > points.front().value); // more is better
        QVERIFY2(sweepAnswer(v.model()).contains(QStringLiteral("best tokens per second")),
                 qPrintable(sweepAnswer(v.model())));
        const double best = std::ranges::max_element(points, {}, &sweep::CurvePoint::value)->value;
        QVERIFY2(sweepAnswer(v.model()).contains(number(best)), qPrintable(sweepAnswer(v.model())));
        // A click opens the model with that batch, one step back undoes it, and the sweep stays.
        const int steps = document.undoStack().index();
        v.openPoint(points[3].row, false);
        QCOMPARE(document.dimensions().at("batch"), static_cast<std::int64_t>(points[3].at));
        QCOMPARE(document.undoStack().index(), steps + 1);
        QVERIFY(!v.model().isEmpty());
        v.openPoint(points[3].row, false); // it is open: no step
        QCOMPARE(document.undoStack().index(), steps + 1);
        document.undoStack().undo();
        QCOMPARE(document.dimensions(), decode);
    }

    /// docs/rules/sweep.md 6: which machine serves a model at 50 ms a step is read off the sweep.
    void machinesAreAnAxis()
    {
        MainWindow window;
        window.resize(1440, 1000);
        QVERIFY(openIn(window,
                       {QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/language/llama-3.1-8b.config.json")}));
        SweepView& v = view(window);
        Document& document = window.state().document;
        const onnx::Dimensions sizes{{"phase", 2}, {"batch", 16}, {"cached", 4096}};
        QVERIFY(document.setDimensions(sizes));
        choose(v, SweepTask::StepFloor);
        choose(v, "sweep.0.name", QStringLiteral("machine"));
        auto* names = control<QLineEdit>(v, "sweep.0.words");
        QCOMPARE(names->text().split(QStringLiteral(", ")).size(),
                 static_cast<qsizetype>(machinePresets().size()));
        const auto type = [&](const QString& text) {
            names->setFocus();
            names->selectAll();
            QTest::keyClicks(names, text);
            QTest::keyClick(names, Qt::Key_Return);
        };
        type(QStringLiteral("edge, nowhere"));
        QVERIFY(names->text().contains(QStringLiteral("gemmini"))); // refused, and as before
        type(QStringLiteral("tpu-v4i, a100,h100"));
        QCOMPARE(names->text(), QStringLiteral("tpu-v4i, a100, h100"));
        runAll(v);
        QVERIFY2(sweepAnswer(v.model()).contains(QStringLiteral("h100 (")),
                 qPrintable(sweepAnswer(v.model())));
        auto* limit = control<QDoubleSpinBox>(v, "sweep.limit");
        limit->setFocus();
        limit->selectAll();
        QTest::keyClicks(limit, QStringLiteral("50"));
        QTest::keyClick(limit, Qt::Key_Return);
        const QString answer = sweepAnswer(v.model());
        QVERIFY2(answer.contains(QStringLiteral("at most 50")), qPrintable(answer));
        QVERIFY2(answer.indexOf(QStringLiteral("h100 (")) < answer.indexOf(QStringLiteral("a100 (")),
                 qPrintable(answer));
        // Fast enough, but the weights do not fit into its memory.
        QVERIFY(!answer.contains(QStringLiteral("tpu-v4i")));
        QVERIFY2(answer.contains(QStringLiteral("do not fit into memory at 1\u00a0point")),
                 qPrintable(answer));
        // The figures are those of the machines, and a click opens one.
        const auto points = v.model().curves().front().points;
        QCOMPARE(points.size(), std::size_t{3});
        const auto workload = lower::loadWorkload(document.problemPath().toStdString(), sizes);
        const auto figures = verbs::languageFigures(*workload->language, *machinePreset("h100"));
        QVERIFY(std::abs(points[2].value - figures.of(verbs::LanguageFigure::TimePerOutputToken)->value) <
                1e-9);
        v.openPoint(points[2].row, false);
        QCOMPARE(document.machine()->name, std::string("h100"));
        QVERIFY(!v.model().isEmpty());
        QCOMPARE(v.model().rowInForce(), std::optional<std::size_t>(points[2].row));
    }

    void curvesHaveTheirBoundAndWhatIsInForce()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        SweepView& v = view(window);
        few(v, 9);
        runAll(v);
        const PlotModel plot = sweepPlots(v.model(), Theme::light()).front();
        const auto named = [&](const QString& name) {
            return std::ranges::find(plot.lines, name, &PlotLine::name);
        };
        const auto curve = named(QStringLiteral("latency"));
        const auto bound = named(QStringLiteral("lower bound"));
        QVERIFY(curve != plot.lines.end() && bound != plot.lines.end());
        QCOMPARE(curve->points.size(), std::size_t(9));
        QCOMPARE(bound->points.size(), std::size_t(9));
        for (std::size_t i = 0; i < 9; ++i) {
            QVERIFY(bound->points[i].y() <= curve->points[i].y());
            QVERIFY(i == 0 || curve->points[i].y() <= curve->points[i - 1].y()); // monotone
        }
        QCOMPARE(plot.x.current, std::optional(400'000.0));
        QVERIFY(!v.model().changes.empty());
        // Least traffic: the ski slope, in logarithms when it is steep.
        choose(v, SweepTask::Traffic);
        runAll(v);
        QCOMPARE(v.model().unit, QStringLiteral("elements"));
        QCOMPARE(v.model().table.done, std::size_t(9));
    }

    /// A gap where the open schedule is not valid.
    void theOpenScheduleIsDrawnWhereItIsValid()
    {
        MainWindow window;
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        SweepView& v = view(window);
        few(v, 9);
        runAll(v);
        const SweepModel& m = v.model();
        QVERIFY(m.beside);
        std::size_t valid = 0;
        for (std::size_t i = 0; i < 9; ++i) {
            Problem::Data data = window.state().document.problem()->data();
            data.hardware.fastMemoryCapacity = static_cast<std::int64_t>(m.valueOf(i, 0));
            const Evaluation e =
                evaluate(**Problem::build(std::move(data)), window.state().document.schedule(),
                         window.state().document.rules());
            QCOMPARE(!m.beside->rows[i].metrics.empty(), e.valid());
            if (e.valid()) {
                QCOMPARE(m.beside->rows[i].metrics[0], e.total);
                ++valid;
            }
        }
        QVERIFY(valid > 0 && valid < 9);
        QVERIFY(sweepTooltip(m, 0).contains(QStringLiteral("not valid here")));
        // The answer said that the best found is the best, also where the open schedule is better.
        SweepModel better = m;
        const auto last = std::ranges::find_if(better.beside->rows.rbegin(), better.beside->rows.rend(),
                                               [](const sweep::Row& row) { return !row.metrics.empty(); });
        last->metrics[0] = 1;
        QVERIFY2(sweepAnswer(better).contains(QStringLiteral(". The open schedule is better: 1")),
                 qPrintable(sweepAnswer(better)));
        // An edit makes it the schedule of then.
        QVERIFY(m.besideIsOpen);
        window.state().document.newSchedule();
        QVERIFY(!v.model().besideIsOpen);
        QCOMPARE(v.model().table.done, std::size_t(9));
    }

    void pointsAppearWhileItRunsAndTheWindowGoesOn()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        SweepView& v = view(window);
        few(v, 40, 6000);
        std::size_t ticks = 0;
        QTimer timer;
        connect(&timer, &QTimer::timeout, this, [&] { ++ticks; });
        timer.start(10);
        v.run();
        QVERIFY(v.isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(v.model().table.done > 0, 20'000);
        QVERIFY(v.isRunning() && v.model().table.done < 40);
        QVERIFY(ticks > 2);
        QVERIFY(control<QProgressBar>(v, "sweep.progress")->text().contains(QStringLiteral(" of 80 points")));
        const std::size_t marks = v.plots().front().marks.size();
        QVERIFY(marks > 0);
        // Stopped by the same command; it goes on from there, to the table of an undisturbed run.
        QTest::keyClick(&v, Qt::Key_Return, Qt::ControlModifier);
        v.settle();
        const std::size_t there = v.model().table.done;
        QVERIFY(there > 0 && there < 40);
        QVERIFY(
            control<QProgressBar>(v, "sweep.progress")->text().startsWith(QStringLiteral("stopped after")));
        runAll(v);
        QCOMPARE(v.model().table.done, std::size_t(40));
        const std::string table = sweep::tableCsv(v.model().table);
        control<QSpinBox>(v, "sweep.0.points")->setValue(39);
        QVERIFY(v.model().isEmpty());
        control<QSpinBox>(v, "sweep.0.points")->setValue(40);
        runAll(v);
        QCOMPARE(sweep::tableCsv(v.model().table), table);
    }

    void closingWhileItRunsIsNoHarm()
    {
        auto window = std::make_unique<MainWindow>();
        QVERIFY(openIn(*window, {sample("attention-block.json")}));
        SweepView& v = view(*window);
        few(v, 40, 50'000);
        v.run();
        QTRY_VERIFY_WITH_TIMEOUT(v.model().table.done > 0, 20'000);
        window.reset();
    }

    void aClickOpensThePoint_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("problem") << sample("attention-block.json");
        QTest::newRow("model") << modelFile("llama-block.json");
    }
    void aClickOpensThePoint()
    {
        QFETCH(QString, file);
        MainWindow window;
        window.resize(1440, 1000);
        QVERIFY(openIn(window, {file}));
        SweepView& v = view(window);
        Document& document = window.state().document;
        few(v, 9);
        runAll(v);
        const ProblemPtr before = document.problem();
        const Schedule scheduleBefore = document.schedule();
        const std::size_t row = 7;
        QVERIFY(v.model().table.rows[row].metrics.size() > 0);
        QTest::mouseClick(&v, Qt::LeftButton, {}, v.pointOf(row).toPoint());
        document.waitForSnapshot();
        const double unit = document.model() ? static_cast<double>(document.model()->lowered.timeUnit) : 1;
        QVERIFY(document.snapshot()->evaluation.valid());
        const double expected = v.model().table.rows[row].metrics[0];
        QVERIFY2(document.snapshot()->evaluation.total * unit <= expected * (1 + 1e-12),
                 qPrintable(QString::number(document.snapshot()->evaluation.total * unit)));
        QCOMPARE(v.model().rowInForce(), std::optional(row));
        QCOMPARE(v.model().table.done, std::size_t(9)); // it is still the same sweep
        document.undoStack().undo();
        QCOMPARE(document.problem()->hardware(), before->hardware());
        QVERIFY(document.schedule() == scheduleBefore);
        QCOMPARE(v.model().table.done, std::size_t(9));
        // The keyboard: arrows and Enter.
        v.setFocus();
        QTest::keyClick(&v, Qt::Key_Right);
        QTest::keyClick(&v, Qt::Key_Right);
        QTest::keyClick(&v, Qt::Key_Return);
        QVERIFY(document.problem()->hardware() != before->hardware());
        // Another model is another sweep.
        QVERIFY(window.openPaths({sample("diamond.json")}));
        QVERIFY(v.model().isEmpty());
    }

    /// The machine changed below a start schedule whose tiles it does not hold.
    void aPointWithoutAScheduleMakesTheStartScheduleAnew()
    {
        MainWindow window;
        window.resize(1440, 1000);
        QVERIFY(openIn(window, {modelFile("llama-block.json")}));
        SweepView& v = view(window);
        Document& document = window.state().document;
        choose(v, SweepTask::Systolic);
        few(v, 5);
        runAll(v);
        QCOMPARE(v.model().metricName(), std::string_view("bound_cycles"));
        QVERIFY(sweepAnswer(v.model()).contains(QStringLiteral("cycles with DRAM")));
        QTest::mouseClick(&v, Qt::LeftButton, {}, v.pointOf(0).toPoint());
        document.waitForSnapshot();
        QCOMPARE(v.model().rowInForce(), std::optional<std::size_t>(0));
        QVERIFY(document.snapshot()->evaluation.valid());
        QVERIFY(document.isStartSchedule());
    }

    void theHardwareOfAnOpenedPointIsSaved()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        SweepView& v = view(window);
        Document& document = window.state().document;
        few(v, 5);
        runAll(v);
        v.openPoint(4, false);
        document.waitForSnapshot();
        const Hardware hardware = document.problem()->hardware();
        const double total = document.snapshot()->evaluation.total;
        const QString path = m_settings.filePath("large.schedule.json");
        QVERIFY(document.save(path));
        QVERIFY(document.openProblem(sample("attention-block.json")));
        QVERIFY(document.problem()->hardware() != hardware);
        const Status opened = document.openSchedule(path);
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        QCOMPARE(document.problem()->hardware(), hardware);
        QCOMPARE(document.snapshot()->evaluation.total, total);
        // A schedule without it goes back to what the file says.
        QVERIFY(document.openSchedule(sample("attention-block.fused.schedule.json")));
        QCOMPARE(document.problem()->hardware().fastMemoryCapacity, std::int64_t(400'000));
        const auto text = document.fileText();
        QVERIFY(text && text->find("\"hardware\"") == std::string::npos);
    }

    void badHardwareOfAScheduleIsASentence()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        auto text = readFile(sample("attention-block.fused.schedule.json").toStdString());
        QVERIFY(text);
        text->insert(text->find('{') + 1,
                     R"("hardware": {"fast_memory_capacity": 0, "slow_memory_bandwidth": 1,
            "native_granularity": [128, 128]},)");
        const QString path = m_settings.filePath("bad.schedule.json");
        QVERIFY(writeFileAtomically(path.toStdString(), *text));
        const Status opened = window.state().document.openSchedule(path);
        QVERIFY(!opened);
        QVERIFY2(opened.error().text().find("fast_memory_capacity") != std::string::npos,
                 opened.error().text().c_str());
        QVERIFY(opened.error().text().find("bad.schedule.json") != std::string::npos);
    }

    void twoPointsCompare()
    {
        MainWindow window;
        window.resize(1440, 1000);
        QVERIFY(openIn(window, {modelFile("llama-block.json")}));
        SweepView& v = view(window);
        Document& document = window.state().document;
        few(v, 5);
        runAll(v);
        QTest::mouseClick(&v, Qt::LeftButton, {}, v.pointOf(0).toPoint());
        document.waitForSnapshot();
        const double first = document.snapshot()->evaluation.total;
        QTest::mouseClick(&v, Qt::LeftButton, Qt::ShiftModifier, v.pointOf(4).toPoint());
        document.waitForSnapshot();
        auto* compare = viewOf<CompareView>(window, "compare");
        QTRY_VERIFY(compare->isVisible());
        compare->settle();
        QVERIFY(compare->data());
        QCOMPARE(compare->data()->totals[0], first);
        QCOMPARE(compare->data()->totals[1], document.snapshot()->evaluation.total);
        QVERIFY(compare->data()->totals[1] < first);
        QVERIFY(compare->data()->otherHardware);
        QVERIFY(compare->data()->names[0].contains(v.model().axes[0].text(16384)));
        // Taking A's schedule would not take its hardware.
        QVERIFY(!window.state().actions.find(QStringLiteral("compare.swap"))->isEnabled());
    }

    /// docs/rules/sweep.md 3.3
    void lockedSubgraphsThatDoNotFitSaySo()
    {
        MainWindow window;
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        Document& document = window.state().document;
        Schedule schedule = document.schedule();
        Subgraph locked = *schedule.subgraphs[0];
        locked.locked = true;
        schedule.subgraphs[0] = std::make_shared<const Subgraph>(locked);
        document.apply(schedule, QStringLiteral("lock"));
        SweepView& v = view(window);
        choose(v, SweepTask::SolveHere);
        few(v, 5, 200);
        type(v, "sweep.0.from", QStringLiteral("50"));
        QCOMPARE(v.form().setup().axes[0].from, 50.0);
        runAll(v);
        QVERIFY(v.model().table.failed > 0 && v.model().table.done > 0);
        const QString tip = sweepTooltip(v.model(), 0);
        QVERIFY2(tip.contains(QStringLiteral("a locked subgraph does not fit here")), qPrintable(tip));
        QVERIFY(control<QProgressBar>(v, "sweep.progress")->text().contains(QStringLiteral("failed")));
        const PlotModel plot = sweepPlots(v.model(), Theme::light()).front();
        QVERIFY(std::ranges::any_of(
            plot.marks, [](const PlotMark& m) { return m.id == 0 && m.shape == PlotShape::TriangleDown; }));
        // Opening one keeps the lock; what failed cannot be opened.
        QSignalSpy refused(&window.state().workspace, &Workspace::refused);
        v.openPoint(0, false);
        QCOMPARE(refused.size(), 1);
        v.openPoint(4, false);
        QVERIFY(std::ranges::any_of(document.schedule().subgraphs,
                                    [](const SubgraphPtr& s) { return s->locked; }));
        // Anew, nothing is locked, and nothing fails.
        choose(v, SweepTask::Solve);
        runAll(v);
        QVERIFY(v.model().table.done > 0);
    }

    void rangesAreDraggedAndTyped()
    {
        MainWindow window;
        window.resize(1440, 1000);
        QVERIFY(openIn(window, {modelFile("llama-block.json")}));
        SweepView& v = view(window);
        auto* bar = control<RangeBar>(v, "sweep.0.range");
        const double before = bar->to();
        const QPoint from = bar->handle(true).toPoint();
        QTest::mousePress(bar, Qt::LeftButton, {}, from);
        QTest::mouseMove(bar, from - QPoint(20, 0));
        QTest::mouseRelease(bar, Qt::LeftButton, {}, from - QPoint(20, 0));
        QVERIFY(bar->to() < before);
        QCOMPARE(v.form().setup().axes[0].to, bar->to());
        bar->setFocus();
        QTest::keyClick(bar, Qt::Key_Home);
        const double low = bar->from();
        QTest::keyClick(bar, Qt::Key_Right);
        QVERIFY(bar->from() > low && bar->from() < 2 * low);
        type(v, "sweep.0.from", QStringLiteral("64 KiB"));
        QCOMPARE(v.form().setup().axes[0].from, 65536.0);
        QCOMPARE(bar->from(), 65536.0);
        type(v, "sweep.0.from", QStringLiteral("much")); // no number: it goes
        QCOMPARE(control<QLineEdit>(v, "sweep.0.from")->text(), ui::bytesText(65536));
        // A range that gives nothing is a sentence, not a silence.
        type(v, "sweep.0.from", QStringLiteral("0"));
        v.run();
        QVERIFY(!v.isRunning());
        QVERIFY(v.model().isEmpty());
        QVERIFY2(v.accessibleDescription().contains(QStringLiteral("greater than zero")),
                 qPrintable(v.accessibleDescription()));
    }

    void whatIsChosenComesBackWithTheSession()
    {
        SweepSetup setup;
        {
            MainWindow window;
            QVERIFY(openIn(window, {sample("attention-block.json")}));
            SweepView& v = view(window);
            choose(v, SweepTask::Traffic);
            choose(v, "sweep.0.name", QStringLiteral("native_width"));
            few(v, 7, 123);
            control<QSpinBox>(v, "sweep.within")->setValue(9);
            setup = v.form().setup();
            QCOMPARE(setup.axes[0].path, QStringLiteral("native_width"));
            window.close();
        }
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        QVERIFY(viewOf<SweepView>(window, "sweep")->form().setup() == setup);
        // Another file has ranges of its own.
        QVERIFY(window.openPaths({sample("diamond.json")}));
        QVERIFY(viewOf<SweepView>(window, "sweep")->form().setup().axes[0].path !=
                QStringLiteral("native_width"));
        // What is no setup is none.
        QVERIFY(
            sweepSetupOf(QJsonObject{{QStringLiteral("task"), 99}, {QStringLiteral("within"), -5}}).task ==
            kLastSweepTask);
    }

    void thereIsAHintUntilThereIsAPoint()
    {
        MainWindow window;
        window.show();
        SweepView& v = view(window);
        QVERIFY(v.accessibleDescription().contains(QStringLiteral("Open a model")));
        v.run();
        QVERIFY(v.model().isEmpty() && !v.isRunning());
        QVERIFY(window.openPaths({sample("diamond.json")}));
        QVERIFY(v.accessibleDescription().contains(QStringLiteral("press Sweep")));
    }
};

TILEWRIGHT_TEST(TestSweepView)

} // namespace test_sweep_view
#include "test_sweep_view.moc"
