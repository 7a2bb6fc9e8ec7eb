// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_output.h"

#include "table.h"
#include "verbs.h"

#include "base/file.h"
#include "base/text.h"
#include "lower/network_table.h"

#include <nlohmann/json.hpp>

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
        {"binding", r.binding}};
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
               formatGrouped(r.bytes[2]), formatGrouped(r.bytes[3]), formatGrouped(r.boundCycles),
               r.binding});
}

} // namespace

int printNetwork(const NetworkCall& call, const WorkloadArguments& machine,
                 const systolic::Hierarchy* hierarchy, const systolic::TimingOptions& timing)
{
    const auto read = lowerFile(call.file, machine);
    if (!read)
        return fail(read.error());
    const auto layers = lower::gemmsOf(read->lowered);
    const auto table =
        lower::networkTable(layers, hierarchy ? *hierarchy : lower::hierarchyOf(read->machine), timing);
    if (!table) {
        Error error = table.error();
        error.file = call.file;
        return fail(error);
    }
    if (!call.csv.empty())
        if (auto s = writeFileAtomically(call.csv, lower::networkCsv(*table)); !s)
            return fail(s.error());
    if (call.json) {
        auto rows = nlohmann::ordered_json::array();
        for (const lower::NetworkRow& row : table->rows)
            rows.push_back(rowJson(row));
        nlohmann::ordered_json total = rowJson(table->total);
        for (const char* key : {"operators", "m", "n", "k"})
            total.erase(key);
        const nlohmann::ordered_json out = {{"name", read->workload.model.name},
                                            {"macs", table->macs},
                                            {"layers", std::move(rows)},
                                            {"total", std::move(total)}};
        std::cout << out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
        return Exit::Success;
    }
    Table out({"layer", "M", "N", "K", "count", "cycles", "utilisation", "mapping", "L1 bytes", "L2 bytes",
               "L3 bytes", "DRAM bytes", "with DRAM", "bound by"});
    for (const lower::NetworkRow& row : table->rows)
        addRow(out, row, false);
    addRow(out, table->total, true);
    out.print(std::cout);
    return Exit::Success;
}

} // namespace tilewright::cli
