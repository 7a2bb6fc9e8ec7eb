// SPDX-License-Identifier: GPL-3.0-or-later
// One model on one machine (docs/rules/workload.md): what each lens is given of it, and what is taken back.
#include "base/text.h"
#include "edit/edits.h"
#include "edit/fit.h"
#include "eval/evaluator.h"
#include "lower/on_machine.h"
#include "model/machine.h"
#include "model/networks.h"
#include "npu/graph.h"
#include "npu/run.h"
#include "random_cases.h"
#include "rules/subgraph_plan.h"
#include "test_main.h"

#include <QTest>

namespace test_on_machine {

using namespace tilewright;
using namespace tilewright::lower;

// An operator of the model is no op of the problem, and a tensor of the one none of the other.
static_assert(!std::is_convertible_v<OperatorId, OpId> && !std::is_constructible_v<OpId, OperatorId>);
static_assert(!std::is_convertible_v<ModelTensorId, TensorId> &&
              !std::is_constructible_v<TensorId, ModelTensorId>);

namespace {

std::shared_ptr<const Workload> workloadOf(model::NetworkKind kind)
{
    model::NetworkOptions o;
    o.kind = kind;
    if (kind == model::NetworkKind::Llama)
        o.layers = 1;
    Workload w;
    w.model = *model::generateNetwork(o);
    return std::make_shared<const Workload>(std::move(w));
}

ModelOnMachinePtr llamaOnEdge()
{
    auto put = putOnMachine(workloadOf(model::NetworkKind::Llama), *machinePreset("edge"));
    return put ? *put : nullptr;
}

} // namespace

class TestOnMachine : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRunIsAsLargeAsItsTile();
    void fusedRunsSpanWhatTheirConsumerReads();
    void aProblemFileKeepsItsIds();
    void operatorsAndOpsFindOneAnother();
    void theMachineOfAProblemIsItsHardware();
    void layersOfOps();
    void tilesOfAMethodAreGranularities();
    void theMachineTravelsInTheScheduleFile();
    void everyMachineFieldCanBeChanged();
    void changesAgainstAPresetAreTold();
};

void TestOnMachine::aRunIsAsLargeAsItsTile()
{
    Problem::Data data;
    data.tensors.push_back({512, 256, {}}); // A: 256 x 512
    data.tensors.push_back({384, 512, {}});
    data.tensors.push_back({384, 256, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 100, {}});
    data.hardware = {1'000'000, 10, 64, 64, {}};
    const auto problem = *Problem::build(std::move(data));
    const SubgraphPlan plan(*problem, std::array{OpId(0)}, Rules::final());
    QCOMPARE(*largestRun(plan, {64, 32, 128}, OpId(0)), (RunTile{32, 64, 128}));
    QCOMPARE(*largestRun(plan, {1000, 1000, 1000}, OpId(0)), (RunTile{256, 384, 512})); // clipped
    QVERIFY(!largestRun(plan, {64, 32, 128}, OpId(7)));
}

void TestOnMachine::fusedRunsSpanWhatTheirConsumerReads()
{
    // C = A B (256 x 512), E = C D (256 x 128): the first product computes the k step of the second over its
    // own whole reduction.
    Problem::Data data;
    data.tensors.push_back({64, 256, {}});
    data.tensors.push_back({512, 64, {}});
    data.tensors.push_back({512, 256, {}});
    data.tensors.push_back({128, 512, {}});
    data.tensors.push_back({128, 256, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 100, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(2), TensorId(3)}, TensorId(4), 100, {}});
    data.hardware = {1'000'000, 10, 64, 64, {}};
    const auto problem = *Problem::build(std::move(data));
    const SubgraphPlan plan(*problem, std::array{OpId(0), OpId(1)}, Rules::final());
    const Granularity g{64, 32, 16};
    QCOMPARE(*largestRun(plan, g, OpId(1)), (RunTile{32, 64, 16}));
    QCOMPARE(*largestRun(plan, g, OpId(0)), (RunTile{32, 16, 64}));
}

