// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a machine for people, and which lens models which of them.
#include "base/text.h"
#include "model/machine.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

namespace {

// Data and functions that say which lens models which field:

constexpr unsigned lensBit(MachineLens lens)
{
    return 1U << static_cast<unsigned>(lens);
}
constexpr unsigned kSchedule = lensBit(MachineLens::Schedule), kSystolic = lensBit(MachineLens::Systolic),
                   kNpu = lensBit(MachineLens::Npu), kMapping = lensBit(MachineLens::Mapping),
                   kAll = kSchedule | kSystolic | kNpu | kMapping;

/// Lenses that model the fields whose path begins with `path`; the first matching entry counts. `*` stands
/// for one part of a path.
struct Modelled
{
    std::string_view path;
    unsigned lenses;
    /// True: a lens that does not model the field computes with its default, so that another value is listed
    /// as left out. False: the field belongs only to the cost model of the lenses that model it.
    bool toldIfLeftOut = true;
    /// The memory level for which the field is modelled: any, or the one that Machine::sharedLevel() returns.
    enum class Where : std::uint8_t { Any, SharedLevel } where = Where::Any;
};

// All fields with the lenses that model them. When a lens begins to model a field, its bit is added here; the
// answers of all lenses follow from this list.
constexpr Modelled kModelled[] = {
    {"name", kAll, false},
    {"element_bytes", kAll, false},
    {"accumulator_bytes", kSchedule | kNpu, false},
    {"clock_ghz", kAll, false},
    {"technology_nm", kMapping, false},
    {"cores", kNpu, false},
    {"arrays", kSchedule | kSystolic | kNpu},
    {"array.rows", kAll, false},
    {"array.cols", kAll, false},
    {"array.dataflow", kSystolic, false},
    // The Schedule lens reports fixed loops when it lowers a model.
    {"array.kind", kSchedule | kSystolic | kNpu},
    {"array.rates", kSchedule | kSystolic | kNpu},
    {"array.winograd_weights", kNpu},
    {"array", kSystolic | kNpu},
    {"vector", kSchedule | kNpu, false},
    {"levels.*.buffers", kAll, false},
    {"levels.*.bytes", kAll, false},
    {"levels.*.gb_per_s", kSchedule | kSystolic | kNpu, false},
    {"levels.*.shared", kNpu},
    {"levels.*.read_gb_per_s", kNpu, true, Modelled::Where::SharedLevel},
    {"levels.*.write_gb_per_s", kNpu, true, Modelled::Where::SharedLevel},
    {"levels.*.multicast", kNpu, true, Modelled::Where::SharedLevel},
    {"levels", 0},
    {"scratchpad", kAll, false},
    {"register_file_bytes", kMapping, false},
    {"register_files", 0},
    {"scratchpad_banks", kMapping, false},
    {"dram.channels", kNpu, false},
    {"dram.banks", kNpu, false},
    {"dram.bytes_per_cycle", kNpu, false},
    {"dram.burst_bytes", kNpu, false},
    {"dram.interleave_bytes", kNpu, false},
    {"dram.row_bytes", kNpu, false},
    {"dram.row_hit_cycles", kNpu, false},
    {"dram.row_miss_cycles", kNpu, false},
    {"dram.pipelined_hits", kNpu, false},
    {"dram.read_latency_cycles", kNpu},
    {"dram.write_latency_cycles", kNpu},
    {"dram.outstanding_requests", kNpu},
    {"dram.request_bytes", kNpu},
    {"dram.address_hash", kNpu},
    {"dram.deliverable_gb_per_s", kNpu, false},
    {"dram", 0},
    {"noc.core_to_core", kNpu},
    {"noc", kNpu, false},
    {"dma", kMapping, false},
    {"links", 0, false}, // for several chips: used by the Summary and the sweep of language models
    {"launch_us", 0},
    {"energy_pj.rf_write", kMapping},
    {"energy_pj.spm_write", kMapping},
    {"energy_pj.dram_write", kMapping},
    {"energy_pj.leakage", kMapping},
    {"energy_pj.rf", kSystolic | kMapping, false},
    {"energy_pj.noc", kSystolic | kNpu | kMapping, false},
    {"energy_pj", kAll, false},
    {"other_cores", 0},
};

bool fits(std::string_view pattern, std::string_view path)
{
    while (!pattern.empty()) {
        const std::string_view part = pattern.substr(0, pattern.find('.'));
        const std::string_view own = path.substr(0, path.find('.'));
        if (part != "*" && part != own)
            return false;
        pattern.remove_prefix(std::min(part.size() + 1, pattern.size()));
        path.remove_prefix(std::min(own.size() + 1, path.size()));
    }
    return true;
}

const Modelled& modelled(const Machine& machine, std::string_view path)
{
    const auto isThere = [&](const Modelled& m) {
        const auto level = machine.sharedLevel();
        return m.where == Modelled::Where::Any ||
               (level && path.starts_with("levels." + std::string(toString(*level)) + "."));
    };
    const auto* it =
        std::ranges::find_if(kModelled, [&](const Modelled& m) { return fits(m.path, path) && isThere(m); });
    return it == std::end(kModelled) ? kModelled[0] : *it; // a test checks that every field is in the list
}

// Functions that make the list of the fields:

class FieldList
{
public:
    explicit FieldList(const Machine& machine) : m_machine(machine) {}

