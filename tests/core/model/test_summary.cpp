// SPDX-License-Identifier: GPL-3.0-or-later
// The Summary: every figure evaluates to its value and is that of the lens itself, and no row is below the
// floor (docs/rules/real.md R19).
#include "drawn_cases.h"
#include "edit/fit.h"
#include "run/run.h"
#include "test_main.h"
#include "verbs/map.h"
#include "verbs/summary.h"
#include "verbs/systolic.h"

#include <QDir>
#include <QTest>

#include <cmath>

namespace test_summary {

using namespace tilewright;
using namespace tilewright::verbs;

namespace {

const QString kModels = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/");

std::vector<std::string> dimensionsOf(const QString& model)
{
    if (model == QLatin1String("gpt2-block.onnx"))
        return {"batch=1", "sequence=64"};
    return model == QLatin1String("branches.onnx") ? std::vector<std::string>{"rows=2"}
                                                   : std::vector<std::string>{};
}

/// The call for a sample; its subject is empty where the program reads no ONNX files.
SummaryCall callFor(const QString& model, const std::string& machine)
{
    SummaryCall call;
    call.workload.file = (kModels + model).toStdString();
    call.workload.machines = {machine};
    call.workload.dims = dimensionsOf(model);
    return call;
}

std::vector<SummarySubject> subjectsFor(SummaryCall& call)
{
    if (const Status s = readFiles(call); !s)
        return {};
    auto out = subjectsOf(call);
    if (!out)
        qFatal("%s", out.error().text().c_str());
    return *out;
}

void checkFigures(const SummaryRow& row)
{
    for (const SummaryColumn& column : summaryColumns()) {
        const auto& figure = row.of(column.figure);
        if (!figure)
            continue;
        QCOMPARE(figure->evaluate(), figure->value);
        QVERIFY(std::isfinite(figure->value));
        QVERIFY(!row.text(column.figure).empty());
    }
    for (const OperatorFigures& f : row.operators)
        QCOMPARE(f.cycles.evaluate(), f.cycles.value);
}

double of(const SummaryRow& row, SummaryFigure figure)
{
    return row.of(figure) ? row.of(figure)->value : std::nan("");
}

} // namespace

class TestSummary : public QObject
{
    Q_OBJECT
private slots:
    void rule_R19_noRowIsBelowTheFloor_data();
    void rule_R19_noRowIsBelowTheFloor();
    void rowsAreThoseOfTheLenses();
    void searchedRowsAreRunWhenAsked();
    void startSchedulesFit();
    void scheduleAsItStands();
    void severalMachinesAndModels();
    void tableOfSeveralHasRatios();
    void errorsAreSentencesOfTheirRow();
    void figuresThatNobodyModels();
};

void TestSummary::rule_R19_noRowIsBelowTheFloor_data()
{
    QTest::addColumn<QString>("model");
    for (const QString& file : QDir(kModels).entryList({"*.json", "*.onnx", "*.csv"}, QDir::Files))
        if (!test::kSanitized || file.startsWith("branches") || file.startsWith("small"))
            QTest::newRow(qPrintable(file)) << file;
}

void TestSummary::rule_R19_noRowIsBelowTheFloor()
{
    QFETCH(QString, model);
    // The searches of these take a minute and more on all presets together.
    const bool isLarge = model.startsWith("resnet") || model.startsWith("mobilenet") ||
                         model.startsWith("bert") || model.startsWith("gpt2") || model == "lstm.onnx";
    for (const MachinePreset& preset : machinePresets()) {
        SummaryCall call = callFor(model, std::string(preset.name));
        const auto subjects = subjectsFor(call);
        if (subjects.empty())
            QSKIP("built without the reader of ONNX files");
        SummarySubject subject = subjects.front();
        subject.solve = 0.1;
        const bool isChip = !subject.model->machine.sources.empty();
        for (const SummaryKind kind : kSummaryKinds) {
            const bool isSlow = kind == SummaryKind::Mapping || kind == SummaryKind::NpuSearched;
            if ((isLarge && (isChip || isSlow)) || (isChip && isSearched(kind)))
                continue;
            const SummaryRow row = summaryRow(subject, kind);
            const std::string what = std::string(titleOf(kind)) + " on " + std::string(preset.name);
            if (row.state == SummaryRow::State::Failed) { // 60 000 bytes are no two sets of operands
                QVERIFY2(preset.name == "contest" && lensOf(kind) == MachineLens::Npu,
                         (what + ": " + row.error).c_str());
                QVERIFY(QString::fromStdString(row.error).contains("bytes of SPM"));
                continue;
            }
            checkFigures(row);
            // Times of schedules are sums of quotients: rounding in the last digits.
            QVERIFY2(of(row, SummaryFigure::OfFloor) >= 1 - 1e-12,
                     (what + ": " + std::to_string(of(row, SummaryFigure::OfFloor))).c_str());
            QVERIFY2(of(row, SummaryFigure::OfLeastBytes) >= 1 - 1e-12,
                     (what + ": " + std::to_string(of(row, SummaryFigure::OfLeastBytes))).c_str());
            QVERIFY(of(row, SummaryFigure::OfPeak) <= 1 + 1e-12);
            QVERIFY(!row.binds.empty() && !row.how.empty());
        }
    }
}

void TestSummary::rowsAreThoseOfTheLenses()
{
    SummaryCall call = callFor("llama-block.json", "edge");
    const SummarySubject subject = subjectsFor(call).front();
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); };
    {
        const Problem& problem = *subject.model->problem;
        const Evaluation e = evaluate(problem, oneOpPerSubgraph(problem), problem.rules());
        const SummaryRow row = summaryRow(subject, SummaryKind::Schedule);
        QVERIFY(near(of(row, SummaryFigure::Cycles),
                     e.total * static_cast<double>(subject.model->lowered.timeUnit)));
        QVERIFY(near(of(row, SummaryFigure::Energy), e.energy));
        QCOMPARE(of(row, SummaryFigure::Cores), 1.0);
    }
    {
        const Problem& problem = *subject.model->problem;
        const auto run = runSchedule(problem, oneOpPerSubgraph(problem), problem.rules());
        QVERIFY(run.hasValue());
        const SummaryRow row = summaryRow(subject, SummaryKind::ScheduleRun);
        QVERIFY(near(of(row, SummaryFigure::Cycles),
                     run->end * static_cast<double>(subject.model->lowered.timeUnit)));
        QCOMPARE(of(row, SummaryFigure::DramBytes),
                 of(summaryRow(subject, SummaryKind::Schedule), SummaryFigure::DramBytes));
        QVERIFY(row.binds.ends_with("of the time"));
    }
    {
        NpuCall npu;
        npu.workload = subject.workload;
        const auto answer = runNpu(npu, {}, {});
        QVERIFY(answer.hasValue());
        const SummaryRow row = summaryRow(subject, SummaryKind::Npu);
        QCOMPARE(of(row, SummaryFigure::Cycles), static_cast<double>(answer->run->makespan));
        QCOMPARE(of(row, SummaryFigure::DramBytes), static_cast<double>(answer->run->dramBytes));
        QCOMPARE(of(row, SummaryFigure::Cores), 4.0);
        QCOMPARE(of(row, SummaryFigure::Milliseconds), of(row, SummaryFigure::Cycles) / 1e6);
        SummarySubject other = subject;
        other.cores = 2;
        npu.cores = 2;
        QCOMPARE(of(summaryRow(other, SummaryKind::Npu), SummaryFigure::Cycles),
                 static_cast<double>(runNpu(npu, {}, {})->run->makespan));
    }
    {
        SystolicCall systolic;
        systolic.workload = subject.workload;
        const auto answer = systolicNetwork(systolic);
        QVERIFY(answer.hasValue());
        const SummaryRow row = summaryRow(subject, SummaryKind::Systolic);
        QCOMPARE(of(row, SummaryFigure::Cycles), static_cast<double>(answer->table.total.boundCycles));
        QCOMPARE(of(row, SummaryFigure::DramBytes), static_cast<double>(answer->table.total.bytes[3]));
        QVERIFY(near(of(row, SummaryFigure::Energy), answer->table.total.energyPj));
    }
    {
        MapCall map;
        map.workload = subject.workload;
        const auto read = readMapCall(map);
        QVERIFY(read.hasValue());
        const auto answer = mapModel(std::get<MapModel>(*read), map, {});
        QVERIFY(answer.hasValue());
        const SummaryRow row = summaryRow(subject, SummaryKind::Mapping);
        const auto& totals = answer->totals[static_cast<std::size_t>(mapping::Objective::Edp)];
        QCOMPARE(of(row, SummaryFigure::Cycles), totals.cycles);
        QVERIFY(near(of(row, SummaryFigure::Energy), totals.energy));
    }
}