void TestOnMachine::aProblemFileKeepsItsIds()
{
    for (unsigned seed = 0; seed < 40; ++seed) {
        random_cases::Source random(seed);
        const ProblemPtr file = random_cases::problem(random, 7, 30);
        Workload w;
        auto lifted = modelOf(*file);
        QVERIFY2(lifted.hasValue(), "lift");
        w.model = std::move(*lifted);
        w.problem = file;
        const Machine edge = *machinePreset("edge");
        const auto put = putOnMachine(std::make_shared<const Workload>(std::move(w)), edge);
        QVERIFY2(put.hasValue(), put ? "" : put.error().text().c_str());
        const Problem& lowered = *(*put)->problem;
        QCOMPARE(lowered.opCount(), file->opCount());
        QVERIFY(lowered.data().tensors == file->data().tensors);
        QVERIFY(lowered.data().views == file->data().views);
        QCOMPARE(lowered.hardware().nativeWidth, edge.cols);
        QCOMPARE(lowered.hardware().nativeHeight, edge.rows);
        for (std::size_t i = 0; i < file->opCount(); ++i) {
            const Op &a = file->op(OpId(i)), &b = lowered.op(OpId(i));
            QVERIFY(a.inputs == b.inputs && a.output == b.output && a.type == b.type);
            QCOMPARE((*put)->operatorOf(OpId(i)), OperatorId(i));
        }
    }
}

void TestOnMachine::operatorsAndOpsFindOneAnother()
{
    const auto model = llamaOnEdge();
    QVERIFY(model);
    std::size_t ops = 0;
    for (std::size_t o = 0; o < model->model().operators.size(); ++o)
        for (const OpId op : model->opsOf(OperatorId(o))) {
            QCOMPARE(model->operatorOf(op), OperatorId(o));
            ++ops;
        }
    QCOMPARE(ops, model->problem->opCount());
}

