// SPDX-License-Identifier: GPL-3.0-or-later
// Where no tile of an operator fits into the SPM, the smallest set of limits that excludes all is named.
#include "npu/fit_tiles.h"
#include "npu/tile_graph_builder.h"
#include "npu_models.h"
#include "random_cases.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <map>

namespace test_npu_no_tile {

using namespace tilewright;
using namespace tilewright::npu;

namespace {

/// One operator whose tile sizes go up to `most`.
struct Case
{
    NpuModel model;
    std::int64_t most = 1;
};

Case drawCase(random_cases::Source& rnd)
{
    Case out;
    if (rnd.chance(60)) {
        out.model = npu::test::matmulModel(rnd.between(1, 4), rnd.between(1, 4), rnd.between(1, 4));
        out.most = 4;
    } else {
        NpuModel& model = out.model;
        model.name = "conv";
        ModelOp op;
        op.type = npu::OpType::Conv2d;
        op.name = "conv";
        const std::int64_t in = rnd.between(1, 2), channels = rnd.between(1, 2), size = rnd.between(2, 4);
        op.inputs = {model.addTensor("x", {1, in, size, size}), model.addTensor("w", {channels, in, 2, 2})};
        op.outputs = {model.addTensor("y", {1, channels, size - 1, size - 1})};
        model.ops.push_back(op);
        out.most = 3;
    }
    for (const TileField& field : tileFields(out.model.ops[0].type))
        if (rnd.chance(45))
            out.model.ops[0].tile.*field.size = rnd.between(1, out.most);
    return out;
}

/// By the graph of every combination of the sizes that are not requested.
bool exists(const Case& c, const TileSizes& requested, std::int64_t spm)
{
    const auto fields = tileFields(c.model.ops[0].type);
    const std::function<bool(std::size_t, TileSizes)> tried = [&](std::size_t at, TileSizes tile) {
        if (at < fields.size()) {
            const auto field = fields[at].size;
            if (tile.*field > 0)
                return tried(at + 1, tile);
            for (tile.*field = 1; tile.*field <= c.most; ++(tile.*field))
                if (tried(at + 1, tile))
                    return true;
            return false;
        }
        NpuModel model = c.model;
        model.ops[0].tile = tile;
        const NpuHardware hw; // the default rule has no say: every size is given
        const auto graph = TileGraphBuilder(model, hw, 100'000).build(SpmCheck::None);
        for (std::size_t i = 0; i < graph->nodes.size(); ++i)
            if (graph->spmOf(i) > spm)
                return false;
        return true;
    };
    return tried(0, requested);
}

/// The limits of a reason as sizes and SPM.
bool existsWith(const Case& c, const std::vector<ExcludingLimit>& limits, std::int64_t spm)
{
    TileSizes requested;
    bool isLimited = false;
    for (const ExcludingLimit& limit : limits) {
        isLimited = isLimited || limit.name == "SPM";
        for (const TileField& field : tileFields(c.model.ops[0].type))
            if (limit.name == "tile " + std::string(field.key))
                requested.*field.size = c.model.ops[0].tile.*field.size;
    }
    return exists(c, requested, isLimited ? spm : std::int64_t{1} << 40);
}

} // namespace

class TestNpuNoTile : public QObject
{
    Q_OBJECT

private slots:
    void rule_2_6_theSetIsSmallest();
    void theGraphSaysIt();
};

void TestNpuNoTile::rule_2_6_theSetIsSmallest()
{
    random_cases::Source rnd(26);
    int explained = 0;
    std::map<std::size_t, int> sizes;
    while (explained < 200) {
        const Case c = drawCase(rnd);
        NpuHardware hw;
        hw.spmBytes = rnd.between(4, 60);
        const auto why = whyNoTile(c.model, hw, 0);
        const TileSizes& requested = c.model.ops[0].tile;
        QVERIFY2(exists(c, requested, hw.spmBytes) == !why, why ? why->text().c_str() : "not explained");
        if (!why)
            continue;
        ++explained;
        ++sizes[why->limits.size()];
        QVERIFY2(!existsWith(c, why->limits, hw.spmBytes), why->text().c_str());
        for (std::size_t i = 0; i < why->limits.size(); ++i) {
            std::vector<ExcludingLimit> fewer = why->limits;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            QVERIFY2(existsWith(c, fewer, hw.spmBytes), (why->text() + ", one less").c_str());
        }
        // The SPM that would do is the least one.
        QCOMPARE(why->limits.front().enough.size(), std::size_t(1));
        const std::int64_t least = std::stoll(why->limits.front().enough.front());
        QVERIFY2(exists(c, requested, least) && !exists(c, requested, least - 1), why->text().c_str());
    }
    qInfo("sets of 1: %d, 2: %d, 3 and more: %d", sizes[1], sizes[2], explained - sizes[1] - sizes[2]);
    QVERIFY(sizes[1] > 10 && sizes[2] > 10 && sizes[3] > 0);
}

void TestNpuNoTile::theGraphSaysIt()
{
    NpuHardware hw;
    hw.spmBytes = 64;
    const auto graph = buildGraph(npu::test::matmulModel(16, 16, 16, npu::test::mnk(8, 0, 0)), hw);
    QVERIFY(graph); // smaller sizes of the others fit
    hw.spmBytes = 40;
    const auto refused = buildGraph(npu::test::matmulModel(16, 16, 16, npu::test::mnk(8, 0, 0)), hw);
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.ends_with("no tile exists: SPM 40 bytes and tile m 8: the largest node "
                                               "of mm takes at least 50 bytes; 50 bytes of "
                                               "SPM or tile m 6 would do"),
             refused.error().message.c_str());
}

TILEWRIGHT_TEST(TestNpuNoTile)

} // namespace test_npu_no_tile
#include "test_npu_no_tile.moc"
