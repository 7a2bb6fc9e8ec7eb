// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/npu.md 1 to 3: tiles, addresses, tiling rules, the tile DAG.
#include "base/text.h"
#include "npu/default_tiles.h"
#include "npu/fit_tiles.h"
#include "npu/generate.h"
#include "npu/graph.h"
#include "npu/static_schedule.h"
#include "npu/verify.h"
#include "npu_models.h"
#include "npu_random.h"
#include "test_main.h"

#include <QTest>

#include <map>
#include <set>

namespace test_npu_tiles {

using namespace tilewright;
using namespace tilewright::npu;
using namespace tilewright::npu::test;

class TestNpuTiles : public QObject
{
    Q_OBJECT

private slots:
    void rule_1_segmentsAreTheSlice();
    void rule_2_1_matmulLoopsAndChains();
    void rule_2_2_convOutputAndInputRows();
    void rule_2_2_convBlocks();
    void rule_2_2_paddingBeyondTheKernel();
    void rule_2_5_burstsWidenSegments();
    void rule_2_5_addressMap();
    void rule_2_5_kvLoadOverThreeBanks();
    void rule_2_6_defaultTiles();
    void rule_2_6_defaultTilesUseAllCores();
    void rule_2_6_defaultTilesOfSmallMemories();
    void rule_2_6_defaultTilesHoldAccumulatedOperands();
    void rule_2_6_defaultNodesAreBounded();
    void rule_2_6_fewerNodesWithOneSetOfOperands();
    void rule_2_6_defaultVectorBlocks();
    void rule_2_6_tilesCanBeChosen();
    void rule_2_6_tilesAreCutAnewForLessSpm();
    void rule_2_7_viewsReadTheSamePosition();
    void rule_2_7_reductionsReadTheirShare();
    void rule_2_8_wideTiles();
    void rule_3_computeCycles();
    void rule_3_dependenciesByOverlap();
    void rule_3_storeBeforeLoad();
    void rule_4_criticalPathAndOrder();
    void rule_4_assignments();
};

void TestNpuTiles::rule_1_segmentsAreTheSlice()
{
    npu::test::RandomCase random(7);
    for (int i = 0; i < 500; ++i) {
        NpuTensor tensor;
        tensor.rank = static_cast<int>(random.pick(1, 4));
        for (int d = 0; d < tensor.rank; ++d)
            tensor.shape[d] = random.pick(1, 7);
        tensor.bits = random.pick(0, 2) == 0 ? random.pick(1, 40 * 1024) : random.pick(1, 4) * kPartsOfByte;
        tensor.dramBase = 64 * random.pick(0, 9);
        TileDesc tile;
        for (int d = 0; d < tensor.rank; ++d) {
            tile.offset[d] = random.pick(0, tensor.shape[d] - 1);
            tile.shape[d] = random.pick(1, tensor.shape[d] - tile.offset[d]);
        }
        placeTile(tensor, 16, 4, tile);
        const auto want = bytesByElement(tensor, tile);
        const bool whole = tensor.bits % kPartsOfByte == 0; // otherwise runs may share a byte
        std::set<std::int64_t> got;
        std::int64_t aligned = 0;
        for (const Segment& s : segmentsOf(tensor, tile))
            for (std::int64_t run = 0; run < s.count; ++run) {
                const std::int64_t at = s.address + run * s.stride;
                for (std::int64_t b = 0; b < s.bytes; ++b)
                    QVERIFY(got.insert(at + b).second || !whole);
                QVERIFY(!whole ||
                        (!want.contains(at - 1) && !want.contains(at + s.bytes))); // runs are maximal
                aligned += (at + s.bytes + 15) / 16 * 16 - at / 16 * 16;
            }
        QVERIFY(got == want);
        QCOMPARE(tile.dramBase, *want.begin());
        QCOMPARE(tile.dramSize, *want.rbegin() - *want.begin() + 1);
        QCOMPARE(tile.alignedBytes, aligned);
        const std::int64_t packed = (tile.elements() * tensor.bits + kPartsOfByte - 1) / kPartsOfByte;
        QCOMPARE(tile.spmRequired, packed);
        QVERIFY(whole ? std::ssize(want) == packed : std::ssize(want) >= packed);
        std::int64_t grouped = 0;
        NpuHardware hw;
        hw.dram.burstBytes = 16;
        hw.dram.interleaveBytes = 32;
        for (const BurstGroup& g : burstGroups(hw.dram, tensor, tile)) {
            grouped += g.bursts * 16;
            QVERIFY(g.address / 32 == (g.address + g.bursts * 16 - 1) / 32);
        }
        QCOMPARE(grouped, aligned);
    }
}

void TestNpuTiles::rule_2_1_matmulLoopsAndChains()
{
    const NpuGraph g = graphOf(matmulModel(10, 7, 9, mnk(4, 3, 4)));
    QCOMPARE(g.nodes.size(), std::size_t{3 * 3 * 3});
    QCOMPARE(g.units.size(), std::size_t{9});
    std::size_t id = 0;
    for (std::int64_t m = 0; m < 10; m += 4)
        for (std::int64_t n = 0; n < 7; n += 3)
            for (std::int64_t k = 0; k < 9; k += 4, ++id) {
                const TileNode& node = g.nodes[id];
                QCOMPARE(node.m, std::min<std::int64_t>(4, 10 - m));
                QCOMPARE(node.n, std::min<std::int64_t>(3, 7 - n));
                QCOMPARE(node.k, std::min<std::int64_t>(4, 9 - k));
                const TileDesc& a = g.tiles[g.inputs(id)[0]];
                const TileDesc& b = g.tiles[g.inputs(id)[1]];
                QCOMPARE(a.offset[0], m);
                QCOMPARE(a.offset[1], k);
                QCOMPARE(b.offset[0], k);
                QCOMPARE(b.offset[1], n);
                // only the last of the chain stores, all hold the accumulator
                QCOMPARE(g.outputs(id).size(), std::size_t{k + 4 >= 9 ? 1U : 0U});
                QCOMPARE(g.tiles[node.accumulator].spmRequired, node.m * node.n * 4);
                QCOMPARE(g.deps.of(id).size(), std::size_t{k > 0 ? 1U : 0U});
                if (k > 0)
                    QCOMPARE(static_cast<std::size_t>(g.deps.of(id)[0]), id - 1);
            }
}

void TestNpuTiles::rule_2_2_convOutputAndInputRows()
{
    QCOMPARE(convOutput(7, 3, 2, 2, 1), std::int64_t{4});
    QCOMPARE(convOutput(7, 3, 1, 0, 3), std::int64_t{1});
    QCOMPARE(convOutput(6, 3, 1, 0, 3), std::int64_t{0});
    // exhaustively against the definition: input row of output row h and kernel row r is h*s - p + r*d
    for (std::int64_t in = 1; in <= 9; ++in)
        for (std::int64_t kernel = 1; kernel <= 3; ++kernel)
            for (std::int64_t s = 1; s <= 3; ++s)
                for (std::int64_t d = 1; d <= 2; ++d)
                    for (std::int64_t p = 0; p <= d * (kernel - 1) + 2; ++p) {
                        const std::int64_t out = convOutput(in, kernel, s, 2 * p, d);
                        for (std::int64_t h0 = 0; h0 < out; ++h0)
                            for (std::int64_t h1 = h0 + 1; h1 <= out; ++h1) {
                                std::set<std::int64_t> rows;
                                for (std::int64_t h = h0; h < h1; ++h)
                                    for (std::int64_t r = 0; r < kernel; ++r)
                                        if (const std::int64_t x = h * s - p + r * d; x >= 0 && x < in)
                                            rows.insert(x);
                                const auto [from, to] = convInputRange(h0, h1, kernel, s, p, d, in);
                                if (rows.empty()) // every tap in the padding, or between two rows
                                    continue;
                                QVERIFY(from <= *rows.begin() && to > *rows.rbegin());
                                QVERIFY(from >= 0 && to <= in);
                                QCOMPARE(from, std::max<std::int64_t>(0, h0 * s - p));
                            }
                    }
}

void TestNpuTiles::rule_2_2_convBlocks()
{
    NpuModel model;
    model.name = "conv";
    ModelOp op;
    op.type = OpType::Conv2d;
    op.name = "conv";
    op.inputs = {model.addTensor("x", {1, 8, 12, 12}), model.addTensor("w", {8, 1, 3, 3})};
    op.outputs = {model.addTensor("y", {1, 8, 6, 6})};
    op.stride = {2, 2};
    op.padding.fill(1);
    op.groups = 8; // depthwise
    op.tile.cOut = 4;
    op.tile.height = 2;
    op.tile.width = 6;
    model.ops.push_back(op);
    const NpuGraph g = graphOf(model);
    QCOMPARE(g.nodes.size(), std::size_t{2 * 3});
    // output rows [2,4) read input rows [2*2-1, 3*2-1+3) = [3,8): one row of halo on each side is read again
    const TileDesc& middle = g.tiles[g.inputs(1)[0]];
    QCOMPARE(middle.offset[2], std::int64_t{3});
    QCOMPARE(middle.shape[2], std::int64_t{5});
    QCOMPARE(middle.shape[1], std::int64_t{4}); // the channels of its four groups
    const TileDesc& top = g.tiles[g.inputs(0)[0]];
    QCOMPARE(top.offset[2], std::int64_t{0}); // padding is not loaded
    QCOMPARE(top.shape[2], std::int64_t{4});
    QCOMPARE(g.nodes[0].repeats, std::int64_t{4});
    QCOMPARE(g.nodes[0].k, std::int64_t{9});

    op.groups = 1; // chained over input channels when they do not fit
    model = NpuModel{};
    model.name = "wide";
    op.inputs = {model.addTensor("x", {1, 64, 12, 12}), model.addTensor("w", {8, 64, 3, 3})};
    op.outputs = {model.addTensor("y", {1, 8, 6, 6})};
    op.tile = {};
    model.ops.push_back(op);
    NpuHardware small;
    small.spmBytes = 8000;
    const NpuGraph chained = graphOf(model, small);
    QVERIFY(chained.units.size() < chained.nodes.size());
    for (std::size_t n = 0; n < chained.nodes.size(); ++n)
        QVERIFY(chained.spmOf(n) <= small.spmBytes);
    QVERIFY(allPassed(verifyGraph(chained)));
}

void TestNpuTiles::rule_2_2_paddingBeyondTheKernel()
{
    // A product of one tap in a frame of one: 2 x 2 inputs, 4 x 5 outputs, two columns of padding at the
    // right.
    const auto read = parseModel(R"({"name": "frame", "tensors": [{"name": "x", "shape": [1, 4, 2, 2]},
        {"name": "w", "shape": [4, 4, 1, 1]}, {"name": "y", "shape": [1, 4, 4, 5]}],
        "ops": [{"type": "conv2d", "inputs": ["x", "w"], "outputs": ["y"], "padding": [1, 1, 1, 2],
                 "tile": {"c_out": 4, "c_in": 4, "h": 1, "w": 5}}]})",
                                 "frame.json");
    QVERIFY2(read.hasValue(), read ? "" : read.error().text().c_str());
    QCOMPARE(read->ops[0].padding, (std::array<std::int64_t, 4>{1, 1, 1, 2}));
    const NpuGraph g = graphOf(*read);
    QCOMPARE(g.nodes.size(), std::size_t{4});
    for (std::size_t row = 0; row < 4; ++row) {
        const bool isFrame = row == 0 || row == 3;
        QCOMPARE(g.inputs(row).size(), isFrame ? std::size_t{1} : std::size_t{2});
        if (!isFrame)
            QCOMPARE(g.tiles[g.inputs(row)[0]].shape[3], std::int64_t{2});
    }
    QVERIFY(allPassed(verifyGraph(g)));
}

