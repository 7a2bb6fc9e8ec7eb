// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "test_main.h"
#include "workload/problem.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace test_problem {

using namespace tilewright;

namespace {

const std::string kExamples = TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/schedule/examples/";

/// 0 -(MatMul with 1)-> 2 -(Pointwise)-> 3; tensor 4 is touched by nothing.
nlohmann::ordered_json small()
{
    return nlohmann::ordered_json::parse(R"({
        "widths": [8, 16, 16, 16, 3], "heights": [4, 8, 4, 4, 5],
        "inputs": [[0, 1], [2]], "outputs": [[2], [3]], "base_costs": [10, 1],
        "op_types": ["MatMul", "Pointwise"],
        "fast_memory_capacity": 100, "slow_memory_bandwidth": 2, "native_granularity": [4, 8]})");
}

ProblemPtr must(const nlohmann::ordered_json& json)
{
    auto problem = readProblem(json.dump(), "test.json");
    if (!problem)
        qFatal("%s", problem.error().text().c_str());
    return *problem;
}

QString errorOf(const nlohmann::ordered_json& json)
{
    const auto problem = readProblem(json.dump(), "test.json");
    return problem ? QString("accepted") : QString::fromStdString(problem.error().text());
}

} // namespace

class TestProblem : public QObject
{
    Q_OBJECT

private slots:
    void viewsAreWhatTheirSizesSay()
    {
        Problem::Data data;
        const auto tensor = [&](std::int64_t height, std::int64_t width) {
            data.tensors.push_back({width, height, {}});
            return TensorId(data.tensors.size() - 1);
        };
        const TensorId a = tensor(8, 6);
        const TensorId b = tensor(8, 2);
        std::vector<std::pair<TensorId, ViewKind>> expected;
        const auto view = [&](std::int64_t height, std::int64_t width, std::vector<TensorId> bases,
                              ViewKind kind) {
            const TensorId t = tensor(height, width);
            data.views.push_back({t, std::move(bases)});
            expected.emplace_back(t, kind);
            data.ops.push_back({OpType::Pointwise, {t}, tensor(height, width), 1, {}});
        };
        view(6, 8, {a}, ViewKind::Transposition);
        view(4, 12, {a}, ViewKind::Rearrangement);
        view(8, 3, {a}, ViewKind::Slice);
        view(8, 18, {a}, ViewKind::Patches);
        view(8, 8, {a, b}, ViewKind::Concatenation);
        view(4, 4, {a, b}, ViewKind::Gather);
        data.hardware = {1000, 1, 8, 8, {}};
        const ProblemPtr p = *Problem::build(std::move(data));
        for (const auto& [t, kind] : expected)
            QCOMPARE(viewReading(*p, t).kind, kind);
        const ViewReading joined = viewReading(*p, expected[4].first);
        QCOMPARE(joined.elements, 64);
        QCOMPARE(joined.baseElements, 64);
    }

    void rule_1_1_fields()
    {
        const ProblemPtr p = must(small());
        QCOMPARE(p->tensorCount(), 5u);
        QCOMPARE(p->opCount(), 2u);
        QCOMPARE(p->tensor(TensorId(1)).width, 16);
        QCOMPARE(p->tensor(TensorId(1)).height, 8);
        QCOMPARE(p->op(OpId(0)).baseCost, 10);
        QCOMPARE(p->hardware().fastMemoryCapacity, 100);
        QCOMPARE(p->hardware().slowMemoryBandwidth, 2);
        QCOMPARE(p->hardware().nativeWidth, 4);
        QCOMPARE(p->hardware().nativeHeight, 8);
        for (const char* key : {"widths", "heights", "inputs", "outputs", "base_costs", "op_types",
                                "fast_memory_capacity", "slow_memory_bandwidth", "native_granularity"}) {
            auto json = small();
            json.erase(key);
            QCOMPARE(errorOf(json), QString("test.json: the field \"%1\" is missing").arg(key));
        }
    }

    void rule_1_2_opTypes()
    {
        auto json = small();
        json["op_types"][1] = "Conv";
        QCOMPARE(
            errorOf(json),
            QString("test.json: op_types[1]: expected \"MatMul\" or \"Pointwise\", got the text \"Conv\""));
    }

