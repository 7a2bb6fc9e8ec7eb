// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/machine.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
        value("technology_nm", m.technologyNm, 16.0, "default");
        value("cores", m.cores, 1, "default");
        cores({}, m);
        constexpr Machine::Passes kPasses;
        value("vector.passes.softmax", m.passes.softmax, kPasses.softmax, "default");
        value("vector.passes.layer_norm", m.passes.layerNorm, kPasses.layerNorm, "default");
        value("vector.passes.rms_norm", m.passes.rmsNorm, kPasses.rmsNorm, "default");
        value("vector.passes.elementwise", m.passes.elementwise, kPasses.elementwise, "default");
        levelSizes();
        scratchpad();
        levels();
        for (OtherCores& other : m.otherCores) {
            const std::string path = "other_cores." + other.name + ".";
            value(path + "cores", other.cores, 1, "default");
            cores(path, other);
            value(path + "scratchpad_bytes", other.scratchpadBytes, m.scratchpadBytes(),
                  "as the first kind of cores");
        }
        constexpr Machine::Dma kDma;
        constexpr Machine::Energy kEnergy;
        registerFiles();
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
        value("dma.mhz", m.dma.mhz, kDma.mhz, "default");
        // Rounded up to a millionth, as DmaClock does, so that the DMA is never faster than the external
        // memory.
        const double perByte = m.dma.mhz / 1000 / m.at(MachineLevel::External).gbPerSecond;
        value("dma.cycles_per_byte", m.dma.cyclesPerByte, std::ceil(perByte * 1e6 - 1e-6) / 1e6,
              "dma.mhz / 1000 / levels.external.gb_per_s");
        value("links.gb_per_s", m.links.gbPerSecond, 0, "none");
        value("links.latency_us", m.links.latencyMicros, 0, "default");
        word("links.topology", m.links.topology, LinkTopology::Ring);
        launch();
        value("energy_pj.rf", m.energy.rf, kEnergy.rf, "default");
        value("energy_pj.noc", m.energy.noc, kEnergy.noc, "default");
        value("energy_pj.spm", m.energy.spm, kEnergy.spm, "default");
        value("energy_pj.dram", m.energy.dram, kEnergy.dram, "default");
        value("energy_pj.mac", m.energy.mac, kEnergy.mac, "default");
        value("energy_pj.rf_write", m.energy.rfWrite, m.energy.rf, "as a read");
        value("energy_pj.spm_write", m.energy.spmWrite, m.energy.spm, "as a read");
        value("energy_pj.dram_write", m.energy.dramWrite, m.energy.dram, "as a read");
        value("energy_pj.leakage", m.energy.leakage, 0, "default");
    }

