// SPDX-License-Identifier: GPL-3.0-or-later
// Models lowered to problems: rules of docs/rules/workload.md 3 with numbers worked out by hand, conservation
// of multiply-accumulates on every generated network and on random models.
#include "lower/lens_coverage.h"
#include "model/networks.h"
#include "random_models.h"
#include "test_main.h"
#include "workload/problem_json.h"

#include <QTest>

#include <set>

namespace test_lower {

using namespace tilewright;
using namespace tilewright::lower;
using K = model::OperatorKind;

namespace {

LoweredProblem lowered(const model::Model& m, const char* machine = "edge")
{
    const auto out = lowerToProblem(m, *machinePreset(machine));
    if (!out)
        qFatal("%s", out.error().text().c_str());
    return *out;
}

LoweredProblem lowered(model::ModelBuilder b, const char* machine = "edge")
{
    auto m = std::move(b).build();
    if (!m)
        qFatal("%s", m.error().text().c_str());
    return lowered(*m, machine);
}

/// The law of docs/rules/workload.md 3.6, from the report and the problem alone; empty when it holds.
std::string broken(const model::Model& m, const LoweredProblem& p)
{
    std::int64_t nodes = 0, dropped = 0;
    for (const NodeReport& n : p.report.nodes) {
        nodes += n.macs;
        dropped += n.status == NodeStatus::Dropped ? n.macs : 0;
        if ((n.status != NodeStatus::Mapped) == n.note.empty() && n.status != NodeStatus::Mapped)
            return n.name + " has no note";
    }
    if (nodes != model::macsOf(m) || nodes != p.report.macs)
        return "the nodes have " + std::to_string(nodes) + " MACs";
    if (matMulMacs(p) + p.report.vectorMacs + dropped != nodes)
        return std::to_string(matMulMacs(p)) + " + " + std::to_string(p.report.vectorMacs) + " + " +
               std::to_string(dropped) + " is not " + std::to_string(nodes);
    const auto problem = Problem::build(p.data);
    if (!problem)
        return problem.error().text();
    std::set<TensorId> views;
    for (const TensorView& v : p.data.views) {
        if ((*problem)->producer(v.tensor) || !views.insert(v.tensor).second || v.bases.empty())
            return "view " + (*problem)->tensorName(v.tensor);
    }
    for (const TensorView& v : p.data.views)
        for (const TensorId base : v.bases)
            if (views.count(base))
                return "the base " + (*problem)->tensorName(base) + " is a view";
    return {};
}

std::vector<std::string> names(const LoweredProblem& p)
{
    std::vector<std::string> out;
    for (const Op& op : p.data.ops)
        out.push_back(op.name);
    return out;
}

model::WindowAttributes window(std::int64_t stride, std::int64_t padding, std::int64_t groups = 1)
{
    model::WindowAttributes w;
    w.stride = {stride, stride};
    w.padding.fill(padding);
    w.groups = groups;
    return w;
}

} // namespace

class TestLower : public QObject
{
    Q_OBJECT
private slots:
    void rule_3_6_basicBlock();
    void rule_3_6_transformerBlock();
    void rule_3_6_resNet18();
    void rule_3_6_generatedNetworks();
    void rule_3_6_randomModels();
    void rule_3_2_equalViewsAreOne();
    void rule_3_3_convolutions();
    void rule_3_3_batchedProducts();
    void rule_3_3_broadcastOperands();
    void rule_3_3_helpers();
    void rule_3_3_cache();
    void rule_3_4_statusAndNames();
    void rule_3_5_costsAndTime();
    void reportAndFile();
};

void TestLower::rule_3_6_basicBlock()
{
    model::ModelBuilder b("basic block");
    const ModelTensorId x = b.input("x", {1, 64, 56, 56});
    const auto conv = [&](const char* name, ModelTensorId in) {
        return b.add(K::Conv2d, name, {in, b.constant(std::string(name) + ".w", {64, 64, 3, 3})},
                     window(1, 1));
    };
    const ModelTensorId first = b.elementwise("relu", "relu1", {conv("conv1", x)});
    b.elementwise("relu", "relu2", {b.elementwise("add", "add", {conv("conv2", first), x})});
    const LoweredProblem p = lowered(std::move(b));
    QCOMPARE(p.report.macs, 231'211'008);
    QCOMPARE(matMulMacs(p), 231'211'008);
    QCOMPARE(names(p), (std::vector<std::string>{"conv1", "relu1", "conv2", "add", "relu2"}));
    QCOMPARE(p.data.views.size(), std::size_t{2});
    const Tensor& patches = p.data.tensors[p.data.views[0].tensor];
    QCOMPARE(patches.height, 3136);
    QCOMPARE(patches.width, 576);
    QCOMPARE(p.data.tensors[p.data.ops[OpId(0)].output].width, 64);
    QVERIFY(p.report.nodes[0].note.find("9 times") != std::string::npos);
}

void TestLower::rule_3_6_transformerBlock()
{
    model::ModelBuilder b("block");
    const ModelTensorId x = b.input("x", {128, 512});
    const auto norm = [&](const char* name, ModelTensorId t) {
        return b.add(K::RmsNorm, name, {t, b.constant(std::string(name) + ".g", {512})});
    };
    const ModelTensorId n = norm("norm1", x);
    const ModelTensorId context = b.add(K::Attention, "attention",
                                        {b.linear("q", n, 512), b.linear("k", n, 128), b.linear("v", n, 128)},
                                        model::AttentionAttributes{8, 2, true});
    const ModelTensorId sum = b.elementwise("add", "add1", {b.linear("o", context, 512), x});
    const ModelTensorId n2 = norm("norm2", sum);
    const ModelTensorId act =
        b.elementwise("silu_mul", "act", {b.linear("gate", n2, 1408), b.linear("up", n2, 1408)});
    b.elementwise("add", "add2", {b.linear("down", act, 512), sum});
    const LoweredProblem p = lowered(std::move(b));
    QCOMPARE(p.report.macs, 377'487'360);
    QCOMPARE(matMulMacs(p), 377'487'360);
    // 7 projections, 8 heads of 3 ops, 2 norms, 2 additions, the activation
    QCOMPARE(p.data.ops.size(), std::size_t{7 + 24 + 5});
    // 8 slices of Q, 2 each of K and V that the heads share, the contexts side by side
    QCOMPARE(p.data.views.size(), std::size_t{8 + 2 + 2 + 1});
    QCOMPARE(p.data.ops[OpId(4)].name, std::string("attention/scores[0]"));
    const Tensor& keys = p.data.tensors[p.data.ops[OpId(4)].inputs[1]];
    QCOMPARE(keys.height, 64);
    QCOMPARE(keys.width, 128);
}

void TestLower::rule_3_6_resNet18()
{
    const auto m = model::generateNetwork({});
    const LoweredProblem p = lowered(*m);
    QCOMPARE(p.report.macs, 1'814'073'344);
    QCOMPARE(matMulMacs(p), 1'814'073'344);
    QCOMPARE(broken(*m, p), std::string());
    QCOMPARE(p.report.byType.at("conv2d") + p.report.byType.at("matmul"), 1'814'073'344);
    QCOMPARE(p.report.coverage.mapped, 1.0);
    QVERIFY(p.report.leftOutBytes > 0); // the biases
}

void TestLower::rule_3_6_generatedNetworks()
{
    for (const model::NetworkKindInfo& info : model::networkKinds()) {
        model::NetworkOptions o;
        o.kind = info.kind;
        if (info.kind >= model::NetworkKind::Bert)
            o.layers = 2;
        const auto m = model::generateNetwork(o);
        QVERIFY(m.hasValue());
        const std::string fault = broken(*m, lowered(*m));
        QVERIFY2(fault.empty(), (std::string(info.name) + ": " + fault).c_str());
    }
    model::NetworkOptions odd; // sizes that nothing divides
    odd.kind = model::NetworkKind::Llama;
    odd.layers = 3;
    odd.tokens = 37;
    odd.cached = 101;
    odd.hidden = 210;
    odd.heads = 15;
    odd.kvHeads = 5;
    odd.ffn = 333;
    odd.classes = 1001;
    const auto m = model::generateNetwork(odd);
    QVERIFY2(m.hasValue(), m ? "" : m.error().text().c_str());
    QCOMPARE(broken(*m, lowered(*m)), std::string());
}

void TestLower::rule_3_6_randomModels()
{
    std::set<NodeStatus> seen;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        const model::Model m = RandomModel(seed).make();
        const auto p = lowerToProblem(m, *machinePreset("kpu"));
        QVERIFY2(p.hasValue(), (std::to_string(seed) + ": " + (p ? "" : p.error().text())).c_str());
        const std::string fault = broken(m, *p);
        QVERIFY2(fault.empty(), (std::to_string(seed) + ": " + fault).c_str());
        for (const NodeReport& n : p->report.nodes)
            seen.insert(n.status);
    }
    QCOMPARE(seen.size(), std::size_t{4});
}

void TestLower::rule_3_2_equalViewsAreOne()
{
    model::ModelBuilder b("views");
    const ModelTensorId x = b.input("x", {6, 4});
    const auto turn = [&](const char* name, ModelTensorId t) {
        return b.add(K::Transpose, name, {t}, model::TransposeAttributes{{1, 0}});
    };
    const ModelTensorId once = turn("once", x), again = turn("again", x);
    const ModelTensorId back = turn("back", once);
    b.linear("a", once, 3);
    b.linear("b", again, 3);
    b.linear("c", back, 3);
    const LoweredProblem p = lowered(std::move(b));
    QCOMPARE(p.data.views.size(), std::size_t{1});
    QCOMPARE(p.data.ops[OpId(0)].inputs[0], p.data.ops[OpId(1)].inputs[0]);
    QCOMPARE(p.data.tensors[p.data.ops[OpId(2)].inputs[0]].name,
             std::string("x")); // turned twice is x itself
    // A stored transposition of a constant is a constant.
    model::ModelBuilder c("constant");
    c.add(K::MatMul, "mm", {c.input("x", {6, 4}), c.constant("w", {3, 4})},
          model::MatMulAttributes{false, true});
    const LoweredProblem q = lowered(std::move(c));
    QVERIFY(q.data.views.empty());
    QCOMPARE(q.data.tensors[q.data.ops[OpId(0)].inputs[1]].height, 4);
}

void TestLower::rule_3_3_convolutions()
{
    const auto one = [](std::vector<std::int64_t> x, std::vector<std::int64_t> w, model::WindowAttributes a,
                        K kind = K::Conv2d) {
        model::ModelBuilder b("conv");
        b.add(kind, "c", {b.input("x", std::move(x)), b.constant("w", std::move(w))}, a);
        return lowered(std::move(b));
    };
    // 1x1, stride 1: the input itself
    LoweredProblem p = one({1, 8, 5, 5}, {6, 8, 1, 1}, window(1, 0));
    QVERIFY(p.data.views.empty());
    QCOMPARE(p.data.tensors[p.data.ops[OpId(0)].inputs[0]].height, 25);
    // depthwise: 8 moved views and the input itself under the tap in the middle (R1.8: a tap is a window
    // with zeros that are not stored, and the identity is folded), vector work
    p = one({1, 8, 5, 5}, {8, 1, 3, 3}, window(1, 1, 8));
    QCOMPARE(p.data.views.size(), std::size_t{8});
    QCOMPARE(p.data.ops[OpId(0)].inputs.size(), std::size_t{9});
    QVERIFY(p.data.ops[OpId(0)].type == OpType::Pointwise);
    QCOMPARE(p.report.vectorMacs, 25 * 8 * 9);
    QCOMPARE(p.report.leftOutBytes, 8 * 9 * 2);
    // 4 groups: 4 products and a concatenation that nothing reads
    p = one({1, 8, 5, 5}, {12, 2, 3, 3}, window(2, 1, 4));
    QCOMPARE(names(p),
             (std::vector<std::string>{"c/product[0]", "c/product[1]", "c/product[2]", "c/product[3]"}));
    QCOMPARE(matMulMacs(p), 9 * 12 * 2 * 9);
    QCOMPARE(p.data.views.size(), std::size_t{4});
    // 20 groups of 2 channels: vector work over 2 * 9 views
    p = one({1, 40, 5, 5}, {40, 2, 3, 3}, window(1, 1, 20));
    QCOMPARE(p.data.views.size(), std::size_t{18});
    QCOMPARE(p.report.vectorMacs, 25 * 40 * 2 * 9);
    // transposed: one product, then a sum over ceil(3/2) * ceil(3/2) views
    p = one({1, 8, 5, 5}, {8, 6, 3, 3}, window(2, 1), K::ConvTranspose2d);
    QCOMPARE(names(p), (std::vector<std::string>{"c/product", "c/sum"}));
    QCOMPARE(matMulMacs(p), 25 * 8 * 6 * 9);
    QCOMPARE(p.data.views.size(), std::size_t{4});
    QCOMPARE(p.data.tensors[p.data.ops[OpId(1)].output].height, 81);
    // pooling: a view a tap
    model::WindowAttributes w = window(2, 1);
    w.kernel = {3, 3};
    model::ModelBuilder b("pool");
    b.add(K::MaxPool, "p", {b.input("x", {1, 8, 6, 6})}, w);
    p = lowered(std::move(b));
    QCOMPARE(p.data.views.size(), std::size_t{9});
    QCOMPARE(p.data.tensors[p.data.ops[OpId(0)].output].height, 9);
}

void TestLower::rule_3_3_batchedProducts()
{
    model::ModelBuilder b("batched");
    const ModelTensorId x = b.input("x", {3, 5, 4}), y = b.input("y", {3, 4, 6});
    const ModelTensorId product = b.add(K::MatMul, "mm", {x, y});
    b.add(K::Softmax, "softmax", {product});
    b.linear("one", x, 7); // B unbatched: one MatMul of 15 rows
    LoweredProblem p = lowered(std::move(b));
    QCOMPARE(names(p),
             (std::vector<std::string>{"mm/product[0]", "mm/product[1]", "mm/product[2]", "softmax", "one"}));
    QCOMPARE(matMulMacs(p), 3 * 5 * 4 * 6 + 15 * 4 * 7);
    QCOMPARE(p.data.views.size(), std::size_t{7}); // 3 slices each of x and y, the products on one another
    model::ModelBuilder e("einsum");
    e.add(K::Einsum, "e", {e.input("q", {5, 2, 4}), e.input("k", {6, 2, 4})},
          model::EinsumAttributes{"qhd,khd->hqk"});
    p = lowered(std::move(e));
    QCOMPARE(p.data.ops.size(), std::size_t{2});
    QCOMPARE(p.data.tensors[p.data.ops[OpId(0)].inputs[1]].height, 4);
    QCOMPARE(p.data.tensors[p.data.ops[OpId(0)].inputs[1]].width, 6);
}

void TestLower::rule_3_3_broadcastOperands()
{
    model::ModelBuilder b("broadcast");
    const ModelTensorId x = b.input("x", {4, 6});
    const ModelTensorId row = b.input("row", {6});
    b.elementwise("add", "biased", {x, b.constant("bias", {6})});
    b.elementwise("mul", "scaled", {x, row});
    b.elementwise("add", "position", {x, b.constant("table", {4, 6})});
    const LoweredProblem p = lowered(std::move(b));
    QCOMPARE(p.report.leftOutBytes, 12);
    QCOMPARE(p.data.ops[OpId(0)].inputs.size(), std::size_t{1});
    QCOMPARE(p.data.views.size(), std::size_t{1});
    QCOMPARE(p.data.tensors[p.data.views[0].tensor].height, 4);
    QCOMPARE(p.data.ops[OpId(2)].inputs.size(), std::size_t{2}); // a constant of full size is read
    QVERIFY(p.report.nodes[0].status == NodeStatus::Mapped);
}

void TestLower::rule_3_3_helpers()
{
    model::ModelBuilder b("sums");
    const ModelTensorId image = b.input("image", {1, 8, 5, 5});
    const ModelTensorId pooled = b.add(K::GlobalPool, "pool", {image});
    b.linear("fc", b.reshape("flat", pooled, {1, 8}), 10);
    model::ReduceAttributes last;
    last.axes = {-1};
    b.add(K::Reduce, "mean", {b.input("x", {4, 6})}, last);
    const LoweredProblem p = lowered(std::move(b));
    QVERIFY(p.data.views.empty()); // ones from the left for the image, from the right for the rows
    QCOMPARE(p.helper, (std::vector<char>{1, 0, 1}));
    QCOMPARE(matMulMacs(p), 80);
    QCOMPARE(p.report.macs, 80);
    QVERIFY(p.report.nodes[0].status == NodeStatus::Approximated);
    QVERIFY(p.report.nodes[1].status == NodeStatus::Folded);
}

void TestLower::rule_3_3_cache()
{
    model::NetworkOptions o;
    o.kind = model::NetworkKind::LlamaDecode;
    o.layers = 1;
    const auto m = model::generateNetwork(o);
    const LoweredProblem p = lowered(*m);
    std::size_t ofCache = 0;
    for (const TensorView& v : p.data.views)
        if (v.bases.size() == 2 && p.data.tensors[v.bases[0]].name.find("cache") != std::string::npos)
            ++ofCache;
    QCOMPARE(ofCache, std::size_t{16}); // 8 heads each of keys and values, shared by four queries each
}

void TestLower::rule_3_4_statusAndNames()
{
    model::ModelBuilder b("status");
    const ModelTensorId x = b.input("x", {4, 6});
    const ModelTensorId same = b.reshape("same", x, {2, 2, 6});
    const ModelTensorId other = b.reshape("other", same, {6, 4});
    const ModelTensorId dropped = b.add(K::Unknown, "strange", {other}, model::NoAttributes{}, {6, 4});
    const ModelTensorId folded = b.elementwise("exp", "table", {b.constant("c", {6, 4})});
    b.elementwise("add", "sum", {dropped, folded, other});
    const LoweredProblem p = lowered(std::move(b));
    const auto& nodes = p.report.nodes;
    QVERIFY(nodes[0].status == NodeStatus::Folded);
    QVERIFY(nodes[1].status == NodeStatus::Mapped && !nodes[1].note.empty());
    QVERIFY(nodes[2].status == NodeStatus::Dropped);
    QVERIFY(nodes[3].status == NodeStatus::Folded);
    QVERIFY(nodes[4].status == NodeStatus::Mapped);
    QCOMPARE(names(p), (std::vector<std::string>{"sum"}));
    QCOMPARE(p.source, (std::vector<OperatorId>{OperatorId(4)}));
    QCOMPARE(p.data.ops[OpId(0)].inputs.size(), std::size_t{3});
    QCOMPARE(p.report.coverage.folded, 0.4);
    // Without a name an operator gets that of its first output.
    model::Model m;
    m.tensors.push_back({"a", {4, 6}, false, 0});
    m.tensors.push_back({"out", {4, 6}, false, 0});
    m.operators.push_back(
        {K::Elementwise, {}, {}, {ModelTensorId(0)}, {ModelTensorId(1)}, model::ElementwiseAttributes{}});
    QCOMPARE(names(lowered(m)), (std::vector<std::string>{"out"}));
}

void TestLower::rule_3_5_costsAndTime()
{
    model::ModelBuilder b("costs");
    const ModelTensorId x = b.input("x", {100, 300});
    b.add(K::Softmax, "softmax", {b.linear("mm", x, 200)});
    const LoweredProblem p = lowered(std::move(b)); // edge: 64 x 64, 128 lanes, 64 bytes a cycle, 2 a element
    QCOMPARE(p.timeUnit, 1);
    QCOMPARE(p.data.hardware.slowMemoryBandwidth, 32);
    QCOMPARE(p.data.hardware.nativeWidth, 64);
    QCOMPARE(p.data.hardware.fastMemoryCapacity, 4 * 262144 / 2);
    QCOMPARE(p.data.ops[OpId(0)].baseCost, 300 + 64 + 64 - 2);
    QCOMPARE(p.data.ops[OpId(1)].baseCost, 64 * 64 / 128 * 4);
    // 3 bytes a cycle and 2 an element: one and a half elements a cycle need two cycles a unit.
    Machine slow = *machinePreset("edge");
    slow = *withMachineField(slow, "levels.external.gb_per_s", "3");
    model::ModelBuilder c("slow");
    c.linear("mm", c.input("x", {100, 300}), 200);
    const auto m = std::move(c).build();
    const auto q = lowerToProblem(*m, slow);
    QVERIFY(q.hasValue());
    QCOMPARE(q->timeUnit, 2);
    QCOMPARE(q->data.hardware.slowMemoryBandwidth, 3);
    QCOMPARE(q->data.ops[OpId(0)].baseCost, 213);
    QCOMPARE(q->rounding, 0.0);
    // The bandwidth of a slow memory was rounded up to one element per unit of 64 cycles or fewer.
    for (const auto& [rate, cycles] :
         {std::pair{"0.1", 20}, {"0.01", 200}, {"0.003", 667}, {"1e-6", 2'000'000}}) {
        slow = *withMachineField(slow, "levels.external.gb_per_s", rate);
        const auto r = lowerToProblem(*m, slow);
        QVERIFY2(r.hasValue(), rate);
        QVERIFY2(r->timeUnit >= cycles && r->timeUnit <= std::max(cycles, 64), rate);
        const double elements = std::stod(rate) / 2 * static_cast<double>(r->timeUnit);
        QVERIFY2(static_cast<double>(r->data.hardware.slowMemoryBandwidth) <= elements * (1 + 1e-9), rate);
    }
}

void TestLower::reportAndFile()
{
    model::NetworkOptions o;
    o.kind = model::NetworkKind::MobileNetV2;
    const auto m = model::generateNetwork(o);
    const LoweredProblem p = lowered(*m);
    const auto problem = readProblem(writeProblem(**problemOf(p)), "lowered.json");
    QVERIFY2(problem.hasValue(), problem ? "" : problem.error().text().c_str());
    QCOMPARE((*problem)->opCount(), p.data.ops.size());
    const std::string json = reportJson(p.report, {});
    for (const char* key : {"\"kind\": \"model\"", "\"macs\": 300774272", "\"by_type\"", "\"left_out_bytes\"",
                            "\"coverage\"", "\"status\": \"folded\""})
        QVERIFY2(json.find(key) != std::string::npos, key);
}

TILEWRIGHT_TEST(TestLower)

} // namespace test_lower
#include "test_lower.moc"