    void group(std::string name) { m_group = std::move(name); }

    void text(std::string path, std::string label, std::string_view meaning, std::string value,
              std::vector<std::string_view> words = {})
    {
        add(std::move(path), std::move(label), meaning, MachineUnit::Word, std::move(value));
        m_out.back().words = std::move(words);
    }
    void loops(const std::string& path, std::string label, std::string value, std::string_view meaning)
    {
        add(path, std::move(label), meaning, MachineUnit::List, std::move(value));
    }
    void flag(const std::string& path, std::string label, bool value, std::string_view meaning)
    {
        text(path, std::move(label), meaning, value ? "true" : "false", {"false", "true"});
    }
    /// Adds an entry that stands for several fields of the file.
    void summary(const std::string& path, std::string label, MachineUnit unit, std::string value, bool given,
                 std::string formula, std::string_view meaning, std::vector<std::string_view> words = {})
    {
        add(path, std::move(label), meaning, unit, std::move(value));
        MachineField& f = m_out.back();
        f.given = given;
        f.formula = std::move(formula);
        f.words = std::move(words);
        f.summary = true;
    }
    template <typename T>
    void number(const std::string& path, const std::string& label, MachineUnit unit, T value,
                std::string_view meaning)
    {
        add(path, label, meaning, unit, formatNumber(value));
    }
    /// Adds a value that follows from others and cannot be set.
    void computed(const std::string& path, std::string label, MachineUnit unit, double value,
                  std::string_view meaning)
    {
        add(path, std::move(label), meaning, unit, formatNumber(value));
        setEditable(false);
    }
    /// Sets whether the last added field can be set.
    void setEditable(bool editable) { m_out.back().editable = editable; }
    std::vector<MachineField> take() { return std::move(m_out); }

private:
    void add(std::string path, std::string label, std::string_view meaning, MachineUnit unit,
             std::string value)
    {
        MachineField f;
        f.group = m_group;
        f.label = std::move(label);
        f.meaning = meaning;
        f.unit = unit;
        f.value = std::move(value);
        f.given = m_machine.has(path);
        for (const DerivedValue& d : m_machine.derived)
            if (d.path == path)
                f.formula = d.formula;
        if (const auto source = m_machine.sources.find(path); source != m_machine.sources.end())
            f.source = source->second;
        for (const MachineLens lens :
             {MachineLens::Schedule, MachineLens::Systolic, MachineLens::Npu, MachineLens::Mapping})
            if (modelled(m_machine, path).lenses & lensBit(lens))
                f.lenses.push_back(lens);
        f.path = std::move(path);
        m_out.push_back(std::move(f));
    }

    const Machine& m_machine;
    std::string m_group;
    std::vector<MachineField> m_out;
};

std::string_view levelTitle(MachineLevel level)
{
    switch (level) {
    case MachineLevel::Host:
        return "host memory";
    case MachineLevel::External:
        return "external memory";
    case MachineLevel::L3:
        return "level L3";
    case MachineLevel::L2:
        return "level L2";
    case MachineLevel::L1:
        break;
    }
    return "level L1";
}

void operandFields(FieldList& f, const std::string& path, const std::array<std::int64_t, 3>& bytes,
                   std::string_view meaning)
{
    constexpr std::array<std::string_view, 3> kLabels{"for inputs", "for weights", "for outputs"};
    for (const MachineOperand operand : kMachineOperands) {
        const auto i = static_cast<std::size_t>(operand);
        f.number(path + "." + std::string(toString(operand)), std::string(kLabels[i]), MachineUnit::Bytes,
                 bytes[i], meaning);
    }
}

std::string spaced(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : " ") + word;
    return out;
}

