// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx_fixtures.h"

#include "graph_writer.h"

namespace tilewright::test {

namespace {

using Ints = std::vector<std::int64_t>;
using W = GraphWriter;

constexpr int kByte = ::onnx::TensorProto::UINT8, kSigned = ::onnx::TensorProto::INT8;

/// Convolution and norm, as they stand in a file before anybody folded them.
std::string convNorm(W& w, const std::string& name, const std::string& x, std::int64_t in, std::int64_t out,
                     std::int64_t kernel, std::int64_t stride, std::int64_t groups = 1)
{
    const std::int64_t p = kernel / 2;
    const std::string y =
        w.add("Conv", name, {x, w.weight(name + ".weight", {out, in / groups, kernel, kernel})},
              {{"kernel_shape", Ints{kernel, kernel}},
               {"strides", Ints{stride, stride}},
               {"pads", Ints{p, p, p, p}},
               {"group", groups}});
    W::Values inputs{y};
    for (const char* table : {".gamma", ".beta", ".mean", ".variance"})
        inputs.push_back(w.weight(name + table, {out}));
    return w.add("BatchNormalization", name + ".norm", inputs, {{"epsilon", 1e-5F}});
}

std::string linear(W& w, const std::string& name, const std::string& x, std::int64_t in, std::int64_t out)
{
    const std::string y = w.add("MatMul", name, {x, w.weight(name + ".weight", {in, out})});
    return w.add("Add", name + ".add", {w.weight(name + ".bias", {out}), y});
}

/// A norm of rows, written out.
std::string layerNorm(W& w, const std::string& name, const std::string& x, std::int64_t width)
{
    const std::string mean = w.add("ReduceMean", name + ".mean", {x}, {{"axes", Ints{-1}}});
    const std::string centred = w.add("Sub", name + ".centred", {x, mean});
    const std::string squares = w.add("Pow", name + ".squares", {centred, w.number(name + ".two", 2)});
    const std::string variance = w.add("ReduceMean", name + ".variance", {squares}, {{"axes", Ints{-1}}});
    const std::string sum = w.add("Add", name + ".sum", {variance, w.number(name + ".epsilon", 1e-12F)});
    const std::string root = w.add("Sqrt", name + ".root", {sum});
    const std::string ratio = w.add("Div", name + ".ratio", {centred, root});
    const std::string scaled = w.add("Mul", name + ".scaled", {ratio, w.weight(name + ".gamma", {width})});
    return w.add("Add", name + ".out", {scaled, w.weight(name + ".beta", {width})});
}

/// The size of an axis, as a file computes it.
std::string sizeOf(W& w, const std::string& name, const std::string& x, std::int64_t axis)
{
    const std::string shape = w.add("Shape", name + ".shape", {x});
    const std::string size = w.add("Gather", name + ".size", {shape, w.whole(name + ".axis", {axis}, true)},
                                   {{"axis", std::int64_t{0}}});
    return w.add("Unsqueeze", name + ".list", {size, w.whole(name + ".zero", {0})});
}

} // namespace

std::string resnet18()
{
    W w("resnet-18", 13);
    std::string x =
        w.input("image", {std::int64_t{1}, std::int64_t{3}, std::int64_t{224}, std::int64_t{224}});
    x = w.add("Relu", "stem.relu", {convNorm(w, "stem", x, 3, 64, 7, 2)});
    x = w.add("MaxPool", "stem.pool", {x},
              {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
    std::int64_t in = 64;
    for (std::int64_t stage = 0; stage < 4; ++stage)
        for (std::int64_t block = 0; block < 2; ++block) {
            const std::int64_t out = 64 << stage, stride = stage > 0 && block == 0 ? 2 : 1;
            const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
            std::string y =
                w.add("Relu", name + ".relu1", {convNorm(w, name + ".conv1", x, in, out, 3, stride)});
            y = convNorm(w, name + ".conv2", y, out, out, 3, 1);
            if (stride == 2)
                x = convNorm(w, name + ".downsample", x, in, out, 1, 2);
            x = w.add("Relu", name + ".relu2", {w.add("Add", name + ".add", {y, x})});
            in = out;
        }
    x = w.add("GlobalAveragePool", "pool", {x});
    x = w.add("Flatten", "flatten", {x}, {{"axis", std::int64_t{1}}});
    x = w.add("Gemm", "fc", {x, w.weight("fc.weight", {1000, 512}), w.weight("fc.bias", {1000})},
              {{"transB", std::int64_t{1}}, {"alpha", 1.0F}, {"beta", 1.0F}});
    w.output(x, {std::int64_t{1}, std::int64_t{1000}});
    return w.text();
}

std::string mobilenetV2()
{
    W w("mobilenet-v2", 13);
    const std::string low = w.number("zero", 0), high = w.number("six", 6);
    const auto relu6 = [&](const std::string& name, const std::string& x) {
        return w.add("Clip", name + ".relu6", {x, low, high});
    };
    std::string x =
        w.input("image", {std::int64_t{1}, std::int64_t{3}, std::int64_t{224}, std::int64_t{224}});
    x = relu6("stem", convNorm(w, "stem", x, 3, 32, 3, 2));
    struct Stage
    {
        std::int64_t expand, out, count, stride;
    };
    std::int64_t in = 32;
    int block = 0;
    for (const Stage& s : {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
                           Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}})
        for (std::int64_t i = 0; i < s.count; ++i) {
            const std::string name = "block" + std::to_string(block++);
            const std::int64_t wide = in * s.expand, stride = i == 0 ? s.stride : 1;
            std::string y = x;
            if (s.expand > 1)
                y = relu6(name + ".expand", convNorm(w, name + ".expand", y, in, wide, 1, 1));
            y = relu6(name + ".depthwise", convNorm(w, name + ".depthwise", y, wide, wide, 3, stride, wide));
            y = convNorm(w, name + ".project", y, wide, s.out, 1, 1);
            x = stride == 1 && in == s.out ? w.add("Add", name + ".add", {x, y}) : y;
            in = s.out;
        }
    x = relu6("head", convNorm(w, "head", x, in, 1280, 1, 1));
    x = w.add("ReduceMean", "pool", {x}, {{"axes", Ints{2, 3}}, {"keepdims", std::int64_t{0}}});
    x = w.add("Gemm", "classifier",
              {x, w.weight("classifier.weight", {1000, 1280}), w.weight("classifier.bias", {1000})},
              {{"transB", std::int64_t{1}}});
    w.output(x, {std::int64_t{1}, std::int64_t{1000}});
    return w.text();
}

std::string bertBlock()
{
    W w("bert-block", 13);
    constexpr std::int64_t kTokens = 128, kWidth = 768, kHeads = 12, kDims = 64;
    const std::string x = w.input("hidden", {std::int64_t{1}, kTokens, kWidth});
    const std::string mask = w.input("mask", {std::int64_t{1}, std::int64_t{1}, std::int64_t{1}, kTokens});
    const std::string split = w.whole("heads", {1, kTokens, kHeads, kDims});
    const auto heads = [&](const char* name, const Ints& order) {
        const std::string y = linear(w, name, x, kWidth, kWidth);
        const std::string r = w.add("Reshape", std::string(name) + ".heads", {y, split});
        return w.add("Transpose", std::string(name) + ".turned", {r}, {{"perm", order}});
    };
    const std::string q = heads("query", {0, 2, 1, 3}), k = heads("key", {0, 2, 3, 1}),
                      v = heads("value", {0, 2, 1, 3});
    std::string s = w.add("MatMul", "scores", {q, k});
    s = w.add("Div", "scale", {s, w.number("root", 8)});
    s = w.add("Add", "masked", {s, mask});
    s = w.add("Softmax", "softmax", {s}, {{"axis", std::int64_t{-1}}});
    s = w.add("MatMul", "context", {s, v});
    s = w.add("Transpose", "context.turned", {s}, {{"perm", Ints{0, 2, 1, 3}}});
    s = w.add("Reshape", "context.joined", {s, w.whole("joined", {1, kTokens, kWidth})});
    s = linear(w, "attention.output", s, kWidth, kWidth);
    const std::string a = layerNorm(w, "norm1", w.add("Add", "residual1", {s, x}), kWidth);
    std::string h = linear(w, "intermediate", a, kWidth, 4 * kWidth);
    const std::string d = w.add("Div", "gelu.div", {h, w.number("gelu.root", 1.4142135F)});
    const std::string e = w.add("Add", "gelu.add", {w.add("Erf", "gelu.erf", {d}), w.number("gelu.one", 1)});
    h = w.add("Mul", "gelu.half", {w.add("Mul", "gelu.mul", {h, e}), w.number("gelu.factor", 0.5F)});
    h = linear(w, "output", h, 4 * kWidth, kWidth);
    const std::string y = layerNorm(w, "norm2", w.add("Add", "residual2", {h, a}), kWidth);
    w.output(y, {std::int64_t{1}, kTokens, kWidth});
    return w.text();
}

std::string gpt2Block()
{
    W w("gpt2-block", 14);
    constexpr std::int64_t kWidth = 768, kHeads = 12, kDims = 64;
    const std::string x = w.input("hidden", {std::string("batch"), std::string("sequence"), kWidth});
    const std::string batch = sizeOf(w, "batch", x, 0), tokens = sizeOf(w, "sequence", x, 1);
    const auto concat = [&](const std::string& name, const W::Values& parts) {
        return w.add("Concat", name, parts, {{"axis", std::int64_t{0}}});
    };
    // A product as Gemm, which takes matrices alone.
    const auto conv1d = [&](const std::string& name, const std::string& y, std::int64_t in,
                            std::int64_t out) {
        const std::string flat = w.add("Reshape", name + ".flat", {y, w.whole(name + ".rows", {-1, in})});
        const std::string p = w.add(
            "Gemm", name, {flat, w.weight(name + ".weight", {in, out}), w.weight(name + ".bias", {out})});
        return w.add("Reshape", name + ".whole",
                     {p, concat(name + ".shape", {batch, tokens, w.whole(name + ".width", {out})})});
    };
    const std::string n = layerNorm(w, "norm1", x, kWidth);
    const auto qkv =
        w.node("Split", "qkv.split",
               {conv1d("qkv", n, kWidth, 3 * kWidth), w.whole("qkv.sizes", {kWidth, kWidth, kWidth})},
               {{"axis", std::int64_t{2}}}, 3);
    const std::string shape =
        concat("heads", {batch, tokens, w.whole("count", {kHeads}), w.whole("dims", {kDims})});
    const auto heads = [&](const char* name, const std::string& y, const Ints& order) {
        const std::string r = w.add("Reshape", std::string(name) + ".heads", {y, shape});
        return w.add("Transpose", std::string(name) + ".turned", {r}, {{"perm", order}});
    };
    const std::string q = heads("query", qkv[0], {0, 2, 1, 3}), k = heads("key", qkv[1], {0, 2, 3, 1}),
                      v = heads("value", qkv[2], {0, 2, 1, 3});
    std::string s = w.add("Div", "scale", {w.add("MatMul", "scores", {q, k}), w.number("root", 8)});
    // The causal mask: positions of keys and queries compared.
    const auto scalar = [&](const char* name, const std::string& size) {
        return w.add("Squeeze", name, {size});
    };
    const std::string positions =
        w.add("Range", "positions",
              {w.whole("from", {0}, true), scalar("sequence.scalar", tokens), w.whole("step", {1}, true)});
    const std::string column = w.add("Unsqueeze", "positions.column", {positions, w.whole("column", {1})});
    const std::string allowed = w.add("LessOrEqual", "causal", {positions, column});
    s = w.add("Where", "masked", {allowed, s, w.number("least", -1e4F)});
    s = w.add("Softmax", "softmax", {s}, {{"axis", std::int64_t{-1}}});
    s = w.add("Transpose", "context.turned", {w.add("MatMul", "context", {s, v})},
              {{"perm", Ints{0, 2, 1, 3}}});
    s = w.add("Reshape", "context.joined",
              {s, concat("joined", {batch, tokens, w.whole("width", {kWidth})})});
    const std::string a = w.add("Add", "residual1", {conv1d("attention.output", s, kWidth, kWidth), x});
    std::string h = conv1d("up", layerNorm(w, "norm2", a, kWidth), kWidth, 4 * kWidth);
    const std::string cube = w.add("Pow", "gelu.cube", {h, w.number("gelu.three", 3)});
    std::string t = w.add("Mul", "gelu.small", {cube, w.number("gelu.a", 0.044715F)});
    t = w.add(
        "Tanh", "gelu.tanh",
        {w.add("Mul", "gelu.scaled", {w.add("Add", "gelu.sum", {h, t}), w.number("gelu.b", 0.7978845F)})});
    h = w.add("Mul", "gelu", {h, w.add("Add", "gelu.one_more", {t, w.number("gelu.one", 1)})});
    const std::string y = w.add("Add", "residual2", {a, conv1d("down", h, 4 * kWidth, kWidth)});
    w.output(y, {std::string("batch"), std::string("sequence"), kWidth});
    return w.text();
}

std::string llamaBlock()
{
    W w("llama-block", 17);
    constexpr std::int64_t kTokens = 128, kWidth = 512, kHeads = 8, kKv = 2, kDims = 64, kFfn = 1408;
    const std::string x = w.input("hidden", {std::int64_t{1}, kTokens, kWidth});
    const auto rmsNorm = [&](const std::string& name, const std::string& y) {
        const std::string squares = w.add("Pow", name + ".squares", {y, w.number(name + ".two", 2)});
        const std::string mean = w.add("ReduceMean", name + ".mean", {squares}, {{"axes", Ints{-1}}});
        const std::string sum = w.add("Add", name + ".sum", {mean, w.number(name + ".epsilon", 1e-6F)});
        const std::string ratio = w.add("Div", name + ".ratio", {y, w.add("Sqrt", name + ".root", {sum})});
        return w.add("Mul", name, {w.weight(name + ".weight", {kWidth}), ratio});
    };
    const auto plain = [&](const std::string& name, const std::string& y, std::int64_t in, std::int64_t out) {
        return w.add("MatMul", name, {y, w.weight(name + ".weight", {in, out})});
    };
    const std::string n = rmsNorm("norm1", x);
    const std::string cosine = w.weight("cosine", {1, 1, kTokens, kDims}),
                      sine = w.weight("sine", {1, 1, kTokens, kDims});
    const auto heads = [&](const std::string& name, std::int64_t count) {
        const std::string p = plain(name, n, kWidth, count * kDims);
        const std::string r =
            w.add("Reshape", name + ".heads", {p, w.whole(name + ".shape", {1, kTokens, count, kDims})});
        return w.add("Transpose", name + ".turned", {r}, {{"perm", Ints{0, 2, 1, 3}}});
    };
    const std::string last = w.whole("last", {3}), zero = w.whole("begin", {0}),
                      half = w.whole("half", {kDims / 2}), end = w.whole("end", {INT64_MAX});
    const auto rotary = [&](const std::string& name, const std::string& y) {
        const std::string first = w.add("Slice", name + ".first", {y, zero, half, last});
        const std::string second = w.add("Slice", name + ".second", {y, half, end, last});
        const std::string turned =
            w.add("Concat", name + ".rotated", {w.add("Neg", name + ".negative", {second}), first},
                  {{"axis", std::int64_t{-1}}});
        return w.add(
            "Add", name,
            {w.add("Mul", name + ".cosine", {y, cosine}), w.add("Mul", name + ".sine", {turned, sine})});
    };
    // Each head of keys and values is there for four of the queries'.
    const auto repeated = [&](const std::string& name, const std::string& y) {
        const std::string u = w.add("Unsqueeze", name + ".single", {y, w.whole(name + ".axis", {2})});
        const std::string e = w.add("Expand", name + ".expanded",
                                    {u, w.whole(name + ".wide", {1, kKv, kHeads / kKv, kTokens, kDims})});
        return w.add("Reshape", name, {e, w.whole(name + ".all", {1, kHeads, kTokens, kDims})});
    };
    const std::string q = rotary("query.rotary", heads("query", kHeads));
    const std::string k = repeated("key.repeated", rotary("key.rotary", heads("key", kKv)));
    const std::string v = repeated("value.repeated", heads("value", kKv));
    std::string s = w.add("MatMul", "scores",
                          {q, w.add("Transpose", "key.transposed", {k}, {{"perm", Ints{0, 1, 3, 2}}})});
    s = w.add(
        "Add", "masked",
        {w.add("Div", "scale", {s, w.number("root", 8)}), w.weight("causal", {1, 1, kTokens, kTokens})});
    s = w.add("MatMul", "context", {w.add("Softmax", "softmax", {s}, {{"axis", std::int64_t{-1}}}), v});
    s = w.add("Transpose", "context.turned", {s}, {{"perm", Ints{0, 2, 1, 3}}});
    s = w.add("Reshape", "context.joined", {s, w.whole("joined", {1, kTokens, kWidth})});
    const std::string a = w.add("Add", "residual1", {x, plain("attention.output", s, kWidth, kWidth)});
    const std::string m = rmsNorm("norm2", a);
    const std::string g = plain("gate", m, kWidth, kFfn);
    const std::string silu = w.add("Mul", "silu", {g, w.add("Sigmoid", "sigmoid", {g})});
    const std::string h = w.add("Mul", "gated", {silu, plain("up", m, kWidth, kFfn)});
    const std::string y = w.add("Add", "residual2", {a, plain("down", h, kFfn, kWidth)});
    w.output(y, {std::int64_t{1}, kTokens, kWidth});
    return w.text();
}

std::string quantisedCnn()
{
    W w("quantised-cnn", 13);
    const std::string x =
        w.input("image", {std::int64_t{1}, std::int64_t{3}, std::int64_t{32}, std::int64_t{32}});
    const auto scale = [&](const std::string& name) { return w.number(name + ".scale", 0.02F); };
    const auto zero = [&](const std::string& name, int type = kByte) {
        return w.weight(name + ".zero", {}, type);
    };
    // Quantised before, as one node.
    std::string y = w.add("QuantizeLinear", "quantise", {x, scale("x"), zero("x")});
    y = w.add("QLinearConv", "conv1",
              {y, "x.scale", "x.zero", w.weight("conv1.weight", {16, 3, 3, 3}, kSigned), scale("w1"),
               zero("w1", kSigned), scale("y1"), zero("y1"),
               w.weight("conv1.bias", {16}, ::onnx::TensorProto::INT32)},
              {{"pads", Ints{1, 1, 1, 1}}});
    y = w.add("DequantizeLinear", "dequantise1", {y, "y1.scale", "y1.zero"});
    // A pair of quantisers around a convolution on real numbers.
    const auto pair = [&](const std::string& name, const std::string& v) {
        const std::string q = w.add("QuantizeLinear", name + ".to", {v, scale(name), zero(name)});
        return w.add("DequantizeLinear", name + ".from", {q, name + ".scale", name + ".zero"});
    };
    const std::string weight =
        w.add("DequantizeLinear", "conv2.weight.from",
              {w.weight("conv2.weight", {32, 16, 3, 3}, kSigned), scale("w2"), zero("w2", kSigned)});
    y = w.add("Conv", "conv2", {pair("in2", y), weight},
              {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
    y = w.add("Relu", "relu", {pair("out2", y)});
    // Quantised while the model runs.
    auto q = w.node("DynamicQuantizeLinear", "dynamic", {y}, {}, 3);
    y = w.add("ConvInteger", "conv3",
              {q[0], w.weight("conv3.weight", {32, 32, 1, 1}, kByte), q[2], zero("w3")});
    y = w.add("Cast", "real", {y}, {{"to", std::int64_t{::onnx::TensorProto::FLOAT}}});
    y = w.add("Flatten", "flatten", {w.add("GlobalAveragePool", "pool", {y})});
    q = w.node("DynamicQuantizeLinear", "dynamic2", {y}, {}, 3);
    y = w.add("MatMulInteger", "product",
              {q[0], w.weight("product.weight", {32, 64}, kByte), q[2], zero("w4")});
    y = w.add("QuantizeLinear", "again",
              {w.add("Cast", "real2", {y}, {{"to", std::int64_t{::onnx::TensorProto::FLOAT}}}), scale("a5"),
               zero("a5")});
    y = w.add("QLinearMatMul", "head",
              {y, "a5.scale", "a5.zero", w.weight("head.weight", {64, 10}, kByte), scale("w5"), zero("w5"),
               scale("y5"), zero("y5")});
    w.output(y, {std::int64_t{1}, std::int64_t{10}}, kByte);
    return w.text();
}

std::string lstm()
{
    W w("lstm", 14);
    const std::string x = w.input("steps", {std::int64_t{20}, std::int64_t{2}, std::int64_t{32}});
    const auto out = w.node(
        "LSTM", "lstm",
        {x, w.weight("W", {2, 4 * 48, 32}), w.weight("R", {2, 4 * 48, 48}), w.weight("B", {2, 8 * 48})},
        {{"hidden_size", std::int64_t{48}}, {"direction", std::string("bidirectional")}}, 2);
    std::string y = w.add("Transpose", "turned", {out[0]}, {{"perm", Ints{0, 2, 1, 3}}});
    y = w.add("Reshape", "joined", {y, w.whole("shape", {20, 2, 96})});
    const auto gru =
        w.node("GRU", "gru", {y, w.weight("W2", {1, 3 * 64, 96}), w.weight("R2", {1, 3 * 64, 64})},
               {{"hidden_size", std::int64_t{64}}}, 2);
    y = w.add("Squeeze", "last", {gru[1], w.whole("direction", {0})});
    y = w.add("Gemm", "head", {y, w.weight("head.weight", {10, 64}), w.weight("head.bias", {10})},
              {{"transB", std::int64_t{1}}});
    w.output(y, {std::int64_t{2}, std::int64_t{10}});
    w.output(out[1], {std::int64_t{2}, std::int64_t{2}, std::int64_t{48}});
    return w.text();
}

std::string branches()
{
    W w("branches", 13);
    const std::string x = w.input("rows", {std::string("rows"), std::int64_t{64}});
    const std::string flag = w.input("flag", {}, ::onnx::TensorProto::BOOL);
    const std::string shape = w.add("Shape", "shape", {x});
    const std::string count =
        w.add("Gather", "count", {shape, w.whole("zero", {0}, true)}, {{"axis", std::int64_t{0}}});
    const std::string isLarge = w.add("Greater", "is_large", {count, w.whole("limit", {16}, true)});
    const auto product = [](const std::string& name, std::int64_t inner) {
        W branch(name);
        const std::string a =
            branch.add("MatMul", name + ".narrow", {"rows", branch.weight(name + ".first", {64, inner})});
        const std::string b =
            branch.add("MatMul", name + ".wide", {a, branch.weight(name + ".second", {inner, 64})});
        branch.output(b, {std::string("rows"), std::int64_t{64}});
        return branch;
    };
    std::string y = w.add("If", "by_shape", {isLarge});
    w.graphAttribute("then_branch", product("large", 16));
    w.graphAttribute("else_branch", product("small", 128));
    // Three times the same product, one after the other, and the sum of the rows each time.
    W body("body");
    body.input("i", {}, ::onnx::TensorProto::INT64);
    body.input("go_in", {}, ::onnx::TensorProto::BOOL);
    body.input("state", {std::string("rows"), std::int64_t{64}});
    const std::string go = body.add("Identity", "go", {"go_in"});
    const std::string next = body.add("MatMul", "step", {"state", body.weight("step.weight", {64, 64})});
    const std::string sum =
        body.add("ReduceSum", "sum", {next, body.whole("axes", {0})}, {{"keepdims", std::int64_t{0}}});
    body.output(go, {}, ::onnx::TensorProto::BOOL);
    body.output(next);
    body.output(sum);
    const auto looped = w.node("Loop", "loop", {w.whole("steps", {3}, true), "", y}, {}, 2);
    w.graphAttribute("body", body);
    y = w.add("If", "by_input", {flag});
    w.graphAttribute("then_branch", product("yes", 8));
    w.graphAttribute("else_branch", product("no", 8));
    const std::string joined = w.add("Add", "joined", {y, looped[0]});
    w.output(w.add("MatMul", "head", {joined, w.weight("head.weight", {64, 4})}),
             {std::string("rows"), std::int64_t{4}});
    w.output(looped[1], {std::int64_t{3}, std::int64_t{64}});
    return w.text();
}

std::string longChain(int operators)
{
    W w("chain", 13);
    std::string x = w.input("image", {std::int64_t{1}, std::int64_t{16}, std::int64_t{32}, std::int64_t{32}});
    for (int i = 0; 10 * i < operators; ++i) { // ten a round
        const std::string name = "round" + std::to_string(i);
        std::string y = w.add("Relu", name + ".relu", {convNorm(w, name + ".conv", x, 16, 16, 3, 1)});
        const std::string size = sizeOf(w, name, y, 0);
        const std::string shape =
            w.add("Concat", name + ".shape_of_rows", {size, w.whole(name + ".rest", {16, 32, 32})},
                  {{"axis", std::int64_t{0}}});
        y = w.add("Reshape", name + ".same", {y, shape});
        y = w.add("Sigmoid", name + ".gate", {y});
        x = w.add("Add", name + ".add", {y, x});
    }
    w.output(x);
    return w.text();
}

std::vector<OnnxFixture> onnxFixtures()
{
    return {{"resnet-18", resnet18()},
            {"mobilenet-v2", mobilenetV2()},
            {"bert-block", bertBlock()},
            {"gpt2-block", gpt2Block()},
            {"llama-block", llamaBlock()},
            {"quantised-cnn", quantisedCnn()},
            {"lstm", lstm()},
            {"branches", branches()}};
}

} // namespace tilewright::test
