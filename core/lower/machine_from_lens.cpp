// SPDX-License-Identifier: GPL-3.0-or-later
// Machines from the hardware of a lens: the other direction of machine_lenses.cpp.
#include "base/text.h"
#include "lower/machine_lenses.h"

#include <utility>

namespace tilewright::lower {

namespace {

/// Number of rounds. Changed values in the first round also change values that are derived from them. The
/// second round sets the derived values back explicitly.
constexpr int kRounds = 2;

/// A machine that takes over the values of a lens, where these differ from its own.
class Taking
{
public:
    explicit Taking(Machine machine) : m_machine(std::move(machine)) {}

    template <typename T> void number(const std::string& path, T wanted, T present)
    {
        if (wanted != present)
            take(withMachineField(m_machine, path, formatNumber(wanted)));
    }
    void word(const std::string& path, std::string_view wanted)
    {
        take(withMachineField(m_machine, path, wanted));
    }
    void optional(const std::string& path, std::optional<double> wanted, std::optional<double> present)
    {
        if (wanted != present)
            take(wanted ? withMachineField(m_machine, path, formatNumber(*wanted))
                        : withoutMachineField(m_machine, path));
    }
    void array(std::int64_t rows, std::int64_t cols)
    {
        number("array.rows", rows, m_machine.rows);
        number("array.cols", cols, m_machine.cols);
    }
    /// Sets the size of the scratchpad in bytes, with the same number of buffers if that divides the size.
    void scratchpad(std::int64_t bytes)
    {
        if (bytes == m_machine.scratchpadBytes())
            return;
        const std::string path = "levels." + std::string(toString(m_machine.scratchpad));
        const std::int64_t had = m_machine.at(m_machine.scratchpad).buffers;
        const std::int64_t buffers = bytes % had == 0 ? had : 1;
        number(path + ".buffers", buffers, had);
        take(withMachineField(m_machine, path + ".bytes", formatNumber(bytes / buffers)));
    }
    [[nodiscard]] const Machine& machine() const { return m_machine; }
    [[nodiscard]] Result<Machine> taken() const
    {
        return m_error ? Result<Machine>(*m_error) : Result<Machine>(m_machine);
    }

private:
    void take(Result<Machine> next)
    {
        if (next)
            m_machine = std::move(*next);
        else if (!m_error)
            m_error = next.error();
    }

