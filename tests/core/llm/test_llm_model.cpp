// SPDX-License-Identifier: GPL-3.0-or-later
// Operators of language models: multiply-accumulates are conserved in every phase (docs/rules/llm.md 6).
#include "llm/model.h"
#include "llm/work.h"
#include "llm_files.h"
#include "lower/on_machine.h"
#include "onnx/import.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>
#include <numeric>

namespace test_llm_model {

using namespace tilewright;
using namespace tilewright::llm;
using test_llm::published;
using test_llm::small;

namespace {

LlmOptions prefill(std::int64_t batch, std::int64_t prompt)
{
    LlmOptions o;
    o.batch = batch;
    o.prompt = prompt;
    return o;
}

LlmOptions decode(std::int64_t batch, std::int64_t cached, std::int64_t tokens = 1)
{
    LlmOptions o;
    o.phase = LlmPhase::Decode;
    o.batch = batch;
    o.cached = cached;
    o.tokens = tokens;
    return o;
}

LlmOptions chunked(std::int64_t batch, std::int64_t prompt, std::int64_t cached)
{
    LlmOptions o = decode(batch, cached, 0);
    o.phase = LlmPhase::Chunked;
    o.prompt = prompt;
    return o;
}

LlmModel build(const LlmConfig& config, const LlmOptions& options)
{
    auto out = llmModel(config, options);
    if (!out)
        qFatal("%s", out.error().text().c_str());
    return *out;
}

/// Multiply-accumulates of the whole model, each operator as often as it is there.
std::int64_t macsOf(const LlmModel& m)
{
    std::int64_t out = 0;
    for (std::size_t i = 0; i < m.model.operators.size(); ++i)
        out += m.countOf(OperatorId(i)) * model::macsOf(m.model, m.model.operators[OperatorId(i)]);
    return out;
}

/// Keys that the queries of one sequence are multiplied with in a layer, as stretches of a window cut them.
std::int64_t pairs(std::int64_t tokens, std::int64_t cached, std::int64_t window)
{
    if (window > 0)
        cached = std::min(cached, window - 1);
    if (window == 0 || tokens == 1 || cached + tokens <= window)
        return tokens * (cached + tokens);
    std::int64_t out = 0;
    for (std::int64_t from = 0; from < tokens; from += window) {
        const std::int64_t to = std::min(tokens, from + window);
        out += (to - from) * (cached + to - std::max<std::int64_t>(0, cached + from - window + 1));
    }
    return out;
}

/// The closed form of docs/rules/llm.md 6.4.
std::int64_t macsByHand(const LlmConfig& c, const LlmOptions& o)
{
    const std::int64_t tokens = o.computed(), all = o.batch * tokens;
    std::int64_t out = 0;
    for (const LlmLayer& layer : c.layers) {
        for (const LlmMatrix& m : matricesOf(c, layer)) {
            const std::int64_t met = m.count > 1 ? c.experts->perToken : 1;
            const bool fromCache = m.name == "attn.kv_b" && o.phase == LlmPhase::Chunked;
            out += m.rows * m.columns * met * (fromCache ? o.batch * o.keys() : all);
        }
        if (!c.latent) {
            out += o.batch * c.heads * 2 * c.headSize * pairs(tokens, o.cached, layer.window);
            continue;
        }
        const LlmLatent& l = *c.latent;
        const std::int64_t size =
            o.phase == LlmPhase::Decode ? 2 * l.cacheRank + l.rope : l.nope + l.rope + l.value;
        const std::int64_t keys = c.indexer ? std::min(c.indexer->keys, o.keys()) : o.keys();
        out += all * c.heads * size * keys;
        if (c.indexer)
            out += all * c.indexer->heads * o.keys() * (c.indexer->headSize + 1);
    }
    const std::int64_t ends = o.phase == LlmPhase::Decode ? all : o.batch;
    return out + (c.causal ? ends * c.vocabulary * c.hidden : 0);
}

} // namespace

class TestLlmModel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void multiplyAccumulatesAreConserved_data();
    void multiplyAccumulatesAreConserved();
    void aBlockHasTheProductsOfItsOnnxFile();
    void encodersHaveOnePhase();
    void equalLayersAreOneBlockTimesTheirNumber();
    void expertsAreThoseThatTokensReach();
    void rule_6_3_skewedExperts();
    void widthsAreThoseOfTheFileAndTheOptions();
    void everyFamilyIsLoweredToEveryLens_data();
    void everyFamilyIsLoweredToEveryLens();
    void wrongOptionsAreNamed_data();
    void wrongOptionsAreNamed();
};

