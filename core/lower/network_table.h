// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/array_energy.h"
#include "lower/workload.h"
#include "systolic/roofline.h"

#include <string>
#include <vector>

namespace tilewright::lower {

/// What the array and its memories make of one product (docs/rules/workload.md 4.2); figures are of one, not
/// times its count.
struct NetworkRow
{
    GemmLayer layer;
    systolic::ArrayTiming timing;
    std::array<std::int64_t, 4> bytes{}; ///< across L1, L2, L3, DRAM
    std::int64_t dramCycles = 0;         ///< what DRAM alone takes
    std::int64_t boundCycles = 0;        ///< the longer of array and DRAM
    std::string binding;                 ///< "array", "dram", "l3", "l2" or "l1"
    systolic::DramTraffic dram;          ///< of each matrix; not in the total
    double energyPj = 0;
};

struct NetworkTable
{
    std::vector<NetworkRow> rows;
    /// sums of the rows, each times its count; efficiencies are averages weighted by PE cycles
    NetworkRow total;
    std::int64_t macs = 0;
};

/// The Error names the layer that the array cannot take.
[[nodiscard]] Result<NetworkTable> networkTable(const std::vector<GemmLayer>& layers,
                                                const systolic::Hierarchy& hierarchy,
                                                const systolic::TimingOptions& timing,
                                                const Machine::Energy& energy = {});
[[nodiscard]] std::string networkCsv(const NetworkTable& table);

} // namespace tilewright::lower
