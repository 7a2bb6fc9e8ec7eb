// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/factors.h"
#include "mapping/fast_evaluator.h"
#include "mapping/files.h"
#include "test_main.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <set>

namespace test_mapping {

using namespace tilewright;
using namespace tilewright::mapping;
using nlohmann::json;

namespace {

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

LoopNest nestOf(const Layer& layer)
{
    return makeNest(layer).value();
}

Layer conv(std::int64_t batch, std::int64_t in, std::int64_t out, std::int64_t size, std::int64_t kernel,
           std::int64_t stride = 1, std::int64_t padding = 0)
{
    Layer l;
    l.batch = batch;
    l.inChannels = in;
    l.outChannels = out;
    l.height = l.width = size;
    l.kernel = {kernel, kernel};
    l.stride = {stride, stride};
    l.padding = padding;
    return l;
}

Layer gemm(std::int64_t m, std::int64_t n, std::int64_t k)
{
    Layer l;
    l.kind = LayerKind::Gemm;
    l.m = m;
    l.n = n;
    l.k = k;
    return l;
}

Method printed(const LoopNest& nest, const std::string& text)
{
    return parsePrintedMethod(text, "test", nest).value();
}

/// A tiling that multiplies, valid or not, with random orders.
Method randomMethod(const LoopNest& nest, std::mt19937& random)
{
    Method m = trivialMethod(nest);
    for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l) {
        for (const PrimePower& p : primePowers(nest.trips[l]))
            for (int e = 0; e < p.exponent; ++e)
                if (const std::size_t to = random() % kLevels; to != 0) {
                    m.tiling[0][l] /= p.prime;
                    m.tiling[to][l] *= p.prime;
                }
    }
    std::shuffle(m.dramOrder.begin(), m.dramOrder.begin() + nest.loopCount, random);
    std::shuffle(m.spmOrder.begin(), m.spmOrder.begin() + nest.loopCount, random);
    return m;
}

std::vector<LoopNest> someNests()
{
    Layer depthwise = conv(2, 8, 8, 12, 3, 2, 1);
    depthwise.kind = LayerKind::DwConv;
    Layer flat = conv(3, 4, 6, 9, 1, 2);
    flat.kernel = {1, 5};
    return {nestOf(conv(2, 8, 12, 9, 3)), nestOf(depthwise),           nestOf(flat),
            nestOf(gemm(12, 30, 16)),     nestOf(conv(1, 1, 1, 3, 3)), nestOf(gemm(1, 1, 7))};
}

} // namespace

class TestMapping : public QObject
{
    Q_OBJECT

private slots:
    void oracle_everyCase();
    void rule_1_loopsAndElements();
    void rule_2_validityOrder();
    void rule_2_invalidKeepsNumbers();
    void rule_3_reuse();
    void rule_3_orderClasses();
    void rule_3_kept();
    void rule_4_dmaRounding();
    void rule_4_dmaBursts();
    void rule_5_energyParts();
    void rule_6_1_seedSample();
    void rule_6_2_conv52();
    void rule_6_3_gemm1000();
    void fastEqualsExplaining();
    void cyclePartsAddUp();
};

