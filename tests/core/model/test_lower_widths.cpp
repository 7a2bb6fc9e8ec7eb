// SPDX-License-Identifier: GPL-3.0-or-later
// Widths in bits, energies and rounding of lowered problems (docs/rules/real.md R1.9, R17, R18).
#include "base/file.h"
#include "lower/lens_coverage.h"
#include "lower/lowered.h"
#include "lower/machine_lenses.h"
#include "lower/npu_model.h"
#include "lower/on_machine.h"
#include "lower/workload.h"
#include "model/model_json.h"
#include "npu/tile_graph_builder.h"
#include "npu/verify.h"
#include "random_models.h"
#include "test_main.h"
#include "workload/problem_json.h"

#include <QTest>

#include <set>

namespace test_lower_widths {

using namespace tilewright;
using namespace tilewright::lower;
using K = model::OperatorKind;

namespace {

LoweredProblem onMachine(const model::Model& m, const Machine& machine)
{
    auto out = lowerToProblem(m, machine);
    if (!out)
        qFatal("%s", out.error().text().c_str());
    if (auto problem = Problem::build(out->data); !problem)
        qFatal("%s", problem.error().text().c_str());
    return *out;
}

LoweredProblem onMachine(model::ModelBuilder b, const Machine& machine = *machinePreset("edge"))
{
    auto m = std::move(b).build();
    if (!m)
        qFatal("%s", m.error().text().c_str());
    return onMachine(*m, machine);
}

} // namespace

class TestLowerWidths : public QObject
{
    Q_OBJECT
private slots:
    void rule_R18_widths();
    void rule_R18_drawnWidthsAreLegal();
    void rule_R18_castsAndConversions();
    void rule_R18_energyAndRounding();
    void rule_R18_ratesAndArrays();
    void everyLensReadsTheWidthOrSaysSo();
};

/// The LLaMA block with weights of 8 and of 4.125 bits: bytes by hand and by every lens.
void TestLowerWidths::everyLensReadsTheWidthOrSaysSo()
{
    const auto text = readFile(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
    QVERIFY(text);
    const Machine edge = *machinePreset("edge");
    for (const std::int64_t bits : {std::int64_t{0}, 8 * kPartsOfBit, 4 * kPartsOfBit + kPartsOfBit / 8}) {
        Workload workload = *readWorkload(*text, "llama-block.json");
        // By hand: q, k, v, o, gate, up and down of the block, and the head.
        constexpr std::int64_t kWeights = 512 * (2 * 512 + 2 * 128) + 3 * 512 * 1408 + 512 * 1000;
        std::set<std::string> names;
        for (model::Tensor& t : workload.model.tensors)
            if (t.name.ends_with(".weight")) {
                t.bits = bits;
                names.insert(t.name);
            }
        QCOMPARE(names.size(), std::size_t{8});
        const std::int64_t byHand = kWeights * (bits > 0 ? bits : 16 * kPartsOfBit) / (8 * kPartsOfBit);
        const auto model = putOnMachine(std::make_shared<const Workload>(std::move(workload)), edge);
        QVERIFY(model);
        // Schedule: what reads the weights loads them at their width.
        const Problem& problem = *(*model)->problem;
        double scheduled = 0;
        for (std::size_t t = 0; t < problem.tensorCount(); ++t)
            if (names.contains(problem.tensor(TensorId(t)).name))
                scheduled += problem.elementsOf(problem.sizeUnits(TensorId(t))) * 2;
        QCOMPARE(scheduled, static_cast<double>(byHand));
        // NPU: the bytes in its memory.
        const auto lowered = npuOf(**model);
        QVERIFY(lowered);
        const auto graph = npu::buildGraph(lowered->model, npuHardwareOf(edge));
        QVERIFY(graph);
        std::int64_t stored = 0;
        for (const npu::NpuTensor& t : graph->tensors)
            if (names.contains(t.name.substr(0, t.name.find(".weight") + 7)))
                stored += t.dramSize;
        QCOMPARE(stored, byHand);
        QVERIFY(npu::allPassed(npu::verifyGraph(*graph)));
        // The others count elements of the machine, and say so.
        for (const MachineLens lens : {MachineLens::Systolic, MachineLens::Mapping}) {
            const auto nodes = lensNodes(**model, lens);
            for (const NodeReport& node : *nodes)
                if (node.type == "matmul") {
                    QVERIFY(node.status == (bits > 0 ? NodeStatus::Approximated : NodeStatus::Mapped));
                    QCOMPARE(node.note, bits == 0                 ? std::string()
                                        : bits == 8 * kPartsOfBit ? "elements of 8 bits count as 16"
                                                                  : "elements of 4.125 bits count as 16");
                }
        }
    }
}

void TestLowerWidths::rule_R18_widths()
{
    // Floating tensors have the machine's width, so nothing is said of tensors.
    model::ModelBuilder plain("plain", 4);
    plain.linear("mm", plain.input("x", {16, 32}), 8);
    const LoweredProblem p = onMachine(std::move(plain));
    QCOMPARE(*p.data.elementBits, 16 * kPartsOfBit);
    QCOMPARE(*p.data.accumulatorBits, 32 * kPartsOfBit);
    for (const Tensor& t : p.data.tensors)
        QCOMPARE(t.bits, std::int64_t{0});
    // 4.125-bit weights: read at their width, converted for the product.
    model::ModelBuilder b("packed");
    b.linear("mm", b.input("x", {16, 32}), 8);
    model::Model m = *std::move(b).build();
    for (model::Tensor& t : m.tensors)
        if (t.constant)
            t.bits = 4 * kPartsOfBit + kPartsOfBit / 8;
    const LoweredProblem q =
        onMachine(*model::readModel(model::writeModel(m), "packed.json"), *machinePreset("edge"));
    QCOMPARE(q.data.ops.size(), std::size_t{2});
    const Op &convert = q.data.ops[OpId(0)], &product = q.data.ops[OpId(1)];
    QCOMPARE(convert.name, std::string("mm/dequantize[0]"));
    QCOMPARE(q.data.tensors[convert.inputs[0]].bits, 4 * kPartsOfBit + kPartsOfBit / 8);
    QCOMPARE(q.data.tensors[convert.output].bits, std::int64_t{0});
    QCOMPARE(product.inputs[1], convert.output);
    QCOMPARE(matMulMacs(q), 16 * 32 * 8);
    QCOMPARE(m.bytes(ModelTensorId(1)), 32 * 8 * 33 / 64); // 4.125 / 8 bytes an element
    const auto bad =
        model::readModel(R"({"tensors": [{"name": "x", "shape": [2, 2], "bits": 4.0001}], "ops": []})", "m");
    QVERIFY(!bad && bad.error().text().find("multiple of 1/1024") != std::string::npos);
    // Two operands of 8 bits are multiplied as they are.
    for (model::Tensor& t : m.tensors)
        t.bits = 8 * kPartsOfBit;
    const LoweredProblem both = onMachine(m, *machinePreset("edge"));
    QCOMPARE(both.data.ops.size(), std::size_t{1});
}

void TestLowerWidths::rule_R18_drawnWidthsAreLegal()
{
    std::size_t conversions = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        std::mt19937 random(seed);
        model::Model m = RandomModel(seed).make();
        constexpr std::array<std::int64_t, 6> kBits{0, 0, 8 * 1024, 4 * 1024, 4224, 32 * 1024};
        for (model::Tensor& t : m.tensors)
            t.bits = kBits[static_cast<std::size_t>(random() % 6)];
        const LoweredProblem p = onMachine(m, *machinePreset("edge"));
        QCOMPARE(matMulMacs(p) + p.report.vectorMacs + p.report.droppedMacs, model::macsOf(m));
        for (const Op& op : p.data.ops) {
            conversions += op.name.find("/cast") != std::string::npos ||
                           op.name.find("/dequantize") != std::string::npos;
            if (op.type == OpType::MatMul)
                QVERIFY2(p.data.tensors[op.inputs[0]].bits == p.data.tensors[op.inputs[1]].bits,
                         op.name.c_str());
        }
    }
    QVERIFY(conversions > 500);
}

/// An 8-bit cache and new tokens: the new ones are cast, and what attention reads of the cache is converted.
void TestLowerWidths::rule_R18_castsAndConversions()
{
    model::ModelBuilder b("decode");
    const ModelTensorId x = b.input("x", {1, 32});
    const ModelTensorId past = b.input("past", {1, 2, 16, 16});
    model::KvAttributes kv;
    kv.heads = 2, kv.position = 16;
    const ModelTensorId cache = b.add(K::KvAppend, "cache", {b.linear("k", x, 32), past}, kv);
    b.add(K::Attention, "attention", {b.linear("q", x, 32), cache, cache},
          model::AttentionAttributes{2, 2, false});
    auto built = std::move(b).build();
    QVERIFY2(built.hasValue(), built ? "" : built.error().text().c_str());
    for (model::Tensor& t : built->tensors)
        if (t.name == "past")
            t.bits = 8 * kPartsOfBit;
    const LoweredProblem p = onMachine(*built, *machinePreset("edge"));
    std::set<std::string> names;
    for (const Op& op : p.data.ops)
        names.insert(op.name);
    QVERIFY(names.contains("cache/cast[0]"));
    QVERIFY(names.contains("attention/dequantize[0]"));
    std::size_t ofCache = 0;
    for (const TensorView& v : p.data.views)
        for (const TensorId base : v.bases)
            if (p.data.tensors[base].name == "past") {
                ++ofCache;
                QCOMPARE(p.data.tensors[v.tensor].bits, 8 * kPartsOfBit);
            }
    QVERIFY(ofCache > 0);
}

void TestLowerWidths::rule_R18_energyAndRounding()
{
    model::ModelBuilder b("energy");
    const ModelTensorId x = b.input("x", {100, 300});
    b.add(K::Softmax, "softmax", {b.linear("mm", x, 200)});
    Machine machine = *machinePreset("edge");
    machine = *withMachineField(machine, "levels.external.gb_per_s", "63.9"); // 31.95 elements a cycle
    machine = *withMachineField(machine, "array.rows", "63");                 // 63 * 64 / 128 cycles a pass
    const LoweredProblem p = onMachine(std::move(b), machine);
    const EnergyCosts& e = *p.data.energy;
    QCOMPARE(e.slow, machine.energy.dram / 16);
    QCOMPARE(e.fast, machine.energy.spm / 16);
    QCOMPARE(e.mac, (std::vector<double>{machine.energy.mac}));
    QCOMPARE(e.vector, (std::vector<double>{0, 4 * machine.energy.mac})); // four passes of softmax
    // Bandwidth is rounded down and costs up.
    const double exact = 63.9 / 2 * static_cast<double>(p.timeUnit);
    QVERIFY(static_cast<double>(p.data.hardware.slowMemoryBandwidth) <= exact);
    QVERIFY(static_cast<double>(p.data.hardware.slowMemoryBandwidth) > exact - 1);
    QVERIFY(p.data.ops[OpId(0)].baseCost * p.timeUnit >= 300 + 63 + 64 - 2);
    QVERIFY(p.data.ops[OpId(1)].baseCost * p.timeUnit >= 4 * 32);
    QCOMPARE(p.timeUnit, std::int64_t{4}); // 127 of 127.8 elements, 107 units for 425 cycles
    QVERIFY(std::abs(p.rounding - 3.0 / 425) < 1e-9);
    const auto file = readProblem(writeProblem(**problemOf(p)), "lowered.json");
    QVERIFY2(file.hasValue(), file ? "" : file.error().text().c_str());
    QVERIFY((*file)->hasEnergy() && *(*file)->data().energy == e);
}

void TestLowerWidths::rule_R18_ratesAndArrays()
{
    model::ModelBuilder b("rates");
    b.linear("mm", b.input("x", {16, 32}), 8);
    model::Model m = *std::move(b).build();
    const Machine edge = *machinePreset("edge");
    const auto with = [&](const MacRate& rate) {
        Machine machine = edge;
        machine.rates = {rate};
        return machine;
    };
    const std::int64_t cycles = 32 + 64 + 64 - 2;
    const auto setBits = [&](std::int64_t input, std::int64_t weight) {
        for (model::Tensor& t : m.tensors)
            t.bits = t.constant ? weight : input;
    };
    setBits(8 * kPartsOfBit, 8 * kPartsOfBit);
    QCOMPARE(onMachine(m, edge).data.ops[OpId(0)].baseCost, cycles);
    QCOMPARE(onMachine(m, with({8, 0, 2})).data.ops[OpId(0)].baseCost, cycles / 2);
    QCOMPARE(onMachine(m, with({8, 0, 1.5})).data.ops[OpId(0)].baseCost, std::int64_t{106}); // up
    setBits(0, 4 * kPartsOfBit + kPartsOfBit / 8); // the share of a scale is no part of an operand
    QCOMPARE(onMachine(m, with({16, 0, 0.5})).data.ops[OpId(1)].baseCost, 2 * cycles);
    QCOMPARE(onMachine(m, with({16, 0, 0.5})).data.ops.size(), std::size_t{2});
    const LoweredProblem direct = onMachine(m, with({16, 4, 2}));
    QCOMPARE(direct.data.ops.size(), std::size_t{1}); // multiplied as they are
    QCOMPARE(direct.data.ops[OpId(0)].baseCost, cycles / 2);
    // R8.4: 64 inputs are summed for each of 64 outputs in a cycle.
    setBits(0, 0);
    Machine dot = edge;
    dot.kind = ArrayKind::DotProduct;
    dot.arrays = 3;
    const LoweredProblem p = onMachine(m, dot);
    QVERIFY(p.data.hardware.array == (ComputeArray{ComputeArray::Kind::DotProduct, 64, 64, 3}));
    QCOMPARE(p.data.hardware.nativeWidth, std::int64_t{64});
    QCOMPARE(p.data.hardware.nativeHeight, std::int64_t{1});
    QCOMPARE(p.data.ops[OpId(0)].baseCost, std::int64_t{1}); // K of 32 is one sum
}

TILEWRIGHT_TEST(TestLowerWidths)

} // namespace test_lower_widths
#include "test_lower_widths.moc"
