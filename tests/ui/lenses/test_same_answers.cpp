// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the window are the answers of the verbs, for the samples of each lens.
#include "edit/fit.h"
#include "eval/lower_bound.h"
#include "lower/on_machine.h"
#include "panels/solver/solver_options.h"
#include "schedule/schedule_json.h"
#include "test_main.h"
#include "verbs/map.h"
#include "verbs/npu.h"
#include "verbs/schedule.h"
#include "window/app_state.h"
#include "workload/problem_json.h"
#include "workspace/lens_links.h"
#include "workspace/mapping_document.h"
#include "workspace/npu_document.h"
#include "workspace/systolic_document.h"

#include <QDir>
#include <QTest>

#include <thread>

namespace test_same_answers {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

const QString kSamples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/");

/// The call with this workload, as `tilewright-cli` reads it.
verbs::WorkloadCall callOf(const QString& file)
{
    auto workload = lower::loadWorkload(file.toStdString());
    if (!workload)
        qFatal("%s", workload.error().text().c_str());
    verbs::WorkloadCall out;
    out.workload = std::make_shared<const lower::Workload>(std::move(*workload));
    out.file = file.toStdString();
    return out;
}

std::string sizes(std::int64_t a, std::int64_t b, std::int64_t c)
{
    return std::to_string(a) + "x" + std::to_string(b) + "x" + std::to_string(c);
}

} // namespace

