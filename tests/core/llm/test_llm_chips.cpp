// SPDX-License-Identifier: GPL-3.0-or-later
// Language models over several chips: docs/rules/llm.md 8.
#include "llm/counts.h"
#include "llm/shards.h"
#include "llm_files.h"
#include "lower/collectives.h"
#include "lower/group_step.h"
#include "lower/on_machine.h"
#include "sweep/run.h"
#include "sweep_support.h"
#include "test_main.h"
#include "verbs/summary_rows.h"

#include <QTest>

#include <cmath>
#include <sstream>

namespace test_llm_chips {

using namespace tilewright;
using namespace tilewright::llm;
using namespace tilewright::verbs;
using lower::CollectiveKind;
using test_llm::published;
using test_llm::small;

namespace {

using F = LanguageFigure;

LlmOptions decode(std::int64_t batch, std::int64_t cached, std::int64_t chips, std::int64_t stages = 1)
{
    LlmOptions o;
    o.phase = LlmPhase::Decode;
    o.batch = batch;
    o.cached = cached;
    o.chips = chips;
    o.stages = stages;
    return o;
}

LlmOptions prefill(std::int64_t batch, std::int64_t prompt, std::int64_t chips)
{
    LlmOptions o;
    o.batch = batch;
    o.prompt = prompt;
    o.chips = chips;
    return o;
}

LlmModel build(const LlmConfig& config, const LlmOptions& options)
{
    auto out = llmModel(config, options);
    if (!out)
        qFatal("%s", out.error().text().c_str());
    return std::move(*out);
}

double value(const LanguageFigures& figures, F figure)
{
    return figures.of(figure) ? figures.of(figure)->value : -1;
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b);
}

std::int64_t macsOf(const LlmModel& m)
{
    std::int64_t out = 0;
    for (std::size_t i = 0; i < m.model.operators.size(); ++i)
        out += m.countOf(OperatorId(i)) * model::macsOf(m.model, m.model.operators[OperatorId(i)]);
    return out;
}

/// What all chips together have more than the model, by the names of docs/rules/llm.md 8.1.
struct Copies
{
    std::int64_t parameters = 0; ///< of `matrices` too
    std::int64_t matrices = 0;   ///< of a layer's matrices, without biases
    std::int64_t perToken = 0;   ///< multiply-accumulates of a token in these matrices
    std::int64_t padding = 0;    ///< words
};

Copies copiesOf(const LlmConfig& c, std::int64_t n)
{
    Copies out;
    const std::int64_t d = c.hidden, more = n - 1, norm = c.norm == LlmNorm::Layer ? 2 * d : d;
    for (const LlmLayer& layer : c.layers) {
        std::int64_t whole = 0,
                     other = c.layerNorms * norm + (c.qkNorm ? 2 * c.headSize : 0); // on every chip
        if (const auto& l = c.latent) {
            whole += d * l->queryRank + d * (l->cacheRank + l->rope);
            other += l->queryRank + l->cacheRank;
        }
        other += c.outBias ? d : 0;
        if (layer.sparse && c.experts) {
            whole += d * c.experts->count + (c.experts->sharedGate ? d : 0);
            other += (c.experts->biased ? c.experts->count * (1 + d) : 0) +
                     (c.experts->corrected ? c.experts->count : 0);
        } else {
            other += c.mlpBias ? d : 0;
        }
        std::int64_t keys = 0; // heads of keys and values, if there are fewer than chips
        if (!c.latent && n > c.kvHeads)
            keys = (n - c.kvHeads) * 2 * c.headSize;
        out.matrices += more * whole + keys * d;
        out.parameters += more * (whole + other) + keys * (d + (c.qkvBias ? 1 : 0));
    }
    out.padding = (c.vocabulary + n - 1) / n * n - c.vocabulary;
    out.perToken = out.matrices;
    out.parameters += out.padding * (d * (c.causal && !c.tied ? 2 : 1) + (c.headBias ? 1 : 0));
    std::int64_t ends = (c.finalNorm ? norm : 0) + (c.positions + c.tokenTypes) * d +
                        (c.tokenTypes > 0 ? norm : 0) + (c.pooler ? d * d + d : 0);
    if (c.images.patch > 0)
        ends += c.images.patch * c.images.patch * c.images.channels * d + 2 * d + c.images.classes * (d + 1);
    out.parameters += more * ends;
    return out;
}

Summary summaryOf(const LlmConfig& config, const LlmOptions& options, const Machine& machine,
                  const std::vector<SummaryKind>& kinds)
{
    LlmModel built = build(config, options);
    auto workload = std::make_shared<lower::Workload>();
    workload->model = built.model;
    workload->language = static_cast<const LlmScope&>(built);
    SummarySubject subject;
    subject.workload.workload = workload;
    subject.workload.machine = machine;
    auto model = putOnMachine(subject.workload);
    if (!model)
        qFatal("%s", model.error().text().c_str());
    subject.model = *model;
    subject.rules = *RulesCall().rules(*subject.model->problem);
    Summary out = emptySummary(subject);
    for (const SummaryKind kind : kinds)
        out.rows[static_cast<std::size_t>(kind)] = summaryRow(subject, kind);
    return out;
}

} // namespace

