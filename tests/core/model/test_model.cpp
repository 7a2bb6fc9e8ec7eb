// SPDX-License-Identifier: GPL-3.0-or-later
// Models: shapes and multiply-accumulates of every kind of operator, files, topologies, generated networks.
#include "base/file.h"
#include "invalid_files.h"
#include "lower/workload.h"
#include "model/model.h"
#include "model/model_json.h"
#include "model/networks.h"
#include "model/topology.h"
#include "test_main.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <map>

namespace test_model {

using namespace tilewright;
using namespace tilewright::test;
using namespace tilewright::model;

namespace {

const std::string kData = TILEWRIGHT_SOURCE_DIR "/tests/data/";

Result<std::vector<Shape>> shapes(OperatorKind kind, Attributes attributes, std::vector<Shape> in,
                                  Shape declared = {})
{
    Operator op;
    op.kind = kind;
    op.attributes = std::move(attributes);
    return outputShapes(op, in, std::span(&declared, 1));
}

Shape shape(OperatorKind kind, Attributes attributes, std::vector<Shape> in, Shape declared = {})
{
    const auto out = shapes(kind, std::move(attributes), std::move(in), std::move(declared));
    return out && out->size() == 1 ? out->front() : Shape{-1};
}

Model network(NetworkKind kind, std::int64_t layers = 0)
{
    NetworkOptions o;
    o.kind = kind;
    o.layers = layers;
    const auto m = generateNetwork(o);
    if (!m)
        qFatal("%s", m.error().text().c_str());
    return *m;
}

} // namespace

class TestModel : public QObject
{
    Q_OBJECT
private slots:
    void shapesOfEveryKind();
    void einsumLetters();
    void macsOfGeneratedNetworks();
    void sizesOfNetworksAreChecked();
    void roundTrip();
    void modelsOfTheNpuLensAreRead();
    void cachesAreWrittenOnce();
    void topologies();
    void topologyColumnsAreToldByTheirNames();
    void anEndlessTopologyIsRefusedBeforeItIsBuilt();
    void formatsThatAreNotReadAreNamed();
    void invalidFiles();
};

void TestModel::shapesOfEveryKind()
{
    using K = OperatorKind;
    QCOMPARE(shape(K::MatMul, MatMulAttributes{}, {{2, 5, 3}, {3, 7}}), (Shape{2, 5, 7}));
    QCOMPARE(shape(K::MatMul, MatMulAttributes{true, true}, {{3, 5}, {7, 3}}), (Shape{5, 7}));
    WindowAttributes w;
    w.stride = {2, 1};
    w.padding = {1, 0, 2, 0};
    w.groups = 2;
    QCOMPARE(shape(K::Conv2d, w, {{1, 4, 8, 8}, {6, 2, 3, 3}}), (Shape{1, 6, 5, 6}));
    w = {};
    w.stride = {2, 2};
    w.padding.fill(1);
    w.outputPadding = {1, 1};
    QCOMPARE(shape(K::ConvTranspose2d, w, {{1, 4, 8, 8}, {4, 6, 3, 3}}), (Shape{1, 6, 16, 16}));
    w = {};
    w.kernel = {3, 2};
    QCOMPARE(shape(K::MaxPool, w, {{1, 4, 8, 8}}), (Shape{1, 4, 6, 7}));
    QCOMPARE(shape(K::GlobalPool, NoAttributes{}, {{2, 4, 8, 8}}), (Shape{2, 4, 1, 1}));
    QCOMPARE(shape(K::Attention, AttentionAttributes{8, 2, true}, {{5, 64}, {9, 16}, {9, 16}}),
             (Shape{5, 64}));
    QVERIFY(!shapes(K::Attention, AttentionAttributes{8, 3, true}, {{5, 64}, {9, 24}, {9, 24}}));
    QCOMPARE(shape(K::Lstm, RecurrentAttributes{6, 2}, {{4, 3, 5}, {2, 24, 5}, {2, 24, 6}}),
             (Shape{4, 2, 3, 6}));
    QCOMPARE(shape(K::Elementwise, ElementwiseAttributes{}, {{2, 1, 4}, {3, 1}, {}}), (Shape{2, 3, 4}));
    QCOMPARE(shape(K::Reduce, ReduceAttributes{{-1, 0}, false}, {{2, 3, 4}}), (Shape{3}));
    QCOMPARE(shape(K::KvAppend, KvAttributes{2, 7, {}}, {{1, 8}, {1, 2, 7, 4}}), (Shape{1, 2, 8, 4}));
    QCOMPARE(shape(K::KvLoad, KvAttributes{0, 0, {2, 5}}, {{1, 2, 8, 4}}), (Shape{1, 2, 3, 4}));
    QCOMPARE(shape(K::Transpose, TransposeAttributes{{2, 0, 1}}, {{2, 3, 4}}), (Shape{4, 2, 3}));
    QCOMPARE(shape(K::Slice, SliceAttributes{{-1}, {1}, {8}, {3}}, {{2, 8}}), (Shape{2, 3}));
    QCOMPARE(shapes(K::Split, AxisAttributes{1, {3, 5}}, {{2, 8}})->size(), std::size_t{2});
    QCOMPARE(shape(K::Concat, AxisAttributes{0, {}}, {{2, 8}, {3, 8}}), (Shape{5, 8}));
    QCOMPARE(shape(K::Pad, PadAttributes{{0, 1}, {2, 0}}, {{2, 8}}), (Shape{4, 9}));
    QCOMPARE(shape(K::Gather, AxisAttributes{0, {}}, {{100, 8}, {2, 5}}), (Shape{2, 5, 8}));
    QCOMPARE(shape(K::DepthToSpace, BlockAttributes{2}, {{1, 8, 3, 4}}), (Shape{1, 2, 6, 8}));
    QCOMPARE(shape(K::Reshape, NoAttributes{}, {{2, 6}}, {3, 4}), (Shape{3, 4}));
    QVERIFY(!shapes(K::Reshape, NoAttributes{}, {{2, 6}}, {3, 5}));
    QCOMPARE(shape(K::Expand, NoAttributes{}, {{1, 6}}, {3, 6}), (Shape{3, 6}));
}

void TestModel::einsumLetters()
{
    const auto r = einsumRoles("bhqd, bhkd -> bhqk");
    QVERIFY(r.hasValue());
    QCOMPARE(r->batch, std::string("bh"));
    QCOMPARE(r->m, std::string("q"));
    QCOMPARE(r->n, std::string("k"));
    QCOMPARE(r->k, std::string("d"));
    for (const char* bad : {"ab,bc", "aa,ab->b", "ab,bc,cd->ad", "abz,bc->ac", "ab,bc->ad", "a1,1b->ab"})
        QVERIFY2(!einsumRoles(bad), bad);
}

void TestModel::macsOfGeneratedNetworks()
{
    QCOMPARE(macsOf(network(NetworkKind::ResNet18)), 1'814'073'344);
    QCOMPARE(macsOf(network(NetworkKind::ResNet50)), 4'089'184'256);
    QCOMPARE(macsOf(network(NetworkKind::MobileNetV2)), 300'774'272);
    // A block: four projections, two products of 128 x 128 scores, two of the feed-forward net.
    QCOMPARE(macsOf(network(NetworkKind::Bert)),
             12 * (4 * 128LL * 768 * 768 + 2 * 128 * 128 * 768 + 2 * 128LL * 768 * 3072));
    QCOMPARE(macsOf(network(NetworkKind::Llama, 1)),
             128LL * 4096 * (2 * 4096 + 2 * 1024 + 3 * 14336 + 128256) + 2 * 32 * 128 * 128 * 128);
    QCOMPARE(macsOf(network(NetworkKind::LlamaDecode, 1)),
             4096LL * (2 * 4096 + 2 * 1024 + 3 * 14336 + 128256) + 2LL * 32 * 2049 * 128);
    QVERIFY(macsOf(network(NetworkKind::MixtureOfExperts, 1)) > 0);
    QVERIFY(macsOf(network(NetworkKind::Gpt2)) > macsOf(network(NetworkKind::Bert)));
}

void TestModel::sizesOfNetworksAreChecked()
{
    NetworkOptions o;
    o.kind = NetworkKind::Llama;
    o.heads = 7;
    QCOMPARE(generateNetwork(o).error().text(),
             std::string("heads: the hidden size 4096 must be a multiple of the heads (7)"));
    o = {};
    o.tokens = 12;
    QCOMPARE(generateNetwork(o).error().text(), std::string("tokens: this kind of network has no such size"));
    o = {};
    o.layers = -1;
    QCOMPARE(generateNetwork(o).error().path, std::string("layers"));
    o = {};
    o.kind = NetworkKind::Bert;
    o.kvHeads = 4;
    QCOMPARE(generateNetwork(o).error().path, std::string("kv-heads"));
    o = {};
    o.size = 3;
    QVERIFY(generateNetwork(o).hasValue()); // any size at which the windows fit
}

void TestModel::roundTrip()
{
    for (const NetworkKindInfo& info : networkKinds()) {
        NetworkOptions o;
        o.kind = info.kind;
        if (info.kind >= NetworkKind::Bert)
            o.layers = 2;
        const auto m = generateNetwork(o);
        QVERIFY(m.hasValue());
        const std::string text = writeModel(*m);
        const auto again = readModel(text, "again.json");
        QVERIFY2(again.hasValue(), again ? "" : again.error().text().c_str());
        QVERIFY(again->tensors == m->tensors);
        QVERIFY(again->operators == m->operators);
        QCOMPARE(again->name, m->name);
        QCOMPARE(writeModel(*again), text);
    }
}

void TestModel::modelsOfTheNpuLensAreRead()
{
    const std::string path = TILEWRIGHT_SOURCE_DIR "/samples/npu/kv_three_banks.json";
    const auto m = readModel(*readFile(path), path);
    QVERIFY2(m.hasValue(), m ? "" : m.error().text().c_str());
    QCOMPARE(m->operators.size(), std::size_t{3});
    QCOMPARE(macsOf(*m), 2 * 24 * 64);
}

void TestModel::cachesAreWrittenOnce()
{
    const auto m = readModel(R"({"tensors": [{"name": "a", "shape": [2, 8]}, {"name": "b", "shape": [1, 8]},
        {"name": "cache", "shape": [1, 2, 9, 4]}, {"name": "all", "shape": [1, 2, 5, 4]}],
        "ops": [{"type": "kv_append", "name": "first", "inputs": ["a"], "outputs": ["cache"], "heads": 2},
                {"type": "kv_append", "name": "second", "inputs": ["b"], "outputs": ["cache"], "heads": 2, "position": 2},
                {"type": "kv_load", "name": "load", "inputs": ["cache"], "outputs": ["all"], "range": [0, 5]}]})",
                             "caches.json");
    QVERIFY2(m.hasValue(), m ? "" : m.error().text().c_str());
    QCOMPARE(m->tensors[m->operators[OperatorId(1)].outputs[0]].name, std::string("cache@second"));
    QCOMPARE(m->operators[OperatorId(0)].inputs.size(), std::size_t{2}); // the past is a graph input
    QCOMPARE(m->operators[OperatorId(2)].inputs[0], m->operators[OperatorId(1)].outputs[0]);
}

