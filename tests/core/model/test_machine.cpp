// SPDX-License-Identifier: GPL-3.0-or-later
// The one machine: what a file must have, what is derived and how, presets, bad files.
#include "base/file.h"
#include "invalid_files.h"
#include "model/machine.h"
#include "test_main.h"

#include <QTest>

#include <map>

namespace test_machine {

using namespace tilewright;
using namespace tilewright::test;

namespace {

const std::string kSmall = R"({"name": "small", "element_bytes": 2, "array": {"rows": 8, "cols": 16},
    "levels": {"l2": {"buffers": 2, "bytes": 65536, "gb_per_s": 50.5},
               "external": {"buffers": 1, "bytes": 1048576, "gb_per_s": 18.7}}})";

const DerivedValue* derived(const Machine& m, const std::string& path)
{
    for (const DerivedValue& d : m.derived)
        if (d.path == path)
            return &d;
    return nullptr;
}

} // namespace

class TestMachine : public QObject
{
    Q_OBJECT
private slots:
    void rule_2_derivedValues();
    void rule_2_dramChannels();
    void givenValuesAreNotDerived();
    void presets();
    void roundTripAndEdits();
    void invalidFiles();
};

void TestMachine::rule_2_derivedValues()
{
    const auto m = readMachine(kSmall, "small.json");
    QVERIFY2(m.hasValue(), m ? "" : m.error().text().c_str());
    QCOMPARE(m->cores, 1);
    QCOMPARE(m->clockGhz, 1.0);
    QCOMPARE(m->accumulatorBytes, 4);
    QVERIFY(m->dataflow == ArrayDataflow::Os);
    QCOMPARE(m->lanes, 32);
    QCOMPARE(derived(*m, "vector.lanes")->formula, std::string("2 * array cols"));
    QVERIFY(m->scratchpad == MachineLevel::L2);
    QCOMPARE(m->scratchpadBytes(), 131072);
    QCOMPARE(derived(*m, "scratchpad_bank_bytes")->value, std::string("2048"));
    QCOMPARE(m->noc.linkBytesPerCycle, 50);
    QCOMPARE(m->noc.trunkBytesPerCycle, 50);
    // 18.7 bytes a cycle: 18 whole ones, which 4 channels do not divide and 2 do.
    QCOMPARE(m->dram.channels, 2);
    QCOMPARE(m->dram.bytesPerCycle, 9);
    QCOMPARE(m->notes.size(), std::size_t{2}); // the other one is that of theDeliverableRate()
    QCOMPARE(m->notes[0], std::string("dram: 0.7 bytes a cycle of external are left over by rounding down"));
    QVERIFY(m->at(MachineLevel::L3) == m->at(MachineLevel::L2));
    QVERIFY(m->at(MachineLevel::Host) == m->at(MachineLevel::External));
    for (const DerivedValue& d : m->derived)
        QVERIFY2(!d.value.empty() && !d.formula.empty() && !m->has(d.path), d.path.c_str());
}

void TestMachine::rule_2_dramChannels()
{
    const std::map<std::string, std::pair<std::int64_t, std::int64_t>> wanted{
        {"64", {4, 16}}, {"6", {2, 3}}, {"7", {1, 7}}, {"0.5", {1, 1}}, {"100", {4, 25}}};
    for (const auto& [rate, expected] : wanted) {
        std::string text = kSmall;
        text.replace(text.find("18.7"), 4, rate);
        const auto m = readMachine(text, "rate.json");
        QVERIFY(m.hasValue());
        QCOMPARE(m->dram.channels, expected.first);
        QCOMPARE(m->dram.bytesPerCycle, expected.second);
        // 3 and 7 bytes a cycle do not divide a burst of 64 bytes, 25 do not either.
        const bool burstsLeaveCycles = rate == "6" || rate == "7" || rate == "100";
        QCOMPARE(m->notes.size(), std::size_t(rate == "0.5" || burstsLeaveCycles));
    }
}

void TestMachine::givenValuesAreNotDerived()
{
    std::string text = kSmall;
    text.replace(
        text.rfind('}'), 1,
        R"(, "vector": {"lanes": 5, "passes": {"softmax": 7}}, "cores": 3, "dram": {"channels": 3}})");
    const auto m = readMachine(text, "given.json");
    QVERIFY2(m.hasValue(), m ? "" : m.error().text().c_str());
    QCOMPARE(m->lanes, 5);
    QCOMPARE(m->passes.softmax, 7);
    QVERIFY(!derived(*m, "vector.lanes") && !derived(*m, "vector.passes.softmax"));
    QVERIFY(derived(*m, "vector.passes.rms_norm"));
    QCOMPARE(m->dram.bytesPerCycle, 6); // 18 / 3
    QCOMPARE(m->noc.trunkBytesPerCycle, 150);
}

void TestMachine::presets()
{
    std::vector<std::string> names;
    for (const MachinePreset& preset : machinePresets()) {
        names.emplace_back(preset.name);
        const auto m = readMachine(preset.text, names.back());
        QVERIFY2(m.hasValue(), m ? "" : m.error().text().c_str());
        QCOMPARE(m->name, names.back());
        QVERIFY(machinePreset(preset.name) == *m);
    }
    QCOMPARE(names, (std::vector<std::string>{"contest", "edge", "kpu", "server"}));
    QVERIFY(!machinePreset("none"));
}

void TestMachine::roundTripAndEdits()
{
    const Machine edge = *machinePreset("edge");
    const auto again = readMachine(writeMachine(edge), "again");
    QVERIFY2(again.hasValue(), again ? "" : again.error().text().c_str());
    QVERIFY(*again == edge);
    const auto wider = withMachineField(edge, "array.cols", "128");
    QVERIFY(wider.hasValue());
    QCOMPARE(wider->cols, 128);
    QCOMPARE(wider->lanes, 128); // given by the preset
    const auto ws = withMachineField(edge, "array.dataflow", "ws");
    QVERIFY(ws && ws->dataflow == ArrayDataflow::Ws);
    const auto passes = withMachineField(edge, "vector.passes.softmax", "9");
    QVERIFY(passes && passes->passes.softmax == 9 && passes->has("vector.passes.softmax"));
    QVERIFY(!withMachineField(edge, "array.cols", "0"));
    QVERIFY(!withMachineField(edge, "colour", "blue"));
    QVERIFY(!withMachineField(edge, "name.first", "x"));
}

void TestMachine::invalidFiles()
{
    const std::map<std::string, std::string> wanted{
        {"bad_dataflow", "array.dataflow: expected \"os\", \"ws\" or \"is\", got the text \"rs\""},
        {"burst", "dram.burst_bytes: 48 is not a power of two"},
        {"no_array", "the field \"array\" is missing"},
        {"no_bandwidth", "levels.l3.gb_per_s: the bandwidth must be greater than zero"},
        {"no_element", "the field \"element_bytes\" is missing"},
        {"no_external", "levels: the field \"external\" is missing"},
        {"no_level", "levels: needs at least one level between the array and external (l1, l2 or l3)"},
        {"scratchpad_missing", "scratchpad: the machine has no level \"l1\""},
        {"tiny_scratchpad", "the scratchpad of 32 bytes has not a byte a bank"},
        {"unknown_field", "unknown field \"colour\""},
    };
    checkInvalidFiles("invalid_machine", wanted, [](const std::string& path) {
        const auto read = readMachine(*readFile(path), path);
        return read ? std::string() : read.error().text();
    });
}

TILEWRIGHT_TEST(TestMachine)

} // namespace test_machine
#include "test_machine.moc"