class TestLlmChips : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void rule_8_1_aChipHasItsShareOfEveryLayer();
    void rule_8_1_parametersAndWorkAreThoseOfTheModelPlusCopies_data();
    void rule_8_1_parametersAndWorkAreThoseOfTheModelPlusCopies();
    void rule_8_1_whatChipsCannotShareIsRefused_data();
    void rule_8_1_whatChipsCannotShareIsRefused();
    void rule_8_1_stagesShareTheLayers();
    void rule_8_1_everyLensTakesTheShard();
    void rule_8_2_ringAndAllToAllByHand();
    void rule_8_2_collectivesOfAStep();
    void rule_8_5_expertsOnSeveralChips();
    void rule_8_2_measuredAllReducesOfNvlink();
    void rule_8_2_aMachineWithoutLinksIsRefused();
    void rule_8_3_figuresOfEightChipsByHand();
    void rule_8_3_aPipelineHasThePaceOfItsSlowestStage();
    void rule_8_3_rowsAddTheirCollectives();
    void rule_8_3_oneChipIsAsBefore_data();
    void rule_8_3_oneChipIsAsBefore();
    void rule_8_3_chipsAreAnAxisOfASweep();
};

void TestLlmChips::rule_8_1_aChipHasItsShareOfEveryLayer()
{
    const LlmConfig llama = published("llama-3.1-70b"); // 64 heads, 8 of keys and values, 28672, 128256
    const LlmConfig eighth = shardOf(llama, 8);
    QCOMPARE(eighth.heads, 8);
    QCOMPARE(eighth.kvHeads, 1);
    QCOMPARE(eighth.feedForward, 3584);
    QCOMPARE(eighth.vocabulary, 16032);
    QCOMPARE(eighth.hidden, llama.hidden);
    QCOMPARE(eighth.headSize, llama.headSize);
    QCOMPARE(shardOf(llama, 32).kvHeads, 1); // a copy on each of four chips
    QVERIFY(shardOf(llama, 1) == llama);
    const LlmConfig deepseek = published("deepseek-v3"), part = shardOf(deepseek, 8);
    QCOMPARE(part.experts->size, deepseek.experts->size / 8);
    QCOMPARE(part.experts->count, deepseek.experts->count);
    QCOMPARE(part.latent->cacheRank, deepseek.latent->cacheRank);
    QCOMPARE(shardOf(published("gpt2"), 4).vocabulary, 12565); // 50257 words, rounded up
}

void TestLlmChips::rule_8_1_parametersAndWorkAreThoseOfTheModelPlusCopies_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("chips");
    const auto row = [](const char* name, int chips) {
        QTest::addRow("%s over %d", name, chips) << QString::fromLatin1(name) << chips;
    };
    row("llama-3.1-8b", 2);
    row("llama-3.1-8b", 32);
    row("llama-3.1-70b", 8);
    row("qwen2.5-7b", 4);
    row("qwen3-30b-a3b", 8);
    row("qwen1.5-moe-a2.7b", 8);
    row("mixtral-8x7b", 8);
    row("deepseek-v2-lite", 16);
    row("deepseek-v3", 8);
    row("gpt-oss-20b", 16);
    row("gemma-3-1b", 4);
    row("phi-2", 4);
    row("phi-3-mini", 8);
    row("gpt-neox-20b", 8);
    row("gpt2", 4);
    row("bert-base", 6);
    row("vit-base", 4);
}

