// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/systolic_figures.h"

#include "figures/systolic_products.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tilewright::figures {

namespace {

using Network = std::shared_ptr<const verbs::NetworkAnswer>;
using lower::NetworkRow;

constexpr const char* kTableRule = "docs/rules/workload.md 4.2";

std::string layerField(std::size_t i, const std::string& field)
{
    return "layers." + std::to_string(i) + "." + field;
}
const NetworkRow& rowOf(const Network& n, std::size_t i)
{
    return n->table.rows[i];
}
std::string layerName(const NetworkRow& row)
{
    return row.layer.operators.empty() ? "product" : row.layer.operators.front();
}

/// A sum over the layers, each multiplied by the number of its products.
template <typename Of>
ExplainedValue overLayers(const lower::NetworkTable& table, std::string name, std::string unit,
                          const char* field, Of&& of)
{
    std::vector<ExplainedValue> parts;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const NetworkRow& row = table.rows[i];
        ExplainedValue one = field != nullptr
                                 ? figureLeaf(layerName(row), unit, of(row), layerField(i, field))
                                 : leaf(layerName(row), unit, of(row), "the table of this dataflow");
        if (row.layer.count != 1)
            one = combined(Operation::Product, layerName(row), unit,
                           {figureLeaf("products of these sizes", "", static_cast<double>(row.layer.count),
                                       layerField(i, "count")),
                            std::move(one)});
        parts.push_back(std::move(one));
    }
    return combined(Operation::Sum, std::move(name), std::move(unit), std::move(parts), kTableRule);
}

// Figures of layers ---------------------------------------------------------------------------------

template <auto field> std::optional<ExplainedValue> sizeOf(const Network& n, std::size_t i)
{
    return leaf("extent of the product", "", static_cast<double>(rowOf(n, i).layer.gemm.*field),
                "the model, lowered to products", "docs/rules/workload.md 4");
}
std::optional<ExplainedValue> countOf(const Network& n, std::size_t i)
{
    return leaf("products of these sizes", "", static_cast<double>(rowOf(n, i).layer.count),
                "operators with a product of these sizes", kTableRule);
}
/// A layer as one product.
Product productOf(const Network& n, std::size_t i)
{
    const NetworkRow& row = rowOf(n, i);
    return {
        row.layer.gemm, n->request.hierarchy.array, n->request.timing.dataflow, row.timing,       row.padding,
        row.layer.use,  row.timing.cycles,          row.timing.utilization,     layerField(i, "")};
}
/// Explains a figure of a layer as that of a product.
template <auto of> std::optional<ExplainedValue> asProduct(const Network& n, std::size_t i)
{
    return of(productOf(n, i));
}

std::optional<ExplainedValue> totalIdlePes(const Network& n, std::size_t)
{
    return ofProduct::idlePesOf(n->request.hierarchy.array, n->table.total.timing.mappingEfficiency,
                                "total.");
}
template <std::size_t extent> std::optional<ExplainedValue> totalPadded(const Network& n, std::size_t)
{
    if (!n->table.total.padding.added)
        return {};
    const Extent& e = kExtents[extent];
    return overLayers(n->table, "padding", "", (std::string("padding.") + e.name).c_str(),
                      [&](const NetworkRow& r) { return static_cast<double>((*r.padding.added).*e.of); });
}
std::optional<ExplainedValue> totalPaddedMacs(const Network& n, std::size_t)
{
    return overLayers(n->table, "multiply-accumulates of padding", "", "padding.macs",
                      [](const NetworkRow& r) { return static_cast<double>(r.padding.macs); });
}

