// SPDX-License-Identifier: GPL-3.0-or-later
// What the base model leaves out (docs/rules/mapping.md 10), and what a person asks of factors.
#include "mapping/factors.h"
#include "mapping_brute_force.h"
#include "test_main.h"

#include <QTest>

#include <cmath>
#include <random>

namespace test_mapping_options {

using namespace tilewright;
using namespace tilewright::mapping;

namespace {

bool close(double a, double b, double tolerance = 2e-12)
{
    return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

Layer layerOf(LayerKind kind, std::int64_t a, std::int64_t b, std::int64_t c)
{
    Layer l;
    l.kind = kind;
    l.m = a;
    l.n = b;
    l.k = c;
    l.inChannels = a;
    l.outChannels = kind == LayerKind::DwConv ? a : b;
    l.height = c + 2;
    l.width = c;
    l.kernel = {3, 1};
    l.stride = {1, 2};
    return l;
}

std::vector<LoopNest> someNests()
{
    return {makeNest(layerOf(LayerKind::Gemm, 12, 30, 16)).value(),
            makeNest(layerOf(LayerKind::Conv, 4, 6, 8)).value(),
            makeNest(layerOf(LayerKind::DwConv, 6, 6, 8)).value()};
}

Method randomMethod(const LoopNest& nest, std::mt19937& random)
{
    Method m = trivialMethod(nest);
    for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l)
        for (const PrimePower& p : primePowers(nest.trips[l]))
            for (int e = 0; e < p.exponent; ++e)
                if (const std::size_t to = random() % kLevels; to != 0) {
                    m.tiling[0][l] /= p.prime;
                    m.tiling[to][l] *= p.prime;
                }
    std::shuffle(m.dramOrder.begin(), m.dramOrder.begin() + nest.loopCount, random);
    std::shuffle(m.spmOrder.begin(), m.spmOrder.begin() + nest.loopCount, random);
    return m;
}

Architecture withOption(int option)
{
    Architecture a;
    switch (option) {
    case 1:
        a.options.reductionTree = true;
        break;
    case 2:
        a.options.overlapped = true;
        break;
    case 3:
        a.options.bypassSpm[1] = true;
        break;
    case 4:
        a.options.bypassSpm = {true, false, true};
        a.options.overlapped = true;
        break;
    case 5:
        a.energyPj.rfWrite = 1.5;
        a.energyPj.spmWrite = 11;
        a.energyPj.dramWrite = 150;
        a.energyPj.rfFill = 0.4;
        a.energyPj.spmFill = 5;
        break;
    case 6:
        a.energyPj.leakage = 900;
        break;
    case 7:
        a.options.reductionTree = true;
        a.options.bypassSpm[2] = true;
        a.energyPj.leakage = 50;
        a.energyPj.spmFill = 5;
        break;
    default:
        break;
    }
    return a;
}
constexpr int kOptions = 8;

void shrink(Architecture& a, int i)
{
    a.pes = std::array{4, 6, 16}[static_cast<std::size_t>(i % 3)];
    a.rfBytes = std::array{12, 24, 64}[static_cast<std::size_t>(i / 3 % 3)];
    a.spmBanks = 4;
    a.spmBankBytes = std::array{16, 64}[static_cast<std::size_t>(i % 2)];
    a.dmaInitCycles = i % 2 == 0 ? 10 : 291;
}

} // namespace

class TestMappingOptions : public QObject
{
    Q_OBJECT

private slots:
    void rule_10_fastEqualsExplaining();
    void rule_10_searchEqualsBruteForce();
    void rule_10_1_reductionTree();
    void rule_10_2_overlappedIsTheBusiestResource();
    void rule_10_3_bypass();
    void rule_10_4_energies();
    void rule_10_5_constraints();
    void rule_10_5_constraintsThatMakeNoSense();
    void nothingReducedInSpaceIsNoReduction();
};

void TestMappingOptions::rule_10_fastEqualsExplaining()
{
    std::mt19937 random(10);
    for (int option = 0; option < kOptions; ++option)
        for (const LoopNest& nest : someNests()) {
            const Architecture a = withOption(option);
            const FastEvaluator fast(nest, a);
            for (int i = 0; i < 300; ++i) {
                const Method m = randomMethod(nest, random);
                const MappingCost e = evaluate(nest, a, m);
                const Cost c = fast.cost(m);
                QCOMPARE(c.cycles, e.cycles);
                QVERIFY2(close(c.energy, e.energy), std::to_string(option).c_str());
                QCOMPARE(e.cycleParts.total(), e.cycles);
                QVERIFY(close(e.energyParts.total(), e.energy));
                QCOMPARE(fast.fits(m), e.valid());
            }
        }
}

void TestMappingOptions::rule_10_searchEqualsBruteForce()
{
    int i = 0;
    for (const auto& [kind, a, b, c] : {std::tuple{LayerKind::Gemm, 12, 6, 8},
                                        {LayerKind::Gemm, 5, 24, 4},
                                        {LayerKind::Conv, 4, 2, 4},
                                        {LayerKind::DwConv, 6, 6, 4},
                                        {LayerKind::Conv, 2, 6, 2}})
        for (int option = 0; option < kOptions; ++option, ++i) {
            const LoopNest nest = makeNest(layerOf(kind, a, b, c)).value();
            Architecture architecture = withOption(option);
            shrink(architecture, i);
            const BruteForceResult brute = bruteForce(nest, architecture);
            SearchOptions options;
            options.threads = 1 + i % 2;
            const SearchResult found = search(nest, architecture, options);
            QVERIFY(found.proven);
            QCOMPARE(found.counts.valid, brute.valid);
            QVERIFY2(found.front.size() == brute.front.size(),
                     (std::to_string(option) + " of layer " + std::to_string(i / kOptions)).c_str());
            for (std::size_t p = 0; p < brute.front.size(); ++p) {
                QCOMPARE(found.front[p].cycles, brute.front[p].cycles);
                QVERIFY(close(found.front[p].energy, brute.front[p].energy));
            }
        }
}

void TestMappingOptions::rule_10_1_reductionTree()
{
    const LoopNest nest = makeNest(layerOf(LayerKind::Gemm, 4, 4, 13)).value();
    Method m = trivialMethod(nest);
    m.at(Level::Dram) = {4, 4, 1, 1, 1, 1, 1};
    m.at(Level::Spatial) = {1, 1, 13, 1, 1, 1, 1};
    Architecture a;
    QCOMPARE(evaluate(nest, a, m).reductionCycles, 12);
    const double energy = evaluate(nest, a, m).energy;
    a.options.reductionTree = true;
    QCOMPARE(evaluate(nest, a, m).reductionCycles, 4); // the logarithm of 13, rounded up
    QCOMPARE(evaluate(nest, a, m).energy, energy);
}

void TestMappingOptions::rule_10_2_overlappedIsTheBusiestResource()
{
    std::mt19937 random(102);
    const LoopNest nest = someNests()[0];
    for (int i = 0; i < 200; ++i) {
        const Method m = randomMethod(nest, random);
        const MappingCost serial = evaluate(nest, {}, m);
        const MappingCost e = evaluate(nest, withOption(2), m);
        std::int64_t dma = 0;
        std::int64_t busiest = serial.cycleParts.compute;
        for (const OperandReport& o : e.operands) {
            busiest = std::max(busiest, o.networkCycles);
            dma += o.dmaBusyCycles;
        }
        busiest = std::max(busiest, dma);
        if (e.reductionCycles == 0)
            QCOMPARE(e.cycles, busiest);
        QVERIFY(e.cycles >= busiest);
        QCOMPARE(e.energy, serial.energy);
    }
}

void TestMappingOptions::rule_10_3_bypass()
{
    const LoopNest nest = makeNest(layerOf(LayerKind::Gemm, 8, 8, 8)).value();
    Method m = trivialMethod(nest);
    m.at(Level::Dram) = {2, 2, 2, 1, 1, 1, 1};
    m.at(Level::Spm) = {2, 1, 2, 1, 1, 1, 1};
    m.at(Level::Rf) = {2, 4, 2, 1, 1, 1, 1};
    const MappingCost through = evaluate(nest, {}, m);
    const MappingCost direct = evaluate(nest, withOption(3), m);
    QVERIFY(through.operands[1].spmBanks > 0 && through.operands[1].energy.spm > 0);
    QCOMPARE(direct.operands[1].spmBanks, 0);
    QCOMPARE(direct.operands[1].energy.spm, 0.0);
    // An array of it, 4 x 2 elements, in each of its 32 passes.
    QCOMPARE(direct.operands[1].energy.dram, 8.0 * 32 * 200);
    QCOMPARE(direct.operands[0].energy.dram, through.operands[0].energy.dram);
}

void TestMappingOptions::rule_10_4_energies()
{
    const LoopNest nest = someNests()[0];
    const Method m = trivialMethod(nest);
    const MappingCost base = evaluate(nest, {}, m);
    Architecture a;
    a.energyPj.leakage = 3;
    const MappingCost leaking = evaluate(nest, a, m);
    QCOMPARE(leaking.energyParts.leakage, 3.0 * static_cast<double>(base.cycles));
    QVERIFY(close(leaking.energy, base.energy + leaking.energyParts.leakage));
    a = {};
    a.energyPj.rfWrite = a.energyPj.rf + 1;
    QVERIFY(close(evaluate(nest, a, m).energy, base.energy + static_cast<double>(nest.macs)));
    a = {};
    a.energyPj.spmFill = 1;
    // The results stay until they are finished: nothing of them comes back.
    QVERIFY(close(evaluate(nest, a, m).energy - base.energy,
                  (base.operands[0].energy.dram + base.operands[1].energy.dram) / 200, 1e-9));
}

void TestMappingOptions::rule_10_5_constraints()
{
    const LoopNest nest = makeNest(layerOf(LayerKind::Gemm, 12, 8, 6)).value();
    Architecture a;
    shrink(a, 4);
    a.spmBankBytes = 128;
    for (const std::vector<std::string>& texts : {std::vector<std::string>{"SPATIAL.X=2"},
                                                  {"RF.K<=2", "SPM.Y>=2"},
                                                  {"DRAM.X=1"},
                                                  {"SPM.X=2", "SPM.K=1"}}) {
        SearchOptions options;
        options.reductions.constraints = parseConstraints(nest, texts).value();
        const Constraints& asked = options.reductions.constraints;
        const BruteForceResult brute = bruteForce(nest, a, [&](const Method& m) { return asked.allows(m); });
        QVERIFY2(brute.valid > 0, texts.front().c_str());
        const SearchResult found = search(nest, a, options);
        QVERIFY(found.proven);
        QCOMPARE(found.counts.valid, brute.valid);
        QCOMPARE(found.counts.visited + found.counts.cut, brute.valid);
        QCOMPARE(found.front.size(), brute.front.size());
        for (std::size_t p = 0; p < brute.front.size(); ++p) {
            QCOMPARE(found.front[p].cycles, brute.front[p].cycles);
            QVERIFY(asked.allows(found.front[p].method));
        }
        QVERIFY(quickSearch(nest, a, options).reductions.constraints == asked);
    }
}

void TestMappingOptions::rule_10_5_constraintsThatMakeNoSense()
{
    const LoopNest nest = makeNest(layerOf(LayerKind::Gemm, 12, 8, 6)).value();
    for (const auto& [text, why] : {std::pair{"L1.X=2", "the level must be"},
                                    {"RF.M=2", "no such loop"},
                                    {"RF.X=", "whole number"},
                                    {"RF.X=0", "whole number"},
                                    {"RF.X<2", "=, <= or >="},
                                    {"RFX=2", "LEVEL.LOOP"},
                                    {"nonsense", "LEVEL.LOOP"}}) {
        const auto read = parseConstraints(nest, {text});
        QVERIFY2(!read && read.error().text().find(why) != std::string::npos, text);
    }
    QVERIFY(!parseConstraints(nest, {"RF.X>=4", "RF.X<=2"}));
}

void TestMappingOptions::nothingReducedInSpaceIsNoReduction()
{
    std::mt19937 random(9);
    int drained = 0;
    for (const LoopNest& nest : someNests())
        for (int i = 0; i < 400; ++i) {
            const Method m = randomMethod(nest, random);
            const MappingCost e = evaluate(nest, {}, m);
            if (e.reductionCycles > 0)
                continue;
            QCOMPARE(e.cycleParts.reduction, 0);
            drained += e.cycleParts.drain > 0 ? 1 : 0;
        }
    QVERIFY(drained > 10);
}

TILEWRIGHT_TEST(TestMappingOptions)

} // namespace test_mapping_options
#include "test_mapping_options.moc"
