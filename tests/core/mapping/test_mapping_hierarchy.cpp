// SPDX-License-Identifier: GPL-3.0-or-later
// The cost model of the Mapping lens for any memory hierarchy: docs/rules/hierarchy.md.
#include "drawn_cases.h"
#include "hierarchy/files.h"
#include "hierarchy_by_hand.h"
#include "hierarchy_cases.h"
#include "hierarchy_walk.h"
#include "test_main.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

namespace test_mapping_hierarchy {

using namespace tilewright;
using namespace tilewright::hierarchy;
using nlohmann::json;

namespace {

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

/// The layer without padding that has these trip counts.
mapping::Layer layerOf(const json& j)
{
    mapping::Layer out;
    const json& trips = j["trips"];
    if (j["kind"] == "gemm") {
        out.kind = mapping::LayerKind::Gemm;
        out.m = trips["X"];
        out.n = trips["Y"];
        out.k = trips["K"];
        return out;
    }
    out.kind = j["kind"] == "conv" ? mapping::LayerKind::Conv : mapping::LayerKind::DwConv;
    out.batch = trips["N"];
    out.inChannels = trips["C"];
    out.outChannels = trips[out.kind == mapping::LayerKind::Conv ? "M" : "C"];
    out.kernel = {trips["Fx"], trips["Fy"]};
    const std::int64_t stride = j["stride"];
    out.stride = {stride, stride};
    out.height = (trips["Ox"].get<std::int64_t>() - 1) * stride + out.kernel[0];
    out.width = (trips["Oy"].get<std::int64_t>() - 1) * stride + out.kernel[1];
    return out;
}

/// What differs between the evaluator and the walk; empty if nothing does.
std::string difference(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
{
    const Cost cost = evaluate(nest, architecture, mapping);
    const HierarchyWalk walk(nest, architecture, mapping);
    if (codeOf(cost.violation) != walk.code)
        return "code " + codeOf(cost.violation) + ", walk " + walk.code;
    if (cost.violation &&
        (cost.violation->loop != walk.faultyLoop || cost.violation->level != walk.faultyLevel))
        return "another place of " + walk.code;
    if (cost.hasNumbers != (walk.code != "TILING"))
        return "figures of " + walk.code;
    for (std::size_t i = 0; i < walk.levels.size(); ++i)
        for (std::size_t op = 0; op < kOperands; ++op)
            if (const Traffic& a = cost.levels[i].operands[op].traffic, &b = walk.levels[i][op]; a != b)
                return "level " + std::to_string(i) + " operand " + std::to_string(op) + ": reads " +
                       std::to_string(a.reads) + "/" + std::to_string(b.reads) + ", writes " +
                       std::to_string(a.writes) + "/" + std::to_string(b.writes) + ", bits read " +
                       std::to_string(a.readBits) + "/" + std::to_string(b.readBits) + ", written " +
                       std::to_string(a.writeBits) + "/" + std::to_string(b.writeBits);
    if (cost.hasNumbers && cost.energy != walk.energy)
        return "energy " + std::to_string(cost.energy) + ", walk " + std::to_string(walk.energy);
    if (cost.hasNumbers && !close(cost.cycles, walk.cycles))
        return "cycles " + std::to_string(cost.cycles) + ", walk " + std::to_string(walk.cycles);
    return {};
}

} // namespace

class TestMappingHierarchy : public QObject
{
    Q_OBJECT

private slots:
    void oracle_everyCase();
    void walk_drawnCases();
    void rule_11_2_walk();
    void rule_11_1_tiling();
    void rule_11_2_factorsThatDivide();
    void rule_11_2_byHand();
    void rule_1_doubleBufferByPlace();
    void rule_1_axesOfOtherLayers();
    void rule_2_violationsInOrder();
    void rule_2_tiling();
    void rule_2_spatial();
    void rule_2_capacity();
    void rule_2_capacityOfMemories();
    void rule_2_invalidKeepsFigures();
};

void TestMappingHierarchy::oracle_everyCase()
{
    std::ifstream in(TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/mapping/hierarchy_cases.jsonl");
    QVERIFY(in.is_open());
    int cases = 0, valid = 0;
    for (std::string line; std::getline(in, line); ++cases) {
        const json c = json::parse(line);
        const auto where = c["id"].get<std::string>();
        const auto nest = makeNest(layerOf(c["layer"])).value();
        for (const auto& [loop, trips] : c["layer"]["trips"].items())
            QCOMPARE(nest.trips[static_cast<std::size_t>(nest.loopByName(loop))], trips.get<std::int64_t>());
        const auto architecture = readArchitecture(c["architecture"].dump(), where);
        QVERIFY2(architecture, architecture ? "" : architecture.error().text().c_str());
        const auto mapping = readMapping(c["mapping"].dump(), where, nest, *architecture);
        QVERIFY2(mapping, mapping ? "" : mapping.error().text().c_str());
        const Cost cost = evaluate(nest, *architecture, *mapping);
        const json& x = c["expect"];
        QVERIFY2(cost.valid() == x["valid"].get<bool>(), where.c_str());
        if (!cost.valid()) {
            QCOMPARE(codeOf(cost.violation), x["code"].get<std::string>());
            if (x.contains("loop"))
                QCOMPARE(std::string(nest.loopNames[static_cast<std::size_t>(cost.violation->loop)]),
                         x["loop"].get<std::string>());
            if (x.contains("level"))
                QCOMPARE(architecture->levels[static_cast<std::size_t>(cost.violation->level)].name,
                         x["level"].get<std::string>());
            QVERIFY(x.contains("loop") != x.contains("level"));
            continue;
        }
        ++valid;
        for (std::size_t i = 0; i < architecture->levels.size(); ++i)
            for (std::size_t op = 0; op < kOperands; ++op) {
                const json& counts =
                    x["counts"][architecture->levels[i].name][std::string(nest.operands[op].name)];
                const Traffic& traffic = cost.levels[i].operands[op].traffic;
                QVERIFY2(traffic.reads == counts["reads"].get<std::int64_t>(), where.c_str());
                QVERIFY2(traffic.writes == counts["writes"].get<std::int64_t>(), where.c_str());
            }
        QCOMPARE(cost.compute, x["compute"].get<std::int64_t>());
        QVERIFY2(cost.energy == x["energy"].get<double>(), where.c_str()); // eighths: exact
        QVERIFY2(close(cost.cycles, x["cycles"].get<double>()), where.c_str());
        QCOMPARE(cost.edp, cost.energy * cost.cycles);
    }
    QCOMPARE(cases, 260);
    QCOMPARE(valid, 211);
}

void TestMappingHierarchy::walk_drawnCases()
{
    HierarchyDraw draw(39);
    std::map<std::string, int> seen;
    for (int i = 0; i < test::drawnCases(10'000); ++i) {
        const auto nest = makeNest(draw.layer(96)).value();
        const Architecture architecture = draw.architecture(5, draw.chance(2));
        QVERIFY(checkArchitecture(architecture));
        const Mapping mapping = draw.mapping(nest, architecture, true);
        if (const std::string what = difference(nest, architecture, mapping); !what.empty())
            QFAIL(("case " + std::to_string(i) + ": " + what + "\n" + writeArchitecture(architecture) +
                   writeMapping(nest, architecture, mapping))
                      .c_str());
        const Cost cost = evaluate(nest, architecture, mapping);
        ++seen[codeOf(cost.violation)];
        seen["filled"] += cost.waiting > 0;
        seen["limited"] += cost.limitLevel >= 0;
    }
    QVERIFY(seen[""] >= test::drawnAtLeast(5'000));
    QVERIFY(seen["TILING"] >= test::drawnAtLeast(150));
    QVERIFY(seen["SPATIAL"] >= test::drawnAtLeast(150));
    QVERIFY(seen["CAPACITY"] >= test::drawnAtLeast(1'000));
    QVERIFY(seen["filled"] >= test::drawnAtLeast(1'000));
    QVERIFY(seen["limited"] >= test::drawnAtLeast(5'000));
}

void TestMappingHierarchy::rule_11_2_walk()
{
    HierarchyDraw draw(11);
    std::map<std::string, int> seen;
    for (int i = 0; i < test::drawnCases(10'000); ++i) {
        const auto nest = makeNest(draw.layer(96)).value();
        Architecture architecture = draw.architecture(5, draw.chance(2));
        architecture.imperfect = true;
        const Mapping mapping = draw.imperfectMapping(nest, architecture, true);
        if (const std::string what = difference(nest, architecture, mapping); !what.empty())
            QFAIL(("case " + std::to_string(i) + ": " + what + "\n" + writeArchitecture(architecture) +
                   writeMapping(nest, architecture, mapping))
                      .c_str());
        const Cost cost = evaluate(nest, architecture, mapping);
        ++seen[codeOf(cost.violation)];
        architecture.imperfect = false;
        seen["cut"] += cost.valid() && codeOf(checkMapping(nest, architecture, mapping)) == "TILING";
    }
    QVERIFY(seen[""] >= test::drawnAtLeast(5'000));
    QVERIFY(seen["cut"] >= test::drawnAtLeast(2'500));
    QVERIFY(seen["TILING"] >= test::drawnAtLeast(150));
    QVERIFY(seen["CAPACITY"] >= test::drawnAtLeast(1'000));
}

void TestMappingHierarchy::rule_11_1_tiling()
{
    Architecture a = machine({level("L0", {axis("rows", 8)}), level("L1")});
    a.imperfect = true;
    const LoopNest nest = gemm(7, 1, 1);
    const auto message = [&](std::int64_t outer, std::int64_t rows, std::int64_t inner) {
        const auto v = checkMapping(nest, a, {{{{{X, outer}}, {{"rows", {{X, rows}}}}}, {{{X, inner}}, {}}}});
        return v ? v->message : std::string();
    };
    QCOMPARE(message(2, 2, 2), "");
    QCOMPARE(message(1, 4, 2), "");
    QCOMPARE(message(1, 1, 7), "");
    QCOMPARE(message(3, 2, 1), "loop X: the factors multiply to 6, less than the trip count 7");
    QCOMPARE(message(3, 2, 2), "loop X: the factor 3 at L0 is larger than needed, 2 cover the trip count 7");
    QCOMPARE(message(1, 1, 8), "loop X: the factor 8 at L1 is larger than needed, 7 cover the trip count 7");
    // Reducing factors makes them right again.
    const Mapping large{{{{{X, 9}}, {{"rows", {{X, 2}}}}}, {{{X, 3}}, {}}}};
    QCOMPARE(tightened(nest, a, large), (Mapping{{{{{X, 2}}, {{"rows", {{X, 2}}}}}, {{{X, 3}}, {}}}}));
    const Mapping small{{{{}, {{"rows", {{X, 2}}}}}, {{{X, 3}}, {}}}};
    QCOMPARE(tightened(nest, a, small), tightened(nest, a, large));
}

void TestMappingHierarchy::rule_11_2_factorsThatDivide()
{
    HierarchyDraw draw(112);
    for (int i = 0; i < test::drawnCases(500); ++i) {
        const auto nest = makeNest(draw.layer(96)).value();
        Architecture architecture = draw.architecture(4, true);
        const Mapping mapping = draw.mapping(nest, architecture, false);
        const Cost before = evaluate(nest, architecture, mapping);
        architecture.imperfect = true;
        const Cost after = evaluate(nest, architecture, mapping);
        QVERIFY(before.valid() && after.valid());
        QCOMPARE(after.energy, before.energy);
        QCOMPARE(after.cycles, before.cycles);
        QCOMPARE(after.compute, before.compute);
    }
}

/// The example of docs/rules/hierarchy.md 11: a product of 5 x 2 with k = 3, X on two rows, K in two tiles.
void TestMappingHierarchy::rule_11_2_byHand()
{
    Architecture a = machine({level("DRAM"), level("buffer", {axis("rows", 2)}), level("regs")});
    a.imperfect = true;
    a.levels[2].holds = {false, false, true};
    const Mapping m{{{{{K, 2}}, {}}, {{{X, 3}, {Y, 2}}, {{"rows", {{X, 2}}}}}, {{{K, 2}}, {}}}};
    const Cost cost = evaluate(gemm(5, 2, 3), a, m);
    QVERIFY(cost.valid());
    QCOMPARE(cost.compute, 3 * 2 * 3); // the second tile of K has one step
    QCOMPARE(cost.levels[0].operands[0].traffic.reads, 5 * 3);
    QCOMPARE(cost.levels[0].operands[1].traffic.reads, 2 * 3);
    QCOMPARE(cost.levels[1].operands[0].traffic.reads, 5 * 2 * 3);
    QCOMPARE(cost.levels[1].operands[1].traffic.reads, 3 * 2 * 3); // one row alone in the third step of X
    QCOMPARE(cost.levels[1].operands[2].traffic, moved(20, 20, 10 * 8 + 10 * 16, 10 * 8 + 10 * 16));
    QCOMPARE(cost.levels[1].operands[0].tile, 5 * 2);
}

void TestMappingHierarchy::rule_1_doubleBufferByPlace()
{
    Architecture a = machine({level("L0"), level("L1"), level("L2")});
    QVERIFY(!a.isDoubleBuffered(0));
    QVERIFY(a.isDoubleBuffered(1));
    QVERIFY(!a.isDoubleBuffered(2));
    a.levels[1].doubleBuffered = false;
    a.levels[2].doubleBuffered = true;
    QVERIFY(!a.isDoubleBuffered(1));
    QVERIFY(a.isDoubleBuffered(2));
    QVERIFY(!machine({level("L0")}).isDoubleBuffered(0));
}

void TestMappingHierarchy::rule_1_axesOfOtherLayers()
{
    // An axis for M, C and K takes these loops only, each in layers that have it.
    Axis some = axis("rows", 4);
    some.convLoops = 1u << 1 | 1u << 2;
    some.gemmLoops = 1u << K;
    const Architecture a = machine({level("L0", {some})});
    const auto code = [&](int loop) {
        Mapping m{{{{}, {{"rows", {{loop, 4}}}}}}};
        for (int l = X; l <= K; ++l)
            m.levels[0].temporal.push_back({l, l == loop ? 1 : 4});
        return codeOf(checkMapping(gemm(4, 4, 4), a, m));
    };
    QCOMPARE(code(K), "");
    QCOMPARE(code(X), "SPATIAL");
    QVERIFY(some.allows(mapping::LayerKind::DwConv, 2));
    QVERIFY(!some.allows(mapping::LayerKind::DwConv, 0));
}

void TestMappingHierarchy::rule_2_violationsInOrder()
{
    // Everything is wrong; with each fault repaired in turn, the next one is reported.
    Architecture a = machine({level("L0"), level("L1", {axis("rows", 2)}), level("L2", {axis("cols", 2)})});
    a.levels[0].bytes = 1;
    Mapping m{{{{}, {}}, {{{X, 3}}, {{"rows", {{Y, 4}}}}}, {{{K, 3}}, {{"none", {}}}}}};
    const LoopNest nest = gemm(4, 4, 4);
    auto v = checkMapping(nest, a, m);
    QCOMPARE(codeOf(v), "TILING");
    QCOMPARE(v->loop, X);
    m.levels[1].temporal[0].factor = 4;
    v = checkMapping(nest, a, m);
    QCOMPARE(codeOf(v), "TILING");
    QCOMPARE(v->loop, K);
    m.levels[2].temporal[0].factor = 4;
    v = checkMapping(nest, a, m);
    QCOMPARE(codeOf(v), "SPATIAL");
    QCOMPARE(v->level, 1);
    QCOMPARE(v->message, "level L1 needs 4 of 2 along axis \"rows\"");
    a.levels[1].axes[0].size = 4;
    v = checkMapping(nest, a, m);
    QCOMPARE(codeOf(v), "SPATIAL");
    QCOMPARE(v->level, 2);
    QCOMPARE(v->message, "level L2 has no axis \"none\"");
    m.levels[2].spatial.clear();
    v = checkMapping(nest, a, m);
    QCOMPARE(codeOf(v), "CAPACITY");
    QCOMPARE(v->level, 0);
    a.levels[0].bytes = 48;
    QVERIFY(!checkMapping(nest, a, m));
}

void TestMappingHierarchy::rule_2_tiling()
{
    const Architecture a = machine({level("L0", {axis("rows", 8)}), level("L1")});
    const LoopNest nest = gemm(8, 1, 1);
    // Temporal and spatial factors of all levels count, several of one level too.
    QVERIFY(!checkMapping(nest, a, {{{{{X, 2}}, {{"rows", {{X, 2}}}}}, {{{X, 2}, {X, 1}}, {}}}}));
    const auto message = [&](const Mapping& m) { return checkMapping(nest, a, m)->message; };
    QCOMPARE(message({{{{{X, 2}}, {}}, {{{X, 2}}, {}}}}),
             "loop X: the factors 2 x 2 multiply to 4, not to the trip count 8");
    QCOMPARE(message({{{}, {}}}), "loop X: no level has it, but its trip count is 8");
    const std::int64_t huge = std::int64_t{1} << 31;
    QCOMPARE(message({{{{{X, huge}, {X, huge}, {X, huge}}, {}}, {}}}),
             "loop X: the factors 2147483648 x 2147483648 x 2147483648 multiply to more than 64 bits, not to "
             "the trip count 8");
}

void TestMappingHierarchy::rule_2_spatial()
{
    Architecture a = machine({level("L0", {axis("rows", 4), axis("cols", 2)})});
    a.levels[0].axes[1].gemmLoops = 1u << Y;
    const LoopNest nest = gemm(4, 2, 1);
    QVERIFY(!checkMapping(nest, a, {{{{}, {{"rows", {{X, 4}}}, {"cols", {{Y, 2}, {X, 1}}}}}}}));
    const auto message = [&](const Mapping& m) { return checkMapping(nest, a, m)->message; };
    QCOMPARE(message({{{{}, {{"rows", {{X, 4}, {Y, 2}}}}}}}), "level L0 needs 8 of 4 along axis \"rows\"");
    QCOMPARE(message({{{{{X, 2}, {Y, 2}}, {{"cols", {{X, 2}}}}}}}),
             "level L0 does not allow loop X on axis \"cols\"");
}

void TestMappingHierarchy::rule_2_capacity()
{
    // Tiles of L1: A 2 x 4, B 4 x 1, C 2 x 1. In bits 64 + 32 + 2 * 16, twice for the double buffer.
    Architecture a = machine({level("L0"), level("L1"), level("L2")});
    const LoopNest nest = gemm(4, 2, 4);
    const Mapping m{{{{{X, 2}, {Y, 2}}, {}}, {{{X, 2}, {K, 4}}, {}}, {}}};
    a.levels[1].bytes = 32;
    QVERIFY(!checkMapping(nest, a, m));
    a.levels[1].bytes = 31;
    QCOMPARE(checkMapping(nest, a, m)->message,
             "level L1 needs 256 of 248 bits for A, B, C, twice for its double buffer");
    a.levels[1].doubleBuffered = false;
    a.levels[1].bytes = 16;
    QVERIFY(!checkMapping(nest, a, m));
    a.levels[1].holds = {true, false, true};
    a.levels[1].bytes = 12;
    QVERIFY(!checkMapping(nest, a, m));
    a.levels[1].bytes = 11;
    QCOMPARE(checkMapping(nest, a, m)->message, "level L1 needs 96 of 88 bits for A, C");
    // In the outermost level C counts at its own bits: 16 + 8 + 8 elements of 8 bits.
    a.levels[1].bytes.reset();
    a.levels[0].bytes = 32;
    QVERIFY(!checkMapping(nest, a, m));
    a.levels[0].bytes = 31;
    QCOMPARE(codeOf(checkMapping(nest, a, m)), "CAPACITY");
}

void TestMappingHierarchy::rule_2_capacityOfMemories()
{
    Architecture a = machine({level("L0"), level("L1")});
    const LoopNest nest = gemm(4, 2, 4);
    const Mapping m{{{{}, {}}, {{{X, 4}, {Y, 2}, {K, 4}}, {}}}};
    a.levels[1].memories = {16, 8, 16}; // A 16 bytes, B 8, C 8 of 16 bits
    QVERIFY(!checkMapping(nest, a, m));
    a.levels[1].memories = {1000, 7, 1000}; // the room of one operand is not that of another
    QCOMPARE(checkMapping(nest, a, m)->message, "level L1 needs 64 of 56 bits for B");
}

void TestMappingHierarchy::rule_2_invalidKeepsFigures()
{
    ByHand valid, small;
    small.architecture.levels[1].bytes = 55;
    QVERIFY(valid.cost().valid());
    QVERIFY(!small.cost().valid());
    QVERIFY(small.cost().hasNumbers);
    QCOMPARE(small.cost().energy, valid.cost().energy);
    small.mapping.levels[0].temporal.clear();
    QVERIFY(!small.cost().hasNumbers);
}

TILEWRIGHT_TEST(TestMappingHierarchy)

} // namespace test_mapping_hierarchy
#include "test_mapping_hierarchy.moc"