    void rule_1_3_oneOutput()
    {
        auto json = small();
        json["outputs"][1] = {3, 4};
        QCOMPARE(errorOf(json), QString("test.json: outputs[1]: an op has exactly one output, got 2"));
        json["outputs"][1] = nlohmann::ordered_json::array();
        QCOMPARE(errorOf(json), QString("test.json: outputs[1]: an op has exactly one output, got 0"));
    }

    void rule_1_4_oneProducerAcyclicAndShapes()
    {
        auto twice = small();
        twice["outputs"][1] = {2};
        twice["inputs"][1] = {3};
        QVERIFY2(errorOf(twice).contains("outputs[1]: tensor 2 is already produced by op 0"),
                 qPrintable(errorOf(twice)));
        auto cycle = small();
        cycle["inputs"][1] = {2, 3};
        QVERIFY2(errorOf(cycle).contains("inputs[1]: op 1 waits for its own result"),
                 qPrintable(errorOf(cycle)));
        auto inner = small();
        inner["widths"][0] = 9;
        QVERIFY2(errorOf(inner).contains("inputs[0]: the LHS is 4 x 9"), qPrintable(errorOf(inner)));
        auto outer = small();
        outer["heights"][2] = 5;
        QVERIFY2(errorOf(outer).contains("outputs[0]: the product"), qPrintable(errorOf(outer)));
        auto three = small();
        three["inputs"][0] = {0, 1, 1};
        QVERIFY2(errorOf(three).contains("inputs[0]: a MatMul needs exactly two inputs"),
                 qPrintable(errorOf(three)));
        auto pointwise = small();
        pointwise["heights"][3] = 5;
        QVERIFY2(errorOf(pointwise).contains("inputs[1][0]: tensor 2 is 4 x 16"),
                 qPrintable(errorOf(pointwise)));
        auto none = small();
        none["inputs"][1] = nlohmann::ordered_json::array();
        QVERIFY2(errorOf(none).contains("inputs[1]: a Pointwise needs at least one input"),
                 qPrintable(errorOf(none)));
        auto same = small();
        same["inputs"][1] = {2, 2}; // the same tensor twice is legal
        QCOMPARE(must(same)->consumers(TensorId(2)).size(), 1u);
    }

    void rule_1_5_inputsAndOutputs()
    {
        const ProblemPtr p = must(small());
        QVERIFY(p->isGraphInput(TensorId(0)) && p->isGraphInput(TensorId(1)));
        QVERIFY(p->isGraphOutput(TensorId(3)));
        QVERIFY(!p->isGraphInput(TensorId(4)) && !p->isGraphOutput(TensorId(4)));
        QCOMPARE(p->graphInputs().size(), 2u);
        QCOMPARE(p->graphOutputs().size(), 1u);
        QCOMPARE(p->producer(TensorId(2)), std::optional(OpId(0)));
    }

    void rule_1_7_views()
    {
        auto json = small(); // tensor 4 is a view of 0 and 2, and a third op reads it
        json["widths"].push_back(3);
        json["heights"].push_back(5);
        json["inputs"].push_back({4});
        json["outputs"].push_back({5});
        json["base_costs"].push_back(1);
        json["op_types"].push_back("Pointwise");
        json["views"] = {{4, {0, 2}}};
        const ProblemPtr p = must(json);
        QVERIFY(p->isView(TensorId(4)) && !p->isView(TensorId(0)));
        QCOMPARE(p->bases(TensorId(4)).size(), 2u);
        QCOMPARE(p->viewsOf(TensorId(2)).size(), 1u);
        QVERIFY(!p->isGraphInput(TensorId(4)) && p->isGraphInput(TensorId(0)));
        QCOMPARE(p->graphInputs().size(), 2u);
        QVERIFY(p->readers(TensorId(2)) == (std::vector<OpId>{OpId(1), OpId(2)}));
        QCOMPARE(p->consumers(TensorId(2)).size(), 1u);
        QVERIFY(p->sources(TensorId(4)) == std::vector<OpId>{OpId(0)});
        QVERIFY(Reachability(*p).reaches(OpId(0), OpId(2)) && !Reachability(*p).reaches(OpId(1), OpId(2)));
        const ProblemPtr again = *readProblem(writeProblem(*p), "again");
        QVERIFY(again->data().views == p->data().views);
        QCOMPARE(writeProblem(*again), writeProblem(*p));
        QVERIFY(writeProblem(*must(small())).find("views") == std::string::npos);

        // A base that is read through a view only counts as consumed; an input may be one, too.
        auto only = json;
        only["views"] = {{4, {3, 0}}};
        const ProblemPtr q = must(only);
        QVERIFY(!q->isGraphOutput(TensorId(3)) && q->isGraphOutput(TensorId(5)));
        QCOMPARE(q->graphOutputs().size(), 1u);
        QVERIFY((q->topologicalOrder() == std::vector<OpId>{OpId(0), OpId(1), OpId(2)}));
        // A view that no op reads is ignored.
        auto unread = small();
        unread["views"] = {{4, {3}}};
        const ProblemPtr u = must(unread);
        QVERIFY(u->isGraphOutput(TensorId(3)) && u->viewsOf(TensorId(3)).empty());
        QVERIFY(!u->isGraphInput(TensorId(4)));
    }

