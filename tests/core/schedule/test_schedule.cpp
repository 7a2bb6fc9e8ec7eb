// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/notice.h"
#include "edit/fit.h"
#include "schedule/schedule.h"
#include "schedule/schedule_json.h"
#include "test_main.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <fstream>
#include <nlohmann/json.hpp>

namespace test_schedule {

using namespace tilewright;
using Json = nlohmann::ordered_json;

namespace {

const std::string kOracles = TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/schedule/";

/// Two pointwise ops in a row on 8 x 8 tensors.
ProblemPtr chain()
{
    return *readProblem(
        R"({"widths": [8, 8, 8], "heights": [8, 8, 8], "inputs": [[0], [1]], "outputs": [[1], [2]],
        "base_costs": [10, 10], "op_types": ["Pointwise", "Pointwise"], "fast_memory_capacity": 1000,
        "slow_memory_bandwidth": 1, "native_granularity": [8, 8]})",
        "chain.json");
}

Json plain()
{
    return Json::parse(R"({"subgraphs": [[0], [1]], "granularities": [[4, 4, 1], [4, 4, 1]],
        "tensors_to_retain": [[1], []], "traversal_orders": [null, [0, 1, 3, 2]], "subgraph_latencies": [1.5, 2]})");
}

LoadedSchedule must(const Json& json)
{
    auto loaded = readSchedule(*chain(), json.dump(), "s.json");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return *loaded;
}

/// "CODE subgraph: text" of the first format issue, the error's text, or "".
QString verdictOf(const Json& json)
{
    const auto loaded = readSchedule(*chain(), json.dump(), "s.json");
    if (!loaded)
        return QString::fromStdString(loaded.error().text());
    if (loaded->formatIssues.empty())
        return {};
    const Issue& issue = loaded->formatIssues.front();
    return QString("%1 %2: %3")
        .arg(QString::fromStdString(std::string(issueCodeName(issue.code))))
        .arg(issue.subgraph ? QString::number(issue.subgraph->value) : QString("-"))
        .arg(QString::fromStdString(issue.text));
}

/// The chain with names; with `other`, its ops stand in another order and one of them has another name.
ProblemPtr namedChain(bool other)
{
    Json json = Json::parse(
        R"({"widths": [8, 8, 8], "heights": [8, 8, 8], "inputs": [[0], [1]], "outputs": [[1], [2]],
        "base_costs": [10, 10], "op_types": ["Pointwise", "Pointwise"], "fast_memory_capacity": 1000,
        "slow_memory_bandwidth": 1, "native_granularity": [8, 8]})");
    if (!other) {
        json["op_names"] = {"relu", "scale"};
        json["tensor_names"] = {"x", "y", "z"};
    } else { // tensors z, y, x; ops scale, relu
        json["inputs"] = {{1}, {2}};
        json["outputs"] = {{0}, {1}};
        json["op_names"] = {"scale", "rectify"};
        json["tensor_names"] = {"z", "y", "x"};
    }
    return *readProblem(json.dump(), "named.json");
}

/// Sentences that notice() tells while `f` runs.
template <typename F> QStringList toldBy(const F& f)
{
    QStringList told;
    setNoticeHandler([&](const Error& what) { told << QString::fromStdString(what.text()); });
    f();
    setNoticeHandler({});
    return told;
}

} // namespace

