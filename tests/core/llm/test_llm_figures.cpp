// SPDX-License-Identifier: GPL-3.0-or-later
// Key figures of language models on machines (docs/rules/llm.md 7).
#include "edit/fit.h"
#include "llm_files.h"
#include "test_main.h"
#include "verbs/summary_rows.h"

#include <QTest>

#include <cmath>

namespace test_llm_figures {

using namespace tilewright;
using namespace tilewright::llm;
using namespace tilewright::verbs;
using test_llm::publishedFile;
using test_llm::small;

namespace {

using F = LanguageFigure;

LlmScope scopeOf(const LlmConfig& config, const LlmOptions& options)
{
    auto out = llmModel(config, options);
    if (!out)
        qFatal("%s", out.error().text().c_str());
    return *out;
}

LlmOptions decode(std::int64_t batch, std::int64_t cached)
{
    LlmOptions o;
    o.phase = LlmPhase::Decode;
    o.batch = batch;
    o.cached = cached;
    return o;
}

double value(const LanguageFigures& figures, F figure)
{
    return figures.of(figure) ? figures.of(figure)->value : -1;
}

/// The summary of a configuration with the rows of these kinds.
SummarySubject subjectFor(const LlmConfig& config, const LlmOptions& options, const char* machine)
{
    auto built = llmModel(config, options);
    if (!built)
        qFatal("%s", built.error().text().c_str());
    auto workload = std::make_shared<lower::Workload>();
    workload->model = built->model;
    workload->language = static_cast<const LlmScope&>(*built);
    SummarySubject subject;
    subject.workload.workload = workload;
    subject.workload.machine = *machinePreset(machine);
    auto model = putOnMachine(subject.workload);
    if (!model)
        qFatal("%s", model.error().text().c_str());
    subject.model = *model;
    subject.rules = *RulesCall().rules(*subject.model->problem);
    return subject;
}

Summary summaryOf(const LlmConfig& config, const LlmOptions& options, const char* machine,
                  const std::vector<SummaryKind>& kinds)
{
    const SummarySubject subject = subjectFor(config, options, machine);
    Summary out = emptySummary(subject);
    for (const SummaryKind kind : kinds)
        out.rows[static_cast<std::size_t>(kind)] = summaryRow(subject, kind);
    return out;
}

const SummaryRow& rowOf(const Summary& summary, SummaryKind kind)
{
    return summary.rows[static_cast<std::size_t>(kind)];
}

} // namespace

class TestLlmFigures : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void figuresOfLlamaAreThoseByHand();
    void workIsTheMultiplyAccumulatesWithCausalPairsOnce();
    void pairsOfWindowsAreCounted();
    void theKneeIsWhereComputeBinds();
    void theLongestContextFits();
    void bitsBuyTime();
    void theWholeModelIsThatOfAllLayers();
    void operatorsThatRunTogetherCountOnce();
    void operatorsThatOverlapShareCycles();
    void noRowIsBelowTheFloor_data();
    void noRowIsBelowTheFloor();
    void otherModelsHaveNone();
};

