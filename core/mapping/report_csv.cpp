// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/table.h"
#include "mapping/report.h"

namespace tilewright::mapping {

namespace {

constexpr std::array<const char*, kOperands> kRoles{"input", "weight", "output"};
constexpr std::array<const char*, 4> kMemories{"rf", "noc", "spm", "dram"};

double memoryPj(const EnergyParts& e, std::size_t memory)
{
    return std::array{e.rf, e.noc, e.spm, e.dram}[memory];
}

/// Returns a table without rows. Its columns describe the layer, the parts of its cycles, and the busy cycles
/// and energy of each level and operand.
Table tableOfMethods()
{
    Table out = tableOf("layer,shape,count,macs,proven,objective,energy_pj,cycles,edp,cycles_compute,"
                        "cycles_distribution,cycles_reduction,cycles_drain,cycles_dma");
    const auto byOperand = [&out](const std::string& what) {
        for (const char* role : kRoles)
            out.columns.push_back({what + role});
    };
    byOperand("network_cycles_");
    byOperand("dma_cycles_");
    out.columns.push_back({"mac_pj"});
    out.columns.push_back({"reduction_mac_pj"});
    for (const char* memory : kMemories)
        byOperand(std::string(memory) + "_pj_");
    out.columns.push_back({"leakage_pj"});
    return out;
}

void addRow(Table& table, const MappingCost* cost, const auto&... cells)
{
    table.add(cells...);
    std::vector<TableCell>& row = table.rows.back();
    if (cost) {
        const auto& [compute, distribution, reduction, drain, dma] = cost->cycleParts;
        row.insert(row.end(), {compute, distribution, reduction, drain, dma});
        for (const auto busy : {&OperandReport::networkCycles, &OperandReport::dmaBusyCycles})
            for (const OperandReport& o : cost->operands)
                row.emplace_back(o.*busy);
        const double added = cost->operands[kWritten].energy.mac;
        row.insert(row.end(), {cost->energyParts.mac - added, added});
        for (std::size_t memory = 0; memory < kMemories.size(); ++memory)
            for (const OperandReport& o : cost->operands)
                row.emplace_back(memoryPj(o.energy, memory));
        row.emplace_back(cost->energyParts.leakage);
    }
    row.resize(table.columns.size(), "");
}

void addRows(Table& table, const Layer& layer, const LoopNest& nest, const Architecture& architecture,
             const SearchResult& result)
{
    for (std::size_t o = 0; o < kObjectives; ++o) {
        const auto add = [&](const MappingCost* cost, const auto&... figures) {
            addRow(table, cost, layer.name, describe(layer), layer.count, nest.macs,
                   result.proven ? "yes" : "no", objectiveName(static_cast<Objective>(o)), figures...);
        };
        if (const auto& best = result.best[o]) {
            const MappingCost cost = evaluate(nest, architecture, best->method);
            add(&cost, best->energy, best->cycles, best->edp);
        } else {
            add(nullptr);
        }
    }
}

} // namespace

std::string modelCsv(const ModelResult& result)
{
    Table out = tableOfMethods();
    for (const LayerResult& l : result.layers)
        addRows(out, l.layer, l.nest, result.architecture, l.search);
    for (std::size_t o = 0; o < kObjectives; ++o) {
        const ModelTotals& t = result.totals[o];
        addRow(out, nullptr, "total", "", "", "", "", objectiveName(static_cast<Objective>(o)), t.energy,
               t.cycles, t.edp);
    }
    return csvOf(out);
}

std::string layerCsv(const Layer& layer, const LoopNest& nest, const Architecture& architecture,
                     const SearchResult& result)
{
    Table out = tableOfMethods();
    addRows(out, layer, nest, architecture, result);
    return csvOf(out);
}

std::string methodCsv(const Layer& layer, const LoopNest& nest, const MappingCost& evaluation)
{
    Table out = tableOfMethods();
    addRow(out, &evaluation, layer.name, describe(layer), layer.count, nest.macs, "", "", evaluation.energy,
           evaluation.cycles, evaluation.edp);
    return csvOf(out);
}

} // namespace tilewright::mapping
