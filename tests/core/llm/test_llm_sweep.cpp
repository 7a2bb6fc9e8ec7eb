// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps along dimensions of the workload, and of steps of language models: docs/rules/sweep.md 1.2 and 3.5.
#include "llm_files.h"
#include "sweep/run.h"
#include "sweep_support.h"
#include "test_main.h"
#include "verbs/summary.h"

#include <QTest>

namespace test_llm_sweep {

using namespace tilewright;
using namespace tilewright::test;

namespace {

const QString kLlama = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/language/llama-3.1-8b.config.json");
const QString kSmall =
    QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/llm/gpt2.config.json"); // quick to run

/// A plan beside a configuration.
struct Folder : SweepFolder
{
    explicit Folder(const QString& config = kLlama) { QFile::copy(config, path("config.json")); }
    [[nodiscard]] Result<sweep::Sweep> load(const QByteArray& plan) const
    {
        write("plan.json", plan);
        return sweep::loadSweep(path("plan.json").toStdString());
    }
    /// Results by point.
    [[nodiscard]] std::map<std::size_t, sweep::PointResult> run(const QByteArray& plan) const
    {
        const auto read = load(plan);
        if (!read)
            qFatal("%s", read.error().text().c_str());
        std::map<std::size_t, sweep::PointResult> out;
        for (std::size_t i = 0; i < read->plan().pointCount(); ++i)
            out[i] = *sweep::computePoint(*read, i);
        return out;
    }
};

/// The summary of the configuration as the verb makes it.
verbs::Summary summaryOf(const Folder& folder, const std::map<std::string, std::int64_t>& dimensions,
                         const char* machine, std::optional<verbs::SummaryKind> kind)
{
    auto workload = lower::loadWorkload(folder.path("config.json").toStdString(), dimensions);
    if (!workload)
        qFatal("%s", workload.error().text().c_str());
    verbs::SummarySubject subject;
    subject.workload.workload = std::make_shared<const lower::Workload>(std::move(*workload));
    subject.workload.machine = *machinePreset(machine);
    subject.model = *verbs::putOnMachine(subject.workload);
    subject.rules = *verbs::RulesCall::ofFile().rules(*subject.model->problem);
    verbs::Summary out = verbs::emptySummary(subject);
    if (kind)
        out.rows[static_cast<std::size_t>(*kind)] = verbs::summaryRow(subject, *kind);
    return out;
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b);
}

} // namespace

class TestLlmSweep : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void rule_3_5_theFloorIsThatOfTheSummary();
    void rule_3_5_stepsAreThoseOfTheSummary_data();
    void rule_3_5_stepsAreThoseOfTheSummary();
    void rule_1_2_everyLensHasDimensions();
    void rule_1_2_machinesAreAnAxis();
    void rule_1_5_rulesAreThoseOfTheProblem();
    void whatNoModelHasIsRefused_data();
    void whatNoModelHasIsRefused();
};

void TestLlmSweep::rule_3_5_theFloorIsThatOfTheSummary()
{
    const Folder folder;
    const auto results = folder.run(R"({"workload": "config.json", "machine": "tpu-v4i", "lens": "language",
        "dimensions": {"phase": 2},
        "axes": [{"name": "dimensions.batch", "values": [1, 8]}, {"name": "dimensions.cached", "values": [1024, 4096]}]})");
    QCOMPARE(results.size(), std::size_t{4});
    std::size_t i = 0;
    for (const std::int64_t batch : {1, 8})
        for (const std::int64_t cached : {1024, 4096}) {
            const auto summary =
                summaryOf(folder, {{"phase", 2}, {"batch", batch}, {"cached", cached}}, "tpu-v4i", {});
            const sweep::PointResult& point = results.at(i++);
            QVERIFY2(!point.failed(), point.error.c_str());
            const auto figure = [&](verbs::LanguageFigure f) { return summary.language->of(f)->value; };
            QVERIFY(near(point.metrics[0], figure(verbs::LanguageFigure::TimePerOutputToken)));
            QVERIFY(near(point.metrics[2], figure(verbs::LanguageFigure::TokensPerSecond)));
            QVERIFY(near(point.metrics[1] * static_cast<double>(batch), point.metrics[0]));
            QCOMPARE(point.metrics[3], point.metrics[0]);
            QCOMPARE(point.metrics[4], 1.0);
            QVERIFY(near(point.metrics[5], figure(verbs::LanguageFigure::WeightBytes) +
                                               figure(verbs::LanguageFigure::KvBytes)));
        }
}

void TestLlmSweep::rule_3_5_stepsAreThoseOfTheSummary_data()
{
    QTest::addColumn<QByteArray>("what");
    QTest::addColumn<int>("kind");
    QTest::newRow("schedule") << QByteArray("evaluate") << static_cast<int>(verbs::SummaryKind::Schedule);
    QTest::newRow("npu") << QByteArray("dynamic") << static_cast<int>(verbs::SummaryKind::Npu);
}