void TestLlmFigures::figuresOfLlamaAreThoseByHand()
{
    const LlmConfig config = test_llm::published("llama-3.1-8b");
    Machine machine = *machinePreset("h100");
    const LanguageFigures f = languageFigures(scopeOf(config, decode(8, 1000)), machine);
    QCOMPARE(value(f, F::Parameters), 8'030'261'248.0);
    QCOMPARE(value(f, F::WeightBytes), 16'060'522'496.0);
    QCOMPARE(value(f, F::KvBytesPerToken), 131'072.0);
    QCOMPARE(value(f, F::KvBytes), 8.0 * 1001 * 131'072);
    // every matrix but the embedding, 32 layers of 32 heads with 1001 keys of 128 + 128
    const double matrices = 8'030'261'248.0 - 128256.0 * 4096 - 65.0 * 4096;
    const double macs = matrices + 32.0 * 32 * 1001 * 256;
    QCOMPARE(value(f, F::FlopsPerToken), 2 * macs);
    // weights, 8 rows of the embedding, the cache, and its new tokens, at 2 bytes
    const double bytes = 2 * (matrices + 65.0 * 4096 + 8 * 4096) + 8 * 1001 * 131'072.0;
    const double memoryMs = bytes / (machine.at(MachineLevel::External).gbPerSecond * 1e6);
    QCOMPARE(value(f, F::TimePerOutputToken), memoryMs);
    QCOMPARE(value(f, F::TokensPerSecond), 8 * 1000 / memoryMs);
    QVERIFY(f.floor.boundByMemory());
    // a prompt of 1000 tokens, 8 times: each pair once, the head for the last token
    const double head = 128256.0 * 4096, pairs = 1000 * 1001 / 2;
    const double prefill = 8 * (1000 * (matrices - head) + head + 32.0 * 32 * pairs * 256);
    const double rate = 132.0 * 4 * 16 * 32 * machine.macsPerCycle(16, 16) * machine.clockGhz * 1e6;
    QVERIFY(std::abs(value(f, F::TimeToFirstToken) / (prefill / rate) - 1) < 1e-9);
}

void TestLlmFigures::workIsTheMultiplyAccumulatesWithCausalPairsOnce()
{
    for (const char* name : {"llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gpt-oss-20b", "gpt2"}) {
        const LlmConfig config = test_llm::published(name);
        auto model = llmModel(config, decode(4, 600));
        QVERIFY(model);
        std::int64_t macs = 0;
        for (std::size_t i = 0; i < model->model.operators.size(); ++i)
            macs += model->countOf(OperatorId(i)) *
                    model::macsOf(model->model, model->model.operators[OperatorId(i)]);
        const LlmWork work = llmWork(model->config, model->options, 16 * kBit);
        QCOMPARE(work.totalMacs(), static_cast<double>(macs)); // one query sees all keys
        double products = 0;
        for (const LlmProducts& p : work.products)
            products += p.macs;
        QCOMPARE(products, work.totalMacs());
    }
}

void TestLlmFigures::pairsOfWindowsAreCounted()
{
    const auto counted = [](std::int64_t tokens, std::int64_t cached, std::int64_t window) {
        std::int64_t out = 0;
        for (std::int64_t i = 0; i < tokens; ++i) {
            const std::int64_t seen = cached + i + 1;
            out += window > 0 ? std::min(seen, window) : seen;
        }
        return static_cast<double>(out);
    };
    for (const std::int64_t tokens : {1, 7, 100})
        for (const std::int64_t cached : {0, 5, 64})
            for (const std::int64_t window : {0, 1, 8, 30, 500})
                QCOMPARE(visiblePairs(tokens, cached, window, true), counted(tokens, cached, window));
    QCOMPARE(visiblePairs(10, 0, 0, false), 100.0);
}

void TestLlmFigures::theKneeIsWhereComputeBinds()
{
    const LlmConfig config = test_llm::published("llama-3.1-8b");
    const Machine machine = *machinePreset("h100");
    const auto knee = batchAtKnee(config, 128, machine, machine.cores);
    QVERIFY(knee);
    QVERIFY(*knee > 1);
    const auto floorAt = [&](std::int64_t batch) {
        return lower::stepFloor(config, *resolved(config, decode(batch, 128)), machine, machine.cores);
    };
    QVERIFY(floorAt(*knee).compute.value >= floorAt(*knee).memory.value);
    QVERIFY(floorAt(*knee - 1).compute.value < floorAt(*knee - 1).memory.value);
    QVERIFY(!batchAtKnee(config, 1 << 20, machine, machine.cores)); // the cache alone takes longer
}

void TestLlmFigures::theLongestContextFits()
{
    const LlmConfig llama = test_llm::published("llama-3.1-8b");
    QCOMPARE(*longestContext(llama, 2, 2 * 131'072.0 * 5000 + 1), 5000);
    QCOMPARE(*longestContext(llama, 2, 2 * 131'072.0 * 5000 - 1), 4999);
    QCOMPARE(*longestContext(llama, 1, 0), 0);
    const LlmConfig mistral = test_llm::published("mistral-7b"); // no layer keeps more than 4096
    QVERIFY(!longestContext(mistral, 1, kvBytes(mistral, 4096)));
    QVERIFY(!longestContext(test_llm::published("bert-base"), 1, 0));
    // h100: 80 GB
    const LanguageFigures f = languageFigures(scopeOf(llama, decode(1, 10)), *machinePreset("h100"));
    const double room = static_cast<double>(machinePreset("h100")->at(MachineLevel::External).totalBytes()) -
                        16'060'522'496.0;
    QCOMPARE(value(f, F::LongestContext), std::floor(room / 131'072));
    const LanguageFigures none = languageFigures(scopeOf(llama, decode(1, 10)), *machinePreset("edge"));
    QCOMPARE(value(none, F::LongestContext), 0.0);
}

void TestLlmFigures::bitsBuyTime()
{
    const LlmConfig config = test_llm::published("llama-3.1-8b");
    LlmOptions narrow = decode(1, 1000);
    narrow.weightBits = 4 * kBit;
    const Machine machine = *machinePreset("h100");
    const double before =
        value(languageFigures(scopeOf(config, decode(1, 1000)), machine), F::TimePerOutputToken);
    const double after = value(languageFigures(scopeOf(config, narrow), machine), F::TimePerOutputToken);
    // the layers' matrices take a quarter; the head and the cache stay
    const double layers = 2.0 * 32 * (2 * 4096.0 * 4096 + 2 * 4096.0 * 1024 + 3 * 4096.0 * 14336);
    const double saved = layers * 0.75 / (machine.at(MachineLevel::External).gbPerSecond * 1e6);
    QVERIFY(std::abs(before - after - saved) < 1e-9 * before);
}

void TestLlmFigures::theWholeModelIsThatOfAllLayers()
{
    const auto config = small(R"(, "num_key_value_heads": 2, "sliding_window": 32, "layer_types": [
        "full_attention", "sliding_attention", "sliding_attention", "sliding_attention"])",
                              "qwen3");
    QVERIFY(config);
    for (const LlmOptions& options : {decode(2, 64), LlmOptions{LlmPhase::Prefill, 1, 64}}) {
        const std::vector<SummaryKind> kinds{SummaryKind::Schedule, SummaryKind::Systolic};
        LlmOptions all = options;
        all.layers = kAllLayers;
        const Summary one = summaryOf(*config, options, "edge", kinds);
        const Summary whole = summaryOf(*config, all, "edge", kinds);
        for (const SummaryKind kind : kinds) {
            const auto& of = rowOf(one, kind).wholeCycles;
            QVERIFY2(of, rowOf(one, kind).error.c_str());
            const double cycles = rowOf(whole, kind).of(SummaryFigure::Cycles)->value;
            QVERIFY2(std::abs(of->value / cycles - 1) < 1e-9, std::string(toString(kind)).c_str());
            QVERIFY(std::abs(rowOf(whole, kind).wholeCycles->value / cycles - 1) < 1e-9);
        }
    }
}

/// Operators of one subgraph had its whole latency each, so that a fused schedule looked slower.
void TestLlmFigures::operatorsThatRunTogetherCountOnce()
{
    const auto config = small("", "llama");
    QVERIFY(config);
    SummarySubject subject = subjectFor(*config, decode(2, 64), "edge");
    const Problem& problem = *subject.model->problem;
    const LlmScope& scope = *subject.model->workload->language;
    Schedule schedule = oneOpPerSubgraph(problem, subject.rules);
    const auto countOf = [&](std::size_t i) {
        return scope.countOf(subject.model->operatorOf(schedule.subgraphs[i]->ops.front()));
    };
    std::size_t fused = 0;
    for (std::size_t i = 0; i + 1 < schedule.size(); ++i) {
        if (countOf(i) != countOf(i + 1) || countOf(i) < 2)
            continue;
        Schedule next = schedule;
        Subgraph both = *schedule.subgraphs[i];
        both.ops.insert(both.ops.end(), schedule.subgraphs[i + 1]->ops.begin(),
                        schedule.subgraphs[i + 1]->ops.end());
        next.subgraphs[i] = std::make_shared<const Subgraph>(both);
        next.subgraphs.erase(next.subgraphs.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        if (evaluate(problem, next, subject.rules).valid()) {
            schedule = next;
            ++fused;
        }
    }
    QVERIFY(fused > 0);
    subject.schedule = schedule;
    const Evaluation evaluation = evaluate(problem, schedule, subject.rules);
    double expected = 0;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        expected += evaluation.subgraphs[i].latency * static_cast<double>(countOf(i)) *
                    static_cast<double>(subject.model->lowered.timeUnit);
    const SummaryRow row = summaryRow(subject, SummaryKind::Schedule);
    QVERIFY2(row.wholeCycles, row.error.c_str());
    QVERIFY(std::abs(row.wholeCycles->value / expected - 1) < 1e-9);
}

void TestLlmFigures::operatorsThatOverlapShareCycles()
{
    // [0, 10) and [4, 8) are two for four cycles; [20, 26) is alone; an empty one gets nothing
    const std::vector<double> shared = lower::sharedCycles({{0, 10}, {4, 8}, {20, 26}, {5, 5}});
    QCOMPARE(shared, (std::vector<double>{8, 2, 6, 0}));
}

void TestLlmFigures::noRowIsBelowTheFloor_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"llama-3.1-8b", "deepseek-v2-lite", "gpt-oss-20b", "gemma-3-1b", "gpt2", "bert-base"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestLlmFigures::noRowIsBelowTheFloor()
{
    QFETCH(QString, name);
    const LlmConfig config = test_llm::published(name.toStdString());
    std::vector<LlmOptions> cases{{LlmPhase::Prefill, 1, 64}};
    if (config.causal)
        cases.push_back(decode(1, 100));
    for (const LlmOptions& options : cases)
        for (const char* machine : {"edge", "tpu-v1"}) {
            const std::vector<SummaryKind> kinds{SummaryKind::Schedule, SummaryKind::ScheduleRun,
                                                 SummaryKind::Systolic};
            const Summary summary = summaryOf(config, options, machine, kinds);
            for (const SummaryKind kind : kinds) {
                const SummaryRow& row = rowOf(summary, kind);
                QVERIFY2(row.wholeOfFloor, row.error.c_str());
                QVERIFY2(row.wholeOfFloor->value >= 1 - 1e-9, row.how.c_str());
            }
            QCOMPARE(languageLines(summary).size() > kLanguageFigures, true);
        }
}

void TestLlmFigures::otherModelsHaveNone()
{
    WorkloadCall call;
    call.file = TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json";
    QVERIFY(readFiles(call));
    SummarySubject subject;
    subject.workload = call;
    subject.model = *putOnMachine(call);
    subject.rules = *RulesCall().rules(*subject.model->problem);
    const Summary summary = quickSummary(subject);
    QVERIFY(!summary.language);
    QVERIFY(languageLines(summary).empty());
    QVERIFY(!rowOf(summary, SummaryKind::Schedule).wholeCycles);
    QVERIFY(summaryJson(std::span(&summary, 1), false).find("language_model") == std::string::npos);
}

TILEWRIGHT_TEST(TestLlmFigures)

} // namespace test_llm_figures

#include "test_llm_figures.moc"
