// SPDX-License-Identifier: GPL-3.0-or-later
// Values of files beside the figures of a model, operator by operator (docs/rules/validation.md 5).
#include "base/file.h"
#include "edit/fit.h"
#include "test_main.h"
#include "validation/measured_set.h"
#include "verbs/overlay.h"
#include "verbs/validate.h"

#include <QElapsedTimer>
#include <QTest>

#include <set>

namespace test_overlay {

using namespace tilewright;
using namespace tilewright::overlay;

namespace {

const std::string kFolder = TILEWRIGHT_SOURCE_DIR "/validation/";

NamedValues read(std::string_view text, const ReadOptions& options = {},
                 const std::string& file = "values.csv")
{
    auto values = readNamedValues(text, file, options);
    if (!values)
        qFatal("%s", values.error().text().c_str());
    return std::move(*values);
}

std::string fileText(const std::string& path)
{
    auto text = readFile(path);
    if (!text)
        qFatal("%s", text.error().text().c_str());
    return std::move(*text);
}

std::map<std::string, double> byName(const NamedValues& values)
{
    std::map<std::string, double> out;
    for (const NamedValue& v : values.values)
        out[v.name] = v.value;
    return out;
}

/// A chain of products with these names, on a machine.
lower::ModelOnMachinePtr chain(const std::vector<std::string>& names, const char* machine = "edge")
{
    model::ModelBuilder builder("chain");
    auto x = builder.input("x", {64, 64});
    for (const std::string& name : names)
        x = builder.linear(name, x, 64);
    auto workload = std::make_shared<lower::Workload>();
    workload->model = std::move(*std::move(builder).build());
    return *lower::putOnMachine(std::move(workload), *machinePreset(machine));
}

verbs::SummarySubject subjectOf(const lower::ModelOnMachinePtr& model)
{
    verbs::SummarySubject out;
    out.model = model;
    out.workload.workload = model->workload;
    out.workload.machine = model->machine;
    out.rules = model->problem->rules();
    return out;
}

/// "name: how" of each operator that is found, and "name - reason" of each value that is not.
QStringList found(const std::string& table, const std::vector<std::string>& operators)
{
    const auto model = chain(operators);
    const NamedValues values = read(table);
    const Matches matches = matchNames(values, *model);
    QStringList out;
    for (const Match& m : matches.matches)
        out << QString::fromStdString(model->model().operators[m.op].name + ": " +
                                      values.values[m.values.front()].name + " by " + m.text());
    for (const UnmatchedValue& v : matches.values)
        out << QString::fromStdString(values.values[v.value].name + " - " + v.reason);
    for (const OperatorId op : matches.operators)
        out << QString::fromStdString(model->model().operators[op].name + " has none");
    return out;
}

} // namespace

class TestOverlay : public QObject
{
    Q_OBJECT
private slots:
    void tables_5_1();
    void documents_5_1();
    void reportsOfOtherTools_5_1();
    void contentTellsTheForm_5_1();
    void rowsOfOneName_5_1();
    void badFilesAreOneSentence_data();
    void badFilesAreOneSentence();
    void aMillionRows();
    void namesAndEndings_5_2();
    void opsOfAnOperatorAreAdded_5_2();
    void positions_5_2();
    void operatorsOfOneSubgraphBelongTogether_5_3();
    void unitsAndLaunches_5_4();
    void unitsThatAreNone_5_4();
    void statisticsAreThoseOfValidate_5_5();
    void aFitFindsTheMachineOfTheValues_5_6();
    void setsOfValidation_data();
    void setsOfValidation();
};

void TestOverlay::tables_5_1()
{
    const NamedValues plain =
        read("# profiler X\nname, calls, total_us, avg us\na,1,30,3\n\"b, c\",2,40,4\nd,1,5,\n");
    QCOMPARE(plain.head.front(), std::string("profiler X"));
    QCOMPARE(plain.column.name, std::string("avg us"));
    QCOMPARE(byName(plain), (std::map<std::string, double>{{"a", 3e-3}, {"b, c", 4e-3}}));
    QCOMPARE(plain.leftOut, 1);
    QCOMPARE(plain.values[1].line, std::size_t{4});
    const NamedValues chosen = read("kernel;kind;ms\nx;a;1\ny;b;2\n", {"", "", "", {"kind=b"}});
    QCOMPARE(byName(chosen), (std::map<std::string, double>{{"y", 2}}));
    const NamedValues own = read("score\tlabel\n0.5\tx\n", {"score", "label", "", {}});
    QVERIFY(own.column.quantity == validation::Quantity::Plain);
    QCOMPARE(byName(own), (std::map<std::string, double>{{"x", 0.5}}));
    const NamedValues stated = read("op,t\nx,2\n", {"", "", "us", {}});
    QCOMPARE(byName(stated), (std::map<std::string, double>{{"x", 2e-3}}));
}

void TestOverlay::documents_5_1()
{
    QCOMPARE(byName(read(R"({"a": 1, "b": 2.5})")), (std::map<std::string, double>{{"a", 1}, {"b", 2.5}}));
    const NamedValues list = read(R"({"tool": "x", "layers": [{"name": "a", "us": 1500}, {"name": "b"}]})");
    QCOMPARE(byName(list), (std::map<std::string, double>{{"a", 1.5}}));
    QCOMPARE(list.leftOut, 1);
}

void TestOverlay::reportsOfOtherTools_5_1()
{
    const NamedValues scale = read("LayerID, Total Cycles (incl. prefetch), Total Cycles, Stall Cycles, "
                                   "Overall Util %,\n0, 12, 10.0, 1, 50, \n1, 22, 20.0, 2, 50, \n");
    QVERIFY(scale.form == Form::ScaleSim);
    QCOMPARE(byName(scale), (std::map<std::string, double>{{"0", 10}, {"1", 20}}));
    const char* const stats = "Buffer and Arithmetic Levels\nCycles               : 7\n\n"
                              "Summary Stats\n-------------\nGFLOPs (@1GHz): 14.2\nCycles: 1234\n"
                              "Energy: 3.45 uJ\n";
    const NamedValues cycles = read(stats, {}, "runs/conv1.stats.txt");
    QVERIFY(cycles.form == Form::TimeloopStats);
    QCOMPARE(byName(cycles), (std::map<std::string, double>{{"conv1", 1234}}));
    const NamedValues energy = read(stats, {"energy_uj", "", "", {}}, "runs/conv2/timeloop-model.stats.txt");
    QCOMPARE(byName(energy), (std::map<std::string, double>{{"conv2", 3.45e6}}));
    const NamedValues sheet =
        read(fileText(kFolder + "nvdla_resnet50.csv"), {"s_mac_cycles", "", "", {}, Repeated::Sum});
    QVERIFY(sheet.column.quantity == validation::Quantity::Cycles);
    QVERIFY(sheet.values.size() > 20);
}

void TestOverlay::contentTellsTheForm_5_1()
{
    for (const char* text : {"name,us\na,1\n", "layer\tcycles\nx\t1\n", "LayerID, Total Cycles, \n0, 1, \n",
                             R"({"a": 1})", R"([{"name": "a", "ms": 1}])", "Summary Stats\nCycles: 1\n"})
        QVERIFY2(isNamedValues(text), text);
    for (const char* text :
         {"", "M,N,K,us\n1,2,3,4\n", "a,b,c\n1,2,3\n", R"({"traceEvents": [{"name": "a", "ts": 1}]})",
          R"({"name": "m", "ops": []})", R"({"tensors": []})", "{", "\x89PNG"})
        QVERIFY2(!isNamedValues(text), text);
    QVERIFY(read("M,N,K,us\n1,2,3,4\n").form == Form::MeasuredSet);
}

void TestOverlay::rowsOfOneName_5_1()
{
    const char* const table = "name,us\na,1000\nb,5000\na,3000\n";
    const auto refused = readNamedValues(table, "t.csv");
    QVERIFY(!refused);
    QCOMPARE(refused.error().text(),
             std::string("t.csv: line 4: \"a\" is also the name of line 2; --repeated sum or mean joins such "
                         "rows"));
    QCOMPARE(byName(read(table, {"", "", "", {}, Repeated::Sum}))["a"], 4.0);
    QCOMPARE(byName(read(table, {"", "", "", {}, Repeated::Mean}))["a"], 2.0);
}

void TestOverlay::badFilesAreOneSentence_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const QByteArray& text, const char* sentence) {
        QTest::newRow(name) << text << QString::fromUtf8(sentence);
    };
    row("empty", "", "v: expected a line with the names of the columns");
    row("no column", "name,a,b\nx,1,2\n",
        "v: line 1: no column has a time or cycles, and none was named; the columns are name, a, b");
    row("no values", "name,us\nx,\n", "v: no row has a value and meets the conditions");
    row("NaN", "name,us\nx,nan\n", "v: line 2: us: expected a number from 0 to 1e18, got \"nan\"");
    row("infinite", "name,us\nx,inf\n", "v: line 2: us: expected a number from 0 to 1e18, got \"inf\"");
    row("1e308", "name,us\nx,1e308\n", "v: line 2: us: expected a number from 0 to 1e18, got \"1e308\"");
    row("negative", "name,us\nx,-1\n", "v: line 2: us: expected a number from 0 to 1e18, got \"-1\"");
    row("word", "name,us\nx,fast\n", "v: line 2: us: expected a number from 0 to 1e18, got \"fast\"");
    row("no name", "name,us\n,1\n", "v: line 2: the row has no name");
    row("broken JSON", "{\"a\": 1,\n \"b\" 2}", "v: not valid JSON at line 2, column 6");
    row("NaN in JSON", "{\"a\": NaN}", "v: not valid JSON at line 1, column 7");
    row("1e999 in JSON", "{\"a\": 1e999}", "v: not valid JSON (a number is too large");
    row("negative in JSON", "{\"a\": 1, \"b\": -2}",
        "v: entry 2: value: expected a number from 0 to 1e18, got \"-2\"");
    row("names in JSON", R"([{"name": "a", "us": 1}, {"name": "a", "us": 2}])",
        "v: entry 2: \"a\" is also the name of entry 1; --repeated sum or mean joins such rows");
    row("no list", R"({"a": {"b": 1}})",
        "v: expected numbers by name, or one list of objects with a name and numbers");
    row("mixed list", R"([{"name": "a", "us": 1}, 3])", "v: [1]: expected an object, got 3");
    row("UTF-16",
        QByteArray("\xff\xfe"
                   "n\0a\0",
                   6),
        "v: line 1: no column has a time or cycles");
    row("zip",
        QByteArray("PK\x03\x04"
                   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        "v: is a zip archive");
}

