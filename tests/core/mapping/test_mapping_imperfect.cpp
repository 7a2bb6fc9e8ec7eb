// SPDX-License-Identifier: GPL-3.0-or-later
// Imperfect factors (docs/rules/mapping.md 9), held against a walk over every single tile and against trying
// everything.
#include "base/integer.h"
#include "drawn_cases.h"
#include "imperfect_walk.h"
#include "mapping/imperfect.h"
#include "mapping/imperfect_search.h"
#include "mapping/padding.h"
#include "mapping/search_frame.h"
#include "test_main.h"

#include <QTest>

#include <cmath>
#include <random>

namespace test_mapping_imperfect {

using namespace tilewright;
using namespace tilewright::mapping;

namespace {

bool close(double a, double b, double tolerance = 1e-11)
{
    return std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1e-300});
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

Layer conv(LayerKind kind, std::int64_t channels, std::int64_t size, std::int64_t kernel, std::int64_t stride)
{
    Layer l;
    l.kind = kind;
    l.inChannels = channels;
    l.outChannels = kind == LayerKind::DwConv ? channels : 3;
    l.height = l.width = size;
    l.kernel = {kernel, kernel};
    l.stride.fill(stride);
    return l;
}

Method randomMethod(const LoopNest& nest, std::mt19937& random)
{
    Method m = trivialMethod(nest);
    for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l) {
        std::int64_t inside = 1;
        for (const Level level : {Level::Rf, Level::Spatial, Level::Spm}) {
            const std::int64_t enough = ceilDiv(nest.trips[l], inside);
            m.at(level)[l] = 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(enough));
            if (random() % 2 == 0)
                m.at(level)[l] = 1;
            inside *= m.at(level)[l];
        }
        m.at(Level::Dram)[l] = ceilDiv(nest.trips[l], inside);
    }
    std::shuffle(m.dramOrder.begin(), m.dramOrder.begin() + nest.loopCount, random);
    std::shuffle(m.spmOrder.begin(), m.spmOrder.begin() + nest.loopCount, random);
    return m;
}

Architecture smallMachine(std::mt19937& random)
{
    const auto pick = [&](std::initializer_list<int> values) {
        return static_cast<std::int64_t>(*(values.begin() + random() % values.size()));
    };
    Architecture a;
    a.options.imperfect = true;
    a.pes = pick({1, 4, 6, 16});
    a.rfBytes = pick({6, 12, 24, 40});
    a.spmBanks = pick({3, 4, 8});
    a.spmBankBytes = pick({8, 16, 32, 64});
    a.dmaInitCycles = static_cast<double>(pick({0, 10, 291}));
    a.energyPj.dram = static_cast<double>(pick({10, 200}));
    a.energyPj.spm = static_cast<double>(pick({0, 2, 13}));
    return a;
}

/// Every tiling under every pair of order classes, by the explaining form.
struct Everything
{
    Front<int> front;
    std::int64_t tilings = 0;
    std::int64_t valid = 0;
};

Everything tryEverything(const LoopNest& nest, const Architecture& architecture, const Constraints& asked)
{
    Everything out;
    Method m = trivialMethod(nest);
    const auto loop = [&](const auto& self, std::size_t l) -> void {
        if (l < static_cast<std::size_t>(nest.loopCount)) {
            const std::int64_t trip = nest.trips[l];
            for (std::int64_t rf = 1; rf <= trip; ++rf)
                for (std::int64_t pe = 1; pe <= ceilDiv(trip, rf); ++pe)
                    for (std::int64_t spm = 1; spm <= ceilDiv(trip, rf * pe); ++spm) {
                        m.at(Level::Rf)[l] = rf;
                        m.at(Level::Spatial)[l] = pe;
                        m.at(Level::Spm)[l] = spm;
                        m.at(Level::Dram)[l] = ceilDiv(trip, rf * pe * spm);
                        self(self, l + 1);
                    }
            return;
        }
        ++out.tilings;
        if (checkMethod(nest, architecture, m) || !asked.allows(m))
            return;
        ++out.valid;
        for (const OrderClass& d : orderClasses(nest, m.at(Level::Dram)))
            for (const OrderClass& s : orderClasses(nest, m.at(Level::Spm))) {
                m.dramOrder = orderOf(nest, d);
                m.spmOrder = orderOf(nest, s);
                const MappingCost e = evaluate(nest, architecture, m);
                out.front.insert({e.energy, e.cycles}, 0);
            }
    };
    loop(loop, 0);
    return out;
}