/// Adds the fields of an array. `path` is empty or ends with a dot.
void arrayFields(FieldList& f, const std::string& path, const MachineCores& c)
{
    using U = MachineUnit;
    if (path.empty())
        f.group("array");
    f.number(path + "arrays", "arrays", U::Count, c.arrays, "Number of arrays of one core.");
    f.text(path + "array.kind", "kind",
           "Systolic; dot products of rows inputs for each of cols outputs; or fixed loops on each axis.",
           std::string(toString(c.kind)), {"systolic", "dot_product", "spatial"});
    f.number(path + "array.rows", "rows", U::Count, c.rows,
             "Rows of processing elements: the native height.");
    f.number(path + "array.cols", "columns", U::Count, c.cols,
             "Columns of processing elements: the native width.");
    if (c.kind == ArrayKind::Systolic)
        f.text(path + "array.dataflow", "dataflow", "What stays in the array: outputs, weights or inputs.",
               std::string(toString(c.dataflow)), {"os", "ws", "is"});
    if (c.kind == ArrayKind::DotProduct) {
        f.number(path + "array.row_granule", "granule of inputs", U::Count, c.rowGranule,
                 "The inputs are padded to a multiple of it.");
        f.number(path + "array.col_granule", "granule of outputs", U::Count, c.colGranule,
                 "The outputs are padded to a multiple of it.");
    }
    if (c.kind == ArrayKind::Spatial) {
        f.loops(path + "array.row_loops", "loops of the rows", spaced(c.rowLoops),
                "Loops unrolled on the rows: the first is fixed, the others fill the remaining rows.");
        f.loops(path + "array.col_loops", "loops of the columns", spaced(c.colLoops),
                "Loops unrolled on the columns: the first is fixed, the others fill the remaining columns.");
    }
    std::string rates;
    for (const MacRate& rate : c.rates)
        rates += (rates.empty() ? "" : " ") + rateName(rate) + ":" + formatNumber(rate.macs);
    f.summary(
        path + "array.rates", "rates", U::List, std::move(rates), !c.rates.empty(), "1 for all operands",
        "Multiply-accumulates of a processing element in a cycle, by bits of the operands: 16:1 8:2 8x4:2.5");
    for (const MacRate& rate : c.rates)
        f.number(path + "array.rates." + rateName(rate),
                 rate.other > 0
                     ? "rate at " + std::to_string(rate.bits) + " x " + std::to_string(rate.other) + " bits"
                     : "rate at " + std::to_string(rate.bits) + " bits",
                 U::Factor, rate.macs, "Multiply-accumulates of a processing element in a cycle.");
    f.number(path + "array.winograd", "Winograd", U::Factor, c.winograd,
             "Factor by which 3 x 3 convolutions with stride 1 need fewer multiplications.");
    f.number(path + "array.winograd_weights", "weights for Winograd", U::Factor, c.winogradWeights,
             "Factor by which the weights of these convolutions need more memory, because they are stored "
             "transformed.");
}

} // namespace

