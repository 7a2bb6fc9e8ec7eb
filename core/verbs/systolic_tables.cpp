// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of `systolic`, for the command line and the window.
#include "base/text.h"
#include "verbs/systolic.h"

#include <array>
#include <cmath>

namespace tilewright::verbs {

namespace {

std::string joined(const std::vector<std::string>& names)
{
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : ", ") + name;
    return out;
}

TableCell layerCell(const std::vector<std::string>& operators)
{
    std::string name = operators.front();
    if (operators.size() > 1)
        name += " and " + std::to_string(operators.size() - 1) + " more";
    return {joined(operators), name, TableValue(operators.front())};
}

TableCell share(double fraction)
{
    return {fraction, percent(fraction)};
}

} // namespace

Table networkRows(const NetworkAnswer& answer)
{
    constexpr auto figure = ColumnKind::Number;
    Table out;
    out.columns = {{"layer", ColumnKind::Text, "Operators with a product of these sizes."},
                   {"M", figure, "Rows of A and C."},
                   {"N", figure, "Columns of B and C."},
                   {"K", figure, "Columns of A and rows of B: the reduction."},
                   {"count", figure,
                    "Number of products of these sizes. The other numbers of the row are those of one."},
                   {"cycles", figure, "Cycles of the array alone in its dataflow."},
                   {"utilisation", ColumnKind::Percent, "Share of the PE cycles that multiply."},
                   {"mapping", ColumnKind::Percent, "Share of the PEs that the folds of the product use."},
                   {"M padded", figure, "Rows that fill the last folds along M."},
                   {"N padded", figure, "Columns that fill the last folds along N."},
                   {"K padded", figure, "Reduction that fills the last folds along K."},
                   {"padded MACs", figure, "Multiply-accumulates of the padding, which compute nothing."},
                   {"idle PEs", figure, "PEs that a fold leaves idle, on average: ragged folds."},
                   {"L1 bytes", figure, "Bytes streamed to the edges of the array."},
                   {"L2 bytes", figure, "Bytes that leave and enter L2, without reuse between folds."},
                   {"L3 bytes", figure, "Bytes of the L2 schedule of least traffic that fits L2."},
                   {"DRAM bytes", figure, "Bytes from and to DRAM in tiles of the size of the array."},
                   {"with DRAM", figure, "The longer of the cycles of the array and those of DRAM."},
                   {"bound by", ColumnKind::Text, "The array or the memory that takes longest."},
                   {"energy nJ", figure, "Energy of the multiplications and of the traffic."}};
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        const std::string name(systolic::dataflowName(d));
        out.columns.push_back(
            {name + " with DRAM", figure,
             "The longer of the cycles of the array and those of DRAM in the dataflow " + name + "."});
    }
    constexpr std::array kFigures{"",
                                  "m",
                                  "n",
                                  "k",
                                  "count",
                                  "cycles",
                                  "utilization",
                                  "mapping_efficiency",
                                  "padding.m",
                                  "padding.n",
                                  "padding.k",
                                  "padding.macs",
                                  "padding.idle_pes",
                                  "traffic_bytes.l1",
                                  "traffic_bytes.l2",
                                  "traffic_bytes.l3",
                                  "traffic_bytes.dram",
                                  "bound_cycles",
                                  "",
                                  "energy_pj"};
    for (std::size_t c = 0; c < kFigures.size(); ++c)
        if (*kFigures[c] != 0)
            out.columns[c].figure = std::string("systolic:layers.*.") + kFigures[c];
    const auto add = [&](const lower::NetworkRow& r, bool total, const auto& ofDataflow) {
        const auto size = [&](std::int64_t v) { return total ? TableCell(TableValue(), "") : TableCell(v); };
        const auto added = [&](std::int64_t systolic::Gemm::*extent) {
            return r.padding.added ? TableCell((*r.padding.added).*extent) : TableCell(TableValue(), "");
        };
        std::vector<TableCell> row{layerCell(r.layer.operators),
                                   size(r.layer.gemm.m),
                                   size(r.layer.gemm.n),
                                   size(r.layer.gemm.k),
                                   r.layer.count,
                                   r.timing.cycles,
                                   share(r.timing.utilization),
                                   share(r.timing.mappingEfficiency),
                                   added(&systolic::Gemm::m),
                                   added(&systolic::Gemm::n),
                                   added(&systolic::Gemm::k),
                                   r.padding.macs,
                                   r.padding.idlePes,
                                   r.bytes[0],
                                   r.bytes[1],
                                   r.bytes[2],
                                   r.bytes[3],
                                   r.boundCycles,
                                   r.binding,
                                   std::round(r.energyPj / 1000)};
        for (const lower::NetworkTable& table : answer.dataflows)
            row.emplace_back(ofDataflow(table).boundCycles);
        out.add(std::move(row));
    };
    for (std::size_t i = 0; i < answer.table.rows.size(); ++i)
        add(answer.table.rows[i], false,
            [i](const lower::NetworkTable& t) -> const lower::NetworkRow& { return t.rows[i]; });
    add(answer.table.total, true,
        [](const lower::NetworkTable& t) -> const lower::NetworkRow& { return t.total; });
    return out;
}

Table programRows(const std::vector<ProgramOfDataflow>& programs)
{
    constexpr auto figure = ColumnKind::Number;
    Table out;
    out.columns = {{"program", ColumnKind::Text, "Dataflow of the program."},
                   {"cycles", figure, "Cycles until the last result is stored."},
                   {"array fed", figure, "Cycles in which operands enter the array."},
                   {"DRAM bytes", figure, "Bytes that the DMA moves."},
                   {"", ColumnKind::Text, "L2 schedule, or why there is no program."}};
    const auto none = TableCell(TableValue(), "");
    for (const ProgramOfDataflow& p : programs) {
        const std::string name(systolic::dataflowName(p.dataflow));
        if (p.refusal.empty())
            out.add(name, p.cycles, p.arrayBusy, p.dramBytes, p.schedule);
        else
            out.add(name, none, none, none, p.refusal);
    }
    return out;
}

std::optional<double> osFewerOf(const std::vector<ProgramOfDataflow>& programs)
{
    if (programs.size() < 2 || !programs[0].refusal.empty() || !programs[1].refusal.empty() ||
        programs[1].cycles == 0)
        return std::nullopt;
    return 1 - static_cast<double>(programs[0].cycles) / static_cast<double>(programs[1].cycles);
}

} // namespace tilewright::verbs