void TestLlmSweep::rule_3_5_stepsAreThoseOfTheSummary()
{
    QFETCH(QByteArray, what);
    QFETCH(int, kind);
    const Folder folder(kSmall);
    const auto results =
        folder.run(R"({"workload": "config.json", "machine": "tpu-v4i", "lens": "language", "what": ")" +
                   what + R"(", "dimensions": {"phase": 2, "cached": 512},
        "axes": [{"name": "dimensions.batch", "values": [4]}]})");
    const auto row = static_cast<verbs::SummaryKind>(kind);
    const auto summary = summaryOf(folder, {{"phase", 2}, {"cached", 512}, {"batch", 4}}, "tpu-v4i", row);
    const sweep::PointResult& point = results.at(0);
    QVERIFY2(!point.failed(), point.error.c_str());
    const verbs::SummaryRow& expected = summary.rows[static_cast<std::size_t>(kind)];
    QVERIFY2(expected.state == verbs::SummaryRow::State::Done, expected.error.c_str());
    QVERIFY(near(point.metrics[0], *verbs::wholeMilliseconds(summary, expected)));
    QVERIFY(near(point.metrics[4], expected.wholeOfFloor->value));
    QVERIFY(point.metrics[4] >= 1);
}

void TestLlmSweep::rule_1_2_everyLensHasDimensions()
{
    const Folder folder(kSmall);
    for (const char* lens : {R"("npu")", R"("systolic")"}) {
        const auto results =
            folder.run(QByteArray(R"({"workload": "config.json", "machine": "edge", "lens": )") + lens +
                       R"(, "axes": [{"name": "dimensions.prompt", "values": [64, 128]}]})");
        QVERIFY2(!results.at(0).failed() && !results.at(1).failed(), results.at(0).error.c_str());
        QVERIFY(results.at(0).metrics[0] < results.at(1).metrics[0]);
    }
}

/// Which machine serves the model at 50 ms a token?
void TestLlmSweep::rule_1_2_machinesAreAnAxis()
{
    const Folder folder;
    const char* const machines[] = {"edge", "tpu-v4i", "h100"};
    const auto results =
        folder.run(R"({"workload": "config.json", "lens": "language", "dimensions": {"phase": 2},
        "axes": [{"name": "machine", "values": ["edge", "tpu-v4i", "h100"]}, {"name": "dimensions.batch", "values": [1, 4]}]})");
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto summary =
            summaryOf(folder, {{"phase", 2}, {"batch", i % 2 == 0 ? 1 : 4}}, machines[i / 2], {});
        QVERIFY(near(results.at(i).metrics[0],
                     summary.language->of(verbs::LanguageFigure::TimePerOutputToken)->value));
    }
    QVERIFY(results.at(0).metrics[0] > 50 && results.at(2).metrics[0] < 50);
}

void TestLlmSweep::rule_1_5_rulesAreThoseOfTheProblem()
{
    const Folder folder;
    const auto latency = [&](const QByteArray& rules) {
        return folder.run(R"({"workload": "config.json", "machine": "edge", "what": "bound")" + rules +
                          R"(, "axes": [{"name": "dimensions.prompt", "values": [64]}]})");
    };
    QCOMPARE(latency({}), latency(R"(, "rules": "machine")"));
    QVERIFY(latency({}) != latency(R"(, "rules": "seed")"));
}

void TestLlmSweep::whatNoModelHasIsRefused_data()
{
    QTest::addColumn<QByteArray>("plan");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const char* plan, const char* sentence) {
        QTest::newRow(name) << QByteArray(plan) << QString::fromLatin1(sentence);
    };
    row("another model",
        R"({"workload": "block.json", "lens": "language", "axes": [{"name": "cores", "values": [1]}]})",
        "is not the config.json of a language model");
    row("a dimension that no model has",
        R"({"workload": "config.json", "lens": "language", "axes": [{"name": "dimensions.tiles", "values": [1]}]})",
        "tiles");
    row("a block without dimensions",
        R"({"workload": "block.json", "lens": "systolic", "axes": [{"name": "dimensions.batch", "values": [1]}]})",
        "batch");
    row("no preset",
        R"({"workload": "config.json", "lens": "language", "axes": [{"name": "machine", "values": ["abacus"]}]})",
        "axes[0].values[0]: \"abacus\" is not a preset of a machine");
    row("no size",
        R"({"workload": "config.json", "lens": "language", "axes": [{"name": "dimensions.batch", "values": [1, "many"]}]})",
        "axes[0].values[1]: \"many\" is not a size");
}

void TestLlmSweep::whatNoModelHasIsRefused()
{
    QFETCH(QByteArray, plan);
    QFETCH(QString, sentence);
    const Folder folder;
    QFile::copy(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json"),
                folder.path("block.json"));
    const auto read = folder.load(plan);
    QVERIFY(!read);
    const QString text = QString::fromStdString(read.error().text());
    QVERIFY2(text.contains(sentence) && text.contains(QStringLiteral("plan.json")), qPrintable(text));
}

TILEWRIGHT_TEST(TestLlmSweep)

} // namespace test_llm_sweep
#include "test_llm_sweep.moc"
