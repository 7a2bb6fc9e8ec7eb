// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps of the lens mapping on architectures with levels (docs/rules/sweep.md 3.6).
#include "hierarchy/files.h"
#include "hierarchy/model_search.h"
#include "hierarchy_by_hand.h"
#include "lower/machine_levels.h"
#include "sweep_support.h"
#include "test_main.h"

#include <QtTest>

#include <algorithm>

namespace test_sweep_levels {

using namespace tilewright;
using namespace tilewright::test;

namespace {

constexpr const char* kLayers = R"({"name": "two", "layers": [
    {"name": "a", "kind": "gemm", "m": 8, "n": 4, "k": 4}, {"name": "b", "kind": "gemm", "m": 4, "n": 4, "k": 2, "count": 3}]})";

/// What the search finds for one objective: the figure of the whole model.
double least(const mapping::Model& model, const hierarchy::Architecture& architecture,
             hierarchy::Objective objective)
{
    hierarchy::SearchOptions options;
    options.objective = objective;
    const auto found = hierarchy::searchModel(model, architecture, options).value();
    return objective == hierarchy::Objective::Energy   ? found.energy
           : objective == hierarchy::Objective::Cycles ? found.cycles
                                                       : found.edp;
}

} // namespace

class TestSweepLevels : public QObject
{
    Q_OBJECT

private slots:
    void rule_3_6_fieldsOfAnArchitecture();
    void rule_3_6_levelsOfAMachine();
    void rule_3_6_noMapping();
    void withField_data();
    void withField();
    void badPlans_data();
    void badPlans();
};

void TestSweepLevels::rule_3_6_fieldsOfAnArchitecture()
{
    SweepFolder folder;
    const hierarchy::ByHand c;
    folder.write("layers.json", kLayers);
    folder.write("levels.json", QByteArray::fromStdString(hierarchy::writeArchitecture(c.architecture)));
    folder.write("plan.json", R"({"workload": "layers.json", "lens": "mapping", "architecture": "levels.json",
        "axes": [{"name": "levels.buffer.bytes", "values": [56, 256]},
                 {"name": "levels.buffer.axes.rows.size", "values": [1, 2, 4]}]})");
    const auto sweep = sweep::loadSweep(folder.path("plan.json").toStdString());
    QVERIFY2(sweep, sweep ? "" : sweep.error().text().c_str());
    const sweep::SweepTable table = runAll(*sweep, 2);
    QCOMPARE(table.done, std::size_t{6});
    std::size_t i = 0;
    for (const std::int64_t bytes : {56, 256})
        for (const std::int64_t rows : {1, 2, 4}) {
            hierarchy::Architecture architecture = c.architecture;
            architecture.levels[1].bytes = bytes;
            architecture.levels[1].axes[0].size = rows;
            const std::vector<double>& found = table.rows[i++].metrics;
            for (std::size_t o = 0; o < hierarchy::kObjectives; ++o)
                QCOMPARE(found[o], least(*sweep->workloads[0].workload->layers, architecture,
                                         static_cast<hierarchy::Objective>(o)));
            QCOMPARE(found[3], 1.0);
        }
    QVERIFY(table.rows[5].metrics[1] < table.rows[0].metrics[1]); // more rows, fewer cycles
    // The results depend on the content of the file.
    auto other = *sweep;
    other.manifest.architecture =
        hierarchy::writeArchitecture(*hierarchy::withField(c.architecture, "levels.regs.bytes", "4"));
    QVERIFY(sweep::PointNames(other.manifest).of(0) != sweep::PointNames(sweep->manifest).of(0));
    const auto manifest = sweep::readManifest(sweep::writeManifest(sweep->manifest), "plan.json");
    QVERIFY(manifest && *manifest == sweep->manifest);
}

void TestSweepLevels::rule_3_6_levelsOfAMachine()
{
    SweepFolder folder;
    folder.write("layers.json", kLayers);
    folder.write("plan.json", R"({"workload": "layers.json", "machine": "eyeriss", "lens": "mapping",
        "cost_model": "hierarchy", "axes": [{"name": "array.rows", "values": [2, 12]}]})");
    const auto sweep = sweep::loadSweep(folder.path("plan.json").toStdString());
    QVERIFY2(sweep, sweep ? "" : sweep.error().text().c_str());
    const sweep::SweepTable table = runAll(*sweep, 2);
    QCOMPARE(table.done, std::size_t{2});
    const Machine machine = *withMachineField(*machinePreset("eyeriss"), "array.rows", "2");
    QCOMPARE(table.rows[0].metrics[2],
             least(*sweep->workloads[0].workload->layers, lower::levelsOf(machine)->architecture,
                   hierarchy::Objective::Edp));
}

