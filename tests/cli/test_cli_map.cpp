// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_run.h"
#include "drawn_cases.h"
#include "test_main.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <csignal>
#include <fstream>

namespace test_cli_map {

using json = nlohmann::ordered_json;
using namespace tilewright::test;

namespace {

const QString kRoot = QStringLiteral(TILEWRIGHT_SOURCE_DIR);
const QString kLayers = kRoot + "/samples/mapping/layers/";
const QString kInvalid = kRoot + "/tests/data/invalid_mapping/";

CliRun run(const QStringList& arguments)
{
    return runCli(QStringList{"map"} + arguments);
}

} // namespace

class TestCliMap : public QObject
{
    Q_OBJECT

private slots:
    void search_json();
    void search_text();
    void objectives_agree();
    void architecture_changesTheResult();
    void quick_saysSo();
    void timeloopConstraintsAreKept();
    void method_evaluates();
    void method_invalidIsTheAnswerNo();
    void output_canBeEvaluated();
    void document_isAWorkload();
    void document_saysThatItsArchitectureIsNotUsed();
    void layer_ofAModel();
    void layer_isNamedInTheRefusal();
    void model_table();
    void model_json();
    void badInput_oneSentence_data();
    void badInput_oneSentence();
    void noValidMethod_isTheAnswerNo();
    void interrupted_returnsTheBestSoFar();
    void seconds_endTheSearch();
    void seconds_belowZeroAreRefusedInASentence();
    void output_ofAModelHasAllMethods();
    void csv_ofALayerHasLevelsAndOperands();
    void count_ofALayerIsHonoured();
    void imperfect_settlesAndSaysWhatPaddingGives();
    void factor_isKept();
    void options_changeTheFigures();
    void bypass_isOfTheScratchpadAlone();
    void timeloop_exportComesBack();
    void timeloop_notesAndRefusals();

private:
    static QString layerFile(const QTemporaryDir& dir, const char* text)
    {
        QFile file(dir.filePath("own-layer.json"));
        if (!file.open(QIODevice::WriteOnly))
            return {};
        file.write(text);
        return file.fileName();
    }
};

void TestCliMap::search_json()
{
    const CliRun r = run({kLayers + "conv-1x1-2048.json", "--json", "--objective", "energy"});
    QCOMPARE(r.code, 0);
    QVERIFY(r.err.isEmpty());
    const json d = r.json();
    QVERIFY(d["proven"].get<bool>() && d["valid"].get<bool>());
    QCOMPARE(d["objective"].get<std::string>(), std::string("energy"));
    QCOMPARE(d["space"].get<std::int64_t>(), std::int64_t{1'281'280});
    QCOMPARE(d["visited"].get<std::int64_t>() + d["cut"].get<std::int64_t>() +
                 d["invalid"].get<std::int64_t>(),
             std::int64_t{1'281'280});
    QVERIFY(d["energy"].get<double>() <= 489178153.0);
    QCOMPARE(d["best"]["cycles"]["cycles"].get<std::int64_t>(), std::int64_t{1'123'328});
    double parts = 0;
    for (const auto& [name, value] : d["energy_parts"].items())
        parts += value.get<double>();
    QVERIFY(std::abs(parts - d["energy"].get<double>()) < 1e-3);
}

void TestCliMap::search_text()
{
    const CliRun r = run({kLayers + "gemm-1000.json"});
    QCOMPARE(r.code, 0);
    QVERIFY(r.out.contains("proven; 64\u202f000\u202f000 tilings"));
    QVERIFY(r.out.contains("['X', 'Y', 'K']") || r.out.contains("'K'"));
}

void TestCliMap::objectives_agree()
{
    std::array<json, 3> d;
    for (std::size_t i = 0; i < 3; ++i)
        d[i] = run({kLayers + "depthwise-3x3-144.json", "--json", "--threads", "1", "--objective",
                    QStringList{"energy", "cycles", "edp"}[static_cast<int>(i)]})
                   .json();
    QVERIFY(d[0]["energy"] <= d[1]["energy"] && d[0]["energy"] <= d[2]["energy"]);
    QVERIFY(d[1]["cycles"] <= d[0]["cycles"] && d[1]["cycles"] <= d[2]["cycles"]);
    QVERIFY(d[2]["edp"] <= d[0]["edp"] && d[2]["edp"] <= d[1]["edp"]);
}

void TestCliMap::architecture_changesTheResult()
{
    const QString arch = kRoot + "/samples/mapping/architectures/";
    const json own = run({kLayers + "gemm-1000.json", arch + "default-256.json", "--json"}).json();
    const json none = run({kLayers + "gemm-1000.json", "--json"}).json();
    const json edge = run({kLayers + "gemm-1000.json", arch + "edge-64.json", "--json"}).json();
    QVERIFY(own["edp"] == none["edp"]);
    QVERIFY(edge["cycles"] > own["cycles"]);
}

void TestCliMap::quick_saysSo()
{
    const json quick = run({kLayers + "conv-3x3-256.json", "--quick", "--json"}).json();
    const json whole = run({kLayers + "conv-3x3-256.json", "--json"}).json();
    QVERIFY(quick.contains("reductions") && !whole.contains("reductions"));
    QVERIFY(quick["edp"] >= whole["edp"]);
    const QString model = TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json";
    const CliRun layers = run({model, "--machine", "edge", "--quick"});
    QVERIFY2(layers.out.contains("in the reduced space"), layers.out.constData());
    QVERIFY(run({model, "--machine", "edge", "--quick", "--json"}).json()["layers"][0]["reduced"] == true);
}

void TestCliMap::method_evaluates()
{
    const QStringList arguments{kLayers + "conv-1x1-2048.json", "--method",
                                kRoot + "/samples/mapping/seed-method.txt"};
    const CliRun r = run(arguments + QStringList{"--json"});
    QCOMPARE(r.code, 0);
    const json d = r.json();
    QCOMPARE(d["cycles"].get<std::int64_t>(), std::int64_t{1'659'832});
    QCOMPARE(d["energy"].get<double>(), 594358312.96);
    QVERIFY(d["kept"] == json::array({"O"}));
    QCOMPARE(d["dma"]["W"]["cycles"].get<int>(), 12288);
    QCOMPARE(d["spm_pass_cycles"].get<int>(), 8192);
    QCOMPARE(d["spm_passes"].get<int>(), 128);
    QVERIFY(run(arguments).out.contains("1\u202f659\u202f832"));
}

void TestCliMap::method_invalidIsTheAnswerNo()
{
    QTemporaryDir dir;
    const QString layer = dir.filePath("layer.json");
    QFile file(layer);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        R"({"kind":"conv","in_channels":8,"out_channels":8,"height":8,"width":8,"kernel":[3,3],"padding":1})");
    file.close();
    const CliRun r = run({layer, "--method", kInvalid + "method-not-multiplying.json", "--json"});
    QCOMPARE(r.code, 1);
    QCOMPARE(r.json()["error"].get<std::string>(), std::string("TILING"));
    QVERIFY(r.json()["cycles"].is_null());
    QCOMPARE(r.err.count('\n'), 1);
    QVERIFY(r.err.contains("loop M: the factors 8 x 1 x 2 x 1 multiply to 16, not to the trip count 8"));
}

