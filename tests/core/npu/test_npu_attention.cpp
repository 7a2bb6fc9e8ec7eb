// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/npu.md 2.3 and 2.4: attention and the addresses of its caches.
#include "npu/verify.h"
#include "npu_models.h"
#include "npu_random.h"
#include "test_main.h"

#include <map>

namespace test_npu_attention {

using namespace tilewright;
using namespace tilewright::npu;
using namespace tilewright::npu::test;

class TestNpuAttention : public QObject
{
    Q_OBJECT

private slots:
    void rule_2_3_attentionNodes();
    void rule_2_3_causalSkipsChunksAboveTheDiagonal();
    void rule_2_3_flashHasNoScoreTensor();
    void rule_2_4_kvAddresses();
    void rule_2_6_longSequencesFit();
    void groupedQueriesAndBlocks();
    void refusalNamesTheTile();
};

void TestNpuAttention::rule_2_3_attentionNodes()
{
    const NpuGraph g = graphOf(attentionModel(8, 8, false, false));
    // 2 heads x 2 query chunks: 2 key chunks x 2 dim blocks for QK^T, 1 softmax, 2 dim blocks x 2 key chunks
    // for AV
    QCOMPARE(countOf(g, NodeType::Softmax), std::size_t{4});
    QCOMPARE(countOf(g, NodeType::MatMul), std::size_t{4 * (4 + 4)});
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        if (g.nodes[n].type == NodeType::Softmax) {
            QCOMPARE(g.deps.of(n).size(), std::size_t{2}); // the last node of each QK^T chain
            QCOMPARE(g.successors.of(n).size(), std::size_t{4});
        }
    QVERIFY(allPassed(verifyGraph(g)));
}

void TestNpuAttention::rule_2_3_causalSkipsChunksAboveTheDiagonal()
{
    const NpuGraph g = graphOf(attentionModel(8, 8, true, false));
    // per head: the first query chunk sees one key chunk, the second two
    QCOMPARE(countOf(g, NodeType::MatMul), std::size_t{2 * ((2 + 2) + (4 + 4))});
    // with 4 cached keys the first chunk sees two
    const NpuGraph later = graphOf(attentionModel(4, 8, true, false));
    QCOMPARE(countOf(later, NodeType::MatMul), std::size_t{2 * (4 + 4)});
    QVERIFY(allPassed(verifyGraph(g)));
}

void TestNpuAttention::rule_2_3_flashHasNoScoreTensor()
{
    const NpuGraph g = graphOf(attentionModel(8, 8, false, true));
    QCOMPARE(g.tensors.size(), std::size_t{4});
    QCOMPARE(graphOf(attentionModel(8, 8, false, false)).tensors.size(), std::size_t{4 + 2 * 2});
    QCOMPARE(g.units.size(), std::size_t{4}); // one chain per head block and query chunk
    for (std::size_t u = 0; u < g.units.size(); ++u) {
        QCOMPARE(g.nodesOf(u).size(), std::size_t{2 * (2 + 1 + 2)});
        for (const std::uint32_t n : g.nodesOf(u))
            QVERIFY(g.nodes[n].scratchBytes > 0);
    }
}

void TestNpuAttention::rule_2_4_kvAddresses()
{
    NpuModel model;
    model.name = "kv";
    ModelOp op;
    op.type = OpType::KvAppend;
    op.name = "append";
    op.inputs = {model.addTensor("k", {3, 2 * 8})};
    op.outputs = {model.addTensor("cache", {1, 2, 20, 8})};
    op.heads = 2;
    op.position = 5;
    op.tile.tokens = 2;
    model.ops.push_back(op);
    const NpuGraph g = graphOf(model);
    QCOMPARE(g.nodes.size(), std::size_t{4}); // (head, token chunk)
    const std::int64_t base = g.tensors[1].dramBase;
    const std::int64_t tokenStride = 8 * 2;
    const std::int64_t headStride = 20 * tokenStride;
    std::size_t n = 0;
    for (std::int64_t head = 0; head < 2; ++head)
        for (const std::int64_t t : {5, 7}) {
            QVERIFY(g.nodes[n].type == NodeType::KvStore);
            QCOMPARE(g.nodes[n].computeCycles, Cycle{0});
            QCOMPARE(g.tiles[g.outputs(n)[0]].dramBase, base + head * headStride + t * tokenStride);
            ++n;
        }
}

/// 8,192 tokens: a softmax of 128 rows would need 6 MiB, so fewer rows meet longer chunks of keys.
void TestNpuAttention::rule_2_6_longSequencesFit()
{
    const auto cutOf = [](std::int64_t tokens, bool flash) {
        NpuModel model;
        model.name = "long";
        ModelOp op;
        op.type = OpType::Attention;
        op.name = "att";
        op.inputs = {model.addTensor("q", {1, 1, tokens, 128}), model.addTensor("k", {1, 1, tokens, 128}),
                     model.addTensor("v", {1, 1, tokens, 128})};
        op.outputs = {model.addTensor("o", {1, 1, tokens, 128})};
        op.causal = true;
        op.flash = flash;
        model.ops.push_back(op);
        return graphOf(model);
    };
    const NpuGraph g = cutOf(8192, false);
    QCOMPARE(g.tileSizes[0].queries, std::int64_t{16});
    QCOMPARE(g.tileSizes[0].tokens, std::int64_t{1024});
    QVERIFY(allPassed(verifyGraph(g)));
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        QVERIFY(g.spmOf(n) <= g.hardware.spmBytes);
    // What fits is cut as before.
    const NpuGraph shorter = cutOf(512, false);
    QCOMPARE(shorter.tileSizes[0].queries, std::int64_t{128});
    QCOMPARE(shorter.tileSizes[0].tokens, std::int64_t{128});
    QCOMPARE(cutOf(8192, true).tileSizes[0].queries, std::int64_t{128});
}

void TestNpuAttention::groupedQueriesAndBlocks()
{
    LlamaBlockOptions o;
    o.hidden = 256;
    o.heads = 8;
    o.kvHeads = 2;
    o.ffn = 512;
    o.tokens = 32;
    o.cached = 48;
    o.layers = 3;
    for (const LlamaPhase phase : {LlamaPhase::Prefill, LlamaPhase::Decode}) {
        o.phase = phase;
        const auto model = generateLlamaBlock(o);
        QVERIFY2(model, model ? "" : model.error().text().c_str());
        LlamaBlockOptions single = o;
        single.layers = 1;
        QCOMPARE(model->ops.size(), 3 * generateLlamaBlock(single)->ops.size());
        const NpuGraph g = graphOf(*model);
        QVERIFY(allPassed(verifyGraph(g)));
        const auto run = simulate(g, g.hardware, {});
        QVERIFY(allPassed(verifyRun(g, *run)));
        // A quarter of the keys, and block 1 reads the result of block 0.
        const auto tensor = [&](const std::string& name) {
            for (const ModelTensor& t : model->tensors)
                if (t.name == name)
                    return t.shape;
            return std::vector<std::int64_t>{};
        };
        QCOMPARE(tensor("block1.k").back(), std::int64_t{64});
        QCOMPARE(tensor("block1.q").back(), std::int64_t{256});
        const auto norm = std::find_if(model->ops.begin(), model->ops.end(),
                                       [](const ModelOp& op) { return op.name == "block1.attn_norm"; });
        QVERIFY(norm != model->ops.end());
        QCOMPARE(model->tensors[norm->inputs[0]].name, std::string("block0.mlp_residual"));
    }
    o.kvHeads = 3;
    const auto uneven = generateLlamaBlock(o);
    QVERIFY(!uneven);
    QVERIFY(uneven.error().text().find("kv_heads") != std::string::npos);
    const auto parsed = parseModel(
        R"({"generate": "llama_block", "hidden": 256, "heads": 8, "kv_heads": 2, "layers": 2, "tokens": 8})",
        "f");
    QVERIFY(parsed);
    QCOMPARE(parsed->ops.size() % 2, std::size_t{0});
    QVERIFY(!parseModel(R"({"generate": "bert_block", "layers": 0})", "f"));
}

void TestNpuAttention::refusalNamesTheTile()
{
    NpuModel model = attentionModel(64, 64, false, false);
    model.ops[0].tile = {};
    model.ops[0].tile.queries = 64;
    NpuHardware hw;
    hw.spmBytes = 4000;
    const auto graph = buildGraph(model, hw);
    QVERIFY(!graph);
    QVERIFY2(graph.error().message.find("and tile q 64: ") != std::string::npos,
             graph.error().message.c_str());
}

TILEWRIGHT_TEST(TestNpuAttention)

} // namespace test_npu_attention
#include "test_npu_attention.moc"
