// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/machine_lenses.h"
#include "mapping/factors.h"
#include "mapping/model_search.h"
#include "mapping_brute_force.h"
#include "test_main.h"

#include <QTest>

#include <cmath>
#include <random>

namespace test_mapping_search {

using namespace tilewright;
using namespace tilewright::mapping;

namespace {

double valueOf(const Cost& c, int objective)
{
    return objective == 0   ? c.energy
           : objective == 1 ? static_cast<double>(c.cycles)
                            : c.energy * static_cast<double>(c.cycles);
}

bool close(double a, double b, double tolerance = 2e-12)
{
    return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

struct Case
{
    Layer layer;
    Architecture architecture;
};

/// Small layers of all kinds on small and odd architectures; every branch of the cost model wins somewhere.
Case randomCase(std::mt19937& random)
{
    const auto pick = [&](std::initializer_list<int> values) {
        return static_cast<std::int64_t>(*(values.begin() + random() % values.size()));
    };
    Case c;
    Layer& l = c.layer;
    switch (random() % 3) {
    case 0:
        l.kind = LayerKind::Gemm;
        break;
    case 1:
        l.kind = LayerKind::DwConv;
        break;
    default:
        break;
    }
    l.m = pick({1, 2, 4, 6, 8, 12, 16, 30});
    l.n = pick({1, 3, 4, 6, 8, 24});
    l.k = pick({1, 2, 5, 8, 12, 16});
    l.batch = pick({1, 1, 2, 3});
    l.inChannels = pick({1, 2, 4, 6});
    l.outChannels = l.kind == LayerKind::DwConv ? l.inChannels : pick({1, 2, 3, 4});
    l.kernel = {pick({1, 2, 3}), pick({1, 3})};
    l.stride.fill(pick({1, 2}));
    l.padding = pick({0, 1});
    l.height = pick({3, 4, 5, 8});
    l.width = pick({3, 4, 6});
    Architecture& a = c.architecture;
    a.pes = pick({1, 4, 6, 16, 256});
    a.rfBytes = pick({6, 8, 16, 32, 64});
    a.spmBanks = pick({3, 4, 6, 8});
    a.spmBankBytes = pick({4, 16, 32, 64, 256});
    a.dmaInitCycles = static_cast<double>(pick({0, 10, 291}));
    a.energyPj.dram = static_cast<double>(pick({10, 200}));
    a.energyPj.spm = static_cast<double>(pick({0, 2, 13}));
    return c;
}

Layer specLayer(int i)
{
    Layer l;
    switch (i) {
    case 0:
        l.inChannels = l.outChannels = 64, l.height = l.width = 56, l.kernel = {3, 3}, l.padding = 1;
        break;
    case 1:
        l.inChannels = l.outChannels = 256, l.height = l.width = 14, l.kernel = {3, 3}, l.padding = 1;
        break;
    case 2:
        l.inChannels = 512, l.outChannels = 2048, l.height = l.width = 7;
        break;
    default:
        l.kind = LayerKind::Gemm, l.m = l.n = l.k = 1000;
        break;
    }
    return l;
}

} // namespace

class TestMappingSearch : public QObject
{
    Q_OBJECT

private slots:
    void rule_7_branchAndBoundEqualsBruteForce();
    void rule_7_countsAreExact();
    void rule_7_specLayersProven_data();
    void rule_7_specLayersProven();
    void rule_7_quickIsTheReducedSpace();
    void rule_7_quickFindsTheReferencesOptima();
    void equalMethodsAreTheSameEachTime_data();
    void equalMethodsAreTheSameEachTime();
    void stopsAndKeepsItsPromises();
    void hugeSpaceIsSampled();
    void noValidMethod();
    void resultsAreValidAndFrontIsSorted();
    void modelSharesEqualShapes();
};

void TestMappingSearch::rule_7_branchAndBoundEqualsBruteForce()
{
    std::mt19937 random(7);
    int compared = 0;
    for (int i = 0; compared < 320; ++i) {
        const Case c = randomCase(random);
        const auto nest = makeNest(c.layer);
        if (!nest)
            continue;
        ++compared;
        const auto name = std::to_string(i) + ": " + describe(c.layer);
        const BruteForceResult brute = bruteForce(*nest, c.architecture);
        SearchOptions options;
        options.threads = 1 + i % 2;
        const SearchResult found = search(*nest, c.architecture, options);
        QVERIFY2(found.proven, name.c_str());
        QCOMPARE(*found.counts.space, brute.tilings);
        QCOMPARE(found.counts.valid, brute.valid);
        QCOMPARE(found.counts.valid + found.counts.invalid, brute.tilings);
        QCOMPARE(found.counts.visited + found.counts.cut, brute.valid);
        for (int o = 0; o < kObjectives; ++o) {
            const auto& b = brute.best[static_cast<std::size_t>(o)];
            const auto& f = found.best[static_cast<std::size_t>(o)];
            QCOMPARE(f.has_value(), b.has_value());
            if (b)
                QVERIFY2(close(f->value(static_cast<Objective>(o)), valueOf(*b, o)), name.c_str());
        }
        QCOMPARE(found.front.size(), brute.front.size());
        for (std::size_t p = 0; p < brute.front.size(); ++p) {
            QCOMPARE(found.front[p].cycles, brute.front[p].cycles);
            QVERIFY2(close(found.front[p].energy, brute.front[p].energy), name.c_str());
        }
    }
}

void TestMappingSearch::rule_7_countsAreExact()
{
    QCOMPARE(countTilings(makeNest(specLayer(0)).value()).value(), std::int64_t{84 * 84} * (80 * 80) * 16);
    QCOMPARE(countTilings(makeNest(specLayer(2)).value()).value(), std::int64_t{220} * 364 * 16);
    QCOMPARE(countTilings(makeNest(specLayer(3)).value()).value(), std::int64_t{64'000'000});
}

void TestMappingSearch::rule_7_specLayersProven_data()
{
    QTest::addColumn<int>("layer");
    QTest::addColumn<double>("energy");
    QTest::addColumn<double>("cycles");
    QTest::addColumn<double>("edp");
    QTest::newRow("3x3 64") << 0 << 625683932.0 << 681856.0 << 4.49781780e14;
    QTest::newRow("3x3 256") << 1 << 640257372.0 << 638848.0 << 4.36676274e14;
    QTest::newRow("1x1") << 2 << 489178153.0 << 1123328.0 << 6.43353752e14;
    QTest::newRow("gemm") << 3 << 7406000000.0 << 11192000.0 << 8.7107336e16;
}

void TestMappingSearch::rule_7_specLayersProven()
{
    QFETCH(int, layer);
    QFETCH(double, energy);
    QFETCH(double, cycles);
    QFETCH(double, edp);
    const SearchResult r = search(makeNest(specLayer(layer)).value(), {}, {});
    QVERIFY(r.proven);
    QCOMPARE(r.settled, 1.0);
    // The table rounds to nine digits.
    QVERIFY(r.of(Objective::Energy)->energy <= energy * (1 + 2e-9));
    QVERIFY(static_cast<double>(r.of(Objective::Cycles)->cycles) <= cycles);
    QVERIFY(r.of(Objective::Edp)->edp <= edp * (1 + 2e-9));
    for (int o = 0; o < kObjectives; ++o)
        QCOMPARE(r.gap(static_cast<Objective>(o)), 0.0);
}

void TestMappingSearch::rule_7_quickIsTheReducedSpace()
{
    for (int i = 0; i < 4; ++i) {
        const LoopNest nest = makeNest(specLayer(i)).value();
        const SearchResult whole = search(nest, {}, {});
        const SearchResult quick = quickSearch(nest, {}, {});
        QVERIFY(quick.proven && quick.best[0]);
        QVERIFY(quick.counts.valid < whole.counts.valid);
        const Architecture a;
        for (int o = 0; o < kObjectives; ++o) {
            const auto objective = static_cast<Objective>(o);
            QVERIFY(quick.of(objective)->value(objective) >=
                    whole.of(objective)->value(objective) * (1 - 1e-12));
        }
        for (const MethodCost& m : quick.front) {
            const MappingCost e = evaluate(nest, a, m.method);
            QVERIFY(static_cast<double>(e.pesUsed) >= quick.reductions.minPeUse * 256 - 1e-9);
            QVERIFY(static_cast<double>(e.rfElementsUsed) >= quick.reductions.minRfUse * 256 - 1e-9);
            if (quick.reductions.noSpatialReduction)
                QCOMPARE(e.reductionCycles, 0);
            if (quick.reductions.noFilterLoopsAtDram && nest.loopCount == kMaxLoops)
                QCOMPARE(m.method.at(Level::Dram)[5] * m.method.at(Level::Dram)[6], 1);
        }
    }
}

void TestMappingSearch::rule_7_quickFindsTheReferencesOptima()
{
    // The same reductions give the same optima as the reference program, where it did not have to relax them.
    struct Expected
    {
        int layer;
        double energy;
        std::int64_t cycles;
        double edp;
    };
    for (const Expected& x :
         {Expected{0, 625683932, 681856, 4.49781780e14}, Expected{1, 640257372, 638848, 4.36676274e14},
          Expected{3, 7406000000, 11192000, 8.7107336e16}}) {
        const SearchResult r = quickSearch(makeNest(specLayer(x.layer)).value(), {}, {});
        QCOMPARE(r.reductions, quickReductions());
        QVERIFY(close(r.of(Objective::Energy)->energy, x.energy, 2e-9));
        QCOMPARE(r.of(Objective::Cycles)->cycles, x.cycles);
        QVERIFY(close(r.of(Objective::Edp)->edp, x.edp, 2e-9));
    }
}

void TestMappingSearch::equalMethodsAreTheSameEachTime_data()
{
    QTest::addColumn<bool>("imperfect");
    QTest::newRow("divisors") << false;
    QTest::newRow("imperfect") << true;
}

/// Which of several threads finds a method first does not decide which of two equal ones is the answer.
void TestMappingSearch::equalMethodsAreTheSameEachTime()
{
    QFETCH(const bool, imperfect);
    Layer product;
    product.kind = LayerKind::Gemm;
    product.m = product.n = imperfect ? 24 : 256;
    product.k = imperfect ? 20 : 512;
    const LoopNest nest = makeNest(product).value();
    Architecture edge = lower::architectureOf(machinePreset("edge").value());
    edge.options.imperfect = imperfect;
    const auto methodsWith = [&](int threads) {
        SearchOptions options;
        options.threads = threads;
        const SearchResult found = search(nest, edge, options);
        std::vector<Method> out;
        for (const MethodCost& m : found.front)
            out.push_back(m.method);
        return out;
    };
    const std::vector<Method> one = methodsWith(1);
    QVERIFY(!one.empty());
    for (int i = 0; i < 12; ++i)
        QVERIFY(methodsWith(2 + i % 3) == one);
}

void TestMappingSearch::stopsAndKeepsItsPromises()
{
    Layer big;
    big.batch = 2;
    big.inChannels = big.outChannels = 96;
    big.height = big.width = 48;
    big.kernel = {3, 3};
    big.padding = 1;
    const LoopNest nest = makeNest(big).value();
    std::stop_source stop;
    stop.request_stop();
    SearchOptions options;
    options.stop = stop.get_token();
    const SearchResult none = search(nest, {}, options);
    QVERIFY(!none.proven && none.interrupted);
    QVERIFY(none.best[0]); // at least the method with everything at DRAM
    QVERIFY(none.gap(Objective::Energy) > 0);
    const SearchResult whole = search(nest, {}, {});
    QVERIFY(whole.proven);
    for (int o = 0; o < kObjectives; ++o) {
        const auto i = static_cast<std::size_t>(o);
        QVERIFY(none.lowerBound[i] <= whole.best[i]->value(static_cast<Objective>(o)) * (1 + 1e-12));
        QVERIFY(none.best[i]->value(static_cast<Objective>(o)) >=
                whole.best[i]->value(static_cast<Objective>(o)));
    }
    // Stopped from outside as soon as something was found: the bounds still hold.
    std::stop_source later;
    options.stop = later.get_token();
    options.status = [&](const SearchStatus& s) {
        if (s.best[0])
            later.request_stop();
    };
    const SearchResult part = search(nest, {}, options);
    for (int o = 0; o < kObjectives; ++o) {
        const auto i = static_cast<std::size_t>(o);
        QVERIFY(part.best[i]);
        QVERIFY(part.lowerBound[i] <= whole.best[i]->value(static_cast<Objective>(o)) * (1 + 1e-12));
    }
    QVERIFY(part.counts.visited + part.counts.cut <= part.counts.valid);
}

void TestMappingSearch::hugeSpaceIsSampled()
{
    const LoopNest nest = makeNest(specLayer(2)).value();
    const SearchResult whole = search(nest, {}, {});
    SearchOptions options;
    options.maxLatticePoints = 10;
    options.seconds = 0.3;
    const SearchResult sampled = search(nest, {}, options);
    QVERIFY(!sampled.proven);
    QVERIFY(sampled.best[0] && sampled.best[1] && sampled.best[2]);
    for (int o = 0; o < kObjectives; ++o) {
        const auto objective = static_cast<Objective>(o);
        QVERIFY(sampled.of(objective)->value(objective) >=
                whole.of(objective)->value(objective) * (1 - 1e-12));
        QVERIFY(sampled.gap(objective) >= 0);
    }
}

void TestMappingSearch::noValidMethod()
{
    Architecture tiny;
    tiny.rfBytes = 4; // two elements: one of each operand does not fit
    const SearchResult r = search(makeNest(specLayer(3)).value(), tiny, {});
    QVERIFY(r.proven);
    QVERIFY(!r.best[0] && !r.best[1] && !r.best[2]);
    QVERIFY(r.front.empty());
    QCOMPARE(r.counts.valid, 0);
    QCOMPARE(r.counts.invalid, *r.counts.space);
}

void TestMappingSearch::resultsAreValidAndFrontIsSorted()
{
    for (int i = 0; i < 4; ++i) {
        const LoopNest nest = makeNest(specLayer(i)).value();
        const SearchResult r = search(nest, {}, {});
        QVERIFY(!r.front.empty());
        for (std::size_t p = 0; p < r.front.size(); ++p) {
            const MappingCost e = evaluate(nest, {}, r.front[p].method);
            QVERIFY(e.valid());
            QCOMPARE(e.cycles, r.front[p].cycles);
            QVERIFY(close(e.energy, r.front[p].energy));
            if (p > 0)
                QVERIFY(r.front[p].energy > r.front[p - 1].energy &&
                        r.front[p].cycles < r.front[p - 1].cycles);
        }
        QCOMPARE(r.of(Objective::Energy)->energy, r.front.front().energy);
        QCOMPARE(r.of(Objective::Cycles)->cycles, r.front.back().cycles);
    }
}

void TestMappingSearch::modelSharesEqualShapes()
{
    Model model;
    model.name = "m";
    model.layers = {specLayer(2), specLayer(3), specLayer(2)};
    model.layers[0].count = 3;
    model.layers[2].name = "again";
    const auto r = searchModel(model, {}, {}, false);
    QVERIFY(r);
    QVERIFY(r->proven && r->complete);
    QVERIFY(!r->layers[0].repeated && !r->layers[1].repeated && r->layers[2].repeated);
    const double expected = 4 * r->layers[0].search.of(Objective::Energy)->energy +
                            r->layers[1].search.of(Objective::Energy)->energy;
    QVERIFY(close(r->totals[0].energy, expected));
    QVERIFY(r->totals[0].energy <= r->totals[1].energy);
    QVERIFY(r->totals[1].cycles <= r->totals[0].cycles);
    QVERIFY(r->totals[2].edp <= r->totals[0].edp);
}

TILEWRIGHT_TEST(TestMappingSearch)

} // namespace test_mapping_search
#include "test_mapping_search.moc"
