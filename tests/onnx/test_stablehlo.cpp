// SPDX-License-Identifier: GPL-3.0-or-later
// StableHLO's text form (docs/rules/workload.md 7): each operator in the forms that are printed, MACs as in
// ONNX, what is refused and where.
#include "cli_run.h"
#include "graph_writer.h"
#include "lower/lowered.h"
#include "lower/workload.h"
#include "model/file_kind.h"
#include "model/mlir.h"
#include "stablehlo/import.h"
#include "test_main.h"

#include "base/file.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace test_stablehlo {

using namespace tilewright;
using tilewright::onnx::Fate;
using Ints = std::vector<std::int64_t>;
using K = model::OperatorKind;

namespace {

const std::string kModels = TILEWRIGHT_SOURCE_DIR "/samples/models/";

/// A program of one function; `more` are further functions.
std::string program(const std::string& arguments, const std::string& lines, const std::string& more = {})
{
    return "module @m {\n func.func public @main(" + arguments + ") -> tensor<f32> {\n" + lines + "\n }\n" +
           more + "}\n";
}

tilewright::onnx::Imported imported(const std::string& text)
{
    auto read = stablehlo::importModel(text, "x.mlir");
    if (!read)
        qFatal("%s", read.error().text().c_str());
    const auto lowered = lower::lowerToProblem(read->model, *machinePreset("edge"));
    if (!lowered)
        qFatal("%s", lowered.error().text().c_str());
    const std::int64_t known = lower::matMulMacs(*lowered) + lowered->report.vectorMacs;
    if (known != model::macsOf(read->model))
        qFatal("MACs are not conserved");
    return std::move(*read);
}

std::string errorOf(const std::string& text)
{
    const auto read = stablehlo::importModel(text, "x.mlir");
    return read ? std::string("none") : read.error().text();
}

/// The operator with the name, or an end of the test.
const model::Operator& op(const model::Model& m, const std::string& name)
{
    for (const model::Operator& o : m.operators)
        if (o.name == name)
            return o;
    qFatal("no operator %s", name.c_str());
}

const tilewright::onnx::ImportedNode& node(const tilewright::onnx::Imported& m, const std::string& name)
{
    for (const auto& n : m.report.nodes)
        if (n.name == name)
            return n;
    qFatal("no node %s", name.c_str());
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("no %s", from.c_str());
    return text.replace(at, from.size(), to);
}

} // namespace

class TestStableHlo : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theKindIsToldByContent();
    void everyProduct_data();
    void everyProduct();
    void bothFormsAreTheSameModel();
    void aConvolutionIsThatOfOnnx_data();
    void aConvolutionIsThatOfOnnx();
    void aConvolutionOfOneAndThreeAxes();
    void broadcastsAreReadByElementwiseOperators();
    void constantsAreFoldedAndWeights();
    void reductions();
    void windowsArePools();
    void everyView();
    void callsAreReplacedByTheirOperators();
    void namesComeFromLocations();
    void elementsHaveTheirWidth();
    void unknownOperatorsAreNamed();
    void aBlockHasTheMacsOfItsModel();
    void faultsNameTheLine_data();
    void faultsNameTheLine();
    void hostileInputEnds();
    void everyVerbOpensIt();
};

void TestStableHlo::theKindIsToldByContent()
{
    const auto text = readFile(kModels + "llama-block.mlir");
    QVERIFY(text);
    QCOMPARE(*fileKindOf(*text, "x"), FileKind::Model);
    for (const char* mlir : {"module {\n}", "module @m attributes {a = 1 : i32} {\n}",
                             "// a comment\nmodule {}", "#loc = loc(unknown)\nmodule {}",
                             "func.func @main() {}", "\"builtin.module\"() ({})", "\xef\xbb\xbfmodule {}"})
        QVERIFY2(model::isMlir(mlir), mlir);
    for (const char* other : {"", "{\"ops\": []}", "module, M, N, K\na, 1, 2, 3", "modules: 3",
                              "# a comment\nkey: 1", "layer,M,N,K\n"})
        QVERIFY2(!model::isMlir(other), other);
}

