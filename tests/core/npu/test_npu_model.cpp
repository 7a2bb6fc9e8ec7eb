// SPDX-License-Identifier: GPL-3.0-or-later
// NPU model and hardware files: round trip, defaults, and one clear sentence for each bad input
// (docs/rules/npu.md 8).
#include "base/file.h"
#include "invalid_files.h"
#include "model/file_kind.h"
#include "npu/generate.h"
#include "npu/graph.h"
#include "npu/model.h"
#include "test_main.h"

#include <QDir>
#include <QTest>

#include <map>

namespace test_npu_model {

using namespace tilewright;
using namespace tilewright::test;
using namespace tilewright::npu;

class TestNpuModel : public QObject
{
    Q_OBJECT

private slots:
    void samplesAreLegal();
    void explicitFormRoundTrips();
    void presetsRoundTrip();
    void defaultsAreThoseOfTheSpec();
    void explicitModelsAreKnownByTheirFields();
    void rule_8_badInputGetsOneSentence();
};

void TestNpuModel::samplesAreLegal()
{
    const QDir dir(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/npu"));
    const auto files = dir.entryList({QStringLiteral("*.json")});
    QVERIFY(files.size() >= 5);
    for (const QString& file : files) {
        const auto model = loadModel(dir.filePath(file).toStdString());
        QVERIFY2(model, model ? "" : model.error().text().c_str());
    }
}

/// A file with explicit tensors was taken for a general model, whatever its operators say.
void TestNpuModel::explicitModelsAreKnownByTheirFields()
{
    const auto kind = [](const std::string& ofOp, const std::string& ofFile = {}) {
        return *fileKindOf(
            R"({"name": "tile", )" + ofFile +
                R"("tensors": [{"name": "variant", "shape": [8, 8]}], "ops": [{"type": "matmul")" + ofOp +
                "}]}",
            "m.json");
    };
    QCOMPARE(kind(""), FileKind::Model);
    QCOMPARE(kind(R"(, "tile": {"m": 4})"), FileKind::NpuModel);
    QCOMPARE(kind(R"(, "variant": "flash")"), FileKind::NpuModel);
    QCOMPARE(kind("", R"("hardware": {"cores": 2}, )"), FileKind::NpuModel);
    QCOMPARE(kind(R"(, "name": "\"tile\":")"), FileKind::Model);
    QCOMPARE(*fileKind(TILEWRIGHT_SOURCE_DIR "/samples/npu/kv_three_banks.json"), FileKind::NpuModel);
}

void TestNpuModel::explicitFormRoundTrips()
{
    LlamaBlockOptions llama;
    llama.phase = LlamaPhase::Decode;
    llama.flash = true;
    for (const auto& made : {generateLlamaBlock(llama), generateBertBlock({}), generateConvNet({})}) {
        QVERIFY(made);
        const std::string text = modelToJson(*made);
        const auto read = parseModel(text, "again");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(modelToJson(*read), text);
        const auto a = buildGraph(*made, {});
        const auto b = buildGraph(*read, {});
        QVERIFY(a && b);
        QCOMPARE(a->nodes.size(), b->nodes.size());
        QVERIFY(a->deps.items == b->deps.items);
    }
}

void TestNpuModel::presetsRoundTrip()
{
    const QDir dir(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/npu_hardware"));
    for (const QString& file : dir.entryList({QStringLiteral("*.json")})) {
        const auto hw = loadHardware(dir.filePath(file).toStdString());
        QVERIFY2(hw, hw ? "" : hw.error().text().c_str());
        const auto again = parseHardware(hardwareToJson(*hw), "again");
        QVERIFY(again);
        QVERIFY(*again == *hw);
    }
}

void TestNpuModel::defaultsAreThoseOfTheSpec()
{
    const auto preset = loadHardware(TILEWRIGHT_SOURCE_DIR "/tests/data/npu_hardware/default.json");
    QVERIFY(preset);
    QVERIFY(*preset == NpuHardware{});
    const NpuHardware& hw = *preset;
    QCOMPARE(hw.cores, 4);
    QCOMPARE(hw.engineRows * hw.engineCols, std::int64_t{4096});
    QCOMPARE(hw.vectorLanes, std::int64_t{128});
    QCOMPARE(hw.spmBytes, std::int64_t{1048576});
    QCOMPARE(hw.dram.channels * hw.dram.banks, 64);
    QCOMPARE(hw.dram.bytesPerCycle, std::int64_t{16});
    QCOMPARE(hw.dram.burstBytes, std::int64_t{64});
    QCOMPARE(hw.dram.interleaveBytes, std::int64_t{256});
    QCOMPARE(hw.dram.rowBytes, std::int64_t{2048});
    QCOMPARE(hw.dram.rowHitCycles, Cycle{20});
    QCOMPARE(hw.dram.rowMissCycles, Cycle{60});
    QCOMPARE(hw.linkBytesPerCycle, std::int64_t{32});
    QCOMPARE(hw.trunkBytesPerCycle, std::int64_t{128});
}

void TestNpuModel::rule_8_badInputGetsOneSentence()
{
    // file -> what its sentence must name
    const std::map<std::string, std::string> wanted{
        {"negative_size", "tensors[0].shape[0]: expected an integer from 1"},
        {"zero_size", "tensors[0].shape[1]: expected an integer from 1"},
        {"rank_five", "tensors[0].shape: expected 1 to 4 dimensions, got 5"},
        {"missing_tensor", "ops[0].inputs[1]: the tensor \"weights\" is missing"},
        {"shape_mismatch", "ops[0]: matmul \"mm\": the shapes of \"a\" [8,8] and \"b\" [9,8] do not match"},
        {"output_shape", "must be [8,8]"},
        {"cyclic_graph", "the graph is cyclic"},
        {"two_writers", "\"c\" is already written by \"mm\""},
        {"burst_not_power_of_two", "hardware.dram.burst_bytes: 48 is not a power of two"},
        {"interleave_below_burst", "hardware.dram.interleave_bytes: must be a multiple of dram.burst_bytes"},
        {"no_cores", "hardware.cores: expected an integer from 1 to 1024, got 0"},
        {"node_larger_than_spm", "mm: MATMUL 0 needs 8 bytes of SPM, but a core has 7"},
        {"unknown_type",
         "ops[0].type: expected \"matmul\", \"conv2d\", \"attention\", \"softmax\", \"layer_norm\", "
         "\"rms_norm\", \"elementwise\", \"kv_append\", \"kv_load\" or \"view\", got the text \"matmull\""},
        {"unknown_field", "ops[0]: unknown field \"bias\""},
        {"negative_tile", "ops[0].tile.m: expected an integer from 1"},
        {"unknown_tile_field", "ops[0].tile: unknown field \"rows\""},
        {"one_input", "expected 2 inputs, got 1"},
        {"no_ops", "ops: the model has no operators"},
        {"no_tensors", "the field \"tensors\" is missing"},
        {"duplicate_name", "the tensor name \"a\" is used twice"},
        {"kv_range_outside", "the range [0,9) lies outside the cache of 8 tokens"},
        {"kernel_larger_than_input", "the kernel is larger than the padded input"},
        {"bad_generate",
         "generate: expected \"llama_block\", \"bert_block\" or \"conv_net\", got the text \"gpt\""},
        {"bad_heads", "heads: the hidden size 100 must be a multiple of the heads (3)"},
        {"not_json", "not valid JSON at line 1"},
        {"empty", "the file is empty"},
        {"too_many_nodes", "ops[0]: the model is cut into more than 50\u202f000 nodes; choose larger tiles"},
        {"too_many_rows", "ops[0]: the model is cut into more than 50\u202f000 nodes; choose larger tiles"},
        {"too_large", "shape: the tensor"},
    };
    checkInvalidFiles("invalid_npu", wanted, [](const std::string& path) {
        const auto model = loadModel(path);
        if (!model)
            return model.error().text();
        const auto graph = buildGraph(*model, model->hardware.value_or(NpuHardware{}), 50000);
        return graph ? std::string() : graph.error().text();
    });
}

TILEWRIGHT_TEST(TestNpuModel)

} // namespace test_npu_model
#include "test_npu_model.moc"
