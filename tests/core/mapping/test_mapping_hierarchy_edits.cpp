// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of mappings by hand, their figures for charts, and the document (docs/rules/hierarchy.md 2 to 6).
#include "base/text.h"
#include "hierarchy/edits.h"
#include "hierarchy/figures.h"
#include "hierarchy/files.h"
#include "hierarchy/setup.h"
#include "hierarchy_by_hand.h"
#include "test_main.h"

#include <QTest>

#include <numeric>

namespace test_mapping_hierarchy_edits {

using namespace tilewright;
using namespace tilewright::hierarchy;

namespace {

const Place kDram{0, {}}, kBuffer{1, {}}, kRows{1, "rows"}, kRegs{2, {}};
const ByHand kCase;

Mapping moved(const Place& from, std::size_t index, std::int64_t factor, const Place& to,
              const Mapping& mapping = kCase.mapping)
{
    return moveFactor(kCase.nest, kCase.architecture, mapping, from, index, factor, to).value();
}

} // namespace

class TestMappingHierarchyEdits : public QObject
{
    Q_OBJECT

private slots:
    void placesFromTheOutermostInwards();
    void aMovedFactorJoinsItsLoop();
    void aMovedFactorIsNearestToWhereItCameFrom();
    void impossibleMovesAreRefused();
    void loopsAreReordered();
    void refitKeepsWhatDivides();
    void reuseAlongLoops();
    void pseudoCodeText();
    void rule_6_energyByLevelAndOperand();
    void rule_6_resources();
    void rule_6_waiting();
    void rule_6_fills();
    void axesAndTheirUse();
    void previewIsTheDifference();
    void documentRoundTrip();
    void invalidDocuments();
};

void TestMappingHierarchyEdits::placesFromTheOutermostInwards()
{
    QCOMPARE(placesOf(kCase.architecture, kCase.mapping), (std::vector<Place>{kDram, kBuffer, kRows, kRegs}));
    QCOMPARE(placeName(kCase.architecture, kRows), std::string("rows of buffer"));
    QCOMPARE(loopsAt(kCase.mapping, kRows), (std::vector<TiledLoop>{{X, 2}}));
    // An axis that the level has not is there too, so that its loops can be moved away.
    Mapping odd = kCase.mapping;
    odd.levels[2].spatial.push_back({"lanes", {{Y, 2}}});
    const Place lanes{2, "lanes"};
    QCOMPARE(placesOf(kCase.architecture, odd).back(), lanes);
    QCOMPARE(axisUse(kCase.nest, kCase.architecture, odd, lanes).size, 0);
    QVERIFY(loopsAt(kCase.mapping, lanes).empty());
}

void TestMappingHierarchyEdits::aMovedFactorJoinsItsLoop()
{
    const Mapping m = moved(kDram, 0, 2, kRegs);
    QVERIFY(m.levels[0].temporal.empty());
    QCOMPARE(m.levels[2].temporal, (std::vector<TiledLoop>{{K, 4}}));
    // Of two loops of its name it joins the nearest one.
    Mapping two = kCase.mapping;
    two.levels[0].temporal = {{K, 3}, {X, 5}, {K, 7}};
    QCOMPARE(moved(kRegs, 0, 2, kDram, two).levels[0].temporal,
             (std::vector<TiledLoop>{{K, 3}, {X, 5}, {K, 14}}));
    two.levels[2].temporal = {{K, 3}, {X, 5}, {K, 7}};
    QCOMPARE(moved(kDram, 1, 5, kRows, two).levels[1].spatial[0].loops, (std::vector<TiledLoop>{{X, 10}}));
    QCOMPARE(moved(kDram, 0, 3, kRegs, two).levels[2].temporal,
             (std::vector<TiledLoop>{{K, 9}, {X, 5}, {K, 7}}));
}

void TestMappingHierarchyEdits::aMovedFactorIsNearestToWhereItCameFrom()
{
    // Inwards it becomes the outermost loop, outwards the innermost one: the order of all loops stays.
    QCOMPARE(moved(kDram, 0, 2, kBuffer).levels[1].temporal,
             (std::vector<TiledLoop>{{K, 2}, {X, 2}, {Y, 2}}));
    QCOMPARE(moved(kRegs, 0, 2, kBuffer).levels[1].temporal,
             (std::vector<TiledLoop>{{X, 2}, {Y, 2}, {K, 2}}));
    QCOMPARE(moved(kRows, 0, 2, kRegs).levels[2].temporal, (std::vector<TiledLoop>{{X, 2}, {K, 2}}));
    QVERIFY(moved(kRows, 0, 2, kRegs).levels[1].spatial.empty()); // an axis without loops is no entry
    QCOMPARE(moved(kBuffer, 1, 2, kRows).levels[1].spatial[0].loops,
             (std::vector<TiledLoop>{{Y, 2}, {X, 2}}));
}

void TestMappingHierarchyEdits::impossibleMovesAreRefused()
{
    const auto refused = [](const Place& from, std::size_t index, std::int64_t factor) {
        const auto m = moveFactor(kCase.nest, kCase.architecture, kCase.mapping, from, index, factor, kDram);
        return m ? std::string() : m.error().message;
    };
    QCOMPARE(refused(kRows, 0, 3),
             std::string("loop X has the factor 2 at rows of buffer, which is not divisible by 3"));
    QCOMPARE(refused(kRows, 1, 2), std::string("there is no such loop at rows of buffer"));
    QCOMPARE(refused(kRows, 0, 1), std::string("only a factor of at least 2 can be moved"));
    QCOMPARE(moved(kRows, 0, 2, kRows), kCase.mapping);
}

void TestMappingHierarchyEdits::loopsAreReordered()
{
    const auto m = reorderLoop(kCase.architecture, kCase.mapping, 1, 0, 1);
    QCOMPARE(m->levels[1].temporal, (std::vector<TiledLoop>{{Y, 2}, {X, 2}}));
    QCOMPARE(*reorderLoop(kCase.architecture, *m, 1, 1, 0), kCase.mapping);
    QVERIFY(!reorderLoop(kCase.architecture, kCase.mapping, 1, 0, 2));
}

void TestMappingHierarchyEdits::refitKeepsWhatDivides()
{
    QCOMPARE(refitMapping(kCase.nest, kCase.mapping), kCase.mapping);
    // X 12: the rows and the buffer keep 2 each, the rest goes to the outermost level. Y 3: nothing is kept.
    const Mapping m = refitMapping(gemm(12, 3, 2), kCase.mapping);
    QCOMPARE(m.levels[0].temporal, (std::vector<TiledLoop>{{X, 3}, {Y, 3}}));
    QCOMPARE(m.levels[1].temporal, (std::vector<TiledLoop>{{X, 2}}));
    QCOMPARE(m.levels[1].spatial[0].loops, (std::vector<TiledLoop>{{X, 2}}));
    QCOMPARE(m.levels[2].temporal, (std::vector<TiledLoop>{{K, 2}}));
    const auto violation = checkMapping(gemm(12, 3, 2), kCase.architecture, m);
    QVERIFY(!violation || violation->code != ViolationCode::Tiling);
}

void TestMappingHierarchyEdits::reuseAlongLoops()
{
    const auto reused = [](const Mapping& m, std::size_t level, std::size_t index) {
        return reusedAlong(kCase.nest, kCase.architecture, m, level, index);
    };
    QCOMPARE(reused(kCase.mapping, 0, 0), 2); // K 2 does not index C, whose tile stays in the buffer
    QCOMPARE(reused(kCase.mapping, 1, 0), -1);
    QCOMPARE(reused(kCase.mapping, 1, 1), -1);
    // The registers hold C only: K in the buffer, innermost, does not change their tile.
    const Mapping m = moved(kRegs, 0, 2, kBuffer);
    QCOMPARE(reused(m, 1, 2), 2);
    QCOMPARE(reused(m, 1, 1), -1);             // Y indexes C
    QCOMPARE(reused(kCase.mapping, 2, 0), -1); // nothing holds tiles inside the registers
}

void TestMappingHierarchyEdits::pseudoCodeText()
{
    QCOMPARE(pseudoCode(kCase.nest, kCase.architecture, kCase.mapping),
             std::string("for (k_L2 = 0; k_L2 < 2; ++k_L2) {  // DRAM\n"
                         "  exchange(A, B, C);  // tiles of buffer\n"
                         "  for (x_L1 = 0; x_L1 < 2; ++x_L1) {  // buffer\n"
                         "    for (y_L1 = 0; y_L1 < 2; ++y_L1) {  // buffer\n"
                         "      parallel_for (x_S1 = 0; x_S1 < 2; ++x_S1) {  // rows of buffer\n"
                         "        exchange(C);  // tiles of regs\n"
                         "        for (k_L0 = 0; k_L0 < 2; ++k_L0) {  // regs\n"
                         "          x = x_L1 * 2 + x_S1;\n"
                         "          y = y_L1;\n"
                         "          k = k_L2 * 2 + k_L0;\n"
                         "          C[x][y] += A[x][k] * B[k][y];\n"
                         "        }\n"
                         "      }\n"
                         "    }\n"
                         "  }\n"
                         "}\n"));
}

void TestMappingHierarchyEdits::rule_6_energyByLevelAndOperand()
{
    const std::vector<EnergyRow> rows = energyRows(kCase.architecture, kCase.cost());
    QCOMPARE(rows.size(), 4U);
    QCOMPARE(rows[0].name, std::string("DRAM"));
    QCOMPARE(rows[0].operands, (std::array<double, kOperands>{128 * 8, 64 * 8, 64 * 8}));
    QCOMPARE(rows[1].total(), 960.0);
    QCOMPARE(rows[2].operands, (std::array<double, kOperands>{0, 0, 144}));
    QCOMPARE(rows[3].name, std::string("MACs"));
    QCOMPARE(rows[3].multiplications, 16.0);
    QCOMPARE(rows[0].total() + rows[1].total() + rows[2].total() + rows[3].total(), kCase.cost().energy);
}

void TestMappingHierarchyEdits::rule_6_resources()
{
    // The registers have no limit.
    const std::vector<ResourceTime> times = resourceTimes(kCase.architecture, kCase.cost());
    std::vector<double> cycles;
    int limits = 0;
    for (const ResourceTime& time : times) {
        cycles.push_back(time.cycles);
        limits += time.limits ? 1 : 0;
    }
    QCOMPARE(cycles, (std::vector<double>{16, 6, 2, 18, 12}));
    QCOMPARE(limits, 1);
    QVERIFY(times[3].limits && times[3].kind == Limit::Reads && times[3].level == 1);
}

void TestMappingHierarchyEdits::rule_6_waiting()
{
    QVERIFY(waitingRows(kCase.architecture, kCase.cost()).empty());
    ByHand single;
    single.architecture.levels[1].doubleBuffered = false;
    const std::vector<WaitingRow> rows = waitingRows(single.architecture, single.cost());
    QCOMPARE(rows.size(), 1U);
    QCOMPARE(rows[0].name, std::string("buffer"));
    QCOMPARE(rows[0].fill, (std::array<double, kOperands>{4, 2, 0}));
    QCOMPARE(rows[0].drain, (std::array<double, kOperands>{0, 0, 2}));
    QCOMPARE(rows[0].total, 8.0);
    QCOMPARE(single.cost().cycles, 26.0);
}

void TestMappingHierarchyEdits::rule_6_fills()
{
    const std::vector<MemoryFill> fills = memoryFills(kCase.nest, kCase.architecture, kCase.mapping);
    QCOMPARE(fills.size(), 3U);
    QVERIFY(!fills[0].capacity);
    QCOMPARE(fills[1].used, (std::array<std::int64_t, kOperands>{16, 8, 32}));
    QCOMPARE(fills[1].total, 56);
    QVERIFY(fills[1].fits());
    QCOMPARE(fills[2].total, 2);
    // Separate memories have a fill each.
    ByHand apart;
    apart.architecture.levels[1].bytes.reset();
    apart.architecture.levels[1].memories = {{16, 8, 31}};
    const std::vector<MemoryFill> each = memoryFills(apart.nest, apart.architecture, apart.mapping);
    QCOMPARE(each.size(), 5U);
    QCOMPARE(each[1].operand, 0);
    QVERIFY(each[1].fits() && each[2].fits() && !each[3].fits());
    QCOMPARE(codeOf(apart.cost().violation), std::string("CAPACITY"));
    QCOMPARE(
        levelText(apart.nest, apart.architecture, 1),
        "holds A, B, C; " + bytesText(16) + " for A, " + bytesText(8) + " for B, " + bytesText(31) +
            " for C, double-buffered; reads 4 bytes per cycle at 1 pJ a bit, writes 4 bytes per cycle at "
            "1 pJ a bit");
}

void TestMappingHierarchyEdits::axesAndTheirUse()
{
    ByHand c;
    AxisUse use = axisUse(c.nest, c.architecture, c.mapping, kRows);
    QVERIFY(use.used == 2 && use.size == 2 && use.fits());
    QVERIFY(!axisUse(c.nest, c.architecture, moved(kBuffer, 1, 2, kRows), kRows).fits()); // 4 of 2
    c.architecture.levels[1].axes[0].gemmLoops = 1u << K;
    use = axisUse(c.nest, c.architecture, c.mapping, kRows);
    QVERIFY(!use.isAllowed && !use.fits());
    QCOMPARE(codeOf(c.cost().violation), std::string("SPATIAL"));
}

void TestMappingHierarchyEdits::previewIsTheDifference()
{
    const Cost before = kCase.cost();
    const MovePreview preview =
        previewMove(kCase.nest, kCase.architecture, before, moved(kDram, 0, 2, kRegs));
    QCOMPARE(preview.after.energy - before.energy, preview.energyChange);
    QCOMPARE(preview.after.cycles - before.cycles, preview.cyclesChange);
    QCOMPARE(preview.after.edp - before.edp, preview.edpChange);
    QVERIFY(preview.energyChange < 0);                                  // no partial sums come back
    QCOMPARE(codeOf(preview.after.violation), std::string("CAPACITY")); // but the tile of K 4 does not fit
}

void TestMappingHierarchyEdits::documentRoundTrip()
{
    Setup setup;
    setup.layer.kind = mapping::LayerKind::Gemm;
    setup.layer.m = 4;
    setup.layer.n = 2;
    setup.layer.k = 4;
    setup.architecture = kCase.architecture;
    setup.mapping = kCase.mapping;
    const std::string text = writeSetup(setup);
    QVERIFY(isSetup(text));
    QVERIFY(!isSetup(writeArchitecture(kCase.architecture)));
    const auto again = readSetup(text, "x");
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QVERIFY(*again == setup);
}

void TestMappingHierarchyEdits::invalidDocuments()
{
    const auto said = [](const std::string& text) {
        const auto read = readSetup(text, "x.mapping.json");
        return read ? std::string() : read.error().text();
    };
    const std::string layer = R"("layer": {"kind": "gemm", "m": 4, "n": 2, "k": 4})";
    const std::string architecture = R"("architecture": )" + writeArchitecture(kCase.architecture);
    const std::string mapping = writeMapping(kCase.nest, kCase.architecture, kCase.mapping);
    QCOMPARE(said("{" + layer + "," + architecture + R"(,"mapping": )" + mapping + "}"), std::string());
    QVERIFY(said("{" + layer + "," + architecture + "}").find("mapping") != std::string::npos);
    QVERIFY(said("{" + layer + R"(, "architecture": {"levels": []}, "mapping": )" + mapping + "}")
                .find("architecture") != std::string::npos);
    QVERIFY(
        said("{" + layer + "," + architecture + R"(,"mapping": {"levels": []}})").find("mapping.levels") !=
        std::string::npos);
    QVERIFY(
        said("{" + layer + "," + architecture + R"(,"more": 1,"mapping": )" + mapping + "}").find("more") !=
        std::string::npos);
}

TILEWRIGHT_TEST(TestMappingHierarchyEdits)

} // namespace test_mapping_hierarchy_edits
#include "test_mapping_hierarchy_edits.moc"