void TestModel::topologies()
{
    const std::string folder = kData + "oracles/systolic/scalesim/";
    const auto conv = readTopology(*readFile(folder + "small_conv.csv"), "small_conv.csv");
    QVERIFY2(conv.hasValue(), conv ? "" : conv.error().text().c_str());
    QCOMPARE(conv->name, std::string("small_conv"));
    QCOMPARE(conv->operators[OperatorId(0)].name, std::string("Same3"));
    QCOMPARE(conv->shape(conv->operators[OperatorId(0)].outputs[0]), (Shape{1, 32, 12, 12}));
    const auto gemm = readTopology(*readFile(folder + "small_gemm.csv"), "small_gemm.csv");
    QVERIFY(gemm.hasValue());
    QCOMPARE(macsOf(*gemm), 97LL * 101 * 103 + 256 * 512 + 64 * 64 * 64 + 130 * 33 * 70);
    // ceil((i - f + s) / s) counts a last window that reaches beyond the input; two strides; depthwise.
    const auto odd =
        readTopology("Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, "
                     "Num Filter, Strides,\r\nDP1, 6, 7, 3, 3, 8, 1, 2, 3,\r\n\r\n",
                     "odd.csv");
    QVERIFY2(odd.hasValue(), odd ? "" : odd.error().text().c_str());
    QCOMPARE(odd->shape(odd->operators[OperatorId(0)].outputs[0]), (Shape{1, 8, 3, 3}));
    QCOMPARE(macsOf(*odd), 8 * 9 * 9);
    QVERIFY(!isTopology("{\"a\": 1}"));
    QCOMPARE(readTopology("Layer, M, N, K\nx, 1, 2\n", "t.csv").error().text(),
             std::string("t.csv: line 2: the column \"K\" is missing"));
    QCOMPARE(readTopology("Layer, M, N, K\nx, 1, 2, 0\n", "t.csv").error().text(),
             std::string("t.csv: line 2: K: expected a whole number from 1 to 2147483648, got \"0\""));
    QCOMPARE(readTopology("Layer, M, N, K\n", "t.csv").error().text(),
             std::string("t.csv: ops: the model has no operators"));
}