void TestLlmModel::multiplyAccumulatesAreConserved_data()
{
    QTest::addColumn<int>("phase");
    for (const char* name :
         {"llama-3.1-8b", "mistral-7b", "qwen2.5-7b", "qwen3-30b-a3b", "mixtral-8x7b", "qwen1.5-moe-a2.7b",
          "deepseek-v2-lite", "deepseek-v3", "gpt-oss-20b", "gemma-3-1b", "phi-3-mini", "phi-2", "gpt-j-6b",
          "gpt-neox-20b", "gpt2", "opt-125m", "deepseek-v3.2"})
        for (const char* phase : {"prefill", "decode", "chunked"})
            QTest::addRow("%s, %s", name, phase) << (*phase == 'p' ? 0 : *phase == 'd' ? 1 : 2);
}

void TestLlmModel::multiplyAccumulatesAreConserved()
{
    QFETCH(int, phase);
    const std::string name =
        std::string(QTest::currentDataTag()).substr(0, std::string(QTest::currentDataTag()).find(','));
    LlmConfig config = published(name == "deepseek-v3.2" ? "deepseek-v3" : name);
    if (name == "deepseek-v3.2") {
        config.indexer = LlmIndexer{64, 128, 256};
        for (LlmLayer& layer : config.layers)
            layer.bits.assign(matricesOf(config, layer).size(), 16 * kBit);
    }
    const std::vector<LlmOptions> cases =
        phase == 0   ? std::vector{prefill(1, 700), prefill(3, 640), prefill(1, 1)}
        : phase == 1 ? std::vector{decode(1, 1000), decode(8, 511), decode(2, 700, 4)}
                     : std::vector{chunked(1, 300, 600), chunked(2, 40, 900)};
    for (const LlmOptions& options : cases) {
        const LlmModel m = build(config, options);
        QCOMPARE(macsOf(m), macsByHand(config, m.options));
        // all layers, one after the other, are as much work as one of each kind times their number
        if (config.layers.size() < 40 && options.batch == 1) {
            LlmOptions all = options;
            all.layers = kAllLayers;
            const LlmModel whole = build(config, all);
            QCOMPARE(model::macsOf(whole.model), macsOf(m));
            all.layers = 6; // every kind is among them
            QCOMPARE(macsOf(build(config, all)), macsOf(m));
        }
    }
}

void TestLlmModel::aBlockHasTheProductsOfItsOnnxFile()
{
    // samples/models/llama-block.onnx: 128 tokens, 512, 8 heads that share keys and values of 2, 1408
    const auto config = readLlmConfig(
        R"({"model_type": "llama", "hidden_size": 512, "num_hidden_layers": 1, "num_attention_heads": 8,
            "num_key_value_heads": 2, "intermediate_size": 1408, "vocab_size": 1000})",
        "config.json");
    QVERIFY(config);
    const LlmModel m = build(*config, prefill(1, 128));
    const std::int64_t head = 512 * 1000;
    QCOMPARE(macsOf(m) - head, 377'487'360);
    const auto onnx = lower::loadWorkload(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.onnx");
    if (!onnx)
        QSKIP("built without the reader of ONNX files");
    QCOMPARE(model::macsOf(onnx->model), macsOf(m) - head);
    const auto products = [](const model::Model& of) {
        std::multiset<std::int64_t> out;
        for (const model::Operator& op : of.operators)
            if (op.kind == model::OperatorKind::MatMul || op.kind == model::OperatorKind::Attention)
                out.insert(model::macsOf(of, op));
        return out;
    };
    auto ours = products(m.model);
    ours.erase(ours.find(head));
    QVERIFY(ours == products(onnx->model));
}

void TestLlmModel::encodersHaveOnePhase()
{
    const LlmModel bert = build(published("bert-base"), prefill(2, 128));
    // 12 layers of 128 tokens: 4 d^2 + 2 d f, two products of 128 x 64 x 128 in each of 12 heads; the pooler
    QCOMPARE(macsOf(bert),
             std::int64_t{2} * 12 * (128 * (4 * 768 * 768 + 2 * 768 * 3072LL) + 12 * 2 * 128 * 128 * 64) +
                 2 * 768 * 768);
    const LlmModel vit = build(published("vit-base"), prefill(1, 0));
    QCOMPARE(vit.options.prompt, 197);
    QCOMPARE(macsOf(vit),
             std::int64_t{12} * (197 * (4 * 768 * 768 + 2 * 768 * 3072LL) + 12 * 2 * 197 * 197 * 64) +
                 196 * 768 * 768 + 768 * 1000);
}