void TestOnMachine::theMachineOfAProblemIsItsHardware()
{
    Problem::Data data;
    data.tensors.push_back({64, 64, {}});
    data.tensors.push_back({64, 64, {}});
    data.ops.push_back({OpType::Pointwise, {TensorId(0)}, TensorId(1), 10, {}});
    data.hardware = {50'000, 20, 128, 32, {}};
    const auto machine = machineOf(**Problem::build(std::move(data)));
    QVERIFY(machine.hasValue());
    QCOMPARE(machine->cols, std::int64_t{128});
    QCOMPARE(machine->rows, std::int64_t{32});
    QCOMPARE(machine->scratchpadBytes() / machine->elementBytes, std::int64_t{50'000});
    QCOMPARE(machine->bytesPerCycle(MachineLevel::External) / static_cast<double>(machine->elementBytes),
             20.0);
}

void TestOnMachine::layersOfOps()
{
    const auto net = putOnMachine(workloadOf(model::NetworkKind::ResNet18), *machinePreset("edge"));
    QVERIFY(net.hasValue());
    bool convolution = false;
    for (std::size_t i = 0; i < (*net)->problem->opCount(); ++i) {
        const auto layer = layerOf(**net, OpId(i));
        if ((*net)->problem->op(OpId(i)).type != OpType::MatMul) {
            QVERIFY(!layer && layer.error().message.find("element by element") != std::string::npos);
            continue;
        }
        QVERIFY(layer.hasValue());
        if (layer->kind != mapping::LayerKind::Conv)
            continue;
        convolution = true;
        const auto nest = mapping::makeNest(*layer);
        QVERIFY(nest.hasValue());
        // The same multiply-accumulates as the product that it is lowered to.
        const Op& op = (*net)->problem->op(OpId(i));
        QCOMPARE(nest->macs,
                 (*net)->problem->tensor(op.output).elements() * (*net)->problem->reductionSize(OpId(i)));
    }
    QVERIFY(convolution);
}

void TestOnMachine::tilesOfAMethodAreGranularities()
{
    mapping::Layer gemm;
    gemm.kind = mapping::LayerKind::Gemm;
    gemm.m = 128, gemm.n = 64, gemm.k = 32;
    const auto nest = *mapping::makeNest(gemm);
    mapping::Method method;
    for (auto& level : method.tiling)
        level.fill(1);
    method.at(mapping::Level::Spatial) = {8, 4, 1, 1, 1, 1, 1};
    method.at(mapping::Level::Rf) = {2, 1, 4, 1, 1, 1, 1};
    method.at(mapping::Level::Spm) = {4, 16, 2, 1, 1, 1, 1};
    method.at(mapping::Level::Dram) = {2, 1, 4, 1, 1, 1, 1};
    QCOMPARE(tileOf(nest, method, mapping::Level::Rf), (Granularity{4, 16, 4})); // w, h, k
    QCOMPARE(tileOf(nest, method, mapping::Level::Spm), (Granularity{64, 64, 8}));

    mapping::Layer conv;
    conv.inChannels = 16, conv.outChannels = 32, conv.height = conv.width = 10, conv.kernel = {3, 3};
    const auto loops = *mapping::makeNest(conv);
    for (auto& level : method.tiling)
        level.fill(1);
    method.at(mapping::Level::Spm) = {1, 16, 8, 4, 2, 3, 3}; // N M C Ox Oy Fx Fy
    QCOMPARE(tileOf(loops, method, mapping::Level::Spm), (Granularity{16, 8, 72}));
}

void TestOnMachine::theMachineTravelsInTheScheduleFile()
{
    const Machine server = *machinePreset("server");
    QVERIFY(!*machineField({}, "s.json"));
    QVERIFY(!*machineField(R"({"author": "me", "machine": "my laptop"})", "s.json"));
    const std::string extra = withMachineField(R"({"author": "me"})", server);
    QVERIFY(extra.find("author") != std::string::npos);
    const auto back = machineField(extra, "s.json");
    QVERIFY(back.hasValue() && *back);
    QVERIFY(**back == server);
    const auto bad = machineField(R"({"machine": {"name": "x"}})", "s.json");
    QVERIFY(!bad && bad.error().text().find("s.json") != std::string::npos);
}

void TestOnMachine::everyMachineFieldCanBeChanged()
{
    for (const MachinePreset& preset : machinePresets()) {
        const Machine machine = *machinePreset(preset.name);
        const auto fields = machineFields(machine);
        QVERIFY(fields.size() > 30);
        for (const MachineField& f : fields) {
            QVERIFY2(!f.label.empty() && !f.group.empty() && !f.meaning.empty(), f.path.c_str());
            QVERIFY2(f.given || !f.formula.empty(), f.path.c_str()); // every value says where it is from
            if (!f.editable) {
                QVERIFY2(!withMachineField(machine, f.path, f.value), f.path.c_str());
                continue;
            }
            const auto same = withMachineField(machine, f.path, f.value);
            QVERIFY2(same.hasValue(), (f.path + (same ? "" : same.error().text())).c_str());
            QVERIFY2(machineChanges(machine, *same).empty(), f.path.c_str());
        }
    }
}

void TestOnMachine::changesAgainstAPresetAreTold()
{
    const Machine edge = *machinePreset("edge");
    const Machine wide = *withMachineField(edge, "cores", "8");
    const auto changes = machineChanges(edge, wide);
    QCOMPARE(changes.size(), std::size_t{2}); // the trunk is cores * link
    QCOMPARE(changes[0].path, std::string("cores"));
    QCOMPARE(changes[0].before, std::string("4"));
    QCOMPARE(changes[0].after, std::string("8"));
    QCOMPARE(changes[1].path, std::string("noc.trunk_bytes_per_cycle"));
}

TILEWRIGHT_TEST(TestOnMachine)

} // namespace test_on_machine
#include "test_on_machine.moc"