    Machine m_machine;
    std::optional<Error> m_error;
};

} // namespace

Result<Machine> withHierarchy(const Machine& machine, const systolic::Hierarchy& wanted)
{
    Taking out(machine);
    for (int round = 0; round < kRounds; ++round) {
        const systolic::Hierarchy has = hierarchyOf(out.machine());
        out.number("clock_ghz", wanted.frequencyGhz, has.frequencyGhz);
        out.number<std::int64_t>("element_bytes", wanted.elementBytes, has.elementBytes);
        out.array(wanted.array.rows, wanted.array.cols);
        for (const MachineLevel level : kMachineLevels) {
            if (!out.machine().hasLevel(level))
                continue;
            const std::string path = "levels." + std::string(toString(level));
            const auto& to = wanted.levels[static_cast<std::size_t>(level)];
            const auto& from = has.levels[static_cast<std::size_t>(level)];
            out.number<std::int64_t>(path + ".buffers", to.buffers, from.buffers);
            out.number<std::int64_t>(path + ".bytes", to.bytes, from.bytes);
            out.number(path + ".gb_per_s", to.gbPerSecond, from.gbPerSecond);
        }
    }
    return out.taken();
}

Result<Machine> withNpuHardware(const Machine& machine, const npu::NpuHardware& wanted)
{
    Taking out(machine);
    for (int round = 0; round < kRounds; ++round) {
        const npu::NpuHardware has = npuHardwareOf(out.machine());
        const auto whole = [&](const std::string& path, std::int64_t to, std::int64_t from) {
            out.number(path, to, from);
        };
        whole("cores", wanted.cores, has.cores);
        out.array(wanted.engineRows, wanted.engineCols);
        whole("vector.lanes", wanted.vectorLanes, has.vectorLanes);
        out.number("clock_ghz", wanted.clockGhz, has.clockGhz);
        out.scratchpad(wanted.spmBytes);
        whole("accumulator_bytes", wanted.accumulatorBytes, has.accumulatorBytes);
        whole("vector.passes.softmax", wanted.passes.softmax, has.passes.softmax);
        whole("vector.passes.layer_norm", wanted.passes.layerNorm, has.passes.layerNorm);
        whole("vector.passes.rms_norm", wanted.passes.rmsNorm, has.passes.rmsNorm);
        whole("vector.passes.elementwise", wanted.passes.elementwise, has.passes.elementwise);
        whole("dram.channels", wanted.dram.channels, has.dram.channels);
        whole("dram.banks", wanted.dram.banks, has.dram.banks);
        whole("dram.bytes_per_cycle", wanted.dram.bytesPerCycle, has.dram.bytesPerCycle);
        whole("dram.burst_bytes", wanted.dram.burstBytes, has.dram.burstBytes);
        whole("dram.interleave_bytes", wanted.dram.interleaveBytes, has.dram.interleaveBytes);
        whole("dram.row_bytes", wanted.dram.rowBytes, has.dram.rowBytes);
        if (wanted.dram.rowHitCycles != has.dram.rowHitCycles && out.machine().dram.pipelinedHits)
            // With pipelined hits, the latency of a row hit has no effect.
            out.word("dram.pipelined_hits", "false");
        whole("dram.row_hit_cycles", wanted.dram.rowHitCycles, has.dram.rowHitCycles);
        whole("dram.row_miss_cycles", wanted.dram.rowMissCycles, has.dram.rowMissCycles);
        whole("dram.read_latency_cycles", wanted.dram.readLatencyCycles, has.dram.readLatencyCycles);
        whole("dram.write_latency_cycles", wanted.dram.writeLatencyCycles, has.dram.writeLatencyCycles);
        whole("dram.outstanding_requests", wanted.dram.outstandingRequests, has.dram.outstandingRequests);
        whole("dram.request_bytes", wanted.dram.requestBytes, has.dram.requestBytes);
        whole("noc.link_bytes_per_cycle", wanted.linkBytesPerCycle, has.linkBytesPerCycle);
        whole("noc.trunk_bytes_per_cycle", wanted.trunkBytesPerCycle, has.trunkBytesPerCycle);
        if (wanted.coreToCore != has.coreToCore)
            out.word("noc.core_to_core", wanted.coreToCore ? "true" : "false");
        out.number("energy_pj.mac", wanted.energy.mac, has.energy.mac);
        out.number("energy_pj.spm", wanted.energy.spm, has.energy.spm);
        out.number("energy_pj.noc", wanted.energy.noc, has.energy.noc);
        out.number("energy_pj.dram", wanted.energy.dram, has.energy.dram);
    }
    return out.taken();
}

Result<Machine> withArchitecture(const Machine& machine, const mapping::Architecture& wanted)
{
    Taking out(machine);
    for (int round = 0; round < kRounds; ++round) {
        const mapping::Architecture has = architectureOf(out.machine());
        if (wanted.pes != has.pes) { // as square as possible, as in the reader of architectures
            std::int64_t rows = 1;
            for (std::int64_t r = 1; r * r <= wanted.pes; ++r)
                if (wanted.pes % r == 0)
                    rows = r;
            out.array(rows, wanted.pes / rows);
        }
        out.number("element_bytes", wanted.elementBytes, has.elementBytes);
        out.number("register_file_bytes", wanted.rfBytes, has.rfBytes);
        out.scratchpad(wanted.spmBanks == has.spmBanks && wanted.spmBankBytes == has.spmBankBytes
                           ? out.machine().scratchpadBytes()
                           : 2 * wanted.spmBanks * wanted.spmBankBytes);
        out.number("scratchpad_banks", wanted.spmBanks, has.spmBanks);
        out.number("dma.init_cycles", wanted.dmaInitCycles, has.dmaInitCycles);
        out.number("dma.cycles_per_byte", wanted.dmaCyclesPerByte, has.dmaCyclesPerByte);
        out.number("dma.mhz", wanted.dmaMhz, has.dmaMhz);
        if (wanted.arrayMhz != has.arrayMhz)
            out.number("clock_ghz", wanted.arrayMhz / 1000, out.machine().clockGhz);
        out.number("energy_pj.rf", wanted.energyPj.rf, has.energyPj.rf);
        out.number("energy_pj.noc", wanted.energyPj.noc, has.energyPj.noc);
        out.number("energy_pj.spm", wanted.energyPj.spm, has.energyPj.spm);
        out.number("energy_pj.dram", wanted.energyPj.dram, has.energyPj.dram);
        out.number("energy_pj.mac", wanted.energyPj.mac, has.energyPj.mac);
        out.optional("energy_pj.rf_write", wanted.energyPj.rfWrite, has.energyPj.rfWrite);
        out.optional("energy_pj.spm_write", wanted.energyPj.spmWrite, has.energyPj.spmWrite);
        out.optional("energy_pj.dram_write", wanted.energyPj.dramWrite, has.energyPj.dramWrite);
        out.number("energy_pj.leakage", wanted.energyPj.leakage, has.energyPj.leakage);
    }
    return out.taken();
}

} // namespace tilewright::lower