void TestStableHlo::everyProduct_data()
{
    QTest::addColumn<QString>("lhs");
    QTest::addColumn<QString>("rhs");
    QTest::addColumn<QString>("dims");
    QTest::addColumn<QString>("out");
    QTest::addColumn<int>("kind");
    QTest::addColumn<qint64>("macs");
    const auto row = [](const char* name, const char* lhs, const char* rhs, const char* dims, const char* out,
                        K kind, qint64 macs) {
        QTest::newRow(name) << lhs << rhs << dims << out << static_cast<int>(kind) << macs;
    };
    row("matrices", "6x4", "4x5", "contracting_dims = [1] x [0]", "6x5", K::MatMul, 120);
    row("rhs transposed", "6x4", "5x4", "contracting_dims = [1] x [1]", "6x5", K::MatMul, 120);
    row("lhs transposed", "4x6", "4x5", "contracting_dims = [0] x [0]", "6x5", K::MatMul, 120);
    row("leading dimensions", "2x3x4", "4x5", "contracting_dims = [2] x [0]", "2x3x5", K::MatMul, 120);
    row("batch", "2x6x4", "2x4x5", "batching_dims = [0] x [0], contracting_dims = [2] x [1]", "2x6x5",
        K::MatMul, 240);
    row("batch, rhs transposed", "2x6x4", "2x5x4", "batching_dims = [0] x [0], contracting_dims = [2] x [2]",
        "2x6x5", K::MatMul, 240);
    row("batch inside", "6x2x4", "5x2x4", "batching_dims = [1] x [1], contracting_dims = [2] x [2]", "2x6x5",
        K::Einsum, 240);
    row("weights of heads", "3x8", "8x2x4", "contracting_dims = [1] x [0]", "3x2x4", K::Einsum, 192);
    row("two sums", "3x2x4", "2x4x8", "contracting_dims = [1, 2] x [0, 1]", "3x8", K::Einsum, 192);
    row("matrix and vector", "6x4", "4", "contracting_dims = [1] x [0]", "6", K::Einsum, 24);
    row("no sum", "3x4", "5", "contracting_dims = [] x []", "3x4x5", K::Einsum, 60);
}

void TestStableHlo::everyProduct()
{
    QFETCH(const QString, lhs);
    QFETCH(const QString, rhs);
    QFETCH(const QString, dims);
    QFETCH(const QString, out);
    QFETCH(const int, kind);
    QFETCH(const qint64, macs);
    const QString types =
        QStringLiteral("(tensor<%1xf32>, tensor<%2xf32>) -> tensor<%3xf32>").arg(lhs, rhs, out);
    const QString text =
        QStringLiteral("%r = stablehlo.dot_general %a, %b, %1, precision = [DEFAULT, DEFAULT] : %2\n"
                       "return %r : tensor<%3xf32>")
            .arg(dims, types, out);
    const auto m =
        imported(program(QStringLiteral("%a: tensor<%1xf32>, %b: tensor<%2xf32>").arg(lhs, rhs).toStdString(),
                         text.toStdString()));
    QCOMPARE(static_cast<int>(op(m.model, "%r").kind), kind);
    QCOMPARE(model::macsOf(m.model), macs);
    QVERIFY(node(m, "%r").fate == Fate::Operator);
    QCOMPARE(node(m, "%r").type, std::string("dot_general"));
}

