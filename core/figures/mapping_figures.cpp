// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/mapping_figures.h"

#include <array>
#include <string>
#include <utility>

namespace tilewright::figures {

namespace {

using Value = std::optional<ExplainedValue>;
using mapping::CycleParts;
using mapping::EnergyParts;
using mapping::MappingCost;
using mapping::OperandReport;

constexpr const char* kData = "docs/rules/mapping.md 3";
constexpr const char* kCycles = "docs/rules/mapping.md 4";
constexpr const char* kEnergy = "docs/rules/mapping.md 5";

std::string operandName(const MappingSubject& s, std::size_t operand)
{
    return std::string(s.nest.operands[operand].name);
}

// Figures of the layer ------------------------------------------------------------------------------

Value energy(const MappingSubject& s, std::size_t)
{
    const EnergyParts& e = s.cost.energyParts;
    std::vector<ExplainedValue> parts{figureLeaf("multiply-accumulates", "pJ", e.mac, "energy_parts.mac"),
                                      figureLeaf("register files", "pJ", e.rf, "energy_parts.rf"),
                                      figureLeaf("network", "pJ", e.noc, "energy_parts.noc"),
                                      figureLeaf("scratchpad", "pJ", e.spm, "energy_parts.spm"),
                                      figureLeaf("DRAM", "pJ", e.dram, "energy_parts.dram")};
    if (e.leakage > 0)
        parts.push_back(figureLeaf("leakage", "pJ", e.leakage, "energy_parts.leakage"));
    return combined(Operation::Sum, "energy", "pJ", std::move(parts), kEnergy);
}

Value cycles(const MappingSubject& s, std::size_t)
{
    const CycleParts& c = s.cost.cycleParts;
    const auto part = [](const char* name, std::int64_t value, const char* address) {
        return figureLeaf(name, "cycles", static_cast<double>(value), std::string("cycle_parts.") + address);
    };
    return combined(Operation::Sum, "cycles", "cycles",
                    {part("compute", c.compute, "compute"),
                     part("distribution", c.distribution, "distribution"),
                     part("reduction", c.reduction, "reduction"), part("drain", c.drain, "drain"),
                     part("DMA", c.dma, "dma")},
                    kCycles);
}

Value edp(const MappingSubject& s, std::size_t)
{
    return combined(Operation::Product, "energy-delay product", "pJ x cycles",
                    {figureLeaf("energy", "pJ", s.cost.energy, "energy"),
                     figureLeaf("cycles", "cycles", static_cast<double>(s.cost.cycles), "cycles")});
}

/// The energy of one cause: the parts of the operands, and the part that belongs to none of them.
template <double EnergyParts::*part> Value causeOf(const MappingSubject& s, std::size_t)
{
    constexpr const char* kField = part == &EnergyParts::mac   ? "mac"
                                   : part == &EnergyParts::rf  ? "rf"
                                   : part == &EnergyParts::noc ? "noc"
                                   : part == &EnergyParts::spm ? "spm"
                                                               : "dram";
    std::vector<ExplainedValue> parts;
    double ofOperands = 0;
    for (std::size_t o = 0; o < mapping::kOperands; ++o) {
        const double value = s.cost.operands[o].energy.*part;
        ofOperands += value;
        parts.push_back(figureLeaf(operandName(s, o), "pJ", value,
                                   "energy_by_operand." + std::to_string(o) + "." + kField));
    }
    if (const double rest = s.cost.energyParts.*part - ofOperands; rest > 1e-9 * s.cost.energy) {
        if (part == &EnergyParts::mac && s.macEnergy > 0)
            parts.push_back(combined(Operation::Product, "multiply-accumulates of the layer", "pJ",
                                     {leaf("multiply-accumulates", "", rest / s.macEnergy, "the layer"),
                                      leaf("energy of one", "pJ", s.macEnergy, "the architecture, mac")}));
        else
            parts.push_back(leaf("of no operand", "pJ", rest, "counts of the method", kEnergy));
    }
    return combined(Operation::Sum, "energy of this cause", "pJ", std::move(parts), kEnergy);
}
Value leakage(const MappingSubject& s, std::size_t)
{
    if (s.cost.energyParts.leakage <= 0)
        return {};
    return combined(
        Operation::Product, "leakage", "pJ",
        {figureLeaf("cycles", "cycles", static_cast<double>(s.cost.cycles), "cycles"),
         leaf("leakage in a cycle", "pJ a cycle",
              s.cost.energyParts.leakage / static_cast<double>(s.cost.cycles), "the architecture, leakage")},
        kEnergy);
}

template <auto field> Value cyclesOfCause(const MappingSubject& s, std::size_t)
{
    return leaf("cycles of this cause", "cycles", static_cast<double>(s.cost.cycleParts.*field),
                "passes of the layer, in closed form", kCycles);
}
template <auto field> Value count(const MappingSubject& s, std::size_t)
{
    return leaf("count", "", static_cast<double>(s.cost.*field), "factors and order of the method", kData);
}
template <auto field> Value cyclesOfPass(const MappingSubject& s, std::size_t)
{
    return leaf("cycles", "cycles", static_cast<double>(s.cost.*field), "one pass, in closed form", kCycles);
}

// Figures of operands -------------------------------------------------------------------------------

template <auto field> Value elementsOf(const MappingSubject& s, std::size_t operand)
{
    return leaf(operandName(s, operand), "elements", static_cast<double>(s.cost.operands[operand].*field),
                "factors of the method", kData);
}
template <auto field> Value timesOf(const MappingSubject& s, std::size_t operand)
{
    return leaf(operandName(s, operand), "", static_cast<double>(s.cost.operands[operand].*field),
                "innermost loops that do not index it", kData);
}
template <auto field> Value cyclesOf(const MappingSubject& s, std::size_t operand)
{
    return leaf(operandName(s, operand), "cycles", static_cast<double>(s.cost.operands[operand].*field),
                "counts of the method, in closed form", kCycles);
}
template <double EnergyParts::*part> Value energyOfOperand(const MappingSubject& s, std::size_t operand)
{
    return leaf(operandName(s, operand), "pJ", s.cost.operands[operand].energy.*part,
                "its accesses times their energy", kEnergy);
}
Value leakageOfOperand(const MappingSubject& s, std::size_t operand)
{
    return s.cost.operands[operand].energy.leakage > 0 ? energyOfOperand<&EnergyParts::leakage>(s, operand)
                                                       : Value();
}

using MethodKind = KindIn<MappingSubject>;
const std::array kMethodKinds{
    MethodKind{{"energy", "energy of the layer",
                "Multiply-accumulates and all accesses of register files, network, scratchpad and DRAM.",
                "Static power, unless the architecture states a leakage.",
                "Timeloop: energy. ZigZag: energy."},
               energy},
    MethodKind{{"cycles", "cycles of the layer",
                "The time in which PEs compute, and the cycles that are not hidden behind it.", "",
                "Timeloop: cycles, which hide all transfers. ZigZag: latency."},
               cycles},
    MethodKind{{"edp", "energy-delay product", "Energy times cycles."}, edp},
    MethodKind{{"energy_parts.mac", "energy of multiply-accumulates",
                "Multiply-accumulates of the layer, and sums over PEs."},
               causeOf<&EnergyParts::mac>},
    MethodKind{
        {"energy_parts.rf", "energy of the register files", "Accesses to the register files of all PEs."},
        causeOf<&EnergyParts::rf>},
    MethodKind{{"energy_parts.noc", "energy of the network", "Elements that go to PEs and come from them."},
               causeOf<&EnergyParts::noc>},
    MethodKind{{"energy_parts.spm", "energy of the scratchpad", "Accesses to the scratchpad."},
               causeOf<&EnergyParts::spm>},
    MethodKind{{"energy_parts.dram", "energy of DRAM", "Elements read and written."},
               causeOf<&EnergyParts::dram>},
    MethodKind{{"energy_parts.leakage", "leakage", "Leakage over the cycles of the layer."}, leakage},
    MethodKind{
        {"cycle_parts.compute", "cycles of the busy PEs", "Multiply-accumulates of one PE after another."},
        cyclesOfCause<&CycleParts::compute>},
    MethodKind{{"cycle_parts.distribution", "cycles of distribution",
                "Sending operands to the PEs while no PE computes."},
               cyclesOfCause<&CycleParts::distribution>},
    MethodKind{{"cycle_parts.reduction", "cycles of reduction", "Adding partial results of several PEs."},
               cyclesOfCause<&CycleParts::reduction>},
    MethodKind{{"cycle_parts.drain", "cycles of drain",
                "The pass for which a finished result waits before it leaves the array."},
               cyclesOfCause<&CycleParts::drain>},
    MethodKind{{"cycle_parts.dma", "cycles of DMA", "Transfers of DRAM that are not hidden."},
               cyclesOfCause<&CycleParts::dma>},
    MethodKind{{"spm_passes", "scratchpad passes", "Contents of the scratchpad, one after another."},
               count<&MappingCost::spmPasses>},
    MethodKind{{"rf_passes", "array passes", "Contents of the register files in one scratchpad pass."},
               count<&MappingCost::rfPasses>},
    MethodKind{{"spm_pass_cycles", "cycles of a scratchpad pass",
                "Cycles of the array passes of one scratchpad pass, without waits for DRAM."},
               cyclesOfPass<&MappingCost::spmPassCycles>},
    MethodKind{{"rf_pass_cycles", "cycles of an array pass", "Its work on the array, alone."},
               cyclesOfPass<&MappingCost::rfPassCycles>},
    MethodKind{
        {"reduction_cycles", "cycles of the reduction of an array pass", "Over PEs that share a result."},
        cyclesOfPass<&MappingCost::reductionCycles>},
    MethodKind{{"tiles.spm", "tiles of the scratchpad", "Over the whole layer."},
               count<&MappingCost::spmTiles>},
    MethodKind{{"tiles.array", "array passes of the layer", "Over the whole layer."},
               count<&MappingCost::arrayPasses>},
    MethodKind{{"tiles.pe", "tiles of register files", "Number of tiles over all PEs and passes."},
               count<&MappingCost::peTiles>},
    MethodKind{{"fill.pes", "PEs in use", "The product of the spatial factors."},
               count<&MappingCost::pesUsed>},
    MethodKind{{"fill.rf_elements", "elements in a register file", "Elements of all operands in one PE."},
               count<&MappingCost::rfElementsUsed>},
    MethodKind{{"fill.spm_banks", "banks of the scratchpad in use", "Banks of all operands together."},
               count<&MappingCost::spmBanksUsed>},
    MethodKind{{"data.rf.*", "elements of an operand in a register file", "Elements of its tile in one PE."},
               elementsOf<&OperandReport::dataRf>},
    MethodKind{{"data.array.*", "elements of an operand in the array",
                "Elements of its tile over all PEs in use, each counted once."},
               elementsOf<&OperandReport::dataArray>},
    MethodKind{
        {"data.spm.*", "elements of an operand in the scratchpad", "Elements of its tile in the scratchpad."},
        elementsOf<&OperandReport::dataSpm>},
    MethodKind{{"reuse.spm.*", "reuse in the scratchpad", "Array passes for which a tile stays in the PEs."},
               timesOf<&OperandReport::reuseSpm>},
    MethodKind{
        {"reuse.dram.*", "reuse at DRAM", "Scratchpad passes for which a tile stays in the scratchpad."},
        timesOf<&OperandReport::reuseDram>},
    MethodKind{{"dma.*.bursts", "bursts of a tile", "Runs of contiguous elements in DRAM."},
               timesOf<&OperandReport::bursts>},
    MethodKind{{"dma.*.burst_elements", "elements of a burst", "Contiguous elements in DRAM."},
               elementsOf<&OperandReport::burstElements>},
    MethodKind{{"dma.*.cycles", "cycles of DMA of a tile", "One scratchpad tile of the operand."},
               cyclesOf<&OperandReport::dmaCycles>},
    MethodKind{{"network_cycles.*", "busy cycles of the network", "Over the whole layer, hidden or not."},
               cyclesOf<&OperandReport::networkCycles>},
    MethodKind{{"dma_cycles.*", "busy cycles of the DMA", "Over the whole layer, hidden or not."},
               cyclesOf<&OperandReport::dmaBusyCycles>},
    MethodKind{{"energy_by_operand.*.mac", "energy of the sums of PEs", "Energy for one operand."},
               energyOfOperand<&EnergyParts::mac>},
    MethodKind{{"energy_by_operand.*.rf", "energy of register files", "Energy for one operand."},
               energyOfOperand<&EnergyParts::rf>},
    MethodKind{{"energy_by_operand.*.noc", "energy of the network", "Energy for one operand."},
               energyOfOperand<&EnergyParts::noc>},
    MethodKind{{"energy_by_operand.*.spm", "energy of the scratchpad", "Energy for one operand."},
               energyOfOperand<&EnergyParts::spm>},
    MethodKind{{"energy_by_operand.*.dram", "energy of DRAM", "Energy for one operand."},
               energyOfOperand<&EnergyParts::dram>},
    MethodKind{{"energy_by_operand.*.leakage", "leakage of an operand", "Its part."}, leakageOfOperand},
};

} // namespace

Figures mappingFigures(MappingSubject subject)
{
    std::vector<std::string> operands;
    for (std::size_t o = 0; o < mapping::kOperands; ++o)
        operands.push_back(operandName(subject, o));
    std::vector<FigureGroup> groups;
    for (const char* const name : {"data.rf", "data.array", "data.spm", "reuse.spm", "reuse.dram", "dma",
                                   "network_cycles", "dma_cycles", "energy_by_operand"})
        groups.push_back({name, operands});
    return figuresBy<MappingSubject>(kMethodKinds, std::move(groups), std::move(subject));
}

} // namespace tilewright::figures