void TestModel::topologyColumnsAreToldByTheirNames()
{
    const auto shapeOf = [](const char* text) {
        const auto m = readTopology(text, "t.csv");
        if (!m)
            return m.error().text();
        const Operator& op = m->operators[OperatorId(0)];
        std::string out;
        for (const ModelTensorId t : op.inputs)
            out += shapeText(m->shape(t));
        return out + shapeText(m->shape(op.outputs[0]));
    };
    const auto expect = [&](const char* text, const std::string& wanted) { QCOMPARE(shapeOf(text), wanted); };
    // One convolution in every order and with every separator, as SCALE-Sim and spreadsheets write it.
    const std::string conv = "[1,8,10,20][16,8,3,5][1,16,8,16]";
    const std::string conv2 = "[1,8,10,20][16,8,3,5][1,16,8,9]";
    expect(
        "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
        "c, 10, 20, 3, 5, 8, 16, 1,\n",
        conv);
    expect(
        "Layer name, IFMAP Width, IFMAP Height, Filter Width, Filter Height, Channels, Num Filter, Strides,\n"
        "c, 20, 10, 5, 3, 8, 16, 1,\n",
        conv);
    expect("Strides;Num Filter;Channels;Filter W;Filter H;IFMAP W;IFMAP H;Layer\n1;16;8;5;3;20;10;c\n", conv);
    expect("\xef\xbb\xbfLayer\tIFMAP H\tIFMAP W\tFilter H\tFilter W\tChannels\tFilters\tStride\r\n"
           "c\t10\t20\t3\t5\t8\t16\t1\r\n",
           conv);
    expect("\"Layer\",\"IFMAP_H\",\"IFMAP_W\",\"Filter_H\",\"Filter_W\",\"Channels\",\"Filters\",\"Stride\"\n"
           "\"c\",10,20,3,5,8,16,1\n",
           conv);
    const std::string head = "Layer, IFMAP H, IFMAP W, Filter H, Filter W, Channels, Filters, ";
    expect((head + "Stride H, Stride W\nc, 10, 20, 3, 5, 8, 16, 1, 2\n").c_str(), conv2);
    expect((head + "Strides, Strides\nc, 10, 20, 3, 5, 8, 16, 1, 2\n").c_str(), conv2);
    expect((head + "Strides,\nc, 10, 20, 3, 5, 8, 16, 1, 2,\n").c_str(), conv2); // as SCALE-Sim reads it
    // A column with another meaning is never a stride.
    expect((head + "Strides, Batch,\nc, 10, 20, 3, 5, 8, 16, 1, 1,\n").c_str(), conv);
    expect((head + "Strides, Batch,\nc, 10, 20, 3, 5, 8, 16, 1, 8,\n").c_str(),
           "t.csv: line 2: Batch: only 1 is read, got \"8\"");
    expect((head + "Strides, Sparsity\nc, 10, 20, 3, 5, 8, 16, 1, 4:4\n").c_str(), conv);
    expect((head + "Strides, Sparsity\nc, 10, 20, 3, 5, 8, 16, 1, 2:4\n").c_str(),
           "t.csv: line 2: Sparsity: only dense layers are read (N:N), got \"2:4\"");
    const std::string expected = "; expected " + std::string(kTopologyColumns);
    expect((head + "Strides, Groups\nc, 10, 20, 3, 5, 8, 16, 1, 2\n").c_str(),
           "t.csv: line 1: the column \"Groups\" is none of a topology" + expected);
    expect((head + "Strides, Channels\nc, 10, 20, 3, 5, 8, 16, 1, 2\n").c_str(),
           "t.csv: line 1: the column \"Channels\" occurs twice" + expected);
    expect((head + "\nc, 10, 20, 3, 5, 8, 16\n").c_str(),
           "t.csv: line 1: the column \"Strides\" is missing" + expected);
    expect((head + "Strides\nc, 10, 20, 3, 5, 8, 16, 1, 2, 3\n").c_str(),
           "t.csv: line 2: the cell \"2\" has no column: there are 8");
    // Products
    const std::string gemm = "[3,7][7,5][3,5]";
    expect("Layer, M, N, K,\ng, 3, 5, 7,\n", gemm);
    expect("Layer, M, K, N\ng, 3, 7, 5\n", gemm);
    expect("Layer;M;N;K\ng;3;5;7\n", gemm);
    expect("Layer\tM\tN\tK\ng\t3\t5\t7\n", gemm);
    expect("Layer, M, N, K, Sparsity\ng, 3, 5, 7, 1:1\n", gemm);
    expect("Layer, M, N\ng, 3, 5\n", "t.csv: line 1: the column \"K\" is missing" + expected);
    expect("Layer, M, N, K\ng, 3, 5, 7, 9\n", "t.csv: line 2: the cell \"9\" has no column: there are 4");
}