void TestLlmModel::equalLayersAreOneBlockTimesTheirNumber()
{
    const LlmModel m = build(published("deepseek-v3"), prefill(1, 16));
    QCOMPARE(m.ranges.size(), 2);
    QCOMPARE(m.ranges[0].layer, 0);
    QCOMPARE(m.ranges[0].count, 3);
    QCOMPARE(m.ranges[1].layer, 3);
    QCOMPARE(m.ranges[1].count, 58);
    const auto& operators = m.model.operators;
    for (const LlmRange& range : m.ranges)
        for (std::size_t i = range.first; i < range.end; ++i)
            QVERIFY(operators[OperatorId(i)].name.starts_with("layers." + std::to_string(range.layer) + "."));
    QCOMPARE(m.countOf(OperatorId(0)), 1);
    QCOMPARE(operators[OperatorId(0)].name, std::string("embedding"));
    QCOMPARE(operators[OperatorId(operators.size() - 1)].name, std::string("lm_head"));
    LlmOptions first = prefill(1, 16);
    first.layers = 2;
    const LlmModel two = build(published("llama-3.1-8b"), first);
    QCOMPARE(two.ranges[0].count, 31);
    QCOMPARE(two.ranges[1].count, 1);
}

void TestLlmModel::expertsAreThoseThatTokensReach()
{
    const LlmExperts mixtral = *published("mixtral-8x7b").experts;
    QCOMPARE(std::ssize(expertTokens(mixtral, 1)), 2);
    QCOMPARE(std::ssize(expertTokens(mixtral, 8)), 7); // 7.2
    QCOMPARE(std::ssize(expertTokens(mixtral, 1000)), 8);
    QCOMPARE(std::ssize(expertTokens(*published("deepseek-v3").experts, 64)), 222);
    // 16 places on 7 experts: 3, 3, 2, 2, 2, 2, 2
    const LlmModel m = build(published("mixtral-8x7b"), decode(8, 100));
    std::multiset<std::int64_t> tokens;
    for (const model::Operator& op : m.model.operators)
        if (op.name.starts_with("layers.0.mlp.experts.") && op.name.ends_with(".gate"))
            tokens.insert(m.model.shape(op.outputs[0])[0]);
    QCOMPARE(tokens, (std::multiset<std::int64_t>{2, 2, 2, 2, 2, 3, 3}));
}

void TestLlmModel::rule_6_3_skewedExperts()
{
    // Exponent 1: weights 1, 1/2, ... 1/8 sum to 2.7179; of 2 places the first expert has 0.736 a token.
    LlmExperts e = *published("mixtral-8x7b").experts;
    e.skew = kSkewOfOne;
    QCOMPARE(expertTokens(e, 1000), (std::vector<std::int64_t>{736, 368, 246, 184, 148, 122, 105, 91}));
    // Exponent 4: the first expert would have 1.85 a token, and has all; the others share the second place.
    e.skew = kMostSkew;
    const auto steep = expertTokens(e, 100);
    QCOMPARE(steep.front(), std::int64_t{100});
    QCOMPARE(std::accumulate(steep.begin(), steep.end(), std::int64_t{0}), std::int64_t{200});
    // No multiply-accumulate is lost, and fewer experts are read.
    LlmOptions o = decode(8, 100);
    const LlmConfig mixtral = published("mixtral-8x7b");
    const LlmWork even = llmWork(mixtral, *resolved(mixtral, o), 16 * kBit);
    o.expertSkew = 2 * kSkewOfOne;
    const LlmWork skewed = llmWork(withOptions(mixtral, o), *resolved(mixtral, o), 16 * kBit);
    QCOMPARE(skewed.totalMacs(), even.totalMacs());
    QVERIFY(skewed.totalRead() < even.totalRead());
    const LlmModel m = build(mixtral, o);
    std::int64_t rows = 0;
    for (const model::Operator& op : m.model.operators)
        if (op.name.starts_with("layers.0.mlp.experts.") && op.name.ends_with(".gate"))
            rows += m.model.shape(op.outputs[0])[0];
    QCOMPARE(rows, std::int64_t{16});
    o.expertSkew = kMostSkew + 1;
    QCOMPARE(llmModel(mixtral, o).error().path, std::string("--expert-skew"));
    o.expertSkew = 1;
    QCOMPARE(llmModel(published("llama-3.1-8b"), o).error().path, std::string("--expert-skew"));
}