class TestSchedule : public QObject
{
    Q_OBJECT

private slots:
    /// R18: a saved schedule names its ops and tensors.
    void real_r18_aScheduleNamesItsOps()
    {
        const auto schedule = readSchedule(*namedChain(false), plain().dump(), "s.json");
        const Json written = Json::parse(*writeSchedule(*namedChain(false), schedule->schedule));
        QVERIFY(written["op_names"] == Json::parse(R"(["relu", "scale"])"));
        QVERIFY(written["tensor_names"] == Json::parse(R"(["x", "y", "z"])"));
        // A problem without names has a file in the form of the contest.
        QVERIFY(!Json::parse(*writeSchedule(*chain(), must(plain()).schedule)).contains("op_names"));
    }
    void real_r18_opsAreMatchedByName()
    {
        Json file = plain();
        file["op_names"] = {"relu", "scale"};
        file["tensor_names"] = {"x", "y", "z"};
        std::optional<LoadedSchedule> read;
        QStringList told =
            toldBy([&] { read = *readSchedule(*namedChain(false), file.dump(), "same.json"); });
        QCOMPARE(told, QStringList());
        QVERIFY(read->schedule == must(plain()).schedule);

        told = toldBy([&] { read = *readSchedule(*namedChain(true), file.dump(), "other.json"); });
        QCOMPARE(told,
                 QStringList("other.json: op_names: the problem has no op relu; left out of the schedule"));
        QVERIFY(read->formatIssues.empty());
        QCOMPARE(read->schedule.size(), 1U); // that of relu is left out, and what it retains with it
        QVERIFY(read->schedule[SubgraphId(0)].ops == std::vector{OpId(0)});
        QCOMPARE(read->schedule[SubgraphId(0)].traversal.kind(), TraversalKind::Snake);

        // None of its ops: it is a schedule of another problem.
        file["op_names"] = {"conv", "pool"};
        const auto foreign = readSchedule(*namedChain(true), file.dump(), "foreign.json");
        QVERIFY(!foreign);
        QCOMPARE(QString::fromStdString(foreign.error().text()),
                 "foreign.json: op_names: is a schedule of another problem: " +
                     QString::fromStdString(namedChain(true)->name()) +
                     " has none of its 2 ops, such as conv");

        file["op_names"] = {"rectify", "scale"};
        told = toldBy([&] { read = *readSchedule(*namedChain(true), file.dump(), "renumbered.json"); });
        QCOMPARE(told, QStringList());
        QCOMPARE(read->schedule.size(), 2U);
        QVERIFY(read->schedule[SubgraphId(0)].ops == std::vector{OpId(1)});
        QVERIFY(read->schedule[SubgraphId(0)].retain == std::vector{TensorId(1)});
        QVERIFY(read->schedule[SubgraphId(1)].ops == std::vector{OpId(0)});
    }
    void real_r18_equalNamesAreMatchedInOrder()
    {
        Json problem = Json::parse(writeProblem(*namedChain(false)));
        problem["op_names"] = {"relu", "relu"};
        problem["tensor_names"] = {"", "y", "y"};
        Json file = plain();
        file["op_names"] = {"relu", "relu", "gone"};
        file["tensor_names"] = {"x", "y"};
        std::optional<LoadedSchedule> read;
        const QStringList told = toldBy([&] {
            read = *readSchedule(**readProblem(problem.dump(), "p.json"), file.dump(), "equal.json");
        });
        QCOMPARE(told.size(), 2);
        QVERIFY(read->schedule == must(plain()).schedule);
    }
    /// A schedule of a model whose file has no names is taken by number, and says so.
    void real_r18_aScheduleWithoutNamesSaysSo()
    {
        Json file = plain();
        QCOMPARE(toldBy([&] { (void)readSchedule(*namedChain(false), file.dump(), "bare.json"); }),
                 QStringList());
        file["machine"] = "edge";
        const QStringList told =
            toldBy([&] { (void)readSchedule(*namedChain(false), file.dump(), "old.json"); });
        QCOMPARE(told.size(), 1);
        QVERIFY2(told.front().contains("does not name its ops"), qPrintable(told.front()));
    }
    void rule_2_1_fields()
    {
        const Schedule s = must(plain()).schedule;
        QCOMPARE(s.size(), 2u);
        QCOMPARE(s[SubgraphId(1)].ops, std::vector<OpId>{OpId(1)});
        QCOMPARE(s[SubgraphId(0)].granularity, (Granularity{4, 4, 1}));
        QCOMPARE(s[SubgraphId(0)].retain, std::vector<TensorId>{TensorId(1)});
        QCOMPARE(s[SubgraphId(0)].traversal.kind(), TraversalKind::Raster);
        QCOMPARE(s[SubgraphId(1)].traversal.kind(), TraversalKind::Snake);
        QCOMPARE(s[SubgraphId(0)].reportedLatency, std::optional(1.5));

        auto absent = plain();
        absent.erase("traversal_orders");
        absent.erase("subgraph_latencies");
        const Schedule t = must(absent).schedule;
        QCOMPARE(t[SubgraphId(1)].traversal.kind(), TraversalKind::Raster);
        QVERIFY(!t[SubgraphId(1)].reportedLatency);
        for (const char* key : {"subgraphs", "granularities", "tensors_to_retain"}) {
            auto json = plain();
            json.erase(key);
            QCOMPARE(verdictOf(json), QString("s.json: the field \"%1\" is missing").arg(key));
        }
    }

