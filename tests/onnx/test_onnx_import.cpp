// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX models without weights (docs/rules/workload.md 6): MACs of each node against tables worked out by
// hand, what becomes of the other nodes, and conservation through the lowerings.
#include "graph_writer.h"
#include "lower/npu_model.h"
#include "lower/workload.h"
#include "model/model_json.h"
#include "onnx/strip_weights.h"
#include "onnx_fixtures.h"
#include "test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <onnx/onnx_pb.h>

#include <functional>
#include <map>
#include <random>

namespace test_onnx_import {

namespace pb = ::onnx;
using namespace tilewright;
using namespace tilewright::lower;

namespace {

using Macs = std::map<std::string, std::int64_t>;

Workload opened(const std::string& text, const tilewright::onnx::Dimensions& dimensions = {})
{
    auto w = readWorkload(text, "fixture.onnx", dimensions);
    if (!w)
        qFatal("%s", w.error().text().c_str());
    return std::move(*w);
}

LoweredProblem lowered(const Workload& w)
{
    auto out = lowerToProblem(w.model, *machinePreset("edge"));
    if (!out)
        qFatal("%s", out.error().text().c_str());
    return std::move(*out);
}

LoweringReport report(const Workload& w)
{
    return reportOf(w, lowered(w).report);
}

const NodeReport& node(const LoweringReport& r, const std::string& name)
{
    const auto found =
        std::find_if(r.nodes.begin(), r.nodes.end(), [&](const NodeReport& n) { return n.name == name; });
    if (found == r.nodes.end())
        qFatal("no node %s", name.c_str());
    return *found;
}

/// MACs of the nodes that have some.
Macs macsOf(const LoweringReport& r)
{
    Macs out;
    for (const NodeReport& n : r.nodes)
        if (n.macs > 0)
            out[n.name] = n.macs;
    return out;
}

/// Empty when the tables are equal.
std::string difference(const Macs& got, const Macs& wanted)
{
    std::string out;
    for (const auto& [name, macs] : wanted)
        if (const auto g = got.find(name); g == got.end() || g->second != macs)
            out += name + ": " + (g == got.end() ? "none" : std::to_string(g->second)) + " instead of " +
                   std::to_string(macs) + "; ";
    for (const auto& [name, macs] : got)
        if (!wanted.contains(name))
            out += name + ": " + std::to_string(macs) + " not expected; ";
    return out;
}

/// The law of docs/rules/workload.md 3.6 in every lens, from the report of the file and the lowered values.
std::string broken(const Workload& w)
{
    const LoweredProblem p = lowered(w);
    const LoweringReport r = reportOf(w, p.report);
    std::int64_t nodes = 0, dropped = 0, ofTypes = 0;
    for (const NodeReport& n : r.nodes) {
        nodes += n.macs;
        dropped += n.status == NodeStatus::Dropped ? n.macs : 0;
        if (n.status != NodeStatus::Mapped && n.note.empty())
            return n.name + " has no note";
    }
    for (const auto& [type, macs] : r.byType)
        ofTypes += macs;
    if (nodes != model::macsOf(w.model) || nodes != r.macs || nodes != ofTypes)
        return "the nodes have " + std::to_string(nodes) + " MACs, the model " +
               std::to_string(model::macsOf(w.model));
    if (matMulMacs(p) + r.vectorMacs + dropped != nodes)
        return "MatMuls and vector work do not add up";
    std::int64_t gemms = r.vectorMacs + dropped;
    for (const GemmLayer& g : gemmsOf(p))
        gemms += g.gemm.m * g.gemm.n * g.gemm.k * g.count;
    if (gemms != nodes)
        return "the GEMMs do not add up";
    if (const auto problem = problemOf(p); !problem)
        return problem.error().text();
    const auto npu = lowerToNpu(w.model, *machinePreset("edge"));
    if (!npu)
        return npu.error().text();
    std::int64_t ofNpu = 0;
    for (const NodeReport& n : npu->nodes)
        ofNpu += n.macs;
    if (ofNpu != nodes)
        return "the NPU model has " + std::to_string(ofNpu) + " MACs";
    // The model itself is a file of ours.
    const auto again = model::readModel(model::writeModel(w.model), "again.json");
    if (!again || model::macsOf(*again) != nodes)
        return "the model file does not read back";
    return {};
}

#define COMPARE_MACS(got, ...)                                                                               \
    do {                                                                                                     \
        const std::string text = difference(got, Macs __VA_ARGS__);                                          \
        QVERIFY2(text.empty(), text.c_str());                                                                \
    } while (false)

} // namespace

class TestOnnxImport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void resnet18()
    {
        const Workload w = opened(test::resnet18());
        const LoweringReport r = report(w);
        QCOMPARE(r.macs, 1'814'073'344);
        QCOMPARE(r.opset, 13);
        QCOMPARE(broken(w), std::string());
        // Output pixels x outputs x inputs x kernel.
        Macs wanted{{"stem", 112 * 112 * 64LL * 3 * 49}, {"fc", 1000 * 512}};
        for (std::int64_t stage = 0; stage < 4; ++stage)
            for (std::int64_t block = 0; block < 2; ++block) {
                const std::int64_t size = 56 >> stage, out = 64 << stage;
                const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
                wanted[name + ".conv1"] = size * size * out * (stage > 0 && block == 0 ? out / 2 : out) * 9;
                wanted[name + ".conv2"] = size * size * out * out * 9;
                if (stage > 0 && block == 0)
                    wanted[name + ".downsample"] = size * size * out * out / 2;
            }
        const std::string text = difference(macsOf(r), wanted);
        QVERIFY2(text.empty(), text.c_str());
        // 20 norms go into their convolutions, and no operator of the model is a norm.
        for (const NodeReport& n : r.nodes)
            if (n.type == "BatchNormalization")
                QVERIFY(n.status == NodeStatus::Folded);
        QCOMPARE(std::count_if(r.nodes.begin(), r.nodes.end(),
                               [](const NodeReport& n) { return n.type == "BatchNormalization"; }),
                 20);
        QCOMPARE(w.model.operators.size(), std::size_t{69 - 20});
        QCOMPARE(r.nodes.size(), std::size_t{69});
        QCOMPARE(r.coverage.mapped, 1.0);
        QCOMPARE(node(r, "stem.norm").note, std::string("merged into the weights of \"stem\""));
    }

