// SPDX-License-Identifier: GPL-3.0-or-later
// Operators of ONNX one by one: MACs worked out by hand, what the arithmetic on shapes gives, attention as
// other exporters write it.
#include "graph_writer.h"
#include "lower/lowered.h"
#include "onnx/import.h"
#include "onnx_fixtures.h"
#include "test_main.h"

#include <QElapsedTimer>
#include <QTest>

#include <functional>

namespace test_onnx_operators {

using namespace tilewright;
using test::GraphWriter;
using Ints = std::vector<std::int64_t>;
using K = model::OperatorKind;

namespace {

using W = GraphWriter;
using Nodes = std::function<std::string(W&, const std::string&)>;

tilewright::onnx::Imported imported(const std::string& text,
                                    const tilewright::onnx::Dimensions& dimensions = {})
{
    auto read = tilewright::onnx::importModel(text, "x.onnx", dimensions);
    if (!read)
        qFatal("%s", read.error().text().c_str());
    return std::move(*read);
}

/// A model of one input of a shape and what `nodes` makes of it; lowered, so that its MACs are conserved.
tilewright::onnx::Imported modelOf(const std::vector<test::FixtureSize>& shape, const Nodes& nodes,
                                   std::int64_t opset = 13,
                                   const tilewright::onnx::Dimensions& dimensions = {})
{
    W w("operators", opset);
    const std::string x = w.input("x", shape);
    w.output(nodes(w, x));
    auto out = imported(w.text(), dimensions);
    const auto lowered = lower::lowerToProblem(out.model, *machinePreset("edge"));
    if (!lowered)
        qFatal("%s", lowered.error().text().c_str());
    if (lower::matMulMacs(*lowered) + lowered->report.vectorMacs != model::macsOf(out.model))
        qFatal("MACs are not conserved");
    return out;
}

/// The shape of the result of a node of the file.
model::Shape result(const tilewright::onnx::Imported& m, const std::string& node)
{
    for (const model::Tensor& t : m.model.tensors)
        if (t.name == node + ".out")
            return t.shape;
    return {};
}

std::vector<test::FixtureSize> sizes(const Ints& shape)
{
    return {shape.begin(), shape.end()};
}

} // namespace

class TestOnnxOperators : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void convolutionsOfOneAndThreeAxes()
    {
        const auto one = modelOf(sizes({2, 4, 16}), [](W& w, const std::string& x) {
            return w.add("Conv", "conv", {x, w.weight("w", {8, 4, 3})},
                         {{"strides", Ints{2}}, {"pads", Ints{1, 1}}});
        });
        QCOMPARE(result(one, "conv"), (model::Shape{2, 8, 8}));
        QCOMPARE(model::macsOf(one.model), 2 * 8 * 8 * 4 * 3);
        const auto three = modelOf(sizes({2, 4, 6, 7, 8}), [](W& w, const std::string& x) {
            return w.add("Conv", "conv", {x, w.weight("w", {10, 2, 3, 3, 3}), w.weight("b", {10})},
                         {{"group", std::int64_t{2}}, {"strides", Ints{2, 1, 1}}});
        });
        QCOMPARE(result(three, "conv"), (model::Shape{2, 10, 2, 5, 6}));
        QCOMPARE(model::macsOf(three.model), 2 * 10 * 2 * 5 * 6 * 2 * 27);
    }