void TestCliMap::output_canBeEvaluated()
{
    QTemporaryDir dir;
    const QString method = dir.filePath("best.json");
    const json found = run({kLayers + "gemm-1000.json", "-o", method, "--json"}).json();
    const json again = run({kLayers + "gemm-1000.json", "--method", method, "--json"}).json();
    QVERIFY(again["cycles"] == found["cycles"]);
    QVERIFY(again["energy"] == found["energy"]);
    QVERIFY(again["method"] == found["method"]);
}

/// Writes the document that the window saves: a layer, 64 processing elements, a fixed factor, a method.
QString writeDocument(const QTemporaryDir& dir)
{
    const QString architecture = kRoot + "/samples/mapping/architectures/edge-64.json";
    const QString method = dir.filePath("best.json");
    if (run({kLayers + "gemm-1000.json", architecture, "--factor", "SPATIAL.X=8", "-o", method}).code != 0)
        return {};
    json document;
    for (const auto& [part, file] : {std::pair{"layer", kLayers + "gemm-1000.json"},
                                     {"architecture", architecture},
                                     {"method", method}}) {
        QFile in(file);
        if (!in.open(QIODevice::ReadOnly))
            return {};
        document[part] = json::parse(in.readAll().toStdString());
    }
    document["factors"] = {"SPATIAL.X=8"};
    QFile out(dir.filePath("gemm.mapping.json"));
    if (!out.open(QIODevice::WriteOnly))
        return {};
    out.write(QByteArray::fromStdString(document.dump()));
    return out.fileName();
}

