// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/machine.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

namespace {

class Derivation
{
public:
    explicit Derivation(Machine& machine) : m(machine) {}

    void run()
    {
        m.derived.clear();
        m.notes.clear();
        value("accumulator_bytes", m.accumulatorBytes, 4, "default");
        value("clock_ghz", m.clockGhz, 1.0, "default");
        value("cores", m.cores, 1, "default");
        if (!m.has("array.dataflow")) {
            m.dataflow = ArrayDataflow::Os;
            m.derived.push_back({"array.dataflow", "os", "default"});
        }
        value("vector.lanes", m.lanes, 2 * m.cols, "2 * array cols");
        constexpr Machine::Passes kPasses;
        value("vector.passes.softmax", m.passes.softmax, kPasses.softmax, "default");
        value("vector.passes.layer_norm", m.passes.layerNorm, kPasses.layerNorm, "default");
        value("vector.passes.rms_norm", m.passes.rmsNorm, kPasses.rmsNorm, "default");
        value("vector.passes.elementwise", m.passes.elementwise, kPasses.elementwise, "default");
        scratchpad();
        levels();
        constexpr Machine::Dma kDma;
        constexpr Machine::Energy kEnergy;
        value("register_file_bytes", m.registerFileBytes, 512, "default");
        value("scratchpad_banks", m.scratchpadBanks, 32, "default");
        m.derived.push_back({"scratchpad_bank_bytes",
                             formatNumber(m.scratchpadBytes() / 2 / m.scratchpadBanks),
                             "scratchpad bytes / 2 / banks, one half of the double buffer"});
        if (const std::int64_t left = m.scratchpadBytes() / 2 % m.scratchpadBanks; left > 0)
            m.notes.push_back("scratchpad: " + formatGrouped(left) +
                              " bytes of each half are left over by whole bytes a bank");
        dram();
        noc();
        value("dma.init_cycles", m.dma.initCycles, kDma.initCycles, "default");
        value("dma.cycles_per_byte", m.dma.cyclesPerByte, kDma.cyclesPerByte, "default");
        value("dma.mhz", m.dma.mhz, kDma.mhz, "default");
        value("energy_pj.rf", m.energy.rf, kEnergy.rf, "default");
        value("energy_pj.noc", m.energy.noc, kEnergy.noc, "default");
        value("energy_pj.spm", m.energy.spm, kEnergy.spm, "default");
        value("energy_pj.dram", m.energy.dram, kEnergy.dram, "default");
        value("energy_pj.mac", m.energy.mac, kEnergy.mac, "default");
    }

private:
    template <typename T>
    void value(const char* path, T& out, std::type_identity_t<T> derived, const char* formula)
    {
        if (m.has(path))
            return;
        out = derived;
        m.derived.push_back({path, formatNumber(derived), formula});
    }

    [[nodiscard]] bool hasLevel(MachineLevel level) const
    {
        return m.has("levels." + std::string(toString(level)) + ".bytes");
    }

    void scratchpad()
    {
        if (m.has("scratchpad"))
            return;
        std::optional<MachineLevel> largest;
        for (const MachineLevel level : {MachineLevel::L3, MachineLevel::L2, MachineLevel::L1})
            if (hasLevel(level) && (!largest || m.at(level).totalBytes() > m.at(*largest).totalBytes()))
                largest = level;
        m.scratchpad = largest.value_or(MachineLevel::L3);
        m.derived.push_back({"scratchpad", std::string(toString(m.scratchpad)),
                             "the largest level between the array and external"});
    }

    /// The Systolic lens wants all five: one that the machine lacks is as its neighbour further out, or, when
    /// there is none between the array and external, as the next inner one.
    void levels()
    {
        using L = MachineLevel;
        const auto copy = [&](L level, L from) {
            if (hasLevel(level))
                return;
            m.at(level) = m.at(from);
            const std::string name(toString(level));
            m.derived.push_back({"levels." + name,
                                 formatNumber(m.at(level).buffers) + " x " +
                                     formatGrouped(m.at(level).bytes) + " bytes, " +
                                     formatNumber(m.at(level).gbPerSecond) + " GB/s",
                                 "the machine has none; as " + std::string(toString(from))});
        };
        if (!hasLevel(L::L3))
            copy(L::L3, hasLevel(L::L2) ? L::L2 : L::L1);
        copy(L::L2, L::L3);
        copy(L::L1, L::L2);
        copy(L::Host, L::External);
    }

