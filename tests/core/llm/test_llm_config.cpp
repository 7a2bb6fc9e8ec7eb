// SPDX-License-Identifier: GPL-3.0-or-later
// Configurations of language models: parameters, bytes of weights and of the cache (docs/rules/llm.md 1 to
// 5).
#include "llm/counts.h"
#include "llm/quantisation.h"
#include "llm_files.h"
#include "test_main.h"

#include <QDir>
#include <QTest>

namespace test_llm_config {

using namespace tilewright;
using namespace tilewright::llm;
using test_llm::published;
using test_llm::small;

class TestLlmConfig : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void parametersArePublishedCounts_data();
    void parametersArePublishedCounts();
    void activeParametersArePublishedCounts();
    void filesOfHuggingFaceAreReadOrRefusedByName_data();
    void filesOfHuggingFaceAreReadOrRefusedByName();
    void weightBytesAreThoseByHand();
    void cacheBytesAreThoseByHand();
    void windowsAreThoseOfTheFamily();
    void formatsHaveTheirBits_data();
    void formatsHaveTheirBits();
    void patternsNameModules();
    void layersThatDifferAreSeveralBlocks();
    void wrongFilesAreNamed_data();
    void wrongFilesAreNamed();
    void theFileBesideIsReadAndComparedWithTheFirst();
};

