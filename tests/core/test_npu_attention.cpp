// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/npu.md 2.3 and 2.4: attention and the addresses of its caches.
#include "npu/verify.h"
#include "npu_models.h"
#include "npu_random.h"

#include <map>

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

QTEST_APPLESS_MAIN(TestNpuAttention)
#include "test_npu_attention.moc"