void TestLlmChips::rule_8_1_parametersAndWorkAreThoseOfTheModelPlusCopies()
{
    QFETCH(QString, name);
    QFETCH(int, chips);
    const LlmConfig config = published(name.toStdString());
    const Copies copies = copiesOf(config, chips);
    QCOMPARE(llmCounts(shardOf(config, chips)).total * chips, llmCounts(config).total + copies.parameters);
    std::vector<std::pair<LlmOptions, LlmOptions>> cases{
        {prefill(2, config.images.patch > 0 ? 0 : 48, 1),
         prefill(2, config.images.patch > 0 ? 0 : 48, chips)}};
    if (config.causal)
        cases.emplace_back(decode(3, 100, 1), decode(3, 100, chips));
    for (const auto& [one, many] : cases) {
        const LlmModel whole = build(config, one), shard = build(config, many);
        const std::int64_t rows = whole.options.batch * whole.options.computed();
        const std::int64_t last = whole.options.phase == LlmPhase::Decode ? rows : whole.options.batch;
        std::int64_t more = rows * copies.perToken;
        if (config.causal)
            more += last * copies.padding * config.hidden;
        if (config.pooler)
            more += (chips - 1) * last * config.hidden * config.hidden;
        if (config.images.patch > 0)
            more += (chips - 1) * whole.options.batch * config.hidden *
                    (config.images.patches() * config.images.patch * config.images.patch *
                         config.images.channels +
                     config.images.classes);
        QCOMPARE(macsOf(shard) * chips, macsOf(whole) + more);
        QVERIFY(shard.whole == config);
    }
}

void TestLlmChips::rule_8_1_whatChipsCannotShareIsRefused_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("chips");
    QTest::addColumn<QString>("what");
    const auto row = [](const char* name, int chips, const char* what) {
        QTest::addRow("%s over %d", name, chips)
            << QString::fromLatin1(name) << chips << QString::fromLatin1(what);
    };
    row("llama-3.1-8b", 3, "3 chips cannot share the 32 heads of queries equally");
    row("qwen2.5-7b", 7, "7 chips cannot share the 4 heads of keys and values equally");
    row("gpt2", 0, "must be 1 to 65536");
}

void TestLlmChips::rule_8_1_whatChipsCannotShareIsRefused()
{
    QFETCH(QString, name);
    QFETCH(int, chips);
    QFETCH(QString, what);
    const auto built = llmModel(published(name.toStdString()), decode(1, 100, chips));
    QVERIFY(!built);
    QCOMPARE(built.error().text(), "--chips: " + what.toStdString());
    // columns that 4 heads could share, but no inner width can
    LlmConfig odd = *small(R"(, "num_key_value_heads": 2)");
    odd.feedForward = 510;
    QCOMPARE(undividedBy(odd, 4), std::string("the 510 columns of the feed forward"));
    odd = published("mixtral-8x7b");
    odd.experts->size = 1001;
    QCOMPARE(undividedBy(odd, 2), std::string("the 1001 columns of an expert"));
    odd = published("deepseek-v3");
    odd.experts->shared = 1001;
    QCOMPARE(undividedBy(odd, 2), std::string("the 1001 columns of the shared experts"));
}

void TestLlmChips::rule_8_1_stagesShareTheLayers()
{
    const LlmConfig llama = published("llama-3.1-8b"); // 32 layers
    const auto layersOf = [&](std::int64_t stages) {
        std::vector<std::int64_t> out;
        for (std::int64_t i = 0; i < stages; ++i)
            out.push_back(static_cast<std::int64_t>(stageOf(llama, stages, i).layers.size()));
        return out;
    };
    QCOMPARE(layersOf(3), (std::vector<std::int64_t>{10, 11, 11}));
    QCOMPARE(layersOf(5), (std::vector<std::int64_t>{6, 6, 6, 7, 7}));
    QCOMPARE(stageOf(llama, 3, 2).firstLayer, 21);
    QVERIFY(stageOf(llama, 1, 0) == llama);
    for (const char* name : {"llama-3.1-8b", "deepseek-v3", "gpt2", "gemma-3-1b"})
        for (const std::int64_t stages : {1, 2, 3, 8}) {
            const LlmConfig config = published(name);
            std::int64_t parameters = 0, stageCount = 0;
            for (const LlmStage& stage : stagesOf(config, stages)) {
                parameters += stage.count * llmCounts(stage.config).total;
                stageCount += stage.count;
            }
            QCOMPARE(stageCount, stages);
            // a head that is the embedding is on the first chip and on the last one
            const std::int64_t copy = config.tied && stages > 1 ? config.vocabulary * config.hidden : 0;
            QCOMPARE(parameters, llmCounts(config).total + copy);
        }
    // What is built is the last stage.
    const LlmModel last = build(llama, decode(2, 64, 2, 4));
    QCOMPARE(last.ranges.size(), std::size_t{1});
    QCOMPARE(last.ranges.front().layer, std::size_t{24});
    QCOMPARE(last.ranges.front().count, 8);
    QVERIFY(last.model.operators[OperatorId(0)].name.starts_with("layers.24."));
    const auto tooMany = llmModel(llama, decode(1, 64, 1, 33));
    QVERIFY(!tooMany);
    QCOMPARE(tooMany.error().text(), std::string("--stages: must be 1 to 32, the layers of the model"));
    LlmOptions nine = decode(1, 64, 1, 4);
    nine.layers = 9;
    QCOMPARE(llmModel(llama, nine).error().text(), std::string("--layers: a stage has 8 layers"));
}

