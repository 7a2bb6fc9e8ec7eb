// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "mapping/report.h"

namespace tilewright::mapping {

namespace {

constexpr std::array<const char*, kOperands> kRoles{"input", "weight", "output"};
constexpr std::array<const char*, 4> kMemories{"rf", "noc", "spm", "dram"};

double memoryPj(const EnergyParts& e, std::size_t memory)
{
    return std::array{e.rf, e.noc, e.spm, e.dram}[memory];
}

/// Columns of the breakdown of a method: cycles by cause, busy cycles, and energy by level and operand.
std::string breakdownHeader()
{
    std::string out = ",cycles_compute,cycles_distribution,cycles_reduction,cycles_drain,cycles_dma";
    for (const char* busy : {"network_cycles_", "dma_cycles_"})
        for (const char* role : kRoles)
            out += std::string(",") + busy + role;
    out += ",mac_pj,reduction_mac_pj";
    for (const char* memory : kMemories)
        for (const char* role : kRoles)
            out += std::string(",") + memory + "_pj_" + role;
    return out + ",leakage_pj\n";
}

std::string breakdown(const MappingCost& e)
{
    std::string out;
    for (const std::int64_t v : {e.cycleParts.compute, e.cycleParts.distribution, e.cycleParts.reduction,
                                 e.cycleParts.drain, e.cycleParts.dma})
        out += "," + std::to_string(v);
    for (const auto busy : {&OperandReport::networkCycles, &OperandReport::dmaBusyCycles})
        for (const OperandReport& o : e.operands)
            out += "," + std::to_string(o.*busy);
    const double added = e.operands[kWritten].energy.mac;
    out += "," + formatNumber(e.energyParts.mac - added) + "," + formatNumber(added);
    for (std::size_t memory = 0; memory < kMemories.size(); ++memory)
        for (const OperandReport& o : e.operands)
            out += "," + formatNumber(memoryPj(o.energy, memory));
    return out + "," + formatNumber(e.energyParts.leakage) + "\n";
}

std::string header()
{
    return "layer,shape,count,macs,proven,objective,energy_pj,cycles,edp" + breakdownHeader();
}

/// Empty fields for all columns of the breakdown.
std::string noBreakdown()
{
    const std::string names = breakdownHeader();
    return std::string(static_cast<std::size_t>(std::count(names.begin(), names.end(), ',')), ',') + "\n";
}

std::string rowStart(const Layer& layer, const LoopNest& nest, const std::string& proven,
                     const std::string& objective)
{
    return csvField(layer.name) + "," + csvField(describe(layer)) + "," + std::to_string(layer.count) + "," +
           std::to_string(nest.macs) + "," + proven + "," + objective;
}

std::string rows(const Layer& layer, const LoopNest& nest, const Architecture& architecture,
                 const SearchResult& result)
{
    std::string out;
    for (std::size_t o = 0; o < kObjectives; ++o) {
        out += rowStart(layer, nest, result.proven ? "yes" : "no",
                        std::string(objectiveName(static_cast<Objective>(o))));
        if (const auto& best = result.best[o])
            out += "," + formatNumber(best->energy) + "," + std::to_string(best->cycles) + "," +
                   formatNumber(best->edp) + breakdown(evaluate(nest, architecture, best->method));
        else
            out += ",,," + noBreakdown();
    }
    return out;
}

} // namespace

std::string modelCsv(const ModelResult& result)
{
    std::string out = header();
    for (const LayerResult& l : result.layers)
        out += rows(l.layer, l.nest, result.architecture, l.search);
    for (std::size_t o = 0; o < kObjectives; ++o) {
        const ModelTotals& t = result.totals[o];
        out += "total,,,,," + std::string(objectiveName(static_cast<Objective>(o))) + "," +
               formatNumber(t.energy) + "," + formatNumber(t.cycles) + "," + formatNumber(t.edp) +
               noBreakdown();
    }
    return out;
}

std::string layerCsv(const Layer& layer, const LoopNest& nest, const Architecture& architecture,
                     const SearchResult& result)
{
    return header() + rows(layer, nest, architecture, result);
}

std::string methodCsv(const Layer& layer, const LoopNest& nest, const MappingCost& evaluation)
{
    return header() + rowStart(layer, nest, "", "") + "," + formatNumber(evaluation.energy) + "," +
           std::to_string(evaluation.cycles) + "," + formatNumber(evaluation.edp) + breakdown(evaluation);
}

} // namespace tilewright::mapping