std::vector<MachineField> machineFields(const Machine& m)
{
    using U = MachineUnit;
    FieldList f(m);
    f.group("machine");
    f.text("name", "name", "Name of the machine.", m.name);
    f.number("element_bytes", "bytes per element", U::Bytes, m.elementBytes,
             "Bytes of an element of every tensor, in every lens.");
    f.number("accumulator_bytes", "bytes per accumulator", U::Bytes, m.accumulatorBytes,
             "Bytes of a partial sum of the NPU.");
    f.number("clock_ghz", "clock", U::Ghz, m.clockGhz, "Clock of array, vector unit and scratchpad.");
    f.number("technology_nm", "technology", U::Factor, m.technologyNm,
             "Process technology in nm, from which energies that are not stated are derived.");
    f.number("cores", "cores", U::Count, m.cores, "NPU cores, each with an array and a scratchpad.");
    arrayFields(f, {}, m);
    f.group("vector unit");
    f.number("vector.lanes", "lanes", U::Count, m.lanes, "Number of elements per cycle and pass.");
    f.number("vector.passes.softmax", "passes of softmax", U::Count, m.passes.softmax,
             "Number of times that the unit passes over its operand.");
    f.number("vector.passes.layer_norm", "passes of layer norm", U::Count, m.passes.layerNorm,
             "Number of times that the unit passes over its operand.");
    f.number("vector.passes.rms_norm", "passes of RMS norm", U::Count, m.passes.rmsNorm,
             "Number of times that the unit passes over its operand.");
    f.number("vector.passes.elementwise", "passes of other operators", U::Count, m.passes.elementwise,
             "Number of times that the unit passes over its operand.");
    for (const MachineLevel level :
         {MachineLevel::L1, MachineLevel::L2, MachineLevel::L3, MachineLevel::External, MachineLevel::Host}) {
        const std::string path = "levels." + std::string(toString(level));
        if (!m.hasLevel(level))
            continue;
        const Machine::Level& l = m.at(level);
        f.group(std::string(levelTitle(level)));
        f.number(path + ".buffers", "buffers", U::Count, l.buffers, "Equal memories side by side.");
        f.number(path + ".bytes", "size of a buffer", U::Bytes, l.bytes, "Bytes of one buffer.");
        f.setEditable(!l.hasMemories());
        if (level != MachineLevel::External && level != MachineLevel::Host)
            f.summary(path + ".memories", "operands", U::Word, l.hasMemories() ? "separate" : "one",
                      l.hasMemories(), "one memory for all operands",
                      "Separate memories for inputs, weights and outputs, or one for all.",
                      {"one", "separate"});
        if (l.hasMemories())
            operandFields(f, path + ".memories", l.memories, "Bytes of one buffer for this operand alone.");
        f.number(path + ".gb_per_s", "bandwidth", U::GbPerSecond, l.gbPerSecond,
                 "Rate of all buffers of the level together.");
        f.number(path + ".read_gb_per_s", "bandwidth of reads", U::GbPerSecond, l.readGbPerSecond,
                 "Rate of the read port, if there is also a write port.");
        f.number(path + ".write_gb_per_s", "bandwidth of writes", U::GbPerSecond, l.writeGbPerSecond,
                 "Rate of the write port, if there is also a read port.");
        if (level == MachineLevel::External || level == MachineLevel::Host)
            continue;
        f.flag(path + ".shared", "shared by all cores", l.shared,
               "One memory of the machine instead of one a core.");
        f.flag(path + ".multicast", "multicast", l.multicast,
               "One read serves all cores that want the same data.");
    }
    f.group("scratchpad");
    std::vector<std::string_view> pads;
    for (const MachineLevel level : {MachineLevel::L1, MachineLevel::L2, MachineLevel::L3})
        if (m.hasLevel(level) && !m.at(level).shared)
            pads.push_back(toString(level));
    f.text("scratchpad", "level", "The level that is the fast memory of one core.",
           std::string(toString(m.scratchpad)), std::move(pads));
    f.number("scratchpad_banks", "banks", U::Count, m.scratchpadBanks,
             "Number of banks of one half of the double buffer.");
    f.number("register_file_bytes", "register file", U::Bytes, m.registerFileBytes,
             "Bytes of one processing element.");
    f.setEditable(m.registerFiles[0] == 0);
    f.summary("register_files", "operands", U::Word, m.registerFiles[0] > 0 ? "separate" : "one",
              m.registerFiles[0] > 0, "one register file for all operands",
              "Separate register files for inputs, weights and outputs, or one for all.",
              {"one", "separate"});
    if (m.registerFiles[0] > 0)
        operandFields(f, "register_files", m.registerFiles,
                      "Bytes of one processing element for this operand alone.");
    f.group("DRAM");
    f.number("dram.channels", "channels", U::Count, m.dram.channels, "Independent channels.");
    f.number("dram.banks", "banks", U::Count, m.dram.banks, "Number of banks of a channel.");
    f.number("dram.bytes_per_cycle", "rate of a channel", U::BytesPerCycle, m.dram.bytesPerCycle,
             "While a burst is on the bus.");
    f.number("dram.burst_bytes", "burst", U::Bytes, m.dram.burstBytes, "Moved at once.");
    f.number("dram.interleave_bytes", "interleave", U::Bytes, m.dram.interleaveBytes,
             "Consecutive bytes of one channel.");
    f.number("dram.row_bytes", "row", U::Bytes, m.dram.rowBytes, "Of a bank.");
    f.number("dram.row_hit_cycles", "row hit", U::Cycles, m.dram.rowHitCycles,
             "Time before a burst of an open row.");
    f.number("dram.row_miss_cycles", "row miss", U::Cycles, m.dram.rowMissCycles,
             "Time before a burst of another row.");
    f.number("dram.read_latency_cycles", "latency of reads", U::Cycles, m.dram.readLatencyCycles,
             "Time from a request to its first byte, in addition to the times of the banks.");
    f.number("dram.write_latency_cycles", "latency of writes", U::Cycles, m.dram.writeLatencyCycles,
             "Time from a request to its first byte, in addition to the times of the banks.");
    f.number("dram.outstanding_requests", "outstanding requests", U::Count, m.dram.outstandingRequests,
             "Largest number of requests of a core's DMA under way. 0: no limit.");
    f.number("dram.request_bytes", "request", U::Bytes, m.dram.requestBytes, "Largest size of a request.");
    f.flag("dram.pipelined_hits", "pipelined row hits", m.dram.pipelinedHits,
           "A burst of an open row takes its time on the bus, instead of the time of a row hit.");
    f.flag("dram.address_hash", "address hash", m.dram.addressHash,
           "Higher bits of the address permute channels and banks, so that strides do not all use the same "
           "one.");
    f.computed("dram.deliverable_gb_per_s", "deliverable bandwidth", U::GbPerSecond,
               m.deliverableGbPerSecond(),
               "Largest rate that channels, banks and outstanding requests allow.");
    f.group("network");
    f.number("noc.link_bytes_per_cycle", "link of a core", U::BytesPerCycle, m.noc.linkBytesPerCycle,
             "Rate of the link between a core and the trunk.");
    f.number("noc.trunk_bytes_per_cycle", "trunk", U::BytesPerCycle, m.noc.trunkBytesPerCycle,
             "Rate of the trunk, which all cores share.");
    f.flag("noc.core_to_core", "core to core", m.noc.coreToCore,
           "A result goes to the core that reads it, while it is in a scratchpad, instead of through DRAM.");
    f.group("DMA");
    f.number("dma.init_cycles", "start of a burst", U::Cycles, m.dma.initCycles, "Cycles of the DMA clock.");
    f.number("dma.cycles_per_byte", "cycles per byte", U::Cycles, m.dma.cyclesPerByte,
             "Cycles of the DMA clock.");
    f.number("dma.mhz", "clock", U::Mhz, m.dma.mhz, "Clock of the DMA engine.");
    f.group("links between chips");
    f.number("links.gb_per_s", "rate", U::GbPerSecond, m.links.gbPerSecond,
             "Rate at which one chip sends over all its links. 0: it has no links.");
    f.number("links.latency_us", "latency", U::Micros, m.links.latencyMicros,
             "Latency of one transfer between two chips.");
    f.text("links.topology", "topology", "Which chips are linked: neighbours in a ring, or every pair.",
           std::string(toString(m.links.topology)), {"ring", "all_to_all"});
    f.group("launch of an operator");
    const std::string_view launch = "Time from the command of the host to the start of the operator.";
    f.number("launch_us.product", "product or convolution", U::Micros, m.launch.product, launch);
    f.number("launch_us.softmax", "softmax", U::Micros, m.launch.softmax, launch);
    f.number("launch_us.layer_norm", "layer norm", U::Micros, m.launch.layerNorm, launch);
    f.number("launch_us.rms_norm", "RMS norm", U::Micros, m.launch.rmsNorm, launch);
    f.number("launch_us.elementwise", "other operators", U::Micros, m.launch.elementwise, launch);
    f.group("energy");
    f.number("energy_pj.rf", "register file", U::Pj, m.energy.rf, "Energy per element.");
    f.number("energy_pj.noc", "network", U::Pj, m.energy.noc, "Energy per element.");
    f.number("energy_pj.spm", "scratchpad", U::Pj, m.energy.spm, "Energy per element.");
    f.number("energy_pj.dram", "DRAM", U::Pj, m.energy.dram, "Energy per element.");
    f.number("energy_pj.mac", "multiply-accumulate", U::Pj, m.energy.mac, "Of one.");
    f.number("energy_pj.rf_write", "write to the register file", U::Pj, m.energy.rfWrite,
             "Energy per element.");
    f.number("energy_pj.spm_write", "write to the scratchpad", U::Pj, m.energy.spmWrite,
             "Energy per element.");
    f.number("energy_pj.dram_write", "write to DRAM", U::Pj, m.energy.dramWrite, "Energy per element.");
    f.number("energy_pj.leakage", "leakage", U::Pj, m.energy.leakage, "Energy per cycle of a core.");
    std::vector<std::string> kinds;
    for (const OtherCores& other : m.otherCores)
        kinds.push_back(other.name);
    f.group("other cores");
    f.summary(
        "other_cores", "kinds", U::List, spaced(kinds), !kinds.empty(), "none",
        "Names of further kinds of cores, separated by spaces. A new kind begins as a copy of the first.");
    for (const OtherCores& other : m.otherCores) {
        const std::string path = "other_cores." + other.name + ".";
        f.group("cores \"" + other.name + "\"");
        f.number(path + "cores", "cores", U::Count, other.cores, "Cores of this kind.");
        arrayFields(f, path, other);
        f.number(path + "vector.lanes", "lanes", U::Count, other.lanes,
                 "Number of elements per cycle and pass.");
        f.number(path + "scratchpad_bytes", "scratchpad", U::Bytes, other.scratchpadBytes,
                 "Fast memory of one of these cores.");
    }
    return f.take();
}

