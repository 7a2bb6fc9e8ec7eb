// SPDX-License-Identifier: GPL-3.0-or-later
// What moves, energy and cycles on any memory hierarchy: docs/rules/hierarchy.md 3 to 6.
#include "drawn_cases.h"
#include "hierarchy_by_hand.h"
#include "test_main.h"

#include <QTest>

#include <random>
#include <set>

namespace test_mapping_hierarchy_costs {

using namespace tilewright;
using namespace tilewright::hierarchy;

class TestMappingHierarchyCosts : public QObject
{
    Q_OBJECT

private slots:
    void rule_3_visits();
    void rule_3_macsReadForEveryMultiplication();
    void rule_3_bypassedLevels();
    void rule_3_multicast();
    void rule_3_halosAndGaps();
    void rule_3_unionOfIntervals();
    void rule_3_reductionTree();
    void rule_3_partialSumsComeBack();
    void rule_4_energy();
    void rule_4_completeSums();
    void rule_5_limits();
    void rule_5_fillsAndDrains();
    void rule_6_byHand();
};

void TestMappingHierarchyCosts::rule_3_visits()
{
    // Loops outside L1, from the outermost: Y 3, X 2, K 1, Y 5 in L0.
    const LoopNest nest = gemm(2, 15, 4);
    const TiledNest t = tiledNest(nest, {{{{{Y, 3}, {X, 2}, {K, 1}, {Y, 5}}, {}}, {{{K, 4}}, {}}}});
    QCOMPARE(t.visits[0][0], (Visits{1, 1}));
    QCOMPARE(t.visits[1][0], (Visits{6, 2}));    // A[x,k]: Y 5 is dropped, Y 3 is not
    QCOMPARE(t.visits[1][1], (Visits{30, 15}));  // B[k,y]
    QCOMPARE(t.visits[1][2], (Visits{30, 30}));  // C[x,y]
    QCOMPARE(t.visits[2][2], (Visits{120, 30})); // the MACs drop no loop
}

void TestMappingHierarchyCosts::rule_3_macsReadForEveryMultiplication()
{
    const LoopNest nest = gemm(2, 3, 4);
    const Cost cost = evaluate(nest, machine({level("L0")}), {{{{{X, 2}, {Y, 3}, {K, 4}}, {}}}});
    QCOMPARE(cost.levels[0].operands[0].traffic, moved(24, 0, 24 * 8, 0));
    QCOMPARE(cost.levels[0].operands[1].traffic, moved(24, 0, 24 * 8, 0));
    // 6 sums: the first product of each reads none, the last one completes it.
    QCOMPARE(cost.levels[0].operands[2].traffic, moved(18, 24, 18 * 16, 18 * 16 + 6 * 8));
}

void TestMappingHierarchyCosts::rule_3_bypassedLevels()
{
    ByHand c;
    // The registers hold C only, so the MACs read A and B from the buffer.
    QCOMPARE(c.at(2, 0), Traffic());
    QCOMPARE(c.at(2, 1), Traffic());
    c.architecture.levels[1].holds = {false, true, true};
    QCOMPARE(c.at(1, 0), Traffic());
    QCOMPARE(c.at(0, 0), moved(32, 0, 256, 0));
    c.architecture.levels[2].holds = {false, false, false};
    QCOMPARE(c.at(1, 2).writes, 32); // every product
    QCOMPARE(c.cost().levels[2].operands[2].tile, 0);
}

void TestMappingHierarchyCosts::rule_3_multicast()
{
    // B goes to both rows, A is another one in each.
    ByHand c;
    QCOMPARE(c.at(1, 0).reads, 32);
    QCOMPARE(c.at(1, 1).reads, 16);
    c.architecture.levels[1].multicast = false;
    QCOMPARE(c.at(1, 0).reads, 32);
    QCOMPARE(c.at(1, 1).reads, 32);
    // Two fan-outs, one of them with multicast.
    const LoopNest nest = gemm(6, 1, 1);
    Architecture a = machine({level("L0", {axis("rows", 2)}), level("L1", {axis("cols", 3)})});
    a.levels[1].holds = {false, false, false};
    const Mapping m{{{{}, {{"rows", {{X, 2}}}}}, {{}, {{"cols", {{X, 3}}}}}}};
    const auto reads = [&](bool outer, bool inner) {
        a.levels[0].multicast = outer;
        a.levels[1].multicast = inner;
        return evaluate(nest, a, m).levels[0].operands[1].traffic.reads;
    };
    QCOMPARE(reads(true, true), 1);
    QCOMPARE(reads(false, true), 2);
    QCOMPARE(reads(true, false), 3);
    QCOMPARE(reads(false, false), 6);
}

void TestMappingHierarchyCosts::rule_3_halosAndGaps()
{
    Architecture a = machine({level("L0", {axis("cols", 8)}), level("L1")});
    const auto reads = [&](const LoopNest& nest, const Mapping& m) {
        return evaluate(nest, a, m).levels[0].operands[0].traffic.reads;
    };
    // 4 instances with 2 outputs of a filter of 3 each: tiles of 4, at 0, 2, 4, 6.
    const Mapping four{{{{}, {{"cols", {{Oy, 4}}}}}, {{{Oy, 2}, {Fy, 3}}, {}}}};
    QCOMPARE(reads(row(8, 3, 1), four), 10);
    a.levels[0].multicast = false;
    QCOMPARE(reads(row(8, 3, 1), four), 16);
    a.levels[0].multicast = true;
    // A filter of 1 with stride 3: one element at 0, 3, 6, 9; what lies between is not read.
    QCOMPARE(reads(row(4, 1, 3), {{{{}, {{"cols", {{Oy, 4}}}}}, {}}}), 4);
    // Outputs and taps on the same axis: 0, 2 and 0, 1, 2.
    const Mapping both{{{{}, {{"cols", {{Oy, 2}, {Fy, 3}}}}}, {}}};
    QCOMPARE(reads(row(2, 3, 2), both), 5);
    // A level between them that does not hold I: its temporal loops move the tiles apart.
    Architecture deep = machine({level("L0", {axis("cols", 2)}), level("L1"), level("L2")});
    deep.levels[1].holds = {false, true, true};
    const Cost cost =
        evaluate(row(8, 1, 1), deep, {{{{}, {{"cols", {{Oy, 2}}}}}, {{{Oy, 2}}, {}}, {{{Oy, 2}}, {}}}});
    QCOMPARE(cost.levels[0].operands[0].traffic.reads, 8); // {0, 1, 4, 5}, then {2, 3, 6, 7}
}

void TestMappingHierarchyCosts::rule_3_unionOfIntervals()
{
    const auto length = [](std::int64_t interval, std::vector<Shifts> shifts) {
        return unionLength(interval, shifts);
    };
    QCOMPARE(length(5, {}), 5);
    QCOMPARE(length(5, {{3, 5}}), 15);
    QCOMPARE(length(5, {{3, 7}}), 15);
    QCOMPARE(length(5, {{3, 2}}), 9);
    QCOMPARE(length(1, {{3, 2}, {2, 1}}), 6);  // 0 to 5
    QCOMPARE(length(1, {{3, 2}, {2, 3}}), 6);  // 0, 2, 4, 3, 5, 7
    QCOMPARE(length(1, {{3, 2}, {2, 2}}), 4);  // 0, 2, 4, 6
    QCOMPARE(length(2, {{2, 4}, {2, 5}}), 7);  // 0 1, 4 5, 5 6, 9 10
    QCOMPARE(length(2, {{2, 3}, {2, 10}}), 8); // 0 1, 3 4, 10 11, 13 14
    // Drawn ones, marked element by element.
    std::mt19937 random(1);
    for (int i = 0; i < test::drawnCases(2'000); ++i) {
        const auto from1 = [&](unsigned n) { return static_cast<std::int64_t>(1 + random() % n); };
        const std::int64_t interval = from1(4);
        std::vector<Shifts> shifts(random() % 4);
        for (Shifts& s : shifts)
            s = {from1(4), from1(9)};
        std::set<std::int64_t> starts{0};
        for (const Shifts& s : shifts) {
            const std::set<std::int64_t> before = starts;
            for (const std::int64_t at : before)
                for (std::int64_t copy = 1; copy < s.count; ++copy)
                    starts.insert(at + copy * s.step);
        }
        std::set<std::int64_t> elements;
        for (const std::int64_t at : starts)
            for (std::int64_t x = 0; x < interval; ++x)
                elements.insert(at + x);
        QCOMPARE(unionLength(interval, shifts), static_cast<std::int64_t>(elements.size()));
    }
}

void TestMappingHierarchyCosts::rule_3_reductionTree()
{
    // 4 instances add to one sum, 3 sums one after the other: without a tree 12 arrive, 3 of them first.
    const LoopNest nest = gemm(3, 1, 4);
    Architecture a = machine({level("L0", {axis("rows", 4)}), level("L1")});
    const Mapping m{{{{{X, 3}}, {{"rows", {{K, 4}}}}}, {}}};
    const auto sums = [&] { return evaluate(nest, a, m).levels[0].operands[2].traffic; };
    QCOMPARE(sums(), moved(9, 12, 9 * 16, 9 * 16 + 3 * 8));
    a.levels[0].reductionTree = true;
    QCOMPARE(sums(), moved(0, 3, 0, 3 * 8));
}

void TestMappingHierarchyCosts::rule_3_partialSumsComeBack()
{
    // K outside X: each of the 3 sums of L1 leaves twice and comes back once.
    const LoopNest nest = gemm(3, 1, 4);
    const Architecture a = machine({level("L0"), level("L1")});
    const Mapping m{{{{{K, 2}, {X, 3}}, {}}, {{{K, 2}}, {}}}};
    const Cost cost = evaluate(nest, a, m);
    QCOMPARE(cost.levels[0].operands[2].traffic, moved(3, 6, 3 * 16, 3 * 16 + 3 * 8));
    // L1: from L0 3 writes, to L0 6 reads; MACs: 12 products, of which 9 read a sum.
    QCOMPARE(cost.levels[1].operands[2].traffic.writes, 3 + 12);
    QCOMPARE(cost.levels[1].operands[2].traffic.reads, 6 + 9);
    // With X outside K the sum stays until it is complete.
    const Mapping stays{{{{{X, 3}, {K, 2}}, {}}, {{{K, 2}}, {}}}};
    QCOMPARE(evaluate(nest, a, stays).levels[0].operands[2].traffic, moved(0, 3, 0, 3 * 8));
}

void TestMappingHierarchyCosts::rule_4_energy()
{
    const ByHand c;
    const Cost cost = c.cost();
    QCOMPARE(cost.macEnergy, 16.0);
    QCOMPARE(cost.levels[0].operands[0].energy, 128 * 8.0);
    QCOMPARE(cost.levels[1].operands[0].energy, 256 + 128.0);
    QCOMPARE(cost.levels[2].operands[2].energy, (576 + 576) * 0.125);
    double sum = cost.macEnergy;
    for (const LevelCost& l : cost.levels)
        sum += l.energy();
    QCOMPARE(cost.energy, sum);
}

void TestMappingHierarchyCosts::rule_4_completeSums()
{
    const LoopNest nest = gemm(1, 1, 4);
    // K inside one instance of L1: complete there. L1 sends and L0 writes 8 bits.
    Architecture a = machine({level("L0", {axis("rows", 4)}), level("L1", {axis("cols", 4)}), level("L2")});
    a.levels[1].reductionTree = true;
    const auto sums = [&](const Mapping& m, std::size_t l) {
        return evaluate(nest, a, m).levels[l].operands[2].traffic;
    };
    const Mapping inside{{{}, {{}, {{"cols", {{K, 4}}}}}, {}}};
    QCOMPARE(sums(inside, 0).writeBits, 8.0);
    QCOMPARE(sums(inside, 1).readBits, 8.0);
    QCOMPARE(sums(inside, 1).writeBits, 8.0);      // the tree delivers the complete sum
    QCOMPARE(sums(inside, 2).readBits, 4 * 16.0);  // of four instances none is complete
    QCOMPARE(sums(inside, 2).writeBits, 4 * 16.0); // nor are the products of their MACs
    // K over the instances of L1: complete in L0 only, with the last one that arrives.
    const Mapping outside{{{{}, {{"rows", {{K, 4}}}}}, {}, {}}};
    QCOMPARE(sums(outside, 0).writeBits, 3 * 16 + 8.0);
    QCOMPARE(sums(outside, 1).readBits, 4 * 16.0);
    QCOMPARE(sums(outside, 1).writeBits, 4 * 16.0);
}

void TestMappingHierarchyCosts::rule_5_limits()
{
    ByHand c;
    const auto limited = [&](Limit limit, int level, double busy) {
        const Cost cost = c.cost();
        return cost.limit == limit && cost.limitLevel == level && cost.busy == busy &&
               cost.cycles == busy + cost.waiting;
    };
    QVERIFY(limited(Limit::Reads, 1, 18));
    c.architecture.levels[1].readBytesPerCycle = 8;
    QVERIFY(limited(Limit::Compute, -1, 16));
    c.architecture.levels[0].writeBytesPerCycle = 0.25;
    QVERIFY(limited(Limit::Writes, 0, 32));
    c.architecture.levels[0].writeBytesPerCycle.reset();
    QVERIFY(limited(Limit::Compute, -1, 16));
    // Two instances of the registers share 576 bits.
    c.architecture.levels[2].writeBytesPerCycle = 2;
    QVERIFY(limited(Limit::Writes, 2, 18));
    QCOMPARE(c.cost().edp, c.cost().energy * 18);
}

void TestMappingHierarchyCosts::rule_5_fillsAndDrains()
{
    ByHand c;
    QCOMPARE(c.cost().waiting, 0.0);
    c.architecture.levels[1].doubleBuffered = false;
    const LevelCost single = c.cost().levels[1];
    QCOMPARE(single.operands[0].fill, 4.0);
    QCOMPARE(single.operands[1].fill, 2.0);
    QCOMPARE(single.operands[2].fill, 0.0); // no partial sums come in
    QCOMPARE(single.operands[2].drain, 2.0);
    QCOMPARE(c.cost().cycles, 18.0 + 8.0);
    // The slower one of both levels counts.
    c.architecture.levels[0].readBytesPerCycle = 1;
    QCOMPARE(c.cost().levels[1].operands[0].fill, 16.0);
    c.architecture.levels[1].readBytesPerCycle = 1;
    QCOMPARE(c.cost().levels[1].operands[2].drain, 8.0);
    // Partial sums come in, and additions in the outer level belong to no drain.
    const LoopNest nest = gemm(3, 1, 8);
    Architecture a = machine({level("L0", {axis("rows", 2)}), level("L1"), level("L2")});
    a.levels[0].readBytesPerCycle = a.levels[0].writeBytesPerCycle = 1;
    a.levels[1].doubleBuffered = false;
    const Cost cost = evaluate(nest, a, {{{{{K, 2}, {X, 3}}, {{"rows", {{K, 2}}}}}, {{{K, 2}}, {}}, {}}});
    QCOMPARE(cost.levels[1].operands[2].fill, 3 * 2.0);
    QCOMPARE(cost.levels[1].operands[2].drain, 9 * 2 + 3.0); // 12 writes, 3 of them complete
    // Neither the outermost nor the innermost level waits.
    a.levels[1].doubleBuffered.reset();
    a.levels[0].doubleBuffered = a.levels[2].doubleBuffered = false;
    QCOMPARE(evaluate(nest, a, {{{{{X, 3}, {K, 8}}, {}}, {}, {}}}).waiting, 0.0);
}

void TestMappingHierarchyCosts::rule_6_byHand()
{
    ByHand c;
    const Cost cost = c.cost();
    QVERIFY(cost.valid());
    QCOMPARE(cost.compute, 16);
    QCOMPARE(c.at(0, 0), moved(16, 0, 128, 0));
    QCOMPARE(c.at(0, 1), moved(8, 0, 64, 0));
    QCOMPARE(c.at(0, 2), moved(0, 8, 0, 64));
    QCOMPARE(c.at(1, 0), moved(32, 16, 256, 128));
    QCOMPARE(c.at(1, 1), moved(16, 8, 128, 64));
    QCOMPARE(c.at(1, 2), moved(16, 16, 192, 192));
    QCOMPARE(c.at(2, 2), moved(40, 40, 576, 576));
    QCOMPARE(cost.energy, 3168.0);
    QCOMPARE(cost.cycles, 18.0);
    QCOMPARE(cost.edp, 57'024.0);
    c.architecture.levels[1].doubleBuffered = false;
    QCOMPARE(c.cost().cycles, 26.0);
}

TILEWRIGHT_TEST(TestMappingHierarchyCosts)

} // namespace test_mapping_hierarchy_costs
#include "test_mapping_hierarchy_costs.moc"