    void transposedConvolutions()
    {
        const auto plain = modelOf(sizes({1, 16, 10, 10}), [](W& w, const std::string& x) {
            return w.add(
                "ConvTranspose", "up", {x, w.weight("w", {16, 4, 3, 3})},
                {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 1}}});
        });
        QCOMPARE(result(plain, "up"), (model::Shape{1, 4, 20, 20}));
        QCOMPARE(model::macsOf(plain.model), 16 * 10 * 10 * 4 * 9);
        const auto sized = modelOf(sizes({1, 16, 10, 10}), [](W& w, const std::string& x) {
            return w.add("ConvTranspose", "up", {x, w.weight("w", {16, 4, 3, 3})},
                         {{"strides", Ints{3, 3}}, {"output_shape", Ints{32, 28}}});
        });
        QCOMPARE(result(sized, "up"), (model::Shape{1, 4, 32, 28}));
    }

    void transposedConvolutionsOfThreeAxes()
    {
        // Every layer of the input goes into three of the result, each of which adds two.
        const auto overlapping = modelOf(sizes({1, 8, 5, 6, 7}), [](W& w, const std::string& x) {
            return w.add("ConvTranspose", "up", {x, w.weight("w", {8, 3, 3, 4, 2}), w.weight("b", {6})},
                         {{"group", std::int64_t{2}},
                          {"strides", Ints{2, 2, 2}},
                          {"pads", Ints{1, 1, 0, 1, 1, 0}},
                          {"output_padding", Ints{1, 0, 0}}});
        });
        QCOMPARE(result(overlapping, "up"), (model::Shape{1, 6, 10, 12, 14}));
        QCOMPARE(model::macsOf(overlapping.model), 8 * 5 * 6 * 7 * 3 * 3 * 4 * 2);
        QVERIFY(overlapping.report.nodes[0].fate == tilewright::onnx::Fate::Operator);
        const auto terms = std::ranges::count_if(overlapping.model.operators, [](const model::Operator& o) {
            return o.name.starts_with("up/term");
        });
        QCOMPARE(terms, 2);
        // Kernel and stride alike: nothing is added.
        const auto tiled = modelOf(sizes({2, 4, 3, 3, 3}), [](W& w, const std::string& x) {
            return w.add("ConvTranspose", "up", {x, w.weight("w", {4, 5, 2, 2, 2})},
                         {{"strides", Ints{2, 2, 2}}});
        });
        QCOMPARE(result(tiled, "up"), (model::Shape{2, 5, 6, 6, 6}));
        QCOMPARE(model::macsOf(tiled.model), 2 * 4 * 27 * 5 * 8);
        QVERIFY(std::ranges::none_of(tiled.model.operators,
                                     [](const model::Operator& o) { return o.kind == K::Elementwise; }));
        const auto sized = modelOf(sizes({1, 4, 3, 3, 3}), [](W& w, const std::string& x) {
            return w.add("ConvTranspose", "up", {x, w.weight("w", {4, 5, 3, 3, 3})},
                         {{"strides", Ints{2, 2, 2}}, {"output_shape", Ints{6, 6, 5}}});
        });
        QCOMPARE(result(sized, "up"), (model::Shape{1, 5, 6, 6, 5}));
    }

    void recurrentOfOneGate()
    {
        const auto m = modelOf(sizes({6, 2, 24}), [](W& w, const std::string& x) {
            const auto out =
                w.node("RNN", "rnn", {x, w.weight("W", {2, 16, 24}), w.weight("R", {2, 16, 16})},
                       {{"hidden_size", std::int64_t{16}}, {"direction", std::string("bidirectional")}}, 2);
            w.output(out[1]);
            return out[0];
        });
        QCOMPARE(result(m, "rnn"), (model::Shape{6, 2, 2, 16}));
        QCOMPARE(model::macsOf(m.model), 6 * 2 * 2 * 16 * (24 + 16));
        // Per step and direction two products and what adds them; no gates beside.
        const auto lowered = *lower::lowerToProblem(m.model, *machinePreset("edge"));
        QCOMPARE(lowered.data.ops.size(), std::size_t{6 * 2 * 3});
    }

    /// Its body stands there as often as the scanned operand is long.
    void scansAreUnrolled()
    {
        const auto scan = [](const W::Attributes& attributes, std::int64_t opset = 13) {
            W body("body", opset);
            const std::string state = body.input("state", sizes({4, 8})),
                              row = body.input("row", sizes({4, 6}));
            const std::string sum = body.add(
                "Add", "next",
                {body.add("MatMul", "from_row", {row, "w"}), body.add("MatMul", "from_state", {state, "r"})});
            body.output(sum);
            body.output(body.add("Relu", "seen", {sum}));
            W w("scans", opset);
            const std::string x = w.input("x", sizes({4, 5, 6}));
            (void)w.weight("w", {6, 8});
            (void)w.weight("r", {8, 8});
            const auto out = w.node("Scan", "scan", {w.input("first", sizes({4, 8})), x}, attributes, 2);
            w.graphAttribute("body", body);
            w.output(out[0]);
            w.output(w.add("Sigmoid", "all", {out[1]}));
            w.output(w.add("Relu", "beside", {x}));
            return w.text();
        };
        const auto m = imported(scan({{"num_scan_inputs", std::int64_t{1}},
                                      {"scan_input_axes", Ints{1}},
                                      {"scan_input_directions", Ints{1}}}));
        QCOMPARE(result(m, "all"), (model::Shape{5, 4, 8}));
        QCOMPARE(model::macsOf(m.model), 5 * 4 * (6 * 8 + 8 * 8));
        QCOMPARE(m.report.nodes[0].note, std::string("replaced by 5 copies of its nodes"));
        const auto lowered = lower::lowerToProblem(m.model, *machinePreset("edge"));
        QVERIFY2(lowered.hasValue(), lowered ? "" : lowered.error().text().c_str());
        QCOMPARE(lower::matMulMacs(*lowered), model::macsOf(m.model));
        // The first step reads the last row, as it runs backwards.
        const auto& first = *std::ranges::find_if(
            m.model.operators, [](const model::Operator& o) { return o.kind == K::Slice; });
        QCOMPARE(first.as<model::SliceAttributes>().starts, Ints{4});
        // What is not understood of one is said, with its name.
        const auto dropped = imported(scan({{"num_scan_inputs", std::int64_t{1}},
                                            {"scan_input_axes", Ints{1}},
                                            {"scan_output_axes", Ints{1}}}));
        QVERIFY(dropped.report.nodes[0].fate == tilewright::onnx::Fate::Dropped);
        QCOMPARE(dropped.report.nodes[0].name, std::string("scan"));
        QCOMPARE(dropped.report.nodes[0].note,
                 std::string("a scan that writes its results along another axis or backwards"));
    }

    void einsumsOfOneAndThree()
    {
        const auto turned = modelOf(sizes({2, 3, 4}), [](W& w, const std::string& x) {
            return w.add("Relu", "relu",
                         {w.add("Einsum", "turned", {x}, {{"equation", std::string("abc -> cab")}})});
        });
        QCOMPARE(result(turned, "turned"), (model::Shape{4, 2, 3}));
        W w("three", 13);
        const std::string x = w.input("x", sizes({4, 8}));
        const std::string y = w.add("MatMul", "a", {x, w.weight("w", {8, 8})});
        w.output(w.add("MatMul", "b",
                       {w.add("Einsum", "chain", {y, w.weight("u", {8, 8}), w.weight("v", {8, 8})},
                              {{"equation", std::string("ij,jk,kl->il")}}),
                        w.weight("z", {8, 24})}));
        const auto m = imported(w.text());
        const auto& chain = m.report.nodes[1];
        QVERIFY(chain.fate == tilewright::onnx::Fate::Dropped);
        QCOMPARE(chain.name, std::string("chain"));
        QCOMPARE(chain.note, std::string("an einsum of 3 operands; only one and two are supported"));
        const auto lowered = *lower::lowerToProblem(m.model, *machinePreset("edge"));
        QCOMPARE(lowered.report.nodes[chain.op->index()].dependents, 0.75); // the product behind it
    }

    /// Padding that is told by a word, and windows that are rounded up.
    void windowsByRule()
    {
        for (const auto& [mode, size] :
             {std::pair{"SAME_UPPER", 8}, std::pair{"SAME_LOWER", 8}, std::pair{"VALID", 7}}) {
            const auto m = modelOf(sizes({1, 3, 15, 15}), [mode = mode](W& w, const std::string& x) {
                return w.add("Conv", "conv", {x, w.weight("w", {4, 3, 3, 3})},
                             {{"strides", Ints{2, 2}}, {"auto_pad", std::string(mode)}});
            });
            QCOMPARE(result(m, "conv"), (model::Shape{1, 4, size, size}));
        }
        const auto pool = [&](std::int64_t ceil) {
            return result(modelOf(sizes({1, 3, 16, 16}),
                                  [&](W& w, const std::string& x) {
                                      return w.add("MaxPool", "pool", {x},
                                                   {{"kernel_shape", Ints{3, 3}},
                                                    {"strides", Ints{2, 2}},
                                                    {"ceil_mode", ceil}});
                                  }),
                          "pool");
        };
        QCOMPARE(pool(0), (model::Shape{1, 3, 7, 7}));
        QCOMPARE(pool(1), (model::Shape{1, 3, 8, 8}));
        const auto cube = modelOf(sizes({1, 2, 8, 9, 10}), [](W& w, const std::string& x) {
            return w.add("AveragePool", "pool", {x},
                         {{"kernel_shape", Ints{2, 3, 2}}, {"strides", Ints{2, 3, 2}}});
        });
        QCOMPARE(result(cube, "pool"), (model::Shape{1, 2, 4, 3, 5}));
    }

    void products()
    {
        const auto vector = modelOf(sizes({3, 5, 8}), [](W& w, const std::string& x) {
            return w.add("MatMul", "product", {x, w.weight("w", {8})});
        });
        QCOMPARE(result(vector, "product"), (model::Shape{3, 5}));
        QCOMPARE(model::macsOf(vector.model), 3 * 5 * 8);
        const auto einsum = modelOf(sizes({2, 6, 4, 8}), [](W& w, const std::string& x) {
            return w.add("Einsum", "product", {x, w.input("y", sizes({2, 6, 5, 8}))},
                         {{"equation", std::string("...id, ...jd -> ...ij")}});
        });
        QCOMPARE(result(einsum, "product"), (model::Shape{2, 6, 4, 5}));
        QCOMPARE(model::macsOf(einsum.model), 2 * 6 * 4 * 5 * 8);
        const auto implicit = modelOf(sizes({4, 8}), [](W& w, const std::string& x) {
            return w.add("Einsum", "product", {x, w.weight("w", {8, 3})},
                         {{"equation", std::string("ij,jk")}});
        });
        QCOMPARE(result(implicit, "product"), (model::Shape{4, 3}));
        const auto gemm = modelOf(sizes({8, 6}), [](W& w, const std::string& x) {
            return w.add("Gemm", "product", {x, w.weight("w", {5, 8}), w.weight("c", {5})},
                         {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}});
        });
        QCOMPARE(result(gemm, "product"), (model::Shape{6, 5}));
        QCOMPARE(model::macsOf(gemm.model), 6 * 5 * 8);
    }

    /// Sizes doubled through real numbers, as exporters of interpolation write them.
    void arithmeticOnShapes()
    {
        const auto m =
            modelOf({std::int64_t{1}, std::int64_t{3}, std::string("height"), std::string("width")},
                    [](W& w, const std::string& x) {
                        const std::string shape = w.add("Shape", "shape", {x});
                        const std::string from = w.whole("from", {2}), to = w.whole("to", {4}),
                                          zero = w.whole("axis", {0});
                        const std::string size = w.add("Slice", "size", {shape, from, to, zero});
                        const std::string real = w.add("Cast", "real", {size}, {{"to", std::int64_t{1}}});
                        const std::string twice = w.add("Mul", "twice", {real, w.number("factor", 2.5F)});
                        const std::string whole = w.add("Cast", "whole", {w.add("Floor", "floor", {twice})},
                                                        {{"to", std::int64_t{7}}});
                        const std::string all =
                            w.add("Concat", "all", {w.add("Slice", "lead", {shape, zero, from, zero}), whole},
                                  {{"axis", std::int64_t{0}}});
                        return w.add("Relu", "relu", {w.add("Resize", "resize", {x, "", "", all})});
                    },
                    13, {{"height", 5}, {"width", 8}});
        QCOMPARE(result(m, "resize"), (model::Shape{1, 3, 12, 20}));
        for (const auto& n : m.report.nodes)
            QCOMPARE(n.fate == tilewright::onnx::Fate::Folded, n.type != "Resize" && n.type != "Relu");
    }

    /// A range is known at any extent: 65,536 elements are stored, more follow a rule.
    void rangesOfAnyExtent()
    {
        for (const std::int64_t n : {300, 65'536, 65'537, 1'000'003}) {
            const auto m = modelOf(
                {std::int64_t{1}, std::string("n")},
                [](W& w, const std::string& x) {
                    const std::string shape = w.add("Shape", "shape", {x});
                    const std::string last = w.whole("last", {-1}, true), zero = w.whole("zero", {0}, true),
                                      one = w.whole("one", {1}, true), axis0 = w.whole("axis0", {0}),
                                      axis1 = w.whole("axis1", {1});
                    const std::string size = w.add("Gather", "size", {shape, one});
                    const std::string at = w.add("Range", "range", {zero, size, one});
                    // The mask of causal attention, with a vector as its second operand.
                    const std::string column = w.add("Unsqueeze", "column", {at, axis1});
                    const std::string mask = w.add("LessOrEqual", "mask", {column, at});
                    // 3 i + 7 at i = n - 1 less 3 n is 4.
                    const std::string rule = w.add(
                        "Add", "plus",
                        {w.add("Mul", "times", {w.whole("three", {3}, true), at}), w.whole("seven", {7})});
                    const std::string turned =
                        w.add("Transpose", "turned",
                              {w.add("Reshape", "square", {rule, w.whole("minus", {1, -1})})},
                              {{"perm", Ints{1, 0}}});
                    const std::string end = w.add(
                        "Slice", "end", {turned, w.whole("last1", {-1}), w.whole("far", {INT64_MAX}), axis0});
                    const std::string value = w.add("Reshape", "value", {end, w.whole("flat", {1})});
                    const std::string four =
                        w.add("Sub", "four", {value, w.add("Mul", "whole", {size, w.whole("tripled", {3})})});
                    const std::string most =
                        w.add("ReduceMax", "most", {at}, {{"keepdims", std::int64_t{1}}});
                    const std::string to =
                        w.add("Concat", "to", {four, w.add("Add", "all", {most, w.whole("one1", {1})})},
                              {{"axis", std::int64_t{0}}});
                    const std::string real =
                        w.add("Range", "real",
                              {w.number("r0", 0.0F), w.add("Cast", "rn", {size}, {{"to", std::int64_t{1}}}),
                               w.number("r1", 0.5F)});
                    w.output(w.add("Relu", "masked",
                                   {w.add("Where", "where",
                                          {mask, w.input("s", {std::string("n"), std::string("n")}),
                                           w.number("inf", -1.0F)})}));
                    w.output(w.add("Relu", "halves",
                                   {w.add("Mul", "scaled", {real, w.input("h", {std::int64_t{1}})})}));
                    return w.add("Relu", "relu", {w.add("Expand", "expand", {x, to})});
                },
                13, {{"n", n}});
            QCOMPARE(result(m, "expand"), (model::Shape{4, n}));
            QCOMPARE(result(m, "where"), (model::Shape{n, n}));
            QCOMPARE(result(m, "scaled"), (model::Shape{2 * n}));
            for (const auto& node : m.report.nodes)
                QVERIFY2(node.fate != tilewright::onnx::Fate::Dropped,
                         (node.name + ": " + node.note).c_str());
        }
    }

    void viewsOfWhatIsKnown()
    {
        const auto m = modelOf(sizes({2, 12, 6}), [](W& w, const std::string& x) {
            const auto parts =
                w.node("Split", "split", {x, w.whole("sizes", {3, 0, 9})}, {{"axis", std::int64_t{1}}}, 3);
            const std::string joined =
                w.add("Concat", "joined", {parts[0], parts[1], parts[2]}, {{"axis", std::int64_t{1}}});
            const std::string tiled = w.add("Tile", "tiled", {joined, w.whole("repeats", {1, 2, 1})});
            const std::string row =
                w.add("Gather", "row", {tiled, w.whole("index", {-1}, true)}, {{"axis", std::int64_t{1}}});
            const std::string back = w.add("Slice", "back",
                                           {row, w.whole("s", {5}), w.whole("e", {INT64_MIN + 1}),
                                            w.whole("a", {1}), w.whole("t", {-2})});
            const std::string wide = w.add("Pad", "wide", {back, w.whole("pads", {0, 1, 0, 2})});
            return w.add("Sigmoid", "y", {w.add("Expand", "expand", {wide, w.whole("to", {3, 1, 1})})});
        });
        QCOMPARE(result(m, "joined"), (model::Shape{2, 12, 6}));
        QCOMPARE(result(m, "tiled"), (model::Shape{2, 24, 6}));
        QCOMPARE(result(m, "row"), (model::Shape{2, 6}));
        QCOMPARE(result(m, "back"), (model::Shape{2, 3}));
        QCOMPARE(result(m, "wide"), (model::Shape{2, 6}));
        QCOMPARE(result(m, "expand"), (model::Shape{3, 2, 6}));
        for (const auto& n : m.report.nodes)
            QVERIFY2(n.fate != tilewright::onnx::Fate::Dropped, (n.name + ": " + n.note).c_str());
    }

    /// Heads in one dimension with the batch, as a batched product of matrices takes them, and keys that lie
    /// turned already.
    void attentionAsOthersWriteIt()
    {
        const auto flat = modelOf(sizes({12, 32, 16}), [](W& w, const std::string& q) {
            const std::string k = w.input("k", sizes({12, 40, 16})), v = w.input("v", sizes({12, 40, 24}));
            const std::string t = w.add("Transpose", "turned", {k}, {{"perm", Ints{0, 2, 1}}});
            const std::string s =
                w.add("MatMul", "scores", {w.add("Mul", "scaled", {q, w.number("f", 0.25F)}), t});
            const std::string four = w.add("Reshape", "four", {s, w.whole("s4", {1, 12, 32, 40})});
            const std::string masked = w.add("Add", "masked", {four, w.input("mask", sizes({1, 1, 32, 40}))});
            const std::string three = w.add("Reshape", "three", {masked, w.whole("s3", {12, 32, 40})});
            return w.add("MatMul", "context",
                         {w.add("Softmax", "softmax", {three}, {{"axis", std::int64_t{-1}}}), v});
        });
        QCOMPARE(model::macsOf(flat.model), 12 * 32 * 40 * (16 + 24));
        const auto attention = [](const model::Model& m) {
            return std::count_if(m.operators.begin(), m.operators.end(),
                                 [](const model::Operator& o) { return o.kind == K::Attention; });
        };
        QCOMPARE(attention(flat.model), 1);
        QCOMPARE(result(flat, "context"), (model::Shape{12, 32, 24}));
        const auto turned = modelOf(sizes({1, 4, 8, 16}), [](W& w, const std::string& q) {
            const std::string k = w.input("k", sizes({1, 4, 16, 20})),
                              v = w.input("v", sizes({1, 4, 20, 16}));
            return w.add("MatMul", "context",
                         {w.add("Softmax", "softmax", {w.add("MatMul", "scores", {q, k})},
                                {{"axis", std::int64_t{3}}}),
                          v});
        });
        QCOMPARE(attention(turned.model), 1);
        // Scores that something else reads stay what they are.
        const auto read = modelOf(sizes({1, 4, 8, 16}), [](W& w, const std::string& q) {
            const std::string k = w.input("k", sizes({1, 4, 16, 20})),
                              v = w.input("v", sizes({1, 4, 20, 16}));
            const std::string s = w.add("MatMul", "scores", {q, k});
            w.output(s);
            return w.add("MatMul", "context",
                         {w.add("Softmax", "softmax", {s}, {{"axis", std::int64_t{3}}}), v});
        });
        QCOMPARE(attention(read.model), 0);
        QCOMPARE(model::macsOf(read.model), 4 * 8 * 20 * 32);
    }

    /// A block of a language model as its optimiser writes it: packed weights, attention with a cache as one
    /// node.
    void operatorsThatStandForSeveral()
    {
        constexpr std::int64_t kNew = 4, kPast = 60, kWidth = 512, kHeads = 8, kKv = 2, kDims = 64;
        W w("fused", 17);
        const auto fused = [&](const std::string& type, const std::string& name, const W::Values& in,
                               const W::Attributes& attributes, int outputs = 1) {
            const auto out = w.node(type, name, in, attributes, outputs);
            auto& nodes = *w.file().mutable_graph()->mutable_node();
            nodes.rbegin()->set_domain("com.microsoft");
            return out;
        };
        const auto packed = [&](const std::string& name, const std::string& x, std::int64_t k,
                                std::int64_t n) {
            return fused(
                "MatMulNBits", name,
                {x, w.weight(name + ".w", {n, k / 32, 16}, ::onnx::TensorProto::UINT8),
                 w.weight(name + ".scales", {n * k / 32})},
                {{"K", k}, {"N", n}, {"bits", std::int64_t{4}}, {"block_size", std::int64_t{32}}})[0];
        };
        const std::string x = w.input("x", sizes({1, kNew, kWidth}));
        const auto norm =
            fused("SkipSimplifiedLayerNormalization", "norm",
                  {x, w.input("residual", sizes({1, kNew, kWidth})), w.weight("gamma", {kWidth})}, {}, 4);
        const std::string q = packed("q", norm[0], kWidth, kHeads * kDims),
                          k = packed("k", norm[0], kWidth, kKv * kDims),
                          v = packed("v", norm[0], kWidth, kKv * kDims);
        const auto past = [&](const char* name) { return w.input(name, sizes({1, kKv, kPast, kDims})); };
        const auto attention =
            fused("GroupQueryAttention", "attention", {q, k, v, past("past_key"), past("past_value")},
                  {{"num_heads", kHeads}, {"kv_num_heads", kKv}, {"do_rotary", std::int64_t{1}}}, 3);
        w.output(w.add("Add", "out", {packed("o", attention[0], kHeads * kDims, kWidth), norm[3]}));
        w.output(attention[1]);
        w.output(attention[2]);
        const auto m = imported(w.text());
        QCOMPARE(model::macsOf(m.model),
                 kNew * kWidth * kDims * (2 * kHeads + 2 * kKv) + kHeads * kNew * (kPast + kNew) * 2 * kDims);
        for (const auto& n : m.report.nodes)
            QVERIFY2(n.fate == tilewright::onnx::Fate::Operator, n.name.c_str());
        const auto lowered = lower::lowerToProblem(m.model, *machinePreset("edge"));
        QVERIFY2(lowered.hasValue(), lowered ? "" : lowered.error().text().c_str());
        QCOMPARE(lower::matMulMacs(*lowered), model::macsOf(m.model));
        QCOMPARE(m.report.notes.size(), std::size_t{1});
    }

    /// An operator nobody knows is dropped with its name and its bytes, and what it gives stands as an input.
    void unknownOperators()
    {
        W w("unknown", 13);
        const std::string x = w.input("x", sizes({4, 8}));
        const std::string y = w.add("Frobnicate", "odd", {x});
        w.file().mutable_graph()->mutable_node(0)->set_domain("example.org");
        auto* info = w.file().mutable_graph()->add_value_info();
        info->set_name(y);
        info->mutable_type()->mutable_tensor_type()->set_elem_type(1);
        for (const int d : {4, 8})
            info->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(d);
        const std::string a = w.add("MatMul", "a", {y, w.weight("w", {8, 3})});
        w.output(w.add("Concat", "joined", {a, w.add("MatMul", "b", {x, w.weight("v", {8, 9})})},
                       {{"axis", std::int64_t{1}}}));
        const auto m = imported(w.text());
        const auto& odd = m.report.nodes[0];
        QVERIFY(odd.fate == tilewright::onnx::Fate::Dropped);
        QCOMPARE(odd.note, std::string("this operator of \"example.org\" is not supported"));
        QCOMPARE(odd.bytes, 2 * 4 * 8 * 4);
        const auto lowered = lower::lowerToProblem(m.model, *machinePreset("edge"));
        QVERIFY(lowered.hasValue());
        QCOMPARE(lowered->report.nodes[odd.op->index()].dependents, 0.25); // 3 of 12 columns
    }

    void fiveThousandOperators()
    {
        const std::string text = test::longChain(5000);
        QElapsedTimer timer;
        timer.start();
        const auto m = imported(text);
        qInfo("%zu operators in %lld ms", m.report.nodes.size(), static_cast<long long>(timer.elapsed()));
        QCOMPARE(m.report.nodes.size(), std::size_t{5000});
        QCOMPARE(m.model.operators.size(), std::size_t{2500});
        QCOMPARE(model::macsOf(m.model), 500 * 32 * 32 * 16 * 16 * 9LL);
    }
};

TILEWRIGHT_TEST(TestOnnxOperators)

} // namespace test_onnx_operators
#include "test_onnx_operators.moc"