    void rule_2_2_lengths()
    {
        for (const char* key :
             {"granularities", "tensors_to_retain", "traversal_orders", "subgraph_latencies"}) {
            auto json = plain();
            json[key].erase(1);
            QCOMPARE(verdictOf(json), QString("FORMAT -: %1 has 1 entries, but subgraphs has 2").arg(key));
        }
        // Unequal lengths come before anything wrong inside.
        auto both = plain();
        both["subgraphs"][0] = Json::array();
        both["granularities"].push_back({1, 1, 1});
        QCOMPARE(verdictOf(both), QString("FORMAT -: granularities has 3 entries, but subgraphs has 2"));
    }

    void rule_2_2_format_data()
    {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("empty") << "[]"
                               << "FORMAT 1: subgraphs[1]: a subgraph needs at least one op";
        QTest::newRow("range") << "[1, 2]"
                               << "FORMAT 1: subgraphs[1][1]: op 2 does not exist, there are 2";
        QTest::newRow("negative") << "[-1]"
                                  << "FORMAT 1: subgraphs[1][0]: op -1 does not exist, there are 2";
        QTest::newRow("huge") << "[1e30]"
                              << "FORMAT 1: subgraphs[1][0]: op 1e+30 does not exist, there are 2";
        QTest::newRow("twice") << "[1, 1]"
                               << "FORMAT 1: subgraphs[1][1]: op 1 is listed twice";
    }
    void rule_2_2_format()
    {
        QFETCH(QString, ops);
        auto json = plain();
        json["subgraphs"][1] = Json::parse(ops.toStdString());
        QTEST(verdictOf(json), "verdict");
    }

    void rule_2_2_granularity_data()
    {
        QTest::addColumn<QString>("whk");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("two") << "[4, 4]"
                             << "GRANULARITY 1: granularities[1]: needs three entries [w, h, k], got 2";
        QTest::newRow("four") << "[4, 4, 1, 1]"
                              << "GRANULARITY 1: granularities[1]: needs three entries [w, h, k], got 4";
        const QString range = "expected an integer from 1 to 2^31, got ";
        QTest::newRow("zero") << "[4, 0, 1]"
                              << "GRANULARITY 1: granularities[1][1]: " + range + "0";
        QTest::newRow("negative") << "[4, 4, -1]"
                                  << "GRANULARITY 1: granularities[1][2]: " + range + "-1";
        QTest::newRow("fraction") << "[1.5, 4, 1]"
                                  << "GRANULARITY 1: granularities[1][0]: " + range + "1.5";
        QTest::newRow("huge") << "[1e300, 4, 1]"
                              << "GRANULARITY 1: granularities[1][0]: " + range + "1e+300";
        QTest::newRow("text")
            << "[\"4\", 4, 1]"
            << "s.json: granularities[1][0]: expected an integer of at least 1, got the text \"4\"";
    }
    void rule_2_2_granularity()
    {
        QFETCH(QString, whk);
        auto json = plain();
        json["granularities"][1] = Json::parse(whk.toStdString());
        QTEST(verdictOf(json), "verdict");
    }

    void rule_2_2_retain_data()
    {
        QTest::addColumn<QString>("retain");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("range") << "[3]"
                               << "RETAIN 1: tensors_to_retain[1][0]: tensor 3 does not exist, there are 3";
        QTest::newRow("negative")
            << "[2, -7]"
            << "RETAIN 1: tensors_to_retain[1][1]: tensor -7 does not exist, there are 3";
        QTest::newRow("twice") << "[2, 2]"
                               << "RETAIN 1: tensors_to_retain[1][1]: tensor 2 is listed twice";
    }
    void rule_2_2_retain()
    {
        QFETCH(QString, retain);
        auto json = plain();
        json["tensors_to_retain"][1] = Json::parse(retain.toStdString());
        QTEST(verdictOf(json), "verdict");
    }

