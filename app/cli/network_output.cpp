// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_output.h"

#include "output_folder.h"
#include "table.h"
#include "verbs.h"

#include "base/file.h"
#include "base/text.h"
#include "lower/network_reports.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <iostream>

namespace tilewright::cli {

namespace {

nlohmann::ordered_json rowJson(const lower::NetworkRow& r)
{
    return {
        {"operators", r.layer.operators},
        {"m", r.layer.gemm.m},
        {"n", r.layer.gemm.n},
        {"k", r.layer.gemm.k},
        {"count", r.layer.count},
        {"cycles", r.timing.cycles},
        {"utilization", r.timing.utilization},
        {"mapping_efficiency", r.timing.mappingEfficiency},
        {"traffic_bytes", {{"l1", r.bytes[0]}, {"l2", r.bytes[1]}, {"l3", r.bytes[2]}, {"dram", r.bytes[3]}}},
        {"dram_cycles", r.dramCycles},
        {"bound_cycles", r.boundCycles},
        {"binding", r.binding},
        {"energy_pj", r.energyPj}};
}

void addRow(Table& table, const lower::NetworkRow& r, bool total)
{
    std::string name = r.layer.operators.front();
    if (r.layer.operators.size() > 1)
        name += " and " + std::to_string(r.layer.operators.size() - 1) + " more";
    const auto size = [&](std::int64_t v) { return total ? std::string() : formatGrouped(v); };
    table.add({name, size(r.layer.gemm.m), size(r.layer.gemm.n), size(r.layer.gemm.k),
               formatGrouped(r.layer.count), formatGrouped(r.timing.cycles), percent(r.timing.utilization),
               percent(r.timing.mappingEfficiency), formatGrouped(r.bytes[0]), formatGrouped(r.bytes[1]),
               formatGrouped(r.bytes[2]), formatGrouped(r.bytes[3]), formatGrouped(r.boundCycles), r.binding,
               formatGrouped(std::round(r.energyPj / 1000))});
}

/// The network under each dataflow, DRAM included.
using Comparison = std::array<lower::NetworkRow, 3>;

double fewerThan(const lower::NetworkRow& a, const lower::NetworkRow& b)
{
    return b.boundCycles > 0 ? 1 - static_cast<double>(a.boundCycles) / static_cast<double>(b.boundCycles)
                             : 0;
}

void printComparison(const Comparison& of, double gbPerSecond)
{
    Table table({"  dataflow", "array cycles", "DRAM bytes", "DRAM cycles", "with DRAM", "energy nJ"});
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        const lower::NetworkRow& r = of[static_cast<std::size_t>(d)];
        table.add({"  " + std::string(systolic::dataflowName(d)), formatGrouped(r.timing.cycles),
                   formatGrouped(r.bytes[3]), formatGrouped(r.dramCycles), formatGrouped(r.boundCycles),
                   formatGrouped(std::round(r.energyPj / 1000))});
    }
    std::cout << '\n';
    table.print(std::cout);
    const double fewer = fewerThan(of[0], of[1]);
    std::cout << "  os takes " << percent(std::abs(fewer)) << (fewer < 0 ? " more" : " fewer")
              << " cycles than ws at " << significantNumber(gbPerSecond) << " GB/s of DRAM\n";
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

int printNetwork(const NetworkCall& call, const WorkloadArguments& machine,
                 const systolic::Hierarchy& hierarchy, const systolic::TimingOptions& timing)
{
    const auto read = lowerFile(call.file, machine);
    if (!read)
        return fail(read.error());
    const auto layers = lower::gemmsOf(read->lowered);
    const auto table = lower::networkTable(layers, hierarchy, timing, read->machine.energy);
    if (!table) {
        Error error = table.error();
        error.file = call.file;
        return fail(error);
    }
    if (!call.csv.empty())
        if (auto s = writeFileAtomically(call.csv, lower::networkCsv(*table)); !s)
            return fail(s.error());
    if (!call.reports.empty())
        if (auto s = writeReports(call.reports, lower::networkReports(*table, hierarchy, timing)); !s)
            return fail(s.error());
    Comparison dataflows;
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        systolic::TimingOptions other = timing;
        other.dataflow = d;
        const auto one = lower::networkTable(layers, hierarchy, other, read->machine.energy);
        if (!one)
            return fail(one.error());
        dataflows[static_cast<std::size_t>(d)] = one->total;
    }
    if (call.json) {
        auto rows = nlohmann::ordered_json::array();
        for (const lower::NetworkRow& row : table->rows)
            rows.push_back(rowJson(row));
        nlohmann::ordered_json total = rowJson(table->total);
        for (const char* key : {"operators", "m", "n", "k"})
            total.erase(key);
        auto compared = nlohmann::ordered_json::array();
        for (const systolic::Dataflow d :
             {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
            const lower::NetworkRow& r = dataflows[static_cast<std::size_t>(d)];
            compared.push_back({{"dataflow", systolic::dataflowName(d)},
                                {"array_cycles", r.timing.cycles},
                                {"dram_bytes", r.bytes[3]},
                                {"dram_cycles", r.dramCycles},
                                {"total_cycles", r.boundCycles},
                                {"energy_pj", r.energyPj}});
        }
        const nlohmann::ordered_json out = {
            {"name", read->workload.model.name},
            {"macs", table->macs},
            {"layers", std::move(rows)},
            {"total", std::move(total)},
            {"dataflows", std::move(compared)},
            {"os_fewer_than_ws", fewerThan(dataflows[0], dataflows[1])},
            {"dram_gb_per_s", hierarchy.at(systolic::Level::External).gbPerSecond}};
        std::cout << out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
        return Exit::Success;
    }
    Table out({"layer", "M", "N", "K", "count", "cycles", "utilisation", "mapping", "L1 bytes", "L2 bytes",
               "L3 bytes", "DRAM bytes", "with DRAM", "bound by", "energy nJ"});
    for (const lower::NetworkRow& row : table->rows)
        addRow(out, row, false);
    addRow(out, table->total, true);
    out.print(std::cout);
    printComparison(dataflows, hierarchy.at(systolic::Level::External).gbPerSecond);
    return Exit::Success;
}

} // namespace tilewright::cli