void TestCliMap::document_isAWorkload()
{
    QTemporaryDir dir;
    const QString document = writeDocument(dir);
    const json of = run({document, "--json"}).json();
    const json by = run({kLayers + "gemm-1000.json", kRoot + "/samples/mapping/architectures/edge-64.json",
                         "--factor", "SPATIAL.X=8", "--json"})
                        .json();
    QVERIFY(by["best"]["edp"].is_object());
    QVERIFY(of["best"] == by["best"]);
    const json evaluated = run({document, "--method", document, "--json"}).json();
    QVERIFY(evaluated["cycles"] == by["best"]["edp"]["cycles"]);
}

void TestCliMap::document_saysThatItsArchitectureIsNotUsed()
{
    QTemporaryDir dir;
    const QString document = writeDocument(dir);
    const QByteArray said = "gemm.mapping.json: the architecture in this file is not used";
    for (const QStringList& arguments :
         {QStringList{document, "--machine", "edge", "--quick"},
          QStringList{kLayers + "gemm-1000.json", "--method", document, "--machine", "edge"}}) {
        const CliRun r = run(arguments);
        QVERIFY2(r.err.contains(said), qPrintable(r.err));
    }
    QVERIFY(!run({document, "--method", document}).err.contains(said));
}

void TestCliMap::layer_ofAModel()
{
    const QString model = kRoot + "/samples/models/resnet-18.onnx";
    const json one = run({model, "--machine", "edge", "--layer", "layer1.0.conv2", "--json"}).json();
    const json all = run({model, "--machine", "edge", "--json"}).json();
    const auto of = std::find_if(all["layers"].begin(), all["layers"].end(), [](const json& layer) {
        return layer["name"] == "layer1.0.conv1"; // the first of its shape
    });
    QVERIFY(of != all["layers"].end());
    QVERIFY2(one["best"]["edp"]["cycles"] == (*of)["best"]["edp"]["cycles"], of->dump().c_str());
}

void TestCliMap::layer_isNamedInTheRefusal()
{
    const QString model = kRoot + "/samples/mapping/models/resnet-18.json";
    const CliRun unknown = run({model, "--layer", "conv9"});
    QCOMPARE(unknown.code, 2);
    QVERIFY2(unknown.err.contains("conv9: no operator of this name is a layer; there are conv1, "),
             qPrintable(unknown.err));
    const CliRun several = run({model, "--factor", "RF.C<=8"});
    QCOMPARE(several.code, 2);
    QVERIFY2(several.err.contains("--layer selects one"), qPrintable(several.err));
    QCOMPARE(run({model, "--factor", "RF.C<=8", "--layer", "conv1", "--quick"}).code, 0);
}

void TestCliMap::model_table()
{
    QTemporaryDir dir;
    const CliRun r = run({kRoot + "/samples/mapping/models/resnet-18.json", "--csv", dir.filePath("t.csv")});
    QCOMPARE(r.code, 0);
    for (const char* text : {"conv2 3x3", "fc", "totals", "energy", "cycles", "edp"})
        QVERIFY2(r.out.contains(text), text);
    QVERIFY(!r.out.contains(" no "));
    QFile csv(dir.filePath("t.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QCOMPARE(csv.readAll().count('\n'), 1 + 3 * 12 + 3);
}

void TestCliMap::model_json()
{
    const json d =
        run({kRoot + "/samples/mapping/models/bert-base.json", "--json", "--objective", "cycles"}).json();
    QVERIFY(d["proven"].get<bool>());
    double cycles = 0;
    for (const json& l : d["layers"])
        cycles += l["count"].get<double>() * l["best"]["cycles"]["cycles"].get<double>();
    QCOMPARE(d["totals"]["cycles"]["cycles"].get<double>(), cycles);
    QCOMPARE(d["cycles"].get<double>(), cycles);
}

void TestCliMap::badInput_oneSentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("sentence");
    const QString good = kLayers + "gemm-1000.json";
    QTest::newRow("no such file") << QStringList{"/nowhere/layer.json"} << "/nowhere/layer.json";
    QTest::newRow("zero") << QStringList{kInvalid + "layer-zero-size.json"} << "height: expected";
    QTest::newRow("kernel") << QStringList{kInvalid + "layer-kernel-larger-than-input.json"} << "larger than";
    QTest::newRow("kind") << QStringList{kInvalid + "layer-unknown-kind.json"} << "got the text \"conv3d\"";
    QTest::newRow("architecture") << QStringList{good, kInvalid + "arch-zero-pes.json"} << "pes: expected";
    QTest::newRow("method") << QStringList{good, "--method", kInvalid + "method-no-order.json"}
                            << "tiling.DRAM";
    QTest::newRow("method of a model")
        << QStringList{kRoot + "/samples/mapping/models/bert-base.json", "--method", "x"} << "--method needs";
}

void TestCliMap::badInput_oneSentence()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, sentence);
    const CliRun r = run(arguments + QStringList{"--json"});
    QCOMPARE(r.code, 2);
    QVERIFY(r.out.isEmpty());
    QCOMPARE(r.err.count('\n'), 1);
    QVERIFY2(r.err.contains(sentence.toUtf8()), r.err.constData());
}

