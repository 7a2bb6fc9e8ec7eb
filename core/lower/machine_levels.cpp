// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/machine_levels.h"

#include "base/text.h"
#include "lower/component_energy.h"
#include "model/machine_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tilewright::lower {

namespace {

using hierarchy::Axis;
using hierarchy::kOperands;
using hierarchy::Level;

constexpr std::size_t kInput = 0, kWeight = 1, kOutput = mapping::kWritten;

/// Allows the loops with these names on an axis, for convolutions and for products.
void takeLoops(Axis& axis, std::initializer_list<std::string_view> names)
{
    axis.convLoops = axis.gemmLoops = 0;
    for (const std::string_view name : names) {
        for (std::size_t l = 0; l < mapping::kConvLoops.size(); ++l)
            axis.convLoops |= mapping::kConvLoops[l] == name ? 1u << l : 0u;
        for (std::size_t l = 0; l < mapping::kGemmLoops.size(); ++l)
            axis.gemmLoops |= mapping::kGemmLoops[l] == name ? 1u << l : 0u;
    }
}

/// The loop of a product that corresponds to a loop of a convolution: X, Y and K correspond to its pixels,
/// its filters and its channels.
std::string_view inProduct(std::string_view loop)
{
    return loop == "M" ? "Y" : loop == "C" ? "K" : loop == "Ox" ? "X" : "";
}

Axis axisOf(const char* name, std::int64_t size)
{
    Axis out;
    out.name = name;
    out.size = size;
    return out;
}

class Converter
{
public:
    explicit Converter(const Machine& machine) : m(machine)
    {
        const auto bits = static_cast<double>(8 * m.elementBytes);
        m_rate = m.macsPerCycle(bits, bits);
    }

    Result<MachineLevels> run()
    {
        a.name = m.name;
        a.clockGhz = m.clockGhz * m_rate;
        a.bits.fill(8 * m.elementBytes);
        a.accumulatorBits = 8 * m.accumulatorBytes;
        a.macPj = m.has("energy_pj.mac")
                      ? m.energy.mac
                      : assumed("a multiplication", macPj(8 * m.elementBytes, m.technologyNm));
        addMemories();
        addArray();
        if (a.levels.size() > hierarchy::kMaxLevels)
            return Error{ErrorCode::Refused, "has more levels than the Mapping lens takes", {}, m.name};
        if (Status s = checkArchitecture(a); !s)
            return s.error();
        addNotes();
        return std::move(out);
    }

private:
    double assumed(const std::string& what, double pj)
    {
        m_assumedEnergies.push_back(what);
        return pj;
    }

    [[nodiscard]] double perElement(double pj) const { return pj / static_cast<double>(8 * m.elementBytes); }

    /// Sets the rates of a level in bytes per cycle of the array.
    void setRates(Level& level, const Machine::Level& of) const
    {
        level.readBytesPerCycle = (of.portsApart ? of.readGbPerSecond : of.gbPerSecond) / a.clockGhz;
        level.writeBytesPerCycle = (of.portsApart ? of.writeGbPerSecond : of.gbPerSecond) / a.clockGhz;
    }

    void setSramEnergy(Level& level, std::int64_t bytes)
    {
        level.readPj = level.writePj = assumed(level.name, sramPjPerBit(bytes, m.technologyNm));
    }

    /// Adds the external memory and the levels of the machine: first those of all cores, then those of one
    /// core.
    void addMemories()
    {
        Level& external = a.levels.emplace_back();
        external.name = "external";
        setRates(external, m.at(MachineLevel::External));
        external.multicast = false;
        if (m.has("energy_pj.dram")) {
            external.readPj = perElement(m.energy.dram);
            external.writePj = perElement(m.energy.dramWrite);
        } else {
            external.readPj = external.writePj =
                assumed(external.name, dramPjPerBit(m.at(MachineLevel::External).gbPerSecond));
        }
        for (const bool shared : {true, false}) {
            for (const MachineLevel level : {MachineLevel::L3, MachineLevel::L2, MachineLevel::L1})
                if (m.hasLevel(level) && m.at(level).shared == shared)
                    addMemory(level);
            if (shared && m.cores > 1)
                a.levels.back().axes.push_back(axisOf("cores", m.cores));
        }
    }

    void addMemory(MachineLevel at)
    {
        const Machine::Level& of = m.at(at);
        Level& level = a.levels.emplace_back();
        level.name = toString(at);
        setRates(level, of);
        level.multicast = !of.shared || of.multicast;
        if (at == m.scratchpad && m.has("energy_pj.spm")) {
            level.readPj = perElement(m.energy.spm);
            level.writePj = perElement(m.energy.spmWrite);
        } else {
            setSramEnergy(level, of.totalBytes());
        }
        if (!of.hasMemories()) {
            level.bytes = of.totalBytes();
            return;
        }
        // Partial sums go to accumulators beside the array, which are as fast as the array.
        level.memories.emplace();
        level.holds[kOutput] = false;
        for (const std::size_t op : {kInput, kWeight})
            (*level.memories)[op] = of.buffers * of.memories[op];
        m_accumulators = of.buffers * of.memories[kOutput];
    }

    /// True if each PE has a register file for partial sums.
    [[nodiscard]] bool addsInPes() const
    {
        if (m.has("register_file_bytes"))
            return true;
        if (m.registerFiles[0] > 0)
            return m.registerFiles[kOutput] > 0;
        return m.kind == ArrayKind::Systolic && m.dataflow == ArrayDataflow::Os;
    }