void TestSummary::searchedRowsAreRunWhenAsked()
{
    SummaryCall call = callFor("llama-decode-block.json", "edge");
    QVERIFY(readFiles(call));
    const auto states = [&] {
        std::string out;
        const auto answer = summaryOf(call);
        for (const SummaryRow& row : answer->summaries.front().rows)
            out += row.state == SummaryRow::State::NotRun ? "-" : "x";
        return out;
    };
    QCOMPARE(states(), std::string("xx-x-x-"));
    call.solve = 0.1;
    QCOMPARE(states(), std::string("xxxx-x-"));
    call.search = true;
    QCOMPARE(states(), std::string("xxxxxxx"));
    const auto answer = summaryOf(call);
    const std::vector<SummaryRow>& rows = answer->summaries.front().rows;
    const auto rowOf = [&](SummaryKind kind) -> const SummaryRow& {
        return rows[static_cast<std::size_t>(kind)];
    };
    QVERIFY(of(rowOf(SummaryKind::ScheduleSolved), SummaryFigure::Cycles) <=
            of(rowOf(SummaryKind::Schedule), SummaryFigure::Cycles));
    QVERIFY(of(rowOf(SummaryKind::NpuSearched), SummaryFigure::Cycles) <=
            of(rowOf(SummaryKind::Npu), SummaryFigure::Cycles));
    QVERIFY(rowOf(SummaryKind::ScheduleSolved).solved && !rowOf(SummaryKind::Schedule).solved);
    QCOMPARE(rowNotRun(SummaryKind::Mapping).text(SummaryFigure::Cycles), std::string("not run"));
    // A stop request leaves the rest as it is.
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = summaryOf(call, {stop.get_token(), {}});
    QVERIFY(stopped->interrupted);
    QCOMPARE(stopped->summaries.front().rows[0].state, SummaryRow::State::NotRun);
}

