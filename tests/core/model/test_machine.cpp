// SPDX-License-Identifier: GPL-3.0-or-later
// The one machine: what a file must have, what is derived and how, presets, bad files.
#include "base/file.h"
#include "base/text.h"
#include "invalid_files.h"
#include "model/machine.h"
#include "test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
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
    void rule_R19_dmaFollowsTheExternalMemory();
    void givenValuesAreNotDerived();
    void presets();
    void valuesOfChipsHaveOrigins();
    void roundTripAndEdits();
    void filesWithoutNewFieldsAreWrittenAsTheyWere();
    void theDeliverableRate();
    void realMachines();
    void ratesByWidths();
    void originsOfValues();
    void whatALensLeavesOut();
    void fieldsThatStandForSeveral();
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

/// docs/rules/workload.md 2: the DMA of Mapping is as fast as the external memory, unless the file says how
/// fast it is.
void TestMachine::rule_R19_dmaFollowsTheExternalMemory()
{
    for (const double gbPerSecond : {0.7, 6.0, 13.333333, 64.0, 1200.0}) {
        std::string text = kSmall;
        text.replace(text.find("18.7"), 4, formatNumber(gbPerSecond));
        const auto m = readMachine(text, "rate.json");
        QVERIFY(m.hasValue());
        const double rate = m->dma.mhz / 1000 / m->dma.cyclesPerByte;
        QVERIFY2(rate <= gbPerSecond * (1 + 1e-12) && rate > gbPerSecond * 0.999,
                 qPrintable(QString::number(rate, 'g', 12)));
        QCOMPARE(derived(*m, "dma.cycles_per_byte")->formula,
                 std::string("dma.mhz / 1000 / levels.external.gb_per_s"));
        text.replace(text.rfind('}'), 1, R"(, "dma": {"mhz": 800}})");
        QVERIFY(std::abs(0.8 / readMachine(text, "mhz.json")->dma.cyclesPerByte - rate) < 1e-3 * rate);
        text.replace(text.rfind("\"mhz\""), 5, "\"cycles_per_byte\": 0.24, \"mhz\"");
        QCOMPARE(readMachine(text, "given.json")->dma.cyclesPerByte, 0.24);
    }
    for (const MachinePreset& preset : machinePresets()) {
        const auto m = machinePreset(preset.name);
        QVERIFY(m->dma.cyclesPerByte * m->at(MachineLevel::External).gbPerSecond >=
                m->dma.mhz / 1000 * (1 - 1e-12));
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
    QCOMPARE(std::vector<std::string>(names.begin(), names.begin() + 4),
             (std::vector<std::string>{"contest", "edge", "kpu", "server"}));
    for (const char* chip :
         {"eyeriss", "nvdla-full", "nvdla-small", "gemmini-16", "tpu-v1", "tpu-v3", "tpu-v4i", "tpu-v4",
          "tpu-v5e", "ethos-u55-256", "ethos-u65-512", "simba", "wormhole-n150", "a100", "h100"})
        QVERIFY2(std::ranges::find(names, chip) != names.end(), chip);
    QVERIFY(!machinePreset("none"));
}

/// Each value of a real chip names its source, or the reason why it is assumed; the NPU lens gets the
/// bandwidth that the file states.
void TestMachine::valuesOfChipsHaveOrigins()
{
    std::size_t chips = 0;
    for (const MachinePreset& preset : machinePresets()) {
        const Machine m = *machinePreset(preset.name);
        if (m.sources.empty())
            continue;
        ++chips;
        for (const std::string& path : m.given) {
            const std::string what = std::string(preset.name) + ": " + path;
            if (path == "name")
                continue;
            const auto it = m.sources.find(path);
            QVERIFY2(it != m.sources.end(), what.c_str());
            QVERIFY2(it->second.kind == SourceKind::Assumed
                         ? !it->second.note.empty()
                         : !it->second.source.empty() && it->second.year > 0,
                     what.c_str());
        }
        const double wanted = m.at(MachineLevel::External).gbPerSecond;
        QVERIFY2(m.deliverableGbPerSecond() >= 0.985 * wanted && m.deliverableGbPerSecond() <= 1.02 * wanted,
                 preset.name.data());
    }
    QCOMPARE(chips, std::size_t{15});
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

void TestMachine::filesWithoutNewFieldsAreWrittenAsTheyWere()
{
    for (const MachinePreset& preset : machinePresets()) {
        const auto before = nlohmann::json::parse(preset.text);
        const std::string written = writeMachine(*machinePreset(preset.name));
        QVERIFY2(nlohmann::json::parse(written) == before, written.c_str());
        if (machinePreset(preset.name)->sources.empty()) // a made-up machine
            for (const MachineLens lens :
                 {MachineLens::Schedule, MachineLens::Systolic, MachineLens::Npu, MachineLens::Mapping})
                QCOMPARE(leftOutText(*machinePreset(preset.name), lens), std::string());
    }
    std::string text = kSmall;
    text.replace(text.rfind('}'), 1, R"(, "dram": {"bytes_per_cycle": 9}})");
    QVERIFY(writeMachine(*readMachine(text, "a")).find("\"bytes_per_cycle\": 9\n") != std::string::npos);
}

void TestMachine::theDeliverableRate()
{
    // Four channels of 16 banks: a burst of 64 bytes keeps its bank for the row hit and the bus.
    const Machine server = *machinePreset("server");
    QCOMPARE(server.dram.bytesPerCycle, 300);
    QCOMPARE(server.deliverableGbPerSecond(), 4 * 16 * 64 / 21.0);
    QCOMPARE(server.notes.size(), std::size_t{1});
    QCOMPARE(server.notes[0],
             std::string("dram: channels and banks deliver at most 195 of the 1\u202f200 GB/s of "
                         "external; the NPU lens has no more than that"));
    QCOMPARE(derived(server, "dram.deliverable_gb_per_s")->value.substr(0, 6), std::string("195.04"));
    const Machine edge = *machinePreset("edge");
    QCOMPARE(edge.deliverableGbPerSecond(), 64.0); // the buses bind
    QVERIFY(edge.notes.empty());
    // Pipelined hits: only whole cycles of the bus count, 64 bytes in one.
    QCOMPARE(withMachineField(server, "dram.pipelined_hits", "true")->deliverableGbPerSecond(), 256.0);
}

void TestMachine::realMachines()
{
    // No chip: every new field once.
    const std::string text = R"({"name": "all", "element_bytes": 1, "cores": 108, "arrays": 4,
        "array": {"kind": "dot_product", "rows": 16, "cols": 32, "row_granule": 8, "col_granule": 128,
                  "rates": {"16": 1, "8": 2, "8x4": 2.5}, "winograd": 2.25,
                  "winograd_weights": 1.75},
        "levels": {"l1": {"buffers": 2, "memories": {"input": 1024, "weight": 2048, "output": 4096},
                          "gb_per_s": 64},
                   "l2": {"buffers": 1, "bytes": 1048576, "gb_per_s": 100, "read_gb_per_s": 90,
                          "shared": true, "multicast": true},
                   "external": {"buffers": 1, "bytes": 1048576, "gb_per_s": 18.5, "read_gb_per_s": 12,
                                "write_gb_per_s": 8}},
        "register_files": {"input": 24, "weight": 450, "output": 48},
        "dram": {"bytes_per_cycle": 4.625, "read_latency_cycles": 500, "write_latency_cycles": 250,
                 "outstanding_requests": 16, "request_bytes": 128, "pipelined_hits": true,
                 "address_hash": true},
        "links": {"gb_per_s": 222.5, "latency_us": 8.92, "topology": "all_to_all"},
        "launch_us": {"product": 21, "softmax": 12},
        "energy_pj": {"rf": 1, "rf_write": 2, "leakage": 0.5},
        "other_cores": {"little": {"cores": 2, "array": {"kind": "spatial", "rows": 12, "cols": 14,
                        "row_loops": ["Fx", "M"], "col_loops": ["Ox"]}}}})";
    const auto m = readMachine(text, "all.json");
    QVERIFY2(m.hasValue(), m ? "" : m.error().text().c_str());
    QCOMPARE(m->cores, 108);
    QCOMPARE(m->allCores(), 110);
    QCOMPARE(m->arrays, 4);
    QVERIFY(m->kind == ArrayKind::DotProduct);
    QCOMPARE(m->rowGranule, 8);
    QCOMPARE(m->colGranule, 128);
    QVERIFY(m->scratchpad == MachineLevel::L1); // the larger level is shared
    QCOMPARE(m->scratchpadBytes(), 2 * (1024 + 2048 + 4096));
    QCOMPARE(m->registerFileBytes, 24 + 450 + 48);
    const Machine::Level& l2 = m->at(MachineLevel::L2);
    QVERIFY(l2.shared && l2.multicast && l2.portsApart);
    QCOMPARE(l2.readGbPerSecond, 90.0);
    QCOMPARE(l2.writeGbPerSecond, 100.0);
    QVERIFY(!m->at(MachineLevel::L1).portsApart);
    QCOMPARE(m->at(MachineLevel::L1).readGbPerSecond, 64.0);
    QCOMPARE(m->dram.bytesPerCycle, 4.625);
    QCOMPARE(m->dram.requestBytes, 128);
    QVERIFY((m->links == Machine::Links{222.5, 8.92, LinkTopology::AllToAll}));
    QCOMPARE(m->launch.product, 21.0);
    QCOMPARE(m->launch.elementwise, 0.0);
    QCOMPARE(m->energy.rfWrite, 2.0);
    QCOMPARE(m->energy.spmWrite, m->energy.spm);
    QCOMPARE(m->otherCores.size(), std::size_t{1});
    const OtherCores& little = m->otherCores[0];
    QCOMPARE(little.name, std::string("little"));
    QCOMPARE(little.pes(), 168);
    QCOMPARE(little.lanes, 28);
    QCOMPARE(little.rowLoops, (std::vector<std::string>{"Fx", "M"}));
    QCOMPARE(little.scratchpadBytes, m->scratchpadBytes());

    const std::string written = writeMachine(*m);
    QVERIFY2(nlohmann::json::parse(written) == nlohmann::json::parse(text), written.c_str());
    QVERIFY(*readMachine(written, "again") == *m);
    for (const MachineField& f : machineFields(*m)) {
        if (!f.editable)
            continue;
        const auto same = withMachineField(*m, f.path, f.value);
        QVERIFY2(same.hasValue() || f.path == "levels.l1.bytes" || f.path == "register_file_bytes",
                 (f.path + (same ? "" : same.error().text())).c_str());
    }
    const auto loops = withMachineField(*m, "other_cores.little.array.col_loops", "Ox C");
    QVERIFY2(loops.hasValue(), loops ? "" : loops.error().text().c_str());
    QCOMPARE(loops->otherCores[0].colLoops, (std::vector<std::string>{"Ox", "C"}));
    const auto rate = withMachineField(*m, "array.rates.4", "4");
    QVERIFY(rate && rate->macsPerCycle(4, 4) == 4);
}

