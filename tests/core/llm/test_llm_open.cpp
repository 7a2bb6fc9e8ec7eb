// SPDX-License-Identifier: GPL-3.0-or-later
// A config.json opens wherever a model does, with its options (docs/rules/llm.md 5, 6).
#include "base/output_file.h"
#include "llm_files.h"
#include "lower/on_machine.h"
#include "model/file_kind.h"
#include "sweep/sweep.h"
#include "test_main.h"
#include "verbs/workload.h"

#include <QTemporaryDir>
#include <QTest>

namespace test_llm_open {

using namespace tilewright;
using namespace tilewright::llm;
using test_llm::publishedFile;

namespace {

verbs::WorkloadCall callOf(const std::string& name)
{
    verbs::WorkloadCall call;
    call.file = publishedFile(name);
    return call;
}

} // namespace

class TestLlmOpen : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theKindIsToldByContent();
    void theFileBesideIsReadWhenTheFirstIsOpened_data();
    void theFileBesideIsReadWhenTheFirstIsOpened();
    void sizesAreTheOptions();
    void optionsReachTheModel();
    void optionsAreRefusedForOtherFiles();
    void aPlanOfASweepHasThem();
};

void TestLlmOpen::theKindIsToldByContent()
{
    const auto text = readFile(publishedFile("llama-3.1-8b"));
    QVERIFY(text);
    QCOMPARE(*fileKindOf(*text, "x"), FileKind::Model);
    QVERIFY(isLanguageModel(*text));
    QVERIFY(isLanguageModel("// a comment: {\n" + *text));
    QVERIFY(!isLanguageModel(R"({"text_config": {"model_type": "llama"}})"));
    QVERIFY(!isLanguageModel(R"({"name": "\"model_type\":", "ops": []})"));
    const auto beside = fileKindOf(R"({"producer": {}, "quantization": {}})", "hf_quant_config.json");
    QVERIFY(!beside);
    QVERIFY(beside.error().message.find("open the config.json beside it") != std::string::npos);
}

void TestLlmOpen::theFileBesideIsReadWhenTheFirstIsOpened_data()
{
    QTest::addColumn<QString>("prefix");
    QTest::newRow("config.json") << QString();
    QTest::newRow("a name before it") << QStringLiteral("small.");
}

void TestLlmOpen::theFileBesideIsReadWhenTheFirstIsOpened()
{
    QFETCH(QString, prefix);
    const QTemporaryDir dir;
    const auto path = [&](const char* name) {
        return dir.filePath(prefix + QLatin1String(name)).toStdString();
    };
    const auto text = readFile(publishedFile("qwen3-8b"));
    QVERIFY(text);
    QVERIFY(writeFileAtomically(path("config.json"), *text));
    const auto alone = lower::loadWorkload(path("config.json"));
    QVERIFY(alone);
    QVERIFY(alone->language->config.quantisation.empty());
    QVERIFY(writeFileAtomically(path("hf_quant_config.json"),
                                R"({"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}})"));
    const auto both = lower::loadWorkload(path("config.json"));
    QVERIFY(both);
    QCOMPARE(both->language->config.quantisation, std::string("fp8"));
    QCOMPARE(both->language->config.kvBits, 8 * kBit);
    QVERIFY(writeFileAtomically(path("hf_quant_config.json"), "{"));
    const auto damaged = lower::loadWorkload(path("config.json"));
    QVERIFY(!damaged);
    QCOMPARE(damaged.error().file, path("hf_quant_config.json"));
}

void TestLlmOpen::sizesAreTheOptions()
{
    LlmOptions o;
    QVERIFY(dimensionsOf(o).empty());
    o.phase = LlmPhase::Decode;
    o.batch = 8;
    o.cached = 100;
    o.layers = kAllLayers;
    o.chips = 4;
    o.stages = 2;
    o.weightBits = 4 * kBit + 128;
    o.kvBits = 8 * kBit;
    const std::map<std::string, std::int64_t> sizes{
        {"phase", 2},  {"batch", 8},       {"cached", 100},         {"all_layers", 1}, {"chips", 4},
        {"stages", 2}, {"weight_bits", 4}, {"weight_1024ths", 128}, {"kv_bits", 8}};
    QVERIFY(dimensionsOf(o) == sizes);
    QVERIFY(*optionsOf(sizes) == o);
    for (const auto& [name, value] : std::map<std::string, std::int64_t>{{"phase", 4},
                                                                         {"batch", 0},
                                                                         {"chips", 0},
                                                                         {"stages", 0},
                                                                         {"sequence", 3},
                                                                         {"kv_bits", 65},
                                                                         {"kv_1024ths", 1024}}) {
        const auto wrong = optionsOf({{name, value}});
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().path, name);
    }
}

void TestLlmOpen::optionsReachTheModel()
{
    verbs::WorkloadCall call = callOf("deepseek-v2-lite");
    call.language.phase = "decode";
    call.language.batch = 4;
    call.language.cached = 64;
    call.language.kvBits = 8;
    call.language.layers = "3";
    call.language.chips = 2;
    call.language.stages = 3;
    QVERIFY(verbs::readFiles(call));
    const LlmOptions& o = call.workload->language->options;
    QVERIFY(o.phase == LlmPhase::Decode);
    QCOMPARE(o.batch, 4);
    QCOMPARE(o.keys(), 65);
    QCOMPARE(call.workload->language->ranges.size(), 3);
    QCOMPARE(call.workload->language->config.kvBits, 8 * kBit);
    QCOMPARE(o.chips, 2);
    QCOMPARE(o.stages, 3);
    const auto unlinked = verbs::putOnMachine(call); // edge
    QVERIFY(!unlinked);
    QVERIFY(unlinked.error().text().find("links.gb_per_s: ") != std::string::npos);
    call.machine = *machinePreset("tpu-v4");
    QVERIFY(verbs::putOnMachine(call));
    call.workload = nullptr;
    call.dims = {"batch=2", "phase=1"};
    const Status twice = verbs::readFiles(call);
    QVERIFY(!twice);
    QCOMPARE(twice.error().text(), std::string("--dim batch=2: the dimension has a value already"));
}

void TestLlmOpen::optionsAreRefusedForOtherFiles()
{
    verbs::WorkloadCall call;
    call.file = TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json";
    call.language.batch = 2;
    const Status read = verbs::readFiles(call);
    QVERIFY(!read);
    QCOMPARE(read.error().text(), call.file + ": --batch: needs the config.json of a language model");
}

void TestLlmOpen::aPlanOfASweepHasThem()
{
    const std::string plan = R"({"workload": ")" + publishedFile("gpt2") +
                             R"(", "machine": "edge", "lens": "schedule", "what": "bound",
        "dimensions": {"phase": 2, "cached": 100, "batch": 2},
        "axes": [{"name": "levels.external.gb_per_s", "values": [50, 100]}], "objectives": ["lower_bound"]})";
    const auto sweep = sweep::readSweep(plan, "plan.json");
    QVERIFY2(sweep, sweep ? "" : sweep.error().text().c_str());
    QCOMPARE(sweep->workloads.front().workload->language->options.keys(), 101);
}

TILEWRIGHT_TEST(TestLlmOpen)

} // namespace test_llm_open

#include "test_llm_open.moc"