void TestNpuTiles::rule_2_5_burstsWidenSegments()
{
    NpuTensor tensor;
    tensor.rank = 2;
    tensor.shape = {4, 50, 1, 1};
    TileDesc tile;
    tile.offset = {1, 10, 0, 0};
    tile.shape = {2, 20, 1, 1};
    placeTile(tensor, 64, 4, tile);
    // rows of 100 bytes: [120,160) widens to [64,192), [220,260) to [192,320)
    QCOMPARE(tile.alignedBytes, std::int64_t{128 + 128});
    QCOMPARE(tile.dramBase, std::int64_t{120});
    QCOMPARE(tile.dramSize, std::int64_t{140});
}

void TestNpuTiles::rule_2_5_addressMap()
{
    const DramHardware d; // 4 channels, 16 banks, interleave 256, rows of 2 KiB
    QVERIFY((placeOf(d, 0) == DramPlace{0, 0, 0}));
    QVERIFY((placeOf(d, 256 * 3 + 255) == DramPlace{3, 0, 0}));
    QVERIFY((placeOf(d, 256 * 4) == DramPlace{0, 1, 0}));
    QVERIFY((placeOf(d, 256 * 64) == DramPlace{0, 0, 0}));
    QVERIFY((placeOf(d, 256 * 64 * 8) == DramPlace{0, 0, 1}));
}