class TestSameAnswers : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void schedule()
    {
        const QDir folder(kSamples + QLatin1String("schedule"));
        const QStringList names = folder.entryList({QStringLiteral("*.fused.schedule.json")});
        QVERIFY(names.size() >= 5);
        AppState state;
        for (const QString& name : names) {
            const QString problem =
                folder.filePath(name.section(QLatin1Char('.'), 0, 0) + QLatin1String(".json"));
            QVERIFY(state.workspace.open(problem));
            QVERIFY(state.workspace.open(folder.filePath(name)));
            state.document.waitForSnapshot();
            verbs::WorkloadCall call = callOf(problem);
            const ProblemPtr file = verbs::readProblem(call)->problem;
            auto loaded = *loadSchedule(*file, folder.filePath(name).toStdString());
            auto rules = verbs::rulesOfFile(*file, loaded);
            const Snapshot expected =
                verbs::snapshotOf(verbs::evaluateLoaded(file, std::move(loaded), std::move(rules)));
            const Snapshot& shown = *state.document.snapshot();
            QCOMPARE(shown.evaluation.rules, expected.evaluation.rules);
            QCOMPARE(shown.evaluation.total, expected.evaluation.total);
            QCOMPARE(shown.arrayTotal, expected.arrayTotal);
            QCOMPARE(shown.lowerBound, expected.lowerBound);
        }
    }

    /// The panes of the solver and of the lower bound start with the defaults of `solve` and `bound`.
    void solverDefaults()
    {
        AppState state;
        QVERIFY(state.workspace.open(kSamples + QLatin1String("schedule/attention-block.json")));
        const Problem& problem = *state.document.problem();
        const SolverOptions pane(state.document, state.actions, nullptr);
        const auto shown = verbs::solveOptions(pane.call(), problem);
        const auto expected = verbs::solveOptions({}, problem);
        QVERIFY(shown && expected);
        QCOMPARE(shown->rules, expected->rules);
        QCOMPARE(shown->seconds, expected->seconds);
        QCOMPARE(shown->seconds, suggestedSeconds(problem.opCount()));
        QCOMPARE(shown->stagnation, expected->stagnation);
        QCOMPARE(shown->iterations, expected->iterations);
        QCOMPARE(shown->seed, expected->seed);
        QCOMPARE(shown->placeable, expected->placeable);
        QCOMPARE(shown->prove, expected->prove);
        QCOMPARE(expected->threads, 0); // all; the pane shows their number
        QCOMPARE(shown->threads, std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
        QVERIFY(!shown->start && !expected->start);

        verbs::BoundCall call;
        verbs::OptionList options;
        bindOptions(options, call);
        QCOMPARE(call.seconds, 0.0);
        QVERIFY(options["--seconds"].help.ends_with(formatNumber(verbs::kWindowProofSeconds)));
    }

    void systolic_data()
    {
        QTest::addColumn<QString>("model"); // none: the sizes the window starts with, memories of kpu
        QTest::addColumn<int>("product");   // of the model, by shape
        QTest::newRow("start") << QString() << 0;
        for (const char* model : {"models/llama-block.json", "models/mobilenet-v2-96.json"})
            for (const int product : {0, 1, 3})
                QTest::addRow("%s %d", model, product) << QString::fromLatin1(model) << product;
    }
    void systolic()
    {
        QFETCH(QString, model);
        QFETCH(int, product);
        SystolicSettings s;
        verbs::SystolicCall call;
        call.bandwidth = "hierarchy"; // the window starts with finite memories
        if (!model.isEmpty()) {
            const auto workload = lower::loadWorkload((kSamples + model).toStdString());
            QVERIFY2(workload, workload ? "" : workload.error().text().c_str());
            const Machine machine = *machinePreset("edge");
            const auto lowered = lower::lowerToProblem(workload->model, machine);
            s.hierarchy = lower::hierarchyOf(machine);
            s.timing.dataflow = lower::dataflowOf(machine);
            s.gemm = lower::gemmsOf(*lowered).at(static_cast<std::size_t>(product)).gemm;
            call.workload.machine = machine;
        }
        call.gemm = sizes(s.gemm.m, s.gemm.n, s.gemm.k);
        const auto untiled = verbs::systolicProduct(call);
        QVERIFY2(untiled, untiled ? "" : untiled.error().text().c_str());
        QCOMPARE(systolic::arrayTiming(s.gemm, s.hierarchy.array, s.timing).cycles,
                 untiled->figures.timing.cycles);
        auto levels = computeLevels(s);
        QVERIFY2(levels->error.isEmpty(), qPrintable(levels->error));
        QCOMPARE(levels->l2.tile, untiled->figures.l2.tile);
        QCOMPARE(levels->l2.plans.size(), untiled->figures.l2.plans.size());
        for (std::size_t i = 0; i < levels->l2.plans.size(); ++i)
            QCOMPARE(levels->l2.plans[i].trafficBytes(), untiled->figures.l2.plans[i].trafficBytes());
        const auto& conflicts = levels->conflicts[static_cast<std::size_t>(s.layout)];
        QCOMPARE(conflicts.has_value(), untiled->figures.conflicts.has_value());
        if (conflicts)
            QCOMPARE(conflicts->count, untiled->figures.conflicts->count);

        // Without a tile by hand, roofs, dataflows, DRAM bytes and energy are those of `systolic` without
        // one.
        QCOMPARE(levels->roofline->attainableGflops, untiled->figures.roofline.attainableGflops);
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(levels->roofline->points[i].bytes, untiled->figures.roofline.points[i].bytes);
        for (std::size_t d = 0; d < 3; ++d) {
            QCOMPARE(levels->dataflows->of[d].totalCycles, untiled->figures.dataflows.of[d].totalCycles);
            QCOMPARE(levels->dataflows->of[d].dramBytes, untiled->figures.dataflows.of[d].dramBytes);
        }
        for (const verbs::DramOfOrder& order : levels->orders)
            if (order.order == systolic::loopOrderOf(s.timing.dataflow))
                QCOMPARE(order.lru.bytes(), untiled->figures.dram.bytes());

        // The page of tiles proposes the tile that `tile` chooses; taken, every figure is of that tile.
        verbs::TileCall asked;
        asked.gemm = call.gemm;
        asked.hierarchy = s.hierarchy;
        const auto tile = verbs::tileOfProduct(asked);
        const auto proposed = computeTiles(s);
        QVERIFY(tile && proposed->current);
        const systolic::TileShape t = proposed->current->choice.tile;
        QCOMPARE(t, tile->choice.tile);
        SystolicSettings byHand = s;
        byHand.ownTile = t;
        levels = computeLevels(byHand);
        QVERIFY(levels->tile);
        QCOMPARE(levels->l2.tile, t);
        QCOMPARE(levels->tile->choice.elements, tile->choice.elements);
        QCOMPARE(levels->tile->constraints().size(), tile->constraints().size());
        call.tile = sizes(t.ti, t.tj, t.tk);
        const auto tiled = verbs::systolicProduct(call);
        QVERIFY(tiled);
        QCOMPARE(levels->roofline->attainableGflops, tiled->figures.roofline.attainableGflops);
        for (std::size_t d = 0; d < 3; ++d)
            QCOMPARE(levels->dataflows->of[d].totalCycles, tiled->figures.dataflows.of[d].totalCycles);
        for (const verbs::DramOfOrder& order : levels->orders)
            if (order.order == systolic::loopOrderOf(s.timing.dataflow))
                QCOMPARE(order.lru.bytes(), tiled->figures.dram.bytes());

        // Programs move the array's own tile unless one is chosen by hand.
        for (const bool byHand : {false, true}) {
            verbs::SystolicCall program = call;
            program.pipeline = "pipelined";
            if (byHand)
                s.ownTile = t;
            else
                program.tile.clear();
            const auto ran = verbs::systolicProduct(program);
            const auto shown = computePipeline(s);
            QCOMPARE(shown->comparison.has_value(), ran.hasValue());
            if (ran)
                QCOMPARE(shown->comparison->pipelinedRun.cycles, ran->pipeline->run.cycles);
        }
    }

    /// A model on a machine: the window shows what `evaluate` of the start schedule, `npu` and `systolic`
    /// print.
    void modelsOnMachines_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("machine");
        for (const char* model : {"resnet-18.onnx", "mobilenet-v2-96.json", "llama-block.json", "lstm.onnx",
                                  "bert-block.onnx", "gpt2-block.onnx"})
            for (const char* machine : {"edge", "server", "kpu"})
                QTest::addRow("%s on %s", model, machine)
                    << QString::fromLatin1(model) << QString::fromLatin1(machine);
    }
    void modelsOnMachines()
    {
        QFETCH(QString, model);
        QFETCH(QString, machine);
        const QString file = kSamples + QStringLiteral("models/") + model;
        AppState state;
        if (const auto opened = state.workspace.open(file); !opened)
            QSKIP(opened.error().text().c_str());
        const Machine on = *machinePreset(machine.toStdString());
        QVERIFY(state.document.setMachine(on, machine)); // chosen after opening, as in the machine dock
        state.document.waitForSnapshot();
        auto workload = lower::loadWorkload(file.toStdString(), state.document.dimensions());
        QVERIFY(workload);
        verbs::WorkloadCall call;
        call.workload = std::make_shared<const lower::Workload>(std::move(*workload));
        call.file = file.toStdString();
        call.machine = on;

        const auto problem = verbs::readProblem(call);
        QVERIFY(problem);
        const Problem& p = *problem->problem;
        QCOMPARE(state.document.snapshot()->evaluation.total,
                 evaluate(p, oneOpPerSubgraph(p), *verbs::RulesCall{}.rules(p)).total);
        QCOMPARE(state.document.snapshot()->lowerBound, lowerBound(p, p.rules()).value);

        state.workspace.links().catchUp(Lens::Npu);
        NpuDocument& npu = state.workspace.npu();
        state.workspace.links().catchUp(Lens::Npu);
        npu.settle();
        verbs::NpuCall asked;
        asked.workload = call;
        const auto answer = verbs::runNpu(asked, {}, {});
        QVERIFY2(answer && answer->run, answer ? "" : answer.error().text().c_str());
        QVERIFY2(npu.error().isEmpty(), qPrintable(npu.error()));
        QCOMPARE(npu.result()->run->makespan, answer->run->makespan);
        QCOMPARE(npu.result()->run->dramBytes, answer->run->dramBytes);
    }

    void npu()
    {
        const QDir folder(kSamples + QLatin1String("npu"));
        for (const QString& name : folder.entryList({QStringLiteral("*.json")})) {
            NpuDocument document;
            QVERIFY(document.openModel(folder.filePath(name)));
            document.settle();
            verbs::NpuCall call;
            call.workload = callOf(folder.filePath(name));
            const auto answer = verbs::runNpu(call, {}, {});
            QVERIFY2(answer && answer->run, qPrintable(name));
            QCOMPARE(document.result()->run->makespan, answer->run->makespan);
            QCOMPARE(document.result()->run->dramBytes, answer->run->dramBytes);
            QCOMPARE(document.result()->bounds.lowerBound, answer->bounds.lowerBound);
        }
    }

    void mapping()
    {
        for (const char* name : {"gemm-1000.json", "conv-3x3-64.json"}) {
            const QString path = kSamples + QLatin1String("mapping/layers/") + QLatin1String(name);
            MappingDocument document;
            QVERIFY(document.openFile(path));
            document.settle();
            verbs::MapCall call;
            call.workload = callOf(path);
            call.architecture = document.setup().architecture;
            const auto subject = verbs::readMapCall(call);
            QVERIFY(subject);
            const auto answer = verbs::mapLayer(std::get<verbs::MapSubject>(*subject), call, {});
            QVERIFY(answer);
            const mapping::SearchResult& shown = *document.search().result();
            QVERIFY(shown.proven && answer->result.proven);
            for (const mapping::Objective o :
                 {mapping::Objective::Energy, mapping::Objective::Cycles, mapping::Objective::Edp})
                QCOMPARE(shown.of(o)->value(o), answer->result.of(o)->value(o));
        }
        QCOMPARE(SearchSettings{}.seconds, verbs::kLayerSeconds);
    }
};

TILEWRIGHT_TEST(TestSameAnswers)

} // namespace test_same_answers
#include "test_same_answers.moc"
