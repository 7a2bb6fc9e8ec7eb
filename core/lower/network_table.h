// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/array_energy.h"
#include "lower/workload.h"
#include "systolic/roofline.h"

#include <string>
#include <vector>

namespace tilewright::lower {

/// Results for one product on the array and its memories (docs/rules/workload.md 4.2). They are for one
/// occurrence of the product, not multiplied by its count.
struct NetworkRow
{
    GemmLayer layer;
    systolic::ArrayTiming timing;
    std::array<std::int64_t, 4> bytes{}; ///< traffic of L1, L2, L3 and DRAM
    std::int64_t dramCycles = 0;         ///< cycles of the DRAM transfers alone
    std::int64_t boundCycles = 0;        ///< the larger one of the cycles of the array and of DRAM
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

} // namespace tilewright::lower