    void mobilenetV2()
    {
        const Workload w = opened(test::mobilenetV2());
        const LoweringReport r = report(w);
        QCOMPARE(r.macs, 300'774'272);
        QCOMPARE(broken(w), std::string());
        std::int64_t depthwise = 0;
        for (const NodeReport& n : r.nodes)
            depthwise += n.name.ends_with("depthwise") ? n.macs : 0;
        QCOMPARE(r.vectorMacs, depthwise);
        QCOMPARE(node(r, "block0.depthwise").macs, 112 * 112 * 32 * 9);
        QCOMPARE(node(r, "block16.project").macs, 7 * 7 * 960 * 320);
        QCOMPARE(node(r, "classifier").macs, 1280 * 1000);
    }

    /// 128 tokens, 12 heads of 64: the products and the recognised attention.
    void bertBlock()
    {
        const Workload w = opened(test::bertBlock());
        const LoweringReport r = report(w);
        COMPARE_MACS(macsOf(r), ({{"query", 128 * 768 * 768},
                                  {"key", 128 * 768 * 768},
                                  {"value", 128 * 768 * 768},
                                  {"scores", 12 * 128 * 128 * 64},
                                  {"context", 12 * 128 * 128 * 64},
                                  {"attention.output", 128 * 768 * 768},
                                  {"intermediate", 128 * 768 * 3072},
                                  {"output", 128 * 3072 * 768}}));
        QCOMPARE(broken(w), std::string());
        const auto attention =
            std::find_if(w.model.operators.begin(), w.model.operators.end(),
                         [](const model::Operator& o) { return o.kind == model::OperatorKind::Attention; });
        QVERIFY(attention != w.model.operators.end());
        QCOMPARE(attention->as<model::AttentionAttributes>().heads, 12);
        QVERIFY(node(r, "softmax").status == NodeStatus::Approximated);
        QVERIFY(node(r, "masked").note.starts_with("part of a recognised pattern"));
        QVERIFY(node(r, "query.heads").note.starts_with("a view"));
    }

