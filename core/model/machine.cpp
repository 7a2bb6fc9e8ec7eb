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

} // namespace tilewright