std::vector<FieldLeftOut> fieldsLeftOut(const Machine& machine, MachineLens lens)
{
    std::vector<FieldLeftOut> out;
    const auto isLeftOut = [&](const std::string& path) {
        const Modelled& m = modelled(machine, path);
        return m.toldIfLeftOut && !(m.lenses & lensBit(lens));
    };
    // The machine with the values that the lens assumes.
    Machine assumed = machine;
    std::erase_if(assumed.given, isLeftOut);
    deriveMachine(assumed);
    const std::vector<MachineField> taken = machineFields(assumed);
    for (const MachineField& f : machineFields(machine)) {
        const auto other = std::ranges::find(taken, f.path, &MachineField::path);
        const bool differs = other == taken.end() || other->value != f.value;
        // The NPU simulator moves whole bytes per cycle, so it leaves out a fraction.
        const bool fraction = f.path == "dram.bytes_per_cycle" && lens == MachineLens::Npu &&
                              machine.dram.bytesPerCycle != std::floor(machine.dram.bytesPerCycle);
        if (f.given && !f.summary && ((isLeftOut(f.path) && differs) || fraction))
            out.push_back({f.path, f.group + ", " + f.label, f.value});
    }
    return out;
}

std::string leftOutText(const Machine& machine, MachineLens lens)
{
    return leftOutText(machine, lens, [](std::string_view) { return false; });
}