void TestLlmChips::rule_8_1_everyLensTakesTheShard()
{
    for (const char* name : {"llama-3.1-8b", "deepseek-v2-lite", "gpt2"}) {
        auto built = build(published(name), decode(4, 64, 4, 2));
        auto workload = std::make_shared<lower::Workload>();
        workload->model = std::move(built.model);
        workload->language = static_cast<LlmScope&>(built);
        const auto onMachine = lower::putOnMachine(workload, *machinePreset("tpu-v4"));
        QVERIFY2(onMachine, onMachine ? "" : onMachine.error().text().c_str());
        QVERIFY(lower::npuOf(**onMachine));
    }
}

void TestLlmChips::rule_8_2_ringAndAllToAllByHand()
{
    Machine::Links links{100, 2, LinkTopology::Ring}; // 100 bytes a ns, 2 us
    const auto micros = [&](CollectiveKind kind, std::int64_t chips) {
        return lower::collectiveMicros(kind, 4'000'000, chips, links); // 40 us at the rate of the links
    };
    // 4 chips, ring: 2 * 3/4 of the bytes in 6 turns
    QCOMPARE(micros(CollectiveKind::AllReduce, 4), 60.0 + 12);
    QCOMPARE(micros(CollectiveKind::AllGather, 4), 30.0 + 6);
    QCOMPARE(micros(CollectiveKind::Send, 4), 40.0 + 2);
    QCOMPARE(micros(CollectiveKind::AllReduce, 1), 0.0);
    links.topology = LinkTopology::AllToAll; // the same bytes in 2 turns
    QCOMPARE(micros(CollectiveKind::AllReduce, 4), 60.0 + 4);
    QCOMPARE(micros(CollectiveKind::AllGather, 4), 30.0 + 2);
    QCOMPARE(micros(CollectiveKind::AllReduce, 2), 40.0 + 4); // as the ring of two
    QCOMPARE(micros(CollectiveKind::AllReduce, 1), 0.0);
    QCOMPARE(micros(CollectiveKind::Send, 1), 40.0 + 2);
}

