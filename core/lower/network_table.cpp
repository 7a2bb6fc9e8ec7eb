// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/network_table.h"

#include "base/table.h"

#include <algorithm>
#include <cmath>

namespace tilewright::lower {

namespace {

Result<NetworkRow> rowOf(const GemmLayer& layer, const systolic::Hierarchy& h,
                         const systolic::TimingOptions& timing, const Machine::Energy& energy)
{
    if (Status s = systolic::checkGemm(layer.gemm); !s)
        return s.error();
    NetworkRow row;
    row.layer = layer;
    row.timing = systolic::arrayTiming(layer.gemm, h.array, timing);
    const auto roof = systolic::multiLevelRoofline(h, layer.gemm, timing);
    if (!roof)
        return roof.error();
    for (std::size_t i = 0; i < row.bytes.size(); ++i)
        row.bytes[i] = roof->points[i].bytes;
    row.binding = roof->binding;
    row.dram = systolic::dramClosedForm(systolic::dramQueryOf(h, layer.gemm, timing.dataflow));
    row.energyPj = arrayEnergy(layer.gemm, *roof, h.elementBytes, energy).total();
    const double perCycle = h.bytesPerCycle(systolic::Level::External);
    row.dramCycles =
        static_cast<std::int64_t>(std::ceil(std::min(9e18, static_cast<double>(row.bytes[3]) / perCycle)));
    row.boundCycles = std::max(row.timing.cycles, row.dramCycles);
    return row;
}

} // namespace

Result<NetworkTable> networkTable(const std::vector<GemmLayer>& layers, const systolic::Hierarchy& h,
                                  const systolic::TimingOptions& timing, const Machine::Energy& energy)
{
    NetworkTable out;
    double busy = 0;
    double used = 0;
    double folds = 0;
    for (const GemmLayer& layer : layers) {
        auto row = rowOf(layer, h, timing, energy);
        if (!row) {
            Error error = row.error();
            error.path = layer.operators.empty() ? error.path : layer.operators.front();
            return error;
        }
        const std::int64_t n = layer.count;
        NetworkRow& t = out.total;
        const auto add = [n](std::int64_t& sum, std::int64_t value) {
            sum = saturatingAdd(sum, saturatingMul(value, n));
        };
        add(t.timing.cycles, row->timing.cycles);
        add(t.timing.folds, row->timing.folds);
        add(t.dramCycles, row->dramCycles);
        add(t.boundCycles, row->boundCycles);
        for (std::size_t i = 0; i < t.bytes.size(); ++i)
            add(t.bytes[i], row->bytes[i]);
        add(out.macs, systolic::macs(layer.gemm));
        t.energyPj += static_cast<double>(n) * row->energyPj;
        busy += static_cast<double>(n) * row->timing.utilization * static_cast<double>(row->timing.cycles);
        used +=
            static_cast<double>(n) * row->timing.mappingEfficiency * static_cast<double>(row->timing.folds);
        folds += static_cast<double>(n) * static_cast<double>(row->timing.folds);
        out.rows.push_back(std::move(*row));
    }
    out.total.layer.operators = {"total"};
    out.total.layer.count = 0;
    for (const NetworkRow& row : out.rows)
        out.total.layer.count += row.layer.count;
    if (out.total.timing.cycles > 0)
        out.total.timing.utilization = busy / static_cast<double>(out.total.timing.cycles);
    out.total.timing.mappingEfficiency = folds > 0 ? used / folds : 0;
    out.total.binding = out.total.dramCycles > out.total.timing.cycles ? "dram" : "array";
    return out;
}

std::string networkCsv(const NetworkTable& table)
{
    Table out = tableOf("layer,m,n,k,count,cycles,utilization,mapping_efficiency,l1_bytes,l2_bytes,l3_bytes,"
                        "dram_bytes,dram_cycles,bound_cycles,binding,energy_pj");
    const auto add = [&](const NetworkRow& r, bool total) {
        std::string names;
        for (const std::string& name : r.layer.operators)
            names += (names.empty() ? "" : " ") + name;
        const auto size = [&](std::int64_t v) { return total ? TableValue() : TableValue(v); };
        out.add(names, size(r.layer.gemm.m), size(r.layer.gemm.n), size(r.layer.gemm.k), r.layer.count,
                r.timing.cycles, r.timing.utilization, r.timing.mappingEfficiency, r.bytes[0], r.bytes[1],
                r.bytes[2], r.bytes[3], r.dramCycles, r.boundCycles, r.binding, r.energyPj);
    };
    for (const NetworkRow& row : table.rows)
        add(row, false);
    add(table.total, true);
    return csvOf(out);
}

} // namespace tilewright::lower
