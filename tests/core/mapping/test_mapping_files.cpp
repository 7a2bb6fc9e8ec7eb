// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "mapping/files.h"
#include "mapping/report.h"
#include "test_main.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <random>

namespace test_mapping_files {

using namespace tilewright;
using namespace tilewright::mapping;
using nlohmann::json;

namespace {

const std::string kSamples = TILEWRIGHT_SOURCE_DIR "/samples/mapping/";
const std::string kInvalid = TILEWRIGHT_SOURCE_DIR "/tests/data/invalid_mapping/";

std::string text(const std::string& path)
{
    return readFile(path).value();
}

LoopNest eightEight()
{
    Layer l;
    l.inChannels = l.outChannels = 8;
    l.height = l.width = 8;
    l.kernel = {3, 3};
    l.padding = 1;
    return makeNest(l).value();
}

} // namespace

class TestMappingFiles : public QObject
{
    Q_OBJECT

private slots:
    void rule_8_samplesRead();
    void rule_8_publishedMacs_data();
    void rule_8_publishedMacs();
    void rule_8_roundTrip();
    void rule_8_layerDefaults();
    void rule_8_outputSize();
    void rule_8_referenceModel();
    void rule_8_referenceArchitecture();
    void rule_8_architectureDefaults();
    void rule_8_methodJson();
    void rule_8_printedMethod();
    void rule_8_reportFields();
    void invalidFiles_data();
    void invalidFiles();
    void mutatedFilesNeverCrash();
    void tooLargeForTheArchitecture();
};

void TestMappingFiles::rule_8_samplesRead()
{
    int files = 0;
    for (const char* folder : {"layers", "models", "architectures"})
        for (const auto& entry : std::filesystem::directory_iterator(kSamples + folder)) {
            const std::string path = entry.path().string();
            ++files;
            if (std::string(folder) == "architectures") {
                QVERIFY2(readArchitecture(text(path), path), path.c_str());
                continue;
            }
            const auto layers = readLayers(text(path), path);
            QVERIFY2(layers, path.c_str());
            QCOMPARE(layers->isModel, std::string(folder) == "models");
        }
    QVERIFY(files >= 15);
    QCOMPARE(readArchitecture(text(kSamples + "architectures/default-256.json"), "")->energyPj,
             EnergyTable{});
}

void TestMappingFiles::rule_8_publishedMacs_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<double>("gigaMacs");
    QTest::newRow("ResNet-18") << "resnet-18" << 1.814;
    QTest::newRow("ResNet-50") << "resnet-50" << 4.089;
    QTest::newRow("VGG-16") << "vgg-16" << 15.470;
    QTest::newRow("MobileNetV2") << "mobilenet-v2" << 0.3008;
    // 12 layers of 384 x (4 x 768^2 + 2 x 768 x 3072) and 2 x 384^2 x 768
    QTest::newRow("BERT-base") << "bert-base" << 35.333;
    QTest::newRow("GPT block") << "gpt-2-xl-block" << 34.813;
}

void TestMappingFiles::rule_8_publishedMacs()
{
    QFETCH(QString, file);
    QFETCH(double, gigaMacs);
    const std::string path = kSamples + "models/" + file.toStdString() + ".json";
    double macs = 0;
    const Model model = readLayers(text(path), path)->model;
    for (const Layer& l : model.layers)
        macs += static_cast<double>(makeNest(l)->macs * l.count);
    QVERIFY2(std::abs(macs / 1e9 - gigaMacs) < 0.0006, std::to_string(macs).c_str());
}

void TestMappingFiles::rule_8_roundTrip()
{
    for (const char* name : {"mobilenet-v2", "bert-base"}) {
        const Model model = readLayers(text(kSamples + "models/" + name + ".json"), "f")->model;
        QCOMPARE(readLayers(writeModel(model), "g")->model, model);
        for (const Layer& l : model.layers)
            QCOMPARE(readLayers(writeLayer(l), "g")->model.layers[0], l);
    }
    const auto server = readArchitecture(text(kSamples + "architectures/server-1024.json"), "f");
    QCOMPARE(readArchitecture(writeArchitecture(*server), "g").value(), *server);
    const LoopNest nest = eightEight();
    Method m = trivialMethod(nest);
    m.spmOrder = {6, 5, 4, 3, 2, 1, 0};
    m.at(Level::Dram)[1] = 2;
    m.at(Level::Rf)[1] = 4;
    QCOMPARE(readMethod(writeMethod(nest, m), "f", nest).value(), m);
    QCOMPARE(readMethod(printMethod(nest, m), "f", nest).value(), m);
}