void TestSweepLevels::rule_3_6_noMapping()
{
    SweepFolder folder;
    const hierarchy::ByHand c;
    folder.write("layers.json", kLayers);
    folder.write("levels.json", QByteArray::fromStdString(hierarchy::writeArchitecture(c.architecture)));
    folder.write("plan.json", R"({"workload": "layers.json", "lens": "mapping", "architecture": "levels.json",
        "axes": [{"name": "levels.buffer.bytes", "values": [7, 8]}]})");
    const sweep::SweepTable table = runAll(*sweep::loadSweep(folder.path("plan.json").toStdString()), 1);
    QCOMPARE(table.done, std::size_t{1});
    QVERIFY2(table.rows[0].error.starts_with("a: no valid mapping exists: level buffer needs 64 of 56 bits"),
             table.rows[0].error.c_str());
}

void TestSweepLevels::withField_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("error"); // empty: there is such an architecture
    QTest::newRow("size") << "levels.buffer.bytes"
                          << "64"
                          << "";
    QTest::newRow("unlimited") << "levels.buffer.bytes"
                               << "null"
                               << "";
    QTest::newRow("word") << "levels.buffer.reduction"
                          << "tree"
                          << "";
    QTest::newRow("switch") << "levels.buffer.multicast"
                            << "false"
                            << "";
    QTest::newRow("axis") << "levels.buffer.axes.rows.size"
                          << "16"
                          << "";
    QTest::newRow("bits") << "bits.W"
                          << "4"
                          << "";
    QTest::newRow("of all") << "mac_pj"
                            << "0.25"
                            << "";
    QTest::newRow("no level") << "levels.cache.bytes"
                              << "64"
                              << "is not a field of the architecture";
    QTest::newRow("no axis") << "levels.buffer.axes.cols.size"
                             << "64"
                             << "is not a field of the architecture";
    QTest::newRow("no field") << "levels.buffer.ports"
                              << "2"
                              << "unknown field";
    QTest::newRow("a level") << "levels.buffer"
                             << "2"
                             << "is not a field of the architecture";
    QTest::newRow("not in range") << "levels.buffer.bytes"
                                  << "0"
                                  << "levels[1].bytes";
    QTest::newRow("nothing") << ""
                             << "1"
                             << "is not a field of the architecture";
}

void TestSweepLevels::withField()
{
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, error);
    const hierarchy::ByHand c;
    const auto changed = hierarchy::withField(c.architecture, path.toStdString(), value.toStdString());
    QCOMPARE(static_cast<bool>(changed), error.isEmpty());
    if (changed)
        QVERIFY(!(*changed == c.architecture));
    else
        QVERIFY2(changed.error().text().find(error.toStdString()) != std::string::npos,
                 changed.error().text().c_str());
}

void TestSweepLevels::badPlans_data()
{
    QTest::addColumn<QString>("fields");
    QTest::addColumn<QString>("sentence");
    const QString axis = R"("axes": [{"name": "levels.buffer.bytes", "values": [64]}])";
    QTest::newRow("no field")
        << R"("architecture": "levels.json", "axes": [{"name": "levels.cache.bytes", "values": [64]}])"
        << "axes[0].values[0]: \"levels.cache.bytes\" is not a field of the architecture";
    QTest::newRow("no value")
        << R"("architecture": "levels.json", "axes": [{"name": "levels.buffer.bytes", "values": ["much"]}])"
        << "axes[0].values[0]: ";
    QTest::newRow("no file") << R"("architecture": "none.json", )" + axis << "architecture: ";
    QTest::newRow("no levels") << R"("architecture": "layers.json", )" + axis << "architecture: ";
    QTest::newRow("no architecture") << axis << "axes[0].name: ";
    QTest::newRow("no such model") << R"("cost_model": "fast", )" + axis << "cost_model";
    QTest::newRow("another lens") << R"("lens": "npu", "architecture": "levels.json", )" + axis
                                  << "architecture: applies to the lens mapping only";
    QTest::newRow("model of another lens") << R"("lens": "npu", "cost_model": "hierarchy", )" + axis
                                           << "cost_model: applies to the lens mapping only";
}

void TestSweepLevels::badPlans()
{
    QFETCH(QString, fields);
    QFETCH(QString, sentence);
    SweepFolder folder;
    folder.write("layers.json", kLayers);
    folder.write("levels.json",
                 QByteArray::fromStdString(hierarchy::writeArchitecture(hierarchy::ByHand().architecture)));
    const QString lens = fields.contains("\"lens\"") ? "" : R"("lens": "mapping", )";
    folder.write("plan.json", (R"({"workload": "layers.json", )" + lens + fields + "}").toUtf8());
    const auto sweep = sweep::loadSweep(folder.path("plan.json").toStdString());
    QVERIFY(!sweep);
    const std::string found = sweep.error().text();
    QVERIFY2(found.find("plan.json: " + sentence.toStdString()) != std::string::npos, found.c_str());
}

TILEWRIGHT_TEST(TestSweepLevels)

} // namespace test_sweep_levels
#include "test_sweep_levels.moc"
