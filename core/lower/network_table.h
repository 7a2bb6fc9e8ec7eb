// SPDX-License-Identifier: GPL-3.0-or-later
// The products of a network on the array: energy, table, and the reports under the names of SCALE-Sim.
#pragma once

#include "lower/workload.h"
#include "model/machine.h"
#include "systolic/roofline.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::lower {

/// Energy of one product on the array, in pJ (docs/rules/systolic.md 10).
struct ArrayEnergy
{
    double mac = 0, rf = 0, noc = 0, spm = 0, dram = 0;
    [[nodiscard]] double total() const noexcept { return mac + rf + noc + spm + dram; }
};
/// Computes the energy from the machine's table of energies and the traffic in `roofline`.
[[nodiscard]] ArrayEnergy arrayEnergy(const systolic::Gemm& gemm, const systolic::Roofline& roofline,
                                      std::int64_t elementBytes, const Machine::Energy& table) noexcept;

/// What the edges of a product leave unused of the array (docs/rules/systolic.md 1.6).
struct ArrayPadding
{
    /// Rows, columns and reduction that are added to fill the folds; nothing for an array that has no folds.
    std::optional<systolic::Gemm> added;
    std::int64_t macs = 0; ///< multiply-accumulates of padding
    double idlePes = 0;    ///< PEs of an array that a fold leaves idle, on average
};
/// Computes the padding of a product. `timing` is that of the product, as timingOf() computes it.
[[nodiscard]] ArrayPadding paddingOf(const GemmLayer& layer, const systolic::ArrayShape& array,
                                     systolic::Dataflow dataflow, const systolic::ArrayTiming& timing);

/// Results for one product on the array and its memories (docs/rules/workload.md 4.2). They are for one
/// occurrence of the product, not multiplied by its count.
struct NetworkRow
{
    GemmLayer layer;
    systolic::ArrayTiming timing;
    ArrayPadding padding;
    std::array<std::int64_t, 4> bytes{}; ///< traffic of L1, L2, L3 and DRAM
    std::int64_t dramCycles = 0;         ///< cycles of the DRAM transfers alone
    std::int64_t boundCycles = 0;        ///< the larger one of the cycles of the array and of DRAM
    std::int64_t leastCycles = 0;        ///< least cycles of its program; boundCycles if none fits
    std::string binding;                 ///< "array", "dram", "l3", "l2" or "l1"
    systolic::DramTraffic dram;          ///< DRAM traffic of each matrix; not set in the total
    double energyPj = 0;
};

struct NetworkTable
{
    std::vector<NetworkRow> rows;
    /// sums of the rows, each times its count; efficiencies are averages weighted by PE cycles
    NetworkRow total;
    std::int64_t macs = 0;
};

/// Computes the table. The Error names the layer that the array cannot compute.
[[nodiscard]] Result<NetworkTable> networkTable(const std::vector<GemmLayer>& layers,
                                                const systolic::Hierarchy& hierarchy,
                                                const systolic::TimingOptions& timing,
                                                const Machine::Energy& energy = {});
[[nodiscard]] std::string networkCsv(const NetworkTable& table);

/// The reports of a network under the names and heads that SCALE-Sim gives them, a line a product (of one,
/// not times its count), A as IFMAP, B as FILTER, C as OFMAP; each line ends with count and operators
/// (docs/rules/systolic.md 11).
struct NetworkReports
{
    std::string compute, bandwidth, access; ///< CSV
};
[[nodiscard]] NetworkReports networkReports(const NetworkTable& table, const systolic::Hierarchy& hierarchy,
                                            const systolic::TimingOptions& timing);

} // namespace tilewright::lower
