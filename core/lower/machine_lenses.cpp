// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/machine_lenses.h"

#include "base/file.h"
#include "lower/array_work.h"

#include <algorithm>
#include <filesystem>

namespace tilewright::lower {

systolic::Hierarchy hierarchyOf(const Machine& m)
{
    systolic::Hierarchy h;
    h.name = m.name;
    h.frequencyGhz = m.clockGhz;
    h.elementBytes = m.elementBytes;
    h.array = {m.rows, m.cols};
    for (const MachineLevel level : kMachineLevels) {
        const Machine::Level& l = m.at(level);
        h.levels[static_cast<std::size_t>(level)] = {l.buffers, l.bytes, l.gbPerSecond};
    }
    return h;
}

systolic::Dataflow dataflowOf(const Machine& m)
{
    switch (m.dataflow) {
    case ArrayDataflow::Ws:
        return systolic::Dataflow::Ws;
    case ArrayDataflow::Is:
        return systolic::Dataflow::Is;
    case ArrayDataflow::Os:
        break;
    }
    return systolic::Dataflow::Os;
}

npu::NpuHardware npuHardwareOf(const Machine& m)
{
    npu::NpuHardware hw;
    hw.name = m.name;
    hw.cores = static_cast<int>(m.cores);
    hw.engineRows = m.rows;
    hw.engineCols = m.cols;
    hw.arrays = m.arrays;
    hw.fixed = fixedArrayOf(m);
    hw.vectorLanes = m.lanes;
    hw.clockGhz = m.clockGhz;
    hw.spmBytes = m.scratchpadBytes();
    hw.accumulatorBytes = static_cast<int>(m.accumulatorBytes);
    hw.passes = {static_cast<int>(m.passes.softmax), static_cast<int>(m.passes.layerNorm),
                 static_cast<int>(m.passes.rmsNorm), static_cast<int>(m.passes.elementwise)};
    hw.dram.channels = static_cast<int>(m.dram.channels);
    hw.dram.banks = static_cast<int>(m.dram.banks);
    // The simulator moves whole bytes per cycle; fieldsLeftOut() lists a fraction, checkHardware() refuses 0.
    const bool isSlow = m.bytesPerCycle(MachineLevel::External) < 1 - 1e-9 && !m.has("dram.bytes_per_cycle");
    hw.dram.bytesPerCycle = isSlow ? 0 : static_cast<std::int64_t>(m.dram.bytesPerCycle);
    hw.dram.burstBytes = m.dram.burstBytes;
    hw.dram.interleaveBytes = m.dram.interleaveBytes;
    hw.dram.rowBytes = m.dram.rowBytes;
    hw.dram.rowHitCycles = m.dram.pipelinedHits ? hw.dram.busCyclesPerBurst() : m.dram.rowHitCycles;
    hw.dram.rowMissCycles = m.dram.rowMissCycles;
    hw.dram.readLatencyCycles = m.dram.readLatencyCycles;
    hw.dram.writeLatencyCycles = m.dram.writeLatencyCycles;
    hw.dram.outstandingRequests = m.dram.outstandingRequests;
    hw.dram.requestBytes = m.dram.requestBytes;
    hw.dram.addressHash = m.dram.addressHash;
    if (const auto level = m.sharedLevel()) {
        const Machine::Level& of = m.at(*level);
        const auto wholeBytes = [&](double gbPerSecond) {
            return std::max<std::int64_t>(1, static_cast<std::int64_t>(gbPerSecond / m.clockGhz));
        };
        hw.shared = {of.totalBytes(), wholeBytes(of.gbPerSecond)};
        if (of.portsApart) {
            hw.shared.readBytesPerCycle = wholeBytes(of.readGbPerSecond);
            hw.shared.writeBytesPerCycle = wholeBytes(of.writeGbPerSecond);
        }
        hw.shared.multicast = of.multicast;
    }
    hw.linkBytesPerCycle = m.noc.linkBytesPerCycle;
    hw.trunkBytesPerCycle = m.noc.trunkBytesPerCycle;
    hw.coreToCore = m.noc.coreToCore;
    hw.energy = {m.energy.mac, m.energy.spm, m.energy.noc, m.energy.dram};
    return hw;
}

mapping::Architecture architectureOf(const Machine& m)
{
    mapping::Architecture a;
    a.name = m.name;
    a.pes = m.rows * m.cols;
    a.rfBytes = m.registerFileBytes;
    a.spmBanks = m.scratchpadBanks;
    a.spmBankBytes = m.scratchpadBytes() / 2 / m.scratchpadBanks;
    a.elementBytes = m.elementBytes;
    a.dmaInitCycles = m.dma.initCycles;
    a.dmaCyclesPerByte = m.dma.cyclesPerByte;
    a.dmaMhz = m.dma.mhz;
    a.arrayMhz = m.clockGhz * 1000;
    a.energyPj = {m.energy.rf, m.energy.noc, m.energy.spm, m.energy.dram, m.energy.mac};
    const auto write = [&](const char* path, double pj) {
        // Nullopt if not stated: writes then cost as much as reads.
        return m.has(path) ? std::optional(pj) : std::nullopt;
    };
    a.energyPj.rfWrite = write("energy_pj.rf_write", m.energy.rfWrite);
    a.energyPj.spmWrite = write("energy_pj.spm_write", m.energy.spmWrite);
    a.energyPj.dramWrite = write("energy_pj.dram_write", m.energy.dramWrite);
    a.energyPj.leakage = m.energy.leakage;
    return a;
}

Result<Machine> loadMachine(std::span<const std::string> filesOrNames)
{
    std::vector<MachineText> texts;
    for (const std::string& name : filesOrNames) {
        std::error_code ec; // for a file that exists but cannot be opened, readFile() reports the error
        if (std::filesystem::status(name, ec).type() == std::filesystem::file_type::not_found) {
            std::string known;
            for (const MachinePreset& preset : machinePresets()) {
                if (preset.name == name)
                    texts.push_back({std::string(preset.text), name});
                known += (known.empty() ? "" : ", ") + std::string(preset.name);
            }
            if (!texts.empty() && texts.back().file == name)
                continue;
            return Error{ErrorCode::Io, "is neither a file nor a preset; the presets are " + known, {}, name};
        }
        auto text = readFile(name);
        if (!text)
            return text.error();
        texts.push_back({std::move(*text), name});
    }
    return readMachines(texts);
}

} // namespace tilewright::lower