void TestOverlay::badFilesAreOneSentence()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, sentence);
    const auto values = readNamedValues(text.toStdString(), "v");
    QVERIFY(!values);
    const QString said = QString::fromStdString(values.error().text());
    QVERIFY2(said.startsWith(sentence), qPrintable(said));
    QVERIFY2(!said.contains(u'\n'), qPrintable(said));
}

void TestOverlay::aMillionRows()
{
    constexpr int kRows = 1'000'000;
    std::string text = "name,us\n";
    for (int i = 0; i < kRows; ++i)
        text.append("n").append(std::to_string(i)).append(",1\n");
    QElapsedTimer timer;
    timer.start();
    const NamedValues values = read(text);
    QCOMPARE(values.values.size(), std::size_t{kRows});
    const auto model = chain({"n1", "x/n2"});
    const Matches matches = matchNames(values, *model);
    QCOMPARE(matches.matches.size(), std::size_t{2});
    QCOMPARE(matches.values.size(), std::size_t{kRows - 2});
    QVERIFY2(timer.elapsed() < 8000, qPrintable(QString::number(timer.elapsed())));
}

void TestOverlay::namesAndEndings_5_2()
{
    QCOMPARE(found("name,us\na,1\nb,2\nd,3\n", {"a", "b", "c"}),
             (QStringList{"a: a by name", "b: b by name", "d - no operator has this name", "c has none"}));
    // the shortest ending that belongs to one operator
    QCOMPARE(
        found("name,us\nnet/s1/conv,1\nother.s2.conv,2\nconv,3\n", {"m/s1/conv", "m/s2/conv"}),
        (QStringList{"m/s1/conv: net/s1/conv by ending s1/conv", "m/s2/conv: other.s2.conv by ending s2/conv",
                     "conv - 2 operators have this ending"}));
    // two names with the ending of one operator: neither is taken
    QCOMPARE(found("name,us\nx/fc,1\ny/fc,2\n", {"z/fc"}),
             (QStringList{"x/fc - 2 names have the ending of z/fc", "y/fc - 2 names have the ending of z/fc",
                          "z/fc has none"}));
    // the exact name goes first
    QCOMPARE(found("name,us\nx/fc,1\nfc,2\n", {"fc"}),
             (QStringList{"fc: fc by name", "x/fc - no operator has this name"}));
    // a part of a word is no ending
    QCOMPARE(found("name,us\nv1,1\n", {"conv1"}),
             (QStringList{"v1 - no operator has this name", "conv1 has none"}));
}