void TestLlmModel::widthsAreThoseOfTheFileAndTheOptions()
{
    const auto bitsOf = [](const LlmModel& m, const std::string& tensor) {
        for (const model::Tensor& t : m.model.tensors)
            if (t.name == tensor)
                return static_cast<double>(t.bits) / kBit;
        return -1.0;
    };
    const LlmModel file = build(published("deepseek-v3"), decode(1, 100));
    QCOMPARE(bitsOf(file, "layers.0.mlp.up.weight"), 8 + 2.0 / 1024);
    QCOMPARE(bitsOf(file, "layers.0.attn.cache.past"), 0.0); // as the elements of the machine
    QCOMPARE(bitsOf(file, "lm_head.weight"), 0.0);
    QVERIFY(std::ranges::any_of(file.model.tensors, [](const model::Tensor& t) { return t.bits == 8448; }));
    LlmOptions o = decode(1, 100);
    o.kvBits = 8 * kBit;
    o.weightBits = 4 * kBit;
    o.activationBits = 16 * kBit;
    const LlmModel given = build(published("deepseek-v3"), o);
    QCOMPARE(bitsOf(given, "layers.0.mlp.up.weight"), 4.0);
    QCOMPARE(bitsOf(given, "layers.3.mlp.router.weight"), 0.0);
    QCOMPARE(bitsOf(given, "layers.0.attn.cache.past"), 8.0);
    QCOMPARE(bitsOf(given, "layers.0.attn.cache"), 8.0);
    QVERIFY(std::ranges::none_of(given.model.operators, [](const model::Operator& op) {
        return op.name.find("quantised") != std::string::npos;
    }));
}

void TestLlmModel::everyFamilyIsLoweredToEveryLens_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama-3.1-8b", "mixtral-8x7b", "deepseek-v2-lite", "deepseek-v3", "gpt-oss-20b",
                             "gemma-3-1b", "phi-3-mini", "phi-2", "gpt2", "bert-base", "vit-base"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestLlmModel::everyFamilyIsLoweredToEveryLens()
{
    QFETCH(QString, name);
    const LlmConfig config = published(name.toStdString());
    std::vector<LlmOptions> cases{prefill(1, config.images.patch > 0 ? 0 : 16)};
    if (config.causal)
        cases.insert(cases.end(),
                     {prefill(2, 16), decode(1, 32), decode(4, 32), decode(2, 32, 2), chunked(1, 8, 16)});
    for (const LlmOptions& options : cases) {
        const LlmModel m = build(config, options);
        auto workload = std::make_shared<lower::Workload>();
        workload->model = m.model;
        const auto on = lower::putOnMachine(workload, *machinePreset("edge"));
        QVERIFY2(on, on ? "" : on.error().text().c_str());
        QCOMPARE(lower::matMulMacs((*on)->lowered), model::macsOf(m.model));
        const auto npu = lower::npuOf(**on);
        QVERIFY2(npu, npu ? "" : npu.error().text().c_str());
    }
}

void TestLlmModel::wrongOptionsAreNamed_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const char* model, const char* error) {
        QTest::newRow(name) << QString::fromLatin1(model) << QString::fromLatin1(error);
    };
    row("decode of an encoder", "bert-base",
        "--phase: a model of the family bert has no cache of keys and values: only prefill");
    row("tokens of images", "vit-base", "--prompt: a model of the family vit has the tokens of its images");
    row("positions", "gpt2", "--cached: 1025 tokens, but the model has 1024 positions");
    row("layers", "llama-3.1-8b", "--layers: the model has 32 layers");
    row("prompt in decode", "qwen3-8b", "--prompt: needs --phase prefill or chunked");
    row("cached in prefill", "gpt-j-6b", "--cached: needs --phase decode or chunked");
    row("tokens in prefill", "phi-2", "--tokens: needs --phase decode");
}

void TestLlmModel::wrongOptionsAreNamed()
{
    QFETCH(QString, model);
    QFETCH(QString, error);
    LlmOptions o;
    if (model == "bert-base" || model == "gpt2")
        o = decode(1, 1024);
    else if (model == "vit-base")
        o.prompt = 5;
    else if (model == "llama-3.1-8b")
        o.layers = 33;
    else if (model == "qwen3-8b")
        o = decode(1, 8), o.prompt = 3;
    else if (model == "gpt-j-6b")
        o.cached = 8;
    else
        o.tokens = 2;
    const auto m = llmModel(published(model.toStdString()), o);
    QVERIFY(!m);
    QCOMPARE(m.error().text(), error.toStdString());
}

TILEWRIGHT_TEST(TestLlmModel)

} // namespace test_llm_model

#include "test_llm_model.moc"