    void rule_2_2_orderOfVerdicts()
    {
        auto json = plain();
        json["subgraphs"] = Json::parse("[[0], [7]]");
        json["granularities"] = Json::parse("[[4, 4, 1], [0, 4, 1]]");
        json["tensors_to_retain"] = Json::parse("[[9], [9]]");
        const auto issues = must(json).formatIssues;
        QCOMPARE(issues.size(), 4u);
        const auto code = [&](std::size_t i) { return std::pair(issues[i].code, issues[i].subgraph); };
        using Code = IssueCode;
        QVERIFY(code(0) == std::pair(Code::Retain, std::optional(SubgraphId(0))));
        QVERIFY(code(1) == std::pair(Code::Format, std::optional(SubgraphId(1))));
        QVERIFY(code(2) == std::pair(Code::Granularity, std::optional(SubgraphId(1))));
        QVERIFY(code(3) == std::pair(Code::Retain, std::optional(SubgraphId(1))));
    }

    void rule_5_1_grid()
    {
        const ProblemPtr p = chain();
        const std::array ops{OpId(0)};
        QCOMPARE(tileGrid(*p, ops, {3, 8, 1}), (TileGrid{1, 3}));
        QCOMPARE(tileGrid(*p, ops, {8, 3, 1}), (TileGrid{3, 1}));
        QCOMPARE(tileGrid(*p, ops, {1, 1, 1}).tiles(), 64);
    }

    void ordersAreRecognisedAndWrittenBack_data()
    {
        QTest::addColumn<QString>("order");
        QTest::addColumn<int>("kind");
        const auto row = [](const char* name, const char* order, TraversalKind kind) {
            QTest::newRow(name) << order << static_cast<int>(kind);
        };
        row("null", "null", TraversalKind::Raster);
        row("explicit raster", "[0,1,2,3]", TraversalKind::Custom);
        row("snake", "[0,1,3,2]", TraversalKind::Snake);
        row("column", "[0,2,1,3]", TraversalKind::Column);
        row("column snake", "[0,2,3,1]", TraversalKind::ColumnSnake);
        row("custom", "[3,0,1,2]", TraversalKind::Custom);
        row("too short", "[0,1]", TraversalKind::Custom);
        row("negative", "[0,-1,2,3]", TraversalKind::Custom);
    }
    void ordersAreRecognisedAndWrittenBack()
    {
        QFETCH(QString, order);
        QFETCH(int, kind);
        auto json = plain();
        json["traversal_orders"][1] = Json::parse(order.toStdString());
        const LoadedSchedule loaded = must(json);
        QVERIFY(loaded.formatIssues.empty());
        QCOMPARE(static_cast<int>(loaded.schedule[SubgraphId(1)].traversal.kind()), kind);
        const Json back = Json::parse(*writeSchedule(*chain(), loaded.schedule));
        QCOMPARE(back, json);
    }

    void spiralIsWrittenForItsGrid()
    {
        Schedule s = must(plain()).schedule;
        Subgraph changed = s[SubgraphId(0)];
        changed.granularity = {2, 4, 1}; // 2 x 4 tiles
        changed.traversal = TraversalKind::Spiral;
        s.subgraphs[0] = std::make_shared<const Subgraph>(changed);
        const Json back = Json::parse(*writeSchedule(*chain(), s));
        QCOMPARE(back["traversal_orders"][0], Json::parse("[0,1,2,3,7,6,5,4]"));
    }

