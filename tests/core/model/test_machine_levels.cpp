// SPDX-License-Identifier: GPL-3.0-or-later
// Machines as architectures with levels (docs/rules/hierarchy.md 9).
#include "base/text.h"
#include "hierarchy/files.h"
#include "hierarchy/search.h"
#include "lower/component_energy.h"
#include "lower/machine_levels.h"
#include "model/machine.h"
#include "test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>

namespace test_machine_levels {

using namespace tilewright;
using namespace tilewright::lower;
using hierarchy::Level;

namespace {

MachineLevels levelsOfPreset(const char* name)
{
    return levelsOf(machinePreset(name).value()).value();
}

Machine machineWith(const Machine& machine, std::string_view path, std::string_view value)
{
    return withMachineField(machine, path, value).value();
}

std::string namesOf(const hierarchy::Architecture& architecture)
{
    std::string out;
    for (const Level& level : architecture.levels) {
        out += (out.empty() ? "" : " ") + level.name;
        for (const hierarchy::Axis& axis : level.axes)
            out += "[" + axis.name + " " + std::to_string(axis.size) + "]";
    }
    return out;
}

const Level& at(const MachineLevels& levels, std::string_view name)
{
    return *std::ranges::find(levels.architecture.levels, name, &Level::name);
}

const hierarchy::Axis& axisAt(const Level& level, std::string_view name)
{
    return *std::ranges::find(level.axes, name, &hierarchy::Axis::name);
}

bool takes(const hierarchy::Axis& axis, std::string_view loop)
{
    for (std::size_t l = 0; l < mapping::kConvLoops.size(); ++l)
        if (mapping::kConvLoops[l] == loop)
            return axis.allows(mapping::LayerKind::Conv, static_cast<int>(l));
    for (std::size_t l = 0; l < mapping::kGemmLoops.size(); ++l)
        if (mapping::kGemmLoops[l] == loop)
            return axis.allows(mapping::LayerKind::Gemm, static_cast<int>(l));
    return false;
}

/// The loops that the axis takes, of convolutions and products.
std::string loopsOf(const hierarchy::Axis& axis)
{
    std::string out;
    for (const char* loop : {"N", "M", "C", "Ox", "Oy", "Fx", "Fy", "X", "Y", "K"})
        if (takes(axis, loop))
            out += std::string(out.empty() ? "" : " ") + loop;
    return out;
}

bool isNoted(const MachineLevels& levels, std::string_view part)
{
    return std::ranges::any_of(levels.notes,
                               [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

} // namespace

class TestMachineLevels : public QObject
{
    Q_OBJECT

private slots:
    void rule_9_everyPreset();
    void rule_9_1_memories();
    void rule_9_2_array_data();
    void rule_9_2_array();
    void rule_9_3_registers();
    void rule_9_4_energies();
    void rule_9_5_rates();
};

/// Every preset has levels that a file could have, and a mapping of a small product.
void TestMachineLevels::rule_9_everyPreset()
{
    mapping::Layer layer;
    layer.kind = mapping::LayerKind::Gemm;
    layer.m = layer.n = layer.k = 8;
    const auto nest = makeNest(layer).value();
    int presets = 0;
    for (const MachinePreset& preset : machinePresets()) {
        const Machine machine = machinePreset(preset.name).value();
        const auto levels = levelsOf(machine);
        QVERIFY2(levels, preset.name.data());
        const hierarchy::Architecture& a = levels->architecture;
        QCOMPARE(hierarchy::readArchitecture(hierarchy::writeArchitecture(a), "a.json").value() == a, true);
        double macs = 1;
        for (const Level& level : a.levels)
            for (const hierarchy::Axis& axis : level.axes)
                macs *= static_cast<double>(axis.size);
        QCOMPARE(macs, static_cast<double>(machine.cores * machine.arrays * machine.pes()));
        const auto found = hierarchy::findMapping(nest, a, {});
        QVERIFY2(found.mapping && evaluate(nest, a, *found.mapping).valid(), preset.name.data());
        ++presets;
    }
    QVERIFY(presets >= 19);
}

void TestMachineLevels::rule_9_1_memories()
{
    const MachineLevels edge = levelsOfPreset("edge");
    QCOMPARE(namesOf(edge.architecture), std::string("external[cores 4] l3 l2 l1[rows 64][cols 64] pe"));
    QVERIFY(!at(edge, "external").bytes && !at(edge, "external").multicast && at(edge, "l1").multicast);
    QCOMPARE(*at(edge, "l3").bytes, 4 * 262144);
    QCOMPARE(*at(edge, "l2").readBytesPerCycle, 512.0);
    QCOMPARE(edge.architecture.bits[0], 16);
    QCOMPARE(edge.architecture.accumulatorBits, 32);
    // A shared level, and a level with two ports.
    const MachineLevels tpu = levelsOfPreset("tpu-v4");
    QCOMPARE(namesOf(tpu.architecture).find("external l2[cores 2] l1"), std::size_t{0});
    QCOMPARE(*at(tpu, "l2").readBytesPerCycle, 2048 / 1.05);
    QCOMPARE(*at(tpu, "l2").writeBytesPerCycle, 1024 / 1.05);
    QVERIFY(!at(tpu, "l2").multicast && at(levelsOfPreset("simba"), "l2").multicast);
    QVERIFY(namesOf(levelsOfPreset("tpu-v4i").architecture).find("l1[arrays 4] accumulators") !=
            std::string::npos);
}

void TestMachineLevels::rule_9_2_array_data()
{
    QTest::addColumn<QString>("preset");
    QTest::addColumn<QString>("dataflow");
    QTest::addColumn<QString>("rows");
    QTest::addColumn<QString>("cols");
    QTest::addColumn<bool>("added");
    QTest::newRow("os") << "edge"
                        << "os"
                        << "N Ox Oy X"
                        << "M Y" << false;
    QTest::newRow("ws") << "edge"
                        << "ws"
                        << "C Fx Fy K"
                        << "M Y" << true;
    QTest::newRow("is") << "edge"
                        << "is"
                        << "C Fx Fy K"
                        << "N Ox Oy X" << true;
    QTest::newRow("dot product") << "nvdla-full"
                                 << ""
                                 << "C K"
                                 << "M Y" << true;
    QTest::newRow("spatial") << "eyeriss"
                             << ""
                             << "M C Fx Y K"
                             << "M C Ox X Y K" << true;
}

void TestMachineLevels::rule_9_2_array()
{
    QFETCH(QString, preset);
    QFETCH(QString, dataflow);
    QFETCH(QString, rows);
    QFETCH(QString, cols);
    QFETCH(bool, added);
    Machine machine = machinePreset(preset.toStdString()).value();
    if (!dataflow.isEmpty())
        machine = machineWith(machine, "array.dataflow", dataflow.toStdString());
    const MachineLevels levels = levelsOf(machine).value();
    const Level& outside = levels.architecture.levels[levels.architecture.levels.size() - 2];
    QCOMPARE(QString::fromStdString(loopsOf(axisAt(outside, "rows"))), rows);
    QCOMPARE(QString::fromStdString(loopsOf(axisAt(outside, "cols"))), cols);
    QCOMPARE(outside.reductionTree, added);
    QVERIFY(outside.multicast);
}

void TestMachineLevels::rule_9_3_registers()
{
    const auto holds = [](const Level& level) { return level.holds; };
    using Held = std::array<bool, 3>;
    // os: a sum in each PE. ws: a weight there, sums beside the array.
    const Machine edge = machinePreset("edge").value();
    const Level os = at(levelsOf(edge).value(), "pe");
    QVERIFY(holds(os) == Held({false, false, true}) && os.bytes == 4);
    const MachineLevels ws = levelsOf(machineWith(edge, "array.dataflow", "ws")).value();
    QVERIFY(holds(at(ws, "pe")) == Held({false, true, false}) && at(ws, "pe").bytes == 2);
    QCOMPARE(*at(ws, "accumulators").bytes, 2 * 64 * 64 * 4);
    QVERIFY(holds(at(ws, "accumulators")) == Held({false, false, true}));
    QVERIFY(!at(ws, "accumulators").readBytesPerCycle);
    QVERIFY(isNoted(ws, "assumed: accumulators beside each array for twice 4\u202f096 sums"));
    // Register files for each operand; a memory for sums; a register file for all.
    const Level eyeriss = at(levelsOfPreset("eyeriss"), "pe");
    QVERIFY(eyeriss.memories == (std::array<std::int64_t, 3>{24, 450, 48}));
    const MachineLevels gemmini = levelsOfPreset("gemmini-16");
    QCOMPARE(*at(gemmini, "accumulators").bytes, 65536);
    QVERIFY(!isNoted(gemmini, "accumulators beside"));
    QVERIFY(at(gemmini, "l1").memories == (std::array<std::int64_t, 3>{131072, 131072, 0}));
    QVERIFY(holds(at(gemmini, "l1")) == Held({true, true, false}));
    const MachineLevels a100 = levelsOfPreset("a100");
    QVERIFY(at(a100, "pe").bytes == 256 && holds(at(a100, "pe")) == Held({true, true, true}));
    QVERIFY(isNoted(levelsOfPreset("nvdla-full"), "assumed: a register for one weight in each PE"));
}

void TestMachineLevels::rule_9_4_energies()
{
    // The published values, within what the root of the size leaves.
    const auto isNear = [](double value, double published) {
        return value > published / 1.2 && value < published * 1.2;
    };
    QVERIFY(isNear(sramPjPerBit(522, 65), 0.0625) && isNear(sramPjPerBit(110592, 65), 0.9375));
    QVERIFY(isNear(sramPjPerBit(4 << 20, 7), 0.249) && isNear(sramPjPerBit(128 << 20, 7), 1.88));
    QCOMPARE(sramPjPerBit(1024, 4), sramPjPerBit(1024, 7));
    QVERIFY(sramPjPerBit(1024, 16) > sramPjPerBit(1024, 7) &&
            sramPjPerBit(1024, 16) < sramPjPerBit(1024, 65));
    QVERIFY(std::abs(sramPjPerBit(4096, 28) / sramPjPerBit(1024, 28) - 2) < 1e-12);
    QVERIFY(std::abs(macPj(16, 65) - 2) < 1e-12 && std::abs(macPj(8, 7) - 0.021) < 1e-12);
    QCOMPARE(dramPjPerBit(399), 28.75);
    QCOMPARE(dramPjPerBit(400), 7.03);
    // What a machine gives is taken, the rest is assumed and said to be.
    const MachineLevels eyeriss = levelsOfPreset("eyeriss");
    QCOMPARE(at(eyeriss, "external").readPj, 460.0 / 16);
    QCOMPARE(at(eyeriss, "l1").writePj, 15.0 / 16);
    QCOMPARE(at(eyeriss, "pe").readPj, 1.0 / 16);
    QCOMPARE(eyeriss.architecture.macPj, 2.0);
    QVERIFY(!isNoted(eyeriss, "assumed: energies"));
    const MachineLevels tpu = levelsOfPreset("tpu-v4i");
    QCOMPARE(at(tpu, "l1").readPj, 3.984 / 16);
    QCOMPARE(at(tpu, "l1").writePj, 4.688 / 16);
    QCOMPARE(at(tpu, "l2").readPj, sramPjPerBit(128 << 20, 7));
    QVERIFY(isNoted(tpu, "assumed: energies of l2, accumulators and pe, for 7 nm"));
    QVERIFY(isNoted(levelsOfPreset("edge"),
                    "assumed: energies of a multiplication, external, l3, l2, l1 and pe, for 16 nm, which is "
                    "assumed too"));
    const Machine finer = machineWith(machinePreset("edge").value(), "technology_nm", "7");
    QCOMPARE(at(levelsOf(finer).value(), "l1").readPj, sramPjPerBit(8 * 16384, 7));
}

void TestMachineLevels::rule_9_5_rates()
{
    const Machine edge = machinePreset("edge").value();
    const MachineLevels half = levelsOf(machineWith(edge, "array.rates", "16:0.5 8:1")).value();
    QCOMPARE(half.architecture.clockGhz, 0.5);
    QCOMPARE(*at(half, "l2").readBytesPerCycle, 1024.0);
    QVERIFY(isNoted(half, "the clock is 0.5 GHz instead of 1"));
    QVERIFY(!isNoted(levelsOf(edge).value(), "the clock is"));
    // What is left out is said.
    QVERIFY(isNoted(levelsOfPreset("nvdla-full"), "array.winograd (2.25)"));
    QVERIFY(!isNoted(levelsOfPreset("nvdla-full"), "array.kind"));
}

TILEWRIGHT_TEST(TestMachineLevels)

} // namespace test_machine_levels
#include "test_machine_levels.moc"