void TestMappingFiles::rule_8_layerDefaults()
{
    const auto l =
        readLayers(R"({"kind":"dwconv","in_channels":5,"height":4,"width":6,"kernel":[3,1]})", "f");
    QVERIFY(l);
    const Layer& layer = l->model.layers[0];
    QVERIFY(!l->isModel);
    QCOMPARE(layer.batch, 1);
    QCOMPARE(layer.stride, (std::array<std::int64_t, 2>{1, 1}));
    QCOMPARE(layer.padding, 0);
    QCOMPARE(layer.outChannels, 5);
    QCOMPARE(layer.kernel, (std::array<std::int64_t, 2>{3, 1}));
}

void TestMappingFiles::rule_8_outputSize()
{
    Layer l;
    l.height = 11;
    l.width = 8;
    l.kernel = {3, 2};
    l.stride = {3, 3};
    l.padding = 1;
    const LoopNest nest = makeNest(l).value();
    QCOMPARE(nest.trips[3], (11 + 2 - 3) / 3 + 1);
    QCOMPARE(nest.trips[4], (8 + 2 - 2) / 3 + 1);
}

void TestMappingFiles::rule_8_referenceModel()
{
    const auto m = readLayers(R"({"CONV":[
        {"name":"a","size_tensor_A":[2,64,58,58],"size_tensor_B":[128,64,3,3],"strides":[2,2],"instances":4},
        {"name":"b","size_tensor_A":[1,32,114,114],"size_tensor_B":[32,1,3,3],"strides":[1,1],"comment":"x"}],
      "GEMM":[{"name":"c","size_tensor_A":[107,768],"size_tensor_B":[768,2]}],
      "DW_CONV":[{"name":"d","size_tensor_A":[1,16,9,9],"size_tensor_B":[16,16,3,3],"strides":[1,1]}]})",
                              "f");
    QVERIFY(m);
    QVERIFY(m->isModel);
    QCOMPARE(m->model.layers.size(), std::size_t{4});
    const Layer& a = m->model.layers[0];
    QCOMPARE(a.kind, LayerKind::Conv);
    QCOMPARE(a.count, 4);
    QCOMPARE(makeNest(a)->trips, (Factors{2, 128, 64, 28, 28, 3, 3}));
    QCOMPARE(m->model.layers[1].kind, LayerKind::DwConv);
    QCOMPARE(makeNest(m->model.layers[1])->trips, (Factors{1, 1, 32, 112, 112, 3, 3}));
    const Layer& c = m->model.layers[2];
    QCOMPARE((std::array<std::int64_t, 3>{c.m, c.n, c.k}), (std::array<std::int64_t, 3>{107, 2, 768}));
    QCOMPARE(m->model.layers[3].kind, LayerKind::DwConv);
}

void TestMappingFiles::rule_8_referenceArchitecture()
{
    const auto a = readArchitecture(R"({"arch_details":{"pe_pipelined":true,"data_type_size_in_bytes":4,
        "dma_init_cycles":100,"dma_cycles_per_byte":0.5,"dma_frequency":1600,"dataflow_accel_frequency":200,
        "rf_energy":1,"communication_energy":3,"spm_energy":7,"dram_energy":150,"mac_energy":0.5},
        "arch_basic":{"CGRA_SIZE":64,"RF_SIZE":128,"TOTAL_BANKS_IN_SPM":8,"TOTAL_BYTES_IN_BANK":1024}})",
                                    "f");
    QVERIFY(a);
    QCOMPARE(a->pes, 64);
    QCOMPARE(a->rfBytes, 128);
    QCOMPARE(a->elementBytes, 4);
    QCOMPARE(a->spmBanks, 8);
    QCOMPARE(a->spmBankBytes, 1024);
    QCOMPARE(a->dmaInitCycles, 100.0);
    QCOMPARE(a->dmaMhz, 1600.0);
    QCOMPARE(a->arrayMhz, 200.0);
    QCOMPARE(a->energyPj, (EnergyTable{1, 3, 7, 150, 0.5}));
}

void TestMappingFiles::rule_8_architectureDefaults()
{
    const auto a = readArchitecture(R"({"pes": 16, "energy_pj": {"spm": 9}})", "f");
    QVERIFY(a);
    Architecture expected;
    expected.name.clear();
    expected.pes = 16;
    expected.energyPj.spm = 9;
    QCOMPARE(*a, expected);
}

void TestMappingFiles::rule_8_methodJson()
{
    // What `map --json` prints can be given back.
    const LoopNest nest = eightEight();
    const Method m = trivialMethod(nest);
    const std::string report = evaluationReport(nest, m, evaluate(nest, {}, m), Objective::Edp, 0);
    QCOMPARE(readMethod(report, "f", nest).value(), m);
}