void TestLlmChips::rule_8_5_expertsOnSeveralChips()
{
    const LlmConfig deepseek = published("deepseek-v3");
    const LlmConfig part = shardOf(deepseek, 1, 32);
    const auto expert = std::int64_t{3} * 7168 * 2048;
    QCOMPARE(llmCounts(part).total, llmCounts(deepseek).total - 58 * (256 - 8) * expert);
    // 16,384 tokens on each of 32 chips: a chip computes as many places as its own tokens have.
    LlmOptions o = prefill(4, 4096, 1);
    const auto alone = llmWork(deepseek, *resolved(deepseek, o), 16 * kBit);
    o.expertChips = 32;
    const LlmWork shared = llmWork(part, *resolved(deepseek, o), 16 * kBit);
    QVERIFY(near(shared.totalMacs(), alone.totalMacs()));
    QCOMPARE(expertTokens(*part.experts, 16384), std::vector<std::int64_t>(8, 16384));
    // One token on each of 128 chips: 1,024 places reach 98 % of 256 experts, both of every chip.
    LlmExperts two = *shardOf(deepseek, 1, 128).experts;
    QCOMPARE(expertTokens(two, 1), (std::vector<std::int64_t>{4, 4}));
    two.skew = kSkewOfOne; // the chip with the busiest expert, 1 and 129
    const auto busiest = expertTokens(two, 128);
    QCOMPARE(busiest.size(), std::size_t{2});
    QVERIFY(busiest[0] > 50 * busiest[1] && busiest[0] <= 128 * 128);
    // Rows go once to each other chip that has some of their experts, and come back.
    const auto exchanges = lower::collectivesOf(part, *resolved(deepseek, o), 2);
    QCOMPARE(exchanges.size(), std::size_t{2});
    QVERIFY(exchanges[0].kind == CollectiveKind::AllToAll);
    QCOMPARE(exchanges[0].count, 58.0);
    QVERIFY(near(exchanges[0].bytes, 16384.0 * 7168 * 2 * 31 * (1 - std::pow(31.0 / 32, 8))));
    const Machine h100 = *machinePreset("h100");
    QVERIFY(near(lower::collectiveMicros(CollectiveKind::AllToAll, 37e6, 32, h100.links), 37e3 / 370 + 3));
    Machine::Links ring = h100.links;
    ring.topology = LinkTopology::Ring;
    QVERIFY(near(lower::collectiveMicros(CollectiveKind::AllToAll, 37e6, 32, ring), 8 * 37e3 / 370 + 16 * 3));
    // What cannot be shared is refused by name.
    const auto refused = [&](const LlmConfig& config, LlmOptions options) {
        const auto model = llmModel(config, options);
        return model ? std::string() : model.error().path + " " + model.error().message;
    };
    o.expertChips = 3;
    QCOMPARE(refused(deepseek, o),
             std::string("--expert-chips 3 chips cannot share the 256 routed experts equally"));
    o.expertChips = 2;
    o.chips = 2;
    QVERIFY(refused(deepseek, o).starts_with("--expert-chips chips that share every layer"));
    QVERIFY(refused(published("llama-3.1-8b"), o).starts_with("--expert-chips a model of the family llama"));
    o.chips = 1;
    o.prompt = 8;
    o.batch = 1;
    const LlmModel m = build(deepseek, o);
    QCOMPARE(m.config.experts->chips, std::int64_t{2});
    const auto names = [&](const model::Operator& op) { return op.name == "layers.3.mlp.experts.127.gate"; };
    QVERIFY(std::ranges::none_of(m.model.operators, names)); // 16 tokens do not reach all 128 of a chip
}

void TestLlmChips::rule_8_2_collectivesOfAStep()
{
    const LlmConfig llama = published("llama-3.1-70b");
    const auto count = [](const std::vector<lower::Collective>& all, CollectiveKind kind) {
        double out = 0;
        for (const lower::Collective& c : all)
            out += c.kind == kind ? c.count : 0;
        return out;
    };
    const LlmOptions o = *resolved(llama, decode(16, 1000, 8));
    const auto one = lower::collectivesOf(shardOf(llama, 8), o, 2);
    QCOMPARE(count(one, CollectiveKind::AllReduce), 2.0 * 80 + 1);
    QCOMPARE(count(one, CollectiveKind::AllGather), 1.0);
    QCOMPARE(count(one, CollectiveKind::Send), 0.0);
    QCOMPARE(one.front().bytes, 16.0 * 8192 * 2);
    QCOMPARE(one.back().bytes, 16.0 * 128256 * 2);
    // two stages of 8 chips: the second receives, and has the head
    const LlmConfig second = stageOf(shardOf(llama, 8), 2, 1);
    const auto two = lower::collectivesOf(second, *resolved(llama, decode(16, 1000, 8, 2)), 2);
    QCOMPARE(count(two, CollectiveKind::AllReduce), 80.0);
    QCOMPARE(count(two, CollectiveKind::Send), 1.0);
    QCOMPARE(count(two, CollectiveKind::AllGather), 1.0);
    // of a prompt only the last tokens have logits
    const auto prompt = lower::collectivesOf(shardOf(llama, 8), *resolved(llama, prefill(2, 100, 8)), 2);
    QCOMPARE(prompt.back().bytes, 2.0 * 128256 * 2);
    QCOMPARE(prompt.front().bytes, 200.0 * 8192 * 2);
    // branches in parallel are summed once; images have no words
    QCOMPARE(count(lower::collectivesOf(shardOf(published("gpt-neox-20b"), 8),
                                        *resolved(published("gpt-neox-20b"), prefill(1, 8, 8)), 2),
                   CollectiveKind::AllReduce),
             44.0 + 1);
    const LlmConfig vit = published("vit-base");
    QCOMPARE(count(lower::collectivesOf(shardOf(vit, 4), *resolved(vit, prefill(1, 0, 4)), 2),
                   CollectiveKind::AllReduce),
             2.0 * static_cast<double>(vit.layers.size()));
    QVERIFY(lower::collectivesOf(llama, *resolved(llama, decode(1, 8, 1)), 2).empty());
}