/// Layers with awkward sizes, small enough to try everything.
Layer awkwardLayer(std::mt19937& random)
{
    const auto pick = [&](std::initializer_list<int> values) {
        return static_cast<std::int64_t>(*(values.begin() + random() % values.size()));
    };
    Layer l = gemm(pick({1, 3, 5, 7, 11, 13}), pick({1, 2, 5, 6, 7}), pick({1, 3, 4, 7}));
    if (random() % 3 == 0) {
        l.kind = random() % 2 == 0 ? LayerKind::Conv : LayerKind::DwConv;
        l.batch = 1;
        l.inChannels = pick({1, 3});
        l.outChannels = l.kind == LayerKind::DwConv ? l.inChannels : pick({1, 2, 3});
        l.kernel = {pick({1, 2}), 1};
        l.stride.fill(pick({1, 2, 3}));
        l.height = pick({3, 5, 7});
        l.width = pick({1, 2});
    }
    return l;
}

} // namespace

class TestMappingImperfect : public QObject
{
    Q_OBJECT

private slots:
    void rule_9_1_aFactorLargerThanNeededIsNoTiling();
    void rule_9_2_factorsThatDivideCostTheSame();
    void rule_9_2_everyTileWalkedOnItsOwn();
    void rule_9_4_searchEqualsBruteForce();
    void rule_9_4_constraintsHold();
    void rule_9_4_theCubeOfAPrimeCostsLikeItsNeighbour();
    void rule_9_4_stoppedSearchesKeepTheirBounds();
    void rule_9_4_whatIsCalledOptimalIs();
    void rule_9_5_padding();
    void rule_9_5_primeLayersAreOfferedImperfectFactors();
};

void TestMappingImperfect::rule_9_1_aFactorLargerThanNeededIsNoTiling()
{
    const LoopNest nest = makeNest(gemm(7, 5, 3)).value();
    Architecture a;
    Method m = trivialMethod(nest);
    m.at(Level::Rf)[0] = 2;
    m.at(Level::Dram)[0] = 4;
    QVERIFY(checkMethod(nest, a, m)); // 2 x 4 is not 7
    a.options.imperfect = true;
    QVERIFY(!checkMethod(nest, a, m));
    m.at(Level::Dram)[0] = 5;
    const auto violation = checkMethod(nest, a, m);
    QVERIFY(violation && violation->code == ViolationCode::Tiling);
    QCOMPARE(violation->message,
             std::string("loop X: the factor 5 at DRAM is larger than needed, 4 cover the "
                         "trip count 7"));
    m.at(Level::Dram)[0] = 3;
    QVERIFY(checkMethod(nest, a, m)->message.find("less than the trip count 7") != std::string::npos);
    const Method fitted = tightened(nest, m);
    QVERIFY(!checkMethod(nest, a, fitted));
}