template <std::size_t level> std::optional<ExplainedValue> bytesAt(const Network& n, std::size_t i)
{
    constexpr std::array kSources{"operands and results at the edges of the array",
                                  "what leaves and enters L2 without reuse between folds",
                                  "the L2 schedule of least traffic that fits",
                                  "tiles of the size of the array, in closed form"};
    return leaf("bytes", "bytes", static_cast<double>(rowOf(n, i).bytes[level]), kSources[level],
                "docs/rules/systolic.md 3");
}
ExplainedValue dramCyclesBy(const Network& n, double bytes, const std::string& address)
{
    return combined(Operation::Ceil, "cycles of DRAM", "cycles",
                    {figureLeaf("bytes from and to DRAM", "bytes", bytes, address),
                     leaf("bytes of DRAM in a cycle", "bytes a cycle",
                          n->request.hierarchy.bytesPerCycle(systolic::Level::External),
                          "bandwidth over clock of the hierarchy")},
                    kTableRule);
}
std::optional<ExplainedValue> dramCyclesOf(const Network& n, std::size_t i)
{
    return dramCyclesBy(n, static_cast<double>(rowOf(n, i).bytes[3]), layerField(i, "traffic_bytes.dram"));
}
std::optional<ExplainedValue> boundCyclesOf(const Network& n, std::size_t i)
{
    const NetworkRow& row = rowOf(n, i);
    return combined(Operation::Largest, "cycles with DRAM", "cycles",
                    {figureLeaf("cycles of the array", "cycles", static_cast<double>(row.timing.cycles),
                                layerField(i, "cycles")),
                     figureLeaf("cycles of DRAM", "cycles", static_cast<double>(row.dramCycles),
                                layerField(i, "dram_cycles"))},
                    kTableRule);
}
std::optional<ExplainedValue> energyOf(const Network& n, std::size_t i)
{
    const NetworkRow& row = rowOf(n, i);
    const Machine::Energy& table = n->request.energy;
    const systolic::Gemm& g = row.layer.gemm;
    const double macs = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
    const auto elements = [&](std::size_t level) {
        return static_cast<double>(row.bytes[level]) / static_cast<double>(n->request.hierarchy.elementBytes);
    };
    const auto part = [](const char* name, double count, const char* what, double each, const char* field) {
        return combined(Operation::Product, name, "pJ",
                        {leaf(what, "", count, "counts of the product", kTableRule),
                         leaf("energy of one", "pJ", each, std::string("the machine, energy.") + field)});
    };
    return combined(
        Operation::Sum, layerName(row), "pJ",
        {part("multiply-accumulates", macs, "multiply-accumulates", table.mac, "mac"),
         part("register files", macs * 3, "accesses: two operands and the sum", table.rf, "rf"),
         part("network", elements(0), "elements at the edges", table.noc, "noc"),
         part("scratchpads", elements(1) + elements(2), "elements of L2 and L3", table.spm, "spm"),
         part("DRAM", elements(3), "elements of DRAM", table.dram, "dram")},
        kTableRule);
}

// Totals over all layers ----------------------------------------------------------------------------

std::optional<ExplainedValue> macsOf(const Network& n, std::size_t)
{
    std::vector<ExplainedValue> parts;
    for (const NetworkRow& row : n->table.rows) {
        const systolic::Gemm& g = row.layer.gemm;
        parts.push_back(combined(Operation::Product, layerName(row), "",
                                 {leaf("products", "", static_cast<double>(row.layer.count), "the model"),
                                  leaf("m", "", static_cast<double>(g.m), "the model"),
                                  leaf("n", "", static_cast<double>(g.n), "the model"),
                                  leaf("k", "", static_cast<double>(g.k), "the model")}));
    }
    return combined(Operation::Sum, "multiply-accumulates", "", std::move(parts), kTableRule);
}
std::optional<ExplainedValue> totalCount(const Network& n, std::size_t)
{
    std::vector<ExplainedValue> parts;
    for (std::size_t i = 0; i < n->table.rows.size(); ++i)
        parts.push_back(figureLeaf(layerName(rowOf(n, i)), "", static_cast<double>(rowOf(n, i).layer.count),
                                   layerField(i, "count")));
    return combined(Operation::Sum, "products", "", std::move(parts), kTableRule);
}
std::optional<ExplainedValue> totalCycles(const Network& n, std::size_t)
{
    return overLayers(n->table, "cycles of the array", "cycles", "cycles",
                      [](const NetworkRow& r) { return static_cast<double>(r.timing.cycles); });
}
std::optional<ExplainedValue> totalDramCycles(const Network& n, std::size_t)
{
    return overLayers(n->table, "cycles of DRAM", "cycles", "dram_cycles",
                      [](const NetworkRow& r) { return static_cast<double>(r.dramCycles); });
}
std::optional<ExplainedValue> totalBoundCycles(const Network& n, std::size_t)
{
    return overLayers(n->table, "cycles with DRAM", "cycles", "bound_cycles",
                      [](const NetworkRow& r) { return static_cast<double>(r.boundCycles); });
}
std::optional<ExplainedValue> totalEnergyOf(const Network& n, std::size_t)
{
    return overLayers(n->table, "energy", "pJ", "energy_pj", [](const NetworkRow& r) { return r.energyPj; });
}
constexpr std::array kLevelFields{"traffic_bytes.l1", "traffic_bytes.l2", "traffic_bytes.l3",
                                  "traffic_bytes.dram"};