void TestModel::anEndlessTopologyIsRefusedBeforeItIsBuilt()
{
    std::string text = "Layer, M, N, K\n";
    text.reserve(std::size_t{8} << 20);
    while (text.size() + 8 < text.capacity())
        text += "a,1,1,1\n";
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(readTopology(text, "t.csv").error().text(),
             std::string("t.csv: more than 1\u202f000\u202f000 operators"));
    QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
}

void TestModel::formatsThatAreNotReadAreNamed()
{
    using namespace std::string_view_literals;
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("f")).toStdString();
    const auto told = [&](std::string_view content) {
        if (!writeFileAtomically(path, content))
            qFatal("%s", path.c_str());
        const auto read = lower::loadWorkload(path);
        return read ? std::string("accepted") : read.error().text().substr(path.size() + 2);
    };
    const auto expect = [&](std::string_view content, const std::string& wanted) {
        QCOMPARE(told(content), wanted);
    };
    const std::string exportIt = ", which is not read: export the model to ONNX";
    expect("\x1c\0\0\0TFL3\x14\0"sv, "is a TensorFlow Lite model" + exportIt);
    expect("\x28\0\0\0TFL3\x14\0"sv, "is a TensorFlow Lite model" + exportIt);
    expect("PK\x03\x04\x14\0\0\0archive/data.pkl"sv, "is a zip archive (PyTorch, Keras, NumPy)" + exportIt);
    expect("\x80\x02\x8a\nl\xfc"sv, "is a Python pickle (PyTorch)" + exportIt);
    expect("\x08\x01\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\"}}"sv,
           "is a safetensors file (weights without a model)" + exportIt);
    expect("\x89HDF\r\n\x1a\n\0\0"sv, "is an HDF5 file (Keras)" + exportIt);
    expect("GGUF\x03\0\0\0"sv, "is a GGUF model" + exportIt);
    expect("\x1f\x8b\x08\0"sv, "is a gzip file, which is not read: unpack it first");
    expect("<?xml version=\"1.0\"?>\n<net name=\"x\">",
           "is XML or HTML, which is not read: export the model to ONNX");
    const std::string yaml = "is YAML; of YAML files only Timeloop's are read, mappings (map --method) and "
                             "constraints (map --constraints)";
    expect("problem:\n  shape: cnn-layer\n", yaml);
    expect("---\narchitecture: 3\n", yaml);
    expect("name,height,width\na,1,2\n",
           "is a table without the head of a topology: expected " + std::string(kTopologyColumns));
    expect("a;b;c\n1;2;3\n",
           "is a table without the head of a topology: expected " + std::string(kTopologyColumns));
}