    void gpt2BlockAtAnyLength()
    {
        for (const std::int64_t n : {1, 7, 64, 65'536, 65'537, 131'072}) {
            const Workload w = opened(test::gpt2Block(), {{"batch", 2}, {"sequence", n}});
            const LoweringReport r = report(w);
            COMPARE_MACS(macsOf(r), ({{"qkv", 2 * n * 768 * 2304},
                                      {"scores", 2 * 12 * n * n * 64},
                                      {"context", 2 * 12 * n * n * 64},
                                      {"attention.output", 2 * n * 768 * 768},
                                      {"up", 2 * n * 768 * 3072},
                                      {"down", 2 * n * 3072 * 768}}));
            QCOMPARE(broken(w), std::string());
            // Arithmetic on sizes is no work, and the mask is a constant.
            for (const char* name : {"batch.shape", "batch.size", "heads", "positions", "causal"})
                QVERIFY(node(r, name).status == NodeStatus::Folded);
        }
    }

    /// The figure of docs/rules/workload.md 3.6's hand-checked block.
    void llamaBlock()
    {
        const Workload w = opened(test::llamaBlock());
        const LoweringReport r = report(w);
        QCOMPARE(r.macs, 377'487'360);
        COMPARE_MACS(macsOf(r), ({{"query", 128 * 512 * 512},
                                  {"key", 128 * 512 * 128},
                                  {"value", 128 * 512 * 128},
                                  {"scores", 8 * 128 * 128 * 64},
                                  {"context", 8 * 128 * 128 * 64},
                                  {"attention.output", 128 * 512 * 512},
                                  {"gate", 128 * 512 * 1408},
                                  {"up", 128 * 512 * 1408},
                                  {"down", 128 * 1408 * 512}}));
        QCOMPARE(broken(w), std::string());
        const auto attention =
            std::find_if(w.model.operators.begin(), w.model.operators.end(),
                         [](const model::Operator& o) { return o.kind == model::OperatorKind::Attention; });
        QVERIFY(attention != w.model.operators.end());
        // Keys and values are shared as they lie, not repeated.
        QCOMPARE(attention->as<model::AttentionAttributes>().heads, 8);
        QCOMPARE(attention->as<model::AttentionAttributes>().kvHeads, 2);
        QVERIFY(node(r, "value.repeated.expanded").note.starts_with("part of a recognised pattern"));
    }

    void quantisedCnn()
    {
        const Workload w = opened(test::quantisedCnn());
        const LoweringReport r = report(w);
        COMPARE_MACS(macsOf(r), ({{"conv1", 32 * 32 * 16 * 27},
                                  {"conv2", 16 * 16 * 32 * 144},
                                  {"conv3", 16 * 16 * 32 * 32},
                                  {"product", 32 * 64},
                                  {"head", 64 * 10}}));
        QCOMPARE(broken(w), std::string());
        QCOMPARE(r.coverage.mapped, 1.0);
        for (const char* name : {"in2.to", "in2.from", "out2.to", "out2.from", "conv2.weight.from"})
            QVERIFY(node(r, name).status == NodeStatus::Folded);
        QVERIFY(node(r, "quantise").status == NodeStatus::Mapped);
    }

    void lstm()
    {
        const Workload w = opened(test::lstm());
        const LoweringReport r = report(w);
        COMPARE_MACS(macsOf(r), ({{"lstm", 2 * 20 * 2 * 4 * 48 * (32 + 48)},
                                  {"gru", 20 * 2 * 3 * 64 * (96 + 64)},
                                  {"head", 2 * 64 * 10}}));
        QCOMPARE(broken(w), std::string());
    }

    /// A known condition takes its branch, an unknown one drops the node, a known count unrolls.
    void branches()
    {
        for (const std::int64_t rows : {8, 32}) {
            const Workload w = opened(test::branches(), {{"rows", rows}});
            const LoweringReport r = report(w);
            const std::string branch = rows > 16 ? "large" : "small";
            const std::int64_t inner = rows > 16 ? 16 : 128;
            Macs wanted{{branch + ".narrow", rows * 64 * inner},
                        {branch + ".wide", rows * inner * 64},
                        {"step", rows * 64 * 64},
                        {"step#1", rows * 64 * 64},
                        {"step#2", rows * 64 * 64},
                        {"head", rows * 64 * 4}};
            const std::string text = difference(macsOf(r), wanted);
            QVERIFY2(text.empty(), text.c_str());
            QCOMPARE(broken(w), std::string());
            QVERIFY(node(r, "by_shape").status == NodeStatus::Folded);
            QVERIFY(node(r, "by_input").status == NodeStatus::Dropped);
            QVERIFY(node(r, "by_input").note.find("condition") != std::string::npos);
            // Only the last product reads what it gives.
            QCOMPARE(node(r, "by_input").dependents,
                     static_cast<double>(rows * 64 * 4) / static_cast<double>(r.macs));
            QCOMPARE(node(r, "loop").note, std::string("replaced by 3 copies of its nodes"));
        }
    }

    /// What lies in samples/models is what the generator writes.
    void samplesAreTheFixtures()
    {
        for (const test::OnnxFixture& fixture : test::onnxFixtures()) {
            QFile file(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/") +
                       QString::fromStdString(fixture.name) + QStringLiteral(".onnx"));
            QVERIFY2(file.open(QIODevice::ReadOnly), fixture.name.c_str());
            QVERIFY2(file.readAll().toStdString() == fixture.text, fixture.name.c_str());
        }
    }

    /// Every file that is wrong in one way is refused with a sentence that says so.
    void malformedFilesAreRefusedWithASentence()
    {
        for (const test::MalformedOnnx& file : test::malformedOnnx()) {
            const auto read = tilewright::onnx::importModel(file.text, "x.onnx");
            if (file.sentence.empty()) // either way, but no crash
                continue;
            QVERIFY2(!read.hasValue(), file.name.c_str());
            const std::string text = read.error().text();
            QVERIFY2(text.find(file.sentence) != std::string::npos, (file.name + ": " + text).c_str());
            QVERIFY2(text.starts_with("x.onnx: ") && text.find('\n') == std::string::npos, text.c_str());
        }
    }

    /// What the fuzzer found once brings nothing down again.
    void corpusOfTheFuzzer()
    {
        const QDir folder(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/fuzz/corpus/onnx"));
        const QStringList names = folder.entryList({QStringLiteral("*.onnx")});
        QVERIFY(names.size() > 30);
        for (const QString& name : names) {
            const auto read = loadWorkload(folder.filePath(name).toStdString());
            if (read)
                (void)lowerToProblem(read->model, *machinePreset("edge"));
            else
                QVERIFY2(!read.error().message.empty(), qPrintable(name));
        }
    }

    /// Files cut off anywhere and files with wrong bytes are read to the end or refused.
    void noBytesBringTheReaderDown()
    {
        std::mt19937 random(14);
        for (const std::string& whole :
             {test::branches(), test::lstm(), test::quantisedCnn(), test::llamaBlock()}) {
            const tilewright::onnx::Dimensions rows{{"rows", 4}};
            for (std::size_t n = 0; n < whole.size(); n += 7)
                QVERIFY(!tilewright::onnx::importModel(whole.substr(0, n), "cut.onnx").hasValue());
            int opened = 0;
            for (int i = 0; i < 1500; ++i) {
                std::string wrong = whole;
                for (int k = 0; k < 1 + i % 4; ++k)
                    wrong[random() % wrong.size()] = static_cast<char>(random());
                const auto read = tilewright::onnx::importModel(
                    wrong, "wrong.onnx", i % 2 == 0 ? rows : tilewright::onnx::Dimensions{});
                opened += read.hasValue();
                if (!read)
                    QVERIFY(!read.error().message.empty());
                else if (model::macsOf(read->model) < (1 << 24))
                    (void)lowerToProblem(read->model, *machinePreset("edge"));
            }
            QVERIFY(opened > 0);
        }
    }

    /// Three GiB of weights in the file itself, which is empty there: nothing of them is looked at.
    void weightsAreNeverRead()
    {
        const auto varint = [](std::uint64_t n) {
            std::string out;
            for (; n >= 0x80; n >>= 7)
                out += static_cast<char>(n | 0x80);
            return out + static_cast<char>(n);
        };
        constexpr std::uint64_t kBytes = std::uint64_t{3} << 30;
        ::onnx::ModelProto file;
        QVERIFY(file.ParseFromString(test::llamaBlock()));
        auto& graph = *file.mutable_graph();
        auto& weights = *graph.mutable_initializer();
        const auto gate = std::find_if(weights.begin(), weights.end(),
                                       [](const auto& t) { return t.name() == "gate.weight"; });
        ::onnx::TensorProto tensor = *gate;
        weights.erase(gate);
        tensor.clear_data_location();
        tensor.clear_external_data();
        // The tensor's elements at the very end: field 9 of field 5 of field 7.
        const std::string head = tensor.SerializeAsString() + "\x4a" + varint(kBytes);
        const std::string initializer = "\x2a" + varint(head.size() + kBytes) + head;
        const std::string nodes = graph.SerializeAsString();
        file.clear_graph();
        const std::string text = file.SerializeAsString() + "\x3a" +
                                 varint(nodes.size() + initializer.size() + kBytes) + nodes + initializer;
        QTemporaryDir folder;
        QFile out(folder.filePath(QStringLiteral("large.onnx")));
        QVERIFY(out.open(QIODevice::WriteOnly));
        QCOMPARE(out.write(text.data(), static_cast<qint64>(text.size())), static_cast<qint64>(text.size()));
        if (!out.resize(static_cast<qint64>(text.size() + kBytes)))
            QSKIP("no room for a file of three GiB with nothing in it");
        out.close();
        const auto read = loadWorkload(out.fileName().toStdString());
        QVERIFY2(read.hasValue(), read ? "" : read.error().text().c_str());
        QCOMPARE(model::macsOf(read->model), 377'487'360);
    }

    /// A file that another program rewrites meanwhile.
    void aFileThatBecomesShorterIsRefused()
    {
        struct Shrinking final : ByteSource
        {
            std::string text;
            std::size_t left = 0;

            [[nodiscard]] std::size_t size() const override { return text.size(); }
            [[nodiscard]] std::string_view at(std::size_t position) override
            {
                return std::string_view(text).substr(0, left).substr(std::min(position, left));
            }
        };
        Shrinking file;
        file.text = test::resnet18();
        file.left = file.text.size();
        const auto whole = tilewright::onnx::stripWeights(file);
        QVERIFY(whole.hasValue() && *whole == file.text); // the fixture has no weights
        for (file.left = 0; file.left < file.text.size(); file.left += 997)
            QCOMPARE(tilewright::onnx::stripWeights(file).error().text(),
                     std::string("cannot be read to its end: it became shorter while it was read"));
    }

    void whatContradictsItselfIsRefused()
    {
        const auto told = [](const std::function<void(pb::ModelProto&)>& change) {
            test::GraphWriter w("odd", 13);
            const auto x = w.input("x", {1, 3, 8, 8});
            w.output(w.add("Conv", "conv", {x, w.weight("w", {4, 3, 3, 3})}));
            pb::ModelProto file;
            if (!file.ParseFromString(w.text()))
                qFatal("not written");
            change(file);
            const auto read = readWorkload(file.SerializeAsString(), "f.onnx");
            return read ? std::string("accepted") : read.error().text();
        };
        const auto attribute = [](pb::ModelProto& file, const char* name) {
            auto* a = file.mutable_graph()->mutable_node(0)->add_attribute();
            a->set_name(name);
            return a;
        };
        QCOMPARE(told([](pb::ModelProto&) {}), std::string("accepted"));
        QCOMPARE(told([&](pb::ModelProto& f) {
                     auto* a = attribute(f, "auto_pad");
                     a->set_type(pb::AttributeProto::STRING);
                     a->set_s("NONSENSE");
                 }),
                 std::string("f.onnx: Conv \"conv\": auto_pad is \"NONSENSE\": expected NOTSET, SAME_UPPER, "
                             "SAME_LOWER or VALID"));
        QCOMPARE(
            told([&](pb::ModelProto& f) {
                auto* a = attribute(f, "kernel_shape");
                a->set_type(pb::AttributeProto::INTS);
                a->add_ints(3);
            }),
            std::string("f.onnx: Conv \"conv\": kernel_shape is [3], but the kernel of the weights [3,3]"));
        QCOMPARE(told([](pb::ModelProto& f) { f.mutable_graph()->mutable_node(0)->add_input("x"); }),
                 std::string("f.onnx: Conv \"conv\": the bias [1,3,8,8] must be [4]"));
        QCOMPARE(told([](pb::ModelProto& f) { f.mutable_graph()->add_output()->set_name("z"); }),
                 std::string("f.onnx: the output \"z\" of the graph is written by no node"));
        QCOMPARE(told([](pb::ModelProto& f) { f.mutable_opset_import(0)->set_version(-5); }),
                 std::string("f.onnx: opset_import: expected a version from 1 to 1000, got -5"));
        QCOMPARE(told([](pb::ModelProto& f) { f.mutable_opset_import(0)->set_version(1'000'003); }),
                 std::string("f.onnx: opset_import: expected a version from 1 to 1000, got 1000003"));
        const auto type = [](pb::ModelProto& f) {
            return f.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
        };
        QCOMPARE(told([&](pb::ModelProto& f) { type(f)->set_elem_type(pb::TensorProto::STRING); }),
                 std::string("f.onnx: the input \"x\" is text, which has no size"));
        QCOMPARE(
            told([&](pb::ModelProto& f) { type(f)->mutable_shape()->mutable_dim(0)->set_dim_value(-5); }),
            std::string("f.onnx: the input \"x\" has the size -5"));
        // Some programs write these for a size that is open.
        for (const std::int64_t open : {-1, 0})
            QVERIFY(told([&](pb::ModelProto& f) {
                        type(f)->mutable_shape()->mutable_dim(0)->set_dim_value(open);
                    }).starts_with("f.onnx: leaves the size \"x.0\" open"));
    }

    /// Nodes of which only later results have names, or none.
    void aFirstResultMayHaveNoName()
    {
        const auto read = [](const std::function<void(test::GraphWriter&, const std::string&)>& add) {
            test::GraphWriter w("nameless", 13);
            const auto x = w.input("x", {4, 16});
            add(w, x);
            w.file().mutable_graph()->mutable_node(0)->set_output(0, "");
            w.output(w.add("Relu", "relu", {x}));
            return opened(w.text());
        };
        const Workload quantised = read([](test::GraphWriter& w, const std::string& x) {
            w.output(w.node("DynamicQuantizeLinear", "quantise", {x}, {}, 3)[1]);
        });
        QCOMPARE(quantised.model.operators[OperatorId(0)].name, std::string("quantise"));
        QCOMPARE(quantised.model.tensors[quantised.model.operators[OperatorId(0)].outputs.front()].name,
                 std::string("quantise.result0"));
        read([](test::GraphWriter& w, const std::string& x) {
            w.output(w.node("Dropout", "dropout", {x}, {}, 2)[1]);
        });
        read([](test::GraphWriter& w, const std::string&) {
            w.node("Constant", "nothing", {});
            auto* a = w.file().mutable_graph()->mutable_node(0)->add_attribute();
            a->set_name("value");
            a->set_type(pb::AttributeProto::TENSOR);
            a->mutable_t()->set_data_type(pb::TensorProto::FLOAT);
            a->mutable_t()->add_float_data(1);
        });
    }

    void freeDimensionsAreToldInOneSentence()
    {
        const std::string gpt2 = test::gpt2Block();
        const auto text = [&](const tilewright::onnx::Dimensions& d) {
            return readWorkload(gpt2, "gpt2.onnx", d).error().text();
        };
        QCOMPARE(text({}),
                 std::string("gpt2.onnx: leaves the sizes \"batch\", \"sequence\" open; give each a "
                             "value, for example --dim batch=1 --dim sequence=128"));
        QCOMPARE(text({{"batch", 4}}),
                 std::string("gpt2.onnx: leaves the sizes \"batch\", \"sequence\" open; give each a "
                             "value, for example --dim batch=4 --dim sequence=128"));
        QCOMPARE(text({{"batch", 4}, {"rows", 3}}),
                 std::string("gpt2.onnx: --dim rows: the model has no such free dimension; it has \"batch\", "
                             "\"sequence\""));
        QVERIFY(text({{"batch", -1}, {"sequence", 3}}).find("expected a size") != std::string::npos);
        QVERIFY(
            readWorkload(test::resnet18(), "r.onnx", {{"N", 1}}).error().text().find("no free dimension") !=
            std::string::npos);
    }
};

TILEWRIGHT_TEST(TestOnnxImport)

} // namespace test_onnx_import
#include "test_onnx_import.moc"