/// The preset a100 states the rate that it reaches in one of these rows; all others above 1 MiB are a test.
void TestLlmChips::rule_8_2_measuredAllReducesOfNvlink()
{
    const auto text = readFile(TILEWRIGHT_SOURCE_DIR "/validation/a100_allreduce.csv");
    QVERIFY(text);
    const Machine a100 = *machinePreset("a100");
    std::istringstream in{*text};
    int rows = 0;
    for (std::string line; std::getline(in, line);) {
        double index = 0, bytes = 0, micros = 0;
        if (std::sscanf(line.c_str(), "%lf,%lf,%lf", &index, &bytes, &micros) != 3 || bytes <= 1 << 20)
            continue;
        ++rows;
        const double ratio =
            lower::collectiveMicros(CollectiveKind::AllReduce, bytes, 4, a100.links) / micros;
        QVERIFY2(std::abs(ratio - 1) < 0.15, (line + ": " + std::to_string(ratio)).c_str());
    }
    QCOMPARE(rows, 7);
}

void TestLlmChips::rule_8_2_aMachineWithoutLinksIsRefused()
{
    auto built = build(published("gpt2"), decode(1, 64, 4));
    auto workload = std::make_shared<lower::Workload>();
    workload->model = std::move(built.model);
    workload->language = static_cast<LlmScope&>(built);
    const auto refused = lower::putOnMachine(workload, *machinePreset("edge"));
    QVERIFY(!refused);
    QCOMPARE(refused.error().text(),
             std::string("links.gb_per_s: the machine edge states no rate of its links to other chips, which "
                         "--chips 4 needs"));
    const auto linked = withMachineField(*machinePreset("edge"), "links.gb_per_s", "12.5");
    QVERIFY(linked && lower::putOnMachine(workload, *linked));
    QVERIFY(!lower::checkLinks(decode(1, 64, 1, 2), *machinePreset("edge")));
    QVERIFY(lower::checkLinks(decode(1, 64, 1), *machinePreset("edge")));
}

