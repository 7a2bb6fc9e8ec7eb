// SPDX-License-Identifier: GPL-3.0-or-later
// Layers, GEMMs and NPU models of models, files of every kind as workloads, and the machine as each lens
// takes it: docs/rules/workload.md 1, 2, 4 and 5.
#include "base/file.h"
#include "lower/lens_coverage.h"
#include "lower/machine_lenses.h"
#include "lower/network_table.h"
#include "lower/npu_model.h"
#include "lower/workload.h"
#include "mapping/files.h"
#include "model/networks.h"
#include "npu/bounds.h"
#include "npu/run.h"
#include "npu/tile_graph_builder.h"
#include "npu/verify.h"
#include "random_models.h"
#include "test_main.h"

#include <QDirIterator>
#include <QTest>

namespace test_lower_lenses {

using namespace tilewright;
using namespace tilewright::lower;

namespace {

const QString kSource = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");

Machine edge()
{
    return *machinePreset("edge");
}

model::Model network(model::NetworkKind kind, std::int64_t layers = 0)
{
    model::NetworkOptions o;
    o.kind = kind;
    o.layers = layers;
    return *model::generateNetwork(o);
}

/// The law of docs/rules/workload.md 3.6 for layers and GEMMs; empty when it holds.
std::string broken(const model::Model& m, const LoweredProblem& p)
{
    std::int64_t layers = p.report.droppedMacs;
    for (const NamedLayer& named : layersOf(m, p)) {
        const auto nest = mapping::makeNest(named.layer);
        if (!nest)
            return named.layer.name + ": " + nest.error().text();
        layers += nest->macs * named.layer.runs();
    }
    std::int64_t gemms = p.report.vectorMacs + p.report.droppedMacs;
    for (const GemmLayer& g : gemmsOf(p))
        gemms += systolic::macs(g.gemm) * g.count;
    if (layers != p.report.macs || gemms != p.report.macs)
        return "layers have " + std::to_string(layers) + " MACs, GEMMs " + std::to_string(gemms) +
               ", the model " + std::to_string(p.report.macs);
    return {};
}

std::vector<std::string> files(const QString& folder, const QStringList& patterns)
{
    std::vector<std::string> out;
    QDirIterator it(kSource + folder, patterns, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext())
        out.push_back(it.next().toStdString());
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

class TestLowerLenses : public QObject
{
    Q_OBJECT
private slots:
    void rule_4_conservation();
    void rule_4_1_resNetLayers();
    void rule_4_1_groupsDilationStrides();
    void rule_4_2_networkTable();
    void rule_5_npuModels();
    void npuTakesTheSharedLevel();
    void npuTakesPortsMulticastAndHash();
    void rule_5_groupedQueries();
    void rule_5_paddingOfAnySide();
    void rule_5_allMacsRunOnTheArray();
    void rule_5_batchesOfProducts();
    void rule_3_4_coverageOfEveryLens();
    void rule_1_everyFileIsAWorkload();
    void rule_1_liftedProblems();
    void rule_2_lenses();
    void rule_2_olderFiles();
    void rule_2_filesThatDiffer();
};

void TestLowerLenses::rule_4_conservation()
{
    for (const model::NetworkKindInfo& info : model::networkKinds()) {
        const model::Model m = network(info.kind, info.kind >= model::NetworkKind::Bert ? 2 : 0);
        const std::string fault = broken(m, *lowerToProblem(m, edge()));
        QVERIFY2(fault.empty(), (std::string(info.name) + ": " + fault).c_str());
    }
    for (unsigned seed = 0; seed < 2000; ++seed) {
        const model::Model m = RandomModel(seed).make();
        const std::string fault = broken(m, *lowerToProblem(m, edge()));
        QVERIFY2(fault.empty(), (std::to_string(seed) + ": " + fault).c_str());
    }
}

void TestLowerLenses::rule_4_1_resNetLayers()
{
    const model::Model m = network(model::NetworkKind::ResNet18);
    const mapping::Model layers = layerModel(m, *lowerToProblem(m, edge()));
    // The list that the Mapping lens comes with, layer by layer.
    const std::string path =
        (kSource + QStringLiteral("samples/mapping/models/resnet-18.json")).toStdString();
    auto wanted = mapping::readLayers(*readFile(path), path)->model.layers;
    QCOMPARE(layers.layers.size(), wanted.size());
    for (const mapping::Layer& layer : layers.layers) {
        const auto same = [&](mapping::Layer other) {
            other.name = layer.name;
            return other == layer;
        };
        QVERIFY2(std::count_if(wanted.begin(), wanted.end(), same) == 1, describe(layer).c_str());
    }
}

void TestLowerLenses::rule_4_1_groupsDilationStrides()
{
    model::WindowAttributes w;
    w.stride = {2, 1};
    w.dilation = {1, 2};
    w.padding.fill(1);
    w.groups = 2;
    model::ModelBuilder b("conv");
    b.add(model::OperatorKind::Conv2d, "c", {b.input("x", {1, 8, 9, 10}), b.constant("w", {6, 4, 3, 3})}, w);
    const model::Model m = *std::move(b).build();
    const auto layers = layersOf(m, *lowerToProblem(m, edge()));
    QCOMPARE(layers.size(), std::size_t{1});
    const mapping::LoopNest nest = *mapping::makeNest(layers[0].layer);
    QCOMPARE(nest.trips, (mapping::Factors{1, 3, 4, 5, 8, 3, 3})); // one group of two
    QCOMPARE(layers[0].layer.runs(), 2);
    mapping::Factors window{1, 1, 1, 2, 2, 3, 3};
    QCOMPARE(nest.elements(0, window), ((2 - 1) * 2 + 3) * ((2 - 1) + 2 * 2 + 1));
    // Written and read back.
    const auto again = mapping::readLayers(mapping::writeLayer(layers[0].layer), "again.json");
    QVERIFY2(again.hasValue(), again ? "" : again.error().text().c_str());
    QVERIFY(again->model.layers[0] == layers[0].layer);
}

void TestLowerLenses::rule_4_2_networkTable()
{
    const model::Model m = network(model::NetworkKind::Bert, 2);
    const auto layers = gemmsOf(*lowerToProblem(m, edge()));
    QCOMPARE(layers.size(), std::size_t{5}); // projections, scores, contexts, both of the feed-forward net
    QCOMPARE(layers[0].count, 8);
    QCOMPARE(layers[0].operators.size(), std::size_t{8});
    QCOMPARE(layers[1].count, 24);
    QCOMPARE(layers[1].operators, (std::vector<std::string>{"layer0.attention", "layer1.attention"}));
    const auto table = networkTable(layers, hierarchyOf(edge()), {});
    QVERIFY(table.hasValue());
    std::int64_t cycles = 0, padded = 0, rows = 0;
    for (const NetworkRow& row : table->rows) {
        const systolic::Gemm& g = row.layer.gemm;
        const auto& added = row.padding.added;
        QVERIFY(added && added->k == 0); // os
        QCOMPARE((g.m + added->m) * (g.n + added->n) * g.k, systolic::macs(g) + row.padding.macs);
        QCOMPARE(row.padding.idlePes, 4096 * (1 - row.timing.mappingEfficiency));
        padded += row.padding.macs * row.layer.count;
        rows += added->m * row.layer.count;
        cycles += row.timing.cycles * row.layer.count;
        QCOMPARE(row.boundCycles, std::max(row.timing.cycles, row.dramCycles));
        QVERIFY(row.bytes[3] >= 2 * systolic::compulsoryElements(row.layer.gemm));
    }
    QCOMPARE(table->total.timing.cycles, cycles);
    QCOMPARE(table->total.padding.macs, padded);
    QCOMPARE(table->total.padding.added->m, rows);
    QCOMPARE(table->total.padding.idlePes, 4096 * (1 - table->total.timing.mappingEfficiency));
    QCOMPARE(table->macs, model::macsOf(m));
    QVERIFY(table->total.timing.utilization > 0 && table->total.timing.utilization <= 1);
}

/// docs/rules/npu.md 5.7
void TestLowerLenses::npuTakesTheSharedLevel()
{
    const auto a100 = machinePreset("a100");
    QVERIFY(a100.has_value());
    const npu::NpuHardware hw = npuHardwareOf(*a100);
    QCOMPARE(hw.shared.bytes, std::int64_t{41'943'040});
    QCOMPARE(hw.shared.bytesPerCycle, std::int64_t{5'120}); // 7,219.2 GB/s at 1.41 GHz
    QCOMPARE(npuHardwareOf(*machinePreset("server")).shared.bytes, std::int64_t{0});
    for (const FieldLeftOut& f : fieldsLeftOut(*a100, MachineLens::Npu))
        QVERIFY(f.path != "levels.l2.shared");
    // A hardware file keeps it, and is a machine with such a level.
    const std::string text = npu::hardwareToJson(hw);
    const auto read = npu::parseHardware(text, "hw.json");
    QVERIFY2(read.hasValue(), read ? "" : read.error().text().c_str());
    QVERIFY(read->shared == hw.shared);
    const std::vector<MachineText> texts{{text, "hw.json"}};
    const auto machine = readMachines(texts);
    QVERIFY2(machine.hasValue(), machine ? "" : machine.error().text().c_str());
    QVERIFY(npuHardwareOf(*machine).shared == hw.shared);
    QCOMPARE(npuHardwareOf(*machine).spmBytes, hw.spmBytes);
}

/// docs/rules/npu.md 5.10, 5.11: ports, multicast and the address hash, from a machine and from a hardware
/// file.
void TestLowerLenses::npuTakesPortsMulticastAndHash()
{
    const auto isLeftOut = [](const Machine& m, std::string_view path) {
        return std::ranges::any_of(fieldsLeftOut(m, MachineLens::Npu),
                                   [&](const FieldLeftOut& f) { return f.path.starts_with(path); });
    };
    Machine tpu = *machinePreset("tpu-v4");
    QCOMPARE(npuHardwareOf(tpu).shared.readBytesPerCycle, std::int64_t{1'950}); // 2,048 GB/s at 1.05 GHz
    QCOMPARE(npuHardwareOf(tpu).shared.writeBytesPerCycle, std::int64_t{975});
    QVERIFY(!npuHardwareOf(tpu).shared.multicast && !isLeftOut(tpu, "levels.l2."));
    // Of a memory that is no shared one the lens has no ports.
    QVERIFY(isLeftOut(*machinePreset("tpu-v4i"), "levels.l2.write_gb_per_s"));
    QVERIFY(npuHardwareOf(*machinePreset("simba")).shared.multicast);
    QVERIFY(!npuHardwareOf(*machinePreset("simba")).shared.hasTwoPorts());
    tpu =
        *withMachineField(*withMachineField(tpu, "levels.l2.multicast", "true"), "dram.address_hash", "true");
    const npu::NpuHardware hw = npuHardwareOf(tpu);
    QVERIFY(hw.shared.multicast && hw.dram.addressHash && !isLeftOut(tpu, "dram.address_hash"));
    const std::string text = npu::hardwareToJson(hw);
    const auto read = npu::parseHardware(text, "hw.json");
    QVERIFY2(read.hasValue(), read ? "" : read.error().text().c_str());
    QVERIFY(read->shared == hw.shared && read->dram == hw.dram);
    const std::vector<MachineText> texts{{text, "hw.json"}};
    const auto machine = readMachines(texts);
    QVERIFY2(machine.hasValue(), machine ? "" : machine.error().text().c_str());
    QVERIFY(npuHardwareOf(*machine).shared == hw.shared);
    QVERIFY(npuHardwareOf(*machine).dram.addressHash);
    const auto half =
        npu::parseHardware(R"({"shared": {"bytes": 4096, "read_bytes_per_cycle": 8}})", "hw.json");
    QVERIFY(!half.hasValue());
    QCOMPARE(half.error().text(),
             std::string("hw.json: shared.read_bytes_per_cycle: a memory with two ports needs both rates"));
}

void TestLowerLenses::rule_5_npuModels()
{
    const npu::NpuHardware hw = npuHardwareOf(edge());
    for (const model::NetworkKindInfo& info : model::networkKinds()) {
        model::NetworkOptions o;
        o.kind = info.kind;
        if (info.kind < model::NetworkKind::Bert) {
            o.size = 64;
        } else { // small, for the simulation
            o.layers = 1, o.tokens = info.kind == model::NetworkKind::LlamaDecode ? 1 : 32, o.hidden = 128,
            o.ffn = 256, o.heads = 8;
            if (info.kind != model::NetworkKind::Bert)
                o.classes = 500;
            if (info.kind >= model::NetworkKind::Llama)
                o.kvHeads = 2;
        }
        const auto m = model::generateNetwork(o);
        QVERIFY2(m.hasValue(), m ? "" : m.error().text().c_str());
        const auto lowered = lowerToNpu(*m, edge());
        QVERIFY2(lowered.hasValue(),
                 lowered ? "" : (std::string(info.name) + lowered.error().text()).c_str());
        QCOMPARE(lowered->source.size(), lowered->model.ops.size());
        for (const NodeReport& n : lowered->nodes)
            QVERIFY(n.status == NodeStatus::Mapped || !n.note.empty());
        const auto graph = npu::buildGraph(lowered->model, hw);
        QVERIFY2(graph.hasValue(), graph ? "" : (std::string(info.name) + graph.error().text()).c_str());
        const auto run = npu::simulate(*graph, hw, {}, {});
        QVERIFY(run.hasValue());
        for (const auto& checks : {npu::verifyGraph(*graph), npu::verifyRun(*graph, *run)})
            for (const npu::RuleCheck& check : checks)
                QVERIFY2(check.passed,
                         (std::string(info.name) + ": " + check.rule + ": " + check.text).c_str());
    }
}

void TestLowerLenses::rule_5_groupedQueries()
{
    model::ModelBuilder b("grouped");
    const ModelTensorId q = b.input("q", {16, 64}), k = b.input("k", {16, 16}), v = b.input("v", {16, 16});
    b.add(model::OperatorKind::Attention, "attention", {q, k, v}, model::AttentionAttributes{8, 2, true});
    const auto lowered = lowerToNpu(*std::move(b).build(), edge());
    QVERIFY2(lowered.hasValue(), lowered ? "" : lowered.error().text().c_str());
    QCOMPARE(lowered->model.ops.size(), std::size_t{1});
    QCOMPARE(lowered->model.ops[0].kvHeads, 2);
    const auto graph = npu::buildGraph(lowered->model, npuHardwareOf(edge()));
    QVERIFY(graph.hasValue());
    // Heads 0 to 3 read the first eight columns of K, heads 4 to 7 the others.
    for (std::size_t i = 0; i < graph->nodes.size(); ++i)
        for (const std::uint32_t t : graph->inputs(i))
            if (graph->tiles[t].tensor == 1) {
                QCOMPARE(graph->tiles[t].offset[1], graph->nodes[i].head / 4 * 8);
                QCOMPARE(graph->tiles[t].shape[1], 8);
            }
    QVERIFY(npu::parseModel(npu::modelToJson(lowered->model), "again.json").hasValue());
}

/// No operator pads anything: the convolution of the lens has its own padding on each side.
void TestLowerLenses::rule_5_paddingOfAnySide()
{
    for (const std::array<std::int64_t, 4> padding :
         {std::array<std::int64_t, 4>{0, 0, 1, 1}, {1, 3, 2, 5}}) {
        model::ModelBuilder b("padded");
        model::WindowAttributes window;
        window.padding = padding;
        b.add(model::OperatorKind::Conv2d, "conv", {b.input("x", {1, 4, 6, 6}), b.input("w", {8, 4, 3, 3})},
              window);
        const auto lowered = lowerToNpu(*std::move(b).build(), edge());
        QVERIFY2(lowered.hasValue(), lowered ? "" : lowered.error().text().c_str());
        QCOMPARE(lowered->model.ops.size(), std::size_t{1});
        QCOMPARE(lowered->model.ops[0].padding, padding);
        const auto again = npu::parseModel(npu::modelToJson(lowered->model), "again.json");
        QVERIFY2(again.hasValue(), again ? "" : again.error().text().c_str());
        QCOMPARE(again->ops[0].padding, padding);
    }
}

namespace {

/// The MACs of the nodes of a graph on the array, by operator of the model.
std::vector<std::int64_t> macsOnTheArray(const model::Model& m, const LoweredNpu& lowered,
                                         const npu::NpuGraph& graph)
{
    std::vector<std::int64_t> out(m.operators.size(), 0);
    for (const npu::TileNode& node : graph.nodes)
        if (node.engine() == npu::Engine::Tensor)
            out[lowered.source[node.op].index()] += node.m * node.n * node.k * node.repeats;
    return out;
}

/// Lowers, cuts and runs a model, and checks every rule and that all MACs of the model run on the array.
std::string faultOnTheNpu(const model::Model& m)
{
    const auto lowered = lowerToNpu(m, edge());
    if (!lowered)
        return lowered.error().text();
    const auto hw = npuHardwareOf(edge());
    const auto graph = npu::buildGraph(lowered->model, hw);
    if (!graph)
        return graph.error().text();
    const auto macs = macsOnTheArray(m, *lowered, *graph);
    for (std::size_t i = 0; i < macs.size(); ++i) {
        const model::Operator& op = m.operators[OperatorId(i)];
        const std::int64_t wanted = model::macsOf(m, op);
        // A causal mask skips whole chunks.
        const bool masked =
            op.kind == model::OperatorKind::Attention && op.as<model::AttentionAttributes>().causal;
        if (masked ? macs[i] > wanted : macs[i] != wanted)
            return std::string(op.typeName()) + " " + op.name + ": " + std::to_string(macs[i]) + " of " +
                   std::to_string(wanted) + " MACs";
    }
    const auto run = npu::simulate(*graph, hw, {}, {});
    if (!run)
        return run.error().text();
    for (const auto& checks : {npu::verifyGraph(*graph), npu::verifyRun(*graph, *run)})
        for (const npu::RuleCheck& check : checks)
            if (!check.passed)
                return check.rule + ": " + check.text;
    const npu::Bounds bounds = npu::lowerBounds(*graph, hw);
    if (run->makespan < bounds.lowerBound)
        return "the run is shorter than its lower bound";
    // The model is a file of the lens.
    const auto again = npu::parseModel(npu::modelToJson(lowered->model), "again.json");
    return again ? std::string() : again.error().text();
}

} // namespace

void TestLowerLenses::rule_5_allMacsRunOnTheArray()
{
    for (unsigned seed = 0; seed < 300; ++seed) {
        const std::string fault = faultOnTheNpu(RandomModel(seed).make());
        QVERIFY2(fault.empty(), (std::to_string(seed) + ": " + fault).c_str());
    }
}

void TestLowerLenses::rule_5_batchesOfProducts()
{
    const auto check = [](model::ModelBuilder&& b) {
        const std::string fault = faultOnTheNpu(*std::move(b).build());
        QVERIFY2(fault.empty(), fault.c_str());
    };
    using K = model::OperatorKind;
    { // finding F39: 32 products of 512 x 128 x 512 took no time of the array
        model::ModelBuilder b("batched");
        b.matmul("product", b.input("a", {32, 512, 128}), b.input("b", {32, 128, 512}));
        const model::Model m = *std::move(b).build();
        QVERIFY2(faultOnTheNpu(m).empty(), faultOnTheNpu(m).c_str());
        const auto lowered = lowerToNpu(m, edge());
        QCOMPARE(lowered->model.ops.size(), std::size_t{1}); // no view: the operands lie as they are read
        const auto hw = npuHardwareOf(edge());
        const auto graph = npu::buildGraph(lowered->model, hw);
        QVERIFY(npu::lowerBounds(*graph, hw).tensor >= 32 * 8 * 8 * 128 / 4); // four cores
    }
    { // batches that one operand lacks, and more of them than the lens has dimensions
        model::ModelBuilder b("broadcast");
        const ModelTensorId x = b.input("x", {2, 3, 4, 8, 16}), y = b.input("y", {3, 4, 16, 8}),
                            z = b.input("z", {2, 1, 4, 8, 5}), a = b.input("a", {7, 8});
        const ModelTensorId p = b.matmul("p", x, y);
        const ModelTensorId q = b.matmul("q", p, z);
        b.add(K::MatMul, "r", {a, q}, model::MatMulAttributes{});
        b.add(K::MatMul, "t", {b.input("u", {4, 16, 8}), b.input("v", {4, 6, 16})},
              model::MatMulAttributes{.transposeA = true, .transposeB = true});
        check(std::move(b));
    }
    { // one operand twice
        model::ModelBuilder b("square");
        const ModelTensorId x = b.input("x", {4, 24, 24});
        b.matmul("p", x, x);
        check(std::move(b));
    }
    for (const char* equation : {"bhqd,bhkd->bhqk", "bij,bjk->bik", "ij,jk->ik", "bqhd,bkhd->bhqk", "i,j->ij",
                                 "bhwc,hkc->bhwk", "bi,bi->b"}) {
        model::ModelBuilder b("einsum");
        const std::string text = equation;
        const auto shape = [](const std::string& letters) {
            model::Shape out;
            for (const char c : letters)
                out.push_back(c == 'b' ? 2 : c == 'h' ? 3 : 5 + c % 7);
            return out;
        };
        const std::string lhs = text.substr(0, text.find(',')),
                          rhs = text.substr(text.find(',') + 1, text.find('-') - text.find(',') - 1);
        b.add(K::Einsum, "e", {b.input("a", shape(lhs)), b.input("b", shape(rhs))},
              model::EinsumAttributes{equation});
        check(std::move(b));
    }
    for (const K kind : {K::Lstm, K::Gru, K::Rnn}) {
        model::ModelBuilder b("recurrent");
        const std::int64_t gates = kind == K::Lstm ? 4 : kind == K::Gru ? 3 : 1;
        b.add(kind, "r",
              {b.input("x", {6, 3, 20}), b.constant("w", {2, gates * 16, 20}),
               b.constant("u", {2, gates * 16, 16})},
              model::RecurrentAttributes{16, 2});
        check(std::move(b));
    }
    { // values of another size than the keys, one head of keys for two of queries
        model::ModelBuilder b("values");
        b.add(K::Attention, "a",
              {b.input("q", {2, 4, 6, 8}), b.input("k", {2, 2, 10, 8}), b.input("v", {2, 2, 10, 12})},
              model::AttentionAttributes{4, 2, false});
        check(std::move(b));
    }
    { // finding F39: transposed convolutions
        model::ModelBuilder b("transposed");
        model::WindowAttributes w;
        w.stride = {2, 2};
        w.groups = 2;
        b.add(K::ConvTranspose2d, "c", {b.input("x", {3, 8, 5, 7}), b.constant("w", {8, 3, 5, 4})}, w);
        check(std::move(b));
    }
    // More steps than operators fit into a model of the lens: an error, not a machine without memory.
    model::ModelBuilder b("endless");
    b.add(K::Rnn, "r",
          {b.input("x", {100'000, 1, 2}), b.constant("w", {1, 2, 2}), b.constant("u", {1, 2, 2})},
          model::RecurrentAttributes{2, 1});
    const auto endless = lowerToNpu(*std::move(b).build(), edge());
    QVERIFY(!endless && endless.error().text().find("more than 200") != std::string::npos);
}

void TestLowerLenses::rule_3_4_coverageOfEveryLens()
{
    model::ModelBuilder b("all");
    const ModelTensorId x = b.input("x", {1, 8, 6, 6});
    model::WindowAttributes depthwise;
    depthwise.groups = 8;
    const ModelTensorId d =
        b.add(model::OperatorKind::Conv2d, "depthwise", {x, b.constant("w", {8, 1, 3, 3})}, depthwise);
    const ModelTensorId c = b.add(model::OperatorKind::Conv2d, "conv", {d, b.constant("v", {4, 8, 1, 1})},
                                  model::WindowAttributes());
    const ModelTensorId r =
        b.add(model::OperatorKind::Elementwise, "relu", {c}, model::ElementwiseAttributes{"relu", 0});
    model::Operator odd{model::OperatorKind::Unknown, "riddle", "Riddle", {r}, {}, model::NoAttributes{}};
    auto workload = std::make_shared<Workload>();
    workload->model = *std::move(b).build();
    model::Model& m = workload->model;
    odd.outputs.emplace_back(m.tensors.size());
    m.tensors.push_back({"answer", {1, 4, 4, 4}, false, 0});
    m.operators.push_back(odd);
    const auto on = putOnMachine(workload, edge());
    QVERIFY2(on.hasValue(), on ? "" : on.error().text().c_str());
    std::map<std::string, Coverage> lenses;
    for (const LensCoverage& lens : lensCoverage(**on))
        lenses[std::string(toString(lens.lens))] = lens.coverage;
    QCOMPARE(lenses.size(), std::size_t{4});
    using Counts = std::array<std::size_t, 4>; // mapped, folded, approximated, dropped
    QCOMPARE(lenses["Schedule"].operators, (Counts{3, 0, 0, 1}));
    QCOMPARE(lenses["NPU"].operators, (Counts{3, 0, 0, 1}));
    QCOMPARE(lenses["Mapping"].operators, (Counts{2, 0, 0, 2}));  // no vector work
    QCOMPARE(lenses["Systolic"].operators, (Counts{1, 0, 0, 3})); // depthwise is vector work, too
    const std::int64_t ofDepthwise = 8 * 4 * 4 * 9, ofConv = 4 * 8 * 4 * 4;
    QCOMPARE(lenses["Systolic"].macs, (std::array<std::int64_t, 4>{ofConv, 0, 0, ofDepthwise}));
    for (const auto& [name, coverage] : lenses) {
        QCOMPARE(coverage.unknown, std::size_t{1});
        QCOMPARE(coverage.missing, std::size_t{1});
        QVERIFY(droppedText(coverage).find("unknown") != std::string::npos);
    }
    QVERIFY(missingText(*workload).find("Riddle \"riddle\"") != std::string::npos);
    const std::string json = reportJson((*on)->lowered.report, lensCoverage(**on));
    QVERIFY(json.find("\"dropped\": null") != std::string::npos);
    QVERIFY(json.find("\"dropped\": 0.0") == std::string::npos);
    QVERIFY((*on)->lowered.report.nodes.back().note.find("0.0 %") == std::string::npos);
}

void TestLowerLenses::rule_1_everyFileIsAWorkload()
{
    auto all = files(QStringLiteral("samples/mapping/layers"), {QStringLiteral("*.json")});
    for (const auto& more :
         {files(QStringLiteral("samples/mapping/models"), {QStringLiteral("*.json")}),
          files(QStringLiteral("samples/npu"), {QStringLiteral("*.json")}),
          files(QStringLiteral("samples/models"), {QStringLiteral("*.json"), QStringLiteral("*.csv")}),
          files(QStringLiteral("tests/data/oracles/systolic/scalesim"), {QStringLiteral("*.csv")})})
        all.insert(all.end(), more.begin(), more.end());
    for (const std::string& file : files(QStringLiteral("samples/schedule"), {QStringLiteral("*.json")}))
        if (file.find(".schedule.json") == std::string::npos)
            all.push_back(file);
    for (const std::string& file : all) {
        const auto w = loadWorkload(file);
        QVERIFY2(w.hasValue(), w ? "" : w.error().text().c_str());
        QVERIFY2(!w->noModel, file.c_str());
        const auto p = lowerToProblem(w->model, edge());
        QVERIFY2(p.hasValue(), p ? "" : p.error().text().c_str());
        const std::string fault = broken(w->model, *p);
        QVERIFY2(fault.empty(), (file + ": " + fault).c_str());
        if (w->layers) {
            std::int64_t macs = 0;
            for (const mapping::Layer& layer : w->layers->layers)
                macs += mapping::makeNest(layer)->macs * layer.runs();
            QCOMPARE(model::macsOf(w->model), macs);
        }
    }
    const std::string schedule =
        (kSource + QStringLiteral("samples/schedule/mlp.fused.schedule.json")).toStdString();
    QCOMPARE(loadWorkload(schedule).error().text(),
             schedule + ": is not a workload (a model, a layer list, a topology or a problem)");
}

void TestLowerLenses::rule_1_liftedProblems()
{
    const auto w = loadWorkload((kSource + QStringLiteral("samples/schedule/mlp.json")).toStdString());
    QVERIFY(w.hasValue());
    const auto p = lowerToProblem(w->model, edge());
    QVERIFY(p.hasValue());
    // 1:1: the same ops on the same tensors, with the machine's costs.
    QCOMPARE(p->data.ops.size(), w->problem->opCount());
    QVERIFY(p->data.views.empty());
    for (std::size_t i = 0; i < p->data.ops.size(); ++i) {
        QCOMPARE(p->data.ops[OpId(i)].name, w->problem->opName(OpId(i)));
        QVERIFY(p->data.ops[OpId(i)].type == w->problem->op(OpId(i)).type);
    }
}

void TestLowerLenses::rule_2_lenses()
{
    const Machine m = edge();
    const systolic::Hierarchy h = hierarchyOf(m);
    QVERIFY(systolic::checkHierarchy(h).hasValue());
    QCOMPARE(h.array.rows, 64);
    QCOMPARE(h.bytesPerCycle(systolic::Level::External), 64.0);
    const npu::NpuHardware hw = npuHardwareOf(m);
    QVERIFY(npu::checkHardware(hw).hasValue());
    QCOMPARE(hw.spmBytes, 1 << 20);
    QCOMPARE(hw.dram.channels * hw.dram.bytesPerCycle, 64);
    QCOMPARE(hw.linkBytesPerCycle, 64);
    QCOMPARE(hw.trunkBytesPerCycle, 256);
    const mapping::Architecture a = architectureOf(m);
    QCOMPARE(a.pes, 4096);
    QCOMPARE(a.spmBankBytes, (1 << 20) / 2 / 32);
    QCOMPARE(a.arrayMhz, 1000.0);
    for (const MachinePreset& preset : machinePresets()) {
        const Machine machine = *machinePreset(preset.name);
        QVERIFY(systolic::checkHierarchy(hierarchyOf(machine)).hasValue());
        const auto npu = npu::checkHardware(npuHardwareOf(machine));
        QVERIFY2(npu.hasValue(), npu ? "" : npu.error().text().c_str());
        const auto read =
            mapping::readArchitecture(mapping::writeArchitecture(architectureOf(machine)), "a.json");
        QVERIFY2(read.hasValue(), read ? "" : read.error().text().c_str());
    }
    // Pipelined row hits take their time on the bus; a hit with a time of its own ends that.
    const Machine chip = *machinePreset("tpu-v5e");
    QCOMPARE(npuHardwareOf(chip).dram.rowHitCycles, 2);
    npu::NpuHardware slower = npuHardwareOf(chip);
    slower.dram.rowHitCycles = 7;
    const auto taken = withNpuHardware(chip, slower);
    QVERIFY(taken && !taken->dram.pipelinedHits && npuHardwareOf(*taken).dram.rowHitCycles == 7);
    // The preset after the source document is the older one.
    const std::string kpu = (kSource + QStringLiteral("tests/data/hierarchies/kpu.json")).toStdString();
    QVERIFY(hierarchyOf(*machinePreset("kpu")) == *systolic::readHierarchy(kpu));
}

void TestLowerLenses::rule_2_olderFiles()
{
    for (const char* folder :
         {"tests/data/hierarchies", "tests/data/npu_hardware", "samples/mapping/architectures"})
        for (const std::string& file : files(QLatin1String(folder), {QStringLiteral("*.json")})) {
            const auto m = loadMachine(std::vector{file});
            QVERIFY2(m.hasValue(), m ? "" : m.error().text().c_str());
            // What the file says comes out again.
            const std::string text = *readFile(file);
            if (QLatin1String(folder).endsWith(QLatin1String("hierarchies"))) {
                QVERIFY2(hierarchyOf(*m) == *systolic::readHierarchy(file), file.c_str());
            } else if (QLatin1String(folder).endsWith(QLatin1String("npu_hardware"))) {
                npu::NpuHardware want = *npu::loadHardware(file), got = npuHardwareOf(*m);
                got.dram.arbiter = want.dram.arbiter;
                QVERIFY2(got == want, file.c_str());
            } else {
                const mapping::Architecture want = *mapping::readArchitecture(text, file);
                QVERIFY2(architectureOf(*m) == want, file.c_str());
                QCOMPARE(m->rows * m->cols, want.pes);
                QVERIFY(m->rows <= m->cols);
            }
        }
    QVERIFY(loadMachine(std::vector<std::string>{"nowhere"})
                .error()
                .text()
                .starts_with("nowhere: is neither a file nor a preset; the presets are contest, edge, kpu, "
                             "server, a100, "));
}

void TestLowerLenses::rule_2_filesThatDiffer()
{
    const MachineText hierarchy{R"({"array": {"rows": 16, "cols": 16}, "element_bytes": 2, "levels": {
        "host": {"buffers": 1, "bytes": 1000000, "gb_per_s": 1}, "external": {"buffers": 1, "bytes": 1000000, "gb_per_s": 8},
        "l3": {"buffers": 1, "bytes": 65536, "gb_per_s": 32}, "l2": {"buffers": 1, "bytes": 32768, "gb_per_s": 64},
        "l1": {"buffers": 1, "bytes": 8192, "gb_per_s": 128}}})",
                                "a.json"};
    const MachineText same{R"({"pes": 256, "element_bytes": 2})", "b.json"};
    const auto merged = readMachines(std::vector{hierarchy, same});
    QVERIFY2(merged.hasValue(), merged ? "" : merged.error().text().c_str());
    QCOMPARE(merged->at(MachineLevel::L3).bytes, 65536); // the hierarchy says more of levels
    QCOMPARE(merged->registerFileBytes, 512);
    const MachineText other{R"({"pes": 512, "element_bytes": 2})", "c.json"};
    const auto differ = readMachines(std::vector{hierarchy, other});
    QVERIFY(!differ.hasValue());
    QCOMPARE(differ.error().text(), std::string("array.cols is 16 in a.json and 32 in c.json"));
}

TILEWRIGHT_TEST(TestLowerLenses)

} // namespace test_lower_lenses
#include "test_lower_lenses.moc"