std::string leftOutText(const Machine& machine, MachineLens lens, bool (*isModelled)(std::string_view path))
{
    constexpr std::size_t kNamed = 6;
    std::vector<FieldLeftOut> fields = fieldsLeftOut(machine, lens);
    std::erase_if(fields, [&](const FieldLeftOut& field) { return isModelled(field.path); });
    std::string out;
    for (std::size_t i = 0; i < std::min(fields.size(), kNamed); ++i)
        out += (i == 0 ? "" : ", ") + fields[i].path + " (" + fields[i].value + ")";
    if (fields.size() > kNamed)
        out += " and " + formatGrouped(static_cast<std::int64_t>(fields.size() - kNamed)) + " more";
    return out.empty() ? out
                       : "fields of the machine that the " + std::string(toString(lens)) +
                             " lens does not model: " + out;
}

std::vector<MachineChange> machineChanges(const Machine& before, const Machine& after)
{
    std::vector<MachineField> a = machineFields(before), b = machineFields(after);
    for (std::vector<MachineField>* fields : {&a, &b})
        std::erase_if(*fields, [](const MachineField& f) { return f.summary; });
    std::vector<MachineChange> out;
    const auto find = [](const std::vector<MachineField>& fields, const std::string& path) {
        return std::find_if(fields.begin(), fields.end(),
                            [&](const MachineField& f) { return f.path == path; });
    };
    const auto label = [](const MachineField& f) { return f.group + ", " + f.label; };
    for (const MachineField& f : b)
        if (const auto it = find(a, f.path); it == a.end())
            out.push_back({f.path, label(f), {}, f.value});
        else if (it->value != f.value)
            out.push_back({f.path, label(f), it->value, f.value});
    for (const MachineField& f : a)
        if (find(b, f.path) == b.end())
            out.push_back({f.path, label(f), f.value, {}});
    return out;
}

} // namespace tilewright