void TestLlmChips::rule_8_3_figuresOfEightChipsByHand()
{
    const LlmConfig llama = published("llama-3.1-70b");
    const Machine h100 = *machinePreset("h100"); // 370 GB/s, 3 us, every pair
    const LanguageFigures f = languageFigures(build(llama, decode(16, 1000, 8)), h100);
    QCOMPARE(value(f, F::Parameters), 70'553'706'496.0);
    QCOMPARE(value(f, F::WeightBytes), 2 * 70'553'706'496.0);
    const double layer = 2.0 * 8192 * 1024 + 2.0 * 8192 * 128 + 3.0 * 8192 * 3584 + 2 * 8192;
    const double words = 16032.0 * 8192;
    QCOMPARE(value(f, F::WeightBytesOfChip), 2 * (80 * layer + 2 * words + 8192));
    QCOMPARE(value(f, F::KvBytesOfChip), 16.0 * 1001 * 80 * 2 * 128 * 2);
    QCOMPARE(value(f, F::KvBytes), 8 * value(f, F::KvBytesOfChip));
    // 161 all-reduces of 16 rows of 8192, and the logits of 16 tokens
    const double reduce = 2 * 7 / 8.0 * 16 * 8192 * 2 / 370e3 + 2 * 3;
    const double gather = 7 / 8.0 * 16 * 128256 * 2 / 370e3 + 3;
    QVERIFY(near(value(f, F::CollectiveTime), (161 * reduce + gather) / 1000));
    const double bytes = 2 * (80 * layer + words + 8192 + 16 * 8192) + 16.0 * 1001 * 80 * 2 * 128 * 2;
    const double memoryMs = bytes / (3350 * 1e6);
    QVERIFY(near(value(f, F::TimePerOutputToken), memoryMs + value(f, F::CollectiveTime)));
    QVERIFY(near(value(f, F::TokensPerSecond), 16 * 1000 / value(f, F::TimePerOutputToken)));
    QCOMPARE(std::string(f.binds), std::string("memory"));
    const double room = 80e9 - value(f, F::WeightBytesOfChip);
    QCOMPARE(value(f, F::LongestContext), std::floor(room / (16 * 80 * 2.0 * 128 * 2)));
    for (const F figure : {F::CollectiveTime, F::TimePerOutputToken, F::TokensPerSecond})
        QVERIFY(near(f.of(figure)->evaluate(), f.of(figure)->value)); // the explanation is the figure
    QCOMPARE(stepText(f.options),
             std::string("decode, 16 sequences of 1 token after 1\u202f000 in the cache, "
                         "8 chips"));
    // With one token and the small model of a fast machine the links take longest.
    QCOMPARE(std::string(languageFigures(build(published("gpt2"), decode(1, 64, 4)), h100).binds),
             std::string("collectives"));
}

void TestLlmChips::rule_8_3_aPipelineHasThePaceOfItsSlowestStage()
{
    const LlmConfig llama = published("llama-3.1-8b");
    const Machine machine = *machinePreset("tpu-v5e"); // 90 GB/s, 1 us, ring
    const LlmModel model = build(llama, decode(4, 500, 2, 3));
    const lower::GroupFloor group = lower::groupFloor(model, model.options, machine, machine.cores);
    QCOMPARE(group.stages.size(), std::size_t{3}); // 10 layers, 11 layers, 11 layers with the head
    double sum = 0, largest = 0;
    for (const lower::StageFloor& stage : group.stages) {
        const double alone =
            lower::stepFloor(stage.config, model.options, machine, machine.cores).cycles.value /
            (machine.clockGhz * 1e6);
        double micros = 0;
        for (const lower::Collective& c : lower::collectivesOf(stage.config, model.options, 2))
            micros += c.count * lower::collectiveMicros(c.kind, c.bytes, 2, machine.links);
        QVERIFY(near(stage.collectives.value, micros / 1000));
        QVERIFY(near(stage.time.value, alone + micros / 1000));
        sum += stage.time.value;
        largest = std::max(largest, stage.time.value);
    }
    const LanguageFigures f = languageFigures(model, machine);
    QVERIFY(near(value(f, F::TimePerOutputToken), sum));
    QVERIFY(near(value(f, F::TokensPerSecond), 4 * 1000 / largest));
    QCOMPARE(group.stages.back().time.value, largest);
    // 12 sequences are on their way; the last stage is the fullest
    const LlmConfig last = stageOf(shardOf(llama, 2), 3, 2);
    QCOMPARE(value(f, F::KvBytesOfChip), 12 * kvBytes(last, 501));
    QCOMPARE(value(f, F::KvBytes), 12 * kvBytes(llama, 501));
    QCOMPARE(value(f, F::WeightBytesOfChip), llmCounts(last).weightBytes);
    QCOMPARE(value(f, F::LongestContext),
             std::floor((16e9 - llmCounts(last).weightBytes) / (12 * kvBytes(last, 1))));
}

void TestLlmChips::rule_8_3_rowsAddTheirCollectives()
{
    const auto config = small(R"(, "num_key_value_heads": 2)");
    QVERIFY(config);
    const Machine machine = *machinePreset("tpu-v4");
    const std::vector<SummaryKind> kinds{SummaryKind::Schedule, SummaryKind::Systolic};
    for (const LlmOptions& options : {decode(2, 64, 2), decode(2, 64, 2, 2)}) {
        LlmOptions all = options;
        all.layers = kAllLayers;
        const Summary summary = summaryOf(*config, options, machine, kinds);
        const Summary whole = summaryOf(*config, all, machine, kinds);
        const LlmModel model = build(*config, options);
        const double collectives =
            lower::collectiveTime(model.config, model.options, machine).value * machine.clockGhz * 1e6;
        QVERIFY(collectives > 0);
        for (const SummaryKind kind : kinds) {
            const SummaryRow& row = summary.rows[static_cast<std::size_t>(kind)];
            QVERIFY2(row.wholeCycles && row.wholeOfFloor, row.error.c_str());
            const double cycles = whole.rows[static_cast<std::size_t>(kind)].of(SummaryFigure::Cycles)->value;
            QVERIFY(near(row.wholeCycles->value, cycles + collectives));
            QVERIFY(row.wholeOfFloor->value >= 1 - 1e-9);
        }
        const auto lines = languageLines(summary);
        const auto of = [&](const char* name) {
            return std::ranges::count_if(lines, [&](const LanguageLine& l) { return l.name == name; });
        };
        QCOMPARE(of("time of collectives in a step"), 1);
        QCOMPARE(of("bytes of weights a chip"), 1);
    }
}

void TestLlmChips::rule_8_3_oneChipIsAsBefore_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama-3.1-8b", "deepseek-v3", "gpt-oss-20b", "gpt2", "bert-base", "vit-base"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestLlmChips::rule_8_3_oneChipIsAsBefore()
{
    QFETCH(QString, name);
    const LlmConfig config = published(name.toStdString());
    QVERIFY(*optionsOf({{"chips", 1}, {"stages", 1}}) == LlmOptions());
    QVERIFY(dimensionsOf(LlmOptions()).empty());
    const LlmOptions options =
        config.causal ? decode(4, 100, 1) : prefill(4, config.images.patch > 0 ? 0 : 100, 1);
    const LlmModel model = build(config, options);
    QVERIFY(model.config == config && model.whole == config);
    for (const char* preset : {"edge", "h100"}) {
        const Machine machine = *machinePreset(preset);
        const LanguageFigures f = languageFigures(model, machine);
        const lower::StepFloor floor = lower::stepFloor(config, model.options, machine, machine.cores);
        const double ms = floor.cycles.value / (machine.clockGhz * 1e6);
        QVERIFY(f.floor.cycles == floor.cycles); // every part of it
        QVERIFY(f.step.value == ms);
        QCOMPARE(std::string(f.binds), std::string(floor.boundByMemory() ? "memory" : "compute"));
        const F time = config.causal ? F::TimePerOutputToken : F::TimeToFirstToken;
        QVERIFY(f.of(time)->value == ms);
        if (config.causal) {
            QVERIFY(f.of(F::TokensPerSecond)->value == 4 * 1000 / ms);
            QVERIFY(f.of(F::KvBytes)->value == 4 * kvBytes(config, 101));
        }
        QVERIFY(!f.of(F::WeightBytesOfChip) && !f.of(F::KvBytesOfChip) && !f.of(F::CollectiveTime));
        for (const LanguageLine& line : languageLines(f))
            QVERIFY2(line.name.find("chip") == std::string::npos &&
                         line.name.find("collectives") == std::string::npos,
                     line.name.c_str());
    }
}

void TestLlmChips::rule_8_3_chipsAreAnAxisOfASweep()
{
    const test::SweepFolder folder;
    QVERIFY(QFile::copy(QString::fromStdString(test_llm::publishedFile("llama-3.1-70b")),
                        folder.path("config.json")));
    folder.write("plan.json", R"({"workload": "config.json", "machine": "h100", "lens": "language",
        "dimensions": {"phase": 2, "batch": 16, "cached": 1000},
        "axes": [{"name": "dimensions.stages", "values": [1, 2]},
                 {"name": "dimensions.chips", "values": [1, 8, 3]}]})");
    const auto sweep = sweep::loadSweep(folder.path("plan.json").toStdString());
    QVERIFY2(sweep, sweep ? "" : sweep.error().text().c_str());
    const LlmConfig llama = published("llama-3.1-70b");
    const Machine h100 = *machinePreset("h100");
    std::size_t i = 0;
    for (const std::int64_t stages : {1, 2})
        for (const std::int64_t chips : {1, 8, 3}) {
            const sweep::PointResult point = *sweep::computePoint(*sweep, i++);
            if (chips == 3) {
                QVERIFY(point.failed());
                QVERIFY2(point.error.find("3 chips cannot share the 64 heads of queries") !=
                             std::string::npos,
                         point.error.c_str());
                continue;
            }
            QVERIFY2(!point.failed(), point.error.c_str());
            const LanguageFigures f = languageFigures(build(llama, decode(16, 1000, chips, stages)), h100);
            QVERIFY(near(point.metrics[0], value(f, F::TimePerOutputToken)));
            QVERIFY(near(point.metrics[2], value(f, F::TokensPerSecond)));
            QVERIFY(near(point.metrics[1], 1000 / value(f, F::TokensPerSecond)));
            const bool group = chips * stages > 1;
            QVERIFY(near(point.metrics[5], group ? value(f, F::WeightBytesOfChip) + value(f, F::KvBytesOfChip)
                                                 : value(f, F::WeightBytes) + value(f, F::KvBytes)));
        }
    // A machine without links has the points of one chip.
    folder.write("plan.json", R"({"workload": "config.json", "machine": "edge", "lens": "language",
        "dimensions": {"phase": 2}, "axes": [{"name": "dimensions.chips", "values": [1, 2]}]})");
    const auto unlinked = sweep::loadSweep(folder.path("plan.json").toStdString());
    QVERIFY(unlinked);
    QVERIFY(!sweep::computePoint(*unlinked, 0)->failed());
    QVERIFY(sweep::computePoint(*unlinked, 1)->error.find("links.gb_per_s") != std::string::npos);
}

TILEWRIGHT_TEST(TestLlmChips)

} // namespace test_llm_chips

#include "test_llm_chips.moc"