void TestNpuTiles::rule_2_5_kvLoadOverThreeBanks()
{
    NpuModel model;
    model.name = "kv";
    ModelOp op;
    op.type = OpType::KvLoad;
    op.name = "load";
    op.inputs = {model.addTensor("cache", {1, 1, 64, 64})}; // a token is 128 bytes, two an interleave block
    op.outputs = {model.addTensor("view", {1, 1, 6, 64})};
    op.range = {4, 10};
    model.ops.push_back(op);
    NpuHardware hw;
    hw.dram.channels = 1;
    const NpuGraph g = graphOf(model, hw);
    QCOMPARE(g.nodes.size(), std::size_t{1});
    std::set<int> banks;
    for (const BurstGroup& b : burstGroups(hw.dram, g.tensors[0], g.tiles[g.inputs(0)[0]]))
        banks.insert(b.place.bank);
    QVERIFY((banks == std::set<int>{2, 3, 4})); // tokens 4..9 lie in blocks 2, 3 and 4

    // The sample: 24 tokens are 12 blocks, over the default machine's 4 channels three banks in each.
    const auto sample = loadModel(std::string(TILEWRIGHT_SOURCE_DIR) + "/samples/npu/kv_three_banks.json");
    QVERIFY2(sample, sample ? "" : sample.error().text().c_str());
    const NpuGraph loaded = graphOf(*sample);
    for (std::size_t n = 0; n < loaded.nodes.size(); ++n) {
        if (loaded.nodes[n].type != NodeType::KvLoad)
            continue;
        std::map<int, std::set<int>> perChannel;
        const TileDesc& tile = loaded.tiles[loaded.inputs(n)[0]];
        for (const BurstGroup& b : burstGroups(loaded.hardware.dram, loaded.tensors[tile.tensor], tile))
            perChannel[b.place.channel].insert(b.place.bank);
        QCOMPARE(perChannel.size(), std::size_t{4});
        const std::set<int> want = tile.tensor == 0 ? std::set<int>{2, 3, 4} : std::set<int>{10, 11, 12};
        for (const auto& [channel, found] : perChannel)
            QVERIFY(found == want);
    }
}

