// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/network_reports.h"

#include "base/text.h"

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
    NetworkReports out;
    out.compute =
        "LayerID, Total Cycles, Stall Cycles, Overall Util %, Mapping Efficiency %, Compute Util %, "
        "Count, Operators\n";
    out.bandwidth = "LayerID, Avg IFMAP SRAM BW, Avg FILTER SRAM BW, Avg OFMAP SRAM BW, Avg IFMAP DRAM BW, "
                    "Avg FILTER DRAM BW, Avg OFMAP DRAM BW, Count, Operators\n";
    out.access = "LayerID";
    for (const char* memory : {"SRAM", "DRAM"})
        for (const auto& [name, access] :
             {std::pair{"IFMAP", "Reads"}, {"FILTER", "Reads"}, {"OFMAP", "Writes"}}) {
            const std::string head = std::string(", ").append(memory).append(" ").append(name).append(" ");
            for (const char* column : {"Start Cycle", "Stop Cycle", access})
                out.access.append(head).append(column);
        }
    out.access += ", SRAM OFMAP Reads, DRAM OFMAP Reads, Count, Operators\n";
    const double pes = static_cast<double>(h.array.rows) * static_cast<double>(h.array.cols);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const NetworkRow& row = table.rows[i];
        std::string names;
        for (const std::string& name : row.layer.operators)
            names.append(names.empty() ? "" : " ").append(name);
        const std::string tail = ", " + std::to_string(row.layer.count) + ", " + csvField(names) + "\n";
        const std::string id = std::to_string(i);
        const auto total = static_cast<double>(row.boundCycles);
        const double overall = 100 * static_cast<double>(systolic::macs(row.layer.gemm)) / pes / total;
        out.compute.append(id).append(", ").append(std::to_string(row.boundCycles)).append(", ");
        out.compute.append(std::to_string(row.boundCycles - row.timing.cycles)).append(", ");
        out.compute.append(formatNumber(overall)).append(", ");
        out.compute.append(formatNumber(100 * row.timing.mappingEfficiency)).append(", ");
        out.compute.append(formatNumber(100 * row.timing.utilization)).append(tail);
        const systolic::EdgeElements edge = systolic::edgeElements(row.layer.gemm, h.array, timing.dataflow);
        const auto moved = [&](Matrix m) { return row.dram.of(m); };
        const std::int64_t e = h.elementBytes;
        const std::array sram{edge.a, edge.b, edge.c};
        const std::array dram{moved(Matrix::A).loadBytes / e, moved(Matrix::B).loadBytes / e,
                              moved(Matrix::C).storeBytes / e};
        const std::int64_t partialDram = moved(Matrix::C).loadBytes / e;
        const std::array returned{std::int64_t{0}, std::int64_t{0}, edge.partial};
        const std::array returnedDram{std::int64_t{0}, std::int64_t{0}, partialDram};
        out.bandwidth += id;
        for (std::size_t m = 0; m < 3; ++m)
            out.bandwidth += ", " + formatNumber(static_cast<double>(sram[m] + returned[m]) / total);
        for (std::size_t m = 0; m < 3; ++m)
            out.bandwidth += ", " + formatNumber(static_cast<double>(dram[m] + returnedDram[m]) / total);
        out.bandwidth += tail;
        const auto spans = edgeSpans(row.layer.gemm, h.array, timing);
        out.access += id;
        for (std::size_t m = 0; m < 3; ++m)
            out.access += ", " + std::to_string(spans[m].from) + ", " + std::to_string(spans[m].to) + ", " +
                          std::to_string(sram[m]);
        for (std::size_t m = 0; m < 3; ++m) // the transfers overlap the array from its first cycle on
            out.access += ", 0, " + std::to_string(row.boundCycles - 1) + ", " + std::to_string(dram[m]);
        out.access += ", " + std::to_string(edge.partial) + ", " + std::to_string(partialDram) + tail;
    }
    return out;
}

} // namespace tilewright::lower
