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
/// Computes the energy from the energies of the machine and the traffic in `roofline`.
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
    std::array<std::int64_t, 4> bytes{}; ///< traffic of L1, L2, L3 and DRAM in bytes
    std::int64_t dramCycles = 0;         ///< cycles of the DRAM transfers alone
    std::int64_t boundCycles = 0;        ///< the larger one of the cycles of the array and of DRAM
    std::int64_t leastCycles = 0; ///< least cycles of the product's program; boundCycles if no program fits
    std::string binding;          ///< limiting resource: "array", "dram", "l3", "l2" or "l1"
    systolic::DramTraffic dram;   ///< DRAM traffic of each matrix; not set in the total
    double energyPj = 0;
};

struct NetworkTable
{
    std::vector<NetworkRow> rows;
    /// Sums over the rows, each times its count. Efficiencies are averages weighted by PE cycles.
    NetworkRow total;
    std::int64_t macs = 0;
};

/// Computes the table. The Error names the layer that the array cannot compute.
[[nodiscard]] Result<NetworkTable> networkTable(const std::vector<GemmLayer>& layers,
                                                const systolic::Hierarchy& hierarchy,
                                                const systolic::TimingOptions& timing,
                                                const Machine::Energy& energy = {});
[[nodiscard]] std::string networkCsv(const NetworkTable& table);

/// The reports of a network with the file names and headings of SCALE-Sim, one line per product
/// (docs/rules/systolic.md 11). Figures are those of one product, not multiplied by its count. A is called
/// IFMAP, B FILTER, C OFMAP. Each line ends with count and operators.
struct NetworkReports
{
    std::string compute, bandwidth, access; ///< CSV
};
[[nodiscard]] NetworkReports networkReports(const NetworkTable& table, const systolic::Hierarchy& hierarchy,
                                            const systolic::TimingOptions& timing);

} // namespace tilewright::lower