/// Sizes of any product on any machine: within the product, as requested, and with two sets of operands in
/// SPM.
void TestNpuTiles::rule_2_6_defaultTiles()
{
    npu::test::RandomCase random(26);
    std::size_t several = 0;
    for (int i = 0; i < 300; ++i) {
        NpuHardware hw = random.hardware(12);
        hw.spmBytes = random.pick(0, 1) ? random.pick(100, 4'000) : random.pick(4'000, 200'000);
        ProductToCut p;
        p.shape = {random.pick(1, 300), random.pick(1, 300), random.pick(1, 500), {1, random.pick(1, 3)}};
        p.bits.fill(2 * kPartsOfByte);
        if (random.pick(0, 2) == 0)
            p.wish.n = random.pick(1, 64);
        const TileSizes t = matmulTile(hw, p, {20'000});
        QVERIFY(t.m >= 1 && t.m <= p.shape.m && t.n >= 1 && t.n <= p.shape.n && t.k >= 1 && t.k <= p.shape.k);
        if (p.wish.n > 0)
            QCOMPARE(t.n, std::min(p.wish.n, p.shape.n));
        const TileSizes least{.m = 1, .n = std::max<std::int64_t>(1, std::min(p.wish.n, p.shape.n)), .k = 1};
        QVERIFY(matmulFits(hw, 2, t) || !matmulFits(hw, 2, least));
        several += ceilDiv(p.shape.m, t.m) * ceilDiv(p.shape.n, t.n) >= hw.cores;
    }
    QVERIFY2(several > 150, std::to_string(several).c_str());
}

/// 1024^3 was one tile on one core.
void TestNpuTiles::rule_2_6_defaultTilesUseAllCores()
{
    NpuHardware hw;
    hw.engineRows = hw.engineCols = 128;
    hw.spmBytes = std::int64_t{36} << 20;
    hw.dram.channels = 16;
    hw.dram.bytesPerCycle = 38;
    hw.linkBytesPerCycle = hw.trunkBytesPerCycle = 614;
    Cycle alone = 0;
    for (const int cores : {1, 4}) {
        hw.cores = cores;
        const auto graph = buildGraph(matmulModel(1024, 1024, 1024), hw);
        QVERIFY(graph);
        const auto run = simulate(*graph, hw, {});
        QVERIFY(run);
        for (const CoreRun& core : run->cores)
            QVERIFY(core.of(CoreState::Tensor) > 0);
        if (cores == 1)
            alone = run->makespan;
        else
            QVERIFY2(2 * run->makespan < alone, std::to_string(run->makespan).c_str());
    }
}

/// The accumulators of one block as large as the engine would fill the SPM.
void TestNpuTiles::rule_2_6_defaultTilesOfSmallMemories()
{
    NpuHardware hw;
    hw.engineRows = hw.engineCols = 128;
    for (const std::int64_t spm : {1'024, 8'192, 49'152, 65'536}) {
        hw.spmBytes = spm;
        const auto graph = buildGraph(matmulModel(256, 256, 256), hw);
        QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
        QVERIFY(allPassed(verifyGraph(*graph)));
    }
}

/// An operand that lies in SPM as the accumulators of its producer takes more room than in DRAM.
void TestNpuTiles::rule_2_6_defaultTilesHoldAccumulatedOperands()
{
    NpuModel model;
    model.name = "two";
    model.dtypeBytes = 1;
    const auto add = [&](const char* name, std::size_t a, std::int64_t k, std::int64_t n,
                         const TileSizes& tile) {
        ModelOp op;
        op.type = OpType::MatMul;
        op.name = name;
        op.inputs = {a, model.addTensor(std::string("w") + name, {k, n})};
        op.outputs = {model.addTensor(name, {256, n})};
        op.tile = tile;
        model.ops.push_back(op);
        return op.outputs[0];
    };
    // Tiles of the first product that a node of the second may read as they are.
    for (const std::int64_t k : {64, 128, 192, 256})
        for (const std::int64_t m : {64, 128, 256}) {
            model.tensors.clear();
            model.ops.clear();
            const std::size_t x = model.addTensor("x", {256, 64});
            const std::size_t y = add("first", x, 64, 256, mnk(m, k, 32));
            (void)add("second", y, 256, 256, {});
            NpuHardware hw;
            for (hw.spmBytes = 80'000; hw.spmBytes < 300'000; hw.spmBytes += 4'001) {
                const auto graph = buildGraph(fitTiles(model, hw).model, hw);
                QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
            }
        }
}

void TestNpuTiles::rule_2_6_defaultNodesAreBounded()
{
    NpuHardware hw;
    hw.cores = 100;
    hw.engineRows = hw.engineCols = 8;
    hw.spmBytes = std::int64_t{8} << 20;
    NpuModel model = matmulModel(4096, 4096, 4096);
    const auto one = buildGraph(model, hw);
    QVERIFY(one);
    QVERIFY(one->nodes.size() <= 20'000);
    for (int i = 1; i < 50; ++i) {
        ModelOp op = model.ops.front();
        op.name += std::to_string(i);
        op.outputs = {model.addTensor(op.name, {4096, 4096})};
        model.ops.push_back(op);
    }
    const auto many = buildGraph(model, hw);
    QVERIFY(many);
    QVERIFY(many->nodes.size() <= 20'000);
    QVERIFY(many->nodes.size() >= 50 * 100); // and all cores have work
}

/// A product that has too many nodes with two sets of operands is cut into tiles that fit with one.
void TestNpuTiles::rule_2_6_fewerNodesWithOneSetOfOperands()
{
    NpuHardware hw;
    hw.engineRows = hw.engineCols = 16;
    hw.spmBytes = 192 << 10;
    const NpuModel model = matmulModel(4096, 4096, 1024);
    const auto many = buildGraph(model, hw);
    QVERIFY(many && !many->fewNodes);
    QVERIFY(matmulFits(hw, 2, many->tileSizes[0]) && many->nodes.size() >= 8'192);
    const std::size_t most = 8'000; // with two sets of operands there are 8,192 at least
    const auto few = buildGraph(model, hw, most);
    QVERIFY2(few, few ? "" : few.error().text().c_str());
    QVERIFY(few->fewNodes && few->nodes.size() <= most);
    const TileSizes t = few->tileSizes[0];
    QVERIFY(matmulFits(hw, 2, t, 1) && !matmulFits(hw, 2, t));
    const auto none = buildGraph(model, hw, 1'000);
    QVERIFY(!none);
    QVERIFY2(none.error().text().ends_with(
                 "the model is cut into more than 1\u202f000 nodes with the largest tiles "
                 "that fit; a larger scratchpad helps, and a smaller input"),
             none.error().text().c_str());
}

/// Blocks of a vector operator: one a core and round, not less than 16 KiB, not more than 32 KiB.
void TestNpuTiles::rule_2_6_defaultVectorBlocks()
{
    NpuModel model;
    model.name = "norm";
    ModelOp op;
    op.type = OpType::RmsNorm;
    op.name = "norm";
    op.inputs = {model.addTensor("x", {1200, 64}), model.addTensor("gamma", {64})};
    op.outputs = {model.addTensor("y", {1200, 64})};
    model.ops.push_back(op);
    const auto blocks = [&](int cores) {
        NpuHardware hw;
        hw.cores = cores;
        return graphOf(model, hw).nodes.size(); // 1200 rows of 128 bytes
    };
    QCOMPARE(blocks(1), std::size_t{5});   // 240 rows; 256 are 32 KiB
    QCOMPARE(blocks(4), std::size_t{8});   // two rounds of four
    QCOMPARE(blocks(6), std::size_t{6});   // 200 rows
    QCOMPARE(blocks(64), std::size_t{10}); // 128 rows are 16 KiB
}

/// What a search begins with: blocks as wide as two sets of operands fit with the least depth, of one size.
void TestNpuTiles::rule_2_6_tilesAreCutAnewForLessSpm()
{
    // A node of 128 x 512 x 256 takes (128 * 256 + 256 * 512) * 2 + 128 * 512 * 4 = 589 824 bytes; with n 256
    // and two sets of operands it takes 2 * (32 768 + 65 536) * 2 + 131 072 = 524 288.
    const auto model = generateLlamaBlock({.tokens = 128});
    QVERIFY(model);
    NpuHardware hw;
    hw.spmBytes = 524'288;
    QVERIFY(!buildGraph(*model, hw));
    const FittedModel fitted = fitTiles(*model, hw);
    QCOMPARE(fitted.changed.size(), std::size_t{7}); // q, k, v, o, gate, up, down
    for (const CutAnew& c : fitted.changed) {
        TileSizes want = c.before;
        QCOMPARE(want.n, 512);
        want.n = 256;
        QCOMPARE(c.now, want);
    }
    QCOMPARE(QString::fromStdString(fitted.text(hw)),
             QString::fromStdString("The tiles of 7 operators do not fit into the " + formatGrouped(524'288) +
                                    " bytes of SPM and are cut anew: q n 256 instead of n 512; k n 256 "
                                    "instead of n 512; v n 256 instead of n 512; o n 256 instead of n 512; "
                                    "and 3 more"));
    const auto graph = buildGraph(fitted.model, hw);
    QVERIFY(graph);
    QVERIFY(allPassed(verifyGraph(*graph)));
    // A tile that fits stays, whatever the machine; so does one that is kept, and one that nothing makes fit.
    QVERIFY(fitTiles(*model, NpuHardware{}).changed.empty());
    QVERIFY(fitTiles(*model, NpuHardware{}).text(hw).empty());
    QVERIFY(fitTiles(*model, hw, std::vector<bool>(model->ops.size(), true)).changed.empty());
    hw.spmBytes = 7; // one multiplication takes 2 + 2 + 4
    QVERIFY(fitTiles(*model, hw).changed.empty());
    // Other kinds of operators, down to little memory.
    ConvNetOptions conv;
    conv.size = 224;
    const auto net = generateConvNet(conv);
    const auto bert = generateBertBlock({.tokens = 128});
    QVERIFY(net && bert);
    NpuModel rows;
    const auto x = rows.addTensor("x", {64, 256});
    const auto y = rows.addTensor("y", {64, 256});
    ModelOp softmax;
    softmax.type = OpType::Softmax;
    softmax.name = "softmax";
    softmax.inputs = {x};
    softmax.outputs = {y};
    softmax.tile.rows = 64;
    rows.ops.push_back(softmax);
    for (const NpuModel& m : {*net, *bert, rows}) {
        hw.spmBytes = 48 << 10;
        // Beside the rows that the net asks for, its other sizes are the rule's, which fit.
        QVERIFY2(buildGraph(m, hw).hasValue() == (m.name == net->name), m.name.c_str());
        const auto small = buildGraph(fitTiles(m, hw).model, hw);
        QVERIFY2(small, small ? "" : small.error().message.c_str());
        for (std::size_t node = 0; node < small->nodes.size(); ++node)
            QVERIFY(small->spmOf(node) <= hw.spmBytes);
    }
    QCOMPARE(fitTiles(rows, hw).changed.front().now.rows, 32); // 32 * 256 * 2 bytes, in and out
}

namespace {

/// What the nodes of a model of one operator read of its only input, element by element.
std::vector<int> timesRead(const NpuGraph& g)
{
    const auto& all = g.tensors[0].shape;
    std::vector<int> out(static_cast<std::size_t>(all[0] * all[1] * all[2] * all[3]));
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
        const TileDesc& t = g.tiles[g.inputs(n)[0]];
        for (std::int64_t a = 0; a < t.shape[0]; ++a)
            for (std::int64_t b = 0; b < t.shape[1]; ++b)
                for (std::int64_t c = 0; c < t.shape[2]; ++c)
                    for (std::int64_t d = 0; d < t.shape[3]; ++d) {
                        const std::int64_t row = (t.offset[0] + a) * all[1] + t.offset[1] + b;
                        const std::int64_t place =
                            (row * all[2] + t.offset[2] + c) * all[3] + t.offset[3] + d;
                        ++out[static_cast<std::size_t>(place)];
                    }
    }
    return out;
}

NpuModel viewOf(std::vector<std::int64_t> from, std::vector<std::int64_t> to, TileSizes tile,
                std::int64_t passes)
{
    NpuModel out;
    ModelOp op;
    op.type = OpType::View;
    op.passes = passes;
    op.inputs = {out.addTensor("x", std::move(from))};
    op.outputs = {out.addTensor("y", std::move(to))};
    op.tile = tile;
    out.ops.push_back(op);
    return out;
}

TileSizes rowsAndCols(std::int64_t rows, std::int64_t cols)
{
    TileSizes out;
    out.rows = rows;
    out.cols = cols;
    return out;
}

} // namespace

/// Blocks of a view read their operand once, whatever its shape.
void TestNpuTiles::rule_2_7_viewsReadTheSamePosition()
{
    for (const std::int64_t rows : {1, 2, 4, 8}) {
        const NpuGraph g = graphOf(viewOf({4, 8, 8}, {32, 8}, rowsAndCols(rows, 8), 0));
        QCOMPARE(g.nodes.size(), std::size_t(32 / rows));
        QVERIFY(std::ranges::all_of(timesRead(g), [](int n) { return n == 1; }));
    }
}

/// Blocks of a pool read all of their operand, each its share.
void TestNpuTiles::rule_2_7_reductionsReadTheirShare()
{
    const NpuGraph g = graphOf(viewOf({16, 12, 12}, {16, 6, 6}, rowsAndCols(6, 6), 9));
    QCOMPARE(g.nodes.size(), std::size_t{16});
    QVERIFY(std::ranges::all_of(timesRead(g), [](int n) { return n == 1; }));
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
        QCOMPARE(g.tiles[g.inputs(n)[0]].offset[0], static_cast<std::int64_t>(n));
        QCOMPARE(g.nodes[n].computeCycles, std::int64_t{9}); // 36 elements in 128 lanes
    }
    // also where the last block of a channel is smaller
    const NpuGraph uneven = graphOf(viewOf({16, 12, 12}, {16, 6, 6}, rowsAndCols(4, 6), 9));
    QCOMPARE(uneven.nodes.size(), std::size_t{32});
    QVERIFY(std::ranges::all_of(timesRead(uneven), [](int n) { return n == 1; }));
    // a mean of each channel: one pass for each element of the operand
    const NpuGraph mean = graphOf(viewOf({16, 12, 12}, {16}, rowsAndCols(1, 4), 144));
    QCOMPARE(mean.nodes.size(), std::size_t{4});
    QVERIFY(std::ranges::all_of(timesRead(mean), [](int n) { return n == 1; }));
    QCOMPARE(mean.nodes[0].computeCycles, std::int64_t{144});
    // of more elements than the SPM holds a block reads half of the SPM
    NpuHardware small;
    small.spmBytes = 4'096;
    const NpuGraph whole = graphOf(viewOf({1, 1'000, 1'000}, {1}, {}, 1'000'000), small);
    QCOMPARE(whole.nodes.size(), std::size_t{1});
    QCOMPARE(whole.tiles[whole.inputs(0)[0]].elements(), std::int64_t{1'000});
}

void TestNpuTiles::rule_2_8_wideTiles()
{
    const NpuHardware hw;
    const auto fits = [&](const TileSizes& t) { return matmulFits(hw, 2, t); };
    const TileSizes wide = wideMatmulTile(hw, 2, 4096, 4096, 8192);
    QCOMPARE(wide, mnk(448, 448, 64));
    QVERIFY(!fits(mnk(wide.m + 64, wide.n, 64)) && !fits(mnk(wide.m, wide.n + 64, 64)));
    QCOMPARE(wideMatmulTile(hw, 2, 512, 4096, 8192).m, std::int64_t{256}); // two halves, not 448 and 64
    // never fewer chains than cores there may be, and then as much of K as fits
    QCOMPARE(wideMatmulTile(hw, 2, 256, 256, 256), mnk(64, 64, 256));
    const TileSizes row = wideMatmulTile(hw, 2, 1, 4096, 1 << 20);
    QCOMPARE(row.n, std::int64_t{256});
    QVERIFY(row.k % 64 == 0 && fits(row) && !fits(mnk(1, 256, row.k + 64)));
}

/// Every size of every operator can be set apart from the model, and the graph tells those in use.
void TestNpuTiles::rule_2_6_tilesCanBeChosen()
{
    LlamaBlockOptions options;
    options.hidden = 256;
    options.heads = 4;
    options.ffn = 512;
    options.tokens = 96;
    options.cached = 64;
    options.phase = LlamaPhase::Decode;
    for (const auto& made :
         {generateLlamaBlock(options), generateBertBlock({256, 4, 512, 96, false, 2}), generateConvNet({})}) {
        QVERIFY(made);
        const NpuGraph before = graphOf(*made);
        const std::vector<OpTiling> own = tilingOf(*made);
        QCOMPARE(own.size(), made->ops.size());
        QCOMPARE(before.tileSizes.size(), made->ops.size());
        // What the default rule has chosen, asked for by name, gives the same graph.
        std::vector<OpTiling> named = own;
        for (std::size_t i = 0; i < named.size(); ++i)
            for (const TileField& f : tileFields(made->ops[i].type)) {
                QVERIFY2(before.tileSizes[i].*f.size > 0, f.key);
                named[i].tile.*f.size = before.tileSizes[i].*f.size;
            }
        const NpuGraph same = graphOf(withTiling(*made, named));
        QCOMPARE(same.nodes.size(), before.nodes.size());
        QVERIFY(same.tileSizes == before.tileSizes);
        for (std::size_t n = 0; n < same.nodes.size(); ++n)
            QCOMPARE(same.nodes[n].memBytes, before.nodes[n].memBytes);
        // Half of one size: that operator has more nodes, and it is the size in use.
        for (std::size_t i = 0; i < own.size(); ++i)
            for (const TileField& f : tileFields(made->ops[i].type)) {
                const std::int64_t half = before.tileSizes[i].*f.size / 2;
                if (half < 1 || made->ops[i].type == OpType::Conv2d)
                    continue;
                std::vector<OpTiling> other = own;
                other[i].tile.*f.size = half;
                const NpuGraph cut = graphOf(withTiling(*made, other));
                QVERIFY2(cut.tileSizes[i].*f.size <= half, f.key); // less when it would cross a dimension
                QVERIFY(allPassed(verifyGraph(cut)));
            }
    }
}

void TestNpuTiles::rule_3_computeCycles()
{
    NpuHardware hw;
    hw.engineRows = 8;
    hw.engineCols = 4;
    QCOMPARE(tensorCycles(hw, productWork(20, 9, 10), 1, false), Cycle{3 * 3 * 10});
    QCOMPARE(tensorCycles(hw, productWork(20, 9, 10), 1, true),
             Cycle{90 + 4 + 1 - 2}); // last fold: 4 rows, 1 column
    QCOMPARE(tensorCycles(hw, productWork(8, 4, 10), 1, true), Cycle{10 + 8 + 4 - 2});
    NpuModel model;
    model.name = "norms";
    const std::size_t x = model.addTensor("x", {4, 100});
    std::size_t last = x;
    for (const OpType type : {OpType::Softmax, OpType::LayerNorm, OpType::RmsNorm, OpType::Elementwise}) {
        ModelOp op;
        op.type = type;
        op.name = std::string(toString(type));
        op.inputs = {last};
        last = model.addTensor("y" + op.name, {4, 100});
        op.outputs = {last};
        model.ops.push_back(op);
    }
    const NpuGraph g = graphOf(model);
    QCOMPARE(g.nodes.size(), std::size_t{4});
    const Cycle perPass = 4; // ceil(400 / 128)
    const Cycle passes[] = {4, 3, 2, 1};
    for (std::size_t i = 0; i < 4; ++i)
        QCOMPARE(g.nodes[i].computeCycles, perPass * passes[i]);
}

void TestNpuTiles::rule_3_dependenciesByOverlap()
{
    // Against the definition, pair by pair, on random models.
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(2);
        const NpuModel model = random.model(14);
        const NpuGraph g = random.graph(model, hw);
        for (std::size_t n = 0; n < g.nodes.size(); ++n) {
            std::set<std::uint32_t> want;
            for (std::uint32_t w = 0; w < g.nodes.size(); ++w)
                for (const std::uint32_t o : g.outputs(w))
                    for (const std::uint32_t i : g.inputs(n))
                        if (w != n && overlap(g.tiles[o], g.tiles[i]))
                            want.insert(w);
            const auto deps = g.deps.of(n);
            for (const std::uint32_t w : want)
                QVERIFY2(std::find(deps.begin(), deps.end(), w) != deps.end(),
                         qPrintable(QString::number(seed)));
            for (const std::uint32_t d : deps) {
                const bool chain = g.nodes[d].unit == g.nodes[n].unit;
                const bool load = g.nodes[d].type == NodeType::KvLoad;
                QVERIFY2(d < n && (chain || load || want.contains(d)), qPrintable(QString::number(seed)));
            }
        }
    }
}

void TestNpuTiles::rule_3_storeBeforeLoad()
{
    LlamaBlockOptions o;
    o.phase = LlamaPhase::Decode;
    o.hidden = 64;
    o.heads = 2;
    o.ffn = 96;
    o.cached = 10;
    const auto model = generateLlamaBlock(o);
    QVERIFY(model);
    const NpuGraph g = graphOf(*model);
    std::size_t loads = 0;
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
        if (g.nodes[n].type != NodeType::KvLoad)
            continue;
        ++loads;
        // the chunk holds the token just appended, so it waits for this head's store and only for it
        QCOMPARE(g.deps.of(n).size(), std::size_t{1});
        const std::uint32_t store = g.deps.of(n)[0];
        QVERIFY(g.nodes[store].type == NodeType::KvStore);
        QCOMPARE(g.nodes[store].head, g.nodes[n].head);
    }
    QCOMPARE(loads, std::size_t{4}); // 2 heads, K and V
}

void TestNpuTiles::rule_4_criticalPathAndOrder()
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        npu::test::RandomCase random(seed);
        NpuHardware hw = random.hardware(4);
        const NpuModel model = random.model(12);
        const NpuGraph g = random.graph(model, hw);
        const auto cp = criticalPaths(g, hw);
        for (std::size_t n = 0; n < g.nodes.size(); ++n) {
            Cycle longest = 0;
            for (const std::uint32_t s : g.successors.of(n))
                longest = std::max(longest, cp[s]);
            QCOMPARE(cp[n], nodeCost(g, hw, n) + longest); // a last node keeps its own cost
            QVERIFY(cp[n] > 0);
        }
        Cycle sum = 0;
        for (const std::uint32_t n : longestPath(g, cp))
            sum += nodeCost(g, hw, n);
        QCOMPARE(sum, *std::max_element(cp.begin(), cp.end()));
        const auto order = topologicalOrder(g);
        QCOMPARE(order.size(), g.nodes.size());
    }
}

void TestNpuTiles::rule_4_assignments()
{
    LlamaBlockOptions o;
    o.hidden = 128;
    o.heads = 8;
    o.ffn = 256;
    o.tokens = 16;
    const auto model = generateLlamaBlock(o);
    QVERIFY(model);
    NpuHardware hw;
    hw.cores = 3;
    const NpuGraph g = graphOf(*model, hw);
    for (const Assignment a : {Assignment::RoundRobin, Assignment::CostAware, Assignment::HeadParallel}) {
        const StaticSchedule s = makeStaticSchedule(g, hw, a);
        QVERIFY(assignmentFromText(toString(a)) == a);
        std::vector<int> core(g.nodes.size(), -1);
        std::vector<int> unitCore(g.units.size(), -1);
        std::size_t total = 0;
        for (std::size_t c = 0; c < s.order.size(); ++c)
            for (const std::uint32_t n : s.order[c]) {
                core[n] = static_cast<int>(c);
                ++total;
                int& of = unitCore[g.nodes[n].unit]; // a chain stays on one core
                QVERIFY(of < 0 || of == static_cast<int>(c));
                of = static_cast<int>(c);
                if (a == Assignment::HeadParallel && g.nodes[n].head >= 0)
                    QCOMPARE(core[n], g.nodes[n].head % 3);
            }
        QCOMPARE(total, g.nodes.size());
        QVERIFY(s.estimatedMakespan >= *std::max_element(s.cp.begin(), s.cp.end()) / 2);
    }
}

TILEWRIGHT_TEST(TestNpuTiles)

} // namespace test_npu_tiles
#include "test_npu_tiles.moc"