void TestMappingFiles::rule_8_printedMethod()
{
    const std::string path = kSamples + "seed-method.txt";
    const Layer layer = readLayers(text(kSamples + "layers/conv-1x1-2048.json"), "f")->model.layers[0];
    const LoopNest nest = makeNest(layer).value();
    const auto m = readMethod(text(path), path, nest);
    QVERIFY(m);
    QCOMPARE(m->at(Level::Dram), (Factors{1, 8, 16, 1, 1, 1, 1}));
    QCOMPARE(m->at(Level::Spatial), (Factors{1, 256, 1, 1, 1, 1, 1}));
    QCOMPARE(m->spmOrder, (LoopOrder{5, 0, 6, 4, 3, 1, 2}));
    QCOMPARE(evaluate(nest, {}, *m).cycles, 1659832);
}

void TestMappingFiles::rule_8_reportFields()
{
    const LoopNest nest = eightEight();
    const SearchResult r = search(nest, {}, {});
    const json s = json::parse(searchReport(nest, {}, r, Objective::Cycles));
    for (const char* key : {"objective",
                            "valid",
                            "error",
                            "method",
                            "cycles",
                            "energy",
                            "edp",
                            "evaluated",
                            "seconds",
                            "data",
                            "reuse",
                            "kept",
                            "spm_pass_cycles",
                            "spm_passes",
                            "rf_passes",
                            "rf_pass_cycles",
                            "reduction_cycles",
                            "dma",
                            "energy_parts",
                            "proven",
                            "space",
                            "visited",
                            "pareto"})
        QVERIFY2(s.contains(key), key);
    QCOMPARE(s["objective"].get<std::string>(), std::string("cycles"));
    QCOMPARE(s["cycles"].get<std::int64_t>(), r.of(Objective::Cycles)->cycles);
    QVERIFY(s["error"].is_null());
    QCOMPARE(s["data"]["rf"].size(), std::size_t{3});
    Method broken = trivialMethod(nest);
    broken.at(Level::Rf)[0] = 2;
    const json b = json::parse(evaluationReport(nest, broken, evaluate(nest, {}, broken), Objective::Edp, 0));
    QVERIFY(!b["valid"].get<bool>());
    QCOMPARE(b["error"].get<std::string>(), std::string("TILING"));
    QVERIFY(b["cycles"].is_null() && b["energy"].is_null() && b["edp"].is_null());
    Model model;
    model.layers = {Layer{}, Layer{}};
    model.layers[0].name = "with, comma";
    const ModelResult m = searchModel(model, {}, {}, false).value();
    const json j = json::parse(modelReport(m, Objective::Energy));
    QCOMPARE(j["layers"].size(), std::size_t{2});
    QCOMPARE(j["energy"].get<double>(), m.totals[0].energy);
    QVERIFY(modelCsv(m).find("\"with, comma\"") != std::string::npos);
}

void TestMappingFiles::invalidFiles_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* file, const char* sentence) { QTest::newRow(file) << file << sentence; };
    row("layer-zero-size.json", "height: expected an integer from 1 to 2^31, got 0");
    row("layer-negative-size.json", "in_channels: expected an integer from 1 to 2^31, got -3");
    row("layer-kernel-larger-than-input.json",
        "kernel[0]: the kernel height 11 is larger than the padded input height 10");
    row("layer-unknown-kind.json",
        "kind: expected \"conv\", \"dwconv\" or \"gemm\", got the text \"conv3d\"");
    row("layer-no-kind.json", "the field \"kind\" is missing");
    row("layer-missing-width.json", "the field \"width\" is missing");
    row("layer-kernel-not-a-pair.json", "kernel: expected a list of 2, got 3");
    row("layer-typo.json", "unknown field \"strid\"");
    row("layer-fraction.json", "stride: expected an integer from 1 to 2^31, got 1.5");
    row("layer-dwconv-channels.json",
        "out_channels: a dwconv layer has as many output as input channels (8), got 16");
    row("layer-too-large.json",
        "the layer has more than 1\u202f125\u202f899\u202f906\u202f842\u202f624 multiply-accumulates");
    row("layer-gemm-missing-k.json", "the field \"k\" is missing");
    row("layer-empty.json", "the file is empty");
    row("layer-truncated.json", "not valid JSON at line 1");
    row("layer-a-list.json", "expected an object, got a list of 2");
    row("model-empty.json", "the model has no layers");
    row("model-bad-second-layer.json",
        "layers[1].kernel[1]: the kernel width 99 is larger than the padded input width 10");
    row("model-reference-channels.json", "CONV[0]: size_tensor_A has 8 channels, size_tensor_B 3");
    row("model-reference-strides.json",
        "CONV[0]: different strides for rows and columns (1, 2) are not supported");
    row("model-reference-inner.json",
        "GEMM[0]: the inner sizes differ: size_tensor_A has 8 columns, size_tensor_B has 9 rows");
    row("arch-zero-pes.json", "pes: expected an integer from 1 to 16777216, got 0");
    row("arch-negative-energy.json", "energy_pj.dram: expected a number from 0 to 1000000000, got -1");
    row("arch-typo.json", "unknown field \"spm_bank\"; did you mean \"spm_banks\"?");
    row("arch-text.json", "dma_mhz: expected a number, got the text \"fast\"");
    row("method-wrong-length.json", "tiling.RF: expected a list of 7, got a list of 3");
    row("method-zero-factor.json", "tiling.RF[2]: expected an integer from 1 to 2^31, got 0");
    row("method-unknown-loop.json", "order.SPM[6]: unknown loop \"Fz\"");
    row("method-loop-twice.json", "order.DRAM[6]: loop \"Fx\" is named twice");
    row("method-no-order.json", "the field \"order\" is missing");
    row("method-printed-three-levels.txt",
        "expected four groups of tiling factors (DRAM, SPM, RF, SPATIAL), found 3");
    row("method-printed-one-order.txt", "expected two loop orders (DRAM, SPM), found 1");
    row("method-not-multiplying.json",
        "loop M: the factors 8 x 1 x 2 x 1 multiply to 16, not to the trip count 8");
}

