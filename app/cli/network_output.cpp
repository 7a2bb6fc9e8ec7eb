// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_output.h"

#include "output_folder.h"
#include "table.h"
#include "verbs.h"

#include "base/file.h"
#include "base/text.h"
#include "lower/network_reports.h"

#include <cmath>
#include <iostream>

namespace tilewright::cli {

namespace {

void addRow(Table& table, const lower::NetworkRow& r, bool total)
{
    std::string name = r.layer.operators.front();
    if (r.layer.operators.size() > 1)
        name += " and " + std::to_string(r.layer.operators.size() - 1) + " more";
    const auto size = [&](std::int64_t v) { return total ? TableCell("") : TableCell(v); };
    table.add(name, size(r.layer.gemm.m), size(r.layer.gemm.n), size(r.layer.gemm.k), r.layer.count,
              r.timing.cycles, percent(r.timing.utilization), percent(r.timing.mappingEfficiency), r.bytes[0],
              r.bytes[1], r.bytes[2], r.bytes[3], r.boundCycles, r.binding, std::round(r.energyPj / 1000));
}

/// The network under each dataflow, DRAM included.
void printComparison(const verbs::NetworkAnswer& answer)
{
    Table table({"  dataflow", "array cycles", "DRAM bytes", "DRAM cycles", "with DRAM", "energy nJ"});
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        const lower::NetworkRow& r = answer.dataflows[static_cast<std::size_t>(d)];
        table.add("  " + std::string(systolic::dataflowName(d)), r.timing.cycles, r.bytes[3], r.dramCycles,
                  r.boundCycles, std::round(r.energyPj / 1000));
    }
    std::cout << '\n';
    print(table);
    const double fewer = answer.osFewerThanWs();
    std::cout << "  os takes " << percent(std::abs(fewer)) << (fewer < 0 ? " more" : " fewer")
              << " cycles than ws at "
              << significantNumber(answer.request.hierarchy.at(systolic::Level::External).gbPerSecond)
              << " GB/s of DRAM\n";
}

Status writeReports(const std::string& folder, const lower::NetworkReports& reports)
{
    for (const auto& [name, text] : {std::pair{"COMPUTE_REPORT.csv", &reports.compute},
                                     {"BANDWIDTH_REPORT.csv", &reports.bandwidth},
                                     {"DETAILED_ACCESS_REPORT.csv", &reports.access}})
        if (const auto written = writeInFolder(folder, name, *text); !written)
            return written.error();
    return Unit{};
}

} // namespace

int printNetwork(const NetworkCall& call, const verbs::NetworkAnswer& answer)
{
    const lower::NetworkTable& table = answer.table;
    if (!call.csv.empty())
        if (auto s = writeFileAtomically(call.csv, lower::networkCsv(table)); !s)
            return fail(s.error());
    if (!call.reports.empty())
        if (auto s = writeReports(
                call.reports, lower::networkReports(table, answer.request.hierarchy, answer.request.timing));
            !s)
            return fail(s.error());
    if (call.json) {
        std::cout << verbs::systolicJson(answer);
        return Exit::Success;
    }
    Table out({"layer", "M", "N", "K", "count", "cycles", "utilisation", "mapping", "L1 bytes", "L2 bytes",
               "L3 bytes", "DRAM bytes", "with DRAM", "bound by", "energy nJ"});
    for (const lower::NetworkRow& row : table.rows)
        addRow(out, row, false);
    addRow(out, table.total, true);
    print(out);
    printComparison(answer);
    return Exit::Success;
}

} // namespace tilewright::cli