private:
    template <typename T>
    void value(const std::string& path, T& out, std::type_identity_t<T> derived, const char* formula)
    {
        if (m.has(path))
            return;
        out = derived;
        m.derived.push_back({path, formatNumber(derived), formula});
    }
    template <typename E> void word(const std::string& path, E& out, E derived)
    {
        if (m.has(path))
            return;
        out = derived;
        m.derived.push_back({path, std::string(toString(derived)), "default"});
    }
    void flag(const std::string& path, bool& out)
    {
        if (m.has(path))
            return;
        out = false;
        m.derived.push_back({path, "false", "default"});
    }

    /// Derives missing fields of a kind of cores. `path` is empty or ends with a dot.
    void cores(const std::string& path, MachineCores& c)
    {
        value(path + "arrays", c.arrays, 1, "default");
        word(path + "array.kind", c.kind, ArrayKind::Systolic);
        word(path + "array.dataflow", c.dataflow, ArrayDataflow::Os);
        value(path + "array.row_granule", c.rowGranule, c.rows, "array rows");
        value(path + "array.col_granule", c.colGranule, c.cols, "array cols");
        value(path + "array.winograd", c.winograd, 1, "default");
        value(path + "array.winograd_weights", c.winogradWeights, 1, "default");
        value(path + "vector.lanes", c.lanes, 2 * c.cols, "2 * array cols");
    }

    /// Derives the missing fields of a level that the file has.
    void levelSizes()
    {
        for (const MachineLevel level : kMachineLevels) {
            if (!m.hasLevel(level))
                continue;
            const std::string path = "levels." + std::string(toString(level)) + ".";
            Machine::Level& l = m.at(level);
            if (l.hasMemories())
                value(path + "bytes", l.bytes, l.memories[0] + l.memories[1] + l.memories[2],
                      "sum of its memories");
            l.portsApart = m.has(path + "read_gb_per_s") || m.has(path + "write_gb_per_s");
            const char* formula = l.portsApart ? "gb_per_s" : "gb_per_s, shared by reads and writes";
            value(path + "read_gb_per_s", l.readGbPerSecond, l.gbPerSecond, formula);
            value(path + "write_gb_per_s", l.writeGbPerSecond, l.gbPerSecond, formula);
            if (level == MachineLevel::External || level == MachineLevel::Host)
                continue;
            flag(path + "shared", l.shared);
            flag(path + "multicast", l.multicast);
        }
    }

    void registerFiles()
    {
        const auto& files = m.registerFiles;
        if (files[0] > 0)
            value("register_file_bytes", m.registerFileBytes, files[0] + files[1] + files[2],
                  "sum of the register files");
        else
            value("register_file_bytes", m.registerFileBytes, 512, "default");
    }

    void launch()
    {
        value("launch_us.product", m.launch.product, 0, "default");
        value("launch_us.softmax", m.launch.softmax, 0, "default");
        value("launch_us.layer_norm", m.launch.layerNorm, 0, "default");
        value("launch_us.rms_norm", m.launch.rmsNorm, 0, "default");
        value("launch_us.elementwise", m.launch.elementwise, 0, "default");
    }

    void scratchpad()
    {
        if (m.has("scratchpad"))
            return;
        std::optional<MachineLevel> largest;
        for (const MachineLevel level : {MachineLevel::L3, MachineLevel::L2, MachineLevel::L1})
            if (m.hasLevel(level) && !m.at(level).shared &&
                (!largest || m.at(level).totalBytes() > m.at(*largest).totalBytes()))
                largest = level;
        m.scratchpad = largest.value_or(MachineLevel::L3);
        m.derived.push_back({"scratchpad", std::string(toString(m.scratchpad)),
                             "the largest level between the array and external"});
    }

    /// The Systolic lens needs all five levels. A missing level is a copy of its neighbour further out or, if
    /// there is none between the array and the external memory, of the next inner level.
    void levels()
    {
        using L = MachineLevel;
        const auto copy = [&](L level, L from) {
            if (m.hasLevel(level))
                return;
            m.at(level) = m.at(from);
            const std::string name(toString(level));
            m.derived.push_back({"levels." + name,
                                 formatNumber(m.at(level).buffers) + " x " +
                                     formatGrouped(m.at(level).bytes) + " bytes, " +
                                     formatNumber(m.at(level).gbPerSecond) + " GB/s",
                                 "the machine has none; as " + std::string(toString(from))});
        };
        if (!m.hasLevel(L::L3))
            copy(L::L3, m.hasLevel(L::L2) ? L::L2 : L::L1);
        copy(L::L2, L::L3);
        copy(L::L1, L::L2);
        copy(L::Host, L::External);
    }

    void dram()
    {
        constexpr Machine::Dram kDram;
        // The machine moves whole bytes per cycle; a note states what the rounding loses.
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
              static_cast<double>(std::max<std::int64_t>(1, whole / m.dram.channels)),
              "external bytes a cycle / channels");
        const double left = exact - static_cast<double>(m.dram.channels) * m.dram.bytesPerCycle;
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
        value("dram.read_latency_cycles", m.dram.readLatencyCycles, 0, "default");
        value("dram.write_latency_cycles", m.dram.writeLatencyCycles, 0, "default");
        value("dram.outstanding_requests", m.dram.outstandingRequests, 0, "default: no limit");
        value("dram.request_bytes", m.dram.requestBytes, m.dram.burstBytes, "one burst");
        flag("dram.pipelined_hits", m.dram.pipelinedHits);
        flag("dram.address_hash", m.dram.addressHash);
        m.derived.push_back({"dram.deliverable_gb_per_s", formatNumber(m.deliverableGbPerSecond()),
                             "the smallest of the rate of all buses, in whole cycles a burst, the rate of "
                             "all banks when every burst finds its row open, and, if they are limited, the "
                             "outstanding requests of all cores * their bytes / (latency of reads + time of "
                             "a request on its bank)"});
        const double wanted = m.at(MachineLevel::External).gbPerSecond;
        if (m.deliverableGbPerSecond() < wanted * 0.99)
            m.notes.push_back(
                std::string(m.dram.outstandingRequests > 0 ? "dram: channels, banks and outstanding requests"
                                                           : "dram: channels and banks") +
                " deliver at most " + formatGrouped(m.deliverableGbPerSecond()) + " of the " +
                formatGrouped(wanted) + " GB/s of external; the NPU lens has no more than that");
    }

    void noc()
    {
        const double link = m.bytesPerCycle(m.scratchpad);
        const auto whole = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(link + 1e-9)));
        value("noc.link_bytes_per_cycle", m.noc.linkBytesPerCycle, whole,
              "bytes a cycle of the scratchpad's level");
        value("noc.trunk_bytes_per_cycle", m.noc.trunkBytesPerCycle, m.cores * m.noc.linkBytesPerCycle,
              "cores * link");
        flag("noc.core_to_core", m.noc.coreToCore);
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