void TestMappingFiles::invalidFiles()
{
    QFETCH(QString, file);
    QFETCH(QString, sentence);
    const std::string path = kInvalid + file.toStdString();
    std::string said;
    if (file.startsWith("method-")) {
        const auto m = readMethod(text(path), path, eightEight());
        if (m) {
            const auto violation = checkMethod(eightEight(), {}, *m);
            QVERIFY(violation);
            QCOMPARE(violation->message, sentence.toStdString());
            return;
        }
        said = m.error().text();
    } else if (file.startsWith("arch-")) {
        const auto a = readArchitecture(text(path), path);
        QVERIFY(!a);
        said = a.error().text();
    } else {
        const auto l = readLayers(text(path), path);
        QVERIFY(!l);
        said = l.error().text();
    }
    QVERIFY2(said.rfind(path + ": ", 0) == 0, said.c_str());
    QVERIFY2(said.find(sentence.toStdString()) != std::string::npos, said.c_str());
    QVERIFY2(said.find('\n') == std::string::npos, said.c_str());
}

void TestMappingFiles::mutatedFilesNeverCrash()
{
    std::mt19937 random(99);
    int accepted = 0;
    const LoopNest fixed = eightEight();
    for (const char* name : {"layers/depthwise-3x3-144.json", "layers/gemm-1000.json",
                             "architectures/edge-64.json", "seed-method.txt"}) {
        const std::string original = text(kSamples + name);
        for (int i = 0; i < 800; ++i) {
            std::string broken = original;
            for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
                const std::size_t at = random() % broken.size();
                switch (random() % 3) {
                case 0:
                    broken[at] = "0123456789-.[]{}\",:eE"[random() % 22];
                    break;
                case 1:
                    broken.erase(at, 1 + random() % 4);
                    break;
                default:
                    broken.insert(at, 1, broken[random() % broken.size()]);
                    break;
                }
                if (broken.empty())
                    broken = " ";
            }
            if (const auto m = readMethod(broken, "f", fixed))
                QVERIFY(checkMethod(fixed, {}, *m) || evaluate(fixed, {}, *m).valid());
            Architecture architecture;
            if (const auto a = readArchitecture(broken, "f"))
                architecture = *a;
            const auto layers = readLayers(broken, "f");
            if (!layers)
                continue;
            const LoopNest nest = makeNest(layers->model.layers[0]).value();
            if (!checkCountable(nest, architecture))
                continue;
            ++accepted;
            const MappingCost e = evaluate(nest, architecture, trivialMethod(nest));
            QVERIFY(e.hasNumbers && e.cycles > 0 && e.energy > 0);
        }
    }
    QVERIFY(accepted > 50);
}

void TestMappingFiles::tooLargeForTheArchitecture()
{
    Layer l;
    l.kind = LayerKind::Gemm;
    l.m = l.n = l.k = 90'000;
    const LoopNest nest = makeNest(l).value();
    QVERIFY(checkCountable(nest, {}));
    Architecture slow;
    slow.dmaInitCycles = 1e9;
    const Status s = checkCountable(nest, slow);
    QVERIFY(!s);
    QVERIFY(s.error().message.find("too large for this architecture") != std::string::npos);
}

TILEWRIGHT_TEST(TestMappingFiles)

} // namespace test_mapping_files
#include "test_mapping_files.moc"
