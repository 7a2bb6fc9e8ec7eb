// SPDX-License-Identifier: GPL-3.0-or-later
// The floor of docs/rules/real.md R19, and explanations of figures.
#include "eval/lower_bound.h"
#include "explanation/explanation.h"
#include "files.h"
#include "lower/floor.h"
#include "solve/search/solver.h"
#include "test_main.h"
#include "workload/problem_json.h"

#include <QTest>

#include <random>
#include <set>

namespace test_floor {

using namespace tilewright;
using namespace tilewright::lower;
using K = model::OperatorKind;

namespace {

ModelOnMachinePtr onMachine(model::ModelBuilder b, const Machine& machine = *machinePreset("edge"))
{
    auto m = std::move(b).build();
    if (!m)
        qFatal("%s", m.error().text().c_str());
    auto workload = std::make_shared<Workload>();
    workload->model = *m;
    auto out = putOnMachine(workload, machine);
    if (!out)
        qFatal("%s", out.error().text().c_str());
    return *out;
}

Machine edgeWith(const std::vector<std::pair<std::string, std::string>>& fields)
{
    Machine m = *machinePreset("edge");
    for (const auto& [path, value] : fields) {
        auto changed = withMachineField(m, path, value);
        if (!changed)
            qFatal("%s", changed.error().text().c_str());
        m = *changed;
    }
    return m;
}

model::ModelBuilder product()
{
    model::ModelBuilder b("product");
    b.linear("mm", b.input("x", {512, 256}), 1024);
    return b;
}

} // namespace

class TestFloor : public QObject
{
    Q_OBJECT
private slots:
    void explanationsEvaluate();
    void rule_R19_computeAndMemory();
    void rule_R19_portsApart();
    void rule_R19_ratesAndWinograd();
    void rule_R19_causalAttention();
    void rule_R19_touchedElements();
    void rule_R19_touchedByOverlappingMaps();
    void rule_R19_resnet18();
    void rule_R19_theBoundOfSchedules_data();
    void rule_R19_theBoundOfSchedules();
};

void TestFloor::explanationsEvaluate()
{
    const ExplainedValue a = leaf("a", "bytes", 7, "a file"), b = leaf("b", "bytes a cycle", 2, "a machine");
    const auto of = [&](Operation o) { return combined(o, "c", "cycles", {a, b}, "R19"); };
    QCOMPARE(of(Operation::Sum).value, 9.0);
    QCOMPARE(of(Operation::Product).value, 14.0);
    QCOMPARE(of(Operation::Quotient).value, 3.5);
    QCOMPARE(of(Operation::Ceil).value, 4.0);
    QCOMPARE(of(Operation::Floor).value, 3.0);
    QCOMPARE(of(Operation::Largest).value, 7.0);
    QCOMPARE(of(Operation::Smallest).value, 2.0);
    QCOMPARE(combined(Operation::Quotient, "c", "", {a, leaf("zero", "", 0, {})}).value, 0.0);
    QCOMPARE(combined(Operation::Sum, "nothing", "", {}).value, 0.0);
    ExplainedValue tree = combined(Operation::Largest, "d", "cycles", {of(Operation::Ceil), a});
    QCOMPARE(tree.evaluate(), 7.0);
    QCOMPARE(tree.size(), std::size_t{5});
    tree.parts[0].parts[0].value = 30; // another leaf gives another value
    QCOMPARE(tree.evaluate(), 15.0);
    QCOMPARE(explanationText(of(Operation::Ceil)),
             std::string("c: 4 cycles, quotient, rounded up, of (R19)\n  a: 7 bytes, a file\n"
                         "  b: 2 bytes a cycle, a machine\n"));
    QCOMPARE(explanationJson(of(Operation::Sum)),
             std::string(R"({"name":"c","unit":"cycles","value":9,"operation":"sum","rule":"R19","parts":[)"
                         R"({"name":"a","unit":"bytes","value":7,"operation":"leaf","source":"a file"},)"
                         R"({"name":"b","unit":"bytes a cycle","value":2,"operation":"leaf",)"
                         R"("source":"a machine"}]})"));
}

void TestFloor::rule_R19_computeAndMemory()
{
    const auto on = onMachine(product());
    const Floor one = floorOf(*on, 1), four = floorOf(*on, 4);
    QCOMPARE(one.macs.value, 512.0 * 256 * 1024);
    QCOMPARE(one.compute.value, 512.0 * 256 * 1024 / 4096);
    QCOMPARE(four.compute.value, one.compute.value / 4);
    // 512 x 256 and 256 x 1024 in, 512 x 1024 out, 2 bytes each, at 64 bytes a cycle
    QCOMPARE(one.leastBytes.value, 2.0 * (512 * 256 + 256 * 1024 + 512 * 1024));
    QCOMPARE(one.memory.value, one.leastBytes.value / 64);
    QCOMPARE(one.cycles.value, one.compute.value);
    QVERIFY(!one.boundByMemory());
    QCOMPARE(four.cycles.value, four.memory.value);
    for (const Floor& f : {one, four})
        for (const ExplainedValue& e : {f.cycles, f.compute, f.memory, f.leastBytes, f.macs})
            QCOMPARE(e.evaluate(), e.value);
}

void TestFloor::rule_R19_portsApart()
{
    const Machine machine =
        edgeWith({{"levels.external.read_gb_per_s", "32"}, {"levels.external.write_gb_per_s", "16"}});
    const auto on = onMachine(product(), machine);
    QCOMPARE(floorOf(*on, 1).memory.value,
             std::max(2.0 * (512 * 256 + 256 * 1024) / 32, 2.0 * 512 * 1024 / 16));
}

void TestFloor::rule_R19_ratesAndWinograd()
{
    const double macs = 512.0 * 256 * 1024 / 4096;
    QCOMPARE(floorOf(*onMachine(product(), edgeWith({{"array.rates", "16:2"}})), 1).compute.value, macs / 2);
    QCOMPARE(floorOf(*onMachine(product(), edgeWith({{"array.rates", "16:0.5"}})), 1).compute.value,
             macs * 2);
    QCOMPARE(floorOf(*onMachine(product(), edgeWith({{"arrays", "2"}})), 1).compute.value, macs / 2);
    const auto convolution = [](std::int64_t stride) {
        model::ModelBuilder b("convolution");
        model::WindowAttributes w;
        w.stride = {stride, stride};
        w.padding = {1, 1, 1, 1};
        b.add(K::Conv2d, "conv", {b.input("x", {1, 64, 28, 28}), b.constant("w", {128, 64, 3, 3})}, w);
        return b;
    };
    const double whole = 28.0 * 28 * 128 * 64 * 9 / 4096;
    const Machine winograd = edgeWith({{"array.winograd", "2.25"}});
    QCOMPARE(floorOf(*onMachine(convolution(1)), 1).compute.value, whole);
    QCOMPARE(floorOf(*onMachine(convolution(1), winograd), 1).compute.value, whole / 2.25);
    QCOMPARE(floorOf(*onMachine(convolution(2), winograd), 1).compute.value, whole / 4);
    // Transformed weights take more room in the NPU lens; those of stride 2 are not transformed.
    const Machine stored = edgeWith({{"array.winograd_weights", "1.7778"}});
    const auto bitsOfWeights = [&](std::int64_t stride, const Machine& machine) {
        const auto npu = npuOf(*onMachine(convolution(stride), machine));
        return npu ? npu->model.bitsOf(npu->model.ops[0].inputs[1]) : 0;
    };
    QCOMPARE(bitsOfWeights(1, stored), std::int64_t{29'127}); // 16 * 1,024 * 1.7778, rounded
    QCOMPARE(bitsOfWeights(2, stored), std::int64_t{16 * 1024});
    QCOMPARE(bitsOfWeights(1, winograd), std::int64_t{16 * 1024});
    QCOMPARE(floorOf(*onMachine(convolution(1), stored), 1).compute.value, whole);
}

void TestFloor::rule_R19_causalAttention()
{
    const auto attention = [](bool causal, std::int64_t queries, std::int64_t keys) {
        model::ModelBuilder b("attention");
        const auto q = b.input("q", {queries, 128}), k = b.input("k", {keys, 128}),
                   v = b.input("v", {keys, 128});
        b.add(K::Attention, "attention", {q, k, v}, model::AttentionAttributes{2, 0, causal});
        return floorOf(*onMachine(std::move(b)), 1).macs.value;
    };
    QCOMPARE(attention(false, 64, 96), 2.0 * 2 * 64 * 96 * 64);
    // Query i sees the keys up to 32 + i.
    QCOMPARE(attention(true, 64, 96), 2.0 * 2 * 64 * (64 * 32 + 64 * 65 / 2));
    QCOMPARE(attention(true, 1, 96), attention(false, 1, 96));
}

void TestFloor::rule_R19_touchedElements()
{
    const auto touched = [](const std::string& views, const std::string& inputs) {
        const auto problem =
            readProblem(R"({"heights": [8, 4, 4, 4], "widths": [8, 4, 4, 4], "inputs": )" + inputs +
                            R"(, "outputs": [[3]], "base_costs": [1], "op_types": ["Pointwise"],
                "fast_memory_capacity": 100, "slow_memory_bandwidth": 1, "native_granularity": [4, 4],
                "views": )" +
                            views + "}",
                        "problem.json");
        if (!problem)
            qFatal("%s", problem.error().text().c_str());
        return touchedElements(**problem)[TensorId(0)];
    };
    const auto slice = [](int row, int col) {
        return R"({"kind": "slice", "rows": [)" + std::to_string(row) + R"(, 1, 4], "cols": [)" +
               std::to_string(col) + ", 1, 4]}";
    };
    QCOMPARE(touched("[[1, [0]]]", "[[1, 2]]"), std::int64_t{16});    // the smaller of view and base
    QCOMPARE(touched("[[1, [0, 2]]]", "[[1, 2]]"), std::int64_t{16}); // all may be of the larger base
    QCOMPARE(touched("[[1, [0], " + slice(0, 0) + "]]", "[[1, 2]]"), std::int64_t{16});
    QCOMPARE(touched("[[1, [0], " + slice(0, 0) + "], [2, [0], " + slice(4, 4) + "]]", "[[1, 2]]"),
             std::int64_t{32});
    QCOMPARE(touched("[[1, [0], " + slice(0, 0) + "], [2, [0], " + slice(2, 2) + "]]", "[[1, 2]]"),
             std::int64_t{28});
}

void TestFloor::rule_R19_touchedByOverlappingMaps()
{
    // Drawn windows and slices of one base, against a set of elements.
    std::mt19937 random(19);
    const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
    for (int round = 0; round < 300; ++round) {
        Problem::Data data;
        data.hardware = {1'000'000, 1, 8, 8, {}};
        data.tensors.push_back({12, 36, {}}); // 6 x 6 pixels of 12 channels
        std::set<std::pair<std::int64_t, std::int64_t>> elements;
        const int views = draw(1, 3);
        for (int i = 0; i < views; ++i) {
            IndexMap map;
            Tensor view;
            if (draw(0, 1) == 0) {
                SliceMap slice;
                slice.rows = {draw(0, 10), draw(1, 3), draw(1, 8)};
                slice.cols = {draw(0, 3), draw(1, 2), draw(1, 4)};
                view.height = slice.rows[2], view.width = slice.cols[2];
                map = slice;
            } else {
                WindowsMap windows;
                windows.n = 1, windows.h = windows.w = 6;
                windows.channels = {draw(0, 6), draw(1, 6)};
                windows.window = {draw(1, 3), draw(1, 3)};
                windows.stride = {draw(1, 3), draw(1, 3)};
                windows.pad = {draw(0, 1), draw(0, 1), 0, 0};
                view.height = windows.outHeight() * windows.outWidth();
                view.width = windows.window[0] * windows.window[1] * windows.channels[1];
                map = windows;
            }
            for (std::int64_t r = 0; r < view.height; ++r)
                for (std::int64_t c = 0; c < view.width; ++c)
                    if (const auto at = mappedElement(map, r, c))
                        elements.insert(*at);
            const TensorId id(data.tensors.size());
            data.tensors.push_back(view);
            data.views.push_back({id, {TensorId(0)}, map});
            const TensorId out(data.tensors.size());
            data.tensors.push_back({view.width, view.height, {}});
            Op op;
            op.inputs = {id};
            op.output = out;
            op.baseCost = 1;
            data.ops.push_back(op);
        }
        const auto problem = Problem::build(std::move(data));
        QVERIFY2(problem.hasValue(), problem ? "" : problem.error().text().c_str());
        QCOMPARE(touchedElements(**problem)[TensorId(0)], static_cast<std::int64_t>(elements.size()));
    }
}

void TestFloor::rule_R19_resnet18()
{
    const auto workload = loadWorkload(std::string(TILEWRIGHT_SOURCE_DIR) + "/samples/models/resnet-18.onnx");
    if (!workload)
        QSKIP("built without the reader of ONNX files");
    const auto on = putOnMachine(std::make_shared<const Workload>(*workload), *machinePreset("edge"));
    QVERIFY(on.hasValue());
    const Floor floor = floorOf(**on, 1);
    QCOMPARE(floor.cycles.value, 442'889.0);
    QCOMPARE(floor.compute.evaluate(), floor.compute.value);
    QVERIFY(floorOf(**on, 4).boundByMemory());
}

void TestFloor::rule_R19_theBoundOfSchedules_data()
{
    QTest::addColumn<QString>("file");
    for (const char* name : {"llama-block.json", "small-conv.csv"})
        QTest::newRow(name) << QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/%1").arg(name);
}

/// On every preset: the lower bound of the schedules is not below the floor, and no schedule that is found is
/// below the bound, under the rules of machines and of the contest.
void TestFloor::rule_R19_theBoundOfSchedules()
{
    QFETCH(QString, file);
    const auto workload = std::make_shared<const Workload>(loadWorkload(file.toStdString()).value());
    for (const MachinePreset& preset : machinePresets()) {
        const auto on = putOnMachine(workload, *machinePreset(preset.name));
        QVERIFY2(on.hasValue(), preset.name.data());
        const Problem& problem = *(*on)->problem;
        for (const Rules& rules : {problem.rules(), Rules::final()}) {
            SolveOptions options;
            options.rules = rules;
            options.seconds = 0;
            options.iterations = 150;
            options.threads = 1;
            const auto found = solve(problem, options);
            if (!found) // the contest's tiles do not fit on some machines
                continue;
            const double bound = lowerBound(problem, rules).value;
            QVERIFY2(floorOf(**on, 1).cycles.value <=
                         bound * static_cast<double>((*on)->lowered.timeUnit) * (1 + 1e-12),
                     preset.name.data());
            QVERIFY2(bound <= found->total * (1 + 1e-9), preset.name.data());
            QVERIFY2(found->lowerBound <= found->total * (1 + 1e-9), preset.name.data());
        }
    }
}

TILEWRIGHT_TEST(TestFloor)

} // namespace test_floor
#include "test_floor.moc"