    void dram()
    {
        constexpr Machine::Dram kDram;
        // A cycle moves whole bytes; what rounding takes away is told.
        const double exact = m.bytesPerCycle(MachineLevel::External);
        const auto whole = static_cast<std::int64_t>(std::floor(exact + 1e-9));
        std::int64_t channels = 1;
        for (const std::int64_t c : {4, 2})
            if (channels == 1 && whole >= c && whole % c == 0)
                channels = c;
        value("dram.channels", m.dram.channels, channels,
              "as many (4, 2 or 1) as divide the external bytes a cycle into whole bytes");
        value("dram.banks", m.dram.banks, kDram.banks, "default");
        value("dram.bytes_per_cycle", m.dram.bytesPerCycle,
              std::max<std::int64_t>(1, whole / m.dram.channels), "external bytes a cycle / channels");
        const double left = exact - static_cast<double>(m.dram.channels * m.dram.bytesPerCycle);
        if (!m.has("dram.bytes_per_cycle") && std::abs(left) > 1e-9)
            m.notes.push_back("dram: " + formatGrouped(std::abs(left)) +
                              (left > 0
                                   ? " bytes a cycle of external are left over by rounding down"
                                   : " bytes a cycle more than external has: a channel moves at least one"));
        value("dram.burst_bytes", m.dram.burstBytes, kDram.burstBytes, "default");
        value("dram.interleave_bytes", m.dram.interleaveBytes, kDram.interleaveBytes, "default");
        value("dram.row_bytes", m.dram.rowBytes, kDram.rowBytes, "default");
        value("dram.row_hit_cycles", m.dram.rowHitCycles, kDram.rowHitCycles, "default");
        value("dram.row_miss_cycles", m.dram.rowMissCycles, kDram.rowMissCycles, "default");
    }

    void noc()
    {
        const double link = m.bytesPerCycle(m.scratchpad);
        const auto whole = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(link + 1e-9)));
        value("noc.link_bytes_per_cycle", m.noc.linkBytesPerCycle, whole,
              "bytes a cycle of the scratchpad's level");
        value("noc.trunk_bytes_per_cycle", m.noc.trunkBytesPerCycle, m.cores * m.noc.linkBytesPerCycle,
              "cores * link");
    }

    Machine& m;
};

} // namespace

std::string_view toString(MachineLevel level) noexcept
{
    constexpr std::array<std::string_view, 5> kNames{"host", "external", "l3", "l2", "l1"};
    return kNames[static_cast<std::size_t>(level)];
}

std::string_view toString(ArrayDataflow dataflow) noexcept
{
    constexpr std::array<std::string_view, 3> kNames{"os", "ws", "is"};
    return kNames[static_cast<std::size_t>(dataflow)];
}

void deriveMachine(Machine& machine)
{
    Derivation(machine).run();
}