void TestStableHlo::bothFormsAreTheSameModel()
{
    const std::string arguments = "%x: tensor<2x9x9x4xf32>, %w: tensor<3x3x4x8xf32>, %v: tensor<8x5xf32>";
    const std::string printed = program(arguments, R"(
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x5x7x8xf32>
    %1 = stablehlo.dot_general %0, %v, contracting_dims = [3] x [0] : (tensor<2x5x7x8xf32>, tensor<8x5xf32>) -> tensor<2x5x7x5xf32>
    %2 = stablehlo.transpose %1, dims = [0, 3, 1, 2] : (tensor<2x5x7x5xf32>) -> tensor<2x5x5x7xf32>
    %3 = stablehlo.slice %2 [0:2, 0:5:2, 1:5, 0:7] : (tensor<2x5x5x7xf32>) -> tensor<2x3x4x7xf32>
    %4 = stablehlo.reduce(%3 init: %c) applies stablehlo.maximum across dimensions = [1, 3] : (tensor<2x3x4x7xf32>, tensor<f32>) -> tensor<2x4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 2] : (tensor<2x4xf32>) -> tensor<2x6x4xf32>
    %6 = stablehlo.concatenate %5, %5, dim = 1 : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x12x4xf32>
    %7 = stablehlo.pad %6, %c, low = [0, 1, 0], high = [0, 2, 0], interior = [0, 0, 0] : (tensor<2x12x4xf32>, tensor<f32>) -> tensor<2x15x4xf32>
    %8 = stablehlo.add %7, %7 : tensor<2x15x4xf32>
    return %8 : tensor<2x15x4xf32>)");
    const std::string generic = R"("builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (tensor<f32>) -> tensor<f32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%x: tensor<2x9x9x4xf32>, %w: tensor<3x3x4x8xf32>, %v: tensor<8x5xf32>):
    %c = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %0 = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 2>, window_strides = array<i64: 2, 1>}> : (tensor<2x9x9x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x5x7x8xf32>
    %1 = "stablehlo.dot_general"(%0, %v) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [0]>}> : (tensor<2x5x7x8xf32>, tensor<8x5xf32>) -> tensor<2x5x7x5xf32>
    %2 = "stablehlo.transpose"(%1) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x5x7x5xf32>) -> tensor<2x5x5x7xf32>
    %3 = "stablehlo.slice"(%2) <{limit_indices = array<i64: 2, 5, 5, 7>, start_indices = array<i64: 0, 0, 1, 0>, strides = array<i64: 1, 2, 1, 1>}> : (tensor<2x5x5x7xf32>) -> tensor<2x3x4x7xf32>
    %4 = "stablehlo.reduce"(%3, %c) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %9 = "stablehlo.maximum"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%9) : (tensor<f32>) -> ()
    }) {dimensions = dense<[1, 3]> : tensor<2xi64>} : (tensor<2x3x4x7xf32>, tensor<f32>) -> tensor<2x4xf32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x4xf32>) -> tensor<2x6x4xf32>
    %6 = "stablehlo.concatenate"(%5, %5) <{dimension = 1 : i64}> : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x12x4xf32>
    %7 = "stablehlo.pad"(%6, %c) <{edge_padding_high = array<i64: 0, 2, 0>, edge_padding_low = array<i64: 0, 1, 0>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<2x12x4xf32>, tensor<f32>) -> tensor<2x15x4xf32>
    %8 = "stablehlo.add"(%7, %7) : (tensor<2x15x4xf32>, tensor<2x15x4xf32>) -> tensor<2x15x4xf32>
    "func.return"(%8) : (tensor<2x15x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
)";
    const auto a = imported(printed), b = imported(generic);
    QVERIFY(a.model.operators == b.model.operators);
    QVERIFY(a.model.tensors == b.model.tensors);
    QCOMPARE(a.model.name, std::string("m"));
    // 2 images of 5 x 7 positions, 8 channels of 4 x 3 x 3 taps; then 5 columns over 8 channels.
    QCOMPARE(model::macsOf(a.model), std::int64_t{2 * 5 * 7 * 8 * 36 + 2 * 5 * 7 * 5 * 8});
}

void TestStableHlo::aConvolutionIsThatOfOnnx_data()
{
    QTest::addColumn<int>("groups");
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("dilation");
    QTest::addColumn<int>("padding");
    QTest::newRow("plain") << 1 << 1 << 1 << 1;
    QTest::newRow("strides") << 1 << 2 << 1 << 1;
    QTest::newRow("groups") << 4 << 1 << 1 << 1;
    QTest::newRow("dilation") << 1 << 1 << 2 << 2;
    QTest::newRow("depthwise, strides") << 16 << 2 << 1 << 0;
}

void TestStableHlo::aConvolutionIsThatOfOnnx()
{
    QFETCH(const int, groups);
    QFETCH(const int, stride);
    QFETCH(const int, dilation);
    QFETCH(const int, padding);
    test::GraphWriter w("conv", 13);
    const std::string x = w.input("x", {1, 16, 12, 10});
    w.output(w.add("Conv", "conv", {x, w.weight("w", {32, 16 / groups, 3, 3})},
                   {{"strides", Ints{stride, stride}},
                    {"dilations", Ints{dilation, dilation}},
                    {"pads", Ints(4, padding)},
                    {"group", std::int64_t{groups}}}));
    const auto reference = tilewright::onnx::importModel(w.text(), "x.onnx");
    QVERIFY(reference);
    const model::Shape y = reference->model.shape(reference->model.operators[OperatorId(0)].outputs[0]);
    const QString text =
        QStringLiteral(
            "%w = stablehlo.constant dense<0.5> : tensor<3x3x%1x32xf32>\n"
            "%r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
            "window = {stride = [%2, %2], pad = [[%3, %3], [%3, %3]], rhs_dilate = [%4, %4]} "
            "{batch_group_count = 1 : i64, feature_group_count = %5 : i64} : (tensor<1x12x10x16xf32>, "
            "tensor<3x3x%1x32xf32>) -> tensor<1x%6x%7x32xf32>\nreturn %r : tensor<f32>")
            .arg(16 / groups)
            .arg(stride)
            .arg(padding)
            .arg(dilation)
            .arg(groups)
            .arg(y[2])
            .arg(y[3]);
    const auto m = imported(program("%x: tensor<1x12x10x16xf32>", text.toStdString()));
    const model::Operator &conv = op(m.model, "%r"), &other = reference->model.operators[OperatorId(0)];
    QVERIFY(conv.attributes == other.attributes);
    QCOMPARE(model::macsOf(m.model, conv), model::macsOf(reference->model));
    QCOMPARE(model::macsOf(m.model), model::macsOf(reference->model));
    QCOMPARE(m.model.shape(conv.inputs[1]), reference->model.shape(other.inputs[1]));
    QVERIFY(m.model.tensors[conv.inputs[1]].constant);
    // The Schedule lens takes images as [positions, channels], so that the layout of jax costs nothing there.
    const auto lowered = lower::lowerToProblem(m.model, *machinePreset("edge")),
               fromOnnx = lower::lowerToProblem(reference->model, *machinePreset("edge"));
    QVERIFY(lowered && fromOnnx);
    QCOMPARE(lowered->data.ops.size(), fromOnnx->data.ops.size());
    QCOMPARE(lowered->data.views.size(), fromOnnx->data.views.size());
}