/// The counts that the authors of the models publish (docs/rules/llm.md 3).
void TestLlmConfig::parametersArePublishedCounts_data()
{
    QTest::addColumn<qint64>("count");
    const auto row = [](const char* name, qint64 count) { QTest::newRow(name) << count; };
    row("llama-2-7b", 6'738'415'616);
    row("llama-3.1-8b", 8'030'261'248);
    row("llama-3.1-70b", 70'553'706'496);
    row("llama-3.1-405b", 405'853'388'800);
    row("mistral-7b", 7'241'732'096);
    row("qwen2.5-7b", 7'615'616'512);
    row("qwen3-8b", 8'190'735'360);
    row("qwen3-30b-a3b", 30'532'122'624);
    row("qwen3-235b-a22b", 235'093'634'560);
    row("mixtral-8x7b", 46'702'792'704);
    row("qwen1.5-moe-a2.7b", 14'315'784'192);
    row("deepseek-v2-lite", 15'706'484'224);
    row("deepseek-v3", 671'026'419'200);
    row("gpt-oss-20b", 20'914'757'184);
    row("gemma-2-9b", 9'241'705'984);
    row("gemma-3-1b", 999'885'952);
    row("phi-3-mini", 3'821'079'552);
    row("phi-2", 2'779'683'840);
    row("gpt-j-6b", 6'050'882'784);
    row("gpt-neox-20b", 20'554'567'680);
    row("gpt2", 124'439'808);
    row("gpt2-large", 774'030'080);
    row("opt-125m", 125'239'296);
    row("bert-base", 109'482'240);
    row("vit-base", 86'567'656);
}

void TestLlmConfig::parametersArePublishedCounts()
{
    QFETCH(qint64, count);
    const LlmCounts counts = llmCounts(published(QTest::currentDataTag()));
    QCOMPARE(counts.total, count);
    std::int64_t sum = 0;
    for (const std::int64_t part : counts.parameters)
        sum += part;
    QCOMPARE(sum, count);
}

void TestLlmConfig::activeParametersArePublishedCounts()
{
    const auto active = [](const char* name) { return llmCounts(published(name)).active; };
    QCOMPARE(active("mixtral-8x7b"), 12'879'925'248);
    QCOMPARE(active("qwen3-30b-a3b") / 10'000'000, 335);              // 3.35 B
    QCOMPARE(active("qwen3-235b-a22b") / 10'000'000, 2219);           // 22.19 B
    QCOMPARE((active("deepseek-v3") + 5'000'000) / 10'000'000, 3755); // 37.55 B
    const std::int64_t embedding = std::int64_t{201'088} * 2880;
    QCOMPARE((active("gpt-oss-20b") - embedding + 5'000'000) / 10'000'000, 361); // 3.61 B without it
    QCOMPARE(active("llama-3.1-8b"), 8'030'261'248);
}

void TestLlmConfig::filesOfHuggingFaceAreReadOrRefusedByName_data()
{
    QTest::addColumn<QString>("like");    // our own configuration of the same model
    QTest::addColumn<QString>("missing"); // a word of the refusal
    const auto same = [](const char* file, const char* like = nullptr) {
        QTest::newRow(file) << QString::fromLatin1(like ? like : file) << QString();
    };
    for (const char* name : {"llama-2-7b", "llama-3.1-8b", "llama-3.1-405b", "qwen2.5-7b", "qwen3-8b",
                             "qwen3-30b-a3b", "mixtral-8x7b", "deepseek-v3", "gpt-oss-20b", "phi-2",
                             "gpt-j-6b", "gpt2", "gpt2-large", "opt-125m"})
        same(name);
    same("phi-3-mini-4k", "phi-3-mini");
    same("qwen3-235b-a22b-nvfp4", "qwen3-235b-a22b");
    same("vit-base-patch16-224", "vit-base");
    for (const char* name : {"deepseek-v3.2", "kimi-k2.5-int4", "qwen3-32b-fp8"})
        QTest::newRow(name) << QString() << QString();
    const auto refused = [](const char* file, const char* word) {
        QTest::newRow(file) << QString() << QString::fromLatin1(word);
    };
    refused("nemotron-h-56b", "ssm_state_size");
    refused("qwen3-next-80b-a3b", "linear attention");
    refused("gemma-4-26b-a4b", "attention_k_eq_v");
    refused("llama-4-scout", "interleave_moe_layer_step");
    refused("phi-mini-moe-instruct", "lm_head_bias");
}

void TestLlmConfig::filesOfHuggingFaceAreReadOrRefusedByName()
{
    QFETCH(QString, like);
    QFETCH(QString, missing);
    const QString path = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/../shared/models/hf/%1.config.json")
                             .arg(QString::fromLatin1(QTest::currentDataTag()));
    const auto text = readFile(path.toStdString());
    if (!text)
        QSKIP("the configurations of Hugging Face are not part of this source tree");
    const auto config = readLlmConfig(*text, "x.config.json");
    if (!missing.isEmpty()) {
        QVERIFY(!config);
        QVERIFY2(config.error().message.find(missing.toStdString()) != std::string::npos,
                 config.error().text().c_str());
        return;
    }
    QVERIFY2(config, config ? "" : config.error().text().c_str());
    const LlmCounts counts = llmCounts(*config);
    if (config->family == "gpt_oss") // names no type: its checkpoint has 13.76 GB
        QCOMPARE(counts.weightBytes, llmCounts(published("gpt-oss-20b")).weightBytes);
    if (!like.isEmpty())
        QCOMPARE(counts.total, llmCounts(published(like.toStdString())).total);
    else if (config->family == "kimi_k2") // layers as those of deepseek-v3, other counts: by hand
        QCOMPARE(counts.total, 1'026'408'232'448);
    else if (config->indexer) // those of deepseek-v3, and an indexer in each layer
        QCOMPARE(counts.total, 671'026'419'200 + 61 * (1536 * 8192 + 7168 * 128 + 7168 * 64 + 2 * 128));
    else
        QCOMPARE(counts.total, 32'762'123'264); // as its authors print it
}

void TestLlmConfig::weightBytesAreThoseByHand()
{
    QCOMPARE(llmCounts(published("llama-3.1-8b")).weightBytes, 2.0 * 8'030'261'248);
    // blocks of 128 x 128 share 4 bytes; embedding, head, norms, router and its correction have 2 bytes
    const double kept =
        2.0 * 129'280 * 7168 + 7168 + 61.0 * (2 * 7168 + 1536 + 512) + 58.0 * (256 * 7168 + 256);
    const double blocks = 671'026'419'200.0 - kept;
    QCOMPARE(llmCounts(published("deepseek-v3")).weightBytes, 2 * kept + blocks * (1 + 4.0 / 16384));
    // experts in blocks of 32 with a scale of 8 bits: 4.25; all else 16
    const double experts = 24.0 * 32 * (2880.0 * 5760 + 2880.0 * 2880);
    QCOMPARE(llmCounts(published("gpt-oss-20b")).weightBytes,
             2 * (20'914'757'184.0 - experts) + experts * 4.25 / 8);
}

void TestLlmConfig::cacheBytesAreThoseByHand()
{
    const auto bytes = [](const char* name) { return llmCounts(published(name)).kvBytesPerToken; };
    QCOMPARE(bytes("llama-3.1-8b"), 131'072.0); // 32 layers, 2 x 8 heads of 128, 2 bytes
    QCOMPARE(bytes("qwen2.5-7b"), 57'344.0);
    QCOMPARE(bytes("qwen3-30b-a3b"), 98'304.0);
    QCOMPARE(bytes("mixtral-8x7b"), 131'072.0);
    QCOMPARE(bytes("deepseek-v3"), 70'272.0); // 61 layers, 512 + 64, 2 bytes
    QCOMPARE(bytes("gpt2"), 36'864.0);
    QCOMPARE(bytes("phi-3-mini"), 393'216.0);
    QCOMPARE(bytes("bert-base"), 0.0);
    // 22 of 26 layers of gemma keep 512 tokens, every 6th keeps all
    QCOMPARE(kvBytes(published("gemma-3-1b"), 4096), 2.0 * 2 * 256 * (22 * 512 + 4 * 4096));
    QCOMPARE(kvBytes(published("llama-3.1-8b"), 4096), 4096 * 131'072.0);
}

void TestLlmConfig::windowsAreThoseOfTheFamily()
{
    const auto windows = [](const LlmConfig& config) {
        std::vector<std::int64_t> out;
        for (const LlmLayer& layer : config.layers)
            out.push_back(layer.window);
        return out;
    };
    using W = std::vector<std::int64_t>;
    QCOMPARE(windows(*small(R"(, "sliding_window": 64)", "mistral")), (W{64, 64, 64, 64}));
    QCOMPARE(windows(*small(R"(, "sliding_window": 64)", "qwen2")), (W{0, 0, 0, 0}));
    const std::string used = R"(, "sliding_window": 64, "use_sliding_window": true, "max_window_layers": 3)";
    QCOMPARE(windows(*small(used, "qwen2")), (W{0, 0, 0, 64}));
    QCOMPARE(windows(*small(R"(, "sliding_window": 64)", "gemma2")), (W{64, 0, 64, 0}));
    QCOMPARE(windows(*small(R"(, "sliding_window": 64, "sliding_window_pattern": 2)", "gemma3_text")),
             (W{64, 0, 64, 0}));
    QCOMPARE(windows(*small(R"(, "sliding_window": 64, "layer_types": ["full_attention",
        "sliding_attention", "sliding_attention", "full_attention"])",
                            "qwen3")),
             (W{0, 64, 64, 0}));
}

void TestLlmConfig::formatsHaveTheirBits_data()
{
    QTest::addColumn<QString>("quantisation");
    QTest::addColumn<double>("weight");
    QTest::addColumn<double>("activation");
    const auto row = [](const char* name, const char* text, double weight, double activation) {
        QTest::newRow(name) << QString::fromLatin1(text) << weight << activation;
    };
    row("gptq", R"("quant_method": "gptq", "bits": 4, "group_size": 128)", 4 + 20.0 / 128, 16);
    row("gptq, a row", R"("quant_method": "gptq", "bits": 4, "group_size": -1)",
        4 + 64 / 1024.0 + 16 / 1024.0, 16);
    row("gptq with an index", R"("quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": true)",
        4 + 20.0 / 128 + 32.0 / 256, 16);
    row("awq", R"("quant_method": "awq", "w_bit": 4, "q_group_size": 128)", 4 + 20.0 / 128, 16);
    row("awq without zero points",
        R"("quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": false)", 4 + 16.0 / 128, 16);
    row("fp8 in blocks",
        R"("quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic")",
        8 + 32.0 / 16384, 8.25);
    row("fp8", R"("quant_method": "fp8", "activation_scheme": "static")", 8, 8);
    row("nf4", R"("quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4")", 4.5,
        16);
    row("nf4, double",
        R"("quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true)",
        4 + 8.0 / 64 + 32.0 / 16384, 16);
    row("int8", R"("quant_method": "bitsandbytes", "load_in_8bit": true)", 8 + 32.0 / 256, 16);
    row("int4 in groups of 32", R"("quant_method": "compressed-tensors", "config_groups": {"group_0": {
        "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": true},
        "targets": ["Linear"]}})",
        4.5, 16);
    row("fp8 of compressed-tensors", R"("quant_method": "compressed-tensors", "config_groups": {"group_0": {
        "weights": {"num_bits": 8, "type": "float", "strategy": "tensor"},
        "input_activations": {"num_bits": 8, "type": "float", "strategy": "tensor"}, "targets": ["Linear"]}})",
        8, 8);
    row("modelopt fp8", R"("quant_algo": "FP8")", 8, 8);
    row("modelopt nvfp4", R"("quant_method": "modelopt", "quant_algo": "NVFP4", "group_size": 16)", 4.5, 4.5);
    row("of this matrix alone", R"("quant_algo": "MIXED_PRECISION", "quantized_layers": {
        "model.layers.0.self_attn.q_proj": {"quant_algo": "W4A8_AWQ", "group_size": 128}})",
        4 + 16.0 / 128, 8);
    row("kept by name", R"("quant_algo": "FP8", "exclude_modules": ["model.layers.*.self_attn"])", 16, 8);
    row("kept by expression", R"("quant_method": "fp8", "ignored_layers": ["re:.*q_proj"])", 16, 8);
}

void TestLlmConfig::formatsHaveTheirBits()
{
    QFETCH(QString, quantisation);
    QFETCH(double, weight);
    QFETCH(double, activation);
    const auto config = small(", \"quantization_config\": {" + quantisation.toStdString() + "}");
    QVERIFY2(config, config ? "" : config.error().text().c_str());
    QCOMPARE(static_cast<double>(config->layers[0].bits[0]) / kBit, weight); // 256 x 256: queries
    QCOMPARE(static_cast<double>(config->activationBits) / kBit, activation);
    QCOMPARE(config->headBits, 16 * kBit);
    QCOMPARE(config->embeddingBits, 16 * kBit);
}

void TestLlmConfig::patternsNameModules()
{
    const auto names = [](const char* pattern, const char* module) {
        const auto read = ModulePattern::of(pattern);
        return read && read->names(module);
    };
    const char* const gate = "model.layers.11.mlp.gate";
    QVERIFY(names("model.layers.11.mlp.gate", gate));
    QVERIFY(!names("model.layers.1.mlp.gate", gate));
    QVERIFY(!names("model.layers.1", gate));
    QVERIFY(names("gate", gate));
    QVERIFY(names("mlp", gate));
    QVERIFY(!names("gate", "model.layers.11.mlp.gate_proj"));
    QVERIFY(names("model.layers.*.mlp", gate));
    QVERIFY(names("*.gate", gate));
    QVERIFY(!names("lm_head", gate));
    QVERIFY(names("re:.*mlp\\.(gate|up)$", gate));
    QVERIFY(!names("re:mlp", gate)); // from the beginning
    for (const char* bad : {"re:(", "", "re:a{2}"})
        QVERIFY(!ModulePattern::of(bad));
    QVERIFY(!ModulePattern::of(std::string(600, 'a')));
    QVERIFY(!names("re:(a*)*b", std::string(200, 'a').c_str())); // in time that is linear in the name
}

void TestLlmConfig::layersThatDifferAreSeveralBlocks()
{
    const auto counts = [](const LlmConfig& config) {
        std::vector<std::int64_t> out;
        for (const LlmBlock& block : blocksOf(config))
            out.push_back(block.count);
        return out;
    };
    using C = std::vector<std::int64_t>;
    QCOMPARE(counts(published("llama-3.1-405b")), C{126});
    QCOMPARE(counts(published("deepseek-v3")), (C{3, 58})); // dense, with experts
    QCOMPARE(counts(published("gemma-3-1b")), (C{22, 4}));  // with a window, without
    QCOMPARE(counts(*small(R"(, "quantization_config": {"quant_method": "fp8",
        "modules_to_not_convert": ["model.layers.2"]})")),
             (C{3, 1}));
}

void TestLlmConfig::wrongFilesAreNamed_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("fields");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const char* type, const char* fields, const char* error) {
        QTest::newRow(name) << QString::fromLatin1(type) << QString::fromLatin1(fields)
                            << QString::fromLatin1(error);
    };
    row("a family that is not known", "rwkv", "", "the family \"rwkv\" is not known; to add it");
    row("a field that changes sizes", "llama", R"(, "num_local_experts": 8)",
        "num_local_experts: is not a field of the family llama");
    row("two types", "llama", R"(, "dtype": "float32")", "contradicts the other type, \"float32\"");
    row("a type", "llama", R"(, "text_config": {"model_type": "llama"})", "hidden_size is missing");
    row("heads", "llama", R"(, "num_key_value_heads": 3)",
        "num_key_value_heads: does not divide num_attention_heads");
    row("two names", "llama", R"(, "n_embd": 128)", "n_embd: contradicts hidden_size, which is 256");
    row("layers", "qwen3", R"(, "layer_types": ["full_attention"])", "layer_types: expected");
    row("kind of layer", "qwen3",
        R"(, "layer_types": ["full_attention", "mamba", "full_attention", "full_attention"])",
        "layer_types[1]: the kind of layer \"mamba\" is not known");
    row("experts", "mixtral", R"(, "num_local_experts": 4, "num_experts_per_tok": 5)",
        "num_experts_per_tok: is more than there are experts");
    row("format", "llama", R"(, "quantization_config": {"quant_method": "aqlm"})",
        "quantization_config: the format \"aqlm\" is not known; known are gptq");
    row("bits", "llama", R"(, "quantization_config": {"quant_method": "gptq"})",
        "quantization_config: the field bits is missing");
    row("pattern", "llama", R"(, "quantization_config": {"quant_method": "fp8", "ignored_layers": ["re:("]})",
        "quantization_config.ignored_layers[0]: expected a regular expression");
    row("norms after", "opt", R"(, "max_position_embeddings": 64, "do_layer_norm_before": false)",
        "do_layer_norm_before: only true is covered");
}

void TestLlmConfig::wrongFilesAreNamed()
{
    QFETCH(QString, type);
    QFETCH(QString, fields);
    QFETCH(QString, error);
    const auto config = small(fields.toStdString(), type.toStdString());
    QVERIFY(!config);
    const std::string text = config.error().text();
    QVERIFY2(text.starts_with("config.json: "), text.c_str());
    QVERIFY2(text.find(error.toStdString()) != std::string::npos, text.c_str());
}

void TestLlmConfig::theFileBesideIsReadAndComparedWithTheFirst()
{
    const char* const beside = R"({"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8",
        "group_size": 16, "exclude_modules": ["lm_head"]}})";
    const auto config = small("", "llama", beside);
    QVERIFY(config);
    QCOMPARE(config->layers[0].bits[0], 4 * kBit + kBit / 2);
    QCOMPARE(config->kvBits, 8 * kBit);
    QCOMPARE(config->quantisation, std::string("nvfp4"));
    QVERIFY(small(R"(, "quantization_config": {"quant_algo": "NVFP4"})", "llama", beside));
    const auto other = small(R"(, "quantization_config": {"quant_algo": "FP8"})", "llama", beside);
    QVERIFY(!other);
    QCOMPARE(other.error().text(),
             std::string("hf_quant_config.json: quantization: weights: 4 bits, but config.json says 8"));
}

TILEWRIGHT_TEST(TestLlmConfig)

} // namespace test_llm_config

#include "test_llm_config.moc"