template <std::size_t level> std::optional<ExplainedValue> totalBytes(const Network& n, std::size_t)
{
    return overLayers(n->table, "bytes", "bytes", kLevelFields[level],
                      [](const NetworkRow& r) { return static_cast<double>(r.bytes[level]); });
}
std::optional<ExplainedValue> totalUtilization(const Network& n, std::size_t)
{
    ExplainedValue busy =
        overLayers(n->table, "cycles times utilisation", "cycles", nullptr, [](const NetworkRow& r) {
            return r.timing.utilization * static_cast<double>(r.timing.cycles);
        });
    return combined(
        Operation::Quotient, "utilisation", "",
        {std::move(busy),
         figureLeaf("cycles", "cycles", static_cast<double>(n->table.total.timing.cycles), "total.cycles")},
        kTableRule);
}
std::optional<ExplainedValue> totalMapping(const Network& n, std::size_t)
{
    ExplainedValue used =
        overLayers(n->table, "folds times their share of used PEs", "", nullptr, [](const NetworkRow& r) {
            return r.timing.mappingEfficiency * static_cast<double>(r.timing.folds);
        });
    ExplainedValue folds = overLayers(n->table, "folds", "", nullptr, [](const NetworkRow& r) {
        return static_cast<double>(r.timing.folds);
    });
    return combined(Operation::Quotient, "used PEs / PEs, mean over the folds", "",
                    {std::move(used), std::move(folds)}, kTableRule);
}

// Figures of dataflows ------------------------------------------------------------------------------

template <typename Of>
ExplainedValue ofDataflow(const Network& n, std::size_t d, const char* name, const char* unit, Of&& of)
{
    return overLayers(n->dataflows[d], name, unit, nullptr, std::forward<Of>(of));
}
std::optional<ExplainedValue> flowCycles(const Network& n, std::size_t d)
{
    return ofDataflow(n, d, "cycles of the array", "cycles",
                      [](const NetworkRow& r) { return static_cast<double>(r.timing.cycles); });
}
std::optional<ExplainedValue> flowBytes(const Network& n, std::size_t d)
{
    return ofDataflow(n, d, "bytes from and to DRAM", "bytes",
                      [](const NetworkRow& r) { return static_cast<double>(r.bytes[3]); });
}
std::optional<ExplainedValue> flowDramCycles(const Network& n, std::size_t d)
{
    return ofDataflow(n, d, "cycles of DRAM", "cycles",
                      [](const NetworkRow& r) { return static_cast<double>(r.dramCycles); });
}
std::optional<ExplainedValue> flowTotal(const Network& n, std::size_t d)
{
    return ofDataflow(n, d, "cycles with DRAM", "cycles",
                      [](const NetworkRow& r) { return static_cast<double>(r.boundCycles); });
}
std::optional<ExplainedValue> flowProgram(const Network& n, std::size_t d)
{
    return ofDataflow(n, d, "least cycles of the programs", "cycles",
                      [](const NetworkRow& r) { return static_cast<double>(r.leastCycles); });
}
std::optional<ExplainedValue> flowEnergy(const Network& n, std::size_t d)
{
    return ofDataflow(n, d, "energy", "pJ", [](const NetworkRow& r) { return r.energyPj; });
}
std::optional<ExplainedValue> osFewer(const Network& n, std::size_t)
{
    const auto cycles = [&](std::size_t d) {
        return figureLeaf(std::string(systolic::dataflowName(static_cast<systolic::Dataflow>(d))) +
                              " with DRAM",
                          "cycles", static_cast<double>(n->dataflows[d].total.boundCycles),
                          "dataflows." + std::to_string(d) + ".total_cycles");
    };
    const auto os = static_cast<std::size_t>(systolic::Dataflow::Os),
               ws = static_cast<std::size_t>(systolic::Dataflow::Ws);
    if (n->dataflows[ws].total.boundCycles == 0)
        return leaf("share of cycles", "", 0, "ws needs none");
    return difference("share of cycles that os needs fewer", "", leaf("all", "", 1, "the cycles of ws"),
                      combined(Operation::Quotient, "os / ws", "", {cycles(os), cycles(ws)}), kTableRule);
}
std::optional<ExplainedValue> dramRate(const Network& n, std::size_t)
{
    return leaf("bandwidth of DRAM", "GB/s", n->request.hierarchy.at(systolic::Level::External).gbPerSecond,
                "the machine, levels.external.gb_per_s, or --dram-gb-per-s");
}