void TestStableHlo::aConvolutionOfOneAndThreeAxes()
{
    const auto one = imported(program("%x: tensor<2x16x4xf32>, %w: tensor<3x4x8xf32>", R"(
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x4xf32>, tensor<3x4x8xf32>) -> tensor<2x8x8xf32>
    return %0 : tensor<2x8x8xf32>)"));
    QCOMPARE(model::macsOf(one.model), std::int64_t{2 * 8 * 8 * 3 * 4});
    const auto three = imported(program("%x: tensor<1x4x6x8x8xf32>, %w: tensor<8x4x3x3x3xf32>", R"(
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2], window = {stride = [1, 2, 2], pad = [[1, 1], [1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x6x8x8xf32>, tensor<8x4x3x3x3xf32>) -> tensor<1x8x6x4x4xf32>
    return %0 : tensor<f32>)"));
    QCOMPARE(model::macsOf(three.model), std::int64_t{6 * 4 * 4 * 8 * 4 * 27});
}

void TestStableHlo::broadcastsAreReadByElementwiseOperators()
{
    const auto m = imported(
        program("%x: tensor<2x3x4xf32>, %b: tensor<4xf32>, %r: tensor<2x3xf32>, %w: tensor<4x4xf32>", R"(
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<2x3x4xf32>
    %1 = stablehlo.multiply %x, %0 : tensor<2x3x4xf32>
    %2 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<2x3x4xf32>
    %4 = stablehlo.add %1, %3 : tensor<2x3x4xf32>
    %5 = stablehlo.broadcast_in_dim %r, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x4xf32>
    %6 = stablehlo.subtract %4, %5 : tensor<2x3x4xf32>
    %7 = stablehlo.add %5, %3 : tensor<2x3x4xf32>
    %8 = stablehlo.dot_general %5, %w, contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<4x4xf32>) -> tensor<2x3x4xf32>
    return %8 : tensor<2x3x4xf32>)"));
    const auto shapeOf = [&](const char* name, std::size_t i) {
        return m.model.shape(op(m.model, name).inputs[i]);
    };
    QCOMPARE(shapeOf("%1", 1), model::Shape());
    QVERIFY(m.model.tensors[op(m.model, "%1").inputs[1]].constant);
    QCOMPARE(shapeOf("%4", 1), (model::Shape{1, 1, 4}));
    QCOMPARE(shapeOf("%6", 1), (model::Shape{2, 3, 1}));
    QVERIFY(node(m, "%3").fate == Fate::Folded);
    // A product reads the whole of it: then the broadcast is an operator.
    QVERIFY(node(m, "%5").fate == Fate::Operator);
    QVERIFY(op(m.model, "%5").kind == K::Expand);
    QCOMPARE(shapeOf("%8", 0), (model::Shape{2, 3, 4}));
}

void TestStableHlo::constantsAreFoldedAndWeights()
{
    const auto m = imported(program("%x: tensor<2x4xf32>", R"(
    %w = stablehlo.constant dense<"0x00000000"> : tensor<4x8xf32>
    %i = stablehlo.iota dim = 0 : tensor<2x8xi32>
    %j = stablehlo.iota dim = 1 : tensor<2x8xi32>
    %k = stablehlo.compare GE, %i, %j, SIGNED : (tensor<2x8xi32>, tensor<2x8xi32>) -> tensor<2x8xi1>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
    %z = stablehlo.constant dense<0.0> : tensor<2x8xf32>
    %1 = stablehlo.select %k, %0, %z : tensor<2x8xi1>, tensor<2x8xf32>
    return %1 : tensor<2x8xf32>)"));
    QCOMPARE(m.model.operators.size(), std::size_t{2});
    QVERIFY(m.model.tensors[op(m.model, "%0").inputs[1]].constant);
    QVERIFY(!m.model.tensors[op(m.model, "%0").inputs[0]].constant);
    QCOMPARE(m.model.shape(op(m.model, "%1").inputs[0]), (model::Shape{2, 8})); // the mask
    QCOMPARE(m.model.shape(op(m.model, "%1").inputs[2]), model::Shape());       // one number
    for (const char* name : {"%w", "%i", "%k", "%z"})
        QVERIFY2(node(m, name).fate == Fate::Folded, name);
    QVERIFY(std::ranges::any_of(m.report.notes, [](const std::string& note) {
        return note.find("arguments of the function, its weights among them, are inputs") !=
               std::string::npos;
    }));
}

void TestStableHlo::reductions()
{
    const auto m = imported(program("%x: tensor<2x3x4xf32>", R"(
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %d = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %i = stablehlo.iota dim = 2 : tensor<2x3x4xi32>
    %1:2 = stablehlo.reduce(%x init: %c), (%i init: %d) across dimensions = [2] : (tensor<2x3x4xf32>, tensor<2x3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
     reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>)  {
      %9 = stablehlo.compare GT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p, %r : tensor<f32>, tensor<i32>
    }
    %2 = stablehlo.convert %1#1 : (tensor<2x3xi32>) -> tensor<2x3xf32>
    return %2 : tensor<2x3xf32>)"));
    QVERIFY((op(m.model, "%0").as<model::ReduceAttributes>() == model::ReduceAttributes{{0, 2}, false}));
    QVERIFY(op(m.model, "%1").kind == K::Reduce);
    const model::Operator& positions = op(m.model, "%1/result1");
    QVERIFY(positions.inputs == op(m.model, "%1").inputs); // they follow from the values
    QCOMPARE(m.model.tensors[positions.outputs[0]].bits, std::int64_t{32 * 1024});
    QVERIFY(op(m.model, "%2").inputs == positions.outputs);
}

void TestStableHlo::windowsArePools()
{
    const auto m = imported(program("%x: tensor<1x8x6x4xf32>", R"(
    %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %c) <{padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %9 = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<1x8x6x4xf32>, tensor<f32>) -> tensor<1x4x3x4xf32>
    return %0 : tensor<1x4x3x4xf32>)"));
    const model::Operator& pool = op(m.model, "%0");
    QVERIFY(pool.kind == K::MaxPool);
    QCOMPARE(m.model.shape(pool.inputs[0]), (model::Shape{1, 4, 8, 6}));
    const auto& a = pool.as<model::WindowAttributes>();
    QVERIFY((a.kernel == std::array<std::int64_t, 2>{3, 3} && a.stride == std::array<std::int64_t, 2>{2, 2}));
    QVERIFY((a.padding == std::array<std::int64_t, 4>{0, 0, 1, 1}));
}

void TestStableHlo::everyView()
{
    const auto m = imported(
        program("%x: tensor<4x6xf32>, %t: tensor<100x6xf32>, %i: tensor<5x1xi32>, %s: tensor<i32>", R"(
    %0 = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
    %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<2x2x6xf32>) -> tensor<6x2x2xf32>
    %2 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<100x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
    %3 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 6>}> : (tensor<100x6xf32>, tensor<5x1xi32>) -> tensor<5x2x6xf32>
    %4 = stablehlo.dynamic_slice %t, %s, %s, sizes = [2, 6] : (tensor<100x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
    %5 = stablehlo.dynamic_update_slice %x, %4, %s, %s : (tensor<4x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %6 = stablehlo.reverse %x, dims = [0] : tensor<4x6xf32>
    %7 = stablehlo.slice %x [1:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
    return %7 : tensor<2x6xf32>)"));
    QVERIFY(op(m.model, "%0").kind == K::Reshape);
    QVERIFY((op(m.model, "%1").as<model::TransposeAttributes>().permutation == Ints{2, 0, 1}));
    QVERIFY(op(m.model, "%2").kind == K::Gather);
    QCOMPARE(m.model.shape(op(m.model, "%2").inputs[1]), (model::Shape{5}));
    QVERIFY(op(m.model, "%3").kind == K::View);
    QVERIFY(op(m.model, "%4").kind == K::Slice);
    QCOMPARE(op(m.model, "%5").inputs.size(), std::size_t{2});
    QVERIFY(op(m.model, "%6").kind == K::View);
    QVERIFY((op(m.model, "%7").as<model::SliceAttributes>() == model::SliceAttributes{{0}, {1}, {4}, {2}}));
}

void TestStableHlo::callsAreReplacedByTheirOperators()
{
    const auto m = imported(program("%x: tensor<4xf32>", R"(
    %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = func.call @pair(%0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %2 = stablehlo.add %1#0, %1#1 : tensor<4xf32>
    return %2 : tensor<4xf32>)",
                                    R"(
  func.func private @twice(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @pair(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = func.call @twice(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
)"));
    QCOMPARE(m.model.operators.size(), std::size_t{3});
    QVERIFY(op(m.model, "%1/%0/%0").inputs[0] == op(m.model, "%0/%0").outputs[0]);
    QVERIFY(op(m.model, "%2").inputs[1] == op(m.model, "%0/%0").outputs[0]);
    QCOMPARE(node(m, "%0").note, std::string("replaced by the operators of @twice"));
}

void TestStableHlo::namesComeFromLocations()
{
    const auto m = imported(R"(#loc1 = loc("x")
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32> loc("x")) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32> loc(#loc4)
    %1 = stablehlo.add %0, %0 : tensor<4xf32> loc(#loc4)
    %2 = stablehlo.add %1, %1 : tensor<4xf32> loc("f.py":3:1)
    return %2 : tensor<4xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("f.py":12:4)
#loc4 = loc("jit(f)/add"(#loc2))
)");
    std::vector<std::string> names;
    for (const model::Operator& o : m.model.operators)
        names.push_back(o.name);
    QVERIFY((names == std::vector<std::string>{"jit(f)/add", "jit(f)/add#1", "%2"}));
    QCOMPARE(m.model.tensors[ModelTensorId(0)].name, std::string("x"));
}

void TestStableHlo::elementsHaveTheirWidth()
{
    const std::pair<const char*, std::pair<int, int>> cases[] = {
        {"f64", {8, 0}},          {"f32", {4, 0}},
        {"bf16", {2, 0}},         {"f16", {2, 0}},
        {"i1", {1, 8}},           {"i8", {1, 8}},
        {"ui8", {1, 8}},          {"i4", {1, 4}},
        {"i32", {4, 32}},         {"i64", {8, 64}},
        {"f8E4M3FN", {1, 8}},     {"f8E5M2", {1, 8}},
        {"f4E2M1FN", {1, 4}},     {"f6E3M2FN", {1, 6}},
        {"complex<f32>", {8, 0}}, {"!quant.uniform<i8:f32, 0.1>", {1, 8}}};
    for (const auto& [element, width] : cases) {
        const std::string type = std::string("tensor<3x") + element + ">";
        const auto m =
            imported(program("%x: " + type + ", %y: tensor<5xf32>, %z: tensor<7xf32>, %u: tensor<9xf32>",
                             "%0 = stablehlo.add %x, %x : " + type +
                                 "\n%1 = stablehlo.add %y, %y : tensor<5xf32>\n"
                                 "return %0 : " +
                                 type));
        const model::Tensor& t = m.model.tensors[op(m.model, "%0").outputs[0]];
        QCOMPARE(t.elementBytes > 0 ? t.elementBytes : m.model.dtypeBytes, width.first);
        QCOMPARE(t.bits, std::int64_t{1024} * width.second);
    }
}

void TestStableHlo::unknownOperatorsAreNamed()
{
    const auto read = stablehlo::importModel(program("%x: tensor<4x4xf32>", R"(
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %0) : tensor<i32>, tensor<4x4xf32>
     cond {
      %9 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9 = stablehlo.dot_general %iterArg_0, %iterArg_0, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      stablehlo.return %iterArg, %9 : tensor<i32>, tensor<4x4xf32>
    }
    %2 = "stablehlo.sort"(%1#1) <{dimension = 1 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %9 = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.custom_call @cublas(%2) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %2 : tensor<4x4xf32>)"),
                                             "x.mlir");
    QVERIFY(read);
    QVERIFY(node(*read, "%0").fate == Fate::Operator);
    const auto& loop = node(*read, "%1");
    QVERIFY(loop.fate == Fate::Dropped && !loop.macsKnown && loop.needed);
    QCOMPARE(loop.type, std::string("while"));
    const auto& sorted = node(*read, "%2");
    QVERIFY(sorted.fate == Fate::Dropped && sorted.macsKnown && sorted.needed);
    const auto& called = node(*read, "%3");
    QVERIFY(called.fate == Fate::Dropped && !called.macsKnown && !called.needed);
    QCOMPARE(called.note, std::string("the custom call @cublas is not supported"));
    lower::Workload workload;
    workload.model = read->model;
    workload.import = read->report;
    QVERIFY(lower::missingText(workload).find("%1") != std::string::npos);
}

void TestStableHlo::aBlockHasTheMacsOfItsModel()
{
    const auto block = lower::loadWorkload(kModels + "llama-block.mlir"),
               json = lower::loadWorkload(kModels + "llama-block.json"),
               fromOnnx = lower::loadWorkload(kModels + "llama-block.onnx");
    QVERIFY(block && json && fromOnnx);
    const auto macs = [](const lower::Workload& w, const std::string& name) {
        return model::macsOf(w.model, op(w.model, name));
    };
    for (const char* name : {"q", "k", "v", "o", "gate", "up", "down"})
        QCOMPARE(macs(*block, name), macs(*json, std::string("layer0.") + name));
    QCOMPARE(macs(*block, "head"), macs(*json, "head"));
    QCOMPARE(macs(*block, "scores") + macs(*block, "context"), macs(*json, "layer0.attention"));
    QCOMPARE(model::macsOf(block->model), model::macsOf(json->model));
    // The ONNX file is the block without table and head.
    QCOMPARE(model::macsOf(block->model) - macs(*block, "head"), model::macsOf(fromOnnx->model));
    QVERIFY(block->import && std::ranges::none_of(block->import->nodes,
                                                  [](const auto& n) { return n.fate == Fate::Dropped; }));
}

void TestStableHlo::faultsNameTheLine_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* from, const char* to, const char* message) {
        QTest::newRow(name) << from << to << message;
    };
    row("open size", "%a: tensor<6x4xf32>", "%a: tensor<?x4xf32>",
        "x.mlir: line 2: the type tensor<?x4xf32> has a size that is open");
    row("large size", "%a: tensor<6x4xf32>", "%a: tensor<99999999999x4xf32>",
        "line 2: the type tensor<99999999999x4xf32> has a size above 2147483648");
    row("many dimensions", "%a: tensor<6x4xf32>", "%a: tensor<1x1x1x1x1x1x1x6x4xf32>",
        "more than 8 dimensions");
    row("element", "%a: tensor<6x4xf32>", "%a: tensor<6x4xq7>",
        "line 2: the element \"q7\" of a tensor is not supported");
    row("contradicting result", "-> tensor<6x5xf32>\n%1", "-> tensor<6x7xf32>\n%1",
        "line 3: dot_general \"%0\": its result is [6,7], but its operands give [6,5]");
    row("contradicting operand", "(tensor<6x4xf32>, ", "(tensor<6x3xf32>, ",
        "line 3: dot_general \"%0\": its operand 0 is [6,4], not [6,3]");
    row("sizes of the sum", "%b: tensor<4x5xf32>", "%b: tensor<3x5xf32>",
        "its operand 1 is [3,5], not [4,5]");
    row("axis", "[1] x [0]", "[2] x [0]",
        "line 3: dot_general \"%0\": dimension 2 does not exist, there are 2");
    row("pairs", "[1] x [0]", "[1] x []", "the dimensions of its operands are not given in pairs");
    row("no second list", "[1] x [0]", "[1]", "contracting_dims must have the form \"[1] x [0]\"");
    row("no numbers", "[1] x [0]", "[a] x [0]", "line 3: a list of whole numbers is expected here");
    row("undefined operand",
        "%0, %0 :", "%0, %7 :", "line 4: stablehlo.add: its operand %7 is not defined above");
    row("defined twice", "%1 = stablehlo.add", "%0 = stablehlo.add",
        "line 4: add \"%0#1\": %0 is defined twice");
    row("no return", "return %1 : tensor<f32>", "", "the function @main has no \"return\"");
    row("no main", "@main", "@other(%a: tensor<f32>) {\n return %a : tensor<f32> }\n func.func @third",
        "is MLIR without a function @main, and 2 of its functions are public");
    row("bracket", "tensor<f32>\n }\n}", "tensor<f32>\n }\n", "line 1: the bracket \"{\" is not closed");
    row("other bracket", "[1] x [0]", "[1) x [0]", "line 3: the bracket \")\" closes nothing");
    row("text", "precision", "\"precision", "line 3: a text in quotes does not end");
    row("sign", "%1 = stablehlo.add", "%1 = ~stablehlo.add", "line 4: \"~\" is not expected here");
    row("no operator", "%1 = stablehlo.add", "%1 = ", "line 4: the name of an operator is expected here");
    row("callee", "stablehlo.add %0, %0 :", "call @f(%0, %0) : (tensor<6x5xf32>, tensor<6x5xf32>) ->",
        "line 4: call \"%1\": the function that it calls is not in the file");
    row("nothing", "%1 = stablehlo.add %0, %0 : tensor<6x5xf32>\n",
        "%1 = stablehlo.slice %0 [0:6] : (tensor<6x5xf32>) -> tensor<6x5xf32>\n",
        "line 4: slice \"%1\": has 1 ranges, its operand 2 dimensions");
}

void TestStableHlo::faultsNameTheLine()
{
    QFETCH(const QString, from);
    QFETCH(const QString, to);
    QFETCH(const QString, message);
    const std::string whole = program(
        "%a: tensor<6x4xf32>, %b: tensor<4x5xf32>",
        "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : "
        "(tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>\n"
        "%1 = stablehlo.add %0, %0 : tensor<6x5xf32>\nreturn %1 : tensor<f32>");
    QCOMPARE(errorOf(whole), std::string("none"));
    const std::string error = errorOf(replaced(whole, from.toStdString(), to.toStdString()));
    QVERIFY2(error.starts_with("x.mlir: ") && error.find(message.toStdString()) != std::string::npos,
             error.c_str());
}

void TestStableHlo::hostileInputEnds()
{
    QVERIFY(errorOf("module {" + std::string(100, '(')).find("nested more than 64 levels deep") !=
            std::string::npos);
    const auto function = [](const std::string& name, const std::string& calls) {
        return "func.func private @" + name + "(%a: tensor<4xf32>) -> tensor<4xf32> {\n" + calls +
               "return %a : tensor<4xf32>\n}\n";
    };
    const auto call = [](const std::string& id, const std::string& name) {
        return id + " = call @" + name + "(%a) : (tensor<4xf32>) -> tensor<4xf32>\n";
    };
    const std::string main = call("%0", "f0") + "return %0 : tensor<4xf32>";
    QVERIFY(
        errorOf(program("%a: tensor<4xf32>", main, function("f0", call("%0", "f0")))).find("calls itself") !=
        std::string::npos);
    // Each function calls the next one twice.
    std::string chain;
    for (int i = 0; i < 40; ++i)
        chain += function("f" + std::to_string(i),
                          call("%0", "f" + std::to_string(i + 1)) + call("%1", "f" + std::to_string(i + 1)));
    chain += function("f40", {});
    QVERIFY(errorOf(program("%a: tensor<4xf32>", main, chain)).find("more than 1000000 operators") !=
            std::string::npos);
    // A location that refers to itself.
    const std::string loops =
        "#loc1 = loc(fused[#loc1, #loc1])\n" +
        program("%a: tensor<4xf32>", "%0 = stablehlo.add %a, %a : tensor<4xf32> loc(#loc1)\n"
                                     "return %0 : tensor<4xf32>");
    QCOMPARE(errorOf(loops), std::string("none"));
    QVERIFY(errorOf("module {}").find("MLIR without a function") != std::string::npos);
    QVERIFY(errorOf(program("%a: tensor<4xf32>", "return %a : tensor<4xf32>")).find("computes nothing") !=
            std::string::npos);
}

void TestStableHlo::everyVerbOpensIt()
{
    const QString file = QString::fromStdString(kModels + "llama-block.mlir");
    const auto run = [&](const QStringList& arguments) { return test::runCli(arguments); };
    const auto info = run({QStringLiteral("info"), file, QStringLiteral("--json")});
    QCOMPARE(info.code, 0);
    QCOMPARE(info.json()["macs"].get<double>(), 443'023'360.0);
    QCOMPARE(info.json()["by_type"]["dot_general"].get<double>(), 443'023'360.0);
    QCOMPARE(info.json()["coverage"]["mapped"].get<double>(), 1.0);
    const auto summary = run({QStringLiteral("summary"), file, QStringLiteral("--json")});
    QVERIFY2(summary.code == 0, summary.err.constData());
    const auto solve = run({QStringLiteral("solve"), file, QStringLiteral("--iterations"),
                            QStringLiteral("20"), QStringLiteral("--threads"), QStringLiteral("1"),
                            QStringLiteral("--seconds"), QStringLiteral("30"), QStringLiteral("--json")});
    QVERIFY2(solve.code == 0, solve.err.constData());
    QVERIFY(solve.json()["total_latency"].get<double>() > 0);
    const auto table = run({QStringLiteral("systolic"), file, QStringLiteral("--json")});
    QCOMPARE(table.code, 0);
    const auto dimension =
        run({QStringLiteral("info"), file, QStringLiteral("--dim"), QStringLiteral("batch=1")});
    QCOMPARE(dimension.code, 2);
    const QTemporaryDir folder;
    const QString open = folder.filePath(QStringLiteral("open.stablehlo"));
    const auto text = readFile(file.toStdString());
    QVERIFY(writeFileAtomically(open.toStdString(), replaced(*text, "tensor<128xi32>", "tensor<?xi32>")));
    const auto refused = run({QStringLiteral("info"), open});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("open.stablehlo: line 4: the type tensor<?xi32> has a size that is open") &&
                 refused.err.contains("jax.ShapeDtypeStruct"),
             refused.err.constData());
}

TILEWRIGHT_TEST(TestStableHlo)

} // namespace test_stablehlo
#include "test_stablehlo.moc"