void TestMapping::oracle_everyCase()
{
    std::ifstream in(TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/mapping/cases.jsonl");
    QVERIFY(in.is_open());
    int cases = 0;
    for (std::string line; std::getline(in, line); ++cases) {
        const json c = json::parse(line);
        const auto where = "case " + std::to_string(cases);
        const auto layers = readLayers(c["layer"].dump(), where);
        QVERIFY2(layers, where.c_str());
        const LoopNest nest = nestOf(layers->model.layers[0]);
        Architecture architecture;
        if (c.contains("architecture"))
            architecture = readArchitecture(c["architecture"].dump(), where).value();
        const auto method = readMethod(c["method"].dump(), where, nest);
        QVERIFY2(method, where.c_str());
        const MappingCost e = evaluate(nest, architecture, *method);
        QCOMPARE(e.valid(), c["valid"].get<bool>());
        const std::string code(e.violation ? violationName(e.violation->code) : "");
        QCOMPARE(code, c["error"].is_null() ? std::string() : c["error"].get<std::string>());
        const json& x = c["expect"];
        if (x.is_null()) {
            QVERIFY2(!e.hasNumbers, where.c_str());
            continue;
        }
        QVERIFY2(e.hasNumbers, where.c_str());
        QCOMPARE(e.cycles, x["cycles"].get<std::int64_t>());
        QCOMPARE(e.rfPassCycles, x["rf_pass_cycles"].get<std::int64_t>());
        QCOMPARE(e.reductionCycles, x["reduction_cycles"].get<std::int64_t>());
        QCOMPARE(e.spmPassCycles, x["spm_pass_cycles"].get<std::int64_t>());
        QCOMPARE(e.spmPasses, x["spm_passes"].get<std::int64_t>());
        QCOMPARE(e.rfPasses, x["rf_passes"].get<std::int64_t>());
        std::set<std::string> kept;
        for (std::size_t op = 0; op < kOperands; ++op) {
            const std::string name(nest.operands[op].name);
            const OperandReport& o = e.operands[op];
            QCOMPARE(o.dataRf, x["data_rf"][name].get<std::int64_t>());
            QCOMPARE(o.dataArray, x["data_array"][name].get<std::int64_t>());
            QCOMPARE(o.dataSpm, x["data_spm"][name].get<std::int64_t>());
            QCOMPARE(o.reuseSpm, x["reuse_spm"][name].get<std::int64_t>());
            QCOMPARE(o.reuseDram, x["reuse_dram"][name].get<std::int64_t>());
            QCOMPARE(o.bursts, x["dma"][name]["bursts"].get<std::int64_t>());
            QCOMPARE(o.burstElements, x["dma"][name]["burst_elements"].get<std::int64_t>());
            QCOMPARE(o.dmaCycles, x["dma"][name]["cycles"].get<std::int64_t>());
            if (o.kept)
                kept.insert(name);
        }
        QCOMPARE(kept, x["kept_in_rf"].get<std::set<std::string>>());
        const json& energy = x["energy"];
        QVERIFY2(close(e.energyParts.mac, energy["mac"]), where.c_str());
        QVERIFY2(close(e.energyParts.rf, energy["rf"]), where.c_str());
        QVERIFY2(close(e.energyParts.noc, energy["noc"]), where.c_str());
        QVERIFY2(close(e.energyParts.spm, energy["spm"]), where.c_str());
        QVERIFY2(close(e.energyParts.dram, energy["dram"]), where.c_str());
        QVERIFY2(close(e.energy, energy["total"]), where.c_str());
        QVERIFY2(close(e.edp, x["edp"]), where.c_str());
        const Cost fast = FastEvaluator(nest, architecture).cost(*method);
        QCOMPARE(fast.cycles, e.cycles);
        QVERIFY2(close(fast.energy, e.energy), where.c_str());
    }
    QCOMPARE(cases, 300);
}

void TestMapping::rule_1_loopsAndElements()
{
    const LoopNest nest = nestOf(conv(4, 3, 64, 224, 7, 2, 3));
    QCOMPARE(nest.trips, (Factors{4, 64, 3, 112, 112, 7, 7}));
    QCOMPARE(nest.operands[0].dimensions[2].stored, 230);
    // rows: (5 - 1) * 2 + 3, columns: (1 - 1) * 2 + 7
    QCOMPARE(nest.elements(0, {2, 9, 3, 5, 1, 3, 7}), 2 * 3 * 11 * 7);
    QCOMPARE(nest.elements(1, {2, 9, 3, 5, 1, 3, 7}), 9 * 3 * 3 * 7);
    QCOMPARE(nest.elements(2, {2, 9, 3, 5, 1, 3, 7}), 2 * 9 * 5);
    Layer depthwise = conv(1, 16, 16, 8, 3);
    depthwise.kind = LayerKind::DwConv;
    QCOMPARE(nestOf(depthwise).trips, (Factors{1, 1, 16, 6, 6, 3, 3}));
    QCOMPARE(nestOf(depthwise).elements(1, {1, 1, 4, 2, 2, 3, 3}), 36);
    const LoopNest g = nestOf(gemm(5, 6, 7));
    QCOMPARE(g.loopCount, 3);
    QCOMPARE(g.elements(0, g.trips), 35);
    QCOMPARE(g.elements(1, g.trips), 42);
    QCOMPARE(g.elements(2, g.trips), 30);
}

void TestMapping::rule_2_validityOrder()
{
    // This tiling breaks every rule; with each repaired in turn, the next is reported.
    const LoopNest nest = nestOf(gemm(512, 512, 512));
    Architecture a;
    a.pes = 4;
    a.rfBytes = 16;
    a.spmBanks = 3;
    a.spmBankBytes = 16;
    Method m = printed(nest, "((1,1,1),(64,512,64),(4,1,4),(4,1,2)) (['X','Y','K'],['X','Y','K'])");
    auto v = checkMethod(nest, a, m);
    QVERIFY(v);
    QCOMPARE(v->code, ViolationCode::Tiling);
    QCOMPARE(v->loop, 0);
    QVERIFY(v->message.find("loop X") != std::string::npos);
    m.at(Level::Spm)[0] = 32;
    QCOMPARE(checkMethod(nest, a, m)->code, ViolationCode::Pes);
    QVERIFY(checkMethod(nest, a, m)->message.find("8 of 4 PEs") != std::string::npos);
    a.pes = 8;
    QCOMPARE(checkMethod(nest, a, m)->code, ViolationCode::Rf);
    a.rfBytes = 2 * (16 + 4 + 4);
    QCOMPARE(checkMethod(nest, a, m)->code, ViolationCode::Spm);
    a.spmBankBytes = 512 * 512 * 2;
    QVERIFY(!checkMethod(nest, a, m));
    // No two operands share a bank.
    a.spmBanks = 2;
    QCOMPARE(checkMethod(nest, a, m)->code, ViolationCode::Spm);
}

void TestMapping::rule_2_invalidKeepsNumbers()
{
    const LoopNest nest = nestOf(gemm(64, 64, 64));
    Method m = printed(nest, "((1,1,1),(1,1,1),(1,1,1),(64,64,64)) (['X','Y','K'],['X','Y','K'])");
    MappingCost e = evaluate(nest, {}, m);
    QVERIFY(!e.valid());
    QCOMPARE(e.violation->code, ViolationCode::Pes);
    QVERIFY(e.hasNumbers);
    QVERIFY(e.cycles > 0 && e.energy > 0);
    m.at(Level::Rf)[1] = 2;
    e = evaluate(nest, {}, m);
    QVERIFY(!e.hasNumbers);
    QCOMPARE(e.cycles, 0);
}

void TestMapping::rule_3_reuse()
{
    const LoopNest nest = nestOf(conv(4, 8, 16, 10, 3));
    const Factors f{2, 4, 8, 1, 2, 3, 1};
    // Innermost first: C (free for O), Ox has factor 1 and is skipped, Fx (free for O), then M.
    const LoopOrder order{0, 4, 6, 1, 5, 3, 2};
    QCOMPARE(reuseOf(nest, 2, f, order), 24);
    QCOMPARE(reuseOf(nest, 0, f, order), 1);
    QCOMPARE(reuseOf(nest, 1, f, order), 1);
    QCOMPARE(reuseOf(nest, 1, f, {1, 2, 5, 6, 0, 3, 4}), 4);
}

void TestMapping::rule_3_orderClasses()
{
    // The reuse vectors of all orders are those of the classes, and each class's order has its vector.
    std::mt19937 random(11);
    for (const LoopNest& nest : someNests())
        for (int round = 0; round < 12; ++round) {
            Factors f{1, 1, 1, 1, 1, 1, 1};
            for (int l = 0; l < nest.loopCount; ++l)
                if (nest.trips[static_cast<std::size_t>(l)] > 1)
                    f[static_cast<std::size_t>(l)] =
                        std::array<std::int64_t, 6>{1, 1, 2, 3, 5, 7}[random() % 6];
            std::set<std::array<std::int64_t, kOperands>> all;
            LoopOrder order{0, 1, 2, 3, 4, 5, 6};
            do {
                all.insert(
                    {reuseOf(nest, 0, f, order), reuseOf(nest, 1, f, order), reuseOf(nest, 2, f, order)});
            } while (std::next_permutation(order.begin(), order.begin() + nest.loopCount));
            std::set<std::array<std::int64_t, kOperands>> classes;
            for (const OrderClass& c : orderClasses(nest, f)) {
                std::array<std::int64_t, kOperands> vector{1, 1, 1};
                if (c.operand >= 0)
                    vector[static_cast<std::size_t>(c.operand)] = c.reuse;
                const LoopOrder own = orderOf(nest, c);
                for (int op = 0; op < kOperands; ++op)
                    QCOMPARE(reuseOf(nest, op, f, own), vector[static_cast<std::size_t>(op)]);
                classes.insert(vector);
            }
            QCOMPARE(classes, all);
        }
    QCOMPARE(orderClasses(nestOf(conv(2, 2, 2, 8, 3)), {2, 2, 2, 2, 2, 3, 3}).count, 15);
    QCOMPARE(orderClasses(nestOf(gemm(2, 2, 2)), {2, 2, 2, 1, 1, 1, 1}).count, 3);
    QCOMPARE(orderClasses(nestOf(gemm(2, 2, 2)), {1, 1, 1, 1, 1, 1, 1}).count, 1);
    Layer depthwise = conv(2, 2, 2, 8, 3);
    depthwise.kind = LayerKind::DwConv;
    QCOMPARE(orderClasses(nestOf(depthwise), {2, 1, 2, 2, 2, 3, 3}).count, 11);
}

void TestMapping::rule_3_kept()
{
    const LoopNest nest = nestOf(gemm(8, 8, 8));
    // K alone at SPM and innermost at DRAM: C stays in the register files.
    Method m = printed(nest, "((2,1,2),(1,1,4),(2,2,1),(2,4,1)) (['X','Y','K'],['X','Y','K'])");
    QVERIFY(evaluate(nest, {}, m).operands[2].kept);
    m.dramOrder = {2, 1, 0, 3, 4, 5, 6}; // K outermost: no reuse of C at DRAM
    QVERIFY(!evaluate(nest, {}, m).operands[2].kept);
    QVERIFY(!evaluate(nest, {}, m).operands[1].kept); // B is reused over X at DRAM, but not over SPM's K
    m = printed(nest, "((2,1,2),(2,1,2),(2,2,2),(1,4,1)) (['Y','X','K'],['Y','X','K'])");
    QVERIFY(!evaluate(nest, {}, m).operands[2].kept); // reused over K only, X changes it
}

void TestMapping::rule_4_dmaRounding()
{
    const DmaClock clock{Architecture{}};
    QCOMPARE(clock.cycles(1568), 164);
    QCOMPARE(clock.cycles(12544), 987);
    QCOMPARE(clock.cycles(1), 46);
    // Exactly 3 cycles a burst: 0.1 * 3 bytes * 10 in doubles is slightly more.
    Architecture a;
    a.dmaInitCycles = 0;
    a.dmaCyclesPerByte = 0.1;
    a.elementBytes = 1;
    a.arrayMhz = 1000;
    a.dmaMhz = 100;
    QCOMPARE(DmaClock(a).cycles(3), 3);
    QCOMPARE(DmaClock(a).cycles(1), 1);
    // Beyond 64 bits in the numerator.
    a.dmaMhz = 1e6;
    a.arrayMhz = 1e6;
    a.dmaCyclesPerByte = 1e6;
    a.dmaInitCycles = 1e9;
    QCOMPARE(DmaClock(a).cycles(std::int64_t{1} << 40), 1'000'000'000 + (std::int64_t{1} << 40) * 1'000'000);
}

void TestMapping::rule_4_dmaBursts()
{
    const LoopNest nest = nestOf(conv(1, 64, 64, 56, 3, 1, 1));
    Method m = trivialMethod(nest);
    m.at(Level::Dram) = {1, 8, 8, 7, 1, 1, 1};
    m.at(Level::Spm) = {1, 8, 8, 8, 56, 3, 3};
    const MappingCost e = evaluate(nest, {}, m);
    // Input: full rows of 58 are contiguous, 10 of 58 rows, 8 channels.
    QCOMPARE(e.operands[0].burstElements, 58 * 10);
    QCOMPARE(e.operands[0].bursts, 8);
    QCOMPARE(e.operands[1].burstElements, 8 * 9);
    QCOMPARE(e.operands[1].bursts, 8);
    QCOMPARE(e.operands[2].burstElements, 56 * 8);
    QCOMPARE(e.operands[2].bursts, 8);
}

void TestMapping::rule_5_energyParts()
{
    std::mt19937 random(5);
    for (const LoopNest& nest : someNests())
        for (int i = 0; i < 50; ++i) {
            const MappingCost e = evaluate(nest, {}, randomMethod(nest, random));
            const double macs = static_cast<double>(nest.macs);
            EnergyParts sum;
            for (const OperandReport& o : e.operands) {
                sum.mac += o.energy.mac;
                sum.rf += o.energy.rf;
                sum.noc += o.energy.noc;
                sum.spm += o.energy.spm;
                sum.dram += o.energy.dram;
            }
            QVERIFY(close(sum.mac + macs * 0.075, e.energyParts.mac));
            QVERIFY(close(sum.rf, e.energyParts.rf));
            QVERIFY(close(sum.noc, e.energyParts.noc));
            QVERIFY(close(sum.spm, e.energyParts.spm));
            QVERIFY(close(sum.dram, e.energyParts.dram));
            QVERIFY(e.energyParts.rf >= 4 * macs * 0.96 * (1 - 1e-12));
            QVERIFY(close(e.edp, e.energy * static_cast<double>(e.cycles)));
        }
}

void TestMapping::rule_6_1_seedSample()
{
    const LoopNest nest = nestOf(conv(1, 512, 2048, 7, 1));
    const Method m = printed(nest, R"(Tiling factors (DRAM, SPM, RF, SPATIAL): ((1, 8, 16, 1, 1, 1, 1),
(1, 1, 8, 1, 1, 1, 1), (1, 1, 4, 7, 7, 1, 1), (1, 256, 1, 1, 1, 1, 1))
Ordering (DRAM, SPM): (['Fx', 'N', 'Fy', 'Oy', 'Ox', 'M', 'C'],
['Fx', 'N', 'Fy', 'Oy', 'Ox', 'M', 'C']))");
    const MappingCost e = evaluate(nest, {}, m);
    QVERIFY(e.valid());
    QCOMPARE(e.rfElementsUsed, 249);
    QVERIFY(e.operands[2].kept && !e.operands[0].kept && !e.operands[1].kept);
    QCOMPARE(e.spmPassCycles, 8192);
    QCOMPARE(e.spmPasses, 128);
    const std::array<std::array<std::int64_t, 3>, 3> dma{{{1, 1568, 164}, {256, 32, 12288}, {1, 12544, 987}}};
    for (std::size_t op = 0; op < 3; ++op) {
        QCOMPARE(e.operands[op].bursts, dma[op][0]);
        QCOMPARE(e.operands[op].burstElements, dma[op][1]);
        QCOMPARE(e.operands[op].dmaCycles, dma[op][2]);
    }
    QCOMPARE(e.cycles, 1659832);
    QVERIFY(close(e.energy, 594358312.96));
}

void TestMapping::rule_6_2_conv52()
{
    const LoopNest nest = nestOf(conv(4, 512, 512, 9, 3));
    Method m = printed(nest, "((1,4,32,1,1,1,1),(1,2,1,7,7,1,1),(1,8,8,1,1,1,3),(4,8,2,1,1,3,1))"
                             "(['N','M','Ox','Oy','Fx','Fy','C'],['N','C','Ox','Oy','Fx','Fy','M'])");
    MappingCost e = evaluate(nest, {}, m);
    QCOMPARE(e.violation->code, ViolationCode::Spm);
    QVERIFY(e.violation->message.find("6 + 18 + 25 = 49 of 32") != std::string::npos);
    const std::array<std::array<std::int64_t, 6>, 3> data{
        {{24, 576, 5184, 4, 1296, 572}, {192, 9216, 18432, 128, 144, 7296}, {8, 256, 25088, 4, 6272, 2064}}};
    for (std::size_t op = 0; op < 3; ++op) {
        const OperandReport& o = e.operands[op];
        QCOMPARE((std::array<std::int64_t, 6>{o.dataRf, o.dataArray, o.dataSpm, o.bursts, o.burstElements,
                                              o.dmaCycles}),
                 data[op]);
    }
    QCOMPARE(e.reductionCycles, 1280);
    QCOMPARE(e.spmPassCycles, 1047424);
    QCOMPARE(e.cycles, 134070272);
    m.spmOrder = {1, 2, 5, 6, 3, 4, 0}; // ... Ox Oy with N innermost
    e = evaluate(nest, {}, m);
    QCOMPARE(e.spmPassCycles, 217984);
    QCOMPARE(e.cycles, 27901952);
}

void TestMapping::rule_6_3_gemm1000()
{
    const LoopNest nest = nestOf(gemm(1000, 1000, 1000));
    Method m = printed(nest, "((250,2,20),(2,1,1),(1,4,50),(2,125,1)) (['X','Y','K'],['Y','K','X'])");
    MappingCost e = evaluate(nest, {}, m);
    QCOMPARE(e.spmPassCycles, 26400);
    QCOMPARE(e.cycles, 264000000);
    QVERIFY(close(e.energy, 60037000000.0));
    m.dramOrder = {1, 2, 0, 3, 4, 5, 6};
    e = evaluate(nest, {}, m);
    QVERIFY(e.operands[1].kept);
    QCOMPARE(e.spmPassCycles, 2400);
    QCOMPARE(e.cycles, 25064560);
    QVERIFY(close(e.energy, 13479500000.0));
}

void TestMapping::fastEqualsExplaining()
{
    std::mt19937 random(3);
    Architecture odd;
    odd.pes = 12;
    odd.rfBytes = 100;
    odd.spmBankBytes = 96;
    odd.energyPj = {1.25, 0.5, 7, 90, 0.01};
    int valid = 0;
    for (const LoopNest& nest : someNests())
        for (const Architecture& a : {Architecture{}, odd}) {
            const FastEvaluator fast(nest, a);
            for (int i = 0; i < 150; ++i) {
                Method m = randomMethod(nest, random);
                MappingCost e = evaluate(nest, a, m);
                QCOMPARE(fast.fits(m), e.valid());
                valid += e.valid() ? 1 : 0;
                const Cost own = fast.cost(m);
                QCOMPARE(own.cycles, e.cycles);
                QVERIFY(close(own.energy, e.energy));
                const int pairs =
                    fast.visitClasses(m, [&](const OrderClass& s, const OrderClass& d, const Cost& c) {
                        m.spmOrder = orderOf(nest, s);
                        m.dramOrder = orderOf(nest, d);
                        e = evaluate(nest, a, m);
                        QCOMPARE(c.cycles, e.cycles);
                        QVERIFY(close(c.energy, e.energy));
                    });
                QCOMPARE(pairs, orderClasses(nest, m.at(Level::Spm)).count *
                                    orderClasses(nest, m.at(Level::Dram)).count);
            }
        }
    QVERIFY(valid > 100);
}

void TestMapping::cyclePartsAddUp()
{
    std::mt19937 random(17);
    for (const LoopNest& nest : someNests())
        for (int i = 0; i < 300; ++i) {
            const MappingCost e = evaluate(nest, {}, randomMethod(nest, random));
            QCOMPARE(e.cycleParts.total(), e.cycles);
            for (const std::int64_t part :
                 {e.cycleParts.compute, e.cycleParts.distribution, e.cycleParts.reduction, e.cycleParts.dma})
                QVERIFY(part >= 0);
            // Compute is what the PEs do whatever else happens.
            QCOMPARE(e.cycleParts.compute, nest.macs / e.pesUsed);
        }
}

TILEWRIGHT_TEST(TestMapping)

} // namespace test_mapping
#include "test_mapping.moc"