void TestMachine::ratesByWidths()
{
    MachineCores c;
    QCOMPARE(c.macsPerCycle(16, 16), 1.0);
    QVERIFY(!c.multipliesPair(8, 8));
    c.rates = {{16, 0, 1}, {8, 0, 2}, {8, 4, 3}, {16, 8, 1.5}};
    QCOMPARE(c.macsPerCycle(8, 8), 2.0);
    QCOMPARE(c.macsPerCycle(8, 4), 3.0);
    QCOMPARE(c.macsPerCycle(4, 8), 3.0);     // either operand may be the wider one
    QCOMPARE(c.macsPerCycle(8, 4.125), 3.0); // 4-bit weights with a 16-bit scale per group of 128
    QCOMPARE(c.macsPerCycle(4, 4), 2.0);     // as 8 bits, the narrowest width that holds them
    QCOMPARE(c.macsPerCycle(16, 4), 1.0);
    QCOMPARE(c.macsPerCycle(32, 32), 1.0); // no entry is that wide
    QVERIFY(c.multipliesPair(8, 4) && c.multipliesPair(8, 16) && c.multipliesPair(8, 8));
    QVERIFY(!c.multipliesPair(16, 4) && !c.multipliesPair(4, 4));
}

void TestMachine::originsOfValues()
{
    std::string text = kSmall;
    text.replace(text.find("8,"), 1,
                 R"({"value": 8, "kind": "paper", "source": "JSSC 52(1), table \"I\"", "year": 2017})");
    text.replace(text.find("50.5"), 4,
                 R"({"value": 50.5, "kind": "assumed", "note": "no bandwidth is published"})");
    const auto m = readMachine(text, "sources.json");
    QVERIFY2(m.hasValue(), m ? "" : m.error().text().c_str());
    QCOMPARE(m->rows, 8);
    QCOMPARE(m->sources.size(), std::size_t{2});
    QVERIFY(m->sources.at("array.rows").kind == SourceKind::Paper);
    QCOMPARE(m->sources.at("array.rows").year, 2017);
    QCOMPARE(m->sources.at("levels.l2.gb_per_s").note, std::string("no bandwidth is published"));
    QVERIFY(nlohmann::json::parse(writeMachine(*m)) == nlohmann::json::parse(text));
    const auto fields = nlohmann::json::parse(machineFieldsJson(*m))["fields"];
    const auto rows = std::ranges::find_if(fields, [](const auto& f) { return f["path"] == "array.rows"; });
    QVERIFY((*rows)["origin"]["year"] == 2017 && (*rows)["lenses"].size() == 4);
    for (const MachineField& f : machineFields(*m))
        QCOMPARE(f.source.has_value(), f.path == "array.rows" || f.path == "levels.l2.gb_per_s");
    // A changed value has another origin; that of the others stays.
    const auto changed = withMachineField(*m, "array.rows", "16");
    QVERIFY(changed && changed->rows == 16);
    QVERIFY(!changed->sources.contains("array.rows") && changed->sources.contains("levels.l2.gb_per_s"));
    const auto without = withMachineField(*readMachine(kSmall, "a"), "cores", "2");
    QVERIFY(withoutMachineField(
                *withMachineSource(
                    *without, "cores",
                    Provenance{.kind = SourceKind::Fitted, .source = "rows 1 to 9", .year = 0, .note = {}}),
                "cores")
                ->sources.empty());
    QVERIFY(!withMachineSource(*without, "vector.lanes", Provenance()));
    for (const auto& [value, reason] :
         {std::pair{R"({"value": 8})", "array.rows: the field \"kind\" is missing"},
          std::pair{R"({"value": 8, "kind": "rumour"})", "array.rows.kind: expected"},
          std::pair{R"({"value": "x", "kind": "paper"})", "array.rows: expected"},
          std::pair{R"({"value": 8, "kind": "paper", "by": 1})", "array.rows: unknown field \"by\""}}) {
        std::string bad = kSmall;
        bad.replace(bad.find("8,"), 1, value);
        const auto read = readMachine(bad, "bad.json");
        QVERIFY(!read.hasValue());
        QVERIFY2(read.error().text().find(reason) != std::string::npos, read.error().text().c_str());
    }
}

