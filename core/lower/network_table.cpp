// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/network_table.h"

#include "base/integer.h"
#include "base/table.h"
#include "lower/array_work.h"

#include <algorithm>
#include <cmath>

namespace tilewright::lower {

namespace {

double idlePes(const systolic::ArrayShape& array, const systolic::ArrayTiming& timing)
{
    return static_cast<double>(array.rows) * static_cast<double>(array.cols) * (1 - timing.mappingEfficiency);
}

} // namespace

ArrayEnergy arrayEnergy(const systolic::Gemm& gemm, const systolic::Roofline& roofline,
                        std::int64_t elementBytes, const Machine::Energy& table) noexcept
{
    const auto elements = [&](std::size_t point) {
        return static_cast<double>(roofline.points[point].bytes) / static_cast<double>(elementBytes);
    };
    const auto macs = static_cast<double>(systolic::macs(gemm));
    ArrayEnergy e;
    e.mac = macs * table.mac;
    e.rf = macs * 3 * table.rf; // register file accesses of both operands and the sum
    e.noc = elements(0) * table.noc;
    e.spm = (elements(1) + elements(2)) * table.spm;
    e.dram = elements(3) * table.dram;
    return e;
}

ArrayPadding paddingOf(const GemmLayer& layer, const systolic::ArrayShape& array, systolic::Dataflow dataflow,
                       const systolic::ArrayTiming& timing)
{
    const systolic::Gemm& g = layer.gemm;
    ArrayPadding out;
    out.idlePes = idlePes(array, timing);
    if (layer.use.fixedCycles) {
        const std::int64_t pes = saturatingMul(saturatingMul(array.rows, array.cols), layer.use.arrays);
        out.macs = saturatingMul(pes, *layer.use.fixedCycles) - systolic::macs(g);
        return out;
    }
    const systolic::Gemm whole = systolic::wholeFolds(g, array, dataflow);
    out.added = systolic::Gemm{whole.m - g.m, whole.n - g.n, whole.k - g.k};
    out.macs = systolic::paddedMacs(g, array, dataflow);
    return out;
}

namespace {

Result<NetworkRow> rowOf(const GemmLayer& layer, const systolic::Hierarchy& h,
                         const systolic::TimingOptions& timing, const Machine::Energy& energy)
{
    if (Status s = systolic::checkGemm(layer.gemm); !s)
        return s.error();
    NetworkRow row;
    row.layer = layer;
    row.timing = timingOf(layer, h.array, timing);
    row.padding = paddingOf(layer, h.array, timing.dataflow, row.timing);
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
    if (!layer.use.isPlain()) { // programs and roofs of the levels are only computed for one systolic array
        row.binding = row.dramCycles > row.timing.cycles ? "dram" : "array";
        row.leastCycles = row.boundCycles;
        return row;
    }
    row.leastCycles =
        systolic::leastCycles(h, systolic::programOptionsOf(h, layer.gemm, timing)).value_or(row.boundCycles);
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
    out.total.padding.added = systolic::Gemm{0, 0, 0};
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
        add(t.padding.macs, row->padding.macs);
        if (!row->padding.added)
            t.padding.added.reset();
        if (t.padding.added) {
            add(t.padding.added->m, row->padding.added->m);
            add(t.padding.added->n, row->padding.added->n);
            add(t.padding.added->k, row->padding.added->k);
        }
        add(t.dramCycles, row->dramCycles);
        add(t.boundCycles, row->boundCycles);
        add(t.leastCycles, row->leastCycles);
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
    out.total.padding.idlePes = idlePes(h.array, out.total.timing);
    out.total.binding = out.total.dramCycles > out.total.timing.cycles ? "dram" : "array";
    return out;
}

std::string networkCsv(const NetworkTable& table)
{
    Table out = tableOf("layer,m,n,k,count,cycles,utilization,mapping_efficiency,l1_bytes,l2_bytes,l3_bytes,"
                        "dram_bytes,dram_cycles,bound_cycles,binding,energy_pj,m_padding,n_padding,k_padding,"
                        "padding_macs,idle_pes");
    const auto add = [&](const NetworkRow& r, bool total) {
        std::string names;
        for (const std::string& name : r.layer.operators)
            names += (names.empty() ? "" : " ") + name;
        const auto size = [&](std::int64_t v) { return total ? TableValue() : TableValue(v); };
        const auto added = [&](std::int64_t systolic::Gemm::*extent) {
            return r.padding.added ? TableValue((*r.padding.added).*extent) : TableValue();
        };
        out.add(names, size(r.layer.gemm.m), size(r.layer.gemm.n), size(r.layer.gemm.k), r.layer.count,
                r.timing.cycles, r.timing.utilization, r.timing.mappingEfficiency, r.bytes[0], r.bytes[1],
                r.bytes[2], r.bytes[3], r.dramCycles, r.boundCycles, r.binding, r.energyPj,
                added(&systolic::Gemm::m), added(&systolic::Gemm::n), added(&systolic::Gemm::k),
                r.padding.macs, r.padding.idlePes);
    };
    for (const NetworkRow& row : table.rows)
        add(row, false);
    add(table.total, true);
    return csvOf(out);
}

namespace {

using systolic::Dataflow;
using systolic::Matrix;

struct Span
{
    std::int64_t from = 0, to = 0;
};

/// First and last cycle in which elements of A, B and C pass the edges of the array.
std::array<Span, 3> edgeSpans(const systolic::Gemm& gemm, const systolic::ArrayShape& array,
                              const systolic::TimingOptions& timing)
{
    const systolic::FoldPlan plan(gemm, array, timing);
    const systolic::Fold first = plan.fold(0);
    const systolic::Fold last = plan.fold(plan.folds() - 1);
    const Span streamed{first.start, last.start + plan.stream() + last.rows - 2};
    if (timing.dataflow == Dataflow::Os)
        return {streamed, Span{first.start, last.start + plan.stream() + last.cols - 2},
                Span{first.start + plan.stream() + first.rows + first.cols - 2,
                     last.start + plan.stream() + 2 * last.rows + last.cols - 3}};
    const Span stationary{0, std::max<std::int64_t>(0, last.start - 1)};
    const Span sums{first.start + array.rows - 1, last.start + plan.stream() + array.rows + last.cols - 3};
    return timing.dataflow == Dataflow::Ws ? std::array{streamed, stationary, sums}
                                           : std::array{stationary, streamed, sums};
}

} // namespace

NetworkReports networkReports(const NetworkTable& table, const systolic::Hierarchy& h,
                              const systolic::TimingOptions& timing)
{
    Table compute = tableOf("LayerID,Total Cycles,Stall Cycles,Overall Util %,Mapping Efficiency %,"
                            "Compute Util %,Count,Operators");
    Table bandwidth = tableOf("LayerID,Avg IFMAP SRAM BW,Avg FILTER SRAM BW,Avg OFMAP SRAM BW,"
                              "Avg IFMAP DRAM BW,Avg FILTER DRAM BW,Avg OFMAP DRAM BW,Count,Operators");
    std::vector<TableText> columns{"LayerID"};
    for (const char* memory : {"SRAM ", "DRAM "})
        for (const auto& [name, access] :
             {std::pair{"IFMAP ", "Reads"}, {"FILTER ", "Reads"}, {"OFMAP ", "Writes"}})
            for (const char* column : {"Start Cycle", "Stop Cycle", access})
                columns.emplace_back(std::string(memory) + name + column);
    columns.insert(columns.end(), {"SRAM OFMAP Reads", "DRAM OFMAP Reads", "Count", "Operators"});
    Table access(columns);
    const double pes = static_cast<double>(h.array.rows) * static_cast<double>(h.array.cols);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const NetworkRow& row = table.rows[i];
        const std::int64_t count = row.layer.count;
        std::string names;
        for (const std::string& name : row.layer.operators)
            names.append(names.empty() ? "" : " ").append(name);
        const auto total = static_cast<double>(row.boundCycles);
        const double overall = 100 * static_cast<double>(systolic::macs(row.layer.gemm)) / pes / total;
        compute.add(i, row.boundCycles, row.boundCycles - row.timing.cycles, overall,
                    100 * row.timing.mappingEfficiency, 100 * row.timing.utilization, count, names);
        const systolic::EdgeElements edge = systolic::edgeElements(row.layer.gemm, h.array, timing.dataflow);
        const auto moved = [&](Matrix m) { return row.dram.of(m); };
        const std::int64_t e = h.elementBytes;
        const std::array sram{edge.a, edge.b, edge.c};
        const std::array dram{moved(Matrix::A).loadBytes / e, moved(Matrix::B).loadBytes / e,
                              moved(Matrix::C).storeBytes / e};
        const std::int64_t partialDram = moved(Matrix::C).loadBytes / e;
        const auto perCycle = [total](std::int64_t elements) {
            return static_cast<double>(elements) / total;
        };
        bandwidth.add(i, perCycle(sram[0]), perCycle(sram[1]), perCycle(sram[2] + edge.partial),
                      perCycle(dram[0]), perCycle(dram[1]), perCycle(dram[2] + partialDram), count, names);
        const auto spans = edgeSpans(row.layer.gemm, h.array, timing);
        std::vector<TableCell> cells{i};
        for (std::size_t m = 0; m < 3; ++m)
            cells.insert(cells.end(), {spans[m].from, spans[m].to, sram[m]});
        for (std::size_t m = 0; m < 3; ++m) // the transfers start with the first cycle of the array
            cells.insert(cells.end(), {0, row.boundCycles - 1, dram[m]});
        cells.insert(cells.end(), {edge.partial, partialDram, count, names});
        access.add(std::move(cells));
    }
    return {csvOf(compute, ", "), csvOf(bandwidth, ", "), csvOf(access, ", ")};
}

} // namespace tilewright::lower