void TestMappingImperfect::rule_9_2_factorsThatDivideCostTheSame()
{
    std::mt19937 random(92);
    for (const Layer& layer : {gemm(12, 30, 16), gemm(8, 1, 9), conv(LayerKind::Conv, 4, 9, 3, 1),
                               conv(LayerKind::DwConv, 6, 12, 3, 2)}) {
        const LoopNest nest = makeNest(layer).value();
        for (int i = 0; i < 300; ++i) {
            Method m = trivialMethod(nest);
            for (std::size_t l = 0; l < kMaxLoops; ++l)
                for (std::int64_t p = 2; p <= 5; ++p)
                    while (m.tiling[0][l] % p == 0) {
                        const std::size_t to = random() % kLevels;
                        if (to == 0)
                            break;
                        m.tiling[0][l] /= p;
                        m.tiling[to][l] *= p;
                    }
            std::shuffle(m.dramOrder.begin(), m.dramOrder.begin() + nest.loopCount, random);
            std::shuffle(m.spmOrder.begin(), m.spmOrder.begin() + nest.loopCount, random);
            for (int option = 0; option < 7; ++option) {
                Architecture a;
                a.options.bypassSpm = {option == 5, option >= 4, option == 6};
                a.options.reductionTree = option == 1;
                a.options.overlapped = option == 2;
                if (option == 3) {
                    a.energyPj.rfFill = 0.5;
                    a.energyPj.spmFill = 3;
                    a.energyPj.leakage = 7;
                    a.energyPj.dramWrite = 250;
                    a.energyPj.spmWrite = 11;
                    a.energyPj.rfWrite = 1.5;
                }
                const MappingCost whole = evaluate(nest, a, m);
                a.options.imperfect = true;
                const MappingCost same = evaluate(nest, a, m);
                QCOMPARE(same.cycles, whole.cycles);
                QCOMPARE(same.cycleParts, whole.cycleParts);
                QCOMPARE(same.reductionCycles, whole.reductionCycles);
                QCOMPARE(same.spmTiles, whole.spmTiles);
                QCOMPARE(same.peTiles, whole.peTiles);
                QVERIFY(close(same.energy, whole.energy));
                for (std::size_t op = 0; op < kOperands; ++op) {
                    QVERIFY(close(same.operands[op].energy.total(), whole.operands[op].energy.total()));
                    QVERIFY(close(same.operands[op].energy.dram, whole.operands[op].energy.dram));
                    QVERIFY(close(same.operands[op].energy.noc, whole.operands[op].energy.noc));
                    QCOMPARE(same.operands[op].dmaCycles, whole.operands[op].dmaCycles);
                    QCOMPARE(same.operands[op].dmaBusyCycles, whole.operands[op].dmaBusyCycles);
                    QCOMPARE(same.operands[op].spmBanks, whole.operands[op].spmBanks);
                    QCOMPARE(same.operands[op].reuseDram, whole.operands[op].reuseDram);
                }
            }
        }
    }
}

void TestMappingImperfect::rule_9_2_everyTileWalkedOnItsOwn()
{
    std::mt19937 random(91);
    int partial = 0;
    for (const Layer& layer :
         {gemm(7, 11, 5), gemm(13, 1, 6), gemm(1, 1, 7), conv(LayerKind::Conv, 5, 7, 3, 1),
          conv(LayerKind::DwConv, 5, 9, 2, 2), conv(LayerKind::Conv, 2, 11, 1, 3)}) {
        const LoopNest nest = makeNest(layer).value();
        Architecture a;
        a.options.imperfect = true;
        a.dmaInitCycles = 20;
        for (int i = 0; i < 500; ++i) {
            a.options.bypassSpm = {i % 2 == 1 && i % 3 == 0, i % 2 == 1 && i % 3 != 1,
                                   i % 2 == 1 && i % 5 < 3};
            const Method m = randomMethod(nest, random);
            QVERIFY(!checkMethod(nest, a, m) || checkMethod(nest, a, m)->code != ViolationCode::Tiling);
            const MappingCost e = evaluate(nest, a, m);
            const Walk walk(nest, a, m);
            QCOMPARE(walk.macs, nest.macs);
            QCOMPARE(e.cycles, walk.cycles);
            QVERIFY2(close(e.energy, walk.energy),
                     (std::to_string(e.energy) + " " + std::to_string(walk.energy)).c_str());
            QCOMPARE(e.cycleParts.total(), e.cycles);
            for (std::size_t l = 0; l < kMaxLoops; ++l)
                partial += nest.trips[l] % m.at(Level::Rf)[l] != 0 ? 1 : 0;
        }
    }
    QVERIFY(partial > 500);
}

