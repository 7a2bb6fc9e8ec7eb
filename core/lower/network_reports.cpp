// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/network_reports.h"

#include "base/table.h"

namespace tilewright::lower {

namespace {

using systolic::Dataflow;
using systolic::Matrix;

struct Span
{
    std::int64_t from = 0, to = 0;
};

/// First and last cycle in which A, B and C pass the edges of the array.
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
        for (std::size_t m = 0; m < 3; ++m) // the transfers overlap the array from its first cycle on
            cells.insert(cells.end(), {0, row.boundCycles - 1, dram[m]});
        cells.insert(cells.end(), {edge.partial, partialDram, count, names});
        access.add(std::move(cells));
    }
    return {csvOf(compute, ", "), csvOf(bandwidth, ", "), csvOf(access, ", ")};
}

} // namespace tilewright::lower
