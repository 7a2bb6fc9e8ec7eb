// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/density.h"
#include "mapping/edits.h"
#include "mapping/files.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace test_mapping_edits {

using namespace tilewright;
using namespace tilewright::mapping;

namespace {

LoopNest smallConv(std::int64_t stride = 1)
{
    Layer l;
    l.batch = 2;
    l.inChannels = 4;
    l.outChannels = 6;
    l.height = l.width = 9;
    l.kernel = {3, 3};
    l.stride = {stride, stride};
    return makeNest(l).value();
}

Method parsed(const LoopNest& nest, const std::string& text)
{
    return parsePrintedMethod(text, "test", nest).value();
}

} // namespace

class TestMappingEdits : public QObject
{
    Q_OBJECT

private slots:
    void moveFactor_movesAndRefuses();
    void reorderLoop_movesAndRefuses();
    void movableFactors_arePrimes();
    void previewMove_isTheDifference();
    void reuseLoops_giveTheReuse();
    void memoryFill_addsUp();
    void energyMatrix_addsUp();
    void pseudoCode_text();
    void density_countsEverything();
    void density_isDeterministicAndUnbiased();
    void density_withoutValidTilings();
};

void TestMappingEdits::moveFactor_movesAndRefuses()
{
    const LoopNest nest = smallConv();
    const Method m = trivialMethod(nest);
    const auto moved = moveFactor(nest, m, 1, 3, Level::Dram, Level::Spatial);
    QVERIFY(moved);
    QCOMPARE(moved->at(Level::Dram)[1], 2);
    QCOMPARE(moved->at(Level::Spatial)[1], 3);
    QVERIFY(!checkMethod(nest, {}, *moved));
    QCOMPARE(moveFactor(nest, *moved, 1, 3, Level::Spatial, Level::Dram).value(), m);
    const auto refused = moveFactor(nest, m, 1, 4, Level::Dram, Level::Rf);
    QVERIFY(!refused);
    QCOMPARE(refused.error().message, "loop M has the factor 6 at DRAM, which is not divisible by 4");
    QVERIFY(!moveFactor(nest, m, 7, 2, Level::Dram, Level::Rf));
    QVERIFY(!moveFactor(nest, m, 1, 1, Level::Dram, Level::Rf));
    QCOMPARE(moveFactor(nest, m, 1, 2, Level::Dram, Level::Dram).value(), m);
}

void TestMappingEdits::reorderLoop_movesAndRefuses()
{
    const LoopNest nest = smallConv();
    const Method m = trivialMethod(nest);
    QCOMPARE(reorderLoop(nest, m, Level::Spm, 1, 4)->spmOrder, (LoopOrder{0, 2, 3, 4, 1, 5, 6}));
    QCOMPARE(reorderLoop(nest, m, Level::Dram, 6, 0)->dramOrder, (LoopOrder{6, 0, 1, 2, 3, 4, 5}));
    QCOMPARE(reorderLoop(nest, m, Level::Dram, 3, 3).value(), m);
    QVERIFY(!reorderLoop(nest, m, Level::Rf, 1, 2));
    QVERIFY(!reorderLoop(nest, m, Level::Dram, 1, 7));
    Layer g;
    g.kind = LayerKind::Gemm;
    const LoopNest gemm = makeNest(g).value();
    QCOMPARE(reorderLoop(gemm, trivialMethod(gemm), Level::Spm, 0, 2)->spmOrder,
             (LoopOrder{1, 2, 0, 3, 4, 5, 6}));
    QVERIFY(!reorderLoop(gemm, trivialMethod(gemm), Level::Spm, 3, 0));
}

void TestMappingEdits::movableFactors_arePrimes()
{
    Method m = trivialMethod(smallConv());
    m.at(Level::Rf)[2] = 60;
    QCOMPARE(movableFactors(m, 2, Level::Rf), (std::vector<std::int64_t>{2, 2, 3, 5}));
    QVERIFY(movableFactors(m, 2, Level::Spm).empty());
}

void TestMappingEdits::previewMove_isTheDifference()
{
    const LoopNest nest = smallConv();
    const MappingCost before = evaluate(nest, {}, trivialMethod(nest));
    const Method moved = moveFactor(nest, trivialMethod(nest), 2, 2, Level::Dram, Level::Rf).value();
    const MovePreview p = previewMove(nest, {}, before, moved);
    QCOMPARE(p.after.energy, before.energy + p.energyChange);
    QCOMPARE(p.after.cycles, before.cycles + p.cyclesChange);
    QVERIFY(p.cyclesChange < 0 && p.energyChange < 0 && p.edpChange < 0);
    Architecture tiny;
    tiny.rfBytes = 6;
    QCOMPARE(previewMove(nest, tiny, before, moved).after.violation->code, ViolationCode::Rf);
}

void TestMappingEdits::reuseLoops_giveTheReuse()
{
    const LoopNest nest = smallConv();
    std::mt19937 random(2);
    for (int i = 0; i < 50; ++i) {
        Method m = trivialMethod(nest);
        std::shuffle(m.dramOrder.begin(), m.dramOrder.end(), random);
        for (int op = 0; op < kOperands; ++op) {
            std::int64_t product = 1;
            const unsigned loops = reuseLoops(nest, m, Level::Dram, op);
            for (std::size_t l = 0; l < kMaxLoops; ++l)
                product *= (loops >> l & 1u) != 0 ? m.at(Level::Dram)[l] : 1;
            QCOMPARE(product, reuseOf(nest, op, m.at(Level::Dram), m.dramOrder));
            QCOMPARE(reuseLoops(nest, m, Level::Rf, op), 0u);
        }
    }
}