/// The tiles of a start schedule fit into fast memory, windows in the midst of padded images included.
void TestSummary::startSchedulesFit()
{
    for (const QString& model : {QStringLiteral("mobilenet-v2-96.json"), QStringLiteral("mobilenet-v2.onnx"),
                                 QStringLiteral("resnet-18.onnx")})
        for (const MachinePreset& preset : machinePresets()) {
            SummaryCall call = callFor(model, std::string(preset.name));
            for (const SummarySubject& subject : subjectsFor(call)) {
                const SummaryRow row = summaryRow(subject, SummaryKind::Schedule);
                QVERIFY2(row.state == SummaryRow::State::Done, row.error.c_str());
            }
        }
}

void TestSummary::scheduleAsItStands()
{
    SummaryCall call = callFor("llama-decode-block.json", "edge");
    const SummarySubject start = subjectsFor(call).front();
    const Problem& problem = *start.model->problem;
    Schedule schedule = oneOpPerSubgraph(problem);
    for (SubgraphPtr& s : schedule.subgraphs) { // half the rows of each tile
        Subgraph other = *s;
        other.granularity.w = std::max<std::int64_t>(1, other.granularity.w / 2);
        s = std::make_shared<const Subgraph>(std::move(other));
    }
    const auto text = writeSchedule(problem, schedule, {});
    QVERIFY(text.hasValue());
    call.schedule = "own.json";
    call.scheduleText = *text;
    const auto subjects = subjectsOf(call);
    QVERIFY2(subjects.hasValue(), subjects ? "" : subjects.error().text().c_str());
    const SummaryRow own = summaryRow(subjects->front(), SummaryKind::Schedule);
    QCOMPARE(own.error, std::string());
    QVERIFY(of(own, SummaryFigure::Cycles) >
            of(summaryRow(start, SummaryKind::Schedule), SummaryFigure::Cycles));
    QVERIFY(own.how.starts_with("the schedule as it stands"));
}

void TestSummary::severalMachinesAndModels()
{
    SummaryCall call = callFor("llama-block.json", "edge");
    call.workload.machines.emplace_back("server");
    call.beside = (kModels + "llama-decode-block.json").toStdString();
    QVERIFY(readFiles(call));
    const auto answer = summaryOf(call);
    QVERIFY(answer.hasValue());
    std::string names;
    for (const Summary& s : answer->summaries)
        names += s.model + " on " + s.machine + "; ";
    QCOMPARE(names,
             std::string("llama on edge; llama on server; llama-decode on edge; llama-decode on server; "));
    QCOMPARE(answer->summaries[1].floors.size(), std::size_t{2}); // one core, and the eight of the NPU lens
    QCOMPARE(answer->summaries[1].floors[1].cores, std::int64_t{8});
    const QString csv = QString::fromStdString(summaryCsv(answer->summaries));
    QCOMPARE(csv.count('\n'), 1 + 4 * (2 + 7));
    QVERIFY(
        csv.startsWith("model,machine,row,state,cycles,ms,of_floor,tops,of_peak,dram_bytes,of_least_bytes,"
                       "energy_pj,cores,binds,how,left_out,error\n"));
    const QString json = QString::fromStdString(summaryJson(answer->summaries, true));
    QVERIFY(json.contains(R"("state":"not_run")") && json.contains(R"("operation":"largest")"));
    QVERIFY(!QString::fromStdString(summaryJson(answer->summaries, false)).contains("operation"));
}