using NetworkKind = KindIn<Network>;
const std::array kNetworkKinds{
    NetworkKind{
        {"macs", "multiply-accumulates of the model", "Multiply-accumulates of all products of the model."},
        macsOf},
    NetworkKind{{"total.count", "products", "All products of the model."}, totalCount},
    NetworkKind{{"total.cycles", "cycles of the array", "All products one after another, on the array alone.",
                 "Waiting for memories.", "SCALE-Sim: total cycles without stalls."},
                totalCycles},
    NetworkKind{{"total.utilization", "utilisation of the array",
                 "Multiply-accumulates over what all PEs could do in these cycles.", "",
                 "SCALE-Sim: overall utilisation."},
                totalUtilization},
    NetworkKind{{"total.mapping_efficiency", "mapping efficiency", "Used PEs over PEs, mean over all folds.",
                 "", "SCALE-Sim: mapping efficiency."},
                totalMapping},
    NetworkKind{
        {"total.padding.m", "rows that are padded", "Rows that fill the last folds, of all products."},
        totalPadded<0>},
    NetworkKind{
        {"total.padding.n", "columns that are padded", "Columns that fill the last folds, of all products."},
        totalPadded<1>},
    NetworkKind{{"total.padding.k", "reduction that is padded",
                 "Reduction that fills the last folds, of all products."},
                totalPadded<2>},
    NetworkKind{{"total.padding.macs", "multiply-accumulates of padding",
                 "What the PEs could do in the cycles in which they are idle because folds are ragged.",
                 "Fill, drain and waiting for memories, which the utilisation includes."},
                totalPaddedMacs},
    NetworkKind{{"total.padding.idle_pes", "PEs idle by ragged folds",
                 "PEs without work, mean over all folds.",
                 "Fill, drain and waiting for memories, which the utilisation includes."},
                totalIdlePes},
    NetworkKind{{"total.traffic_bytes.l1", "bytes at the edges of the array", "Bytes of all products."},
                totalBytes<0>},
    NetworkKind{{"total.traffic_bytes.l2", "bytes of L2", "Bytes of all products."}, totalBytes<1>},
    NetworkKind{{"total.traffic_bytes.l3", "bytes of L3", "Bytes of all products."}, totalBytes<2>},
    NetworkKind{{"total.traffic_bytes.dram", "bytes of DRAM", "Bytes of all products."}, totalBytes<3>},
    NetworkKind{{"total.dram_cycles", "cycles of DRAM", "Cycles of the transfers of all products alone."},
                totalDramCycles},
    NetworkKind{{"total.bound_cycles", "cycles with DRAM",
                 "Sum over the products of the longer of array cycles and DRAM cycles."},
                totalBoundCycles},
    NetworkKind{{"total.energy_pj", "energy of the model", "Energy of all products.", "Static power."},
                totalEnergyOf},
    NetworkKind{{"os_fewer_than_ws", "share of cycles that os needs fewer than ws",
                 "1 less the quotient of both cycles with DRAM."},
                osFewer},
    NetworkKind{{"dram_gb_per_s", "bandwidth of DRAM", "The rate of the external memory."}, dramRate},
    NetworkKind{{"layers.*.m", "rows of a product", "Rows of A and C."}, sizeOf<&systolic::Gemm::m>},
    NetworkKind{{"layers.*.n", "columns of a product", "Columns of B and C."}, sizeOf<&systolic::Gemm::n>},
    NetworkKind{{"layers.*.k", "reduction of a product", "Columns of A and rows of B."},
                sizeOf<&systolic::Gemm::k>},
    NetworkKind{
        {"layers.*.count", "products of these sizes", "The other figures of the layer are those of one."},
        countOf},
    NetworkKind{{"layers.*.cycles", "cycles of the array for a product", "The array alone, in its dataflow.",
                 "Waiting for memories.", "SCALE-Sim: compute cycles."},
                asProduct<ofProduct::cycles>},
    NetworkKind{{"layers.*.utilization", "utilisation by a product",
                 "Multiply-accumulates over what all PEs could do in these cycles.", "Waiting for memories.",
                 "SCALE-Sim: overall utilisation. ZigZag: MAC utilisation."},
                asProduct<ofProduct::utilization>},
    NetworkKind{{"layers.*.mapping_efficiency", "mapping efficiency of a product",
                 "Used PEs over PEs, mean over the folds.", "", "SCALE-Sim: mapping efficiency."},
                asProduct<ofProduct::mapping>},
    NetworkKind{{"layers.*.padding.m", "rows that are padded",
                 "Rows that fill the last folds along M: the extent of whole folds less M."},
                asProduct<ofProduct::padded<0>>},
    NetworkKind{{"layers.*.padding.n", "columns that are padded",
                 "Columns that fill the last folds along N: the extent of whole folds less N."},
                asProduct<ofProduct::padded<1>>},
    NetworkKind{{"layers.*.padding.k", "reduction that is padded",
                 "Reduction that fills the last folds along K: the extent of whole folds less K."},
                asProduct<ofProduct::padded<2>>},
    NetworkKind{{"layers.*.padding.macs", "multiply-accumulates of padding",
                 "What the PEs could do in the cycles in which they are idle because folds are ragged.",
                 "Fill, drain and waiting for memories, which the utilisation includes."},
                asProduct<ofProduct::paddedMacs>},
    NetworkKind{{"layers.*.padding.idle_pes", "PEs idle by ragged folds",
                 "PEs without work, mean over the folds.",
                 "Fill, drain and waiting for memories, which the utilisation includes.",
                 "SCALE-Sim: mapping efficiency, the share of the other PEs."},
                asProduct<ofProduct::idlePes>},
    NetworkKind{{"layers.*.traffic_bytes.l1", "bytes at the edges of the array", "Bytes of one product."},
                bytesAt<0>},
    NetworkKind{{"layers.*.traffic_bytes.l2", "bytes of L2", "Bytes of one product."}, bytesAt<1>},
    NetworkKind{{"layers.*.traffic_bytes.l3", "bytes of L3", "Bytes of one product."}, bytesAt<2>},
    NetworkKind{{"layers.*.traffic_bytes.dram", "bytes of DRAM", "Bytes of one product."}, bytesAt<3>},
    NetworkKind{{"layers.*.dram_cycles", "cycles of DRAM for a product",
                 "Cycles of the transfers of the product alone."},
                dramCyclesOf},
    NetworkKind{{"layers.*.bound_cycles", "cycles of a product with DRAM",
                 "The longer of array cycles and DRAM cycles."},
                boundCyclesOf},
    NetworkKind{{"layers.*.energy_pj", "energy of a product",
                 "Multiply-accumulates and the traffic of every level.", "Static power."},
                energyOf},
    NetworkKind{{"dataflows.*.array_cycles", "cycles of the array with a dataflow", "All products."},
                flowCycles},
    NetworkKind{{"dataflows.*.dram_bytes", "bytes of DRAM with a dataflow", "All products."}, flowBytes},
    NetworkKind{{"dataflows.*.dram_cycles", "cycles of DRAM with a dataflow", "All products."},
                flowDramCycles},
    NetworkKind{{"dataflows.*.total_cycles", "cycles with DRAM with a dataflow", "All products."}, flowTotal},
    NetworkKind{{"dataflows.*.program_cycles_at_least", "least cycles of the programs with a dataflow",
                 "No program of this dataflow is faster."},
                flowProgram},
    NetworkKind{{"dataflows.*.energy_pj", "energy with a dataflow", "All products."}, flowEnergy},
};

} // namespace

Figures systolicFigures(std::shared_ptr<const verbs::NetworkAnswer> answer)
{
    FigureGroup layers{"layers", {}}, dataflows{"dataflows", {}};
    for (const NetworkRow& row : answer->table.rows)
        layers.names.push_back(layerName(row));
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is})
        dataflows.names.emplace_back(systolic::dataflowName(d));
    return figuresBy<Network>(kNetworkKinds, {std::move(layers), std::move(dataflows)}, std::move(answer));
}

} // namespace tilewright::figures