void TestCliMap::noValidMethod_isTheAnswerNo()
{
    QTemporaryDir dir;
    QFile file(dir.filePath("tiny.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"rf_bytes": 4})");
    file.close();
    const CliRun r = run({kLayers + "gemm-1000.json", file.fileName(), "--json"});
    QCOMPARE(r.code, 1);
    QVERIFY(r.json()["method"].is_null());
    QVERIFY2(r.err.contains("no valid method exists: rf "), r.err.constData());
}

void TestCliMap::interrupted_returnsTheBestSoFar()
{
    QTemporaryDir dir;
    QFile file(dir.filePath("huge.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        R"({"kind":"conv","batch":60,"in_channels":60,"out_channels":60,"height":65,"width":65,"kernel":[6,6]})");
    file.close();
    QProcess process;
    process.start(TILEWRIGHT_CLI, {"map", file.fileName(), "--json", "--progress"});
    // The first line of progress: the search is running.
    QVERIFY(process.waitForStarted());
    process.setReadChannel(QProcess::StandardError);
    QVERIFY(process.waitForReadyRead(60'000));
    QCOMPARE(kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
    const json d = json::parse(process.readAllStandardOutput().toStdString());
    QVERIFY(d["interrupted"].get<bool>() && !d["proven"].get<bool>());
    QVERIFY(d["valid"].get<bool>());
    QVERIFY(d["gap"]["edp"].get<double>() > 0);
}

void TestCliMap::seconds_endTheSearch()
{
    const CliRun r = run({kRoot + "/samples/mapping/models/vgg-16.json", "--json", "--seconds", "0.001"});
    QCOMPARE(r.code, 0);
    const json d = r.json();
    QVERIFY(!d["proven"].get<bool>() && d["valid"].get<bool>());
    QVERIFY(!d["interrupted"].get<bool>());
}

void TestCliMap::seconds_belowZeroAreRefusedInASentence()
{
    const CliRun r = run({kLayers + "gemm-1000.json", "--seconds", "-1"});
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.contains("--seconds: expected a number above 0, got \"-1\""), r.err.constData());
    QVERIFY(r.err.size() < 200);
}

void TestCliMap::output_ofAModelHasAllMethods()
{
    QTemporaryDir dir;
    const QString file = dir.filePath("methods.json");
    const CliRun r = run(
        {kRoot + "/samples/mapping/models/resnet-18.json", "-o", file, "--objective", "energy", "--json"});
    QCOMPARE(r.code, 0);
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const json d = json::parse(written.readAll().toStdString());
    QCOMPARE(d["objective"].get<std::string>(), std::string("energy"));
    QCOMPARE(d["layers"].size(), r.json()["layers"].size());
    for (std::size_t i = 0; i < d["layers"].size(); ++i)
        QVERIFY(d["layers"][i]["method"] == r.json()["layers"][i]["best"]["energy"]["method"]);
}

void TestCliMap::csv_ofALayerHasLevelsAndOperands()
{
    QTemporaryDir dir;
    const QString file = dir.filePath("t.csv");
    const json d = run({kLayers + "gemm-1000.json", "--csv", file, "--json"}).json();
    QFile csv(file);
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = csv.readAll().trimmed().split('\n');
    QCOMPARE(lines.size(), 4); // the names, then an optimum each
    const QList<QByteArray> names = lines[0].split(',');
    for (int row = 1; row < 4; ++row) {
        const QList<QByteArray> cells = lines[row].split(',');
        QCOMPARE(cells.size(), names.size());
        double energy = 0;
        qint64 cycles = 0;
        for (int i = 0; i < names.size(); ++i) {
            if (names[i].contains("_pj") && names[i] != "energy_pj")
                energy += cells[i].toDouble();
            if (names[i].startsWith("cycles_"))
                cycles += cells[i].toLongLong();
        }
        QCOMPARE(cycles, cells[names.indexOf("cycles")].toLongLong());
        QVERIFY(std::abs(energy / cells[names.indexOf("energy_pj")].toDouble() - 1) < 1e-9);
        const std::string objective = cells[names.indexOf("objective")].toStdString();
        QCOMPARE(d["best"][objective]["cycles"].get<qint64>(), cycles);
    }
    for (const char* name : {"dram_pj_weight", "rf_pj_output", "network_cycles_input", "dma_cycles_output"})
        QVERIFY2(names.contains(name), name);
}

void TestCliMap::count_ofALayerIsHonoured()
{
    QTemporaryDir dir;
    const QString layer = layerFile(dir, R"({"kind":"gemm","m":64,"n":64,"k":64,"count":3})");
    const json d = run({layer, "--json"}).json();
    QCOMPARE(d["count"].get<int>(), 3);
    QCOMPARE(d["total"]["cycles"].get<double>(), 3 * d["cycles"].get<double>());
    QVERIFY(run({layer}).out.contains("3 times in its model"));
}

void TestCliMap::imperfect_settlesAndSaysWhatPaddingGives()
{
    if (tilewright::test::kSanitized)
        QSKIP("takes minutes under a sanitizer");
    QTemporaryDir dir;
    const QString layer = layerFile(dir, R"({"kind":"gemm","m":101,"n":37,"k":53})");
    const CliRun plain = run({layer});
    QVERIFY2(plain.out.contains("padding X 101 to 104") || plain.out.contains("padding X 101 to 105"),
             plain.out.constData());
    const json before = run({layer, "--json"}).json();
    QVERIFY(before["padding"]["edp"].get<double>() < before["edp"].get<double>());
    QVERIFY2(plain.out.contains("imperfect factors (--imperfect) would give "), plain.out.constData());
    QVERIFY(before["imperfect"]["edp"].get<double>() < before["padding"]["edp"].get<double>());
    const json after = run({layer, "--imperfect", "--json"}).json();
    QVERIFY(after["proven"].get<bool>());
    QVERIFY(after["edp"].get<double>() < before["padding"]["edp"].get<double>());
    QVERIFY(!after.contains("imperfect"));
    // What was found can be evaluated again, with the option and not without it.
    const QString method = dir.filePath("m.json");
    QCOMPARE(run({layer, "--imperfect", "-o", method}).code, 0);
    QVERIFY(run({layer, "--imperfect", "--method", method, "--json"}).json()["cycles"] == after["cycles"]);
    QCOMPARE(run({layer, "--method", method}).code, 1);
}

void TestCliMap::factor_isKept()
{
    const CliRun r =
        run({kLayers + "gemm-1000.json", "--factor", "SPATIAL.X=8", "--factor", "RF.K<=4", "--json"});
    QCOMPARE(r.code, 0);
    const json d = r.json();
    QVERIFY(d["proven"].get<bool>());
    QCOMPARE(d["method"]["tiling"]["SPATIAL"][0].get<int>(), 8);
    QVERIFY(d["method"]["tiling"]["RF"][2].get<int>() <= 4);
    const CliRun wrong = run({kLayers + "gemm-1000.json", "--factor", "L7.X=8"});
    QCOMPARE(wrong.code, 2);
    QVERIFY2(wrong.err.contains("L7.X=8") && wrong.err.contains("SPATIAL"), wrong.err.constData());
}

void TestCliMap::options_changeTheFigures()
{
    const QString layer = kLayers + "gemm-1000.json";
    const json base = run({layer, "--json"}).json();
    QVERIFY(run({layer, "--overlapped", "--json"}).json()["best"]["cycles"]["cycles"] <
            base["best"]["cycles"]["cycles"]);
    QVERIFY(run({layer, "--reduction-tree", "--json"}).json()["best"]["cycles"]["cycles"] <=
            base["best"]["cycles"]["cycles"]);
    QVERIFY(run({layer, "--bypass", "B", "--json"}).json()["energy_by_operand"]["B"]["spm"] == 0);
    const CliRun both = run({layer, "--bypass", "B", "--imperfect", "--seconds", "2"});
    QCOMPARE(both.code, 0);
    QCOMPARE(run({layer, "--bypass", "Q"}).code, 2);
}

void TestCliMap::bypass_isOfTheScratchpadAlone()
{
    const QString layer = kLayers + "gemm-1000.json";
    QCOMPARE(run({layer, "--bypass", "SPM.B", "--json"}).json()["best"]["edp"],
             run({layer, "--bypass", "B", "--json"}).json()["best"]["edp"]);
    const CliRun registers = run({layer, "--bypass", "RF.B"});
    QCOMPARE(registers.code, 2);
    QVERIFY(registers.err.contains("a MAC reads its operands there"));
    const CliRun dram = run({layer, "--bypass", "DRAM.A"});
    QCOMPARE(dram.code, 2);
    QVERIFY(dram.err.contains("operands are stored there"));
}

void TestCliMap::timeloop_exportComesBack()
{
    QTemporaryDir dir;
    for (const char* name : {"gemm-1000.json", "conv-3x3-64.json", "depthwise-3x3-144.json"}) {
        const QString folder = dir.filePath("timeloop");
        const json found = run({kLayers + name, "--export", "timeloop", folder, "--json"}).json();
        const CliRun again = run({kLayers + name, "--method", folder + "/mapping.yaml", "--json"});
        QCOMPARE(again.code, 0);
        QVERIFY(again.json()["cycles"] == found["cycles"] && again.json()["energy"] == found["energy"]);
        for (const char* file : {"problem.yaml", "arch.yaml", "ert.yaml"})
            QVERIFY(QFile::exists(folder + "/" + file));
    }
}

void TestCliMap::timeloop_notesAndRefusals()
{
    QTemporaryDir dir;
    QFile file(dir.filePath("m.yaml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("mapping:\n  - {target: DRAM, type: temporal, factors: M0 N0 K0, permutation: KNM}\n"
               "  - {target: RF, type: temporal, factors: M=1, permutation: MNK}\n");
    file.close();
    const CliRun r = run({kLayers + "gemm-1000.json", "--method", file.fileName()});
    QCOMPARE(r.code, 0);
    QVERIFY(r.err.contains("permutation at RF is ignored"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("mapping:\n  - {target: DRAM, type: spatial, factors: M=4}\n");
    file.close();
    const CliRun refused = run({kLayers + "gemm-1000.json", "--method", file.fileName()});
    QCOMPARE(refused.code, 2);
    QVERIFY(refused.err.contains("spatial factors at DRAM"));
}

void TestCliMap::timeloopConstraintsAreKept()
{
    const QTemporaryDir dir;
    const QString file = dir.filePath("c.yaml");
    const auto write = [&](const char* text) { std::ofstream(file.toStdString()) << text; };
    write("constraints:\n"
          "  - {target: SPM, type: spatial, factors: M=8}\n"
          "  - {target: RF, type: temporal, factors: \"K<=4\"}\n"
          "  - {target: SPM, type: bypass, bypass: [B]}\n");
    const CliRun kept = run({kLayers + "gemm-1000.json", "--constraints", file, "--json"});
    QCOMPARE(kept.code, 0);
    const CliRun byHand = run({kLayers + "gemm-1000.json", "--factor", "SPATIAL.X=8", "--factor", "RF.K<=4",
                               "--bypass", "B", "--json"});
    const auto best = [](const CliRun& r) { return r.json()["method"].dump(); };
    QVERIFY(best(kept) == best(byHand) && best(kept) != "null");
    QVERIFY(best(kept) != best(run({kLayers + "gemm-1000.json", "--json"})));
    write("constraints: [{target: DRAM, type: temporal, permutation: MNK}]");
    const CliRun refused = run({kLayers + "gemm-1000.json", "--constraints", file});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("c.yaml: constraints[0].permutation: a fixed order of loops at DRAM"),
             refused.err.constData());
    QCOMPARE(run({kLayers + "gemm-1000.json", "--constraints", dir.filePath("none.yaml")}).code, 2);
}

TILEWRIGHT_TEST(TestCliMap)

} // namespace test_cli_map
#include "test_cli_map.moc"