void TestMappingImperfect::rule_9_4_searchEqualsBruteForce()
{
    std::mt19937 random(94);
    int compared = 0;
    for (int i = 0; compared < 200; ++i) {
        const auto nest = makeNest(awkwardLayer(random));
        if (!nest || *countImperfectTilings(*nest) > 60'000)
            continue;
        Architecture a = smallMachine(random);
        a.options.reductionTree = i % 5 == 1;
        a.options.overlapped = i % 5 == 2;
        a.energyPj.leakage = i % 5 == 3 ? 40 : 0;
        a.options.bypassSpm = {i % 7 == 1, i % 7 == 2 || i % 7 == 3, i % 7 == 3 || i % 7 == 4};
        if (i % 5 == 4) {
            a.energyPj.rfFill = 2;
            a.energyPj.spmFill = 30;
            a.energyPj.spmWrite = 1;
            a.energyPj.dramWrite = 5;
        }
        ++compared;
        const Everything all = tryEverything(*nest, a, {});
        SearchOptions options;
        options.threads = 1 + i % 2;
        const SearchResult found = search(*nest, a, options);
        QVERIFY(found.proven);
        QCOMPARE(*found.counts.space, all.tilings);
        std::string where = std::to_string(i) + ":";
        for (int l = 0; l < nest->loopCount; ++l)
            where += " " + std::to_string(nest->trips[static_cast<std::size_t>(l)]);
        for (const auto& p : all.front.points())
            where += "; " + std::to_string(p.cost.energy) + " " + std::to_string(p.cost.cycles);
        for (const MethodCost& m : found.front)
            where += "; found " + std::to_string(m.energy) + " " + std::to_string(m.cycles);
        QVERIFY2(found.front.size() == all.front.points().size(), where.c_str());
        for (std::size_t p = 0; p < found.front.size(); ++p) {
            QCOMPARE(found.front[p].cycles, all.front.points()[p].cost.cycles);
            QVERIFY(close(found.front[p].energy, all.front.points()[p].cost.energy));
            QVERIFY(evaluate(*nest, a, found.front[p].method).valid());
        }
    }
}

void TestMappingImperfect::rule_9_4_constraintsHold()
{
    const LoopNest nest = makeNest(gemm(11, 7, 5)).value();
    std::mt19937 random(95);
    for (const std::vector<std::string>& texts :
         {std::vector<std::string>{"SPATIAL.X=3"}, {"RF.K<=2", "SPM.Y>=2"}, {"DRAM.X=1", "DRAM.Y=1"}}) {
        Architecture a = smallMachine(random);
        a.spmBankBytes = 256;
        SearchOptions options;
        options.reductions.constraints = parseConstraints(nest, texts).value();
        const Everything all = tryEverything(nest, a, options.reductions.constraints);
        const SearchResult found = search(nest, a, options);
        QVERIFY(found.proven);
        QCOMPARE(found.front.size(), all.front.points().size());
        for (std::size_t p = 0; p < found.front.size(); ++p) {
            QCOMPARE(found.front[p].cycles, all.front.points()[p].cost.cycles);
            QVERIFY(options.reductions.constraints.allows(found.front[p].method));
        }
    }
}

void TestMappingImperfect::rule_9_4_theCubeOfAPrimeCostsLikeItsNeighbour()
{
    if (test::kSanitized)
        QSKIP("takes minutes under a sanitizer");
    const LoopNest round = makeNest(gemm(1000, 1000, 1000)).value();
    const LoopNest prime = makeNest(gemm(1009, 1009, 1009)).value();
    Architecture imperfect;
    imperfect.options.imperfect = true;
    const SearchResult a = search(round, {}, {});
    const SearchResult before = search(prime, {}, {});
    const auto perMac = [](const SearchResult& r, const LoopNest& nest, Objective o) {
        const double macs = static_cast<double>(nest.macs);
        return r.of(o)->value(o) / (o == Objective::Edp ? macs * macs : macs);
    };
    const std::array objectives{Objective::Energy, Objective::Cycles, Objective::Edp};
    // The search is anytime: how soon it is there is the machine's, not the rule's.
    SearchOptions options;
    options.seconds = 5;
    SearchResult b = search(prime, imperfect, options);
    while (options.seconds < 200 && !std::ranges::all_of(objectives, [&](Objective o) {
               return perMac(b, prime, o) <= 1.05 * perMac(a, round, o);
           })) {
        options.seconds *= 4;
        b = search(prime, imperfect, options);
    }
    for (const Objective o : objectives) {
        QVERIFY2(perMac(b, prime, o) <= 1.05 * perMac(a, round, o),
                 std::to_string(perMac(b, prime, o) / perMac(a, round, o)).c_str());
        QVERIFY(b.of(o)->value(o) < before.of(o)->value(o));
        QVERIFY(b.lowerBound[static_cast<std::size_t>(o)] <= b.of(o)->value(o));
    }
    QVERIFY(before.of(Objective::Cycles)->cycles > 50 * b.of(Objective::Cycles)->cycles);
}

void TestMappingImperfect::rule_9_4_stoppedSearchesKeepTheirBounds()
{
    const LoopNest nest = makeNest(gemm(61, 47, 53)).value();
    Architecture a;
    a.options.imperfect = true;
    a.spmBankBytes = 64;
    const SearchResult whole = search(nest, a, {});
    QVERIFY(whole.proven);
    std::stop_source stop;
    stop.request_stop();
    SearchOptions options;
    options.stop = stop.get_token();
    const SearchResult none = search(nest, a, options);
    QVERIFY(!none.proven && none.interrupted && none.best[0]);
    for (std::size_t o = 0; o < kObjectives; ++o)
        QVERIFY(none.lowerBound[o] <= whole.best[o]->value(static_cast<Objective>(o)) * (1 + 1e-9));
}

void TestMappingImperfect::rule_9_4_whatIsCalledOptimalIs()
{
    const LoopNest nest = makeNest(gemm(61, 47, 53)).value();
    Architecture a;
    a.options.imperfect = true;
    a.spmBankBytes = 64;
    const SearchResult whole = search(nest, a, {});
    QVERIFY(whole.proven);
    // Stopped at any time, before the optima are settled or while the rest of the front is.
    int optimal = 0;
    for (double seconds = 0.001; seconds < 60; seconds *= 1.5) {
        SearchOptions options;
        options.seconds = seconds;
        const SearchResult part = search(nest, a, options);
        for (std::size_t o = 0; o < kObjectives; ++o) {
            const auto objective = static_cast<Objective>(o);
            const double best = whole.best[o]->value(objective);
            QVERIFY(part.lowerBound[o] <= best * (1 + 1e-9));
            if (!part.isOptimal(objective))
                continue;
            ++optimal;
            QVERIFY(close(part.best[o]->value(objective), best));
            QCOMPARE(part.gap(objective), 0.0);
        }
        if (part.proven)
            break;
    }
    QVERIFY(optimal >= kObjectives);
}

void TestMappingImperfect::rule_9_5_padding()
{
    const LoopNest nest = makeNest(gemm(1009, 1000, 7)).value();
    const Factors padded = paddedTrips(nest);
    QCOMPARE(padded[0], 1024);
    QVERIFY(padded[1] == 1000 || padded[1] == 1024);
    QCOMPARE(padded[2], 7); // 8 would be more than a twenty-fifth
}

void TestMappingImperfect::rule_9_5_primeLayersAreOfferedImperfectFactors()
{
    Architecture a;
    const LoopNest prime = makeNest(gemm(101, 37, 53)).value();
    const SearchResult found = search(prime, a, {});
    const auto hint = imperfectHint(prime, a, found, Objective::Edp);
    QVERIFY(hint.has_value());
    QVERIFY(hint->edp <= 0.99 * found.of(Objective::Edp)->edp);
    const LoopNest even = makeNest(gemm(64, 64, 64)).value();
    QVERIFY(!imperfectHint(even, a, search(even, a, {}), Objective::Edp));
    a.options.imperfect = true;
    QVERIFY(!imperfectHint(prime, a, found, Objective::Edp));
}

TILEWRIGHT_TEST(TestMappingImperfect)

} // namespace test_mapping_imperfect
#include "test_mapping_imperfect.moc"