void TestMachine::whatALensLeavesOut()
{
    Machine m = *machinePreset("edge");
    for (const auto& [path, value] :
         {std::pair{"launch_us.product", "21"}, std::pair{"energy_pj.leakage", "1"},
          std::pair{"array.kind", "systolic"}, std::pair{"dram.bytes_per_cycle", "15.5"}})
        m = *withMachineField(m, path, value);
    // A field with the value that the lens assumes is not left out.
    QCOMPARE(
        leftOutText(m, MachineLens::Mapping),
        std::string("fields of the machine that the Mapping lens does not model: launch_us.product (21)"));
    QCOMPARE(fieldsLeftOut(m, MachineLens::Schedule).size(), std::size_t{2});
    const auto npu = fieldsLeftOut(m, MachineLens::Npu);
    QCOMPARE(npu.size(), std::size_t{3});
    QCOMPARE(npu[0].path, std::string("dram.bytes_per_cycle")); // the simulator moves whole bytes
    QCOMPARE(npu[1].path, std::string("launch_us.product"));
    QCOMPARE(npu[1].label, std::string("launch of an operator, product or convolution"));
    QCOMPARE(npu[2].path, std::string("energy_pj.leakage"));
}

void TestMachine::fieldsThatStandForSeveral()
{
    const Machine edge = *machinePreset("edge");
    const auto changed = [](const Machine& m, const char* path, const char* value) {
        const auto out = withMachineField(m, path, value);
        if (!out)
            qFatal("%s", out.error().text().c_str());
        return *out;
    };
    // Another kind of array drops the fields of the old one.
    const Machine dots = changed(edge, "array.kind", "dot_product");
    QVERIFY(!dots.has("array.dataflow") && dots.rowGranule == 64);
    const Machine spatial = changed(changed(dots, "array.row_granule", "16"), "array.kind", "spatial");
    QVERIFY(!spatial.has("array.row_granule"));
    QCOMPARE(spatial.rowLoops, std::vector<std::string>{"C"});
    QCOMPARE(spatial.colLoops, std::vector<std::string>{"M"});
    // Memories of a level and of the registers.
    const Machine apart = changed(edge, "levels.l3.memories", "separate");
    QVERIFY(apart.at(MachineLevel::L3).hasMemories() && !apart.has("levels.l3.bytes"));
    QCOMPARE(apart.at(MachineLevel::L3).bytes, edge.at(MachineLevel::L3).bytes / 3 * 3);
    const Machine larger = changed(apart, "levels.l3.memories.weight", "262144");
    QCOMPARE(larger.at(MachineLevel::L3).memories[1], 262144);
    const Machine joined = changed(larger, "levels.l3.memories", "one");
    QCOMPARE(joined.at(MachineLevel::L3).bytes, larger.at(MachineLevel::L3).bytes);
    QVERIFY(!joined.at(MachineLevel::L3).hasMemories());
    const Machine files = changed(edge, "register_files", "separate");
    QCOMPARE(files.registerFiles[2], 170);
    QVERIFY(changed(files, "register_files", "one").registerFileBytes == 510);
    QVERIFY(!withMachineField(edge, "register_files", "some"));
    // Rates as one text.
    const Machine rates = changed(edge, "array.rates", "16:1 8x4:2.5");
    QCOMPARE(rates.macsPerCycle(8, 4), 2.5);
    QVERIFY(changed(rates, "array.rates", "").rates.empty());
    QVERIFY(!withMachineField(edge, "array.rates", "16"));
    QVERIFY(!withMachineField(edge, "array.rates", "int8:2"));
    // Kinds of cores begin as a copy of the first one, and keep what was changed.
    Machine kinds = changed(edge, "other_cores", "little");
    QCOMPARE(kinds.otherCores[0].rows, edge.rows);
    kinds = changed(kinds, "other_cores.little.array.rows", "8");
    kinds = changed(kinds, "other_cores", "little tiny");
    QCOMPARE(kinds.otherCores.size(), std::size_t{2});
    QCOMPARE(kinds.otherCores[0].rows, 8);
    QVERIFY(changed(kinds, "other_cores", "").otherCores.empty());
    for (const Machine* m : std::initializer_list<const Machine*>{&dots, &spatial, &apart, &rates, &kinds})
        QVERIFY(*readMachine(writeMachine(*m), "again") == *m);
}

void TestMachine::invalidFiles()
{
    const std::map<std::string, std::string> wanted{
        {"loops_of_systolic", "array.row_loops: only an array of the kind \"spatial\" has fixed loops"},
        {"loop_unknown", "array.row_loops[1]: \"Z\" is not a loop"},
        {"loops_missing", "array: an array of the kind \"spatial\" needs \"row_loops\" and \"col_loops\""},
        {"granule_of_systolic", "array.row_granule: only an array of the kind \"dot_product\" has granules"},
        {"rate_key", "array.rates: \"int8\" is not a width of operands"},
        {"memories_and_bytes", "levels.l3.bytes: the sizes in \"memories\" already give it"},
        {"memory_missing", "levels.l3.memories: the field \"output\" is missing"},
        {"all_levels_shared", "levels: needs at least one level that each core has for itself"},
        {"shared_inside", "levels.l1.shared: all cores share this level, but not one that is further out"},
        {"multicast_of_one", "levels.l3.multicast: only a level that all cores share"},
        {"scratchpad_shared", "scratchpad: all cores share the level \"l3\""},
        {"cores_name", "other_cores: a kind of cores needs a name without a dot"},
        {"cores_without_array", "other_cores.little: the field \"array\" is missing"},
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