void TestMappingEdits::memoryFill_addsUp()
{
    const LoopNest nest = smallConv();
    const Method m = moveFactor(nest, trivialMethod(nest), 1, 6, Level::Dram, Level::Spatial).value();
    const MappingCost e = evaluate(nest, {}, m);
    const auto fill = memoryFill({}, e);
    for (const MemoryFill& f : fill) {
        QCOMPARE(std::accumulate(f.used.begin(), f.used.end(), std::int64_t{0}), f.total);
        QVERIFY(f.fits());
    }
    QCOMPARE(fill[0].capacity, 32);
    QCOMPARE(fill[1].capacity, 256);
    QCOMPARE(fill[2].total, 6);
}

void TestMappingEdits::energyMatrix_addsUp()
{
    const LoopNest nest = smallConv();
    const Method m = moveFactor(nest, trivialMethod(nest), 2, 2, Level::Dram, Level::Spatial).value();
    const MappingCost e = evaluate(nest, {}, m);
    double sum = 0;
    for (const auto& row : energyMatrix(e))
        sum += std::accumulate(row.begin(), row.end(), 0.0);
    QVERIFY(std::abs(sum - e.energy) <= 1e-9 * e.energy);
    QVERIFY(e.reductionCycles > 0);
    QVERIFY(energyMatrix(e)[0][kWritten] > 0);
}

void TestMappingEdits::pseudoCode_text()
{
    const LoopNest nest = smallConv(2);
    const Method m = parsed(nest, "((2,1,1,1,1,1,1),(1,2,1,1,1,1,1),(1,1,4,4,1,1,1),(1,3,1,1,4,3,3))"
                                  "(['N','M','C','Ox','Oy','Fx','Fy'],['N','M','C','Ox','Oy','Fx','Fy'])");
    const std::string text = pseudoCode(nest, m);
    const std::string expected = R"(for (n_L3 = 0; n_L3 < 2; ++n_L3) {  // DRAM
  dma();  // one tile DRAM <-> SPM
  for (m_L2 = 0; m_L2 < 2; ++m_L2) {  // SPM
    access_spm_communicate_noc();  // SPM <-> register files
    for (c_L1 = 0; c_L1 < 4; ++c_L1) {  // RF
      for (ox_L1 = 0; ox_L1 < 4; ++ox_L1) {  // RF
        parallel_for (m_S = 0; m_S < 3; ++m_S) {  // SPATIAL
          parallel_for (oy_S = 0; oy_S < 4; ++oy_S) {  // SPATIAL
            parallel_for (fx_S = 0; fx_S < 3; ++fx_S) {  // SPATIAL
              parallel_for (fy_S = 0; fy_S < 3; ++fy_S) {  // SPATIAL
                n = n_L3;
                m = m_L2 * 3 + m_S;
                c = c_L1;
                ox = ox_L1;
                oy = oy_S;
                fx = fx_S;
                fy = fy_S;
                O[n][m][ox][oy] += I[n][c][ox * 2 + fx][oy * 2 + fy] * W[m][c][fx][fy];
              }
            }
          }
        }
      }
    }
  }
}
)";
    QCOMPARE(text, expected);
}

void TestMappingEdits::density_countsEverything()
{
    const LoopNest nest = smallConv();
    DensityOptions options;
    options.tilings = 500;
    options.include = {{1.0, 1}};
    const Density d = sampleDensity(nest, {}, options);
    QCOMPARE(d.tilings, 500);
    QVERIFY(d.tried >= d.tilings);
    QCOMPARE(std::accumulate(d.counts.begin(), d.counts.end(), std::int64_t{0}), d.methods);
    QCOMPARE(d.minLogCycles, 0.0);
    QCOMPARE(d.cellOf({1.0, 1}), std::size_t{0});
    for (std::size_t cell = 0; cell < d.counts.size(); ++cell) {
        QCOMPARE(d.exampleOf[cell] >= 0, d.counts[cell] > 0);
        if (d.exampleOf[cell] < 0)
            continue;
        const MethodCost& m = d.examples[static_cast<std::size_t>(d.exampleOf[cell])];
        const MappingCost e = evaluate(nest, {}, m.method);
        QVERIFY(e.valid());
        QCOMPARE(e.cycles, m.cycles);
        QVERIFY(std::abs(e.energy - m.energy) <= 1e-12 * e.energy);
    }
}

void TestMappingEdits::density_isDeterministicAndUnbiased()
{
    const LoopNest nest = smallConv();
    Architecture small;
    small.rfBytes = 40;
    small.pes = 12;
    DensityOptions options;
    options.tilings = 3000;
    const Density a = sampleDensity(nest, small, options);
    QCOMPARE(sampleDensity(nest, small, options).counts, a.counts);
    options.seed = 2;
    QVERIFY(sampleDensity(nest, small, options).counts != a.counts);
    // Drawn uniformly, the valid share is that of the whole space; five standard deviations.
    const SearchResult whole = search(nest, small, {});
    const double share = static_cast<double>(whole.counts.valid) / static_cast<double>(*whole.counts.space);
    const double tried = static_cast<double>(a.tried);
    QVERIFY(share > 0.05 && share < 0.95);
    QVERIFY(std::abs(static_cast<double>(a.tilings) / tried - share) <
            5 * std::sqrt(share * (1 - share) / tried));
}

void TestMappingEdits::density_withoutValidTilings()
{
    Architecture tiny;
    tiny.rfBytes = 2;
    DensityOptions options;
    options.tilings = 10;
    const Density d = sampleDensity(smallConv(), tiny, options);
    QCOMPARE(d.tilings, 0);
    QCOMPARE(d.methods, 0);
    QVERIFY(d.examples.empty());
    QVERIFY(d.tried > 0);
}

TILEWRIGHT_TEST(TestMappingEdits)

} // namespace test_mapping_edits
#include "test_mapping_edits.moc"