void TestSummary::tableOfSeveralHasRatios()
{
    SummaryCall call;
    call.workload.file = (kModels + "llama-decode-block.json").toStdString();
    call.workload.machines = {"edge", "server"};
    const auto subjects = subjectsFor(call);
    QCOMPARE(subjects.size(), std::size_t{2});
    const std::array summaries{quickSummary(subjects[0]), quickSummary(subjects[1])};
    const std::span one(summaries.data(), 1);
    QCOMPARE(summaryLines(one).size(), std::size_t{2 + 7});
    const std::vector<SummaryLine> lines = summaryLines(summaries);
    QCOMPARE(lines.size(), std::size_t{2 * (1 + 2 + 7)});
    const Table table = summaryTable(summaries);
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (const SummaryColumn& column : summaryColumns()) {
            const auto ratio = ratioOf(summaries, lines[i], column.figure);
            const auto at = static_cast<std::size_t>(column.figure);
            const std::string shown = table.shown(i, 1 + at);
            QCOMPARE(shown.find("(× ") != std::string::npos, ratio.has_value());
            if (!ratio)
                continue;
            QVERIFY(lines[i].summary == 1);
            const SummaryFigures& first = figuresOf(summaries, lines[i - 10]);
            QCOMPARE(*ratio * first[at]->value, figuresOf(summaries, lines[i])[at]->value);
        }
    // The floor on all cores is compared with that on all cores.
    const SummaryLine last{1, 1, {}};
    QCOMPARE(*ratioOf(summaries, last, SummaryFigure::Cores), 2.0);
    QVERIFY(!ratioOf(summaries, {1, {}, SummaryKind::Npu}, SummaryFigure::Cycles)); // not run
    const QString text = QString::fromStdString(summaryText(summaries));
    QCOMPARE(text.count('\n'), 1 + 20);
    QVERIFY(text.contains("\nCompared with llama-decode on server\t"));
}

void TestSummary::errorsAreSentencesOfTheirRow()
{
    SummaryCall call = callFor("llama-block.json", "edge");
    QVERIFY(readFiles(call));
    // Not even a row of a norm fits into a core.
    call.machines = {*withMachineField(call.machines.front(), "levels.l3.bytes", "256")};
    const auto answer = summaryOf(call);
    QVERIFY(answer.hasValue());
    QVERIFY(answer->failed());
    const std::vector<SummaryRow>& rows = answer->summaries.front().rows;
    const SummaryRow& npu = rows[static_cast<std::size_t>(SummaryKind::Npu)];
    QCOMPARE(npu.state, SummaryRow::State::Failed);
    QVERIFY(QString::fromStdString(npu.error).contains("bytes of SPM, but a core has"));
    QCOMPARE(npu.text(SummaryFigure::Cycles), std::string("error"));
    QCOMPARE(rows[static_cast<std::size_t>(SummaryKind::Systolic)].state, SummaryRow::State::Done);
    SummaryCall missing = callFor("no-such-model.json", "edge");
    QVERIFY(!readFiles(missing));
}

void TestSummary::figuresThatNobodyModels()
{
    // Elements of more than 64 bits have no width in bits, so the Schedule lens knows no energy.
    SummaryCall call = callFor("llama-block.json", "edge");
    QVERIFY(readFiles(call));
    call.machines = {*withMachineField(call.machines.front(), "element_bytes", "16")};
    const auto subjects = subjectsOf(call);
    QVERIFY(subjects.hasValue());
    const SummaryRow row = summaryRow(subjects->front(), SummaryKind::Schedule);
    QCOMPARE(row.state, SummaryRow::State::Done);
    QVERIFY(!row.of(SummaryFigure::Energy));
    QCOMPARE(row.text(SummaryFigure::Energy), std::string("not modelled"));
    QVERIFY(of(row, SummaryFigure::OfFloor) >= 1);
}

TILEWRIGHT_TEST(TestSummary)

} // namespace test_summary
#include "test_summary.moc"
