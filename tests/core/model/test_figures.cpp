// SPDX-License-Identifier: GPL-3.0-or-later
// Issue 41 a: every number of an answer is a figure that can be asked, and its tree evaluates to it.
#include "edit/fit.h"
#include "figures/explain.h"
#include "figures/hierarchy_figures.h"
#include "figures/mapping_figures.h"
#include "figures/npu_figures.h"
#include "figures/place_figures.h"
#include "figures/run_figures.h"
#include "figures/schedule_figures.h"
#include "figures/systolic_figures.h"
#include "mapping/report.h"
#include "oracle_reader.h"
#include "report/evaluation_json.h"
#include "rules/check.h"
#include "test_main.h"
#include "verbs/map.h"
#include "verbs/map_hierarchy.h"
#include "workload/problem_json.h"

#include <QTest>

#include <nlohmann/json.hpp>

namespace test_figures {

using namespace tilewright;
using namespace tilewright::figures;

namespace {

constexpr const char* kSamples = TILEWRIGHT_SOURCE_DIR "/samples/";

bool isClose(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

/// What is chosen or named by a number, and what the answer repeats of its input.
bool isNoFigure(const std::string& path)
{
    static const std::vector<std::string> kParts{".ops.",   ".retain.",           ".granularity.", ".tile.",
                                                 ".cores.", "native_granularity", "error.subgraph"};
    return std::ranges::any_of(kParts,
                               [&](const std::string& part) { return path.find(part) != std::string::npos; });
}

/// Asks for every number of an answer; returns the first that is no figure or differs, and counts the others.
QString askAll(const nlohmann::json& answer, const Figures& figures, int& asked)
{
    const nlohmann::json flat = answer.flatten();
    for (const auto& [pointer, value] : flat.items()) {
        if (!value.is_number())
            continue;
        std::string path = pointer.substr(1);
        std::ranges::replace(path, '/', '.');
        if (isNoFigure(path))
            continue;
        const auto figure = figures.find(path);
        if (!figure)
            return QString::fromStdString(path + ": " + figure.error().text());
        if (!isClose(figure->value.value, value.get<double>()) ||
            !isClose(figure->value.evaluate(), value.get<double>()))
            return QString::fromStdString(path + " is " + value.dump() + ", the tree has " +
                                          explanationText(figure->value) + " and evaluates to " +
                                          std::to_string(figure->value.evaluate()));
        if (figure->kind.title.empty() || figure->kind.meaning.empty())
            return QString::fromStdString(path + " has no title or meaning");
        ++asked;
    }
    return {};
}

/// False for schedules with ids that do not exist, which no file gives.
bool isReadable(const Problem& problem, const Schedule& schedule)
{
    for (std::size_t i = 0; i < schedule.size(); ++i)
        if (!checkFormat(problem, schedule[SubgraphId(i)], SubgraphId(i)).empty())
            return false;
    return true;
}

/// A leaf that is a figure has the value of that figure.
QString checkLinks(const ExplainedValue& value, const Figures& figures)
{
    if (const std::string_view address = figureOf(value); !address.empty()) {
        const auto figure = figures.find(address);
        if (!figure || !isClose(figure->value.value, value.value))
            return QString::fromStdString(std::string(address) + " is not " + std::to_string(value.value));
    }
    for (const ExplainedValue& part : value.parts)
        if (const QString fault = checkLinks(part, figures); !fault.isEmpty())
            return fault;
    return {};
}

} // namespace

class TestFigures : public QObject
{
    Q_OBJECT
private slots:
    void everyNumberOfEvaluate_data();
    void everyNumberOfEvaluate();
    void figuresOfAModelOnAMachine();
    void everyNumberOfNpu_data();
    void everyNumberOfNpu();
    void everyNumberOfRun_data();
    void everyNumberOfRun();
    void everyNumberOfPlace();
    void everyNumberOfSystolic_data();
    void everyNumberOfSystolic();
    void everyNumberOfAProduct_data();
    void everyNumberOfAProduct();
    void everyNumberOfAMethod_data();
    void everyNumberOfAMethod();
    void everyNumberOfAMappingOnLevels_data();
    void everyNumberOfAMappingOnLevels();
    void leavesNameOtherFigures();
    void anAddressIsReadByIndexAndName();
};

void TestFigures::everyNumberOfEvaluate_data()
{
    QTest::addColumn<bool>("seed");
    QTest::newRow("final") << false;
    QTest::newRow("seed") << true;
}

/// Of all oracle cases.
void TestFigures::everyNumberOfEvaluate()
{
    QFETCH(bool, seed);
    const Rules rules = seed ? Rules::seed() : Rules::final();
    int asked = 0, subgraphs = 0;
    for (const auto& [problem, schedule] : oracle::cases()) {
        if (!isReadable(*problem, schedule))
            continue;
        const auto snapshot = takeSnapshot(problem, schedule, rules, lowerBound(*problem, rules).value, 0);
        const auto answer = nlohmann::json::parse(evaluationJson(*snapshot, {}));
        const QString fault = askAll(answer, scheduleFigures(snapshot), asked);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
        subgraphs += static_cast<int>(schedule.size());
    }
    QVERIFY2(asked > 8 * subgraphs && subgraphs > 300, qPrintable(QString::number(asked)));
}

/// Rules, widths and energies of a machine.
void TestFigures::figuresOfAModelOnAMachine()
{
    for (const char* const name :
         {"models/llama-block.json", "models/small-conv.csv", "models/llama-decode-block.json"}) {
        ExplainCall call;
        call.workload.file = std::string(kSamples) + name;
        call.workload.machines = {"edge"};
        const auto on = verbs::readOnMachine(call.workload);
        QVERIFY(on);
        const Problem& problem = *(*on)->problem;
        const Rules rules = problem.rules();
        const auto snapshot = takeSnapshot((*on)->problem, oneOpPerSubgraph(problem, rules), rules,
                                           lowerBound(problem, rules).value, 0);
        QVERIFY(snapshot->evaluation.valid() && problem.hasEnergy());
        const Figures all = scheduleFigures(snapshot, *on);
        int asked = 0;
        QString fault = askAll(nlohmann::json::parse(evaluationJson(*snapshot, {})), all, asked);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
        QVERIFY(asked > 30);
        for (const std::string& address : all.addresses(3)) {
            const auto figure = all.find(address);
            QVERIFY(figure);
            QVERIFY2(isClose(figure->value.evaluate(), figure->value.value), address.c_str());
            fault = checkLinks(figure->value, all);
            QVERIFY2(fault.isEmpty(), qPrintable(fault));
        }
        const auto floor = all.find("floor");
        QVERIFY(floor && floor->value.size() > 10);
    }
}

void TestFigures::everyNumberOfNpu_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("machine");
    QTest::newRow("edge") << "models/llama-block.json"
                          << "edge";
    QTest::newRow("shared memory") << "models/small-conv.csv"
                                   << "a100";
    QTest::newRow("three banks") << "npu/kv_three_banks.json"
                                 << "";
}

void TestFigures::everyNumberOfNpu()
{
    QFETCH(QString, file);
    QFETCH(QString, machine);
    verbs::NpuCall call;
    call.workload.file = kSamples + file.toStdString();
    if (!machine.isEmpty())
        call.workload.machines = {machine.toStdString()};
    QVERIFY(verbs::readFiles(call));
    const auto answer = verbs::runNpu(call, {}, {});
    QVERIFY2(answer && answer->run, "no run");
    const Figures all = npuFigures(subjectOf(*answer));
    int asked = 0;
    QString fault = askAll(nlohmann::json::parse(verbs::npuJson(*answer)), all, asked);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
    QVERIFY(asked > 40);
    for (const std::string& address : all.addresses(2)) {
        const auto figure = all.find(address);
        QVERIFY(figure);
        fault = checkLinks(figure->value, all);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
}

void TestFigures::everyNumberOfRun_data()
{
    QTest::addColumn<QString>("cores");
    QTest::newRow("one core") << "1";
    QTest::newRow("four cores") << "4";
}

void TestFigures::everyNumberOfRun()
{
    QFETCH(QString, cores);
    verbs::RunCall call;
    call.workload.file = std::string(kSamples) + "models/llama-block.json";
    call.workload.machines = {"edge"};
    call.cores = cores.toInt();
    QVERIFY(verbs::readFiles(call.workload));
    auto model = verbs::putOnMachine(call.workload);
    QVERIFY(model);
    verbs::EvaluatedSchedule evaluated{(*model)->problem, {}, {}, {}};
    evaluated.rules.rules = Rules::machine();
    evaluated.loaded.schedule = oneOpPerSubgraph(*evaluated.problem, evaluated.rules.rules);
    evaluated.evaluation = evaluate(*evaluated.problem, evaluated.loaded.schedule, evaluated.rules.rules);
    const auto run = verbs::run(evaluated, call, model->get());
    QVERIFY2(run, run ? "" : run.error().text().c_str());
    const Figures all = runFigures(subjectOf(evaluated, std::make_shared<const ScheduleRun>(*run), "cycles"));
    int asked = 0;
    QString fault = askAll(nlohmann::json::parse(verbs::runJson(evaluated, *run, {})), all, asked);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
    QVERIFY(asked > 100);
    for (const std::string& address : all.addresses(2)) {
        const auto figure = all.find(address);
        QVERIFY(figure);
        fault = checkLinks(figure->value, all);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
}

void TestFigures::everyNumberOfPlace()
{
    verbs::EvaluatedSchedule evaluated;
    const auto text = readFile(std::string(kSamples) + "schedule/conv-net.json");
    QVERIFY(text);
    evaluated.problem = *tilewright::readProblem(*text, "conv-net.json");
    evaluated.rules.rules = Rules::machine();
    evaluated.loaded.schedule = oneOpPerSubgraph(*evaluated.problem, evaluated.rules.rules);
    evaluated.evaluation = evaluate(*evaluated.problem, evaluated.loaded.schedule, evaluated.rules.rules);
    QVERIFY(evaluated.evaluation.valid());
    const auto placed = verbs::placeItems(evaluated, {});
    QVERIFY2(placed, placed ? "" : placed.error().text().c_str());
    Buffers two{{"a", "b", "c"}, {{0, 4, 100, 0, 0}, {2, 6, 50, 0, 0}, {4, 8, 120, 0, 0}}};
    const auto buffers = verbs::placeBuffers(std::move(two), 200, {});
    QVERIFY(buffers);
    for (const verbs::PlaceAnswer& answer : {*placed, *buffers}) {
        const Figures all = placeFigures(std::make_shared<const verbs::PlaceAnswer>(answer));
        // Numbers of tensors, subgraphs and steps name something; they are no figures.
        auto document = nlohmann::json::parse(answer.json());
        for (auto& item : document["items"])
            for (const char* name : {"id", "tensor", "subgraph", "first_step", "last_subgraph", "last_step",
                                     "rows_columns", "takes_over"})
                item.erase(name);
        int asked = 0;
        QString fault = askAll(document, all, asked);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
        QVERIFY(asked > 15);
        for (const std::string& address : all.addresses(2)) {
            const auto figure = all.find(address);
            QVERIFY(figure);
            fault = checkLinks(figure->value, all);
            QVERIFY2(fault.isEmpty(), qPrintable(fault));
        }
    }
    const auto peak = placeFigures(std::make_shared<const verbs::PlaceAnswer>(*buffers)).find("peak");
    QVERIFY(peak && peak->value.parts.size() == 2); // b and c, 170
}

void TestFigures::everyNumberOfSystolic_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("machine");
    QTest::newRow("edge") << "models/llama-block.json"
                          << "edge";
    QTest::newRow("dot products") << "models/small-conv.csv"
                                  << "nvdla-full";
    QTest::newRow("several arrays") << "models/small-conv.csv"
                                    << "tpu-v4";
}

void TestFigures::everyNumberOfSystolic()
{
    QFETCH(QString, file);
    QFETCH(QString, machine);
    verbs::SystolicCall call;
    call.workload.file = kSamples + file.toStdString();
    call.workload.machines = {machine.toStdString()};
    QVERIFY(verbs::readFiles(call));
    const auto answer = verbs::systolicNetwork(call);
    QVERIFY2(answer, "no table");
    const Figures all = systolicFigures(std::make_shared<const verbs::NetworkAnswer>(*answer));
    int asked = 0;
    QString fault = askAll(nlohmann::json::parse(verbs::systolicJson(*answer)), all, asked);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
    QVERIFY(asked > 40);
    for (const std::string& address : all.addresses(2)) {
        const auto figure = all.find(address);
        QVERIFY(figure);
        fault = checkLinks(figure->value, all);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
}

void TestFigures::everyNumberOfAProduct_data()
{
    QTest::addColumn<QString>("gemm");
    QTest::addColumn<QString>("dataflow");
    QTest::addColumn<QString>("tile");
    QTest::addColumn<bool>("stalls");
    QTest::newRow("os") << "100x37x250"
                        << "os"
                        << "" << false;
    QTest::newRow("ws, with a tile") << "100x37x250"
                                     << "ws"
                                     << "64x32x50" << false;
    QTest::newRow("is") << "3x700x9"
                        << "is"
                        << "" << false;
    QTest::newRow("stalls") << "64x64x64"
                            << "os"
                            << "" << true;
}

void TestFigures::everyNumberOfAProduct()
{
    QFETCH(QString, gemm);
    QFETCH(QString, dataflow);
    QFETCH(QString, tile);
    QFETCH(bool, stalls);
    verbs::SystolicCall call;
    call.gemm = gemm.toStdString();
    call.array = "32x8";
    call.dataflow = dataflow.toStdString();
    call.tile = tile.toStdString();
    if (stalls)
        call.supply.westPerCycle = 4;
    const auto answer = verbs::systolicProduct(call);
    QVERIFY2(answer, "no answer");
    const Figures all = productFigures(std::make_shared<const verbs::SystolicAnswer>(*answer));
    int asked = 0;
    QString fault = askAll(nlohmann::json::parse(verbs::systolicJson(*answer)), all, asked);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
    QVERIFY2(asked > 80, qPrintable(QString::number(asked)));
    for (const std::string& address : all.addresses()) {
        const auto figure = all.find(address);
        QVERIFY(figure);
        QVERIFY2(isClose(figure->value.evaluate(), figure->value.value), address.c_str());
        fault = checkLinks(figure->value, all);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
}

void TestFigures::everyNumberOfAMethod_data()
{
    QTest::addColumn<QString>("layer");
    QTest::newRow("convolution") << "conv-3x3-64.json";
    QTest::newRow("product") << "gemm-1000.json";
}

/// Of the fastest method, as a file of it is answered.
void TestFigures::everyNumberOfAMethod()
{
    QFETCH(QString, layer);
    verbs::MapCall call;
    call.workload.file = std::string(kSamples) + "mapping/layers/" + layer.toStdString();
    call.quick = true;
    QVERIFY(verbs::readFiles(call));
    const auto read = verbs::readMapCall(call);
    QVERIFY(read);
    const auto& subject = std::get<verbs::MapSubject>(*read);
    const auto found = verbs::mapLayer(subject, call, {});
    QVERIFY(found && found->result.of(mapping::Objective::Edp));
    const mapping::Method& method = found->result.of(mapping::Objective::Edp)->method;
    const mapping::MappingCost cost = mapping::evaluate(subject.nest, subject.architecture, method);
    const Figures all = mappingFigures({subject.nest, cost, subject.architecture.energyPj.mac});
    nlohmann::json answer = nlohmann::json::parse(
        mapping::evaluationReport(subject.nest, method, cost, mapping::Objective::Edp, 0));
    for (const char* const chosen : {"method", "evaluated", "seconds"}) // no figures of the method
        answer.erase(chosen);
    int asked = 0;
    QString fault = askAll(answer, all, asked);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
    QVERIFY(asked > 40);
    for (const std::string& address : all.addresses()) {
        const auto figure = all.find(address);
        QVERIFY(figure);
        fault = checkLinks(figure->value, all);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
}

void TestFigures::everyNumberOfAMappingOnLevels_data()
{
    QTest::addColumn<QString>("layer");
    QTest::addColumn<bool>("waits");
    QTest::newRow("convolution") << "conv-3x3-64.json" << false;
    QTest::newRow("product") << "gemm-1000.json" << false;
    QTest::newRow("without double buffers") << "conv-3x3-64.json" << true;
}

/// Of the mapping that a quick search finds.
void TestFigures::everyNumberOfAMappingOnLevels()
{
    QFETCH(QString, layer);
    QFETCH(bool, waits);
    verbs::MapCall call;
    call.workload.file = std::string(kSamples) + "mapping/layers/" + layer.toStdString();
    call.architectureFile = std::string(kSamples) + "mapping/hierarchies/five-levels.json";
    call.quick = true;
    QVERIFY(verbs::readFiles(call));
    const auto read = verbs::readMapCall(call);
    QVERIFY(read && call.hierarchy);
    if (waits)
        for (hierarchy::Level& level : call.hierarchy->levels)
            level.doubleBuffered = false;
    const auto& subject = std::get<verbs::MapSubject>(*read);
    const auto found = verbs::mapLayerOnHierarchy(subject, call, {});
    QVERIFY(found.of(hierarchy::Objective::Edp));
    const hierarchy::Mapping& best = found.of(hierarchy::Objective::Edp)->mapping;
    const Figures all = hierarchyFigures(
        {subject.nest, *call.hierarchy, hierarchy::evaluate(subject.nest, *call.hierarchy, best)});
    nlohmann::json answer = nlohmann::json::parse(
        hierarchy::evaluationReport(subject.nest, *call.hierarchy, best, hierarchy::Objective::Edp, 0));
    for (const char* const chosen : {"mapping", "evaluated", "seconds"}) // no figures of the mapping
        answer.erase(chosen);
    QCOMPARE(answer["waiting"].get<double>() > 0, waits);
    int asked = 0;
    QString fault = askAll(answer, all, asked);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
    QVERIFY2(asked > 50, qPrintable(QString::number(asked)));
    for (const std::string& address : all.addresses()) {
        const auto figure = all.find(address);
        QVERIFY(figure);
        fault = checkLinks(figure->value, all);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
}

/// A figure is made of figures, down to what was given or counted.
void TestFigures::leavesNameOtherFigures()
{
    for (const auto& [problem, schedule] : oracle::cases()) {
        const Rules rules = Rules::final();
        if (!isReadable(*problem, schedule))
            continue;
        const auto snapshot = takeSnapshot(problem, schedule, rules, lowerBound(*problem, rules).value, 0);
        const Figures all = scheduleFigures(snapshot);
        for (const std::string& address : all.addresses(2))
            if (const auto figure = all.find(address)) {
                const QString fault = checkLinks(figure->value, all);
                QVERIFY2(fault.isEmpty(), qPrintable(fault));
            }
    }
}

void TestFigures::anAddressIsReadByIndexAndName()
{
    ExplainCall call;
    call.workload.file = std::string(kSamples) + "schedule/conv-net.json";
    call.asked = {std::string(kSamples) + "schedule/conv-net.fused.schedule.json", "subgraph.1.latency"};
    const auto answer = explain(call);
    QVERIFY(answer && answer->figure);
    QCOMPARE(answer->figure->address, std::string("subgraphs.1.latency"));
    QCOMPARE(answer->figure->value.value, 7296.0);
    const Figures& all = answer->figures;
    // names of ops have dots
    QCOMPARE(all.find("op.block0.tap0.conv.latency")->address, std::string("ops.3.latency"));
    QCOMPARE(all.find("ops.3.latency")->value.value, 7296.0);
    QVERIFY(QString::fromStdString(all.find("subgraphs.99.latency").error().text())
                .contains(QLatin1String("99")));
    QVERIFY(QString::fromStdString(all.find("subgraphs.1.colour").error().text())
                .contains(QLatin1String("subgraphs.*.latency")));
    QVERIFY(!all.find("") && !all.find(".") && !all.find("subgraphs.") && !all.find("subgraphs..latency"));

    call.asked = {"/nowhere/s.json", "floor"};
    QVERIFY(!explain(call));
    call.asked = {"a", "b", "c"};
    QVERIFY(!explain(call));
}

TILEWRIGHT_TEST(TestFigures)

} // namespace test_figures
#include "test_figures.moc"