std::string_view toString(ArrayKind kind) noexcept
{
    constexpr std::array<std::string_view, 3> kNames{"systolic", "dot_product", "spatial"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view toString(MachineOperand operand) noexcept
{
    constexpr std::array<std::string_view, 3> kNames{"input", "weight", "output"};
    return kNames[static_cast<std::size_t>(operand)];
}

std::string_view toString(SourceKind kind) noexcept
{
    constexpr std::array<std::string_view, 5> kNames{"measured", "datasheet", "paper", "assumed", "fitted"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view toString(LinkTopology topology) noexcept
{
    return topology == LinkTopology::Ring ? "ring" : "all_to_all";
}

std::string_view toString(MachineLens lens) noexcept
{
    constexpr std::array<std::string_view, 4> kNames{"Schedule", "Systolic", "NPU", "Mapping"};
    return kNames[static_cast<std::size_t>(lens)];
}

std::string rateName(const MacRate& rate)
{
    return std::to_string(rate.bits) + (rate.other > 0 ? "x" + std::to_string(rate.other) : "");
}

namespace {

const MacRate* rateOfPair(const std::vector<MacRate>& rates, std::int64_t wide, std::int64_t narrow)
{
    const auto it = std::ranges::find_if(rates, [&](const MacRate& r) {
        return r.bits == wide && (r.other == narrow || (r.other == 0 && wide == narrow));
    });
    return it == rates.end() ? nullptr : &*it;
}

/// Widths of two operands in bits, rounded to whole bits, the wider one first.
std::pair<std::int64_t, std::int64_t> wholeBits(double bits, double otherBits)
{
    const auto whole = [](double b) {
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(b)));
    };
    return {whole(std::max(bits, otherBits)), whole(std::min(bits, otherBits))};
}

} // namespace

bool MachineCores::multipliesPair(double bits, double otherBits) const noexcept
{
    const auto [wide, narrow] = wholeBits(bits, otherBits);
    return rateOfPair(rates, wide, narrow) != nullptr;
}

double MachineCores::macsPerCycle(double bits, double otherBits) const noexcept
{
    const auto [wide, narrow] = wholeBits(bits, otherBits);
    if (const MacRate* pair = rateOfPair(rates, wide, narrow))
        return pair->macs;
    const MacRate* best = nullptr;
    for (const MacRate& r : rates)
        if ((r.other == 0 || r.other == r.bits) && r.bits >= wide && (!best || r.bits < best->bits))
            best = &r;
    return best ? best->macs : 1;
}

double Machine::Dram::deliverableBytesPerCycle() const noexcept
{
    const auto burst = static_cast<double>(burstBytes);
    // As in docs/rules/npu.md 5.3, a burst takes whole cycles of the bus, and a bank is busy until the bus is
    // released.
    const double bus = std::ceil(burst / bytesPerCycle - 1e-9);
    const double bank = bus + (pipelinedHits ? bus : static_cast<double>(rowHitCycles));
    return static_cast<double>(channels) * std::min(burst / bus, static_cast<double>(banks) * burst / bank);
}

double Machine::Dram::requestedBytesPerCycle() const noexcept
{
    if (outstandingRequests == 0)
        return std::numeric_limits<double>::infinity();
    // As in docs/rules/npu.md 5.9, the bursts of one interleave block follow each other on their bank. Those
    // of other blocks can be served at the same time at best.
    const std::int64_t bursts = std::max<std::int64_t>(1, requestBytes / burstBytes);
    const auto onBank =
        static_cast<double>(std::min(bursts, std::max<std::int64_t>(1, interleaveBytes / burstBytes)));
    const double bus = std::ceil(static_cast<double>(burstBytes) / bytesPerCycle - 1e-9);
    const double burst = bus + (pipelinedHits ? bus : static_cast<double>(rowHitCycles));
    return static_cast<double>(outstandingRequests * bursts * burstBytes) /
           (static_cast<double>(readLatencyCycles) + onBank * burst);
}

double Machine::deliverableGbPerSecond() const noexcept
{
    return std::min(dram.deliverableBytesPerCycle(),
                    static_cast<double>(cores) * dram.requestedBytesPerCycle()) *
           clockGhz;
}

bool Machine::hasLevel(MachineLevel level) const
{
    return has("levels." + std::string(toString(level)) + ".gb_per_s");
}

std::optional<MachineLevel> Machine::sharedLevel() const
{
    for (const MachineLevel level : {MachineLevel::L3, MachineLevel::L2, MachineLevel::L1})
        if (hasLevel(level) && at(level).shared)
            return level;
    return std::nullopt;
}

std::int64_t Machine::allCores() const noexcept
{
    std::int64_t sum = cores;
    for (const OtherCores& other : otherCores)
        sum += other.cores;
    return sum;
}

void deriveMachine(Machine& machine)
{
    Derivation(machine).run();
}

std::optional<Machine> machinePreset(std::string_view name)
{
    // The presets are parsed only once, because the window compares the machine with them after every edit.
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