std::optional<Machine> machinePreset(std::string_view name)
{
    // Parsed once: the window compares with the presets after every edit.
    static const std::vector<std::pair<std::string_view, Machine>> known = [] {
        std::vector<std::pair<std::string_view, Machine>> out;
        for (const MachinePreset& preset : machinePresets())
            if (auto machine = readMachine(preset.text, std::string(preset.name)))
                out.emplace_back(preset.name, std::move(*machine));
        return out;
    }();
    const auto found = std::ranges::find(known, name, &std::pair<std::string_view, Machine>::first);
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

namespace {

class FieldList
{
public:
    explicit FieldList(const Machine& machine) : m_machine(machine) {}

    void group(std::string_view name) { m_group = name; }

    void text(std::string path, std::string_view label, std::string_view meaning, std::string value,
              std::vector<std::string_view> words = {})
    {
        add(std::move(path), label, meaning, MachineUnit::Word, std::move(value));
        m_out.back().words = std::move(words);
    }
    template <typename T>
    void number(const std::string& path, std::string_view label, MachineUnit unit, T value,
                std::string_view meaning)
    {
        add(path, label, meaning, unit, formatNumber(value));
    }
    std::vector<MachineField> take() { return std::move(m_out); }

private:
    void add(std::string path, std::string_view label, std::string_view meaning, MachineUnit unit,
             std::string value)
    {
        MachineField f;
        f.group = m_group;
        f.label = label;
        f.meaning = meaning;
        f.unit = unit;
        f.value = std::move(value);
        f.given = m_machine.has(path);
        for (const DerivedValue& d : m_machine.derived)
            if (d.path == path)
                f.formula = d.formula;
        f.path = std::move(path);
        m_out.push_back(std::move(f));
    }

    const Machine& m_machine;
    std::string_view m_group;
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

} // namespace

std::vector<MachineField> machineFields(const Machine& m)
{
    using U = MachineUnit;
    FieldList f(m);
    f.group("machine");
    f.text("name", "name", "What the machine is called.", m.name);
    f.number("element_bytes", "bytes an element", U::Bytes, m.elementBytes,
             "Of every tensor, in every lens.");
    f.number("accumulator_bytes", "bytes an accumulator", U::Bytes, m.accumulatorBytes,
             "Of a partial sum of the NPU.");
    f.number("clock_ghz", "clock", U::Ghz, m.clockGhz, "Of array, vector unit and scratchpad.");
    f.number("cores", "cores", U::Count, m.cores, "NPU cores, each with an array and a scratchpad.");
    f.group("array");
    f.number("array.rows", "rows", U::Count, m.rows, "Rows of processing elements: the native height.");
    f.number("array.cols", "columns", U::Count, m.cols, "Columns of processing elements: the native width.");
    f.text("array.dataflow", "dataflow", "What stays in the array: outputs, weights or inputs.",
           std::string(toString(m.dataflow)), {"os", "ws", "is"});
    f.group("vector unit");
    f.number("vector.lanes", "lanes", U::Count, m.lanes, "Elements a cycle and pass.");
    f.number("vector.passes.softmax", "passes of softmax", U::Count, m.passes.softmax,
             "Times the unit goes over its operand.");
    f.number("vector.passes.layer_norm", "passes of layer norm", U::Count, m.passes.layerNorm,
             "Times the unit goes over its operand.");
    f.number("vector.passes.rms_norm", "passes of RMS norm", U::Count, m.passes.rmsNorm,
             "Times the unit goes over its operand.");
    f.number("vector.passes.elementwise", "passes of other operators", U::Count, m.passes.elementwise,
             "Times the unit goes over its operand.");
    for (const MachineLevel level :
         {MachineLevel::L1, MachineLevel::L2, MachineLevel::L3, MachineLevel::External, MachineLevel::Host}) {
        const std::string path = "levels." + std::string(toString(level));
        if (!m.has(path + ".bytes"))
            continue;
        f.group(levelTitle(level));
        f.number(path + ".buffers", "buffers", U::Count, m.at(level).buffers, "Equal memories side by side.");
        f.number(path + ".bytes", "size of a buffer", U::Bytes, m.at(level).bytes, "Bytes of one buffer.");
        f.number(path + ".gb_per_s", "bandwidth", U::GbPerSecond, m.at(level).gbPerSecond,
                 "Of all buffers of the level together.");
    }
    f.group("scratchpad");
    std::vector<std::string_view> pads;
    for (const MachineLevel level : {MachineLevel::L1, MachineLevel::L2, MachineLevel::L3})
        if (m.has("levels." + std::string(toString(level)) + ".bytes"))
            pads.push_back(toString(level));
    f.text("scratchpad", "level", "The level that is the fast memory of one core.",
           std::string(toString(m.scratchpad)), std::move(pads));
    f.number("scratchpad_banks", "banks", U::Count, m.scratchpadBanks, "Of one half of the double buffer.");
    f.number("register_file_bytes", "register file", U::Bytes, m.registerFileBytes,
             "Of one processing element.");
    f.group("DRAM");
    f.number("dram.channels", "channels", U::Count, m.dram.channels, "Independent channels.");
    f.number("dram.banks", "banks", U::Count, m.dram.banks, "Of a channel.");
    f.number("dram.bytes_per_cycle", "rate of a channel", U::BytesPerCycle, m.dram.bytesPerCycle,
             "While a burst is on the bus.");
    f.number("dram.burst_bytes", "burst", U::Bytes, m.dram.burstBytes, "Moved at once.");
    f.number("dram.interleave_bytes", "interleave", U::Bytes, m.dram.interleaveBytes,
             "Consecutive bytes of one channel.");
    f.number("dram.row_bytes", "row", U::Bytes, m.dram.rowBytes, "Of a bank.");
    f.number("dram.row_hit_cycles", "row hit", U::Cycles, m.dram.rowHitCycles,
             "Before a burst of an open row.");
    f.number("dram.row_miss_cycles", "row miss", U::Cycles, m.dram.rowMissCycles,
             "Before a burst of another row.");
    f.group("network");
    f.number("noc.link_bytes_per_cycle", "link of a core", U::BytesPerCycle, m.noc.linkBytesPerCycle,
             "Between a core and the trunk.");
    f.number("noc.trunk_bytes_per_cycle", "trunk", U::BytesPerCycle, m.noc.trunkBytesPerCycle,
             "Shared by all cores.");
    f.group("DMA");
    f.number("dma.init_cycles", "start of a burst", U::Cycles, m.dma.initCycles, "Cycles of the DMA clock.");
    f.number("dma.cycles_per_byte", "cycles a byte", U::Cycles, m.dma.cyclesPerByte,
             "Cycles of the DMA clock.");
    f.number("dma.mhz", "clock", U::Mhz, m.dma.mhz, "Of the DMA engine.");
    f.group("energy");
    f.number("energy_pj.rf", "register file", U::Pj, m.energy.rf, "Of an element.");
    f.number("energy_pj.noc", "network", U::Pj, m.energy.noc, "Of an element.");
    f.number("energy_pj.spm", "scratchpad", U::Pj, m.energy.spm, "Of an element.");
    f.number("energy_pj.dram", "DRAM", U::Pj, m.energy.dram, "Of an element.");
    f.number("energy_pj.mac", "multiply-accumulate", U::Pj, m.energy.mac, "Of one.");
    return f.take();
}

std::vector<MachineChange> machineChanges(const Machine& before, const Machine& after)
{
    const std::vector<MachineField> a = machineFields(before), b = machineFields(after);
    std::vector<MachineChange> out;
    const auto find = [](const std::vector<MachineField>& fields, const std::string& path) {
        return std::find_if(fields.begin(), fields.end(),
                            [&](const MachineField& f) { return f.path == path; });
    };
    const auto label = [](const MachineField& f) {
        return std::string(f.group) + ", " + std::string(f.label);
    };
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