    void hugePresetOrderIsRefused()
    {
        const auto p =
            readProblem(R"({"widths": [100000, 100000], "heights": [100000, 100000], "inputs": [[0]],
            "outputs": [[1]], "base_costs": [1], "op_types": ["Pointwise"], "fast_memory_capacity": 1000,
            "slow_memory_bandwidth": 1, "native_granularity": [8, 8]})",
                        "big.json");
        Schedule s = oneOpPerSubgraph(**p);
        QVERIFY(writeSchedule(**p, s).hasValue()); // raster needs no list
        Subgraph snake = s[SubgraphId(0)];
        snake.traversal = TraversalKind::Snake;
        s.subgraphs[0] = std::make_shared<const Subgraph>(snake);
        const auto text = writeSchedule(**p, s);
        QVERIFY(!text);
        QCOMPARE(text.error().path, std::string("traversal_orders[0]"));
    }

    void latenciesAndExtensions()
    {
        auto json = plain();
        json["locked"] = {false, true};
        json["made_by"] = "hand";
        json["notes"] = {1, {2, nullptr}};
        const LoadedSchedule loaded = must(json);
        QVERIFY(!loaded.schedule[SubgraphId(0)].locked);
        QVERIFY(loaded.schedule[SubgraphId(1)].locked);
        QCOMPARE(Json::parse(*writeSchedule(*chain(), loaded.schedule)), json);
        const std::array latencies{6548.0, 3276.8};
        const std::string text = *writeSchedule(*chain(), loaded.schedule, latencies);
        QVERIFY2(text.find("[6548,3276.8]") != std::string::npos, text.c_str());
        const std::array one{1.0};
        QVERIFY(!writeSchedule(*chain(), loaded.schedule, one));

        auto partial = plain();
        partial.erase("subgraph_latencies");
        QVERIFY(
            !Json::parse(*writeSchedule(*chain(), must(partial).schedule)).contains("subgraph_latencies"));
        auto wrong = plain();
        wrong["locked"] = {1, 0};
        QCOMPARE(verdictOf(wrong), QString("s.json: locked[0]: expected true or false, got 1"));
    }

    void everyExampleReadsAndRoundTrips()
    {
        const Json manifest = Json::parse(*readFile(kOracles + "examples/manifest.json"));
        for (const Json& c : manifest["cases"]) {
            const auto problem = loadProblem(kOracles + "examples/" + c["problem"].get<std::string>());
            QVERIFY(problem.hasValue());
            const std::string path = kOracles + "examples/" + c["solution"].get<std::string>();
            const auto loaded = loadSchedule(**problem, path);
            QVERIFY2(loaded.hasValue(), loaded ? "" : loaded.error().text().c_str());
            QVERIFY(loaded->formatIssues.empty());
            QCOMPARE(Json::parse(*writeSchedule(**problem, loaded->schedule)), Json::parse(*readFile(path)));
        }
        QCOMPARE(manifest["cases"].size(), 25u);
    }

    /// The reader's verdict must be the oracle's whenever that is one of R2.2, and none otherwise (RETAIN can
    /// also come from R4.6, GRANULARITY cannot).
    void fuzzAndFocusCases_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("cases");
        QTest::newRow("fuzz") << "fuzz_cases.jsonl" << 600;
        QTest::newRow("focus") << "focus_cases.jsonl" << 133;
    }
    void fuzzAndFocusCases()
    {
        QFETCH(QString, file);
        std::ifstream in(kOracles + file.toStdString());
        std::string line;
        int count = 0;
        int verdicts = 0;
        while (std::getline(in, line)) {
            ++count;
            const Json c = Json::parse(line);
            const std::string id = c["id"];
            const auto problem = readProblem(c["problem"].dump(), id);
            QVERIFY2(problem.hasValue(), problem ? "" : problem.error().text().c_str());
            const auto loaded = readSchedule(**problem, c["solution"].dump(), id);
            QVERIFY2(loaded.hasValue(), loaded ? "" : loaded.error().text().c_str());
            const Json& expected = c["expect"]["final"];
            const std::string code = expected.value("code", "");
            if (loaded->formatIssues.empty()) {
                QVERIFY2(code != "FORMAT" && code != "GRANULARITY", line.c_str());
                QCOMPARE(Json::parse(*writeSchedule(**problem, loaded->schedule)), c["solution"]);
                continue;
            }
            ++verdicts;
            const Issue& issue = loaded->formatIssues.front();
            QCOMPARE(std::string(issueCodeName(issue.code)), code);
            if (expected["subgraph"].is_null())
                QVERIFY2(!issue.subgraph, line.c_str());
            else
                QCOMPARE(issue.subgraph->index(), expected["subgraph"].get<std::size_t>());
        }
        QTEST(count, "cases");
        if (file.startsWith("fuzz"))
            QVERIFY(verdicts > 10);
    }
};

TILEWRIGHT_TEST(TestSchedule)

} // namespace test_schedule
#include "test_schedule.moc"