void TestModel::invalidFiles()
{
    const std::map<std::string, std::string> wanted{
        {"attention_groups",
         "ops[0]: attention \"attend\": the heads of Q (8) must be a multiple of the heads of K and V (3)"},
        {"bias", "ops[0]: conv2d \"c\": the bias [1,2] must be [1]"},
        {"constant_missing", "constants[0]: there is no tensor \"w\""},
        {"cyclic", "ops[0]: elementwise \"a\": the graph is cyclic: this operator waits for its own result"},
        {"duplicate_name", "tensors[1].name: the tensor name \"x\" is used twice"},
        {"einsum", "ops[0]: einsum \"e\": the equation \"ij,jk\" is not of the form \"ab,bc->ac\""},
        {"huge", "tensors[0].shape: the tensors together have more than 2^52 elements"},
        {"inner_size", "ops[0]: matmul \"mm\": the shapes do not match: K is 3 and 4"},
        {"kernel", "ops[0]: conv2d \"c\": the kernel is larger than the padded input [1,1,2,2]"},
        {"missing_tensor", "ops[0].inputs[1]: there is no tensor \"y\""},
        {"output_shape", "ops[0]: matmul \"mm\": the shape of the output \"z\" [2,6] must be [2,5]"},
        {"permutation", "ops[0]: transpose \"t\": the permutation contains dimension 0 twice"},
        {"reshape",
         "ops[0]: reshape \"r\": the input [2,3] and the output [7] have different numbers of elements"},
        {"slice", "ops[0]: slice \"s\": [1,9) lies outside the 3 entries of dimension 1"},
        {"split", "ops[0]: split \"s\": the sizes must be positive and sum up to 3"},
        {"two_writers", "ops[1]: elementwise \"b\": the tensor \"y\" is already written by another operator"},
        {"unknown_field", "ops[0]: unknown field \"axis\""},
        {"unknown_type", "ops[0].type: expected \"matmul\""},
    };
    checkInvalidFiles("invalid_model", wanted, [](const std::string& path) {
        const auto read = readModel(*readFile(path), path);
        return read ? std::string() : read.error().text();
    });
}

TILEWRIGHT_TEST(TestModel)

} // namespace test_model
#include "test_model.moc"