    void rule_1_6_nativeDepth()
    {
        QCOMPARE(must(small())->hardware().nativeK(), 4);
        auto json = small();
        json["native_granularity"] = {4, 8, 32};
        const ProblemPtr p = must(json);
        QCOMPARE(p->hardware().nativeK(), 32);
        QCOMPARE(nlohmann::json::parse(writeProblem(*p))["native_granularity"].size(), 3u);
    }

    void wholeNumbersWrittenAsDecimalsAreAccepted()
    {
        auto json = small();
        json["base_costs"][0] = 10.0;
        json["widths"][0] = 8.0;
        QCOMPARE(must(json)->op(OpId(0)).baseCost, 10);
        json["widths"][0] = 8.5;
        QVERIFY2(errorOf(json).startsWith("test.json: widths[0]: expected an integer from 1"),
                 qPrintable(errorOf(json)));
    }

    void labelsAndUnknownFieldsSurviveARoundTrip()
    {
        auto json = small();
        json["name"] = "tiny";
        json["op_names"] = {"project", ""};
        json["tensor_names"] = {"X", "W", "", "Y", ""};
        json["comment"] = {{"by", "hand"}, {"list", {1, 2, 3}}};
        json["version"] = 3;
        const ProblemPtr p = must(json);
        QCOMPARE(p->name(), std::string("tiny"));
        QCOMPARE(p->opName(OpId(0)), std::string("project"));
        QCOMPARE(p->opName(OpId(1)), std::string("op1"));
        QCOMPARE(p->tensorName(TensorId(1)), std::string("W"));
        QCOMPARE(p->tensorName(TensorId(2)), std::string("t2"));
        QCOMPARE(nlohmann::json::parse(writeProblem(*p)), nlohmann::json(json));
        auto wrong = json;
        wrong["op_names"] = {"one"};
        QVERIFY2(errorOf(wrong).contains("op_names: has 1 entries, but \"op_types\" has 2"),
                 qPrintable(errorOf(wrong)));
    }

    void limitsOfSizes()
    {
        auto wide = small();
        wide["widths"][4] = 2147483648LL;
        QCOMPARE(must(wide)->tensor(TensorId(4)).width, 2147483648LL);
        wide["widths"][4] = 2147483649LL;
        QVERIFY2(errorOf(wide).contains("widths[4]: expected an integer from 1 to 2^31"),
                 qPrintable(errorOf(wide)));
        // Two tensors of 2^62 elements together are beyond the limit, although each side is legal.
        auto sum = small();
        sum["widths"][4] = 2147483648LL;
        sum["heights"][4] = 2147483648LL;
        QVERIFY2(errorOf(sum).contains("more than 2^62 elements"), qPrintable(errorOf(sum)));
    }

    void everyOracleProblemRoundTrips()
    {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(kExamples)) {
            const std::string path = entry.path().string();
            if (!path.ends_with(".problem.json"))
                continue;
            const auto problem = loadProblem(path);
            QVERIFY2(problem.hasValue(), problem ? "" : problem.error().text().c_str());
            const std::string text = *readFile(path);
            QCOMPARE(nlohmann::json::parse(writeProblem(**problem)), nlohmann::json::parse(text));
            ++count;
        }
        QCOMPARE(count, 10);
    }
};

TILEWRIGHT_TEST(TestProblem)

} // namespace test_problem
#include "test_problem.moc"