void TestOverlay::opsOfAnOperatorAreAdded_5_2()
{
    const auto workload = lower::loadWorkload(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
    QVERIFY(workload);
    const auto model =
        *lower::putOnMachine(std::make_shared<lower::Workload>(*workload), *machinePreset("edge"));
    // an operator of several ops
    for (std::size_t i = 0; i < model->model().operators.size(); ++i) {
        const std::vector<OpId> ops = model->opsOf(OperatorId(i));
        if (ops.size() < 2)
            continue;
        std::string table = "name,cycles\n";
        double sum = 0;
        for (std::size_t k = 0; k < ops.size(); ++k) {
            table += model->problem->opName(ops[k]) + "," + std::to_string(100 + k) + "\n";
            sum += static_cast<double>(100 + k);
        }
        const auto ours = *verbs::operatorFigures(subjectOf(model), verbs::SummaryKind::Schedule);
        const Overlay o = *overlayOf(read(table), *model, ours, "schedule");
        QCOMPARE(o.comparison.rows.size(), std::size_t{1});
        QCOMPARE(o.comparison.rows[0].measured, sum);
        QCOMPARE(o.parts[0].operators, std::vector{OperatorId(i)});
        QCOMPARE(o.parts[0].how,
                 std::to_string(ops.size()) + " of its " + std::to_string(ops.size()) + " ops");
        QVERIFY(o.values.empty());
        return;
    }
    QFAIL("no operator has several ops");
}

void TestOverlay::positions_5_2()
{
    QCOMPARE(found("LayerID, Total Cycles, \n0, 1, \n2, 3, \n7, 1, \n", {"a", "b", "c"}),
             (QStringList{"a: 0 by position", "c: 2 by position", "7 - there is no product at this position",
                          "b has none"}));
}

void TestOverlay::operatorsOfOneSubgraphBelongTogether_5_3()
{
    const auto model = chain({"a", "b", "c"});
    const Problem& problem = *model->problem;
    Schedule schedule = oneOpPerSubgraph(problem);
    const Evaluation apart = evaluate(problem, schedule, problem.rules());
    QVERIFY(apart.valid());
    auto figures = figuresOf(*model, schedule, apart);
    QCOMPARE(figures.size(), problem.opCount());
    double sum = 0;
    for (const OurFigures& f : figures)
        sum += *f.cycles;
    QCOMPARE(sum, apart.total * static_cast<double>(model->lowered.timeUnit));
    // fused: one row, whose value is the sum of theirs
    verbs::SolveCall call;
    call.seconds = 0.2;
    const auto options = verbs::solveOptions(call, problem);
    QVERIFY(options);
    const auto solved = solve(problem, *options);
    QVERIFY(solved);
    const Evaluation fused = evaluate(problem, solved->schedule, problem.rules());
    figures = figuresOf(*model, solved->schedule, fused);
    const auto group =
        std::ranges::max_element(figures, {}, [](const OurFigures& f) { return f.operators.size(); });
    QVERIFY(group->operators.size() > 1);
    const Overlay all = *overlayOf(read("name,cycles\na,10\nb,20\nc,30\n"), *model, figures, "schedule");
    double measured = 0, predicted = 0;
    for (const validation::ComparedRow& row : all.comparison.rows) {
        QVERIFY(row.error.empty());
        measured += row.measured;
        predicted += row.predicted;
    }
    QCOMPARE(measured, 60.0);
    QCOMPARE(predicted, fused.total * static_cast<double>(model->lowered.timeUnit));
    QCOMPARE(all.rowOf(group->operators[0]), all.rowOf(group->operators[1]));
    // one of them without a value: no comparison
    const std::string first = model->model().operators[group->operators.front()].name;
    const Overlay part = *overlayOf(read("name,cycles\n" + first + ",10\n"), *model, figures, "schedule");
    QCOMPARE(part.comparison.rows.size(), std::size_t{1});
    QVERIFY(QString::fromStdString(part.comparison.rows[0].error).startsWith("runs together with "));
    QCOMPARE(part.comparison.agreement.rows, std::size_t{0});
}

void TestOverlay::unitsAndLaunches_5_4()
{
    const auto model = chain({"a"}, "a100");
    const std::vector<OurFigures> ours{{{OperatorId(0)}, 1.41e6, 500.0, 7e6}};
    const auto predicted = [&](const char* table, std::optional<Figure> figure = {}) {
        const Overlay o = *overlayOf(read(table), *model, ours, "schedule", figure);
        return o.comparison.rows.front().predicted;
    };
    QCOMPARE(predicted("name,cycles\na,1\n"), 1.41e6);
    const double launch = model->machine.launch.product / 1000;
    QVERIFY(launch > 0);
    QCOMPARE(predicted("name,us\na,1\n"), 1.41e6 / (model->machine.clockGhz * 1e6) + launch);
    QCOMPARE(predicted("name,bytes\na,1\n"), 500.0);
    QCOMPARE(predicted("name,energy_uj\na,1\n", Figure::Energy), 7e6);
    QCOMPARE(predicted("name,x\na,1\n"), 1.41e6);
    QCOMPARE(predicted("name,x\na,1\n", Figure::DramBytes), 500.0);
    const Overlay o = *overlayOf(read("name,cycles\na,470000\n"), *model, ours, "schedule");
    QCOMPARE(*shownValue(o.comparison.rows[0], Shown::Value), 470000.0);
    QCOMPARE(*shownValue(o.comparison.rows[0], Shown::Difference), 940000.0);
    QCOMPARE(*shownValue(o.comparison.rows[0], Shown::Ratio), 3.0);
}

void TestOverlay::unitsThatAreNone_5_4()
{
    const auto model = chain({"a"});
    const std::vector<OurFigures> ours{{{OperatorId(0)}, 1.0, {}, {}}};
    const auto refused = overlayOf(read("name,us\na,1\n"), *model, ours, "schedule", Figure::DramBytes);
    QVERIFY(!refused);
    QCOMPARE(
        refused.error().text(),
        std::string("values.csv: the column \"us\" is in ms, which is no unit of the figure dram_bytes"));
    const Overlay none = *overlayOf(read("name,bytes\na,1\n"), *model, ours, "schedule");
    QCOMPARE(none.comparison.rows[0].error, std::string("the lens does not state it"));
}

void TestOverlay::statisticsAreThoseOfValidate_5_5()
{
    const auto model = chain({"a", "b", "c", "d"});
    std::vector<OurFigures> ours;
    std::vector<validation::ComparedRow> rows;
    const double predicted[] = {10, 30, 20, 50}, measured[] = {12, 25, 22, 40};
    std::string table = "name,cycles\n";
    for (std::size_t i = 0; i < 4; ++i) {
        ours.push_back({{OperatorId(i)}, predicted[i], {}, {}});
        rows.push_back({"row", 1, measured[i], predicted[i], {}});
        table += std::string(1, static_cast<char>('a' + i)) + "," + std::to_string(measured[i]) + "\n";
    }
    const Overlay o = *overlayOf(read(table), *model, ours, "schedule");
    const validation::Agreement expected = validation::agreementOf(rows);
    QCOMPARE(o.comparison.agreement.pearson, expected.pearson);
    QCOMPARE(o.comparison.agreement.spearman, expected.spearman);
    QCOMPARE(o.comparison.agreement.error, expected.error);
    QCOMPARE(o.comparison.agreement.rows, std::size_t{4});
}

void TestOverlay::aFitFindsTheMachineOfTheValues_5_6()
{
    // what a machine with other rates predicts, as a table of values
    model::ModelBuilder builder("products");
    for (const std::int64_t size : {64, 256, 1024, 2048, 4096}) {
        const std::string name = "p" + std::to_string(size);
        builder.matmul(name, builder.input(name + ".a", {size, 512}),
                       builder.constant(name + ".b", {512, size}));
    }
    auto workload = std::make_shared<lower::Workload>();
    workload->model = std::move(*std::move(builder).build());
    const Machine before = *machinePreset("a100");
    Machine real = *withMachineField(before, "array.rates.16", "0.62");
    real = *withMachineField(real, "levels.external.gb_per_s", "1100");
    real = *withMachineField(real, "launch_us.product", "7");
    const auto subjectOn = [&](const Machine& machine) {
        return subjectOf(*lower::putOnMachine(workload, machine));
    };
    const verbs::SummarySubject there = subjectOn(real);
    const auto ours = *verbs::operatorFigures(there, verbs::SummaryKind::Schedule);
    std::string table = "name,ms\n";
    for (const OurFigures& f : ours) {
        const double ms = *f.cycles / (real.clockGhz * 1e6) + 0.007;
        table += there.model->model().operators[f.operators[0]].name + "," + std::to_string(ms) + "\n";
    }
    const verbs::SummarySubject here = subjectOn(before);
    const auto fit = verbs::fitOverlay(read(table), here, verbs::SummaryKind::Schedule);
    QVERIFY2(fit, fit ? "" : fit.error().text().c_str());
    QVERIFY(fit->before.error > 0.1);
    QVERIFY2(fit->after.error < 0.01, qPrintable(QString::number(fit->after.error)));
    QVERIFY(fit->fit.errorLeftOut < fit->before.error);
    const std::string machine = writeMachine(fit->machine);
    QVERIFY(machine.find("\"fitted\"") != std::string::npos);
    QVERIFY(machine.find("values.csv") != std::string::npos);
    // bytes are no times
    const auto refused = verbs::fitOverlay(read("name,bytes\np64,1\n"), here, verbs::SummaryKind::Schedule);
    QVERIFY(!refused);
    QVERIFY(QString::fromStdString(refused.error().text()).contains("has no times"));
}

void TestOverlay::setsOfValidation_data()
{
    QTest::addColumn<QString>("machine");
    QTest::addColumn<QString>("column");
    QTest::addColumn<QStringList>("where");
    QTest::addColumn<QString>("kind");
    const auto row = [](const char* file, const char* machine, const char* column = "",
                        const QStringList& where = {},
                        const char* kind = "") { QTest::newRow(file) << machine << column << where << kind; };
    row("eyeriss_alexnet.csv", "eyeriss");
    row("gemmini_firesim.csv", "gemmini-16");
    row("nvdla_resnet50.csv", "nvdla-full", "s_mac_cycles");
    row("nvdla_googlenet.csv", "nvdla-full", "n_mac_cycles");
    row("nvdla_alexnet.csv", "nvdla-full", "n_mac_cycles");
    row("tpu_v4_gemm.csv", "tpu-v4");
    row("n150_gemm.csv", "wormhole-n150", "", {"dtype=bfloat16", "fidelity=HiFi2"});
    row("a100_gemm.csv", "a100");
    row("a100_softmax.csv", "a100", "", {}, "softmax");
    row("a100_layernorm.csv", "a100", "", {}, "layer_norm");
    row("a100_gelu.csv", "a100", "", {}, "elementwise");
    row("h800_gemm.csv", "h100");
    row("h20_gemm.csv", "h100");
}

void TestOverlay::setsOfValidation()
{
    QFETCH(QString, machine);
    QFETCH(QString, column);
    QFETCH(QStringList, where);
    QFETCH(QString, kind);
    const std::string file = kFolder + QTest::currentDataTag();
    verbs::ValidateCall call;
    call.measurements = file;
    call.workload.machine = machinePreset(machine.toStdString());
    call.lens = kind.isEmpty() ? "systolic" : "schedule";
    call.measured = column.toStdString();
    call.operatorKind = kind.toStdString();
    for (const QString& w : where)
        call.where.push_back(w.toStdString());
    QVERIFY(readFiles(call));
    const auto set =
        validation::readMeasuredSet(call.text, file, {call.measured, call.operatorKind, call.where, 0});
    QVERIFY(set);
    const NamedValues values = read(call.text, {call.measured, "", "", call.where, Repeated::Mean}, file);
    // A model of all rows, with the names of the overlay; rows of one name are one operator.
    std::map<std::size_t, std::string> names;
    for (const NamedValue& v : values.values)
        names[v.line] = v.name;
    auto workload = std::make_shared<lower::Workload>();
    model::Model& all = workload->model;
    all.name = "set";
    for (const validation::MeasuredRow& row : set->rows) {
        if (!names.contains(row.line))
            continue;
        const std::size_t before = all.tensors.size();
        const std::string name = names[row.line];
        for (model::Tensor tensor : row.model.tensors) {
            tensor.name = name + "." + tensor.name;
            all.tensors.push_back(std::move(tensor));
        }
        for (model::Operator op : row.model.operators) {
            op.name = name;
            for (auto* ids : {&op.inputs, &op.outputs})
                for (ModelTensorId& t : *ids)
                    t = ModelTensorId(before + t.index());
            all.operators.push_back(std::move(op));
        }
    }
    const auto model = lower::putOnMachine(std::move(workload), *call.workload.machine);
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    const auto lens = kind.isEmpty() ? verbs::SummaryKind::Systolic : verbs::SummaryKind::Schedule;
    const auto ours = verbs::operatorFigures(subjectOf(*model), lens);
    QVERIFY2(ours, ours ? "" : ours.error().text().c_str());
    const auto o = overlayOf(values, **model, *ours, call.lens);
    QVERIFY2(o, o ? "" : o.error().text().c_str());
    QCOMPARE(o->comparison.rows.size(), values.values.size());
    QVERIFY(o->values.empty() && o->operators.empty());
    // Each figure of ours is the prediction of `validate` for the row alone.
    const auto alone = verbs::validate(call);
    QVERIFY(alone);
    std::map<std::size_t, double> predicted;
    for (const validation::ComparedRow& row : alone->rows)
        predicted[row.line] = row.predicted;
    // The Schedule lens rounds costs to units of time, which are those of the whole model.
    const double within = kind.isEmpty() ? 1e-9 : 0.01;
    for (const validation::ComparedRow& row : o->comparison.rows) {
        QVERIFY2(row.error.empty(), row.error.c_str());
        QVERIFY2(std::abs(row.predicted - predicted[row.line]) <= within * row.predicted,
                 qPrintable(QStringLiteral("line %1: %2, alone %3")
                                .arg(row.line)
                                .arg(row.predicted)
                                .arg(predicted[row.line])));
    }
    if (values.values.size() == alone->rows.size())
        QVERIFY(std::abs(o->comparison.agreement.error - alone->agreement.error) < within);
}

TILEWRIGHT_TEST(TestOverlay)

} // namespace test_overlay
#include "test_overlay.moc"
