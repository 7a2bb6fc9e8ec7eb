// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are wrong in one way each: every one is refused with a sentence (docs/rules/workload.md 6.5).
#include "graph_writer.h"
#include "onnx_fixtures.h"

#include <functional>

namespace tilewright::test {

namespace {

using Ints = std::vector<std::int64_t>;
using W = GraphWriter;

/// An image, what `nodes` makes of it, and the result.
std::string image(const std::function<std::string(W&, const std::string&)>& nodes)
{
    W w("malformed", 13);
    const std::string x =
        w.input("image", {std::int64_t{1}, std::int64_t{8}, std::int64_t{16}, std::int64_t{16}});
    w.output(nodes(w, x));
    return w.text();
}

std::string nested(int depth)
{
    W w("branch");
    if (depth == 0) {
        w.output(w.add("Identity", "inner", {"image"}));
    } else {
        w.output(w.add("If", "if" + std::to_string(depth), {"flag"}));
        W inner("inner");
        inner.file().ParseFromString(nested(depth - 1));
        w.graphAttribute("then_branch", inner);
        w.graphAttribute("else_branch", inner);
    }
    return w.text();
}

} // namespace

std::vector<MalformedOnnx> malformedOnnx()
{
    std::vector<MalformedOnnx> out;
    const auto add = [&](const char* name, std::string text, const char* sentence) {
        out.push_back({name, std::move(text), sentence});
    };
    const std::string whole = image([](W& w, const std::string& x) { return w.add("Relu", "relu", {x}); });
    add("truncated", whole.substr(0, whole.size() - 7), "is truncated or damaged");
    add("broken_length", std::string("\x08\x08\x3a\xff\xff\xff\xff\x0f", 8), "is truncated or damaged");
    add("no_graph", std::string("\x08\x08\x12\x01x", 5), "without a graph");
    add("not_a_graph", std::string("\x08\x08\x3a\x03\x0d\xff\xff", 7), "is truncated or damaged");
    {
        ::onnx::ModelProto file;
        file.ParseFromString(whole);
        file.mutable_graph()->clear_node();
        add("no_nodes", file.SerializeAsString(), "computes nothing");
        file.ParseFromString(whole);
        file.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
        add("input_without_shape", file.SerializeAsString(), "the input \"image\" has no shape");
    }
    add("unknown_value", image([](W& w, const std::string& x) {
            return w.add("Add", "sum", {x, "nothing"});
        }),
        "Add \"sum\": reads \"nothing\", which no node writes");
    add("cycle", image([](W& w, const std::string& x) {
            (void)w.add("Add", "a", {x, "b.out"});
            return w.add("Relu", "b", {"a.out"});
        }),
        "the graph is cyclic");
    add("written_twice", image([](W& w, const std::string& x) {
            (void)w.add("Relu", "a", {x});
            return w.add("Relu", "a", {x});
        }),
        "is already written by another node");
    add("writes_its_input", image([](W& w, const std::string& x) {
            (void)w.node("Relu", "a", {x});
            ::onnx::NodeProto& n = *w.file().mutable_graph()->mutable_node(0);
            n.set_output(0, "image");
            return std::string("image");
        }),
        "Relu \"a\": ");
    add("shapes_differ", image([](W& w, const std::string& x) {
            return w.add("Add", "sum", {x, w.weight("bias", {7})});
        }),
        "Add \"sum\": the shapes");
    add("inner_sizes_differ", image([](W& w, const std::string& x) {
            return w.add("MatMul", "product", {x, w.weight("weight", {15, 4})});
        }),
        "MatMul \"product\": the shapes do not match: K is 16 and 15");
    add("channels_differ", image([](W& w, const std::string& x) {
            return w.add("Conv", "conv", {x, w.weight("weight", {4, 3, 3, 3})});
        }),
        "Conv \"conv\": the weights [4,3,3,3] must have 8 input channels per group");
    add("kernel_too_large", image([](W& w, const std::string& x) {
            return w.add("Conv", "conv", {x, w.weight("weight", {4, 8, 33, 33})});
        }),
        "Conv \"conv\": the kernel is larger");
    add("stride_of_zero", image([](W& w, const std::string& x) {
            return w.add("Conv", "conv", {x, w.weight("weight", {4, 8, 3, 3})}, {{"strides", Ints{0, 0}}});
        }),
        "Conv \"conv\": kernel, stride and dilation must be from 1");
    add("groups_of_zero", image([](W& w, const std::string& x) {
            return w.add("Conv", "conv", {x, w.weight("weight", {4, 8, 3, 3})}, {{"group", std::int64_t{0}}});
        }),
        "Conv \"conv\": groups (0) must divide");
    add("split_does_not_add_up", image([](W& w, const std::string& x) {
            return w.node("Split", "split", {x, w.whole("sizes", {3, 3})}, {{"axis", std::int64_t{1}}}, 2)[0];
        }),
        "Split \"split\": the sizes must be positive and sum up to 8");
    add("split_axis", image([](W& w, const std::string& x) {
            return w.node("Split", "split", {x}, {{"axis", std::int64_t{9}}}, 2)[0];
        }),
        "Split \"split\": its axis does not exist");
    add("permutation", image([](W& w, const std::string& x) {
            return w.add("Transpose", "turn", {x}, {{"perm", Ints{0, 1, 1, 2}}});
        }),
        "Transpose \"turn\": the permutation contains");
    add("concat", image([](W& w, const std::string& x) {
            return w.add("Concat", "joined", {x, w.weight("more", {1, 8, 15, 16})},
                         {{"axis", std::int64_t{1}}});
        }),
        "Concat \"joined\": the shapes");
    add("block_of_zero", image([](W& w, const std::string& x) {
            return w.add("DepthToSpace", "d", {x}, {{"blocksize", std::int64_t{0}}});
        }),
        "DepthToSpace \"d\": the channels must be a multiple");
    add("recurrent_weights", image([](W& w, const std::string& x) {
            const std::string y = w.add("Reshape", "r", {x, w.whole("s", {16, 16, 8})});
            return w.add("LSTM", "lstm", {y, w.weight("W", {1, 16, 8}), w.weight("R", {1, 16, 5})});
        }),
        "LSTM \"lstm\": the weights must be");
    add("norm_of_a_list", image([](W& w, const std::string& x) {
            const std::string list = w.add("Reshape", "list", {x, w.whole("s", {-1})});
            return w.add("LayerNormalization", "norm", {list, w.add("Relu", "table", {x})});
        }),
        "LayerNormalization \"norm\": the table [1,8,16,16] has more dimensions than the input [2048]");
    add("huge", image([](W& w, const std::string& x) {
            return w.add("Expand", "wide", {x, w.whole("s", {1LL << 30, 8, 16, 1LL << 40})});
        }),
        "");
    add("if_without_branches", image([](W& w, const std::string& x) {
            (void)x;
            return w.add("If", "if", {w.input("flag", {}, ::onnx::TensorProto::BOOL)});
        }),
        "If \"if\": does not have two branches");
    add("loop_without_body", image([](W& w, const std::string& x) {
            return w.node("Loop", "loop", {w.whole("count", {3}, true), "", x})[0];
        }),
        "Loop \"loop\": the operands do not match its body");
    add("scan_without_body", image([](W& w, const std::string& x) {
            return w.node("Scan", "scan", {x}, {{"num_scan_inputs", std::int64_t{1}}})[0];
        }),
        "Scan \"scan\": the operands do not match its body");
    add("transposed_kernel", image([](W& w, const std::string& x) {
            const std::string y = w.add("Reshape", "r", {x, w.whole("s", {1, 8, 4, 4, 16})});
            return w.add("ConvTranspose", "up", {y, w.weight("weight", {8, 4, 1, 1, 1})},
                         {{"pads", Ints{9, 0, 0, 9, 0, 0}}});
        }),
        "ConvTranspose \"up\": the kernel does not fit");
    {
        W w("deep", 13);
        (void)w.input("image", {std::int64_t{4}});
        (void)w.whole("flag", {1}, true);
        w.file().mutable_graph()->mutable_initializer(0)->set_data_type(::onnx::TensorProto::INT64);
        W branch("branch");
        branch.file().ParseFromString(nested(7));
        const std::string y = w.add("If", "outermost", {"flag"});
        w.graphAttribute("then_branch", branch);
        w.graphAttribute("else_branch", branch);
        w.output(y);
        add("nested", w.text(), ""); // as deep as files are: it opens
    }
    {
        std::string text = whole;
        for (int i = 0; i < 60; ++i) { // a graph in an attribute of a node of a graph
            const auto field = [&](int number) {
                std::string length;
                for (std::size_t n = text.size();; n >>= 7) {
                    length += static_cast<char>(n >= 0x80 ? (n & 0x7f) | 0x80 : n);
                    if (n < 0x80)
                        break;
                }
                text = static_cast<char>(number << 3 | 2) + length + text;
            };
            if (i == 0)
                text = "\x12\x01g";
            field(6);
            field(5);
            field(1);
        }
        std::string length;
        for (std::size_t n = text.size();; n >>= 7) {
            length += static_cast<char>(n >= 0x80 ? (n & 0x7f) | 0x80 : n);
            if (n < 0x80)
                break;
        }
        add("too_deep", "\x08\x08\x3a" + length + text, "nested too deep");
    }
    return out;
}

} // namespace tilewright::test