    void addArray()
    {
        if (m.arrays > 1)
            a.levels.back().axes.push_back(axisOf("arrays", m.arrays));
        if (m_accumulators > 0 || !addsInPes())
            addAccumulators();
        Level& outside = a.levels.back();
        outside.multicast = true;
        outside.reductionTree = m.kind != ArrayKind::Systolic || m.dataflow != ArrayDataflow::Os;
        Axis rows = axisOf("rows", m.rows), cols = axisOf("cols", m.cols);
        if (m.kind == ArrayKind::Spatial) {
            takeFixed(rows, m.rowLoops);
            takeFixed(cols, m.colLoops);
        } else if (m.kind == ArrayKind::DotProduct) {
            takeLoops(rows, {"C", "K"});
            takeLoops(cols, {"M", "Y"});
        } else {
            takeDataflow(rows, cols);
        }
        outside.axes.push_back(rows);
        outside.axes.push_back(cols);
        addPes();
    }

    static void takeFixed(Axis& axis, const std::vector<std::string>& loops)
    {
        Axis all = axis;
        all.convLoops = all.gemmLoops = 0;
        for (const std::string& loop : loops) {
            takeLoops(axis, {loop, inProduct(loop)});
            all.convLoops |= axis.convLoops;
            all.gemmLoops |= axis.gemmLoops;
        }
        axis = all;
    }

    void takeDataflow(Axis& rows, Axis& cols) const
    {
        switch (m.dataflow) {
        case ArrayDataflow::Os:
            takeLoops(rows, {"N", "Ox", "Oy", "X"});
            takeLoops(cols, {"M", "Y"});
            break;
        case ArrayDataflow::Ws:
            takeLoops(rows, {"C", "Fx", "Fy", "K"});
            takeLoops(cols, {"M", "Y"});
            break;
        case ArrayDataflow::Is:
            takeLoops(rows, {"C", "Fx", "Fy", "K"});
            takeLoops(cols, {"N", "Ox", "Oy", "X"});
            break;
        }
    }

    void addAccumulators()
    {
        Level& level = a.levels.emplace_back();
        level.name = "accumulators";
        level.holds = {false, false, true};
        level.bytes = m_accumulators;
        if (m_accumulators == 0) {
            level.bytes = 2 * m.pes() * m.accumulatorBytes;
            out.notes.push_back("assumed: accumulators beside each array for twice " +
                                formatGrouped(m.pes()) + " sums");
        }
        setSramEnergy(level, *level.bytes);
    }

    /// Adds the register files of a PE; if there are none, a register for the operand that stays in the
    /// array.
    void addPes()
    {
        Level level;
        level.name = "pe";
        std::int64_t bytes = m.registerFileBytes;
        if (m.registerFiles[0] > 0) {
            level.memories = m.registerFiles;
            bytes = m.registerFiles[0] + m.registerFiles[1] + m.registerFiles[2];
            for (std::size_t op = 0; op < kOperands; ++op)
                level.holds[op] = m.registerFiles[op] > 0;
        } else if (m.has("register_file_bytes")) {
            level.bytes = bytes;
        } else {
            const bool isSystolic = m.kind == ArrayKind::Systolic;
            const std::size_t stays = isSystolic && m.dataflow == ArrayDataflow::Os   ? kOutput
                                      : isSystolic && m.dataflow == ArrayDataflow::Is ? kInput
                                                                                      : kWeight;
            level.holds = {stays == kInput, stays == kWeight, stays == kOutput};
            level.bytes = bytes = stays == kOutput ? m.accumulatorBytes : m.elementBytes;
            if (!isSystolic)
                out.notes.emplace_back("assumed: a register for one weight in each PE");
        }
        if (m.has("energy_pj.rf")) {
            level.readPj = perElement(m.energy.rf);
            level.writePj = perElement(m.energy.rfWrite);
        } else {
            setSramEnergy(level, bytes);
        }
        a.levels.push_back(std::move(level));
    }

    void addNotes()
    {
        if (!m_assumedEnergies.empty()) {
            std::string text = "assumed: energies of ";
            for (std::size_t i = 0; i < m_assumedEnergies.size(); ++i)
                text.append(i == 0                             ? ""
                            : i + 1 < m_assumedEnergies.size() ? ", "
                                                               : " and ")
                    .append(m_assumedEnergies[i]);
            out.notes.push_back(text + ", for " + formatGrouped(m.technologyNm) + " nm" +
                                (m.has("technology_nm") ? "" : ", which is assumed too"));
        }
        if (m_rate != 1)
            out.notes.push_back("a cycle is one multiplication of a PE: the clock is " +
                                formatGrouped(a.clockGhz) + " GHz instead of " + formatGrouped(m.clockGhz));
        if (std::string text = leftOutText(m, MachineLens::Mapping, isOfLevels); !text.empty())
            out.notes.push_back(std::move(text));
    }

    const Machine& m;
    MachineLevels out;
    hierarchy::Architecture& a = out.architecture;
    double m_rate = 1;
    std::int64_t m_accumulators = 0; ///< bytes of the accumulators of a core; 0: not stated
    std::vector<std::string> m_assumedEnergies;
};

} // namespace

Result<MachineLevels> levelsOf(const Machine& machine)
{
    return Converter(machine).run();
}

} // namespace tilewright::lower
